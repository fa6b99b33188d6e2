#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/choices.h"
#include "model/elements.h"
#include "model/small_words.h"
#include "tests/link.h"
#include "tests/part.h"

// Loops over arrays and pointers, whose locations are made one for each valuation of single elements, of small words and of where pointers
// lead (model/specialize.h), against a visit of all states.

enum { LOCATIONS = 5, INDEX = 2, ELEMENT = 2, PLACES = 3, ADDRESS = 66 };

static const struct position NOWHERE = {"elements", 0, 0};

struct source {
    struct random random;
    struct term_store *store;
    struct model_builder *builder;
    const struct variable *i, *k, *h, *c, *a, *b, *p, *q;
    bool walks; // loops end by the pointer p alone
};

static uint64_t below(struct source *s, uint64_t n)
{
    return random_below(&s->random, n);
}

static const struct term *number(struct source *s, uint64_t n)
{
    return term_bv(s->store, INDEX, n);
}

static const struct term *place(struct source *s)
{
    return term_bv(s->store, ADDRESS, 8 * below(s, PLACES));
}

static const struct term *some_index(struct source *s)
{
    switch (below(s, 4)) {
    case 0:
        return number(s, below(s, 1 << INDEX));
    case 1:
        return s->h->term;
    case 2:
        return term_bv_binary(s->store, TERM_BV_UREM, s->k->term, number(s, 2 + below(s, 2)));
    default:
        return s->i->term;
    }
}

static const struct term *asks(struct source *s)
{
    const struct variable *v = below(s, 2) ? s->p : s->q;
    switch (below(s, 5)) {
    case 0:
        return term_eq(s->store, some_index(s), number(s, below(s, 4)));
    case 1:
        return term_eq(s->store, s->c->term, term_bv(s->store, ELEMENT, below(s, 3)));
    case 2:
        return term_eq(s->store, term_select(s->store, s->a->term, some_index(s)),
                       term_bv(s->store, ELEMENT, below(s, 3)));
    default:
        return term_eq(s->store, v->term, place(s));
    }
}

static const struct term *leads(struct source *s)
{
    const struct term *index = term_bv_extend(
        s->store, TERM_BV_ZEXT,
        below(s, 2) ? s->h->term
                    : term_bv_binary(s->store, TERM_BV_UREM, s->k->term, number(s, PLACES)),
        ADDRESS);
    switch (below(s, 4)) {
    case 0:
        return term_bv_binary(s->store, TERM_BV_MUL, index, term_bv(s->store, ADDRESS, 8));
    case 1:
        return term_ite(s->store, asks(s), place(s),
                        term_ite(s->store, asks(s), place(s), s->q->term));
    case 2:
        return term_ite(s->store, asks(s), place(s), place(s));
    default:
        return below(s, 2) ? s->p->term : place(s);
    }
}

static struct statement *changes(struct source *s, unsigned depth)
{
    const struct variable *array = below(s, 4) ? s->a : s->b;
    struct statement *parts[2];
    switch (below(s, depth > 0 ? 12 : 9)) {
    case 0:
        return model_havoc(s->builder, below(s, 3) ? s->k : s->c, NOWHERE);
    case 1:
        return model_assign(s->builder, s->h, some_index(s), NOWHERE);
    case 2:
    case 3:
        return model_assign(
            s->builder, array,
            term_store_at(
                s->store,
                below(s, 4) ? array->term : term_ite(s->store, asks(s), s->a->term, s->b->term),
                some_index(s), below(s, 2) ? term_bv(s->store, ELEMENT, below(s, 3)) : s->c->term),
            NOWHERE);
    case 4:
        return model_assign(s->builder, s->c, term_select(s->store, s->a->term, some_index(s)),
                            NOWHERE);
    case 5:
    case 6:
        return model_assign(s->builder, !s->walks && below(s, 2) ? s->p : s->q, leads(s), NOWHERE);
    case 7:
        return below(s, 3) ? model_assume(s->builder, asks(s), NOWHERE)
                           : model_assign(s->builder, s->b,
                                          term_array(s->store, s->b->sort,
                                                     term_bv(s->store, ELEMENT, 0), NULL, 0),
                                          NOWHERE);
    case 8:
        return model_skip(s->builder, NOWHERE);
    default:
        parts[0] = changes(s, depth - 1);
        parts[1] = changes(s, depth - 1);
        return below(s, 4) == 0   ? model_if(s->builder, asks(s), parts[0], parts[1], NOWHERE)
               : below(s, 4) == 0 ? model_choice(s->builder, parts, 2, NOWHERE)
                                  : model_sequence(s->builder, parts, 2, NOWHERE);
    }
}

static const struct variable *variable(struct source *s, const char *name, const struct sort *sort)
{
    return model_builder_variable(s->builder, name, sort, 0, NOWHERE);
}

static struct statement *zero(struct source *s, const struct variable *v)
{
    return model_assign(s->builder, v, term_default(s->store, v->sort), NOWHERE);
}

// Back to where it was: with a counter, a pointer that walks, or a mark in an array.
static struct statement *comes_nearer(struct source *s)
{
    const struct term *t, *asked = term_true(s->store);
    const struct variable *v;
    switch (s->walks ? 1 : below(s, 3)) {
    case 0:
        v = s->i;
        t = term_bv_binary(s->store, TERM_BV_ADD, s->i->term, number(s, 1));
        asked = term_bv_binary(s->store, TERM_BV_ULT, s->i->term, number(s, 1 + below(s, 3)));
        break;
    case 1:
        v = s->p;
        t = term_bv(s->store, ADDRESS, 8 * (PLACES - 1));
        asked = term_not(s->store, term_eq(s->store, s->p->term, t));
        t = term_ite(s->store, term_eq(s->store, s->p->term, term_bv(s->store, ADDRESS, 0)),
                     below(s, 2) ? term_bv(s->store, ADDRESS, 8) : s->q->term, t);
        break;
    default:
        v = s->a;
        t = below(s, 2) ? number(s, below(s, 2)) : s->h->term;
        asked = term_not(s->store, term_eq(s->store, term_select(s->store, s->a->term, t),
                                           term_bv(s->store, ELEMENT, 3)));
        t = term_store_at(s->store, s->a->term, t, term_bv(s->store, ELEMENT, 3));
        break;
    }
    struct statement *parts[] = {model_assume(s->builder, asked, NOWHERE),
                                 model_assign(s->builder, v, t, NOWHERE)};
    return model_sequence(s->builder, parts, 2, NOWHERE);
}

// With pointers that inputs choose.
static struct statement *starts(struct source *s)
{
    const struct term *few = term_bv_binary(s->store, TERM_BV_UREM, s->k->term, number(s, PLACES)),
                      *wide = term_bv_extend(s->store, TERM_BV_ZEXT, few, ADDRESS);
    struct statement *parts[] = {
        model_havoc(s->builder, s->k, NOWHERE),
        below(s, 2) ? model_assign(s->builder, s->h, few, NOWHERE)
                    : model_skip(s->builder, NOWHERE),
        model_assign(
            s->builder, s->p,
            below(s, 2)
                ? term_bv_binary(s->store, TERM_BV_MUL, wide, term_bv(s->store, ADDRESS, 8))
                : term_ite(s->store, term_eq(s->store, few, number(s, 1)), place(s), place(s)),
            NOWHERE),
        below(s, 2) ? model_havoc(s->builder, s->k, NOWHERE) : model_skip(s->builder, NOWHERE)};
    return model_sequence(s->builder, parts, 4, NOWHERE);
}

static struct model *make_places(uint64_t seed)
{
    struct source s = {.builder = model_builder_create(&dialect_plain, "elements", NULL)};
    struct location *at[LOCATIONS];
    random_init(&s.random, seed);
    s.walks = below(&s, 2);
    s.store = model_builder_store(s.builder);
    const struct sort *index = sort_bv(s.store, INDEX), *element = sort_bv(s.store, ELEMENT),
                      *address = sort_bv(s.store, ADDRESS);
    s.i = variable(&s, "i", index);
    s.k = variable(&s, "k", index);
    s.h = variable(&s, "h", index);
    s.c = variable(&s, "c", element);
    s.a = variable(&s, "a", sort_array(s.store, index, element));
    s.b = variable(&s, "b", sort_array(s.store, index, element));
    s.p = variable(&s, "p", address);
    s.q = variable(&s, "q", address);
    for (int l = 0; l < LOCATIONS; l++)
        at[l] = model_builder_location(s.builder, NULL, PHASE_NONE, true);
    model_builder_error(s.builder, at[LOCATIONS - 1]);
    struct statement *first[] = {zero(&s, s.i), zero(&s, s.h), zero(&s, s.p), zero(&s, s.q),
                                 zero(&s, s.b), zero(&s, s.c), zero(&s, s.k)};
    model_builder_initial(s.builder, at[0], model_sequence(s.builder, first, 7, NOWHERE));
    for (int e = 0; e < 7; e++) {
        const int from = e < 3 ? e : (int)below(&s, LOCATIONS - 1);
        const int to = e < 3 ? e + 1 : (int)below(&s, LOCATIONS - 1);
        struct statement *parts[] = {to > from ? model_skip(s.builder, NOWHERE) : comes_nearer(&s),
                                     changes(&s, 2), changes(&s, 1),
                                     e == 0 ? starts(&s) : model_skip(s.builder, NOWHERE)};
        model_builder_edge(s.builder, at[from], at[to],
                           model_sequence(s.builder, parts, 4, NOWHERE), "", NOWHERE);
    }
    struct statement *wrong[] = {model_assume(s.builder, asks(&s), NOWHERE),
                                 model_assume(s.builder, term_not(s.store, asks(&s)), NOWHERE),
                                 model_assume(s.builder, asks(&s), NOWHERE)};
    model_builder_edge(s.builder, at[1 + below(&s, LOCATIONS - 2)], at[LOCATIONS - 1],
                       model_sequence(s.builder, wrong, 3, NOWHERE), "", NOWHERE);
    return model_builder_finish(s.builder);
}

// What has no loops is decided by bounded runs. They are sought in the source, too, and as many steps as decide the one are enough there.
static void places_decide_as_sources_do(void **state)
{
    (void)state;
    const size_t most = part_models(80, 25);
    size_t models = 0, unsafe = 0, decided = 0, looping = 0;
    for (uint64_t seed = 1; models < most; seed++) {
        struct model *source = make_places(seed), *given = make_places(seed);
        struct model *made = specialize_model(given, true);
        if (made != given) {
            const bool loops = made->features.loops > 0; // that differ by pointers
            const enum verdict got = decide_run_within(made, loops ? "engine=kind" : "engine=bmc",
                                                       seed, 100000),
                               expected = decide_run_within(source, "engine=kind", seed, 100000);
            assert_true(loops || got != VERDICT_UNKNOWN);
            if (expected != VERDICT_UNKNOWN && got != VERDICT_UNKNOWN && expected != got)
                fail_msg("seed %llu: %d instead of %d", (unsigned long long)seed, (int)got,
                         (int)expected);
            models++;
            looping += loops;
            unsafe += got == VERDICT_UNSAFE;
            decided += expected != VERDICT_UNKNOWN;
        }
        model_destroy(made);
        model_destroy(source);
    }
    print_message("# %zu models, %zu unsafe, %zu decided as sources, %zu with loops\n", models,
                  unsafe, decided, looping);
    assert_true(looping > 0 && looping < models * 9 / 10);
    assert_true(unsafe > models / 20 && unsafe < models * 9 / 10 && decided > models / 2);
}

struct known {
    const struct term *variable, *known;
};

static const struct term *look(void *context, const struct term *variable)
{
    const struct known *k = context;
    return k->known != NULL && variable == k->variable ? k->known : variable;
}

static void what_is_written_is_known(void **state)
{
    (void)state;
    struct term_store *s = term_store_create(NULL);
    const struct sort *word = sort_bv(s, 8), *sort = sort_array(s, word, word);
    const struct term *a = term_var(s, "a", sort), *x = term_var(s, "x", word),
                      *three = term_bv(s, 8, 3), *seven = term_bv(s, 8, 7);
    struct known k = {a, NULL};
    assert_null(elements_after(s, a, term_store_at(s, a, three, x), look, &k));
    k.known = elements_after(s, a, term_store_at(s, a, three, seven), look, &k);
    assert_ptr_equal(term_select(s, k.known, three), seven);
    assert_ptr_equal(term_select(s, k.known, seven), term_select(s, a, seven));
    const struct term *both = elements_after(s, a, term_store_at(s, a, seven, three), look, &k);
    assert_ptr_equal(term_select(s, both, three), seven);
    assert_ptr_equal(term_select(s, both, seven), three);
    k.known = both;
    assert_ptr_equal(elements_after(s, a, term_store_at(s, a, seven, x), look, &k),
                     term_store_at(s, a, three, seven)); // one is no longer known
    assert_null(elements_after(s, a, term_store_at(s, a, x, seven), look, &k));
    // Of zeros all but one stay known.
    k.known = term_array(s, sort, term_bv(s, 8, 0), NULL, 0);
    k.known = elements_after(s, a, term_store_at(s, a, three, x), look, &k);
    assert_ptr_equal(term_select(s, k.known, seven), term_bv(s, 8, 0));
    assert_ptr_equal(term_select(s, k.known, three), term_select(s, a, three));
    term_store_destroy(s);
}

static const struct range *nothing(void *context, const struct term *variable)
{
    (void)context;
    (void)variable;
    return NULL;
}

static void words_are_noted_once(void **state)
{
    (void)state;
    struct term_store *s = term_store_create(NULL);
    const struct sort *sort = sort_bv(s, 8);
    const struct term *x = term_var(s, "x", sort), *y = term_var(s, "y", sort),
                      *two = term_bv(s, 8, 2), *one = term_bv(s, 8, 1),
                      *rest = term_bv_binary(s, TERM_BV_UREM, x, term_bv(s, 8, 5));
    struct noted_word noted[NOTED_WORDS] = {0}, other[NOTED_WORDS] = {0};
    assert_true(words_note(noted, y, one) && words_note(noted, rest, one));
    assert_true(words_note(noted, rest, two) && noted[2].word == NULL);
    const struct term *sum = term_bv_binary(s, TERM_BV_ADD, rest, y);
    assert_ptr_equal(words_apply(s, noted, sum), term_bv(s, 8, 3));
    assert_true(words_note(other, rest, two) && words_note(other, y, two));
    words_join(noted, other);
    assert_true(noted[0].word == rest && noted[1].word == NULL);
    words_forget(noted, x);
    assert_null(noted[0].word);
    const struct range_view view = {nothing, NULL, NULL};
    assert_ptr_equal(words_small(&view, sum, 8), rest);
    assert_null(words_small(&view, sum, 4));
    term_store_destroy(s);
}

static void all_that_may_be_chosen_is_found(void **state)
{
    (void)state;
    struct term_store *s = term_store_create(NULL);
    const struct sort *sort = sort_bv(s, 8);
    const struct term *x = term_var(s, "x", sort), *other = term_var(s, "y", sort),
                      *word = term_bv_binary(s, TERM_BV_UREM, x, term_bv(s, 8, 2)), *chosen = other;
    const struct range_view view = {nothing, NULL, NULL};
    struct term_vector values = {0};
    for (uint64_t n = 0; n < 2; n++) {
        values.count = 0;
        assert_false(choices_find(&view, chosen, &values));
        chosen = term_ite(s, term_eq(s, word, term_bv(s, 8, n)), term_bv(s, 8, 50 + n), chosen);
    }
    values.count = 0;
    assert_true(choices_find(&view, chosen, &values)); // the rest is 0 or 1
    assert_int_equal(values.count, 2);
    VECTOR_FINISH(&values);
    struct choices choices = {.count = 0};
    size_t ways = 0;
    do {
        uint32_t first, second = 0;
        choices.at = 0;
        assert_true(choices_take(&choices, 2, &first));
        if (first == 1)
            assert_true(choices_take(&choices, 3, &second));
        ways++;
    } while (choices_next(&choices));
    assert_int_equal(ways, 4);
    term_store_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_known),
                                       cmocka_unit_test(words_are_noted_once),
                                       cmocka_unit_test(all_that_may_be_chosen_is_found),
                                       cmocka_unit_test(places_decide_as_sources_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
