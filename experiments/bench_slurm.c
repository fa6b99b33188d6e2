#include "experiments/bench_slurm.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/say.h"
#include "base/signals.h"
#include "experiments/bench_spool.h"

enum {
    ARRAY_MOST = 1000, // elements; Slurm's MaxArraySize is 1001 as it comes
    LOOK_MS = 1000,
};

struct slurm {
    struct spool spool;
    unsigned most_at_once; // elements of an array that run at the same time; 0 = as many as may
    const char *extra;
    char name[64]; // of the arrays: stands for this store
};

static int complain(const struct text *why)
{
    say(stderr, "regatta bench: %s\n", text_string(why));
    return EXIT_INTERNAL;
}

// How many elements Slurm still has; -1 and the reason when it does not say. Also how many run now.
static int still_there(struct slurm *slurm, unsigned *running, struct text *why)
{
    struct text name, out;
    text_init(&name);
    text_init(&out);
    text_printf(&name, "--name=%s", slurm->name);
    const char *const arguments[] = {"squeue", "--noheader", "--format=%t", text_string(&name),
                                     NULL};
    int code = program_run(arguments, &out, why), count = 0;
    *running = 0;
    for (const char *line = text_string(&out); *line != '\0'; line++)
        if (line[0] == '\n') {
            count++;
            *running += line - text_string(&out) >= 1 && line[-1] == 'R';
        }
    if (code > 0)
        text_printf(why, "squeue ended with exit code %d", code);
    text_finish(&name);
    text_finish(&out);
    return code == 0 ? count : -1;
}

static void add_words(struct text *words, const char *extra)
{
    for (const char *c = extra; c != NULL && *c != '\0'; c++)
        text_add_char(words, *c == ' ' ? '\0' : *c);
}

// The command line of sbatch, its words separated by NUL.
static void describe_array(const struct slurm *slurm, const char *list, size_t count,
                           struct text *words)
{
    const struct bench *bench = slurm->spool.bench;
    char here[PATH_MAX] = "/";
    assert(count > 0 && count <= ARRAY_MOST);
    if (getcwd(here, sizeof here) == NULL)
        strcpy(here, "/");
    text_printf(words, "sbatch%c--parsable%c--requeue%c--open-mode=append%c", 0, 0, 0, 0);
    text_printf(words, "--job-name=%s%c--array=0-%zu", slurm->name, 0, count - 1);
    if (slurm->most_at_once != 0)
        text_printf(words, "%%%u", slurm->most_at_once);
    text_printf(words, "%c--chdir=%s%c--cpus-per-task=%u%c", 0, here, 0, bench->settings.cores, 0);
    text_printf(words, "--output=%s/log/%%A-%%a.txt%c", slurm->spool.path, 0);
    if (bench_job_memory(bench) != 0)
        text_printf(words, "--mem=%" PRIu64 "M%c", (bench_job_memory(bench) >> 20) + 1, 0);
    if (bench_job_seconds(bench) > 0)
        text_printf(words, "--time=%.0f%c", bench_job_seconds(bench) / 60 + 1, 0);
    if (slurm->extra != NULL && slurm->extra[0] != '\0') {
        add_words(words, slurm->extra);
        text_add_char(words, '\0');
    }
    text_printf(words, "%s/element.sh%c%s%c%s%c", slurm->spool.path, 0, slurm->spool.path, 0, list,
                0);
}

static bool submit(struct slurm *slurm, const char *list, size_t count, struct text *why)
{
    struct text words, out;
    VECTOR(const char *) arguments = {0};
    text_init(&words);
    text_init(&out);
    describe_array(slurm, list, count, &words);
    for (const char *c = words.data; c < words.data + words.length; c += strlen(c) + 1)
        if (*c != '\0')
            VECTOR_PUSH(&arguments, c);
    VECTOR_PUSH(&arguments, NULL);
    int code = program_run(arguments.data, &out, why);
    if (code > 0)
        text_printf(why, "sbatch refused the jobs (exit code %d)", code);
    VECTOR_FINISH(&arguments);
    text_finish(&words);
    text_finish(&out);
    return code == 0;
}

// Everything that has no record. `any` tells whether something was handed out.
static bool submit_missing(struct slurm *slurm, bool *any, struct text *why)
{
    // One array at a time: what is behind it is handed out when it is over, in order.
    size_t count;
    char *list = spool_list(&slurm->spool, ARRAY_MOST, &count, why);
    *any = list != NULL;
    bool good = list != NULL ? submit(slurm, list, count, why) : why->length == 0;
    memory_free(list);
    return good;
}

static void cancel(const struct slurm *slurm)
{
    struct text name, out, why;
    text_init(&name);
    text_init(&out);
    text_init(&why);
    text_printf(&name, "--name=%s", slurm->name);
    const char *const arguments[] = {"scancel", text_string(&name), NULL};
    if (program_run(arguments, &out, &why) < 0)
        complain(&why);
    text_finish(&name);
    text_finish(&out);
    text_finish(&why);
}

// Sleeps; false when the user wants the end.
static bool wait_a_little(void)
{
    struct pollfd wake = {signals_wake_fd(), POLLIN, 0};
    poll(&wake, 1, LOOK_MS);
    return atomic_load(signals_flag()) == 0;
}

static int run_arrays(struct slurm *slurm, struct text *why)
{
    struct bench *bench = slurm->spool.bench;
    for (bool first = true;; first = false) {
        unsigned running;
        // First what is there still, then what has come back: what ended in between is seen.
        int there = still_there(slurm, &running, why);
        if (there < 0 && first)
            return EXIT_INTERNAL;
        text_clear(why); // later on a controller may be away for a while
        bench->places = running > 0 ? running : 1;
        if (!spool_collect(&slurm->spool, why))
            return EXIT_INTERNAL;
        bool any = true;
        if (there == 0 && !submit_missing(slurm, &any, why))
            return EXIT_INTERNAL;
        if (!any)
            return 0;
        if (!wait_a_little()) {
            cancel(slurm);
            return signals_exit_code(atomic_load(signals_flag()));
        }
    }
}

int bench_slurm(struct bench *bench, unsigned most_at_once, const char *extra)
{
    struct slurm slurm = {.most_at_once = most_at_once, .extra = extra};
    struct text why;
    text_init(&why);
    bench->cluster = true;
    int code = EXIT_INTERNAL;
    signals_attend();
    if (spool_open(&slurm.spool, bench, &why)) {
        char digits[33];
        hash128_print(hash128_add_text(hash128_seed(7), slurm.spool.path), digits);
        snprintf(slurm.name, sizeof slurm.name, "regatta-%.16s", digits);
        code = run_arrays(&slurm, &why);
    }
    if (why.length != 0)
        complain(&why);
    if (code == 0)
        spool_remove(&slurm.spool);
    else if (slurm.spool.path != NULL)
        say(stderr, "regatta bench: the same command goes on from %s\n", slurm.spool.path);
    spool_close(&slurm.spool);
    text_finish(&why);
    signals_attend_end();
    return code;
}
