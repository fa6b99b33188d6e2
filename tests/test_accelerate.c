#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "certify/certify.h"
#include "engines/registry/registry.h"
#include "model/prepare.h"
#include "model/recode.h"
#include "tests/decide.h"
#include "tests/oracle.h"

// Rounds as one step: random loops over small words keep their answer, and each run to the error is, with its rounds written out, one of
// the model that was read.

#define STATE_LIMIT 60000
#define VARIABLES 3

static const struct position NOWHERE = {0};

struct making {
    struct random random;
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *variables[VARIABLES];
};

static uint32_t pick(struct making *m, uint32_t bound)
{
    return (uint32_t)random_below(&m->random, bound);
}

static const struct variable *some(struct making *m)
{
    return m->variables[pick(m, VARIABLES)];
}

static const struct term *literal(struct making *m, const struct sort *sort)
{
    return term_bv(m->store, sort->width, pick(m, 1u << sort->width));
}

static const struct term *as_wide_as(struct making *m, const struct term *term, uint32_t width)
{
    const uint32_t has = term->sort->width;
    if (has > width)
        return term_bv_extract(m->store, term, width - 1, 0);
    return has == width ? term
                        : term_bv_extend(m->store, pick(m, 2) == 0 ? TERM_BV_ZEXT : TERM_BV_SEXT,
                                         term, width);
}

static const struct term *value(struct making *m, const struct variable *v)
{
    const struct sort *sort = v->sort;
    const struct term *own = v->term, *other = as_wide_as(m, some(m)->term, sort->width);
    switch (pick(m, 9)) {
    case 0:
        return literal(m, sort);
    case 1:
        return other;
    case 2:
        return term_bv_binary(m->store, TERM_BV_ADD, own, other);
    case 3:
        return term_bv_binary(m->store, TERM_BV_MUL, term_bv(m->store, sort->width, pick(m, 4)),
                              other);
    case 4:
        return term_bv_binary(m->store, TERM_BV_ADD, other, literal(m, sort));
    case 5: // as C computes with small types
        return term_bv_extract(
            m->store,
            term_bv_binary(m->store, TERM_BV_ADD,
                           term_bv_extend(m->store, pick(m, 2) == 0 ? TERM_BV_ZEXT : TERM_BV_SEXT,
                                          own, sort->width + 3),
                           term_bv(m->store, sort->width + 3, pick(m, 1u << sort->width))),
            sort->width - 1, 0);
    default:
        return term_bv_binary(
            m->store, TERM_BV_ADD, own,
            pick(m, 2) == 0
                ? literal(m, sort)
                : term_bv(m->store, sort->width, 1 + (pick(m, 2) == 0 ? UINT64_MAX - 1 : 0)));
    }
}

static const struct term *condition(struct making *m)
{
    static const enum term_kind orders[] = {TERM_BV_ULT, TERM_BV_ULE, TERM_BV_SLT, TERM_BV_SLE};
    const struct variable *v = some(m);
    const struct term *a = v->term, *b = literal(m, v->sort);
    if (pick(m, 3) == 0)
        b = as_wide_as(m, some(m)->term, v->sort->width);
    if (pick(m, 4) == 0)
        a = term_bv_binary(m->store, TERM_BV_ADD, a, literal(m, v->sort));
    if (pick(m, 3) == 0) {
        const uint32_t wide = v->sort->width + 1 + pick(m, 2);
        const enum term_kind kind = pick(m, 2) == 0 ? TERM_BV_ZEXT : TERM_BV_SEXT;
        a = term_bv_extend(m->store, kind, a, wide);
        b = pick(m, 2) == 0 ? term_bv(m->store, wide, pick(m, 1u << wide))
                            : term_bv_extend(m->store, kind, b, wide);
    }
    if (pick(m, 2) == 0) {
        const struct term *swap = a;
        a = b;
        b = swap;
    }
    const struct term *c = pick(m, 4) == 0 ? term_eq(m->store, a, b)
                                           : term_bv_binary(m->store, orders[pick(m, 4)], a, b);
    return pick(m, 2) == 0 ? c : term_not(m->store, c);
}

static struct statement *body(struct making *m, uint32_t depth)
{
    struct statement *parts[4];
    size_t count = 0;
    for (uint32_t n = 1 + pick(m, 3); n > 0; n--) {
        const uint32_t kind = pick(m, 6);
        if (kind == 0 && depth < 2) {
            struct statement *branches[2] = {body(m, depth + 1), body(m, depth + 1)};
            parts[count++] = model_choice(m->builder, branches, 2, NOWHERE);
        } else if (kind == 1 && depth < 2) {
            parts[count++] =
                model_if(m->builder, condition(m), body(m, depth + 1), body(m, depth + 1), NOWHERE);
        } else if (kind <= 3) {
            parts[count++] = model_assume(m->builder, condition(m), NOWHERE);
        } else {
            const struct variable *v = some(m);
            parts[count++] = model_assign(m->builder, v, value(m, v), NOWHERE);
        }
    }
    const struct variable *v = some(m);
    parts[count++] = model_assign(m->builder, v, value(m, v), NOWHERE);
    return model_sequence(m->builder, parts, count, NOWHERE);
}

static struct model *random_model(uint64_t seed)
{
    static const char *const names[VARIABLES] = {"x", "y", "z"};
    struct making m = {.builder = model_builder_create(&dialect_plain, "random", NULL)};
    random_init(&m.random, seed);
    m.store = model_builder_store(m.builder);
    struct statement *first[VARIABLES], *last[2];
    const uint32_t width = 3 + pick(&m, 3);
    for (uint32_t v = 0; v < VARIABLES; v++) {
        const struct sort *sort = sort_bv(m.store, pick(&m, 3) == 0 ? 2 + pick(&m, 4) : width);
        m.variables[v] = model_builder_variable(m.builder, names[v], sort, 0, NOWHERE);
    }
    for (uint32_t v = 0; v < VARIABLES; v++)
        first[v] = pick(&m, 4) == 0 ? model_havoc(m.builder, m.variables[v], NOWHERE)
                                    : model_assign(m.builder, m.variables[v],
                                                   literal(&m, m.variables[v]->sort), NOWHERE);
    struct location *start = model_builder_location(m.builder, "start", PHASE_NONE, true),
                    *loop = model_builder_location(m.builder, "loop", PHASE_NONE, true),
                    *error = model_builder_location(m.builder, "error", PHASE_NONE, true);
    model_builder_initial(m.builder, start, model_sequence(m.builder, first, VARIABLES, NOWHERE));
    model_builder_error(m.builder, error);
    model_builder_edge(m.builder, start, loop, model_skip(m.builder, NOWHERE), "begin", NOWHERE);
    model_builder_edge(m.builder, loop, loop, body(&m, 0), "round", NOWHERE);
    for (uint32_t i = 0; i < 2; i++)
        last[i] = model_assume(m.builder, condition(&m), NOWHERE);
    model_builder_edge(m.builder, loop, error, model_sequence(m.builder, last, 2, NOWHERE), "leave",
                       NOWHERE);
    return model_builder_finish(m.builder);
}

static struct trace *on_source(const struct trace *trace)
{
    struct trace *now = prepare_map_trace(trace);
    while (now->model->source != NULL) {
        struct trace *next = prepare_map_trace(now);
        trace_destroy(now);
        now = next;
    }
    return now;
}

static void test_random(void **state)
{
    (void)state;
    const char *many = getenv("ROUNDS_PROGRAMS"), *first = getenv("ROUNDS_SEED");
    const uint64_t count = many != NULL ? strtoull(many, NULL, 10) : 400,
                   start = first != NULL ? strtoull(first, NULL, 10) : 1;
    unsigned accelerated = 0, unsafe = 0, shorter = 0, undecided = 0;
    for (uint64_t seed = start; seed < start + count; seed++) {
        struct model *source = random_model(seed);
        const struct prepare_options options = {.encoding = seed % 2 == 0 ? PREPARE_LOOP_BLOCKS
                                                                          : PREPARE_LARGE_BLOCK,
                                                .propagate_constants = seed % 3 == 0,
                                                .accelerate = true};
        struct model *model = prepare_model(source, &options, NULL);
        struct oracle_answer plain = oracle_run(source, STATE_LIMIT, NULL),
                             answer = {.verdict = VERDICT_UNKNOWN};
        if (model != NULL)
            answer = oracle_run(model, STATE_LIMIT, NULL);
        accelerated += model != NULL;
        undecided += model != NULL && answer.verdict == VERDICT_UNKNOWN;
        if (answer.verdict != VERDICT_UNKNOWN && plain.verdict != VERDICT_UNKNOWN &&
            answer.verdict != plain.verdict)
            fail_msg("seed %" PRIu64 ": %d, and with rounds at once %d", seed, (int)plain.verdict,
                     (int)answer.verdict);
        if (answer.verdict == VERDICT_UNSAFE) {
            struct text why;
            text_init(&why);
            struct trace *mapped = on_source(answer.trace);
            if (!certify_replay(mapped, &why))
                fail_msg("seed %" PRIu64 ": the trace does not replay: %s", seed,
                         text_string(&why));
            unsafe++;
            shorter +=
                plain.trace != NULL && plain.trace->step_count > answer.trace->step_count + 2;
            trace_destroy(mapped);
            text_finish(&why);
        }
        oracle_answer_finish(&plain);
        if (model != NULL) {
            oracle_answer_finish(&answer);
            model_destroy(model);
        }
        model_destroy(source);
    }
    print_message(
        "# %u of %" PRIu64
        " have rounds at once, %u of them undecided; %u runs, %u shorter by more than two "
        "steps\n",
        accelerated, count, undecided, unsafe, shorter);
    assert_true(accelerated * 5 > count && unsafe * 10 > count && shorter * 100 > count);
}

// Engines on such models: runs replay on the model that was read, proofs are accepted there.

static void check_proof(const struct engine_run *run, uint64_t seed, const char *text)
{
    struct text why;
    text_init(&why);
    const struct model *model = run->prepared;
    const struct term **lifted = NULL;
    for (; model->source != NULL; model = model->source) {
        const struct term **nearer = prepare_lift_invariant(
            model, run->store, lifted != NULL ? lifted : run->result.invariant);
        memory_free(lifted);
        lifted = nearer;
    }
    if (certify_invariant_owned(model, run->store, lifted, run->result.rule, "z3", NULL, NULL,
                                &why) != CERTIFY_ACCEPTED)
        fail_msg("seed %" PRIu64 ", %s: the invariant is refused: %s", seed, text,
                 text_string(&why));
    memory_free(lifted);
    text_finish(&why);
}

static enum verdict ask(const struct model *source, const char *text, uint64_t seed)
{
    static struct progress progress;
    struct engine_run run;
    engine_run_prepare(&run, source, text, &progress);
    run.environment.step_limit = strstr(text, "engine=ic3") != NULL ? 2000 : 16;
    engine_run_start(&run);
    const enum verdict verdict = run.result.verdict;
    if (verdict == VERDICT_UNSAFE) {
        struct text why;
        text_init(&why);
        struct trace *mapped = decide_map(run.result.trace);
        run.result.trace = NULL;
        if (!certify_replay(mapped, &why))
            fail_msg("seed %" PRIu64 ", %s: %s", seed, text, text_string(&why));
        trace_destroy(mapped);
        text_finish(&why);
    }
    if (verdict == VERDICT_SAFE && run.result.invariant != NULL)
        check_proof(&run, seed, text);
    engine_run_finish(&run);
    return verdict;
}

static void test_engines(void **state)
{
    static const char *const texts[] = {
        "engine=bmc,encoding=LOOPS,accelerate=true", "engine=kind,encoding=LOOPS,accelerate=true",
        "engine=kind,simplepath=true,aux=NONE,accelerate=true",
        "engine=ic3,encoding=LOOPS,accelerate=true", "engine=ic3,cubes=PREDICATES,accelerate=true"};
    const char *many = getenv("ROUNDS_PROGRAMS"), *first = getenv("ROUNDS_SEED");
    const uint64_t count = many != NULL ? strtoull(many, NULL, 10) / 10 : 200,
                   start = first != NULL ? strtoull(first, NULL, 10) : 1;
    unsigned safe = 0, unsafe = 0;
    (void)state;
    for (uint64_t seed = start; seed < start + count; seed++) {
        struct model *source = random_model(seed);
        const struct prepare_options options = {.encoding = PREPARE_LARGE_BLOCK,
                                                .propagate_constants = true,
                                                .cone_of_influence = true,
                                                .accelerate = true};
        struct model *model = prepare_model(source, &options, NULL);
        const enum verdict expected = oracle_decide(source, STATE_LIMIT);
        const char *text = texts[seed % (sizeof texts / sizeof *texts)];
        if (model != NULL && expected != VERDICT_UNKNOWN) {
            const enum verdict verdict = ask(source, text, seed);
            safe += verdict == VERDICT_SAFE;
            unsafe += verdict == VERDICT_UNSAFE;
            if (verdict != VERDICT_UNKNOWN && verdict != expected)
                fail_msg("seed %" PRIu64 ", %s: %s, but the oracle says %s", seed, text,
                         verdict_name(verdict), verdict_name(expected));
        }
        model_destroy(model);
        model_destroy(source);
    }
    print_message("# %u safe, %u unsafe\n", safe, unsafe);
    assert_true(safe > 0 && unsafe > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_engines)};
    return cmocka_run_group_tests_name("accelerate", tests, NULL, NULL);
}
