#ifndef REGATTA_LANGUAGES_PROGRAMS_DESCEND_H
#define REGATTA_LANGUAGES_PROGRAMS_DESCEND_H

#include "languages/programs/translate.h"

// Why recursion ends: with each call from one recursive function to another that may lead back, a measure of what is given becomes less. Words
// are finite, so any order of them does: a parameter, what it points to, or a number in a global variable, with or without sign, downwards or
// upwards, the difference of two, or one before another (lexicographic), and then the place of the function in the program. A program without loops whose recursion descends so ends.

// Is it a program without loops, with recursive functions of numbers, whose calls all name what they call?
bool descend_is_possible(const struct program *program);
#define NO_ORDER UINT32_MAX

// An order that no run on guessed inputs contradicts; NO_ORDER: there is none. The program is of no use afterwards.
uint32_t descend_choose(struct program *program);
// Each such call gets a check that what is given is less by this order; the question becomes whether a check fails.
void descend_instrument(struct program *program, uint32_t order, struct program_question *question);

#endif
