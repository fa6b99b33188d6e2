#ifndef REGATTA_ENGINES_CTL_CHECK_H
#define REGATTA_ENGINES_CTL_CHECK_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/vector.h"
#include "logic/ctl/formula.h"

// CTL on the fly over any explicit kernel: states are expanded one after the other, and after each expansion all
// that is certain is known, so the answer comes as early as the states seen so far allow.
//
// For each subformula there are two sets over the known states, lo ⊆ Sat ⊆ hi; a state in lo is CTL_TRUE, one outside hi
// CTL_FALSE, the rest CTL_UNKNOWN. Both only move towards one another. What follows from a state and its successors
// goes backwards over the edges at once; what follows from cycles (no path leads to b; a lasso avoids g) needs a fixpoint over
// what is still unknown, computed whenever the graph has grown by a quarter, and when all is expanded.
//
//     struct ctl_checker *c = ctl_checker_create(&kernel, &formulas);   formulas: built before, unchanged while c lives
//     uint32_t s = ctl_checker_start(c, state);                         an initial state: any number of calls
//     enum ctl_end end = ctl_checker_run(c, strong, weak, &limits);     may be called again with larger limits
//     enum ctl_truth t = ctl_checker_truth(c, formula, state);
//     ctl_checker_explain(c, formula, state, &run);
//     ctl_checker_destroy(c);
//
// Of one thread.

enum ctl_truth { CTL_UNKNOWN, CTL_TRUE, CTL_FALSE };

struct ctl_states { // a VECTOR
    uint32_t *data;
    size_t count, capacity;
};

// States are numbers 0, 1, 2, …, in the order in which the kernel first met them; equal states are one number.
struct ctl_kernel {
    void *self;
    // Appends the successors of a state; the same one may come several times. False: it cannot, because a limit of
    // its own was reached (the state then stays unexpanded).
    bool (*expand)(void *self, uint32_t state, struct ctl_states *successors);
    // The truth of an atom in a known state. CTL_UNKNOWN only as long as the state is not expanded (atoms over
    // outgoing steps, deadlock).
    enum ctl_truth (*atom)(void *self, uint32_t state, uint32_t atom, bool expanded);
};

enum ctl_order { CTL_BREADTH_FIRST, CTL_DEPTH_FIRST, CTL_RANDOM };

struct ctl_limits {
    enum ctl_order order;
    uint64_t seed;           // CTL_RANDOM
    uint32_t states;         // known states; 0 = none
    const _Atomic int *stop; // nonzero = end; may be NULL
    // Called after every 64th expansion, may be NULL; false = end.
    bool (*observe)(void *observer);
    void *observer;
};

enum ctl_end {
    CTL_ANSWERED, // strong is true, or weak is false, or both are known
    CTL_LIMIT,    // of states, or the kernel's own
    CTL_STOPPED,  // by the stop flag or the observer
};

struct ctl_statistics {
    uint32_t known, expanded;
    uint64_t
        edges; // to different successors; edges + 1 is the size of the tree that keeps duplicates as leaves
    uint64_t passes; // fixpoints computed over what was unknown
};

struct ctl_checker;

struct ctl_checker *ctl_checker_create(const struct ctl_kernel *kernel,
                                       const struct ctl_formulas *formulas);
void ctl_checker_destroy(struct ctl_checker *checker); // NULL is fine
// Makes a state an initial one.
void ctl_checker_start(struct ctl_checker *checker, uint32_t state);
// Expands until the question is answered at all initial states. An exact question has strong == weak.
enum ctl_end ctl_checker_run(struct ctl_checker *checker, uint32_t strong, uint32_t weak,
                             const struct ctl_limits *limits);
// Expands all that can be reached.
enum ctl_end ctl_checker_expand_all(struct ctl_checker *checker, const struct ctl_limits *limits);
enum ctl_truth ctl_checker_truth(const struct ctl_checker *checker, uint32_t formula,
                                 uint32_t state);
// Over all initial states: true when it is in all of them, false when it is false in one.
enum ctl_truth ctl_checker_answer(const struct ctl_checker *checker, uint32_t formula);
// Is there still something to expand?
bool ctl_checker_complete(const struct ctl_checker *checker);
struct ctl_statistics ctl_checker_statistics(const struct ctl_checker *checker);
const struct ctl_formulas *ctl_checker_formulas(const struct ctl_checker *checker);

// A run that shows why: of a true EX, EU or a false AF (so of a true EF, EG, a false AX, AG, AU too), on through
// nested ones where the last state allows. states[0] is the state asked about.
// A formula that decides nothing about other states, and has to have this truth at a place of the run.
struct ctl_need {
    size_t position;
    uint32_t formula;
    bool truth;
};

struct ctl_run {
    struct ctl_states states;
    VECTOR(struct ctl_need) needs;
    size_t loop;   // the last state's successor is states[loop]; SIZE_MAX: no loop
    bool deadlock; // the last state has no successor, and that matters
    bool partial;  // part of the reason holds in all paths, or in several: a run does not show that
};
void ctl_run_finish(struct ctl_run *run);
// The formula must be known in the state; *out is made anew. An initial state in which a false formula is false is for
// the caller to choose.
void ctl_checker_explain(const struct ctl_checker *checker, uint32_t formula, uint32_t state,
                         struct ctl_run *out);

#endif
