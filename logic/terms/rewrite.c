#include "logic/terms/rewrite.h"

#include <assert.h>

#include "base/text.h"
#include "logic/terms/float_notes.h"
#include "logic/terms/map.h"
#include "logic/terms/store.h"

static bool is_quantifier(const struct term *t)
{
    return t->kind == TERM_FORALL || t->kind == TERM_EXISTS;
}

static const struct term *body_of(const struct term *quantifier)
{
    return quantifier->child[quantifier->child_count - 1];
}

static bool binds(const struct term *quantifier, const struct term *variable)
{
    for (uint32_t i = 0; i + 1 < quantifier->child_count; i++)
        if (quantifier->child[i] == variable)
            return true;
    return false;
}

static bool member(const struct term_vector *set, const struct term *term)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->data[i] == term)
            return true;
    return false;
}

// The quantifiers around the subterm that is being visited, innermost first.
struct scope {
    const struct term *quantifier;
    const struct scope *outer;
};

static bool bound_in(const struct scope *scope, const struct term *variable)
{
    for (; scope != NULL; scope = scope->outer)
        if (binds(scope->quantifier, variable))
            return true;
    return false;
}

struct collector {
    struct term_map found;
    struct term_vector *out;
};

static void push_children(struct term_vector *todo, const struct term *t)
{
    for (uint32_t i = t->child_count; i > 0; i--) // the leftmost comes off first
        VECTOR_PUSH(todo, t->child[i - 1]);
}

// Terms can be deep, so the walks of this file keep their own stacks; they recurse for quantifiers
// only. What was seen counts under this very scope.
static void collect_free(struct collector *c, const struct scope *scope, const struct term *root)
{
    struct term_map visited;
    struct term_vector todo = {0};
    term_map_init(&visited);
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0) {
        const struct term *t = VECTOR_POP(&todo);
        if ((t->flags & TERM_HAS_VARIABLE) == 0 || !term_map_insert(&visited, t))
            continue;
        if (t->kind == TERM_VAR) {
            if (!bound_in(scope, t) && term_map_insert(&c->found, t))
                VECTOR_PUSH(c->out, t);
        } else if (is_quantifier(t)) {
            struct scope inner = {t, scope};
            collect_free(c, &inner, body_of(t));
        } else {
            push_children(&todo, t);
        }
    }
    VECTOR_FINISH(&todo);
    term_map_finish(&visited);
}

bool term_vector_contains(const struct term_vector *v, const struct term *term)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->data[i] == term)
            return true;
    return false;
}

void term_vector_add_once(struct term_vector *to, const struct term *term, size_t most)
{
    if (to->count < most && !term_vector_contains(to, term))
        VECTOR_PUSH(to, term);
}

void rewrite_free_variables(const struct term *term, struct term_vector *out)
{
    struct collector c = {.out = out};
    term_map_init(&c.found);
    for (size_t i = 0; i < out->count; i++)
        if (out->data[i]->kind == TERM_VAR)
            term_map_insert(&c.found, out->data[i]); // distinct over several calls
    collect_free(&c, NULL, term);
    term_map_finish(&c.found);
}

bool rewrite_contains(const struct term *term, const struct term *variable)
{
    assert(variable->kind == TERM_VAR);
    struct term_map visited;
    struct term_vector todo = {0};
    bool found = term == variable;
    term_map_init(&visited);
    if (!found)
        VECTOR_PUSH(&todo, term);
    while (todo.count > 0 && !found) {
        const struct term *t = VECTOR_POP(&todo);
        found = t == variable;
        // Subterms are older than what holds them.
        if ((t->flags & TERM_HAS_VARIABLE) == 0 || t->id < variable->id || t->child_count == 0 ||
            (is_quantifier(t) && binds(t, variable)) || !term_map_insert(&visited, t))
            continue;
        if (is_quantifier(t))
            VECTOR_PUSH(&todo, body_of(t));
        else
            push_children(&todo, t);
    }
    VECTOR_FINISH(&todo);
    term_map_finish(&visited);
    return found;
}

// One substitution pass under one set of bound variables; inner quantifiers begin a new one.
struct pass {
    struct term_store *store;
    rewrite_lookup lookup;
    void *context;
    const struct pass *outer;
    const struct term *quantifier;       // NULL at the top
    const struct term *const *renamings; // what its bound variables become
    struct term_map memo;
};

static const struct term *substitute(struct pass *pass, const struct term *t);

static const struct term *replacement(const struct pass *pass, const struct term *variable)
{
    for (; pass->quantifier != NULL; pass = pass->outer)
        for (uint32_t i = 0; i + 1 < pass->quantifier->child_count; i++)
            if (pass->quantifier->child[i] == variable)
                return pass->renamings[i];
    const struct term *to = pass->lookup(pass->context, variable);
    assert(to->sort == variable->sort);
    return to;
}

// A variable like `variable` that is neither in `taken` nor bound by the quantifier.
static const struct term *fresh_variable(struct term_store *store, const struct term *variable,
                                         const struct term_vector *taken,
                                         const struct term *quantifier)
{
    for (unsigned k = 1;; k++) {
        struct text name;
        text_init(&name);
        text_printf(&name, "%s!%u", variable->u.var.name, k);
        const struct term *fresh = term_var(store, text_string(&name), variable->sort);
        text_finish(&name);
        if (!member(taken, fresh) && !binds(quantifier, fresh))
            return fresh;
    }
}

// The free variables of what the quantifier's free variables become. False when all stay as they
// are.
static bool replaced_variables(const struct pass *pass, const struct term *quantifier,
                               struct term_vector *out)
{
    struct term_vector inside = {0};
    bool changes = false;
    rewrite_free_variables(quantifier, &inside);
    for (size_t i = 0; i < inside.count; i++) {
        const struct term *to = replacement(pass, inside.data[i]);
        changes |= to != inside.data[i];
        rewrite_free_variables(to, out);
    }
    VECTOR_FINISH(&inside);
    return changes;
}

static const struct term *substitute_under(struct pass *outer, const struct term *quantifier)
{
    struct term_vector taken = {0};
    const struct term *result = quantifier;
    if (replaced_variables(outer, quantifier, &taken)) {
        size_t count = quantifier->child_count - 1;
        const struct term **renamings = memory_alloc(count * sizeof *renamings);
        for (size_t i = 0; i < count; i++) {
            renamings[i] = quantifier->child[i];
            if (member(&taken, renamings[i])) {
                renamings[i] = fresh_variable(outer->store, renamings[i], &taken, quantifier);
                VECTOR_PUSH(&taken, renamings[i]);
            }
        }
        struct pass pass = {.store = outer->store,
                            .lookup = outer->lookup,
                            .context = outer->context,
                            .outer = outer,
                            .quantifier = quantifier,
                            .renamings = renamings};
        term_map_init(&pass.memo);
        const struct term *body = substitute(&pass, body_of(quantifier));
        term_map_finish(&pass.memo);
        result = term_quantifier(outer->store, quantifier->kind, renamings, count, body);
        memory_free(renamings);
    }
    VECTOR_FINISH(&taken);
    return result;
}

enum { FEW_CHILDREN = 8 };

// The same operator over what the memo holds for the children; a child without an entry
// stays.
static const struct term *rebuild_from(struct term_store *store, const struct term_map *memo,
                                       const struct term *t)
{
    const struct term *few[FEW_CHILDREN] = {NULL};
    const struct term **children =
        t->child_count <= FEW_CHILDREN ? few : memory_alloc(t->child_count * sizeof *children);
    for (uint32_t i = 0; i < t->child_count; i++) {
        const struct term *known = term_map_get(memo, t->child[i]);
        children[i] = known != NULL ? known : t->child[i];
    }
    const struct term *result = term_rebuild(store, t, children);
    if (children != few)
        memory_free(children);
    return result;
}

// What the term was noted to mean is what it means with the operands' replacements.
static void carry_note(struct term_store *store, const struct term_map *memo,
                       const struct float_note *note, const struct term *result)
{
    struct float_note carried = *note;
    const struct term *a = term_map_get(memo, note->a);
    const struct term *b = note->b != NULL ? term_map_get(memo, note->b) : NULL;
    carried.term = result;
    carried.a = a != NULL ? a : note->a;
    carried.b = b != NULL ? b : note->b;
    float_note_add(store, carried);
}

struct walk {
    const struct term_map *memo;
    struct term_vector *todo;
    uint32_t oldest; // older terms stay, …
    uint8_t flags;   // … and those without these flags
};

static void push_undone(const struct walk *w, const struct term *t)
{
    if ((t->flags & w->flags) == w->flags && t->id >= w->oldest && term_map_get(w->memo, t) == NULL)
        VECTOR_PUSH(w->todo, t);
}

// Pushes the children that still have to be done, and the operands that a note names. True when there are none.
static bool children_done(const struct walk *w, const struct term *t, const struct float_note *note)
{
    size_t before = w->todo->count;
    if (note != NULL && note->b != NULL)
        push_undone(w, note->b);
    if (note != NULL)
        push_undone(w, note->a);
    for (uint32_t i = t->child_count; i > 0; i--)
        push_undone(w, t->child[i - 1]);
    return w->todo->count == before;
}

static const struct float_note *note_of(const struct term_store *store, bool any,
                                        const struct term *t)
{
    return any ? float_note_of(store, t) : NULL;
}

// Up to `most` distinct subterms; what was not done then is not in the memo.
static const struct term *substitute_most(struct pass *pass, const struct term *root, size_t most)
{
    struct term_vector todo = {0};
    const struct walk walk = {&pass->memo, &todo, 0, TERM_HAS_VARIABLE};
    const bool noted = float_notes_any(pass->store);
    if ((root->flags & TERM_HAS_VARIABLE) != 0)
        VECTOR_PUSH(&todo, root);
    while (todo.count > 0 && pass->memo.count <= most) {
        const struct term *t = VECTOR_LAST(&todo), *result;
        if (term_map_get(&pass->memo, t) != NULL) {
            todo.count--;
            continue;
        }
        struct float_note note = {0};
        const struct float_note *found = note_of(pass->store, noted, t);
        if (found != NULL)
            note = *found; // more notes may move it
        if (t->kind == TERM_VAR)
            result = replacement(pass, t);
        else if (is_quantifier(t))
            result = substitute_under(pass, t);
        else if (children_done(&walk, t, found != NULL ? &note : NULL))
            result = rebuild_from(pass->store, &pass->memo, t);
        else
            continue;
        if (found != NULL)
            carry_note(pass->store, &pass->memo, &note, result);
        term_map_put(&pass->memo, t, result);
        todo.count--;
    }
    VECTOR_FINISH(&todo);
    const struct term *result = term_map_get(&pass->memo, root);
    return result != NULL ? result : root;
}

static const struct term *substitute(struct pass *pass, const struct term *root)
{
    return substitute_most(pass, root, SIZE_MAX);
}

const struct term *rewrite_substitute_within(struct term_store *store, const struct term *term,
                                             rewrite_lookup lookup, void *context, size_t *most)
{
    struct pass pass = {.store = store, .lookup = lookup, .context = context};
    term_map_init(&pass.memo);
    const struct term *result = substitute_most(&pass, term, *most);
    if (pass.memo.count > *most)
        result = NULL;
    else
        *most -= pass.memo.count;
    term_map_finish(&pass.memo);
    return result;
}

const struct term *rewrite_substitute(struct term_store *store, const struct term *term,
                                      rewrite_lookup lookup, void *context)
{
    struct pass pass = {.store = store, .lookup = lookup, .context = context};
    term_map_init(&pass.memo);
    const struct term *result = substitute(&pass, term);
    term_map_finish(&pass.memo);
    return result;
}

struct rewrite_cache {
    struct pass pass; // its lookup is `recorded`
    rewrite_lookup lookup;
    void *context;
    struct term_vector variables, answers; // what the lookup was asked and said
};

static const struct term *recorded(void *context, const struct term *variable)
{
    struct rewrite_cache *cache = context;
    const struct term *answer = cache->lookup(cache->context, variable);
    VECTOR_PUSH(&cache->variables, variable);
    VECTOR_PUSH(&cache->answers, answer);
    return answer;
}

struct rewrite_cache *rewrite_cache_create(struct term_store *store)
{
    struct rewrite_cache *cache = memory_zalloc(sizeof *cache);
    cache->pass = (struct pass){.store = store, .lookup = recorded, .context = cache};
    term_map_init(&cache->pass.memo);
    return cache;
}

void rewrite_cache_destroy(struct rewrite_cache *cache)
{
    if (cache == NULL)
        return;
    term_map_finish(&cache->pass.memo);
    VECTOR_FINISH(&cache->variables);
    VECTOR_FINISH(&cache->answers);
    memory_free(cache);
}

static bool same_answers(const struct rewrite_cache *cache)
{
    for (size_t i = 0; i < cache->variables.count; i++)
        if (cache->lookup(cache->context, cache->variables.data[i]) != cache->answers.data[i])
            return false;
    return true;
}

static const struct term *substitute_cached(struct rewrite_cache *cache, const struct term *term,
                                            rewrite_lookup lookup, void *context, bool unchanged)
{
    if (term->kind == TERM_VAR)
        return lookup(context, term);
    if ((term->flags & TERM_HAS_VARIABLE) == 0)
        return term;
    cache->lookup = lookup;
    cache->context = context;
    if (!unchanged && !same_answers(cache)) {
        term_map_finish(&cache->pass.memo);
        term_map_init(&cache->pass.memo);
        VECTOR_CLEAR(&cache->variables);
        VECTOR_CLEAR(&cache->answers);
    }
    return substitute(&cache->pass, term);
}

const struct term *rewrite_substitute_cached(struct rewrite_cache *cache, const struct term *term,
                                             rewrite_lookup lookup, void *context)
{
    return substitute_cached(cache, term, lookup, context, false);
}

const struct term *rewrite_substitute_unchanged(struct rewrite_cache *cache,
                                                const struct term *term, rewrite_lookup lookup,
                                                void *context)
{
    return substitute_cached(cache, term, lookup, context, true);
}

struct replacer {
    struct term_store *store;
    const struct term *from, *to;
    struct term_vector from_variables, to_variables;
    struct term_map memo;
};

struct rename {
    const struct term *quantifier;
    const struct term *const *renamings;
};

static const struct term *rename_lookup(void *context, const struct term *variable)
{
    const struct rename *rename = context;
    for (uint32_t i = 0; i + 1 < rename->quantifier->child_count; i++)
        if (rename->quantifier->child[i] == variable)
            return rename->renamings[i];
    return variable;
}

static const struct term *replace(struct replacer *r, const struct term *t);

static const struct term *replace_under(struct replacer *r, const struct term *t)
{
    size_t count = t->child_count - 1;
    for (size_t i = 0; i < count; i++)
        if (member(&r->from_variables, t->child[i]))
            return t; // what looks like `from` below is another term
    struct term_vector taken = {0};
    rewrite_free_variables(body_of(t), &taken);
    for (size_t i = 0; i < r->to_variables.count; i++)
        VECTOR_PUSH(&taken, r->to_variables.data[i]);
    const struct term **renamings = memory_alloc(count * sizeof *renamings);
    bool renamed = false;
    for (size_t i = 0; i < count; i++) {
        renamings[i] = t->child[i];
        if (member(&r->to_variables, t->child[i])) {
            renamings[i] = fresh_variable(r->store, t->child[i], &taken, t);
            VECTOR_PUSH(&taken, renamings[i]);
            renamed = true;
        }
    }
    struct rename rename = {t, renamings};
    const struct term *body = body_of(t);
    if (renamed)
        body = rewrite_substitute(r->store, body, rename_lookup, &rename);
    body = replace(r, body);
    const struct term *result = t;
    if (body != body_of(t))
        result = term_quantifier(r->store, t->kind, renamings, count, body);
    memory_free(renamings);
    VECTOR_FINISH(&taken);
    return result;
}

static const struct term *replace(struct replacer *r, const struct term *root)
{
    struct term_vector todo = {0};
    const struct walk walk = {&r->memo, &todo, r->from->id, 0};
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0) {
        const struct term *t = VECTOR_LAST(&todo), *result;
        if (term_map_get(&r->memo, t) != NULL) {
            todo.count--;
            continue;
        }
        if (t == r->from)
            result = r->to;
        else if (t->child_count == 0 || t->id < r->from->id)
            result = t; // subterms are older than what holds them
        else if (is_quantifier(t))
            result = replace_under(r, t);
        else if (children_done(&walk, t, NULL))
            result = rebuild_from(r->store, &r->memo, t);
        else
            continue;
        term_map_put(&r->memo, t, result);
        todo.count--;
    }
    VECTOR_FINISH(&todo);
    return term_map_get(&r->memo, root);
}

const struct term *rewrite_replace(struct term_store *store, const struct term *term,
                                   const struct term *from, const struct term *to)
{
    assert(from->sort == to->sort);
    struct replacer r = {.store = store, .from = from, .to = to};
    rewrite_free_variables(from, &r.from_variables);
    rewrite_free_variables(to, &r.to_variables);
    term_map_init(&r.memo);
    const struct term *result = replace(&r, term);
    term_map_finish(&r.memo);
    VECTOR_FINISH(&r.from_variables);
    VECTOR_FINISH(&r.to_variables);
    return result;
}
