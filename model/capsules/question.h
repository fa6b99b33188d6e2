#ifndef REGATTA_MODEL_CAPSULES_QUESTION_H
#define REGATTA_MODEL_CAPSULES_QUESTION_H

#include "logic/ctl/formula.h"
#include "model/capsules/capsules.h"

// A CTL formula over locations, attributes, queue contents and labels of a model's parts.

enum capsule_atom_kind {
    ATOM_LOCATION,   // the part is there, and in the location
    ATOM_CONSTRAINT, // the part is there, and its attributes satisfy the term
    ATOM_QUEUE,      // the queue of the part's module is exactly the sequence
    ATOM_LABEL,      // some outgoing step of the part has the trigger and exactly the outputs
    ATOM_DEADLOCK,   // no outgoing step
    ATOM_DROPPED,    // some outgoing step drops a signal of that name
    ATOM_OVERFLOW,   // some outgoing step loses a signal at a full queue
    ATOM_BOUNDED,    // the same, or some outgoing step goes beyond the bound of a loop
};

enum capsule_pattern_kind { PATTERN_ANY, PATTERN_SIGNAL, PATTERN_TIMER };

struct capsule_pattern_value {
    uint32_t variable;
    const struct term *value; // literal
};

struct capsule_pattern {
    enum capsule_pattern_kind kind;
    uint32_t number; // signal or timer of the part's module
    VECTOR(struct capsule_pattern_value) values;
};

struct capsule_atom {
    enum capsule_atom_kind kind;
    uint32_t instance; // of the first four kinds
    uint32_t location;
    const struct term *term; // over the attributes of the instance's module
    struct capsule_pattern trigger;
    VECTOR(struct capsule_pattern) sequence; // queue, or outputs of a label
    const char *signal;                      // ATOM_DROPPED; ATOM_OVERFLOW: module; NULL = any
    struct position position;
};

struct capsule_question {
    const char *text; // owned by the caller
    struct ctl_formulas formulas;
    uint32_t root;
    VECTOR(struct capsule_atom) atoms; // by the numbers of the formulas' atoms
    bool has_next;                     // EX or AX
};

void capsule_question_finish(struct capsule_question *question);
// "ping" names "ping" and "port.ping".
bool capsule_signal_named(const char *name, const char *wanted);

#endif
