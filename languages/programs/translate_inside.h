#ifndef REGATTA_LANGUAGES_PROGRAMS_TRANSLATE_INSIDE_H
#define REGATTA_LANGUAGES_PROGRAMS_TRANSLATE_INSIDE_H

#include "base/vector.h"
#include "languages/programs/translate.h"
#include "model/procedures.h"

// The inside of the translation, for its own files only.

struct object_variables {
    const struct variable **cells; // as object.cells: a bit-vector, or an array (LAYOUT_FIELDS)
    const struct variable *bytes;  // LAYOUT_BYTES
    const struct variable *alive;  // MEMSAFETY, MEMCLEANUP
    const struct variable *size;   // when it is not known; bits of a pointer
    const struct variable *base;   // its address, once a program computes with it
    const struct variable *
        *kept; // LAYOUT_FIELDS: by cell and object (translate_kept.c); NULL: it is not asked
    // GIVEN_WORDS: how many texts there are; GIVEN_OTHERS: the offset of the pointer to the tracked text.
    const struct variable *number;
};

struct summaries; // translate_blocks.c
struct reach;     // translate_reach.c

// What one instruction assigns: all terms are about the values before it.
struct change {
    const struct variable *variable;
    const struct term *term;
};

struct changes {
    struct change *data;
    size_t count, capacity;
};

// A place that an access may mean, when the guard holds.
struct lead_place {
    uint32_t object;
    const struct term *guard;
    int64_t offset; // negative: not one
};

struct lead_places {
    struct lead_place *data;
    size_t count, capacity;
};

// What a value's variable was when it was computed.
struct defined {
    const struct term *variable, *term;
};

struct translator {
    struct model_builder *builder;
    struct term_store *store;
    const struct objects *objects;
    const struct flat *flat;
    const struct program_question *question;
    bool ignore_cuts;
    struct translation_result *result;
    struct messages *messages;
    uint32_t offset_bits, object_bits, pointer_bits; // pointer = object, offset
    struct object_variables *memory;                 // by object
    const struct variable **counters;                // by site; NULL when it makes one object
    const struct variable **variable_of;             // by value: when other blocks use it
    const struct term **value;                       // by value: its term at present
    VECTOR(uint32_t) based;                          // objects with a base
    VECTOR(uint32_t) may_outlive; // values that may point to what lives again; when `outlive_found`
    bool outlive_found;
    const struct term **overflow;      // by value: pairs
    const struct term **address;       // by value: integers that are a pointer's number
    uint32_t *uses_left;               // by value: in its block
    bool *used_elsewhere;              // by value
    VECTOR(uint32_t) pending;          // values whose term other uses in this block need
    VECTOR(const struct term **) held; // terms in the middle of an instruction
    struct location **locations;       // by block
    bool *loop_head;                   // by block
    bool *flag;                        // by value: a load of a _Bool that was written
    bool *loaded;                      // by value: a load
    bool flags_decide;                 // flags_only_decide
    bool *computed; // by value: of an address, and more than pointers can is done with it
    struct location *here, *error;
    VECTOR(struct statement *) statements;
    VECTOR(struct edge *) edges; // all of them
    struct position at;
    uint32_t frame, result_value, number; // of the block
    bool dead;                            // the path ended inside the block
    const struct term *when;              // an access of a copy happens then; NULL: always
    struct summaries *summaries;          // NULL: no object is one
    const struct variable *other_text;    // the text accessed last is not followed; NULL: all are
    struct reach *reach;                  // NULL: it is not asked what leads where
    VECTOR(const struct term *) asked;    // conditions of the program, where there are summaries
    VECTOR(struct defined) defined;       // values that were loaded, likewise
    // with procedures
    struct procedures *procedures;          // NULL: without
    struct location **exits;                // by procedure
    struct location **entries;              // by procedure
    VECTOR(const struct variable *) shared; // by all procedures
    VECTOR(struct procedure_call) calls;
};

// translate.c: paths
void lowering_assign(struct translator *t, const struct variable *v, const struct term *term);
void lowering_havoc(struct translator *t, const struct variable *v);
void lowering_assume(struct translator *t, const struct term *condition);
void lowering_error_if(struct translator *t, const struct term *condition, const char *label);
void lowering_cut_if(struct translator *t, const struct term *condition, const char *text);
// Of runs that meet the condition those with `hit` (which implies it) do so at an error, or a bound; no other goes on.
void lowering_error_blamed(struct translator *t, const struct term *condition,
                           const struct term *hit, const char *label);
void lowering_cut_blamed(struct translator *t, const struct term *condition, const struct term *hit,
                         const char *text);
void lowering_unsupported(struct translator *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lowering_mean(struct translator *t, const struct variable *v, struct variable_meaning meaning);
// A fresh arbitrary value.
const struct term *lowering_any(struct translator *t, const struct sort *sort, const char *stem);
// Either way, which is no input of the program.
const struct term *lowering_choice(struct translator *t, const char *stem);
// What `*term` says stays so while variables change, until it is let go; last in, first out.
void lowering_hold(struct translator *t, const struct term **term);
void lowering_release(struct translator *t);

// What values say of the variable is kept for those who need it: it is about to change.
void lowering_save(struct translator *t, const struct variable *v);
// The statements so far lead from here to there, where the path goes on.
struct edge *lowering_lead(struct translator *t, struct location *to, const char *label);

// lowering_value.c
const struct sort *lowering_sort(struct translator *t, struct program_type type);
const struct term *lowering_operand(struct translator *t, const struct operand *o);
void lowering_value(struct translator *t, const struct instruction *i);
const struct term *lowering_pointer(struct translator *t, uint32_t object, int64_t offset);
const struct term *lowering_object_part(struct translator *t, const struct term *pointer);
const struct term *lowering_offset_part(struct translator *t, const struct term *pointer);
// The pointer is one into this object; 0: into none.
const struct term *lowering_points_into(struct translator *t, const struct term *pointer,
                                        uint32_t object);
const struct term *lowering_move(struct translator *t, const struct term *pointer,
                                 const struct term *by);
// Which numbers of pointers are computed with: `computed`.
void lowering_find_computed(struct translator *t);
const struct term *lowering_pointer_number(struct translator *t, const struct term *pointer);
const struct term *lowering_number_pointer(struct translator *t, const struct term *number);
void lowering_define(struct translator *t, const struct instruction *i, const struct term *term);

// translate_library.c
// a * c does not fit; c is not 0.
const struct term *lowering_product_overflow(struct translator *t, const struct term *a, uint64_t c,
                                             bool sign);

// translate_kept.c
#define MOST_TRACKED 40 // blocks of the heap whose loss is decided
// Those whose loss is asked, as many as there is room for; how many there are.
size_t lowering_heap_blocks(const struct translator *t, uint32_t out[MOST_TRACKED]);
void lowering_make_kept(struct translator *t);
void lowering_initial_kept(struct translator *t);
void lowering_finish_kept(struct translator *t);
// Of an array of pointers: is what it keeps known?
bool lowering_knows_kept(const struct translator *t, uint32_t object, size_t cell);
// An array of the object is seen to hold a pointer to the block.
const struct term *lowering_keeps(struct translator *t, uint32_t object, uint32_t block);
// A pointer is stored in the array, or the whole of another object is moved there.
void lowering_kept_stored(struct translator *t, uint32_t object, size_t cell,
                          const struct term *guard, const struct term *offset,
                          const struct term *pointer, struct changes *out);
void lowering_kept_moved(struct translator *t, uint32_t to, uint32_t from, size_t cell,
                         const struct term *guard, struct changes *out);

// translate_memory.c
void lowering_make_memory(struct translator *t);
void lowering_initial_memory(struct translator *t);
const struct term *lowering_load(struct translator *t, const struct operand *address,
                                 int64_t offset, uint64_t bytes, struct program_type type);
// `source` is the operand that the value is of, NULL for none.
void lowering_store(struct translator *t, const struct operand *address, int64_t offset,
                    uint64_t bytes, bool pointer, const struct term *value,
                    const struct operand *source);
// Where the guard holds the variable gets this value, else what it has, or gets by a change before.
void lowering_change(struct translator *t, struct changes *list, const struct variable *v,
                     const struct term *guard, const struct term *term);
// All at once. The list is empty then.
void lowering_make_changes(struct translator *t, struct changes *list);
// The frame is the other one, or that of a call in it.
bool lowering_is_inside(const struct translator *t, uint32_t frame, uint32_t outer);
bool lowering_frame_is_active(const struct translator *t, uint32_t frame);
void lowering_alloca(struct translator *t, const struct instruction *i);
void lowering_copy(struct translator *t, const struct operand *to, const struct operand *from,
                   const struct operand *bytes);
// The same of a copy into a block that was just made; `to` is where it begins, and `from` where another one does.
void lowering_copy_to_new(struct translator *t, const struct operand *to,
                          const struct operand *from, const struct operand *bytes);
void lowering_fill(struct translator *t, const struct operand *to, const struct operand *byte,
                   const struct operand *bytes);
void lowering_leave(struct translator *t, uint32_t frame);
void lowering_lifetime(struct translator *t, const struct operand *address, bool alive);
void lowering_may_live_again(struct translator *t, const struct operand *address);
void lowering_allocate(struct translator *t, const struct instruction *i, const char *name);
void lowering_free(struct translator *t, const struct operand *address);
const struct term *lowering_block_size(struct translator *t, const struct operand *address);
void lowering_end_of_memory(struct translator *t, bool after_main); // the program ends here
void lowering_sudden_end_of_memory(struct translator *t);           // it is aborted here
void lowering_lost_memory(struct translator *t);                    // nothing may be lost here

// translate_moved.c: what realloc keeps, which is `count` bytes
void lowering_move_contents(struct translator *t, const struct operand *to,
                            const struct operand *from, const struct term *count);

// translate_blocks.c: any number of blocks of one allocation
void lowering_make_summaries(struct translator *t);
void lowering_initial_summaries(struct translator *t);
void lowering_finish_summaries(struct translator *t);
// A block of the site; `tracked` are set to when it is one of these.
const struct term *lowering_take_tracked(struct translator *t, uint32_t site,
                                         const struct term **tracked);
// Does an error in this run count here: are the tracked blocks those that matter?
const struct term *lowering_counts(struct translator *t);
// The same of an error that is this pointer's.
const struct term *lowering_blame(struct translator *t, const struct operand *address,
                                  const struct term *pointer);
// Memory was accessed there; a pointer was loaded from there.
// What is left when the program is aborted is a bound in these runs: while no block was freed the one that was accessed last is left, and matters.
const struct term *lowering_left_counts(struct translator *t, const struct term *left);
void lowering_freed(struct translator *t, const struct operand *address,
                    const struct term *pointer);
void lowering_accessed(struct translator *t, const struct operand *address,
                       const struct term *pointer);
void lowering_loaded(struct translator *t, const struct operand *address,
                     const struct term *pointer, const struct term *value);
const struct term *lowering_load_summary(struct translator *t, uint32_t object,
                                         const struct target *from, const struct term *guard,
                                         uint64_t bytes, bool pointer);
void lowering_store_summary(struct translator *t, uint32_t object, const struct target *to,
                            const struct term *guard, uint64_t bytes, const struct term *value);
const struct term *lowering_unwritten(struct translator *t, uint32_t object,
                                      const struct term *guard, const struct term *value,
                                      const struct term **hit);
// Its pointers mean what nobody has written.
void lowering_nothing_written(struct translator *t, uint32_t object);
// The pointer, where it is null no matter out of which block.
const struct term *lowering_settled(struct translator *t, const struct term *pointer);
// Was this tracked block made? NULL: the object is none.
const struct term *lowering_taken(struct translator *t, uint32_t object);
// The pointer to this first tracked block was last loaded out of a summary; where there are two.
const struct term *lowering_lost(struct translator *t, uint32_t object);
// A pointer was stored where this holding of a summary says; NULL: not to a tracked block.
const struct term *lowering_kept(struct translator *t, uint32_t summary, size_t holding);
void lowering_guess_summaries(struct translator *t, struct text *out);

// Pointers in this object share no bytes with other data.
bool lowering_pointers_apart(const struct object *o);

// translate_guesses.c: variables of the program that may point to this object (and values, where two blocks are looked at);
// how many
#define LOWERING_HOLDERS 8
size_t lowering_holders(struct translator *t, uint32_t object, const struct term **out);

// translate_pairs.c: two blocks at a time
void lowering_guess_pairs(struct translator *t, struct text *out);

// translate_reach.c: lists of any length
void lowering_make_reach(struct translator *t);
void lowering_finish_reach(struct translator *t);
// There is a chain: then each variable holds what nobody has written until it is written, and to read that is a bound.
bool lowering_follows_chains(const struct translator *t);
void lowering_initial_reach(struct translator *t);
// Some pointer, or array, of the model is about to change.
void lowering_pointer_changes(struct translator *t);
// So many bytes are stored there: `source` is the operand that `value` is of, NULL for none. What follows is put among the changes.
void lowering_reach_store(struct translator *t, const struct lead_places *places,
                          const struct operand *address, const struct term *pointer, uint64_t bytes,
                          const struct operand *source, const struct term *value,
                          struct changes *out);
// A pointer was loaded from there; a block was made. Then the instruction's value is defined.
void lowering_reach_load(struct translator *t, const struct lead_places *places,
                         const struct operand *address, const struct term *pointer,
                         const struct term *value);
void lowering_reach_fresh(struct translator *t, const struct term *value, bool zeroed);
void lowering_reach_define(struct translator *t, const struct instruction *i);
void lowering_reach_block(struct translator *t);
void lowering_reach_phis(struct translator *t, const struct block *to, uint32_t from,
                         struct changes *out);
void lowering_reach_forget(struct translator *t, uint32_t object);
void lowering_reach_free(struct translator *t, const struct operand *address,
                         const struct term *pointer);
// A pointer in this variable (or block that is none of a chain) leads to the block through blocks of its chain.
const struct term *lowering_leads(struct translator *t, uint32_t holder, uint32_t block);
void lowering_reach_guess(struct translator *t, struct text *out);

// translate_guesses.c: what may hold at loops, where there are summaries
void lowering_asked(struct translator *t, const struct term *condition);
void lowering_loads(struct translator *t, const struct variable *value, const struct term *term);
void lowering_guesses(struct translator *t, struct text *out);

// translate_floats.c: bounds that floats may have at loops
void lowering_guess_floats(struct translator *t, struct text *out);

const struct term *lowering_is_summary(struct translator *t, const struct term *pointer);
bool lowering_may_be_summary(const struct translator *t, const struct operand *operand);

// translate_given.c: what main is given
void lowering_make_given(struct translator *t);
void lowering_initial_given(struct translator *t);
void lowering_give_texts(struct translator *t, const struct instruction *i);
// The pointer means one of the pointers to texts, or null behind them. `*odd`: but not a whole one.
const struct term *lowering_means_word(struct translator *t, uint32_t words, uint64_t bytes,
                                       const struct term *pointer, const struct term **odd);
const struct term *lowering_load_word(struct translator *t, uint32_t words,
                                      const struct term *offset);
// What is always so of a text that is followed.
void lowering_know_text(struct translator *t, uint32_t text);
// Where the guard holds this is about to be stored there: a bound, if the zero at the end is lost.
void lowering_keep_text(struct translator *t, uint32_t text, const struct term *guard,
                        const struct term *offset, const struct term *value);
// How far a pointer goes that is moved so: where a text is not followed, nothing is known of places in it.
const struct term *lowering_text_step(struct translator *t, const struct operand *address,
                                      const struct term *pointer, const struct term *by);
// The pointer leads into a text, so that there is an end to what is read from it on.
const struct term *lowering_is_text(struct translator *t, const struct operand *address);
// As lowering_counts, lowering_blame and lowering_accessed do of blocks, of texts.
const struct term *lowering_text_counts(struct translator *t);
const struct term *lowering_text_blame(struct translator *t, const struct operand *address,
                                       const struct term *pointer);
void lowering_text_accessed(struct translator *t, const struct operand *address,
                            const struct term *pointer);

// translate_endless.c
// When all paths are there: an error wherever a run comes back to a state.
void lowering_endless(struct translator *t);

// translate_procedures.c
void lowering_make_procedures(struct translator *t); // when memory and locations are there
void lowering_procedure(struct translator *t, const struct instruction *i);
void lowering_input(struct translator *t, const struct instruction *i);
void lowering_invoke(struct translator *t, const struct instruction *i);
void lowering_result(struct translator *t, const struct instruction *i);
void lowering_end_procedures(struct translator *t); // when all paths are there
void lowering_finish_procedures(struct translator *t);

// translate_library.c
void lowering_call(struct translator *t, const struct instruction *i);

static inline bool lowering_tracks(const struct translator *t)
{
    return t->question->property == PROPERTY_MEMSAFETY ||
           t->question->property == PROPERTY_MEMCLEANUP;
}

#endif
