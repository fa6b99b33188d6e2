#ifndef REGATTA_LANGUAGES_C_READER_HEADERS_H
#define REGATTA_LANGUAGES_C_READER_HEADERS_H

#include <stddef.h>

// Headers that other verifiers bring along: programs of theirs include them, and they are not there. What such a program needs of them is
// declared here in our words; what the functions mean is in the library (library/verifiers.c).

// `name` as it is included, `length` characters; NULL: it is no such header. Whole lines, the last one without its end.
const char *headers_find(const char *name, size_t length);

#endif
