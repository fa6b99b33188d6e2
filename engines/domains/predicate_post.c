#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/predicate_part.h"

// The step from a predicate state: two ways to ask the solver of an action, and a memory of what it said.
// Each model of a Cartesian query refutes the literals it falsifies, so most need no query of their own;
// a literal over variables that the action leaves alone needs none at all.

struct predicate_memory {
    uint8_t feasible; // 0 = unasked, 1 = no, 2 = maybe
    uint8_t *facts;   // per predicate, enum predicate_fact; stays true when the precision grows
    uint32_t fact_count;
    uint32_t *states; // of an enumeration, at precision `version` of the target
    uint32_t state_count, version;
    bool enumerated;
};

// A query at work.
struct inquiry {
    const struct predicate_query *query;
    const struct state_list *precision;
    struct action_solver *solver;
    const struct special_action *special; // asked about instead of the action; may be NULL
    struct predicate_memory *memory;
    uint8_t *seen; // per predicate of the precision: 1 = was true, 2 = was false in some model
};

void predicate_memory_finish(struct predicate_part *part)
{
    for (size_t i = 0; i < part->keys.entries.count; i++) {
        memory_free(part->memory[i].facts);
        memory_free(part->memory[i].states);
    }
    memory_free(part->memory);
}

static struct predicate_memory *recall(struct predicate_part *part, const struct predicate_query *q)
{
    uint64_t key[2] = {(uint64_t)q->slot << 32 | q->state,
                       (uint64_t)q->before_id << 32 | q->after_id};
    uint64_t hash = hash_mix(key[0] * 0x9e3779b97f4a7c15u + hash_mix(key[1]));
    size_t known = part->keys.entries.count;
    uint32_t id = state_table_intern(&part->keys, key, 2, hash);
    if (id == known) {
        if (id == part->memory_capacity) {
            size_t capacity = part->memory_capacity ? 2 * part->memory_capacity : 64;
            part->memory = memory_realloc(part->memory, capacity * sizeof *part->memory);
            part->memory_bytes += (capacity - part->memory_capacity) * sizeof *part->memory;
            part->memory_capacity = capacity;
        }
        part->memory[id] = (struct predicate_memory){0};
    }
    assert(id < part->memory_capacity);
    return &part->memory[id];
}

static void reserve_facts(struct predicate_part *part, struct predicate_memory *m)
{
    uint32_t predicates = (uint32_t)part->table.items.count;
    if (m->fact_count >= predicates)
        return;
    m->facts = memory_realloc(m->facts, predicates);
    memset(m->facts + m->fact_count, FACT_UNASKED, predicates - m->fact_count);
    part->memory_bytes += predicates - m->fact_count;
    m->fact_count = predicates;
    assert(m->fact_count == part->table.items.count);
}

// Questions.

static const struct term *literal_boolean(struct predicate_part *part, struct action_solver *a,
                                          uint64_t literal, enum predicate_side side)
{
    const struct term *b = predicate_table_boolean(&part->table, a, (uint32_t)(literal / 2), side);
    return literal & 1 ? term_not(part->workspace->store, b) : b;
}

// The state before the action over Booleans, when it is several cubes.
static const struct term *cubes_before(struct predicate_part *part, struct action_solver *a,
                                       const uint64_t *cubes, uint32_t count)
{
    struct term_store *store = part->workspace->store;
    struct term_vector literals = {0}, all = {0};
    for (uint32_t c = 0; c < count; c++) {
        const struct state_entry *cube = state_table_get(&part->cubes, (uint32_t)cubes[c]);
        VECTOR_CLEAR(&literals);
        for (uint32_t i = 0; i < cube->count; i++)
            VECTOR_PUSH(&literals, literal_boolean(part, a, cube->words[i], PREDICATE_BEFORE));
        VECTOR_PUSH(&all, term_and(store, literals.data, literals.count));
    }
    const struct term *before = term_or(store, all.data, all.count);
    VECTOR_FINISH(&literals);
    VECTOR_FINISH(&all);
    return before;
}

// Opens a level with everything that the question assumes; a state of one cube is in part->assumptions.
static void open_level(struct predicate_part *part, const struct inquiry *in)
{
    struct workspace *ws = part->workspace;
    const struct predicate_query *q = in->query;
    struct action_solver *a = in->solver;
    uint64_t one;
    uint32_t count;
    const uint64_t *cubes = predicate_part_cubes(part, q->state, &one, &count);
    const struct term *before = NULL;
    VECTOR_CLEAR(&part->assumptions);
    if (count == 1) {
        const struct state_entry *cube = state_table_get(&part->cubes, (uint32_t)cubes[0]);
        for (uint32_t i = 0; i < cube->count; i++)
            VECTOR_PUSH(&part->assumptions,
                        literal_boolean(part, a, cube->words[i], PREDICATE_BEFORE));
    } else {
        before = cubes_before(part, a, cubes, count);
    }
    for (size_t i = 0; i < in->precision->count; i++)
        predicate_table_boolean(&part->table, a, in->precision->data[i], PREDICATE_AFTER);
    assert(a->complete || in->special != NULL);
    smt_push(a->smt); // all definitions are below
    if (!a->complete)
        smt_assert(a->smt, in->special->formula);
    if (before != NULL)
        smt_assert(a->smt, before);
    if (q->before != NULL)
        smt_assert(a->smt, encoder_shift(ws->encoder, q->before, a->step.before));
    if (q->after != NULL)
        smt_assert(a->smt, encoder_shift(ws->encoder, q->after, a->step.after));
}

static enum smt_result check(struct predicate_part *part, const struct inquiry *in)
{
    return smt_check_assuming(in->solver->smt, part->assumptions.data, part->assumptions.count);
}

// Cartesian.

// The current model refutes the literals that it falsifies.
static void learn_from_model(struct predicate_part *part, const struct inquiry *in)
{
    uint8_t *facts = in->memory->facts;
    for (size_t i = 0; i < in->precision->count; i++) {
        uint32_t p = in->precision->data[i];
        if (facts[p] != FACT_UNASKED)
            continue;
        const struct term *value =
            smt_model_value(in->solver->smt, part->table.items.data[p].after);
        if (value == NULL)
            in->seen[i] = 3;
        else
            in->seen[i] |= term_is_true(value) ? 1 : 2;
        if (in->seen[i] == 3)
            facts[p] = FACT_MAYBE;
    }
}

// A model costs as much as a few checks: it pays while many predicates are open.
#define OPEN_FOR_A_MODEL 4

static size_t open_after(const struct inquiry *in, size_t i)
{
    size_t open = 0;
    while (++i < in->precision->count)
        open += in->memory->facts[in->precision->data[i]] == FACT_UNASKED;
    return open;
}

// Is the predicate, seen with one sign only so far, implied with that sign?
static bool decide(struct predicate_part *part, const struct inquiry *in, size_t i)
{
    assert(in->seen[i] == 1 || in->seen[i] == 2);
    uint32_t p = in->precision->data[i];
    uint8_t *facts = in->memory->facts;
    bool sign = in->seen[i] == 1;
    const struct term *after = part->table.items.data[p].after;
    VECTOR_PUSH(&part->assumptions, sign ? term_not(part->workspace->store, after) : after);
    enum smt_result result = check(part, in);
    (void)VECTOR_POP(&part->assumptions);
    if (!workspace_step(part->workspace, 1))
        return false;
    if (result == SMT_UNSAT) {
        facts[p] = sign ? FACT_HOLDS : FACT_FAILS;
        return true;
    }
    facts[p] = FACT_MAYBE;
    if (result == SMT_UNKNOWN)
        return workspace_tolerate(part->workspace, in->solver->smt);
    if (open_after(in, i) >= OPEN_FOR_A_MODEL)
        learn_from_model(part, in);
    return true;
}

// Literals of a single cube over variables that the action does not change.
static void keep_untouched(struct predicate_part *part, const struct inquiry *in)
{
    const struct predicate_query *q = in->query;
    assert(in->memory->fact_count == part->table.items.count);
    uint64_t one;
    uint32_t count;
    const uint64_t *cubes = predicate_part_cubes(part, q->state, &one, &count);
    if (count != 1)
        return;
    const struct state_entry *cube = state_table_get(&part->cubes, (uint32_t)cubes[0]);
    const variable_bits *written =
        in->special != NULL ? in->special->written
                            : action_solvers_footprint(part->solvers, q->action, q->slot)->written;
    size_t words = variable_bits_words(part->workspace->model->variable_count);
    for (uint32_t i = 0; i < cube->count; i++)
        if (!variable_bits_meet(predicate_table_get(&part->table, cube->words[i])->variables,
                                written, words))
            in->memory->facts[cube->words[i] / 2] = cube->words[i] & 1 ? FACT_FAILS : FACT_HOLDS;
}

// What the specialised action alone says: predicates that evaluation decides after it, and whether it runs at all.
static void keep_evaluated(struct predicate_part *part, const struct inquiry *in)
{
    assert(in->special != NULL && in->query->row != NULL);
    struct predicate_memory *m = in->memory;
    const struct predicate_query *q = in->query;
    if (term_is_false(in->special->formula)) {
        m->feasible = 1;
        return;
    }
    for (size_t i = 0; i < in->precision->count; i++) {
        uint32_t p = in->precision->data[i];
        if (m->facts[p] != FACT_UNASKED)
            continue;
        const struct term *after = special_action_apply(
            &part->solvers->special_actions, in->special, q->row, part->table.items.data[p].term);
        if (term_is_literal(after))
            m->facts[p] = term_is_true(after) ? FACT_HOLDS : FACT_FAILS;
    }
    // As far as there is such a state at all, which was a question when it was made.
    if (in->special->total && q->after == NULL && m->feasible == 0)
        m->feasible = 2;
}

static bool facts_known(const struct inquiry *in)
{
    for (size_t i = 0; i < in->precision->count; i++)
        if (in->memory->facts[in->precision->data[i]] == FACT_UNASKED)
            return false;
    return true;
}

// In an open level: fills the facts of the whole precision. False when the attempt has to end.
static bool ask_facts(struct predicate_part *part, struct inquiry *in)
{
    struct predicate_memory *m = in->memory;
    enum smt_result result = check(part, in);
    if (!workspace_step(part->workspace, 1))
        return false;
    m->feasible = result == SMT_UNSAT ? 1 : 2;
    if (result == SMT_UNSAT)
        return true;
    in->seen = memory_zalloc(in->precision->count + 1);
    bool going = true;
    if (result == SMT_SAT) {
        learn_from_model(part, in);
    } else {
        going = workspace_tolerate(part->workspace, in->solver->smt);
        for (size_t i = 0; i < in->precision->count; i++)
            if (m->facts[in->precision->data[i]] == FACT_UNASKED)
                m->facts[in->precision->data[i]] = FACT_MAYBE;
    }
    for (size_t i = 0; going && i < in->precision->count; i++)
        if (m->facts[in->precision->data[i]] == FACT_UNASKED)
            going = decide(part, in, i);
    memory_free(in->seen);
    return going;
}

static uint32_t cube_of_facts(struct predicate_part *part, const struct inquiry *in)
{
    assert(in->memory->feasible == 2 && facts_known(in));
    VECTOR_CLEAR(&part->words);
    for (size_t i = 0; i < in->precision->count; i++) {
        uint32_t p = in->precision->data[i];
        uint8_t fact = in->memory->facts[p];
        if (fact == FACT_HOLDS || fact == FACT_FAILS)
            VECTOR_PUSH(&part->words, LITERAL(p, fact == FACT_FAILS));
    }
    return predicate_part_cube(part, part->words.data, part->words.count);
}

static bool is_answered(const struct inquiry *in)
{
    return in->memory->feasible == 1 || (in->memory->feasible == 2 && facts_known(in));
}

static bool choose_solver(struct predicate_part *part, struct inquiry *in)
{
    const struct predicate_query *q = in->query;
    in->solver = action_solvers_get(part->solvers, q->action, q->slot, q->row, &in->special);
    return in->solver != NULL;
}

static bool run_cartesian(struct predicate_part *part, struct inquiry *in, struct state_list *out)
{
    struct predicate_memory *m = in->memory;
    reserve_facts(part, m);
    keep_untouched(part, in);
    if (m->feasible != 1)
        for (size_t i = 0; i < in->precision->count; i++)
            workspace_looked_up(part->workspace, CACHE_FACTS,
                                m->facts[in->precision->data[i]] != FACT_UNASKED);
    if (!workspace_looked_up(part->workspace, CACHE_PREDICATES, is_answered(in))) {
        if (!choose_solver(part, in))
            return false;
        if (in->special != NULL) {
            keep_untouched(part, in);
            keep_evaluated(part, in);
        }
    }
    if (!is_answered(in)) {
        open_level(part, in);
        bool going = ask_facts(part, in);
        smt_pop(in->solver->smt, 1);
        if (!going)
            return false;
    }
    assert(is_answered(in));
    if (m->feasible == 2)
        VECTOR_PUSH(out, cube_of_facts(part, in));
    return true;
}

// All combinations.

enum enumeration { ENUMERATED, GAVE_UP, STOPPED };

// The cube of the current model, in part->words, and the clause that excludes it.
static bool take_cube(struct predicate_part *part, const struct inquiry *in)
{
    struct workspace *ws = part->workspace;
    VECTOR_CLEAR(&part->words);
    for (size_t i = 0; i < in->precision->count; i++) {
        uint32_t p = in->precision->data[i];
        const struct term *value =
            smt_model_value(in->solver->smt, part->table.items.data[p].after);
        if (value == NULL)
            return false;
        VECTOR_PUSH(&part->words, LITERAL(p, !term_is_true(value)));
    }
    struct term_vector differ = {0};
    for (size_t i = 0; i < part->words.count; i++)
        VECTOR_PUSH(&differ,
                    literal_boolean(part, in->solver, part->words.data[i] ^ 1, PREDICATE_AFTER));
    smt_assert(in->solver->smt, term_or(ws->store, differ.data, differ.count));
    VECTOR_FINISH(&differ);
    return true;
}

// In an open level: the cubes go to part->found.
static enum enumeration enumerate(struct predicate_part *part, const struct inquiry *in)
{
    struct workspace *ws = part->workspace;
    VECTOR_CLEAR(&part->found);
    for (;;) {
        enum smt_result result = check(part, in);
        if (!workspace_step(ws, 1))
            return STOPPED;
        if (result == SMT_UNSAT)
            return ENUMERATED;
        if (result == SMT_UNKNOWN)
            return workspace_tolerate(ws, in->solver->smt) ? GAVE_UP : STOPPED;
        if (part->found.count == PREDICATE_CUBES_LIMIT || !take_cube(part, in))
            return GAVE_UP;
        VECTOR_PUSH(&part->found, predicate_part_cube(part, part->words.data, part->words.count));
        assert(part->found.count <= PREDICATE_CUBES_LIMIT);
        if (!in->precision->count)
            return ENUMERATED;
    }
}

// The states made of part->found.
static void store_found(struct predicate_part *part, struct predicate_memory *m)
{
    if (part->abstraction == PREDICATES_BOOLEAN && part->found.count > 1) {
        VECTOR_CLEAR(&part->words);
        for (size_t i = 0; i < part->found.count; i++) // each is a set of one cube so far
            VECTOR_PUSH(&part->words, state_table_get(&part->sets, part->found.data[i])->words[0]);
        part->found.data[0] = predicate_part_set(part, part->words.data, part->words.count);
        part->found.count = 1;
    }
    part->memory_bytes += sizeof *m->states * part->found.count;
    assert(part->memory_bytes >= sizeof *m->states * m->state_count);
    part->memory_bytes -= sizeof *m->states * m->state_count;
    m->states = memory_realloc(m->states, (part->found.count + 1) * sizeof *m->states);
    for (size_t i = 0; i < part->found.count; i++)
        m->states[i] = part->found.data[i];
    m->state_count = (uint32_t)part->found.count;
    m->enumerated = true;
}

static bool ask_cubes(struct predicate_part *part, struct inquiry *in)
{
    struct predicate_memory *m = in->memory;
    if (!choose_solver(part, in))
        return false;
    if (in->special != NULL && term_is_false(in->special->formula)) {
        VECTOR_CLEAR(&part->found);
        m->feasible = 1;
        store_found(part, m);
        return true;
    }
    open_level(part, in);
    smt_push(in->solver->smt);
    enum enumeration result = enumerate(part, in);
    smt_pop(in->solver->smt, 1);
    if (result == GAVE_UP) {
        reserve_facts(part, m);
        keep_untouched(part, in);
        VECTOR_CLEAR(&part->found);
        if (!ask_facts(part, in))
            result = STOPPED;
        else if (m->feasible == 2)
            VECTOR_PUSH(&part->found, cube_of_facts(part, in));
    }
    smt_pop(in->solver->smt, 1);
    if (result == STOPPED)
        return false;
    m->feasible = part->found.count ? 2 : 1;
    store_found(part, m);
    return true;
}

static bool run_cubes(struct predicate_part *part, struct inquiry *in, uint32_t version,
                      struct state_list *out)
{
    struct predicate_memory *m = in->memory;
    bool known = m->feasible == 1 || (m->enumerated && m->version == version);
    if (!workspace_looked_up(part->workspace, CACHE_PREDICATES, known)) {
        if (!ask_cubes(part, in))
            return false;
        m->version = version;
    }
    assert(m->feasible != 2 || m->state_count > 0);
    for (uint32_t i = 0; m->feasible == 2 && i < m->state_count; i++)
        VECTOR_PUSH(out, m->states[i]);
    return true;
}

bool predicate_part_post(struct predicate_part *part, const struct predicate_query *query,
                         struct state_list *out)
{
    assert((query->before == NULL) == (query->before_id == 0) &&
           (query->after == NULL) == (query->after_id == 0));
    struct workspace *ws = part->workspace;
    static const struct state_list nothing;
    bool error = query->target == ws->model->error; // there is nothing to know beyond it
    struct inquiry in = {
        .query = query,
        .precision = error ? &nothing : predicate_part_precision(part, query->target),
        .memory = recall(part, query),
    };
    uint32_t version = error ? 0 : part->changed[part->local ? query->target->index : 0];
    bool going = part->abstraction == PREDICATES_CARTESIAN ? run_cartesian(part, &in, out)
                                                           : run_cubes(part, &in, version, out);
    return going && workspace_step(ws, 1);
}
