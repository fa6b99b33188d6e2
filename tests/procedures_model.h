#ifndef REGATTA_TESTS_PROCEDURES_MODEL_H
#define REGATTA_TESTS_PROCEDURES_MODEL_H

#include "base/memory.h"
#include "model/procedures.h"

// A model with the view of a program with one procedure over numbers of 8 bits:
//   f(n) { if (n == 0) return 5; return f(n - 1); }   main: x = any; error if f(x) != 5
// That is so with PROCEDURES_SAFE. With PROCEDURES_UNSAFE f returns 6; with PROCEDURES_TWO it returns 5 or 250, neither of which is
// an error: no bounds of one number say so. With PROCEDURES_QUOTIENT that is so, and a number is divided by a number.

enum procedures_kind {
    PROCEDURES_SAFE,
    PROCEDURES_UNSAFE,
    PROCEDURES_TWO,
    PROCEDURES_QUOTIENT,
};

static inline struct model *procedures_model(enum procedures_kind kind)
{
    static const struct position nowhere = {0};
    struct model_builder *b = model_builder_create(&dialect_plain, "program", NULL);
    struct term_store *s = model_builder_store(b);
    const struct sort *byte = sort_bv(s, 8);
    enum { X, ARGUMENT, RETURNED, IN, RESULT, DOWN, BELOW, COUNT };
    static const char *const names[] = {"x",      "argument", "returned", "n",
                                        "result", "down",     "below"};
    enum { START, CALL, BACK, BEFORE, ENTRY, INNER, AFTER, EXIT, ERROR, PLACES };
    static const char *const places[] = {"start", "call",  "back", "before", "entry",
                                         "inner", "after", "exit", "error"};
    const struct variable *v[COUNT];
    struct location *l[PLACES];
    for (int i = 0; i < COUNT; i++)
        v[i] = model_builder_variable(b, names[i], byte, 0, nowhere);
    for (int i = 0; i < PLACES; i++)
        l[i] = model_builder_location(b, places[i], PHASE_NONE, true);
#define PAIR(p, q) model_sequence(b, (struct statement *[]){p, q}, 2, nowhere)
#define SET(k, term) model_assign(b, v[k], term, nowhere)
#define ASSUME(term) model_assume(b, term, nowhere)
#define ADD(k, n) term_bv_binary(s, TERM_BV_ADD, v[k]->term, term_bv(s, 8, (uint64_t)(n)))
#define EDGE(from, to, action) model_builder_edge(b, l[from], l[to], action, NULL, nowhere)
    const struct term *none = term_eq(s, v[IN]->term, term_bv(s, 8, 0));
    EDGE(START, CALL, PAIR(model_havoc(b, v[X], nowhere), SET(ARGUMENT, v[X]->term)));
    const struct edge *outer = EDGE(CALL, BACK, model_havoc(b, v[RETURNED], nowhere));
    const struct term *right = term_eq(s, v[RETURNED]->term, term_bv(s, 8, 5));
    if (kind >= PROCEDURES_TWO) {
        right = term_or2(s, right, term_eq(s, v[RETURNED]->term, term_bv(s, 8, 250)));
        const struct term *when = none;
        // Where n is 0 a quotient by it has all bits.
        if (kind == PROCEDURES_QUOTIENT)
            when = term_and2(s, none,
                             term_eq(s, term_bv_binary(s, TERM_BV_UDIV, v[DOWN]->term, v[IN]->term),
                                     term_bv(s, 8, 255)));
        EDGE(ENTRY, EXIT, PAIR(ASSUME(when), SET(RESULT, term_bv(s, 8, 250))));
    }
    EDGE(BACK, ERROR, ASSUME(term_not(s, right)));
    EDGE(START, BEFORE, model_skip(b, nowhere));
    const struct edge *reset = EDGE(BEFORE, ENTRY, model_skip(b, nowhere));
    EDGE(ENTRY, EXIT,
         PAIR(ASSUME(none), SET(RESULT, term_bv(s, 8, kind == PROCEDURES_UNSAFE ? 6 : 5))));
    EDGE(ENTRY, INNER, PAIR(ASSUME(term_not(s, none)), SET(DOWN, ADD(IN, -1))));
    const struct edge *inner = EDGE(INNER, AFTER, model_havoc(b, v[BELOW], nowhere));
    EDGE(AFTER, EXIT, SET(RESULT, v[BELOW]->term));
    model_builder_initial(b, l[START], model_skip(b, nowhere));
    model_builder_error(b, l[ERROR]);
#undef PAIR
#undef SET
#undef ASSUME
#undef ADD
#undef EDGE
    struct procedures *p = memory_zalloc(sizeof *p);
    arena_init(&p->arena);
    procedures_init(p);
    p->count = 1;
    p->call_count = 2;
    p->procedures = arena_zalloc(&p->arena, sizeof *p->procedures);
    p->calls = arena_zalloc(&p->arena, 2 * sizeof *p->calls);
    const struct variable **variables = arena_alloc(&p->arena, 4 * sizeof(*variables));
    const struct term **terms = arena_alloc(&p->arena, 2 * sizeof(*terms));
    variables[0] = v[IN];
    variables[1] = v[RESULT];
    variables[2] = v[RETURNED];
    variables[3] = v[BELOW];
    terms[0] = v[ARGUMENT]->term;
    terms[1] = v[DOWN]->term;
    p->procedures[0] =
        (struct procedure){"f", l[ENTRY], l[EXIT], reset, variables, variables + 1, 1, 1};
    p->calls[0] = (struct procedure_call){outer, 0, terms, variables + 2};
    p->calls[1] = (struct procedure_call){inner, 0, terms + 1, variables + 3};
    p->model = model_builder_finish(b);
    // What is asked of other engines: nothing.
    struct model_builder *root = model_builder_create(&dialect_plain, "program", NULL);
    struct location *at = model_builder_location(root, "start", PHASE_NONE, true);
    model_builder_initial(root, at, model_skip(root, nowhere));
    model_builder_error(root, model_builder_location(root, "error", PHASE_NONE, true));
    model_builder_view(root, &p->base);
    return model_builder_finish(root);
}

#endif
