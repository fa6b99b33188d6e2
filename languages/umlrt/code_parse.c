#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "languages/umlrt/code_inside.h"

struct parser {
    const struct code_scope *scope;
    const char *path;
    const char *at; // the current token
    size_t length;
    unsigned line;
    struct arena *arena;
    struct code_node *owned;
    bool failed;
    int depth;
};

#define DEPTH_MOST 100

static void complain(struct parser *p, enum message_kind kind, const char *what)
{
    char token[40];
    size_t n = p->length < sizeof token - 1 ? p->length : sizeof token - 1;
    memcpy(token, p->at, n);
    token[n] = '\0';
    if (!p->failed)
        message_add(p->scope->messages, kind, (struct position){p->path, p->line, 0}, "%s `%s`%s",
                    kind == MESSAGE_UNSUPPORTED ? "action code with" : "action code: found",
                    n > 0 ? token : "end", what);
    p->failed = true;
}

static struct code_node *unsupported(struct parser *p, const char *what)
{
    complain(p, MESSAGE_UNSUPPORTED, what);
    return NULL;
}

static size_t token_length(const char *at)
{
    if (isalpha((unsigned char)*at) || *at == '_') {
        size_t n = 1;
        while (isalnum((unsigned char)at[n]) || at[n] == '_')
            n++;
        return n;
    }
    if (isdigit((unsigned char)*at)) {
        size_t n = 1;
        while (isalnum((unsigned char)at[n]) || at[n] == '.')
            n++;
        return n;
    }
    if (*at == '"' || *at == '\'') {
        size_t n = 1;
        while (at[n] != '\0' && at[n] != *at)
            n += at[n] == '\\' && at[n + 1] != '\0' ? 2 : 1;
        return at[n] == '\0' ? n : n + 1;
    }
    static const char *const LONG[] = {"->", "++", "--", "==", "!=", "<=", ">=", "&&", "||",
                                       "+=", "-=", "*=", "/=", "%=", "::", "<<", ">>"};
    for (size_t i = 0; i < sizeof LONG / sizeof *LONG; i++)
        if (strncmp(at, LONG[i], 2) == 0)
            return 2;
    return *at == '\0' ? 0 : 1;
}

static void next(struct parser *p)
{
    const char *at = p->at;
    for (size_t i = 0; i < p->length; i++)
        p->line += at[i] == '\n';
    at += p->length;
    for (;;) {
        while (isspace((unsigned char)*at))
            p->line += *at++ == '\n';
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            const char *stop = end != NULL ? end + 2 : at + strlen(at);
            while (at < stop)
                p->line += *at++ == '\n';
        } else {
            break;
        }
    }
    p->at = at;
    p->length = token_length(at);
}

static bool at_text(const struct parser *p, const char *text)
{
    return p->length == strlen(text) && memcmp(p->at, text, p->length) == 0;
}

static bool accept(struct parser *p, const char *text)
{
    if (!at_text(p, text))
        return false;
    next(p);
    return true;
}

static bool expect(struct parser *p, const char *text)
{
    if (accept(p, text))
        return true;
    if (!p->failed) {
        char what[40] = ", expected `";
        assert(strlen(text) + strlen(what) + 2 <= sizeof what);
        strcat(strcat(what, text), "`");
        complain(p, MESSAGE_ERROR, what);
    }
    return false;
}

static bool at_name(const struct parser *p)
{
    return p->length > 0 && (isalpha((unsigned char)*p->at) || *p->at == '_');
}

static const char *take_name(struct parser *p)
{
    const char *name = arena_strndup(p->arena, p->at, p->length);
    next(p);
    return name;
}

static struct code_node *make(struct parser *p, enum code_kind kind)
{
    struct code_node *n = arena_zalloc(p->arena, sizeof *n);
    n->kind = kind;
    n->line = p->line;
    n->next_owned = p->owned;
    p->owned = n;
    return n;
}

void code_free(struct code_node *owner)
{
    for (; owner != NULL; owner = owner->next_owned)
        VECTOR_FINISH(&owner->list);
}

static bool in_names(const struct code_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->data[i], name) == 0)
            return true;
    return false;
}

static struct code_node *expression(struct parser *p);

static struct code_node *primary(struct parser *p)
{
    if (accept(p, "(")) {
        struct code_node *n = expression(p);
        return n != NULL && expect(p, ")") ? n : NULL;
    }
    if (p->length > 0 && isdigit((unsigned char)*p->at)) {
        struct code_node *n = make(p, CODE_NUMBER);
        n->text = take_name(p);
        if (strspn(n->text, "0123456789") != strlen(n->text) ||
            (n->text[0] == '0' && n->text[1] != '\0')) {
            p->failed = false;
            return unsupported(p,
                               ": a number that is not a plain decimal integer stands before it");
        }
        return n;
    }
    if (accept(p, "*")) {
        if (!at_text(p, "rtdata"))
            return unsupported(p, ": pointers");
        next(p);
        return make(p, CODE_RECEIVED);
    }
    if (accept(p, "this") && !expect(p, "->"))
        return NULL;
    if (!at_name(p))
        return unsupported(p, ": no expression of the subset");
    if (at_text(p, "new") || at_text(p, "sizeof") || at_text(p, "delete"))
        return unsupported(p, ": objects");
    struct code_node *n = make(p, CODE_NAME);
    n->text = take_name(p);
    if (strcmp(n->text, "true") == 0)
        n->kind = CODE_TRUE;
    if (strcmp(n->text, "false") == 0)
        n->kind = CODE_FALSE;
    if (strcmp(n->text, "rtdata") == 0)
        n->kind = CODE_RECEIVED;
    if (at_text(p, "(") || at_text(p, ".") || at_text(p, "->") || at_text(p, "::") ||
        at_text(p, "["))
        return unsupported(p, ": method calls, objects and arrays in expressions");
    return n;
}

static struct code_node *unary(struct parser *p)
{
    if (++p->depth > DEPTH_MOST)
        return unsupported(p, ": nested too deep");
    struct code_node *n;
    if (at_text(p, "!") || at_text(p, "-")) {
        n = make(p, at_text(p, "!") ? CODE_NOT : CODE_MINUS);
        next(p);
        n->first = unary(p);
        n = n->first != NULL ? n : NULL;
    } else {
        n = primary(p);
    }
    p->depth--;
    return n;
}

static int precedence(const struct parser *p)
{
    static const struct {
        const char *text;
        int level;
    } LEVELS[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4}, {"<=", 4}, {">", 4},
                  {">=", 4}, {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6}, {"%", 6}};
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++)
        if (at_text(p, LEVELS[i].text))
            return LEVELS[i].level;
    return 0;
}

static struct code_node *binary(struct parser *p, int least)
{
    struct code_node *a = unary(p);
    while (a != NULL && precedence(p) >= least) {
        int level = precedence(p);
        assert(level > 0); // an operator
        struct code_node *n = make(p, CODE_BINARY);
        n->text = take_name(p);
        n->first = a;
        n->second = binary(p, level + 1);
        a = n->second != NULL ? n : NULL;
    }
    return a;
}

static struct code_node *expression(struct parser *p)
{
    struct code_node *a = binary(p, 1);
    if (a == NULL || !accept(p, "?"))
        return a;
    struct code_node *n = make(p, CODE_CHOOSE);
    n->first = a;
    n->second = expression(p);
    if (n->second == NULL || !expect(p, ":"))
        return NULL;
    n->third = expression(p);
    return n->third != NULL ? n : NULL;
}

static struct code_node *statement(struct parser *p);

// What is left out because its value does not matter must not do anything either.
static bool has_effect(const struct parser *p)
{
    static const char *const EFFECTS[] = {
        "=",  "++",   "--",     "+=",       "-=",          "*=",        "/=",
        "%=", "send", "sendAt", "informIn", "informEvery", "incarnate", "destroy"};
    for (size_t i = 0; i < sizeof EFFECTS / sizeof *EFFECTS; i++)
        if (at_text(p, EFFECTS[i]))
            return true;
    return at_text(p, "&"); // what has an address may be written there
}

static bool skip_token(struct parser *p)
{
    if (has_effect(p)) {
        unsupported(p, ": an effect within what is only printed or kept");
        return false;
    }
    next(p);
    return true;
}

// To behind the parenthesis that closes the one here: what a log is given does not matter.
static bool skip_parentheses(struct parser *p)
{
    if (!expect(p, "("))
        return false;
    for (int depth = 1; depth > 0;) {
        if (p->length == 0)
            return expect(p, ")");
        depth += at_text(p, "(") - at_text(p, ")");
        if (!skip_token(p))
            return false;
    }
    return true;
}

static struct code_node *arguments(struct parser *p, struct code_node *n)
{
    if (!expect(p, "("))
        return NULL;
    while (!accept(p, ")")) {
        struct code_node *a = expression(p);
        if (a == NULL)
            return NULL;
        VECTOR_PUSH(&n->list, a);
        if (!at_text(p, ")") && !expect(p, ","))
            return NULL;
    }
    return n;
}

static struct code_node *timer_call(struct parser *p, const char *port)
{
    struct code_node *n = make(p, CODE_TIMER);
    n->text = port;
    n->flag = at_text(p, "informEvery");
    if (!n->flag && !at_text(p, "informIn") && !at_text(p, "informAt"))
        return unsupported(p, ": of timers only informIn, informAt and informEvery");
    next(p);
    return skip_parentheses(p) ? n : NULL;
}

static struct code_node *frame_call(struct parser *p)
{
    struct code_node *n = make(p, at_text(p, "incarnate") ? CODE_CREATE : CODE_DESTROY);
    if (!at_text(p, "incarnate") && !at_text(p, "destroy"))
        return unsupported(p, ": of frames only incarnate and destroy");
    next(p);
    if (!expect(p, "("))
        return NULL;
    if (!at_name(p))
        return unsupported(p, ": expected a part");
    n->text = take_name(p);
    return expect(p, ")") ? n : NULL;
}

// port.signal(values).send()
static struct code_node *send_call(struct parser *p, const char *port)
{
    struct code_node *n = make(p, CODE_SEND);
    const char *signal = take_name(p);
    char *full = arena_alloc(p->arena, strlen(port) + strlen(signal) + 2);
    strcat(strcat(strcpy(full, port), "."), signal);
    n->text = full;
    if (arguments(p, n) == NULL || !expect(p, "."))
        return NULL;
    if (!at_text(p, "send"))
        return unsupported(p, ": of messages only send");
    next(p);
    return expect(p, "(") && expect(p, ")") ? n : NULL;
}

static struct code_node *call(struct parser *p, const char *port)
{
    const struct capsule_module *m = &p->scope->capsules->modules.data[p->scope->module];
    if (!at_name(p))
        return unsupported(p, ": objects");
    if (in_names(&p->scope->logs, port)) {
        next(p);
        return skip_parentheses(p) ? make(p, CODE_NOTHING) : NULL;
    }
    if (in_names(&p->scope->frames, port))
        return frame_call(p);
    if (capsule_find_timer(m, port) != CAPSULE_NONE)
        return timer_call(p, port);
    return send_call(p, port);
}

static struct code_node *name_node(struct parser *p, const char *name)
{
    struct code_node *n = make(p, CODE_NAME);
    n->text = name;
    return n;
}

static struct code_node *assign(struct parser *p, const char *name, const char *operator,
                                struct code_node * value)
{
    struct code_node *n = make(p, CODE_ASSIGN);
    n->text = name;
    n->first = value;
    if (operator!= NULL) {
        n->first = make(p, CODE_BINARY);
        n->first->text = operator;
        n->first->first = name_node(p, name);
        n->first->second = value;
    }
    return value != NULL ? n : NULL;
}

static struct code_node *one(struct parser *p)
{
    struct code_node *n = make(p, CODE_NUMBER);
    n->text = "1";
    return n;
}

// To the end of the statement: a text is written and never read, so its value does not matter.
static struct code_node *skip_text(struct parser *p)
{
    while (p->length > 0 && !at_text(p, ";"))
        if (!skip_token(p))
            return NULL;
    return make(p, CODE_NOTHING);
}

// A text's new value, or that of a timer's name, which is what setting the timer returns.
static struct code_node *keep_text(struct parser *p)
{
    const struct capsule_module *m = &p->scope->capsules->modules.data[p->scope->module];
    struct parser before = *p;
    if (at_name(p)) {
        const char *port = take_name(p);
        if (capsule_find_timer(m, port) != CAPSULE_NONE && accept(p, "."))
            return timer_call(p, port);
        *p = before;
    }
    return skip_text(p);
}

// What the C and C++ libraries print or wait for does nothing to the model: a stream, or a call as a statement.
static bool is_stream(const char *name)
{
    return strcmp(name, "cout") == 0 || strcmp(name, "cerr") == 0 || strcmp(name, "clog") == 0;
}

static bool is_printing(const char *name)
{
    static const char *const NAMES[] = {"printf",  "fprintf", "puts",  "putchar", "fflush",
                                        "getchar", "srand",   "sleep", "usleep"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(name, NAMES[i]) == 0)
            return true;
    return false;
}

static struct code_node *changes(struct parser *p, const char *name)
{
    static const char *const OPERATORS[][2] = {
        {"+=", "+"}, {"-=", "-"}, {"*=", "*"}, {"/=", "/"}, {"%=", "%"}};
    if (in_names(&p->scope->strings, name) && accept(p, "="))
        return keep_text(p);
    if (accept(p, "="))
        return assign(p, name, NULL, expression(p));
    if (accept(p, "++"))
        return assign(p, name, "+", one(p));
    if (accept(p, "--"))
        return assign(p, name, "-", one(p));
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (accept(p, OPERATORS[i][0]))
            return assign(p, name, OPERATORS[i][1], expression(p));
    return unsupported(p, ": no statement of the subset");
}

static bool at_type(const struct parser *p, bool *boolean)
{
    static const char *const TYPES[] = {"int",     "long",    "short",  "unsigned",
                                        "int32_t", "int64_t", "size_t", "const"};
    *boolean = at_text(p, "bool");
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (at_text(p, TYPES[i]))
            return true;
    return *boolean;
}

static struct code_node *declaration(struct parser *p)
{
    bool boolean = false, now;
    while (at_type(p, &now)) {
        boolean |= now;
        next(p);
    }
    if (!at_name(p))
        return unsupported(p, ": no declaration of the subset");
    struct code_node *n = make(p, CODE_DECLARE);
    n->flag = boolean;
    n->text = take_name(p);
    if (accept(p, "=")) {
        n->first = expression(p);
        if (n->first == NULL)
            return NULL;
    }
    return n;
}

// Without its `;`.
static struct code_node *simple(struct parser *p)
{
    bool boolean;
    if (at_type(p, &boolean))
        return declaration(p);
    if (at_text(p, "++") || at_text(p, "--")) {
        const char *operator= at_text(p, "++") ? "+" : "-";
        next(p);
        if (accept(p, "this") && !expect(p, "->"))
            return NULL;
        return at_name(p) ? assign(p, take_name(p), operator, one(p)) : unsupported(p, "");
    }
    if (accept(p, "this") && !expect(p, "->"))
        return NULL;
    if (!at_name(p))
        return unsupported(p, ": no statement of the subset");
    const char *name = take_name(p);
    if (strcmp(name, "std") == 0 && accept(p, "::") && at_name(p))
        name = take_name(p);
    if (is_stream(name) && at_text(p, "<<"))
        return skip_text(p);
    if (accept(p, ".") || accept(p, "->"))
        return call(p, name);
    if (at_text(p, "(") && is_printing(name))
        return skip_parentheses(p) ? make(p, CODE_NOTHING) : NULL;
    if (at_text(p, "("))
        return unsupported(p, ": method calls");
    return changes(p, name);
}

static struct code_node *block(struct parser *p)
{
    struct code_node *n = make(p, CODE_BLOCK);
    while (!accept(p, "}")) {
        if (p->length == 0)
            return expect(p, "}") ? n : NULL;
        struct code_node *s = statement(p);
        if (s == NULL)
            return NULL;
        VECTOR_PUSH(&n->list, s);
    }
    return n;
}

static struct code_node *condition(struct parser *p)
{
    if (!expect(p, "("))
        return NULL;
    struct code_node *n = expression(p);
    return n != NULL && expect(p, ")") ? n : NULL;
}

static struct code_node *branch(struct parser *p)
{
    struct code_node *n = make(p, CODE_IF);
    n->first = condition(p);
    n->second = n->first != NULL ? statement(p) : NULL;
    if (n->second == NULL)
        return NULL;
    if (accept(p, "else")) {
        n->third = statement(p);
        if (n->third == NULL)
            return NULL;
    }
    return n;
}

static struct code_node *for_loop(struct parser *p)
{
    struct code_node *outer = make(p, CODE_BLOCK), *n = make(p, CODE_WHILE);
    if (!expect(p, "("))
        return NULL;
    if (!at_text(p, ";")) {
        struct code_node *start = simple(p);
        if (start == NULL)
            return NULL;
        VECTOR_PUSH(&outer->list, start);
    }
    if (!expect(p, ";"))
        return NULL;
    n->first = at_text(p, ";") ? make(p, CODE_TRUE) : expression(p);
    if (n->first == NULL || !expect(p, ";"))
        return NULL;
    if (!at_text(p, ")")) {
        n->third = simple(p);
        if (n->third == NULL)
            return NULL;
    }
    n->second = expect(p, ")") ? statement(p) : NULL;
    VECTOR_PUSH(&outer->list, n);
    return n->second != NULL ? outer : NULL;
}

static struct code_node *while_loop(struct parser *p, bool body_first)
{
    struct code_node *n = make(p, CODE_WHILE);
    n->flag = body_first;
    if (body_first) {
        n->second = statement(p);
        if (n->second == NULL || !expect(p, "while"))
            return NULL;
        n->first = condition(p);
        return n->first != NULL && expect(p, ";") ? n : NULL;
    }
    n->first = condition(p);
    n->second = n->first != NULL ? statement(p) : NULL;
    return n->second != NULL ? n : NULL;
}

static struct code_node *statement_inside(struct parser *p)
{
    if (accept(p, "{"))
        return block(p);
    if (accept(p, ";"))
        return make(p, CODE_NOTHING);
    if (accept(p, "if"))
        return branch(p);
    if (accept(p, "while"))
        return while_loop(p, false);
    if (accept(p, "do"))
        return while_loop(p, true);
    if (accept(p, "for"))
        return for_loop(p);
    if (at_text(p, "break") || at_text(p, "continue") || at_text(p, "goto") || at_text(p, "switch"))
        return unsupported(p, ": jumps");
    if (accept(p, "return")) {
        struct code_node *n = make(p, CODE_RETURN);
        if (!at_text(p, ";")) {
            n->first = expression(p);
            if (n->first == NULL)
                return NULL;
        }
        return expect(p, ";") ? n : NULL;
    }
    struct code_node *n = simple(p);
    return n != NULL && expect(p, ";") ? n : NULL;
}

static struct code_node *statement(struct parser *p)
{
    if (++p->depth > DEPTH_MOST)
        return unsupported(p, ": nested too deep");
    struct code_node *n = statement_inside(p);
    p->depth--;
    return n;
}

struct code_node *code_parse(const struct code_scope *scope, const char *path, unsigned line,
                             const char *text, struct arena *arena, struct code_node **owner)
{
    struct parser p = {.scope = scope, .path = path, .at = text, .line = line, .arena = arena};
    next(&p);
    struct code_node *all = make(&p, CODE_BLOCK);
    while (all != NULL && p.length > 0) {
        struct code_node *s = statement(&p);
        if (s != NULL)
            VECTOR_PUSH(&all->list, s);
        else
            all = NULL;
    }
    *owner = p.owned;
    assert(all == NULL || (p.depth == 0 && !p.failed));
    return all;
}
