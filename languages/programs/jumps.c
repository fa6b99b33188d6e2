#include "languages/programs/jumps.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/flat.h"

enum { MOST_LIVES = 256 }; // variables of a function whose lives are marked

struct lives {
    const struct program *program;
    const struct function *function;
    uint32_t values[MOST_LIVES];                 // of the variables
    const struct instruction *calls[MOST_LIVES]; // one that marks its life
    bool started[MOST_LIVES]; // some call says where it begins; else it does where it is made
    size_t count;
    bool certain; // what lives on each way, not on some
    bool *at;     // by block and variable: what lives where the block begins
    bool *met;    // by block
};

// Those of compound literals, of which clang does not say when they end, are marked in another way: without a size (scopes.c).
static bool is_lifetime(const struct lives *l, const struct instruction *i, bool *start)
{
    if (i->op != OP_CALL || i->operand_count < 3 || i->operands[0].kind != OPERAND_FUNCTION ||
        i->operands[1].bits == UINT64_MAX)
        return false;
    const char *name = l->program->functions[i->operands[0].number].name;
    *start = text_begins_with(name, "llvm.lifetime.start");
    return *start || text_begins_with(name, "llvm.lifetime.end");
}

static size_t find_life(const struct lives *l, uint32_t value)
{
    size_t k = 0;
    while (k < l->count && l->values[k] != value)
        k++;
    return k;
}

static bool find_lives(struct lives *l)
{
    for (size_t b = 0; b < l->function->block_count; b++) {
        for (size_t k = 0; k < l->function->blocks[b].count; k++) {
            const struct instruction *i = &l->function->blocks[b].instructions[k];
            bool start;
            if (!is_lifetime(l, i, &start))
                continue;
            if (i->operands[2].kind != OPERAND_VALUE)
                return false;
            size_t life = find_life(l, i->operands[2].number);
            if (life == MOST_LIVES)
                return false;
            if (life == l->count) {
                l->values[life] = i->operands[2].number;
                l->calls[l->count++] = i;
            }
            l->started[life] = l->started[life] || start;
        }
    }
    return true;
}

static void step(const struct lives *l, const struct instruction *i, bool *now)
{
    bool start;
    if (is_lifetime(l, i, &start)) {
        now[find_life(l, i->operands[2].number)] = start;
    } else if (i->op == OP_ALLOCA) {
        size_t life = find_life(l, i->result);
        if (life < l->count && !l->started[life])
            now[life] = true;
    }
}

// From the beginning of a block to its end, or to before an instruction of it.
static void walk(const struct lives *l, size_t block, const struct instruction *end, bool *now)
{
    const struct block *b = &l->function->blocks[block];
    memcpy(now, l->at + block * l->count, l->count * sizeof *now);
    for (size_t k = 0; k < b->count && &b->instructions[k] != end; k++)
        step(l, &b->instructions[k], now);
}

static bool join(struct lives *l, uint32_t block, const bool *now)
{
    bool *at = l->at + block * l->count, changed = !l->met[block];
    for (size_t k = 0; k < l->count; k++) {
        bool both = !l->met[block] ? now[k] : l->certain ? at[k] && now[k] : at[k] || now[k];
        changed = changed || both != at[k];
        at[k] = both;
    }
    l->met[block] = true;
    return changed;
}

static void flow(struct lives *l, bool certain)
{
    const struct function *f = l->function;
    bool now[MOST_LIVES], changed = true;
    l->certain = certain;
    memset(l->at, 0, f->block_count * l->count * sizeof *l->at);
    memset(l->met, 0, f->block_count * sizeof *l->met);
    l->met[0] = true;
    while (changed) {
        changed = false;
        for (size_t b = 0; b < f->block_count; b++) {
            if (!l->met[b])
                continue;
            walk(l, b, NULL, now);
            const size_t count = flat_successors(&f->blocks[b], NULL, 0);
            const struct instruction *last = &f->blocks[b].instructions[f->blocks[b].count - 1];
            for (size_t k = 0; k < count; k++)
                changed = join(l, (uint32_t)last->numbers[k], now) || changed;
        }
    }
}

// Its address goes nowhere, or it is where a parameter is kept.
static bool lives_all_the_time(const struct lives *l, const struct instruction *slot)
{
    const struct function *f = l->function;
    bool kept = false;
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            const size_t address = i->op == OP_STORE ? 1 : 0; // of a load or store
            const bool access = i->op == OP_LOAD || i->op == OP_STORE;
            for (uint32_t o = 0; o < i->operand_count; o++) {
                const bool meant =
                    i->operands[o].kind == OPERAND_VALUE && i->operands[o].number == slot->result;
                kept = kept || (meant && !(access && o == address));
            }
            if (b == 0 && i->op == OP_STORE && i->operands[0].kind == OPERAND_VALUE &&
                i->operands[0].number < f->parameter_count &&
                i->operands[1].kind == OPERAND_VALUE && i->operands[1].number == slot->result)
                return true;
        }
    }
    return !kept;
}

// No life is marked of what clang does not say of when it ends: compound literals, arrays of variable size.
static bool all_are_marked(const struct lives *l)
{
    for (size_t b = 0; b < l->function->block_count; b++) {
        for (size_t k = 0; k < l->function->blocks[b].count; k++) {
            const struct instruction *i = &l->function->blocks[b].instructions[k];
            if (i->op == OP_ALLOCA && find_life(l, i->result) == l->count &&
                !lives_all_the_time(l, i))
                return false;
        }
    }
    return true;
}

// What lives there; false: it is not in the function.
static bool lives_at(const struct lives *l, const struct instruction *i, bool *now)
{
    for (size_t b = 0; b < l->function->block_count; b++) {
        const struct block *block = &l->function->blocks[b];
        if (i >= block->instructions && i < block->instructions + block->count) {
            walk(l, b, i, now);
            return true;
        }
    }
    return false;
}

bool jump_ends_lives(const struct program *program, const struct function *f,
                     const struct instruction *mark, const struct instruction *jump,
                     struct ended_lives *out)
{
    struct lives l = {.program = program, .function = f};
    bool before[MOST_LIVES], surely[MOST_LIVES], after[MOST_LIVES];
    *out = (struct ended_lives){0};
    if (!find_lives(&l) || !all_are_marked(&l))
        return false;
    l.at = memory_zalloc(f->block_count * l.count + 1);
    l.met = memory_zalloc(f->block_count + 1);
    flow(&l, true);
    bool good = lives_at(&l, mark, surely);
    flow(&l, false);
    good = lives_at(&l, mark, before) && lives_at(&l, jump, after) && good;
    for (size_t k = 0; good && k < l.count; k++) {
        good = before[k] == surely[k] || !after[k];
        if (after[k] && !before[k])
            VECTOR_PUSH(out, l.calls[k]);
    }
    memory_free(l.at);
    memory_free(l.met);
    return good;
}
