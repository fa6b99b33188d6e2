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
#include "tests/fuzz/targets.h"

// Tries targets (fuzz/targets.h) with seeds that were changed in small ways, the same ones every time.
//   fuzz_bytes RUNS SEED SOURCE-TREE [TARGET]    RUNS of each target, or of one
//   fuzz_bytes TARGET FILE…                      these bytes, as they are
//   fuzz_bytes --seeds SOURCE-TREE TARGET DIR    writes the seeds of a target into a folder, for other fuzzers

#define LARGEST_SEED ((size_t)100000)

struct seed {
    char *data;
    size_t bytes;
};

struct seeds {
    VECTOR(struct seed) files;
    VECTOR(char *) words; // of the dictionary
};

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

static void finish_seeds(struct seeds *seeds)
{
    for (size_t i = 0; i < seeds->files.count; i++)
        memory_free(seeds->files.data[i].data);
    for (size_t i = 0; i < seeds->words.count; i++)
        memory_free(seeds->words.data[i]);
    VECTOR_FINISH(&seeds->files);
    VECTOR_FINISH(&seeds->words);
}

static const struct seed *any_seed(const struct seeds *seeds, struct random *random)
{
    return &seeds->files.data[random_below(random, seeds->files.count)];
}

static void insert(struct text *text, size_t at, const char *data, size_t bytes)
{
    struct text whole;
    text_init(&whole);
    text_add_bytes(&whole, text_string(text), at);
    text_add_bytes(&whole, data, bytes);
    text_add_bytes(&whole, text_string(text) + at, text->length - at);
    text_finish(text);
    *text = whole;
}

static void cut(struct text *text, size_t at, size_t bytes)
{
    memmove(text->data + at, text->data + at + bytes, text->length - at - bytes);
    text->length -= bytes;
    text->data[text->length] = '\0';
}

static void change(struct text *text, const struct seeds *seeds, struct random *random)
{
    static const char SIGNS[] = "<>/=\"'&;{}[]()-+*:.@^#|%! \n\t0129azAZ_\\$,";
    if (text->length == 0)
        text_add_char(text, '0');
    size_t at = random_below(random, text->length), length = 1 + random_below(random, 16);
    length = at + length > text->length ? text->length - at : length;
    const struct seed *other = any_seed(seeds, random);
    switch (random_below(random, 9)) {
    case 0:
        text->data[at] = SIGNS[random_below(random, sizeof SIGNS - 1)];
        break;
    case 1:
        text->data[at] = (char)random_below(random, 256);
        break;
    case 2:
        text->data[at] ^= (char)(1 << random_below(random, 8));
        break;
    case 3:
        cut(text, at, length);
        break;
    case 4: // double
        insert(text, random_below(random, text->length), text_string(text) + at, length);
        break;
    case 5: // a large number
        insert(text, at, "99999999999999999999", 1 + random_below(random, 20));
        break;
    case 6: // cut off
        cut(text, at, text->length - at);
        break;
    case 7: // a piece of another
        if (other->bytes > 0) {
            size_t from = random_below(random, other->bytes);
            size_t most = other->bytes - from > 60 ? 60 : other->bytes - from;
            insert(text, at, other->data + from, most);
        }
        break;
    default:
        if (seeds->words.count > 0) {
            const char *word = seeds->words.data[random_below(random, seeds->words.count)];
            insert(text, at, word, strlen(word));
        }
    }
}

// How many were ended by their limits.
static size_t try_target(const struct fuzz_target *target, const char *tree, unsigned long runs,
                         uint64_t seed)
{
    struct seeds seeds = {0};
    struct random random;
    size_t ended = 0;
    random_init(&random, seed);
    find_seeds(&seeds, tree, target);
    for (unsigned long i = 0; i < runs; i++) {
        struct text text;
        const struct seed *from = any_seed(&seeds, &random);
        text_init(&text);
        text_add_bytes(&text, from->data, from->bytes);
        uint64_t changes = i < seeds.files.count ? 0 : 1 + random_below(&random, 4);
        for (uint64_t c = 0; c < changes; c++)
            change(&text, &seeds, &random);
        ended += !fuzz_target_run(target, (const uint8_t *)text_string(&text), text.length);
        text_finish(&text);
    }
    printf("%s: %lu runs of %zu seeds, %zu ended by their limits\n", target->name, runs,
           seeds.files.count, ended);
    fflush(stdout);
    finish_seeds(&seeds);
    return ended;
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
    finish_seeds(&seeds);
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
        bool done = fuzz_target_run(target, (const uint8_t *)data, bytes);
        printf("%s: %s\n", *paths, done ? "read" : "ended by its limits");
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
    size_t ended = 0;
    for (const struct fuzz_target *t = fuzz_targets; t->name != NULL; t++)
        if (target == NULL || t == target)
            ended += try_target(t, arguments[3], runs, seed);
    fflush(stdout);
    if (ended > 0)
        _exit(0); // what those had is lost, and not to be looked for
    return 0;
}
