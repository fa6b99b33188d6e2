#include "model/parts.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "model/model_memory.h"

#define MOST_DEPTH 2000 // of terms: they are walked by calling
#define MOST_PARTS 3    // of a word
#define MOST_LOOKS 2000 // into one term for its zeros or its parts: as a tree
#define MOST_WIDTH 128  // of a word that is cut

// What is known of a variable of the source.
struct word {
    uint32_t like;      // a variable that is assigned to it, or it to that one (union-find)
    uint32_t border;    // where one term that is assigned is put together; 0: nowhere
    uint32_t zeros;     // all that is assigned has at least so many zeros below
    bool other;         // something else is assigned, too
    bool open, written; // it becomes arbitrary; something is assigned
    bool walks;         // of all that are like it: it is cut at `border`
    uint32_t cuts[MOST_PARTS - 1], cut_count; // from the highest down
};

struct part {
    uint32_t of, high, low; // variable of the source, and its bits
};

struct parts_recoding {
    struct recoding base;
    uint32_t *first; // by variable of the source: its first part, the highest; one more at the end
    struct part *parts; // by variable of the recoded model; those after them live inside a step
    uint32_t part_count;
};

struct making {
    const struct model *source;
    struct model_builder *builder;
    struct term_store *store;
    struct word *words; // by variable of the source
    const uint32_t *first;
    struct part *parts;
    const struct variable **made; // by part
    const struct term **whole;    // by variable of the source: of its parts
    const struct term **memo;     // by id of the source's terms
    bool *touched;                // likewise: it speaks of a word that was cut
    struct location **location;
    uint32_t looks;
};

static bool is_word(const struct term *t)
{
    return t->sort->kind == SORT_BV;
}

static const struct variable *variable_of(const struct model *source, const struct term *t)
{
    return t->kind == TERM_VAR ? model_variable_of(source, t) : NULL;
}

// Which words are cut.

static uint32_t find_like(struct word *words, uint32_t v)
{
    while (words[v].like != v) {
        words[v].like = words[words[v].like].like;
        v = words[v].like;
    }
    return v;
}

// A term that takes more looks, as a tree, counts as something else.
static void look_at(const struct model *source, struct word *words, uint32_t v,
                    const struct term *t, uint32_t *looks)
{
    const struct variable *u = variable_of(source, t);
    if (t->kind == TERM_ITE && *looks > 0) {
        --*looks;
        look_at(source, words, v, t->child[1], looks);
        look_at(source, words, v, t->child[2], looks);
    } else if (u != NULL) {
        words[find_like(words, u->index)].like = find_like(words, v);
    } else if (t->kind == TERM_BV_CONCAT) {
        uint32_t border = t->child[1]->sort->width;
        words[v].other |= words[v].border != 0 && words[v].border != border;
        words[v].border = border;
    } else if (!term_is_literal(t)) {
        words[v].other = true;
    }
}

static void look_in(const struct model *source, struct word *words, const struct statement *s)
{
    if (s->kind == STATEMENT_ASSIGN && is_word(s->variable->term)) {
        uint32_t looks = MOST_LOOKS;
        look_at(source, words, s->variable->index, s->expression, &looks);
        words[s->variable->index].written = true;
    }
    if (s->kind == STATEMENT_HAVOC)
        words[s->variable->index].open = true;
    for (uint32_t i = 0; i < s->child_count; i++)
        look_in(source, words, s->child[i]);
}

// What is known of one holds of all that are like it. True: some are cut.
static bool join(const struct model *source, struct word *words)
{
    bool some = false;
    for (uint32_t v = 0; v < source->variable_count; v++) {
        struct word *all = &words[find_like(words, v)];
        const struct word *w = &words[v];
        all->other |= w->other || source->variables[v]->sort->width > MOST_WIDTH ||
                      (w->border != 0 && all->border != 0 && w->border != all->border);
        all->border = w->border != 0 ? w->border : all->border;
    }
    for (uint32_t v = 0; v < source->variable_count; v++) {
        const struct word *all = &words[find_like(words, v)];
        words[v].border = all->border;
        words[v].walks = is_word(source->variables[v]->term) && !all->other && all->border != 0;
        some |= words[v].walks;
    }
    return some;
}

// Zeros at the end of words.

struct zeros {
    const struct model *source; // its variables' words are known
    const struct word *words;
    struct term_store *store;
    uint32_t looks;
};

static uint32_t literal_zeros(struct term_store *store, const struct term *t)
{
    uint32_t n = 0, width = t->sort->width;
    const struct term *zero = term_bv(store, 1, 0);
    while (n < width && term_bv_extract(store, t, n, n) == zero)
        n++;
    return n;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t zeros_of(struct zeros *z, const struct term *t);

static uint32_t zeros_of_operation(struct zeros *z, const struct term *t)
{
    uint32_t width = t->sort->width;
    uint32_t a = zeros_of(z, t->child[0]), b = zeros_of(z, t->child[1]);
    switch (t->kind) {
    case TERM_BV_ADD:
    case TERM_BV_OR:
    case TERM_BV_XOR:
        return least(a, b);
    case TERM_BV_AND:
        return a > b ? a : b;
    case TERM_BV_MUL:
        return least(width, a + b);
    case TERM_BV_SHL:
        return t->child[1]->kind == TERM_BV && width <= 64 && term_bv_number(t->child[1]) < width
                   ? least(width, a + (uint32_t)term_bv_number(t->child[1]))
                   : a;
    case TERM_BV_CONCAT:
        return b < t->child[1]->sort->width ? b : b + a;
    default:
        return 0;
    }
}

// At least so many; all where the width is.
static uint32_t zeros_of(struct zeros *z, const struct term *t)
{
    if (t->kind == TERM_BV)
        return literal_zeros(z->store, t);
    if (z->looks == 0 || !is_word(t))
        return 0;
    z->looks--;
    uint32_t n;
    const struct variable *v;
    switch (t->kind) {
    case TERM_VAR:
        v = z->source != NULL ? variable_of(z->source, t) : NULL;
        return v != NULL ? z->words[v->index].zeros : 0;
    case TERM_ITE:
        n = zeros_of(z, t->child[1]);
        return n == 0 ? 0 : least(n, zeros_of(z, t->child[2]));
    case TERM_BV_NEG:
        return zeros_of(z, t->child[0]);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        n = zeros_of(z, t->child[0]);
        return n < t->child[0]->sort->width ? n : t->sort->width;
    case TERM_BV_EXTRACT:
        n = zeros_of(z, t->child[0]);
        return n > t->u.extract.low ? least(n - t->u.extract.low, t->sort->width) : 0;
    default:
        return t->child_count == 2 ? zeros_of_operation(z, t) : 0;
    }
}

// True when something changed.
static bool assigned_zeros(struct zeros *z, struct word *words, const struct statement *s)
{
    bool changed = false;
    if (s->kind == STATEMENT_ASSIGN && is_word(s->variable->term)) {
        struct word *w = &words[s->variable->index];
        z->looks = MOST_LOOKS;
        uint32_t zeros = w->zeros > 0 ? zeros_of(z, s->expression) : 0;
        // Of a pointer that is null all bits are zeros.
        changed = zeros < w->zeros;
        w->zeros = least(w->zeros, zeros);
    }
    for (uint32_t i = 0; i < s->child_count; i++)
        changed = assigned_zeros(z, words, s->child[i]) || changed;
    return changed;
}

static void find_zeros(const struct model *source, struct word *words, struct term_store *store,
                       const _Atomic bool *given_up)
{
    struct zeros z = {.source = source, .words = words, .store = store};
    // What a pointer is before something is assigned does not matter as a rule.
    for (uint32_t v = 0; v < source->variable_count; v++) {
        const struct variable *of = source->variables[v];
        bool any = !words[v].written || (words[v].open && !words[v].walks);
        words[v].zeros = is_word(of->term) && !any ? of->sort->width : 0;
    }
    for (bool again = true; again && !(given_up != NULL && *given_up);) {
        again = assigned_zeros(&z, words, source->initial_action);
        for (uint32_t e = 0; e < source->edge_count; e++)
            again = assigned_zeros(&z, words, source->edges[e]->action) || again;
    }
}

static void choose_cuts(const struct model *source, struct word *words)
{
    uint32_t *step = memory_alloc((source->variable_count + 1) * sizeof *step);
    for (uint32_t v = 0; v < source->variable_count; v++)
        step[v] = MOST_WIDTH + 1;
    for (uint32_t v = 0; v < source->variable_count; v++) {
        uint32_t all = find_like(words, v);
        step[all] = least(step[all], words[v].zeros);
    }
    for (uint32_t v = 0; v < source->variable_count; v++) {
        struct word *w = &words[v];
        uint32_t zeros = step[find_like(words, v)];
        if (!w->walks)
            continue;
        w->cuts[w->cut_count++] = w->border;
        if (zeros > 0 && zeros < w->border)
            w->cuts[w->cut_count++] = zeros;
    }
    memory_free(step);
}

// What is compared with a word that is cut is cut, too, where its end is all zeros: sizes of blocks.
static bool speaks_of_cut(const struct making *m, const struct term *t)
{
    struct term_vector variables = {0};
    bool some = false;
    rewrite_free_variables(t, &variables);
    for (size_t i = 0; i < variables.count && !some; i++) {
        const struct variable *v = model_variable_of(m->source, variables.data[i]);
        some = v != NULL && m->words[v->index].walks;
    }
    VECTOR_FINISH(&variables);
    return some;
}

static void cut_compared(struct making *m, const struct term *t)
{
    struct term_vector atoms = {0};
    rewrite_atoms(t, &atoms);
    for (size_t i = 0; i < atoms.count; i++) {
        const struct term *a = atoms.data[i];
        struct term_vector variables = {0};
        if (a->child_count == 2 && is_word(a->child[0]) && speaks_of_cut(m, a))
            rewrite_free_variables(a, &variables);
        for (size_t k = 0; k < variables.count; k++) {
            const struct variable *v = model_variable_of(m->source, variables.data[k]);
            if (v == NULL || v->sort != a->child[0]->sort || (v->flags & VARIABLE_LOCAL))
                continue;
            struct word *w = &m->words[v->index];
            if (w->cut_count == 0 && w->zeros > 0 && w->zeros < v->sort->width)
                w->cuts[w->cut_count++] = w->zeros;
        }
        VECTOR_FINISH(&variables);
    }
    VECTOR_FINISH(&atoms);
}

static void cut_what_is_compared(struct making *m, const struct statement *s)
{
    if (s->expression != NULL && s->expression->sort->kind == SORT_BOOL)
        cut_compared(m, s->expression);
    for (uint32_t i = 0; i < s->child_count; i++)
        cut_what_is_compared(m, s->child[i]);
}

// Terms.

static const struct term *bits_of(struct making *m, const struct term *t, uint32_t high,
                                  uint32_t low);

static uint32_t zeros_below(struct making *m, const struct term *t)
{
    struct zeros z = {.store = m->store, .looks = MOST_LOOKS};
    return zeros_of(&z, t);
}

static const struct term *bits_of_product(struct making *m, const struct term *t, uint32_t high,
                                          uint32_t low)
{
    const struct term *factor = t->child[1];
    uint32_t width = high - low + 1;
    if (factor->kind != TERM_BV || literal_zeros(m->store, factor) < low)
        return term_bv_extract(m->store, t, high, low);
    const struct term *rest = term_bv_extract(m->store, factor, high, low);
    return term_bv_binary(m->store, TERM_BV_MUL, bits_of(m, t->child[0], width - 1, 0), rest);
}

static const struct term *bits_of_extension(struct making *m, const struct term *t, uint32_t high,
                                            uint32_t low)
{
    const struct term *a = t->child[0];
    uint32_t border = a->sort->width;
    if (high < border)
        return bits_of(m, a, high, low);
    if (low >= border)
        return term_bv_extract(m->store, t, high, low);
    return term_bv_extend(m->store, t->kind, bits_of(m, a, border - 1, low), high - low + 1);
}

static const struct term *bits_of_pair(struct making *m, const struct term *t, uint32_t high,
                                       uint32_t low)
{
    uint32_t border = t->child[1]->sort->width;
    if (low >= border)
        return bits_of(m, t->child[0], high - border, low - border);
    if (high < border)
        return bits_of(m, t->child[1], high, low);
    return term_bv_binary(m->store, TERM_BV_CONCAT, bits_of(m, t->child[0], high - border, 0),
                          bits_of(m, t->child[1], border - 1, low));
}

// Of sums and the like no carry comes from below.
static bool begins_anew(struct making *m, const struct term *t, uint32_t low)
{
    for (uint32_t i = 0; i < t->child_count; i++)
        if (low > 0 && zeros_below(m, t->child[i]) < low)
            return false;
    return true;
}

// term_bv_extract, taken to the parts of what the term is made of.
static const struct term *bits_of(struct making *m, const struct term *t, uint32_t high,
                                  uint32_t low)
{
    if (low == 0 && high + 1 == t->sort->width)
        return t;
    if (m->looks == 0)
        return term_bv_extract(m->store, t, high, low);
    m->looks--;
    switch (t->kind) {
    case TERM_BV_CONCAT:
        return bits_of_pair(m, t, high, low);
    case TERM_ITE:
        return term_ite(m->store, t->child[0], bits_of(m, t->child[1], high, low),
                        bits_of(m, t->child[2], high, low));
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return bits_of_extension(m, t, high, low);
    case TERM_BV_NOT:
        return term_bv_unary(m->store, t->kind, bits_of(m, t->child[0], high, low));
    case TERM_BV_NEG:
        if (!begins_anew(m, t, low))
            break;
        return term_bv_unary(m->store, t->kind, bits_of(m, t->child[0], high, low));
    case TERM_BV_ADD:
        if (!begins_anew(m, t, low))
            break;
        return term_bv_binary(m->store, t->kind, bits_of(m, t->child[0], high, low),
                              bits_of(m, t->child[1], high, low));
    case TERM_BV_AND:
    case TERM_BV_OR:
    case TERM_BV_XOR:
        return term_bv_binary(m->store, t->kind, bits_of(m, t->child[0], high, low),
                              bits_of(m, t->child[1], high, low));
    case TERM_BV_MUL:
        return bits_of_product(m, t, high, low);
    default:
        break;
    }
    return term_bv_extract(m->store, t, high, low);
}

static bool is_comparison(const struct term *t)
{
    return (t->kind == TERM_EQ && is_word(t->child[0])) ||
           (t->kind >= TERM_BV_ULT && t->kind <= TERM_BV_SLE);
}

// The place from which on both are numbers of their own, where one of them is put together; 0: there is none.
static uint32_t common_border(struct making *m, const struct term *a, const struct term *b)
{
    for (int k = 0; k < 2; k++) {
        const struct term *pair = k == 0 ? a : b, *other = k == 0 ? b : a;
        if (pair->kind != TERM_BV_CONCAT)
            continue;
        uint32_t border = pair->child[1]->sort->width;
        if ((other->kind == TERM_BV_CONCAT && other->child[1]->sort->width == border) ||
            other->kind == TERM_BV || zeros_below(m, other) >= border)
            return border;
    }
    return 0;
}

struct halves {
    const struct term *high, *low;
};

static struct halves halves_of(struct making *m, const struct term *t, uint32_t border)
{
    m->looks = MOST_LOOKS;
    const struct term *high = bits_of(m, t, t->sort->width - 1, border);
    return (struct halves){high, bits_of(m, t, border - 1, 0)};
}

// a < b, by their halves.
static const struct term *is_less(struct making *m, enum term_kind less, struct halves a,
                                  struct halves b)
{
    const struct term *low = term_bv_binary(m->store, TERM_BV_ULT, a.low, b.low);
    return term_or2(m->store, term_bv_binary(m->store, less, a.high, b.high),
                    term_and2(m->store, term_eq(m->store, a.high, b.high), low));
}

static const struct term *compared(struct making *m, const struct term *t);

static const struct term *equal(struct making *m, const struct term *a, const struct term *b)
{
    const struct term *made = term_eq(m->store, a, b);
    return is_comparison(made) ? compared(m, made) : made;
}

// Sides that are put together at one place: their halves decide, in order.
static const struct term *compared(struct making *m, const struct term *t)
{
    const struct term *a = t->child[0], *b = t->child[1];
    uint32_t border = common_border(m, a, b);
    const struct term *pair = a->kind == TERM_BV_CONCAT ? a : b;
    if (border == 0 && t->kind == TERM_EQ && pair->kind == TERM_BV_CONCAT)
        border = pair->child[1]->sort->width;
    if (border == 0)
        return t;
    struct halves of_a = halves_of(m, a, border), of_b = halves_of(m, b, border);
    switch (t->kind) {
    case TERM_BV_ULT:
    case TERM_BV_SLT:
        return is_less(m, t->kind, of_a, of_b);
    case TERM_BV_ULE:
        return term_not(m->store, is_less(m, TERM_BV_ULT, of_b, of_a));
    case TERM_BV_SLE:
        return term_not(m->store, is_less(m, TERM_BV_SLT, of_b, of_a));
    default:
        return term_and2(m->store, equal(m, of_a.high, of_b.high), equal(m, of_a.low, of_b.low));
    }
}

// What is added to a word that is put together does not reach its lower half.
static const struct term *moved(struct making *m, const struct term *t)
{
    uint32_t border = common_border(m, t->child[0], t->child[1]);
    if (border == 0)
        return t;
    struct halves a = halves_of(m, t->child[0], border), b = halves_of(m, t->child[1], border);
    const struct term *zero = term_bv(m->store, border, 0);
    if (a.low != zero && b.low != zero)
        return t;
    return term_bv_binary(m->store, TERM_BV_CONCAT,
                          term_bv_binary(m->store, TERM_BV_ADD, a.high, b.high),
                          a.low == zero ? b.low : a.low);
}

static const struct term *translate(struct making *m, const struct term *t)
{
    if (m->memo[t->id] != NULL)
        return m->memo[t->id];
    const struct variable *v = variable_of(m->source, t);
    const struct term *made = t;
    bool touched = false;
    if (v != NULL) {
        made = m->whole[v->index];
        touched = made != t;
    } else if (t->child_count > 0 && !term_is_literal(t)) {
        const struct term **children = memory_alloc(t->child_count * sizeof(*children));
        for (uint32_t i = 0; i < t->child_count; i++) {
            children[i] = translate(m, t->child[i]);
            touched |= m->touched[t->child[i]->id];
        }
        m->looks = MOST_LOOKS;
        if (touched)
            made = t->kind == TERM_BV_EXTRACT
                       ? bits_of(m, children[0], t->u.extract.high, t->u.extract.low)
                       : term_rebuild(m->store, t, children);
        if (touched && is_comparison(made))
            made = compared(m, made);
        else if (touched && made->kind == TERM_BV_ADD)
            made = moved(m, made);
        memory_free(children);
    }
    m->memo[t->id] = made;
    m->touched[t->id] = touched;
    return made;
}

// The model.

static uint32_t part_count(const struct making *m, uint32_t v)
{
    return m->first[v + 1] - m->first[v];
}

// All parts take their values at once: where one is read for another they are kept first. What was kept is a literal between steps, so
// that a proof which names it holds with that literal in its place.
static struct statement *assign(struct making *m, const struct statement *s)
{
    const struct term *value = translate(m, s->expression);
    uint32_t v = s->variable->index, first = m->first[v], count = part_count(m, v);
    const struct term *values[MOST_PARTS];
    struct statement *made[3 * MOST_PARTS], *forget[MOST_PARTS];
    uint32_t n = 0;
    bool reads = false;
    assert(count <= MOST_PARTS);
    values[0] = value;
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        m->looks = MOST_LOOKS;
        values[i] = bits_of(m, value, m->parts[first + i].high, m->parts[first + i].low);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            reads |= i != k && rewrite_contains(values[i], m->made[first + k]->term);
    for (uint32_t i = 0; reads && i < count; i++) {
        const struct variable *kept =
            model_builder_fresh(m->builder, m->made[first + i]->name, values[i]->sort,
                                VARIABLE_LOCAL, s->variable->source);
        made[n++] = model_assign(m->builder, kept, values[i], s->source);
        forget[i] = model_assign(m->builder, kept, term_default(m->store, kept->sort), s->source);
        values[i] = kept->term;
    }
    for (uint32_t i = 0; i < count; i++)
        made[n++] = model_assign(m->builder, m->made[first + i], values[i], s->source);
    for (uint32_t i = 0; reads && i < count; i++)
        made[n++] = forget[i];
    return n == 1 ? made[0] : model_sequence(m->builder, made, n, s->source);
}

// On the way back the values come one after another, that of the lowest part last.
static struct statement *havoc(struct making *m, const struct statement *s)
{
    uint32_t v = s->variable->index, count = part_count(m, v);
    struct statement *made[MOST_PARTS];
    for (uint32_t i = 0; i < count; i++) {
        made[i] = model_havoc(m->builder, m->made[m->first[v] + i], s->source);
        made[i]->origin = s;
    }
    return count == 1 ? made[0] : model_sequence(m->builder, made, count, s->source);
}

static struct statement *action(struct making *m, const struct statement *s)
{
    struct statement *made = NULL;
    struct statement **children = memory_alloc((s->child_count + 1) * sizeof *children);
    for (uint32_t i = 0; i < s->child_count; i++)
        children[i] = action(m, s->child[i]);
    switch (s->kind) {
    case STATEMENT_SKIP:
        made = model_skip(m->builder, s->source);
        break;
    case STATEMENT_ASSIGN:
        made = assign(m, s);
        break;
    case STATEMENT_ASSUME:
        made = model_assume(m->builder, translate(m, s->expression), s->source);
        break;
    case STATEMENT_HAVOC:
        made = havoc(m, s);
        break;
    case STATEMENT_SEQUENCE:
        made = model_sequence(m->builder, children, s->child_count, s->source);
        break;
    case STATEMENT_CHOICE:
        made = model_choice(m->builder, children, s->child_count, s->source);
        break;
    case STATEMENT_IF:
        made =
            model_if(m->builder, translate(m, s->expression), children[0], children[1], s->source);
        break;
    }
    made->origin = s;
    memory_free(children);
    return made;
}

static uint32_t count_parts(struct making *m, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < m->source->variable_count; v++) {
        first[v] = count;
        count += m->words[v].cut_count + 1;
    }
    first[m->source->variable_count] = count;
    return count;
}

static void make_variable(struct making *m, const struct variable *v)
{
    const struct word *w = &m->words[v->index];
    if (w->cut_count == 0) {
        uint32_t part = m->first[v->index];
        m->parts[part] =
            (struct part){v->index, v->sort->kind == SORT_BV ? v->sort->width - 1 : 0, 0};
        m->made[part] = model_builder_variable(m->builder, v->name, v->sort, v->flags, v->source);
        if (v->float_exponent != 0)
            model_builder_float(m->builder, m->made[part], v->float_exponent);
        m->whole[v->index] = m->made[part]->term;
        return;
    }
    uint32_t high = v->sort->width - 1;
    struct text name;
    text_init(&name);
    for (uint32_t i = 0; i <= w->cut_count; i++) {
        uint32_t part = m->first[v->index] + i, low = i < w->cut_count ? w->cuts[i] : 0;
        m->parts[part] = (struct part){v->index, high, low};
        text_clear(&name);
        text_printf(&name, "%s{%u..%u}", v->name, high, low);
        m->made[part] = model_builder_fresh(m->builder, text_string(&name),
                                            sort_bv(m->store, high - low + 1), v->flags, v->source);
        const struct term *term = m->made[part]->term;
        m->whole[v->index] =
            i == 0 ? term : term_bv_binary(m->store, TERM_BV_CONCAT, m->whole[v->index], term);
        high = low - 1;
    }
    text_finish(&name);
}

static void make_locations(struct making *m)
{
    const struct model *source = m->source;
    for (uint32_t i = 0; i < source->location_count; i++) {
        const struct location *l = source->locations[i];
        m->location[i] = model_builder_location(m->builder, l->name, l->phase, l->observable);
        m->location[i]->origin = l;
    }
    model_builder_error(m->builder, m->location[source->error->index]);
}

static bool make_model(struct making *m, const _Atomic bool *given_up)
{
    const struct model *source = m->source;
    for (uint32_t v = 0; v < source->variable_count; v++)
        make_variable(m, source->variables[v]);
    make_locations(m);
    model_builder_initial(m->builder, m->location[source->initial->index],
                          action(m, source->initial_action));
    for (uint32_t e = 0; e < source->edge_count; e++) {
        const struct edge *of = source->edges[e];
        struct edge *made = model_builder_edge(m->builder, m->location[of->source->index],
                                               m->location[of->target->index],
                                               action(m, of->action), of->label, of->position);
        model_builder_limit(made, of->limit);
        if (given_up != NULL && *given_up)
            return false;
    }
    return true;
}

// Ways back.

static const struct parts_recoding *recoding_of(const struct model *model)
{
    return (const struct parts_recoding *)recode_of(model);
}

// A value of the source's, put together from above.
struct putting {
    struct trace *to;
    const struct variable *of; // NULL: nothing is at hand
    const struct statement *origin;
    const struct term *so_far; // NULL: none of it yet
    uint32_t low;              // of what is there
};

static void put(struct putting *p, const struct term *part, uint32_t low)
{
    assert(part->sort->kind == SORT_BV && part->sort->width + low == p->low);
    p->so_far =
        p->so_far == NULL ? part : term_bv_binary(p->to->store, TERM_BV_CONCAT, p->so_far, part);
    p->low = low;
}

// What is said of no part may be anything.
static void put_any(struct putting *p, uint32_t low)
{
    if (p->low > low)
        put(p, term_bv(p->to->store, p->low - low, 0), low);
}

static void begin_putting(struct putting *p, const struct variable *of,
                          const struct statement *origin)
{
    *p = (struct putting){p->to, of, origin, NULL, of->sort->width};
}

static void put_value(struct putting *p, const struct part *part, const struct sort *sort,
                      struct value value)
{
    put_any(p, part->high + 1);
    put(p, term_of_value(p->to->store, sort, trace_own(p->to, sort, value)), part->low);
}

static struct value put_rest(struct putting *p)
{
    put_any(p, 0);
    assert(p->so_far->sort == p->of->sort);
    p->of = NULL;
    return term_value(p->so_far);
}

static void finish_hint(struct putting *p, struct trace_step *step)
{
    const struct variable *of = p->of;
    if (of != NULL)
        trace_add_hint(p->to, step, p->origin, of->sort, put_rest(p));
}

static void map_hints(struct trace *to, struct trace_step *step, const struct model *recoded,
                      const struct trace_step *from)
{
    const struct parts_recoding *r = recoding_of(recoded);
    struct putting p = {.to = to};
    assert(from->events == NULL && "it comes from a prepared model's trace");
    for (size_t i = 0; i < from->hint_count; i++) {
        const struct statement *statement = from->hints[i].statement, *origin = statement->origin;
        struct value value = from->hints[i].value;
        const struct variable *v = origin->kind == STATEMENT_HAVOC ? origin->variable : NULL;
        const struct part *part = v != NULL ? &r->parts[statement->variable->index] : NULL;
        if (p.of != NULL && (origin != p.origin || part->high >= p.low))
            finish_hint(&p, step);
        if (v == NULL || r->first[v->index + 1] - r->first[v->index] == 1) {
            trace_add_hint(to, step, origin, v != NULL ? v->sort : NULL, value);
            continue;
        }
        if (p.of == NULL)
            begin_putting(&p, v, origin);
        put_value(&p, part, statement->variable->sort, value);
    }
    finish_hint(&p, step);
}

static void map_start(struct trace *to, const struct trace *trace, const struct variable *v)
{
    const struct parts_recoding *r = recoding_of(trace->model);
    uint32_t first = r->first[v->index], end = r->first[v->index + 1];
    struct putting p = {.to = to};
    if (end - first == 1)
        to->start[v->index] = trace_own(to, v->sort, trace->start[first]);
    for (uint32_t i = first; i < end && end - first > 1; i++) {
        if (!value_known(trace->start[i]))
            continue;
        if (p.of == NULL)
            begin_putting(&p, v, NULL);
        put_value(&p, &r->parts[i], trace->model->variables[i]->sort, trace->start[i]);
    }
    if (p.of != NULL)
        to->start[v->index] = put_rest(&p);
}

static struct trace *map_trace(const struct trace *trace)
{
    const struct model *source = trace->model->source;
    struct trace *to = trace_create(source);
    to->skips = trace->skips;
    for (uint32_t i = 0; i < source->variable_count; i++)
        map_start(to, trace, source->variables[i]);
    map_hints(to, &to->initial, trace->model, &trace->initial);
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct trace_step *step = &trace->steps[i];
        map_hints(to, trace_add_step(to, source->edges[step->edge->id]), trace->model, step);
    }
    trace_add_divisions(to, trace);
    return to;
}

struct lifting {
    const struct model *recoded;
    struct term_store *store;
};

static const struct term *lift_variable(void *context, const struct term *term)
{
    const struct lifting *l = context;
    const struct variable *v = model_variable_of(l->recoded, term);
    if (v == NULL)
        return term;
    if (v->index >= recoding_of(l->recoded)->part_count)
        return term_default(l->store, term->sort); // one that is kept: `assign`
    const struct part *part = &recoding_of(l->recoded)->parts[v->index];
    const struct variable *of = l->recoded->source->variables[part->of];
    return of->sort->kind == SORT_BV ? term_bv_extract(l->store, of->term, part->high, part->low)
                                     : of->term;
}

static const struct term **lift_invariant(const struct model *recoded, struct term_store *store,
                                          const struct term *const *invariant)
{
    struct lifting l = {recoded, store};
    const struct model *source = recoded->source;
    const struct term **lifted = memory_zalloc((source->location_count + 1) * sizeof *lifted);
    assert(recoded->location_count == source->location_count);
    for (uint32_t i = 0; i < source->location_count; i++)
        if (invariant[i] != NULL)
            lifted[i] = rewrite_substitute(store, invariant[i], lift_variable, &l);
    return lifted;
}

static void destroy(struct recoding *base)
{
    struct parts_recoding *recoding = (struct parts_recoding *)base;
    memory_free(recoding->first);
    memory_free(recoding->parts);
    memory_free(recoding);
}

static struct model *recode(const struct model *source, struct word *words,
                            const _Atomic bool *given_up)
{
    struct parts_recoding *recoding = memory_zalloc(sizeof *recoding);
    recoding->base = (struct recoding){map_trace, lift_invariant, destroy};
    struct making m = {
        .source = source, .words = words, .builder = recode_builder(source, &recoding->base)};
    m.store = model_builder_store(m.builder);
    find_zeros(source, words, m.store, given_up);
    choose_cuts(source, words);
    cut_what_is_compared(&m, source->initial_action);
    for (uint32_t e = 0; e < source->edge_count; e++)
        cut_what_is_compared(&m, source->edges[e]->action);
    m.first = recoding->first =
        memory_alloc((source->variable_count + 1) * sizeof *recoding->first);
    uint32_t parts = recoding->part_count = count_parts(&m, recoding->first);
    m.parts = recoding->parts = memory_zalloc((parts + 1) * sizeof *recoding->parts);
    m.made = memory_zalloc((parts + 1) * sizeof(*m.made));
    m.whole = memory_zalloc((source->variable_count + 1) * sizeof(*m.whole));
    m.memo = memory_zalloc((term_store_next_id(source->store) + (size_t)1) * sizeof(*m.memo));
    m.touched = memory_zalloc(term_store_next_id(source->store) + (size_t)1);
    m.location = memory_zalloc((source->location_count + 1) * sizeof(*m.location));
    bool done = make_model(&m, given_up);
    memory_free(m.made);
    memory_free(m.whole);
    memory_free(m.memo);
    memory_free(m.touched);
    memory_free(m.location);
    if (done)
        return model_builder_finish(m.builder);
    model_builder_destroy(m.builder);
    return NULL;
}

struct model *parts_recode(const struct model *source, const _Atomic bool *given_up)
{
    // A language's guesses speak of its own variables, and so do what is asked and the arguments of predicates.
    if (source->property != NULL || source->initial->arguments != NULL ||
        source->features.depth > MOST_DEPTH ||
        (source->judge != NULL && source->judge->guesses != NULL))
        return NULL;
    struct word *words = memory_zalloc((source->variable_count + 1) * sizeof *words);
    for (uint32_t v = 0; v < source->variable_count; v++)
        words[v].like = v;
    look_in(source, words, source->initial_action);
    for (uint32_t e = 0; e < source->edge_count; e++)
        look_in(source, words, source->edges[e]->action);
    struct model *made = join(source, words) ? recode(source, words, given_up) : NULL;
    memory_free(words);
    return made;
}
