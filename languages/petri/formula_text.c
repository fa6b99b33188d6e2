#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/petri/formula.h"

// A recursive descent over the text; docs/petri.md has the grammar.

#define DEPTH_MAX 500

struct terms {
    struct net_arc *data;
    size_t count, capacity;
};

struct sum {
    struct terms terms;
    int64_t constant;
};

struct reader {
    const struct net *net;
    const char *path, *start, *next, *end;
    struct arena *arena;
    struct messages *messages;
    struct text word;
    unsigned depth;
    bool failed;
};

static struct position here(const struct reader *r)
{
    struct position at = {r->path, 1, 1};
    for (const char *c = r->start; c < r->next; c++) {
        at.column = *c == '\n' ? 1 : at.column + 1;
        at.line += *c == '\n';
    }
    return at;
}

static bool fail(struct reader *r, const char *expected)
{
    char found[24];
    size_t n = 0;
    for (const char *c = r->next; c < r->end && *c != '\n' && n + 1 < sizeof found; c++)
        found[n++] = isprint((unsigned char)*c) ? *c : '?';
    found[n] = '\0';
    if (!r->failed)
        message_add(r->messages, MESSAGE_ERROR, here(r), "found `%s`, expected %s",
                    n ? found : "the end", expected);
    r->failed = true;
    return false;
}

static const struct formula *nothing(struct reader *r, const char *expected)
{
    fail(r, expected);
    return formula_constant(r->arena, false);
}

static void skip_blanks(struct reader *r)
{
    while (r->next < r->end && isspace((unsigned char)*r->next))
        r->next++;
}

static bool at_end(struct reader *r)
{
    skip_blanks(r);
    return r->next == r->end;
}

static bool accept(struct reader *r, const char *symbol)
{
    skip_blanks(r);
    size_t length = strlen(symbol);
    if ((size_t)(r->end - r->next) < length || memcmp(r->next, symbol, length) != 0)
        return false;
    r->next += length;
    return true;
}

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '\'';
}

static bool accept_word(struct reader *r, const char *word)
{
    skip_blanks(r);
    size_t length = strlen(word);
    if ((size_t)(r->end - r->next) < length || strncmp(r->next, word, length) != 0 ||
        (r->next + length < r->end && (is_word_byte(r->next[length]) || r->next[length] == '-')))
        return false;
    r->next += length;
    return true;
}

// An id as a word, or in braces or double quotes, into r->word.
static bool read_word(struct reader *r)
{
    skip_blanks(r);
    text_clear(&r->word);
    char close = '\0';
    if (r->next < r->end && (*r->next == '{' || *r->next == '"'))
        close = *r->next == '{' ? '}' : '"';
    if (close) {
        const char *last = memchr(r->next + 1, close, (size_t)(r->end - r->next) - 1);
        if (last == NULL)
            return fail(r, "a name with both its marks");
        text_add_bytes(&r->word, r->next + 1, (size_t)(last - r->next) - 1);
        r->next = last + 1;
        return true;
    }
    while (r->next < r->end && is_word_byte(*r->next))
        text_add_char(&r->word, *r->next++);
    return r->word.length > 0 || fail(r, "a name");
}

// By id, else by a name that nothing else of this kind has.
static bool find_node(const struct reader *r, enum net_node_kind kind, uint32_t *number)
{
    const char *word = text_string(&r->word);
    if (net_find(r->net, word, number) == kind)
        return true;
    uint32_t count = kind == NET_PLACE ? r->net->place_count : r->net->transition_count, hits = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = kind == NET_PLACE ? r->net->places[i].name : r->net->transitions[i].name;
        if (strcmp(name, word) != 0)
            continue;
        *number = i;
        hits++;
    }
    return hits == 1;
}

static uint32_t read_node(struct reader *r, enum net_node_kind kind)
{
    uint32_t number = 0;
    const char *start = r->next;
    if (!read_word(r))
        return 0;
    if (!find_node(r, kind, &number)) {
        r->next = start;
        skip_blanks(r);
        fail(r, kind == NET_PLACE ? "a place" : "a transition");
    }
    return number;
}

static int64_t read_number(struct reader *r)
{
    char digits[32];
    size_t n = 0;
    bool too_large;
    int64_t value = 0;
    const char *start = r->next;
    while (r->next < r->end && isdigit((unsigned char)*r->next)) {
        if (n + 1 < sizeof digits)
            digits[n++] = *r->next;
        r->next++;
    }
    digits[n] = '\0';
    if (!net_read_number(digits, &value, &too_large)) {
        r->next = start;
        fail(r, "a natural number of at most 2^40");
    }
    return value;
}

static bool at_number(struct reader *r)
{
    skip_blanks(r);
    const char *c = r->next;
    while (c < r->end && isdigit((unsigned char)*c))
        c++;
    return c > r->next && (c == r->end || !is_word_byte(*c));
}

// [N *] PLACE | N
static void read_term(struct reader *r, int64_t sign, struct sum *out)
{
    int64_t weight = 1;
    if (at_number(r)) {
        weight = read_number(r);
        if (!accept(r, "*")) {
            out->constant += sign * weight;
            return;
        }
    }
    struct net_arc term = {read_node(r, NET_PLACE), sign * weight};
    VECTOR_PUSH(&out->terms, term);
}

static void read_sum(struct reader *r, int64_t sign, struct sum *out)
{
    int64_t next = accept(r, "-") ? -sign : sign;
    for (;;) {
        read_term(r, next, out);
        if (r->failed)
            return;
        if (accept(r, "+"))
            next = sign;
        else if (accept(r, "-"))
            next = -sign;
        else
            return;
    }
}

enum relation { LESS, AT_MOST, EQUAL, DIFFERENT, AT_LEAST, GREATER };

static bool read_relation(struct reader *r, enum relation *out)
{
    static const struct {
        const char *symbol;
        enum relation relation;
    } SYMBOLS[] = {{"<=", AT_MOST}, {">=", AT_LEAST}, {"!=", DIFFERENT}, {"/=", DIFFERENT},
                   {"==", EQUAL},   {"<", LESS},      {">", GREATER},    {"=", EQUAL}};
    for (size_t i = 0; i < sizeof SYMBOLS / sizeof *SYMBOLS; i++) {
        *out = SYMBOLS[i].relation;
        if (accept(r, SYMBOLS[i].symbol))
            return true;
    }
    return fail(r, "a comparison");
}

// sign * sum <= bound
static const struct formula *at_most(struct reader *r, const struct sum *sum, int64_t sign,
                                     int64_t bound)
{
    struct terms terms = {0};
    for (size_t i = 0; i < sum->terms.count; i++) {
        struct net_arc term = {sum->terms.data[i].place, sign * sum->terms.data[i].weight};
        VECTOR_PUSH(&terms, term);
    }
    const struct formula *f =
        formula_at_most(r->arena, terms.data, terms.count, bound - sign * sum->constant);
    VECTOR_FINISH(&terms);
    return f;
}

static const struct formula *read_comparison(struct reader *r)
{
    struct sum sum = {0};
    enum relation relation = LESS;
    read_sum(r, 1, &sum);
    if (!r->failed && read_relation(r, &relation))
        read_sum(r, -1, &sum); // left - right
    const struct formula *f;
    if (relation == EQUAL || relation == DIFFERENT) {
        const struct formula *pair[] = {at_most(r, &sum, 1, 0), at_most(r, &sum, -1, 0)};
        f = formula_join(r->arena, FORMULA_AND, pair, 2);
        f = relation == DIFFERENT ? formula_not(r->arena, f) : f;
    } else {
        bool up = relation == AT_LEAST || relation == GREATER;
        bool strict = relation == LESS || relation == GREATER;
        f = at_most(r, &sum, up ? -1 : 1, strict ? -1 : 0);
    }
    VECTOR_FINISH(&sum.terms);
    return f;
}

static const struct formula *read_or(struct reader *r);

static const struct formula *read_fireable(struct reader *r)
{
    const struct formula *f = formula_constant(r->arena, false);
    if (!accept(r, "("))
        return nothing(r, "`(`");
    do {
        uint32_t t = read_node(r, NET_TRANSITION);
        if (r->failed)
            return f;
        const struct formula *pair[] = {f, formula_fireable(r->arena, r->net, t)};
        f = formula_join(r->arena, FORMULA_OR, pair, 2);
    } while (accept(r, ","));
    return accept(r, ")") ? f : nothing(r, "`,` or `)`");
}

static const struct formula *read_operand(struct reader *r)
{
    static const char *const TEMPORAL[] = {"EF", "AG", "EG", "AF", "EX", "AX",
                                           "E",  "A",  "G",  "F",  "X",  "U"};
    if (accept(r, "(")) {
        const struct formula *f = read_or(r);
        return accept(r, ")") ? f : nothing(r, "`)`");
    }
    if (accept_word(r, "fireable"))
        return read_fireable(r);
    if (accept_word(r, "deadlock"))
        return formula_deadlock(r->arena, r->net);
    if (accept_word(r, "true"))
        return formula_constant(r->arena, true);
    if (accept_word(r, "false"))
        return formula_constant(r->arena, false);
    const char *start = r->next;
    for (size_t i = 0; i < sizeof TEMPORAL / sizeof *TEMPORAL; i++) {
        uint32_t number;
        if (!accept_word(r, TEMPORAL[i]))
            continue;
        r->next = start;
        if (net_find(r->net, TEMPORAL[i], &number) == NET_PLACE)
            break;
        message_add(r->messages, MESSAGE_UNSUPPORTED, here(r),
                    "temporal operators but one EF or AG at the beginning");
        r->failed = true;
        return formula_constant(r->arena, false);
    }
    return read_comparison(r);
}

static const struct formula *read_not(struct reader *r)
{
    if (++r->depth > DEPTH_MAX)
        return nothing(r, "less nesting");
    skip_blanks(r);
    bool unequal = r->end - r->next > 1 && r->next[0] == '!' && r->next[1] == '=';
    const struct formula *f = !unequal && (accept(r, "!") || accept_word(r, "not"))
                                  ? formula_not(r->arena, read_not(r))
                                  : read_operand(r);
    r->depth--;
    return f;
}

static const struct formula *read_and(struct reader *r)
{
    const struct formula *f = read_not(r);
    while (!r->failed && (accept(r, "&&") || accept(r, "&") || accept_word(r, "and"))) {
        const struct formula *pair[] = {f, read_not(r)};
        f = formula_join(r->arena, FORMULA_AND, pair, 2);
    }
    return f;
}

static const struct formula *read_or(struct reader *r)
{
    const struct formula *f = read_and(r);
    while (!r->failed && (accept(r, "||") || accept(r, "|") || accept_word(r, "or"))) {
        const struct formula *pair[] = {f, read_and(r)};
        f = formula_join(r->arena, FORMULA_OR, pair, 2);
    }
    return f;
}

// Some place holds two tokens.
static const struct formula *not_safe(struct reader *r)
{
    size_t count = r->net->place_count;
    const struct formula **list = memory_alloc((count + 1) * sizeof *list);
    for (uint32_t p = 0; p < count; p++) {
        struct net_arc term = {p, -1};
        list[p] = formula_at_most(r->arena, &term, 1, -2);
    }
    const struct formula *f = formula_join(r->arena, FORMULA_OR, list, count);
    memory_free(list);
    return f;
}

// "(1, 0, 2)": one number a place. Does the text begin like that?
static bool at_marking(struct reader *r)
{
    const char *start = r->next;
    bool found = false;
    if (accept(r, "(") && at_number(r)) {
        while (r->next < r->end && isdigit((unsigned char)*r->next))
            r->next++;
        found = accept(r, ",") || accept(r, ")");
    }
    r->next = start;
    return found;
}

static const struct formula *read_marking(struct reader *r)
{
    const struct formula *f = formula_constant(r->arena, true);
    accept(r, "(");
    for (uint32_t p = 0; p < r->net->place_count && !r->failed; p++) {
        if (p > 0 && !accept(r, ","))
            return nothing(r, "`,` and one number for each place");
        if (!at_number(r))
            return nothing(r, "a number of tokens");
        int64_t n = read_number(r);
        struct net_arc up = {p, 1}, down = {p, -1};
        const struct formula *three[] = {f, formula_at_most(r->arena, &up, 1, n),
                                         formula_at_most(r->arena, &down, 1, -n)};
        f = formula_join(r->arena, FORMULA_AND, three, 3);
    }
    return r->failed || accept(r, ")") ? f : nothing(r, "`)` after one number for each place");
}

// What the property files of BenchExec tasks say: CHECK( deadlock-free … ).
static bool read_check(struct reader *r, struct question *q)
{
    if (!accept_word(r, "CHECK") || !accept(r, "("))
        return false;
    if (accept_word(r, "deadlock-free")) {
        q->goal = formula_deadlock(r->arena, r->net);
    } else if (accept_word(r, "1-safe")) {
        q->goal = not_safe(r);
    } else if (accept_word(r, "target marking unreachable")) {
        message_add(r->messages, MESSAGE_WARNING, here(r),
                    "no target marking is given, so none is reached");
        q->goal = formula_constant(r->arena, false);
    } else {
        nothing(r, "`deadlock-free`, `1-safe` or `target marking unreachable`");
    }
    r->next = r->end;
    return true;
}

static void read_bound(struct reader *r, struct question *q)
{
    struct sum sum = {0};
    if (!accept(r, "(")) {
        fail(r, "`(`");
        return;
    }
    read_sum(r, 1, &sum);
    const struct formula *f = formula_at_most(r->arena, sum.terms.data, sum.terms.count, 0);
    q->kind = QUESTION_BOUND;
    q->goal_sum = f->sum;
    for (uint32_t i = 0; i < f->sum.count; i++)
        if (f->sum.data[i].weight < 0)
            fail(r, "places without a minus");
    if (!accept(r, ")"))
        fail(r, "`)`");
    VECTOR_FINISH(&sum.terms);
}

// The whole text is this word.
static bool is_all(struct reader *r, const char *word)
{
    const char *start = r->next;
    if (accept_word(r, word) && at_end(r))
        return true;
    r->next = start;
    return false;
}

static void read_property(struct reader *r, struct question *q)
{
    if (read_check(r, q))
        return;
    if (is_all(r, "deadlock") || is_all(r, "deadlock-free")) {
        q->goal = formula_deadlock(r->arena, r->net);
    } else if (is_all(r, "safe")) {
        q->goal = not_safe(r);
    } else if (at_marking(r)) {
        q->goal = read_marking(r);
    } else if (accept_word(r, "bound")) {
        read_bound(r, q);
    } else if (accept_word(r, "EF")) {
        q->goal = read_or(r);
        q->true_when_reached = true;
    } else {
        accept_word(r, "AG");
        q->goal = formula_not(r->arena, read_or(r));
    }
    if (!r->failed && !at_end(r))
        fail(r, "the end of the property");
}

bool formula_read_text(const struct net *net, const char *path, const char *text, size_t bytes,
                       struct arena *arena, struct question_list *out, struct messages *messages)
{
    struct reader r = {
        .net = net,
        .path = path,
        .start = text,
        .next = text,
        .end = text + bytes,
        .arena = arena,
        .messages = messages,
    };
    struct question q = {.name = "property", .at = {path, 1, 1}};
    read_property(&r, &q);
    text_finish(&r.word);
    if (!r.failed)
        VECTOR_PUSH(out, q);
    return !r.failed;
}
