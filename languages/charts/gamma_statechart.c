#include <string.h>

#include "base/text.h"
#include "languages/charts/gamma_inside.h"

// The body of a statechart, read twice for each instance: first what there is (variables, regions, states), then what
// it does (transitions, entry and exit actions).

struct statechart {
    struct gamma_reader *reader;
    struct gamma_instance *instance;
    struct chart_component *component;
    bool second; // reading
    bool asynchronous;
    // Second reading: of forks the outgoing, of joins the incoming transitions come in one by one.
    VECTOR(struct chart_transition *) loose;
};

static struct position here(const struct gamma_reader *reader)
{
    return lexer_position(reader->lexer, lexer_token(reader->lexer));
}

// ---- annotations -------------------------------------------------------------------------------

static const char *annotation_value(struct gamma_reader *reader)
{
    if (!gamma_expect(reader, "="))
        return "";
    const struct token *first = lexer_next(reader->lexer), *last = first;
    while (lexer_accept(reader->lexer, CHART_TOKEN_MINUS) != NULL)
        last = lexer_next(reader->lexer);
    return arena_strndup(&reader->arena, first->text,
                         (size_t)(last->text + last->length - first->text));
}

static void read_annotation(struct statechart *s, const struct token *name)
{
    struct gamma_reader *reader = s->reader;
    bool known = true;
    if (token_is(name, "Asynchronous")) {
        s->asynchronous = true;
        return;
    }
    bool events =
        token_is(name, "RunUponExternalEvent") || token_is(name, "RunUponExternalEventAnnotation");
    bool timeouts = token_is(name, "RunUponExternalEventOrInternalTimeout") ||
                    token_is(name, "RunUponExternalEventOrInternalTimeoutAnnotation");
    if (events || timeouts) {
        s->instance->waits_for_events = true;
        s->instance->waits_for_timeouts = timeouts;
        return;
    }
    const char *value = lexer_at(reader->lexer, CHART_TOKEN_ASSIGN) ? annotation_value(reader) : "";
    if (token_is(name, "TransitionPriority") || token_is(name, "PrioritizedTransitions")) {
        known = strcmp(value, "order-based") == 0 || strcmp(value, "off") == 0 ||
                strcmp(value, "value-based") == 0;
        s->component->priority = strcmp(value, "off") == 0           ? CHART_ANY_ORDER
                                 : strcmp(value, "value-based") == 0 ? CHART_BY_VALUE
                                                                     : CHART_DOCUMENT_ORDER;
    } else if (token_is(name, "RegionSchedule")) {
        known = strcmp(value, "bottom-up") == 0 || strcmp(value, "top-down") == 0;
        s->component->inner_first = strcmp(value, "bottom-up") == 0;
    } else if (token_is(name, "OrthogonalRegionSchedule")) {
        known = strcmp(value, "sequential") == 0;
    } else if (token_is(name, "GuardEvaluation")) {
        known = strcmp(value, "on-the-fly") == 0;
    } else {
        known = false;
    }
    if (!known)
        lexer_not_supported(reader->lexer, name, "the annotation @%.*s%s%s", (int)name->length,
                            name->text, value[0] != '\0' ? " = " : "", value);
}

static void read_annotations(struct statechart *s)
{
    struct gamma_place place = gamma_go_to(s->reader, s->instance->declaration->file,
                                           s->instance->declaration->annotations);
    while (lexer_accept(s->reader->lexer, CHART_TOKEN_AT) != NULL) {
        if (lexer_at(s->reader->lexer, CHART_TOKEN_OPEN))
            gamma_skip_block(s->reader);
        else
            read_annotation(s, lexer_next(s->reader->lexer));
    }
    gamma_return(s->reader, place);
}

// ---- names -------------------------------------------------------------------------------------

static bool reads_variables(const struct chart_expression *e)
{
    if (e == NULL)
        return false;
    return e->op == CHART_VARIABLE || reads_variables(e->child[0]) ||
           reads_variables(e->child[1]) || reads_variables(e->child[2]);
}

// An array or a record.
static void add_store(struct statechart *s, const struct token *name,
                      const struct gamma_shape *shape, struct position at)
{
    struct gamma_reader *reader = s->reader;
    char *own = chart_token_text(reader->chart, name);
    struct gamma_store *store =
        s->second ? chart_names_find(&s->instance->stores, own)
                  : gamma_store_create(reader, shape, s->instance->prefix, own, at);
    if (gamma_accept(reader, ":=")) {
        const struct chart_action *set = gamma_store_set(reader, store);
        if (!s->second)
            chart_append_actions(&reader->chart->start, set);
    }
    gamma_accept(reader, ";");
    if (!s->second && chart_names_add(&s->instance->stores, own, store) != store)
        lexer_error(reader->lexer, name, "found a second `%s`, expected unique names", own);
}

static void add_scalar(struct statechart *s, const struct token *name,
                       const struct chart_type *type, bool timer, struct position at)
{
    struct gamma_reader *reader = s->reader;
    const struct chart_expression *value = NULL;
    if (!timer && gamma_accept(reader, ":=")) {
        value = gamma_expression(reader, type, "a first value");
        if (value == NULL)
            return;
    }
    gamma_accept(reader, ";");
    if (s->second)
        return;
    char *own = chart_token_text(reader->chart, name);
    struct chart_variable *variable = chart_add_variable(
        reader->chart, chart_text(reader->chart, "%s%s", s->instance->prefix, own), type,
        timer ? CHART_TIMER : CHART_DATA, at);
    variable->initial = timer ? -1 : 0;
    if (value != NULL && (reads_variables(value) || !chart_constant(value, &variable->initial))) {
        struct chart_action *assign = chart_add_action(reader->chart, CHART_ASSIGN, at);
        assign->variable = variable;
        assign->expression = value;
        chart_append_actions(&reader->chart->start, assign);
    }
    if (chart_names_add(&s->instance->variables, own, variable) != variable)
        lexer_error(reader->lexer, name, "found a second `%s`, expected unique names", own);
    if (timer)
        VECTOR_PUSH(&reader->timers, variable);
}

static void add_variable(struct statechart *s, bool timer)
{
    static const struct gamma_shape TIME = {.scalar = &CHART_TYPE_INT, .leaves = 1};
    struct gamma_reader *reader = s->reader;
    struct position at = here(reader);
    const struct token *name = gamma_name(reader, "a name");
    if (name == NULL || (!timer && !gamma_expect(reader, ":")))
        return;
    const struct gamma_shape *shape = timer ? &TIME : gamma_shape(reader);
    if (shape == NULL)
        return;
    if (shape->scalar == NULL)
        add_store(s, name, shape, at);
    else
        add_scalar(s, name, shape->scalar, timer, at);
}

static void add_procedure(struct statechart *s)
{
    struct gamma_reader *reader = s->reader;
    const struct token *name = gamma_name(reader, "a name");
    if (name == NULL)
        return;
    struct gamma_declaration *made = arena_zalloc(&reader->arena, sizeof *made);
    *made = (struct gamma_declaration){.kind = GAMMA_PROCEDURE,
                                       .name = chart_token_text(reader->chart, name),
                                       .file = s->instance->declaration->file,
                                       .at = reader->lexer->at};
    chart_names_add(&s->instance->procedures, made->name, made);
    while (!lexer_at(reader->lexer, CHART_TOKEN_OPEN_CURLY) &&
           !lexer_at(reader->lexer, TOKEN_END) && !gamma_at(reader, ":="))
        lexer_next(reader->lexer);
    if (!gamma_at(reader, ":=")) {
        gamma_skip_block(reader);
        return;
    }
    static const char *const NEXT[] = {"lambda", "procedure",  "var", "timeout",
                                       "region", "transition", "@",   "}"};
    for (bool over = false; !over && !lexer_at(reader->lexer, TOKEN_END);) {
        for (size_t i = 0; i < sizeof NEXT / sizeof NEXT[0]; i++)
            over |= gamma_at(reader, NEXT[i]);
        if (!over)
            lexer_next(reader->lexer);
    }
}

// ---- regions and states ------------------------------------------------------------------------

static void read_region(struct statechart *s, struct chart_state *parent, const char *around);

static const struct chart_expression *active(struct statechart *s, const struct chart_state *state)
{
    struct chart_expression *made =
        chart_make(s->reader->chart, CHART_ACTIVE, &CHART_TYPE_BOOL, state->source);
    made->state = state;
    return made;
}

// Over an expression, to the next part of the chart or the state.
static void skip_expression(struct gamma_reader *reader)
{
    static const char *const NEXT[] = {"var",       "timeout", "region", "transition",
                                       "procedure", "lambda",  "entry",  "exit",
                                       "invariant", "do",      "@",      "}"};
    while (!lexer_at(reader->lexer, TOKEN_END)) {
        for (size_t i = 0; i < sizeof NEXT / sizeof NEXT[0]; i++) {
            if (gamma_at(reader, NEXT[i]))
                return;
        }
        if (gamma_at(reader, "(") || gamma_at(reader, "["))
            gamma_skip_block(reader);
        else
            lexer_next(reader->lexer);
    }
}

// invariant EXPRESSION, of the whole chart (NULL) or of a state: as in Gamma, a run that violates it is none.
static void read_invariant(struct statechart *s, const struct chart_state *state)
{
    struct gamma_reader *reader = s->reader;
    struct chart *chart = reader->chart;
    if (!s->second) {
        skip_expression(reader);
        return;
    }
    const struct chart_expression *holds =
        gamma_expression(reader, &CHART_TYPE_BOOL, "an invariant");
    if (holds == NULL)
        return;
    if (state != NULL)
        holds = chart_either(chart, holds, chart_unary(chart, CHART_NOT, active(s, state)));
    s->instance->invariant = chart_both(chart, s->instance->invariant, holds);
}

static void read_state_body(struct statechart *s, struct chart_state *state, const char *around)
{
    struct gamma_reader *reader = s->reader;
    while (!gamma_failed(reader) && !gamma_at(reader, "}")) {
        const struct token *at = lexer_token(reader->lexer);
        bool entry = gamma_accept(reader, "entry");
        if (entry || gamma_accept(reader, "exit")) {
            if (!gamma_expect(reader, "/"))
                return;
            const struct chart_action *actions = NULL;
            size_t begin = reader->lexer->at;
            if (s->second)
                actions = gamma_effect(reader);
            else
                while (!lexer_at(reader->lexer, TOKEN_END) && !gamma_at(reader, "exit") &&
                       !gamma_at(reader, "entry") && !gamma_at(reader, "region") &&
                       !lexer_at(reader->lexer, CHART_TOKEN_CLOSE_CURLY)) {
                    if (lexer_at(reader->lexer, CHART_TOKEN_OPEN_CURLY))
                        gamma_skip_block(reader);
                    else
                        lexer_next(reader->lexer);
                }
            (void)begin;
            if (s->second)
                chart_append_actions(entry ? &state->entry : &state->exit, actions);
        } else if (gamma_accept(reader, "region")) {
            read_region(s, state, around);
        } else if (gamma_accept(reader, "invariant")) {
            read_invariant(s, state);
        } else {
            lexer_not_supported(reader->lexer, at, "`%.*s` in a state", (int)at->length, at->text);
        }
    }
}

static enum chart_kind pseudo_kind(struct gamma_reader *reader, bool *pseudo)
{
    *pseudo = true;
    if (gamma_accept(reader, "initial"))
        return CHART_INITIAL;
    if (gamma_accept(reader, "choice") || gamma_accept(reader, "merge") ||
        gamma_accept(reader, "junction"))
        return CHART_CHOICE;
    if (gamma_accept(reader, "fork"))
        return CHART_FORK;
    if (gamma_accept(reader, "join"))
        return CHART_JOIN;
    bool deep = gamma_at(reader, "deep"), shallow = gamma_at(reader, "shallow");
    if (deep || shallow) {
        lexer_next(reader->lexer);
        gamma_expect(reader, "history");
        return deep ? CHART_DEEP_HISTORY : CHART_SHALLOW_HISTORY;
    }
    *pseudo = false;
    gamma_expect(reader, "state");
    return CHART_STATE;
}

static struct chart_state *node(struct statechart *s, struct chart_region *region,
                                enum chart_kind kind, const char *around)
{
    struct gamma_reader *reader = s->reader;
    struct position at = here(reader);
    const struct token *token = gamma_name(reader, "a name");
    if (token == NULL)
        return NULL;
    char *name = chart_token_text(reader->chart, token);
    if (s->second)
        return chart_names_find(&s->instance->states, name);
    struct chart_state *state = chart_add_state(reader->chart, region, kind, name, at);
    state->text = chart_text(reader->chart, "%s.%s", around, name);
    if (chart_names_add(&s->instance->states, name, state) != state)
        lexer_error(reader->lexer, token, "found a second state `%s`, expected unique names", name);
    bool enters = kind == CHART_SHALLOW_HISTORY || kind == CHART_DEEP_HISTORY;
    if (enters)
        region->history = state;
    return state;
}

// @SpecialStateAnnotation WORD says what a state means in a contract, and nothing about what happens.
static bool skip_mark(struct gamma_reader *reader)
{
    if (!lexer_at(reader->lexer, CHART_TOKEN_AT) ||
        !token_is(lexer_peek(reader->lexer, 1), "SpecialStateAnnotation") ||
        lexer_peek(reader->lexer, 2)->kind != TOKEN_NAME)
        return false;
    for (int i = 0; i < 3; i++)
        lexer_next(reader->lexer);
    return true;
}

static void read_region(struct statechart *s, struct chart_state *parent, const char *around)
{
    struct gamma_reader *reader = s->reader;
    const struct token *name = gamma_name(reader, "the region's name");
    if (name == NULL || !gamma_expect(reader, "{"))
        return;
    struct chart_region *region = NULL;
    const char *text = chart_text(reader->chart, "%s%s%s", around, around[0] != '\0' ? "." : "",
                                  chart_token_text(reader->chart, name));
    if (!s->second) {
        region = chart_add_region(reader->chart, s->component, parent,
                                  chart_token_text(reader->chart, name));
        region->text = text;
    }
    while (!gamma_failed(reader) && !gamma_at(reader, "}")) {
        bool pseudo;
        if (skip_mark(reader))
            continue;
        if (lexer_at(reader->lexer, CHART_TOKEN_AT)) {
            lexer_not_supported(reader->lexer, lexer_token(reader->lexer),
                                "the annotation of a state");
            return;
        }
        enum chart_kind kind = pseudo_kind(reader, &pseudo);
        struct chart_state *state = gamma_failed(reader) ? NULL : node(s, region, kind, text);
        if (state != NULL && !pseudo && gamma_accept(reader, "{")) {
            read_state_body(s, state, state->text);
            if (!gamma_failed(reader))
                gamma_expect(reader, "}");
        }
    }
    if (!gamma_failed(reader))
        gamma_expect(reader, "}");
    if (region != NULL && !gamma_failed(reader)) {
        bool any = false;
        for (uint32_t i = 0; i < region->state_count; i++)
            any |= region->states[i]->kind == CHART_STATE;
        if (!any)
            lexer_error(reader->lexer, name, "found a region without a state, expected one");
    }
}

// ---- transitions -------------------------------------------------------------------------------

static struct chart_state *state_named(struct statechart *s, const struct token *name)
{
    struct chart_state *state =
        chart_names_find(&s->instance->states, chart_token_text(s->reader->chart, name));
    if (state == NULL)
        lexer_error(s->reader->lexer, name, "found `%.*s`, expected the name of a state",
                    (int)name->length, name->text);
    return state;
}

static const char *transition_text(struct statechart *s, const struct chart_state *from,
                                   const struct chart_state *to, const struct token *begin,
                                   const struct token *end)
{
    struct gamma_reader *reader = s->reader;
    struct text text;
    text_init(&text);
    text_printf(&text, "%s%s -> %s", s->instance->prefix, from->name, to->name);
    for (const struct token *t = begin; t < end && !token_is(t, "/"); t++)
        text_printf(&text, "%s%.*s", t == begin || t->text > t[-1].text + t[-1].length ? " " : "",
                    (int)t->length, t->text);
    const char *made = arena_strdup(&reader->chart->arena, text_string(&text));
    text_finish(&text);
    return made;
}

static void read_guard(struct statechart *s, struct chart_transition *transition)
{
    struct gamma_reader *reader = s->reader;
    if (lexer_accept(reader->lexer, CHART_TOKEN_OPEN_SQUARE) == NULL)
        return;
    if (gamma_accept(reader, "else"))
        transition->otherwise = true;
    else
        transition->guard = gamma_expression(reader, &CHART_TYPE_BOOL, "a guard");
    if (!gamma_failed(reader))
        gamma_expect(reader, "]");
}

static bool in_different_regions(const struct chart_state *a, const struct chart_state *b)
{
    for (const struct chart_state *x = a; x != NULL; x = chart_parent(x)) {
        for (const struct chart_state *y = b; y != NULL; y = chart_parent(y)) {
            if (x->parent->parent == y->parent->parent && x->parent != y->parent)
                return true;
        }
    }
    return false;
}

static void read_transition(struct statechart *s)
{
    struct gamma_reader *reader = s->reader;
    struct position at = here(reader);
    int64_t priority = 0;
    if (gamma_accept(reader, "(")) {
        const struct token *number = lexer_expect(reader->lexer, TOKEN_NUMBER);
        if (number == NULL || !chart_parse_number(reader->lexer, number, &priority))
            return;
        gamma_expect(reader, ")");
    }
    gamma_expect(reader, "from");
    const struct token *from = gamma_name(reader, "a state");
    if (from == NULL || !gamma_expect(reader, "to"))
        return;
    const struct token *to = gamma_name(reader, "a state");
    if (to == NULL)
        return;
    struct chart_state *source = state_named(s, from), *target = state_named(s, to);
    if (source == NULL || target == NULL)
        return;
    if (in_different_regions(source, target) && source->kind != CHART_FORK &&
        target->kind != CHART_JOIN) {
        lexer_error(reader->lexer, from, "found a transition between parallel regions");
        return;
    }
    const struct token *begin = lexer_token(reader->lexer);
    struct chart_transition *transition = chart_add_transition(reader->chart, source, at);
    chart_add_target(reader->chart, transition, target);
    transition->priority = priority;
    if (gamma_accept(reader, "when"))
        transition->trigger = gamma_trigger(reader);
    else if (chart_can_be_active(source) && target->kind != CHART_JOIN)
        lexer_not_supported(reader->lexer, from, "a transition of a state without a trigger");
    const struct token *guard = lexer_token(reader->lexer);
    if (!gamma_failed(reader))
        read_guard(s, transition);
    if (transition->otherwise && source->kind != CHART_CHOICE)
        lexer_not_supported(reader->lexer, guard, "[else] but behind a choice");
    if (!gamma_failed(reader) && gamma_accept(reader, "/"))
        transition->action = gamma_effect(reader);
    transition->text = transition_text(s, source, target, begin, lexer_token(reader->lexer));
}

// ---- forks, joins, initial states --------------------------------------------------------------

static void drop_last_transition(struct chart_state *state)
{
    state->out_count = 0;
}

// A transition to a fork goes to all targets of the fork's own ones.
static void expand_fork(struct statechart *s, struct chart_transition *transition)
{
    const struct chart_state *fork = transition->targets[0];
    transition->target_count = 0;
    transition->targets = NULL;
    for (uint32_t i = 0; i < fork->out_count; i++) {
        const struct chart_transition *out = fork->out[i];
        chart_add_target(s->reader->chart, transition, out->targets[0]);
        if (out->action != NULL || out->guard != NULL || out->trigger != NULL)
            message_add(s->reader->messages, MESSAGE_UNSUPPORTED, out->source_position,
                        "a fork's transition with a condition or an action");
    }
}

// All transitions into a join are one: of the state whose regions they come from.
static void expand_join(struct statechart *s, struct chart_state *join)
{
    struct chart *chart = s->reader->chart;
    const struct chart_expression *all = NULL;
    const struct chart_action *actions = NULL;
    const struct chart_state *around = NULL;
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        struct chart_transition *in = chart->transitions[i];
        if (in->target_count != 1 || in->targets[0] != join)
            continue;
        all = chart_both(chart, all, active(s, in->source));
        all = chart_both(chart, all, in->trigger);
        all = chart_both(chart, all, in->guard);
        chart_append_actions(&actions, in->action);
        around = chart_parent(in->source);
        in->trigger = chart_literal(chart, &CHART_TYPE_BOOL, 0); // not by itself
        in->action = NULL;
        in->target_count = 0;
    }
    if (around == NULL || join->out_count != 1) {
        message_add(s->reader->messages, MESSAGE_UNSUPPORTED, join->source,
                    "a join without exactly one way out, or of regions at the top");
        return;
    }
    const struct chart_transition *out = join->out[0];
    struct chart_transition *made =
        chart_add_transition(chart, (struct chart_state *)(uintptr_t)around, join->source);
    chart_add_target(chart, made, out->targets[0]);
    made->trigger = all;
    made->guard = out->guard;
    chart_append_actions(&actions, out->action);
    made->action = actions;
    made->text = out->text;
    drop_last_transition(join);
}

static void check_initial(struct statechart *s, struct chart_region *region)
{
    struct chart_state *entry = NULL;
    for (uint32_t i = 0; i < region->state_count; i++) {
        struct chart_state *state = region->states[i];
        bool initial = state->kind == CHART_INITIAL || state->kind == CHART_SHALLOW_HISTORY ||
                       state->kind == CHART_DEEP_HISTORY;
        if (initial && entry != NULL)
            message_add(s->reader->messages, MESSAGE_ERROR, state->source,
                        "found a second initial state, expected one in a region");
        if (initial)
            entry = state;
    }
    if (entry == NULL || entry->out_count != 1) {
        message_add(s->reader->messages, MESSAGE_ERROR,
                    entry != NULL ? entry->source : region->states[0]->source,
                    "found a region without an initial state that has one transition");
        return;
    }
    region->initial = entry->out[0];
}

static void finish(struct statechart *s)
{
    struct chart *chart = s->reader->chart;
    uint32_t count = chart->state_count;
    for (uint32_t i = 0; i < count; i++) {
        if (chart->states[i]->kind == CHART_JOIN &&
            chart->states[i]->parent->component == s->component)
            expand_join(s, chart->states[i]);
    }
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        struct chart_transition *t = chart->transitions[i];
        if (t->target_count == 1 && t->targets[0]->kind == CHART_FORK &&
            t->source->parent->component == s->component)
            expand_fork(s, t);
    }
    for (uint32_t i = 0; i < chart->region_count; i++) {
        if (chart->regions[i]->component == s->component)
            check_initial(s, chart->regions[i]);
    }
}

// ---- the body ----------------------------------------------------------------------------------

// To the next part of the chart; an action list that begins with `var` has its variables for itself.
static void skip_transition(struct gamma_reader *reader)
{
    static const char *const NEXT[] = {"transition", "region", "procedure", "lambda",
                                       "invariant",  "@",      "}"};
    struct lexer *lexer = reader->lexer;
    bool local = false;
    while (!lexer_at(lexer, TOKEN_END) && (local || !gamma_at(reader, "var"))) {
        for (size_t i = 0; i < sizeof NEXT / sizeof NEXT[0]; i++) {
            if (gamma_at(reader, NEXT[i]))
                return;
        }
        local |= gamma_at(reader, "/") && token_is(lexer_peek(lexer, 1), "var");
        if (gamma_at(reader, "{") || gamma_at(reader, "[") || gamma_at(reader, "("))
            gamma_skip_block(reader);
        else
            lexer_next(lexer);
    }
}

static void read_element(struct statechart *s)
{
    struct gamma_reader *reader = s->reader;
    const struct token *at = lexer_token(reader->lexer);
    if (lexer_accept(reader->lexer, CHART_TOKEN_AT) != NULL) { // of a transition
        const struct token *name = lexer_token(reader->lexer);
        if (name->kind == CHART_TOKEN_OPEN)
            gamma_skip_block(reader);
        else if (token_is(name, "Unremovable")) // a word for Gamma's reductions
            lexer_next(reader->lexer);
        else
            lexer_not_supported(reader->lexer, name, "the annotation @%.*s here", (int)name->length,
                                name->text);
    } else if (gamma_accept(reader, "var")) {
        add_variable(s, false);
    } else if (gamma_accept(reader, "timeout")) {
        add_variable(s, true);
    } else if (gamma_accept(reader, "procedure") || gamma_accept(reader, "lambda")) {
        add_procedure(s);
    } else if (gamma_accept(reader, "region")) {
        const char *prefix = s->instance->prefix;
        size_t length = strlen(prefix);
        read_region(s, NULL, arena_strndup(&reader->arena, prefix, length > 0 ? length - 1 : 0));
    } else if (gamma_accept(reader, "invariant")) {
        read_invariant(s, NULL);
    } else if (gamma_accept(reader, "transition")) {
        if (s->second) {
            read_transition(s);
            return;
        }
        skip_transition(reader);
    } else if (at->kind == TOKEN_NAME) {
        lexer_not_supported(reader->lexer, at, "`%.*s` in a statechart", (int)at->length, at->text);
    } else {
        lexer_unexpected(reader->lexer, "a part of a statechart");
    }
}

static void read_body(struct statechart *s, size_t at)
{
    struct gamma_reader *reader = s->reader;
    reader->lexer->at = at;
    if (!gamma_expect(reader, "{"))
        return;
    while (!gamma_failed(reader) && !gamma_at(reader, "}"))
        read_element(s);
    if (!gamma_failed(reader))
        gamma_expect(reader, "}");
}

void gamma_statechart(struct gamma_reader *reader, struct gamma_instance *instance)
{
    struct statechart s = {.reader = reader, .instance = instance};
    s.component = instance->component = chart_add_component(
        reader->chart, instance->name[0] != '\0' ? instance->name : instance->declaration->name);
    read_annotations(&s);
    instance->body = reader->lexer->at;
    read_body(&s, instance->body);
    if (s.asynchronous && !gamma_failed(reader))
        gamma_own_adapter(reader, instance, instance->capacity);
}

void gamma_statechart_behaviour(struct gamma_reader *reader, struct gamma_instance *instance)
{
    struct statechart s = {
        .reader = reader, .instance = instance, .component = instance->component, .second = true};
    struct gamma_place place = gamma_go_to(reader, instance->declaration->file, instance->body);
    struct gamma_instance *before = reader->instance;
    reader->instance = instance;
    read_body(&s, instance->body);
    if (!gamma_failed(reader))
        finish(&s);
    reader->instance = before;
    gamma_return(reader, place);
}
