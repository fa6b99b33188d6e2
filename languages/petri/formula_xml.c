#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/petri/formula.h"
#include "languages/petri/xml.h"

// The contest's syntax: every element is worth a condition, a number, or a temporal operator around one, and hands
// that to the element around it.

enum worth {
    WORTH_NOTHING,
    WORTH_STATE,     // a condition on a marking
    WORTH_NUMBER,    // terms and a constant
    WORTH_GLOBALLY,  // a condition in all markings of a run
    WORTH_FINALLY,   // in some
    WORTH_REACHED,   // EF: some reachable marking
    WORTH_ALWAYS,    // AG
    WORTH_BOUND,     // the greatest value of a number
    WORTH_BRANCHING, // other temporal formulas
    WORTH_LINEAR,
};

struct terms {
    struct net_arc *data;
    size_t count, capacity;
};

struct value {
    enum worth worth;
    const struct formula *formula;
    struct terms terms;
    int64_t constant;
};

struct element {
    const char *name;
    struct position at;
    VECTOR(struct value) operands;
    VECTOR(uint32_t) transitions;
    struct terms places;
};

struct reader {
    const struct net *net;
    const char *path;
    struct arena *arena;
    struct messages *messages;
    VECTOR(struct element) open;
    struct question_list *out;
    struct text id;
    struct position id_at;
};

static bool fail(struct reader *r, struct position at, const char *found, const char *expected)
{
    message_add(r->messages, MESSAGE_ERROR, at, "found `%.60s`, expected %s", found, expected);
    return false;
}

static bool is(const struct element *e, const char *name)
{
    return strcmp(e->name, name) == 0;
}

static void finish_element(struct element *e)
{
    for (size_t i = 0; i < e->operands.count; i++)
        VECTOR_FINISH(&e->operands.data[i].terms);
    VECTOR_FINISH(&e->operands);
    VECTOR_FINISH(&e->transitions);
    VECTOR_FINISH(&e->places);
}

static bool begin(void *context, const char *name, const struct xml_attribute *attributes,
                  struct position at)
{
    struct reader *r = context;
    (void)attributes;
    if (r->open.count == 0 && strcmp(name, "property-set") != 0)
        return fail(r, at, name, "the element `property-set`");
    struct element e = {.name = arena_strdup(r->arena, name), .at = at};
    VECTOR_PUSH(&r->open, e);
    if (strcmp(name, "property") == 0)
        text_clear(&r->id);
    return true;
}

// Numbers of operands and what they are worth.
static bool expect(struct reader *r, const struct element *e, size_t least, size_t most,
                   enum worth worth)
{
    bool good = e->operands.count >= least && e->operands.count <= most;
    for (size_t i = 0; good && i < e->operands.count; i++)
        good = e->operands.data[i].worth == worth;
    if (!good)
        message_add(r->messages, MESSAGE_ERROR, e->at,
                    "found other operands in `%.40s`, expected %s", e->name,
                    worth == WORTH_NUMBER ? "numbers" : "conditions");
    return good;
}

static struct value state(const struct formula *formula)
{
    return (struct value){.worth = WORTH_STATE, .formula = formula};
}

// left - right <= bound.
static const struct formula *at_most(struct reader *r, const struct value *left,
                                     const struct value *right, int64_t slack)
{
    struct terms terms = {0};
    for (size_t i = 0; i < left->terms.count; i++)
        VECTOR_PUSH(&terms, left->terms.data[i]);
    for (size_t i = 0; i < right->terms.count; i++) {
        struct net_arc term = right->terms.data[i];
        term.weight = -term.weight;
        VECTOR_PUSH(&terms, term);
    }
    const struct formula *f = formula_at_most(r->arena, terms.data, terms.count,
                                              right->constant - left->constant + slack);
    VECTOR_FINISH(&terms);
    return f;
}

static const struct formula *both(struct reader *r, enum formula_kind kind, const struct formula *a,
                                  const struct formula *b)
{
    const struct formula *pair[] = {a, b};
    return formula_join(r->arena, kind, pair, 2);
}

static bool compare(struct reader *r, const struct element *e, struct value *out)
{
    if (!expect(r, e, 2, 2, WORTH_NUMBER))
        return false;
    const struct value *a = &e->operands.data[0], *b = &e->operands.data[1];
    const struct formula *f;
    if (is(e, "integer-le"))
        f = at_most(r, a, b, 0);
    else if (is(e, "integer-lt"))
        f = at_most(r, a, b, -1);
    else if (is(e, "integer-ge"))
        f = at_most(r, b, a, 0);
    else if (is(e, "integer-gt"))
        f = at_most(r, b, a, -1);
    else
        f = both(r, FORMULA_AND, at_most(r, a, b, 0), at_most(r, b, a, 0));
    *out = state(is(e, "integer-ne") ? formula_not(r->arena, f) : f);
    return true;
}

static bool is_comparison(const struct element *e)
{
    static const char *const NAMES[] = {"integer-le", "integer-lt", "integer-ge",
                                        "integer-gt", "integer-eq", "integer-ne"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (is(e, NAMES[i]))
            return true;
    return false;
}

static bool calculate(struct reader *r, const struct element *e, struct value *out)
{
    if (!expect(r, e, 1, SIZE_MAX, WORTH_NUMBER))
        return false;
    *out = (struct value){.worth = WORTH_NUMBER};
    for (size_t i = 0; i < e->operands.count; i++) {
        const struct value *v = &e->operands.data[i];
        int64_t sign = i > 0 && is(e, "integer-difference") ? -1 : 1;
        for (size_t k = 0; k < v->terms.count; k++) {
            struct net_arc term = {v->terms.data[k].place, sign * v->terms.data[k].weight};
            VECTOR_PUSH(&out->terms, term);
        }
        out->constant += sign * v->constant;
    }
    return true;
}

static enum worth worth_of_temporal(const struct element *e)
{
    for (size_t i = 0; i < e->operands.count; i++) {
        enum worth worth = e->operands.data[i].worth;
        if (worth == WORTH_GLOBALLY || worth == WORTH_FINALLY || worth == WORTH_LINEAR)
            return WORTH_LINEAR;
    }
    return WORTH_BRANCHING;
}

static bool is_temporal(const struct element *e)
{
    for (size_t i = 0; i < e->operands.count; i++)
        if (e->operands.data[i].worth > WORTH_NUMBER)
            return true;
    return false;
}

static bool connect(struct reader *r, const struct element *e, struct value *out)
{
    if (is_temporal(e)) {
        const struct value *only = &e->operands.data[0];
        *out = (struct value){.worth = worth_of_temporal(e)};
        if (is(e, "negation") && e->operands.count == 1 &&
            (only->worth == WORTH_REACHED || only->worth == WORTH_ALWAYS))
            *out =
                (struct value){.worth = only->worth == WORTH_REACHED ? WORTH_ALWAYS : WORTH_REACHED,
                               .formula = formula_not(r->arena, only->formula)};
        return true;
    }
    bool single = is(e, "negation"),
         pair = is(e, "implication") || is(e, "equivalence") || is(e, "exclusive-disjunction");
    if (!expect(r, e, pair ? 2 : 1, single ? 1 : pair ? 2 : SIZE_MAX, WORTH_STATE))
        return false;
    const struct formula *a = e->operands.data[0].formula;
    const struct formula *b = pair ? e->operands.data[1].formula : NULL;
    if (single) {
        *out = state(formula_not(r->arena, a));
    } else if (is(e, "implication")) {
        *out = state(both(r, FORMULA_OR, formula_not(r->arena, a), b));
    } else if (pair) {
        const struct formula *not_b = formula_not(r->arena, b), *not_a = formula_not(r->arena, a);
        bool same = is(e, "equivalence");
        *out = state(both(r, FORMULA_OR, both(r, FORMULA_AND, a, same ? b : not_b),
                          both(r, FORMULA_AND, not_a, same ? not_b : b)));
    } else {
        const struct formula **list = arena_alloc(r->arena, e->operands.count * sizeof *list);
        for (size_t i = 0; i < e->operands.count; i++)
            list[i] = e->operands.data[i].formula;
        *out = state(formula_join(r->arena, is(e, "conjunction") ? FORMULA_AND : FORMULA_OR, list,
                                  e->operands.count));
    }
    return true;
}

static bool fireable(struct reader *r, const struct element *e, struct value *out)
{
    if (e->transitions.count == 0)
        return fail(r, e->at, e->name, "transitions in it");
    const struct formula *f = formula_constant(r->arena, false);
    for (size_t i = 0; i < e->transitions.count; i++)
        f = both(r, FORMULA_OR, f, formula_fireable(r->arena, r->net, e->transitions.data[i]));
    *out = state(f);
    return true;
}

// "globally" and "finally" around a condition, and a quantifier around those; all else is worth no answer here.
static bool temporal(struct reader *r, const struct element *e, struct value *out)
{
    if (e->operands.count < 1)
        return fail(r, e->at, e->name, "a condition in it");
    const struct value *v = &e->operands.data[0];
    enum worth worth = WORTH_BRANCHING;
    if (is(e, "globally") || is(e, "finally"))
        worth = is(e, "globally") ? WORTH_GLOBALLY : WORTH_FINALLY;
    if (worth != WORTH_BRANCHING && v->worth != WORTH_STATE)
        worth = worth_of_temporal(e) == WORTH_LINEAR ? WORTH_LINEAR : WORTH_BRANCHING;
    if (is(e, "all-paths") && v->worth == WORTH_GLOBALLY)
        worth = WORTH_ALWAYS;
    if (is(e, "exists-path") && v->worth == WORTH_FINALLY)
        worth = WORTH_REACHED;
    if ((is(e, "all-paths") || is(e, "exists-path")) && v->worth == WORTH_LINEAR)
        worth = WORTH_LINEAR;
    *out = (struct value){.worth = worth, .formula = v->formula};
    return true;
}

static bool is_one_of(const struct element *e, const char *const *names)
{
    for (; *names; names++)
        if (is(e, *names))
            return true;
    return false;
}

static bool evaluate(struct reader *r, struct element *e, const char *text, struct value *out)
{
    static const char *const CONNECTIVES[] = {"negation",    "conjunction", "disjunction",
                                              "implication", "equivalence", "exclusive-disjunction",
                                              NULL};
    static const char *const SUMS[] = {"integer-sum", "integer-difference", NULL};
    static const char *const TEMPORAL[] = {"all-paths", "exists-path", "globally", "finally",
                                           "next",      "until",       NULL};
    *out = (struct value){0};
    if (is_comparison(e))
        return compare(r, e, out);
    if (is_one_of(e, CONNECTIVES))
        return connect(r, e, out);
    if (is_one_of(e, SUMS))
        return calculate(r, e, out);
    if (is_one_of(e, TEMPORAL))
        return temporal(r, e, out);
    if (is(e, "is-fireable"))
        return fireable(r, e, out);
    if (is(e, "deadlock"))
        *out = state(formula_deadlock(r->arena, r->net));
    else if (is(e, "true") || is(e, "false"))
        *out = state(formula_constant(r->arena, is(e, "true")));
    else if (is(e, "before") || is(e, "reach"))
        *out = e->operands.count ? e->operands.data[0] : (struct value){0};
    else if (is(e, "tokens-count") || is(e, "place-bound"))
        *out = (struct value){.worth = is(e, "place-bound") ? WORTH_BOUND : WORTH_NUMBER,
                              .terms = e->places};
    else if (is(e, "integer-constant")) {
        bool too_large;
        if (!net_read_number(text, &out->constant, &too_large))
            return fail(r, e->at, text, "a natural number below 2^40");
        out->worth = WORTH_NUMBER;
    } else {
        message_add(r->messages, MESSAGE_UNSUPPORTED, e->at, "the element `%.40s` in formulas",
                    e->name);
        return false;
    }
    if (is(e, "tokens-count") || is(e, "place-bound"))
        e->places = (struct terms){0}; // moved
    if ((is(e, "before") || is(e, "reach")) && e->operands.count)
        e->operands.data[0].terms = (struct terms){0};
    return true;
}

static void add_question(struct reader *r, const struct element *e, struct value *v)
{
    struct question q = {.name = arena_strdup(r->arena, text_string(&r->id)), .at = e->at};
    switch (v->worth) {
    case WORTH_REACHED:
        q.goal = v->formula;
        q.true_when_reached = true;
        break;
    case WORTH_ALWAYS:
    case WORTH_STATE:
        q.goal = formula_not(r->arena, v->formula);
        break;
    case WORTH_BOUND: {
        const struct formula *sum = formula_at_most(r->arena, v->terms.data, v->terms.count, 0);
        q.kind = QUESTION_BOUND;
        q.goal_sum = sum->sum;
        break;
    }
    default:
        q.kind = QUESTION_UNSUPPORTED;
        q.why = v->worth == WORTH_LINEAR ? "linear-time (LTL) formulas"
                                         : "branching-time (CTL) formulas";
    }
    VECTOR_PUSH(r->out, q);
}

static bool read_name(struct reader *r, struct element *around, const struct element *e,
                      const char *text)
{
    struct text name;
    uint32_t number;
    bool place = is(e, "place");
    text_init(&name);
    text_add_words(&name, text, strlen(text), 10000);
    bool good =
        net_find(r->net, text_string(&name), &number) == (place ? NET_PLACE : NET_TRANSITION) ||
        fail(r, e->at, text_string(&name), place ? "a place's id" : "a transition's id");
    struct net_arc term = {number, 1};
    if (good && place)
        VECTOR_PUSH(&around->places, term);
    else if (good)
        VECTOR_PUSH(&around->transitions, number);
    text_finish(&name);
    return good;
}

static bool is_around(const struct element *e)
{
    static const char *const NAMES[] = {"property-set",  "property",     "description",
                                        "tool-specific", "toolspecific", NULL};
    return is_one_of(e, NAMES);
}

static bool end_element(struct reader *r, struct element *around, struct element *e,
                        const char *text)
{
    if (is_around(e))
        return true;
    if (is(e, "id")) {
        text_clear(&r->id);
        text_add_words(&r->id, text, strlen(text), 1000);
        return true;
    }
    if ((is(e, "place") || is(e, "transition")) && around)
        return read_name(r, around, e, text);
    if (is(e, "formula")) {
        if (e->operands.count != 1)
            return fail(r, e->at, e->name, "one condition in it");
        add_question(r, e, &e->operands.data[0]);
        return true;
    }
    struct value value;
    if (!evaluate(r, e, text, &value))
        return false;
    VECTOR_PUSH(&around->operands, value);
    return true;
}

static bool end(void *context, const char *text, struct position at)
{
    struct reader *r = context;
    (void)at;
    struct element e = VECTOR_POP(&r->open);
    struct element *around = r->open.count ? &VECTOR_LAST(&r->open) : NULL;
    bool good = end_element(r, around, &e, text);
    finish_element(&e);
    return good;
}

bool formula_read_xml(const struct net *net, const char *path, const char *text, size_t bytes,
                      struct arena *arena, struct question_list *out, struct messages *messages)
{
    struct reader r = {.net = net, .path = path, .arena = arena, .messages = messages, .out = out};
    struct xml_handler handler = {begin, end, &r};
    bool good = xml_read(path, text, bytes, &handler, messages);
    for (size_t i = 0; i < r.open.count; i++)
        finish_element(&r.open.data[i]);
    VECTOR_FINISH(&r.open);
    text_finish(&r.id);
    return good;
}
