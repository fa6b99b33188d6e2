#ifndef REGATTA_LANGUAGES_PROGRAMS_THREADS_INSIDE_H
#define REGATTA_LANGUAGES_PROGRAMS_THREADS_INSIDE_H

#include "languages/programs/threads.h"

// What threads.c needs to know of the copies of a program with threads (threads_find.c).

#define NO_VALUE UINT32_MAX
#define THREADS_COUNTERS 40
#define THREADS_PLACES 3   // by which an instruction reaches memory
#define THREADS_COUNTED 12 // what a counter that is told apart holds, or less than nothing

enum thread_reach {
    REACH_UNKNOWN, // whatever there is
    REACH_ANY,     // whatever the program gave away the address of
    REACH_GLOBAL,  // number: which
    REACH_MADE,    // number: the value of the alloca or call of an allocator
};

struct thread_base {
    enum thread_reach kind;
    uint32_t number;
    bool exact; // `offset` is known
    int64_t offset;
};

// An operand by which an instruction reaches memory.
struct thread_place {
    uint32_t operand;
    struct thread_base base;
    bool writes;
};

struct thread_access {
    uint32_t block, index, thread;
    uint64_t bytes; // 0: not known
    bool atomic;    // no race with another one that is
    bool frees;     // it ends what is there
    bool seen;      // another thread has one that it may conflict with
    struct thread_place places[THREADS_PLACES];
    uint32_t place_count;
    uint8_t
        *meets; // by block: from there something may be reached that conflicts; NULL: not asked yet
};

enum step {
    STEP_OWN,    // nothing that others see
    STEP_ACCESS, // to what others may access
    STEP_OTHER, // anything may depend on it: an end of the program, more than one access, a thread that is joined
};

// Does a loop come back to a block, so that others are to be asked there?
enum head {
    HEAD_NONE,
    HEAD_ASKS,
    HEAD_SILENT, // others see nothing of the loop
};

// Instructions from … to - 1 of a block. All that others see of it is its first instruction, or comes with that in one step.
struct thread_piece {
    uint32_t block, from, to;
    enum step step;
    bool head;       // a loop of its thread may come back to it
    bool silent;     // and in that loop it does nothing that others see
    uint32_t access; // ACCESS
};

// What is known of an instruction of the copies.
struct thread_note {
    uint32_t access; // that others may see; NO_VALUE: none
    uint32_t piece;
    uint32_t counter; // that it loads, stores or makes, from 1; 0: none
};

// Four bytes of a global that are only read and written as such, by all threads.
struct thread_word {
    uint32_t global;
    int64_t offset;
    uint32_t counter; // which, from 1; 0: it is none
    bool decides;     // where some thread goes
    bool other;       // what is stored there is not told apart
};

struct thread_orders;

struct threads {
    const struct flat *flat;
    struct block *blocks; // the copies: flat's until the product is made
    uint32_t block_count;
    uint32_t count;
    bool have_own;                  // there are variables that each has, and others than main use
    uint32_t entries[THREADS_MOST]; // blocks
    uint32_t *thread_of;            // by block; NO_VALUE: it is not reached
    uint8_t *head;                  // by block: enum head
    uint32_t *
        depth; // by block: of steps that are not interrupted, around its begin; NO_VALUE: not known yet
    // By value.
    uint32_t *where, *index; // the instruction that defines it; NO_VALUE: none
    bool *hoisted;           // a slot that is only loaded and stored
    bool gives_all_away;     // whose address others may have is not known
    bool *gives_away;        // an alloca or an allocator's call whose address others may have
    bool *spilled;           // it is used behind the piece that computes it
    struct operand *stored;  // what the only store to a slot stores; UNKNOWN: there are more
    struct program_type
        *slot_type;          // of what a slot holds where it may live again; VOID: it does not
    bool *global_given_away; // by global
    // Counters of loops and states of locks: slots and words of globals whose values are told apart while they are small.
    struct thread_word words[THREADS_COUNTERS];
    uint32_t counter_count, word_count;
    uint32_t counter_thread[THREADS_COUNTERS]; // whose slot it is; NO_VALUE: a global's
    struct {
        struct thread_access *data;
        size_t count, capacity;
    } accesses; // in order of blocks and instructions
    struct thread_orders *orders;
    uint32_t *first_note; // by block
    struct thread_note *notes;
    uint32_t note_count;
    struct {
        struct thread_piece *data;
        size_t count, capacity;
    } pieces;
};

// Resolves the operands of the copies, too. With `counts`: loops' counters are looked for. NULL, or why threads are not followed; threads_finish in any case.
const char *threads_find(struct threads *threads, struct flat *flat, bool counts);
void threads_finish(struct threads *threads);
bool threads_is_exit(const struct flat *flat, const struct instruction *i);
static inline struct thread_note *threads_note(const struct threads *threads, uint32_t block,
                                               uint32_t index)
{
    return &threads->notes[threads->first_note[block] + index];
}
// Of a load or store; NULL: it is none.
static inline const struct operand *threads_address(const struct instruction *i)
{
    return i->op == OP_LOAD ? &i->operands[0] : i->op == OP_STORE ? &i->operands[1] : NULL;
}
// The instructions of blocks that are reached; `break` leaves a block.
#define EACH_INSTRUCTION(t, b, k, i)                                                               \
    for (uint32_t b = 0; b < (t)->block_count; b++)                                                \
        for (uint32_t k = 0; (t)->thread_of[b] != NO_VALUE && k < (t)->blocks[b].count; k++)       \
            for (const struct instruction *i = &(t)->blocks[b].instructions[k]; i != NULL; i = NULL)
// May others have the address?
bool threads_is_given_away(const struct threads *threads, const struct thread_base *base);
// threads_count.c
void threads_find_counters(struct threads *threads);
// Has it this mark (THREADS_FORK and its like)?
bool threads_is_marked(const struct instruction *i, enum opcode op, const char *mark);
bool threads_places_conflict(const struct threads *threads, const struct thread_place *a,
                             const struct thread_place *b, uint64_t a_bytes, uint64_t b_bytes);
bool threads_may_conflict(const struct threads *threads, const struct thread_access *a,
                          const struct thread_access *b);
// What an operand is an address of.
struct thread_base threads_base(const struct threads *threads, const struct operand *o);
const struct instruction *threads_definition(const struct threads *threads,
                                             uint32_t value); // NULL: none
// At the end of a block; NULL: no thread begins there.
const struct instruction *threads_fork(const struct threads *threads, uint32_t block);
// A function without a body: others see nothing of a call but what it accesses.
bool threads_changes_nothing(const char *callee);
// `block`, `index`, `thread` and `seen` are left open. False: it reaches no memory but slots that are its own.
bool threads_find_access(const struct threads *threads, const struct instruction *i,
                         struct thread_access *out);
// Of steps that are not interrupted: how many more are open behind the instruction.
int threads_depth_change(const struct threads *threads, const struct instruction *i);
// threads_order.c. Of all accesses, seen or not; `orders` of `threads` is not needed.
struct thread_orders *threads_find_orders(const struct threads *threads);
void threads_finish_orders(struct thread_orders *orders); // NULL is fine
// Are two accesses never next at the same time? By which both threads are alive and do not wait for a lock that the other one has.
bool threads_keep_apart(const struct thread_orders *orders, uint32_t a, uint32_t b);
// The thread that a join waits for, by the place where its number is; NO_VALUE: that is not known.
uint32_t threads_joined(const struct threads *threads, uint32_t block, uint32_t index);
// No two accesses race, where it is false, however many threads begin at one place; there are two copies at least of each that may begin more
// than once.
bool threads_may_race(const struct threads *threads);
// May a thread that is in this block still do what conflicts with the access?
bool threads_access_meets(const struct threads *threads, uint32_t access, uint32_t block);

#endif
