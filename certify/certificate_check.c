#include <assert.h>
#include <string.h>

#include "certify/certificate_inside.h"
#include "logic/terms/read_smtlib.h"
#include "logic/terms/rewrite.h"

// The formulas of a safe certificate as terms of a model.

struct formulas {
    const struct model *model;
    struct term_store *store;
    struct smtlib_reader *reader;
    const struct term **invariant; // by location
    struct text *why;
    const struct procedures *procedures; // NULL: the formulas are about the model that was read
};

static const struct location *location_of(struct formulas *f, const char *name)
{
    struct text own;
    text_init(&own);
    const struct location *found = NULL;
    for (uint32_t l = 0; l < f->model->location_count && found == NULL; l++) {
        struct text symbol;
        text_init(&symbol);
        text_clear(&own);
        text_printf(&symbol, "inv.%s", f->model->locations[l]->name);
        smtlib_name(&own, term_var(f->store, text_string(&symbol), sort_bool(f->store)));
        if (strcmp(text_string(&own), name) == 0)
            found = f->model->locations[l];
        text_finish(&symbol);
    }
    text_finish(&own);
    return found;
}

// The parameters must be variables of the model, by name and sort: the formula is about them.
static bool check_parameters(struct formulas *f, const struct sexpr *list)
{
    if (list->kind != SEXPR_LIST) {
        text_printf(f->why, "line %u: expected a list of parameters", list->line);
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct sexpr *p = list->child[i];
        if (p->kind != SEXPR_LIST || p->count != 2 || p->child[0]->kind != SEXPR_SYMBOL) {
            text_printf(f->why, "line %u: expected a parameter (name sort)", p->line);
            return false;
        }
        const struct term *variable = smtlib_reader_find(f->reader, p->child[0]->text);
        if (variable == NULL || variable->kind != TERM_VAR) {
            text_printf(f->why, "line %u: %s is no variable of the model", p->line,
                        p->child[0]->text);
            return false;
        }
        const struct sort *sort = smtlib_read_sort(f->reader, p->child[1], f->why);
        if (sort != variable->sort) {
            if (sort != NULL)
                text_printf(f->why, "line %u: %s has another sort in the model", p->line,
                            p->child[0]->text);
            return false;
        }
    }
    return true;
}

static bool read_formula(struct formulas *f, const struct sexpr *e)
{
    const struct sexpr *name = e->child[1];
    const struct location *location =
        name->kind == SEXPR_SYMBOL ? location_of(f, name->text) : NULL;
    if (location == NULL) {
        text_printf(f->why, "line %u: %s names no location of the model", e->line,
                    name->text != NULL ? name->text : "this");
        return false;
    }
    if (f->invariant[location->index] != NULL) {
        text_printf(f->why, "line %u: a second formula for location %s", e->line, location->name);
        return false;
    }
    if (!check_parameters(f, e->child[2]))
        return false;
    const struct term *formula =
        smtlib_read_as(f->reader, e->child[4], sort_bool(f->store), f->why);
    f->invariant[location->index] = formula;
    assert(formula == NULL || formula->sort == sort_bool(f->store));
    return formula != NULL;
}

static enum certify_result check_formulas(const struct certificate *certificate, struct formulas *f,
                                          const char *backend, const _Atomic int *stop,
                                          const struct certify_owner *owner)
{
    for (uint32_t v = 0; v < f->model->variable_count; v++)
        smtlib_reader_add(f->reader, f->model->variables[v]->term);
    for (size_t i = 0; i < certificate->formulas.count; i++)
        if (!read_formula(f, certificate->formulas.data[i]))
            return CERTIFY_REFUSED;
    if (f->procedures == NULL)
        return certify_invariant_owned(f->model, f->store, f->invariant, certificate->rule, backend,
                                       stop, owner, f->why);
    if (!induction_is_plain(certificate->rule)) {
        text_add(f->why, "a proof about procedures is by single steps, but this one has several");
        return CERTIFY_REFUSED;
    }
    struct model *contracts = procedures_contracts(f->procedures, f->store, f->invariant, f->why);
    if (contracts == NULL)
        return CERTIFY_REFUSED;
    enum certify_result result = certify_invariant_owned(
        contracts, contracts->store, f->invariant, certificate->rule, backend, stop, owner, f->why);
    model_destroy(contracts);
    return result;
}

enum certify_result certificate_check(const struct certificate *certificate,
                                      const struct model *model, const char *backend,
                                      const _Atomic int *stop, const struct certify_owner *owner,
                                      struct text *why)
{
    if (!certificate->header.safe)
        return certificate_check_trace(certificate, model, why);
    const struct procedures *procedures = NULL;
    if (*certificate->header.view != '\0') {
        procedures = procedures_of(model);
        if (procedures == NULL || strcmp(certificate->header.view, procedures->base.kind) != 0) {
            text_printf(why, "the proof is about %s, which the model has not",
                        certificate->header.view);
            return CERTIFY_REFUSED;
        }
        model = procedures->model;
    }
    struct formulas f = {.model = model,
                         .procedures = procedures,
                         .store = term_store_create(model->store),
                         .why = why};
    f.reader = smtlib_reader_create(f.store);
    f.invariant = memory_zalloc((model->location_count + 1) * sizeof(*f.invariant));
    enum certify_result result = check_formulas(certificate, &f, backend, stop, owner);
    memory_free(f.invariant);
    smtlib_reader_destroy(f.reader);
    term_store_destroy(f.store);
    return result;
}
