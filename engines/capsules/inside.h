#ifndef REGATTA_ENGINES_CAPSULES_INSIDE_H
#define REGATTA_ENGINES_CAPSULES_INSIDE_H

#include "engines/capsules/interner.h"
#include "engines/capsules/kernel.h"
#include "logic/terms/eval.h"

// What the kernel's files share.
//
// Words of a part: DEAD; or a location word, two words of timers, two for each attribute's value.
// Words of a queue: for each element receiver, signal, two for each value.
// Words of what belongs to all: symbols in use; conjuncts of the path condition, their two words each; and when
// exploration is limited the explored parts (a bit each) and the pulls (signal, sender, receiver) from the bottom.

enum { WORD_DEAD, WORD_INITIAL, WORD_LOCATION }; // from WORD_LOCATION: class of locations

struct location_class {
    struct capsule_numbers members;
};

struct instance_info {
    VECTOR(struct location_class) classes;
    uint32_t *class_of; // by location
};

struct draft { // a state in the making
    uint32_t *parts;
    struct capsule_numbers all; // the common words, not interned yet
};

struct pulls { // pull.c
    uint32_t signal, sender, receiver;
};

struct capsule_kernel {
    const struct capsules *model;
    struct capsule_options options;
    struct term_store *store;
    struct evaluator *evaluator;
    struct smt_context *smt;
    struct smt *solver; // by kernel_solver
    bool solver_failed;
    uint32_t instances, queues, width; // width: 1 + instances + queues
    struct instance_info *info;
    uint32_t *slots; // by id of a model's variable: attribute, or SLOT_TRIGGER + variable
    uint32_t slot_count;
    struct interner components, states;
    VECTOR(uint32_t) next_weak; // by state: the next one with the same tuple but for its condition
    struct interner weak;       // tuples without conditions
    VECTOR(uint32_t) first_weak;
    VECTOR(const struct term *) checked; // conditions asked, by id
    struct interner asked;
    VECTOR(uint32_t) symbols_at; // by term: the number of its symbols + 1; 0: not looked through
    struct interner symbols;
    VECTOR(uint8_t) answers;
    struct capsule_counts counts;
    bool restricted;
    // Of the state being expanded.
    uint32_t *tuple, *made;
    struct capsule_numbers common; // its common words
    struct capsule_step step;
    capsule_each each;
    void *context;
    bool ended;
    struct capsule_numbers scratch;
};

#define SLOT_TRIGGER 0x80000000u

static inline uint64_t join_words(const uint32_t *two)
{
    return two[0] | (uint64_t)two[1] << 32;
}

static inline void push_word(struct capsule_numbers *out, uint64_t word)
{
    VECTOR_PUSH(out, (uint32_t)word);
    VECTOR_PUSH(out, (uint32_t)(word >> 32));
}

static inline const uint32_t *component(const struct capsule_kernel *k, uint32_t number,
                                        size_t *count)
{
    return interner_get(&k->components, number, count);
}

static inline uint32_t condition_length(const struct capsule_numbers *common)
{
    return common->data[1];
}
// Where the words of limited exploration begin.
static inline size_t pull_words(const struct capsule_numbers *common)
{
    return 2 + 2 * (size_t)condition_length(common);
}

static inline bool is_abstracted(const struct capsule_kernel *k, uint32_t instance)
{
    return k->options.abstracted != NULL && k->options.abstracted[instance] != 0;
}

// value.c: values in one of two worlds, concrete or symbolic.
struct valuation {
    struct capsule_kernel *kernel;
    const uint32_t *part;    // words of the part's attributes; NULL: none
    const uint64_t *trigger; // words of the trigger's variables; NULL: none
};
uint64_t value_word(struct capsule_kernel *kernel, const struct term *literal);
uint64_t evaluate(struct valuation *valuation, const struct term *expression);
const struct term *evaluate_term(struct valuation *valuation, const struct term *expression);
// Started when it is wanted first; NULL when it cannot be.
struct smt *kernel_solver(struct capsule_kernel *kernel);
// The state's condition and one more together.
enum smt_result condition_feasible(struct capsule_kernel *kernel,
                                   const struct capsule_numbers *common, const struct term *more);
// Are all symbols of the term, and of what ties it, from number `first` on: of values that have just come from outside?
bool only_fresh(struct capsule_kernel *kernel, const struct term *term, uint32_t first);
void condition_add(struct capsule_kernel *kernel, struct capsule_numbers *common,
                   const struct term *conjunct);
const struct term *fresh_symbol(struct capsule_kernel *kernel, struct capsule_numbers *common,
                                bool boolean);
// Renames the symbols of the state in the order in which they occur, and forgets what is about none of those.
void canonical_symbols(struct capsule_kernel *kernel, uint32_t *tuple,
                       struct capsule_numbers *common);

// effect.c: what a step does to a state.
struct change {
    uint32_t *tuple;
    struct capsule_numbers common;
};
void change_begin(struct capsule_kernel *kernel, struct change *change);
// Interns the state, tells of the step. Consumes the change.
void change_emit(struct capsule_kernel *kernel, struct change *change);
void change_drop(struct change *change);
void create_part(struct capsule_kernel *kernel, struct change *change, uint32_t instance,
                 bool from_parent);
void remove_element(struct capsule_kernel *kernel, struct change *change, uint32_t queue, size_t at,
                    size_t words);
// The new values, location and timers, then what is created, sent and destroyed. `values`: of the trigger.
void apply_case(struct capsule_kernel *kernel, struct change *change, uint32_t instance,
                const struct capsule_transition *transition, const struct capsule_case *c,
                const uint64_t *values);

// pull.c
void pull_start(struct capsule_kernel *kernel, struct capsule_numbers *common);
bool pull_explored(const struct capsule_kernel *kernel, uint32_t instance);
// Emits the steps that change what is explored; true when nothing else is to be done in this state.
bool pull_steps(struct capsule_kernel *kernel);
// After a step of the model: a wanted part that has moved makes the pulls that came to nothing forgotten.
void pull_settle(struct capsule_kernel *kernel, struct capsule_numbers *common);

// Of the state being expanded: where the first element for an instance is. False when there is none.
bool first_element(const struct capsule_kernel *kernel, uint32_t instance, size_t *at,
                   uint32_t *signal);
size_t element_words(const struct capsule_kernel *kernel, uint32_t receiver, uint32_t signal);

#endif
