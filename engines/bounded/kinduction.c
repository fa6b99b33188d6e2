#include <assert.h>
#include <stdio.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "engines/bounded/affine_bits.h"
#include "engines/bounded/bounded.h"
#include "engines/bounded/candidates.h"
#include "engines/bounded/elements.h"
#include "engines/bounded/images.h"
#include "engines/bounded/octagons.h"
#include "engines/bounded/polynomials.h"
#include "engines/bounded/ranking.h"
#include "engines/bounded/rates.h"
#include "engines/bounded/seek.h"
#include "engines/bounded/settle.h"
#include "logic/terms/rewrite.h"

// k-induction (Sheeran, Singh, Stålmarck 2000): no error within k steps from the start, and none after k
// steps without error from anywhere; with auxiliary invariants and distinct states as options.
//
// What makes the proof checkable: when it succeeds with k, "no error within k steps from here" is
// inductive for single steps. Where a havoc is in the way of saying that without quantifiers the k steps themselves are
// to be checked (model/induction_rule.h).

struct induction {
    struct bounded b;
    struct unrolling step;
    const struct term **aux;             // per location, or NULL
    size_t proved;                       // facts in it, …
    size_t heeded;                       // … and how many of them came from others
    VECTOR(struct precision_item) hints; // what other attempts track
    uint64_t next_hearing;
    bool waits; // octagons were not asked for yet: what the model's maker guessed may do
};

#define MOST_HINTS 400
#define PATIENCE 2   // steps with guesses alone
#define MOST_ATOMS 8 // of what is asked
#define MOST_ATOM 60 // nodes of one

// The step of that length from anywhere, with what is proved so far.
static bool build_step(struct induction *i, uint32_t length)
{
    struct monolith *m = &i->b.monolith;
    unrolling_finish(&i->step);
    if (!workspace_step(&i->b.workspace, 0) || !unrolling_init(&i->step, m, false))
        return false;
    i->step.simple = workspace_option(&i->b.workspace, OPTION_SIMPLE_PATH);
    i->step.every = unrolling_not_bad(m);
    i->step.always = monolith_some_location(m);
    if (i->aux != NULL)
        i->step.always = term_and2(m->store, i->step.always, monolith_everywhere(m, i->aux));
    unrolling_begin(&i->step);
    while (i->step.length < length)
        unrolling_extend(&i->step);
    assert(i->step.length == length && !i->step.initial);
    return true;
}

// Before a step that may reach the error: it cannot. Where a havoc is in the way of saying so nothing is said, and *silent is set.
static const struct term *blocked_at(struct monolith *m, const struct location *location,
                                     bool *silent)
{
    struct term_vector parts = {0};
    for (uint32_t e = 0; e < location->out_count; e++) {
        const struct edge *edge = location->out[e];
        if (edge->target != m->model->error)
            continue;
        const struct term *blocked = monolith_weakest(m, edge->action, term_false(m->store));
        if (blocked != NULL)
            VECTOR_PUSH(&parts, blocked);
        else
            *silent = true;
    }
    const struct term *all = term_and(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

// Remainders, masks and the like: what neither octagons nor equations say.
static bool has_remainder(const struct term *term)
{
    bool some = term->kind == TERM_BV_UREM || term->kind == TERM_BV_SREM ||
                term->kind == TERM_BV_AND || term->kind == TERM_BV_EXTRACT;
    for (uint32_t i = 0; i < term->child_count && !some && term->tree_size < MOST_ATOM; i++)
        some = has_remainder(term->child[i]);
    return some;
}

// As octagons say it, but where what loads give decides, which they do not see: a text's end is not passed.
static bool is_order(const struct term *term)
{
    return term->kind == TERM_BV_ULE || term->kind == TERM_BV_ULT || term->kind == TERM_BV_SLE ||
           term->kind == TERM_BV_SLT;
}

// A word of one width as one of another.
static bool changes_width(const struct term *term)
{
    return term->kind == TERM_BV_ZEXT || term->kind == TERM_BV_SEXT ||
           term->kind == TERM_BV_EXTRACT || term->kind == TERM_BV_CONCAT;
}

// It holds, or does not, wherever a run is.
static void add_everywhere(struct monolith *m, const struct term *fact, bool negated_too,
                           struct located_facts *facts)
{
    const struct term *not = term_not(m->store, fact);
    for (uint32_t l = 0; l < m->model->location_count; l++) {
        if (m->model->locations[l] == m->model->error)
            continue;
        VECTOR_PUSH(facts, ((struct located_fact){l, fact, fact, fact, NULL}));
        if (negated_too)
            VECTOR_PUSH(facts, ((struct located_fact){l, not, not, not, NULL}));
    }
}

// What is asked may hold all the time: i % 3 == 0, from where i is 0 on.
static void add_asked(struct monolith *m, struct located_facts *facts)
{
    struct term_vector atoms = {0};
    bool silent = false;
    for (uint32_t l = 0; l < m->model->location_count; l++)
        rewrite_atoms(blocked_at(m, m->model->locations[l], &silent), &atoms);
    for (size_t i = 0, used = 0; i < atoms.count && used < MOST_ATOMS; i++) {
        const struct term *atom = atoms.data[i];
        if (atom->tree_size >= MOST_ATOM || !(has_remainder(atom) || is_order(atom)) ||
            !monolith_speaks_of_states(m, atom, NULL))
            continue;
        used++;
        add_everywhere(m, atom, true, facts);
    }
    VECTOR_FINISH(&atoms);
}

// A variable may still be what was once assigned to it, a part of a word of another width, say.
static void add_assigned(struct monolith *m, const struct statement *s, size_t *used,
                         struct located_facts *facts)
{
    if (s->kind == STATEMENT_ASSIGN && *used < MOST_ATOMS &&
        (has_remainder(s->expression) || changes_width(s->expression)) &&
        s->expression->tree_size < MOST_ATOM && m->state[s->variable->index] &&
        !rewrite_contains(s->expression, s->variable->term) &&
        monolith_speaks_of_states(m, s->expression, NULL)) {
        ++*used;
        add_everywhere(m, term_eq(m->store, s->variable->term, s->expression), false, facts);
    }
    for (uint32_t i = 0; i < s->child_count; i++)
        add_assigned(m, s->child[i], used, facts);
}

// What equations say where octagons make two numbers equal, to be shown together with these.
static void add_equations(struct monolith *m, const struct term *const *known,
                          struct located_facts *facts)
{
    const struct term **more = known != NULL ? affine_bits_prove(m, facts) : NULL;
    for (uint32_t l = 0; more != NULL && l < m->model->location_count; l++) {
        struct term_vector parts = {0};
        rewrite_conjuncts(more[l], &parts);
        for (size_t i = 0; i < parts.count && m->model->locations[l] != m->model->error; i++) {
            const struct term *fact = parts.data[i];
            if (more[l] != known[l])
                VECTOR_PUSH(facts, ((struct located_fact){l, fact, fact, fact, NULL}));
        }
        VECTOR_FINISH(&parts);
    }
    memory_free(more);
}

struct guessed {
    struct precision_item *data;
    size_t count, capacity;
};

static void add_guess(void *context, const struct precision_item *item)
{
    struct guessed *guessed = context;
    if (item->predicate != NULL && !item->elsewhere)
        VECTOR_PUSH(guessed, *item);
}

// What the model's maker takes for likely.
static struct guessed read_guesses(struct induction *i, bool bounds)
{
    const struct engine_environment *e = i->b.workspace.environment;
    const struct model_judge *judge = model_root(e->model)->judge;
    const char *text = judge == NULL ? NULL : bounds ? judge->bounds : judge->guesses;
    struct guessed guessed = {0};
    if (text != NULL)
        precision_text_read(text, e->model, e->store, add_guess, &guessed);
    return guessed;
}

// Bounds of floats, of which no octagon knows anything.
static void add_bounds(struct induction *i, struct located_facts *facts)
{
    struct guessed guessed = read_guesses(i, true);
    for (size_t k = 0; k < guessed.count; k++)
        if (monolith_speaks_of_states(&i->b.monolith, guessed.data[k].predicate, NULL))
            add_everywhere(&i->b.monolith, guessed.data[k].predicate, false, facts);
    VECTOR_FINISH(&guessed);
}

// What octagons give, with equations where they do not suffice. True: it suffices.
static bool find_octagons(struct induction *i, struct located_facts *facts)
{
    struct monolith *m = &i->b.monolith;
    if (i->b.refining != NULL)
        return false;
    bool alone = octagons_find(m, facts), safe = false;
    const struct term **equations = alone ? NULL : affine_bits_prove(m, NULL);
    add_equations(m, equations, facts);
    size_t used = 0;
    if (!alone) {
        add_asked(m, facts);
        add_bounds(i, facts);
    }
    for (uint32_t e = 0; !alone && e < m->model->edge_count; e++)
        add_assigned(m, m->model->edges[e]->action, &used, facts);
    if (facts->count == 0 && equations == NULL)
        return false;
    size_t proved;
    const struct term **found = octagons_prove(m, facts, equations, &proved, &safe);
    memory_free(equations);
    if (!safe && i->aux != NULL) {
        memory_free(found);
        return false;
    }
    memory_free(i->aux);
    i->aux = found;
    i->proved = proved;
    return safe;
}

// What is known from now on, where something was found. True: it was.
static bool know(struct induction *i, const struct term **found)
{
    if (found == NULL)
        return false;
    memory_free(i->aux);
    i->aux = found;
    return true;
}

// Equations of polynomials, beside what is known by now. True: they suffice.
static bool find_polynomials(struct induction *i)
{
    return i->b.refining == NULL && know(i, polynomials_prove(&i->b.monolith, i->aux));
}

// What is added up against how often a loop goes round, with what is known by now. True: it suffices.
static bool find_rates(struct induction *i)
{
    struct located_facts facts = {0};
    if (i->b.refining == NULL && i->aux != NULL)
        rates_guess(&i->b.monolith, &facts);
    const struct term **found = polynomials_settle(&i->b.monolith, &facts, i->aux);
    VECTOR_FINISH(&facts);
    return know(i, found);
}

static void heed_guesses(struct induction *i)
{
    struct guessed guessed = read_guesses(i, false);
    if (guessed.count > 0)
        i->aux =
            candidates_prove(&i->b.monolith, false, guessed.data, guessed.count, NULL, &i->proved);
    VECTOR_FINISH(&guessed);
}

// Ranking functions, with what is known by now. True: they suffice.
static bool rank_again(struct induction *i)
{
    bool safe = false;
    (void)know(i, ranking_prove(&i->b.monolith, i->aux, &i->proved, &safe));
    if (safe)
        settle_shrink(&i->b.monolith, i->aux);
    return safe;
}

// Ranking functions come first, then octagons and facts about elements: where they suffice, nothing else need be guessed.
// True: they do.
static bool find_auxiliary(struct induction *i, struct located_facts *facts)
{
    struct monolith *m = &i->b.monolith;
    int64_t wanted = workspace_option(&i->b.workspace, OPTION_AUXILIARY);
    bool safe = false;
    heed_guesses(i);
    if (i->aux != NULL) {
        i->waits = wanted != AUXILIARY_NONE && i->b.refining == NULL;
        return false;
    }
    if (wanted != AUXILIARY_NONE && i->b.refining == NULL)
        i->aux = ranking_prove(m, NULL, &i->proved, &safe);
    if (wanted == AUXILIARY_NONE || safe)
        return safe;
    bool returns = i->aux != NULL;
    if (find_polynomials(i) || find_octagons(i, facts) || (i->aux != NULL && find_polynomials(i)))
        return true;
    if (wanted != AUXILIARY_SIMPLE)
        return false;
    // Where coming back is the error a ranking function says more than elements do, but may lean on them.
    if (returns && know(i, elements_know(m, i->aux)) && rank_again(i))
        return true;
    if ((i->b.refining == NULL && know(i, elements_prove(m, i->aux))) || find_rates(i))
        return true;
    const struct term **simple = candidates_prove_simple(m, facts, true, &i->proved);
    memory_free(i->aux);
    i->aux = simple;
    return returns && rank_again(i);
}

// False: the attempt is over.
static bool begin_step(struct induction *i)
{
    i->b.bounds.keeps_elements = true;
    struct located_facts facts = {0};
    bool safe = find_auxiliary(i, &facts);
    VECTOR_FINISH(&facts);
    if (!safe)
        return build_step(i, 0);
    bounded_safe(&i->b, i->aux);
    i->aux = NULL;
    return false;
}

// What octagons say beside guesses that hold, where these do not suffice for some steps. False: the attempt is over.
static bool heed_octagons(struct induction *i)
{
    if (!i->waits || i->step.length < PATIENCE)
        return true;
    i->waits = false;
    struct located_facts facts = {0};
    size_t proved = 0;
    bool safe = false;
    (void)octagons_find(&i->b.monolith, &facts);
    const struct term **both =
        facts.count == 0 ? NULL : octagons_prove(&i->b.monolith, &facts, i->aux, &proved, &safe);
    VECTOR_FINISH(&facts);
    if (!know(i, both))
        return true;
    i->proved += proved;
    if (!safe)
        return build_step(i, 0); // proofs by fewer steps are smaller
    bounded_safe(&i->b, i->aux);
    i->aux = NULL;
    return false;
}

static void add_hint(void *context, const struct precision_item *item)
{
    struct induction *i = context;
    for (size_t k = 0; k < i->hints.count; k++)
        if (i->hints.data[k].predicate == item->predicate &&
            i->hints.data[k].location == item->location)
            return;
    if (item->predicate != NULL && !item->elsewhere && i->hints.count < MOST_HINTS)
        VECTOR_PUSH(&i->hints, *item);
}

// Tries what others track as auxiliary invariants, ever more seldom. False: the attempt is over.
static bool heed_hints(struct induction *i)
{
    const struct engine_environment *e = i->b.workspace.environment;
    struct text *elements = &i->b.bounds.elements;
    if (!elements->length || i->step.length < i->next_hearing)
        return true;
    size_t before = i->hints.count, proved;
    precision_text_read(text_string(elements), e->model, e->store, add_hint, i);
    text_clear(elements);
    if (i->hints.count == before)
        return true;
    i->next_hearing = i->step.length + 1 + i->step.length / 2;
    bool simple =
        i->aux == NULL && workspace_option(&i->b.workspace, OPTION_AUXILIARY) == AUXILIARY_SIMPLE;
    const struct term **aux =
        candidates_prove(&i->b.monolith, simple, i->hints.data, i->hints.count, i->aux, &proved);
    if (aux == NULL || proved <= i->proved) {
        memory_free(aux);
        return workspace_step(&i->b.workspace, 0);
    }
    memory_free(i->aux);
    i->aux = aux;
    assert(proved > i->proved);
    i->heeded += proved - i->proved;
    i->proved = proved;
    return build_step(i, i->step.length);
}

// What the step assumes of a state, as formulas that hold by induction over as many steps: a proof for the model's own
// states where no single step is one. Where an error edge says nothing it shows a step later only. NULL: there is none.
static const struct term **inductive_in_steps(struct induction *i, uint32_t length,
                                              struct induction_rule *rule)
{
    struct monolith *m = &i->b.monolith;
    if (!bounded_has_rows(&i->b, length, i->step.simple))
        return NULL;
    const struct term **formulas = memory_alloc((m->model->location_count + 1) * sizeof *formulas);
    bool silent = length == 0;
    for (uint32_t l = 0; l < m->model->location_count; l++) {
        const struct location *location = m->model->locations[l];
        formulas[l] = blocked_at(m, location, &silent);
        if (i->aux != NULL)
            formulas[l] = term_and2(m->store, formulas[l], i->aux[l]);
        if (location == m->model->error)
            formulas[l] = term_false(m->store);
    }
    *rule = (struct induction_rule){length + silent, i->step.simple, false};
    return formulas;
}

// No run of as many steps as the step has, without error from anywhere, ends badly. When no two states of such a run may
// look the same in an abstract view, that is no proof for the model's own states.
static void conclude(struct induction *i)
{
    // No error in fewer steps from the start: the base was checked for each length below this one.
    ENSURE(i->step.length <= i->b.base.length);
    uint32_t length = i->step.length;
    if (!bounded_confirm(&i->b, length))
        return;
    bool backward = i->b.refining == NULL || !i->step.simple;
    const struct term **invariant =
        backward ? monolith_backward_invariant(&i->b.monolith, length, false, i->aux) : NULL;
    if (invariant == NULL && i->b.refining != NULL)
        invariant = images_prove(&i->b, i->aux);
    struct induction_rule rule = {0};
    if (invariant == NULL)
        invariant = inductive_in_steps(i, length, &rule);
    bounded_safe_by(&i->b, invariant, rule);
}

// False: the attempt is over.
static bool check_step(struct induction *i)
{
    switch (unrolling_ends_badly(&i->step)) {
    case UNROLLING_NO:
        conclude(i);
        return false;
    case UNROLLING_YES:
    case UNROLLING_UNDECIDED:
        unrolling_extend(&i->step);
        return true;
    case UNROLLING_STOPPED:
        break;
    }
    return false;
}

// Base and step in turn: with the base checked for states 0 … k - 1, the step of length k counts. Runs of
// the base need no distinct states: one with a repetition has a shorter twin.
static struct engine_result run(const struct engine_environment *environment)
{
    struct induction i = {0};
    if (bounded_init(&i.b, environment, false) && begin_step(&i))
        while (bounded_round(&i.b) && heed_octagons(&i) && heed_hints(&i) && check_step(&i) &&
               bounded_check_base(&i.b) && bounded_extend_base(&i.b))
            continue;
    unrolling_finish(&i.step);
    memory_free(i.aux);
    if (i.heeded)
        snprintf(i.b.result.notes, sizeof i.b.result.notes,
                 "%zu auxiliary facts, %zu of them from elements of others", i.proved, i.heeded);
    VECTOR_FINISH(&i.hints);
    struct engine_result result = bounded_finish(&i.b);
    seek_invariant(environment, NULL, &result);
    return result;
}

const struct engine engine_kinduction = {
    .name = "kind",
    .description = "k-induction: no error within k steps, and none after k steps without one",
    .preparation = bounded_preparation,
    .run = run,
};
