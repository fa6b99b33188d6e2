#include "languages/programs/meant.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

// A value of a function, or (function NULL) what a global holds.
struct source {
    const struct function *function;
    struct operand operand;
};

struct search {
    const struct program *program;
    VECTOR(struct source) sources;           // each once
    const struct instruction ***definitions; // by function, then value; NULL: not made yet
    bool *meant;
};

static bool is_source(const struct source *s, const struct function *f, const struct operand *o)
{
    return s->function == f && s->operand.kind == o->kind && s->operand.number == o->number;
}

static void add(struct search *s, const struct function *f, const struct operand *o)
{
    if (o->kind == OPERAND_FUNCTION)
        s->meant[o->number] = true;
    if (o->kind != OPERAND_VALUE)
        return;
    for (size_t i = 0; i < s->sources.count; i++)
        if (is_source(&s->sources.data[i], f, o))
            return;
    VECTOR_PUSH(&s->sources, ((struct source){f, *o}));
}

static const struct instruction **definitions_of(const struct function *f)
{
    const struct instruction **out =
        memory_zalloc((f->value_count + 1) * sizeof(struct instruction *));
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (instruction_defines(i) && i->result < f->value_count)
                out[i->result] = i;
        }
    }
    return out;
}

// NULL for a parameter.
static const struct instruction *definition(struct search *s, const struct function *f,
                                            uint32_t value)
{
    const size_t number = (size_t)(f - s->program->functions);
    if (s->definitions[number] == NULL)
        s->definitions[number] = definitions_of(f);
    return value < f->parameter_count || value >= f->value_count ? NULL
                                                                 : s->definitions[number][value];
}

// The variable that an address is in: a global's address or an OP_ALLOCA's value; OPERAND_UNKNOWN: another.
static struct operand variable_of(struct search *s, const struct function *f,
                                  struct operand address)
{
    const struct operand none = {.kind = OPERAND_UNKNOWN};
    while (address.kind == OPERAND_VALUE) {
        const struct instruction *i = definition(s, f, address.number);
        if (i == NULL || (i->op != OP_ALLOCA && i->op != OP_GEP))
            return none;
        if (i->op == OP_ALLOCA)
            return address;
        address = i->operands[0];
    }
    return address.kind == OPERAND_ADDRESS ? address : none;
}

static void add_variable(struct search *s, const struct function *f, struct operand address)
{
    const struct operand variable = variable_of(s, f, address);
    const bool global = variable.kind == OPERAND_ADDRESS;
    if (variable.kind == OPERAND_UNKNOWN)
        return;
    for (size_t i = 0; i < s->sources.count; i++)
        if (is_source(&s->sources.data[i], global ? NULL : f, &variable))
            return;
    VECTOR_PUSH(&s->sources, ((struct source){global ? NULL : f, variable}));
}

// What `f` stores or copies into the variable.
static void add_stores(struct search *s, const struct function *f, const struct operand *variable)
{
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            const bool copies =
                i->op == OP_CALL && i->operand_count > 2 &&
                i->operands[0].kind == OPERAND_FUNCTION &&
                text_begins_with(s->program->functions[i->operands[0].number].name, "llvm.mem");
            const bool stores = i->op == OP_STORE && i->type.kind == PROGRAM_POINTER;
            if (!copies && !stores)
                continue;
            const struct operand to = variable_of(s, f, i->operands[1]);
            if (to.kind != variable->kind || to.number != variable->number)
                continue;
            if (stores)
                add(s, f, &i->operands[0]);
            else
                add_variable(s, f, i->operands[2]);
        }
    }
}

static void look_at_variable(struct search *s, const struct source *source)
{
    const struct program *p = s->program;
    if (source->function != NULL) {
        add_stores(s, source->function, &source->operand);
        return;
    }
    const struct global *g = &p->globals[source->operand.number];
    for (size_t k = 0; k < g->data_count; k++)
        add(s, NULL, &g->data[k].value);
    for (size_t f = 0; f < p->function_count && !g->constant; f++)
        add_stores(s, &p->functions[f], &source->operand);
}

// What calls give as the parameter; what calls through pointers give, where it is a function as it stands there.
static void look_at_parameter(struct search *s, const struct source *source)
{
    const struct program *p = s->program;
    const uint32_t at = source->operand.number + 1;
    for (size_t f = 0; f < p->function_count; f++) {
        const struct function *from = &p->functions[f];
        for (size_t b = 0; b < from->block_count; b++) {
            for (size_t k = 0; k < from->blocks[b].count; k++) {
                const struct instruction *i = &from->blocks[b].instructions[k];
                if (i->op != OP_CALL || at >= i->operand_count)
                    continue;
                const struct operand *callee = &i->operands[0];
                const bool direct = callee->kind == OPERAND_FUNCTION &&
                                    &p->functions[callee->number] == source->function;
                const bool open = callee->kind == OPERAND_VALUE &&
                                  source->function->address_taken &&
                                  i->operands[at].kind == OPERAND_FUNCTION;
                if (direct || open)
                    add(s, from, &i->operands[at]);
            }
        }
    }
}

static void look_at_results(struct search *s, const struct function *f)
{
    for (size_t b = 0; b < f->block_count; b++) {
        const struct instruction *last =
            f->blocks[b].count > 0 ? &f->blocks[b].instructions[f->blocks[b].count - 1] : NULL;
        if (last != NULL && last->op == OP_RETURN && last->operand_count > 0)
            add(s, f, &last->operands[0]);
    }
}

static void look_at(struct search *s, const struct source *source)
{
    const struct function *f = source->function;
    if (source->operand.kind == OPERAND_ADDRESS) {
        look_at_variable(s, source);
        return;
    }
    const struct instruction *i = definition(s, f, source->operand.number);
    if (i == NULL) {
        look_at_parameter(s, source);
        return;
    }
    switch (i->op) {
    case OP_ALLOCA:
        look_at_variable(s, source);
        break;
    case OP_LOAD:
        add_variable(s, f, i->operands[0]);
        break;
    case OP_PHI:
    case OP_FREEZE:
    case OP_BITCAST:
        for (uint32_t k = 0; k < i->operand_count; k++)
            add(s, f, &i->operands[k]);
        break;
    case OP_SELECT:
        add(s, f, &i->operands[1]);
        add(s, f, &i->operands[2]);
        break;
    case OP_CALL:
        if (i->operands[0].kind == OPERAND_FUNCTION)
            look_at_results(s, &s->program->functions[i->operands[0].number]);
        break;
    default:
        break;
    }
}

bool *meant_functions(const struct program *program, const struct function *f,
                      const struct instruction *call)
{
    assert(call->op == OP_CALL && call->operand_count > 0);
    struct search s = {.program = program};
    s.meant = memory_zalloc(program->function_count + 1);
    s.definitions = memory_zalloc((program->function_count + 1) * sizeof *s.definitions);
    add(&s, f, &call->operands[0]);
    for (size_t done = 0; done < s.sources.count; done++) {
        const struct source source = s.sources.data[done];
        look_at(&s, &source);
    }
    VECTOR_FINISH(&s.sources);
    for (size_t k = 0; k < program->function_count; k++)
        memory_free(s.definitions[k]);
    memory_free(s.definitions);
    return s.meant;
}
