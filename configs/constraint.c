#include "configs/constraint.h"

#include <assert.h>
#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "configs/option_text.h"

enum node_kind {
    NODE_IN, // the option's value is one of a set
    NODE_LT, // … is below, not above, … the only one of the set
    NODE_LE,
    NODE_GT,
    NODE_GE,
    NODE_NOT,
    NODE_AND,
    NODE_OR,
};

struct node {
    enum node_kind kind;
    int option;         // comparisons
    size_t first, past; // their values
    size_t left, right; // others: earlier nodes
};

struct constraint {
    VECTOR(struct node) nodes; // children before parents; the last one is the root
    VECTOR(int64_t) values;
    OPTION_SET options;
    char *text;
};

enum { DEPTH_MOST = 64, WORD_MOST = 128 };

struct reader {
    const char *begin, *next;
    struct constraint *constraint;
    struct position at;
    struct messages *messages;
    unsigned depth;
    bool failed;
};

// Where `place` is.
static struct position position_of(const struct reader *r, const char *place)
{
    struct position at = r->at;
    if (at.column > 0)
        at.column += (unsigned)(place - r->begin);
    return at;
}

static void fail(struct reader *r, const char *expected)
{
    if (r->failed)
        return;
    r->failed = true;
    struct position at = position_of(r, r->next);
    char found[24];
    snprintf(found, sizeof found, "%.*s", (int)strcspn(r->next, " \t\n"), r->next);
    if (at.column > 0)
        message_add(r->messages, MESSAGE_ERROR, at, "found \"%s\", expected %s",
                    *found ? found : "the end", expected);
    else
        message_add(r->messages, MESSAGE_ERROR, at,
                    "\"%s\": found \"%s\" at character %zu, expected %s", r->begin,
                    *found ? found : "the end", (size_t)(r->next - r->begin) + 1, expected);
}

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->next))
        r->next++;
}

static bool accept(struct reader *r, const char *sign)
{
    skip_blanks(r);
    size_t length = strlen(sign);
    if (r->failed || strncmp(r->next, sign, length) != 0)
        return false;
    r->next += length;
    return true;
}

static size_t push(struct reader *r, struct node node)
{
    assert(r->failed || node.kind < NODE_NOT ||
           (node.left < r->constraint->nodes.count && node.right < r->constraint->nodes.count));
    VECTOR_PUSH(&r->constraint->nodes, node);
    return r->constraint->nodes.count - 1;
}

static bool word_character(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_*.:+/", c) != NULL);
}

// A name or a number; "" with an error.
static void read_word(struct reader *r, char word[WORD_MOST], const char *expected)
{
    skip_blanks(r);
    size_t length = *r->next == '-' && isdigit((unsigned char)r->next[1]) ? 1 : 0;
    while (word_character(r->next[length]) ||
           (r->next[length] == '-' && length > 0 && word_character(r->next[length + 1])))
        length++;
    word[0] = '\0';
    if (length == 0 || length >= WORD_MOST) {
        fail(r, expected);
        return;
    }
    memcpy(word, r->next, length);
    word[length] = '\0';
    r->next += length;
}

static void add_value(struct reader *r, int64_t value)
{
    VECTOR_PUSH(&r->constraint->values, value);
}

static void add_named(struct reader *r, enum option option, const char *word, struct position at)
{
    size_t before = r->constraint->values.count;
    if (option_describe(option)->type == OPTION_TYPE_ENUM && strchr(word, '*') != NULL)
        for (int v = 0; v < OPTION_VALUE_COUNT; v++)
            if (option_value_option(v) == option &&
                fnmatch(word, option_value_name(v), FNM_CASEFOLD) == 0)
                add_value(r, v);
    int64_t value;
    if (r->constraint->values.count != before)
        return;
    if (option_read_text(option, word, at, &value, r->messages))
        add_value(r, value);
    else
        r->failed = true;
}

static void read_value(struct reader *r, int option)
{
    char word[WORD_MOST];
    skip_blanks(r);
    struct position at = position_of(r, r->next);
    read_word(r, word, "a value");
    if (r->failed)
        return;
    add_named(r, (enum option)option, word, at);
}

static int read_option(struct reader *r)
{
    char word[WORD_MOST];
    skip_blanks(r);
    struct position at = position_of(r, r->next);
    read_word(r, word, "an option, ! or (");
    if (r->failed)
        return -1;
    int option = option_find(word);
    if (option < 0) {
        option_unknown(word, NULL, 0, at, r->messages);
        r->failed = true;
    }
    return option;
}

static bool is_number(int option)
{
    return option_describe((enum option)option)->type == OPTION_TYPE_NUMBER;
}

static const struct {
    const char *sign;
    enum node_kind kind;
    bool negated;
} comparisons[] = {
    {"==", NODE_IN, false}, {"!=", NODE_IN, true}, {"<=", NODE_LE, false}, {">=", NODE_GE, false},
    {"=", NODE_IN, false},  {"<", NODE_LT, false}, {">", NODE_GT, false},
};

static size_t read_set(struct reader *r, struct node node)
{
    do
        read_value(r, node.option);
    while (accept(r, ","));
    if (!accept(r, "}"))
        fail(r, "\",\" or \"}\"");
    node.past = r->constraint->values.count;
    return push(r, node);
}

static size_t read_comparison(struct reader *r)
{
    int option = read_option(r);
    struct node node = {.kind = NODE_IN, .option = option, .first = r->constraint->values.count};
    if (r->failed)
        return 0;
    r->constraint->options |= OPTION_BIT(option);
    const char *start = r->next;
    if (accept(r, "in") && accept(r, "{"))
        return read_set(r, node);
    r->next = start;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        skip_blanks(r);
        const char *sign = r->next;
        if (!accept(r, comparisons[i].sign))
            continue;
        if (comparisons[i].kind != NODE_IN && !is_number(option)) {
            r->next = sign;
            break;
        }
        node.kind = comparisons[i].kind;
        read_value(r, option);
        node.past = r->constraint->values.count;
        size_t index = push(r, node);
        return comparisons[i].negated ? push(r, (struct node){.kind = NODE_NOT, .left = index})
                                      : index;
    }
    fail(r, is_number(option) ? "= != < <= > >= or \"in {\"" : "= != or \"in {\"");
    return 0;
}

static size_t read_implication(struct reader *r);

static size_t read_not(struct reader *r)
{
    if (r->depth >= DEPTH_MOST)
        fail(r, "less nesting");
    if (r->failed)
        return 0;
    size_t index;
    r->depth++;
    if (accept(r, "!")) {
        index = read_not(r);
        index = push(r, (struct node){.kind = NODE_NOT, .left = index});
    } else if (accept(r, "(")) {
        index = read_implication(r);
        if (!accept(r, ")"))
            fail(r, "\")\"");
    } else {
        index = read_comparison(r);
    }
    r->depth--;
    return index;
}

static size_t read_and(struct reader *r)
{
    size_t left = read_not(r);
    while (accept(r, "&&")) {
        size_t right = read_not(r);
        left = push(r, (struct node){.kind = NODE_AND, .left = left, .right = right});
    }
    return left;
}

static size_t read_or(struct reader *r)
{
    size_t left = read_and(r);
    while (accept(r, "||")) {
        size_t right = read_and(r);
        left = push(r, (struct node){.kind = NODE_OR, .left = left, .right = right});
    }
    return left;
}

static size_t read_implication(struct reader *r)
{
    size_t left = read_or(r);
    if (!accept(r, "->"))
        return left;
    if (r->depth++ >= DEPTH_MOST)
        fail(r, "less nesting");
    size_t right = r->failed ? 0 : read_implication(r);
    r->depth--;
    left = push(r, (struct node){.kind = NODE_NOT, .left = left});
    return push(r, (struct node){.kind = NODE_OR, .left = left, .right = right});
}

struct constraint *constraint_read(const char *text, struct position at, struct messages *messages)
{
    struct constraint *constraint = memory_zalloc(sizeof *constraint);
    constraint->text = memory_strdup(text);
    struct reader r = {text, text, constraint, at, messages, 0, false};
    read_implication(&r);
    skip_blanks(&r);
    if (*r.next)
        fail(&r, "&&, ||, -> or the end");
    assert(r.failed || (constraint->nodes.count > 0 && r.depth == 0));
    if (!r.failed)
        return constraint;
    constraint_destroy(constraint);
    return NULL;
}

void constraint_destroy(struct constraint *constraint)
{
    if (constraint == NULL)
        return;
    VECTOR_FINISH(&constraint->nodes);
    VECTOR_FINISH(&constraint->values);
    memory_free(constraint->text);
    memory_free(constraint);
}

static bool compare(const struct constraint *c, const struct node *node, int64_t value)
{
    const int64_t *values = c->values.data;
    switch (node->kind) {
    case NODE_LT:
        return value < values[node->first];
    case NODE_LE:
        return value <= values[node->first];
    case NODE_GT:
        return value > values[node->first];
    case NODE_GE:
        return value >= values[node->first];
    default:
        for (size_t i = node->first; i < node->past; i++)
            if (values[i] == value)
                return true;
        return false;
    }
}

static enum truth truth_of(const struct constraint *c, size_t index, const int64_t *values,
                           const bool *known)
{
    assert(index < c->nodes.count);
    const struct node *node = &c->nodes.data[index];
    if (node->kind < NODE_NOT) {
        if (known != NULL && !known[node->option])
            return TRUTH_UNKNOWN;
        return compare(c, node, values[node->option]) ? TRUTH_TRUE : TRUTH_FALSE;
    }
    enum truth left = truth_of(c, node->left, values, known);
    if (node->kind == NODE_NOT)
        return left == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : left == TRUTH_FALSE;
    enum truth decides = node->kind == NODE_AND ? TRUTH_FALSE : TRUTH_TRUE;
    if (left == decides)
        return decides;
    enum truth right = truth_of(c, node->right, values, known);
    return right == decides || left != TRUTH_UNKNOWN ? right : TRUTH_UNKNOWN;
}

enum truth constraint_truth(const struct constraint *constraint, const int64_t *values,
                            const bool *known)
{
    return truth_of(constraint, constraint->nodes.count - 1, values, known);
}

OPTION_SET constraint_options(const struct constraint *constraint)
{
    return constraint->options;
}

bool constraint_value(const struct constraint *constraint, int option, size_t i, int64_t *value)
{
    for (size_t n = 0; n < constraint->nodes.count; n++) {
        const struct node *node = &constraint->nodes.data[n];
        if (node->kind >= NODE_NOT || node->option != option)
            continue;
        if (i < node->past - node->first) {
            *value = constraint->values.data[node->first + i];
            return true;
        }
        i -= node->past - node->first;
    }
    return false;
}

const char *constraint_text(const struct constraint *constraint)
{
    return constraint->text;
}
