#include "languages/expressions/scope.h"

#include <string.h>

#include "base/text.h"
#include "base/vector.h"

static size_t slot_of(const struct cfa_scope *scope, const char *name, size_t length)
{
    struct hash128 hash = hash128_add_bytes(hash128_seed(0), name, length);
    size_t i = (size_t)hash.low & (scope->capacity - 1);
    while (scope->slots[i] && (strlen(scope->slots[i]->name) != length ||
                               memcmp(scope->slots[i]->name, name, length) != 0))
        i = (i + 1) & (scope->capacity - 1);
    return i;
}

void cfa_scope_init(struct cfa_scope *scope, const struct cfa_scope *outer)
{
    *scope = (struct cfa_scope){.outer = outer};
}

void cfa_scope_finish(struct cfa_scope *scope)
{
    memory_free(scope->slots);
    cfa_scope_init(scope, NULL);
}

static void grow(struct cfa_scope *scope)
{
    struct cfa_scope bigger = {scope->outer, NULL, 0, scope->capacity ? 2 * scope->capacity : 16};
    bigger.slots = memory_zalloc(bigger.capacity * sizeof *bigger.slots);
    for (size_t i = 0; i < scope->capacity; i++) {
        if (scope->slots[i])
            cfa_scope_add(&bigger, scope->slots[i]);
    }
    memory_free(scope->slots);
    *scope = bigger;
}

bool cfa_scope_add(struct cfa_scope *scope, struct cfa_symbol *symbol)
{
    if (2 * (scope->count + 1) > scope->capacity)
        grow(scope);
    size_t i = slot_of(scope, symbol->name, strlen(symbol->name));
    if (scope->slots[i])
        return false;
    scope->slots[i] = symbol;
    scope->count++;
    return true;
}

struct cfa_symbol *cfa_scope_find(const struct cfa_scope *scope, const char *name, size_t length)
{
    for (; scope; scope = scope->outer) {
        if (scope->count == 0)
            continue;
        size_t i = slot_of(scope, name, length);
        if (scope->slots[i])
            return scope->slots[i];
    }
    return NULL;
}

const char *cfa_scope_nearest(const struct cfa_scope *scope, const char *name)
{
    VECTOR(const char *) names = {0};
    for (; scope; scope = scope->outer) {
        for (size_t i = 0; i < scope->capacity; i++) {
            if (scope->slots[i])
                VECTOR_PUSH(&names, scope->slots[i]->name);
        }
    }
    const char *nearest = text_nearest(name, names.data, names.count);
    VECTOR_FINISH(&names);
    return nearest;
}
