#ifndef REGATTA_RUNS_CONTRACTS_H
#define REGATTA_RUNS_CONTRACTS_H

#include "languages/solidity/interpret.h"
#include "results/store.h"
#include "runs/runner.h"

// Answers the questions of a Solidity file one after another: a function alone first; when it is not proved, the whole
// contract is searched for transactions that break it, and the interpreter over the syntax tree has the last word.

struct contracts_answer;

struct contracts_request {
    const char *path;
    const char *property; // NULL: all functions; "C": the whole contract; "C.f": one function
    enum sol_arithmetic arithmetic;
    unsigned reentrancy; // how deep unknown code calls back
    bool alone;          // no search in the whole contract
    const struct plan *plan;
    struct run_settings settings;
    struct store *store; // records go there; NULL = nowhere
    bool together; // answers are of use only together: a second start asks all questions again
    // Each answer as soon as there is one; may be NULL.
    void (*tell)(void *context, const struct contracts_answer *answer);
    // The race that decided a question, whose task's property gives its model; not for unbounded integers. False ends the
    // questions. May be NULL.
    bool (*decided)(void *context, const char *question, const struct task *task,
                    const struct run *run);
    void *context;
};

enum contracts_kind {
    CONTRACTS_PROVED,
    CONTRACTS_VIOLATED,
    CONTRACTS_NOT_PROVED,
    CONTRACTS_UNSUPPORTED,
    CONTRACTS_UNDECIDED, // time, memory
};
#define CONTRACTS_KINDS 5

struct contracts_answer {
    char *question;
    enum contracts_kind kind;
    enum verdict verdict; // of unbounded integers always unknown
    char *words;          // what stands in parentheses
    char *what;           // what failed; "" = nothing
    char *where;          // path:line:column; "" = nowhere
    unsigned line, column;
    char *values;       // "x = 5, n = 1"
    char *transactions; // a line each; "" = none
    char *test;         // the same as statements of a Foundry test
    char *
        offered; // conditions that the proof has found, a line each: to paste as `@notice invariant …`
    double seconds;
};

struct contracts_answers {
    struct contracts_answer *data;
    size_t count, capacity;
    char *compiler;
    bool left;    // a thread may still run: leave by signals_leave
    bool stopped; // `decided` said so
};

// Is it a path that this module answers?
bool contracts_reads(const char *path);
// False with messages when the file cannot be read.
bool contracts_run(const struct contracts_request *request, struct contracts_answers *out,
                   struct messages *messages);
void contracts_finish(struct contracts_answers *answers);

// Appends a line "@notice invariant …" for each condition on state variables that the certificate has between two transactions;
// with `function`, whose model alone it is, those that it has where loops begin: "at line:column: @notice invariant …".
void contracts_offer(struct text *out, const struct sol_input *input,
                     const struct sol_node *contract, const struct sol_node *function,
                     const struct model *model, const char *certificate);

// "Token.transfer: safe (…)"
void contracts_print_answer(struct text *out, const struct contracts_answer *answer);
// "unsafe (12 questions: 9 proved, 1 violated, …)"; the verdict of all together.
enum verdict contracts_print_summary(struct text *out, const struct contracts_answers *answers);
void contracts_print_json(struct text *out, const char *path,
                          const struct contracts_answers *answers);
// A Foundry test for each violated question: the function that has to fail is called last.
void contracts_print_tests(struct text *out, const char *path,
                           const struct contracts_answers *answers);
void contracts_print_sarif(struct text *out, const char *path,
                           const struct contracts_answers *answers);

#endif
