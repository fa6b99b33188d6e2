#include "languages/programs/threads.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/flat_inside.h"
#include "languages/programs/simplify.h"
#include "languages/programs/threads_inside.h"

// The blocks of the copies are cut into pieces: a piece begins with what other threads may see, or where control may come back to, and all
// behind that is its thread's own. A state of the product is a piece for each thread, and perhaps who is running. Values that one piece
// computes and another one needs lie in slots between.
//
// Which thread goes on matters only where the next step of one depends on what another may still do (persistent sets: Godefroid 1996):
// a step that does not is taken alone. At heads of loops all are asked, so that no thread waits for ever while another circles.

#define NOT_BEGUN (UINT32_MAX - 1)
#define PARKED (UINT32_MAX - 2) // in a loop that never ends, of which others see nothing
#define ENDED UINT32_MAX
#define NOBODY UINT32_MAX
#define NOT_KNOWN INT32_MIN
#define MOST_STATES 150000
#define MOST_STEPS 60    // of a thread that are looked at before it is asked
#define MOST_OVERLAPS 64 // comparisons of two accesses' addresses
#define DEADLOCK 35      // what pthread_join returns to a thread that waits for itself

struct state {
    uint32_t running;    // a thread, or NOBODY: it is to be chosen
    uint32_t *positions; // by thread
    int32_t *counters;   // what is known of them; NOT_KNOWN: nothing
    uint32_t block;      // of the product
};

struct product {
    struct inliner *in; // to whose flat program it is added
    const struct flat *flat;
    struct threads *threads;
    const char *refused;
    VECTOR(struct state) states;
    struct hash_index index;
    // By value of the copies: what stands for it in the piece that is made, if `stamp` is of this one; its slot; a copy has its number.
    struct operand *now;
    uint32_t *stamp, stamps, *slot;
    bool *given;
    size_t old_values;
    uint32_t result_slot[THREADS_MOST], number_slot[THREADS_MOST]; // what a thread returned
    uint32_t
        *own[THREADS_MOST]; // by global: the slot of the thread's own; NO_VALUE: it has none yet
    uint32_t thread;        // that runs in the piece that is made
    int32_t counters[THREADS_COUNTERS]; // where the piece is
    uint32_t assume, race, any;         // functions
};

static const struct program_type pointer_type = {PROGRAM_POINTER, 0};

static struct operand value_of(uint32_t number, struct program_type type)
{
    return (struct operand){.kind = OPERAND_VALUE, .type = type, .number = number};
}

// An instruction at the place of `like`, with one number.
static struct operand push_new(struct product *p, uint32_t at, const struct instruction *like,
                               enum opcode op, struct program_type type,
                               const struct operand *operands, uint32_t operand_count,
                               int64_t number)
{
    const struct instruction i = {.op = op, .type = type, .frame = like->frame, .at = like->at};
    return inliner_operation(p->in, at, i, operands, operand_count, number);
}

static void push_end(struct product *p, uint32_t at, const struct instruction *like, enum opcode op,
                     const char *text)
{
    const struct instruction i = {.op = op, .frame = like->frame, .at = like->at, .text = text};
    inliner_push(p->in, at, &i);
}

// Where both are equal `then` is next; the block where they are not is returned.
static uint32_t push_branch(struct product *p, uint32_t at, const struct instruction *like,
                            struct operand a, struct operand b, uint32_t then)
{
    const uint32_t otherwise = inliner_block(p->in);
    inliner_branch(p->in, at, like, inliner_equal(p->in, at, like, a, b), then, otherwise);
    return otherwise;
}

static void push_call(struct product *p, uint32_t at, const struct instruction *like,
                      uint32_t function, const struct operand *argument)
{
    struct operand operands[2] = {
        {.kind = OPERAND_FUNCTION, .type = pointer_type, .number = function}};
    if (argument != NULL)
        operands[1] = *argument;
    push_new(p, at, like, OP_CALL, (struct program_type){PROGRAM_VOID, 0}, operands,
             argument != NULL ? 2 : 1, 0);
}

// No run goes on here.
static void push_blocked(struct product *p, uint32_t at, const struct instruction *like)
{
    const struct operand never = inliner_number(32, 0);
    push_call(p, at, like, p->assume, &never);
    push_end(p, at, like, OP_UNREACHABLE, NULL);
}

// Slots.

static uint32_t stored_bits(const struct product *p, struct program_type type)
{
    if (type.kind == PROGRAM_POINTER)
        return p->flat->program->pointer_bits;
    uint32_t bits = 8;
    while (bits < type.bits && bits < 128)
        bits *= 2;
    return type.kind == PROGRAM_FLOAT ? (type.bits + 7) / 8 * 8 : bits;
}

static uint32_t new_slot(struct product *p, struct program_type type)
{
    static const struct instruction none = {0};
    const struct operand one = inliner_number(32, 1);
    if (type.kind != PROGRAM_INTEGER && type.kind != PROGRAM_POINTER && type.kind != PROGRAM_FLOAT)
        p->refused = "a value of this type where threads take turns";
    const struct operand made = push_new(p, 0, &none, OP_ALLOCA, pointer_type, &one, 1, 1);
    p->in->flat->blocks[0].instructions[p->in->flat->blocks[0].count - 1].extra =
        stored_bits(p, type) / 8;
    return made.number;
}

static void put(struct product *p, uint32_t at, const struct instruction *like, uint32_t slot,
                struct operand value)
{
    struct program_type type = value.type;
    const uint32_t bits = stored_bits(p, type);
    if (type.kind == PROGRAM_INTEGER && bits != type.bits) {
        type.bits = bits;
        if (value.kind == OPERAND_CONSTANT || value.kind == OPERAND_UNDEFINED)
            value.type = type;
        else
            value = push_new(p, at, like, OP_ZEXT, type, &value, 1, 0);
    }
    const struct operand both[2] = {value, value_of(slot, pointer_type)};
    push_new(p, at, like, OP_STORE, type, both, 2, bits / 8);
}

static struct operand take(struct product *p, uint32_t at, const struct instruction *like,
                           uint32_t slot, struct program_type type)
{
    struct program_type stored = type;
    const uint32_t bits = stored_bits(p, type);
    const struct operand address = value_of(slot, pointer_type);
    if (type.kind == PROGRAM_INTEGER)
        stored.bits = bits;
    struct operand out = push_new(p, at, like, OP_LOAD, stored, &address, 1, bits / 8);
    if (stored.bits != type.bits)
        out = push_new(p, at, like, OP_TRUNC, type, &out, 1, 0);
    return out;
}

static uint32_t slot_of(struct product *p, uint32_t value, struct program_type type)
{
    assert(value < p->old_values);
    if (p->slot[value] == NO_VALUE)
        p->slot[value] = new_slot(p, type);
    return p->slot[value];
}

// Of a variable that each thread has. Main's is the global; others begin as that did.
static struct operand own_address(struct product *p, uint32_t at, const struct instruction *like,
                                  const struct operand *address)
{
    static const struct instruction none = {0};
    const struct global *global = &p->flat->program->globals[address->number];
    uint32_t *own = &p->own[p->thread][address->number];
    if (*own == NO_VALUE) {
        const struct operand one = inliner_number(32, 1);
        *own = push_new(p, 0, &none, OP_ALLOCA, pointer_type, &one, 1, (int64_t)global->alignment)
                   .number;
        p->in->flat->blocks[0].instructions[p->in->flat->blocks[0].count - 1].extra = global->bytes;
        struct operand from = *address;
        from.offset = 0;
        const struct operand copy[3] = {value_of(*own, pointer_type), from,
                                        inliner_number(32, global->bytes)};
        push_new(p, 0, &none, OP_COPY, (struct program_type){PROGRAM_VOID, 0}, copy, 3, 0);
    }
    const struct operand slot = value_of(*own, pointer_type);
    return address->offset == 0
               ? slot
               : push_new(p, at, like, OP_GEP, pointer_type, &slot, 1, address->offset);
}

// What an operand of the copies is in the piece that is made. What is taken out of a slot is not looked up again, where `once`.
static struct operand mapped(struct product *p, uint32_t at, const struct instruction *like,
                             struct operand o, bool once)
{
    if (o.kind == OPERAND_ADDRESS && p->thread != 0 &&
        p->flat->program->globals[o.number].thread_local)
        return own_address(p, at, like, &o);
    if (o.kind != OPERAND_VALUE || p->threads->hoisted[o.number])
        return o;
    if (p->stamp[o.number] == p->stamps)
        return p->now[o.number];
    struct operand out = take(p, at, like, slot_of(p, o.number, o.type), o.type);
    if (!once) {
        p->stamp[o.number] = p->stamps;
        p->now[o.number] = out;
    }
    return out;
}

static void define(struct product *p, uint32_t at, const struct instruction *source,
                   struct operand value)
{
    p->stamp[source->result] = p->stamps;
    p->now[source->result] = value;
    if (p->threads->spilled[source->result])
        put(p, at, source, slot_of(p, source->result, source->type), value);
}

// States.

static bool is_live(uint32_t position)
{
    return position != NOT_BEGUN && position != ENDED && position != PARKED;
}

// With what is known of counters where the piece is.
static uint32_t find_state(struct product *p, uint32_t running, const uint32_t *positions)
{
    const uint32_t count = p->threads->count, counters = p->threads->counter_count;
    uint64_t hash = running;
    int32_t known[THREADS_COUNTERS];
    for (uint32_t t = 0; t < count; t++)
        hash = hash_mix(hash * 31 + positions[t]);
    for (uint32_t c = 0; c < counters; c++) {
        const uint32_t of = p->threads->counter_thread[c];
        known[c] = of == NO_VALUE || is_live(positions[of]) ? p->counters[c] : NOT_KNOWN;
        hash = hash_mix(hash * 31 + (uint32_t)known[c]);
    }
    struct hash_probe probe = hash_index_probe(&p->index, hash);
    for (uint32_t i; hash_index_next(&p->index, &probe, &i);) {
        const struct state *s = &p->states.data[i];
        if (s->running == running &&
            memcmp(s->positions, positions, count * sizeof *positions) == 0 &&
            memcmp(s->counters, known, counters * sizeof *known) == 0)
            return s->block;
    }
    struct state s = {.running = running, .block = inliner_block(p->in)};
    s.positions = arena_alloc(&p->in->flat->arena, count * sizeof *positions);
    memcpy(s.positions, positions, count * sizeof *positions);
    s.counters = arena_alloc(&p->in->flat->arena, (counters + 1) * sizeof *known);
    memcpy(s.counters, known, counters * sizeof *known);
    hash_index_add(&p->index, hash, (uint32_t)p->states.count);
    VECTOR_PUSH(&p->states, s);
    if (p->states.count > MOST_STATES)
        p->in->too_large = true;
    return s.block;
}

static uint32_t live_count(const struct product *p, const uint32_t *positions)
{
    uint32_t live = 0;
    for (uint32_t t = 0; t < p->threads->count; t++)
        live += is_live(positions[t]);
    return live;
}

// Has somebody begun who has not ended?
static bool are_left(const struct product *p, const uint32_t *positions)
{
    bool left = false;
    for (uint32_t t = 0; t < p->threads->count; t++)
        left = left || (positions[t] != NOT_BEGUN && positions[t] != ENDED);
    return left;
}

// May another thread, from where it is, do what this one's next step depends on?
static bool is_independent(const struct product *p, const uint32_t *positions, uint32_t thread)
{
    const struct thread_piece *piece = &p->threads->pieces.data[positions[thread]];
    if (piece->head || piece->step != STEP_ACCESS)
        return false;
    for (uint32_t u = 0; u < p->threads->count; u++) {
        if (u == thread || !is_live(positions[u]))
            continue;
        if (threads_access_meets(p->threads, piece->access,
                                 p->threads->pieces.data[positions[u]].block))
            return false;
    }
    return true;
}

// A load of a counter that is known.
static bool is_counted(const struct product *p, const struct instruction *load, uint32_t counter,
                       struct operand *out)
{
    if (counter == 0 || p->counters[counter - 1] == NOT_KNOWN)
        return false;
    const program_word word = (program_word)p->counters[counter - 1];
    *out = inliner_number(load->type.bits, program_low_bits(word, load->type.bits));
    out->type = load->type;
    return true;
}

static bool computes(enum opcode op)
{
    return (op >= OP_ADD && op <= OP_XOR) || op == OP_TRUNC || op == OP_ZEXT || op == OP_SEXT ||
           op == OP_ICMP;
}

// The number of the thread that is joined, where it is the one in that place, or was loaded in the same block from a slot that is known.
static bool is_joined_known(const struct product *p, const struct instruction *join, uint32_t block,
                            struct operand *out)
{
    const struct operand *id = &join->operands[1];
    const struct instruction *begin = p->threads->blocks[block].instructions;
    const uint32_t joined = threads_joined(p->threads, block, (uint32_t)(join - begin));
    if (joined != NO_VALUE)
        *out = inliner_number(id->type.bits, joined + 1);
    if (joined != NO_VALUE || id->kind != OPERAND_VALUE || p->threads->where[id->number] != block)
        return joined != NO_VALUE;
    const uint32_t load = p->threads->index[id->number];
    uint32_t k = load + 1;
    while (&begin[k] < join && begin[k].op != OP_STORE)
        k++;
    return &begin[k] == join && begin[load].op == OP_LOAD &&
           is_counted(p, &begin[load], threads_note(p->threads, block, load)->counter, out);
}

// What is known on the way from where a thread is: values that are computed there.
struct outlook {
    uint32_t count;
    struct {
        uint32_t value;
        struct operand number;
    } known[MOST_STEPS];
};

static struct operand looked_up(const struct outlook *known, struct operand o)
{
    for (uint32_t k = 0; o.kind == OPERAND_VALUE && k < known->count; k++)
        if (known->known[k].value == o.number)
            return known->known[k].number;
    return o;
}

static void look_at(const struct product *p, struct outlook *known, const struct instruction *i,
                    uint32_t thread, uint32_t counter)
{
    struct operand operands[2] = {{.kind = OPERAND_UNKNOWN}, {.kind = OPERAND_UNKNOWN}}, number;
    for (uint32_t k = 0; k < i->operand_count && k < 2; k++)
        operands[k] = looked_up(known, i->operands[k]);
    bool found = false;
    if (i->op == OP_LOAD) {
        found = is_counted(p, i, counter, &number);
    } else if (i->op == OP_CALL && strcmp(flat_callee(p->flat, i), THREADS_SELF) == 0) {
        number = inliner_number(i->type.bits, thread + 1);
        found = true;
    } else if (computes(i->op)) {
        found = simplify_numbers(i, &operands[0], &operands[1], &number);
    }
    if (!found)
        return;
    known->known[known->count].value = i->result;
    known->known[known->count++].number = number;
}

// Does another thread stand before what may race with this? Then that is to be seen.
static bool is_watched(const struct product *p, const uint32_t *positions, uint32_t thread,
                       uint32_t access)
{
    for (uint32_t u = 0; p->in->options->races && access != NO_VALUE && u < p->threads->count;
         u++) {
        if (u == thread || !is_live(positions[u]))
            continue;
        const struct thread_piece *piece = &p->threads->pieces.data[positions[u]];
        if (piece->step == STEP_ACCESS &&
            threads_may_conflict(p->threads, &p->threads->accesses.data[access],
                                 &p->threads->accesses.data[piece->access]))
            return true;
    }
    return false;
}

// Does it stand before a step that waits, for all that is known, until another thread does something?
static bool waits(const struct product *p, const uint32_t *positions, uint32_t thread)
{
    const struct threads *t = p->threads;
    const struct thread_piece *piece = &t->pieces.data[positions[thread]];
    if (piece->step != STEP_OTHER)
        return false;
    uint32_t block = piece->block, k = piece->from;
    struct outlook known = {0};
    for (uint32_t steps = 0; steps < MOST_STEPS && k < t->blocks[block].count; steps++) {
        const struct instruction *i = &t->blocks[block].instructions[k];
        const uint32_t counter = threads_note(t, block, k)->counter;
        if (is_watched(p, positions, thread, threads_note(t, block, k)->access))
            return false;
        if (i->op == OP_CALL && strcmp(flat_callee(p->flat, i), THREADS_WAIT) == 0)
            return true;
        if (threads_is_join(p->flat, i)) {
            struct operand id;
            return k == piece->from && is_joined_known(p, i, block, &id) && id.bits > 0 &&
                   id.bits <= t->count && id.bits != thread + 1 &&
                   (is_live(positions[id.bits - 1]) || positions[id.bits - 1] == PARKED);
        }
        k++;
        if (i->op == OP_BRANCH) {
            const struct operand way =
                i->operand_count > 0 ? looked_up(&known, i->operands[0]) : inliner_number(1, 1);
            if (way.kind != OPERAND_CONSTANT)
                return false;
            block = (uint32_t)i->numbers[way.bits != 0 ? 0 : 1];
            k = 0;
        } else if (opcode_ends_block(i->op) || (i->op == OP_STORE && counter != 0)) {
            return false;
        } else {
            look_at(p, &known, i, thread, counter);
        }
    }
    return false;
}

// Who goes on, decided as early as it can be; NOBODY: that is to be chosen. The one that ran goes on while others cannot see it.
static uint32_t next_thread(const struct product *p, const uint32_t *positions, uint32_t ran)
{
    const uint32_t live = live_count(p, positions), count = p->threads->count;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t t = (ran + k) % count;
        if (!is_live(positions[t]))
            continue;
        const struct thread_piece *piece = &p->threads->pieces.data[positions[t]];
        if (live == 1 || (piece->step == STEP_OWN && (!piece->head || piece->silent)))
            return t;
    }
    uint32_t ready = 0, last = 0;
    for (uint32_t t = 0; t < count; t++) {
        if (!is_live(positions[t]) || waits(p, positions, t))
            continue;
        if (is_independent(p, positions, t))
            return t;
        ready++;
        last = t;
    }
    // The others do nothing before this one does.
    return ready == 1 ? last : NOBODY;
}

// The block where a state goes on.
static uint32_t state_block(struct product *p, const uint32_t *positions, uint32_t ran)
{
    return find_state(p, next_thread(p, positions, ran), positions);
}

static uint32_t first_piece(const struct product *p, uint32_t block)
{
    return threads_note(p->threads, block, 0)->piece;
}

static const struct instruction *piece_start(const struct product *p, uint32_t piece)
{
    const struct thread_piece *at = &p->threads->pieces.data[piece];
    return &p->threads->blocks[at->block].instructions[at->from];
}

static void make_choice(struct product *p, const struct state *s)
{
    uint32_t chosen[THREADS_MOST], count = 0;
    memcpy(p->counters, s->counters, p->threads->counter_count * sizeof *p->counters);
    for (uint32_t t = 0; t < p->threads->count; t++)
        if (is_live(s->positions[t]) && !waits(p, s->positions, t))
            chosen[count++] = t;
    static const struct instruction nowhere = {0};
    if (count == 0 && are_left(p, s->positions)) { // each waits for another one
        push_blocked(p, s->block, &nowhere);
        return;
    }
    if (count == 0) { // all have ended, main by pthread_exit
        push_end(p, s->block, &nowhere, OP_RETURN, NULL);
        return;
    }
    const struct program_type word = {PROGRAM_INTEGER, 32};
    const struct operand any = {.kind = OPERAND_FUNCTION, .type = pointer_type, .number = p->any};
    struct instruction choice = {.op = OP_SWITCH};
    choice.operand_count = choice.number_count = count;
    choice.operands = inliner_operands(p->in, count);
    choice.numbers = inliner_numbers(p->in, count);
    choice.operands[0] = push_new(p, s->block, &nowhere, OP_CALL, word, &any, 1, 0);
    for (uint32_t k = 0; k < count; k++) {
        if (k > 0)
            choice.operands[k] = inliner_number(32, k);
        choice.numbers[k] = find_state(p, chosen[k], s->positions);
    }
    inliner_push(p->in, s->block, &choice);
}

// Races.

// Calls the race where accesses of so many bytes at two addresses overlap, as is known, or not; what follows is in the block that is returned.
static uint32_t check_pair(struct product *p, uint32_t at, const struct instruction *like,
                           uint64_t here_bytes, uint64_t there_bytes, bool known,
                           const struct operand addresses[2])
{
    const bool sized = here_bytes > 0 && there_bytes > 0;
    const int64_t first = 1 - (int64_t)there_bytes, end = (int64_t)here_bytes;
    // C's types lie at multiples of their sizes.
    const int64_t step = here_bytes <= 8 && there_bytes <= 8
                             ? (int64_t)(here_bytes < there_bytes ? here_bytes : there_bytes)
                             : 1;
    if (!sized || (!known && end - first > MOST_OVERLAPS)) {
        push_end(p, at, like, OP_CUT, "accesses of many bytes at the same time");
        return NO_VALUE;
    }
    const uint32_t race = inliner_block(p->in);
    push_call(p, race, like, p->race, NULL);
    push_end(p, race, like, OP_UNREACHABLE, NULL);
    if (known) {
        inliner_jump(p->in, at, race, like);
        return NO_VALUE;
    }
    for (int64_t k = first; k < end; k++) {
        if (k % step != 0)
            continue;
        const struct operand moved =
            k == 0 ? addresses[0]
                   : push_new(p, at, like, OP_GEP, pointer_type, &addresses[0], 1, k);
        at = push_branch(p, at, like, moved, addresses[1], race);
    }
    return at;
}

// Before an access: do others stand before one that is not ordered with it? NO_VALUE: the path does not go on.
static uint32_t check_races(struct product *p, uint32_t at, const uint32_t *positions,
                            uint32_t thread, const struct instruction *i, uint32_t number)
{
    const struct thread_access *mine = &p->threads->accesses.data[number];
    for (uint32_t u = 0; u < p->threads->count && at != NO_VALUE; u++) {
        if (u == thread || !is_live(positions[u]))
            continue;
        const struct thread_piece *piece = &p->threads->pieces.data[positions[u]];
        if (piece->step != STEP_ACCESS)
            continue;
        const struct thread_access *other = &p->threads->accesses.data[piece->access];
        if ((mine->atomic && other->atomic) || mine->frees || other->frees ||
            !threads_may_conflict(p->threads, mine, other))
            continue;
        const struct instruction *o = piece_start(p, positions[u]);
        for (uint32_t m = 0; m < mine->place_count && at != NO_VALUE; m++) {
            for (uint32_t n = 0; n < other->place_count && at != NO_VALUE; n++) {
                const struct thread_place *a = &mine->places[m], *b = &other->places[n];
                if (!threads_places_conflict(p->threads, a, b, mine->bytes, other->bytes))
                    continue;
                struct operand pair[2] = {mapped(p, at, i, i->operands[a->operand], true)};
                p->thread = u;
                pair[1] = mapped(p, at, i, o->operands[b->operand], true);
                p->thread = thread;
                const bool known = a->base.exact && b->base.exact;
                at = check_pair(p, at, i, mine->bytes, other->bytes, known, pair);
            }
        }
    }
    return at;
}

// Pieces.

// What a thread gives to who joins it.
static void keep_result(struct product *p, uint32_t at, const struct instruction *like,
                        uint32_t thread, struct operand value)
{
    if (value.type.kind == PROGRAM_POINTER)
        put(p, at, like, p->result_slot[thread], value);
    else if (value.type.kind == PROGRAM_INTEGER && value.type.bits == 32)
        put(p, at, like, p->number_slot[thread], value);
}

static struct operand take_result(struct product *p, uint32_t at, const struct instruction *join,
                                  uint32_t thread)
{
    const struct program_type number = {PROGRAM_INTEGER, 32};
    return strcmp(flat_callee(p->flat, join), "thrd_join") == 0
               ? take(p, at, join, p->number_slot[thread], number)
               : take(p, at, join, p->result_slot[thread], pointer_type);
}

// Counters.

// A load of a counter that is known, or what is computed of it.
static bool is_known(struct product *p, uint32_t at, const struct instruction *i, uint32_t counter,
                     struct operand *out)
{
    if (i->op == OP_LOAD)
        return is_counted(p, i, counter, out);
    if (p->threads->counter_count == 0 || !computes(i->op))
        return false;
    struct operand operands[2] = {{.kind = OPERAND_UNKNOWN}, {.kind = OPERAND_UNKNOWN}};
    for (uint32_t k = 0; k < i->operand_count && k < 2; k++)
        operands[k] = mapped(p, at, i, i->operands[k], false);
    return simplify_numbers(i, &operands[0], &operands[1], out);
}

// A thread that was joined is as if it had not begun: another one may get its number.
static void make_join(struct product *p, uint32_t at, const struct instruction *i, uint32_t thread,
                      const uint32_t *positions)
{
    const uint32_t block = p->threads->pieces.data[positions[thread]].block;
    const struct operand to = mapped(p, at, i, i->operands[2], false);
    struct operand id;
    if (!is_joined_known(p, i, block, &id))
        id = mapped(p, at, i, i->operands[1], false);
    uint32_t there[THREADS_MOST];
    for (uint32_t t = 0; t < p->threads->count; t++) {
        if (positions[t] == NOT_BEGUN || (id.kind == OPERAND_CONSTANT && id.bits != t + 1))
            continue;
        const uint32_t found = inliner_block(p->in);
        at = push_branch(p, at, i, id, inliner_number(id.type.bits, t + 1), found);
        if (positions[t] != ENDED && t != thread) {
            push_blocked(p, found, i);
            continue;
        }
        define(p, found, i, inliner_number(i->type.bits, t == thread ? DEADLOCK : 0));
        memcpy(there, positions, p->threads->count * sizeof *there);
        there[thread]++; // pieces end behind a join
        if (t != thread && !p->threads->have_own)
            there[t] = NOT_BEGUN;
        const uint32_t next = state_block(p, there, thread);
        uint32_t kept = found;
        if (t != thread && (to.kind != OPERAND_FIXED || to.offset != 0)) {
            if (to.kind == OPERAND_VALUE) {
                const struct operand null = {.kind = OPERAND_FIXED, .type = pointer_type};
                kept = push_branch(p, found, i, to, null, next);
            }
            const struct operand both[2] = {take_result(p, kept, i, t), to};
            push_new(p, kept, i, OP_STORE, both[0].type, both, 2, stored_bits(p, both[0].type) / 8);
        }
        inliner_jump(p->in, kept, next, i);
    }
    push_end(p, at, i, OP_CUT, "a thread is joined that has not begun");
}

static void note_value(struct product *p, uint32_t counter, const struct operand *value)
{
    if (counter == 0)
        return;
    p->counters[counter - 1] = NOT_KNOWN;
    if (value->kind != OPERAND_CONSTANT)
        return;
    const __int128 number = program_as_signed(value->bits, value->type.bits);
    if (number >= -THREADS_COUNTED && number <= THREADS_COUNTED)
        p->counters[counter - 1] = (int32_t)number;
}

static void copy_plainly(struct product *p, uint32_t at, const struct instruction *source,
                         uint32_t counter)
{
    struct operand known;
    if (is_known(p, at, source, counter, &known)) {
        define(p, at, source, known);
        return;
    }
    struct instruction i = *source;
    i.operands = inliner_operands(p->in, i.operand_count);
    for (uint32_t k = 0; k < i.operand_count; k++)
        i.operands[k] = mapped(p, at, source, source->operands[k], false);
    if (p->given[source->result])
        i.result = inliner_values(p->in, 1);
    p->given[source->result] = true;
    inliner_push(p->in, at, &i);
    if (i.op == OP_STORE)
        note_value(p, counter, &i.operands[0]);
    if (instruction_defines(source))
        define(p, at, source, value_of(i.result, i.type));
}

// What was there before the variable began to live is not there any more.
static void begin_again(struct product *p, uint32_t at, const struct instruction *alloca,
                        uint32_t counter)
{
    const struct operand any = {.kind = OPERAND_UNDEFINED};
    note_value(p, counter, &any);
    struct program_type type = p->threads->slot_type[alloca->result];
    if (type.kind == PROGRAM_VOID)
        return;
    if (stored_bits(p, type) != 8 * alloca->extra)
        type = (struct program_type){PROGRAM_INTEGER, (uint32_t)(8 * alloca->extra)};
    const struct operand both[2] = {{.kind = OPERAND_UNDEFINED, .type = type},
                                    value_of(alloca->result, pointer_type)};
    push_new(p, at, alloca, OP_STORE, type, both, 2, (int64_t)alloca->extra);
}

// One instruction that ends no block. Returns where the next one goes; NO_VALUE: nowhere.
static uint32_t make_instruction(struct product *p, uint32_t at, const struct instruction *i,
                                 uint32_t thread, uint32_t *positions,
                                 const struct thread_note *note)
{
    const char *callee = i->op == OP_CALL ? flat_callee(p->flat, i) : "";
    if (i->op == OP_PHI || threads_is_marked(i, OP_FREEZE, THREADS_FORK))
        return at;
    if (i->op == OP_ALLOCA && p->threads->hoisted[i->result]) {
        begin_again(p, at, i, note->counter);
        return at;
    }
    if (note->access != NO_VALUE && p->in->options->races && live_count(p, positions) > 1)
        at = check_races(p, at, positions, thread, i, note->access);
    if (at == NO_VALUE)
        return at;
    if (threads_is_marked(i, OP_STORE, THREADS_NUMBER))
        return at; // where it is known which thread begins
    if (threads_is_join(p->flat, i)) {
        make_join(p, at, i, thread, positions);
        return NO_VALUE;
    }
    if (strcmp(callee, THREADS_WAIT) == 0) {
        push_blocked(p, at, i);
        return NO_VALUE;
    }
    if (threads_is_exit(p->flat, i)) {
        keep_result(p, at, i, thread, mapped(p, at, i, i->operands[1], false));
        positions[thread] = ENDED;
        inliner_jump(p->in, at, state_block(p, positions, thread), i);
        return NO_VALUE;
    }
    if (strcmp(callee, "pthread_self") == 0 || strcmp(callee, THREADS_SELF) == 0)
        define(p, at, i, inliner_number(i->type.bits, thread + 1));
    else
        copy_plainly(p, at, i, note->counter);
    return at;
}

// The way from one block to another: phis of the target get their values.
static uint32_t make_edge(struct product *p, const uint32_t *positions, uint32_t thread,
                          uint32_t from, uint32_t to)
{
    uint32_t there[THREADS_MOST];
    memcpy(there, positions, p->threads->count * sizeof *there);
    there[thread] = first_piece(p, to);
    const uint32_t target = state_block(p, there, thread);
    const struct block *b = &p->threads->blocks[to];
    if (b->instructions[0].op != OP_PHI)
        return target;
    const uint32_t edge = inliner_block(p->in);
    size_t phis = 0;
    while (phis < b->count && b->instructions[phis].op == OP_PHI)
        phis++;
    struct operand *values = memory_alloc(phis * sizeof *values);
    for (size_t k = 0; k < phis; k++) {
        const struct instruction *phi = &b->instructions[k];
        values[k] = (struct operand){.kind = OPERAND_UNDEFINED, .type = phi->type};
        for (uint32_t n = 0; n < phi->number_count; n++)
            if ((uint32_t)phi->numbers[n] == from)
                values[k] = mapped(p, edge, phi, phi->operands[n], true);
        values[k].type = phi->type;
    }
    for (size_t k = 0; k < phis; k++)
        put(p, edge, &b->instructions[k],
            slot_of(p, b->instructions[k].result, b->instructions[k].type), values[k]);
    inliner_jump(p->in, edge, target, &b->instructions[0]);
    memory_free(values);
    return edge;
}

static void make_fork(struct product *p, uint32_t at, uint32_t block, const struct instruction *i,
                      uint32_t thread, const uint32_t *positions)
{
    uint32_t there[THREADS_MOST];
    memcpy(there, positions, p->threads->count * sizeof *there);
    there[thread] = first_piece(p, (uint32_t)i->numbers[0]);
    for (uint32_t k = 1; k < i->number_count; k++) {
        const uint32_t begun = p->threads->thread_of[i->numbers[k]];
        if (positions[begun] != NOT_BEGUN)
            continue;
        const struct block *b = &p->threads->blocks[block];
        for (uint32_t n = 0; n < b->count; n++) {
            const struct instruction *store = &b->instructions[n];
            if (!threads_is_marked(store, OP_STORE, THREADS_NUMBER))
                continue;
            const struct operand both[2] = {inliner_number(store->type.bits, begun + 1),
                                            mapped(p, at, store, store->operands[1], false)};
            push_new(p, at, store, OP_STORE, store->type, both, 2, store->numbers[0]);
            note_value(p, threads_note(p->threads, block, n)->counter, &both[0]);
        }
        there[begun] = first_piece(p, (uint32_t)i->numbers[k]);
        inliner_jump(p->in, at, state_block(p, there, begun), i); // it takes its argument
        return;
    }
    // Where there is no end to them no number of threads proves anything, and few find as much.
    if (p->flat->counts && p->in->fork_in_loop && p->in->instances > THREADS_FEW)
        p->in->open_ended = p->in->too_large = true;
    push_end(p, at, i, OP_CUT, THREADS_MORE_WORDS);
}

static void make_end(struct product *p, uint32_t at, uint32_t block, const struct instruction *i,
                     uint32_t thread, uint32_t *positions)
{
    if (threads_is_marked(i, OP_SWITCH, THREADS_FORK)) {
        make_fork(p, at, block, i, thread, positions);
        return;
    }
    if (threads_is_marked(i, OP_RETURN, THREADS_END)) {
        for (uint32_t k = 0; k < i->operand_count; k++)
            keep_result(p, at, i, thread, mapped(p, at, i, i->operands[k], false));
        positions[thread] = ENDED;
        inliner_jump(p->in, at, state_block(p, positions, thread), i);
        return;
    }
    if (i->op == OP_BRANCH && i->operand_count > 0) {
        const struct operand condition = mapped(p, at, i, i->operands[0], false);
        if (condition.kind == OPERAND_CONSTANT) {
            const uint32_t to = (uint32_t)i->numbers[condition.bits != 0 ? 0 : 1];
            inliner_jump(p->in, at, make_edge(p, positions, thread, block, to), i);
            return;
        }
    }
    struct instruction out = *i;
    const size_t targets = flat_successors(&p->threads->blocks[block], NULL, 0);
    out.operands = inliner_operands(p->in, i->operand_count);
    out.numbers = inliner_numbers(p->in, i->number_count);
    for (uint32_t k = 0; k < i->number_count; k++)
        out.numbers[k] = i->numbers[k];
    for (uint32_t k = 0; k < i->operand_count; k++)
        out.operands[k] = mapped(p, at, i, i->operands[k], false);
    for (size_t k = 0; k < targets; k++)
        out.numbers[k] = make_edge(p, positions, thread, block, (uint32_t)i->numbers[k]);
    inliner_push(p->in, at, &out);
}

// Where nobody sees a loop its thread goes round before others go on; that it does so for ever is the other way.
static uint32_t make_parking(struct product *p, const struct state *s,
                             const struct instruction *like)
{
    const struct program_type word = {PROGRAM_INTEGER, 32};
    const struct operand any = {.kind = OPERAND_FUNCTION, .type = pointer_type, .number = p->any};
    uint32_t positions[THREADS_MOST];
    memcpy(positions, s->positions, p->threads->count * sizeof *positions);
    assert(p->threads->pieces.data[positions[s->running]].step == STEP_OWN);
    positions[s->running] = PARKED;
    const struct operand turn = push_new(p, s->block, like, OP_CALL, word, &any, 1, 0);
    return push_branch(p, s->block, like, turn, inliner_number(32, 1),
                       state_block(p, positions, s->running));
}

static void make_piece(struct product *p, const struct state *s)
{
    uint32_t positions[THREADS_MOST], at = s->block;
    const uint32_t thread = p->thread = s->running, number = s->positions[thread];
    assert(is_live(number));
    const struct thread_piece *piece = &p->threads->pieces.data[number];
    const struct block *b = &p->threads->blocks[piece->block];
    memcpy(positions, s->positions, p->threads->count * sizeof *positions);
    memcpy(p->counters, s->counters, p->threads->counter_count * sizeof *p->counters);
    p->stamps++;
    if (piece->silent && live_count(p, positions) > 1)
        at = make_parking(p, s, &b->instructions[piece->from]);
    for (uint32_t k = piece->from;; k++) {
        const struct instruction *i = &b->instructions[k];
        if (k == piece->to) {
            piece++;
            assert(piece->block == piece[-1].block); // else it has ended above
            positions[thread]++;
            const uint32_t next = next_thread(p, positions, thread);
            if (next != thread) {
                inliner_jump(p->in, at, find_state(p, next, positions), i);
                return;
            }
        }
        if (opcode_ends_block(i->op)) {
            make_end(p, at, piece->block, i, thread, positions);
            return;
        }
        at = make_instruction(p, at, i, thread, positions,
                              threads_note(p->threads, piece->block, k));
        if (at == NO_VALUE)
            return;
    }
}

static uint32_t number_of_function(const struct program *program, const char *name)
{
    const struct function *f = program_find_function(program, name);
    return f == NULL ? NO_VALUE : (uint32_t)(f - program->functions);
}

// Slots that no other thread can see are made once, at the start.
static void make_start(struct product *p)
{
    const uint32_t start = inliner_block(p->in);
    for (size_t b = 0; b < p->threads->block_count; b++) {
        for (size_t k = 0; k < p->threads->blocks[b].count; k++) {
            const struct instruction *i = &p->threads->blocks[b].instructions[k];
            if (i->op != OP_ALLOCA || !p->threads->hoisted[i->result])
                continue;
            struct instruction made = *i;
            made.number_count = 2;
            made.numbers = inliner_numbers(p->in, 2);
            made.numbers[0] = i->number_count > 0 ? i->numbers[0] : 1;
            made.numbers[1] = 1;
            inliner_push(p->in, start, &made);
        }
    }
}

// What a word of a global holds at first.
static void begin_word(struct product *p, const struct thread_word *word)
{
    const struct program_type type = {PROGRAM_INTEGER, 32};
    const struct operand address = {OPERAND_ADDRESS, pointer_type, word->global, word->offset, 0};
    struct operand value;
    if (simplify_initial(p->flat->program, &address, type, 4, &value))
        note_value(p, word->counter, &value);
}

static void make_product(struct product *p)
{
    const struct instruction nowhere = {0};
    const struct program_type number = {PROGRAM_INTEGER, 32};
    uint32_t positions[THREADS_MOST];
    make_start(p);
    for (uint32_t t = 0; t < p->threads->count; t++) {
        positions[t] = NOT_BEGUN;
        p->result_slot[t] = new_slot(p, pointer_type); // what is not used goes
        p->number_slot[t] = new_slot(p, number);
        p->own[t] = memory_alloc((p->flat->program->global_count + 1) * sizeof *p->own[t]);
        for (size_t g = 0; g < p->flat->program->global_count; g++)
            p->own[t][g] = NO_VALUE;
    }
    positions[0] = first_piece(p, 0);
    for (uint32_t c = 0; c < p->threads->counter_count; c++)
        p->counters[c] = NOT_KNOWN;
    for (uint32_t w = 0; w < p->threads->word_count; w++)
        begin_word(p, &p->threads->words[w]);
    const uint32_t first = state_block(p, positions, 0);
    for (size_t k = 0; k < p->states.count && !p->in->too_large && p->refused == NULL; k++) {
        const struct state s = p->states.data[k];
        if (s.running == NOBODY)
            make_choice(p, &s);
        else
            make_piece(p, &s);
    }
    inliner_jump(p->in, 0, first, &nowhere);
}

// Nothing that the program does is asked about any more.
static void make_end_only(struct product *p)
{
    static const struct instruction nowhere = {0};
    push_end(p, inliner_block(p->in), &nowhere, OP_RETURN, NULL);
}

const char *threads_interleave(struct inliner *in, bool counts)
{
    struct threads threads;
    struct flat *flat = in->flat;
    const char *refused = threads_find(&threads, flat, counts);
    if (refused != NULL || threads.count < 2) {
        threads_finish(&threads);
        return refused;
    }
    const struct flat_options *options = in->options;
    const size_t most = options->most_instructions;
    struct flat_options more = *options;
    more.most_instructions = most > SIZE_MAX / THREADS_LARGER ? SIZE_MAX : THREADS_LARGER * most;
    in->options = &more;
    in->instructions = 0;
    struct product p = {.in = in, .flat = flat, .threads = &threads};
    p.old_values = flat->value_count;
    p.assume = number_of_function(flat->program, "__VERIFIER_assume");
    p.race = number_of_function(flat->program, THREADS_RACE);
    p.any = number_of_function(flat->program, THREADS_CHOICE);
    p.now = memory_zalloc((p.old_values + 1) * sizeof *p.now);
    p.stamp = memory_zalloc((p.old_values + 1) * sizeof *p.stamp);
    p.given = memory_zalloc((p.old_values + 1) * sizeof *p.given);
    p.slot = memory_alloc((p.old_values + 1) * sizeof *p.slot);
    for (size_t v = 0; v < p.old_values; v++)
        p.slot[v] = NO_VALUE;
    // The library has them.
    ENSURE(p.assume != NO_VALUE && p.race != NO_VALUE && p.any != NO_VALUE);
    flat->blocks = NULL;
    flat->block_count = flat->block_capacity = 0;
    flat->threads = threads.count;
    // Of threads that begin in a loop there are two copies at least.
    in->raceless =
        options->races && (!in->fork_in_loop || in->instances > 1) && !threads_may_race(&threads);
    if (in->raceless)
        make_end_only(&p);
    else
        make_product(&p);
    for (uint32_t t = 0; t < threads.count; t++)
        memory_free(p.own[t]);
    for (size_t b = 0; b < threads.block_count; b++)
        memory_free(threads.blocks[b].instructions);
    memory_free(threads.blocks);
    VECTOR_FINISH(&p.states);
    hash_index_finish(&p.index);
    memory_free(p.now);
    memory_free(p.stamp);
    memory_free(p.given);
    memory_free(p.slot);
    threads_finish(&threads);
    in->options = options;
    return p.refused;
}
