#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "logic/smt/z3/z3_backend.h"

// The default handler ends the process. Ours does nothing: the code stays set until the next call,
// and z3_ok looks at it.
static void ignore_error(Z3_context z3, Z3_error_code code)
{
    (void)z3;
    (void)code;
}

bool z3_ok(struct z3_context *context)
{
    Z3_error_code code = z3_library.get_error_code(context->z3);
    if (code == Z3_OK)
        return true;
    context->error_code = code;
    text_clear(&context->error);
    text_add(&context->error, z3_library.get_error_msg(context->z3, code));
    return false;
}

Z3_ast z3_keep(struct z3_context *context, Z3_ast ast)
{
    if (!z3_ok(context) || ast == NULL) // NULL without a code: memory
        return NULL;
    z3_library.inc_ref(context->z3, ast);
    VECTOR_PUSH(&context->kept, ast);
    return ast;
}

void z3_release(struct z3_context *context, size_t mark)
{
    assert(mark <= context->kept.count);
    while (context->kept.count > mark)
        z3_library.dec_ref(context->z3, VECTOR_POP(&context->kept));
}

enum smt_reason z3_failure_reason(const struct z3_context *context, const char *text,
                                  enum smt_reason otherwise)
{
    // A combined solver that ran into the limit may have no word for it.
    if (strstr(text, "resource limit") != NULL ||
        (context->step_limit != 0 && strcmp(text, "unknown") == 0))
        return SMT_REASON_LIMIT;
    if (strstr(text, "memory") != NULL || strstr(text, "memout") != NULL)
        return SMT_REASON_MEMORY;
    // What an interrupted check says depends on where it was.
    if (smt_was_interrupted(&context->base) || smt_stopped(&context->base))
        return SMT_REASON_INTERRUPTED;
    if (strstr(text, "cancel") != NULL || strstr(text, "interrupt") != NULL) // some call limits so
        return context->step_limit == 0 ? SMT_REASON_INTERRUPTED : SMT_REASON_LIMIT;
    return otherwise;
}

static Z3_params make_solver_params(struct z3_context *context, const struct smt_options *options)
{
    Z3_context z3 = context->z3;
    Z3_params params = z3_library.mk_params(z3);
    if (!z3_ok(context) || params == NULL)
        return NULL;
    z3_library.params_inc_ref(z3, params);
    // Else every check replaces the handler of SIGINT of the whole process.
    z3_library.params_set_bool(z3, params, z3_library.mk_string_symbol(z3, "ctrl_c"), false);
    z3_library.params_set_uint(z3, params, z3_library.mk_string_symbol(z3, "random_seed"),
                               (unsigned)(options->seed & INT_MAX));
    if (context->step_limit != 0)
        z3_library.params_set_uint(z3, params, z3_library.mk_string_symbol(z3, "rlimit"),
                                   context->step_limit);
    return z3_ok(context) ? params : NULL;
}

static void release_cache(struct z3_context *context)
{
    Z3_context z3 = context->z3;
    z3_release(context, 0);
    for (size_t i = 0; i < context->terms.count; i++)
        if (context->terms.data[i] != NULL)
            z3_library.dec_ref(z3, context->terms.data[i]);
    for (size_t i = 0; i < context->enums.count; i++) {
        struct z3_enum *e = &context->enums.data[i];
        for (uint32_t k = 0; k < e->sort->literal_count; k++)
            z3_library.dec_ref(z3, z3_library.func_decl_to_ast(z3, e->literals[k]));
        memory_free(e->literals);
    }
    for (size_t i = 0; i < context->sorts.count; i++)
        if (context->sorts.data[i] != NULL)
            z3_library.dec_ref(z3, z3_library.sort_to_ast(z3, context->sorts.data[i]));
    if (context->rem_by_zero != NULL)
        z3_library.dec_ref(z3, z3_library.func_decl_to_ast(z3, context->rem_by_zero));
}

static void context_destroy(struct smt_context *base)
{
    struct z3_context *context = (struct z3_context *)base;
    release_cache(context);
    evaluator_destroy(context->evaluator);
    if (context->solver_params != NULL)
        z3_library.params_dec_ref(context->z3, context->solver_params);
    z3_library.del_context(context->z3);
    text_finish(&context->error);
    VECTOR_FINISH(&context->terms);
    VECTOR_FINISH(&context->sorts);
    VECTOR_FINISH(&context->enums);
    VECTOR_FINISH(&context->kept);
    VECTOR_FINISH(&context->todo);
    VECTOR_FINISH(&context->arguments);
    id_map_finish(&context->declarations);
    id_map_finish(&context->sorts_back);
    id_map_finish(&context->imported);
    memory_free(context);
}

// The limit is one of the context, besides that of its solvers: fixed points and tactics take no other.
static Z3_context make_z3(unsigned step_limit)
{
    Z3_config config = z3_library.mk_config();
    if (config == NULL)
        return NULL;
    char limit[16];
    snprintf(limit, sizeof limit, "%u", step_limit);
    if (step_limit != 0)
        z3_library.set_param_value(config, "rlimit", limit);
    Z3_context z3 = z3_library.mk_context_rc(config);
    z3_library.del_config(config);
    if (z3 != NULL)
        z3_library.set_error_handler(z3, ignore_error);
    return z3;
}

static struct smt_context *context_create(const struct smt_options *options, const char **error)
{
    *error = z3_library_load();
    if (*error != NULL)
        return NULL;
    struct z3_context *context = memory_zalloc(sizeof *context);
    context->step_limit = options->step_limit > UINT_MAX ? UINT_MAX : (unsigned)options->step_limit;
    context->z3 = make_z3(context->step_limit);
    if (context->z3 == NULL) {
        *error = "Z3 cannot make a context";
        memory_free(context);
        return NULL;
    }
    context->solver_params = make_solver_params(context, options);
    if (context->solver_params == NULL) {
        *error = "Z3 refuses its parameters";
        context_destroy(&context->base);
        return NULL;
    }
    unsigned major = 0, minor = 0, build = 0, revision = 0;
    z3_library.get_version(&major, &minor, &build, &revision);
    snprintf(context->version, sizeof context->version, "Z3 %u.%u.%u", major, minor, build);
    return &context->base;
}

static const char *context_version(const struct smt_context *base)
{
    return ((const struct z3_context *)base)->version;
}

static void context_interrupt(struct smt_context *base)
{
    z3_library.interrupt(((struct z3_context *)base)->z3);
}

const struct smt_backend smt_backend_z3 = {
    .name = "z3",
    .context_create = context_create,
    .context_destroy = context_destroy,
    .version = context_version,
    .interrupt = context_interrupt,
    .create = z3_solver_create,
    .destroy = z3_solver_destroy,
    .reset = z3_solver_reset_all,
    .push = z3_solver_push_level,
    .pop = z3_solver_pop_levels,
    .assert_formula = z3_solver_assert_formula,
    .check = z3_solver_run,
    .model_value = z3_solver_value,
    .unsat_core = z3_solver_core,
    .forget = z3_solver_forget,
    .eliminate = z3_eliminate,
    .simplify = z3_simplify,
    .interpolate = z3_interpolate,
    .horn = z3_horn,
};
