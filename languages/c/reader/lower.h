#ifndef REGATTA_LANGUAGES_C_READER_LOWER_H
#define REGATTA_LANGUAGES_C_READER_LOWER_H

#include <llvm-c/Core.h>
#include <stdbool.h>

// What the view "program" has no words for, said with what it has.

// Jumps to computed labels become switches: the labels whose addresses are taken become numbers.
void lower_computed_jumps(LLVMModuleRef module);

// Functions that run before and after main are called by it. False when that cannot be said so: nothing is changed then.
bool lower_functions_around_main(LLVMModuleRef module);

#endif
