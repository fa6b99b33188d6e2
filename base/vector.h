#ifndef REGATTA_BASE_VECTOR_H
#define REGATTA_BASE_VECTOR_H

#include <assert.h>
#include <stddef.h>

#include "base/memory.h"

// A growing array of any type:
//
//   struct { struct node **data; size_t count, capacity; } nodes = {0};   or   VECTOR(struct node *) nodes;
//   VECTOR_PUSH(&nodes, n);   for (size_t i = 0; i < nodes.count; i++) … nodes.data[i] …
//   VECTOR_FINISH(&nodes);
//
// All zero is the empty vector. Pointers into `data` die at the next push.

#define VECTOR(type)                                                                               \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t count;                                                                              \
        size_t capacity;                                                                           \
    }

#define VECTOR_RESERVE(v, n)                                                                       \
    do {                                                                                           \
        size_t vector_need_ = (n);                                                                 \
        assert((v)->count <= (v)->capacity && "a vector begins as zeroes");                        \
        if (vector_need_ > (v)->capacity) {                                                        \
            size_t vector_cap_ = (v)->capacity ? 2 * (v)->capacity : 8;                            \
            if (vector_cap_ < vector_need_)                                                        \
                vector_cap_ = vector_need_;                                                        \
            (v)->data = memory_realloc((v)->data, vector_cap_ * sizeof *(v)->data);                \
            (v)->capacity = vector_cap_;                                                           \
        }                                                                                          \
    } while (0)

#define VECTOR_PUSH(v, x)                                                                          \
    do {                                                                                           \
        if ((v)->count == (v)->capacity)                                                           \
            VECTOR_RESERVE(v, (v)->count + 1);                                                     \
        (v)->data[(v)->count++] = (x);                                                             \
    } while (0)

#define VECTOR_POP(v) ((v)->data[(assert((v)->count > 0), --(v)->count)])
#define VECTOR_LAST(v) ((v)->data[(assert((v)->count > 0), (v)->count - 1)])
#define VECTOR_CLEAR(v) ((v)->count = 0)

#define VECTOR_FINISH(v)                                                                           \
    do {                                                                                           \
        memory_free((v)->data);                                                                    \
        (v)->data = NULL;                                                                          \
        (v)->count = (v)->capacity = 0;                                                            \
    } while (0)

#endif
