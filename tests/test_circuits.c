#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/decide.h"
#include "tests/oracle_circuits.h"
#include "tests/part.h"

// Circuits: random ones in both forms of AIGER and in BTOR2, through several engines, against a small simulator that
// looks at every state; and what is said about malformed files.

struct tally {
    unsigned circuits, unsafe, answers;
};

// One circuit, written, through one engine. Whether it has an answer.
static bool agrees(const struct language *frontend, const struct text *text,
                   const char *configuration, enum verdict expected, uint64_t seed)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = decide_load(frontend, text, NULL, &messages);
    if (model == NULL)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, messages.items[0].text,
                 text_string(text));
    enum verdict verdict = decide_run_as(model, configuration, seed);
    if (verdict != VERDICT_UNKNOWN && verdict != expected)
        fail_msg("seed %llu, %s: %s, but looking at every state says %s\n%s",
                 (unsigned long long)seed, configuration, verdict_name(verdict),
                 verdict_name(expected), text_string(text));
    if (strncmp(configuration, "engine=ic3", 10) == 0)
        assert_int_equal(verdict, expected);
    model_destroy(model);
    messages_finish(&messages);
    return verdict != VERDICT_UNKNOWN;
}

static void tell_and_check(const struct tally *t)
{
    print_message("# %u circuits, %u unsafe; %u answers\n", t->circuits, t->unsafe, t->answers);
    assert_true(t->unsafe > 0 && t->unsafe < t->circuits);
}

static void engines_agree_on_circuits_of_bits(void **state)
{
    static const struct {
        const struct language *frontend;
        void (*write)(struct text *out, const struct bit_circuit *circuit);
        const char *configuration;
    } ways[] = {
        {&language_aiger, bit_circuit_write_ascii, "engine=ic3"},
        {&language_aiger, bit_circuit_write_ascii, "engine=kind"},
        {&language_aiger, bit_circuit_write_ascii, "engine=bmc"},
        {&language_aiger_binary, bit_circuit_write_binary, "engine=ic3"},
        {&language_btor2, bit_circuit_write_btor2, "engine=ic3"},
        {&language_btor2, bit_circuit_write_btor2, "engine=cegar"},
        {&language_aiger, bit_circuit_write_ascii, "engine=ic3,direction=BACKWARD"},
        {&language_aiger, bit_circuit_write_ascii, "engine=kind,direction=BACKWARD"},
        {&language_btor2, bit_circuit_write_btor2, "engine=ic3,direction=BACKWARD"},
        {&language_btor2, bit_circuit_write_btor2, "engine=bmc,direction=BACKWARD"},
    };
    (void)state;
    struct tally tally = {.circuits = part_models(40, 13)};
    for (uint64_t seed = 1; seed <= tally.circuits; seed++) {
        struct bit_circuit c = bit_circuit_random(seed);
        enum verdict expected = bit_circuit_reaches_bad(&c) ? VERDICT_UNSAFE : VERDICT_SAFE;
        tally.unsafe += expected == VERDICT_UNSAFE;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            struct text text;
            text_init(&text);
            ways[i].write(&text, &c);
            tally.answers += agrees(ways[i].frontend, &text, ways[i].configuration, expected, seed);
            text_finish(&text);
        }
    }
    tell_and_check(&tally);
}

static void engines_agree_on_circuits_of_words(void **state)
{
    static const char *const ways[] = {"engine=ic3", "engine=kind", "engine=bmc",
                                       "engine=ic3,direction=BACKWARD",
                                       "engine=kind,direction=BACKWARD"};
    (void)state;
    struct tally tally = {.circuits = part_models(60, 20)};
    for (uint64_t seed = 1; seed <= tally.circuits; seed++) {
        struct word_circuit c = word_circuit_random(seed);
        enum verdict expected = word_circuit_reaches_bad(&c) ? VERDICT_UNSAFE : VERDICT_SAFE;
        struct text text;
        tally.unsafe += expected == VERDICT_UNSAFE;
        text_init(&text);
        word_circuit_write(&text, &c);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            tally.answers += agrees(&language_btor2, &text, ways[i], expected, seed);
        text_finish(&text);
    }
    tell_and_check(&tally);
}

static const struct {
    const struct language *frontend;
    const char *text, *property;
    unsigned line, column;
    const char *said;
} malformed[] = {
    {&language_aiger, "", NULL, 1, 1, "`aag` or `aig`"},
    {&language_aiger, "agg 0 0 0 0 0\n", NULL, 1, 1, "`aag` or `aig`"},
    {&language_aiger, "aag 1 1 0\n", NULL, 1, 10, "a space"},
    {&language_aiger, "aag 1 1 1 1 0\n2\n2 0\n2\n", NULL, 1, 14, "counts that do not fit"},
    {&language_aiger, "aag 2 1 1 1 0\n2\n2 0\n2\n", NULL, 3, 1, "defined already"},
    {&language_aiger, "aag 1 1 0 1 0\n3\n2\n", NULL, 2, 1, "odd"},
    {&language_aiger, "aag 1 1 0 1 0\n2\n4\n", NULL, 3, 1, "beyond 3"},
    {&language_aiger, "aag 2 1 0 1 0\n2\n4\n", NULL, 3, 1, "nothing defines"},
    {&language_aiger, "aag 1 0 1 1 0\n2 0 3\n2\n", NULL, 2, 5, "reset"},
    {&language_aiger, "aag 2 0 0 1 2\n4\n2 4 1\n4 2 1\n", NULL, 0, 0, "cycle"},
    {&language_aiger, "aag 1 0 0 1 1\n2\n2 2 1\n", NULL, 0, 0, "cycle"},
    {&language_aiger, "aag 1 1 0 1 0\n2\n2\nx\n", NULL, 4, 1, "a name, a comment"},
    {&language_aiger, "aag 1 1 0 1 0\n2\n2\ni1 x\n", NULL, 4, 1, "not there"},
    {&language_aiger, "aag 1 1 0 0 0\n2\n", NULL, 1, 0, "no bad signal"},
    {&language_aiger, "aag 1 1 0 1 0 0 0 1\n2\n2\n", NULL, 1, 20, "justice"},
    {&language_aiger, "aag 1 1 0 1 0\n2\n2\n", "1", 0, 0, "0 to 0"},
    {&language_aiger, "aag 1000000 1000000 0 0 0\n", NULL, 1, 26, "size of the file"},
    {&language_aiger_binary, "aig 2 1 0 1 1\n4\n\x02\x03", NULL, 1, 18, "out of range"},
    {&language_aiger_binary, "aig 2 1 0 1 1\n4\n\x02", NULL, 1, 18, "the end of the file"},
    {&language_btor2, "1 sort bitvec 0\n", NULL, 1, 15, "in range"},
    {&language_btor2, "1 sort vector 1\n", NULL, 1, 8, "`bitvec` or `array`"},
    {&language_btor2, "1 sort bitvec 4\n2 state 1\n3 bad 2\n", NULL, 3, 7, "width 1"},
    {&language_btor2, "1 sort bitvec 4\n2 state 3\n", NULL, 2, 9, "an earlier line"},
    {&language_btor2, "1 sort bitvec 4\n1 state 1\n", NULL, 2, 1, "greater"},
    {&language_btor2, "1 sort bitvec 4\n2 frob 1\n", NULL, 2, 3, "operator"},
    {&language_btor2, "1 sort bitvec 4\n2 const 1 012\n", NULL, 2, 11, "binary digits"},
    {&language_btor2, "1 sort bitvec 4\n2 state 1\n3 add 1 2\n", NULL, 3, 0, "one more"},
    {&language_btor2, "1 sort bitvec 4\n2 sort bitvec 1\n3 state 1\n4 slice 2 3 4 4\n", NULL, 4, 13,
     "in range"},
    {&language_btor2, "1 sort bitvec 1\n2 input 1\n3 next 1 2 2\n", NULL, 3, 10, "a state"},
    {&language_btor2, "1 sort bitvec 1\n2 state 1\n3 justice 1 2\n", NULL, 3, 3, "justice"},
    {&language_btor2, "1 sort bitvec 1\n2 state 1\n", NULL, 0, 0, "no `bad` line"},
};

static void malformed_files_are_refused_where_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct text text;
        struct messages messages;
        text_init(&text);
        messages_init(&messages);
        text_add(&text, malformed[i].text);
        struct model *model =
            decide_load(malformed[i].frontend, &text, malformed[i].property, &messages);
        if (model != NULL || messages.count == 0)
            fail_msg("case %zu was accepted: %s", i, malformed[i].text);
        const struct message *m = &messages.items[messages.count - 1];
        if (m->line != malformed[i].line || m->column != malformed[i].column ||
            strstr(m->text, malformed[i].said) == NULL)
            fail_msg("case %zu: %u:%u: %s", i, m->line, m->column, m->text);
        messages_finish(&messages);
        text_finish(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree_on_circuits_of_bits),
        cmocka_unit_test(engines_agree_on_circuits_of_words),
        cmocka_unit_test(malformed_files_are_refused_where_they_are),
    };
    return cmocka_run_group_tests_name("circuits", tests, NULL, NULL);
}
