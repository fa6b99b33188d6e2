#ifndef REGATTA_MODEL_PARTS_H
#define REGATTA_MODEL_PARTS_H

#include "model/recode.h"

// Words that are put together of two, as the pointers of a program are (which object, which offset), as variables of their own: the same
// model where each such word is its parts. A word that walks in steps of a power of two has the bits below the step as a part of
// their own, which never change; what is left counts steps. So what moves a pointer is what moves an index, for engines that guess
// from variables, and parts that stay the same are constants.
//
// Which words are cut, and where, is a guess from what is assigned to them: any cut is exact.

// A model whose ways back are a recoding's (recode.h). NULL: no word is one to cut, or it was given up (NULL: never). The
// source must outlive the result.
struct model *parts_recode(const struct model *source, const _Atomic bool *given_up);

#endif
