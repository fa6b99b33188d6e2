#include "results/importing.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/memory.h"
#include "results/importing_inside.h"
#include "results/store_inside.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct known_task *)a)->name, ((const struct known_task *)b)->name);
}

static bool find_known(struct importer *importer, struct text *why)
{
    sqlite3_stmt *rows = store_prepare(
        importer->store, "SELECT DISTINCT task, task_digest FROM run WHERE tool = '" RUN_TOOL "'",
        why);
    if (rows == NULL)
        return false;
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *path = column_text(rows, 0);
        struct known_task task = {task_name(path), memory_strdup(path),
                                  memory_strdup(column_text(rows, 1))};
        VECTOR_PUSH(&importer->tasks, task);
    }
    sqlite3_finalize(rows);
    if (importer->tasks.count != 0)
        qsort(importer->tasks.data, importer->tasks.count, sizeof *importer->tasks.data, by_name);
    return true;
}

bool importer_begin(struct importer *importer, struct store *store,
                    const struct import_options *options, struct text *why)
{
    *importer = (struct importer){.store = store, .options = options};
    return store_begin(store, why) && find_known(importer, why);
}

bool importer_finish(struct importer *importer, bool good, struct text *why)
{
    for (size_t i = 0; i < importer->tasks.count; i++) {
        memory_free(importer->tasks.data[i].name);
        memory_free(importer->tasks.data[i].path);
        memory_free(importer->tasks.data[i].digest);
    }
    VECTOR_FINISH(&importer->tasks);
    return store_end(importer->store, good, why) && good;
}

static void replace(char **field, const char *text)
{
    char *copy = memory_strdup(text);
    memory_free(*field);
    *field = copy;
}

static bool begins(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

const char *import_expected(const char *text)
{
    if (begins(text, "true") || begins(text, "safe"))
        return "safe";
    return begins(text, "false") || begins(text, "unsafe") ? "unsafe" : "";
}

static enum end_reason reason_of(const char *status)
{
    static const struct {
        const char *word;
        enum end_reason reason;
    } words[] = {
        {"timeout", END_TIMEOUT}, {"out of memory", END_MEMORY},    {"oom", END_MEMORY},
        {"error", END_CRASHED},   {"aborted", END_CRASHED},         {"segmentation", END_CRASHED},
        {"killed", END_CRASHED},  {"exception", END_CRASHED},       {"assertion", END_CRASHED},
        {"crash", END_CRASHED},   {"unsupported", END_UNSUPPORTED},
    };
    int own = end_reason_parse(status);
    if (own > END_SOLVED)
        return (enum end_reason)own;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (begins(status, words[i].word))
            return words[i].reason;
    return END_UNKNOWN;
}

bool import_status(struct run_record *run, const char *status)
{
    const char *verdict = import_expected(status);
    if (*status == '\0')
        return false;
    run->verdict = VERDICT_UNKNOWN;
    run->reason = END_SOLVED;
    if (*verdict != '\0')
        run->verdict = strcmp(verdict, "safe") == 0 ? VERDICT_SAFE : VERDICT_UNSAFE;
    else
        run->reason = reason_of(status);
    return true;
}

static void find_task(const struct importer *importer, struct run_record *run)
{
    if (run->task_digest[0] != '\0')
        return; // of another store
    struct known_task key = {.name = run->task};
    char *name = task_name(run->task);
    const struct known_task *known = NULL;
    if (importer->tasks.count != 0) { // as written, or a path
        known = bsearch(&key, importer->tasks.data, importer->tasks.count, sizeof key, by_name);
        key.name = name;
        if (known == NULL)
            known = bsearch(&key, importer->tasks.data, importer->tasks.count, sizeof key, by_name);
    }
    if (known != NULL) {
        replace(&run->task, known->path);
        replace(&run->task_digest, known->digest);
    } else {
        char digest[33];
        hash128_print(hash128_add_text(hash128_seed(4), run->task), digest);
        replace(&run->task_digest, digest);
    }
    memory_free(name);
}

// What it would be without the name of the file it came from: tool, version, configuration.
static void digest_plan(struct run_record *run)
{
    char digest[33];
    struct hash128 h = hash128_add_text(hash128_seed(5), run->tool);
    hash128_print(hash128_add_text(hash128_add_text(h, run->version), run->plan), digest);
    replace(&run->plan_digest, digest);
}

static void make_attempt(struct run_record *run, const char *configuration, const char *status)
{
    assert(run->attempt_count == 0 && run->attempts == NULL);
    struct record *attempt = memory_zalloc(sizeof *attempt);
    record_init(attempt);
    replace(&attempt->configuration, run->plan);
    replace(&attempt->configuration_text, configuration != NULL ? configuration : "");
    replace(&attempt->fingerprint, run->plan_digest);
    replace(&attempt->why, status);
    attempt->verdict = run->verdict;
    attempt->reason = run->reason;
    attempt->winner = run->verdict != VERDICT_UNKNOWN;
    attempt->wall_seconds = run->wall_seconds;
    attempt->cpu_seconds = run->cpu_seconds;
    attempt->peak_bytes = run->peak_bytes;
    run->attempts = attempt;
    run->attempt_count = 1;
}

bool importer_add(struct importer *importer, struct run_record *run, const char *status,
                  struct text *why)
{
    if (run->time_limit_seconds == 0)
        run->time_limit_seconds = importer->options->time_limit_seconds;
    if (run->cores == 0)
        run->cores = importer->options->cores;
    find_task(importer, run);
    if (run->family[0] == '\0') {
        memory_free(run->family);
        run->family = task_family(run->task);
    }
    if (run->plan_digest[0] == '\0')
        digest_plan(run);
    // Some tell one of the two times only.
    if (run->wall_seconds == 0)
        run->wall_seconds = run->cpu_seconds;
    if (run->cpu_seconds == 0)
        run->cpu_seconds = run->wall_seconds;
    if (run->attempt_count == 0)
        make_attempt(run, importer->configuration, status);
    enum store_added added = store_add_once(importer->store, run, why);
    importer->counts.added += added == STORE_ADDED;
    importer->counts.wrong += added == STORE_ADDED && run->expected[0] != '\0' &&
                              run->verdict != VERDICT_UNKNOWN &&
                              strcmp(run->expected, verdict_name(run->verdict)) != 0;
    importer->counts.known += added == STORE_KNOWN;
    return added != STORE_FAILED;
}

bool import_file(struct store *store, const char *path, const struct import_options *options,
                 struct import_counts *counts, struct text *why)
{
    unsigned char head[3] = {0};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        text_printf(why, "%s: %s", path, strerror(errno));
        return false;
    }
    size_t read = fread(head, 1, sizeof head, file);
    fclose(file);
    bool xml = read == 3 &&
               (memcmp(head, "BZh", 3) == 0 || memcmp(head, "\x1f\x8b", 2) == 0 || head[0] == '<');
    return xml ? import_benchexec(store, path, options, counts, why)
               : import_table(store, path, options, counts, why);
}
