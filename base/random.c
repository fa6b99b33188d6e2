#include "base/random.h"

#include <assert.h>

#include "base/hash.h"

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void random_init(struct random *random, uint64_t seed)
{
    // SplitMix64 fills the state, as its authors advise: never all zero.
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        random->state[i] = hash_mix(seed);
    }
}

uint64_t random_next(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    assert(bound > 0);
    // Rejects the incomplete last block: no bias.
    uint64_t threshold = (0 - bound) % bound;
    for (;;) {
        uint64_t x = random_next(random);
        if (x >= threshold)
            return x % bound;
    }
}

uint64_t random_derive(uint64_t seed, const char *purpose)
{
    return hash128_add_text(hash128_add(hash128_seed(0x5eed), seed), purpose).low;
}
