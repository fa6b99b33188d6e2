#ifndef REGATTA_LANGUAGES_SOLIDITY_TREE_H
#define REGATTA_LANGUAGES_SOLIDITY_TREE_H

#include "base/arena.h"
#include "base/message.h"

// The syntax tree of a Solidity file and its imports, as the Solidity compiler gives it, in one shape for all versions
// of the compiler. Immutable once read; the arena of the tree owns everything.

enum sol_kind {
    SOL_OTHER, // what this reader does not know; `name` is the compiler's word for it
    SOL_UNIT,
    SOL_PRAGMA,
    SOL_IMPORT,
    SOL_CONTRACT,
    SOL_INHERITANCE,
    SOL_USING,
    SOL_STRUCT,
    SOL_ENUM,
    SOL_ENUM_VALUE,
    SOL_EVENT,
    SOL_ERROR,
    SOL_MODIFIER,
    SOL_FUNCTION,
    SOL_VARIABLE,
    SOL_PARAMETERS,
    SOL_INVOCATION, // of a modifier or a base's constructor
    SOL_TYPE_NAME,
    SOL_BLOCK,
    SOL_UNCHECKED,
    SOL_DECLARATION,
    SOL_EXPRESSION_STATEMENT,
    SOL_IF,
    SOL_WHILE,
    SOL_DO,
    SOL_FOR,
    SOL_BREAK,
    SOL_CONTINUE,
    SOL_RETURN,
    SOL_THROW,
    SOL_EMIT,
    SOL_REVERT,
    SOL_PLACEHOLDER,
    SOL_ASSEMBLY,
    SOL_TRY,
    SOL_CATCH,
    SOL_ASSIGNMENT,
    SOL_BINARY,
    SOL_UNARY,
    SOL_CONDITIONAL,
    SOL_CALL,
    SOL_CALL_OPTIONS,
    SOL_NEW,
    SOL_MEMBER,
    SOL_INDEX,
    SOL_IDENTIFIER,
    SOL_LITERAL,
    SOL_TUPLE,
    SOL_ELEMENTARY, // a type as an expression: uint8(…)
    SOL_VALUE_TYPE, // type Price is uint128
    SOL_SLICE,      // b[1:3]
};

enum sol_flag {
    SOL_IS_STATE = 1,       // VARIABLE: of the contract
    SOL_IS_CONSTANT = 2,    // VARIABLE
    SOL_IS_CONSTRUCTOR = 4, // FUNCTION
    SOL_IS_FALLBACK = 8,    // FUNCTION: fallback, receive, and the nameless one of old versions
    SOL_IS_PAYABLE = 16,    // FUNCTION
    SOL_IS_PREFIX = 32,     // UNARY
    SOL_IS_INLINE_ARRAY = 64,
    SOL_IS_CONVERSION = 128,   // CALL: T(x)
    SOL_IS_STRUCT_MAKER = 256, // CALL: S(…)
    SOL_IS_LIBRARY = 512,      // CONTRACT
    SOL_IS_INTERFACE = 1024,   // CONTRACT
    SOL_IS_ABSTRACT = 2048,    // CONTRACT: lacks a body somewhere
    SOL_IS_VIEW = 4096,        // FUNCTION: view or pure
    SOL_IS_RECEIVE = 8192,     // FUNCTION: and SOL_IS_FALLBACK
    SOL_IS_IMMUTABLE = 16384,  // VARIABLE
};

// What the parts are:
//   CONTRACT list = members, more = base specifiers, order = linearised bases, itself first
//   INHERITANCE, INVOCATION part[0] = name, list = arguments
//   USING part[0] = library, part[1] = type (NULL: all)
//   STRUCT, ENUM list = members      PARAMETERS list = VARIABLEs      VARIABLE part[0] = type name, part[1] = value
//   FUNCTION, MODIFIER part[0] = parameters, part[1] = results, part[2] = body, list = invocations
//   BLOCK, UNCHECKED list = statements
//   DECLARATION list = VARIABLEs (NULL: a gap), part[0] = value
//   EXPRESSION_STATEMENT, RETURN, EMIT, REVERT part[0] = expression
//   IF, CONDITIONAL, part[0] = condition, 1 = then, 2 = else
//   WHILE, DO part[0] = condition, 1 = body;   FOR and 2 = initialisation, 3 = step
//   TRY part[0] = call, list = clauses;   CATCH part[0] = parameters, part[1] = block
//   ASSIGNMENT, BINARY part[0] = left, 1 = right, name = operator;   UNARY part[0], name = operator
//   CALL part[0] = function, list = arguments, names of them;   CALL_OPTIONS part[0] = function, list = values, names
//   NEW part[0] = type name     MEMBER part[0] = base, name      INDEX part[0] = base, 1 = index
//   TUPLE list = components (NULL: a gap)     LITERAL name = value, word = kind, unit = subdenomination
//   ASSEMBLY order = pairs: the id of what a name in it means outside, and where in the file the name is
//   VALUE_TYPE part[0] = what it is     SLICE part[0] = base, 1 = begin, 2 = end
//   BINARY and UNARY of user-defined types: reference = the function that is the operator
#define SOL_PARTS 4
struct sol_node {
    enum sol_kind kind;
    unsigned flags;     // enum sol_flag
    long id, reference; // reference: id of what it names, 0 = nothing of this tree
    long scope;         // VARIABLE, FUNCTION: id of what it is declared in
    const char *name;   // "" when there is none
    const char *type;   // what the compiler says of its type; "" = nothing
    const char *common; // BINARY: of both sides
    const char *word;   // visibility; LITERAL: kind; VARIABLE: storage location
    // LITERAL: ether, days, …; FUNCTION: its selector in hexadecimal, "" = none; VARIABLE: its visibility
    const char *unit;
    const char *comment; // documentation; "" = none
    const struct sol_node *part[SOL_PARTS];
    const struct sol_node **list;
    size_t count;
    const struct sol_node **more;
    size_t more_count;
    const char **names;
    size_t name_count;
    long *order;
    size_t order_count;
    const struct sol_node *parent;
    unsigned file, start, length; // of the source text
    struct position at;
};

struct sol_file {
    const char *path; // as messages show it
    const char *text;
    size_t bytes, line_count;
    unsigned *lines; // where they begin
    const struct sol_node *unit;
};

struct sol_tree {
    struct arena arena;
    const char *compiler;   // "0.5.17"
    unsigned minor;         // 5
    struct sol_file *files; // by the compiler's numbers; text NULL = no such file
    size_t file_count;
    const struct sol_node **nodes; // by id
    size_t node_count;
};

// Asks the compiler. NULL and messages when there is no tree. The path must outlive all positions.
struct sol_tree *sol_tree_read(const char *path, struct messages *messages);
// From the answer of compiler/tree.js; path: of the main file.
struct sol_tree *sol_tree_parse(const char *path, const char *json, struct messages *messages);
// Errors where the tree has another shape than a compiler gives it. sol_tree_parse does it.
void sol_tree_check(const struct sol_tree *tree, const char *path, struct messages *messages);
void sol_tree_destroy(struct sol_tree *tree); // NULL is fine

const struct sol_node *sol_tree_node(const struct sol_tree *tree,
                                     long id); // NULL when there is none
const struct sol_node *sol_tree_contract(const struct sol_tree *tree, const char *name);
// Members of `msg`, `block` and `tx` that a transaction fixes, each once, in the order of the tree; all but those that
// have a place of their own (sender, value, sig, data, timestamp, number). At most `capacity`.
size_t sol_tree_surroundings(const struct sol_tree *tree, const struct sol_node **out,
                             size_t capacity);
#define SOL_MOST_SURROUNDINGS 24
// "block.gaslimit"; one name for what compilers have called differently.
void sol_surrounding_name(const struct sol_node *node, char *out, size_t bytes);
// Does anything in the file read the member `name` of the compiler's own `base` (NULL: of anything)?
bool sol_tree_reads(const struct sol_tree *tree, const char *base, const char *name);
struct position sol_tree_position(const struct sol_tree *tree, unsigned file, unsigned offset);
// All contracts, in the order of files and text.
size_t sol_tree_contracts(const struct sol_tree *tree, const struct sol_node **out,
                          size_t capacity);
// The exponent behind the `e` of a literal, with the underscores that may stand between its digits. What is beyond 5000
// either way comes back as that.
long sol_exponent(const char *text);
// `this`, also as an address.
bool sol_node_is_self(const struct sol_tree *tree, const struct sol_node *node);
// A function or variable that others may call.
bool sol_node_is_open(const struct sol_node *member);
// What is called, behind its options ({value: …}); NULL = nothing.
const struct sol_node *sol_node_without_options(const struct sol_node *callee);
// The contract (or NULL for none) that the declaration stands in.
const struct sol_node *sol_node_contract(const struct sol_node *node);

// The text behind the k-th annotation `@notice WORD …` of that comment (spec: invariant, precondition, postcondition),
// up to the next tag or the end, and where it begins in the comment; NULL when there are fewer.
const char *sol_annotation(struct arena *arena, const char *comment, const char *word, size_t k);
// The comment that stands directly before the node in the source text; "" when there is none.
const char *sol_comment_before(struct sol_tree *tree, const struct sol_node *node);

#endif
