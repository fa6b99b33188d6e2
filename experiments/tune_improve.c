#include "experiments/tune_improve.h"

#include <assert.h>
#include <string.h>

#include "experiments/tune_rival.h"

static_assert(IMPROVER_NO_RECORDS == TUNE_NO_RECORDS, "both say that there are no records");

// Reading a variant

// What a step has that the improver could not keep; NULL = nothing.
static const char *beyond(const struct plan_step *step)
{
    for (int o = 0; o < ON_COUNT; o++)
        if (step->on[o].kind != REACTION_NEXT || step->on[o].keeps_precision)
            return "a step with reactions";
    return step->label != NULL                 ? "a step with a label"
           : step->cpu_seconds > 0             ? "a step with a limit of CPU time"
           : step->extend > 0                  ? "a step that may be extended"
           : step->cores > 1                   ? "a step of several cores"
           : step->isolation != ISOLATION_AUTO ? "a step with an isolation of its own"
           : step->memory_bytes > 0            ? "a step with a memory limit"
           : step->memory_share > 0            ? "a step with a memory limit"
           : step->budget == BUDGET_STEPS      ? "a step with a number of engine steps"
                                               : NULL;
}

static size_t guard_of(struct tune_improve *improve, const char *text)
{
    for (size_t g = 0; g < improve->texts.count; g++)
        if (text == NULL
                ? improve->texts.data[g] == NULL
                : improve->texts.data[g] != NULL && strcmp(improve->texts.data[g], text) == 0)
            return g;
    VECTOR_PUSH(&improve->texts, text);
    return improve->texts.count - 1;
}

static bool add_step(struct tune_improve *improve, const struct tune_table *table,
                     const struct tuned_configurations *configurations,
                     const struct plan_step *step, struct improver_lane *lane, struct text *why)
{
    const char *more = beyond(step);
    if (more == NULL && lane->count == IMPROVER_MOST_STEPS)
        more = "more steps than can be tuned";
    if (more != NULL) {
        text_printf(why, "%s:%u:%u: found %s, which --improve does not support", step->source.path,
                    step->source.line, step->source.column, more);
        return false;
    }
    lane->steps[lane->count++] = (struct improver_step){
        .configuration = tune_column_of(table, configurations, step->configuration),
        .share = step->budget == BUDGET_SHARE  ? step->amount
                 : step->budget == BUDGET_REST ? 1
                                               : 0,
        .seconds = step->budget == BUDGET_SECONDS ? step->amount : 0,
        .guard = guard_of(improve, step->when_text),
        .origin = improve->steps.count,
    };
    VECTOR_PUSH(&improve->steps, step);
    return true;
}

// Which guards hold for which tasks.
static void look(struct tune_improve *improve, const struct tune_table *table,
                 const struct tune_facts *facts)
{
    improve->guards = memory_alloc(improve->texts.count * table->task_count * sizeof(bool));
    for (size_t t = 0; t < table->task_count; t++) {
        struct plan_facts known;
        tune_plan_facts(facts, t, &known);
        improve->guards[t] = true;
        for (size_t s = 0; s < improve->steps.count; s++) {
            const struct plan_step *step = improve->steps.data[s];
            size_t g = guard_of(improve, step->when_text);
            improve->guards[g * table->task_count + t] = plan_guard_holds(step->when, &known);
        }
    }
    improve->now.guards = improve->guards;
    improve->now.guard_count = improve->texts.count;
}

// What the columns of the table run: of the plan, or as the records have it, by the name there unless the plan has that
// for another.
static bool find_columns(struct tune_improve *improve, const struct tune_table *table,
                         const struct tuned_configurations *known, struct text *why)
{
    const struct configuration_set *own = &improve->plan->configurations;
    size_t count = table->configuration_count;
    improve->columns = memory_zalloc((count + 1) * sizeof *improve->columns);
    improve->made.items = memory_zalloc((count + 1) * sizeof *improve->made.items);
    for (size_t i = 0; i < own->count; i++) {
        size_t column = tune_column_of(table, known, &own->items[i]);
        if (column != TUNE_NO_RECORDS && improve->columns[column] == NULL)
            improve->columns[column] = &own->items[i];
    }
    for (size_t c = 0; c < count; c++) {
        if (improve->columns[c] != NULL)
            continue;
        struct configuration *made = &improve->made.items[improve->made.count++];
        struct text name;
        text_init(&name);
        tune_plan_add_name(&name, table, c);
        if (configuration_set_find(own, text_string(&name)) != NULL)
            text_printf(&name, "-%zu", c + 1);
        configuration_init(made, text_string(&name));
        text_finish(&name);
        if (!tune_plan_read_configuration(table, c, known, made, why))
            return false;
        improve->columns[c] = made;
    }
    return true;
}

bool tune_improve_init(struct tune_improve *improve, const struct tune_table *table,
                       const struct tune_facts *facts,
                       const struct tuned_configurations *configurations, const struct plan *plan,
                       unsigned cores, struct text *why)
{
    *improve = (struct tune_improve){.plan = plan, .variant = plan_variant_for(plan, cores)};
    guard_of(improve, NULL);
    if (improve->variant->lane_count > plan_variant_seats(improve->variant, cores)) {
        text_printf(why,
                    "%s: its variant for %u cores has %zu lanes, which take turns: --improve does "
                    "not support that",
                    plan->path, cores, improve->variant->lane_count);
        return false;
    }
    improve->now.lane_count = improve->variant->lane_count;
    improve->now.cores = improve->variant->share > 1 ? cores : 0;
    for (size_t l = 0; l < improve->variant->lane_count; l++) {
        const struct plan_lane *lane = &improve->variant->lanes[l];
        for (size_t s = 0; s < lane->step_count; s++)
            if (!add_step(improve, table, configurations, &lane->steps[s], &improve->now.lanes[l],
                          why))
                return false;
    }
    look(improve, table, facts);
    return find_columns(improve, table, configurations, why);
}

void tune_improve_finish(struct tune_improve *improve)
{
    memory_free(improve->guards);
    VECTOR_FINISH(&improve->texts);
    VECTOR_FINISH(&improve->steps);
    memory_free(improve->columns);
    for (size_t i = 0; i < improve->made.count; i++)
        configuration_finish(&improve->made.items[i]);
    memory_free(improve->made.items);
}

// Printing

static const struct configuration *configuration_of(const struct tune_improve *improve,
                                                    const struct improver_step *step)
{
    return step->origin != IMPROVER_NEW ? improve->steps.data[step->origin]->configuration
                                        : improve->columns[step->configuration];
}

static void add_budget(struct text *out, const struct improver_step *step)
{
    if (step->share == 0)
        text_printf(out, "%gs", step->seconds);
    else
        text_printf(out, "%g%%", 100 * step->share);
}

static void add_change(struct text *out, const struct tune_improve *improve,
                       const struct improver_change *change, size_t tasks)
{
    static const char *const what[] = {
        [IMPROVER_SHARE] = "other time,", [IMPROVER_SWAP] = "later,", [IMPROVER_INSERT] = "new,"};
    const char *guard = improve->texts.data[change->step.guard];
    text_printf(out, "  lane %zu, step %zu: %s %s ", change->lane + 1, change->at + 1,
                what[change->kind], configuration_of(improve, &change->step)->name);
    add_budget(out, &change->step);
    text_printf(out, "%s%s: %.4f s a task\n", guard != NULL ? " when " : "",
                guard != NULL ? guard : "", change->gain_seconds / (double)tasks);
}

static void add_part(struct text *out, const struct tune_improve *improve,
                     const struct tune_table *table, const struct improver_plan *better,
                     const struct tune_part *part)
{
    struct tune_sum before = {0}, after = {0}, best = tune_sum_best(table, part);
    for (size_t i = 0; i < part->count; i++) {
        struct tune_run was = improver_play(table, &improve->now, part->tasks[i]),
                        is = improver_play(table, better, part->tasks[i]);
        tune_sum_add(&before, &was, table->limit_seconds);
        tune_sum_add(&after, &is, table->limit_seconds);
    }
    tune_add_sum(out, "the plan as it was", &before);
    tune_add_sum(out, "this plan", &after);
    tune_add_sum(out, "virtual best", &best);
}

static size_t cores_of(const struct improver_plan *plan)
{
    return plan->cores > 0 ? plan->cores : plan->lane_count;
}

void tune_improve_evidence(struct text *out, const struct tune_improve *improve,
                           const struct tune_table *table, const struct improver_plan *better,
                           const struct tune_part *known, const struct tune_part *test)
{
    size_t cores = cores_of(better);
    text_printf(out, "plan %s for %zu core%s and %g s, changes (PAR-2 gained by each):\n",
                improve->plan->name, cores, cores == 1 ? "" : "s", table->limit_seconds);
    for (size_t i = 0; i < better->change_count; i++)
        add_change(out, improve, &better->changes[i], known->count);
    if (better->change_count == 0)
        text_add(out, "  none: nothing gains more than its standard error\n");
    text_add(out, "on the tasks learned from:\n");
    add_part(out, improve, table, better, known);
    if (test->count > 0) {
        text_add(out, "on the tasks held out:\n");
        add_part(out, improve, table, better, test);
    }
}

// Each once: by name, of which a plan has no two.
static void add_configurations(struct text *out, const struct tune_improve *improve,
                               const struct improver_plan *better)
{
    VECTOR(const struct configuration *) used = {0};
    bool first = true;
    for (size_t l = 0; l < better->lane_count; l++)
        for (size_t s = 0; s < better->lanes[l].count; s++) {
            const struct configuration *c = configuration_of(improve, &better->lanes[l].steps[s]);
            bool there = false;
            for (size_t i = 0; i < used.count; i++)
                there |= strcmp(used.data[i]->name, c->name) == 0;
            if (there)
                continue;
            tune_plan_add_configuration(out, c, &first);
            VECTOR_PUSH(&used, c);
        }
    VECTOR_FINISH(&used);
}

static void add_lane(struct text *out, const struct tune_improve *improve,
                     const struct improver_lane *lane)
{
    text_add(out, "      { steps = (\n");
    for (size_t s = 0; s < lane->count; s++) {
        const struct improver_step *step = &lane->steps[s];
        const char *guard = improve->texts.data[step->guard];
        text_printf(out, "          { configuration = \"%s\";",
                    configuration_of(improve, step)->name);
        if (step->share < 1) {
            text_add(out, " budget = \"");
            add_budget(out, step);
            text_add(out, "\";");
        }
        if (guard != NULL) {
            text_add(out, " when = ");
            tune_plan_add_quoted(out, guard);
            text_add_char(out, ';');
        }
        text_add(out, s + 1 < lane->count ? " },\n" : " } ); }");
    }
}

void tune_improve_print(struct text *out, const char *name, const struct tune_improve *improve,
                        const struct tune_table *table, const struct improver_plan *better,
                        const char *evidence)
{
    tune_plan_add_head(out, name, cores_of(better), table->limit_seconds, evidence);
    add_configurations(out, improve, better);
    text_printf(out, "\n);\ncooperate = %s;\nvariants = (\n  { cores = 1;\n",
                improve->plan->cooperate ? "true" : "false");
    if (improve->variant->share > 1)
        text_printf(out, "    share = %u;\n", improve->variant->share);
    text_add(out, "    lanes = (\n");
    for (size_t l = 0; l < better->lane_count; l++) {
        add_lane(out, improve, &better->lanes[l]);
        text_add(out, l + 1 < better->lane_count ? ",\n" : "");
    }
    text_add(out, "\n    ); }\n);\n");
}
