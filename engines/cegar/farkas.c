#include "engines/cegar/interpolation.h"

#include <assert.h>
#include <string.h>

#include "engines/cegar/farkas_dual.h"
#include "engines/cegar/unsat_core.h"

// Sequence interpolants by Farkas' lemma.
//
// The parts are cut into literals and splits. Literals become rows (relaxed to the rationals) or
// stay opaque atoms. When the rows contradict each other, the partial sums of a dual solution are
// the interpolants; two opposite atoms are interpolated by the atom. Otherwise a split is taken: an
// "or", a ≠, a conditional, or x <= n or x > n for an integer x that is fractional in the solver's
// model. Splits of which the literals exclude a side come first (unit propagation) and are not
// counted. Each side is interpolated on its own; at cuts after the split's part the split belongs
// to the first formula, so the sides are joined by "or", before it by "and". A side whose
// contradiction does not use what the split added is the answer for the whole.

#define CORE_LIMIT 64
// Splits inside each other.
#define LEVEL_LIMIT 1000
// Enumerations with more values than this are opaque.
#define ENUM_LIMIT 32
#define INDICATOR_NAME "farkas.use"

struct opaque_literal {
    const struct term *atom;
    bool positive;
    uint32_t part, level;
};

// left or right follows from the part.
struct split {
    const struct term *left, *right;
    uint32_t part, level;
    bool taken;
};

// Heights of the stacks, to go back to.
struct farkas_mark {
    size_t rows, columns, literals, splits, explained, enums;
};

struct farkas {
    struct term_store *store;
    struct smt *primal, *dual;
    size_t cuts;
    unsigned branches, cases; // allowed, tried
    struct rows rows;
    size_t asserted;  // rows the primal solver has
    size_t explained; // columns whose division is explained by rows
    VECTOR(struct opaque_literal) literals;
    bool conflict; // the last literal contradicts literals.data[opposite]
    size_t opposite;
    VECTOR(struct split) splits;
    struct term_vector enums; // terms of enumerations whose values were counted up
    uint32_t level;           // 0 = the parts, n = inside n splits
    bool *used; // for each level: does the contradiction found below use what was added there?
};

static bool farkas_solve(struct farkas *f, const struct term **out);
static void add_formula(struct farkas *f, const struct term *formula, uint32_t part);

static void add_split(struct farkas *f, const struct term *left, const struct term *right,
                      uint32_t part)
{
    struct split split = {left, right, part, f->level, false};
    VECTOR_PUSH(&f->splits, split);
}

// Equations of one term with two different literals.
static bool excludes(const struct term *a, const struct term *b)
{
    if (a->kind != TERM_EQ || b->kind != TERM_EQ || a == b)
        return false;
    int literal_a = term_is_literal(a->child[1]), literal_b = term_is_literal(b->child[1]);
    return a->child[!literal_a] == b->child[!literal_b] && term_is_literal(a->child[literal_a]) &&
           term_is_literal(b->child[literal_b]) && a->child[literal_a] != b->child[literal_b];
}

// Notes that the atom is true or false, and whether that contradicts what was noted before.
static void add_literal(struct farkas *f, const struct term *atom, bool positive, uint32_t part)
{
    // Quantified ones are left out: nobody wants them in an interpolant.
    if (f->conflict || (atom->flags & TERM_HAS_QUANTIFIER) != 0)
        return;
    for (size_t i = 0; i < f->literals.count && !f->conflict; i++) {
        const struct opaque_literal *l = &f->literals.data[i];
        if (l->atom == atom && l->positive == positive)
            return;
        f->conflict = l->atom == atom || (positive && l->positive && excludes(l->atom, atom));
        f->opposite = i;
    }
    struct opaque_literal literal = {atom, positive, part, f->level};
    VECTOR_PUSH(&f->literals, literal);
}

static bool is_enum(const struct term *term)
{
    return term->sort->kind == SORT_ENUM;
}

// A term of an enumeration has one of the values.
static void count_up(struct farkas *f, const struct term *term, uint32_t part)
{
    if (!is_enum(term) || term_is_literal(term) || term->sort->literal_count > ENUM_LIMIT)
        return;
    for (size_t i = 0; i < f->enums.count; i++)
        if (f->enums.data[i] == term)
            return;
    VECTOR_PUSH(&f->enums, term);
    const struct term *cases[ENUM_LIMIT];
    for (uint32_t i = 0; i < term->sort->literal_count; i++)
        cases[i] = term_eq(f->store, term, term_enum(f->store, term->sort, i));
    add_formula(f, term_or(f->store, cases, term->sort->literal_count), part);
}

static void add_opaque(struct farkas *f, const struct term *atom, bool positive, uint32_t part)
{
    add_literal(f, atom, positive, part);
    if (atom->kind != TERM_EQ || !is_enum(atom->child[0]))
        return;
    const struct term *a = atom->child[0], *b = atom->child[1];
    count_up(f, a, part);
    count_up(f, b, part);
    if (term_is_literal(a) || term_is_literal(b) || a->sort->literal_count > ENUM_LIMIT)
        return;
    for (uint32_t i = 0; i < a->sort->literal_count; i++) { // value by value
        const struct term *literal = term_enum(f->store, a->sort, i);
        const struct term *is_a = term_eq(f->store, a, literal);
        const struct term *is_b = term_eq(f->store, b, literal);
        if (positive)
            add_formula(f, term_iff(f->store, is_a, is_b), part);
        else
            add_formula(f, term_not(f->store, term_and2(f->store, is_a, is_b)), part);
    }
}

// A conditional inside an atom: condition and atom with one branch, or not condition and atom with
// the other.
static void add_conditional(struct farkas *f, const struct term *atom, const struct term *ite,
                            uint32_t part)
{
    struct term_store *store = f->store;
    const struct term *then = rewrite_replace(store, atom, ite, ite->child[1]);
    const struct term *otherwise = rewrite_replace(store, atom, ite, ite->child[2]);
    add_split(f, term_and2(store, ite->child[0], then),
              term_and2(store, term_not(store, ite->child[0]), otherwise), part);
}

static void add_comparison(struct farkas *f, const struct term *atom, bool positive, uint32_t part)
{
    const struct term *a = atom->child[0], *b = atom->child[1], *ite;
    add_literal(f, atom, positive, part);
    if (atom->kind == TERM_EQ && !positive) {
        add_split(f, term_lt(f->store, a, b), term_lt(f->store, b, a), part);
        return;
    }
    if (atom->kind == TERM_EQ)
        ite = rows_add(&f->rows, ROW_EQ, a, b, part, f->level);
    else if (positive)
        ite = rows_add(&f->rows, atom->kind == TERM_LE ? ROW_LE : ROW_LT, a, b, part, f->level);
    else
        ite = rows_add(&f->rows, atom->kind == TERM_LE ? ROW_LT : ROW_LE, b, a, part, f->level);
    if (ite != NULL)
        add_conditional(f, positive ? atom : term_not(f->store, atom), ite, part);
}

// a and b are both true or both false (positive), or differ.
static void add_iff(struct farkas *f, const struct term *a, const struct term *b, bool positive,
                    uint32_t part)
{
    struct term_store *store = f->store;
    const struct term *not_a = term_not(store, a), *not_b = term_not(store, b);
    if (positive)
        add_split(f, term_and2(store, a, b), term_and2(store, not_a, not_b), part);
    else
        add_split(f, term_and2(store, a, not_b), term_and2(store, not_a, b), part);
}

static void add_choice(struct farkas *f, const struct term *ite, bool positive, uint32_t part)
{
    struct term_store *store = f->store;
    const struct term *condition = ite->child[0], *then = ite->child[1], *otherwise = ite->child[2];
    if (!positive) {
        then = term_not(store, then);
        otherwise = term_not(store, otherwise);
    }
    add_split(f, term_and2(store, condition, then),
              term_and2(store, term_not(store, condition), otherwise), part);
}

static void add_junction(struct farkas *f, const struct term *junction, bool positive,
                         uint32_t part)
{
    struct term_store *store = f->store;
    if ((junction->kind == TERM_AND) == positive) {
        for (uint32_t i = 0; i < junction->child_count; i++) {
            const struct term *child = junction->child[i];
            add_formula(f, positive ? child : term_not(store, child), part);
        }
        return;
    }
    const struct term *left = junction->child[0];
    const struct term *right = junction->kind == TERM_AND
                                   ? term_and(store, junction->child + 1, junction->child_count - 1)
                                   : term_or(store, junction->child + 1, junction->child_count - 1);
    add_split(f, positive ? left : term_not(store, left), positive ? right : term_not(store, right),
              part);
}

static bool is_number(const struct term *term)
{
    return term->sort->kind == SORT_INT || term->sort->kind == SORT_RAT;
}

static void add_formula(struct farkas *f, const struct term *formula, uint32_t part)
{
    bool positive = formula->kind != TERM_NOT;
    const struct term *atom = positive ? formula : formula->child[0];
    switch (atom->kind) {
    case TERM_BOOL:
        if (term_is_true(atom) != positive)
            rows_add_false(&f->rows, part, f->level);
        break;
    case TERM_AND:
    case TERM_OR:
        add_junction(f, atom, positive, part);
        break;
    case TERM_ITE:
        add_choice(f, atom, positive, part);
        break;
    case TERM_LE:
    case TERM_LT:
        add_comparison(f, atom, positive, part);
        break;
    case TERM_EQ:
        if (is_number(atom->child[0]))
            add_comparison(f, atom, positive, part);
        else if (atom->child[0]->sort->kind == SORT_BOOL)
            add_iff(f, atom->child[0], atom->child[1], positive, part);
        else
            add_opaque(f, atom, positive, part);
        break;
    default:
        add_opaque(f, atom, positive, part);
    }
}

// What is true of e div n and e mod n for a literal n: with rest = e - n * (e div n), 0 <= rest < |n| and
// e mod n = rest. (The rest makes e div n a column, which then is explained in its turn.)
static void explain_division(struct farkas *f, const struct term *column, uint32_t part)
{
    struct term_store *store = f->store;
    bool division = column->kind == TERM_DIV || column->kind == TERM_MOD;
    if (!division || column->sort->kind != SORT_INT || !term_is_literal(column->child[1]))
        return;
    const struct term *e = column->child[0], *n = column->child[1], *zero = term_int(store, 0);
    if (n == zero)
        return;
    const struct term *rest = term_sub(store, e, term_mul2(store, n, term_div(store, e, n)));
    if (column->kind == TERM_MOD) {
        add_formula(f, term_eq(store, column, rest), part);
        return;
    }
    const struct term *magnitude = term_compare_values(n, zero) > 0 ? n : term_neg(store, n);
    add_formula(f, term_le(store, zero, rest), part);
    add_formula(f, term_lt(store, rest, magnitude), part);
}

static void explain_divisions(struct farkas *f)
{
    for (; f->explained < f->rows.columns.count; f->explained++) {
        struct row_column column = f->rows.columns.data[f->explained];
        explain_division(f, column.base, column.part);
    }
}

static const struct term *indicator(struct farkas *f, size_t number)
{
    const struct term *name = term_var(f->store, INDICATOR_NAME, sort_bool(f->store));
    return term_var_copy(f->store, name, (uint32_t)number + 1);
}

static size_t indicator_number(const struct term *indicator)
{
    return indicator->u.var.index - 1;
}

static void assert_new_rows(struct farkas *f)
{
    for (; f->asserted < f->rows.rows.count; f->asserted++) {
        const struct term *row = rows_relaxed(&f->rows, &f->rows.rows.data[f->asserted]);
        smt_assert(f->primal, term_implies(f->store, indicator(f, f->asserted), row));
    }
}

static enum smt_result check_relaxation(struct farkas *f, struct term_vector *core)
{
    assert_new_rows(f);
    struct term_vector assumptions = {0};
    for (size_t i = 0; i < f->rows.rows.count; i++)
        VECTOR_PUSH(&assumptions, indicator(f, i));
    enum smt_result result =
        unsat_core_find(f->primal, assumptions.data, assumptions.count, CORE_LIMIT, core);
    VECTOR_FINISH(&assumptions);
    return result;
}

// Two opposite literals: the sooner one holds from its part until the later one's.
static void interpolate_opposites(struct farkas *f, const struct term **out)
{
    struct opaque_literal first = f->literals.data[f->opposite];
    struct opaque_literal second = VECTOR_LAST(&f->literals);
    f->used[first.level] = f->used[second.level] = true;
    if (first.part > second.part) {
        struct opaque_literal swap = first;
        first = second;
        second = swap;
    }
    const struct term *literal = first.positive ? first.atom : term_not(f->store, first.atom);
    for (size_t cut = 0; cut < f->cuts; cut++)
        out[cut] = cut < first.part    ? term_true(f->store)
                   : cut < second.part ? literal
                                       : term_false(f->store);
}

static bool interpolate_rows(struct farkas *f, const struct term_vector *core,
                             const struct term **out)
{
    uint32_t *chosen = memory_alloc(core->count * sizeof *chosen);
    mpz_t *multipliers = memory_alloc(core->count * sizeof *multipliers);
    for (size_t i = 0; i < core->count; i++) {
        chosen[i] = (uint32_t)indicator_number(core->data[i]);
        mpz_init(multipliers[i]);
    }
    bool found = farkas_multipliers(&f->rows, chosen, core->count, f->dual, multipliers);
    if (found)
        farkas_partial_sums(&f->rows, chosen, core->count, multipliers, f->cuts, out);
    for (size_t i = 0; i < core->count; i++) {
        if (mpz_sgn(multipliers[i]) != 0)
            f->used[f->rows.rows.data[chosen[i]].level] = true;
        mpz_clear(multipliers[i]);
    }
    memory_free(multipliers);
    memory_free(chosen);
    return found;
}

// The value of an integer column in the primal model; false when it is a whole number or not there.
static bool fractional_value(struct farkas *f, const struct row_column *column, mpz_t floor)
{
    if (column->base->sort->kind != SORT_INT)
        return false;
    const struct term *literal = smt_model_value(f->primal, column->relaxed);
    if (literal == NULL || !term_is_literal(literal))
        return false;
    mpq_t value;
    mpq_init(value);
    rows_literal_value(value, literal);
    mpz_fdiv_q(floor, mpq_numref(value), mpq_denref(value));
    bool fractional = mpz_cmp_ui(mpq_denref(value), 1) != 0;
    mpq_clear(value);
    return fractional;
}

// Branch and bound (Land and Doig 1960). The two sides together say nothing, so they may belong to
// any part that knows the column.
static bool split_integer(struct farkas *f, struct split *split)
{
    mpz_t floor;
    mpz_init(floor);
    bool found = false;
    for (size_t i = 0; i < f->rows.columns.count && !found; i++) {
        const struct row_column *column = &f->rows.columns.data[i];
        found = fractional_value(f, column, floor);
        if (!found)
            continue;
        const struct term *bound = rows_literal(&f->rows, column->base->sort, floor);
        *split = (struct split){term_le(f->store, column->base, bound),
                                term_lt(f->store, bound, column->base), column->part, 0, false};
    }
    mpz_clear(floor);
    return found;
}

enum truth { TRUTH_UNKNOWN, TRUTH_TRUE, TRUTH_FALSE };

static enum truth truth_of_atom(const struct farkas *f, const struct term *atom)
{
    for (size_t i = 0; i < f->literals.count; i++) {
        const struct opaque_literal *l = &f->literals.data[i];
        if (l->atom == atom)
            return l->positive ? TRUTH_TRUE : TRUTH_FALSE;
        if (l->positive && excludes(l->atom, atom))
            return TRUTH_FALSE;
    }
    return TRUTH_UNKNOWN;
}

// What the literals say about a formula, without looking into its arithmetic.
static enum truth truth_of(const struct farkas *f, const struct term *formula)
{
    bool known = true;
    switch (formula->kind) {
    case TERM_BOOL:
        return term_is_true(formula) ? TRUTH_TRUE : TRUTH_FALSE;
    case TERM_NOT: {
        enum truth inner = truth_of(f, formula->child[0]);
        return inner == TRUTH_UNKNOWN ? inner : inner == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE;
    }
    case TERM_AND:
    case TERM_OR:
        for (uint32_t i = 0; i < formula->child_count; i++) {
            enum truth inner = truth_of(f, formula->child[i]);
            if (inner == (formula->kind == TERM_AND ? TRUTH_FALSE : TRUTH_TRUE))
                return inner;
            known = known && inner != TRUTH_UNKNOWN;
        }
        if (!known)
            return TRUTH_UNKNOWN;
        return formula->kind == TERM_AND ? TRUTH_TRUE : TRUTH_FALSE;
    default:
        return truth_of_atom(f, formula);
    }
}

// Splits of which the literals exclude a side come first, as in unit propagation: their other side
// costs no case. Those that are true anyway are left out.
static struct split *choose_pending(struct farkas *f)
{
    struct split *first = NULL;
    for (size_t i = 0; i < f->splits.count; i++) {
        struct split *s = &f->splits.data[i];
        if (s->taken)
            continue;
        enum truth left = truth_of(f, s->left), right = truth_of(f, s->right);
        if (left == TRUTH_TRUE || right == TRUTH_TRUE)
            continue;
        if (left == TRUTH_FALSE || right == TRUTH_FALSE)
            return s;
        if (first == NULL)
            first = s;
    }
    return first;
}

static struct farkas_mark mark_stacks(const struct farkas *f)
{
    return (struct farkas_mark){f->rows.rows.count, f->rows.columns.count, f->literals.count,
                                f->splits.count,    f->explained,          f->enums.count};
}

static void cut_stacks(struct farkas *f, struct farkas_mark mark)
{
    rows_truncate(&f->rows, mark.rows, mark.columns);
    f->asserted = mark.rows;
    f->explained = mark.explained;
    f->literals.count = mark.literals;
    f->splits.count = mark.splits;
    f->enums.count = mark.enums;
    f->conflict = false;
}

static bool solve_side(struct farkas *f, const struct term *side, uint32_t part,
                       const struct term **out)
{
    if (f->level + 1 == LEVEL_LIMIT)
        return false;
    assert_new_rows(f); // outside of the level that ends with this side
    struct farkas_mark mark = mark_stacks(f);
    f->level++;
    f->used[f->level] = false;
    smt_push(f->primal);
    add_formula(f, side, part);
    explain_divisions(f);
    bool solved = farkas_solve(f, out);
    smt_pop(f->primal, 1);
    cut_stacks(f, mark);
    f->level--;
    return solved;
}

static bool is_unit(const struct farkas *f, const struct split *split)
{
    return truth_of(f, split->left) == TRUTH_FALSE || truth_of(f, split->right) == TRUTH_FALSE;
}

static bool solve_split(struct farkas *f, const struct split *split, const struct term **out)
{
    if (!is_unit(f, split) && (f->cases += 2) > f->branches)
        return false;
    if (!solve_side(f, split->left, split->part, out))
        return false;
    if (!f->used[f->level + 1])
        return true;
    const struct term **right = memory_alloc(f->cuts * sizeof *right);
    bool solved = solve_side(f, split->right, split->part, right);
    if (solved && !f->used[f->level + 1]) {
        memcpy(out, right, f->cuts * sizeof *right);
    } else if (solved) {
        f->used[split->level] = true;
        for (size_t cut = 0; cut < f->cuts; cut++)
            out[cut] = cut < split->part ? term_and2(f->store, out[cut], right[cut])
                                         : term_or2(f->store, out[cut], right[cut]);
    }
    memory_free(right);
    return solved;
}

static bool solve_pending(struct farkas *f, struct split *pending, const struct term **out)
{
    size_t index = (size_t)(pending - f->splits.data);
    struct split split = *pending; // the stack may move
    pending->taken = true;
    bool solved = solve_split(f, &split, out);
    f->splits.data[index].taken = false;
    return solved;
}

static bool farkas_solve(struct farkas *f, const struct term **out)
{
    if (f->conflict) {
        interpolate_opposites(f, out);
        return true;
    }
    struct split *pending = choose_pending(f);
    if (pending != NULL && is_unit(f, pending)) // there is time for the rows later
        return solve_pending(f, pending, out);
    struct term_vector core = {0};
    struct split split;
    enum smt_result result = check_relaxation(f, &core);
    bool solved = false;
    if (result == SMT_UNSAT)
        solved = interpolate_rows(f, &core, out);
    else if (result == SMT_SAT && pending != NULL)
        solved = solve_pending(f, pending, out);
    else if (result == SMT_SAT && split_integer(f, &split))
        solved = solve_split(f, &split, out);
    VECTOR_FINISH(&core);
    return solved;
}

// The conjuncts of all parts. Each is used when its indicator is assumed.
struct conjuncts {
    struct term_vector formulas, uses;
    VECTOR(uint32_t) parts;
};

static void conjuncts_collect(struct conjuncts *all, struct farkas *f,
                              const struct term *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rewrite_conjuncts(parts[i], &all->formulas);
        while (all->parts.count < all->formulas.count) {
            VECTOR_PUSH(&all->uses, indicator(f, all->parts.count));
            VECTOR_PUSH(&all->parts, (uint32_t)i);
        }
    }
}

static void conjuncts_finish(struct conjuncts *all)
{
    VECTOR_FINISH(&all->formulas);
    VECTOR_FINISH(&all->uses);
    VECTOR_FINISH(&all->parts);
}

// As few conjuncts as can be found quickly that contradict each other.
static enum smt_result conjuncts_core(const struct conjuncts *all, struct farkas *f,
                                      struct term_vector *core)
{
    smt_push(f->primal);
    for (size_t i = 0; i < all->uses.count; i++)
        smt_assert(f->primal, term_implies(f->store, all->uses.data[i], all->formulas.data[i]));
    enum smt_result result =
        unsat_core_find(f->primal, all->uses.data, all->uses.count, CORE_LIMIT, core);
    smt_pop(f->primal, 1);
    return result;
}

// With the conjuncts of these indicators and no others.
static bool solve_conjuncts(const struct conjuncts *all, const struct term_vector *uses,
                            struct farkas *f, const struct term **out)
{
    cut_stacks(f, (struct farkas_mark){0});
    f->cases = 0;
    smt_push(f->primal);
    for (size_t i = 0; i < uses->count; i++) {
        size_t number = indicator_number(uses->data[i]);
        add_formula(f, all->formulas.data[number], all->parts.data[number]);
    }
    explain_divisions(f);
    bool solved = farkas_solve(f, out);
    smt_pop(f->primal, 1);
    return solved;
}

// First with a core, which keeps the interpolants simple. It may have lost the bounds that make
// branching end, so then with all.
static bool solve_parts(struct farkas *f, const struct term *const *parts, size_t count,
                        const struct term **out)
{
    struct conjuncts all = {0};
    struct term_vector core = {0};
    conjuncts_collect(&all, f, parts, count);
    enum smt_result result = conjuncts_core(&all, f, &core);
    bool solved = result == SMT_UNSAT && solve_conjuncts(&all, &core, f, out);
    if (!solved && result != SMT_SAT && core.count < all.uses.count)
        solved = solve_conjuncts(&all, &all.uses, f, out);
    VECTOR_FINISH(&core);
    conjuncts_finish(&all);
    return solved;
}

static void farkas_finish(struct farkas *f)
{
    VECTOR_FINISH(&f->literals);
    VECTOR_FINISH(&f->splits);
    VECTOR_FINISH(&f->enums);
    memory_free(f->used);
    rows_finish(&f->rows);
    smt_destroy(f->primal);
    smt_destroy(f->dual);
}

bool interpolate_farkas(struct term_store *store, struct smt_context *context,
                        const struct term *const *parts, size_t count, unsigned branches,
                        const struct term **out)
{
    assert(count > 0);
    struct farkas f = {
        .store = store,
        .primal = smt_create(context),
        .dual = smt_create(context),
        .cuts = count - 1,
        .branches = branches,
        .used = memory_zalloc(LEVEL_LIMIT * sizeof *f.used),
    };
    rows_init(&f.rows, store);
    const struct term **result = memory_alloc(f.cuts * sizeof *result);
    bool solved = solve_parts(&f, parts, count, result);
    if (solved)
        memcpy(out, result, f.cuts * sizeof *result);
    memory_free(result);
    farkas_finish(&f);
    return solved;
}
