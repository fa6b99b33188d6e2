#include "languages/solidity/assembly.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The grammar of Yul, with calls of instructions by name; the older form that works on the stack is refused. Runs are
// over-approximated: any branch may be taken, any loop may be left.

#define MOST_DEPTH 100
#define MOST_FRESH 16
#define MOST_ARGUMENTS 8

enum token_kind { END, WORD, NUMBER, STRING, SIGN };

struct token {
    enum token_kind kind;
    const char *begin;
    size_t length;
};

// A value of the assembly, as far as it matters where it points.
struct operand {
    enum { ANYWHERE, LITERAL, BEHIND_FREE } points; // BEHIND_FREE: where no object of Solidity is
    unsigned long value;                            // of a literal
};

struct reading {
    const struct sol_tree *tree;
    const struct sol_node *node;
    const char *text, *end; // of the whole file; of the assembly
    const char *next;
    struct token token;
    struct token fresh[MOST_FRESH]; // names of pointers behind the free memory pointer
    size_t fresh_count;
    unsigned depth;
    struct token dirt; // the first that may write where Solidity's objects are
    struct sol_assembly *out;
};

// Nothing is read behind it.
static void refuse(struct reading *r, struct token what)
{
    if (r->out->refused[0] == '\0')
        snprintf(r->out->refused, sizeof r->out->refused, "%.*s",
                 what.length == 0   ? 6
                 : what.length < 60 ? (int)what.length
                                    : 60,
                 what.length == 0 ? "no end" : what.begin);
    r->token = (struct token){END, r->end, 0};
    r->next = r->end;
}

static bool refused(const struct reading *r)
{
    return r->out->refused[0] != '\0';
}

// Tokens.

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

static const char *behind_blanks(const char *c, const char *end)
{
    while (c < end) {
        if (isspace((unsigned char)*c)) {
            c++;
        } else if (end - c > 1 && c[0] == '/' && c[1] == '/') {
            while (c < end && *c != '\n')
                c++;
        } else if (end - c > 1 && c[0] == '/' && c[1] == '*') {
            for (c += 2; c < end && !(end - c > 1 && c[0] == '*' && c[1] == '/');)
                c++;
            c = end - c > 1 ? c + 2 : end;
        } else {
            break;
        }
    }
    return c;
}

static const char *behind_string(const char *c, const char *end)
{
    char quote = *c++;
    while (c < end && *c != quote)
        c += *c == '\\' && end - c > 1 ? 2 : 1;
    return c < end ? c + 1 : end;
}

static void advance(struct reading *r)
{
    static const char *const pairs[] = {":=", "=:", "->"};
    const char *c = behind_blanks(r->next, r->end), *begin = c;
    enum token_kind kind = SIGN;
    if (c >= r->end) {
        r->token = (struct token){END, r->end, 0};
        r->next = r->end;
        return;
    }
    if (*c == '"' || *c == '\'') {
        kind = STRING;
        c = behind_string(c, r->end);
    } else if (in_word(*c)) {
        kind = isdigit((unsigned char)*c) ? NUMBER : WORD;
        while (c < r->end && in_word(*c))
            c++;
    } else {
        bool pair = false;
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
            pair |= r->end - c > 1 && strncmp(c, pairs[i], 2) == 0;
        c += pair ? 2 : 1;
    }
    assert(begin < c && c <= r->end);
    r->token = (struct token){kind, begin, (size_t)(c - begin)};
    r->next = c;
}

static bool is(const struct reading *r, const char *word)
{
    return r->token.length == strlen(word) && strncmp(r->token.begin, word, r->token.length) == 0 &&
           r->token.kind != STRING;
}

static bool take(struct reading *r, const char *word)
{
    bool there = is(r, word);
    if (there)
        advance(r);
    return there;
}

static void want(struct reading *r, const char *word)
{
    if (!take(r, word))
        refuse(r, r->token);
}

static bool same(struct token a, struct token b)
{
    return a.length == b.length && strncmp(a.begin, b.begin, a.length) == 0;
}

// Names.

// What the compiler says that a name of the assembly means outside of it; NULL = nothing.
static const struct sol_node *outside(const struct reading *r, struct token name)
{
    assert(name.begin >= r->text && name.begin <= r->end);
    long offset = name.begin - r->text;
    for (size_t i = 0; i + 1 < r->node->order_count; i += 2)
        if (r->node->order[i + 1] == offset)
            return sol_tree_node(r->tree, r->node->order[i]);
    return NULL;
}

static void set_fresh(struct reading *r, struct token name, bool fresh)
{
    size_t i = 0;
    while (i < r->fresh_count && !same(r->fresh[i], name))
        i++;
    if (!fresh && i < r->fresh_count)
        r->fresh[i] = r->fresh[--r->fresh_count];
    else if (fresh && i == r->fresh_count && i < MOST_FRESH)
        r->fresh[r->fresh_count++] = name;
    assert(r->fresh_count <= MOST_FRESH);
}

static bool is_fresh(const struct reading *r, struct token name)
{
    for (size_t i = 0; i < r->fresh_count; i++)
        if (same(r->fresh[i], name))
            return true;
    return false;
}

static void assign_outside(struct reading *r, struct token name, const struct sol_node *variable)
{
    struct sol_assembly *out = r->out;
    bool whole = strlen(variable->name) == name.length &&
                 strncmp(variable->name, name.begin, name.length) == 0;
    if (!whole || variable->kind != SOL_VARIABLE || (variable->flags & SOL_IS_STATE)) {
        refuse(r, name); // p.slot := …
        return;
    }
    for (size_t i = 0; i < out->assigned_count; i++)
        if (out->assigned[i] == variable)
            return;
    if (out->assigned_count == SOL_MOST_ASSIGNED)
        refuse(r, name);
    else
        out->assigned[out->assigned_count++] = variable;
    assert(out->assigned_count <= SOL_MOST_ASSIGNED);
}

// Expressions.

static struct operand expression(struct reading *r);

static const struct instruction {
    const char *name;
    signed char destination, size; // arguments that say where it writes memory; -1 = it does not
    unsigned char bytes;           // when no argument says how many
} INSTRUCTIONS[] = {
    {"add", -1, -1, 0},          {"sub", -1, -1, 0},
    {"mul", -1, -1, 0},          {"div", -1, -1, 0},
    {"sdiv", -1, -1, 0},         {"mod", -1, -1, 0},
    {"smod", -1, -1, 0},         {"exp", -1, -1, 0},
    {"not", -1, -1, 0},          {"lt", -1, -1, 0},
    {"gt", -1, -1, 0},           {"slt", -1, -1, 0},
    {"sgt", -1, -1, 0},          {"eq", -1, -1, 0},
    {"iszero", -1, -1, 0},       {"and", -1, -1, 0},
    {"or", -1, -1, 0},           {"xor", -1, -1, 0},
    {"byte", -1, -1, 0},         {"shl", -1, -1, 0},
    {"shr", -1, -1, 0},          {"sar", -1, -1, 0},
    {"addmod", -1, -1, 0},       {"mulmod", -1, -1, 0},
    {"signextend", -1, -1, 0},   {"keccak256", -1, -1, 0},
    {"sha3", -1, -1, 0},         {"pop", -1, -1, 0},
    {"mload", -1, -1, 0},        {"sload", -1, -1, 0},
    {"sstore", -1, -1, 0},       {"tload", -1, -1, 0},
    {"tstore", -1, -1, 0},       {"msize", -1, -1, 0},
    {"gas", -1, -1, 0},          {"address", -1, -1, 0},
    {"balance", -1, -1, 0},      {"selfbalance", -1, -1, 0},
    {"caller", -1, -1, 0},       {"callvalue", -1, -1, 0},
    {"calldataload", -1, -1, 0}, {"calldatasize", -1, -1, 0},
    {"codesize", -1, -1, 0},     {"extcodesize", -1, -1, 0},
    {"extcodehash", -1, -1, 0},  {"returndatasize", -1, -1, 0},
    {"blockhash", -1, -1, 0},    {"coinbase", -1, -1, 0},
    {"timestamp", -1, -1, 0},    {"number", -1, -1, 0},
    {"difficulty", -1, -1, 0},   {"prevrandao", -1, -1, 0},
    {"gaslimit", -1, -1, 0},     {"chainid", -1, -1, 0},
    {"basefee", -1, -1, 0},      {"blobbasefee", -1, -1, 0},
    {"blobhash", -1, -1, 0},     {"origin", -1, -1, 0},
    {"gasprice", -1, -1, 0},     {"log0", -1, -1, 0},
    {"log1", -1, -1, 0},         {"log2", -1, -1, 0},
    {"log3", -1, -1, 0},         {"log4", -1, -1, 0},
    {"revert", -1, -1, 0},       {"invalid", -1, -1, 0},
    {"mstore", 0, -1, 32},       {"mstore8", 0, -1, 1},
    {"calldatacopy", 0, 2, 0},   {"codecopy", 0, 2, 0},
    {"returndatacopy", 0, 2, 0}, {"extcodecopy", 1, 3, 0},
    {"mcopy", 0, 2, 0},          {"staticcall", 4, 5, 0},
};

static const struct instruction *instruction_of(struct token name)
{
    for (size_t i = 0; i < sizeof INSTRUCTIONS / sizeof INSTRUCTIONS[0]; i++)
        if (strlen(INSTRUCTIONS[i].name) == name.length &&
            strncmp(INSTRUCTIONS[i].name, name.begin, name.length) == 0)
            return &INSTRUCTIONS[i];
    return NULL;
}

static bool is_clean(struct operand to, unsigned long bytes, bool known)
{
    return to.points == BEHIND_FREE || (known && bytes == 0) ||
           (known && to.points == LITERAL && to.value <= 64 && bytes <= 64 - to.value);
}

static struct operand call(struct reading *r, struct token name)
{
    const struct instruction *instruction = instruction_of(name);
    struct operand arguments[MOST_ARGUMENTS] = {0}, result = {ANYWHERE, 0};
    size_t count = 0;
    want(r, "(");
    while (!refused(r) && !is(r, ")") && count < MOST_ARGUMENTS) {
        arguments[count++] = expression(r);
        if (!is(r, ")"))
            want(r, ",");
    }
    want(r, ")");
    if (refused(r))
        return result;
    if (instruction == NULL) {
        refuse(r, name);
        return result;
    }
    if (strcmp(instruction->name, "sstore") == 0)
        r->out->stores = true;
    if (instruction->destination >= 0) {
        bool known = instruction->size < 0 || arguments[instruction->size].points == LITERAL;
        unsigned long bytes =
            instruction->size < 0 ? instruction->bytes : arguments[instruction->size].value;
        if (!is_clean(arguments[instruction->destination], bytes, known) && r->dirt.length == 0)
            r->dirt = name;
    }
    bool pointer = strcmp(instruction->name, "mload") == 0 && arguments[0].points == LITERAL &&
                   arguments[0].value == 64;
    bool moved = strcmp(instruction->name, "add") == 0 &&
                 ((arguments[0].points == BEHIND_FREE && arguments[1].points == LITERAL &&
                   arguments[1].value < 1UL << 32) ||
                  (arguments[1].points == BEHIND_FREE && arguments[0].points == LITERAL &&
                   arguments[0].value < 1UL << 32));
    if (pointer || moved)
        result.points = BEHIND_FREE;
    return result;
}

static struct operand expression(struct reading *r)
{
    struct token first = r->token;
    struct operand result = {ANYWHERE, 0};
    if (++r->depth > MOST_DEPTH ||
        (first.kind != WORD && first.kind != NUMBER && first.kind != STRING)) {
        refuse(r, first);
    } else if (first.kind == NUMBER) {
        // Too large a number is the largest.
        result = (struct operand){LITERAL, strtoul(first.begin, NULL, 0)};
        advance(r);
    } else if (first.kind == STRING) {
        advance(r);
    } else {
        advance(r);
        if (is(r, "("))
            result = call(r, first);
        else if (r->token.kind == STRING) // hex"…"
            advance(r);
        else if (is_fresh(r, first))
            result.points = BEHIND_FREE;
    }
    r->depth--;
    return result;
}

// Statements: can a run come out at the end?

static bool block(struct reading *r);

static bool assignment(struct reading *r, struct token first, bool made)
{
    struct token names[MOST_ARGUMENTS] = {first};
    size_t count = 1;
    while (!refused(r) && take(r, ",")) {
        if (count == MOST_ARGUMENTS || r->token.kind != WORD) {
            refuse(r, r->token);
            return true;
        }
        names[count++] = r->token;
        advance(r);
    }
    struct operand value = {ANYWHERE, 0};
    if (!made || is(r, ":=")) {
        want(r, ":=");
        value = expression(r);
    }
    for (size_t i = 0; i < count && !refused(r); i++) {
        const struct sol_node *variable = outside(r, names[i]);
        if (variable != NULL)
            assign_outside(r, names[i], variable);
        else
            set_fresh(r, names[i], made && count == 1 && value.points == BEHIND_FREE);
    }
    return true;
}

static bool choice(struct reading *r)
{
    bool falls = false, whole = false;
    expression(r);
    while (!refused(r) && !whole && (is(r, "case") || is(r, "default"))) {
        whole = is(r, "default");
        advance(r);
        if (!whole)
            expression(r);
        falls |= block(r);
    }
    return falls || !whole;
}

static bool loop(struct reading *r)
{
    // What a round assigns is there in the next: no pointer survives it.
    r->fresh_count = 0;
    block(r);
    r->fresh_count = 0;
    expression(r);
    block(r); // the step stands before the body
    r->fresh_count = 0;
    block(r);
    r->fresh_count = 0;
    return true;
}

static bool statement(struct reading *r)
{
    struct token first = r->token;
    if (is(r, "{"))
        return block(r);
    if (first.kind != WORD) {
        refuse(r, first);
        return true;
    }
    advance(r);
    if (same(first, (struct token){WORD, "let", 3})) {
        first = r->token;
        if (first.kind != WORD)
            refuse(r, first);
        advance(r);
        return assignment(r, first, true);
    }
    if (same(first, (struct token){WORD, "if", 2})) {
        expression(r);
        block(r);
        return true;
    }
    if (same(first, (struct token){WORD, "switch", 6}))
        return choice(r);
    if (same(first, (struct token){WORD, "for", 3}))
        return loop(r);
    if (same(first, (struct token){WORD, "break", 5}) ||
        same(first, (struct token){WORD, "continue", 8}))
        return false; // to where the loop is left
    if (is(r, "(")) {
        call(r, first);
        return !same(first, (struct token){WORD, "revert", 6}) &&
               !same(first, (struct token){WORD, "invalid", 7});
    }
    if (is(r, ":=") || is(r, ","))
        return assignment(r, first, false);
    refuse(r, first);
    return true;
}

static bool block(struct reading *r)
{
    bool falls = true;
    want(r, "{");
    if (++r->depth > MOST_DEPTH)
        refuse(r, r->token);
    while (!refused(r) && !is(r, "}") && r->token.kind != END)
        falls &= statement(r);
    want(r, "}");
    r->depth--;
    return falls;
}

// { x := extcodesize(y) }; older compilers count what stands behind the assembly among it.
static void find_code_size(struct reading *r, const char *begin)
{
    struct token words[8];
    size_t count = 0;
    r->next = begin;
    for (advance(r); r->token.kind != END && count < 8; advance(r))
        words[count++] = r->token;
    if (count != 8 || !same(words[7], (struct token){SIGN, "}", 1}) ||
        !same(words[2], (struct token){SIGN, ":=", 2}) ||
        !same(words[3], (struct token){WORD, "extcodesize", 11}) || r->out->assigned_count != 1)
        return;
    const struct sol_node *account = outside(r, words[5]);
    if (account != NULL && account->kind == SOL_VARIABLE && !(account->flags & SOL_IS_STATE) &&
        strlen(account->name) == words[5].length) {
        r->out->form = SOL_ASSEMBLY_CODE_SIZE;
        r->out->account = account;
    }
}

void sol_assembly_read(const struct sol_tree *tree, const struct sol_node *node,
                       struct sol_assembly *out)
{
    *out = (struct sol_assembly){0};
    struct reading r = {.tree = tree, .node = node, .out = out};
    const struct sol_file *file = node->file < tree->file_count ? &tree->files[node->file] : NULL;
    if (file == NULL || file->text == NULL || node->start > file->bytes ||
        node->length > file->bytes - node->start) {
        snprintf(out->refused, sizeof out->refused, "no text");
        return;
    }
    r.text = file->text;
    r.next = file->text + node->start;
    r.end = r.next + node->length;
    do // "assembly", what kind of it, and whether it says that it is clean
        advance(&r);
    while (r.token.kind != END && !is(&r, "{"));
    const char *begin = r.token.begin;
    bool falls = block(&r);
    if (!refused(&r) && falls && r.dirt.length > 0)
        refuse(&r, r.dirt);
    if (refused(&r))
        return;
    out->form = falls ? SOL_ASSEMBLY_ANY : SOL_ASSEMBLY_REVERTS;
    if (falls)
        find_code_size(&r, begin);
}
