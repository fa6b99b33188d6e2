#include "languages/sts/sts_system.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

enum { MOST_DIGITS = 100000 };

bool sts_failed(const struct sts_reader *reader)
{
    const struct messages *messages = reader->parser.messages;
    return messages->errors + messages->unsupported > reader->failures;
}

static struct cfa_symbol *new_symbol(struct sts_reader *reader, const struct ast_decl *decl)
{
    struct cfa_symbol *symbol = arena_zalloc(reader->parser.arena, sizeof *symbol);
    symbol->name = cfa_token_text(&reader->parser, decl->name);
    symbol->at = decl->name;
    symbol->sort = decl->sort;
    return symbol;
}

static bool enter(struct sts_reader *reader, struct cfa_scope *scope, struct cfa_symbol *symbol)
{
    if (cfa_scope_add(scope, symbol))
        return true;
    const struct cfa_symbol *first = cfa_scope_find(scope, symbol->name, strlen(symbol->name));
    lexer_error(&reader->parser.lexer, symbol->at,
                "found a second declaration of `%s`, the first one is in line %u", symbol->name,
                first->at->line);
    return false;
}

static struct cfa_symbol *declare(struct sts_reader *reader, struct cfa_scope *scope,
                                  const struct ast_decl *decl)
{
    struct cfa_symbol *symbol = new_symbol(reader, decl);
    return enter(reader, scope, symbol) ? symbol : NULL;
}

// A variable that hides a name of the specification is called owner.name.
static void add_variable(struct sts_reader *reader, struct sts_variables *variables,
                         const char *owner, struct cfa_symbol *symbol, bool fixed)
{
    struct term_store *store = reader->parser.store;
    struct text name;
    text_init(&name);
    if (owner != NULL && cfa_scope_find(&reader->scope, symbol->name, strlen(symbol->name)) != NULL)
        text_printf(&name, "%s.", owner);
    text_add(&name, symbol->name);
    symbol->fixed = fixed;
    symbol->now = symbol->next = term_var(store, text_string(&name), symbol->sort);
    if (!fixed) {
        text_add_char(&name, '\'');
        symbol->next = term_var(store, text_string(&name), symbol->sort);
    }
    text_finish(&name);
    struct sts_variable variable = {symbol->now->u.var.name, symbol->at, symbol->now, symbol->next,
                                    fixed};
    VECTOR_PUSH(variables, variable);
}

// Digits of the numbers in a literal.
static size_t literal_size(const struct term *term)
{
    if ((term->kind == TERM_INT || term->kind == TERM_RAT) && !value_is_small(term_value(term)))
        return strlen(term->u.text);
    size_t size = 1;
    for (uint32_t i = 0; term_is_literal(term) && i < term->child_count; i++)
        size += literal_size(term->child[i]);
    return size;
}

// The value of a constant or argument. Definitions of definitions may be exponentially larger than
// their text: deep ones are refused like deep nesting, and huge numbers too.
static const struct term *check_value(struct sts_reader *reader, const struct ast *node,
                                      const struct sort *sort, uint32_t *height)
{
    reader->checker.deepest = 0;
    const struct term *value = cfa_check_sort(&reader->checker, node, sort);
    *height = reader->checker.deepest + node->height;
    if (value != NULL && *height > CFA_MAX_DEPTH) {
        cfa_too_deep(&reader->parser, node->at);
        return NULL;
    }
    if (value != NULL && literal_size(value) > MOST_DIGITS) {
        message_add(reader->parser.messages, MESSAGE_UNSUPPORTED,
                    lexer_position(&reader->parser.lexer, node->at),
                    "constant of more than %d digits", MOST_DIGITS);
        return NULL;
    }
    return value;
}

// The value does not see the name that is being declared.
static void set_constant(struct sts_reader *reader, struct cfa_symbol *symbol,
                         const struct ast *value)
{
    symbol->fixed = true;
    assert(!reader->checker.constants_only && reader->checker.when == CFA_NOW);
    reader->checker.constants_only = true;
    symbol->now = symbol->next = check_value(reader, value, symbol->sort, &symbol->height);
    reader->checker.constants_only = false;
}

static void add_initial_value(struct sts_reader *reader, const struct cfa_symbol *symbol,
                              const struct ast *node, struct sts_formulas *initial)
{
    const struct term *value = cfa_check_sort(&reader->checker, node, symbol->sort);
    if (value != NULL && symbol->now != NULL)
        VECTOR_PUSH(initial, formula_equal(&reader->checker, symbol->at, symbol->now, value));
}

// The declarations of a block (owner: its name) or of the specification (NULL).
static void declare_all(struct sts_reader *reader, struct cfa_scope *scope,
                        const struct sts_decls *decls, const char *owner,
                        struct sts_variables *variables, struct sts_formulas *initial)
{
    struct cfa_symbol **symbols = memory_alloc((decls->count + 1) * sizeof(struct cfa_symbol *));
    reader->checker.scope = scope;
    for (size_t i = 0; i < decls->count; i++) {
        const struct sts_decl *decl = &decls->data[i];
        symbols[i] = new_symbol(reader, &decl->decl);
        bool defined = decl->constant && decl->value != NULL;
        if (defined)
            set_constant(reader, symbols[i], decl->value);
        if (enter(reader, scope, symbols[i]) && symbols[i]->sort != NULL && !defined)
            add_variable(reader, variables, owner, symbols[i], decl->constant);
    }
    for (size_t i = 0; i < decls->count; i++) {
        if (!decls->data[i].constant && decls->data[i].value != NULL)
            add_initial_value(reader, symbols[i], decls->data[i].value, initial);
    }
    memory_free(symbols);
}

static void add_formula(struct sts_reader *reader, struct sts_formulas *formulas,
                        const struct ast *node, enum cfa_when when)
{
    assert(reader->checker.when == CFA_NOW); // formulas do not nest
    reader->checker.when = when;
    struct sts_formula *formula = formula_make(&reader->checker, node);
    reader->checker.when = CFA_NOW;
    if (formula != NULL)
        VECTOR_PUSH(formulas, formula);
}

// A block in its scope, and the property over it when there is one.
static void expand_block(struct sts_reader *reader, const struct sts_body *body,
                         const struct cfa_scope *outer, const char *owner,
                         const struct ast *property, struct sts_system *system)
{
    struct cfa_scope scope;
    cfa_scope_init(&scope, outer);
    declare_all(reader, &scope, &body->decls, owner, &system->variables, &system->initial);
    reader->checker.scope = &scope;
    for (size_t i = 0; i < body->clauses.count; i++) {
        const struct sts_clause *clause = &body->clauses.data[i];
        if (clause->kind == STS_TRANSITION) {
            add_formula(reader, &system->step, clause->formula, CFA_TRANSITION);
            continue;
        }
        add_formula(reader, &system->initial, clause->formula, CFA_NOW);
        if (clause->kind == STS_INVARIANT && !sts_failed(reader))
            add_formula(reader, &system->step, clause->formula, CFA_NEXT);
    }
    if (property != NULL) {
        system->property = cfa_check_bool(&reader->checker, property);
        system->property_words = lexer_words(&reader->parser.lexer, property->first, property->past,
                                             reader->parser.arena);
    }
    reader->checker.scope = &reader->scope;
    cfa_scope_finish(&scope);
}

static struct sts_definition *find_definition(struct sts_reader *reader, const struct token *name)
{
    VECTOR(const char *) names = {0};
    struct sts_definition *found = NULL;
    const char *text = cfa_token_text(&reader->parser, name);
    for (size_t i = 0; i < reader->file.definitions.count && found == NULL; i++) {
        struct sts_definition *definition = reader->file.definitions.data[i];
        VECTOR_PUSH(&names, cfa_token_text(&reader->parser, definition->name));
        if (token_is(definition->name, text))
            found = definition;
    }
    const char *near = found != NULL ? NULL : text_nearest(text, names.data, names.count);
    if (found == NULL)
        lexer_error(&reader->parser.lexer, name,
                    near != NULL ? "found the unknown system `%s` (did you mean `%s`?)"
                                 : "found the unknown system `%s`",
                    text, near);
    VECTOR_FINISH(&names);
    return found;
}

// A parameter stands for its argument, and primed for the argument's value after the step.
static bool bind_argument(struct sts_reader *reader, struct cfa_scope *scope,
                          const struct ast_decl *parameter, const struct ast *argument)
{
    struct cfa_symbol *symbol = declare(reader, scope, parameter);
    if (symbol == NULL || symbol->sort == NULL)
        return false;
    symbol->now = check_value(reader, argument, symbol->sort, &symbol->height);
    if (symbol->now == NULL)
        return false;
    assert(symbol->now->sort == symbol->sort);
    reader->checker.when = CFA_NEXT;
    symbol->next = check_value(reader, argument, symbol->sort, &symbol->height);
    reader->checker.when = CFA_NOW;
    return true;
}

static bool bind_arguments(struct sts_reader *reader, struct cfa_scope *scope,
                           const struct sts_definition *definition, const struct sts_body *body)
{
    if (body->argument_count != definition->parameter_count) {
        lexer_error(&reader->parser.lexer, body->reference,
                    "found %u arguments of the system `%.*s`, expected %u", body->argument_count,
                    (int)definition->name->length, definition->name->text,
                    definition->parameter_count);
        return false;
    }
    bool fine = true;
    for (uint32_t i = 0; i < definition->parameter_count; i++)
        fine = bind_argument(reader, scope, &definition->parameters[i], body->arguments[i]) && fine;
    return fine;
}

static void expand_body(struct sts_reader *reader, const struct sts_body *body,
                        const struct cfa_scope *outer, const char *owner,
                        const struct ast *property, struct sts_system *system, unsigned depth)
{
    if (body->reference == NULL) {
        expand_block(reader, body, outer, owner, property, system);
        return;
    }
    struct sts_definition *definition = find_definition(reader, body->reference);
    if (definition == NULL)
        return;
    if (definition->open) {
        lexer_error(&reader->parser.lexer, body->reference,
                    "found the system `%.*s` in its own definition", (int)body->reference->length,
                    body->reference->text);
        return;
    }
    if (depth > CFA_MAX_DEPTH) {
        cfa_too_deep(&reader->parser, body->reference);
        return;
    }
    struct cfa_scope scope;
    cfa_scope_init(&scope, &reader->scope);
    reader->checker.scope = outer;
    bool bound = bind_arguments(reader, &scope, definition, body);
    definition->open = true;
    if (bound)
        expand_body(reader, &definition->body, &scope,
                    cfa_token_text(&reader->parser, definition->name), property, system, depth + 1);
    definition->open = false;
    reader->checker.scope = &reader->scope;
    cfa_scope_finish(&scope);
}

// The definition with parameters that have any value.
static void check_definition(struct sts_reader *reader, struct sts_definition *definition)
{
    struct cfa_scope scope;
    struct sts_system system = {0};
    cfa_scope_init(&scope, &reader->scope);
    for (uint32_t i = 0; i < definition->parameter_count; i++) {
        struct cfa_symbol *symbol = declare(reader, &scope, &definition->parameters[i]);
        if (symbol != NULL && symbol->sort != NULL)
            symbol->now = symbol->next = term_var(reader->parser.store, symbol->name, symbol->sort);
    }
    definition->open = true;
    expand_body(reader, &definition->body, &scope,
                cfa_token_text(&reader->parser, definition->name), NULL, &system, 0);
    definition->open = false;
    sts_system_finish(&system);
    cfa_scope_finish(&scope);
}

static void check_names(struct sts_reader *reader)
{
    struct cfa_scope systems, properties;
    cfa_scope_init(&systems, NULL);
    cfa_scope_init(&properties, NULL);
    for (size_t i = 0; i < reader->file.definitions.count; i++)
        declare(reader, &systems, &(struct ast_decl){reader->file.definitions.data[i]->name, NULL});
    for (size_t i = 0; i < reader->file.properties.count; i++)
        declare(reader, &properties,
                &(struct ast_decl){reader->file.properties.data[i]->name, NULL});
    cfa_scope_finish(&systems);
    cfa_scope_finish(&properties);
}

void sts_check_file(struct sts_reader *reader)
{
    check_names(reader);
    reader->checker.scope = &reader->scope;
    for (uint32_t i = 0; i < reader->file.parameter_count; i++) {
        struct cfa_symbol *symbol = declare(reader, &reader->scope, &reader->file.parameters[i]);
        if (symbol != NULL && symbol->sort != NULL)
            add_variable(reader, &reader->variables, NULL, symbol, true);
    }
    declare_all(reader, &reader->scope, &reader->file.decls, NULL, &reader->variables,
                &reader->initial);
    for (size_t i = 0; i < reader->file.definitions.count && !sts_failed(reader); i++)
        check_definition(reader, reader->file.definitions.data[i]);
}

bool sts_expand(struct sts_reader *reader, const struct sts_property *property,
                struct sts_system *system)
{
    system->name = cfa_token_text(&reader->parser, property->name);
    system->at = property->name;
    for (size_t i = 0; i < reader->variables.count; i++)
        VECTOR_PUSH(&system->variables, reader->variables.data[i]);
    for (size_t i = 0; i < reader->initial.count; i++)
        VECTOR_PUSH(&system->initial, reader->initial.data[i]);
    expand_body(reader, &property->body, &reader->scope, system->name, property->invariant, system,
                0);
    return system->property != NULL && !sts_failed(reader);
}

void sts_system_finish(struct sts_system *system)
{
    VECTOR_FINISH(&system->variables);
    VECTOR_FINISH(&system->initial);
    VECTOR_FINISH(&system->step);
}
