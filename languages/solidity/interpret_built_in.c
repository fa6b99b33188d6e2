#include <string.h>

#include "languages/solidity/interpret_inside.h"
#include "languages/solidity/keccak.h"

// Functions of the language and of the chain.

static struct datum encode_list(struct machine *m, const struct sol_node *const *list, size_t count,
                                bool packed, mpz_ptr selector, const struct sol_node *at);

// What is hashed: a string, or (in versions of old) several values one behind the other.
static struct datum hashed_code(struct machine *m, const struct sol_node *node)
{
    for (size_t i = 0; i < node->count; i++)
        if (sol_node_type(m->types, node->list[i])->kind == SOL_T_CONSTANT)
            machine_stop(m, FLOW_STUCK, node, "the hash of a constant without a size");
    bool one = node->count == 1 && sol_node_type(m->types, node->list[0])->kind == SOL_T_STRING;
    return machine_ended(m) ? (struct datum){0}
           : one            ? machine_evaluate(m, node->list[0])
                            : encode_list(m, node->list, node->count, true, NULL, node);
}

static struct datum hash_of(struct machine *m, mpz_srcptr code, const struct sol_node *at)
{
    struct datum hash = machine_plain(sol_type_of(m->types, "bytes32"), machine_number(m));
    if (!sol_keccak256_of_code(code, hash.number))
        machine_stop(m, FLOW_STUCK, at, "the hash of a string with more contents than bytes");
    return hash;
}

static struct datum sum_of(struct machine *m, const struct sol_node *node)
{
    struct datum d = machine_evaluate(m, node);
    mpz_ptr sum = machine_number(m);
    for (struct cell *c = d.object != NULL ? d.object->cells : NULL; c != NULL; c = c->next)
        if (c->datum.number != NULL)
            mpz_add(sum, sum, c->datum.number);
    return machine_plain(sol_type_of(m->types, "unbounded"), sum);
}

// Gas only ever becomes less.
struct datum machine_gas_left(struct machine *m, const struct sol_node *node)
{
    struct datum left = machine_outside(m, sol_type_of(m->types, "uint256"), node);
    if (!machine_ended(m) && m->gas != NULL && mpz_cmp(left.number, m->gas) >= 0)
        machine_stop(m, FLOW_STUCK, node, "the trace has more gas than before");
    m->gas = left.number;
    return left;
}

// Functions of the chain: the trace answers, the same to the same arguments.
static struct datum opaque(struct machine *m, const struct sol_node *node, const char *name)
{
    static const struct {
        const char *name, *result;
    } known[] = {{"sha256", "bytes32"},    {"ripemd160", "bytes20"}, {"ecrecover", "address"},
                 {"blockhash", "bytes32"}, {"blobhash", "bytes32"},  {"gasleft", "uint256"}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strcmp(known[k].name, name) != 0)
            continue;
        const struct sol_type *result = sol_type_of(m->types, known[k].result);
        mpz_ptr *keys = arena_zalloc(&m->arena, (node->count + 1) * sizeof *keys);
        for (size_t i = 0; i < node->count && !machine_ended(m); i++)
            keys[i] = machine_evaluate(m, node->list[i]).number;
        for (size_t i = 0; i < node->count && !machine_ended(m); i++)
            if (keys[i] == NULL)
                machine_stop(m, FLOW_STUCK, node, "an argument that is no single word");
        if (machine_ended(m))
            return (struct datum){0};
        if (strcmp(name, "gasleft") == 0)
            return machine_gas_left(m, node);
        bool lasting = strncmp(name, "bl", 2) != 0;
        return machine_consult(m, lasting ? &m->known : &m->now_known, known[k].name, keys,
                               node->count, result, node);
    }
    machine_stop(m, FLOW_STUCK, node, "a built-in function that the interpreter does not know");
    return (struct datum){0};
}

struct datum machine_built_in(struct machine *m, const struct sol_node *node, const char *name)
{
    if (m->annotation && strcmp(name, "sum") == 0)
        return sum_of(m, node->list[0]);
    if (m->annotation && strcmp(name, "old") == 0) {
        for (struct remembered *o = m->active->olds; o != NULL; o = o->next)
            if (strcmp(o->node->list[0]->name, node->list[0]->name) == 0 && o->node == node)
                return o->datum;
        return machine_evaluate(m, node->list[0]);
    }
    if (strcmp(name, "require") == 0) {
        if (!machine_is_true(machine_evaluate(m, node->list[0])))
            machine_stop(m, FLOW_REVERT, node, "require fails");
    } else if (strcmp(name, "assert") == 0) {
        bool good = machine_is_true(machine_evaluate(m, node->list[0]));
        machine_check(m, good, SOL_FAIL_ASSERTION, node, true);
    } else if (strcmp(name, "revert") == 0) {
        machine_stop(m, FLOW_REVERT, node, "it reverts");
    } else if ((strcmp(name, "keccak256") == 0 || strcmp(name, "sha3") == 0) && node->count > 0) {
        struct datum d = hashed_code(m, node);
        if (!machine_ended(m))
            return hash_of(m, d.number, node);
    } else if (strcmp(name, "addmod") == 0 || strcmp(name, "mulmod") == 0) {
        struct datum a = machine_evaluate(m, node->list[0]), b = machine_evaluate(m, node->list[1]),
                     c = machine_evaluate(m, node->list[2]);
        mpz_ptr n = machine_number(m);
        if (!machine_ended(m) && mpz_sgn(c.number) == 0)
            machine_stop(m, FLOW_REVERT, node, "a division by zero");
        if (machine_ended(m))
            return (struct datum){0};
        (*name == 'a' ? mpz_add : mpz_mul)(n, a.number, b.number);
        mpz_mod(n, n, c.number);
        return machine_plain(sol_type_of(m->types, "uint256"), n);
    } else if (strcmp(name, "selfdestruct") == 0 || strcmp(name, "suicide") == 0) {
        struct datum heir = machine_evaluate(m, node->list[0]);
        if (!machine_ended(m))
            machine_pay(m, m->active->self->address, heir.number,
                        machine_balance(m, m->active->self->address)->number, node);
        machine_check_overflow(m, node);
        machine_stop(m, m->messages > 0 || m->reads_only ? FLOW_STUCK : FLOW_HALT, node,
                     "it destroys itself");
    } else {
        return opaque(m, node, name);
    }
    return machine_truth(m, true);
}

// Encodings, byte by byte.

static unsigned packed_size(const struct sol_type *type)
{
    return type->kind == SOL_T_BOOL || type->kind == SOL_T_ENUM ? 1 : machine_bits_of(type) / 8;
}

static mpz_ptr encoded_value(struct machine *m, struct datum d, unsigned size)
{
    mpz_ptr n = machine_number(m);
    mpz_fdiv_r_2exp(n, d.number, 8 * size);
    if (d.type->kind == SOL_T_BYTES_N && size > d.type->bits / 8)
        mpz_mul_2exp(n, n, 8 * size - d.type->bits);
    return machine_string_of(m, n, size);
}

static mpz_ptr word_of(struct machine *m, unsigned long value)
{
    return machine_string_of(m, machine_number_of(m, (long)value), 32);
}

// A string behind its length, filled up to whole words.
static mpz_ptr tail_of(struct machine *m, mpz_srcptr code)
{
    unsigned long length = machine_length_of(code), more = (32 - length % 32) % 32;
    return machine_joined(m, machine_joined(m, word_of(m, length), code),
                          machine_string_of(m, machine_number_of(m, 0), more));
}

static struct datum encode_list(struct machine *m, const struct sol_node *const *list, size_t count,
                                bool packed, mpz_ptr selector, const struct sol_node *at)
{
    const struct sol_type *bytes = sol_type_of(m->types, "bytes memory");
    mpz_ptr head = machine_number_of(m, 0), tail = machine_number_of(m, 0);
    for (size_t i = 0; i < count && !machine_ended(m); i++) {
        const struct sol_type *type = sol_node_type(m->types, list[i]);
        if (type->kind == SOL_T_CONSTANT)
            type = sol_type_of(m->types, "uint256");
        struct datum d = machine_as_type(m, list[i], type);
        bool value = sol_type_is_value(type);
        if (!machine_ended(m) && !value && type->kind != SOL_T_STRING)
            machine_stop(m, FLOW_STUCK, at, "an encoding that the interpreter does not know");
        if (machine_ended(m) || (!value && !machine_is_short(m, d.number, at)))
            break;
        d.type = type;
        if (value) {
            head = machine_joined(m, head, encoded_value(m, d, packed ? packed_size(type) : 32));
        } else if (packed) {
            head = machine_joined(m, head, d.number);
        } else {
            head = machine_joined(m, head, word_of(m, 32 * count + machine_length_of(tail)));
            tail = machine_joined(m, tail, tail_of(m, d.number));
        }
    }
    mpz_ptr all = machine_joined(m, head, tail);
    return machine_plain(
        bytes, selector != NULL ? machine_joined(m, machine_string_of(m, selector, 4), all) : all);
}

mpz_ptr machine_selector_of(struct machine *m, const struct sol_node *function,
                            const struct sol_node *at)
{
    mpz_ptr n = machine_number(m);
    if (function == NULL || function->unit[0] == '\0' || mpz_set_str(n, function->unit, 16) != 0)
        machine_stop(m, FLOW_STUCK, at, "a selector that the interpreter does not know");
    return n;
}

static struct datum decode(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(m->types, node);
    bool many = type->kind == SOL_T_TUPLE;
    size_t count = many ? type->member_count : 1;
    struct datum all = {.type = type, .count = count}, code = machine_evaluate(m, node->list[0]);
    all.items = arena_zalloc(&m->arena, (count + 1) * sizeof *all.items);
    if (!machine_ended(m) && machine_length_of(code.number) < 32 * count)
        machine_stop(m, FLOW_REVERT, node, "too few bytes to decode");
    for (size_t i = 0; i < count && !machine_ended(m) && machine_is_short(m, code.number, node);
         i++) {
        const struct sol_type *item = many ? type->members[i] : type;
        mpz_ptr n = machine_contents_of(m, machine_piece(m, code.number, 32 * i, 32 * i + 32));
        if (!sol_type_is_value(item)) {
            machine_stop(m, FLOW_STUCK, node, "a decoding that the interpreter does not know");
            break;
        }
        mpz_ptr kept = machine_number(m), whole = machine_number(m);
        if (item->kind == SOL_T_BYTES_N)
            mpz_fdiv_q_2exp(n, n, 256 - item->bits);
        mpz_set(kept, n);
        if (item->kind == SOL_T_INT || item->kind == SOL_T_UINT || item->kind == SOL_T_ADDRESS ||
            item->kind == SOL_T_CONTRACT)
            machine_wrap(kept, item);
        mpz_fdiv_r_2exp(whole, kept, item->kind == SOL_T_BYTES_N ? item->bits : 256);
        bool wrong = mpz_cmp(whole, n) != 0 || (item->kind == SOL_T_BOOL && mpz_cmp_ui(n, 1) > 0) ||
                     (item->kind == SOL_T_ENUM && mpz_cmp_ui(n, item->node->count) >= 0);
        if (wrong)
            machine_stop(m, FLOW_REVERT, node, "a decoded value out of its range");
        all.items[i] = machine_plain(item, kept);
    }
    return many ? all : all.items[0];
}

struct datum machine_abi(struct machine *m, const struct sol_node *node, const char *name)
{
    if (strcmp(name, "encode") == 0 || strcmp(name, "encodePacked") == 0)
        return encode_list(m, node->list, node->count, name[6] != '\0', NULL, node);
    if (strcmp(name, "decode") == 0)
        return decode(m, node);
    if (strcmp(name, "encodeWithSelector") == 0) {
        struct datum selector = machine_as_type(m, node->list[0], sol_type_of(m->types, "bytes4"));
        return machine_ended(m)
                   ? selector
                   : encode_list(m, node->list + 1, node->count - 1, false, selector.number, node);
    }
    if (strcmp(name, "encodeWithSignature") == 0 && node->count > 0) {
        struct datum text = machine_evaluate(m, node->list[0]);
        if (machine_ended(m) || text.number == NULL)
            return text;
        struct datum hash = hash_of(m, text.number, node);
        mpz_fdiv_q_2exp(hash.number, hash.number, 224);
        return encode_list(m, node->list + 1, node->count - 1, false, hash.number, node);
    }
    if (strcmp(name, "encodeCall") == 0 && node->count == 2) {
        mpz_ptr selector =
            machine_selector_of(m, sol_tree_node(m->tree, node->list[0]->reference), node);
        const struct sol_node *arguments = node->list[1];
        bool many = arguments->kind == SOL_TUPLE;
        return encode_list(m, many ? arguments->list : &arguments, many ? arguments->count : 1,
                           false, selector, node);
    }
    machine_stop(m, FLOW_STUCK, node, "an encoding that the interpreter does not know");
    return (struct datum){0};
}

struct datum machine_concatenate(struct machine *m, const struct sol_node *node)
{
    return encode_list(m, node->list, node->count, true, NULL, node);
}

// A copy: who has a slice can change nothing.
static struct datum array_slice(struct machine *m, const struct sol_node *node,
                                const struct object *whole)
{
    const struct sol_type *word = sol_type_of(m->types, "uint256");
    struct datum from = machine_plain(word, machine_number_of(m, 0)),
                 to = machine_plain(word, whole->length);
    if (node->part[1] != NULL)
        from = machine_as_type(m, node->part[1], word);
    if (node->part[2] != NULL)
        to = machine_as_type(m, node->part[2], word);
    if (!machine_ended(m) &&
        (mpz_cmp(from.number, to.number) > 0 || mpz_cmp(to.number, whole->length) > 0))
        machine_stop(m, FLOW_REVERT, node, "a slice out of bounds");
    if (machine_ended(m))
        return (struct datum){0};
    struct object *made = machine_new_object(m, whole->type, true);
    made->otherwise = whole->otherwise;
    made->length = machine_number(m);
    mpz_sub(made->length, to.number, from.number);
    for (const struct cell *c = whole->cells; c != NULL; c = c->next) {
        mpz_t key;
        mpz_init(key);
        mpz_sub(key, c->key, from.number);
        if (mpz_sgn(key) >= 0 && mpz_cmp(key, made->length) < 0)
            *machine_cell_at(m, made, key, whole->type->value) = c->datum;
        mpz_clear(key);
    }
    return (struct datum){.type = whole->type, .object = made};
}

struct datum machine_slice(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *word = sol_type_of(m->types, "uint256");
    struct datum d = machine_evaluate(m, node->part[0]),
                 from = machine_plain(word, machine_number_of(m, 0)), to;
    if (!machine_ended(m) && d.object != NULL && d.object->length != NULL)
        return array_slice(m, node, d.object);
    if (machine_ended(m) || d.number == NULL || d.type->kind != SOL_T_STRING) {
        machine_stop(m, FLOW_STUCK, node, "a slice that the interpreter does not know");
        return d;
    }
    to = machine_plain(word, machine_number_of(m, (long)machine_length_of(d.number)));
    if (node->part[1] != NULL)
        from = machine_as_type(m, node->part[1], word);
    if (node->part[2] != NULL)
        to = machine_as_type(m, node->part[2], word);
    if (!machine_ended(m) && (mpz_cmp(from.number, to.number) > 0 ||
                              mpz_cmp_ui(to.number, machine_length_of(d.number)) > 0))
        machine_stop(m, FLOW_REVERT, node, "a slice out of bounds");
    if (machine_ended(m) || !machine_is_short(m, d.number, node))
        return d;
    return machine_plain(
        d.type, machine_piece(m, d.number, mpz_get_ui(from.number), mpz_get_ui(to.number)));
}

static struct datum push_byte(struct machine *m, const struct sol_node *node,
                              const struct sol_node *callee)
{
    struct place p = machine_place_of(m, callee->part[0]);
    mpz_ptr byte = machine_number_of(m, 0);
    if (node->count == 1)
        byte = machine_as_type(m, node->list[0], sol_type_of(m->types, "bytes1")).number;
    if (machine_ended(m) || p.datum == NULL || !machine_is_short(m, p.datum->number, node)) {
        machine_stop(m, FLOW_STUCK, node, "push or pop on something else");
        return (struct datum){0};
    }
    mpz_ptr code = p.datum->number;
    unsigned long length = machine_length_of(code);
    if (callee->name[1] == 'u')
        p.datum->number = machine_joined(m, code, machine_string_of(m, byte, 1));
    else if (length == 0)
        machine_stop(m, FLOW_REVERT, node, "pop of an empty array");
    else
        p.datum->number = machine_piece(m, code, 0, length - 1);
    return machine_truth(m, true);
}

struct datum machine_push(struct machine *m, const struct sol_node *node,
                          const struct sol_node *callee)
{
    if (m->reads_only)
        machine_stop(m, FLOW_STUCK, node, "a change in a call that may make none");
    if (sol_node_type(m->types, callee->part[0])->kind == SOL_T_STRING)
        return push_byte(m, node, callee);
    struct datum base = machine_evaluate(m, callee->part[0]);
    if (machine_ended(m) || base.object == NULL || base.object->length == NULL) {
        machine_stop(m, FLOW_STUCK, node, "push or pop on something else");
        return (struct datum){0};
    }
    struct object *o = base.object;
    mpz_ptr length = machine_number(m);
    if (callee->name[1] == 'o') {
        if (mpz_sgn(o->length) == 0) {
            machine_stop(m, FLOW_REVERT, node, "pop of an empty array");
            return (struct datum){0};
        }
        mpz_sub_ui(length, o->length, 1);
        machine_reset(m, machine_cell_at(m, o, length, o->type->value));
        o->length = length;
        return machine_truth(m, true);
    }
    struct datum value = node->count == 1 ? machine_evaluate(m, node->list[0])
                                          : machine_initial(m, o->type->value, o->in_memory);
    if (machine_ended(m))
        return value;
    if (sol_type_is_value(o->type->value))
        value = machine_converted(m, value, o->type->value, node);
    m->pushed = machine_cell_at(m, o, o->length, o->type->value);
    machine_assign(m, m->pushed, value, o->type->value, o->in_memory);
    if (node->count == 0 && m->tree->minor >= 6) {
        mpz_add_ui(length, o->length, 1);
        o->length = length;
        return *m->pushed;
    }
    mpz_add_ui(length, o->length, 1);
    o->length = length;
    return machine_plain(sol_type_of(m->types, "uint256"), length);
}
