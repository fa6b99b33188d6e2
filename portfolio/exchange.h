#ifndef REGATTA_PORTFOLIO_EXCHANGE_H
#define REGATTA_PORTFOLIO_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

// What the attempts of a race give one another while they run: lines of text
// (engines/model/precision_text.h), each kept once, in the order they came, with who gave it first. From any
// thread. What is over the limits is not kept, and nobody waits for anybody.

struct exchange;

#define EXCHANGE_MOST_LINES 20000
#define EXCHANGE_MOST_BYTES ((size_t)8 << 20)

struct exchange *exchange_create(void);
void exchange_destroy(struct exchange *exchange); // NULL is fine
// Adds the lines of a text that are not there yet. How many were.
size_t exchange_add(struct exchange *exchange, unsigned attempt, const char *text);
// Appends the lines from number *cursor on that others gave, and moves the cursor behind the last. How
// many there were.
size_t exchange_news(struct exchange *exchange, unsigned attempt, size_t *cursor, struct text *out);
// Line `number` and who gave it; false behind the last. `out` is replaced.
bool exchange_line(struct exchange *exchange, size_t number, unsigned *attempt, struct text *out);

#endif
