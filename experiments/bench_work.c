#include "experiments/bench_work.h"

#include <assert.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/say.h"
#include "base/signals.h"
#include "languages/registry/task.h"
#include "results/store.h"
#include "runs/runner.h"

bool bench_work_keep_to(struct run_settings *settings, const char *cpus, bool cluster,
                        struct text *why)
{
    // A cluster that does not keep its jobs apart: neighbours would be bound to the same cores.
    if (cluster && topology_core_count(settings->topology) > settings->cores)
        topology_set_placement(settings->topology, "none", NULL);
    if (cpus == NULL)
        return true;
    settings->cpus = cpus;
    bool good = topology_restrict(settings->topology, cpus, why);
    if (good)
        topology_bind_process(settings->topology); // attempts read back what they really got
    return good;
}

static bool keep(const struct bench_work *work, struct store *store,
                 const struct run_record *record)
{
    struct text why;
    text_init(&why);
    bool good = store_add_once(store, record, &why) != STORE_FAILED;
    if (!good)
        say(work->notes, "regatta job: %s: %s\n", work->db, text_string(&why));
    text_finish(&why);
    return good;
}

static int run_job(const struct bench_work *work, struct task *task, struct store *store,
                   struct messages *messages, bool *left)
{
    struct run run;
    const struct run_settings *settings = work->settings;
    assert(work->plan->variant_count > 0);
    const struct budget budget = run_settings_budget(settings);
    int64_t begun_ns = clock_wall_ns();
    bool good;
    enum budget_end end =
        task_read(task, work->path, NULL, settings->property_at, &budget, messages, &good);
    if (end != BUDGET_DONE)
        run_unread(&run, task, work->plan, settings, end,
                   clock_seconds(clock_wall_ns() - begun_ns));
    else if (good)
        run_task(&run, task, work->plan, settings, NULL);
    else
        run_failed(&run, task, work->plan, settings, messages);
    ENSURE(run.record.verdict == VERDICT_UNKNOWN || (end == BUDGET_DONE && good));
    int code = keep(work, store, &run.record) ? 0 : EXIT_INTERNAL;
    if (run.signal != 0)
        code = signals_exit_code(run.signal);
    *left = run.result.left || end != BUDGET_DONE;
    if (!*left)
        run_finish(&run);
    return code;
}

int bench_work(const struct bench_work *work, bool *left)
{
    struct text why;
    struct task task;
    struct messages messages;
    text_init(&why);
    messages_init(&messages);
    int code = EXIT_INTERNAL;
    *left = false;
    struct store *store = store_open(work->db, true, &why);
    if (store == NULL)
        say(work->notes, "regatta job: %s\n", text_string(&why));
    else
        code = run_job(work, &task, store, &messages, left);
    if (store != NULL && !*left)
        task_finish(&task);
    store_close(store);
    messages_finish(&messages);
    text_finish(&why);
    return code;
}
