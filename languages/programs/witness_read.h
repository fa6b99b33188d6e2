#ifndef REGATTA_LANGUAGES_PROGRAMS_WITNESS_READ_H
#define REGATTA_LANGUAGES_PROGRAMS_WITNESS_READ_H

#include "base/arena.h"
#include "base/message.h"

// Witnesses of the competition, format 2.0 (YAML).

enum waypoint_type {
    WAYPOINT_ASSUMPTION,
    WAYPOINT_BRANCHING,
    WAYPOINT_ENTER,
    WAYPOINT_RETURN,
    WAYPOINT_TARGET,
};

// A place in the program; column 0 and function NULL when the witness does not say.
struct witness_place {
    const char *file;
    unsigned line, column;
    const char *function;
};

struct waypoint {
    enum waypoint_type type;
    bool avoid;
    struct witness_place place;
    const char *constraint; // NULL: none
    struct position at;     // in the witness
};

struct segment {
    struct waypoint *waypoints; // the last one is to be followed, the others to be avoided
    size_t count, capacity;
};

struct witness_invariant {
    bool loop;
    struct witness_place place;
    const char *value;
    struct position at;
};

struct witness {
    struct arena arena;
    const char *path;
    bool violation;
    const char *specification; // as the witness says it; "" when it does not
    bool wide;                 // LP64
    const char *hash;          // of its first input file; "" when it does not say
    struct segment *segments;  // violation
    size_t segment_count, segment_capacity;
    struct witness_invariant *invariants; // correctness
    size_t invariant_count, invariant_capacity;
};

// The first entry of a kind that is known. NULL with messages: `path:line:column`.
struct witness *witness_read(const char *path, const char *text, size_t bytes,
                             struct messages *messages);
struct witness *witness_open(const char *path, struct messages *messages);
void witness_destroy(struct witness *witness); // NULL is fine

#endif
