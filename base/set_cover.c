#include "base/set_cover.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

struct members { // sets that hold an item
    uint32_t *data;
    size_t count, capacity;
};

struct search {
    const struct set_cover_problem *problem;
    struct members *holders; // per item
    uint32_t *covered;       // per item: by how many chosen sets
    bool *lost;              // per item: given up
    bool *chosen, *best;     // per set
    uint32_t *mark;          // per set, for the bound
    uint32_t round;
    size_t chosen_count, best_count, lost_count, uncovered;
    uint64_t branches, limit;
};

static void begin(struct search *s, const struct set_cover_problem *problem)
{
    *s = (struct search){.problem = problem};
    s->holders = memory_zalloc((problem->item_count + 1) * sizeof *s->holders);
    s->covered = memory_zalloc((problem->item_count + 1) * sizeof *s->covered);
    s->lost = memory_zalloc(problem->item_count + 1);
    s->chosen = memory_zalloc(problem->set_count + 1);
    s->best = memory_zalloc(problem->set_count + 1);
    s->mark = memory_zalloc((problem->set_count + 1) * sizeof *s->mark);
    for (uint32_t i = 0; i < problem->set_count; i++)
        for (size_t k = 0; k < problem->sizes[i]; k++) {
            struct members *holders = &s->holders[problem->sets[i][k]];
            if (holders->count == 0 || VECTOR_LAST(holders) != i)
                VECTOR_PUSH(holders, i);
        }
    for (size_t item = 0; item < problem->item_count; item++)
        s->uncovered += s->holders[item].count > 0;
}

static void end(struct search *s)
{
    for (size_t i = 0; i < s->problem->item_count; i++)
        VECTOR_FINISH(&s->holders[i]);
    memory_free(s->holders);
    memory_free(s->covered);
    memory_free(s->lost);
    memory_free(s->chosen);
    memory_free(s->best);
    memory_free(s->mark);
}

// Items may be listed twice, but then both times: counting up and down stays even.
static void choose(struct search *s, uint32_t set, bool in)
{
    const struct set_cover_problem *p = s->problem;
    s->chosen[set] = in;
    s->chosen_count += in ? 1 : (size_t)-1;
    for (size_t k = 0; k < p->sizes[set]; k++) {
        uint32_t item = p->sets[set][k];
        if (in)
            s->uncovered -= s->covered[item]++ == 0 && !s->lost[item];
        else
            s->uncovered += --s->covered[item] == 0 && !s->lost[item];
    }
}

static size_t gain(struct search *s, uint32_t set)
{
    const struct set_cover_problem *p = s->problem;
    size_t gain = 0;
    for (size_t k = 0; k < p->sizes[set]; k++) {
        uint32_t item = p->sets[set][k];
        gain += s->covered[item] == 0 && !s->lost[item];
    }
    return gain;
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
        choose(s, best, true);
    }
    // Latest first: what came early may have been overtaken by what came later.
    for (uint32_t i = 0; i < p->set_count; i++) {
        if (!s->chosen[i])
            continue;
        choose(s, i, false);
        if (s->uncovered > p->may_lose)
            choose(s, i, true);
    }
}

static void keep_best(struct search *s)
{
    memcpy(s->best, s->chosen, s->problem->set_count);
    s->best_count = s->chosen_count;
}

static bool is_open(const struct search *s, size_t item)
{
    return s->covered[item] == 0 && !s->lost[item] && s->holders[item].count > 0;
}

// Open items no two of which are in one set each need a set of their own.
static size_t bound(struct search *s)
{
    size_t needs = 0, may_lose = s->problem->may_lose - s->lost_count;
    s->round++;
    for (size_t item = 0; item < s->problem->item_count; item++) {
        const struct members *holders = &s->holders[item];
        bool apart = is_open(s, item);
        for (size_t k = 0; apart && k < holders->count; k++)
            apart = s->mark[holders->data[k]] != s->round;
        for (size_t k = 0; apart && k < holders->count; k++)
            s->mark[holders->data[k]] = s->round;
        needs += apart;
    }
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
    size_t item = SIZE_MAX;
    for (size_t i = 0; i < p->item_count; i++)
        if (is_open(s, i) && (item == SIZE_MAX || s->holders[i].count < s->holders[item].count))
            item = i;
    for (size_t k = 0; k < s->holders[item].count; k++) {
        choose(s, s->holders[item].data[k], true);
        branch(s);
        choose(s, s->holders[item].data[k], false);
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

static void answer_with(struct search *s, struct set_cover_answer *answer, size_t at_least,
                        bool optimal)
{
    const struct set_cover_problem *p = s->problem;
    *answer = (struct set_cover_answer){
        .chosen = memory_zalloc(p->set_count + 1),
        .count = s->best_count,
        .at_least = optimal ? s->best_count : at_least,
        .optimal = optimal || s->best_count == at_least,
    };
    memcpy(answer->chosen, s->best, p->set_count);
    for (size_t item = 0; item < p->item_count; item++) {
        bool held = s->holders[item].count == 0;
        for (size_t k = 0; k < s->holders[item].count; k++)
            held |= s->best[s->holders[item].data[k]];
        answer->lost += !held;
    }
}

static void clear(struct search *s)
{
    for (uint32_t i = 0; i < s->problem->set_count; i++)
        if (s->chosen[i])
            choose(s, i, false);
}

static void solve(const struct set_cover_problem *problem, uint64_t limit,
                  struct set_cover_answer *answer)
{
    struct search s;
    begin(&s, problem);
    size_t at_least = bound(&s);
    greedy(&s);
    keep_best(&s);
    bool optimal = false;
    if (limit > 0 && s.best_count > at_least) {
        clear(&s);
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
