#ifndef REGATTA_TESTS_RANDOM_CAPSULES_H
#define REGATTA_TESTS_RANDOM_CAPSULES_H

#include "base/random.h"
#include "base/text.h"

// Random models of two to four parts in the text form, and random questions about them.

struct random_capsules {
    struct random random;
    uint32_t parts; // beside the top
    bool optional[4], external_number;
    uint32_t locations[5];
};

static inline uint64_t pick(struct random_capsules *r, uint64_t bound)
{
    return random_below(&r->random, bound);
}

// Attributes stay in 0..2.
static inline void random_value(struct random_capsules *r, bool payload, struct text *out)
{
    switch (pick(r, payload ? 4 : 3)) {
    case 0:
        text_printf(out, "%d", (int)pick(r, 3));
        break;
    case 1:
        text_add(out, "x");
        break;
    case 2:
        text_add(out, "(x + 1) mod 3");
        break;
    default:
        text_add(out, "v");
    }
}

static inline void random_condition(struct random_capsules *r, bool payload, struct text *out)
{
    static const char *const OPERATORS[] = {"<", "==", ">=", "!="};
    text_printf(out, "%s %s %d", payload && pick(r, 2) == 0 ? "v" : "x", OPERATORS[pick(r, 4)],
                (int)pick(r, 3));
}

// m: 0 is the top; its out signals are to<i>, those of the others up.
static inline void random_effect(struct random_capsules *r, uint32_t m, bool payload,
                                 struct text *out)
{
    text_add(out, "{");
    if (pick(r, 2) == 0) {
        text_add(out, " x := ");
        random_value(r, payload, out);
        text_add(out, ";");
    }
    if (pick(r, 4) == 0)
        text_add(out, " set t;");
    uint32_t part = 1 + (uint32_t)pick(r, r->parts);
    if (m == 0 && r->optional[part] && pick(r, 3) == 0)
        text_printf(out, " create p%u;", part);
    if (pick(r, 3) != 0) {
        bool number = pick(r, 2) == 0;
        if (m == 0)
            text_printf(out, " send %s%u", number ? "tell" : "call",
                        1 + (uint32_t)pick(r, r->parts));
        else
            text_printf(out, " send %s", number ? "report" : "ready");
        if (number) {
            text_add(out, "(");
            random_value(r, payload, out);
            text_add(out, ")");
        }
        text_add(out, ";");
    }
    if (m == 0 && r->optional[part] && pick(r, 5) == 0)
        text_printf(out, " destroy p%u;", part);
    text_add(out, " }");
}

static inline void random_transition(struct random_capsules *r, uint32_t m, struct text *out)
{
    static const char *const TRIGGERS[2][4] = {{"ready", "report", "t", "outside"},
                                               {"call", "tell", "t", "outside"}};
    uint64_t kind = pick(r, 4);
    bool payload = kind == 1 || kind == 3;
    text_printf(out, "    L%u -- ", (uint32_t)pick(r, r->locations[m]));
    if (m == 0 && kind < 2) // one in signal for each part
        text_printf(out, "%s%u", TRIGGERS[0][kind], 1 + (uint32_t)pick(r, r->parts));
    else
        text_add(out, TRIGGERS[m > 0][kind]);
    if (pick(r, 4) == 0) {
        text_add(out, " [");
        random_condition(r, payload, out);
        text_add(out, "]");
    }
    text_printf(out, " -> L%u ", (uint32_t)pick(r, r->locations[m]));
    if (pick(r, 3) != 0) {
        random_effect(r, m, payload, out);
        text_add(out, "\n");
        return;
    }
    text_add(out, "{ case ");
    random_condition(r, payload, out);
    text_add(out, " ");
    random_effect(r, m, payload, out);
    text_add(out, " otherwise ");
    random_effect(r, m, payload, out);
    text_add(out, " }\n");
}

static inline void random_module(struct random_capsules *r, uint32_t m, struct text *out)
{
    text_printf(out, "module M%u {\n    attribute x: int = %d;\n    timer t;\n", m,
                (int)pick(r, 3));
    text_printf(out, "    external in outside(v: %s);\n", r->external_number ? "0..2" : "0..1");
    if (m == 0) {
        for (uint32_t i = 1; i <= r->parts; i++)
            text_printf(out,
                        "    %spart p%u: M%u;\n    in ready%u, report%u(v: int);\n"
                        "    out call%u, tell%u(v: int);\n"
                        "    connect call%u -> p%u.call;\n    connect tell%u -> p%u.tell;\n"
                        "    connect p%u.ready -> ready%u;\n    connect p%u.report -> report%u;\n",
                        r->optional[i] ? "optional " : "", i, i, i, i, i, i, i, i, i, i, i, i, i,
                        i);
    } else {
        text_add(out, "    in call, tell(v: int);\n    out ready, report(v: int);\n");
    }
    text_add(out, "    location ");
    for (uint32_t l = 0; l < r->locations[m]; l++)
        text_printf(out, "%sL%u", l > 0 ? ", " : "", l);
    text_add(out, ";\n    composite Some { L0, L1 }\n    initial -> L0 ");
    random_effect(r, m, false, out);
    text_add(out, "\n");
    uint64_t count = 1 + pick(r, 4);
    for (uint64_t i = 0; i < count; i++)
        random_transition(r, m, out);
    text_add(out, "}\n");
}

static inline void random_capsules_make(struct random_capsules *r, uint64_t seed, struct text *out)
{
    random_init(&r->random, seed);
    r->parts = 1 + (uint32_t)pick(r, 3);
    r->external_number = pick(r, 2) == 0;
    for (uint32_t i = 0; i <= r->parts; i++) {
        r->locations[i] = 2 + (uint32_t)pick(r, 2);
        if (i > 0)
            r->optional[i] = pick(r, 2) == 0;
    }
    for (uint32_t m = 0; m <= r->parts; m++)
        random_module(r, m, out);
    text_add(out, "top M0 as top;\n");
}

static inline void random_capsule_part(uint32_t m, struct text *out)
{
    if (m == 0)
        text_add(out, " @ top");
    else
        text_printf(out, " @ top.p%u", m);
}

static inline void random_atom(struct random_capsules *r, struct text *out)
{
    uint32_t m = (uint32_t)pick(r, r->parts + 1);
    switch (pick(r, 12)) {
    case 0:
        text_add(out, "<any>");
        random_capsule_part(m, out);
        break;
    case 1:
        text_printf(out, m == 0 ? "<report1(v = %d)>" : "<tell(v = %d)>", (int)pick(r, 3));
        random_capsule_part(m, out);
        break;
    case 2:
        text_add(out, "t[any]");
        random_capsule_part(m, out);
        break;
    case 3:
        text_add(out, m == 0 ? "outside(v = 1)[]" : "outside[ready]");
        random_capsule_part(m, out);
        break;
    case 4:
        text_add(out, pick(r, 2) == 0 ? "deadlock" : "dropped(call)");
        break;
    case 5:
        text_add(out, "overflow()");
        break;
    case 6:
    case 7:
    case 8:
        text_add(out, "(");
        random_condition(r, false, out);
        text_add(out, ")");
        random_capsule_part(m, out);
        break;
    default:
        text_printf(out, "L%u", (uint32_t)pick(r, r->locations[m]));
        random_capsule_part(m, out);
    }
}

static inline void random_question(struct random_capsules *r, int depth, struct text *out)
{
    static const char *const UNARY[] = {"EF", "AF", "EG", "AG", "EX", "AX", "not"};
    if (depth == 0) {
        random_atom(r, out);
        return;
    }
    uint64_t kind = pick(r, 10);
    if (kind < 7) {
        text_printf(out, "%s (", UNARY[kind]);
        random_question(r, depth - 1, out);
        text_add(out, ")");
        return;
    }
    text_add(out, kind == 7 ? "E [ (" : kind == 8 ? "A [ (" : "((");
    random_question(r, depth - 1, out);
    text_add(out, kind == 9 ? (pick(r, 2) == 0 ? ") and (" : ") or (") : ") U (");
    random_question(r, depth - 1, out);
    text_add(out, kind == 9 ? "))" : ") ]");
}

#endif
