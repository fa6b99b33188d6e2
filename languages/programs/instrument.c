#include "languages/programs/instrument.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/programs/instrument_inside.h"

#define CHECK "__regatta_invariant"
#define ASSUME "__VERIFIER_assume"

// Where instructions are put: before the instruction with this index.
struct insertion {
    uint32_t function, block;
    size_t index;
    // Of those before one instruction: what belongs to the one before it, to this one, guards of this one.
    unsigned rank;
    struct block code;
};

struct span {
    size_t start, end;
};

struct instrument {
    struct program *program;
    const struct witness *witness;
    enum witness_use use;
    struct program_question *question;
    struct messages *messages;
    struct source *source;
    uint32_t state, assume, check; // a global, functions
    VECTOR(struct insertion) insertions;
    bool failed;
};

static const struct program_type I1 = {PROGRAM_INTEGER, 1}, I32 = {PROGRAM_INTEGER, 32};

static bool complain(struct instrument *in, struct position at, const char *what)
{
    message_add(in->messages, MESSAGE_UNSUPPORTED, at, "%s", what);
    in->failed = true;
    return false;
}

// What is added to the program.

static uint32_t add_function(struct program *p, const char *name, uint32_t parameters)
{
    for (size_t i = 0; i < p->function_count; i++) {
        if (strcmp(p->functions[i].name, name) == 0)
            return (uint32_t)i;
    }
    struct function f = {.name = arena_strdup(&p->arena, name), .result = {PROGRAM_VOID, 0}};
    f.parameter_count = f.value_count = parameters;
    f.parameters = arena_alloc(&p->arena, (parameters + 1) * sizeof *f.parameters);
    for (uint32_t i = 0; i < parameters; i++)
        f.parameters[i] = I32;
    struct {
        struct function *data;
        size_t count, capacity;
    } all = {p->functions, p->function_count, p->function_capacity};
    VECTOR_PUSH(&all, f);
    p->functions = all.data;
    p->function_count = all.count;
    p->function_capacity = all.capacity;
    return (uint32_t)all.count - 1;
}

uint32_t instrument_add_global(struct program *p, struct global g)
{
    struct {
        struct global *data;
        size_t count, capacity;
    } all = {p->globals, p->global_count, p->global_capacity};
    VECTOR_PUSH(&all, g);
    p->globals = all.data;
    p->global_count = all.count;
    p->global_capacity = all.capacity;
    return (uint32_t)all.count - 1;
}

static struct expression_place place_in(const struct instrument *in, uint32_t function,
                                        size_t offset, struct position at)
{
    return (struct expression_place){.program = in->program,
                                     .function = &in->program->functions[function],
                                     .source = in->source,
                                     .offset = offset,
                                     .at = at};
}

static void end_block(const struct expression_place *place, struct block *block, enum opcode op,
                      const struct operand *condition, int64_t first, int64_t second)
{
    program_emit(place, block, op, (struct program_type){PROGRAM_VOID, 0}, condition,
                 condition == NULL ? 0 : 1);
    struct instruction *i = &block->instructions[block->count - 1];
    i->number_count = op == OP_RETURN ? 0 : condition == NULL ? 3 : 4;
    i->numbers = arena_alloc(&place->program->arena, 4 * sizeof *i->numbers);
    memcpy(i->numbers, (int64_t[]){first, second, 0, 0}, 4 * sizeof *i->numbers);
    if (condition == NULL)
        i->numbers[1] = 0;
}

static void emit_call(const struct expression_place *place, struct block *block, uint32_t callee,
                      const struct operand *argument)
{
    struct operand operands[2] = {{.kind = OPERAND_FUNCTION,
                                   .type = {PROGRAM_POINTER, place->program->pointer_bits},
                                   .number = callee}};
    if (argument != NULL)
        operands[1] = *argument;
    program_emit(place, block, OP_CALL, (struct program_type){PROGRAM_VOID, 0}, operands,
                 argument == NULL ? 1 : 2);
}

// check(holds): calls INSTRUMENT_FAILURE when it is 0.
uint32_t instrument_add_check(struct program *p)
{
    uint32_t failure = add_function(p, INSTRUMENT_FAILURE, 0), number = add_function(p, CHECK, 1);
    struct function *f = &p->functions[number];
    struct expression_place place = {.program = p, .function = f, .at = {p->files[0], 0, 0}};
    struct operand argument = {.kind = OPERAND_VALUE, .type = I32};
    f->defined = true;
    f->block_count = f->block_capacity = 3;
    f->blocks = memory_zalloc(3 * sizeof *f->blocks);
    struct operand fails = program_emit(&place, &f->blocks[0], OP_ICMP, I1,
                                        (struct operand[]){argument, program_number(32, 0)}, 2);
    f->blocks[0].instructions[0].extra = COMPARE_EQ;
    end_block(&place, &f->blocks[0], OP_BRANCH, &fails, 1, 2);
    emit_call(&place, &f->blocks[1], failure, NULL);
    end_block(&place, &f->blocks[1], OP_BRANCH, NULL, 2, 0);
    end_block(&place, &f->blocks[2], OP_RETURN, NULL, 0, 0);
    return number;
}

// Places.

static size_t offset_of(const struct instrument *in, const struct position *at)
{
    if (at->line == 0 || strcmp(at->path, in->source->path) != 0)
        return SOURCE_NOWHERE;
    return source_offset(in->source, at->line, at->column);
}

static bool inside(const struct instrument *in, const struct position *at, struct span span)
{
    size_t offset = offset_of(in, at);
    return offset != SOURCE_NOWHERE && offset >= span.start && offset < span.end;
}

// Without a column: the line.
static bool place_span(const struct instrument *in, const struct witness_place *place,
                       struct span *out)
{
    size_t offset = source_offset(in->source, place->line, place->column);
    if (offset == SOURCE_NOWHERE)
        return false;
    if (place->column > 0)
        return source_statement(in->source, offset, &out->start, &out->end);
    out->start = in->source->lines[place->line - 1];
    out->end =
        place->line < in->source->line_count ? in->source->lines[place->line] : in->source->bytes;
    return true;
}

static bool is_asked(const struct instrument *in, size_t function,
                     const struct witness_place *place)
{
    const struct function *f = &in->program->functions[function];
    return f->defined && (place->function == NULL || strcmp(place->function, f->name) == 0);
}

struct code_place {
    uint32_t function, block;
    size_t index;
};

// The first instruction of the statement.
static bool find_statement(const struct instrument *in, const struct witness_place *place,
                           struct code_place *out)
{
    struct span span;
    if (!place_span(in, place, &span))
        return false;
    for (uint32_t f = 0; f < in->program->function_count; f++) {
        const struct function *function = &in->program->functions[f];
        for (uint32_t b = 0; is_asked(in, f, place) && b < function->block_count; b++) {
            const struct block *block = &function->blocks[b];
            for (size_t k = 0; k < block->count; k++) {
                if (block->instructions[k].op == OP_PHI ||
                    !inside(in, &block->instructions[k].at, span))
                    continue;
                *out = (struct code_place){f, b, k};
                return true;
            }
        }
    }
    return false;
}

static const char *callee_of(const struct program *p, const struct instruction *i)
{
    const struct function *f = program_callee(p, i);
    return f != NULL ? f->name : NULL;
}

// The call whose closing parenthesis is there; without a column, the first of the line.
static bool is_call_at(const struct instrument *in, const struct instruction *i,
                       const struct witness_place *place)
{
    const char *name = callee_of(in->program, i);
    size_t start = name == NULL ? SOURCE_NOWHERE : offset_of(in, &i->at);
    size_t end = start == SOURCE_NOWHERE ? start : source_call_end(in->source, start, name);
    unsigned line, column;
    if (end == SOURCE_NOWHERE)
        return false;
    source_position(in->source, end, &line, &column);
    return line == place->line && (place->column == 0 || column == place->column);
}

static bool find_call(const struct instrument *in, const struct witness_place *place,
                      struct code_place *out)
{
    for (uint32_t f = 0; f < in->program->function_count; f++) {
        const struct function *function = &in->program->functions[f];
        for (uint32_t b = 0; is_asked(in, f, place) && b < function->block_count; b++) {
            for (size_t k = 0; k < function->blocks[b].count; k++) {
                if (!is_call_at(in, &function->blocks[b].instructions[k], place))
                    continue;
                *out = (struct code_place){f, b, k};
                return true;
            }
        }
    }
    return false;
}

// The one conditional branch of the statement whose keyword is there.
static bool find_branch(const struct instrument *in, const struct witness_place *place,
                        struct code_place *out)
{
    struct span span;
    size_t found = 0;
    if (!place_span(in, place, &span))
        return false;
    // clang turns branches on `!x` round, and makes several of && and ||.
    for (size_t at = span.start; at < span.end; at++) {
        char c = in->source->plain[at], next = in->source->plain[at + 1];
        if (c == '?' || (c == '!' && next != '=') || (c == '&' && next == '&') ||
            (c == '|' && next == '|'))
            return false;
    }
    for (uint32_t f = 0; f < in->program->function_count; f++) {
        const struct function *function = &in->program->functions[f];
        for (uint32_t b = 0; is_asked(in, f, place) && b < function->block_count; b++) {
            const struct block *block = &function->blocks[b];
            if (block->count == 0)
                continue;
            const struct instruction *last = &block->instructions[block->count - 1];
            if (last->op != OP_BRANCH || last->operand_count != 1 || !inside(in, &last->at, span))
                continue;
            *out = (struct code_place){f, b, block->count - 1};
            found++;
        }
    }
    return found == 1;
}

// Where the loop's condition is about to be evaluated.
static bool find_loop(const struct instrument *in, const struct witness_place *place,
                      struct code_place *out)
{
    size_t keyword = source_offset(in->source, place->line, place->column);
    if (keyword == SOURCE_NOWHERE || source_word(in->source, keyword, "do"))
        return false;
    for (uint32_t f = 0; f < in->program->function_count; f++) {
        const struct function *function = &in->program->functions[f];
        for (uint32_t b = 0; is_asked(in, f, place) && b < function->block_count; b++) {
            const struct block *block = &function->blocks[b];
            const struct instruction *last =
                block->count == 0 ? NULL : &block->instructions[block->count - 1];
            if (last == NULL || last->op != OP_BRANCH || last->operand_count != 0 ||
                last->number_count < 3 || last->numbers[1] != place->line ||
                (place->column > 0 && last->numbers[2] != place->column))
                continue;
            const struct block *head = &function->blocks[last->numbers[0]];
            size_t k = 0;
            while (k < head->count && head->instructions[k].op == OP_PHI)
                k++;
            *out = (struct code_place){f, (uint32_t)last->numbers[0], k};
            return true;
        }
    }
    return false;
}

// Code.

static void insert(struct instrument *in, struct code_place at, unsigned rank, struct block code)
{
    VECTOR_PUSH(&in->insertions, ((struct insertion){at.function, at.block, at.index, rank, code}));
}

static struct operand both(const struct expression_place *place, struct block *code,
                           struct operand a, struct operand b)
{
    return program_emit(place, code, OP_AND, I1, (struct operand[]){a, b}, 2);
}

static struct operand compare(const struct expression_place *place, struct block *code,
                              enum program_comparison how, struct operand a, uint64_t number)
{
    struct operand result = program_emit(
        place, code, OP_ICMP, I1, (struct operand[]){a, program_number(a.type.bits, number)}, 2);
    code->instructions[code->count - 1].extra = how;
    return result;
}

static struct operand state_address(const struct instrument *in)
{
    return (struct operand){.kind = OPERAND_ADDRESS,
                            .type = {PROGRAM_POINTER, in->program->pointer_bits},
                            .number = in->state};
}

static struct operand load_state(const struct instrument *in, const struct expression_place *place,
                                 struct block *code)
{
    struct operand address = state_address(in);
    return program_emit(place, code, OP_LOAD, I32, &address, 1);
}

// A program may declare the function with another type than int.
void instrument_call(const struct expression_place *place, struct block *code, uint32_t callee,
                     struct operand truth)
{
    const struct function *f = &place->program->functions[callee];
    struct program_type type = I32;
    if (f->parameter_count == 1 && f->parameters[0].kind == PROGRAM_INTEGER)
        type = f->parameters[0];
    struct operand wide =
        type.bits == 1 ? truth : program_emit(place, code, OP_ZEXT, type, &truth, 1);
    emit_call(place, code, callee, &wide);
}

// state = state == segment && condition ? segment + 1 : state, or an end of the path instead.
static void pass(struct instrument *in, const struct expression_place *place, struct block *code,
                 size_t segment, bool avoid, struct operand condition)
{
    struct operand state = load_state(in, place, code);
    struct operand here = compare(place, code, COMPARE_EQ, state, segment);
    struct operand passes = both(place, code, here, condition);
    if (avoid) {
        struct operand not = program_emit(place, code, OP_XOR, I1,
                                          (struct operand[]){passes, program_number(1, 1)}, 2);
        instrument_call(place, code, in->assume, not );
        return;
    }
    struct operand next =
        program_emit(place, code, OP_SELECT, I32,
                     (struct operand[]){passes, program_number(32, segment + 1), state}, 3);
    program_emit(place, code, OP_STORE, I32, (struct operand[]){next, state_address(in)}, 2);
}

static bool find_place(struct instrument *in, const struct waypoint *w, struct code_place *out)
{
    return w->type == WAYPOINT_ASSUMPTION  ? find_statement(in, &w->place, out)
           : w->type == WAYPOINT_BRANCHING ? find_branch(in, &w->place, out)
                                           : find_call(in, &w->place, out);
}

static bool unsigned_result(const char *name)
{
    return strncmp(name, "__VERIFIER_nondet_u", 19) == 0 ||
           strcmp(name, "__VERIFIER_nondet_size_t") == 0 ||
           strcmp(name, "__VERIFIER_nondet_bool") == 0;
}

// What a waypoint asks for, as an i1.
static bool constraint(struct instrument *in, const struct waypoint *w, const struct instruction *i,
                       struct expression_place *place, struct block *code, struct operand *out)
{
    struct operand result = {.kind = OPERAND_VALUE, .type = i->type, .number = i->result};
    *out = program_number(1, 1);
    if (w->type == WAYPOINT_BRANCHING) {
        bool holds = w->constraint != NULL && strcmp(w->constraint, "true") == 0;
        if (!holds && (w->constraint == NULL || strcmp(w->constraint, "false") != 0))
            return complain(in, w->at, "a branching that is neither true nor false");
        *out = compare(place, code, COMPARE_EQ, i->operands[0], holds);
        return true;
    }
    if (w->constraint == NULL)
        return true;
    if (w->type == WAYPOINT_RETURN) {
        place->result = &result;
        place->result_unsigned = unsigned_result(callee_of(in->program, i));
    }
    bool good = expression_compile(place, w->constraint, w->at, code, out, in->messages);
    place->result = NULL;
    in->failed = in->failed || !good;
    return good;
}

static void add_waypoint(struct instrument *in, size_t segment, const struct waypoint *w)
{
    struct code_place at;
    struct block code = {0};
    struct operand condition;
    if (!find_place(in, w, &at)) {
        complain(in, w->at, "a waypoint whose place is not found in the program");
        return;
    }
    const struct instruction *i =
        &in->program->functions[at.function].blocks[at.block].instructions[at.index];
    size_t offset = source_offset(in->source, w->place.line, w->place.column);
    struct expression_place place = place_in(in, at.function, offset, i->at);
    if (constraint(in, w, i, &place, &code, &condition))
        pass(in, &place, &code, segment, w->avoid, condition);
    bool behind = w->type == WAYPOINT_RETURN;
    at.index += behind;
    insert(in, at, behind ? 0 : 1, code);
}

// Violations: only behind all segments, and at the target.

static bool may_violate(const struct instrument *in, const struct instruction *i)
{
    const char *name = callee_of(in->program, i);
    if (i->op == OP_LABEL)
        return in->question->property == PROPERTY_LABEL && strcmp(i->text, in->question->name) == 0;
    if (name == NULL)
        return false;
    return program_question_names(in->question, name) ||
           (in->question->property == PROPERTY_OVERFLOW &&
            strncmp(name, "llvm.ubsantrap", 14) == 0);
}

static void guard(struct instrument *in, struct code_place at, const struct instruction *i,
                  bool target, size_t segments)
{
    struct block code = {0};
    struct expression_place place = place_in(in, at.function, 0, i->at);
    struct operand allowed = program_number(1, 0);
    if (target)
        allowed = compare(&place, &code, COMPARE_EQ, load_state(in, &place, &code), segments);
    instrument_call(&place, &code, in->assume, allowed);
    insert(in, at, 2, code);
}

static void add_target(struct instrument *in, const struct waypoint *w, size_t segments)
{
    struct span span;
    if (!place_span(in, &w->place, &span)) {
        complain(in, w->at, "a target whose place is not found in the program");
        return;
    }
    for (uint32_t f = 0; f < in->program->function_count; f++) {
        const struct function *function = &in->program->functions[f];
        for (uint32_t b = 0; b < function->block_count; b++) {
            for (size_t k = 0; k < function->blocks[b].count; k++) {
                const struct instruction *i = &function->blocks[b].instructions[k];
                if (may_violate(in, i))
                    guard(in, (struct code_place){f, b, k}, i, inside(in, &i->at, span), segments);
            }
        }
    }
    if (in->question->property == PROPERTY_MEMSAFETY) {
        struct program_question *q = in->question;
        q->where = true;
        source_position(in->source, span.start, &q->from_line, &q->from_column);
        source_position(in->source, span.end, &q->to_line, &q->to_column);
    }
}

static void follow(struct instrument *in)
{
    const struct witness *w = in->witness;
    in->state = instrument_add_global(
        in->program, (struct global){.name = "__regatta_segment", .bytes = 4, .type = I32});
    for (size_t s = 0; s < w->segment_count; s++) {
        const struct segment *segment = &w->segments[s];
        for (size_t k = 0; k < segment->count; k++) {
            if (segment->waypoints[k].type == WAYPOINT_TARGET)
                add_target(in, &segment->waypoints[k], s);
            else
                add_waypoint(in, s, &segment->waypoints[k]);
        }
    }
}

static void add_invariant(struct instrument *in, const struct witness_invariant *invariant)
{
    struct code_place at;
    struct block code = {0};
    struct operand holds;
    bool found = invariant->loop ? find_loop(in, &invariant->place, &at)
                                 : find_statement(in, &invariant->place, &at);
    if (!found) {
        complain(in, invariant->at, "an invariant whose place is not found in the program");
        return;
    }
    size_t offset = source_offset(in->source, invariant->place.line, invariant->place.column);
    struct position here = {in->program->files[0], invariant->place.line, invariant->place.column};
    struct expression_place place = place_in(in, at.function, offset, here);
    if (expression_compile(&place, invariant->value, invariant->at, &code, &holds, in->messages))
        instrument_call(&place, &code, in->use == WITNESS_HOLDS ? in->check : in->assume, holds);
    else
        in->failed = true;
    insert(in, at, 1, code);
}

void instrument_splice(struct block *block, size_t index, const struct block *code)
{
    struct {
        struct instruction *data;
        size_t count, capacity;
    } list = {block->instructions, block->count, block->capacity};
    VECTOR_RESERVE(&list, block->count + code->count);
    memmove(list.data + index + code->count, list.data + index,
            (block->count - index) * sizeof *list.data);
    memcpy(list.data + index, code->instructions, code->count * sizeof *list.data);
    *block = (struct block){list.data, block->count + code->count, list.capacity};
}

static bool stands_behind(const struct insertion *a, const struct insertion *b)
{
    return a->index != b->index ? a->index > b->index : a->rank > b->rank;
}

// From behind, so that the places of the others stay. Of one place, later segments come to stand first: else one visit would
// pass several.
static void splice_all(struct instrument *in)
{
    for (size_t done = 0; done < in->insertions.count; done++) {
        struct insertion *last = NULL;
        for (size_t i = 0; i < in->insertions.count; i++) {
            struct insertion *other = &in->insertions.data[i];
            if (other->code.capacity > 0 && (last == NULL || stands_behind(other, last)))
                last = other;
        }
        if (last == NULL)
            return;
        if (!in->failed)
            instrument_splice(&in->program->functions[last->function].blocks[last->block],
                              last->index, &last->code);
        memory_free(last->code.instructions);
        last->code = (struct block){0};
    }
}

bool program_instrument(struct program *program, const struct witness *witness,
                        enum witness_use use, struct program_question *question,
                        struct messages *messages)
{
    struct instrument in = {.program = program,
                            .witness = witness,
                            .use = use,
                            .question = question,
                            .messages = messages};
    struct position start = {witness->path, 1, 1};
    in.source = source_open(program->files[0]);
    if (in.source == NULL)
        return complain(&in, start, "a witness for a program without a source");
    if (use == WITNESS_FOLLOW && question->property == PROPERTY_TERMINATION) {
        complain(&in, start, "a violation witness of termination");
    } else if (witness->violation != (use == WITNESS_FOLLOW)) {
        complain(&in, start,
                 witness->violation ? "a violation witness here" : "a correctness witness here");
    } else {
        in.assume = add_function(program, ASSUME, 1);
        if (use == WITNESS_HOLDS)
            in.check = instrument_add_check(program);
        if (use == WITNESS_FOLLOW)
            follow(&in);
        for (size_t i = 0; i < witness->invariant_count; i++)
            add_invariant(&in, &witness->invariants[i]);
        splice_all(&in);
        if (use == WITNESS_HOLDS)
            *question =
                (struct program_question){.property = PROPERTY_CALL, .name = INSTRUMENT_FAILURE};
    }
    VECTOR_FINISH(&in.insertions);
    source_destroy(in.source);
    return !in.failed;
}
