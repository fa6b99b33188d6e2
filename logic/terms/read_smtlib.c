#include "logic/terms/read_smtlib.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_index.h"
#include "base/memory.h"
#include "base/vector.h"
#include "logic/terms/print.h"
#include "logic/terms/read_inside.h"
#include "logic/terms/rewrite.h"

// Names and what they stand for. Let and quantifiers hide a name for a while.

struct binding {
    const char *name;        // in the reader's arena
    const struct term *term; // NULL: not visible
};

struct hidden {
    size_t binding;
    const struct term *before;
};

struct smtlib_reader {
    struct term_store *store;
    struct arena arena;
    VECTOR(struct binding) bindings;
    struct hash_index index; // of bindings, by name
    VECTOR(struct hidden) hidden;
    VECTOR(const struct sort *) sorts; // enumerations
    unsigned depth;
    smtlib_call call;
    void *call_context;
    bool plain;
    const struct sexpr *fault;
};

// Lists inside lists are walked recursively; a chain of lets is not.
enum { DEPTH_LIMIT = 20000 };

struct smtlib_reader *smtlib_reader_create(struct term_store *store)
{
    struct smtlib_reader *r = memory_zalloc(sizeof *r);
    r->store = store;
    arena_init(&r->arena);
    return r;
}

void smtlib_reader_calls(struct smtlib_reader *r, smtlib_call call, void *context)
{
    r->call = call;
    r->call_context = context;
}

void smtlib_reader_plain(struct smtlib_reader *r)
{
    r->plain = true;
}

const struct sexpr *smtlib_reader_fault(const struct smtlib_reader *r)
{
    return r->fault;
}

// Appends a reason.
__attribute__((format(printf, 4, 5))) static void
blame(struct smtlib_reader *r, const struct sexpr *e, struct text *why, const char *format, ...)
{
    va_list arguments;
    r->fault = e;
    if (!r->plain)
        text_printf(why, "line %u: ", e->line);
    va_start(arguments, format);
    text_vprintf(why, format, arguments);
    va_end(arguments);
}

void smtlib_reader_destroy(struct smtlib_reader *r)
{
    if (r == NULL)
        return;
    arena_finish(&r->arena);
    VECTOR_FINISH(&r->bindings);
    VECTOR_FINISH(&r->hidden);
    VECTOR_FINISH(&r->sorts);
    hash_index_finish(&r->index);
    memory_free(r);
}

static uint64_t name_hash(const char *name)
{
    return hash128_add_text(hash128_seed(0), name).low;
}

// SIZE_MAX: none.
static size_t find_binding(const struct smtlib_reader *r, const char *name, uint64_t hash)
{
    struct hash_probe probe = hash_index_probe(&r->index, hash);
    for (uint32_t i; hash_index_next(&r->index, &probe, &i);)
        if (strcmp(r->bindings.data[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static size_t binding_of(struct smtlib_reader *r, const char *name)
{
    uint64_t hash = name_hash(name);
    size_t known = find_binding(r, name, hash);
    if (known != SIZE_MAX)
        return known;
    hash_index_add(&r->index, hash, (uint32_t)r->bindings.count);
    VECTOR_PUSH(&r->bindings, ((struct binding){arena_strdup(&r->arena, name), NULL}));
    return r->bindings.count - 1;
}

void smtlib_reader_bind(struct smtlib_reader *r, const char *name, const struct term *term)
{
    size_t index = binding_of(r, name);
    VECTOR_PUSH(&r->hidden, ((struct hidden){index, r->bindings.data[index].term}));
    r->bindings.data[index].term = term;
}

void smtlib_reader_unbind(struct smtlib_reader *r, size_t mark)
{
    while (r->hidden.count > mark) {
        struct hidden hidden = VECTOR_POP(&r->hidden);
        r->bindings.data[hidden.binding].term = hidden.before;
    }
}

size_t smtlib_reader_mark(const struct smtlib_reader *r)
{
    return r->hidden.count;
}

const struct term *smtlib_reader_find(const struct smtlib_reader *r, const char *name)
{
    size_t binding = find_binding(r, name, name_hash(name));
    return binding != SIZE_MAX ? r->bindings.data[binding].term : NULL;
}

static void add_unquoted(struct text *out, const char *printed)
{
    size_t length = strlen(printed);
    bool quoted = length >= 2 && printed[0] == '|';
    text_add_bytes(out, printed + quoted, length - 2 * quoted);
}

void smtlib_name(struct text *out, const struct term *variable)
{
    struct text printed;
    text_init(&printed);
    print_term(&printed, variable, PRINT_SMTLIB);
    add_unquoted(out, text_string(&printed));
    text_finish(&printed);
}

static void add_name(struct smtlib_reader *r, const struct term *term)
{
    struct text name;
    text_init(&name);
    smtlib_name(&name, term);
    size_t index = binding_of(r, text_string(&name));
    r->bindings.data[index].term = term;
    text_finish(&name);
}

static void add_sort(struct smtlib_reader *r, const struct sort *sort)
{
    if (sort->kind == SORT_ARRAY) {
        add_sort(r, sort->key);
        add_sort(r, sort->element);
    }
    if (sort->kind != SORT_ENUM)
        return;
    for (size_t i = 0; i < r->sorts.count; i++)
        if (r->sorts.data[i] == sort)
            return;
    VECTOR_PUSH(&r->sorts, sort);
    for (uint32_t i = 0; i < sort->literal_count; i++)
        add_name(r, term_enum(r->store, sort, i));
}

void smtlib_reader_add(struct smtlib_reader *r, const struct term *variable)
{
    add_sort(r, variable->sort);
    add_name(r, variable);
}

static const struct sort *find_enum(const struct smtlib_reader *r, const char *name)
{
    struct text printed, plain;
    const struct sort *found = NULL;
    text_init(&printed);
    text_init(&plain);
    for (size_t i = 0; i < r->sorts.count && found == NULL; i++) {
        text_clear(&printed);
        text_clear(&plain);
        print_sort(&printed, r->sorts.data[i], PRINT_SMTLIB);
        add_unquoted(&plain, text_string(&printed));
        if (strcmp(text_string(&plain), name) == 0)
            found = r->sorts.data[i];
    }
    text_finish(&printed);
    text_finish(&plain);
    return found;
}

bool smtlib_index(const struct sexpr *e, uint32_t *out)
{
    if (e->kind != SEXPR_NUMERAL || strlen(e->text) > 9)
        return false;
    *out = (uint32_t)strtoul(e->text, NULL, 10);
    return true;
}

const struct sort *smtlib_read_sort(struct smtlib_reader *r, const struct sexpr *e,
                                    struct text *why)
{
    const struct sort *sort = NULL;
    uint32_t width;
    if (sexpr_is_call(e, "_", 3) && sexpr_is(e->child[1], "BitVec") &&
        smtlib_index(e->child[2], &width) && width > 0)
        return sort_bv(r->store, width);
    if (sexpr_is_call(e, "Array", 3)) {
        const struct sort *key = smtlib_read_sort(r, e->child[1], why);
        const struct sort *element = key != NULL ? smtlib_read_sort(r, e->child[2], why) : NULL;
        return element != NULL ? sort_array(r->store, key, element) : NULL;
    }
    if (sexpr_is(e, "Bool"))
        sort = sort_bool(r->store);
    else if (sexpr_is(e, "Int"))
        sort = sort_int(r->store);
    else if (sexpr_is(e, "Real"))
        sort = sort_rat(r->store);
    else if (e->kind == SEXPR_SYMBOL)
        sort = find_enum(r, e->text);
    if (sort == NULL)
        blame(r, e, why, "found %s, expected a sort", e->text != NULL ? e->text : "a list");
    return sort;
}

static const struct term *read_decimal(struct term_store *store, const char *text)
{
    size_t whole = strcspn(text, ".");
    struct text numerator, denominator;
    text_init(&numerator);
    text_init(&denominator);
    text_add_bytes(&numerator, text, whole);
    text_add(&numerator, text + whole + 1);
    text_add_char(&denominator, '1');
    for (size_t i = strlen(text + whole + 1); i > 0; i--)
        text_add_char(&denominator, '0');
    const struct term *made =
        term_rat_text(store, text_string(&numerator), text_string(&denominator));
    text_finish(&numerator);
    text_finish(&denominator);
    return made;
}

// Digit by digit from the high end, so any width will do.
static const struct term *read_bits(struct term_store *store, const char *digits,
                                    uint32_t bits_each)
{
    const struct term *all = NULL;
    for (; *digits != '\0'; digits++) {
        char digit[2] = {*digits, '\0'};
        const struct term *one = term_bv(store, bits_each, strtoull(digit, NULL, 16));
        all = all == NULL ? one : term_bv_binary(store, TERM_BV_CONCAT, all, one);
    }
    return all;
}

// What the owner of the reader makes of a name and its arguments.
static const struct term *ask(struct smtlib_reader *r, const struct sexpr *name,
                              const struct term *const *arguments, size_t count, struct text *why)
{
    struct text reason;
    if (r->call == NULL)
        return NULL;
    text_init(&reason);
    const struct term *made = r->call(r->call_context, name, arguments, count, &reason);
    if (made == NULL && reason.length > 0)
        blame(r, name, why, "%s", text_string(&reason));
    text_finish(&reason);
    return made;
}

static const struct term *read_atom(struct smtlib_reader *r, const struct sexpr *e,
                                    struct text *why)
{
    const struct term *term = NULL;
    switch (e->kind) {
    case SEXPR_NUMERAL:
        return term_int_text(r->store, e->text);
    case SEXPR_DECIMAL:
        return read_decimal(r->store, e->text);
    case SEXPR_HEX:
        return read_bits(r->store, e->text, 4);
    case SEXPR_BINARY:
        return read_bits(r->store, e->text, 1);
    case SEXPR_SYMBOL:
        if (sexpr_is(e, "true") || sexpr_is(e, "false"))
            return term_bool(r->store, e->text[0] == 't');
        term = smtlib_reader_find(r, e->text);
        if (term == NULL)
            term = ask(r, e, NULL, 0, why);
        break;
    default:
        break;
    }
    if (term == NULL && why->length == 0)
        blame(r, e, why, "found %s, expected a name that is known here",
              e->text != NULL ? e->text : "()");
    return term;
}

// The names of a let become visible together.
bool smtlib_reader_bind_let(struct smtlib_reader *r, const struct sexpr *let, struct text *why)
{
    struct term_vector terms = {0};
    const struct sexpr *list = let->child[1];
    bool good = list->kind == SEXPR_LIST;
    for (size_t i = 0; good && i < list->count; i++) {
        const struct sexpr *pair = list->child[i];
        good = pair->kind == SEXPR_LIST && pair->count == 2 && pair->child[0]->kind == SEXPR_SYMBOL;
        const struct term *term = good ? smtlib_read_term(r, pair->child[1], why) : NULL;
        good = term != NULL;
        VECTOR_PUSH(&terms, term);
    }
    for (size_t i = 0; good && i < list->count; i++)
        smtlib_reader_bind(r, list->child[i]->child[0]->text, terms.data[i]);
    VECTOR_FINISH(&terms);
    if (!good && why->length == 0)
        blame(r, let, why, "expected (let ((name term) …) term)");
    return good;
}

static const struct term *read_quantifier(struct smtlib_reader *r, const struct sexpr *e,
                                          struct text *why)
{
    struct term_vector variables = {0};
    size_t mark = smtlib_reader_mark(r);
    const struct sexpr *list = e->child[1];
    bool good = list->kind == SEXPR_LIST && list->count > 0;
    for (size_t i = 0; good && i < list->count; i++) {
        const struct sexpr *pair = list->child[i];
        good = pair->kind == SEXPR_LIST && pair->count == 2 && pair->child[0]->kind == SEXPR_SYMBOL;
        const struct sort *sort = good ? smtlib_read_sort(r, pair->child[1], why) : NULL;
        good = sort != NULL;
        if (!good)
            break;
        const struct term *variable = term_var(r->store, pair->child[0]->text, sort);
        VECTOR_PUSH(&variables, variable);
        smtlib_reader_bind(r, pair->child[0]->text, variable);
    }
    const struct term *body = good ? smtlib_read_term(r, e->child[2], why) : NULL;
    const struct term *made = NULL;
    if (body != NULL && body->sort->kind == SORT_BOOL)
        made =
            term_quantifier(r->store, sexpr_is(e->child[0], "forall") ? TERM_FORALL : TERM_EXISTS,
                            variables.data, variables.count, body);
    smtlib_reader_unbind(r, mark);
    VECTOR_FINISH(&variables);
    if (made == NULL && why->length == 0)
        blame(r, e, why, "expected (%s ((name sort) …) formula)", e->child[0]->text);
    return made;
}

static const struct term *read_call(struct smtlib_reader *r, const struct sexpr *e,
                                    struct text *why)
{
    struct term_vector arguments = {0};
    const struct term *made = NULL;
    bool good = true;
    for (size_t i = 1; good && i < e->count; i++) {
        const struct term *argument = smtlib_read_term(r, e->child[i], why);
        good = argument != NULL;
        if (good)
            VECTOR_PUSH(&arguments, argument);
    }
    if (good && sexpr_is_call(e->child[0], "as", 3) && sexpr_is(e->child[0]->child[1], "const")) {
        const struct sort *sort = smtlib_read_sort(r, e->child[0]->child[2], why);
        if (sort != NULL && arguments.count == 1)
            made = read_constant_array(r->store, sort, arguments.data[0]);
    } else if (good) {
        if (e->child[0]->kind == SEXPR_SYMBOL)
            made = ask(r, e->child[0], arguments.data, arguments.count, why);
        if (made == NULL && why->length == 0)
            made = read_operator(r->store, e->child[0], arguments.data, arguments.count);
    }
    VECTOR_FINISH(&arguments);
    if (made == NULL && why->length == 0)
        blame(r, e, why, "found %s, expected an operator for these operands",
              e->child[0]->text != NULL ? e->child[0]->text : "this list");
    return made;
}

static const struct term *read_list(struct smtlib_reader *r, const struct sexpr *e,
                                    struct text *why)
{
    uint32_t width;
    if (e->count == 0)
        return read_atom(r, e, why);
    if (sexpr_is_call(e, "_", 3) && e->child[1]->kind == SEXPR_SYMBOL &&
        strncmp(e->child[1]->text, "bv", 2) == 0 && smtlib_index(e->child[2], &width) &&
        width > 0 && e->child[1]->text[2] != '\0' &&
        e->child[1]->text[2 + strspn(e->child[1]->text + 2, "0123456789")] == '\0')
        return term_bv_text(r->store, width, e->child[1]->text + 2);
    if (sexpr_is_call(e, "as", 3))
        return smtlib_read_term(r, e->child[1], why);
    if (sexpr_is_call(e, "!", 0) && e->count >= 2)
        return smtlib_read_term(r, e->child[1], why);
    if (sexpr_is_call(e, "forall", 3) || sexpr_is_call(e, "exists", 3))
        return read_quantifier(r, e, why);
    return read_call(r, e, why);
}

const struct term *smtlib_read_term(struct smtlib_reader *r, const struct sexpr *e,
                                    struct text *why)
{
    size_t mark = smtlib_reader_mark(r);
    if (++r->depth > DEPTH_LIMIT) {
        blame(r, e, why, "nested too deeply");
        r->depth--;
        return NULL;
    }
    const struct term *term = NULL;
    bool good = true;
    while (good && sexpr_is_call(e, "let", 3)) {
        good = smtlib_reader_bind_let(r, e, why);
        e = e->child[2];
    }
    if (good)
        term = e->kind == SEXPR_LIST ? read_list(r, e, why) : read_atom(r, e, why);
    smtlib_reader_unbind(r, mark);
    r->depth--;
    return term;
}

const struct term *smtlib_read_as(struct smtlib_reader *r, const struct sexpr *e,
                                  const struct sort *sort, struct text *why)
{
    const struct term *term = smtlib_read_term(r, e, why);
    if (term != NULL && sort->kind == SORT_RAT && term->sort->kind == SORT_INT)
        term = term_to_rat(r->store, term);
    if (term == NULL || term->sort == sort)
        return term;
    blame(r, e, why, "expected a term of sort ");
    print_sort(why, sort, PRINT_SMTLIB);
    return NULL;
}
