#include "languages/umlrt/translate.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/umlrt/capsules_view.h"

// Each part: is it there, its location (0: initial, else one more than its number), its attributes and timers. Each module's
// queue: how long it is, and for each place the receiver, the signal and the values. One location, one edge for each thing
// that a part can do.

struct translation {
    const struct capsules *capsules;
    struct model_builder *builder;
    struct term_store *store;
    struct position at;
    uint32_t bound;
    bool head_only;
    const struct capsule_atom *step_atom; // capsules_view.step_atom
    const struct variable *happened;      // such a step was taken; NULL: nobody asks
    struct part_variables *parts;
    struct queue_variables *queues;
    const struct variable **received; // values of the signal that a step takes; numbers
    uint32_t received_count;
    struct location *run, *error;
    struct capsules_view *view;
};

struct statements { // a VECTOR
    struct statement **data;
    size_t count, capacity;
};

static struct statement *sequence(struct translation *t, struct statements *list)
{
    struct statement *s = list->count == 0
                              ? model_skip(t->builder, t->at)
                              : model_sequence(t->builder, list->data, list->count, t->at);
    VECTOR_FINISH(list);
    return s;
}

static void add(struct statements *list, struct statement *s)
{
    VECTOR_PUSH(list, s);
}

static void assign(struct translation *t, struct statements *list, const struct variable *v,
                   const struct term *value)
{
    add(list, model_assign(t->builder, v, value, t->at));
}

static void assume(struct translation *t, struct statements *list, const struct term *condition)
{
    if (!term_is_true(condition))
        add(list, model_assume(t->builder, condition, t->at));
}

static const struct term *number(struct translation *t, int64_t n)
{
    return term_int(t->store, n);
}

static const struct term *is_number(struct translation *t, const struct variable *v, int64_t n)
{
    return term_eq(t->store, v->term, number(t, n));
}

static const struct capsule_module *module_at(const struct translation *t, uint32_t instance)
{
    return capsules_module_of(t->capsules, instance);
}

// Terms of the capsules' store over again in the model's.
struct place {
    struct translation *t;
    uint32_t instance;
    const struct capsule_signal *signal; // whose values are `received`; NULL: none
};

static const struct term *from_number(struct translation *t, const struct term *value,
                                      const struct sort *wanted)
{
    if (wanted->kind != SORT_BOOL)
        return value;
    return term_not(t->store, term_eq(t->store, value, number(t, 0)));
}

static const struct term *to_number(struct translation *t, const struct term *value)
{
    if (value->sort->kind != SORT_BOOL)
        return value;
    return term_ite(t->store, value, number(t, 1), number(t, 0));
}

static const struct term *import_variable(const struct place *p, const struct term *v)
{
    const struct capsule_module *m = module_at(p->t, p->instance);
    for (size_t i = 0; i < m->attributes.count; i++)
        if (m->attributes.data[i].term == v)
            return p->t->parts[p->instance].attributes[i]->term;
    for (size_t i = 0; p->signal != NULL && i < p->signal->variables.count; i++)
        if (p->signal->variables.data[i].term == v)
            return from_number(p->t, p->t->received[i]->term, v->sort);
    assert(false);
    return NULL;
}

static const struct term *import(const struct place *p, const struct term *x);

static const struct term *import_joined(const struct place *p, const struct term *x)
{
    struct term_store *store = p->t->store;
    const struct term **children = memory_alloc(x->child_count * sizeof *children);
    for (uint32_t i = 0; i < x->child_count; i++)
        children[i] = import(p, x->child[i]);
    const struct term *out = x->kind == TERM_AND   ? term_and(store, children, x->child_count)
                             : x->kind == TERM_OR  ? term_or(store, children, x->child_count)
                             : x->kind == TERM_ADD ? term_add(store, children, x->child_count)
                                                   : term_mul(store, children, x->child_count);
    memory_free(children);
    return out;
}

static const struct term *import_literal(struct translation *t, const struct term *x)
{
    if (x->kind == TERM_BOOL)
        return term_bool(t->store, term_is_true(x));
    struct value v = term_value(x);
    return value_is_small(v) ? number(t, value_small_get(v)) : term_int_text(t->store, x->u.text);
}

static const struct term *import(const struct place *p, const struct term *x)
{
    struct term_store *store = p->t->store;
    if (term_is_literal(x))
        return import_literal(p->t, x);
    switch (x->kind) {
    case TERM_VAR:
        return import_variable(p, x);
    case TERM_AND:
    case TERM_OR:
    case TERM_ADD:
    case TERM_MUL:
        return import_joined(p, x);
    default:
        break;
    }
    const struct term *a = import(p, x->child[0]);
    const struct term *b = x->child_count > 1 ? import(p, x->child[1]) : NULL;
    switch (x->kind) {
    case TERM_NOT:
        return term_not(store, a);
    case TERM_EQ:
        return term_eq(store, a, b);
    case TERM_LE:
        return term_le(store, a, b);
    case TERM_LT:
        return term_lt(store, a, b);
    case TERM_DIV:
        return term_div(store, a, b);
    case TERM_MOD:
        return term_mod(store, a, b);
    case TERM_REM:
        return term_rem(store, a, b);
    default:
        assert(x->kind == TERM_ITE);
        return term_ite(store, a, b, import(p, x->child[2]));
    }
}

// Variables.

static const struct variable *new_variable(struct translation *t, const struct sort *sort,
                                           uint32_t flags, const char *first, const char *second,
                                           const char *third, uint32_t n)
{
    struct text name = {0};
    text_printf(&name, "%s.%s%s", first, second, third);
    if (n != CAPSULE_NONE)
        text_printf(&name, "%u", n);
    const struct variable *v =
        model_builder_fresh(t->builder, text_string(&name), sort, flags, t->at);
    text_finish(&name);
    return v;
}

static void make_part(struct translation *t, uint32_t i)
{
    const struct sort *truth = sort_bool(t->store), *numbers = sort_int(t->store);
    const char *path = t->capsules->instances.data[i].path;
    const struct capsule_module *m = module_at(t, i);
    struct part_variables *p = &t->parts[i];
    p->there = new_variable(t, truth, 0, path, "there", "", CAPSULE_NONE);
    p->location = new_variable(t, numbers, VARIABLE_CONTROL, path, "location", "", CAPSULE_NONE);
    p->attributes = memory_alloc((m->attributes.count + 1) * sizeof *p->attributes);
    p->fresh = memory_alloc((m->attributes.count + 1) * sizeof *p->fresh);
    p->timers = memory_alloc((m->timers.count + 1) * sizeof *p->timers);
    for (size_t a = 0; a < m->attributes.count; a++) {
        const struct sort *sort =
            m->attributes.data[a].term->sort->kind == SORT_BOOL ? truth : numbers;
        p->attributes[a] =
            new_variable(t, sort, 0, path, "", m->attributes.data[a].name, CAPSULE_NONE);
        p->fresh[a] = new_variable(t, sort, VARIABLE_LOCAL, path, "new.",
                                   m->attributes.data[a].name, CAPSULE_NONE);
    }
    for (size_t j = 0; j < m->timers.count; j++)
        p->timers[j] =
            new_variable(t, truth, 0, path, "timer.", m->timers.data[j].name, CAPSULE_NONE);
}

static void make_queue(struct translation *t, uint32_t m)
{
    const struct sort *numbers = sort_int(t->store);
    const struct capsule_module *module = &t->capsules->modules.data[m];
    struct queue_variables *q = &t->queues[m];
    for (size_t s = 0; s < module->signals.count; s++)
        if (module->signals.data[s].variables.count > q->arity)
            q->arity = (uint32_t)module->signals.data[s].variables.count;
    q->length = new_variable(t, numbers, 0, module->name, "queue", "", CAPSULE_NONE);
    q->slots = memory_zalloc(t->bound * sizeof *q->slots);
    for (uint32_t k = 0; k < t->bound; k++) {
        struct slot_variables *slot = &q->slots[k];
        slot->receiver = new_variable(t, numbers, 0, module->name, "receiver", "", k);
        slot->signal = new_variable(t, numbers, 0, module->name, "signal", "", k);
        slot->values = memory_alloc((q->arity + 1) * sizeof *slot->values);
        for (uint32_t v = 0; v < q->arity; v++)
            slot->values[v] = new_variable(t, numbers, 0, module->name, "value",
                                           v == 0   ? ""
                                           : v == 1 ? "b"
                                                    : "c",
                                           k);
    }
    if (q->arity > t->received_count)
        t->received_count = q->arity;
}

static void make_variables(struct translation *t)
{
    t->parts = memory_zalloc(t->capsules->instances.count * sizeof *t->parts);
    t->queues = memory_zalloc(t->capsules->modules.count * sizeof *t->queues);
    for (uint32_t i = 0; i < t->capsules->instances.count; i++)
        make_part(t, i);
    for (uint32_t m = 0; m < t->capsules->modules.count; m++)
        make_queue(t, m);
    t->received = memory_alloc((t->received_count + 1) * sizeof *t->received);
    for (uint32_t v = 0; v < t->received_count; v++)
        t->received[v] =
            new_variable(t, sort_int(t->store), VARIABLE_LOCAL, "step", "value", "", v);
}

static void free_variables(struct capsules_view *view, const struct capsules *capsules)
{
    for (size_t i = 0; i < capsules->instances.count; i++) {
        memory_free(view->parts[i].attributes);
        memory_free(view->parts[i].fresh);
        memory_free(view->parts[i].timers);
    }
    for (size_t m = 0; m < capsules->modules.count; m++) {
        for (uint32_t k = 0; k < view->bound; k++)
            memory_free(view->queues[m].slots[k].values);
        memory_free(view->queues[m].slots);
    }
    memory_free(view->parts);
    memory_free(view->queues);
    memory_free(view->received);
    VECTOR_FINISH(&view->edges);
    memory_free(view);
}

void capsules_view_destroy(struct model_view *base)
{
    struct capsules_view *view = (struct capsules_view *)base;
    struct capsules *capsules = view->capsules;
    if (view->has_question)
        capsule_question_finish(&view->question);
    struct language_source *source = view->source;
    free_variables(view, capsules);
    capsules_destroy(capsules);
    language_source_release(source);
}

// Parts and queues.

static void reset_part(struct translation *t, uint32_t i, struct statements *list)
{
    const struct capsule_module *m = module_at(t, i);
    for (size_t a = 0; a < m->attributes.count; a++)
        assign(t, list, t->parts[i].attributes[a],
               import_literal(t, m->attributes.data[a].initial));
    for (size_t j = 0; j < m->timers.count; j++)
        assign(t, list, t->parts[i].timers[j], term_false(t->store));
}

static struct statement *create(struct translation *t, uint32_t i)
{
    struct statements list = {0};
    const struct capsule_instance *node = &t->capsules->instances.data[i];
    const struct capsule_module *m = module_at(t, i);
    reset_part(t, i, &list);
    assign(t, &list, t->parts[i].there, term_true(t->store));
    assign(t, &list, t->parts[i].location, number(t, m->initial == CAPSULE_NONE ? 1 : 0));
    for (size_t c = 0; c < node->children.count; c++)
        if (m->parts.data[c].fixed)
            add(&list, create(t, node->children.data[c]));
    return model_if(t->builder, t->parts[i].there->term, model_skip(t->builder, t->at),
                    sequence(t, &list), t->at);
}

static void clear_slot(struct translation *t, struct queue_variables *q, uint32_t k,
                       struct statements *list)
{
    assign(t, list, q->slots[k].receiver, number(t, 0));
    assign(t, list, q->slots[k].signal, number(t, 0));
    for (uint32_t v = 0; v < q->arity; v++)
        assign(t, list, q->slots[k].values[v], number(t, 0));
}

static void remove_slot(struct translation *t, struct queue_variables *q, uint32_t k,
                        struct statements *list)
{
    assert(k < t->bound);
    for (uint32_t j = k; j + 1 < t->bound; j++) {
        assign(t, list, q->slots[j].receiver, q->slots[j + 1].receiver->term);
        assign(t, list, q->slots[j].signal, q->slots[j + 1].signal->term);
        for (uint32_t v = 0; v < q->arity; v++)
            assign(t, list, q->slots[j].values[v], q->slots[j + 1].values[v]->term);
    }
    clear_slot(t, q, t->bound - 1, list);
    assign(t, list, q->length, term_sub(t->store, q->length->term, number(t, 1)));
}

static void purge(struct translation *t, uint32_t i, struct statements *list)
{
    struct queue_variables *q = &t->queues[t->capsules->instances.data[i].module];
    for (uint32_t k = t->bound; k-- > 0;) {
        struct statements body = {0};
        remove_slot(t, q, k, &body);
        const struct term *mine =
            term_and2(t->store, term_lt(t->store, number(t, k), q->length->term),
                      is_number(t, q->slots[k].receiver, i));
        add(list,
            model_if(t->builder, mine, sequence(t, &body), model_skip(t->builder, t->at), t->at));
    }
}

static void destroy(struct translation *t, uint32_t i, struct statements *list)
{
    const struct capsule_instance *node = &t->capsules->instances.data[i];
    for (size_t c = 0; c < node->children.count; c++)
        destroy(t, node->children.data[c], list);
    reset_part(t, i, list);
    assign(t, list, t->parts[i].there, term_false(t->store));
    assign(t, list, t->parts[i].location, number(t, 0));
    purge(t, i, list);
}

// A step of the kind that the question is about.
static struct statement *note_if(struct translation *t, bool asked)
{
    return asked ? model_assign(t->builder, t->happened, term_true(t->store), t->at)
                 : model_skip(t->builder, t->at);
}

static bool asks(const struct translation *t, enum capsule_atom_kind kind)
{
    return t->step_atom != NULL && t->step_atom->kind == kind;
}

static bool loses(const struct translation *t, uint32_t module)
{
    return asks(t, ATOM_BOUNDED) ||
           (asks(t, ATOM_OVERFLOW) &&
            (t->step_atom->signal == NULL ||
             strcmp(t->step_atom->signal, t->capsules->modules.data[module].name) == 0));
}

static bool drops(const struct translation *t, const struct capsule_signal *signal)
{
    return asks(t, ATOM_DROPPED) && (t->step_atom->signal == NULL ||
                                     capsule_signal_named(signal->name, t->step_atom->signal));
}

// At the end of the queue, or lost.
static struct statement *enqueue(struct translation *t, const struct place *p,
                                 const struct capsule_output *output, struct capsule_route route)
{
    uint32_t module = t->capsules->instances.data[route.receiver].module;
    struct queue_variables *q = &t->queues[module];
    ENSURE(output->arguments.count <= q->arity);
    struct statement *out = note_if(t, loses(t, module));
    for (uint32_t k = t->bound; k-- > 0;) {
        struct statements body = {0};
        assign(t, &body, q->slots[k].receiver, number(t, route.receiver));
        assign(t, &body, q->slots[k].signal, number(t, route.signal));
        for (size_t v = 0; v < output->arguments.count; v++)
            assign(t, &body, q->slots[k].values[v],
                   to_number(t, import(p, output->arguments.data[v])));
        assign(t, &body, q->length, number(t, (int64_t)k + 1));
        out = model_if(t->builder, is_number(t, q->length, k), sequence(t, &body), out, t->at);
    }
    return out;
}

static void perform(struct translation *t, const struct place *p,
                    const struct capsule_transition *transition, const struct capsule_case *c,
                    struct statements *list)
{
    ENSURE(!c->bound_exceeded);
    const struct capsule_instance *node = &t->capsules->instances.data[p->instance];
    struct part_variables *own = &t->parts[p->instance];
    for (size_t i = 0; i < c->created.count; i++)
        add(list, create(t, node->children.data[c->created.data[i]]));
    for (size_t i = 0; i < c->outputs.count; i++) {
        struct capsule_route route = node->routes.data[c->outputs.data[i].signal];
        if (route.receiver != CAPSULE_NONE)
            add(list, enqueue(t, p, &c->outputs.data[i], route));
    }
    for (size_t i = 0; i < c->assignments.count; i++)
        assign(t, list, own->fresh[c->assignments.data[i].attribute],
               import(p, c->assignments.data[i].value));
    for (size_t i = 0; i < c->assignments.count; i++) {
        uint32_t a = c->assignments.data[i].attribute;
        assign(t, list, own->attributes[a], own->fresh[a]->term);
    }
    assign(t, list, own->location, number(t, (int64_t)transition->target + 1));
    for (size_t i = 0; i < c->timers.count; i++)
        assign(t, list, own->timers[c->timers.data[i]], term_true(t->store));
    for (size_t i = 0; i < c->destroyed.count; i++)
        destroy(t, node->children.data[c->destroyed.data[i]], list);
}

// Nobody knows what happens beyond a loop's bound.
static void take_case(struct translation *t, const struct place *p,
                      const struct capsule_transition *transition, const struct capsule_case *c,
                      struct statements *list)
{
    if (!c->bound_exceeded)
        perform(t, p, transition, c, list);
    else if (asks(t, ATOM_BOUNDED))
        add(list, note_if(t, true));
    else
        add(list, model_assume(t->builder, term_false(t->store), t->at));
}

static struct statement *cases(struct translation *t, const struct place *p,
                               const struct capsule_transition *transition)
{
    VECTOR(struct statement *) all = {0};
    for (size_t i = 0; i < transition->cases.count; i++) {
        struct statements list = {0};
        assume(t, &list, import(p, transition->cases.data[i].condition));
        take_case(t, p, transition, &transition->cases.data[i], &list);
        VECTOR_PUSH(&all, sequence(t, &list));
    }
    struct statement *out =
        all.count == 1 ? all.data[0] : model_choice(t->builder, all.data, all.count, t->at);
    VECTOR_FINISH(&all);
    return out;
}

// Edges.

static const struct term *is_initial(struct translation *t, uint32_t i)
{
    if (module_at(t, i)->initial == CAPSULE_NONE)
        return term_false(t->store);
    return term_and2(t->store, t->parts[i].there->term, is_number(t, t->parts[i].location, 0));
}

static const struct term *none_initial(struct translation *t)
{
    const struct term *all = term_true(t->store);
    for (uint32_t i = 0; i < t->capsules->instances.count; i++)
        all = term_and2(t->store, all, term_not(t->store, is_initial(t, i)));
    return all;
}

static void add_edge(struct translation *t, struct edge_meaning meaning, const char *what,
                     const char *target, struct statement *action)
{
    uint32_t instance = meaning.instance;
    const char *rule = capsule_rule_name(meaning.rule);
    VECTOR_PUSH(&t->view->edges, meaning);
    struct text label = {0};
    text_printf(&label, "%s %s %s%s%s", t->capsules->instances.data[instance].path, rule, what,
                target[0] != '\0' ? " -> " : "", target);
    model_builder_edge(t->builder, t->run, t->run, action, text_string(&label), t->at);
    text_finish(&label);
}

static void initialise(struct translation *t, uint32_t i, struct statements *list)
{
    const struct capsule_instance *node = &t->capsules->instances.data[i];
    for (size_t c = 0; c < node->children.count; c++) {
        uint32_t child = node->children.data[c];
        if (module_at(t, child)->initial == CAPSULE_NONE)
            continue;
        struct statements inner = {0};
        initialise(t, child, &inner);
        add(list, model_if(t->builder, is_initial(t, child), sequence(t, &inner),
                           model_skip(t->builder, t->at), t->at));
    }
    const struct capsule_module *m = module_at(t, i);
    const struct capsule_transition *transition = &m->transitions.data[m->initial];
    struct place p = {t, i, NULL};
    assert(transition->cases.count == 1);
    take_case(t, &p, transition, &transition->cases.data[0], list);
}

static void default_edge(struct translation *t, uint32_t i)
{
    if (module_at(t, i)->initial == CAPSULE_NONE)
        return;
    struct statements list = {0};
    assume(t, &list, is_initial(t, i));
    for (uint32_t up = t->capsules->instances.data[i].parent; up != CAPSULE_NONE;
         up = t->capsules->instances.data[up].parent)
        assume(t, &list, term_not(t->store, is_initial(t, up)));
    initialise(t, i, &list);
    add_edge(t, (struct edge_meaning){RULE_DEFAULT, i, module_at(t, i)->initial, 0}, "init()", "",
             sequence(t, &list));
}

static bool shares_queue(const struct translation *t, uint32_t i)
{
    for (uint32_t j = 0; j < t->capsules->instances.count; j++)
        if (j != i &&
            t->capsules->instances.data[j].module == t->capsules->instances.data[i].module)
            return true;
    return false;
}

// Takes the first element for the part, a signal of that kind, out of the queue; its values are `received`.
static struct statement *take_element(struct translation *t, uint32_t i, uint32_t signal)
{
    struct queue_variables *q = &t->queues[t->capsules->instances.data[i].module];
    uint32_t places = shares_queue(t, i) && !t->head_only ? t->bound : 1;
    VECTOR(struct statement *) all = {0};
    const struct term *before = term_true(t->store);
    for (uint32_t k = 0; k < places; k++) {
        struct statements list = {0};
        assume(t, &list, term_lt(t->store, number(t, k), q->length->term));
        assume(t, &list, before);
        assume(t, &list, is_number(t, q->slots[k].receiver, i));
        assume(t, &list, is_number(t, q->slots[k].signal, signal));
        for (uint32_t v = 0; v < q->arity; v++)
            assign(t, &list, t->received[v], q->slots[k].values[v]->term);
        remove_slot(t, q, k, &list);
        VECTOR_PUSH(&all, sequence(t, &list));
        before =
            term_and2(t->store, before, term_not(t->store, is_number(t, q->slots[k].receiver, i)));
    }
    struct statement *out =
        all.count == 1 ? all.data[0] : model_choice(t->builder, all.data, all.count, t->at);
    VECTOR_FINISH(&all);
    return out;
}

static void choose_inputs(struct translation *t, const struct capsule_signal *signal,
                          struct statements *list)
{
    for (size_t v = 0; v < signal->variables.count; v++) {
        const struct capsule_variable *x = &signal->variables.data[v];
        const struct term *value = t->received[v]->term;
        add(list, model_havoc(t->builder, t->received[v], t->at));
        bool boolean = x->term->sort->kind == SORT_BOOL;
        if (boolean || x->ranged)
            assume(t, list,
                   term_and2(t->store, term_le(t->store, number(t, boolean ? 0 : x->low), value),
                             term_le(t->store, value, number(t, boolean ? 1 : x->high))));
    }
}

static void transition_edge(struct translation *t, uint32_t i, const struct capsule_transition *x)
{
    const struct capsule_module *m = module_at(t, i);
    struct place p = {t, i, NULL};
    struct statements list = {0};
    enum capsule_rule rule = RULE_TIMEOUT;
    const char *what;
    assume(t, &list, t->parts[i].there->term);
    assume(t, &list, none_initial(t));
    assume(t, &list, is_number(t, t->parts[i].location, (int64_t)x->source + 1));
    if (x->kind == CAPSULE_TIMER) {
        what = m->timers.data[x->trigger].name;
        assume(t, &list, t->parts[i].timers[x->trigger]->term);
        assign(t, &list, t->parts[i].timers[x->trigger], term_false(t->store));
    } else {
        p.signal = &m->signals.data[x->trigger];
        what = p.signal->name;
        rule = p.signal->external ? RULE_EXTERNAL : RULE_MATCH;
        if (p.signal->external)
            choose_inputs(t, p.signal, &list);
        else
            add(&list, take_element(t, i, x->trigger));
    }
    assume(t, &list, import(&p, x->guard));
    add(&list, cases(t, &p, x));
    uint32_t transition = (uint32_t)(x - m->transitions.data);
    add_edge(t, (struct edge_meaning){rule, i, transition, x->trigger}, what,
             m->locations.data[x->target].name, sequence(t, &list));
}

static void drop_edge(struct translation *t, uint32_t i, uint32_t signal)
{
    const struct capsule_module *m = module_at(t, i);
    struct place p = {t, i, &m->signals.data[signal]};
    struct statements list = {0};
    assume(t, &list, t->parts[i].there->term);
    assume(t, &list, none_initial(t));
    add(&list, take_element(t, i, signal));
    if (drops(t, p.signal))
        add(&list, note_if(t, true));
    for (size_t x = 0; x < m->transitions.count; x++) {
        const struct capsule_transition *transition = &m->transitions.data[x];
        if (transition->kind != CAPSULE_SIGNAL || transition->trigger != signal)
            continue;
        const struct term *enabled = term_false(t->store);
        for (size_t c = 0; c < transition->cases.count; c++)
            enabled = term_or2(t->store, enabled, import(&p, transition->cases.data[c].condition));
        enabled = term_and2(t->store, enabled, import(&p, transition->guard));
        enabled = term_and2(t->store, enabled,
                            is_number(t, t->parts[i].location, (int64_t)transition->source + 1));
        assume(t, &list, term_not(t->store, enabled));
    }
    add_edge(t, (struct edge_meaning){RULE_DROP, i, CAPSULE_NONE, signal},
             m->signals.data[signal].name, "", sequence(t, &list));
}

static void make_edges(struct translation *t)
{
    for (uint32_t i = 0; i < t->capsules->instances.count; i++) {
        const struct capsule_module *m = module_at(t, i);
        default_edge(t, i);
        for (size_t x = 0; x < m->transitions.count; x++)
            if (m->transitions.data[x].kind != CAPSULE_INIT)
                transition_edge(t, i, &m->transitions.data[x]);
        for (uint32_t s = 0; s < m->signals.count; s++)
            if (t->capsules->instances.data[i].senders.data[s].count > 0)
                drop_edge(t, i, s);
    }
}

static struct statement *start(struct translation *t)
{
    struct statements list = {0};
    for (uint32_t i = 0; i < t->capsules->instances.count; i++) {
        reset_part(t, i, &list);
        assign(t, &list, t->parts[i].there, term_false(t->store));
        assign(t, &list, t->parts[i].location, number(t, 0));
    }
    if (t->happened != NULL)
        assign(t, &list, t->happened, term_false(t->store));
    for (uint32_t m = 0; m < t->capsules->modules.count; m++) {
        assign(t, &list, t->queues[m].length, number(t, 0));
        for (uint32_t k = 0; k < t->bound; k++)
            clear_slot(t, &t->queues[m], k, &list);
    }
    add(&list, create(t, 0));
    return sequence(t, &list);
}

// The question.

static const struct term *queue_term(struct translation *t, const struct capsule_atom *atom)
{
    uint32_t module = t->capsules->instances.data[atom->instance].module;
    struct queue_variables *q = &t->queues[module];
    const struct term *all = is_number(t, q->length, (int64_t)atom->sequence.count);
    if (atom->sequence.count > t->bound)
        return term_false(t->store);
    for (uint32_t k = 0; k < atom->sequence.count; k++) {
        const struct capsule_pattern *p = &atom->sequence.data[k];
        if (p->kind == PATTERN_ANY)
            continue;
        all = term_and2(t->store, all, is_number(t, q->slots[k].signal, p->number));
        for (size_t v = 0; v < p->values.count; v++)
            all = term_and2(t->store, all,
                            term_eq(t->store, q->slots[k].values[p->values.data[v].variable]->term,
                                    to_number(t, import_literal(t, p->values.data[v].value))));
    }
    return all;
}

static const struct term *atom_term(struct translation *t, const struct capsule_atom *atom)
{
    struct part_variables *part = &t->parts[atom->instance];
    struct place p = {t, atom->instance, NULL};
    switch (atom->kind) {
    case ATOM_LOCATION:
        return term_and2(t->store, part->there->term,
                         is_number(t, part->location, (int64_t)atom->location + 1));
    case ATOM_CONSTRAINT:
        return term_and2(t->store, part->there->term, import(&p, atom->term));
    default:
        ENSURE(atom->kind == ATOM_QUEUE); // all others are about steps
        return queue_term(t, atom);
    }
}

static const struct term *local_term(struct translation *t, const struct capsule_question *q,
                                     uint32_t f)
{
    const struct ctl_node *n = &q->formulas.data[f];
    switch (n->kind) {
    case CTL_CONSTANT:
        return term_bool(t->store, n->left != 0);
    case CTL_ATOM:
        return atom_term(t, &q->atoms.data[n->left]);
    case CTL_NOT:
        return term_not(t->store, local_term(t, q, n->left));
    case CTL_AND:
        return term_and2(t->store, local_term(t, q, n->left), local_term(t, q, n->right));
    default:
        ENSURE(n->kind == CTL_OR);
        return term_or2(t->store, local_term(t, q, n->left), local_term(t, q, n->right));
    }
}

// EF p, or AG p = not EF not p: p, where the intermediate form can say it. *atom: when it is about a step and not a state.
static uint32_t reached(const struct capsule_question *q, const struct capsule_atom **atom)
{
    const struct ctl_formulas *f = &q->formulas;
    const struct ctl_node *n = &f->data[q->root];
    if (n->kind == CTL_NOT)
        n = &f->data[n->left];
    if (n->kind != CTL_EU || f->data[n->left].kind != CTL_CONSTANT || !ctl_is_local(f, n->right))
        return CAPSULE_NONE;
    bool fits = true;
    for (size_t i = 0; i < q->atoms.count; i++)
        fits &= q->atoms.data[i].kind <= ATOM_QUEUE;
    const struct ctl_node *goal = &f->data[n->right];
    if (!fits && goal->kind == CTL_ATOM && q->atoms.data[goal->left].kind >= ATOM_DROPPED) {
        *atom = &q->atoms.data[goal->left];
        fits = true;
    }
    return fits ? n->right : CAPSULE_NONE;
}

// What the step into the error location asks.
static const struct term *bad_term(struct translation *t, const struct capsule_question *question,
                                   uint32_t goal)
{
    if (question == NULL)
        return term_false(t->store);
    if (t->happened != NULL)
        return t->happened->term;
    return goal == CAPSULE_NONE ? term_true(t->store) : local_term(t, question, goal);
}

static void fill_view(struct translation *t, const struct capsule_question *question, uint32_t goal)
{
    struct capsules_view *view = t->view;
    view->base = (struct model_view){CAPSULES_VIEW, capsules_view_destroy,
                                     question != NULL && goal == CAPSULE_NONE};
    view->translated = !view->base.asks;
    view->has_question = question != NULL;
    view->bound = t->bound;
    view->head_only = t->head_only;
    view->step_atom = t->step_atom;
    view->parts = t->parts;
    view->queues = t->queues;
    view->received = t->received;
    view->received_count = t->received_count;
    // Who reads it as a verdict has to know whether it is one.
    ENSURE(question == NULL || view->translated == (goal != CAPSULE_NONE));
}

static void translate(struct translation *t, const struct capsule_question *question, uint32_t goal,
                      const struct dialect *dialect, const char *path)
{
    assert(t->bound > 0);
    t->at = (struct position){path, 1, 1};
    t->view = memory_zalloc(sizeof *t->view);
    t->builder = model_builder_create(dialect, path, NULL);
    t->store = model_builder_store(t->builder);
    t->run = model_builder_location(t->builder, "run", PHASE_NONE, true);
    t->error = model_builder_location(t->builder, "error", PHASE_NONE, true);
    make_variables(t);
    if (t->step_atom != NULL)
        t->happened = model_builder_fresh(t->builder, "happened", sort_bool(t->store), 0, t->at);
    model_builder_initial(t->builder, t->run, start(t));
    make_edges(t);
    model_builder_edge(t->builder, t->run, t->error,
                       model_assume(t->builder, bad_term(t, question, goal), t->at), "reached",
                       t->at);
    model_builder_error(t->builder, t->error);
    fill_view(t, question, goal);
}

struct model *capsules_translate(const struct capsules *capsules,
                                 const struct capsule_question *question, uint32_t queue_bound,
                                 const char *path, struct messages *messages)
{
    struct translation t = {.capsules = capsules, .bound = queue_bound};
    uint32_t goal = reached(question, &t.step_atom);
    if (goal == CAPSULE_NONE) {
        message_add(messages, MESSAGE_UNSUPPORTED, (struct position){path, 1, 1},
                    "the formula as a model; expected EF or AG of a formula over locations, "
                    "attributes and queues");
        return NULL;
    }
    translate(&t, question, goal, &dialect_plain, path);
    free_variables(t.view, capsules);
    return model_builder_finish(t.builder);
}

// What a proof about the model rests on: nothing was lost, no loop went beyond its bound.

struct judge {
    struct model_judge base;
    struct text premise;
};

static bool believes(const struct model_judge *judge, const struct trace *trace, struct text *why)
{
    (void)judge;
    (void)trace;
    (void)why;
    return true;
}

static void destroy_judge(struct model_judge *base)
{
    struct judge *judge = (struct judge *)base;
    text_finish(&judge->premise);
    memory_free(judge);
}

static void add_judge(struct translation *t, const struct capsule_bounds *bounds)
{
    struct judge *judge = memory_zalloc(sizeof *judge);
    text_printf(&judge->premise, "AG not bounded with queue %u, loops %u%s", bounds->queue,
                bounds->loops, bounds->head_only ? ", head" : "");
    judge->base = (struct model_judge){
        .language = "umlrt",
        .believes = believes,
        .destroy = destroy_judge,
        .premise = text_string(&judge->premise),
    };
    model_builder_judge(t->builder, &judge->base);
}

struct model *capsules_translate_owned(struct capsules *capsules, struct language_source *source,
                                       struct capsule_question *question,
                                       const struct capsule_bounds *bounds, const char *path)
{
    struct translation t = {
        .capsules = capsules, .bound = bounds->queue, .head_only = bounds->head_only};
    const struct capsule_atom *atom = NULL;
    uint32_t goal = question != NULL ? reached(question, &atom) : 0;
    t.step_atom = atom;
    translate(&t, question, goal, &umlrt_dialect, path);
    t.view->capsules = capsules;
    t.view->source = language_source_share(source);
    if (question != NULL) {
        t.view->question = *question;
        t.view->shape = capsule_shape_of(&question->formulas, question->root);
    }
    bool exact = atom != NULL && (atom->kind == ATOM_BOUNDED ||
                                  (atom->kind == ATOM_OVERFLOW && !capsules->bounded_loops));
    if (question != NULL && goal != CAPSULE_NONE && !exact)
        add_judge(&t, bounds);
    model_builder_view(t.builder, &t.view->base);
    return model_builder_finish(t.builder);
}
