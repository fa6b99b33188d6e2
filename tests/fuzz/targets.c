#include "tests/fuzz/targets.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/memory.h"
#include "tests/fuzz/targets_inside.h"

#define MILLISECONDS 800 // so that it can be seen who does not look at it within a second
#define BYTES ((uint64_t)256 << 20)
#define MOST_SECONDS 1.0
#define MOST_BYTES ((uint64_t)1 << 30)

#define TARGET(function, name, extension) {name, extension, fuzz_read_##function},
const struct fuzz_target fuzz_targets[] = {FUZZ_TARGETS(TARGET){NULL, NULL, NULL}};

const struct fuzz_target *fuzz_target_find(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name != NULL; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

struct fuzz_tally fuzz_tally;

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t resident_bytes(void)
{
    static int fd = -1;
    char line[80] = "";
    unsigned long long all, resident;
    if (fd < 0)
        fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (pread(fd, line, sizeof line - 1, 0) <= 0 || sscanf(line, "%llu %llu", &all, &resident) != 2)
        return 0;
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss << 10;
}

// What a run took: of the processor's time, as the clock on the wall says more about the machine, and beyond what was there.
static void judge_use(double seconds, uint64_t before)
{
    static uint64_t peak_so_far;
    uint64_t peak = peak_bytes(), taken = peak > peak_so_far && peak > before ? peak - before : 0;
    peak_so_far = peak;
    if (seconds > fuzz_tally.slowest_seconds)
        fuzz_tally.slowest_seconds = seconds;
    if (taken > fuzz_tally.largest_bytes)
        fuzz_tally.largest_bytes = taken;
    if (seconds <= MOST_SECONDS && taken <= MOST_BYTES)
        return;
    fprintf(stderr, "fuzz: this input took %.1f s and %llu MB\n", seconds,
            (unsigned long long)taken >> 20);
    abort();
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
    const struct budget budget = {.deadline_ns = clock_wall_ns() + MILLISECONDS * INT64_C(1000000),
                                  .bytes = BYTES};
    fuzz_tally.resident_bytes = resident_bytes();
    double begin = thread_seconds();
    enum budget_end ended = budget_run(&budget, run_target, &run);
    judge_use(thread_seconds() - begin, fuzz_tally.resident_bytes);
    free(copy);
    enum fuzz_end end = ended != BUDGET_DONE ? FUZZ_ENDED : run.result ? FUZZ_READ : FUZZ_REFUSED;
    fuzz_tally.ends[end]++;
    return end;
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
