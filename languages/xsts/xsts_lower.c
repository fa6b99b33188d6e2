#include <assert.h>

#include "base/ensure.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/xsts/xsts.h"

// Checked actions to the model's locations, edges and statements.

struct lowering {
    struct model_builder *builder;
    struct term_store *store;
    const char *label;  // of the branch
    struct position at; // of the branch
    enum location_phase phase;
};

static struct statement *lower(struct lowering *lowering, const struct xsts_action *action);

static struct statement *lower_children(struct lowering *lowering, struct xsts_action *const *child,
                                        uint32_t count, enum xsts_action_kind kind,
                                        struct position at)
{
    VECTOR(struct statement *) list = {0};
    VECTOR_RESERVE(&list, count + 1);
    for (uint32_t i = 0; i < count; i++)
        VECTOR_PUSH(&list, lower(lowering, child[i]));
    struct statement *result;
    if (kind == XSTS_DO_CHOICE)
        result = model_choice(lowering->builder, list.data, list.count, at);
    else if (count == 0)
        result = model_skip(lowering->builder, at);
    else
        result = model_sequence(lowering->builder, list.data, list.count, at);
    VECTOR_FINISH(&list);
    return result;
}

static struct statement *told(struct model_builder *builder, struct statement *statement,
                              const struct xsts_action *action)
{
    if (action->written != NULL)
        model_statement_written(builder, statement, action->written);
    return statement;
}

// An action without kept loops.
static struct statement *lower(struct lowering *lowering, const struct xsts_action *action)
{
    struct model_builder *builder = lowering->builder;
    switch (action->kind) {
    case XSTS_DO_ASSIGN:
        return told(builder,
                    model_assign(builder, action->variable, action->expression, action->at),
                    action);
    case XSTS_DO_HAVOC:
        return model_havoc(builder, action->variable, action->at);
    case XSTS_DO_ASSUME:
        return told(builder, model_assume(builder, action->expression, action->at), action);
    case XSTS_DO_IF: {
        struct statement *then = lower(lowering, action->child[0]);
        struct statement *otherwise = action->child_count > 1 ? lower(lowering, action->child[1])
                                                              : model_skip(builder, action->at);
        return told(builder, model_if(builder, action->expression, then, otherwise, action->at),
                    action);
    }
    default:
        // A loop that is left here would run once.
        ENSURE(action->kind == XSTS_DO_SEQUENCE || action->kind == XSTS_DO_CHOICE);
        return lower_children(lowering, action->child, action->child_count, action->kind,
                              action->at);
    }
}

// Actions with kept loops become edges through hidden locations.

static void lower_edges(struct lowering *lowering, const struct xsts_action *action,
                        struct location *from, struct location *to);

static struct location *hidden(struct lowering *lowering)
{
    return model_builder_location(lowering->builder, NULL, lowering->phase, false);
}

static void edge(struct lowering *lowering, struct location *from, struct location *to,
                 struct statement *statement)
{
    model_builder_edge(lowering->builder, from, to, statement, lowering->label,
                       statement->source.line != 0 ? statement->source : lowering->at);
}

static void lower_sequence(struct lowering *lowering, const struct xsts_action *action,
                           struct location *from, struct location *to)
{
    uint32_t count = action->child_count;
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i; // children that go on one edge
        while (end < count && !action->child[end]->has_kept)
            end++;
        uint32_t next = end > i ? end : i + 1;
        struct location *target = next < count ? hidden(lowering) : to;
        if (end > i)
            edge(lowering, from, target,
                 lower_children(lowering, action->child + i, end - i, XSTS_DO_SEQUENCE,
                                action->child[i]->at));
        else
            lower_edges(lowering, action->child[i], from, target);
        from = target;
        i = next;
    }
}

static void lower_if(struct lowering *lowering, const struct xsts_action *action,
                     struct location *from, struct location *to)
{
    const struct term *condition = action->expression;
    assert(action->child_count == 1 || action->child_count == 2);
    struct location *then = hidden(lowering);
    edge(lowering, from, then, model_assume(lowering->builder, condition, action->at));
    lower_edges(lowering, action->child[0], then, to);
    struct location *otherwise = action->child_count > 1 ? hidden(lowering) : to;
    edge(lowering, from, otherwise,
         model_assume(lowering->builder, term_not(lowering->store, condition), action->at));
    if (action->child_count > 1)
        lower_edges(lowering, action->child[1], otherwise, to);
}

// One model variable per loop of the text, however many copies an outer loop made of it.
static const struct variable *loop_variable(struct lowering *lowering,
                                            const struct xsts_action *action, const char *suffix)
{
    struct text name;
    text_init(&name);
    text_printf(&name, "%s%s", action->counter->u.var.name, suffix);
    const struct variable *variable = model_builder_find(lowering->builder, text_string(&name));
    if (variable == NULL)
        variable = model_builder_variable(lowering->builder, text_string(&name),
                                          sort_int(lowering->store), VARIABLE_LOCAL, action->at);
    text_finish(&name);
    return variable;
}

// from: counter and end get their values; head: another round or out of the loop. Both variables
// are havocked on the way out so that their last values never tell states apart.
static void lower_for(struct lowering *lowering, const struct xsts_action *action,
                      struct location *from, struct location *to)
{
    struct model_builder *builder = lowering->builder;
    struct term_store *store = lowering->store;
    struct position at = action->at;
    const struct variable *counter = loop_variable(lowering, action, "");
    const struct variable *end = loop_variable(lowering, action, "!end");
    ENSURE(counter->term == action->counter && counter != end);
    struct location *head = hidden(lowering), *body = hidden(lowering), *step = hidden(lowering);
    struct statement *start[2] = {model_assign(builder, counter, action->from, at),
                                  model_assign(builder, end, action->to, at)};
    edge(lowering, from, head, model_sequence(builder, start, 2, at));
    const struct term *again = term_lt(store, counter->term, end->term);
    edge(lowering, head, body, model_assume(builder, again, at));
    lower_edges(lowering, action->child[0], body, step);
    const struct term *next = term_add2(store, counter->term, term_int(store, 1));
    edge(lowering, step, head, model_assign(builder, counter, next, at));
    struct statement *leave[3] = {model_assume(builder, term_not(store, again), at),
                                  model_havoc(builder, counter, at), model_havoc(builder, end, at)};
    edge(lowering, head, to, model_sequence(builder, leave, 3, at));
}

static void lower_edges(struct lowering *lowering, const struct xsts_action *action,
                        struct location *from, struct location *to)
{
    if (!action->has_kept) {
        edge(lowering, from, to, lower(lowering, action));
        return;
    }
    switch (action->kind) {
    case XSTS_DO_SEQUENCE:
        lower_sequence(lowering, action, from, to);
        break;
    case XSTS_DO_CHOICE:
        for (uint32_t i = 0; i < action->child_count; i++)
            lower_edges(lowering, action->child[i], from, to);
        break;
    case XSTS_DO_IF:
        lower_if(lowering, action, from, to);
        break;
    default:
        ENSURE(action->kind == XSTS_DO_FOR && action->kept);
        lower_for(lowering, action, from, to);
    }
}

static void lower_set(struct lowering *lowering, const struct xsts_branch_list *set,
                      const char *name, struct location *from, struct location *to)
{
    struct text label;
    text_init(&label);
    lowering->phase = to->phase;
    for (uint32_t i = 0; i < set->count; i++) {
        text_clear(&label);
        text_printf(&label, "%s %u", name, i + 1);
        lowering->label = text_string(&label);
        lowering->at = set->branch[i]->at;
        lower_edges(lowering, set->branch[i], from, to);
    }
    text_finish(&label);
}

static struct statement *lower_initial(struct lowering *lowering,
                                       const struct xsts_checked *checked)
{
    VECTOR(struct statement *) list = {0};
    for (uint32_t i = 0; i < checked->initial_count; i++) {
        const struct xsts_initial *initial = &checked->initial[i];
        if (initial->value != NULL)
            VECTOR_PUSH(&list, model_assign(lowering->builder, initial->variable, initial->value,
                                            initial->at));
    }
    struct position nowhere = {0};
    struct statement *result = list.count > 0 ? model_sequence(lowering->builder, list.data,
                                                               list.count, list.data[0]->source)
                                              : model_skip(lowering->builder, nowhere);
    VECTOR_FINISH(&list);
    return result;
}

static void lower_property(struct lowering *lowering, const struct xsts_checked *checked,
                           struct location *from, struct location *error)
{
    if (checked->property == NULL) // none is needed (PROPERTY_AT_NONE)
        return;
    struct statement *violation = model_assume(
        lowering->builder, term_not(lowering->store, checked->property), checked->property_at);
    if (checked->property_written != NULL) {
        struct text words;
        text_init(&words);
        text_printf(&words, "assume !(%s)", checked->property_written);
        model_statement_written(lowering->builder, violation, text_string(&words));
        text_finish(&words);
    }
    model_builder_edge(lowering->builder, from, error, violation, "property violated",
                       checked->property_at);
}

void xsts_lower(struct xsts_checked *checked, enum property_at property_at,
                struct model_builder *builder)
{
    struct lowering lowering = {.builder = builder, .store = model_builder_store(builder)};
    struct location *start = model_builder_location(builder, "start", PHASE_START, true);
    struct location *stable = model_builder_location(builder, "stable", PHASE_STABLE, true);
    struct location *stimulated =
        model_builder_location(builder, "stimulated", PHASE_STIMULATED, true);
    struct location *error = model_builder_location(builder, "error", PHASE_NONE, true);
    lower_property(&lowering, checked, stable, error);
    if (property_at == PROPERTY_AT_ALL) {
        lower_property(&lowering, checked, start, error);
        lower_property(&lowering, checked, stimulated, error);
    }
    lower_set(&lowering, &checked->sets[XSTS_INIT], "init", start, stable);
    lower_set(&lowering, &checked->sets[XSTS_ENV], "env", stable, stimulated);
    lower_set(&lowering, &checked->sets[XSTS_TRANS], "trans", stimulated, stable);
    model_builder_initial(builder, start, lower_initial(&lowering, checked));
    model_builder_error(builder, error);
    if (checked->property != NULL)
        model_builder_property(builder, checked->property);
}
