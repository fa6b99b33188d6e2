#include "languages/umlrt/text.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/umlrt/text_inside.h"

// Two passes: declarations first, so that connectors and transitions may use what is declared later. The first one
// remembers where those begin.

struct later {
    size_t at; // token
    uint32_t module;
};

struct reader {
    struct lexer lexer;
    struct capsules *capsules;
    VECTOR(struct later) later;
    const char *top, *top_name;
    struct position top_position;
};

static struct lexer *lexer_of(struct reader *r)
{
    return &r->lexer;
}

static struct position here(struct reader *r)
{
    struct position p = lexer_position(&r->lexer, lexer_token(&r->lexer));
    p.path = r->capsules->path;
    return p;
}

static bool taken(struct reader *r, const struct token *at, const char *what, const char *name)
{
    lexer_error(&r->lexer, at, "%s `%s` is there already", what, name);
    return false;
}

static struct capsule_module *module_of(struct reader *r, uint32_t m)
{
    assert(m < r->capsules->modules.count);
    return &r->capsules->modules.data[m];
}

// true and false are 1 and 0 of a number too small to matter; anything else is an error at its place.
static bool read_bound(struct reader *r, int64_t *out)
{
    bool negative = lexer_accept(&r->lexer, T_MINUS) != NULL;
    const struct token *number = lexer_expect(&r->lexer, TOKEN_NUMBER);
    if (number == NULL)
        return false;
    const char *digits = capsules_name(r->capsules, number->text, number->length);
    errno = 0;
    long long value = strtoll(digits, NULL, 10);
    if (errno != 0 || value > 1000000000) {
        lexer_error(&r->lexer, number, "found `%s`, expected a number of at most 1000000000",
                    digits);
        return false;
    }
    assert(value >= 0); // the sign is a token of its own
    *out = negative ? -value : value;
    return true;
}

// `: int`, `: bool` or, where allowed, `: -4..4`.
static bool read_type(struct reader *r, bool may_range, bool *boolean, bool *ranged, int64_t *low,
                      int64_t *high)
{
    *ranged = *boolean = false;
    if (lexer_expect(&r->lexer, T_COLON) == NULL)
        return false;
    if (lexer_accept(&r->lexer, T_INT) != NULL)
        return true;
    if (lexer_accept(&r->lexer, T_BOOL) != NULL) {
        *boolean = true;
        return true;
    }
    if (!may_range)
        return lexer_unexpected(&r->lexer, "`int` or `bool`");
    if (!lexer_at(&r->lexer, T_MINUS) && !lexer_at(&r->lexer, TOKEN_NUMBER))
        return lexer_unexpected(&r->lexer, "`int`, `bool` or a range like `-4..4`");
    const struct token *at = lexer_token(&r->lexer);
    *ranged = true;
    if (!read_bound(r, low) || lexer_expect(&r->lexer, T_RANGE) == NULL || !read_bound(r, high))
        return false;
    if (*low > *high) {
        lexer_error(&r->lexer, at, "the range is empty");
        return false;
    }
    return true;
}

static bool read_attribute(struct reader *r, uint32_t m)
{
    const struct token *at = lexer_token(&r->lexer);
    struct position position = here(r);
    const char *name = cffsm_name(&r->lexer, r->capsules, "after `attribute`");
    bool boolean, ranged;
    int64_t low, high;
    if (name == NULL || !read_type(r, false, &boolean, &ranged, &low, &high))
        return false;
    if (capsule_find_attribute(module_of(r, m), name) != CAPSULE_NONE)
        return taken(r, at, "attribute", name);
    struct capsule_variable v =
        capsules_variable(r->capsules, module_of(r, m)->name, name, boolean, position);
    if (lexer_accept(&r->lexer, T_EQUAL) != NULL) {
        const struct token *value = lexer_token(&r->lexer);
        struct expression_scope scope = {r->capsules, r->capsules->store, NULL, NULL};
        const struct term *t = cffsm_expression_of(&r->lexer, &scope, boolean);
        if (t == NULL)
            return false;
        if (!term_is_literal(t)) {
            lexer_error(&r->lexer, value, "found an expression, expected a constant");
            return false;
        }
        v.initial = t;
    }
    VECTOR_PUSH(&module_of(r, m)->attributes, v);
    return lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
}

static bool read_variables(struct reader *r, uint32_t m, struct capsule_signal *signal)
{
    struct text *owner = &(struct text){0};
    text_printf(owner, "%s.%s", module_of(r, m)->name, signal->name);
    bool fine = true;
    do {
        const struct token *at = lexer_token(&r->lexer);
        struct position position = here(r);
        const char *name = cffsm_name(&r->lexer, r->capsules, "of a variable");
        bool boolean, ranged;
        int64_t low = 0, high = 0;
        fine = name != NULL && read_type(r, signal->external, &boolean, &ranged, &low, &high);
        if (!fine)
            break;
        for (size_t i = 0; fine && i < signal->variables.count; i++)
            if (strcmp(signal->variables.data[i].name, name) == 0)
                fine = taken(r, at, "variable", name);
        struct capsule_variable v =
            capsules_variable(r->capsules, text_string(owner), name, boolean, position);
        v.ranged = ranged;
        v.low = low;
        v.high = high;
        VECTOR_PUSH(&signal->variables, v);
    } while (fine && lexer_accept(&r->lexer, T_COMMA) != NULL);
    text_finish(owner);
    return fine && lexer_expect(&r->lexer, T_RPAREN) != NULL;
}

static bool read_signals(struct reader *r, uint32_t m, bool out, bool external)
{
    do {
        const struct token *at = lexer_token(&r->lexer);
        struct position position = here(r);
        const char *name = cffsm_name(&r->lexer, r->capsules, "of a signal");
        if (name == NULL)
            return false;
        if (capsule_find_signal(module_of(r, m), name) != CAPSULE_NONE ||
            capsule_find_timer(module_of(r, m), name) != CAPSULE_NONE)
            return taken(r, at, "signal or timer", name);
        struct capsule_signal *signal =
            capsules_add_signal(module_of(r, m), name, out, external, position);
        if (lexer_accept(&r->lexer, T_LPAREN) != NULL && !read_variables(r, m, signal))
            return false;
    } while (lexer_accept(&r->lexer, T_COMMA) != NULL);
    return lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
}

static bool read_names(struct reader *r, uint32_t m, bool timers)
{
    do {
        const struct token *at = lexer_token(&r->lexer);
        struct capsule_named named = {.position = here(r)};
        named.name = cffsm_name(&r->lexer, r->capsules, timers ? "of a timer" : "of a location");
        if (named.name == NULL)
            return false;
        struct capsule_module *module = module_of(r, m);
        if (timers ? capsule_find_timer(module, named.name) != CAPSULE_NONE ||
                         capsule_find_signal(module, named.name) != CAPSULE_NONE
                   : capsule_find_location(module, named.name) != CAPSULE_NONE)
            return taken(r, at, timers ? "signal or timer" : "location", named.name);
        if (timers)
            VECTOR_PUSH(&module->timers, named);
        else
            VECTOR_PUSH(&module->locations, named);
    } while (lexer_accept(&r->lexer, T_COMMA) != NULL);
    return lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
}

// Its module may come later, so only the name is kept; resolve_parts looks it up.
static bool read_part(struct reader *r, uint32_t m, bool fixed)
{
    const struct token *at = lexer_token(&r->lexer);
    struct position position = here(r);
    const char *name = cffsm_name(&r->lexer, r->capsules, "after `part`");
    if (name == NULL || lexer_expect(&r->lexer, T_COLON) == NULL)
        return false;
    if (capsule_find_part(module_of(r, m), name) != CAPSULE_NONE)
        return taken(r, at, "part", name);
    struct capsule_part part = {name, (uint32_t)r->lexer.at, fixed, position};
    if (cffsm_name(&r->lexer, r->capsules, "of the part's module") == NULL)
        return false;
    VECTOR_PUSH(&module_of(r, m)->parts, part);
    return lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
}

// To behind the `;` or the block that ends a connector, composite or transition.
static bool skip_item(struct reader *r)
{
    while (!lexer_at(&r->lexer, TOKEN_END)) {
        if (lexer_accept(&r->lexer, T_SEMICOLON) != NULL)
            return true;
        if (lexer_accept(&r->lexer, T_LBRACE) != NULL) {
            for (int depth = 1; depth > 0 && !lexer_at(&r->lexer, TOKEN_END);) {
                int kind = lexer_next(&r->lexer)->kind;
                depth += (kind == T_LBRACE) - (kind == T_RBRACE);
            }
            return true;
        }
        lexer_next(&r->lexer);
    }
    return lexer_unexpected(&r->lexer, "`;` or a block");
}

static bool read_item(struct reader *r, uint32_t m)
{
    struct lexer *lexer = lexer_of(r);
    if (lexer_accept(lexer, T_ATTRIBUTE) != NULL)
        return read_attribute(r, m);
    if (lexer_accept(lexer, T_TIMER) != NULL)
        return read_names(r, m, true);
    if (lexer_accept(lexer, T_LOCATION) != NULL)
        return read_names(r, m, false);
    if (lexer_accept(lexer, T_PART) != NULL)
        return read_part(r, m, true);
    if (lexer_accept(lexer, T_OPTIONAL) != NULL)
        return lexer_expect(lexer, T_PART) != NULL && read_part(r, m, false);
    if (lexer_accept(lexer, T_EXTERNAL) != NULL)
        return lexer_expect(lexer, T_IN) != NULL && read_signals(r, m, false, true);
    if (lexer_accept(lexer, T_IN) != NULL)
        return read_signals(r, m, false, false);
    if (lexer_accept(lexer, T_OUT) != NULL)
        return read_signals(r, m, true, false);
    if (lexer_at(lexer, T_CONNECT) || lexer_at(lexer, T_COMPOSITE) || lexer_at(lexer, T_INITIAL) ||
        cffsm_at_name(lexer)) {
        VECTOR_PUSH(&r->later, ((struct later){lexer->at, m}));
        return skip_item(r);
    }
    return lexer_unexpected(lexer, "a declaration, a transition or `}`");
}

static bool read_module(struct reader *r)
{
    const struct token *at = lexer_token(&r->lexer);
    struct position position = here(r);
    const char *name = cffsm_name(&r->lexer, r->capsules, "after `module`");
    if (name == NULL)
        return false;
    if (capsules_find_module(r->capsules, name) != CAPSULE_NONE)
        return taken(r, at, "module", name);
    capsules_add_module(r->capsules, name, position);
    uint32_t m = (uint32_t)r->capsules->modules.count - 1;
    if (lexer_expect(&r->lexer, T_LBRACE) == NULL)
        return false;
    while (!lexer_at(&r->lexer, T_RBRACE) && !lexer_at(&r->lexer, TOKEN_END))
        if (!read_item(r, m))
            return false;
    return lexer_expect_in(&r->lexer, T_RBRACE, "at the end of the module") != NULL;
}

static bool read_top(struct reader *r)
{
    r->top_position = here(r);
    r->top = cffsm_name(&r->lexer, r->capsules, "after `top`");
    r->top_name = "top";
    if (r->top != NULL && lexer_accept(&r->lexer, T_AS) != NULL)
        r->top_name = cffsm_name(&r->lexer, r->capsules, "after `as`");
    return r->top != NULL && r->top_name != NULL && lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
}

static bool read_declarations(struct reader *r)
{
    while (!lexer_at(&r->lexer, TOKEN_END)) {
        bool fine = lexer_accept(&r->lexer, T_MODULE) != NULL ? read_module(r)
                    : lexer_accept(&r->lexer, T_TOP) != NULL
                        ? read_top(r)
                        : lexer_unexpected(&r->lexer, "`module` or `top`");
        if (!fine)
            return false;
    }
    if (r->top == NULL)
        return lexer_unexpected(&r->lexer, "`top`");
    return true;
}

static bool resolve_parts(struct reader *r)
{
    for (size_t m = 0; m < r->capsules->modules.count; m++)
        for (size_t i = 0; i < module_of(r, (uint32_t)m)->parts.count; i++) {
            struct capsule_part *part = &module_of(r, (uint32_t)m)->parts.data[i];
            assert(part->module < r->lexer.count);
            const struct token *at = &r->lexer.tokens[part->module];
            const char *name = cffsm_spelling(r->capsules, at);
            part->module = capsules_find_module(r->capsules, name);
            if (part->module == CAPSULE_NONE) {
                lexer_error(&r->lexer, at, "no module `%s`", name);
                return false;
            }
        }
    return true;
}

// part.part.signal
static bool read_end(struct reader *r, uint32_t m, struct capsule_end *end)
{
    for (;;) {
        const struct token *at = lexer_token(&r->lexer);
        const char *name = cffsm_name(&r->lexer, r->capsules, "of a part or signal");
        if (name == NULL)
            return false;
        const struct capsule_module *module = module_of(r, m);
        if (lexer_accept(&r->lexer, T_POINT) == NULL) {
            end->signal = capsule_find_signal(module, name);
            if (end->signal == CAPSULE_NONE)
                lexer_error(&r->lexer, at, "module `%s` has no signal `%s`", module->name, name);
            return end->signal != CAPSULE_NONE;
        }
        uint32_t part = capsule_find_part(module, name);
        if (part == CAPSULE_NONE) {
            lexer_error(&r->lexer, at, "module `%s` has no part `%s`", module->name, name);
            return false;
        }
        VECTOR_PUSH(&end->path, part);
        m = module->parts.data[part].module;
    }
}

static bool read_connector(struct reader *r, uint32_t m)
{
    struct capsule_connector connector = {.position = here(r)};
    bool fine = read_end(r, m, &connector.sender) && lexer_expect(&r->lexer, T_ARROW) != NULL &&
                read_end(r, m, &connector.receiver) && lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
    VECTOR_PUSH(&module_of(r, m)->connectors, connector);
    return fine;
}

static bool read_location(struct reader *r, uint32_t m, uint32_t *out)
{
    const struct token *at = lexer_token(&r->lexer);
    const char *name = cffsm_name(&r->lexer, r->capsules, "of a location");
    if (name == NULL)
        return false;
    *out = capsule_find_location(module_of(r, m), name);
    if (*out == CAPSULE_NONE)
        lexer_error(&r->lexer, at, "module `%s` has no location `%s`", module_of(r, m)->name, name);
    return *out != CAPSULE_NONE;
}

static bool read_composite(struct reader *r, uint32_t m)
{
    struct capsule_composite composite = {0};
    composite.name = cffsm_name(&r->lexer, r->capsules, "after `composite`");
    bool fine = composite.name != NULL && lexer_expect(&r->lexer, T_LBRACE) != NULL;
    while (fine) {
        uint32_t location;
        fine = read_location(r, m, &location);
        if (fine)
            VECTOR_PUSH(&composite.locations, location);
        if (!fine || lexer_accept(&r->lexer, T_COMMA) == NULL)
            break;
    }
    if (fine)
        lexer_accept(&r->lexer, T_SEMICOLON);
    fine = fine && lexer_expect(&r->lexer, T_RBRACE) != NULL;
    VECTOR_PUSH(&module_of(r, m)->composites, composite);
    return fine;
}

static bool read_assignment(struct reader *r, const struct expression_scope *scope,
                            struct capsule_case *c)
{
    const struct token *at = lexer_token(&r->lexer);
    const char *name = cffsm_spelling(r->capsules, lexer_next(&r->lexer));
    uint32_t attribute = capsule_find_attribute(scope->module, name);
    if (attribute == CAPSULE_NONE) {
        lexer_error(&r->lexer, at, "module `%s` has no attribute `%s`", scope->module->name, name);
        return false;
    }
    for (size_t i = 0; i < c->assignments.count; i++)
        if (c->assignments.data[i].attribute == attribute)
            return taken(r, at, "a new value of", name);
    if (lexer_expect(&r->lexer, T_BECOMES) == NULL)
        return false;
    bool boolean = scope->module->attributes.data[attribute].term->sort->kind == SORT_BOOL;
    const struct term *value = cffsm_expression_of(&r->lexer, scope, boolean);
    if (value != NULL)
        VECTOR_PUSH(&c->assignments, ((struct capsule_assignment){attribute, value}));
    return value != NULL && lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
}

static bool read_arguments(struct reader *r, const struct expression_scope *scope,
                           const struct capsule_signal *signal, struct capsule_output *output)
{
    bool fine = true;
    if (lexer_accept(&r->lexer, T_LPAREN) != NULL && lexer_accept(&r->lexer, T_RPAREN) == NULL) {
        do {
            size_t i = output->arguments.count;
            const struct term *value =
                i < signal->variables.count
                    ? cffsm_expression_of(&r->lexer, scope,
                                          signal->variables.data[i].term->sort->kind == SORT_BOOL)
                    : NULL;
            if (value == NULL && i >= signal->variables.count)
                lexer_error(&r->lexer, lexer_token(&r->lexer), "`%s` has %zu variables",
                            signal->name, signal->variables.count);
            fine = value != NULL;
            if (fine)
                VECTOR_PUSH(&output->arguments, value);
        } while (fine && lexer_accept(&r->lexer, T_COMMA) != NULL);
        fine = fine && lexer_expect(&r->lexer, T_RPAREN) != NULL;
    }
    if (fine && output->arguments.count != signal->variables.count) {
        lexer_error(&r->lexer, lexer_token(&r->lexer), "found %zu values, expected the %zu of `%s`",
                    output->arguments.count, signal->variables.count, signal->name);
        return false;
    }
    return fine;
}

static bool read_send(struct reader *r, const struct expression_scope *scope,
                      struct capsule_case *c)
{
    const struct token *at = lexer_token(&r->lexer);
    const char *name = cffsm_name(&r->lexer, r->capsules, "after `send`");
    if (name == NULL)
        return false;
    uint32_t signal = capsule_find_signal(scope->module, name);
    if (signal == CAPSULE_NONE || !scope->module->signals.data[signal].out) {
        lexer_error(&r->lexer, at, "module `%s` has no out signal `%s`", scope->module->name, name);
        return false;
    }
    struct capsule_output output = {.signal = signal};
    bool fine = read_arguments(r, scope, &scope->module->signals.data[signal], &output);
    VECTOR_PUSH(&c->outputs, output);
    return fine && lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
}

static bool read_list(struct reader *r, const struct capsule_module *module, bool timers,
                      struct capsule_numbers *out)
{
    do {
        const struct token *at = lexer_token(&r->lexer);
        const char *name = cffsm_name(&r->lexer, r->capsules, timers ? "of a timer" : "of a part");
        if (name == NULL)
            return false;
        uint32_t number =
            timers ? capsule_find_timer(module, name) : capsule_find_part(module, name);
        if (number == CAPSULE_NONE) {
            lexer_error(&r->lexer, at, "module `%s` has no %s `%s`", module->name,
                        timers ? "timer" : "part", name);
            return false;
        }
        VECTOR_PUSH(out, number);
    } while (lexer_accept(&r->lexer, T_COMMA) != NULL);
    return lexer_expect(&r->lexer, T_SEMICOLON) != NULL;
}

static bool read_action(struct reader *r, const struct expression_scope *scope,
                        struct capsule_case *c)
{
    if (lexer_accept(&r->lexer, T_SEND) != NULL)
        return read_send(r, scope, c);
    if (lexer_accept(&r->lexer, T_SET) != NULL)
        return read_list(r, scope->module, true, &c->timers);
    if (lexer_accept(&r->lexer, T_CREATE) != NULL)
        return read_list(r, scope->module, false, &c->created);
    if (lexer_accept(&r->lexer, T_DESTROY) != NULL)
        return read_list(r, scope->module, false, &c->destroyed);
    if (cffsm_at_name(&r->lexer))
        return read_assignment(r, scope, c);
    return lexer_unexpected(&r->lexer, "an action or `}`");
}

static bool read_effect(struct reader *r, const struct expression_scope *scope,
                        struct capsule_case *c)
{
    while (!lexer_at(&r->lexer, T_RBRACE) && !lexer_at(&r->lexer, TOKEN_END))
        if (!read_action(r, scope, c))
            return false;
    return lexer_expect(&r->lexer, T_RBRACE) != NULL;
}

// Cases, whose `otherwise` completes them; without it they have to be valid together, which the house's
// solvers are asked when the model is complete.
static bool read_cases(struct reader *r, const struct expression_scope *scope,
                       struct capsule_transition *t)
{
    struct term_store *store = r->capsules->store;
    const struct term *none = term_true(store);
    bool fine = true, last = false;
    while (fine && !last && (lexer_at(&r->lexer, T_CASE) || lexer_at(&r->lexer, T_OTHERWISE))) {
        struct capsule_case c = {.position = here(r)};
        last = lexer_next(&r->lexer)->kind == T_OTHERWISE;
        c.condition = last ? none : cffsm_expression_of(&r->lexer, scope, true);
        c.bound_exceeded = lexer_accept(&r->lexer, T_BEYOND) != NULL;
        fine = c.condition != NULL && lexer_expect(&r->lexer, T_LBRACE) != NULL &&
               read_effect(r, scope, &c);
        if (c.condition != NULL)
            none = term_and2(store, none, term_not(store, c.condition));
        VECTOR_PUSH(&t->cases, c);
    }
    return fine && lexer_expect(&r->lexer, T_RBRACE) != NULL;
}

static bool read_body(struct reader *r, const struct expression_scope *scope,
                      struct capsule_transition *t)
{
    struct capsule_case c = {.condition = term_true(r->capsules->store), .position = here(r)};
    bool fine = true;
    if (lexer_accept(&r->lexer, T_SEMICOLON) == NULL) {
        if (lexer_expect(&r->lexer, T_LBRACE) == NULL)
            return false;
        if (lexer_at(&r->lexer, T_CASE) || lexer_at(&r->lexer, T_OTHERWISE))
            return read_cases(r, scope, t);
        fine = read_effect(r, scope, &c);
    }
    VECTOR_PUSH(&t->cases, c);
    return fine;
}

static bool read_trigger(struct reader *r, struct expression_scope *scope,
                         struct capsule_transition *t)
{
    const struct token *at = lexer_token(&r->lexer);
    const char *name = cffsm_name(&r->lexer, r->capsules, "of a signal or timer");
    if (name == NULL)
        return false;
    t->kind = CAPSULE_TIMER;
    t->trigger = capsule_find_timer(scope->module, name);
    if (t->trigger == CAPSULE_NONE) {
        t->kind = CAPSULE_SIGNAL;
        t->trigger = capsule_find_signal(scope->module, name);
        if (t->trigger == CAPSULE_NONE || scope->module->signals.data[t->trigger].out) {
            lexer_error(&r->lexer, at, "module `%s` has no in signal or timer `%s`",
                        scope->module->name, name);
            return false;
        }
        scope->trigger = &scope->module->signals.data[t->trigger];
    }
    if (lexer_accept(&r->lexer, T_LBRACKET) != NULL) {
        t->guard = cffsm_expression_of(&r->lexer, scope, true);
        return t->guard != NULL && lexer_expect(&r->lexer, T_RBRACKET) != NULL;
    }
    return true;
}

static bool read_initial(struct reader *r, uint32_t m)
{
    const struct token *at = &r->lexer.tokens[r->lexer.at - 1];
    struct capsule_transition t = {.source = CAPSULE_NONE,
                                   .kind = CAPSULE_INIT,
                                   .guard = term_true(r->capsules->store),
                                   .position = here(r)};
    struct expression_scope scope = {r->capsules, r->capsules->store, module_of(r, m), NULL};
    bool fine = lexer_expect(&r->lexer, T_ARROW) != NULL && read_location(r, m, &t.target) &&
                read_body(r, &scope, &t);
    if (module_of(r, m)->initial != CAPSULE_NONE)
        fine = taken(r, at, "an initial transition of", module_of(r, m)->name);
    module_of(r, m)->initial = (uint32_t)module_of(r, m)->transitions.count;
    VECTOR_PUSH(&module_of(r, m)->transitions, t);
    return fine;
}

// One transition for each source.
static bool read_transition(struct reader *r, uint32_t m)
{
    struct capsule_numbers sources = {0};
    struct capsule_transition t = {.guard = term_true(r->capsules->store), .position = here(r)};
    struct expression_scope scope = {r->capsules, r->capsules->store, module_of(r, m), NULL};
    bool fine;
    do {
        fine = read_location(r, m, &t.source);
        if (fine)
            VECTOR_PUSH(&sources, t.source);
    } while (fine && lexer_accept(&r->lexer, T_COMMA) != NULL);
    fine = fine && lexer_expect(&r->lexer, T_DASHES) != NULL && read_trigger(r, &scope, &t) &&
           lexer_expect(&r->lexer, T_ARROW) != NULL && read_location(r, m, &t.target) &&
           read_body(r, &scope, &t);
    ENSURE(!fine || (sources.count > 0 && t.cases.count > 0));
    for (size_t i = 0; i < sources.count; i++) {
        struct capsule_transition copy = t;
        copy.source = sources.data[i];
        memset(&copy.cases, 0, sizeof copy.cases);
        for (size_t j = 0; j < t.cases.count; j++)
            VECTOR_PUSH(&copy.cases, capsule_case_copy(&t.cases.data[j]));
        VECTOR_PUSH(&module_of(r, m)->transitions, copy);
    }
    for (size_t j = 0; j < t.cases.count; j++)
        capsule_case_finish(&t.cases.data[j]);
    VECTOR_FINISH(&t.cases);
    VECTOR_FINISH(&sources);
    return fine;
}

static bool read_later(struct reader *r)
{
    for (size_t i = 0; i < r->later.count; i++) {
        assert(i == 0 || r->later.data[i - 1].at < r->later.data[i].at);
        r->lexer.at = r->later.data[i].at;
        uint32_t m = r->later.data[i].module;
        bool fine = lexer_accept(&r->lexer, T_CONNECT) != NULL     ? read_connector(r, m)
                    : lexer_accept(&r->lexer, T_COMPOSITE) != NULL ? read_composite(r, m)
                    : lexer_accept(&r->lexer, T_INITIAL) != NULL   ? read_initial(r, m)
                                                                   : read_transition(r, m);
        if (!fine)
            return false;
    }
    return true;
}

struct capsules *cffsm_read(const char *path, const char *text, size_t bytes,
                            struct messages *messages)
{
    struct reader r = {.capsules = capsules_create(path)};
    lexer_init(&r.lexer, &CFFSM_LANGUAGE, path, text, bytes, messages);
    bool fine = !messages_failed(messages) && read_declarations(&r) && resolve_parts(&r) &&
                read_later(&r) &&
                capsules_finish(r.capsules, r.top, r.top_name, r.top_position, messages);
    lexer_finish(&r.lexer);
    VECTOR_FINISH(&r.later);
    if (!fine || messages_failed(messages)) {
        capsules_destroy(r.capsules);
        return NULL;
    }
    return r.capsules;
}
