#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "certify/certify.h"
#include "logic/terms/print.h"
#include "tests/oracle.h"

// Forged proofs: what looks like an invariant of a model that can reach its error must never pass the checker. Random
// formulas, or none, at each location, changed step by step: conjuncts and disjuncts put in, formulas exchanged, negated,
// made true or false.   forge COUNT [FIRST-SEED]

enum { SOLVER_STEPS = 200000, MUTANTS = 40 };

struct forger {
    struct term_store *store;
    const struct model *model;
    struct random random;
    const struct term **base; // per location; NULL = none
};

static const struct term *random_atom(struct forger *f)
{
    struct term_store *s = f->store;
    const struct variable *v =
        f->model->variables[random_below(&f->random, f->model->variable_count)];
    int64_t number = (int64_t)random_below(&f->random, 9) - 3;
    switch (v->sort->kind) {
    case SORT_BOOL:
        return random_below(&f->random, 2) ? v->term : term_not(s, v->term);
    case SORT_INT:
        switch (random_below(&f->random, 3)) {
        case 0:
            return term_le(s, v->term, term_int(s, number));
        case 1:
            return term_le(s, term_int(s, number), v->term);
        default:
            return term_not(s, term_eq(s, v->term, term_int(s, number)));
        }
    case SORT_BV:
        return term_not(s, term_eq(s, v->term, term_bv(s, v->sort->width, (uint64_t)(number & 7))));
    default:
        return term_true(s);
    }
}

static const struct term *both(struct forger *f, const struct term *a, const struct term *b)
{
    const struct term *arguments[] = {a, b};
    return term_and(f->store, arguments, 2);
}

static const struct term *either(struct forger *f, const struct term *a, const struct term *b)
{
    const struct term *arguments[] = {a, b};
    return term_or(f->store, arguments, 2);
}

// Sets of states that are not all of them, or those of elsewhere.
static const struct term *mutate(struct forger *f, const struct term *formula)
{
    struct term_store *s = f->store;
    if (formula == NULL)
        formula = term_true(s);
    const struct term *other = f->base[random_below(&f->random, f->model->location_count)];
    switch (random_below(&f->random, 8)) {
    case 0:
        return term_false(s);
    case 1:
        return term_true(s);
    case 2:
        return term_not(s, formula);
    case 3:
        return other != NULL ? other : term_true(s);
    case 4:
        return both(f, formula, random_atom(f));
    case 5:
        return either(f, formula, random_atom(f));
    case 6:
        return random_atom(f);
    default:
        return both(f, random_atom(f), random_atom(f));
    }
}

// No proof of an unsafe model is near the truth, since there is none: any formulas are as good as others to begin with.
static void start_from(struct forger *f)
{
    for (uint32_t l = 0; l < f->model->location_count; l++)
        f->base[l] = random_below(&f->random, 4) == 0 ? NULL : random_atom(f);
}

struct counts {
    unsigned long tried, accepted, refused, undecided, models;
};

static void forge(const struct model *model, uint64_t seed, struct counts *counts,
                  unsigned long wanted)
{
    struct forger f = {.model = model, .store = term_store_create(model->store)};
    uint32_t count = model->location_count;
    const struct term **proof = memory_zalloc(count * sizeof *proof);
    f.base = memory_zalloc(count * sizeof *f.base);
    random_init(&f.random, seed ^ 0xf09e);
    counts->models++;
    for (int i = 0; i < MUTANTS && counts->tried < wanted; i++) {
        if (i % 8 == 0)
            start_from(&f);
        memcpy(proof, f.base, count * sizeof *proof);
        for (uint64_t changes = random_below(&f.random, 4); changes > 0; changes--) {
            uint32_t at = (uint32_t)random_below(&f.random, count);
            proof[at] = mutate(&f, proof[at]);
        }
        struct text why;
        struct certify_owner owner = {.step_limit = SOLVER_STEPS};
        text_init(&why);
        enum certify_result result =
            certify_invariant_owned(model, f.store, proof, "z3", NULL, &owner, &why);
        counts->tried++;
        counts->accepted += result == CERTIFY_ACCEPTED;
        counts->refused += result == CERTIFY_REFUSED;
        counts->undecided += result == CERTIFY_UNDECIDED;
        if (result == CERTIFY_ACCEPTED) {
            printf("seed %llu, mutant %d: ACCEPTED\n", (unsigned long long)seed, i);
            for (uint32_t l = 0; l < count; l++) {
                struct text line;
                text_init(&line);
                if (proof[l] != NULL)
                    print_term(&line, proof[l], PRINT_SMTLIB);
                printf("  %s: %s\n", model->locations[l]->name, text_string(&line));
                text_finish(&line);
            }
        }
        text_finish(&why);
    }
    memory_free(proof);
    memory_free(f.base);
    term_store_destroy(f.store);
}

int main(int count, char **arguments)
{
    struct counts counts = {0};
    unsigned long wanted = count > 1 ? strtoul(arguments[1], NULL, 10) : 1000;
    uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    for (; counts.tried < wanted; seed++) {
        struct model *model = oracle_random_model(seed);
        if (oracle_decide(model, 100000) == VERDICT_UNSAFE)
            forge(model, seed, &counts, wanted);
        model_destroy(model);
    }
    printf("%lu forged proofs of %lu unsafe models: %lu accepted, %lu refused, %lu undecided\n",
           counts.tried, counts.models, counts.accepted, counts.refused, counts.undecided);
    return counts.accepted > 0 || counts.refused == 0;
}
