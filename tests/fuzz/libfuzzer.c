#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/targets.h"

// The same targets under libFuzzer (clang), built with -Dfuzzers=true; scripts/fuzz runs it.   fuzz_libfuzzer --target=NAME …

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    for (int i = 1; i < *count; i++)
        if (strncmp((*arguments)[i], "--target=", 9) == 0)
            target = fuzz_target_find((*arguments)[i] + 9);
    if (target == NULL) {
        fputs("fuzz_libfuzzer: --target=NAME is missing or none\n", stderr);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_target_run(target, data, bytes);
    return 0;
}
