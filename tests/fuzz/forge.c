#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "certify/certificate.h"
#include "certify/certify.h"
#include "logic/terms/print.h"
#include "tests/fuzz/mutate.h"
#include "tests/oracle.h"

// Forged proofs: what looks like an invariant of a model that can reach its error must never pass the checker. The forger
// begins with the states that the model really has (each location's, the error's left out: all but the last step holds),
// or with random formulas; then conjuncts and disjuncts are put in, states left out, formulas
// exchanged, negated, made true or false. A third is written as a certificate, whose text is changed, too, and read.
//   forge COUNT [FIRST-SEED [PROCESSES [SECONDS]]]
// SECONDS: nothing is begun after so long; the seed to go on with is told.

enum { SOLVER_STEPS = 100000, MUTANTS = 64, ROUND = 8, STATES = 300 };

struct forger {
    struct term_store *store;
    const struct model *model;
    struct random random;
    const struct term **states; // per location; NULL = too many
    const struct term **base;   // per location; NULL = none
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
    case SORT_ENUM:
        return term_eq(
            s, v->term,
            term_enum(s, v->sort, (uint32_t)random_below(&f->random, v->sort->literal_count)));
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

// Without one of its disjuncts or conjuncts, where it has some.
static const struct term *without_one(struct forger *f, const struct term *formula)
{
    struct term_store *s = f->store;
    if ((formula->kind != TERM_OR && formula->kind != TERM_AND) || formula->child_count < 2)
        return random_atom(f);
    uint32_t count = formula->child_count, left = (uint32_t)random_below(&f->random, count);
    const struct term **kept = memory_alloc(count * sizeof *kept);
    memcpy(kept, formula->child, left * sizeof *kept);
    memcpy(kept + left, formula->child + left + 1, (count - left - 1) * sizeof *kept);
    const struct term *result =
        formula->kind == TERM_OR ? term_or(s, kept, count - 1) : term_and(s, kept, count - 1);
    memory_free(kept);
    return result;
}

static const struct term *change(struct forger *f, const struct term *formula)
{
    struct term_store *s = f->store;
    if (formula == NULL)
        formula = term_true(s);
    const struct term *other = f->base[random_below(&f->random, f->model->location_count)];
    switch (random_below(&f->random, 10)) {
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
    case 7:
        return both(f, random_atom(f), random_atom(f));
    default:
        return without_one(f, formula);
    }
}

static void start_from(struct forger *f)
{
    bool near = f->states != NULL && random_below(&f->random, 4) != 0;
    for (uint32_t l = 0; l < f->model->location_count; l++)
        f->base[l] = near ? f->states[l] : random_below(&f->random, 4) == 0 ? NULL : random_atom(f);
    if (near) // as a proof would: the error location has no states
        f->base[f->model->error->index] = NULL;
}

struct counts {
    unsigned long tried, texts, accepted, refused, undecided, models, near;
    uint64_t next; // seed
};

static void tell(const struct forger *f, const struct term *const *proof, const char *text,
                 uint64_t seed, int mutant)
{
    printf("seed %llu, mutant %d: ACCEPTED\n", (unsigned long long)seed, mutant);
    for (uint32_t l = 0; l < f->model->location_count; l++) {
        struct text line;
        text_init(&line);
        if (proof[l] != NULL)
            print_term(&line, proof[l], PRINT_SMTLIB);
        printf("  %s: %s\n", f->model->locations[l]->name, text_string(&line));
        text_finish(&line);
    }
    if (text != NULL)
        puts(text);
}

static void count_result(struct counts *counts, enum certify_result result)
{
    counts->tried++;
    counts->accepted += result == CERTIFY_ACCEPTED;
    counts->refused += result == CERTIFY_REFUSED;
    counts->undecided += result == CERTIFY_UNDECIDED;
}

// As text, with up to two changes to it. What cannot be read is no proof, and does not count.
static void forge_text(struct forger *f, const struct term *const *proof, uint64_t seed, int mutant,
                       struct counts *counts)
{
    static const char *const SOLVERS[] = {"z3"};
    const struct certificate_header header = {.safe = true,
                                              .model = "m",
                                              .model_digest = "0",
                                              .property_digest = "0",
                                              .producer = "forge",
                                              .configuration = "forge",
                                              .solvers = SOLVERS,
                                              .solver_count = 1};
    struct text text, why;
    struct messages messages;
    struct certify_owner owner = {.step_limit = SOLVER_STEPS};
    text_init(&text);
    text_init(&why);
    messages_init(&messages);
    certificate_print_header(&text, &header);
    certificate_print_invariant(&text, f->model, proof);
    struct seed seed_text = {text.data, text.length};
    struct seeds seeds = {.files = {.data = &seed_text, .count = 1}};
    struct text changed;
    text_init(&changed);
    text_add_bytes(&changed, text_string(&text), text.length);
    for (uint64_t n = random_below(&f->random, 3); n > 0; n--)
        mutate(&changed, &seeds, &f->random);
    struct certificate *c =
        certificate_read("forged", text_string(&changed), changed.length, &messages);
    if (c != NULL && certificate_header(c)->safe) {
        enum certify_result result = certificate_check(c, f->model, "z3", NULL, &owner, &why);
        counts->texts++;
        count_result(counts, result);
        if (result == CERTIFY_ACCEPTED)
            tell(f, proof, text_string(&changed), seed, mutant);
    }
    certificate_destroy(c);
    messages_finish(&messages);
    text_finish(&changed);
    text_finish(&why);
    text_finish(&text);
}

static void forge_terms(struct forger *f, const struct term *const *proof, uint64_t seed,
                        int mutant, struct counts *counts)
{
    struct text why;
    struct certify_owner owner = {.step_limit = SOLVER_STEPS};
    text_init(&why);
    enum certify_result result =
        certify_invariant_owned(f->model, f->store, proof, "z3", NULL, &owner, &why);
    count_result(counts, result);
    if (result == CERTIFY_ACCEPTED)
        tell(f, proof, NULL, seed, mutant);
    text_finish(&why);
}

// The states that the model has, whose error is nowhere to the oracle.
static const struct term **find_states(const struct model *model, struct term_store *store)
{
    struct location nowhere = *model->error;
    struct model open = *model;
    open.error = &nowhere;
    struct oracle_answer answer = oracle_run(&open, STATES, store);
    const struct term **states = answer.invariant;
    answer.invariant = NULL;
    oracle_answer_finish(&answer);
    return states;
}

static void forge(const struct model *model, uint64_t seed, struct counts *counts,
                  unsigned long wanted)
{
    struct forger f = {.model = model, .store = term_store_create(model->store)};
    uint32_t count = model->location_count;
    const struct term **proof = memory_zalloc(count * sizeof *proof);
    f.base = memory_zalloc(count * sizeof *f.base);
    f.states = find_states(model, f.store);
    random_init(&f.random, seed ^ 0xf09e);
    counts->models++;
    counts->near += f.states != NULL;
    for (int i = 0; i < MUTANTS && counts->tried < wanted; i++) {
        if (i % ROUND == 0)
            start_from(&f);
        memcpy(proof, f.base, count * sizeof *proof);
        for (uint64_t changes = random_below(&f.random, 4); changes > 0; changes--) {
            uint32_t at = (uint32_t)random_below(&f.random, count);
            proof[at] = change(&f, proof[at]);
        }
        if (i % 3 == 2)
            forge_text(&f, proof, seed, i, counts);
        else
            forge_terms(&f, proof, seed, i, counts);
    }
    memory_free(f.states);
    memory_free(proof);
    memory_free(f.base);
    term_store_destroy(f.store);
}

// Every `step`-th seed from the first, until the clock says `end_ns`.
static struct counts forge_seeds(unsigned long wanted, uint64_t seed, uint64_t step, int64_t end_ns)
{
    struct counts counts = {0};
    for (; counts.tried < wanted && clock_wall_ns() < end_ns; seed += step) {
        struct model *model = oracle_random_model(seed);
        if (oracle_decide(model, 10000) == VERDICT_UNSAFE)
            forge(model, seed, &counts, wanted);
        model_destroy(model);
    }
    counts.next = seed;
    return counts;
}

static void add(struct counts *sum, const struct counts *part)
{
    sum->tried += part->tried;
    sum->texts += part->texts;
    sum->accepted += part->accepted;
    sum->refused += part->refused;
    sum->undecided += part->undecided;
    sum->models += part->models;
    sum->near += part->near;
    if (part->next > sum->next)
        sum->next = part->next;
}

// The parts in processes of their own. False when one of them did not come to its end.
static bool forge_in_processes(unsigned long wanted, uint64_t first, unsigned long processes,
                               int64_t end_ns, struct counts *sum)
{
    int ends[2];
    unsigned long back = 0;
    struct counts part;
    if (pipe(ends) != 0)
        return false;
    for (unsigned long p = 0; p < processes; p++) {
        fflush(stdout);
        if (fork() == 0) {
            part = forge_seeds((wanted + processes - 1) / processes, first + p, processes, end_ns);
            fflush(stdout);
            _exit(write(ends[1], &part, sizeof part) != (ssize_t)sizeof part);
        }
    }
    close(ends[1]);
    for (; read(ends[0], &part, sizeof part) == (ssize_t)sizeof part; back++)
        add(sum, &part);
    close(ends[0]);
    while (wait(NULL) > 0)
        continue;
    return back == processes;
}

int main(int count, char **arguments)
{
    struct counts counts = {0};
    bool whole = true;
    unsigned long wanted = count > 1 ? strtoul(arguments[1], NULL, 10) : 1000;
    uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    unsigned long processes = count > 3 ? strtoul(arguments[3], NULL, 10) : 1;
    int64_t end_ns =
        count > 4 ? clock_wall_ns() + strtoll(arguments[4], NULL, 10) * 1000000000 : INT64_MAX;
    if (processes > 1)
        whole = forge_in_processes(wanted, seed, processes, end_ns, &counts);
    else
        counts = forge_seeds(wanted, seed, 1, end_ns);
    printf("%lu forged proofs of %lu unsafe models (%lu from the states they have; %lu as text): "
           "%lu accepted, %lu refused, %lu undecided\n",
           counts.tried, counts.models, counts.near, counts.texts, counts.accepted, counts.refused,
           counts.undecided);
    if (counts.tried < wanted)
        printf("go on with seed %llu\n", (unsigned long long)counts.next);
    return !whole || counts.accepted > 0 || counts.refused == 0 || counts.near == 0 ||
           counts.texts == 0;
}
