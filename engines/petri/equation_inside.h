#ifndef REGATTA_ENGINES_PETRI_EQUATION_INSIDE_H
#define REGATTA_ENGINES_PETRI_EQUATION_INSIDE_H

#include "base/arena.h"
#include "base/random.h"
#include "base/vector.h"
#include "engines/petri/equation.h"
#include "engines/petri/markings.h"

// Private to the refinement of the state equation.

// A constraint on firing counts. JUMP: counts[transition] < bound. INCREMENT: the sum is at least the bound.
struct constraint {
    bool jump;
    uint32_t count;
    const struct linear_term *terms;
    int64_t bound;
};

struct constraints {
    const struct constraint **data;
    size_t count, capacity;
};

struct partial;

struct partials {
    struct partial **data;
    size_t count, capacity;
};

// A solution of the equation with its constraints.
struct solution {
    const int64_t *x; // by transition
    const struct constraint *const *constraints;
    size_t constraint_count;
    int64_t *floor; // by transition: no solution under these constraints has less
    uint32_t under; // number of the first solution under the same constraints
    const struct solution *jumped_from; // at most one of these two is set
    const struct partial *grown_from;
    struct partials partials;
};

// A sequence that fires a part of a solution.
struct partial {
    struct solution *solution;
    const uint32_t *sequence;
    size_t length;
    const int64_t *fired, *remainder,
        *marking;                // by transition, by transition, by place: after the sequence
    const int64_t *const *chain; // of distant invariants
    size_t chain_count;
    bool skipped;            // by the filter of invariants
    bool prefix;             // of a maximal sequence: a better intermediate marking
    const int64_t *filtered; // GENERAL: the invariant that it was skipped for
};

// What waits: a solution or a partial solution.
struct waiting_item {
    struct solution *solution;
    struct partial *partial;
};

struct equation {
    const struct petri_problem *problem;
    const struct net *net;
    const struct petri_rows *rows;
    const struct equation_options *options;
    struct equation_result *result;
    struct arena arena;
    uint32_t *order;                   // of transitions
    VECTOR(struct waiting_item) front; // a stack
    VECTOR(struct waiting_item) back;  // BFS: a queue from back_next on
    size_t back_next;
    VECTOR(struct solution *) solutions;
    struct markings
        vectors; // of counts: solutions and remainders, each with a number for who looks on
};

// The least solution under these constraints, new in the arena; NULL when there is none (*infeasible) or none that
// stands the check in integers.
const int64_t *equation_least(struct equation *e, const struct constraint *const *constraints,
                              size_t count, bool *infeasible);
struct equation_prefix {
    const uint32_t *sequence;
    size_t length;
};

struct equation_prefixes {
    struct equation_prefix *data;
    size_t count, capacity;
};

// Ways to fire a part of what the partial solution fires, one for each part, to markings that are wanted; shortest first.
void equation_collect_prefixes(struct equation *e, const struct partial *p,
                               bool (*wanted)(struct equation *e, const struct partial *p,
                                              const int64_t *marking),
                               struct equation_prefixes *out);
// Maximal sequences within the solution (wide: one for all that fire the same); one that fires everything comes alone. True then.
bool equation_partials(struct equation *e, struct solution *solution, struct partials *out);
struct partial *equation_partial(struct equation *e, struct solution *solution,
                                 const uint32_t *sequence, size_t length);
// Appends the constraints of a partial solution's lack of tokens, and of tokens too many.
void equation_increment(struct equation *e, const struct partial *p, struct constraints *out);
// One more token on the places of a chain of invariants; nothing when no transition gives one.
void equation_distant(struct equation *e, const struct partial *p, const int64_t *const *chain,
                      size_t count, struct constraints *out);
bool equation_is_distant(const struct equation *e, const int64_t *z, const int64_t *const *chain,
                         size_t count);
bool equation_is_invariant(const struct equation *e, const int64_t *y);

#endif
