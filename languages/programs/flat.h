#ifndef REGATTA_LANGUAGES_PROGRAMS_FLAT_H
#define REGATTA_LANGUAGES_PROGRAMS_FLAT_H

#include "languages/programs/program.h"

// A whole program as one function: every call of a function that has a body is replaced by a copy of it.
// Recursion is copied to a depth, a call below that is OP_CUT. What stays are calls of library functions and of the
// function whose call is the error. Blocks are as long as control flow allows; unreachable ones are gone.

// The address of what main is given, up to 0x10000000. For the model nothing is known to be there.
#define FLAT_ARGUMENTS 0x08000000

struct flat_frame {
    uint32_t function;   // of the program
    uint32_t parent;     // of the calling frame; itself for main
    uint32_t depth;      // calls around it
    uint32_t thread;     // that it is a part of; 0: main's
    const char *name;    // "main", "f", "f.2" for the second copy
    uint32_t value_base; // value v of the function is value_base + v here
    struct position call;
};

struct flat_procedure {
    uint32_t function;
    uint32_t first_value, value_end; // the values of its body
    // flat_create_deep: those of them that may be looked at after a call in the body has returned.
    uint32_t *kept;
    size_t kept_count;
};

struct flat_procedures {
    struct flat_procedure *data;
    size_t count, capacity;
};

struct flat {
    const struct program *program;
    struct arena arena;
    struct block *blocks; // 0 is where the program begins
    size_t block_count, block_capacity;
    struct flat_frame *frames; // 0 is main
    size_t frame_count, frame_capacity;
    struct operand
        *alias; // a value that is another operand; kind OPERAND_UNKNOWN when it is itself
    size_t value_count, value_capacity;
    bool *in_cycle;       // by block
    bool leaves_open;     // some call has a result or an argument that nobody gives (FREEZE_OPEN)
    bool long_copies;     // loops of many rounds were copied that could have stayed (unroll.h)
    uint32_t *definition; // by value: the block that computes it; UINT32_MAX for none
    uint32_t recursion;   // the depth that was chosen
    uint32_t instances;   // and how many threads may begin at one place in a loop
    bool counts;          // and whether counters of threads' loops are told apart
    bool copies_open; // and whether loops around threads that nobody knows the rounds of are copied
    uint32_t first_copy; // from this value on, values are copies (unroll.h), or made (again.h)
    uint32_t *origin;    // of which, of one that was made 0; NULL when there are none
    uint32_t
        threads; // of the program, all of whose interleavings this is (threads.h); 0: it has one
    struct flat_procedures procedures; // flat_create_procedures, flat_create_deep
    struct arena *shared; // of the program, where it was made for this (shared.h); NULL: it was not
};

struct flat_options {
    const char *stop;    // a function that is not entered although it has a body; may be NULL
    uint32_t most_depth; // copies of a function inside one another
    size_t most_instructions;
    // memcpy, memmove and memset of any number of bytes are loops (__regatta_copy_bytes and its like), where the program has these.
    bool copy_by_loops;
    bool loads_again;    // loads that give what is known are dropped (again.h)
    bool variables_stay; // but for loads of pointers that are variables
    bool keeps_long;     // loops of many rounds stay (unroll.h)
    bool races;          // threads' accesses that are not ordered call THREADS_RACE
    bool plain;          // nothing is simplified: the program as its runs go, for the interpreter
};

// NULL with a message when there is no main or the program is too large even without recursion.
struct flat *flat_create(const struct program *program, const struct flat_options *options,
                         struct messages *messages);
// The same copies of functions, and so the same numbers of values and frames, without any simplification: what
// `flat` says of a program is checked on this.
struct flat *flat_create_plain(const struct flat *flat, const struct flat_options *options);
// With recursive functions as procedures, each copied once: block 0 ends in an OP_SWITCH over any value, whose default is main
// and whose cases are the procedures in their order. A call of one is OP_INVOKE. NULL without a message when no function
// that is called is recursive, or where one has an argument or a result that is no number (nor a pointer that means one variable all the
// time: shared.h), or a list of arguments.
struct flat *flat_create_procedures(const struct program *program,
                                    const struct flat_options *options);
// The same for runs, without any simplification: arguments and results may be anything. With `all`, functions that are not recursive
// are procedures, too, where they can be: a program is hardly larger than it was. NULL without a message when it has no procedure,
// and where a list of arguments of one that is recursive, or a far jump, is in the way.
struct flat *flat_create_deep(const struct program *program, const struct flat_options *options,
                              bool all);
// Where the body of a procedure begins, and where main does.
uint32_t flat_entry(const struct flat *flat, uint32_t procedure);
uint32_t flat_start(const struct flat *flat);
void flat_destroy(struct flat *flat); // NULL is fine
// Is this frame `outer`, or called from it, directly or not?
bool flat_frame_is_inside(const struct flat *flat, uint32_t frame, uint32_t outer);
const char *flat_callee(const struct flat *flat, const struct instruction *call); // "" when unknown
// The value that this is a copy of in a loop's round; itself for most.
uint32_t flat_origin(const struct flat *flat, uint32_t value);
// What an operand stands for after all aliases.
struct operand flat_resolve(const struct flat *flat, struct operand operand);
// A left shift's check leads to this call of a trap: the number that is shifted. NULL when it is not found.
const struct operand *flat_shifted(const struct flat *flat, const struct instruction *trap);
// The blocks that a block's last instruction leads to; at most `most` are stored, all are counted.
size_t flat_successors(const struct block *block, uint32_t *out, size_t most);

#endif
