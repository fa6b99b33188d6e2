#include <inttypes.h>
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
#include "certify/deadline.h"
#include "logic/terms/print.h"
#include "results/verdict.h"
#include "tests/fuzz/mutate.h"
#include "tests/oracle.h"

// Forged proofs: what looks like an invariant of a model that can reach its error must never pass the checker. The forger
// begins with the states that the model really has (each location's, the error's left out: all but the last step holds),
// or with random formulas; then conjuncts and disjuncts are put in, states left out, formulas
// exchanged, negated, made true or false. A third is written as a certificate, whose text is changed, too, and read.
//   forge COUNT [FIRST-SEED [PROCESSES [SECONDS [STATE]]]]
// SECONDS: nothing is begun after so long; a model that takes half a minute more ends its process, and is named. STATE: a file
// that keeps what was done, model by model; the same command goes on there.

enum {
    SOLVER_STEPS = 100000,
    MUTANTS = 64,
    ROUND = 8,
    STATES = 300,
    GRACE_SECONDS = 30,
    MOST = 64
};

// There are questions on which Z3 spends minutes without counting a step: nothing is decided then.
#define CHECK_SECONDS 5.0

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

static struct certify_owner begin_check(struct deadline *deadline)
{
    if (!deadline_start(deadline, CHECK_SECONDS))
        abort();
    return (struct certify_owner){deadline_publish_solver, deadline, SOLVER_STEPS};
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
    struct deadline deadline;
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
        struct certify_owner owner = begin_check(&deadline);
        enum certify_result result =
            certificate_check(c, f->model, "z3", &deadline.stop, &owner, &why);
        deadline_end(&deadline);
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
    struct deadline deadline;
    text_init(&why);
    struct certify_owner owner = begin_check(&deadline);
    enum certify_result result = certify_invariant_owned(
        f->model, f->store, proof, (struct induction_rule){0}, "z3", &deadline.stop, &owner, &why);
    deadline_end(&deadline);
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

static struct counts forge_seed(uint64_t seed, unsigned long wanted)
{
    struct counts counts = {0};
    struct model *model = oracle_random_model(seed);
    if (oracle_decide(model, 10000) == VERDICT_UNSAFE)
        forge(model, seed, &counts, wanted);
    model_destroy(model);
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
}

// What is to be done, and what was done so far.
struct work {
    unsigned long wanted, processes, seconds; // 0 seconds: no limit
    const char *state;                        // a file; may be NULL
    uint64_t next[MOST];                      // a process's seed to go on with
    struct counts done;
    unsigned long deaf; // seeds at which the solver did not even hear that it is to stop
};

// What a process tells after each model.
struct report {
    unsigned long process;
    uint64_t next;
    struct counts counts;
};

static void read_state(struct work *work)
{
    FILE *file = work->state != NULL ? fopen(work->state, "r") : NULL;
    struct counts *c = &work->done;
    unsigned long processes = 0;
    if (file == NULL)
        return;
    int read = fscanf(file, "%lu %lu %lu %lu %lu %lu %lu %lu", &processes, &c->tried, &c->texts,
                      &c->accepted, &c->refused, &c->undecided, &c->models, &c->near);
    for (unsigned long p = 0; read == 8 && p < processes && p < MOST; p++)
        if (fscanf(file, "%" SCNu64, &work->next[p]) != 1)
            read = 0;
    fclose(file);
    if (read != 8 || processes != work->processes) {
        fprintf(stderr, "%s: not of %lu processes\n", work->state, work->processes);
        exit(2);
    }
}

static void write_state(const struct work *work)
{
    const struct counts *c = &work->done;
    FILE *file = work->state != NULL ? fopen(work->state, "w") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "%lu %lu %lu %lu %lu %lu %lu %lu", work->processes, c->tried, c->texts,
            c->accepted, c->refused, c->undecided, c->models, c->near);
    for (unsigned long p = 0; p < work->processes; p++)
        fprintf(file, " %" PRIu64, work->next[p]);
    fclose(file);
}

// Every PROCESSES-th seed; a report after each.
static bool forge_part(const struct work *work, unsigned long process, int reports)
{
    struct report report = {.process = process, .next = work->next[process]};
    unsigned long left = (work->wanted - work->done.tried + work->processes - 1) / work->processes;
    int64_t end = clock_wall_ns() + (int64_t)work->seconds * 1000000000;
    bool whole = true;
    alarm(work->seconds != 0 ? (unsigned)work->seconds + GRACE_SECONDS : 0);
    while (whole && left > 0 && (work->seconds == 0 || clock_wall_ns() < end)) {
        report.counts = forge_seed(report.next, left);
        report.next += work->processes;
        left -= report.counts.tried;
        fflush(stdout);
        whole = write(reports, &report, sizeof report) == (ssize_t)sizeof report;
    }
    return whole;
}

// A process that ended as its solver was deaf (deadline.h) leaves its seed alone. False when it ended in another way.
static bool is_whole(struct work *work, unsigned long process, pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_UNKNOWN) {
        printf("seed %" PRIu64 " is left alone\n", work->next[process]);
        work->next[process] += work->processes;
        work->deaf++;
        return true;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The parts in processes of their own. False when one of them did not come to its end.
static bool forge_in_processes(struct work *work)
{
    int ends[2];
    pid_t pids[MOST];
    bool whole = true;
    struct report report;
    if (pipe(ends) != 0)
        return false;
    for (unsigned long p = 0; p < work->processes; p++) {
        fflush(stdout);
        pids[p] = fork();
        if (pids[p] == 0)
            exit(!forge_part(work, p, ends[1]));
    }
    close(ends[1]);
    while (read(ends[0], &report, sizeof report) == (ssize_t)sizeof report) {
        add(&work->done, &report.counts);
        work->next[report.process] = report.next;
        write_state(work);
    }
    close(ends[0]);
    for (unsigned long p = 0; p < work->processes; p++)
        whole = is_whole(work, p, pids[p]) && whole;
    write_state(work);
    return whole;
}

static void tell_where(const struct work *work, bool whole)
{
    printf(whole ? "go on with the seeds" : "a process did not end; the seeds they were at are");
    for (unsigned long p = 0; p < work->processes; p++)
        printf(" %" PRIu64, work->next[p]);
    putchar('\n');
}

int main(int count, char **arguments)
{
    struct work work = {.wanted = count > 1 ? strtoul(arguments[1], NULL, 10) : 1000,
                        .processes = count > 3 ? strtoul(arguments[3], NULL, 10) : 1,
                        .seconds = count > 4 ? strtoul(arguments[4], NULL, 10) : 0,
                        .state = count > 5 ? arguments[5] : NULL};
    uint64_t first = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    if (work.processes == 0 || work.processes > MOST)
        return 2;
    for (unsigned long p = 0; p < work.processes; p++)
        work.next[p] = first + p;
    read_state(&work);
    int64_t begin = clock_wall_ns();
    unsigned long seconds = work.seconds, deaf, gone;
    bool whole;
    do {
        deaf = work.deaf;
        whole = forge_in_processes(&work);
        gone = (unsigned long)((clock_wall_ns() - begin) / 1000000000);
        work.seconds = seconds > gone ? seconds - gone : 0;
    } while (whole && work.deaf > deaf && work.done.tried < work.wanted &&
             (seconds == 0 || work.seconds > 0));
    const struct counts *c = &work.done;
    printf("%lu forged proofs of %lu unsafe models (%lu from the states they have; %lu as text): "
           "%lu accepted, %lu refused, %lu undecided\n",
           c->tried, c->models, c->near, c->texts, c->accepted, c->refused, c->undecided);
    if (c->tried < work.wanted)
        tell_where(&work, whole);
    return !whole || c->accepted > 0 || c->refused == 0 || c->near == 0 || c->texts == 0;
}
