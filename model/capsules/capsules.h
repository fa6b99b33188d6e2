#ifndef REGATTA_MODEL_CAPSULES_CAPSULES_H
#define REGATTA_MODEL_CAPSULES_CAPSULES_H

#include "base/arena.h"
#include "base/message.h"
#include "base/vector.h"
#include "logic/terms/term.h"

// Communicating functional finite state machines: modules with parts, attributes, signals, connectors, timers and one
// state machine each, and the tree of parts that they make. Filled by a reader, completed by capsules_finish, immutable
// from then on.
//
// Terms are over the attributes of the module and the variables of the triggering signal, of sorts Bool and Int.

#define CAPSULE_NONE UINT32_MAX

struct capsule_numbers { // a VECTOR
    uint32_t *data;
    size_t count, capacity;
};

struct capsule_variable {
    const char *name;
    const struct term *term;    // TERM_VAR, unique in the model
    const struct term *initial; // attributes: the constant default value
    bool ranged;                // external signals: values from low to high only
    int64_t low, high;
    struct position position;
};

struct capsule_signal {
    const char *name;
    bool out, external;
    VECTOR(struct capsule_variable) variables;
    struct position position;
};

struct capsule_named {
    const char *name;
    struct position position;
};

struct capsule_part {
    const char *name;
    uint32_t module;
    bool fixed; // exists as long as its container
    struct position position;
};

struct
    capsule_end { // a signal of the part that the path leads to, from the module that owns the connector
    struct capsule_numbers path;
    uint32_t signal;
};

struct capsule_connector {
    struct capsule_end sender, receiver; // variables are mapped by their order
    struct position position;
};

struct capsule_assignment {
    uint32_t attribute;
    const struct term *value;
};

struct capsule_output {
    uint32_t signal;
    VECTOR(const struct term *) arguments;
};

// New values are computed from the old ones, all at once; `created` before outputs, `destroyed` last.
struct capsule_case {
    const struct term *condition;
    VECTOR(struct capsule_assignment) assignments;
    VECTOR(struct capsule_output) outputs; // in order
    struct capsule_numbers timers, created, destroyed;
    bool bound_exceeded; // stands for what lies beyond the bound of a loop
    struct position position;
};

enum capsule_trigger { CAPSULE_INIT, CAPSULE_SIGNAL, CAPSULE_TIMER };

struct capsule_transition {
    uint32_t source; // CAPSULE_NONE for the initial one
    enum capsule_trigger kind;
    uint32_t trigger; // signal or timer
    const struct term *guard;
    VECTOR(struct capsule_case) cases; // their conditions together are valid
    uint32_t target;
    struct position position;
};

struct capsule_composite {
    const char *name;
    struct capsule_numbers locations;
};

struct capsule_module {
    const char *name;
    VECTOR(struct capsule_variable) attributes;
    VECTOR(struct capsule_signal) signals;
    VECTOR(struct capsule_named) timers, locations;
    VECTOR(struct capsule_part) parts;
    VECTOR(struct capsule_connector) connectors;
    VECTOR(struct capsule_transition) transitions;
    VECTOR(struct capsule_composite) composites;
    uint32_t
        initial; // index of the initial transition; CAPSULE_NONE: a module without a state machine
    struct position position;
};

struct capsule_route {
    uint32_t receiver, signal; // CAPSULE_NONE: the environment
};

// A part with its place in the tree. Instances are numbered from the top, containers before what they contain.
struct capsule_instance {
    const char *path; // "top.cars"
    uint32_t module;
    uint32_t parent; // CAPSULE_NONE for the top
    bool fixed;
    struct capsule_numbers children;        // by part of the module
    VECTOR(struct capsule_route) routes;    // by signal of the module: where an output goes
    VECTOR(struct capsule_numbers) senders; // by signal of the module: instances that may send it
};

struct capsules {
    struct arena arena; // names
    struct term_store *store;
    const char *path;
    VECTOR(struct capsule_module) modules;
    uint32_t top;
    const char *top_name;
    VECTOR(struct capsule_instance) instances;
    bool bounded_loops; // some case is beyond a loop's bound
    bool borrowed;      // modules and instances belong to those that capsules_share was given
};

struct capsules *capsules_create(const char *path);
void capsules_destroy(struct capsules *capsules); // NULL is fine
// The same modules and parts with names and terms of their own on top, so that several questions may add theirs, each in its
// own; `whole` is complete, and outlives them. Any thread.
struct capsules *capsules_share(const struct capsules *whole);
const char *capsules_name(struct capsules *capsules, const char *text, size_t length);
// Adds a module, signal, …; the pointer dies at the next of its kind.
struct capsule_module *capsules_add_module(struct capsules *capsules, const char *name,
                                           struct position position);
struct capsule_signal *capsules_add_signal(struct capsule_module *module, const char *name,
                                           bool out, bool external, struct position position);
// `owner` is the module's name or "module.signal"; the sort is Bool or Int.
struct capsule_variable capsules_variable(struct capsules *capsules, const char *owner,
                                          const char *name, bool boolean, struct position position);
// Index by name, CAPSULE_NONE when there is none.
uint32_t capsules_find_module(const struct capsules *capsules, const char *name);
uint32_t capsule_find_attribute(const struct capsule_module *module, const char *name);
uint32_t capsule_find_signal(const struct capsule_module *module, const char *name);
uint32_t capsule_find_timer(const struct capsule_module *module, const char *name);
uint32_t capsule_find_location(const struct capsule_module *module, const char *name);
uint32_t capsule_find_part(const struct capsule_module *module, const char *name);
void capsule_case_finish(struct capsule_case *c);
// A deep copy of a case.
struct capsule_case capsule_case_copy(const struct capsule_case *c);

// Checks what a reader cannot see locally (containment without cycles, one initial transition without guard and with one
// case, connectors that fit) and makes the tree of instances. False, with messages, when the model is not one.
bool capsules_finish(struct capsules *capsules, const char *top, const char *top_name,
                     struct position position, struct messages *messages);
uint32_t capsules_find_instance(const struct capsules *capsules, const char *path);
static inline const struct capsule_module *capsules_module_of(const struct capsules *capsules,
                                                              uint32_t instance)
{
    return &capsules->modules.data[capsules->instances.data[instance].module];
}

// In the text form (docs/umlrt.md); a name in quotes when it is not a word.
struct text;
void capsules_print(const struct capsules *capsules, struct text *out);
void capsules_print_term(const struct capsules *capsules, const struct term *term,
                         struct text *out);
void capsules_print_name(const char *name, struct text *out);
// May numbers come from outside that are in no range?
bool capsules_is_open(const struct capsules *model);

#endif
