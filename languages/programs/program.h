#ifndef REGATTA_LANGUAGES_PROGRAMS_PROGRAM_H
#define REGATTA_LANGUAGES_PROGRAMS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/message.h"

// A value of at most 128 bits, zeros above its own: an integer, a float's bits, an address.
typedef unsigned __int128 program_word;

// A program as functions of blocks of instructions over numbered values and byte-addressed objects: what the C
// reader gives, close to LLVM's instructions but without types, layout or metadata. Immutable once read.

enum program_type_kind {
    PROGRAM_VOID,
    PROGRAM_INTEGER,
    PROGRAM_POINTER,
    PROGRAM_FLOAT,
    PROGRAM_PAIR, // an integer and whether the operation that made it overflowed
    PROGRAM_OTHER,
};

struct program_type {
    enum program_type_kind kind;
    uint32_t bits; // INTEGER, FLOAT; PAIR: of the integer
};

enum operand_kind {
    OPERAND_VALUE,    // number: of a parameter or an instruction of the function
    OPERAND_CONSTANT, // bits; integers and floats
    OPERAND_ADDRESS,  // number: of a global; offset
    OPERAND_FUNCTION, // number: of a function
    OPERAND_FIXED,    // the pointer with this offset and no object; null when it is 0
    OPERAND_UNDEFINED, // any value of the type; number: 1 when it is zero in a run, as compilers make it
    OPERAND_UNKNOWN, // what the reader could not say
};

struct operand {
    enum operand_kind kind;
    struct program_type type;
    uint32_t number;
    int64_t offset;
    program_word bits;
};

enum opcode {
    OP_ALLOCA, // extra: bytes; operand: how many; numbers: alignment, 1 when it outlives its function
    OP_LOAD,   // operand: address; number: bytes; extra: volatile
    OP_STORE, // operands: value, address; number: bytes; extra: volatile
    OP_GEP,   // operands: address, indices; numbers: constant offset, a scale for each index
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_UDIV,
    OP_SDIV,
    OP_UREM,
    OP_SREM,
    OP_SHL,
    OP_LSHR,
    OP_ASHR,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_FADD, // of operations on floats that round, the mode comes last where a program chooses it
    OP_FSUB,
    OP_FMUL,
    OP_FDIV,
    OP_FREM,
    OP_FNEG,
    OP_TRUNC,
    OP_ZEXT,
    OP_SEXT,
    OP_PTRTOINT,
    OP_INTTOPTR,
    OP_BITCAST,
    OP_FPTOUI,
    OP_FPTOSI,
    OP_UITOFP,
    OP_SITOFP,
    OP_FPTRUNC,
    OP_FPEXT,
    OP_FREEZE, // extra: FREEZE_OPEN or 0
    OP_SELECT,
    OP_ICMP,    // extra: enum program_comparison
    OP_FCMP,    // extra: LLVM's predicate
    OP_PHI,     // numbers: the blocks that the operands come from
    OP_CALL,    // operands: callee, arguments; numbers: bytes of an argument that is copied, else 0
    OP_EXTRACT, // extra: 0 the integer of a pair, 1 its overflow
    OP_LABEL,   // text: a label of the program is here
    // ends of blocks
    OP_BRANCH, // operand: condition, if any; numbers: targets, then line and column of the loop it closes
    OP_SWITCH, // operands: value, cases; numbers: default, targets of the cases
    OP_RETURN,
    OP_UNREACHABLE,
    OP_CUT,         // text: a bound of this view ends the path here, and the program might go on
    OP_UNSUPPORTED, // text: what it is
    // flat programs only
    OP_ENTER, // a copy of a function (frame) begins
    OP_LEAVE, // and ends; its slots die
    OP_COPY,  // operands: target, source, bytes
    // with procedures (flat_create_procedures, flat_create_deep) only
    OP_PROCEDURE, // extra: which; its body begins
    OP_INPUT,     // extra: number of the parameter of the procedure around it
    OP_INVOKE,    // extra: which procedure; operands: its arguments
    OP_RESULT, // the end of a block, too; extra: which procedure; operand: what it returns, if anything
};

// What a call of another type than the function's finds where nobody left a value for it: a compiled program has something
// there, of which nobody can say what. Proofs are about any; no violation that depends on it is one.
#define FREEZE_OPEN 1

enum program_comparison {
    COMPARE_EQ = 32,
    COMPARE_NE,
    COMPARE_UGT,
    COMPARE_UGE,
    COMPARE_ULT,
    COMPARE_ULE,
    COMPARE_SGT,
    COMPARE_SGE,
    COMPARE_SLT,
    COMPARE_SLE,
};

struct instruction {
    enum opcode op;
    struct program_type type; // of the value; STORE: of what is stored
    uint32_t result;          // number of its value
    uint32_t frame;           // flat programs: which copy of a function it belongs to
    struct position at;
    uint64_t extra;
    uint32_t operand_count, number_count;
    struct operand *operands;
    int64_t *numbers;
    const char *text;
};

struct block {
    struct instruction *instructions;
    size_t count, capacity;
};

// What a programmer calls a slot.
struct program_name {
    uint32_t value; // its alloca
    unsigned line;
    const char
        *type; // without aliases: "unsigned int", "int[]", "pointer", "aggregate"; "" when unknown
    const char *name;
    unsigned scope_line, scope_column; // where its block begins; 0 0: its function's
};

struct function {
    const char *name;
    bool defined, variadic, address_taken;
    bool library; // it has the body that our library of C gives it
    unsigned line;
    struct program_type result;
    uint32_t parameter_count;
    struct program_type *parameters; // values 0, 1, …
    uint32_t value_count;
    struct block *blocks;
    size_t block_count, block_capacity;
    struct program_name *names;
    size_t name_count, name_capacity;
};

struct program_data {
    uint64_t offset, bytes;
    struct operand value;
};

struct global {
    const char *name;
    const char *type_name, *source_name; // as in a program_name; NULL when unknown
    unsigned line;
    uint64_t bytes, alignment;
    bool constant, external, thread_local;
    struct program_type type;  // OTHER for structures and arrays
    struct program_data *data; // beside zeros, in order of offsets
    size_t data_count, data_capacity;
};

struct program {
    struct arena arena; // names and operands
    uint32_t pointer_bits;
    const char **files; // 0 is the program's own
    size_t file_count, file_capacity;
    struct function *functions;
    size_t function_count, function_capacity;
    struct global *globals;
    size_t global_count, global_capacity;
};

// Reads the text that `regatta-c` writes:
//   regatta-program 1 POINTERBITS
//   file NAME                              numbered from 0
//   G NAME BYTES CONSTANT EXTERNAL THREADLOCAL TYPE
//   A ALIGNMENT                            of the global before; 1 without
//   D OFFSET TYPE OPERAND BYTES            data of the global before
//   T LINE TYPE NAME                       the programmer's name of the global before
//   F NAME DEFINED VARIADIC LINE RESULT PARAMETERS TYPE…  defined: 2 by our library
//   B                                      a block of the function before
//   I OP TYPE RESULT FILE LINE COLUMN EXTRA COUNT OPERAND… COUNT NUMBER… [TEXT]
//   N VALUE LINE TYPE NAME LINE COLUMN     the programmer's name of a slot, and where its scope begins
//   E                                      the function's end
//   end
// NULL with a message when it is not that. `path` is for messages.
struct program *program_read(const char *text, size_t bytes, const char *path,
                             struct messages *messages);
void program_destroy(struct program *program); // NULL is fine
const struct function *program_find_function(const struct program *program, const char *name);
// Of a direct call. NULL: the instruction is none.
const struct function *program_callee(const struct program *program, const struct instruction *i);

static inline program_word program_low_bits(program_word value, uint32_t bits)
{
    return bits >= 128 ? value : value & (((program_word)1 << bits) - 1);
}

// `bits` from 1 to 128.
static inline __int128 program_as_signed(program_word value, uint32_t bits)
{
    if (bits >= 128)
        return (__int128)value;
    program_word sign = (program_word)1 << (bits - 1);
    return (__int128)((program_low_bits(value, bits) ^ sign) - sign);
}

static inline bool opcode_rounds(enum opcode op)
{
    return (op >= OP_FADD && op <= OP_FDIV) || (op >= OP_UITOFP && op <= OP_FPTRUNC);
}

static inline bool program_same_type(struct program_type a, struct program_type b)
{
    return a.kind == b.kind && (a.kind == PROGRAM_POINTER || a.bits == b.bits);
}

// Its result is a value.
static inline bool instruction_defines(const struct instruction *i)
{
    return i->type.kind != PROGRAM_VOID && i->op != OP_STORE;
}

// clang does not check signed operations on vectors, and its code does not say which are signed: where one of them would overflow
// by its signs the reader puts an llvm.ubsantrap of this kind.
enum { TRAP_OF_VECTORS = 255 };

// The numbers that <fenv.h> of x86 has for modes of rounding, and operands of operations.
enum program_rounding {
    ROUND_NEAREST,
    ROUND_DOWNWARDS = 0x400,
    ROUND_UPWARDS = 0x800,
    ROUND_TO_ZERO = 0xc00,
};

// The operand with the mode, or NULL: to the nearest.
static inline const struct operand *instruction_rounding(const struct instruction *i)
{
    uint32_t operands = i->op >= OP_FADD && i->op <= OP_FDIV ? 2 : 1;
    return opcode_rounds(i->op) && i->operand_count > operands ? &i->operands[operands] : NULL;
}

static inline bool opcode_ends_block(enum opcode op)
{
    return (op >= OP_BRANCH && op <= OP_CUT) || op == OP_RESULT;
}

#endif
