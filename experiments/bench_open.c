#include "experiments/bench_open.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "configs/sample.h"
#include "experiments/bench_lock.h"
#include "experiments/bench_raise.h"
#include "languages/language.h"
#include "portfolio/plan_solvers.h"

static bool load_one(struct bench *bench, struct plan *plan, const char *argument,
                     bool configuration, const struct messages *messages)
{
    if (plan == NULL || !bench->quiet)
        messages_print(messages, stderr);
    if (plan == NULL)
        return false;
    assert(plan->variant_count > 0 && argument != NULL);
    struct bench_plan one = {.plan = plan, .argument = argument, .configuration = configuration};
    plan_digest(plan, &bench->settings, one.digest);
    VECTOR_PUSH(&bench->plans, one);
    return true;
}

// What was asked for by name is there as a whole, its solvers too; a space may have points whose solver is not.
static bool load_named(struct bench *bench, const struct bench_sources *sources, struct plan *plan,
                       const char *argument, bool configuration, const struct messages *messages)
{
    if (!load_one(bench, plan, argument, configuration, messages))
        return false;
    if (sources->elsewhere)
        return true;
    struct text why;
    text_init(&why);
    bool good = plan_has_solvers(plan, &why);
    if (!good)
        say(stderr, "regatta bench: --%s=%s: %s\n", configuration ? "config" : "plan", argument,
            text_string(&why));
    text_finish(&why);
    return good;
}

static bool load_point(struct bench *bench, const struct configuration *configuration)
{
    struct messages messages;
    struct text line;
    messages_init(&messages);
    text_init(&line);
    configuration_print(&line, configuration, false);
    struct plan *plan = plan_single(text_string(&line), &messages);
    bool good = load_one(bench, plan, plan != NULL ? plan->name : NULL, true, &messages);
    text_finish(&line);
    messages_finish(&messages);
    return good;
}

static bool load_space(struct bench *bench, const char *text)
{
    struct configuration_set set = {0};
    struct messages messages;
    messages_init(&messages);
    bool good = space_take(text, &set, &messages);
    if (!good || !bench->quiet)
        messages_print(&messages, stderr);
    for (size_t i = 0; good && i < set.count; i++)
        good = load_point(bench, &set.items[i]);
    messages_finish(&messages);
    configuration_set_finish(&set);
    return good;
}

static bool has_plan(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->plans.count; i++)
        if (strcmp(bench->plans.data[i].argument, name) == 0)
            return true;
    return false;
}

// Nobody named a plan: each task is raced with that of its language.
static bool load_standard_plans(struct bench *bench, const struct task_list *tasks)
{
    struct messages messages;
    messages_init(&messages);
    bool good = true;
    bench->by_language = true;
    for (size_t i = 0; good && i < tasks->count; i++) {
        const char *name = task_standard_plan(tasks->paths[i]);
        if (!has_plan(bench, name))
            good = load_one(bench, plan_load(name, &messages), name, false, &messages);
    }
    messages_finish(&messages);
    return good;
}

bool bench_load_plans(struct bench *bench, const struct bench_sources *sources,
                      const struct task_list *tasks)
{
    if (sources->plans == NULL && sources->configurations == NULL && sources->spaces == NULL)
        return load_standard_plans(bench, tasks);
    struct messages messages;
    messages_init(&messages);
    char **plans = sources->plans;
    bool good = true;
    for (size_t i = 0; good && plans != NULL && plans[i] != NULL; i++)
        good =
            load_named(bench, sources, plan_load(plans[i], &messages), plans[i], false, &messages);
    for (size_t i = 0;
         good && sources->configurations != NULL && sources->configurations[i] != NULL; i++)
        good = load_named(bench, sources, plan_single(sources->configurations[i], &messages),
                          sources->configurations[i], true, &messages);
    for (size_t i = 0; good && sources->spaces != NULL && sources->spaces[i] != NULL; i++)
        good = load_space(bench, sources->spaces[i]);
    messages_finish(&messages);
    return good;
}

// Of the memory, for finding out a task's questions: what a hostile one used for that is lost until the end.
#define QUESTIONS_SHARE 8

// What cannot be read has a digest too; its job records what is wrong with it.
static void open_task(struct bench *bench, const char *path)
{
    struct task task;
    struct messages messages;
    struct language_questions questions = {0};
    messages_init(&messages);
    struct run_settings timed = bench->settings;
    run_settings_start(&timed);
    struct budget budget = run_settings_budget(&timed);
    budget.bytes /= QUESTIONS_SHARE;
    bool several;
    // One that is not read to its end is a task all the same: its job says why.
    task_read_questions(&task, path, NULL, bench->settings.property_at, &budget, &messages,
                        &questions, &several);
    messages_finish(&messages);
    assert(!several || questions.count > 1);
    if (!several) {
        bench->tasks = memory_realloc(bench->tasks, (bench->task_count + 1) * sizeof *bench->tasks);
        bench->tasks[bench->task_count++] = task;
    } else {
        task_finish(&task);
    }
    for (size_t i = 0; several && i < questions.count; i++) {
        struct text name;
        text_init(&name);
        text_printf(&name, "%s#%s", path, questions.data[i].name);
        open_task(bench, text_string(&name));
        text_finish(&name);
    }
    language_questions_finish(&questions);
}

// A task with several questions is one task for each of them.
void bench_open_tasks(struct bench *bench, const struct task_list *tasks)
{
    for (size_t i = 0; i < tasks->count && atomic_load(signals_flag()) == 0; i++)
        open_task(bench, tasks->paths[i]);
}

bool bench_share_out(struct bench *bench, bool elsewhere, struct text *why)
{
    struct run_settings *settings = &bench->settings;
    unsigned there = topology_core_count(settings->topology), jobs = bench->places;
    const char *placement = bench->options->placement;
    assert(jobs > 0);
    if (bench->options->cores == NULL)
        settings->cores = there / jobs > 0 ? there / jobs : 1;
    if (bench->options->memory == NULL)
        settings->memory_limit_bytes /= jobs;
    if (elsewhere || jobs == 1 || (placement != NULL && strcmp(placement, "none") == 0))
        return true;
    if (placement != NULL && placement[0] >= '0' && placement[0] <= '9') {
        text_printf(why, "--placement=%s would put all jobs in the same place", placement);
        return false;
    }
    bench->cpus = memory_zalloc(jobs * sizeof *bench->cpus);
    if (topology_split(settings->topology, jobs, settings->cores, bench->cpus))
        return true;
    text_printf(why,
                "--jobs=%u with --cores=%u needs %u physical cores, %u may be used "
                "(--placement=none lets jobs share them)",
                jobs, settings->cores, jobs * settings->cores, there);
    return false;
}

int bench_exit_code(const struct bench *bench, int code)
{
    assert(bench->done <= bench->jobs.count && bench->unread <= bench->jobs.count);
    if (code == 0 && bench->wrong != 0)
        code = EXIT_CONTRADICTION;
    // Not one of them was a question that can be answered here.
    if (code == 0 && bench->unread != 0 && bench->unread == bench->jobs.count)
        code = EXIT_USAGE;
    return code;
}

void bench_finish(struct bench *bench)
{
    bench_raise_end(bench);
    store_close(bench->store);
    bench_lock_release(bench->lock);
    if (bench->events != NULL)
        fclose(bench->events);
    for (size_t i = 0; i < bench->task_count; i++)
        task_finish(&bench->tasks[i]);
    memory_free(bench->tasks);
    for (size_t i = 0; i < bench->plans.count; i++)
        plan_destroy(bench->plans.data[i].plan);
    VECTOR_FINISH(&bench->plans);
    VECTOR_FINISH(&bench->jobs);
    for (unsigned i = 0; bench->cpus != NULL && i < bench->places; i++)
        memory_free(bench->cpus[i]);
    memory_free(bench->cpus);
    run_settings_finish(&bench->settings);
}
