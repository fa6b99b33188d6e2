#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/solidity/translate.h"

// Storage variables and memory objects as leaves.

// Around a leaf from outside to inside: the sorts of the keys.
struct dimensions {
    const struct sort *key[16];
    uint32_t count;
};

static const struct sort *leaf_sort(struct sol_translator *t, const struct dimensions *d,
                                    const struct sort *sort)
{
    assert(d->count <= sizeof d->key / sizeof d->key[0]);
    for (uint32_t i = d->count; i-- > 0;)
        sort = sort_array(t->store, d->key[i], sort);
    return sort;
}

static struct sol_slot *make_slot(struct sol_translator *t, const struct sol_type *type,
                                  const char *name, struct dimensions d, bool in_memory, bool top,
                                  const struct sol_node *at);

static const char *joined(struct sol_translator *t, const char *a, const char *b)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s%s", a, b);
    const char *kept = arena_strdup(&t->arena, text_string(&text));
    text_finish(&text);
    return kept;
}

static const struct variable *leaf(struct sol_translator *t, const char *name,
                                   const struct dimensions *d, const struct sort *sort,
                                   const struct sol_node *at)
{
    return model_builder_fresh(t->builder, name, leaf_sort(t, d, sort), 0, at->at);
}

static void make_members(struct sol_translator *t, struct sol_slot *slot,
                         const struct dimensions *d, const struct sol_node *at)
{
    const struct sol_node *definition = slot->type->node;
    slot->members = arena_zalloc(&t->arena, (definition->count + 1) * sizeof *slot->members);
    slot->member_count = definition->count;
    for (size_t i = 0; i < definition->count; i++) {
        const struct sol_node *member = definition->list[i];
        const struct sol_type *type = sol_node_type(t->types, member);
        if (slot->in_memory && type->kind == SOL_T_MAPPING)
            continue; // mappings have no place in memory
        slot->members[i] = make_slot(
            t, sol_type_place(t->types, type, slot->in_memory ? SOL_MEMORY : SOL_STORAGE),
            joined(t, joined(t, slot->name, "."), member->name), *d, slot->in_memory, false, at);
    }
}

static void make_elements(struct sol_translator *t, struct sol_slot *slot, struct dimensions d,
                          const struct sol_node *at)
{
    const struct sol_type *type = slot->type;
    if (type->kind == SOL_T_ARRAY && !(type->fixed && !slot->in_memory))
        slot->length = leaf(t, joined(t, slot->name, ".length"), &d, sol_index_sort(t), at);
    const struct sol_type *key = type->kind == SOL_T_MAPPING ? type->key : NULL;
    assert(d.count < sizeof d.key / sizeof d.key[0]);
    d.key[d.count++] = key != NULL ? sol_sort(t, key) : sol_index_sort(t);
    slot->element = make_slot(
        t, sol_type_place(t->types, type->value, slot->in_memory ? SOL_MEMORY : SOL_STORAGE),
        slot->name, d, slot->in_memory, false, at);
}

static struct sol_slot *make_slot(struct sol_translator *t, const struct sol_type *type,
                                  const char *name, struct dimensions d, bool in_memory, bool top,
                                  const struct sol_node *at)
{
    struct sol_slot *slot = arena_zalloc(&t->arena, sizeof *slot);
    *slot = (struct sol_slot){.type = type, .name = name, .depth = d.count, .in_memory = in_memory};
    if (d.count >= 8 || t->slot_depth > 40) {
        sol_not_supported(t, at, "a type that is nested more than eight deep");
    } else if (sol_type_is_value(type) || type->kind == SOL_T_STRING) {
        slot->variable = leaf(t, name, &d, sol_sort(t, type), at);
    } else if (in_memory && !top && (type->kind == SOL_T_STRUCT || type->kind == SOL_T_ARRAY)) {
        slot->variable = leaf(t, name, &d, sort_int(t->store), at); // the number of another object
    } else if (type->kind == SOL_T_STRUCT) {
        t->slot_depth++;
        make_members(t, slot, &d, at);
        t->slot_depth--;
    } else if (type->kind == SOL_T_MAPPING || type->kind == SOL_T_ARRAY) {
        make_elements(t, slot, d, at);
    } else {
        sol_not_supported(t, at, "a variable of the type `%s`", type->text);
    }
    // A leaf, a struct, or what has elements; nothing else, and never two of them.
    ENSURE(t->failed ||
           (slot->variable != NULL) + (slot->members != NULL) + (slot->element != NULL) == 1);
    ENSURE(slot->element == NULL || slot->element->depth == slot->depth + 1);
    return slot;
}

struct sol_slot *sol_root(struct sol_translator *t, const struct sol_node *declaration)
{
    for (size_t i = 0; i < t->roots.count; i++)
        if (t->roots.data[i].declaration == declaration)
            return t->roots.data[i].slot;
    struct dimensions d = {.count = 0};
    if (t->has_instances)
        d.key[d.count++] = t->self->sort;
    const struct sol_type *type =
        sol_type_place(t->types, sol_node_type(t->types, declaration), SOL_STORAGE);
    struct sol_slot *slot = make_slot(t, type, declaration->name, d, false, true, declaration);
    assert(slot->depth == (t->has_instances ? 1 : 0) && !slot->in_memory);
    struct sol_root root = {declaration, slot};
    VECTOR_PUSH(&t->roots, root);
    return slot;
}

const struct sol_slot *sol_memory(struct sol_translator *t, const struct sol_type *type,
                                  const struct sol_node *at)
{
    for (size_t i = 0; i < t->memory.count; i++)
        if (sol_type_same(t->memory.data[i].slot->type, type))
            return t->memory.data[i].slot;
    struct dimensions d = {{sort_int(t->store)}, 1};
    struct sol_slot *slot = make_slot(t, sol_type_place(t->types, type, SOL_MEMORY),
                                      joined(t, "memory ", type->text), d, true, true, at);
    ENSURE(slot->depth == 1 && slot->in_memory);
    struct sol_root root = {NULL, slot};
    VECTOR_PUSH(&t->memory, root);
    return slot;
}

// The default value behind so many indices.
static const struct term *innermost(struct sol_translator *t, const struct sort *sort, size_t count)
{
    while (count-- > 0 && sort->kind == SORT_ARRAY)
        sort = sort->element;
    return term_default(t->store, sort);
}

const struct term *sol_select(struct sol_translator *t, const struct variable *leaf,
                              const struct term *const *indices, size_t count)
{
    const struct term *term = leaf->term;
    for (size_t i = 0; i < count; i++) {
        if (term->sort->kind != SORT_ARRAY || indices == NULL ||
            !sol_is_sort(t, indices[i], term->sort->key, t->contract)) {
            sol_not_supported(t, t->contract, "an index of another type than the mapping or array");
            return t->failed ? innermost(t, leaf->sort, count) : term;
        }
        term = term_select(t->store, term, indices[i]);
    }
    return term;
}

static const struct term *stored(struct sol_translator *t, const struct term *array,
                                 const struct term *const *indices, size_t count,
                                 const struct term *value)
{
    if (count == 0)
        return value;
    ENSURE(array->sort->kind == SORT_ARRAY && array->sort->key == indices[0]->sort);
    const struct term *inner = count == 1 ? value
                                          : stored(t, term_select(t->store, array, indices[0]),
                                                   indices + 1, count - 1, value);
    return term_store_at(t->store, array, indices[0], inner);
}

void sol_store(struct sol_translator *t, const struct variable *leaf,
               const struct term *const *indices, size_t count, const struct term *value,
               const struct sol_node *at)
{
    const struct sort *sort = leaf->sort;
    for (size_t i = 0; i < count && !t->failed; i++) {
        if (sort->kind == SORT_ARRAY && sol_is_sort(t, indices[i], sort->key, at))
            sort = sort->element;
        else
            sol_not_supported(t, at, "an index of another type than the mapping or array");
    }
    if (t->now != NULL && sol_is_sort(t, value, sort, at))
        sol_assign(t, leaf, stored(t, leaf->term, indices, count, value), at);
}

// Places.

static const struct term **with_index(struct sol_translator *t, const struct term *const *indices,
                                      size_t count, const struct term *index)
{
    const struct term **all = arena_alloc(&t->arena, (count + 1) * sizeof *all);
    assert(count == 0 || indices != NULL);
    if (count > 0)
        memcpy(all, indices, count * sizeof *all);
    all[count] = index;
    return all;
}

// Objects that this run made have numbers from 1 on; those inside of arguments have others, 0 and below: which, and whether
// they are the same, nobody knows.
static void assume_object(struct sol_translator *t, const struct term *number,
                          const struct sol_node *at)
{
    sol_assume(t, term_lt(t->store, number, t->next_object->term), at);
}

// The object that a leaf of memory refers to.
static struct sol_lvalue follow(struct sol_translator *t, struct sol_lvalue place,
                                const struct sol_node *at)
{
    if (!place.slot->in_memory || place.slot->variable == NULL ||
        !sol_type_is_reference(place.type))
        return place;
    const struct term *number =
        sol_select(t, place.slot->variable, place.indices, place.slot->depth);
    assume_object(t, number, at);
    return sol_place_of(t, (struct sol_value){.type = place.type, .term = number}, at);
}

struct sol_lvalue sol_place_of(struct sol_translator *t, struct sol_value value,
                               const struct sol_node *at)
{
    if (value.slot != NULL)
        return (struct sol_lvalue){
            .type = value.type, .slot = value.slot, .indices = value.indices};
    const struct sol_slot *slot = sol_memory(t, value.type, at);
    return (struct sol_lvalue){
        .type = slot->type, .slot = slot, .indices = with_index(t, NULL, 0, value.term)};
}

struct sol_lvalue sol_place_element(struct sol_translator *t, struct sol_lvalue base,
                                    const struct term *index)
{
    const struct sol_slot *element = base.slot != NULL ? base.slot->element : NULL;
    if (element == NULL || index == NULL) {
        sol_not_supported(t, t->contract, "an element of what is no mapping or array");
        return (struct sol_lvalue){0};
    }
    return (struct sol_lvalue){.type = element->type,
                               .slot = element,
                               .indices = with_index(t, base.indices, base.slot->depth, index)};
}

struct sol_lvalue sol_place_member(struct sol_translator *t, struct sol_lvalue base, size_t member)
{
    (void)t;
    assert(base.slot != NULL && member < base.slot->member_count);
    const struct sol_slot *slot = base.slot->members[member];
    ENSURE(slot != NULL && slot->depth == base.slot->depth);
    return (struct sol_lvalue){.type = slot->type, .slot = slot, .indices = base.indices};
}

const struct term *sol_length(struct sol_translator *t, struct sol_lvalue array)
{
    if (array.slot->length != NULL && !array.slot->type->fixed) {
        const struct term *length =
            sol_select(t, array.slot->length, array.indices, array.slot->depth);
        if (array.slot->in_memory) // of an object inside of an argument
            sol_assume_range(t, sol_type_of(t->types, "uint256"), length, t->contract);
        return length;
    }
    return sol_number(t, sol_index_sort(t), (int64_t)array.slot->type->length);
}

static bool is_sum_of(const struct sol_translator *t, const struct sol_slot *slot,
                      const struct variable **sum)
{
    for (size_t i = 0; i < t->roots.count; i++)
        if (t->roots.data[i].slot->sum != NULL && t->roots.data[i].slot->element == slot) {
            *sum = t->roots.data[i].slot->sum;
            return true;
        }
    return false;
}

struct sol_value sol_read(struct sol_translator *t, struct sol_lvalue place,
                          const struct sol_node *at)
{
    if (place.binding != NULL)
        return place.binding->pointer;
    if (place.string != NULL)
        return sol_single(
            place.type, sol_byte_at(t, sol_read(t, *place.string, at).term, place.indices[0], at));
    if (place.variable != NULL)
        return (struct sol_value){.type = place.type, .term = place.variable->term};
    if (place.is_length)
        return (struct sol_value){.type = place.type, .term = sol_length(t, place)};
    if (place.slot->variable == NULL)
        return place.slot->in_memory
                   ? (struct sol_value){.type = place.type, .term = place.indices[0]}
                   : (struct sol_value){
                         .type = place.type, .slot = place.slot, .indices = place.indices};
    const struct term *term = sol_select(t, place.slot->variable, place.indices, place.slot->depth);
    if (place.slot->in_memory && sol_type_is_reference(place.type))
        assume_object(t, term, at);
    if (place.slot->depth > 0 && t->options->arithmetic != SOL_ARITHMETIC_INT)
        sol_assume_range(t, place.type, term, at);
    const struct variable *sum;
    if (place.type->kind == SOL_T_UINT && t->options->arithmetic != SOL_ARITHMETIC_INT &&
        is_sum_of(t, place.slot, &sum)) // of numbers that are not negative
        sol_assume(t, term_le(t->store, term, sum->term), at);
    return (struct sol_value){.type = place.type, .term = term};
}

static void write_leaf(struct sol_translator *t, struct sol_lvalue place, const struct term *term,
                       const struct sol_node *at)
{
    assert(place.slot->variable != NULL);
    const struct variable *sum;
    if (is_sum_of(t, place.slot, &sum) && sol_is_sort(t, term, sum->sort, at)) {
        const struct term *old =
            sol_select(t, place.slot->variable, place.indices, place.slot->depth);
        sol_assign(t, sum, term_add2(t->store, term_sub(t->store, sum->term, old), term), at);
    }
    sol_store(t, place.slot->variable, place.indices, place.slot->depth, term, at);
}

// Whole rows: all of `from` under `to`, both of the same type in storage.
static void copy_storage(struct sol_translator *t, const struct sol_slot *to,
                         const struct term *const *to_indices, size_t to_count,
                         const struct sol_slot *from, const struct term *const *from_indices,
                         size_t from_count, const struct sol_node *at)
{
    if (to->sum != NULL)
        sol_not_supported(t, at, "a copy over an array whose sum is asked for");
    if (to->variable != NULL && from->variable == NULL)
        sol_not_supported(t, at, "a copy between objects of different types");
    else if (to->variable != NULL)
        sol_store(t, to->variable, to_indices, to_count,
                  sol_select(t, from->variable, from_indices, from_count), at);
    if (to->length != NULL && from->length != NULL)
        sol_store(t, to->length, to_indices, to_count,
                  sol_select(t, from->length, from_indices, from_count), at);
    else if (to->length != NULL || from->length != NULL)
        sol_not_supported(t, at, "a copy between arrays of fixed and of dynamic length");
    if (to->element != NULL && from->element != NULL && to->type->kind != SOL_T_MAPPING)
        copy_storage(t, to->element, to_indices, to_count, from->element, from_indices, from_count,
                     at);
    if (to->member_count != from->member_count || (to->element == NULL) != (from->element == NULL))
        sol_not_supported(t, at, "a copy between objects of different types");
    for (size_t i = 0; i < to->member_count && !t->failed; i++)
        copy_storage(t, to->members[i], to_indices, to_count, from->members[i], from_indices,
                     from_count, at);
}

static void copy(struct sol_translator *t, struct sol_lvalue to, struct sol_lvalue from,
                 const struct sol_node *at);

static const struct sort *sort_under(const struct variable *leaf, size_t count)
{
    const struct sort *sort = leaf->sort;
    for (size_t i = 0; i < count; i++) {
        ENSURE(sort->kind == SORT_ARRAY);
        sort = sort->element;
    }
    return sort;
}

// Anything in all leaves there; mappings too.
static void any_under(struct sol_translator *t, const struct sol_slot *slot,
                      const struct term *const *indices, size_t count, const struct sol_node *at)
{
    const struct variable *leaves[] = {slot->variable, slot->length};
    if (slot->sum != NULL)
        sol_not_supported(t, at, "a copy over an array whose sum is asked for");
    for (int i = 0; i < 2 && !t->failed; i++)
        if (leaves[i] != NULL) {
            const struct variable *any = sol_fresh(t, "copied", sort_under(leaves[i], count), at);
            sol_havoc(t, any, at);
            sol_store(t, leaves[i], indices, count, any->term, at);
        }
    if (slot->element != NULL)
        any_under(t, slot->element, indices, count, at);
    for (size_t i = 0; i < slot->member_count; i++)
        if (slot->members[i] != NULL)
            any_under(t, slot->members[i], indices, count, at);
}

static void copy_elements(struct sol_translator *t, struct sol_lvalue to, struct sol_lvalue from,
                          const struct sol_node *at)
{
    const struct sol_slot *a = to.slot->element, *b = from.slot->element;
    bool numbers = sol_type_is_number(a->type) && sol_type_is_number(b->type) && !sol_bits(t);
    if (!sol_type_is_reference(a->type) && !sol_type_same(a->type, b->type) && !numbers)
        sol_not_supported(t, at, "a copy between arrays of different elements");
    if (t->failed)
        return;
    if (from.slot->length != NULL && to.slot->length != NULL)
        sol_store(t, to.slot->length, to.indices, to.slot->depth, sol_length(t, from), at);
    else if (to.slot->length != NULL)
        sol_store(t, to.slot->length, to.indices, to.slot->depth, sol_length(t, from), at);
    if (a->variable != NULL && b->variable != NULL && a->variable->sort != NULL &&
        !sol_type_is_reference(a->type)) {
        sol_store(t, a->variable, to.indices, to.slot->depth,
                  sol_select(t, b->variable, from.indices, from.slot->depth), at);
        return;
    }
    if (!from.slot->type->fixed || from.slot->type->length > SOL_MOST_EXPANDED) {
        any_under(t, a, to.indices, to.slot->depth, at);
        return;
    }
    for (uint64_t i = 0; i < from.slot->type->length; i++) {
        const struct term *index = sol_number(t, sol_index_sort(t), (int64_t)i);
        struct sol_lvalue source = sol_place_element(t, from, index),
                          target = sol_place_element(t, to, index);
        copy(t, target, source, at);
    }
}

// Deep, into an object that is there; memory's inner objects are made when storage is copied into it.
static void copy(struct sol_translator *t, struct sol_lvalue to, struct sol_lvalue from,
                 const struct sol_node *at)
{
    if (to.slot == NULL || from.slot == NULL || t->failed)
        return;
    if (to.slot->variable != NULL && !sol_type_is_reference(to.type)) {
        write_leaf(t, to, sol_select(t, from.slot->variable, from.indices, from.slot->depth), at);
        return;
    }
    if (to.slot->variable != NULL) { // an inner object of memory
        struct sol_value made = sol_allocate(
            t, to.type,
            from.slot->type->kind == SOL_T_ARRAY ? sol_length(t, follow(t, from, at)) : NULL, at);
        sol_store(t, to.slot->variable, to.indices, to.slot->depth, made.term, at);
        copy(t, sol_place_of(t, made, at), follow(t, from, at), at);
        return;
    }
    from = follow(t, from, at);
    if (to.slot->element != NULL) {
        copy_elements(t, to, from, at);
        return;
    }
    if (to.slot->member_count != from.slot->member_count)
        sol_not_supported(t, at, "a copy between objects of different types");
    for (size_t i = 0; i < to.slot->member_count && !t->failed; i++)
        if (to.slot->members[i] != NULL && from.slot->members[i] != NULL &&
            to.slot->members[i]->type->kind != SOL_T_MAPPING)
            copy(t, sol_place_member(t, to, i), sol_place_member(t, from, i), at);
}

void sol_bind_pointer(struct sol_translator *t, struct sol_binding *binding, struct sol_value value,
                      const struct sol_node *at)
{
    uint32_t depth = value.slot != NULL ? value.slot->depth : 0;
    if (value.slot == NULL ||
        (binding->pointer.slot != NULL && binding->pointer.slot != value.slot)) {
        sol_not_supported(t, at,
                          value.slot != NULL
                              ? "a pointer to storage that leads to different variables"
                              : "a pointer to storage that leads elsewhere");
        return;
    }
    if (binding->pointer.slot == NULL) {
        binding->pointer = value;
        binding->pointer.indices = arena_zalloc(&t->arena, (depth + 1) * sizeof *value.indices);
        binding->index_variables =
            arena_zalloc(&t->arena, (depth + 1) * sizeof *binding->index_variables);
        for (uint32_t i = 0; i < depth; i++) {
            binding->index_variables[i] = sol_fresh(t, "index", value.indices[i]->sort, at);
            binding->pointer.indices[i] = binding->index_variables[i]->term;
        }
    }
    // All at once: the new indices may speak of the old ones.
    const struct term **kept = arena_zalloc(&t->arena, (depth + 1) * sizeof *kept);
    for (uint32_t i = 0; i < depth; i++)
        kept[i] = sol_keep(t, "index", value.indices[i], at);
    for (uint32_t i = 0; i < depth; i++)
        sol_assign(t, binding->index_variables[i], kept[i], at);
}

void sol_write(struct sol_translator *t, struct sol_lvalue place, struct sol_value value,
               const struct sol_node *at)
{
    if (t->failed || t->now == NULL)
        return;
    if (t->reads_only && place.slot != NULL && !place.slot->in_memory) {
        sol_stop(t, at);
        return;
    }
    if (place.binding != NULL) {
        sol_bind_pointer(t, place.binding, value, at);
        return;
    }
    if (place.string != NULL) {
        struct sol_value whole = sol_read(t, *place.string, at);
        whole.term = sol_with_byte(t, whole.term, place.indices[0],
                                   sol_as(t, value, place.type, at).term, 0, at);
        sol_write(t, *place.string, whole, at);
        return;
    }
    if (place.is_length) {
        sol_store(t, place.slot->length, place.indices, place.slot->depth, value.term, at);
        return;
    }
    bool in_storage = place.slot != NULL && !place.slot->in_memory;
    bool own_type = in_storage && value.slot == NULL && value.type->kind == SOL_T_ARRAY;
    if (!own_type)
        value = sol_as(t, value,
                       in_storage || !sol_type_is_reference(place.type)
                           ? sol_type_place(t->types, place.type, value.type->place)
                           : place.type,
                       at);
    if (t->failed)
        return;
    if (place.variable != NULL) {
        sol_assign(t, place.variable, value.term, at);
    } else if (place.slot->variable != NULL) {
        write_leaf(t, place, value.term, at);
    } else if (value.slot != NULL) {
        copy_storage(t, place.slot, place.indices, place.slot->depth, value.slot, value.indices,
                     value.slot->depth, at);
    } else {
        copy(t, place, sol_place_of(t, value, at), at);
    }
}

static void zero_under(struct sol_translator *t, const struct sol_slot *slot,
                       const struct term *const *indices, size_t count, bool mappings,
                       const struct sol_node *at)
{
    const struct variable *leaves[] = {slot->variable, slot->length};
    for (int i = 0; i < 2; i++)
        if (leaves[i] != NULL) {
            const struct sort *sort = sort_under(leaves[i], count);
            sol_store(t, leaves[i], indices, count, term_default(t->store, sort), at);
        }
    if (slot->sum != NULL)
        sol_assign(t, slot->sum, term_int(t->store, 0), at);
    if (slot->element != NULL && (mappings || slot->type->kind != SOL_T_MAPPING))
        zero_under(t, slot->element, indices, count, mappings, at);
    for (size_t i = 0; i < slot->member_count; i++)
        if (slot->members[i] != NULL)
            zero_under(t, slot->members[i], indices, count, mappings, at);
}

void sol_clear(struct sol_translator *t, struct sol_lvalue place, const struct sol_node *at)
{
    if (t->reads_only && place.slot != NULL && !place.slot->in_memory)
        sol_stop(t, at);
    else if (place.string != NULL)
        sol_write(t, place, sol_single(place.type, sol_default(t, place.type)), at);
    else if (place.variable != NULL && sol_type_is_reference(place.type)) {
        struct sol_value made = sol_allocate(t, place.type, NULL, at);
        if (!t->failed)
            sol_assign(t, place.variable, made.term, at);
    } else if (place.variable != NULL)
        sol_assign(t, place.variable, sol_default(t, place.type), at);
    else if (place.slot != NULL && place.slot->variable != NULL && !place.slot->in_memory)
        write_leaf(t, place, sol_default(t, place.type), at);
    else if (place.slot != NULL && !place.slot->in_memory)
        zero_under(t, place.slot, place.indices, place.slot->depth, false, at);
    else if (place.slot != NULL && place.slot->variable != NULL &&
             !sol_type_is_reference(place.type))
        write_leaf(t, place, sol_default(t, place.type), at);
    else
        sol_not_supported(t, at, "delete of an object in memory");
}

// Of one leaf of the elements: those at `length` and behind are zero. Which they are is only said when it is one.
static void cut_leaf(struct sol_translator *t, const struct variable *leaf, struct sol_lvalue array,
                     const struct term *length, const struct term *old, const struct sol_node *at)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    const struct term *row = sol_select(t, leaf, array.indices, array.slot->depth);
    ENSURE(row->sort->kind == SORT_ARRAY);
    const struct variable *rest = sol_fresh(t, "rest", row->sort, at);
    sol_havoc(t, rest, at);
    const struct term *next =
        sol_bits(t) ? term_bv_binary(t->store, TERM_BV_ADD, length, sol_number(t, length->sort, 1))
                    : term_add2(t->store, length, term_int(t->store, 1));
    const struct term *shorter =
        term_ite(t->store, term_eq(t->store, next, old),
                 term_store_at(t->store, row, length, term_default(t->store, row->sort->element)),
                 rest->term);
    sol_store(t, leaf, array.indices, array.slot->depth,
              term_ite(t->store, sol_compare(t, "<=", number, old, length, at), row, shorter), at);
}

static void cut_slot(struct sol_translator *t, const struct sol_slot *slot, struct sol_lvalue array,
                     const struct term *length, const struct term *old, const struct sol_node *at)
{
    const struct variable *leaves[] = {slot->variable, slot->length};
    for (int i = 0; i < 2 && !t->failed; i++)
        if (leaves[i] != NULL)
            cut_leaf(t, leaves[i], array, length, old, at);
    if (slot->element != NULL && slot->type->kind != SOL_T_MAPPING)
        cut_slot(t, slot->element, array, length, old, at);
    for (size_t i = 0; i < slot->member_count; i++)
        if (slot->members[i] != NULL)
            cut_slot(t, slot->members[i], array, length, old, at);
}

void sol_cut(struct sol_translator *t, struct sol_lvalue array, const struct term *length,
             const struct sol_node *at)
{
    array.is_length = false;
    if (t->failed || t->now == NULL || array.slot->element == NULL)
        return;
    if (array.slot->sum != NULL)
        sol_not_supported(t, at, "a length that is assigned of an array whose sum is asked for");
    const struct term *old = sol_keep(t, "length", sol_length(t, array), at);
    cut_slot(t, array.slot->element, array, length, old, at);
}

void sol_zero(struct sol_translator *t, const struct sol_slot *slot, const struct sol_node *at)
{
    zero_under(t, slot, &t->self, t->has_instances ? 1 : 0, true, at);
}

static void forget_leaf(struct sol_translator *t, const struct variable *v,
                        const struct sol_node *at)
{
    if (!t->has_instances) {
        sol_havoc(t, v, at);
        return;
    }
    ENSURE(v->sort->kind == SORT_ARRAY && v->sort->key == t->self->sort);
    const struct variable *row = sol_fresh(t, "row", v->sort->element, at);
    sol_havoc(t, row, at);
    sol_store(t, v, &t->self, 1, row->term, at);
}

void sol_forget_rows(struct sol_translator *t, const struct sol_slot *slot,
                     const struct sol_node *at)
{
    const struct variable *leaves[] = {slot->variable, slot->length, slot->sum};
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++)
        if (leaves[i] != NULL)
            sol_havoc(t, leaves[i], at);
    if (slot->element != NULL)
        sol_forget_rows(t, slot->element, at);
    for (size_t i = 0; i < slot->member_count; i++)
        if (slot->members[i] != NULL)
            sol_forget_rows(t, slot->members[i], at);
}

void sol_forget_other_rows(struct sol_translator *t, const struct sol_slot *slot,
                           const struct sol_node *at)
{
    const struct variable *leaves[] = {slot->variable, slot->length};
    const struct term *own = sol_literal(t, sol_type_of(t->types, "address"), SOL_SELF);
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
        if (leaves[i] == NULL)
            continue;
        const struct term *kept =
            sol_keep(t, "own row", term_select(t->store, leaves[i]->term, own), at);
        sol_havoc(t, leaves[i], at);
        sol_store(t, leaves[i], &own, 1, kept, at);
    }
    if (slot->element != NULL)
        sol_forget_other_rows(t, slot->element, at);
    for (size_t i = 0; i < slot->member_count; i++)
        if (slot->members[i] != NULL)
            sol_forget_other_rows(t, slot->members[i], at);
}

void sol_forget(struct sol_translator *t, const struct sol_slot *slot, const struct sol_node *at)
{
    if (slot->variable != NULL) {
        forget_leaf(t, slot->variable, at);
        if (slot->depth == (t->has_instances ? 1 : 0))
            sol_assume_range(t, slot->type, sol_select(t, slot->variable, &t->self, slot->depth),
                             at);
    }
    if (slot->length != NULL) {
        forget_leaf(t, slot->length, at);
        if (slot->depth == (t->has_instances ? 1 : 0) && !sol_bits(t))
            sol_assume_range(t, sol_type_of(t->types, "uint256"),
                             sol_select(t, slot->length, &t->self, slot->depth), at);
    }
    if (slot->sum != NULL)
        sol_havoc(t, slot->sum, at);
    if (slot->element != NULL)
        sol_forget(t, slot->element, at);
    for (size_t i = 0; i < slot->member_count; i++)
        if (slot->members[i] != NULL)
            sol_forget(t, slot->members[i], at);
}

// Memory.

static void make_inner(struct sol_translator *t, struct sol_lvalue place, const struct sol_node *at)
{
    if (place.slot->variable != NULL && sol_type_is_reference(place.type)) {
        struct sol_value made = sol_allocate(t, place.type, NULL, at);
        if (!t->failed)
            sol_store(t, place.slot->variable, place.indices, place.slot->depth, made.term, at);
    } else if (place.slot->variable != NULL) {
        sol_store(t, place.slot->variable, place.indices, place.slot->depth,
                  sol_default(t, place.type), at);
    }
}

struct sol_value sol_allocate(struct sol_translator *t, const struct sol_type *type,
                              const struct term *length, const struct sol_node *at)
{
    type = sol_type_place(t->types, type, SOL_MEMORY);
    const struct term *number = sol_keep(t, "object", t->next_object->term, at);
    sol_assign(t, t->next_object, term_add2(t->store, t->next_object->term, term_int(t->store, 1)),
               at);
    struct sol_value object = {.type = type, .term = number};
    struct sol_lvalue place = sol_place_of(t, object, at);
    if (t->failed || t->now == NULL)
        return object;
    for (size_t i = 0; i < place.slot->member_count; i++)
        if (place.slot->members[i] != NULL)
            make_inner(t, sol_place_member(t, place, i), at);
    if (place.slot->element == NULL)
        return object;
    if (length == NULL)
        length = sol_number(t, sol_index_sort(t), type->fixed ? (int64_t)type->length : 0);
    sol_store(t, place.slot->length, place.indices, 1, length, at);
    const struct sol_slot *element = place.slot->element;
    if (!sol_type_is_reference(element->type)) {
        sol_store(t, element->variable, place.indices, 1,
                  term_default(t->store, element->variable->sort->element), at);
    } else if (type->fixed && type->length <= SOL_MOST_EXPANDED) {
        for (uint64_t i = 0; i < type->length; i++)
            make_inner(t, sol_place_element(t, place, sol_number(t, sol_index_sort(t), (int64_t)i)),
                       at);
    } else if (!term_is_literal(length) || !value_is_small(term_value(length)) ||
               value_small_get(term_value(length)) != 0) {
        // Objects of any contents, perhaps the same ones.
        const struct variable *row = sol_fresh(t, "objects", element->variable->sort->element, at);
        sol_havoc(t, row, at);
        sol_store(t, element->variable, place.indices, 1, row->term, at);
    }
    return object;
}

// Text of a literal as a number: contents and length (docs/solidity.md).
struct sol_value sol_as(struct sol_translator *t, struct sol_value value,
                        const struct sol_type *type, const struct sol_node *at)
{
    if (value.type == NULL || t->failed)
        return value;
    if (value.type->kind == SOL_T_CONSTANT && value.type->bits == 0 && sol_type_is_value(type) &&
        value.term != NULL && value.term->sort != sol_sort(t, type))
        sol_not_supported(t, at, "this constant here");
    if (sol_type_is_value(type) && sol_type_is_value(value.type)) {
        value.term = sol_convert(t, value.type, type, value.term, at);
        value.type = type;
        return value;
    }
    if (type->kind == SOL_T_BYTES_N && value.type->kind == SOL_T_STRING && value.term != NULL)
        return sol_single(type, sol_fixed_bytes(t, value.term, type, at));
    if (type->place == SOL_MEMORY && value.slot != NULL &&
        (type->kind == SOL_T_ARRAY || type->kind == SOL_T_STRUCT)) {
        struct sol_lvalue from = sol_place_of(t, value, at);
        struct sol_value made = sol_allocate(
            t, type, type->kind == SOL_T_ARRAY && !type->fixed ? sol_length(t, from) : NULL, at);
        if (!t->failed)
            copy(t, sol_place_of(t, made, at), from, at);
        return made;
    }
    value.type = type;
    return value;
}
