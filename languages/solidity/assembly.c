#include "languages/solidity/assembly.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "languages/text/lexer.h"

// The grammar of Yul, with calls of instructions by name; the older form that works on the stack is refused. Runs are
// over-approximated: any branch may be taken, any loop may be left.

#define MOST_DEPTH 100
#define MOST_FRESH 16
#define MOST_ARGUMENTS 8

enum {
    T_STRING = TOKEN_OWN,
    T_BREAK,
    T_CASE,
    T_CONTINUE,
    T_DEFAULT,
    T_FOR,
    T_IF,
    T_LET,
    T_SWITCH,
    T_ASSIGN,
    T_COMMA,
    T_LEFT_BRACE,
    T_LEFT_PARENTHESIS,
    T_RIGHT_BRACE,
    T_RIGHT_PARENTHESIS,
    T_OTHER,
};

static const struct token_spelling KEYWORDS[] = {
    {"break", T_BREAK},     {"case", T_CASE},     {"continue", T_CONTINUE},
    {"default", T_DEFAULT}, {"for", T_FOR},       {"if", T_IF},
    {"let", T_LET},         {"switch", T_SWITCH}, {NULL, 0},
};

static const struct token_spelling PUNCTUATION[] = {
    {":=", T_ASSIGN},
    {",", T_COMMA},
    {"{", T_LEFT_BRACE},
    {"(", T_LEFT_PARENTHESIS},
    {"}", T_RIGHT_BRACE},
    {")", T_RIGHT_PARENTHESIS},
    {NULL, 0},
};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

// Strings, numbers (0x40 is one), and whatever has no place in the grammar, for the reader to refuse.
static size_t special(const char *text, size_t left, int *kind)
{
    size_t length = 1;
    if (text[0] == '"' || text[0] == '\'') {
        while (length < left && text[length] != text[0])
            length += text[length] == '\\' && left - length > 1 ? 2 : 1;
        *kind = T_STRING;
        return length < left ? length + 1 : left;
    }
    if (isdigit((unsigned char)text[0])) {
        while (length < left && in_word(text[length]))
            length++;
        *kind = TOKEN_NUMBER;
        return length;
    }
    bool spelled = in_word(text[0]) || (text[0] == ':' && left > 1 && text[1] == '=');
    for (const struct token_spelling *p = PUNCTUATION + 1; p->text != NULL && !spelled; p++)
        spelled = p->text[0] == text[0];
    *kind = T_OTHER;
    if (left > 1 && (strncmp(text, "=:", 2) == 0 || strncmp(text, "->", 2) == 0))
        length = 2; // of the form that works on the stack
    return spelled ? 0 : length;
}

static const struct lexer_language YUL = {
    .keywords = KEYWORDS,
    .punctuation = PUNCTUATION,
    .name_start = "_$.",
    .name_part = "_$.",
    .special = special,
};

// A value of the assembly, as far as it matters where it points.
struct operand {
    enum { ANYWHERE, LITERAL, BEHIND_FREE } points; // BEHIND_FREE: where no object of Solidity is
    unsigned long value;                            // of a literal
};

struct reading {
    const struct sol_tree *tree;
    const struct sol_node *node;
    const char *text; // of the whole file
    struct lexer lexer;
    const struct token *fresh[MOST_FRESH]; // names of pointers behind the free memory pointer
    size_t fresh_count;
    unsigned depth;
    const struct token *dirt; // the first that may write where Solidity's objects are
    struct sol_assembly *out;
};

// Nothing is read behind it.
static void refuse(struct reading *r, const struct token *what)
{
    if (r->out->refused[0] == '\0')
        snprintf(r->out->refused, sizeof r->out->refused, "%.*s",
                 what->length == 0   ? 6
                 : what->length < 60 ? (int)what->length
                                     : 60,
                 what->length == 0 ? "no end" : what->text);
    r->lexer.at = r->lexer.count - 1;
}

static bool refused(const struct reading *r)
{
    return r->out->refused[0] != '\0';
}

static bool is(const struct reading *r, int kind)
{
    return lexer_at(&r->lexer, kind);
}

static void want(struct reading *r, int kind)
{
    if (lexer_accept(&r->lexer, kind) == NULL)
        refuse(r, lexer_token(&r->lexer));
}

static bool same(const struct token *a, const struct token *b)
{
    return a->length == b->length && strncmp(a->text, b->text, a->length) == 0;
}

// Names.

// What the compiler says that a name of the assembly means outside of it; NULL = nothing.
static const struct sol_node *outside(const struct reading *r, const struct token *name)
{
    assert(name->text >= r->text);
    long offset = name->text - r->text;
    for (size_t i = 0; i + 1 < r->node->order_count; i += 2)
        if (r->node->order[i + 1] == offset)
            return sol_tree_node(r->tree, r->node->order[i]);
    return NULL;
}

static void set_fresh(struct reading *r, const struct token *name, bool fresh)
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

static bool is_fresh(const struct reading *r, const struct token *name)
{
    for (size_t i = 0; i < r->fresh_count; i++)
        if (same(r->fresh[i], name))
            return true;
    return false;
}

static void assign_outside(struct reading *r, const struct token *name,
                           const struct sol_node *variable)
{
    struct sol_assembly *out = r->out;
    if (!token_is(name, variable->name) || variable->kind != SOL_VARIABLE ||
        (variable->flags & SOL_IS_STATE)) {
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

static const struct instruction *instruction_of(const struct token *name)
{
    for (size_t i = 0; i < sizeof INSTRUCTIONS / sizeof INSTRUCTIONS[0]; i++)
        if (token_is(name, INSTRUCTIONS[i].name))
            return &INSTRUCTIONS[i];
    return NULL;
}

static bool is_clean(struct operand to, unsigned long bytes, bool known)
{
    return to.points == BEHIND_FREE || (known && bytes == 0) ||
           (known && to.points == LITERAL && to.value <= 64 && bytes <= 64 - to.value);
}

static struct operand call(struct reading *r, const struct token *name)
{
    const struct instruction *instruction = instruction_of(name);
    struct operand arguments[MOST_ARGUMENTS] = {0}, result = {ANYWHERE, 0};
    size_t count = 0;
    want(r, T_LEFT_PARENTHESIS);
    while (!refused(r) && !is(r, T_RIGHT_PARENTHESIS) && count < MOST_ARGUMENTS) {
        arguments[count++] = expression(r);
        if (!is(r, T_RIGHT_PARENTHESIS))
            want(r, T_COMMA);
    }
    want(r, T_RIGHT_PARENTHESIS);
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
        if (!is_clean(arguments[instruction->destination], bytes, known) && r->dirt == NULL)
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
    const struct token *first = lexer_next(&r->lexer);
    struct operand result = {ANYWHERE, 0};
    if (++r->depth > MOST_DEPTH ||
        (first->kind != TOKEN_NAME && first->kind != TOKEN_NUMBER && first->kind != T_STRING)) {
        refuse(r, first);
    } else if (first->kind == TOKEN_NUMBER) {
        // Too large a number is the largest.
        result = (struct operand){LITERAL, strtoul(first->text, NULL, 0)};
    } else if (first->kind == TOKEN_NAME) {
        if (is(r, T_LEFT_PARENTHESIS))
            result = call(r, first);
        else if (lexer_accept(&r->lexer, T_STRING) == NULL && is_fresh(r, first)) // hex"…"
            result.points = BEHIND_FREE;
    }
    r->depth--;
    return result;
}

// Statements: can a run come out at the end?

static bool block(struct reading *r);

static bool assignment(struct reading *r, const struct token *first, bool made)
{
    const struct token *names[MOST_ARGUMENTS] = {first};
    size_t count = 1;
    while (!refused(r) && lexer_accept(&r->lexer, T_COMMA) != NULL) {
        if (count == MOST_ARGUMENTS || !is(r, TOKEN_NAME)) {
            refuse(r, lexer_token(&r->lexer));
            return true;
        }
        names[count++] = lexer_next(&r->lexer);
    }
    struct operand value = {ANYWHERE, 0};
    if (!made || is(r, T_ASSIGN)) {
        want(r, T_ASSIGN);
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
    while (!refused(r) && !whole && (is(r, T_CASE) || is(r, T_DEFAULT))) {
        whole = lexer_next(&r->lexer)->kind == T_DEFAULT;
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

static bool made(struct reading *r)
{
    const struct token *first = lexer_next(&r->lexer);
    if (first->kind != TOKEN_NAME)
        refuse(r, first);
    return assignment(r, first, true);
}

static bool named(struct reading *r, const struct token *first)
{
    if (is(r, T_LEFT_PARENTHESIS)) {
        call(r, first);
        return !token_is(first, "revert") && !token_is(first, "invalid");
    }
    if (is(r, T_ASSIGN) || is(r, T_COMMA))
        return assignment(r, first, false);
    refuse(r, first);
    return true;
}

static bool statement(struct reading *r)
{
    if (is(r, T_LEFT_BRACE))
        return block(r);
    const struct token *first = lexer_next(&r->lexer);
    switch (first->kind) {
    case T_LET:
        return made(r);
    case T_IF:
        expression(r);
        block(r);
        return true;
    case T_SWITCH:
        return choice(r);
    case T_FOR:
        return loop(r);
    case T_BREAK:
    case T_CONTINUE:
        return false; // to where the loop is left
    case TOKEN_NAME:
        return named(r, first);
    default:
        refuse(r, first);
        return true;
    }
}

static bool block(struct reading *r)
{
    bool falls = true;
    want(r, T_LEFT_BRACE);
    if (++r->depth > MOST_DEPTH)
        refuse(r, lexer_token(&r->lexer));
    while (!refused(r) && !is(r, T_RIGHT_BRACE) && !is(r, TOKEN_END))
        falls &= statement(r);
    want(r, T_RIGHT_BRACE);
    r->depth--;
    return falls;
}

// { x := extcodesize(y) }, where `words` begin; older compilers count what stands behind the assembly among it.
static void find_code_size(struct reading *r, const struct token *words, size_t count)
{
    if (count < 8 || words[7].kind != T_RIGHT_BRACE || words[2].kind != T_ASSIGN ||
        !token_is(&words[3], "extcodesize") || r->out->assigned_count != 1)
        return;
    const struct sol_node *account = outside(r, &words[5]);
    if (account != NULL && account->kind == SOL_VARIABLE && !(account->flags & SOL_IS_STATE) &&
        strlen(account->name) == words[5].length) {
        r->out->form = SOL_ASSEMBLY_CODE_SIZE;
        r->out->account = account;
    }
}

static void read_all(struct reading *r)
{
    static const int BEGIN[] = {T_LEFT_BRACE};
    lexer_next(&r->lexer); // "assembly", what kind of it, and whether it says that it is clean
    lexer_skip_to(&r->lexer, BEGIN, 1, false);
    size_t begin = r->lexer.at;
    bool falls = block(r);
    if (!refused(r) && falls && r->dirt != NULL)
        refuse(r, r->dirt);
    if (refused(r))
        return;
    r->out->form = falls ? SOL_ASSEMBLY_ANY : SOL_ASSEMBLY_REVERTS;
    if (falls)
        find_code_size(r, r->lexer.tokens + begin, r->lexer.count - 1 - begin);
}

void sol_assembly_read(const struct sol_tree *tree, const struct sol_node *node,
                       struct sol_assembly *out)
{
    *out = (struct sol_assembly){0};
    const struct sol_file *file = node->file < tree->file_count ? &tree->files[node->file] : NULL;
    if (file == NULL || file->text == NULL || node->start > file->bytes ||
        node->length > file->bytes - node->start) {
        snprintf(out->refused, sizeof out->refused, "no text");
        return;
    }
    struct reading r = {.tree = tree, .node = node, .text = file->text, .out = out};
    struct messages messages; // a comment without an end: then there is no end of the block either
    messages_init(&messages);
    lexer_init(&r.lexer, &YUL, NULL, file->text + node->start, node->length, &messages);
    read_all(&r);
    lexer_finish(&r.lexer);
    messages_finish(&messages);
}
