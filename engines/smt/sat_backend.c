#include <ccadical.h>
#include <string.h>

#include "engines/expr/eval.h"
#include "engines/smt/blast.h"
#include "engines/smt/id_map.h"
#include "engines/smt/smt_backend.h"

// CaDiCaL over circuits: for formulas all of whose subterms have finitely many values. The solvers of a
// context share the circuit; each turns the part that it needs into clauses (Tseitin 1968). Levels are variables
// that are assumed while the level lasts.

struct sat_context {
    struct smt_context base;
    struct blast blast;
    struct evaluator *evaluator;
    char version[48];
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
    CCaDiCaL *solver;
    int variables;           // of the solver so far
    VECTOR(int) of_gate;     // by gate: its variable, 0 = none yet
    VECTOR(uint8_t) limited; // by range: asserted
    VECTOR(struct sat_level) levels;
    VECTOR(uint32_t) asserted; // literals of the circuit
    VECTOR(uint32_t) todo;
    VECTOR(int) clause;
    VECTOR(struct sat_assumption) assumptions;
    VECTOR(bool) values;
    bool trivially_unsat; // an assumption is false by itself
};

static struct sat_context *context_of(const struct smt *smt)
{
    return (struct sat_context *)smt->context;
}

// Clauses.

static void add_clause(struct sat_smt *s, const int *literals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ccadical_add(s->solver, literals[i]);
    ccadical_add(s->solver, 0);
}

static int variable_of(struct sat_smt *s, uint32_t gate)
{
    return gate < s->of_gate.count ? s->of_gate.data[gate] : 0;
}

static int literal_of(struct sat_smt *s, uint32_t literal)
{
    int variable = variable_of(s, literal / 2);
    return literal & 1 ? -variable : variable;
}

static void name_gate(struct sat_smt *s, uint32_t gate)
{
    if (gate >= s->of_gate.count) {
        size_t old = s->of_gate.count;
        VECTOR_RESERVE(&s->of_gate, (size_t)gate + 1);
        s->of_gate.count = s->of_gate.capacity;
        memset(s->of_gate.data + old, 0, (s->of_gate.count - old) * sizeof *s->of_gate.data);
    }
    s->of_gate.data[gate] = ++s->variables;
}

static void define_gate(struct sat_smt *s, uint32_t number, struct gate gate)
{
    int o = variable_of(s, number), a = literal_of(s, gate.in[0]), b = literal_of(s, gate.in[1]);
    switch ((enum gate_kind)gate.kind) {
    case GATE_CONSTANT:
        add_clause(s, (int[]){-o}, 1);
        break;
    case GATE_INPUT:
        break;
    case GATE_AND:
        add_clause(s, (int[]){-o, a}, 2);
        add_clause(s, (int[]){-o, b}, 2);
        add_clause(s, (int[]){o, -a, -b}, 3);
        break;
    case GATE_XOR:
        add_clause(s, (int[]){-o, a, b}, 3);
        add_clause(s, (int[]){-o, -a, -b}, 3);
        add_clause(s, (int[]){o, -a, b}, 3);
        add_clause(s, (int[]){o, a, -b}, 3);
        break;
    case GATE_MUX: {
        int e = literal_of(s, gate.in[2]);
        add_clause(s, (int[]){-o, -a, b}, 3);
        add_clause(s, (int[]){o, -a, -b}, 3);
        add_clause(s, (int[]){-o, a, e}, 3);
        add_clause(s, (int[]){o, a, -e}, 3);
        add_clause(s, (int[]){o, -b, -e}, 3); // these two follow; they help propagation
        add_clause(s, (int[]){-o, b, e}, 3);
        break;
    }
    }
}

static unsigned inputs_of(struct gate gate)
{
    return gate.kind == GATE_MUX ? 3 : gate.kind == GATE_AND || gate.kind == GATE_XOR ? 2 : 0;
}

static void encode(struct sat_smt *s, uint32_t literal);

static void limit_input(struct sat_smt *s, uint32_t range)
{
    while (s->limited.count <= range)
        VECTOR_PUSH(&s->limited, 0);
    if (s->limited.data[range])
        return;
    s->limited.data[range] = 1;
    uint32_t holds = context_of(&s->base)->blast.ranges.data[range].holds;
    encode(s, holds); // reaches the inputs of this range only: no deeper call
    int unit = literal_of(s, holds);
    add_clause(s, &unit, 1);
}

// Gives every gate below the literal a variable and clauses.
static void encode(struct sat_smt *s, uint32_t literal)
{
    const struct gates *g = &context_of(&s->base)->blast.gates;
    size_t bottom = s->todo.count;
    VECTOR_PUSH(&s->todo, literal / 2);
    while (s->todo.count > bottom) {
        uint32_t number = VECTOR_LAST(&s->todo);
        struct gate gate = g->nodes.data[number];
        size_t before = s->todo.count;
        if (variable_of(s, number)) {
            s->todo.count--;
            continue;
        }
        for (unsigned i = 0; i < inputs_of(gate); i++)
            if (!variable_of(s, gate.in[i] / 2))
                VECTOR_PUSH(&s->todo, gate.in[i] / 2);
        if (s->todo.count > before)
            continue;
        s->todo.count--;
        name_gate(s, number);
        define_gate(s, number, gate);
        if (gate.kind == GATE_INPUT && gate.in[0])
            limit_input(s, gate.in[0] - 1);
    }
}

// The literals of the disjunction that `literal` is, in s->clause.
static void collect_clause(struct sat_smt *s, uint32_t literal)
{
    const struct gates *g = &context_of(&s->base)->blast.gates;
    size_t bottom = s->todo.count;
    VECTOR_PUSH(&s->todo, literal);
    while (s->todo.count > bottom) {
        uint32_t l = VECTOR_POP(&s->todo);
        const struct gate *gate = &g->nodes.data[l / 2];
        if (l & 1 && gate->kind == GATE_AND && !variable_of(s, l / 2)) {
            VECTOR_PUSH(&s->todo, gates_not(gate->in[0]));
            VECTOR_PUSH(&s->todo, gates_not(gate->in[1]));
            continue;
        }
        encode(s, l);
        VECTOR_PUSH(&s->clause, literal_of(s, l));
    }
}

// Top-level conjunctions and disjunctions need no variables of their own.
static void assert_literal(struct sat_smt *s, uint32_t literal)
{
    const struct gates *g = &context_of(&s->base)->blast.gates;
    VECTOR(uint32_t) parts = {0};
    VECTOR_PUSH(&parts, literal);
    while (parts.count) {
        uint32_t l = VECTOR_POP(&parts);
        const struct gate *gate = &g->nodes.data[l / 2];
        if (l == GATES_TRUE)
            continue;
        if (!(l & 1) && gate->kind == GATE_AND && !variable_of(s, l / 2)) {
            VECTOR_PUSH(&parts, gate->in[0]);
            VECTOR_PUSH(&parts, gate->in[1]);
            continue;
        }
        VECTOR_CLEAR(&s->clause);
        if (l != GATES_FALSE)
            collect_clause(s, l);
        if (s->levels.count)
            VECTOR_PUSH(&s->clause, -VECTOR_LAST(&s->levels).variable);
        add_clause(s, s->clause.data, s->clause.count);
    }
    VECTOR_FINISH(&parts);
}

bool smt_is_finite(const struct term *formula)
{
    return blast_fits(formula);
}

// Contexts.

static struct smt_context *sat_context_create(const struct smt_options *options, const char **error)
{
    (void)options;
    (void)error;
    struct sat_context *c = memory_zalloc(sizeof *c);
    blast_init(&c->blast);
    strncpy(c->version, ccadical_signature(), sizeof c->version - 1);
    return &c->base;
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
    return ((const struct sat_context *)base)->version;
}

// The solver asks, see below.
static void sat_interrupt(struct smt_context *context)
{
    (void)context;
}

static int should_end(void *data)
{
    const struct smt_context *context = data;
    return smt_stopped(context) || smt_was_interrupted(context);
}

// Solvers.

static void open_solver(struct sat_smt *s)
{
    const struct smt_options *options = &s->base.context->options;
    s->solver = ccadical_init();
    ccadical_set_option(s->solver, "quiet", 1);
    ccadical_set_option(s->solver, "seed", (int)(options->seed % 1000000000));
    ccadical_set_terminate(s->solver, s->base.context, should_end);
    s->variables = 0;
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
    ccadical_release(s->solver);
    VECTOR_FINISH(&s->of_gate);
    VECTOR_FINISH(&s->limited);
    VECTOR_FINISH(&s->levels);
    VECTOR_FINISH(&s->asserted);
    VECTOR_FINISH(&s->todo);
    VECTOR_FINISH(&s->clause);
    VECTOR_FINISH(&s->assumptions);
    VECTOR_FINISH(&s->values);
    memory_free(s);
}

static void start_anew(struct sat_smt *s)
{
    ccadical_release(s->solver);
    VECTOR_CLEAR(&s->of_gate);
    VECTOR_CLEAR(&s->limited);
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
    struct sat_level level = {.variables = s->variables, .asserted = s->asserted.count};
    level.variable = ++s->variables;
    VECTOR_PUSH(&s->levels, level);
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
            assert_literal(s, s->asserted.data[next]);
        if (last)
            return;
        struct sat_level *level = &s->levels.data[s->levels.count];
        level->variables = s->variables;
        level->variable = ++s->variables;
    }
}

// What a level brought in stays as dead weight on which the solver would still decide: where that is more than
// all the rest, it is cheaper to start anew.
static bool sat_pop(struct smt *base, unsigned levels)
{
    struct sat_smt *s = (struct sat_smt *)base;
    struct sat_level first = s->levels.data[s->levels.count - levels];
    for (unsigned i = 0; i < levels; i++) {
        int gone = -VECTOR_POP(&s->levels).variable;
        add_clause(s, &gone, 1);
    }
    s->asserted.count = first.asserted;
    if (s->variables > 2 * first.variables + 100)
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
    assert_literal(s, literal);
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
        encode(s, literal);
        assumption.literal = literal_of(s, literal);
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
    for (size_t i = 0; i < s->levels.count; i++)
        ccadical_assume(s->solver, s->levels.data[i].variable);
    for (size_t i = 0; i < s->assumptions.count; i++)
        ccadical_assume(s->solver, s->assumptions.data[i].literal);
    if (limit)
        ccadical_limit(s->solver, "conflicts", limit > INT32_MAX ? INT32_MAX : (int)limit);
    switch (ccadical_solve(s->solver)) {
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
    for (uint32_t i = 0; i < width; i++) {
        int literal = literal_of(s, blast->bits.data[position + i]);
        VECTOR_PUSH(&s->values, literal && ccadical_val(s->solver, literal) > 0);
    }
    VECTOR_PUSH(&s->values, false); // a sort of one value has no bits
    return blast_literal(store, variable->sort, s->values.data);
}

static struct value variable_value(void *data, const struct term *variable)
{
    const struct term *literal = variable_literal(data, variable);
    return literal ? term_value(literal) : VALUE_UNKNOWN;
}

static const struct term *sat_value(struct smt *base, const struct term *term)
{
    struct sat_smt *s = (struct sat_smt *)base;
    struct sat_context *c = context_of(base);
    if (term->kind == TERM_VAR)
        return variable_literal(s, term);
    if (!c->evaluator)
        c->evaluator = evaluator_create(base->context->store);
    struct value value = evaluator_run(c->evaluator, term, variable_value, s);
    return value_known(value) ? term_of_value(base->context->store, term->sort, value) : NULL;
}

static bool sat_core(struct smt *base, struct term_vector *core)
{
    struct sat_smt *s = (struct sat_smt *)base;
    for (size_t i = 0; i < s->assumptions.count; i++) {
        const struct sat_assumption *a = &s->assumptions.data[i];
        if (s->trivially_unsat || ccadical_failed(s->solver, a->literal))
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

const struct smt_backend smt_backend_sat = {
    .name = "cadical",
    .context_create = sat_context_create,
    .context_destroy = sat_context_destroy,
    .version = sat_version,
    .interrupt = sat_interrupt,
    .create = sat_create,
    .destroy = sat_destroy,
    .reset = sat_reset,
    .push = sat_push,
    .pop = sat_pop,
    .assert_formula = sat_assert,
    .check = sat_check,
    .model_value = sat_value,
    .unsat_core = sat_core,
    .forget = sat_forget,
    .simplify = sat_simplify,
};
