#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "model/words_inside.h"

// Formulas over the integers of the other form as formulas over the source's words: each integer is a word that is wide
// enough for all values that it can have, with sign, so that nothing wraps around (docs/definitions/words.md).

#define WIDEST 118 // of the words that a proof is carried by

// A term as a word with sign, and the bounds of its value; word NULL: there is none. Of formulas the word is the formula.
struct carried {
    const struct term *of, *word;
    words_wide low, high;
};

struct lifting {
    const struct model *recoded, *source;
    const bool *with_sign;
    struct term_store *store;
    VECTOR(struct carried) done;
    struct hash_index index; // by id
};

static const struct carried *find(const struct lifting *l, const struct term *term)
{
    struct hash_probe probe = hash_index_probe(&l->index, hash_mix(term->id));
    for (uint32_t i; hash_index_next(&l->index, &probe, &i);)
        if (l->done.data[i].of == term)
            return &l->done.data[i];
    return NULL;
}

static void keep(struct lifting *l, struct carried carried)
{
    hash_index_add(&l->index, hash_mix(carried.of->id), (uint32_t)l->done.count);
    VECTOR_PUSH(&l->done, carried);
}

static uint32_t width_for(words_wide low, words_wide high)
{
    uint32_t width = 1;
    while (width <= WIDEST &&
           (low < -((words_wide)1 << (width - 1)) || high > ((words_wide)1 << (width - 1)) - 1))
        width++;
    return width;
}

static const struct term *widened(const struct lifting *l, const struct term *word, uint32_t width)
{
    return word->sort->width == width ? word : term_bv_extend(l->store, TERM_BV_SEXT, word, width);
}

static uint32_t wider(const struct term *a, const struct term *b)
{
    return a->sort->width > b->sort->width ? a->sort->width : b->sort->width;
}

static const struct term *word_constant(const struct lifting *l, words_wide value, uint32_t width)
{
    const struct term *number = words_constant(l->store, value);
    const struct term *rest =
        value >= 0 ? number
                   : term_add2(l->store, number, words_constant(l->store, (words_wide)1 << width));
    return value_is_small(rest->u.value)
               ? term_bv(l->store, width, (uint64_t)value_small_get(rest->u.value))
               : term_bv_text(l->store, width, rest->u.text);
}

static const struct variable *source_variable(const struct lifting *l, const struct term *term)
{
    const struct variable *v = model_variable_of(l->recoded, term);
    return v != NULL && v->index < l->source->variable_count ? l->source->variables[v->index]
                                                             : NULL;
}

static const struct carried NONE;

static struct carried constant(const struct lifting *l, const struct term *term)
{
    words_wide value = 0;
    if (value_is_small(term->u.value)) {
        value = value_small_get(term->u.value);
    } else {
        if (strlen(term->u.text) > 34)
            return NONE;
        bool negative = term->u.text[0] == '-';
        for (const char *c = term->u.text + negative; *c != '\0'; c++)
            value = 10 * value + (*c - '0');
        value = negative ? -value : value;
    }
    uint32_t width = width_for(value, value);
    return width > WIDEST ? NONE
                          : (struct carried){term, word_constant(l, value, width), value, value};
}

static struct carried of_word(const struct lifting *l, const struct term *term,
                              const struct term *word, bool with_sign)
{
    struct words_range r = words_range(word->sort->width, with_sign);
    const struct term *carrier =
        with_sign ? word : term_bv_extend(l->store, TERM_BV_ZEXT, word, word->sort->width + 1);
    return (struct carried){term, carrier, r.low, r.high};
}

static struct carried number(struct lifting *l, const struct term *term);
static const struct term *formula(struct lifting *l, const struct term *term);

// By an operation that gives a number in the range.
static struct carried combined(struct lifting *l, enum term_kind kind, struct carried a,
                               struct carried b, struct words_range range)
{
    uint32_t width = width_for(range.low, range.high);
    if (width > WIDEST)
        return NONE;
    uint32_t most = wider(a.word, b.word) > width ? wider(a.word, b.word) : width;
    return (struct carried){
        NULL, term_bv_binary(l->store, kind, widened(l, a.word, most), widened(l, b.word, most)),
        range.low, range.high};
}

static struct carried sum(struct lifting *l, struct carried a, struct carried b)
{
    return combined(l, TERM_BV_ADD, a, b, (struct words_range){a.low + b.low, a.high + b.high});
}

static struct carried product(struct lifting *l, struct carried a, struct carried b)
{
    struct words_range range;
    bool fits = words_product((struct words_range){a.low, a.high},
                              (struct words_range){b.low, b.high}, &range);
    return fits ? combined(l, TERM_BV_MUL, a, b, range) : NONE;
}

static struct carried fold(struct lifting *l, const struct term *term,
                           struct carried (*combine)(struct lifting *l, struct carried a,
                                                     struct carried b))
{
    struct carried out = number(l, term->child[0]);
    for (uint32_t i = 1; i < term->child_count && out.word != NULL; i++) {
        struct carried next = number(l, term->child[i]);
        out = next.word != NULL ? combine(l, out, next) : NONE;
    }
    return out;
}

// By a positive constant, rounded down.
static struct carried divided(struct lifting *l, const struct term *term)
{
    struct carried a = number(l, term->child[0]), b = number(l, term->child[1]);
    if (a.word == NULL || b.word == NULL || b.low != b.high || b.low <= 0)
        return NONE;
    uint32_t width = wider(a.word, b.word) + 1;
    const struct term *x = widened(l, a.word, width), *y = word_constant(l, b.low, width);
    const struct term *zero = term_bv(l->store, width, 0);
    const struct term *rest = term_bv_binary(l->store, TERM_BV_SREM, x, y);
    const struct term *below = term_bv_binary(l->store, TERM_BV_SLT, rest, zero);
    if (term->kind == TERM_MOD)
        return (struct carried){
            term, term_ite(l->store, below, term_bv_binary(l->store, TERM_BV_ADD, rest, y), rest),
            0, b.low - 1};
    const struct term *quotient = term_bv_binary(l->store, TERM_BV_SDIV, x, y);
    const struct term *less =
        term_bv_binary(l->store, TERM_BV_ADD, quotient, term_bv_unary(l->store, TERM_BV_NOT, zero));
    return (struct carried){term, term_ite(l->store, below, less, quotient),
                            words_quotient(a.low, b.low), words_quotient(a.high, b.low)};
}

static struct carried conditional(struct lifting *l, const struct term *term)
{
    const struct term *condition = formula(l, term->child[0]);
    struct carried a = number(l, term->child[1]), b = number(l, term->child[2]);
    if (condition == NULL || a.word == NULL || b.word == NULL)
        return NONE;
    uint32_t width = wider(a.word, b.word);
    return (struct carried){
        term, term_ite(l->store, condition, widened(l, a.word, width), widened(l, b.word, width)),
        a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

// Of arrays of the source, which the model may also have nested.
static const struct term *array(struct lifting *l, const struct term *term);

static const struct term *key(struct lifting *l, const struct sort *sort, const struct term *term)
{
    if (sort->kind != SORT_BV)
        return NULL;
    struct carried k = number(l, term);
    if (k.word == NULL)
        return NULL;
    const struct term *word =
        k.word->sort->width < sort->width ? widened(l, k.word, sort->width) : k.word;
    return term_bv_extract(l->store, word, sort->width - 1, 0);
}

static const struct term *selected(struct lifting *l, const struct term *term)
{
    const struct term *from = array(l, term->child[0]);
    const struct term *at = from != NULL ? key(l, from->sort->key, term->child[1]) : NULL;
    return at != NULL ? term_select(l->store, from, at) : NULL;
}

static const struct term *array(struct lifting *l, const struct term *term)
{
    if (term->kind == TERM_SELECT)
        return selected(l, term);
    const struct variable *v = term->kind == TERM_VAR ? source_variable(l, term) : NULL;
    return v != NULL ? v->term : NULL;
}

static struct carried element(struct lifting *l, const struct term *term)
{
    const struct term *word = selected(l, term);
    if (word == NULL || word->sort->kind != SORT_BV)
        return NONE;
    return of_word(l, term, word, words_element_has_sign(word->sort));
}

static struct carried make_number(struct lifting *l, const struct term *term)
{
    const struct variable *v;
    switch (term->kind) {
    case TERM_INT:
        return constant(l, term);
    case TERM_VAR:
        v = source_variable(l, term);
        return v != NULL && v->sort->kind == SORT_BV
                   ? of_word(l, term, v->term, l->with_sign[v->index])
                   : NONE;
    case TERM_ADD:
        return fold(l, term, sum);
    case TERM_MUL:
        return fold(l, term, product);
    case TERM_DIV:
    case TERM_MOD:
        return divided(l, term);
    case TERM_ITE:
        return conditional(l, term);
    case TERM_SELECT:
        return element(l, term);
    default:
        return NONE;
    }
}

static struct carried number(struct lifting *l, const struct term *term)
{
    if (term->sort->kind != SORT_INT)
        return NONE;
    const struct carried *before = find(l, term);
    if (before != NULL)
        return *before;
    struct carried made = make_number(l, term);
    made.of = term;
    assert(made.word == NULL || made.word->sort->width >= width_for(made.low, made.high));
    keep(l, made);
    return made;
}

static bool speaks_of_words(const struct lifting *l, const struct term *term)
{
    struct term_vector free = {0};
    bool words = false;
    rewrite_free_variables(term, &free);
    for (size_t i = 0; i < free.count; i++) {
        const struct variable *v = source_variable(l, free.data[i]);
        words |= v == NULL || v->sort != free.data[i]->sort;
    }
    VECTOR_FINISH(&free);
    return words;
}

static const struct term *comparison(struct lifting *l, const struct term *term)
{
    struct carried a = number(l, term->child[0]), b = number(l, term->child[1]);
    if (a.word == NULL || b.word == NULL)
        return NULL;
    uint32_t width = wider(a.word, b.word);
    const struct term *x = widened(l, a.word, width), *y = widened(l, b.word, width);
    if (term->kind == TERM_EQ)
        return term_eq(l->store, x, y);
    return term_bv_binary(l->store, term->kind == TERM_LE ? TERM_BV_SLE : TERM_BV_SLT, x, y);
}

// The same operator over formulas.
static const struct term *connective(struct lifting *l, const struct term *term)
{
    struct term_vector children = {0};
    const struct term *child = NULL;
    for (uint32_t i = 0; i < term->child_count; i++) {
        child = formula(l, term->child[i]);
        if (child == NULL)
            break;
        VECTOR_PUSH(&children, child);
    }
    const struct term *made = child != NULL ? term_rebuild(l->store, term, children.data) : NULL;
    VECTOR_FINISH(&children);
    return made;
}

static const struct term *make_formula(struct lifting *l, const struct term *term)
{
    bool booleans = term->child_count > 0;
    for (uint32_t i = 0; i < term->child_count; i++)
        booleans &= term->child[i]->sort->kind == SORT_BOOL;
    if (booleans && term->kind != TERM_FORALL && term->kind != TERM_EXISTS)
        return connective(l, term);
    if (!speaks_of_words(l, term))
        return term;
    bool compares = term->kind == TERM_LE || term->kind == TERM_LT || term->kind == TERM_EQ;
    return compares && term->child[0]->sort->kind == SORT_INT ? comparison(l, term) : NULL;
}

static const struct term *formula(struct lifting *l, const struct term *term)
{
    const struct carried *before = find(l, term);
    if (before != NULL)
        return before->word;
    const struct term *made = make_formula(l, term);
    keep(l, (struct carried){term, made, 0, 0});
    return made;
}

// What cannot be said of words is left out: the rest may do, and is checked.
static const struct term *lift(struct lifting *l, const struct term *invariant)
{
    struct term_vector conjuncts = {0};
    size_t kept = 0;
    rewrite_conjuncts(invariant, &conjuncts);
    for (size_t i = 0; i < conjuncts.count; i++) {
        const struct term *lifted = formula(l, conjuncts.data[i]);
        if (lifted != NULL)
            conjuncts.data[kept++] = lifted;
    }
    const struct term *all = term_and(l->store, conjuncts.data, kept);
    VECTOR_FINISH(&conjuncts);
    return all;
}

const struct term **words_lift_invariant(const struct model *recoded, struct term_store *store,
                                         const struct term *const *invariant)
{
    const struct model *source = recoded->source;
    struct lifting l = {.recoded = recoded,
                        .source = source,
                        .with_sign = words_recoding_of(recoded)->with_sign,
                        .store = store};
    const struct term **lifted = memory_zalloc((source->location_count + 1) * sizeof *lifted);
    assert(recoded->location_count == source->location_count);
    for (uint32_t i = 0; i < source->location_count; i++)
        if (invariant[i] != NULL)
            lifted[i] = lift(&l, invariant[i]);
    lifted[source->error->index] = term_false(store);
    VECTOR_FINISH(&l.done);
    hash_index_finish(&l.index);
    return lifted;
}
