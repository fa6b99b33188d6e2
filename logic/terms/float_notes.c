#include "logic/terms/float_notes.h"

#include <assert.h>

#include "base/hash.h"
#include "base/memory.h"
#include "logic/terms/store.h"

#define FIRST_SLOTS 64

// The slot of the term, or the free one where it belongs. Slots hold the note's position + 1.
static size_t slot_of(const struct term_store *store, const struct term *term)
{
    size_t slot = hash_mix(term->id) & (store->note_capacity - 1);
    while (store->note_slots[slot] != 0 &&
           store->notes.data[store->note_slots[slot] - 1].term != term)
        slot = (slot + 1) & (store->note_capacity - 1);
    return slot;
}

static void grow(struct term_store *store)
{
    memory_free(store->note_slots);
    store->note_capacity = store->note_capacity ? 2 * store->note_capacity : FIRST_SLOTS;
    store->note_slots = memory_zalloc(store->note_capacity * sizeof *store->note_slots);
    for (size_t i = 0; i < store->notes.count; i++)
        store->note_slots[slot_of(store, store->notes.data[i].term)] = (uint32_t)i + 1;
}

bool float_notes_any(const struct term_store *store)
{
    for (; store != NULL; store = store->parent)
        if (store->notes.count > 0)
            return true;
    return false;
}

const struct float_note *float_note_of(const struct term_store *store, const struct term *term)
{
    for (; store != NULL; store = store->parent) {
        if (store->notes.count == 0)
            continue;
        uint32_t at = store->note_slots[slot_of(store, term)];
        if (at != 0)
            return &store->notes.data[at - 1];
    }
    return NULL;
}

void float_note_add(struct term_store *store, struct float_note note)
{
    assert(note.a != NULL);
    // Older operands only: no walk along notes comes back (x is the negative of -x).
    if (!(note.term->flags & TERM_HAS_VARIABLE) || note.term->kind == TERM_VAR ||
        note.a->id >= note.term->id || (note.b != NULL && note.b->id >= note.term->id) ||
        float_note_of(store, note.term) != NULL)
        return;
    assert(atomic_load(&store->layers) == 0 && "only who may make terms may note them");
    if (2 * (store->notes.count + 1) > store->note_capacity)
        grow(store);
    store->note_slots[slot_of(store, note.term)] = (uint32_t)store->notes.count + 1;
    VECTOR_PUSH(&store->notes, note);
}
