#ifndef REGATTA_LANGUAGES_CHARTS_GAMMA_QUEUES_H
#define REGATTA_LANGUAGES_CHARTS_GAMMA_QUEUES_H

#include <string.h>

#include "languages/charts/gamma_inside.h"

// Adapters: components that run when a message comes. An adapter has queues of messages; when its turn comes it takes one
// from the first queue that is not empty, in the order of their priorities, runs if a control specification says so, and
// posts what was raised to the queues of those that channels lead to.
//
// A queue that only the environment fills has no place in the chart: as nobody else sees what is in it, the environment may
// as well send a message when it is taken. Others have a place for each message, "none" behind the last one.
//
// gamma_async.c reads what an adapter says into these, gamma_turns.c makes variables and actions of them.

struct clock {
    const char *name;
    struct chart_variable *left; // time until its next tick
    int64_t rate;
};

struct signals {
    struct gamma_signal **data;
    uint32_t count;
};

// What may be in a queue.
struct letter {
    const char *port, *event;        // as the adapter calls them; event NULL: the clock
    const struct clock *clock;       // or
    const struct gamma_signal *from; // an input, an internal event, or an output that is passed on
    struct signals to;               // inputs of the component that it sets
    bool from_outside;
    bool runs;
    bool clears_own, clears_others; // queues
    const struct token *at;
};

struct queue_place {
    struct chart_variable *kind;         // 0: empty, else 1 + the number of the message
    struct chart_variable ***parameters; // by number of the message, of the parameter
};

struct queue {
    const char *name;
    const struct token *at;
    int64_t priority;
    uint32_t capacity;
    bool drops_oldest;
    struct letter *messages;
    uint32_t message_count;
    struct queue_place *places; // NULL: only the environment fills it
    bool outside, inside;       // is filled by the environment; by others
};

enum control_function { RUN, CLEAR_OWN, CLEAR_ALL, CLEAR_OTHERS };

struct control {
    const struct token *at;
    const char *port, *event; // port NULL: any message; event NULL: any of the port, or a clock
    enum control_function function;
};

struct gamma_adapter {
    struct gamma_instance *instance;
    struct queue **queues; // greater priorities first, once all is read
    uint32_t queue_count;
    struct clock **clocks;
    uint32_t clock_count;
    struct control *controls;
    uint32_t control_count;
    struct chart_variable *runs; // inside a step
    bool always_runs;            // at each message
    uint32_t turns;              // in a step
};

static inline bool same_event(const struct gamma_signal *a, const struct gamma_signal *b)
{
    return a == b || strcmp(gamma_event_of(a), gamma_event_of(b)) == 0;
}

#endif
