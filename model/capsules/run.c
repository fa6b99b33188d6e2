#include <string.h>

#include "logic/terms/print.h"
#include "model/capsules/run.h"

void capsule_run_finish(struct capsule_run *run)
{
    for (size_t i = 0; i < run->steps.count; i++)
        plain_step_finish(&run->steps.data[i]);
    for (size_t i = 0; i < run->states.count; i++)
        plain_destroy(run->states.data[i]);
    VECTOR_FINISH(&run->steps);
    VECTOR_FINISH(&run->states);
    plain_interpreter_destroy(run->interpreter);
    run->interpreter = NULL;
}

static const char *path_of(const struct capsules *model, uint32_t instance)
{
    return model->instances.data[instance].path;
}

void capsule_values_print(const struct capsule_signal *signal, const struct value *values,
                          size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, i == 0 ? "(" : ", ");
        print_value(out, signal->variables.data[i].term->sort, values[i]);
    }
    if (count > 0)
        text_add(out, ")");
}

static void print_trigger(const struct capsule_module *m, const struct plain_step *step,
                          struct text *out)
{
    if (step->kind == CAPSULE_INIT) {
        text_add(out, "init");
    } else if (step->kind == CAPSULE_TIMER) {
        text_add(out, m->timers.data[step->trigger].name);
    } else {
        const struct capsule_signal *s = &m->signals.data[step->trigger];
        text_add(out, s->name);
        capsule_values_print(s, step->values.data, step->values.count, out);
    }
}

static void print_change(const struct capsules *model, const struct plain_state *before,
                         const struct plain_state *after, struct text *out)
{
    for (uint32_t i = 0; i < model->instances.count; i++) {
        const struct plain_part *a = &before->parts.data[i], *b = &after->parts.data[i];
        const struct capsule_module *m = capsules_module_of(model, i);
        if (a->alive != b->alive)
            text_printf(out, "  %s %s", b->alive ? "created" : "destroyed", path_of(model, i));
        if (!a->alive || !b->alive)
            continue;
        for (size_t j = 0; j < m->attributes.count; j++)
            if (!value_equal(a->attributes.data[j], b->attributes.data[j])) {
                text_printf(out, "  %s.%s = ", path_of(model, i), m->attributes.data[j].name);
                print_value(out, m->attributes.data[j].term->sort, b->attributes.data[j]);
            }
    }
}

static void print_step(const struct capsules *model, const struct capsule_run *run, size_t i,
                       struct text *out)
{
    const struct plain_step *step = &run->steps.data[i];
    const struct capsule_module *m = capsules_module_of(model, step->instance);
    text_printf(out, "  %3zu %s %s ", i + 1, path_of(model, step->instance),
                capsule_rule_name(step->rule));
    print_trigger(m, step, out);
    for (size_t j = 0; j < step->outputs.count; j++) {
        const struct plain_output *o = &step->outputs.data[j];
        text_add(out, j == 0 ? " / " : ", ");
        text_add(out, m->signals.data[o->signal].name);
        capsule_values_print(&m->signals.data[o->signal], o->values.data, o->values.count, out);
    }
    const struct plain_part *part = &run->states.data[i + 1]->parts.data[step->instance];
    if (part->alive && part->location < m->locations.count)
        text_printf(out, " -> %s", m->locations.data[part->location].name);
    print_change(model, run->states.data[i], run->states.data[i + 1], out);
    text_add(out, "\n");
}

void capsule_run_print(const struct capsules *model, const struct capsule_run *run,
                       struct text *out)
{
    for (size_t i = 0; i < run->steps.count; i++) {
        if (i == run->loop)
            text_add(out, "  for ever:\n");
        print_step(model, run, i, out);
    }
    if (run->loop == SIZE_MAX && run->deadlock)
        text_add(out, "  then nothing can happen\n");
}

// PlantUML takes words as names of participants; paths become those by their numbers.
static void print_message(const struct capsules *model, const struct plain_step *step,
                          const struct plain_output *o, struct text *out)
{
    const struct capsule_module *m = capsules_module_of(model, step->instance);
    struct capsule_route route = model->instances.data[step->instance].routes.data[o->signal];
    text_printf(out, "p%u -> ", step->instance);
    if (route.receiver == CAPSULE_NONE)
        text_add(out, "]");
    else
        text_printf(out, "p%u", route.receiver);
    text_printf(out, " : %s", m->signals.data[o->signal].name);
    capsule_values_print(&m->signals.data[o->signal], o->values.data, o->values.count, out);
    text_add(out, "\n");
}

void capsule_run_plantuml(const struct capsules *model, const struct capsule_run *run,
                          struct text *out)
{
    text_add(out, "@startuml\n");
    for (uint32_t i = 0; i < model->instances.count; i++)
        text_printf(out, "participant \"%s\" as p%u\n", path_of(model, i), i);
    for (size_t i = 0; i < run->steps.count; i++) {
        const struct plain_step *step = &run->steps.data[i];
        const struct capsule_module *m = capsules_module_of(model, step->instance);
        if (i == run->loop)
            text_add(out, "loop for ever\n");
        if (step->rule == RULE_EXTERNAL) {
            text_printf(out, "[-> p%u : ", step->instance);
            print_trigger(m, step, out);
            text_add(out, "\n");
        } else {
            text_printf(out, "note over p%u : %s ", step->instance, capsule_rule_name(step->rule));
            print_trigger(m, step, out);
            text_add(out, "\n");
        }
        for (size_t j = 0; j < step->outputs.count; j++)
            print_message(model, step, &step->outputs.data[j], out);
        const struct plain_part *part = &run->states.data[i + 1]->parts.data[step->instance];
        if (part->alive && part->location < m->locations.count)
            text_printf(out, "hnote over p%u : %s\n", step->instance,
                        m->locations.data[part->location].name);
    }
    if (run->loop != SIZE_MAX && run->steps.count > 0)
        text_add(out, "end\n");
    text_add(out, "@enduml\n");
}
