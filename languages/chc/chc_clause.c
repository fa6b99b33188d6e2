#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/chc/chc.h"

// One assertion as clauses. Quantifiers, implications, negations and disjunctions around the clause are
// followed in its text; what is left are terms over marks, of which the negation of the clause is the
// conjunction. Where marks sit below disjunctions there, the clause is cut into several.

enum { DEPTH_LIMIT = 2000, SPLIT_LIMIT = 10000 };

struct conjunction {
    const struct term **data;
    size_t count, capacity; // a VECTOR
};

// ---- names

enum chc_name chc_find(const struct chc *c, const struct term *term, uint32_t *number)
{
    if (term->id >= c->names.count)
        return CHC_UNKNOWN;
    *number = c->names.data[term->id].number;
    return c->names.data[term->id].kind;
}

void chc_note(struct chc *c, const struct term *term, enum chc_name kind, uint32_t number)
{
    while (c->names.count <= term->id) {
        VECTOR_RESERVE(&c->names, c->names.count + 1);
        c->names.data[c->names.count].kind = CHC_UNKNOWN;
        c->names.data[c->names.count++].number = 0;
    }
    c->names.data[term->id].kind = kind;
    c->names.data[term->id].number = number;
}

const struct term *chc_name_term(struct chc *c, const char *name)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "||%s", name);
    const struct term *term = term_var(c->store, text_string(&text), sort_bool(c->store));
    text_finish(&text);
    return term;
}

static bool is_mark(const struct chc *c, const struct term *term)
{
    uint32_t number;
    return term->kind == TERM_VAR && chc_find(c, term, &number) == CHC_MARK;
}

static bool has_mark(const struct chc *c, const struct term *term)
{
    struct term_vector variables = {0};
    bool found = false;
    rewrite_free_variables(term, &variables);
    for (size_t i = 0; i < variables.count && !found; i++)
        found = is_mark(c, variables.data[i]);
    VECTOR_FINISH(&variables);
    return found;
}

bool chc_bind_variables(struct chc *c, const struct sexpr *list, struct term_vector *out)
{
    struct text text;
    bool good = list->kind == SEXPR_LIST || chc_fail(c, list, "a list ((name sort) …)");
    uint32_t group = c->quantifiers++;
    text_init(&text);
    for (size_t i = 0; good && i < list->count; i++) {
        const struct sexpr *pair = list->child[i];
        good = (pair->kind == SEXPR_LIST && pair->count == 2 &&
                pair->child[0]->kind == SEXPR_SYMBOL) ||
               chc_fail(c, pair, "(name sort)");
        if (!good)
            break;
        text_clear(&text);
        const struct sort *sort = smtlib_read_sort(c->reader, pair->child[1], &text);
        good = sort != NULL || chc_blame(c, pair->child[1], &text);
        if (!good)
            break;
        text_clear(&text);
        text_printf(&text, "|%s", pair->child[0]->text);
        const struct term *variable =
            term_var_copy(c->store, term_var(c->store, text_string(&text), sort), group);
        VECTOR_PUSH(out, variable);
        smtlib_reader_bind(c->reader, pair->child[0]->text, variable);
    }
    text_finish(&text);
    return good;
}

// ---- applications

const struct term *chc_apply(struct chc *c, uint32_t predicate, const struct term *const *arguments,
                             struct position at)
{
    const struct chc_predicate *p = &c->predicates.data[predicate];
    size_t arity = p->parameters.count;
    for (size_t i = c->first_application; i < c->applications.count; i++) {
        const struct chc_application *a = &c->applications.data[i];
        if (a->predicate == predicate &&
            (arity == 0 || memcmp(a->arguments, arguments, arity * sizeof(*arguments)) == 0))
            return a->mark;
    }
    const struct term **copy = arena_alloc(&c->arena, (arity + 1) * sizeof(*copy));
    for (size_t i = 0; i < arity; i++)
        copy[i] = arguments[i];
    struct chc_application a = {predicate, copy, NULL, at};
    a.mark =
        term_var_copy(c->store, chc_name_term(c, p->name), (uint32_t)c->applications.count + 1);
    chc_note(c, a.mark, CHC_MARK, (uint32_t)c->applications.count);
    VECTOR_PUSH(&c->applications, a);
    return a.mark;
}

struct expansion {
    struct chc *c;
    const struct chc_macro *macro;
    const struct term *const *arguments;
    struct position at;
};

static const struct term *expand(const struct expansion *e, const struct term *term);

static const struct term *actual(void *context, const struct term *variable)
{
    const struct expansion *e = context;
    uint32_t number;
    for (size_t i = 0; i < e->macro->parameters.count; i++)
        if (e->macro->parameters.data[i] == variable)
            return e->arguments[i];
    if (chc_find(e->c, variable, &number) != CHC_MARK)
        return variable;
    uint32_t predicate = e->c->applications.data[number].predicate;
    size_t arity = e->c->predicates.data[predicate].parameters.count;
    const struct term **arguments = memory_alloc((arity + 1) * sizeof *arguments);
    for (size_t i = 0; i < arity; i++) // the application moves when others are made
        arguments[i] = expand(e, e->c->applications.data[number].arguments[i]);
    const struct term *mark = chc_apply(e->c, predicate, arguments, e->at);
    memory_free(arguments);
    return mark;
}

static const struct term *expand(const struct expansion *e, const struct term *term)
{
    return rewrite_substitute(e->c->store, term, actual, (void *)e);
}

// The arguments in the parameters' sorts; integers are taken for rationals where those are wanted.
static bool fit(struct chc *c, const struct term_vector *parameters,
                const struct term *const *arguments, size_t count, struct term_vector *out,
                struct text *why)
{
    if (count != parameters->count) {
        text_printf(why, "found %zu arguments, expected %zu", count, parameters->count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct term *argument = arguments[i];
        const struct sort *sort = parameters->data[i]->sort;
        if (sort->kind == SORT_RAT && argument->sort->kind == SORT_INT)
            argument = term_to_rat(c->store, argument);
        if (argument->sort != sort) {
            text_printf(why, "found another sort in argument %zu, expected that of the parameter",
                        i + 1);
            return false;
        }
        VECTOR_PUSH(out, argument);
    }
    return true;
}

// Arguments of predicates are over clause variables alone.
static bool is_plain(struct chc *c, const struct term_vector *arguments, struct text *why)
{
    struct term_vector variables = {0};
    bool good = true;
    for (size_t i = 0; i < arguments->count; i++)
        rewrite_free_variables(arguments->data[i], &variables);
    for (size_t i = 0; i < variables.count && good; i++)
        good = chc_is_variable(variables.data[i]) && !is_mark(c, variables.data[i]);
    VECTOR_FINISH(&variables);
    if (good)
        return true;
    c->unsupported = true;
    text_add(why, "a predicate inside of an argument or below a quantifier of a constraint");
    return false;
}

const struct term *chc_call(void *context, const struct sexpr *name,
                            const struct term *const *arguments, size_t count, struct text *why)
{
    struct chc *c = context;
    struct term_vector fitting = {0};
    const struct term *made = NULL;
    uint32_t number;
    switch (chc_find(c, chc_name_term(c, name->text), &number)) {
    case CHC_PREDICATE:
        if (fit(c, &c->predicates.data[number].parameters, arguments, count, &fitting, why) &&
            is_plain(c, &fitting, why))
            made = chc_apply(c, number, fitting.data, chc_at(c, name));
        break;
    case CHC_MACRO:
        if (fit(c, &c->macros.data[number].parameters, arguments, count, &fitting, why)) {
            struct expansion e = {c, &c->macros.data[number], fitting.data, chc_at(c, name)};
            if (e.macro->body != NULL)
                made = expand(&e, e.macro->body);
            else
                text_add(why, "found a function whose definition is wrong, expected another");
        }
        break;
    case CHC_UNKNOWN:
    case CHC_MARK:
        break;
    }
    VECTOR_FINISH(&fitting);
    return made;
}

// ---- from text to the negation of the clause

static bool walk(struct chc *c, const struct sexpr *e, bool positive, struct conjunction *out);

static bool walk_all(struct chc *c, const struct sexpr *e, size_t first, size_t end, bool positive,
                     struct conjunction *out)
{
    bool good = true;
    for (size_t i = first; i < end && good; i++)
        good = walk(c, e->child[i], positive, out);
    return good;
}

static bool walk_leaf(struct chc *c, const struct sexpr *e, bool positive, struct conjunction *out)
{
    struct text why;
    text_init(&why);
    const struct term *term = smtlib_read_as(c->reader, e, sort_bool(c->store), &why);
    if (term != NULL)
        VECTOR_PUSH(out, positive ? term_not(c->store, term) : term);
    else
        chc_blame(c, e, &why);
    text_finish(&why);
    return term != NULL;
}

static bool walk_let(struct chc *c, const struct sexpr *e, bool positive, struct conjunction *out)
{
    struct text why;
    text_init(&why);
    bool good = smtlib_reader_bind_let(c->reader, e, &why) || chc_blame(c, e, &why);
    text_finish(&why);
    return good && walk(c, e->child[2], positive, out);
}

static bool walk_quantifier(struct chc *c, const struct sexpr *e, bool positive,
                            struct conjunction *out)
{
    struct term_vector variables = {0};
    bool good = chc_bind_variables(c, e->child[1], &variables);
    VECTOR_FINISH(&variables);
    return good && walk(c, e->child[2], positive, out);
}

static bool walk(struct chc *c, const struct sexpr *e, bool positive, struct conjunction *out)
{
    size_t mark = smtlib_reader_mark(c->reader);
    bool good;
    if (++c->depth > DEPTH_LIMIT)
        good = walk_leaf(c, e, positive, out);
    else if (sexpr_is_call(e, "not", 2))
        good = walk(c, e->child[1], !positive, out);
    else if (sexpr_is_call(e, "!", 0) && e->count >= 2)
        good = walk(c, e->child[1], positive, out);
    else if (sexpr_is_call(e, "=>", 0) && e->count >= 3 && positive)
        good = walk_all(c, e, 1, e->count - 1, false, out) &&
               walk(c, e->child[e->count - 1], true, out);
    else if (sexpr_is_call(e, positive ? "or" : "and", 0) && e->count >= 2)
        good = walk_all(c, e, 1, e->count, positive, out);
    else if (sexpr_is_call(e, positive ? "forall" : "exists", 3))
        good = walk_quantifier(c, e, positive, out);
    else if (sexpr_is_call(e, "let", 3))
        good = walk_let(c, e, positive, out);
    else
        good = walk_leaf(c, e, positive, out);
    smtlib_reader_unbind(c->reader, mark);
    c->depth--;
    return good;
}

// ---- cutting

struct cutting {
    struct chc *c;
    const struct sexpr *formula;
    unsigned made;
};

static bool cut(struct cutting *k, const struct conjunction *parts);

// The parts but number `at`, and the term.
static bool cut_with(struct cutting *k, const struct conjunction *parts, size_t at,
                     const struct term *term)
{
    struct conjunction some = {0};
    for (size_t i = 0; i < parts->count; i++)
        if (i != at)
            VECTOR_PUSH(&some, parts->data[i]);
    VECTOR_PUSH(&some, term);
    bool good = cut(k, &some);
    VECTOR_FINISH(&some);
    return good;
}

// A disjunction, one clause for each side with marks and one for all others.
static bool cut_disjunction(struct cutting *k, const struct conjunction *parts, size_t at,
                            const struct term *const *sides, size_t count, bool negated)
{
    struct term_store *store = k->c->store;
    const struct term *others = term_false(store);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const struct term *side = negated ? term_not(store, sides[i]) : sides[i];
        if (has_mark(k->c, side))
            good = cut_with(k, parts, at, side);
        else
            others = term_or2(store, others, side);
    }
    return good && (term_is_false(others) || cut_with(k, parts, at, others));
}

static bool cut_conjunction(struct cutting *k, const struct conjunction *parts, size_t at,
                            const struct term *const *sides, size_t count, bool negated)
{
    struct conjunction some = {0};
    for (size_t i = 0; i < parts->count; i++)
        if (i != at)
            VECTOR_PUSH(&some, parts->data[i]);
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&some, negated ? term_not(k->c->store, sides[i]) : sides[i]);
    bool good = cut(k, &some);
    VECTOR_FINISH(&some);
    return good;
}

// a = b and if-then-else, of Booleans.
static bool cut_cases(struct cutting *k, const struct conjunction *parts, size_t at,
                      const struct term *term, bool negated)
{
    struct term_store *store = k->c->store;
    const struct term *a = term->child[0], *b = term->child[1];
    const struct term *no = term->kind == TERM_ITE ? term->child[2] : term_not(store, b);
    const struct term *sides[2] = {
        term_and2(store, a, negated ? term_not(store, b) : b),
        term_and2(store, term_not(store, a), negated ? term_not(store, no) : no)};
    return cut_disjunction(k, parts, at, sides, 2, false);
}

static bool add_clause(struct cutting *k, const struct conjunction *parts)
{
    struct chc *c = k->c;
    struct chc_clause clause = {.body = CHC_NONE, .head = CHC_NONE, .at = chc_at(c, k->formula)};
    clause.constraints = arena_alloc(&c->arena, (parts->count + 1) * sizeof *clause.constraints);
    for (size_t i = 0; i < parts->count; i++) {
        const struct term *part = parts->data[i];
        uint32_t number = CHC_NONE;
        bool negated = part->kind == TERM_NOT;
        if (term_is_false(part))
            return true;
        if (chc_find(c, negated ? part->child[0] : part, &number) != CHC_MARK) {
            if (!term_is_true(part))
                clause.constraints[clause.constraint_count++] = part;
            continue;
        }
        uint32_t *place = negated ? &clause.head : &clause.body;
        if (*place != CHC_NONE && *place != number) {
            message_add(c->messages, negated ? MESSAGE_ERROR : MESSAGE_UNSUPPORTED,
                        c->applications.data[number].at,
                        negated
                            ? "found a second predicate that is concluded, expected a Horn clause"
                            : "clauses with two predicates in the premise (not linear)");
            return false;
        }
        assert(number >= c->first_application && number < c->applications.count);
        *place = number;
    }
    assert(clause.constraint_count <= parts->count);
    VECTOR_PUSH(&c->clauses, clause);
    return true;
}

static bool cut(struct cutting *k, const struct conjunction *parts)
{
    if (++k->made > SPLIT_LIMIT) {
        message_add(k->c->messages, MESSAGE_UNSUPPORTED, chc_at(k->c, k->formula),
                    "an assertion that stands for more than %d clauses", SPLIT_LIMIT);
        return false;
    }
    for (size_t i = 0; i < parts->count; i++) {
        const struct term *part = parts->data[i];
        bool negated = part->kind == TERM_NOT;
        const struct term *inner = negated ? part->child[0] : part;
        if (inner->kind == TERM_VAR || !has_mark(k->c, inner))
            continue;
        if (inner->kind == (negated ? TERM_AND : TERM_OR))
            return cut_disjunction(k, parts, i, inner->child, inner->child_count, negated);
        if (inner->kind == (negated ? TERM_OR : TERM_AND))
            return cut_conjunction(k, parts, i, inner->child, inner->child_count, negated);
        if (inner->kind == TERM_EQ || inner->kind == TERM_ITE)
            return cut_cases(k, parts, i, inner, negated);
        message_add(k->c->messages, MESSAGE_UNSUPPORTED, chc_at(k->c, k->formula),
                    "a predicate inside of a term");
        return false;
    }
    return add_clause(k, parts);
}

bool chc_read_assertion(struct chc *c, const struct sexpr *formula)
{
    struct conjunction parts = {0};
    struct cutting k = {c, formula, 0};
    c->first_application = c->applications.count;
    c->quantifiers = 0;
    c->depth = 0;
    bool good = walk(c, formula, true, &parts) && cut(&k, &parts);
    VECTOR_FINISH(&parts);
    return good;
}
