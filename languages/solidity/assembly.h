#ifndef REGATTA_LANGUAGES_SOLIDITY_ASSEMBLY_H
#define REGATTA_LANGUAGES_SOLIDITY_ASSEMBLY_H

#include "languages/solidity/tree.h"

// What a piece of inline assembly can do to the rest of the function, read from its text. Values are not followed: what
// it assigns may be anything after it. It stays clear of Solidity's memory when it writes to scratch space (below 0x40) or behind the
// free memory pointer only.

enum sol_assembly_form {
    SOL_ASSEMBLY_ANY,       // what it assigns is anything
    SOL_ASSEMBLY_REVERTS,   // no run comes out of it
    SOL_ASSEMBLY_CODE_SIZE, // x := extcodesize(y), and nothing else
};

#define SOL_MOST_ASSIGNED 32

struct sol_assembly {
    enum sol_assembly_form form;
    bool stores;                                        // may write any word of storage
    const struct sol_node *assigned[SOL_MOST_ASSIGNED]; // local variables, each once
    size_t assigned_count;
    const struct sol_node *account; // y of SOL_ASSEMBLY_CODE_SIZE
    char refused[64];               // what it does besides, that is not followed; "" = nothing
};

void sol_assembly_read(const struct sol_tree *tree, const struct sol_node *node,
                       struct sol_assembly *out);

#endif
