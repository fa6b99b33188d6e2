#ifndef REGATTA_LANGUAGES_REGISTRY_INCLUDED_H
#define REGATTA_LANGUAGES_REGISTRY_INCLUDED_H

#include "base/hash.h"

// Adds what a C program includes by `#include "FILE"` beside itself, and what those include. Files that are not there, as
// where -I says where to look, are passed over. The hash stays as it is when nothing is included.
struct hash128 included_hash(struct hash128 hash, const char *path, const char *text);

#endif
