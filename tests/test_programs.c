#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sha256.h"
#include "base/text.h"
#include "languages/programs/expression.h"
#include "languages/programs/interpret.h"
#include "languages/programs/objects.h"
#include "languages/programs/source.h"
#include "languages/programs/translate.h"
#include "languages/programs/witness.h"
#include "languages/programs/witness_read.h"
#include "logic/terms/rewrite.h"

// Programs: their text, the flat program, objects, the model, the interpreter, and what surrounds witnesses.

// int g; int f(int v) { if (v > 0) return f(v - 1); return 7; }
// int main(void) { int a[4]; int i = input(); g = f(2); a[1] = i; if (a[1] == g) reach_error(); return 0; }
static const char PROGRAM[] = "regatta-program 1 32\n"
                              "file p.c\n"
                              "G g 4 0 0 0 i32\n"
                              "T 4 int g\n"
                              "F f 1 0 3 i32 1 i32\n"
                              "B\n"
                              "I icmp i1 1 0 5 9 38 2 %0 i32:0 0\n"
                              "I br v 2 0 5 5 0 1 %1 4 1 2 0 0\n"
                              "B\n"
                              "I sub i32 3 0 6 20 1 2 %0 i32:1 0\n"
                              "I call i32 4 0 6 16 0 2 f:0 %3 1 0\n"
                              "I ret v 5 0 6 9 0 1 %4 0\n"
                              "B\n"
                              "I ret v 6 0 7 5 0 1 i32:7 0\n"
                              "E\n"
                              "F main 1 0 10 i32 0\n"
                              "B\n"
                              "I alloca p 0 0 0 0 16 1 i32:1 1 4\n"
                              "N 0 11 int[] a 0 0\n"
                              "I alloca p 1 0 0 0 4 1 i32:1 1 4\n"
                              "N 1 12 int i 0 0\n"
                              "I call i32 2 0 12 13 0 1 f:2 0\n"
                              "I store i32 3 0 12 9 0 2 %2 %1 1 4\n"
                              "I call i32 4 0 13 9 0 2 f:0 i32:2 1 0\n"
                              "I store i32 5 0 13 7 0 2 %4 @0:0 1 4\n"
                              "I load i32 6 0 14 12 0 1 %1 1 4\n"
                              "I gep p 7 0 14 5 0 1 %0 1 4\n"
                              "I store i32 8 0 14 10 0 2 %6 %7 1 4\n"
                              "I load i32 9 0 15 9 0 1 %7 1 4\n"
                              "I load i32 10 0 15 17 0 1 @0:0 1 4\n"
                              "I icmp i1 11 0 15 14 32 2 %9 %10 0\n"
                              "I br v 12 0 15 9 0 1 %11 4 1 2 0 0\n"
                              "B\n"
                              "I call v 13 0 16 9 0 1 f:3 0\n"
                              "I br v 14 0 16 9 0 0 3 2 0 0\n"
                              "B\n"
                              "I ret v 15 0 17 5 0 1 i32:0 0\n"
                              "E\n"
                              "F __VERIFIER_nondet_int 0 0 0 i32 0\n"
                              "F reach_error 0 0 0 v 0\n"
                              "end\n";

static struct program *read_program(const char *text)
{
    struct messages messages;
    messages_init(&messages);
    struct program *p = program_read(text, strlen(text), "p.c", &messages);
    if (p == NULL)
        messages_print(&messages, stderr);
    messages_finish(&messages);
    return p;
}

static struct flat *flatten(const struct program *p, uint32_t depth)
{
    struct messages messages;
    messages_init(&messages);
    const struct flat_options options = {"reach_error", depth, 10000, false};
    struct flat *flat = flat_create(p, &options, &messages);
    messages_finish(&messages);
    assert_non_null(flat);
    return flat;
}

static void test_sha256(void **state)
{
    (void)state;
    char out[65], million[1000];
    sha256_print("abc", 3, out);
    assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_print("", 0, out);
    assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    memset(million, 'a', sizeof million);
    sha256_print(million, sizeof million, out);
    assert_string_equal(out, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

// Text.

static void test_read(void **state)
{
    (void)state;
    struct program *p = read_program(PROGRAM);
    assert_non_null(p);
    assert_int_equal(p->pointer_bits, 32);
    assert_int_equal(p->function_count, 4);
    assert_string_equal(p->globals[0].source_name, "g");
    assert_string_equal(p->globals[0].type_name, "int");
    const struct function *main_function = program_find_function(p, "main");
    assert_int_equal(main_function->name_count, 2);
    assert_string_equal(main_function->names[0].type, "int[]");
    program_destroy(p);
}

static void assert_refused(const char *text, const char *expected)
{
    struct messages messages;
    messages_init(&messages);
    struct program *p = program_read(text, strlen(text), "p.c", &messages);
    assert_null(p);
    assert_int_equal(messages.errors, 1);
    assert_non_null(strstr(messages.items[0].text, expected));
    messages_finish(&messages);
}

#define FILE_LINES "regatta-program 1 32\nfile p.c\n"
#define COMPUTES_0 "I sub i32 0 0 6 20 1 2 i32:3 i32:1 0\n"
#define RETURNS "I ret v 1 0 6 9 0 0 0\n"

static void test_refused(void **state)
{
    (void)state;
    assert_refused("", "line 0, expected `regatta-program 1`");
    assert_refused("regatta-program 2 32\nend\n", "line 1, expected `regatta-program 1`");
    assert_refused(FILE_LINES "B\nend\n", "line 3, expected a function first");
    assert_refused(FILE_LINES "F f 1 0 3 i32\nend\n", "line 3, expected one more word");
    assert_refused(FILE_LINES "T 1 int g\nend\n", "line 3, expected a global before its name");
    assert_refused(FILE_LINES "G g 4 0 0 0 i32\n", "line 3, expected the line `end`");
    assert_refused(FILE_LINES "F f 1 0 3 v 0\nB\nI br v 0 0 1 1 0 0 3 5 0 0\nE\nend\n",
                   "expected numbers that name what is there");
    // a value that two instructions compute, or an instruction and a parameter
    assert_refused(FILE_LINES "F f 1 0 0 v 0\nB\n" COMPUTES_0 COMPUTES_0 RETURNS "E\nend\n",
                   "expected numbers that name what is there");
    assert_refused(FILE_LINES "F f 1 0 0 v 1 i32\nB\n" COMPUTES_0 RETURNS "E\nend\n",
                   "expected numbers that name what is there");
}

// The flat program.

static void test_flat(void **state)
{
    (void)state;
    struct program *p = read_program(PROGRAM);
    struct flat *deep = flatten(p, 16), *shallow = flatten(p, 2);
    assert_string_equal(deep->frames[0].name, "main");
    assert_int_equal(deep->frames[1].depth, 1);
    assert_true(deep->frame_count > shallow->frame_count);
    size_t cuts = 0;
    for (size_t b = 0; b < shallow->block_count; b++) {
        assert_true(shallow->blocks[b].count > 0);
        for (size_t k = 0; k < shallow->blocks[b].count; k++) {
            const struct instruction *i = &shallow->blocks[b].instructions[k];
            assert_true(opcode_ends_block(i->op) == (k + 1 == shallow->blocks[b].count));
            cuts += i->op == OP_CUT;
        }
    }
    assert_int_equal(cuts, 1);
    flat_destroy(deep);
    flat_destroy(shallow);
    program_destroy(p);
}

// Objects.

static void test_objects(void **state)
{
    (void)state;
    struct program *p = read_program(PROGRAM);
    struct flat *flat = flatten(p, 16);
    struct objects *objects = objects_create(flat, 6, 0);
    const struct object *g = &objects->items[objects->global_object[0]];
    assert_int_equal(g->kind, OBJECT_GLOBAL);
    assert_int_equal(g->layout, LAYOUT_CELLS);
    assert_int_equal(g->cell_count, 1);
    size_t arrays = 0;
    for (size_t i = 1; i < objects->count; i++) {
        const struct object *o = &objects->items[i];
        if (o->kind != OBJECT_LOCAL || o->bytes != 16)
            continue;
        arrays++;
        assert_int_equal(o->layout, LAYOUT_CELLS);
        assert_int_equal(o->cell_count, 1); // one element is used
        assert_int_equal(o->cells[0].offset, 4);
    }
    assert_int_equal(arrays, 1);
    objects_destroy(objects);
    flat_destroy(flat);
    program_destroy(p);
}

// The interpreter.

struct inputs {
    const uint64_t *values;
    size_t count, next;
    size_t stores, enters;
    uint32_t deepest;
};

static program_word give(void *context, const struct instruction *at)
{
    (void)at;
    struct inputs *in = context;
    return in->next < in->count ? in->values[in->next++] : 0;
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
    struct inputs *in = context;
    in->stores += event->kind == EVENT_STORE;
    in->enters += event->kind == EVENT_ENTER;
    if (event->depth > in->deepest)
        in->deepest = event->depth;
}

static struct run_result run(const struct program *p, uint64_t input, uint32_t depth,
                             struct inputs *in)
{
    struct flat *flat = flatten(p, depth);
    const struct program_question question = {.property = PROPERTY_CALL, .name = "reach_error"};
    *in = (struct inputs){&input, 1, 0, 0, 0, 0};
    const struct run_source source = {in, give, fill, listen};
    struct run_result result = interpret(flat, &question, &source, 10000);
    flat_destroy(flat);
    return result;
}

static void test_interpret(void **state)
{
    (void)state;
    struct program *p = read_program(PROGRAM);
    struct inputs in;
    struct run_result result = run(p, 7, 16, &in);
    assert_int_equal(result.end, RUN_VIOLATION);
    assert_int_equal(result.at.line, 16);
    assert_int_equal(in.stores, 3); // i, g, a[1]
    assert_true(in.enters >= 3);    // f three times
    assert_int_equal(run(p, 8, 16, &in).end, RUN_ENDED);
    assert_int_equal(run(p, 7, 2, &in).end, RUN_BOUND);
    program_destroy(p);
}

// With a stack: as with copies, however deep it goes, and calls that have no end have one.
static void test_deep(void **state)
{
    (void)state;
    for (int endless = 0; endless < 2; endless++) {
        char *text = memory_strdup(PROGRAM), *less = strstr(text, "I sub");
        if (endless)
            memcpy(less, "I add", 5);
        struct program *p = read_program(text);
        const struct flat_options options = {"reach_error", 2, 10000};
        struct flat *deep = flat_create_deep(p, &options, false);
        const struct program_question question = {.property = PROPERTY_CALL, .name = "reach_error"};
        uint64_t input = 7;
        struct inputs in = {&input, 1, 0, 0, 0, 0};
        const struct run_source source = {&in, give, fill, listen};
        assert_int_equal(deep->procedures.count, 1);
        struct run_result result = interpret(deep, &question, &source, 10000000);
        assert_int_equal(result.end, endless ? RUN_DEEP : RUN_VIOLATION);
        assert_int_equal(result.at.line, endless ? 6 : 16);
        if (!endless) {
            assert_int_equal(in.stores, 3);
            assert_int_equal(in.enters, 4);
            assert_int_equal(in.deepest, 3);
        }
        flat_destroy(deep);
        program_destroy(p);
        memory_free(text);
    }
}

// The model: an edge into the error, and one that is a limit where recursion was cut.

static const struct dialect words = {.name = "c", .terms = PRINT_CFA};

static struct model *translate(struct program *p, uint32_t depth, struct translation_result *result)
{
    struct messages messages;
    messages_init(&messages);
    struct program_question question = {.property = PROPERTY_CALL, .name = "reach_error"};
    struct flat *flat = flatten(p, depth);
    struct objects *objects = objects_create(flat, 6, 0);
    struct arena arena;
    arena_init(&arena);
    const struct flat_options options = {"reach_error", depth, 10000, false};
    struct model_judge *judge = program_judge_create(p, flat, flat_create_plain(flat, &options),
                                                     objects, &question, &arena, "again");
    struct model *model =
        translate_program(objects, &words, &question, false, judge, result, &messages);
    assert_non_null(model);
    program_judge_learn(judge, result);
    messages_finish(&messages);
    return model;
}

static void test_translate(void **state)
{
    (void)state;
    for (uint32_t depth = 2; depth <= 16; depth += 14) {
        struct translation_result result;
        struct model *model = translate(read_program(PROGRAM), depth, &result);
        size_t errors = 0, limits = 0;
        for (uint32_t e = 0; e < model->edge_count; e++) {
            errors += model->edges[e]->target == model->error && model->edges[e]->limit == NULL;
            limits += model->edges[e]->limit != NULL;
        }
        assert_true(depth == 2 || errors >= 1); // f(2) runs into the cut in any case
        assert_true((limits > 0) == result.has_cuts);
        assert_true((model->judge->retry != NULL) == result.has_cuts);
        model_destroy(model);
    }
}

// Source text.

static const char SOURCE[] = "#define N(x) { x; }\n"                       // 1
                             "int f(int v) { /* } ; */ return v; }\n"      // 2
                             "int main(void)\n"                            // 3
                             "{\n"                                         // 4
                             "    int a[2] = {1, 2}, s = ';';\n"           // 5
                             "    for (int i = 0; i < 2; i++)\n"           // 6
                             "        if (a[i] == f( f(i) )) { s = 1; }\n" // 7
                             "        else s = a[0] ? 1 : 2;\n"            // 8
                             "    { int i = 3; s = i; }\n"                 // 9
                             "out: return s;\n"                            // 10
                             "}\n";

static void assert_statement(const struct source *s, unsigned line, unsigned column,
                             const char *expected)
{
    size_t start, end;
    assert_true(source_statement(s, source_offset(s, line, column), &start, &end));
    assert_int_equal(end - start, strlen(expected));
    assert_memory_equal(s->text + start, expected, end - start);
}

static void test_source(void **state)
{
    (void)state;
    struct source *s = source_of("s.c", SOURCE, strlen(SOURCE));
    assert_statement(s, 2, 33, "return v;");
    assert_statement(s, 5, 9, "int a[2] = {1, 2}, s = ';';");
    assert_statement(s, 6, 21, "for (int i = 0; i < 2; i++)");
    assert_statement(s, 7, 20, "if (a[i] == f( f(i) ))");
    assert_statement(s, 7, 34, "s = 1;");
    assert_statement(s, 8, 16, "s = a[0] ? 1 : 2;");
    assert_statement(s, 10, 6, "return s;");
    unsigned line, column;
    source_position(s, source_call_end(s, source_offset(s, 7, 21), "f"), &line, &column);
    assert_int_equal(line, 7);
    assert_int_equal(column, 29);
    assert_true(source_call_end(s, source_offset(s, 7, 21), "g") == SOURCE_NOWHERE);
    source_position(s, source_scope_end(s, source_offset(s, 6, 5)), &line, &column);
    assert_int_equal(line, 7); // the first branch: where an `else` follows is not looked at
    source_position(s, source_scope_end(s, source_offset(s, 9, 5)), &line, &column);
    assert_int_equal(line, 9);
    assert_int_equal(column, 25);
    assert_true(source_offset(s, 99, 1) == SOURCE_NOWHERE);
    assert_true(source_offset(s, 4, 9) == SOURCE_NOWHERE);
    source_destroy(s);
}

// A term in C's words, read back and run, has the term's value.

static const char *same_name(const void *context, const char *variable, const char **type)
{
    (void)context;
    *type = strcmp(variable, "i") == 0 ? "int" : "unsigned int";
    return variable;
}

static const struct term *random_bits(struct term_store *store, struct random *random,
                                      unsigned depth)
{
    const struct sort *sort = sort_bv(store, 32);
    unsigned kind =
        depth == 0 ? (unsigned)random_below(random, 3) : 3 + (unsigned)random_below(random, 10);
    if (kind == 0)
        return term_var(store, "i", sort);
    if (kind == 1)
        return term_var(store, "g", sort);
    if (kind == 2)
        return term_bv(store, 32, random_next(random));
    const struct term *a = random_bits(store, random, depth - 1);
    const struct term *b = random_bits(store, random, depth - 1);
    const struct term *five = term_bv(store, 32, 5);
    switch (kind) {
    case 3:
        return term_bv_binary(store, TERM_BV_ADD, a, b);
    case 4:
        return term_bv_binary(store, TERM_BV_MUL, a, b);
    case 5:
        return term_bv_binary(store, TERM_BV_AND, a, b);
    case 6:
        return term_bv_binary(store, TERM_BV_OR, a, b);
    case 7:
        return term_bv_binary(store, TERM_BV_XOR, a, b);
    case 8:
        return term_bv_binary(store, TERM_BV_SHL, a, five);
    case 9:
        return term_bv_binary(store, TERM_BV_LSHR, a, five);
    case 10:
        return term_bv_binary(store, TERM_BV_UREM, a, five);
    case 11:
        return term_bv_extend(store, TERM_BV_SEXT, term_bv_extract(store, a, 12, 5), 32);
    default:
        return term_bv_extend(store, TERM_BV_ZEXT, term_bv_extract(store, a, 31, 16), 32);
    }
}

// In main behind the store to `i`: the expression decides about the error.
static enum run_end run_with(const char *expression, uint64_t i)
{
    struct program *p = read_program(PROGRAM);
    struct function *f = (struct function *)program_find_function(p, "main");
    struct source *source = source_of("s.c", SOURCE, strlen(SOURCE));
    struct expression_place place = {.program = p,
                                     .function = f,
                                     .source = source,
                                     .offset = source->bytes - 1,
                                     .at = {p->files[0], 1, 1}};
    struct operand truth;
    struct messages messages;
    messages_init(&messages);
    // The comparison at the end of the first block gives way.
    struct instruction branch = f->blocks[0].instructions[--f->blocks[0].count];
    bool good = expression_compile(&place, expression, branch.at, &f->blocks[0], &truth, &messages);
    if (!good)
        messages_print(&messages, stderr);
    assert_true(good);
    branch.operands[0] = truth;
    f->blocks[0].instructions = memory_realloc(
        f->blocks[0].instructions, (f->blocks[0].count + 1) * sizeof *f->blocks[0].instructions);
    f->blocks[0].capacity = f->blocks[0].count + 1;
    f->blocks[0].instructions[f->blocks[0].count++] = branch;
    struct inputs in;
    enum run_end end = run(p, i, 16, &in).end;
    messages_finish(&messages);
    source_destroy(source);
    program_destroy(p);
    return end;
}

static void test_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t i;
        bool holds;
    } rows[] = {
        {"i == 3 && g == 7", 3, true},
        {"i < 0", 0xffffffff, true},
        {"i < 10u", 0xffffffff, false}, // converted
        {"(long long)i + 2147483647 > 0", 0x7fffffff, true},
        {"i + 2147483647 > 0", 0x7fffffff, false}, // wraps
        {"i % 4 == -1", 0xffffffff, true},
        {"(unsigned char)i == 255", 0xffffffff, true},
        {"(i >> 1) == -1 && ((unsigned)i >> 31) == 1", 0xffffffff, true},
        {"i == 'a' || !(i != 98)", 98, true},
        {"i ? g == 7 : g == 8", 0, false},
        {"~i == 0 & -i == 1 ^ 0", 0xffffffff, true},
        {"i == 0x80000000", 0x80000000, true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        assert_int_equal(run_with(rows[k].text, rows[k].i),
                         rows[k].holds ? RUN_VIOLATION : RUN_ENDED);
}

struct fixing {
    struct term_store *store;
    uint64_t i;
};

static const struct term *fix(void *context, const struct term *variable)
{
    const struct fixing *f = context;
    return term_bv(f->store, 32, strcmp(variable->u.var.name, "i") == 0 ? f->i : 7);
}

static void test_formulas(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 17);
    for (unsigned round = 0; round < 60; round++) {
        struct term_store *store = term_store_create(NULL);
        const struct term *a = random_bits(store, &random, 2), *b = random_bits(store, &random, 2);
        const struct term *formula = round % 3 == 0   ? term_bv_binary(store, TERM_BV_SLT, a, b)
                                     : round % 3 == 1 ? term_bv_binary(store, TERM_BV_ULE, a, b)
                                                      : term_not(store, term_eq(store, a, b));
        const struct witness_scope scope = {same_name, NULL, true};
        struct text text;
        text_init(&text);
        assert_true(witness_formula(&text, &scope, formula));
        uint64_t i = round % 2 == 0 ? random_next(&random) & 0xffffffffu : random_below(&random, 9);
        struct fixing fixing = {store, i};
        const struct term *fixed = rewrite_substitute(store, formula, fix, &fixing);
        assert_true(term_is_true(fixed) || term_is_false(fixed));
        assert_int_equal(run_with(text_string(&text), i),
                         term_is_true(fixed) ? RUN_VIOLATION : RUN_ENDED);
        text_finish(&text);
        term_store_destroy(store);
    }
}

// Witnesses.

#define HEAD                                                                                       \
    "- entry_type: violation_sequence\n  metadata: { format_version: \"2.0\" }\n  content:\n"

static void assert_witness(const char *text, unsigned line, const char *expected)
{
    struct messages messages;
    messages_init(&messages);
    struct witness *w = witness_read("w.yml", text, strlen(text), &messages);
    if (expected == NULL) {
        assert_non_null(w);
    } else {
        assert_null(w);
        assert_int_equal(messages.items[0].line, line);
        assert_non_null(strstr(messages.items[0].text, expected));
    }
    witness_destroy(w);
    messages_finish(&messages);
}

static void test_witnesses(void **state)
{
    (void)state;
    assert_witness(HEAD "  - segment:\n    - waypoint: {type: target, action: follow, location: "
                        "{file_name: a, line: 3}}\n",
                   0, NULL);
    assert_witness(HEAD "  - segment:\n    - waypoint: {type: target, action: avoid, location: "
                        "{file_name: a, line: 3}}\n",
                   5, "expected waypoints to avoid and then one to follow");
    assert_witness(HEAD "  - segment:\n    - waypoint: {type: assumption, action: follow, "
                        "location: {file_name: a, line: 3}}\n",
                   5, "expected a target");
    assert_witness(HEAD "  - segment: 7\n", 4, "expected the list `segment`");
    assert_witness(HEAD "    []\n", 1, "found no segment");
    assert_witness("- entry_type: ghosts\n", 1, "expected an entry of type");
    assert_witness(
        "- {entry_type: invariant_set, metadata: {format_version: \"1.0\"}, content: []}\n", 1,
        "version 2.0");
    assert_witness("a: [b\n", 2, "expected YAML");
    assert_witness("7\n", 1, "expected a list of entries");
    static char brackets[200001]; // endless otherwise
    memset(brackets, '[', sizeof brackets - 1);
    assert_witness(brackets, 1, "open brackets, expected a witness");
    assert_witness("entry_type: precondition\nmetadata: {}\n", 1, "expected an entry of type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),   cmocka_unit_test(test_read),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_flat),
        cmocka_unit_test(test_objects),  cmocka_unit_test(test_interpret),
        cmocka_unit_test(test_deep),     cmocka_unit_test(test_translate),
        cmocka_unit_test(test_source),   cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_formulas), cmocka_unit_test(test_witnesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
