#include "languages/solidity/interpret.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/solidity/annotation.h"
#include "logic/terms/print.h"
#include "logic/terms/term.h"

// Objects and numbers.

struct object;

struct datum {
    const struct sol_type *type;
    mpz_ptr number;        // value types, strings
    struct object *object; // arrays, structs, mappings
    struct datum *items;   // tuples
    size_t count;
};

struct cell {
    mpz_ptr key;
    struct datum datum;
    struct cell *next;
};

struct object {
    const struct sol_type *type; // of a contract NULL
    const struct sol_node *contract;
    struct cell *cells; // those that are not at their default
    mpz_ptr length;     // arrays
    mpz_ptr otherwise;  // what the other elements are; NULL = the default
    mpz_ptr address;    // contracts
    bool in_memory;
    struct object *next;
};

struct place {
    const struct sol_type *type;
    struct datum *datum;
    struct object *length_of; // a.length
    struct datum *string;     // a byte of it
    mpz_ptr index;
};

struct local {
    long id;
    struct datum datum;
    struct local *next;
};

struct remembered {
    const struct sol_node *node;
    struct datum datum;
    struct remembered *next;
};

struct activation {
    struct activation *outer;
    const struct sol_node *function;
    struct object *self;
    const struct sol_node *contract; // whose bases virtual functions are looked for in
    mpz_ptr sender, value, data;
    const struct sol_node *called; // by the message that is answered
    struct local *locals;
    struct remembered *olds;
    struct datum result;
    size_t layer;
    bool unchecked;
};

enum flow {
    FLOW_ON,
    FLOW_BREAK,
    FLOW_CONTINUE,
    FLOW_RETURN,
    FLOW_REVERT,
    FLOW_VIOLATED,
    FLOW_STUCK,
    FLOW_HALT // the transaction ends, and has happened
};

// What unknown functions have answered, or accounts hold: the same once more.
struct known {
    const char *name;
    mpz_ptr *keys;
    size_t count;
    mpz_ptr value;
    struct known *next;
};

struct machine {
    struct sol_input *input;
    const struct sol_tree *tree;
    struct sol_types *types;
    const struct sol_question_options *options;
    const struct sol_node *contract, *function;
    const struct sol_event *events;
    size_t event_count, next_event;
    struct arena arena;
    VECTOR(mpz_ptr) numbers;
    struct object *contracts;
    struct cell *balances, *hashes;
    struct cell *bases; // what accounts had before; the balances are what came on top
    struct known *known, *now_known;
    const struct sol_node *surroundings[SOL_MOST_SURROUNDINGS];
    mpz_ptr surrounding[SOL_MOST_SURROUNDINGS];
    size_t surrounding_count;
    bool reads_data, reads_balances, forced, deployed;
    struct datum *pushed; // the element that the last `a.push()` made
    unsigned messages;    // calls by messages that are running
    mpz_ptr gas;
    struct activation *active;
    mpz_ptr now, block, next_address;
    struct object *main;
    enum flow flow;
    bool annotation, exact, overflow;
    bool was_broken; // an invariant, before the function that is asked about
    unsigned long steps, depth, hash_count;
    struct sol_replay *out;
};

#define MOST_STEPS 2000000
#define ADDRESS_OF_CONTRACT "1461501637330902918203684832716283019655932542975"

static struct datum evaluate(struct machine *m, const struct sol_node *node);
static void run(struct machine *m, const struct sol_node *node);
static struct datum as_type(struct machine *m, const struct sol_node *node,
                            const struct sol_type *type);

static void stop(struct machine *m, enum flow flow, const struct sol_node *at, const char *why)
{
    if (m->flow >= FLOW_REVERT)
        return;
    m->flow = flow;
    m->out->at = at->at;
    if (flow == FLOW_VIOLATED)
        m->out->what = why;
    else if (m->out->why.length == 0)
        text_printf(&m->out->why, "%s:%u:%u: %s", at->at.path ? at->at.path : "", at->at.line,
                    at->at.column, why);
}

static bool ended(const struct machine *m)
{
    return m->flow >= FLOW_REVERT;
}

static mpz_ptr number(struct machine *m)
{
    mpz_ptr n = arena_alloc(&m->arena, sizeof(mpz_t));
    mpz_init(n);
    VECTOR_PUSH(&m->numbers, n);
    return n;
}

static mpz_ptr number_of(struct machine *m, long value)
{
    mpz_ptr n = number(m);
    mpz_set_si(n, value);
    return n;
}

static struct datum plain(const struct sol_type *type, mpz_ptr n)
{
    return (struct datum){.type = type, .number = n};
}

static struct datum truth(struct machine *m, bool value)
{
    return plain(sol_type_of(m->types, "bool"), number_of(m, value));
}

static bool is_true(struct datum d)
{
    return d.number && mpz_sgn(d.number) != 0;
}

static struct object *new_object(struct machine *m, const struct sol_type *type, bool in_memory)
{
    struct object *o = arena_zalloc(&m->arena, sizeof *o);
    o->type = type;
    o->in_memory = in_memory;
    if (type && type->kind == SOL_T_ARRAY)
        o->length = type->fixed ? number(m) : number_of(m, 0);
    if (type && type->kind == SOL_T_ARRAY && type->fixed)
        mpz_set_ui(o->length, type->length);
    return o;
}

static struct datum initial(struct machine *m, const struct sol_type *type, bool in_memory)
{
    struct datum d = {.type = type};
    if (sol_type_is_reference(type))
        d.object = new_object(m, type, in_memory);
    else
        d.number = number_of(m, 0);
    return d;
}

static struct cell *find_cell(struct cell *cells, mpz_srcptr key)
{
    for (; cells; cells = cells->next)
        if (mpz_cmp(cells->key, key) == 0)
            return cells;
    return NULL;
}

static struct datum *cell_at(struct machine *m, struct object *o, mpz_srcptr key,
                             const struct sol_type *type)
{
    struct cell *cell = find_cell(o->cells, key);
    if (!cell) {
        cell = arena_zalloc(&m->arena, sizeof *cell);
        cell->key = number(m);
        mpz_set(cell->key, key);
        cell->datum = initial(m, type, o->in_memory);
        if (o->otherwise && cell->datum.number)
            mpz_set(cell->datum.number, o->otherwise);
        cell->next = o->cells;
        o->cells = cell;
    }
    return &cell->datum;
}

static struct datum copy(struct machine *m, struct datum d, bool to_memory)
{
    if (!d.object)
        return d;
    struct object *o = new_object(m, d.object->type, to_memory);
    if (d.object->length)
        mpz_set(o->length, d.object->length);
    o->otherwise = d.object->otherwise;
    for (struct cell *c = d.object->cells; c; c = c->next) {
        struct cell *made = arena_zalloc(&m->arena, sizeof *made);
        *made = (struct cell){c->key, copy(m, c->datum, to_memory), o->cells};
        o->cells = made;
    }
    return (struct datum){.type = d.type, .object = o};
}

// Assigning: numbers by value, objects of memory by reference among themselves, everything else by copying.
static void assign(struct machine *m, struct datum *to, struct datum value,
                   const struct sol_type *type, bool in_memory)
{
    if (value.object && !(in_memory && value.object->in_memory))
        value = copy(m, value, in_memory);
    *to = value;
    to->type = type;
}

// Numbers.

static unsigned bits_of(const struct sol_type *type)
{
    return type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT ? 160 : type->bits;
}

static void wrap(mpz_ptr n, const struct sol_type *type)
{
    unsigned bits = bits_of(type);
    mpz_fdiv_r_2exp(n, n, bits);
    if (type->kind == SOL_T_INT && mpz_tstbit(n, bits - 1)) {
        mpz_t modulus;
        mpz_init(modulus);
        mpz_setbit(modulus, bits);
        mpz_sub(n, n, modulus);
        mpz_clear(modulus);
    }
}

static bool is_int_mode(const struct machine *m)
{
    return m->options->arithmetic == SOL_ARITHMETIC_INT;
}

// What the machine keeps of an exact result.
static mpz_ptr settle(struct machine *m, mpz_ptr n, const struct sol_type *type,
                      const struct sol_node *at)
{
    if (is_int_mode(m) || type->kind == SOL_T_CONSTANT)
        return n;
    mpz_ptr kept = number(m);
    mpz_set(kept, n);
    wrap(kept, type);
    if (mpz_cmp(kept, n) == 0)
        return kept;
    if (m->annotation) {
        m->exact &= m->options->arithmetic != SOL_ARITHMETIC_MOD_OVERFLOW;
    } else if (m->tree->minor >= 8 && !m->active->unchecked) {
        stop(m, FLOW_REVERT, at, "checked arithmetic reverts");
    } else if (m->tree->minor < 8 && m->options->arithmetic == SOL_ARITHMETIC_MOD_OVERFLOW) {
        m->overflow = true;
    }
    return kept;
}

static mpz_ptr arithmetic(struct machine *m, const char *operator, const struct sol_type * type,
                          mpz_srcptr a, mpz_srcptr b, const struct sol_node *at)
{
    mpz_ptr n = number(m);
    if (strcmp(operator, "**") == 0) {
        if (mpz_cmp_ui(b, 4096) > 0) {
            stop(m, FLOW_STUCK, at, "a power beyond the interpreter");
            return n;
        }
        mpz_pow_ui(n, a, mpz_get_ui(b));
        return settle(m, n, type, at);
    }
    switch (*operator) {
    case '+':
        mpz_add(n, a, b);
        return settle(m, n, type, at);
    case '-':
        mpz_sub(n, a, b);
        return settle(m, n, type, at);
    case '*':
        mpz_mul(n, a, b);
        return settle(m, n, type, at);
    case '/':
    case '%':
        if (mpz_sgn(b) == 0) {
            if (!m->annotation)
                stop(m, FLOW_REVERT, at, "a division by zero");
            return n;
        }
        if (*operator== '/')
            mpz_tdiv_q(n, a, b);
        else
            mpz_tdiv_r(n, a, b);
        return *operator== '/' ? settle(m, n, type, at) : n;
    case '&':
        mpz_and(n, a, b);
        return n;
    case '|':
        mpz_ior(n, a, b);
        return n;
    case '^':
        mpz_xor(n, a, b);
        return n;
    }
    bool far = mpz_cmp_ui(b, 4096) > 0;
    if (*operator== '<') {
        mpz_mul_2exp(n, a, far ? 4096 : mpz_get_ui(b));
        if (!is_int_mode(m) && type->kind != SOL_T_CONSTANT)
            wrap(n, type);
    } else {
        mpz_fdiv_q_2exp(n, a, far ? 4096 : mpz_get_ui(b));
    }
    return n;
}

static struct datum converted(struct machine *m, struct datum d, const struct sol_type *to,
                              const struct sol_node *at)
{
    if (!d.number || !d.type || !sol_type_is_value(to) || to->kind == SOL_T_BOOL)
        return (struct datum){.type = d.object ? d.type : to,
                              .number = d.number,
                              .object = d.object,
                              .items = d.items,
                              .count = d.count};
    mpz_ptr n = number(m);
    mpz_set(n, d.number);
    if (d.type->kind == SOL_T_STRING && d.type->literal && to->kind == SOL_T_BYTES_N) {
        unsigned long length = mpz_fdiv_ui(n, 1000000) * 0 + 0;
        mpz_t low;
        mpz_init(low);
        mpz_fdiv_r_2exp(low, n, 64);
        length = mpz_get_ui(low);
        mpz_clear(low);
        mpz_fdiv_q_2exp(n, n, 64);
        if (8 * length <= to->bits)
            mpz_mul_2exp(n, n, to->bits - 8 * length);
    } else if (d.type->kind == SOL_T_BYTES_N && to->kind == SOL_T_BYTES_N) {
        if (to->bits > d.type->bits)
            mpz_mul_2exp(n, n, to->bits - d.type->bits);
        else
            mpz_fdiv_q_2exp(n, n, d.type->bits - to->bits);
    } else if (to->kind == SOL_T_ENUM) {
        if (mpz_sgn(n) < 0 || mpz_cmp_ui(n, to->node->count) >= 0)
            stop(m, FLOW_REVERT, at, "a number that is no value of the enumeration");
    } else if (!(is_int_mode(m) && sol_type_is_number(to))) {
        wrap(n, to);
    }
    return plain(to, n);
}

// Values from outside.

static const struct sol_event *next_event(struct machine *m, enum sol_event_kind kind,
                                          const struct sol_node *at)
{
    if (m->next_event < m->event_count && m->events[m->next_event].kind == kind)
        return &m->events[m->next_event++];
    stop(m, FLOW_STUCK, at, "the run asks for a value that the trace does not have there");
    return NULL;
}

static void number_of_literal(mpz_ptr out, const struct sort *sort, struct value value)
{
    struct text text;
    text_init(&text);
    if (sort->kind == SORT_BOOL)
        mpz_set_si(out, value_is_true(value));
    else if (value_is_small(value))
        mpz_set_si(out, value_small_get(value));
    else
        mpz_set_str(out, value_pointer_get(value)->u.text, 10);
    text_finish(&text);
}

// Contents that fit into the length.
static bool is_string(mpz_srcptr code)
{
    mpz_t length, contents;
    mpz_init(length);
    mpz_init(contents);
    mpz_fdiv_r_2exp(length, code, 64);
    mpz_fdiv_q_2exp(contents, code, 64);
    size_t bytes = mpz_sgn(contents) == 0 ? 0 : (mpz_sizeinbase(contents, 2) + 7) / 8;
    bool fits = mpz_sgn(code) >= 0 && mpz_cmp_ui(length, bytes) >= 0;
    mpz_clear(length);
    mpz_clear(contents);
    return fits;
}

static struct datum outside(struct machine *m, const struct sol_type *type,
                            const struct sol_node *at)
{
    const struct sol_event *event = next_event(m, SOL_EVENT_VALUE, at);
    mpz_ptr n = number(m);
    if (event && event->sort->kind != SORT_ARRAY) {
        number_of_literal(n, event->sort, event->value);
        if (event->sort->kind == SORT_BV && type->kind == SOL_T_INT)
            wrap(n, type);
        if (type->kind == SOL_T_STRING && !is_string(n))
            stop(m, FLOW_STUCK, at, "a string that has more contents than bytes");
    }
    return plain(type, n);
}

// An answer from outside that must be the same for the same keys.
static struct datum consult(struct machine *m, struct known **list, const char *name,
                            const mpz_ptr *keys, size_t count, const struct sol_type *type,
                            const struct sol_node *at)
{
    struct datum answer = outside(m, type, at);
    if (ended(m))
        return answer;
    for (struct known *k = *list; k; k = k->next) {
        bool same = strcmp(k->name, name) == 0 && k->count == count;
        for (size_t i = 0; same && i < count; i++)
            same = mpz_cmp(k->keys[i], keys[i]) == 0;
        if (same && mpz_cmp(k->value, answer.number) != 0)
            stop(m, FLOW_STUCK, at, "the trace has two answers to the same question");
        if (same)
            return answer;
    }
    struct known *made = arena_zalloc(&m->arena, sizeof *made);
    *made = (struct known){name, arena_zalloc(&m->arena, (count + 1) * sizeof *made->keys), count,
                           answer.number, *list};
    if (count > 0)
        memcpy(made->keys, keys, count * sizeof *keys);
    *list = made;
    return answer;
}

static void fill_from(struct machine *m, struct object *array, const struct sol_event *event)
{
    if (!event || event->sort->kind != SORT_ARRAY)
        return;
    const struct term *literal = value_pointer_get(event->value);
    const struct sort *key = event->sort->key, *element = event->sort->element;
    array->otherwise = number(m);
    number_of_literal(array->otherwise, element, term_value(literal->child[0]));
    for (uint32_t i = 1; i + 1 < literal->child_count; i += 2) {
        mpz_ptr index = number(m), n = number(m);
        number_of_literal(index, key, term_value(literal->child[i]));
        number_of_literal(n, element, term_value(literal->child[i + 1]));
        struct datum *cell = cell_at(m, array, index, array->type->value);
        cell->number = n;
    }
}

static struct datum outside_value(struct machine *m, const struct sol_type *type,
                                  const struct sol_node *at)
{
    if (type->kind == SOL_T_TUPLE) {
        struct datum all = {.type = type, .count = type->member_count};
        all.items = arena_zalloc(&m->arena, (all.count + 1) * sizeof *all.items);
        for (size_t i = 0; i < all.count && !ended(m); i++)
            all.items[i] = outside_value(m, type->members[i], at);
        return all.count == 1 ? all.items[0] : all;
    }
    if (!sol_type_is_reference(type))
        return outside(m, type, at);
    struct datum d = initial(m, type, true);
    if (type->kind == SOL_T_STRUCT) {
        for (size_t i = 0; i < type->node->count && !ended(m); i++) {
            mpz_t key;
            mpz_init_set_ui(key, i);
            const struct sol_type *member = sol_node_type(m->types, type->node->list[i]);
            *cell_at(m, d.object, key, member) = outside_value(m, member, at);
            mpz_clear(key);
        }
    } else if (type->kind == SOL_T_ARRAY) {
        if (!type->fixed)
            d.object->length = outside(m, sol_type_of(m->types, "uint256"), at).number;
        fill_from(m, d.object, next_event(m, SOL_EVENT_VALUE, at));
    }
    return d;
}

// Failures.

static bool counts(const struct machine *m)
{
    if (!m->function)
        return true;
    for (const struct activation *a = m->active; a; a = a->outer)
        if (a->function == m->function)
            return true;
    return false;
}

static void check(struct machine *m, bool good, const char *what, const struct sol_node *at,
                  bool reverts)
{
    if (good || ended(m))
        return;
    if (counts(m))
        stop(m, FLOW_VIOLATED, at, what);
    else if (reverts)
        stop(m, FLOW_REVERT, at, "a failure in another function");
}

static void check_overflow(struct machine *m, const struct sol_node *at)
{
    if (m->overflow && !ended(m)) {
        m->overflow = false;
        check(m, false, SOL_FAIL_OVERFLOW, at, false);
    }
}

static bool condition(struct machine *m, const struct sol_node *node)
{
    bool annotation = m->annotation, exact = m->exact;
    m->annotation = m->exact = true;
    bool value = is_true(evaluate(m, node)) && m->exact;
    m->annotation = annotation;
    m->exact = exact;
    return value;
}

static struct sol_annotations annotations_of(struct machine *m, const struct sol_node *contract,
                                             const struct sol_node *node)
{
    struct messages quiet;
    messages_init(&quiet);
    struct sol_annotations a =
        sol_annotations_of((struct sol_tree *)m->tree, m->types, contract, node, &quiet);
    messages_finish(&quiet);
    return a;
}

static void check_all(struct machine *m, struct sol_annotations a, enum sol_annotation_kind kind,
                      const char *what, const struct sol_node *at)
{
    for (size_t i = 0; i < a.count && !ended(m); i++)
        if (a.data[i].kind == kind && (kind == SOL_INVARIANT ? counts(m) : true))
            check(m, condition(m, a.data[i].condition), what, at, kind != SOL_INVARIANT);
}

static void check_invariants(struct machine *m, const char *what, const struct sol_node *at)
{
    for (size_t b = 0; b < m->contract->order_count && !ended(m) && !m->was_broken; b++)
        check_all(m, annotations_of(m, m->contract, sol_tree_node(m->tree, m->contract->order[b])),
                  SOL_INVARIANT, what, at);
}

static bool invariants_hold(struct machine *m)
{
    for (size_t b = 0; b < m->contract->order_count; b++) {
        struct sol_annotations a =
            annotations_of(m, m->contract, sol_tree_node(m->tree, m->contract->order[b]));
        for (size_t i = 0; i < a.count; i++)
            if (!condition(m, a.data[i].condition))
                return false;
    }
    return true;
}

static void remember(struct machine *m, const struct sol_node *node)
{
    if (!node || ended(m))
        return;
    if (node->kind == SOL_CALL && node->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(node->part[0]->name, "old") == 0) {
        struct remembered *old = arena_zalloc(&m->arena, sizeof *old);
        bool annotation = m->annotation;
        m->annotation = true;
        *old = (struct remembered){node, evaluate(m, node->list[0]), m->active->olds};
        m->annotation = annotation;
        m->active->olds = old;
        return;
    }
    for (int i = 0; i < SOL_PARTS; i++)
        remember(m, node->part[i]);
    for (size_t i = 0; i < node->count; i++)
        remember(m, node->list[i]);
}

// Names.

static struct datum *local_of(struct machine *m, long id)
{
    for (struct local *l = m->active->locals; l; l = l->next)
        if (l->id == id)
            return &l->datum;
    return NULL;
}

static struct datum *declare(struct machine *m, const struct sol_node *v, struct datum value)
{
    struct local *l = arena_zalloc(&m->arena, sizeof *l);
    *l = (struct local){v->id, value, m->active->locals};
    m->active->locals = l;
    return &l->datum;
}

static struct datum *field(struct machine *m, struct object *self, const struct sol_node *v)
{
    mpz_t key;
    mpz_init_set_si(key, v->id);
    struct datum *d = cell_at(m, self, key, sol_node_type(m->types, v));
    mpz_clear(key);
    return d;
}

// A string's bytes.

static unsigned long length_of(mpz_srcptr code)
{
    mpz_t low;
    mpz_init(low);
    mpz_fdiv_r_2exp(low, code, 64);
    unsigned long length = mpz_get_ui(low);
    mpz_clear(low);
    return length;
}

static mpz_ptr string_of(struct machine *m, mpz_srcptr contents, unsigned long length)
{
    mpz_ptr n = number(m);
    mpz_mul_2exp(n, contents, 64);
    mpz_add_ui(n, n, length);
    return n;
}

static mpz_ptr contents_of(struct machine *m, mpz_srcptr code)
{
    mpz_ptr n = number(m);
    mpz_fdiv_q_2exp(n, code, 64);
    return n;
}

#define LONGEST_STRING (1UL << 20)

static bool is_short(struct machine *m, mpz_srcptr code, const struct sol_node *at)
{
    if (length_of(code) > LONGEST_STRING)
        stop(m, FLOW_STUCK, at, "a string that is too long for the interpreter");
    return !ended(m);
}

static mpz_ptr byte_at(struct machine *m, mpz_srcptr code, mpz_srcptr index)
{
    mpz_ptr n = contents_of(m, code);
    mpz_fdiv_q_2exp(n, n, 8 * (length_of(code) - 1 - mpz_get_ui(index)));
    mpz_fdiv_r_2exp(n, n, 8);
    return n;
}

static mpz_ptr with_byte(struct machine *m, mpz_srcptr code, mpz_srcptr index, mpz_srcptr byte)
{
    mpz_ptr n = contents_of(m, code), old = byte_at(m, code, index), change = number(m);
    mpz_sub(change, byte, old);
    mpz_mul_2exp(change, change, 8 * (length_of(code) - 1 - mpz_get_ui(index)));
    mpz_add(n, n, change);
    return string_of(m, n, length_of(code));
}

static mpz_ptr joined(struct machine *m, mpz_srcptr a, mpz_srcptr b)
{
    mpz_ptr n = contents_of(m, a);
    mpz_mul_2exp(n, n, 8 * length_of(b));
    mpz_add(n, n, contents_of(m, b));
    return string_of(m, n, length_of(a) + length_of(b));
}

static mpz_ptr piece(struct machine *m, mpz_srcptr code, unsigned long from, unsigned long to)
{
    mpz_ptr n = contents_of(m, code);
    mpz_fdiv_q_2exp(n, n, 8 * (length_of(code) - to));
    mpz_fdiv_r_2exp(n, n, 8 * (to - from));
    return string_of(m, n, to - from);
}

static bool is_index(struct machine *m, mpz_srcptr code, mpz_srcptr index,
                     const struct sol_node *at)
{
    if (mpz_sgn(index) < 0 || mpz_cmp_ui(index, length_of(code)) >= 0)
        stop(m, FLOW_REVERT, at, "an index out of bounds");
    return !ended(m) && is_short(m, code, at);
}

static struct place place_of(struct machine *m, const struct sol_node *node)
{
    if (ended(m))
        return (struct place){0};
    if (node->kind == SOL_TUPLE && node->count == 1 && node->list[0])
        return place_of(m, node->list[0]);
    const struct sol_node *declaration = sol_tree_node(m->tree, node->reference);
    if (declaration && declaration->kind == SOL_VARIABLE && (declaration->flags & SOL_IS_STATE)) {
        struct datum *d = field(m, m->active->self, declaration);
        return (struct place){.type = d->type, .datum = d};
    }
    if (node->kind == SOL_INDEX && sol_node_type(m->types, node->part[0])->kind == SOL_T_STRING) {
        struct place whole = place_of(m, node->part[0]);
        struct datum index = as_type(m, node->part[1], sol_type_of(m->types, "uint256"));
        if (!ended(m) && !whole.datum)
            stop(m, FLOW_STUCK, node, "a byte of what the interpreter does not know");
        if (ended(m) || !is_index(m, whole.datum->number, index.number, node))
            return (struct place){0};
        return (struct place){
            .type = sol_type_of(m->types, "bytes1"), .string = whole.datum, .index = index.number};
    }
    if (node->kind == SOL_CALL) {
        struct datum d = evaluate(m, node);
        struct datum *kept = arena_alloc(&m->arena, sizeof *kept);
        *kept = d;
        return (struct place){.type = d.type, .datum = m->pushed ? m->pushed : kept};
    }
    if (node->kind == SOL_IDENTIFIER && declaration && declaration->kind == SOL_VARIABLE) {
        struct datum *d = local_of(m, declaration->id);
        const struct sol_type *type = sol_node_type(m->types, declaration);
        d = d ? d : declare(m, declaration, initial(m, type, type->place != SOL_STORAGE));
        return (struct place){.type = type, .datum = d};
    }
    if (node->kind == SOL_INDEX) {
        struct datum base = evaluate(m, node->part[0]);
        if (ended(m) || !base.object) {
            stop(m, FLOW_STUCK, node, "an index that the interpreter does not know");
            return (struct place){0};
        }
        const struct sol_type *key = base.object->type->kind == SOL_T_MAPPING
                                         ? base.object->type->key
                                         : sol_type_of(m->types, "uint256");
        struct datum index = evaluate(m, node->part[1]);
        if (sol_type_is_value(key))
            index = converted(m, index, key, node);
        if (ended(m))
            return (struct place){0};
        if (base.object->length && !m->annotation &&
            (mpz_sgn(index.number) < 0 || mpz_cmp(index.number, base.object->length) >= 0)) {
            stop(m, FLOW_REVERT, node, "an index out of bounds");
            return (struct place){0};
        }
        struct datum *d = cell_at(m, base.object, index.number, base.object->type->value);
        return (struct place){.type = base.object->type->value, .datum = d};
    }
    if (node->kind == SOL_MEMBER) {
        struct datum base = evaluate(m, node->part[0]);
        if (!ended(m) && base.object && base.object->type->kind == SOL_T_ARRAY)
            return (struct place){.type = sol_type_of(m->types, "uint256"),
                                  .length_of = base.object};
        for (size_t i = 0; !ended(m) && base.object && base.object->type->node &&
                           i < base.object->type->node->count;
             i++)
            if (strcmp(base.object->type->node->list[i]->name, node->name) == 0) {
                mpz_t key;
                mpz_init_set_ui(key, i);
                const struct sol_type *type =
                    sol_node_type(m->types, base.object->type->node->list[i]);
                struct datum *d = cell_at(m, base.object, key, type);
                mpz_clear(key);
                return (struct place){.type = type, .datum = d};
            }
    }
    stop(m, FLOW_STUCK, node, "a place that the interpreter does not know");
    return (struct place){0};
}

static struct datum read_place(struct machine *m, struct place p)
{
    if (p.string)
        return plain(p.type, byte_at(m, p.string->number, p.index));
    return p.length_of ? plain(p.type, p.length_of->length)
           : p.datum   ? *p.datum
                       : (struct datum){0};
}

static void write_place(struct machine *m, struct place p, struct datum value,
                        const struct sol_node *target)
{
    if (ended(m))
        return;
    if (p.string) {
        p.string->number = with_byte(m, p.string->number, p.index, value.number);
        return;
    }
    if (p.length_of) {
        mpz_ptr length = number(m);
        mpz_set(length, value.number);
        p.length_of->length = length;
        for (struct cell *c = p.length_of->cells; c; c = c->next)
            if (mpz_cmp(c->key, length) >= 0)
                c->datum = initial(m, p.length_of->type->value, p.length_of->in_memory);
        return;
    }
    const struct sol_node *declaration =
        target && target->kind == SOL_IDENTIFIER ? sol_tree_node(m->tree, target->reference) : NULL;
    bool local = declaration && !(declaration->flags & SOL_IS_STATE);
    if (local && value.object && p.type->place == SOL_STORAGE) {
        *p.datum = value; // a pointer
        return;
    }
    bool in_memory = local || (value.object && p.datum->object && p.datum->object->in_memory);
    assign(m, p.datum, value, p.type, in_memory);
}

// Constants.

static mpz_ptr literal_number(struct machine *m, const struct sol_node *node)
{
    static const struct {
        const char *unit;
        unsigned long factor;
    } units[] = {{"gwei", 1000000000},
                 {"szabo", 1000000000000},
                 {"finney", 1000000000000000},
                 {"ether", 1000000000000000000},
                 {"minutes", 60},
                 {"hours", 3600},
                 {"days", 86400},
                 {"weeks", 604800},
                 {"years", 31536000}};
    char digits[300];
    size_t count = 0;
    long scale = 0;
    bool fraction = false, hexadecimal = node->name[0] == '0' && (node->name[1] | 32) == 'x';
    mpz_ptr n = number(m);
    const char *c = node->name + (hexadecimal ? 2 : 0);
    for (; *c && count < sizeof digits - 1 && (hexadecimal || (*c | 32) != 'e'); c++) {
        if (*c == '.')
            fraction = true;
        else if (*c != '_') {
            digits[count++] = *c;
            scale -= fraction;
        }
    }
    digits[count] = '\0';
    mpz_set_str(n, count ? digits : "0", hexadecimal ? 16 : 10);
    if (!hexadecimal && *c)
        scale += strtol(c + 1, NULL, 10);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].unit, node->unit) == 0)
            mpz_mul_ui(n, n, units[i].factor);
    mpz_t ten;
    mpz_init(ten);
    mpz_ui_pow_ui(ten, 10, (unsigned long)labs(scale) % 4000);
    if (scale > 0)
        mpz_mul(n, n, ten);
    else
        mpz_tdiv_q(n, n, ten);
    mpz_clear(ten);
    return n;
}

static struct datum literal(struct machine *m, const struct sol_node *node)
{
    if (strcmp(node->word, "bool") == 0)
        return truth(m, node->name[0] == 't');
    const struct sol_type *type = sol_node_type(m->types, node);
    if (strcmp(node->word, "number") == 0)
        return plain(type->kind == SOL_T_UNKNOWN ? sol_type_of(m->types, "int_const") : type,
                     literal_number(m, node));
    mpz_ptr n = number(m);
    if (node->unit[0])
        mpz_set_str(n, node->unit, 16);
    mpz_mul_2exp(n, n, 64);
    mpz_add_ui(n, n, strlen(node->unit) / 2);
    return plain(sol_type_of(m->types, "literal_string"), n);
}

// Operators.

static struct datum as_type(struct machine *m, const struct sol_node *node,
                            const struct sol_type *type)
{
    struct datum d = evaluate(m, node);
    return ended(m) ? d : converted(m, d, type, node);
}

static bool is_shift(const char *o)
{
    return strncmp(o, "<<", 2) == 0 || strncmp(o, ">>", 2) == 0 || strncmp(o, "**", 2) == 0;
}

static struct datum compare(struct machine *m, const char *o, mpz_srcptr a, mpz_srcptr b)
{
    int c = mpz_cmp(a, b);
    bool value = strcmp(o, "==") == 0   ? c == 0
                 : strcmp(o, "!=") == 0 ? c != 0
                 : strcmp(o, "<=") == 0 ? c <= 0
                 : strcmp(o, ">=") == 0 ? c >= 0
                 : *o == '<'            ? c < 0
                                        : c > 0;
    return truth(m, value);
}

static struct datum call(struct machine *m, const struct sol_node *function, struct object *self,
                         const struct sol_node *contract, mpz_ptr sender, mpz_ptr value,
                         const struct datum *arguments, const struct sol_node *at);

static struct datum call_operator(struct machine *m, const struct sol_node *node,
                                  const struct sol_node *function)
{
    struct datum values[2] = {{0}};
    for (size_t i = 0; i < function->part[0]->count && i < 2; i++)
        values[i] = as_type(m, node->part[i], sol_node_type(m->types, function->part[0]->list[i]));
    struct activation *a = m->active;
    return ended(m) ? (struct datum){0}
                    : call(m, function, a->self, a->contract, a->sender, a->value, values, node);
}

static struct datum binary(struct machine *m, const struct sol_node *node)
{
    const char *o = node->name;
    if (strcmp(o, "&&") == 0 || strcmp(o, "||") == 0) {
        bool left = is_true(evaluate(m, node->part[0]));
        if (ended(m) || left == (*o == '|'))
            return truth(m, left);
        return truth(m, is_true(evaluate(m, node->part[1])));
    }
    const struct sol_type *result = sol_node_type(m->types, node),
                          *type = sol_type_of(m->types, node->common);
    if (is_shift(o) || type->kind == SOL_T_UNKNOWN)
        type = is_shift(o) ? result : sol_node_type(m->types, node->part[0]);
    const struct sol_node *function = sol_tree_node(m->tree, node->reference);
    if (function && function->kind == SOL_FUNCTION)
        return call_operator(m, node, function);
    struct datum a = as_type(m, node->part[0], type);
    struct datum b = is_shift(o) ? evaluate(m, node->part[1]) : as_type(m, node->part[1], type);
    if (ended(m) || !a.number || !b.number) {
        stop(m, FLOW_STUCK, node, "operands that the interpreter does not know");
        return truth(m, false);
    }
    if (result->kind == SOL_T_BOOL)
        return compare(m, o, a.number, b.number);
    return plain(type, arithmetic(m, o, type, a.number, b.number, node));
}

static struct datum unary(struct machine *m, const struct sol_node *node)
{
    const char *o = node->name;
    const struct sol_type *type = sol_node_type(m->types, node);
    const struct sol_node *function = sol_tree_node(m->tree, node->reference);
    if (function && function->kind == SOL_FUNCTION)
        return call_operator(m, node, function);
    if (strcmp(o, "++") == 0 || strcmp(o, "--") == 0) {
        struct place p = place_of(m, node->part[0]);
        struct datum old = read_place(m, p);
        if (ended(m))
            return old;
        const char op[2] = {o[0], '\0'};
        struct datum value =
            plain(p.type, arithmetic(m, op, p.type, old.number, number_of(m, 1), node));
        write_place(m, p, value, node->part[0]);
        return (node->flags & SOL_IS_PREFIX) ? value : old;
    }
    if (strcmp(o, "delete") == 0) {
        struct place p = place_of(m, node->part[0]);
        if (!ended(m) && p.string)
            write_place(m, p, plain(p.type, number_of(m, 0)), node->part[0]);
        else if (!ended(m) && p.datum)
            *p.datum = initial(m, p.type, p.type->place == SOL_MEMORY);
        return truth(m, false);
    }
    struct datum d =
        type->kind == SOL_T_CONSTANT ? evaluate(m, node->part[0]) : as_type(m, node->part[0], type);
    if (ended(m))
        return d;
    mpz_ptr n = number(m);
    if (*o == '!')
        return truth(m, !is_true(d));
    if (*o == '-') {
        mpz_neg(n, d.number);
        return plain(d.type, settle(m, n, d.type, node));
    }
    if (*o == '~') {
        mpz_com(n, d.number);
        if (!is_int_mode(m))
            wrap(n, type);
        return plain(type, n);
    }
    return d;
}

static struct datum assignment(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *left = node->part[0];
    const struct sol_type *type = sol_node_type(m->types, left);
    bool simple = strcmp(node->name, "=") == 0;
    char o[3] = {node->name[0], node->name[1] != '=' ? node->name[1] : '\0', '\0'};
    struct datum value = sol_type_is_value(type) && !(!simple && is_shift(o))
                             ? as_type(m, node->part[1], type)
                             : evaluate(m, node->part[1]);
    if (ended(m))
        return value;
    if (left->kind == SOL_TUPLE && left->count != 1) {
        struct place *places = arena_zalloc(&m->arena, (left->count + 1) * sizeof *places);
        for (size_t i = 0; i < left->count; i++)
            if (left->list[i])
                places[i] = place_of(m, left->list[i]);
        for (size_t i = 0; i < left->count && i < value.count && !ended(m); i++)
            if (left->list[i] && value.items[i].type)
                write_place(m, places[i], converted(m, value.items[i], places[i].type, node),
                            left->list[i]);
        return value;
    }
    struct place p = place_of(m, left);
    if (ended(m))
        return value;
    if (!simple)
        value = plain(type, arithmetic(m, o, type, read_place(m, p).number, value.number, node));
    write_place(m, p, value, left);
    return ended(m) ? value : read_place(m, p);
}

// Functions.

static const struct sol_node *find(struct machine *m, const struct sol_node *contract,
                                   const struct sol_node *like, size_t skip)
{
    for (size_t b = skip; b < contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(m->tree, contract->order[b]);
        for (size_t i = 0; i < base->count; i++) {
            const struct sol_node *f = base->list[i];
            if (!f || f->kind != like->kind || strcmp(f->name, like->name) != 0 || !f->part[2] ||
                (f->flags & SOL_IS_CONSTRUCTOR) ||
                ((f->flags ^ like->flags) & (SOL_IS_FALLBACK | SOL_IS_RECEIVE)) != 0)
                continue;
            bool same = f->kind == SOL_MODIFIER || f->part[0]->count == like->part[0]->count;
            for (size_t p = 0; same && f->kind == SOL_FUNCTION && p < f->part[0]->count; p++)
                same = sol_type_same(sol_node_type(m->types, f->part[0]->list[p]),
                                     sol_node_type(m->types, like->part[0]->list[p]));
            if (same)
                return f;
        }
    }
    return NULL;
}

static const struct sol_node *resolve(struct machine *m, const struct sol_node *contract,
                                      const struct sol_node *function)
{
    const struct sol_node *owner = sol_node_contract(function);
    if (!owner || (owner->flags & SOL_IS_LIBRARY) || strcmp(function->word, "private") == 0)
        return function;
    const struct sol_node *found = find(m, contract, function, 0);
    return found ? found : function;
}

static void run_layer(struct machine *m)
{
    struct activation *a = m->active;
    size_t layer = a->layer;
    const struct sol_node *modifier = NULL, *invocation = NULL;
    while (a->layer < a->function->count && !modifier) {
        invocation = a->function->list[a->layer++];
        modifier = sol_tree_node(m->tree, invocation->part[0]->reference);
        if (modifier && modifier->kind != SOL_MODIFIER)
            modifier = NULL;
    }
    if (modifier) {
        const struct sol_node *found = find(m, a->contract, modifier, 0);
        modifier = found ? found : modifier;
        struct local *locals = a->locals;
        const struct sol_node *parameters = modifier->part[0];
        struct datum values[16];
        for (size_t i = 0; parameters && i < parameters->count && i < invocation->count && i < 16;
             i++)
            values[i] =
                as_type(m, invocation->list[i], sol_node_type(m->types, parameters->list[i]));
        for (size_t i = 0; parameters && i < parameters->count && i < invocation->count && i < 16;
             i++)
            declare(m, parameters->list[i], values[i]);
        run(m, modifier->part[2]);
        if (!ended(m))
            a->locals = locals; // results live further down
    } else {
        run(m, a->function->part[2]);
    }
    if (m->flow == FLOW_RETURN)
        m->flow = FLOW_ON;
    a->layer = layer;
}

static struct datum results(struct machine *m, const struct sol_node *function)
{
    const struct sol_node *list = function->part[1];
    struct datum all = {.type = sol_type_of(m->types, "tuple()"), .count = list ? list->count : 0};
    all.items = arena_zalloc(&m->arena, (all.count + 1) * sizeof *all.items);
    for (size_t i = 0; i < all.count; i++)
        all.items[i] = *local_of(m, list->list[i]->id);
    return all.count == 1 ? all.items[0] : all;
}

static void enter(struct machine *m, struct activation *a)
{
    a->outer = m->active;
    m->active = a;
    m->depth++;
}

static void leave(struct machine *m)
{
    m->active = m->active->outer;
    m->depth--;
}

static void declare_results(struct machine *m, const struct sol_node *function)
{
    for (size_t i = 0; function->part[1] && i < function->part[1]->count; i++) {
        const struct sol_node *r = function->part[1]->list[i];
        declare(m, r, initial(m, sol_node_type(m->types, r), true));
    }
}

static struct datum call(struct machine *m, const struct sol_node *function, struct object *self,
                         const struct sol_node *contract, mpz_ptr sender, mpz_ptr value,
                         const struct datum *arguments, const struct sol_node *at)
{
    struct activation a = {.function = function,
                           .self = self,
                           .contract = contract,
                           .sender = sender,
                           .value = value,
                           .data = m->active->data,
                           .called = m->active->called};
    if (m->depth > 200 || !function->part[2]) {
        stop(m, FLOW_STUCK, at, "a call that the interpreter does not follow");
        return (struct datum){0};
    }
    enter(m, &a);
    for (size_t i = 0; function->part[0] && i < function->part[0]->count; i++) {
        const struct sol_node *p = function->part[0]->list[i];
        const struct sol_type *type = sol_node_type(m->types, p);
        struct datum d = arguments[i];
        if (d.object && type->place != SOL_STORAGE && !d.object->in_memory)
            d = copy(m, d, true);
        declare(m, p, converted(m, d, type, at));
    }
    declare_results(m, function);
    struct sol_annotations notes = annotations_of(m, m->contract, function);
    check_all(m, notes, SOL_PRECONDITION, SOL_FAIL_PRECONDITION, at);
    for (size_t i = 0; i < notes.count; i++)
        remember(m, notes.data[i].condition);
    if (!ended(m))
        run_layer(m);
    check_overflow(m, function);
    check_all(m, notes, SOL_POSTCONDITION, SOL_FAIL_POSTCONDITION, function);
    struct datum result = ended(m) ? (struct datum){0} : results(m, function);
    leave(m);
    return result;
}

static struct datum *arguments_of(struct machine *m, const struct sol_node *function,
                                  const struct datum *bound, const struct sol_node *node)
{
    const struct sol_node *parameters = function->part[0];
    size_t count = parameters ? parameters->count : 0, first = bound ? 1 : 0;
    struct datum *values = arena_zalloc(&m->arena, (count + 1) * sizeof *values);
    if (bound && count)
        values[0] = *bound;
    for (size_t i = first; i < count && !ended(m); i++) {
        const struct sol_node *argument = i - first < node->count ? node->list[i - first] : NULL;
        for (size_t n = 0; n < node->name_count && n < node->count; n++)
            if (strcmp(node->names[n], parameters->list[i]->name) == 0)
                argument = node->list[n];
        if (!argument)
            stop(m, FLOW_STUCK, node, "a call with fewer arguments than parameters");
        else
            values[i] = as_type(m, argument, sol_node_type(m->types, parameters->list[i]));
    }
    return values;
}

// Transactions.

static struct datum *balance(struct machine *m, mpz_srcptr address)
{
    struct cell *c = find_cell(m->balances, address);
    if (!c) {
        c = arena_zalloc(&m->arena, sizeof *c);
        c->key = number(m);
        mpz_set(c->key, address);
        c->datum = plain(sol_type_of(m->types, "uint256"), number_of(m, 0));
        c->next = m->balances;
        m->balances = c;
    }
    return &c->datum;
}

// What an account has when the code asks: the contract's own is known, another's is told once.
static mpz_ptr told_balance(struct machine *m, mpz_srcptr address, const struct sol_node *at)
{
    struct datum told = outside(m, sol_type_of(m->types, "uint256"), at);
    mpz_srcptr on_top = balance(m, address)->number;
    struct cell *base = find_cell(m->bases, address);
    bool own = mpz_cmp(address, m->main->address) == 0;
    if (ended(m))
        return number_of(m, 0);
    if (!own && !base) {
        base = arena_zalloc(&m->arena, sizeof *base);
        base->key = number(m);
        mpz_set(base->key, address);
        base->datum = plain(told.type, number(m));
        mpz_sub(base->datum.number, told.number, on_top);
        base->next = m->bases;
        m->bases = base;
    }
    mpz_ptr real = number(m);
    mpz_set(real, on_top);
    if (!own)
        mpz_add(real, real, base->datum.number);
    if (mpz_cmp(real, told.number) != 0 || (!own && mpz_sgn(base->datum.number) < 0))
        stop(m, FLOW_STUCK, at, "the trace has another balance than the account");
    return real;
}

// Ether that nobody asked for; what other accounts have is forgotten.
static void force_ether(struct machine *m, const struct sol_node *at)
{
    if (m->deployed && !m->reads_balances)
        return;
    struct datum *own = balance(m, m->main->address);
    mpz_ptr before = own->number;
    if (m->forced)
        own->number = outside(m, sol_type_of(m->types, "uint256"), at).number;
    if (!ended(m) && m->deployed && mpz_cmp(own->number, before) < 0)
        stop(m, FLOW_STUCK, at, "the trace takes Ether away");
    m->bases = NULL;
}

static void pay(struct machine *m, mpz_srcptr from, mpz_srcptr to, mpz_srcptr amount,
                const struct sol_node *at)
{
    struct datum *a = balance(m, from);
    if (mpz_cmp(a->number, amount) < 0) {
        stop(m, FLOW_REVERT, at, "the balance is too small");
        return;
    }
    mpz_ptr less = number(m), more = number(m);
    mpz_sub(less, a->number, amount);
    a->number = less;
    struct datum *b = balance(m, to);
    mpz_add(more, b->number, amount);
    b->number = more;
}

// A value as Solidity's source has it; what has no literal (arrays, strings) as a comment.
static void show_value(struct text *out, const struct datum *d, bool as_source)
{
    if (!d || !d->number || !d->type) {
        text_add(out, as_source ? "/* any */" : "…");
        return;
    }
    bool boolean = d->type->kind == SOL_T_BOOL;
    bool address = d->type->kind == SOL_T_ADDRESS || d->type->kind == SOL_T_CONTRACT;
    char *digits = mpz_get_str(NULL, 10, d->number);
    if (boolean)
        text_add(out, is_true(*d) ? "true" : "false");
    else if (as_source && address)
        text_printf(out, "address(uint160(%s))", digits);
    else
        text_add(out, digits);
    free(digits);
}

static void show(struct machine *m, const struct activation *a, const char *name)
{
    struct text *out = &m->out->transactions;
    text_printf(out, "%s(", name);
    const struct sol_node *parameters = a->function ? a->function->part[0] : NULL;
    for (size_t i = 0; parameters && i < parameters->count; i++) {
        text_printf(out, "%s%s%s", i ? ", " : "", parameters->list[i]->name,
                    parameters->list[i]->name[0] ? " = " : "");
        show_value(out, local_of(m, parameters->list[i]->id), false);
    }
    char *sender = mpz_get_str(NULL, 16, a->sender);
    text_printf(out, ") from 0x%s", sender);
    if (mpz_sgn(a->value) > 0) {
        char *value = mpz_get_str(NULL, 10, a->value);
        text_printf(out, " with %s wei", value);
        free(value);
    }
    text_add(out, "\n");
    free(sender);
}

// One statement of a test; calls back are left to the reader, as a comment.
static void show_test(struct machine *m, const struct activation *a, const char *callee,
                      bool comment)
{
    struct text *out = &m->out->test;
    char *sender = mpz_get_str(NULL, 10, a->sender), *value = mpz_get_str(NULL, 10, a->value);
    text_printf(out, "        %svm.prank(address(uint160(%s))); ",
                comment ? "// called back: " : "", sender);
    text_add(out, callee);
    if (mpz_sgn(a->value) > 0)
        text_printf(out, "{value: %s}", value);
    text_add(out, "(");
    const struct sol_node *parameters = a->function ? a->function->part[0] : NULL;
    for (size_t i = 0; parameters && i < parameters->count; i++) {
        text_add(out, i ? ", " : "");
        show_value(out, local_of(m, parameters->list[i]->id), true);
    }
    text_add(out, ");\n");
    free(sender);
    free(value);
}

static void take_surroundings(struct machine *m, const struct sol_node *at)
{
    m->gas = NULL;
    m->now_known = NULL;
    for (size_t i = 0; i < m->surrounding_count && !ended(m); i++) {
        char name[100];
        sol_surrounding_name(m->surroundings[i], name, sizeof name);
        if (strcmp(name, "block.chainid") == 0 && m->deployed)
            continue;
        m->surrounding[i] = outside(m, sol_node_type(m->types, m->surroundings[i]), at).number;
    }
}

// Parameters, sender, value and clocks, in the order in which the trace has them.
static void take_transaction(struct machine *m, struct activation *a, bool nested,
                             const struct sol_node *at)
{
    const struct sol_type *address = sol_type_of(m->types, "address"),
                          *word = sol_type_of(m->types, "uint256");
    const struct sol_node *parameters = a->function ? a->function->part[0] : NULL;
    for (size_t i = 0; parameters && i < parameters->count && !ended(m); i++)
        declare(m, parameters->list[i],
                outside_value(m, sol_node_type(m->types, parameters->list[i]), at));
    a->sender = outside(m, address, at).number;
    a->value = a->function && (a->function->flags & SOL_IS_PAYABLE) ? outside(m, word, at).number
                                                                    : number_of(m, 0);
    a->called = a->function;
    if (m->reads_data)
        a->data = outside(m, sol_type_of(m->types, "bytes memory"), at).number;
    force_ether(m, at);
    if (!nested) {
        m->now = outside(m, word, at).number;
        m->block = outside(m, word, at).number;
        take_surroundings(m, at);
    }
    if (ended(m))
        return;
    mpz_ptr more = number(m);
    mpz_add(more, balance(m, a->self->address)->number, a->value);
    balance(m, a->self->address)->number = more;
}

static void run_public(struct machine *m, const struct sol_node *function, const char *prefix)
{
    struct object *self = m->contracts; // the first one made stays first
    struct activation a = {.function = function, .self = self, .contract = m->contract};
    char name[200];
    snprintf(name, sizeof name, "%s%s.%s", prefix, m->contract->name,
             function->name[0] ? function->name : "fallback");
    enter(m, &a);
    take_transaction(m, &a, prefix[0] != '\0', function);
    if (!ended(m)) {
        char callee[160];
        snprintf(callee, sizeof callee, "c.%s", function->name[0] ? function->name : "fallback");
        show(m, &a, name);
        show_test(m, &a, callee, prefix[0] != '\0');
        declare_results(m, function);
    }
    struct sol_annotations notes = annotations_of(m, m->contract, function);
    for (size_t i = 0; i < notes.count && !ended(m); i++) {
        if (notes.data[i].kind == SOL_PRECONDITION && !condition(m, notes.data[i].condition))
            stop(m, FLOW_REVERT, function, "the precondition does not hold");
        remember(m, notes.data[i].condition);
    }
    bool was_broken = m->was_broken;
    if (m->function && m->function == function && !ended(m))
        m->was_broken = !invariants_hold(m);
    if (!ended(m))
        run_layer(m);
    if (m->flow == FLOW_HALT && m->tree->minor >= 8 && prefix[0] == '\0') {
        m->flow = FLOW_ON; // the contract is still there
        m->was_broken = was_broken;
        leave(m);
        return;
    }
    check_overflow(m, function);
    check_all(m, notes, SOL_POSTCONDITION, SOL_FAIL_POSTCONDITION, function);
    if (!ended(m))
        check_invariants(m, SOL_FAIL_INVARIANT, function);
    m->was_broken = was_broken;
    leave(m);
}

static void unknown_code(struct machine *m, const struct sol_node *at)
{
    check_overflow(m, at);
    if (!ended(m))
        check_invariants(m, SOL_FAIL_INVARIANT " before a call", at);
    if (!ended(m))
        force_ether(m, at);
    m->now_known = NULL;
    while (!ended(m) && m->next_event < m->event_count &&
           m->events[m->next_event].kind == SOL_EVENT_BACK) {
        const struct sol_event *event = &m->events[m->next_event++];
        const struct sol_node *function = sol_tree_node(m->tree, event->id);
        if (!function)
            return; // no more of them
        run_public(m, function, "  called back: ");
    }
}

static const struct sol_node *constructor_of(const struct sol_node *contract)
{
    for (size_t i = 0; i < contract->count; i++)
        if (contract->list[i] && contract->list[i]->kind == SOL_FUNCTION &&
            (contract->list[i]->flags & SOL_IS_CONSTRUCTOR))
            return contract->list[i];
    return NULL;
}

static const struct sol_node *given_to(struct machine *m, const struct sol_node *contract,
                                       const struct sol_node *base, size_t *giver)
{
    for (size_t b = 0; b < contract->order_count; b++) {
        const struct sol_node *c = sol_tree_node(m->tree, contract->order[b]),
                              *constructor = constructor_of(c);
        *giver = b;
        for (size_t i = 0; constructor && i < constructor->count; i++)
            if (constructor->list[i]->part[0]->reference == base->id)
                return constructor->list[i];
        for (size_t i = 0; i < c->more_count; i++) {
            const struct sol_node *name = c->more[i]->part[0];
            long reference = name->reference ? name->reference
                             : name->part[0] ? name->part[0]->reference
                                             : 0;
            if (reference == base->id && c->more[i]->count > 0)
                return c->more[i];
        }
    }
    return NULL;
}

static struct object *new_contract(struct machine *m, const struct sol_node *contract,
                                   mpz_ptr address)
{
    struct object *o = new_object(m, NULL, false);
    o->contract = contract;
    o->address = address;
    o->next = m->contracts;
    m->contracts = o;
    return o;
}

// first: the activation of the most derived constructor, entered, with its parameters.
static void construct(struct machine *m, const struct sol_node *contract, struct activation *first)
{
    struct activation *all = arena_zalloc(&m->arena, (contract->order_count + 1) * sizeof *all);
    struct activation **at = arena_zalloc(&m->arena, (contract->order_count + 1) * sizeof *at);
    at[0] = first;
    for (size_t b = 1; b < contract->order_count && !ended(m); b++) {
        const struct sol_node *base = sol_tree_node(m->tree, contract->order[b]),
                              *constructor = constructor_of(base);
        size_t giver = 0;
        const struct sol_node *given = given_to(m, contract, base, &giver);
        all[b] = (struct activation){.function = constructor,
                                     .self = first->self,
                                     .contract = contract,
                                     .sender = first->sender,
                                     .value = first->value,
                                     .outer = first};
        at[b] = &all[b];
        for (size_t i = 0; constructor && i < constructor->part[0]->count && !ended(m); i++) {
            const struct sol_node *p = constructor->part[0]->list[i];
            const struct sol_type *type = sol_node_type(m->types, p);
            struct datum d = initial(m, type, true);
            m->active = at[giver] ? at[giver] : first;
            if (given && i < given->count)
                d = as_type(m, given->list[i], type);
            m->active = at[b];
            declare(m, p, d);
        }
    }
    for (size_t b = contract->order_count; b-- > 0 && !ended(m);) {
        const struct sol_node *base = sol_tree_node(m->tree, contract->order[b]);
        m->active = at[b];
        for (size_t i = 0; i < base->count && !ended(m); i++) {
            const struct sol_node *v = base->list[i];
            if (!v || v->kind != SOL_VARIABLE || !v->part[1] || (v->flags & SOL_IS_CONSTANT))
                continue;
            struct datum value = as_type(m, v->part[1], sol_node_type(m->types, v));
            if (!ended(m))
                assign(m, field(m, first->self, v), value, sol_node_type(m->types, v), false);
        }
        if (at[b]->function && at[b]->function->part[2] && !ended(m)) {
            run_layer(m);
            check_overflow(m, at[b]->function);
        }
    }
    m->active = first;
}

// Calls.

static struct datum outside_call(struct machine *m, const struct sol_node *node,
                                 const struct sol_node *target)
{
    bool quiet = (target->flags & SOL_IS_VIEW) != 0 && m->tree->minor >= 5;
    if (!quiet && target->kind == SOL_FUNCTION)
        unknown_code(m, node);
    return ended(m) ? (struct datum){0} : outside_value(m, sol_node_type(m->types, node), node);
}

static struct datum getter(struct machine *m, struct object *self, const struct sol_node *v,
                           const struct sol_node *node)
{
    struct datum d = *field(m, self, v);
    for (size_t i = 0; i < node->count && d.object && !ended(m); i++) {
        const struct sol_type *key = d.object->type->kind == SOL_T_MAPPING
                                         ? d.object->type->key
                                         : sol_type_of(m->types, "uint256");
        struct datum index = as_type(m, node->list[i], key);
        if (!ended(m) && d.object->length && mpz_cmp(index.number, d.object->length) >= 0)
            stop(m, FLOW_REVERT, node, "an index out of bounds");
        if (!ended(m))
            d = *cell_at(m, d.object, index.number, d.object->type->value);
    }
    if (ended(m) || !d.object || d.object->type->kind != SOL_T_STRUCT)
        return d;
    const struct sol_node *members = d.object->type->node;
    struct datum all = {.type = sol_node_type(m->types, node)};
    all.items = arena_zalloc(&m->arena, (members->count + 1) * sizeof *all.items);
    for (size_t i = 0; i < members->count; i++) {
        const struct sol_type *type = sol_node_type(m->types, members->list[i]);
        mpz_t key;
        mpz_init_set_ui(key, i);
        if (type->kind != SOL_T_ARRAY && type->kind != SOL_T_MAPPING)
            all.items[all.count++] = *cell_at(m, d.object, key, type);
        mpz_clear(key);
    }
    return all.count == 1 ? all.items[0] : all;
}

static struct object *contract_at(struct machine *m, mpz_srcptr address)
{
    struct object *o = m->contracts;
    while (o && mpz_cmp(o->address, address) != 0)
        o = o->next;
    return o;
}

static struct datum message(struct machine *m, const struct sol_node *function, struct object *self,
                            const struct sol_node *contract, mpz_ptr sender, mpz_ptr value,
                            const struct datum *arguments, const struct sol_node *at)
{
    struct activation *a = m->active;
    mpz_ptr data = a->data;
    const struct sol_node *called = a->called;
    if (m->reads_data)
        a->data = outside(m, sol_type_of(m->types, "bytes memory"), at).number;
    a->called = function;
    m->messages++;
    struct datum result = ended(m)
                              ? (struct datum){0}
                              : call(m, function, self, contract, sender, value, arguments, at);
    m->messages--;
    a->data = data;
    a->called = called;
    return result;
}

static struct datum call_contract(struct machine *m, const struct sol_node *node,
                                  const struct sol_node *callee, const struct sol_node *target,
                                  const struct sol_node *amount_node)
{
    const struct sol_node *object = callee->part[0];
    bool own = sol_node_is_self(m->tree, object);
    struct datum address = evaluate(m, object);
    mpz_ptr amount = number_of(m, 0);
    if (amount_node)
        amount = as_type(m, amount_node, sol_type_of(m->types, "uint256")).number;
    if (ended(m))
        return (struct datum){0};
    if (own && target->kind == SOL_VARIABLE)
        return getter(m, m->active->self, target, node);
    struct datum *arguments =
        target->kind == SOL_FUNCTION ? arguments_of(m, target, NULL, node) : NULL;
    if (ended(m))
        return (struct datum){0};
    mpz_ptr self = m->active->self->address;
    if (own)
        return message(m, resolve(m, m->active->contract, target), m->active->self,
                       m->active->contract, self, amount, arguments, node);
    struct object *there = contract_at(m, address.number);
    if (m->next_event < m->event_count && m->events[m->next_event].kind == SOL_EVENT_IS) {
        const struct sol_node *kind = sol_tree_node(m->tree, m->events[m->next_event++].id);
        if (kind && !there) {
            there = new_object(m, NULL, false);
            *there = (struct object){
                .contract = kind, .address = address.number, .next = m->contracts->next};
            m->contracts->next = there;
            char *hex = mpz_get_str(NULL, 16, address.number);
            text_printf(&m->out->transactions, "  (at 0x%s there is a %s)\n", hex, kind->name);
            free(hex);
        }
        if (!kind)
            there = NULL;
    } else {
        there = NULL;
    }
    if (mpz_sgn(amount) > 0)
        pay(m, self, address.number, amount, node);
    if (ended(m) || !there)
        return ended(m) ? (struct datum){0} : outside_call(m, node, target);
    if (target->kind == SOL_VARIABLE)
        return getter(m, there, target, node);
    return message(m, resolve(m, there->contract, target), there, there->contract, self, amount,
                   arguments, node);
}

// Unknown code in the contract's own place writes what the trace says.
static void rewrite_storage(struct machine *m, const struct sol_node *at)
{
    const struct sol_node *contract = m->active->contract;
    for (size_t b = 0; b < contract->order_count && !ended(m); b++) {
        const struct sol_node *base = sol_tree_node(m->tree, contract->order[b]);
        for (size_t i = 0; base && i < base->count && !ended(m); i++) {
            const struct sol_node *v = base->list[i];
            if (!v || v->kind != SOL_VARIABLE || !(v->flags & SOL_IS_STATE) ||
                (v->flags & (SOL_IS_CONSTANT | SOL_IS_IMMUTABLE)))
                continue;
            const struct sol_type *type = sol_node_type(m->types, v);
            if (sol_type_is_value(type) || type->kind == SOL_T_STRING)
                *field(m, m->active->self, v) = outside(m, type, v);
        }
    }
    balance(m, m->active->self->address)->number =
        outside(m, sol_type_of(m->types, "uint256"), at).number;
    m->bases = NULL;
}

static struct datum low_level(struct machine *m, const struct sol_node *node,
                              const struct sol_node *callee, const struct sol_node *amount_node)
{
    const char *name = callee->name;
    const struct sol_type *word = sol_type_of(m->types, "uint256");
    struct datum to = evaluate(m, callee->part[0]);
    mpz_ptr amount = number_of(m, 0);
    bool sends = strcmp(name, "transfer") == 0 || strcmp(name, "send") == 0;
    if (sends)
        amount = as_type(m, node->list[0], word).number;
    else if (amount_node)
        amount = as_type(m, amount_node, word).number;
    for (size_t i = 0; !sends && i < node->count && !ended(m); i++)
        evaluate(m, node->list[i]);
    if (ended(m))
        return (struct datum){0};
    if (strcmp(name, "transfer") == 0) {
        pay(m, m->active->self->address, to.number, amount, node);
        return truth(m, true);
    }
    struct datum good = outside(m, sol_type_of(m->types, "bool"), node);
    bool lends = strcmp(name, "delegatecall") == 0 || strcmp(name, "callcode") == 0;
    if (!ended(m) && is_true(good)) {
        pay(m, m->active->self->address, to.number, amount, node);
        if (!ended(m) && (strcmp(name, "call") == 0 || lends))
            unknown_code(m, node);
        if (!ended(m) && lends)
            rewrite_storage(m, node);
    }
    if (strcmp(name, "send") == 0 || sol_node_type(m->types, node)->kind != SOL_T_TUPLE || ended(m))
        return good;
    struct datum both = {.type = sol_node_type(m->types, node), .count = 2};
    both.items = arena_zalloc(&m->arena, 2 * sizeof *both.items);
    both.items[0] = good;
    both.items[1] = outside(m, sol_type_of(m->types, "bytes memory"), node);
    return both;
}

static struct datum make_new(struct machine *m, const struct sol_node *node,
                             const struct sol_node *amount_node)
{
    const struct sol_type *type = sol_node_type(m->types, node);
    if (type->kind == SOL_T_STRING && node->count == 1) {
        struct datum length = as_type(m, node->list[0], sol_type_of(m->types, "uint256"));
        if (!ended(m) && mpz_cmp_ui(length.number, LONGEST_STRING) > 0)
            stop(m, FLOW_STUCK, node, "a string that is too long for the interpreter");
        return ended(m) ? length
                        : plain(type, string_of(m, number_of(m, 0), mpz_get_ui(length.number)));
    }
    if (type->kind == SOL_T_ARRAY && node->count == 1) {
        struct datum length = as_type(m, node->list[0], sol_type_of(m->types, "uint256"));
        struct datum d = initial(m, type, true);
        if (!ended(m))
            d.object->length = length.number;
        return d;
    }
    if (type->kind != SOL_T_CONTRACT) {
        stop(m, FLOW_STUCK, node, "something new that the interpreter does not know");
        return (struct datum){0};
    }
    const struct sol_node *constructor = constructor_of(type->node);
    mpz_ptr amount = number_of(m, 0);
    if (amount_node)
        amount = as_type(m, amount_node, sol_type_of(m->types, "uint256")).number;
    if (ended(m))
        return (struct datum){0};
    struct datum *arguments = constructor ? arguments_of(m, constructor, NULL, node) : NULL;
    if (ended(m))
        return (struct datum){0};
    mpz_ptr address = number(m), next = number(m);
    mpz_set(address, m->next_address);
    mpz_add_ui(next, address, 1);
    m->next_address = next;
    struct object *made = new_object(m, NULL, false);
    *made = (struct object){.contract = type->node, .address = address, .next = m->contracts->next};
    m->contracts->next = made;
    if (mpz_sgn(amount) > 0)
        pay(m, m->active->self->address, address, amount, node);
    if (ended(m))
        return (struct datum){0};
    struct activation a = {.function = constructor,
                           .self = made,
                           .contract = type->node,
                           .sender = m->active->self->address,
                           .value = amount};
    struct activation *outer = m->active;
    enter(m, &a);
    for (size_t i = 0; constructor && i < constructor->part[0]->count; i++)
        declare(m, constructor->part[0]->list[i], arguments[i]);
    construct(m, type->node, &a);
    m->active = outer;
    m->depth--;
    return plain(type, address);
}

static struct datum make_struct(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(m->types, node);
    struct datum d = initial(m, type, true);
    size_t next = 0;
    for (size_t i = 0; type->node && i < type->node->count && !ended(m); i++) {
        const struct sol_type *member = sol_node_type(m->types, type->node->list[i]);
        if (member->kind == SOL_T_MAPPING)
            continue;
        const struct sol_node *argument = next < node->count ? node->list[next] : NULL;
        for (size_t n = 0; n < node->name_count; n++)
            if (strcmp(node->names[n], type->node->list[i]->name) == 0)
                argument = node->list[n];
        next++;
        if (!argument)
            continue;
        mpz_t key;
        mpz_init_set_ui(key, i);
        struct datum value = as_type(m, argument, member);
        if (!ended(m))
            assign(m, cell_at(m, d.object, key, member), value, member, true);
        mpz_clear(key);
    }
    return d;
}

static struct datum hash_of(struct machine *m, mpz_srcptr code)
{
    struct cell *c = find_cell(m->hashes, code);
    if (!c) { // another number for other bytes; which one, nobody may rely on
        c = arena_zalloc(&m->arena, sizeof *c);
        c->key = number(m);
        mpz_set(c->key, code);
        c->datum = plain(sol_type_of(m->types, "bytes32"), number(m));
        mpz_setbit(c->datum.number, 255);
        mpz_add_ui(c->datum.number, c->datum.number, 7919 * ++m->hash_count);
        c->next = m->hashes;
        m->hashes = c;
    }
    return c->datum;
}

static struct datum sum_of(struct machine *m, const struct sol_node *node)
{
    struct datum d = evaluate(m, node);
    mpz_ptr sum = number(m);
    for (struct cell *c = d.object ? d.object->cells : NULL; c; c = c->next)
        if (c->datum.number)
            mpz_add(sum, sum, c->datum.number);
    return plain(sol_type_of(m->types, "unbounded"), sum);
}

// Gas only ever becomes less.
static struct datum gas_left(struct machine *m, const struct sol_node *node)
{
    struct datum left = outside(m, sol_type_of(m->types, "uint256"), node);
    if (!ended(m) && m->gas && mpz_cmp(left.number, m->gas) >= 0)
        stop(m, FLOW_STUCK, node, "the trace has more gas than before");
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
        for (size_t i = 0; i < node->count && !ended(m); i++)
            keys[i] = evaluate(m, node->list[i]).number;
        for (size_t i = 0; i < node->count && !ended(m); i++)
            if (!keys[i])
                stop(m, FLOW_STUCK, node, "an argument that is no single word");
        if (ended(m))
            return (struct datum){0};
        if (strcmp(name, "gasleft") == 0)
            return gas_left(m, node);
        bool lasting = strncmp(name, "bl", 2) != 0;
        return consult(m, lasting ? &m->known : &m->now_known, known[k].name, keys, node->count,
                       result, node);
    }
    stop(m, FLOW_STUCK, node, "a built-in function that the interpreter does not know");
    return (struct datum){0};
}

static struct datum built_in(struct machine *m, const struct sol_node *node, const char *name)
{
    if (m->annotation && strcmp(name, "sum") == 0)
        return sum_of(m, node->list[0]);
    if (m->annotation && strcmp(name, "old") == 0) {
        for (struct remembered *o = m->active->olds; o; o = o->next)
            if (strcmp(o->node->list[0]->name, node->list[0]->name) == 0 && o->node == node)
                return o->datum;
        return evaluate(m, node->list[0]);
    }
    if (strcmp(name, "require") == 0) {
        if (!is_true(evaluate(m, node->list[0])))
            stop(m, FLOW_REVERT, node, "require fails");
    } else if (strcmp(name, "assert") == 0) {
        bool good = is_true(evaluate(m, node->list[0]));
        check(m, good, SOL_FAIL_ASSERTION, node, true);
    } else if (strcmp(name, "revert") == 0) {
        stop(m, FLOW_REVERT, node, "it reverts");
    } else if ((strcmp(name, "keccak256") == 0 || strcmp(name, "sha3") == 0) && node->count == 1) {
        struct datum d = evaluate(m, node->list[0]);
        if (!ended(m))
            return hash_of(m, d.number);
    } else if (strcmp(name, "addmod") == 0 || strcmp(name, "mulmod") == 0) {
        struct datum a = evaluate(m, node->list[0]), b = evaluate(m, node->list[1]),
                     c = evaluate(m, node->list[2]);
        mpz_ptr n = number(m);
        if (!ended(m) && mpz_sgn(c.number) == 0)
            stop(m, FLOW_REVERT, node, "a division by zero");
        if (ended(m))
            return (struct datum){0};
        (*name == 'a' ? mpz_add : mpz_mul)(n, a.number, b.number);
        mpz_mod(n, n, c.number);
        return plain(sol_type_of(m->types, "uint256"), n);
    } else if (strcmp(name, "selfdestruct") == 0 || strcmp(name, "suicide") == 0) {
        struct datum heir = evaluate(m, node->list[0]);
        if (!ended(m))
            pay(m, m->active->self->address, heir.number,
                balance(m, m->active->self->address)->number, node);
        check_overflow(m, node);
        stop(m, m->messages > 0 ? FLOW_STUCK : FLOW_HALT, node, "it destroys itself");
    } else {
        return opaque(m, node, name);
    }
    return truth(m, true);
}

// Encodings, byte by byte.

static unsigned packed_size(const struct sol_type *type)
{
    return type->kind == SOL_T_BOOL || type->kind == SOL_T_ENUM ? 1 : bits_of(type) / 8;
}

static mpz_ptr encoded_value(struct machine *m, struct datum d, unsigned size)
{
    mpz_ptr n = number(m);
    mpz_fdiv_r_2exp(n, d.number, 8 * size);
    if (d.type->kind == SOL_T_BYTES_N && size > d.type->bits / 8)
        mpz_mul_2exp(n, n, 8 * size - d.type->bits);
    return string_of(m, n, size);
}

static mpz_ptr word_of(struct machine *m, unsigned long value)
{
    return string_of(m, number_of(m, (long)value), 32);
}

// A string behind its length, filled up to whole words.
static mpz_ptr tail_of(struct machine *m, mpz_srcptr code)
{
    unsigned long length = length_of(code), more = (32 - length % 32) % 32;
    return joined(m, joined(m, word_of(m, length), code), string_of(m, number_of(m, 0), more));
}

static struct datum encode_list(struct machine *m, const struct sol_node *const *list, size_t count,
                                bool packed, mpz_ptr selector, const struct sol_node *at)
{
    const struct sol_type *bytes = sol_type_of(m->types, "bytes memory");
    mpz_ptr head = number_of(m, 0), tail = number_of(m, 0);
    for (size_t i = 0; i < count && !ended(m); i++) {
        const struct sol_type *type = sol_node_type(m->types, list[i]);
        if (type->kind == SOL_T_CONSTANT)
            type = sol_type_of(m->types, "uint256");
        struct datum d = as_type(m, list[i], type);
        bool value = sol_type_is_value(type);
        if (!ended(m) && !value && type->kind != SOL_T_STRING)
            stop(m, FLOW_STUCK, at, "an encoding that the interpreter does not know");
        if (ended(m) || (!value && !is_short(m, d.number, at)))
            break;
        d.type = type;
        if (value) {
            head = joined(m, head, encoded_value(m, d, packed ? packed_size(type) : 32));
        } else if (packed) {
            head = joined(m, head, d.number);
        } else {
            head = joined(m, head, word_of(m, 32 * count + length_of(tail)));
            tail = joined(m, tail, tail_of(m, d.number));
        }
    }
    mpz_ptr all = joined(m, head, tail);
    return plain(bytes, selector ? joined(m, string_of(m, selector, 4), all) : all);
}

static mpz_ptr selector_of(struct machine *m, const struct sol_node *function,
                           const struct sol_node *at)
{
    mpz_ptr n = number(m);
    if (!function || function->unit[0] == '\0' || mpz_set_str(n, function->unit, 16) != 0)
        stop(m, FLOW_STUCK, at, "a selector that the interpreter does not know");
    return n;
}

static struct datum decode(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(m->types, node);
    bool many = type->kind == SOL_T_TUPLE;
    size_t count = many ? type->member_count : 1;
    struct datum all = {.type = type, .count = count}, code = evaluate(m, node->list[0]);
    all.items = arena_zalloc(&m->arena, (count + 1) * sizeof *all.items);
    if (!ended(m) && length_of(code.number) < 32 * count)
        stop(m, FLOW_REVERT, node, "too few bytes to decode");
    for (size_t i = 0; i < count && !ended(m) && is_short(m, code.number, node); i++) {
        const struct sol_type *item = many ? type->members[i] : type;
        mpz_ptr n = contents_of(m, piece(m, code.number, 32 * i, 32 * i + 32));
        if (!sol_type_is_value(item)) {
            stop(m, FLOW_STUCK, node, "a decoding that the interpreter does not know");
            break;
        }
        mpz_ptr kept = number(m), whole = number(m);
        if (item->kind == SOL_T_BYTES_N)
            mpz_fdiv_q_2exp(n, n, 256 - item->bits);
        mpz_set(kept, n);
        if (item->kind == SOL_T_INT || item->kind == SOL_T_UINT || item->kind == SOL_T_ADDRESS ||
            item->kind == SOL_T_CONTRACT)
            wrap(kept, item);
        mpz_fdiv_r_2exp(whole, kept, item->kind == SOL_T_BYTES_N ? item->bits : 256);
        bool wrong = mpz_cmp(whole, n) != 0 || (item->kind == SOL_T_BOOL && mpz_cmp_ui(n, 1) > 0) ||
                     (item->kind == SOL_T_ENUM && mpz_cmp_ui(n, item->node->count) >= 0);
        if (wrong)
            stop(m, FLOW_REVERT, node, "a decoded value out of its range");
        all.items[i] = plain(item, kept);
    }
    return many ? all : all.items[0];
}

static struct datum abi(struct machine *m, const struct sol_node *node, const char *name)
{
    if (strcmp(name, "encode") == 0 || strcmp(name, "encodePacked") == 0)
        return encode_list(m, node->list, node->count, name[6] != '\0', NULL, node);
    if (strcmp(name, "decode") == 0)
        return decode(m, node);
    if (strcmp(name, "encodeWithSelector") == 0) {
        struct datum selector = as_type(m, node->list[0], sol_type_of(m->types, "bytes4"));
        return ended(m)
                   ? selector
                   : encode_list(m, node->list + 1, node->count - 1, false, selector.number, node);
    }
    if (strcmp(name, "encodeCall") == 0 && node->count == 2) {
        mpz_ptr selector = selector_of(m, sol_tree_node(m->tree, node->list[0]->reference), node);
        const struct sol_node *arguments = node->list[1];
        bool many = arguments->kind == SOL_TUPLE;
        return encode_list(m, many ? arguments->list : &arguments, many ? arguments->count : 1,
                           false, selector, node);
    }
    stop(m, FLOW_STUCK, node, "an encoding that the interpreter does not know");
    return (struct datum){0};
}

static struct datum concatenate(struct machine *m, const struct sol_node *node)
{
    return encode_list(m, node->list, node->count, true, NULL, node);
}

static struct datum slice(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *word = sol_type_of(m->types, "uint256");
    struct datum d = evaluate(m, node->part[0]), from = plain(word, number_of(m, 0)), to;
    if (ended(m) || !d.number || d.type->kind != SOL_T_STRING) {
        stop(m, FLOW_STUCK, node, "a slice that the interpreter does not know");
        return d;
    }
    to = plain(word, number_of(m, (long)length_of(d.number)));
    if (node->part[1])
        from = as_type(m, node->part[1], word);
    if (node->part[2])
        to = as_type(m, node->part[2], word);
    if (!ended(m) &&
        (mpz_cmp(from.number, to.number) > 0 || mpz_cmp_ui(to.number, length_of(d.number)) > 0))
        stop(m, FLOW_REVERT, node, "a slice out of bounds");
    if (ended(m) || !is_short(m, d.number, node))
        return d;
    return plain(d.type, piece(m, d.number, mpz_get_ui(from.number), mpz_get_ui(to.number)));
}

static struct datum push_byte(struct machine *m, const struct sol_node *node,
                              const struct sol_node *callee)
{
    struct place p = place_of(m, callee->part[0]);
    mpz_ptr byte = number_of(m, 0);
    if (node->count == 1)
        byte = as_type(m, node->list[0], sol_type_of(m->types, "bytes1")).number;
    if (ended(m) || !p.datum || !is_short(m, p.datum->number, node)) {
        stop(m, FLOW_STUCK, node, "push or pop on something else");
        return (struct datum){0};
    }
    mpz_ptr code = p.datum->number;
    unsigned long length = length_of(code);
    if (callee->name[1] == 'u')
        p.datum->number = joined(m, code, string_of(m, byte, 1));
    else if (length == 0)
        stop(m, FLOW_REVERT, node, "pop of an empty array");
    else
        p.datum->number = piece(m, code, 0, length - 1);
    return truth(m, true);
}

static struct datum push(struct machine *m, const struct sol_node *node,
                         const struct sol_node *callee)
{
    if (sol_node_type(m->types, callee->part[0])->kind == SOL_T_STRING)
        return push_byte(m, node, callee);
    struct datum base = evaluate(m, callee->part[0]);
    if (ended(m) || !base.object || !base.object->length) {
        stop(m, FLOW_STUCK, node, "push or pop on something else");
        return (struct datum){0};
    }
    struct object *o = base.object;
    mpz_ptr length = number(m);
    if (callee->name[1] == 'o') {
        if (mpz_sgn(o->length) == 0) {
            stop(m, FLOW_REVERT, node, "pop of an empty array");
            return (struct datum){0};
        }
        mpz_sub_ui(length, o->length, 1);
        *cell_at(m, o, length, o->type->value) = initial(m, o->type->value, o->in_memory);
        o->length = length;
        return truth(m, true);
    }
    struct datum value =
        node->count == 1 ? evaluate(m, node->list[0]) : initial(m, o->type->value, o->in_memory);
    if (ended(m))
        return value;
    if (sol_type_is_value(o->type->value))
        value = converted(m, value, o->type->value, node);
    m->pushed = cell_at(m, o, o->length, o->type->value);
    assign(m, m->pushed, value, o->type->value, o->in_memory);
    if (node->count == 0 && m->tree->minor >= 6) {
        mpz_add_ui(length, o->length, 1);
        o->length = length;
        return *m->pushed;
    }
    mpz_add_ui(length, o->length, 1);
    o->length = length;
    return plain(sol_type_of(m->types, "uint256"), length);
}

static struct datum call_member(struct machine *m, const struct sol_node *node,
                                const struct sol_node *callee, const struct sol_node *amount)
{
    const struct sol_node *base = callee->part[0],
                          *target = sol_tree_node(m->tree, callee->reference);
    const struct sol_node *owner =
        base->kind == SOL_IDENTIFIER ? sol_tree_node(m->tree, base->reference) : NULL;
    const struct sol_type *type = sol_node_type(m->types, base);
    struct activation *a = m->active;
    if (base->kind == SOL_IDENTIFIER && !owner && strcmp(base->name, "abi") == 0) {
        return abi(m, node, callee->name);
    }
    if (base->kind == SOL_ELEMENTARY && strcmp(callee->name, "concat") == 0)
        return concatenate(m, node);
    if (owner && owner->kind == SOL_VALUE_TYPE && node->count == 1)
        return as_type(m, node->list[0], sol_node_type(m->types, node));
    if (target && target->kind == SOL_FUNCTION) {
        const struct sol_node *home = sol_node_contract(target);
        if (base->kind == SOL_IDENTIFIER && !owner && strcmp(base->name, "super") == 0) {
            const struct sol_node *lexical = sol_node_contract(node);
            size_t skip = 0;
            while (skip < a->contract->order_count && a->contract->order[skip] != lexical->id)
                skip++;
            const struct sol_node *found = find(m, a->contract, target, skip + 1);
            target = found ? found : target;
            struct datum *values = arguments_of(m, target, NULL, node);
            return ended(m)
                       ? (struct datum){0}
                       : call(m, target, a->self, a->contract, a->sender, a->value, values, node);
        }
        if (owner && (owner->kind == SOL_CONTRACT || owner->kind == SOL_IMPORT)) {
            struct datum *values = arguments_of(m, target, NULL, node);
            return ended(m)
                       ? (struct datum){0}
                       : call(m, target, a->self, a->contract, a->sender, a->value, values, node);
        }
        if (!home || (home->flags & SOL_IS_LIBRARY)) {
            struct datum bound = evaluate(m, base);
            struct datum *values = ended(m) ? NULL : arguments_of(m, target, &bound, node);
            return ended(m)
                       ? (struct datum){0}
                       : call(m, target, a->self, a->contract, a->sender, a->value, values, node);
        }
    }
    if ((type->kind == SOL_T_ARRAY || type->kind == SOL_T_STRING) &&
        (strcmp(callee->name, "push") == 0 || strcmp(callee->name, "pop") == 0))
        return push(m, node, callee);
    if (target && (target->kind == SOL_FUNCTION || target->kind == SOL_VARIABLE) &&
        type->kind == SOL_T_CONTRACT)
        return call_contract(m, node, callee, target, amount);
    if (type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT)
        return low_level(m, node, callee, amount);
    if (target && target->kind == SOL_EVENT)
        return truth(m, true);
    stop(m, FLOW_STUCK, node, "a call that the interpreter does not know");
    return (struct datum){0};
}

static struct datum evaluate_call(struct machine *m, const struct sol_node *node)
{
    if (node->flags & SOL_IS_CONVERSION)
        return as_type(m, node->list[0], sol_node_type(m->types, node));
    if (node->flags & SOL_IS_STRUCT_MAKER)
        return make_struct(m, node);
    const struct sol_node *callee = node->part[0], *amount = NULL;
    for (bool more = true; more;) {
        more = false;
        if (callee->kind == SOL_CALL_OPTIONS) {
            for (size_t i = 0; i < callee->count && i < callee->name_count; i++)
                if (strcmp(callee->names[i], "value") == 0)
                    amount = callee->list[i];
            callee = callee->part[0];
            more = true;
        } else if (callee->kind == SOL_CALL && callee->part[0]->kind == SOL_MEMBER &&
                   callee->count == 1 &&
                   (strcmp(callee->part[0]->name, "value") == 0 ||
                    strcmp(callee->part[0]->name, "gas") == 0)) {
            if (callee->part[0]->name[0] == 'v')
                amount = callee->list[0];
            callee = callee->part[0]->part[0];
            more = true;
        }
    }
    if (callee->kind == SOL_NEW)
        return make_new(m, node, amount);
    if (callee->kind == SOL_MEMBER)
        return call_member(m, node, callee, amount);
    const struct sol_node *target =
        callee->kind == SOL_IDENTIFIER ? sol_tree_node(m->tree, callee->reference) : NULL;
    if (callee->kind == SOL_IDENTIFIER && !target)
        return built_in(m, node, callee->name);
    if (target && target->kind == SOL_FUNCTION) {
        struct activation *a = m->active;
        target = resolve(m, a->contract, target);
        struct datum *values = arguments_of(m, target, NULL, node);
        return ended(m) ? (struct datum){0}
                        : call(m, target, a->self, a->contract, a->sender, a->value, values, node);
    }
    if (target && (target->kind == SOL_EVENT || target->kind == SOL_ERROR))
        return truth(m, true);
    stop(m, FLOW_STUCK, node, "a call that the interpreter does not know");
    return (struct datum){0};
}

// Expressions.

static struct datum surrounding(struct machine *m, const struct sol_node *node)
{
    char name[100], other[100];
    sol_surrounding_name(node, name, sizeof name);
    for (size_t i = 0; i < m->surrounding_count; i++) {
        sol_surrounding_name(m->surroundings[i], other, sizeof other);
        if (strcmp(name, other) == 0 && m->surrounding[i])
            return plain(sol_node_type(m->types, node), m->surrounding[i]);
    }
    stop(m, FLOW_STUCK, node, "something of the chain that the interpreter does not know");
    return (struct datum){0};
}

// type(T).max and the like
static struct datum of_type(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *result = sol_node_type(m->types, node);
    const struct sol_node *named = sol_tree_node(m->tree, node->part[0]->list[0]->reference);
    mpz_ptr n = number(m);
    bool most = strcmp(node->name, "max") == 0;
    if (sol_type_is_number(result)) {
        if (most || result->kind == SOL_T_INT)
            mpz_setbit(n, result->kind == SOL_T_INT ? result->bits - 1 : result->bits);
        if (most)
            mpz_sub_ui(n, n, 1);
        else
            mpz_neg(n, n);
    } else if (result->kind == SOL_T_ENUM) {
        mpz_set_ui(n, most ? result->node->count - 1 : 0);
    } else if (strcmp(node->name, "name") == 0 && named) {
        for (const char *c = named->name; *c; c++) {
            mpz_mul_ui(n, n, 256);
            mpz_add_ui(n, n, (unsigned char)*c);
        }
        n = string_of(m, n, strlen(named->name));
    } else {
        stop(m, FLOW_STUCK, node, "something of a type that the interpreter does not know");
    }
    return plain(result, n);
}

static struct datum member(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *base = node->part[0],
                          *declaration = sol_tree_node(m->tree, node->reference);
    const struct sol_node *owner =
        base->kind == SOL_IDENTIFIER ? sol_tree_node(m->tree, base->reference) : NULL;
    const struct sol_type *word = sol_type_of(m->types, "uint256"),
                          *type = sol_node_type(m->types, base);
    if (base->kind == SOL_IDENTIFIER && !owner) {
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "sender") == 0)
            return plain(sol_type_of(m->types, "address"), m->active->sender);
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "value") == 0)
            return plain(word, m->active->value);
        if (strcmp(base->name, "block") == 0 && strcmp(node->name, "timestamp") == 0)
            return plain(word, m->now);
        if (strcmp(base->name, "block") == 0 && strcmp(node->name, "number") == 0)
            return plain(word, m->block);
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "data") == 0 && m->active->data)
            return plain(sol_type_of(m->types, "bytes memory"), m->active->data);
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "sig") == 0)
            return plain(sol_type_of(m->types, "bytes4"), selector_of(m, m->active->called, node));
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "gas") == 0)
            return gas_left(m, node);
        if (strcmp(base->name, "msg") == 0 || strcmp(base->name, "block") == 0 ||
            strcmp(base->name, "tx") == 0)
            return surrounding(m, node);
    }
    const struct sol_type *result = sol_node_type(m->types, node);
    for (size_t i = 0; result->kind == SOL_T_ENUM && owner == result->node && i < owner->count; i++)
        if (strcmp(owner->list[i]->name, node->name) == 0)
            return plain(result, number_of(m, (long)i));
    if (base->kind == SOL_CALL && base->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(base->part[0]->name, "type") == 0)
        return of_type(m, node);
    if (declaration && declaration->kind == SOL_VARIABLE &&
        (declaration->flags & SOL_IS_CONSTANT) && declaration->part[1])
        return as_type(m, declaration->part[1], sol_node_type(m->types, declaration));
    if (strcmp(node->name, "balance") == 0 &&
        (type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT)) {
        struct datum address = evaluate(m, base);
        if (ended(m))
            return address;
        if (sol_node_is_self(m->tree, base))
            return plain(word, balance(m, address.number)->number);
        if (m->annotation)
            stop(m, FLOW_STUCK, node, "the balance of another account in an annotation");
        return plain(word, told_balance(m, address.number, node));
    }
    if (type->kind == SOL_T_ADDRESS &&
        (strcmp(node->name, "code") == 0 || strcmp(node->name, "codehash") == 0)) {
        mpz_ptr key = evaluate(m, base).number;
        return ended(m) ? (struct datum){0}
                        : consult(m, &m->now_known, node->name, &key, 1,
                                  sol_node_type(m->types, node), node);
    }
    const struct sol_node *named = sol_tree_node(m->tree, base->reference);
    if (strcmp(node->name, "selector") == 0 && named && named->kind == SOL_FUNCTION)
        return plain(result, selector_of(m, named, node));
    if (strcmp(node->name, "length") == 0 && type->kind == SOL_T_STRING) {
        struct datum d = evaluate(m, base);
        mpz_ptr n = number(m);
        if (!ended(m))
            mpz_fdiv_r_2exp(n, d.number, 64);
        return plain(word, n);
    }
    if (strcmp(node->name, "length") == 0 && type->kind == SOL_T_BYTES_N)
        return plain(word, number_of(m, (long)type->bits / 8));
    return read_place(m, place_of(m, node));
}

static struct datum index_of(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(m->types, node->part[0]);
    if (type->kind == SOL_T_STRING) {
        struct datum whole = evaluate(m, node->part[0]),
                     index = as_type(m, node->part[1], sol_type_of(m->types, "uint256"));
        if (ended(m) || !is_index(m, whole.number, index.number, node))
            return (struct datum){0};
        return plain(sol_type_of(m->types, "bytes1"), byte_at(m, whole.number, index.number));
    }
    if (type->kind != SOL_T_BYTES_N)
        return read_place(m, place_of(m, node));
    struct datum d = evaluate(m, node->part[0]), i = evaluate(m, node->part[1]);
    if (ended(m))
        return d;
    if (mpz_cmp_ui(i.number, type->bits / 8) >= 0) {
        stop(m, FLOW_REVERT, node, "an index out of bounds");
        return d;
    }
    mpz_ptr n = number(m);
    mpz_fdiv_q_2exp(n, d.number, type->bits - 8 * (mpz_get_ui(i.number) + 1));
    mpz_fdiv_r_2exp(n, n, 8);
    return plain(sol_type_of(m->types, "bytes1"), n);
}

static struct datum identifier(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *declaration = sol_tree_node(m->tree, node->reference);
    if (declaration && declaration->kind == SOL_VARIABLE) {
        if ((declaration->flags & SOL_IS_CONSTANT) && declaration->part[1])
            return as_type(m, declaration->part[1], sol_node_type(m->types, declaration));
        return read_place(m, place_of(m, node));
    }
    if (strcmp(node->name, "this") == 0)
        return plain(sol_type_of(m->types, "address"), m->active->self->address);
    if (strcmp(node->name, "now") == 0)
        return plain(sol_type_of(m->types, "uint256"), m->now);
    stop(m, FLOW_STUCK, node, "a name that the interpreter does not know");
    return (struct datum){0};
}

static struct datum tuple(struct machine *m, const struct sol_node *node)
{
    if (node->flags & SOL_IS_INLINE_ARRAY) {
        const struct sol_type *type = sol_node_type(m->types, node);
        struct datum d = initial(m, type, true);
        for (size_t i = 0; i < node->count && !ended(m); i++) {
            mpz_t key;
            mpz_init_set_ui(key, i);
            struct datum value = as_type(m, node->list[i], type->value);
            if (!ended(m))
                assign(m, cell_at(m, d.object, key, type->value), value, type->value, true);
            mpz_clear(key);
        }
        return d;
    }
    if (node->count == 1 && node->list[0])
        return evaluate(m, node->list[0]);
    struct datum all = {.type = sol_node_type(m->types, node), .count = node->count};
    all.items = arena_zalloc(&m->arena, (node->count + 1) * sizeof *all.items);
    for (size_t i = 0; i < node->count && !ended(m); i++)
        if (node->list[i])
            all.items[i] = evaluate(m, node->list[i]);
    return all;
}

static struct datum evaluate(struct machine *m, const struct sol_node *node)
{
    if (ended(m) || !node)
        return (struct datum){0};
    if (++m->steps > MOST_STEPS) {
        stop(m, FLOW_STUCK, node, "the run is longer than the interpreter follows");
        return (struct datum){0};
    }
    switch (node->kind) {
    case SOL_LITERAL:
        return literal(m, node);
    case SOL_IDENTIFIER:
        return identifier(m, node);
    case SOL_MEMBER:
        return member(m, node);
    case SOL_INDEX:
        return index_of(m, node);
    case SOL_UNARY:
        return unary(m, node);
    case SOL_BINARY:
        return binary(m, node);
    case SOL_CONDITIONAL: {
        bool yes = is_true(evaluate(m, node->part[0]));
        const struct sol_type *type = sol_node_type(m->types, node);
        struct datum d = evaluate(m, node->part[yes ? 1 : 2]);
        return ended(m) ? d : converted(m, d, type, node);
    }
    case SOL_ASSIGNMENT:
        return assignment(m, node);
    case SOL_TUPLE:
        return tuple(m, node);
    case SOL_CALL:
        return evaluate_call(m, node);
    case SOL_SLICE:
        return slice(m, node);
    default:
        stop(m, FLOW_STUCK, node, "an expression that the interpreter does not know");
        return (struct datum){0};
    }
}

// Statements.

static void run_declaration(struct machine *m, const struct sol_node *node)
{
    struct datum value = {0};
    if (node->part[0])
        value = evaluate(m, node->part[0]);
    for (size_t i = 0; i < node->count && !ended(m); i++) {
        const struct sol_node *v = node->list[i];
        if (!v)
            continue;
        const struct sol_type *type = sol_node_type(m->types, v);
        struct datum d = initial(m, type, type->place != SOL_STORAGE);
        if (node->part[0]) {
            d = node->count > 1 ? (i < value.count ? value.items[i] : (struct datum){0}) : value;
            if (d.object && type->place != SOL_STORAGE && !d.object->in_memory)
                d = copy(m, d, true);
            d = converted(m, d, type, v);
        }
        declare(m, v, d);
    }
}

static void run_return(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *list = m->active->function ? m->active->function->part[1] : NULL;
    if (node->part[0] && list) {
        struct datum value = evaluate(m, node->part[0]);
        for (size_t i = 0; i < list->count && !ended(m); i++) {
            struct datum d = list->count == 1  ? value
                             : i < value.count ? value.items[i]
                                               : (struct datum){0};
            struct datum *to = local_of(m, list->list[i]->id);
            if (d.object && !d.object->in_memory &&
                sol_node_type(m->types, list->list[i])->place != SOL_STORAGE)
                d = copy(m, d, true);
            if (to && !ended(m))
                *to = converted(m, d, sol_node_type(m->types, list->list[i]), node);
        }
    }
    check_overflow(m, node);
    if (!ended(m))
        m->flow = FLOW_RETURN;
}

static void check_loop(struct machine *m, const struct sol_node *node)
{
    if (!ended(m))
        check_all(m, annotations_of(m, m->contract, node), SOL_INVARIANT, SOL_FAIL_LOOP, node);
}

static void run_loop(struct machine *m, const struct sol_node *node)
{
    bool first = node->kind == SOL_DO;
    if (node->kind == SOL_FOR && node->part[2])
        run(m, node->part[2]);
    check_overflow(m, node);
    check_loop(m, node);
    while (!ended(m)) {
        if (!first && node->part[0]) {
            bool go = is_true(evaluate(m, node->part[0]));
            check_overflow(m, node);
            if (ended(m) || !go)
                break;
        }
        first = false;
        run(m, node->part[1]);
        check_overflow(m, node);
        if (m->flow == FLOW_CONTINUE)
            m->flow = FLOW_ON;
        if (m->flow == FLOW_BREAK) {
            m->flow = FLOW_ON;
            break;
        }
        if (m->flow != FLOW_ON)
            break;
        if (node->kind == SOL_FOR && node->part[3])
            run(m, node->part[3]);
        check_overflow(m, node);
        check_loop(m, node);
    }
}

static void run_clause(struct machine *m, const struct sol_node *clause, const struct datum *result)
{
    const struct sol_node *list = clause->part[0];
    for (size_t i = 0; list && i < list->count && !ended(m); i++) {
        const struct sol_type *type = sol_node_type(m->types, list->list[i]);
        struct datum d = !result         ? outside(m, type, list->list[i])
                         : result->items ? result->items[i]
                                         : *result;
        if (!ended(m))
            declare(m, list->list[i], converted(m, d, type, clause));
    }
    run(m, clause->part[1]);
}

static void run_try(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *call = node->part[0], *callee = call->part[0];
    check_overflow(m, node);
    bool fails = is_true(outside(m, sol_type_of(m->types, "bool"), node));
    if (!ended(m) && !fails) {
        struct datum result = evaluate(m, call);
        check_overflow(m, node);
        if (!ended(m))
            run_clause(m, node->list[0], &result);
        check_overflow(m, node);
        return;
    }
    for (; callee && callee->kind == SOL_CALL_OPTIONS; callee = callee->part[0])
        for (size_t i = 0; i < callee->count && !ended(m); i++)
            evaluate(m, callee->list[i]);
    if (callee && callee->kind == SOL_MEMBER)
        evaluate(m, callee->part[0]);
    for (size_t i = 0; i < call->count && !ended(m); i++)
        evaluate(m, call->list[i]);
    size_t which = 0;
    if (node->count > 2 && !ended(m)) {
        struct datum chosen = outside(m, sol_type_of(m->types, "uint8"), node);
        which = ended(m) ? 0 : mpz_get_ui(chosen.number);
    }
    check_overflow(m, node);
    if (!ended(m) && which + 1 < node->count)
        run_clause(m, node->list[which + 1], NULL);
    check_overflow(m, node);
}

static void run(struct machine *m, const struct sol_node *node)
{
    if (m->flow != FLOW_ON || !node)
        return;
    bool unchecked = m->active->unchecked;
    switch (node->kind) {
    case SOL_UNCHECKED:
    case SOL_BLOCK:
        m->active->unchecked |= node->kind == SOL_UNCHECKED;
        for (size_t i = 0; i < node->count && m->flow == FLOW_ON; i++)
            run(m, node->list[i]);
        m->active->unchecked = unchecked;
        break;
    case SOL_DECLARATION:
        run_declaration(m, node);
        break;
    case SOL_EXPRESSION_STATEMENT:
        evaluate(m, node->part[0]);
        break;
    case SOL_IF: {
        bool yes = is_true(evaluate(m, node->part[0]));
        check_overflow(m, node);
        run(m, yes ? node->part[1] : node->part[2]);
        check_overflow(m, node);
        break;
    }
    case SOL_WHILE:
    case SOL_DO:
    case SOL_FOR:
        run_loop(m, node);
        break;
    case SOL_BREAK:
    case SOL_CONTINUE:
        check_overflow(m, node);
        if (!ended(m))
            m->flow = node->kind == SOL_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
        break;
    case SOL_RETURN:
        run_return(m, node);
        break;
    case SOL_THROW:
    case SOL_REVERT:
        stop(m, FLOW_REVERT, node, "it reverts");
        break;
    case SOL_EMIT:
        for (size_t i = 0; i < node->part[0]->count && !ended(m); i++)
            evaluate(m, node->part[0]->list[i]);
        break;
    case SOL_PLACEHOLDER:
        run_layer(m);
        break;
    case SOL_TRY:
        run_try(m, node);
        break;
    default:
        stop(m, FLOW_STUCK, node, "a statement that the interpreter does not know");
        break;
    }
}

// Runs.

static void deploy(struct machine *m)
{
    mpz_ptr address = number(m);
    mpz_set_str(address, ADDRESS_OF_CONTRACT, 10);
    const struct sol_node *constructor = constructor_of(m->contract);
    struct activation a = {.function = constructor,
                           .self = new_contract(m, m->contract, address),
                           .contract = m->contract};
    char name[200];
    snprintf(name, sizeof name, "new %s", m->contract->name);
    m->main = a.self;
    enter(m, &a);
    take_transaction(m, &a, false, m->contract);
    m->deployed = true;
    if (!ended(m)) {
        char callee[160];
        snprintf(callee, sizeof callee, "%s c = new %s", m->contract->name, m->contract->name);
        show(m, &a, name);
        show_test(m, &a, callee, false);
        construct(m, m->contract, &a);
    }
    if (m->flow == FLOW_HALT) {
        m->flow = FLOW_ON;
        stop(m, FLOW_STUCK, m->contract, "the constructor destroys the contract");
    }
    check_overflow(m, m->contract);
    if (!ended(m) && constructor)
        check_all(m, annotations_of(m, m->contract, constructor), SOL_POSTCONDITION,
                  SOL_FAIL_POSTCONDITION, m->contract);
    if (!ended(m))
        check_invariants(m, SOL_FAIL_INVARIANT, constructor ? constructor : m->contract);
    m->active = NULL;
    m->depth = 0;
}

void sol_replay_run(struct sol_replay *out, struct sol_input *input,
                    const struct sol_node *contract, const struct sol_node *function,
                    const struct sol_question_options *options, const struct sol_event *events,
                    size_t count)
{
    *out = (struct sol_replay){0};
    struct machine m = {.input = input,
                        .tree = input->tree,
                        .types = input->types,
                        .options = options,
                        .contract = contract,
                        .function = function,
                        .events = events,
                        .event_count = count,
                        .out = out};
    arena_init(&m.arena);
    text_init(&out->transactions);
    text_init(&out->test);
    text_init(&out->why);
    m.surrounding_count = sol_tree_surroundings(m.tree, m.surroundings, SOL_MOST_SURROUNDINGS);
    m.reads_data = sol_tree_reads(m.tree, "msg", "data");
    m.forced = !sol_balance_is_annotated(m.tree);
    m.reads_balances = sol_tree_reads(m.tree, NULL, "balance") || !m.forced;
    m.next_address = number(&m);
    mpz_set_str(m.next_address, "1000000000000000000000000000000007", 10);
    deploy(&m);
    while (m.flow == FLOW_ON && m.next_event < m.event_count) {
        const struct sol_event *event = next_event(&m, SOL_EVENT_CALL, contract);
        const struct sol_node *called = event ? sol_tree_node(m.tree, event->id) : NULL;
        if (called)
            run_public(&m, called, "");
    }
    if (m.flow == FLOW_HALT)
        text_add(&out->why, "the contract is gone");
    out->violated = m.flow == FLOW_VIOLATED;
    if (!out->violated && out->why.length == 0)
        text_add(&out->why, "nothing fails");
    for (size_t i = 0; i < m.numbers.count; i++)
        mpz_clear(m.numbers.data[i]);
    VECTOR_FINISH(&m.numbers);
    arena_finish(&m.arena);
}

void sol_replay_finish(struct sol_replay *replay)
{
    text_finish(&replay->transactions);
    text_finish(&replay->test);
    text_finish(&replay->why);
}

// Traces.

static bool edge_event(const struct edge *edge, struct sol_event *out)
{
    const char *hash = strrchr(edge->label, '#');
    out->id = hash ? strtol(hash + 1, NULL, 10) : 0;
    if (strncmp(edge->label, "call back ", 10) == 0 || strcmp(edge->label, "no call back") == 0)
        out->kind = SOL_EVENT_BACK;
    else if (strncmp(edge->label, "call ", 5) == 0)
        out->kind = SOL_EVENT_CALL;
    else if (strncmp(edge->label, "is ", 3) == 0)
        out->kind = SOL_EVENT_IS;
    else
        return false;
    return true;
}

struct sol_event *sol_events_of(const struct trace *trace, size_t *count)
{
    VECTOR(struct sol_event) events = {0};
    for (size_t s = 0; s < trace->step_count; s++) {
        const struct trace_step *step = &trace->steps[s];
        struct sol_event event = {0};
        if (edge_event(step->edge, &event))
            VECTOR_PUSH(&events, event);
        for (size_t i = 0; i < step->event_count; i++) {
            const struct statement *statement = step->events[i].statement;
            if (statement->kind != STATEMENT_HAVOC ||
                !(statement->variable->flags & VARIABLE_INPUT))
                continue;
            event = (struct sol_event){SOL_EVENT_VALUE, 0, statement->variable->name,
                                       statement->variable->sort, step->events[i].value};
            VECTOR_PUSH(&events, event);
        }
    }
    *count = events.count;
    return events.data;
}
