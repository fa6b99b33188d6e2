#include "engines/cegar/unsat_core.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare_ids(const void *left, const void *right)
{
    const struct term *a = *(const struct term *const *)left;
    const struct term *b = *(const struct term *const *)right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool read_core(struct smt *smt, struct term_vector *core)
{
    VECTOR_CLEAR(core);
    if (!smt_unsat_core(smt, core))
        return false;
    if (core->count > 1)
        qsort(core->data, core->count, sizeof core->data[0], compare_ids);
    return true;
}

// The members before `kept` are known to be necessary, so they are in every smaller core too.
static void shrink(struct smt *smt, struct term_vector *core)
{
    struct term_vector trial = {0};
    for (size_t kept = 0; kept < core->count;) {
        VECTOR_CLEAR(&trial);
        for (size_t i = 0; i < core->count; i++)
            if (i != kept)
                VECTOR_PUSH(&trial, core->data[i]);
        if (smt_check_assuming(smt, trial.data, trial.count) == SMT_UNSAT &&
            read_core(smt, &trial)) {
            struct term_vector old = *core;
            *core = trial;
            trial = old;
        } else {
            kept++;
        }
    }
    VECTOR_FINISH(&trial);
}

enum smt_result unsat_core_find(struct smt *smt, const struct term *const *assumptions,
                                size_t count, size_t limit, struct term_vector *core)
{
    assert(core->count == 0);
    enum smt_result result = smt_check_assuming(smt, assumptions, count);
    if (result != SMT_UNSAT)
        return result;
    if (!read_core(smt, core))
        return SMT_UNKNOWN;
    if (core->count <= limit)
        shrink(smt, core);
    return SMT_UNSAT;
}
