#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "languages/umlrt/question.h"
#include "languages/umlrt/text.h"
#include "languages/umlrt/translate.h"
#include "languages/umlrt/xmi.h"

// fuzz_capsules COUNT SEED FILE…: reads COUNT damaged copies of the files (.cffsm, .uml). There has to be a model exactly
// when there is no error, what is read can be printed, and what is printed can be read again.
//
// LLVMFuzzerTestOneInput does the same for one input: with clang -fsanitize=fuzzer and -DREGATTA_LIBFUZZER this file is a
// target of libFuzzer.

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_capsules: %s\n", what);
    abort();
}

static void read_again(const struct capsules *capsules, bool xmi)
{
    struct text printed = {0};
    struct messages messages;
    messages_init(&messages);
    capsules_print(capsules, &printed);
    struct capsules *again =
        cffsm_read("printed", text_string(&printed), printed.length, &messages);
    // (A name in XML may hold what a name in quotes cannot.)
    if (again == NULL && !xmi)
        fail("what was printed cannot be read");
    capsules_destroy(again);
    messages_finish(&messages);
    text_finish(&printed);
}

static void ask(struct capsules *capsules, const char *formula)
{
    struct messages messages;
    struct capsule_question question;
    messages_init(&messages);
    if (capsule_question_read(capsules, "formula", formula, &question, &messages)) {
        model_destroy(capsules_translate(capsules, &question, 2, "fuzz", &messages));
        capsule_question_finish(&question);
    } else if (!messages_failed(&messages)) {
        fail("no formula and no message");
    }
    messages_finish(&messages);
}

static void one_input(const char *data, size_t bytes, bool xmi)
{
    struct messages messages;
    messages_init(&messages);
    struct capsules *capsules = xmi ? umlrt_read_xmi("fuzz", data, bytes, 3, &messages)
                                    : cffsm_read("fuzz", data, bytes, &messages);
    if ((capsules == NULL) != messages_failed(&messages))
        fail(capsules == NULL ? "no model and no message" : "a model in spite of a message");
    if (capsules != NULL) {
        read_again(capsules, xmi);
        if (capsules->instances.count <= 8)
            ask(capsules, "EF (deadlock or <any> @ top)");
    } else {
        static const char HOLDER[] =
            "module M { attribute x: int; in a(v: int); location L; initial -> L; } top M;";
        struct messages more;
        messages_init(&more);
        capsules = cffsm_read("holder", HOLDER, strlen(HOLDER), &more);
        char *formula = memory_alloc(bytes + 1);
        memcpy(formula, data, bytes);
        formula[bytes] = '\0';
        ask(capsules, formula);
        memory_free(formula);
        messages_finish(&more);
    }
    capsules_destroy(capsules);
    messages_finish(&messages);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    char *text = memory_alloc(bytes + 1);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    one_input(text, bytes, bytes > 0 && text[0] == '<');
    memory_free(text);
    return 0;
}

#ifndef REGATTA_LIBFUZZER
// A few bytes changed, a piece cut out, or a piece doubled.
static size_t damage(struct random *random, char *text, size_t bytes, size_t room)
{
    static const char BYTES[] = "{}()[]<>;:,.\"'=+-*/&|!@#\n\0 0123456789abcxyz";
    for (uint64_t n = 1 + random_below(random, 4); n > 0 && bytes > 0; n--) {
        size_t at = random_below(random, bytes), length = 1 + random_below(random, 30);
        if (at + length > bytes)
            length = bytes - at;
        switch (random_below(random, 3)) {
        case 0:
            text[at] = BYTES[random_below(random, sizeof BYTES)];
            break;
        case 1:
            memmove(text + at, text + at + length, bytes - at - length);
            bytes -= length;
            break;
        default:
            if (bytes + length > room)
                break;
            memmove(text + at + length, text + at, bytes - at);
            bytes += length;
        }
    }
    text[bytes] = '\0';
    return bytes;
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fprintf(stderr, "usage: fuzz_capsules COUNT SEED FILE...\n");
        return 2;
    }
    struct random random;
    random_init(&random, strtoull(arguments[2], NULL, 10));
    uint64_t runs = strtoull(arguments[1], NULL, 10);
    for (int i = 3; i < count; i++) {
        size_t bytes;
        char *text = text_read_file(arguments[i], &bytes);
        if (text == NULL) {
            perror(arguments[i]);
            return 2;
        }
        size_t room = bytes + 200;
        char *copy = memory_alloc(room + 1);
        for (uint64_t r = 0; r < runs; r++) {
            memcpy(copy, text, bytes);
            size_t left = damage(&random, copy, bytes, room);
            one_input(copy, left, strstr(arguments[i], ".uml") != NULL);
        }
        memory_free(copy);
        memory_free(text);
    }
    printf("%llu inputs of each file\n", (unsigned long long)runs);
    return 0;
}
#endif
