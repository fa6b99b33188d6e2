#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "languages/programs/flat_inside.h"
#include "languages/programs/places.h"
#include "languages/programs/simplify.h"
#include "languages/programs/threads.h"

// Loops in which threads begin or are joined, a number of times that is known, become so many copies of their bodies: each thread then has a
// place of its own where it begins, and where its number, its argument and what it may reach are kept. Of loops that a counter goes through
// until something that is not known only the first rounds are copied, and the path ends there.

#define NO_BLOCK UINT32_MAX
#define MOST_LOOPS 40
#define MOST_COPIED 20000 // instructions
#define MOST_BEFORE 8     // blocks in one line, from where the counter is set to its loop

struct counted {
    uint8_t *inside; // by block
    uint32_t header, latch, before;
    uint32_t slot;
    struct operand value;                 // of the counter, in the round that is looked at
    const struct instruction *step, *end; // ADD or SUB; the comparison
    bool on_left, leaves; // the counter is compared with something; it leaves where that holds
    bool open;            // that is no constant
};

static struct operand resolved(const struct inliner *in, const struct instruction *i, uint32_t k)
{
    return flat_resolve(in->flat, i->operands[k]);
}

static const struct instruction *end_of(const struct inliner *in, uint32_t block)
{
    const struct block *b = &in->flat->blocks[block];
    return b->count == 0 ? NULL : &b->instructions[b->count - 1];
}

static bool leads_to(const struct inliner *in, uint32_t from, uint32_t to)
{
    const struct instruction *end = end_of(in, from);
    const size_t count = flat_successors(&in->flat->blocks[from], NULL, 0);
    for (size_t k = 0; k < count; k++)
        if ((uint32_t)end->numbers[k] == to)
            return true;
    return false;
}

bool inliner_find_loop(const struct inliner *in, uint32_t block, uint8_t *inside)
{
    const size_t blocks = in->flat->block_count;
    uint8_t *reached = memory_zalloc(blocks + 1);
    uint32_t *stack = memory_alloc((blocks + 1) * sizeof *stack);
    size_t count = 0;
    stack[count++] = block;
    bool back = false;
    while (count > 0) {
        const uint32_t b = stack[--count];
        const size_t next = flat_successors(&in->flat->blocks[b], NULL, 0);
        for (size_t k = 0; k < next; k++) {
            const uint32_t to = (uint32_t)end_of(in, b)->numbers[k];
            back = back || to == block;
            if (!reached[to])
                stack[count++] = to;
            reached[to] = 1;
        }
    }
    if (inside != NULL) {
        memset(inside, 0, blocks + 1);
        inside[block] = 1;
    }
    for (bool changed = back && inside != NULL; changed;) {
        changed = false;
        for (uint32_t b = 0; b < blocks; b++) {
            const size_t next = flat_successors(&in->flat->blocks[b], NULL, 0);
            bool leads = false;
            for (size_t k = 0; k < next && reached[b] && !inside[b]; k++)
                leads = leads || inside[end_of(in, b)->numbers[k]];
            inside[b] |= leads;
            changed = changed || leads;
        }
    }
    memory_free(reached);
    memory_free(stack);
    return back;
}

// One block that is entered, from one block; and one that leads back to it.
static bool find_ends(const struct inliner *in, struct counted *loop)
{
    loop->header = loop->latch = loop->before = NO_BLOCK;
    for (uint32_t b = 0; b < in->flat->block_count; b++) {
        const size_t next = flat_successors(&in->flat->blocks[b], NULL, 0);
        for (size_t k = 0; k < next && !loop->inside[b]; k++) {
            const uint32_t to = (uint32_t)end_of(in, b)->numbers[k];
            if (!loop->inside[to])
                continue;
            if (loop->before != NO_BLOCK)
                return false;
            loop->header = to;
            loop->before = b;
        }
    }
    for (uint32_t b = 0; b < in->flat->block_count && loop->header != NO_BLOCK; b++) {
        if (!loop->inside[b] || !leads_to(in, b, loop->header))
            continue;
        if (loop->latch != NO_BLOCK || end_of(in, b)->op != OP_BRANCH ||
            end_of(in, b)->operand_count != 0)
            return false;
        loop->latch = b;
    }
    return loop->latch != NO_BLOCK;
}

// The instruction of the block that computes it; NULL: none does.
static const struct instruction *computed_in(const struct inliner *in, uint32_t block,
                                             const struct operand *o)
{
    const struct block *b = &in->flat->blocks[block];
    for (uint32_t k = 0; k < b->count && o->kind == OPERAND_VALUE; k++)
        if (instruction_defines(&b->instructions[k]) && b->instructions[k].result == o->number)
            return &b->instructions[k];
    return NULL;
}

// Does the operand load the slot in this block?
static bool loads(const struct inliner *in, uint32_t block, const struct operand *o, uint32_t *slot)
{
    const struct instruction *load = computed_in(in, block, o);
    if (load == NULL || load->op != OP_LOAD || load->extra != 0 ||
        load->type.kind != PROGRAM_INTEGER)
        return false;
    const struct operand address = resolved(in, load, 0);
    *slot = address.number;
    return address.kind == OPERAND_VALUE;
}

// The header compares a slot, perhaps with a constant, and one side of that is the way out.
static bool find_comparison(const struct inliner *in, struct counted *loop)
{
    const struct instruction *branch = end_of(in, loop->header);
    if (branch->op != OP_BRANCH || branch->operand_count == 0)
        return false;
    const struct operand condition = resolved(in, branch, 0);
    loop->end = computed_in(in, loop->header, &condition);
    if (loop->end == NULL || loop->end->op != OP_ICMP)
        return false;
    const struct operand a = resolved(in, loop->end, 0), b = resolved(in, loop->end, 1);
    loop->open = a.kind != OPERAND_CONSTANT && b.kind != OPERAND_CONSTANT;
    loop->on_left = b.kind == OPERAND_CONSTANT || loop->open;
    const bool yes = loop->inside[branch->numbers[0]], no = loop->inside[branch->numbers[1]];
    loop->leaves = no;
    return yes != no && loads(in, loop->header, loop->on_left ? &a : &b, &loop->slot);
}

// All uses of the slot are loads and stores of one type, and begins and ends of its life around the loop; inside of the loop one store, at its end, of what it held and a constant.
static bool find_step(const struct inliner *in, struct counted *loop)
{
    loop->step = NULL;
    uint32_t stores = 0;
    for (size_t f = 0; f < in->forks.count; f++)
        for (uint32_t k = 0; k < in->forks.data[f].call.operand_count; k++) {
            const struct operand o = resolved(in, &in->forks.data[f].call, k);
            if (o.kind == OPERAND_VALUE && o.number == loop->slot)
                return false;
        }
    for (uint32_t b = 0; b < in->flat->block_count; b++) {
        for (uint32_t k = 0; k < in->flat->blocks[b].count; k++) {
            const struct instruction *i = &in->flat->blocks[b].instructions[k];
            const bool made = i->op == OP_ALLOCA && i->result == loop->slot;
            if (made && loop->inside[b])
                return false;
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand o = resolved(in, i, n);
                if (o.kind != OPERAND_VALUE || o.number != loop->slot ||
                    (flat_is_lifetime(in->flat, i) && !loop->inside[b]))
                    continue;
                const bool direct =
                    ((i->op == OP_LOAD && n == 0) || (i->op == OP_STORE && n == 1)) &&
                    i->extra == 0;
                if (!direct || !program_same_type(i->type, loop->end->operands[0].type))
                    return false;
                if (i->op == OP_LOAD || !loop->inside[b])
                    continue;
                const struct operand stored = resolved(in, i, 0);
                loop->step = computed_in(in, b, &stored);
                if (b != loop->latch || ++stores > 1)
                    return false;
            }
        }
    }
    if (loop->step == NULL || (loop->step->op != OP_ADD && loop->step->op != OP_SUB))
        return false;
    const struct operand a = resolved(in, loop->step, 0), b = resolved(in, loop->step, 1);
    uint32_t slot;
    return b.kind == OPERAND_CONSTANT && loads(in, loop->latch, &a, &slot) && slot == loop->slot;
}

// What it holds when the loop is entered, where that is a constant.
static bool find_begin(const struct inliner *in, struct counted *loop)
{
    uint32_t block = loop->before;
    for (uint32_t steps = 0; steps < MOST_BEFORE; steps++) {
        const struct block *b = &in->flat->blocks[block];
        for (size_t k = b->count; k-- > 0;) {
            const struct instruction *i = &b->instructions[k];
            const struct operand to =
                i->op == OP_STORE ? resolved(in, i, 1) : (struct operand){.kind = OPERAND_UNKNOWN};
            if (to.kind != OPERAND_VALUE || to.number != loop->slot)
                continue;
            loop->value = resolved(in, i, 0);
            return loop->value.kind == OPERAND_CONSTANT;
        }
        uint32_t before = NO_BLOCK;
        for (uint32_t p = 0; p < in->flat->block_count; p++) {
            if (!leads_to(in, p, block))
                continue;
            if (before != NO_BLOCK)
                return false;
            before = p;
        }
        if (before == NO_BLOCK)
            return false;
        block = before;
    }
    return false;
}

static bool goes_on(const struct inliner *in, const struct counted *loop, bool *out)
{
    const struct operand a = loop->on_left ? loop->value : resolved(in, loop->end, 0),
                         b = loop->on_left ? resolved(in, loop->end, 1) : loop->value;
    struct operand holds;
    if (!simplify_numbers(loop->end, &a, &b, &holds))
        return false;
    *out = (holds.bits != 0) == loop->leaves ? false : true;
    return true;
}

static bool next_value(const struct inliner *in, const struct counted *loop, struct operand *out)
{
    const struct operand by = resolved(in, loop->step, 1);
    return simplify_numbers(loop->step, &loop->value, &by, out);
}

// How many rounds of it are copied; 0: none.
static uint32_t count_rounds(const struct inliner *in, struct counted loop)
{
    const uint32_t most = in->instances;
    uint32_t rounds = 0;
    bool on;
    if (loop.open)
        return most < THREADS_FEW ? most : THREADS_FEW;
    while (goes_on(in, &loop, &on) && on) {
        if (++rounds > most || !next_value(in, &loop, &loop.value))
            return 0;
    }
    return goes_on(in, &loop, &on) ? rounds : 0;
}

// Nothing behind it uses what is computed inside, no block behind asks where control comes from, and it is small enough.
static bool can_be_copied(const struct inliner *in, const struct counted *loop, uint32_t rounds)
{
    const struct flat *f = in->flat;
    uint8_t *made = memory_zalloc(f->value_count + 1);
    size_t size = 0;
    bool good = true;
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (uint32_t k = 0; loop->inside[b] && k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (instruction_defines(i))
                made[i->result] = 1;
            good = good && (b != loop->header || i->op != OP_PHI);
            size++;
        }
    }
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (uint32_t k = 0; !loop->inside[b] && k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand o = resolved(in, i, n);
                good = good && (o.kind != OPERAND_VALUE || !made[o.number]) &&
                       (i->op != OP_PHI || !loop->inside[i->numbers[n]]);
            }
        }
    }
    for (size_t k = 0; k < in->forks.count; k++) {
        const struct fork *fork = &in->forks.data[k];
        for (uint32_t n = 0; n < fork->call.operand_count && !loop->inside[fork->block]; n++) {
            const struct operand o = resolved(in, &fork->call, n);
            good = good && (o.kind != OPERAND_VALUE || !made[o.number]);
        }
    }
    memory_free(made);
    return good && size * (rounds + 1) <= MOST_COPIED;
}

struct copied {
    const struct counted *loop;
    uint32_t *block; // by block inside: of the round that is made, and of the next one the header
    uint32_t *value; // by value of before: in this round
    uint32_t blocks, values, next_header; // so many were there before
};

static struct operand renamed_operand(const struct inliner *in, const struct copied *c,
                                      struct operand o)
{
    o = flat_resolve(in->flat, o);
    if (o.kind == OPERAND_VALUE && o.number < c->values && c->value[o.number] != NO_BLOCK)
        o.number = c->value[o.number];
    return flat_resolve(in->flat, o); // the counter's value is known
}

static struct instruction renamed_instruction(struct inliner *in, const struct copied *c,
                                              const struct instruction *source)
{
    struct instruction i = *source;
    i.operands = inliner_operands(in, i.operand_count);
    for (uint32_t k = 0; k < i.operand_count; k++)
        i.operands[k] = renamed_operand(in, c, source->operands[k]);
    i.numbers = inliner_numbers(in, i.number_count);
    memcpy(i.numbers, source->numbers, i.number_count * sizeof *i.numbers);
    const uint32_t targets = i.op == OP_SWITCH || i.op == OP_PHI ? i.number_count
                             : i.op == OP_BRANCH                 ? i.operand_count + 1
                                                                 : 0;
    for (uint32_t k = 0; k < targets; k++) {
        const uint32_t to = (uint32_t)source->numbers[k];
        if (c->loop->inside[to])
            i.numbers[k] = i.op != OP_PHI && to == c->loop->header ? c->next_header : c->block[to];
    }
    if (instruction_defines(&i) && c->value[i.result] != NO_BLOCK)
        i.result = c->value[i.result];
    return i;
}

// In the last round only the header is left; where a loop that is open goes on the path is cut.
static void copy_round(struct inliner *in, struct copied *c, bool last)
{
    const struct counted *loop = c->loop;
    const uint32_t blocks = c->blocks;
    for (uint32_t b = 0; b < blocks; b++) {
        for (uint32_t k = 0; loop->inside[b] && k < in->flat->blocks[b].count; k++) {
            const struct instruction source = in->flat->blocks[b].instructions[k];
            if (!instruction_defines(&source))
                continue;
            c->value[source.result] = inliner_values(in, 1);
            if (source.op != OP_LOAD)
                continue;
            const struct operand address = flat_resolve(in->flat, source.operands[0]);
            if (address.kind == OPERAND_VALUE && address.number == loop->slot)
                in->flat->alias[c->value[source.result]] = loop->value;
        }
    }
    for (uint32_t b = 0; b < blocks; b++) {
        if (!loop->inside[b] || (last && b != loop->header))
            continue;
        for (uint32_t k = 0; k < in->flat->blocks[b].count; k++) {
            const struct instruction source = in->flat->blocks[b].instructions[k];
            struct instruction i = renamed_instruction(in, c, &source);
            const struct operand known = instruction_defines(&i)
                                             ? in->flat->alias[i.result]
                                             : (struct operand){.kind = OPERAND_UNKNOWN};
            if (known.kind != OPERAND_UNKNOWN)
                continue;
            if (b == loop->header && i.op == OP_BRANCH && loop->open && last) {
                const struct instruction cut = {
                    .op = OP_CUT, .frame = i.frame, .at = i.at, .text = THREADS_MORE_WORDS};
                inliner_push(in, (uint32_t)i.numbers[loop->inside[source.numbers[0]] ? 0 : 1],
                             &cut);
            } else if (b == loop->header && i.op == OP_BRANCH && !loop->open) {
                const bool first = loop->inside[source.numbers[0]] != last;
                inliner_jump(in, c->block[b], (uint32_t)i.numbers[first ? 0 : 1], &source);
                continue;
            }
            inliner_push(in, c->block[b], &i);
        }
    }
    for (size_t k = 0, count = in->forks.count; k < count && !last; k++) {
        const struct fork fork = in->forks.data[k];
        if (fork.block >= blocks || !loop->inside[fork.block])
            continue;
        const uint32_t next = !loop->inside[fork.next] ? fork.next : c->block[fork.next];
        assert(fork.next != loop->header); // a block of its own
        VECTOR_PUSH(&in->forks,
                    ((struct fork){c->block[fork.block], next,
                                   renamed_instruction(in, c, &fork.call), fork.original}));
    }
}

static void copy_rounds(struct inliner *in, struct counted *loop, uint32_t rounds)
{
    const uint32_t blocks = (uint32_t)in->flat->block_count;
    struct copied c = {.loop = loop, .blocks = blocks, .values = (uint32_t)in->flat->value_count};
    c.block = memory_alloc((blocks + 1) * sizeof *c.block);
    c.value = memory_alloc((c.values + 1) * sizeof *c.value);
    for (uint32_t v = 0; v < c.values; v++)
        c.value[v] = NO_BLOCK;
    assert(rounds > 0 && loop->inside[loop->header] && !loop->inside[loop->before]);
    const uint32_t first = inliner_block(in);
    c.next_header = first;
    for (uint32_t round = 0; round <= rounds; round++) {
        for (uint32_t b = 0; b < blocks; b++)
            if (loop->inside[b])
                c.block[b] = b == loop->header ? c.next_header : inliner_block(in);
        c.next_header = inliner_block(in);
        copy_round(in, &c, round == rounds);
        const bool counted = round == rounds || next_value(in, loop, &loop->value);
        ENSURE(counted);
    }
    struct instruction *enter =
        &in->flat->blocks[loop->before].instructions[in->flat->blocks[loop->before].count - 1];
    const size_t ways = flat_successors(&in->flat->blocks[loop->before], NULL, 0);
    for (size_t k = 0; k < ways; k++)
        if ((uint32_t)enter->numbers[k] == loop->header)
            enter->numbers[k] = first;
    size_t kept = 0;
    for (size_t k = 0; k < in->forks.count; k++) {
        struct fork fork = in->forks.data[k];
        if (fork.block < blocks && loop->inside[fork.block])
            continue;
        if (fork.next == loop->header)
            fork.next = first;
        in->forks.data[kept++] = fork;
    }
    in->forks.count = kept;
    for (uint32_t b = 0; b < blocks; b++)
        if (loop->inside[b])
            in->flat->blocks[b].count = 0;
    memory_free(c.block);
    memory_free(c.value);
}

static bool joins(const struct inliner *in, uint32_t block)
{
    const struct block *b = &in->flat->blocks[block];
    for (uint32_t k = 0; k < b->count; k++)
        if (threads_is_join(in->flat, &b->instructions[k]))
            return true;
    return false;
}

// Then one thread at a time may be there, and it begins again.
static bool begins_and_joins(const struct inliner *in, const struct counted *loop)
{
    bool begins = false, any = false;
    for (size_t k = 0; k < in->forks.count; k++)
        begins = begins || loop->inside[in->forks.data[k].block];
    for (uint32_t b = 0; b < in->flat->block_count; b++)
        any = any || (loop->inside[b] && joins(in, b));
    return begins && any;
}

// A loop around this block; true: it was copied.
static bool copy_loop(struct inliner *in, uint32_t block)
{
    struct counted loop = {.inside = memory_zalloc(in->flat->block_count + 1)};
    bool done = inliner_find_loop(in, block, loop.inside) && find_ends(in, &loop) &&
                find_comparison(in, &loop) && find_step(in, &loop) && find_begin(in, &loop);
    const bool follows = done && loop.open && !begins_and_joins(in, &loop);
    in->open_loops = in->open_loops || follows;
    done = done && (!loop.open || (follows && in->copies_open));
    const uint32_t rounds = done ? count_rounds(in, loop) : 0;
    done = rounds > 0 && can_be_copied(in, &loop, rounds);
    if (done)
        copy_rounds(in, &loop, rounds);
    in->fork_in_loop = in->fork_in_loop || (done && loop.open);
    memory_free(loop.inside);
    return done;
}

void inliner_copy_fork_loops(struct inliner *in)
{
    if (in->far_jumps.count > 0 || in->marks.count > 0)
        return; // these name blocks
    uint32_t copied = 0;
    for (size_t k = 0; k < in->forks.count && copied < MOST_LOOPS && !in->too_large;) {
        const bool done = copy_loop(in, in->forks.data[k].block);
        copied += done;
        k = done ? 0 : k + 1; // others are at this place now
    }
    const uint32_t blocks = (uint32_t)in->flat->block_count;
    for (uint32_t b = 0; b < blocks && copied < MOST_LOOPS && !in->too_large; b++)
        if (joins(in, b))
            copied += copy_loop(in, b);
}
