#ifndef REGATTA_LANGUAGES_UMLRT_CODE_INSIDE_H
#define REGATTA_LANGUAGES_UMLRT_CODE_INSIDE_H

#include "base/arena.h"
#include "languages/umlrt/code.h"

// The tree that code.c runs and code_parse.c makes.

enum code_kind {
    CODE_NUMBER, // text
    CODE_TRUE,
    CODE_FALSE,
    CODE_NAME,     // text
    CODE_RECEIVED, // *rtdata
    CODE_NOT,
    CODE_MINUS,
    CODE_BINARY, // text: the operator
    CODE_CHOOSE, // c ? a : b
    CODE_NOTHING,
    CODE_BLOCK,   // list
    CODE_DECLARE, // text; first: value or NULL; boolean in `flag`
    CODE_ASSIGN,  // text, first
    CODE_IF,      // first ? second : third (NULL)
    CODE_WHILE,   // first: condition; second: body; third: step or NULL; flag: the body once before
    CODE_RETURN,  // first or NULL
    CODE_SEND,    // text: port.signal; list
    CODE_CREATE,  // text
    CODE_DESTROY,
    CODE_TIMER, // text; flag: periodic
};

struct code_node {
    enum code_kind kind;
    const char *text;
    unsigned line;
    bool flag;
    struct code_node *first, *second, *third;
    VECTOR(struct code_node *) list; // freed by code_free
    struct code_node *next_owned;    // all nodes of a piece of code
};

// NULL with messages. Nodes belong to *owner; code_free it.
struct code_node *code_parse(const struct code_scope *scope, const char *path, unsigned line,
                             const char *text, struct arena *arena, struct code_node **owner);
void code_free(struct code_node *owner);

#endif
