#ifndef REGATTA_MODEL_CAPSULES_INTERPRET_H
#define REGATTA_MODEL_CAPSULES_INTERPRET_H

#include "model/capsules/question.h"

// The concrete semantics, plainly: states as trees of vectors, each step on a copy. Shares nothing with the kernel
// but the model and the evaluation of terms. It replays runs, and is the tests' oracle.

enum capsule_rule {
    RULE_DEFAULT,
    RULE_MATCH,
    RULE_EXTERNAL,
    RULE_TIMEOUT,
    RULE_DROP,
    RULE_ABSTRACTED, // a signal that a part outside the exploration might have sent
    RULE_PULL,       // limited exploration: what is explored changes, the model does not move
};
const char *capsule_rule_name(enum capsule_rule rule);

struct plain_element {
    uint32_t receiver, signal;
    VECTOR(struct value) values;
};

struct plain_part {
    bool alive, initial;
    uint32_t location;
    VECTOR(struct value) attributes;
    VECTOR(bool) timers;
};

struct plain_queue {
    VECTOR(struct plain_element) elements;
};

struct plain_state {
    VECTOR(struct plain_part) parts;
    VECTOR(struct plain_queue) queues; // by module
};

struct plain_output {
    uint32_t signal;
    VECTOR(struct value) values;
};

struct plain_step {
    enum capsule_rule rule; // never abstracted or pull
    uint32_t instance;
    enum capsule_trigger kind;
    uint32_t trigger, transition, which_case;
    VECTOR(struct value) values; // of the trigger
    VECTOR(struct plain_output) outputs;
    struct capsule_numbers lost_at; // signals lost at full queues, by module
    bool beyond; // behind the bound of a loop: what it does is not known, so it cannot be followed
};

struct plain_interpreter;
struct plain_interpreter *plain_interpreter_create(const struct capsules *model,
                                                   uint32_t queue_bound, bool head_only);
void plain_interpreter_destroy(struct plain_interpreter *interpreter); // NULL is fine
// For big numbers, whose literals live there.
struct term_store *plain_interpreter_store(struct plain_interpreter *interpreter);
struct plain_state *plain_interpreter_start(struct plain_interpreter *interpreter);
void plain_destroy(struct plain_state *state); // NULL is fine
bool plain_equal(const struct plain_state *a, const struct plain_state *b);
// Calls for each step with numbers from outside between low and high where the model gives no range. The callee owns `next`.
void plain_interpreter_steps(struct plain_interpreter *interpreter, const struct plain_state *state,
                             int64_t low, int64_t high,
                             void (*each)(void *context, const struct plain_step *step,
                                          struct plain_state *next),
                             void *context);
// The one step that the wish describes (rule, instance, transition, case, values), or NULL when there is none.
// `done`, may be NULL, receives the step itself; plain_step_finish it.
struct plain_state *plain_interpreter_follow(struct plain_interpreter *interpreter,
                                             const struct plain_state *state,
                                             const struct plain_step *wish,
                                             struct plain_step *done);
void plain_step_finish(struct plain_step *step);
bool plain_interpreter_atom(struct plain_interpreter *interpreter,
                            const struct capsule_question *question, uint32_t atom,
                            const struct plain_state *state, int64_t low, int64_t high);
// Without the operators that look at other states.
bool plain_interpreter_local(struct plain_interpreter *interpreter,
                             const struct capsule_question *question, uint32_t formula,
                             const struct plain_state *state, int64_t low, int64_t high);

#endif
