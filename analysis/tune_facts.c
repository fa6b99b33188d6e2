#include "analysis/tune_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *digest_of(const struct tune_table *table, size_t task)
{
    return table->score->tasks[table->tasks[task]].digest;
}

static int by_digest(const void *left, const void *right, void *context)
{
    const size_t *a = left, *b = right;
    return strcmp(digest_of(context, *a), digest_of(context, *b));
}

bool tune_fact_is_word(const char *name)
{
    static const char *const words[] = {"language", "view", "property"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

void tune_facts_init(struct tune_facts *facts, const struct tune_table *table)
{
    *facts = (struct tune_facts){
        .by_digest = memory_alloc(table->task_count * sizeof *facts->by_digest),
    };
    for (size_t t = 0; t < table->task_count; t++)
        facts->by_digest[t] = t;
    qsort_r(facts->by_digest, table->task_count, sizeof *facts->by_digest, by_digest,
            (void *)table);
}

void tune_facts_finish(struct tune_facts *facts)
{
    for (size_t i = 0; i < facts->facts.count; i++) {
        memory_free(facts->facts.data[i].name);
        memory_free(facts->facts.data[i].values);
    }
    VECTOR_FINISH(&facts->facts);
    memory_free(facts->by_digest);
    facts->by_digest = NULL;
}

static struct tune_fact *fact_named(struct tune_facts *facts, const struct tune_table *table,
                                    const char *name)
{
    for (size_t i = 0; i < facts->facts.count; i++)
        if (strcmp(facts->facts.data[i].name, name) == 0)
            return &facts->facts.data[i];
    struct tune_fact fact = {memory_strdup(name),
                             memory_alloc(table->task_count * sizeof *fact.values)};
    for (size_t t = 0; t < table->task_count; t++)
        fact.values[t] = NAN;
    VECTOR_PUSH(&facts->facts, fact);
    return &VECTOR_LAST(&facts->facts);
}

// Tasks that ask the same question share a digest, and the facts.
void tune_facts_add(struct tune_facts *facts, const struct tune_table *table, const char *digest,
                    const char *name, double value)
{
    size_t low = 0, high = table->task_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(digest_of(table, facts->by_digest[middle]), digest) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < table->task_count && strcmp(digest_of(table, facts->by_digest[low]), digest) == 0;
         low++)
        fact_named(facts, table, name)->values[facts->by_digest[low]] = value;
}
