#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "languages/programs/interpret.h"

// Rounds at once: random programs of loops, run round by round and not, end with the same memory at the same place.

#define VARIABLES 4
#define MOST_STEPS 150000

struct writer {
    struct random random;
    struct text out;
    uint32_t value, block; // the next ones
    uint32_t width[VARIABLES];
    uint32_t base; // value of the first variable's slot
    uint32_t function;
};

static uint32_t pick(struct writer *w, uint32_t bound)
{
    return (uint32_t)random_below(&w->random, bound);
}

static void add(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct writer *w, const char *format, ...)
{
    char line[256];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    text_printf(&w->out, "I %s\n", line);
}

static uint64_t constant(struct writer *w, uint32_t width)
{
    static const uint64_t near[] = {0, 1, 2, 3, 4, 5, 7, 8, 10, 16, 100, 250, 255};
    uint64_t value = near[pick(w, sizeof near / sizeof near[0])];
    switch (pick(w, 6)) {
    case 0:
        value = random_next(&w->random);
        break;
    case 1:
        value = 0 - value;
        break;
    case 2:
        value += (uint64_t)1 << (width - 1);
        break;
    default:
        break;
    }
    return width >= 64 ? value : value & (((uint64_t)1 << width) - 1);
}

static uint32_t load(struct writer *w, uint32_t variable)
{
    add(w, "load i%u %u 0 1 1 0 1 %%%u 1 %u", w->width[variable], w->value, w->base + variable,
        w->width[variable] / 8);
    return w->value++;
}

// The variable's value with so many bits.
static uint32_t read_as(struct writer *w, uint32_t variable, uint32_t width)
{
    const uint32_t value = load(w, variable), has = w->width[variable];
    if (has == width)
        return value;
    add(w, "%s i%u %u 0 1 1 0 1 %%%u 0",
        has > width       ? "trunc"
        : pick(w, 2) == 0 ? "zext"
                          : "sext",
        width, w->value, value);
    return w->value++;
}

static void store(struct writer *w, uint32_t variable, const char *operand)
{
    add(w, "store i%u %u 0 1 1 0 2 %s %%%u 1 %u", w->width[variable], w->value++, operand,
        w->base + variable, w->width[variable] / 8);
}

static void assignment(struct writer *w, uint32_t v)
{
    static const char *const names[] = {"add", "add", "add", "add",  "sub",
                                        "mul", "and", "xor", "urem", "srem"};
    const uint32_t width = w->width[v];
    char operand[64];
    switch (pick(w, 8)) {
    case 0:
        snprintf(operand, sizeof operand, "i%u:%" PRIu64, width, constant(w, width));
        break;
    case 1:
        snprintf(operand, sizeof operand, "%%%u", read_as(w, pick(w, VARIABLES), width));
        break;
    case 2: {
        const uint32_t x = read_as(w, v, width), y = read_as(w, pick(w, VARIABLES), width);
        add(w, "%s i%u %u 0 1 1 0 2 %%%u %%%u 0", names[pick(w, 6)], width, w->value, x, y);
        snprintf(operand, sizeof operand, "%%%u", w->value++);
        break;
    }
    case 3:
        if (w->width[v] == 32) {
            const uint32_t x = load(w, v);
            add(w, "call i32 %u 0 1 1 0 2 f:1 %%%u 1 0", w->value, x);
            snprintf(operand, sizeof operand, "%%%u", w->value++);
            break;
        }
        // fall through
    default: {
        const uint32_t from = pick(w, 2) == 0 ? v : pick(w, VARIABLES);
        const uint32_t x = read_as(w, from, width);
        const char *name = names[pick(w, sizeof names / sizeof names[0])];
        uint64_t by = constant(w, width);
        by = strcmp(name + 1, "rem") == 0 && by == 0 ? 3 : by;
        by = strcmp(name, "and") == 0 && pick(w, 2) == 0 ? 3 : by;
        add(w, "%s i%u %u 0 1 1 0 2 %%%u i%u:%" PRIu64 " 0", name, width, w->value, x, width, by);
        snprintf(operand, sizeof operand, "%%%u", w->value++);
    }
    }
    store(w, v, operand);
}

static uint32_t condition(struct writer *w)
{
    const uint32_t v = pick(w, VARIABLES), width = w->width[v], x = load(w, v);
    const uint32_t predicate = 32 + pick(w, 10);
    char operand[64];
    if (pick(w, 3) == 0)
        snprintf(operand, sizeof operand, "%%%u", read_as(w, pick(w, VARIABLES), width));
    else
        snprintf(operand, sizeof operand, "i%u:%" PRIu64, width, constant(w, width));
    add(w, "icmp i1 %u 0 1 1 %u 2 %%%u %s 0", w->value, predicate, x, operand);
    return w->value++;
}

// Blocks are numbered in the order in which they are written: what goes where is known when it is written.
static void statements(struct writer *w, uint32_t depth);

static uint32_t count_blocks(const char *text)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, "B\n")) != NULL; at++)
        count += at == text || at[-1] == '\n';
    return count;
}

// The blocks of a body, written apart; ends without a branch.
static char *body(struct writer *w, uint32_t depth, uint32_t first)
{
    struct text outer = w->out;
    text_init(&w->out);
    w->block = first;
    text_add(&w->out, "B\n");
    statements(w, depth);
    char *made = memory_strdup(text_string(&w->out));
    text_finish(&w->out);
    w->out = outer;
    return made;
}

// One that counts: from a small number up to another, or down from it.
static void counter(struct writer *w, uint32_t v, bool up, uint32_t *holds)
{
    const uint32_t width = w->width[v], x = load(w, v), rounds = 70 + pick(w, 2000);
    static const uint32_t ups[] = {COMPARE_ULT, COMPARE_ULE, COMPARE_SLT, COMPARE_SLE, COMPARE_NE},
                          downs[] = {COMPARE_UGT, COMPARE_UGE, COMPARE_SGT, COMPARE_SGE,
                                     COMPARE_NE};
    const uint64_t limit = up ? (width == 8 ? 100 + rounds % 150 : rounds) : pick(w, 4);
    *holds = w->value++;
    add(w, "icmp i1 %u 0 1 1 %u 2 %%%u i%u:%" PRIu64 " 0", *holds, (up ? ups : downs)[pick(w, 5)],
        x, width, limit);
}

static void count_on(struct writer *w, uint32_t v, bool up)
{
    char operand[64];
    const uint32_t x = load(w, v);
    const uint32_t by = pick(w, 3) == 0 ? 1 + pick(w, 7) : 1;
    add(w, "%s i%u %u 0 1 1 0 2 %%%u i%u:%u 0", up ? "add" : "sub", w->width[v], w->value, x,
        w->width[v], by);
    snprintf(operand, sizeof operand, "%%%u", w->value++);
    store(w, v, operand);
}

static void counted_loop(struct writer *w, uint32_t depth)
{
    const uint32_t v = pick(w, VARIABLES), width = w->width[v];
    const bool up = pick(w, 2) == 0;
    char operand[64];
    uint64_t from = up ? pick(w, 5) : width == 8 ? 100 + pick(w, 150) : 70 + pick(w, 2000);
    snprintf(operand, sizeof operand, "i%u:%" PRIu64, width, from);
    if (pick(w, 8) != 0)
        store(w, v, operand);
    const uint32_t head = w->block + 1;
    add(w, "br v %u 0 1 1 0 0 3 %u 0 0", w->value++, head);
    text_add(&w->out, "B\n");
    uint32_t holds;
    counter(w, v, up, &holds);
    struct text outer = w->out;
    text_init(&w->out);
    w->block = head + 1;
    text_add(&w->out, "B\n");
    statements(w, depth + 1);
    count_on(w, v, up);
    char *inside = memory_strdup(text_string(&w->out));
    text_finish(&w->out);
    w->out = outer;
    const uint32_t after = head + 1 + count_blocks(inside);
    add(w, "br v %u 0 1 1 0 1 %%%u 4 %u %u 0 0", w->value++, holds, head + 1, after);
    text_add(&w->out, inside);
    add(w, "br v %u 0 1 1 0 0 3 %u 0 0", w->value++, head);
    text_add(&w->out, "B\n");
    w->block = after;
    memory_free(inside);
}

static void loop(struct writer *w, uint32_t depth)
{
    if (pick(w, 4) != 0) {
        counted_loop(w, depth);
        return;
    }
    const uint32_t head = w->block + 1;
    add(w, "br v %u 0 1 1 0 0 3 %u 0 0", w->value++, head);
    text_add(&w->out, "B\n");
    const uint32_t holds = condition(w);
    char *inside = body(w, depth + 1, head + 1);
    const uint32_t after = head + 1 + count_blocks(inside);
    add(w, "br v %u 0 1 1 0 1 %%%u 4 %u %u 0 0", w->value++, holds, head + 1, after);
    text_add(&w->out, inside);
    add(w, "br v %u 0 1 1 0 0 3 %u 0 0", w->value++, head);
    text_add(&w->out, "B\n");
    w->block = after;
    memory_free(inside);
}

static void branch(struct writer *w, uint32_t depth)
{
    const uint32_t holds = condition(w), first = w->block + 1;
    char *inside = body(w, depth + 1, first);
    const uint32_t after = first + count_blocks(inside);
    add(w, "br v %u 0 1 1 0 1 %%%u 4 %u %u 0 0", w->value++, holds, first, after);
    text_add(&w->out, inside);
    add(w, "br v %u 0 1 1 0 0 3 %u 0 0", w->value++, after);
    text_add(&w->out, "B\n");
    w->block = after;
    memory_free(inside);
}

static void statements(struct writer *w, uint32_t depth)
{
    for (uint32_t n = 1 + pick(w, 2); n > 0; n--) {
        const uint32_t kind = pick(w, 10);
        if (kind < (depth == 0 ? 5u : 1u) && depth < 3)
            loop(w, depth);
        else if (kind == 2 && depth < 3)
            branch(w, depth);
        else
            assignment(w, pick(w, VARIABLES));
    }
}

static char *random_program(uint64_t seed)
{
    struct writer w = {0};
    random_init(&w.random, seed);
    text_init(&w.out);
    text_add(&w.out, "regatta-program 1 32\nfile p.c\nG sink 4 0 0 0 i32\nT 4 int sink\n"
                     "F main 1 0 10 i32 0\nB\n");
    for (uint32_t v = 0; v < VARIABLES; v++) {
        w.width[v] = 8u << pick(&w, 3);
        add(&w, "alloca p %u 0 0 0 %u 1 i32:1 1 4", w.value++, w.width[v] / 8);
    }
    for (uint32_t v = 0; v < VARIABLES; v++) {
        char operand[64];
        snprintf(operand, sizeof operand, "i%u:%" PRIu64, w.width[v], constant(&w, w.width[v]));
        store(&w, v, operand);
    }
    statements(&w, 0);
    for (uint32_t v = 0; v < VARIABLES; v++) {
        const uint32_t x = load(&w, v);
        add(&w, "store i%u %u 0 2 %u 0 2 %%%u @0:0 1 %u", w.width[v], w.value++, v + 1, x,
            w.width[v] / 8);
    }
    add(&w, "ret v %u 0 3 1 0 1 i32:0 0", w.value++);
    text_add(&w.out, "E\n"
                     "F more 1 0 20 i32 1 i32\n"
                     "B\n"
                     "I alloca p 1 0 20 1 4 1 i32:1 1 4\n"
                     "I store i32 2 0 20 1 0 2 %0 %1 1 4\n"
                     "I load i32 3 0 21 1 0 1 %1 1 4\n"
                     "I add i32 4 0 21 1 0 2 %3 i32:2 0\n"
                     "I store i32 5 0 21 1 0 2 %4 %1 1 4\n"
                     "I load i32 6 0 21 1 0 1 %1 1 4\n"
                     "I ret v 7 0 22 1 0 1 %6 0\n"
                     "E\n"
                     "end\n");
    char *made = memory_strdup(text_string(&w.out));
    text_finish(&w.out);
    return made;
}

struct seen {
    uint64_t left[VARIABLES]; // by column of the store
    uint64_t skipped;
};

static program_word give(void *context, const struct instruction *at)
{
    (void)context;
    (void)at;
    return 0;
}

static void fill(void *context, const struct instruction *at, uint32_t time, uint8_t *bytes,
                 uint64_t count)
{
    (void)context;
    (void)at;
    (void)time;
    memset(bytes, 0, count);
}

static void listen(void *context, const struct run_event *event)
{
    struct seen *seen = context;
    if (event->kind == EVENT_ROUNDS)
        seen->skipped += (uint64_t)event->bits;
    if (event->kind == EVENT_STORE && event->instruction->at.line == 2)
        seen->left[event->instruction->at.column - 1] = (uint64_t)event->bits;
}

static struct run_result run(const struct flat *flat, bool single, bool inputs, struct seen *seen)
{
    const struct program_question question = {.property = PROPERTY_CALL, .name = "reach_error"};
    const struct run_source source = {seen, give, fill, listen, false, false, single};
    *seen = (struct seen){0};
    return inputs ? interpret_inputs(flat, &question, &source, MOST_STEPS)
                  : interpret(flat, &question, &source, MOST_STEPS);
}

static uint64_t try_program(uint64_t seed, bool inputs)
{
    char *text = random_program(seed);
    struct messages messages;
    messages_init(&messages);
    struct program *p = program_read(text, strlen(text), "p.c", &messages);
    if (p == NULL) {
        messages_print(&messages, stderr);
        fprintf(stderr, "%s", text);
    }
    assert_non_null(p);
    const struct flat_options options = {
        .stop = "reach_error", .most_depth = 2, .most_instructions = 100000, .plain = true};
    struct flat *flat = flat_create(p, &options, &messages);
    assert_non_null(flat);
    struct seen each, some;
    const struct run_result slow = run(flat, true, inputs, &each),
                            quick = run(flat, false, inputs, &some);
    assert_int_equal(each.skipped, 0);
    if (slow.end != RUN_LIMIT) {
        bool same = quick.end == slow.end && quick.steps <= slow.steps &&
                    memcmp(each.left, some.left, sizeof each.left) == 0;
        if (!same)
            fprintf(stderr,
                    "seed %" PRIu64 ": ends %d and %d, %" PRIu64 " and %" PRIu64 " steps\n%s", seed,
                    (int)slow.end, (int)quick.end, slow.steps, quick.steps, text);
        assert_true(same);
    }
    flat_destroy(flat);
    program_destroy(p);
    messages_finish(&messages);
    memory_free(text);
    return slow.end == RUN_LIMIT ? 0 : some.skipped;
}

static void test_random(void **state)
{
    (void)state;
    const char *many = getenv("ROUNDS_PROGRAMS"), *first = getenv("ROUNDS_SEED");
    const uint64_t count = many != NULL ? strtoull(many, NULL, 10) : 300,
                   start = first != NULL ? strtoull(first, NULL, 10) : 1;
    uint64_t skipping = 0;
    for (uint64_t n = 0; n < count; n++)
        skipping += try_program(start + n, n % 2 == 0) > 0;
    print_message("%" PRIu64 " of %" PRIu64 " programs skip rounds and end within the limit\n",
                  skipping, count);
    assert_true(skipping * 8 > count); // else the programs show nothing
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests_name("rounds", tests, NULL, NULL);
}
