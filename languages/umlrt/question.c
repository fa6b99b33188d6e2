#include "languages/umlrt/question.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/umlrt/text_inside.h"

struct reader {
    struct lexer lexer;
    struct capsules *capsules;
    struct capsule_question *out;
    int depth;
};

#define DEPTH_MOST 200

static bool read_formula(struct reader *r, uint32_t *out);
static bool read_operand_bounded(struct reader *r, uint32_t *out);

static bool word_is(const struct reader *r, size_t ahead, const char *word)
{
    const struct token *t = lexer_peek(&r->lexer, ahead);
    return t->kind == TOKEN_NAME && token_is(t, word);
}

static bool any_case(const struct token *t, const char *word)
{
    return t->kind == TOKEN_NAME && t->length == strlen(word) &&
           strncasecmp(t->text, word, t->length) == 0;
}

static bool is_and(const struct token *t)
{
    return t->kind == T_AND || any_case(t, "and");
}

static bool is_or(const struct token *t)
{
    return t->kind == T_OR || any_case(t, "or");
}

// How many tokens the state property has that begins here, up to its `@`; 0 when there is none here.
static size_t property_length(const struct reader *r)
{
    int depth = 0;
    for (size_t i = 0;; i++) {
        const struct token *t = lexer_peek(&r->lexer, i);
        if (t->kind == T_LPAREN || t->kind == T_LBRACKET)
            depth++;
        if (t->kind == T_RPAREN || t->kind == T_RBRACKET)
            depth--;
        if (t->kind == T_AT && depth == 0)
            return i;
        if (t->kind == TOKEN_END || depth < 0)
            return 0;
        if (depth == 0 && (is_and(t) || is_or(t) || (t->kind == TOKEN_NAME && token_is(t, "U"))))
            return 0;
    }
}

// The part behind the `@`: <top,cars>, top.cars or cars.
static bool read_part(struct reader *r, uint32_t *instance)
{
    struct text path = {0};
    bool listed = lexer_accept(&r->lexer, T_LESS) != NULL, fine = true;
    const struct token *at = lexer_token(&r->lexer);
    do {
        const char *name = cffsm_name(&r->lexer, r->capsules, "of a part");
        fine = name != NULL;
        if (fine)
            text_printf(&path, "%s%s", path.length > 0 ? "." : "", name);
    } while (fine && lexer_accept(&r->lexer, listed ? T_COMMA : T_POINT) != NULL);
    fine = fine && (!listed || lexer_expect(&r->lexer, T_GREATER) != NULL);
    if (fine) {
        *instance = capsules_find_instance(r->capsules, text_string(&path));
        fine = *instance != CAPSULE_NONE;
        if (!fine)
            lexer_error(&r->lexer, at, "no part `%s`, or several", text_string(&path));
    }
    text_finish(&path);
    return fine;
}

// The part of an atom whose property is `length` tokens long from here, without moving on.
static bool look_at_part(struct reader *r, size_t length, uint32_t *instance)
{
    size_t here = r->lexer.at;
    assert(here + length + 1 < r->lexer.count); // the end is behind the `@`
    r->lexer.at += length + 1;
    bool fine = read_part(r, instance);
    r->lexer.at = here;
    return fine;
}

// Two signals called alike at different ports want the port's name too.
static uint32_t find_signal(const struct capsule_module *m, const char *name, bool out)
{
    uint32_t found = CAPSULE_NONE;
    for (size_t i = 0; i < m->signals.count; i++) {
        if (m->signals.data[i].out != out || !capsule_signal_named(m->signals.data[i].name, name))
            continue;
        if (found != CAPSULE_NONE)
            return CAPSULE_NONE;
        found = (uint32_t)i;
    }
    return found;
}

static bool read_pattern_values(struct reader *r, const struct capsule_signal *signal,
                                struct capsule_pattern *pattern)
{
    while (lexer_accept(&r->lexer, T_RPAREN) == NULL) {
        const struct token *at = lexer_token(&r->lexer);
        const char *name = cffsm_name(&r->lexer, r->capsules, "of a variable");
        if (name == NULL)
            return false;
        uint32_t v = 0;
        while (signal != NULL && v < signal->variables.count &&
               strcmp(signal->variables.data[v].name, name) != 0)
            v++;
        if (signal == NULL || v == signal->variables.count) {
            lexer_error(&r->lexer, at, "the signal has no variable `%s`", name);
            return false;
        }
        if (lexer_accept(&r->lexer, T_EQUALS) == NULL && lexer_expect(&r->lexer, T_EQUAL) == NULL)
            return false;
        struct expression_scope scope = {r->capsules, r->capsules->store, NULL, NULL};
        const struct term *value = cffsm_expression_of(
            &r->lexer, &scope, signal->variables.data[v].term->sort->kind == SORT_BOOL);
        if (value == NULL)
            return false;
        if (!term_is_literal(value)) {
            lexer_error(&r->lexer, at, "found an expression, expected a constant");
            return false;
        }
        VECTOR_PUSH(&pattern->values, ((struct capsule_pattern_value){v, value}));
        if (!lexer_at(&r->lexer, T_RPAREN) && lexer_expect(&r->lexer, T_COMMA) == NULL)
            return false;
    }
    return true;
}

// any, any.any(), signal(), port.signal(v = 1), timer
static bool read_pattern(struct reader *r, const struct capsule_module *m, bool out, bool timers,
                         struct capsule_pattern *pattern)
{
    const struct token *at = lexer_token(&r->lexer);
    const char *name = cffsm_name(&r->lexer, r->capsules, "of a signal, or `any`");
    if (name == NULL)
        return false;
    struct text full = {0};
    text_add(&full, name);
    while (lexer_accept(&r->lexer, T_POINT) != NULL) {
        const char *more = cffsm_name(&r->lexer, r->capsules, "behind the `.`");
        if (more == NULL) {
            text_finish(&full);
            return false;
        }
        text_printf(&full, ".%s", more);
    }
    bool any = strcmp(text_string(&full), "any") == 0 || strcmp(text_string(&full), "any.any") == 0;
    pattern->kind = any ? PATTERN_ANY : PATTERN_SIGNAL;
    if (!any) {
        pattern->number = find_signal(m, text_string(&full), out);
        if (pattern->number == CAPSULE_NONE && timers) {
            pattern->kind = PATTERN_TIMER;
            pattern->number = capsule_find_timer(m, text_string(&full));
        }
        if (pattern->number == CAPSULE_NONE) {
            lexer_error(&r->lexer, at, "module `%s` has no %s `%s`, or several", m->name,
                        out ? "out signal" : "in signal", text_string(&full));
            text_finish(&full);
            return false;
        }
    }
    text_finish(&full);
    if (lexer_accept(&r->lexer, T_LPAREN) == NULL)
        return true;
    return read_pattern_values(
        r, pattern->kind == PATTERN_SIGNAL ? &m->signals.data[pattern->number] : NULL, pattern);
}

static bool read_sequence(struct reader *r, const struct capsule_module *m, bool out, int end,
                          struct capsule_atom *atom)
{
    while (lexer_accept(&r->lexer, end) == NULL) {
        struct capsule_pattern pattern = {0};
        bool fine = read_pattern(r, m, out, false, &pattern);
        VECTOR_PUSH(&atom->sequence, pattern);
        if (!fine || (!lexer_at(&r->lexer, end) && lexer_expect(&r->lexer, T_COMMA) == NULL))
            return false;
    }
    return true;
}

static bool all_words(const struct reader *r, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        int kind = lexer_peek(&r->lexer, i)->kind;
        if (kind != TOKEN_NAME && kind != T_QUOTED && kind != TOKEN_NUMBER &&
            (kind < T_MODULE || kind > T_ELSE || kind == T_TRUE || kind == T_FALSE ||
             kind == T_NOT))
            return false;
    }
    return true;
}

static bool has_bracket(const struct reader *r, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (lexer_peek(&r->lexer, i)->kind == T_LBRACKET)
            return true;
    return false;
}

// A name of several words, bare or in quotes.
static bool read_location(struct reader *r, const struct capsule_module *m, size_t length,
                          struct capsule_atom *atom)
{
    const struct token *at = lexer_token(&r->lexer);
    struct text name = {0};
    for (size_t i = 0; i < length; i++)
        text_printf(&name, "%s%s", i > 0 ? " " : "",
                    cffsm_spelling(r->capsules, lexer_next(&r->lexer)));
    atom->kind = ATOM_LOCATION;
    atom->location = capsule_find_location(m, text_string(&name));
    if (atom->location == CAPSULE_NONE) {
        uint32_t a = capsule_find_attribute(m, text_string(&name));
        if (a != CAPSULE_NONE && m->attributes.data[a].term->sort->kind == SORT_BOOL) {
            atom->kind = ATOM_CONSTRAINT;
            atom->term = m->attributes.data[a].term;
        } else {
            lexer_error(&r->lexer, at, "module `%s` has no location `%s`", m->name,
                        text_string(&name));
        }
    }
    bool fine = atom->kind == ATOM_CONSTRAINT || atom->location != CAPSULE_NONE;
    text_finish(&name);
    return fine;
}

static bool read_property(struct reader *r, size_t length, struct capsule_atom *atom)
{
    const struct capsule_module *m = capsules_module_of(r->capsules, atom->instance);
    if (all_words(r, length))
        return read_location(r, m, length, atom);
    if (lexer_accept(&r->lexer, T_LESS) != NULL) {
        atom->kind = ATOM_QUEUE;
        return read_sequence(r, m, false, T_GREATER, atom);
    }
    if (has_bracket(r, length)) {
        atom->kind = ATOM_LABEL;
        return read_pattern(r, m, false, true, &atom->trigger) &&
               lexer_expect(&r->lexer, T_LBRACKET) != NULL &&
               read_sequence(r, m, true, T_RBRACKET, atom);
    }
    atom->kind = ATOM_CONSTRAINT;
    struct expression_scope scope = {r->capsules, r->capsules->store, m, NULL};
    atom->term = cffsm_expression_of(&r->lexer, &scope, true);
    return atom->term != NULL;
}

static bool add_atom(struct reader *r, const struct capsule_atom *atom, uint32_t *out)
{
    *out = ctl_atom(&r->out->formulas, (uint32_t)r->out->atoms.count);
    VECTOR_PUSH(&r->out->atoms, *atom);
    return true;
}

static bool read_atom(struct reader *r, size_t length, uint32_t *out)
{
    struct capsule_atom atom = {.position = lexer_position(&r->lexer, lexer_token(&r->lexer))};
    bool fine = look_at_part(r, length, &atom.instance) && read_property(r, length, &atom);
    fine = fine && lexer_expect(&r->lexer, T_AT) != NULL && read_part(r, &atom.instance);
    ENSURE(!fine || atom.kind != ATOM_CONSTRAINT || atom.term->sort->kind == SORT_BOOL);
    ENSURE(!fine || atom.kind != ATOM_LOCATION ||
           atom.location < capsules_module_of(r->capsules, atom.instance)->locations.count);
    add_atom(r, &atom, out);
    return fine;
}

// deadlock, dropped(signal), overflow(module), true, false
static bool read_builtin(struct reader *r, uint32_t *out)
{
    struct capsule_atom atom = {.position = lexer_position(&r->lexer, lexer_token(&r->lexer))};
    if (lexer_at(&r->lexer, T_TRUE) || lexer_at(&r->lexer, T_FALSE)) {
        *out = ctl_constant(&r->out->formulas, lexer_next(&r->lexer)->kind == T_TRUE);
        return true;
    }
    if (word_is(r, 0, "deadlock")) {
        lexer_next(&r->lexer);
        atom.kind = ATOM_DEADLOCK;
        return add_atom(r, &atom, out);
    }
    if (word_is(r, 0, "bounded")) {
        lexer_next(&r->lexer);
        atom.kind = ATOM_BOUNDED;
        return add_atom(r, &atom, out);
    }
    bool dropped = word_is(r, 0, "dropped");
    if (!dropped && !word_is(r, 0, "overflow"))
        return lexer_unexpected(&r->lexer, "a formula");
    lexer_next(&r->lexer);
    atom.kind = dropped ? ATOM_DROPPED : ATOM_OVERFLOW;
    if (dropped ? lexer_expect(&r->lexer, T_LPAREN) == NULL
                : lexer_accept(&r->lexer, T_LPAREN) == NULL)
        return !dropped && add_atom(r, &atom, out);
    const struct token *at = lexer_token(&r->lexer);
    if (lexer_accept(&r->lexer, T_RPAREN) != NULL)
        return add_atom(r, &atom, out);
    struct text name = {0};
    bool fine = true;
    do {
        const char *word = cffsm_name(&r->lexer, r->capsules, "of a signal or module");
        fine = word != NULL;
        text_printf(&name, "%s%s", name.length > 0 ? "." : "", fine ? word : "");
    } while (fine && lexer_accept(&r->lexer, T_POINT) != NULL);
    atom.signal = capsules_name(r->capsules, text_string(&name), name.length);
    text_finish(&name);
    bool known = !dropped && capsules_find_module(r->capsules, atom.signal) != CAPSULE_NONE;
    for (size_t i = 0; dropped && !known && i < r->capsules->modules.count; i++)
        for (size_t s = 0; !known && s < r->capsules->modules.data[i].signals.count; s++)
            known = capsule_signal_named(r->capsules->modules.data[i].signals.data[s].name,
                                         atom.signal);
    if (fine && !known) {
        lexer_error(&r->lexer, at, "no %s `%s`", dropped ? "signal" : "module", atom.signal);
        fine = false;
    }
    add_atom(r, &atom, out);
    return fine && lexer_expect(&r->lexer, T_RPAREN) != NULL;
}

// Does E[f U g] or A[f U g] begin here, with or without brackets?
static bool at_until(const struct reader *r)
{
    if (!word_is(r, 0, "E") && !word_is(r, 0, "A"))
        return false;
    int depth = 0;
    for (size_t i = 1;; i++) {
        const struct token *t = lexer_peek(&r->lexer, i);
        if (t->kind == T_LPAREN || t->kind == T_LBRACKET)
            depth++;
        if (t->kind == T_RPAREN || t->kind == T_RBRACKET)
            depth--;
        if (t->kind == TOKEN_END || depth < 0)
            return false;
        if (depth == (lexer_peek(&r->lexer, 1)->kind == T_LBRACKET) && t->kind == TOKEN_NAME &&
            token_is(t, "U"))
            return true;
    }
}

// E[f U g], A[f U g]
static bool read_until(struct reader *r, uint32_t *out)
{
    bool exists = word_is(r, 0, "E");
    lexer_next(&r->lexer);
    uint32_t a, b;
    bool bracket = lexer_accept(&r->lexer, T_LBRACKET) != NULL;
    if (!read_formula(r, &a))
        return false;
    if (!word_is(r, 0, "U"))
        return lexer_unexpected(&r->lexer, "`U`");
    lexer_next(&r->lexer);
    if (!read_formula(r, &b) || (bracket && lexer_expect(&r->lexer, T_RBRACKET) == NULL))
        return false;
    struct ctl_formulas *f = &r->out->formulas;
    *out = exists ? ctl_eu(f, a, b) : ctl_au(f, a, b);
    return true;
}

static uint32_t (*operator_at(const struct reader *r))(struct ctl_formulas *, uint32_t)
{
    static const struct {
        const char *name;
        uint32_t (*make)(struct ctl_formulas *, uint32_t);
    } OPERATORS[] = {{"EX", ctl_ex}, {"AX", ctl_ax}, {"EF", ctl_ef},
                     {"AF", ctl_af}, {"EG", ctl_eg}, {"AG", ctl_ag}};
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (word_is(r, 0, OPERATORS[i].name))
            return OPERATORS[i].make;
    return NULL;
}

static bool read_operand(struct reader *r, uint32_t *out)
{
    const struct token *t = lexer_token(&r->lexer);
    if (t->kind == T_NOT || any_case(t, "not")) {
        lexer_next(&r->lexer);
        uint32_t a;
        if (!read_operand_bounded(r, &a))
            return false;
        *out = ctl_not(&r->out->formulas, a);
        return true;
    }
    uint32_t (*make)(struct ctl_formulas *, uint32_t) = operator_at(r);
    if (make != NULL) {
        r->out->has_next |= make == ctl_ex || make == ctl_ax;
        lexer_next(&r->lexer);
        uint32_t a;
        if (!read_operand_bounded(r, &a))
            return false;
        *out = make(&r->out->formulas, a);
        return true;
    }
    if (at_until(r))
        return read_until(r, out);
    size_t length = property_length(r);
    if (length > 0)
        return read_atom(r, length, out);
    if (lexer_accept(&r->lexer, T_LPAREN) != NULL)
        return read_formula(r, out) && lexer_expect(&r->lexer, T_RPAREN) != NULL;
    if (lexer_accept(&r->lexer, T_LBRACKET) != NULL)
        return read_formula(r, out) && lexer_expect(&r->lexer, T_RBRACKET) != NULL;
    return read_builtin(r, out);
}

static bool read_operand_bounded(struct reader *r, uint32_t *out)
{
    if (++r->depth > DEPTH_MOST) {
        lexer_error(&r->lexer, lexer_token(&r->lexer), "a formula nested more than %d deep",
                    DEPTH_MOST);
        return false;
    }
    bool fine = read_operand(r, out);
    r->depth--;
    return fine;
}

static bool read_conjunction(struct reader *r, uint32_t *out)
{
    if (!read_operand_bounded(r, out))
        return false;
    while (is_and(lexer_token(&r->lexer))) {
        uint32_t b;
        lexer_next(&r->lexer);
        if (!read_operand_bounded(r, &b))
            return false;
        *out = ctl_and(&r->out->formulas, *out, b);
    }
    return true;
}

static bool read_formula(struct reader *r, uint32_t *out)
{
    if (!read_conjunction(r, out))
        return false;
    while (is_or(lexer_token(&r->lexer))) {
        uint32_t b;
        lexer_next(&r->lexer);
        if (!read_conjunction(r, &b))
            return false;
        *out = ctl_or(&r->out->formulas, *out, b);
    }
    return true;
}

bool capsule_question_read(struct capsules *capsules, const char *path, const char *text,
                           struct capsule_question *out, struct messages *messages)
{
    memset(out, 0, sizeof *out);
    out->text = text;
    struct reader r = {.capsules = capsules, .out = out};
    lexer_init(&r.lexer, &CFFSM_LANGUAGE, path, text, strlen(text), messages);
    bool fine = !messages_failed(messages) && read_formula(&r, &out->root);
    if (fine && !lexer_at(&r.lexer, TOKEN_END))
        fine = lexer_unexpected(&r.lexer, "`and`, `or` or the end");
    fine = fine && !messages_failed(messages);
    assert(!fine || r.depth == 0);
    ENSURE(!fine || out->root < out->formulas.count);
    lexer_finish(&r.lexer);
    if (!fine)
        capsule_question_finish(out);
    return fine;
}
