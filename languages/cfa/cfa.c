#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/cfa/cfa_parse.h"
#include "languages/expressions/check.h"
#include "languages/language.h"

static const struct dialect dialect = {.name = "cfa", .terms = PRINT_CFA};

// Control-flow automata (docs/definitions/formats.md 4). One edge of the model per edge of the automaton; nothing
// has an initial value.

struct reader {
    const struct language_request *request;
    struct messages *messages;
    size_t failures; // in messages before we began
    struct cfa_parser parser;
    struct cfa_file file;
    struct model_builder *builder;
    struct cfa_scope globals, locals;
    struct cfa_checker checker;
    VECTOR(const struct variable *) variables; // by the tag of their symbols
    VECTOR(struct location *) locations;       // of the process, in order
    struct cfa_scope places;                   // names of locations; tag: the position in locations
};

static struct position at(const struct reader *reader, const struct token *token)
{
    return lexer_position(&reader->parser.lexer, token);
}

static bool failed(const struct reader *reader)
{
    return reader->messages->errors + reader->messages->unsupported > reader->failures;
}

static struct position whole_file(const struct reader *reader)
{
    return (struct position){reader->request->model_path, 0, 0};
}

static struct cfa_symbol *new_symbol(struct reader *reader, const struct token *name)
{
    struct cfa_symbol *symbol = arena_zalloc(reader->parser.arena, sizeof *symbol);
    symbol->name = cfa_token_text(&reader->parser, name);
    symbol->at = name;
    return symbol;
}

static bool add_symbol(struct reader *reader, struct cfa_scope *scope, struct cfa_symbol *symbol,
                       const char *what)
{
    if (cfa_scope_add(scope, symbol))
        return true;
    const struct cfa_symbol *first = cfa_scope_find(scope, symbol->name, strlen(symbol->name));
    lexer_error(&reader->parser.lexer, symbol->at,
                "found a second %s `%s`, the first one is in line %u", what, symbol->name,
                first->at->line);
    return false;
}

// Variables. A variable of the process that hides a global one is called process.name in the model.

static void declare(struct reader *reader, struct cfa_scope *scope, const struct ast_decl *decl,
                    const char *process)
{
    struct cfa_symbol *symbol = new_symbol(reader, decl->name);
    symbol->sort = decl->sort;
    symbol->format = decl->format;
    if (!add_symbol(reader, scope, symbol, "variable") || decl->sort == NULL)
        return;
    const struct variable *variable = model_builder_variable(reader->builder, symbol->name,
                                                             decl->sort, 0, at(reader, decl->name));
    if (variable == NULL) {
        struct text name;
        text_init(&name);
        text_printf(&name, "%s.%s", process, symbol->name);
        variable = model_builder_variable(reader->builder, text_string(&name), decl->sort, 0,
                                          at(reader, decl->name));
        text_finish(&name);
    }
    if (decl->format.exponent != 0)
        model_builder_float(reader->builder, variable, decl->format.exponent);
    symbol->now = variable->term;
    symbol->tag = (uint32_t)reader->variables.count;
    VECTOR_PUSH(&reader->variables, variable);
}

static void declare_all(struct reader *reader, const struct cfa_process *process)
{
    for (size_t i = 0; i < reader->file.variables.count; i++)
        declare(reader, &reader->globals, &reader->file.variables.data[i], "");
    const char *name = cfa_token_text(&reader->parser, process->name);
    for (size_t i = 0; i < process->variables.count; i++)
        declare(reader, &reader->locals, &process->variables.data[i], name);
}

// Locations.

static void add_location(struct reader *reader, const struct cfa_location *location)
{
    struct cfa_symbol *symbol = new_symbol(reader, location->name);
    if (!add_symbol(reader, &reader->places, symbol, "location"))
        return;
    symbol->tag = (uint32_t)reader->locations.count;
    VECTOR_PUSH(&reader->locations,
                model_builder_location(reader->builder, symbol->name, PHASE_NONE, true));
}

// The one location of a kind; NULL when there is none. Several are an error.
static const struct cfa_location *
find_kind(struct reader *reader, const struct cfa_process *process, int kind, const char *what)
{
    const struct cfa_location *found = NULL;
    for (size_t i = 0; i < process->locations.count; i++) {
        const struct cfa_location *location = &process->locations.data[i];
        if (location->kind != kind)
            continue;
        if (found != NULL)
            lexer_error(&reader->parser.lexer, location->at,
                        "found a second %s location, the first one is in line %u", what,
                        found->at->line);
        else
            found = location;
    }
    return found;
}

static struct location *find_location(struct reader *reader, const char *name, size_t length)
{
    const struct cfa_symbol *symbol = cfa_scope_find(&reader->places, name, length);
    assert(symbol == NULL || symbol->tag < reader->locations.count);
    return symbol != NULL ? reader->locations.data[symbol->tag] : NULL;
}

static struct location *resolve_location(struct reader *reader, const struct token *name)
{
    struct location *location = find_location(reader, name->text, name->length);
    if (location != NULL)
        return location;
    const char *text = cfa_token_text(&reader->parser, name);
    const char *near = cfa_scope_nearest(&reader->places, text);
    lexer_error(&reader->parser.lexer, name,
                near != NULL ? "found the unknown location `%s` (did you mean `%s`?)"
                             : "found the unknown location `%s`",
                text, near);
    return NULL;
}

// The error location that the user asked for by name.
static struct location *requested_error(struct reader *reader)
{
    static const char blank[] = " \t\r\n";
    const char *name = reader->request->property_text;
    name += strspn(name, blank);
    size_t length = strcspn(name, blank);
    struct position where = {reader->request->property_path, 0, 0};
    struct location *location = NULL;
    if (name[length + strspn(name + length, blank)] != '\0')
        message_add(reader->messages, MESSAGE_ERROR, where,
                    "found `%.60s`, expected the name of the error location", name);
    else if ((location = find_location(reader, name, length)) == NULL)
        message_add(reader->messages, MESSAGE_ERROR, where,
                    "found the unknown location `%.*s`, expected the error location",
                    length > 60 ? 60 : (int)length, name);
    return location;
}

static void choose_locations(struct reader *reader, const struct cfa_process *process,
                             struct location **initial, struct location **error)
{
    const struct cfa_location *first = find_kind(reader, process, CFA_INIT, "initial");
    const struct cfa_location *bad = find_kind(reader, process, CFA_ERROR, "error");
    find_kind(reader, process, CFA_FINAL, "final");
    if (first != NULL)
        *initial = find_location(reader, first->name->text, first->name->length);
    else
        lexer_error(&reader->parser.lexer, process->name, "found no initial location in `%.*s`",
                    (int)process->name->length, process->name->text);
    if (reader->request->property_text != NULL)
        *error = requested_error(reader);
    else if (bad != NULL)
        *error = find_location(reader, bad->name->text, bad->name->length);
    else if (reader->request->property_at == PROPERTY_AT_NONE) // one that no edge leads to
        *error = model_builder_location(reader->builder, NULL, PHASE_NONE, true);
    else
        lexer_error(&reader->parser.lexer, process->name,
                    "found no error location in `%.*s`, expected one, or its name as the property",
                    (int)process->name->length, process->name->text);
}

// Edges.

static const struct cfa_symbol *assigned(struct reader *reader, const struct token *name)
{
    const struct cfa_symbol *symbol = cfa_resolve(&reader->checker, name);
    // The tag is the place of the variable whose value it is.
    assert(symbol == NULL || symbol->now == NULL ||
           reader->variables.data[symbol->tag]->term == symbol->now);
    return symbol != NULL && symbol->now != NULL ? symbol : NULL;
}

// NULL when it is wrong.
static struct statement *make_statement(struct reader *reader,
                                        const struct cfa_statement *statement)
{
    struct model_builder *builder = reader->builder;
    struct statement *made = NULL;
    if (statement->kind == CFA_ASSUME) {
        const struct term *condition = cfa_check_bool(&reader->checker, statement->expression);
        if (condition != NULL) {
            made = model_assume(builder, condition, at(reader, statement->at));
            model_statement_written(builder, made, statement->written);
        }
        return made;
    }
    const struct cfa_symbol *symbol = assigned(reader, statement->name);
    if (statement->kind == CFA_HAVOC)
        return symbol != NULL ? model_havoc(builder, reader->variables.data[symbol->tag],
                                            at(reader, statement->at))
                              : NULL;
    const struct term *value =
        symbol != NULL && symbol->format.exponent != 0
            ? cfa_check_float(&reader->checker, statement->expression, symbol->format)
            : cfa_check_sort(&reader->checker, statement->expression,
                             symbol != NULL ? symbol->sort : NULL);
    if (value != NULL) {
        made = model_assign(builder, reader->variables.data[symbol->tag], value,
                            at(reader, statement->at));
        model_statement_written(builder, made, statement->written);
    }
    return made;
}

static void add_edge(struct reader *reader, const struct cfa_edge *edge)
{
    struct location *source = resolve_location(reader, edge->source);
    struct location *target = resolve_location(reader, edge->target);
    struct statement **list = memory_alloc((edge->count + 1) * sizeof *list);
    bool fine = source != NULL && target != NULL;
    for (size_t i = 0; i < edge->count; i++) {
        list[i] = make_statement(reader, &edge->statements[i]);
        fine = fine && list[i] != NULL;
    }
    if (fine) {
        struct position where = at(reader, edge->source);
        struct statement *action = edge->count == 0 ? model_skip(reader->builder, where)
                                   : edge->count == 1
                                       ? list[0]
                                       : model_sequence(reader->builder, list, edge->count, where);
        model_builder_edge(reader->builder, source, target, action, NULL, where);
    }
    memory_free(list);
}

// The process to verify; NULL when there is none.
static const struct cfa_process *find_main(struct reader *reader)
{
    const struct cfa_process *found = NULL;
    struct cfa_scope names;
    cfa_scope_init(&names, NULL);
    for (size_t i = 0; i < reader->file.processes.count; i++) {
        const struct cfa_process *process = reader->file.processes.data[i];
        if (process->name == NULL)
            continue;
        struct cfa_symbol *symbol = new_symbol(reader, process->name);
        add_symbol(reader, &names, symbol, "process");
        if (!process->main)
            message_add(reader->messages, MESSAGE_NOTE, at(reader, process->name),
                        "the process `%s` is not the main process and is left out", symbol->name);
        else if (found != NULL)
            lexer_error(&reader->parser.lexer, process->name,
                        "found a second main process, the first one is in line %u",
                        found->name->line);
        else
            found = process;
    }
    cfa_scope_finish(&names);
    if (found == NULL && !failed(reader))
        message_add(reader->messages, MESSAGE_ERROR, whole_file(reader),
                    "found no main process, expected one");
    return found;
}

static void build(struct reader *reader, const struct cfa_process *process)
{
    declare_all(reader, process);
    for (size_t i = 0; i < process->locations.count; i++)
        add_location(reader, &process->locations.data[i]);
    struct location *initial = NULL, *error = NULL;
    choose_locations(reader, process, &initial, &error);
    for (size_t i = 0; i < process->edges.count; i++)
        add_edge(reader, &process->edges.data[i]);
    if (failed(reader))
        return;
    // Who left a location out has said so.
    ENSURE(reader->locations.count == process->locations.count);
    model_builder_initial(reader->builder, initial,
                          model_skip(reader->builder, at(reader, process->name)));
    model_builder_error(reader->builder, error);
}

static struct model *read_cfa(const struct language_request *request, struct messages *messages)
{
    struct arena arena;
    arena_init(&arena);
    struct reader reader = {.request = request,
                            .messages = messages,
                            .failures = messages->errors + messages->unsupported};
    reader.builder = model_builder_create(&dialect, request->model_path, NULL);
    reader.parser = (struct cfa_parser){
        .arena = &arena, .store = model_builder_store(reader.builder), .messages = messages};
    cfa_scope_init(&reader.locals, &reader.globals);
    reader.checker = (struct cfa_checker){.parser = &reader.parser, .scope = &reader.locals};
    lexer_init(&reader.parser.lexer, &cfa_language, request->model_path, request->model_text,
               request->model_bytes, messages);
    cfa_parse_file(&reader.parser, &reader.file);
    const struct cfa_process *process = find_main(&reader);
    if (process != NULL)
        build(&reader, process);
    struct model *model = NULL;
    if (failed(&reader))
        model_builder_destroy(reader.builder);
    else
        model = model_builder_finish(reader.builder);
    lexer_finish(&reader.parser.lexer);
    cfa_file_finish(&reader.file);
    cfa_scope_finish(&reader.globals);
    cfa_scope_finish(&reader.locals);
    cfa_scope_finish(&reader.places);
    VECTOR_FINISH(&reader.variables);
    VECTOR_FINISH(&reader.locations);
    arena_finish(&arena);
    return model;
}

const struct language language_cfa = {
    .name = "cfa",
    .extension = ".cfa",
    .description = "control-flow automata",
    .read = read_cfa,
};
