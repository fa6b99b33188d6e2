#ifndef REGATTA_CERTIFY_PANEL_H
#define REGATTA_CERTIFY_PANEL_H

#include "certify/certify.h"

// A proof before several checkers: each a solver on a thread of its own. They begin one after the other, the next when
// those before it gave up or have not decided for a while; the first that decides counts. A checker that does not
// react to the end of the time is left behind: nobody waits for it.

struct panel {
    const struct model *model;
    struct term_store *store; // of the formulas; nobody may make terms in it meanwhile
    const struct term *const *invariant;
    struct induction_rule rule;  // how it is a proof; zeroes: an inductive invariant
    const char *const *checkers; // backends, NULL-terminated, in the order in which they begin
    uint64_t step_limit;         // solver steps for each implication, 0 = none
    int64_t until_ns;            // clock_wall_ns: the time is up then
    // The next one begins when the last had so much CPU time without a decision, or did not use it for some times as long.
    int64_t patience_ns;
    // Polled every few ms: true = nobody wants the answer any more. May be NULL.
    bool (*unwanted)(void *context);
    void *context;
    // How a checker judges; NULL: by certify_invariant_owned. For tests: one that hears no interrupt.
    enum certify_result (*judge)(const char *checker, const _Atomic int *stop, void *context);
    uint64_t memory_limit; // bytes that each checker may hold, 0 = no limit
    _Atomic int64_t
        *cpu_account; // gets the CPU time (ns) of checkers and their programs; may be NULL
};

struct panel_answer {
    enum certify_result result;
    const char *checker; // who decided, one of panel.checkers; NULL = nobody
    // A checker still runs. The model, the store and the account must stay until the process ends.
    bool left;
    struct text why; // REFUSED, UNDECIDED: what each said
};

// Blocks. The answer is to be given to panel_answer_finish.
void panel_ask(const struct panel *panel, struct panel_answer *answer);
void panel_answer_finish(struct panel_answer *answer);

#endif
