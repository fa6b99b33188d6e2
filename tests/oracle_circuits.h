#ifndef REGATTA_TESTS_ORACLE_CIRCUITS_H
#define REGATTA_TESTS_ORACLE_CIRCUITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

// Small random circuits in the formats of hardware, and what is true of them by looking at every state. Shares nothing
// with the front ends and the engines: gates and operators are evaluated by C of their own. The same seed makes the
// same circuit.

enum { CIRCUIT_MOST_LATCHES = 7, CIRCUIT_MOST_GATES = 40 };

// And-inverter graphs. Literals as in AIGER: variables are the inputs, the latches, the gates, from 1.
struct bit_circuit {
    unsigned inputs, latches, gates;
    unsigned next[CIRCUIT_MOST_LATCHES], reset[CIRCUIT_MOST_LATCHES]; // literals; reset 2 = any
    unsigned left[CIRCUIT_MOST_GATES], right[CIRCUIT_MOST_GATES];
    unsigned bad, constraint; // literals
};

// One in three circuits is small: a few latches and gates.
struct bit_circuit bit_circuit_random(uint64_t seed);
// Can the bad literal become true, with the constraint true up to then?
bool bit_circuit_reaches_bad(const struct bit_circuit *circuit);
// Append the circuit as text (AIGER 1.9: ASCII, binary) or in BTOR2, every signal a word of one bit.
void bit_circuit_write_ascii(struct text *out, const struct bit_circuit *circuit);
void bit_circuit_write_binary(struct text *out, const struct bit_circuit *circuit);
void bit_circuit_write_btor2(struct text *out, const struct bit_circuit *circuit);

// Circuits of words up to 8 bits wide, with an array at times, over all operators of BTOR2 (Niemetz, Preiner, Wolf,
// Biere 2018) but those for overflow.
enum { WORD_MOST_NODES = 48 };

struct word_node {
    uint8_t operation;    // in a table of oracle_words.c
    uint8_t width;        // 1 to 8; 0: the array, of words of two bits by words of two bits
    uint16_t argument[3]; // 2 * node, + 1 when complemented
    uint32_t number;      // a constant's value, a slice's lowest bit
    // States.
    uint16_t next;     // as an argument; NO_WORD: any value each step
    uint16_t start;    // a state before this one, as an argument, START_NUMBER or NO_WORD
    uint32_t start_at; // START_NUMBER: the value; of an array: of each element
};

enum { NO_WORD = UINT16_MAX, START_NUMBER = UINT16_MAX - 1 };

struct word_circuit {
    struct word_node nodes[WORD_MOST_NODES];
    unsigned count, inputs, states; // inputs come first, then states
    uint16_t bad, constraint;       // arguments; constraint NO_WORD: none
};

struct word_circuit word_circuit_random(uint64_t seed);
bool word_circuit_reaches_bad(const struct word_circuit *circuit);
void word_circuit_write(struct text *out, const struct word_circuit *circuit); // BTOR2

#endif
