#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "languages/solidity/interpret_inside.h"
#include "logic/terms/print.h"
#include "logic/terms/term.h"

// Values of the machine: objects, numbers, and what comes from outside.

void machine_stop(struct machine *m, enum flow flow, const struct sol_node *at, const char *why)
{
    assert(flow >= FLOW_REVERT && at != NULL && (why != NULL || flow == FLOW_HALT));
    if (m->flow >= FLOW_REVERT)
        return;
    m->flow = flow;
    m->out->at = at->at;
    if (flow == FLOW_VIOLATED)
        m->out->what = why;
    else if (m->out->why.length == 0)
        text_printf(&m->out->why, "%s:%u:%u: %s", at->at.path != NULL ? at->at.path : "",
                    at->at.line, at->at.column, why);
}

bool machine_ended(const struct machine *m)
{
    return m->flow >= FLOW_REVERT;
}

mpz_ptr machine_number(struct machine *m)
{
    mpz_ptr n = arena_alloc(&m->arena, sizeof(mpz_t));
    mpz_init(n);
    VECTOR_PUSH(&m->numbers, n);
    return n;
}

mpz_ptr machine_number_of(struct machine *m, long value)
{
    mpz_ptr n = machine_number(m);
    mpz_set_si(n, value);
    return n;
}

struct datum machine_plain(const struct sol_type *type, mpz_ptr n)
{
    return (struct datum){.type = type, .number = n};
}

struct datum machine_truth(struct machine *m, bool value)
{
    return machine_plain(sol_type_of(m->types, "bool"), machine_number_of(m, value));
}

bool machine_is_true(struct datum d)
{
    return d.number != NULL && mpz_sgn(d.number) != 0;
}

struct object *machine_new_object(struct machine *m, const struct sol_type *type, bool in_memory)
{
    struct object *o = arena_zalloc(&m->arena, sizeof *o);
    o->type = type;
    o->in_memory = in_memory;
    if (type != NULL && type->kind == SOL_T_ARRAY)
        o->length = type->fixed ? machine_number(m) : machine_number_of(m, 0);
    if (type != NULL && type->kind == SOL_T_ARRAY && type->fixed)
        mpz_set_ui(o->length, type->length);
    return o;
}

struct datum machine_initial(struct machine *m, const struct sol_type *type, bool in_memory)
{
    struct datum d = {.type = type};
    if (sol_type_is_reference(type))
        d.object = machine_new_object(m, type, in_memory);
    else
        d.number = machine_number_of(m, 0);
    return d;
}

struct cell *machine_find_cell(struct cell *cells, mpz_srcptr key)
{
    for (; cells != NULL; cells = cells->next)
        if (mpz_cmp(cells->key, key) == 0)
            return cells;
    return NULL;
}

struct datum *machine_cell_at(struct machine *m, struct object *o, mpz_srcptr key,
                              const struct sol_type *type)
{
    struct cell *cell = machine_find_cell(o->cells, key);
    if (cell == NULL) {
        cell = arena_zalloc(&m->arena, sizeof *cell);
        cell->key = machine_number(m);
        mpz_set(cell->key, key);
        cell->datum = machine_initial(m, type, o->in_memory);
        if (o->otherwise != NULL && cell->datum.number != NULL)
            mpz_set(cell->datum.number, o->otherwise);
        cell->next = o->cells;
        o->cells = cell;
    }
    return &cell->datum;
}

struct datum machine_copy(struct machine *m, struct datum d, bool to_memory)
{
    if (d.object == NULL)
        return d;
    struct object *o = machine_new_object(m, d.object->type, to_memory);
    if (d.object->length != NULL)
        mpz_set(o->length, d.object->length);
    o->otherwise = d.object->otherwise;
    for (struct cell *c = d.object->cells; c != NULL; c = c->next) {
        struct cell *made = arena_zalloc(&m->arena, sizeof *made);
        *made = (struct cell){c->key, machine_copy(m, c->datum, to_memory), o->cells};
        o->cells = made;
    }
    return (struct datum){.type = d.type, .object = o};
}

// The default again, in place, as pointers may lead here; mappings stay as they are, and nothing is lost with a length.
void machine_reset(struct machine *m, struct datum *d)
{
    struct object *o = d->object;
    if (o == NULL) {
        d->number = machine_number_of(m, 0);
        return;
    }
    if (o->type->kind == SOL_T_MAPPING)
        return;
    if (o->length != NULL && !o->type->fixed)
        o->length = machine_number_of(m, 0);
    o->otherwise = NULL;
    for (struct cell *c = o->cells; c != NULL; c = c->next)
        machine_reset(m, &c->datum);
}

// Storage has its place for ever: what is assigned to it is written there. `from` is nobody else's.
static void overwrite(struct machine *m, struct object *o, const struct object *from)
{
    struct datum whole = {.type = o->type, .object = o};
    machine_reset(m, &whole);
    if (o->length != NULL && from->length != NULL && !o->type->fixed)
        o->length = from->length;
    o->otherwise = from->otherwise;
    for (struct cell *c = from->cells; c != NULL; c = c->next) {
        if (c->datum.object != NULL && c->datum.object->type->kind == SOL_T_MAPPING)
            continue;
        const struct sol_type *type = o->type->kind == SOL_T_ARRAY ? o->type->value : c->datum.type;
        struct datum *to = machine_cell_at(m, o, c->key, type);
        if (to->object != NULL && c->datum.object != NULL)
            overwrite(m, to->object, c->datum.object);
        else
            *to = (struct datum){.type = type, .number = c->datum.number};
    }
}

// Assigning: numbers by value, objects of memory by reference among themselves, everything else by copying.
void machine_assign(struct machine *m, struct datum *to, struct datum value,
                    const struct sol_type *type, bool in_memory)
{
    bool in_place = value.object != NULL && to->object != NULL && !in_memory &&
                    !to->object->in_memory && to->object->type != NULL;
    if (in_place && value.object == to->object)
        return;
    if (value.object != NULL && !(in_memory && value.object->in_memory))
        value = machine_copy(m, value, in_memory);
    if (in_place)
        overwrite(m, to->object, value.object);
    else
        *to = value;
    to->type = type;
}

// Numbers.

unsigned machine_bits_of(const struct sol_type *type)
{
    return type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT ? 160 : type->bits;
}

void machine_wrap(mpz_ptr n, const struct sol_type *type)
{
    unsigned bits = machine_bits_of(type);
    mpz_fdiv_r_2exp(n, n, bits);
    if (type->kind == SOL_T_INT && mpz_tstbit(n, bits - 1)) {
        mpz_t modulus;
        mpz_init(modulus);
        mpz_setbit(modulus, bits);
        mpz_sub(n, n, modulus);
        mpz_clear(modulus);
    }
}

bool machine_is_int_mode(const struct machine *m)
{
    return m->options->arithmetic == SOL_ARITHMETIC_INT;
}

// What the machine keeps of an exact result.
mpz_ptr machine_settle(struct machine *m, mpz_ptr n, const struct sol_type *type,
                       const struct sol_node *at)
{
    if (machine_is_int_mode(m) || type->kind == SOL_T_CONSTANT)
        return n;
    mpz_ptr kept = machine_number(m);
    mpz_set(kept, n);
    machine_wrap(kept, type);
    if (mpz_cmp(kept, n) == 0)
        return kept;
    if (m->annotation) {
        m->exact &= m->options->arithmetic != SOL_ARITHMETIC_MOD_OVERFLOW;
    } else if (m->tree->minor >= 8 && !m->active->unchecked) {
        machine_stop(m, FLOW_REVERT, at, "checked arithmetic reverts");
    } else if (m->tree->minor < 8 && m->options->arithmetic == SOL_ARITHMETIC_MOD_OVERFLOW) {
        m->overflow = true;
    }
    return kept;
}

mpz_ptr machine_arithmetic(struct machine *m, const char *operator, const struct sol_type * type,
                           mpz_srcptr a, mpz_srcptr b, const struct sol_node *at)
{
    mpz_ptr n = machine_number(m);
    if (strcmp(operator, "**") == 0) {
        if (mpz_cmp_ui(b, 4096) > 0) {
            machine_stop(m, FLOW_STUCK, at, "a power beyond the interpreter");
            return n;
        }
        mpz_pow_ui(n, a, mpz_get_ui(b));
        return machine_settle(m, n, type, at);
    }
    switch (*operator) {
    case '+':
        mpz_add(n, a, b);
        return machine_settle(m, n, type, at);
    case '-':
        mpz_sub(n, a, b);
        return machine_settle(m, n, type, at);
    case '*':
        mpz_mul(n, a, b);
        return machine_settle(m, n, type, at);
    case '/':
    case '%':
        if (mpz_sgn(b) == 0) {
            if (!m->annotation)
                machine_stop(m, FLOW_REVERT, at, "a division by zero");
            return n;
        }
        if (*operator== '/')
            mpz_tdiv_q(n, a, b);
        else
            mpz_tdiv_r(n, a, b);
        return *operator== '/' ? machine_settle(m, n, type, at) : n;
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
        if (!machine_is_int_mode(m) && type->kind != SOL_T_CONSTANT)
            machine_wrap(n, type);
    } else if (m->tree->minor < 5) { // a division, which rounds toward zero
        mpz_tdiv_q_2exp(n, a, far ? 4096 : mpz_get_ui(b));
    } else {
        mpz_fdiv_q_2exp(n, a, far ? 4096 : mpz_get_ui(b));
    }
    return n;
}

// A string's number (contents, length) becomes that of its first bytes, with zeros behind the last.
static void fix_bytes(mpz_ptr n, unsigned bits)
{
    mpz_t length;
    mpz_init(length);
    mpz_fdiv_r_2exp(length, n, 64);
    mpz_mul_2exp(length, length, 3);
    mpz_fdiv_q_2exp(n, n, 64);
    if (mpz_cmp_ui(length, bits) <= 0)
        mpz_mul_2exp(n, n, bits - mpz_get_ui(length));
    else if (mpz_fits_ulong_p(length))
        mpz_fdiv_q_2exp(n, n, mpz_get_ui(length) - bits);
    else
        mpz_set_ui(n, 0); // what they begin with would not fit in any memory
    mpz_clear(length);
}

struct datum machine_converted(struct machine *m, struct datum d, const struct sol_type *to,
                               const struct sol_node *at)
{
    if (d.number == NULL || d.type == NULL || !sol_type_is_value(to) || to->kind == SOL_T_BOOL)
        return (struct datum){.type = d.object != NULL ? d.type : to,
                              .number = d.number,
                              .object = d.object,
                              .items = d.items,
                              .count = d.count};
    mpz_ptr n = machine_number(m);
    mpz_set(n, d.number);
    if (d.type->kind == SOL_T_STRING && to->kind == SOL_T_BYTES_N) {
        fix_bytes(n, to->bits);
    } else if (d.type->kind == SOL_T_BYTES_N && to->kind == SOL_T_BYTES_N) {
        if (to->bits > d.type->bits)
            mpz_mul_2exp(n, n, to->bits - d.type->bits);
        else
            mpz_fdiv_q_2exp(n, n, d.type->bits - to->bits);
    } else if (to->kind == SOL_T_ENUM) {
        if (mpz_sgn(n) < 0 || mpz_cmp_ui(n, to->node->count) >= 0)
            machine_stop(m, FLOW_REVERT, at, "a number that is no value of the enumeration");
    } else if (!(machine_is_int_mode(m) && sol_type_is_number(to))) {
        machine_wrap(n, to);
    }
    return machine_plain(to, n);
}

// Values from outside.

const struct sol_event *machine_next_event(struct machine *m, enum sol_event_kind kind,
                                           const struct sol_node *at)
{
    ENSURE(m->next_event <= m->event_count);
    if (m->next_event < m->event_count && m->events[m->next_event].kind == kind)
        return &m->events[m->next_event++];
    machine_stop(m, FLOW_STUCK, at, "the run asks for a value that the trace does not have there");
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
        ENSURE(mpz_set_str(out, value_pointer_get(value)->u.text, 10) == 0);
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

// A value that its type does not have makes no run.
static bool is_in_range(const struct machine *m, mpz_srcptr n, const struct sol_type *type)
{
    if (machine_is_int_mode(m) || !sol_type_is_value(type))
        return true;
    if (type->kind == SOL_T_BOOL || type->kind == SOL_T_ENUM)
        return mpz_sgn(n) >= 0 &&
               mpz_cmp_ui(n, type->kind == SOL_T_BOOL ? 2 : type->node->count) < 0;
    mpz_t kept;
    mpz_init_set(kept, n);
    machine_wrap(kept, type);
    bool same = mpz_cmp(kept, n) == 0;
    mpz_clear(kept);
    return same;
}

// Of the many elements of an array the trace tells those too that no run looks at.
static void bring_into_range(const struct machine *m, mpz_ptr n, const struct sol_type *type)
{
    if (is_in_range(m, n, type))
        return;
    if (type->kind == SOL_T_BOOL || type->kind == SOL_T_ENUM)
        mpz_fdiv_r_ui(n, n, type->kind == SOL_T_BOOL ? 2 : type->node->count);
    else
        machine_wrap(n, type);
}

struct datum machine_outside(struct machine *m, const struct sol_type *type,
                             const struct sol_node *at)
{
    const struct sol_event *event = machine_next_event(m, SOL_EVENT_VALUE, at);
    mpz_ptr n = machine_number(m);
    if (event != NULL && event->sort->kind != SORT_ARRAY) {
        number_of_literal(n, event->sort, event->value);
        if (event->sort->kind == SORT_BV && type->kind == SOL_T_INT)
            machine_wrap(n, type);
        if (!is_in_range(m, n, type))
            machine_stop(m, FLOW_STUCK, at, "a value from outside that its type does not have");
        if (type->kind == SOL_T_STRING && !is_string(n))
            machine_stop(m, FLOW_STUCK, at, "a string that has more contents than bytes");
    }
    return machine_plain(type, n);
}

// An answer from outside that must be the same for the same keys.
struct datum machine_consult(struct machine *m, struct known **list, const char *name,
                             const mpz_ptr *keys, size_t count, const struct sol_type *type,
                             const struct sol_node *at)
{
    struct datum answer = machine_outside(m, type, at);
    if (machine_ended(m))
        return answer;
    for (struct known *k = *list; k != NULL; k = k->next) {
        bool same = strcmp(k->name, name) == 0 && k->count == count;
        for (size_t i = 0; same && i < count; i++)
            same = mpz_cmp(k->keys[i], keys[i]) == 0;
        if (same && mpz_cmp(k->value, answer.number) != 0)
            machine_stop(m, FLOW_STUCK, at, "the trace has two answers to the same question");
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

// Of the contracts that are there the code is known as far as that it is none, or some.
struct datum machine_code(struct machine *m, const char *what, mpz_ptr account,
                          const struct sol_type *type, const struct sol_node *at)
{
    struct datum answer = machine_consult(m, &m->now_known, what, &account, 1, type, at);
    bool here = mpz_cmp(account, m->main->address) == 0, hash = strcmp(what, "codehash") == 0;
    for (struct object *o = m->contracts; o != NULL; o = o->next)
        here |= o->address != NULL && mpz_cmp(account, o->address) == 0;
    for (struct known *k = m->now_known; k != NULL && !machine_ended(m); k = k->next)
        if (k->count == 1 && strncmp(k->name, "code", 4) == 0 && strcmp(k->name, what) != 0 &&
            mpz_cmp(k->keys[0], account) == 0)
            machine_stop(m, FLOW_STUCK, at, "code that is asked for in two ways");
    if (!here || machine_ended(m))
        return answer;
    bool none = strcmp(what, "code") == 0 ? machine_length_of(answer.number) == 0
                                          : mpz_sgn(answer.number) == 0;
    if (hash || none != m->constructing)
        machine_stop(m, FLOW_STUCK, at, "other code than that contract has");
    return answer;
}

static void fill_from(struct machine *m, struct object *array, const struct sol_event *event)
{
    if (event == NULL || event->sort->kind != SORT_ARRAY)
        return;
    const struct term *literal = value_pointer_get(event->value);
    const struct sort *key = event->sort->key, *element = event->sort->element;
    array->otherwise = machine_number(m);
    number_of_literal(array->otherwise, element, term_value(literal->child[0]));
    bring_into_range(m, array->otherwise, array->type->value);
    ENSURE(literal->child_count % 2 == 1); // what all have, then pairs of an index and a value
    for (uint32_t i = 1; i + 1 < literal->child_count; i += 2) {
        mpz_ptr index = machine_number(m), n = machine_number(m);
        number_of_literal(index, key, term_value(literal->child[i]));
        number_of_literal(n, element, term_value(literal->child[i + 1]));
        bring_into_range(m, n, array->type->value);
        struct datum *cell = machine_cell_at(m, array, index, array->type->value);
        cell->number = n;
    }
}

struct datum machine_outside_value(struct machine *m, const struct sol_type *type,
                                   const struct sol_node *at)
{
    if (type->kind == SOL_T_TUPLE) {
        struct datum all = {.type = type, .count = type->member_count};
        all.items = arena_zalloc(&m->arena, (all.count + 1) * sizeof *all.items);
        for (size_t i = 0; i < all.count && !machine_ended(m); i++)
            all.items[i] = machine_outside_value(m, type->members[i], at);
        return all.count == 1 ? all.items[0] : all;
    }
    if (!sol_type_is_reference(type))
        return machine_outside(m, type, at);
    struct datum d = machine_initial(m, type, true);
    if (type->kind == SOL_T_STRUCT) {
        for (size_t i = 0; i < type->node->count && !machine_ended(m); i++) {
            mpz_t key;
            mpz_init_set_ui(key, i);
            const struct sol_type *member = sol_node_type(m->types, type->node->list[i]);
            *machine_cell_at(m, d.object, key, member) = machine_outside_value(m, member, at);
            mpz_clear(key);
        }
    } else if (type->kind == SOL_T_ARRAY && sol_type_is_reference(type->value)) {
        machine_stop(m, FLOW_STUCK, at,
                     "objects inside of an argument, which the trace does not tell");
    } else if (type->kind == SOL_T_ARRAY) {
        if (!type->fixed)
            d.object->length = machine_outside(m, sol_type_of(m->types, "uint256"), at).number;
        fill_from(m, d.object, machine_next_event(m, SOL_EVENT_VALUE, at));
    }
    return d;
}
