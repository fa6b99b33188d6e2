#ifndef REGATTA_LANGUAGES_SOLIDITY_TYPE_H
#define REGATTA_LANGUAGES_SOLIDITY_TYPE_H

#include <stdint.h>

#include "languages/solidity/tree.h"

// Types of Solidity, from the compiler's words for them ("mapping(address => uint256[] storage ref)").

enum sol_type_kind {
    SOL_T_UNKNOWN, // function types, magic things, what is not known; `text` tells
    SOL_T_BOOL,
    SOL_T_UINT,
    SOL_T_INT,
    SOL_T_ADDRESS,
    SOL_T_BYTES_N,  // bytes1 … bytes32; `bits`
    SOL_T_CONSTANT, // int_const, rational_const
    SOL_T_STRING,   // string, bytes, literal strings
    SOL_T_CONTRACT,
    SOL_T_ENUM,
    SOL_T_STRUCT,
    SOL_T_MAPPING,
    SOL_T_ARRAY,
    SOL_T_TUPLE,
    SOL_T_FUNCTION, // an internal one, as a value: its number in the tree
};

enum sol_place { SOL_NOWHERE, SOL_STORAGE, SOL_MEMORY };

struct sol_type {
    enum sol_type_kind kind;
    unsigned bits;                      // UINT, INT, BYTES_N; ADDRESS: 160
    enum sol_place place;               // ARRAY, STRUCT, STRING
    bool is_bytes;                      // STRING: bytes
    bool literal;                       // STRING
    bool fixed;                         // ARRAY
    uint64_t length;                    // ARRAY: when fixed
    const struct sol_type *key, *value; // MAPPING; ARRAY: value
    const struct sol_node *node;        // CONTRACT, ENUM, STRUCT: its definition
    const struct sol_type **members;    // TUPLE; FUNCTION: parameters, `value` the tuple of results
    size_t member_count;
    const char *text;
};

struct sol_types;
struct sol_types *sol_types_create(const struct sol_tree *tree);
void sol_types_destroy(struct sol_types *types); // NULL is fine
// Never NULL; the same words give the same pointer.
const struct sol_type *sol_type_of(struct sol_types *types, const char *words);
static inline const struct sol_type *sol_node_type(struct sol_types *types,
                                                   const struct sol_node *node)
{
    return sol_type_of(types, node->type);
}
const struct sol_type *sol_type_place(struct sol_types *types, const struct sol_type *type,
                                      enum sol_place place);

// Held in one word: copied by value everywhere.
static inline bool sol_type_is_value(const struct sol_type *t)
{
    return t->kind == SOL_T_BOOL || t->kind == SOL_T_UINT || t->kind == SOL_T_INT ||
           t->kind == SOL_T_ADDRESS || t->kind == SOL_T_BYTES_N || t->kind == SOL_T_CONTRACT ||
           t->kind == SOL_T_ENUM || t->kind == SOL_T_FUNCTION;
}
static inline bool sol_type_is_reference(const struct sol_type *t)
{
    return t->kind == SOL_T_ARRAY || t->kind == SOL_T_STRUCT || t->kind == SOL_T_MAPPING;
}
static inline bool sol_type_is_number(const struct sol_type *t)
{
    return t->kind == SOL_T_UINT || t->kind == SOL_T_INT;
}
// Is it the same type, wherever it is?
bool sol_type_same(const struct sol_type *a, const struct sol_type *b);

// What of a contract answers a call of the function or variable `target` of another type: one with a body and the same name
// and parameters, or a getter; NULL = none.
const struct sol_node *sol_answering(const struct sol_tree *tree, struct sol_types *types,
                                     const struct sol_node *contract,
                                     const struct sol_node *target);

// Where nothing does by that: has the contract a function of that name with as many parameters, whose types may be encoded alike
// (a contract and its address, an enumeration and its number, structures of the same members)?
bool sol_may_answer(const struct sol_tree *tree, const struct sol_node *contract,
                    const struct sol_node *target);

// What answers calls that nothing else does; NULL = nothing, they revert.
const struct sol_node *sol_fallback_of(const struct sol_tree *tree,
                                       const struct sol_node *contract);

#endif
