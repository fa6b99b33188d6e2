#ifndef REGATTA_LANGUAGES_SOLIDITY_TRANSLATE_H
#define REGATTA_LANGUAGES_SOLIDITY_TRANSLATE_H

#include "base/vector.h"
#include "languages/solidity/annotation.h"
#include "languages/solidity/question.h"
#include "model/model.h"

// Inside of the translation from the syntax tree to the intermediate form; for the files of this folder only.
//
// A function body is walked once. What it does is appended to a list of statements; where runs part or meet, the list
// becomes an edge between two locations. Calls are put in place (or replaced by their annotations), so a model has no
// stack. Every storage variable is split into leaves: one model variable a part that is no struct, array or mapping itself,
// with an array dimension a mapping or array around it. No two leaves can alias.

// A leaf or an inner part of a storage variable, or of all memory objects of a type.
struct sol_slot {
    const struct sol_type *type;
    const char *name;
    uint32_t depth;                  // array dimensions around it
    const struct variable *variable; // of a leaf; its sort has `depth` dimensions
    const struct variable *length;   // of a dynamic array
    const struct sol_slot *element;  // of a mapping or array
    const struct sol_slot **members; // of a struct, as declared; NULL for those that have no place
    size_t member_count;
    const struct variable
        *sum; // of a mapping or array of numbers: the sum of its elements; NULL = not asked for
    bool in_memory;
};

struct sol_value {
    const struct sol_type *type;
    const struct term *term;     // of value types and strings; of memory objects, their number
    const struct sol_slot *slot; // of what is in storage
    const struct term **indices; // slot->depth of them
    struct sol_value *items;     // of tuples
    size_t item_count;
};

// Something that can be assigned to.
struct sol_lvalue {
    const struct sol_type *type;
    const struct variable *variable; // a local variable
    struct sol_binding *binding;     // a local pointer to storage
    const struct sol_slot *slot;
    const struct term **indices;
    bool is_length;            // slot's length
    struct sol_lvalue *string; // the byte `indices[0]` of this
    struct sol_lvalue *items;  // a tuple; those without type are gaps
    size_t item_count;
};

struct sol_binding {
    const struct sol_node *declaration;
    const struct sol_type *type;
    const struct variable *variable;
    struct sol_value
        pointer; // to storage; slot NULL = not bound yet; its indices are variables of its own
    const struct variable **index_variables;
    struct sol_binding *next;
};

struct sol_old {
    const struct sol_node *node;
    const struct variable *value;
    struct sol_old *next;
};

struct sol_frame {
    struct sol_frame *outer;
    const struct sol_node *function; // FUNCTION; NULL outside of all
    const struct sol_node *contract; // whose bases are searched for virtual functions
    struct sol_binding *bindings;
    const struct variable **results; // NULL: a pointer to storage
    struct sol_binding **result_bindings;
    size_t result_count;
    struct sol_old *olds;
    struct location *leave;         // where `return` goes
    struct location *next, *broken; // where `continue` and `break` go
    size_t layer;                   // of modifiers, the next one
    bool unchecked;
    unsigned depth;
};

struct sol_statements {
    struct statement **data;
    size_t count, capacity;
};

struct sol_root {
    const struct sol_node *declaration;
    struct sol_slot *slot;
};

struct sol_known_annotations {
    const struct sol_node *contract, *node;
    struct sol_annotations annotations;
};

struct sol_translator {
    struct sol_tree *tree;
    struct sol_types *types;
    struct messages *messages;
    const struct sol_question_options *options;
    struct arena arena;
    struct model_builder *builder;
    struct term_store *store;
    const struct sol_node *contract; // the entry contract
    const struct sol_node *function; // whose failures count; NULL = all
    bool modular;                    // the function alone
    bool failed;                     // something is not supported: there is a message
    bool in_annotation;
    const struct term *
        condition; // in annotations: what must hold for the value to be the exact one; NULL = nothing

    struct location *now; // NULL: no run comes here
    struct location *error;
    struct sol_statements pending;
    bool overflow_pending; // an operation of `pending` may have overflowed
    struct sol_frame *frame;
    unsigned activations, fresh;

    const struct variable *overflow, *balance, *next_object, *kinds, *hash, *unhash;
    const struct term *self, *sender, *value; // terms of this activation
    const struct term *data, *selector; // msg.data, msg.sig; NULL = nothing reads them, not known
    const struct sol_node *surroundings[SOL_MOST_SURROUNDINGS]; // of transactions
    size_t surrounding_count;
    bool reads_data, reads_balances;
    bool forced;           // Ether may arrive by force
    bool deployed;         // the constructor runs, or has run
    struct location *halt; // where a transaction ends that destroys its contract; NULL = not known
    unsigned outer_calls;  // of functions by messages, that are running
    unsigned slot_depth;   // structs around the slot that is made
    bool inexact; // some value is any in range where it is one: another arithmetic may know it
    bool has_instances;
    VECTOR(struct sol_root) roots;  // storage
    VECTOR(struct sol_root) memory; // declaration NULL; by slot->type
    VECTOR(const struct variable *) scratch;
    unsigned callbacks; // of the environment that are running
    // Who is called when unknown code runs, and by whom; NULL = nobody. `lent`: in the place of the caller itself.
    const struct term *callee, *caller, *sent; // the data that are sent; NULL = not known
    bool lent;
    bool reads_only; // what runs was called back by a call that may change nothing
    const struct term *
        held; // in the whole contract: did the invariants hold before the asked function? NULL = yes
    bool left_out;                 // something that can happen is not in the model
    struct sol_changes *by_anyone; // what public functions change; NULL = not asked yet
    VECTOR(struct sol_known_annotations) annotations; // read before
};

// Limits that keep a model of a reasonable size.
#define SOL_MOST_ACTIVATIONS 1500
#define SOL_MOST_DEPTH 60
#define SOL_MOST_RECURSION 8
#define SOL_SELF                                                                                   \
    "1461501637330902918203684832716283019655932542975" // 2^160 - 1: where the contract lives
#define SOL_MOST_EXPANDED 64

// flow.c: statements, locations, edges
void sol_not_supported(struct sol_translator *t, const struct sol_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// False, and not supported, when the term is of another sort.
bool sol_is_sort(struct sol_translator *t, const struct term *term, const struct sort *sort,
                 const struct sol_node *at);
void sol_emit(struct sol_translator *t, struct statement *statement);
void sol_assign(struct sol_translator *t, const struct variable *variable, const struct term *value,
                const struct sol_node *at);
void sol_assume(struct sol_translator *t, const struct term *condition, const struct sol_node *at);
void sol_havoc(struct sol_translator *t, const struct variable *variable,
               const struct sol_node *at);
struct location *sol_location(struct sol_translator *t);
// Puts what is pending on an edge to a new location (nothing when nothing is pending).
void sol_flush(struct sol_translator *t, const struct sol_node *at);
// An edge from here; `now` becomes NULL.
void sol_go(struct sol_translator *t, struct location *target, const struct sol_node *at);
// Two edges; the caller sets `now`.
void sol_branch(struct sol_translator *t, const struct term *condition, struct location *yes,
                struct location *no, const struct sol_node *at);
void sol_stop(struct sol_translator *t, const struct sol_node *at); // no run goes on
// A failure when the condition is false: an edge to the error with a label, if such failures count here.
void sol_check(struct sol_translator *t, const struct term *condition, const char *what,
               const struct sol_node *at);
// The error, for runs that go deeper than a limit: no verdict may rest on their absence.
void sol_limit(struct sol_translator *t, const char *what, const struct sol_node *at);
// End of a basic block: an overflow that nothing has excluded fails here.
void sol_check_overflow(struct sol_translator *t, const struct sol_node *at);
const struct variable *sol_fresh(struct sol_translator *t, const char *stem,
                                 const struct sort *sort, const struct sol_node *at);
// The same; with `environment` its havoc is told to the interpreter that replays a run (VARIABLE_INPUT).
const struct variable *sol_outside(struct sol_translator *t, const char *stem,
                                   const struct sort *sort, bool environment,
                                   const struct sol_node *at);
// An array or struct in memory with anything in it, in the order in which the interpreter asks for it.
struct sol_value sol_any_object(struct sol_translator *t, const struct sol_type *type,
                                const struct sol_node *at);
// A variable that holds the term's value from now on.
const struct term *sol_keep(struct sol_translator *t, const char *stem, const struct term *term,
                            const struct sol_node *at);
// Collects what is emitted until sol_collected, which takes it away.
struct sol_statements sol_collect(struct sol_translator *t);
struct statement *sol_collected(struct sol_translator *t, struct sol_statements outer, bool *empty,
                                const struct sol_node *at);

// number.c: numbers in the arithmetic asked for
bool sol_bits(const struct sol_translator *t);
const struct sort *sol_sort(struct sol_translator *t, const struct sol_type *type);
const struct sort *sol_index_sort(struct sol_translator *t);
const struct term *sol_default(struct sol_translator *t, const struct sol_type *type);
const struct term *sol_literal(struct sol_translator *t, const struct sol_type *type,
                               const char *decimal);
const struct term *sol_number(struct sol_translator *t, const struct sort *sort, int64_t value);
const struct term *sol_in_range(struct sol_translator *t, const struct sol_type *type,
                                const struct term *value);
// Assumes that a value from outside lies in its type.
void sol_assume_range(struct sol_translator *t, const struct sol_type *type,
                      const struct term *value, const struct sol_node *at);
const struct term *sol_arithmetic(struct sol_translator *t, const char *operator,
                                  const struct sol_type * type, const struct term *a,
                                  const struct term *b, const struct sol_node *at);
const struct term *sol_negate(struct sol_translator *t, const struct sol_type *type,
                              const struct term *a, const struct sol_node *at);
const struct term *sol_compare(struct sol_translator *t, const char *operator,
                               const struct sol_type * type, const struct term *a,
                               const struct term *b, const struct sol_node *at);
const struct term *sol_convert(struct sol_translator *t, const struct sol_type *from,
                               const struct sol_type *to, const struct term *value,
                               const struct sol_node *at);
// The value of a constant expression as "p/q" or "p"; NULL when it is none.
const char *sol_constant(struct sol_translator *t, const struct sol_node *node);

// storage.c: leaves
struct sol_slot *sol_root(struct sol_translator *t, const struct sol_node *declaration);
const struct sol_slot *sol_memory(struct sol_translator *t, const struct sol_type *type,
                                  const struct sol_node *at);
const struct term *sol_select(struct sol_translator *t, const struct variable *leaf,
                              const struct term *const *indices, size_t count);
void sol_store(struct sol_translator *t, const struct variable *leaf,
               const struct term *const *indices, size_t count, const struct term *value,
               const struct sol_node *at);
struct sol_lvalue sol_place_element(struct sol_translator *t, struct sol_lvalue base,
                                    const struct term *index);
struct sol_lvalue sol_place_member(struct sol_translator *t, struct sol_lvalue base, size_t member);
struct sol_lvalue sol_place_of(struct sol_translator *t, struct sol_value value,
                               const struct sol_node *at);
const struct term *sol_length(struct sol_translator *t, struct sol_lvalue array);
struct sol_value sol_read(struct sol_translator *t, struct sol_lvalue place,
                          const struct sol_node *at);
void sol_write(struct sol_translator *t, struct sol_lvalue place, struct sol_value value,
               const struct sol_node *at);
void sol_clear(struct sol_translator *t, struct sol_lvalue place, const struct sol_node *at);
// An array in storage gets that length: what is cut off is zero from now on.
void sol_cut(struct sol_translator *t, struct sol_lvalue array, const struct term *length,
             const struct sol_node *at);
struct sol_value sol_allocate(struct sol_translator *t, const struct sol_type *type,
                              const struct term *length, const struct sol_node *at);
// A value as that type: conversions of numbers, copies between storage and memory.
struct sol_value sol_as(struct sol_translator *t, struct sol_value value,
                        const struct sol_type *type, const struct sol_node *at);
// All leaves under a slot, of one instance: havoc, or the default values; ranges assumed after a havoc.
void sol_forget(struct sol_translator *t, const struct sol_slot *slot, const struct sol_node *at);
// The same for all instances at once, without a range.
void sol_forget_rows(struct sol_translator *t, const struct sol_slot *slot,
                     const struct sol_node *at);
// And of all but the contract's own.
void sol_forget_other_rows(struct sol_translator *t, const struct sol_slot *slot,
                           const struct sol_node *at);
void sol_zero(struct sol_translator *t, const struct sol_slot *slot, const struct sol_node *at);

// expression.c
struct sol_value sol_value_of(struct sol_translator *t, const struct sol_node *node);
const struct term *sol_term_of(struct sol_translator *t,
                               const struct sol_node *node); // a value type
const struct term *sol_term_as(struct sol_translator *t, const struct sol_node *node,
                               const struct sol_type *type);
const struct term *sol_truth_of(struct sol_translator *t, const struct sol_node *node);
struct sol_lvalue sol_lvalue_of(struct sol_translator *t, const struct sol_node *node);
void sol_assign_tuple(struct sol_translator *t, struct sol_lvalue to, struct sol_value value,
                      const struct sol_node *at);
struct sol_value sol_single(const struct sol_type *type, const struct term *term);
bool sol_has_effects(const struct sol_translator *t, const struct sol_node *node);
// An arbitrary value; of the environment when a trace tells it to the interpreter.
const struct term *sol_any(struct sol_translator *t, const char *stem, const struct sol_type *type,
                           bool environment, const struct sol_node *at);
// Lets a pointer lead to a place; a second time, to one of the same mapping or array.
void sol_bind_pointer(struct sol_translator *t, struct sol_binding *binding, struct sol_value value,
                      const struct sol_node *at);
struct sol_binding *sol_bind(struct sol_translator *t, const struct sol_node *declaration);
// Of the function that runs; NULL = it has no such variable, or not yet.
struct sol_binding *sol_find_binding(struct sol_translator *t, long id);
void sol_assume_code(struct sol_translator *t, const struct term *account, const struct term *size,
                     const struct sol_node *at);

// function.c: functions that nobody looks into
// A function of its arguments that is the same wherever it is called; `environment`: the interpreter is told the result.
const struct term *sol_uninterpreted(struct sol_translator *t, const char *name,
                                     const struct sol_value *arguments, size_t count,
                                     const struct sol_type *result, bool environment,
                                     const struct sol_node *at);
struct sol_value sol_hash_of(struct sol_translator *t, const struct sol_node *call);
// abi.NAME(…)
struct sol_value sol_abi(struct sol_translator *t, const struct sol_node *call, const char *name);
// sha256, ecrecover, blockhash, …: false when `name` is none of them.
bool sol_opaque(struct sol_translator *t, const struct sol_node *call, const char *name,
                struct sol_value *out);
// string.concat, bytes.concat
struct sol_value sol_concatenate(struct sol_translator *t, const struct sol_node *call);
struct sol_value sol_slice(struct sol_translator *t, const struct sol_node *node);
// A byte of a string at an index that is in it; the string with that byte, `longer` by a byte or more.
const struct term *sol_byte_at(struct sol_translator *t, const struct term *code,
                               const struct term *index, const struct sol_node *at);
const struct term *sol_with_byte(struct sol_translator *t, const struct term *code,
                                 const struct term *index, const struct term *byte, int longer,
                                 const struct sol_node *at);
const struct term *sol_zero_bytes(struct sol_translator *t, const struct term *length,
                                  const struct sol_node *at);
const struct term *sol_string_length(struct sol_translator *t, const struct term *code);
const struct term *sol_fixed_bytes(struct sol_translator *t, const struct term *code,
                                   const struct sol_type *type, const struct sol_node *at);
// The number of a function's selector, NULL when it has none that is known.
// The bytes that call the function with the values that its parameters have now; NULL = not one word each.
const struct term *sol_call_data(struct sol_translator *t, const struct sol_node *function);
const struct term *sol_selector(struct sol_translator *t, const struct sol_node *function);

// call.c
// An operator of a user-defined type: its function.
struct sol_value sol_call_operator(struct sol_translator *t, const struct sol_node *node);
struct sol_value sol_call(struct sol_translator *t, const struct sol_node *node);
// a.push() as something that can be assigned to.
struct sol_lvalue sol_pushed(struct sol_translator *t, const struct sol_node *call);
struct sol_value sol_new(struct sol_translator *t, const struct sol_node *value_node,
                         const struct sol_node *call);
// The function that the name means for objects of `contract`: the most derived one.
const struct sol_node *sol_resolve(struct sol_translator *t, const struct sol_node *contract,
                                   const struct sol_node *function);
const struct sol_node *sol_find_function(struct sol_translator *t, const struct sol_node *contract,
                                         const char *name, const struct sol_node *like,
                                         size_t skip);
// Runs the body with its modifiers; parameters are bound by the caller, `frame` is pushed.
void sol_body(struct sol_translator *t, const struct sol_node *function);
// The next of the running function's modifiers, or its body.
void sol_next_layer(struct sol_translator *t);
bool sol_constructing(const struct sol_translator *t);
struct sol_frame *sol_push(struct sol_translator *t, const struct sol_node *function,
                           const struct sol_node *contract);
void sol_pop(struct sol_translator *t);
void sol_bind_results(struct sol_translator *t, const struct sol_node *function);
void sol_external(struct sol_translator *t, const struct sol_node *at); // unknown code runs
// A function that anybody may call, run with those terms for sender and value.
void sol_run_public(struct sol_translator *t, const struct sol_node *contract,
                    const struct sol_node *function);
// All of them, bases too: `out` has room for SOL_MOST_PUBLIC.
#define SOL_MOST_PUBLIC 300
size_t sol_public_functions(struct sol_translator *t, const struct sol_node *contract,
                            const struct sol_node **out);
// Storage variables of a contract, base by base.
typedef void (*sol_root_user)(struct sol_translator *t, const struct sol_slot *slot,
                              const struct sol_node *at);
void sol_each_root(struct sol_translator *t, const struct sol_node *contract, sol_root_user use);
// What happens to balances while other code runs; told to the interpreter.
void sol_force_ether(struct sol_translator *t, const struct sol_node *at);
// Variables and constructors of a contract; `values` are the arguments for its own constructor where `call` makes one, and
// both are NULL where the frame has them already.
void sol_construct(struct sol_translator *t, const struct sol_node *contract,
                   struct sol_value *values, const struct sol_node *call);

// statement.c
void sol_statement(struct sol_translator *t, const struct sol_node *node);

// condition.c: annotations
struct sol_annotations sol_annotated(struct sol_translator *t, const struct sol_node *node);
// Keeps the values of what stands in old(…).
void sol_keep_olds(struct sol_translator *t, const struct sol_node *condition);
const struct term *sol_condition(struct sol_translator *t, const struct sol_node *condition,
                                 bool asserted);
// All of them; true when there are none.
const struct term *sol_invariants(struct sol_translator *t);
void sol_assume_invariants(struct sol_translator *t, const struct sol_node *at);
void sol_check_invariants(struct sol_translator *t, const char *what, const struct sol_node *at);

// modifies.c: variables that the annotation `modifies` does not permit to change
struct sol_guard {
    const struct sol_node *variable;
    const struct term *permitted, *old;
};
struct sol_guards {
    struct sol_guard *data;
    size_t count, capacity; // a VECTOR
};
// At the function's entry; at its end, where they are freed.
void sol_guard(struct sol_translator *t, const struct sol_node *function,
               const struct sol_annotations *annotations, struct sol_guards *out);
void sol_check_guards(struct sol_translator *t, struct sol_guards *guards,
                      const struct sol_node *function);

// change.c: what a piece of code can change
struct sol_changes {
    bool everything, balances, memory;
    VECTOR(const struct sol_node *) variables; // declarations
};
void sol_changes_of(struct sol_translator *t, const struct sol_node *node, struct sol_changes *out);
void sol_changes_finish(struct sol_changes *changes);
// Can the state variable be another after some transactions, or nested calls, that are not the constructor's?
// Is there an assertion in it, or in what it calls?
bool sol_asserts(struct sol_translator *t, const struct sol_node *function);
// May a call of the function fail in the way that a catch clause of that name takes ("Error", "Panic"; "": anything)?
bool sol_may_revert(struct sol_translator *t, const struct sol_node *function, const char *clause);
bool sol_anyone_changes(struct sol_translator *t, const struct sol_node *variable);
// What they can make of its value, as far as the assignments themselves say it: a number that only grows, constants.
const struct term *sol_possible_change(struct sol_translator *t, const struct sol_node *variable,
                                       const struct term *before, const struct term *after);
void sol_forget_changes(struct sol_translator *t, const struct sol_changes *changes,
                        const struct sol_node *at);

#endif
