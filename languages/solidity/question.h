#ifndef REGATTA_LANGUAGES_SOLIDITY_QUESTION_H
#define REGATTA_LANGUAGES_SOLIDITY_QUESTION_H

#include "languages/solidity/type.h"
#include "model/model.h"

// The questions that a Solidity file asks, one a function, and their models (docs/solidity.md).

enum sol_arithmetic {
    SOL_ARITHMETIC_INT,
    SOL_ARITHMETIC_BV,
    SOL_ARITHMETIC_MOD,
    SOL_ARITHMETIC_MOD_OVERFLOW
};
#define SOL_ARITHMETIC_COUNT 4
const char *sol_arithmetic_name(enum sol_arithmetic arithmetic);
bool sol_arithmetic_parse(const char *name, enum sol_arithmetic *out);
#define SOL_MOST_REENTRANCY 4 // each is a copy of the contract in the one before
bool sol_reentrancy_parse(const char *text, unsigned *out);

struct sol_question_options {
    enum sol_arithmetic arithmetic;
    unsigned reentrancy; // how deep unknown code may call back into what it was called from
    // What is left out (deeper calls back) is an error of its own (SOL_FAIL_LIMIT), and functions that are not supported
    // refuse the whole: a safe verdict proves the contract.
    bool strict;
    // How the question was asked as a property; the interpreter then has the last word on every attack that a model of the
    // whole contract has. NULL: who asks has it run himself.
    const char *asked;
};

struct sol_question {
    const char *name; // "Token.transfer"
    const struct sol_node *contract;
    const struct sol_node *function; // NULL: the constructor that nobody wrote
};

struct sol_input {
    struct sol_tree *tree;
    struct sol_types *types;
    struct sol_question *questions; // in the order of the text
    size_t question_count;
    struct arena arena;
};

// NULL and messages when there is none.
struct sol_input *sol_input_open(const char *path, struct messages *messages);
struct sol_input *sol_input_of_tree(struct sol_tree *tree); // takes it over
void sol_input_close(struct sol_input *input);              // NULL is fine

// What a model leaves open.
struct sol_notes {
    bool
        complete; // false: something that can happen is not in the model; that nothing fails proves nothing
    bool inexact; // some value is any in range where it is one: bit-vectors may know it
    char
        left_out[300]; // "path:line:column: what": the first thing that is not supported; "" = none
};

// The function alone: its verification condition. Safe: it is proved. NULL with messages when it is not supported.
struct model *sol_function_model(struct sol_input *input, const struct sol_question *question,
                                 const struct sol_question_options *options,
                                 struct sol_notes *notes, struct messages *messages);
// The whole contract: its constructor, then any public functions with any sender, value and arguments. The error: a
// failure in `function`, or any when that is NULL.
struct model *sol_contract_model(struct sol_input *input, const struct sol_node *contract,
                                 const struct sol_node *function,
                                 const struct sol_question_options *options,
                                 struct sol_notes *notes, struct messages *messages);

// Names of locations where loops begin: SOL_LOOP "line:column", in a function alone.
#define SOL_LOOP "loop "

// Labels of edges into the error begin with these words.
#define SOL_FAIL_LIMIT "limit: "
#define SOL_FAIL_ASSERTION "assertion"
#define SOL_FAIL_OVERFLOW "overflow"
#define SOL_FAIL_INVARIANT "contract invariant"
#define SOL_FAIL_LOOP "loop invariant"
#define SOL_FAIL_PRECONDITION "precondition"
#define SOL_FAIL_POSTCONDITION "postcondition"
#define SOL_FAIL_MODIFIES "change that `modifies` does not name"

#endif
