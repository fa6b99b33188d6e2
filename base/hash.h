#ifndef REGATTA_BASE_HASH_H
#define REGATTA_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Hashing that gives the same result on every run and machine: it depends on content only, never on
// addresses or byte order. Not cryptographic: equality is always decided by structure.

struct hash128 {
    uint64_t low, high;
};

static inline uint64_t hash_mix(uint64_t x)
{
    // Finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection with full avalanche.
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x;
}

// Two lanes with different odd multipliers, mixed into one another after each word, so that the
// high half is not a function of the low half. Inline: interning a term is mostly this.

// Start of a sequence.
static inline struct hash128 hash128_seed(uint64_t kind)
{
    return (struct hash128){hash_mix(kind + 0x9e3779b97f4a7c15u),
                            hash_mix(kind ^ 0xd1b54a32d192ed03u)};
}

// Order-sensitive.
static inline struct hash128 hash128_add(struct hash128 h, uint64_t word)
{
    uint64_t low = hash_mix((h.low ^ word) * 0x9e3779b97f4a7c15u + h.high);
    uint64_t high = hash_mix(((h.high + word) * 0xc2b2ae3d27d4eb4fu) ^ low);
    return (struct hash128){low, high};
}

static inline struct hash128 hash128_add_hash(struct hash128 h, struct hash128 other)
{
    return hash128_add(hash128_add(h, other.low), other.high);
}

struct hash128 hash128_add_bytes(struct hash128 h, const void *data,
                                 size_t bytes); // length included
struct hash128 hash128_add_text(struct hash128 h, const char *text);

static inline bool hash128_equal(struct hash128 a, struct hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

// 32 lower-case hexadecimal digits and a final NUL.
void hash128_print(struct hash128 h, char out[33]);

#endif
