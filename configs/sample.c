#include "configs/sample.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"

enum { CONFIGURATIONS_MOST = 1000000, TRIES_FOR_EACH = 50, STRENGTH_MOST = 6 };

// Reading.

static bool read_number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    *out = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

static bool read_kind(struct sample *out, const char *word)
{
    static const struct {
        const char *word;
        enum sample_kind kind;
    } counted[] = {{"random=", SAMPLE_RANDOM}, {"latin=", SAMPLE_LATIN}};
    uint64_t count;
    if (strcmp(word, "all") == 0) {
        out->kind = SAMPLE_ALL;
        return true;
    }
    if (strcmp(word, "one-factor") == 0) {
        out->kind = SAMPLE_ONE_FACTOR;
        return true;
    }
    out->kind = SAMPLE_COVER;
    out->strength = 2;
    if (strcmp(word, "pairwise") == 0)
        return true;
    if (strlen(word) == 6 && strcmp(word + 1, "-wise") == 0) {
        out->strength = (unsigned)(word[0] - '0');
        return word[0] >= '1' && word[0] <= '0' + STRENGTH_MOST;
    }
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        size_t length = strlen(counted[i].word);
        if (strncmp(word, counted[i].word, length) != 0)
            continue;
        out->kind = counted[i].kind;
        bool good =
            read_number(word + length, &count) && count >= 1 && count <= CONFIGURATIONS_MOST;
        out->count = good ? (size_t)count : 0;
        return good;
    }
    return false;
}

bool sample_read(struct sample *out, const char *text, struct messages *messages)
{
    struct sample sample = {0};
    char *word = memory_strdup(text);
    char *at = strchr(word, '@');
    bool good = true;
    if (at != NULL) {
        *at = '\0';
        good = read_number(at + 1, &sample.seed);
    }
    good = read_kind(&sample, word) && good;
    memory_free(word);
    if (good)
        *out = sample;
    else
        message_add(
            messages, MESSAGE_ERROR, (struct position){0},
            "sample: found \"%s\", expected all, pairwise, 3-wise, random=100, one-factor or "
            "latin=20, each with @SEED if wished",
            text);
    return good;
}

// Collecting.

struct collector {
    const struct space *space;
    struct configuration_set *out;
    size_t begin;            // what was in `out` before
    struct hash_index index; // of those in `out` from `begin` on
    bool full;
};

// Takes the configuration over; false when it was there.
static bool collect(struct collector *c, struct configuration configuration)
{
    struct hash_probe probe = hash_index_probe(&c->index, configuration.fingerprint.low);
    for (uint32_t i; hash_index_next(&c->index, &probe, &i);)
        if (hash128_equal(c->out->items[i].fingerprint, configuration.fingerprint)) {
            configuration_finish(&configuration);
            return false;
        }
    if (c->out->count == c->out->capacity) {
        c->out->capacity = c->out->capacity ? 2 * c->out->capacity : 64;
        c->out->items = memory_realloc(c->out->items, c->out->capacity * sizeof *c->out->items);
    }
    hash_index_add(&c->index, configuration.fingerprint.low, (uint32_t)c->out->count);
    c->out->items[c->out->count++] = configuration;
    return true;
}

static bool collect_point(struct collector *c, const size_t *point)
{
    int64_t values[OPTION_COUNT];
    struct configuration configuration;
    space_values(c->space, point, values);
    space_configuration(&configuration, values);
    return collect(c, configuration);
}

static void add_row(void *context, const size_t *point)
{
    collect_point(context, point);
}

static bool add_visited(void *context, const size_t *point)
{
    struct collector *c = context;
    c->full = c->out->count - c->begin >= CONFIGURATIONS_MOST;
    if (!c->full)
        collect_point(c, point);
    return !c->full;
}

// Choices by chance.

void random_choice_init(struct random_choice *choice, const struct space *space, uint64_t seed)
{
    *choice = (struct random_choice){.space = space};
    random_init(&choice->random, seed);
    choice->order = memory_zalloc((space->factor_count + 1) * sizeof *choice->order);
    for (size_t f = 0; f < space->factor_count; f++)
        choice->order[f] = memory_alloc(space->factors[f].level_count * sizeof *choice->order[f]);
}

void random_choice_finish(struct random_choice *choice)
{
    for (size_t f = 0; f < choice->space->factor_count; f++)
        memory_free(choice->order[f]);
    memory_free(choice->order);
}

static void shuffle(struct random *random, size_t *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        items[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(random, i), other = items[i - 1];
        items[i - 1] = items[j];
        items[j] = other;
    }
}

size_t random_choose(void *context, size_t factor, size_t turn)
{
    struct random_choice *choice = context;
    size_t *order = choice->order[factor], count = choice->space->factors[factor].level_count;
    assert(turn < count);
    if (turn == 0) {
        shuffle(&choice->random, order, count);
        for (size_t i = 0; choice->wanted != NULL && i < count; i++)
            if (order[i] == choice->wanted[factor]) {
                order[i] = order[0];
                order[0] = choice->wanted[factor];
            }
    }
    return order[turn];
}

static void free_all(const struct space *space, size_t *point)
{
    for (size_t f = 0; f < space->factor_count; f++)
        point[f] = SPACE_FREE;
}

// The samples.

static void sample_random(struct collector *c, const struct sample *sample, size_t *point)
{
    struct random_choice choice;
    random_choice_init(&choice, c->space, sample->seed);
    size_t found = 0;
    for (size_t fruitless = 0; found < sample->count && fruitless < TRIES_FOR_EACH * sample->count;
         fruitless++) {
        free_all(c->space, point);
        space_complete(c->space, point, random_choose, &choice);
        found += collect_point(c, point);
    }
    random_choice_finish(&choice);
}

// Each factor's range is cut in as many slices as there are rows, each slice taken by one row (McKay,
// Beckman, Conover, 1979); what is illegal in a row gives way.
static void sample_latin(struct collector *c, const struct sample *sample, size_t *point)
{
    const struct space *space = c->space;
    struct random_choice choice;
    random_choice_init(&choice, space, sample->seed);
    size_t rows = sample->count, factors = space->factor_count;
    size_t *slices = memory_alloc(rows * sizeof *slices);
    size_t *wanted = memory_alloc(rows * factors * sizeof *wanted);
    for (size_t f = 0; f < factors; f++) {
        shuffle(&choice.random, slices, rows);
        for (size_t row = 0; row < rows; row++)
            wanted[row * factors + f] = slices[row] * space->factors[f].level_count / rows;
    }
    for (size_t i = 0; i < rows * factors; i++)
        assert(wanted[i] < space->factors[i % factors].level_count);
    for (size_t row = 0; row < rows; row++) {
        free_all(space, point);
        choice.wanted = wanted + row * factors;
        space_complete(space, point, random_choose, &choice);
        collect_point(c, point);
    }
    memory_free(wanted);
    memory_free(slices);
    random_choice_finish(&choice);
}

// Levels of the base first.
struct base_choice {
    const struct space *space;
    const size_t *base;
};

static size_t choose_base(void *context, size_t factor, size_t turn)
{
    const struct base_choice *choice = context;
    size_t base = choice->base[factor];
    if (base >= choice->space->factors[factor].level_count)
        return turn;
    return turn == 0 ? base : turn <= base ? turn - 1 : turn;
}

static bool find_base(const struct space *space, size_t *base, struct messages *messages)
{
    bool good = true;
    for (size_t f = 0; f < space->factor_count; f++) {
        const struct space_factor *factor = &space->factors[f];
        base[f] = SPACE_FREE;
        for (size_t l = 0; l < factor->level_count; l++)
            if (factor->levels[l] == space->base[factor->option])
                base[f] = l;
    }
    // What is without effect at the base needs no level there.
    size_t *point = memory_alloc(space->factor_count * sizeof *point);
    memcpy(point, base, space->factor_count * sizeof *point);
    struct base_choice choice = {space, base};
    free_all(space, point);
    good = space_complete(space, point, choose_base, &choice);
    for (size_t f = 0; good && f < space->factor_count; f++) {
        if (point[f] == SPACE_IDLE || point[f] == base[f])
            continue;
        int option = space->factors[f].option;
        struct text text;
        text_init(&text);
        space_print_value(&text, option, space->base[option]);
        message_add(messages, MESSAGE_ERROR, (struct position){space->path, 0, 0},
                    base[f] == SPACE_FREE ? "base: %s=%s is none of the values in options"
                                          : "base: %s=%s is not possible with the rest of the base",
                    space_slot_name(option), text_string(&text));
        text_finish(&text);
        good = false;
    }
    memcpy(base, point, space->factor_count * sizeof *point);
    memory_free(point);
    return good;
}

static bool sample_one_factor(struct collector *c, size_t *point, struct messages *messages)
{
    const struct space *space = c->space;
    size_t *base = memory_alloc(space->factor_count * sizeof *base);
    bool good = find_base(space, base, messages);
    struct base_choice choice = {space, base};
    if (good)
        collect_point(c, base);
    for (size_t f = 0; good && f < space->factor_count; f++) {
        size_t left_out = 0;
        for (size_t l = 0; base[f] != SPACE_IDLE && l < space->factors[f].level_count; l++) {
            free_all(space, point);
            point[f] = l;
            if (space_complete(space, point, choose_base, &choice))
                collect_point(c, point);
            else
                left_out++;
        }
        if (left_out > 0)
            message_add(messages, MESSAGE_NOTE, (struct position){space->path, 0, 0},
                        "%zu values of %s are left out: no legal configuration has them", left_out,
                        space_slot_name(space->factors[f].option));
    }
    memory_free(base);
    return good;
}

static bool sample_product(struct collector *c, const struct sample *sample,
                           struct messages *messages)
{
    const struct space *space = c->space;
    size_t *point = memory_alloc(space->factor_count * sizeof *point);
    struct random random;
    bool good = true;
    switch (sample->kind) {
    case SAMPLE_ALL:
        space_visit(space, add_visited, c);
        if (c->full)
            message_add(messages, MESSAGE_ERROR, (struct position){space->path, 0, 0},
                        "found more than %d configurations, expected a sample of them",
                        CONFIGURATIONS_MOST);
        good = !c->full;
        break;
    case SAMPLE_COVER:
        random_init(&random, sample->seed);
        sample_cover(space, sample->strength, &random, add_row, c);
        break;
    case SAMPLE_RANDOM:
        sample_random(c, sample, point);
        break;
    case SAMPLE_ONE_FACTOR:
        good = sample_one_factor(c, point, messages);
        break;
    case SAMPLE_LATIN:
        sample_latin(c, sample, point);
        break;
    }
    memory_free(point);
    return good;
}

bool space_sample(const struct space *space, const struct sample *sample,
                  struct configuration_set *out, struct messages *messages)
{
    struct collector c = {.space = space, .out = out, .begin = out->count};
    bool good = space->factor_count == 0 || sample_product(&c, sample, messages);
    size_t found = out->count - c.begin;
    if (good && space->factor_count > 0 && found < sample->count)
        message_add(messages, MESSAGE_NOTE, (struct position){space->path, 0, 0},
                    "%zu configurations were found of the %zu wished", found, sample->count);
    for (size_t i = 0; good && i < space->listed_count; i++) {
        struct configuration copy;
        configuration_copy(&copy, &space->listed[i]);
        collect(&c, copy);
    }
    hash_index_finish(&c.index);
    return good;
}

bool space_take(const char *text, struct configuration_set *out, struct messages *messages)
{
    const char *colon = strrchr(text, ':');
    char *name = memory_strdup(text);
    if (colon != NULL)
        name[colon - text] = '\0';
    struct sample sample;
    bool good = sample_read(&sample, colon != NULL ? colon + 1 : "all", messages);
    struct space *space = good ? space_load(name, messages) : NULL;
    good = space != NULL && space_sample(space, &sample, out, messages);
    space_destroy(space);
    memory_free(name);
    return good;
}
