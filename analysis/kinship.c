#include "analysis/kinship.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"

// A name's features are sorted hashes, so that two are compared in one pass.
struct feature_of {
    uint64_t hash;
    size_t task;
    double weight;
};

static const double SPREAD = 0.25;

struct kinship {
    double *vectors; // by task, `dimension` each; NULL: by names
    size_t dimension;
    struct feature_of *features; // by task and hash
    size_t *first;               // of each task, and the end
};

struct collected {
    VECTOR(struct feature_of) features;
};

enum { KIND_BEGINNING, KIND_WORD, KIND_NUMBERED, KIND_MASKED };

static void add(struct collected *out, size_t task, int kind, const char *text, size_t length)
{
    struct hash128 hash = hash128_add_bytes(hash128_seed((uint64_t)kind), text, length);
    struct feature_of feature = {hash.low, task, 0};
    VECTOR_PUSH(&out->features, feature);
}

static int class_of(char c)
{
    unsigned char byte = (unsigned char)c;
    return isdigit(byte) ? 0 : isalpha(byte) || byte >= 0x80 ? 1 : 2;
}

static size_t piece_end(const char *name, size_t at)
{
    size_t end = at;
    while (name[end] != '\0' && class_of(name[end]) == class_of(name[at]))
        end++;
    return end;
}

static void cut(struct collected *out, size_t task, const char *name)
{
    struct text masked;
    text_init(&masked);
    for (size_t at = 0, end; name[at] != '\0'; at = end) {
        end = piece_end(name, at);
        if (class_of(name[at]) == 0)
            text_add_char(&masked, '#');
        else
            text_add_bytes(&masked, name + at, end - at);
        if (class_of(name[at]) != 2)
            add(out, task, KIND_MASKED, text_string(&masked), masked.length);
        if (class_of(name[at]) != 2)
            add(out, task, KIND_BEGINNING, name, end);
        if (class_of(name[at]) == 1)
            add(out, task, KIND_WORD, name + at, end - at);
        if (class_of(name[at]) == 1 && name[end] != '\0' && class_of(name[end]) == 0)
            add(out, task, KIND_NUMBERED, name + at, piece_end(name, end) - at);
    }
    text_finish(&masked);
}

static int by_hash(const void *left, const void *right)
{
    const struct feature_of *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

static int by_task(const void *left, const void *right)
{
    const struct feature_of *a = left, *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

// Sorted by hash: how rare is each? What a name says twice counts once.
static size_t weigh(struct feature_of *features, size_t count, size_t tasks)
{
    size_t kept = 0;
    for (size_t i = 0, end; i < count; i = end) {
        size_t first = kept;
        for (end = i; end < count && features[end].hash == features[i].hash; end++)
            if (kept == first || features[kept - 1].task != features[end].task)
                features[kept++] = features[end];
        for (size_t k = first; k < kept; k++)
            features[k].weight = log(1 + (double)tasks / (double)(kept - first));
    }
    return kept;
}

static void normalise(struct feature_of *features, size_t count)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += features[i].weight * features[i].weight;
    for (size_t i = 0; i < count; i++)
        features[i].weight /= sqrt(squares);
}

struct kinship *kinship_make(const struct tune_table *table)
{
    struct kinship *kinship = memory_zalloc(sizeof *kinship);
    struct collected all = {0};
    for (size_t t = 0; t < table->task_count; t++)
        cut(&all, t, tune_task_name(table, t));
    if (all.features.count > 0)
        qsort(all.features.data, all.features.count, sizeof *all.features.data, by_hash);
    size_t count = weigh(all.features.data, all.features.count, table->task_count);
    if (count > 0)
        qsort(all.features.data, count, sizeof *all.features.data, by_task);
    kinship->features = all.features.data;
    kinship->first = memory_zalloc((table->task_count + 1) * sizeof *kinship->first);
    for (size_t t = 0, i = 0; t < table->task_count; t++) {
        kinship->first[t] = i;
        while (i < count && kinship->features[i].task == t)
            i++;
        kinship->first[t + 1] = i;
        normalise(kinship->features + kinship->first[t], i - kinship->first[t]);
    }
    assert(kinship->first[table->task_count] == count);
    return kinship;
}

void kinship_destroy(struct kinship *kinship)
{
    if (kinship == NULL)
        return;
    memory_free(kinship->features);
    memory_free(kinship->first);
    memory_free(kinship->vectors);
    memory_free(kinship);
}

// In units of the deviation over all tasks; false where all are the same, or one is not known.
static bool scale(const struct tune_table *table, const double *values, double *out,
                  size_t dimension)
{
    double sum = 0, squares = 0, n = 0;
    for (size_t t = 0; t < table->task_count; t++) {
        if (isnan(values[t]))
            continue;
        double x = log1p(fabs(values[t]));
        sum += x;
        squares += x * x;
        n++;
    }
    double mean = n > 0 ? sum / n : 0, variance = n > 0 ? squares / n - mean * mean : 0;
    if (variance < 1e-9)
        return false;
    for (size_t t = 0; t < table->task_count; t++)
        out[t * dimension] = (log1p(fabs(values[t])) - mean) / sqrt(variance);
    return true;
}

struct kinship *kinship_make_by_facts(const struct tune_table *table,
                                      const struct tune_facts *facts)
{
    struct kinship *kinship = memory_zalloc(sizeof *kinship);
    size_t most = facts->facts.count, used = 0;
    double *columns = memory_zalloc((table->task_count * most + 1) * sizeof *columns);
    for (size_t f = 0; f < most; f++)
        if (!tune_fact_is_word(facts->facts.data[f].name) &&
            scale(table, facts->facts.data[f].values, columns + used, most))
            used++;
    kinship->dimension = used;
    kinship->vectors = memory_zalloc((table->task_count * used + 1) * sizeof *kinship->vectors);
    for (size_t t = 0; t < table->task_count; t++)
        for (size_t i = 0; i < used; i++)
            kinship->vectors[t * used + i] = columns[t * most + i];
    memory_free(columns);
    return kinship;
}

static double by_facts(const struct kinship *kinship, size_t a, size_t b)
{
    const double *x = kinship->vectors + a * kinship->dimension,
                 *y = kinship->vectors + b * kinship->dimension;
    double squares = 0;
    for (size_t i = 0; i < kinship->dimension; i++)
        squares += (x[i] - y[i]) * (x[i] - y[i]);
    double near = kinship->dimension > 0 ? exp(-squares / (double)kinship->dimension / SPREAD) : 0;
    return isnan(near) ? 0 : near;
}

double kinship_of(const struct kinship *kinship, size_t a, size_t b)
{
    if (kinship->vectors != NULL)
        return by_facts(kinship, a, b);
    const struct feature_of *x = kinship->features + kinship->first[a],
                            *y = kinship->features + kinship->first[b];
    const struct feature_of *x_end = kinship->features + kinship->first[a + 1],
                            *y_end = kinship->features + kinship->first[b + 1];
    double sum = 0;
    while (x < x_end && y < y_end) {
        if (x->hash == y->hash)
            sum += x++->weight * y++->weight;
        else if (x->hash < y->hash)
            x++;
        else
            y++;
    }
    return sum;
}
