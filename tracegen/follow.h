#ifndef REGATTA_TRACEGEN_FOLLOW_H
#define REGATTA_TRACEGEN_FOLLOW_H

#include "base/text.h"
#include "logic/smt/smt.h"
#include "model/trace.h"

// Can one model do what a trace of another one shows? The two are compared step by step: after each, the
// variables that both have (by name, with sorts that fit) have the same values, and they are at locations
// that match: of the same phase (XSTS), of the same name (automata with the same names), else any.

struct follower;

struct follow_request {
    const struct model *leader, *model;      // whose traces; who follows
    const struct variable *const *variables; // of the leader, to compare; NULL = all common ones
    size_t variable_count;
    const _Atomic int *stop;
    uint64_t seed;
    void (*publish_solver)(void *context,
                           struct smt_context *solver); // as for engines; may be NULL
    void *context;
};

struct follower *follower_create(const struct follow_request *request);
void follower_destroy(struct follower *follower); // NULL is fine
// How many variables are compared, and which of the leader's are not (names, parted by ", ").
size_t follower_compared(const struct follower *follower, struct text *left_out);

enum follow_answer { FOLLOW_YES, FOLLOW_NO, FOLLOW_UNDECIDED };

// trace: a replayed one of the leader. *states: how many of the states that it shows could be followed, at
// most.
enum follow_answer follower_try(struct follower *follower, const struct trace *trace,
                                size_t *states);

#endif
