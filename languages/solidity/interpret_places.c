#include <string.h>

#include "base/ensure.h"
#include "languages/solidity/interpret_inside.h"

// Names, bytes of strings, and places that can be written.

// Names.

struct datum *machine_local_of(struct machine *m, long id)
{
    for (struct local *l = m->active->locals; l != NULL; l = l->next)
        if (l->id == id)
            return &l->datum;
    return NULL;
}

struct datum *machine_declare(struct machine *m, const struct sol_node *v, struct datum value)
{
    struct local *l = arena_zalloc(&m->arena, sizeof *l);
    *l = (struct local){v->id, value, m->active->locals};
    m->active->locals = l;
    return &l->datum;
}

struct datum *machine_field(struct machine *m, struct object *self, const struct sol_node *v)
{
    mpz_t key;
    mpz_init_set_si(key, v->id);
    struct datum *d = machine_cell_at(m, self, key, sol_node_type(m->types, v));
    mpz_clear(key);
    return d;
}

// A string's bytes.

unsigned long machine_length_of(mpz_srcptr code)
{
    mpz_t low;
    mpz_init(low);
    mpz_fdiv_r_2exp(low, code, 64);
    unsigned long length = mpz_get_ui(low);
    mpz_clear(low);
    return length;
}

mpz_ptr machine_string_of(struct machine *m, mpz_srcptr contents, unsigned long length)
{
    mpz_ptr n = machine_number(m);
    mpz_mul_2exp(n, contents, 64);
    mpz_add_ui(n, n, length);
    return n;
}

mpz_ptr machine_contents_of(struct machine *m, mpz_srcptr code)
{
    mpz_ptr n = machine_number(m);
    mpz_fdiv_q_2exp(n, code, 64);
    return n;
}

bool machine_is_short(struct machine *m, mpz_srcptr code, const struct sol_node *at)
{
    if (machine_length_of(code) > LONGEST_STRING)
        machine_stop(m, FLOW_STUCK, at, "a string that is too long for the interpreter");
    return !machine_ended(m);
}

mpz_ptr machine_byte_at(struct machine *m, mpz_srcptr code, mpz_srcptr index)
{
    ENSURE(mpz_sgn(index) >= 0 && mpz_cmp_ui(index, machine_length_of(code)) < 0);
    mpz_ptr n = machine_contents_of(m, code);
    mpz_fdiv_q_2exp(n, n, 8 * (machine_length_of(code) - 1 - mpz_get_ui(index)));
    mpz_fdiv_r_2exp(n, n, 8);
    return n;
}

static mpz_ptr with_byte(struct machine *m, mpz_srcptr code, mpz_srcptr index, mpz_srcptr byte)
{
    mpz_ptr n = machine_contents_of(m, code), old = machine_byte_at(m, code, index),
            change = machine_number(m);
    mpz_sub(change, byte, old);
    mpz_mul_2exp(change, change, 8 * (machine_length_of(code) - 1 - mpz_get_ui(index)));
    mpz_add(n, n, change);
    return machine_string_of(m, n, machine_length_of(code));
}

mpz_ptr machine_joined(struct machine *m, mpz_srcptr a, mpz_srcptr b)
{
    mpz_ptr n = machine_contents_of(m, a);
    mpz_mul_2exp(n, n, 8 * machine_length_of(b));
    mpz_add(n, n, machine_contents_of(m, b));
    return machine_string_of(m, n, machine_length_of(a) + machine_length_of(b));
}

mpz_ptr machine_piece(struct machine *m, mpz_srcptr code, unsigned long from, unsigned long to)
{
    ENSURE(from <= to && to <= machine_length_of(code));
    mpz_ptr n = machine_contents_of(m, code);
    mpz_fdiv_q_2exp(n, n, 8 * (machine_length_of(code) - to));
    mpz_fdiv_r_2exp(n, n, 8 * (to - from));
    return machine_string_of(m, n, to - from);
}

bool machine_is_index(struct machine *m, mpz_srcptr code, mpz_srcptr index,
                      const struct sol_node *at)
{
    if (mpz_sgn(index) < 0 || mpz_cmp_ui(index, machine_length_of(code)) >= 0)
        machine_stop(m, FLOW_REVERT, at, "an index out of bounds");
    return !machine_ended(m) && machine_is_short(m, code, at);
}

struct place machine_place_of(struct machine *m, const struct sol_node *node)
{
    if (machine_ended(m))
        return (struct place){0};
    if (node->kind == SOL_TUPLE && node->count == 1 && node->list[0] != NULL)
        return machine_place_of(m, node->list[0]);
    const struct sol_node *declaration = sol_tree_node(m->tree, node->reference);
    if (declaration != NULL && declaration->kind == SOL_VARIABLE &&
        (declaration->flags & SOL_IS_STATE)) {
        struct datum *d = machine_field(m, m->active->self, declaration);
        return (struct place){.type = d->type, .datum = d};
    }
    if (node->kind == SOL_INDEX && sol_node_type(m->types, node->part[0])->kind == SOL_T_STRING) {
        struct place whole = machine_place_of(m, node->part[0]);
        struct datum index = machine_as_type(m, node->part[1], sol_type_of(m->types, "uint256"));
        if (!machine_ended(m) && whole.datum == NULL)
            machine_stop(m, FLOW_STUCK, node, "a byte of what the interpreter does not know");
        if (machine_ended(m) || !machine_is_index(m, whole.datum->number, index.number, node))
            return (struct place){0};
        return (struct place){
            .type = sol_type_of(m->types, "bytes1"), .string = whole.datum, .index = index.number};
    }
    if (node->kind == SOL_CALL) {
        struct datum d = machine_evaluate(m, node);
        struct datum *kept = arena_alloc(&m->arena, sizeof *kept);
        *kept = d;
        return (struct place){.type = d.type, .datum = m->pushed != NULL ? m->pushed : kept};
    }
    if (node->kind == SOL_IDENTIFIER && declaration != NULL && declaration->kind == SOL_VARIABLE) {
        struct datum *d = machine_local_of(m, declaration->id);
        const struct sol_type *type = sol_node_type(m->types, declaration);
        d = d != NULL ? d
                      : machine_declare(m, declaration,
                                        machine_initial(m, type, type->place != SOL_STORAGE));
        return (struct place){.type = type, .datum = d};
    }
    if (node->kind == SOL_INDEX) {
        struct datum base = machine_evaluate(m, node->part[0]);
        if (machine_ended(m) || base.object == NULL) {
            machine_stop(m, FLOW_STUCK, node, "an index that the interpreter does not know");
            return (struct place){0};
        }
        const struct sol_type *key = base.object->type->kind == SOL_T_MAPPING
                                         ? base.object->type->key
                                         : sol_type_of(m->types, "uint256");
        struct datum index = machine_evaluate(m, node->part[1]);
        if (sol_type_is_value(key))
            index = machine_converted(m, index, key, node);
        if (machine_ended(m))
            return (struct place){0};
        if (base.object->length != NULL && !m->annotation &&
            (mpz_sgn(index.number) < 0 || mpz_cmp(index.number, base.object->length) >= 0)) {
            machine_stop(m, FLOW_REVERT, node, "an index out of bounds");
            return (struct place){0};
        }
        struct datum *d = machine_cell_at(m, base.object, index.number, base.object->type->value);
        return (struct place){.type = base.object->type->value, .datum = d};
    }
    if (node->kind == SOL_MEMBER) {
        struct datum base = machine_evaluate(m, node->part[0]);
        if (!machine_ended(m) && base.object != NULL && base.object->type->kind == SOL_T_ARRAY)
            return (struct place){.type = sol_type_of(m->types, "uint256"),
                                  .length_of = base.object};
        for (size_t i = 0; !machine_ended(m) && base.object != NULL &&
                           base.object->type->node != NULL && i < base.object->type->node->count;
             i++)
            if (strcmp(base.object->type->node->list[i]->name, node->name) == 0) {
                mpz_t key;
                mpz_init_set_ui(key, i);
                const struct sol_type *type =
                    sol_node_type(m->types, base.object->type->node->list[i]);
                struct datum *d = machine_cell_at(m, base.object, key, type);
                mpz_clear(key);
                return (struct place){.type = type, .datum = d};
            }
    }
    machine_stop(m, FLOW_STUCK, node, "a place that the interpreter does not know");
    return (struct place){0};
}

struct datum machine_read_place(struct machine *m, struct place p)
{
    if (p.string != NULL)
        return machine_plain(p.type, machine_byte_at(m, p.string->number, p.index));
    return p.length_of != NULL ? machine_plain(p.type, p.length_of->length)
           : p.datum != NULL   ? *p.datum
                               : (struct datum){0};
}

void machine_write_place(struct machine *m, struct place p, struct datum value,
                         const struct sol_node *target)
{
    if (machine_ended(m))
        return;
    const struct sol_node *declaration = target != NULL && target->kind == SOL_IDENTIFIER
                                             ? sol_tree_node(m->tree, target->reference)
                                             : NULL;
    bool local = declaration != NULL && !(declaration->flags & SOL_IS_STATE);
    if (m->reads_only && !local)
        machine_stop(m, FLOW_STUCK, target != NULL ? target : m->contract,
                     "a change in a call that may make none");
    if (machine_ended(m))
        return;
    if (p.string != NULL) {
        p.string->number = with_byte(m, p.string->number, p.index, value.number);
        return;
    }
    if (p.length_of != NULL) {
        mpz_ptr length = machine_number(m);
        mpz_set(length, value.number);
        p.length_of->length = length;
        for (struct cell *c = p.length_of->cells; c != NULL; c = c->next)
            if (mpz_cmp(c->key, length) >= 0)
                machine_reset(m, &c->datum);
        return;
    }
    if (local && value.object != NULL && p.type->place == SOL_STORAGE) {
        *p.datum = value; // a pointer
        return;
    }
    bool in_memory =
        local || (value.object != NULL && p.datum->object != NULL && p.datum->object->in_memory);
    machine_assign(m, p.datum, value, p.type, in_memory);
}
