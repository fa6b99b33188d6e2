#include "languages/umlrt/code.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "languages/umlrt/code_inside.h"

void code_state_finish(struct code_state *state)
{
    VECTOR_FINISH(&state->attributes);
    VECTOR_FINISH(&state->locals);
    capsule_case_finish(&state->effect);
}

void code_states_finish(struct code_states *states)
{
    for (size_t i = 0; i < states->count; i++)
        code_state_finish(&states->data[i]);
    VECTOR_FINISH(states);
}

static const struct capsule_module *module_of(const struct code_scope *scope)
{
    return &scope->capsules->modules.data[scope->module];
}

struct code_state code_state_start(const struct code_scope *scope)
{
    struct code_state s = {.condition = term_true(scope->capsules->store)};
    const struct capsule_module *m = module_of(scope);
    for (size_t i = 0; i < m->attributes.count; i++)
        VECTOR_PUSH(&s.attributes, m->attributes.data[i].term);
    return s;
}

struct code_state code_state_copy(const struct code_state *state)
{
    struct code_state s = {.condition = state->condition,
                           .returned = state->returned,
                           .beyond = state->beyond,
                           .result = state->result,
                           .effect = capsule_case_copy(&state->effect)};
    for (size_t i = 0; i < state->attributes.count; i++)
        VECTOR_PUSH(&s.attributes, state->attributes.data[i]);
    for (size_t i = 0; i < state->locals.count; i++)
        VECTOR_PUSH(&s.locals, state->locals.data[i]);
    return s;
}

void code_assignments(const struct code_scope *scope, const struct code_state *state,
                      struct capsule_case *out)
{
    const struct capsule_module *m = module_of(scope);
    ENSURE(state->attributes.count == m->attributes.count);
    for (uint32_t i = 0; i < state->attributes.count; i++)
        if (state->attributes.data[i] != m->attributes.data[i].term)
            VECTOR_PUSH(&out->assignments,
                        ((struct capsule_assignment){i, state->attributes.data[i]}));
}

bool code_feasible(const struct code_scope *scope, const struct term *formula)
{
    if (term_is_literal(formula))
        return term_is_true(formula);
    if (scope->solver == NULL)
        return true;
    smt_reset(scope->solver);
    smt_assert(scope->solver, formula);
    return smt_check(scope->solver) != SMT_UNSAT;
}

struct run {
    struct code_scope *scope;
    const char *path;
    bool failed;
};

// More ways through a piece of code than that are not a model that anybody can check.
#define STATES_MOST 4096

static const struct term *fail(struct run *r, const struct code_node *n, enum message_kind kind,
                               const char *what)
{
    if (!r->failed)
        message_add(r->scope->messages, kind, (struct position){r->path, n->line, 0},
                    "action code: `%s`: %s", n->text != NULL ? n->text : "", what);
    r->failed = true;
    return NULL;
}

static bool is_bool(const struct term *t)
{
    return t->sort->kind == SORT_BOOL;
}

// C++ takes numbers for truth values and the other way round.
static const struct term *as_bool(struct run *r, const struct term *t)
{
    struct term_store *store = r->scope->capsules->store;
    if (t == NULL || is_bool(t))
        return t;
    return term_not(store, term_eq(store, t, term_int(store, 0)));
}

static const struct term *as_int(struct run *r, const struct term *t)
{
    struct term_store *store = r->scope->capsules->store;
    if (t == NULL || !is_bool(t))
        return t;
    return term_ite(store, t, term_int(store, 1), term_int(store, 0));
}

static const struct term *as_sort(struct run *r, const struct term *t, bool boolean)
{
    return boolean ? as_bool(r, t) : as_int(r, t);
}

static const struct term *name_value(struct run *r, const struct code_node *n,
                                     const struct code_state *s)
{
    for (size_t i = s->locals.count; i-- > 0;)
        if (strcmp(s->locals.data[i].name, n->text) == 0)
            return s->locals.data[i].value != NULL
                       ? s->locals.data[i].value
                       : fail(r, n, MESSAGE_UNSUPPORTED, "is read before it has a value");
    const struct capsule_signal *trigger = r->scope->trigger;
    static const char PREFIX[] = "umlrtparam_"; // how generated code calls the received values
    const char *plain =
        strncmp(n->text, PREFIX, sizeof PREFIX - 1) == 0 ? n->text + sizeof PREFIX - 1 : n->text;
    for (size_t i = 0; trigger != NULL && i < trigger->variables.count; i++)
        if (strcmp(trigger->variables.data[i].name, n->text) == 0 ||
            strcmp(trigger->variables.data[i].name, plain) == 0)
            return trigger->variables.data[i].term;
    uint32_t a = capsule_find_attribute(module_of(r->scope), n->text);
    if (a != CAPSULE_NONE)
        return s->attributes.data[a];
    return fail(r, n, MESSAGE_UNSUPPORTED,
                "is no attribute with a number or a truth value, and no "
                "local variable or received value");
}

// C++ cuts towards zero; terms divide as Euclid did.
static const struct term *divide(struct run *r, const struct code_node *n, const struct term *a,
                                 const struct term *b)
{
    struct term_store *store = r->scope->capsules->store;
    if (b->kind != TERM_INT || b == term_int(store, 0))
        return fail(r, n, MESSAGE_UNSUPPORTED, "division by something that is no number but 0");
    const struct term *zero = term_int(store, 0);
    const struct term *quotient = term_ite(store, term_le(store, zero, a), term_div(store, a, b),
                                           term_neg(store, term_div(store, term_neg(store, a), b)));
    if (strcmp(n->text, "/") == 0)
        return quotient;
    assert(strcmp(n->text, "%") == 0);
    return term_sub(store, a, term_mul2(store, quotient, b));
}

static const struct term *evaluate(struct run *r, const struct code_node *n,
                                   const struct code_state *s);

static const struct term *binary(struct run *r, const struct code_node *n,
                                 const struct code_state *s)
{
    struct term_store *store = r->scope->capsules->store;
    const struct term *a = evaluate(r, n->first, s), *b = evaluate(r, n->second, s);
    if (a == NULL || b == NULL)
        return NULL;
    const char *op = n->text;
    if (strcmp(op, "&&") == 0)
        return term_and2(store, as_bool(r, a), as_bool(r, b));
    if (strcmp(op, "||") == 0)
        return term_or2(store, as_bool(r, a), as_bool(r, b));
    if (op[0] == '=' || op[0] == '!') {
        if (!is_bool(a) || !is_bool(b)) {
            a = as_int(r, a);
            b = as_int(r, b);
        }
        const struct term *equal = term_eq(store, a, b);
        return op[0] == '=' ? equal : term_not(store, equal);
    }
    a = as_int(r, a);
    b = as_int(r, b);
    if (op[0] == '<')
        return op[1] == '=' ? term_le(store, a, b) : term_lt(store, a, b);
    if (op[0] == '>')
        return op[1] == '=' ? term_le(store, b, a) : term_lt(store, b, a);
    if (op[0] == '+')
        return term_add2(store, a, b);
    if (op[0] == '-')
        return term_sub(store, a, b);
    if (op[0] == '*')
        return term_mul2(store, a, b);
    return divide(r, n, a, b);
}

static const struct term *received(struct run *r, const struct code_node *n)
{
    if (r->scope->trigger == NULL || r->scope->trigger->variables.count != 1)
        return fail(r, n, MESSAGE_UNSUPPORTED, "rtdata of a trigger without one value");
    return r->scope->trigger->variables.data[0].term;
}

static const struct term *evaluate(struct run *r, const struct code_node *n,
                                   const struct code_state *s)
{
    struct term_store *store = r->scope->capsules->store;
    const struct term *a, *b, *c;
    switch (n->kind) {
    case CODE_NUMBER:
        return term_int_text(store, n->text);
    case CODE_TRUE:
    case CODE_FALSE:
        return term_bool(store, n->kind == CODE_TRUE);
    case CODE_NAME:
        return name_value(r, n, s);
    case CODE_RECEIVED:
        return received(r, n);
    case CODE_NOT:
        a = as_bool(r, evaluate(r, n->first, s));
        return a != NULL ? term_not(store, a) : NULL;
    case CODE_MINUS:
        a = as_int(r, evaluate(r, n->first, s));
        return a != NULL ? term_neg(store, a) : NULL;
    case CODE_BINARY:
        return binary(r, n, s);
    case CODE_CHOOSE:
        a = as_bool(r, evaluate(r, n->first, s));
        b = evaluate(r, n->second, s);
        c = evaluate(r, n->third, s);
        if (a == NULL || b == NULL || c == NULL)
            return NULL;
        if (b->sort != c->sort) {
            b = as_int(r, b);
            c = as_int(r, c);
        }
        return term_ite(store, a, b, c);
    default:
        return fail(r, n, MESSAGE_ERROR, "no expression");
    }
}

static bool execute(struct run *r, const struct code_node *n, struct code_states *states);

static bool set_name(struct run *r, const struct code_node *n, struct code_state *s,
                     const struct term *value)
{
    if (value == NULL)
        return false;
    for (size_t i = s->locals.count; i-- > 0;)
        if (strcmp(s->locals.data[i].name, n->text) == 0) {
            s->locals.data[i].value = as_sort(r, value, s->locals.data[i].boolean);
            return true;
        }
    uint32_t a = capsule_find_attribute(module_of(r->scope), n->text);
    if (a == CAPSULE_NONE)
        return fail(r, n, MESSAGE_UNSUPPORTED,
                    "is no attribute with a number or a truth value, and no local variable") !=
               NULL;
    s->attributes.data[a] =
        as_sort(r, value, is_bool(module_of(r->scope)->attributes.data[a].term));
    return true;
}

static bool send(struct run *r, const struct code_node *n, struct code_state *s)
{
    const struct capsule_module *m = module_of(r->scope);
    uint32_t number = capsule_find_signal(m, n->text);
    if (number == CAPSULE_NONE || !m->signals.data[number].out) {
        // The same message may also come in by this port, under the same name, or it goes both ways.
        size_t length = strlen(n->text);
        for (number = 0; number < m->signals.count; number++) {
            const char *name = m->signals.data[number].name;
            if (m->signals.data[number].out && strncmp(name, n->text, length) == 0 &&
                (name[length] == '\0' || strcmp(name + length, ".out") == 0))
                break;
        }
        if (number == m->signals.count)
            return fail(r, n, MESSAGE_UNSUPPORTED, "is no message that the port can send") != NULL;
    }
    const struct capsule_signal *signal = &m->signals.data[number];
    ENSURE(signal->out);
    struct capsule_output output = {.signal = number};
    bool fine = n->list.count == signal->variables.count;
    if (!fine)
        fail(r, n, MESSAGE_ERROR, "another number of values than the message has");
    for (size_t i = 0; fine && i < n->list.count; i++) {
        const struct term *v =
            as_sort(r, evaluate(r, n->list.data[i], s), is_bool(signal->variables.data[i].term));
        fine = v != NULL;
        VECTOR_PUSH(&output.arguments, v);
    }
    VECTOR_PUSH(&s->effect.outputs, output);
    return fine;
}

static bool contains(const struct capsule_numbers *numbers, uint32_t number)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (numbers->data[i] == number)
            return true;
    return false;
}

static void add_once(struct capsule_numbers *numbers, uint32_t number)
{
    if (!contains(numbers, number))
        VECTOR_PUSH(numbers, number);
}

static bool change_part(struct run *r, const struct code_node *n, struct code_state *s)
{
    const struct capsule_module *m = module_of(r->scope);
    uint32_t part = capsule_find_part(m, n->text);
    if (part == CAPSULE_NONE || m->parts.data[part].fixed)
        return fail(r, n, MESSAGE_UNSUPPORTED, "is no optional part") != NULL;
    // An effect makes parts, then sends, then destroys: what the code does in another order it would do differently.
    if (n->kind == CODE_CREATE &&
        (s->effect.outputs.count > 0 || contains(&s->effect.destroyed, part)))
        return fail(r, n, MESSAGE_UNSUPPORTED,
                    "is made behind a send, or behind its end, in one step") != NULL;
    add_once(n->kind == CODE_CREATE ? &s->effect.created : &s->effect.destroyed, part);
    return true;
}

static bool set_timer(struct run *r, const struct code_node *n, struct code_state *s)
{
    uint32_t timer = capsule_find_timer(module_of(r->scope), n->text);
    assert(timer !=
           CAPSULE_NONE); // what else a name with a point may be, code_parse has tried before
    add_once(&s->effect.timers, timer);
    for (size_t i = 0; n->flag && i < r->scope->periodic.count; i++)
        if (strcmp(r->scope->periodic.data[i], n->text) == 0)
            return true;
    if (n->flag)
        VECTOR_PUSH(&r->scope->periodic, n->text);
    return true;
}

// One state, no branching.
static bool simple(struct run *r, const struct code_node *n, struct code_state *s)
{
    const struct term *value = NULL;
    switch (n->kind) {
    case CODE_DECLARE:
        if (n->first != NULL) {
            value = as_sort(r, evaluate(r, n->first, s), n->flag);
            if (value == NULL)
                return false;
        }
        VECTOR_PUSH(&s->locals, ((struct code_local){n->text, n->flag, value}));
        return true;
    case CODE_ASSIGN:
        return set_name(r, n, s, evaluate(r, n->first, s));
    case CODE_RETURN:
        if (n->first != NULL) {
            s->result = evaluate(r, n->first, s);
            if (s->result == NULL)
                return false;
        }
        s->returned = true;
        return true;
    case CODE_SEND:
        return send(r, n, s);
    case CODE_CREATE:
    case CODE_DESTROY:
        return change_part(r, n, s);
    case CODE_TIMER:
        return set_timer(r, n, s);
    default:
        assert(n->kind == CODE_NOTHING);
        return true;
    }
}

static void append(struct code_states *to, struct code_states *from)
{
    for (size_t i = 0; i < from->count; i++)
        VECTOR_PUSH(to, from->data[i]);
    VECTOR_FINISH(from);
}

// Parts the states by a condition; those where it cannot be, or cannot fail, go to one side only.
static bool split(struct run *r, const struct code_node *condition, struct code_states *states,
                  struct code_states *yes, struct code_states *no)
{
    struct term_store *store = r->scope->capsules->store;
    bool fine = true;
    for (size_t i = 0; i < states->count; i++) {
        struct code_state *s = &states->data[i];
        const struct term *c = fine && !s->returned ? as_bool(r, evaluate(r, condition, s)) : NULL;
        if (c == NULL) {
            fine = fine && s->returned;
            VECTOR_PUSH(no, *s);
            continue;
        }
        assert(is_bool(c));
        const struct term *with = term_and2(store, s->condition, c);
        const struct term *without = term_and2(store, s->condition, term_not(store, c));
        if (code_feasible(r->scope, with)) {
            struct code_state copy = code_state_copy(s);
            copy.condition = with;
            VECTOR_PUSH(yes, copy);
        }
        if (code_feasible(r->scope, without)) {
            s->condition = without;
            VECTOR_PUSH(no, *s);
        } else {
            code_state_finish(s);
        }
    }
    VECTOR_FINISH(states);
    return fine;
}

static bool branch(struct run *r, const struct code_node *n, struct code_states *states)
{
    struct code_states yes = {0}, no = {0};
    bool fine = split(r, n->first, states, &yes, &no) && execute(r, n->second, &yes) &&
                (n->third == NULL || execute(r, n->third, &no));
    append(states, &yes);
    append(states, &no);
    return fine;
}

static bool loop(struct run *r, const struct code_node *n, struct code_states *states)
{
    struct code_states out = {0};
    bool fine = !n->flag || execute(r, n->second, states);
    for (unsigned round = 0; fine && states->count > 0; round++) {
        struct code_states yes = {0};
        fine = split(r, n->first, states, &yes, &out);
        if (round == r->scope->loop_bound) {
            // What goes on longer stops here, and says so.
            for (size_t i = 0; i < yes.count; i++)
                yes.data[i].beyond = true;
            append(&out, &yes);
            break;
        }
        fine =
            fine && execute(r, n->second, &yes) && (n->third == NULL || execute(r, n->third, &yes));
        append(states, &yes);
    }
    append(&out, states);
    *states = out;
    return fine;
}

// What a statement has declared inside is gone behind it, and hides nothing any more.
static void close_scope(struct code_states *states, size_t locals)
{
    for (size_t i = 0; i < states->count; i++)
        if (states->data[i].locals.count > locals)
            states->data[i].locals.count = locals;
}

static bool execute_inside(struct run *r, const struct code_node *n, struct code_states *states)
{
    if (states->count > STATES_MOST)
        return fail(r, n, MESSAGE_UNSUPPORTED, "more than 4096 ways through the code") != NULL;
    bool fine = true;
    switch (n->kind) {
    case CODE_BLOCK:
        for (size_t i = 0; fine && i < n->list.count; i++)
            fine = execute(r, n->list.data[i], states);
        return fine;
    case CODE_IF:
        return branch(r, n, states);
    case CODE_WHILE:
        return loop(r, n, states);
    default:
        for (size_t i = 0; fine && i < states->count; i++)
            if (!states->data[i].returned && !states->data[i].beyond)
                fine = simple(r, n, &states->data[i]);
        return fine;
    }
}

static bool execute(struct run *r, const struct code_node *n, struct code_states *states)
{
    size_t locals = 0; // ways that have returned may have fewer
    for (size_t i = 0; i < states->count; i++)
        if (states->data[i].locals.count > locals)
            locals = states->data[i].locals.count;
    bool fine = execute_inside(r, n, states);
    if (n->kind == CODE_BLOCK || n->kind == CODE_IF || n->kind == CODE_WHILE)
        close_scope(states, locals);
    return fine;
}

bool code_run(struct code_scope *scope, const char *path, unsigned line, const char *text,
              struct code_states *states)
{
    struct code_node *owner = NULL;
    struct code_node *n = code_parse(scope, path, line, text, &scope->capsules->arena, &owner);
    struct run r = {scope, path, false};
    for (size_t i = 0; i < states->count; i++) {
        VECTOR_CLEAR(&states->data[i].locals);
        states->data[i].result = NULL;
    }
    bool fine = n != NULL && execute(&r, n, states);
    for (size_t i = 0; i < states->count; i++)
        states->data[i].returned = false;
    code_free(owner);
    return fine;
}
