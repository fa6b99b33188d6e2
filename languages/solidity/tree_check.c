#include <assert.h>
#include <string.h>

#include "languages/solidity/tree.h"

// Is the tree one that a compiler gives? What walks it relies on the parts, on their kinds, and on what names lead to; the
// types of expressions are looked at where they are translated.

struct rule {
    enum sol_kind parent;
    int part;            // LIST: each of the list
    enum sol_kind child; // SOL_OTHER: anything, but something
    bool gaps;           // may be missing
};
#define LIST (-1)
#define MORE (-2)

static const struct rule RULES[] = {
    {SOL_UNIT, LIST, SOL_OTHER, false},
    {SOL_CONTRACT, LIST, SOL_OTHER, false},
    {SOL_CONTRACT, MORE, SOL_INHERITANCE, false},
    {SOL_INHERITANCE, 0, SOL_OTHER, false},
    {SOL_INHERITANCE, LIST, SOL_OTHER, false},
    {SOL_STRUCT, LIST, SOL_VARIABLE, false},
    {SOL_ENUM, LIST, SOL_ENUM_VALUE, false},
    {SOL_FUNCTION, 0, SOL_PARAMETERS, false},
    {SOL_FUNCTION, 1, SOL_PARAMETERS, false},
    {SOL_FUNCTION, 2, SOL_BLOCK, true},
    {SOL_FUNCTION, LIST, SOL_INVOCATION, false},
    {SOL_MODIFIER, 0, SOL_PARAMETERS, false},
    {SOL_MODIFIER, 2, SOL_BLOCK, true},
    {SOL_PARAMETERS, LIST, SOL_VARIABLE, false},
    {SOL_INVOCATION, 0, SOL_OTHER, false},
    {SOL_INVOCATION, LIST, SOL_OTHER, false},
    {SOL_VALUE_TYPE, 0, SOL_TYPE_NAME, false},
    {SOL_BLOCK, LIST, SOL_OTHER, false},
    {SOL_UNCHECKED, LIST, SOL_OTHER, false},
    {SOL_DECLARATION, LIST, SOL_VARIABLE, true},
    {SOL_EXPRESSION_STATEMENT, 0, SOL_OTHER, false},
    {SOL_IF, 0, SOL_OTHER, false},
    {SOL_IF, 1, SOL_OTHER, false},
    {SOL_WHILE, 0, SOL_OTHER, false},
    {SOL_WHILE, 1, SOL_OTHER, false},
    {SOL_DO, 0, SOL_OTHER, false},
    {SOL_DO, 1, SOL_OTHER, false},
    {SOL_FOR, 1, SOL_OTHER, false},
    {SOL_EMIT, 0, SOL_CALL, false},
    {SOL_TRY, 0, SOL_OTHER, false},
    {SOL_TRY, LIST, SOL_CATCH, false},
    {SOL_CATCH, 0, SOL_PARAMETERS, true},
    {SOL_CATCH, 1, SOL_BLOCK, false},
    {SOL_ASSIGNMENT, 0, SOL_OTHER, false},
    {SOL_ASSIGNMENT, 1, SOL_OTHER, false},
    {SOL_BINARY, 0, SOL_OTHER, false},
    {SOL_BINARY, 1, SOL_OTHER, false},
    {SOL_UNARY, 0, SOL_OTHER, false},
    {SOL_CONDITIONAL, 0, SOL_OTHER, false},
    {SOL_CONDITIONAL, 1, SOL_OTHER, false},
    {SOL_CONDITIONAL, 2, SOL_OTHER, false},
    {SOL_CALL, 0, SOL_OTHER, false},
    {SOL_CALL, LIST, SOL_OTHER, false},
    {SOL_CALL_OPTIONS, 0, SOL_OTHER, false},
    {SOL_CALL_OPTIONS, LIST, SOL_OTHER, false},
    {SOL_NEW, 0, SOL_TYPE_NAME, false},
    {SOL_MEMBER, 0, SOL_OTHER, false},
    {SOL_INDEX, 0, SOL_OTHER, false},
    {SOL_SLICE, 0, SOL_OTHER, false},
};

struct check {
    const struct sol_tree *tree;
    const char *path;
    struct messages *messages;
};

static void complain(struct check *c, const struct sol_node *node, const char *what)
{
    struct position at = node->at.path != NULL ? node->at : (struct position){c->path, 0, 0};
    message_add(c->messages, MESSAGE_ERROR, at, "the compiler's syntax tree: found %s", what);
}

static bool fits(const struct rule *rule, const struct sol_node *child)
{
    if (child == NULL)
        return rule->gaps;
    return rule->child == SOL_OTHER || child->kind == rule->child ||
           (rule->child == SOL_BLOCK && child->kind == SOL_UNCHECKED);
}

static bool follows(const struct rule *rule, const struct sol_node *node)
{
    assert(rule->part < SOL_PARTS && rule->part >= MORE);
    if (rule->part >= 0)
        return fits(rule, node->part[rule->part]);
    const struct sol_node **list = rule->part == LIST ? node->list : node->more;
    size_t count = rule->part == LIST ? node->count : node->more_count;
    assert(count == 0 || list != NULL);
    for (size_t i = 0; i < count; i++)
        if (!fits(rule, list[i]))
            return false;
    return true;
}

// Its bases are contracts, and it is the first of them itself.
static bool is_linear(const struct check *c, const struct sol_node *contract)
{
    if (contract->order_count == 0 || contract->order[0] != contract->id)
        return false;
    for (size_t i = 0; i < contract->order_count; i++) {
        const struct sol_node *base = sol_tree_node(c->tree, contract->order[i]);
        if (base == NULL || base->kind != SOL_CONTRACT)
            return false;
        for (size_t k = 0; k < i; k++)
            if (contract->order[k] == contract->order[i])
                return false;
    }
    return true;
}

static bool is_operator(const struct sol_node *node)
{
    assert(node->kind == SOL_BINARY || node->kind == SOL_UNARY || node->kind == SOL_ASSIGNMENT);
    static const char *const binary[] = {"+",  "-",  "*",  "/", "%",  "**", "&",  "|",  "^", "<<",
                                         ">>", "&&", "||", "<", "<=", ">",  ">=", "==", "!="};
    static const char *const unary[] = {"!", "-", "+", "~", "++", "--", "delete", "after"};
    static const char *const assign[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", ">>>="};
    const char *const *words = node->kind == SOL_BINARY  ? binary
                               : node->kind == SOL_UNARY ? unary
                                                         : assign;
    size_t count = node->kind == SOL_BINARY  ? sizeof binary / sizeof *binary
                   : node->kind == SOL_UNARY ? sizeof unary / sizeof *unary
                                             : sizeof assign / sizeof *assign;
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], node->name) == 0)
            return true;
    return false;
}

static bool is_in_modifier(const struct sol_node *node)
{
    while (node != NULL && node->kind != SOL_MODIFIER && node->kind != SOL_FUNCTION)
        node = node->parent;
    return node != NULL && node->kind == SOL_MODIFIER;
}

static void walk(struct check *c, const struct sol_node *node)
{
    if (node == NULL || c->messages->errors > 20)
        return;
    for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; i++)
        if (RULES[i].parent == node->kind && !follows(&RULES[i], node)) {
            complain(c, node, "a part that is missing, or of another kind");
            return;
        }
    if (node->kind == SOL_CONTRACT && !is_linear(c, node))
        complain(c, node, "a contract whose bases are in no order");
    if (node->kind == SOL_PLACEHOLDER && !is_in_modifier(node))
        complain(c, node, "the rest of a function outside of modifiers");
    if ((node->kind == SOL_BINARY || node->kind == SOL_UNARY || node->kind == SOL_ASSIGNMENT) &&
        !is_operator(node))
        complain(c, node, "an operator that the language does not have");
    for (int i = 0; i < SOL_PARTS; i++)
        walk(c, node->part[i]);
    for (size_t i = 0; i < node->count; i++)
        walk(c, node->list[i]);
    for (size_t i = 0; i < node->more_count; i++)
        walk(c, node->more[i]);
}

void sol_tree_check(const struct sol_tree *tree, const char *path, struct messages *messages)
{
    struct check check = {tree, path, messages};
    for (size_t f = 0; f < tree->file_count; f++) {
        const struct sol_node *unit = tree->files[f].unit;
        if (unit != NULL && unit->kind != SOL_UNIT)
            complain(&check, unit, "a file that is no list of definitions");
        else
            walk(&check, unit);
    }
}
