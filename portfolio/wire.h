#ifndef REGATTA_PORTFOLIO_WIRE_H
#define REGATTA_PORTFOLIO_WIRE_H

#include "base/text.h"
#include "model/trace.h"

// Private to portfolio: what a race and its worker processes say to one another. Both ends are the
// same program on the same machine, so numbers go as they are in memory; but nothing that is read is
// trusted: a reader that meets nonsense fails and stays failed.

struct wire_reader {
    const char *next, *end;
    bool failed; // from the first nonsense on; everything read then is 0 or ""
};

void wire_put(struct text *out, uint64_t number);
void wire_put_bytes(struct text *out, const void *bytes, size_t count);
uint64_t wire_get(struct wire_reader *in);
// `count` bytes inside the message; NULL when failed.
const char *wire_get_bytes(struct wire_reader *in, size_t *count);
char *wire_get_string(struct wire_reader *in); // memory_free

// A trace without its states: statements and edges by their numbers, so both ends must have made the
// same model from the same text. The reader's trace has to be replayed before it means anything;
// NULL when it does not fit the model.
void wire_put_trace(struct text *out, const struct trace *trace);
struct trace *wire_get_trace(struct wire_reader *in, const struct model *model);

// Frames on a socket: their length, then their bytes. All calls block and survive signals. False: the
// other end is gone.
bool wire_send(int fd, const struct text *frame);
bool wire_receive(int fd, struct text *frame);

#endif
