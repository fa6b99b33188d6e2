#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/programs/program.h"

// The text is another program's output: every number is checked before it is used, and the first fault ends it.

struct words {
    struct program *program;
    const char *path;
    const char *at, *line_end, *end;
    unsigned line;
    bool failed;
    struct messages *messages;
};

static void fail(struct words *w, const char *expected)
{
    if (!w->failed)
        message_add(w->messages, MESSAGE_ERROR, (struct position){w->path, 0, 0},
                    "the program view is damaged in line %u, expected %s", w->line, expected);
    w->failed = true;
}

static bool next_line(struct words *w)
{
    if (w->line_end != NULL)
        w->at = w->line_end < w->end ? w->line_end + 1 : w->end;
    if (w->at >= w->end)
        return false;
    w->line_end = memchr(w->at, '\n', (size_t)(w->end - w->at));
    if (w->line_end == NULL)
        w->line_end = w->end;
    w->line++;
    return true;
}

static bool next_word(struct words *w, const char **start, size_t *length)
{
    while (w->at < w->line_end && *w->at == ' ')
        w->at++;
    *start = w->at;
    while (w->at < w->line_end && *w->at != ' ')
        w->at++;
    *length = (size_t)(w->at - *start);
    if (*length == 0)
        fail(w, "one more word");
    return *length > 0;
}

static int64_t read_number(struct words *w)
{
    const char *start;
    size_t length;
    char digits[32];
    if (!next_word(w, &start, &length))
        return 0;
    if (length >= sizeof digits) {
        fail(w, "a number");
        return 0;
    }
    memcpy(digits, start, length);
    digits[length] = '\0';
    char *end;
    int64_t n = *digits == '-' ? strtoll(digits, &end, 10) : (int64_t)strtoull(digits, &end, 10);
    if (end != digits + length)
        fail(w, "a number");
    return n;
}

static uint32_t read_below(struct words *w, uint64_t most)
{
    int64_t n = read_number(w);
    if (n < 0 || (uint64_t)n > most) {
        fail(w, "a smaller number");
        return 0;
    }
    return (uint32_t)n;
}

static int hexadecimal(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *read_text(struct words *w)
{
    const char *start;
    size_t length, out = 0;
    if (!next_word(w, &start, &length))
        return "";
    char *text = arena_alloc(&w->program->arena, length + 1);
    for (size_t i = 0; i < length; i++) {
        if (start[i] == '%' && i + 2 < length && hexadecimal(start[i + 1]) >= 0 &&
            hexadecimal(start[i + 2]) >= 0) {
            text[out++] = (char)(16 * hexadecimal(start[i + 1]) + hexadecimal(start[i + 2]));
            i += 2;
        } else if (start[i] != '%') {
            text[out++] = start[i];
        }
    }
    text[out] = '\0';
    return text;
}

static struct program_type type_of(const char *text, size_t length)
{
    if (length == 1 && *text == 'v')
        return (struct program_type){PROGRAM_VOID, 0};
    if (length == 1 && *text == 'p')
        return (struct program_type){PROGRAM_POINTER, 0};
    unsigned long bits = length > 1 && length < 6 ? strtoul(text + 1, NULL, 10) : 0;
    if (*text == 'i' && bits > 0)
        return (struct program_type){PROGRAM_INTEGER, (uint32_t)bits};
    if (*text == 'F' && bits > 0)
        return (struct program_type){PROGRAM_FLOAT, (uint32_t)bits};
    if (length > 5 && text[0] == '{' && text[1] == 'i' &&
        memcmp(text + length - 4, ",i1}", 4) == 0 && memchr(text, ',', length - 4) == NULL)
        return (struct program_type){PROGRAM_PAIR, (uint32_t)strtoul(text + 2, NULL, 10)};
    return (struct program_type){PROGRAM_OTHER, 0};
}

static struct program_type read_type(struct words *w)
{
    const char *start;
    size_t length;
    if (!next_word(w, &start, &length))
        return (struct program_type){PROGRAM_VOID, 0};
    return type_of(start, length);
}

static void read_constant(const char *start, const char *colon, size_t length, struct operand *out)
{
    out->kind = OPERAND_CONSTANT;
    out->type = type_of(start, (size_t)(colon - start));
    char digits[48];
    size_t count = length - (size_t)(colon + 1 - start);
    if (count == 0 || count >= sizeof digits || out->type.kind == PROGRAM_OTHER) {
        out->kind = OPERAND_UNKNOWN;
        return;
    }
    memcpy(digits, colon + 1, count);
    digits[count] = '\0';
    if (out->type.bits > 128)
        out->kind = OPERAND_UNKNOWN;
    for (const char *c = digits + (*digits == '-'); *c >= '0' && *c <= '9'; c++)
        out->bits = 10 * out->bits + (program_word)(*c - '0');
    out->bits = program_low_bits(*digits == '-' ? -out->bits : out->bits, out->type.bits);
}

static struct operand read_operand(struct words *w)
{
    const char *start;
    size_t length;
    struct operand out = {.kind = OPERAND_UNKNOWN, .type = {PROGRAM_OTHER, 0}};
    if (!next_word(w, &start, &length))
        return out;
    const char *colon = memchr(start, ':', length);
    if (*start == '%') {
        out.kind = OPERAND_VALUE;
        out.number = (uint32_t)strtoul(start + 1, NULL, 10);
    } else if (*start == '@' && colon != NULL) {
        out = (struct operand){OPERAND_ADDRESS, {PROGRAM_POINTER, 0}, 0, 0, 0};
        out.number = (uint32_t)strtoul(start + 1, NULL, 10);
        out.offset = strtoll(colon + 1, NULL, 10);
    } else if (*start == 'f' && colon == start + 1) {
        out = (struct operand){OPERAND_FUNCTION, {PROGRAM_POINTER, 0}, 0, 0, 0};
        out.number = (uint32_t)strtoul(colon + 1, NULL, 10);
    } else if (*start == 'p' && colon == start + 1) {
        out = (struct operand){OPERAND_FIXED, {PROGRAM_POINTER, 0}, 0, 0, 0};
        out.offset = strtoll(colon + 1, NULL, 10);
    } else if ((*start == 'u' || *start == 'z') && colon == start + 1) {
        out.kind = OPERAND_UNDEFINED;
        out.number = *start == 'z';
        out.type = type_of(colon + 1, length - 2);
    } else if (colon != NULL) {
        read_constant(start, colon, length, &out);
    }
    return out;
}

static const char *const opcode_names[] = {
    [OP_ALLOCA] = "alloca",
    [OP_LOAD] = "load",
    [OP_STORE] = "store",
    [OP_GEP] = "gep",
    [OP_ADD] = "add",
    [OP_SUB] = "sub",
    [OP_MUL] = "mul",
    [OP_UDIV] = "udiv",
    [OP_SDIV] = "sdiv",
    [OP_UREM] = "urem",
    [OP_SREM] = "srem",
    [OP_SHL] = "shl",
    [OP_LSHR] = "lshr",
    [OP_ASHR] = "ashr",
    [OP_AND] = "and",
    [OP_OR] = "or",
    [OP_XOR] = "xor",
    [OP_FADD] = "fadd",
    [OP_FSUB] = "fsub",
    [OP_FMUL] = "fmul",
    [OP_FDIV] = "fdiv",
    [OP_FREM] = "frem",
    [OP_FNEG] = "fneg",
    [OP_TRUNC] = "trunc",
    [OP_ZEXT] = "zext",
    [OP_SEXT] = "sext",
    [OP_PTRTOINT] = "ptrtoint",
    [OP_INTTOPTR] = "inttoptr",
    [OP_BITCAST] = "bitcast",
    [OP_FPTOUI] = "fptoui",
    [OP_FPTOSI] = "fptosi",
    [OP_UITOFP] = "uitofp",
    [OP_SITOFP] = "sitofp",
    [OP_FPTRUNC] = "fptrunc",
    [OP_FPEXT] = "fpext",
    [OP_FREEZE] = "freeze",
    [OP_SELECT] = "select",
    [OP_ICMP] = "icmp",
    [OP_FCMP] = "fcmp",
    [OP_PHI] = "phi",
    [OP_CALL] = "call",
    [OP_EXTRACT] = "extractvalue",
    [OP_LABEL] = "label",
    [OP_BRANCH] = "br",
    [OP_SWITCH] = "switch",
    [OP_RETURN] = "ret",
    [OP_UNREACHABLE] = "unreachable",
    [OP_CUT] = "cut",
    [OP_UNSUPPORTED] = "unsupported",
};

static enum opcode read_opcode(struct words *w, const char **name)
{
    const char *start;
    size_t length;
    *name = NULL;
    if (!next_word(w, &start, &length))
        return OP_UNSUPPORTED;
    for (size_t i = 0; i < sizeof opcode_names / sizeof opcode_names[0]; i++) {
        if (strlen(opcode_names[i]) == length && memcmp(opcode_names[i], start, length) == 0)
            return (enum opcode)i;
    }
    *name = arena_strndup(&w->program->arena, start, length);
    return OP_UNSUPPORTED;
}

static void push_instruction(struct block *block, const struct instruction *i)
{
    if (block->count == block->capacity) {
        block->capacity = 2 * block->capacity + 8;
        block->instructions =
            memory_realloc(block->instructions, block->capacity * sizeof *block->instructions);
    }
    block->instructions[block->count++] = *i;
}

static void read_instruction(struct words *w, struct function *f)
{
    struct program *p = w->program;
    const char *other;
    struct instruction i = {.op = read_opcode(w, &other)};
    i.type = read_type(w);
    i.result = read_below(w, 10000000);
    uint32_t file = read_below(w, p->file_count == 0 ? 0 : p->file_count - 1);
    i.at = (struct position){p->file_count == 0 ? w->path : p->files[file], 0, 0};
    i.at.line = read_below(w, UINT32_MAX);
    i.at.column = read_below(w, UINT32_MAX);
    i.extra = (uint64_t)read_number(w);
    i.operand_count = read_below(w, 10000000);
    i.operands = arena_zalloc(&p->arena, (i.operand_count + 1) * sizeof *i.operands);
    for (uint32_t k = 0; k < i.operand_count && !w->failed; k++)
        i.operands[k] = read_operand(w);
    i.number_count = read_below(w, 10000000);
    i.numbers = arena_zalloc(&p->arena, (i.number_count + 1) * sizeof *i.numbers);
    for (uint32_t k = 0; k < i.number_count && !w->failed; k++)
        i.numbers[k] = read_number(w);
    if (i.op == OP_LABEL || (i.op == OP_UNSUPPORTED && other == NULL))
        i.text = read_text(w);
    else
        i.text = other;
    if (i.result >= f->value_count)
        f->value_count = i.result + 1;
    if (f->block_count == 0)
        fail(w, "a block before an instruction");
    else
        push_instruction(&f->blocks[f->block_count - 1], &i);
}

// Makes room for one more in an array of `size` bytes an item.
static void *grow(void *data, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return data;
    *capacity = 2 * *capacity + 8;
    return memory_realloc(data, *capacity * size);
}

static void read_function(struct words *w)
{
    struct program *p = w->program;
    struct function f = {.name = read_text(w)};
    const uint32_t defined = read_below(w, 2);
    f.defined = defined > 0;
    f.library = defined == 2;
    f.variadic = read_below(w, 1);
    f.line = read_below(w, UINT32_MAX);
    f.result = read_type(w);
    f.parameter_count = read_below(w, 10000);
    f.parameters = arena_zalloc(&p->arena, (f.parameter_count + 1) * sizeof *f.parameters);
    for (uint32_t i = 0; i < f.parameter_count && !w->failed; i++)
        f.parameters[i] = read_type(w);
    f.value_count = f.parameter_count;
    p->functions = grow(p->functions, p->function_count, &p->function_capacity, sizeof f);
    p->functions[p->function_count++] = f;
}

static void read_name(struct words *w, struct function *f)
{
    struct program_name name = {.value = read_below(w, 10000000)};
    name.line = read_below(w, UINT32_MAX);
    name.type = read_text(w);
    name.name = read_text(w);
    name.scope_line = read_below(w, UINT32_MAX);
    name.scope_column = read_below(w, UINT32_MAX);
    f->names = grow(f->names, f->name_count, &f->name_capacity, sizeof name);
    f->names[f->name_count++] = name;
}

static void read_global(struct words *w)
{
    struct program *p = w->program;
    struct global g = {.name = read_text(w), .alignment = 1};
    g.bytes = (uint64_t)read_number(w);
    g.constant = read_below(w, 1);
    g.external = read_below(w, 1);
    g.thread_local = read_below(w, 1);
    g.type = read_type(w);
    p->globals = grow(p->globals, p->global_count, &p->global_capacity, sizeof g);
    p->globals[p->global_count++] = g;
}

static void read_alignment(struct words *w, struct program *p)
{
    uint64_t alignment = read_below(w, UINT32_MAX);
    if (p->global_count == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        fail(w, "a global before its alignment, a power of two");
    else
        p->globals[p->global_count - 1].alignment = alignment;
}

static void read_global_name(struct words *w, struct program *p)
{
    if (p->global_count == 0) {
        fail(w, "a global before its name");
        return;
    }
    struct global *g = &p->globals[p->global_count - 1];
    g->line = read_below(w, UINT32_MAX);
    g->type_name = read_text(w);
    g->source_name = read_text(w);
}

static void read_data(struct words *w, struct program *p)
{
    if (p->global_count == 0) {
        fail(w, "a global before its data");
        return;
    }
    struct global *g = &p->globals[p->global_count - 1];
    struct program_data data = {.offset = (uint64_t)read_number(w)};
    struct program_type type = read_type(w);
    data.value = read_operand(w);
    data.value.type = type;
    data.bytes = (uint64_t)read_number(w);
    g->data = grow(g->data, g->data_count, &g->data_capacity, sizeof data);
    g->data[g->data_count++] = data;
}

static void read_file(struct words *w)
{
    struct program *p = w->program;
    p->files = grow(p->files, p->file_count, &p->file_capacity, sizeof *p->files);
    p->files[p->file_count] = read_text(w);
    // The reader's own messages and ours name the program in the same way.
    if (p->file_count == 0)
        p->files[0] = arena_strdup(&p->arena, w->path);
    p->file_count++;
}

static void read_item(struct words *w, char kind)
{
    struct program *p = w->program;
    struct function *f = p->function_count == 0 ? NULL : &p->functions[p->function_count - 1];
    if (kind == 'F') {
        read_function(w);
    } else if (kind == 'G') {
        read_global(w);
    } else if (kind == 'A') {
        read_alignment(w, p);
    } else if (kind == 'D') {
        read_data(w, p);
    } else if (kind == 'T') {
        read_global_name(w, p);
    } else if (f == NULL) {
        fail(w, "a function first");
    } else if (kind == 'B') {
        f->blocks = grow(f->blocks, f->block_count, &f->block_capacity, sizeof *f->blocks);
        f->blocks[f->block_count++] = (struct block){0};
    } else if (kind == 'I') {
        read_instruction(w, f);
    } else if (kind == 'N') {
        read_name(w, f);
    } else if (kind != 'E') {
        fail(w, "one of the letters of the form");
    }
}

static bool read_lines(struct words *w)
{
    const char *start;
    size_t length;
    while (!w->failed && next_line(w)) {
        if (!next_word(w, &start, &length))
            return false;
        if (length == 3 && memcmp(start, "end", 3) == 0)
            return true;
        if (length == 4 && memcmp(start, "file", 4) == 0)
            read_file(w);
        else if (length == 1)
            read_item(w, *start);
        else
            fail(w, "a line of the form");
    }
    fail(w, "the line `end`");
    return false;
}

static bool operand_fits(const struct program *p, const struct function *f, const struct operand *o)
{
    return o->kind == OPERAND_VALUE      ? f != NULL && o->number < f->value_count
           : o->kind == OPERAND_ADDRESS  ? o->number < p->global_count
           : o->kind == OPERAND_FUNCTION ? o->number < p->function_count
                                         : true;
}

// Where the numbers of an instruction that name blocks begin and end.
static void block_numbers(const struct instruction *i, uint32_t *from, uint32_t *to)
{
    *from = 0;
    *to = i->op == OP_PHI || i->op == OP_SWITCH ? i->number_count
          : i->op == OP_BRANCH                  ? i->operand_count + 1
                                                : 0;
}

static bool shape_fits(const struct instruction *i)
{
    static const struct {
        uint8_t operands, numbers;
    } least[] = {
        [OP_ALLOCA] = {1, 1}, [OP_LOAD] = {1, 1},       [OP_STORE] = {2, 1},   [OP_GEP] = {1, 1},
        [OP_SELECT] = {3, 0}, [OP_CALL] = {1, 0},       [OP_EXTRACT] = {1, 0}, [OP_BRANCH] = {0, 1},
        [OP_SWITCH] = {1, 1}, [OP_UNSUPPORTED] = {0, 0}};
    bool binary = (i->op >= OP_ADD && i->op <= OP_FREM) || i->op == OP_ICMP || i->op == OP_FCMP;
    bool unary = i->op >= OP_FNEG && i->op <= OP_FREEZE;
    uint32_t operands = binary ? 2 : 1;
    if (binary || unary)
        return i->operand_count == operands ||
               (opcode_rounds(i->op) && i->operand_count == operands + 1);
    if (i->operand_count < least[i->op].operands || i->number_count < least[i->op].numbers)
        return false;
    return i->op == OP_GEP      ? i->number_count == i->operand_count
           : i->op == OP_PHI    ? i->number_count == i->operand_count
           : i->op == OP_CALL   ? i->number_count + 1 == i->operand_count
           : i->op == OP_SWITCH ? i->number_count == i->operand_count
           : i->op == OP_BRANCH ? i->operand_count <= 1 && i->number_count >= i->operand_count + 3
                                : true;
}

static bool instruction_fits(struct program *p, const struct function *f,
                             const struct instruction *i)
{
    uint32_t from, to;
    if (!shape_fits(i))
        return false;
    for (uint32_t k = 0; k < i->operand_count; k++) {
        const struct operand *o = &i->operands[k];
        if (!operand_fits(p, f, o))
            return false;
        if (o->kind == OPERAND_FUNCTION && !(i->op == OP_CALL && k == 0))
            p->functions[o->number].address_taken = true;
    }
    block_numbers(i, &from, &to);
    for (uint32_t k = from; k < to; k++) {
        if (i->numbers[k] < 0 || (uint64_t)i->numbers[k] >= f->block_count)
            return false;
    }
    return true;
}

static bool block_fits(struct program *p, const struct function *f, const struct block *b)
{
    for (size_t k = 0; k < b->count; k++) {
        if (!instruction_fits(p, f, &b->instructions[k]) ||
            opcode_ends_block(b->instructions[k].op) != (k + 1 == b->count))
            return false;
    }
    return b->count > 0;
}

// Each value is computed by one instruction, and a parameter's by none.
static bool values_fit(const struct function *f)
{
    bool fit = true;
    bool *computed = memory_zalloc((f->value_count + 1) * sizeof *computed);
    for (uint32_t v = 0; v < f->parameter_count; v++)
        computed[v] = true;
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (!instruction_defines(i))
                continue;
            fit = fit && !computed[i->result];
            computed[i->result] = true;
        }
    }
    memory_free(computed);
    return fit;
}

static bool program_fits(struct program *p)
{
    for (size_t i = 0; i < p->global_count; i++) {
        for (size_t k = 0; k < p->globals[i].data_count; k++) {
            const struct program_data *data = &p->globals[i].data[k];
            if (!operand_fits(p, NULL, &data->value) || data->bytes > p->globals[i].bytes ||
                data->offset > p->globals[i].bytes - data->bytes)
                return false;
            if (data->value.kind == OPERAND_FUNCTION)
                p->functions[data->value.number].address_taken = true;
        }
    }
    for (size_t i = 0; i < p->function_count; i++) {
        const struct function *f = &p->functions[i];
        if (f->defined && f->block_count == 0)
            return false;
        for (size_t b = 0; b < f->block_count; b++) {
            if (!block_fits(p, f, &f->blocks[b]))
                return false;
        }
        if (!values_fit(f))
            return false;
    }
    return true;
}

// The type of a value is that of its instruction or parameter.
static void type_operands(struct function *f)
{
    struct program_type *types = memory_zalloc((f->value_count + 1) * sizeof *types);
    for (uint32_t i = 0; i < f->parameter_count; i++)
        types[i] = f->parameters[i];
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (instruction_defines(i))
                types[i->result] = i->type;
        }
    }
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            struct instruction *i = &f->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                if (i->operands[n].kind == OPERAND_VALUE)
                    i->operands[n].type = types[i->operands[n].number];
                else if (i->operands[n].kind == OPERAND_UNKNOWN && i->op == OP_PHI)
                    i->operands[n].type = i->type; // it is refused where the value is made
            }
        }
    }
    memory_free(types);
}

struct program *program_read(const char *text, size_t bytes, const char *path,
                             struct messages *messages)
{
    struct program *p = memory_zalloc(sizeof *p);
    arena_init(&p->arena);
    struct words w = {
        .program = p, .path = path, .at = text, .end = text + bytes, .messages = messages};
    const char *start;
    size_t length;
    if (!next_line(&w) || !next_word(&w, &start, &length) || length != 15 ||
        memcmp(start, "regatta-program", 15) != 0 || read_number(&w) != 1)
        fail(&w, "`regatta-program 1`");
    p->pointer_bits = (uint32_t)read_number(&w);
    if (!w.failed && p->pointer_bits != 32 && p->pointer_bits != 64)
        fail(&w, "pointers of 32 or 64 bits");
    if (!w.failed && read_lines(&w) && !program_fits(p))
        fail(&w, "numbers that name what is there");
    if (w.failed) {
        program_destroy(p);
        return NULL;
    }
    for (size_t i = 0; i < p->function_count; i++)
        type_operands(&p->functions[i]);
    return p;
}

const struct function *program_callee(const struct program *program, const struct instruction *i)
{
    const bool direct =
        i->op == OP_CALL && i->operand_count > 0 && i->operands[0].kind == OPERAND_FUNCTION;
    return direct ? &program->functions[i->operands[0].number] : NULL;
}

const struct function *program_find_function(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->function_count; i++) {
        if (strcmp(program->functions[i].name, name) == 0)
            return &program->functions[i];
    }
    return NULL;
}

void program_destroy(struct program *program)
{
    if (program == NULL)
        return;
    for (size_t i = 0; i < program->function_count; i++) {
        for (size_t b = 0; b < program->functions[i].block_count; b++)
            memory_free(program->functions[i].blocks[b].instructions);
        memory_free(program->functions[i].blocks);
        memory_free(program->functions[i].names);
    }
    for (size_t i = 0; i < program->global_count; i++)
        memory_free(program->globals[i].data);
    memory_free(program->functions);
    memory_free(program->globals);
    memory_free(program->files);
    arena_finish(&program->arena);
    memory_free(program);
}
