#include "languages/solidity/type.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/vector.h"

struct named {
    const char *words;
    const struct sol_type *type;
};

struct sol_types {
    const struct sol_tree *tree;
    struct arena arena;
    VECTOR(struct named) known;
};

struct sol_types *sol_types_create(const struct sol_tree *tree)
{
    struct sol_types *types = memory_zalloc(sizeof *types);
    types->tree = tree;
    arena_init(&types->arena);
    return types;
}

void sol_types_destroy(struct sol_types *types)
{
    if (types == NULL)
        return;
    VECTOR_FINISH(&types->known);
    arena_finish(&types->arena);
    memory_free(types);
}

static struct sol_type *new_type(struct sol_types *types, enum sol_type_kind kind)
{
    struct sol_type *type = arena_zalloc(&types->arena, sizeof *type);
    type->kind = kind;
    type->text = "";
    return type;
}

static bool take(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static const struct sol_node *find_inside(const struct sol_node *owner, enum sol_kind kind,
                                          const char *name, size_t length)
{
    for (size_t i = 0; owner != NULL && i < owner->count; i++) {
        const struct sol_node *n = owner->list[i];
        if (n != NULL && n->kind == kind && strlen(n->name) == length &&
            strncmp(n->name, name, length) == 0)
            return n;
    }
    return NULL;
}

// "C", "C.S" or, at the top of a file, "S".
static const struct sol_node *find_named(const struct sol_tree *tree, enum sol_kind kind,
                                         const char *name, size_t length)
{
    const char *dot = memchr(name, '.', length);
    for (size_t f = 0; f < tree->file_count; f++) {
        const struct sol_node *unit = tree->files[f].unit, *found;
        if (dot == NULL && (found = find_inside(unit, kind, name, length)) != NULL)
            return found;
        const struct sol_node *owner =
            dot != NULL ? find_inside(unit, SOL_CONTRACT, name, (size_t)(dot - name)) : NULL;
        if (owner != NULL &&
            (found = find_inside(owner, kind, dot + 1, length - (size_t)(dot + 1 - name))) != NULL)
            return found;
    }
    return NULL;
}

static struct sol_type *parse(struct sol_types *types, const char **at, int depth);

static struct sol_type *parse_definition(struct sol_types *types, const char **at,
                                         enum sol_type_kind kind, enum sol_kind definition)
{
    struct sol_type *type = new_type(types, kind);
    size_t length = 0;
    while (isalnum((unsigned char)(*at)[length]) || strchr("_$.", (*at)[length]) != NULL) {
        if ((*at)[length] == '\0')
            break;
        length++;
    }
    type->node = find_named(types->tree, definition, *at, length);
    if (type->node == NULL)
        type->kind = SOL_T_UNKNOWN;
    *at += length;
    return type;
}

static struct sol_type *parse_bits(struct sol_types *types, const char **at,
                                   enum sol_type_kind kind, unsigned unit, unsigned standard)
{
    struct sol_type *type = new_type(types, kind);
    char *end;
    unsigned long number = strtoul(*at, &end, 10);
    type->bits = end == *at ? standard : (unsigned)number * unit;
    *at = end;
    if (number * unit > 256 || type->bits == 0)
        type->kind = SOL_T_UNKNOWN;
    return type;
}

static struct sol_type *parse_tuple(struct sol_types *types, const char **at, int depth)
{
    struct sol_type *type = new_type(types, SOL_T_TUPLE);
    const size_t room = strlen(*at) + 1; // each takes a character or more
    type->members = arena_zalloc(&types->arena, room * sizeof *type->members);
    while (**at != '\0' && **at != ')') {
        ENSURE(type->member_count < room);
        if (**at == ',') {
            ++*at;
            type->members[type->member_count++] = new_type(types, SOL_T_UNKNOWN);
            continue;
        }
        type->members[type->member_count++] = parse(types, at, depth + 1);
        take(at, ",");
    }
    take(at, ")");
    return type;
}

// function (uint256,bool) pure returns (uint256); external ones are values of another kind.
static struct sol_type *parse_function(struct sol_types *types, const char **at, int depth)
{
    static const char *const words[] = {" pure",       " view",     " payable",
                                        " nonpayable", " constant", " internal"};
    struct sol_type *type = parse_tuple(types, at, depth), *results = new_type(types, SOL_T_TUPLE);
    type->kind = SOL_T_FUNCTION;
    type->bits = 256;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            more = take(at, words[i]) || more;
        if (take(at, " external")) {
            type->kind = SOL_T_UNKNOWN;
            more = true;
        }
    }
    if (take(at, " returns ("))
        results = parse_tuple(types, at, depth);
    type->value = results;
    return type;
}

// A user-defined value type is what it is made of; other words nobody knows.
static struct sol_type *parse_value_type(struct sol_types *types, const char **at, int depth)
{
    size_t length = 0;
    while (isalnum((unsigned char)(*at)[length]) ||
           ((*at)[length] != '\0' && strchr("_$.", (*at)[length]) != NULL))
        length++;
    const struct sol_node *found =
        length > 0 ? find_named(types->tree, SOL_VALUE_TYPE, *at, length) : NULL;
    if (found == NULL || found->part[0] == NULL) {
        *at += strlen(*at);
        return new_type(types, SOL_T_UNKNOWN);
    }
    *at += length;
    const char *words = found->part[0]->type;
    return parse(types, &words, depth + 1);
}

static struct sol_type *parse_base(struct sol_types *types, const char **at, int depth)
{
    if (depth > 50) { // with all the words that are left: who asked goes on behind them
        *at += strlen(*at);
        return new_type(types, SOL_T_UNKNOWN);
    }
    struct sol_type *type;
    if (take(at, "mapping(")) {
        type = new_type(types, SOL_T_MAPPING);
        type->place = SOL_STORAGE;
        type->key = parse(types, at, depth + 1);
        while (**at != '\0' && strncmp(*at, "=> ", 3) != 0)
            ++*at; // the names of keys that 0.8.18 allows
        take(at, "=> ");
        type->value = parse(types, at, depth + 1);
        while (**at != '\0' && **at != ')')
            ++*at;
        take(at, ")");
        return type;
    }
    if (take(at, "tuple("))
        return parse_tuple(types, at, depth);
    if (take(at, "function ("))
        return parse_function(types, at, depth);
    if (take(at, "struct "))
        return parse_definition(types, at, SOL_T_STRUCT, SOL_STRUCT);
    if (take(at, "enum "))
        return parse_definition(types, at, SOL_T_ENUM, SOL_ENUM);
    if (take(at, "contract "))
        return parse_definition(types, at, SOL_T_CONTRACT, SOL_CONTRACT);
    if (take(at, "int_const ") || take(at, "rational_const ")) {
        *at += strlen(*at);
        return new_type(types, SOL_T_CONSTANT);
    }
    if (take(at, "unbounded")) { // of annotations: sums
        type = new_type(types, SOL_T_CONSTANT);
        type->bits = 1;
        return type;
    }
    if (take(at, "literal_string")) {
        *at += strlen(*at);
        type = new_type(types, SOL_T_STRING);
        type->literal = true;
        return type;
    }
    if (take(at, "bool"))
        return new_type(types, SOL_T_BOOL);
    if (take(at, "address payable") || take(at, "address")) {
        type = new_type(types, SOL_T_ADDRESS);
        type->bits = 160;
        return type;
    }
    if (take(at, "uint"))
        return parse_bits(types, at, SOL_T_UINT, 1, 256);
    if (take(at, "int"))
        return parse_bits(types, at, SOL_T_INT, 1, 256);
    if (take(at, "string"))
        return new_type(types, SOL_T_STRING);
    if (take(at, "bytes")) {
        if (isdigit((unsigned char)**at))
            return parse_bits(types, at, SOL_T_BYTES_N, 8, 256);
        type = new_type(types, SOL_T_STRING);
        type->is_bytes = true;
        return type;
    }
    return parse_value_type(types, at, depth);
}

static enum sol_place take_place(const char **at)
{
    if (take(at, " storage ref") || take(at, " storage pointer"))
        return SOL_STORAGE;
    if (take(at, " memory") || take(at, " calldata slice") || take(at, " calldata"))
        return SOL_MEMORY;
    return SOL_NOWHERE;
}

// What everybody relies on, whatever the words were.
static void check(const struct sol_type *type)
{
    const bool defined =
        type->kind == SOL_T_STRUCT || type->kind == SOL_T_ENUM || type->kind == SOL_T_CONTRACT;
    ENSURE(!defined || type->node != NULL);
    ENSURE(!(sol_type_is_number(type) || type->kind == SOL_T_BYTES_N) ||
           (type->bits >= 1 && type->bits <= 256));
    ENSURE(type->kind != SOL_T_MAPPING || (type->key != NULL && type->value != NULL));
    ENSURE(type->kind != SOL_T_ARRAY || type->value != NULL);
    ENSURE(type->kind != SOL_T_FUNCTION ||
           (type->value != NULL && type->value->kind == SOL_T_TUPLE));
    assert(type->member_count == 0 || type->members != NULL);
}

static struct sol_type *parse(struct sol_types *types, const char **at, int depth)
{
    const char *begin = *at;
    struct sol_type *type = parse_base(types, at, depth);
    for (;;) {
        enum sol_place place = take_place(at);
        if (place != SOL_NOWHERE) {
            type->place = place;
        } else if (**at == '[') {
            struct sol_type *array = new_type(types, SOL_T_ARRAY);
            char *end;
            array->value = type;
            array->length = strtoull(*at + 1, &end, 10);
            array->fixed = end != *at + 1;
            *at = *end == ']' ? end + 1 : end;
            type = array;
        } else {
            break;
        }
    }
    check(type);
    type->text = arena_strndup(&types->arena, begin, (size_t)(*at - begin));
    return type;
}

const struct sol_type *sol_type_of(struct sol_types *types, const char *words)
{
    for (size_t i = 0; i < types->known.count; i++)
        if (strcmp(types->known.data[i].words, words) == 0)
            return types->known.data[i].type;
    const char *at = words;
    struct named named = {arena_strdup(&types->arena, words), parse(types, &at, 0)};
    VECTOR_PUSH(&types->known, named);
    return named.type;
}

const struct sol_type *sol_type_place(struct sol_types *types, const struct sol_type *type,
                                      enum sol_place place)
{
    assert(type != NULL);
    if (type->place == place || sol_type_is_value(type))
        return type;
    struct sol_type *copy = new_type(types, type->kind);
    *copy = *type;
    copy->place = place;
    return copy;
}

bool sol_type_same(const struct sol_type *a, const struct sol_type *b)
{
    assert(a != NULL && b != NULL);
    if (a == b)
        return true;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case SOL_T_UINT:
    case SOL_T_INT:
    case SOL_T_BYTES_N:
        return a->bits == b->bits;
    case SOL_T_BOOL:
    case SOL_T_ADDRESS:
        return true;
    case SOL_T_STRING:
        return true;
    case SOL_T_FUNCTION:
    case SOL_T_TUPLE:
        for (size_t i = 0; i < a->member_count && i < b->member_count; i++)
            if (!sol_type_same(a->members[i], b->members[i]))
                return false;
        return a->member_count == b->member_count &&
               (a->kind == SOL_T_TUPLE || sol_type_same(a->value, b->value));
    case SOL_T_CONTRACT:
    case SOL_T_ENUM:
    case SOL_T_STRUCT:
        return a->node == b->node;
    case SOL_T_MAPPING:
        return sol_type_same(a->key, b->key) && sol_type_same(a->value, b->value);
    case SOL_T_ARRAY:
        return a->fixed == b->fixed && (!a->fixed || a->length == b->length) &&
               sol_type_same(a->value, b->value);
    default:
        return false;
    }
}

// Who answers a call.

static bool is_open_function(const struct sol_node *f)
{
    return f->kind == SOL_FUNCTION && f->part[2] != NULL && sol_node_is_open(f) &&
           !(f->flags & SOL_IS_CONSTRUCTOR);
}

// How many arguments a getter of that type takes.
static size_t getter_depth(const struct sol_type *type)
{
    size_t depth = 0;
    for (; type != NULL && (type->kind == SOL_T_MAPPING || type->kind == SOL_T_ARRAY); depth++)
        type = type->value;
    return depth;
}

const struct sol_node *sol_answering(const struct sol_tree *tree, struct sol_types *types,
                                     const struct sol_node *contract, const struct sol_node *target)
{
    bool variable = target->kind == SOL_VARIABLE;
    size_t count = variable ? getter_depth(sol_node_type(types, target)) : target->part[0]->count;
    for (size_t b = 0; b < contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(tree, contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++) {
            const struct sol_node *f = base->list[i];
            if (f == target && (variable || f->part[2] != NULL))
                return f;
            if (f == NULL || strcmp(f->name, target->name) != 0 || !sol_node_is_open(f) ||
                target->name[0] == '\0')
                continue;
            if (f->kind == SOL_VARIABLE && (f->flags & SOL_IS_STATE) &&
                getter_depth(sol_node_type(types, f)) == count)
                return f;
            bool same = is_open_function(f) && !variable && f->part[0]->count == count;
            for (size_t p = 0; same && p < count; p++)
                same = sol_type_same(sol_node_type(types, f->part[0]->list[p]),
                                     sol_node_type(types, target->part[0]->list[p]));
            if (same)
                return f;
        }
    }
    return NULL;
}

bool sol_may_answer(const struct sol_tree *tree, const struct sol_node *contract,
                    const struct sol_node *target)
{
    for (size_t b = 0; b < contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(tree, contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++) {
            const struct sol_node *f = base->list[i];
            if (f == NULL || !is_open_function(f) || strcmp(f->name, target->name) != 0)
                continue;
            if (target->kind == SOL_VARIABLE || f->part[0]->count == target->part[0]->count)
                return true;
        }
    }
    return false;
}

const struct sol_node *sol_fallback_of(const struct sol_tree *tree, const struct sol_node *contract)
{
    for (size_t b = 0; b < contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(tree, contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++)
            if (base->list[i] != NULL && base->list[i]->kind == SOL_FUNCTION &&
                (base->list[i]->flags & (SOL_IS_FALLBACK | SOL_IS_RECEIVE)) == SOL_IS_FALLBACK)
                return base->list[i];
    }
    return NULL;
}
