#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "portfolio/model_cache.h"
#include "portfolio/race.h"
#include "portfolio/worker.h"
#include "tests/part.h"

// Real races with scripted engines: what an attempt does is told by its configuration's name. The
// same races run with attempts as threads and as processes: this program started again.

static enum isolation isolation = ISOLATION_THREAD;
static const char *const worker_arguments[] = {"test_race", "worker", NULL};

// The solver is not instrumented; ours is.
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:libz3.so\nmutex:libz3.so\n";
}

// Sanitizers make everything slower: what one attempt waits so that another can begin.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SLACK 10.0
#else
#define SLACK 1.0
#endif

// An upper bound of what takes some milliseconds, for the busiest machine. Nothing waits so long.
#define SOON 30.0

// The model: x starts at 0 and counts to 5; the error wants x to be `bad`.
static struct model *count_to_five(int64_t bad)
{
    struct model_builder *b = model_builder_create(&dialect_plain, "count.cfa", NULL);
    struct term_store *store = model_builder_store(b);
    struct position at = {0};
    const struct variable *x = model_builder_variable(b, "x", sort_int(store), 0, at);
    struct location *here = model_builder_location(b, "here", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    struct statement *parts[] = {
        model_assume(b, term_lt(store, x->term, term_int(store, 5)), at),
        model_assign(b, x, term_add2(store, x->term, term_int(store, 1)), at),
    };
    model_builder_initial(b, here, model_assign(b, x, term_int(store, 0), at));
    model_builder_edge(b, here, here, model_sequence(b, parts, 2, at), "count", at);
    model_builder_edge(b, here, error,
                       model_assume(b, term_eq(store, x->term, term_int(store, bad)), at), "fail",
                       at);
    model_builder_error(b, error);
    return model_builder_finish(b);
}

static const struct edge *edge_of(const struct model *model, bool to_error)
{
    for (uint32_t i = 0; i < model->edge_count; i++)
        if ((model->edges[i]->target == model->error) == to_error)
            return model->edges[i];
    fail_msg("the edge is gone");
    return NULL;
}

// Counts `rounds` times, then fails: replays when rounds is `bad`.
static struct trace *trace_of(const struct model *model, int rounds)
{
    struct trace *trace = trace_create(model);
    for (int i = 0; i < rounds; i++)
        trace_add_step(trace, edge_of(model, false));
    trace_add_step(trace, edge_of(model, true));
    return trace;
}

enum { BAD = 3 };

// Scripted engines.

static _Atomic int deaf_running;
static _Atomic bool deaf_outrun; // the next step began before it had ended
static bool is_worker;           // this process is one of a race's
static _Atomic(const struct model *) models_seen[2];

static bool stopped(const struct engine_environment *e)
{
    return atomic_load(e->stop) != END_NONE;
}

static struct engine_result gave_up(enum end_reason reason)
{
    return (struct engine_result){.verdict = VERDICT_UNKNOWN, .reason = reason};
}

static struct engine_result answer(enum verdict verdict)
{
    return (struct engine_result){.verdict = verdict, .reason = END_SOLVED};
}

static void wait_until_stopped(const struct engine_environment *e)
{
    while (!stopped(e))
        usleep(500);
}

static struct engine_result play_burn(const struct engine_environment *e)
{
    for (volatile unsigned n = 0; !stopped(e); n++)
        continue;
    return gave_up(END_UNKNOWN);
}

// What the program is said to hold while the fat one runs.
static _Atomic bool fat_runs, fat_came;

static uint64_t resident_bytes(void)
{
    return atomic_load(&fat_runs) ? (uint64_t)2 << 30 : 0;
}

static struct engine_result play_fat(const struct engine_environment *e)
{
    atomic_store(&e->progress->bytes, (uint64_t)1 << 30);
    atomic_store(&fat_runs, true);
    atomic_store(&fat_came, true);
    wait_until_stopped(e);
    atomic_store(&fat_runs, false);
    return gave_up(END_UNKNOWN);
}

// Answers when the fat one has come and gone.
static struct engine_result play_thin(const struct engine_environment *e)
{
    atomic_store(&e->progress->bytes, (uint64_t)1 << 20);
    while (!stopped(e) && !atomic_load(&fat_came)) // it may be gone before this thread begins
        usleep(500);
    while (!stopped(e) && atomic_load(&fat_runs))
        usleep(500);
    return stopped(e) ? gave_up(END_UNKNOWN) : answer(VERDICT_SAFE);
}

// Gives a line; another answers when it has heard it.
static struct engine_result play_give(const struct engine_environment *e)
{
    if (e->share == NULL)
        return gave_up(END_UNSUPPORTED);
    e->share(e->observer, "(predicate p)\n(predicate q)\n");
    wait_until_stopped(e);
    return gave_up(END_UNKNOWN);
}

static struct engine_result play_take(const struct engine_environment *e)
{
    bool heard = false;
    while (e->hear != NULL && !heard && !stopped(e)) {
        heard = strcmp(e->hear(e->observer), "(predicate p)\n(predicate q)\n") == 0;
        usleep(500);
    }
    return heard ? answer(VERDICT_SAFE) : gave_up(END_UNKNOWN);
}

static struct engine_result play_safe(const struct engine_environment *e)
{
    (void)e;
    return answer(VERDICT_SAFE);
}

static struct engine_result play_unsafe(const struct engine_environment *e)
{
    struct engine_result result = answer(VERDICT_UNSAFE);
    result.trace = trace_of(e->model, BAD);
    return result;
}

static struct engine_result play_wrong_trace(const struct engine_environment *e)
{
    struct engine_result result = answer(VERDICT_UNSAFE);
    result.trace = trace_of(e->model, BAD + 1);
    return result;
}

static struct engine_result play_no_trace(const struct engine_environment *e)
{
    (void)e;
    return answer(VERDICT_UNSAFE);
}

// x <= limit everywhere but in the error location.
static struct engine_result play_invariant(const struct engine_environment *e, int64_t limit)
{
    struct engine_result result = answer(VERDICT_SAFE);
    const struct term *x = e->model->variables[0]->term;
    const struct term *zero = term_int(e->store, 0);
    result.invariant = memory_alloc(e->model->location_count * sizeof *result.invariant);
    for (uint32_t i = 0; i < e->model->location_count; i++)
        result.invariant[i] = e->model->locations[i] == e->model->error
                                  ? term_false(e->store)
                                  : term_and2(e->store, term_le(e->store, zero, x),
                                              term_le(e->store, x, term_int(e->store, limit)));
    return result;
}

static struct engine_result play_good_invariant(const struct engine_environment *e)
{
    return play_invariant(e, 5);
}

static struct engine_result play_wrong_invariant(const struct engine_environment *e)
{
    return play_invariant(e, 4);
}

static struct engine_result play_wait(const struct engine_environment *e)
{
    wait_until_stopped(e);
    return gave_up((enum end_reason)atomic_load(e->stop));
}

static struct engine_result play_unknown(const struct engine_environment *e)
{
    (void)e;
    return gave_up(END_UNKNOWN);
}

// A solver that fails because it was interrupted.
static struct engine_result play_confused(const struct engine_environment *e)
{
    wait_until_stopped(e);
    return gave_up(END_SOLVER);
}

// Does not end when it is asked to, but two seconds later.
static struct engine_result play_deaf(const struct engine_environment *e)
{
    atomic_fetch_add(&deaf_running, 1);
    wait_until_stopped(e);
    sleep(2);
    atomic_fetch_sub(&deaf_running, 1);
    return gave_up(END_UNKNOWN);
}

// Ends when a deaf one has begun in this process; in another, soon.
static struct engine_result play_when_deaf(const struct engine_environment *e)
{
    int most = isolation == ISOLATION_THREAD && !is_worker ? 100000 : 200;
    for (int i = 0; i < most && !stopped(e) && atomic_load(&deaf_running) == 0; i++)
        usleep(500);
    return gave_up(END_UNKNOWN);
}

// Ends when the deaf one has, and had the time to be noticed.
static struct engine_result play_after_deaf(const struct engine_environment *e)
{
    atomic_store(&deaf_outrun, atomic_load(&deaf_running) > 0);
    while (!stopped(e) && atomic_load(&deaf_running) > 0)
        usleep(500);
    usleep(300 * 1000);
    return gave_up(END_UNKNOWN);
}

static struct engine_result play_contradict(const struct engine_environment *e)
{
    wait_until_stopped(e);
    return play_unsafe(e);
}

// Everything it takes is in its store, so nothing is lost when it is refused more.
static struct engine_result play_hungry(const struct engine_environment *e)
{
    for (int64_t i = 1000; !stopped(e); i++)
        term_int(e->store, i);
    return gave_up(END_UNKNOWN);
}

// Says again and again that it found the same counterexample, and does as it is told.
static struct engine_result play_stall(const struct engine_environment *e)
{
    uint32_t items[] = {1, 2, 3};
    struct counterexample c = {items, 3,    hash128_add_bytes(hash128_seed(1), items, sizeof items),
                               7,     NULL, NULL};
    for (uint64_t round = 1; !stopped(e); round++) {
        atomic_store_explicit(&e->progress->iterations, round, memory_order_relaxed);
        atomic_store_explicit(&e->progress->bytes, 123456, memory_order_relaxed);
        struct engine_event event = {
            .kind = EVENT_COUNTEREXAMPLE, .iteration = round, .counterexample = &c, .count = 1};
        struct advice advice = e->observe(e->observer, &event);
        if (advice.kind == ADVICE_STOP)
            return (struct engine_result){.reason = advice.reason, .why = advice.why};
    }
    return gave_up(END_UNKNOWN);
}

// Leaves a precision, if somebody asks; and does well only with that.
static const char left_precision[] = "(variable x)\n";

static struct engine_result play_leave_precision(const struct engine_environment *e)
{
    if (e->precision_out != NULL)
        text_add(e->precision_out, left_precision);
    return gave_up(END_STALLED);
}

static struct engine_result play_take_precision(const struct engine_environment *e)
{
    if (e->precision_in != NULL && strcmp(e->precision_in, left_precision) == 0 &&
        e->precision_out == NULL)
        return answer(VERDICT_SAFE);
    return gave_up(END_UNKNOWN);
}

// A round in which what waits falls, at any time as if it would be over within 0.4 s; it never is.
static struct engine_result play_finish_soon(const struct engine_environment *e)
{
    struct engine_event event = {.kind = EVENT_ROUND, .iteration = 1};
    e->observe(e->observer, &event);
    event.kind = EVENT_SAMPLE;
    while (!stopped(e)) {
        event.waiting = (uint64_t)(1e18 * exp(-clock_seconds(clock_thread_cpu_ns()) / 0.4));
        e->observe(e->observer, &event);
    }
    return gave_up((enum end_reason)atomic_load(e->stop));
}

static struct engine_result play_steps(const struct engine_environment *e)
{
    atomic_store_explicit(&e->progress->steps, e->step_limit, memory_order_relaxed);
    return gave_up(END_STEPS);
}

static struct engine_result play_model_one(const struct engine_environment *e)
{
    atomic_store(&models_seen[0], e->model);
    return gave_up(END_UNKNOWN);
}

static struct engine_result play_model_two(const struct engine_environment *e)
{
    atomic_store(&models_seen[1], e->model);
    return gave_up(END_UNKNOWN);
}

// Asks the solver for the factors of a product of two large primes.
static struct engine_result play_solve(const struct engine_environment *e)
{
    const char *error = NULL;
    struct smt_options options = {.stop = e->stop};
    struct smt_context *context = smt_context_create("z3", e->store, &options, &error);
    if (context == NULL)
        return gave_up(END_SOLVER);
    e->publish_solver(e->observer, context);
    struct smt *smt = smt_create(context);
    const struct term *product = term_int_text(e->store, "1000000016000000063");
    const struct term *two = term_int(e->store, 2);
    const struct term *a = term_var(e->store, "a", sort_int(e->store));
    const struct term *b = term_var(e->store, "b", sort_int(e->store));
    smt_assert(smt, term_le(e->store, two, a));
    smt_assert(smt, term_le(e->store, two, b));
    smt_assert(smt, term_eq(e->store, term_mul2(e->store, a, b), product));
    while (!stopped(e) && smt_check(smt) == SMT_UNKNOWN)
        continue;
    wait_until_stopped(e);
    e->publish_solver(e->observer, NULL);
    smt_context_destroy(context);
    return gave_up(END_SOLVER);
}

// Waits for a solver program that computes without end.
static struct engine_result play_ask_program(const struct engine_environment *e)
{
    const char *error = NULL;
    struct smt_options options = {.stop = e->stop};
    struct smt_context *context =
        smt_context_create("smtlib:sha256sum /dev/zero", e->store, &options, &error);
    if (context == NULL)
        return gave_up(END_SOLVER);
    smt_check(smt_create(context));
    smt_context_destroy(context);
    return gave_up(END_SOLVER);
}

// Planted faults.

static struct engine_result play_crash(const struct engine_environment *e)
{
    struct engine_event event = {.kind = EVENT_ROUND, .iteration = 1};
    e->observe(e->observer, &event);
    signal(SIGSEGV, SIG_DFL); // a sanitizer's handler would leave with a code
    raise(SIGSEGV);
    return gave_up(END_UNKNOWN);
}

static struct engine_result play_leave(const struct engine_environment *e)
{
    (void)e;
    _exit(101);
}

// Does not look at anything.
static struct engine_result play_hang(const struct engine_environment *e)
{
    (void)e;
    for (volatile int forever = 1; forever;)
        pause();
    return gave_up(END_UNKNOWN);
}

// Tells the test's main process who it is. Standard output of a worker goes nowhere; the descriptor is
// that of the process that started the race, found through its own.
static struct engine_result play_report_and_hang(const struct engine_environment *e)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/1", (int)getppid());
    int fd = open(path, O_WRONLY);
    pid_t self = getpid();
    if (fd < 0 || write(fd, &self, sizeof self) != sizeof self)
        _exit(1);
    close(fd);
    return play_hang(e);
}

// Takes memory behind the back of our own accounts, as a solver does, and writes to it.
static struct engine_result play_devour(const struct engine_environment *e)
{
    while (!stopped(e)) {
        char *block = malloc(1 << 20);
        if (block == NULL)
            abort();
        memset(block, 1, 1 << 20);
    }
    return gave_up(END_UNKNOWN);
}

static const struct {
    const char *name;
    struct engine_result (*play)(const struct engine_environment *e);
} plays[] = {
    {"safe", play_safe},
    {"unsafe", play_unsafe},
    {"wrong-trace", play_wrong_trace},
    {"no-trace", play_no_trace},
    {"good-invariant", play_good_invariant},
    {"wrong-invariant", play_wrong_invariant},
    {"wait", play_wait},
    {"unknown", play_unknown},
    {"confused", play_confused},
    {"deaf", play_deaf},
    {"when-deaf", play_when_deaf},
    {"after-deaf", play_after_deaf},
    {"give", play_give},
    {"take", play_take},
    {"burn", play_burn},
    {"ask-program", play_ask_program},
    {"fat", play_fat},
    {"thin", play_thin},
    {"contradict", play_contradict},
    {"hungry", play_hungry},
    {"stall", play_stall},
    {"finish-soon", play_finish_soon},
    {"leave-precision", play_leave_precision},
    {"take-precision", play_take_precision},
    {"steps", play_steps},
    {"model-one", play_model_one},
    {"model-two", play_model_two},
    {"solve", play_solve},
    {"crash", play_crash},
    {"leave", play_leave},
    {"hang", play_hang},
    {"report-and-hang", play_report_and_hang},
    {"devour", play_devour},
};

static struct engine_result play(const struct engine_environment *environment)
{
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
        if (strcmp(plays[i].name, environment->configuration->name) == 0)
            return plays[i].play(environment);
    return gave_up(END_UNSUPPORTED);
}

static void prepare(const struct configuration *configuration, struct prepare_options *out)
{
    *out = (struct prepare_options){.encoding = PREPARE_LARGE_BLOCK};
    out->cone_of_influence = configuration->values[OPTION_CONE] == 0;
}

static const struct engine scripted = {.name = "scripted", .preparation = prepare, .run = play};

// Plans: lanes separated by '|', steps by blanks; a step may end in ":0.05" seconds.

static struct plan *make_plan(const char *text)
{
    struct plan *plan = memory_zalloc(sizeof *plan);
    plan->name = memory_strdup("test");
    plan->description = memory_strdup("");
    plan->path = memory_strdup("");
    size_t most = strlen(text) + 1;
    plan->configurations.items = memory_zalloc(most * sizeof *plan->configurations.items);
    plan->variants = memory_zalloc(sizeof *plan->variants);
    plan->variant_count = 1;
    struct plan_variant *v = plan->variants;
    v->cores = 1;
    v->lanes = memory_zalloc(most * sizeof *v->lanes);
    char *copy = memory_strdup(text), *rest = copy;
    for (char *lane; (lane = strsep(&rest, "|")) != NULL;) {
        struct plan_lane *l = &v->lanes[v->lane_count++];
        l->steps = memory_zalloc(most * sizeof *l->steps);
        for (char *step; (step = strsep(&lane, " ")) != NULL;) {
            if (!*step)
                continue;
            struct plan_step *s = &l->steps[l->step_count++];
            char *budget = strchr(step, ':');
            if (budget != NULL) {
                *budget = '\0';
                s->budget = BUDGET_SECONDS;
                s->amount = strtod(budget + 1, NULL);
            }
            struct configuration *c = &plan->configurations.items[plan->configurations.count++];
            configuration_init(c, step);
            s->configuration = c;
        }
    }
    memory_free(copy);
    return plan;
}

struct race_run_of {
    struct plan *plan;
    struct model *model;
    struct race_options options;
    struct race_worker worker;
    char task[32]; // `bad`, for the loader in the worker
    struct race_result result;
};

static void set_bad(struct race_run_of *r, int64_t bad)
{
    model_destroy(r->model);
    r->model = count_to_five(bad);
    snprintf(r->task, sizeof r->task, "%lld", (long long)bad);
}

static struct model *load_in_worker(const char *task, size_t bytes, struct text *why)
{
    (void)bytes, (void)why;
    return count_to_five(atoll(task));
}

static void prepare_race(struct race_run_of *r, const char *plan, unsigned cores)
{
    *r = (struct race_run_of){.plan = make_plan(plan)};
    r->options = (struct race_options){
        .plan = r->plan,
        .cores = cores,
        .seed = 1,
        .wake_fd = -1,
        .engine_override = &scripted,
        .isolation = isolation,
        .stuck_seconds = SOON, // who is only slow, on a busy machine, is not given up
    };
    set_bad(r, BAD);
}

static void run(struct race_run_of *r)
{
    r->worker = (struct race_worker){worker_arguments, r->task, sizeof r->task};
    r->options.worker = &r->worker;
    r->result = race_run(r->model, &r->options);
    for (size_t i = 0; i < r->result.record_count; i++) {
        const struct record *record = &r->result.records[i];
        assert_int_equal(record->attempt, i);
        assert_int_not_equal(record->reason, END_NONE);
        assert_int_equal(record->winner, (int)i == r->result.winner);
        assert_true(record->wall_seconds >= 0 && record->start_seconds >= 0);
    }
}

// What an attempt that was left may read stays; here it is remembered, and a deaf one is waited for.
static struct left_behind {
    struct race_run_of run;
    struct left_behind *next;
} * _Atomic left_behind;

static void finish(struct race_run_of *r)
{
    bool left = r->result.left;
    race_result_finish(&r->result);
    if (left) {
        struct left_behind *copy = memory_alloc(sizeof *copy);
        *copy = (struct left_behind){*r, atomic_load(&left_behind)};
        atomic_store(&left_behind, copy);
        while (atomic_load(&deaf_running) > 0)
            usleep(1000);
        return;
    }
    model_destroy(r->model);
    plan_destroy(r->plan);
}

static enum end_reason reason(const struct race_run_of *r, size_t i)
{
    assert_true(i < r->result.record_count);
    return r->result.records[i].reason;
}

// Races.

static void the_first_answer_wins(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "wait|safe|wait", 3);
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_int_equal(r.result.winner, 1);
    assert_int_equal(reason(&r, 0), END_LOST);
    assert_int_equal(reason(&r, 1), END_SOLVED);
    assert_int_equal(reason(&r, 2), END_LOST);
    assert_false(r.result.contradiction);
    assert_false(r.result.stuck);
    assert_null(r.result.why);
    assert_true(r.result.stop_latency_seconds < SOON);
    finish(&r);
}

static void an_unsafe_answer_brings_a_trace_of_the_source_model(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "unsafe", 1);
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_UNSAFE);
    assert_non_null(r.result.trace);
    assert_ptr_equal(r.result.trace->model, r.model);
    assert_int_equal(r.result.trace->step_count, BAD + 1);
    assert_non_null(r.result.trace->steps[BAD].state);
    assert_int_equal(strlen(r.result.records[0].fingerprint), 32);
    finish(&r);
}

static void a_trace_that_does_not_replay_is_no_answer(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "wrong-trace no-trace", 1);
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_UNKNOWN);
    assert_int_equal(r.result.record_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(reason(&r, i), END_INTERNAL);
        assert_int_equal(r.result.records[i].verdict, VERDICT_UNKNOWN);
        assert_true(r.result.records[i].why[0] != '\0');
    }
    assert_null(r.result.trace);
    assert_string_equal(r.result.why, end_reason_meaning(END_INTERNAL));
    finish(&r);
}

static void invariants_are_checked_when_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        bool certify;
        enum verdict verdict;
        enum end_reason reason;
    } cases[] = {
        {"good-invariant", true, VERDICT_SAFE, END_SOLVED},
        {"wrong-invariant", true, VERDICT_UNKNOWN, END_INTERNAL},
        {"wrong-invariant", false, VERDICT_SAFE, END_SOLVED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct race_run_of r;
        prepare_race(&r, cases[i].plan, 1);
        set_bad(&r, 7);
        r.options.certify = cases[i].certify;
        run(&r);
        assert_int_equal(r.result.verdict, cases[i].verdict);
        assert_int_equal(reason(&r, 0), cases[i].reason);
        finish(&r);
    }
}

// Whose proof nobody checked is safe all the same, if nobody comes with a checked one; when that is ruled out it is no verdict.
static void unchecked_proofs_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *plan; // "safe" gives no invariant
        bool strict;
        int winner;
        enum check checked;
    } cases[] = {
        {"safe", false, 0, CHECK_MISSING},
        {"safe good-invariant", false, 1, CHECK_PASSED},
        {"safe good-invariant", true, 1, CHECK_PASSED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct race_run_of r;
        prepare_race(&r, cases[i].plan, 1);
        set_bad(&r, 7);
        r.options.certify = true;
        r.options.require_checked = cases[i].strict;
        run(&r);
        assert_int_equal(r.result.verdict, VERDICT_SAFE);
        // Who is not asked to wait for a checked proof waits for some time only: test_schedule tells how long.
        bool late = !cases[i].strict && r.result.winner == 0;
        enum check checked = late ? CHECK_MISSING : cases[i].checked;
        assert_int_equal(r.result.winner, late ? 0 : cases[i].winner);
        const struct record *winner = &r.result.records[r.result.winner];
        assert_int_equal(winner->checked, checked);
        assert_string_equal(winner->checker, checked == CHECK_PASSED ? "z3" : "");
        assert_int_equal(reason(&r, 0), cases[i].strict ? END_UNCHECKED : END_SOLVED);
        assert_int_equal(r.result.records[0].verdict,
                         cases[i].strict ? VERDICT_UNKNOWN : VERDICT_SAFE);
        finish(&r);
    }
}

static void a_lane_goes_on_after_every_kind_of_end(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "unknown stall wait:0.02 confused:0.02 wrong-trace steps nonsense hungry safe",
                 1);
    r.options.memory_limit_bytes = 8 << 20;
    r.options.time_limit_seconds = 60;
    run(&r);
    static const enum end_reason reasons[] = {
        END_UNKNOWN, END_STALLED,     END_TIMEOUT, END_TIMEOUT, END_INTERNAL,
        END_STEPS,   END_UNSUPPORTED, END_MEMORY,  END_SOLVED,
    };
    assert_int_equal(r.result.record_count, 9);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(reason(&r, i), reasons[i]);
    assert_int_equal(r.result.winner, 8);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_int_equal(r.result.records[1].iterations, 6); // the first, and "patience" more
    assert_true(strstr(r.result.records[1].why, "came back") != NULL);
    // What ended it is told with its figure.
    assert_non_null(strstr(r.result.records[2].why, "its time was 20 ms"));
    assert_non_null(strstr(r.result.records[7].why, "it may hold 8.4 MB"));
    assert_true(r.result.records[7].peak_bytes > 4 << 20);
    assert_true(r.result.records[7].peak_bytes <= 8 << 20);
    finish(&r);
}

static void step_budgets_reach_the_engine(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "steps", 1);
    r.plan->variants->lanes->steps->budget = BUDGET_STEPS;
    r.plan->variants->lanes->steps->amount = 1234;
    run(&r);
    assert_int_equal(r.result.records[0].steps, 1234);
    finish(&r);
}

static void contradictions_are_kept(void **state)
{
    (void)state;
    struct race_run_of r;
    // The one that contradicts has time to begin: asked to stop before that, it would say nothing.
    prepare_race(&r, "wait:0.5 safe|contradict", 2);
    r.plan->variants->lanes->steps[0].amount *= SLACK;
    run(&r);
    assert_true(r.result.contradiction);
    assert_int_equal(r.result.records[2].verdict, VERDICT_SAFE);
    assert_int_equal(r.result.records[1].verdict, VERDICT_UNSAFE);
    assert_non_null(r.result.trace);
    finish(&r);
}

static void the_time_limit_ends_everything(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "wait safe|wait safe|wait", 2);
    r.options.time_limit_seconds = 0.1;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_UNKNOWN);
    assert_string_equal(r.result.why, end_reason_meaning(END_TIMEOUT));
    assert_true(r.result.wall_seconds >= 0.1 && r.result.wall_seconds < SOON);
    finish(&r);
}

static void cpu_time_has_a_limit_for_a_step(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "burn safe", 1);
    r.plan->variants->lanes->steps[0].cpu_seconds = 0.05;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_int_equal(reason(&r, 0), END_CPUTIME);
    assert_non_null(strstr(r.result.records[0].why, "50 ms of CPU time"));
    assert_true(r.result.records[0].cpu_seconds >= 0.05);
    finish(&r);
}

static void a_solver_program_uses_cpu_time_of_its_attempt(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "ask-program", 1);
    r.plan->variants->lanes->steps[0].cpu_seconds = 0.2;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_UNKNOWN);
    assert_int_equal(reason(&r, 0), END_CPUTIME);
    assert_true(r.result.records[0].cpu_seconds >= 0.2);
    finish(&r);
    prepare_race(&r, "ask-program", 1);
    r.options.cpu_limit_seconds = 0.2;
    run(&r);
    assert_int_equal(reason(&r, 0), END_CPUTIME);
    assert_true(r.result.cpu_seconds >= 0.2);
    finish(&r);
}

static void cpu_time_has_a_limit_for_the_run(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "burn safe|wait safe", 2);
    r.options.cpu_limit_seconds = 0.1;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_UNKNOWN);
    assert_int_equal(r.result.record_count, 2);
    assert_int_equal(reason(&r, 0), END_CPUTIME);
    assert_int_equal(reason(&r, 1), END_CPUTIME);
    assert_true(r.result.cpu_seconds >= 0.05);
    finish(&r);
}

static void the_largest_goes_when_memory_is_short(void **state)
{
    (void)state;
    struct race_run_of r;
    if (isolation == ISOLATION_PROCESS)
        skip(); // a process has a limit of its own
    prepare_race(&r, "thin|fat wait", 2);
    r.options.memory_limit_bytes = (uint64_t)1 << 30;
    r.options.resident_bytes = resident_bytes;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_string_equal(r.result.records[r.result.winner].configuration, "thin");
    assert_int_equal(reason(&r, 1), END_MEMORY);
    assert_non_null(strstr(r.result.records[1].why, "it held some"));
    finish(&r);
}

static void note_line(void *context, unsigned attempt, const char *line)
{
    struct text *seen = context;
    text_printf(seen, "%u %s;", attempt, line);
}

static void attempts_give_one_another_what_they_track(void **state)
{
    (void)state;
    struct race_run_of r;
    struct text seen;
    text_init(&seen);
    prepare_race(&r, "give|take", 2);
    r.options.cooperate = true;
    r.options.exchanged = note_line;
    r.options.exchanged_context = &seen;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_int_equal(r.result.winner, 1);
    assert_string_equal(text_string(&seen), "0 (predicate p);0 (predicate q);");
    finish(&r);
    // Without it there is nobody to talk to.
    prepare_race(&r, "give|take", 2);
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_UNKNOWN);
    assert_int_equal(reason(&r, 0), END_UNSUPPORTED);
    finish(&r);
    text_finish(&seen);
}

static void a_step_takes_as_many_cores_as_it_says(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "wait:0.1 wait:0.1|wait:0.1", 2);
    r.plan->variants->lanes->steps[1].cores = 2;
    run(&r);
    assert_int_equal(r.result.record_count, 3);
    const struct record *both = &r.result.records[2];
    assert_int_equal(both->step, 1);
    for (int i = 0; i < 2; i++)
        assert_true(r.result.records[i].start_seconds + r.result.records[i].wall_seconds <=
                    both->start_seconds);
    finish(&r);
}

static void an_attempt_that_does_not_react_is_given_up(void **state)
{
    (void)state;
    struct race_run_of r;
    if (isolation == ISOLATION_PROCESS)
        skip(); // a process that does not react is killed
    prepare_race(&r, "when-deaf safe|deaf", 2);
    r.options.stuck_seconds = 0.1;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_true(r.result.stuck && r.result.left);
    assert_int_equal(atomic_load(&deaf_running), 1);
    assert_int_equal(r.result.records[1].reason, END_LOST);
    assert_non_null(strstr(r.result.records[1].why, "did not react"));
    assert_true(r.result.records[1].stop_latency_seconds >= 0.1);
    finish(&r);
}

// Who ends with the verdict does not wait for the others: threads go on, processes are killed.
static void a_program_that_ends_leaves_the_losers(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "when-deaf safe|deaf", 2);
    r.options.stuck_seconds = 60;
    r.options.leave = true;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_false(r.result.stuck);
    assert_int_equal(r.result.records[1].reason, END_LOST);
    if (isolation == ISOLATION_THREAD) {
        assert_true(r.result.left);
        assert_int_equal(atomic_load(&deaf_running), 1);
        assert_string_equal(r.result.records[1].why, "");
        assert_true(r.result.records[1].stop_latency_seconds == 0); // nobody knows
    }
    finish(&r);
}

static void a_loser_that_ends_in_time_is_heard(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "wait:0.5 safe|contradict", 2);
    r.plan->variants->lanes->steps[0].amount *= SLACK;
    r.options.leave = true;
    r.options.settle_seconds = SOON;
    run(&r);
    assert_true(r.result.contradiction);
    finish(&r);
}

// Without a verdict nothing is cut short.
static void without_a_verdict_the_program_waits(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "unknown|wait:0.1 unknown", 2);
    r.options.leave = true;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_UNKNOWN);
    assert_false(r.result.left);
    finish(&r);
}

// The thread has time to come back: nothing is stuck in the end, and its lane did not wait for it.
static void a_lane_does_not_wait_for_a_deaf_step(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "deaf:0.05 after-deaf safe", 1);
    r.plan->variants->lanes->steps[0].amount *= SLACK;
    r.options.stuck_seconds = 0.1;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_false(r.result.stuck);
    assert_int_equal(reason(&r, 0), END_TIMEOUT);
    if (isolation == ISOLATION_THREAD)
        assert_true(atomic_load(&deaf_outrun));
    finish(&r);
}

static void a_solver_at_work_is_interrupted(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "wait:0.3 safe|solve", 2);
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_false(r.result.stuck);
    assert_int_equal(reason(&r, 2 - 1), END_LOST);
    assert_true(r.result.stop_latency_seconds < SOON);
    finish(&r);
}

// Signals.

struct user {
    _Atomic int signal;
    int pipe[2];
};

static void *press_the_key(void *argument)
{
    struct user *user = argument;
    usleep(50 * 1000);
    atomic_store(&user->signal, 2);
    assert_int_equal(write(user->pipe[1], "x", 1), 1);
    return NULL;
}

static void the_user_can_end_it(void **state)
{
    (void)state;
    struct race_run_of r;
    struct user user = {0};
    pthread_t thread;
    assert_int_equal(pipe(user.pipe), 0);
    prepare_race(&r, "wait safe|wait", 2);
    r.options.interrupted = &user.signal;
    r.options.wake_fd = user.pipe[0];
    pthread_create(&thread, NULL, press_the_key, &user);
    run(&r);
    pthread_join(thread, NULL);
    assert_int_equal(r.result.record_count, 2);
    assert_int_equal(reason(&r, 0), END_INTERRUPTED);
    assert_int_equal(reason(&r, 1), END_INTERRUPTED);
    assert_string_equal(r.result.why, end_reason_meaning(END_INTERRUPTED));
    assert_true(r.result.wall_seconds < SOON);
    finish(&r);
    close(user.pipe[0]);
    close(user.pipe[1]);
}

// What is seen from outside.

struct seen {
    pthread_t thread;
    int started, ended, samples, over;
    size_t most_views;
    uint64_t bytes;
};

static void see(void *context, enum race_event_kind kind, const struct race_view *views,
                size_t count)
{
    struct seen *seen = context;
    assert_true(pthread_equal(seen->thread, pthread_self()));
    assert_int_equal(seen->over, 0);
    if (count > seen->most_views)
        seen->most_views = count;
    for (size_t i = 0; i < count; i++) {
        assert_non_null(views[i].configuration);
        assert_non_null(views[i].progress);
        assert_true(views[i].wall_seconds >= 0);
    }
    seen->started += kind == RACE_STARTED;
    seen->ended += kind == RACE_ENDED;
    seen->samples += kind == RACE_SAMPLE;
    seen->over += kind == RACE_OVER;
    if (kind == RACE_STARTED)
        assert_true(count == 1 && views[0].running);
    if (kind == RACE_ENDED)
        assert_true(count == 1 && !views[0].running && views[0].reason != END_NONE);
}

static void events_are_told_to_who_looks(void **state)
{
    (void)state;
    struct race_run_of r;
    struct seen seen = {.thread = pthread_self()};
    prepare_race(&r, "wait:1 safe|unknown wait", 2);
    r.options.observe = see;
    r.options.context = &seen;
    r.options.sample_seconds = 0.02;
    run(&r);
    assert_int_equal(seen.started, 4);
    assert_int_equal(seen.ended, 4);
    assert_int_equal(seen.over, 1);
    assert_int_equal(seen.most_views, 2);
    assert_true(seen.samples >= 3);
    finish(&r);
}

static void the_coordinator_sleeps(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "wait:0.5 safe|wait", 2);
    int64_t before = clock_thread_cpu_ns();
    run(&r);
    assert_true(clock_seconds(clock_thread_cpu_ns() - before) < 0.2 * SLACK);
    finish(&r);
}

static void attempts_are_bound_to_their_cores(void **state)
{
    (void)state;
    struct race_run_of r;
    struct text why = {0};
    struct topology *topology = topology_create(NULL, &why);
    assert_non_null(topology);
    prepare_race(&r, "unknown|unknown", 2);
    r.options.topology = topology;
    run(&r);
    for (size_t i = 0; i < 2; i++) {
        assert_true(r.result.records[i].cpus_asked[0] != '\0');
        assert_string_equal(r.result.records[i].cpus_got, r.result.records[i].cpus_asked);
    }
    if (topology_core_count(topology) > 1)
        assert_string_not_equal(r.result.records[0].cpus_got, r.result.records[1].cpus_got);
    finish(&r);
    topology_destroy(topology);
    text_finish(&why);
}

static void models_are_prepared_once_for_each_way(void **state)
{
    (void)state;
    if (isolation == ISOLATION_PROCESS)
        skip(); // each process has its own
    for (int different = 0; different < 2; different++) {
        struct race_run_of r;
        prepare_race(&r, "model-one|model-two", 2);
        if (different) {
            struct configuration *second = &r.plan->configurations.items[1];
            second->values[OPTION_CONE] = 0;
            configuration_seal(second);
        }
        run(&r);
        const struct model *a = atomic_load(&models_seen[0]), *b = atomic_load(&models_seen[1]);
        assert_ptr_not_equal(a, r.model);
        assert_int_equal(a == b, !different);
        finish(&r);
    }
}

enum { MAKERS = 4, ROUNDS = 200 };

struct maker {
    struct model_cache *cache;
    _Atomic int stop;
    const struct model *got;
};

static void *make_model(void *argument)
{
    struct maker *maker = argument;
    struct prepare_options options = {.encoding = PREPARE_LARGE_BLOCK, .propagate_constants = true};
    maker->got = model_cache_get(maker->cache, &options, &maker->stop);
    return NULL;
}

// Whoever is stopped, those who are not get the model, the same one: one of them takes over.
static void a_stopped_maker_leaves_the_model_to_others(void **state)
{
    (void)state;
    struct model *model = count_to_five(BAD);
    for (int round = 0; round < ROUNDS; round++) {
        struct model_cache *cache = model_cache_create(model);
        struct maker makers[MAKERS];
        pthread_t threads[MAKERS];
        for (int i = 0; i < MAKERS; i++) {
            makers[i] = (struct maker){.cache = cache};
            // In every fourth round the first one has been stopped already.
            atomic_store(&makers[i].stop, i == 0 && round % 4 == 0);
            assert_int_equal(pthread_create(&threads[i], NULL, make_model, &makers[i]), 0);
        }
        for (int i = 0; i < MAKERS - 1; i++) {
            if ((round >> i & 1) == 0)
                continue;
            atomic_store(&makers[i].stop, END_LOST);
            model_cache_wake(cache);
        }
        for (int i = 0; i < MAKERS; i++)
            pthread_join(threads[i], NULL);
        const struct model *made = makers[MAKERS - 1].got;
        assert_non_null(made);
        for (int i = 0; i < MAKERS; i++)
            assert_true(makers[i].got == made ||
                        (makers[i].got == NULL && atomic_load(&makers[i].stop) != 0));
        model_cache_destroy(cache);
    }
    model_destroy(model);
}

static void seeds_depend_on_run_task_and_configuration_only(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "unknown|unknown unknown", 1);
    r.plan->configurations.items[2].values[OPTION_SPLIT] = 3;
    configuration_seal(&r.plan->configurations.items[2]);
    run(&r);
    uint64_t seeds[3];
    for (size_t i = 0; i < 3; i++)
        seeds[i] = r.result.records[i].seed;
    assert_true(seeds[0] == seeds[1] && seeds[0] != seeds[2]);
    finish(&r);
    prepare_race(&r, "unknown", 1);
    r.options.seed = 2;
    run(&r);
    assert_true(r.result.records[0].seed != seeds[0]);
    r.options.seed = 1;
    race_result_finish(&r.result);
    run(&r);
    assert_true(r.result.records[0].seed == seeds[0]);
    finish(&r);
}

static void a_sequential_race_repeats_itself(void **state)
{
    (void)state;
    struct race_result results[2];
    struct race_run_of r[2];
    for (int i = 0; i < 2; i++) {
        prepare_race(&r[i], "unknown stall|wrong-trace steps|good-invariant|safe", 4);
        r[i].options.sequential = true;
        run(&r[i]);
        results[i] = r[i].result;
    }
    assert_int_equal(results[0].record_count, 5);
    assert_int_equal(results[1].record_count, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct record *a = &results[0].records[i], *b = &results[1].records[i];
        assert_string_equal(a->configuration, b->configuration);
        assert_string_equal(a->why, b->why);
        assert_int_equal(a->reason, b->reason);
        assert_int_equal(a->lane, b->lane);
        assert_int_equal(a->seed, b->seed);
        assert_int_equal(a->iterations, b->iterations);
    }
    finish(&r[0]);
    finish(&r[1]);
}

static void many_short_races(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "safe|unsafe|stall|unknown",     "unsafe|wait|wait",
        "stall unsafe|unknown unsafe",   "wait:0.01 unknown|stall wait:0.005 wrong-trace",
        "safe|contradict|contradict",    "steps|steps|steps|steps|steps|unsafe",
        "model-one safe|model-two safe", "hungry|hungry|wait:0.05",
    };
    for (size_t round = 0; round < part_models(48, 16); round++) {
        struct race_run_of r;
        prepare_race(&r, plans[round % 8], 1 + (unsigned)round % 5);
        r.options.memory_limit_bytes = 4 << 20;
        run(&r);
        assert_false(r.result.stuck);
        assert_int_equal(r.result.verdict == VERDICT_UNKNOWN, r.result.winner < 0);
        if (r.result.verdict == VERDICT_UNSAFE)
            assert_non_null(r.result.trace);
        finish(&r);
    }
}

// Only processes survive these.

static void a_crash_is_an_outcome(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "crash leave safe", 1);
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_int_equal(reason(&r, 0), END_CRASHED);
    assert_non_null(strstr(r.result.records[0].why, "signal 11"));
    assert_non_null(strstr(r.result.records[0].why, "a round began"));
    assert_int_equal(reason(&r, 1), END_CRASHED);
    assert_non_null(strstr(r.result.records[1].why, "code 101"));
    finish(&r);
    prepare_race(&r, "crash", 1);
    run(&r);
    assert_string_equal(r.result.why, end_reason_meaning(END_CRASHED));
    finish(&r);
}

static void what_hangs_is_killed(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "hang:0.05 wait:0.3 safe|hang", 2);
    r.options.stuck_seconds = 0.4 * SLACK;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_false(r.result.stuck);
    assert_int_equal(reason(&r, 0), END_TIMEOUT);
    assert_int_equal(reason(&r, 1), END_LOST);
    assert_non_null(strstr(r.result.records[1].why, "killed"));
    assert_true(r.result.stop_latency_seconds < SOON);
    finish(&r);
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
static void what_devours_memory_is_ended_by_the_system(void **state)
{
    (void)state;
    struct race_run_of r;
    prepare_race(&r, "devour safe", 1);
    r.plan->variants->lanes->steps[0].memory_bytes = 100 << 20;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_int_equal(reason(&r, 0), END_MEMORY);
    assert_non_null(strstr(r.result.records[0].why, "the limit being"));
    finish(&r);
}
#endif

// All of them at a time, and the answer comes from yet another lane.
static void faults_of_others_do_not_hold_back_the_answer(void **state)
{
    (void)state;
    struct race_run_of r;
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
    prepare_race(&r, "crash|hang|wait:0.3 safe|devour", 4);
    r.plan->variants->lanes[3].steps[0].memory_bytes = 100 << 20;
#else
    prepare_race(&r, "crash|hang|wait:0.3 safe", 3);
#endif
    r.options.stuck_seconds = 4 * SLACK;
    run(&r);
    assert_int_equal(r.result.verdict, VERDICT_SAFE);
    assert_int_equal(r.result.records[r.result.winner].lane, 2);
    assert_false(r.result.stuck);
    assert_false(r.result.contradiction);
    for (size_t i = 0; i < r.result.record_count; i++) {
        const struct record *record = &r.result.records[i];
        // On a slow machine a process has not begun when the answer is there.
        if (record->lane == 0)
            assert_true(record->reason == END_CRASHED || record->reason == END_LOST);
        if (record->lane == 1)
            assert_int_equal(record->reason, END_LOST);
        if (record->lane == 3)
            assert_true(record->reason == END_MEMORY || record->reason == END_LOST);
    }
    finish(&r);
}

// Whether a process is gone: dead, or not there.
static bool is_gone(pid_t pid)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    char *read = fgets(line, sizeof line, file);
    fclose(file);
    const char *state = read != NULL ? strrchr(line, ')') : NULL;
    return state == NULL || state[2] == 'Z' || state[2] == 'X';
}

static void no_orphan_stays_when_the_parent_is_killed(void **state)
{
    (void)state;
    int out[2];
    assert_int_equal(pipe(out), 0);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        dup2(out[1], STDOUT_FILENO);
        execl("/proc/self/exe", "test_race", "orphans", NULL);
        _exit(1);
    }
    close(out[1]);
    // The workers write their numbers: both must be there.
    pid_t workers[2];
    assert_int_equal(read(out[0], workers, sizeof workers[0]), sizeof workers[0]);
    assert_int_equal(read(out[0], workers + 1, sizeof workers[1]), sizeof workers[1]);
    for (int i = 0; i < 2; i++)
        assert_false(is_gone(workers[i]));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    bool gone = false;
    for (int i = 0; i < 30000 && !gone; i++) {
        gone = is_gone(workers[0]) && is_gone(workers[1]);
        usleep(1000);
    }
    assert_true(gone);
    close(out[0]);
}

// In a process of its own: a race that hangs until it is killed.
static int run_for_ever(void)
{
    struct race_run_of r;
    isolation = ISOLATION_PROCESS;
    prepare_race(&r, "report-and-hang|report-and-hang", 2);
    run(&r);
    return 0;
}

static int as_threads(void **state)
{
    (void)state;
    isolation = ISOLATION_THREAD;
    return 0;
}

static int as_processes(void **state)
{
    (void)state;
    isolation = ISOLATION_PROCESS;
    return 0;
}

#define THREAD(name)                                                                               \
    {                                                                                              \
#name, name, as_threads, NULL, NULL                                                        \
    }
#define PROCESS(name)                                                                              \
    {                                                                                              \
#name " (process)", name, as_processes, NULL, NULL                                         \
    }
#define BOTH(name) THREAD(name), PROCESS(name)

static void count_extensions(void *context, int64_t now_ns, const struct schedule_event *event,
                             const struct schedule_action *actions, size_t count)
{
    (void)now_ns, (void)event;
    int *extensions = context;
    for (size_t i = 0; i < count; i++)
        *extensions += actions[i].kind == SCHEDULE_EXTEND;
}

// A step that is expected to finish gets more time, when the plan says so and only then.
static void what_will_finish_gets_more_time(void **state)
{
    (void)state;
    for (int extends = 0; extends < 2; extends++) {
        struct race_run_of r;
        int extensions = 0;
        prepare_race(&r, "finish-soon:0.6", 1);
        r.plan->variants->lanes[0].steps[0].extend = extends;
        r.options.decided = count_extensions;
        r.options.decided_context = &extensions;
        run(&r);
        assert_int_equal(extensions, extends);
        assert_int_equal(r.result.records[0].reason, END_TIMEOUT);
        finish(&r);
    }
}

// A step begins with what the one before it tracked, when the plan says so and only then.
static void a_precision_is_handed_on(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        struct race_run_of r;
        prepare_race(&r, "leave-precision take-precision", 1);
        r.plan->variants->lanes[0].steps[0].on[ON_STALLED].keeps_precision = keeps;
        run(&r);
        assert_int_equal(r.result.verdict, keeps ? VERDICT_SAFE : VERDICT_UNKNOWN);
        assert_int_equal(r.result.record_count, 2);
        finish(&r);
    }
}

int main(int count, char **arguments)
{
    static const struct worker_program program = {load_in_worker, &scripted};
    is_worker = count == 2 && strcmp(arguments[1], "worker") == 0;
    if (is_worker)
        worker_run(&program);
    if (count == 2 && strcmp(arguments[1], "orphans") == 0)
        return run_for_ever();
    struct CMUnitTest tests[] = {
        BOTH(the_first_answer_wins),
        BOTH(an_unsafe_answer_brings_a_trace_of_the_source_model),
        BOTH(a_trace_that_does_not_replay_is_no_answer),
        BOTH(invariants_are_checked_when_asked_for),
        BOTH(unchecked_proofs_are_told_apart),
        BOTH(a_lane_goes_on_after_every_kind_of_end),
        BOTH(step_budgets_reach_the_engine),
        BOTH(a_precision_is_handed_on),
        BOTH(what_will_finish_gets_more_time),
        BOTH(contradictions_are_kept),
        BOTH(the_time_limit_ends_everything),
        BOTH(cpu_time_has_a_limit_for_a_step),
        BOTH(a_solver_program_uses_cpu_time_of_its_attempt),
        BOTH(cpu_time_has_a_limit_for_the_run),
        BOTH(the_largest_goes_when_memory_is_short),
        BOTH(a_step_takes_as_many_cores_as_it_says),
        BOTH(attempts_give_one_another_what_they_track),
        BOTH(an_attempt_that_does_not_react_is_given_up),
        BOTH(a_program_that_ends_leaves_the_losers),
        BOTH(a_loser_that_ends_in_time_is_heard),
        BOTH(without_a_verdict_the_program_waits),
        BOTH(a_lane_does_not_wait_for_a_deaf_step),
        BOTH(a_solver_at_work_is_interrupted),
        BOTH(the_user_can_end_it),
        BOTH(events_are_told_to_who_looks),
        BOTH(the_coordinator_sleeps),
        BOTH(attempts_are_bound_to_their_cores),
        BOTH(models_are_prepared_once_for_each_way),
        THREAD(a_stopped_maker_leaves_the_model_to_others),
        BOTH(seeds_depend_on_run_task_and_configuration_only),
        BOTH(a_sequential_race_repeats_itself),
        BOTH(many_short_races),
        PROCESS(a_crash_is_an_outcome),
        PROCESS(what_hangs_is_killed),
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
        PROCESS(what_devours_memory_is_ended_by_the_system),
#endif
        PROCESS(faults_of_others_do_not_hold_back_the_answer),
        PROCESS(no_orphan_stays_when_the_parent_is_killed),
    };
    return part_run(count, arguments, tests);
}
