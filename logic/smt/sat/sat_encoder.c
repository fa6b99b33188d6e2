#include "logic/smt/sat/sat_encoder.h"

#include <assert.h>
#include <string.h>

void sat_encoder_init(struct sat_encoder *s, const struct blast *blast, struct sat_solver *solver)
{
    *s = (struct sat_encoder){.blast = blast, .solver = solver};
}

void sat_encoder_finish(struct sat_encoder *s)
{
    sat_solver_destroy(s->solver);
    VECTOR_FINISH(&s->names);
    VECTOR_FINISH(&s->limited);
    VECTOR_FINISH(&s->todo);
    VECTOR_FINISH(&s->parts);
    VECTOR_FINISH(&s->conjuncts);
    VECTOR_FINISH(&s->ranges);
    VECTOR_FINISH(&s->clause);
    VECTOR_FINISH(&s->model);
}

// Names: gates as literals of the solver.

static int name_of(const struct sat_encoder *s, uint32_t gate)
{
    return gate < s->names.count ? s->names.data[gate].literal : 0;
}

int sat_encoder_literal(const struct sat_encoder *s, uint32_t literal)
{
    int name = name_of(s, literal / 2);
    return literal & 1 ? -name : name;
}

static struct sat_name *name_slot(struct sat_encoder *s, uint32_t gate)
{
    assert(gate < s->blast->gates.nodes.count);
    if (gate >= s->names.count) {
        size_t old = s->names.count;
        VECTOR_RESERVE(&s->names, (size_t)gate + 1);
        s->names.count = s->names.capacity;
        memset(s->names.data + old, 0, (s->names.count - old) * sizeof *s->names.data);
    }
    return &s->names.data[gate];
}

static void define(struct sat_encoder *s, const int *literals, uint32_t count)
{
    sat_solver_clause(s->solver, literals, count, false);
}

static unsigned inputs_of(struct gate gate)
{
    return gate.kind == GATE_MUX ? 3 : gate.kind == GATE_AND || gate.kind == GATE_XOR ? 2 : 0;
}

static void define_gate(struct sat_encoder *s, int o, struct gate gate)
{
    int a = sat_encoder_literal(s, gate.in[0]), b = sat_encoder_literal(s, gate.in[1]);
    assert(inputs_of(gate) < 2 || (a != 0 && b != 0));
    switch ((enum gate_kind)gate.kind) {
    case GATE_CONSTANT:
        define(s, (int[]){-o}, 1);
        break;
    case GATE_INPUT:
        break;
    case GATE_AND:
        define(s, (int[]){-o, a}, 2);
        define(s, (int[]){-o, b}, 2);
        define(s, (int[]){o, -a, -b}, 3);
        break;
    case GATE_XOR:
        define(s, (int[]){-o, a, b}, 3);
        define(s, (int[]){-o, -a, -b}, 3);
        define(s, (int[]){o, -a, b}, 3);
        define(s, (int[]){o, a, -b}, 3);
        break;
    case GATE_MUX: {
        int e = sat_encoder_literal(s, gate.in[2]);
        define(s, (int[]){-o, -a, b}, 3);
        define(s, (int[]){o, -a, -b}, 3);
        define(s, (int[]){-o, a, e}, 3);
        define(s, (int[]){o, a, -e}, 3);
        define(s, (int[]){o, -b, -e}, 3); // these two follow; they help propagation
        define(s, (int[]){-o, b, e}, 3);
        break;
    }
    }
}

static enum search_gate kind_of(struct gate gate)
{
    return gate.kind == GATE_AND   ? SEARCH_AND
           : gate.kind == GATE_XOR ? SEARCH_XOR
           : gate.kind == GATE_MUX ? SEARCH_MUX
                                   : SEARCH_INPUT;
}

static void limit_input(struct sat_encoder *s, uint32_t range)
{
    assert(range < s->blast->ranges.count);
    while (s->limited.count <= range)
        VECTOR_PUSH(&s->limited, 0);
    if (s->limited.data[range])
        return;
    s->limited.data[range] = 1;
    VECTOR_PUSH(&s->ranges, range);
}

// An input that is said to be equal to another literal takes its name, when that does not depend on the input itself.
// False: the other one has to be named first.
static bool name_input(struct sat_encoder *s, uint32_t number, struct gate gate)
{
    struct sat_name *slot = name_slot(s, number);
    int same = slot->equal ? sat_encoder_literal(s, slot->equal - 1) : 0;
    if (slot->equal && !same && !slot->visited) {
        slot->visited = true;
        VECTOR_PUSH(&s->todo, (slot->equal - 1) / 2);
        return false;
    }
    slot->literal = same ? same : sat_solver_variable(s->solver, SEARCH_INPUT, NULL);
    if (gate.in[0])
        limit_input(s, gate.in[0] - 1);
    return true;
}

// Names every gate below the literal and says what it does.
static void name_below(struct sat_encoder *s, uint32_t literal)
{
    const struct gates *g = &s->blast->gates;
    VECTOR_PUSH(&s->todo, literal / 2);
    while (s->todo.count) {
        uint32_t number = VECTOR_LAST(&s->todo);
        struct gate gate = g->nodes.data[number];
        size_t before = s->todo.count;
        int inputs[3];
        if (name_of(s, number)) {
            s->todo.count--;
            continue;
        }
        if (gate.kind == GATE_INPUT) {
            if (name_input(s, number, gate))
                s->todo.count--;
            continue;
        }
        for (unsigned i = 0; i < inputs_of(gate); i++) {
            inputs[i] = sat_encoder_literal(s, gate.in[i]);
            if (!inputs[i])
                VECTOR_PUSH(&s->todo, gate.in[i] / 2);
        }
        if (s->todo.count > before)
            continue;
        s->todo.count--;
        int name = sat_solver_variable(s->solver, kind_of(gate), inputs);
        name_slot(s, number)->literal = name;
        define_gate(s, name, gate);
    }
}

void sat_encoder_name(struct sat_encoder *s, uint32_t literal)
{
    name_below(s, literal);
    while (s->ranges.count) {
        uint32_t range = VECTOR_POP(&s->ranges);
        uint32_t holds = s->blast->ranges.data[range].holds;
        name_below(s, holds);
        int unit = sat_encoder_literal(s, holds);
        sat_solver_clause(s->solver, &unit, 1, true);
    }
    assert(name_of(s, literal / 2) != 0);
}

// Assertions. Top-level conjunctions and disjunctions need no variables of their own.

// The literals of the disjunction that `literal` is, in s->clause.
static void collect_clause(struct sat_encoder *s, uint32_t literal)
{
    const struct gates *g = &s->blast->gates;
    VECTOR_CLEAR(&s->parts);
    VECTOR_PUSH(&s->parts, literal);
    while (s->parts.count) {
        uint32_t l = VECTOR_POP(&s->parts);
        const struct gate *gate = &g->nodes.data[l / 2];
        if (l & 1 && gate->kind == GATE_AND && !name_of(s, l / 2)) {
            VECTOR_PUSH(&s->parts, gates_not(gate->in[0]));
            VECTOR_PUSH(&s->parts, gates_not(gate->in[1]));
            continue;
        }
        sat_encoder_name(s, l);
        VECTOR_PUSH(&s->clause, sat_encoder_literal(s, l));
    }
}

static void add_clause(struct sat_encoder *s)
{
    if (s->level)
        VECTOR_PUSH(&s->clause, -s->level);
    sat_solver_clause(s->solver, s->clause.data, (uint32_t)s->clause.count, true);
}

// Top-level conjuncts, in s->conjuncts.
static void split(struct sat_encoder *s, uint32_t literal)
{
    const struct gates *g = &s->blast->gates;
    VECTOR_CLEAR(&s->parts);
    VECTOR_CLEAR(&s->conjuncts);
    VECTOR_PUSH(&s->parts, literal);
    while (s->parts.count) {
        uint32_t l = VECTOR_POP(&s->parts);
        const struct gate *gate = &g->nodes.data[l / 2];
        if (!(l & 1) && gate->kind == GATE_AND && !name_of(s, l / 2)) {
            VECTOR_PUSH(&s->parts, gate->in[0]);
            VECTOR_PUSH(&s->parts, gate->in[1]);
        } else if (l != GATES_TRUE) {
            VECTOR_PUSH(&s->conjuncts, l);
        }
    }
}

static bool is_open_input(struct sat_encoder *s, uint32_t gate)
{
    return s->blast->gates.nodes.data[gate].kind == GATE_INPUT && !name_of(s, gate) &&
           !name_slot(s, gate)->equal;
}

// Notes that an input which nothing is known about yet equals something, when the conjunct says so.
static void note_equality(struct sat_encoder *s, uint32_t conjunct, bool between_inputs)
{
    const struct gate *gate = &s->blast->gates.nodes.data[conjunct / 2];
    if (gate->kind != GATE_XOR)
        return;
    uint32_t sign = gates_not(conjunct & 1);
    for (int i = 1; i >= 0; i--) {
        uint32_t input = gate->in[i] / 2, other = gate->in[1 - i];
        bool two = s->blast->gates.nodes.data[other / 2].kind == GATE_INPUT;
        if (two != between_inputs || !is_open_input(s, input))
            continue;
        assert(other / 2 != input && "a gate is of two");
        name_slot(s, input)->equal = (other ^ sign) + 1;
        return;
    }
}

void sat_encoder_assert(struct sat_encoder *s, uint32_t literal)
{
    split(s, literal);
    for (int pass = 0; pass < 2 && !s->level; pass++)
        for (size_t i = 0; i < s->conjuncts.count; i++)
            note_equality(s, s->conjuncts.data[i], pass);
    for (size_t i = 0; i < s->conjuncts.count; i++) {
        uint32_t l = s->conjuncts.data[i];
        struct gate gate = s->blast->gates.nodes.data[l / 2];
        VECTOR_CLEAR(&s->clause);
        if (l == GATES_FALSE) {
            add_clause(s);
        } else if (gate.kind == GATE_XOR && !name_of(s, l / 2)) {
            sat_encoder_name(s, gate.in[0]);
            sat_encoder_name(s, gate.in[1]);
            int a = sat_encoder_literal(s, gate.in[0]),
                b = sat_encoder_literal(s, gate.in[1] ^ gates_not(l & 1));
            for (int side = 0; side < 2 && a != b; side++) { // a if and only if b
                VECTOR_CLEAR(&s->clause);
                VECTOR_PUSH(&s->clause, side ? a : -a);
                VECTOR_PUSH(&s->clause, side ? -b : b);
                add_clause(s);
            }
        } else {
            collect_clause(s, l);
            add_clause(s);
        }
    }
}

// Values.

// What the solver did not look at follows from what it did: inputs that did not matter are false, and gates are
// computed.
static int8_t known_value(const struct sat_encoder *s, uint32_t gate)
{
    int name = name_of(s, gate);
    int value = name ? sat_solver_value(s->solver, name) : 0;
    const struct sat_name *slot = &s->names.data[gate];
    bool computed = s->blast->gates.nodes.data[gate].kind != GATE_INPUT ||
                    (name && slot->equal && sat_encoder_literal(s, slot->equal - 1) == name);
    return value ? (int8_t)value : computed ? 0 : -1;
}

static int8_t compute(const struct sat_encoder *s, struct gate gate, uint32_t equal)
{
    int8_t v[3] = {0};
    if (gate.kind == GATE_INPUT)
        return (equal - 1) & 1 ? -s->model.data[(equal - 1) / 2] : s->model.data[(equal - 1) / 2];
    for (unsigned i = 0; i < inputs_of(gate); i++) {
        v[i] = gate.in[i] & 1 ? -s->model.data[gate.in[i] / 2] : s->model.data[gate.in[i] / 2];
        assert(v[i] != 0 && "inputs first");
    }
    switch ((enum gate_kind)gate.kind) {
    case GATE_AND:
        return v[0] > 0 && v[1] > 0 ? 1 : -1;
    case GATE_XOR:
        return v[0] != v[1] ? 1 : -1;
    case GATE_MUX:
        return v[0] > 0 ? v[1] : v[2];
    default:
        return -1;
    }
}

bool sat_encoder_value(struct sat_encoder *s, uint32_t literal)
{
    const struct gates *g = &s->blast->gates;
    name_slot(s, (uint32_t)g->nodes.count - 1); // so that all have one
    while (s->model.count < g->nodes.count)
        VECTOR_PUSH(&s->model, 0);
    VECTOR_CLEAR(&s->todo);
    VECTOR_PUSH(&s->todo, literal / 2);
    while (s->todo.count) {
        uint32_t number = VECTOR_LAST(&s->todo);
        struct gate gate = g->nodes.data[number];
        uint32_t equal = s->names.data[number].equal;
        size_t before = s->todo.count;
        if (!s->model.data[number])
            s->model.data[number] = known_value(s, number);
        if (s->model.data[number]) {
            s->todo.count--;
            continue;
        }
        if (gate.kind == GATE_INPUT && !s->model.data[(equal - 1) / 2])
            VECTOR_PUSH(&s->todo, (equal - 1) / 2);
        for (unsigned i = 0; i < inputs_of(gate); i++)
            if (!s->model.data[gate.in[i] / 2])
                VECTOR_PUSH(&s->todo, gate.in[i] / 2);
        if (s->todo.count == before)
            s->model.data[number] = compute(s, gate, equal);
    }
    return (s->model.data[literal / 2] > 0) != (literal & 1);
}

void sat_encoder_new_model(struct sat_encoder *s)
{
    VECTOR_CLEAR(&s->model);
}
