#ifndef REGATTA_LANGUAGES_PROGRAMS_UNROLL_INSIDE_H
#define REGATTA_LANGUAGES_PROGRAMS_UNROLL_INSIDE_H

#include "base/vector.h"
#include "languages/programs/unroll.h"

// What the files that copy rounds of loops have in common.

#define NONE UINT32_MAX

// Where a pointer points: a global, or what an instruction made.
enum base_kind { BASE_UNKNOWN, BASE_GLOBAL, BASE_MADE };

struct pointer {
    enum base_kind kind;
    uint32_t number; // of the global; of the value
    bool exact;      // `offset` is known
    int64_t offset;
};

struct cell_state {
    enum base_kind kind;
    uint32_t number;
    int64_t offset;
    int64_t bytes;
    struct operand value;
};

// Between which numbers (with sign) values of the copy lie at a place.
#define MOST_RANGES 6

struct range {
    uint32_t value;
    int64_t low, high;
};

struct ranges {
    struct range of[MOST_RANGES];
    size_t count;
};

// What is known of memory at a place, in order of bases and offsets.
struct memory_state {
    struct cell_state *cells;
    size_t count, capacity;
    uint8_t *written; // by global: what it began with is not known to be there
    struct ranges ranges;
};

struct entry {
    uint32_t from_old, from; // the block that leads here, and its copy
    struct memory_state state;
    struct ranges ranges; // of the state, when it has been taken
};

struct entries {
    struct entry *data;
    size_t count, capacity;
};

struct item {
    uint32_t block, loop; // one of the two; NONE: it is the other
};

struct round_loop {
    uint32_t head, parent;
    VECTOR(struct item) items; // in an order in which control goes, the head first
    VECTOR(uint32_t) blocks;
    bool leaks;       // a value that is computed inside is used outside
    bool hopeless;    // it was too long before
    bool active;      // a round of it is being made
    bool decided;     // in this round what is known decided whether to leave
    uint32_t staying; // the block of the copy that its rounds come back to; NONE: they are copied
};

// What a value of the copy was computed of.
struct made_operands {
    struct operand *data;
    uint32_t count;
};

// Between which numbers values lie when a condition that control flow has computed (a phi) is false, or true.
struct fact {
    uint32_t value;
    struct ranges when[2];
};

// Old values.
#define MOST_WANTED 64

struct wanted {
    uint32_t values[MOST_WANTED];
    size_t count;
};

struct unroller {
    struct flat *f;
    uint32_t old_blocks, old_values, old_frames;
    VECTOR(struct round_loop) loops;
    VECTOR(struct item) top;
    uint32_t *loop_of;                     // by old block: the innermost
    uint32_t *defined;                     // by old value: the block
    const struct instruction **definition; // and the instruction
    bool *late;                            // by old value: as objects_find_late says
    bool *exposed; // by old value of what makes an object: its address is known elsewhere
    bool *exposed_global;
    // By old number, as of now.
    struct operand *value_now;
    uint32_t *frame_now, *frame_loop; // the loop in which the frame begins
    struct entries *entries;
    uint32_t *place; // the number that the next copy of a block will have
    // What is made.
    VECTOR(struct block) made;
    VECTOR(uint32_t) origin;       // of values from old_values on
    VECTOR(struct pointer) points; // by value
    VECTOR(struct operand) pairs;  // by value: a known pair, `offset` whether it overflows
    VECTOR(uint32_t) frame_of;     // by value of an alloca
    VECTOR(struct operand) known;  // by value: its alias; kind UNKNOWN
    uint32_t copying;              // loops whose rounds are being made
    size_t instructions, followed, moved, memory_blocks, unrolled;
    size_t open; // copied branches that are not decided, and stores of values that are not known
    // Cases (unroll_ranges.c).
    VECTOR(struct made_operands) operands; // by value
    VECTOR(struct fact) facts;
    const struct wanted *split; // values of which each case is followed by itself
    struct wanted needed;       // that decide when loops end that are not decided
    struct wanted few;          // that have few cases, outside of loops
    uint32_t cases;             // of what is being copied, inside one another
    bool *entered;              // by old frame: before there were cases
    size_t splits, stayed;      // stayed: loops
    bool keeps_long;            // loops of many rounds, in which something is open, stay
    bool long_copies;           // such loops were copied
    bool failed;
};

// What an operation on known operands gives; false: that is not known.
bool unroll_evaluate(const struct unroller *u, const struct instruction *i, struct operand *out);
// The old number of a value of the copy.
uint32_t unroll_old_value(const struct unroller *u, uint32_t number);

// What both know.
void ranges_join(struct ranges *r, const struct ranges *with);
// The condition (a truth, or a number that is 0 or not) holds, or does not.
void ranges_assume(const struct unroller *u, struct ranges *r, struct operand condition,
                   bool holds);
// A value is computed; of some operations it is known that it is small.
void ranges_define(struct ranges *r, const struct instruction *i);
// A condition that depends on where control comes from; entries have been taken.
void ranges_meet(struct unroller *u, const struct instruction *phi, const struct entries *entries);
// A value with few cases that is asked for (u->split); false: there is none.
bool ranges_choose(const struct unroller *u, const struct ranges *r, struct range *out);
// Which values have few cases (u->few).
void ranges_note(struct unroller *u, const struct ranges *r);
bool ranges_wants(const struct wanted *wanted, uint32_t value);
// False: all of them were there.
bool ranges_add(struct wanted *to, const struct wanted *more);
// The operand when the value is this number.
struct operand ranges_known(const struct unroller *u, struct operand o, uint32_t value,
                            int64_t number, unsigned depth);
// Whether a loop is left is decided by this.
void ranges_need(struct unroller *u, struct operand condition, unsigned depth);

#endif
