#ifndef REGATTA_LANGUAGES_C_READER_READER_H
#define REGATTA_LANGUAGES_C_READER_READER_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdio.h>

// The program `regatta-c`: C in, a program view as text out (languages/programs/program_read.h has the
// form). It is a program of its own so that only C inputs pay for LLVM's start and a crash of LLVM is no crash of
// ours. Nothing of the C program is executed, no pass of LLVM runs.

struct reader_options {
    const char *path;                   // .c .i .ll .bc
    bool further;                       // not the program's first file: positions name it
    const char *language;               // of clang's -std
    bool wide;                          // LP64
    bool overflow;                      // checks of signed overflow
    bool reads;                         // what is printed from lists of arguments is read
    bool memory;                        // markers of lifetimes
    const char *const *clang_arguments; // -I, -D, further ones of the user; NULL-terminated
};

// A whole file in memory, or NULL with a message on standard error.
struct reader_bytes {
    char *data;
    size_t count;
};

// Limits for this process and its children: CPU seconds, address space, size of files, processes.
void reader_limit(void);
// `# 12 "file.h"` lines become blank, so that positions are the file's own. In place; true if there were any.
bool reader_blank_markers(char *text, size_t count);
bool reader_load(const char *path, struct reader_bytes *out);
// Runs clang; bitcode in memory. False when clang refused: its messages were passed on.
bool reader_compile(const struct reader_options *options, struct reader_bytes *bitcode);
// Writes the module. `path` is the program's file as the user named it.
void reader_print_module(FILE *out, LLVMModuleRef module, const char *path);

#endif
