#ifndef REGATTA_LANGUAGES_SOLIDITY_INTERPRET_INSIDE_H
#define REGATTA_LANGUAGES_SOLIDITY_INTERPRET_INSIDE_H

#include <gmp.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/solidity/annotation.h"
#include "languages/solidity/interpret.h"

// Inside of the interpreter; for its files only. A machine runs until its flow says that it ended.

// Objects and numbers.

struct object;

struct datum {
    const struct sol_type *type;
    mpz_ptr number;        // value types, strings
    struct object *object; // arrays, structs, mappings
    struct datum *items;   // tuples
    size_t count;
};

struct cell {
    mpz_ptr key;
    struct datum datum;
    struct cell *next;
};

struct object {
    const struct sol_type *type; // of a contract NULL
    const struct sol_node *contract;
    struct cell *cells; // those that are not at their default
    mpz_ptr length;     // arrays
    mpz_ptr otherwise;  // what the other elements are; NULL = the default
    mpz_ptr address;    // contracts
    bool in_memory;
    struct object *next;
};

struct place {
    const struct sol_type *type;
    struct datum *datum;
    struct object *length_of; // a.length
    struct datum *string;     // a byte of it
    mpz_ptr index;
};

struct local {
    long id;
    struct datum datum;
    struct local *next;
};

struct remembered {
    const struct sol_node *node;
    struct datum datum;
    struct remembered *next;
};

struct activation {
    struct activation *outer;
    const struct sol_node *function;
    struct object *self;
    const struct sol_node *contract; // whose bases virtual functions are looked for in
    mpz_ptr sender, value, data;
    bool data_fits;                // the data are those of `called` and its arguments
    const struct sol_node *called; // by the message that is answered
    struct local *locals;
    struct remembered *olds;
    struct datum result;
    size_t layer;
    bool unchecked;
};

enum flow {
    FLOW_ON,
    FLOW_BREAK,
    FLOW_CONTINUE,
    FLOW_RETURN,
    FLOW_REVERT,
    FLOW_VIOLATED,
    FLOW_STUCK,
    FLOW_HALT // the transaction ends, and has happened
};

// Who calls whom with what while unknown code runs.
struct party {
    mpz_srcptr callee, caller, value;
    mpz_srcptr data;  // NULL: not known
    bool lent;        // in the place of the caller itself
    unsigned entered; // how many calls back there were
};

// What unknown functions have answered, or accounts hold: the same once more.
struct known {
    const char *name;
    mpz_ptr *keys;
    size_t count;
    mpz_ptr value;
    struct known *next;
};

struct machine {
    struct sol_input *input;
    const struct sol_tree *tree;
    struct sol_types *types;
    const struct sol_question_options *options;
    const struct sol_node *contract, *function;
    const struct sol_event *events;
    size_t event_count, next_event;
    struct arena arena;
    VECTOR(mpz_ptr) numbers;
    struct object *contracts;
    struct cell *balances;
    struct cell *bases; // what accounts had before; the balances are what came on top
    struct known *known, *now_known;
    const struct sol_node *surroundings[SOL_MOST_SURROUNDINGS];
    mpz_ptr surrounding[SOL_MOST_SURROUNDINGS];
    size_t surrounding_count;
    bool reads_data, reads_balances, forced, deployed, constructing;
    struct party *party;  // of the call that runs unknown code; NULL = none
    bool reads_only;      // what runs was called back by a call that may change nothing
    struct datum *pushed; // the element that the last `a.push()` made
    unsigned messages;    // calls by messages that are running
    mpz_ptr gas;
    struct activation *active;
    mpz_ptr now, block, next_address;
    struct object *main;
    enum flow flow;
    bool annotation, exact, overflow;
    bool was_broken; // an invariant, before the function that is asked about
    unsigned long steps, depth;
    struct sol_replay *out;
};

#define ADDRESS_OF_CONTRACT "1461501637330902918203684832716283019655932542975"

#define LONGEST_STRING (1UL << 20)

// interpret_values.c: values of the machine: objects, numbers, and what comes from outside.
void machine_stop(struct machine *m, enum flow flow, const struct sol_node *at, const char *why);
bool machine_ended(const struct machine *m);
mpz_ptr machine_number(struct machine *m);
mpz_ptr machine_number_of(struct machine *m, long value);
struct datum machine_plain(const struct sol_type *type, mpz_ptr n);
struct datum machine_truth(struct machine *m, bool value);
bool machine_is_true(struct datum d);
struct object *machine_new_object(struct machine *m, const struct sol_type *type, bool in_memory);
struct datum machine_initial(struct machine *m, const struct sol_type *type, bool in_memory);
struct cell *machine_find_cell(struct cell *cells, mpz_srcptr key);
struct datum *machine_cell_at(struct machine *m, struct object *o, mpz_srcptr key,
                              const struct sol_type *type);
struct datum machine_copy(struct machine *m, struct datum d, bool to_memory);
void machine_reset(struct machine *m, struct datum *d);
void machine_assign(struct machine *m, struct datum *to, struct datum value,
                    const struct sol_type *type, bool in_memory);
unsigned machine_bits_of(const struct sol_type *type);
void machine_wrap(mpz_ptr n, const struct sol_type *type);
bool machine_is_int_mode(const struct machine *m);
mpz_ptr machine_settle(struct machine *m, mpz_ptr n, const struct sol_type *type,
                       const struct sol_node *at);
mpz_ptr machine_arithmetic(struct machine *m, const char *operator, const struct sol_type * type,
                           mpz_srcptr a, mpz_srcptr b, const struct sol_node *at);
struct datum machine_converted(struct machine *m, struct datum d, const struct sol_type *to,
                               const struct sol_node *at);
const struct sol_event *machine_next_event(struct machine *m, enum sol_event_kind kind,
                                           const struct sol_node *at);
struct datum machine_outside(struct machine *m, const struct sol_type *type,
                             const struct sol_node *at);
struct datum machine_consult(struct machine *m, struct known **list, const char *name,
                             const mpz_ptr *keys, size_t count, const struct sol_type *type,
                             const struct sol_node *at);
// The `code` of an account, its "code size" or `codehash`.
struct datum machine_code(struct machine *m, const char *what, mpz_ptr account,
                          const struct sol_type *type, const struct sol_node *at);
struct datum machine_outside_value(struct machine *m, const struct sol_type *type,
                                   const struct sol_node *at);

// interpret_checks.c: what fails: assertions, annotations, overflow.
void machine_check(struct machine *m, bool good, const char *what, const struct sol_node *at,
                   bool reverts);
void machine_check_overflow(struct machine *m, const struct sol_node *at);
bool machine_condition(struct machine *m, const struct sol_node *node);
struct sol_annotations machine_annotations_of(struct machine *m, const struct sol_node *contract,
                                              const struct sol_node *node);
void machine_check_all(struct machine *m, struct sol_annotations a, enum sol_annotation_kind kind,
                       const char *what, const struct sol_node *at);
void machine_check_invariants(struct machine *m, const char *what, const struct sol_node *at);
bool machine_invariants_hold(struct machine *m);
void machine_remember(struct machine *m, const struct sol_node *node);

// interpret_places.c: names, bytes of strings, and places that can be written.
struct datum *machine_local_of(struct machine *m, long id);
struct datum *machine_declare(struct machine *m, const struct sol_node *v, struct datum value);
struct datum *machine_field(struct machine *m, struct object *self, const struct sol_node *v);
unsigned long machine_length_of(mpz_srcptr code);
mpz_ptr machine_string_of(struct machine *m, mpz_srcptr contents, unsigned long length);
mpz_ptr machine_contents_of(struct machine *m, mpz_srcptr code);
bool machine_is_short(struct machine *m, mpz_srcptr code, const struct sol_node *at);
mpz_ptr machine_byte_at(struct machine *m, mpz_srcptr code, mpz_srcptr index);
mpz_ptr machine_joined(struct machine *m, mpz_srcptr a, mpz_srcptr b);
mpz_ptr machine_piece(struct machine *m, mpz_srcptr code, unsigned long from, unsigned long to);
bool machine_is_index(struct machine *m, mpz_srcptr code, mpz_srcptr index,
                      const struct sol_node *at);
struct place machine_place_of(struct machine *m, const struct sol_node *node);
struct datum machine_read_place(struct machine *m, struct place p);
void machine_write_place(struct machine *m, struct place p, struct datum value,
                         const struct sol_node *target);

// interpret_operators.c: constants and operators.
struct datum machine_literal(struct machine *m, const struct sol_node *node);
struct datum machine_as_type(struct machine *m, const struct sol_node *node,
                             const struct sol_type *type);
struct datum machine_binary(struct machine *m, const struct sol_node *node);
struct datum machine_unary(struct machine *m, const struct sol_node *node);
struct datum machine_assignment(struct machine *m, const struct sol_node *node);

// interpret_functions.c: functions and their calls inside of a contract.
const struct sol_node *machine_find(struct machine *m, const struct sol_node *contract,
                                    const struct sol_node *like, size_t skip);
const struct sol_node *machine_resolve(struct machine *m, const struct sol_node *contract,
                                       const struct sol_node *function);
void machine_run_layer(struct machine *m);
void machine_enter(struct machine *m, struct activation *a);
void machine_leave(struct machine *m);
void machine_declare_results(struct machine *m, const struct sol_node *function);
struct datum machine_call(struct machine *m, const struct sol_node *function, struct object *self,
                          const struct sol_node *contract, mpz_ptr sender, mpz_ptr value,
                          const struct datum *arguments, const struct sol_node *at);
struct datum *machine_arguments_of(struct machine *m, const struct sol_node *function,
                                   const struct datum *bound, const struct sol_node *node);

// interpret_transactions.c: balances, transactions, and contracts that are made.
struct datum *machine_balance(struct machine *m, mpz_srcptr address);
mpz_ptr machine_told_balance(struct machine *m, mpz_srcptr address, const struct sol_node *at);
void machine_pay(struct machine *m, mpz_srcptr from, mpz_srcptr to, mpz_srcptr amount,
                 const struct sol_node *at);
void machine_show(struct machine *m, const struct activation *a, const char *name);
void machine_show_test(struct machine *m, const struct activation *a, const char *callee,
                       bool comment);
// Can these data have called that function with these arguments?
bool machine_data_fits(struct machine *m, const struct sol_node *function,
                       const struct datum *arguments, mpz_srcptr code);
void machine_take_transaction(struct machine *m, struct activation *a, bool nested,
                              const struct sol_node *at);
void machine_run_public(struct machine *m, const struct sol_node *function, const char *prefix);
void machine_unknown_code(struct machine *m, const struct sol_node *at);
void machine_reading_code(struct machine *m, const struct sol_node *at);
const struct sol_node *machine_constructor_of(const struct sol_node *contract);
struct object *machine_new_contract(struct machine *m, const struct sol_node *contract,
                                    mpz_ptr address);
void machine_construct(struct machine *m, const struct sol_node *contract,
                       struct activation *first);

// interpret_calls.c: calls of other contracts, and of code that nobody knows.
struct datum machine_call_contract(struct machine *m, const struct sol_node *node,
                                   const struct sol_node *callee, const struct sol_node *target,
                                   const struct sol_node *amount_node);
struct datum machine_low_level(struct machine *m, const struct sol_node *node,
                               const struct sol_node *callee, const struct sol_node *amount_node);
struct datum machine_make_new(struct machine *m, const struct sol_node *node,
                              const struct sol_node *amount_node);
struct datum machine_make_struct(struct machine *m, const struct sol_node *node);

// interpret_built_in.c: functions of the language and of the chain.
struct datum machine_gas_left(struct machine *m, const struct sol_node *node);
struct datum machine_built_in(struct machine *m, const struct sol_node *node, const char *name);
mpz_ptr machine_selector_of(struct machine *m, const struct sol_node *function,
                            const struct sol_node *at);
struct datum machine_abi(struct machine *m, const struct sol_node *node, const char *name);
struct datum machine_concatenate(struct machine *m, const struct sol_node *node);
struct datum machine_slice(struct machine *m, const struct sol_node *node);
struct datum machine_push(struct machine *m, const struct sol_node *node,
                          const struct sol_node *callee);

// interpret_dispatch.c: what a call means.
struct datum machine_evaluate_call(struct machine *m, const struct sol_node *node);

// interpret_expressions.c: expressions.
struct datum machine_tuple(struct machine *m, const struct sol_node *node);
struct datum machine_evaluate(struct machine *m, const struct sol_node *node);

// interpret.c: statements, and whole runs.
void machine_run(struct machine *m, const struct sol_node *node);

#endif
