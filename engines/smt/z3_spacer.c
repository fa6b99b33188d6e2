#include "base/memory.h"
#include "engines/smt/z3_backend.h"

// Sequence interpolation by solving Horn clauses (McMillan, Rybalchenko 2013) with Spacer
// (Komuravelli, Gurfinkel, Chaki 2014): one predicate P_i per cut over the variables common to both
// sides,
//   parts[0] => P_1,   P_i and parts[i] => P_(i+1),   P_(n-1) and parts[n-1] => error.
// If the error is not derivable, the covers of the predicates are the interpolants.

struct cut {
    struct term_vector common;
    Z3_func_decl predicate; // referenced
    Z3_ast application;     // of the predicate to the common variables; referenced
};

struct chain {
    struct z3_context *context;
    Z3_fixedpoint fixedpoint;
    const struct term *const *parts;
    size_t count;            // parts
    struct cut *cuts;        // cuts[i] lies before parts[i]; 0 is not used, count is the error
    struct term_vector *own; // the variables of each part
};

// ---- which variables cross which cut

static void find_common(struct chain *chain)
{
    struct id_map first = {0}, last = {0}; // variable -> the own-vector of its first, last part
    for (size_t i = 0; i < chain->count; i++)
        for (size_t k = 0; k < chain->own[i].count; k++) {
            uint32_t id = chain->own[i].data[k]->id;
            if (id_map_get(&first, id) == NULL)
                id_map_put(&first, id, &chain->own[i]);
            id_map_put(&last, id, &chain->own[i]);
        }
    for (size_t i = 0; i < chain->count; i++)
        for (size_t k = 0; k < chain->own[i].count; k++) {
            const struct term *variable = chain->own[i].data[k];
            if (id_map_get(&first, variable->id) != &chain->own[i])
                continue; // seen in an earlier part
            const struct term_vector *end = id_map_get(&last, variable->id);
            for (size_t j = i + 1; j <= (size_t)(end - chain->own); j++)
                VECTOR_PUSH(&chain->cuts[j].common, variable);
        }
    id_map_finish(&first);
    id_map_finish(&last);
}

// ---- predicates and rules

static bool declare(struct chain *chain, size_t index)
{
    struct z3_context *context = chain->context;
    Z3_context z3 = context->z3;
    struct cut *cut = &chain->cuts[index];
    unsigned n = (unsigned)cut->common.count;
    Z3_sort *sorts = memory_alloc(n * sizeof *sorts);
    Z3_ast *arguments = memory_alloc(n * sizeof *arguments);
    bool good = true;
    for (unsigned i = 0; i < n && good; i++) {
        sorts[i] = z3_translate_sort(context, cut->common.data[i]->sort);
        arguments[i] = z3_translate(context, cut->common.data[i]);
        good = sorts[i] != NULL && arguments[i] != NULL;
    }
    if (good) {
        Z3_func_decl predicate = Z3_mk_fresh_func_decl(z3, "cut", n, sorts, Z3_mk_bool_sort(z3));
        good = z3_ok(context) && predicate != NULL;
        if (good) {
            Z3_inc_ref(z3, Z3_func_decl_to_ast(z3, predicate));
            cut->predicate = predicate;
            Z3_fixedpoint_register_relation(z3, chain->fixedpoint, predicate);
            cut->application = z3_keep(context, Z3_mk_app(z3, predicate, n, arguments));
            good = cut->application != NULL;
        }
    }
    memory_free(sorts);
    memory_free(arguments);
    return good;
}

// The variables of a rule: those of its part, and those that only pass through it.
static void rule_variables(const struct chain *chain, size_t index, struct term_vector *out)
{
    const struct term_vector *sources[3] = {&chain->own[index], &chain->cuts[index].common,
                                            &chain->cuts[index + 1].common};
    struct id_map seen = {0};
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < sources[s]->count; i++) {
            const struct term *variable = sources[s]->data[i];
            if (id_map_get(&seen, variable->id) != NULL)
                continue;
            id_map_put(&seen, variable->id, variable);
            VECTOR_PUSH(out, variable);
        }
    id_map_finish(&seen);
}

// for all variables: body
static Z3_ast close_rule(struct z3_context *context, const struct term_vector *variables,
                         Z3_ast body)
{
    if (variables->count == 0)
        return body;
    Z3_app *bound = memory_alloc(variables->count * sizeof *bound);
    for (size_t i = 0; i < variables->count; i++) // all translated before
        bound[i] = Z3_to_app(context->z3, z3_translate(context, variables->data[i]));
    Z3_ast result = z3_keep(context, Z3_mk_forall_const(context->z3, 0, (unsigned)variables->count,
                                                        bound, 0, NULL, body));
    memory_free(bound);
    return result;
}

static bool add_rule(struct chain *chain, size_t index)
{
    struct z3_context *context = chain->context;
    Z3_context z3 = context->z3;
    Z3_ast premise = z3_translate(context, chain->parts[index]);
    if (premise == NULL)
        return false;
    if (index > 0) {
        Z3_ast both[2] = {chain->cuts[index].application, premise};
        premise = z3_keep(context, Z3_mk_and(z3, 2, both));
    }
    if (premise == NULL)
        return false;
    Z3_ast rule = z3_keep(context, Z3_mk_implies(z3, premise, chain->cuts[index + 1].application));
    struct term_vector variables = {0};
    rule_variables(chain, index, &variables);
    Z3_ast closed = rule == NULL ? NULL : close_rule(context, &variables, rule);
    VECTOR_FINISH(&variables);
    if (closed == NULL)
        return false;
    Z3_fixedpoint_add_rule(z3, chain->fixedpoint, closed, NULL);
    return z3_ok(context);
}

static bool set_parameters(struct chain *chain)
{
    struct z3_context *context = chain->context;
    Z3_context z3 = context->z3;
    Z3_params params = Z3_mk_params(z3);
    if (!z3_ok(context) || params == NULL)
        return false;
    Z3_params_inc_ref(z3, params);
    Z3_params_set_symbol(z3, params, Z3_mk_string_symbol(z3, "engine"),
                         Z3_mk_string_symbol(z3, "spacer"));
    // The predicates must survive preprocessing, else they have no cover.
    static const char *const off[] = {"xform.inline_eager", "xform.inline_linear", "xform.slice",
                                      "ctrl_c"};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        Z3_params_set_bool(z3, params, Z3_mk_string_symbol(z3, off[i]), false);
    Z3_params_set_uint(z3, params, Z3_mk_string_symbol(z3, "spacer.random_seed"),
                       (unsigned)(context->base.options.seed & INT32_MAX));
    if (context->step_limit != 0)
        Z3_params_set_uint(z3, params, Z3_mk_string_symbol(z3, "rlimit"), context->step_limit);
    Z3_fixedpoint_set_params(z3, chain->fixedpoint, params);
    bool good = z3_ok(context);
    Z3_params_dec_ref(z3, params);
    return good;
}

static bool solve(struct chain *chain)
{
    struct z3_context *context = chain->context;
    for (size_t i = 1; i <= chain->count; i++)
        if (!declare(chain, i))
            return false;
    for (size_t i = 0; i < chain->count; i++)
        if (!add_rule(chain, i))
            return false;
    Z3_func_decl error = chain->cuts[chain->count].predicate;
    if (!smt_begin(&context->base))
        return false;
    Z3_lbool answer = Z3_fixedpoint_query_relations(context->z3, chain->fixedpoint, 1, &error);
    smt_end(&context->base);
    return z3_ok(context) && answer == Z3_L_FALSE;
}

static const struct term *read_cover(struct chain *chain, size_t index)
{
    struct z3_context *context = chain->context;
    Z3_context z3 = context->z3;
    const struct cut *cut = &chain->cuts[index];
    Z3_ast cover =
        z3_keep(context, Z3_fixedpoint_get_cover_delta(z3, chain->fixedpoint, -1, cut->predicate));
    if (cover == NULL)
        return NULL;
    unsigned n = (unsigned)cut->common.count;
    Z3_ast *arguments = memory_alloc(n * sizeof *arguments);
    for (unsigned i = 0; i < n; i++)
        arguments[i] = z3_translate(context, cut->common.data[i]);
    Z3_ast instance = z3_keep(context, Z3_substitute_vars(z3, cover, n, arguments));
    memory_free(arguments);
    return instance == NULL ? NULL : z3_import(context, instance, NULL);
}

static bool interpolate(struct chain *chain, const struct term **out)
{
    if (!set_parameters(chain) || !solve(chain))
        return false;
    struct term_vector covers = {0};
    bool good = true;
    for (size_t i = 1; i < chain->count && good; i++) {
        const struct term *cover = read_cover(chain, i);
        good = cover != NULL;
        VECTOR_PUSH(&covers, cover);
    }
    for (size_t i = 0; i < covers.count && good; i++)
        out[i] = covers.data[i];
    VECTOR_FINISH(&covers);
    return good;
}

// Uninterpreted functions in rules (what division by zero is) are not sound in Spacer.
static bool supported(const struct term *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((parts[i]->flags & (TERM_HAS_DIVISION | TERM_HAS_QUANTIFIER)) != 0)
            return false;
    return true;
}

bool z3_interpolate(struct smt_context *base, const struct term *const *parts, size_t count,
                    const struct term **out)
{
    struct z3_context *context = (struct z3_context *)base;
    Z3_context z3 = context->z3;
    if (!supported(parts, count))
        return false;
    struct chain chain = {.context = context, .parts = parts, .count = count};
    chain.fixedpoint = Z3_mk_fixedpoint(z3);
    if (!z3_ok(context) || chain.fixedpoint == NULL)
        return false;
    Z3_fixedpoint_inc_ref(z3, chain.fixedpoint);
    size_t mark = z3_mark(context);
    chain.cuts = memory_zalloc((count + 1) * sizeof *chain.cuts);
    chain.own = memory_zalloc(count * sizeof *chain.own);
    for (size_t i = 0; i < count; i++)
        rewrite_free_variables(parts[i], &chain.own[i]);
    find_common(&chain);
    bool good = interpolate(&chain, out);
    z3_release(context, mark);
    Z3_fixedpoint_dec_ref(z3, chain.fixedpoint);
    for (size_t i = 0; i <= count; i++) {
        VECTOR_FINISH(&chain.cuts[i].common);
        if (chain.cuts[i].predicate != NULL)
            Z3_dec_ref(z3, Z3_func_decl_to_ast(z3, chain.cuts[i].predicate));
    }
    for (size_t i = 0; i < count; i++)
        VECTOR_FINISH(&chain.own[i]);
    memory_free(chain.cuts);
    memory_free(chain.own);
    return good;
}
