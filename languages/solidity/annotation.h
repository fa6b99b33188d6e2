#ifndef REGATTA_LANGUAGES_SOLIDITY_ANNOTATION_H
#define REGATTA_LANGUAGES_SOLIDITY_ANNOTATION_H

#include "languages/solidity/type.h"

// Annotations (docs/solidity.md): conditions in documentation comments, read into the same nodes as the compiler's tree,
// with types as words. `sum(c)` is a call of the identifier "sum" with the type "unbounded", `old(e)` one of "old".

enum sol_annotation_kind { SOL_INVARIANT, SOL_PRECONDITION, SOL_POSTCONDITION, SOL_MODIFIES };

struct sol_annotation {
    enum sol_annotation_kind kind;
    const struct sol_node *condition; // MODIFIES: behind `if`; NULL = always
    const char *text;
    struct position at;
    const struct sol_node *variable; // MODIFIES: the state variable; NULL = a balance
    bool whole;                      // MODIFIES: all of it
};

struct sol_annotations {
    struct sol_annotation *data;
    size_t count;
    bool wrong; // one of them could not be read: there are messages
};

// Those of a contract (invariants), a function (pre- and postconditions, what it modifies; for the condition `owner` is the contract
// whose names are meant) or a loop. In the tree's arena.
struct sol_annotations sol_annotations_of(struct sol_tree *tree, struct sol_types *types,
                                          const struct sol_node *contract,
                                          const struct sol_node *node, struct messages *messages);

// Does a contract invariant of the file speak of a balance? Who writes one counts on no Ether that arrives by force.
bool sol_balance_is_annotated(const struct sol_tree *tree);

#endif
