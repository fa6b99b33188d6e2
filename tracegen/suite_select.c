#include "tracegen/suite_select.h"

#include <assert.h>

#include "base/memory.h"
#include "base/set_cover.h"

// Branches that the exact choice looks at.
#define EXACT_BRANCHES 1000000

bool *suite_select(const struct suite *suite, const struct suite_selection *how, size_t *count,
                   struct text *words)
{
    struct coverage *coverage = coverage_create(suite->model, suite);
    size_t traces = suite->traces.count;
    struct item_list(*lists)[CRITERION_COUNT] = memory_zalloc((traces + 1) * sizeof *lists);
    const uint32_t **sets = memory_zalloc((traces + 1) * sizeof *sets);
    size_t *sizes = memory_zalloc((traces + 1) * sizeof *sizes);
    enum criterion cover = how->cover;
    for (size_t i = 0; i < traces; i++) {
        coverage_add(coverage, &suite->traces.data[i], lists[i], 0);
        sets[i] = lists[i][cover].data;
        sizes[i] = lists[i][cover].count;
    }
    size_t items = coverage_count(coverage, cover);
    struct set_cover_problem problem = {
        .sets = sets,
        .sizes = sizes,
        .set_count = traces,
        .item_count = items,
        .may_lose = (size_t)(items * how->loss_percent / 100),
        .lean = true,
    };
    struct set_cover_answer answer;
    if (how->exact)
        set_cover_exact(&problem, EXACT_BRANCHES, &answer);
    else
        set_cover_greedy(&problem, &answer);
    assert(answer.count <= traces && answer.lost <= problem.may_lose && problem.may_lose <= items);
    assert(answer.optimal || answer.at_least <= answer.count);
    text_printf(words, "%zu of %zu traces cover %zu of %zu %s", answer.count, traces,
                items - answer.lost, items, criterion_name(cover));
    if (answer.optimal)
        text_add(words, "; fewer cannot");
    else if (answer.at_least > 0)
        text_printf(words, "; fewer than %zu cannot", answer.at_least);
    *count = answer.count;
    for (size_t i = 0; i < traces; i++)
        for (unsigned c = 0; c < CRITERION_COUNT; c++)
            VECTOR_FINISH(&lists[i][c]);
    memory_free(lists);
    memory_free(sets);
    memory_free(sizes);
    coverage_destroy(coverage);
    bool *chosen = answer.chosen;
    answer.chosen = NULL;
    set_cover_answer_finish(&answer);
    return chosen;
}
