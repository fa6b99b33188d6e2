#include "engines/cegar/interpolation.h"

#include <assert.h>
#include <stdlib.h>

// Where a variable occurs: the first and the last part.
struct occurrence {
    uint32_t id, first, last;
};

struct occurrences {
    struct occurrence *data;
    size_t count, capacity;
};

static int compare_occurrences(const void *left, const void *right)
{
    const struct occurrence *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// Sorted by id, one entry for each variable.
static void occurrences_collect(struct occurrences *all, const struct term *const *parts,
                                size_t count)
{
    struct term_vector variables = {0};
    for (size_t i = 0; i < count; i++) {
        VECTOR_CLEAR(&variables);
        rewrite_free_variables(parts[i], &variables);
        for (size_t v = 0; v < variables.count; v++) {
            struct occurrence here = {variables.data[v]->id, (uint32_t)i, (uint32_t)i};
            VECTOR_PUSH(all, here);
        }
    }
    VECTOR_FINISH(&variables);
    if (all->count == 0)
        return;
    qsort(all->data, all->count, sizeof all->data[0], compare_occurrences);
    size_t kept = 1;
    for (size_t i = 1; i < all->count; i++) {
        if (all->data[i].id == all->data[kept - 1].id)
            all->data[kept - 1].last = all->data[i].last;
        else
            all->data[kept++] = all->data[i];
    }
    all->count = kept;
}

static int compare_ids(const void *left, const void *right)
{
    const struct occurrence *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool is_shared(const struct occurrences *all, const struct term *variable, size_t cut)
{
    struct occurrence key = {.id = variable->id};
    const struct occurrence *found =
        all->count == 0 ? NULL
                        : bsearch(&key, all->data, all->count, sizeof all->data[0], compare_ids);
    assert(found == NULL || found->first <= found->last);
    return found != NULL && found->first <= cut && cut < found->last;
}

static bool variables_shared(const struct term *const *parts, size_t count,
                             const struct term *const *interpolants)
{
    struct occurrences all = {0};
    struct term_vector variables = {0};
    occurrences_collect(&all, parts, count);
    bool shared = true;
    for (size_t cut = 0; cut + 1 < count && shared; cut++) {
        VECTOR_CLEAR(&variables);
        rewrite_free_variables(interpolants[cut], &variables);
        for (size_t v = 0; v < variables.count && shared; v++)
            shared = is_shared(&all, variables.data[v], cut);
    }
    VECTOR_FINISH(&variables);
    VECTOR_FINISH(&all);
    return shared;
}

// before and part imply after?
static enum smt_result check_step(struct smt *smt, struct term_store *store,
                                  const struct term *before, const struct term *part,
                                  const struct term *after)
{
    smt_push(smt);
    smt_assert(smt, before);
    smt_assert(smt, part);
    smt_assert(smt, term_not(store, after));
    enum smt_result result = smt_check(smt);
    smt_pop(smt, 1);
    return result;
}

enum smt_result interpolation_inductive(struct smt *smt, struct term_store *store,
                                        const struct term *const *parts, size_t count,
                                        const struct term *const *interpolants)
{
    assert(count > 0);
    enum smt_result verdict = SMT_UNSAT;
    for (size_t i = 0; i < count; i++) {
        const struct term *before = i == 0 ? term_true(store) : interpolants[i - 1];
        const struct term *after = i + 1 == count ? term_false(store) : interpolants[i];
        enum smt_result step = check_step(smt, store, before, parts[i], after);
        if (step == SMT_SAT)
            return SMT_SAT;
        if (step == SMT_UNKNOWN)
            verdict = SMT_UNKNOWN;
    }
    return verdict;
}

enum smt_result interpolation_check(struct smt *smt, struct term_store *store,
                                    const struct term *const *parts, size_t count,
                                    const struct term *const *interpolants)
{
    return variables_shared(parts, count, interpolants)
               ? interpolation_inductive(smt, store, parts, count, interpolants)
               : SMT_SAT;
}
