#include "engines/bounded/questions.h"

#include <assert.h>

#include "base/memory.h"
#include "logic/smt/array_reads.h"

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
    for (size_t i = 0; i < count && bits != NULL; i++)
        *formulas[i] = i < whole ? term_and2(m->store, told[i], facts) : told[i];
    memory_free(told);
    array_reads_destroy(reads);
    return bits != NULL ? bits : workspace_solver(m->workspace);
}
