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
    GAMMA_OTHER, // what is not supported: said when it is used
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
};

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
    bool one_message; // each step takes exactly one
    struct chart_names states, variables, procedures;
    struct chart_names stores;             // variables that are arrays or records
    VECTOR(struct gamma_binding) bindings; // innermost last
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
    struct lexer *lexer; // what is being read
    struct gamma_instance *instance;
    uint32_t depth; // of calls of procedures and of components
    const struct gamma_declaration *top;
    uint32_t in_block; // of actions
    uint32_t unrolled; // rounds of loops
    // Never has a value: what lies outside an array.
    struct chart_variable *outside;
};

bool gamma_failed(const struct gamma_reader *reader);
bool gamma_load(struct gamma_reader *reader, const char *path, char *text, size_t bytes);
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
struct gamma_signal *gamma_signal_of(struct gamma_reader *reader, const struct token *port,
                                     const struct token *event);

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
