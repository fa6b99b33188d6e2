#ifndef REGATTA_LOGIC_SMT_Z3_Z3_BACKEND_H
#define REGATTA_LOGIC_SMT_Z3_Z3_BACKEND_H

#include "base/vector.h"
#include "logic/smt/id_map.h"
#include "logic/smt/smt_backend.h"
#include "logic/smt/z3/z3_library.h"
#include "logic/terms/eval.h"

// Z3 behind smt.h, through the calls common to 4.8 and later. One Z3 context per smt_context, with
// our own reference counting. Every result of a Z3 call goes through z3_keep or z3_ok, which look
// at the error code; a failure leaves its text in the context and travels up as NULL or false.

struct z3_enum {
    const struct sort *sort;
    Z3_func_decl *literals; // sort->literal_count of them, referenced
};

struct z3_context {
    struct smt_context base;
    Z3_context z3;
    struct text error; // of the last failed call
    Z3_error_code error_code;
    VECTOR(Z3_ast) terms;  // by term id; referenced; NULL = not translated yet
    VECTOR(Z3_sort) sorts; // by sort id; referenced
    VECTOR(struct z3_enum) enums;
    struct id_map declarations;       // id of a Z3 declaration -> the variable or literal term
    struct id_map sorts_back;         // id of a Z3 enumeration sort -> our sort
    Z3_func_decl rem_by_zero;         // Int -> Int, made when first needed
    VECTOR(Z3_ast) kept;              // intermediate results, referenced until z3_release
    VECTOR(const struct term *) todo; // stack of the translation
    VECTOR(Z3_ast) arguments;         // scratch of the translation
    struct id_map imported;           // id of a Z3 term -> our term, during one import
    struct evaluator *evaluator;      // made when first needed
    Z3_params solver_params;
    unsigned step_limit; // what Z3 calls rlimit; 0 = none
    char version[32];
};

// True when the last Z3 call succeeded; else notes what it said.
bool z3_ok(struct z3_context *context);
// Holds a reference to a fresh result until z3_release of an earlier mark. NULL when the call
// failed.
Z3_ast z3_keep(struct z3_context *context, Z3_ast ast);
static inline size_t z3_mark(const struct z3_context *context)
{
    return context->kept.count;
}
void z3_release(struct z3_context *context, size_t mark);
// The limit that Z3's words speak of, or `otherwise`.
enum smt_reason z3_failure_reason(const struct z3_context *context, const char *text,
                                  enum smt_reason otherwise);

// z3_translate.c: the cache holds the reference; NULL on failure.
Z3_ast z3_translate(struct z3_context *context, const struct term *term);
Z3_sort z3_translate_sort(struct z3_context *context, const struct sort *sort);

// z3_import.c: our term for a Z3 term without quantifiers, or NULL when there is none. `model`
// explains function interpretations in array values; may be NULL.
const struct term *z3_import(struct z3_context *context, Z3_ast ast, Z3_model model);
const struct sort *z3_import_sort(struct z3_context *context, Z3_sort sort);

// z3_solver.c
struct smt *z3_solver_create(struct smt_context *context);
void z3_solver_destroy(struct smt *smt);
bool z3_solver_reset_all(struct smt *smt);
bool z3_solver_push_level(struct smt *smt);
bool z3_solver_pop_levels(struct smt *smt, unsigned levels);
bool z3_solver_assert_formula(struct smt *smt, const struct term *formula);
enum smt_result z3_solver_run(struct smt *smt, const struct term *const *assumptions, size_t count);
const struct term *z3_solver_value(struct smt *smt, const struct term *term);
bool z3_solver_core(struct smt *smt, struct term_vector *core);
void z3_solver_forget(struct smt *smt);

// z3_tactic.c
const struct term *z3_eliminate(struct smt_context *context, bool linear,
                                const struct term *const *variables, size_t count,
                                const struct term *body);
const struct term *z3_simplify(struct smt_context *context, const struct term *formula);

// z3_horn.c
enum smt_result z3_horn(struct smt_context *context, const struct smt_horn *problem,
                        struct smt_horn_answer *answer);

// z3_spacer.c
bool z3_interpolate(struct smt_context *context, const struct term *const *parts, size_t count,
                    const struct term **out);

#endif
