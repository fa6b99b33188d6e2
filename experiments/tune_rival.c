#include "experiments/tune_rival.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "configs/configuration.h"
#include "portfolio/simulate.h"

struct played_step {
    size_t column; // of the table, or TUNE_NO_RECORDS
    bool missed;   // began all the same
};

struct playing {
    const struct tune_table *table;
    const struct plan_variant *variant;
    struct played_step **steps; // by lane
    size_t task;
    bool misses; // on this task
};

static bool is_same(const struct tune_table *table, size_t column,
                    const struct tuned_configurations *known,
                    const struct configuration *configuration)
{
    const char *text = tuned_configuration_text(table, column, known);
    if (*text == '\0')
        return strcmp(tune_configuration_name(table, column), configuration->name) == 0;
    struct configuration recorded;
    struct messages messages;
    messages_init(&messages);
    configuration_init(&recorded, "");
    bool same = configuration_parse(&recorded, text, &messages) &&
                hash128_equal(recorded.fingerprint, configuration->fingerprint);
    configuration_finish(&recorded);
    messages_finish(&messages);
    return same;
}

size_t tune_column_of(const struct tune_table *table, const struct tuned_configurations *known,
                      const struct configuration *configuration)
{
    for (size_t c = 0; c < table->configuration_count; c++)
        if (is_same(table, c, known, configuration))
            return c;
    return TUNE_NO_RECORDS;
}

static struct simulated_end act(void *context, const struct schedule_action *start)
{
    struct playing *p = context;
    assert(start->lane < p->variant->lane_count &&
           start->step < p->variant->lanes[start->lane].step_count);
    struct played_step *step = &p->steps[start->lane][start->step];
    struct simulated_end never = {.after_ns = INT64_MAX, .reason = END_UNKNOWN};
    size_t column = step->column;
    if (column == TUNE_NO_RECORDS) {
        step->missed = p->misses = true;
        return never;
    }
    const struct tune_run *run = tune_run(p->table, p->task, column);
    if (run->seconds == INFINITY)
        return never;
    const struct score_cell *cell =
        score_cell(p->table->score, p->table->rows[column], p->table->tasks[p->task]);
    struct simulated_end end = {.after_ns = (int64_t)(run->seconds * 1e9), .reason = cell->reason};
    if (run->end != TUNE_UNSOLVED) {
        // The schedule is told how the answer compares with the expected one, not what it was.
        end.verdict = run->end == TUNE_SOLVED ? VERDICT_SAFE : VERDICT_UNSAFE;
        end.reason = END_SOLVED;
    }
    return end;
}

bool tune_plan_facts(const struct tune_facts *facts, size_t task, struct plan_facts *out)
{
    bool known = false;
    *out = (struct plan_facts){{0}};
    for (int f = 0; f < FACT_COUNT; f++)
        for (size_t i = 0; i < facts->facts.count; i++) {
            const struct tune_fact *fact = &facts->facts.data[i];
            if (strcmp(fact->name, plan_fact_name((enum plan_fact)f)) != 0 ||
                isnan(fact->values[task]))
                continue;
            out->values[f] = (int64_t)fact->values[task];
            known = true;
        }
    return known;
}

static struct tune_run play(struct playing *p, const struct plan_facts *facts, unsigned cores)
{
    struct schedule *schedule =
        schedule_create(p->variant, plan_variant_seats(p->variant, cores),
                        (int64_t)(p->table->limit_seconds * 1e9), false, facts);
    const struct simulation simulation = {.schedule = schedule,
                                          .cores = cores,
                                          .script = act,
                                          .interrupt_ns = INT64_MAX,
                                          .context = p};
    int64_t end = simulate(&simulation);
    enum verdict verdict = schedule_verdict(schedule);
    schedule_destroy(schedule);
    assert(end >= 0); // there is a limit
    if (verdict == VERDICT_UNKNOWN)
        return (struct tune_run){TUNE_UNSOLVED, INFINITY};
    return (struct tune_run){verdict == VERDICT_SAFE ? TUNE_SOLVED : TUNE_WRONG, (double)end / 1e9};
}

static void begin(struct playing *p, const struct tuned_configurations *known)
{
    const struct plan_variant *variant = p->variant;
    p->steps = memory_alloc(variant->lane_count * sizeof *p->steps);
    for (size_t l = 0; l < variant->lane_count; l++) {
        const struct plan_lane *lane = &variant->lanes[l];
        p->steps[l] = memory_alloc(lane->step_count * sizeof **p->steps);
        for (size_t s = 0; s < lane->step_count; s++)
            p->steps[l][s] = (struct played_step){
                tune_column_of(p->table, known, lane->steps[s].configuration), false};
    }
}

static bool is_told(const struct text *missing, const char *name)
{
    size_t length = strlen(name);
    const char *all = text_string(missing);
    for (const char *at = all; (at = strstr(at, name)) != NULL; at++)
        if ((at == all || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static void finish(struct playing *p, struct text *missing)
{
    for (size_t l = 0; l < p->variant->lane_count; l++) {
        const struct plan_lane *lane = &p->variant->lanes[l];
        for (size_t s = 0; s < lane->step_count; s++) {
            const char *name = lane->steps[s].configuration->name;
            if (p->steps[l][s].missed && !is_told(missing, name))
                text_printf(missing, "%s%s", missing->length > 0 ? ", " : "", name);
        }
        memory_free(p->steps[l]);
    }
    memory_free(p->steps);
}

void tune_rival_play(struct tune_rival *rival, const struct tune_table *table,
                     const struct tune_facts *facts,
                     const struct tuned_configurations *configurations, const struct plan *plan,
                     unsigned cores)
{
    struct playing p = {.table = table, .variant = plan_variant_for(plan, cores)};
    *rival = (struct tune_rival){.runs = memory_alloc(table->task_count * sizeof *rival->runs)};
    text_init(&rival->missing);
    begin(&p, configurations);
    for (size_t t = 0; t < table->task_count; t++) {
        struct plan_facts known;
        p.task = t;
        p.misses = false;
        rival->tasks_without_facts += !tune_plan_facts(facts, t, &known);
        rival->runs[t] = play(&p, &known, cores);
        rival->tasks_with_missing += p.misses;
    }
    finish(&p, &rival->missing);
}

void tune_rival_finish(struct tune_rival *rival)
{
    memory_free(rival->runs);
    text_finish(&rival->missing);
}
