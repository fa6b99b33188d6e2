#include <string.h>

#include "base/memory.h"
#include "logic/smt/cvc5/cvc5_library.h"
#include "logic/smt/remainder.h"
#include "logic/smt/smt_backend.h"
#include "logic/terms/read_smtlib.h"

// cvc5 inside the program. It cannot be interrupted, so a check is made in slices, each of twice as many
// steps as the one before, and the stop flag is looked at in between: a stop is seen after about as long
// as the check has run already.

#define FIRST_SLICE 2000

struct cvc5_smt {
    struct smt base;
    struct cvc5_library *library; // NULL when none could be made
    struct term_vector assumptions;
};

static struct cvc5_smt *cast(struct smt *smt)
{
    return (struct cvc5_smt *)smt;
}

static void start(struct cvc5_smt *smt)
{
    smt->library = cvc5_library_create((unsigned)(smt->base.context->options.seed & 0x7fffffff));
}

static struct smt *create(struct smt_context *context)
{
    struct cvc5_smt *smt = memory_zalloc(sizeof *smt);
    smt->base.context = context;
    start(smt);
    return &smt->base;
}

static void destroy(struct smt *base)
{
    cvc5_library_destroy(cast(base)->library);
    VECTOR_FINISH(&cast(base)->assumptions);
    memory_free(base);
}

static bool reset(struct smt *base)
{
    cvc5_library_destroy(cast(base)->library);
    start(cast(base));
    return cast(base)->library != NULL;
}

static bool push(struct smt *base)
{
    return cast(base)->library != NULL && cvc5_library_push(cast(base)->library);
}

static bool pop(struct smt *base, unsigned levels)
{
    return cast(base)->library != NULL && cvc5_library_pop(cast(base)->library, levels);
}

// The term as cvc5 may see it.
static const struct term *written(struct smt *base, const struct term *term)
{
    return smt_without_rem(base->context->store, term);
}

// Terms that this call adds to those translated.
static void count_terms(struct smt *base, uint64_t before)
{
    struct smt_statistics *s = &base->context->statistics;
    uint64_t made = cvc5_library_terms(cast(base)->library) - before;
    s->translated_terms += made;
    s->translation_lookups += made > 0 ? made : 1;
}

static bool assert_formula(struct smt *base, const struct term *formula)
{
    struct cvc5_library *library = cast(base)->library;
    if (library == NULL)
        return false;
    uint64_t before = cvc5_library_terms(library);
    bool good = cvc5_library_assert(library, written(base, formula));
    count_terms(base, before);
    return good;
}

static enum smt_result fail(struct smt *base, enum smt_reason reason, const char *text)
{
    smt_fail(base, reason, text);
    return SMT_UNKNOWN;
}

static bool should_end(const struct smt_context *context)
{
    return smt_stopped(context) || smt_was_interrupted(context);
}

static enum smt_result check_in_slices(struct smt *base, const struct term_vector *assumptions)
{
    struct cvc5_smt *smt = cast(base);
    uint64_t limit = base->context->options.step_limit, used = 0;
    for (uint64_t slice = FIRST_SLICE;; slice *= 2) {
        uint64_t steps = limit != 0 && limit - used < slice ? limit - used : slice;
        enum cvc5_answer answer =
            cvc5_library_check(smt->library, assumptions->data, assumptions->count, steps);
        used += steps;
        switch (answer) {
        case CVC5_SAT:
            return SMT_SAT;
        case CVC5_UNSAT:
            return SMT_UNSAT;
        case CVC5_UNKNOWN:
            return fail(base, SMT_REASON_INCOMPLETE, cvc5_library_error(smt->library));
        case CVC5_FAILED:
            return fail(base, SMT_REASON_ERROR, cvc5_library_error(smt->library));
        case CVC5_OUT_OF_STEPS:
            break;
        }
        if (should_end(base->context))
            return fail(base, SMT_REASON_INTERRUPTED, "interrupted");
        if (used == limit)
            return fail(base, SMT_REASON_LIMIT, "the step limit was used up");
    }
}

static enum smt_result check(struct smt *base, const struct term *const *assumptions, size_t count)
{
    struct cvc5_smt *smt = cast(base);
    if (smt->library == NULL)
        return fail(base, SMT_REASON_ERROR, "cvc5 cannot be started");
    VECTOR_CLEAR(&smt->assumptions);
    for (size_t i = 0; i < count; i++)
        if (!term_is_true(assumptions[i]))
            VECTOR_PUSH(&smt->assumptions, assumptions[i]);
    return check_in_slices(base, &smt->assumptions);
}

// The text of a value, read as a literal of the sort.
static const struct term *read_value(struct term_store *store, const struct sort *sort,
                                     const char *value)
{
    struct arena arena;
    struct text why;
    const struct sexpr *e = NULL;
    const struct term *literal = NULL;
    struct sexpr_reader text = {.at = value, .end = value + strlen(value), .line = 1};
    arena_init(&arena);
    text_init(&why);
    if (sexpr_read(&text, &arena, &e, &why) == SEXPR_READ) {
        struct smtlib_reader *reader = smtlib_reader_create(store);
        smtlib_reader_add(reader, term_default(store, sort));
        literal = smtlib_read_as(reader, e, sort, &why);
        smtlib_reader_destroy(reader);
    }
    text_finish(&why);
    arena_finish(&arena);
    return literal != NULL && term_is_literal(literal) ? literal : NULL;
}

static const struct term *model_value(struct smt *base, const struct term *term)
{
    const char *value = cvc5_library_value(cast(base)->library, written(base, term));
    return value == NULL ? NULL : read_value(base->context->store, term->sort, value);
}

static bool unsat_core(struct smt *base, struct term_vector *core)
{
    struct cvc5_smt *smt = cast(base);
    bool *in_core = memory_zalloc((smt->assumptions.count + 1) * sizeof *in_core);
    bool good = smt->assumptions.count == 0 || cvc5_library_core(smt->library, in_core);
    for (size_t i = 0; good && i < smt->assumptions.count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || smt->assumptions.data[k] == smt->assumptions.data[i];
        if (in_core[i] && !seen)
            VECTOR_PUSH(core, smt->assumptions.data[i]);
    }
    memory_free(in_core);
    return good;
}

static void forget(struct smt *base)
{
    (void)base; // cvc5 ends its model itself
}

static const struct term *eliminate(struct smt_context *context, bool linear,
                                    const struct term *const *variables, size_t count,
                                    const struct term *body)
{
    (void)context, (void)linear, (void)variables, (void)count, (void)body;
    return NULL; // what our own rules leave
}

static const struct term *simplify(struct smt_context *context, const struct term *formula)
{
    (void)context;
    return formula;
}

static struct smt_context *context_create(const struct smt_options *options, const char **error)
{
    (void)options;
    (void)error;
    return memory_zalloc(sizeof(struct smt_context));
}

static void context_destroy(struct smt_context *context)
{
    memory_free(context);
}

static const char *version(const struct smt_context *context)
{
    (void)context;
    return "cvc5 inside the program";
}

static void interrupt(struct smt_context *context)
{
    (void)context; // smt_was_interrupted tells
}

const struct smt_backend smt_backend_cvc5 = {
    .name = "cvc5-lib",
    .context_create = context_create,
    .context_destroy = context_destroy,
    .version = version,
    .interrupt = interrupt,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .push = push,
    .pop = pop,
    .assert_formula = assert_formula,
    .check = check,
    .model_value = model_value,
    .unsat_core = unsat_core,
    .forget = forget,
    .eliminate = eliminate,
    .simplify = simplify,
};
