#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "logic/smt/z3/z3_backend.h"

// Measured on Z3 4.8.12, 2000 checks with push, four assertions, assumptions, model and pop on one
// solver: Z3_mk_solver 0.20 ms a check, Z3_mk_simple_solver 0.20 ms; both use the same core then.
// But the first check of a Z3_mk_solver costs 5.3 ms more (it builds its strategies), which is more
// than many whole attempts need. Its step limit alone is exact everywhere, so it is taken when
// there is one.

struct z3_smt {
    struct smt base;
    Z3_solver solver;     // NULL: could not be made
    Z3_model model;       // of the last answer, fetched when first needed
    struct id_map values; // under the model: id of a variable or division by zero -> literal
    VECTOR(const struct term *) assumptions; // of the last check
    VECTOR(Z3_ast) assumed;                  // their translations, held by the cache
};

static struct z3_context *context_of(const struct smt *smt)
{
    return (struct z3_context *)smt->context;
}

// Notes the failure of the last Z3 call.
static void fail(struct smt *smt, enum smt_reason otherwise)
{
    struct z3_context *context = context_of(smt);
    const char *text = text_string(&context->error);
    enum smt_reason reason = context->error_code == Z3_MEMOUT_FAIL
                                 ? SMT_REASON_MEMORY
                                 : z3_failure_reason(context, text, otherwise);
    smt_fail(smt, reason, text);
}

struct smt *z3_solver_create(struct smt_context *base)
{
    struct z3_context *context = (struct z3_context *)base;
    Z3_context z3 = context->z3;
    struct z3_smt *smt = memory_zalloc(sizeof *smt);
    smt->base.context = base;
    Z3_solver solver = z3_library.mk_simple_solver(z3);
    if (z3_ok(context) && solver != NULL) {
        z3_library.solver_inc_ref(z3, solver);
        smt->solver = solver;
        z3_library.solver_set_params(z3, solver, context->solver_params);
    }
    if (smt->solver == NULL || !z3_ok(context))
        smt->base.broken = true;
    return &smt->base;
}

void z3_solver_forget(struct smt *base)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    if (smt->model != NULL)
        z3_library.model_dec_ref(context_of(base)->z3, smt->model);
    smt->model = NULL;
    id_map_clear(&smt->values);
}

void z3_solver_destroy(struct smt *base)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    z3_solver_forget(base);
    if (smt->solver != NULL)
        z3_library.solver_dec_ref(context_of(base)->z3, smt->solver);
    id_map_finish(&smt->values);
    VECTOR_FINISH(&smt->assumptions);
    VECTOR_FINISH(&smt->assumed);
    memory_free(smt);
}

bool z3_solver_reset_all(struct smt *base)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    if (smt->solver == NULL)
        return false;
    z3_library.solver_reset(context_of(base)->z3, smt->solver);
    return z3_ok(context_of(base));
}

bool z3_solver_push_level(struct smt *base)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    if (smt->solver == NULL)
        return false;
    z3_library.solver_push(context_of(base)->z3, smt->solver);
    return z3_ok(context_of(base));
}

bool z3_solver_pop_levels(struct smt *base, unsigned levels)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    if (smt->solver == NULL)
        return false;
    z3_library.solver_pop(context_of(base)->z3, smt->solver, levels);
    return z3_ok(context_of(base));
}

bool z3_solver_assert_formula(struct smt *base, const struct term *formula)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    struct z3_context *context = context_of(base);
    if (smt->solver == NULL)
        return false;
    Z3_ast translated = z3_translate(context, formula);
    if (translated != NULL) {
        z3_library.solver_assert(context->z3, smt->solver, translated);
        if (z3_ok(context))
            return true;
    }
    fail(base, SMT_REASON_ERROR);
    return false;
}

static bool translate_assumptions(struct z3_smt *smt, const struct term *const *assumptions,
                                  size_t count)
{
    struct z3_context *context = context_of(&smt->base);
    VECTOR_CLEAR(&smt->assumptions);
    VECTOR_CLEAR(&smt->assumed);
    for (size_t i = 0; i < count; i++) {
        if (term_is_true(assumptions[i]))
            continue;
        Z3_ast translated = z3_translate(context, assumptions[i]);
        if (translated == NULL)
            return false;
        VECTOR_PUSH(&smt->assumptions, assumptions[i]);
        VECTOR_PUSH(&smt->assumed, translated);
    }
    assert(smt->assumptions.count == smt->assumed.count);
    return true;
}

// Z3 gave up: either a call failed, or it has a word for why.
static void explain_unknown(struct z3_smt *smt)
{
    struct z3_context *context = context_of(&smt->base);
    const char *why = z3_library.solver_get_reason_unknown(context->z3, smt->solver);
    if (!z3_ok(context) || why == NULL) {
        fail(&smt->base, SMT_REASON_ERROR);
        return;
    }
    smt_fail(&smt->base, z3_failure_reason(context, why, SMT_REASON_INCOMPLETE), why);
}

enum smt_result z3_solver_run(struct smt *base, const struct term *const *assumptions, size_t count)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    struct z3_context *context = context_of(base);
    if (!translate_assumptions(smt, assumptions, count)) {
        fail(base, SMT_REASON_ERROR);
        return SMT_UNKNOWN;
    }
    Z3_lbool answer = z3_library.solver_check_assumptions(
        context->z3, smt->solver, (unsigned)smt->assumed.count, smt->assumed.data);
    if (!z3_ok(context)) {
        fail(base, SMT_REASON_ERROR);
        return SMT_UNKNOWN;
    }
    if (answer == Z3_L_UNDEF)
        explain_unknown(smt);
    return answer == Z3_L_TRUE ? SMT_SAT : answer == Z3_L_FALSE ? SMT_UNSAT : SMT_UNKNOWN;
}

static bool fetch_model(struct z3_smt *smt)
{
    if (smt->model != NULL)
        return true;
    struct z3_context *context = context_of(&smt->base);
    Z3_model model = z3_library.solver_get_model(context->z3, smt->solver);
    if (!z3_ok(context) || model == NULL)
        return false;
    z3_library.model_inc_ref(context->z3, model);
    smt->model = model;
    return true;
}

static const struct term *ask_model(struct z3_smt *smt, const struct term *term)
{
    struct z3_context *context = context_of(&smt->base);
    Z3_ast translated = z3_translate(context, term);
    if (translated == NULL)
        return NULL;
    Z3_ast value = NULL;
    if (!z3_library.model_eval(context->z3, smt->model, translated, true, &value))
        return NULL;
    size_t mark = z3_mark(context);
    const struct term *result = NULL;
    if (z3_keep(context, value) != NULL)
        result = z3_import(context, value, smt->model);
    z3_release(context, mark);
    return result != NULL && term_is_literal(result) ? result : NULL;
}

// Asks the model once per variable or division by zero.
static struct value remembered(struct z3_smt *smt, const struct term *term)
{
    assert(smt->model != NULL);
    const struct term *value = id_map_get(&smt->values, term->id);
    if (value == NULL) {
        value = ask_model(smt, term);
        if (value != NULL)
            id_map_put(&smt->values, term->id, value);
    }
    return value == NULL ? VALUE_UNKNOWN : term_value(value);
}

static struct value variable_value(void *data, const struct term *variable)
{
    return remembered(data, variable);
}

static struct value by_zero(void *data, enum term_kind kind, const struct sort *sort,
                            struct value dividend)
{
    struct z3_smt *smt = data;
    return remembered(smt, smt_by_zero(smt->base.context->store, kind, sort, dividend));
}

// Z3 gives the values of variables and of divisions by zero; the rest is ours to compute: its model
// evaluation leaves equations between arrays of Booleans undecided or gets them wrong.
const struct term *z3_solver_value(struct smt *base, const struct term *term)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    struct z3_context *context = context_of(base);
    if (!fetch_model(smt))
        return NULL;
    if (context->evaluator == NULL)
        context->evaluator = evaluator_create(base->context->store);
    evaluator_set_zero_division(context->evaluator, by_zero, smt);
    struct value value = evaluator_run(context->evaluator, term, variable_value, smt);
    return value_known(value) ? term_of_value(base->context->store, term->sort, value)
                              : ask_model(smt, term);
}

bool z3_solver_core(struct smt *base, struct term_vector *core)
{
    struct z3_smt *smt = (struct z3_smt *)base;
    struct z3_context *context = context_of(base);
    Z3_context z3 = context->z3;
    Z3_ast_vector answer = z3_library.solver_get_unsat_core(z3, smt->solver);
    if (!z3_ok(context) || answer == NULL)
        return false;
    z3_library.ast_vector_inc_ref(z3, answer);
    id_map_clear(&context->imported);
    unsigned size = z3_library.ast_vector_size(z3, answer);
    for (unsigned i = 0; i < size; i++)
        id_map_put(&context->imported,
                   z3_library.get_ast_id(z3, z3_library.ast_vector_get(z3, answer, i)), smt);
    z3_library.ast_vector_dec_ref(z3, answer);
    // In the order of the assumptions, each once.
    size_t before = core->count;
    for (size_t i = 0; i < smt->assumed.count && core->count - before < size; i++) {
        uint32_t id = z3_library.get_ast_id(z3, smt->assumed.data[i]);
        if (id_map_get(&context->imported, id) == smt) {
            VECTOR_PUSH(core, smt->assumptions.data[i]);
            id_map_put(&context->imported, id, context);
        }
    }
    assert(core->count >= before && core->count - before <= smt->assumptions.count);
    return core->count - before == size;
}
