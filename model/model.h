#ifndef REGATTA_MODEL_MODEL_H
#define REGATTA_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/message.h"
#include "logic/terms/term.h"
#include "model/dialect.h"

// The one intermediate form: variables, locations, edges with actions, one initial location with an
// initial action, one error location. Made by a builder, immutable from then on; any number of
// threads may read it.
//
// Meaning. A state is a location and a value for every variable. Runs start in the initial location
// with arbitrary values, on which `initial_action` runs first. A step takes an edge whose action
// can run to its end; an action is atomic: it happens whole or not at all. The model is unsafe when
// the error location can be reached.
//
// How the input languages map onto it
//   XSTS  locations `start` (before init), `stable` (after init or trans), `stimulated` (after
//   env);
//         every branch of a transition set is an edge; from each observable location an edge
//         `assume not property` leads to the error location (property_at = stable: only from
//         `stable`). A `for` loop with bounds that are not constant becomes edges through hidden
//         locations.
//   CFA   itself; an edge with several statements is one edge with a sequence.
//   CHC   a location for each predicate, an edge for each linear clause; facts leave the initial location
//         `true`, queries enter the error location `false`. Arguments live in variables that the predicates
//         share, so that there a variable means something only where it is an argument.
//   STS   one location with a self-loop and the edge `assume not property` to the error location.
//   The
//         transition formula over x and x' becomes an action: next values live in local variables
//         (havoc or assign them, assume the rest, then copy).

enum variable_flag {
    VARIABLE_CONTROL = 1, // XSTS `ctrl`
    VARIABLE_LOCAL = 2,   // lives inside one step only; not part of what a user sees as the state
    VARIABLE_INPUT = 4,   // what a circuit is given from outside in each step
    VARIABLE_INNER = 8,   // control of a composite state, idle while that is not active
};

struct variable {
    const char *name;        // unique in the model
    const struct term *term; // its TERM_VAR, index 0
    const struct sort *sort;
    uint32_t index; // position in model.variables
    uint32_t flags; // enum variable_flag
    uint32_t
        float_exponent; // its bits are a float with so many bits of exponent (only values print differently); else 0
    struct position source; // line 0 when made by the program
};

enum statement_kind {
    STATEMENT_SKIP,
    STATEMENT_ASSIGN,   // variable := expression
    STATEMENT_ASSUME,   // expression (bool) holds
    STATEMENT_HAVOC,    // variable becomes arbitrary in its sort
    STATEMENT_SEQUENCE, // children in order
    STATEMENT_CHOICE,   // one of the children (at least one)
    STATEMENT_IF,       // expression ? child[0] : child[1]; always two children
};

struct statement {
    enum statement_kind kind;
    uint32_t id;                     // dense in the model: 0 … model.statement_count - 1
    const struct variable *variable; // ASSIGN, HAVOC
    const struct term *expression;   // ASSIGN, ASSUME, IF
    uint32_t child_count;
    const struct statement *const *child;
    const struct statement *origin; // the statement of the source model that this one stands for
                                    // (itself there); NULL when it stands for none
    struct position source;
    const char *
        written; // ASSIGN, ASSUME: the statement as the source has it; IF: its condition; NULL: see `expression`
};

// What a location means in its language; decides how traces print.
enum location_phase {
    PHASE_NONE,       // CFA, STS
    PHASE_START,      // XSTS pre_init, last_env
    PHASE_STABLE,     // XSTS post_init, last_internal
    PHASE_STIMULATED, // XSTS post_init, last_env
};

struct edge;

struct location {
    const char *name;
    uint32_t index;
    bool observable; // false: an inner point of a source step; the property is not checked here and
                     // traces do not show it
    enum location_phase phase;
    const struct location *origin; // as for statements; itself in a source model
    // CHC: the variables that hold the predicate's arguments, in their order; NULL where a state is all
    // variables, as everywhere else.
    const struct variable *const *arguments;
    uint32_t argument_count;
    uint32_t out_count, in_count;
    const struct edge *const *out; // in order of edge ids
    const struct edge *const *in;
};

struct edge {
    uint32_t id; // position in model.edges
    const struct location *source, *target;
    const struct statement *action;
    const char *label;     // for people: "trans 3", "L0 -> L1"; never NULL
    uint32_t origin_count; // the edges of the source model that it stands for, in order;
    const struct edge *const
        *origin; // a block with choices between them lists none: parts of its action tell
    bool
        continues; // a later piece of an edge that preparation cut: the origins are those of the piece
                   // before it, on whose target it alone begins
    // A step into the error location of a source model that tells of a limit of the model (a queue
    // that is full), not of an error: in these words, no verdict. NULL as a rule.
    const char *limit;
    struct position position;
};

// Facts a plan may ask about.
struct model_features {
    uint32_t locations, edges, variables, control_variables;
    uint32_t booleans, integers, rationals, bitvectors, arrays, enumerations; // variables by sort
    uint32_t havocs, assumptions, statements, choices;
    uint32_t loops;      // back edges of a depth-first search
    uint32_t cyclomatic; // edges - locations + 2
    bool nonlinear;      // a product, or a division by a non-literal, of non-literals
    uint32_t bits;       // of all variables of finite sorts
    uint32_t width;      // of the widest bit-vector variable
    uint32_t terms;      // distinct ones in all actions
    uint32_t depth;      // nesting of the deepest
    // Distinct terms by what they do.
    uint32_t literals, connectives, conditionals, equations, comparisons, additions, products,
        divisions;
    uint32_t bitwise, shifts, slices, accesses, quantifiers;
    // The variables that the error depends on by assignments, from those that it speaks of; in how many steps; and how
    // many of them take part in their own next value.
    uint32_t cone, cone_depth, cone_first, feedback;
    // Of programs: pointers that are loaded, operations on floats, calls of functions that have a body, threads beside others.
    uint32_t pointers, floats, calls, threads;
};

struct recode_options;

// What a language hands over beyond the model, for engines that know its kind: typed by the name of the kind,
// immutable, owned by the model that was read (model_root).
struct model_view {
    const char *kind; // "net"
    void (*destroy)(struct model_view *view);
    // The question is one that the model itself does not ask (a formula of CTL): engines that do not name this kind are
    // not applicable, and an unsafe verdict may have no trace.
    bool asks;
    // The model in another form (recode.h); from any thread. NULL: there is none.
    struct model *(*recode)(const struct model *source, const struct recode_options *options,
                            const _Atomic bool *given_up);
};

struct trace;
struct text;

// What a model's language can say of a run that replayed on the model and ended at no limit: whether it is one of the
// program that the model stands for.
struct model_judge {
    const char *language;
    // It runs the input itself on what is arbitrary in the run, whose states it does not need.
    bool follows;
    // Why not, appended to `why`. From any thread.
    bool (*believes)(const struct model_judge *judge, const struct trace *trace, struct text *why);
    void (*destroy)(struct model_judge *judge);
    // The property with which the same input gives a model whose runs end where this one's run into a limit: for
    // finding errors only. NULL: there is no such place.
    const char *retry;
    // The property with which the same input gives a model that has all its runs and more: its proofs are the input's. NULL: none.
    const char *wider;
    // This is such a model.
    bool wide;
    // Predicates that may hold where its loops begin, as text (precision_text.h). NULL: none.
    const char *guesses;
    // The same of bounds of its floats, which are no reason to leave other facts out. NULL: none.
    const char *bounds;
    // A property of the same input that has to be safe for a proof about the model to be one about the input: engines that
    // work on the input's view need it not. NULL: none.
    const char *premise;
};

struct model {
    const struct dialect *dialect; // static
    const char *path;              // of the input, for messages
    struct term_store *store;      // frozen: make terms in a child of it
    const struct variable *const *variables;
    uint32_t variable_count;
    const struct location *const *locations;
    uint32_t location_count;
    const struct edge *const *edges;
    uint32_t edge_count;
    uint32_t statement_count;
    const struct location *initial;
    const struct location *error;
    const struct statement *initial_action;
    const struct term *property; // the invariant as written, NULL when the error location is all
    const char *property_kind;   // a word for it, where the language has such (static); or NULL
    uint32_t bad_number;         // circuits: which of the bad signals the error location stands for
    const struct model *source;  // the model this one was prepared from; NULL in a source model
    const struct model_view *view;   // NULL: none; in a source model only
    const struct model_judge *judge; // of a source model; NULL: every replayed run counts
    struct model_features features;
    struct model_memory *memory; // the builder's, private
};

void model_destroy(struct model *model); // destroy prepared models first; NULL is fine
const struct variable *model_find_variable(const struct model *model, const char *name);
// The model's variable with this TERM_VAR (of any copy index); NULL for other variables. O(1).
const struct variable *model_variable_of(const struct model *model, const struct term *variable);
bool model_has_arrays(const struct model *model);
// The end of the chain of `source`.
const struct model *model_root(const struct model *model);
// Over variables, edges and actions: models with the same digest take the same steps, whatever preparation they come
// from. The same on every run and machine. Linear in the model.
struct hash128 model_digest(const struct model *model);
// Of locations, by edges (base/components.h). Release with components_finish.
struct components;
void model_components(const struct model *model, struct components *out);

// Building. A builder owns everything until finish; all makers copy their arguments.

struct model_builder;

struct model_builder *model_builder_create(const struct dialect *dialect, const char *path,
                                           struct term_store *parent /* NULL in a front end */);
void model_builder_destroy(struct model_builder *builder); // abandon; NULL is fine
struct term_store *model_builder_store(struct model_builder *builder);

// NULL when the name is taken.
const struct variable *model_builder_variable(struct model_builder *builder, const char *name,
                                              const struct sort *sort, uint32_t flags,
                                              struct position source);
// The variable, a bit-vector, holds floats.
void model_builder_float(struct model_builder *builder, const struct variable *variable,
                         uint32_t exponent_bits);
// A value of the variable as traces show it.
void variable_print(struct text *out, const struct variable *variable, struct value value);
const struct variable *model_builder_find(struct model_builder *builder, const char *name);
// A variable with a name that nobody else has, made from `stem`.
const struct variable *model_builder_fresh(struct model_builder *builder, const char *stem,
                                           const struct sort *sort, uint32_t flags,
                                           struct position source);

// NULL when the name is taken (name NULL: a fresh one is made).
struct location *model_builder_location(struct model_builder *builder, const char *name,
                                        enum location_phase phase, bool observable);
// The location's arguments; copied.
void model_builder_location_state(struct model_builder *builder, struct location *location,
                                  const struct variable *const *arguments, size_t count);

struct statement *model_skip(struct model_builder *builder, struct position source);
struct statement *model_assign(struct model_builder *builder, const struct variable *variable,
                               const struct term *expression, struct position source);
struct statement *model_assume(struct model_builder *builder, const struct term *condition,
                               struct position source);
struct statement *model_havoc(struct model_builder *builder, const struct variable *variable,
                              struct position source);
struct statement *model_sequence(struct model_builder *builder, struct statement *const *children,
                                 size_t count, struct position source);
struct statement *model_choice(struct model_builder *builder, struct statement *const *children,
                               size_t count, struct position source);
struct statement *model_if(struct model_builder *builder, const struct term *condition,
                           struct statement *then, struct statement *otherwise,
                           struct position source);

// What a person wrote where the statement stands, for traces; copied. Of a source model.
void model_statement_written(struct model_builder *builder, struct statement *statement,
                             const char *written);

struct edge *model_builder_edge(struct model_builder *builder, struct location *source,
                                struct location *target, struct statement *action,
                                const char *label, struct position position);
// Static text. See struct edge.
void model_builder_limit(struct edge *edge, const char *limit);
void model_builder_initial(struct model_builder *builder, struct location *initial,
                           struct statement *action);
void model_builder_error(struct model_builder *builder, struct location *error);
void model_builder_property(struct model_builder *builder, const struct term *property);
void model_builder_bad_number(struct model_builder *builder, uint32_t number);
void model_builder_view(struct model_builder *builder, struct model_view *view); // taken over
// Owned by the model from here on, with the builder too.
void model_builder_judge(struct model_builder *builder, struct model_judge *judge);
// Consumes the builder. Computes in/out lists, ids, features. A statement is used in one place only
// (assert).
struct model *model_builder_finish(struct model_builder *builder);

#endif
