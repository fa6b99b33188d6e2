#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "languages/aiger/aiger.h"

#define MOST_VARIABLES ((uint32_t)1 << 28)

struct reader {
    const char *path, *text, *next, *end;
    const char *line_start;
    unsigned line;
    bool binary;
    struct messages *messages;
    struct aiger *a;
};

static struct position here(const struct reader *r)
{
    return (struct position){r->path, r->line, (unsigned)(r->next - r->line_start) + 1};
}

// In the binary part, where lines mean nothing: the offset in bytes.
static struct position at_byte(const struct reader *r)
{
    return (struct position){r->path, 1, (unsigned)(r->next - r->text) + 1};
}

static bool fail(struct reader *r, struct position at, const char *found, const char *expected)
{
    message_add(r->messages, MESSAGE_ERROR, at, "found %s, expected %s", found, expected);
    return false;
}

static const char *what_is_next(const struct reader *r, char *buffer)
{
    if (r->next == r->end)
        return "the end of the file";
    if (*r->next == '\n')
        return "the end of the line";
    unsigned char c = (unsigned char)*r->next;
    if (!isprint(c))
        return "a byte that is no text";
    buffer[0] = '`', buffer[1] = (char)c, buffer[2] = '`', buffer[3] = '\0';
    return buffer;
}

static bool fail_next(struct reader *r, const char *expected)
{
    char buffer[4];
    return fail(r, here(r), what_is_next(r, buffer), expected);
}

static bool at_end_of_line(const struct reader *r)
{
    return r->next < r->end &&
           (*r->next == '\n' || (*r->next == '\r' && r->next + 1 < r->end && r->next[1] == '\n'));
}

static bool read_number(struct reader *r, uint32_t limit, uint32_t *out, const char *expected)
{
    struct position at = here(r);
    if (r->next == r->end || !isdigit((unsigned char)*r->next))
        return fail_next(r, expected);
    uint64_t n = 0;
    while (r->next < r->end && isdigit((unsigned char)*r->next)) {
        if (n <= UINT32_MAX)
            n = 10 * n + (uint64_t)(*r->next - '0');
        r->next++;
    }
    if (n > limit) {
        message_add(r->messages, MESSAGE_ERROR, at, "found a number beyond %u, expected %s", limit,
                    expected);
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

static bool read_space(struct reader *r)
{
    if (r->next == r->end || *r->next != ' ')
        return fail_next(r, "a space");
    r->next++;
    return true;
}

static bool read_newline(struct reader *r)
{
    if (r->next == r->end) // the last line may lack its end
        return true;
    if (!at_end_of_line(r))
        return fail_next(r, "the end of the line");
    r->next += *r->next == '\r' ? 2 : 1;
    r->line_start = r->next;
    r->line++;
    return true;
}

static bool read_literal(struct reader *r, struct aiger_literal *out)
{
    out->at = here(r);
    return read_number(r, 2 * r->a->greatest + 1, &out->literal, "a literal");
}

static bool define(struct reader *r, struct aiger_literal l, enum aiger_kind kind, uint32_t number)
{
    struct aiger_variable *v = &r->a->variables[l.literal / 2];
    if (l.literal & 1)
        return fail(r, l.at, "an odd literal", "the literal of a variable, which is even");
    if (l.literal == 0)
        return fail(r, l.at, "the literal 0", "the literal of a variable");
    if (v->kind != AIGER_UNDEFINED)
        return fail(r, l.at, "a variable that is defined already", "another one");
    v->kind = kind;
    v->number = number;
    return true;
}

// Header.

static bool read_header(struct reader *r)
{
    struct aiger *a = r->a;
    uint32_t *counts[] = {&a->greatest,         &a->input_count,   &a->latch_count,
                          &a->output_count,     &a->and_count,     &a->bad_count,
                          &a->constraint_count, &a->justice_count, &a->fairness_count};
    if (r->end - r->next < 4 || (strncmp(r->next, "aag ", 4) && strncmp(r->next, "aig ", 4)))
        return fail(r, here(r), "another beginning", "`aag` or `aig`");
    r->binary = r->next[1] == 'i';
    r->next += 3;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (i >= 5 && (at_end_of_line(r) || r->next == r->end))
            break;
        if (!read_space(r) || !read_number(r, MOST_VARIABLES, counts[i], "a count"))
            return false;
    }
    struct position at = here(r);
    if (!read_newline(r))
        return false;
    uint64_t defined = (uint64_t)a->input_count + a->latch_count + a->and_count;
    if (r->binary ? defined != a->greatest : defined > a->greatest)
        return fail(r, at, "counts that do not fit",
                    r->binary ? "the first one to be inputs, latches and gates together"
                              : "the first one to be at least inputs, latches and gates together");
    // Every item but a binary input takes two bytes or more.
    uint64_t items = (r->binary ? 0 : a->input_count) + (uint64_t)a->latch_count + a->output_count +
                     a->and_count + a->bad_count + a->constraint_count;
    if (2 * items > (uint64_t)(r->end - r->next) + 1)
        return fail(r, at, "counts beyond the size of the file", "those of its lines");
    if (a->justice_count || a->fairness_count) {
        message_add(r->messages, MESSAGE_UNSUPPORTED, at, "justice and fairness properties");
        return false;
    }
    return true;
}

// Sections.

static bool read_inputs(struct reader *r)
{
    struct aiger *a = r->a;
    for (uint32_t i = 0; i < a->input_count; i++) {
        struct aiger_literal *l = &a->inputs[i];
        if (r->binary)
            *l = (struct aiger_literal){2 * (i + 1), {r->path, 1, 1}};
        else if (!read_literal(r, l))
            return false;
        if (!define(r, *l, AIGER_INPUT, i) || (!r->binary && !read_newline(r)))
            return false;
    }
    return true;
}

static bool read_latch(struct reader *r, uint32_t i)
{
    struct aiger *a = r->a;
    struct aiger_literal *l = &a->latches[i], next, reset = {0};
    if (r->binary)
        *l = (struct aiger_literal){2 * (a->input_count + i + 1), here(r)};
    else if (!read_literal(r, l) || !read_space(r))
        return false;
    if (!define(r, *l, AIGER_LATCH, i) || !read_literal(r, &next))
        return false;
    if (r->next < r->end && !at_end_of_line(r)) {
        if (!read_space(r) || !read_literal(r, &reset))
            return false;
        if (reset.literal > 1 && reset.literal != l->literal)
            return fail(r, reset.at, "another literal", "0, 1, or the latch itself as reset value");
    }
    a->variables[l->literal / 2].left = next.literal;
    a->variables[l->literal / 2].right = reset.literal;
    return read_newline(r);
}

static bool read_list(struct reader *r, struct aiger_literal *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!read_literal(r, &list[i]) || !read_newline(r))
            return false;
    return true;
}

static bool read_gate(struct reader *r, uint32_t i)
{
    struct aiger_literal left, first, second;
    if (!read_literal(r, &left) || !define(r, left, AIGER_AND, i) || !read_space(r) ||
        !read_literal(r, &first) || !read_space(r) || !read_literal(r, &second))
        return false;
    r->a->variables[left.literal / 2].left = first.literal;
    r->a->variables[left.literal / 2].right = second.literal;
    return read_newline(r);
}

static bool read_delta(struct reader *r, uint32_t least, uint32_t most, uint32_t *out)
{
    struct position at = at_byte(r);
    uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (r->next == r->end)
            return fail(r, at_byte(r), "the end of the file", "the rest of a gate");
        unsigned char byte = (unsigned char)*r->next++;
        if (shift > 28)
            return fail(r, at, "a number that is too long", "the difference of two literals");
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    if (n < least || n > most)
        return fail(r, at, "a difference out of range", "one that leads to a smaller literal");
    *out = (uint32_t)n;
    return true;
}

static bool read_binary_gate(struct reader *r, uint32_t i)
{
    struct aiger *a = r->a;
    uint32_t left = 2 * (a->input_count + a->latch_count + i + 1), first, second;
    assert(left / 2 <= a->greatest); // the header has made sure of it
    if (!read_delta(r, 1, left, &first) || !read_delta(r, 0, left - first, &second))
        return false;
    a->variables[left / 2] =
        (struct aiger_variable){AIGER_AND, i, left - first, left - first - second};
    return true;
}

static bool read_symbol(struct reader *r)
{
    struct aiger *a = r->a;
    char kind = *r->next;
    uint32_t count = kind == 'i'   ? a->input_count
                     : kind == 'l' ? a->latch_count
                     : kind == 'o' ? a->output_count
                     : kind == 'b' ? a->bad_count
                     : kind == 'c' ? a->constraint_count
                                   : 0;
    struct position at = here(r);
    uint32_t number;
    r->next++;
    if (!read_number(r, MOST_VARIABLES, &number, "the number of what is named"))
        return false;
    if (number >= count)
        return fail(r, at, "a name for something that is not there", "a smaller number");
    if (!read_space(r))
        return false;
    const char *start = r->next;
    while (r->next < r->end && !at_end_of_line(r))
        r->next++;
    const char *name = arena_strndup(&a->arena, start, (size_t)(r->next - start));
    if (kind == 'i')
        a->input_names[number] = name;
    else if (kind == 'l')
        a->latch_names[number] = name;
    return r->next == r->end || read_newline(r);
}

static bool read_symbols(struct reader *r)
{
    while (r->next < r->end) {
        if (*r->next == 'c' && (r->next + 1 == r->end || !isdigit((unsigned char)r->next[1]))) {
            r->next++;
            return r->next == r->end || read_newline(r); // what follows is a comment
        }
        if (strchr("ilobc", *r->next) == NULL || *r->next == '\0')
            return fail_next(r, "a name, a comment, or the end of the file");
        if (!read_symbol(r))
            return false;
    }
    return true;
}

static bool check_defined(struct reader *r, const struct aiger_literal *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (r->a->variables[list[i].literal / 2].kind == AIGER_UNDEFINED)
            return fail(r, list[i].at, "a literal that nothing defines", "a defined one");
    return true;
}

// Positions of gates are not kept: the message names the variable.
static bool check_all_defined(struct reader *r)
{
    struct aiger *a = r->a;
    for (uint32_t v = 1; v <= a->greatest; v++) {
        const struct aiger_variable *x = &a->variables[v];
        bool gate = x->kind == AIGER_AND;
        if (!gate && x->kind != AIGER_LATCH)
            continue;
        if (a->variables[x->left / 2].kind == AIGER_UNDEFINED ||
            (gate && a->variables[x->right / 2].kind == AIGER_UNDEFINED)) {
            message_add(r->messages, MESSAGE_ERROR, (struct position){r->path, 0, 0},
                        "found a literal that nothing defines in the definition of %u, expected a "
                        "defined one",
                        2 * v);
            return false;
        }
    }
    return check_defined(r, a->outputs, a->output_count) &&
           check_defined(r, a->bads, a->bad_count) &&
           check_defined(r, a->constraints, a->constraint_count);
}

static bool read_body(struct reader *r)
{
    struct aiger *a = r->a;
    if (!read_inputs(r))
        return false;
    for (uint32_t i = 0; i < a->latch_count; i++)
        if (!read_latch(r, i))
            return false;
    if (!read_list(r, a->outputs, a->output_count) || !read_list(r, a->bads, a->bad_count) ||
        !read_list(r, a->constraints, a->constraint_count))
        return false;
    for (uint32_t i = 0; i < a->and_count; i++)
        if (r->binary ? !read_binary_gate(r, i) : !read_gate(r, i))
            return false;
    if (r->binary) // lines are counted from here on again, as if the gates were none
        r->line_start = r->next;
    return read_symbols(r) && check_all_defined(r);
}

static struct aiger_literal *make_list(struct aiger *a, uint32_t count)
{
    return arena_zalloc(&a->arena, ((size_t)count + 1) * sizeof(struct aiger_literal));
}

static bool read_circuit(struct reader *r)
{
    struct aiger *a = r->a;
    if (!read_header(r))
        return false;
    a->variables = arena_zalloc(&a->arena, ((size_t)a->greatest + 1) * sizeof *a->variables);
    a->variables[0].kind = AIGER_CONSTANT;
    a->inputs = make_list(a, a->input_count);
    a->latches = make_list(a, a->latch_count);
    a->outputs = make_list(a, a->output_count);
    a->bads = make_list(a, a->bad_count);
    a->constraints = make_list(a, a->constraint_count);
    a->input_names = arena_zalloc(&a->arena, ((size_t)a->input_count + 1) * sizeof(char *));
    a->latch_names = arena_zalloc(&a->arena, ((size_t)a->latch_count + 1) * sizeof(char *));
    return read_body(r);
}

static void destroy(struct language_source *source)
{
    struct aiger *a = (struct aiger *)source;
    arena_finish(&a->arena);
    memory_free(a);
}

struct language_source *aiger_parse(const struct language_request *request,
                                    struct messages *messages)
{
    struct aiger *a = memory_zalloc(sizeof *a);
    a->source = (struct language_source){destroy, 1};
    arena_init(&a->arena);
    struct reader r = {
        .path = request->model_path,
        .text = request->model_text,
        .next = request->model_text,
        .end = request->model_text + request->model_bytes,
        .line_start = request->model_text,
        .line = 1,
        .messages = messages,
        .a = a,
    };
    if (read_circuit(&r))
        return &a->source;
    destroy(&a->source);
    return NULL;
}
