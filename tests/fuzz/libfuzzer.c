#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/targets.h"

// The same targets under libFuzzer (clang), built with -Dfuzzers=true; scripts/fuzz runs it.   fuzz_libfuzzer --target=NAME …

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

// Left behind by inputs that their limits ended: then the process ends, and the next one goes on.
#define LOST_BYTES ((uint64_t)3 << 30)

static const struct fuzz_target *target;

// scripts/fuzz adds these up.
static void tell(void)
{
    const unsigned long *ends = fuzz_tally.ends;
    fprintf(stderr, "regatta: %lu runs, %lu read, %lu ended, %.0f ms, %llu MB\n",
            ends[FUZZ_READ] + ends[FUZZ_REFUSED] + ends[FUZZ_ENDED], ends[FUZZ_READ],
            ends[FUZZ_ENDED], 1e3 * fuzz_tally.slowest_seconds,
            (unsigned long long)fuzz_tally.largest_bytes >> 20);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    for (int i = 1; i < *count; i++)
        if (strncmp((*arguments)[i], "--target=", 9) == 0)
            target = fuzz_target_find((*arguments)[i] + 9);
    if (target == NULL) {
        fputs("fuzz_libfuzzer: --target=NAME is missing or none\n", stderr);
        exit(2);
    }
    atexit(tell);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_target_run(target, data, bytes);
    if (fuzz_tally.resident_bytes > LOST_BYTES) {
        tell();
        _exit(0);
    }
    return 0;
}
