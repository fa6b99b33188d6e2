#ifndef REGATTA_LANGUAGES_PROGRAMS_TRANSLATE_H
#define REGATTA_LANGUAGES_PROGRAMS_TRANSLATE_H

#include "languages/programs/objects.h"
#include "base/text.h"
#include "model/dialect.h"
#include "model/model.h"
#include "model/procedures.h"

// A flat program and a property become a model over bit-vectors: exact, but for what `translation_result` says.

enum program_property {
    PROPERTY_CALL,     // a function is never called
    PROPERTY_LABEL,    // a label is never reached
    PROPERTY_OVERFLOW, // no signed operation overflows
    PROPERTY_MEMSAFETY,
    PROPERTY_MEMCLEANUP,
    PROPERTY_TERMINATION, // every run ends
};

struct program_question {
    enum program_property property;
    const char *name;        // of the function or label
    bool free, deref, track; // MEMSAFETY
    // Violations count from one place to before another only.
    bool where;
    unsigned from_line, from_column, to_line, to_column;
};

// Does a call of this function violate the property? An assertion of another verifier's that does not hold (__regatta_failure,
// languages/c/library) is the error, whatever that is called.
bool program_question_names(const struct program_question *question, const char *function);
// Is this a function that another verifier gives a meaning to, by its name? One that gives any value (`nondet`) is none.
bool program_is_of_verifier(const char *function);
// One that has no body: it ends the program; it only prints; a program that calls it is not supported.
bool program_is_end(const char *function);
bool program_is_printer(const char *function);
bool program_is_unsupported(const char *function);
#define VERIFIER_WORDS "what this function of another verifier does is not known"
// PROPERTY_CALL of THREADS_RACE.
bool program_question_is_race(const struct program_question *question);
// What a violation of the property is called that is about a call.
const char *program_question_word(const struct program_question *question);

// What a variable of the model stands for, so that a run of the model can be made one of the program.
enum variable_role {
    ROLE_NONE,
    ROLE_INPUT,    // a result of the instruction with this value, or an arbitrary operand of it
    ROLE_CELL,     // object.cells[cell]
    ROLE_BYTES,    // all of an object
    ROLE_SIZE,     // of a text that main is given: its bytes
    ROLE_FOLLOWED, // of these texts: where the pointer to the tracked one is among the pointers
};

struct variable_meaning {
    enum variable_role role;
    uint32_t value, object;
    size_t cell;
};

struct translation_result {
    struct variable_meaning *meanings; // by variable; the caller frees them
    size_t meaning_count, meaning_capacity;
    bool has_cuts;
    struct text
        guesses; // predicates that may hold (model/precision_text.h); the caller finishes it
    bool guesses_are_bounds; // of floats, and nothing about blocks
    bool
        has_open_copies; // copies and fillings of memory that are not followed (flat_options.copy_by_loops)
    // TERMINATION: in the locations from this number on a run circles for ever (translate_endless.c); UINT32_MAX: none.
    uint32_t copies_from;
};

// With `ignore_cuts` paths that reach a bound just end: such a model is for finding errors only.
// The judge becomes the model's. Takes what it needs of the program over; all of it lives as long as the model.
// `retry` is the property with which the same program is read again without bounds; copied.
// Runs go through `plain`, which shares no simplification with the model: of flat_create_plain, or, where the model is of a single run, of
// flat_create_deep.
struct model_judge *program_judge_create(struct program *program, struct flat *flat,
                                         struct flat *plain, struct objects *objects,
                                         const struct program_question *question,
                                         struct arena *arena, const char *retry);
// `wider` is the property with which it is read again where the first model was not enough: for any number of blocks, say; copied.
void program_judge_widen(struct model_judge *judge, const char *wider);
// The model has more runs than what is asked of the input: only its proofs count.
void program_judge_doubt(struct model_judge *judge);
// The runs of the single-run model are the one on these guesses (guess.h).
void program_judge_guessed(struct model_judge *judge, uint32_t number);
// After translation: what its variables mean, taken over.
void program_judge_learn(struct model_judge *judge, struct translation_result *result);

// The model of a program whose only run is known: it violates the property here (`label`), or (NULL) does not. A run on
// guesses (`guess`, else 0) is named in the model, so that traces and certificates say which it is.
struct model *translate_single_run(const struct flat *flat, const struct dialect *dialect,
                                   const char *label, struct position at, uint32_t guess,
                                   struct model_judge *judge);

// NULL with messages when something is not supported.
struct model *translate_program(const struct objects *objects, const struct dialect *dialect,
                                const struct program_question *question, bool ignore_cuts,
                                struct model_judge *judge, struct translation_result *result,
                                struct messages *messages);

// TERMINATION, without copies of loops: its errors are bounds only, and where it has no cycle every run ends. It has no judge.
struct model *translate_for_ways(const struct objects *objects, const struct dialect *dialect,
                                 const struct program_question *question,
                                 struct translation_result *result, struct messages *messages);

// The view of a program with procedures (flat_create_procedures), over bit-vectors. Its model's runs are all runs of the
// program, and more. NULL when the procedures share memory other than globals, or something is not supported; properties
// of memory and of endings are not. The program must live as long.
struct procedures *translate_procedures(const struct objects *objects,
                                        const struct dialect *dialect,
                                        const struct program_question *question);

#endif
