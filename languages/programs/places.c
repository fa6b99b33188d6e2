#include "languages/programs/places.h"

#include "base/memory.h"
#include "base/text.h"

const struct instruction **flat_definitions(const struct flat *flat)
{
    const struct instruction **out = memory_zalloc((flat->value_count + 1) * sizeof *out);
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            if (instruction_defines(i))
                out[i->result] = i;
        }
    }
    return out;
}

struct memory_place flat_place_of(const struct flat *flat,
                                  const struct instruction *const *definitions,
                                  struct operand address)
{
    struct memory_place p = {.base = address, .exact = true};
    const struct instruction *d;
    while (p.base.kind == OPERAND_VALUE && (d = definitions[p.base.number]) != NULL &&
           d->op == OP_GEP) {
        p.exact = p.exact && d->operand_count == 1 &&
                  !__builtin_add_overflow(p.offset, d->numbers[0], &p.offset);
        p.base = flat_resolve(flat, d->operands[0]);
    }
    if (p.base.kind == OPERAND_ADDRESS) {
        p.exact = p.exact && !__builtin_add_overflow(p.offset, p.base.offset, &p.offset);
        p.base.offset = 0;
    }
    return p;
}

bool flat_is_transfer(const struct flat *flat, const struct instruction *i, struct transfer *out)
{
    const char *name = i->op == OP_CALL ? flat_callee(flat, i) : "";
    const bool copies = i->op == OP_COPY || text_begins_with(name, "llvm.memcpy.") ||
                        text_begins_with(name, "llvm.memmove.");
    const uint32_t first = i->op == OP_CALL;
    if ((!copies && !text_begins_with(name, "llvm.memset.")) || i->operand_count < first + 3)
        return false;
    const struct operand bytes = flat_resolve(flat, i->operands[first + 2]);
    *out = (struct transfer){.to = &i->operands[first], .bytes = -1};
    if (copies)
        out->from = &i->operands[first + 1];
    else
        out->byte = &i->operands[first + 1];
    if (bytes.kind == OPERAND_CONSTANT && bytes.bits <= INT32_MAX)
        out->bytes = (int64_t)bytes.bits;
    return true;
}

bool flat_is_lifetime(const struct flat *flat, const struct instruction *i)
{
    return i->op == OP_CALL && i->operand_count > 1 &&
           text_begins_with(flat_callee(flat, i), "llvm.lifetime.");
}
