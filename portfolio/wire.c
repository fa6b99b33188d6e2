#include "portfolio/wire.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/memory.h"

#define FRAME_MOST ((uint64_t)1 << 32)

void wire_put(struct text *out, uint64_t number)
{
    text_add_bytes(out, (const char *)&number, sizeof number);
}

void wire_put_bytes(struct text *out, const void *bytes, size_t count)
{
    wire_put(out, count);
    if (count)
        text_add_bytes(out, bytes, count);
}

static const char *take(struct wire_reader *in, uint64_t count)
{
    assert(in->next <= in->end);
    if (in->failed || count > (uint64_t)(in->end - in->next)) {
        in->failed = true;
        return NULL;
    }
    const char *bytes = in->next;
    in->next += count;
    return bytes;
}

uint64_t wire_get(struct wire_reader *in)
{
    uint64_t number = 0;
    const char *bytes = take(in, sizeof number);
    if (bytes != NULL)
        memcpy(&number, bytes, sizeof number);
    return number;
}

const char *wire_get_bytes(struct wire_reader *in, size_t *count)
{
    uint64_t length = wire_get(in);
    const char *bytes = take(in, length);
    *count = bytes != NULL ? (size_t)length : 0;
    return bytes;
}

char *wire_get_string(struct wire_reader *in)
{
    size_t count;
    const char *bytes = wire_get_bytes(in, &count);
    char *string = memory_alloc(count + 1);
    if (count)
        memcpy(string, bytes, count);
    string[count] = '\0';
    return string;
}

static bool send_all(int fd, const char *bytes, size_t count)
{
    while (count) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

bool wire_send(int fd, const struct text *frame)
{
    uint64_t length = frame->length;
    return send_all(fd, (const char *)&length, sizeof length) &&
           send_all(fd, text_string(frame), frame->length);
}

static bool receive_all(int fd, char *bytes, size_t count)
{
    while (count) {
        ssize_t got = recv(fd, bytes, count, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        count -= (size_t)got;
    }
    return true;
}

bool wire_receive(int fd, struct text *frame)
{
    uint64_t length, done = 0;
    text_clear(frame);
    if (!receive_all(fd, (char *)&length, sizeof length) || length > FRAME_MOST)
        return false;
    while (done < length) {
        char chunk[16384];
        size_t part = length - done < sizeof chunk ? (size_t)(length - done) : sizeof chunk;
        if (!receive_all(fd, chunk, part))
            return false;
        text_add_bytes(frame, chunk, part);
        done += part;
    }
    return true;
}
