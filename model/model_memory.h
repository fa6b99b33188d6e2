#ifndef REGATTA_MODEL_MODEL_MEMORY_H
#define REGATTA_MODEL_MODEL_MEMORY_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/model.h"

// Private to engines/model: what lies behind a model and its builder.

struct named_value {
    const char *name;
    uint32_t value;
};

// Names to numbers. Keys are owned by someone who lives longer.
struct name_map {
    VECTOR(struct named_value) items;
    struct hash_index index;
};

void name_map_finish(struct name_map *map);
// False when the name is there already.
bool name_map_add(struct name_map *map, const char *name, uint32_t value);
// UINT32_MAX when it is not there.
uint32_t name_map_find(const struct name_map *map, const char *name);

struct entered {
    const struct edge *const *edges;
    uint32_t count;
};

struct model_memory {
    struct arena arena;
    struct term_store *store;
    struct name_map variable_names;
    // Variables by the id of their plain term, and by the address of their interned name (for
    // copies); tables of variable index + 1, 0 = empty, of 2^table_bits slots each.
    uint32_t *by_term, *by_name;
    uint32_t table_bits;
    // Of a prepared model: how its traces map to its source.
    const struct settled **settled; // by statement id: choices settled when the statement runs
    const uint32_t **branches; // by statement id: CHOICE: the source's branch of each child, or
                               // NULL when they are the same
    // by statement id: the edges of the source that begin with it, where the edge lists none
    const struct entered *entered;
    uint32_t *edge_of;       // by statement id of the source: its edge's id, or INITIAL_ACTION
    const struct lift *lift; // by location of the source: how its invariants map to the source's
    const struct reversal *reversal; // of a reversed model; then the five above are NULL
    struct recoding *recoding; // of a recoded model (recode.h), owned; then the six above are NULL
    struct model *recoded;     // owned: what a prepared model was made from, when that is no source
};

// How a reversed model (reverse.h) and its forward one belong together.
struct reversal {
    struct model *forward; // owned
    // The choice in the initial action that stands for the error edges, and these by its branch; none when runs
    // begin in the forward error location.
    const struct statement *entry_choice;
    const struct edge *const *entries;
    uint32_t entry_count;
    // By variable of the reversed model: the variable of the forward one whose value before a step it guesses,
    // or NULL.
    const struct variable *const *guesses;
    const bool *carried; // by variable of the forward model
};

// What became of a location of the source.
enum location_fate {
    FATE_LIVE,        // it is in the prepared model, if some edge still touches it
    FATE_INNER,       // inside a block
    FATE_UNREACHABLE, // no run gets there
    FATE_DEAD,        // no run gets from there to the error
};

// A variable that has one value whenever a location is reached.
struct constant_fact {
    const struct term *variable, *literal;
    const struct constant_fact *next;
};

struct lift {
    enum location_fate fate;
    const struct constant_fact *facts;
};

#define INITIAL_ACTION UINT32_MAX

// A list: choices of the source that preparation decided, with the branch that remains.
struct settled {
    const struct statement *choice;
    uint32_t branch;
    const struct settled *next;
};

struct model_builder {
    struct model *model;
    struct model_memory *memory;
    const struct model *source; // preparation: what is being prepared
    VECTOR(struct variable *) variables;
    VECTOR(struct location *) locations;
    VECTOR(struct edge *) edges;
    struct name_map location_names;
    uint32_t fresh_names;
    const char *last_path; // of positions, copied
};

// A builder for a model prepared from `source`: origins start as NULL, names and formalism are the
// source's, its store is a child of the source's.
struct model_builder *model_builder_prepare(const struct model *source);

void model_compute_features(struct model *model);
// Edges that lead back to a location on the stack of a depth-first search from the initial one: how many; the locations
// that they lead to, which cut every cycle, are set in `targets` (by index; NULL: nobody asks).
uint32_t model_back_edges(const struct model *model, bool *targets);
void model_measure_cone(struct model *model); // cone.c: the features of that name

#endif
