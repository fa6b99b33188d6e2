#include "runs/bounds.h"

#include <assert.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "results/store.h"

#define STEP_MAX ((int64_t)1 << 40)

struct search {
    const struct bounds_request *request;
    struct bounds_result *result;
    struct messages *messages;
    int64_t end_ns; // INT64_MAX: no limit
};

static void keep(struct search *s, const struct run *run)
{
    struct text why;
    text_init(&why);
    if (s->request->store != NULL && !store_add(s->request->store, &run->record, &why))
        message_add(s->messages, MESSAGE_WARNING, (struct position){s->request->whole->path, 0, 0},
                    "a record is lost: %s", text_string(&why));
    text_finish(&why);
    if (run->winner >= 0)
        snprintf(s->result->winner, sizeof s->result->winner, "%s",
                 run->record.attempts[run->winner].configuration);
}

static enum verdict race(struct search *s, struct task *task)
{
    struct run run;
    struct run_settings settings = *s->request->settings;
    if (s->end_ns < INT64_MAX)
        settings.time_limit_seconds = clock_seconds(s->end_ns - clock_wall_ns());
    run_task(&run, task, s->request->plan, &settings, NULL);
    enum verdict verdict = run.record.contradiction ? VERDICT_UNKNOWN : run.record.verdict;
    run_summary(&s->result->summary, &run.record);
    keep(s, &run);
    if (run.result.left) // its threads may still look at the model
        s->result->left = true;
    else
        run_finish(&run);
    return verdict;
}

static enum verdict ask(struct search *s, int64_t value)
{
    struct task task;
    struct text property;
    enum verdict verdict = VERDICT_UNKNOWN;
    text_clear(&s->result->summary);
    if (s->end_ns < INT64_MAX && clock_wall_ns() >= s->end_ns) {
        text_add(&s->result->summary, "unknown (the time limit was reached)");
        return verdict;
    }
    s->result->races++;
    text_init(&property);
    text_printf(&property, "EF %s >= %lld", s->request->question->greatest, (long long)value);
    struct budget budget = run_settings_budget(s->request->settings);
    budget.deadline_ns = s->end_ns < INT64_MAX ? s->end_ns : 0;
    bool read;
    enum budget_end end = task_read_of(&task, s->request->whole, NULL, text_string(&property),
                                       &budget, s->messages, &read);
    if (read)
        verdict = race(s, &task);
    else
        text_add(&s->result->summary, "unknown (not read)");
    if (end != BUDGET_DONE) // what it had is lost
        s->result->left = true;
    if (!s->result->left)
        task_finish(&task);
    text_finish(&property);
    return verdict;
}

static int64_t find(struct search *s)
{
    int64_t reached = s->request->question->at_start, beyond = -1;
    for (int64_t step = 1; (beyond < 0 || beyond > reached + 1) && step <= STEP_MAX;) {
        int64_t value = beyond < 0 ? reached + step : reached + (beyond - reached) / 2;
        assert(value > reached && (beyond < 0 || value < beyond)); // each answer says something new
        switch (ask(s, value)) {
        case VERDICT_UNSAFE:
            reached = value;
            if (beyond < 0) // later the gap is halved, and takes as many rounds as that asks for
                step *= 2;
            break;
        case VERDICT_SAFE:
            beyond = value;
            break;
        default:
            return -1;
        }
    }
    // Reached, and one more is not: else it is no greatest value.
    ENSURE(beyond < 0 || beyond == reached + 1);
    return beyond < 0 ? -1 : reached;
}

void bounds_find(const struct bounds_request *request, struct bounds_result *out,
                 struct messages *messages)
{
    struct search s = {.request = request, .result = out, .messages = messages};
    double limit = run_settings_time_left(request->settings);
    s.end_ns = limit > 0 && limit < 9e9 ? clock_wall_ns() + (int64_t)(limit * 1e9) : INT64_MAX;
    *out = (struct bounds_result){.greatest = -1};
    text_init(&out->summary);
    out->greatest = find(&s);
}

void bounds_result_finish(struct bounds_result *result)
{
    text_finish(&result->summary);
}
