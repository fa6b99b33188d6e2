#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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
    return (const struct term *)(uintptr_t)join_words(common->data + 2 + 2 * i);
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
    k->counts.solver_checks++;
    smt_reset(k->solver);
    for (size_t i = 0; i < count; i++)
        smt_assert(k->solver, conjuncts[i]);
    enum smt_result result = smt_check(k->solver);
    VECTOR_PUSH(&k->answers, (uint8_t)result);
    return result;
}

static bool shares_symbol(const struct term *a, const struct term *b)
{
    struct term_vector vars = {0};
    rewrite_free_variables(a, &vars);
    bool shares = false;
    for (size_t i = 0; !shares && i < vars.count; i++)
        shares = rewrite_contains(b, vars.data[i]);
    VECTOR_FINISH(&vars);
    return shares;
}

enum smt_result condition_feasible(struct capsule_kernel *k, const struct capsule_numbers *common,
                                   const struct term *more)
{
    if (term_is_false(more))
        return SMT_UNSAT;
    if (term_is_true(more))
        return SMT_SAT; // the condition itself is feasible
    // Only conjuncts that are tied to the new one by symbols matter: the others are feasible, and apart.
    uint32_t count = condition_length(common);
    VECTOR(const struct term *) tied = {0};
    VECTOR_PUSH(&tied, more);
    uint8_t *taken = memory_zalloc(count + 1);
    for (size_t head = 0; head < tied.count; head++)
        for (uint32_t i = 0; i < count; i++)
            if (!taken[i] && shares_symbol(tied.data[head], conjunct_at(common, i))) {
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
    VECTOR_FINISH(&parts);
}

static const struct term *symbol(struct capsule_kernel *k, bool boolean, uint32_t number)
{
    const struct sort *sort = boolean ? sort_bool(k->store) : sort_int(k->store);
    return term_var_copy(k->store, term_var(k->store, boolean ? "?b" : "?i", sort), number + 1);
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
    for (size_t i = 3; i + 1 < count; i += 2)
        call(r, words + i);
}

static void each_queue_word(struct renaming *r, uint32_t *words, size_t count, on_word call)
{
    for (size_t i = 0; i < count;) {
        size_t length = element_words(r->kernel, words[i], words[i + 1]);
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
                keep[i] = rewrite_contains(conjunct_at(common, i), r->from.data[j]);
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
    keep_tied(&r, common);
    each_word(&r, tuple, rename_word, true);
    // A condition is a set.
    qsort(common->data + 2, condition_length(common), 2 * sizeof(uint32_t), compare_words);
    VECTOR_FINISH(&r.from);
    VECTOR_FINISH(&r.to);
}
