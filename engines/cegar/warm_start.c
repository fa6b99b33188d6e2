#include "engines/cegar/warm_start.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/predicate_part.h"
#include "engines/domains/variable_bits.h"

struct warm_start {
    struct cegar *cegar;
    bool local;
    bool values; // the domain can track them
    variable_bits *variables;
    bool (*wanted)(void *context, const struct precision_item *item); // NULL: all
    void *context;
};

static void add_at(struct warm_start *w, const struct location *location,
                   const struct precision_item *item)
{
    struct cegar *c = w->cegar;
    const struct term *variable = item->variable != NULL ? item->variable->term : NULL;
    c->operations->refine(c->domain, location, item->predicate, &variable,
                          variable != NULL ? 1 : 0);
}

static void add(struct warm_start *w, const struct precision_item *item)
{
    const struct model *model = w->cegar->workspace.model;
    if (!w->local)
        add_at(w, model->locations[0], item);
    else if (item->location != NULL)
        add_at(w, item->location, item);
    else if (!item->elsewhere)
        for (uint32_t l = 0; l < model->location_count; l++)
            add_at(w, model->locations[l], item);
}

static void take(void *context, const struct precision_item *item)
{
    struct warm_start *w = context;
    if (w->wanted != NULL && !w->wanted(w->context, item))
        return;
    if (item->variable != NULL)
        variable_bits_set(w->variables, item->variable->index);
    if (item->predicate != NULL || w->values)
        add(w, item);
}

static void add_atoms_over_variables(void *context, const struct term *assumption)
{
    struct warm_start *w = context;
    const struct model *model = w->cegar->workspace.model;
    size_t words = variable_bits_words(model->variable_count);
    variable_bits *mine = memory_alloc(words * sizeof *mine);
    struct term_vector atoms = {0};
    predicate_split(assumption, PREDSPLIT_ATOMS, &atoms);
    for (size_t i = 0; i < atoms.count; i++) {
        memset(mine, 0, words * sizeof *mine);
        variable_bits_add_term(mine, model, atoms.data[i]);
        if (variable_bits_within(mine, w->variables, words))
            add(w, &(struct precision_item){.predicate = atoms.data[i]});
    }
    VECTOR_FINISH(&atoms);
    memory_free(mine);
}

static bool tracks_values(const struct workspace *workspace)
{
    switch (workspace_option(workspace, OPTION_DOMAIN)) {
    case DOMAIN_PRED_CART:
    case DOMAIN_PRED_BOOL:
    case DOMAIN_PRED_SPLIT:
        return false;
    default:
        return true;
    }
}

bool warm_start_values_only(const struct cegar *c)
{
    return workspace_option(&c->workspace, OPTION_DOMAIN) == DOMAIN_EXPL;
}

uint64_t warm_start_add(struct cegar *c, const char *text,
                        bool (*wanted)(void *context, const struct precision_item *item),
                        void *context)
{
    const struct model *model = c->workspace.model;
    struct warm_start w = {
        .cegar = c,
        .local = workspace_option(&c->workspace, OPTION_GRANULARITY) == GRANULARITY_LOCAL,
        .values = tracks_values(&c->workspace),
        .wanted = wanted,
        .context = context,
        .variables =
            memory_zalloc(variable_bits_words(model->variable_count) * sizeof *w.variables),
    };
    uint64_t before = c->operations->precision_size(c->domain);
    precision_text_read(text, model, c->workspace.store, take, &w);
    if (!w.values)
        predicate_each_assumption(model, add_atoms_over_variables, &w);
    memory_free(w.variables);
    return c->operations->precision_size(c->domain) - before;
}

void warm_start(struct cegar *c)
{
    const char *text = c->environment->precision_in;
    if (text != NULL && *text)
        c->handed_on = warm_start_add(c, text, NULL, NULL);
}

static void leave(void *context, const struct precision_item *item)
{
    struct cegar *c = context;
    precision_text_add(c->environment->precision_out, c->workspace.store, item);
}

void warm_start_leave(struct cegar *c)
{
    if (c->environment->precision_out != NULL)
        c->operations->each_element(c->domain, leave, c);
}

void warm_start_describe(const struct cegar *c, char *notes, size_t bytes)
{
    if (c->handed_on)
        engine_note(notes, bytes, "it began with a precision of %llu",
                    (unsigned long long)c->handed_on);
}
