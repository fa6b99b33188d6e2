#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "logic/smt/z3/z3_backend.h"

// Horn clauses with Spacer (Komuravelli, Gurfinkel, Chaki 2014; Hoder, Bjørner 2012). If the query is
// not derivable, the covers of the predicates interpret them; else the names of the rules along the
// derivation tell the clauses.

struct horn {
    struct z3_context *context;
    Z3_fixedpoint fixedpoint;
    const struct smt_horn *problem;
    Z3_func_decl *predicates; // referenced
    struct smt_horn_progress progress;
};

static bool declare(struct horn *h, size_t index)
{
    struct z3_context *context = h->context;
    Z3_context z3 = context->z3;
    const struct smt_horn_predicate *predicate = &h->problem->predicates[index];
    Z3_sort *sorts = memory_alloc((predicate->count + 1) * sizeof *sorts);
    bool good = true;
    for (size_t i = 0; i < predicate->count && good; i++) {
        sorts[i] = z3_translate_sort(context, predicate->parameters[i]->sort);
        good = sorts[i] != NULL;
    }
    if (good) {
        Z3_func_decl made = z3_library.mk_fresh_func_decl(z3, "horn", (unsigned)predicate->count,
                                                          sorts, z3_library.mk_bool_sort(z3));
        good = z3_ok(context) && made != NULL;
        if (good) {
            z3_library.inc_ref(z3, z3_library.func_decl_to_ast(z3, made));
            h->predicates[index] = made;
            z3_library.fixedpoint_register_relation(z3, h->fixedpoint, made);
            good = z3_ok(context);
        }
    }
    memory_free(sorts);
    return good;
}

static Z3_ast apply(struct horn *h, uint32_t predicate, const struct term *const *arguments)
{
    assert(predicate < h->problem->predicate_count);
    size_t count = h->problem->predicates[predicate].count;
    Z3_ast *translated = memory_alloc((count + 1) * sizeof *translated);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        translated[i] = z3_translate(h->context, arguments[i]);
        good = translated[i] != NULL;
    }
    Z3_ast made =
        good ? z3_keep(h->context, z3_library.mk_app(h->context->z3, h->predicates[predicate],
                                                     (unsigned)count, translated))
             : NULL;
    memory_free(translated);
    return made;
}

// Those of the terms that are not in the vector yet.
static void add_variables(const struct term *const *terms, size_t count, struct id_map *seen,
                          struct term_vector *out)
{
    struct term_vector found = {0};
    for (size_t i = 0; i < count; i++)
        rewrite_free_variables(terms[i], &found);
    for (size_t i = 0; i < found.count; i++) {
        if (id_map_get(seen, found.data[i]->id) != NULL)
            continue;
        id_map_put(seen, found.data[i]->id, found.data[i]);
        VECTOR_PUSH(out, found.data[i]);
    }
    VECTOR_FINISH(&found);
}

// for all variables of the clause: body
static Z3_ast close_rule(struct horn *h, const struct smt_horn_clause *clause, Z3_ast body)
{
    const struct smt_horn_predicate *predicates = h->problem->predicates;
    struct id_map seen = {0};
    struct term_vector variables = {0};
    if (clause->body != SMT_HORN_NONE)
        add_variables(clause->body_arguments, predicates[clause->body].count, &seen, &variables);
    for (size_t i = 0; i < clause->other_count; i++)
        add_variables(clause->others[i].arguments, predicates[clause->others[i].predicate].count,
                      &seen, &variables);
    add_variables(&clause->constraint, 1, &seen, &variables);
    add_variables(clause->head_arguments, predicates[clause->head].count, &seen, &variables);
    Z3_app *bound = memory_alloc((variables.count + 1) * sizeof *bound);
    for (size_t i = 0; i < variables.count; i++) // all translated before
        bound[i] = z3_library.to_app(h->context->z3, z3_translate(h->context, variables.data[i]));
    Z3_ast closed = body;
    if (variables.count > 0)
        closed = z3_keep(h->context,
                         z3_library.mk_forall_const(h->context->z3, 0, (unsigned)variables.count,
                                                    bound, 0, NULL, body));
    memory_free(bound);
    VECTOR_FINISH(&variables);
    id_map_finish(&seen);
    return closed;
}

// NULL when the first is.
static Z3_ast both(struct horn *h, Z3_ast a, Z3_ast b)
{
    Z3_ast parts[2] = {a, b};
    return a != NULL ? z3_keep(h->context, z3_library.mk_and(h->context->z3, 2, parts)) : NULL;
}

static bool add_rule(struct horn *h, size_t index)
{
    struct z3_context *context = h->context;
    const struct smt_horn_clause *clause = &h->problem->clauses[index];
    Z3_ast premise = z3_translate(context, clause->constraint);
    Z3_ast head = apply(h, clause->head, clause->head_arguments);
    if (premise != NULL && clause->body != SMT_HORN_NONE)
        premise = both(h, apply(h, clause->body, clause->body_arguments), premise);
    for (size_t i = 0; premise != NULL && i < clause->other_count; i++)
        premise =
            both(h, apply(h, clause->others[i].predicate, clause->others[i].arguments), premise);
    if (premise == NULL || head == NULL)
        return false;
    Z3_ast rule = z3_keep(context, z3_library.mk_implies(context->z3, premise, head));
    Z3_ast closed = rule != NULL ? close_rule(h, clause, rule) : NULL;
    if (closed == NULL)
        return false;
    char name[32];
    snprintf(name, sizeof name, "clause%zu", index);
    z3_library.fixedpoint_add_rule(context->z3, h->fixedpoint, closed,
                                   z3_library.mk_string_symbol(context->z3, name));
    return z3_ok(context);
}

static bool set_parameters(struct horn *h)
{
    struct z3_context *context = h->context;
    Z3_context z3 = context->z3;
    Z3_params params = z3_library.mk_params(z3);
    if (!z3_ok(context) || params == NULL)
        return false;
    z3_library.params_inc_ref(z3, params);
    z3_library.params_set_symbol(z3, params, z3_library.mk_string_symbol(z3, "engine"),
                                 z3_library.mk_string_symbol(z3, "spacer"));
    // The predicates must survive preprocessing, else they have no cover.
    static const char *const off[] = {"xform.inline_eager", "xform.inline_linear", "xform.slice",
                                      "ctrl_c"};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        z3_library.params_set_bool(z3, params, z3_library.mk_string_symbol(z3, off[i]), false);
    z3_library.params_set_bool(z3, params,
                               z3_library.mk_string_symbol(z3, "spacer.p3.share_lemmas"),
                               h->problem->observe != NULL); // else on_lemma is not called
    z3_library.params_set_uint(z3, params, z3_library.mk_string_symbol(z3, "spacer.random_seed"),
                               (unsigned)(context->base.options.seed & INT32_MAX));
    z3_library.fixedpoint_set_params(z3, h->fixedpoint, params);
    bool good = z3_ok(context);
    z3_library.params_dec_ref(z3, params);
    return good;
}

// ---- what Spacer tells while it runs

static void on_lemma(void *state, Z3_ast lemma, unsigned level)
{
    struct horn *h = state;
    (void)lemma;
    (void)level;
    h->progress.lemmas++;
    h->problem->observe(h->problem->observer, &h->progress);
}

static void on_predecessor(void *state)
{
    struct horn *h = state;
    h->progress.predecessors++;
}

static void on_unfold(void *state)
{
    struct horn *h = state;
    h->progress.levels++;
    h->problem->observe(h->problem->observer, &h->progress);
}

// ---- answers

static const struct term *read_cover(struct horn *h, size_t index)
{
    assert(index != h->problem->query);
    struct z3_context *context = h->context;
    const struct smt_horn_predicate *predicate = &h->problem->predicates[index];
    Z3_ast cover = z3_keep(context, z3_library.fixedpoint_get_cover_delta(
                                        context->z3, h->fixedpoint, -1, h->predicates[index]));
    if (cover == NULL)
        return NULL;
    Z3_ast *arguments = memory_alloc((predicate->count + 1) * sizeof *arguments);
    bool good = true;
    for (size_t i = 0; i < predicate->count && good; i++) {
        arguments[i] = z3_translate(context, predicate->parameters[i]);
        good = arguments[i] != NULL;
    }
    Z3_ast instance =
        good ? z3_keep(context, z3_library.substitute_vars(context->z3, cover,
                                                           (unsigned)predicate->count, arguments))
             : NULL;
    memory_free(arguments);
    return instance == NULL ? NULL : z3_import(context, instance, NULL);
}

static void read_interpretation(struct horn *h, struct smt_horn_answer *answer)
{
    size_t count = h->problem->predicate_count;
    const struct term **all = memory_zalloc((count + 1) * sizeof(*all));
    for (size_t i = 0; i < count; i++) {
        all[i] = i == h->problem->query ? term_false(h->context->base.store) : read_cover(h, i);
        if (all[i] == NULL) {
            memory_free(all);
            return;
        }
    }
    answer->interpretation = all;
}

struct clauses {
    uint32_t *data;
    size_t count, capacity; // a VECTOR
};

// Some clause from one predicate to another.
static bool add_between(const struct smt_horn *problem, uint32_t body, uint32_t head,
                        struct clauses *out)
{
    for (size_t i = 0; i < problem->clause_count; i++)
        if (problem->clauses[i].body == body && problem->clauses[i].head == head) {
            VECTOR_PUSH(out, (uint32_t)i);
            return true;
        }
    return false;
}

// From a fact to the query. `last` is in the order of Spacer, the query first; facts and queries that it
// folded into others are put back.
static bool make_chain(const struct smt_horn *problem, const struct clauses *last,
                       struct clauses *out)
{
    uint32_t at = SMT_HORN_NONE;
    for (size_t i = last->count; i-- > 0;) {
        if (last->data[i] >= problem->clause_count)
            return false;
        const struct smt_horn_clause *clause = &problem->clauses[last->data[i]];
        if (clause->body != at && !add_between(problem, at, clause->body, out))
            return false;
        VECTOR_PUSH(out, last->data[i]);
        at = clause->head;
    }
    return last->count > 0 &&
           (at == problem->query || add_between(problem, at, problem->query, out));
}

static void read_derivation(struct horn *h, struct smt_horn_answer *answer)
{
    struct z3_context *context = h->context;
    struct clauses named = {0}, chain = {0};
    Z3_symbol names = z3_library.fixedpoint_get_rule_names_along_trace(context->z3, h->fixedpoint);
    if (!z3_ok(context) || z3_library.get_symbol_kind(context->z3, names) != Z3_STRING_SYMBOL)
        return;
    // "<null>;clause3;clause1"
    const char *at = z3_library.get_symbol_string(context->z3, names);
    while (at != NULL && (at = strstr(at, "clause")) != NULL) {
        at += strlen("clause");
        VECTOR_PUSH(&named, (uint32_t)strtoul(at, NULL, 10));
    }
    if (make_chain(h->problem, &named, &chain)) {
        answer->derivation = chain.data;
        answer->derivation_count = chain.count;
        assert(h->problem->clauses[chain.data[0]].body == SMT_HORN_NONE);
    } else {
        VECTOR_FINISH(&chain);
    }
    VECTOR_FINISH(&named);
}

// The query for a relation knows no limit of steps, that for a formula does: the query predicate itself, when it
// has no parameters.
static Z3_lbool ask(struct horn *h)
{
    Z3_context z3 = h->context->z3;
    Z3_func_decl query = h->predicates[h->problem->query];
    if (h->problem->predicates[h->problem->query].count != 0)
        return z3_library.fixedpoint_query_relations(z3, h->fixedpoint, 1, &query);
    Z3_ast reached = z3_keep(h->context, z3_library.mk_app(z3, query, 0, NULL));
    return reached != NULL ? z3_library.fixedpoint_query(z3, h->fixedpoint, reached) : Z3_L_UNDEF;
}

static bool is_linear(const struct smt_horn *problem)
{
    for (size_t i = 0; i < problem->clause_count; i++)
        if (problem->clauses[i].other_count > 0)
            return false;
    return true;
}

static enum smt_result solve(struct horn *h, struct smt_horn_answer *answer)
{
    struct z3_context *context = h->context;
    if (!set_parameters(h))
        return SMT_UNKNOWN;
    for (size_t i = 0; i < h->problem->predicate_count; i++)
        if (!declare(h, i))
            return SMT_UNKNOWN;
    for (size_t i = 0; i < h->problem->clause_count; i++)
        if (!add_rule(h, i))
            return SMT_UNKNOWN;
    if (h->problem->observe != NULL)
        z3_library.fixedpoint_add_callback(context->z3, h->fixedpoint, h, on_lemma, on_predecessor,
                                           on_unfold);
    if (!z3_ok(context) || !smt_begin(&context->base))
        return SMT_UNKNOWN;
    Z3_lbool result = ask(h);
    smt_end(&context->base);
    if (!z3_ok(context) || result == Z3_L_UNDEF)
        return SMT_UNKNOWN;
    if (result == Z3_L_FALSE)
        read_interpretation(h, answer);
    else if (is_linear(h->problem))
        read_derivation(h, answer);
    return result == Z3_L_FALSE ? SMT_UNSAT : SMT_SAT;
}

// Uninterpreted functions in rules (what division by zero is) are not sound in Spacer.
static bool supported(const struct smt_horn *problem)
{
    for (size_t i = 0; i < problem->clause_count; i++)
        if ((problem->clauses[i].constraint->flags & (TERM_HAS_DIVISION | TERM_HAS_QUANTIFIER)) !=
            0)
            return false;
    return true;
}

enum smt_result z3_horn(struct smt_context *base, const struct smt_horn *problem,
                        struct smt_horn_answer *answer)
{
    struct z3_context *context = (struct z3_context *)base;
    Z3_context z3 = context->z3;
    if (!supported(problem))
        return SMT_UNKNOWN;
    struct horn h = {.context = context, .problem = problem};
    h.fixedpoint = z3_library.mk_fixedpoint(z3);
    if (!z3_ok(context) || h.fixedpoint == NULL)
        return SMT_UNKNOWN;
    z3_library.fixedpoint_inc_ref(z3, h.fixedpoint);
    size_t mark = z3_mark(context);
    h.predicates = memory_zalloc((problem->predicate_count + 1) * sizeof(*h.predicates));
    enum smt_result result = solve(&h, answer);
    z3_release(context, mark);
    z3_library.fixedpoint_dec_ref(z3, h.fixedpoint);
    for (size_t i = 0; i < problem->predicate_count; i++)
        if (h.predicates[i] != NULL)
            z3_library.dec_ref(z3, z3_library.func_decl_to_ast(z3, h.predicates[i]));
    memory_free(h.predicates);
    return result;
}
