#include "logic/smt/sat/gates.h"

#include <assert.h>

#include "base/hash.h"

void gates_init(struct gates *g)
{
    *g = (struct gates){0};
    VECTOR_PUSH(&g->nodes, (struct gate){.kind = GATE_CONSTANT});
}

void gates_finish(struct gates *g)
{
    VECTOR_FINISH(&g->nodes);
    hash_index_finish(&g->index);
}

uint32_t gates_input(struct gates *g, uint32_t tag)
{
    VECTOR_PUSH(&g->nodes, ((struct gate){GATE_INPUT, {tag, 0, 0}}));
    return 2 * (uint32_t)(g->nodes.count - 1);
}

static uint64_t hash_of(struct gate gate)
{
    uint64_t low = (uint64_t)gate.in[0] << 32 | gate.in[1];
    return hash_mix(low ^ hash_mix((uint64_t)gate.in[2] << 3 | gate.kind));
}

static bool same(struct gate a, struct gate b)
{
    return a.kind == b.kind && a.in[0] == b.in[0] && a.in[1] == b.in[1] && a.in[2] == b.in[2];
}

// Its node; 0: none, as that is the constant.
static uint32_t find(const struct gates *g, struct gate gate, uint64_t hash)
{
    struct hash_probe probe = hash_index_probe(&g->index, hash);
    for (uint32_t i; hash_index_next(&g->index, &probe, &i);)
        if (same(g->nodes.data[i], gate))
            return i;
    return 0;
}

static uint32_t make(struct gates *g, struct gate gate)
{
    assert(gate.in[0] / 2 < g->nodes.count && gate.in[1] / 2 < g->nodes.count &&
           gate.in[2] / 2 < g->nodes.count);
    assert(gate.kind == GATE_MUX || gate.in[0] < gate.in[1]);
    uint64_t hash = hash_of(gate);
    uint32_t node = find(g, gate, hash);
    if (node != 0)
        return 2 * node;
    node = (uint32_t)g->nodes.count;
    hash_index_add(&g->index, hash, node);
    VECTOR_PUSH(&g->nodes, gate);
    return 2 * node;
}

static const struct gate *and_under(const struct gates *g, uint32_t literal)
{
    const struct gate *gate = &g->nodes.data[literal / 2];
    return gate->kind == GATE_AND ? gate : NULL;
}

// What one level below b tells of a and b: true with the conjunction in *out.
static bool look_below(struct gates *g, uint32_t a, uint32_t b, uint32_t *out)
{
    const struct gate *below = and_under(g, b);
    if (below == NULL)
        return false;
    uint32_t left = below->in[0], right = below->in[1];
    if (!(b & 1)) { // a and (left and right)
        if (a == left || a == right) {
            *out = b;
            return true;
        }
        if (a == gates_not(left) || a == gates_not(right)) {
            *out = GATES_FALSE;
            return true;
        }
        return false;
    }
    if (a == left || a == right) { // a and not (a and right) is a and not right
        *out = gates_and(g, a, gates_not(a == left ? right : left));
        return true;
    }
    if (a == gates_not(left) || a == gates_not(right)) {
        *out = a;
        return true;
    }
    return false;
}

uint32_t gates_and(struct gates *g, uint32_t a, uint32_t b)
{
    if (a > b) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    if (a == GATES_FALSE || a == gates_not(b))
        return GATES_FALSE;
    if (a == GATES_TRUE || a == b)
        return b;
    uint32_t found;
    if (look_below(g, a, b, &found) || look_below(g, b, a, &found))
        return found;
    return make(g, (struct gate){GATE_AND, {a, b, 0}});
}

bool gates_has_and(const struct gates *g, uint32_t a, uint32_t b)
{
    struct gate gate = {GATE_AND, {a < b ? a : b, a < b ? b : a, 0}};
    return find(g, gate, hash_of(gate)) != 0;
}

uint32_t gates_xor(struct gates *g, uint32_t a, uint32_t b)
{
    uint32_t sign = (a ^ b) & 1;
    a &= ~1u;
    b &= ~1u;
    if (a > b) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    if (a == b)
        return sign;
    if (a == GATES_FALSE)
        return b ^ sign;
    return make(g, (struct gate){GATE_XOR, {a, b, 0}}) ^ sign;
}

uint32_t gates_mux(struct gates *g, uint32_t c, uint32_t then, uint32_t otherwise)
{
    if (c & 1) {
        uint32_t swap = then;
        then = otherwise;
        otherwise = swap;
        c = gates_not(c);
    }
    if (c == GATES_FALSE || then == otherwise)
        return otherwise;
    if (then == gates_not(otherwise))
        return gates_iff(g, c, then);
    if (then == GATES_TRUE || then == c)
        return gates_or(g, c, otherwise);
    if (then == GATES_FALSE || then == gates_not(c))
        return gates_and(g, gates_not(c), otherwise);
    if (otherwise == GATES_TRUE || otherwise == gates_not(c))
        return gates_or(g, gates_not(c), then);
    if (otherwise == GATES_FALSE || otherwise == c)
        return gates_and(g, c, then);
    assert((c & 1) == 0 && c != GATES_FALSE);
    uint32_t sign = then & 1;
    return make(g, (struct gate){GATE_MUX, {c, then ^ sign, otherwise ^ sign}}) ^ sign;
}
