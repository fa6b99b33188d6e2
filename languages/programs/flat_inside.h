#ifndef REGATTA_LANGUAGES_PROGRAMS_FLAT_INSIDE_H
#define REGATTA_LANGUAGES_PROGRAMS_FLAT_INSIDE_H

#include "base/hash_index.h"
#include "base/vector.h"
#include "languages/programs/flat.h"

// What the files that copy functions to their calls have in common.

// A call of setjmp: where longjmp leads to when this number is in its buffer; the first is 1.
struct mark {
    uint32_t block, frame;
};

// A call of longjmp: the end of a block that is not there yet, as marks may follow.
struct far_jump {
    uint32_t block;
    struct instruction call;
};

// A call of pthread_create: the end of a block that is not there yet, as it has to be known whether a loop comes back to it.
struct fork {
    uint32_t block, next;
    struct instruction call;
    const struct instruction *original;
};

// The functions that a call of the program through a pointer plainly means (meant.h).
struct meaning {
    const struct instruction *call;
    bool *functions;
};

struct inliner {
    struct flat *flat;
    // Of the call that is copied: its function and itself.
    const struct function *caller;
    const struct instruction *original;
    VECTOR(struct meaning) meanings;
    struct hash_index meaning_index; // by call
    VECTOR(struct mark) marks;
    VECTOR(struct far_jump) far_jumps;
    VECTOR(const struct instruction *) calls; // by frame: the call in the function around it
    VECTOR(struct fork) forks;
    uint32_t threads;   // that the forks begin
    uint32_t thread;    // whose body is copied
    uint32_t instances; // of threads that begin at one place in a loop
    bool fork_in_loop;  // there is one
    bool copies_open;   // loops around threads that nobody knows the rounds of are copied, too
    bool open_loops;    // there are some
    bool raceless;      // no two accesses of threads race, whoever goes on
    bool open_ended;    // however many may begin, there is one more, as far as is known
    const struct program *program;
    const struct flat_options *options;
    uint32_t depth_limit;
    size_t instructions;
    uint32_t *active; // by function: copies around the present place
    uint32_t *copies; // by function: copies made
    bool *recursive;  // by function: it is a procedure where it is called; NULL: none is
    bool too_large;
};

uint32_t inliner_block(struct inliner *in);
void inliner_push(struct inliner *in, uint32_t block, const struct instruction *i);
// So many new ones; the first is returned.
uint32_t inliner_values(struct inliner *in, uint32_t count);
// In the arena, zero.
struct operand *inliner_operands(struct inliner *in, size_t count);
int64_t *inliner_numbers(struct inliner *in, size_t count);
void inliner_jump(struct inliner *in, uint32_t from, uint32_t to, const struct instruction *why);
struct operand inliner_unary(struct inliner *in, const struct instruction *call, uint32_t at,
                             enum opcode op, struct program_type type, struct operand value);
// With one number.
struct operand inliner_operation(struct inliner *in, uint32_t at, struct instruction i,
                                 const struct operand *operands, uint32_t operand_count,
                                 int64_t number);
struct operand inliner_equal(struct inliner *in, uint32_t at, const struct instruction *like,
                             struct operand a, struct operand b);
void inliner_branch(struct inliner *in, uint32_t at, const struct instruction *like,
                    struct operand condition, uint32_t then, uint32_t otherwise);
struct operand inliner_number(uint32_t bits, uint64_t value);
// "" when it is none by its name.
const char *inliner_callee(const struct inliner *in, const struct instruction *call);
// Copies what a call means behind `*at`, which becomes the block where control goes on.
void inliner_call(struct inliner *in, struct instruction *call, uint32_t *at);
// flat_forks.c: a call of pthread_create; false: it is none.
bool inliner_fork(struct inliner *in, const struct instruction *call, uint32_t *at);
// flat_fork_loops.c: loops in which threads begin or are joined become copies of their bodies, where they go round at most `instances` times. The
// blocks of forks lead to the next ones.
void inliner_copy_fork_loops(struct inliner *in);
// Does the block lead back to itself? `inside`, by block, NULL is fine: those that it leads to, and that lead to it.
bool inliner_find_loop(const struct inliner *in, uint32_t block, uint8_t *inside);
// Copies the bodies of threads.
void inliner_end_forks(struct inliner *in);
// Where there is one.
void inliner_number_thread(struct inliner *in);

#endif
