#include "engines/expr/rewrite.h"

#include <assert.h>

#include "base/text.h"
#include "engines/expr/map.h"
#include "engines/expr/store.h"

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

// `visited` holds the subterms seen under this very scope; below a quantifier a new set is begun.
static void collect_free(struct collector *c, struct term_map *visited, const struct scope *scope,
                         const struct term *t)
{
    if ((t->flags & TERM_HAS_VARIABLE) == 0 || !term_map_insert(visited, t))
        return;
    if (t->kind == TERM_VAR) {
        if (!bound_in(scope, t) && term_map_insert(&c->found, t))
            VECTOR_PUSH(c->out, t);
    } else if (is_quantifier(t)) {
        struct scope inner = {t, scope};
        struct term_map fresh;
        term_map_init(&fresh);
        collect_free(c, &fresh, &inner, body_of(t));
        term_map_finish(&fresh);
    } else {
        for (uint32_t i = 0; i < t->child_count; i++)
            collect_free(c, visited, scope, t->child[i]);
    }
}

void rewrite_free_variables(const struct term *term, struct term_vector *out)
{
    struct collector c = {.out = out};
    struct term_map visited;
    term_map_init(&c.found);
    term_map_init(&visited);
    for (size_t i = 0; i < out->count; i++)
        if (out->data[i]->kind == TERM_VAR)
            term_map_insert(&c.found, out->data[i]); // distinct over several calls
    collect_free(&c, &visited, NULL, term);
    term_map_finish(&visited);
    term_map_finish(&c.found);
}

static bool contains(struct term_map *visited, const struct term *t, const struct term *variable)
{
    if ((t->flags & TERM_HAS_VARIABLE) == 0 || t->id < variable->id)
        return false; // subterms are older than what holds them
    if (t == variable)
        return true;
    if (t->child_count == 0 || (is_quantifier(t) && binds(t, variable)) ||
        !term_map_insert(visited, t))
        return false;
    for (uint32_t i = is_quantifier(t) ? t->child_count - 1 : 0; i < t->child_count; i++)
        if (contains(visited, t->child[i], variable))
            return true;
    return false;
}

bool rewrite_contains(const struct term *term, const struct term *variable)
{
    assert(variable->kind == TERM_VAR);
    struct term_map visited;
    term_map_init(&visited);
    bool found = contains(&visited, term, variable);
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

static const struct term *substitute_children(struct pass *pass, const struct term *t)
{
    const struct term *few[FEW_CHILDREN] = {NULL};
    const struct term **children =
        t->child_count <= FEW_CHILDREN ? few : memory_alloc(t->child_count * sizeof *children);
    for (uint32_t i = 0; i < t->child_count; i++)
        children[i] = substitute(pass, t->child[i]);
    const struct term *result = term_rebuild(pass->store, t, children);
    if (children != few)
        memory_free(children);
    return result;
}

static const struct term *substitute(struct pass *pass, const struct term *t)
{
    if ((t->flags & TERM_HAS_VARIABLE) == 0)
        return t;
    const struct term *known = term_map_get(&pass->memo, t);
    if (known != NULL)
        return known;
    const struct term *result;
    if (t->kind == TERM_VAR)
        result = replacement(pass, t);
    else if (is_quantifier(t))
        result = substitute_under(pass, t);
    else
        result = substitute_children(pass, t);
    term_map_put(&pass->memo, t, result);
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

static const struct term *replace_children(struct replacer *r, const struct term *t)
{
    const struct term *few[FEW_CHILDREN] = {NULL};
    const struct term **children =
        t->child_count <= FEW_CHILDREN ? few : memory_alloc(t->child_count * sizeof *children);
    for (uint32_t i = 0; i < t->child_count; i++)
        children[i] = replace(r, t->child[i]);
    const struct term *result = term_rebuild(r->store, t, children);
    if (children != few)
        memory_free(children);
    return result;
}

static const struct term *replace(struct replacer *r, const struct term *t)
{
    if (t == r->from)
        return r->to;
    if (t->child_count == 0 || t->id < r->from->id)
        return t; // subterms are older than what holds them
    const struct term *known = term_map_get(&r->memo, t);
    if (known != NULL)
        return known;
    const struct term *result = is_quantifier(t) ? replace_under(r, t) : replace_children(r, t);
    term_map_put(&r->memo, t, result);
    return result;
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
