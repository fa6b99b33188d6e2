#ifndef REGATTA_LANGUAGES_SOLIDITY_INTERPRET_H
#define REGATTA_LANGUAGES_SOLIDITY_INTERPRET_H

#include "base/text.h"
#include "languages/solidity/question.h"
#include "model/trace.h"

// Runs transactions over the syntax tree, with numbers of GMP and objects of its own: it shares the reader with the
// translation, and nothing else. What it confirms is a violation of the contract, whatever the translation did.

enum sol_event_kind {
    SOL_EVENT_CALL,  // a transaction: the function `id`
    SOL_EVENT_BACK,  // unknown code calls the function `id`, or (0) does not
    SOL_EVENT_READ,  // the same by a call that may change nothing: it does not come back
    SOL_EVENT_IS,    // the object that is called is of the contract `id`; 0 = unknown code
    SOL_EVENT_VALUE, // a value from outside: argument, sender, answer, …
};

struct sol_event {
    enum sol_event_kind kind;
    long id;
    const char *name;        // VALUE: for people
    const struct sort *sort; // VALUE
    struct value value;      // VALUE, of the trace's store
};

struct sol_replay {
    bool violated;
    const char *what; // SOL_FAIL_…
    struct position at;
    struct text transactions; // one line each
    struct text test;         // the same as a contract that a Solidity test runs
    struct text why;          // not violated: what happened instead
};

// What a replayed trace of sol_contract_model says, in order. The caller frees the array (memory_free).
struct sol_event *sol_events_of(const struct trace *trace, size_t *count);

// `function`: whose failures count, NULL = all. The texts are the caller's to finish.
void sol_replay_run(struct sol_replay *out, struct sol_input *input,
                    const struct sol_node *contract, const struct sol_node *function,
                    const struct sol_question_options *options, const struct sol_event *events,
                    size_t count);
void sol_replay_finish(struct sol_replay *replay);

#endif
