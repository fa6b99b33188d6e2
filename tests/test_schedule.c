#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "portfolio/schedule.h"

// Races in virtual time: a script says of each step what it would do; no thread, no clock.

#define S INT64_C(1000000000)
#define NONE INT64_MAX

enum { MOST_LANES = 6, MOST_STEPS = 5, MOST_ATTEMPTS = MOST_LANES * MOST_STEPS };

// What a step does when it is started.
struct script {
    int64_t answers_after;   // NONE: never by itself
    int64_t reacts_after;    // to a request to stop
    enum verdict verdict;    // of its own answer
    enum verdict stopped_as; // what it answers when it is stopped
    bool unchecked;          // by a proof that nobody checked
};

struct setting {
    struct plan_step steps[MOST_LANES][MOST_STEPS];
    struct plan_lane lanes[MOST_LANES];
    struct plan_variant variant;
    struct script scripts[MOST_LANES][MOST_STEPS];
    unsigned cores;
    int64_t limit;
    int64_t interrupt_at; // NONE: never
    bool sequential;
};

struct started {
    unsigned lane, step;
    int64_t at, deadline, ends, asked_at;
    enum verdict verdict;
    enum end_reason reason;
    bool asked, ended, unchecked;
};

struct outcome {
    struct started attempts[MOST_ATTEMPTS];
    size_t count;
    unsigned running, most_running;
    bool verdict_seen, over;
    int finishes;
    enum verdict verdict;
    int winner;
    bool contradiction;
    int64_t end;
    struct text log;
};

static void on_start(const struct setting *setting, struct outcome *o,
                     const struct schedule_action *action, int64_t now)
{
    assert_int_equal(action->attempt, o->count);
    assert_false(o->verdict_seen);
    assert_false(o->over);
    assert_true(action->lane < setting->variant.lane_count);
    assert_true(action->step < setting->lanes[action->lane].step_count);
    for (size_t i = 0; i < o->count; i++) // steps of a lane in order, one after another
        if (o->attempts[i].lane == action->lane) {
            assert_true(o->attempts[i].ended);
            assert_true(o->attempts[i].step < action->step);
        }
    const struct script *script = &setting->scripts[action->lane][action->step];
    struct started *a = &o->attempts[o->count++];
    *a = (struct started){
        .lane = action->lane,
        .step = action->step,
        .at = now,
        .deadline = action->deadline_ns,
        .ends = script->answers_after == NONE ? NONE : now + script->answers_after,
        .verdict = script->verdict,
        .reason = script->verdict == VERDICT_UNKNOWN ? END_UNKNOWN : END_SOLVED,
        .unchecked = script->unchecked,
    };
    o->running++;
    if (o->running > o->most_running)
        o->most_running = o->running;
}

static void on_stop(const struct setting *setting, struct outcome *o,
                    const struct schedule_action *action, int64_t now)
{
    assert_true(action->attempt < o->count);
    struct started *a = &o->attempts[action->attempt];
    assert_false(a->asked);
    assert_false(a->ended);
    assert_int_not_equal(action->reason, END_NONE);
    const struct script *script = &setting->scripts[a->lane][a->step];
    a->asked = true;
    a->asked_at = now;
    if (a->ends != NONE && a->ends <= now + script->reacts_after)
        return; // its own answer is quicker
    a->ends = now + script->reacts_after;
    a->verdict = script->stopped_as;
    a->reason = a->verdict == VERDICT_UNKNOWN ? action->reason : END_SOLVED;
}

static void feed(struct schedule *schedule, const struct setting *setting, struct outcome *o,
                 const struct schedule_event *event, int64_t now)
{
    const struct schedule_action *actions;
    size_t count = schedule_step(schedule, event, now, &actions);
    for (size_t i = 0; i < count; i++) {
        const struct schedule_action *action = &actions[i];
        text_printf(&o->log, "%lld %d %u %u %u %lld %llu %d\n", (long long)now, action->kind,
                    action->attempt, action->lane, action->step, (long long)action->deadline_ns,
                    (unsigned long long)action->step_limit, action->reason);
        switch (action->kind) {
        case SCHEDULE_START:
            on_start(setting, o, action, now);
            break;
        case SCHEDULE_EXTEND:
            fail_msg("no plan here says so");
            break;
        case SCHEDULE_STOP:
            on_stop(setting, o, action, now);
            break;
        case SCHEDULE_FINISH:
            o->finishes++;
            assert_int_equal(o->running, 0);
            break;
        }
    }
}

static void end_attempt(struct schedule *schedule, const struct setting *setting, struct outcome *o,
                        unsigned i)
{
    struct started *a = &o->attempts[i];
    struct schedule_event event = {.kind = SCHEDULE_ENDED,
                                   .attempt = i,
                                   .verdict = a->verdict,
                                   .reason = a->reason,
                                   .unchecked = a->unchecked};
    a->ended = true;
    o->running--;
    if (a->verdict != VERDICT_UNKNOWN && !a->unchecked)
        o->verdict_seen = true;
    feed(schedule, setting, o, &event, a->ends);
}

// The earliest end of a running attempt; NONE with *which unset when there is none.
static int64_t next_end(const struct outcome *o, unsigned *which)
{
    int64_t next = NONE;
    for (unsigned i = 0; i < o->count; i++)
        if (!o->attempts[i].ended && o->attempts[i].ends < next) {
            next = o->attempts[i].ends;
            *which = i;
        }
    return next;
}

static void play(const struct setting *setting, struct outcome *o)
{
    *o = (struct outcome){0};
    struct schedule *schedule = schedule_create(&setting->variant, setting->cores, setting->limit,
                                                setting->sequential, NULL);
    int64_t now = 1000 * S, interrupt = setting->interrupt_at;
    if (interrupt != NONE)
        interrupt += now;
    feed(schedule, setting, o, &(struct schedule_event){.kind = SCHEDULE_BEGIN}, now);
    for (int guard = 0; o->finishes == 0; guard++) {
        assert_true(guard < 1000);
        unsigned which = 0;
        int64_t end = next_end(o, &which), deadline = schedule_next_deadline(schedule);
        if (interrupt <= end && interrupt <= deadline && interrupt != NONE) {
            now = interrupt;
            interrupt = NONE;
            o->over = true;
            feed(schedule, setting, o, &(struct schedule_event){.kind = SCHEDULE_INTERRUPT}, now);
        } else if (end <= deadline) {
            assert_true(end != NONE); // else the race would never end
            now = end;
            end_attempt(schedule, setting, o, which);
        } else {
            now = deadline;
            feed(schedule, setting, o, &(struct schedule_event){.kind = SCHEDULE_TICK}, now);
        }
    }
    o->verdict = schedule_verdict(schedule);
    o->winner = schedule_winner(schedule);
    o->contradiction = schedule_contradiction(schedule);
    o->end = now - 1000 * S;
    // Nothing more happens, and FINISH was given once.
    feed(schedule, setting, o, &(struct schedule_event){.kind = SCHEDULE_TICK}, now + 5000 * S);
    assert_int_equal(o->finishes, 1);
    schedule_destroy(schedule);
}

// Making settings.

static void setting_init(struct setting *s, unsigned cores, int64_t limit)
{
    *s = (struct setting){.cores = cores, .limit = limit, .interrupt_at = NONE};
    s->variant.cores = 1;
    s->variant.lanes = s->lanes;
    for (int i = 0; i < MOST_LANES; i++)
        s->lanes[i].steps = s->steps[i];
}

static void add_lane(struct setting *s)
{
    s->variant.lane_count++;
}

// To the last lane.
static void add_step(struct setting *s, enum budget_kind budget, double amount,
                     struct script script)
{
    size_t lane = s->variant.lane_count - 1;
    size_t step = s->lanes[lane].step_count++;
    s->steps[lane][step].budget = budget;
    s->steps[lane][step].amount = amount;
    s->scripts[lane][step] = script;
}

static const struct script endless = {NONE, S / 100, VERDICT_UNKNOWN, VERDICT_UNKNOWN};

static struct script answers(int64_t after, enum verdict verdict)
{
    return (struct script){after, S / 100, verdict, VERDICT_UNKNOWN};
}

// Single behaviours.

static void the_first_verdict_wins_and_the_others_lose(void **state)
{
    (void)state;
    struct setting s;
    struct outcome o;
    setting_init(&s, 3, 60 * S);
    add_lane(&s);
    add_step(&s, BUDGET_REST, 0, answers(3 * S, VERDICT_SAFE));
    add_step(&s, BUDGET_REST, 0, endless);
    add_lane(&s);
    add_step(&s, BUDGET_REST, 0, answers(2 * S, VERDICT_UNSAFE));
    add_lane(&s);
    add_step(&s, BUDGET_REST, 0, endless);
    play(&s, &o);
    assert_int_equal(o.verdict, VERDICT_UNSAFE);
    assert_int_equal(o.winner, 1);
    assert_int_equal(o.count, 3);
    assert_int_equal(o.attempts[0].reason, END_LOST);
    assert_int_equal(o.attempts[2].reason, END_LOST);
    assert_false(o.contradiction);
    assert_true(o.end == 2 * S + S / 100);
    text_finish(&o.log);
}

static void shares_are_of_what_is_left(void **state)
{
    (void)state;
    struct setting s;
    struct outcome o;
    setting_init(&s, 1, 100 * S);
    add_lane(&s);
    add_step(&s, BUDGET_SHARE, 0.2, (struct script){NONE, 0, VERDICT_UNKNOWN, VERDICT_UNKNOWN});
    add_step(&s, BUDGET_SHARE, 0.5, answers(10 * S, VERDICT_UNKNOWN)); // gives 30 s back
    add_step(&s, BUDGET_SHARE, 0.5, (struct script){NONE, 0, VERDICT_UNKNOWN, VERDICT_UNKNOWN});
    add_step(&s, BUDGET_SECONDS, 5, (struct script){NONE, 0, VERDICT_UNKNOWN, VERDICT_UNKNOWN});
    add_step(&s, BUDGET_REST, 0, (struct script){NONE, 0, VERDICT_UNKNOWN, VERDICT_UNKNOWN});
    play(&s, &o);
    static const int64_t deadlines[] = {20, 60, 65, 70, 100};
    static const int64_t starts[] = {0, 20, 30, 65, 70};
    assert_int_equal(o.count, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(o.attempts[i].at == (1000 + starts[i]) * S);
        assert_true(o.attempts[i].deadline == (1000 + deadlines[i]) * S);
    }
    assert_int_equal(o.verdict, VERDICT_UNKNOWN);
    assert_true(o.end == 100 * S);
    text_finish(&o.log);
}

static void without_a_time_limit_shares_are_of_a_notional_time(void **state)
{
    (void)state;
    struct setting s;
    struct outcome o;
    setting_init(&s, 1, NONE);
    add_lane(&s);
    add_step(&s, BUDGET_SHARE, 0.1, endless);
    add_step(&s, BUDGET_STEPS, 5000, answers(S, VERDICT_UNKNOWN));
    add_step(&s, BUDGET_REST, 0, answers(100000 * S, VERDICT_SAFE));
    play(&s, &o);
    assert_true(o.attempts[0].deadline == 1000 * S + SCHEDULE_NOTIONAL_SECONDS * S / 10);
    assert_true(o.attempts[1].deadline == NONE);
    assert_true(o.attempts[2].deadline == NONE);
    assert_non_null(strstr(text_string(&o.log), " 5000 "));
    assert_int_equal(o.verdict, VERDICT_SAFE);
    text_finish(&o.log);
}

static void a_lane_goes_on_whatever_ended_its_step(void **state)
{
    (void)state;
    struct setting s;
    struct outcome o;
    setting_init(&s, 1, 60 * S);
    add_lane(&s);
    add_step(&s, BUDGET_REST, 0, answers(S, VERDICT_UNKNOWN));
    add_step(&s, BUDGET_SECONDS, 2, endless);
    add_step(&s, BUDGET_REST, 0, answers(S, VERDICT_SAFE));
    play(&s, &o);
    assert_int_equal(o.count, 3);
    assert_int_equal(o.winner, 2);
    assert_int_equal(o.attempts[1].reason, END_TIMEOUT);
    text_finish(&o.log);
}

static void an_answer_after_the_request_to_stop_counts(void **state)
{
    (void)state;
    struct setting s;
    struct outcome o;
    setting_init(&s, 1, 60 * S);
    add_lane(&s);
    add_step(&s, BUDGET_SECONDS, 2, (struct script){NONE, S / 2, VERDICT_UNKNOWN, VERDICT_SAFE});
    add_step(&s, BUDGET_REST, 0, endless);
    play(&s, &o);
    assert_int_equal(o.count, 1);
    assert_int_equal(o.verdict, VERDICT_SAFE);
    text_finish(&o.log);
}

static struct script unchecked_proof(int64_t after)
{
    return (struct script){after, S / 100, VERDICT_SAFE, VERDICT_UNKNOWN, true};
}

// What lanes beside an unchecked proof of after ten seconds say, and who wins when.
static void a_checked_proof_is_waited_for_a_while(void **state)
{
    (void)state;
    static const struct {
        struct script other;
        int winner;
        int64_t end;
        bool contradiction;
    } cases[] = {
        {{12 * S, S / 100, VERDICT_SAFE, VERDICT_UNKNOWN, false}, 1, 12 * S, false},
        {{12 * S, S / 100, VERDICT_UNSAFE, VERDICT_UNKNOWN, false}, 0, 12 * S, true},
        {{12 * S, S / 100, VERDICT_UNKNOWN, VERDICT_UNKNOWN, false}, 0, 12 * S, false},
        {{12 * S, S / 100, VERDICT_SAFE, VERDICT_UNKNOWN, true}, 0, 12 * S, false},
        {{16 * S, S / 100, VERDICT_SAFE, VERDICT_UNKNOWN, false}, 0, 15 * S + S / 100, false},
        {{NONE, S / 100, VERDICT_UNKNOWN, VERDICT_UNKNOWN, false}, 0, 15 * S + S / 100, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting s;
        struct outcome o;
        setting_init(&s, 2, 60 * S);
        add_lane(&s);
        add_step(&s, BUDGET_REST, 0, unchecked_proof(10 * S));
        add_lane(&s);
        add_step(&s, BUDGET_REST, 0, cases[i].other);
        play(&s, &o);
        assert_int_equal(o.verdict, VERDICT_SAFE);
        assert_int_equal(o.winner, cases[i].winner);
        assert_int_equal(o.contradiction, cases[i].contradiction);
        assert_int_equal(o.count, 2);
        assert_int_equal(o.end, cases[i].end);
        text_finish(&o.log);
    }
}

// Nobody is left, or the race's time is up first; a sequential race is over at once.
static void a_grace_is_no_longer_than_the_race(void **state)
{
    (void)state;
    static const struct {
        unsigned cores;
        bool sequential;
        struct script next;
        int winner;
        int64_t end;
    } cases[] = {
        {1, false, {S / 2, S / 100, VERDICT_UNKNOWN, VERDICT_UNKNOWN, false}, 0, 10 * S + S / 2},
        {1, false, {S / 2, S / 100, VERDICT_SAFE, VERDICT_UNKNOWN, false}, 1, 10 * S + S / 2},
        {1, false, {NONE, S / 100, VERDICT_UNKNOWN, VERDICT_UNKNOWN, false}, 0, 11 * S + S / 100},
        {1, true, {S / 2, S / 100, VERDICT_SAFE, VERDICT_UNKNOWN, false}, 0, 10 * S},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting s;
        struct outcome o;
        setting_init(&s, cases[i].cores, 11 * S);
        s.sequential = cases[i].sequential;
        add_lane(&s);
        add_step(&s, BUDGET_REST, 0, unchecked_proof(10 * S));
        add_step(&s, BUDGET_REST, 0, cases[i].next);
        play(&s, &o);
        assert_int_equal(o.verdict, VERDICT_SAFE);
        assert_int_equal(o.winner, cases[i].winner);
        assert_true(o.end == cases[i].end);
        text_finish(&o.log);
    }
}

static void contradictions_are_seen(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        struct setting s;
        struct outcome o;
        setting_init(&s, 2, 60 * S);
        add_lane(&s);
        add_step(&s, BUDGET_REST, 0, answers(S, VERDICT_SAFE));
        add_lane(&s);
        enum verdict late = same ? VERDICT_SAFE : VERDICT_UNSAFE;
        add_step(&s, BUDGET_REST, 0, (struct script){NONE, S / 10, VERDICT_UNKNOWN, late});
        play(&s, &o);
        assert_int_equal(o.verdict, VERDICT_SAFE);
        assert_int_equal(o.winner, 0);
        assert_int_equal(o.contradiction, !same);
        text_finish(&o.log);
    }
}

static void an_interrupt_stops_everything(void **state)
{
    (void)state;
    struct setting s;
    struct outcome o;
    setting_init(&s, 2, 60 * S);
    s.interrupt_at = 3 * S;
    for (int lane = 0; lane < 4; lane++) {
        add_lane(&s);
        add_step(&s, BUDGET_REST, 0, endless);
        add_step(&s, BUDGET_REST, 0, endless);
    }
    play(&s, &o);
    assert_int_equal(o.count, 2);
    assert_int_equal(o.attempts[0].reason, END_INTERRUPTED);
    assert_int_equal(o.attempts[1].reason, END_INTERRUPTED);
    assert_true(o.end == 3 * S + S / 100);
    text_finish(&o.log);
}

static void lanes_wait_for_a_core_and_get_their_turn(void **state)
{
    (void)state;
    for (int sequential = 0; sequential < 2; sequential++) {
        struct setting s;
        struct outcome o;
        setting_init(&s, sequential ? 8 : 1, 90 * S);
        s.sequential = sequential;
        for (int lane = 0; lane < 3; lane++) {
            add_lane(&s);
            add_step(&s, BUDGET_REST, 0,
                     (struct script){NONE, 0, VERDICT_UNKNOWN, VERDICT_UNKNOWN});
        }
        play(&s, &o);
        assert_int_equal(o.most_running, 1);
        assert_int_equal(o.count, 3);
        for (int i = 0; i < 3; i++)
            assert_true(o.attempts[i].deadline == (1000 + 30 * (i + 1)) * S);
        text_finish(&o.log);
    }
}

static void a_lane_that_ends_early_leaves_its_time_to_those_waiting(void **state)
{
    (void)state;
    struct setting s;
    struct outcome o;
    setting_init(&s, 1, 90 * S);
    add_lane(&s);
    add_step(&s, BUDGET_REST, 0, answers(10 * S, VERDICT_UNKNOWN));
    add_lane(&s);
    add_step(&s, BUDGET_REST, 0, endless);
    add_lane(&s);
    add_step(&s, BUDGET_REST, 0, endless);
    play(&s, &o);
    assert_true(o.attempts[1].deadline == (1000 + 50) * S);
    text_finish(&o.log);
}

// Many random scripts.

static struct script random_script(struct random *r)
{
    static const enum verdict verdicts[] = {VERDICT_UNKNOWN, VERDICT_UNKNOWN, VERDICT_UNKNOWN,
                                            VERDICT_SAFE, VERDICT_UNSAFE};
    struct script script = {
        .answers_after = random_below(r, 3) ? (int64_t)random_below(r, 40 * S) : NONE,
        .reacts_after = (int64_t)random_below(r, S),
        .verdict = verdicts[random_below(r, 5)],
        .stopped_as = random_below(r, 8) ? VERDICT_UNKNOWN : verdicts[random_below(r, 5)],
    };
    return script;
}

static void random_setting(struct random *r, struct setting *s)
{
    setting_init(s, 1 + (unsigned)random_below(r, 5),
                 random_below(r, 4) ? (int64_t)(1 + random_below(r, 60)) * S : NONE);
    s->sequential = random_below(r, 5) == 0;
    size_t lanes = 1 + random_below(r, MOST_LANES);
    for (size_t lane = 0; lane < lanes; lane++) {
        add_lane(s);
        size_t steps = 1 + random_below(r, MOST_STEPS);
        for (size_t step = 0; step < steps; step++) {
            enum budget_kind budget = (enum budget_kind)random_below(r, 4);
            double amount = budget == BUDGET_SHARE ? (1 + (double)random_below(r, 100)) / 100
                                                   : 1 + (double)random_below(r, 30);
            struct script script = random_script(r);
            // Without any limit an endless attempt would be endless.
            if (s->limit == NONE && script.answers_after == NONE)
                script.answers_after = 5000 * S;
            add_step(s, budget, amount, script);
        }
    }
    if (random_below(r, 4) == 0)
        s->interrupt_at = (int64_t)random_below(r, 50 * S);
}

static void check_outcome(const struct setting *s, const struct outcome *o)
{
    unsigned cores = s->sequential ? 1 : s->cores;
    assert_true(o->most_running <= cores);
    bool safe = false, unsafe = false;
    int64_t run_end = s->limit == NONE ? NONE : 1000 * S + s->limit;
    for (size_t i = 0; i < o->count; i++) {
        const struct started *a = &o->attempts[i];
        assert_true(a->ended);
        assert_true(a->at < run_end && a->deadline <= run_end);
        if (!a->asked) // who is not asked to stop ends in time by itself
            assert_true(a->ends <= a->deadline);
        else
            assert_true(a->asked_at <= a->deadline);
        safe = safe || a->verdict == VERDICT_SAFE;
        unsafe = unsafe || a->verdict == VERDICT_UNSAFE;
    }
    assert_int_equal(o->contradiction, safe && unsafe);
    assert_int_equal(o->winner >= 0, safe || unsafe);
    if (o->winner < 0) {
        assert_int_equal(o->verdict, VERDICT_UNKNOWN);
        return;
    }
    const struct started *winner = &o->attempts[o->winner];
    assert_int_equal(o->verdict, winner->verdict);
    for (size_t i = 0; i < o->count; i++)
        if (o->attempts[i].verdict != VERDICT_UNKNOWN)
            assert_true(winner->ends <= o->attempts[i].ends);
}

// A race that ends without verdict, limit or interrupt has tried every step there was time for.
static void check_nothing_left_out(const struct setting *s, const struct outcome *o)
{
    if (o->winner >= 0 || s->interrupt_at != NONE || s->limit != NONE ||
        s->variant.lane_count > (s->sequential ? 1 : s->cores))
        return;
    size_t steps = 0;
    for (size_t lane = 0; lane < s->variant.lane_count; lane++)
        steps += s->lanes[lane].step_count;
    assert_int_equal(o->count, steps);
}

static void random_races_keep_the_rules(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 20);
    int verdicts = 0, contradictions = 0, unknowns = 0;
    for (int round = 0; round < 4000; round++) {
        static struct setting setting;
        static struct outcome first, second;
        random_setting(&random, &setting);
        play(&setting, &first);
        play(&setting, &second);
        assert_string_equal(text_string(&first.log), text_string(&second.log));
        check_outcome(&setting, &first);
        check_nothing_left_out(&setting, &first);
        verdicts += first.winner >= 0;
        unknowns += first.winner < 0;
        contradictions += first.contradiction;
        text_finish(&first.log);
        text_finish(&second.log);
    }
    // The scripts do cover it all.
    assert_true(verdicts > 500 && unknowns > 500 && contradictions > 50);
}

static void outcomes_are_the_reasons_an_attempt_ends(void **state)
{
    (void)state;
    for (int o = 0; o < ON_COUNT; o++)
        assert_true(end_reason_parse(plan_outcome_name((enum plan_outcome)o)) > END_SOLVED);
}

// What each kind of end leads to, in one lane.
static void ends_lead_where_the_plan_says(void **state)
{
    (void)state;
    struct plan_step steps[4] = {0};
    struct plan_lane lanes[2] = {{steps, 4}, {steps + 3, 1}};
    struct plan_variant variant = {.cores = 1, .lanes = lanes, .lane_count = 1};
    static const struct {
        enum end_reason reason;
        struct plan_reaction reaction;
        int next; // step, -1 = none
    } cases[] = {
        {END_STALLED, {REACTION_NEXT, 0, false}, 1},  {END_SOLVER, {REACTION_GOTO, 2, false}, 2},
        {END_MEMORY, {REACTION_END, 0, false}, -1},   {END_CRASHED, {REACTION_RETRY, 3, false}, 3},
        {END_UNKNOWN, {REACTION_GIVE, 0, false}, 1}, // nobody waits
        {END_INTERNAL, {REACTION_GOTO, 0, false}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct schedule_action *actions;
        steps[0] = (struct plan_step){0};
        for (int o = 0; o < ON_COUNT; o++)
            if (end_reason_parse(plan_outcome_name((enum plan_outcome)o)) == (int)cases[i].reason)
                steps[0].on[o] = cases[i].reaction;
        struct schedule *schedule = schedule_create(&variant, 1, 100 * S, false, NULL);
        struct schedule_event begin = {.kind = SCHEDULE_BEGIN};
        assert_int_equal(schedule_step(schedule, &begin, 0, &actions), 1);
        struct schedule_event ended = {SCHEDULE_ENDED, 0, VERDICT_UNKNOWN, cases[i].reason};
        assert_int_equal(schedule_step(schedule, &ended, S, &actions), 1);
        if (cases[i].next < 0) {
            assert_int_equal(actions[0].kind, SCHEDULE_FINISH);
        } else {
            assert_int_equal(actions[0].kind, SCHEDULE_START);
            assert_int_equal(actions[0].step, cases[i].next);
            assert_int_equal(actions[0].after, 0);
        }
        schedule_destroy(schedule);
    }
}

// Two lanes on one core: who gives comes after who waits, and goes on with its next step.
static void a_core_given_away_comes_back(void **state)
{
    (void)state;
    struct plan_step steps[2] = {0}, other[1] = {0};
    steps[0].on[ON_STALLED] = (struct plan_reaction){REACTION_GIVE, 0, true};
    struct plan_lane lanes[2] = {{steps, 2}, {other, 1}};
    struct plan_variant variant = {.cores = 1, .lanes = lanes, .lane_count = 2};
    struct schedule *schedule = schedule_create(&variant, 1, 100 * S, false, NULL);
    const struct schedule_action *actions;
    struct schedule_event event = {.kind = SCHEDULE_BEGIN};
    schedule_step(schedule, &event, 0, &actions);
    assert_int_equal(actions[0].lane, 0);
    event = (struct schedule_event){SCHEDULE_ENDED, 0, VERDICT_UNKNOWN, END_STALLED};
    assert_int_equal(schedule_step(schedule, &event, S, &actions), 1);
    assert_int_equal(actions[0].lane, 1);
    assert_int_equal(actions[0].after, -1);
    assert_int_equal(actions[0].precision_of, -1);
    event = (struct schedule_event){SCHEDULE_ENDED, 1, VERDICT_UNKNOWN, END_UNKNOWN};
    assert_int_equal(schedule_step(schedule, &event, 2 * S, &actions), 1);
    assert_int_equal(actions[0].lane, 0);
    assert_int_equal(actions[0].step, 1);
    assert_int_equal(actions[0].precision_of, 0); // kept while it waited
    assert_true(actions[0].deadline_ns == 100 * S);
    schedule_destroy(schedule);
}

// One lane of two steps, the first of which reacts to being stalled so, and perhaps a lane that waits:
// what starts when it is stalled.
static struct schedule_action after_stalling(struct plan_reaction reaction, bool last, bool waits)
{
    struct plan_step steps[3] = {0}, other[1] = {0};
    steps[last].on[ON_STALLED] = reaction;
    steps[2].retry_of = 1 + (size_t)last;
    struct plan_lane lanes[2] = {{steps, 3}, {other, 1}};
    struct plan_variant variant = {.cores = 1, .lanes = lanes, .lane_count = waits ? 2 : 1};
    struct schedule *schedule = schedule_create(&variant, 1, 100 * S, false, NULL);
    const struct schedule_action *actions;
    struct schedule_event event = {.kind = SCHEDULE_BEGIN};
    schedule_step(schedule, &event, 0, &actions);
    event = (struct schedule_event){SCHEDULE_ENDED, 0, VERDICT_UNKNOWN, END_STALLED};
    if (last) { // get there first
        event.reason = END_UNKNOWN;
        schedule_step(schedule, &event, S, &actions);
        assert_int_equal(actions[0].step, 1);
        event = (struct schedule_event){SCHEDULE_ENDED, 1, VERDICT_UNKNOWN, END_STALLED};
    }
    assert_int_equal(schedule_step(schedule, &event, 2 * S, &actions), 1);
    struct schedule_action action = actions[0];
    schedule_destroy(schedule);
    return action;
}

static void mitigation_is_for_when_nothing_else_is_left(void **state)
{
    (void)state;
    struct plan_reaction mitigate = {REACTION_MITIGATE, 2, true};
    struct schedule_action a = after_stalling(mitigate, true, false);
    assert_int_equal(a.kind, SCHEDULE_START);
    assert_int_equal(a.step, 2);
    assert_int_equal(a.precision_of, 1);
    a = after_stalling(mitigate, true, true); // another lane wants the core
    assert_int_equal(a.lane, 1);
    assert_int_equal(a.precision_of, -1);
    a = after_stalling(mitigate, false, false); // there is a next step
    assert_int_equal(a.step, 1);
    assert_int_equal(a.precision_of, -1);
}

static void the_schedule_says_whose_precision_is_kept(void **state)
{
    (void)state;
    static const enum plan_reaction_kind kinds[] = {REACTION_NEXT, REACTION_GOTO, REACTION_RETRY,
                                                    REACTION_GIVE};
    for (size_t i = 0; i < 4; i++)
        for (int keeps = 0; keeps < 2; keeps++) {
            struct plan_reaction reaction = {kinds[i], 2, keeps};
            struct schedule_action a = after_stalling(reaction, false, false);
            assert_int_equal(a.kind, SCHEDULE_START);
            assert_int_equal(a.precision_of, keeps ? 0 : -1);
        }
}

// A step of 10 s on which 50% may be added, in a lane that has 13 s: what a forecast leads to.
static int64_t forecast_leads_to(double extend, int64_t needs_ns, bool again)
{
    struct plan_step steps[2] = {
        {.budget = BUDGET_SECONDS, .amount = 10, .extend = extend},
        {.budget = BUDGET_REST},
    };
    struct plan_lane lane = {steps, 2};
    struct plan_variant variant = {.cores = 1, .lanes = &lane, .lane_count = 1};
    struct schedule *schedule = schedule_create(&variant, 1, 13 * S, false, NULL);
    const struct schedule_action *actions;
    struct schedule_event event = {.kind = SCHEDULE_BEGIN};
    schedule_step(schedule, &event, 0, &actions);
    event = (struct schedule_event){.kind = SCHEDULE_FORECAST, .needs_ns = needs_ns};
    int64_t now = 10 * S;
    assert_int_equal(schedule_step(schedule, &event, now, &actions), 1);
    if (again && actions[0].kind == SCHEDULE_EXTEND) {
        now = actions[0].deadline_ns;
        assert_true(schedule_next_deadline(schedule) == now);
        assert_int_equal(schedule_step(schedule, &event, now, &actions), 1);
    }
    struct schedule_action action = actions[0];
    schedule_destroy(schedule);
    if (action.kind == SCHEDULE_EXTEND)
        return action.deadline_ns;
    assert_int_equal(action.kind, SCHEDULE_STOP);
    assert_int_equal(action.reason, END_TIMEOUT);
    return 0;
}

static void time_is_added_for_what_will_finish(void **state)
{
    (void)state;
    assert_true(forecast_leads_to(0.5, 2 * S, false) == 12 * S + S / 2); // and a quarter
    assert_true(forecast_leads_to(0.2, 2 * S, false) == 12 * S);         // no more than allowed
    assert_true(forecast_leads_to(0.5, 3 * S, false) == 13 * S);         // nor than the lane has
    assert_true(forecast_leads_to(0.5, 3 * S + 1, false) == 0);
    assert_true(forecast_leads_to(0.1, 2 * S, false) == 0); // it would not do
    assert_true(forecast_leads_to(0.0, 1, false) == 0);     // the plan does not say so
    assert_true(forecast_leads_to(0.5, 0, false) == 0);     // nobody knows
    assert_true(forecast_leads_to(0.5, 1 * S, true) == 0);  // once
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_verdict_wins_and_the_others_lose),
        cmocka_unit_test(shares_are_of_what_is_left),
        cmocka_unit_test(without_a_time_limit_shares_are_of_a_notional_time),
        cmocka_unit_test(a_lane_goes_on_whatever_ended_its_step),
        cmocka_unit_test(an_answer_after_the_request_to_stop_counts),
        cmocka_unit_test(a_checked_proof_is_waited_for_a_while),
        cmocka_unit_test(a_grace_is_no_longer_than_the_race),
        cmocka_unit_test(contradictions_are_seen),
        cmocka_unit_test(an_interrupt_stops_everything),
        cmocka_unit_test(lanes_wait_for_a_core_and_get_their_turn),
        cmocka_unit_test(a_lane_that_ends_early_leaves_its_time_to_those_waiting),
        cmocka_unit_test(random_races_keep_the_rules),
        cmocka_unit_test(outcomes_are_the_reasons_an_attempt_ends),
        cmocka_unit_test(ends_lead_where_the_plan_says),
        cmocka_unit_test(a_core_given_away_comes_back),
        cmocka_unit_test(time_is_added_for_what_will_finish),
        cmocka_unit_test(mitigation_is_for_when_nothing_else_is_left),
        cmocka_unit_test(the_schedule_says_whose_precision_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
