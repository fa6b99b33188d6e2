#include "runs/ask.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "languages/umlrt/capsules_view.h"
#include "languages/umlrt/load.h"
#include "languages/umlrt/property.h"
#include "model/capsules/run.h"

void ask_finish(struct ask_answer *answer)
{
    text_finish(&answer->line);
    text_finish(&answer->details);
    text_finish(&answer->run);
    text_finish(&answer->picture);
}

static const struct record *winner_of(const struct run *run)
{
    assert(run->winner < (int)run->record.attempt_count);
    return run->winner >= 0 ? &run->record.attempts[run->winner] : NULL;
}

// A verdict of `unsafe` stands for the answer that a run can show.
static void set_truth(struct ask_answer *answer, const struct run *run,
                      const struct capsules_view *view)
{
    bool shown = capsule_shown_truth(view->shape);
    answer->contradiction = run->record.contradiction;
    answer->signal = run->signal;
    answer->left = run->result.left;
    if (run->record.verdict == VERDICT_UNKNOWN || run->record.contradiction)
        answer->truth = ASK_UNKNOWN;
    else
        answer->truth = (run->record.verdict == VERDICT_UNSAFE) == shown ? ASK_TRUE : ASK_FALSE;
}

static void add_run(struct ask_answer *answer, const struct run *run,
                    const struct capsules_view *view, size_t *steps, bool *loops)
{
    struct capsule_run shown;
    struct text why = {0};
    *steps = 0;
    *loops = false;
    if (run->trace == NULL)
        return;
    if (capsules_run_of(run->trace, &shown, &why) && shown.steps.count > 0) {
        *steps = shown.steps.count;
        *loops = shown.loop != SIZE_MAX;
        capsule_run_print(view->capsules, &shown, &answer->run);
        capsule_run_plantuml(view->capsules, &shown, &answer->picture);
    }
    capsule_run_finish(&shown);
    text_finish(&why);
}

static void add_worth(struct text *out, const struct run *run, size_t steps, bool loops)
{
    if (run->record.verdict == VERDICT_UNSAFE && run->trace != NULL && steps > 0)
        text_printf(out, "replayed, %zu step%s%s", steps, steps == 1 ? "" : "s",
                    loops ? " with a loop" : "");
    else if (run->record.verdict == VERDICT_UNSAFE ||
             strstr(winner_of(run)->configuration_text, "engine=capsules") != NULL)
        text_add(out, "sound");
    else
        text_add(out,
                 run->record.checked == CHECK_PASSED ? "proved, checked" : "proved, not checked");
}

static void add_line(struct ask_answer *answer, const struct run *run, const char *formula,
                     size_t steps, bool loops)
{
    static const char *const WORDS[] = {"unknown", "true", "false"};
    struct text *out = &answer->line;
    text_printf(out, "%s: %s (", formula, WORDS[answer->truth]);
    const struct record *winner = winner_of(run);
    if (answer->truth == ASK_UNKNOWN || winner == NULL) {
        text_add(out, run->record.contradiction ? "attempts contradict each other"
                                                : end_reason_meaning(run->record.reason));
    } else {
        add_worth(out, run, steps, loops);
        text_printf(out, "; %s in ", winner->configuration);
        text_add_duration(out, winner->start_seconds + winner->wall_seconds);
    }
    text_add(out, ")");
}

// What attempts said of themselves: claims and what they are worth, states, …
static void add_details(struct ask_answer *answer, const struct run *run, bool all)
{
    for (size_t i = 0; i < run->record.attempt_count; i++) {
        const struct record *r = &run->record.attempts[i];
        bool winner = (int)i == run->winner && answer->truth != ASK_UNKNOWN;
        if (r->why[0] != '\0' && (all || winner || answer->truth == ASK_UNKNOWN))
            text_printf(&answer->details, "  %s: %s\n", r->configuration, r->why);
    }
}

static void keep(const struct ask_request *request, const struct run *run,
                 struct messages *messages)
{
    struct text why;
    text_init(&why);
    if (request->store != NULL && !store_add(request->store, &run->record, &why))
        message_add(messages, MESSAGE_WARNING, (struct position){request->whole->path, 0, 0},
                    "the record is lost: %s", text_string(&why));
    text_finish(&why);
}

static void answer_task(const struct ask_request *request, const struct task *task,
                        struct ask_answer *answer, struct live *live, struct messages *messages)
{
    const struct capsules_view *view = capsules_view_of(task->model);
    struct run run;
    size_t steps;
    bool loops;
    run_task(&run, task, request->plan, request->settings, live);
    keep(request, &run, messages);
    set_truth(answer, &run, view);
    add_run(answer, &run, view, &steps, &loops);
    add_line(answer, &run, view->question.text, steps, loops);
    add_details(answer, &run, request->verbose);
    if (!run.result.left)
        run_finish(&run);
}

bool ask_run(const struct ask_request *request, struct ask_answer *answer, struct live *live,
             struct messages *messages)
{
    struct task task = {0};
    *answer = (struct ask_answer){.truth = ASK_UNKNOWN};
    bool good;
    const struct budget budget = run_settings_budget(request->settings);
    if (task_read_of(&task, request->whole, NULL, request->property, &budget, messages, &good) !=
        BUDGET_DONE) {
        text_printf(&answer->line, "%s: unknown (reading took all that there is)",
                    request->property);
        answer->left = true;
        return true;
    }
    if (good && capsules_view_of(task.model) == NULL) {
        good = false;
        message_add(messages, MESSAGE_ERROR, (struct position){request->whole->path, 0, 0},
                    "found another language, expected capsules (.cffsm, .uml)");
    }
    if (good)
        answer_task(request, &task, answer, live, messages);
    if (!answer->left)
        task_finish(&task);
    return good;
}

bool ask_print_model(const char *path, unsigned loop_bound, struct text *out,
                     struct messages *messages)
{
    struct capsules *model = capsules_load(path, loop_bound, messages);
    if (model != NULL)
        capsules_print(model, out);
    capsules_destroy(model);
    return model != NULL;
}
