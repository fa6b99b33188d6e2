#include "base/memory.h"
#include "logic/smt/z3/z3_backend.h"

// Sequence interpolation by solving Horn clauses (McMillan, Rybalchenko 2013): one predicate P_i per cut over
// the variables common to both sides,
//   parts[0] => P_1,   P_i and parts[i] => P_(i+1),   P_(n-1) and parts[n-1] => error.
// If the error is not derivable, the interpretations of the predicates are the interpolants.

struct cut {
    struct term_vector common;
};

struct chain {
    const struct term *const *parts;
    size_t count;            // parts
    struct cut *cuts;        // cuts[i] lies before parts[i]; 0 is not used, count is the error
    struct term_vector *own; // the variables of each part
};

static void find_common(struct chain *chain)
{
    struct id_map first = {0}, last = {0}; // variable -> the own-vector of its first, last part
    for (size_t i = 0; i < chain->count; i++)
        for (size_t k = 0; k < chain->own[i].count; k++) {
            uint32_t id = chain->own[i].data[k]->id;
            if (id_map_get(&first, id) == NULL)
                id_map_put(&first, id, &chain->own[i]);
            id_map_put(&last, id, &chain->own[i]);
        }
    for (size_t i = 0; i < chain->count; i++)
        for (size_t k = 0; k < chain->own[i].count; k++) {
            const struct term *variable = chain->own[i].data[k];
            if (id_map_get(&first, variable->id) != &chain->own[i])
                continue; // seen in an earlier part
            const struct term_vector *end = id_map_get(&last, variable->id);
            for (size_t j = i + 1; j <= (size_t)(end - chain->own); j++)
                VECTOR_PUSH(&chain->cuts[j].common, variable);
        }
    id_map_finish(&first);
    id_map_finish(&last);
}

static bool interpolate(struct smt_context *context, struct chain *chain, const struct term **out)
{
    size_t count = chain->count;
    struct smt_horn_predicate *predicates = memory_zalloc(count * sizeof *predicates);
    struct smt_horn_clause *clauses = memory_zalloc(count * sizeof *clauses);
    for (size_t i = 0; i < count; i++) { // predicate i is P_(i+1)
        predicates[i].parameters = chain->cuts[i + 1].common.data;
        predicates[i].count = chain->cuts[i + 1].common.count;
        clauses[i] = (struct smt_horn_clause){
            .body = i == 0 ? SMT_HORN_NONE : (uint32_t)i - 1,
            .head = (uint32_t)i,
            .body_arguments = chain->cuts[i].common.data,
            .head_arguments = chain->cuts[i + 1].common.data,
            .constraint = chain->parts[i],
        };
    }
    struct smt_horn problem = {.predicates = predicates,
                               .predicate_count = count,
                               .clauses = clauses,
                               .clause_count = count,
                               .query = (uint32_t)count - 1};
    struct smt_horn_answer answer = {0};
    z3_horn(context, &problem, &answer);
    for (size_t i = 0; answer.interpretation != NULL && i + 1 < count; i++)
        out[i] = answer.interpretation[i];
    bool good = answer.interpretation != NULL;
    smt_horn_answer_finish(&answer);
    memory_free(predicates);
    memory_free(clauses);
    return good;
}

bool z3_interpolate(struct smt_context *context, const struct term *const *parts, size_t count,
                    const struct term **out)
{
    struct chain chain = {.parts = parts, .count = count};
    chain.cuts = memory_zalloc((count + 1) * sizeof *chain.cuts);
    chain.own = memory_zalloc(count * sizeof *chain.own);
    for (size_t i = 0; i < count; i++)
        rewrite_free_variables(parts[i], &chain.own[i]);
    find_common(&chain);
    bool good = interpolate(context, &chain, out);
    for (size_t i = 0; i <= count; i++)
        VECTOR_FINISH(&chain.cuts[i].common);
    for (size_t i = 0; i < count; i++)
        VECTOR_FINISH(&chain.own[i]);
    memory_free(chain.cuts);
    memory_free(chain.own);
    return good;
}
