#include <string.h>

#include "base/text.h"
#include "languages/language.h"
#include "languages/sts/sts_system.h"
#include "model/trace.h"

static const struct dialect dialect = {
    .name = "sts", .terms = PRINT_CFA, .print_sexpr = trace_print_sts};

// Symbolic transition systems (docs/definitions/formats.md 5): one location with a self-loop.

static struct position at(const struct sts_reader *reader, const struct token *token)
{
    return lexer_position(&reader->parser.lexer, token);
}

// The one property, or the one that is asked for by name; NULL with an error otherwise.
static const struct sts_property *choose_property(struct sts_reader *reader,
                                                  const struct language_request *request)
{
    static const char blank[] = " \t\r\n";
    struct messages *messages = reader->parser.messages;
    size_t count = reader->file.properties.count;
    struct position where = {request->model_path, 0, 0};
    const char *wanted = request->property_text;
    if (wanted == NULL && count == 1)
        return reader->file.properties.data[0];
    struct text names;
    text_init(&names);
    const struct sts_property *found = NULL;
    const char *trimmed = wanted != NULL ? wanted + strspn(wanted, blank) : "";
    size_t length = strlen(trimmed);
    while (length > 0 && strchr(blank, trimmed[length - 1]) != NULL)
        length--;
    for (size_t i = 0; i < count; i++) {
        const struct token *name = reader->file.properties.data[i]->name;
        text_printf(&names, "%s`%.*s`", i > 0 ? ", " : "", (int)name->length, name->text);
        if (wanted != NULL && name->length == length && memcmp(name->text, trimmed, length) == 0)
            found = reader->file.properties.data[i];
    }
    if (count == 0)
        message_add(messages, MESSAGE_ERROR, where, "found no property, expected one");
    else if (wanted == NULL)
        message_add(messages, MESSAGE_ERROR, where,
                    "found %zu properties, expected the name of one of them: %s", count,
                    text_string(&names));
    else if (found == NULL)
        message_add(messages, MESSAGE_ERROR, (struct position){request->property_path, 0, 0},
                    "found the unknown property `%.*s`, expected one of %s",
                    length > 60 ? 60 : (int)length, trimmed, text_string(&names));
    text_finish(&names);
    return found;
}

// `variable = literal`: what an analysis of values can take over at once.
static bool is_value(const struct sts_formula *formula)
{
    for (uint32_t i = 0; i < formula->equation_count; i++) {
        if (term_is_literal(formula->equation[i].value))
            return true;
    }
    return false;
}

static void collect_conjuncts(const struct sts_formula *formula, struct sts_formulas *out)
{
    for (uint32_t i = 0; formula->kind == STS_FORMULA_AND && i < formula->child_count; i++)
        collect_conjuncts(formula->child[i], out);
    if (formula->kind != STS_FORMULA_AND && !term_is_true(formula->term))
        VECTOR_PUSH(out, (struct sts_formula *)(uintptr_t)formula);
}

static struct statement *make_initial(struct sts_reader *reader, const struct sts_system *system,
                                      struct model_builder *builder)
{
    struct sts_formulas conjuncts = {0};
    VECTOR(struct statement *) list = {0};
    for (size_t i = 0; i < system->initial.count; i++)
        collect_conjuncts(system->initial.data[i], &conjuncts);
    for (int values = 1; values >= 0; values--) {
        for (size_t i = 0; i < conjuncts.count; i++) {
            const struct sts_formula *formula = conjuncts.data[i];
            if (is_value(formula) == (values == 1))
                VECTOR_PUSH(&list, sts_assume(reader, builder, formula));
        }
    }
    struct statement *initial =
        list.count == 0 ? model_skip(builder, at(reader, system->at))
                        : model_sequence(builder, list.data, list.count, at(reader, system->at));
    VECTOR_FINISH(&conjuncts);
    VECTOR_FINISH(&list);
    return initial;
}

static void build(struct sts_reader *reader, const struct sts_system *system,
                  struct model_builder *builder)
{
    VECTOR(const struct variable *) variables = {0};
    for (size_t i = 0; i < system->variables.count; i++) {
        const struct sts_variable *v = &system->variables.data[i];
        VECTOR_PUSH(&variables,
                    model_builder_variable(builder, v->name, v->now->sort, 0, at(reader, v->at)));
    }
    struct position where = at(reader, system->at);
    struct location *state = model_builder_location(builder, "state", PHASE_NONE, true);
    struct location *error = model_builder_location(builder, "error", PHASE_NONE, false);
    model_builder_initial(builder, state, make_initial(reader, system, builder));
    model_builder_edge(builder, state, state, sts_relation(reader, system, builder, variables.data),
                       "step", where);
    struct statement *violated =
        model_assume(builder, term_not(model_builder_store(builder), system->property), where);
    struct text label, words;
    text_init(&label);
    text_init(&words);
    text_printf(&label, "not %s", system->name);
    text_printf(&words, "assume not (%s)", system->property_words);
    model_statement_written(builder, violated, text_string(&words));
    model_builder_edge(builder, state, error, violated, text_string(&label), where);
    text_finish(&words);
    text_finish(&label);
    model_builder_error(builder, error);
    model_builder_property(builder, system->property);
    VECTOR_FINISH(&variables);
}

// Every property is checked; the chosen one is built.
static bool read_systems(struct sts_reader *reader, const struct language_request *request,
                         struct model_builder *builder)
{
    sts_check_file(reader);
    bool sound = !sts_failed(reader);
    const struct sts_property *chosen = sound ? choose_property(reader, request) : NULL;
    for (size_t i = 0; i < reader->file.properties.count; i++) {
        const struct sts_property *property = reader->file.properties.data[i];
        if (property == chosen || (!sound && property->body.reference != NULL))
            continue;
        struct sts_system system = {0};
        sts_expand(reader, property, &system);
        sts_system_finish(&system);
    }
    struct sts_system system = {0};
    bool fine = chosen != NULL && sts_expand(reader, chosen, &system);
    if (fine)
        build(reader, &system, builder);
    sts_system_finish(&system);
    return fine;
}

static struct model *read_sts(const struct language_request *request, struct messages *messages)
{
    struct arena arena;
    arena_init(&arena);
    struct model_builder *builder = model_builder_create(&dialect, request->model_path, NULL);
    struct sts_reader reader = {.failures = messages->errors + messages->unsupported};
    reader.parser = (struct cfa_parser){
        .arena = &arena, .store = model_builder_store(builder), .messages = messages};
    reader.checker = (struct cfa_checker){.parser = &reader.parser, .scope = &reader.scope};
    lexer_init(&reader.parser.lexer, &sts_language, request->model_path, request->model_text,
               request->model_bytes, messages);
    sts_parse_file(&reader.parser, &reader.file);
    bool fine = reader.file.name != NULL && read_systems(&reader, request, builder);
    struct model *model = NULL;
    if (fine && !sts_failed(&reader))
        model = model_builder_finish(builder);
    else
        model_builder_destroy(builder);
    lexer_finish(&reader.parser.lexer);
    sts_file_finish(&reader.file);
    cfa_scope_finish(&reader.scope);
    VECTOR_FINISH(&reader.variables);
    VECTOR_FINISH(&reader.initial);
    arena_finish(&arena);
    return model;
}

const struct language language_sts = {
    .name = "sts",
    .extension = ".system",
    .description = "symbolic transition systems",
    .read = read_sts,
};
