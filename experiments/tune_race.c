#include "experiments/tune_race.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analysis/elimination.h"
#include "base/random.h"
#include "base/say.h"
#include "base/signals.h"
#include "base/vector.h"
#include "configs/sample.h"
#include "experiments/bench_tasks.h"
#include "results/store.h"

#define ALPHA 0.05
enum { BLOCK = 5 };

struct raced_task {
    char *path;
    uint64_t key; // the random order
};

struct raced {
    const struct tune_race *race;
    VECTOR(struct raced_task) tasks; // in the order of the race
    VECTOR(char *) texts;            // of the configurations: their names in the store
    bool *in;
    size_t *seen;  // how many tasks decided, of each
    size_t done;   // tasks run by all that were in
    double *costs; // texts * tasks; -1 = not run
    bool *solved;
    size_t wrong;
    double spent_seconds;
};

static int by_key(const void *left, const void *right)
{
    const struct raced_task *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return strcmp(a->path, b->path);
}

static bool find_tasks(struct raced *raced, const char *const *arguments, size_t count,
                       struct text *why)
{
    struct task_list list = {0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = task_list_add(&list, arguments[i], why);
    for (size_t i = 0; good && i < list.count; i++) {
        struct raced_task task = {memory_strdup(list.paths[i]),
                                  random_derive(raced->race->seed, list.paths[i])};
        VECTOR_PUSH(&raced->tasks, task);
    }
    task_list_finish(&list);
    if (good && raced->tasks.count == 0)
        text_add(why, "no task found");
    if (raced->tasks.count > 0)
        qsort(raced->tasks.data, raced->tasks.count, sizeof *raced->tasks.data, by_key);
    return why->length == 0;
}

static bool find_configurations(struct raced *raced, struct text *why)
{
    struct configuration_set set = {0};
    struct messages messages;
    messages_init(&messages);
    bool good = space_take(raced->race->space, &set, &messages);
    for (size_t i = 0; good && i < set.count; i++) {
        struct text text;
        text_init(&text);
        configuration_print(&text, &set.items[i], false);
        VECTOR_PUSH(&raced->texts, text_steal(&text));
    }
    messages_print(&messages, stderr);
    messages_finish(&messages);
    configuration_set_finish(&set);
    if (!good)
        text_printf(why, "--space %s cannot be read", raced->race->space);
    else if (raced->texts.count < 2)
        text_printf(why, "--space %s: found %zu configurations, expected 2 or more",
                    raced->race->space, raced->texts.count);
    return why->length == 0;
}

// The runs of one block, by the program itself. Its exit code; -1 and the reason when it did not run.
static int run_block(const struct raced *raced, size_t end, struct text *why)
{
    VECTOR(const char *) words = {0};
    struct text cores;
    text_init(&cores);
    text_printf(&cores, "%u", raced->race->cores);
    const char *head[] = {"regatta",
                          "bench",
                          "-q",
                          "--db",
                          raced->race->db,
                          "--time",
                          raced->race->time,
                          "--cores",
                          text_string(&cores)};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        VECTOR_PUSH(&words, head[i]);
    for (size_t c = 0; c < raced->texts.count; c++)
        if (raced->in[c]) {
            VECTOR_PUSH(&words, "--config");
            VECTOR_PUSH(&words, raced->texts.data[c]);
        }
    VECTOR_PUSH(&words, "--");
    for (size_t t = raced->done; t < end; t++)
        VECTOR_PUSH(&words, raced->tasks.data[t].path);
    VECTOR_PUSH(&words, NULL);
    pid_t child;
    int status = -1, error = posix_spawn(&child, "/proc/self/exe", NULL, NULL,
                                         (char *const *)(void *)words.data, environ);
    if (error != 0)
        text_printf(why, "cannot run regatta bench: %s", strerror(error));
    while (error == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    VECTOR_FINISH(&words);
    text_finish(&cores);
    return error != 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static size_t configuration_of(const struct raced *raced, const struct run_record *run)
{
    for (size_t c = 0; c < raced->texts.count; c++)
        if (strcmp(raced->texts.data[c], run->plan) == 0)
            return c;
    return raced->texts.count;
}

static size_t task_of(const struct raced *raced, const struct run_record *run, size_t end)
{
    for (size_t t = 0; t < end; t++)
        if (strcmp(raced->tasks.data[t].path, run->task) == 0)
            return t;
    return end;
}

// A task that was run more than once counts as it went first.
static bool take(void *context, const struct run_record *run)
{
    struct raced *raced = context;
    double limit = raced->race->time_seconds;
    if (run->time_limit_seconds != limit || run->cores != raced->race->cores)
        return true;
    size_t c = configuration_of(raced, run), t = task_of(raced, run, raced->tasks.count);
    if (c == raced->texts.count || t == raced->tasks.count)
        return true;
    size_t at = c * raced->tasks.count + t;
    if (raced->costs[at] >= 0 || strcmp(run->status, RUN_STATUS_INTERRUPTED) == 0)
        return true;
    bool answered = strcmp(run->status, RUN_STATUS_OK) == 0 && run->verdict != VERDICT_UNKNOWN;
    raced->solved[at] = answered && !run_record_is_wrong(run);
    raced->wrong += run_record_is_wrong(run);
    raced->costs[at] = raced->solved[at] ? run->load_seconds + run->wall_seconds : 2 * limit;
    raced->spent_seconds += run->load_seconds + run->wall_seconds;
    return true;
}

static bool read_back(struct raced *raced, struct text *why)
{
    for (size_t i = 0; i < raced->texts.count * raced->tasks.count; i++) {
        raced->costs[i] = -1;
        raced->solved[i] = false;
    }
    raced->spent_seconds = 0;
    raced->wrong = 0;
    return store_each_in(raced->race->db, take, raced, why);
}

// After a block: what all that are in have run decides. The number of those that stay.
static size_t drop(struct raced *raced, size_t end, struct text *why)
{
    size_t tasks = raced->tasks.count, in = 0;
    assert(end > raced->done && end <= tasks);
    double *costs = memory_alloc(raced->texts.count * end * sizeof *costs);
    for (size_t c = 0; c < raced->texts.count; c++)
        for (size_t t = 0; t < end; t++) {
            double cost = raced->costs[c * tasks + t];
            if (raced->in[c] && cost < 0 && why->length == 0)
                text_printf(why, "%s: there is no record of %s on %s", raced->race->db,
                            raced->texts.data[c], raced->tasks.data[t].path);
            costs[c * end + t] = cost;
        }
    for (size_t c = 0; c < raced->texts.count; c++)
        if (raced->in[c])
            raced->seen[c] = end;
    if (why->length == 0)
        eliminate(costs, raced->texts.count, end, ALPHA, raced->in);
    for (size_t c = 0; c < raced->texts.count; c++)
        in += raced->in[c];
    memory_free(costs);
    raced->done = end;
    return in;
}

static void print_line(const struct raced *raced, size_t c)
{
    size_t solved = 0, tasks = raced->tasks.count;
    double sum = 0;
    for (size_t t = 0; t < raced->seen[c]; t++) {
        solved += raced->solved[c * tasks + t];
        sum += raced->costs[c * tasks + t];
    }
    say(stdout, "  %-8s %5zu %7zu %9.3f  %s\n", raced->in[c] ? "stays" : "dropped", raced->seen[c],
        solved, raced->seen[c] > 0 ? sum / (double)raced->seen[c] : 0, raced->texts.data[c]);
}

static double mean_cost(const struct raced *raced, size_t c)
{
    double sum = 0;
    for (size_t t = 0; t < raced->seen[c]; t++)
        sum += raced->costs[c * raced->tasks.count + t];
    assert(sum >= 0); // each of them was run
    return raced->seen[c] > 0 ? sum / (double)raced->seen[c] : INFINITY;
}

static int best_first(const void *left, const void *right, void *context)
{
    const struct raced *raced = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    if (raced->seen[a] != raced->seen[b])
        return raced->seen[a] > raced->seen[b] ? -1 : 1;
    if (raced->in[a] != raced->in[b])
        return raced->in[a] ? -1 : 1;
    double cost_a = mean_cost(raced, a), cost_b = mean_cost(raced, b);
    return cost_a != cost_b ? (cost_a < cost_b ? -1 : 1) : (a > b) - (a < b);
}

static void print_outcome(struct raced *raced)
{
    size_t *order = memory_alloc(raced->texts.count * sizeof *order);
    for (size_t c = 0; c < raced->texts.count; c++)
        order[c] = c;
    qsort_r(order, raced->texts.count, sizeof *order, best_first, raced);
    if (raced->wrong > 0)
        say(stdout, "!!! %zu wrong verdicts (regatta report names them) !!!\n", raced->wrong);
    say(stdout, "%zu of %zu tasks, %.1f s of runs\n  %-8s %5s %7s %9s  configuration\n",
        raced->done, raced->tasks.count, raced->spent_seconds, "", "tasks", "solved", "PAR-2 s");
    for (size_t i = 0; i < raced->texts.count; i++)
        print_line(raced, order[i]);
    memory_free(order);
}

// Blocks until one is left, or the tasks, the budget or the user's patience are at an end.
static int run_race(struct raced *raced, struct text *why)
{
    size_t in = raced->texts.count;
    double budget = raced->race->budget_seconds;
    while (raced->done < raced->tasks.count && in > 1 &&
           (budget == 0 || raced->spent_seconds < budget)) {
        size_t end = raced->done + BLOCK;
        if (end > raced->tasks.count)
            end = raced->tasks.count;
        int code = run_block(raced, end, why);
        if (*signals_flag() != 0)
            return signals_exit_code(*signals_flag());
        if (code != 0 && code != EXIT_CONTRADICTION && why->length == 0)
            text_printf(why, "regatta bench ended with exit code %d", code);
        if (why->length != 0 || !read_back(raced, why))
            return 0;
        in = drop(raced, end, why);
        if (why->length != 0)
            return 0;
        say(stderr, "%zu of %zu tasks: %zu configurations left, %.1f s of runs\n", raced->done,
            raced->tasks.count, in, raced->spent_seconds);
    }
    return 0;
}

int tune_race(const struct tune_race *race, const char *const *tasks, size_t count,
              struct text *why)
{
    struct raced raced = {.race = race};
    int code = 0;
    if (find_tasks(&raced, tasks, count, why) && find_configurations(&raced, why)) {
        size_t cells = raced.texts.count * raced.tasks.count;
        raced.in = memory_alloc(raced.texts.count * sizeof *raced.in);
        raced.seen = memory_zalloc(raced.texts.count * sizeof *raced.seen);
        raced.costs = memory_alloc(cells * sizeof *raced.costs);
        raced.solved = memory_alloc(cells * sizeof *raced.solved);
        for (size_t c = 0; c < raced.texts.count; c++)
            raced.in[c] = true;
        code = run_race(&raced, why);
        if (why->length == 0 && code == 0) {
            print_outcome(&raced);
            code = raced.wrong > 0 ? EXIT_CONTRADICTION : 0;
        }
    }
    for (size_t t = 0; t < raced.tasks.count; t++)
        memory_free(raced.tasks.data[t].path);
    for (size_t c = 0; c < raced.texts.count; c++)
        memory_free(raced.texts.data[c]);
    VECTOR_FINISH(&raced.tasks);
    VECTOR_FINISH(&raced.texts);
    memory_free(raced.in);
    memory_free(raced.seen);
    memory_free(raced.costs);
    memory_free(raced.solved);
    return code;
}
