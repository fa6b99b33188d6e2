#ifndef REGATTA_LANGUAGES_CHARTS_CHART_H
#define REGATTA_LANGUAGES_CHARTS_CHART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/message.h"

// Hierarchical charts, whatever language they were written in: states that contain regions that contain states,
// transitions with triggers, guards and actions, variables. A reader makes one (chart_build.h); from then on it is
// immutable. Two things are made of it that share nothing but this structure: the explicit interpreter (interpret.h)
// and the translation into the intermediate form (translate.h).
//
// Which of the three semantics a chart has decides what a step is:
//   INTERLEAVING  [Czipo17] with the corrections of docs/statecharts.md: the environment may add one external event, then one
//                 enabled transition fires; if none is enabled nothing happens. Events stay until they are consumed.
//   SCXML         the algorithm of the W3C recommendation: one macrostep for each external event.
//   GAMMA         the environment sets the inputs, then the operations of the system run: in a component each
//                 region may fire one transition.

enum chart_semantics { CHART_INTERLEAVING, CHART_SCXML, CHART_GAMMA };

enum chart_type_kind { CHART_BOOL, CHART_INT, CHART_ENUM };

struct chart_type {
    enum chart_type_kind kind;
    const char *name;
    const char *const *literals; // CHART_ENUM
    uint32_t literal_count;
};

enum chart_role {
    CHART_DATA,      // a variable of the chart
    CHART_TIMER,     // time that is left until a timeout, -1 = not running
    CHART_EVENT,     // is this event there?
    CHART_PARAMETER, // of an event
};

struct chart_variable {
    const char *name; // unique in the chart
    const char *text; // as its owner would write it: "prior.a"
    const struct chart_type *type;
    enum chart_role role;
    // SCXML data without a first value: true once it has one; NULL for all others.
    struct chart_variable *set;
    const struct chart_transition *remembers; // true as soon as it has fired; NULL for all others
    const struct chart_state *left; // true as soon as it has been left; NULL for all others
    bool scratch;                   // of the program's making, so that users do not see it
    // GAMMA events: an input of a component; those that an output goes to, over channels (an internal one: itself).
    bool comes_in;
    const struct chart_variable **goes_to;
    uint32_t goes_count;
    int64_t initial; // 0/1, a number, or the position of a literal
    uint32_t index;
    struct position source;
};

// What happens between components, and what an environment or a state machine may raise.
struct chart_event {
    const char *name;
    uint32_t index;
    bool external; // the environment may send it
    bool heard;    // some transition listens to it
    bool raised;   // some action raises it
    // INTERLEAVING and GAMMA: the flag that says whether it is there; NULL in SCXML, where events are
    // taken one by one from queues.
    struct chart_variable *flag;
    struct position source;
};

enum chart_operator {
    CHART_LITERAL,  // value
    CHART_VARIABLE, // variable
    CHART_ACTIVE,   // state is active
    CHART_NOW,      // SCXML: event is the one that is being processed
    CHART_NOT,
    CHART_AND,
    CHART_OR,
    CHART_EQUAL,
    CHART_LESS,
    CHART_LESS_EQUAL,
    CHART_ADD,
    CHART_SUBTRACT,
    CHART_MULTIPLY,
    CHART_DIVIDE,    // Euclidean
    CHART_MODULO,    // Euclidean
    CHART_REMAINDER, // has the sign of the dividend; the divisor is a literal that is not 0
    CHART_NEGATE,
    CHART_IF, // child[0] ? child[1] : child[2]
};

struct chart_state;

struct chart_expression {
    enum chart_operator op;
    const struct chart_type *type;
    int64_t value;
    const struct chart_variable *variable;
    const struct chart_state *state;
    const struct chart_event *event;
    const struct chart_expression *child[3];
    uint32_t depth; // of the tree
    struct position source;
};

enum chart_action_kind {
    CHART_ASSIGN, // variable := expression
    CHART_HAVOC,  // variable := anything of its type that `expression` (may be NULL) allows
    CHART_RAISE,  // SCXML: event, into the internal queue
    CHART_LIMIT,  // SCXML: more than a queue has place for
    CHART_BRANCH, // if expression then `then` else `otherwise`
    CHART_ASSUME, // expression holds, or the step cannot be
};

// A list of actions that run in order; NULL is the empty one.
struct chart_action {
    enum chart_action_kind kind;
    struct chart_variable *variable;
    const struct chart_expression *expression;
    const struct chart_event *event;
    const struct chart_action *then, *otherwise;
    const struct chart_action *next;
    struct position source;
};

enum chart_kind {
    CHART_STATE,           // simple, composite or parallel, by the number of its regions
    CHART_FINAL,           // a state without regions that ends its region
    CHART_SHALLOW_HISTORY, // pseudo-states from here on: never active
    CHART_DEEP_HISTORY,
    CHART_CHOICE, // goes on by the first (by priority) of its transitions whose guard holds
    CHART_INITIAL,
    CHART_FORK, // a reader puts transitions together that meet in one of these
    CHART_JOIN,
};

struct chart_transition {
    uint32_t index;                     // in document order
    const struct chart_state *source;   // NULL: a region's initial transition
    const struct chart_state **targets; // none: stays where it is
    uint32_t target_count;
    bool spontaneous;                       // SCXML: takes no event
    bool internal;                          // its source is not left when all targets are inside
    const struct chart_expression *trigger; // NULL: none
    const struct chart_expression *guard;   // NULL: true
    bool otherwise;                         // of a choice: [else]
    const struct chart_action *action;
    int64_t priority; // greater first, where the component says so
    const char *text; // for people: "Red -> Green when toggle"
    // INTERLEAVING: these flags go off when it fires.
    struct chart_variable *consumed;
    struct position source_position;
};

struct chart_region {
    uint32_t index;
    const char *name;
    const char *text;                 // with those around it: "prior.main.Normal.normal"
    const struct chart_state *parent; // NULL: at the top of its component
    struct chart_component *component;
    struct chart_state **states; // those that can be active first, then pseudo-states
    uint32_t state_count, active_count;
    // How it is entered unless a target says more: NULL = by the first state.
    const struct chart_transition *initial;
    const struct chart_state *history; // GAMMA: entered by history
    bool remembers;                    // some history pseudo-state looks at what was active last
};

struct chart_state {
    uint32_t index; // in document order; a parent comes before its children
    enum chart_kind kind;
    const char *name; // as written
    const char *text; // unique: with component and regions around it where the language needs them
    const struct chart_region *parent;
    uint32_t place; // in parent->states
    uint32_t depth; // of the top: 1
    uint32_t last;  // index of the last state inside, itself if there is none
    struct chart_region **regions;
    uint32_t region_count;
    bool parallel; // SCXML: each region is one child, and none is left alone
    const struct chart_action *entry, *exit;
    const struct chart_transition **out; // in document order
    uint32_t out_count;
    // SCXML: raised when it is entered (final states): done.state.ID of its parent; NULL if nobody listens.
    const struct chart_event *done;
    // SCXML parallel states: raised when all regions are in final states.
    const struct chart_event *all_done;
    struct position source;
};

enum chart_priority { CHART_ANY_ORDER, CHART_DOCUMENT_ORDER, CHART_BY_VALUE };

struct chart_component {
    uint32_t index;
    const char *name; // "" when it is the only one
    struct chart_region **regions;
    uint32_t region_count;
    enum chart_priority priority;
    bool inner_first; // GAMMA: transitions of inner states before those of outer ones
};

// GAMMA: what a step of the whole system does, in order.
struct chart_operation {
    const struct chart_component *component; // runs; or
    const struct chart_action *action;       // these run
    const struct chart_expression *when;     // if this holds; NULL: always
};

// SCXML: an event that the chart has sent to itself comes when no macrostep runs.
struct chart_sending {
    const struct chart_event *event;
    const struct chart_expression *ready;
    const struct chart_action *take; // out of its queue
};

// What happens first when a transition fires or a state is left; its own actions follow.
struct chart_memory {
    const void *of; // the transition, or the state
    const struct chart_action *first;
};

struct chart {
    enum chart_semantics semantics;
    bool bits; // the translation has configurations as bit vectors (bits.h)
    const char *path;
    const char *name;
    struct arena arena;
    const struct chart_type **types; // enumerations
    uint32_t type_count;
    struct chart_type
        *texts; // SCXML: all strings of the document, and of its questions; NULL = none yet
    const char **text_names; // its literals
    struct chart_variable **variables;
    uint32_t variable_count;
    struct chart_event **events;
    uint32_t event_count;
    struct chart_state **states; // in document order
    uint32_t state_count;
    struct chart_region **regions;
    uint32_t region_count;
    struct chart_transition **transitions; // those that fire: no initial ones
    uint32_t transition_count;
    struct chart_component **components;
    uint32_t component_count;
    // GAMMA: before each step. SCXML: before each event from outside.
    const struct chart_action *environment;
    // GAMMA
    struct chart_operation *operations;
    uint32_t operation_count;
    const struct chart_action *start;  // before the components are entered
    const struct chart_action *settle; // after that
    struct chart_operation *first;     // and then these
    uint32_t first_count;
    struct chart_action *elapsing; // the one by which time passes in a step; NULL: nobody waits
    // SCXML: events that fit into the internal queue, and into the one of those that the chart sends to itself.
    uint32_t queue_bound;
    struct chart_sending *sendings;
    uint32_t sending_count;
    // INTERLEAVING: events that no transition took are dropped after the step.
    bool drops_unused;
    // What a question adds (build.h): actions that note what has fired or been left, and how time passes, in the place of `elapsing`.
    struct chart_memory *memories;
    uint32_t memory_count;
    const struct chart_action *elapsed; // NULL: as `elapsing` says
    // Two transitions of one state: `overlapped` is set as soon as both may fire at the same time; NULL: nobody asks.
    const struct chart_transition *overlap[2];
    struct chart_variable *overlapped;
};

void chart_destroy(struct chart *chart); // NULL is fine

// What a transition and leaving a state do, with what the question wants to have noted.
const struct chart_action *chart_action_of(const struct chart *chart,
                                           const struct chart_transition *transition);
const struct chart_action *chart_exit_of(const struct chart *chart,
                                         const struct chart_state *state);
// The action in the place of this one, in a list: how time passes may be for the question to say.
static inline const struct chart_action *chart_in_place(const struct chart *chart,
                                                        const struct chart_action *action)
{
    return action != NULL && action == chart->elapsing && chart->elapsed != NULL ? chart->elapsed
                                                                                 : action;
}

// Is `state` below `above` (not itself)? NULL: the top, above all.
bool chart_is_below(const struct chart_state *state, const struct chart_state *above);
// The state that contains this one; NULL at the top.
const struct chart_state *chart_parent(const struct chart_state *state);
static inline bool chart_can_be_active(const struct chart_state *state)
{
    return state->kind <= CHART_FINAL;
}
// By its whole text, or by a unique end of it ("Normal", "main.Normal"); NULL if there is none or *several.
bool chart_is_named(const struct chart_state *state, const char *name);
const struct chart_state *chart_find_state(const struct chart *chart, const char *name,
                                           bool *several);
const struct chart_variable *chart_find_variable(const struct chart *chart, const char *name,
                                                 bool *several);
const struct chart_event *chart_find_event(const struct chart *chart, const char *name);
// The region whose active state the transition leaves and in which it enters its targets: the innermost one with source and all
// targets inside (SCXML: the innermost one that is not alone in a parallel state). NULL: it has no target and
// leaves nothing.
const struct chart_region *chart_domain(const struct chart *chart,
                                        const struct chart_transition *transition);
// Is the state in the region, at any depth?
bool chart_is_in(const struct chart_state *state, const struct chart_region *region);

#endif
