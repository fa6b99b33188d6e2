#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/program.h"
#include "languages/programs/source.h"
#include "languages/programs/witness_read.h"

// The texts of programs, of sources and of witnesses with bytes changed, left out, doubled and swapped: whatever comes, the
// readers either give something that is consistent or say why not, with a place.   fuzz_programs COUNT [SEED]

static const char PROGRAM[] =
    "regatta-program 1 64\nfile p.c\nG g 8 0 0 0 ?\nD 0 i32 i32:5 4\nD 4 i32 i32:4294967295 4\nT 3 "
    "int[] g\nF f 1 0 4 i32 2 i32 p\nB\nI alloca p 2 0 0 0 4 1 i32:1 1 4\nN 2 4 int x 5 2\nI store "
    "i32 3 0 5 6 0 2 %0 %2 1 4\nI switch v 4 0 6 3 0 2 %0 i32:1 2 1 2\nB\nI phi i32 5 0 7 1 0 1 "
    "i32:7 1 0\nI br v 6 0 7 1 0 0 3 2 6 3\nB\nI load i32 7 0 8 2 0 1 @0:4 1 4\nI ret v 8 0 8 1 0 "
    "1 "
    "%7 0\nE\nF main 1 0 10 i32 0\nB\nI call i32 0 0 11 1 0 3 f:0 i32:3 @0:0 2 0 0\nI ret v 1 0 12 "
    "1 0 1 %0 0\nE\nF abort 0 0 0 v 0\nend\n";
static const char SOURCE[] = "#define N(x) \\\n  f(x)\nint main(void) { int a[2] = {1, 2}; /* ; */ "
                             "for (int i = 0; i < 2; i++) if (a[i] "
                             "== f(\"}\\\"\", ')')) { i = 1; } else do i++; while (0); l: switch "
                             "(a[0]) { case 1: return (int){3}; "
                             "default: return a[0] ? 1 : 2; } } // end\n";
static const char WITNESS[] =
    "- entry_type: violation_sequence\n  metadata:\n    format_version: \"2.0\"\n    task:\n      "
    "input_file_hashes: { \"a.c\": \"00\" }\n      specification: \"G ! overflow\"\n      "
    "data_model: "
    "LP64\n  content:\n    - segment:\n      - waypoint: { type: function_return, action: follow, "
    "location: { "
    "file_name: a.c, line: 3, column: 4, function: f }, constraint: { value: \"\\\\result == 1\" } "
    "}\n    - "
    "segment:\n      - waypoint:\n          type: target\n          action: follow\n          "
    "location:\n    "
    "        file_name: a.c\n            line: 7\n- entry_type: invariant_set\n  metadata: {}\n";

static char *mutate(struct random *random, const char *seed, size_t *length)
{
    struct text text;
    text_init(&text);
    text_add(&text, seed);
    unsigned changes = (unsigned)random_below(random, 4);
    for (unsigned i = 0; i < changes && text.length > 4; i++) {
        size_t at = random_below(random, text.length - 2), more = text.length - at;
        size_t n = 1 + random_below(random, more < 20 ? more : 20);
        switch (random_below(random, 4)) {
        case 0:
            text.data[at] = (char)random_next(random);
            break;
        case 1:
            memmove(text.data + at, text.data + at + n, more - n);
            text.length -= n;
            break;
        case 2:
            text_add_bytes(&text, seed + random_below(random, strlen(seed) / 2), n);
            break;
        default:
            text.data[at] = "0123456789%@:- \n"[random_below(random, 16)];
        }
    }
    *length = text.length;
    text_add_char(&text, '\0');
    return text_steal(&text);
}

static void fail(const char *what, const char *text)
{
    printf("%s:\n%s\n", what, text);
    exit(1);
}

static void check_messages(const struct messages *messages, const void *result, const char *text)
{
    bool failed = messages->errors + messages->unsupported > 0;
    if (failed == (result != NULL))
        fail("neither a result nor a reason", text);
}

// Each operand, target and file is one that there is.
static void check_program(const struct program *p, const char *text)
{
    for (size_t f = 0; f < p->function_count; f++) {
        const struct function *function = &p->functions[f];
        for (size_t b = 0; b < function->block_count; b++) {
            const struct block *block = &function->blocks[b];
            if (block->count == 0 || !opcode_ends_block(block->instructions[block->count - 1].op))
                fail("a block without an end", text);
            for (size_t k = 0; k < block->count; k++) {
                const struct instruction *i = &block->instructions[k];
                for (uint32_t o = 0; o < i->operand_count; o++) {
                    if (i->operands[o].kind == OPERAND_VALUE &&
                        i->operands[o].number >= function->value_count)
                        fail("an operand that is none", text);
                }
            }
        }
    }
}

static void try_program(struct random *random, size_t *good)
{
    size_t length;
    char *text = mutate(random, PROGRAM, &length);
    struct messages messages;
    messages_init(&messages);
    struct program *p = program_read(text, length, "p.txt", &messages);
    check_messages(&messages, p, text);
    if (p != NULL)
        check_program(p, text);
    *good += p != NULL;
    program_destroy(p);
    messages_finish(&messages);
    memory_free(text);
}

static void try_source(struct random *random)
{
    size_t length;
    char *text = mutate(random, SOURCE, &length);
    struct source *s = source_of("s.c", text, length);
    for (size_t at = 0; at <= length; at++) {
        size_t start, end;
        unsigned line, column;
        if (source_statement(s, at, &start, &end) && (start >= end || end > length))
            fail("a statement outside of the text", text);
        size_t close = source_call_end(s, at, "f"), scope = source_scope_end(s, at);
        if ((close != SOURCE_NOWHERE && close >= length) ||
            (scope != SOURCE_NOWHERE && scope >= length))
            fail("an end outside of the text", text);
        source_position(s, at, &line, &column);
        if (at < length && s->text[at] != '\n' && source_offset(s, line, column) != at)
            fail("a place that is not its own", text);
    }
    source_destroy(s);
    memory_free(text);
}

static void try_witness(struct random *random, size_t *good)
{
    size_t length;
    char *text = mutate(random, WITNESS, &length);
    struct messages messages;
    messages_init(&messages);
    struct witness *w = witness_read("w.yml", text, length, &messages);
    check_messages(&messages, w, text);
    *good += w != NULL;
    witness_destroy(w);
    messages_finish(&messages);
    memory_free(text);
}

int main(int count, char **words)
{
    struct random random;
    size_t rounds = count > 1 ? strtoul(words[1], NULL, 10) : 1000, programs = 0, witnesses = 0;
    random_init(&random, count > 2 ? strtoul(words[2], NULL, 10) : 1);
    for (size_t i = 0; i < rounds; i++) {
        try_program(&random, &programs);
        try_source(&random);
        try_witness(&random, &witnesses);
    }
    printf("%zu rounds: %zu programs, %zu witnesses were read\n", rounds, programs, witnesses);
    return programs > 0 && programs < rounds && witnesses > 0 && witnesses < rounds ? 0 : 1;
}
