#include "languages/expressions/scope.h"

#include <string.h>

#include "base/text.h"
#include "base/vector.h"

static uint64_t name_hash(const char *name, size_t length)
{
    return hash128_add_bytes(hash128_seed(0), name, length).low;
}

// In this scope alone.
static struct cfa_symbol *find(const struct cfa_scope *scope, const char *name, size_t length,
                               uint64_t hash)
{
    struct hash_probe probe = hash_index_probe(&scope->index, hash);
    for (uint32_t i; hash_index_next(&scope->index, &probe, &i);) {
        const char *known = scope->symbols.data[i]->name;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return scope->symbols.data[i];
    }
    return NULL;
}

void cfa_scope_init(struct cfa_scope *scope, const struct cfa_scope *outer)
{
    *scope = (struct cfa_scope){.outer = outer};
}

void cfa_scope_finish(struct cfa_scope *scope)
{
    VECTOR_FINISH(&scope->symbols);
    hash_index_finish(&scope->index);
    cfa_scope_init(scope, NULL);
}

bool cfa_scope_add(struct cfa_scope *scope, struct cfa_symbol *symbol)
{
    size_t length = strlen(symbol->name);
    uint64_t hash = name_hash(symbol->name, length);
    if (find(scope, symbol->name, length, hash) != NULL)
        return false;
    hash_index_add(&scope->index, hash, (uint32_t)scope->symbols.count);
    VECTOR_PUSH(&scope->symbols, symbol);
    return true;
}

struct cfa_symbol *cfa_scope_find(const struct cfa_scope *scope, const char *name, size_t length)
{
    uint64_t hash = name_hash(name, length);
    for (; scope != NULL; scope = scope->outer) {
        struct cfa_symbol *symbol = find(scope, name, length, hash);
        if (symbol != NULL)
            return symbol;
    }
    return NULL;
}

const char *cfa_scope_nearest(const struct cfa_scope *scope, const char *name)
{
    VECTOR(const char *) names = {0};
    for (; scope != NULL; scope = scope->outer) {
        for (size_t i = 0; i < scope->symbols.count; i++)
            VECTOR_PUSH(&names, scope->symbols.data[i]->name);
    }
    const char *nearest = text_nearest(name, names.data, names.count);
    VECTOR_FINISH(&names);
    return nearest;
}
