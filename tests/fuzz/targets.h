#ifndef REGATTA_TESTS_FUZZ_TARGETS_H
#define REGATTA_TESTS_FUZZ_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One target a reader of bytes that a stranger may have written. Each takes any bytes and must come back: no crash, no memory
// error, no endless work. Two mutators drive them: the small one of fuzz_bytes (fixed seeds, for tests), and libFuzzer's
// (scripts/fuzz).

struct fuzz_target {
    // Also of its folder of seeds in tests/fuzz/corpus, and of its dictionary there.
    const char *name;
    const char *extension; // seeds are also all files of the source tree that end so; NULL = none
    bool (*read)(const char *data, size_t bytes); // was there something in it?
};

const struct fuzz_target *fuzz_target_find(const char *name); // NULL = none
extern const struct fuzz_target fuzz_targets[];               // ends with a name that is NULL

// Reads once, under the limits that a command would set. When these end it, its memory is lost. An input that takes more than
// a second of the processor's time, or a gigabyte, ends the process: it was not ended by its limits as it should.
enum fuzz_end { FUZZ_READ, FUZZ_REFUSED, FUZZ_ENDED };
enum fuzz_end fuzz_target_run(const struct fuzz_target *target, const uint8_t *data, size_t bytes);

struct fuzz_tally {
    unsigned long ends[3];
    double slowest_seconds;
    uint64_t largest_bytes;
    uint64_t resident_bytes; // of the process before the last run; what was lost is in it
};
extern struct fuzz_tally fuzz_tally; // of all runs in this process

#endif
