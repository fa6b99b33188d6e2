#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/sts/sts_system.h"
#include "logic/terms/rewrite.h"

// A transition formula as an action. For each variable x there is a local x'. A conjunct `x' = e`
// assigns x' once all that e needs is set; a conjunct without an open variable is assumed; a
// disjunction or case distinction with equations in it becomes a choice or an `if` whose branches
// are made in the same way; what is left over is havocked, one variable at a time. At the end x := x'.
//
// Exactness: `relate` leaves every wanted variable set and every goal enforced, by an assignment
// (when the variable was still free) or by an assumption. A choice is exact because a relation is
// the union of its disjuncts, and goals that are moved into all its branches distribute over it.

enum {
    MOST_STATEMENTS = 4000, // beyond: no more branching, havoc and assume
    MOST_BRANCHING = 50,    // nested choices
};

struct relation {
    struct sts_reader *reader;
    struct model_builder *builder;
    const struct variable **next; // the local x' of each variable
    uint32_t *index_of;           // 1 + the variable of a term x', by the term's id
    uint32_t index_count;
    size_t words;      // of a set of variables
    size_t statements; // made so far
};

struct goals {
    const struct sts_formula **data;
    size_t count, capacity;
};

struct actions {
    struct statement **data;
    size_t count, capacity;
};

// Sets of variables.

static uint64_t *new_set(struct relation *r)
{
    return arena_zalloc(r->reader->parser.arena, r->words * sizeof(uint64_t));
}

static void set_add(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}

static bool set_has(const uint64_t *set, uint32_t i)
{
    return (set[i / 64] >> (i % 64) & 1) != 0;
}

static void set_join(const struct relation *r, uint64_t *set, const uint64_t *other)
{
    for (size_t i = 0; i < r->words; i++)
        set[i] |= other[i];
}

static bool set_within(const struct relation *r, const uint64_t *set, const uint64_t *other)
{
    for (size_t i = 0; i < r->words; i++) {
        if (set[i] & ~other[i])
            return false;
    }
    return true;
}

// Do the two have a variable in common that is not assigned?
static bool set_meets(const struct relation *r, const uint64_t *set, const uint64_t *other,
                      const uint64_t *assigned)
{
    for (size_t i = 0; i < r->words; i++) {
        if (set[i] & other[i] & ~assigned[i])
            return true;
    }
    return false;
}

// What a formula says about next variables.

static uint64_t *variables_in(struct relation *r, const struct term *term)
{
    uint64_t *set = new_set(r);
    struct term_vector found = {0};
    rewrite_free_variables(term, &found);
    for (size_t i = 0; i < found.count; i++) {
        uint32_t id = found.data[i]->id;
        if (id < r->index_count && r->index_of[id])
            set_add(set, r->index_of[id] - 1);
    }
    VECTOR_FINISH(&found);
    return set;
}

// Keeps the equations that can become an assignment to a next variable.
static void study_leaf(struct relation *r, struct sts_formula *leaf)
{
    uint32_t kept = 0;
    leaf->next = variables_in(r, leaf->term);
    for (uint32_t i = 0; i < leaf->equation_count; i++) {
        struct formula_equation equation = leaf->equation[i];
        uint32_t id = equation.variable->id;
        if (id >= r->index_count || !r->index_of[id])
            continue;
        equation.index = r->index_of[id] - 1;
        equation.needs = variables_in(r, equation.value);
        if (!set_has(equation.needs, equation.index))
            leaf->equation[kept++] = equation;
    }
    leaf->equation_count = kept;
}

static void study(struct relation *r, struct sts_formula *formula)
{
    if (formula->kind == STS_FORMULA_LEAF) {
        study_leaf(r, formula);
        return;
    }
    uint64_t *set = new_set(r);
    for (uint32_t i = 0; i < formula->child_count; i++) {
        study(r, formula->child[i]);
        set_join(r, set, formula->child[i]->next);
    }
    formula->next = set;
}

static bool has_equation(const struct sts_formula *formula, const uint64_t *assigned)
{
    for (uint32_t i = 0; i < formula->equation_count; i++) {
        if (!set_has(assigned, formula->equation[i].index))
            return true;
    }
    for (uint32_t i = formula->kind == STS_FORMULA_IF; i < formula->child_count; i++) {
        if (has_equation(formula->child[i], assigned))
            return true;
    }
    return false;
}

// The variables that the formula has an equation for, whichever branch is taken.
static uint64_t *determined(struct relation *r, const struct sts_formula *formula)
{
    uint64_t *set = new_set(r);
    for (uint32_t i = 0; i < formula->equation_count; i++)
        set_add(set, formula->equation[i].index);
    uint32_t first = formula->kind == STS_FORMULA_IF;
    for (uint32_t i = first; i < formula->child_count; i++) {
        const uint64_t *part = determined(r, formula->child[i]);
        for (size_t w = 0; w < r->words; w++)
            set[w] = formula->kind == STS_FORMULA_AND || i == first ? set[w] | part[w]
                                                                    : set[w] & part[w];
    }
    return set;
}

// Making statements.

static struct position at(const struct relation *r, const struct token *token)
{
    return lexer_position(&r->reader->parser.lexer, token);
}

struct statement *sts_assume(struct sts_reader *reader, struct model_builder *builder,
                             const struct sts_formula *formula)
{
    struct statement *assume =
        model_assume(builder, formula->term, lexer_position(&reader->parser.lexer, formula->at));
    const char *words = formula_words(&reader->checker, formula);
    if (words == NULL)
        return assume;
    struct text text;
    text_init(&text);
    text_printf(&text, "%s%s", formula->invariant ? "" : "assume ", words);
    model_statement_written(builder, assume, text_string(&text));
    text_finish(&text);
    return assume;
}

static struct statement *make_if(struct relation *r, const struct sts_formula *goal,
                                 struct statement *const *branch)
{
    const char *words = formula_words(&r->reader->checker, goal->child[0]);
    struct statement *statement =
        model_if(r->builder, goal->child[0]->term, branch[0], branch[1], at(r, goal->at));
    if (words != NULL && statement->kind == STATEMENT_IF)
        model_statement_written(r->builder, statement, words);
    return statement;
}

static void emit(struct relation *r, struct actions *out, struct statement *statement)
{
    r->statements++;
    VECTOR_PUSH(out, statement);
}

static void flatten(struct goals *goals, const struct sts_formula *formula)
{
    if (formula->kind != STS_FORMULA_AND) {
        VECTOR_PUSH(goals, formula);
        return;
    }
    for (uint32_t i = 0; i < formula->child_count; i++)
        flatten(goals, formula->child[i]);
}

// Assumes what has no open variable left, in order.
static bool assume_ready(struct relation *r, struct goals *goals, const uint64_t *assigned,
                         struct actions *out)
{
    size_t kept = 0, count = goals->count;
    for (size_t i = 0; i < count; i++) {
        const struct sts_formula *goal = goals->data[i];
        if (!set_within(r, goal->next, assigned))
            goals->data[kept++] = goal;
        else if (!term_is_true(goal->term))
            emit(r, out, sts_assume(r->reader, r->builder, goal));
    }
    goals->count = kept;
    return kept < count;
}

static const struct formula_equation *
ready_equation(const struct relation *r, const struct sts_formula *goal, const uint64_t *assigned)
{
    for (uint32_t i = 0; i < goal->equation_count; i++) {
        const struct formula_equation *equation = &goal->equation[i];
        if (!set_has(assigned, equation->index) && set_within(r, equation->needs, assigned))
            return equation;
    }
    return NULL;
}

static bool assign_ready(struct relation *r, struct goals *goals, uint64_t *assigned,
                         struct actions *out)
{
    size_t kept = 0, count = goals->count;
    for (size_t i = 0; i < count; i++) {
        const struct sts_formula *goal = goals->data[i];
        const struct formula_equation *equation = ready_equation(r, goal, assigned);
        if (equation == NULL) {
            goals->data[kept++] = goal;
            continue;
        }
        emit(r, out,
             model_assign(r->builder, r->next[equation->index], equation->value, at(r, goal->at)));
        ENSURE(set_within(r, equation->needs, assigned) &&
               !set_has(equation->needs, equation->index));
        set_add(assigned, equation->index);
    }
    goals->count = kept;
    return kept < count;
}

// The open variable that is havocked next: rather one that no waiting equation defines.
static uint32_t pick_free(struct relation *r, const struct goals *goals, const uint64_t *assigned,
                          const uint64_t *wanted)
{
    uint64_t *defined = new_set(r);
    for (size_t i = 0; i < goals->count; i++) {
        for (uint32_t e = 0; e < goals->data[i]->equation_count; e++)
            set_add(defined, goals->data[i]->equation[e].index);
    }
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < 64 * r->words; i++) {
        if (!set_has(wanted, i) || set_has(assigned, i))
            continue;
        if (!set_has(defined, i))
            return i;
        if (found == UINT32_MAX)
            found = i;
    }
    return found;
}

static struct statement *relate(struct relation *r, struct goals *goals, uint64_t *assigned,
                                const uint64_t *wanted, const struct token *where, unsigned depth);

// Is it worth a choice or an `if`, and can it be one now?
static bool splits(const struct relation *r, const struct sts_formula *goal,
                   const uint64_t *assigned)
{
    if (goal->kind == STS_FORMULA_IF)
        return set_within(r, goal->child[0]->next, assigned) && has_equation(goal, assigned);
    if (goal->kind != STS_FORMULA_OR || !has_equation(goal, assigned))
        return false;
    for (uint32_t i = 0; i < goal->child_count; i++) {
        if (set_within(r, goal->child[i]->next, assigned))
            return false; // a clause with a guard: havoc and assume say the same with less branching
    }
    return true;
}

// Moves the goals into `moved` that share an open variable with `set`, which grows by theirs.
static void move_connected(struct relation *r, struct goals *goals, const uint64_t *assigned,
                           uint64_t *set, struct goals *moved)
{
    bool changed;
    do {
        changed = false;
        size_t kept = 0;
        for (size_t i = 0; i < goals->count; i++) {
            const struct sts_formula *goal = goals->data[i];
            if (!set_meets(r, goal->next, set, assigned)) {
                goals->data[kept++] = goal;
                continue;
            }
            VECTOR_PUSH(moved, goal);
            set_join(r, set, goal->next);
            changed = true;
        }
        goals->count = kept;
    } while (changed);
}

static struct statement *make_branch(struct relation *r, const struct sts_formula *branch,
                                     const struct goals *shared, const uint64_t *assigned,
                                     const uint64_t *wanted, unsigned depth)
{
    struct goals goals = {0};
    VECTOR_PUSH(&goals, branch);
    for (size_t i = 0; i < shared->count; i++)
        VECTOR_PUSH(&goals, shared->data[i]);
    uint64_t *own = new_set(r);
    set_join(r, own, assigned);
    struct statement *statement = relate(r, &goals, own, wanted, branch->at, depth + 1);
    VECTOR_FINISH(&goals);
    return statement;
}

static struct statement *make_split(struct relation *r, const struct sts_formula *goal,
                                    const struct goals *shared, const uint64_t *assigned,
                                    const uint64_t *wanted, unsigned depth)
{
    uint32_t first = goal->kind == STS_FORMULA_IF, count = goal->child_count - first;
    struct statement **branch = memory_alloc(count * sizeof(struct statement *));
    for (uint32_t i = 0; i < count; i++)
        branch[i] = make_branch(r, goal->child[first + i], shared, assigned, wanted, depth);
    struct statement *result = goal->kind == STS_FORMULA_IF
                                   ? make_if(r, goal, branch)
                                   : model_choice(r->builder, branch, count, at(r, goal->at));
    memory_free(branch);
    return result;
}

// Turns the first goal that is worth it into a choice or an `if`. When it leaves a variable open in
// some branch, the goals about that variable go into the branches: there they may set it.
static bool split_one(struct relation *r, struct goals *goals, uint64_t *assigned,
                      struct actions *out, unsigned depth)
{
    size_t chosen = 0;
    while (chosen < goals->count && !splits(r, goals->data[chosen], assigned))
        chosen++;
    if (chosen == goals->count || depth >= MOST_BRANCHING || r->statements >= MOST_STATEMENTS)
        return false;
    const struct sts_formula *goal = goals->data[chosen];
    goals->count--;
    memmove(&goals->data[chosen], &goals->data[chosen + 1],
            (goals->count - chosen) * sizeof *goals->data);
    uint64_t *wanted = new_set(r), *known = determined(r, goal);
    set_join(r, wanted, goal->next);
    set_join(r, known, assigned);
    struct goals shared = {0};
    if (!set_within(r, wanted, known) &&
        r->statements + goal->child_count * goals->count < MOST_STATEMENTS)
        move_connected(r, goals, assigned, wanted, &shared);
    emit(r, out, make_split(r, goal, &shared, assigned, wanted, depth));
    set_join(r, assigned, wanted);
    VECTOR_FINISH(&shared);
    return true;
}

static void havoc_one(struct relation *r, const struct goals *goals, uint64_t *assigned,
                      const uint64_t *wanted, const struct token *where, struct actions *out)
{
    uint32_t index = pick_free(r, goals, assigned, wanted);
    assert(index != UINT32_MAX && "what a goal waits for is wanted");
    emit(r, out, model_havoc(r->builder, r->next[index], at(r, where)));
    set_add(assigned, index);
}

static struct statement *relate(struct relation *r, struct goals *goals, uint64_t *assigned,
                                const uint64_t *wanted, const struct token *where, unsigned depth)
{
    struct goals open = {0};
    struct actions out = {0};
    for (size_t i = 0; i < goals->count; i++)
        flatten(&open, goals->data[i]);
    while (open.count > 0 || !set_within(r, wanted, assigned)) {
        if (!assume_ready(r, &open, assigned, &out) && !assign_ready(r, &open, assigned, &out) &&
            !split_one(r, &open, assigned, &out, depth))
            havoc_one(r, &open, assigned, wanted, where, &out);
    }
    struct statement *statement =
        out.count == 0   ? model_skip(r->builder, at(r, where))
        : out.count == 1 ? out.data[0]
                         : model_sequence(r->builder, out.data, out.count, at(r, where));
    ENSURE(open.count == 0 && set_within(r, wanted, assigned)); // what the step is exact by
    VECTOR_FINISH(&open);
    VECTOR_FINISH(&out);
    return statement;
}

static void make_locals(struct relation *r, const struct sts_system *system)
{
    struct arena *arena = r->reader->parser.arena;
    r->index_count = term_store_next_id(r->reader->parser.store);
    r->index_of = arena_zalloc(arena, r->index_count * sizeof *r->index_of);
    r->next = arena_zalloc(arena, (system->variables.count + 1) * sizeof *r->next);
    for (uint32_t i = 0; i < system->variables.count; i++) {
        const struct sts_variable *variable = &system->variables.data[i];
        if (variable->fixed)
            continue;
        // `'` is in no identifier, so nobody else has this name.
        r->next[i] =
            model_builder_variable(r->builder, variable->next->u.var.name, variable->next->sort,
                                   VARIABLE_LOCAL, at(r, variable->at));
        assert(r->next[i] && r->next[i]->term == variable->next);
        r->index_of[variable->next->id] = i + 1;
    }
}

struct statement *sts_relation(struct sts_reader *reader, const struct sts_system *system,
                               struct model_builder *builder,
                               const struct variable *const *variables)
{
    struct relation r = {
        .reader = reader, .builder = builder, .words = (system->variables.count + 63) / 64};
    make_locals(&r, system);
    struct goals goals = {0};
    struct actions out = {0};
    uint64_t *wanted = new_set(&r), *assigned = new_set(&r);
    for (size_t i = 0; i < system->step.count; i++) {
        study(&r, system->step.data[i]);
        VECTOR_PUSH(&goals, system->step.data[i]);
    }
    for (uint32_t i = 0; i < system->variables.count; i++) {
        if (r.next[i] != NULL)
            set_add(wanted, i);
    }
    VECTOR_PUSH(&out, relate(&r, &goals, assigned, wanted, system->at, 0));
    for (uint32_t i = 0; i < system->variables.count; i++) {
        if (r.next[i] != NULL)
            VECTOR_PUSH(&out, model_assign(builder, variables[i], r.next[i]->term,
                                           at(&r, system->variables.data[i].at)));
    }
    struct statement *step = model_sequence(builder, out.data, out.count, at(&r, system->at));
    VECTOR_FINISH(&goals);
    VECTOR_FINISH(&out);
    return step;
}
