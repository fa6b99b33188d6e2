#include "logic/smt/presburger.h"

#include <assert.h>

#include "base/vector.h"
#include "logic/smt/bottom_up.h"
#include "logic/smt/id_map.h"

#define COEFFICIENT_LIMIT 10000

enum polarity { POSITIVE = 1, NEGATIVE = 2 };
enum atom_kind { ATOM_AT_MOST, ATOM_EQUAL, ATOM_DIVIDES };

// c x + rest <= 0, c x + rest = 0, or: modulus divides c x + rest. After scaling, c is 1 or -1 and
// stands before y = scale * x.
struct atom {
    const struct term *term;
    enum atom_kind kind;
    unsigned polarities;
    int64_t c, modulus;
    const struct term *rest;
};

struct problem {
    struct term_store *store;
    const struct term *x;
    VECTOR(struct atom) atoms;
    int64_t scale;  // of x
    int64_t period; // all divisibilities repeat after so many values of y
    struct id_map replacement;
};

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

static bool fits(int64_t n)
{
    return n >= -COEFFICIENT_LIMIT && n <= COEFFICIENT_LIMIT;
}

static bool small_literal(const struct term *term, int64_t *out)
{
    if (term->kind != TERM_INT || !value_is_small(term->u.value))
        return false;
    *out = value_small_get(term->u.value);
    return fits(*out);
}

static const struct term *times(struct problem *p, int64_t factor, const struct term *term)
{
    return term_mul2(p->store, term_int(p->store, factor), term);
}

// ---- reading the atoms

// The coefficient of x in one summand; false when x is in it in another way.
static bool summand(struct problem *p, const struct term *part, int64_t *c)
{
    *c = 0;
    if (part == p->x) {
        *c = 1;
        return true;
    }
    if (!rewrite_contains(part, p->x))
        return true;
    if (part->kind != TERM_MUL || part->child_count != 2)
        return false;
    uint32_t at = part->child[0] == p->x ? 0 : 1;
    return part->child[at] == p->x && small_literal(part->child[1 - at], c);
}

// sum = c x + rest
static bool split(struct problem *p, const struct term *sum, struct atom *atom)
{
    const struct term *const *parts = sum->kind == TERM_ADD ? sum->child : &sum;
    uint32_t count = sum->kind == TERM_ADD ? sum->child_count : 1;
    atom->c = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t c;
        if (!summand(p, parts[i], &c))
            return false;
        atom->c += c;
    }
    if (!fits(atom->c))
        return false;
    atom->rest = term_sub(p->store, sum, times(p, atom->c, p->x));
    return !rewrite_contains(atom->rest, p->x);
}

// (t mod k) = r on either side.
static const struct term *divided(struct problem *p, const struct term *equation, int64_t *modulus)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct term *mod = equation->child[i], *residue = equation->child[1 - i];
        int64_t r;
        if (mod->kind == TERM_MOD && small_literal(mod->child[1], modulus) && *modulus != 0 &&
            small_literal(residue, &r)) {
            *modulus = *modulus < 0 ? -*modulus : *modulus;
            return r >= 0 && r < *modulus ? term_sub(p->store, mod->child[0], residue) : NULL;
        }
    }
    return NULL;
}

static bool read_atom(struct problem *p, const struct term *term, struct atom *atom)
{
    *atom = (struct atom){.term = term};
    if (term->child_count != 2 || term->child[0]->sort->kind != SORT_INT)
        return false;
    const struct term *difference = NULL;
    switch ((enum term_kind)term->kind) {
    case TERM_LE:
    case TERM_LT:
        atom->kind = ATOM_AT_MOST;
        difference = term_sub(p->store, term->child[0], term->child[1]);
        if (term->kind == TERM_LT)
            difference = term_add2(p->store, difference, term_int(p->store, 1));
        return split(p, difference, atom);
    case TERM_EQ:
        difference = divided(p, term, &atom->modulus);
        atom->kind = difference != NULL ? ATOM_DIVIDES : ATOM_EQUAL;
        if (difference == NULL)
            difference = term_sub(p->store, term->child[0], term->child[1]);
        return split(p, difference, atom);
    default:
        return false;
    }
}

static bool read_atoms(struct problem *p, const struct term *body)
{
    struct term_vector all = {0};
    rewrite_atoms(body, &all);
    bool good = true;
    for (size_t i = 0; i < all.count && good; i++) {
        struct atom atom;
        if (!rewrite_contains(all.data[i], p->x))
            continue;
        good = read_atom(p, all.data[i], &atom);
        if (good)
            VECTOR_PUSH(&p->atoms, atom);
    }
    VECTOR_FINISH(&all);
    return good;
}

// ---- polarities

struct signed_term {
    const struct term *term;
    unsigned polarities;
};

static unsigned flipped(unsigned polarities)
{
    return (polarities & POSITIVE ? NEGATIVE : 0) | (polarities & NEGATIVE ? POSITIVE : 0);
}

static unsigned child_polarities(const struct term *term, uint32_t child, unsigned polarities)
{
    switch ((enum term_kind)term->kind) {
    case TERM_AND:
    case TERM_OR:
        return polarities;
    case TERM_NOT:
        return flipped(polarities);
    case TERM_ITE:
        return child == 0 ? POSITIVE | NEGATIVE : polarities;
    default:
        return POSITIVE | NEGATIVE;
    }
}

static void find_polarities(struct problem *p, const struct term *body)
{
    static const char marks[4]; // addresses stand for the sets of polarities
    struct id_map seen = {0};
    VECTOR(struct signed_term) todo = {0};
    VECTOR_PUSH(&todo, ((struct signed_term){body, POSITIVE}));
    while (todo.count > 0) {
        struct signed_term top = VECTOR_POP(&todo);
        const char *mark = id_map_get(&seen, top.term->id);
        unsigned known = mark == NULL ? 0 : (unsigned)(mark - marks);
        unsigned all = known | top.polarities;
        if (all == known || top.term->sort->kind != SORT_BOOL)
            continue;
        id_map_put(&seen, top.term->id, &marks[all]);
        for (uint32_t i = 0; i < top.term->child_count; i++)
            VECTOR_PUSH(&todo, ((struct signed_term){top.term->child[i],
                                                     child_polarities(top.term, i, all)}));
    }
    for (size_t i = 0; i < p->atoms.count; i++) {
        const char *mark = id_map_get(&seen, p->atoms.data[i].term->id);
        p->atoms.data[i].polarities = mark == NULL ? 0 : (unsigned)(mark - marks);
    }
    VECTOR_FINISH(&todo);
    id_map_finish(&seen);
}

// ---- y = scale * x

static bool join(int64_t *multiple, int64_t n)
{
    *multiple = *multiple / gcd(*multiple, n) * (n < 0 ? -n : n);
    return fits(*multiple);
}

static bool scale(struct problem *p)
{
    p->scale = 1;
    for (size_t i = 0; i < p->atoms.count; i++)
        if (p->atoms.data[i].c != 0 && !join(&p->scale, p->atoms.data[i].c))
            return false;
    p->period = p->scale;
    for (size_t i = 0; i < p->atoms.count; i++) {
        struct atom *atom = &p->atoms.data[i];
        if (atom->c == 0)
            continue;
        int64_t factor = p->scale / (atom->c < 0 ? -atom->c : atom->c);
        atom->rest = times(p, factor, atom->rest);
        atom->c = atom->c < 0 ? -1 : 1;
        atom->modulus *= factor;
        if (atom->kind == ATOM_DIVIDES && !join(&p->period, atom->modulus))
            return false;
    }
    return true;
}

// ---- substitution

static const struct term *divides(struct problem *p, int64_t k, const struct term *term)
{
    struct term_store *s = p->store;
    return term_eq(s, term_mod(s, term, term_int(s, k)), term_int(s, 0));
}

// The atom with y = value.
static const struct term *atom_at(struct problem *p, const struct atom *atom,
                                  const struct term *value)
{
    struct term_store *s = p->store;
    const struct term *sum = term_add2(s, times(p, atom->c, value), atom->rest);
    if (atom->kind == ATOM_DIVIDES)
        return divides(p, atom->modulus, sum);
    return atom->kind == ATOM_EQUAL ? term_eq(s, sum, term_int(s, 0))
                                    : term_le(s, sum, term_int(s, 0));
}

// The atom for all y below some bound (or above, if `high`), with y = value in divisibilities.
static const struct term *atom_far(struct problem *p, const struct atom *atom, bool high,
                                   const struct term *value)
{
    if (atom->kind == ATOM_DIVIDES || atom->c == 0)
        return atom_at(p, atom, value);
    if (atom->kind == ATOM_EQUAL)
        return term_false(p->store);
    return term_bool(p->store, (atom->c > 0) != high);
}

static bool is_no_formula(void *context, const struct term *term)
{
    (void)context;
    return term->sort->kind != SORT_BOOL;
}

static const struct term *replaced(void *context, const struct term *term,
                                   const struct term *const *children)
{
    struct problem *p = context;
    const struct term *new_form = id_map_get(&p->replacement, term->id);
    if (new_form != NULL)
        return new_form;
    return term->child_count == 0 ? term : term_rebuild(p->store, term, children);
}

static const struct term *replace_atoms(struct problem *p, const struct term *body)
{
    return bottom_up(body, is_no_formula, replaced, p);
}

static const struct term *body_at(struct problem *p, const struct term *body,
                                  const struct term *value)
{
    id_map_clear(&p->replacement);
    for (size_t i = 0; i < p->atoms.count; i++)
        id_map_put(&p->replacement, p->atoms.data[i].term->id,
                   atom_at(p, &p->atoms.data[i], value));
    return term_and2(p->store, divides(p, p->scale, value), replace_atoms(p, body));
}

static const struct term *body_far(struct problem *p, const struct term *body, bool high,
                                   int64_t residue)
{
    const struct term *value = term_int(p->store, residue);
    id_map_clear(&p->replacement);
    for (size_t i = 0; i < p->atoms.count; i++)
        id_map_put(&p->replacement, p->atoms.data[i].term->id,
                   atom_far(p, &p->atoms.data[i], high, value));
    return term_and2(p->store, divides(p, p->scale, value), replace_atoms(p, body));
}

// ---- test points: the least solution of y lies within a period above a lower bound, or there are
// solutions without end; the same with the greatest and upper bounds.

struct bounds {
    struct term_vector points; // the first value that a bound lets in
    struct term_vector exact;  // the only value that an equation lets in
};

static void add_point(struct term_vector *to, const struct term *point)
{
    for (size_t i = 0; i < to->count; i++)
        if (to->data[i] == point)
            return;
    VECTOR_PUSH(to, point);
}

// high: upper bounds, from above.
static void add_bound(struct problem *p, const struct atom *atom, bool high, struct bounds *out)
{
    struct term_store *s = p->store;
    // c y + rest = 0
    const struct term *zero = atom->c > 0 ? term_neg(s, atom->rest) : atom->rest;
    const struct term *beyond = term_add2(s, zero, term_int(s, high ? -1 : 1));
    if (atom->kind == ATOM_EQUAL) {
        if (atom->polarities & POSITIVE)
            add_point(&out->exact, zero);
        if (atom->polarities & NEGATIVE)
            add_point(&out->points, beyond);
        return;
    }
    bool is_upper = atom->c > 0; // y <= zero, else y >= zero
    if ((atom->polarities & POSITIVE) && is_upper == high)
        add_point(&out->points, zero);
    if ((atom->polarities & NEGATIVE) && is_upper != high)
        add_point(&out->points, beyond);
}

static void find_bounds(struct problem *p, bool high, struct bounds *out)
{
    for (size_t i = 0; i < p->atoms.count; i++)
        if (p->atoms.data[i].kind != ATOM_DIVIDES && p->atoms.data[i].c != 0)
            add_bound(p, &p->atoms.data[i], high, out);
}

static const struct term *try_points(struct problem *p, const struct term *body, bool high,
                                     const struct bounds *bounds)
{
    struct term_store *s = p->store;
    struct term_vector cases = {0};
    for (int64_t j = 0; j < p->period; j++) {
        VECTOR_PUSH(&cases, body_far(p, body, high, j));
        for (size_t i = 0; i < bounds->points.count; i++) {
            const struct term *step = term_int(s, high ? -j : j);
            VECTOR_PUSH(&cases, body_at(p, body, term_add2(s, bounds->points.data[i], step)));
        }
    }
    for (size_t i = 0; i < bounds->exact.count; i++)
        VECTOR_PUSH(&cases, body_at(p, body, bounds->exact.data[i]));
    const struct term *result = term_or(s, cases.data, cases.count);
    VECTOR_FINISH(&cases);
    return result;
}

static void finish_bounds(struct bounds *bounds)
{
    VECTOR_FINISH(&bounds->points);
    VECTOR_FINISH(&bounds->exact);
}

static const struct term *solve(struct problem *p, const struct term *body, uint64_t *nodes)
{
    struct bounds low = {0}, high = {0};
    find_bounds(p, false, &low);
    find_bounds(p, true, &high);
    bool from_above = high.points.count < low.points.count;
    const struct bounds *bounds = from_above ? &high : &low;
    uint64_t cases = (uint64_t)p->period * (bounds->points.count + 1) + bounds->exact.count;
    const struct term *result = NULL;
    if (cases * body->tree_size <= *nodes) {
        *nodes -= cases * body->tree_size;
        result = try_points(p, body, from_above, bounds);
    }
    finish_bounds(&low);
    finish_bounds(&high);
    return result;
}

const struct term *presburger_exists(struct term_store *store, const struct term *x,
                                     const struct term *body, uint64_t *nodes)
{
    assert(x->sort->kind == SORT_INT);
    struct problem problem = {.store = store, .x = x};
    const struct term *result = NULL;
    if (read_atoms(&problem, body) && scale(&problem)) {
        find_polarities(&problem, body);
        result = solve(&problem, body, nodes);
    }
    VECTOR_FINISH(&problem.atoms);
    id_map_finish(&problem.replacement);
    return result;
}
