#include "logic/terms/store.h"

#include <assert.h>
#include <string.h>

#include "base/budget.h"
#include "base/lost.h"
#include "logic/terms/number.h"

enum { FIRST_SLOTS = 256, FIRST_NAMES = 64 };

static void create_basics(struct term_store *store)
{
    struct term_store *parent = store->parent;
    if (parent != NULL) {
        store->bool_sort = parent->bool_sort;
        store->int_sort = parent->int_sort;
        store->rat_sort = parent->rat_sort;
        memcpy(store->truth, parent->truth, sizeof store->truth);
        store->rat_zero = parent->rat_zero;
        store->rat_one = parent->rat_one;
        return;
    }
    store->bool_sort = sort_bool(store);
    store->int_sort = sort_int(store);
    store->rat_sort = sort_rat(store);
    for (int i = 0; i < 2; i++) {
        struct term head = {
            .kind = TERM_BOOL, .sort = store->bool_sort, .u.value = value_bool(i == 1)};
        store->truth[i] = store_intern(store, &head, NULL, 0);
    }
    store->rat_zero = number_rat_of_int(store, value_small(0));
    store->rat_one = number_rat_of_int(store, value_small(1));
}

struct term_store *term_store_create(struct term_store *parent)
{
    struct term_store *store = memory_zalloc(sizeof *store);
    arena_init(&store->arena);
    store->parent = parent;
    store->next_id = parent != NULL ? parent->next_id : 0;
    store->first_sort_id =
        parent != NULL ? parent->first_sort_id + (uint32_t)parent->sorts.count : 0;
    store->slot_capacity = FIRST_SLOTS;
    store->slots = memory_zalloc(FIRST_SLOTS * sizeof *store->slots);
    store->name_capacity = FIRST_NAMES;
    store->names = memory_zalloc(FIRST_NAMES * sizeof *store->names);
    create_basics(store);
    if (parent != NULL)
        atomic_fetch_add_explicit(&parent->layers, 1, memory_order_relaxed);
    return store;
}

void term_store_destroy(struct term_store *store)
{
    if (store == NULL)
        return;
    assert((atomic_load(&store->layers) == 0 || memory_was_lost()) && "a child store is alive");
    if (store->parent != NULL)
        atomic_fetch_sub_explicit(&store->parent->layers, 1, memory_order_release);
    VECTOR_FINISH(&store->sorts);
    VECTOR_FINISH(&store->stack);
    VECTOR_FINISH(&store->monomials);
    VECTOR_FINISH(&store->notes);
    memory_free(store->note_slots);
    memory_free(store->names);
    memory_free(store->slots);
    arena_finish(&store->arena);
    memory_free(store);
}

const char *term_store_text(struct term_store *store, const char *text)
{
    return arena_strdup(&store->arena, text);
}

size_t term_store_bytes(const struct term_store *store)
{
    return store->arena.bytes + store->slot_capacity * sizeof *store->slots +
           store->name_capacity * sizeof *store->names;
}

uint32_t term_store_next_id(const struct term_store *store)
{
    return store->next_id;
}

static uint64_t name_hash(const char *name)
{
    return hash128_add_text(hash128_seed(0), name).low;
}

static const char **find_name(const struct term_store *store, const char *name, uint64_t hash)
{
    size_t mask = store->name_capacity - 1;
    size_t i = hash & mask;
    while (store->names[i] != NULL && strcmp(store->names[i], name) != 0)
        i = (i + 1) & mask;
    return &store->names[i];
}

static void grow_names(struct term_store *store)
{
    size_t old_capacity = store->name_capacity;
    const char **old = store->names;
    const char **names = memory_zalloc(2 * old_capacity * sizeof *names);
    store->names = names;
    store->name_capacity = 2 * old_capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i] != NULL)
            *find_name(store, old[i], name_hash(old[i])) = old[i];
    memory_free(old);
}

const char *store_name(struct term_store *store, const char *name)
{
    uint64_t hash = name_hash(name);
    for (const struct term_store *s = store; s != NULL; s = s->parent) {
        const char *known = *find_name(s, name, hash);
        if (known != NULL)
            return known;
    }
    if (2 * store->name_count >= store->name_capacity)
        grow_names(store);
    const char *copy = arena_strdup(&store->arena, name);
    *find_name(store, name, hash) = copy;
    store->name_count++;
    return copy;
}

static bool payload_is_text(const struct term *t)
{
    return t->kind == TERM_RAT ||
           ((t->kind == TERM_INT || t->kind == TERM_BV) && !value_is_small(t->u.value));
}

static struct hash128 head_hash(const struct term *head)
{
    struct hash128 h = hash128_add_hash(hash128_seed(head->kind), head->sort->hash);
    if (payload_is_text(head))
        return hash128_add_text(h, head->u.text);
    switch (head->kind) {
    case TERM_BOOL:
    case TERM_INT:
    case TERM_BV:
    case TERM_ENUM:
        return hash128_add(h, head->u.value.bits);
    case TERM_VAR:
        return hash128_add(hash128_add_text(h, head->u.var.name), head->u.var.index);
    case TERM_BV_EXTRACT:
        return hash128_add(hash128_add(h, head->u.extract.high), head->u.extract.low);
    default:
        return h;
    }
}

static uint64_t step(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

// Where to look in the table: by identities, which costs a third of the structural hash. The latter
// is computed for new terms only.
static uint64_t slot_hash(const struct term *head, const struct term *const *children, size_t count)
{
    uint64_t h = step(head->kind, (uint64_t)head->sort->id << 32 | count);
    if (payload_is_text(head))
        h = step(h, name_hash(head->u.text));
    else if (head->kind == TERM_VAR)
        h = step(step(h, (uint64_t)(uintptr_t)head->u.var.name), head->u.var.index);
    else if (head->kind <= TERM_ENUM)
        h = step(h, head->u.value.bits);
    else if (head->kind == TERM_BV_EXTRACT)
        h = step(h, (uint64_t)head->u.extract.high << 32 | head->u.extract.low);
    for (size_t i = 0; i < count; i++)
        h = step(h, children[i]->id);
    return step(h, 0);
}

static bool head_equal(const struct term *a, const struct term *b)
{
    if (a->kind != b->kind || a->sort != b->sort)
        return false;
    if (payload_is_text(a))
        return payload_is_text(b) && strcmp(a->u.text, b->u.text) == 0;
    switch (a->kind) {
    case TERM_BOOL:
    case TERM_INT:
    case TERM_BV:
    case TERM_ENUM:
        return value_equal(a->u.value, b->u.value);
    case TERM_VAR:
        return a->u.var.name == b->u.var.name && a->u.var.index == b->u.var.index;
    case TERM_BV_EXTRACT:
        return a->u.extract.high == b->u.extract.high && a->u.extract.low == b->u.extract.low;
    default:
        return true;
    }
}

static const struct term *find_term(const struct term_store *store, const struct term *head,
                                    const struct term *const *children, size_t count, uint64_t hash)
{
    size_t mask = store->slot_capacity - 1;
    for (size_t i = hash & mask; store->slots[i].term != NULL; i = (i + 1) & mask) {
        const struct term *t = store->slots[i].term;
        if (store->slots[i].hash == hash && t->child_count == count && head_equal(t, head) &&
            (count == 0 || memcmp(t->child, children, count * sizeof *children) == 0))
            return t;
    }
    return NULL;
}

static void insert_slot(struct term_slot *slots, size_t capacity, struct term_slot slot)
{
    size_t i = slot.hash & (capacity - 1);
    while (slots[i].term != NULL)
        i = (i + 1) & (capacity - 1);
    slots[i] = slot;
}

static void grow_slots(struct term_store *store)
{
    size_t capacity = 2 * store->slot_capacity;
    struct term_slot *slots = memory_zalloc(capacity * sizeof *slots);
    for (size_t i = 0; i < store->slot_capacity; i++)
        if (store->slots[i].term != NULL)
            insert_slot(slots, capacity, store->slots[i]);
    memory_free(store->slots);
    store->slots = slots;
    store->slot_capacity = capacity;
}

static bool is_zero_literal(const struct term *t)
{
    return (t->kind == TERM_INT && value_equal(t->u.value, value_small(0))) ||
           (t->kind == TERM_RAT && strcmp(t->u.text, "0/1") == 0);
}

static uint8_t own_flags(const struct term *head, const struct term *const *children, size_t count)
{
    switch (head->kind) {
    case TERM_FORALL:
    case TERM_EXISTS:
        return TERM_HAS_QUANTIFIER;
    case TERM_DIV:
    case TERM_MOD:
    case TERM_REM:
        assert(count == 2);
        if (count != 2)
            return 0; // for the compiler, which cannot know
        return !term_is_literal(children[1]) || is_zero_literal(children[1]) ? TERM_HAS_DIVISION
                                                                             : 0;
    case TERM_VAR:
        return TERM_HAS_VARIABLE;
    default:
        return head->kind <= TERM_ARRAY ? TERM_IS_LITERAL : 0;
    }
}

static void fill(struct term_store *store, struct term *t, const struct term *head,
                 const struct term *const *children, size_t count)
{
    *t = *head;
    t->flags = own_flags(head, children, count);
    t->child_count = (uint32_t)count;
    t->hash = hash128_add(head_hash(head), count);
    uint64_t size = 1;
    for (size_t i = 0; i < count; i++) {
        t->hash = hash128_add_hash(t->hash, children[i]->hash);
        t->flags |= children[i]->flags & (uint8_t)~TERM_IS_LITERAL;
        size += children[i]->tree_size;
        t->child[i] = children[i];
    }
    t->tree_size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    if (payload_is_text(head))
        t->u.text = arena_strdup(&store->arena, head->u.text);
}

const struct term *store_intern(struct term_store *store, const struct term *head,
                                const struct term *const *children, size_t count)
{
    budget_look();
    uint64_t hash = slot_hash(head, children, count);
    for (const struct term_store *s = store; s != NULL; s = s->parent) {
        const struct term *known = find_term(s, head, children, count, hash);
        if (known != NULL)
            return known;
    }
    assert(atomic_load_explicit(&store->layers, memory_order_relaxed) == 0 &&
           "the store is frozen: a child lives");
    assert(store->next_id < UINT32_MAX);
    if (4 * store->slot_count >= 3 * store->slot_capacity)
        grow_slots(store);
    struct term *t = arena_alloc(&store->arena, sizeof *t + count * sizeof *children);
    fill(store, t, head, children, count);
    t->id = store->next_id++;
    insert_slot(store->slots, store->slot_capacity, (struct term_slot){hash, t});
    store->slot_count++;
    return t;
}

const struct term *store_make(struct term_store *store, enum term_kind kind,
                              const struct sort *sort, const struct term *const *children,
                              size_t count)
{
    struct term head = {.kind = (uint8_t)kind, .sort = sort};
    return store_intern(store, &head, children, count);
}

const struct term *store_make1(struct term_store *store, enum term_kind kind,
                               const struct sort *sort, const struct term *a)
{
    return store_make(store, kind, sort, &a, 1);
}

const struct term *store_make2(struct term_store *store, enum term_kind kind,
                               const struct sort *sort, const struct term *a, const struct term *b)
{
    return store_make(store, kind, sort, (const struct term *[]){a, b}, 2);
}

const struct term *term_var(struct term_store *store, const char *name, const struct sort *sort)
{
    struct term head = {.kind = TERM_VAR, .sort = sort};
    head.u.var.name = store_name(store, name);
    head.u.var.index = 0;
    return store_intern(store, &head, NULL, 0);
}

const struct term *term_var_copy(struct term_store *store, const struct term *var, uint32_t index)
{
    assert(var->kind == TERM_VAR);
    if (var->u.var.index == index)
        return var;
    struct term head = {.kind = TERM_VAR, .sort = var->sort, .u = var->u};
    head.u.var.index = index;
    return store_intern(store, &head, NULL, 0);
}
