#include "languages/chc/chc.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const struct dialect dialect = {.name = "chc", .terms = PRINT_CFA};

// The commands of a script: declarations, definitions, assertions.

struct position chc_at(const struct chc *c, const struct sexpr *e)
{
    return (struct position){c->path, e->line, e->column};
}

bool chc_fail(struct chc *c, const struct sexpr *e, const char *expected)
{
    if (e->text != NULL)
        message_add(c->messages, MESSAGE_ERROR, chc_at(c, e), "found `%.60s`, expected %s", e->text,
                    expected);
    else if (e->count > 0 && e->child[0]->text != NULL)
        message_add(c->messages, MESSAGE_ERROR, chc_at(c, e), "found `(%.60s …)`, expected %s",
                    e->child[0]->text, expected);
    else
        message_add(c->messages, MESSAGE_ERROR, chc_at(c, e), "found a list, expected %s",
                    expected);
    return false;
}

bool chc_blame(struct chc *c, const struct sexpr *e, const struct text *why)
{
    const struct sexpr *fault = smtlib_reader_fault(c->reader);
    message_add(c->messages, c->unsupported ? MESSAGE_UNSUPPORTED : MESSAGE_ERROR,
                chc_at(c, fault != NULL ? fault : e), "%s", text_string(why));
    return false;
}

static bool not_supported(struct chc *c, const struct sexpr *e, const char *what)
{
    message_add(c->messages, MESSAGE_UNSUPPORTED, chc_at(c, e), "%s", what);
    return false;
}

static const struct sort *read_sort(struct chc *c, const struct sexpr *e)
{
    struct text why;
    text_init(&why);
    const struct sort *sort = smtlib_read_sort(c->reader, e, &why);
    if (sort == NULL)
        chc_blame(c, e, &why);
    text_finish(&why);
    return sort;
}

static bool is_new(struct chc *c, const struct sexpr *name)
{
    uint32_t number;
    if (name->kind != SEXPR_SYMBOL)
        return chc_fail(c, name, "a name");
    return chc_find(c, chc_name_term(c, name->text), &number) == CHC_UNKNOWN ||
           chc_fail(c, name, "a name that is not taken");
}

static bool add_predicate(struct chc *c, const struct sexpr *name, const struct sexpr *sorts,
                          const struct sexpr *range)
{
    struct chc_predicate predicate = {.at = chc_at(c, name)};
    if (!is_new(c, name))
        return false;
    if (sorts != NULL && sorts->kind != SEXPR_LIST)
        return chc_fail(c, sorts, "a list of sorts");
    const struct sort *sort = read_sort(c, range);
    if (sort == NULL)
        return false;
    if (sort->kind != SORT_BOOL)
        return not_supported(c, name, "a function that is no predicate");
    bool good = true;
    for (size_t i = 0; sorts != NULL && i < sorts->count && good; i++) {
        sort = read_sort(c, sorts->child[i]);
        good = sort != NULL;
        if (good)
            VECTOR_PUSH(&predicate.parameters, term_var(c->store, "|", sort));
    }
    predicate.name = arena_strdup(&c->arena, name->text);
    chc_note(c, chc_name_term(c, name->text), CHC_PREDICATE, (uint32_t)c->predicates.count);
    VECTOR_PUSH(&c->predicates, predicate);
    return good;
}

// Parameters may be NULL: there are none.
static bool add_macro(struct chc *c, const struct sexpr *name, const struct sexpr *parameters,
                      const struct sexpr *range, const struct sexpr *body)
{
    struct chc_macro macro = {0};
    struct text why;
    if (!is_new(c, name))
        return false;
    const struct sort *sort = read_sort(c, range);
    if (sort == NULL)
        return false;
    size_t mark = smtlib_reader_mark(c->reader);
    c->first_application = c->applications.count;
    c->quantifiers = 0;
    bool good = parameters == NULL || chc_bind_variables(c, parameters, &macro.parameters);
    text_init(&why);
    if (good) {
        macro.body = smtlib_read_as(c->reader, body, sort, &why);
        good = macro.body != NULL || chc_blame(c, body, &why);
    }
    text_finish(&why);
    smtlib_reader_unbind(c->reader, mark);
    chc_note(c, chc_name_term(c, name->text), CHC_MACRO, (uint32_t)c->macros.count);
    VECTOR_PUSH(&c->macros, macro);
    return good;
}

static bool read_logic(struct chc *c, const struct sexpr *e)
{
    const struct sexpr *logic = e->child[1];
    if (sexpr_is(logic, "HORN") || sexpr_is(logic, "ALL"))
        return true;
    return chc_fail(c, logic, "the logic HORN");
}

static bool read_assert(struct chc *c, const struct sexpr *e)
{
    return c->checked ? not_supported(c, e, "assertions after (check-sat)")
                      : chc_read_assertion(c, e->child[1]);
}

static bool read_check(struct chc *c, const struct sexpr *e)
{
    if (c->checked)
        return not_supported(c, e, "more than one (check-sat)");
    c->checked = true;
    return true;
}

// Those that change nothing here.
static bool is_silent(const struct sexpr *e)
{
    static const char *const SILENT[] = {"set-info",  "set-option", "get-info", "get-option",
                                         "get-model", "get-proof",  "echo"};
    for (size_t i = 0; i < sizeof SILENT / sizeof *SILENT; i++)
        if (sexpr_is_call(e, SILENT[i], 0))
            return true;
    return false;
}

static bool read_command(struct chc *c, const struct sexpr *e)
{
    static const char *const KNOWN[] = {"declare-datatype",
                                        "declare-datatypes",
                                        "declare-sort",
                                        "define-sort",
                                        "define-fun-rec",
                                        "define-funs-rec",
                                        "push",
                                        "pop",
                                        "reset",
                                        "reset-assertions",
                                        "check-sat-assuming",
                                        "declare-rel",
                                        "declare-var",
                                        "rule",
                                        "query"};
    if (sexpr_is_call(e, "assert", 2))
        return read_assert(c, e);
    if (sexpr_is_call(e, "declare-fun", 4))
        return add_predicate(c, e->child[1], e->child[2], e->child[3]);
    if (sexpr_is_call(e, "declare-const", 3))
        return add_predicate(c, e->child[1], NULL, e->child[2]);
    if (sexpr_is_call(e, "define-fun", 5))
        return add_macro(c, e->child[1], e->child[2], e->child[3], e->child[4]);
    if (sexpr_is_call(e, "define-const", 4))
        return add_macro(c, e->child[1], NULL, e->child[2], e->child[3]);
    if (sexpr_is_call(e, "set-logic", 2))
        return read_logic(c, e);
    if (sexpr_is_call(e, "check-sat", 1))
        return read_check(c, e);
    if (is_silent(e))
        return true;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (sexpr_is_call(e, KNOWN[i], 0)) {
            message_add(c->messages, MESSAGE_UNSUPPORTED, chc_at(c, e), "the command `%s`",
                        KNOWN[i]);
            c->cut = strncmp(KNOWN[i], "de", 2) == 0; // it declares or defines
            return false;
        }
    return chc_fail(c, e, "a command such as (assert formula)");
}

static bool read_script(struct chc *c, const struct language_request *request)
{
    struct sexpr_reader reader = {
        .at = request->model_text, .end = request->model_text + request->model_bytes, .line = 1};
    const struct sexpr *e;
    struct text why;
    bool good = true;
    enum sexpr_status status = SEXPR_READ;
    text_init(&why);
    while (!c->cut && (status = sexpr_read(&reader, &c->arena, &e, &why)) == SEXPR_READ &&
           !sexpr_is_call(e, "exit", 1)) {
        c->unsupported = false;
        good = read_command(c, e) && good;
    }
    if (status == SEXPR_WRONG)
        message_add(c->messages, MESSAGE_ERROR,
                    (struct position){c->path, reader.wrong_line, reader.wrong_column}, "%s",
                    text_string(&why));
    text_finish(&why);
    return good && status != SEXPR_WRONG;
}

static void finish(struct chc *c)
{
    for (size_t i = 0; i < c->predicates.count; i++)
        VECTOR_FINISH(&c->predicates.data[i].parameters);
    for (size_t i = 0; i < c->macros.count; i++)
        VECTOR_FINISH(&c->macros.data[i].parameters);
    VECTOR_FINISH(&c->predicates);
    VECTOR_FINISH(&c->macros);
    VECTOR_FINISH(&c->applications);
    VECTOR_FINISH(&c->clauses);
    VECTOR_FINISH(&c->names);
    smtlib_reader_destroy(c->reader);
    arena_finish(&c->arena);
}

static struct model *read_chc(const struct language_request *request, struct messages *messages)
{
    struct chc c = {.path = request->model_path, .messages = messages};
    struct model *model = NULL;
    if (request->property_text != NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){request->property_path, 0, 0},
                    "found the property `%.40s`, expected none: Horn clauses have their queries",
                    request->property_text);
        return NULL;
    }
    arena_init(&c.arena);
    c.builder = model_builder_create(&dialect, c.path, NULL);
    c.store = model_builder_store(c.builder);
    c.reader = smtlib_reader_create(c.store);
    smtlib_reader_plain(c.reader);
    smtlib_reader_calls(c.reader, chc_call, &c);
    if (read_script(&c, request)) {
        chc_lower(&c);
        model = model_builder_finish(c.builder);
    } else {
        model_builder_destroy(c.builder);
    }
    finish(&c);
    return model;
}

const struct language language_chc = {
    .name = "chc",
    .extension = ".smt2",
    .description = "constrained Horn clauses (SMT-LIB, logic HORN)",
    .read = read_chc,
};
