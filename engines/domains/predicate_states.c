#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/predicate_part.h"

// Cubes and sets of cubes, and their order.
//
// A post keeps all that it can say with its precision. So between states of one precision inclusion of
// literals is implication. A state from before a predicate came to the precision may imply that predicate
// silently; for such predicates the solver is asked, once a state and predicate.

static uint64_t words_hash(const uint64_t *words, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = hash_mix(hash + (words[i] + 1) * 0x9e3779b97f4a7c15u);
    return hash;
}

static uint32_t intern(struct state_table *table, const uint64_t *words, size_t count)
{
    return state_table_intern(table, words, (uint32_t)count, words_hash(words, count));
}

#ifndef NDEBUG
static bool is_ascending(const uint64_t *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (words[i - 1] >= words[i])
            return false;
    return true;
}
#endif

static uint32_t support(struct predicate_part *part, const uint64_t *literals, size_t count)
{
    uint64_t *predicates = memory_alloc((count + 1) * sizeof *predicates);
    for (size_t i = 0; i < count; i++)
        predicates[i] = literals[i] / 2;
    assert(is_ascending(predicates, count));
    uint32_t class = intern(&part->supports, predicates, count);
    memory_free(predicates);
    return class;
}

static void add_extra(struct predicate_part *part, uint32_t class)
{
    VECTOR_PUSH(&part->extra, ((struct predicate_extra){.version = part->version, .class = class}));
}

uint32_t predicate_part_set(struct predicate_part *part, uint64_t *cubes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && cubes[k - 1] > cubes[k]; k--) {
            uint64_t swap = cubes[k];
            cubes[k] = cubes[k - 1];
            cubes[k - 1] = swap;
        }
    assert(is_ascending(cubes, count) && "each cube once");
    uint32_t state = intern(&part->sets, cubes, count);
    if (state == part->extra.count)
        add_extra(part, state);
    assert(state < part->extra.count);
    return state;
}

// The state of one cube.
uint32_t predicate_part_cube(struct predicate_part *part, const uint64_t *literals, size_t count)
{
    assert(is_ascending(literals, count));
    uint64_t cube = intern(&part->cubes, literals, count);
    if (part->abstraction == PREDICATES_BOOLEAN)
        return predicate_part_set(part, &cube, 1);
    if (cube == part->extra.count)
        add_extra(part, support(part, literals, count));
    return (uint32_t)cube;
}

uint32_t predicate_part_true(struct predicate_part *part)
{
    return predicate_part_cube(part, NULL, 0);
}

bool predicate_part_is_true(struct predicate_part *part, uint32_t state)
{
    return state == predicate_part_true(part);
}

const uint64_t *predicate_part_cubes(const struct predicate_part *part, uint32_t state,
                                     uint64_t *one, uint32_t *count)
{
    *one = state;
    *count = 1;
    if (part->abstraction != PREDICATES_BOOLEAN)
        return one;
    const struct state_entry *set = state_table_get(&part->sets, state);
    *count = set->count;
    return set->words;
}

// Formulas.

static const struct term *cube_formula(struct predicate_part *part, uint64_t cube)
{
    const struct state_entry *entry = state_table_get(&part->cubes, (uint32_t)cube);
    struct term_vector literals = {0};
    for (uint32_t i = 0; i < entry->count; i++)
        VECTOR_PUSH(&literals, predicate_table_term(&part->table, entry->words[i]));
    const struct term *all = term_and(part->workspace->store, literals.data, literals.count);
    VECTOR_FINISH(&literals);
    return all;
}

// Sets of cubes over one list of predicates, as a decision over the first of them, and so on: what does not
// depend on a predicate does not mention it, and equal halves are one term.
static const struct term *decision(struct predicate_part *part, uint64_t *cubes, size_t count,
                                   uint32_t depth)
{
    struct term_store *store = part->workspace->store;
    if (!count)
        return term_false(store);
    const struct state_entry *first = state_table_get(&part->cubes, (uint32_t)cubes[0]);
    if (depth == first->count)
        return term_true(store);
    size_t positive = 0;
    uint64_t literal = first->words[depth] & ~(uint64_t)1;
    for (size_t i = 0; i < count; i++)
        if (state_table_get(&part->cubes, (uint32_t)cubes[i])->words[depth] == literal) {
            uint64_t swap = cubes[i];
            cubes[i] = cubes[positive];
            cubes[positive++] = swap;
        }
    assert(positive <= count && depth < first->count);
    const struct term *yes = decision(part, cubes, positive, depth + 1);
    const struct term *no = decision(part, cubes + positive, count - positive, depth + 1);
    if (yes == no)
        return yes;
    return term_or2(store, term_and2(store, predicate_table_term(&part->table, literal), yes),
                    term_and2(store, predicate_table_term(&part->table, literal | 1), no));
}

const struct term *predicate_part_formula(struct predicate_part *part, uint32_t state)
{
    struct predicate_extra *extra = &part->extra.data[state];
    if (extra->formula != NULL)
        return extra->formula;
    if (part->abstraction != PREDICATES_BOOLEAN)
        return extra->formula = cube_formula(part, state);
    const struct state_entry *set = state_table_get(&part->sets, state);
    uint64_t *cubes = memory_alloc(set->count * sizeof *cubes);
    memcpy(cubes, set->words, set->count * sizeof *cubes);
    extra->formula = decision(part, cubes, set->count, 0);
    memory_free(cubes);
    return extra->formula;
}

// Entailment by the solver.

static enum smt_result conjunction(struct predicate_part *part, const struct term *a,
                                   const struct term *b)
{
    struct smt_context *context = workspace_solver(part->workspace);
    if (context == NULL)
        return SMT_UNKNOWN;
    if (part->entailment == NULL)
        part->entailment = smt_create(context);
    smt_push(part->entailment);
    smt_assert(part->entailment, a);
    smt_assert(part->entailment, b);
    enum smt_result result = smt_check(part->entailment);
    if (result == SMT_UNKNOWN)
        workspace_tolerate(part->workspace, part->entailment);
    smt_pop(part->entailment, 1);
    workspace_step(part->workspace, 1); // the caller's next step sees the end
    return result;
}

bool predicate_part_consistent(struct predicate_part *part, const uint64_t key[3],
                               const struct term *a, const struct term *b)
{
    uint32_t pair = intern(&part->pairs, key, 3);
    if (workspace_looked_up(part->workspace, CACHE_ENTAILMENTS, pair < part->pair_answers.count))
        return part->pair_answers.data[pair];
    assert(pair == part->pair_answers.count && "one answer a pair");
    bool answer = conjunction(part, a, b) != SMT_UNSAT;
    VECTOR_PUSH(&part->pair_answers, answer);
    return answer;
}

static bool may_decide(struct predicate_part *part, uint32_t state, uint32_t number)
{
    const struct state_entry *entry = state_table_get(&part->cubes, state);
    size_t words = variable_bits_words(part->workspace->model->variable_count);
    const variable_bits *mine = part->table.items.data[number].variables;
    for (uint32_t i = 0; i < entry->count; i++)
        if (variable_bits_meet(predicate_table_get(&part->table, entry->words[i])->variables, mine,
                               words))
            return true;
    return false;
}

#ifndef NDEBUG
static bool has_literal(const struct predicate_part *part, uint32_t state, uint32_t number)
{
    const struct state_entry *entry = state_table_get(&part->cubes, state);
    for (uint32_t i = 0; i < entry->count; i++)
        if (entry->words[i] / 2 == number)
            return true;
    return false;
}
#endif

// What a cube says about a predicate that is none of its literals.
static enum predicate_fact implied(struct predicate_part *part, uint32_t state, uint32_t number)
{
    struct predicate_extra *extra = &part->extra.data[state];
    if (part->touched.data[number] <= extra->version || !may_decide(part, state, number))
        return FACT_MAYBE;
    uint32_t count = (uint32_t)part->table.items.count;
    if (extra->implied_count < count) {
        extra->implied = memory_realloc(extra->implied, count);
        memset(extra->implied + extra->implied_count, FACT_UNASKED, count - extra->implied_count);
        part->memory_bytes += count - extra->implied_count;
        extra->implied_count = count;
    }
    if (workspace_looked_up(part->workspace, CACHE_ENTAILMENTS,
                            extra->implied[number] != FACT_UNASKED))
        return extra->implied[number];
    assert(!has_literal(part, state, number));
    const struct predicate *p = &part->table.items.data[number];
    const struct term *formula = predicate_part_formula(part, state);
    enum predicate_fact fact = conjunction(part, formula, p->negation) == SMT_UNSAT ? FACT_HOLDS
                               : conjunction(part, formula, p->term) == SMT_UNSAT   ? FACT_FAILS
                                                                                    : FACT_MAYBE;
    extra->implied[number] = (uint8_t)fact;
    return fact;
}

// The cube cut down, or completed, to the literals over the class's predicates: the one cube of the class
// that it implies. Left in part->words. False when there is none.
static bool project(struct predicate_part *part, uint32_t state, uint32_t class)
{
    const struct state_entry *want = state_table_get(&part->supports, class);
    const struct state_entry *have = state_table_get(&part->cubes, state);
    VECTOR_CLEAR(&part->words);
    uint32_t at = 0;
    for (uint32_t i = 0; i < want->count; i++) {
        uint64_t number = want->words[i];
        while (at < have->count && have->words[at] / 2 < number)
            at++;
        if (at < have->count && have->words[at] / 2 == number) {
            VECTOR_PUSH(&part->words, have->words[at]);
            continue;
        }
        enum predicate_fact fact = implied(part, state, (uint32_t)number);
        if (fact != FACT_HOLDS && fact != FACT_FAILS)
            return false;
        VECTOR_PUSH(&part->words, LITERAL(number, fact == FACT_FAILS));
    }
    assert(part->words.count == want->count && is_ascending(part->words.data, part->words.count));
    return true;
}

// Sets of cubes.

static bool cube_within(const struct predicate_part *part, uint64_t small, uint64_t large)
{
    const struct state_entry *l = state_table_get(&part->cubes, (uint32_t)large);
    const struct state_entry *s = state_table_get(&part->cubes, (uint32_t)small);
    uint32_t at = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        while (at < s->count && s->words[at] < l->words[i])
            at++;
        if (at == s->count || s->words[at] != l->words[i])
            return false;
    }
    return true;
}

static bool set_within(const struct predicate_part *part, uint32_t small, uint32_t large)
{
    const struct state_entry *l = state_table_get(&part->sets, large);
    const struct state_entry *s = state_table_get(&part->sets, small);
    for (uint32_t i = 0; i < s->count; i++) {
        bool inside = false;
        for (uint32_t k = 0; k < l->count && !inside; k++)
            inside = cube_within(part, s->words[i], l->words[k]);
        if (!inside)
            return false;
    }
    return true;
}

static bool set_covers(struct predicate_part *part, uint32_t larger, uint32_t smaller)
{
    if (set_within(part, smaller, larger))
        return true;
    if (part->extra.data[larger].version <= part->extra.data[smaller].version)
        return false;
    const struct term *large = predicate_part_formula(part, larger);
    return !predicate_part_consistent(part, (uint64_t[]){UINT64_MAX, larger, smaller},
                                      predicate_part_formula(part, smaller),
                                      term_not(part->workspace->store, large));
}

bool predicate_part_covers(struct predicate_part *part, uint32_t larger, uint32_t smaller)
{
    if (larger == smaller)
        return true;
    if (part->abstraction == PREDICATES_BOOLEAN)
        return set_covers(part, larger, smaller);
    return project(part, smaller, part->extra.data[larger].class) &&
           state_table_find(&part->cubes, part->words.data, (uint32_t)part->words.count,
                            words_hash(part->words.data, part->words.count)) == larger;
}

uint32_t predicate_part_class_of(struct predicate_part *part, uint32_t state)
{
    return part->extra.data[state].class;
}

uint32_t predicate_part_coverer(struct predicate_part *part, uint32_t state, uint32_t class)
{
    if (part->extra.data[state].class == class)
        return state;
    if (part->abstraction == PREDICATES_BOOLEAN)
        return set_covers(part, class, state) ? class : STATE_NONE;
    if (!project(part, state, class))
        return STATE_NONE;
    return state_table_find(&part->cubes, part->words.data, (uint32_t)part->words.count,
                            words_hash(part->words.data, part->words.count));
}
