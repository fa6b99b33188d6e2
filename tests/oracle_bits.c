#include "base/random.h"
#include "tests/oracle_circuits.h"

static unsigned some_literal(struct random *random, unsigned variables)
{
    return (unsigned)random_below(random, 2 * variables + 2);
}

struct bit_circuit bit_circuit_random(uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    bool small = random_below(&random, 3) == 0;
    struct bit_circuit c = {
        .inputs = (unsigned)random_below(&random, 4),
        .latches = 1 + (unsigned)random_below(&random, small ? 4 : CIRCUIT_MOST_LATCHES),
        .gates = 3 + (unsigned)random_below(&random, (small ? 14 : CIRCUIT_MOST_GATES) - 3),
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

static bool value(uint64_t values, unsigned literal)
{
    bool v = literal / 2 == 0 ? false : values >> (literal / 2) & 1;
    return v != (literal & 1);
}

bool bit_circuit_reaches_bad(const struct bit_circuit *c)
{
    bool reached[1 << CIRCUIT_MOST_LATCHES] = {0}, changed = true;
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
                uint64_t values = in << 1 | (uint64_t)s << (1 + c->inputs);
                for (unsigned g = 0; g < c->gates; g++)
                    if (value(values, c->left[g]) && value(values, c->right[g]))
                        values |= UINT64_C(1) << (1 + c->inputs + c->latches + g);
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

static void write_header(struct text *out, const struct bit_circuit *c, const char *magic)
{
    text_printf(out, "%s %u %u %u 0 %u 1 1\n", magic, c->inputs + c->latches + c->gates, c->inputs,
                c->latches, c->gates);
}

static void write_latch(struct text *out, const struct bit_circuit *c, unsigned l)
{
    unsigned own = 2 * (c->inputs + l + 1);
    text_printf(out, "%u %u\n", c->next[l], c->reset[l] == 2 ? own : c->reset[l]);
}

void bit_circuit_write_ascii(struct text *out, const struct bit_circuit *c)
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

void bit_circuit_write_binary(struct text *out, const struct bit_circuit *c)
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

void bit_circuit_write_btor2(struct text *out, const struct bit_circuit *c)
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
