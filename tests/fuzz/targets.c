#include "tests/fuzz/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/memory.h"
#include "tests/fuzz/targets_inside.h"

#define SECONDS 2
#define BYTES ((uint64_t)256 << 20)

#define TARGET(function, name, extension) {name, extension, fuzz_read_##function},
const struct fuzz_target fuzz_targets[] = {FUZZ_TARGETS(TARGET){NULL, NULL, NULL}};

const struct fuzz_target *fuzz_target_find(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name != NULL; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

struct run {
    const struct fuzz_target *target;
    const char *data;
    size_t bytes;
    bool result;
};

static void run_target(void *context)
{
    struct run *run = context;
    run->result = run->target->read(run->data, run->bytes);
}

enum fuzz_end fuzz_target_run(const struct fuzz_target *target, const uint8_t *data, size_t bytes)
{
    // Of just these bytes, so that a look beyond them is seen.
    char *copy = malloc(bytes != 0 ? bytes : 1);
    if (copy == NULL)
        abort();
    memcpy(copy, data, bytes);
    struct run run = {target, copy, bytes, false};
    const struct budget budget = {.deadline_ns = clock_wall_ns() + SECONDS * INT64_C(1000000000),
                                  .bytes = BYTES};
    enum budget_end end = budget_run(&budget, run_target, &run);
    free(copy);
    return end != BUDGET_DONE ? FUZZ_ENDED : run.result ? FUZZ_READ : FUZZ_REFUSED;
}

char *fuzz_copy(const char *data, size_t bytes)
{
    char *copy = memory_alloc(bytes + 1);
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    return copy;
}

void fuzz_fail(const char *what)
{
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

bool fuzz_judge(struct messages *messages, bool result)
{
    static FILE *nowhere;
    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "we");
    messages_print(messages, nowhere);
    if (!result && !messages_failed(messages))
        fuzz_fail("neither a result nor a reason");
    messages_finish(messages);
    return result;
}
