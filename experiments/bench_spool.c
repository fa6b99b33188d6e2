#include "experiments/bench_spool.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "experiments/bench_job.h"
#include "experiments/bench_known.h"
#include "experiments/bench_raise.h"

enum { STARTS_MOST = 3 };

struct spool_key {
    char digits[33];
    size_t job; // in bench->jobs
};

// $1: the spool, $2: the list. The record is made in a folder of the node's own, since SQLite's journal wants
// a local file system, and appears in done/ by a rename.
static const char ELEMENT[] =
    "#!/bin/sh\n"
    "# Made by regatta bench.\n"
    "spool=$1\n"
    "key=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" \"$2\") || exit 1\n"
    "[ -n \"$key\" ] || exit 1\n"
    "[ -e \"$spool/done/$key.db\" ] && exit 0\n"
    "[ -e \"$spool/jobs/$key.sh\" ] || exit 0\n"
    "work=$(mktemp -d) || exit 1\n"
    "trap 'rm -rf \"$work\"' EXIT\n"
    "trap 'kill -TERM \"$child\" 2> /dev/null; wait \"$child\"; exit 1' TERM INT HUP\n"
    "begin=$(date +%s)\n"
    "sh \"$spool/jobs/$key.sh\" \"$work/run.db\" &\n"
    "child=$!\n"
    "wait \"$child\"\n"
    "code=$?\n"
    "part=\"$spool/done/$key.part.$SLURM_JOB_ID.$SLURM_RESTART_COUNT\"\n"
    "if [ $code -eq 0 ]; then\n"
    "    cp \"$work/run.db\" \"$part\" && sync \"$part\" && mv \"$part\" \"$spool/done/$key.db\"\n"
    "elif [ $code -ne 143 ] && [ $code -ne 130 ]; then\n" // ended from outside: to be run again
    "    echo \"$code $(($(date +%s) - begin))\" > \"$part\" && mv \"$part\" "
    "\"$spool/done/$key.failed\"\n"
    "fi\n";

static void add_path(struct text *out, const struct spool *spool, const char *folder,
                     const char *name, const char *ending)
{
    text_clear(out);
    text_printf(out, "%s/%s%s%s", spool->path, folder, name, ending);
}

void spool_add_quoted(struct text *out, const char *word)
{
    text_add_char(out, '\'');
    for (const char *c = word; *c != '\0'; c++)
        if (*c == '\'')
            text_add(out, "'\\''");
        else
            text_add_char(out, *c);
    text_add_char(out, '\'');
}

static bool write_file(const char *path, const char *contents, struct text *why)
{
    bool good = output_file_write(path, contents, strlen(contents));
    if (!good)
        text_printf(why, "%s: %s", path, strerror(errno));
    return good;
}

// Keys

static void make_key(const struct bench *bench, const struct bench_job *job, char digits[33])
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s %s %.17g %u %" PRIu64, bench->tasks[job->task].digest,
                bench->plans.data[job->plan].digest, bench->settings.time_limit_seconds,
                bench->settings.cores, bench->settings.seed + job->repetition);
    hash128_print(hash128_add_text(hash128_seed(6), text_string(&text)), digits);
    text_finish(&text);
}

static int by_digits(const void *a, const void *b)
{
    return strcmp(((const struct spool_key *)a)->digits, ((const struct spool_key *)b)->digits);
}

static void make_keys(struct spool *spool)
{
    struct bench *bench = spool->bench;
    size_t count = bench->jobs.count;
    spool->keys = memory_zalloc((count + 1) * sizeof *spool->keys);
    spool->starts = memory_zalloc((count + 1) * sizeof *spool->starts);
    spool->known = memory_zalloc((count + 1) * sizeof *spool->known);
    for (size_t i = 0; i < count; i++) {
        spool->keys[i].job = i;
        make_key(bench, &bench->jobs.data[i], spool->keys[i].digits);
        bool failed = false;
        spool->known[i] = (bench_recall(bench, &bench->jobs.data[i], &failed) && !failed) ||
                          bench_raise_knows(bench, &bench->jobs.data[i]);
        bench->done += spool->known[i];
    }
    qsort(spool->keys, count, sizeof *spool->keys, by_digits);
}

// Opening

static bool make_folder(const char *path, struct text *why)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    text_printf(why, "%s: %s", path, strerror(errno));
    return false;
}

bool spool_open(struct spool *spool, struct bench *bench, struct text *why)
{
    static const char *const folders[] = {"", "jobs", "done", "log"};
    char *db = realpath(bench->db, NULL);
    struct text path;
    text_init(&path);
    *spool = (struct spool){.bench = bench};
    text_printf(&path, "%s.spool", db != NULL ? db : bench->db);
    free(db); // realpath's own memory
    spool->path = text_steal(&path);
    bool good = true;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && good; i++) {
        add_path(&path, spool, folders[i], "", "");
        good = make_folder(text_string(&path), why);
    }
    add_path(&path, spool, "element.sh", "", "");
    good = good && write_file(text_string(&path), ELEMENT, why);
    text_finish(&path);
    if (good)
        make_keys(spool);
    return good;
}

void spool_close(struct spool *spool)
{
    memory_free(spool->path);
    memory_free(spool->keys);
    memory_free(spool->starts);
    memory_free(spool->known);
    *spool = (struct spool){0};
}

static void remove_below(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        struct text inside;
        text_init(&inside);
        text_printf(&inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            unlink(text_string(&inside));
        text_finish(&inside);
        free(entries[i]); // scandir's own memory
    }
    if (count >= 0)
        free(entries);
    rmdir(path);
}

void spool_remove(const struct spool *spool)
{
    static const char *const folders[] = {"jobs", "done", "log", ""};
    struct text path;
    text_init(&path);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        add_path(&path, spool, folders[i], "", "");
        remove_below(text_string(&path));
    }
    text_finish(&path);
}

// Collecting

static struct spool_key *find_key(const struct spool *spool, const char *name, size_t length)
{
    struct spool_key key = {.job = 0};
    if (length != 32)
        return NULL;
    memcpy(key.digits, name, 32);
    key.digits[32] = '\0';
    return bsearch(&key, spool->keys, spool->bench->jobs.count, sizeof key, by_digits);
}

// The same run may stand in the list more than once: tasks with the same text.
static void conclude(struct spool *spool, const struct spool_key *key, double seconds)
{
    struct bench *bench = spool->bench;
    const struct spool_key *end = spool->keys + bench->jobs.count;
    assert(key >= spool->keys && key < end);
    while (key > spool->keys && by_digits(key - 1, key) == 0)
        key--;
    for (const struct spool_key *k = key; k < end && by_digits(k, key) == 0; k++)
        if (!spool->known[k->job])
            spool->known[k->job] = bench_conclude(bench, &bench->jobs.data[k->job], seconds);
}

static bool take_record(struct spool *spool, const char *path, const struct spool_key *key,
                        struct text *why)
{
    if (!store_merge(spool->bench->store, path, why))
        return false;
    if (key != NULL)
        conclude(spool, key, -1);
    return true;
}

// The run counts as crashed, unless the job could not begin (wrong usage, or the program cannot be started
// there): nothing a record would be true of.
static bool take_failure(struct spool *spool, const char *path, const struct spool_key *key,
                         struct text *why)
{
    int code = 0;
    double seconds = 0;
    FILE *file = fopen(path, "re");
    bool read = file != NULL && fscanf(file, "%d %lf", &code, &seconds) == 2;
    if (file != NULL)
        fclose(file);
    if (key == NULL)
        return true;
    if (!read || code == EXIT_USAGE || code == 126 || code == 127) {
        text_printf(why, "a job could not do its work (exit code %d): see %s/log", code,
                    spool->path);
        return false;
    }
    const struct bench_job *job = &spool->bench->jobs.data[key->job];
    struct bench_loss loss = {.reason = END_CRASHED, .wall_seconds = seconds};
    double most = bench_job_seconds(spool->bench);
    if (most > 0 && seconds >= most)
        loss.reason = END_TIMEOUT;
    if (!bench_record_lost(spool->bench, job, 0, &loss))
        return false;
    conclude(spool, key, seconds);
    return true;
}

static bool take_entry(struct spool *spool, const char *name, struct text *why)
{
    const char *dot = strchr(name, '.');
    bool record = dot != NULL && strcmp(dot, ".db") == 0;
    bool failure = dot != NULL && strcmp(dot, ".failed") == 0;
    if (!record && !failure)
        return true;
    struct text path;
    text_init(&path);
    add_path(&path, spool, "done/", name, "");
    const struct spool_key *key = find_key(spool, name, (size_t)(dot - name));
    bool good = record ? take_record(spool, text_string(&path), key, why)
                       : take_failure(spool, text_string(&path), key, why);
    // Only what is in the store for good may go; a failure is tried again in the next call.
    if (good || failure)
        unlink(text_string(&path));
    text_finish(&path);
    return good;
}

bool spool_collect(struct spool *spool, struct text *why)
{
    struct text path;
    text_init(&path);
    add_path(&path, spool, "done", "", "");
    struct dirent **entries;
    int count = scandir(text_string(&path), &entries, NULL, alphasort);
    bool good = count >= 0;
    if (!good)
        text_printf(why, "%s: %s", text_string(&path), strerror(errno));
    for (int i = 0; i < count; i++) {
        good = good && take_entry(spool, entries[i]->d_name, why);
        free(entries[i]); // scandir's own memory
    }
    if (count >= 0)
        free(entries);
    text_finish(&path);
    return good;
}

// Handing out

static bool program_path(char path[PATH_MAX], struct text *why)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0)
        text_printf(why, "/proc/self/exe: %s", strerror(errno));
    else
        path[length] = '\0';
    return length >= 0;
}

static bool write_job(struct spool *spool, size_t index, const char *digits, struct text *why)
{
    char program[PATH_MAX];
    struct job_arguments arguments;
    struct text script, path;
    if (!program_path(program, why))
        return false;
    text_init(&script);
    text_init(&path);
    // Its place among the words stays "$1" for the script's own argument.
    job_arguments_make(&arguments, spool->bench, &spool->bench->jobs.data[index], 0, "", 0);
    text_add(&script, "exec ");
    spool_add_quoted(&script, program);
    for (size_t i = 1; i + 1 < arguments.words.count; i++) {
        text_add_char(&script, ' ');
        if (strcmp(arguments.words.data[i], "--db=") == 0)
            text_add(&script, "--db=\"$1\"");
        else
            spool_add_quoted(&script, arguments.words.data[i]);
    }
    text_add_char(&script, '\n');
    add_path(&path, spool, "jobs/", digits, ".sh");
    bool good = write_file(text_string(&path), text_string(&script), why);
    job_arguments_finish(&arguments);
    text_finish(&script);
    text_finish(&path);
    return good;
}

static bool give_up(struct spool *spool, const struct spool_key *key)
{
    const struct bench_loss loss = {.reason = END_CRASHED};
    bool good = bench_record_lost(spool->bench, &spool->bench->jobs.data[key->job], 0, &loss);
    if (good)
        conclude(spool, key, 0);
    return good;
}

// In the order of the bench, which interleaves plans. False when a record cannot be kept or a file not written.
static bool list_jobs(struct spool *spool, size_t most, size_t *count, struct text *list,
                      struct text *why)
{
    const struct bench *bench = spool->bench;
    for (size_t i = 0; i < bench->jobs.count && *count < most; i++) {
        char digits[33];
        if (spool->known[i])
            continue;
        make_key(bench, &bench->jobs.data[i], digits);
        struct spool_key *key = find_key(spool, digits, 32);
        assert(key != NULL && spool->starts[i] <= STARTS_MOST);
        if (spool->starts[i] >= STARTS_MOST) {
            if (!give_up(spool, key))
                return false;
            continue;
        }
        spool->starts[i]++;
        if (strstr(text_string(list), digits) != NULL)
            continue; // the same run, of a task with the same text
        if (!write_job(spool, i, digits, why))
            return false;
        text_printf(list, "%s\n", digits);
        ++*count;
    }
    return true;
}

char *spool_list(struct spool *spool, size_t most, size_t *count, struct text *why)
{
    static unsigned number;
    char name[64];
    struct text list, path;
    text_init(&list);
    text_init(&path);
    *count = 0;
    bool good = list_jobs(spool, most, count, &list, why);
    snprintf(name, sizeof name, "list-%" PRId64 "-%u", clock_epoch_ms(), number++);
    add_path(&path, spool, name, "", "");
    good = good && *count != 0 && write_file(text_string(&path), text_string(&list), why);
    char *result = good ? text_steal(&path) : NULL;
    text_finish(&list);
    text_finish(&path);
    return result;
}
