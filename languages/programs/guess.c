#include "languages/programs/guess.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "languages/programs/float_bits.h"
#include "languages/programs/half.h"
#include "languages/programs/x87.h"

#define MOST_RUNS 180
#define FIRST_STEADY 61 // of the runs in which inputs stay for a while
#define MOST_SAME 6     // of these runs, in which every input is one number that the program names
#define MOST_STEADY 32  // places of inputs that do
#define MOST_STEADY_STEPS 300000
#define MOST_COMPARED 64
#define MOST_RUN_STEPS 100000
#define MOST_ALL_STEPS 1500000 // about a tenth of a second
// Of those that were not at their end, a few are followed longer.
#define MOST_LONG_RUNS 3
#define MOST_LONG_STEPS 2000000
#define MOST_LAST_STEPS 8000000 // of one with mixed inputs, when those were not at their end either

// An input that stays what it was for so many more calls at its place.
struct steady {
    const struct instruction *at;
    program_word value;
    uint32_t left;
};

// What the program compares numbers with.
struct named {
    program_word words[MOST_COMPARED];
    size_t word_count;
    double floats[MOST_COMPARED];
    size_t float_count;
};

struct guess {
    const struct flat *flat;
    const struct named *named;
    struct random random;
    uint32_t number;
    program_word last;
    struct steady steady[MOST_STEADY];
    size_t steady_count;
    void (*listen)(void *context, const struct run_event *event);
    void *context;
};

static uint64_t small(struct guess *g, uint64_t bound)
{
    return random_below(&g->random, bound);
}

// The first runs take one number everywhere, later ones mix.
static program_word whole_number(struct guess *g, uint32_t bits)
{
    static const int64_t first[] = {0, 1, -1, 2, 3, 5, 10, 100};
    const size_t firsts = sizeof first / sizeof first[0];
    assert(g->number > 0 && bits > 0 && bits <= 128);
    if (g->number <= firsts)
        return (program_word)first[g->number - 1];
    if (g->number % 3 == 2 && g->named->word_count > 0 && random_below(&g->random, 2) == 0)
        return g->named->words[random_below(&g->random, g->named->word_count)] + small(g, 3) - 1;
    if (g->number % 4 == 0) // a run of small numbers
        return small(g, 4 << g->number % 5);
    switch (random_below(&g->random, 8)) {
    case 0:
        return small(g, 2);
    case 1:
    case 2:
        return small(g, 12);
    case 3:
        return small(g, 300);
    case 4:
        return (program_word)0 - small(g, 12);
    case 5:
        return ((program_word)1 << (bits - 1)) - small(g, 2);
    case 6:
        return g->last + small(g, 3) - 1;
    default:
        return bits <= 64 ? random_next(&g->random)
                          : (program_word)random_next(&g->random) << 64 | random_next(&g->random);
    }
}

// One that the program compares with, or its negative.
static double named_float(struct guess *g)
{
    const double named = g->named->floats[small(g, g->named->float_count)];
    return small(g, 2) == 0 ? named : -named;
}

static program_word float_bits(struct guess *g, uint32_t bits)
{
    const bool named = (g->number >= FIRST_STEADY || g->number % 3 == 2) &&
                       g->named->float_count > 0 && small(g, 4) != 0;
    double wide = named ? named_float(g)
                        : (double)(__int128)whole_number(g, 16) / (g->number % 2 == 0 ? 1 : 4);
    if (bits == HALF_BITS)
        return half_bits(wide);
    if (bits == X87_BITS)
        return x87_bits(wide);
    if (g->number % 7 == 6 && !named)
        return random_next(&g->random);
    return bits == 64 ? bits_of_double(wide) : bits_of_float((float)wide);
}

static program_word fresh_input(struct guess *g, const struct instruction *at)
{
    uint32_t bits = at->type.bits > 128 ? 128 : at->type.bits;
    if (at->type.kind == PROGRAM_FLOAT)
        return float_bits(g, bits);
    return g->last = whole_number(g, bits);
}

// What a filter or a counter comes to takes the same inputs many times. Stretches are up to 2 to 2048 calls long; a number that is not
// 0 stays longer than 0, which more loops end with, and comes behind it often.
static program_word steady_input(struct guess *g, const struct instruction *at)
{
    assert(g->steady_count <= MOST_STEADY);
    struct steady *place = NULL;
    for (size_t i = 0; i < g->steady_count && place == NULL; i++)
        if (g->steady[i].at == at)
            place = &g->steady[i];
    if (place == NULL && g->steady_count == MOST_STEADY)
        return fresh_input(g, at);
    if (place == NULL) {
        place = &g->steady[g->steady_count++];
        *place = (struct steady){.at = at};
    }
    if (place->left > 0) {
        place->left--;
        return place->value;
    }
    place->value = place->value != 0 && small(g, 2) == 0 ? 0 : fresh_input(g, at);
    const uint64_t longest = (uint64_t)1 << (1 + small(g, 11));
    place->left = (uint32_t)small(g, place->value == 0 ? 2 : longest);
    return place->value;
}

// Of pointers only null is a guess: any other may be one of no object.
static program_word input(void *context, const struct instruction *at)
{
    struct guess *g = context;
    if (at->type.kind == PROGRAM_POINTER || at->type.bits == 0)
        return 0;
    if (g->number < FIRST_STEADY)
        return fresh_input(g, at);
    // A loop that goes round so often as the first input says, and as long as others are not 0.
    const uint32_t same = g->number - FIRST_STEADY;
    if (same < MOST_SAME && same < g->named->word_count && at->type.kind == PROGRAM_INTEGER)
        return at->type.bits == 1 ? 1 : g->named->words[same];
    return steady_input(g, at);
}

// A string of the program's own, where it has one.
static void own_text(struct guess *g, uint8_t *bytes, uint64_t count)
{
    const struct program *p = g->flat->program;
    const struct global *string = NULL;
    for (uint32_t k = 0, seen = 0; k < p->global_count; k++) {
        if (p->globals[k].constant && p->globals[k].data_count > 0 &&
            p->globals[k].bytes <= count && p->globals[k].data[0].bytes == 1 &&
            small(g, ++seen) == 0)
            string = &p->globals[k];
    }
    for (size_t d = 0; string != NULL && d < string->data_count; d++) {
        if (string->data[d].bytes == 1 && string->data[d].offset < count)
            bytes[string->data[d].offset] = (uint8_t)string->data[d].value.bits;
    }
}

// What main is given: numbers, options, words, strings of the program.
static void fill_text(struct guess *g, uint8_t *bytes, uint64_t count)
{
    const uint64_t kind = small(g, 6), length = small(g, kind == 0 ? 40 : 7);
    if (kind == 1 && g->number > 4) {
        own_text(g, bytes, count);
        return;
    }
    for (uint64_t k = 0; k < length && k < count; k++) {
        bytes[k] = (uint8_t)(kind <= 2   ? '0' + small(g, 10)
                             : kind == 3 ? 'a' + small(g, 26)
                             : kind == 4 ? 32 + small(g, 95)
                                         : 1 + small(g, 255));
        if (k == 0 && small(g, 4) == 0)
            bytes[k] = '-';
    }
}

// Texts that main is given, or how many these are.
static bool fill_given(struct guess *g, const struct instruction *at, uint8_t *bytes,
                       uint64_t count)
{
    const struct flat *flat = g->flat;
    if (at != NULL && at->op == OP_CALL && objects_gives_texts(flat_callee(flat, at))) {
        fill_text(g, bytes, count);
        return true;
    }
    const char *name =
        at == NULL ? "" : flat->program->functions[flat->frames[at->frame].function].name;
    if (count != 4 ||
        (strcmp(name, COUNTS_ARGUMENTS) != 0 && strcmp(name, COUNTS_ENVIRONMENT) != 0))
        return false;
    const uint64_t most = g->number % 8 == 7 ? 200 : 5;
    bytes[0] = (uint8_t)(g->number <= 6 ? g->number : 1 + small(g, most));
    return true;
}

// Memory that nobody has written: zeros, one small number everywhere, or many.
static void fill(void *context, const struct instruction *at, uint32_t time, uint8_t *bytes,
                 uint64_t count)
{
    struct guess *g = context;
    (void)time;
    if (fill_given(g, at, bytes, count))
        return;
    if (g->number == 1 || g->number % 3 == 0)
        return;
    for (uint64_t i = 0; i < count; i += 4)
        bytes[i] = (uint8_t)(g->number <= 8 ? g->number : small(g, 200));
}

static void listen(void *context, const struct run_event *event)
{
    struct guess *g = context;
    g->listen(g->context, event);
}

static void note_float(struct named *named, const struct operand *o)
{
    const double value = o->type.bits == 64 ? double_of_bits((uint64_t)o->bits)
                                            : (double)float_of_bits((uint64_t)o->bits);
    bool wanted = o->kind == OPERAND_CONSTANT && o->type.kind == PROGRAM_FLOAT &&
                  (o->type.bits == 32 || o->type.bits == 64);
    for (size_t c = 0; c < named->float_count; c++)
        wanted = wanted && named->floats[c] != value;
    if (wanted && named->float_count < MOST_COMPARED)
        named->floats[named->float_count++] = value;
}

// Conditions change near the numbers that they name.
static void find_named(struct named *named, const struct flat *flat)
{
    *named = (struct named){0};
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand *o = &i->operands[n];
                if (i->op == OP_FCMP)
                    note_float(named, o);
                bool wanted = (i->op == OP_ICMP || (i->op == OP_SWITCH && n > 0)) &&
                              o->kind == OPERAND_CONSTANT && o->type.kind == PROGRAM_INTEGER &&
                              o->bits > 3;
                for (size_t c = 0; c < named->word_count; c++)
                    wanted = wanted && named->words[c] != o->bits;
                if (wanted && named->word_count < MOST_COMPARED)
                    named->words[named->word_count++] = o->bits;
            }
        }
    }
}

static struct run_result run_on(struct guess *g, const struct program_question *question,
                                uint64_t most_steps)
{
    random_init(&g->random, g->number);
    const struct run_source source = {g,    input, fill, g->listen == NULL ? NULL : listen,
                                      true, false, false};
    return interpret_inputs(g->flat, question, &source, most_steps);
}

struct run_result guess_run(const struct flat *flat, const struct program_question *question,
                            uint32_t number, uint64_t most_steps,
                            void (*listener)(void *context, const struct run_event *event),
                            void *context)
{
    struct named named;
    find_named(&named, flat);
    struct guess g = {
        .flat = flat, .named = &named, .number = number, .listen = listener, .context = context};
    return run_on(&g, question, most_steps);
}

// One of many: what the program names was looked for before.
static struct run_result try_run(const struct flat *flat, const struct named *named,
                                 const struct program_question *question, uint32_t number,
                                 uint64_t most_steps)
{
    struct guess g = {.flat = flat, .named = named, .number = number};
    return run_on(&g, question, most_steps);
}

static bool has_cycle(const struct flat *flat)
{
    for (size_t b = 0; flat->in_cycle != NULL && b < flat->block_count; b++)
        if (flat->in_cycle[b])
            return true;
    return false;
}

uint32_t guess_violation(const struct flat *flat, const struct program_question *question,
                         struct run_result *run)
{
    struct named named;
    uint64_t left = MOST_ALL_STEPS;
    uint32_t longer[MOST_LONG_RUNS], longer_count = 0, last = 0, going = 0;
    find_named(&named, flat);
    for (uint32_t number = 1; number <= MOST_RUNS; number++) {
        if (number == FIRST_STEADY && !has_cycle(flat))
            break;
        if (number == FIRST_STEADY)
            left = MOST_STEADY_STEPS;
        uint64_t most = left < MOST_RUN_STEPS ? left : MOST_RUN_STEPS;
        struct run_result tried = try_run(flat, &named, question, number, most);
        if (tried.end == RUN_VIOLATION) {
            *run = tried;
            return number;
        }
        if (tried.end == RUN_DEEP)
            run->deepest = UINT32_MAX;
        else if (tried.deepest > run->deepest)
            run->deepest = tried.deepest;
        run->blocks = tried.blocks > run->blocks ? tried.blocks : run->blocks;
        const bool long_one = tried.end == RUN_LIMIT && number < FIRST_STEADY;
        if (long_one && longer_count < MOST_LONG_RUNS)
            longer[longer_count++] = number;
        if (long_one)
            last = number;
        // What a run takes to begin counts, too, where there are many short ones.
        const uint64_t took = tried.steps + (number >= FIRST_STEADY ? flat->block_count : 0);
        left -= took < left ? took : left;
        if (left == 0 && number + 1 < FIRST_STEADY)
            number = FIRST_STEADY - 1;
        else if (left == 0 && number >= FIRST_STEADY)
            break;
    }
    for (uint32_t i = 0; i < longer_count; i++) {
        struct run_result tried = try_run(flat, &named, question, longer[i], MOST_LONG_STEPS);
        if (tried.end == RUN_VIOLATION) {
            *run = tried;
            return longer[i];
        }
        if (tried.end == RUN_DEEP)
            return 0; // recursion that does not end is not followed again
        going += tried.end == RUN_LIMIT;
    }
    if (going < MOST_LONG_RUNS)
        return 0;
    struct run_result tried = try_run(flat, &named, question, last, MOST_LAST_STEPS);
    if (tried.end != RUN_VIOLATION)
        return 0;
    *run = tried;
    return last;
}
