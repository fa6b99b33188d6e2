#include "engines/bounded/polynomials.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/odd.h"
#include "engines/bounded/bit_hull.h"
#include "engines/bounded/ways.h"
#include "logic/smt/array_reads.h"
#include "logic/smt/products.h"
#include "logic/terms/polynomial.h"
#include "model/walk.h"

enum {
    MOST_LOCATIONS = 12,
    MOST_WORDS = 12, // that products are made of
    MOST_DEGREE = 4,
    MOST_PRODUCTS = 2000, // that are thought of
    WALKS = 150,
    MOST_STEPS = 100,
    MOST_TRIES = 5,         // of a step
    MOST_SAMPLES = 1500,    // of one location
    SCALE = 12,             // of the numbers in every second walk
    MOST_WALKING = 3000000, // nodes of terms
    MOST_DENOMINATOR = 128,
    FEW_PARTS = 6,
    LARGE_FACTORS = 2000,
    MOST_KEPT = 24, // equations of one location
    MOST_CONFLICTS = 300,
    MOST_WORK = 12000000,
    LEAST_WIDTH = 8, // of words
};

struct sample {
    uint64_t value[MOST_WORDS];
};

struct samples_of_words {
    struct sample *data; // a VECTOR
    size_t count, capacity;
};

// A product of words, each by its number, with repetition.
struct product {
    uint32_t degree, cost;
    uint8_t word[MOST_DEGREE];
};

struct word {
    const struct term *term;
    uint32_t uses;
};

struct polynomials {
    struct monolith *m;
    struct term_store *store;
    const struct term *const *known;
    struct ways start, *edges; // by edge
    uint32_t copies;
    VECTOR(struct word) words;
    uint32_t width, degree;
    VECTOR(struct product) products;  // the columns
    bool said[MOST_WORDS];            // words that an equation of the location says by others
    struct samples_of_words *samples; // by location
    struct term_vector *equations;    // by location: those that may hold
    struct smt_context *solver;
    int64_t work; // nodes that questions may still look at
    bool extends; // words of fewer bits are words of more, too
    bool uses_known, stopped;
};

// Ways.

static bool find_all_ways(struct polynomials *p)
{
    const struct model *model = p->m->model;
    bool good = ways_find(p->m, model->initial_action, &p->copies, &p->start);
    for (uint32_t e = 0; e < model->edge_count && good; e++)
        good = ways_find(p->m, model->edges[e]->action, &p->copies, &p->edges[e]);
    return good;
}

// Words and products of them.

static void note_word(struct polynomials *p, const struct term *t, uint32_t uses)
{
    const bool other_width =
        (t->kind == TERM_BV_SEXT || t->kind == TERM_BV_ZEXT || t->kind == TERM_BV_EXTRACT) &&
        t->child[0]->kind == TERM_VAR;
    if (t->sort->width != p->width || (t->kind != TERM_VAR && !other_width) ||
        !monolith_speaks_of_states(p->m, t, NULL))
        return;
    for (size_t i = 0; i < p->words.count; i++)
        if (p->words.data[i].term == t) {
            p->words.data[i].uses += uses;
            return;
        }
    VECTOR_PUSH(&p->words, ((struct word){t, uses}));
}

// Those in a polynomial, first of all in its products.
static void note_polynomial(struct polynomials *p, const struct term *t)
{
    struct polynomial polynomial;
    if (polynomial_of(p->store, t, t->sort->width, &polynomial))
        for (size_t i = 0; i < polynomial.count; i++) {
            const struct monomial_of_words *m = &polynomial.data[i];
            if (m->degree > p->degree)
                p->degree = m->degree;
            for (uint32_t k = 0; k < m->degree; k++)
                note_word(p, m->part[k], m->degree > 1 ? 4 : 1);
        }
    polynomial_finish(&polynomial);
}

// Polynomials of that width in a term: the outermost ones, and both sides of equations.
static void note_term(struct polynomials *p, const struct term *t, bool inside, uint8_t *seen)
{
    const bool word = t->sort->kind == SORT_BV && t->sort->width == p->width;
    const bool operation = word && polynomial_is_operation(t);
    if (seen[t->id] || t->tree_size > 4000)
        return;
    seen[t->id] = 1;
    if (operation && !inside)
        note_polynomial(p, t);
    for (uint32_t i = 0; i < t->child_count; i++)
        note_term(p, t->child[i], operation, seen);
}

static void note_ways(struct polynomials *p, const struct ways *ways, uint8_t *seen)
{
    const struct model *model = p->m->model;
    for (size_t i = 0; i < ways->count; i++) {
        note_term(p, ways->data[i].condition, false, seen);
        for (uint32_t v = 0; v < model->variable_count; v++)
            if (p->m->state[v])
                note_term(p, ways->data[i].now[v], false, seen);
    }
}

static int compare_words(const void *a, const void *b)
{
    const struct word *left = a, *right = b;
    if (left->uses != right->uses)
        return left->uses > right->uses ? -1 : 1;
    return left->term->id < right->term->id ? -1 : left->term->id > right->term->id;
}

static void gather_words(struct polynomials *p)
{
    const struct model *model = p->m->model;
    uint8_t *seen = memory_zalloc(term_store_next_id(p->store) + 1);
    VECTOR_CLEAR(&p->words);
    p->degree = 2;
    note_ways(p, &p->start, seen);
    for (uint32_t e = 0; e < model->edge_count; e++)
        note_ways(p, &p->edges[e], seen);
    memory_free(seen);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *variable = model->variables[v];
        if (!p->m->state[v] || variable->sort->kind != SORT_BV)
            continue;
        note_word(p, variable->term, 0);
        if (p->extends && variable->sort->width >= LEAST_WIDTH && variable->sort->width < p->width)
            note_word(p, term_bv_extend(p->store, TERM_BV_SEXT, variable->term, p->width), 0);
    }
    if (p->words.count > 1)
        qsort(p->words.data, p->words.count, sizeof *p->words.data, compare_words);
    if (p->words.count > MOST_WORDS)
        p->words.count = MOST_WORDS;
    if (p->degree > MOST_DEGREE)
        p->degree = MOST_DEGREE;
}

static int compare_products(const void *a, const void *b)
{
    const struct product *left = a, *right = b;
    if (left->cost != right->cost)
        return left->cost < right->cost ? -1 : 1;
    return memcmp(left->word, right->word, sizeof left->word);
}

// All that begin so, with words from number `from` on. A word costs more the less it is used, but less by itself.
static void add_products(struct polynomials *p, struct product begun, uint8_t from, uint32_t degree)
{
    for (uint8_t w = from; w < p->words.count && p->products.count < MOST_PRODUCTS; w++) {
        struct product next = begun;
        if (p->said[w])
            continue;
        next.word[next.degree++] = w;
        next.cost += 3 + w;
        VECTOR_PUSH(&p->products, next);
        if (next.degree < degree)
            add_products(p, next, w, degree);
    }
}

static void choose_products(struct polynomials *p, uint32_t degree)
{
    VECTOR_CLEAR(&p->products);
    add_products(p, (struct product){0}, 0, degree);
    if (p->products.count > 1)
        qsort(p->products.data, p->products.count, sizeof *p->products.data, compare_products);
    if (p->products.count > BIT_HULL_COLUMNS)
        p->products.count = BIT_HULL_COLUMNS;
}

static uint64_t mask_of(const struct polynomials *p)
{
    return ones_of(p->width);
}

// Samples.

// The values of all words there are kept, unless some word's is not known.
static void keep_sample(struct polynomials *p, struct walk *walk, const struct location *location)
{
    struct samples_of_words *to = &p->samples[location->index];
    struct sample sample;
    if (to->count >= MOST_SAMPLES)
        return;
    for (size_t w = 0; w < p->words.count; w++) {
        struct value is = walk_evaluate(walk, p->words.data[w].term);
        if (!value_known(is))
            return;
        sample.value[w] =
            term_bv_number(term_of_value(walk->store, p->words.data[w].term->sort, is));
    }
    VECTOR_PUSH(to, sample);
}

// A step, most often one that stays in the loop: equations are told by many rounds.
static const struct location *step_on(struct walk *walk, const struct location *here)
{
    const struct location *next = NULL;
    struct value *now = memory_alloc(walk_state_bytes(walk) + 1);
    memcpy(now, walk->now, walk_state_bytes(walk));
    for (int i = 0; i < MOST_TRIES && next != here; i++) {
        memcpy(walk->now, now, walk_state_bytes(walk));
        next = walk_step(walk, here);
    }
    memory_free(now);
    return next;
}

static void walk_around(struct polynomials *p)
{
    const struct model *model = p->m->model;
    struct walk walk;
    for (uint32_t l = 0; l < model->location_count; l++)
        VECTOR_CLEAR(&p->samples[l]);
    walk_init(&walk, model, 17, MOST_WALKING);
    for (int i = 0; i < WALKS && walk.work >= 0 && workspace_step(p->m->workspace, 0); i++) {
        const struct location *here = model->initial;
        walk.scale = i % 4 < 2 ? 1 : SCALE;
        if (!walk_begin(&walk))
            continue;
        keep_sample(p, &walk, here);
        for (int step = 0; step < MOST_STEPS; step++) {
            here = i % 2 == 0 ? step_on(&walk, here) : walk_step(&walk, here);
            if (here == NULL || here == model->error)
                break;
            keep_sample(p, &walk, here);
        }
    }
    walk_finish(&walk);
}

// The smallest set of products' values that equations bound and all samples are in.
static void find_hull(struct polynomials *p, uint32_t location, struct bit_hull *hull)
{
    struct bit_hull *point = memory_alloc(sizeof *point);
    bit_hull_init(hull, p->width, p->products.count);
    bit_hull_init(point, p->width, p->products.count);
    memset(point, 0, sizeof *point);
    point->width = p->width;
    point->columns = p->products.count;
    for (size_t i = 0; i < p->samples[location].count; i++) {
        const struct sample *sample = &p->samples[location].data[i];
        for (size_t c = 0; c < p->products.count; c++) {
            const struct product *product = &p->products.data[c];
            uint64_t value = 1;
            for (uint32_t k = 0; k < product->degree; k++)
                value *= sample->value[product->word[k]];
            point->point[c] = value & mask_of(p);
        }
        bit_hull_join(hull, point);
    }
    memory_free(point);
}

// Equations.

static const struct term *product_term(struct polynomials *p, const struct product *product)
{
    const struct term *all = p->words.data[product->word[0]].term;
    for (uint32_t i = 1; i < product->degree; i++)
        all = term_bv_binary(p->store, TERM_BV_MUL, all, p->words.data[product->word[i]].term);
    return all;
}

// A factor is written on the side where it is small.
static const struct term *equation(struct polynomials *p, const struct bit_sum *sum)
{
    const uint64_t mask = mask_of(p);
    const struct term *left = term_bv(p->store, p->width, 0), *right = left;
    for (size_t c = 0; c < p->products.count; c++) {
        uint64_t factor = sum->coefficient[c] & mask;
        const bool small = factor <= UINT64_C(1) << (p->width - 1);
        const struct term **side = small ? &left : &right;
        if (factor == 0)
            continue;
        const struct term *times = term_bv(p->store, p->width, small ? factor : 0 - factor);
        *side = term_bv_binary(
            p->store, TERM_BV_ADD, *side,
            term_bv_binary(p->store, TERM_BV_MUL, product_term(p, &p->products.data[c]), times));
    }
    right = term_bv_binary(p->store, TERM_BV_ADD, right,
                           term_bv(p->store, p->width, 0 - sum->constant));
    return term_eq(p->store, left, right);
}

static const struct term *all_of(struct polynomials *p, const struct term_vector *facts)
{
    return term_and(p->store, facts->data, facts->count);
}

static const struct term *question(struct polynomials *p, const struct term *formula)
{
    int64_t most = p->work < PRODUCTS_WORK ? p->work : PRODUCTS_WORK, work = most;
    const struct term *asked = products_question(p->store, formula, &work);
    p->work -= most - work + 1;
    p->stopped = p->stopped || p->work <= 0 || !workspace_step(p->m->workspace, 0);
    return asked;
}

// Arrays are told by what is read of them, where that can be done.
static const struct term *without_arrays(struct polynomials *p, const struct term *formula)
{
    if (!monolith_has_arrays(p->m))
        return formula;
    struct array_reads *reads = array_reads_create(p->store);
    const struct term *told = array_reads_of(reads, formula);
    const struct term *facts = told != NULL ? array_reads_facts(reads) : NULL;
    array_reads_destroy(reads);
    return facts != NULL ? term_and2(p->store, told, facts) : formula;
}

// Whether no state satisfies it; with what else is known, if need be.
static bool is_impossible(struct polynomials *p, const struct term *formula,
                          const struct term *besides)
{
    if (term_is_false(formula))
        return true;
    const struct term *asked = question(p, formula);
    if (asked != NULL && term_is_false(asked))
        return true;
    if (besides == NULL)
        return false;
    p->uses_known = p->uses_known || !term_is_true(besides);
    p->stopped = p->stopped || !workspace_step(p->m->workspace, 1);
    const struct term *both = term_and2(p->store, formula, besides);
    if (!term_is_true(besides))
        asked = question(p, both);
    if (asked == NULL && !products_occur(p->store, both))
        asked = both;
    if (asked == NULL || p->stopped || term_is_false(asked))
        return asked != NULL && term_is_false(asked);
    struct smt *smt = smt_create(p->solver);
    smt_assert(smt, without_arrays(p, asked));
    bool impossible = smt_check(smt) == SMT_UNSAT;
    smt_destroy(smt);
    return impossible;
}

struct sized_equation {
    const struct term *fact;
    uint32_t degree;
    const struct bit_sum *sum;
};

static int compare_equations(const void *a, const void *b)
{
    const struct sized_equation *left = a, *right = b;
    if (left->degree != right->degree)
        return left->degree < right->degree ? -1 : 1;
    if (left->fact->tree_size != right->fact->tree_size)
        return left->fact->tree_size < right->fact->tree_size ? -1 : 1;
    return left->fact->id < right->fact->id ? -1 : left->fact->id > right->fact->id;
}

static uint32_t degree_of(const struct polynomials *p, const struct bit_sum *sum)
{
    uint32_t degree = 0;
    for (size_t c = 0; c < p->products.count; c++)
        if (sum->coefficient[c] != 0 && p->products.data[c].degree > degree)
            degree = p->products.data[c].degree;
    return degree;
}

static bool is_unit(const struct polynomials *p, uint64_t factor)
{
    return factor == 1 || factor == mask_of(p);
}

// The only place of a word in the equation, where it has factor 1 or -1: then the others say it. False: there is none.
static bool find_said(const struct polynomials *p, const struct bit_sum *sum, size_t *word)
{
    uint32_t uses[MOST_WORDS] = {0};
    bool alone[MOST_WORDS] = {false};
    for (size_t c = 0; c < p->products.count; c++) {
        const struct product *product = &p->products.data[c];
        if (sum->coefficient[c] == 0)
            continue;
        for (uint32_t k = 0; k < product->degree; k++)
            uses[product->word[k]]++;
        if (product->degree == 1 && is_unit(p, sum->coefficient[c]))
            alone[product->word[0]] = true;
    }
    for (size_t w = p->words.count; w-- > 0;)
        if (alone[w] && uses[w] == 1) {
            *word = w;
            return true;
        }
    return false;
}

static void scale(const struct polynomials *p, struct bit_sum *sum, uint64_t factor)
{
    for (size_t c = 0; c < p->products.count; c++)
        sum->coefficient[c] = sum->coefficient[c] * factor & mask_of(p);
    sum->constant = sum->constant * factor & mask_of(p);
}

static void take_times(const struct polynomials *p, struct bit_sum *from, const struct bit_sum *sum,
                       uint64_t factor)
{
    for (size_t c = 0; c < p->products.count; c++)
        from->coefficient[c] = (from->coefficient[c] - factor * sum->coefficient[c]) & mask_of(p);
    from->constant = (from->constant - factor * sum->constant) & mask_of(p);
}

// Of all factors, without their signs.
static unsigned __int128 size_of(const struct polynomials *p, const struct bit_sum *sum)
{
    unsigned __int128 size = 0;
    for (size_t c = 0; c <= p->products.count; c++) {
        uint64_t factor = c < p->products.count ? sum->coefficient[c] : sum->constant;
        uint64_t minus = (0 - factor) & mask_of(p);
        size += factor < minus ? factor : minus;
    }
    return size;
}

// What equations say of the lowest bits alone: each of a product times a power of two, by others that cost less.
struct low_equations {
    struct bit_sum *sums;
    size_t count;
    size_t *column; // the product's
};

// Takes them out, so often that the factors of those products become small.
static void reduce(const struct polynomials *p, struct bit_sum *sum,
                   const struct low_equations *low)
{
    for (size_t i = 0; i < low->count; i++) {
        const int rank = __builtin_ctzll(low->sums[i].coefficient[low->column[i]]);
        const uint64_t half = rank > 0 ? UINT64_C(1) << (rank - 1) : 0;
        take_times(p, sum, &low->sums[i],
                   ((sum->coefficient[low->column[i]] + half) & mask_of(p)) >> rank);
    }
}

// The same equation with small factors: n / 3 + n n = y / 3 is n + 3 n n = y.
static void make_small(const struct polynomials *p, struct bit_sum *sum,
                       const struct low_equations *low)
{
    struct bit_sum best = *sum;
    for (uint64_t odd = 1; odd < MOST_DENOMINATOR; odd += 2) {
        struct bit_sum other = *sum;
        scale(p, &other, odd);
        reduce(p, &other, low);
        if (size_of(p, &other) < size_of(p, &best))
            best = other;
    }
    *sum = best;
}

// Those from number `done` on have even factors only.
static struct low_equations solve_low(const struct polynomials *p, struct bit_sum *sums,
                                      size_t count, size_t done)
{
    struct low_equations low = {sums + done, 0, memory_alloc((count + 1) * sizeof *low.column)};
    for (size_t c = p->products.count; c-- > 0 && done + low.count < count;) {
        struct bit_sum *best = NULL, *first = &low.sums[low.count];
        for (struct bit_sum *s = first; s < sums + count; s++)
            if (s->coefficient[c] != 0 &&
                (best == NULL ||
                 __builtin_ctzll(s->coefficient[c]) < __builtin_ctzll(best->coefficient[c])))
                best = s;
        if (best == NULL)
            continue;
        struct bit_sum pivot = *best;
        const int rank = __builtin_ctzll(pivot.coefficient[c]);
        *best = *first;
        *first = pivot;
        scale(p, first, odd_inverse(pivot.coefficient[c] >> rank));
        for (struct bit_sum *s = first + 1; s < sums + count; s++)
            take_times(p, s, first, s->coefficient[c] >> rank);
        low.column[low.count++] = c;
    }
    return low;
}

// Equations each of which says a product by others that cost less: those that cost most are taken out of all others, one by one.
static void solve_equations(const struct polynomials *p, struct bit_sum *sums, size_t count)
{
    size_t done = 0;
    for (size_t c = p->products.count; c-- > 0 && done < count;) {
        size_t row = done;
        while (row < count && sums[row].coefficient[c] % 2 == 0)
            row++;
        if (row == count)
            continue;
        struct bit_sum pivot = sums[row];
        sums[row] = sums[done];
        scale(p, &pivot, odd_inverse(pivot.coefficient[c]));
        for (size_t k = 0; k < count; k++)
            take_times(p, &sums[k], &pivot, sums[k].coefficient[c]);
        sums[done++] = pivot;
    }
    struct low_equations low = solve_low(p, sums, count, done);
    for (size_t i = 0; i < done; i++)
        make_small(p, &sums[i], &low);
    memory_free(low.column);
}

// What is only said of the lowest bits of products, such as that x * x is even where x is, is of no use.
static bool says_all(const struct polynomials *p, const struct bit_sum *sum)
{
    for (size_t c = 0; c < p->products.count; c++)
        if (sum->coefficient[c] % 2 == 1)
            return true;
    return false;
}

// Many products with large factors happen to fit the samples, as any curve through few points does.
static bool is_likely(const struct polynomials *p, const struct bit_sum *sum)
{
    size_t parts = 0;
    for (size_t c = 0; c < p->products.count; c++)
        parts += sum->coefficient[c] != 0;
    return says_all(p, sum) && (parts <= FEW_PARTS || size_of(p, sum) <= LARGE_FACTORS);
}

// Those of up to that degree that do not follow from simpler ones. A word that one says by others is not looked at in further ones.
static void tell_some(struct polynomials *p, uint32_t location, uint32_t degree)
{
    struct bit_hull *hull = memory_alloc(sizeof *hull);
    struct bit_sum *sums = memory_alloc((BIT_HULL_COLUMNS + 1) * sizeof *sums);
    choose_products(p, degree);
    find_hull(p, location, hull);
    size_t count = hull->empty ? 0 : bit_hull_equations(hull, sums), told = 0, word;
    struct sized_equation *sized = memory_alloc((count + 1) * sizeof *sized);
    struct term_vector *out = &p->equations[location];
    solve_equations(p, sums, count);
    for (size_t i = 0; i < count; i++)
        if (is_likely(p, &sums[i]))
            sized[told++] =
                (struct sized_equation){equation(p, &sums[i]), degree_of(p, &sums[i]), &sums[i]};
    if (told > 1)
        qsort(sized, told, sizeof *sized, compare_equations);
    for (size_t i = 0; i < told && out->count < MOST_KEPT; i++) {
        const struct term *not = term_not(p->store, sized[i].fact);
        if (is_impossible(p, term_and2(p->store, all_of(p, out), not ), NULL))
            continue;
        VECTOR_PUSH(out, sized[i].fact);
        if (find_said(p, sized[i].sum, &word))
            p->said[word] = true;
    }
    memory_free(sized);
    memory_free(sums);
    memory_free(hull);
}

static void tell_equations(struct polynomials *p, uint32_t location, uint32_t most)
{
    memset(p->said, 0, sizeof p->said);
    for (uint32_t degree = 1; degree <= most && !p->stopped; degree++)
        tell_some(p, location, degree);
}

static bool has_products(struct polynomials *p, const struct ways *ways)
{
    for (size_t i = 0; i < ways->count; i++) {
        if (products_occur(p->store, ways->data[i].condition))
            return true;
        for (uint32_t v = 0; v < p->m->model->variable_count; v++)
            if (p->m->state[v] && ways->data[i].now[v] != NULL &&
                products_occur(p->store, ways->data[i].now[v]))
                return true;
    }
    return false;
}

static bool multiplies(struct polynomials *p)
{
    bool some = has_products(p, &p->start);
    for (uint32_t e = 0; e < p->m->model->edge_count && !some; e++)
        some = has_products(p, &p->edges[e]);
    return some;
}

// Of up to that degree. False: the model has no products of more words.
static bool find_equations(struct polynomials *p, uint32_t degree)
{
    const struct model *model = p->m->model;
    uint64_t done = 0; // widths, as bits
    bool more = false;
    for (uint32_t l = 0; l < model->location_count; l++)
        VECTOR_CLEAR(&p->equations[l]);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct sort *sort = model->variables[v]->sort;
        if (!p->m->state[v] || sort->kind != SORT_BV || sort->width < LEAST_WIDTH ||
            sort->width > 64 || (done & UINT64_C(1) << (sort->width - 1)) != 0)
            continue;
        done |= UINT64_C(1) << (sort->width - 1);
        p->width = sort->width;
        gather_words(p);
        walk_around(p);
        for (uint32_t l = 0; l < model->location_count && !p->stopped; l++)
            if (model->locations[l] != model->error)
                tell_equations(p, l, degree < p->degree ? degree : p->degree);
        more = more || degree < p->degree;
    }
    return more;
}

// Which of them are inductive.

static const struct term *known_at(struct polynomials *p, const struct location *location)
{
    return p->known != NULL && location != NULL ? p->known[location->index] : term_true(p->store);
}

// Drops what does not hold where the way ends. True: something was dropped.
static bool drop_by_way(struct polynomials *p, const struct location *source,
                        const struct location *target, const struct way *way)
{
    const struct term *before = way->condition;
    struct term_vector *after = &p->equations[target->index];
    size_t kept = 0, count = after->count;
    if (source != NULL)
        before = term_and2(p->store, before, all_of(p, &p->equations[source->index]));
    for (size_t i = 0; i < count; i++) {
        const struct term *not = term_not(p->store, way_at(p->m, way, after->data[i]));
        if (is_impossible(p, term_and2(p->store, before, not ), known_at(p, source)))
            after->data[kept++] = after->data[i];
    }
    after->count = kept;
    return kept < count;
}

static void drop_others(struct polynomials *p)
{
    const struct model *model = p->m->model;
    for (size_t i = 0; i < p->start.count; i++)
        drop_by_way(p, NULL, model->initial, &p->start.data[i]);
    for (bool again = true; again && !p->stopped;) {
        again = false;
        for (uint32_t e = 0; e < model->edge_count; e++) {
            const struct edge *edge = model->edges[e];
            for (size_t i = 0; i < p->edges[e].count && !p->stopped; i++)
                if (edge->target != model->error && edge->source != model->error)
                    again |= drop_by_way(p, edge->source, edge->target, &p->edges[e].data[i]);
        }
    }
}

static bool excludes_errors(struct polynomials *p)
{
    const struct model *model = p->m->model;
    bool good = model->initial != model->error && !p->stopped;
    for (uint32_t e = 0; e < model->edge_count; e++) {
        const struct edge *edge = model->edges[e];
        for (size_t i = 0; i < p->edges[e].count && good; i++) {
            if (edge->target != model->error || edge->source == model->error)
                continue;
            const struct term *before = all_of(p, &p->equations[edge->source->index]);
            before = term_and2(p->store, before, p->edges[e].data[i].condition);
            good = is_impossible(p, before, known_at(p, edge->source)) && !p->stopped;
        }
    }
    return good;
}

static const struct term **facts(struct polynomials *p)
{
    const struct model *model = p->m->model;
    const struct term **out = memory_alloc((model->location_count + 1) * sizeof *out);
    for (uint32_t l = 0; l < model->location_count; l++)
        out[l] = model->locations[l] == model->error ? term_false(p->store)
                 : p->uses_known ? term_and2(p->store, known_at(p, model->locations[l]),
                                             all_of(p, &p->equations[l]))
                                 : all_of(p, &p->equations[l]);
    return out;
}

static void finish(struct polynomials *p)
{
    const struct model *model = p->m->model;
    ways_finish(&p->start);
    for (uint32_t e = 0; e < model->edge_count; e++)
        ways_finish(&p->edges[e]);
    for (uint32_t l = 0; l < model->location_count; l++) {
        VECTOR_FINISH(&p->equations[l]);
        VECTOR_FINISH(&p->samples[l]);
    }
    VECTOR_FINISH(&p->words);
    VECTOR_FINISH(&p->products);
    memory_free(p->edges);
    memory_free(p->equations);
    memory_free(p->samples);
}

// False: there are too many locations or ways, or there is no solver.
static bool begin(struct polynomials *p)
{
    const struct model *model = p->m->model;
    p->store = p->m->store;
    p->edges = memory_zalloc((model->edge_count + 1) * sizeof *p->edges);
    p->equations = memory_zalloc((model->location_count + 1) * sizeof *p->equations);
    p->samples = memory_zalloc((model->location_count + 1) * sizeof *p->samples);
    if (model->location_count > MOST_LOCATIONS)
        return false;
    p->solver = workspace_limited_solver(p->m->workspace, MOST_CONFLICTS);
    return p->solver != NULL && find_all_ways(p);
}

const struct term **polynomials_prove(struct monolith *m, const struct term *const *known)
{
    const struct term **out = NULL;
    struct polynomials p = {.m = m, .known = known, .work = MOST_WORK};
    bool more = begin(&p) && multiplies(&p);
    for (uint32_t degree = 2; more && out == NULL && !p.stopped; degree++) {
        more = find_equations(&p, degree);
        drop_others(&p);
        if (excludes_errors(&p))
            out = facts(&p);
    }
    finish(&p);
    return out;
}

const struct term **polynomials_settle(struct monolith *m, const struct located_facts *located,
                                       const struct term *const *known)
{
    const struct term **out = NULL;
    struct polynomials p = {.m = m, .known = known, .work = MOST_WORK};
    if (located->count == 0)
        return NULL;
    if (begin(&p)) {
        for (size_t i = 0; i < located->count; i++)
            VECTOR_PUSH(&p.equations[located->data[i].location], located->data[i].fact);
        drop_others(&p);
        if (excludes_errors(&p))
            out = facts(&p);
    }
    finish(&p);
    return out;
}

void polynomials_guess(struct monolith *m, struct located_facts *facts)
{
    struct polynomials p = {.m = m, .work = MOST_WORK, .extends = true};
    if (begin(&p))
        find_equations(&p, multiplies(&p) ? 2 : 1);
    for (uint32_t l = 0; l < m->model->location_count; l++)
        for (size_t i = 0; i < p.equations[l].count; i++) {
            const struct term *fact = p.equations[l].data[i];
            VECTOR_PUSH(facts, ((struct located_fact){l, fact, fact, fact, NULL}));
        }
    finish(&p);
}
