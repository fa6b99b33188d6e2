#include "base/set_cover.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

struct item {
    uint32_t *data; // the sets that hold it
    size_t count, capacity;
    uint64_t *bits; // the same as a bit each, where that is shorter; else NULL
};

struct search {
    const struct set_cover_problem *problem;
    struct item *items;
    uint32_t *by_holders;  // the items, those with fewest sets first
    uint32_t *covered;     // per item: by how many chosen sets
    bool *lost;            // per item: given up
    bool *chosen;          // per set
    uint32_t *path, *best; // sets, in the order in which they were chosen
    uint64_t *used;        // per set a bit, for the bound
    size_t words;          // of `used`
    size_t chosen_count, best_count, lost_count, uncovered;
    uint64_t branches, limit;
};

static void add_holders(struct search *s)
{
    const struct set_cover_problem *p = s->problem;
    for (uint32_t i = 0; i < p->set_count; i++)
        for (size_t k = 0; k < p->sizes[i]; k++) {
            assert(p->sets[i][k] < p->item_count);
            struct item *item = &s->items[p->sets[i][k]];
            if (item->count == 0 || VECTOR_LAST(item) != i)
                VECTOR_PUSH(item, i);
        }
    for (size_t i = 0; i < p->item_count; i++) {
        struct item *item = &s->items[i];
        s->uncovered += item->count > 0;
        if (item->count <= s->words)
            continue;
        item->bits = memory_zalloc(s->words * sizeof *item->bits);
        for (size_t k = 0; k < item->count; k++)
            item->bits[item->data[k] / 64] |= UINT64_C(1) << (item->data[k] % 64);
    }
}

// A counting sort, so that items with as many sets stay in their order.
static void sort_items(struct search *s)
{
    const struct set_cover_problem *p = s->problem;
    size_t *begin = memory_zalloc((p->set_count + 2) * sizeof *begin);
    for (size_t i = 0; i < p->item_count; i++)
        begin[s->items[i].count + 1]++;
    for (size_t c = 1; c <= p->set_count; c++)
        begin[c] += begin[c - 1];
    for (uint32_t i = 0; i < p->item_count; i++)
        s->by_holders[begin[s->items[i].count]++] = i;
    memory_free(begin);
}

static void begin(struct search *s, const struct set_cover_problem *problem)
{
    size_t items = problem->item_count + 1, sets = problem->set_count + 1;
    *s = (struct search){.problem = problem, .words = sets / 64 + 1};
    s->items = memory_zalloc(items * sizeof *s->items);
    s->by_holders = memory_zalloc(items * sizeof *s->by_holders);
    s->covered = memory_zalloc(items * sizeof *s->covered);
    s->lost = memory_zalloc(items);
    s->chosen = memory_zalloc(sets);
    s->path = memory_zalloc(sets * sizeof *s->path);
    s->best = memory_zalloc(sets * sizeof *s->best);
    s->used = memory_zalloc(s->words * sizeof *s->used);
    add_holders(s);
    sort_items(s);
}

static void end(struct search *s)
{
    for (size_t i = 0; i < s->problem->item_count; i++) {
        VECTOR_FINISH(&s->items[i]);
        memory_free(s->items[i].bits);
    }
    memory_free(s->items);
    memory_free(s->by_holders);
    memory_free(s->covered);
    memory_free(s->lost);
    memory_free(s->chosen);
    memory_free(s->path);
    memory_free(s->used);
}

// Items may be listed twice, but then both times: counting up and down stays even.
static void put_in(struct search *s, uint32_t set)
{
    const struct set_cover_problem *p = s->problem;
    assert(!s->chosen[set]);
    s->chosen[set] = true;
    for (size_t k = 0; k < p->sizes[set]; k++) {
        uint32_t item = p->sets[set][k];
        s->uncovered -= s->covered[item]++ == 0 && !s->lost[item];
    }
}

static void take_out(struct search *s, uint32_t set)
{
    const struct set_cover_problem *p = s->problem;
    assert(s->chosen[set]);
    s->chosen[set] = false;
    for (size_t k = 0; k < p->sizes[set]; k++) {
        uint32_t item = p->sets[set][k];
        s->uncovered += --s->covered[item] == 0 && !s->lost[item];
    }
}

static void choose(struct search *s, uint32_t set)
{
    assert(s->chosen_count < s->problem->set_count);
    s->path[s->chosen_count++] = set;
    put_in(s, set);
}

static void unchoose(struct search *s)
{
    take_out(s, s->path[--s->chosen_count]);
}

static size_t gain(const struct search *s, uint32_t set)
{
    const struct set_cover_problem *p = s->problem;
    size_t gain = 0;
    for (size_t k = 0; k < p->sizes[set]; k++) {
        uint32_t item = p->sets[set][k];
        if (s->covered[item] == 0 && !s->lost[item])
            gain += p->weights != NULL ? p->weights[item] : 1;
    }
    return gain;
}

// What came early may have been overtaken by what came later.
static void leave_out_needless(struct search *s)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < s->problem->set_count; i++) {
        if (!s->chosen[i])
            continue;
        take_out(s, i);
        if (s->uncovered > s->problem->may_lose)
            put_in(s, i);
    }
    for (size_t i = 0; i < s->chosen_count; i++)
        if (s->chosen[s->path[i]])
            s->path[kept++] = s->path[i];
    s->chosen_count = kept;
}

static void greedy(struct search *s)
{
    const struct set_cover_problem *p = s->problem;
    while (s->uncovered > p->may_lose) {
        uint32_t best = 0;
        size_t most = 0;
        for (uint32_t i = 0; i < p->set_count; i++) {
            size_t here = s->chosen[i] ? 0 : gain(s, i);
            if (here > most) {
                most = here;
                best = i;
            }
        }
        choose(s, best);
    }
    if (p->lean)
        leave_out_needless(s);
}

static void keep_best(struct search *s)
{
    memcpy(s->best, s->path, s->chosen_count * sizeof *s->best);
    s->best_count = s->chosen_count;
}

static bool is_open(const struct search *s, size_t item)
{
    return s->covered[item] == 0 && !s->lost[item] && s->items[item].count > 0;
}

// Takes the item's sets, when none of them is taken.
static bool take_apart(struct search *s, const struct item *item)
{
    bool apart = true;
    if (item->bits != NULL) {
        for (size_t w = 0; apart && w < s->words; w++)
            apart = (s->used[w] & item->bits[w]) == 0;
        for (size_t w = 0; apart && w < s->words; w++)
            s->used[w] |= item->bits[w];
        return apart;
    }
    for (size_t k = 0; apart && k < item->count; k++)
        apart = (s->used[item->data[k] / 64] >> (item->data[k] % 64) & 1) == 0;
    for (size_t k = 0; apart && k < item->count; k++)
        s->used[item->data[k] / 64] |= UINT64_C(1) << (item->data[k] % 64);
    return apart;
}

// Open items no two of which are in one set each need a set of their own.
static size_t bound(struct search *s)
{
    size_t needs = 0, may_lose = s->problem->may_lose - s->lost_count;
    memset(s->used, 0, s->words * sizeof *s->used);
    for (size_t item = 0; item < s->problem->item_count; item++)
        needs += is_open(s, item) && take_apart(s, &s->items[item]);
    return needs > may_lose ? needs - may_lose : 0;
}

static void branch(struct search *s)
{
    const struct set_cover_problem *p = s->problem;
    if (s->uncovered <= p->may_lose - s->lost_count) {
        if (s->chosen_count < s->best_count)
            keep_best(s);
        return;
    }
    if (s->branches++ >= s->limit || s->chosen_count + bound(s) >= s->best_count)
        return;
    size_t at = 0;
    while (!is_open(s, s->by_holders[at]))
        at++;
    uint32_t item = s->by_holders[at];
    for (size_t k = 0; k < s->items[item].count; k++) {
        choose(s, s->items[item].data[k]);
        branch(s);
        unchoose(s);
    }
    if (s->lost_count < p->may_lose) {
        s->lost[item] = true;
        s->lost_count++;
        s->uncovered--;
        branch(s);
        s->lost[item] = false;
        s->lost_count--;
        s->uncovered++;
    }
}

// Nothing is chosen any more.
static void answer_with(struct search *s, struct set_cover_answer *answer, size_t at_least,
                        bool optimal)
{
    const struct set_cover_problem *p = s->problem;
    *answer = (struct set_cover_answer){
        .chosen = memory_zalloc(p->set_count + 1),
        .order = s->best,
        .count = s->best_count,
        .at_least = optimal ? s->best_count : at_least,
        .optimal = optimal || s->best_count == at_least,
    };
    for (size_t i = 0; i < s->best_count; i++) {
        answer->chosen[s->best[i]] = true;
        choose(s, s->best[i]);
    }
    answer->lost = s->uncovered;
    assert(answer->lost <= p->may_lose && answer->at_least <= answer->count);
}

static void solve(const struct set_cover_problem *problem, uint64_t limit,
                  struct set_cover_answer *answer)
{
    struct search s;
    begin(&s, problem);
    size_t at_least = bound(&s);
    greedy(&s);
    keep_best(&s);
    while (s.chosen_count > 0)
        unchoose(&s);
    bool optimal = false;
    if (limit > 0 && s.best_count > at_least) {
        s.limit = limit;
        branch(&s);
        optimal = s.branches <= limit;
    }
    answer_with(&s, answer, at_least, optimal);
    end(&s);
}

void set_cover_greedy(const struct set_cover_problem *problem, struct set_cover_answer *answer)
{
    solve(problem, 0, answer);
}

void set_cover_exact(const struct set_cover_problem *problem, uint64_t limit,
                     struct set_cover_answer *answer)
{
    solve(problem, limit, answer);
}

void set_cover_answer_finish(struct set_cover_answer *answer)
{
    memory_free(answer->chosen);
    memory_free(answer->order);
}
