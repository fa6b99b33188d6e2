#include <string.h>

#include "base/memory.h"
#include "results/store.h"

struct merge {
    struct store *into;
    struct text *why;
    struct run_record features; // of all tasks of the file: it holds one
    char *digest;
    bool good;
};

static bool take_feature(void *context, const char *digest, const char *name, double value)
{
    struct merge *merge = context;
    if (merge->digest == NULL)
        merge->digest = memory_strdup(digest);
    if (strcmp(merge->digest, digest) == 0)
        run_record_add_feature(&merge->features, name, value);
    return true;
}

static bool take_run(void *context, const struct run_record *run)
{
    struct merge *merge = context;
    struct run_record copy = *run;
    copy.features = merge->features.features;
    copy.feature_count = merge->features.feature_count;
    merge->good = store_add_once(merge->into, &copy, merge->why) != STORE_FAILED;
    return merge->good;
}

bool store_merge(struct store *into, const char *path, struct text *why)
{
    struct merge merge = {.into = into, .why = why, .good = true};
    struct store *from = store_open(path, false, why);
    if (from == NULL)
        return false;
    run_record_init(&merge.features);
    bool good = store_each_feature(from, take_feature, &merge, why) &&
                store_each(from, take_run, &merge, why) && merge.good;
    run_record_finish(&merge.features);
    memory_free(merge.digest);
    store_close(from);
    return good;
}
