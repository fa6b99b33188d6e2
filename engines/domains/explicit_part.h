#ifndef REGATTA_ENGINES_DOMAINS_EXPLICIT_PART_H
#define REGATTA_ENGINES_DOMAINS_EXPLICIT_PART_H

#include "engines/domains/action_solver.h"
#include "engines/domains/domain.h"
#include "engines/domains/explicit_post.h"

// Explicit values ([Hajdu20] 2.2; docs/definitions/cegar.md 2), alone or as part of a product: a state gives a value to
// tracked variables; the others, and those whose value is not determined, are unknown. Successors are
// computed by evaluation; where that does not decide an action, a solver enumerates at most `maxenum` of
// them.

struct explicit_extra {         // of a state
    uint32_t class;             // number of the set of known variables
    const struct term *formula; // NULL until asked for
};

struct explicit_memory { // of a post that took a solver
    uint32_t *states;    // in the arena
    uint32_t count;
    bool certain;
};

// Values that a variable was seen with, to count them up to a limit.
struct explicit_values {
    struct value *data;
    size_t count, capacity;
};

struct explicit_part {
    struct workspace *workspace;
    struct action_solvers *solvers; // borrowed
    uint32_t width;
    size_t bit_words;
    int64_t maxenum;
    bool local;
    variable_bits **live; // per location: what matters there; NULL: all may
    struct explicit_post *post;
    struct state_table states;
    VECTOR(struct explicit_extra) extra;
    struct state_table classes; // sets of known variables
    variable_bits **precision;  // per location; all the same pointer when global
    uint64_t precision_size;
    struct state_table keys; // of memory
    VECTOR(struct explicit_memory) memory;
    size_t value_limit;             // 0 = values are not counted
    struct explicit_values *values; // per variable, when they are counted
    struct arena arena;
    struct valuation_set set;              // result of the last post
    struct value *scratch;                 // one row
    variable_bits *scratch_bits, *tracked; // scratch
};

void explicit_part_init(struct explicit_part *part, struct workspace *workspace,
                        struct action_solvers *solvers);
void explicit_part_finish(struct explicit_part *part);
size_t explicit_part_bytes(const struct explicit_part *part);

// Precision. Both answer whether it changed; untrack works for all locations that share the precision.
bool explicit_part_track(struct explicit_part *part, uint32_t location,
                         const struct variable *variable);
bool explicit_part_untrack(struct explicit_part *part, uint32_t location,
                           const struct variable *variable);
void explicit_part_track_everywhere(struct explicit_part *part, const struct variable *variable);
void explicit_part_each(const struct explicit_part *part,
                        void (*take)(void *context, const struct precision_item *item),
                        void *context);
// From now on counts the values of each variable, up to limit + 1.
void explicit_part_count_values(struct explicit_part *part, size_t limit);

// From now on a state knows only what a run from its location may read before it is written, and wide inputs take values that
// stand for all (input_cases.h). Once.
void explicit_part_look_ahead(struct explicit_part *part);

// States.
uint32_t explicit_part_intern(struct explicit_part *part, const struct value *row);
uint32_t explicit_part_anything(struct explicit_part *part); // no variable is known
// The state with only those variables known.
uint32_t explicit_part_project(struct explicit_part *part, uint32_t state,
                               const variable_bits *variables);
const struct value *explicit_part_row(const struct explicit_part *part, uint32_t state);
const variable_bits *explicit_part_known(const struct explicit_part *part, uint32_t state);
const struct term *explicit_part_formula(struct explicit_part *part, uint32_t state);
// "It is one of these", over plain variables.
const struct term *explicit_part_union(struct explicit_part *part, const uint32_t *states,
                                       size_t count);
bool explicit_part_covers(const struct explicit_part *part, uint32_t larger, uint32_t smaller);
uint32_t explicit_part_coverer(struct explicit_part *part, uint32_t state, uint32_t class);

// The step from a state.
struct explicit_query {
    const struct statement *action;
    uint32_t slot, state;
    const struct location *target;
    const struct term *constraint; // of the states before, for the solver; NULL = none
    uint32_t constraint_id;        // a number that stands for it; 0 = none
    // A successor whose tracked variables are all known may be given though its step is in doubt: the
    // caller asks.
    bool caller_checks, caller_checks_only; // always; when it is the only one
};

// Appends the states. *certain: each has a concrete predecessor in the state. False when the attempt has
// to end.
bool explicit_part_post(struct explicit_part *part, const struct explicit_query *query,
                        struct state_list *out, bool *certain);

static inline uint32_t explicit_part_class_of(const struct explicit_part *part, uint32_t state)
{
    return part->extra.data[state].class;
}

#endif
