#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "portfolio/decision_log.h"
#include "portfolio/simulate.h"

// Random plans whose engines are scripted, in virtual time: what must hold of every race, whatever
// the plan and whatever happens. A race that breaks a rule is shrunk before it is shown.

#define S INT64_C(1000000000)

enum { LANES = 5, STEPS = 5, ENDS = 12, MOST_ATTEMPTS = 4096 };

// A race as data, so that it can be shrunk.
struct random_race {
    struct plan_step steps[LANES][STEPS];
    struct plan_lane lanes[LANES];
    struct plan_variant variant;
    struct simulated_end ends[LANES][STEPS][ENDS]; // of the n-th start of a step, in turn
    unsigned cores;                                // attempts that run at a time
    unsigned shared;                               // cores that they share; 0: each has its own
    bool sequential;
    int64_t limit, latency, interrupt, cpu, shortage;
    bool made_up_rule; // one that races break: no step begins a second time
};

// What was seen of it.
struct watched {
    const struct random_race *race;
    struct {
        unsigned lane, step;
        int64_t began, deadline;
        bool extended;
        unsigned cores;
        uint64_t bytes;
        enum end_reason asked;
        bool ended;
    } attempts[MOST_ATTEMPTS];
    size_t count, answers;
    unsigned busy;
    bool short_of_memory;
    unsigned starts[LANES][STEPS];
    int finishes, begins;
    enum verdict verdict;
    int winner;
    const char *broken; // the rule; NULL = none
    struct text *log;
};

static struct configuration configuration;

static void must(struct watched *w, bool holds, const char *rule)
{
    if (!holds && w->broken == NULL)
        w->broken = rule;
}

static unsigned cores_of(const struct random_race *race)
{
    return race->sequential ? 1 : race->cores;
}

static struct simulated_end act(void *context, const struct schedule_action *action)
{
    struct watched *w = context;
    unsigned nth = w->starts[action->lane][action->step] - 1;
    return w->race->ends[action->lane][action->step][nth % ENDS];
}

static void see_start(struct watched *w, const struct schedule_action *a, int64_t now)
{
    must(w, a->attempt == w->count && w->count < MOST_ATTEMPTS, "attempts are numbered in order");
    must(w, a->lane < w->race->variant.lane_count && a->step < w->race->lanes[a->lane].step_count,
         "only what the plan has is started");
    if (w->broken != NULL)
        return;
    for (size_t i = 0; i < w->count; i++)
        must(w, w->attempts[i].ended || w->attempts[i].lane != a->lane, "one attempt a lane");
    must(w, w->answers == 0, "nothing is started after a verdict");
    must(w, w->finishes == 0, "nothing is started after the end");
    must(w, a->deadline_ns > now, "an attempt has some time");
    must(w, w->race->limit == INT64_MAX || a->deadline_ns <= w->race->limit,
         "a budget ends with the run's");
    must(w, ++w->starts[a->lane][a->step] <= PLAN_MOST_STARTS,
         "a step begins so often and no more");
    must(w, !w->race->made_up_rule || w->starts[a->lane][a->step] == 1, "a step begins once");
    static const struct plan_facts none;
    must(w, plan_guard_holds(w->race->steps[a->lane][a->step].when, &none), "guards are heeded");
    w->attempts[w->count].lane = a->lane;
    w->attempts[w->count].step = a->step;
    w->attempts[w->count].began = now;
    w->attempts[w->count].deadline = a->deadline_ns;
    w->attempts[w->count].extended = false;
    unsigned cores = w->race->steps[a->lane][a->step].cores;
    cores = cores == 0 ? 1 : cores > cores_of(w->race) ? cores_of(w->race) : cores;
    w->attempts[w->count].cores = cores;
    w->attempts[w->count].asked = END_NONE;
    w->count++;
    w->busy += cores;
    must(w, w->busy <= cores_of(w->race), "no core is booked twice");
}

static void see_event(struct watched *w, const struct schedule_event *event)
{
    w->begins += event->kind == SCHEDULE_BEGIN;
    w->short_of_memory = event->kind == SCHEDULE_EXCEEDED && event->reason == END_MEMORY;
    if (event->kind == SCHEDULE_HOLDS)
        w->attempts[event->attempt].bytes = event->bytes;
    if (event->kind != SCHEDULE_ENDED)
        return;
    w->attempts[event->attempt].ended = true;
    w->busy -= w->attempts[event->attempt].cores;
    if (event->verdict != VERDICT_UNKNOWN && w->answers++ == 0) {
        w->winner = (int)event->attempt;
        w->verdict = event->verdict;
    }
}

static void see_extension(struct watched *w, const struct schedule_action *a, int64_t now)
{
    double extend = w->race->steps[a->lane][a->step].extend;
    int64_t before = w->attempts[a->attempt].deadline, began = w->attempts[a->attempt].began;
    must(w, !w->attempts[a->attempt].extended, "time is added once");
    must(w, w->attempts[a->attempt].asked == END_NONE, "who has to stop gets no time");
    must(w, now >= before && a->deadline_ns > now, "time is added when it is up");
    must(w, (double)(a->deadline_ns - before) <= extend * (double)(before - began) + 1,
         "no more is added than the plan says");
    must(w, w->race->limit == INT64_MAX || a->deadline_ns <= w->race->limit,
         "a budget ends with the run's");
    w->attempts[a->attempt].extended = true;
    w->attempts[a->attempt].deadline = a->deadline_ns;
}

static void see_stop(struct watched *w, const struct schedule_action *a, int64_t now)
{
    must(w, a->attempt < w->count, "who is stopped was started");
    must(w, w->attempts[a->attempt].asked == END_NONE, "an attempt is asked to stop once");
    must(w, !w->attempts[a->attempt].ended, "who has ended is not asked to stop");
    must(w, a->reason != END_TIMEOUT || now >= w->attempts[a->attempt].deadline,
         "nobody is stopped before its time is up");
    must(w, a->reason != END_MEMORY || w->short_of_memory,
         "nobody goes for memory that is not short");
    for (size_t i = 0; i < w->count && a->reason == END_MEMORY; i++) {
        must(w, w->attempts[i].ended || w->attempts[i].asked != END_MEMORY,
             "one at a time goes for memory");
        must(w,
             w->attempts[i].ended || w->attempts[i].asked != END_NONE ||
                 w->attempts[i].bytes <= w->attempts[a->attempt].bytes,
             "who holds most goes first");
    }
    w->attempts[a->attempt].asked = a->reason;
}

static void tell(void *context, int64_t now, const struct schedule_event *event,
                 const struct schedule_action *actions, size_t count)
{
    struct watched *w = context;
    see_event(w, event);
    for (size_t i = 0; i < count; i++) {
        const struct schedule_action *a = &actions[i];
        if (a->kind == SCHEDULE_START) {
            see_start(w, a, now);
        } else if (a->kind == SCHEDULE_EXTEND) {
            see_extension(w, a, now);
        } else if (a->kind == SCHEDULE_STOP) {
            see_stop(w, a, now);
        } else {
            must(w, ++w->finishes == 1, "a race ends once");
            must(w, i + 1 == count, "nothing comes after the end");
        }
    }
    if (w->log != NULL)
        decision_log_add(w->log, &w->race->variant, 0, now, event, actions, count);
}

static void see_end(struct watched *w, const struct schedule *schedule, int64_t end)
{
    must(w, end >= 0, "a race ends");
    must(w, w->finishes == 1, "a race ends once");
    for (size_t i = 0; i < w->count; i++)
        must(w, w->attempts[i].ended, "no attempt is lost");
    must(w, schedule_verdict(schedule) == w->verdict, "the first verdict counts");
    must(w, schedule_winner(schedule) == w->winner, "there is one winner, the first to answer");
    must(w,
         w->race->limit == INT64_MAX || w->race->latency > w->race->limit ||
             end <= w->race->limit + w->race->latency,
         "the run ends when its time is up");
    if (w->race->interrupt == INT64_MAX && w->race->cpu == 0 && w->answers == 0 &&
        w->race->limit == INT64_MAX)
        for (size_t l = 0; l < w->race->variant.lane_count; l++)
            must(w, w->starts[l][0] > 0 || w->race->steps[l][0].when != NULL,
                 "every lane gets its turn");
}

// Plays it; the rule it breaks, or NULL. *attempts: how many it had.
static const char *play(const struct random_race *race, struct text *log, size_t *attempts)
{
    struct watched *w = memory_zalloc(sizeof *w);
    w->race = race;
    w->winner = -1;
    w->log = log;
    struct schedule *schedule =
        schedule_create(&race->variant, race->cores, race->limit, race->sequential, NULL);
    struct simulation simulation = {
        .schedule = schedule,
        .cores = race->shared,
        .script = act,
        .stop_latency_ns = race->latency,
        .interrupt_ns = race->interrupt,
        .cpu_ns = race->cpu,
        .shortage_ns = race->shortage,
        .tell = tell,
        .context = w,
    };
    see_end(w, schedule, simulate(&simulation));
    schedule_destroy(schedule);
    const char *broken = w->broken;
    *attempts = w->count;
    memory_free(w);
    return broken;
}

// Making.

static struct simulated_end random_end(struct random *r)
{
    static const enum end_reason reasons[] = {END_STALLED,  END_MEMORY,      END_SOLVER,
                                              END_UNKNOWN,  END_UNSUPPORTED, END_CRASHED,
                                              END_INTERNAL, END_STEPS};
    struct simulated_end end = {(int64_t)random_below(r, 50) * S / 4, VERDICT_UNKNOWN,
                                reasons[random_below(r, 8)]};
    if (random_below(r, 12) == 0)
        end.after_ns = 0;
    if (random_below(r, 6) == 0)
        end.cpu_after_ns = (int64_t)(random_below(r, 30) + 1) * S / 2;
    end.bytes = random_below(r, 1000);
    end.foreseen = random_below(r, 2);
    if (random_below(r, 40) == 0) {
        end.verdict = random_below(r, 2) ? VERDICT_SAFE : VERDICT_UNSAFE;
        end.reason = END_SOLVED;
    }
    return end;
}

static void random_step(struct random *r, struct plan_step *step, size_t steps)
{
    *step = (struct plan_step){.configuration = &configuration};
    step->budget = (enum budget_kind)random_below(r, 4);
    step->amount = step->budget == BUDGET_SHARE ? (double)(random_below(r, 100) + 1) / 100
                                                : (double)(random_below(r, 30) + 1);
    if (random_below(r, 4) == 0)
        step->cores = (unsigned)random_below(r, LANES) + 1;
    step->extend = random_below(r, 3) ? 0 : (double)random_below(r, 101) / 100;
    for (int o = 0; o < ON_COUNT; o++) {
        step->on[o].kind = (enum plan_reaction_kind)random_below(r, 8);
        if (step->on[o].kind > REACTION_MITIGATE)
            step->on[o].kind = REACTION_NEXT;
        step->on[o].target = random_below(r, steps);
        step->on[o].keeps_precision = random_below(r, 2);
    }
}

static void tie(struct random_race *race)
{
    for (size_t l = 0; l < race->variant.lane_count; l++)
        race->lanes[l].steps = race->steps[l];
    race->variant.lanes = race->lanes;
}

static void make(struct random *r, struct random_race *race)
{
    memset(race, 0, sizeof *race);
    race->variant.lane_count = random_below(r, LANES) + 1;
    race->variant.cores = race->cores = (unsigned)random_below(r, LANES) + 1;
    race->sequential = random_below(r, 8) == 0;
    race->limit = random_below(r, 4) == 0 ? INT64_MAX : (int64_t)(random_below(r, 100) + 1) * S;
    race->latency = (int64_t)random_below(r, 3) * S / 2;
    race->interrupt = random_below(r, 10) ? INT64_MAX : (int64_t)random_below(r, 60) * S;
    race->cpu = random_below(r, 10) ? 0 : (int64_t)(random_below(r, 60) + 1) * S;
    race->shortage = random_below(r, 6) ? 0 : (int64_t)(random_below(r, 20) + 1) * S;
    for (size_t l = 0; l < race->variant.lane_count; l++) {
        race->lanes[l].step_count = random_below(r, STEPS) + 1;
        for (size_t s = 0; s < race->lanes[l].step_count; s++) {
            random_step(r, &race->steps[l][s], race->lanes[l].step_count);
            for (int e = 0; e < ENDS; e++)
                race->ends[l][s][e] = random_end(r);
        }
    }
    race->shared = (unsigned)(7 * race->variant.lane_count % (race->cores + 1));
    tie(race);
}

// Shrinking: the first smaller race that breaks a rule as well, again and again.

static bool still_breaks(struct random_race *race)
{
    size_t attempts;
    tie(race);
    return race->variant.lane_count > 0 && play(race, NULL, &attempts) != NULL;
}

static bool drop_lane(struct random_race *race, size_t lane)
{
    struct random_race *smaller = memory_alloc(sizeof *smaller);
    *smaller = *race;
    for (size_t l = lane; l + 1 < race->variant.lane_count; l++) {
        memcpy(smaller->steps[l], race->steps[l + 1], sizeof smaller->steps[l]);
        memcpy(smaller->ends[l], race->ends[l + 1], sizeof smaller->ends[l]);
        smaller->lanes[l] = race->lanes[l + 1];
    }
    smaller->variant.lane_count--;
    bool better = still_breaks(smaller);
    if (better)
        *race = *smaller;
    memory_free(smaller);
    tie(race);
    return better;
}

static bool simplify(struct random_race *race, size_t lane, size_t step)
{
    struct random_race *smaller = memory_alloc(sizeof *smaller);
    bool better = false;
    for (int o = 0; o <= ON_COUNT + 1 && !better; o++) {
        *smaller = *race;
        if (o > ON_COUNT && race->steps[lane][step].cores > 1)
            smaller->steps[lane][step].cores = 1;
        else if (o < ON_COUNT && race->steps[lane][step].on[o].kind != REACTION_NEXT)
            smaller->steps[lane][step].on[o] = (struct plan_reaction){0};
        else if (o == ON_COUNT && race->steps[lane][step].budget != BUDGET_REST)
            smaller->steps[lane][step].budget = BUDGET_REST;
        else
            continue;
        better = still_breaks(smaller);
    }
    if (better)
        *race = *smaller;
    memory_free(smaller);
    tie(race);
    return better;
}

static bool share_nothing(struct random_race *race)
{
    unsigned shared = race->shared;
    race->shared = 0;
    if (shared > 0 && still_breaks(race))
        return true;
    race->shared = shared;
    return false;
}

static bool shrink_once(struct random_race *race)
{
    if (share_nothing(race))
        return true;
    for (size_t l = 0; l < race->variant.lane_count; l++)
        if (race->variant.lane_count > 1 && drop_lane(race, l))
            return true;
    for (size_t l = 0; l < race->variant.lane_count; l++)
        for (size_t s = 0; s < race->lanes[l].step_count; s++)
            if (simplify(race, l, s))
                return true;
    return false;
}

// Where whoever mends it can play it again: the decisions as `--log` writes them.
static const char *save(const struct random_race *race, const struct text *log, uint64_t number)
{
    static char path[64];
    snprintf(path, sizeof path, "broken-race-%llu.log", (unsigned long long)number);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return "nowhere";
    fprintf(file, "# %zu lanes on %u cores\n%s", race->variant.lane_count, race->cores, log->data);
    fclose(file);
    return path;
}

static void shrink(struct random_race *race)
{
    while (shrink_once(race))
        continue;
}

static void show_and_fail(struct random_race *race, uint64_t number)
{
    struct text log = {0};
    size_t attempts;
    shrink(race);
    const char *broken = play(race, &log, &attempts);
    fail_msg("race %llu: not so: %s; shrunk to %zu lanes on %u cores, saved as %s:\n%s",
             (unsigned long long)number, broken, race->variant.lane_count, race->cores,
             save(race, &log, number), text_string(&log));
}

static void the_rules_hold_in_random_races(void **state)
{
    (void)state;
    struct random_race *race = memory_alloc(sizeof *race);
    struct random random;
    random_init(&random, 20240229);
    size_t total = 0;
    for (uint64_t number = 0; total < 100000; number++) {
        size_t attempts;
        make(&random, race);
        if (play(race, NULL, &attempts) != NULL)
            show_and_fail(race, number);
        total += attempts;
    }
    print_message("# %zu steps\n", total);
    memory_free(race);
}

static unsigned count_reactions(const struct random_race *race)
{
    unsigned count = 0;
    for (size_t l = 0; l < race->variant.lane_count; l++)
        for (size_t s = 0; s < race->lanes[l].step_count; s++)
            for (int o = 0; o < ON_COUNT; o++)
                count += race->steps[l][s].on[o].kind != REACTION_NEXT;
    return count;
}

// What is left of a broken race is what breaks it: one lane, in which a reaction or two come back to a step.
static void broken_races_are_shrunk_and_saved(void **state)
{
    (void)state;
    struct random_race *race = memory_alloc(sizeof *race);
    struct random random;
    random_init(&random, 3);
    unsigned broken = 0, reactions = 0, left = 0;
    for (uint64_t number = 0; number < 200; number++) {
        size_t attempts;
        make(&random, race);
        race->made_up_rule = true;
        race->shared = 0; // else lanes that slow another down have to stay
        if (play(race, NULL, &attempts) == NULL)
            continue;
        reactions += count_reactions(race);
        shrink(race);
        struct text log = {0};
        assert_string_equal(play(race, &log, &attempts), "a step begins once");
        assert_int_equal(race->variant.lane_count, 1);
        left += count_reactions(race);
        const char *path = save(race, &log, number);
        char *kept = text_read_file(path, NULL);
        assert_non_null(kept);
        assert_non_null(strstr(kept, text_string(&log)));
        assert_int_equal(remove(path), 0);
        memory_free(kept);
        text_finish(&log);
        broken++;
    }
    print_message("# %u races with %u reactions shrunk to %u\n", broken, reactions, left);
    assert_true(broken > 20 && left < 2 * broken && reactions > 20 * left);
    memory_free(race);
}

// A log of a race says the same again, and a changed one does not.
static void logs_replay_and_changed_logs_do_not(void **state)
{
    (void)state;
    struct random_race *race = memory_alloc(sizeof *race);
    struct random random;
    random_init(&random, 7);
    for (int i = 0; i < 300; i++) {
        struct text log = {0};
        size_t attempts, events, actions;
        make(&random, race);
        char name[] = "p";
        struct decision_log_header header = {.plan = name,
                                             .cores = race->cores,
                                             .sequential = race->sequential,
                                             .time_limit_ns = race->limit};
        plan_variant_digest(&race->variant, header.digest);
        decision_log_begin(&log, &header);
        size_t head = log.length;
        assert_null(play(race, &log, &attempts));
        struct messages messages;
        messages_init(&messages);
        struct decision_log_header read;
        assert_true(decision_log_read_header("l", text_string(&log), &read, &messages));
        assert_string_equal(read.plan, "p");
        assert_string_equal(read.digest, header.digest);
        assert_true(read.time_limit_ns == race->limit && read.cores == race->cores);
        assert_true(decision_log_replay("l", text_string(&log), &read, &race->variant, &events,
                                        &actions, &messages));
        assert_true(actions > attempts);
        // Another digit somewhere in the decisions.
        char *line = strstr(log.data + head, " < ");
        char *digit = strpbrk(line + 3, "0123456789");
        if (digit != NULL && digit < line + strcspn(line, "\n")) {
            *digit = *digit == '9' ? '8' : (char)(*digit + 1);
            assert_false(decision_log_replay("l", text_string(&log), &read, &race->variant, &events,
                                             &actions, &messages));
            assert_int_equal(messages.errors, 1);
        }
        // Cut short, garbled: an error or the same, never a crash.
        for (int k = 0; k < 20; k++) {
            log.data[random_below(&random, log.length)] = (char)(32 + random_below(&random, 90));
            struct decision_log_header garbled;
            if (decision_log_read_header("l", log.data, &garbled, &messages))
                decision_log_replay("l", log.data, &garbled, &race->variant, &events, &actions,
                                    &messages);
            decision_log_header_finish(&garbled);
        }
        decision_log_header_finish(&read);
        messages_finish(&messages);
        text_finish(&log);
    }
    memory_free(race);
}

static int make_configuration(void **state)
{
    (void)state;
    configuration_init(&configuration, "c");
    return 0;
}

static int finish_configuration(void **state)
{
    (void)state;
    configuration_finish(&configuration);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rules_hold_in_random_races),
        cmocka_unit_test(broken_races_are_shrunk_and_saved),
        cmocka_unit_test(logs_replay_and_changed_logs_do_not),
    };
    return cmocka_run_group_tests(tests, make_configuration, finish_configuration);
}
