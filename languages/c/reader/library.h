#ifndef REGATTA_LANGUAGES_C_READER_LIBRARY_H
#define REGATTA_LANGUAGES_C_READER_LIBRARY_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

// Functions of the C library, compiled when Regatta is built (languages/c/library).

struct library_code {
    const unsigned char *bytes;
    size_t count;
};

struct library {
    struct library_code code[2]; // ILP32, LP64
    const char *const *names;    // what programs may call; NULL-terminated
};

extern const struct library library;

// Gives a program the bodies of the library functions that it declares, calls and does not define. False with a message
// when that fails. `reads`: functions that print from lists of arguments are followed for what they read.
bool library_link(LLVMModuleRef module, const char *path, bool reads);
// After that: has it its body from the library?
bool library_has_made(LLVMValueRef function);

// scanf and its like: what they write is said by helpers of the library.
bool library_is_scan(const char *name);

#endif
