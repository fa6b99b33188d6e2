#include "view/plan_play.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/vector.h"
#include "portfolio/simulate.h"
#include "results/verdict.h"

// What a configuration does.
struct scripted {
    char *configuration;
    struct simulated_end end;
};

struct dry_run {
    const struct plan_variant *variant;
    FILE *out;
    VECTOR(struct scripted) script;
};

static bool read_outcome(const char *word, struct simulated_end *end)
{
    int verdict = verdict_parse(word), reason = end_reason_parse(word);
    end->verdict = VERDICT_UNKNOWN;
    end->reason = END_SOLVED;
    if (verdict == VERDICT_SAFE || verdict == VERDICT_UNSAFE)
        end->verdict = (enum verdict)verdict;
    else if (reason > END_SOLVED)
        end->reason = (enum end_reason)reason;
    else
        return false;
    return true;
}

// "expl-seq 2.5s stalled", "expl-seq 12s safe foreseen"; empty lines and # are left out.
static bool read_line(struct dry_run *run, char *line, struct position at,
                      struct messages *messages)
{
    char *save = NULL;
    line[strcspn(line, "#")] = '\0';
    char *name = strtok_r(line, " \t\r", &save), *time = strtok_r(NULL, " \t\r", &save);
    char *word = strtok_r(NULL, " \t\r", &save), *foreseen = strtok_r(NULL, " \t\r", &save);
    struct scripted scripted = {0};
    double seconds;
    if (name == NULL)
        return true;
    if (time == NULL || word == NULL || strtok_r(NULL, " \t\r", &save) != NULL ||
        (foreseen != NULL && strcmp(foreseen, "foreseen") != 0) ||
        !text_parse_duration(time, &seconds) || !(seconds >= 0 && seconds < 4e9) ||
        !read_outcome(word, &scripted.end)) {
        message_add(messages, MESSAGE_ERROR, at,
                    "expected a configuration, a time and an outcome such as stalled, memory, "
                    "safe or unsafe, and perhaps foreseen");
        return false;
    }
    scripted.configuration = memory_strdup(name);
    scripted.end.after_ns = (int64_t)(seconds * 1e9);
    scripted.end.foreseen = foreseen != NULL;
    VECTOR_PUSH(&run->script, scripted);
    return true;
}

static bool read_script(struct dry_run *run, const char *path, char *text,
                        struct messages *messages)
{
    bool good = true;
    struct position at = {path, 0, 0};
    for (char *rest = text, *line; good && (line = strsep(&rest, "\n")) != NULL;) {
        at.line++;
        good = read_line(run, line, at, messages);
    }
    return good;
}

static const struct configuration *configuration_of(const struct dry_run *run,
                                                    const struct schedule_action *action)
{
    assert(action->lane < run->variant->lane_count);
    assert(action->step < run->variant->lanes[action->lane].step_count);
    return run->variant->lanes[action->lane].steps[action->step].configuration;
}

// The last line that names it counts; who is not named never ends.
static struct simulated_end act(void *context, const struct schedule_action *action)
{
    const struct dry_run *run = context;
    const char *name = configuration_of(run, action)->name;
    for (size_t i = run->script.count; i-- > 0;)
        if (strcmp(run->script.data[i].configuration, name) == 0)
            return run->script.data[i].end;
    return (struct simulated_end){INT64_MAX, VERDICT_UNKNOWN, END_UNKNOWN};
}

static void print_time(FILE *out, int64_t now)
{
    say(out, "%12.3f s  ", (double)now / 1e9);
}

static void tell(void *context, int64_t now, const struct schedule_event *event,
                 const struct schedule_action *actions, size_t count)
{
    const struct dry_run *run = context;
    if (event->kind == SCHEDULE_ENDED) {
        print_time(run->out, now);
        say(run->out, "attempt %u ends: %s\n", event->attempt,
            event->verdict != VERDICT_UNKNOWN ? verdict_name(event->verdict)
                                              : end_reason_name(event->reason));
    }
    for (size_t i = 0; i < count; i++) {
        const struct schedule_action *a = &actions[i];
        print_time(run->out, now);
        if (a->kind == SCHEDULE_START) {
            say(run->out, "attempt %u begins: lane %u step %u, %s", a->attempt, a->lane, a->step,
                configuration_of(run, a)->name);
            if (a->deadline_ns != INT64_MAX)
                say(run->out, ", until %.3f s", (double)a->deadline_ns / 1e9);
            if (a->step_limit != 0)
                say(run->out, ", for %llu steps", (unsigned long long)a->step_limit);
            if (a->precision_of >= 0)
                say(run->out, ", with the precision of attempt %d", a->precision_of);
            fputc('\n', run->out);
        } else if (a->kind == SCHEDULE_EXTEND) {
            say(run->out, "attempt %u will finish: until %.3f s\n", a->attempt,
                (double)a->deadline_ns / 1e9);
        } else if (a->kind == SCHEDULE_STOP) {
            say(run->out, "attempt %u is asked to stop: %s\n", a->attempt,
                end_reason_name(a->reason));
        } else {
            say(run->out, "the run is over\n");
        }
    }
}

static void play(struct dry_run *run, unsigned cores, double seconds)
{
    struct schedule *schedule =
        schedule_create(run->variant, plan_variant_seats(run->variant, cores),
                        seconds > 0 ? (int64_t)(seconds * 1e9) : INT64_MAX, false, NULL);
    const struct simulation simulation = {
        .schedule = schedule,
        .cores = cores,
        .script = act,
        .interrupt_ns = INT64_MAX,
        .tell = tell,
        .context = run,
    };
    int64_t end = simulate(&simulation);
    if (end < 0)
        say(run->out, "the run never ends\n");
    else
        say(run->out, "%s after %.3f s\n", verdict_name(schedule_verdict(schedule)),
            (double)end / 1e9);
    schedule_destroy(schedule);
}

bool plan_play(const struct plan *plan, const struct plan_play *how, FILE *out,
               struct messages *messages)
{
    struct dry_run run = {.variant = plan_variant_for(plan, how->cores), .out = out};
    bool good = read_script(&run, how->path, how->script, messages);
    if (good)
        play(&run, how->cores, how->seconds);
    for (size_t i = 0; i < run.script.count; i++)
        memory_free(run.script.data[i].configuration);
    VECTOR_FINISH(&run.script);
    return good;
}
