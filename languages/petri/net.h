#ifndef REGATTA_LANGUAGES_PETRI_NET_H
#define REGATTA_LANGUAGES_PETRI_NET_H

#include <stdint.h>

#include "base/arena.h"
#include "base/message.h"

// A place/transition net with weighted, inhibitor and read arcs (docs/petri.md). Made by a builder, immutable from then
// on; any number of threads may read it.
//
// A transition is enabled when each place of `pre` holds at least the weight and each place of `inhibit` holds fewer
// tokens than the weight. Firing takes the weights of `pre` and puts those of `post`; `effect` is the difference.
// A read arc is one of `pre` and one of `post`.

// Numbers of tokens and weights of an input are at most this; sums of a few million of them do not overflow.
#define NET_NUMBER_MAX ((int64_t)1 << 40)
// No place is counted beyond this: one firing more cannot overflow.
#define NET_TOKENS_MAX ((int64_t)1 << 61)

struct net_arc {
    uint32_t place;
    int64_t weight; // > 0; in `effect` any but 0
};

struct net_arcs {
    const struct net_arc *data; // ascending places, each once
    uint32_t count;
};

struct net_place {
    const char *id;   // unique among all nodes
    const char *name; // for people; the id where there is none
    int64_t marking;  // at the start
    struct position at;
    const uint32_t *users; // transitions with an arc of any kind here, ascending
    uint32_t user_count;
};

struct net_transition {
    const char *id, *name;
    struct position at;
    struct net_arcs pre, post, inhibit, effect;
};

struct net {
    const char *path, *name;
    const struct net_place *places;
    uint32_t place_count;
    const struct net_transition *transitions;
    uint32_t transition_count;
    bool has_inhibitors;
    struct net_index *index; // private
    struct arena arena;      // private
};

enum net_node_kind { NET_NONE, NET_PLACE, NET_TRANSITION };

void net_destroy(struct net *net); // NULL is fine
// What has this id; its number in *number.
enum net_node_kind net_find(const struct net *net, const char *id, uint32_t *number);

// That of the arc at the place; 0 where there is none.
static inline int64_t net_arcs_weight(const struct net_arcs *arcs, uint32_t place)
{
    for (uint32_t i = 0; i < arcs->count && arcs->data[i].place <= place; i++)
        if (arcs->data[i].place == place)
            return arcs->data[i].weight;
    return 0;
}

static inline bool net_is_enabled(const struct net_transition *t, const int64_t *marking)
{
    for (uint32_t i = 0; i < t->pre.count; i++)
        if (marking[t->pre.data[i].place] < t->pre.data[i].weight)
            return false;
    for (uint32_t i = 0; i < t->inhibit.count; i++)
        if (marking[t->inhibit.data[i].place] >= t->inhibit.data[i].weight)
            return false;
    return true;
}

static inline void net_fire(const struct net_transition *t, int64_t *marking)
{
    for (uint32_t i = 0; i < t->effect.count; i++)
        marking[t->effect.data[i].place] += t->effect.data[i].weight;
}

// After a firing: no place that it changed holds more than is counted.
static inline bool net_is_counted(const struct net_transition *t, const int64_t *marking)
{
    for (uint32_t i = 0; i < t->effect.count; i++)
        if (marking[t->effect.data[i].place] > NET_TOKENS_MAX)
            return false;
    return true;
}

// Building. Texts are copied.

struct net_builder;

enum net_arc_kind { NET_ARC_NORMAL, NET_ARC_INHIBITOR, NET_ARC_READ };

struct net_builder *net_builder_create(const char *path);
void net_builder_destroy(struct net_builder *builder); // abandon; NULL is fine
void net_builder_name(struct net_builder *builder, const char *name);
// False when the id is taken. name may be NULL.
bool net_builder_place(struct net_builder *builder, const char *id, const char *name,
                       int64_t marking, struct position at);
bool net_builder_transition(struct net_builder *builder, const char *id, const char *name,
                            struct position at);
// `id` is another word for `target`, which may come later. False when the id is taken.
bool net_builder_reference(struct net_builder *builder, const char *id, const char *target,
                           enum net_node_kind kind, struct position at);
// From what has the id `source` to what has the id `target`; either may come later. 0 < weight <= NET_NUMBER_MAX.
void net_builder_arc(struct net_builder *builder, const char *source, const char *target,
                     enum net_arc_kind kind, int64_t weight, struct position at);
// Makes the places that only arcs name, with no tokens.
void net_builder_declare_places(struct net_builder *builder);
// Consumes the builder. NULL with messages when ends of arcs are unknown or do not fit.
struct net *net_builder_finish(struct net_builder *builder, struct messages *messages);

// Digits only, at most NET_NUMBER_MAX; blanks around them are fine. Otherwise false; *too_large tells why.
bool net_read_number(const char *text, int64_t *out, bool *too_large);

#endif
