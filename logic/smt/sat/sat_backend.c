#include <assert.h>
#include <ccadical.h>
#include <string.h>

#include "logic/smt/sat/blast.h"
#include "logic/smt/sat/sat_encoder.h"
#include "logic/smt/smt_backend.h"
#include "logic/terms/eval.h"

// SAT solvers over circuits: for formulas all of whose subterms have finitely many values. The solvers of a
// context share the circuit. Levels are variables that are assumed while the level lasts. Two back ends: "cadical" for
// few and hard questions, "circuit" for very many easy ones.

struct sat_context {
    struct smt_context base;
    enum sat_kind kind;
    struct blast blast;
    struct evaluator *evaluator;
};

struct sat_assumption {
    const struct term *term;
    int literal; // 0: false by itself
};

struct sat_level {
    int variable;    // assumed while the level lasts
    int variables;   // of the solver when the level began
    size_t asserted; // assertions below
};

struct sat_smt {
    struct smt base;
    struct sat_encoder encoder;
    VECTOR(struct sat_level) levels;
    VECTOR(uint32_t) asserted; // literals of the circuit
    VECTOR(struct sat_assumption) assumptions;
    VECTOR(int) assumed;
    VECTOR(bool) values;
    bool trivially_unsat; // an assumption is false by itself
};

static struct sat_context *context_of(const struct smt *smt)
{
    return (struct sat_context *)smt->context;
}

bool smt_is_finite(const struct term *formula)
{
    return blast_fits(formula);
}

// Contexts.

static struct smt_context *make_context(enum sat_kind kind)
{
    struct sat_context *c = memory_zalloc(sizeof *c);
    c->kind = kind;
    blast_init(&c->blast);
    return &c->base;
}

static struct smt_context *cadical_context_create(const struct smt_options *options,
                                                  const char **error)
{
    (void)options;
    (void)error;
    return make_context(SAT_CADICAL);
}

static struct smt_context *search_context_create(const struct smt_options *options,
                                                 const char **error)
{
    (void)options;
    (void)error;
    return make_context(SAT_SEARCH);
}

static void sat_context_destroy(struct smt_context *base)
{
    struct sat_context *c = (struct sat_context *)base;
    blast_finish(&c->blast);
    evaluator_destroy(c->evaluator);
    memory_free(c);
}

static const char *sat_version(const struct smt_context *base)
{
    const struct sat_context *c = (const struct sat_context *)base;
    return c->kind == SAT_CADICAL ? ccadical_signature() : "circuits";
}

// The solver asks, see below.
static void sat_interrupt(struct smt_context *context)
{
    (void)context;
}

static bool should_end(void *data)
{
    const struct smt_context *context = data;
    return smt_stopped(context) || smt_was_interrupted(context);
}

// Solvers.

static void open_solver(struct sat_smt *s)
{
    struct sat_context *c = context_of(&s->base);
    struct sat_solver *solver =
        sat_solver_create(c->kind, c->base.options.seed, should_end, &c->base);
    sat_encoder_init(&s->encoder, &c->blast, solver);
}

static struct smt *sat_create(struct smt_context *context)
{
    struct sat_smt *s = memory_zalloc(sizeof *s);
    s->base.context = context;
    open_solver(s);
    return &s->base;
}

static void sat_destroy(struct smt *base)
{
    struct sat_smt *s = (struct sat_smt *)base;
    sat_encoder_finish(&s->encoder);
    VECTOR_FINISH(&s->levels);
    VECTOR_FINISH(&s->asserted);
    VECTOR_FINISH(&s->assumptions);
    VECTOR_FINISH(&s->assumed);
    VECTOR_FINISH(&s->values);
    memory_free(s);
}

static void start_anew(struct sat_smt *s)
{
    sat_encoder_finish(&s->encoder);
    open_solver(s);
}

static bool sat_reset(struct smt *base)
{
    struct sat_smt *s = (struct sat_smt *)base;
    VECTOR_CLEAR(&s->levels);
    VECTOR_CLEAR(&s->asserted);
    start_anew(s);
    return true;
}

static bool sat_push(struct smt *base)
{
    struct sat_smt *s = (struct sat_smt *)base;
    struct sat_level level = {.variables = sat_solver_variables(s->encoder.solver),
                              .asserted = s->asserted.count};
    level.variable = sat_solver_variable(s->encoder.solver, SEARCH_INPUT, NULL);
    assert(level.variable > level.variables);
    VECTOR_PUSH(&s->levels, level);
    s->encoder.level = level.variable;
    return true;
}

// Asserts again what is left, level by level.
static void assert_again(struct sat_smt *s)
{
    size_t levels = s->levels.count, next = 0;
    start_anew(s);
    for (s->levels.count = 0;; s->levels.count++) {
        bool last = s->levels.count == levels;
        size_t end = last ? s->asserted.count : s->levels.data[s->levels.count].asserted;
        for (; next < end; next++)
            sat_encoder_assert(&s->encoder, s->asserted.data[next]);
        if (last) {
            assert(next == s->asserted.count);
            return;
        }
        struct sat_level *level = &s->levels.data[s->levels.count];
        level->variables = sat_solver_variables(s->encoder.solver);
        level->variable = sat_solver_variable(s->encoder.solver, SEARCH_INPUT, NULL);
        s->encoder.level = level->variable;
    }
}

// What a level brought in stays as dead weight on which the solver would still decide: where that is more than
// all the rest, it is cheaper to start anew.
static bool sat_pop(struct smt *base, unsigned levels)
{
    assert(levels > 0 && levels <= ((struct sat_smt *)base)->levels.count);
    struct sat_smt *s = (struct sat_smt *)base;
    struct sat_level first = s->levels.data[s->levels.count - levels];
    for (unsigned i = 0; i < levels; i++) {
        int gone = -VECTOR_POP(&s->levels).variable;
        sat_solver_clause(s->encoder.solver, &gone, 1, true);
    }
    s->asserted.count = first.asserted;
    s->encoder.level = s->levels.count ? VECTOR_LAST(&s->levels).variable : 0;
    if (sat_solver_variables(s->encoder.solver) > 2 * first.variables + 100)
        assert_again(s);
    return true;
}

// The circuit of a formula; false with the reason when there is none.
static bool circuit_of(struct smt *smt, const struct term *formula, uint32_t *literal)
{
    struct blast *blast = &context_of(smt)->blast;
    uint32_t position;
    bool good = blast_term(blast, formula, &position);
    smt->context->statistics.translated_terms = blast->made;
    smt->context->statistics.translation_lookups = blast->made + blast->found;
    if (!good) {
        smt_fail(smt, SMT_REASON_ERROR, "the formula has no finite circuit, or too large a one");
        return false;
    }
    assert(position < blast->bits.count);
    *literal = blast->bits.data[position];
    return true;
}

static bool sat_assert(struct smt *base, const struct term *formula)
{
    uint32_t literal;
    if (!circuit_of(base, formula, &literal))
        return false;
    struct sat_smt *s = (struct sat_smt *)base;
    VECTOR_PUSH(&s->asserted, literal);
    sat_encoder_assert(&s->encoder, literal);
    return true;
}

static bool take_assumptions(struct sat_smt *s, const struct term *const *assumptions, size_t count)
{
    VECTOR_CLEAR(&s->assumptions);
    s->trivially_unsat = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t literal;
        if (!circuit_of(&s->base, assumptions[i], &literal))
            return false;
        if (literal == GATES_TRUE)
            continue;
        struct sat_assumption assumption = {assumptions[i], 0};
        if (literal == GATES_FALSE) {
            VECTOR_CLEAR(&s->assumptions);
            VECTOR_PUSH(&s->assumptions, assumption);
            s->trivially_unsat = true;
            return true;
        }
        sat_encoder_name(&s->encoder, literal);
        assumption.literal = sat_encoder_literal(&s->encoder, literal);
        assert(assumption.literal != 0);
        VECTOR_PUSH(&s->assumptions, assumption);
    }
    return true;
}

static enum smt_result sat_check(struct smt *base, const struct term *const *assumptions,
                                 size_t count)
{
    struct sat_smt *s = (struct sat_smt *)base;
    uint64_t limit = base->context->options.step_limit;
    if (!take_assumptions(s, assumptions, count))
        return SMT_UNKNOWN;
    if (s->trivially_unsat)
        return SMT_UNSAT;
    VECTOR_CLEAR(&s->assumed);
    sat_encoder_new_model(&s->encoder);
    for (size_t i = 0; i < s->levels.count; i++)
        VECTOR_PUSH(&s->assumed, s->levels.data[i].variable);
    for (size_t i = 0; i < s->assumptions.count; i++)
        VECTOR_PUSH(&s->assumed, s->assumptions.data[i].literal);
    switch (sat_solver_run(s->encoder.solver, s->assumed.data, (uint32_t)s->assumed.count, limit)) {
    case 10:
        return SMT_SAT;
    case 20:
        return SMT_UNSAT;
    default:
        break;
    }
    if (should_end(base->context))
        smt_fail(base, SMT_REASON_INTERRUPTED, "interrupted");
    else
        smt_fail(base, SMT_REASON_LIMIT, "the limit of conflicts was reached");
    return SMT_UNKNOWN;
}

// Values of variables come from the solver, where it knows them; the rest is ours to compute.

static const struct term *variable_literal(struct sat_smt *s, const struct term *variable)
{
    const struct blast *blast = &context_of(&s->base)->blast;
    struct term_store *store = s->base.context->store;
    uint32_t width = blast_width(variable->sort), position;
    if (width == UINT32_MAX)
        return NULL;
    if (!blast_known(blast, variable, &position))
        return term_default(store, variable->sort);
    VECTOR_CLEAR(&s->values);
    for (uint32_t i = 0; i < width; i++)
        VECTOR_PUSH(&s->values, sat_encoder_value(&s->encoder, blast->bits.data[position + i]));
    VECTOR_PUSH(&s->values, false); // a sort of one value has no bits
    return blast_literal(store, variable->sort, s->values.data);
}

static struct value variable_value(void *data, const struct term *variable)
{
    const struct term *literal = variable_literal(data, variable);
    return literal != NULL ? term_value(literal) : VALUE_UNKNOWN;
}

static const struct term *sat_value(struct smt *base, const struct term *term)
{
    struct sat_smt *s = (struct sat_smt *)base;
    struct sat_context *c = context_of(base);
    if (term->kind == TERM_VAR)
        return variable_literal(s, term);
    if (c->evaluator == NULL)
        c->evaluator = evaluator_create(base->context->store);
    struct value value = evaluator_run(c->evaluator, term, variable_value, s);
    return value_known(value) ? term_of_value(base->context->store, term->sort, value) : NULL;
}

static bool sat_core(struct smt *base, struct term_vector *core)
{
    assert(!((struct sat_smt *)base)->trivially_unsat ||
           ((struct sat_smt *)base)->assumptions.count == 1);
    struct sat_smt *s = (struct sat_smt *)base;
    for (size_t i = 0; i < s->assumptions.count; i++) {
        const struct sat_assumption *a = &s->assumptions.data[i];
        if (s->trivially_unsat || sat_solver_failed(s->encoder.solver, a->literal))
            VECTOR_PUSH(core, a->term);
    }
    return true;
}

static void sat_forget(struct smt *smt)
{
    (void)smt;
}

static const struct term *sat_simplify(struct smt_context *context, const struct term *formula)
{
    (void)context;
    return formula;
}

#define WHAT_BOTH_SHARE                                                                            \
    .context_destroy = sat_context_destroy, .version = sat_version, .interrupt = sat_interrupt,    \
    .create = sat_create, .destroy = sat_destroy, .reset = sat_reset, .push = sat_push,            \
    .pop = sat_pop, .assert_formula = sat_assert, .check = sat_check, .model_value = sat_value,    \
    .unsat_core = sat_core, .forget = sat_forget, .simplify = sat_simplify

const struct smt_backend smt_backend_cadical = {
    .name = "cadical",
    .context_create = cadical_context_create,
    WHAT_BOTH_SHARE,
};

const struct smt_backend smt_backend_search = {
    .name = "circuit",
    .context_create = search_context_create,
    WHAT_BOTH_SHARE,
};
