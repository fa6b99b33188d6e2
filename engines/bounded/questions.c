#include "engines/bounded/questions.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "logic/smt/array_reads.h"
#include "logic/smt/product_words.h"

// Products of words are told, too, where that can be done.
static bool tell_products(struct monolith *m, const struct term **told, size_t count, size_t whole,
                          const struct term **facts)
{
    struct product_words *words = product_words_create(m->store);
    const struct term **without = memory_alloc((count + 1) * sizeof *without);
    bool good = true;
    for (size_t i = 0; i < whole && whole == 1; i++)
        product_words_heed(words, told[i]);
    for (size_t i = 0; i <= count && good; i++) {
        without[i] = product_words_of(words, i < count ? told[i] : *facts);
        good = without[i] != NULL;
    }
    if (good) {
        memcpy(told, without, count * sizeof *told);
        *facts = term_and2(m->store, without[count], product_words_facts(words));
    }
    good = good && product_words_count(words) > 0;
    memory_free(without);
    product_words_destroy(words);
    return good;
}

struct smt_context *questions_solver(struct monolith *m, const struct term **const *formulas,
                                     size_t count, size_t whole)
{
    if (!monolith_has_arrays(m))
        return workspace_solver(m->workspace);
    struct array_reads *reads = array_reads_create(m->store);
    const struct term **told = memory_alloc((count + 1) * sizeof *told);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        told[i] = array_reads_of(reads, *formulas[i]);
        good = told[i] != NULL && smt_is_finite(told[i]);
    }
    const struct term *facts = good ? array_reads_facts(reads) : NULL;
    struct smt_context *bits = facts == NULL ? NULL : workspace_bits_solver(m->workspace);
    if (bits != NULL && tell_products(m, told, count, whole, &facts))
        bits = workspace_brief_solver(m->workspace);
    for (size_t i = 0; i < count && bits != NULL; i++)
        *formulas[i] = i < whole ? term_and2(m->store, told[i], facts) : told[i];
    memory_free(told);
    array_reads_destroy(reads);
    return bits != NULL ? bits : workspace_solver(m->workspace);
}
