#ifndef REGATTA_BASE_SHA256_H
#define REGATTA_BASE_SHA256_H

#include <stddef.h>

// SHA-256 (FIPS 180-4), for files that are named by it. 64 lower-case hexadecimal digits and a final NUL.
void sha256_print(const void *data, size_t bytes, char out[65]);

#endif
