#include <string.h>

#include "base/ensure.h"
#include "languages/solidity/translate.h"

// The annotation `modifies`. What a function that has one may change is what the code below it assigns (change.c); of that,
// what no annotation names has its old value at the end.

// Those that name the variable as a whole; *always: one has no condition. NULL: nothing permits it.
static const struct term *permission(struct sol_translator *t,
                                     const struct sol_annotations *annotations,
                                     const struct sol_node *variable, bool *always, bool *parts)
{
    const struct term *permitted = term_false(t->store);
    *always = *parts = false;
    for (size_t i = 0; i < annotations->count; i++) {
        const struct sol_annotation *a = &annotations->data[i];
        if (a->kind != SOL_MODIFIES || a->variable != variable)
            continue;
        *parts |= !a->whole;
        *always |= a->whole && a->condition == NULL;
        if (a->whole && a->condition != NULL)
            permitted = term_or2(t->store, permitted, sol_condition(t, a->condition, false));
    }
    return permitted;
}

static const struct term *value_now(struct sol_translator *t, const struct sol_node *variable)
{
    struct sol_slot *slot = sol_root(t, variable);
    const struct term **indices = arena_alloc(&t->arena, sizeof *indices);
    indices[0] = t->self;
    const struct sol_lvalue place = {.type = slot->type, .slot = slot, .indices = indices};
    return sol_read(t, place, variable).term;
}

static void guard(struct sol_translator *t, const struct sol_annotations *annotations,
                  const struct sol_node *variable, struct sol_guards *out)
{
    bool always, parts;
    if (!(variable->flags & SOL_IS_STATE) || (variable->flags & SOL_IS_CONSTANT) || t->failed)
        return;
    const struct term *permitted = permission(t, annotations, variable, &always, &parts);
    if (always || t->failed)
        return;
    if (parts || !sol_type_is_value(sol_node_type(t->types, variable))) {
        sol_not_supported(t, variable, "`modifies` that leaves a part of `%s` as it is",
                          variable->name);
        return;
    }
    const struct sol_guard made = {variable, sol_keep(t, "permitted", permitted, variable),
                                   sol_keep(t, "old", value_now(t, variable), variable)};
    VECTOR_PUSH(out, made);
}

static void guard_all(struct sol_translator *t, const struct sol_annotations *annotations,
                      struct sol_guards *out)
{
    for (size_t b = 0; b < t->contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, t->contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++)
            if (base->list[i] != NULL && base->list[i]->kind == SOL_VARIABLE)
                guard(t, annotations, base->list[i], out);
    }
}

void sol_guard(struct sol_translator *t, const struct sol_node *function,
               const struct sol_annotations *annotations, struct sol_guards *out)
{
    bool any = false;
    *out = (struct sol_guards){0};
    for (size_t i = 0; i < annotations->count; i++)
        any |= annotations->data[i].kind == SOL_MODIFIES;
    if (!any || t->failed)
        return;
    struct sol_changes changes = {0};
    sol_changes_of(t, function, &changes);
    if (changes.everything)
        guard_all(t, annotations, out);
    for (size_t i = 0; !changes.everything && i < changes.variables.count; i++)
        guard(t, annotations, changes.variables.data[i], out);
    sol_changes_finish(&changes);
}

void sol_check_guards(struct sol_translator *t, struct sol_guards *guards,
                      const struct sol_node *function)
{
    for (size_t i = 0; i < guards->count && !t->failed; i++) {
        const struct sol_guard *g = &guards->data[i];
        const struct term *now = value_now(t, g->variable);
        ENSURE(now->sort == g->old->sort && g->permitted->sort->kind == SORT_BOOL);
        sol_check(t, term_or2(t->store, g->permitted, term_eq(t->store, g->old, now)),
                  SOL_FAIL_MODIFIES, function);
    }
    VECTOR_FINISH(guards);
}
