#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/vector.h"
#include "languages/xsts/xsts.h"
#include "logic/terms/rewrite.h"

// Unrolls loops. A branch is walked in the order of its execution with the values of the variables
// as far as they are constants; on the way the branch is rebuilt with its loops replaced.

// One loop is not unrolled to more than so many actions, a model not to more than so many in sum
// (what was tried and given up counts, so that nested loops cannot make this run for ever).
enum { LOOP_LIMIT = 4096, MODEL_LIMIT = 200000 };

#define NO_SLOT UINT32_MAX

// What is known at a place of a branch: a literal for each slot, or NULL.
struct known {
    const struct term **value;
    bool dead; // no run gets here
};

struct unroller {
    struct arena *arena;
    struct term_store *store;
    uint32_t *slot_of; // by the id of a variable's term
    uint32_t terms;    // how many ids slot_of has
    uint32_t slots;
    const struct term **counter; // by slot: the value of a loop variable in the copy being made
    uint32_t open_counters;
    uint64_t work; // actions made so far inside of copies
};

static struct xsts_action *unroll(struct unroller *unroller, struct xsts_action *action,
                                  struct known *known);

static uint32_t slot_of(const struct unroller *unroller, const struct term *variable)
{
    return variable->id < unroller->terms ? unroller->slot_of[variable->id] : NO_SLOT;
}

static void add_slot(struct unroller *unroller, const struct term *variable)
{
    if (unroller->slot_of[variable->id] == NO_SLOT)
        unroller->slot_of[variable->id] = unroller->slots++;
}

// Gives every variable of the action a slot; says whether there is a loop in it.
static bool add_slots(struct unroller *unroller, struct xsts_action *action)
{
    action->has_loop = action->kind == XSTS_DO_FOR;
    if (action->variable != NULL)
        add_slot(unroller, action->variable->term);
    if (action->counter != NULL)
        add_slot(unroller, action->counter);
    for (uint32_t i = 0; i < action->child_count; i++) {
        if (add_slots(unroller, action->child[i]))
            action->has_loop = true;
    }
    return action->has_loop;
}

// Whether it is worth to remember the value. Numbers that squared themselves a few times in a row are
// not: they would soon fill the memory.
static bool is_handy(const struct term *term)
{
    enum { MOST_DIGITS = 100, MOST_PARTS = 200 };
    if (!term_is_literal(term))
        return false;
    if (term->kind == TERM_INT && !value_is_small(term->u.value))
        return strlen(term->u.text) <= MOST_DIGITS;
    if (term->kind == TERM_ARRAY && term->tree_size > MOST_PARTS)
        return false;
    for (uint32_t i = 0; i < term->child_count; i++) {
        if (!is_handy(term->child[i]))
            return false;
    }
    return true;
}

struct lookup {
    const struct unroller *unroller;
    const struct term *const *value;
};

static const struct term *look_up(void *context, const struct term *variable)
{
    const struct lookup *lookup = context;
    uint32_t slot = slot_of(lookup->unroller, variable);
    return slot != NO_SLOT && lookup->value[slot] != NULL ? lookup->value[slot] : variable;
}

static const struct term *substitute(struct unroller *unroller, const struct term *term,
                                     const struct term *const *value)
{
    struct lookup lookup = {unroller, value};
    if ((term->flags & TERM_HAS_VARIABLE) == 0)
        return term;
    return rewrite_substitute(unroller->store, term, look_up, &lookup);
}

// The expression in the copy being made.
static const struct term *copied(struct unroller *unroller, const struct term *term)
{
    return unroller->open_counters > 0 && term != NULL
               ? substitute(unroller, term, unroller->counter)
               : term;
}

static struct known copy_known(struct unroller *unroller, const struct known *known)
{
    struct known copy = {memory_alloc((unroller->slots + 1) * sizeof *copy.value), known->dead};
    memcpy(copy.value, known->value, unroller->slots * sizeof *copy.value);
    return copy;
}

static void forget(struct unroller *unroller, struct known *known, const struct xsts_action *action)
{
    assert(action->variable == NULL || slot_of(unroller, action->variable->term) < unroller->slots);
    if (action->variable != NULL)
        known->value[slot_of(unroller, action->variable->term)] = NULL;
    for (uint32_t i = 0; i < action->child_count; i++)
        forget(unroller, known, action->child[i]);
}

static struct xsts_action *clone(struct unroller *unroller, const struct xsts_action *action)
{
    struct xsts_action *copy = arena_alloc(unroller->arena, sizeof *copy);
    *copy = *action;
    copy->expression = copied(unroller, action->expression);
    if (copy->expression != action->expression)
        copy->written = NULL;
    copy->has_kept = false;
    if (action->child_count > 0)
        copy->child = arena_zalloc(unroller->arena, (action->child_count + 1) * sizeof(void *));
    if (unroller->open_counters > 0)
        unroller->work++;
    return copy;
}

static void adopt(struct xsts_action *parent, uint32_t i, struct xsts_action *child)
{
    assert(i < parent->child_count);
    parent->child[i] = child;
    parent->has_kept = parent->has_kept || child->has_kept;
}

// The branches start from what is known; afterwards is known what all that can run agree on.
static struct xsts_action *unroll_branches(struct unroller *unroller, struct xsts_action *action,
                                           struct known *known)
{
    struct xsts_action *copy = clone(unroller, action);
    const struct term *condition = NULL;
    if (action->kind == XSTS_DO_IF)
        condition = substitute(unroller, copy->expression, known->value);
    bool implicit_else = action->kind == XSTS_DO_IF && action->child_count == 1;
    struct known joined = {NULL, true};
    for (uint32_t i = 0; i < action->child_count + implicit_else; i++) {
        struct known branch = copy_known(unroller, known);
        if (condition != NULL && (i == 0 ? term_is_false(condition) : term_is_true(condition)))
            branch.dead = true;
        if (i < action->child_count)
            adopt(copy, i, unroll(unroller, action->child[i], &branch));
        if (branch.dead || !joined.dead) {
            for (uint32_t s = 0; !branch.dead && s < unroller->slots; s++) {
                if (joined.value[s] != branch.value[s])
                    joined.value[s] = NULL;
            }
            memory_free(branch.value);
        } else {
            joined = branch;
        }
    }
    if (joined.value != NULL)
        memcpy(known->value, joined.value, unroller->slots * sizeof *known->value);
    known->dead = joined.dead;
    memory_free(joined.value);
    return copy;
}

// How many actions there are, at most `most`.
static uint64_t action_size(const struct xsts_action *action, uint64_t most)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < action->child_count && size < most; i++)
        size += action_size(action->child[i], most - size);
    return size;
}

// The rounds of a loop with constant bounds; more than LOOP_LIMIT count as LOOP_LIMIT + 1.
static uint64_t count_rounds(struct unroller *unroller, const struct term *from,
                             const struct term *to)
{
    if (term_compare_values(from, to) >= 0)
        return 0;
    const struct term *rounds = term_sub(unroller->store, to, from);
    struct value value = term_value(rounds);
    if (!value_is_small(value) || value_small_get(value) > LOOP_LIMIT)
        return LOOP_LIMIT + 1;
    return (uint64_t)value_small_get(value);
}

// The copies of the body, or NULL when they are too many; then `known` is not changed.
static struct xsts_action *unroll_rounds(struct unroller *unroller, struct xsts_action *loop,
                                         const struct term *from, uint64_t rounds,
                                         struct known *known)
{
    uint32_t slot = slot_of(unroller, loop->counter);
    assert(slot < unroller->slots && unroller->counter[slot] == NULL); // no loop runs in itself
    struct known after = copy_known(unroller, known);
    VECTOR(struct xsts_action *) copies = {0};
    uint64_t size = 0;
    bool kept = false;
    unroller->open_counters++;
    for (uint64_t i = 0; i < rounds && size <= LOOP_LIMIT && unroller->work <= MODEL_LIMIT; i++) {
        const struct term *value =
            term_add2(unroller->store, from, term_int(unroller->store, (int64_t)i));
        unroller->counter[slot] = after.value[slot] = value;
        struct xsts_action *copy = unroll(unroller, loop->child[0], &after);
        kept = kept || copy->has_kept;
        size += action_size(copy, LOOP_LIMIT + 1);
        VECTOR_PUSH(&copies, copy);
        if (size > LOOP_LIMIT / rounds * (i + 1) + LOOP_LIMIT / 8)
            size = LOOP_LIMIT + 1; // it will not fit
    }
    unroller->counter[slot] = after.value[slot] = NULL;
    unroller->open_counters--;
    struct xsts_action *sequence = NULL;
    if (copies.count == rounds && size <= LOOP_LIMIT) {
        sequence = arena_zalloc(unroller->arena, sizeof *sequence);
        *sequence = (struct xsts_action){.kind = XSTS_DO_SEQUENCE,
                                         .at = loop->at,
                                         .has_kept = kept,
                                         .child_count = (uint32_t)rounds};
        sequence->child = arena_alloc(unroller->arena, (rounds + 1) * sizeof(void *));
        for (uint64_t i = 0; i < rounds; i++)
            sequence->child[i] = copies.data[i];
        memcpy(known->value, after.value, unroller->slots * sizeof *known->value);
        known->dead = after.dead;
        loop->reached = true;
        loop->ran = loop->ran || rounds > 0;
    }
    VECTOR_FINISH(&copies);
    memory_free(after.value);
    return sequence;
}

static struct xsts_action *unroll_for(struct unroller *unroller, struct xsts_action *loop,
                                      struct known *known)
{
    const struct term *from = substitute(unroller, copied(unroller, loop->from), known->value);
    const struct term *to = substitute(unroller, copied(unroller, loop->to), known->value);
    ENSURE(from->sort->kind == SORT_INT && to->sort == from->sort);
    if (term_is_literal(from) && term_is_literal(to) && unroller->work <= MODEL_LIMIT) {
        uint64_t rounds = count_rounds(unroller, from, to);
        struct xsts_action *sequence = NULL;
        if (rounds <= LOOP_LIMIT)
            sequence = unroll_rounds(unroller, loop, from, rounds, known);
        if (sequence != NULL)
            return sequence;
    }
    loop->reached = loop->ran = true;
    struct xsts_action *copy = clone(unroller, loop);
    copy->from = copied(unroller, loop->from);
    copy->to = copied(unroller, loop->to);
    copy->kept = copy->has_kept = true;
    // Nothing is known that any round changes; this also holds behind the loop.
    forget(unroller, known, loop->child[0]);
    struct known inside = copy_known(unroller, known);
    adopt(copy, 0, unroll(unroller, loop->child[0], &inside));
    memory_free(inside.value);
    return copy;
}

// A copy of the action, and what is known behind it.
static struct xsts_action *unroll(struct unroller *unroller, struct xsts_action *action,
                                  struct known *known)
{
    struct xsts_action *copy;
    switch (action->kind) {
    case XSTS_DO_SEQUENCE:
        copy = clone(unroller, action);
        for (uint32_t i = 0; i < action->child_count; i++)
            adopt(copy, i, unroll(unroller, action->child[i], known));
        return copy;
    case XSTS_DO_CHOICE:
    case XSTS_DO_IF:
        return unroll_branches(unroller, action, known);
    case XSTS_DO_FOR:
        return unroll_for(unroller, action, known);
    default:
        break;
    }
    copy = clone(unroller, action);
    if (action->kind == XSTS_DO_ASSUME) {
        if (term_is_false(substitute(unroller, copy->expression, known->value)))
            known->dead = true;
        return copy;
    }
    const struct term *value = NULL;
    if (action->kind == XSTS_DO_ASSIGN)
        value = substitute(unroller, copy->expression, known->value);
    known->value[slot_of(unroller, action->variable->term)] =
        value != NULL && is_handy(value) ? value : NULL;
    return copy;
}

static void mark_assigned(const struct unroller *unroller, const struct xsts_action *action,
                          bool *assigned)
{
    if (action->variable != NULL)
        assigned[slot_of(unroller, action->variable->term)] = true;
    for (uint32_t i = 0; i < action->child_count; i++)
        mark_assigned(unroller, action->child[i], assigned);
}

// What is known at the start of every branch: the values of variables that never change.
static struct known find_constants(struct unroller *unroller, const struct xsts_checked *checked)
{
    struct known known = {memory_zalloc((unroller->slots + 1) * sizeof *known.value), false};
    bool *assigned = memory_zalloc(unroller->slots + 1);
    for (int set = 0; set < XSTS_SETS; set++) {
        for (uint32_t i = 0; i < checked->sets[set].count; i++)
            mark_assigned(unroller, checked->sets[set].branch[i], assigned);
    }
    for (uint32_t i = 0; i < checked->initial_count; i++) {
        const struct xsts_initial *initial = &checked->initial[i];
        uint32_t slot = slot_of(unroller, initial->variable->term);
        if (initial->value == NULL || assigned[slot])
            continue;
        const struct term *value = substitute(unroller, initial->value, known.value);
        known.value[slot] = is_handy(value) ? value : NULL;
    }
    memory_free(assigned);
    return known;
}

static void warn_empty_loops(const struct xsts_action *action, struct messages *messages)
{
    if (action->kind == XSTS_DO_FOR && action->reached && !action->ran)
        message_add(messages, MESSAGE_WARNING, action->at, "this loop never runs");
    for (uint32_t i = 0; i < action->child_count; i++)
        warn_empty_loops(action->child[i], messages);
}

static void unroll_sets(struct unroller *unroller, struct xsts_checked *checked,
                        struct messages *messages)
{
    struct known constants = find_constants(unroller, checked);
    unroller->counter = memory_zalloc((unroller->slots + 1) * sizeof *unroller->counter);
    for (int set = 0; set < XSTS_SETS; set++) {
        for (uint32_t i = 0; i < checked->sets[set].count; i++) {
            struct xsts_action **branch = &checked->sets[set].branch[i];
            if (!(*branch)->has_loop)
                continue;
            struct known known = copy_known(unroller, &constants);
            struct xsts_action *original = *branch;
            *branch = unroll(unroller, original, &known);
            memory_free(known.value);
            warn_empty_loops(original, messages);
        }
    }
    assert(unroller->open_counters == 0);
    memory_free(constants.value);
    memory_free(unroller->counter);
}

void xsts_loops_unroll(struct arena *arena, struct xsts_checked *checked, struct term_store *store,
                       struct messages *messages)
{
    struct unroller unroller = {.arena = arena, .store = store, .terms = term_store_next_id(store)};
    unroller.slot_of = memory_alloc((unroller.terms + 1) * sizeof *unroller.slot_of);
    for (uint32_t i = 0; i < unroller.terms; i++)
        unroller.slot_of[i] = NO_SLOT;
    for (uint32_t i = 0; i < checked->initial_count; i++)
        add_slot(&unroller, checked->initial[i].variable->term);
    bool has_loop = false;
    for (int set = 0; set < XSTS_SETS; set++) {
        for (uint32_t i = 0; i < checked->sets[set].count; i++)
            has_loop = add_slots(&unroller, checked->sets[set].branch[i]) || has_loop;
    }
    if (has_loop)
        unroll_sets(&unroller, checked, messages);
    memory_free(unroller.slot_of);
}
