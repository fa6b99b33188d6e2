#include "languages/programs/shared.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

#define MOST_STEPS 8 // from a value to where it comes from

// Where a pointer leads, as far as it is known: to one place, or to more than that says.
struct place {
    enum { NOTHING, GLOBAL, VARIABLE, PARAMETER, SEVERAL } kind;
    uint32_t number; // of the global; the value of main's variable, or of the parameter
    int64_t offset;
};

struct sharing {
    const struct program *program;
    const struct function *start;
    const bool *recursive;
    struct arena *arena;
    struct place **given;                   // by function and parameter
    const struct instruction ***definition; // by function and value; NULL: a parameter's
    const struct instruction ***stored; // likewise: the one store to a slot that is written once
    bool *suits;                        // by function
    uint32_t *global_of;                // by value of main: a variable's new number; 0: it stays
    uint32_t globals;
};

static uint32_t number_of(const struct sharing *s, const struct function *f)
{
    return (uint32_t)(f - s->program->functions);
}

// Of what an address is used for: nothing that hands it on.
static bool is_access(const struct instruction *i, uint32_t operand)
{
    return (i->op == OP_LOAD && operand == 0) || (i->op == OP_STORE && operand == 1);
}

// What is written once, where the function begins, and only loaded from then on, is what was written.
static void find_stored(struct sharing *s, const struct function *f)
{
    const uint32_t number = number_of(s, f);
    const struct instruction **stored = s->stored[number];
    bool *spoilt = memory_zalloc(f->value_count + 1);
    for (size_t b = 0; b < f->block_count; b++)
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand *o = &i->operands[n];
                if (o->kind != OPERAND_VALUE)
                    continue;
                const bool first = b == 0 && stored[o->number] == NULL;
                if (!is_access(i, n) || (i->op == OP_STORE ? !first : stored[o->number] == NULL))
                    spoilt[o->number] = true;
                else if (i->op == OP_STORE)
                    stored[o->number] = i;
            }
        }
    for (uint32_t v = 0; v < f->value_count; v++)
        if (spoilt[v])
            stored[v] = NULL;
    memory_free(spoilt);
}

static void find_definitions(struct sharing *s, const struct function *f)
{
    const uint32_t number = number_of(s, f);
    s->definition[number] =
        arena_zalloc(s->arena, (f->value_count + 1) * sizeof(const struct instruction *));
    s->stored[number] =
        arena_zalloc(s->arena, (f->value_count + 1) * sizeof(const struct instruction *));
    for (size_t b = 0; b < f->block_count; b++)
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (instruction_defines(i))
                s->definition[number][i->result] = i;
        }
    find_stored(s, f);
}

// A variable of main's whose life does not begin again.
static bool is_variable(const struct sharing *s, const struct function *f,
                        const struct instruction *i)
{
    const struct block *first = &f->blocks[0];
    const bool once = i >= first->instructions && i < first->instructions + first->count;
    return f == s->start && once && i->op == OP_ALLOCA && i->operand_count == 1 &&
           i->operands[0].kind == OPERAND_CONSTANT && i->operands[0].bits == 1 && i->extra > 0;
}

// What a slot of the function's own holds. NULL: that is not known, or it is none.
static const struct instruction *stored_in(const struct sharing *s, const struct function *f,
                                           const struct operand *slot)
{
    const uint32_t number = number_of(s, f);
    if (slot->kind != OPERAND_VALUE || slot->number >= f->value_count)
        return NULL;
    const struct instruction *made = s->definition[number][slot->number];
    return made != NULL && made->op == OP_ALLOCA ? s->stored[number][slot->number] : NULL;
}

static struct place place_of(const struct sharing *s, const struct function *f,
                             const struct operand *o)
{
    const struct place several = {SEVERAL, 0, 0};
    const uint32_t number = number_of(s, f);
    int64_t offset = 0;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (o->kind == OPERAND_ADDRESS)
            return (struct place){GLOBAL, o->number, o->offset + offset};
        if (o->kind != OPERAND_VALUE || o->number >= f->value_count)
            return several;
        if (o->number < f->parameter_count)
            return (struct place){PARAMETER, o->number, offset};
        const struct instruction *i = s->definition[number][o->number];
        if (i == NULL)
            return several;
        if (is_variable(s, f, i))
            return (struct place){VARIABLE, o->number, offset};
        const struct instruction *store =
            i->op == OP_LOAD ? stored_in(s, f, &i->operands[0]) : NULL;
        if (store != NULL && store->numbers[0] == i->numbers[0]) {
            o = &store->operands[0];
        } else if (i->op == OP_GEP && i->operand_count == 1) {
            offset += i->numbers[0];
            o = &i->operands[0];
        } else {
            return several;
        }
    }
    return several;
}

// True: it says more now.
static bool join(struct place *to, struct place from)
{
    const bool same =
        to->kind == from.kind && to->number == from.number && to->offset == from.offset;
    if (from.kind == NOTHING || same || to->kind == SEVERAL)
        return false;
    *to = to->kind == NOTHING ? from : (struct place){SEVERAL, 0, 0};
    return true;
}

// As the caller's own callers say it.
static struct place resolved(const struct sharing *s, const struct function *caller,
                             struct place place)
{
    if (place.kind != PARAMETER)
        return place;
    struct place given = s->given[number_of(s, caller)][place.number];
    if (place.offset != 0 && given.kind != NOTHING)
        return (struct place){SEVERAL, 0, 0};
    return given;
}

static bool give(struct sharing *s, const struct function *caller, const struct instruction *call)
{
    const struct function *f = program_callee(s->program, call);
    bool changed = false;
    for (uint32_t k = 0; f != NULL && k < f->parameter_count; k++) {
        if (f->parameters[k].kind != PROGRAM_POINTER)
            continue;
        const bool plain = k + 1 < call->operand_count && call->numbers[k] == 0;
        const struct place place =
            plain ? place_of(s, caller, &call->operands[k + 1]) : (struct place){SEVERAL, 0, 0};
        changed = join(&s->given[number_of(s, f)][k], resolved(s, caller, place)) || changed;
    }
    return changed;
}

static void find_given(struct sharing *s)
{
    const struct program *p = s->program;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t f = 0; f < p->function_count; f++)
            for (size_t b = 0; b < p->functions[f].block_count; b++)
                for (size_t k = 0; k < p->functions[f].blocks[b].count; k++)
                    changed =
                        give(s, &p->functions[f], &p->functions[f].blocks[b].instructions[k]) ||
                        changed;
    }
}

static bool is_given_one(const struct place *place)
{
    return place->kind == GLOBAL || place->kind == VARIABLE;
}

// A call that begins or ends the life of a variable of main's, which is one number: it may hold anything from then on. False: it is none.
static bool is_life(const struct sharing *s, const struct function *f, const struct instruction *i,
                    struct place *variable)
{
    static const char prefix[] = "llvm.lifetime.";
    const struct function *callee = program_callee(s->program, i);
    if (callee == NULL || f != s->start || i->operand_count != 3 ||
        strncmp(callee->name, prefix, strlen(prefix)) != 0)
        return false;
    *variable = place_of(s, f, &i->operands[2]);
    if (variable->kind != VARIABLE || variable->offset != 0)
        return false;
    const uint64_t bytes = s->definition[number_of(s, f)][variable->number]->extra;
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

// What has no body might end the variable's life, or begin another one.
static void exclude_foreign(struct sharing *s)
{
    bool *foreign = memory_zalloc(s->start->value_count + 1);
    for (size_t b = 0; b < s->start->block_count; b++)
        for (size_t k = 0; k < s->start->blocks[b].count; k++) {
            const struct instruction *i = &s->start->blocks[b].instructions[k];
            const struct function *f = program_callee(s->program, i);
            struct place variable;
            if (i->op != OP_CALL || is_life(s, s->start, i, &variable))
                continue;
            for (uint32_t n = 1; n < i->operand_count; n++) {
                const struct place place = place_of(s, s->start, &i->operands[n]);
                if (place.kind == VARIABLE && (f == NULL || !f->defined))
                    foreign[place.number] = true;
            }
        }
    for (size_t f = 0; f < s->program->function_count; f++)
        for (uint32_t k = 0; k < s->program->functions[f].parameter_count; k++) {
            struct place *place = &s->given[f][k];
            if (place->kind == VARIABLE && foreign[place->number])
                place->kind = SEVERAL;
        }
    memory_free(foreign);
}

// True: there is something to be shared.
static bool choose(struct sharing *s)
{
    bool any = false;
    for (size_t f = 0; f < s->program->function_count; f++) {
        const struct function *function = &s->program->functions[f];
        bool some = false, all = s->recursive[f] && function != s->start;
        for (uint32_t k = 0; k < function->parameter_count; k++)
            if (function->parameters[k].kind == PROGRAM_POINTER) {
                some = true;
                all = all && is_given_one(&s->given[f][k]);
            }
        s->suits[f] = some && all;
        any = any || s->suits[f];
        for (uint32_t k = 0; s->suits[f] && k < function->parameter_count; k++)
            if (s->given[f][k].kind == VARIABLE && s->global_of[s->given[f][k].number] == 0)
                s->global_of[s->given[f][k].number] = ++s->globals;
    }
    return any;
}

// ---- the program made

static struct operand address(const struct sharing *s, const struct operand *was,
                              struct place place)
{
    assert(is_given_one(&place));
    const uint32_t variable = place.kind == VARIABLE ? s->global_of[place.number] : 0;
    return (struct operand){
        .kind = OPERAND_ADDRESS,
        .type = was->type,
        .number = variable != 0 ? (uint32_t)s->program->global_count + variable - 1 : place.number,
        .offset = place.offset};
}

static struct operand rewritten(const struct sharing *s, const struct function *f,
                                const struct operand *o)
{
    struct place place = o->kind == OPERAND_VALUE && o->type.kind == PROGRAM_POINTER
                             ? place_of(s, f, o)
                             : (struct place){SEVERAL, 0, 0};
    if (place.kind == PARAMETER && s->suits[number_of(s, f)]) {
        const struct place given = s->given[number_of(s, f)][place.number];
        place = (struct place){given.kind, given.number, given.offset + place.offset};
        return address(s, o, place);
    }
    if (place.kind == VARIABLE && f == s->start && s->global_of[place.number] != 0)
        return address(s, o, place);
    return *o;
}

static const struct program_type unread = {PROGRAM_INTEGER, 32};

// Anything is stored there.
static void make_anything(const struct sharing *s, struct instruction *i, struct place variable)
{
    const uint64_t bytes = s->definition[number_of(s, s->start)][variable.number]->extra;
    const struct program_type type = {PROGRAM_INTEGER, (uint32_t)bytes * 8};
    struct operand *operands = arena_zalloc(s->arena, 2 * sizeof *operands);
    operands[0] = (struct operand){.kind = OPERAND_UNDEFINED, .type = type};
    operands[1] = address(s, &i->operands[2], variable);
    i->op = OP_STORE;
    i->type = type;
    i->extra = 0;
    i->operands = operands;
    i->operand_count = 2;
    i->numbers = arena_zalloc(s->arena, sizeof *i->numbers);
    i->numbers[0] = (int64_t)bytes;
    i->number_count = 1;
}

static void rewrite_instruction(const struct sharing *s, const struct function *f,
                                struct instruction *i)
{
    const struct function *callee = program_callee(s->program, i);
    struct place variable;
    if (is_life(s, f, i, &variable) && s->global_of[variable.number] != 0) {
        make_anything(s, i, variable);
        return;
    }
    struct operand *operands = arena_alloc(s->arena, (i->operand_count + 1) * sizeof *operands);
    for (uint32_t n = 0; n < i->operand_count; n++)
        operands[n] = rewritten(s, f, &i->operands[n]);
    for (uint32_t k = 0; callee != NULL && s->suits[number_of(s, callee)] &&
                         k < callee->parameter_count && k + 1 < i->operand_count;
         k++)
        if (callee->parameters[k].kind == PROGRAM_POINTER)
            operands[k + 1] = (struct operand){.kind = OPERAND_CONSTANT, .type = unread};
    i->operands = operands;
}

static struct function rewrite_function(const struct sharing *s, const struct function *f)
{
    struct function out = *f;
    out.blocks = arena_alloc(s->arena, (f->block_count + 1) * sizeof *out.blocks);
    out.block_capacity = f->block_count;
    for (size_t b = 0; b < f->block_count; b++) {
        const size_t count = f->blocks[b].count;
        struct instruction *made = arena_alloc(s->arena, (count + 1) * sizeof *made);
        for (size_t k = 0; k < count; k++) {
            made[k] = f->blocks[b].instructions[k];
            rewrite_instruction(s, f, &made[k]);
        }
        out.blocks[b] = (struct block){made, count, count};
    }
    out.parameters = arena_alloc(s->arena, (f->parameter_count + 1) * sizeof *out.parameters);
    for (uint32_t k = 0; k < f->parameter_count; k++)
        out.parameters[k] = s->suits[number_of(s, f)] && f->parameters[k].kind == PROGRAM_POINTER
                                ? unread
                                : f->parameters[k];
    return out;
}

static const char *name_of(const struct sharing *s, uint32_t value)
{
    for (size_t i = 0; i < s->start->name_count; i++)
        if (s->start->names[i].value == value)
            return s->start->names[i].name;
    return "a variable of main";
}

static const struct program *rewrite_program(const struct sharing *s)
{
    const struct program *p = s->program;
    struct program *out = arena_alloc(s->arena, sizeof *out);
    const size_t globals = p->global_count + s->globals;
    *out = *p;
    out->functions = arena_alloc(s->arena, (p->function_count + 1) * sizeof *out->functions);
    out->globals = arena_zalloc(s->arena, (globals + 1) * sizeof *out->globals);
    out->global_count = out->global_capacity = globals;
    for (size_t f = 0; f < p->function_count; f++)
        out->functions[f] = rewrite_function(s, &p->functions[f]);
    for (size_t g = 0; g < p->global_count; g++)
        out->globals[g] = p->globals[g];
    for (uint32_t v = 0; v < s->start->value_count; v++) {
        if (s->global_of[v] == 0)
            continue;
        const struct instruction *made = s->definition[number_of(s, s->start)][v];
        assert(made != NULL && made->op == OP_ALLOCA);
        // External: it may hold anything at first.
        out->globals[p->global_count + s->global_of[v] - 1] =
            (struct global){.name = name_of(s, v),
                            .bytes = made->extra,
                            .alignment = made->number_count > 0 ? (uint64_t)made->numbers[0] : 1,
                            .external = true,
                            .type = {PROGRAM_OTHER, 0}};
    }
    return out;
}

const struct program *program_share(const struct program *program, const bool *recursive,
                                    struct arena *arena)
{
    struct sharing s = {.program = program, .recursive = recursive, .arena = arena};
    const size_t count = program->function_count + 1;
    s.start = program_find_function(program, "main");
    if (s.start == NULL || !s.start->defined || recursive[number_of(&s, s.start)] ||
        s.start->address_taken)
        return program;
    s.given = arena_zalloc(arena, count * sizeof(struct place *));
    s.definition = arena_zalloc(arena, count * sizeof(const struct instruction **));
    s.stored = arena_zalloc(arena, count * sizeof(const struct instruction **));
    s.suits = arena_zalloc(arena, count);
    s.global_of = arena_zalloc(arena, (s.start->value_count + 1) * sizeof *s.global_of);
    for (size_t f = 0; f < program->function_count; f++) {
        const struct function *function = &program->functions[f];
        s.given[f] = arena_zalloc(arena, (function->parameter_count + 1) * sizeof *s.given[f]);
        for (uint32_t k = 0; k < function->parameter_count; k++)
            if (function->address_taken || function->variadic || function == s.start)
                s.given[f][k].kind = SEVERAL;
        find_definitions(&s, function);
    }
    find_given(&s);
    exclude_foreign(&s);
    return choose(&s) ? rewrite_program(&s) : program;
}
