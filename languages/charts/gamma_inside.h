#ifndef REGATTA_LANGUAGES_CHARTS_GAMMA_INSIDE_H
#define REGATTA_LANGUAGES_CHARTS_GAMMA_INSIDE_H

#include "base/vector.h"
#include "languages/charts/expression.h"
#include "languages/charts/gamma.h"
#include "languages/charts/names.h"

// Private to the reader of Gamma's language. Declarations are found once; the body of a component is read again for each
// of its instances, with the names of that instance.

struct gamma_file {
    char *path, *text;
    struct lexer lexer;
    struct gamma_file **imports;
    uint32_t import_count;
};

enum gamma_kind {
    GAMMA_TYPE,
    GAMMA_INTERFACE,
    GAMMA_CONSTANT,
    GAMMA_PROCEDURE,
    GAMMA_STATECHART,
    GAMMA_SYNC,
    GAMMA_CASCADE,
    GAMMA_ADAPTER,
    GAMMA_ASYNC,     // any one of its components in a step
    GAMMA_SCHEDULED, // all of them, one behind the other
    GAMMA_OTHER,     // what is not supported: said when it is used
};

// A type, which may be put together of others.
struct gamma_shape {
    const struct chart_type *scalar;     // or
    const struct gamma_shape *element;   // an array, or
    const struct gamma_shape **elements; // a record
    const char **fields;
    uint32_t count; // of elements or fields
    uint32_t leaves;
};

// A variable of such a type: a variable of the chart for each scalar in it.
struct gamma_store {
    const struct gamma_shape *shape;
    struct chart_variable *leaf; // of a scalar, or
    struct gamma_store **parts;
};

struct gamma_declaration {
    enum gamma_kind kind;
    const char *name;
    struct gamma_file *file;
    size_t at;                            // index of the token behind the name
    size_t annotations;                   // index of the first token of what stands before it
    const struct gamma_shape *shape;      // GAMMA_TYPE
    const struct chart_expression *value; // GAMMA_CONSTANT
};

// An event of a port of an instance.
struct gamma_signal {
    const char *name; // "port.event"
    bool input, persistent;
    struct chart_variable *flag;
    struct chart_variable **parameters;
    uint32_t parameter_count;
    // Where what is raised goes: inputs of others.
    struct gamma_signal **to;
    uint32_t to_count;
    // It arrives one step later: what is raised is kept here.
    struct gamma_signal *buffer;
    // Of an internal event: what its component raises, and then gets itself.
    struct gamma_signal *loop;
    bool queued; // an internal event that a queue takes in
    // Inputs of other adapters: messages for their queues.
    struct gamma_signal **posts;
    uint32_t post_count;
};

struct gamma_adapter; // gamma_queues.h

struct gamma_port {
    const char *name, *interface;
    bool provides;
    struct gamma_signal **signals; // of a leaf; of a composite the signals of what is bound to it
    uint32_t signal_count;
};

struct gamma_binding { // a name that stands for an expression
    const char *name;
    const struct chart_expression *value;
    struct chart_variable *local; // instead: a local variable
};

struct gamma_instance {
    const char *name;   // "" at the top
    const char *prefix; // "a.b." or ""
    const struct gamma_declaration *declaration;
    struct gamma_port **ports;
    uint32_t port_count;
    struct gamma_instance **children;
    uint32_t child_count;
    struct chart_component *component; // of a statechart
    size_t body;                       // of a statechart: index of its first token
    struct gamma_signal **late; // of a synchronous composite: inputs that arrive one step later
    uint32_t late_count;
    struct gamma_instance **order; // in which children run, when that is said
    uint32_t order_count;
    struct gamma_instance **initial_order; // those that run before the first step
    uint32_t initial_count;
    struct gamma_adapter *adapter; // of an adapter, or of an asynchronous statechart
    uint32_t capacity;             // of an asynchronous statechart; 0: not said
    // Of a statechart: it runs only when something comes from outside, or when a timeout is over.
    bool waits_for_events, waits_for_timeouts;
    const struct chart_expression *invariant; // of a statechart and its states; NULL: none
    struct chart_names states, variables, procedures;
    struct chart_names stores; // variables that are arrays or records
    // Innermost last; first the component's own parameters. Inside a procedure those between them and `floor`, which are
    // its caller's, are not seen.
    VECTOR(struct gamma_binding) bindings;
    size_t parameters, floor;
};

struct gamma_reader {
    struct chart *chart;
    struct messages *messages;
    size_t failures;
    struct arena arena;
    VECTOR(struct gamma_file *) files;
    struct chart_names paths, declarations;
    VECTOR(struct gamma_declaration *) in_order;
    VECTOR(struct gamma_instance *) instances; // all of them
    VECTOR(struct gamma_signal *) signals;     // of leaves
    VECTOR(struct chart_variable *) timers;
    VECTOR(struct gamma_adapter *) adapters;
    struct lexer *lexer; // what is being read
    struct gamma_instance *instance;
    uint32_t depth; // of calls of procedures and of components
    const struct gamma_declaration *top;
    bool has_twins;    // interfaces of one name
    uint32_t in_block; // of actions
    uint32_t unrolled; // rounds of loops
    // Never has a value: what lies outside an array.
    struct chart_variable *outside;
};

bool gamma_failed(const struct gamma_reader *reader);
bool gamma_load(struct gamma_reader *reader, const char *path, char *text, size_t bytes);
// The file of a package, for the file `from`; NULL: none, or *several.
char *gamma_find_package(struct gamma_reader *reader, const char *from, const char *package,
                         bool *several);
const struct gamma_declaration *gamma_find(struct gamma_reader *reader, const struct token *name);
// Reading at another place, and back.
struct gamma_place {
    struct lexer *lexer;
    size_t at;
};
struct gamma_place gamma_go_to(struct gamma_reader *reader, struct gamma_file *file, size_t at);
void gamma_return(struct gamma_reader *reader, struct gamma_place place);

bool gamma_at(struct gamma_reader *reader, const char *word);
bool gamma_accept(struct gamma_reader *reader, const char *word);
bool gamma_expect(struct gamma_reader *reader, const char *word);
// The next token as a name; NULL with a message.
const struct token *gamma_name(struct gamma_reader *reader, const char *what);
void gamma_skip_block(
    struct gamma_reader *reader); // from its opening bracket to behind the closing one
const struct chart_type *gamma_type(struct gamma_reader *reader); // NULL with a message
const struct gamma_shape *
gamma_shape(struct gamma_reader *reader); // of any kind; NULL with a message
// What follows a variable that is an array or a record: [ INDEX ] and .FIELD, up to a scalar.
struct gamma_store *gamma_store_create(struct gamma_reader *reader, const struct gamma_shape *shape,
                                       const char *prefix, const char *name, struct position at);
const struct chart_expression *gamma_store_read(struct gamma_reader *reader,
                                                const struct gamma_store *store);
// … := VALUE, of the whole or a part; the lexer stands behind the variable.
const struct chart_action *gamma_store_assign(struct gamma_reader *reader,
                                              const struct gamma_store *store);
// := VALUE of the whole.
const struct chart_action *gamma_store_set(struct gamma_reader *reader,
                                           const struct gamma_store *store);
const struct chart_type *gamma_find_type(struct gamma_reader *reader, const char *name);

const struct chart_expression *gamma_expression(struct gamma_reader *reader,
                                                const struct chart_type *type, const char *what);
const struct chart_expression *gamma_trigger(struct gamma_reader *reader);
// Actions up to what begins none.
const struct chart_action *gamma_actions(struct gamma_reader *reader);
// Behind a `/`, where there is some action: a `var` that comes first is local to the list, and none of the chart.
const struct chart_action *gamma_effect(struct gamma_reader *reader);
struct gamma_signal *gamma_signal_of(struct gamma_reader *reader, const struct token *port,
                                     const struct token *event);

const char *gamma_event_of(const struct gamma_signal *signal);
struct gamma_port *gamma_find_port(const struct gamma_instance *instance,
                                   const char *name); // NULL: none
struct chart_variable *gamma_own_variable(struct gamma_reader *reader, const char *prefix,
                                          const char *name, const struct chart_type *type,
                                          enum chart_role role, struct position at);

// ---- what a step of the system is (gamma_steps.c) ----------------------------------------------

struct gamma_list { // of actions
    struct gamma_reader *reader;
    const struct chart_action *first;
};
struct chart_action *gamma_act(struct gamma_list *list, enum chart_action_kind kind,
                               struct chart_variable *variable,
                               const struct chart_expression *value);
void gamma_set(struct gamma_list *list, struct chart_variable *variable, int64_t value);
void gamma_copy(struct gamma_list *list, struct chart_variable *to,
                const struct chart_variable *from);
// The list of what happens if the condition holds: (*out)->then once it is complete.
struct gamma_list gamma_branch(struct gamma_list *list, const struct chart_expression *condition,
                               struct chart_action **out);
// Flag and parameters, unless these are persistent.
void gamma_clear(struct gamma_list *list, const struct gamma_signal *signal);
// Inputs or outputs of a component's own ports.
void gamma_clear_all(struct gamma_list *list, const struct gamma_instance *instance, bool inputs);
// An operation that happens when `when` holds (NULL: always).
void gamma_add_operation(struct gamma_reader *reader, const struct chart_component *component,
                         const struct chart_action *actions, const struct chart_expression *when);
void gamma_add_operations(struct gamma_reader *reader, const struct gamma_instance *instance,
                          const struct chart_expression *when);
// Of the system as a whole: what runs before the first step.
void gamma_add_first_operations(struct gamma_reader *reader, const struct gamma_instance *top);
void gamma_make_environment(struct gamma_reader *reader, const struct gamma_instance *top);

// ---- asynchronous components (gamma_async.c, gamma_turns.c) ---------------------------------------------------

// The body of an adapter, whose wrapped component is its child.
void gamma_adapter(struct gamma_reader *reader, struct gamma_instance *instance);
// An asynchronous statechart: its own adapter, with one queue for all its inputs; capacity 0: not said.
void gamma_own_adapter(struct gamma_reader *reader, struct gamma_instance *instance,
                       uint32_t capacity);
// What only the environment sends needs no place; the others get theirs. Once all components are connected.
void gamma_make_queues(struct gamma_reader *reader, const struct gamma_instance *top);
// Takes a message, runs if it asks for that, and posts what was raised.
void gamma_adapter_turn(struct gamma_reader *reader, const struct gamma_instance *instance,
                        const struct chart_expression *when);
// Messages from outside into queues that hold others too, and ticks of clocks.
void gamma_arrivals(struct gamma_list *list);

// The body of a statechart, behind its name. The instance's ports get their signals.
void gamma_statechart(struct gamma_reader *reader, struct gamma_instance *instance);
// Its transitions and actions, when all components are there and connected.
void gamma_statechart_behaviour(struct gamma_reader *reader, struct gamma_instance *instance);
void gamma_ports(struct gamma_reader *reader, struct gamma_instance *instance, bool leaf);
// ( name : type, … ) with the arguments given
void gamma_parameters(struct gamma_reader *reader, struct gamma_instance *instance,
                      const struct chart_expression *const *arguments, size_t count);
struct gamma_instance *gamma_instantiate(struct gamma_reader *reader,
                                         const struct gamma_declaration *declaration,
                                         const char *name, const char *prefix,
                                         const struct chart_expression *const *arguments,
                                         size_t count);

#endif
