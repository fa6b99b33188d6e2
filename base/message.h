#ifndef REGATTA_BASE_MESSAGE_H
#define REGATTA_BASE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// What went wrong with an input, collected by library code and printed by the command.
// Text form: `path:line:column: error: what was found, what was expected`.

enum message_kind { MESSAGE_NOTE, MESSAGE_WARNING, MESSAGE_ERROR, MESSAGE_UNSUPPORTED };

struct position {
    const char *path; // not owned; outlives the messages' use or is copied by message_add
    unsigned line;    // from 1; 0 = the whole file
    unsigned column;  // from 1, in bytes; 0 = the whole line
};

struct message {
    enum message_kind kind;
    char *path; // NULL when the message has no file
    unsigned line, column;
    char *text;
};

struct messages {
    struct message *items; // in the order they were added
    size_t count, capacity;
    size_t errors;      // how many MESSAGE_ERROR
    size_t unsupported; // how many MESSAGE_UNSUPPORTED
};

void messages_init(struct messages *messages);
void messages_finish(struct messages *messages);
// Adds one; at most 50 errors are kept (a last one then says that more were left out).
void message_add(struct messages *messages, enum message_kind kind, struct position at,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
// In the order in which they were added. MESSAGE_UNSUPPORTED prints "path:line:column: not supported: …".
void messages_print(const struct messages *messages, FILE *out);
static inline bool messages_failed(const struct messages *messages)
{
    return messages->errors + messages->unsupported > 0;
}

#endif
