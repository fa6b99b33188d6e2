#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/number.h"
#include "engines/capsules/inside.h"
#include "logic/terms/rewrite.h"

uint64_t value_word(struct capsule_kernel *k, const struct term *literal)
{
    return k->options.symbolic ? (uint64_t)(uintptr_t)literal : term_value(literal).bits;
}

const struct term *capsule_kernel_term(struct capsule_kernel *k, const struct sort *sort,
                                       uint64_t word)
{
    if (k->options.symbolic)
        return (const struct term *)(uintptr_t)word;
    return term_of_value(k->store, sort, (struct value){word});
}

static uint64_t word_of(const struct valuation *v, const struct term *variable)
{
    uint32_t slot =
        variable->id < v->kernel->slot_count ? v->kernel->slots[variable->id] : CAPSULE_NONE;
    assert(slot != CAPSULE_NONE);
    if (slot >= SLOT_TRIGGER) {
        assert(v->trigger != NULL);
        return v->trigger[slot - SLOT_TRIGGER];
    }
    return join_words(v->part + 2 * slot);
}

static struct value look_up_value(void *context, const struct term *variable)
{
    return (struct value){word_of(context, variable)};
}

// Symbols are no variables of the model.
static const struct term *look_up_term(void *context, const struct term *variable)
{
    const struct valuation *v = context;
    if (variable->id >= v->kernel->slot_count || v->kernel->slots[variable->id] == CAPSULE_NONE)
        return variable;
    return (const struct term *)(uintptr_t)word_of(v, variable);
}

const struct term *evaluate_term(struct valuation *v, const struct term *expression)
{
    if (term_is_literal(expression))
        return expression;
    if (v->kernel->options.symbolic)
        return rewrite_substitute(v->kernel->store, expression, look_up_term, v);
    struct value value = evaluator_run(v->kernel->evaluator, expression, look_up_value, v);
    return term_of_value(v->kernel->store, expression->sort, value);
}

uint64_t evaluate(struct valuation *v, const struct term *expression)
{
    if (v->kernel->options.symbolic)
        return (uint64_t)(uintptr_t)evaluate_term(v, expression);
    struct value value = evaluator_run(v->kernel->evaluator, expression, look_up_value, v);
    assert(value_known(value));
    return value.bits;
}

static const struct term *conjunct_at(const struct capsule_numbers *common, size_t i)
{
    assert(i < condition_length(common));
    return (const struct term *)(uintptr_t)join_words(common->data + 2 + 2 * i);
}

struct smt *kernel_solver(struct capsule_kernel *k)
{
    if (k->solver != NULL || k->solver_failed)
        return k->solver;
    struct smt_options options = {
        .seed = k->options.seed, .stop = k->options.stop, .step_limit = k->options.check_limit};
    const char *why;
    k->smt = smt_context_create(k->options.solver != NULL ? k->options.solver : "z3", k->store,
                                &options, &why);
    k->solver = k->smt != NULL ? smt_create(k->smt) : NULL;
    k->solver_failed = k->solver == NULL;
    if (k->smt != NULL && k->options.started != NULL)
        k->options.started(k->options.context, k->smt);
    return k->solver;
}

// Answers are kept by the set of conjuncts asked about.
static enum smt_result ask(struct capsule_kernel *k, const struct term **conjuncts, size_t count)
{
    VECTOR_CLEAR(&k->scratch);
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&k->scratch, conjuncts[i]->id);
    for (size_t i = 1; i < count; i++) // insertion: few
        for (size_t j = i; j > 0 && k->scratch.data[j - 1] > k->scratch.data[j]; j--) {
            uint32_t other = k->scratch.data[j];
            k->scratch.data[j] = k->scratch.data[j - 1];
            k->scratch.data[j - 1] = other;
        }
    uint32_t number = interner_add(&k->asked, k->scratch.data, count);
    if (number < k->answers.count)
        return (enum smt_result)k->answers.data[number];
    assert(number == k->answers.count && "one answer for each set of conjuncts");
    struct smt *solver = kernel_solver(k);
    enum smt_result result = SMT_UNKNOWN;
    if (solver != NULL) {
        k->counts.solver_checks++;
        smt_reset(solver);
        for (size_t i = 0; i < count; i++)
            smt_assert(solver, conjuncts[i]);
        result = smt_check(solver);
    }
    VECTOR_PUSH(&k->answers, (uint8_t)result);
    return result;
}

// The symbols of a term, by id; each term is looked through once. Valid until the next call.
static const uint32_t *symbols_of(struct capsule_kernel *k, const struct term *t, size_t *count)
{
    while (k->symbols_at.count <= t->id)
        VECTOR_PUSH(&k->symbols_at, 0);
    if (k->symbols_at.data[t->id] == 0) {
        struct term_vector vars = {0};
        rewrite_free_variables(t, &vars);
        VECTOR_CLEAR(&k->scratch);
        for (size_t i = 0; i < vars.count; i++)
            VECTOR_PUSH(&k->scratch, vars.data[i]->id);
        k->symbols_at.data[t->id] =
            interner_add(&k->symbols, k->scratch.data, k->scratch.count) + 1;
        VECTOR_FINISH(&vars);
    }
    return interner_get(&k->symbols, k->symbols_at.data[t->id] - 1, count);
}

static bool has_symbol(struct capsule_kernel *k, const struct term *t, uint32_t id)
{
    size_t count;
    const uint32_t *ids = symbols_of(k, t, &count);
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static bool shares_symbol(struct capsule_kernel *k, const struct term *a, const struct term *b)
{
    size_t m, n;
    symbols_of(k, b, &n); // looked through before the other one's are taken
    const uint32_t *x = symbols_of(k, a, &m), *y = symbols_of(k, b, &n);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            if (x[i] == y[j])
                return true;
    return false;
}

enum smt_result condition_feasible(struct capsule_kernel *k, const struct capsule_numbers *common,
                                   const struct term *more)
{
    if (term_is_false(more))
        return SMT_UNSAT;
    if (term_is_true(more))
        return SMT_SAT; // the condition itself is feasible
    // Only conjuncts that are tied to the new one by symbols matter: the others are feasible, and apart.
    assert(more->sort->kind == SORT_BOOL);
    uint32_t count = condition_length(common);
    VECTOR(const struct term *) tied = {0};
    VECTOR_PUSH(&tied, more);
    uint8_t *taken = memory_zalloc(count + 1);
    for (size_t head = 0; head < tied.count; head++)
        for (uint32_t i = 0; i < count; i++)
            if (!taken[i] && shares_symbol(k, tied.data[head], conjunct_at(common, i))) {
                taken[i] = 1;
                VECTOR_PUSH(&tied, conjunct_at(common, i));
            }
    memory_free(taken);
    enum smt_result result = ask(k, tied.data, tied.count);
    VECTOR_FINISH(&tied);
    if (result == SMT_UNKNOWN)
        k->counts.failed = true;
    return result;
}

void condition_add(struct capsule_kernel *k, struct capsule_numbers *common,
                   const struct term *conjunct)
{
    assert(conjunct->sort->kind == SORT_BOOL);
    if (term_is_true(conjunct))
        return;
    struct term_vector parts = {0};
    rewrite_conjuncts(conjunct, &parts);
    for (size_t i = 0; i < parts.count; i++) {
        bool there = false;
        for (uint32_t j = 0; j < condition_length(common); j++)
            there |= conjunct_at(common, j) == parts.data[i];
        if (there)
            continue;
        size_t at = pull_words(common);
        push_word(common, 0); // room at the end, then moved to its place
        memmove(common->data + at + 2, common->data + at,
                (common->count - at - 2) * sizeof *common->data);
        common->data[at] = (uint32_t)(uintptr_t)parts.data[i];
        common->data[at + 1] = (uint32_t)((uint64_t)(uintptr_t)parts.data[i] >> 32);
        common->data[1]++;
    }
    if (common->data[1] > k->counts.longest_condition)
        k->counts.longest_condition = common->data[1];
    assert(common->count >= pull_words(common));
    VECTOR_FINISH(&parts);
}

static const struct term *symbol(struct capsule_kernel *k, bool boolean, uint32_t number)
{
    const struct sort *sort = boolean ? sort_bool(k->store) : sort_int(k->store);
    return term_var_copy(k->store, term_var(k->store, boolean ? "?b" : "?i", sort), number + 1);
}

bool only_fresh(struct capsule_kernel *k, const struct term *t, uint32_t first)
{
    size_t count;
    const uint32_t *ids = symbols_of(k, t, &count);
    size_t old = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < first; n++)
            old += symbol(k, false, n)->id == ids[i] || symbol(k, true, n)->id == ids[i];
    return old == 0;
}

const struct term *fresh_symbol(struct capsule_kernel *k, struct capsule_numbers *common,
                                bool boolean)
{
    return symbol(k, boolean, common->data[0]++);
}

struct renaming {
    struct capsule_kernel *kernel;
    VECTOR(const struct term *) from;
    VECTOR(const struct term *) to;
};

static void meet_symbols(struct renaming *r, const struct term *t)
{
    if (!(t->flags & TERM_HAS_VARIABLE))
        return;
    struct term_vector vars = {0};
    rewrite_free_variables(t, &vars);
    for (size_t i = 0; i < vars.count; i++) {
        bool known = false;
        for (size_t j = 0; j < r->from.count; j++)
            known |= r->from.data[j] == vars.data[i];
        if (known)
            continue;
        VECTOR_PUSH(&r->to, symbol(r->kernel, vars.data[i]->sort->kind == SORT_BOOL,
                                   (uint32_t)r->from.count));
        VECTOR_PUSH(&r->from, vars.data[i]);
    }
    assert(r->from.count == r->to.count);
    VECTOR_FINISH(&vars);
}

static const struct term *rename_symbol(void *context, const struct term *variable)
{
    const struct renaming *r = context;
    for (size_t i = 0; i < r->from.count; i++)
        if (r->from.data[i] == variable)
            return r->to.data[i];
    return variable;
}

static const struct term *renamed(struct renaming *r, const struct term *t)
{
    if (!(t->flags & TERM_HAS_VARIABLE))
        return t;
    return rewrite_substitute(r->kernel->store, t, rename_symbol, r);
}

// Calls for each word of a value in a component: `header` words that are none come first, per `stride`.
typedef void (*on_word)(struct renaming *r, uint32_t *two);

static void meet_word(struct renaming *r, uint32_t *two)
{
    meet_symbols(r, (const struct term *)(uintptr_t)join_words(two));
}

static void rename_word(struct renaming *r, uint32_t *two)
{
    uint64_t word =
        (uint64_t)(uintptr_t)renamed(r, (const struct term *)(uintptr_t)join_words(two));
    two[0] = (uint32_t)word;
    two[1] = (uint32_t)(word >> 32);
}

static void each_part_word(struct renaming *r, uint32_t *words, size_t count, on_word call)
{
    assert(count == 1 || count % 2 == 1);
    for (size_t i = 3; i + 1 < count; i += 2)
        call(r, words + i);
}

static void each_queue_word(struct renaming *r, uint32_t *words, size_t count, on_word call)
{
    for (size_t i = 0; i < count;) {
        size_t length = element_words(r->kernel, words[i], words[i + 1]);
        assert(i + length <= count && "elements fill the queue");
        for (size_t j = 2; j < length; j += 2)
            call(r, words + i + j);
        i += length;
    }
}

static void each_word(struct renaming *r, uint32_t *tuple, on_word call, bool write)
{
    struct capsule_kernel *k = r->kernel;
    struct capsule_numbers copy = {0};
    for (uint32_t i = 1; i < k->width; i++) {
        size_t count;
        const uint32_t *words = component(k, tuple[i], &count);
        VECTOR_CLEAR(&copy);
        for (size_t j = 0; j < count; j++)
            VECTOR_PUSH(&copy, words[j]);
        if (i <= k->instances)
            each_part_word(r, copy.data, count, call);
        else
            each_queue_word(r, copy.data, count, call);
        if (write)
            tuple[i] = interner_add(&k->components, copy.data, copy.count);
    }
    VECTOR_FINISH(&copy);
}

// The sign of a symbol's coefficient in a sum; false when the symbol occurs otherwise, or not at all.
static bool sign_in_sum(struct capsule_kernel *k, const struct term *sum, uint32_t symbol,
                        int *sign)
{
    uint32_t count = sum->kind == TERM_ADD ? sum->child_count : 1;
    *sign = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct term *t = sum->kind == TERM_ADD ? sum->child[i] : sum;
        if (!has_symbol(k, t, symbol))
            continue;
        bool times = t->kind == TERM_MUL && t->child_count == 2 && term_is_literal(t->child[0]) &&
                     t->child[1]->id == symbol;
        if (*sign != 0 || (t->id != symbol && !times))
            return false;
        *sign = times ? number_sign(t->sort, term_value(t->child[0])) : 1;
    }
    assert(*sign >= -1 && *sign <= 1);
    return *sign != 0;
}

// What a conjunct says of a number that stands in it once, times a constant: bits.
enum side { SIDE_ABOVE = 1, SIDE_BELOW = 2, SIDE_OTHER = 4 };

static unsigned side_of(struct capsule_kernel *k, const struct term *conjunct, uint32_t symbol)
{
    bool negated = conjunct->kind == TERM_NOT;
    const struct term *t = negated ? conjunct->child[0] : conjunct;
    bool compares = t->child_count == 2 && t->child[0]->sort->kind == SORT_INT &&
                    (t->kind == TERM_LE || t->kind == TERM_LT || (t->kind == TERM_EQ && negated));
    if (!compares)
        return SIDE_OTHER;
    bool left = has_symbol(k, t->child[0], symbol);
    int sign;
    if (left == has_symbol(k, t->child[1], symbol) ||
        !sign_in_sum(k, t->child[left ? 0 : 1], symbol, &sign))
        return SIDE_OTHER;
    if (t->kind == TERM_EQ)
        return 0; // different from something: goes with bounds on one side
    return (left == (sign > 0)) != negated ? SIDE_ABOVE : SIDE_BELOW;
}

// A number that no value uses any more, and that is bounded from one side only, is there whatever the others are: its conjuncts say
// nothing. (There are infinitely many numbers on that side, and finitely many that it must differ from.)
static bool forget_symbol(struct renaming *r, struct capsule_numbers *common, uint32_t symbol)
{
    struct capsule_kernel *k = r->kernel;
    uint32_t count = condition_length(common), kept = 0;
    unsigned sides = 0;
    for (uint32_t i = 0; i < count; i++)
        if (has_symbol(k, conjunct_at(common, i), symbol))
            sides |= side_of(k, conjunct_at(common, i), symbol);
    if (sides != 0 && sides != SIDE_ABOVE && sides != SIDE_BELOW)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!has_symbol(k, conjunct_at(common, i), symbol)) {
            memmove(common->data + 2 + 2 * kept, common->data + 2 + 2 * i,
                    2 * sizeof *common->data);
            kept++;
        }
    memmove(common->data + 2 + 2 * kept, common->data + 2 + 2 * count,
            (common->count - 2 - 2 * count) * sizeof *common->data);
    common->count -= 2 * (count - kept);
    common->data[1] = kept;
    assert(kept <= count && common->count >= pull_words(common));
    return true;
}

static bool is_used(const struct renaming *r, uint32_t symbol)
{
    for (size_t i = 0; i < r->from.count; i++)
        if (r->from.data[i]->id == symbol)
            return true;
    return false;
}

// Called when the symbols of all values were met, and none of conditions.
static void forget_unused(struct renaming *r, struct capsule_numbers *common)
{
    for (uint32_t i = 0; i < condition_length(common);) {
        size_t count;
        bool forgotten = false;
        for (size_t s = 0; !forgotten; s++) {
            const uint32_t *ids = symbols_of(r->kernel, conjunct_at(common, i), &count);
            if (s >= count)
                break;
            uint32_t symbol = ids[s];
            forgotten = !is_used(r, symbol) && forget_symbol(r, common, symbol);
        }
        i = forgotten ? 0 : i + 1; // what was tied to it may have become free
    }
}

// Conjuncts that are tied, perhaps over others, to a symbol that is still in use.
static void keep_tied(struct renaming *r, struct capsule_numbers *common)
{
    uint32_t count = condition_length(common), kept = 0;
    uint8_t *keep = memory_zalloc(count + 1);
    size_t before;
    do {
        before = r->from.count;
        for (uint32_t i = 0; i < count; i++) {
            if (keep[i])
                continue;
            for (size_t j = 0; !keep[i] && j < r->from.count; j++)
                keep[i] = has_symbol(r->kernel, conjunct_at(common, i), r->from.data[j]->id);
            if (keep[i])
                meet_symbols(r, conjunct_at(common, i));
        }
    } while (r->from.count > before);
    struct capsule_numbers out = {0};
    VECTOR_PUSH(&out, (uint32_t)r->from.count);
    VECTOR_PUSH(&out, 0);
    for (uint32_t i = 0; i < count; i++)
        if (keep[i]) {
            push_word(&out, (uint64_t)(uintptr_t)renamed(r, conjunct_at(common, i)));
            kept++;
        }
    out.data[1] = kept;
    for (size_t i = pull_words(common); i < common->count; i++)
        VECTOR_PUSH(&out, common->data[i]);
    memory_free(keep);
    VECTOR_FINISH(common);
    *common = out;
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    const struct term *s = (const struct term *)(uintptr_t)join_words(x);
    const struct term *t = (const struct term *)(uintptr_t)join_words(y);
    return (s->id > t->id) - (s->id < t->id);
}

void canonical_symbols(struct capsule_kernel *k, uint32_t *tuple, struct capsule_numbers *common)
{
    if (common->data[0] == 0 || k->options.keep_symbols)
        return;
    struct renaming r = {.kernel = k};
    each_word(&r, tuple, meet_word, false);
    forget_unused(&r, common);
    keep_tied(&r, common);
    each_word(&r, tuple, rename_word, true);
    // A condition is a set.
    qsort(common->data + 2, condition_length(common), 2 * sizeof(uint32_t), compare_words);
    VECTOR_FINISH(&r.from);
    VECTOR_FINISH(&r.to);
}
