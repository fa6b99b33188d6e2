#include <string.h>

#include "base/memory.h"
#include "languages/programs/flat_inside.h"
#include "languages/programs/threads.h"

// Where threads begin.

// A thread begins; its body is copied when all of what leads there is.
bool inliner_fork(struct inliner *in, const struct instruction *call, uint32_t *at)
{
    if (strcmp(inliner_callee(in, call), "pthread_create") != 0 || call->operand_count != 5 ||
        call->operands[0].kind != OPERAND_FUNCTION ||
        in->program->functions[call->operands[0].number].defined)
        return false;
    const struct program_type number = {PROGRAM_INTEGER, in->program->pointer_bits};
    const struct operand any = {.kind = OPERAND_UNDEFINED, .type = number};
    const struct operand both[2] = {any, call->operands[1]};
    const struct instruction store = {.op = OP_STORE,
                                      .type = number,
                                      .frame = call->frame,
                                      .at = call->at,
                                      .text = THREADS_NUMBER};
    inliner_operation(in, *at, store, both, 2, in->program->pointer_bits / 8);
    const uint32_t next = inliner_block(in);
    VECTOR_PUSH(&in->forks, ((struct fork){*at, next, *call, in->original}));
    if (call->type.kind == PROGRAM_INTEGER) // it never fails
        in->flat->alias[call->result] = inliner_number(call->type.bits, 0);
    *at = next;
    return true;
}

// What the body of a thread returns: a pointer, but C11's return a number, and in some programs functions of other types are made threads.
static struct program_type result_of_body(const struct inliner *in, const struct operand *body)
{
    const struct program_type pointer = {PROGRAM_POINTER, 0};
    if (body->kind != OPERAND_FUNCTION)
        return pointer;
    const struct program_type result = in->program->functions[body->number].result;
    const bool number = result.kind == PROGRAM_INTEGER && result.bits <= in->program->pointer_bits;
    return number || result.kind == PROGRAM_VOID ? result : pointer;
}

// A number as a pointer, in a register whose upper bits are 0.
static struct operand as_pointer(struct inliner *in, const struct instruction *call, uint32_t at,
                                 struct operand value)
{
    const struct program_type pointer = {PROGRAM_POINTER, 0},
                              word = {PROGRAM_INTEGER, in->program->pointer_bits};
    if (value.type.kind != PROGRAM_INTEGER)
        return value;
    if (value.type.bits < word.bits)
        value = inliner_unary(in, call, at, OP_ZEXT, word, value);
    return inliner_unary(in, call, at, OP_INTTOPTR, pointer, value);
}

// The body of a thread, with values of its own for what it is called with.
static uint32_t copy_thread(struct inliner *in, const struct fork *fork)
{
    const struct program_type pointer = {PROGRAM_POINTER, 0},
                              result = result_of_body(in, &fork->call.operands[3]);
    const uint32_t entry = inliner_block(in);
    struct instruction call = {.op = OP_CALL, .type = result, .frame = fork->call.frame};
    call.at = fork->call.at;
    call.operand_count = 2;
    call.number_count = 1;
    call.operands = inliner_operands(in, 2);
    call.numbers = inliner_numbers(in, 1);
    call.operands[0] = fork->call.operands[3];
    if (call.operands[0].kind == OPERAND_VALUE)
        call.operands[0] = inliner_unary(in, &call, entry, OP_BITCAST, pointer, call.operands[0]);
    call.operands[1] = inliner_unary(in, &call, entry, OP_BITCAST, pointer, fork->call.operands[4]);
    call.result = inliner_values(in, 1);
    uint32_t at = entry;
    in->caller = &in->program->functions[in->flat->frames[call.frame].function];
    in->original = fork->original;
    inliner_call(in, &call, &at);
    struct instruction end = {.op = OP_RETURN, .frame = call.frame, .at = call.at};
    end.text = THREADS_END;
    if (result.kind != PROGRAM_VOID) {
        const struct operand returned = {OPERAND_VALUE, result, call.result, 0, 0};
        end.operand_count = result.kind == PROGRAM_INTEGER ? 2 : 1;
        end.operands = inliner_operands(in, 2);
        end.operands[0] = as_pointer(in, &call, at, returned);
        end.operands[1] = returned;
    }
    inliner_push(in, at, &end);
    return entry;
}

// The threads with these entries are the last ones.
static void push_fork(struct inliner *in, const struct fork *fork, const uint32_t *entries,
                      uint32_t count)
{
    const struct program_type word = {PROGRAM_INTEGER, 32};
    const struct operand any = {.kind = OPERAND_UNDEFINED, .type = word};
    struct instruction choice = {.op = OP_SWITCH, .at = fork->call.at, .frame = fork->call.frame};
    choice.text = THREADS_FORK;
    choice.operand_count = choice.number_count = count + 1;
    choice.operands = inliner_operands(in, choice.operand_count);
    choice.numbers = inliner_numbers(in, choice.number_count);
    choice.operands[0] = inliner_unary(in, &fork->call, fork->block, OP_FREEZE, word, any);
    struct block *block = &in->flat->blocks[fork->block];
    block->instructions[block->count - 1].text = THREADS_FORK;
    choice.numbers[0] = fork->next;
    for (uint32_t k = 0; k < count; k++) {
        choice.operands[k + 1] = inliner_number(32, in->threads - count + 1 + k);
        choice.numbers[k + 1] = entries[k];
    }
    inliner_push(in, fork->block, &choice);
}

// Bodies of threads may begin threads.
void inliner_end_forks(struct inliner *in)
{
    uint32_t entries[THREADS_MOST];
    for (size_t done = 0; done < in->forks.count && !in->too_large;) {
        for (size_t k = done; k < in->forks.count; k++)
            inliner_jump(in, in->forks.data[k].block, in->forks.data[k].next,
                         &in->forks.data[k].call);
        if (done == 0)
            inliner_copy_fork_loops(in);
        const size_t found = in->forks.count;
        for (; done < found && !in->too_large; done++) {
            const struct fork fork = in->forks.data[done];
            const bool again = inliner_find_loop(in, fork.block, NULL);
            const uint32_t count = again ? in->instances : 1;
            in->fork_in_loop = in->fork_in_loop || again;
            in->threads += count;
            if (in->threads >= THREADS_MOST) {
                in->too_large = true;
                return;
            }
            for (uint32_t k = 0; k < count; k++) {
                in->thread = in->threads - count + 1 + k;
                entries[k] = copy_thread(in, &fork);
            }
            in->flat->blocks[fork.block].count--; // the jump
            push_fork(in, &fork, entries, count);
        }
    }
}

// Of the only one, the first.
void inliner_number_thread(struct inliner *in)
{
    struct flat *f = in->flat;
    if (program_find_function(in->program, THREADS_SELF) == NULL)
        return;
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            struct instruction *i = &f->blocks[b].instructions[k];
            if (i->op != OP_CALL || strcmp(flat_callee(f, i), THREADS_SELF) != 0)
                continue;
            i->op = OP_FREEZE;
            i->number_count = 0;
            i->operands[0] = inliner_number(i->type.bits, 1);
        }
    }
}
