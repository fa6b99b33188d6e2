#ifndef REGATTA_ENGINES_DOMAINS_PREDICATE_PART_H
#define REGATTA_ENGINES_DOMAINS_PREDICATE_PART_H

#include "engines/domains/domain.h"
#include "engines/domains/predicate_table.h"

// Predicate abstraction ([Hajdu20] 2.2; docs/definitions/cegar.md 3), alone or as part of a product. A cube is a conjunction
// of literals. Three abstractions of the successors of a state:
//   Cartesian  one cube: the literals that every successor satisfies
//   Boolean    the set of the cubes of all combinations that occur, as one state
//   split      each of these cubes as a state of its own
// A state is a cube for Cartesian and split, a set of cubes for Boolean; both are interned.

enum predicate_abstraction { PREDICATES_CARTESIAN, PREDICATES_BOOLEAN, PREDICATES_SPLIT };

// More combinations than this in one step: the Cartesian cube instead.
#define PREDICATE_CUBES_LIMIT 1024

struct predicate_extra {        // of a state
    const struct term *formula; // NULL until asked for
    uint32_t version;           // of the precision, when it was first seen
    uint32_t class;
    uint8_t *implied; // per predicate, enum predicate_fact: does the state decide it?
    uint32_t implied_count;
};

enum predicate_fact { FACT_UNASKED, FACT_MAYBE, FACT_HOLDS, FACT_FAILS };

struct predicate_memory; // of posts

struct predicate_part {
    struct workspace *workspace;
    struct action_solvers *solvers; // borrowed
    enum predicate_abstraction abstraction;
    bool local;
    int64_t split;
    struct predicate_table table;
    VECTOR(uint32_t) touched;     // per predicate: version when it joined or left a precision
    struct state_list *precision; // per location: predicates, ascending; [0] when global
    uint32_t *changed;            // per location: version of its last change
    uint64_t precision_size;
    uint32_t version;                     // counts changes of any precision
    struct state_table cubes, sets;       // literals ascending; cubes ascending
    VECTOR(struct predicate_extra) extra; // per state
    struct state_table supports;          // classes: the predicates of a cube
    struct state_table keys;              // of memory
    struct predicate_memory *memory;
    size_t memory_capacity, memory_bytes;
    struct smt *entailment;   // no assertions at its base level
    struct state_table pairs; // asked of it
    VECTOR(bool) pair_answers;
    VECTOR(uint64_t) words;         // scratch
    struct term_vector assumptions; // scratch
    struct state_list found;        // scratch
};

void predicate_part_init(struct predicate_part *part, struct workspace *workspace,
                         struct action_solvers *solvers, enum predicate_abstraction abstraction);
void predicate_part_finish(struct predicate_part *part);
size_t predicate_part_bytes(const struct predicate_part *part);

// Precision. All answer whether it changed.
bool predicate_part_add(struct predicate_part *part, const struct location *location,
                        const struct term *term); // as one predicate; literals are dropped
void predicate_split(const struct term *term, int64_t split, struct term_vector *parts);
bool predicate_part_add_parts(struct predicate_part *part, const struct location *location,
                              const struct term *term, int64_t split);
void predicate_part_drop(struct predicate_part *part, uint32_t place, uint32_t number);
static inline struct state_list *predicate_part_precision(const struct predicate_part *part,
                                                          const struct location *location)
{
    return &part->precision[part->local ? location->index : 0];
}
void predicate_part_each(const struct predicate_part *part,
                         void (*take)(void *context, const struct precision_item *item),
                         void *context);
// Calls for each assumption of the model.
void predicate_each_assumption(const struct model *model,
                               void (*take)(void *context, const struct term *term), void *context);

// States.
uint32_t predicate_part_cube(struct predicate_part *part, const uint64_t *literals, size_t count);
uint32_t predicate_part_true(struct predicate_part *part);
bool predicate_part_is_true(struct predicate_part *part, uint32_t state);
uint32_t predicate_part_set(struct predicate_part *part, uint64_t *cubes, size_t count); // sorts
// The cubes of a state, in `one` if there is no list of them.
const uint64_t *predicate_part_cubes(const struct predicate_part *part, uint32_t state,
                                     uint64_t *one, uint32_t *count);
const struct term *predicate_part_formula(struct predicate_part *part, uint32_t state);
bool predicate_part_covers(struct predicate_part *part, uint32_t larger, uint32_t smaller);
uint32_t predicate_part_class_of(struct predicate_part *part, uint32_t state);
uint32_t predicate_part_coverer(struct predicate_part *part, uint32_t state, uint32_t class);
// Is a conjunction of formulas satisfiable? True when the solver does not know. Remembered by `key`.
bool predicate_part_consistent(struct predicate_part *part, const uint64_t key[3],
                               const struct term *a, const struct term *b);

// The step from a state.
struct predicate_query {
    const struct statement *action;
    uint32_t slot, state;
    const struct location *target;
    const struct value *row; // the values in `before`; NULL = none is known
    // What else holds before and after the action, over plain variables, and a number that stands for
    // it; NULL and 0 for nothing.
    const struct term *before, *after;
    uint32_t before_id, after_id;
};

// Appends the states. False when the attempt has to end.
bool predicate_part_post(struct predicate_part *part, const struct predicate_query *query,
                         struct state_list *out);

void predicate_memory_finish(struct predicate_part *part);

#endif
