#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "languages/programs/threads_inside.h"

#define MOST_WORDS 200 // of globals

// Counters and states of locks: slots that are stored constants and what they held more or less one of these, and words of globals that are
// stored constants and numbers of threads, where they decide where a thread goes.

static bool loads(const struct threads *t, const struct operand *o, uint32_t slot)
{
    const struct instruction *i =
        o->kind == OPERAND_VALUE ? threads_definition(t, o->number) : NULL;
    return i != NULL && i->op == OP_LOAD && i->operands[0].kind == OPERAND_VALUE &&
           i->operands[0].number == slot;
}

static bool counts_on(const struct threads *t, const struct operand *o, uint32_t slot)
{
    if (o->kind == OPERAND_CONSTANT)
        return true;
    const struct instruction *i =
        o->kind == OPERAND_VALUE ? threads_definition(t, o->number) : NULL;
    return i != NULL && (i->op == OP_ADD || i->op == OP_SUB) && loads(t, &i->operands[0], slot) &&
           i->operands[1].kind == OPERAND_CONSTANT;
}

// The word at the address of a load or store; NULL: it is none.
static struct thread_word *word_at(const struct threads *t, struct thread_word *words, size_t count,
                                   const struct operand *address)
{
    const struct thread_base base = threads_base(t, address);
    for (size_t w = 0; w < count && base.kind == REACH_GLOBAL && base.exact; w++)
        if (words[w].global == base.number && words[w].offset == base.offset)
            return &words[w];
    return NULL;
}

static bool is_large(const struct operand *o)
{
    if (o->kind != OPERAND_CONSTANT || o->type.kind != PROGRAM_INTEGER)
        return false;
    const __int128 number = program_as_signed(o->bits, o->type.bits);
    return number > THREADS_COUNTED || number < -THREADS_COUNTED;
}

// What a number that decides is loaded from: slots, and words.
static void mark_loads(const struct threads *t, const struct operand *o, uint8_t *slots,
                       struct thread_word *words, size_t word_count, uint32_t steps)
{
    const struct instruction *i =
        o->kind == OPERAND_VALUE ? threads_definition(t, o->number) : NULL;
    if (i == NULL || steps == 0)
        return;
    if (i->op == OP_LOAD) {
        struct thread_word *word = word_at(t, words, word_count, &i->operands[0]);
        if (word != NULL)
            word->decides = true;
        if (i->operands[0].kind == OPERAND_VALUE)
            slots[i->operands[0].number] = 1;
    } else if (i->op == OP_ICMP || i->op == OP_ZEXT || i->op == OP_SEXT || i->op == OP_TRUNC) {
        for (uint32_t n = 0; n < i->operand_count; n++)
            if (is_large(&i->operands[n]))
                return; // a loop of more rounds than are told apart
        for (uint32_t n = 0; n < i->operand_count; n++)
            mark_loads(t, &i->operands[n], slots, words, word_count, steps - 1);
    }
}

// Globals whose words may be told apart: every access is to one of them.
static bool *find_globals_of_words(const struct threads *t)
{
    const struct program *program = t->flat->program;
    bool *good = memory_zalloc((program->global_count + 1) * sizeof *good);
    for (uint32_t g = 0; g < program->global_count; g++)
        good[g] =
            !threads_is_given_away(t, &(struct thread_base){.kind = REACH_GLOBAL, .number = g}) &&
            !program->globals[g].external && !program->globals[g].thread_local;
    for (size_t a = 0; a < t->accesses.count; a++) {
        const struct thread_access *access = &t->accesses.data[a];
        const struct instruction *i = &t->blocks[access->block].instructions[access->index];
        for (uint32_t n = 0; n < access->place_count; n++) {
            const struct thread_base *base = &access->places[n].base;
            const bool word = (i->op == OP_LOAD || i->op == OP_STORE) && base->exact &&
                              access->bytes == 4 && base->offset % 4 == 0 &&
                              i->type.kind == PROGRAM_INTEGER;
            if (base->kind == REACH_GLOBAL && !word)
                good[base->number] = false;
            else if (base->kind == REACH_UNKNOWN)
                memset(good, 0, program->global_count * sizeof *good);
        }
    }
    return good;
}

static bool is_told_apart(const struct threads *t, const struct operand *o)
{
    const struct instruction *i =
        o->kind == OPERAND_VALUE ? threads_definition(t, o->number) : NULL;
    return o->kind == OPERAND_CONSTANT ||
           (i != NULL && i->op == OP_CALL && strcmp(flat_callee(t->flat, i), THREADS_SELF) == 0);
}

// Is it what the word held, more or less a constant?
static bool counts_word(const struct threads *t, const struct operand *o,
                        const struct thread_word *word)
{
    const struct instruction *i =
        o->kind == OPERAND_VALUE ? threads_definition(t, o->number) : NULL;
    if (i == NULL || (i->op != OP_ADD && i->op != OP_SUB) ||
        i->operands[1].kind != OPERAND_CONSTANT || i->operands[0].kind != OPERAND_VALUE)
        return false;
    const struct instruction *load = threads_definition(t, i->operands[0].number);
    const struct thread_base base = load != NULL && load->op == OP_LOAD
                                        ? threads_base(t, &load->operands[0])
                                        : (struct thread_base){.kind = REACH_ANY};
    return base.kind == REACH_GLOBAL && base.exact && base.number == word->global &&
           base.offset == word->offset;
}

static size_t find_words(const struct threads *t, struct thread_word *words, size_t most)
{
    bool *good = find_globals_of_words(t);
    size_t count = 0;
    for (size_t a = 0; a < t->accesses.count; a++) {
        const struct thread_access *access = &t->accesses.data[a];
        const struct instruction *i = &t->blocks[access->block].instructions[access->index];
        const struct thread_base *base = &access->places[0].base;
        if (base->kind != REACH_GLOBAL || !good[base->number])
            continue;
        const struct operand *address = &i->operands[access->places[0].operand];
        struct thread_word *word = word_at(t, words, count, address);
        if (word == NULL && count < most) {
            word = &words[count++];
            *word = (struct thread_word){.global = base->number, .offset = base->offset};
        }
        if (word != NULL && i->op == OP_STORE && !is_told_apart(t, &i->operands[0]) &&
            !counts_word(t, &i->operands[0], word))
            word->other = true;
    }
    memory_free(good);
    return count;
}

void threads_find_counters(struct threads *t)
{
    struct thread_word words[MOST_WORDS];
    const size_t word_count = find_words(t, words, MOST_WORDS);
    uint8_t *decides = memory_zalloc(t->flat->value_count + 1),
            *other = memory_zalloc(t->flat->value_count + 1);
    EACH_INSTRUCTION(t, b, k, i)
    {
        if (i->op == OP_BRANCH && i->operand_count > 0)
            mark_loads(t, &i->operands[0], decides, words, word_count, 4);
        else if (threads_is_join(t->flat, i))
            mark_loads(t, &i->operands[1], decides, words, word_count, 4);
        const struct operand *address = threads_address(i);
        if (address == NULL || address->kind != OPERAND_VALUE || !t->hoisted[address->number])
            continue;
        const uint64_t bytes = threads_definition(t, address->number)->extra;
        if (i->type.kind != PROGRAM_INTEGER || i->type.bits != 8 * bytes || bytes > 8 ||
            (i->op == OP_STORE && i->text == NULL && // THREADS_NUMBER is told apart
             !counts_on(t, &i->operands[0], address->number)))
            other[address->number] = 1;
    }
    for (size_t w = 0; w < word_count && t->counter_count < THREADS_COUNTERS; w++) {
        if (!words[w].decides || words[w].other)
            continue;
        t->counter_thread[t->counter_count++] = NO_VALUE;
        words[w].counter = t->counter_count;
        t->words[t->word_count++] = words[w];
    }
    assert(t->word_count == t->counter_count); // slots come behind them
    // By value, of a slot: which counter it is.
    uint32_t *counter = memory_zalloc((t->flat->value_count + 1) * sizeof *counter);
    EACH_INSTRUCTION(t, b, k, i)
    {
        if (i->op != OP_ALLOCA || !t->hoisted[i->result] || !decides[i->result] ||
            other[i->result] || t->counter_count == THREADS_COUNTERS)
            continue;
        t->counter_thread[t->counter_count++] = t->thread_of[b];
        counter[i->result] = t->counter_count;
    }
    EACH_INSTRUCTION(t, b, k, i)
    {
        const struct operand *address = threads_address(i);
        const struct thread_word *word =
            address == NULL ? NULL : word_at(t, t->words, t->word_count, address);
        if (i->op == OP_ALLOCA)
            threads_note(t, b, k)->counter = counter[i->result];
        else if (word != NULL)
            threads_note(t, b, k)->counter = word->counter;
        else if (address != NULL && address->kind == OPERAND_VALUE)
            threads_note(t, b, k)->counter = counter[address->number];
    }
    memory_free(counter);
    memory_free(decides);
    memory_free(other);
}
