#ifndef REGATTA_CONFIGS_TEXT_VALUE_H
#define REGATTA_CONFIGS_TEXT_VALUE_H

#include <stdint.h>

// Texts as values of options: equal texts have equal numbers, so that a configuration stays an array
// of numbers that is copied and compared as a whole. The numbers hold for this process only; whoever
// writes or hashes an option takes the text. Kept until the process ends. From any thread.

// Those that are defaults; numbered first.
#define TEXT_VALUES(X)                                                                             \
    X(TEXT_VALUE_NONE, "")                                                                         \
    X(TEXT_VALUE_Z3, "z3")

enum text_value {
#define X(constant, text) constant,
    TEXT_VALUES(X)
#undef X
        TEXT_VALUE_NAMED
};

// The number of a text, which is copied.
int64_t text_value_keep(const char *text);
// The text of a number that text_value_keep gave, or of a constant above.
const char *text_value(int64_t number);

#endif
