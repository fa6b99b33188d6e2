#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "languages/programs/translate_inside.h"

// Recursive functions as procedures (model/procedures.h). What they share is the memory of globals; slots are each
// call's own, for no pointer gets from one procedure to another: none is an argument or a result, or in a global and to a
// slot. What is not so has no such view.

static void share(struct translator *t, const struct variable *v)
{
    if (v != NULL)
        VECTOR_PUSH(&t->shared, v);
}

static void find_shared(struct translator *t)
{
    const struct objects *os = t->objects;
    for (size_t i = 1; i < os->count; i++) {
        const struct object *o = &os->items[i];
        if (o->kind == OBJECT_HEAP || (o->kind == OBJECT_LOCAL && (o->stays || o->kept_outside)))
            lowering_unsupported(t, "memory of `%s` beside procedures", o->name);
        if (o->kind != OBJECT_GLOBAL || t->flat->program->globals[o->number].constant)
            continue;
        for (size_t k = 0; k < o->cell_count; k++)
            share(t, t->memory[i].cells[k]);
        share(t, t->memory[i].bytes);
        share(t, t->memory[i].alive);
        share(t, t->memory[i].size);
    }
}

static const struct variable *named(struct translator *t, const char *name, const char *stem,
                                    const struct sort *sort)
{
    char text[600];
    snprintf(text, sizeof text, "%s.%s", name, stem);
    return model_builder_fresh(t->builder, text, sort, 0, t->at);
}

static struct location *place(struct translator *t, const char *name, const char *what)
{
    char text[600];
    snprintf(text, sizeof text, "%s of %s", what, name);
    struct location *made = model_builder_location(t->builder, text, PHASE_NONE, true);
    return made != NULL ? made : model_builder_location(t->builder, NULL, PHASE_NONE, true);
}

static void make_procedure(struct translator *t, uint32_t number)
{
    struct procedures *all = t->procedures;
    const struct function *f =
        &t->flat->program->functions[t->flat->procedures.data[number].function];
    struct procedure *p = &all->procedures[number];
    p->name = arena_strdup(&all->arena, f->name);
    t->entries[number] = place(t, f->name, "entry");
    t->exits[number] = place(t, f->name, "exit");
    p->entry = t->entries[number];
    p->exit = t->exits[number];
    p->input_count = f->parameter_count + t->shared.count;
    p->output_count = t->shared.count + (f->result.kind != PROGRAM_VOID);
    p->inputs = arena_alloc(&all->arena, (p->input_count + 1) * sizeof(*p->inputs));
    p->outputs = arena_alloc(&all->arena, (p->output_count + 1) * sizeof(*p->outputs));
    for (uint32_t k = 0; k < f->parameter_count; k++)
        p->inputs[k] = named(t, f->name, "in", lowering_sort(t, f->parameters[k]));
    for (size_t k = 0; k < t->shared.count; k++) {
        p->inputs[f->parameter_count + k] =
            named(t, f->name, t->shared.data[k]->name, t->shared.data[k]->sort);
        p->outputs[k] = t->shared.data[k];
    }
    if (f->result.kind != PROGRAM_VOID)
        p->outputs[t->shared.count] = named(t, f->name, "result", lowering_sort(t, f->result));
}

void lowering_make_procedures(struct translator *t)
{
    size_t count = t->flat->procedures.count;
    struct procedures *all = t->procedures;
    find_shared(t);
    all->count = count;
    all->procedures = arena_zalloc(&all->arena, (count + 1) * sizeof *all->procedures);
    t->entries = memory_zalloc((count + 1) * sizeof(*t->entries));
    t->exits = memory_zalloc((count + 1) * sizeof(*t->exits));
    for (uint32_t i = 0; i < count; i++)
        make_procedure(t, i);
}

void lowering_procedure(struct translator *t, const struct instruction *i)
{
    struct procedure *p = &t->procedures->procedures[i->extra];
    p->reset = lowering_lead(t, t->entries[i->extra], p->name);
    size_t parameters = p->input_count - t->shared.count;
    for (size_t k = 0; k < t->shared.count; k++)
        lowering_assign(t, t->shared.data[k], p->inputs[parameters + k]->term);
}

void lowering_input(struct translator *t, const struct instruction *i)
{
    // The block's first instruction says which procedure this is.
    const struct instruction *first = &t->flat->blocks[t->number].instructions[0];
    lowering_define(t, i, t->procedures->procedures[first->extra].inputs[i->extra]->term);
}

// No pointer goes along as a number, either.
static void check_number(struct translator *t, const struct operand *o)
{
    struct targets targets = objects_of(t->objects, o);
    if (targets.count > 0)
        lowering_unsupported(t, "an address among a procedure's numbers");
    memory_free(targets.data);
}

static const struct term *kept(struct translator *t, const char *stem, const struct term *term)
{
    const struct variable *v = model_builder_fresh(t->builder, stem, term->sort, 0, t->at);
    lowering_assign(t, v, term);
    return v->term;
}

void lowering_invoke(struct translator *t, const struct instruction *i)
{
    struct procedures *all = t->procedures;
    const struct procedure *p = &all->procedures[i->extra];
    struct procedure_call call = {.callee = (uint32_t)i->extra};
    call.inputs = arena_alloc(&all->arena, (p->input_count + 1) * sizeof(*call.inputs));
    call.outputs = arena_alloc(&all->arena, (p->output_count + 1) * sizeof(*call.outputs));
    for (uint32_t k = 0; k < i->operand_count; k++) {
        check_number(t, &i->operands[k]);
        call.inputs[k] = kept(t, "argument", lowering_operand(t, &i->operands[k]));
    }
    for (size_t k = 0; k < t->shared.count; k++) {
        call.inputs[i->operand_count + k] = kept(t, "called", t->shared.data[k]->term);
        call.outputs[k] = t->shared.data[k];
    }
    if (p->output_count > t->shared.count)
        call.outputs[t->shared.count] = model_builder_fresh(
            t->builder, "returned", p->outputs[t->shared.count]->sort, 0, t->at);
    for (size_t k = 0; k < p->output_count; k++)
        lowering_save(t, call.outputs[k]);
    lowering_lead(t, model_builder_location(t->builder, NULL, PHASE_NONE, true), NULL);
    for (size_t k = 0; k < p->output_count; k++)
        VECTOR_PUSH(&t->statements, model_havoc(t->builder, call.outputs[k], t->at));
    call.edge =
        lowering_lead(t, model_builder_location(t->builder, NULL, PHASE_NONE, true), p->name);
    VECTOR_PUSH(&t->calls, call);
    if (i->type.kind != PROGRAM_VOID)
        lowering_define(t, i, call.outputs[t->shared.count]->term);
}

void lowering_result(struct translator *t, const struct instruction *i)
{
    const struct procedure *p = &t->procedures->procedures[i->extra];
    if (i->operand_count > 0 && p->output_count > t->shared.count) {
        check_number(t, &i->operands[0]);
        lowering_assign(t, p->outputs[t->shared.count], lowering_operand(t, &i->operands[0]));
    }
    lowering_lead(t, t->exits[i->extra], p->name);
}

void lowering_end_procedures(struct translator *t)
{
    struct procedures *all = t->procedures;
    all->call_count = t->calls.count;
    all->calls = arena_alloc(&all->arena, (t->calls.count + 1) * sizeof *all->calls);
    for (size_t i = 0; i < t->calls.count; i++)
        all->calls[i] = t->calls.data[i];
    for (size_t i = 0; i < all->count; i++)
        if (all->procedures[i].reset == NULL)
            lowering_unsupported(t, "a procedure without a beginning");
}

void lowering_finish_procedures(struct translator *t)
{
    memory_free(t->entries);
    memory_free(t->exits);
    VECTOR_FINISH(&t->shared);
    VECTOR_FINISH(&t->calls);
}
