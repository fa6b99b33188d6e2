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
    WORTH_PATH,      // an operator on one run: it wants a quantifier around it
    WORTH_REACHED,   // EF: some reachable marking
    WORTH_ALWAYS,    // AG
    WORTH_BOUND,     // the greatest value of a number
    WORTH_BRANCHING, // other formulas of CTL
    WORTH_LINEAR,    // operators on runs within one another
};

enum path { PATH_GLOBALLY, PATH_FINALLY, PATH_NEXT, PATH_UNTIL };

struct terms {
    struct net_arc *data;
    size_t count, capacity;
};

struct value {
    enum worth worth;
    const struct formula *formula; // STATE, REACHED, ALWAYS; PATH around a STATE
    struct terms terms;
    int64_t constant;
    enum path path;
    uint32_t left, right; // nodes of CTL: PATH: the operands; REACHED, ALWAYS, BRANCHING: left
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
    struct ctl_formulas ctl; // of the property that is being read, with its atoms
    VECTOR(const struct formula *) atoms;
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

static void begin_property(struct reader *r)
{
    text_clear(&r->id);
    ctl_formulas_finish(&r->ctl);
    ctl_formulas_init(&r->ctl);
    VECTOR_CLEAR(&r->atoms);
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
        begin_property(r);
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

// The node of CTL for a formula over markings.
static uint32_t node_of(struct reader *r, const struct value *v)
{
    if (v->worth != WORTH_STATE)
        return v->left;
    if (v->formula->kind == FORMULA_TRUE || v->formula->kind == FORMULA_FALSE)
        return ctl_constant(&r->ctl, v->formula->kind == FORMULA_TRUE);
    VECTOR_PUSH(&r->atoms, v->formula);
    return ctl_atom(&r->ctl, (uint32_t)r->atoms.count - 1);
}

static bool is_of_branching(enum worth worth)
{
    return worth == WORTH_REACHED || worth == WORTH_ALWAYS || worth == WORTH_BRANCHING;
}

// What the operands have in common: STATE, BRANCHING, LINEAR; NOTHING with a message where they do not fit.
static enum worth common_worth(struct reader *r, const struct element *e, size_t least, size_t most)
{
    bool good = e->operands.count >= least && e->operands.count <= most;
    enum worth common = WORTH_STATE;
    for (size_t i = 0; good && i < e->operands.count; i++) {
        enum worth worth = e->operands.data[i].worth;
        if (worth == WORTH_PATH || worth == WORTH_LINEAR)
            common = WORTH_LINEAR;
        else if (is_of_branching(worth) && common == WORTH_STATE)
            common = WORTH_BRANCHING;
        else
            good = worth == WORTH_STATE || is_of_branching(worth);
    }
    return good || expect(r, e, least, most, WORTH_STATE) ? common : WORTH_NOTHING;
}

static const struct formula *connect_states(struct reader *r, const struct element *e)
{
    const struct value *operands = e->operands.data;
    const struct formula *a = operands[0].formula;
    if (is(e, "negation"))
        return formula_not(r->arena, a);
    if (is(e, "conjunction") || is(e, "disjunction")) {
        const struct formula **list = arena_alloc(r->arena, e->operands.count * sizeof *list);
        for (size_t i = 0; i < e->operands.count; i++)
            list[i] = operands[i].formula;
        return formula_join(r->arena, is(e, "conjunction") ? FORMULA_AND : FORMULA_OR, list,
                            e->operands.count);
    }
    const struct formula *b = operands[1].formula, *not_a = formula_not(r->arena, a);
    if (is(e, "implication"))
        return both(r, FORMULA_OR, not_a, b);
    const struct formula *not_b = formula_not(r->arena, b);
    bool same = is(e, "equivalence");
    return both(r, FORMULA_OR, both(r, FORMULA_AND, a, same ? b : not_b),
                both(r, FORMULA_AND, not_a, same ? not_b : b));
}

static uint32_t connect_nodes(struct reader *r, const struct element *e)
{
    const struct value *operands = e->operands.data;
    uint32_t a = node_of(r, &operands[0]);
    if (is(e, "negation"))
        return ctl_not(&r->ctl, a);
    bool every = is(e, "conjunction");
    for (size_t i = 1; (every || is(e, "disjunction")) && i < e->operands.count; i++)
        a = every ? ctl_and(&r->ctl, a, node_of(r, &operands[i]))
                  : ctl_or(&r->ctl, a, node_of(r, &operands[i]));
    if (every || is(e, "disjunction"))
        return a;
    uint32_t b = node_of(r, &operands[1]), not_a = ctl_not(&r->ctl, a);
    if (is(e, "implication"))
        return ctl_or(&r->ctl, not_a, b);
    uint32_t not_b = ctl_not(&r->ctl, b);
    bool same = is(e, "equivalence");
    return ctl_or(&r->ctl, ctl_and(&r->ctl, a, same ? b : not_b),
                  ctl_and(&r->ctl, not_a, same ? not_b : b));
}

static bool connect(struct reader *r, const struct element *e, struct value *out)
{
    bool single = is(e, "negation"),
         pair = is(e, "implication") || is(e, "equivalence") || is(e, "exclusive-disjunction");
    enum worth worth = common_worth(r, e, pair ? 2 : 1, single ? 1 : pair ? 2 : SIZE_MAX);
    *out = (struct value){.worth = worth};
    if (worth == WORTH_STATE)
        out->formula = connect_states(r, e);
    if (worth == WORTH_BRANCHING)
        out->left = connect_nodes(r, e);
    // "No marking has f" is a question of reachability still.
    const struct value *only = single && e->operands.count == 1 ? e->operands.data : NULL;
    if (only != NULL && (only->worth == WORTH_REACHED || only->worth == WORTH_ALWAYS)) {
        out->worth = only->worth == WORTH_REACHED ? WORTH_ALWAYS : WORTH_REACHED;
        out->formula = formula_not(r->arena, only->formula);
    }
    return worth != WORTH_NOTHING;
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

// An operator on runs.
static bool operate(struct reader *r, const struct element *e, struct value *out)
{
    static const char *const NAMES[] = {
        [PATH_GLOBALLY] = "globally",
        [PATH_FINALLY] = "finally",
        [PATH_NEXT] = "next",
        [PATH_UNTIL] = "until",
    };
    enum path path = PATH_GLOBALLY;
    while (!is(e, NAMES[path]))
        path++;
    size_t wanted = path == PATH_UNTIL ? 2 : 1;
    enum worth worth = common_worth(r, e, wanted, wanted);
    *out = (struct value){.worth = worth == WORTH_LINEAR ? WORTH_LINEAR : WORTH_PATH, .path = path};
    if (worth == WORTH_NOTHING || worth == WORTH_LINEAR)
        return worth == WORTH_LINEAR;
    if (worth == WORTH_STATE && path != PATH_UNTIL)
        out->formula = e->operands.data[0].formula;
    out->left = node_of(r, &e->operands.data[0]);
    if (path == PATH_UNTIL)
        out->right = node_of(r, &e->operands.data[1]);
    return true;
}

static uint32_t quantified(struct reader *r, bool every, const struct value *v)
{
    switch (v->path) {
    case PATH_GLOBALLY:
        return every ? ctl_ag(&r->ctl, v->left) : ctl_eg(&r->ctl, v->left);
    case PATH_FINALLY:
        return every ? ctl_af(&r->ctl, v->left) : ctl_ef(&r->ctl, v->left);
    case PATH_NEXT:
        return every ? ctl_ax(&r->ctl, v->left) : ctl_ex(&r->ctl, v->left);
    case PATH_UNTIL:
        break;
    }
    return every ? ctl_au(&r->ctl, v->left, v->right) : ctl_eu(&r->ctl, v->left, v->right);
}

// "all-paths" or "exists-path"; around a formula over markings they change nothing.
static bool quantify(struct reader *r, const struct element *e, struct value *out)
{
    bool every = is(e, "all-paths");
    enum worth worth = common_worth(r, e, 1, 1);
    const struct value *v = e->operands.data;
    if (worth == WORTH_NOTHING)
        return false;
    *out = (struct value){.worth = worth, .formula = v->formula};
    if (worth == WORTH_BRANCHING)
        out->left = v->left;
    if (v->worth != WORTH_PATH)
        return true;
    out->worth = WORTH_BRANCHING;
    out->left = quantified(r, every, v);
    if (v->formula != NULL && v->path == (every ? PATH_GLOBALLY : PATH_FINALLY))
        out->worth = every ? WORTH_ALWAYS : WORTH_REACHED;
    return true;
}

// Words of the first contests for AG f, AG not f, EF f.
static bool conclude(struct reader *r, const struct element *e, struct value *out)
{
    if (!expect(r, e, 1, 1, WORTH_STATE))
        return false;
    struct value inner = {.worth = WORTH_PATH, .path = PATH_GLOBALLY};
    bool some = is(e, "possibility");
    const struct formula *f = e->operands.data[0].formula;
    struct value f_value = state(is(e, "impossibility") ? formula_not(r->arena, f) : f);
    inner.path = some ? PATH_FINALLY : PATH_GLOBALLY;
    inner.left = node_of(r, &f_value);
    *out = (struct value){.worth = some ? WORTH_REACHED : WORTH_ALWAYS, .formula = f_value.formula};
    out->left = quantified(r, !some, &inner);
    return true;
}

static bool is_one_of(const struct element *e, const char *const *names)
{
    for (; *names != NULL; names++)
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
    static const char *const OPERATORS[] = {"globally", "finally", "next", "until", NULL};
    static const char *const QUANTIFIERS[] = {"all-paths", "exists-path", NULL};
    static const char *const OLD[] = {"invariant", "impossibility", "possibility", NULL};
    *out = (struct value){0};
    if (is_comparison(e))
        return compare(r, e, out);
    if (is_one_of(e, CONNECTIVES))
        return connect(r, e, out);
    if (is_one_of(e, SUMS))
        return calculate(r, e, out);
    if (is_one_of(e, OPERATORS))
        return operate(r, e, out);
    if (is_one_of(e, QUANTIFIERS))
        return quantify(r, e, out);
    if (is_one_of(e, OLD))
        return conclude(r, e, out);
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

// Copies what was built for this property; the next one begins anew.
static void ask_branching(struct reader *r, const struct value *v, struct question *q)
{
    struct branching *b = arena_zalloc(r->arena, sizeof *b);
    const struct formula **atoms = arena_alloc(r->arena, (r->atoms.count + 1) * sizeof *atoms);
    b->formula = node_of(r, v);
    if (r->atoms.count)
        memcpy(atoms, r->atoms.data, r->atoms.count * sizeof *atoms);
    b->atoms = atoms;
    b->atom_count = (uint32_t)r->atoms.count;
    b->nodes = r->ctl;
    b->nodes.capacity = r->ctl.count;
    b->nodes.data = arena_alloc(r->arena, (r->ctl.count + 1) * sizeof *b->nodes.data);
    memcpy(b->nodes.data, r->ctl.data, r->ctl.count * sizeof *b->nodes.data);
    q->kind = QUESTION_BRANCHING;
    q->branching = b;
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
        q.goal = formula_not(r->arena, v->formula);
        break;
    case WORTH_BOUND: {
        const struct formula *sum = formula_at_most(r->arena, v->terms.data, v->terms.count, 0);
        q.kind = QUESTION_BOUND;
        q.goal_sum = sum->sum;
        break;
    }
    case WORTH_STATE:
    case WORTH_BRANCHING:
        ask_branching(r, v, &q);
        break;
    default:
        q.kind = QUESTION_UNSUPPORTED;
        q.why = "linear-time (LTL) formulas";
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
    if ((is(e, "place") || is(e, "transition")) && around != NULL)
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
    ctl_formulas_init(&r.ctl);
    bool good = xml_read(path, text, bytes, &handler, messages);
    for (size_t i = 0; i < r.open.count; i++)
        finish_element(&r.open.data[i]);
    VECTOR_FINISH(&r.open);
    VECTOR_FINISH(&r.atoms);
    ctl_formulas_finish(&r.ctl);
    text_finish(&r.id);
    return good;
}
