#ifndef REGATTA_TRACEGEN_COVERAGE_H
#define REGATTA_TRACEGEN_COVERAGE_H

#include "tracegen/tracegen.h"

// What a suite covers, criterion by criterion (docs/definitions/tracegen.md 5), measured on the replayed traces.

// C(constant, name, meaning)
#define CRITERIA(C)                                                                                \
    C(COVER_STATES, "states", "states of the graph")                                               \
    C(COVER_EDGES, "edges", "edges of the graph")                                                  \
    C(COVER_TRANSITIONS, "transitions", "edges of the model and branches of its choices")          \
    C(COVER_DECISIONS, "decisions", "each condition and each guard, true and false")               \
    C(COVER_PAIRS, "pairs", "transitions one after another")                                       \
    C(COVER_DEF_USE, "def-use", "uses of a value, with the statement that gave it")

enum criterion {
#define C(constant, name, meaning) constant,
    CRITERIA(C)
#undef C
        CRITERION_COUNT
};
const char *criterion_name(enum criterion criterion);
const char *criterion_meaning(enum criterion criterion);

struct coverage;

// Numbers of the items that a trace covers; the numbers of a criterion are dense, in order of first sight.
struct item_list {
    uint32_t *data;
    size_t count, capacity;
};

struct coverage *coverage_create(const struct model *model, const struct suite *suite);
void coverage_destroy(struct coverage *coverage); // NULL is fine
// Takes a trace of the suite in. items: CRITERION_COUNT lists to append to, or NULL. True when it covers
// something that no trace before did, of the criteria in the bit mask `wanted`.
bool coverage_add(struct coverage *coverage, const struct suite_trace *trace,
                  struct item_list *items, unsigned wanted);
uint64_t coverage_count(const struct coverage *coverage, enum criterion criterion);
// How many there are. For transitions, decisions, pairs and uses that is what the text of the model allows
// at most: some may be out of reach of any run.
uint64_t coverage_total(const struct coverage *coverage, enum criterion criterion,
                        const struct suite *suite);
// Was this branch of a choice (side of an `if`: 0 then, 1 else) taken?
bool coverage_has_branch(const struct coverage *coverage, const struct statement *statement,
                         uint32_t branch);

#endif
