#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/targets.h"

// Tries targets (fuzz/targets.h) with seeds that were changed in small ways, the same ones every time.
//   fuzz_bytes RUNS SEED SOURCE-TREE [TARGET]    RUNS of each target, or of one
//   fuzz_bytes TARGET FILE…                      these bytes, as they are
//   fuzz_bytes --seeds SOURCE-TREE TARGET DIR    writes the seeds of a target into a folder, for other fuzzers

#define LARGEST_SEED ((size_t)100000)

static void add_file(struct seeds *seeds, const char *path)
{
    struct seed seed = {0};
    seed.data = text_read_file(path, &seed.bytes);
    if (seed.data == NULL || seed.bytes > LARGEST_SEED)
        memory_free(seed.data);
    else
        VECTOR_PUSH(&seeds->files, seed);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

// All files below a folder that end so (NULL = all), in the order of their names.
static void add_folder(struct seeds *seeds, const char *folder, const char *extension)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        struct text path;
        struct stat status;
        text_init(&path);
        text_printf(&path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && stat(text_string(&path), &status) == 0) {
            if (S_ISDIR(status.st_mode))
                add_folder(seeds, text_string(&path), extension);
            else if (extension == NULL || ends_with(text_string(&path), extension))
                add_file(seeds, text_string(&path));
        }
        text_finish(&path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

// Lines "word", as libFuzzer has them, but without escapes other than \" and \\.
static void add_words(struct seeds *seeds, const char *path)
{
    char *text = text_read_file(path, NULL);
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = line + strcspn(line, "\n"), *next = *end != '\0' ? end + 1 : end;
        *end = '\0';
        char *open = strchr(line, '"'), *close = strrchr(line, '"');
        if (line[0] != '#' && open != NULL && close > open) {
            struct text word;
            text_init(&word);
            for (char *c = open + 1; c < close; c++)
                text_add_char(&word, *c == '\\' && c + 1 < close ? *++c : *c);
            if (word.length > 0)
                VECTOR_PUSH(&seeds->words, text_steal(&word));
            text_finish(&word);
        }
        line = next;
    }
    memory_free(text);
}

static void find_seeds(struct seeds *seeds, const char *tree, const struct fuzz_target *target)
{
    static const char *const folders[] = {"examples", "tests/malformed", "tests/regress", "configs",
                                          "tests/data"};
    struct text path;
    text_init(&path);
    text_printf(&path, "%s/tests/fuzz/corpus/%s", tree, target->name);
    add_folder(seeds, text_string(&path), NULL);
    text_add(&path, ".dict");
    add_words(seeds, text_string(&path));
    for (size_t i = 0; target->extension != NULL && i < sizeof folders / sizeof folders[0]; i++) {
        text_clear(&path);
        text_printf(&path, "%s/%s", tree, folders[i]);
        add_folder(seeds, text_string(&path), target->extension);
    }
    text_finish(&path);
    if (seeds->files.count == 0) {
        fprintf(stderr, "fuzz_bytes: %s: no seed\n", target->name);
        exit(2);
    }
}

static void try_target(const struct fuzz_target *target, const char *tree, unsigned long runs,
                       uint64_t seed, unsigned long ends[3])
{
    struct seeds seeds = {0};
    struct random random;
    random_init(&random, seed);
    find_seeds(&seeds, tree, target);
    for (unsigned long i = 0; i < runs; i++) {
        struct text text;
        const struct seed *from = i < seeds.files.count && i < runs / 2
                                      ? &seeds.files.data[i]
                                      : seeds_any(&seeds, &random);
        text_init(&text);
        text_add_bytes(&text, from->data, from->bytes);
        uint64_t changes = i < seeds.files.count && i < runs / 2 ? 0 : 1 + random_below(&random, 4);
        for (uint64_t c = 0; c < changes; c++)
            mutate(&text, &seeds, &random);
        ends[fuzz_target_run(target, (const uint8_t *)text_string(&text), text.length)]++;
        text_finish(&text);
    }
    printf("%s: %lu runs of %zu seeds, %lu read, %lu ended by their limits\n", target->name, runs,
           seeds.files.count, ends[FUZZ_READ], ends[FUZZ_ENDED]);
    fflush(stdout);
    seeds_finish(&seeds);
}

static int write_seeds(const char *tree, const struct fuzz_target *target, const char *folder)
{
    struct seeds seeds = {0};
    find_seeds(&seeds, tree, target);
    for (size_t i = 0; i < seeds.files.count; i++) {
        struct text path;
        text_init(&path);
        text_printf(&path, "%s/seed-%03zu", folder, i);
        FILE *file = fopen(text_string(&path), "we");
        if (file == NULL ||
            fwrite(seeds.files.data[i].data, 1, seeds.files.data[i].bytes, file) !=
                seeds.files.data[i].bytes ||
            fclose(file) != 0) {
            perror(text_string(&path));
            return 1;
        }
        text_finish(&path);
    }
    seeds_finish(&seeds);
    return 0;
}

static int try_files(const struct fuzz_target *target, char **paths)
{
    for (; *paths != NULL; paths++) {
        size_t bytes;
        char *data = text_read_file(*paths, &bytes);
        if (data == NULL) {
            perror(*paths);
            return 2;
        }
        static const char *const WORDS[] = {"read", "refused", "ended by its limits"};
        enum fuzz_end end = fuzz_target_run(target, (const uint8_t *)data, bytes);
        printf("%s: %s, %.0f ms\n", *paths, WORDS[end], 1e3 * fuzz_tally.slowest_seconds);
        memory_free(data);
    }
    return 0;
}

int main(int count, char **arguments)
{
    const struct fuzz_target *target = count > 2 ? fuzz_target_find(arguments[1]) : NULL;
    if (target != NULL)
        return try_files(target, arguments + 2);
    if (count == 5 && strcmp(arguments[1], "--seeds") == 0 &&
        (target = fuzz_target_find(arguments[3])) != NULL)
        return write_seeds(arguments[2], target, arguments[4]);
    target = count == 5 ? fuzz_target_find(arguments[4]) : NULL;
    if (count < 4 || (count == 5 && target == NULL)) {
        fputs("usage: fuzz_bytes RUNS SEED SOURCE-TREE [TARGET] | TARGET FILE… | --seeds "
              "SOURCE-TREE TARGET DIR\n",
              stderr);
        for (const struct fuzz_target *t = fuzz_targets; t->name != NULL; t++)
            fprintf(stderr, "  %s\n", t->name);
        return 2;
    }
    unsigned long runs = strtoul(arguments[1], NULL, 10);
    uint64_t seed = strtoull(arguments[2], NULL, 10);
    int code = 0;
    unsigned long ended = 0;
    for (const struct fuzz_target *t = fuzz_targets; t->name != NULL; t++) {
        unsigned long ends[3] = {0};
        if (target != NULL && t != target)
            continue;
        try_target(t, arguments[3], runs, seed, ends);
        ended += ends[FUZZ_ENDED];
        if (ends[FUZZ_READ] == 0 || ends[FUZZ_REFUSED] + ends[FUZZ_ENDED] == 0) {
            fprintf(stderr, "fuzz_bytes: %s: either all was refused, or nothing\n", t->name);
            code = 1;
        }
    }
    printf("at most %.0f ms and %llu MB for an input\n", 1e3 * fuzz_tally.slowest_seconds,
           (unsigned long long)fuzz_tally.largest_bytes >> 20);
    fflush(stdout);
    if (ended > 0)
        _exit(code); // what those had is lost, and not to be looked for
    return code;
}
