#include "tracegen/trace_input.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/signals.h"
#include "logic/terms/read_smtlib.h"
#include "tracegen/coverage.h"

enum budget_end trace_load(struct task *task, const char *path, const char *property,
                           const struct budget *budget, bool quiet, bool *good)
{
    struct messages messages;
    messages_init(&messages);
    enum budget_end end =
        task_read(task, path, property, PROPERTY_AT_NONE, budget, &messages, good);
    if (!*good || !quiet)
        messages_print(&messages, stderr);
    messages_finish(&messages);
    if (*good)
        signals_attend(); // to the end: what was found until then is still written
    return end;
}

static void report_unknown(const struct model *model, const char *name, struct text *why)
{
    VECTOR(const char *) names = {0};
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (!(model->variables[v]->flags & VARIABLE_LOCAL))
            VECTOR_PUSH(&names, model->variables[v]->name);
    const char *nearest = text_nearest(name, names.data, names.count);
    text_printf(why, "found `%s`, expected a variable of the model", name);
    if (nearest != NULL)
        text_printf(why, "; did you mean `%s`?", nearest);
    VECTOR_FINISH(&names);
}

bool trace_read_variables(const struct model *model, const char *names, struct variable_list *out,
                          struct text *why)
{
    bool good = true;
    while (*names != '\0' && good) {
        size_t length = strcspn(names, ",");
        char *name = memory_alloc(length + 1);
        memcpy(name, names, length);
        name[length] = '\0';
        const struct variable *found = model_find_variable(model, name);
        good = found != NULL && !(found->flags & VARIABLE_LOCAL);
        if (good)
            VECTOR_PUSH(out, found);
        else
            report_unknown(model, name, why);
        memory_free(name);
        names += length + (names[length] == ',');
    }
    return good;
}

bool trace_read_predicates(const struct model *model, struct term_store *store, const char *words,
                           struct term_vector *out, struct text *why)
{
    struct smtlib_reader *reader = smtlib_reader_create(store);
    struct sexpr_reader at = {words, words + strlen(words), 1};
    struct arena arena;
    arena_init(&arena);
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (!(model->variables[v]->flags & VARIABLE_LOCAL))
            smtlib_reader_add(reader, model->variables[v]->term);
    const struct sexpr *e;
    enum sexpr_status status;
    bool good = true;
    while (good && (status = sexpr_read(&at, &arena, &e, why)) != SEXPR_END) {
        const struct term *term =
            status == SEXPR_READ ? smtlib_read_as(reader, e, sort_bool(store), why) : NULL;
        good = term != NULL;
        if (good && !term_is_literal(term))
            VECTOR_PUSH(out, term);
    }
    arena_finish(&arena);
    smtlib_reader_destroy(reader);
    return good;
}

unsigned trace_read_criteria(const char *words)
{
    if (strcmp(words, "all") == 0)
        return (1u << CRITERION_COUNT) - 1;
    unsigned criteria = 0;
    while (*words != '\0') {
        size_t length = strcspn(words, ",");
        unsigned bit = 0;
        for (unsigned i = 0; i < CRITERION_COUNT; i++)
            if (strlen(criterion_name(i)) == length &&
                memcmp(criterion_name(i), words, length) == 0)
                bit = 1u << i;
        if (bit == 0)
            return 0;
        criteria |= bit;
        words += length + (words[length] == ',');
    }
    return criteria;
}
