#ifndef REGATTA_LANGUAGES_SOLIDITY_SOLIDITY_H
#define REGATTA_LANGUAGES_SOLIDITY_SOLIDITY_H

#include "languages/language.h"
#include "languages/solidity/question.h"
#include "model/trace.h"

// Solidity as a language. The property says what is asked:
//   Contract.function   the function alone
//   Contract:function   the whole contract, failures in that function
//   Contract            the whole contract, any failure; no property: the last contract of the file
// followed by @int, @bv, @mod or @mod-overflow for the arithmetic (mod-overflow).

extern const struct language language_solidity;

#define SOL_VIEW "contract"
// The view of a whole contract that a property asks about: what asked, for the interpreter.
struct sol_view {
    struct model_view base;
    char asked[400];
};
// For the dialect: runs the trace by the interpreter over the syntax tree, which is read once more.
bool sol_confirm_trace(const struct trace *trace, struct text *why);

// NULL when there is none of that name.
const struct sol_question *sol_input_question(const struct sol_input *input, const char *name);

#endif
