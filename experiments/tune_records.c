#include "experiments/tune_records.h"

#include "results/store.h"

static bool collect(void *context, const struct run_record *run)
{
    struct tune_records *records = context;
    score_add(&records->score, run);
    tuned_configurations_add(&records->configurations, run);
    return true;
}

bool tune_records_read(struct tune_records *records, const char *const *paths, size_t count,
                       struct text *why)
{
    score_init(&records->score);
    records->configurations = (struct tuned_configurations){0};
    for (size_t i = 0; i < count; i++)
        if (!store_each_in(paths[i], collect, records, why))
            return false;
    score_compute(&records->score);
    return true;
}

struct fact_reader {
    struct tune_facts *facts;
    const struct tune_table *tuning;
};

static bool take_fact(void *context, const char *task_digest, const char *name, double value)
{
    struct fact_reader *reader = context;
    tune_facts_add(reader->facts, reader->tuning, task_digest, name, value);
    return true;
}

bool tune_records_read_facts(struct tune_facts *facts, const struct tune_table *tuning,
                             const char *const *paths, size_t count, struct text *why)
{
    struct fact_reader reader = {facts, tuning};
    for (size_t i = 0; i < count; i++) {
        struct store *store = store_open(paths[i], false, why);
        bool good = store != NULL && store_each_feature(store, take_fact, &reader, why);
        store_close(store);
        if (!good)
            return false;
    }
    return true;
}

void tune_records_finish(struct tune_records *records)
{
    tuned_configurations_finish(&records->configurations);
    score_finish(&records->score);
}
