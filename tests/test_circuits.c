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

// Circuits: random ones in both forms of AIGER and in BTOR2, through several engines, against a small simulator that
// looks at every state; and what is said about malformed files.

#define MOST_GATES 14

struct circuit {
    unsigned inputs, latches, gates;
    unsigned next[4], reset[4]; // literals; reset 2 = any
    unsigned left[MOST_GATES], right[MOST_GATES];
    unsigned bad, constraint; // literals
};

static unsigned some_literal(struct random *random, unsigned variables)
{
    return (unsigned)random_below(random, 2 * variables + 2);
}

static struct circuit random_circuit(uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    struct circuit c = {
        .inputs = (unsigned)random_below(&random, 3),
        .latches = 1 + (unsigned)random_below(&random, 4),
        .gates = 3 + (unsigned)random_below(&random, MOST_GATES - 3),
    };
    unsigned base = c.inputs + c.latches, all = base + c.gates;
    for (unsigned g = 0; g < c.gates; g++) {
        unsigned a = some_literal(&random, base + g), b = some_literal(&random, base + g);
        c.left[g] = a > b ? a : b;
        c.right[g] = a > b ? b : a;
    }
    for (unsigned l = 0; l < c.latches; l++) {
        c.next[l] = some_literal(&random, all);
        c.reset[l] = (unsigned)random_below(&random, 3);
    }
    c.bad = 2 * (base + c.gates) + (unsigned)random_below(&random, 2);
    c.constraint = random_below(&random, 3) == 0 ? some_literal(&random, all) : 1;
    return c;
}

static bool value(uint32_t values, unsigned literal)
{
    bool v = literal / 2 == 0 ? false : values >> (literal / 2) & 1;
    return v != (literal & 1);
}

// Is a bad state reachable?
static bool simulate(const struct circuit *c)
{
    bool reached[16] = {0}, changed = true;
    for (unsigned s = 0; s < 1u << c->latches; s++) {
        reached[s] = true;
        for (unsigned l = 0; l < c->latches; l++)
            if (c->reset[l] < 2 && (s >> l & 1) != c->reset[l])
                reached[s] = false;
    }
    while (changed) {
        changed = false;
        for (unsigned s = 0; s < 1u << c->latches; s++)
            for (unsigned in = 0; reached[s] && in < 1u << c->inputs; in++) {
                uint32_t values = in << 1 | s << (1 + c->inputs);
                for (unsigned g = 0; g < c->gates; g++)
                    if (value(values, c->left[g]) && value(values, c->right[g]))
                        values |= 1u << (1 + c->inputs + c->latches + g);
                if (!value(values, c->constraint))
                    continue;
                if (value(values, c->bad))
                    return true;
                unsigned next = 0;
                for (unsigned l = 0; l < c->latches; l++)
                    next |= (unsigned)value(values, c->next[l]) << l;
                changed |= !reached[next];
                reached[next] = true;
            }
    }
    return false;
}

static void write_header(struct text *out, const struct circuit *c, const char *magic)
{
    text_printf(out, "%s %u %u %u 0 %u 1 1\n", magic, c->inputs + c->latches + c->gates, c->inputs,
                c->latches, c->gates);
}

static void write_latch(struct text *out, const struct circuit *c, unsigned l)
{
    unsigned own = 2 * (c->inputs + l + 1);
    text_printf(out, "%u %u\n", c->next[l], c->reset[l] == 2 ? own : c->reset[l]);
}

static void write_ascii(struct text *out, const struct circuit *c)
{
    unsigned base = c->inputs + c->latches;
    write_header(out, c, "aag");
    for (unsigned i = 0; i < c->inputs; i++)
        text_printf(out, "%u\n", 2 * (i + 1));
    for (unsigned l = 0; l < c->latches; l++) {
        text_printf(out, "%u ", 2 * (c->inputs + l + 1));
        write_latch(out, c, l);
    }
    text_printf(out, "%u\n%u\n", c->bad, c->constraint);
    for (unsigned g = c->gates; g-- > 0;) // in any order
        text_printf(out, "%u %u %u\n", 2 * (base + g + 1), c->left[g], c->right[g]);
    text_add(out, "l0 first\nc\nmade at random\n");
}

static void write_delta(struct text *out, unsigned n)
{
    for (; n > 0x7f; n >>= 7)
        text_add_char(out, (char)((n & 0x7f) | 0x80));
    text_add_char(out, (char)n);
}

static void write_binary(struct text *out, const struct circuit *c)
{
    unsigned base = c->inputs + c->latches;
    write_header(out, c, "aig");
    for (unsigned l = 0; l < c->latches; l++)
        write_latch(out, c, l);
    text_printf(out, "%u\n%u\n", c->bad, c->constraint);
    for (unsigned g = 0; g < c->gates; g++) {
        write_delta(out, 2 * (base + g + 1) - c->left[g]);
        write_delta(out, c->left[g] - c->right[g]);
    }
}

// A literal as BTOR2 numbers it: sort 1, the constant false 2, variable v is 10 + v.
static int word(unsigned literal)
{
    int n = literal / 2 == 0 ? 2 : (int)(10 + literal / 2);
    return literal & 1 ? -n : n;
}

static void write_btor2(struct text *out, const struct circuit *c)
{
    unsigned base = c->inputs + c->latches, line = 200;
    text_add(out, "; made at random\n1 sort bitvec 1\n2 zero 1\n3 one 1\n");
    for (unsigned v = 1; v <= base; v++)
        text_printf(out, "%u %s 1\n", 10 + v, v <= c->inputs ? "input" : "state");
    for (unsigned g = 0; g < c->gates; g++)
        text_printf(out, "%u and 1 %d %d\n", 11 + base + g, word(c->left[g]), word(c->right[g]));
    for (unsigned l = 0; l < c->latches; l++) {
        if (c->reset[l] < 2)
            text_printf(out, "%u init 1 %u %u\n", line++, 11 + c->inputs + l, 2 + c->reset[l]);
        text_printf(out, "%u next 1 %u %d\n", line++, 11 + c->inputs + l, word(c->next[l]));
    }
    text_printf(out, "%u bad %d\n%u constraint %d\n", line, word(c->bad), line + 1,
                word(c->constraint));
}

static void engines_agree_with_the_simulator(void **state)
{
    static const struct {
        const struct frontend *frontend;
        void (*write)(struct text *out, const struct circuit *circuit);
        const char *engine;
    } ways[] = {
        {&frontend_aiger, write_ascii, "ic3"}, {&frontend_aiger, write_ascii, "kind"},
        {&frontend_aiger, write_ascii, "bmc"}, {&frontend_aiger_binary, write_binary, "ic3"},
        {&frontend_btor2, write_btor2, "ic3"}, {&frontend_btor2, write_btor2, "cegar"},
    };
    (void)state;
    const char *wanted = getenv("REGATTA_RANDOM_MODELS");
    unsigned count = wanted ? (unsigned)atoi(wanted) : 40, unsafe = 0, solved = 0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct circuit c = random_circuit(seed);
        enum verdict expected = simulate(&c) ? VERDICT_UNSAFE : VERDICT_SAFE;
        unsafe += expected == VERDICT_UNSAFE;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            struct text text;
            struct messages messages;
            text_init(&text);
            messages_init(&messages);
            ways[i].write(&text, &c);
            struct model *model = decide_load(ways[i].frontend, &text, NULL, &messages);
            if (!model)
                fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, messages.items[0].text,
                         text_string(&text));
            enum verdict verdict = decide_run(model, ways[i].engine, seed);
            if (verdict != VERDICT_UNKNOWN && verdict != expected)
                fail_msg("seed %llu, %s: %s, but the simulator says %s\n%s",
                         (unsigned long long)seed, ways[i].engine, verdict_name(verdict),
                         verdict_name(expected), text_string(&text));
            if (strcmp(ways[i].engine, "ic3") == 0)
                assert_int_equal(verdict, expected);
            solved += verdict != VERDICT_UNKNOWN;
            model_destroy(model);
            messages_finish(&messages);
            text_finish(&text);
        }
    }
    print_message("# %u circuits, %u unsafe; %u answers\n", count, unsafe, solved);
    assert_true(unsafe > 0 && unsafe < count);
}

static const struct {
    const struct frontend *frontend;
    const char *text, *property;
    unsigned line, column;
    const char *said;
} malformed[] = {
    {&frontend_aiger, "", NULL, 1, 1, "`aag` or `aig`"},
    {&frontend_aiger, "agg 0 0 0 0 0\n", NULL, 1, 1, "`aag` or `aig`"},
    {&frontend_aiger, "aag 1 1 0\n", NULL, 1, 10, "a space"},
    {&frontend_aiger, "aag 1 1 1 1 0\n2\n2 0\n2\n", NULL, 1, 14, "counts that do not fit"},
    {&frontend_aiger, "aag 2 1 1 1 0\n2\n2 0\n2\n", NULL, 3, 1, "defined already"},
    {&frontend_aiger, "aag 1 1 0 1 0\n3\n2\n", NULL, 2, 1, "odd"},
    {&frontend_aiger, "aag 1 1 0 1 0\n2\n4\n", NULL, 3, 1, "beyond 3"},
    {&frontend_aiger, "aag 2 1 0 1 0\n2\n4\n", NULL, 3, 1, "nothing defines"},
    {&frontend_aiger, "aag 1 0 1 1 0\n2 0 3\n2\n", NULL, 2, 5, "reset"},
    {&frontend_aiger, "aag 2 0 0 1 2\n4\n2 4 1\n4 2 1\n", NULL, 0, 0, "cycle"},
    {&frontend_aiger, "aag 1 0 0 1 1\n2\n2 2 1\n", NULL, 0, 0, "cycle"},
    {&frontend_aiger, "aag 1 1 0 1 0\n2\n2\nx\n", NULL, 4, 1, "a name, a comment"},
    {&frontend_aiger, "aag 1 1 0 1 0\n2\n2\ni1 x\n", NULL, 4, 1, "not there"},
    {&frontend_aiger, "aag 1 1 0 0 0\n2\n", NULL, 1, 0, "no bad signal"},
    {&frontend_aiger, "aag 1 1 0 1 0 0 0 1\n2\n2\n", NULL, 1, 20, "justice"},
    {&frontend_aiger, "aag 1 1 0 1 0\n2\n2\n", "1", 0, 0, "0 to 0"},
    {&frontend_aiger, "aag 1000000 1000000 0 0 0\n", NULL, 1, 26, "size of the file"},
    {&frontend_aiger_binary, "aig 2 1 0 1 1\n4\n\x02\x03", NULL, 1, 18, "out of range"},
    {&frontend_aiger_binary, "aig 2 1 0 1 1\n4\n\x02", NULL, 1, 18, "the end of the file"},
    {&frontend_btor2, "1 sort bitvec 0\n", NULL, 1, 15, "in range"},
    {&frontend_btor2, "1 sort vector 1\n", NULL, 1, 8, "`bitvec` or `array`"},
    {&frontend_btor2, "1 sort bitvec 4\n2 state 1\n3 bad 2\n", NULL, 3, 7, "width 1"},
    {&frontend_btor2, "1 sort bitvec 4\n2 state 3\n", NULL, 2, 9, "an earlier line"},
    {&frontend_btor2, "1 sort bitvec 4\n1 state 1\n", NULL, 2, 1, "greater"},
    {&frontend_btor2, "1 sort bitvec 4\n2 frob 1\n", NULL, 2, 3, "operator"},
    {&frontend_btor2, "1 sort bitvec 4\n2 const 1 012\n", NULL, 2, 11, "binary digits"},
    {&frontend_btor2, "1 sort bitvec 4\n2 state 1\n3 add 1 2\n", NULL, 3, 0, "one more"},
    {&frontend_btor2, "1 sort bitvec 4\n2 sort bitvec 1\n3 state 1\n4 slice 2 3 4 4\n", NULL, 4, 13,
     "in range"},
    {&frontend_btor2, "1 sort bitvec 1\n2 input 1\n3 next 1 2 2\n", NULL, 3, 10, "a state"},
    {&frontend_btor2, "1 sort bitvec 1\n2 state 1\n3 justice 1 2\n", NULL, 3, 3, "justice"},
    {&frontend_btor2, "1 sort bitvec 1\n2 state 1\n", NULL, 0, 0, "no `bad` line"},
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
        if (model || messages.count == 0)
            fail_msg("case %zu was accepted: %s", i, malformed[i].text);
        const struct message *m = &messages.items[messages.count - 1];
        if (m->line != malformed[i].line || m->column != malformed[i].column ||
            !strstr(m->text, malformed[i].said))
            fail_msg("case %zu: %u:%u: %s", i, m->line, m->column, m->text);
        messages_finish(&messages);
        text_finish(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree_with_the_simulator),
        cmocka_unit_test(malformed_files_are_refused_where_they_are),
    };
    return cmocka_run_group_tests_name("circuits", tests, NULL, NULL);
}
