#ifndef REGATTA_CONFIGS_SAMPLE_H
#define REGATTA_CONFIGS_SAMPLE_H

#include "base/random.h"
#include "configs/space.h"

// Which configurations of a space to take. The same ones for the same seed.

enum sample_kind {
    SAMPLE_ALL,        // "all": the product
    SAMPLE_COVER,      // "pairwise", "3-wise": a covering array
    SAMPLE_RANDOM,     // "random=100": distinct ones
    SAMPLE_ONE_FACTOR, // "one-factor": the base, and each option's other values with the rest as there
    SAMPLE_LATIN,      // "latin=20": each option's values evenly over so many configurations
};

struct sample {
    enum sample_kind kind;
    unsigned strength; // SAMPLE_COVER: 1 … 6
    size_t count;      // SAMPLE_RANDOM, SAMPLE_LATIN
    uint64_t seed;     // "…@SEED"; standard 0
};

// Reads one of the texts above; false with an error.
bool sample_read(struct sample *out, const char *text, struct messages *messages);

// Adds the configurations, each once (by fingerprint), those listed last. False with an error when
// the sample cannot be made. What is left out or fewer than wished is told by a note.
bool space_sample(const struct space *space, const struct sample *sample,
                  struct configuration_set *out, struct messages *messages);

// The same for "NAME|PATH[:SAMPLE]" (standard: all), as `bench --space` takes it.
bool space_take(const char *text, struct configuration_set *out, struct messages *messages);

// Private to sampling: calls `add` with each row (a whole point) of an array that covers every
// combination of `strength` levels that occurs at all. A greedy construction, row by row, the best of
// a few candidates, as in AETG (Cohen, Dalal, Fredman, Patton, 1997); constraints and options
// without effect are looked after by space_complete.
void sample_cover(const struct space *space, unsigned strength, struct random *random,
                  void (*add)(void *context, const size_t *point), void *context);
// For space_complete: the levels in an order drawn anew for each factor.
struct random_choice {
    struct random random;
    const struct space *space;
    const size_t *wanted; // by factor the level to try first, SPACE_FREE = any; NULL = any
    size_t **order;       // by factor
};
void random_choice_init(struct random_choice *choice, const struct space *space, uint64_t seed);
void random_choice_finish(struct random_choice *choice);
size_t random_choose(void *context, size_t factor, size_t turn);

#endif
