#include "languages/charts/names.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

static struct chart_name_entry *slot(const struct chart_names *names, const char *name)
{
    assert(names->count < names->capacity && (names->capacity & (names->capacity - 1)) == 0);
    uint64_t at = hash128_add_text(hash128_seed(0), name).low;
    for (;; at++) {
        struct chart_name_entry *entry = &names->slots[at & (names->capacity - 1)];
        if (entry->name == NULL || strcmp(entry->name, name) == 0)
            return entry;
    }
}

static void grow(struct chart_names *names)
{
    struct chart_names larger = {.capacity = names->capacity == 0 ? 64 : 2 * names->capacity};
    larger.slots = memory_zalloc(larger.capacity * sizeof *larger.slots);
    for (uint32_t i = 0; i < names->capacity; i++) {
        if (names->slots[i].name != NULL)
            *slot(&larger, names->slots[i].name) = names->slots[i];
    }
    larger.count = names->count;
    memory_free(names->slots);
    *names = larger;
}

void chart_names_finish(struct chart_names *names)
{
    memory_free(names->slots);
    *names = (struct chart_names){0};
}

void *chart_names_find(const struct chart_names *names, const char *name)
{
    return names->capacity == 0 ? NULL : slot(names, name)->thing;
}

void *chart_names_add(struct chart_names *names, const char *name, void *thing)
{
    if (2 * (names->count + 1) > names->capacity)
        grow(names);
    struct chart_name_entry *entry = slot(names, name);
    if (entry->name == NULL) {
        *entry = (struct chart_name_entry){name, thing};
        names->count++;
    }
    return entry->thing;
}
