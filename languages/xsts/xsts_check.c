#include "languages/xsts/xsts_check.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "logic/terms/rewrite.h"

// Declarations and statements: names, sorts, and what docs/definitions/formats.md 2.5 rejects or warns about.

static struct xsts_action *check_statement(struct xsts_checker *checker,
                                           const struct xsts_stmt *stmt);

static bool is_reserved(const char *name)
{
    if (strncmp(name, "temp", 4) != 0 || name[4] == '\0')
        return false;
    return strspn(name + 4, "0123456789") == strlen(name + 4);
}

static bool check_reserved(struct xsts_checker *checker, struct xsts_name name)
{
    if (is_reserved(name.text))
        message_add(checker->messages, MESSAGE_ERROR, name.at,
                    "found the reserved name `%.100s`, expected another one", name.text);
    return !is_reserved(name.text);
}

static void report_taken(struct xsts_checker *checker, struct xsts_name name,
                         const struct symbol *taken)
{
    static const char *const KIND[] = {[SYMBOL_TYPE] = "type",
                                       [SYMBOL_GLOBAL] = "variable",
                                       [SYMBOL_LOCAL] = "local variable",
                                       [SYMBOL_COUNTER] = "loop variable"};
    if (taken->kind == SYMBOL_LITERAL)
        message_add(checker->messages, MESSAGE_ERROR, name.at,
                    "found the name `%.100s` of an enumeration literal, expected a new name",
                    name.text);
    else
        message_add(checker->messages, MESSAGE_ERROR, name.at,
                    "found the name `%.100s` of the %s of line %u, expected a new name", name.text,
                    KIND[taken->kind], taken->at.line);
}

// Types.

static void declare_literal(struct xsts_checker *checker, const struct sort *sort, uint32_t literal,
                            struct position at)
{
    struct text name;
    text_init(&name);
    text_printf(&name, "%s.%s", sort->name, sort->literals[literal]);
    struct symbol symbol = {.kind = SYMBOL_LITERAL,
                            .name = sort->literals[literal],
                            .sort = sort,
                            .term = term_enum(checker->store, sort, literal),
                            .at = at};
    symbols_push(&checker->values, symbol);
    symbol.name = arena_strdup(checker->arena, text_string(&name));
    symbols_push(&checker->values, symbol);
    text_finish(&name);
}

static bool check_literals(struct xsts_checker *checker, const struct xsts_type_decl *decl)
{
    struct symbols seen = {0};
    bool good = true;
    for (uint32_t i = 0; i < decl->literal_count; i++) {
        struct xsts_name literal = decl->literals[i];
        bool free = symbols_find(&seen, literal.text) == SYMBOL_NONE;
        if (!free)
            message_add(checker->messages, MESSAGE_ERROR, literal.at,
                        "found the literal `%.100s` twice in one type, expected another one",
                        literal.text);
        good = check_reserved(checker, literal) && free && good;
        symbols_push(&seen, (struct symbol){.kind = SYMBOL_LITERAL, .name = literal.text});
    }
    symbols_finish(&seen);
    return good;
}

static void check_type_decl(struct xsts_checker *checker, const struct xsts_type_decl *decl)
{
    check_reserved(checker, decl->name);
    bool good = check_literals(checker, decl);
    uint32_t taken = symbols_find(&checker->types, decl->name.text);
    if (taken != SYMBOL_NONE) {
        report_taken(checker, decl->name, &checker->types.stack.data[taken]);
        return;
    }
    struct symbol symbol = {.kind = SYMBOL_TYPE, .name = decl->name.text, .at = decl->name.at};
    if (good) {
        const char **names = memory_alloc(decl->literal_count * sizeof *names);
        for (uint32_t i = 0; i < decl->literal_count; i++)
            names[i] = decl->literals[i].text;
        symbol.sort = sort_enum(checker->store, decl->name.text, names, decl->literal_count);
        memory_free(names);
    }
    symbols_push(&checker->types, symbol);
    for (uint32_t i = 0; good && i < decl->literal_count; i++)
        declare_literal(checker, symbol.sort, i, decl->literals[i].at);
}

// Variables.

static struct symbol *declare(struct xsts_checker *checker, enum symbol_kind kind,
                              struct xsts_name name, const struct sort *sort,
                              const struct variable *variable)
{
    struct symbol symbol = {.kind = kind,
                            .name = name.text,
                            .sort = sort,
                            .variable = variable,
                            .term = variable != NULL ? variable->term : NULL,
                            .at = name.at};
    return symbols_push(&checker->values, symbol);
}

static void check_var_decl(struct xsts_checker *checker, const struct xsts_var_decl *decl,
                           struct xsts_initial *out)
{
    const struct sort *sort = xsts_check_type(checker, decl->type);
    *out = (struct xsts_initial){.at = decl->name.at};
    // The initial expression is checked first: it must not see the variable itself.
    if (decl->initial != NULL && sort != NULL)
        out->value = xsts_check_expr(checker, decl->initial, sort);
    uint32_t taken = symbols_find(&checker->values, decl->name.text);
    if (taken != SYMBOL_NONE) {
        report_taken(checker, decl->name, &checker->values.stack.data[taken]);
        return;
    }
    if (!check_reserved(checker, decl->name))
        sort = NULL;
    if (sort != NULL)
        out->variable = model_builder_variable(checker->builder, decl->name.text, sort,
                                               decl->control ? VARIABLE_CONTROL : 0, decl->name.at);
    declare(checker, SYMBOL_GLOBAL, decl->name, sort, out->variable);
}

// Statements.

static struct xsts_action *make(struct xsts_checker *checker, enum xsts_action_kind kind,
                                struct position at)
{
    struct xsts_action *action = arena_zalloc(checker->arena, sizeof *action);
    action->kind = kind;
    action->at = at;
    return action;
}

static void make_children(struct xsts_checker *checker, struct xsts_action *action, uint32_t count)
{
    action->child_count = count;
    action->child = arena_zalloc(checker->arena, (count + 1) * sizeof(struct xsts_action *));
}

static void note_write(struct xsts_checker *checker, uint32_t number)
{
    assert(number < checker->values.stack.count);
    struct symbol *symbol = &checker->values.stack.data[number];
    if (symbol->variable != NULL) {
        while (checker->assigned.count <= symbol->variable->index)
            VECTOR_PUSH(&checker->assigned, false);
        checker->assigned.data[symbol->variable->index] = true;
    }
    if (symbol->kind == SYMBOL_LOCAL && !symbol->written) {
        symbol->written = true;
        VECTOR_PUSH(&checker->writes, number);
    }
}

static void set_written(struct xsts_checker *checker, size_t from, bool written)
{
    for (size_t i = from; i < checker->writes.count; i++) {
        // Numbers beyond the stack are locals of a block that has ended.
        if (checker->writes.data[i] < checker->values.stack.count)
            checker->values.stack.data[checker->writes.data[i]].written = written;
    }
}

// A statement in a scope of its own.
static struct xsts_action *check_scope(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    size_t outer = checker->scope;
    checker->scope = checker->values.stack.count;
    struct xsts_action *action = check_statement(checker, stmt);
    symbols_pop_to(&checker->values, checker->scope);
    checker->scope = outer;
    return action;
}

// One of several branches: what it writes, the others do not see.
static struct xsts_action *check_branch(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    size_t writes = checker->writes.count;
    struct xsts_action *action = check_scope(checker, stmt);
    set_written(checker, writes, false);
    return action;
}

static bool check_branches(struct xsts_checker *checker, const struct xsts_stmt *const *branch,
                           uint32_t count, struct xsts_action **out)
{
    size_t writes = checker->writes.count;
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = check_branch(checker, branch[i]);
        good = good && out[i] != NULL;
    }
    set_written(checker, writes, true);
    return good;
}

// The variable that a statement writes; SYMBOL_NONE after an error.
static uint32_t check_target(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    uint32_t number = symbols_find(&checker->values, stmt->name);
    if (number == SYMBOL_NONE) {
        xsts_report_unknown(checker, &checker->values, "variable", stmt->name, stmt->name_at);
        return SYMBOL_NONE;
    }
    const struct symbol *symbol = &checker->values.stack.data[number];
    const char *wrong = symbol->kind == SYMBOL_LITERAL   ? "the enumeration literal"
                        : symbol->kind == SYMBOL_COUNTER ? "the loop variable"
                                                         : NULL;
    if (wrong != NULL) {
        message_add(checker->messages, MESSAGE_ERROR, stmt->name_at,
                    "found %s `%s` as the target of a change, expected a variable", wrong,
                    symbol->name);
        return SYMBOL_NONE;
    }
    if (symbol->variable == NULL) // its declaration was wrong
        return SYMBOL_NONE;
    for (size_t i = 0; i < checker->loops.count; i++) {
        const struct xsts_action *loop = checker->loops.data[i];
        if (!rewrite_contains(loop->from, symbol->term) &&
            !rewrite_contains(loop->to, symbol->term))
            continue;
        message_add(checker->messages, MESSAGE_ERROR, stmt->name_at,
                    "found a change of `%s`, expected none (it is in a bound of the loop of line "
                    "%u)",
                    symbol->name, loop->at.line);
        return SYMBOL_NONE;
    }
    return number;
}

static struct xsts_action *check_assign(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    uint32_t number = check_target(checker, stmt);
    if (number == SYMBOL_NONE)
        return NULL;
    const struct symbol target = checker->values.stack.data[number]; // the stack may move
    struct xsts_action *action = make(checker, XSTS_DO_ASSIGN, stmt->at);
    action->written = stmt->written;
    action->variable = target.variable;
    if (stmt->kind == XSTS_ASSIGN) {
        action->expression = xsts_check_expr(checker, stmt->first, target.sort);
    } else if (target.sort->kind != SORT_ARRAY) {
        message_add(checker->messages, MESSAGE_ERROR, stmt->name_at,
                    "found `%s`, which is no array, before `[`, expected an array", target.name);
    } else {
        xsts_note_read(checker, number, stmt->name_at);
        const struct term *key = xsts_check_expr(checker, stmt->first, target.sort->key);
        const struct term *element = xsts_check_expr(checker, stmt->second, target.sort->element);
        if (key != NULL && element != NULL)
            action->expression = term_store_at(checker->store, target.term, key, element);
    }
    note_write(checker, number);
    ENSURE(action->expression == NULL || action->expression->sort == target.variable->sort);
    return action->expression != NULL ? action : NULL;
}

// A local may hide a global one or a local one of an outer block, nothing else.
static bool check_local_name(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    struct xsts_name name = {stmt->name, stmt->name_at};
    uint32_t number = symbols_find(&checker->values, stmt->name);
    if (number == SYMBOL_NONE)
        return true;
    const struct symbol *taken = &checker->values.stack.data[number];
    bool hides =
        taken->kind == SYMBOL_GLOBAL || (taken->kind == SYMBOL_LOCAL && number < checker->scope);
    if (!hides)
        report_taken(checker, name, taken);
    return hides;
}

static struct xsts_action *check_local(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    struct xsts_name name = {stmt->name, stmt->name_at};
    const struct sort *sort = xsts_check_type(checker, stmt->type);
    const struct term *value = NULL;
    if (stmt->first != NULL && sort != NULL) // sees the outer variable of that name
        value = xsts_check_expr(checker, stmt->first, sort);
    if (!check_local_name(checker, stmt))
        return NULL;
    if (!check_reserved(checker, name))
        sort = NULL;
    const struct variable *variable = NULL;
    if (sort != NULL)
        variable =
            model_builder_fresh(checker->builder, stmt->name, sort, VARIABLE_LOCAL, stmt->name_at);
    declare(checker, SYMBOL_LOCAL, name, sort, variable);
    if (stmt->first != NULL)
        note_write(checker, (uint32_t)checker->values.stack.count - 1);
    if (variable == NULL || (stmt->first != NULL && value == NULL))
        return NULL;
    struct xsts_action *action =
        make(checker, value != NULL ? XSTS_DO_ASSIGN : XSTS_DO_HAVOC, stmt->at);
    action->variable = variable;
    action->expression = value;
    return action;
}

static struct xsts_action *check_block(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    struct xsts_action *action = make(checker, XSTS_DO_SEQUENCE, stmt->at);
    size_t outer = checker->scope;
    bool good = true;
    checker->scope = checker->values.stack.count;
    make_children(checker, action, stmt->child_count);
    for (uint32_t i = 0; i < stmt->child_count; i++) {
        action->child[i] = check_statement(checker, stmt->child[i]);
        good = good && action->child[i] != NULL;
    }
    symbols_pop_to(&checker->values, checker->scope);
    checker->scope = outer;
    return good ? action : NULL;
}

static struct xsts_action *check_if(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    struct xsts_action *action = make(checker, XSTS_DO_IF, stmt->at);
    action->written = stmt->written;
    action->expression = xsts_check_expr(checker, stmt->first, sort_bool(checker->store));
    make_children(checker, action, 2);
    action->child_count = stmt->child_count;
    bool good = check_branches(checker, stmt->child, stmt->child_count, action->child);
    return good && action->expression != NULL ? action : NULL;
}

static struct xsts_action *check_choice(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    struct xsts_action *action = make(checker, XSTS_DO_CHOICE, stmt->at);
    make_children(checker, action, stmt->child_count);
    return check_branches(checker, stmt->child, stmt->child_count, action->child) ? action : NULL;
}

static struct xsts_action *check_for(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    struct term_store *store = checker->store;
    struct xsts_name name = {stmt->name, stmt->name_at};
    struct xsts_action *action = make(checker, XSTS_DO_FOR, stmt->at);
    action->from = xsts_check_expr(checker, stmt->first, sort_int(store));
    action->to = xsts_check_expr(checker, stmt->second, sort_int(store));
    bool good = action->from != NULL && action->to != NULL;
    uint32_t taken = symbols_find(&checker->values, stmt->name);
    if (taken != SYMBOL_NONE)
        report_taken(checker, name, &checker->values.stack.data[taken]);
    good = check_reserved(checker, name) && taken == SYMBOL_NONE && good;
    struct text unique; // `!` is in no name of the language
    text_init(&unique);
    text_printf(&unique, "%s!loop%u", stmt->name, checker->counters++);
    action->counter = term_var(store, text_string(&unique), sort_int(store));
    text_finish(&unique);
    size_t scope = checker->values.stack.count;
    struct symbol *counter = declare(checker, SYMBOL_COUNTER, name, sort_int(store), NULL);
    counter->term = action->counter;
    if (action->from != NULL && action->to != NULL)
        VECTOR_PUSH(&checker->loops, action);
    make_children(checker, action, 1);
    action->child[0] = check_scope(checker, stmt->child[0]);
    if (action->from != NULL && action->to != NULL)
        checker->loops.count--;
    symbols_pop_to(&checker->values, scope);
    return good && action->child[0] != NULL ? action : NULL;
}

static struct xsts_action *check_assume(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    struct xsts_action *action = make(checker, XSTS_DO_ASSUME, stmt->at);
    action->written = stmt->written;
    action->expression = xsts_check_expr(checker, stmt->first, sort_bool(checker->store));
    if (action->expression == NULL)
        return NULL;
    if (term_is_false(action->expression))
        message_add(checker->messages, MESSAGE_WARNING, stmt->at,
                    "this assumption is never true, the branch cannot run");
    return action;
}

static struct xsts_action *check_havoc(struct xsts_checker *checker, const struct xsts_stmt *stmt)
{
    uint32_t number = check_target(checker, stmt);
    if (number == SYMBOL_NONE)
        return NULL;
    struct xsts_action *action = make(checker, XSTS_DO_HAVOC, stmt->at);
    action->variable = checker->values.stack.data[number].variable;
    note_write(checker, number);
    return action;
}

static struct xsts_action *check_statement(struct xsts_checker *checker,
                                           const struct xsts_stmt *stmt)
{
    switch (stmt->kind) {
    case XSTS_BLOCK:
        return check_block(checker, stmt);
    case XSTS_CHOICE:
        return check_choice(checker, stmt);
    case XSTS_BRANCH:
        return check_if(checker, stmt);
    case XSTS_FOR:
        return check_for(checker, stmt);
    case XSTS_LOCAL:
        return check_local(checker, stmt);
    case XSTS_ASSIGN:
    case XSTS_ASSIGN_AT:
        return check_assign(checker, stmt);
    case XSTS_HAVOC:
        return check_havoc(checker, stmt);
    default:
        return check_assume(checker, stmt);
    }
}

// The whole model.

static void check_sets(struct xsts_checker *checker, const struct xsts_syntax *syntax,
                       struct xsts_checked *out)
{
    for (int set = 0; set < XSTS_SETS; set++) {
        uint32_t count = syntax->sets[set].count;
        out->sets[set].count = count;
        out->sets[set].branch =
            arena_zalloc(checker->arena, (count + 1) * sizeof(struct xsts_action *));
        check_branches(checker, syntax->sets[set].branch, count, out->sets[set].branch);
    }
}

static void check_property(struct xsts_checker *checker, const struct xsts_expr *property,
                           bool used, struct xsts_checked *out)
{
    checker->read_variable = false;
    out->property = xsts_check_expr(checker, property, sort_bool(checker->store));
    out->property_at = property->at;
    out->property_written = property->written;
    if (out->property != NULL && used && !checker->read_variable)
        message_add(checker->messages, MESSAGE_WARNING, property->at,
                    "the property contains no variable");
}

static void warn_unused_control(struct xsts_checker *checker, const struct xsts_syntax *syntax,
                                const struct xsts_checked *checked)
{
    for (uint32_t i = 0; i < syntax->var_count; i++) {
        const struct variable *variable = checked->initial[i].variable;
        if (variable == NULL || (variable->flags & VARIABLE_CONTROL) == 0)
            continue;
        if (variable->index >= checker->assigned.count || !checker->assigned.data[variable->index])
            message_add(checker->messages, MESSAGE_WARNING, checked->initial[i].at,
                        "the `ctrl` variable `%s` is never assigned", variable->name);
    }
}

// Who could not make a part of it has said why.
static bool is_whole(const struct xsts_checked *checked)
{
    for (int set = 0; set < XSTS_SETS; set++)
        for (uint32_t i = 0; i < checked->sets[set].count; i++)
            if (checked->sets[set].branch[i] == NULL)
                return false;
    for (uint32_t i = 0; i < checked->initial_count; i++)
        if (checked->initial[i].variable == NULL)
            return false;
    return checked->property == NULL || checked->property->sort->kind == SORT_BOOL;
}

bool xsts_check(struct arena *arena, const struct xsts_syntax *syntax,
                const struct xsts_expr *property, struct model_builder *builder,
                struct xsts_checked *out, struct messages *messages)
{
    size_t errors = messages->errors;
    struct xsts_checker checker = {.arena = arena,
                                   .builder = builder,
                                   .store = model_builder_store(builder),
                                   .messages = messages};
    *out = (struct xsts_checked){.initial_count = syntax->var_count};
    out->initial = arena_zalloc(arena, (syntax->var_count + 1) * sizeof *out->initial);
    for (uint32_t i = 0; i < syntax->type_count; i++)
        check_type_decl(&checker, &syntax->types[i]);
    for (uint32_t i = 0; i < syntax->var_count; i++)
        check_var_decl(&checker, &syntax->vars[i], &out->initial[i]);
    check_sets(&checker, syntax, out);
    if (syntax->property != NULL)
        check_property(&checker, syntax->property, property == NULL, out);
    if (property != NULL)
        check_property(&checker, property, true, out);
    if (messages->errors == errors)
        warn_unused_control(&checker, syntax, out);
    symbols_finish(&checker.types);
    symbols_finish(&checker.values);
    VECTOR_FINISH(&checker.writes);
    assert(checker.loops.count == 0 && checker.scope == 0);
    VECTOR_FINISH(&checker.loops);
    VECTOR_FINISH(&checker.assigned);
    if (messages->errors != errors)
        return false;
    ENSURE(is_whole(out));
    return true;
}
