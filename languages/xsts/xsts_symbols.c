#include "languages/xsts/xsts_symbols.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

static uint32_t bucket_of(const struct symbols *symbols, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const char *c = name; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return (uint32_t)hash_mix(hash) & (symbols->buckets - 1);
}

void symbols_finish(struct symbols *symbols)
{
    VECTOR_FINISH(&symbols->stack);
    memory_free(symbols->newest);
    *symbols = (struct symbols){0};
}

static void grow(struct symbols *symbols)
{
    uint32_t buckets = symbols->buckets != 0 ? 2 * symbols->buckets : 64;
    memory_free(symbols->newest);
    symbols->newest = memory_alloc(buckets * sizeof *symbols->newest);
    symbols->buckets = buckets;
    for (uint32_t i = 0; i < buckets; i++)
        symbols->newest[i] = SYMBOL_NONE;
    for (uint32_t i = 0; i < symbols->stack.count; i++) {
        struct symbol *symbol = &symbols->stack.data[i];
        uint32_t bucket = bucket_of(symbols, symbol->name);
        symbol->in_bucket = symbols->newest[bucket];
        symbols->newest[bucket] = i;
    }
}

uint32_t symbols_find(const struct symbols *symbols, const char *name)
{
    if (symbols->buckets == 0)
        return SYMBOL_NONE;
    uint32_t i = symbols->newest[bucket_of(symbols, name)];
    while (i != SYMBOL_NONE && strcmp(symbols->stack.data[i].name, name) != 0)
        i = symbols->stack.data[i].in_bucket;
    return i;
}

struct symbol *symbols_push(struct symbols *symbols, struct symbol symbol)
{
    if (symbols->stack.count >= symbols->buckets)
        grow(symbols);
    uint32_t bucket = bucket_of(symbols, symbol.name);
    symbol.older = symbols_find(symbols, symbol.name);
    symbol.in_bucket = symbols->newest[bucket];
    symbols->newest[bucket] = (uint32_t)symbols->stack.count;
    VECTOR_PUSH(&symbols->stack, symbol);
    return &VECTOR_LAST(&symbols->stack);
}

void symbols_pop_to(struct symbols *symbols, size_t count)
{
    assert(count <= symbols->stack.count);
    while (symbols->stack.count > count) {
        struct symbol *symbol = &VECTOR_LAST(&symbols->stack);
        assert(symbols->newest[bucket_of(symbols, symbol->name)] == symbols->stack.count - 1);
        symbols->newest[bucket_of(symbols, symbol->name)] = symbol->in_bucket;
        symbols->stack.count--;
    }
}
