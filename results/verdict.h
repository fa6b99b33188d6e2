#ifndef REGATTA_RESULTS_VERDICT_H
#define REGATTA_RESULTS_VERDICT_H

#include "base/budget.h"

// What a run can answer, why an attempt ends, and the exit codes: one line each; names, help text
// and documentation come from these lists.

// X(constant, name, exit code, meaning)
#define VERDICTS(X)                                                                                \
    X(VERDICT_UNKNOWN, "unknown", 20, "no answer")                                                 \
    X(VERDICT_SAFE, "safe", 0, "the error cannot be reached")                                      \
    X(VERDICT_UNSAFE, "unsafe", 10, "the error can be reached; a trace shows how")

// X(constant, name, meaning)
#define END_REASONS(X)                                                                             \
    X(END_NONE, "none", "still running")                                                           \
    X(END_SOLVED, "solved", "reached a verdict that was checked")                                  \
    X(END_STALLED, "stalled", "a monitor saw that refinement makes no progress")                   \
    X(END_TIMEOUT, "timeout", "its budget or the run's time limit was used up")                    \
    X(END_CPUTIME, "cputime", "its limit of CPU time, or the run's, was used up")                  \
    X(END_STEPS, "steps", "its step budget was used up")                                           \
    X(END_MEMORY, "memory", "its memory limit was reached or memory ran out")                      \
    X(END_LOST, "lost", "another attempt answered first")                                          \
    X(END_INTERRUPTED, "interrupted", "the user ended the run")                                    \
    X(END_UNKNOWN, "unknown", "the engine gave up")                                                \
    X(END_SOLVER, "solver_error", "the solver failed")                                             \
    X(END_UNCHECKED, "unchecked", "its proof could not be checked, and only checked ones count")   \
    X(END_BOUNDED, "bounded",                                                                      \
      "safe as far as the model's bounds reach (of queues, of loops); it may go beyond them")      \
    X(END_BEYOND, "beyond",                                                                        \
      "a run leaves what the model knows of its input: no proof about the model would count")      \
    X(END_UNSUPPORTED, "unsupported", "the configuration cannot treat this model")                 \
    X(END_CRASHED, "crashed", "its process crashed")                                               \
    X(END_NOT_STARTED, "not_started", "the system refused what it needs to start")                 \
    X(END_INTERNAL, "internal",                                                                    \
      "a certificate was refused: a bug, or a solver program answers wrongly; the verdict was "    \
      "dropped")

// Was the verdict checked by somebody else than who found it? X(constant, name, meaning)
#define CHECKS(X)                                                                                  \
    X(CHECK_NONE, "", "there is no verdict, or nobody wrote it down")                              \
    X(CHECK_PASSED, "yes", "the trace was replayed, or the proof checked, on the model as given")  \
    X(CHECK_PREPARED, "prepared", "the proof was checked on the prepared model only")              \
    X(CHECK_MISSING, "no", "nobody checked the proof, or no checker could decide")

// X(constant, code, meaning)
#define EXIT_CODES(X)                                                                              \
    X(EXIT_SAFE, 0, "safe, or the command did what it was asked")                                  \
    X(EXIT_USAGE, 2, "wrong usage or wrong input")                                                 \
    X(EXIT_INTERNAL, 3, "internal error")                                                          \
    X(EXIT_REFUSED, 4, "certify, validate: the certificate or witness is refused")                 \
    X(EXIT_WORSE, 5, "compare: the second is worse beyond chance")                                 \
    X(EXIT_DIFFERENT, 6, "trace diff: a model cannot follow some trace of the other")              \
    X(EXIT_UNSAFE, 10, "unsafe")                                                                   \
    X(EXIT_UNKNOWN, 20, "unknown")                                                                 \
    X(EXIT_CONTRADICTION, 30, "two attempts contradict each other")

enum verdict {
#define X(constant, name, code, meaning) constant,
    VERDICTS(X)
#undef X
};

enum end_reason {
#define X(constant, name, meaning) constant,
    END_REASONS(X)
#undef X
};

enum check {
#define X(constant, name, meaning) constant,
    CHECKS(X)
#undef X
};

enum exit_code {
#define X(constant, code, meaning) constant = code,
    EXIT_CODES(X)
#undef X
};

const char *verdict_name(enum verdict verdict);
int verdict_exit_code(enum verdict verdict);
const char *end_reason_name(enum end_reason reason);
const char *end_reason_meaning(enum end_reason reason);
// The parsers: -1 when the name is none of theirs.
int verdict_parse(const char *name);
int end_reason_parse(const char *name);
const char *check_name(enum check check);
int check_parse(const char *name);
// Of a command whose input could not be read to its end: by the signal, else that of no answer.
int budget_exit_code(enum budget_end end);

#endif
