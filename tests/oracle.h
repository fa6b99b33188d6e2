#ifndef REGATTA_TESTS_ORACLE_H
#define REGATTA_TESTS_ORACLE_H

#include "model/trace.h"
#include "results/verdict.h"

// For tests of anything that decides models: small random models, and their answers by looking at
// every concrete state. Shares nothing with the engines, not even evaluation.

// Integers that a havoc or an arbitrary start value draws from. Random models assume a narrower
// range right after each havoc, so for them the oracle is exact.
#define ORACLE_INT_LOW (-2)
#define ORACLE_INT_HIGH 5

// The same model for the same seed. Two to four variables, two to five locations and the error
// location, all kinds of statements; about half of the models are safe. Odd seeds look like
// automata, even seeds have a property that is tested in every observable location. Caller:
// model_destroy.
struct model *oracle_random_model(uint64_t seed);

// VERDICT_UNKNOWN when more than `state_limit` states are found or the model has something the
// oracle does not treat (arrays, rationals, wide bit-vectors, quantifiers, division by zero).
enum verdict oracle_decide(const struct model *model, uint64_t state_limit);

struct oracle_answer {
    enum verdict verdict;
    size_t depth;        // unsafe: edges of a shortest run to the error
    uint64_t states;     // distinct ones found
    struct trace *trace; // unsafe: a shortest run, every choice and havoc hinted; not replayed
    // Safe: per location the set of its states as a formula over the model's variables, in `store`;
    // free with memory_free. Unknown start values are free in it.
    const struct term **invariant;
};

// As oracle_decide, with more to show. The invariant is made when `store` (a child of the model's)
// is not NULL.
struct oracle_answer oracle_run(const struct model *model, uint64_t state_limit,
                                struct term_store *store);
void oracle_answer_finish(struct oracle_answer *answer); // destroys trace and invariant

#endif
