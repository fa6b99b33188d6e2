#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "certify/certify.h"
#include "logic/terms/eval.h"
#include "model/prepare.h"
#include "model/words.h"
#include "tests/decide.h"
#include "tests/engine_run.h"
#include "tests/oracle.h"
#include "tests/part.h"

// Machine words as integers (model/words.h): each operation against its meaning on bits, for all operands; proofs that go
// back against their meaning, for all values; engines on random models against an oracle.

enum { WIDTH = 3, VALUES = 1 << WIDTH, WIDEST = 4, REACH = 1 << WIDEST };

static const struct position NOWHERE = {"words", 0, 0};

struct source {
    struct random random;
    struct term_store *store;
    const struct variable *x, *y, *z;
    const struct term *term; // of WIDTH bits, of x and y
    struct model *model;     // one step: z := term
};

static const struct term *random_word(struct source *s, uint32_t width, unsigned depth);

static const struct term *random_condition(struct source *s, unsigned depth)
{
    static const enum term_kind kinds[] = {TERM_BV_ULT, TERM_BV_ULE, TERM_BV_SLT, TERM_BV_SLE};
    uint32_t width = 1 + (uint32_t)random_below(&s->random, WIDEST);
    const struct term *a = random_word(s, width, depth), *b = random_word(s, width, depth);
    size_t way = random_below(&s->random, 5);
    return way < 4 ? term_bv_binary(s->store, kinds[way], a, b) : term_eq(s->store, a, b);
}

static const struct term *leaf(struct source *s, uint32_t width)
{
    const struct term *variable = random_below(&s->random, 2) == 0 ? s->x->term : s->y->term;
    if (random_below(&s->random, 3) == 0)
        return term_bv(s->store, width, random_below(&s->random, UINT64_C(1) << width));
    if (width <= WIDTH)
        return term_bv_extract(s->store, variable, width - 1, 0);
    return term_bv_extend(s->store, random_below(&s->random, 2) ? TERM_BV_ZEXT : TERM_BV_SEXT,
                          variable, width);
}

static const struct term *random_word(struct source *s, uint32_t width, unsigned depth)
{
    uint32_t more = width + (uint32_t)random_below(&s->random, WIDEST - width + 1);
    if (depth == 0)
        return leaf(s, width);
    switch (random_below(&s->random, 8)) {
    case 0:
        return term_bv_unary(s->store, random_below(&s->random, 2) ? TERM_BV_NOT : TERM_BV_NEG,
                             random_word(s, width, depth - 1));
    case 1:
        return term_ite(s->store, random_condition(s, depth - 1), random_word(s, width, depth - 1),
                        random_word(s, width, depth - 1));
    case 2:
        return term_bv_extract(s->store, random_word(s, more, depth - 1), more - 1, more - width);
    case 3:
        if (width > 1)
            return term_bv_extend(s->store,
                                  random_below(&s->random, 2) ? TERM_BV_ZEXT : TERM_BV_SEXT,
                                  random_word(s, width - 1, depth - 1), width);
        return leaf(s, width);
    case 4:
        if (width > 1)
            return term_bv_binary(s->store, TERM_BV_CONCAT, random_word(s, width - 1, depth - 1),
                                  random_word(s, 1, depth - 1));
        return leaf(s, width);
    default:
        return term_bv_binary(
            s->store,
            (enum term_kind)(TERM_BV_AND +
                             (int)random_below(&s->random, TERM_BV_ROR - TERM_BV_AND + 1)),
            random_word(s, width, depth - 1), random_word(s, width, depth - 1));
    }
}

static void make_source(struct source *s, uint64_t seed)
{
    random_init(&s->random, seed);
    struct model_builder *b = model_builder_create(&dialect_plain, "words", NULL);
    s->store = model_builder_store(b);
    const struct sort *word = sort_bv(s->store, WIDTH);
    s->x = model_builder_variable(b, "x", word, 0, NOWHERE);
    s->y = model_builder_variable(b, "y", word, 0, NOWHERE);
    s->z = model_builder_variable(b, "z", word, 0, NOWHERE);
    s->term = random_word(s, WIDTH, 1 + (unsigned)seed % 3);
    struct location *from = model_builder_location(b, "from", PHASE_NONE, true);
    struct location *to = model_builder_location(b, "to", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    model_builder_initial(b, from, model_skip(b, NOWHERE));
    model_builder_edge(b, from, to, model_assign(b, s->z, s->term, NOWHERE), "step", NOWHERE);
    // So that the variables have a sign.
    const struct term *below = term_bv_binary(
        s->store, random_below(&s->random, 2) ? TERM_BV_SLT : TERM_BV_ULT, s->x->term, s->z->term);
    model_builder_edge(b, to, error, model_assume(b, below, NOWHERE), "test", NOWHERE);
    model_builder_error(b, error);
    s->model = model_builder_finish(b);
}

// What a list of statements can do, each arbitrary integer tried.

struct state {
    int64_t *value; // by variable
    const struct model *model;
};

static struct value look_up(void *context, const struct term *term)
{
    const struct state *state = context;
    const struct variable *v = model_variable_of(state->model, term);
    assert_non_null(v);
    return value_small(state->value[v->index]);
}

struct outcome {
    bool ended, seen[4 * VALUES]; // by the value of z + 2 * VALUES, when it ran to its end
};

struct run {
    struct evaluator *evaluator;
    struct state state;
    uint32_t z;
    bool guards; // an edge into the error, after which values mean nothing
    struct outcome *outcome;
};

static void flatten(const struct statement *s, const struct statement **out, size_t *count)
{
    if (s->kind != STATEMENT_SEQUENCE) {
        assert_true(*count < 64);
        out[(*count)++] = s;
        return;
    }
    for (uint32_t i = 0; i < s->child_count; i++)
        flatten(s->child[i], out, count);
}

static void go(struct run *r, const struct statement *const *list, size_t count)
{
    if (count == 0) {
        int64_t z = r->state.value[r->z];
        bool word = z >= -VALUES && z < VALUES;
        assert_true(word || r->guards);
        r->outcome->ended = true;
        if (word)
            r->outcome->seen[z + 2 * VALUES] = true;
        return;
    }
    const struct statement *s = list[0];
    struct value value = s->expression != NULL
                             ? evaluator_run(r->evaluator, s->expression, look_up, &r->state)
                             : VALUE_UNKNOWN;
    switch (s->kind) {
    case STATEMENT_ASSUME:
        assert_true(value_known(value));
        if (value_is_true(value))
            go(r, list + 1, count - 1);
        break;
    case STATEMENT_ASSIGN:
        assert_true(value_known(value));
        r->state.value[s->variable->index] = value_small_get(value);
        go(r, list + 1, count - 1);
        break;
    case STATEMENT_HAVOC:
        for (int64_t k = -REACH; k <= REACH; k++) {
            r->state.value[s->variable->index] = k;
            go(r, list + 1, count - 1);
        }
        break;
    default:
        fail();
    }
}

static struct outcome take(const struct model *model, const struct edge *edge, int64_t x, int64_t y)
{
    struct outcome outcome = {0};
    struct term_store *store = term_store_create(model->store);
    struct run r = {.evaluator = evaluator_create(store), .outcome = &outcome};
    r.state = (struct state){memory_zalloc((model->variable_count + 1) * sizeof(int64_t)), model};
    r.z = 2;
    r.guards = edge->id > 1;
    r.state.value[0] = x;
    r.state.value[1] = y;
    const struct statement *list[64];
    size_t count = 0;
    flatten(edge->action, list, &count);
    go(&r, list, count);
    memory_free(r.state.value);
    evaluator_destroy(r.evaluator);
    term_store_destroy(store);
    return outcome;
}

static struct value exact_look_up(void *context, const struct term *term)
{
    const struct source *s = ((const void **)context)[0];
    const uint64_t *values = ((const void **)context)[1];
    return value_small((int64_t)(term == s->x->term ? values[0] : values[1]));
}

static uint64_t exact(const struct source *s, uint64_t x, uint64_t y)
{
    struct term_store *store = term_store_create(s->model->store);
    struct evaluator *evaluator = evaluator_create(store);
    uint64_t values[] = {x, y};
    const void *context[] = {s, values};
    struct value value = evaluator_run(evaluator, s->term, exact_look_up, context);
    assert_true(value_known(value));
    evaluator_destroy(evaluator);
    term_store_destroy(store);
    return (uint64_t)value_small_get(value);
}

struct tally {
    size_t alone, among, refused, guarded;
};

// The word's value is what comes of it, or among that; refused only where a guarding edge tells.
static void compare_step(const struct source *s, const struct model *model, bool checked, int64_t x,
                         int64_t y, struct tally *tally)
{
    uint64_t expected = exact(s, (uint64_t)x % VALUES, (uint64_t)y % VALUES);
    struct outcome outcome = take(model, model->edges[0], x, y);
    const struct edge *guard = NULL;
    for (uint32_t e = 2; e < model->edge_count; e++)
        if (model->edges[e]->source == model->edges[0]->source)
            guard = model->edges[e];
    assert_true(checked || model->edge_count == 2);
    size_t others = 0;
    bool found = false;
    for (size_t k = 0; k < 4 * VALUES; k++) {
        if (!outcome.seen[k])
            continue;
        found |= k % VALUES == expected;
        others += k % VALUES != expected;
    }
    tally->alone += found && others == 0;
    tally->among += found && others > 0;
    if (found)
        return;
    tally->refused++;
    if (!checked)
        fail_msg("x = %lld, y = %lld: %llu does not come of it", (long long)x, (long long)y,
                 (unsigned long long)expected);
    assert_true(checked && guard != NULL);
    assert_true(take(model, guard, x, y).ended);
    tally->guarded++;
}

// The numbers that the variable can have; the step's own assumptions tell which.
static void operations_are_exact(void **state)
{
    (void)state;
    for (int checked = 0; checked < 2; checked++) {
        struct tally tally = {0};
        size_t none = 0;
        for (uint64_t seed = 1; seed <= part_models(300, 60); seed++) {
            struct source s;
            make_source(&s, seed);
            struct model *model = words_recode(s.model, checked, NULL);
            none += model == NULL;
            for (int64_t x = -VALUES / 2; model != NULL && x < VALUES; x++)
                for (int64_t y = -VALUES / 2; y < VALUES; y++) {
                    // In one of the two ranges: that of the sign which was chosen, or the run is no run.
                    struct outcome outcome = take(model, model->edges[0], x, y);
                    const struct edge *last = model->edges[model->edge_count - 1];
                    bool guarded = model->edge_count > 2 &&
                                   last->source == model->edges[0]->source &&
                                   take(model, last, x, y).ended;
                    if (outcome.ended || guarded)
                        compare_step(&s, model, checked, x, y, &tally);
                }
            model_destroy(model);
            model_destroy(s.model);
        }
        print_message("# %s: %zu exact, %zu among others, %zu refused, %zu of these told\n",
                      checked ? "checked" : "wrapping", tally.alone, tally.among, tally.refused,
                      tally.guarded);
        assert_int_equal(none, 0);
        assert_true(tally.alone > 5 * tally.among && tally.among > 0);
        assert_int_equal(tally.refused, tally.guarded);
        assert_true(checked ? tally.refused > 0 : tally.refused == 0);
    }
}

// Engines.

static const char *const settings[] = {
    "engine=kind,words=WRAPPING",      "engine=ic3,words=WRAPPING",
    "engine=ic3,words=CHECKED",        "engine=horn,words=CHECKED",
    "domain=PRED_CART,words=WRAPPING", "domain=EXPL,words=CHECKED,encoding=SBE",
};

struct answers {
    size_t safe, unsafe, spurious, unknown;
};

static void check_answer(const struct model *source, const char *text, enum verdict expected,
                         struct answers *answers)
{
    static struct progress progress;
    struct engine_run run;
    struct text why;
    text_init(&why);
    engine_run_prepare(&run, source, text, &progress);
    run.environment.step_limit = 1000;
    engine_run_start(&run);
    if (run.result.verdict == VERDICT_SAFE) {
        answers->safe++;
        if (expected == VERDICT_UNSAFE)
            fail_msg("%s: safe", text);
        const struct term **lifted = decide_lift(run.prepared, run.store, run.result.invariant);
        if (lifted != NULL && certify_invariant_owned(source, run.store, lifted, run.result.rule,
                                                      "z3", NULL, NULL, &why) != CERTIFY_ACCEPTED)
            fail_msg("%s: refused: %s", text, text_string(&why));
        memory_free(lifted);
    } else if (run.result.verdict == VERDICT_UNSAFE) {
        struct trace *mapped = decide_map(run.result.trace);
        run.result.trace = NULL;
        bool real = certify_replay(mapped, &why);
        answers->unsafe += real;
        answers->spurious += !real;
        if (real && expected == VERDICT_SAFE)
            fail_msg("%s: unsafe", text);
        trace_destroy(mapped);
    } else {
        answers->unknown++;
    }
    engine_run_finish(&run);
    text_finish(&why);
}

static void engines_agree_with_the_oracle(void **state)
{
    (void)state;
    struct answers all = {0};
    size_t models = 0;
    for (uint64_t seed = 1; models < part_models(16, 5); seed++) {
        struct model *source = oracle_random_model(seed);
        if (words_are_possible(source)) {
            enum verdict expected = oracle_decide(source, 100000);
            for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
                check_answer(source, settings[i], expected, &all);
            models++;
        }
        model_destroy(source);
    }
    print_message("# %zu models: %zu safe, %zu unsafe, %zu runs that are none, %zu unknown\n",
                  models, all.safe, all.unsafe, all.spurious, all.unknown);
    assert_true(all.safe > 0 && all.unsafe > 0);
    assert_true(all.unknown + all.spurious < (all.safe + all.unsafe));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_exact),
        cmocka_unit_test(engines_agree_with_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
