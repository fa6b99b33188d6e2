#ifndef REGATTA_LOGIC_SMT_SAT_GATES_H
#define REGATTA_LOGIC_SMT_SAT_GATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "base/vector.h"

// A circuit of and, exclusive-or and multiplexer gates, each made once (structural hashing; Kuehlmann et al.
// 2002). Private to engines/smt. A literal is 2 * node, + 1 when negated; node 0 is the constant.
// Children have smaller numbers than their gate. All zero but for gates_init is not a circuit.

enum { GATES_FALSE = 0, GATES_TRUE = 1 };

enum gate_kind { GATE_CONSTANT, GATE_INPUT, GATE_AND, GATE_XOR, GATE_MUX };

struct gate {
    uint32_t kind;  // enum gate_kind
    uint32_t in[3]; // MUX: condition, then, else. INPUT: in[0] is the maker's
};

struct gates {
    VECTOR(struct gate) nodes;
    struct hash_index index; // of nodes that are no inputs
};

void gates_init(struct gates *gates);
void gates_finish(struct gates *gates);

uint32_t gates_input(struct gates *gates, uint32_t tag);
uint32_t gates_and(struct gates *gates, uint32_t a, uint32_t b);
bool gates_has_and(const struct gates *gates, uint32_t a, uint32_t b); // not simplified
uint32_t gates_xor(struct gates *gates, uint32_t a, uint32_t b);
uint32_t gates_mux(struct gates *gates, uint32_t condition, uint32_t then, uint32_t otherwise);

static inline uint32_t gates_not(uint32_t a)
{
    return a ^ 1;
}
static inline uint32_t gates_or(struct gates *gates, uint32_t a, uint32_t b)
{
    return gates_not(gates_and(gates, gates_not(a), gates_not(b)));
}
static inline uint32_t gates_iff(struct gates *gates, uint32_t a, uint32_t b)
{
    return gates_not(gates_xor(gates, a, b));
}

#endif
