#ifndef REGATTA_LANGUAGES_PROGRAMS_INTERPRET_H
#define REGATTA_LANGUAGES_PROGRAMS_INTERPRET_H

#include "languages/programs/flat.h"
#include "languages/programs/translate.h"

// Runs a flat program on given inputs, with bytes for memory, numbers for addresses and the machine's own floats. It shares
// nothing with the translation into a model: what a model says of a program is checked by it. Procedures (flat_create_deep) are called
// as a machine calls them, with a stack, so recursion goes as deep as it goes.

enum run_end {
    RUN_VIOLATION,   // of the property
    RUN_ENDED,       // main returned, or the program ended itself
    RUN_ASSUMPTION,  // an assumption did not hold
    RUN_UNDEFINED,   // something without a meaning in C happened first
    RUN_BOUND,       // a bound of the flat program
    RUN_LIMIT,       // of steps
    RUN_DEEP,        // of calls inside one another
    RUN_UNSUPPORTED, // something that is not interpreted
    RUN_OPEN,        // a closed run asked for something that the program does not determine
};

enum run_event_kind {
    EVENT_STEP,  // an instruction at another place than the one before
    EVENT_ENTER, // a function: frame
    EVENT_LEAVE,
    EVENT_INPUT,  // a function without a body gave `bits`
    EVENT_STORE,  // `bits` went into an object; width 0: more than a number did
    EVENT_COUNT,  // main is given `bits` texts of this `name` ("argv", "envp")
    EVENT_TEXT,   // the one of index `bits`: `text`, of `length` characters, while this is told
    EVENT_ROUNDS, // `bits` rounds more of the loop, each as the one before, are behind the run now
};

// Addresses from here to the end of the first page are arbitrary pointers'; below they are null's.
#define ARBITRARY_ADDRESS 0x800

struct run_event {
    enum run_event_kind kind;
    const struct instruction *instruction;
    uint32_t frame, depth; // calls around it, of procedures too
    struct position at;    // ENTER, LEAVE: of the call
    program_word bits;
    uint32_t width;
    // STORE: the object as the programmer calls it, NULL for blocks of the heap; its type, "" when unknown; who made it (NULL
    // for globals); where in it. A pointer's target likewise, `points` false when it has none.
    const char *name, *type;
    const struct instruction *made;
    uint64_t offset;
    bool whole, points, pointer;
    const char *target;
    const struct instruction *target_made;
    uint64_t target_offset;
    const char *text;
    uint64_t length;
};

struct run_source {
    void *context;
    // The next result of this call, or of this arbitrary operand.
    program_word (*input)(void *context, const struct instruction *at);
    // What memory holds when the `time`-th object (from 0) of this instruction is made, or a global that is declared
    // elsewhere (instruction NULL, `time` its number), or of texts that main is given the one of this index, as far as its first
    // zero. The bytes are 0 before.
    void (*fill)(void *context, const struct instruction *at, uint32_t time, uint8_t *bytes,
                 uint64_t count);
    void (*listen)(void *context, const struct run_event *event); // may be NULL
    // What memory holds outside of every object is arbitrary, too, and stays until it is written: an access there goes on, where
    // validity is not asked for. `interpret` then asks `input` at each load, in case that some of its bytes are outside and new, and
    // `interpret_inputs` at those that are outside.
    bool outside;
    // Objects lie where their alignments let them, and no better.
    bool tight;
    // Each round of a loop is run by itself, however many there are (rounds.h).
    bool single;
    // A block of the heap lies where one of its size was freed, as comparisons of pointers see it.
    bool reuses;
    // With that: what realloc gives lies where the block was.
    bool in_place;
};

struct run_result {
    enum run_end end;
    struct position at;
    const char *what; // which property, or what it was
    uint64_t steps;
    struct position outside; // the first access outside of every object that went on; line 0: none
    uint32_t deepest;        // so many calls of procedures inside one another
    uint32_t blocks;         // so many were made by one allocation
};

// Runs a program without any inputs. When it ends with a violation, or has ended, that is the program's only
// behaviour: whatever is arbitrary (results of nondeterministic functions, memory before it is written, numbers of
// addresses, the order of objects) ends such a run with RUN_OPEN.
struct run_result interpret_closed(const struct flat *flat, const struct program_question *question,
                                   uint64_t most_steps);

// The same, but that the source gives the results of functions without a body and what memory holds at first.
struct run_result interpret_inputs(const struct flat *flat, const struct program_question *question,
                                   const struct run_source *source, uint64_t most_steps);

struct run_result interpret(const struct flat *flat, const struct program_question *question,
                            const struct run_source *source, uint64_t most_steps);

#endif
