#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "logic/terms/eval.h"
#include "model/ranges.h"
#include "tests/link.h"
#include "tests/part.h"

// Ranges of words (model/ranges.h): random terms and conditions against all values of their variables. And models whose loops count up to
// variables, each location made one for each valuation and range (model/specialize.h), against a visit of all states.

enum { WORD = 4, WIDE = 6, VARIABLES = 3, LOCATIONS = 5 };

static const struct position NOWHERE = {"ranges", 0, 0};

struct source {
    struct random random;
    struct term_store *store;
    const struct term *words[VARIABLES];
};

static uint64_t below(struct source *s, uint64_t n)
{
    return random_below(&s->random, n);
}

static const struct term *condition(struct source *s, unsigned depth);

static const struct term *word(struct source *s, unsigned depth)
{
    static const enum term_kind kinds[] = {TERM_BV_ADD,  TERM_BV_ADD,  TERM_BV_MUL,  TERM_BV_AND,
                                           TERM_BV_UDIV, TERM_BV_SDIV, TERM_BV_UREM, TERM_BV_SREM,
                                           TERM_BV_SHL,  TERM_BV_LSHR, TERM_BV_ASHR, TERM_BV_OR};
    const uint64_t way = depth == 0 ? below(s, 2) : below(s, 8);
    if (way == 0)
        return term_bv(s->store, WORD, below(s, 1 << WORD));
    if (way == 1)
        return s->words[below(s, VARIABLES)];
    if (way == 2)
        return term_ite(s->store, condition(s, depth - 1), word(s, depth - 1), word(s, depth - 1));
    if (way == 3)
        return term_bv_extract(s->store,
                               term_bv_extend(s->store, below(s, 2) ? TERM_BV_ZEXT : TERM_BV_SEXT,
                                              word(s, depth - 1), WIDE),
                               WORD - 1, 0);
    const enum term_kind kind = kinds[below(s, sizeof kinds / sizeof kinds[0])];
    const bool divides = kind >= TERM_BV_UDIV && kind <= TERM_BV_SREM;
    return term_bv_binary(s->store, kind, word(s, depth - 1),
                          divides ? term_bv(s->store, WORD, 1 + below(s, (1 << WORD) - 1))
                                  : word(s, depth - 1));
}

static const struct term *condition(struct source *s, unsigned depth)
{
    static const enum term_kind kinds[] = {TERM_BV_ULT, TERM_BV_ULE, TERM_BV_SLT, TERM_BV_SLE};
    const struct term *a = word(s, depth), *b = word(s, depth);
    if (below(s, 3) == 0) {
        const enum term_kind kind = below(s, 2) ? TERM_BV_ZEXT : TERM_BV_SEXT;
        a = term_bv_extend(s->store, kind, a, WIDE);
        b = below(s, 2) ? term_bv(s->store, WIDE, below(s, 1 << WIDE))
                        : term_bv_extend(s->store, kind, b, WIDE);
    }
    switch (below(s, depth == 0 ? 6 : 9)) {
    case 0:
        return term_eq(s->store, a, b);
    case 6:
        return term_not(s->store, condition(s, depth - 1));
    case 7:
        return term_and2(s->store, condition(s, depth - 1), condition(s, depth - 1));
    case 8:
        return term_or2(s->store, condition(s, depth - 1), condition(s, depth - 1));
    default:
        return term_bv_binary(s->store, kinds[below(s, 4)], a, b);
    }
}

struct known {
    const struct source *source;
    struct range ranges[VARIABLES];
    struct value values[VARIABLES];
};

static int number_of(const struct source *s, const struct term *variable)
{
    for (int v = 0; v < VARIABLES; v++)
        if (s->words[v] == variable)
            return v;
    fail_msg("an unknown variable");
    return 0;
}

static const struct range *look(void *context, const struct term *variable)
{
    struct known *k = context;
    return &k->ranges[number_of(k->source, variable)];
}

static bool narrow(void *context, const struct term *variable, const struct range *range)
{
    struct known *k = context;
    return range_meet(&k->ranges[number_of(k->source, variable)], range, WORD);
}

static struct value value_of(void *context, const struct term *variable)
{
    struct known *k = context;
    return k->values[number_of(k->source, variable)];
}

static bool lies_in(const struct range *r, uint64_t number, uint32_t width)
{
    const int64_t sign = (int64_t)(number << (64 - width)) >> (64 - width);
    return number >= r->least && number <= r->most && sign >= r->low && sign <= r->high;
}

// Around one of its numbers.
static struct range some_range(struct source *s)
{
    const uint64_t number = below(s, 1 << WORD);
    const int64_t sign = (int64_t)(number << (64 - WORD)) >> (64 - WORD);
    struct range r = range_any(WORD), with = r;
    if (below(s, 2)) {
        with.least = number - below(s, number + 1);
        with.most = number + below(s, (1 << WORD) - number);
    }
    if (below(s, 2)) {
        with.low = sign - (int64_t)below(s, 4);
        with.high = sign + (int64_t)below(s, 4);
    }
    assert_true(range_meet(&r, &with, WORD));
    return r;
}

static void ranges_hold_all_values(void **state)
{
    (void)state;
    size_t decided = 0, narrowed = 0, impossible = 0;
    for (uint64_t seed = 1; seed <= part_models(4000, 400); seed++) {
        struct source s = {.store = term_store_create(NULL)};
        struct known k = {.source = &s};
        const char *const names[] = {"a", "b", "c"};
        random_init(&s.random, seed);
        for (int v = 0; v < VARIABLES; v++) {
            s.words[v] = term_var(s.store, names[v], sort_bv(s.store, WORD));
            k.ranges[v] = some_range(&s);
        }
        const struct term *w = word(&s, 3), *c = condition(&s, 2);
        const bool holds = below(&s, 2);
        const struct range_view view = {look, narrow, &k};
        struct known before = k;
        const struct range all = range_of(&view, w);
        const int decision = range_decide(&view, c);
        const bool possible = range_suppose(&view, c, holds);
        struct evaluator *evaluator = evaluator_create(s.store);
        for (uint64_t n = 0; n < 1 << (VARIABLES * WORD); n++) {
            bool in_before = true, in_after = true;
            for (int v = 0; v < VARIABLES; v++) {
                const uint64_t number = n >> (v * WORD) & ((1 << WORD) - 1);
                k.values[v] = value_small((int64_t)number);
                in_before = in_before && lies_in(&before.ranges[v], number, WORD);
                in_after = in_after && lies_in(&k.ranges[v], number, WORD);
            }
            if (!in_before)
                continue;
            const struct value number = evaluator_run(evaluator, w, value_of, &k);
            const bool truth = value_is_true(evaluator_run(evaluator, c, value_of, &k));
            if (!lies_in(&all, (uint64_t)value_small_get(number), WORD))
                fail_msg("seed %llu: a term has another value", (unsigned long long)seed);
            if (decision != 0 && truth != (decision > 0))
                fail_msg("seed %llu: a condition is decided wrongly", (unsigned long long)seed);
            if (truth == holds && (!possible || !in_after))
                fail_msg("seed %llu: a value is lost", (unsigned long long)seed);
        }
        decided += decision != 0 && !term_is_literal(c);
        impossible += !possible;
        for (int v = 0; v < VARIABLES && possible; v++)
            narrowed += memcmp(&k.ranges[v], &before.ranges[v], sizeof k.ranges[v]) != 0;
        evaluator_destroy(evaluator);
        term_store_destroy(s.store);
    }
    print_message("# %zu decided, %zu narrowed, %zu impossible\n", decided, narrowed, impossible);
    assert_true(decided > 40 && narrowed > 40 && impossible > 20);
}

// Loops.

// Texts: a character, which is one of eight, and a number that it is kept as.

enum { APART = 37 };
struct text_of {
    const struct variable *character, *kept, *input;
};

static const struct term *asks_character(struct source *s, const struct text_of *text)
{
    const struct variable *v = below(s, 2) ? text->character : text->kept;
    const uint64_t number = below(s, 2) ? 0 : APART * below(s, 7);
    const struct term *low = term_bv_extract(s->store, text->kept->term, 7, 0);
    switch (below(s, 5)) {
    case 0:
        return term_eq(s->store, low, text->character->term);
    case 1:
        return term_bv_binary(s->store, TERM_BV_SLT, v->term,
                              term_bv(s->store, v->sort->width, number));
    case 2:
        return term_eq(s->store, low, term_bv(s->store, 8, number));
    default:
        return term_eq(s->store, v->term, term_bv(s->store, v->sort->width, number));
    }
}

static struct statement *changes_character(struct source *s, struct model_builder *b,
                                           const struct text_of *text)
{
    const struct term *c = text->character->term;
    struct statement *parts[2];
    switch (below(s, 6)) {
    case 0:
        parts[0] = model_havoc(b, text->input, NOWHERE);
        parts[1] = model_assign(
            b, text->character,
            term_bv_binary(s->store, TERM_BV_MUL,
                           term_bv_extend(s->store, TERM_BV_ZEXT, text->input->term, 8),
                           term_bv(s->store, 8, APART)),
            NOWHERE);
        return model_sequence(b, parts, 2, NOWHERE);
    case 1:
        return model_assign(b, text->character, term_bv(s->store, 8, below(s, 3)), NOWHERE);
    case 2:
        return model_assign(b, text->character,
                            term_ite(s->store, asks_character(s, text), term_bv(s->store, 8, 0), c),
                            NOWHERE);
    case 3:
        return model_assign(b, text->character, term_bv_extract(s->store, text->kept->term, 7, 0),
                            NOWHERE);
    default:
        return model_assign(b, text->kept,
                            term_bv_extend(s->store, below(s, 2) ? TERM_BV_ZEXT : TERM_BV_SEXT, c,
                                           text->kept->sort->width),
                            NOWHERE);
    }
}

// Counts, while there are characters.
static struct model *make_text(uint64_t seed)
{
    struct source s = {0};
    struct model_builder *b = model_builder_create(&dialect_plain, "texts", NULL);
    struct location *at[LOCATIONS];
    random_init(&s.random, seed);
    s.store = model_builder_store(b);
    const struct variable *i = model_builder_variable(b, "i", sort_bv(s.store, 2), 0, NOWHERE);
    const struct text_of text = {model_builder_variable(b, "c", sort_bv(s.store, 8), 0, NOWHERE),
                                 model_builder_variable(b, "d", sort_bv(s.store, 10), 0, NOWHERE),
                                 model_builder_variable(b, "h", sort_bv(s.store, 3), 0, NOWHERE)};
    for (int l = 0; l < LOCATIONS; l++)
        at[l] = model_builder_location(b, NULL, PHASE_NONE, true);
    model_builder_error(b, at[LOCATIONS - 1]);
    struct statement *first[] = {
        model_assign(b, i, term_bv(s.store, 2, 0), NOWHERE),
        model_assign(b, text.kept, term_bv(s.store, 10, 1), NOWHERE),
        model_assign(b, text.character, term_bv(s.store, 8, below(&s, 2)), NOWHERE)};
    model_builder_initial(b, at[0], model_sequence(b, first, 3, NOWHERE));
    for (int e = 0; e < 7; e++) {
        const int from = e < 3 ? e : (int)below(&s, LOCATIONS - 1);
        const int to = e < 3 ? e + 1 : (int)below(&s, LOCATIONS - 1);
        const struct term *asked = asks_character(&s, &text);
        struct statement *parts[] = {
            model_assume(b, below(&s, 2) ? asked : term_not(s.store, asked), NOWHERE),
            model_assume(b,
                         to > from || seed % 4 != 0
                             ? term_true(s.store)
                             : term_bv_binary(s.store, TERM_BV_ULT, i->term,
                                              term_bv(s.store, 2, 2 + below(&s, 2))),
                         NOWHERE),
            changes_character(&s, b, &text),
            model_assign(
                b, i,
                to > from ? i->term
                          : term_bv_binary(s.store, TERM_BV_ADD, i->term, term_bv(s.store, 2, 1)),
                NOWHERE)};
        model_builder_edge(b, at[from], at[to], model_sequence(b, parts, 4, NOWHERE), "", NOWHERE);
    }
    struct statement *wrong[] = {
        model_assume(b, asks_character(&s, &text), NOWHERE),
        model_assume(b, term_not(s.store, asks_character(&s, &text)), NOWHERE)};
    model_builder_edge(b, at[1 + below(&s, LOCATIONS - 2)], at[LOCATIONS - 1],
                       model_sequence(b, wrong, 2, NOWHERE), "", NOWHERE);
    return model_builder_finish(b);
}

static const struct term *near(struct source *s, const struct term *word)
{
    return below(s, 2) ? word
                       : term_bv_binary(s->store, TERM_BV_ADD, word,
                                        term_bv(s->store, WORD, below(s, 3) - 1));
}

static const struct term *comparison(struct source *s)
{
    static const enum term_kind kinds[] = {TERM_BV_ULT, TERM_BV_ULE, TERM_BV_SLT, TERM_BV_SLE};
    const struct term *a = near(s, s->words[0]), *b = near(s, s->words[1 + below(s, 2)]);
    if (below(s, 3) == 0)
        b = term_bv(s->store, WORD, below(s, 6));
    if (below(s, 4) == 0)
        a = s->words[1 + below(s, 2)];
    const uint64_t way = below(s, 10);
    const struct term *t =
        way < 8 ? term_bv_binary(s->store, kinds[way % 4], a, b) : term_eq(s->store, a, b);
    return below(s, 2) ? t : term_not(s->store, t);
}

static struct statement *statement(struct source *s, struct model_builder *b,
                                   const struct variable *const *all, unsigned depth)
{
    const struct variable *v = all[1 + below(s, 2)], *other = all[1 + below(s, 2)];
    struct statement *parts[2];
    switch (below(s, depth > 0 ? 11 : 9)) {
    case 0:
    case 1:
        return model_assign(b, all[0],
                            term_bv_binary(s->store, TERM_BV_ADD, s->words[0],
                                           term_bv(s->store, WORD, below(s, 4) ? 1 : 15)),
                            NOWHERE);
    case 2:
        return model_assign(b, all[0], below(s, 2) ? term_bv(s->store, WORD, 0) : v->term, NOWHERE);
    case 3:
        return model_havoc(b, v, NOWHERE);
    case 4:
        return model_assign(b, v, other->term, NOWHERE);
    case 5:
        return model_assign(b, v,
                            term_bv_binary(s->store, below(s, 2) ? TERM_BV_UDIV : TERM_BV_UREM,
                                           other->term, term_bv(s->store, WORD, 2 + below(s, 3))),
                            NOWHERE);
    case 6:
    case 7:
        return model_assume(b, comparison(s), NOWHERE);
    case 8:
        return model_skip(b, NOWHERE);
    default:
        parts[0] = statement(s, b, all, depth - 1);
        parts[1] = statement(s, b, all, depth - 1);
        return below(s, 3) == 0   ? model_if(b, comparison(s), parts[0], parts[1], NOWHERE)
               : below(s, 2) == 0 ? model_choice(b, parts, 2, NOWHERE)
                                  : model_sequence(b, parts, 2, NOWHERE);
    }
}

static struct model *make_source(uint64_t seed)
{
    struct source s = {0};
    struct model_builder *b = model_builder_create(&dialect_plain, "ranges", NULL);
    struct location *at[LOCATIONS];
    const struct variable *all[VARIABLES];
    const char *const names[] = {"i", "n", "m"};
    random_init(&s.random, seed);
    s.store = model_builder_store(b);
    for (int v = 0; v < VARIABLES; v++) {
        all[v] = model_builder_variable(b, names[v], sort_bv(s.store, WORD), 0, NOWHERE);
        s.words[v] = all[v]->term;
    }
    for (int l = 0; l < LOCATIONS; l++)
        at[l] = model_builder_location(b, NULL, PHASE_NONE, true);
    model_builder_error(b, at[LOCATIONS - 1]);
    model_builder_initial(b, at[0], model_assign(b, all[0], term_bv(s.store, WORD, 0), NOWHERE));
    for (int e = 0; e < 7; e++) {
        const int from = e < 3 ? e : (int)below(&s, LOCATIONS - 1);
        const int to = e < 3 ? e + 1 : (int)below(&s, LOCATIONS - 1);
        struct statement *parts[] = {model_assume(b, comparison(&s), NOWHERE),
                                     statement(&s, b, all, 2)};
        model_builder_edge(b, at[from], at[to], model_sequence(b, parts, 2, NOWHERE), "", NOWHERE);
    }
    struct statement *wrong[] = {model_assume(b, comparison(&s), NOWHERE),
                                 model_assume(b, comparison(&s), NOWHERE)};
    model_builder_edge(b, at[1 + below(&s, LOCATIONS - 2)], at[LOCATIONS - 1],
                       model_sequence(b, wrong, 2, NOWHERE), "", NOWHERE);
    return model_builder_finish(b);
}

static void counting_ones_decide_as_sources_do(void **state)
{
    (void)state;
    link_compare_special(make_source, part_models(300, 60), 20);
}

static void texts_decide_as_sources_do(void **state)
{
    (void)state;
    link_compare_special(make_text, part_models(400, 40), 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_hold_all_values),
                                       cmocka_unit_test(counting_ones_decide_as_sources_do),
                                       cmocka_unit_test(texts_decide_as_sources_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
