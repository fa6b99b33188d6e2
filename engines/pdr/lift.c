#include "engines/pdr/lift.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/eval.h"

// The condition, backwards along the branches taken. Assignments wait in a map and are put in together, so
// that a block of independent assignments costs one pass.
struct walk {
    struct monolith *m;
    struct smt *smt;
    const struct edge *edge;
    const struct term *post;
    const struct term **map; // per variable, NULL = itself
    bool *needed, *range;    // variables in post; variables in the terms of the map
    bool waiting;            // the map is not empty
};

static void add_variables(struct walk *w, const struct term *term, bool *set)
{
    struct term_vector found = {0};
    rewrite_free_variables(term, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct variable *v = model_variable_of(w->m->model, found.data[i]);
        if (v != NULL)
            set[v->index] = true;
    }
    VECTOR_FINISH(&found);
}

static const struct term *mapped(void *context, const struct term *variable)
{
    const struct walk *w = context;
    const struct variable *v = model_variable_of(w->m->model, variable);
    return v != NULL && w->map[v->index] != NULL ? w->map[v->index] : variable;
}

static void flush(struct walk *w)
{
    uint32_t count = w->m->model->variable_count;
    if (!w->waiting)
        return;
    w->post = rewrite_substitute(w->m->store, w->post, mapped, w);
    memset(w->map, 0, count * sizeof *w->map);
    memset(w->range, 0, count);
    memset(w->needed, 0, count);
    add_variables(w, w->post, w->needed);
    w->waiting = false;
}

static void assign(struct walk *w, const struct variable *v, const struct term *value)
{
    if (w->range[v->index])
        flush(w);
    if (!w->needed[v->index] || w->map[v->index] != NULL)
        return;
    assert(value->sort == v->sort);
    w->map[v->index] = value;
    add_variables(w, value, w->range);
    w->waiting = true;
}

static void assume(struct walk *w, const struct term *condition)
{
    flush(w);
    w->post = term_and2(w->m->store, w->post, condition);
    add_variables(w, condition, w->needed);
}

static const struct term *havoc_value(struct walk *w, const struct statement *s)
{
    const struct encoded_step *step = &w->m->steps[w->edge->id];
    for (size_t i = 0; i < step->havoc_count; i++)
        if (step->havoc[i] == s)
            return smt_model_value(w->smt, step->havoc_copy[i]);
    return NULL;
}

static int branch_taken(struct walk *w, const struct statement *s)
{
    for (uint32_t b = 0; b < s->child_count; b++) {
        const struct term *value =
            smt_model_value(w->smt, encoder_selector(w->m->workspace->encoder, s, b, 0));
        if (value != NULL && term_is_true(value))
            return (int)b;
    }
    return -1;
}

static bool back(struct walk *w, const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
        return true;
    case STATEMENT_ASSUME:
        assume(w, s->expression);
        return true;
    case STATEMENT_ASSIGN:
        assign(w, s->variable, s->expression);
        return true;
    case STATEMENT_HAVOC: {
        if (!w->needed[s->variable->index] && !w->range[s->variable->index])
            return true;
        const struct term *value = havoc_value(w, s);
        if (value != NULL)
            assign(w, s->variable, value);
        return value != NULL;
    }
    case STATEMENT_SEQUENCE:
        for (uint32_t i = s->child_count; i-- > 0;)
            if (!back(w, s->child[i]))
                return false;
        return true;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        break;
    }
    int branch = branch_taken(w, s);
    if (branch < 0 || !back(w, s->child[branch]))
        return false;
    if (s->kind == STATEMENT_IF)
        assume(w, branch == 0 ? s->expression : term_not(w->m->store, s->expression));
    return true;
}

const struct term *lift_condition(struct monolith *m, struct smt *smt, const struct edge *edge,
                                  const struct term *post)
{
    size_t count = m->model->variable_count + 1;
    struct walk w = {
        .m = m,
        .smt = smt,
        .edge = edge,
        .post = post,
        .map = memory_zalloc(count * sizeof(struct term *)),
        .needed = memory_zalloc(count),
        .range = memory_zalloc(count),
    };
    add_variables(&w, post, w.needed);
    bool good = back(&w, edge->action);
    if (good)
        flush(&w);
    memory_free(w.map);
    memory_free(w.needed);
    memory_free(w.range);
    return good ? w.post : NULL;
}

// Justification.

struct justify {
    struct monolith *m;
    struct smt *smt;
    struct evaluator *evaluator;
    const struct term **value; // of variables, by term id
    uint8_t *known;            // of Boolean terms, by term id: 1 false, 2 true, 3 unknown
    uint8_t *seen;
    bool good;
};

static struct value look_up(void *context, const struct term *variable)
{
    struct justify *j = context;
    const struct term **slot = &j->value[variable->id];
    if (*slot == NULL)
        *slot = smt_model_value(j->smt, variable);
    if (*slot == NULL)
        j->good = false;
    return *slot != NULL ? term_value(*slot) : VALUE_UNKNOWN;
}

static bool is_structure(const struct term *t)
{
    switch (t->kind) {
    case TERM_NOT:
    case TERM_AND:
    case TERM_OR:
        return true;
    case TERM_EQ:
        return t->child[0]->sort->kind == SORT_BOOL;
    case TERM_ITE:
        return t->sort->kind == SORT_BOOL;
    default:
        return false;
    }
}

static uint8_t combine(const struct justify *j, const struct term *t)
{
    const uint8_t *k = j->known;
    uint8_t a = k[t->child[0]->id];
    assert(a != 0 && "children first");
    switch (t->kind) {
    case TERM_NOT:
        return a == 3 ? 3 : 3 - a;
    case TERM_AND:
    case TERM_OR: {
        uint8_t absorbing = t->kind == TERM_AND ? 1 : 2, result = 3 - absorbing;
        for (uint32_t i = 0; i < t->child_count; i++) {
            if (k[t->child[i]->id] == absorbing)
                return absorbing;
            if (k[t->child[i]->id] == 3)
                result = 3;
        }
        return result;
    }
    case TERM_EQ:
        return a == 3 || k[t->child[1]->id] == 3 ? 3 : a == k[t->child[1]->id] ? 2 : 1;
    default:
        return a == 3 ? 3 : k[t->child[a == 2 ? 1 : 2]->id];
    }
}

static void evaluate(struct justify *j, const struct term *root)
{
    struct term_vector todo = {0};
    VECTOR_PUSH(&todo, root);
    while (todo.count) {
        const struct term *t = VECTOR_LAST(&todo);
        bool ready = true;
        if (j->known[t->id]) {
            todo.count--;
            continue;
        }
        if (!is_structure(t)) {
            struct value v = evaluator_run(j->evaluator, t, look_up, j);
            j->known[t->id] = !value_known(v) ? 3 : value_is_true(v) ? 2 : 1;
            todo.count--;
            continue;
        }
        for (uint32_t i = 0; i < t->child_count; i++)
            if (!j->known[t->child[i]->id]) {
                VECTOR_PUSH(&todo, t->child[i]);
                ready = false;
            }
        if (ready) {
            j->known[t->id] = combine(j, t);
            todo.count--;
        }
    }
    VECTOR_FINISH(&todo);
}

// The child that alone decides an AND or OR: rather one that is needed anyway.
static const struct term *decider(const struct justify *j, const struct term *t, uint8_t value)
{
    assert(t->kind == TERM_AND || t->kind == TERM_OR);
    const struct term *found = NULL;
    for (uint32_t i = 0; i < t->child_count; i++) {
        if (j->known[t->child[i]->id] != value)
            continue;
        if (j->seen[t->child[i]->id])
            return t->child[i];
        if (found == NULL)
            found = t->child[i];
    }
    assert(found != NULL);
    return found;
}

static void push_all(struct term_vector *todo, const struct term *t)
{
    for (uint32_t i = 0; i < t->child_count; i++)
        VECTOR_PUSH(todo, t->child[i]);
}

static void collect(struct justify *j, const struct term *root, struct term_vector *out)
{
    struct term_vector todo = {0};
    VECTOR_PUSH(&todo, root);
    while (todo.count) {
        const struct term *t = VECTOR_POP(&todo);
        if (j->seen[t->id] || !(t->flags & TERM_HAS_VARIABLE))
            continue;
        j->seen[t->id] = 1;
        uint8_t value = j->known[t->id];
        if (t->kind == TERM_VAR) {
            VECTOR_PUSH(out, t);
        } else if (!is_structure(t)) {
            push_all(&todo, t); // inside an atom everything counts
        } else if (value && (t->kind == TERM_AND || t->kind == TERM_OR) &&
                   value == (t->kind == TERM_AND ? 1 : 2)) {
            VECTOR_PUSH(&todo, decider(j, t, value));
        } else if (value && t->kind == TERM_ITE && j->known[t->child[0]->id] != 3) {
            VECTOR_PUSH(&todo, t->child[0]);
            VECTOR_PUSH(&todo, t->child[j->known[t->child[0]->id] == 2 ? 1 : 2]);
        } else {
            push_all(&todo, t);
        }
    }
    VECTOR_FINISH(&todo);
}

bool lift_justify(struct monolith *m, struct smt *smt, const struct term *condition,
                  struct term_vector *out, struct term_vector *values)
{
    size_t ids = term_store_next_id(m->store) + 1;
    struct justify j = {
        .m = m,
        .smt = smt,
        .evaluator = evaluator_create(m->store),
        .value = memory_zalloc(ids * sizeof(struct term *)),
        .known = memory_zalloc(ids),
        .seen = memory_zalloc(ids),
        .good = true,
    };
    evaluate(&j, condition);
    // Where the values do not decide it (a division by zero), all variables stay.
    bool decided = j.known[condition->id] == 2;
    if (decided)
        collect(&j, condition, out);
    else
        rewrite_free_variables(condition, out);
    for (size_t i = 0; i < out->count; i++) {
        look_up(&j, out->data[i]);
        VECTOR_PUSH(values, j.value[out->data[i]->id]);
    }
    assert(out->count == values->count);
    evaluator_destroy(j.evaluator);
    memory_free(j.value);
    memory_free(j.known);
    memory_free(j.seen);
    return j.good;
}
