#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/program.h"
#include "logic/smt/smt.h"

// Solvers as processes: levels, cores, stopping, and programs that misbehave.

struct fixture {
    struct term_store *store;
    struct smt_context *context;
    struct smt *smt;
    _Atomic int stop;
};

static bool open_solver(struct fixture *f, const char *command)
{
    const char *error = NULL;
    struct smt_options options = {.stop = &f->stop};
    f->context = smt_context_create(command, f->store, &options, &error);
    if (f->context == NULL)
        return false;
    f->smt = smt_create(f->context);
    return true;
}

static int setup(void **state)
{
    struct fixture *f = memory_zalloc(sizeof *f);
    f->store = term_store_create(NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    smt_context_destroy(f->context);
    term_store_destroy(f->store);
    memory_free(f);
    return 0;
}

static void need_solver(struct fixture *f)
{
    if (!open_solver(f, "cvc5") && !open_solver(f, "smtlib:z3 -in"))
        skip();
}

static void levels_models_and_cores(void **state)
{
    struct fixture *f = *state;
    need_solver(f);
    struct term_store *s = f->store;
    const struct term *x = term_var(s, "x", sort_int(s)), *five = term_int(s, 5);
    const struct term *p = term_var(s, "p", sort_bool(s)), *q = term_var(s, "q r", sort_bool(s));
    smt_assert(f->smt, term_lt(s, five, x));
    smt_push(f->smt);
    smt_assert(f->smt, term_implies(s, p, term_lt(s, x, five)));
    assert_int_equal(smt_check(f->smt), SMT_SAT);
    assert_true(term_compare_values(smt_model_value(f->smt, x), five) > 0);
    const struct term *assumptions[] = {term_not(s, q), p};
    assert_int_equal(smt_check_assuming(f->smt, assumptions, 2), SMT_UNSAT);
    struct term_vector core = {0};
    assert_true(smt_unsat_core(f->smt, &core));
    assert_int_equal(core.count, 1);
    assert_ptr_equal(core.data[0], p);
    VECTOR_FINISH(&core);
    smt_assert(f->smt, p);
    assert_int_equal(smt_check(f->smt), SMT_UNSAT);
    smt_pop(f->smt, 1);
    assert_int_equal(smt_check_assuming(f->smt, &p, 1), SMT_SAT);
    smt_reset(f->smt);
    smt_assert(f->smt, term_lt(s, x, five));
    assert_int_equal(smt_check(f->smt), SMT_SAT);
    assert_true(term_compare_values(smt_model_value(f->smt, x), five) < 0);
}

// More solvers than processes: they lend to one another and lose nothing.
static void many_solvers_share_few_processes(void **state)
{
    struct fixture *f = *state;
    need_solver(f);
    struct term_store *s = f->store;
    const struct term *x = term_var(s, "x", sort_int(s));
    struct smt *all[20];
    for (int i = 0; i < 20; i++) {
        all[i] = smt_create(f->context);
        smt_assert(all[i], term_lt(s, term_int(s, i), x));
        smt_push(all[i]);
        smt_assert(all[i], term_lt(s, x, term_int(s, i + 2)));
        assert_int_equal(smt_check(all[i]), SMT_SAT);
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(smt_check(all[i]), SMT_SAT);
        assert_ptr_equal(smt_model_value(all[i], x), term_int(s, i + 1));
        smt_assert(all[i], term_lt(s, x, term_int(s, i + 1)));
        assert_int_equal(smt_check(all[i]), SMT_UNSAT);
        smt_pop(all[i], 1);
    }
    for (int i = 0; i < 20; i++)
        assert_int_equal(smt_check(all[i]), SMT_SAT);
}

// The processes of a name that this one has started and not ended.
static size_t children(const char *name, pid_t *newest)
{
    char path[64], line[512], program[64];
    size_t count = 0;
    DIR *folder = opendir("/proc");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int pid = atoi(entry->d_name), parent = 0;
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *file = pid > 0 ? fopen(path, "re") : NULL;
        if (file == NULL)
            continue;
        if (fgets(line, sizeof line, file) != NULL &&
            sscanf(line, "%*d (%63[^)]) %*c %d", program, &parent) == 2 && parent == getpid() &&
            strcmp(program, name) == 0) {
            *newest = pid;
            count++;
        }
        fclose(file);
    }
    closedir(folder);
    return count;
}

static void check_of_a_variable(struct fixture *f, const char *name, const struct sort *sort,
                                struct smt_options options, const char *solver)
{
    const char *error = NULL;
    f->context = smt_context_create(solver, f->store, &options, &error);
    assert_non_null(f->context);
    struct smt *smt = smt_create(f->context);
    const struct term *x = term_var(f->store, name, sort);
    smt_push(smt);
    smt_assert(smt, sort->kind == SORT_BOOL ? x : term_lt(f->store, term_int(f->store, 3), x));
    assert_int_equal(smt_check(smt), SMT_SAT);
    smt_context_destroy(f->context);
    f->context = NULL;
}

// The next context takes it over and hears nothing of what it was told before, not even a limit; one that a check was
// taken from is ended.
static void a_program_waits_for_the_next_context(void **state)
{
    static const char *const solvers[] = {"cvc5", "smtlib:z3 -in"}, *const names[] = {"cvc5", "z3"};
    struct fixture *f = *state;
    struct term_store *s = f->store;
    const struct smt_options plain = {.seed = 1}, limited = {.seed = 2, .step_limit = 10000000};
    for (size_t i = 0; i < 2; i++) {
        pid_t first = 0, later = 0;
        if (!open_solver(f, solvers[i]))
            continue;
        smt_context_destroy(f->context);
        smt_end_programs();
        check_of_a_variable(f, "x", sort_int(s), limited, solvers[i]);
        assert_int_equal(children(names[i], &first), 1);
        check_of_a_variable(f, "x", sort_bool(s), plain, solvers[i]);
        check_of_a_variable(f, "x", sort_int(s), plain, solvers[i]);
        assert_int_equal(children(names[i], &later), 1);
        assert_int_equal(first, later);
        // Died while it waited: nobody notices.
        kill(first, SIGKILL);
        check_of_a_variable(f, "x", sort_int(s), plain, solvers[i]);
        assert_int_equal(children(names[i], &later), 1);
        assert_int_not_equal(first, later);
        smt_end_programs();
        assert_int_equal(children(names[i], &later), 0);
    }
    f->context = NULL;
}

// Names that mean something to a program are names all the same.
static void variables_may_be_called_like_commands(void **state)
{
    static const char *const solvers[] = {"cvc5", "smtlib:z3 -in"};
    static const char *const names[] = {"reset", "push", "exit", "simplify", "exp",
                                        "fp",    "RNE",  "sep",  "tuple",    "let"};
    struct fixture *f = *state;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names && open_solver(f, solvers[i]); k++) {
            smt_context_destroy(f->context);
            check_of_a_variable(f, names[k], sort_int(f->store), (struct smt_options){0},
                                solvers[i]);
        }
    f->context = NULL;
}

static struct smt *started_on_a_thread;

static void *check_once(void *argument)
{
    struct fixture *f = argument;
    smt_assert(started_on_a_thread, term_var(f->store, "p", sort_bool(f->store)));
    assert_int_equal(smt_check(started_on_a_thread), SMT_SAT);
    return NULL;
}

// A program outlives the thread that began with it: its solver goes on.
static void a_program_outlives_a_thread(void **state)
{
    struct fixture *f = *state;
    pthread_t thread;
    need_solver(f);
    started_on_a_thread = f->smt;
    assert_int_equal(pthread_create(&thread, NULL, check_once, f), 0);
    pthread_join(thread, NULL);
    struct term_store *s = f->store;
    smt_assert(f->smt, term_not(s, term_var(s, "p", sort_bool(s))));
    assert_int_equal(smt_check(f->smt), SMT_UNSAT);
}

static void *stop_soon(void *argument)
{
    struct fixture *f = argument;
    nanosleep(&(struct timespec){0, 200 * 1000 * 1000}, NULL);
    atomic_store(&f->stop, 1);
    smt_interrupt(f->context);
    return NULL;
}

// What a program computes for a thread is counted where that thread says, while it waits.
static void cpu_time_of_a_program_is_counted(void **state)
{
    struct fixture *f = *state;
    _Atomic int64_t cpu_ns = 0;
    pthread_t thread;
    assert_true(open_solver(f, "smtlib:sha256sum /dev/zero"));
    program_count_cpu_in(&cpu_ns);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, f), 0);
    assert_int_equal(smt_check(f->smt), SMT_UNKNOWN);
    pthread_join(thread, NULL);
    program_count_cpu_in(NULL);
    assert_true(atomic_load(&cpu_ns) > 0);
}

// A program that cannot be a solver is found out soon, and what is said of it is a line for people with its own words.
static void programs_that_misbehave(void **state)
{
    static const struct {
        const char *command, *words;
    } cases[] = {
        {"smtlib:true", "true ended with code 0"},
        {"smtlib:false", "false ended with code 1"},
        {"smtlib:ls /no/such\001file", "file ended with code 2: ls: "}, // its standard error
        {"smtlib:echo sat", "echo sat ended with code 0: sat"},
        {"smtlib:yes", "yes: it says more than it was asked: y y y"},
        {"smtlib:yes unsat", "it says more than it was asked: unsat unsat"},
        {"smtlib:yes ))", "it says more than it was asked"},
        {"smtlib:yes (", "its answer has no end: ( ("},
        {"smtlib:yes ;", "its answer has no end"},
        {"smtlib:cat", "cat: it says what it was told"},
        {"smtlib:cat /dev/zero", "what it says is no text"},
    };
    struct fixture *f = *state;
    struct term_store *s = f->store;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(open_solver(f, cases[i].command));
        smt_assert(f->smt, term_var(s, "p", sort_bool(s)));
        assert_int_equal(smt_check(f->smt), SMT_UNKNOWN);
        assert_int_equal(smt_reason(f->smt), SMT_REASON_ERROR);
        const char *said = smt_error_text(f->smt);
        if (strstr(said, cases[i].words) == NULL)
            fail_msg("%s: %s", cases[i].command, said);
        assert_true(strlen(said) < 500);
        for (const char *c = said; *c != '\0'; c++)
            assert_true((unsigned char)*c >= ' ');
        smt_context_destroy(f->context);
        f->context = NULL;
    }
    assert_false(open_solver(f, "smtlib:no-such-program"));
    assert_false(open_solver(f, "smtlib:"));
}

// A program that never answers, whether it reads or not, may be thinking: it is stopped.
static void checks_can_be_stopped(void **state)
{
    static const char *const commands[] = {"smtlib:sleep 1000", "smtlib:sha256sum",
                                           "smtlib:tail -f /dev/null"};
    struct fixture *f = *state;
    struct term_store *s = f->store;
    for (size_t i = 0; i < 3; i++) {
        pthread_t thread;
        atomic_store(&f->stop, 0);
        assert_true(open_solver(f, commands[i]));
        for (uint32_t k = 0; k < 20000; k++) // more than a socket holds
            smt_assert(f->smt, term_var_copy(s, term_var(s, "p", sort_bool(s)), k));
        int64_t begin = clock_wall_ns();
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, f), 0);
        assert_int_equal(smt_check(f->smt), SMT_UNKNOWN);
        assert_int_equal(smt_reason(f->smt), SMT_REASON_INTERRUPTED);
        assert_true(clock_seconds(clock_wall_ns() - begin) < 20);
        pthread_join(thread, NULL);
        smt_context_destroy(f->context);
        f->context = NULL;
    }
}

// Processes of a group that have not ended.
static size_t living(pid_t group)
{
    char path[64], line[512], state;
    size_t count = 0;
    DIR *folder = opendir("/proc");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int pid = atoi(entry->d_name), of = 0;
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *file = pid > 0 ? fopen(path, "re") : NULL;
        if (file == NULL)
            continue;
        if (fgets(line, sizeof line, file) != NULL &&
            sscanf(line, "%*d (%*[^)]) %c %*d %d", &state, &of) == 2)
            count += of == group && state != 'Z' && state != 'X';
        fclose(file);
    }
    closedir(folder);
    return count;
}

static pid_t group_of_two;

// Waits for the program to start another, then has it stopped.
static void *stop_when_two(void *argument)
{
    struct fixture *f = argument;
    pid_t leader = 0;
    for (int i = 0; i < 2000 && group_of_two == 0; i++) {
        if (children("timeout", &leader) == 1 && living(leader) == 2)
            group_of_two = leader;
        nanosleep(&(struct timespec){0, 5 * 1000 * 1000}, NULL);
    }
    atomic_store(&f->stop, 1);
    smt_interrupt(f->context);
    return NULL;
}

// What a program has started goes with it.
static void programs_of_a_program_are_ended(void **state)
{
    struct fixture *f = *state;
    pthread_t thread;
    assert_true(open_solver(f, "smtlib:timeout 1000 sleep 1000"));
    assert_int_equal(pthread_create(&thread, NULL, stop_when_two, f), 0);
    assert_int_equal(smt_check(f->smt), SMT_UNKNOWN);
    assert_int_equal(smt_reason(f->smt), SMT_REASON_INTERRUPTED);
    pthread_join(thread, NULL);
    assert_true(group_of_two > 0);
    for (int i = 0; i < 2000 && living(group_of_two) > 0; i++)
        nanosleep(&(struct timespec){0, 5 * 1000 * 1000}, NULL);
    assert_int_equal(living(group_of_two), 0);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

// p(0); p(x) and x < 5 gives p(x + 1); p(x) and x > limit gives the query.
static enum smt_result count_to_five(struct fixture *f, int64_t limit,
                                     struct smt_horn_answer *answer)
{
    struct term_store *store = f->store;
    const struct term *x = term_var(store, "x", sort_int(store));
    const struct term *zero = term_int(store, 0);
    const struct term *next = term_add2(store, x, term_int(store, 1));
    struct smt_horn_predicate predicates[2] = {{&x, 1}, {NULL, 0}};
    struct smt_horn_clause clauses[3] = {
        {SMT_HORN_NONE, 0, NULL, &zero, term_true(store)},
        {0, 0, &x, &next, term_lt(store, x, term_int(store, 5))},
        {0, 1, &x, NULL, term_lt(store, term_int(store, limit), x)},
    };
    struct smt_horn problem = {
        .predicates = predicates,
        .predicate_count = 2,
        .clauses = clauses,
        .clause_count = 3,
        .query = 1,
    };
    return smt_horn(f->context, &problem, answer);
}

static void check_horn(struct fixture *f, bool tells_derivation)
{
    struct term_store *store = f->store;
    struct smt_horn_answer answer = {0};
    assert_int_equal(count_to_five(f, 4, &answer), SMT_SAT);
    assert_int_equal(answer.derivation != NULL, tells_derivation);
    if (tells_derivation) {
        assert_int_equal(answer.derivation_count, 7);
        assert_int_equal(answer.derivation[0], 0);
        assert_int_equal(answer.derivation[5], 1);
        assert_int_equal(answer.derivation[6], 2);
    }
    smt_horn_answer_finish(&answer);
    assert_int_equal(count_to_five(f, 9, &answer), SMT_UNSAT);
    assert_non_null(answer.interpretation);
    assert_true(term_is_false(answer.interpretation[1]));
    const struct term *ten = term_int(store, 10);
    const struct term *x = term_var(store, "x", sort_int(store));
    smt_assert(f->smt, answer.interpretation[0]);
    smt_assert(f->smt, term_eq(store, x, ten));
    assert_int_equal(smt_check(f->smt), SMT_UNSAT);
    smt_reset(f->smt);
    smt_assert(f->smt, answer.interpretation[0]);
    smt_assert(f->smt, term_eq(store, x, term_int(store, 5)));
    assert_int_equal(smt_check(f->smt), SMT_SAT);
    smt_horn_answer_finish(&answer);
}

static void horn_clauses_inside_the_program(void **state)
{
    struct fixture *f = *state;
    assert_true(open_solver(f, "z3"));
    check_horn(f, true);
    f->stop = 1;
    struct smt_horn_answer answer = {0};
    assert_int_equal(count_to_five(f, 9, &answer), SMT_UNKNOWN);
}

// A limit of steps holds for Horn clauses, and one that is large enough changes nothing.
static void horn_clauses_within_a_limit(void **state)
{
    struct fixture *f = *state;
    const char *error;
    for (uint64_t limit = 10; limit <= 10000000; limit *= 1000000) {
        struct smt_options options = {.step_limit = limit};
        struct smt_horn_answer answer = {0};
        f->context = smt_context_create("z3", f->store, &options, &error);
        assert_non_null(f->context);
        assert_int_equal(count_to_five(f, 9, &answer), limit == 10 ? SMT_UNKNOWN : SMT_UNSAT);
        assert_int_equal(answer.interpretation != NULL, limit != 10);
        smt_horn_answer_finish(&answer);
        smt_context_destroy(f->context);
        f->context = NULL;
    }
}

// Also when it was used before, by one with a limit that none of these questions could be answered within.
static void horn_clauses_to_a_program(void **state)
{
    struct fixture *f = *state;
    const char *error;
    struct smt_options options = {.step_limit = 1};
    f->context = smt_context_create("smtlib:z3 -in", f->store, &options, &error);
    if (f->context == NULL)
        skip();
    assert_int_equal(smt_check(smt_create(f->context)), SMT_SAT);
    smt_context_destroy(f->context);
    assert_true(open_solver(f, "smtlib:z3 -in"));
    check_horn(f, false);
}

// What a program says besides its answer may mean that it left a clause out.
static void a_complaint_is_no_answer(void **state)
{
    struct fixture *f = *state;
    struct smt_horn_answer answer = {0};
    // Says what it is told, and "sat" and what it has to echo in between.
    if (!open_solver(f, "smtlib:sed -u -e s/.check-sat./sat/ -e s/(echo.\\(.*\\))/\\1/"))
        skip();
    assert_int_equal(count_to_five(f, 9, &answer), SMT_UNKNOWN);
    assert_null(answer.interpretation);
    assert_int_equal(answer.reason, SMT_REASON_ERROR);
    smt_horn_answer_finish(&answer);
}

// A model in which the error can be reached proves nothing, whatever was answered.
static void a_model_that_breaks_a_clause_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct smt_horn_answer answer = {0};
    assert_true(open_solver(f, "smtlib:sed -u -n -e s/.check-sat./sat/p "
                               "-e s/.get-model./((define-fun\\tp0\\t((x\\tInt))\\tBool\\ttrue)"
                               "(define-fun\\tp1\\t()\\tBool\\ttrue))/p "
                               "-e s/(echo.\\(.*\\))/\\1/p"));
    assert_int_equal(count_to_five(f, 9, &answer), SMT_UNKNOWN);
    assert_null(answer.interpretation);
    assert_int_equal(answer.reason, SMT_REASON_ERROR);
    assert_non_null(strstr(text_string(&answer.error), "its model breaks a clause"));
    smt_horn_answer_finish(&answer);
}

// Not the same as one that gives up.
static void a_broken_horn_solver_is_an_error(void **state)
{
    static const char *const commands[] = {"smtlib:true", "smtlib:cat", "smtlib:yes unsat"};
    struct fixture *f = *state;
    for (size_t i = 0; i < 3; i++) {
        struct smt_horn_answer answer = {0};
        assert_true(open_solver(f, commands[i]));
        assert_int_equal(count_to_five(f, 9, &answer), SMT_UNKNOWN);
        assert_int_equal(answer.reason, SMT_REASON_ERROR);
        assert_non_null(strstr(text_string(&answer.error), strchr(commands[i], ':') + 1));
        smt_horn_answer_finish(&answer);
        smt_context_destroy(f->context);
        f->context = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(levels_models_and_cores),
        WITH_STORE(many_solvers_share_few_processes),
        WITH_STORE(programs_that_misbehave),
        WITH_STORE(checks_can_be_stopped),
        WITH_STORE(horn_clauses_inside_the_program),
        WITH_STORE(horn_clauses_to_a_program),
        WITH_STORE(a_complaint_is_no_answer),
        WITH_STORE(a_model_that_breaks_a_clause_is_an_error),
        WITH_STORE(a_broken_horn_solver_is_an_error),
        WITH_STORE(programs_of_a_program_are_ended),
        WITH_STORE(horn_clauses_within_a_limit),
        WITH_STORE(a_program_waits_for_the_next_context),
        WITH_STORE(variables_may_be_called_like_commands),
        WITH_STORE(a_program_outlives_a_thread),
        WITH_STORE(cpu_time_of_a_program_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
