#include "model/precision_text.h"

#include <string.h>

#include "logic/terms/print.h"
#include "logic/terms/read_smtlib.h"

void precision_text_add(struct text *out, struct term_store *store,
                        const struct precision_item *item)
{
    const struct term *what = item->predicate != NULL ? item->predicate : item->variable->term;
    if (out->length > PRECISION_TEXT_LIMIT || what->tree_size > PRECISION_TREE_LIMIT)
        return;
    text_add(out, item->predicate != NULL ? "(predicate " : "(variable ");
    print_term(out, what, PRINT_SMTLIB);
    if (item->location != NULL) {
        text_add_char(out, ' ');
        // A location's name is quoted as a variable's.
        print_term(out, term_var(store, item->location->name, sort_bool(store)), PRINT_SMTLIB);
    }
    text_add(out, ")\n");
}

struct reading {
    const struct model *model;
    struct term_store *store;
    struct smtlib_reader *reader;
};

// NULL: the model has no such location.
static const struct location *find_location(struct reading *r, const char *name)
{
    struct text own;
    text_init(&own);
    const struct location *found = NULL;
    for (uint32_t l = 0; l < r->model->location_count && found == NULL; l++) {
        const struct location *here = r->model->locations[l];
        text_clear(&own);
        smtlib_name(&own, term_var(r->store, here->name, sort_bool(r->store)));
        if (strcmp(text_string(&own), name) == 0)
            found = here;
    }
    text_finish(&own);
    return found;
}

static bool has_form(const struct sexpr *e)
{
    return (sexpr_is_call(e, "variable", 0) || sexpr_is_call(e, "predicate", 0)) &&
           (e->count == 2 || (e->count == 3 && e->child[2]->kind == SEXPR_SYMBOL));
}

// What is said of runs (engines/domains/bounds.h) is no element.
static bool is_bound(const struct sexpr *e)
{
    return sexpr_is_call(e, "bound", 3);
}

// False when it means nothing in this model.
static bool read_item(struct reading *r, const struct sexpr *e, struct precision_item *out)
{
    struct text why;
    text_init(&why);
    const struct term *term = smtlib_read_term(r->reader, e->child[1], &why);
    text_finish(&why);
    *out = (struct precision_item){0};
    if (term == NULL)
        return false;
    if (e->count == 3) {
        out->location = find_location(r, e->child[2]->text);
        out->elsewhere = out->location == NULL;
    }
    if (sexpr_is_call(e, "variable", 0))
        out->variable = term->kind == TERM_VAR ? model_variable_of(r->model, term) : NULL;
    else if (term->sort == sort_bool(r->store))
        out->predicate = term;
    return out->variable != NULL || out->predicate != NULL;
}

size_t precision_text_read(const char *text, const struct model *model, struct term_store *store,
                           void (*take)(void *context, const struct precision_item *item),
                           void *context)
{
    struct reading r = {model, store, smtlib_reader_create(store)};
    for (uint32_t v = 0; v < model->variable_count; v++)
        smtlib_reader_add(r.reader, model->variables[v]->term);
    struct sexpr_reader in = {.at = text, .end = text + strlen(text), .line = 1};
    struct arena arena;
    struct text why;
    arena_init(&arena);
    text_init(&why);
    const struct sexpr *e;
    size_t count = 0;
    while (sexpr_read(&in, &arena, &e, &why) == SEXPR_READ && (has_form(e) || is_bound(e))) {
        struct precision_item item;
        if (is_bound(e) || !read_item(&r, e, &item))
            continue;
        take(context, &item);
        count++;
    }
    text_finish(&why);
    arena_finish(&arena);
    smtlib_reader_destroy(r.reader);
    return count;
}
