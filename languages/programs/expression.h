#ifndef REGATTA_LANGUAGES_PROGRAMS_EXPRESSION_H
#define REGATTA_LANGUAGES_PROGRAMS_EXPRESSION_H

#include "languages/programs/program.h"
#include "languages/programs/source.h"

// C expressions of witnesses as instructions: integer constants and variables, casts to integer types, and the operators
// without side effects. Everything else is not supported, and said so.

struct expression_place {
    struct program *program;
    struct function *function;
    const struct source *source; // names mean what they do at `offset` of it
    size_t offset;
    struct position at;           // of the instructions
    const struct operand *result; // what `\result` is; NULL: nothing
    bool result_unsigned;
};

// Appends the instructions that compute whether the expression holds; *out is an i1. False with a message at `where`, which
// says what is wrong in the text.
bool expression_compile(const struct expression_place *place, const char *text,
                        struct position where, struct block *block, struct operand *out,
                        struct messages *messages);

// Instructions, for those who add some. Values are the function's.
struct operand program_emit(const struct expression_place *place, struct block *block,
                            enum opcode op, struct program_type type,
                            const struct operand *operands, uint32_t count);
struct operand program_number(uint32_t bits, uint64_t value);

#endif
