#ifndef REGATTA_LOGIC_SMT_SAT_BLAST_ARITH_H
#define REGATTA_LOGIC_SMT_SAT_BLAST_ARITH_H

#include "logic/smt/sat/gates.h"
#include "logic/terms/term.h"

// Circuits of bit-vector operators, in the semantics of SMT-LIB 2.6. Private to engines/smt. Vectors are arrays of
// `width` literals, lowest first; `out` overlaps no argument.

void blast_negate(struct gates *gates, uint32_t width, const uint32_t *a, uint32_t *out);
void blast_add(struct gates *gates, uint32_t width, const uint32_t *a, const uint32_t *b,
               uint32_t carry, uint32_t *out);
void blast_multiply(struct gates *gates, uint32_t width, const uint32_t *a, const uint32_t *b,
                    uint32_t *out);
// UDIV, SDIV, UREM, SREM, SMOD.
void blast_divide(struct gates *gates, enum term_kind kind, uint32_t width, const uint32_t *a,
                  const uint32_t *b, uint32_t *out);
// SHL, LSHR, ASHR, ROL, ROR.
void blast_shift(struct gates *gates, enum term_kind kind, uint32_t width, const uint32_t *a,
                 const uint32_t *b, uint32_t *out);
// ULT, ULE, SLT, SLE.
uint32_t blast_compare(struct gates *gates, enum term_kind kind, uint32_t width, const uint32_t *a,
                       const uint32_t *b);
uint32_t blast_equal(struct gates *gates, uint32_t width, const uint32_t *a, const uint32_t *b);
void blast_choose(struct gates *gates, uint32_t condition, uint32_t width, const uint32_t *then,
                  const uint32_t *otherwise, uint32_t *out);

#endif
