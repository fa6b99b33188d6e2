#ifndef REGATTA_CERTIFY_INVARIANT_INSIDE_H
#define REGATTA_CERTIFY_INVARIANT_INSIDE_H

#include "base/vector.h"
#include "certify/certify.h"
#include "certify/state_cubes.h"
#include "logic/terms/rewrite.h"

// Private to the check of invariants: runs as formulas, from a location with a formula to the next ones that have one.

// What variables hold, by variable index, and the condition of the run so far.
struct run {
    const struct term **now;
    const struct term *condition;
};

struct runs {
    struct run *data;
    size_t count, capacity;
};

struct checker {
    const struct model *model;
    struct term_store *store;
    struct smt *smt;
    uint32_t copies; // indices handed out
    struct rewrite_cache *cache;
    const struct term **invariant;
    struct state_cubes
        *cubes; // by location: its formula cube by cube; none where it has another shape
    VECTOR(const struct location *) between; // those without a formula; edges go forwards
    struct runs *waiting;                    // by location: runs that go on from there
    size_t waiting_count;
    // By location: where runs that get to a formula are gathered, in place of being judged; NULL: they are judged.
    struct runs *arrived;
    struct induction_rule rule;
    bool has_arrays;         // the model has: solvers are asked without them first (ground.h)
    const _Atomic int *stop; // may be NULL
    struct text *why;
};

// After them the run's parts are in memory of their own: memory_free(run.now).
struct run checker_begin_run(const struct checker *checker, const struct term *condition);
struct run checker_join(struct checker *checker,
                        struct runs *runs); // of at least one; empties them
void checker_drop(struct runs *runs);
void checker_encode(struct checker *checker, const struct statement *statement, struct run *run);
// The location's formula over what variables hold now.
const struct term *checker_formula_at(struct checker *checker, const struct location *location,
                                      const struct term **now);
// The run gets to the location, whose formula must hold then; without one it waits there. Consumes the run.
enum certify_result checker_arrive(struct checker *checker, const struct location *location,
                                   struct run run, const char *broken, const char *label);
// It leaves by each edge.
enum certify_result checker_leave(struct checker *checker, const struct location *location,
                                  const struct run *run);
// All that waits goes on to where a formula is.
enum certify_result checker_go_on(struct checker *checker);
bool checker_is_asked_to_stop(const struct checker *checker);

// The rule with several steps (induction.c).
enum certify_result checker_induction(struct checker *checker);

#endif
