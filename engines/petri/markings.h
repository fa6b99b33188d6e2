#ifndef REGATTA_ENGINES_PETRI_MARKINGS_H
#define REGATTA_ENGINES_PETRI_MARKINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Markings, each once, numbered in the order in which they came. All places have the same number of bits, the fewest
// that were needed so far; a marking that needs more makes all of them wider. One thread.

#define MARKING_NONE UINT32_MAX

struct markings {
    uint32_t places;
    unsigned bits;  // for each place: 1, 2, 4, …, 64
    uint32_t words; // for each marking
    uint64_t **chunks;
    uint32_t chunk_count;
    uint32_t count;
    uint32_t *slots; // number + 1, 0 = free
    uint32_t slot_count;
};

void markings_init(struct markings *markings, uint32_t places);
void markings_finish(struct markings *markings);
// Its number; *is_new tells whether it came just now. MARKING_NONE when there is no number left.
uint32_t markings_add(struct markings *markings, const int64_t *marking, bool *is_new);
void markings_get(const struct markings *markings, uint32_t number, int64_t *out);
uint64_t markings_bytes(const struct markings *markings);

#endif
