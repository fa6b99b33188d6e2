#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "languages/charts/gamma.h"
#include "languages/charts/interpret.h"
#include "languages/charts/scxml.h"
#include "languages/charts/translate.h"

// Reads charts with bytes changed, cut out, doubled and exchanged: whatever comes, the readers say what is wrong or give
// a chart that can be translated and entered.
//   fuzz_charts COUNT FIRST FILE…

static char *mutate(struct random *random, const char *text, size_t bytes, size_t *out_bytes)
{
    static const char SIGNS[] = "<>/=\"'&;{}[]()-:.@^ \n0a";
    char *copy = memory_alloc(2 * bytes + 2);
    memcpy(copy, text, bytes);
    uint64_t changes = 1 + random_below(random, 3);
    for (uint64_t i = 0; i < changes && bytes > 0; i++) {
        size_t at = random_below(random, bytes), length = random_below(random, 12);
        length = at + length > bytes ? bytes - at : length;
        switch (random_below(random, 4)) {
        case 0:
            copy[at] = SIGNS[random_below(random, sizeof SIGNS - 1)];
            break;
        case 1:
            copy[at] = (char)random_below(random, 256);
            break;
        case 2: // cut out
            memmove(copy + at, copy + at + length, bytes - at - length);
            bytes -= length;
            break;
        default: // exchange with another place
            memmove(copy + at, copy + random_below(random, bytes - length + 1), length);
        }
    }
    copy[bytes] = '\0';
    *out_bytes = bytes;
    return copy;
}

// Small ones only: a mutation can make a chart whose first configuration takes for ever to look at.
static void use(const struct chart *chart)
{
    struct chart_map map;
    model_destroy(chart_translate(chart, NULL, &map, NULL));
    chart_map_finish(&map);
    struct interpreter *it = interpreter_create(chart);
    struct interpreter_choices choices = {0};
    int64_t *cells = memory_zalloc((interpreter_cell_count(chart) + 1) * sizeof *cells);
    interpreter_start(it, &choices, NULL, cells);
    interpreter_choices_finish(&choices);
    memory_free(cells);
    interpreter_destroy(it);
}

static bool read_one(const char *path, const char *text, size_t bytes)
{
    struct messages messages;
    messages_init(&messages);
    size_t length = strlen(path);
    bool scxml = length > 6 && strcmp(path + length - 6, ".scxml") == 0;
    struct chart *chart = scxml ? scxml_read(path, text, bytes, NULL, 0, &messages)
                                : gamma_read(path, text, bytes, NULL, &messages);
    if ((chart == NULL) != messages_failed(&messages)) {
        fprintf(stderr, "%s: %s\n", path,
                chart == NULL ? "no chart and no message" : "a chart in spite of an error");
        abort();
    }
    bool good = chart != NULL;
    if (good)
        use(chart);
    chart_destroy(chart);
    messages_finish(&messages);
    return good;
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fprintf(stderr, "usage: fuzz_charts COUNT FIRST FILE…\n");
        return 2;
    }
    uint64_t rounds = strtoull(arguments[1], NULL, 10), first = strtoull(arguments[2], NULL, 10);
    uint64_t read = 0, tried = 0;
    for (int i = 3; i < count; i++) {
        size_t bytes;
        char *text = text_read_file(arguments[i], &bytes);
        if (text == NULL)
            return 2;
        for (uint64_t seed = first; seed < first + rounds; seed++) {
            struct random random;
            size_t length;
            random_init(&random, seed);
            char *changed = mutate(&random, text, bytes, &length);
            read += read_one(arguments[i], changed, length);
            tried++;
            memory_free(changed);
        }
        memory_free(text);
    }
    printf("%llu of %llu inputs were charts\n", (unsigned long long)read,
           (unsigned long long)tried);
    return 0;
}
