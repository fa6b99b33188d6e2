#include "languages/programs/objects.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/programs/places.h"

#define MOST_OFFSETS 24 // exact offsets into one object that a pointer's set keeps
#define MOST_CELLS 72   // variables for one object
#define MOST_EXACT 4096 // the same, when no place in it is computed
#define MOST_ROUNDS 1000

// What memory may hold: pointers that were stored at these offsets.
struct content {
    struct target place;
    struct targets held;
};

struct contents {
    struct content *data;
    size_t count, capacity;
};

struct solver {
    struct objects *o;
    struct contents *contents; // by object
    bool changed;
};

static void *grow(void *data, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return data;
    *capacity = 2 * *capacity + 4;
    return memory_realloc(data, *capacity * size);
}

uint64_t stride_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static struct target normal(struct target t)
{
    if (t.stride > 0) {
        int64_t s = (int64_t)t.stride;
        t.offset = ((t.offset % s) + s) % s;
    }
    return t;
}

static bool covers(const struct target *a, const struct target *b)
{
    if (a->object != b->object)
        return false;
    if (a->stride == 0)
        return b->stride == 0 && a->offset == b->offset;
    return b->stride % a->stride == 0 && distance(a->offset, b->offset) % a->stride == 0;
}

static bool meet(const struct target *a, const struct target *b)
{
    uint64_t g = stride_gcd(a->stride, b->stride);
    return a->object == b->object &&
           (g == 0 ? a->offset == b->offset : distance(a->offset, b->offset) % g == 0);
}

// The first target of this object, or where it would stand: sets are in the order of objects.
static size_t first_of(const struct targets *set, uint32_t object)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (set->data[middle].object < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Those from `kept` to before `end` go.
static void close_gap(struct targets *set, size_t kept, size_t end)
{
    assert(kept <= end && end <= set->count);
    if (kept == end)
        return;
    memmove(set->data + kept, set->data + end, (set->count - end) * sizeof *set->data);
    set->count -= end - kept;
}

// Too many single offsets into one object, from `begin` to before `end`, become a progression.
static void widen(struct targets *set, size_t begin, size_t end)
{
    if (end - begin <= MOST_OFFSETS)
        return;
    struct target sum = set->data[begin];
    for (size_t i = begin + 1; i < end; i++) {
        const struct target *t = &set->data[i];
        sum.stride = stride_gcd(stride_gcd(sum.stride, t->stride), distance(sum.offset, t->offset));
    }
    set->data[begin] = normal(sum);
    close_gap(set, begin + 1, end);
}

static bool add_target(struct targets *set, struct target t)
{
    t = normal(t);
    const size_t begin = first_of(set, t.object);
    size_t end = begin, kept = begin;
    for (; end < set->count && set->data[end].object == t.object; end++)
        if (covers(&set->data[end], &t))
            return false;
    for (size_t i = begin; i < end; i++)
        if (!covers(&t, &set->data[i]))
            set->data[kept++] = set->data[i];
    close_gap(set, kept, end);
    set->data = grow(set->data, set->count, &set->capacity, sizeof t);
    memmove(set->data + kept + 1, set->data + kept, (set->count - kept) * sizeof t);
    set->data[kept] = t;
    set->count++;
    widen(set, begin, kept + 1);
    return true;
}

static bool add_all(struct targets *to, const struct targets *from)
{
    bool changed = false;
    for (size_t i = 0; i < from->count; i++)
        changed = add_target(to, from->data[i]) || changed;
    return changed;
}

static struct targets copy_of(const struct targets *set)
{
    struct targets out = {NULL, set->count, set->count};
    if (set->count == 0)
        return out;
    out.data = memory_alloc(set->count * sizeof *out.data);
    memcpy(out.data, set->data, set->count * sizeof *out.data);
    return out;
}

struct targets objects_of(const struct objects *objects, const struct operand *operand)
{
    struct targets out = {0};
    assert(operand->kind != OPERAND_FUNCTION || objects->function_object[operand->number] != 0);
    assert(operand->kind != OPERAND_VALUE || operand->number < objects->flat->value_count);
    if (operand->kind == OPERAND_ADDRESS)
        add_target(&out,
                   (struct target){objects->global_object[operand->number], operand->offset, 0});
    else if (operand->kind == OPERAND_FUNCTION)
        add_target(&out, (struct target){objects->function_object[operand->number], 0, 0});
    else if (operand->kind == OPERAND_VALUE)
        out = copy_of(&objects->targets[operand->number]);
    return out;
}

// The table of objects.

static struct object *new_object(struct objects *o, enum object_kind kind, const char *name)
{
    o->items = grow(o->items, o->count, &o->capacity, sizeof *o->items);
    o->items[o->count] = (struct object){.kind = kind, .name = name};
    return &o->items[o->count++];
}

static bool constant_operand(const struct operand *operand, uint64_t *out)
{
    *out = operand->bits;
    return operand->kind == OPERAND_CONSTANT && operand->type.kind == PROGRAM_INTEGER;
}

static const char *slot_name(const struct flat *flat, const struct instruction *i)
{
    const struct flat_frame *frame = &flat->frames[i->frame];
    const struct function *f = &flat->program->functions[frame->function];
    const char *own = NULL;
    unsigned line = 0;
    const uint32_t value = flat_origin(flat, i->result);
    for (size_t n = 0; n < f->name_count; n++) {
        if (frame->value_base + f->names[n].value == value) {
            own = f->names[n].name;
            line = f->names[n].line;
        }
    }
    for (size_t n = 0; own != NULL && n < f->name_count; n++) {
        if (frame->value_base + f->names[n].value != value && strcmp(f->names[n].name, own) == 0)
            line |= 1u << 31; // shared with another slot of the function
    }
    char text[512];
    if (own == NULL)
        snprintf(text, sizeof text, "%s::%%%u", frame->name, value - frame->value_base);
    else if (line >> 31)
        snprintf(text, sizeof text, "%s::%s:%u", frame->name, own, line & ~(1u << 31));
    else
        snprintf(text, sizeof text, "%s::%s", frame->name, own);
    return arena_strdup((struct arena *)&flat->arena, text);
}

static void make_site(struct objects *o, const struct instruction *i, struct object model,
                      uint32_t copies)
{
    o->sites = grow(o->sites, o->site_count, &o->site_capacity, sizeof *o->sites);
    assert(copies > 0 && o->site_of[i->result] < 0);
    o->site_of[i->result] = (int32_t)o->site_count;
    o->sites[o->site_count++] = (struct site){i->result, (uint32_t)o->count, copies, 0};
    for (uint32_t c = 0; c < copies; c++) {
        struct object *object = new_object(o, model.kind, model.name);
        uint32_t number = (uint32_t)o->count - 1;
        *object = model;
        object->number = number;
        object->frame = i->frame;
        object->value = i->result;
        object->at = i->at;
    }
    assert(o->sites[o->site_count - 1].first + copies == o->count);
}

// A block of alloca(), of which there may be several at a time: it is not made where the function begins, and has no
// name as an array of variable size has.
static bool is_block(const struct flat *flat, const struct instruction *i)
{
    const struct flat_frame *frame = &flat->frames[i->frame];
    const struct function *f = &flat->program->functions[frame->function];
    uint32_t origin = flat_origin(flat, i->result), value = origin - frame->value_base;
    for (size_t k = 0; k < f->blocks[0].count; k++) {
        if (f->blocks[0].instructions[k].result == value)
            return false;
    }
    for (size_t n = 0; n < f->name_count; n++) {
        if (f->names[n].value == value)
            return false;
    }
    return origin >= frame->value_base && value < f->value_count; // not a copied argument
}

static void make_local(struct objects *o, const struct instruction *i, uint32_t block,
                       uint32_t loop_copies)
{
    uint64_t count;
    struct object model = {.kind = OBJECT_LOCAL, .name = slot_name(o->flat, i)};
    bool several = o->flat->in_cycle[block] && is_block(o->flat, i);
    model.sized =
        constant_operand(&i->operands[0], &count) && count < 1u << 20 && i->extra < 1u << 30;
    model.bytes = model.sized ? count * i->extra : 0;
    model.stays = i->number_count > 1 && i->numbers[1] != 0;
    model.alignment = i->number_count > 0 && i->numbers[0] > 0 ? (uint64_t)i->numbers[0] : 1;
    several = several && !model.stays;
    make_site(o, i, model, several ? loop_copies : 1);
}

bool objects_is_allocator(const char *name)
{
    static const char *const names[] = {
        "malloc",     "calloc",    "alloca", "__builtin_alloca", "__VERIFIER_malloc",
        "ldv_malloc", MOVES_BLOCK, NULL};
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

bool objects_gives_texts(const char *name)
{
    return strcmp(name, GIVES_ARGUMENTS) == 0 || strcmp(name, GIVES_ENVIRONMENT) == 0;
}

bool objects_has_size(const char *allocator, uint32_t operand_count)
{
    return operand_count > (strcmp(allocator, "calloc") == 0 ? 2u : 1u);
}

static void make_heap(struct objects *o, const struct instruction *i, const char *callee,
                      uint32_t block, uint32_t loop_copies, uint32_t tracked)
{
    uint64_t a = 0, b = 1;
    char text[300];
    snprintf(text, sizeof text, "%s@%u", o->flat->frames[i->frame].name, i->at.line);
    struct object model = {.kind = strstr(callee, "alloca") != NULL ? OBJECT_LOCAL : OBJECT_HEAP};
    model.name = arena_strdup((struct arena *)&o->flat->arena, text);
    model.zeroed = strcmp(callee, "calloc") == 0;
    model.alignment = o->flat->program->pointer_bits / 4; // what every type needs
    if (!objects_has_size(callee, i->operand_count))
        return;
    model.sized = constant_operand(&i->operands[1], &a) &&
                  (!model.zeroed || constant_operand(&i->operands[2], &b));
    model.sized = model.sized && a < 1u << 30 && b < 1u << 20;
    model.bytes = model.sized ? a * b : 0;
    const bool several = o->flat->in_cycle[block];
    if (!several || tracked == 0 || model.kind != OBJECT_HEAP) {
        make_site(o, i, model, several ? loop_copies : 1);
        return;
    }
    make_site(o, i, model, tracked + 1);
    struct site *site = &o->sites[o->site_count - 1];
    site->tracked = tracked;
    for (uint32_t k = 0; k < tracked; k++)
        o->items[site->first + k].tracked = k + 1;
    o->items[site->first + tracked].summary = true;
}

// What main is given lives as long as the program.
static void make_given(struct objects *o, const struct instruction *i)
{
    struct object model = {.kind = OBJECT_LOCAL, .stays = true, .alignment = 1};
    char text[40];
    make_site(o, i, model, GIVEN_OBJECTS);
    const struct site *site = &o->sites[o->site_count - 1];
    for (uint32_t k = 0; k < GIVEN_OBJECTS; k++) {
        struct object *object = &o->items[site->first + k];
        object->given = k == 0 ? GIVEN_WORDS : k == GIVEN_REST ? GIVEN_OTHERS : GIVEN_TEXT;
        snprintf(text, sizeof text,
                 k == 0               ? "given"
                 : k == GIVEN_REST    ? "given[others]"
                 : k == GIVEN_TRACKED ? "given[some]"
                                      : "given[%u]",
                 GIVEN_AT(k));
        object->name = arena_strdup((struct arena *)&o->flat->arena, text);
    }
    o->items[site->first].alignment = o->flat->program->pointer_bits / 8;
}

static void make_objects(struct objects *o, uint32_t loop_copies, uint32_t tracked)
{
    const struct flat *flat = o->flat;
    const struct program *p = flat->program;
    new_object(o, OBJECT_NONE, "null");
    for (uint32_t g = 0; g < p->global_count; g++) {
        struct object *object = new_object(o, OBJECT_GLOBAL, p->globals[g].name);
        object->number = g;
        object->sized = true;
        object->bytes = p->globals[g].bytes;
        object->alignment = p->globals[g].alignment;
        o->global_object[g] = (uint32_t)o->count - 1;
    }
    for (uint32_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            if (i->op == OP_ALLOCA)
                make_local(o, i, b, loop_copies);
            else if (i->op == OP_CALL && objects_is_allocator(flat_callee(flat, i)))
                make_heap(o, i, flat_callee(flat, i), b, loop_copies, tracked);
            else if (i->op == OP_CALL && i->operand_count == 2 &&
                     objects_gives_texts(flat_callee(flat, i)))
                make_given(o, i);
        }
    }
    for (uint32_t f = 0; f < p->function_count; f++) {
        if (!p->functions[f].address_taken)
            continue;
        struct object *object = new_object(o, OBJECT_FUNCTION, p->functions[f].name);
        object->number = f;
        object->alignment = 1;
        o->function_object[f] = (uint32_t)o->count - 1;
    }
}

// Where pointers may point.

static void store_content(struct solver *s, const struct target *place, const struct targets *held)
{
    assert(place->object < s->o->count);
    struct contents *c = &s->contents[place->object];
    if (held->count == 0)
        return;
    for (size_t i = 0; i < c->count; i++) {
        if (c->data[i].place.offset == place->offset && c->data[i].place.stride == place->stride) {
            s->changed = add_all(&c->data[i].held, held) || s->changed;
            return;
        }
    }
    // Very many places: one that stands for all.
    struct target where = c->count < 4 * MOST_CELLS ? *place : (struct target){place->object, 0, 1};
    if (c->count >= 4 * MOST_CELLS && !(place->stride == 1)) {
        store_content(s, &where, held);
        return;
    }
    c->data = grow(c->data, c->count, &c->capacity, sizeof *c->data);
    c->data[c->count] = (struct content){.place = where};
    add_all(&c->data[c->count].held, held);
    c->count++;
    s->changed = true;
}

static void reach_text(struct solver *s, uint32_t object, struct targets *out)
{
    s->changed = s->changed || !s->o->items[object].reached;
    s->o->items[object].reached = true;
    add_target(out, (struct target){object, 0, 0});
}

// A text whose index is known is itself; any other is the tracked one or one of the rest.
static void load_given(struct solver *s, const struct target *place, struct targets *out)
{
    const int64_t word = s->o->flat->program->pointer_bits / 8;
    const bool known = place->stride == 0 && place->offset >= 0 && place->offset % word == 0 &&
                       place->offset / word < GIVEN_KNOWN;
    if (known) {
        reach_text(s, place->object + GIVEN_AT((uint32_t)(place->offset / word)), out);
        return;
    }
    for (uint32_t k = 1; k < GIVEN_OBJECTS; k++)
        if (k >= GIVEN_TRACKED || s->o->items[place->object + k].reached)
            reach_text(s, place->object + k, out);
}

static void load_content(struct solver *s, const struct target *place, struct targets *out)
{
    assert(place->object < s->o->count);
    if (s->o->items[place->object].given == GIVEN_WORDS)
        load_given(s, place, out);
    const struct contents *c = &s->contents[place->object];
    for (size_t i = 0; i < c->count; i++) {
        if (meet(&c->data[i].place, place))
            add_all(out, &c->data[i].held);
    }
}

static struct target moved(struct target t, int64_t by, uint64_t stride)
{
    t.offset += by;
    t.stride = stride_gcd(t.stride, stride);
    return normal(t);
}

// The result points `by` further and any multiple of `stride` besides.
static void flow_moved(struct solver *s, uint32_t result, const struct operand *from, int64_t by,
                       uint64_t stride)
{
    struct targets in = objects_of(s->o, from);
    for (size_t i = 0; i < in.count; i++) {
        struct target t = moved(in.data[i], by, stride);
        // Pointers that walk by a constant in a loop would never stop.
        if (t.stride == 0 && (t.offset > (int64_t)1 << 40 || t.offset < -((int64_t)1 << 40)))
            t.stride = 1;
        s->changed = add_target(&s->o->targets[result], t) || s->changed;
    }
    memory_free(in.data);
}

static int64_t signed_constant(const struct operand *o)
{
    return (int64_t)program_as_signed(o->bits, o->type.bits);
}

static void flow_gep(struct solver *s, const struct instruction *i)
{
    assert(i->number_count == i->operand_count);
    int64_t by = i->numbers[0];
    uint64_t stride = 0;
    for (uint32_t k = 1; k < i->operand_count; k++) {
        if (i->operands[k].kind == OPERAND_CONSTANT)
            by += signed_constant(&i->operands[k]) * i->numbers[k];
        else
            stride = stride_gcd(stride, (uint64_t)i->numbers[k]);
    }
    flow_moved(s, i->result, &i->operands[0], by, stride);
}

static void flow_load(struct solver *s, const struct instruction *i)
{
    struct targets places = objects_of(s->o, &i->operands[0]);
    struct targets out = {0};
    for (size_t k = 0; k < places.count; k++)
        load_content(s, &places.data[k], &out);
    s->changed = add_all(&s->o->targets[i->result], &out) || s->changed;
    memory_free(places.data);
    memory_free(out.data);
}

static void flow_store(struct solver *s, const struct instruction *i)
{
    struct targets held = objects_of(s->o, &i->operands[0]);
    struct targets places = objects_of(s->o, &i->operands[1]);
    for (size_t k = 0; k < places.count; k++)
        store_content(s, &places.data[k], &held);
    memory_free(held.data);
    memory_free(places.data);
}

// A copy of memory; that by a function of the program's own library, too.
static bool is_copy(const struct objects *o, const struct instruction *i, struct transfer *out)
{
    const char *name = i->op == OP_CALL ? flat_callee(o->flat, i) : "";
    const bool calls = strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0 ||
                       strcmp(name, MOVES_CONTENTS) == 0;
    if (!calls || i->operand_count < 3)
        return flat_is_transfer(o->flat, i, out) && out->from != NULL;
    uint64_t bytes;
    const bool known = i->operand_count > 3 && constant_operand(&i->operands[3], &bytes);
    *out = (struct transfer){.to = &i->operands[1], .from = &i->operands[2]};
    out->bytes = known && bytes <= INT32_MAX ? (int64_t)bytes : -1;
    return true;
}

// Is a part of so many bytes there among those that a copy moves from `from` on? Where that is not known it may be.
static bool is_moved(const struct target *from, int64_t moved, int64_t offset, uint64_t stride,
                     uint64_t bytes)
{
    if (from->stride != 0 || stride != 0 || moved < 0)
        return moved != 0;
    return offset + (int64_t)bytes > from->offset && offset - from->offset < moved;
}

static void copy_between(struct solver *s, const struct target *to, const struct target *from,
                         int64_t bytes)
{
    const uint64_t word = s->o->flat->program->pointer_bits / 8;
    for (size_t i = 0; i < s->contents[from->object].count; i++) {
        const struct content *c = &s->contents[from->object].data[i];
        if (!is_moved(from, bytes, c->place.offset, c->place.stride, word))
            continue;
        int64_t by = to->offset - from->offset;
        struct target place = {to->object, c->place.offset, c->place.stride};
        place = moved(place, by, stride_gcd(to->stride, from->stride));
        struct targets held = {0};
        add_all(&held, &c->held);
        store_content(s, &place, &held);
        memory_free(held.data);
    }
}

static void flow_copy(struct solver *s, const struct transfer *copy)
{
    struct targets target = objects_of(s->o, copy->to), source = objects_of(s->o, copy->from);
    for (size_t a = 0; a < target.count; a++) {
        for (size_t b = 0; b < source.count; b++)
            copy_between(s, &target.data[a], &source.data[b], copy->bytes);
    }
    memory_free(target.data);
    memory_free(source.data);
}

static void flow_site(struct solver *s, const struct instruction *i)
{
    assert(s->o->site_of[i->result] >= 0);
    const struct site *site = &s->o->sites[s->o->site_of[i->result]];
    const bool given = s->o->items[site->first].given == GIVEN_WORDS; // the rest it leads to
    for (uint32_t c = 0; c < (given ? 1 : site->count); c++)
        s->changed =
            add_target(&s->o->targets[i->result], (struct target){site->first + c, 0, 0}) ||
            s->changed;
}

static void flow_call(struct solver *s, const struct instruction *i)
{
    struct transfer copy;
    if (s->o->site_of[i->result] >= 0) {
        flow_site(s, i);
    } else if (is_copy(s->o, i, &copy)) {
        flow_copy(s, &copy);
        flow_moved(s, i->result, copy.to, 0, 0);
    } else if (i->type.kind == PROGRAM_POINTER) {
        // Functions that return a pointer into what they were given.
        for (uint32_t k = 1; k < i->operand_count; k++)
            flow_moved(s, i->result, &i->operands[k], 0, 1);
    }
}

static void flow(struct solver *s, const struct instruction *i)
{
    struct transfer copy;
    bool keeps = i->op == OP_PHI || i->op == OP_SELECT || (i->op >= OP_TRUNC && i->op <= OP_FREEZE);
    if (i->op == OP_ALLOCA)
        flow_site(s, i);
    else if (i->op == OP_GEP)
        flow_gep(s, i);
    else if (i->op == OP_LOAD)
        flow_load(s, i);
    else if (i->op == OP_STORE)
        flow_store(s, i);
    else if (i->op == OP_COPY && is_copy(s->o, i, &copy))
        flow_copy(s, &copy);
    else if (i->op == OP_CALL)
        flow_call(s, i);
    else if (keeps || (i->op >= OP_ADD && i->op <= OP_XOR))
        for (uint32_t k = 0; k < i->operand_count; k++)
            flow_moved(s, i->result, &i->operands[k], 0, keeps ? 0 : 1);
}

static void flow_initial(struct solver *s)
{
    const struct program *p = s->o->flat->program;
    for (uint32_t g = 0; g < p->global_count; g++) {
        for (size_t d = 0; d < p->globals[g].data_count; d++) {
            const struct program_data *data = &p->globals[g].data[d];
            struct targets held = objects_of(s->o, &data->value);
            struct target place = {s->o->global_object[g], (int64_t)data->offset, 0};
            store_content(s, &place, &held);
            memory_free(held.data);
        }
    }
}

static void solve(struct solver *s)
{
    const struct flat *flat = s->o->flat;
    flow_initial(s);
    s->changed = true;
    for (unsigned round = 0; s->changed && round < MOST_ROUNDS; round++) {
        s->changed = false;
        for (size_t b = 0; b < flat->block_count; b++) {
            for (size_t k = 0; k < flat->blocks[b].count; k++)
                flow(s, &flat->blocks[b].instructions[k]);
        }
    }
    s->o->unfinished = s->changed;
}

// What is accessed where.

static bool add_access(struct object *object, struct access a)
{
    for (size_t i = 0; i < object->access_count; i++) {
        const struct access *b = &object->accesses[i];
        if (b->offset == a.offset && b->stride == a.stride && b->bytes == a.bytes &&
            b->pointer == a.pointer)
            return false;
    }
    object->accesses =
        grow(object->accesses, object->access_count, &object->access_capacity, sizeof a);
    object->accesses[object->access_count++] = a;
    return true;
}

static void access_memory(struct objects *o, const struct operand *address, uint64_t bytes,
                          bool pointer)
{
    struct targets places = objects_of(o, address);
    for (size_t i = 0; i < places.count; i++) {
        const struct target *t = &places.data[i];
        add_access(&o->items[t->object], (struct access){t->offset, t->stride, bytes, pointer});
    }
    memory_free(places.data);
}

// Cells on one side of a copy are cells on the other.
static bool copy_accesses(struct objects *o, const struct target *to, const struct target *from,
                          int64_t bytes)
{
    bool changed = false;
    for (size_t i = 0; i < o->items[from->object].access_count && i < 4096; i++) {
        struct access a = o->items[from->object].accesses[i];
        struct target place = {to->object, a.offset, a.stride};
        if (!is_moved(from, bytes, a.offset, a.stride, a.bytes))
            continue;
        place = moved(place, to->offset - from->offset, stride_gcd(to->stride, from->stride));
        a.offset = place.offset;
        a.stride = place.stride;
        const struct object *target = &o->items[to->object];
        if (a.stride == 0 && (a.offset < 0 || (target->sized && a.offset + (int64_t)a.bytes >
                                                                    (int64_t)target->bytes)))
            continue;
        changed = add_access(&o->items[to->object], a) || changed;
    }
    return changed;
}

static bool access_copy(struct objects *o, const struct transfer *copy)
{
    bool changed = false;
    struct targets target = objects_of(o, copy->to), source = objects_of(o, copy->from);
    for (size_t a = 0; a < target.count; a++) {
        for (size_t b = 0; b < source.count; b++) {
            changed = copy_accesses(o, &target.data[a], &source.data[b], copy->bytes) || changed;
            changed = copy_accesses(o, &source.data[b], &target.data[a], copy->bytes) || changed;
        }
    }
    memory_free(target.data);
    memory_free(source.data);
    return changed;
}

static void find_accesses(struct objects *o)
{
    const struct flat *flat = o->flat;
    struct transfer copy;
    for (uint32_t g = 0; g < flat->program->global_count; g++) {
        const struct global *global = &flat->program->globals[g];
        struct object *object = &o->items[o->global_object[g]];
        for (size_t d = 0; d < global->data_count && global->data_count <= MOST_CELLS; d++)
            add_access(object,
                       (struct access){(int64_t)global->data[d].offset, 0, global->data[d].bytes,
                                       global->data[d].value.type.kind == PROGRAM_POINTER});
    }
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            if (i->op == OP_LOAD || i->op == OP_STORE)
                access_memory(o, &i->operands[i->op == OP_STORE], (uint64_t)i->numbers[0],
                              i->type.kind == PROGRAM_POINTER);
        }
    }
    bool changed = true;
    for (unsigned round = 0; changed && round < 20; round++) {
        changed = false;
        for (size_t b = 0; b < flat->block_count; b++) {
            for (size_t k = 0; k < flat->blocks[b].count; k++) {
                if (is_copy(o, &flat->blocks[b].instructions[k], &copy))
                    changed = access_copy(o, &copy) || changed;
            }
        }
    }
    o->unfinished = o->unfinished || changed;
}

// Cutting objects into cells.

struct pieces {
    struct cell *data;
    size_t count, capacity;
};

static bool add_piece(struct pieces *p, uint64_t offset, const struct access *a, size_t most)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->data[i].offset == offset && p->data[i].bytes == a->bytes &&
            p->data[i].pointer == a->pointer)
            return true;
    }
    if (p->count > most)
        return false;
    p->data = grow(p->data, p->count, &p->capacity, sizeof *p->data);
    p->data[p->count++] = (struct cell){offset, a->bytes, a->pointer, false};
    return true;
}

// A pointer is always accessed at this place, and the access looks at it otherwise, or at a part of it.
static bool crosses_pointer(const struct object *object, const struct access *by, int64_t at)
{
    for (size_t i = 0; i < object->access_count; i++) {
        const struct access *a = &object->accesses[i];
        bool same = a->offset == at && a->bytes == by->bytes;
        if (a->pointer && a->stride == 0 && !same && a->offset < at + (int64_t)by->bytes &&
            at < a->offset + (int64_t)a->bytes)
            return true;
    }
    return false;
}

// Every place that is accessed, singly; false when there are too many. With `apart` those are left out where an index would lead out
// of its array into a pointer.
static bool expand(struct object *object, bool apart, struct pieces *out)
{
    for (size_t i = 0; i < object->access_count; i++) {
        const struct access *a = &object->accesses[i];
        if (!object->sized)
            return false;
        if (a->bytes > object->bytes)
            continue;
        int64_t most = (int64_t)(object->bytes - a->bytes);
        if (a->stride == 0) {
            if (a->offset >= 0 && a->offset <= most &&
                !add_piece(out, (uint64_t)a->offset, a, MOST_EXACT))
                return false;
            continue;
        }
        if ((uint64_t)most / a->stride > MOST_CELLS)
            return false;
        for (int64_t at = a->offset; at <= most; at += (int64_t)a->stride) {
            if (apart && crosses_pointer(object, a, at))
                object->crossed = true;
            else if (!add_piece(out, (uint64_t)at, a, 4 * MOST_CELLS))
                return false;
        }
    }
    return true;
}

static int compare_cells(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset ? 1 : 0;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static void add_cell(struct object *object, struct cell cell)
{
    assert(cell.bytes > 0);
    object->cells = grow(object->cells, object->cell_count, &object->cell_capacity, sizeof cell);
    object->cells[object->cell_count++] = cell;
}

static bool same_extent(const struct cell *a, const struct cell *b)
{
    return a->offset == b->offset && a->bytes == b->bytes;
}

static bool overlap(const struct cell *a, const struct cell *b)
{
    return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

// A pointer is one cell; an integer of the same extent may look at it, nothing else. With `parts` other numbers may, too.
static bool pointers_apart(const struct pieces *p, bool parts)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct cell *a = &p->data[i];
        for (size_t k = 0; a->pointer && k < p->count; k++) {
            const struct cell *b = &p->data[k];
            if (!same_extent(a, b) && overlap(a, b) && (b->pointer || !parts))
                return false;
        }
    }
    return true;
}

static bool touched(const struct pieces *p, struct cell *cell)
{
    bool found = false, number = false;
    cell->pointer = false;
    for (size_t i = 0; i < p->count; i++) {
        const struct cell *a = &p->data[i];
        found = found ||
                (a->offset <= cell->offset && cell->offset + cell->bytes <= a->offset + a->bytes);
        number = number || (!a->pointer && overlap(a, cell));
        cell->pointer = cell->pointer || (a->pointer && same_extent(a, cell));
    }
    cell->mixed = cell->pointer && number;
    return found;
}

// No pointer is cut.
static bool is_in_pointer(const struct pieces *p, uint64_t end)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct cell *a = &p->data[i];
        if (a->pointer && a->offset < end && end < a->offset + a->bytes)
            return true;
    }
    return false;
}

static void cut_cells(struct object *object, const struct pieces *p)
{
    uint64_t *ends = memory_alloc((2 * p->count + 1) * sizeof *ends);
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const uint64_t from = p->data[i].offset, to = from + p->data[i].bytes;
        ends[count] = from;
        count += !is_in_pointer(p, from);
        ends[count] = to;
        count += !is_in_pointer(p, to);
    }
    if (count > 1)
        qsort(ends, count, sizeof *ends, compare_numbers);
    for (size_t i = 0; i + 1 < count; i++) {
        struct cell cell = {ends[i], ends[i + 1] - ends[i], false, false};
        if (cell.bytes > 0 && touched(p, &cell))
            add_cell(object, cell);
    }
    memory_free(ends);
    if (object->cell_count > 1)
        qsort(object->cells, object->cell_count, sizeof *object->cells, compare_cells);
}

// One array for each place in a period.
static bool cut_fields(struct object *object)
{
    uint64_t period = 0;
    for (size_t i = 0; i < object->access_count; i++)
        period = stride_gcd(period, object->accesses[i].stride);
    struct pieces p = {0};
    bool good = true;
    if (object->access_count > MOST_CELLS) {
        // Many single places are of one kind.
        for (size_t i = 1; i < object->access_count; i++)
            period = stride_gcd(period,
                                distance(object->accesses[i].offset, object->accesses[0].offset));
    }
    if (period == 0)
        period = object->sized && object->bytes > 0 ? object->bytes : (uint64_t)1 << 30;
    assert(period > 0 && object->cell_count == 0);
    for (size_t i = 0; i < object->access_count && good; i++) {
        const struct access *a = &object->accesses[i];
        int64_t place = ((a->offset % (int64_t)period) + (int64_t)period) % (int64_t)period;
        good = (uint64_t)place + a->bytes <= period &&
               add_piece(&p, (uint64_t)place, a, 4 * MOST_CELLS);
    }
    for (size_t i = 0; i < p.count && good; i++) {
        for (size_t k = 0; k < i && good; k++) {
            const struct cell *a = &p.data[i], *b = &p.data[k];
            bool same = a->offset == b->offset && a->bytes == b->bytes;
            good = same || a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
        }
    }
    if (good && p.count <= MOST_CELLS) {
        object->layout = LAYOUT_FIELDS;
        object->period = period;
        cut_cells(object, &p);
    } else {
        good = false;
    }
    memory_free(p.data);
    return good;
}

static void lay_out(struct object *object)
{
    struct pieces p = {0};
    bool any_pointer = object->given == GIVEN_WORDS, exact = true;
    for (size_t i = 0; i < object->access_count; i++) {
        any_pointer = any_pointer || object->accesses[i].pointer;
        exact = exact && object->accesses[i].stride == 0;
    }
    if (object->given != GIVEN_NOTHING) {
        object->layout = any_pointer ? LAYOUT_MIXED : LAYOUT_BYTES;
        return;
    }
    bool few = expand(object, false, &p);
    if (few && !pointers_apart(&p, false)) {
        p.count = 0;
        few = expand(object, true, &p);
        if (few && !(object->crossed && pointers_apart(&p, false))) {
            p.count = 0;
            object->crossed = false;
            few = expand(object, false, &p) && pointers_apart(&p, true);
        }
    }
    if (few)
        cut_cells(object, &p);
    if (few && object->cell_count <= (exact ? MOST_EXACT : MOST_CELLS)) {
        object->layout = LAYOUT_CELLS;
    } else {
        object->cell_count = 0;
        if (!cut_fields(object)) {
            object->cell_count = 0;
            object->layout = any_pointer ? LAYOUT_MIXED : LAYOUT_BYTES;
        }
    }
    memory_free(p.data);
    for (size_t i = 1; i < object->cell_count; i++)
        assert(object->cells[i - 1].offset + object->cells[i - 1].bytes <= object->cells[i].offset);
}

// Lives.

static void note_life(struct objects *o, const struct instruction *i, uint32_t block)
{
    if (i->op == OP_ALLOCA && o->site_of[i->result] >= 0) {
        const struct site *site = &o->sites[o->site_of[i->result]];
        struct object *slot = &o->items[site->first];
        slot->lives_again = slot->lives_again || (site->count == 1 && o->flat->in_cycle[block]);
    }
    const char *name = i->op == OP_CALL && i->operand_count > 2 ? flat_callee(o->flat, i) : "";
    bool again = strcmp(name, LIVES_AGAIN) == 0;
    if (!again && strncmp(name, "llvm.lifetime.start", 19) != 0)
        return;
    struct targets targets = objects_of(o, &i->operands[2]);
    for (size_t k = 0; k < targets.count; k++) {
        struct object *slot = &o->items[targets.data[k].object];
        slot->lives_again = slot->lives_again || again || slot->begins || o->flat->in_cycle[block];
        slot->begins = true;
    }
    memory_free(targets.data);
}

// Slots of what a function calls are made anew before a variable of the function lives again.
static bool outlasts(const struct objects *o, const struct object *holder, const struct object *to)
{
    return holder->kind != OBJECT_LOCAL || holder->stays || holder->frame == to->frame ||
           !flat_frame_is_inside(o->flat, holder->frame, to->frame);
}

static void add_keeper(struct objects *o, struct keeper keeper)
{
    const struct keeper *last = o->keeper_count > 0 ? &o->keepers[o->keeper_count - 1] : NULL;
    if (last != NULL && last->to == keeper.to && last->place.object == keeper.place.object &&
        last->place.offset == keeper.place.offset && last->place.stride == keeper.place.stride)
        return; // it points to several places there
    o->keepers = grow(o->keepers, o->keeper_count, &o->keeper_capacity, sizeof keeper);
    o->keepers[o->keeper_count++] = keeper;
}

// A slot that lives again looks alive to pointers from its life before: who may have such pointers?
static void find_keepers(struct solver *s)
{
    struct objects *o = s->o;
    for (uint32_t b = 0; b < o->flat->block_count; b++) {
        for (size_t k = 0; k < o->flat->blocks[b].count; k++)
            note_life(o, &o->flat->blocks[b].instructions[k], b);
    }
    for (uint32_t h = 0; h < o->count; h++) {
        for (size_t k = 0; k < s->contents[h].count; k++) {
            struct target place = s->contents[h].data[k].place;
            const struct targets *held = &s->contents[h].data[k].held;
            place.object = h;
            for (size_t i = 0; i < held->count; i++) {
                struct object *to = &o->items[held->data[i].object];
                to->kept_outside = to->kept_outside || o->items[h].kind != OBJECT_LOCAL ||
                                   !flat_frame_is_inside(o->flat, o->items[h].frame, to->frame);
                if (to->kind == OBJECT_LOCAL && to->lives_again && outlasts(o, &o->items[h], to))
                    add_keeper(o, (struct keeper){held->data[i].object, place});
            }
        }
    }
    if (o->keeper_count == 0)
        return;
    o->stale = (uint32_t)o->count;
    new_object(o, OBJECT_NONE, "a life that is over");
}

// Places that are taken again.

static bool is_free(const struct flat *flat, const struct instruction *i)
{
    return i->op == OP_CALL && i->operand_count > 1 && strcmp(flat_callee(flat, i), "free") == 0;
}

static bool *find_behind_free(const struct flat *flat)
{
    bool *behind = memory_zalloc(flat->block_count + 1);
    VECTOR(uint32_t) stack = {0};
    for (uint32_t b = 0; b < flat->block_count; b++) {
        bool frees = false;
        for (size_t k = 0; k < flat->blocks[b].count; k++)
            frees = frees || is_free(flat, &flat->blocks[b].instructions[k]);
        if (frees)
            VECTOR_PUSH(&stack, b);
    }
    while (stack.count > 0) {
        const struct block *b = &flat->blocks[VECTOR_POP(&stack)];
        size_t count = flat_successors(b, NULL, 0);
        const int64_t *next = count > 0 ? b->instructions[b->count - 1].numbers : NULL;
        for (size_t i = 0; i < count; i++) {
            assert(next[i] >= 0 && (uint64_t)next[i] < flat->block_count);
            if (!behind[next[i]])
                VECTOR_PUSH(&stack, (uint32_t)next[i]);
            behind[next[i]] = true;
        }
    }
    VECTOR_FINISH(&stack);
    return behind;
}

bool *objects_find_late(const struct flat *flat)
{
    bool *behind = find_behind_free(flat), *late = memory_zalloc(flat->value_count + 1);
    for (uint32_t b = 0; b < flat->block_count; b++) {
        bool freed = behind[b];
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            freed = freed || is_free(flat, i);
            const char *callee = i->op == OP_CALL ? flat_callee(flat, i) : "";
            if (objects_is_allocator(callee) && (freed || strcmp(callee, MOVES_BLOCK) == 0))
                late[i->result] = true;
        }
    }
    memory_free(behind);
    return late;
}

static void note_free(struct objects *o, const struct instruction *i)
{
    struct targets targets = objects_of(o, &i->operands[1]);
    for (size_t k = 0; k < targets.count; k++) {
        struct object *block = &o->items[targets.data[k].object];
        block->freed = block->freed || block->kind == OBJECT_HEAP;
    }
    memory_free(targets.data);
}

static void note_moved(struct objects *o, const struct instruction *i)
{
    if (i->op != OP_CALL || i->operand_count < 4 ||
        strcmp(flat_callee(o->flat, i), MOVES_CONTENTS) != 0)
        return;
    struct targets targets = objects_of(o, &i->operands[2]);
    for (size_t k = 0; k < targets.count; k++)
        o->items[targets.data[k].object].moved = true;
    memory_free(targets.data);
}

static bool has_late(const struct objects *o, const struct targets *targets, uint32_t but)
{
    for (size_t k = 0; k < targets->count; k++) {
        if (targets->data[k].object != but && o->items[targets->data[k].object].late)
            return true;
    }
    return false;
}

static void watch_compared(struct objects *o, const struct instruction *i)
{
    struct targets side[] = {objects_of(o, &i->operands[0]), objects_of(o, &i->operands[1])};
    for (int s = 0; s < 2; s++) {
        for (size_t k = 0; k < side[s].count; k++) {
            const uint32_t number = side[s].data[k].object;
            struct object *block = &o->items[number];
            if (block->freed && !block->watched)
                block->watched = has_late(o, &side[1 - s], number);
        }
    }
    memory_free(side[0].data);
    memory_free(side[1].data);
}

// A block that is made where one was freed may lie there: pointers to the two may be equal.
static void find_watched(struct objects *o)
{
    const struct flat *flat = o->flat;
    bool *late = objects_find_late(flat);
    for (size_t n = 0; n < o->count; n++)
        o->items[n].late = o->items[n].kind == OBJECT_HEAP && late[o->items[n].value];
    memory_free(late);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t b = 0; b < flat->block_count; b++) {
            for (size_t k = 0; k < flat->blocks[b].count; k++) {
                const struct instruction *i = &flat->blocks[b].instructions[k];
                if (pass == 0 && is_free(flat, i))
                    note_free(o, i);
                if (pass == 0)
                    note_moved(o, i);
                if (pass == 1 && i->op == OP_ICMP && i->extra <= COMPARE_NE)
                    watch_compared(o, i);
            }
        }
    }
}

static void add_holding(struct object *object, struct holding holding)
{
    for (size_t i = 0; i < object->holding_count; i++) {
        const struct holding *h = &object->holdings[i];
        if (h->offset == holding.offset && h->stride == holding.stride &&
            covers(&h->to, &holding.to))
            return;
    }
    object->holdings =
        grow(object->holdings, object->holding_count, &object->holding_capacity, sizeof holding);
    object->holdings[object->holding_count++] = holding;
}

// Which pointers are where, when there are summaries.
static void find_holdings(struct solver *s)
{
    struct objects *o = s->o;
    bool some = false;
    for (uint32_t n = 0; n < o->count; n++)
        some = some || o->items[n].summary;
    for (uint32_t n = 0; n < o->count && some; n++) {
        for (size_t k = 0; k < s->contents[n].count; k++) {
            const struct content *c = &s->contents[n].data[k];
            for (size_t i = 0; i < c->held.count; i++)
                add_holding(&o->items[n],
                            (struct holding){c->place.offset, c->place.stride, c->held.data[i]});
        }
    }
    if (!some)
        return;
    o->unwritten = (uint32_t)o->count;
    new_object(o, OBJECT_NONE, "memory that nobody wrote");
    o->vague = (uint32_t)o->count;
    new_object(o, OBJECT_NONE, "null of some block");
}

static void find_mixed(struct objects *o)
{
    bool some = false;
    for (size_t n = 0; n < o->count; n++)
        for (size_t i = 0; i < o->items[n].cell_count; i++)
            some = some || o->items[n].cells[i].mixed;
    if (!some)
        return;
    o->numbers = (uint32_t)o->count;
    new_object(o, OBJECT_NONE, "a number");
}

struct objects *objects_create(const struct flat *flat, uint32_t loop_copies, uint32_t tracked)
{
    struct objects *o = memory_zalloc(sizeof *o);
    o->flat = flat;
    o->global_object = memory_zalloc((flat->program->global_count + 1) * sizeof *o->global_object);
    o->function_object =
        memory_zalloc((flat->program->function_count + 1) * sizeof *o->function_object);
    o->site_of = memory_alloc((flat->value_count + 1) * sizeof *o->site_of);
    for (size_t i = 0; i <= flat->value_count; i++)
        o->site_of[i] = -1;
    o->targets = memory_zalloc((flat->value_count + 1) * sizeof *o->targets);
    make_objects(o, loop_copies, tracked);
    assert(o->count > 0 && o->items[0].kind == OBJECT_NONE && loop_copies > 0);
    struct solver s = {.o = o};
    s.contents = memory_zalloc((o->count + 3) * sizeof *s.contents);
    solve(&s);
    const size_t analysed = o->count; // further objects are only what pointers mean
    find_keepers(&s);
    find_holdings(&s);
    find_watched(o);
    find_accesses(o);
    for (size_t i = 0; i < o->count; i++)
        lay_out(&o->items[i]);
    find_mixed(o);
    for (size_t i = 0; i < analysed; i++) {
        for (size_t k = 0; k < s.contents[i].count; k++)
            memory_free(s.contents[i].data[k].held.data);
        memory_free(s.contents[i].data);
    }
    memory_free(s.contents);
    return o;
}

void objects_destroy(struct objects *objects)
{
    if (objects == NULL)
        return;
    for (size_t i = 0; i < objects->count; i++) {
        memory_free(objects->items[i].accesses);
        memory_free(objects->items[i].cells);
        memory_free(objects->items[i].holdings);
    }
    for (size_t i = 0; i < objects->flat->value_count; i++)
        memory_free(objects->targets[i].data);
    memory_free(objects->items);
    memory_free(objects->targets);
    memory_free(objects->global_object);
    memory_free(objects->function_object);
    memory_free(objects->sites);
    memory_free(objects->keepers);
    memory_free(objects->site_of);
    memory_free(objects);
}
