#include "logic/terms/value.h"

#include "logic/terms/term.h"

uint64_t value_hash(struct value v)
{
    if (!value_known(v) || value_is_small(v))
        return hash_mix(v.bits);
    return value_pointer_get(v)->hash.low;
}
