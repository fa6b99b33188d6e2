#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/vector.h"
#include "configs/plan_inside.h"

// Guards: whole numbers, facts and words, + - *, comparisons, ! && ||, parentheses; as in C. Compiled to
// postfix and run on a small stack.

enum guard_kind {
    GUARD_NUMBER,
    GUARD_FACT,
    GUARD_NOT,
    GUARD_ADD,
    GUARD_SUBTRACT,
    GUARD_MULTIPLY,
    GUARD_LT,
    GUARD_LE,
    GUARD_GT,
    GUARD_GE,
    GUARD_EQ,
    GUARD_NE,
    GUARD_AND,
    GUARD_OR
};

struct guard_op {
    enum guard_kind kind;
    int64_t number; // or fact
};

struct plan_guard {
    VECTOR(struct guard_op) ops;
};

enum { DEPTH_MOST = 64 };

// Reading.

struct guard_reader {
    const char *begin, *next;
    struct plan_guard *guard;
    struct position at;
    struct messages *messages;
    unsigned depth; // of parentheses and nots
    bool failed;
};

static const char *const fact_names[] = {
#define X(name) #name,
    PLAN_FACTS(X) PLAN_PROBES(X)
#undef X
        "xsts",
    "cfa",
    "sts",
    "chc",
    "language",
    "view",
    "property",
};

const char *plan_fact_name(enum plan_fact fact)
{
    return fact_names[fact];
}

int64_t plan_fact_word(const char *word)
{
    return (int64_t)(hash128_add_text(hash128_seed(0x3a6), word).low & 0x7fffffff) | 1;
}

static void fail(struct guard_reader *r, const char *expected)
{
    if (!r->failed)
        message_add(r->messages, MESSAGE_ERROR, r->at,
                    "when: found \"%s\" at character %zu, expected %s",
                    *r->next ? r->next : "the end", (size_t)(r->next - r->begin) + 1, expected);
    r->failed = true;
}

static void emit(struct guard_reader *r, enum guard_kind kind, int64_t number)
{
    struct guard_op op = {kind, number};
    VECTOR_PUSH(&r->guard->ops, op);
}

static void skip_blanks(struct guard_reader *r)
{
    while (isspace((unsigned char)*r->next))
        r->next++;
}

static bool accept(struct guard_reader *r, const char *sign)
{
    skip_blanks(r);
    size_t length = strlen(sign);
    if (r->failed || strncmp(r->next, sign, length) != 0)
        return false;
    r->next += length;
    return true;
}

static void read_fact(struct guard_reader *r)
{
    char word[64];
    size_t length = 0;
    while (isalnum((unsigned char)r->next[length]) || r->next[length] == '_')
        length++;
    snprintf(word, sizeof word, "%.*s", (int)length, r->next);
    for (int fact = 0; fact < FACT_COUNT; fact++)
        if (strcmp(word, fact_names[fact]) == 0) {
            r->next += length;
            emit(r, GUARD_FACT, fact);
            return;
        }
    struct text text;
    text_init(&text);
    text_printf(&text, "when: unknown fact \"%s\"", word);
    config_suggest(&text, word, fact_names, FACT_COUNT);
    message_add(r->messages, MESSAGE_ERROR, r->at, "%s", text_string(&text));
    text_finish(&text);
    r->failed = true;
}

// 'btor2'
static void read_word(struct guard_reader *r)
{
    const char *end = strchr(r->next, '\'');
    if (end == NULL || end == r->next || end - r->next >= 64) {
        fail(r, "a name and \"'\"");
        return;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(end - r->next), r->next);
    r->next = end + 1;
    emit(r, GUARD_NUMBER, plan_fact_word(word));
}

static void read_or(struct guard_reader *r);

static void read_primary(struct guard_reader *r)
{
    skip_blanks(r);
    if (accept(r, "(")) {
        read_or(r);
        if (!accept(r, ")"))
            fail(r, "\")\"");
    } else if (accept(r, "'")) {
        read_word(r);
    } else if (isdigit((unsigned char)*r->next)) {
        char *end;
        long long number = strtoll(r->next, &end, 10);
        if (number > INT32_MAX)
            fail(r, "a number up to 2147483647");
        r->next = end;
        emit(r, GUARD_NUMBER, number);
    } else if (isalpha((unsigned char)*r->next)) {
        read_fact(r);
    } else {
        fail(r, "a number, a fact, a word such as 'xsts' or \"(\"");
    }
}

static void read_unary(struct guard_reader *r)
{
    if (++r->depth > DEPTH_MOST)
        fail(r, "less nesting");
    skip_blanks(r);
    if (r->failed)
        return;
    if (r->next[0] == '!' && r->next[1] != '=') {
        r->next++;
        read_unary(r);
        emit(r, GUARD_NOT, 0);
    } else {
        read_primary(r);
    }
    r->depth--;
}

static void read_product(struct guard_reader *r)
{
    read_unary(r);
    while (accept(r, "*")) {
        read_unary(r);
        emit(r, GUARD_MULTIPLY, 0);
    }
}

static void read_sum(struct guard_reader *r)
{
    read_product(r);
    for (;;) {
        bool add = accept(r, "+");
        if (!add && !accept(r, "-"))
            return;
        read_product(r);
        emit(r, add ? GUARD_ADD : GUARD_SUBTRACT, 0);
    }
}

static void read_comparison(struct guard_reader *r)
{
    static const struct {
        const char *sign;
        enum guard_kind kind;
    } signs[] = {{"<=", GUARD_LE}, {">=", GUARD_GE}, {"==", GUARD_EQ},
                 {"!=", GUARD_NE}, {"<", GUARD_LT},  {">", GUARD_GT}};
    read_sum(r);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (accept(r, signs[i].sign)) {
            read_sum(r);
            emit(r, signs[i].kind, 0);
            return;
        }
}

static void read_and(struct guard_reader *r)
{
    read_comparison(r);
    while (accept(r, "&&")) {
        read_comparison(r);
        emit(r, GUARD_AND, 0);
    }
}

static void read_or(struct guard_reader *r)
{
    read_and(r);
    while (accept(r, "||")) {
        read_and(r);
        emit(r, GUARD_OR, 0);
    }
}

struct plan_guard *plan_guard_read(const char *string, struct position at,
                                   struct messages *messages)
{
    struct plan_guard *guard = memory_zalloc(sizeof *guard);
    struct guard_reader r = {string, string, guard, at, messages, 0, false};
    read_or(&r);
    skip_blanks(&r);
    if (!r.failed && *r.next)
        fail(&r, "an operator or the end");
    if (!r.failed)
        return guard;
    plan_guard_destroy(guard);
    return NULL;
}

void plan_guard_destroy(struct plan_guard *guard)
{
    if (guard == NULL)
        return;
    VECTOR_FINISH(&guard->ops);
    memory_free(guard);
}

bool plan_guard_constant(const struct plan_guard *guard)
{
    for (size_t i = 0; i < guard->ops.count; i++)
        if (guard->ops.data[i].kind == GUARD_FACT)
            return false;
    return true;
}

// Running. Numbers are below 2^32 where they are written, so that double has room for a few products.

static double apply(enum guard_kind kind, double a, double b)
{
    switch (kind) {
    case GUARD_ADD:
        return a + b;
    case GUARD_SUBTRACT:
        return a - b;
    case GUARD_MULTIPLY:
        return a * b;
    case GUARD_LT:
        return a < b;
    case GUARD_LE:
        return a <= b;
    case GUARD_GT:
        return a > b;
    case GUARD_GE:
        return a >= b;
    case GUARD_EQ:
        return a == b;
    case GUARD_NE:
        return a != b;
    case GUARD_AND:
        return a != 0 && b != 0;
    default:
        return a != 0 || b != 0;
    }
}

bool plan_guard_holds(const struct plan_guard *guard, const struct plan_facts *facts)
{
    if (guard == NULL)
        return true;
    // Every operator takes one off the stack that something before put there.
    double *stack = memory_alloc(guard->ops.count * sizeof *stack);
    size_t top = 0;
    for (size_t i = 0; i < guard->ops.count; i++) {
        const struct guard_op *op = &guard->ops.data[i];
        if (op->kind == GUARD_NUMBER)
            stack[top++] = (double)op->number;
        else if (op->kind == GUARD_FACT)
            stack[top++] = (double)facts->values[op->number];
        else if (op->kind == GUARD_NOT)
            stack[top - 1] = stack[top - 1] == 0;
        else {
            assert(top >= 2);
            top--;
            stack[top - 1] = apply(op->kind, stack[top - 1], stack[top]);
        }
    }
    assert(top == 1);
    bool holds = stack[0] != 0;
    memory_free(stack);
    return holds;
}
