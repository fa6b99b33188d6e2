#ifndef REGATTA_BASE_RANDOM_H
#define REGATTA_BASE_RANDOM_H

#include <stdint.h>

// Reproducible pseudo-random numbers (xoshiro256**, Blackman and Vigna 2018). Not thread-safe.
struct random {
    uint64_t state[4];
};

void random_init(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
uint64_t random_below(struct random *random, uint64_t bound); // uniform in [0, bound), bound > 0
// A seed for a part: depends on both arguments only.
uint64_t random_derive(uint64_t seed, const char *purpose);

#endif
