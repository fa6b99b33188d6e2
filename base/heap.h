#ifndef REGATTA_BASE_HEAP_H
#define REGATTA_BASE_HEAP_H

#include <assert.h>
#include <stddef.h>

#include "base/vector.h"

// A binary heap in a vector (base/vector.h): the first element is one that no other stands before. What an element is, which of
// two stands before the other, and who is told where one went, is its owner's affair:
//
//   static bool before(const struct search *s, uint32_t a, uint32_t b) …
//   static void put(struct search *s, size_t position, uint32_t element)    { s->heap.data[position] = element; … }
//
//   HEAP_PUSH(&s->heap, x, before, put, s);
//   HEAP_TAKE(&s->heap, &top, before, put, s);       // of one that is not empty
//   HEAP_UP(&s->heap, position, before, put, s);     // after the element there has come to stand before others
//
// `put` has to write data[position]. Both are called by name, so a compiler puts them in place: a heap of its own by hand is
// not faster.

#define HEAP_UP(v, position, before, put, context)                                                 \
    do {                                                                                           \
        size_t heap_at_ = (position);                                                              \
        assert(heap_at_ < (v)->count);                                                             \
        const __typeof__(*(v)->data) heap_it_ = (v)->data[heap_at_];                               \
        for (; heap_at_ > 0 && before(context, heap_it_, (v)->data[(heap_at_ - 1) / 2]);           \
             heap_at_ = (heap_at_ - 1) / 2)                                                        \
            put(context, heap_at_, (v)->data[(heap_at_ - 1) / 2]);                                 \
        put(context, heap_at_, heap_it_);                                                          \
    } while (0)

#define HEAP_PUSH(v, element, before, put, context)                                                \
    do {                                                                                           \
        VECTOR_PUSH(v, element);                                                                   \
        HEAP_UP(v, (v)->count - 1, before, put, context);                                          \
    } while (0)

#define HEAP_TAKE(v, top, before, put, context)                                                    \
    do {                                                                                           \
        assert((v)->count > 0);                                                                    \
        *(top) = (v)->data[0];                                                                     \
        const __typeof__(*(v)->data) heap_it_ = VECTOR_POP(v);                                     \
        size_t heap_at_ = 0;                                                                       \
        if ((v)->count == 0)                                                                       \
            break;                                                                                 \
        for (size_t heap_child_; (heap_child_ = 2 * heap_at_ + 1) < (v)->count;                    \
             heap_at_ = heap_child_) {                                                             \
            if (heap_child_ + 1 < (v)->count &&                                                    \
                before(context, (v)->data[heap_child_ + 1], (v)->data[heap_child_]))               \
                heap_child_++;                                                                     \
            if (!before(context, (v)->data[heap_child_], heap_it_))                                \
                break;                                                                             \
            put(context, heap_at_, (v)->data[heap_child_]);                                        \
        }                                                                                          \
        put(context, heap_at_, heap_it_);                                                          \
    } while (0)

#endif
