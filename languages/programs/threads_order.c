#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/programs/threads_inside.h"
#include "languages/programs/translate.h"

// Which accesses of two threads are never next at the same time: where one thread has not begun or is joined, or where both hold the same
// lock (locksets: Savage et al. 1997). What is not known here is not ordered.

#define MOST_LOCKS 64
#define OWN_PREFIX "__regatta_" // of a function of the library that another one of it calls

enum role {
    ROLE_TAKE,  // the lock is held behind it
    ROLE_SHARE, // by readers
    ROLE_GIVE,
    ROLE_WAIT, // it is given and taken
    ROLE_MAKE,
    ROLE_OTHER, // whatever it does to locks
};

// Of a lock, where pointers have 32 bits and 64.
struct extent {
    uint32_t bytes[2];
};
#define MUTEX                                                                                      \
    {                                                                                              \
        {                                                                                          \
            24, 40                                                                                 \
        }                                                                                          \
    }
#define RWLOCK                                                                                     \
    {                                                                                              \
        {                                                                                          \
            32, 56                                                                                 \
        }                                                                                          \
    }
#define SPIN                                                                                       \
    {                                                                                              \
        {                                                                                          \
            4, 4                                                                                   \
        }                                                                                          \
    }

static const struct lock_function {
    const char *name;
    enum role role;
    uint32_t lock; // the parameter
    struct extent extent;
} lock_functions[] = {
    {"pthread_mutex_lock", ROLE_TAKE, 0, MUTEX},
    {"pthread_mutex_unlock", ROLE_GIVE, 0, MUTEX},
    {"pthread_spin_lock", ROLE_TAKE, 0, SPIN},
    {"pthread_spin_unlock", ROLE_GIVE, 0, SPIN},
    {"pthread_rwlock_wrlock", ROLE_TAKE, 0, RWLOCK},
    {"pthread_rwlock_rdlock", ROLE_SHARE, 0, RWLOCK},
    {"pthread_rwlock_unlock", ROLE_GIVE, 0, RWLOCK},
    {"pthread_cond_wait", ROLE_WAIT, 1, MUTEX},
    {"pthread_cond_timedwait", ROLE_WAIT, 1, MUTEX},
    {"pthread_mutex_init", ROLE_MAKE, 0, MUTEX},
    {"pthread_rwlock_init", ROLE_MAKE, 0, RWLOCK},
    {"pthread_spin_init", ROLE_MAKE, 0, SPIN},
    {"pthread_", ROLE_OTHER, 0, {{0, 0}}},
};

struct lock {
    struct thread_base base;
    uint64_t bytes;
};

// What is certain before an instruction.
struct order {
    bool reached;
    uint32_t idle;         // threads that have not begun, or are joined
    uint32_t kept;         // threads whose number is where it was put
    uint64_t held, shared; // locks
    uint64_t made;         // locks that main has made
};

struct thread_orders {
    const struct threads *threads;
    struct order *before; // by block
    struct lock locks[MOST_LOCKS];
    uint32_t lock_count;
    uint64_t bad;                        // locks that may not keep others out
    uint32_t parent[THREADS_MOST];       // of a thread
    struct order at_begin[THREADS_MOST]; // of its parent
    uint32_t descendants[THREADS_MOST];  // and itself
    struct thread_base *numbers; // by thread: where its number is, and no other; else not exact
    struct order *at_access;     // by access
    uint32_t *joined;            // by note: of a join, the thread it waits for
    bool *uninterrupted;         // by access
};

static bool is_of_library(const struct threads *t, uint32_t frame, const char **name)
{
    const struct function *f = &t->flat->program->functions[t->flat->frames[frame].function];
    const size_t own = strlen(OWN_PREFIX);
    *name = f->library && text_begins_with(f->name, OWN_PREFIX) ? f->name + own : f->name;
    return f->library;
}

// Is it a part of a function of the library about threads?
static bool is_inside(const struct threads *t, uint32_t frame)
{
    const char *name;
    while (is_of_library(t, frame, &name)) {
        if (text_begins_with(name, "pthread_"))
            return true;
        if (t->flat->frames[frame].parent == frame)
            break;
        frame = t->flat->frames[frame].parent;
    }
    return false;
}

// NULL: the frame is of no function about locks.
static const struct lock_function *role_of(const struct threads *t, uint32_t frame)
{
    const char *name;
    if (!is_of_library(t, frame, &name) || !text_begins_with(name, "pthread_") ||
        is_inside(t, t->flat->frames[frame].parent))
        return NULL;
    const struct lock_function *f = lock_functions;
    while (f->role != ROLE_OTHER && strcmp(f->name, name) != 0)
        f++;
    return f;
}

static struct operand argument(const struct threads *t, uint32_t frame, uint32_t number)
{
    const struct operand value = {.kind = OPERAND_VALUE,
                                  .type = {PROGRAM_POINTER, 0},
                                  .number = t->flat->frames[frame].value_base + number};
    return flat_resolve(t->flat, value);
}

static uint64_t extent_of(const struct thread_orders *r, const struct lock_function *f)
{
    return f->extent.bytes[r->threads->flat->program->pointer_bits == 64];
}

// Locks of which something may be in these bytes (0: their number is not known) keep nobody out.
static void spoil(struct thread_orders *r, const struct thread_base *base, uint64_t bytes)
{
    const struct thread_place other = {.base = *base, .writes = true};
    for (uint32_t k = 0; k < r->lock_count; k++) {
        const struct thread_place lock = {.base = r->locks[k].base, .writes = true};
        if (threads_places_conflict(r->threads, &lock, &other, r->locks[k].bytes, bytes))
            r->bad |= UINT64_C(1) << k;
    }
}

// Is it there once, and, if it is a global, at first free and of no kind but the usual one?
static bool begins_plainly(const struct thread_orders *r, const struct lock *lock)
{
    const struct threads *t = r->threads;
    if (lock->base.kind == REACH_MADE)
        return t->where[lock->base.number] == t->entries[0]; // no block leads there
    const struct global *global = &t->flat->program->globals[lock->base.number];
    for (size_t d = 0; d < global->data_count; d++) {
        const struct program_data *data = &global->data[d];
        const struct operand *o = &data->value;
        const int64_t at = (int64_t)data->offset - lock->base.offset;
        if (at < (int64_t)lock->bytes && at + (int64_t)data->bytes > 0 &&
            ((o->kind != OPERAND_CONSTANT && o->kind != OPERAND_FIXED) || o->bits != 0 ||
             o->offset != 0))
            return false;
    }
    return !global->external && !global->thread_local;
}

// 0: none that is known.
static uint64_t lock_bit(const struct thread_orders *r, const struct thread_base *base)
{
    for (uint32_t k = 0; k < r->lock_count; k++) {
        const struct thread_base *lock = &r->locks[k].base;
        if (base->exact && base->kind == lock->kind && lock->number == base->number &&
            lock->offset == base->offset)
            return UINT64_C(1) << k;
    }
    return 0;
}

static bool is_lifetime(const struct threads *t, const struct instruction *i)
{
    return i->op == OP_CALL && text_begins_with(flat_callee(t->flat, i), "llvm.lifetime.");
}

static bool begins_life(const struct threads *t, const struct instruction *i)
{
    return is_lifetime(t, i) && i->operand_count > 2 &&
           strstr(flat_callee(t->flat, i), ".start") != NULL;
}

static void find_locks(struct thread_orders *r)
{
    const struct threads *t = r->threads;
    for (uint32_t f = 0; f < t->flat->frame_count; f++) {
        const struct lock_function *function = role_of(t, f);
        if (function == NULL || (function->role != ROLE_TAKE && function->role != ROLE_SHARE))
            continue;
        const struct operand o = argument(t, f, function->lock);
        const struct lock lock = {threads_base(t, &o), extent_of(r, function)};
        const bool known = lock.base.kind == REACH_GLOBAL || lock.base.kind == REACH_MADE;
        if (known && lock.base.exact && r->lock_count < MOST_LOCKS &&
            lock_bit(r, &lock.base) == 0 && begins_plainly(r, &lock))
            r->locks[r->lock_count++] = lock;
    }
    for (size_t a = 0; a < t->accesses.count; a++) {
        const struct thread_access *access = &t->accesses.data[a];
        const struct instruction *i = &t->blocks[access->block].instructions[access->index];
        for (uint32_t n = 0; n < access->place_count; n++)
            if (access->places[n].writes && !is_inside(t, i->frame) && !is_lifetime(t, i))
                spoil(r, &access->places[n].base, access->bytes);
    }
}

// The threads whose number may be written over.
static uint32_t written_numbers(const struct thread_orders *r, const struct instruction *i)
{
    const struct threads *t = r->threads;
    struct thread_access access;
    uint32_t written = 0;
    threads_find_access(t, i, &access);
    for (uint32_t n = 0; n < access.place_count && !access.frees; n++) {
        for (uint32_t u = 1; u < t->count && access.places[n].writes; u++) {
            const struct thread_place kept = {.base = r->numbers[u], .writes = true};
            if (kept.base.exact &&
                threads_places_conflict(t, &kept, &access.places[n],
                                        t->flat->program->pointer_bits / 8, access.bytes))
                written |= UINT32_C(1) << u;
        }
    }
    return written;
}

// Numbers that another thread than the one that began theirs may write over are not known.
static void drop_numbers(struct thread_orders *r, uint32_t block)
{
    for (uint32_t k = 0; k < r->threads->blocks[block].count; k++) {
        const uint32_t written = written_numbers(r, &r->threads->blocks[block].instructions[k]);
        for (uint32_t u = 1; u < r->threads->count; u++)
            if ((written >> u & 1) != 0 && r->threads->thread_of[block] != r->parent[u])
                r->numbers[u].exact = false;
    }
}

// Who begins whom, and where the number of a thread is kept that begins once.
static void find_family(struct thread_orders *r)
{
    const struct threads *t = r->threads;
    for (uint32_t b = 0; b < t->block_count; b++) {
        const struct instruction *fork = threads_fork(t, b);
        if (t->thread_of[b] == NO_VALUE || fork == NULL)
            continue;
        for (uint32_t k = 1; k < fork->number_count; k++)
            r->parent[fork->operands[k].bits] = t->thread_of[b];
        for (const struct instruction *i = t->blocks[b].instructions; i < fork; i++)
            if (fork->number_count == 2 && threads_is_marked(i, OP_STORE, THREADS_NUMBER))
                r->numbers[fork->operands[1].bits] = threads_base(t, &i->operands[1]);
    }
    for (uint32_t b = 0; b < t->block_count; b++)
        if (t->thread_of[b] != NO_VALUE)
            drop_numbers(r, b);
    for (uint32_t u = 0; u < t->count; u++) {
        uint32_t p = u;
        for (r->descendants[p] |= UINT32_C(1) << u; p != 0;) {
            p = r->parent[p];
            r->descendants[p] |= UINT32_C(1) << u;
        }
    }
}

// The thread whose number a join loads, in the same block.
static uint32_t find_joined(const struct thread_orders *r, uint32_t block,
                            const struct instruction *join, uint32_t kept)
{
    const struct threads *t = r->threads;
    const struct operand *id = &join->operands[1];
    const struct instruction *load =
        id->kind == OPERAND_VALUE ? threads_definition(t, id->number) : NULL;
    if (load == NULL || load->op != OP_LOAD || t->where[id->number] != block)
        return NO_VALUE;
    const struct thread_base from = threads_base(t, &load->operands[0]);
    for (uint32_t u = 1; from.exact && u < t->count; u++) {
        const struct thread_base *number = &r->numbers[u];
        if ((kept >> u & 1) != 0 && number->exact && number->kind == from.kind &&
            number->number == from.number && number->offset == from.offset)
            return u;
    }
    return NO_VALUE;
}

uint32_t threads_joined(const struct threads *t, uint32_t block, uint32_t index)
{
    return t->orders->joined[t->first_note[block] + index];
}

// Locks that are no globals, and that main may not have made, when others may use them.
static void need_made(struct thread_orders *r, const struct order *order, uint64_t locks)
{
    for (uint32_t k = 0; k < r->lock_count; k++)
        if ((locks & ~order->made) >> k & 1 && r->locks[k].base.kind == REACH_MADE)
            r->bad |= UINT64_C(1) << k;
}

static void make_lock(struct thread_orders *r, const struct instruction *i, uint32_t thread,
                      struct order *order, const struct thread_base *base, uint64_t lock)
{
    const struct threads *t = r->threads;
    const struct function *f = &t->flat->program->functions[t->flat->frames[i->frame].function];
    const struct operand kind = argument(t, i->frame, 1);
    const bool plain = (kind.kind == OPERAND_FIXED && kind.offset == 0) ||
                       (f->parameter_count > 1 && f->parameters[1].kind == PROGRAM_INTEGER);
    if (!plain || thread != 0 || ~order->idle != UINT32_C(1) ||
        ((order->held | order->shared) & lock) != 0)
        spoil(r, base, 0);
    order->made |= lock;
}

static void follow_call(struct thread_orders *r, const struct instruction *i, uint32_t thread,
                        struct order *order)
{
    const struct threads *t = r->threads;
    const struct lock_function *role = role_of(t, i->frame);
    if (role == NULL)
        return;
    const struct operand o = argument(t, i->frame, role->lock);
    const struct thread_base base = threads_base(t, &o);
    const uint64_t lock = lock_bit(r, &base), bytes = extent_of(r, role);
    const bool leave = i->op == OP_LEAVE;
    const struct function *f = &t->flat->program->functions[t->flat->frames[i->frame].function];
    switch (role->role) {
    case ROLE_TAKE:
        if (thread == 0)
            need_made(r, order, lock);
        order->held |= leave ? lock : 0;
        break;
    case ROLE_SHARE:
        if (thread == 0)
            need_made(r, order, lock);
        order->shared |= leave ? lock : 0;
        break;
    case ROLE_GIVE:
        if (!leave && (lock == 0 || ((order->held | order->shared) & lock) == 0))
            spoil(r, &base, bytes);
        order->held &= ~lock;
        order->shared &= ~lock;
        break;
    case ROLE_WAIT:
        if (!leave && (order->held & lock) == 0)
            spoil(r, &base, bytes);
        order->held = leave ? order->held | lock : order->held & ~lock;
        break;
    case ROLE_MAKE:
        if (!leave)
            make_lock(r, i, thread, order, &base, lock);
        break;
    case ROLE_OTHER:
        for (uint32_t k = 0; k < f->parameter_count && !leave; k++) {
            const struct operand given = argument(t, i->frame, k);
            const struct thread_base other = threads_base(t, &given);
            if (f->parameters[k].kind == PROGRAM_POINTER && given.kind != OPERAND_FIXED)
                spoil(r, &other, 0);
        }
        break;
    }
}

// A lock that main has made is not made any more where its life begins again.
static void begin_life(struct thread_orders *r, const struct instruction *i, struct order *order)
{
    const struct thread_base base = threads_base(r->threads, &i->operands[2]);
    for (uint32_t k = 0; k < r->lock_count; k++)
        if (r->locks[k].base.kind == base.kind && r->locks[k].base.number == base.number)
            order->made &= ~(UINT64_C(1) << k);
    if (~order->idle != UINT32_C(1))
        spoil(r, &base, 0);
}

// Follows a block; keeps what is certain before its accesses.
static void follow(struct thread_orders *r, uint32_t block, struct order *order)
{
    const struct threads *t = r->threads;
    const uint32_t thread = t->thread_of[block];
    int64_t depth = t->depth[block];
    assert(t->depth[block] != NO_VALUE); // as it is reached
    for (uint32_t k = 0; k < t->blocks[block].count; k++) {
        const struct instruction *i = &t->blocks[block].instructions[k];
        const uint32_t access = threads_note(t, block, k)->access;
        const int change = threads_depth_change(t, i);
        if (access != NO_VALUE) {
            r->at_access[access] = *order;
            r->uninterrupted[access] = depth > 0 || change > 0;
        }
        depth += change;
        if (i->op == OP_ENTER || i->op == OP_LEAVE)
            follow_call(r, i, thread, order);
        else if (thread == 0 && begins_life(t, i))
            begin_life(r, i, order);
        uint32_t *joined = &r->joined[t->first_note[block] + k];
        *joined = threads_is_join(t->flat, i) ? find_joined(r, block, i, order->kept) : NO_VALUE;
        if (*joined != NO_VALUE)
            order->idle |= UINT32_C(1) << *joined;
        order->kept &= ~written_numbers(r, i);
        if (!threads_is_marked(i, OP_SWITCH, THREADS_FORK))
            continue;
        const struct order before = *order;
        if (thread == 0)
            need_made(r, order, UINT64_MAX);
        for (uint32_t n = 1; n < i->number_count; n++) {
            const uint32_t begun = (uint32_t)i->operands[n].bits;
            r->at_begin[begun] = before;
            order->idle &= ~r->descendants[begun];
            if (i->number_count == 2 && r->numbers[begun].exact)
                order->kept |= UINT32_C(1) << begun;
        }
    }
}

// True: something is new.
static bool meet(struct order *into, const struct order *from)
{
    const struct order old = *into;
    if (!old.reached) {
        *into = *from;
        return true;
    }
    into->idle &= from->idle;
    into->kept &= from->kept;
    into->held &= from->held;
    into->shared &= from->shared;
    into->made &= from->made;
    return into->idle != old.idle || into->kept != old.kept || into->held != old.held ||
           into->shared != old.shared || into->made != old.made;
}

static void follow_all(struct thread_orders *r)
{
    const struct threads *t = r->threads;
    for (uint32_t u = 0; u < t->count; u++) {
        // Of itself it is not asked.
        const struct order begin = {.reached = true, .idle = ~(UINT32_C(1) << u)};
        if (t->entries[u] != NO_VALUE)
            r->before[t->entries[u]] = begin;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < t->block_count; b++) {
            if (!r->before[b].reached || t->thread_of[b] == NO_VALUE)
                continue;
            struct order order = r->before[b];
            follow(r, b, &order);
            const struct block *block = &t->blocks[b];
            const size_t count = threads_fork(t, b) != NULL ? 1 : flat_successors(block, NULL, 0);
            uint32_t *next = memory_alloc((count + 1) * sizeof *next);
            flat_successors(block, next, count);
            for (size_t k = 0; k < count; k++)
                changed = meet(&r->before[next[k]], &order) || changed;
            memory_free(next);
        }
    }
}

static bool has_begun(const struct thread_orders *r, uint32_t ancestor, uint32_t thread)
{
    return (r->descendants[ancestor] >> thread & 1) != 0;
}

// The child of an ancestor whose descendant, or itself, it is.
static uint32_t child_of(const struct thread_orders *r, uint32_t ancestor, uint32_t thread)
{
    while (r->parent[thread] != ancestor)
        thread = r->parent[thread];
    assert(thread != 0 && has_begun(r, ancestor, thread));
    return thread;
}

static bool are_parallel(const struct thread_orders *r, uint32_t a, uint32_t b)
{
    const uint32_t t = r->threads->accesses.data[a].thread, u = r->threads->accesses.data[b].thread;
    if (has_begun(r, t, u))
        return (r->at_access[a].idle >> u & 1) == 0;
    if (has_begun(r, u, t))
        return (r->at_access[b].idle >> t & 1) == 0;
    assert(t != 0 && u != 0); // main has begun all
    uint32_t common = r->parent[t];
    while (!has_begun(r, common, u))
        common = r->parent[common];
    const uint32_t one = child_of(r, common, t), other = child_of(r, common, u);
    const uint32_t first = UINT32_C(1) << one | UINT32_C(1) << t,
                   second = UINT32_C(1) << other | UINT32_C(1) << u;
    return (r->at_begin[other].idle & first) != first || (r->at_begin[one].idle & second) != second;
}

bool threads_keep_apart(const struct thread_orders *r, uint32_t a, uint32_t b)
{
    const struct order *x = &r->at_access[a], *y = &r->at_access[b];
    assert(a < r->threads->accesses.count && b < r->threads->accesses.count);
    const uint64_t excluded = (x->held & (y->held | y->shared)) | (x->shared & y->held);
    return (excluded & ~r->bad) != 0 || !are_parallel(r, a, b);
}

// Is this a part of a function about locks? Behind a bound there somebody waits for ever.
static bool is_in_lock_function(const struct threads *t, uint32_t frame)
{
    const char *name;
    const struct lock_function *function = NULL;
    while (function == NULL && is_of_library(t, frame, &name) &&
           t->flat->frames[frame].parent != frame) {
        function = role_of(t, frame);
        frame = t->flat->frames[frame].parent;
    }
    return function != NULL && function->role != ROLE_OTHER;
}

// Are all pointers that a call gets null, constant texts, or a stream of the library?
static bool gets_only_texts(const struct threads *t, const struct instruction *i)
{
    const struct global *globals = t->flat->program->globals;
    for (uint32_t k = 1; k < i->operand_count; k++) {
        const struct operand *o = &i->operands[k];
        const struct instruction *load =
            o->kind == OPERAND_VALUE ? threads_definition(t, o->number) : NULL;
        const bool stream = load != NULL && load->op == OP_LOAD &&
                            load->operands[0].kind == OPERAND_ADDRESS &&
                            globals[load->operands[0].number].external;
        if (o->type.kind == PROGRAM_POINTER && !stream && o->kind != OPERAND_FIXED &&
            !(o->kind == OPERAND_ADDRESS && globals[o->number].constant))
            return false;
    }
    return true;
}

static bool gets_pointers(const struct instruction *i)
{
    bool any = i->type.kind == PROGRAM_POINTER;
    for (uint32_t k = 1; k < i->operand_count; k++)
        any = any || i->operands[k].type.kind == PROGRAM_POINTER;
    return any;
}

// Is it known what a call does to what others may see? Where translations say that it is a bound, or not supported, it is not.
static bool is_followed(const struct threads *t, const struct instruction *i)
{
    static const char *const own[] = {THREADS_WAIT,           THREADS_SELF,
                                      "__regatta_overflow",   "__regatta_something",
                                      "__regatta_block_size", NULL};
    const char *callee = flat_callee(t->flat, i);
    if (strcmp(callee, "__regatta_bound") == 0)
        return is_in_lock_function(t, i->frame);
    if (threads_changes_nothing(callee) || threads_is_join(t->flat, i) ||
        threads_is_exit(t->flat, i) || text_is_one_of(callee, own))
        return true;
    if (program_is_end(callee) || program_is_printer(callee))
        return gets_only_texts(t, i);
    return *callee != '\0' && !text_begins_with(callee, "__regatta_") &&
           !program_is_unsupported(callee) && !program_is_of_verifier(callee) && !gets_pointers(i);
}

// Is all there that the program may do?
static bool says_all(const struct threads *t)
{
    bool all = true;
    EACH_INSTRUCTION(t, b, k, i)
    {
        all = all && i->op != OP_CUT && i->op != OP_UNSUPPORTED &&
              (i->op != OP_CALL || is_followed(t, i));
    }
    return all;
}

bool threads_may_race(const struct threads *t)
{
    bool found = !says_all(t);
    for (uint32_t a = 0; a < t->accesses.count && !found; a++) {
        for (uint32_t b = 0; b < a && !found; b++) {
            const struct thread_access *x = &t->accesses.data[a], *y = &t->accesses.data[b];
            found = x->seen && y->seen && x->thread != y->thread && !x->frees && !y->frees &&
                    !(x->atomic && y->atomic) &&
                    !(t->orders->uninterrupted[a] && t->orders->uninterrupted[b]) &&
                    threads_may_conflict(t, x, y) && !threads_keep_apart(t->orders, a, b);
        }
    }
    return found;
}

struct thread_orders *threads_find_orders(const struct threads *t)
{
    struct thread_orders *r = memory_zalloc(sizeof *r);
    r->threads = t;
    r->before = memory_zalloc((t->block_count + 1) * sizeof *r->before);
    r->numbers = memory_zalloc((t->count + 1) * sizeof *r->numbers);
    r->at_access = memory_zalloc((t->accesses.count + 1) * sizeof *r->at_access);
    r->joined = memory_zalloc((t->note_count + 1) * sizeof *r->joined);
    r->uninterrupted = memory_zalloc((t->accesses.count + 1) * sizeof *r->uninterrupted);
    find_locks(r);
    find_family(r);
    follow_all(r);
    return r;
}

void threads_finish_orders(struct thread_orders *r)
{
    if (r == NULL)
        return;
    memory_free(r->before);
    memory_free(r->numbers);
    memory_free(r->at_access);
    memory_free(r->joined);
    memory_free(r->uninterrupted);
    memory_free(r);
}
