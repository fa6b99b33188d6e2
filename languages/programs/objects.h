#ifndef REGATTA_LANGUAGES_PROGRAMS_OBJECTS_H
#define REGATTA_LANGUAGES_PROGRAMS_OBJECTS_H

#include "languages/programs/flat.h"

// The objects of a flat program, where each pointer may point, and how each object's memory is cut into
// variables.
//
// An object is a global, a slot of one copy of a function, one of the blocks that one call of an allocation
// function makes (a call in a loop has `loop_copies` of them and is cut after that; or some `tracked` ones and one that
// stands for all others: docs/definitions/blocks.md), or a function. A pointer's value
// is (object, offset); object 0 is none. Where it may point is found without looking at the order of
// instructions (Andersen), with offsets as arithmetic progressions.

enum object_kind { OBJECT_NONE, OBJECT_GLOBAL, OBJECT_LOCAL, OBJECT_HEAP, OBJECT_FUNCTION };

// offset, offset + stride, … and backwards; stride 0: this offset alone.
struct target {
    uint32_t object;
    int64_t offset;
    uint64_t stride;
};

struct targets {
    struct target *data;
    size_t count, capacity;
};

struct access {
    int64_t offset;
    uint64_t stride, bytes;
    bool pointer;
};

// At this offset (and any multiple of the stride from there) a pointer to `to` may be stored.
struct holding {
    int64_t offset;
    uint64_t stride;
    struct target to;
};

// A part of an object that is one variable.
struct cell {
    uint64_t offset, bytes;
    bool pointer;
    bool
        mixed; // a pointer's: numbers are stored or read there, too, or in some of its bytes (unions)
};

// Of what main is given (translate_given.c): the pointers at argv or envp, and what they point to.
enum given_part {
    GIVEN_NOTHING,
    GIVEN_WORDS,
    GIVEN_TEXT,   // the one of a known index, or the tracked one: an arbitrary one of the others
    GIVEN_OTHERS, // it stands for all other texts
};

enum object_layout {
    LAYOUT_CELLS, // `cells`: a variable each
    LAYOUT_FIELDS, // `cells`: an array each, keyed by offset; cell.offset is the offset modulo `period`
    LAYOUT_BYTES, // one array of bytes
    LAYOUT_MIXED, // pointers and bytes share a place: an access is a bound
};

struct object {
    enum object_kind kind;
    const char *name;
    uint32_t number; // of the global or function
    uint32_t frame;  // LOCAL, HEAP: where it is made
    uint32_t value;  // LOCAL, HEAP: the instruction's
    struct position at;
    bool sized; // its size is known here
    uint64_t bytes, alignment;
    bool zeroed; // HEAP: calloc
    bool freed;  // HEAP: by some call of free, perhaps
    bool late;   // HEAP: it may be made after a call of free
    bool moved;  // HEAP: realloc moves what it holds, perhaps
    bool
        watched; // HEAP: whether it is freed may matter to a comparison with a pointer to a block made later
    bool
        crossed; // LAYOUT_CELLS: an index may lead out of an array into a pointer beside it, which is a bound
    bool summary;     // HEAP: it stands for all blocks of its site but the tracked ones
    uint32_t tracked; // HEAP: 1, 2, …: of its site's tracked blocks; 0: there is no summary
    struct holding *holdings; // where there are summaries
    size_t holding_count, holding_capacity;
    bool stays;            // LOCAL: it outlives its function
    enum given_part given; // LOCAL
    bool reached;          // GIVEN_TEXT, GIVEN_OTHERS: some pointer may lead there
    bool
        kept_outside; // LOCAL: a pointer to it may be in memory that lives on when its function returns
    bool begins;      // LOCAL: the program says where its life begins
    bool lives_again; // LOCAL: perhaps more than once in a run
    struct access *accesses;
    size_t access_count, access_capacity;
    enum object_layout layout;
    uint64_t period;
    struct cell *cells;
    size_t cell_count, cell_capacity;
};

// At `place` may be a pointer to the variable `to`.
struct keeper {
    uint32_t to;
    struct target place;
};

struct site {
    uint32_t value;        // of the alloca or call
    uint32_t first, count; // its objects
    uint32_t tracked;      // so many are tracked, one more is the summary; 0: no summary
};

struct objects {
    const struct flat *flat;
    struct object *items; // 0 is none
    size_t count, capacity;
    uint32_t *global_object, *function_object; // by number
    struct site *sites;
    size_t site_count, site_capacity;
    struct keeper
        *keepers; // where pointers to the life before may be, of variables that live again
    size_t keeper_count, keeper_capacity;
    uint32_t stale; // what such pointers mean; 0: there are none
    uint32_t
        unwritten; // what pointers in tracked blocks mean before they are written; 0: there is no summary
    uint32_t vague; // that of null where it comes out of a summary; likewise
    uint32_t
        numbers; // what a mixed cell means while it holds a number, which is the offset; 0: none is mixed
    int32_t *site_of;        // by value, -1 for none
    struct targets *targets; // by value
    bool unfinished;         // a bound ended the analysis: it says less than there is
};

// Calls: so many texts, and null behind their pointers.
#define GIVES_ARGUMENTS "__regatta_arguments"
#define GIVES_ENVIRONMENT "__regatta_environment"
// A call: there are so many of main's arguments, and nobody looks at them.
#define COUNT_GIVEN "__regatta_given"
// The library's functions that say how many, in a variable that nobody writes.
#define COUNTS_ARGUMENTS "__regatta_argument_count"
#define COUNTS_ENVIRONMENT "__regatta_environment_count"
// Its objects are the pointers, the texts that are known by their indices (the first one last, so that those which a pointer
// may mean have numbers side by side), the tracked one, and the others.
#define GIVEN_KNOWN 4
#define GIVEN_AT(index) (GIVEN_KNOWN - (index))
#define GIVEN_TRACKED (1 + GIVEN_KNOWN)
#define GIVEN_REST (2 + GIVEN_KNOWN)
#define GIVEN_OBJECTS (3 + GIVEN_KNOWN)

// A call: this may begin another life of a variable, or not.
#define LIVES_AGAIN "__regatta_may_live_again"
// A call: a pointer was kept to what a call returned, and where that stops to live is not known.
#define POINTER_KEPT "__regatta_pointer_kept"
#define POINTER_KEPT_WORDS "a pointer into a structure that a call returned is kept"

// With `tracked` (not 0) an allocation of the heap in a loop has so many tracked blocks and a summary.
struct objects *objects_create(const struct flat *flat, uint32_t loop_copies, uint32_t tracked);
void objects_destroy(struct objects *objects); // NULL is fine
// Where this operand may point; the caller frees the result's data.
struct targets objects_of(const struct objects *objects, const struct operand *operand);
// Of two strides: that of the places that either leads to. 0 is no stride: the other one.
uint64_t stride_gcd(uint64_t a, uint64_t b);
bool objects_is_allocator(const char *function);
bool objects_gives_texts(const char *function);
// It stands for several objects of the program.
static inline bool object_is_many(const struct object *o)
{
    return o->summary || o->given == GIVEN_OTHERS;
}
// The library's realloc calls this one for malloc, and frees the block before then: both may be at one place.
#define MOVES_BLOCK "__regatta_move_block"
// It copies what a block holds to one that was made so: as memcpy does.
#define MOVES_CONTENTS "__regatta_move_contents"
// By value: calls of allocators that a call of free may come before; memory_free.
bool *objects_find_late(const struct flat *flat);
// A call of one with so many operands, itself among them, says how much it wants: it may have been declared in another way.
bool objects_has_size(const char *allocator, uint32_t operand_count);

#endif
