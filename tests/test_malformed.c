#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "languages/registry/registry.h"
#include "languages/registry/task_definition.h"

// Inputs with what is to be said about them. In tests/malformed/<language>/ every input NAME.<ext> is
// read, with NAME.prop or NAME.prp as its property file, or with the first line of NAME.inline as a
// property given on the command line. The messages have to be those of NAME.expected, in order:
// `line:column: kind: text` (without line and column when a message has none). There has to be a
// model exactly when none of them is an error or "not supported".
//
// REGATTA_UPDATE=1 in the environment writes the .expected files instead: look at the difference.

#define ROOT SOURCE_DIR "/tests/malformed"

static char *companion(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    struct text text;
    text_init(&text);
    text_add_bytes(&text, path, (size_t)(dot - path));
    text_add(&text, extension);
    return text_steal(&text);
}

static bool exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

// Caller frees; NULL when the input has no property beside it.
static char *property_for(const char *path)
{
    static const char *const FILES[] = {".prop", ".prp", ".inline"};
    for (size_t i = 0; i < 3; i++) {
        char *name = companion(path, FILES[i]);
        if (exists(name) && i < 2)
            return name;
        char *contents = exists(name) ? text_read_file(name, NULL) : NULL;
        memory_free(name);
        if (contents != NULL) {
            contents[strcspn(contents, "\n")] = '\0';
            return contents;
        }
    }
    return NULL;
}

static void write_messages(struct text *out, const struct messages *messages)
{
    static const char *const KIND[] = {"note", "warning", "error", "not supported"};
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *message = &messages->items[i];
        if (message->line != 0)
            text_printf(out, "%u:", message->line);
        if (message->line != 0 && message->column != 0)
            text_printf(out, "%u:", message->column);
        if (message->line != 0)
            text_add(out, " ");
        text_printf(out, "%s: %s\n", KIND[message->kind], message->text);
    }
}

// Reads the input; true when it was accepted.
static bool read_input(const char *path, struct messages *messages)
{
    if (strcmp(strrchr(path, '.'), ".yml") == 0) {
        struct task_definition task;
        bool good = task_definition_read(path, &task, messages);
        if (good)
            task_definition_finish(&task);
        return good;
    }
    char *property = property_for(path);
    struct model *model = language_load(path, property, PROPERTY_AT_ALL, NULL, messages);
    bool good = model != NULL;
    model_destroy(model);
    memory_free(property);
    return good;
}

// 0 when all is as expected.
static int check_input(const char *path)
{
    struct messages messages;
    struct text found;
    messages_init(&messages);
    text_init(&found);
    bool accepted = read_input(path, &messages);
    write_messages(&found, &messages);
    char *expected_path = companion(path, ".expected");
    char *expected = exists(expected_path) ? text_read_file(expected_path, NULL) : NULL;
    int wrong = 0;
    if (getenv("REGATTA_UPDATE") != NULL) {
        FILE *file = fopen(expected_path, "w");
        assert_non_null(file);
        fputs(text_string(&found), file);
        fclose(file);
    } else if (expected == NULL || strcmp(expected, text_string(&found)) != 0) {
        print_error("%s\nexpected:\n%sfound:\n%s", path,
                    expected != NULL ? expected : "(no file)\n", text_string(&found));
        wrong = 1;
    }
    if (accepted == messages_failed(&messages)) {
        print_error("%s: %s\n", path,
                    accepted ? "a model in spite of errors" : "no model, no error");
        wrong = 1;
    }
    memory_free(expected);
    memory_free(expected_path);
    text_finish(&found);
    messages_finish(&messages);
    return wrong;
}

static void check_folder(const char *name, const char *extension, size_t least)
{
    char folder[1000];
    snprintf(folder, sizeof folder, "%s/%s", ROOT, name);
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0) {
        print_message("%s is not there\n", folder);
        skip();
    }
    int wrong = 0;
    size_t seen = 0;
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char path[2000];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (dot != NULL && strcmp(dot, extension) == 0) {
            wrong += check_input(path);
            seen++;
        }
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(wrong, 0);
    assert_true(seen >= least);
}

static void test_xsts(void **state)
{
    (void)state;
    check_folder("xsts", ".xsts", 30);
}

static void test_cfa(void **state)
{
    (void)state;
    check_folder("cfa", ".cfa", 1);
}

static void test_sts(void **state)
{
    (void)state;
    check_folder("sts", ".system", 1);
}

static void test_chc(void **state)
{
    (void)state;
    check_folder("chc", ".smt2", 15);
}

static void test_petri(void **state)
{
    (void)state;
    check_folder("petri", ".pnml", 20);
    check_folder("petri", ".net", 10);
}

static void test_charts(void **state)
{
    (void)state;
    check_folder("scxml", ".scxml", 9);
    check_folder("gamma", ".gcd", 11);
}

static void test_umlrt(void **state)
{
    (void)state;
    check_folder("umlrt", ".cffsm", 12);
    check_folder("umlrt", ".uml", 8);
}

// Contracts are read by a compiler of their own, which may not be there.
static void test_solidity(void **state)
{
    (void)state;
    struct text found;
    struct text why;
    text_init(&found);
    text_init(&why);
    const char *home = getenv("HOME"), *data = getenv("XDG_DATA_HOME"),
               *chosen = getenv("REGATTA_SOLC");
    if (chosen != NULL)
        text_add(&found, chosen);
    else
        text_printf(&found, "%s%s/regatta/solidity",
                    data != NULL   ? data
                    : home != NULL ? home
                                   : "",
                    data != NULL ? "" : "/.local/share");
    text_add(&found, "/node_modules/solc-0.8/soljson.js");
    const char *node[] = {"node", "--version", NULL};
    struct text output;
    text_init(&output);
    bool there = exists(text_string(&found)) && program_run(node, &output, &why) == 0;
    text_finish(&output);
    text_finish(&found);
    text_finish(&why);
    if (!there) {
        print_message("no Node, or no Solidity compilers: see scripts/setup\n");
        skip();
    }
    setenv("REGATTA_SOLIDITY_CACHE", "-", 1);
    check_folder("solidity", ".sol", 11);
}

static void test_task(void **state)
{
    (void)state;
    check_folder("task", ".yml", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xsts),  cmocka_unit_test(test_cfa),   cmocka_unit_test(test_sts),
        cmocka_unit_test(test_chc),   cmocka_unit_test(test_petri), cmocka_unit_test(test_charts),
        cmocka_unit_test(test_umlrt), cmocka_unit_test(test_task),  cmocka_unit_test(test_solidity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
