#ifndef REGATTA_LOGIC_SMT_SAT_SAT_ENCODER_H
#define REGATTA_LOGIC_SMT_SAT_SAT_ENCODER_H

#include "logic/smt/sat/blast.h"
#include "logic/smt/sat/sat_solver.h"

// The part of a circuit that one SAT solver knows, as clauses (Tseitin 1968), each gate when it is first needed. An
// assertion that an input equals something makes it another name of that, so that equations of a step,
// x' = f(x), cost nothing. Private to engines/smt. Literals are the circuit's, but for sat_encoder_literal.

// How a gate is called in the solver.
struct sat_name {
    int literal;    // 0 = not yet
    uint32_t equal; // INPUT: literal of the circuit that it is asserted to equal, + 1; 0 = none
    bool visited;   // INPUT: `equal` is being named
};

struct sat_encoder {
    const struct blast *blast; // may grow between calls
    struct sat_solver *solver; // owned
    int level;                 // a variable of the solver that new assertions depend on; 0 = none
    VECTOR(struct sat_name) names; // by gate
    VECTOR(uint8_t) limited;       // by range: asserted
    VECTOR(uint32_t) todo, parts, conjuncts, ranges;
    VECTOR(int) clause;
    VECTOR(int8_t) model; // by gate: 1, -1, 0 = not computed
};

void sat_encoder_init(struct sat_encoder *encoder, const struct blast *blast,
                      struct sat_solver *solver);
void sat_encoder_finish(struct sat_encoder *encoder);

void sat_encoder_assert(struct sat_encoder *encoder, uint32_t literal);
// Makes the literal known to the solver; and its name there, 0 = not known.
void sat_encoder_name(struct sat_encoder *encoder, uint32_t literal);
int sat_encoder_literal(const struct sat_encoder *encoder, uint32_t literal);
// A new answer of the solver; and the value of a literal in it.
void sat_encoder_new_model(struct sat_encoder *encoder);
bool sat_encoder_value(struct sat_encoder *encoder, uint32_t literal);

#endif
