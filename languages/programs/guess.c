#include "languages/programs/guess.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "languages/programs/float_bits.h"
#include "languages/programs/half.h"
#include "languages/programs/x87.h"

#define MOST_RUNS 60
#define MOST_COMPARED 64
#define MOST_RUN_STEPS 100000
#define MOST_ALL_STEPS 1500000 // about a tenth of a second
// Of those that were not at their end, a few are followed longer.
#define MOST_LONG_RUNS 3
#define MOST_LONG_STEPS 2000000
#define MOST_LAST_STEPS 8000000 // of one with mixed inputs, when those were not at their end either

struct guess {
    const struct flat *flat;
    struct random random;
    uint32_t number;
    program_word last;
    program_word compared[MOST_COMPARED]; // what the program compares numbers with
    size_t compared_count;
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
    if (g->number % 3 == 2 && g->compared_count > 0 && random_below(&g->random, 2) == 0)
        return g->compared[random_below(&g->random, g->compared_count)] + small(g, 3) - 1;
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

static program_word float_bits(struct guess *g, uint32_t bits)
{
    double wide = (double)(__int128)whole_number(g, 16) / (g->number % 2 == 0 ? 1 : 4);
    if (bits == HALF_BITS)
        return half_bits(wide);
    if (bits == X87_BITS)
        return x87_bits(wide);
    if (g->number % 7 == 6)
        return random_next(&g->random);
    return bits == 64 ? bits_of_double(wide) : bits_of_float((float)wide);
}

// Of pointers only null is a guess: any other may be one of no object.
static program_word input(void *context, const struct instruction *at)
{
    struct guess *g = context;
    if (at->type.kind == PROGRAM_POINTER || at->type.bits == 0)
        return 0;
    uint32_t bits = at->type.bits > 128 ? 128 : at->type.bits;
    if (at->type.kind == PROGRAM_FLOAT)
        return float_bits(g, bits);
    return g->last = whole_number(g, bits);
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

// Conditions change near the numbers that they name.
static void find_compared(struct guess *g, const struct flat *flat)
{
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand *o = &i->operands[n];
                bool wanted = (i->op == OP_ICMP || (i->op == OP_SWITCH && n > 0)) &&
                              o->kind == OPERAND_CONSTANT && o->type.kind == PROGRAM_INTEGER &&
                              o->bits > 3;
                for (size_t c = 0; c < g->compared_count; c++)
                    wanted = wanted && g->compared[c] != o->bits;
                if (wanted && g->compared_count < MOST_COMPARED)
                    g->compared[g->compared_count++] = o->bits;
            }
        }
    }
}

struct run_result guess_run(const struct flat *flat, const struct program_question *question,
                            uint32_t number, uint64_t most_steps,
                            void (*listener)(void *context, const struct run_event *event),
                            void *context)
{
    struct guess g = {.flat = flat, .number = number, .listen = listener, .context = context};
    random_init(&g.random, number);
    if (number % 3 == 2)
        find_compared(&g, flat);
    const struct run_source source = {&g,   input, fill, listener == NULL ? NULL : listen,
                                      true, false, false};
    return interpret_inputs(flat, question, &source, most_steps);
}

uint32_t guess_violation(const struct flat *flat, const struct program_question *question,
                         struct run_result *run)
{
    uint64_t left = MOST_ALL_STEPS;
    uint32_t longer[MOST_LONG_RUNS], longer_count = 0, last = 0, going = 0;
    for (uint32_t number = 1; number <= MOST_RUNS; number++) {
        uint64_t most = left < MOST_RUN_STEPS ? left : MOST_RUN_STEPS;
        struct run_result tried = guess_run(flat, question, number, most, NULL, NULL);
        if (tried.end == RUN_VIOLATION) {
            *run = tried;
            return number;
        }
        if (tried.end == RUN_DEEP)
            run->deepest = UINT32_MAX;
        else if (tried.deepest > run->deepest)
            run->deepest = tried.deepest;
        if (tried.end == RUN_LIMIT && longer_count < MOST_LONG_RUNS)
            longer[longer_count++] = number;
        if (tried.end == RUN_LIMIT)
            last = number;
        if (tried.steps >= left)
            break;
        left -= tried.steps;
    }
    for (uint32_t i = 0; i < longer_count; i++) {
        struct run_result tried = guess_run(flat, question, longer[i], MOST_LONG_STEPS, NULL, NULL);
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
    struct run_result tried = guess_run(flat, question, last, MOST_LAST_STEPS, NULL, NULL);
    if (tried.end != RUN_VIOLATION)
        return 0;
    *run = tried;
    return last;
}
