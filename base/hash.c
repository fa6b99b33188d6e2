#include "base/hash.h"

#include <stdio.h>
#include <string.h>

struct hash128 hash128_add_bytes(struct hash128 h, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    h = hash128_add(h, bytes);
    while (bytes > 0) {
        // Assembled by shifts: the same on machines of either byte order.
        uint64_t word = 0;
        size_t n = bytes < 8 ? bytes : 8;
        for (size_t i = 0; i < n; i++)
            word |= (uint64_t)at[i] << (8 * i);
        h = hash128_add(h, word);
        at += n;
        bytes -= n;
    }
    return h;
}

struct hash128 hash128_add_text(struct hash128 h, const char *text)
{
    return hash128_add_bytes(h, text, strlen(text));
}

void hash128_print(struct hash128 h, char out[33])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        out[i] = digits[h.high >> (60 - 4 * i) & 15];
        out[16 + i] = digits[h.low >> (60 - 4 * i) & 15];
    }
    out[32] = '\0';
}
