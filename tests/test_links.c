#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/parts.h"
#include "model/prepare.h"
#include "tests/link.h"
#include "tests/part.h"

// Words as their parts (model/parts.h), and a location for each side of a loop's conditions (model/phases.h) or for each
// valuation (model/specialize.h): random models of words that walk, against a visit of all states of either form.

enum { WORD = 5, BORDER = 3, COUNTER = 2, LOCATIONS = 4 };

static const struct position NOWHERE = {"parts", 0, 0};

struct source {
    struct random random;
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *p, *q, *size, *i;
    bool even; // all that walks does so in steps of two
};

static bool one_in(struct source *s, uint64_t n)
{
    return random_below(&s->random, n) == 0;
}

static const struct term *low_of(struct source *s, const struct variable *v)
{
    return term_bv_extract(s->store, v->term, BORDER - 1, 0);
}

static const struct term *high_of(struct source *s, const struct variable *v)
{
    return term_bv_extract(s->store, v->term, WORD - 1, BORDER);
}

static const struct term *pair(struct source *s, const struct term *high, const struct term *low)
{
    return term_bv_binary(s->store, TERM_BV_CONCAT, high, low);
}

static const struct term *literal_step(struct source *s)
{
    uint64_t n = random_below(&s->random, 1 << BORDER);
    return term_bv(s->store, BORDER, s->even ? n & ~UINT64_C(1) : n);
}

// Twice the counter, or that and more.
static const struct term *scaled(struct source *s)
{
    const struct term *wide =
        term_bv_extend(s->store, one_in(s, 2) ? TERM_BV_ZEXT : TERM_BV_SEXT, s->i->term, BORDER);
    return term_bv_binary(s->store, TERM_BV_MUL, wide, term_bv(s->store, BORDER, 2));
}

static const struct variable *one_of_two(struct source *s)
{
    return one_in(s, 2) ? s->p : s->q;
}

static const struct term *word(struct source *s, unsigned depth);

static const struct term *comparison(struct source *s, const struct term *a, const struct term *b)
{
    static const enum term_kind kinds[] = {TERM_BV_ULT, TERM_BV_ULE, TERM_BV_SLT, TERM_BV_SLE};
    size_t way = random_below(&s->random, 6);
    return way < 4 ? term_bv_binary(s->store, kinds[way], a, b) : term_eq(s->store, a, b);
}

static const struct term *condition(struct source *s, unsigned depth)
{
    const struct term *sum =
        term_bv_binary(s->store, TERM_BV_ADD, low_of(s, one_of_two(s)),
                       term_bv_extend(s->store, TERM_BV_ZEXT, s->i->term, BORDER));
    switch (random_below(&s->random, 8)) {
    case 0:
        return comparison(s, s->p->term, s->q->term);
    case 1:
        return comparison(s, low_of(s, one_of_two(s)), s->size->term);
    case 2:
        return comparison(s, low_of(s, one_of_two(s)),
                          term_bv_binary(s->store, TERM_BV_ADD, scaled(s), literal_step(s)));
    case 3:
        return comparison(s, s->i->term,
                          term_bv_extract(s->store, one_of_two(s)->term, COUNTER, 1));
    case 4:
        return comparison(s, word(s, depth), one_of_two(s)->term);
    case 5:
        return comparison(s, s->i->term, term_bv_extract(s->store, sum, BORDER - 1, 1));
    case 6:
        return term_eq(s->store, one_of_two(s)->term,
                       term_bv(s->store, WORD, random_below(&s->random, 3 << BORDER)));
    default:
        return comparison(s, high_of(s, one_of_two(s)),
                          term_bv(s->store, WORD - BORDER, random_below(&s->random, 3)));
    }
}

static const struct term *word(struct source *s, unsigned depth)
{
    const struct variable *v = one_of_two(s);
    const struct term *step = one_in(s, 3) ? scaled(s) : literal_step(s);
    switch (random_below(&s->random, depth > 0 ? 5 : 4)) {
    case 0:
        return v->term;
    case 1:
        return pair(s, term_bv(s->store, WORD - BORDER, random_below(&s->random, 3)), step);
    case 2:
    case 3:
        return pair(s, high_of(s, one_in(s, 4) ? one_of_two(s) : v),
                    term_bv_binary(s->store, TERM_BV_ADD, low_of(s, v), step));
    default:
        return term_ite(s->store, condition(s, depth - 1), word(s, depth - 1), word(s, depth - 1));
    }
}

static struct statement *statement(struct source *s, unsigned depth)
{
    struct model_builder *b = s->builder;
    struct statement *parts[2];
    const struct term *one = term_bv(s->store, COUNTER, 1);
    switch (random_below(&s->random, depth > 0 ? 12 : 9)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return model_assign(b, one_of_two(s), word(s, 2), NOWHERE);
    case 4:
        return model_assign(b, s->i, term_bv_binary(s->store, TERM_BV_ADD, s->i->term, one),
                            NOWHERE);
    case 5:
        return model_assign(b, s->size, scaled(s), NOWHERE);
    case 6:
        return model_assume(b, condition(s, 1), NOWHERE);
    case 7:
        return model_havoc(b, s->i, NOWHERE);
    case 8:
        return one_in(s, 3) ? model_havoc(b, one_of_two(s), NOWHERE) : model_skip(b, NOWHERE);
    default:
        parts[0] = statement(s, depth - 1);
        parts[1] = statement(s, depth - 1);
        return one_in(s, 3)   ? model_if(b, condition(s, 1), parts[0], parts[1], NOWHERE)
               : one_in(s, 2) ? model_choice(b, parts, 2, NOWHERE)
                              : model_sequence(b, parts, 2, NOWHERE);
    }
}

static const struct variable *variable(struct source *s, const char *name, uint32_t width)
{
    return model_builder_variable(s->builder, name, sort_bv(s->store, width), 0, NOWHERE);
}

// Literals for all variables.
static struct statement *known_start(struct source *s)
{
    const struct variable *all[] = {s->p, s->i, s->q, s->size};
    struct statement *parts[4];
    for (int v = 0; v < 4; v++) {
        const uint32_t width = all[v]->sort->width;
        const uint64_t value = random_below(&s->random, UINT64_C(1) << width);
        parts[v] = model_assign(s->builder, all[v], term_bv(s->store, width, value), NOWHERE);
    }
    return model_sequence(s->builder, parts, 4, NOWHERE);
}

static struct model *make_source(uint64_t seed, bool known)
{
    struct source s = {.builder = model_builder_create(&dialect_plain, "parts", NULL)};
    struct location *at[LOCATIONS];
    random_init(&s.random, seed);
    s.store = model_builder_store(s.builder);
    s.even = seed % 3 != 0;
    s.p = variable(&s, "p", WORD);
    s.i = variable(&s, "i", COUNTER);
    s.q = variable(&s, "q", WORD);
    s.size = variable(&s, "size", BORDER);
    for (int l = 0; l < LOCATIONS; l++)
        at[l] = model_builder_location(s.builder, NULL, PHASE_NONE, true);
    model_builder_error(s.builder, at[LOCATIONS - 1]);
    struct statement *first[] = {model_assign(s.builder, s.p, word(&s, 0), NOWHERE),
                                 model_assign(s.builder, s.q, s.p->term, NOWHERE)};
    model_builder_initial(s.builder, at[0],
                          known           ? known_start(&s)
                          : one_in(&s, 4) ? model_skip(s.builder, NOWHERE)
                                          : model_sequence(s.builder, first, 2, NOWHERE));
    for (int e = 0; e < 6; e++) {
        int from = (int)random_below(&s.random, LOCATIONS - 1);
        int to = e < 2 ? e + 1 : (int)random_below(&s.random, LOCATIONS - 1);
        model_builder_edge(s.builder, at[e < 2 ? e : from], at[to], statement(&s, 2), "", NOWHERE);
    }
    struct statement *wrong[4];
    for (int k = 0; k < 4; k++)
        wrong[k] = model_assume(s.builder, condition(&s, 1), NOWHERE);
    model_builder_edge(s.builder, at[1 + random_below(&s.random, LOCATIONS - 2)], at[LOCATIONS - 1],
                       model_sequence(s.builder, wrong, known ? 1 : 4, NOWHERE), "", NOWHERE);
    return model_builder_finish(s.builder);
}

static void parts_decide_as_words_do(void **state)
{
    (void)state;
    struct link_tally tally = {0};
    size_t stepped = 0;
    for (uint64_t seed = 1; tally.models < part_models(200, 60); seed++) {
        struct model *source = make_source(seed, false);
        struct model *parts = parts_recode(source, NULL);
        if (parts != NULL) {
            stepped += link_count_state(parts) > link_count_state(source) + 2;
            link_compare(source, parts, seed, &tally);
        }
        model_destroy(parts);
        model_destroy(source);
    }
    print_message("# %zu models, %zu unsafe, %zu proofs, %zu with steps\n", tally.models,
                  tally.unsafe, tally.proved, stepped);
    assert_true(tally.unsafe > tally.models / 10 && tally.proved > 0);
    assert_true(stepped > tally.models / 10 && tally.large < tally.models / 10);
}

static void phases_decide_as_loops_do(void **state)
{
    (void)state;
    struct link_tally tally = {0};
    size_t none = 0;
    for (uint64_t seed = 1; tally.models < part_models(200, 60); seed++) {
        const struct prepare_options options = {.encoding = PREPARE_LOOP_BLOCKS,
                                                .propagate_constants = seed % 2 == 0,
                                                .cone_of_influence = seed % 3 == 0,
                                                .phases = true};
        struct model *source = make_source(seed, false);
        struct model *split = prepare_model(source, &options, NULL);
        if (split != NULL)
            link_compare(source, split, seed, &tally);
        none += split == NULL;
        model_destroy(split);
        model_destroy(source);
    }
    print_message("# %zu models of %zu, %zu unsafe, %zu proofs\n", tally.models,
                  tally.models + none, tally.unsafe, tally.proved);
    assert_true(tally.unsafe > tally.models / 10 && tally.proved > 0);
    assert_true(tally.large < tally.models / 10);
}

static struct model *make_counting(uint64_t seed)
{
    return make_source(seed, true);
}

// Its own states are those of the source, location by location, so runs that come to the error are.
static void special_ones_decide_as_sources_do(void **state)
{
    (void)state;
    link_compare_special(make_counting, part_models(100, 30), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_decide_as_words_do),
                                       cmocka_unit_test(phases_decide_as_loops_do),
                                       cmocka_unit_test(special_ones_decide_as_sources_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
