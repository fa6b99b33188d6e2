#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "configs/plan_inside.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const step_keys[] = {
    "configuration", "budget",    "extend", "cpu",  "cores",
    "memory",        "isolation", "label",  "when", "on",
};

// A year: far beyond any use, far below what nanoseconds in 64 bits can hold.
#define LONGEST_SECONDS (366 * 86400.0)

// Budgets.

static bool parse_steps(const char *string, double *steps)
{
    char *end;
    double number = strtod(string, &end);
    if (end == string || (strcmp(end, " steps") != 0 && strcmp(end, " step") != 0))
        return false;
    *steps = number;
    return number >= 1 && number <= 9e15 && number == floor(number);
}

static bool parse_share(const char *string, double *share)
{
    char *end;
    double number = strtod(string, &end);
    if (end == string || strcmp(end, "%") != 0)
        return false;
    *share = number / 100;
    return true;
}

static bool budget_error(const char *string, const char *problem, struct position at,
                         struct messages *messages)
{
    message_add(messages, MESSAGE_ERROR, at, "budget: found \"%s\", %s", string, problem);
    return false;
}

static bool parse_budget(struct plan_step *step, const char *string, struct position at,
                         struct messages *messages)
{
    double amount;
    if (parse_share(string, &amount)) {
        if (!(amount > 0 && amount <= 1))
            return budget_error(string, "expected more than 0% and at most 100%", at, messages);
        step->budget = BUDGET_SHARE;
    } else if (parse_steps(string, &amount)) {
        step->budget = BUDGET_STEPS;
    } else if (text_parse_duration(string, &amount)) {
        if (!(amount > 0 && amount <= LONGEST_SECONDS))
            return budget_error(string, "expected a time above 0 and at most a year", at, messages);
        step->budget = BUDGET_SECONDS;
    } else {
        return budget_error(string, "expected a share \"20%\", a time \"5s\" or \"2000 steps\"", at,
                            messages);
    }
    step->amount = amount;
    return true;
}

static void read_extend(const struct plan *plan, const config_setting_t *group,
                        struct plan_step *step, struct messages *messages)
{
    const char *extend = config_string(group, "extend", plan->path, messages);
    if (extend == NULL)
        return;
    struct position at = config_position(plan->path, config_setting_get_member(group, "extend"));
    if (!parse_share(extend, &step->extend) || !(step->extend > 0 && step->extend <= 1)) {
        message_add(messages, MESSAGE_ERROR, at,
                    "extend: found \"%s\", expected a share of more than 0%% and at most 100%%",
                    extend);
        step->extend = 0;
    } else if (step->budget != BUDGET_SHARE && step->budget != BUDGET_SECONDS) {
        message_add(messages, MESSAGE_ERROR, at,
                    "extend: the step has no time of its own; give it a budget");
    }
}

// Cores, memory and isolation.

#define MOST_CORES 4096

static unsigned read_cores(const struct plan *plan, const config_setting_t *group,
                           struct messages *messages)
{
    const config_setting_t *member = config_setting_get_member(group, "cores");
    if (member == NULL)
        return 0;
    long long cores =
        config_setting_type(member) == CONFIG_TYPE_INT ? config_setting_get_int64(member) : 0;
    if (cores >= 1 && cores <= MOST_CORES)
        return (unsigned)cores;
    message_add(messages, MESSAGE_ERROR, config_position(plan->path, member),
                "cores: expected a whole number from 1 to %d", MOST_CORES);
    return 0;
}

static void read_memory(struct plan_step *step, const char *string, struct position at,
                        struct messages *messages)
{
    double share;
    if (parse_share(string, &share)) {
        step->memory_share = share;
        if (!(share > 0 && share <= 1))
            message_add(messages, MESSAGE_ERROR, at,
                        "memory: found \"%s\", expected more than 0%% and at most 100%%", string);
    } else if (!text_parse_size(string, &step->memory_bytes) || step->memory_bytes < 1 << 20) {
        message_add(messages, MESSAGE_ERROR, at,
                    "memory: found \"%s\", expected a size of 1MB and more, or a share \"25%%\"",
                    string);
    }
}

static void read_limits(const struct plan *plan, const config_setting_t *group,
                        struct plan_step *step, struct messages *messages)
{
    const char *memory = config_string(group, "memory", plan->path, messages);
    if (memory != NULL)
        read_memory(step, memory,
                    config_position(plan->path, config_setting_get_member(group, "memory")),
                    messages);
    const char *cpu = config_string(group, "cpu", plan->path, messages);
    if (cpu != NULL && (!text_parse_duration(cpu, &step->cpu_seconds) ||
                        !(step->cpu_seconds > 0 && step->cpu_seconds <= LONGEST_SECONDS)))
        message_add(messages, MESSAGE_ERROR,
                    config_position(plan->path, config_setting_get_member(group, "cpu")),
                    "cpu: found \"%s\", expected a time above 0 and at most a year", cpu);
    step->cores = read_cores(plan, group, messages);
    const char *isolation = config_string(group, "isolation", plan->path, messages);
    if (isolation != NULL && strcmp(isolation, "thread") == 0)
        step->isolation = ISOLATION_THREAD;
    else if (isolation != NULL && strcmp(isolation, "process") == 0)
        step->isolation = ISOLATION_PROCESS;
    else if (isolation != NULL)
        message_add(messages, MESSAGE_ERROR,
                    config_position(plan->path, config_setting_get_member(group, "isolation")),
                    "isolation: found \"%s\", expected \"thread\" or \"process\"", isolation);
}

// Steps.

void plan_read_step(const struct plan *plan, const config_setting_t *group, struct plan_step *step,
                    struct messages *messages)
{
    step->source = config_position(plan->path, group);
    if (!plan_expect_group(group, "a step", plan->path, messages))
        return;
    config_check_keys(group, "a step", step_keys, COUNT(step_keys), plan->path, messages);
    size_t before = messages->errors;
    const char *name = config_string(group, "configuration", plan->path, messages);
    if (name != NULL) {
        const config_setting_t *member = config_setting_get_member(group, "configuration");
        step->source = config_position(plan->path, member);
        step->configuration = configuration_set_find(&plan->configurations, name);
        if (step->configuration == NULL)
            config_unknown_configuration(&plan->configurations, name, step->source, messages);
    } else if (messages->errors == before) {
        message_add(messages, MESSAGE_ERROR, step->source, "a step has no configuration");
    }
    const char *budget = config_string(group, "budget", plan->path, messages);
    if (budget != NULL) {
        const config_setting_t *member = config_setting_get_member(group, "budget");
        parse_budget(step, budget, config_position(plan->path, member), messages);
    }
    read_extend(plan, group, step, messages);
    read_limits(plan, group, step, messages);
    const char *label = config_string(group, "label", plan->path, messages);
    step->label = label != NULL ? memory_strdup(label) : NULL;
    const char *when = config_string(group, "when", plan->path, messages);
    if (when != NULL) {
        const config_setting_t *member = config_setting_get_member(group, "when");
        step->when_text = memory_strdup(when);
        step->when = plan_guard_read(when, config_position(plan->path, member), messages);
    }
}

void plan_step_finish(struct plan_step *step)
{
    plan_guard_destroy(step->when);
    memory_free(step->label);
    memory_free(step->when_text);
}
