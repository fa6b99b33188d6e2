#ifndef REGATTA_ENGINES_CAPSULES_KERNEL_H
#define REGATTA_ENGINES_CAPSULES_KERNEL_H

#include "engines/ctl/check.h"
#include "logic/smt/smt.h"
#include "model/capsules/interpret.h"

// The explicit kernel: execution states of capsules under a choice of rules, each state once. What is concrete,
// symbolic, abstracted, aggregated or explored in part is a matter of options; all combinations go.
//
// A state is a tuple of numbers: one for the state of each part, one for the content of each module's queue, one for
// what belongs to all (path condition, explored parts, pulls). Equal parts and queues of different states are kept once.

struct capsule_groups {
    // By instance: NULL, or by location the number of its group; a location in none has CAPSULE_NONE.
    uint32_t **of_location;
};

enum capsule_subsumption { SUBSUME_EQUAL, SUBSUME_WEAK };

struct capsule_options {
    bool symbolic;
    int64_t low, high; // concrete: what a number from outside may be when the model gives no range
    uint32_t queue_bound; // elements of a queue; what comes to a full one is lost, and counted
    bool head_only;       // only the first element of a queue is looked at, whoever it is for
    enum capsule_subsumption subsumption;
    const uint8_t *abstracted;           // by instance; NULL: none
    const struct capsule_groups *groups; // NULL: none
    bool keep_attributes;                // ignore none
    const uint8_t *const
        *ignored; // by module and attribute: changes nothing that is asked about; NULL: none
    bool limited; // explore only the wanted parts and what they wait for
    const uint8_t *wanted; // by instance; limited
    bool keep_symbols;     // symbolic: no renaming, nothing forgotten; for following one path
    bool certainty; // symbolic: ask of each step whether all that the state stands for has it
    uint64_t seed;
    const char *solver; // symbolic; NULL: z3. Started when it is asked first
    // Has the solver when it was started, so that others can interrupt it; may be NULL. It lives as long as the kernel.
    void (*started)(void *context, struct smt_context *solver);
    void *context;
    uint64_t check_limit; // solver steps for a check; 0 = none
    const _Atomic int *stop;
};

struct capsule_value_words { // values in words of states: see kernel_value
    uint64_t *data;
    size_t count, capacity;
};

struct capsule_step_output {
    uint32_t signal;
    size_t first, count; // in capsule_step.words
};

// One step of a state. Valid during the call it is given to.
struct capsule_step {
    enum capsule_rule rule;
    uint32_t instance;
    enum capsule_trigger kind;
    uint32_t trigger;    // signal or timer of the instance's module
    uint32_t transition; // CAPSULE_NONE for drop
    uint32_t which_case;
    uint32_t lost;                  // signals lost at full queues
    struct capsule_numbers lost_at; // the queues, by module
    bool beyond;                    // behind the bound of a loop
    bool certain;                   // exists for all that the state stands for
    bool total; // together with its siblings of the same trigger it leaves nobody without a step
    size_t value_count; // the trigger's values come first in `words`
    struct capsule_value_words words;
    VECTOR(struct capsule_step_output) outputs;
};

struct capsule_counts {
    uint64_t steps, lost, drops, created_again, solver_checks, subsumed;
    uint32_t longest_condition, deepest_pull;
    bool beyond_bound; // a run went beyond a loop's bound
    bool failed;       // the solver could not say; answers are not to be trusted further than that
    bool partial_deadlock; // symbolic: a state without steps may hide behind one with some
};

struct capsule_kernel;

// NULL and *why when the model is beyond the kernel (more than 64 timers in a module).
struct capsule_kernel *capsule_kernel_create(const struct capsules *model,
                                             const struct capsule_options *options,
                                             const char **why);
void capsule_kernel_destroy(struct capsule_kernel *kernel);
// The first state, which is 0; a kernel that has started goes on as it is.
uint32_t capsule_kernel_start(struct capsule_kernel *kernel);
// Calls `each` for each step of the state, in a fixed order. False when the solver or the stop flag ended it.
typedef void (*capsule_each)(void *context, const struct capsule_step *step, uint32_t target);
bool capsule_kernel_steps(struct capsule_kernel *kernel, uint32_t state, capsule_each each,
                          void *context);
struct capsule_counts capsule_kernel_counts(const struct capsule_kernel *kernel);
size_t capsule_kernel_bytes(const struct capsule_kernel *kernel);
// Numbers from outside are tried from low to high only, though the model has more.
bool capsule_kernel_restricted(const struct capsule_kernel *kernel);

// Looking into states.
struct capsule_part_view {
    bool alive, initial; // initial: exists, its initial transition was not taken yet
    uint32_t location;   // the first location of its group
    uint64_t timers;     // a bit for each that is set
};
struct capsule_part_view capsule_kernel_part(const struct capsule_kernel *kernel, uint32_t state,
                                             uint32_t instance);
struct capsule_element_view {
    uint32_t receiver, signal;
};
size_t capsule_kernel_queue_length(const struct capsule_kernel *kernel, uint32_t state,
                                   uint32_t module);
struct capsule_element_view capsule_kernel_element(const struct capsule_kernel *kernel,
                                                   uint32_t state, uint32_t module, size_t at);
const struct term *capsule_kernel_argument(struct capsule_kernel *kernel, uint32_t state,
                                           uint32_t module, size_t at, uint32_t variable);
// A word of a step as a term.
const struct term *capsule_kernel_term(struct capsule_kernel *kernel, const struct sort *sort,
                                       uint64_t word);
// Symbolic: can the formula hold together with the state's path condition? SMT_UNKNOWN: the solver could not say.
enum smt_result capsule_kernel_feasible(struct capsule_kernel *kernel, uint32_t state,
                                        const struct term *formula);
// An expression over the instance's attributes in a state.
const struct term *capsule_kernel_evaluate(struct capsule_kernel *kernel, uint32_t state,
                                           uint32_t instance, const struct term *expression);

#endif
