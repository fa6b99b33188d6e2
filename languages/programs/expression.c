#include "languages/programs/expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define DEEPEST 100

// A value with its C type. Truth values are i1 until they are calculated with.
struct number {
    struct operand operand;
    uint32_t bits;
    bool is_unsigned;
};

struct parser {
    const struct expression_place *place;
    struct block *block;
    const char *at;
    struct position where;
    struct messages *messages;
    unsigned depth;
    bool failed;
};

struct operand program_number(uint32_t bits, uint64_t value)
{
    return (struct operand){.kind = OPERAND_CONSTANT,
                            .type = {PROGRAM_INTEGER, bits},
                            .bits = bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1)};
}

struct operand program_emit(const struct expression_place *place, struct block *block,
                            enum opcode op, struct program_type type,
                            const struct operand *operands, uint32_t count)
{
    struct arena *arena = &place->program->arena;
    struct instruction i = {.op = op, .type = type, .at = place->at, .operand_count = count};
    i.result = place->function->value_count++;
    i.operands = arena_alloc(arena, (count + 1) * sizeof *i.operands);
    i.numbers = arena_alloc(arena, (count + 1) * sizeof *i.numbers);
    if (count > 0)
        memcpy(i.operands, operands, count * sizeof *operands);
    memset(i.numbers, 0, (count + 1) * sizeof *i.numbers);
    if (op == OP_LOAD) {
        i.number_count = 1;
        i.numbers[0] = (type.bits + 7) / 8;
    } else if (op == OP_STORE) {
        i.number_count = 1;
        i.numbers[0] = (operands[0].type.bits + 7) / 8;
    } else if (op == OP_CALL) {
        i.number_count = count - 1;
    }
    struct {
        struct instruction *data;
        size_t count, capacity;
    } list = {block->instructions, block->count, block->capacity};
    VECTOR_PUSH(&list, i);
    *block = (struct block){list.data, list.count, list.capacity};
    return (struct operand){.kind = OPERAND_VALUE, .type = type, .number = i.result};
}

static struct number fail(struct parser *p, const char *what)
{
    if (!p->failed)
        message_add(p->messages, MESSAGE_UNSUPPORTED, p->where,
                    "in an expression of a witness: %s at `%.30s`", what, p->at);
    p->failed = true;
    return (struct number){program_number(32, 0), 32, false};
}

static struct number emit(struct parser *p, enum opcode op, uint32_t bits, bool is_unsigned,
                          const struct operand *operands, uint32_t count)
{
    struct program_type type = {PROGRAM_INTEGER, bits};
    return (struct number){program_emit(p->place, p->block, op, type, operands, count), bits,
                           is_unsigned};
}

static struct number compare(struct parser *p, enum program_comparison how, struct operand a,
                             struct operand b)
{
    struct number n = emit(p, OP_ICMP, 1, true, (struct operand[]){a, b}, 2);
    p->block->instructions[p->block->count - 1].extra = how;
    return n;
}

static struct number convert(struct parser *p, struct number n, uint32_t bits, bool is_unsigned)
{
    if (n.bits < bits)
        n = emit(p, n.is_unsigned ? OP_ZEXT : OP_SEXT, bits, is_unsigned, &n.operand, 1);
    else if (n.bits > bits)
        n = emit(p, OP_TRUNC, bits, is_unsigned, &n.operand, 1);
    n.is_unsigned = is_unsigned;
    return n;
}

static struct number promote(struct parser *p, struct number n)
{
    return n.bits < 32 ? convert(p, n, 32, false) : n;
}

static struct number truth(struct parser *p, struct number n)
{
    return n.bits == 1 ? n : compare(p, COMPARE_NE, n.operand, program_number(n.bits, 0));
}

// Both get the type that C calculates in.
static void balance(struct parser *p, struct number *a, struct number *b)
{
    *a = promote(p, *a);
    *b = promote(p, *b);
    uint32_t bits = a->bits > b->bits ? a->bits : b->bits;
    bool is_unsigned = (a->bits == bits && a->is_unsigned) || (b->bits == bits && b->is_unsigned);
    *a = convert(p, *a, bits, is_unsigned);
    *b = convert(p, *b, bits, is_unsigned);
}

// Words.

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

// An operator that is not the beginning of a longer one.
static bool take(struct parser *p, const char *operator)
{
    blanks(p);
    size_t length = strlen(operator);
    if (strncmp(p->at, operator, length) != 0)
        return false;
    char next = p->at[length];
    bool single = length == 1 && strchr("&|<>=!", *operator) != NULL;
    if (single && (next == *operator||(next == '=' && strchr("<>!=", *operator) != NULL)))
        return false;
    if (single && next == '=')
        return false;
    if ((*operator== '<' || * operator== '>') && length == 1 && next == *operator)
        return false;
    p->at += length;
    return true;
}

static size_t word_length(struct parser *p)
{
    blanks(p);
    size_t length = 0;
    while (in_word(p->at[length]) && (length > 0 || !isdigit((unsigned char)p->at[0])))
        length++;
    return length;
}

// Types.

struct type_words {
    unsigned longs, count;
    bool is_short, is_char, is_unsigned, is_signed, is_bool, is_wide, is_int;
};

static bool add_type_word(struct type_words *t, const char *word, size_t length)
{
    static const char *const words[] = {"int",  "unsigned", "signed", "long",     "short",
                                        "char", "_Bool",    "bool",   "__int128", NULL};
    size_t i = 0;
    while (words[i] != NULL && (strlen(words[i]) != length || memcmp(words[i], word, length) != 0))
        i++;
    t->count++;
    t->is_int |= i == 0;
    t->is_unsigned |= i == 1;
    t->is_signed |= i == 2;
    t->longs += i == 3;
    t->is_short |= i == 4;
    t->is_char |= i == 5;
    t->is_bool |= i == 6 || i == 7;
    t->is_wide |= i == 8;
    return words[i] != NULL;
}

static uint32_t type_bits(const struct type_words *t, uint32_t pointer_bits)
{
    return t->is_bool      ? 1
           : t->is_wide    ? 128
           : t->is_char    ? 8
           : t->is_short   ? 16
           : t->longs >= 2 ? 64
           : t->longs == 1 ? pointer_bits
                           : 32;
}

static bool read_type(const char *text, uint32_t pointer_bits, uint32_t *bits, bool *is_unsigned)
{
    struct type_words t = {0};
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (length > 0 && !add_type_word(&t, text, length))
            return false;
        text += length + (text[length] == ' ');
    }
    *bits = type_bits(&t, pointer_bits);
    *is_unsigned = t.is_unsigned || t.is_bool;
    return t.count > 0;
}

// Behind an open parenthesis: a type and its end. False, and nothing is taken, when it is none.
static bool take_type(struct parser *p, uint32_t *bits, bool *is_unsigned)
{
    const char *before = p->at;
    struct type_words t = {0};
    for (size_t length; (length = word_length(p)) > 0; p->at += length) {
        if (!add_type_word(&t, p->at, length))
            break;
    }
    blanks(p);
    if (t.count == 0 || *p->at != ')') {
        p->at = before;
        return false;
    }
    p->at++;
    *bits = type_bits(&t, p->place->program->pointer_bits);
    *is_unsigned = t.is_unsigned || t.is_bool;
    return true;
}

// Variables.

static bool in_scope(const struct expression_place *place, const struct program_name *name,
                     size_t *start)
{
    *start = 0;
    if (name->scope_line == 0)
        return true;
    *start = source_offset(place->source, name->scope_line, name->scope_column);
    if (*start == SOURCE_NOWHERE || *start >= place->offset)
        return false;
    size_t end = source_scope_end(place->source, *start);
    return end != SOURCE_NOWHERE && end >= place->offset;
}

static const struct program_name *find_local(const struct expression_place *place, const char *name,
                                             size_t length)
{
    const struct program_name *best = NULL;
    size_t best_start = 0, start;
    for (size_t i = 0; i < place->function->name_count; i++) {
        const struct program_name *n = &place->function->names[i];
        bool same = strlen(n->name) == length && memcmp(n->name, name, length) == 0;
        if (!same || !in_scope(place, n, &start) || (best != NULL && start < best_start))
            continue;
        best = n;
        best_start = start;
    }
    return best;
}

static struct number load(struct parser *p, struct operand address, const char *type_name)
{
    uint32_t bits;
    bool is_unsigned;
    if (type_name == NULL ||
        !read_type(type_name, p->place->program->pointer_bits, &bits, &is_unsigned))
        return fail(p, "a variable whose type is no integer");
    // A truth value fills a byte.
    struct number n = emit(p, OP_LOAD, bits == 1 ? 8 : bits, is_unsigned, &address, 1);
    return bits == 1 ? truth(p, n) : n;
}

static struct number variable(struct parser *p, const char *name, size_t length)
{
    const struct program *program = p->place->program;
    const struct program_name *local = find_local(p->place, name, length);
    struct operand address = {.kind = OPERAND_VALUE,
                              .type = {PROGRAM_POINTER, program->pointer_bits}};
    if (local != NULL) {
        address.number = local->value;
        return load(p, address, local->type);
    }
    for (size_t g = 0; g < program->global_count; g++) {
        const char *known = program->globals[g].source_name;
        if (known == NULL || strcmp(known, program->globals[g].name) != 0 ||
            strlen(known) != length || memcmp(known, name, length) != 0)
            continue;
        address.kind = OPERAND_ADDRESS;
        address.number = (uint32_t)g;
        return load(p, address, program->globals[g].type_name);
    }
    return fail(p, "a name that is no variable there");
}

// Grammar.

static struct number conditional(struct parser *p);

static struct number constant(struct parser *p)
{
    char *end;
    unsigned long long value = strtoull(p->at, &end, 0);
    uint32_t long_bits = p->place->program->pointer_bits, bits = 32;
    bool is_unsigned = false;
    bool decimal = *p->at != '0';
    unsigned longs = 0;
    for (; strchr("uUlL", *end) != NULL && *end != '\0'; end++) {
        is_unsigned |= *end == 'u' || *end == 'U';
        longs += *end == 'l' || *end == 'L';
    }
    if (in_word(*end) || *end == '.')
        return fail(p, "a constant that is no integer");
    bits = longs >= 2 ? 64 : longs == 1 ? long_bits : 32;
    if (bits == 32 && value > (is_unsigned || !decimal ? UINT32_MAX : INT32_MAX))
        bits = 64;
    if (!is_unsigned && !decimal)
        is_unsigned = value > (bits == 32 ? INT32_MAX : INT64_MAX);
    p->at = end;
    return (struct number){program_number(bits, value), bits, is_unsigned};
}

static struct number character(struct parser *p)
{
    if (p->at[1] == '\0' || p->at[1] == '\\' || p->at[2] != '\'')
        return fail(p, "a character");
    struct number n = {program_number(32, (uint64_t)(int64_t)(signed char)p->at[1]), 32, false};
    p->at += 3;
    return n;
}

static struct number primary(struct parser *p)
{
    blanks(p);
    if (isdigit((unsigned char)*p->at))
        return constant(p);
    if (*p->at == '\'')
        return character(p);
    if (strncmp(p->at, "\\result", 7) == 0 && p->place->result != NULL) {
        p->at += 7;
        struct program_type type = p->place->result->type;
        if (type.kind != PROGRAM_INTEGER)
            return fail(p, "a result that is no integer");
        return (struct number){*p->place->result, type.bits, p->place->result_unsigned};
    }
    if (take(p, "(")) {
        struct number inner = conditional(p);
        return take(p, ")") || p->failed ? inner : fail(p, "a missing `)`");
    }
    size_t length = word_length(p);
    if (length == 0)
        return fail(p, "what is not understood");
    const char *name = p->at;
    struct number n = variable(p, name, length);
    p->at += p->failed ? 0 : length;
    blanks(p);
    if (!p->failed &&
        (*p->at == '[' || *p->at == '(' || *p->at == '.' || (*p->at == '-' && p->at[1] == '>')))
        return fail(p, "an access");
    return n;
}

static struct number unary(struct parser *p)
{
    uint32_t bits;
    bool is_unsigned;
    if (++p->depth > DEEPEST)
        return fail(p, "more nesting than is read");
    struct number n;
    blanks(p);
    const char *before = p->at;
    if (take(p, "!")) {
        n = truth(p, unary(p));
        n = emit(p, OP_XOR, 1, true, (struct operand[]){n.operand, program_number(1, 1)}, 2);
    } else if (take(p, "~")) {
        n = promote(p, unary(p));
        n = emit(p, OP_XOR, n.bits, n.is_unsigned,
                 (struct operand[]){n.operand, program_number(n.bits, UINT64_MAX)}, 2);
    } else if (take(p, "-")) {
        n = promote(p, unary(p));
        n = emit(p, OP_SUB, n.bits, n.is_unsigned,
                 (struct operand[]){program_number(n.bits, 0), n.operand}, 2);
    } else if (take(p, "+")) {
        n = promote(p, unary(p));
    } else if (take(p, "(") && take_type(p, &bits, &is_unsigned)) {
        n = unary(p);
        n = bits == 1 ? truth(p, n) : convert(p, n, bits, is_unsigned);
    } else {
        p->at = before;
        n = primary(p);
    }
    p->depth--;
    return n;
}

static struct number calculate(struct parser *p, enum opcode op, struct number a, struct number b)
{
    bool division = op == OP_SDIV || op == OP_SREM, shift = op == OP_SHL || op == OP_ASHR;
    if (shift) {
        a = promote(p, a);
        if (b.operand.kind == OPERAND_CONSTANT && b.operand.bits < a.bits)
            b = (struct number){program_number(a.bits, (uint64_t)b.operand.bits), a.bits,
                                b.is_unsigned}; // it stays a literal
        b = convert(p, promote(p, b), a.bits, b.is_unsigned);
    } else {
        balance(p, &a, &b);
    }
    bool literal = b.operand.kind == OPERAND_CONSTANT;
    if (division && (!literal || b.operand.bits == 0 ||
                     (!a.is_unsigned && b.operand.bits == program_number(b.bits, UINT64_MAX).bits)))
        return fail(p, "a division by what may be zero");
    if (shift && (!literal || b.operand.bits >= a.bits))
        return fail(p, "a shift by what may be too much");
    if (a.is_unsigned)
        op = op == OP_SDIV ? OP_UDIV : op == OP_SREM ? OP_UREM : op == OP_ASHR ? OP_LSHR : op;
    return emit(p, op, a.bits, a.is_unsigned, (struct operand[]){a.operand, b.operand}, 2);
}

static struct number relation(struct parser *p, enum program_comparison sign,
                              enum program_comparison other, struct number a, struct number b)
{
    balance(p, &a, &b);
    return compare(p, a.is_unsigned ? other : sign, a.operand, b.operand);
}

struct level {
    const char *operator;
    enum opcode op;
    enum program_comparison sign, other;
};

// From what binds least; a level's operators beside one another.
static const struct level LEVELS[][5] = {
    {{"|", OP_OR, 0, 0}},
    {{"^", OP_XOR, 0, 0}},
    {{"&", OP_AND, 0, 0}},
    {{"==", OP_ICMP, COMPARE_EQ, COMPARE_EQ}, {"!=", OP_ICMP, COMPARE_NE, COMPARE_NE}},
    {{"<=", OP_ICMP, COMPARE_SLE, COMPARE_ULE},
     {">=", OP_ICMP, COMPARE_SGE, COMPARE_UGE},
     {"<", OP_ICMP, COMPARE_SLT, COMPARE_ULT},
     {">", OP_ICMP, COMPARE_SGT, COMPARE_UGT}},
    {{"<<", OP_SHL, 0, 0}, {">>", OP_ASHR, 0, 0}},
    {{"+", OP_ADD, 0, 0}, {"-", OP_SUB, 0, 0}},
    {{"*", OP_MUL, 0, 0}, {"/", OP_SDIV, 0, 0}, {"%", OP_SREM, 0, 0}},
};
#define LEVEL_COUNT (sizeof LEVELS / sizeof LEVELS[0])

static struct number binary(struct parser *p, size_t level)
{
    if (level == LEVEL_COUNT)
        return unary(p);
    struct number a = binary(p, level + 1);
    for (bool found = true; found && !p->failed;) {
        found = false;
        for (size_t i = 0; i < 5 && LEVELS[level][i].operator!= NULL && !found; i++) {
            const struct level *l = &LEVELS[level][i];
            if (!take(p, l->operator))
                continue;
            found = true;
            struct number b = binary(p, level + 1);
            a = l->op == OP_ICMP ? relation(p, l->sign, l->other, a, b) : calculate(p, l->op, a, b);
        }
    }
    return a;
}

static struct number both(struct parser *p)
{
    struct number a = binary(p, 0);
    while (!p->failed && take(p, "&&")) {
        struct number b = truth(p, binary(p, 0));
        a = truth(p, a);
        a = emit(p, OP_AND, 1, true, (struct operand[]){a.operand, b.operand}, 2);
    }
    return a;
}

static struct number either(struct parser *p)
{
    struct number a = both(p);
    while (!p->failed && take(p, "||")) {
        struct number b = truth(p, both(p));
        a = truth(p, a);
        a = emit(p, OP_OR, 1, true, (struct operand[]){a.operand, b.operand}, 2);
    }
    return a;
}

static struct number conditional(struct parser *p)
{
    struct number condition = either(p);
    if (p->failed || !take(p, "?"))
        return condition;
    if (++p->depth > DEEPEST)
        return fail(p, "more nesting than is read");
    condition = truth(p, condition);
    struct number a = conditional(p);
    if (!p->failed && !take(p, ":"))
        return fail(p, "a missing `:`");
    struct number b = conditional(p);
    p->depth--;
    balance(p, &a, &b);
    return emit(p, OP_SELECT, a.bits, a.is_unsigned,
                (struct operand[]){condition.operand, a.operand, b.operand}, 3);
}

bool expression_compile(const struct expression_place *place, const char *text,
                        struct position where, struct block *block, struct operand *out,
                        struct messages *messages)
{
    struct parser p = {place, block, text, where, messages, 0, false};
    struct number n = conditional(&p);
    blanks(&p);
    if (!p.failed && *p.at != '\0')
        fail(&p, "what is not understood");
    if (!p.failed)
        *out = truth(&p, n).operand;
    return !p.failed;
}
