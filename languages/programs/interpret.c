#include "languages/programs/interpret.h"

#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/float_bits.h"
#include "languages/programs/half.h"
#include "languages/programs/jumps.h"
#include "languages/programs/objects.h"
#include "languages/programs/printing.h"
#include "languages/programs/real.h"
#include "languages/programs/recurrence.h"
#include "languages/programs/rounds.h"
#include "languages/programs/threads.h"
#include "languages/programs/x87.h"

// Addresses: each object has a number of its own, with much room between it and the next, so that a pointer which
// leaves its object meets no other. It begins where its alignment lets it: a block of the heap at
// the largest that is asked for in practice, as its maker does not say.

#define FIRST_ADDRESS 0x10000000u
#define FUNCTION_ADDRESS 0x1000u
#define ROOM 0x10000u
#define ALIGNMENT 16
#define HEAP_ALIGNMENT 4096
#define MOST_BYTES ((uint64_t)1 << 28)
#define LAST_ADDRESS (((uint64_t)1 << 47) - 1)
#define MOST_PRINTED (1 << 20)
#define PRIVATE_ROOM 16       // behind a variable that no pointer leads to
#define MOST_CALLS (1u << 17) // inside one another; a stack of 8 MB has no room for more
#define VALUES_A_STEP 16      // that a call keeps
#define LEAST_STEPS 2000      // before a run is looked at for coming back
#define MOST_TOLD_BYTES ((uint64_t)1 << 18) // of memory, then

// What a closed run knows of a byte of memory, and of a value.
enum shadow {
    SHADOW_ARBITRARY, // never written
    SHADOW_NUMBER,
    SHADOW_ADDRESS, // of an object: as a number it is arbitrary
};

struct memory_object {
    uint64_t address, bytes;
    uint64_t
        place; // what comparisons take for its address: that of a block that was freed, perhaps
    uint8_t *data;
    uint8_t *shadow;                  // where `arbitrary` is kept: enum shadow of each byte
    bool alive, heap, constant, root; // root: a global
    bool left;                        // its function has returned
    bool evaluated;                   // a literal: in this life
    bool nothing;                     // its bytes are not here
    bool hidden;                      // no pointer leads there: only what names it does
    uint32_t frame;                   // of a slot
    uint32_t next_spare;              // a slot that can be used again, plus 1
    const struct instruction *made;
    const char *name, *type;
};

// An object whose life began or ended in a round that is recorded, and what it was before.
struct toggled {
    size_t object;
    bool alive, left;
};

// A byte outside of every object that was read or written.
struct outside_byte {
    uint64_t address;
    uint8_t value;
};

// A function that has not returned.
struct activation {
    uint32_t frame;
    size_t slots; // that there were before
};

// Where a run is: before the block, or (next > 0) inside it.
struct place {
    uint32_t before, block;
    size_t next;
};

// All that a run may know of a value.
struct known_value {
    program_word bits;
    bool pair, unknown, address, arbitrary;
};

// A call of a procedure: where the run goes on, and how much was kept before.
struct invocation {
    const struct instruction *call;
    struct place place;
    uint32_t depth;
    size_t kept;
};

struct interpreter {
    const struct flat *flat;
    const struct program *program;
    const struct program_question *question;
    const struct run_source *source;
    struct run_result *result;
    program_word *values, *pairs; // by value; PAIR: whether it overflowed
    bool *unknown;                // by value: what is not interpreted
    bool closed;
    // Closed runs, by value: a number that came from an address; something that the program does not determine.
    // `arbitrary` also in runs of programs whose calls leave something open (FREEZE_OPEN); NULL in others.
    bool *address, *arbitrary;
    VECTOR(struct memory_object) objects;
    uint64_t next_address, bytes;
    bool beyond; // an access outside of every object goes on
    VECTOR(struct outside_byte) outside;
    struct hash_index outside_index; // by address
    uint32_t *made;                  // by value: objects so far
    // By value, plus 1: the alloca that it is an address in, and the next such value. NULL: not looked for yet.
    uint32_t *slot, *next_in_slot;
    bool *exposed;   // by value of an alloca: its address is kept somewhere
    uint32_t *spare; // by value of an alloca: an object of it whose function has returned, plus 1
    struct rounds *rounds;         // NULL: each round is run
    struct recurrence *recurrence; // NULL: not looked for, or not yet
    VECTOR(struct toggled) toggled;
    VECTOR(struct activation) active;
    VECTOR(size_t) slots; // of these, in their order
    struct place place;
    uint32_t depth;                   // of calls around the procedure that runs, beyond its frames'
    VECTOR(struct invocation) calls;  // of procedures
    VECTOR(struct known_value) kept;  // of procedures that have called others
    VECTOR(struct known_value) given; // to the procedure that was called last
    uint32_t *running;                // by procedure: calls that have not returned
    VECTOR(size_t) freed;             // blocks whose places are not taken again
    size_t moved; // the block, plus 1, that lies where the one does that is freed next; 0: none
    bool stopped;
    const struct instruction *at;
    unsigned line, column;
    const char *file;
};

static void stop(struct interpreter *in, enum run_end end, const char *what)
{
    if (in->stopped)
        return;
    in->stopped = true;
    in->result->end = end;
    in->result->what = what;
    if (in->at != NULL)
        in->result->at = in->at->at;
}

static void tell(struct interpreter *in, struct run_event event)
{
    const struct flat_frame *frame = &in->flat->frames[in->at->frame];
    const bool procedure =
        in->calls.count > 0 && frame->depth == 1; // itself, and nothing that it calls
    const bool call = event.kind == EVENT_ENTER || event.kind == EVENT_LEAVE;
    event.instruction = in->at;
    event.frame = in->at->frame;
    event.depth = in->depth + frame->depth;
    event.at = call && procedure ? VECTOR_LAST(&in->calls).call->at : in->at->at;
    if (in->source != NULL && in->source->listen != NULL)
        in->source->listen(in->source->context, &event);
}

static uint32_t width_of(const struct interpreter *in, struct program_type type)
{
    return type.kind == PROGRAM_POINTER ? in->program->pointer_bits : type.bits;
}

// Objects.

// What an object holds is here, but for one that is too large for that.
static uint64_t held(const struct memory_object *o)
{
    return o->nothing || o->bytes > MOST_BYTES ? 0 : o->bytes;
}

static struct memory_object *place_object(struct interpreter *in, struct memory_object o,
                                          uint64_t alignment, uint64_t room)
{
    const uint64_t bytes = o.bytes;
    const bool tight = in->source != NULL && in->source->tight;
    alignment = alignment < ALIGNMENT && !tight ? ALIGNMENT : alignment == 0 ? 1 : alignment;
    in->next_address = (in->next_address + alignment - 1) & ~(alignment - 1);
    if (tight && (in->next_address & alignment) == 0)
        in->next_address += alignment;
    o.address = o.place = in->next_address;
    o.alive = true;
    const uint64_t last = in->program->pointer_bits == 32 ? UINT32_MAX : LAST_ADDRESS;
    if (in->next_address > last || bytes > last - in->next_address ||
        in->bytes + held(&o) > MOST_BYTES) {
        stop(in, RUN_LIMIT, "too much memory");
        o.bytes = 0;
    }
    // object_at looks for them in order.
    ENSURE(in->objects.count == 0 ||
           VECTOR_LAST(&in->objects).address + VECTOR_LAST(&in->objects).bytes < o.address);
    in->bytes += held(&o);
    o.data = memory_zalloc(held(&o) + 1);
    o.shadow = in->arbitrary != NULL && held(&o) == o.bytes ? memory_zalloc(o.bytes + 1) : NULL;
    in->next_address += o.bytes + room;
    VECTOR_PUSH(&in->objects, o);
    return &VECTOR_LAST(&in->objects);
}

static struct memory_object *new_object(struct interpreter *in, uint64_t bytes, uint64_t alignment,
                                        uint64_t room)
{
    return place_object(in, (struct memory_object){.bytes = bytes}, alignment, room);
}

// How many objects begin there or before.
static size_t objects_up_to(const struct interpreter *in, uint64_t address)
{
    size_t low = 0, high = in->objects.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (in->objects.data[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low <= in->objects.count);
    return low;
}

static struct memory_object *object_at(struct interpreter *in, uint64_t address)
{
    const size_t count = objects_up_to(in, address);
    struct memory_object *o = count == 0 ? NULL : &in->objects.data[count - 1];
    return o != NULL && address - o->address <= o->bytes ? o : NULL;
}

static void undefined(struct interpreter *in, uint64_t address, const char *what)
{
    if (address >= FLAT_ARGUMENTS && address < FIRST_ADDRESS - ROOM) {
        stop(in, RUN_UNSUPPORTED, "what main is given");
        return;
    }
    bool asked = in->question->property == PROPERTY_MEMSAFETY && in->question->deref;
    stop(in, asked ? RUN_VIOLATION : RUN_UNDEFINED, asked ? "valid-deref" : what);
}

static bool is_inside(const struct memory_object *o, uint64_t address, uint64_t bytes)
{
    return o != NULL && o->alive && bytes <= o->bytes && address - o->address <= o->bytes - bytes;
}

// The access says whose bytes it means: a variable that has no pointer is met by no other.
static bool names(const struct interpreter *in, const struct memory_object *o)
{
    bool found = !o->hidden;
    for (uint32_t k = 0; k < in->at->operand_count && !found; k++) {
        const struct operand *operand = &in->at->operands[k];
        const uint32_t slot = operand->kind == OPERAND_VALUE ? in->slot[operand->number] : 0;
        found = slot != 0 && in->values[slot - 1] == o->address;
    }
    return found;
}

static uint8_t *bytes_at(struct interpreter *in, uint64_t address, uint64_t bytes,
                         struct memory_object **object)
{
    struct memory_object *o = object_at(in, address);
    *object = o;
    if (!is_inside(o, address, bytes) || !names(in, o)) {
        undefined(in, address, "an access outside of every object");
        return NULL;
    }
    if (held(o) < o->bytes) {
        stop(in, RUN_LIMIT, "too much memory");
        return NULL;
    }
    return o->data + (address - o->address);
}

static uint8_t *bytes_to_write(struct interpreter *in, uint64_t address, uint64_t bytes,
                               struct memory_object **object)
{
    uint8_t *out = bytes_at(in, address, bytes, object);
    if (out != NULL && (*object)->constant) {
        undefined(in, address, "a store to a constant");
        return NULL;
    }
    return out;
}

// Closed runs.

static void need_input(struct interpreter *in)
{
    if (in->closed)
        stop(in, RUN_OPEN, "something arbitrary");
    else
        stop(in, RUN_UNSUPPORTED, "what a call by another type leaves open");
}

static program_word ask(struct interpreter *in, const struct instruction *i)
{
    assert(in->closed || in->source != NULL);
    if (!in->closed)
        return in->source->input(in->source->context, i);
    need_input(in);
    return 0;
}

// In a closed run what is arbitrary may be kept, as long as nobody looks at it.
static bool keep_arbitrary(struct interpreter *in, const struct instruction *i)
{
    if (in->closed)
        in->arbitrary[i->result] = true;
    return in->closed;
}

static bool is_arbitrary(const struct interpreter *in, const struct operand *o)
{
    return (in->closed && o->kind == OPERAND_UNDEFINED) ||
           (in->arbitrary != NULL && o->kind == OPERAND_VALUE && in->arbitrary[o->number]);
}

static void fill_object(struct interpreter *in, const struct instruction *i, uint32_t time,
                        struct memory_object *o)
{
    if (in->source != NULL)
        in->source->fill(in->source->context, i, time, o->data, held(o));
    if (o->shadow != NULL)
        memset(o->shadow, in->source != NULL ? SHADOW_NUMBER : SHADOW_ARBITRARY, o->bytes);
}

static void mark_bytes(struct memory_object *o, uint64_t address, uint64_t bytes,
                       enum shadow shadow)
{
    assert(o == NULL || (address >= o->address && address - o->address + bytes <= o->bytes));
    if (o != NULL && o->shadow != NULL)
        memset(o->shadow + (address - o->address), (int)shadow, bytes);
}

// What a load of these bytes gives is determined: numbers, or one whole address where a pointer is loaded.
static void check_known(struct interpreter *in, const struct memory_object *o, uint64_t address,
                        uint64_t bytes, bool pointer)
{
    if (o == NULL || o->shadow == NULL)
        return;
    for (uint64_t i = 0; i < bytes; i++) {
        uint8_t shadow = o->shadow[address - o->address + i];
        if (shadow == SHADOW_ARBITRARY || (in->closed && shadow == SHADOW_ADDRESS && !pointer))
            need_input(in);
    }
}

// Operands.

static uint64_t global_address(const struct interpreter *in, uint32_t number)
{
    assert(number < in->program->global_count && in->objects.data[number].root);
    return in->objects.data[number].address;
}

static program_word operand(struct interpreter *in, const struct operand *o)
{
    uint32_t bits = width_of(in, o->type);
    switch (o->kind) {
    case OPERAND_VALUE:
        if (in->unknown[o->number] && in->closed && in->source == NULL)
            need_input(in); // what was printed may be an input's
        else if (in->unknown[o->number])
            stop(in, RUN_UNSUPPORTED, "the result of a function that prints");
        if (is_arbitrary(in, o))
            need_input(in);
        return in->values[o->number];
    case OPERAND_CONSTANT:
        return program_low_bits(o->bits, bits);
    case OPERAND_ADDRESS:
        return program_low_bits(global_address(in, o->number) + (uint64_t)o->offset, bits);
    case OPERAND_FUNCTION:
        return FUNCTION_ADDRESS + 16 * (program_word)o->number;
    case OPERAND_FIXED:
        return program_low_bits((uint64_t)o->offset, bits);
    case OPERAND_UNDEFINED: {
        program_word asked = ask(in, in->at);
        return o->number != 0 ? 0 : program_low_bits(asked, bits);
    }
    default:
        stop(in, RUN_UNSUPPORTED, "an operand");
        return 0;
    }
}

// Outside of every object.

static bool goes_on_outside(struct interpreter *in, uint64_t address, uint64_t bytes)
{
    if (!in->beyond || address < ARBITRARY_ADDRESS || bytes > 16 || address + bytes <= address ||
        is_inside(object_at(in, address), address, bytes))
        return false;
    if (address >= FLAT_ARGUMENTS && address < FIRST_ADDRESS - ROOM)
        return false;
    // The functions of our own library have no places: where they were called from.
    if (in->result->outside.line == 0)
        in->result->outside = (struct position){in->file, in->line, in->column};
    return true;
}

// The byte at this address: of an object that ends or begins among those accessed, or of none; it is `fresh` when nobody read
// or wrote it before.
static uint8_t *byte_outside(struct interpreter *in, uint64_t address, uint8_t fresh)
{
    struct memory_object *o = object_at(in, address);
    if (is_inside(o, address, 1) && held(o) == o->bytes)
        return &o->data[address - o->address];
    uint64_t hash = hash_mix(address);
    struct hash_probe probe = hash_index_probe(&in->outside_index, hash);
    for (uint32_t k; hash_index_next(&in->outside_index, &probe, &k);) {
        if (in->outside.data[k].address == address)
            return &in->outside.data[k].value;
    }
    hash_index_add(&in->outside_index, hash, (uint32_t)in->outside.count);
    VECTOR_PUSH(&in->outside, ((struct outside_byte){address, fresh}));
    return &VECTOR_LAST(&in->outside).value;
}

static program_word load_outside(struct interpreter *in, uint64_t address, uint64_t bytes,
                                 program_word arbitrary)
{
    program_word out = 0;
    assert(bytes <= sizeof out);
    for (uint64_t i = 0; i < bytes; i++)
        out |= (program_word)*byte_outside(in, address + i, (uint8_t)(arbitrary >> (8 * i)))
               << (8 * i);
    return out;
}

static void store_outside(struct interpreter *in, uint64_t address, uint64_t bytes,
                          program_word value)
{
    assert(bytes <= sizeof value);
    for (uint64_t i = 0; i < bytes; i++)
        *byte_outside(in, address + i, 0) = (uint8_t)(value >> (8 * i));
}

static program_word load_bits(struct interpreter *in, uint64_t address, uint64_t bytes,
                              bool pointer)
{
    program_word out = 0;
    struct memory_object *o;
    uint8_t *from = bytes_at(in, address, bytes, &o);
    if (from != NULL)
        check_known(in, o, address, bytes, pointer);
    for (uint64_t i = 0; from != NULL && i < bytes && i < 16; i++)
        out |= (program_word)from[i] << (8 * i);
    return out;
}

// Nobody wrote a byte of what is there.
static bool holds_anything(const struct memory_object *o, uint64_t address, uint64_t bytes)
{
    if (!is_inside(o, address, bytes) || o->shadow == NULL)
        return false;
    const uint8_t *shadow = o->shadow + (address - o->address);
    uint64_t i = 0;
    while (i < bytes && shadow[i] == SHADOW_ARBITRARY)
        i++;
    return i == bytes;
}

// A number of x87 in the 12 or 16 bytes that it has.
static bool is_padded(const struct memory_object *o, uint64_t bytes)
{
    return bytes == X87_BITS / 8 && o->bytes <= 16 && o->type != NULL &&
           strcmp(o->type, "long double") == 0;
}

static void tell_store(struct interpreter *in, const struct memory_object *o, uint64_t address,
                       uint64_t bytes, program_word value)
{
    if (in->source == NULL || in->source->listen == NULL || (o->name == NULL && !o->heap))
        return;
    struct run_event event = {.kind = EVENT_STORE,
                              .bits = value,
                              .width = (uint32_t)(8 * bytes),
                              .name = o->name,
                              .type = o->type == NULL ? "" : o->type,
                              .made = o->made,
                              .offset = address - o->address,
                              .whole = address == o->address &&
                                       (bytes == o->bytes || is_padded(o, bytes))};
    const struct instruction *i = in->at;
    event.pointer = i->op == OP_STORE && i->operands[0].type.kind == PROGRAM_POINTER;
    const struct memory_object *to = event.pointer ? object_at(in, (uint64_t)value) : NULL;
    if (to != NULL) {
        event.points = true;
        event.target = to->name;
        event.target_made = to->made;
        event.target_offset = (uint64_t)value - to->address;
    }
    tell(in, event);
}

static void store_bits(struct interpreter *in, uint64_t address, uint64_t bytes, program_word value,
                       enum shadow shadow)
{
    struct memory_object *o;
    if (goes_on_outside(in, address, bytes)) {
        if (shadow == SHADOW_ARBITRARY)
            need_input(in); // nothing is noted of what is there
        store_outside(in, address, bytes, value);
        return;
    }
    uint8_t *to = bytes_to_write(in, address, bytes, &o);
    if (to == NULL)
        return;
    for (uint64_t i = 0; i < bytes && i < 16; i++)
        to[i] = (uint8_t)(value >> (8 * i));
    mark_bytes(o, address, bytes, shadow);
    tell_store(in, o, address, bytes, value);
}

// Integers.

static void overflow_check(struct interpreter *in, program_word b, program_word a, uint32_t bits)
{
    if (program_low_bits(b, bits) == 0)
        stop(in, RUN_UNDEFINED, "a division by zero");
    else if (program_as_signed(b, bits) == -1 && program_low_bits(a, bits) == (program_word)1
                                                                                  << (bits - 1))
        stop(in, RUN_UNDEFINED, "a quotient that does not fit");
}

static program_word divide(struct interpreter *in, enum opcode op, program_word a, program_word b,
                           uint32_t bits)
{
    if (program_low_bits(b, bits) == 0) {
        stop(in, RUN_UNDEFINED, "a division by zero");
        return 0;
    }
    if (op == OP_UDIV)
        return a / b;
    if (op == OP_UREM)
        return a % b;
    overflow_check(in, b, a, bits);
    if (in->stopped)
        return 0;
    __int128 x = program_as_signed(a, bits), y = program_as_signed(b, bits);
    return op == OP_SDIV ? (program_word)(x / y) : (program_word)(x % y);
}

static program_word shift(struct interpreter *in, enum opcode op, program_word a, program_word b,
                          uint32_t bits)
{
    if (b >= bits) {
        stop(in, RUN_UNDEFINED, "a shift by too much");
        return 0;
    }
    return op == OP_SHL    ? a << b
           : op == OP_LSHR ? a >> b
                           : (program_word)(program_as_signed(a, bits) >> b);
}

static program_word integer(struct interpreter *in, enum opcode op, program_word a, program_word b,
                            uint32_t bits)
{
    switch (op) {
    case OP_ADD:
        return a + b;
    case OP_SUB:
        return a - b;
    case OP_MUL:
        return a * b;
    case OP_AND:
        return a & b;
    case OP_OR:
        return a | b;
    case OP_XOR:
        return a ^ b;
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR:
        return shift(in, op, a, b, bits);
    default:
        return divide(in, op, a, b, bits);
    }
}

static bool compare(uint64_t predicate, program_word a, program_word b, uint32_t bits)
{
    __int128 x = program_as_signed(a, bits), y = program_as_signed(b, bits);
    switch (predicate) {
    case COMPARE_EQ:
        return a == b;
    case COMPARE_NE:
        return a != b;
    case COMPARE_UGT:
        return a > b;
    case COMPARE_UGE:
        return a >= b;
    case COMPARE_ULT:
        return a < b;
    case COMPARE_ULE:
        return a <= b;
    case COMPARE_SGT:
        return x > y;
    case COMPARE_SGE:
        return x >= y;
    case COMPARE_SLT:
        return x < y;
    default:
        return x <= y;
    }
}

// Floats, as bits.

// LLVM's predicates: 1 equal, 2 greater, 4 less, 8 unordered, or-ed together.
static bool float_compare(uint64_t predicate, long double x, long double y)
{
    unsigned relation = x == y ? 1 : x > y ? 2 : x < y ? 4 : 8;
    return (predicate & relation) != 0;
}

// Every float is one of these, too.
static long double any_float(program_word bits, uint32_t width)
{
    return width == HALF_BITS  ? half_number((uint16_t)bits)
           : width == 32       ? float_of_bits(bits)
           : width == X87_BITS ? x87_number(bits)
                               : double_of_bits(bits);
}

static program_word rounded_float(long double number, uint32_t width)
{
    return width == HALF_BITS  ? half_bits(number)
           : width == 32       ? bits_of_float((float)number)
           : width == X87_BITS ? x87_bits(number)
                               : bits_of_double((double)number);
}

// Volatile keeps the compiler from fusing or folding in another precision.
static program_word float_operation(enum opcode op, program_word a, program_word b, uint32_t bits)
{
    if (bits == X87_BITS) {
        volatile long double x = x87_number(a), y = x87_number(b), z = 0;
        z = op == OP_FADD   ? x + y
            : op == OP_FSUB ? x - y
            : op == OP_FMUL ? x * y
            : op == OP_FDIV ? x / y
                            : fmodl(x, y);
        return x87_bits(z);
    }
    if (bits == 32) {
        volatile float x = float_of_bits(a), y = float_of_bits(b), z = 0;
        z = op == OP_FADD   ? x + y
            : op == OP_FSUB ? x - y
            : op == OP_FMUL ? x * y
            : op == OP_FDIV ? x / y
                            : fmodf(x, y);
        return bits_of_float(z);
    }
    // A double has so many more bits than a half that rounding twice is rounding once (Figueroa 1995).
    const bool half = bits == HALF_BITS;
    volatile double x = half ? (double)half_number((uint16_t)a) : double_of_bits(a),
                    y = half ? (double)half_number((uint16_t)b) : double_of_bits(b), z = 0;
    z = op == OP_FADD   ? x + y
        : op == OP_FSUB ? x - y
        : op == OP_FMUL ? x * y
        : op == OP_FDIV ? x / y
                        : fmod(x, y);
    return half ? half_bits(z) : bits_of_double(z);
}

// Rounded once.
static program_word float_of_integer(program_word a, uint32_t bits, bool sign, uint32_t width)
{
    __int128 number = program_as_signed(a, bits);
    // Exact first. With more bits the compiler's own function is at work, which rounds to the nearest only.
    if (sign ? number == (int64_t)number : a == (uint64_t)a)
        return rounded_float(sign ? (long double)(int64_t)number : (long double)(uint64_t)a, width);
    if (width == HALF_BITS) // too large, however it is rounded
        return half_bits(sign ? (long double)number : (long double)a);
    if (width == 32)
        return bits_of_float(sign ? (float)number : (float)a);
    if (width == X87_BITS)
        return x87_bits(sign ? (long double)number : (long double)a);
    return bits_of_double(sign ? (double)number : (double)a);
}

static program_word float_cast(struct interpreter *in, const struct instruction *i, program_word a)
{
    uint32_t from = width_of(in, i->operands[0].type), to = width_of(in, i->type);
    if (i->op == OP_UITOFP || i->op == OP_SITOFP)
        return float_of_integer(a, from, i->op == OP_SITOFP, to);
    long double d = any_float(a, from);
    if (i->op == OP_FPTRUNC || i->op == OP_FPEXT)
        return rounded_float(d, to);
    // Towards zero: what lies less than one outside of the type's range is in it then.
    d = truncl(d);
    bool fits = i->op == OP_FPTOUI ? d >= 0 && d < ldexpl(1, (int)to)
                                   : d >= -ldexpl(1, (int)to - 1) && d < ldexpl(1, (int)to - 1);
    if (!fits) {
        stop(in, RUN_UNDEFINED, "a float that no integer of the type stands for");
        return 0;
    }
    return i->op == OP_FPTOUI ? (program_word)d : (program_word)(__int128)d;
}

// Instructions.

// The bits stand for an address rather than for a number.
static bool is_address(const struct interpreter *in, const struct operand *o, program_word value)
{
    bool number = in->address != NULL && o->kind == OPERAND_VALUE && in->address[o->number];
    return number || (o->type.kind == PROGRAM_POINTER && value >= FUNCTION_ADDRESS);
}

static void define(struct interpreter *in, const struct instruction *i, program_word value)
{
    assert(i->result < in->flat->value_count);
    in->values[i->result] = program_low_bits(value, width_of(in, i->type));
    if (in->arbitrary != NULL)
        in->arbitrary[i->result] = false;
}

static void find_name(const struct interpreter *in, const struct instruction *i,
                      struct memory_object *o)
{
    const struct flat_frame *frame = &in->flat->frames[i->frame];
    const struct function *f = &in->program->functions[frame->function];
    for (size_t n = 0; n < f->name_count; n++) {
        if (frame->value_base + f->names[n].value == i->result) {
            o->name = f->names[n].name;
            o->type = f->names[n].type;
        }
    }
}

static void computed_address(struct interpreter *in, const struct instruction *i)
{
    assert(i->number_count == i->operand_count);
    uint64_t address = operand(in, &i->operands[0]) + (uint64_t)i->numbers[0];
    for (uint32_t k = 1; k < i->operand_count; k++) {
        uint32_t bits = width_of(in, i->operands[k].type);
        address += (uint64_t)program_as_signed(operand(in, &i->operands[k]), bits) *
                   (uint64_t)i->numbers[k];
    }
    define(in, i, address);
}

static void cast(struct interpreter *in, const struct instruction *i, program_word a)
{
    uint32_t from = width_of(in, i->operands[0].type);
    if (i->op >= OP_FPTOUI && i->op <= OP_FPEXT)
        define(in, i, float_cast(in, i, a));
    else if (i->op == OP_SEXT)
        define(in, i, (program_word)program_as_signed(a, from));
    else
        define(in, i, a);
}

static bool too_wide(struct program_type type)
{
    bool odd = type.kind == PROGRAM_FLOAT && type.bits != HALF_BITS && type.bits != 32 &&
               type.bits != 64 && !(type.bits == X87_BITS && X87_HERE);
    return type.bits > 128 || odd || type.kind == PROGRAM_OTHER;
}

static void copy_memory(struct interpreter *in, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct memory_object *o;
    if (bytes == 0)
        return;
    uint8_t *source = bytes_at(in, from, bytes, &o);
    uint8_t *target = source == NULL ? NULL : bytes_to_write(in, to, bytes, &o);
    if (target == NULL)
        return;
    memmove(target, source, bytes);
    struct memory_object *origin = object_at(in, from);
    if (o->shadow != NULL && origin != NULL && origin->shadow != NULL)
        memmove(o->shadow + (to - o->address), origin->shadow + (from - origin->address), bytes);
    tell_store(in, o, to, 0, 0);
}

static void fill_memory(struct interpreter *in, uint64_t to, uint64_t byte, uint64_t bytes)
{
    struct memory_object *o;
    uint8_t *target = bytes == 0 ? NULL : bytes_to_write(in, to, bytes, &o);
    if (target == NULL)
        return;
    memset(target, (int)(byte & 255), bytes);
    mark_bytes(o, to, bytes, SHADOW_NUMBER);
    tell_store(in, o, to, 0, 0);
}

// Loss: what is reachable from globals and active frames, word by word.

struct search {
    bool *seen; // by object
    // In a run that may go on a pointer that has left its object may come back: what it is near to counts as reached.
    bool near;
    VECTOR(size_t) stack;
};

static void reach_object(const struct interpreter *in, struct search *s, size_t index)
{
    if (index < in->objects.count && !s->seen[index] && in->objects.data[index].alive) {
        s->seen[index] = true;
        VECTOR_PUSH(&s->stack, index);
    }
}

static void reach_address(struct interpreter *in, struct search *s, uint64_t address)
{
    const struct memory_object *to = object_at(in, address);
    const size_t next = objects_up_to(in, address);
    if (to != NULL)
        reach_object(in, s, (size_t)(to - in->objects.data));
    if (!s->near)
        return;
    if (next > 0)
        reach_object(in, s, next - 1);
    if (next < in->objects.count && in->objects.data[next].address - address < ROOM)
        reach_object(in, s, next);
}

static void mark(struct interpreter *in, struct search *s)
{
    uint64_t word = in->program->pointer_bits / 8;
    while (s->stack.count > 0) {
        const size_t index = VECTOR_POP(&s->stack);
        assert(s->seen[index] && "nothing is looked through twice");
        const struct memory_object *o = &in->objects.data[index];
        for (uint64_t at = 0; at + word <= held(o); at++) {
            uint64_t address = 0;
            memcpy(&address, o->data + at, word);
            reach_address(in, s, address);
        }
    }
}

// A value may hold several pointers.
static void reach_held(struct interpreter *in, struct search *s, uint32_t value)
{
    for (uint32_t from = 0; from + in->program->pointer_bits <= 128; from += 8) {
        const program_word words[] = {in->values[value] >> from, in->pairs[value] >> from};
        for (size_t k = 0; k < 2; k++)
            reach_address(in, s, (uint64_t)program_low_bits(words[k], in->program->pointer_bits));
    }
}

// Values that this block has computed, or that another block than its own looks at.
static void reach_values(struct interpreter *in, struct search *s, uint32_t block)
{
    const struct flat *f = in->flat;
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (b == block && instruction_defines(i))
                reach_held(in, s, i->result);
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand *o = &i->operands[n];
                if (o->kind == OPERAND_VALUE && (i->op == OP_PHI || f->definition[o->number] != b))
                    reach_held(in, s, o->number);
            }
        }
    }
}

// In the middle of a block its values track, too; NO_BLOCK: where the program ends.
#define NO_BLOCK UINT32_MAX

static bool has_blocks(const struct interpreter *in)
{
    size_t i = 0;
    while (i < in->objects.count && !(in->objects.data[i].heap && in->objects.data[i].alive))
        i++;
    return i < in->objects.count;
}

static bool something_lost(struct interpreter *in, bool after_main, uint32_t block)
{
    if (!has_blocks(in))
        return false; // much memory of variables would be looked through for nothing
    struct search s = {.seen = memory_zalloc(in->objects.count + 1), .near = block != NO_BLOCK};
    bool lost = false;
    for (size_t i = 0; i < in->objects.count; i++) {
        const struct memory_object *o = &in->objects.data[i];
        if (!s.seen[i] && (o->root || (o->made != NULL && !o->heap && !o->left && !after_main))) {
            s.seen[i] = true;
            VECTOR_PUSH(&s.stack, i);
        }
    }
    if (block != NO_BLOCK)
        reach_values(in, &s, block);
    mark(in, &s);
    for (size_t i = 0; i < in->objects.count; i++)
        lost = lost || (in->objects.data[i].heap && in->objects.data[i].alive && !s.seen[i]);
    VECTOR_FINISH(&s.stack);
    memory_free(s.seen);
    return lost;
}

// When main has returned, its variables track nothing any more.
static void check_loss(struct interpreter *in, bool after_main)
{
    if (in->question->property == PROPERTY_MEMSAFETY && in->question->track &&
        something_lost(in, after_main, NO_BLOCK))
        stop(in, RUN_VIOLATION, "valid-memtrack");
}

// Where a program computes with addresses a pointer may be in memory in other words (a list linked by `a ^ b`).
static bool hides_addresses(const struct flat *f)
{
    bool *number = memory_zalloc(f->value_count + 1), hides = false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t b = 0; b < f->block_count; b++) {
            for (size_t k = 0; k < f->blocks[b].count; k++) {
                const struct instruction *i = &f->blocks[b].instructions[k];
                const bool plain = i->op == OP_ICMP || i->op == OP_SUB || i->op == OP_INTTOPTR;
                if (pass == 0 && i->op == OP_PTRTOINT)
                    number[i->result] = true;
                for (uint32_t n = 0; pass == 1 && !plain && n < i->operand_count; n++)
                    hides = hides ||
                            (i->operands[n].kind == OPERAND_VALUE && number[i->operands[n].number]);
            }
        }
    }
    memory_free(number);
    return hides;
}

// What is lost stays so, in a run that does not come to its end, too. What callers hold of their values is not looked through.
static void check_loss_so_far(struct interpreter *in, uint32_t block)
{
    assert(block < in->flat->block_count);
    if (in->result->end != RUN_LIMIT || in->question->property != PROPERTY_MEMSAFETY ||
        !in->question->track || in->calls.count > 0 || hides_addresses(in->flat) ||
        !something_lost(in, false, block))
        return;
    in->result->end = RUN_VIOLATION;
    in->result->what = "valid-memtrack";
}

static bool something_left(const struct interpreter *in)
{
    for (size_t i = 0; i < in->objects.count; i++) {
        if (in->objects.data[i].heap && in->objects.data[i].alive)
            return in->question->property == PROPERTY_MEMCLEANUP;
    }
    return false;
}

static void check_end(struct interpreter *in, bool after_main)
{
    check_loss(in, after_main);
    if (something_left(in))
        stop(in, RUN_VIOLATION, "valid-memcleanup");
    stop(in, RUN_ENDED, "the program ended");
}

// As allocators do: a block lies where the last one of its size was that is freed.
static void take_place(struct interpreter *in, struct memory_object *o)
{
    for (size_t k = in->freed.count; k > 0; k--) {
        const struct memory_object *before = &in->objects.data[in->freed.data[k - 1]];
        assert(before->heap && !before->alive);
        if (before->bytes != o->bytes)
            continue;
        o->place = before->place;
        in->freed.count--;
        memmove(&in->freed.data[k - 1], &in->freed.data[k],
                (in->freed.count - (k - 1)) * sizeof *in->freed.data);
        return;
    }
}

static void allocate(struct interpreter *in, const struct instruction *i, const char *name)
{
    uint64_t a = operand(in, &i->operands[1]);
    bool zeroed = strcmp(name, "calloc") == 0;
    program_word bytes = zeroed ? a * operand(in, &i->operands[2]) : a;
    if (zeroed && bytes != program_low_bits(bytes, in->program->pointer_bits)) {
        define(in, i, 0); // there is no such size: null
        return;
    }
    struct memory_object *o = new_object(
        in, (uint64_t)program_low_bits(bytes, in->program->pointer_bits), HEAP_ALIGNMENT, ROOM);
    if (in->stopped)
        return; // there is no such block
    o->heap = strstr(name, "alloca") == NULL;
    o->made = i;
    o->frame = i->frame;
    if (!o->heap)
        VECTOR_PUSH(&in->slots, in->objects.count - 1);
    if (strcmp(name, MOVES_BLOCK) == 0 && in->source != NULL && in->source->in_place)
        in->moved = (size_t)(o - in->objects.data) + 1;
    else if (o->heap)
        take_place(in, o);
    const uint32_t number = in->made[i->result]++;
    if (number >= in->result->blocks)
        in->result->blocks = number + 1;
    if (!zeroed)
        fill_object(in, i, number, o);
    else
        mark_bytes(o, o->address, o->bytes, SHADOW_NUMBER);
    define(in, i, o->address);
}

// What main is given: pointers to texts and null, and the texts, each as far as the first zero.

#define MOST_TEXTS 0x1000u
#define MOST_TEXT 0x1000u

static void tell_text(struct interpreter *in, const char *name, uint64_t which,
                      const uint8_t *bytes, uint64_t length)
{
    struct run_event event = {.kind = bytes == NULL ? EVENT_COUNT : EVENT_TEXT,
                              .bits = which,
                              .name = name,
                              .text = (const char *)bytes,
                              .length = length};
    tell(in, event);
}

// Those who listen are told a text by the name that it has where it is not called otherwise.
static const char *text_name(struct interpreter *in, const char *name, uint64_t which)
{
    char out[40];
    snprintf(out, sizeof out, "%s[%llu]", name, (unsigned long long)which);
    return in->source->listen == NULL ? NULL : arena_strdup((struct arena *)&in->flat->arena, out);
}

static uint64_t give_text(struct interpreter *in, const struct instruction *i, const char *name,
                          uint64_t which)
{
    uint8_t bytes[MOST_TEXT] = {0};
    in->source->fill(in->source->context, i, (uint32_t)which, bytes, sizeof bytes - 1);
    const uint64_t length = strnlen((const char *)bytes, sizeof bytes - 1);
    struct memory_object *o = new_object(in, length + 1, 1, ROOM);
    o->made = i;
    o->name = text_name(in, name, which);
    o->type = "char[]";
    memcpy(o->data, bytes, o->bytes);
    mark_bytes(o, o->address, o->bytes, SHADOW_NUMBER);
    tell_text(in, name, which, bytes, length);
    return o->address;
}

static void give_texts(struct interpreter *in, const struct instruction *i, const char *maker)
{
    const uint64_t word = in->program->pointer_bits / 8;
    const uint64_t count = (uint64_t)operand(in, &i->operands[1]);
    const char *name = strcmp(maker, GIVES_ARGUMENTS) == 0 ? "argv" : "envp";
    if (in->source == NULL) {
        need_input(in);
        return;
    }
    const struct memory_object words = {
        .bytes = word * (count + 1), .made = i, .nothing = count > MOST_TEXTS};
    const size_t at = in->objects.count;
    const uint64_t address = place_object(in, words, word, ROOM)->address;
    tell_text(in, name, count, NULL, 0);
    for (uint64_t k = 0; k < count && !words.nothing && !in->stopped; k++) {
        uint64_t text = give_text(in, i, name, k);
        for (uint64_t b = 0; b < word; b++)
            in->objects.data[at].data[k * word + b] = (uint8_t)(text >> (8 * b));
    }
    if (!words.nothing && !in->stopped) {
        mark_bytes(&in->objects.data[at], address, word * count, SHADOW_ADDRESS);
        mark_bytes(&in->objects.data[at], address + word * count, word, SHADOW_NUMBER);
    }
    define(in, i, address);
}

// realloc of what free would not take.
static uint64_t block_size(struct interpreter *in, uint64_t address)
{
    struct memory_object *o = object_at(in, address);
    if (o != NULL && o->heap && o->alive && o->address == address)
        return o->bytes;
    bool asked = in->question->property == PROPERTY_MEMSAFETY && in->question->free;
    stop(in, asked ? RUN_VIOLATION : RUN_UNDEFINED,
         asked ? "valid-free" : "an invalid call of realloc");
    return 0;
}

static void may_live_again(struct interpreter *in, uint64_t address)
{
    struct memory_object *o = object_at(in, address);
    if (in->question->property != PROPERTY_MEMSAFETY)
        return; // one object for all its lives, as in the model
    if (o != NULL && o->evaluated)
        stop(in, RUN_UNSUPPORTED, "a variable that may live again");
    else if (o != NULL)
        o->evaluated = true;
}

static void pointer_kept(struct interpreter *in)
{
    if (in->question->property == PROPERTY_MEMSAFETY)
        stop(in, RUN_UNSUPPORTED, POINTER_KEPT_WORDS);
}

// What this machine computes, in the direction to the nearest. Not where a run shall be the only one.
static bool real_call(struct interpreter *in, const struct instruction *i, const char *name)
{
    uint64_t arguments[2] = {0, 0}, value = 0;
    const uint32_t count = i->operand_count - 1;
    for (uint32_t k = 0; k < count && k < 2; k++)
        arguments[k] = (uint64_t)operand(in, &i->operands[k + 1]);
    if (!real_function(name, arguments, count, &value))
        return false;
    if (in->closed)
        stop(in, RUN_UNSUPPORTED, "a function of mathematics");
    define(in, i, value);
    return true;
}

static void functions_left(struct interpreter *in)
{
    if (in->question->property == PROPERTY_MEMSAFETY)
        stop(in, RUN_BOUND, LEAVES_FUNCTIONS_WORDS);
}

static bool own_function(struct interpreter *in, const struct instruction *i, const char *name)
{
    if (text_begins_with(name, REAL_PREFIX))
        return real_call(in, i, name);
    if (strcmp(name, "__regatta_block_size") == 0 && i->operand_count > 1)
        define(in, i, block_size(in, operand(in, &i->operands[1])));
    else if (strcmp(name, LIVES_AGAIN) == 0 && i->operand_count > 2)
        may_live_again(in, operand(in, &i->operands[2]));
    else if (objects_gives_texts(name) && i->operand_count == 2)
        give_texts(in, i, name);
    else if (strcmp(name, COUNT_GIVEN) == 0 && i->operand_count == 2)
        tell_text(in, "argv", (uint64_t)operand(in, &i->operands[1]), NULL, 0);
    else if (strcmp(name, POINTER_KEPT) == 0)
        pointer_kept(in);
    else if (strcmp(name, LEAVES_FUNCTIONS) == 0)
        functions_left(in);
    else if (strcmp(name, "__regatta_bound") == 0)
        stop(in, RUN_BOUND, "more than a library function is followed for");
    else if (strcmp(name, THREADS_WAIT) == 0)
        stop(in, RUN_BOUND, THREADS_WAIT_WORDS);
    else if (strcmp(name, "__regatta_something") == 0)
        stop(in, RUN_UNSUPPORTED, "a value that the library gives");
    else if (strcmp(name, "__regatta_overflow") != 0)
        return false;
    else if (in->question->property == PROPERTY_OVERFLOW)
        stop(in, RUN_VIOLATION, "no-overflow");
    return true;
}

static void release(struct interpreter *in, uint64_t address)
{
    struct memory_object *o = object_at(in, address);
    if (address == 0)
        return;
    if (o != NULL && o->heap && o->alive && o->address == address) {
        o->alive = false;
        if (in->source != NULL && in->source->reuses && in->moved == 0)
            VECTOR_PUSH(&in->freed, (size_t)(o - in->objects.data));
        else if (in->source != NULL && in->source->reuses)
            in->objects.data[in->moved - 1].place = o->place;
        in->moved = 0;
        return;
    }
    bool asked = in->question->property == PROPERTY_MEMSAFETY && in->question->free;
    stop(in, asked ? RUN_VIOLATION : RUN_UNDEFINED,
         asked ? "valid-free" : "an invalid call of free");
}

static void overflow_operation(struct interpreter *in, const struct instruction *i,
                               const char *name)
{
    program_word a = operand(in, &i->operands[1]), b = operand(in, &i->operands[2]), wrapped;
    uint32_t bits = width_of(in, i->operands[1].type);
    bool sign = name[5] == 's', multiplies = text_begins_with(name + 6, "mul"),
         subtracts = text_begins_with(name + 6, "sub"), over;
    if (sign) {
        __int128 x = program_as_signed(a, bits), y = program_as_signed(b, bits), exact;
        over = multiplies  ? __builtin_mul_overflow(x, y, &exact)
               : subtracts ? __builtin_sub_overflow(x, y, &exact)
                           : __builtin_add_overflow(x, y, &exact);
        wrapped = program_low_bits((program_word)exact, bits);
        over = over || program_as_signed(wrapped, bits) != exact;
    } else {
        program_word exact;
        over = multiplies  ? __builtin_mul_overflow(a, b, &exact)
               : subtracts ? __builtin_sub_overflow(a, b, &exact)
                           : __builtin_add_overflow(a, b, &exact);
        wrapped = program_low_bits(exact, bits);
        over = over || wrapped != exact;
    }
    in->values[i->result] = wrapped;
    in->pairs[i->result] = over;
}

// An access at an address, of what is there, keeps the address nowhere.
static bool keeps_address(const struct interpreter *in, const struct instruction *i, uint32_t k)
{
    if ((i->op == OP_LOAD && k == 0) || (i->op == OP_STORE && k == 1) || i->op == OP_COPY)
        return false;
    const char *name = i->op == OP_CALL ? flat_callee(in->flat, i) : "";
    return !text_begins_with(name, "llvm.lifetime.") && !text_begins_with(name, "llvm.mem");
}

static void find_slots(struct interpreter *in)
{
    const struct flat *f = in->flat;
    in->slot = memory_zalloc((f->value_count + 1) * sizeof *in->slot);
    in->next_in_slot = memory_zalloc((f->value_count + 1) * sizeof *in->next_in_slot);
    in->exposed = memory_zalloc(f->value_count + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < f->block_count; b++) {
            for (size_t k = 0; k < f->blocks[b].count; k++) {
                const struct instruction *i = &f->blocks[b].instructions[k];
                uint32_t slot = i->op == OP_ALLOCA ? i->result + 1 : 0;
                for (uint32_t n = 0; n < i->operand_count; n++) {
                    const struct operand *o = &i->operands[n];
                    uint32_t in_slot = o->kind == OPERAND_VALUE ? in->slot[o->number] : 0;
                    if (i->op == OP_GEP && n == 0)
                        slot = in_slot;
                    else if (in_slot != 0 && keeps_address(in, i, n))
                        in->exposed[in_slot - 1] = true;
                }
                if (slot == 0 || in->slot[i->result] != 0)
                    continue;
                changed = true;
                in->slot[i->result] = slot;
                if (i->op == OP_GEP) {
                    in->next_in_slot[i->result] = in->next_in_slot[slot - 1];
                    in->next_in_slot[slot - 1] = i->result + 1;
                }
            }
        }
    }
}

static bool is_recording(const struct interpreter *in)
{
    return in->rounds != NULL && in->rounds->recording;
}

static void set_alive(struct interpreter *in, struct memory_object *o, bool alive, bool left)
{
    if (is_recording(in))
        VECTOR_PUSH(&in->toggled,
                    ((struct toggled){(size_t)(o - in->objects.data), o->alive, o->left}));
    o->alive = alive;
    o->left = left;
}

// An object that this instruction made before, when its function has returned and no pointer to it can have been kept.
static struct memory_object *slot_again(struct interpreter *in, const struct instruction *i,
                                        uint64_t bytes)
{
    uint32_t *spare = &in->spare[i->result];
    if (*spare == 0)
        return NULL;
    if (in->slot == NULL)
        find_slots(in);
    struct memory_object *o = &in->objects.data[*spare - 1];
    if (in->exposed[i->result] || o->bytes != bytes)
        return NULL;
    assert(o->made == i && !o->alive && o->left);
    *spare = o->next_spare;
    return o;
}

static struct memory_object *new_slot(struct interpreter *in, const struct instruction *i,
                                      uint64_t bytes)
{
    if (in->flat->procedures.count > 0 && in->slot == NULL)
        find_slots(in);
    // Deep recursion has so many that there is little room for each.
    const bool hidden = in->flat->procedures.count > 0 && !in->exposed[i->result];
    struct memory_object *o =
        new_object(in, bytes, (uint64_t)i->numbers[0], hidden ? PRIVATE_ROOM : ROOM);
    o->hidden = hidden;
    o->frame = i->frame;
    o->made = i;
    find_name(in, i, o);
    return o;
}

static void make_slot(struct interpreter *in, const struct instruction *i)
{
    const uint64_t bytes = (uint64_t)operand(in, &i->operands[0]) * i->extra;
    struct memory_object *o = slot_again(in, i, bytes);
    if (o != NULL) {
        set_alive(in, o, true, false);
    } else {
        if (is_recording(in))
            rounds_give_up(in->rounds);
        o = new_slot(in, i, bytes);
    }
    VECTOR_PUSH(&in->slots, (size_t)(o - in->objects.data));
    fill_object(in, i, in->made[i->result]++, o);
    define(in, i, o->address);
}

// Pointers to the life before stay where that was; what the program says of the variable means the new one.
static struct memory_object *begin_again(struct interpreter *in, struct memory_object *o)
{
    uint64_t before = o->address, bytes = o->bytes;
    const struct instruction *made = o->made;
    uint64_t alignment = made->number_count > 0 ? (uint64_t)made->numbers[0] : 1;
    struct memory_object old = *o;
    o->left = true;
    o = new_object(in, bytes, alignment, ROOM);
    VECTOR_PUSH(&in->slots, in->objects.count - 1);
    o->frame = old.frame;
    o->made = made;
    o->name = old.name;
    o->type = old.type;
    for (uint32_t v = made->result + 1; v != 0; v = in->next_in_slot[v - 1]) {
        if (in->values[v - 1] - before <= bytes)
            in->values[v - 1] += o->address - before;
    }
    return o;
}

static void set_lifetime(struct interpreter *in, const struct instruction *i, bool alive)
{
    struct memory_object *o = object_at(in, operand(in, &i->operands[2]));
    if (o == NULL || o->heap || o->root)
        return;
    const bool again = alive && !o->alive && o->made != NULL;
    if (again && in->slot == NULL)
        find_slots(in);
    if (again && in->exposed[o->made->result]) {
        if (is_recording(in))
            rounds_give_up(in->rounds);
        o = begin_again(in, o);
    }
    set_alive(in, o, alive, o->left);
    o->evaluated = false;
    if (alive && o->made != NULL)
        fill_object(in, o->made, in->made[o->made->result] - 1, o);
}

static void trap(struct interpreter *in, const struct instruction *i)
{
    uint64_t kind = i->operand_count > 1 ? i->operands[1].bits : 99;
    bool overflow = kind == 0 || kind == 21 || kind == 12 || kind == 13 || kind == 3;
    const struct operand *shifted = kind == 20 ? flat_shifted(in->flat, i) : NULL;
    if (shifted != NULL)
        overflow = program_as_signed(operand(in, shifted), width_of(in, shifted->type)) >= 0;
    bool asked = in->question->property == PROPERTY_OVERFLOW && overflow;
    stop(in, asked ? RUN_VIOLATION : RUN_UNDEFINED, asked ? "no-overflow" : "a trap");
}

// llvm.is.fpclass: signalling, quiet, then from minus infinity to plus infinity.
static bool in_class(long double d, bool quiet, uint64_t classes)
{
    bool minus = signbit(d) != 0;
    unsigned k;
    switch (fpclassify(d)) {
    case FP_NAN:
        return classes >> (quiet ? 1 : 0) & 1;
    case FP_INFINITE:
        k = 0;
        break;
    case FP_NORMAL:
        k = 1;
        break;
    case FP_SUBNORMAL:
        k = 2;
        break;
    default:
        k = 3;
    }
    return classes >> (minus ? 2 + k : 9 - k) & 1;
}

static bool float_function(struct interpreter *in, const struct instruction *i, const char *name)
{
    bool known = i->operand_count > 1 && i->operands[1].type.kind == PROGRAM_FLOAT &&
                 !too_wide(i->operands[1].type);
    uint32_t bits = known ? i->operands[1].type.bits : 32;
    program_word first = (program_word)1 << (bits - 1);
    if (!known)
        return false;
    if (text_begins_with(name, "llvm.fabs.")) {
        define(in, i, operand(in, &i->operands[1]) & ~first);
    } else if (text_begins_with(name, "llvm.copysign.")) {
        define(in, i,
               (operand(in, &i->operands[1]) & ~first) | (operand(in, &i->operands[2]) & first));
    } else if (text_begins_with(name, "llvm.is.fpclass.")) {
        program_word a = operand(in, &i->operands[1]);
        long double d = any_float(a, bits);
        // A float that is subnormal is a normal number of a wider type.
        bool small = bits == HALF_BITS ? (a & HALF_INFINITE) == 0 && (a & 1023) != 0
                     : bits == 32      ? fpclassify(float_of_bits(a)) == FP_SUBNORMAL
                     : bits == 64      ? fpclassify(double_of_bits(a)) == FP_SUBNORMAL
                                       : false;
        if (small)
            d = copysignl(LDBL_TRUE_MIN, d);
        unsigned quieted = bits == HALF_BITS ? 9 : bits == 32 ? 22 : bits == 64 ? 51 : 62;
        define(in, i, in_class(d, a >> quieted & 1, (uint64_t)i->operands[2].bits));
    } else {
        return false;
    }
    return true;
}

static bool compiler_function(struct interpreter *in, const struct instruction *i, const char *name)
{
    if (text_begins_with(name, "llvm.ubsantrap")) {
        trap(in, i);
    } else if (text_begins_with(name, "llvm.trap")) {
        stop(in, RUN_ENDED, "a trap");
    } else if (text_begins_with(name, "llvm.lifetime.")) {
        set_lifetime(in, i, text_begins_with(name, "llvm.lifetime.start"));
    } else if (text_begins_with(name, "llvm.memcpy.") || text_begins_with(name, "llvm.memmove.")) {
        copy_memory(in, operand(in, &i->operands[1]), operand(in, &i->operands[2]),
                    operand(in, &i->operands[3]));
    } else if (text_begins_with(name, "llvm.memset.")) {
        fill_memory(in, operand(in, &i->operands[1]), operand(in, &i->operands[2]),
                    operand(in, &i->operands[3]));
    } else if (strstr(name, ".with.overflow.") != NULL) {
        overflow_operation(in, i, name);
    } else if (text_begins_with(name, "llvm.expect.")) {
        define(in, i, operand(in, &i->operands[1]));
    } else if (text_begins_with(name, "llvm.prefetch") || strcmp(name, "llvm.clear_cache") == 0) {
        return true;
    } else if (text_begins_with(name, "llvm.stacksave") ||
               text_begins_with(name, "llvm.stackrestore")) {
        in->values[i->result] = 0;
    } else {
        return float_function(in, i, name);
    }
    return true;
}

static void give_input(struct interpreter *in, const struct instruction *i)
{
    if (i->type.kind == PROGRAM_VOID)
        return;
    if (in->source == NULL && keep_arbitrary(in, i))
        return;
    define(in, i, in->source->input(in->source->context, i));
    tell(in, (struct run_event){.kind = EVENT_INPUT,
                                .bits = in->values[i->result],
                                .width = width_of(in, i->type)});
}

// A function that may give anything and changes nothing that is followed.
static bool is_arbitrary_function(const struct instruction *i, const char *name)
{
    static const char *const others[] = {"fork", "signal", "atexit", "thrd_create", NULL};
    const bool pointers = i->type.kind == PROGRAM_POINTER;
    for (uint32_t k = 1; k < i->operand_count; k++) {
        if (i->operands[k].type.kind == PROGRAM_POINTER)
            return false; // what it does there is not known
    }
    return text_begins_with(name, "__VERIFIER_nondet_") ||
           text_begins_with(name, "__VERIFIER_atomic_") ||
           (!pointers && !text_is_one_of(name, others) && !text_begins_with(name, "pthread_"));
}

// What scanf writes is said by the calls before it; it is a run in which all conversions succeed.
static void scan(struct interpreter *in, const struct instruction *i, const char *name)
{
    const uint32_t others = strstr(name, "fscanf") == NULL ? 2 : 3;
    if (strstr(name, "sscanf") != NULL)
        stop(in, RUN_UNSUPPORTED, "what this kind of `sscanf` reads");
    if (i->type.kind != PROGRAM_INTEGER || i->operand_count < others || in->stopped)
        return;
    if (in->source == NULL && keep_arbitrary(in, i))
        return;
    in->source->input(in->source->context, i);
    define(in, i, i->operand_count - others);
}

// Printing: what is printed is read, and counted as far as it is known.

static bool derefs(const struct interpreter *in)
{
    return in->question->property == PROPERTY_MEMSAFETY && in->question->deref;
}

// A byte that is printed. False when it is not determined, or nobody asks what happens.
static bool peek(struct interpreter *in, uint64_t address, char *out)
{
    const struct memory_object *o = object_at(in, address);
    const bool inside = o != NULL && o->alive && address - o->address < o->bytes;
    const bool known = inside && held(o) == o->bytes &&
                       (o->shadow == NULL || o->shadow[address - o->address] == SHADOW_NUMBER);
    *out = known ? (char)o->data[address - o->address] : '\0';
    if (derefs(in) && !inside)
        undefined(in, address, "an access outside of every object");
    else if (derefs(in) && !known)
        need_input(in);
    return known;
}

// The length of a string, at most so much of it; -1 when it is not known.
static int64_t string_length(struct interpreter *in, uint64_t address, int64_t most)
{
    char byte;
    for (int64_t n = 0; n < most; n++) {
        if (!peek(in, address + (uint64_t)n, &byte))
            return -1;
        if (byte == '\0')
            return n;
    }
    return most < MOST_PRINTED ? most : -1;
}

// An argument that is printed; where it is not known nothing else than memory's safety depends on it.
static bool printed_argument(struct interpreter *in, const struct instruction *i, uint32_t k,
                             uint64_t *out)
{
    if (k >= i->operand_count)
        return false;
    const struct operand *o = &i->operands[k];
    const bool unknown = o->kind == OPERAND_UNDEFINED || is_arbitrary(in, o) ||
                         (o->kind == OPERAND_VALUE && in->unknown[o->number]);
    if (unknown && !(derefs(in) && o->type.kind == PROGRAM_POINTER))
        return false;
    *out = operand(in, o);
    return !in->stopped;
}

static bool printed_size(struct interpreter *in, const struct instruction *i, bool given,
                         uint32_t *next, int *out)
{
    uint64_t value;
    if (!given)
        return true;
    if (!printed_argument(in, i, (*next)++, &value))
        return false;
    *out = (int)program_as_signed(value, 32);
    return *out > -MOST_PRINTED && *out < MOST_PRINTED;
}

// The characters of a double, its width apart.
static int64_t double_length(const struct conversion *c, double value)
{
    char format[16], *at = format;
    *at++ = '%';
    for (const char *flag = "#+ "; *flag != '\0'; flag++) {
        if (*flag == '#' ? c->alternate : *flag == '+' ? c->plus : c->space)
            *at++ = *flag;
    }
    *at++ = '.';
    *at++ = '*';
    *at++ = c->letter;
    *at = '\0';
    return snprintf(NULL, 0, format, c->precision, value); // a negative precision is none
}

static int64_t printed_conversion(struct interpreter *in, const struct instruction *i,
                                  struct conversion *c, uint32_t *next)
{
    bool sized = printed_size(in, i, c->width_given, next, &c->width);
    sized = printed_size(in, i, c->precision_given, next, &c->precision) && sized;
    int64_t length = -1;
    uint64_t value = 0;
    c->width = c->width < 0 ? -c->width : c->width;
    if (c->letter == '%')
        return 1;
    const uint32_t k = (*next)++;
    const bool known = printed_argument(in, i, k, &value);
    const bool whole = known && i->operands[k].type.kind == PROGRAM_INTEGER;
    if (c->letter == 'n' || (derefs(in) && c->letter == 's' && (!sized || c->size != 0)))
        stop(in, RUN_UNSUPPORTED, "a format");
    else if (c->letter == 's' && known && c->size == 0)
        length = string_length(in, value, c->precision < 0 ? MOST_PRINTED : c->precision);
    else if (c->letter == 'c' && c->size == 0)
        length = 1;
    else if (known && i->operands[k].type.kind == PROGRAM_FLOAT && i->operands[k].type.bits == 64 &&
             (c->size == 0 || c->size == 'l') && strchr("aAeEfFgG", c->letter) != NULL)
        length = double_length(c, double_of_bits(value));
    else if (whole && strchr("diouxX", c->letter) != NULL)
        length = conversion_length(c, value, conversion_bits(c, in->program->pointer_bits));
    return length < 0 || !sized ? -1 : length < c->width ? c->width : length;
}

// How many characters a format becomes; -1 when that is not known.
static int64_t printed_length(struct interpreter *in, const struct instruction *i, uint32_t format)
{
    uint64_t at;
    uint32_t next = format + 1;
    char text[PRINTING_FORMAT_MOST];
    if (!printed_argument(in, i, format, &at))
        return -1;
    const int64_t end = string_length(in, at, PRINTING_FORMAT_MOST);
    if (end < 0 || end == PRINTING_FORMAT_MOST) {
        if (derefs(in))
            stop(in, RUN_UNSUPPORTED, "a format");
        return -1;
    }
    for (int64_t k = 0; k <= end; k++)
        peek(in, at + (uint64_t)k, &text[k]);
    int64_t length = 0;
    bool known = true;
    for (const char *c = text; *c != '\0' && !in->stopped;) {
        int64_t more = 1;
        if (*c++ == '%') {
            struct conversion conversion;
            c = conversion_read(c, &conversion);
            if (c == NULL) {
                if (derefs(in))
                    stop(in, RUN_UNSUPPORTED, "a format");
                return -1;
            }
            more = printed_conversion(in, i, &conversion, &next);
        }
        known = known && more >= 0;
        length += more;
    }
    return known ? length : -1;
}

static void print(struct interpreter *in, const struct instruction *i, const char *name)
{
    uint32_t format = 0, string = 0;
    uint64_t address;
    int64_t length = -1;
    const bool reads = printing_reads(name, &format, &string);
    if (!reads && strcmp(name, "__regatta_printed") != 0 && derefs(in))
        stop(in, RUN_UNSUPPORTED, "a function that prints");
    else if (reads && string != 0 && printed_argument(in, i, string, &address))
        string_length(in, address, MOST_PRINTED);
    else if (reads && string == 0)
        length = printed_length(in, i, format);
    if (i->type.kind == PROGRAM_VOID || in->stopped)
        return;
    in->unknown[i->result] = length < 0 || length > INT32_MAX || i->type.kind != PROGRAM_INTEGER;
    if (!in->unknown[i->result])
        define(in, i, (uint64_t)length);
}

static void library_function(struct interpreter *in, const struct instruction *i, const char *name)
{
    static const char *const ends[] = {
        "abort", "__assert_fail", "__assert",   "__VERIFIER_error",  "reach_error",
        "err",   "errx",          "quick_exit", "__regatta_failure", NULL};
    static const char *const printers[] = {
        "printf", "puts",  "fprintf",           "fputs", "printk", "vprintf", "vfprintf",
        "warn",   "warnx", "__regatta_printed", NULL};
    static const char *const exits[] = {"exit", "_exit", "_Exit", "__regatta_exit", NULL};
    // What they give is not arbitrary, but nobody follows it.
    static const char *const meant[] = {
        "kill",          "iswcntrl",      "iswblank",       "iswprint",        "iswgraph",
        "iswctype",      "towctrans",     "imaxdiv",        "fetestexcept",    "fegetexcept",
        "feraiseexcept", "feclearexcept", "feenableexcept", "fedisableexcept", "_tolower",
        "_toupper",      "a64l",          "ilogbl",         "__iseqsig",       "__issignaling",
        "sigblock",      "siggetmask",    "wcwidth",        "getdtablesize",   NULL};
    static const char *const allocators[] = {
        "malloc",     "calloc",    "alloca", "__builtin_alloca", "__VERIFIER_malloc",
        "ldv_malloc", MOVES_BLOCK, NULL};
    // Inputs are what runs on guesses ask for again and again.
    if (text_begins_with(name, "__VERIFIER_nondet_") &&
        (!in->closed || is_arbitrary_function(i, name))) {
        give_input(in, i);
    } else if (text_is_one_of(name, ends)) {
        check_loss(in, false);
        if (something_left(in))
            stop(in, RUN_BOUND, "memory that is left when the program is aborted");
        stop(in, RUN_ENDED, "the program ended itself");
    } else if (text_is_one_of(name, exits)) {
        check_end(in, false);
    } else if (text_is_one_of(name, allocators) &&
               i->operand_count > (strcmp(name, "calloc") == 0 ? 2u : 1u)) {
        allocate(in, i, name);
    } else if (strcmp(name, "free") == 0 && i->operand_count > 1) {
        release(in, operand(in, &i->operands[1]));
    } else if ((strcmp(name, "__VERIFIER_assume") == 0 || strcmp(name, "assert") == 0) &&
               i->operand_count > 1) {
        if (operand(in, &i->operands[1]) == 0)
            stop(in, RUN_ASSUMPTION, "an assumption does not hold");
    } else if ((strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0 ||
                strcmp(name, MOVES_CONTENTS) == 0) &&
               i->operand_count == 4) {
        copy_memory(in, operand(in, &i->operands[1]), operand(in, &i->operands[2]),
                    operand(in, &i->operands[3]));
        define(in, i, operand(in, &i->operands[1]));
    } else if (strcmp(name, "memset") == 0 && i->operand_count == 4) {
        fill_memory(in, operand(in, &i->operands[1]), operand(in, &i->operands[2]),
                    operand(in, &i->operands[3]));
        define(in, i, operand(in, &i->operands[1]));
    } else if (i->type.kind == PROGRAM_FLOAT && !text_begins_with(name, "__VERIFIER_nondet_")) {
        stop(in, RUN_UNSUPPORTED, "a function of mathematics");
    } else if (program_is_of_verifier(name)) {
        stop(in, RUN_BOUND, VERIFIER_WORDS);
    } else if (text_is_one_of(name, meant) || text_begins_with(name, "__builtin_")) {
        stop(in, RUN_UNSUPPORTED, "a library function");
    } else if (strstr(name, "scanf") != NULL) {
        scan(in, i, name);
    } else if (text_is_one_of(name, printers)) {
        print(in, i, name);
    } else if (in->closed && !is_arbitrary_function(i, name)) {
        stop(in, RUN_UNSUPPORTED, "a library function");
    } else {
        give_input(in, i);
    }
}

static void call(struct interpreter *in, const struct instruction *i)
{
    const char *name = flat_callee(in->flat, i);
    if (program_question_names(in->question, name))
        stop(in, RUN_VIOLATION, program_question_word(in->question));
    else if (*name == '\0')
        stop(in, RUN_UNSUPPORTED, "a call through a pointer");
    else if (text_begins_with(name, "__regatta_") && own_function(in, i, name))
        return;
    else if (!text_begins_with(name, "llvm.") || !compiler_function(in, i, name)) {
        if (text_begins_with(name, "llvm."))
            stop(in, RUN_UNSUPPORTED, "a function of the compiler");
        else
            library_function(in, i, name);
    }
}

static void end_slot(struct interpreter *in, size_t slot, uint32_t frame)
{
    struct memory_object *o = &in->objects.data[slot];
    bool stays = o->made->op == OP_ALLOCA && o->made->number_count > 1 && o->made->numbers[1] != 0;
    if (o->frame != frame || o->left || stays)
        return;
    set_alive(in, o, false, true);
    if (o->made->op != OP_ALLOCA)
        return;
    o->next_spare = in->spare[o->made->result];
    in->spare[o->made->result] = (uint32_t)slot + 1;
}

static void enter(struct interpreter *in, uint32_t frame)
{
    VECTOR_PUSH(&in->active, ((struct activation){frame, in->slots.count}));
    tell(in, (struct run_event){.kind = EVENT_ENTER});
}

// Those that a far jump left before are above it, and those of other threads; what they had stays.
static void leave(struct interpreter *in, uint32_t frame)
{
    size_t top = in->active.count;
    while (top > 0 && in->active.data[top - 1].frame != frame)
        top--;
    if (frame == 0 || top == 0)
        return; // main's slots are there until the end
    const size_t first = in->active.data[top - 1].slots;
    for (size_t i = first; i < in->slots.count; i++)
        end_slot(in, in->slots.data[i], frame);
    if (in->flat->threads > 0) {
        memmove(&in->active.data[top - 1], &in->active.data[top],
                (in->active.count-- - top) * sizeof *in->active.data);
        return;
    }
    in->slots.count = first;
    in->active.count = top - 1;
}

// All that may be known of an operand.
static struct known_value look(struct interpreter *in, const struct operand *o)
{
    if (o->kind == OPERAND_UNDEFINED && in->closed)
        return (struct known_value){.arbitrary = true};
    if (o->kind != OPERAND_VALUE)
        return (struct known_value){.bits = operand(in, o)};
    return (struct known_value){.bits = in->values[o->number],
                                .pair = in->pairs[o->number] != 0,
                                .unknown = in->unknown[o->number],
                                .address = in->closed && in->address[o->number],
                                .arbitrary = in->arbitrary != NULL && in->arbitrary[o->number]};
}

// Coming back: where the end is asked for, a run that is what it was never comes there.

static void tell_value(struct interpreter *in, const struct known_value *v)
{
    recurrence_tell(in->recurrence, (uint64_t)v->bits);
    recurrence_tell(in->recurrence, (uint64_t)(v->bits >> 64));
    recurrence_tell(in->recurrence, (uint64_t)v->pair | (uint64_t)v->unknown << 1 |
                                        (uint64_t)v->address << 2 | (uint64_t)v->arbitrary << 3);
}

static void tell_object(struct interpreter *in, const struct memory_object *o)
{
    recurrence_tell(in->recurrence,
                    (uint64_t)o->alive | (uint64_t)o->left << 1 | (uint64_t)o->evaluated << 2);
    if (!o->alive)
        return;
    recurrence_tell_bytes(in->recurrence, o->data, held(o));
    if (o->shadow != NULL)
        recurrence_tell_bytes(in->recurrence, o->shadow, held(o));
}

static void tell_outside(struct interpreter *in)
{
    recurrence_tell(in->recurrence, (uint64_t)fegetround());
    recurrence_tell(in->recurrence, in->freed.count);
    recurrence_tell(in->recurrence, in->moved);
    for (size_t k = 0; k < in->outside.count; k++)
        recurrence_tell(in->recurrence, in->outside.data[k].value);
}

static bool is_own_slot(const struct interpreter *in, const struct memory_object *o)
{
    return o->made != NULL && o->made->op == OP_ALLOCA && !in->exposed[o->made->result];
}

static void tell_calls(struct interpreter *in)
{
    recurrence_tell(in->recurrence, in->depth);
    recurrence_tell(in->recurrence, in->calls.count);
    for (size_t k = 0; k < in->calls.count; k++) {
        const struct invocation *c = &in->calls.data[k];
        recurrence_tell(in->recurrence, (uint64_t)(uintptr_t)c->call);
        recurrence_tell(in->recurrence, c->kept);
    }
    for (size_t k = 0; k < in->kept.count; k++)
        tell_value(in, &in->kept.data[k]);
    for (size_t k = 0; k < in->active.count; k++) {
        recurrence_tell(in->recurrence, in->active.data[k].frame);
        recurrence_tell(in->recurrence, in->active.data[k].slots);
    }
    for (size_t k = 0; k < in->slots.count; k++)
        recurrence_tell(in->recurrence, in->slots.data[k]);
}

static bool may_come_back(struct interpreter *in)
{
    if (in->question->property != PROPERTY_TERMINATION || in->result->steps < LEAST_STEPS ||
        in->bytes > MOST_TOLD_BYTES)
        return false;
    if (in->slot == NULL)
        find_slots(in);
    if (in->recurrence == NULL)
        in->recurrence = recurrence_create(in->flat, in->slot, in->exposed);
    return true;
}

// At the beginning of a block that another led to.
static void watch_block(struct interpreter *in)
{
    if (!may_come_back(in))
        return;
    struct recurrence *r = in->recurrence;
    const enum recurrence_use use =
        recurrence_pass(r, &r->blocks, in->place.before, in->place.block);
    if (use == RECURRENCE_NONE)
        return;
    for (size_t k = 0; k < r->live.count; k++) {
        const struct operand o = {.kind = OPERAND_VALUE, .number = r->live.data[k]};
        const struct known_value value = look(in, &o);
        tell_value(in, &value);
    }
    for (size_t k = 0; k < in->objects.count; k++) {
        const struct memory_object *o = &in->objects.data[k];
        if (!is_own_slot(in, o) || r->slots[o->made->result])
            tell_object(in, o);
    }
    recurrence_tell(r, in->objects.count);
    tell_calls(in);
    tell_outside(in);
    if (recurrence_settle(r, &r->blocks, use))
        stop(in, RUN_VIOLATION, "termination");
}

// A procedure is called as one around it was, which has not returned: it calls itself for ever. It sees its arguments and
// memory; nothing there leads to what was made since, where all else is as it was.
static void watch_call(struct interpreter *in, uint32_t number)
{
    if (!may_come_back(in))
        return;
    struct recurrence *r = in->recurrence;
    if (in->calls.count < r->calls.depth)
        r->calls.kept = false;
    if (!r->calls.kept)
        r->calls.next = 0;
    const enum recurrence_use use = recurrence_pass(r, &r->calls, number, in->given.count);
    if (use == RECURRENCE_NONE)
        return;
    if (use == RECURRENCE_KEEP) {
        r->calls.objects = in->objects.count;
        r->calls.depth = in->calls.count + 1;
    }
    for (size_t k = 0; k < in->given.count; k++)
        tell_value(in, &in->given.data[k]);
    for (size_t k = 0; k < r->calls.objects; k++)
        if (!is_own_slot(in, &in->objects.data[k]))
            tell_object(in, &in->objects.data[k]);
    tell_outside(in);
    if (recurrence_settle(r, &r->calls, use))
        stop(in, RUN_VIOLATION, "termination");
}

// Calls of procedures.

static void put(struct interpreter *in, uint32_t value, const struct known_value *known)
{
    in->values[value] = known->bits;
    in->pairs[value] = known->pair;
    in->unknown[value] = known->unknown;
    if (in->address != NULL)
        in->address[value] = known->address;
    if (in->arbitrary != NULL)
        in->arbitrary[value] = known->arbitrary;
}

static void keep_values(struct interpreter *in, const struct flat_procedure *procedure)
{
    for (size_t n = 0; n < procedure->kept_count; n++) {
        const struct operand o = {.kind = OPERAND_VALUE, .number = procedure->kept[n]};
        VECTOR_PUSH(&in->kept, look(in, &o));
    }
    in->result->steps += procedure->kept_count / VALUES_A_STEP;
}

// The procedure begins with its parameters.
static void invoke(struct interpreter *in, const struct instruction *i)
{
    const uint32_t number = (uint32_t)i->extra;
    in->given.count = 0;
    for (uint32_t k = 0; k < i->operand_count; k++)
        VECTOR_PUSH(&in->given, look(in, &i->operands[k]));
    watch_call(in, number);
    const struct invocation call = {i, in->place, in->depth, in->kept.count};
    if (in->calls.count == MOST_CALLS || in->kept.count > MOST_BYTES / 2 / sizeof call)
        stop(in, RUN_DEEP, "calls inside one another without an end");
    if (in->running[number]++ > 0)
        keep_values(in, &in->flat->procedures.data[number]);
    VECTOR_PUSH(&in->calls, call);
    if (in->calls.count > in->result->deepest)
        in->result->deepest = (uint32_t)in->calls.count;
    in->depth += in->flat->frames[i->frame].depth;
    in->place = (struct place){in->place.block, flat_entry(in->flat, number), 0};
}

static void take_parameter(struct interpreter *in, const struct instruction *i)
{
    ENSURE(i->extra < in->given.count);
    put(in, i->result, &in->given.data[i->extra]);
}

static void end_procedure(struct interpreter *in, const struct instruction *i)
{
    const struct known_value given =
        i->operand_count > 0 ? look(in, &i->operands[0]) : (struct known_value){0};
    const struct invocation call = VECTOR_POP(&in->calls);
    const struct flat_procedure *procedure = &in->flat->procedures.data[i->extra];
    if (--in->running[i->extra] > 0) {
        for (size_t n = 0; n < procedure->kept_count; n++)
            put(in, procedure->kept[n], &in->kept.data[call.kept + n]);
    }
    in->kept.count = call.kept;
    in->depth = call.depth;
    in->place = call.place;
    in->at = call.call;
    if (call.call->type.kind == PROGRAM_VOID)
        return;
    put(in, call.call->result, &given);
    if (i->operand_count == 0 && !keep_arbitrary(in, call.call))
        define(in, call.call, ask(in, call.call)); // it returns without a result
}

// How this machine rounds from here on.
static bool round_by(uint64_t mode)
{
    return fesetround(mode == ROUND_DOWNWARDS ? FE_DOWNWARD
                      : mode == ROUND_UPWARDS ? FE_UPWARD
                      : mode == ROUND_TO_ZERO ? FE_TOWARDZERO
                                              : FE_TONEAREST) == 0;
}

static program_word placed(struct interpreter *in, program_word address)
{
    const struct memory_object *o = object_at(in, (uint64_t)address);
    return o == NULL ? address : address - o->address + o->place;
}

static void compare_words(struct interpreter *in, const struct instruction *i, program_word a,
                          program_word b, uint32_t bits)
{
    const bool equality = i->operands[0].type.kind == PROGRAM_POINTER && i->extra <= COMPARE_NE;
    define(in, i,
           equality ? compare(i->extra, placed(in, a), placed(in, b), bits)
                    : compare(i->extra, a, b, bits));
}

static void compute_plainly(struct interpreter *in, const struct instruction *i)
{
    program_word a = i->operand_count > 0 ? operand(in, &i->operands[0]) : 0;
    program_word b = i->operand_count > 1 ? operand(in, &i->operands[1]) : 0;
    uint32_t bits = i->operand_count > 0 ? width_of(in, i->operands[0].type) : 0;
    if (i->operand_count > 0 && too_wide(i->operands[0].type) &&
        i->operands[0].type.kind != PROGRAM_POINTER)
        stop(in, RUN_UNSUPPORTED, "numbers of this width");
    else if (i->op <= OP_XOR)
        define(in, i, integer(in, i->op, a, b, bits));
    else if (i->op <= OP_FREM)
        define(in, i, float_operation(i->op, a, b, bits));
    else if (i->op == OP_FNEG)
        define(in, i, a ^ ((program_word)1 << (bits - 1)));
    else if (i->op == OP_ICMP)
        compare_words(in, i, a, b, bits);
    else if (i->op == OP_FCMP)
        define(in, i, float_compare(i->extra, any_float(a, bits), any_float(b, bits)));
    else
        cast(in, i, a); // an arbitrary operand is asked for once
}

static void compute(struct interpreter *in, const struct instruction *i)
{
    const struct operand *mode = instruction_rounding(i);
    uint64_t how = mode == NULL ? ROUND_NEAREST : (uint64_t)operand(in, mode);
    bool wide =
        (i->op == OP_UITOFP || i->op == OP_SITOFP) && width_of(in, i->operands[0].type) > 64;
    if (how == ROUND_NEAREST) {
        compute_plainly(in, i);
    } else if (wide || !round_by(how)) {
        stop(in, RUN_UNSUPPORTED, "rounding in another direction");
    } else {
        compute_plainly(in, i);
        round_by(ROUND_NEAREST);
    }
}

static bool is_address_number(const struct interpreter *in, const struct operand *o)
{
    return in->address != NULL && o->kind == OPERAND_VALUE && in->address[o->number];
}

// Where the life of one was over when that of the other began, both may have been at one place.
static bool may_share_place(const struct memory_object *a, const struct memory_object *b)
{
    return a != NULL && b != NULL && a != b && a->heap == b->heap && !a->root && !b->root &&
           (!a->alive || !b->alive);
}

static bool touches(const struct memory_object *a, uint64_t behind, const struct memory_object *b,
                    uint64_t begin)
{
    return behind == a->address + a->bytes && begin == b->address;
}

// In another run, with objects at other places.
static bool may_be_equal(struct interpreter *in, uint64_t x, uint64_t y)
{
    const struct memory_object *a = object_at(in, x), *b = object_at(in, y);
    return a != NULL && b != NULL && a != b &&
           (may_share_place(a, b) || touches(a, x, b, y) || touches(b, y, a, x));
}

// Numbers of addresses may be moved, compared for being the same, subtracted within an object, and become pointers again.
static void follow_addresses(struct interpreter *in, const struct instruction *i)
{
    bool some = false, all = i->operand_count > 0;
    for (uint32_t k = 0; k < i->operand_count; k++) {
        bool one = is_address_number(in, &i->operands[k]);
        some = some || one;
        all = all && one;
    }
    if (i->op == OP_PTRTOINT) {
        uint64_t value = operand(in, &i->operands[0]);
        in->address[i->result] = is_address(in, &i->operands[0], value);
        if (in->address[i->result] && i->type.bits < in->program->pointer_bits)
            need_input(in);
        return;
    }
    if (i->op == OP_INTTOPTR && !some && object_at(in, operand(in, &i->operands[0])) != NULL)
        need_input(in); // met by chance
    if (i->op == OP_ICMP && i->operands[0].type.kind == PROGRAM_POINTER && i->extra > COMPARE_NE &&
        object_at(in, operand(in, &i->operands[0])) != object_at(in, operand(in, &i->operands[1])))
        need_input(in);
    if (i->op == OP_ICMP && (all || i->operands[0].type.kind == PROGRAM_POINTER) &&
        may_be_equal(in, operand(in, &i->operands[0]), operand(in, &i->operands[1])))
        need_input(in);
    if (instruction_defines(i))
        in->address[i->result] = false;
    if (!some || i->op == OP_STORE || i->op == OP_INTTOPTR)
        return;
    bool moves = i->op == OP_ADD || i->op == OP_SUB;
    if (i->op == OP_SUB && all) {
        if (object_at(in, operand(in, &i->operands[0])) !=
            object_at(in, operand(in, &i->operands[1])))
            need_input(in);
    } else if (moves || i->op == OP_ZEXT || i->op == OP_SEXT || i->op == OP_SELECT) {
        in->address[i->result] = true;
    } else if (!(i->op == OP_ICMP && i->extra <= COMPARE_NE &&
                 (all || operand(in, &i->operands[0]) == 0 || operand(in, &i->operands[1]) == 0))) {
        need_input(in);
    }
}

static program_word loaded(struct interpreter *in, const struct instruction *i)
{
    uint64_t address = operand(in, &i->operands[0]), bytes = (uint64_t)i->numbers[0];
    bool outside = goes_on_outside(in, address, bytes);
    program_word arbitrary =
        outside || (in->beyond && !in->closed) ? in->source->input(in->source->context, i) : 0;
    return outside ? load_outside(in, address, bytes, arbitrary)
                   : load_bits(in, address, bytes, i->type.kind == PROGRAM_POINTER);
}

static bool holds_arbitrary(struct interpreter *in, const struct instruction *load)
{
    const uint64_t address = (uint64_t)operand(in, &load->operands[0]);
    return !in->stopped &&
           holds_anything(object_at(in, address), address, (uint64_t)load->numbers[0]);
}

// A run without inputs may carry what nobody wrote to where nobody looks at it, such as `stderr` to a function that prints.
static void load(struct interpreter *in, const struct instruction *i)
{
    const bool open = in->closed && in->source == NULL && holds_arbitrary(in, i) &&
                      names(in, object_at(in, (uint64_t)operand(in, &i->operands[0])));
    define(in, i, open ? 0 : loaded(in, i)); // volatile or not: nobody else writes
    if (open)
        keep_arbitrary(in, i);
}

// What is arbitrary is loaded, or made narrower or wider, and nobody looks at it yet.
static bool passes_arbitrary(struct interpreter *in, const struct instruction *i)
{
    const bool casts = i->op == OP_TRUNC || i->op == OP_ZEXT || i->op == OP_SEXT;
    const bool passes = in->flat->leaves_open &&
                        ((casts && is_arbitrary(in, &i->operands[0])) ||
                         (i->op == OP_LOAD && i->numbers[0] > 0 && holds_arbitrary(in, i)));
    if (!passes || in->stopped)
        return false;
    define(in, i, 0);
    in->arbitrary[i->result] = true;
    return true;
}

static void step(struct interpreter *in, const struct instruction *i)
{
    if (in->closed)
        follow_addresses(in, i);
    bool narrow =
        i->type.kind == PROGRAM_VOID || i->type.kind == PROGRAM_PAIR || !too_wide(i->type);
    if (!narrow) {
        stop(in, RUN_UNSUPPORTED, "values of this type");
        return;
    }
    if (passes_arbitrary(in, i))
        return;
    switch (i->op) {
    case OP_ALLOCA:
        make_slot(in, i);
        break;
    case OP_LOAD:
        load(in, i);
        break;
    case OP_STORE: {
        bool arbitrary = is_arbitrary(in, &i->operands[0]);
        program_word value = arbitrary ? 0 : operand(in, &i->operands[0]);
        store_bits(in, operand(in, &i->operands[1]), (uint64_t)i->numbers[0], value,
                   arbitrary                                ? SHADOW_ARBITRARY
                   : is_address(in, &i->operands[0], value) ? SHADOW_ADDRESS
                                                            : SHADOW_NUMBER);
        break;
    }
    case OP_FREEZE:
        if (!is_arbitrary(in, &i->operands[0]) || !keep_arbitrary(in, i))
            compute(in, i);
        if (i->extra == FREEZE_OPEN)
            in->arbitrary[i->result] = true;
        break;
    case OP_GEP:
        computed_address(in, i);
        break;
    case OP_SELECT:
        define(in, i, operand(in, &i->operands[operand(in, &i->operands[0]) != 0 ? 1 : 2]));
        break;
    case OP_CALL:
        call(in, i);
        break;
    case OP_COPY:
        copy_memory(in, operand(in, &i->operands[0]), operand(in, &i->operands[1]),
                    operand(in, &i->operands[2]));
        break;
    case OP_EXTRACT:
        assert(i->extra <= 1);
        define(in, i,
               i->extra == 0 ? in->values[i->operands[0].number]
                             : in->pairs[i->operands[0].number]);
        break;
    case OP_LABEL:
        if (in->question->property == PROPERTY_LABEL && strcmp(i->text, in->question->name) == 0)
            stop(in, RUN_VIOLATION, "unreach-label");
        break;
    case OP_ENTER:
        assert(i->frame < in->flat->frame_count);
        enter(in, i->frame);
        break;
    case OP_LEAVE:
        leave(in, i->frame);
        tell(in, (struct run_event){.kind = EVENT_LEAVE});
        break;
    case OP_UNSUPPORTED:
        stop(in, RUN_UNSUPPORTED, i->text);
        break;
    case OP_PROCEDURE:
        break;
    case OP_INPUT:
        take_parameter(in, i);
        break;
    default:
        compute(in, i);
    }
}

// Rounds at once (rounds.h).

#define MOST_NOTED 64 // operands of an instruction

// The operand's value, without asking for what is arbitrary; false: it has none that could be said.
static bool known_operand(const struct interpreter *in, const struct operand *o, uint64_t *out)
{
    const uint32_t bits = o->type.kind == PROGRAM_PAIR ? o->type.bits : width_of(in, o->type);
    switch (o->kind) {
    case OPERAND_VALUE:
        *out = (uint64_t)in->values[o->number];
        return bits <= 64 && !in->unknown[o->number] &&
               !(in->arbitrary != NULL && in->arbitrary[o->number]) &&
               !(in->closed && in->address[o->number]);
    case OPERAND_CONSTANT:
        *out = (uint64_t)program_low_bits(o->bits, bits);
        return bits <= 64;
    case OPERAND_ADDRESS:
        *out =
            (uint64_t)program_low_bits(global_address(in, o->number) + (uint64_t)o->offset, bits);
        return true;
    case OPERAND_FIXED:
        *out = (uint64_t)program_low_bits((uint64_t)o->offset, bits);
        return true;
    case OPERAND_FUNCTION:
        *out = o->number;
        return true;
    default:
        return false;
    }
}

// What the instruction did goes on from round to round in a way that can be known.
static bool may_go_on(const struct interpreter *in, const struct instruction *i)
{
    const char *name = i->op == OP_CALL ? flat_callee(in->flat, i) : "";
    switch (i->op) {
    case OP_CALL:
        return strstr(name, ".with.overflow.") != NULL || text_begins_with(name, "llvm.expect.") ||
               text_begins_with(name, "llvm.lifetime.") || strcmp(name, "__VERIFIER_assume") == 0 ||
               strcmp(name, "assert") == 0;
    case OP_COPY:
    case OP_PROCEDURE:
    case OP_INPUT:
    case OP_INVOKE:
    case OP_RESULT:
        return false;
    default:
        return true;
    }
}

static void note_phi(struct interpreter *in, const struct instruction *i, uint32_t chosen,
                     uint64_t value)
{
    uint64_t values[MOST_NOTED] = {0};
    const struct round_step step = {.instruction = i, .chosen = chosen, .result = value};
    if (i->operand_count <= MOST_NOTED && width_of(in, i->type) <= 64 &&
        known_operand(in, &i->operands[chosen], &values[chosen]))
        rounds_note(in->rounds, &step, values);
    else
        rounds_give_up(in->rounds);
}

// After the instruction has run.
static void note_step(struct interpreter *in, const struct instruction *i)
{
    uint64_t values[MOST_NOTED] = {0};
    struct round_step step = {.instruction = i};
    bool good = i->operand_count <= MOST_NOTED && may_go_on(in, i);
    for (uint32_t k = 0; good && k < i->operand_count; k++)
        good = known_operand(in, &i->operands[k], &values[k]);
    const bool result = good && i->op != OP_STORE && i->type.kind != PROGRAM_VOID;
    if (result) {
        const uint32_t bits = i->type.kind == PROGRAM_PAIR ? i->type.bits : width_of(in, i->type);
        const struct operand made = {
            .kind = OPERAND_VALUE, .type = {PROGRAM_INTEGER, bits}, .number = i->result};
        good = known_operand(in, &made, &step.result);
    }
    if (good && (i->op == OP_LOAD || i->op == OP_STORE)) {
        step.address = values[i->op == OP_LOAD ? 0 : 1];
        good = i->numbers[0] > 0 && i->numbers[0] <= 8 &&
               is_inside(object_at(in, step.address), step.address, (uint64_t)i->numbers[0]);
    }
    if (good && i->op == OP_SELECT)
        step.chosen = values[0] != 0 ? 1 : 2;
    const bool begins = i->op == OP_ALLOCA || i->op == OP_CALL;
    const struct memory_object *o = !good || !begins     ? NULL
                                    : i->op == OP_ALLOCA ? object_at(in, step.result)
                                    : text_begins_with(flat_callee(in->flat, i), "llvm.lifetime.")
                                        ? object_at(in, values[2])
                                        : NULL;
    if (o != NULL) {
        step.address = o->address;
        step.lost_bytes = o->bytes;
    }
    if (good)
        rounds_note(in->rounds, &step, values);
    else
        rounds_give_up(in->rounds);
}

// Lives begin and end in each round as they did in this one.
static bool lives_come_back(const struct interpreter *in)
{
    for (size_t t = in->toggled.count; t-- > 0;) {
        const struct toggled *before = &in->toggled.data[t];
        bool first = true;
        for (size_t s = 0; s < t && first; s++)
            first = in->toggled.data[s].object != before->object;
        const struct memory_object *o = &in->objects.data[before->object];
        if (first && (o->alive != before->alive || o->left != before->left))
            return false;
    }
    return true;
}

static void skip_rounds(struct interpreter *in)
{
    const uint64_t count = lives_come_back(in) ? rounds_count(in->rounds) : 0;
    if (count == 0) {
        rounds_give_up(in->rounds);
        return;
    }
    for (size_t p = 0; p < in->rounds->places.count; p++) {
        const struct round_place *place = &in->rounds->places.data[p];
        if (!place->written || place->lost)
            continue;
        const uint64_t value = rounds_leave(place, count);
        if (!place->memory) {
            in->values[place->at] = value;
            continue;
        }
        const struct memory_object *o = object_at(in, place->at);
        if (!o->alive)
            continue;                                  // its function has returned
        ENSURE(is_inside(o, place->at, place->bytes)); // as it was in the round
        for (uint32_t k = 0; k < place->bytes; k++)
            o->data[place->at - o->address + k] = (uint8_t)(value >> (8 * k));
    }
    rounds_skipped(in->rounds);
    tell(in, (struct run_event){.kind = EVENT_ROUNDS, .bits = count});
}

// phi instructions read all their operands before any of them changes.
static size_t enter_block(struct interpreter *in, uint32_t from, uint32_t to)
{
    const struct block *b = &in->flat->blocks[to];
    VECTOR(struct known_value) taken = {0};
    VECTOR(uint32_t) chosen = {0};
    size_t count = 0;
    assert(to < in->flat->block_count);
    for (; count < b->count && b->instructions[count].op == OP_PHI; count++) {
        const struct instruction *phi = &b->instructions[count];
        struct known_value value = {0};
        bool found = false;
        in->at = phi;
        for (uint32_t n = 0; n < phi->number_count; n++) {
            if ((uint32_t)phi->numbers[n] == from) {
                found = true;
                value.arbitrary = in->flat->leaves_open && is_arbitrary(in, &phi->operands[n]);
                value.bits = value.arbitrary ? 0 : operand(in, &phi->operands[n]);
                if (is_address_number(in, &phi->operands[n]))
                    need_input(in);
                VECTOR_PUSH(&chosen, n);
                break;
            }
        }
        ENSURE(found); // it has a value wherever the run comes from
        VECTOR_PUSH(&taken, value);
    }
    for (size_t k = 0; k < count && is_recording(in); k++)
        note_phi(in, &b->instructions[k], chosen.data[k], (uint64_t)taken.data[k].bits);
    for (size_t k = 0; k < count; k++) {
        define(in, &b->instructions[k], taken.data[k].bits);
        if (taken.data[k].arbitrary)
            in->arbitrary[b->instructions[k].result] = true;
    }
    VECTOR_FINISH(&taken);
    VECTOR_FINISH(&chosen);
    return count;
}

static uint32_t next_block(struct interpreter *in, const struct instruction *i)
{
    assert(i->op == OP_BRANCH || i->op == OP_SWITCH);
    if (i->op == OP_BRANCH)
        return (uint32_t)i->numbers[i->operand_count == 1 && operand(in, &i->operands[0]) == 0];
    program_word value = operand(in, &i->operands[0]);
    for (uint32_t k = 1; k < i->operand_count; k++) {
        if (operand(in, &i->operands[k]) == value)
            return (uint32_t)i->numbers[k];
    }
    return (uint32_t)i->numbers[0];
}

static void tell_place(struct interpreter *in, const struct instruction *i)
{
    if (i->at.line == 0 ||
        (i->at.line == in->line && i->at.column == in->column && i->at.path == in->file))
        return;
    in->line = i->at.line;
    in->column = i->at.column;
    in->file = i->at.path;
    tell(in, (struct run_event){.kind = EVENT_STEP});
}

// Control comes to a block from another: where in it the run goes on.
static size_t enter_next(struct interpreter *in)
{
    const uint32_t before = in->place.before, block = in->place.block;
    if (in->rounds != NULL && before != UINT32_MAX) {
        in->toggled.count = is_recording(in) ? in->toggled.count : 0;
        if (rounds_enter(in->rounds, before, block))
            skip_rounds(in);
    }
    if (before != UINT32_MAX)
        watch_block(in);
    return enter_block(in, before, block);
}

// What leads to another block; `next` is the place behind it.
static void leave_block(struct interpreter *in, const struct instruction *i, size_t next)
{
    if ((i->op == OP_INVOKE || i->op == OP_RESULT) && is_recording(in))
        rounds_give_up(in->rounds);
    if (i->op == OP_RETURN) {
        check_end(in, true);
    } else if (i->op == OP_UNREACHABLE) {
        stop(in, RUN_UNDEFINED, "a place that cannot be reached");
    } else if (i->op == OP_CUT) {
        stop(in, RUN_BOUND, i->text);
    } else if (i->op == OP_INVOKE) {
        in->place.next = next;
        invoke(in, i);
    } else if (i->op == OP_RESULT) {
        end_procedure(in, i);
    } else {
        in->place = (struct place){in->place.block, next_block(in, i), 0};
        if (is_recording(in))
            note_step(in, i);
    }
}

static void run(struct interpreter *in, uint64_t most_steps)
{
    in->place = (struct place){UINT32_MAX, flat_start(in->flat), 0};
    while (!in->stopped) {
        const struct block *b = &in->flat->blocks[in->place.block];
        for (size_t k = in->place.next > 0 ? in->place.next : enter_next(in);
             k < b->count && !in->stopped; k++) {
            const struct instruction *i = in->at = &b->instructions[k];
            if (++in->result->steps > most_steps)
                stop(in, RUN_LIMIT, "too many steps");
            tell_place(in, i);
            if (opcode_ends_block(i->op) || i->op == OP_INVOKE) {
                leave_block(in, i, k + 1);
                break;
            }
            step(in, i);
            if (is_recording(in))
                note_step(in, i);
        }
    }
    check_loss_so_far(in, in->place.block);
}

static void make_globals(struct interpreter *in)
{
    const struct program *p = in->program;
    for (uint32_t g = 0; g < p->global_count; g++) {
        struct memory_object *o =
            new_object(in, p->globals[g].bytes, p->globals[g].alignment, ROOM);
        o->root = true;
        o->constant = p->globals[g].constant;
        bool named = p->globals[g].source_name != NULL;
        o->name = named ? p->globals[g].source_name : p->globals[g].name;
        o->type = named ? p->globals[g].type_name : "";
    }
    for (uint32_t g = 0; g < p->global_count; g++) {
        mark_bytes(&in->objects.data[g], in->objects.data[g].address, in->objects.data[g].bytes,
                   SHADOW_NUMBER);
        if (p->globals[g].external)
            fill_object(in, NULL, g, &in->objects.data[g]);
        for (size_t d = 0; d < p->globals[g].data_count; d++) {
            const struct program_data *data = &p->globals[g].data[d];
            program_word value = operand(in, &data->value);
            for (uint64_t i = 0; i < data->bytes && i < 16; i++)
                in->objects.data[g].data[data->offset + i] = (uint8_t)(value >> (8 * i));
            if (is_address(in, &data->value, value))
                mark_bytes(&in->objects.data[g], in->objects.data[g].address + data->offset,
                           data->bytes, SHADOW_ADDRESS);
        }
    }
}

static struct run_result interpret_with(const struct flat *flat,
                                        const struct program_question *question,
                                        const struct run_source *source, bool closed,
                                        uint64_t most_steps)
{
    struct run_result result = {.end = RUN_LIMIT};
    struct interpreter in = {
        .flat = flat, .program = flat->program, .question = question, .source = source};
    int rounding = fegetround();
    fesetround(FE_TONEAREST);
    in.result = &result;
    in.closed = closed;
    in.beyond = source != NULL && source->outside &&
                (question->property == PROPERTY_CALL || question->property == PROPERTY_LABEL ||
                 question->property == PROPERTY_OVERFLOW);
    in.next_address = FIRST_ADDRESS;
    in.values = memory_zalloc((flat->value_count + 1) * sizeof *in.values);
    in.pairs = memory_zalloc((flat->value_count + 1) * sizeof *in.pairs);
    in.unknown = memory_zalloc(flat->value_count + 1);
    in.address = in.closed ? memory_zalloc(flat->value_count + 1) : NULL;
    in.arbitrary = in.closed || flat->leaves_open ? memory_zalloc(flat->value_count + 1) : NULL;
    in.made = memory_zalloc((flat->value_count + 1) * sizeof *in.made);
    in.spare = memory_zalloc((flat->value_count + 1) * sizeof *in.spare);
    in.running = memory_zalloc((flat->procedures.count + 1) * sizeof *in.running);
    make_globals(&in);
    in.rounds = source != NULL && source->single ? NULL : rounds_create(flat);
    run(&in, most_steps);
    rounds_destroy(in.rounds);
    recurrence_destroy(in.recurrence);
    for (size_t i = 0; i < in.objects.count; i++) {
        memory_free(in.objects.data[i].data);
        memory_free(in.objects.data[i].shadow);
    }
    VECTOR_FINISH(&in.objects);
    VECTOR_FINISH(&in.toggled);
    VECTOR_FINISH(&in.active);
    VECTOR_FINISH(&in.slots);
    VECTOR_FINISH(&in.calls);
    VECTOR_FINISH(&in.kept);
    VECTOR_FINISH(&in.given);
    VECTOR_FINISH(&in.freed);
    VECTOR_FINISH(&in.outside);
    hash_index_finish(&in.outside_index);
    memory_free(in.values);
    memory_free(in.pairs);
    memory_free(in.made);
    memory_free(in.slot);
    memory_free(in.next_in_slot);
    memory_free(in.exposed);
    memory_free(in.spare);
    memory_free(in.running);
    memory_free(in.unknown);
    memory_free(in.address);
    memory_free(in.arbitrary);
    fesetround(rounding);
    return result;
}

struct run_result interpret(const struct flat *flat, const struct program_question *question,
                            const struct run_source *source, uint64_t most_steps)
{
    return interpret_with(flat, question, source, false, most_steps);
}

struct run_result interpret_inputs(const struct flat *flat, const struct program_question *question,
                                   const struct run_source *source, uint64_t most_steps)
{
    return interpret_with(flat, question, source, true, most_steps);
}

struct run_result interpret_closed(const struct flat *flat, const struct program_question *question,
                                   uint64_t most_steps)
{
    return interpret_with(flat, question, NULL, true, most_steps);
}
