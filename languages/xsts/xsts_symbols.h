#ifndef REGATTA_LANGUAGES_XSTS_XSTS_SYMBOLS_H
#define REGATTA_LANGUAGES_XSTS_XSTS_SYMBOLS_H

#include "base/vector.h"
#include "model/model.h"

// Names in scope: a stack, with a hash table over it. A newer symbol hides older ones of its name;
// they are chained so that all literals of one name can be listed.

#define SYMBOL_NONE UINT32_MAX

enum symbol_kind {
    SYMBOL_TYPE,
    SYMBOL_LITERAL,
    SYMBOL_GLOBAL,
    SYMBOL_LOCAL,
    SYMBOL_COUNTER, // of a `for` loop
};

struct symbol {
    enum symbol_kind kind;
    const char *name; // not owned
    // Of the type itself, the literal's type, the variable. NULL when its declaration was wrong:
    // whatever uses it then is wrong, too, without another message.
    const struct sort *sort;
    const struct term *term;         // literal, variable or counter
    const struct variable *variable; // SYMBOL_GLOBAL, SYMBOL_LOCAL
    struct position at;
    uint32_t older;     // the next symbol of this name, SYMBOL_NONE at the end
    uint32_t in_bucket; // the next older symbol of its hash bucket
    bool written;       // SYMBOL_LOCAL: some path to here assigned it
    bool warned;        // SYMBOL_LOCAL: its early use was reported
};

struct symbols {
    VECTOR(struct symbol) stack;
    uint32_t *newest; // of each bucket, SYMBOL_NONE when it is empty
    uint32_t buckets; // 0 or a power of two
};

void symbols_finish(struct symbols *symbols);
uint32_t symbols_find(const struct symbols *symbols, const char *name);
// `older` is filled in. The pointer lives until the next push.
struct symbol *symbols_push(struct symbols *symbols, struct symbol symbol);
// Drops all symbols from number `count` on.
void symbols_pop_to(struct symbols *symbols, size_t count);

#endif
