// Every configuration of a space on every model: random ones and random circuits against explicit-state oracles, and
// tasks against their expected verdict. The whole way of a race is taken: engine, monitors, replay of the
// trace, check of the invariant on the source model. Wrong: a verdict that contradicts, an invariant or
// trace that is refused, a crash.
//
//   fuzz_configurations --models 300 --time 1s --jobs 2 --space cegar:pairwise TASK.yml…
//
// Workers are processes, so that a crash costs one run and names it. Where a solver that is a program of its own
// is not there, the default takes its place, so that what else is in the row is tried all the same.

#include <errno.h>
#include <poll.h>
#include <popt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/vector.h"
#include "configs/sample.h"
#include "languages/registry/registry.h"
#include "languages/registry/task_definition.h"
#include "logic/smt/smt.h"
#include "portfolio/race.h"
#include "tests/oracle.h"
#include "tests/oracle_circuits.h"
#include "tests/read.h"

static struct {
    char **spaces, *time;
    int models, bits, words, first, jobs, steps, few, verbose;
} options = {.models = 0, .first = 1, .jobs = 1};

static const struct poptOption table[] = {
    {"space", 0, POPT_ARG_ARGV, &options.spaces, 0, "configurations to run; may be repeated",
     "NAME|PATH[:SAMPLE]"},
    {"models", 0, POPT_ARG_INT, &options.models, 0, "random models (0)", "N"},
    {"bits", 0, POPT_ARG_INT, &options.bits, 0,
     "random circuits of bits, each in one of AIGER's forms or in BTOR2 (0)", "N"},
    {"words", 0, POPT_ARG_INT, &options.words, 0, "random circuits of words, in BTOR2 (0)", "N"},
    {"first", 0, POPT_ARG_INT, &options.first, 0, "seed of the first of them (1)", "SEED"},
    {"time", 0, POPT_ARG_STRING, &options.time, 0, "CPU time of a run (1s)", "TIME"},
    {"steps", 0, POPT_ARG_INT, &options.steps, 0, "limit of a run in steps of the engine (none)",
     "N"},
    {"few", 0, POPT_ARG_INT, &options.few, 0,
     "each configuration on so many of the models only, another part each time (all)", "N"},
    {"jobs", 'j', POPT_ARG_INT, &options.jobs, 0, "workers (1)", "N"},
    {"verbose", 'v', POPT_ARG_NONE, &options.verbose, 0, "a line for each run", NULL},
    POPT_AUTOHELP POPT_TABLEEND,
};

struct subject {
    char *name;
    struct model *model;
    enum verdict expected; // VERDICT_UNKNOWN: nobody knows
};

// What a worker tells of a run: that it begins, and how it ended.
struct message_of_run {
    uint32_t run;
    uint8_t ended, verdict, reason, certified, stuck;
    float seconds;
    char why[120];
};

struct worker {
    pid_t pid;
    int pipe;
    bool busy;
    uint32_t run;      // begun last
    size_t next, past; // what it has still to do when it is started again
};

static struct {
    VECTOR(struct subject) subjects;
    struct configuration_set rows;
    size_t each, runs, next, done; // each: models of a configuration
    double time_limit_seconds;
    // Counts of runs.
    size_t safe, unsafe, certified, decided, faults, uncertified, stuck;
    size_t unknown[64]; // by reason
    int64_t reported_ns;
} fuzz;

static const struct configuration *row_of(size_t run)
{
    return &fuzz.rows.items[run / fuzz.each];
}

static const struct subject *subject_of(size_t run)
{
    // With all of them, run % each; with few, those behind the ones of the row before.
    return &fuzz.subjects.data[run % fuzz.subjects.count];
}

// In a worker.

enum { SECOND_TRY = 20 };

static void judge_race(const struct race_result *result, struct message_of_run *out)
{
    const struct record *record = result->record_count > 0 ? &result->records[0] : NULL;
    out->ended = 1;
    out->verdict = (uint8_t)result->verdict;
    out->reason = (uint8_t)(record != NULL ? record->reason : result->reason);
    out->seconds = (float)result->wall_seconds;
    const char *why = record != NULL ? record->why : NULL;
    snprintf(out->why, sizeof out->why, "%s", why != NULL ? why : "");
    // What is said of a safe verdict is why its invariant was not, or not fully, checked.
    bool excused = strstr(out->why, "not certified") != NULL ||
                   strstr(out->why, "not checked") != NULL ||
                   strstr(out->why, "could not be checked") != NULL;
    out->certified = result->verdict == VERDICT_UNSAFE
                         ? result->trace != NULL
                         : result->verdict == VERDICT_SAFE && !excused;
    out->stuck = result->stuck;
}

static const enum option solver_options[] = {OPTION_SOLVER, OPTION_ABSTRACTION_SOLVER,
                                             OPTION_REFINEMENT_SOLVER};

enum { SOLVER_OPTIONS = sizeof solver_options / sizeof *solver_options };

static bool is_program(const char *solver)
{
    return strcmp(solver, "cvc5") == 0 || strncmp(solver, "smtlib:", 7) == 0;
}

// How much longer than its CPU time a run may take, as the machine may do other work. The CPU time of programs
// is not counted.
static double patience(const struct configuration *row)
{
    for (size_t i = 0; i < SOLVER_OPTIONS; i++)
        if (is_program(text_value(row->values[solver_options[i]])))
            return 5;
    return 30;
}

static bool tell(int fd, const struct message_of_run *message)
{
    return write(fd, message, sizeof *message) == (ssize_t)sizeof *message;
}

static struct race_result race_it(const struct plan *plan, const struct model *model,
                                  double cpu_seconds, double patience)
{
    struct race_options race = {
        .plan = plan,
        .cores = 1,
        .cpu_limit_seconds = cpu_seconds,
        .time_limit_seconds = patience * cpu_seconds,
        .memory_limit_bytes = UINT64_C(1) << 30,
        .seed = 1,
        .wake_fd = -1,
        .certify = true,
        .isolation = ISOLATION_THREAD,
        .stuck_seconds = 60,
    };
    return race_run(model, &race);
}

static void run_one(size_t run, int fd)
{
    struct message_of_run message = {.run = (uint32_t)run};
    struct messages ignored;
    messages_init(&ignored);
    if (!tell(fd, &message))
        _exit(3);
    struct plan *plan = plan_single(row_of(run)->name, &ignored);
    if (plan == NULL)
        _exit(3);
    if (options.steps > 0) {
        plan->variants->lanes->steps->budget = BUDGET_STEPS;
        plan->variants->lanes->steps->amount = options.steps;
    }
    double longer = patience(row_of(run));
    struct race_result result =
        race_it(plan, subject_of(run)->model, fuzz.time_limit_seconds, longer);
    judge_race(&result, &message);
    // The check of an invariant may need more time than there was left; it is worth it.
    if (result.verdict == VERDICT_SAFE && !message.certified && !result.stuck) {
        race_result_finish(&result);
        result =
            race_it(plan, subject_of(run)->model, SECOND_TRY * fuzz.time_limit_seconds, longer);
        judge_race(&result, &message);
    }
    bool told = tell(fd, &message);
    if (result.stuck || !told)
        _exit(4); // nothing may be freed
    race_result_finish(&result);
    plan_destroy(plan);
    messages_finish(&ignored);
}

enum { RUNS_AT_ONCE = 64 };

static void start(struct worker *worker)
{
    int ends[2];
    if (worker->next >= worker->past) {
        worker->next = fuzz.next;
        worker->past = fuzz.next +=
            fuzz.runs - fuzz.next < RUNS_AT_ONCE ? fuzz.runs - fuzz.next : RUNS_AT_ONCE;
    }
    if (pipe(ends) != 0 || (fflush(NULL), worker->pid = fork()) < 0) {
        perror("fuzz_configurations");
        exit(3);
    }
    if (worker->pid == 0) {
        close(ends[0]);
        for (size_t run = worker->next; run < worker->past; run++)
            run_one(run, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    worker->pipe = ends[0];
    worker->busy = true;
    worker->run = UINT32_MAX;
}

// In the parent.

static void fault(size_t run, const char *what)
{
    fuzz.faults++;
    printf("FAULT: %s: %s: --config \"%s\"\n", subject_of(run)->name, what, row_of(run)->name);
    fflush(stdout);
}

static void count(const struct message_of_run *m)
{
    enum verdict expected = subject_of(m->run)->expected;
    char what[256];
    fuzz.done++;
    if (options.verbose)
        printf("%s: %s %s %.2f s %s: %s\n", subject_of(m->run)->name, verdict_name(m->verdict),
               end_reason_name(m->reason), m->seconds, m->why, row_of(m->run)->name);
    if (m->reason == END_INTERNAL)
        fault(m->run, m->why);
    // A matter of the solver and of how busy the machine is; a race outlives it.
    if (m->stuck) {
        fuzz.stuck++;
        printf("slow to stop: %s: %s\n", subject_of(m->run)->name, row_of(m->run)->name);
    }
    if (m->verdict == VERDICT_UNKNOWN) {
        fuzz.unknown[m->reason < 64 ? m->reason : 63]++;
        return;
    }
    *(m->verdict == VERDICT_SAFE ? &fuzz.safe : &fuzz.unsafe) += 1;
    fuzz.decided += expected != VERDICT_UNKNOWN;
    fuzz.certified += m->certified;
    if (expected != VERDICT_UNKNOWN && expected != (enum verdict)m->verdict) {
        snprintf(what, sizeof what, "%s, expected %s", verdict_name(m->verdict),
                 verdict_name(expected));
        fault(m->run, what);
    } else if (!m->certified) {
        fuzz.uncertified++;
        printf("uncertified: %s: %s: %s\n", subject_of(m->run)->name, m->why, row_of(m->run)->name);
    }
}

// The worker is gone: it was through, or it died in a run, whose successors are then run anew.
static void reap(struct worker *worker)
{
    int status;
    close(worker->pipe);
    waitpid(worker->pid, &status, 0);
    worker->busy = false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        worker->next = worker->past;
        return;
    }
    if (worker->run == UINT32_MAX)
        exit(3);
    worker->next = (size_t)worker->run + 1;
    char what[64];
    snprintf(what, sizeof what, WIFSIGNALED(status) ? "died of signal %d" : "exit code %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 4) // 4: has told
        fault(worker->run, what);
}

static void listen(struct worker *worker)
{
    struct message_of_run m;
    ssize_t bytes = read(worker->pipe, &m, sizeof m);
    if (bytes != (ssize_t)sizeof m) {
        reap(worker);
        return;
    }
    worker->run = m.run;
    if (m.ended)
        count(&m);
}

static void report(bool last)
{
    if (!last && clock_wall_ns() - fuzz.reported_ns < INT64_C(10000000000))
        return;
    fuzz.reported_ns = clock_wall_ns();
    fprintf(
        last ? stdout : stderr,
        "%zu rows, %zu models; %zu of %zu runs: %zu safe, %zu unsafe, %zu of them certified, %zu "
        "compared with a known answer, %zu faults, %zu slow to stop; unknown:",
        fuzz.rows.count, fuzz.subjects.count, fuzz.done, fuzz.runs, fuzz.safe, fuzz.unsafe,
        fuzz.certified, fuzz.decided, fuzz.faults, fuzz.stuck);
    for (int r = 0; r < 64; r++)
        if (fuzz.unknown[r] > 0)
            fprintf(last ? stdout : stderr, " %s %zu", end_reason_name((enum end_reason)r),
                    fuzz.unknown[r]);
    fputc('\n', last ? stdout : stderr);
}

static void run_all(void)
{
    struct worker workers[64] = {0};
    struct pollfd waiting[64];
    size_t jobs = options.jobs < 1 ? 1 : options.jobs > 64 ? 64 : (size_t)options.jobs;
    for (;;) {
        size_t busy = 0;
        for (size_t w = 0; w < jobs; w++) {
            if (!workers[w].busy && (fuzz.next < fuzz.runs || workers[w].next < workers[w].past))
                start(&workers[w]);
            busy += workers[w].busy;
            waiting[w] = (struct pollfd){workers[w].busy ? workers[w].pipe : -1, POLLIN, 0};
        }
        if (busy == 0)
            break;
        poll(waiting, jobs, -1);
        for (size_t w = 0; w < jobs; w++)
            if (workers[w].busy && waiting[w].revents != 0)
                listen(&workers[w]);
        report(false);
    }
    report(true);
}

// What is run.

static void add_random(uint64_t seed)
{
    char name[40];
    snprintf(name, sizeof name, "random %llu", (unsigned long long)seed);
    struct model *model = oracle_random_model(seed);
    VECTOR_PUSH(&fuzz.subjects,
                ((struct subject){memory_strdup(name), model, oracle_decide(model, 100000)}));
}

static bool add_circuit(const char *kind, const struct language *frontend, const struct text *text,
                        uint64_t seed, bool reaches_bad, struct messages *messages)
{
    char name[40];
    struct language_request request = {
        .model_path = "circuit",
        .model_text = text_string(text),
        .model_bytes = text->length,
    };
    snprintf(name, sizeof name, "%s %llu", kind, (unsigned long long)seed);
    struct model *model = read_model(frontend, &request, messages);
    if (model != NULL)
        VECTOR_PUSH(&fuzz.subjects,
                    ((struct subject){memory_strdup(name), model,
                                      reaches_bad ? VERDICT_UNSAFE : VERDICT_SAFE}));
    return model != NULL;
}

static bool add_bits(uint64_t seed, struct messages *messages)
{
    static const struct {
        const struct language *frontend;
        void (*write)(struct text *out, const struct bit_circuit *circuit);
    } forms[] = {
        {&language_aiger, bit_circuit_write_ascii},
        {&language_aiger_binary, bit_circuit_write_binary},
        {&language_btor2, bit_circuit_write_btor2},
    };
    struct bit_circuit circuit = bit_circuit_random(seed);
    struct text text;
    text_init(&text);
    forms[seed % 3].write(&text, &circuit);
    bool good = add_circuit("bits", forms[seed % 3].frontend, &text, seed,
                            bit_circuit_reaches_bad(&circuit), messages);
    text_finish(&text);
    return good;
}

static bool add_words(uint64_t seed, struct messages *messages)
{
    struct word_circuit circuit = word_circuit_random(seed);
    struct text text;
    text_init(&text);
    word_circuit_write(&text, &circuit);
    bool good = add_circuit("words", &language_btor2, &text, seed,
                            word_circuit_reaches_bad(&circuit), messages);
    text_finish(&text);
    return good;
}

static bool add_task(const char *path, struct messages *messages)
{
    static const enum verdict verdicts[] = {VERDICT_UNKNOWN, VERDICT_SAFE, VERDICT_UNSAFE};
    struct task_definition task;
    if (!task_definition_read(path, &task, messages))
        return false;
    struct model *model =
        language_load(task.model_path, task.property_path, PROPERTY_AT_ALL, NULL, messages);
    if (model != NULL)
        VECTOR_PUSH(&fuzz.subjects,
                    ((struct subject){memory_strdup(path), model, verdicts[task.expected]}));
    task_definition_finish(&task);
    return model != NULL || messages->errors == 0; // what is not supported is left out
}

static bool can_start(const char *solver)
{
    const char *error;
    struct term_store *store = term_store_create(NULL);
    struct smt_context *made = smt_context_create(solver, store, &(struct smt_options){0}, &error);
    smt_context_destroy(made);
    term_store_destroy(store);
    return made != NULL;
}

// Programs that were looked for and not found.
static VECTOR(const char *) missing;

static bool is_missing(const char *solver)
{
    static VECTOR(const char *) there;
    for (size_t i = 0; i < missing.count; i++)
        if (strcmp(missing.data[i], solver) == 0)
            return true;
    for (size_t i = 0; i < there.count; i++)
        if (strcmp(there.data[i], solver) == 0)
            return false;
    bool found = can_start(solver);
    if (found)
        VECTOR_PUSH(&there, solver);
    else
        VECTOR_PUSH(&missing, solver);
    return !found;
}

// Puts defaults in the place of programs that are not there.
static void replace_missing(void)
{
    size_t rows = 0;
    for (size_t r = 0; r < fuzz.rows.count; r++) {
        int64_t values[OPTION_COUNT];
        bool changed = false;
        memcpy(values, fuzz.rows.items[r].values, sizeof values);
        for (size_t i = 0; i < SOLVER_OPTIONS; i++) {
            int64_t *value = &values[solver_options[i]];
            if (!is_program(text_value(*value)) || !is_missing(text_value(*value)))
                continue;
            *value = option_describe(solver_options[i])->standard;
            changed = true;
        }
        if (!changed)
            continue;
        configuration_finish(&fuzz.rows.items[r]);
        space_configuration(&fuzz.rows.items[r], values);
        rows++;
    }
    for (size_t i = 0; i < missing.count; i++)
        fprintf(stderr, "fuzz_configurations: %s cannot be started\n", missing.data[i]);
    if (rows > 0)
        fprintf(stderr, "fuzz_configurations: the default solver takes its place in %zu rows\n",
                rows);
}

static bool prepare(poptContext context)
{
    struct messages messages;
    messages_init(&messages);
    bool good = true;
    for (size_t i = 0; good && options.spaces != NULL && options.spaces[i] != NULL; i++)
        good = space_take(options.spaces[i], &fuzz.rows, &messages);
    replace_missing();
    for (int i = 0; i < options.models; i++)
        add_random((uint64_t)options.first + (uint64_t)i);
    for (int i = 0; good && i < options.bits; i++)
        good = add_bits((uint64_t)options.first + (uint64_t)i, &messages);
    for (int i = 0; good && i < options.words; i++)
        good = add_words((uint64_t)options.first + (uint64_t)i, &messages);
    for (const char *path; good && (path = poptGetArg(context)) != NULL;)
        good = add_task(path, &messages);
    fuzz.each = fuzz.subjects.count;
    if (options.few > 0 && (size_t)options.few < fuzz.each)
        fuzz.each = (size_t)options.few;
    fuzz.runs = fuzz.rows.count * fuzz.each;
    good = good && text_parse_duration(options.time != NULL ? options.time : "1s",
                                       &fuzz.time_limit_seconds);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    return good && fuzz.runs > 0;
}

static void finish(void)
{
    for (size_t i = 0; i < fuzz.subjects.count; i++) {
        memory_free(fuzz.subjects.data[i].name);
        model_destroy(fuzz.subjects.data[i].model);
    }
    VECTOR_FINISH(&fuzz.subjects);
    configuration_set_finish(&fuzz.rows);
    VECTOR_FINISH(&missing);
}

int main(int argc, const char **argv)
{
    poptContext context = poptGetContext("fuzz_configurations", argc, argv, table, 0);
    int code = poptGetNextOpt(context);
    if (code < -1) {
        fprintf(stderr, "fuzz_configurations: %s: %s\n", poptBadOption(context, 0),
                poptStrerror(code));
        return 2;
    }
    if (!prepare(context)) {
        fprintf(stderr,
                "fuzz_configurations: expected --space, and --models, --bits, --words or tasks\n");
        return 2;
    }
    poptFreeContext(context);
    run_all();
    bool good = fuzz.faults == 0;
    finish();
    return good ? 0 : 1;
}
