#ifndef REGATTA_LANGUAGES_C_READER_LOWER_H
#define REGATTA_LANGUAGES_C_READER_LOWER_H

#include <llvm-c/Core.h>
#include <stdbool.h>

// What the view "program" has no words for, said with what it has.

// Jumps to computed labels become switches: the labels whose addresses are taken become numbers.
void lower_computed_jumps(LLVMModuleRef module);

// Functions that run before and after main are called by it. False when that cannot be said so: nothing is changed then.
bool lower_functions_around_main(LLVMModuleRef module);

// main's first parameter becomes a number that the library chooses.
void lower_arguments(LLVMModuleRef module);

// A definition that is there to be inlined only (C's `inline`, GNU's `extern inline`) is the function's, unless the C library
// has it or another file does. Before modules are linked.
void lower_inline_functions(LLVMModuleRef module);

// The address of a thread's variable becomes that of the variable.
void lower_thread_locals(LLVMModuleRef module);

// What is declared weak and defined nowhere has no address. After library_link.
void lower_weak_names(LLVMModuleRef module);

// What alloca made since the stack was saved ends its life where the stack is restored.
void lower_dynamic_scopes(LLVMModuleRef module);

// What `#pragma STDC FENV_ACCESS ON` makes of operations on floats becomes these operations. Flags of exceptions are not followed.
// Before library_link.
void lower_constrained_floats(LLVMModuleRef module);

// Where a program chooses how floats are rounded (fesetround), each operation that rounds has a load of the mode right before it.
// After library_link.
void lower_rounding(LLVMModuleRef module);
// That load, or NULL.
LLVMValueRef lower_rounding_of(LLVMValueRef instruction);

// Compound literals and variables behind labels, of which clang does not say so, live again where their block was left
// (scopes.c). For what clang made of C text.
void lower_block_scopes(LLVMModuleRef module);

// What clang does not know of (how large an object is, whether something is constant) nobody else does.
void lower_unknown_sizes(LLVMModuleRef module);

// Before operations on vectors: a trap (TRAP_OF_VECTORS) where an element would overflow if it had a sign. Where overflow is asked.
void lower_vector_overflow(LLVMModuleRef module);

// Calls of sprintf and snprintf with a constant format become calls of functions of the library (printing.c).
void lower_printing(LLVMModuleRef module);

#endif
