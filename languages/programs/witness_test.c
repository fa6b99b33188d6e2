#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/vector.h"
#include "languages/programs/judge.h"
#include "languages/programs/real.h"
#include "languages/programs/witness.h"

// The test's functions: one for each that gave values, with these in a table; and those that checkers give meaning to.

struct given {
    const char *name;
    struct program_type type;
};

struct test {
    struct text *out;
    const struct story *story;
    const struct program *program;
    VECTOR(struct given) functions;
};

static const char prefix[] = "__VERIFIER_nondet_";

static const char *type_of(const struct given *g)
{
    static const struct {
        const char *name, *type;
    } known[] = {
        {"int", "int"},
        {"uint", "unsigned int"},
        {"unsigned", "unsigned int"},
        {"unsigned_int", "unsigned int"},
        {"char", "char"},
        {"schar", "signed char"},
        {"uchar", "unsigned char"},
        {"unsigned_char", "unsigned char"},
        {"short", "short"},
        {"ushort", "unsigned short"},
        {"unsigned_short", "unsigned short"},
        {"long", "long"},
        {"ulong", "unsigned long"},
        {"unsigned_long", "unsigned long"},
        {"longlong", "long long"},
        {"ulonglong", "unsigned long long"},
        {"size_t", "__SIZE_TYPE__"},
        {"bool", "_Bool"},
        {"_Bool", "_Bool"},
        {"float", "float"},
        {"double", "double"},
        {"longdouble", "long double"},
        {"long_double", "long double"},
        {"int128", "__int128"},
        {"uint128", "unsigned __int128"},
    };
    bool named = strncmp(g->name, prefix, sizeof prefix - 1) == 0;
    for (size_t i = 0; named && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, g->name + sizeof prefix - 1) == 0)
            return known[i].type;
    }
    if (g->type.kind == PROGRAM_FLOAT)
        return g->type.bits == 16   ? "_Float16"
               : g->type.bits == 32 ? "float"
               : g->type.bits == 64 ? "double"
                                    : "long double";
    return g->type.kind == PROGRAM_POINTER ? "void *"
           : g->type.bits == 1             ? "_Bool"
           : g->type.bits <= 8             ? "char"
           : g->type.bits <= 16            ? "short"
           : g->type.bits <= 32            ? "int"
           : g->type.bits <= 64            ? "long long"
                                           : "__int128";
}

// What the C library has is the library's.
static bool is_open(const char *name)
{
    static const char *const library[] = {"printf",  "puts",     "putchar", "fprintf",
                                          "sprintf", "snprintf", "fputs",   "fputc",
                                          "putc",    "fflush",   "perror",  "fclose"};
    for (size_t i = 0; i < sizeof library / sizeof library[0]; i++) {
        if (strcmp(library[i], name) == 0)
            return false;
    }
    return *name != '\0';
}

static void add_given(struct test *t, const char *name, struct program_type type)
{
    for (size_t k = 0; k < t->functions.count; k++)
        if (strcmp(t->functions.data[k].name, name) == 0)
            return;
    VECTOR_PUSH(&t->functions, ((struct given){name, type}));
}

// Those that gave something, and those that the run did not come to: the program is linked as a whole.
static void find_functions(struct test *t)
{
    for (size_t i = 0; i < t->story->input_count; i++) {
        const struct instruction *call = t->story->inputs[i].instruction;
        const char *name = flat_callee(t->story->flat, call);
        if (is_open(name))
            add_given(t, name, call->type);
    }
    for (size_t i = 0; i < t->program->function_count; i++) {
        const struct function *f = &t->program->functions[i];
        if (!f->defined && strncmp(f->name, prefix, sizeof prefix - 1) == 0 &&
            (f->result.kind == PROGRAM_INTEGER || f->result.kind == PROGRAM_FLOAT ||
             f->result.kind == PROGRAM_POINTER))
            add_given(t, f->name, f->result);
    }
}

// A number of this type, or so many bytes.
static void add_value(struct text *out, const char *type, program_word bits, unsigned bytes,
                      bool wide)
{
    if (bytes > 0) {
        for (unsigned i = 0; i < bytes; i++)
            text_printf(out, "%s%u", i == 0 ? "{" : ", ", (unsigned)(bits >> (8 * i)) & 255);
        text_add(out, "}");
    } else if (wide) {
        text_printf(out, "(%s)((unsigned __int128)%" PRIu64 "ULL << 64 | %" PRIu64 "ULL)", type,
                    (uint64_t)(bits >> 64), (uint64_t)bits);
    } else {
        text_printf(out, "(%s)%" PRIu64 "ULL", type, (uint64_t)bits);
    }
}

static void add_function(struct test *t, const struct given *g)
{
    bool real = g->type.kind == PROGRAM_FLOAT;
    const char *type = type_of(g), *bits = !real                ? type
                                           : g->type.bits == 16 ? "unsigned short"
                                           : g->type.bits == 32 ? "unsigned int"
                                           : g->type.bits == 64 ? "unsigned long long"
                                                                : "unsigned char";
    bool bytes = real && g->type.bits > 64; // which -m32 has no number for
    text_printf(t->out, "\n%s %s(void)\n{\n    static const %s values[]%s = {", type, g->name, bits,
                bytes ? "[10]" : "");
    size_t count = 0;
    for (size_t i = 0; i < t->story->input_count; i++) {
        const struct run_event *input = &t->story->inputs[i];
        if (strcmp(flat_callee(t->story->flat, input->instruction), g->name) != 0)
            continue;
        text_add(t->out, count == 0 ? "" : count % 6 == 0 ? ",\n        " : ", ");
        add_value(t->out, bits, input->bits, bytes ? 10 : 0, g->type.bits > 64);
        count++;
    }
    if (bytes) {
        text_printf(t->out,
                    "};\n    static unsigned next;\n    %s result = 0;\n    if (next < %zu)\n"
                    "        __builtin_memcpy(&result, values[next], 10);\n    next++;\n"
                    "    return result;\n}\n",
                    type, count);
        return;
    }
    text_printf(t->out,
                "};\n    static unsigned next;\n    %s value = next < %zu ? values[next] : 0;\n    "
                "next++;\n",
                bits, count);
    if (real)
        text_printf(t->out,
                    "    %s result;\n    __builtin_memcpy(&result, &value, sizeof result);\n    "
                    "return result;\n}\n",
                    type);
    else
        text_add(t->out, "    return value;\n}\n");
}

static bool is_defined(const struct test *t, const char *name)
{
    const struct function *f = program_find_function(t->program, name);
    return f != NULL && f->defined;
}

// Is what must not be called a function of the program's own, which need not end the program?
static bool watches(const struct test *t, const struct program_question *question)
{
    return question->property == PROPERTY_CALL && is_defined(t, question->name);
}

static void add_end(struct test *t, const char *function, const char *what, const char *verb)
{
    text_printf(t->out,
                "\nvoid %s(void)\n{\n    puts(\"%s was %s\");\n    fflush(0);\n    abort();\n}\n",
                function, what, verb);
}

// A function that is called at each entry of the program's functions. Weak, as the one it looks for may be static.
static void add_watch(struct test *t, const char *name)
{
    static const char hidden[] = "__attribute__((no_instrument_function)) ";
    text_printf(t->out,
                "\nextern void %s(void) __attribute__((weak));\n"
                "%svoid __cyg_profile_func_exit(void *function, void *from)\n{\n}\n"
                "%svoid __cyg_profile_func_enter(void *function, void *from)\n{\n"
                "    if (function == (void *)%s) {\n        puts(\"%s was called\");\n"
                "        fflush(0);\n        abort();\n    }\n}\n",
                name, hidden, hidden, name, name);
}

// scanf and its like: the values come from the functions that give the run's inputs, all conversions succeed.
static const char scan_body[] =
    "\nstatic int test_scan(const char *at, __builtin_va_list list)\n{\n"
    "    int count = 0;\n"
    "    while (*at != 0) {\n"
    "        int longs = 0, shorts = 0, width = 0;\n"
    "        if (*at++ != '%')\n            continue;\n"
    "        int skipped = *at == '*';\n"
    "        for (;; at++) {\n"
    "            if (*at == 'l' || *at == 'z' || *at == 't')\n                longs++;\n"
    "            else if (*at == 'j' || *at == 'q' || *at == 'L')\n                longs += 2;\n"
    "            else if (*at == 'h')\n                shorts++;\n"
    "            else if (*at >= '0' && *at <= '9')\n                width = 10 * width + *at - "
    "'0';\n"
    "            else if (*at != '*')\n                break;\n"
    "        }\n"
    "        char c = *at++;\n"
    "        if (c == '%' || skipped)\n            continue;\n"
    "        if (c == 's' || c == '[') {\n"
    "            char *to = __builtin_va_arg(list, char *), next = 1;\n"
    "            int i = 0;\n"
    "            for (; width == 0 || i < width; i++) {\n"
    "                next = __VERIFIER_nondet_char();\n"
    "                if (next == 0)\n                    break;\n"
    "                to[i] = next;\n            }\n"
    "            to[i] = 0;\n            count++;\n            continue;\n        }\n"
    "        int real = c >= 'a' && c <= 'g' && c != 'c' && c != 'd' || c == 'E' || c == 'G';\n"
    "        int bytes = c == 'c'      ? 1\n"
    "                    : real        ? (longs ? 8 : 4)\n"
    "                    : longs == 1  ? (int)sizeof(long)\n"
    "                    : longs       ? 8\n"
    "                    : shorts == 0 ? 4\n"
    "                    : shorts == 1 ? 2\n"
    "                                  : 1;\n"
    "        void *to = __builtin_va_arg(list, void *);\n"
    "        if (bytes == 1)\n            *(char *)to = __VERIFIER_nondet_char();\n"
    "        else if (bytes == 2)\n            *(short *)to = __VERIFIER_nondet_short();\n"
    "        else if (bytes == 4)\n            *(int *)to = __VERIFIER_nondet_int();\n"
    "        else\n            *(long long *)to = __VERIFIER_nondet_longlong();\n"
    "        count++;\n    }\n    return count;\n}\n";

// A function that what follows takes inputs from: declared when it is there, else it gives zeros.
static void add_input(struct test *t, const char *name, const char *type)
{
    for (size_t g = 0; g < t->functions.count; g++) {
        if (strcmp(t->functions.data[g].name, name) == 0)
            return; // it is there
    }
    const char *body = is_defined(t, name) ? ";" : "\n{\n    return 0;\n}";
    text_printf(t->out, "\n%s %s(void)%s\n", type, name, body);
    VECTOR_PUSH(&t->functions, ((struct given){name, {PROGRAM_INTEGER, 32}}));
}

static void add_scans(struct test *t)
{
    static const char *const values[][2] = {{"__VERIFIER_nondet_char", "char"},
                                            {"__VERIFIER_nondet_short", "short"},
                                            {"__VERIFIER_nondet_int", "int"},
                                            {"__VERIFIER_nondet_longlong", "long long"}};
    static const char *const scans[][2] = {{"scanf", ""},
                                           {"__isoc99_scanf", ""},
                                           {"__isoc23_scanf", ""},
                                           {"__isoc23_fscanf", "void *file, "},
                                           {"fscanf", "void *file, "},
                                           {"__isoc99_fscanf", "void *file, "}};
    bool any = false;
    for (size_t i = 0; i < sizeof scans / sizeof scans[0]; i++) {
        const struct function *f = program_find_function(t->program, scans[i][0]);
        if (f == NULL || f->defined)
            continue;
        for (size_t k = 0; k < sizeof values / sizeof values[0] && !any; k++)
            add_input(t, values[k][0], values[k][1]);
        if (!any)
            text_add(t->out, scan_body);
        any = true;
        text_printf(t->out,
                    "\nint %s(%sconst char *format, ...)\n{\n    __builtin_va_list list;\n"
                    "    __builtin_va_start(list, format);\n"
                    "    int count = test_scan(format, list);\n    __builtin_va_end(list);\n"
                    "    return count;\n}\n",
                    scans[i][0], scans[i][1]);
    }
}

#define ASSUMES(name, type)                                                                        \
    "void " name "(" type " holds)\n{\n    if (!holds)\n        _Exit(0);\n}\n"

// May this be a function of the program's own? Our library's have no lines. A sanitizer's functions are weak, these must come before them.
static bool is_program_text(const struct test *t, const struct function *f)
{
    return f->line != 0 || program_find_function(t->program, "main")->line == 0;
}

// What our library defines for the program, and whoever builds the test lacks or has otherwise. The program's own are first.
static void add_known_functions(struct test *t, const struct program_question *question)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"__CPROVER_assume", ASSUMES("__CPROVER_assume", "int")},
        {"__ESBMC_assume", ASSUMES("__ESBMC_assume", "int")},
        {"klee_assume", ASSUMES("klee_assume", "unsigned long")},
        {"assume", ASSUMES("assume", "int")},
        {"assume_abort_if_not", ASSUMES("assume_abort_if_not", "int")},
        {"__CPROVER_assert", NULL},
        {"__ESBMC_assert", NULL},
        {"__VERIFIER_assert", NULL},
        {"__CPROVER_precondition", NULL},
        {"__CPROVER_postcondition", NULL},
        {"__goblint_assume", ASSUMES("__goblint_assume", "int")},
        {"__goblint_assert", NULL},
        {"__goblint_check", NULL},
        {"__llbmc_assume", ASSUMES("__llbmc_assume", "int")},
        {"__llbmc_assert", NULL},
        {"sassert", NULL},
        {"__VERIFIER_error", "void __VERIFIER_error(void)\n{\n    puts(\"__VERIFIER_error was "
                             "called\");\n    fflush(0);\n    abort();\n}\n"},
        {"klee_silent_exit", "void klee_silent_exit(int status)\n{\n    exit(status);\n}\n"},
        {"klee_choose", "__SIZE_TYPE__ klee_choose(__SIZE_TYPE__ n)\n{\n"
                        "    return (__SIZE_TYPE__)__VERIFIER_nondet_long();\n}\n"},
        {"memhavoc", "void memhavoc(void *to, __SIZE_TYPE__ n)\n{\n"
                     "    for (__SIZE_TYPE__ i = 0; i < n; i++)\n"
                     "        ((char *)to)[i] = __VERIFIER_nondet_char();\n}\n"},
        {"klee_make_symbolic",
         "void klee_make_symbolic(void *to, __SIZE_TYPE__ n, const char *name)\n{\n"
         "    for (__SIZE_TYPE__ i = 0; i < n; i++)\n"
         "        ((char *)to)[i] = __VERIFIER_nondet_char();\n}\n"},
        {"klee_int", "int klee_int(const char *name)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"klee_range", "int klee_range(int least, int behind, const char *name)\n{\n"
                       "    return __VERIFIER_nondet_int();\n}\n"},
        {"Frama_C_interval",
         "int Frama_C_interval(int least, int most)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"Frama_C_nondet",
         "int Frama_C_nondet(int a, int b)\n{\n    return __VERIFIER_nondet_int() == 0 ? a : "
         "b;\n}\n"},
        {"rand", "int rand(void)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"random", "long random(void)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"time", "long time(long *to)\n{\n    long now = __VERIFIER_nondet_long();\n"
                 "    if (to != 0)\n        *to = now;\n    return now;\n}\n"},
        {"getchar", "int getchar(void)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"getchar_unlocked",
         "int getchar_unlocked(void)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"getc", "int getc(void *file)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"fgetc", "int fgetc(void *file)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"fgets",
         "char *fgets(char *to, int count, void *file)\n{\n"
         "    if (count <= 0 || __VERIFIER_nondet_int() == 0)\n        return 0;\n    int i = 0;\n"
         "    for (; i < count - 1; i++) {\n        to[i] = __VERIFIER_nondet_char();\n"
         "        if (to[i] == 0)\n            break;\n    }\n"
         "    to[i] = 0;\n    return to;\n}\n"},
        {"fread",
         "__SIZE_TYPE__ fread(void *to, __SIZE_TYPE__ size, __SIZE_TYPE__ count, void *file)\n{\n"
         "    __SIZE_TYPE__ n = __VERIFIER_nondet_uint();\n"
         "    for (__SIZE_TYPE__ i = 0; i < n * size; i++)\n"
         "        ((char *)to)[i] = __VERIFIER_nondet_char();\n    return n;\n}\n"},
        {"read", "__PTRDIFF_TYPE__ read(int file, void *to, __SIZE_TYPE__ count)\n{\n"
                 "    int n = __VERIFIER_nondet_int();\n    for (int i = 0; i < n; i++)\n"
                 "        ((char *)to)[i] = __VERIFIER_nondet_char();\n    return n;\n}\n"},
        {"fopen", "void *fopen(const char *name, const char *how)\n{\n    static int file;\n"
                  "    return __VERIFIER_nondet_int() != 0 ? &file : 0;\n}\n"},
        {"fclose", "int fclose(void *file)\n{\n    return -(__VERIFIER_nondet_int() != 0);\n}\n"},
        {"feof", "int feof(void *file)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
        {"ferror", "int ferror(void *file)\n{\n    return __VERIFIER_nondet_int();\n}\n"},
    };
    static const char *const inputs[][2] = {{"__VERIFIER_nondet_char", "char"},
                                            {"__VERIFIER_nondet_int", "int"},
                                            {"__VERIFIER_nondet_uint", "unsigned int"},
                                            {"__VERIFIER_nondet_long", "long"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct function *f = program_find_function(t->program, rows[i].name);
        if (f == NULL)
            continue;
        const char *weak = is_program_text(t, f) ? "__attribute__((weak)) " : "";
        for (size_t k = 0; rows[i].text != NULL && k < sizeof inputs / sizeof inputs[0]; k++) {
            if (strstr(rows[i].text, inputs[k][0]) != NULL)
                add_input(t, inputs[k][0], inputs[k][1]);
        }
        if (rows[i].text != NULL)
            text_printf(t->out, "\n%s%s", weak, rows[i].text);
        else
            text_printf(t->out,
                        "\n%svoid %s(int holds, ...)\n{\n    if (holds)\n"
                        "        return;\n    puts(\"%s was called\");\n    fflush(0);\n"
                        "    abort();\n}\n",
                        weak, rows[i].name, question->name == NULL ? "a failure" : question->name);
    }
}

// Functions of strangers that give nothing and are told something: in the run they change nothing.
static void add_silent_functions(struct test *t, const struct program_question *question)
{
    for (size_t i = 0; i < t->program->function_count; i++) {
        const struct function *f = &t->program->functions[i];
        bool own = f->name[0] == '_' || strncmp(f->name, "llvm.", 5) == 0 ||
                   real_library_has(f->name) || program_question_names(question, f->name);
        if (!f->defined && !own && f->result.kind == PROGRAM_VOID && f->parameter_count > 0)
            text_printf(t->out, "\n__attribute__((weak)) void %s()\n{\n}\n", f->name);
    }
}

static void add_checkers(struct test *t, const struct program_question *question)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"__VERIFIER_assume", ASSUMES("__VERIFIER_assume", "int")},
        {"__VERIFIER_atomic_begin", "void __VERIFIER_atomic_begin(void)\n{\n}\n"},
        {"__VERIFIER_atomic_end", "void __VERIFIER_atomic_end(void)\n{\n}\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (program_find_function(t->program, rows[i].name) != NULL && !is_defined(t, rows[i].name))
            text_printf(t->out, "\n%s", rows[i].text);
    }
    add_known_functions(t, question);
    if (question->property == PROPERTY_LABEL)
        add_end(t, "test_reached", question->name, "reached");
    else if (watches(t, question))
        add_watch(t, question->name);
    else if (question->property == PROPERTY_CALL && !is_defined(t, question->name) &&
             strcmp(question->name, "__assert_fail") != 0)
        add_end(t, question->name, question->name, "called");
}

// Frames of functions that have returned may still hold addresses where the sanitizer looks for what is left: they are overwritten
// before it does.
static const char forget[] =
    "\n__attribute__((no_sanitize(\"address\"))) static void test_forget(void)\n{\n"
    "    volatile char old[16384];\n"
    "    for (unsigned i = 0; i < sizeof old; i++)\n        old[i] = 0;\n}\n";

static bool looks_at_memory(const struct program_question *question)
{
    return question->property == PROPERTY_MEMSAFETY || question->property == PROPERTY_MEMCLEANUP;
}

static bool wraps_main(const struct test *t, const struct program_question *question)
{
    return looks_at_memory(question) || t->story->text_count > 0;
}

// What main is given, in objects of its own. Where it was given more than were looked at, there are only the pointers' places.
static bool add_texts(struct test *t, const char *name)
{
    const struct story_text *texts = t->story->texts;
    uint64_t count = 0;
    bool found = false;
    for (size_t i = 0; i < t->story->text_count; i++) {
        if (strcmp(texts[i].name, name) != 0)
            continue;
        found = true;
        if (texts[i].text == NULL)
            continue;
        text_printf(t->out, "static char test_%s_%" PRIu64 "[] = ", name, texts[i].which);
        story_text_words(t->out, &texts[i]);
        text_add(t->out, ";\n");
        count++;
    }
    if (!found)
        return false;
    text_printf(t->out, "static char *test_%s[] = {", name);
    for (uint64_t k = 0; k < count; k++)
        text_printf(t->out, "test_%s_%" PRIu64 ", ", name, k);
    text_add(t->out, "0};\n");
    return true;
}

static void add_main(struct test *t, const struct program_question *question)
{
    const bool forgets = looks_at_memory(question);
    if (!wraps_main(t, question))
        return;
    if (forgets)
        text_add(t->out, forget);
    text_add(t->out, "\n");
    const bool argv = add_texts(t, "argv"), envp = add_texts(t, "envp");
    text_add(t->out, "int __real_main(int, char **, char **);\n"
                     "int __wrap_main(int count, char **words, char **environment)\n{\n");
    for (size_t i = 0; argv && i < t->story->text_count; i++) {
        const struct story_text *one = &t->story->texts[i];
        if (one->text == NULL && strcmp(one->name, "argv") == 0)
            text_printf(t->out, "    count = %" PRIu64 ";\n", one->which);
    }
    text_printf(t->out, "    int result = __real_main(count, %s, %s);\n",
                argv ? "test_argv" : "words", envp ? "test_envp" : "environment");
    text_printf(t->out, "%s    return result;\n}\n", forgets ? "    test_forget();\n" : "");
}

static const char *sanitizers(const struct program_question *question)
{
    return question->property == PROPERTY_OVERFLOW
               ? " -fsanitize=signed-integer-overflow,shift-base -fno-sanitize-recover=all"
           : looks_at_memory(question) ? " -fsanitize=address -fsanitize-address-use-after-scope"
                                       : "";
}

// How it is built. What may reach a label calls a function there, in a copy.
static void add_command(const struct test *t, const struct program_question *question)
{
    const char *file = t->program->files[0];
    const bool label = question->property == PROPERTY_LABEL;
    text_add(t->out, "// ");
    if (label) {
        text_printf(t->out,
                    "sed -E 's/(^|[^A-Za-z0-9_])%s[ \t]*:/\\1%s: { extern void test_reached(void); "
                    "test_reached(); }/' ",
                    question->name, question->name);
        text_add_name(t->out, file);
        text_add(t->out, " > labelled.c && ");
    }
    text_printf(t->out, "clang -std=gnu17 -m%u -O0 -g -w%s%s%s ",
                (unsigned)t->program->pointer_bits, sanitizers(question),
                wraps_main(t, question) ? " -Wl,--wrap=main" : "",
                watches(t, question) ? " -finstrument-functions" : "");
    text_add_name(t->out, label ? "labelled.c" : file);
    text_add(t->out, " THIS_FILE && ./a.out\n");
}

void witness_print_test(struct text *out, const struct trace *trace)
{
    struct story *story = story_create(trace);
    const struct program_question *question = program_judge_question(trace->model->judge);
    struct test t = {.out = out, .story = story, .program = story->flat->program};
    const bool endless = question->property == PROPERTY_TERMINATION;
    const struct position *at = &story->result.at;
    // Paths are a stranger's words: an end of line in one would be code here.
    text_add(out, "// Violates ");
    text_add_name(out, story->result.what);
    if (at->line > 0) {
        text_add(out, " at ");
        text_add_name(out, at->path);
        text_printf(out, ":%u:%u", at->line, at->column);
    }
    text_printf(out, "%s, with the values below; variables without a value are arbitrary.\n",
                endless ? " (its first steps)" : "");
    if (story->result.outside.line > 0)
        text_add(out, "// Before it memory outside of every object is accessed: what this test "
                      "does then is not said.\n");
    if (story->flat->threads > 0)
        text_add(out, "// In which order threads run is left to the system.\n");
    add_command(&t, question);
    text_add(out, "extern int puts(const char *);\nextern int fflush(void *);\nextern void "
                  "abort(void) __attribute__((noreturn));\n"
                  "extern void _Exit(int) __attribute__((noreturn));\n");
    find_functions(&t);
    for (size_t i = 0; i < t.functions.count; i++)
        add_function(&t, &t.functions.data[i]);
    add_scans(&t);
    add_checkers(&t, question);
    add_silent_functions(&t, question);
    add_main(&t, question);
    VECTOR_FINISH(&t.functions);
    story_destroy(story);
}
