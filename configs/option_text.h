#ifndef REGATTA_CONFIGS_OPTION_TEXT_H
#define REGATTA_CONFIGS_OPTION_TEXT_H

#include "base/message.h"
#include "base/text.h"
#include "configs/options.h"

// Private to configs: options as people write them. Readers return false (NULL) with an error at
// that position and leave `value` alone.

void option_print_value(struct text *out, enum option option, int64_t value);
bool option_read_text(enum option option, const char *string, struct position at, int64_t *value,
                      struct messages *messages);
bool option_read_number(enum option option, int64_t number, struct position at, int64_t *value,
                        struct messages *messages);
// `found …, expected …` for a value of a wrong type.
void option_wrong_type(enum option option, const char *found, struct position at,
                       struct messages *messages);
// `unknown option "x", did you mean "y"?`; `others` are further names that are allowed there.
void option_unknown(const char *name, const char *const *others, size_t count, struct position at,
                    struct messages *messages);

#endif
