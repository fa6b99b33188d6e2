#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "configs/plan_inside.h"

// What a step does when it ends without a verdict.

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const outcome_names[] = {
#define X(constant, name) name,
    PLAN_OUTCOMES(X)
#undef X
};

const char *plan_outcome_name(enum plan_outcome outcome)
{
    return outcome_names[outcome];
}

struct lane_reader {
    struct plan *plan;
    struct plan_lane *lane;
    size_t visible; // steps as written; retries come behind them
    struct messages *messages;
};

static bool find_label(const struct lane_reader *r, const char *label, struct position at,
                       size_t *target)
{
    VECTOR(const char *) labels = {0};
    bool found = false;
    for (size_t i = 0; i < r->visible && !found; i++) {
        const char *here = r->lane->steps[i].label;
        if (here != NULL && strcmp(here, label) == 0) {
            *target = i;
            found = true;
        } else if (here != NULL) {
            VECTOR_PUSH(&labels, here);
        }
    }
    if (!found) {
        struct text text;
        text_init(&text);
        text_printf(&text, "goto: this lane has no label \"%s\"", label);
        config_suggest(&text, label, labels.data, labels.count);
        message_add(r->messages, MESSAGE_ERROR, at, "%s", text_string(&text));
        text_finish(&text);
    }
    VECTOR_FINISH(&labels);
    return found;
}

// The step once more with changed settings, at the end of the lane.
static bool add_retry(struct lane_reader *r, size_t owner, const char *changes, struct position at,
                      size_t *target)
{
    assert(owner < r->visible); // retries have no retries
    const struct configuration *base = r->lane->steps[owner].configuration;
    if (base == NULL)
        return false; // said already
    struct configuration *changed = memory_zalloc(sizeof *changed);
    configuration_copy(changed, base);
    struct messages inner;
    messages_init(&inner);
    bool good =
        configuration_parse(changed, changes, &inner) && configuration_check(changed, &inner);
    for (size_t i = 0; i < inner.count; i++)
        message_add(r->messages, inner.items[i].kind, at, "retry: %s", inner.items[i].text);
    messages_finish(&inner);
    if (good && hash128_equal(changed->fingerprint, base->fingerprint)) {
        message_add(r->messages, MESSAGE_ERROR, at, "retry: \"%s\" changes nothing", changes);
        good = false;
    }
    struct text name;
    text_init(&name);
    text_printf(&name, "%s,%s", base->name, changes);
    memory_free(changed->name);
    changed->name = text_steal(&name);
    struct plan *plan = r->plan;
    VECTOR(struct configuration *)
    derived = {plan->derived, plan->derived_count, plan->derived_capacity};
    VECTOR_PUSH(&derived, changed);
    plan->derived = derived.data;
    plan->derived_count = derived.count;
    plan->derived_capacity = derived.capacity;
    struct plan_step *steps =
        memory_realloc(r->lane->steps, (r->lane->step_count + 1) * sizeof *r->lane->steps);
    r->lane->steps = steps;
    const struct plan_step *from = &steps[owner];
    steps[r->lane->step_count] = (struct plan_step){
        .configuration = changed,
        .budget = from->budget,
        .amount = from->amount,
        .extend = from->extend,
        .cpu_seconds = from->cpu_seconds,
        .cores = from->cores,
        .isolation = from->isolation,
        .memory_bytes = from->memory_bytes,
        .memory_share = from->memory_share,
        .retry_of = owner + 1,
        .source = at,
    };
    *target = r->lane->step_count++;
    return good;
}

// The same step with mitigation in place of detection.
static bool add_mitigation(struct lane_reader *r, size_t owner, struct position at, size_t *target)
{
    const struct configuration *base = r->lane->steps[owner].configuration;
    if (base == NULL)
        return false; // said already
    int64_t monitor = base->values[OPTION_MONITOR];
    if (base->values[OPTION_ENGINE] == ENGINE_CEGAR && monitor != MONITOR_MITIGATE &&
        monitor != MONITOR_MITIGATE_ARG) {
        int64_t patience = option_describe(OPTION_PATIENCE)->standard;
        char changes[64], waits[32] = ""; // mitigation has no patience, which must have its default
        if (base->values[OPTION_PATIENCE] != patience)
            snprintf(waits, sizeof waits, ",patience=%d", (int)patience);
        snprintf(changes, sizeof changes, "monitor=%s%s",
                 monitor == MONITOR_CHECK_ARG ? "MITIGATE_ARG" : "MITIGATE", waits);
        return add_retry(r, owner, changes, at, target);
    }
    message_add(r->messages, MESSAGE_ERROR, at, "mitigate: %s %s", base->name,
                base->values[OPTION_ENGINE] == ENGINE_CEGAR ? "mitigates already"
                                                            : "has no counterexamples to go past");
    return false;
}

// Takes " keeping precision" off the end.
static bool take_keeping(char *string)
{
    static const char suffix[] = " keeping precision";
    size_t length = strlen(string), cut = sizeof suffix - 1;
    if (length < cut || strcmp(string + length - cut, suffix) != 0)
        return false;
    string[length - cut] = '\0';
    return true;
}

static void read_reaction(struct lane_reader *r, size_t step, enum plan_outcome outcome,
                          const char *written, struct position at)
{
    char *string = memory_strdup(written);
    struct plan_reaction reaction = {.keeps_precision = take_keeping(string)};
    bool good = true;
    if (strcmp(string, "next") == 0) {
        reaction.kind = REACTION_NEXT;
    } else if (strcmp(string, "end") == 0 && !reaction.keeps_precision) {
        reaction.kind = REACTION_END;
    } else if (strcmp(string, "mitigate") == 0 && !reaction.keeps_precision) {
        reaction.kind = REACTION_MITIGATE;
        reaction.keeps_precision = true;
        good = add_mitigation(r, step, at, &reaction.target);
    } else if (strcmp(string, "give") == 0) {
        reaction.kind = REACTION_GIVE;
    } else if (strncmp(string, "goto ", 5) == 0) {
        reaction.kind = REACTION_GOTO;
        good = find_label(r, string + 5, at, &reaction.target);
    } else if (strncmp(string, "retry ", 6) == 0) {
        reaction.kind = REACTION_RETRY;
        good = add_retry(r, step, string + 6, at, &reaction.target);
    } else {
        message_add(r->messages, MESSAGE_ERROR, at,
                    "%s: found \"%s\", expected next, end, give, mitigate, goto LABEL or retry "
                    "CHANGES, and perhaps keeping precision",
                    outcome_names[outcome], written);
        good = false;
    }
    memory_free(string);
    if (good)
        r->lane->steps[step].on[outcome] = reaction;
}

static void read_on(struct lane_reader *r, size_t step, const config_setting_t *group)
{
    const char *path = r->plan->path;
    const config_setting_t *on = config_setting_get_member(group, "on");
    if (on == NULL || !plan_expect_group(on, "reactions", path, r->messages))
        return;
    config_check_keys(on, "reactions", outcome_names, COUNT(outcome_names), path, r->messages);
    for (int o = 0; o < ON_COUNT; o++) {
        const char *string = config_string(on, outcome_names[o], path, r->messages);
        if (string != NULL)
            read_reaction(r, step, (enum plan_outcome)o, string,
                          config_position(path, config_setting_get_member(on, outcome_names[o])));
    }
}

static void check_labels(const struct lane_reader *r)
{
    const struct plan_step *steps = r->lane->steps;
    for (size_t i = 0; i < r->visible; i++)
        for (size_t k = 0; k < i && steps[i].label != NULL; k++)
            if (steps[k].label != NULL && strcmp(steps[k].label, steps[i].label) == 0)
                message_add(r->messages, MESSAGE_ERROR, steps[i].source,
                            "there is already a step labelled \"%s\" in this lane", steps[i].label);
}

void plan_read_reactions(struct plan *plan, const config_setting_t *steps, struct plan_lane *lane,
                         struct messages *messages)
{
    struct lane_reader r = {plan, lane, lane->step_count, messages};
    check_labels(&r);
    for (size_t i = 0; i < r.visible; i++) {
        const config_setting_t *group = config_setting_get_elem(steps, (unsigned)i);
        if (config_setting_type(group) == CONFIG_TYPE_GROUP)
            read_on(&r, i, group);
    }
}

// Checks.

static void reach(const struct plan_lane *lane, size_t step, bool *reached)
{
    while (step != PLAN_END && !reached[step]) {
        assert(step < lane->step_count);
        const struct plan_step *s = &lane->steps[step];
        reached[step] = true;
        // A guard that is false hands over to the next step as well.
        bool next = s->when != NULL;
        for (int o = 0; o < ON_COUNT; o++) {
            if (o == ON_CPUTIME && s->cpu_seconds <= 0)
                continue;
            if (s->on[o].kind == REACTION_GOTO || s->on[o].kind == REACTION_RETRY ||
                s->on[o].kind == REACTION_MITIGATE)
                reach(lane, s->on[o].target, reached);
            if (s->on[o].kind == REACTION_NEXT || s->on[o].kind == REACTION_GIVE ||
                s->on[o].kind == REACTION_MITIGATE)
                next = true;
        }
        if (!next)
            return;
        step = plan_step_next(lane, step);
    }
}

// A step whose own budget is not less than all that is left cannot be timed out before its lane is.
static void check_budget(const struct plan_step *step, struct messages *messages)
{
    bool whole = step->budget == BUDGET_REST || step->budget == BUDGET_STEPS ||
                 (step->budget == BUDGET_SHARE && step->amount >= 1);
    if (whole && !step->retry_of && step->on[ON_TIMEOUT].kind != REACTION_NEXT)
        message_add(messages, MESSAGE_ERROR, step->source,
                    "on timeout: the step may use all the time that is left, so nothing can come "
                    "after its timeout; give it a budget");
    if (step->budget != BUDGET_STEPS && !step->retry_of && step->on[ON_STEPS].kind != REACTION_NEXT)
        message_add(messages, MESSAGE_ERROR, step->source,
                    "on steps: the step's budget is not in steps");
    if (step->cpu_seconds <= 0 && !step->retry_of && step->on[ON_CPUTIME].kind != REACTION_NEXT)
        message_add(messages, MESSAGE_ERROR, step->source,
                    "on cputime: the step has no limit of CPU time; give it one: cpu = \"10s\"");
}

static void check_lane(const struct plan_lane *lane, struct messages *messages)
{
    bool *reached = memory_zalloc((lane->step_count + 1) * sizeof *reached);
    if (lane->step_count)
        reach(lane, 0, reached);
    static const struct plan_facts none = {0};
    for (size_t i = 0; i < lane->step_count; i++) {
        const struct plan_step *s = &lane->steps[i];
        bool never =
            s->when != NULL && plan_guard_constant(s->when) && !plan_guard_holds(s->when, &none);
        if (!reached[i] || never)
            message_add(messages, MESSAGE_ERROR, s->source, "this step cannot be reached%s",
                        never ? ": its guard is never true" : "");
        check_budget(s, messages);
    }
    memory_free(reached);
}

// Seats on a core are parts of its time: a step that wants several cores would get a part of one.
static void check_cores(const struct plan_lane *lane, struct messages *messages)
{
    for (size_t i = 0; i < lane->step_count; i++)
        if (lane->steps[i].cores > 1 && !lane->steps[i].retry_of)
            message_add(messages, MESSAGE_ERROR, lane->steps[i].source,
                        "cores: a step takes %u cores, which lanes that share cores do not have",
                        lane->steps[i].cores);
}

void plan_check_variant(const struct plan_variant *variant, struct messages *messages)
{
    double shares = 0;
    for (size_t l = 0; l < variant->lane_count; l++) {
        const struct plan_lane *lane = &variant->lanes[l];
        double most = 0;
        for (size_t i = 0; i < lane->step_count; i++)
            if (lane->steps[i].memory_share > most)
                most = lane->steps[i].memory_share;
        shares += most;
        check_lane(lane, messages);
        if (variant->share > 1)
            check_cores(lane, messages);
    }
    // Lanes that wait for a core take nothing meanwhile.
    if (variant->lane_count <= plan_variant_seats(variant, variant->cores) && shares > 1 + 1e-9)
        message_add(messages, MESSAGE_ERROR, variant->lanes[0].steps[0].source,
                    "memory: the lanes may take %.0f%% together", shares * 100);
}
