#ifndef REGATTA_LANGUAGES_PETRI_MEMBER_INDEX_H
#define REGATTA_LANGUAGES_PETRI_MEMBER_INDEX_H

#include <stddef.h>
#include <stdint.h>

// A list of markings by number, and which number a marking has there: for the checkers of proofs, which share nothing
// with the searches.

struct marking_list {
    uint32_t count;
    void (*get)(const void *context, uint32_t number, int64_t *out);
    const void *context;
};

#define MEMBER_NONE UINT32_MAX

struct member_index {
    const struct marking_list *list;
    uint32_t places;
    uint32_t *slots; // number + 1, 0 = free
    uint64_t slot_count;
    int64_t *other;
    uint64_t *factors; // by place, of the hash
};

// Of equal markings in the list the last one counts.
void member_index_init(struct member_index *index, const struct marking_list *list,
                       uint32_t places);
void member_index_finish(struct member_index *index);
// MEMBER_NONE when it is not in the list.
uint32_t member_index_find(struct member_index *index, const int64_t *marking);

#endif
