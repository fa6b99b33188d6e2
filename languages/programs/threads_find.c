#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/objects.h"
#include "languages/programs/simplify.h"
#include "languages/programs/threads_inside.h"

// Which memory each thread may reach is found coarsely: an address is that of a global, of what one instruction made, or any that the
// program keeps somewhere other than in a slot that is stored to once.

#define MOST_STEPS 60      // from a value to what its address is made of
#define MOST_ACCESSES 6000 // that are compared in pairs

bool threads_is_marked(const struct instruction *i, enum opcode op, const char *mark)
{
    return i->op == op && i->text != NULL && strcmp(i->text, mark) == 0;
}

const struct instruction *threads_fork(const struct threads *t, uint32_t block)
{
    const struct block *b = &t->blocks[block];
    const struct instruction *end = b->count > 0 ? &b->instructions[b->count - 1] : NULL;
    return end != NULL && threads_is_marked(end, OP_SWITCH, THREADS_FORK) ? end : NULL;
}

const struct instruction *threads_definition(const struct threads *t, uint32_t value)
{
    if (t->where[value] == NO_VALUE)
        return NULL;
    return &t->blocks[t->where[value]].instructions[t->index[value]];
}

static struct thread_base base_of(const struct threads *t, const struct operand *o, uint32_t steps)
{
    struct thread_base out = {.kind = REACH_ANY};
    if (o->kind == OPERAND_ADDRESS)
        return (struct thread_base){REACH_GLOBAL, o->number, true, o->offset};
    if (o->kind != OPERAND_VALUE)
        return out;
    if (steps == 0)
        return (struct thread_base){.kind = REACH_UNKNOWN};
    const struct instruction *i = threads_definition(t, o->number);
    if (i == NULL)
        return out;
    switch (i->op) {
    case OP_ALLOCA:
        return (struct thread_base){REACH_MADE, i->result, true, 0};
    case OP_GEP:
        out = base_of(t, &i->operands[0], steps - 1);
        out.exact = out.exact && simplify_moves(t->flat, i, &out.offset);
        return out;
    case OP_BITCAST:
    case OP_FREEZE:
        return base_of(t, &i->operands[0], steps - 1);
    case OP_LOAD:
        if (i->operands[0].kind == OPERAND_VALUE && t->hoisted[i->operands[0].number] &&
            t->stored[i->operands[0].number].kind != OPERAND_UNKNOWN)
            return base_of(t, &t->stored[i->operands[0].number], steps - 1);
        return out;
    case OP_CALL:
        if (objects_is_allocator(flat_callee(t->flat, i)))
            return (struct thread_base){REACH_MADE, i->result, false, 0};
        return out;
    default:
        return out;
    }
}

struct thread_base threads_base(const struct threads *t, const struct operand *o)
{
    return base_of(t, o, MOST_STEPS);
}

bool threads_is_join(const struct flat *flat, const struct instruction *i)
{
    static const char *const names[] = {"pthread_join", "thrd_join", NULL};
    return i->op == OP_CALL && i->operand_count == 3 && text_is_one_of(flat_callee(flat, i), names);
}

bool threads_is_exit(const struct flat *flat, const struct instruction *i)
{
    static const char *const names[] = {"pthread_exit", "thrd_exit", NULL};
    return i->op == OP_CALL && i->operand_count == 2 && text_is_one_of(flat_callee(flat, i), names);
}

// Blocks, threads, loops.

static void add_successors(const struct threads *t, uint32_t block, uint32_t **list, size_t *count,
                           size_t *capacity, bool forks)
{
    const struct block *b = &t->blocks[block];
    size_t found = flat_successors(b, NULL, 0);
    if (!forks && threads_fork(t, block) != NULL)
        found = 1;
    while (*count + found > *capacity) {
        *capacity = 2 * *capacity + 16;
        *list = memory_realloc(*list, *capacity * sizeof **list);
    }
    flat_successors(b, *list + *count, found);
    *count += found;
}

// Depth first, from one thread's begin: blocks that an edge leads back to are heads.
static const char *walk_thread(struct threads *t, uint32_t thread)
{
    struct frame {
        uint32_t block;
        size_t next, end; // in `successors`
    };
    VECTOR(struct frame) stack = {0};
    uint32_t *successors = NULL;
    size_t count = 0, capacity = 0;
    uint8_t *open = memory_zalloc(t->block_count + 1);
    const char *refused = NULL;
    uint32_t enter = t->entries[thread];
    for (;;) {
        if (enter != NO_VALUE) {
            if (t->thread_of[enter] != NO_VALUE && t->thread_of[enter] != thread)
                refused = "a jump from one thread to another";
            t->thread_of[enter] = thread;
            open[enter] = 1;
            const size_t begin = count;
            add_successors(t, enter, &successors, &count, &capacity, false);
            VECTOR_PUSH(&stack, ((struct frame){enter, begin, count}));
            enter = NO_VALUE;
        }
        if (stack.count == 0 || refused != NULL)
            break;
        struct frame *top = &stack.data[stack.count - 1];
        if (top->next == top->end) {
            open[top->block] = 0;
            stack.count--;
            count = stack.count > 0 ? stack.data[stack.count - 1].end : 0;
            continue;
        }
        const uint32_t to = successors[top->next++];
        if (t->thread_of[to] == thread)
            t->head[to] = open[to] ? HEAD_ASKS : t->head[to];
        else
            enter = to;
    }
    VECTOR_FINISH(&stack);
    memory_free(successors);
    memory_free(open);
    return refused;
}

static const char *find_threads(struct threads *t)
{
    VECTOR(uint32_t) todo = {0};
    const char *refused = NULL;
    for (uint32_t k = 0; k < THREADS_MOST; k++)
        t->entries[k] = NO_VALUE; // of one whose begin is not reached
    t->entries[0] = 0;
    t->count = 1;
    VECTOR_PUSH(&todo, 0);
    while (todo.count > 0 && refused == NULL) {
        const uint32_t thread = todo.data[--todo.count];
        refused = walk_thread(t, thread);
        for (uint32_t b = 0; b < t->block_count && refused == NULL; b++) {
            const struct instruction *fork = threads_fork(t, b);
            if (t->thread_of[b] != thread || fork == NULL)
                continue;
            for (uint32_t k = 1; k < fork->number_count; k++) {
                const uint32_t begun = (uint32_t)fork->operands[k].bits;
                assert(begun < THREADS_MOST && t->entries[begun] == NO_VALUE);
                t->entries[begun] = (uint32_t)fork->numbers[k];
                t->count = begun >= t->count ? begun + 1 : t->count;
                VECTOR_PUSH(&todo, begun);
            }
        }
    }
    VECTOR_FINISH(&todo);
    return refused;
}

// Values.

static void resolve(struct threads *t)
{
    for (uint32_t b = 0; b < t->block_count; b++) {
        for (uint32_t k = 0; k < t->blocks[b].count; k++) {
            struct instruction *i = &t->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++)
                i->operands[n] = flat_resolve(t->flat, i->operands[n]);
            if (instruction_defines(i)) {
                t->where[i->result] = b;
                t->index[i->result] = k;
            }
        }
    }
}

static bool is_direct(const struct instruction *i, uint32_t operand)
{
    return (i->op == OP_LOAD && operand == 0) || (i->op == OP_STORE && operand == 1);
}

// Slots of one number that are loaded and stored, and whose address nothing else uses.
static void find_slots(struct threads *t)
{
    EACH_INSTRUCTION(t, b, k, i)
    {
        const bool word = i->extra <= 16 && (i->extra & (i->extra - 1)) == 0 && i->extra > 0;
        if (i->op == OP_ALLOCA && word && i->operands[0].kind == OPERAND_CONSTANT &&
            i->operands[0].bits == 1)
            t->hoisted[i->result] = true;
    }
    EACH_INSTRUCTION(t, b, k, i)
    {
        const bool lifetime =
            i->op == OP_CALL && text_begins_with(flat_callee(t->flat, i), "llvm.lifetime.");
        for (uint32_t n = 0; n < i->operand_count; n++) {
            const struct operand *o = &i->operands[n];
            if (o->kind == OPERAND_VALUE && t->hoisted[o->number] && !lifetime && !is_direct(i, n))
                t->hoisted[o->number] = false;
        }
    }
    uint8_t *stores = memory_zalloc(t->flat->value_count + 1);
    EACH_INSTRUCTION(t, b, k, i)
    {
        if (i->op != OP_STORE || i->operands[1].kind != OPERAND_VALUE ||
            !t->hoisted[i->operands[1].number])
            continue;
        const uint32_t slot = i->operands[1].number;
        if (stores[slot] < 2)
            stores[slot]++;
        t->stored[slot] =
            stores[slot] == 1 ? i->operands[0] : (struct operand){.kind = OPERAND_UNKNOWN};
    }
    memory_free(stores);
}

// The type of what a slot holds, where its life may begin again.
static void find_slot_types(struct threads *t)
{
    EACH_INSTRUCTION(t, b, k, i)
    {
        const struct operand *address = threads_address(i);
        if (address != NULL && address->kind == OPERAND_VALUE && t->hoisted[address->number] &&
            t->slot_type[address->number].kind == PROGRAM_VOID)
            t->slot_type[address->number] = i->type;
    }
    uint8_t *cyclic = memory_zalloc(t->block_count + 1);
    uint32_t *list = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t h = 0; h < t->block_count; h++) // whatever is reached from a head
        if (t->head[h] && !cyclic[h]) {
            cyclic[h] = 1;
            add_successors(t, h, &list, &count, &capacity, false);
            while (count > 0) {
                const uint32_t next = list[--count];
                if (cyclic[next])
                    continue;
                cyclic[next] = 1;
                add_successors(t, next, &list, &count, &capacity, false);
            }
        }
    EACH_INSTRUCTION(t, b, k, i)
    {
        // A thread may begin again.
        if (i->op == OP_ALLOCA && !cyclic[b] && t->thread_of[b] == 0)
            t->slot_type[i->result].kind = PROGRAM_VOID;
    }
    memory_free(cyclic);
    memory_free(list);
}

static void give_away(struct threads *t, const struct operand *o)
{
    const struct thread_base base = threads_base(t, o);
    if (base.kind == REACH_GLOBAL)
        t->global_given_away[base.number] = true;
    else if (base.kind == REACH_MADE)
        t->gives_away[base.number] = true;
    t->gives_all_away = t->gives_all_away || base.kind == REACH_UNKNOWN;
}

bool threads_is_given_away(const struct threads *t, const struct thread_base *base)
{
    switch (base->kind) {
    case REACH_GLOBAL:
        return t->gives_all_away || t->global_given_away[base->number];
    case REACH_MADE:
        return t->gives_all_away || t->gives_away[base->number];
    default:
        return true;
    }
}

static bool moves_memory(const char *callee)
{
    return text_begins_with(callee, "llvm.mem") || strcmp(callee, "memcpy") == 0 ||
           strcmp(callee, "memmove") == 0 || strcmp(callee, "memset") == 0 ||
           strcmp(callee, MOVES_CONTENTS) == 0;
}

// An address that is an operand here is not kept where another thread could find it.
static bool stays_here(const struct threads *t, const struct instruction *i, uint32_t operand)
{
    switch (i->op) {
    case OP_LOAD:
    case OP_COPY:
    case OP_ICMP:
    case OP_BITCAST:
    case OP_FREEZE:
    case OP_ALLOCA:
        return true;
    case OP_GEP:
        return operand == 0;
    case OP_STORE: {
        const struct operand *to = &i->operands[1];
        return operand == 1 || (to->kind == OPERAND_VALUE && t->hoisted[to->number] &&
                                t->stored[to->number].kind != OPERAND_UNKNOWN);
    }
    case OP_CALL: {
        const char *callee = flat_callee(t->flat, i);
        return operand == 0 || text_begins_with(callee, "llvm.lifetime.") ||
               strcmp(callee, "free") == 0 || (text_begins_with(callee, "llvm.mem") && operand < 3);
    }
    default:
        return false;
    }
}

static void find_given_away(struct threads *t)
{
    const struct program *program = t->flat->program;
    EACH_INSTRUCTION(t, b, k, i)
    {
        for (uint32_t n = 0; n < i->operand_count; n++) {
            const struct operand *o = &i->operands[n];
            if (!stays_here(t, i, n))
                give_away(t, o);
            t->have_own = t->have_own || (o->kind == OPERAND_ADDRESS && t->thread_of[b] != 0 &&
                                          program->globals[o->number].thread_local);
        }
    }
    for (size_t g = 0; g < program->global_count; g++)
        for (size_t d = 0; d < program->globals[g].data_count; d++)
            give_away(t, &program->globals[g].data[d].value);
}

// Accesses.

static struct thread_place place_of(const struct threads *t, const struct instruction *i,
                                    uint32_t operand, bool writes)
{
    return (struct thread_place){operand, threads_base(t, &i->operands[operand]), writes};
}

bool threads_changes_nothing(const char *callee)
{
    static const char *const starts[] = {
        "__VERIFIER_nondet", "llvm.lifetime.", "llvm.dbg.",  "llvm.assume",
        "llvm.is.",          "llvm.expect",    THREADS_SELF, "pthread_self",
        "llvm.fabs",         "llvm.umul",      "llvm.smul",  "llvm.sadd",
        "llvm.uadd",         "llvm.ssub",      "llvm.usub",  "llvm.ctpop"};
    for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++)
        if (text_begins_with(callee, starts[k]))
            return true;
    return objects_is_allocator(callee) || moves_memory(callee) || strcmp(callee, "free") == 0;
}

// What else is called may read what it is given the address of.
static void find_read_places(const struct threads *t, const struct instruction *i,
                             struct thread_access *out)
{
    for (uint32_t n = 1; n < i->operand_count; n++) {
        if (i->operands[n].type.kind != PROGRAM_POINTER || i->operands[n].kind == OPERAND_FIXED)
            continue;
        if (out->place_count == THREADS_PLACES)
            out->places[THREADS_PLACES - 1].base.kind = REACH_UNKNOWN; // stands for the others
        else
            out->places[out->place_count++] = place_of(t, i, n, false);
    }
}

bool threads_find_access(const struct threads *t, const struct instruction *i,
                         struct thread_access *out)
{
    *out = (struct thread_access){0};
    if (i->op == OP_LOAD || i->op == OP_STORE) {
        out->bytes = (uint64_t)i->numbers[0];
        out->atomic = i->number_count > 1;
        out->places[out->place_count++] = place_of(t, i, i->op == OP_STORE, i->op == OP_STORE);
    } else if (i->op == OP_COPY) {
        out->bytes = i->operands[2].kind == OPERAND_CONSTANT ? (uint64_t)i->operands[2].bits : 0;
        out->places[out->place_count++] = place_of(t, i, 0, true);
        out->places[out->place_count++] = place_of(t, i, 1, false);
    } else if (i->op == OP_CALL) {
        const char *callee = flat_callee(t->flat, i);
        const bool fills = text_begins_with(callee, "llvm.memset") || strcmp(callee, "memset") == 0;
        if (moves_memory(callee) && i->operand_count > 3) {
            out->bytes =
                i->operands[3].kind == OPERAND_CONSTANT ? (uint64_t)i->operands[3].bits : 0;
            out->places[out->place_count++] = place_of(t, i, 1, true);
            if (!fills)
                out->places[out->place_count++] = place_of(t, i, 2, false);
        } else if (strcmp(callee, "free") == 0 && i->operand_count > 1) {
            out->frees = true;
            out->places[out->place_count++] = place_of(t, i, 1, true);
        } else if (text_begins_with(callee, "llvm.lifetime.") && i->operand_count > 2) {
            out->frees = true;
            out->places[out->place_count++] = place_of(t, i, 2, true);
        } else if (threads_is_join(t->flat, i)) {
            // pthread_join may write a pointer, thrd_join a number.
            out->bytes = strcmp(callee, "thrd_join") == 0 ? 4 : t->flat->program->pointer_bits / 8;
            out->places[out->place_count++] = place_of(t, i, 2, true);
        } else if (!threads_changes_nothing(callee) && !threads_is_exit(t->flat, i)) {
            find_read_places(t, i, out);
        }
    }
    bool seen = false;
    for (uint32_t n = 0; n < out->place_count; n++)
        seen = seen || out->places[n].base.kind != REACH_MADE ||
               !t->hoisted[out->places[n].base.number];
    return seen;
}

bool threads_places_conflict(const struct threads *t, const struct thread_place *a,
                             const struct thread_place *b, uint64_t a_bytes, uint64_t b_bytes)
{
    if (!a->writes && !b->writes)
        return false;
    if (a->base.kind == REACH_UNKNOWN || b->base.kind == REACH_UNKNOWN)
        return true;
    if (a->base.kind == REACH_ANY || b->base.kind == REACH_ANY)
        return threads_is_given_away(t, &a->base) && threads_is_given_away(t, &b->base);
    if (a->base.kind != b->base.kind || a->base.number != b->base.number)
        return false;
    if (a->base.kind == REACH_GLOBAL && t->flat->program->globals[a->base.number].thread_local)
        return false; // each has its own
    if (!a->base.exact || !b->base.exact || a_bytes == 0 || b_bytes == 0)
        return true;
    return a->base.offset < b->base.offset + (int64_t)b_bytes &&
           b->base.offset < a->base.offset + (int64_t)a_bytes;
}

bool threads_may_conflict(const struct threads *t, const struct thread_access *a,
                          const struct thread_access *b)
{
    for (uint32_t m = 0; m < a->place_count; m++)
        for (uint32_t n = 0; n < b->place_count; n++)
            if (threads_places_conflict(t, &a->places[m], &b->places[n], a->bytes, b->bytes))
                return true;
    return false;
}

static const char *find_accesses(struct threads *t)
{
    for (uint32_t b = 0; b < t->block_count; b++) {
        for (uint32_t k = 0; t->thread_of[b] != NO_VALUE && k < t->blocks[b].count; k++) {
            struct thread_access access;
            if (!threads_find_access(t, &t->blocks[b].instructions[k], &access))
                continue;
            access.block = b;
            access.index = k;
            access.thread = t->thread_of[b];
            threads_note(t, b, k)->access = (uint32_t)t->accesses.count;
            VECTOR_PUSH(&t->accesses, access);
        }
    }
    if (t->accesses.count > MOST_ACCESSES)
        return "more accesses of threads to memory than are compared";
    t->orders = threads_find_orders(t);
    for (uint32_t a = 0; a < t->accesses.count; a++) {
        for (uint32_t b = 0; b < a; b++) {
            struct thread_access *one = &t->accesses.data[a], *two = &t->accesses.data[b];
            if ((one->seen && two->seen) || one->thread == two->thread ||
                !threads_may_conflict(t, one, two) || threads_keep_apart(t->orders, a, b))
                continue;
            one->seen = two->seen = true;
        }
    }
    for (uint32_t a = 0; a < t->accesses.count; a++) {
        const struct thread_access *access = &t->accesses.data[a];
        if (!access->seen)
            threads_note(t, access->block, access->index)->access = NO_VALUE;
    }
    return NULL;
}

// Backwards from the blocks with what conflicts.
static uint8_t *find_meetings(const struct threads *t, uint32_t number)
{
    const struct thread_access *access = &t->accesses.data[number];
    const size_t blocks = t->block_count;
    uint8_t *meets = memory_zalloc(blocks + 1);
    for (size_t a = 0; a < t->accesses.count; a++) {
        const struct thread_access *other = &t->accesses.data[a];
        if (other->seen && threads_may_conflict(t, access, other) &&
            !threads_keep_apart(t->orders, number, (uint32_t)a))
            meets[other->block] = 1;
    }
    uint32_t *next = NULL;
    size_t count = 0, capacity = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = blocks; b-- > 0;) {
            if (meets[b] || t->thread_of[b] == NO_VALUE)
                continue;
            count = 0;
            add_successors(t, (uint32_t)b, &next, &count, &capacity, true);
            for (size_t k = 0; k < count && !meets[b]; k++)
                meets[b] = meets[next[k]];
            changed = changed || meets[b];
        }
    }
    memory_free(next);
    return meets;
}

bool threads_access_meets(const struct threads *t, uint32_t number, uint32_t block)
{
    struct thread_access *access = &t->accesses.data[number];
    if (access->meets == NULL)
        access->meets = find_meetings(t, number);
    return access->meets[block];
}

// Pieces.

int threads_depth_change(const struct threads *t, const struct instruction *i)
{
    static const char *const begins[] = {"__VERIFIER_atomic_begin", "__ESBMC_atomic_begin",
                                         "__CPROVER_atomic_begin", NULL};
    static const char *const ends[] = {"__VERIFIER_atomic_end", "__ESBMC_atomic_end",
                                       "__CPROVER_atomic_end", NULL};
    static const char mark[] = "__VERIFIER_atomic_";
    if (i->op == OP_ENTER || i->op == OP_LEAVE) {
        const uint32_t function = t->flat->frames[i->frame].function;
        const char *name = t->flat->program->functions[function].name;
        const bool enter = i->op == OP_ENTER;
        // The program may have bodies for them, which do nothing.
        if (text_is_one_of(name, begins))
            return enter ? 1 : 0;
        if (text_is_one_of(name, ends))
            return enter ? 0 : -1;
        return !text_begins_with(name, mark) ? 0 : enter ? 1 : -1;
    }
    if (i->op == OP_CALL)
        return text_is_one_of(flat_callee(t->flat, i), begins) ? 1
               : text_is_one_of(flat_callee(t->flat, i), ends) ? -1
                                                               : 0;
    if ((i->op == OP_LOAD || i->op == OP_STORE) && i->number_count > 1 && i->numbers[1] == 2)
        return i->op == OP_LOAD ? 1 : -1;
    return 0;
}

static const char *find_depths(struct threads *t)
{
    static const char differs[] = "steps of threads that are not interrupted on some ways only";
    uint32_t *list = NULL;
    size_t count = 0, capacity = 0;
    const char *refused = NULL;
    for (uint32_t thread = 0; thread < t->count && refused == NULL; thread++) {
        VECTOR(uint32_t) todo = {0};
        if (t->entries[thread] == NO_VALUE)
            continue;
        t->depth[t->entries[thread]] = 0;
        VECTOR_PUSH(&todo, t->entries[thread]);
        while (todo.count > 0 && refused == NULL) {
            const uint32_t b = todo.data[--todo.count];
            int64_t depth = t->depth[b];
            for (size_t k = 0; k < t->blocks[b].count; k++) {
                depth += threads_depth_change(t, &t->blocks[b].instructions[k]);
                if (depth < 0)
                    refused = differs;
            }
            count = 0;
            add_successors(t, b, &list, &count, &capacity, false);
            for (size_t k = 0; k < count; k++) {
                if (t->depth[list[k]] == NO_VALUE) {
                    t->depth[list[k]] = (uint32_t)depth;
                    VECTOR_PUSH(&todo, list[k]);
                } else if (t->depth[list[k]] != (uint32_t)depth) {
                    refused = differs;
                }
            }
        }
        VECTOR_FINISH(&todo);
    }
    memory_free(list);
    return refused;
}

// Where the program's end begins in a block: main's variables stop to live there, and nobody goes on. NO_VALUE: it does not.
static uint32_t find_end(const struct threads *t, uint32_t block)
{
    const struct block *b = &t->blocks[block];
    uint32_t k = 0;
    while (k < b->count && (b->instructions[k].op != OP_LEAVE || b->instructions[k].frame != 0))
        k++;
    if (k == b->count)
        return NO_VALUE;
    while (k > 0 && b->instructions[k - 1].op == OP_CALL &&
           text_begins_with(flat_callee(t->flat, &b->instructions[k - 1]), "llvm.lifetime.end"))
        k--;
    return k;
}

static enum step step_of(const struct threads *t, uint32_t block, uint32_t index, uint32_t *access)
{
    const struct instruction *i = &t->blocks[block].instructions[index];
    *access = threads_note(t, block, index)->access;
    if (threads_depth_change(t, i) > 0 ||
        (i->op == OP_CALL && !threads_changes_nothing(flat_callee(t->flat, i))))
        return STEP_OTHER;
    return *access != NO_VALUE ? STEP_ACCESS : STEP_OWN;
}

// The step of a block that most depends on others.
static enum step most_open_step(const struct threads *t, uint32_t b)
{
    uint32_t depth = t->depth[b], access;
    enum step most = depth == 0 ? STEP_OWN : STEP_OTHER;
    for (uint32_t k = 0; k < t->blocks[b].count; k++) {
        const enum step step = step_of(t, b, k, &access);
        if (depth == 0 && step > most)
            most = step;
        depth += (uint32_t)threads_depth_change(t, &t->blocks[b].instructions[k]);
    }
    return most;
}

// Can this block be reached from the other one without those that are `barred`? `seen` is by block, with marks that are greater than before.
static bool leads_to(const struct threads *t, uint32_t from, uint32_t to, const bool *barred,
                     uint32_t *seen, uint32_t mark)
{
    uint32_t *list = NULL;
    size_t count = 0, capacity = 0;
    bool found = false;
    add_successors(t, from, &list, &count, &capacity, false);
    while (count > 0 && !found) {
        const uint32_t b = list[--count];
        found = b == to;
        if ((barred != NULL && barred[b]) || seen[b] == mark)
            continue;
        seen[b] = mark;
        add_successors(t, b, &list, &count, &capacity, false);
    }
    memory_free(list);
    return found;
}

// Is there a block on a way around the loop where others see something?
static bool is_silent(const struct threads *t, uint32_t head, const enum step *steps,
                      uint32_t *seen, uint32_t *mark)
{
    bool silent = steps[head] == STEP_OWN;
    for (uint32_t b = 0; b < t->block_count && silent; b++) {
        if (t->thread_of[b] != t->thread_of[head] || steps[b] == STEP_OWN)
            continue;
        silent = !leads_to(t, head, b, NULL, seen, ++*mark) ||
                 !leads_to(t, b, head, NULL, seen, ++*mark);
    }
    return silent;
}

// Where each way around a loop asks all threads anyway, its begin need not.
static void sort_heads(struct threads *t)
{
    bool *asks = memory_zalloc(t->block_count + 1);
    enum step *steps = memory_zalloc((t->block_count + 1) * sizeof *steps);
    uint32_t *seen = memory_zalloc((t->block_count + 1) * sizeof *seen), mark = 0;
    for (uint32_t b = 0; b < t->block_count; b++) {
        steps[b] = t->thread_of[b] != NO_VALUE ? most_open_step(t, b) : STEP_OWN;
        asks[b] = steps[b] == STEP_OTHER && t->depth[b] == 0;
    }
    for (uint32_t h = 0; h < t->block_count; h++) {
        if (t->head[h] == HEAD_NONE)
            continue;
        if (asks[h] || !leads_to(t, h, h, asks, seen, ++mark))
            t->head[h] = HEAD_NONE;
        else if (is_silent(t, h, steps, seen, &mark))
            t->head[h] = HEAD_SILENT;
    }
    memory_free(asks);
    memory_free(steps);
    memory_free(seen);
}

static void cut_block(struct threads *t, uint32_t b)
{
    uint32_t depth = t->depth[b];
    const uint32_t end = find_end(t, b);
    struct thread_piece piece = {
        .block = b, .access = NO_VALUE, .head = t->head[b] != HEAD_NONE && depth == 0};
    piece.silent = piece.head && t->head[b] == HEAD_SILENT;
    for (uint32_t k = 0; k < t->blocks[b].count; k++) {
        uint32_t access = NO_VALUE;
        const enum step step = k == end ? STEP_OTHER : step_of(t, b, k, &access);
        const bool joined = k > 0 && threads_is_join(t->flat, &t->blocks[b].instructions[k - 1]);
        if ((depth == 0 && step != STEP_OWN && k <= end) || joined) {
            piece.to = k;
            if (k > piece.from) {
                VECTOR_PUSH(&t->pieces, piece);
                piece = (struct thread_piece){.block = b, .from = k};
            }
            piece.step = depth == 0 && k <= end ? step : STEP_OWN;
            piece.access = access;
        }
        threads_note(t, b, k)->piece = (uint32_t)t->pieces.count;
        depth += (uint32_t)threads_depth_change(t, &t->blocks[b].instructions[k]);
    }
    piece.to = (uint32_t)t->blocks[b].count;
    VECTOR_PUSH(&t->pieces, piece);
}

static void find_spilled(struct threads *t)
{
    EACH_INSTRUCTION(t, b, k, i)
    {
        for (uint32_t n = 0; n < i->operand_count; n++) {
            const struct operand *o = &i->operands[n];
            if (o->kind != OPERAND_VALUE || t->hoisted[o->number] ||
                t->where[o->number] == NO_VALUE)
                continue;
            const uint32_t made = threads_note(t, t->where[o->number], t->index[o->number])->piece;
            const uint32_t from = i->op == OP_PHI ? (uint32_t)i->numbers[n] : b;
            const uint32_t used =
                threads_note(t, from, i->op == OP_PHI ? (uint32_t)t->blocks[from].count - 1 : k)
                    ->piece;
            // The address of an access is looked at while others run.
            if (made != used)
                t->spilled[o->number] = true;
        }
    }
    EACH_INSTRUCTION(t, b, k, i)
    {
        if (i->op == OP_PHI)
            t->spilled[i->result] = false; // edges store it
    }
}

const char *threads_find(struct threads *t, struct flat *flat, bool counts)
{
    const size_t blocks = flat->block_count + 1, values = flat->value_count + 1;
    *t = (struct threads){.flat = flat, .blocks = flat->blocks};
    t->block_count = (uint32_t)flat->block_count;
    t->thread_of = memory_alloc(blocks * sizeof *t->thread_of);
    t->depth = memory_alloc(blocks * sizeof *t->depth);
    for (size_t b = 0; b < blocks; b++)
        t->thread_of[b] = t->depth[b] = NO_VALUE;
    t->head = memory_zalloc(blocks);
    const char *refused = find_threads(t);
    if (refused != NULL || t->count < 2)
        return refused;
    t->first_note = memory_zalloc(blocks * sizeof *t->first_note);
    uint32_t instructions = 0;
    for (uint32_t b = 0; b < t->block_count; b++) {
        t->first_note[b] = instructions;
        instructions += (uint32_t)t->blocks[b].count;
    }
    t->note_count = instructions;
    t->notes = memory_zalloc((instructions + 1) * sizeof *t->notes);
    for (uint32_t k = 0; k < instructions; k++)
        t->notes[k].access = NO_VALUE;
    t->where = memory_alloc(values * sizeof *t->where);
    t->index = memory_zalloc(values * sizeof *t->index);
    t->hoisted = memory_zalloc(values * sizeof *t->hoisted);
    t->gives_away = memory_zalloc(values * sizeof *t->gives_away);
    t->spilled = memory_zalloc(values * sizeof *t->spilled);
    t->stored = memory_zalloc(values * sizeof *t->stored);
    t->slot_type = memory_zalloc(values * sizeof *t->slot_type);
    t->global_given_away =
        memory_zalloc((flat->program->global_count + 1) * sizeof *t->global_given_away);
    for (size_t v = 0; v < values; v++) {
        t->where[v] = NO_VALUE;
        t->stored[v].kind = OPERAND_UNKNOWN;
    }
    resolve(t);
    find_slots(t);
    find_slot_types(t);
    find_given_away(t);
    if ((refused = find_depths(t)) != NULL || (refused = find_accesses(t)) != NULL)
        return refused;
    if (counts)
        threads_find_counters(t);
    sort_heads(t);
    for (uint32_t b = 0; b < t->block_count; b++)
        if (t->thread_of[b] != NO_VALUE)
            cut_block(t, b);
    find_spilled(t);
    return NULL;
}

void threads_finish(struct threads *t)
{
    threads_finish_orders(t->orders);
    for (size_t a = 0; a < t->accesses.count; a++)
        memory_free(t->accesses.data[a].meets);
    VECTOR_FINISH(&t->accesses);
    VECTOR_FINISH(&t->pieces);
    memory_free(t->thread_of);
    memory_free(t->first_note);
    memory_free(t->notes);
    memory_free(t->head);
    memory_free(t->depth);
    memory_free(t->where);
    memory_free(t->index);
    memory_free(t->hoisted);
    memory_free(t->gives_away);
    memory_free(t->spilled);
    memory_free(t->stored);
    memory_free(t->slot_type);
    memory_free(t->global_given_away);
}
