#ifndef REGATTA_TESTS_FUZZ_TARGETS_INSIDE_H
#define REGATTA_TESTS_FUZZ_TARGETS_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"

// X(function, name, ending of the files that are seeds too, or NULL)
#define FUZZ_TARGETS(X)                                                                            \
    X(xsts, "xsts", ".xsts")                                                                       \
    X(cfa, "cfa", ".cfa")                                                                          \
    X(sts, "sts", ".system")                                                                       \
    X(aiger, "aiger", ".aag")                                                                      \
    X(aiger_binary, "aiger-binary", ".aig")                                                        \
    X(btor2, "btor2", ".btor2")                                                                    \
    X(chc, "chc", ".smt2")                                                                         \
    X(pnml, "pnml", ".pnml")                                                                       \
    X(net, "net", ".net")                                                                          \
    X(formulas, "formulas", NULL)                                                                  \
    X(scxml, "scxml", ".scxml")                                                                    \
    X(gamma, "gamma", ".gcd")                                                                      \
    X(cffsm, "cffsm", ".cffsm")                                                                    \
    X(umlrt, "umlrt", ".uml")                                                                      \
    X(questions, "questions", NULL)                                                                \
    X(ctl, "ctl", NULL)                                                                            \
    X(program, "program", NULL)                                                                    \
    X(source, "source", ".c")                                                                      \
    X(witness, "witness", NULL)                                                                    \
    X(solidity, "solidity", ".json")                                                               \
    X(task, "task", ".yml")                                                                        \
    X(plan, "plan", ".cfg")                                                                        \
    X(space, "space", ".cfg")                                                                      \
    X(options, "options", NULL)                                                                    \
    X(certificate, "certificate", NULL)                                                            \
    X(precision, "precision", NULL)                                                                \
    X(csv, "csv", ".csv")                                                                          \
    X(benchexec, "benchexec", ".xml")                                                              \
    X(store, "store", NULL)                                                                        \
    X(wire, "wire", NULL)                                                                          \
    X(decisions, "decisions", NULL)                                                                \
    X(answers, "answers", NULL)

// Whether there was something in these bytes, which have no NUL behind them.
#define DECLARE(function, name, extension)                                                         \
    bool fuzz_read_##function(const char *data, size_t bytes);
FUZZ_TARGETS(DECLARE)
#undef DECLARE

char *fuzz_copy(const char *data, size_t bytes); // ended by NUL; the caller frees it
// Whatever is said of an input is printed as it would be for a user. Ends the process unless there is either a result, or a
// reason why not.
bool fuzz_judge(struct messages *messages, bool result);
void fuzz_fail(const char *what);
enum {
    FUZZ_USES = 256
}; // of something that is kept from input to input; then it is made anew, as it may grow

#endif
