#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "logic/smt/z3/z3_backend.h"

// Terms to Z3, bottom-up with a stack of our own: path formulas are deep chains. A term is
// translated once per context.

#define EXPANDED_KEYS 128 // most keys of an array whose equations are spelled out

static Z3_ast *slot(struct z3_context *context, uint32_t id)
{
    while (context->terms.count <= id)
        VECTOR_PUSH(&context->terms, NULL);
    return &context->terms.data[id];
}

// ---- sorts

static Z3_sort make_enum(struct z3_context *context, const struct sort *sort)
{
    Z3_context z3 = context->z3;
    uint32_t n = sort->literal_count;
    Z3_symbol *names = memory_alloc(n * sizeof *names);
    Z3_func_decl *testers = memory_alloc(n * sizeof *testers);
    struct z3_enum made = {sort, memory_alloc(n * sizeof *made.literals)};
    struct text name;
    text_init(&name);
    for (uint32_t i = 0; i < n;
         i++) { // unique in the context: two types may share a literal's name
        text_clear(&name);
        text_printf(&name, "%s.%s#%u", sort->name, sort->literals[i], sort->id);
        names[i] = z3_library.mk_string_symbol(z3, text_string(&name));
    }
    text_clear(&name);
    text_printf(&name, "%s#%u", sort->name, sort->id);
    Z3_sort result = z3_library.mk_enumeration_sort(
        z3, z3_library.mk_string_symbol(z3, text_string(&name)), n, names, made.literals, testers);
    bool good = z3_ok(context) && result != NULL;
    text_finish(&name);
    memory_free(names);
    memory_free(testers);
    if (!good) {
        memory_free(made.literals);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        z3_library.inc_ref(z3, z3_library.func_decl_to_ast(z3, made.literals[i]));
    z3_library.inc_ref(z3, z3_library.sort_to_ast(z3, result)); // the one the cache holds
    VECTOR_PUSH(&context->enums, made);
    for (uint32_t i = 0; i < n; i++)
        id_map_put(&context->declarations, z3_library.get_func_decl_id(z3, made.literals[i]),
                   term_enum(context->base.store, sort, i));
    id_map_put(&context->sorts_back, z3_library.get_sort_id(z3, result), sort);
    return result;
}

static Z3_sort make_sort(struct z3_context *context, const struct sort *sort)
{
    Z3_context z3 = context->z3;
    switch (sort->kind) {
    case SORT_BOOL:
        return z3_library.mk_bool_sort(z3);
    case SORT_INT:
        return z3_library.mk_int_sort(z3);
    case SORT_RAT:
        return z3_library.mk_real_sort(z3);
    case SORT_BV:
        return z3_library.mk_bv_sort(z3, sort->width);
    case SORT_ENUM:
        return make_enum(context, sort);
    case SORT_ARRAY:
        break;
    }
    Z3_sort key = z3_translate_sort(context, sort->key);
    Z3_sort element = z3_translate_sort(context, sort->element);
    return key != NULL && element != NULL ? z3_library.mk_array_sort(z3, key, element) : NULL;
}

Z3_sort z3_translate_sort(struct z3_context *context, const struct sort *sort)
{
    while (context->sorts.count <= sort->id)
        VECTOR_PUSH(&context->sorts, NULL);
    if (context->sorts.data[sort->id] != NULL)
        return context->sorts.data[sort->id];
    Z3_sort made = make_sort(context, sort);
    if (made == NULL || !z3_ok(context))
        return NULL;
    if (sort->kind != SORT_ENUM)
        z3_library.inc_ref(context->z3, z3_library.sort_to_ast(context->z3, made));
    context->sorts.data[sort->id] = made;
    return made;
}

// ---- leaves

static Z3_ast make_number(struct z3_context *context, const struct term *term)
{
    Z3_sort sort = z3_translate_sort(context, term->sort);
    if (sort == NULL)
        return NULL;
    if (term->kind == TERM_RAT || !value_is_small(term->u.value))
        return z3_library.mk_numeral(context->z3, term->u.text, sort);
    int64_t number = value_small_get(term->u.value);
    return term->kind == TERM_INT
               ? z3_library.mk_int64(context->z3, number, sort)
               : z3_library.mk_unsigned_int64(context->z3, (uint64_t)number, sort);
}

static Z3_ast enum_literal(struct z3_context *context, const struct sort *sort, uint64_t index)
{
    assert(sort->kind == SORT_ENUM && index < sort->literal_count);
    if (z3_translate_sort(context, sort) == NULL)
        return NULL;
    for (size_t i = 0; i < context->enums.count; i++)
        if (context->enums.data[i].sort == sort)
            return z3_library.mk_app(context->z3, context->enums.data[i].literals[index], 0, NULL);
    return NULL;
}

// The k-th copy of x is "x@k". A name with an @ of its own gets the index always, so that no two
// variables meet in one name.
static Z3_ast make_variable(struct z3_context *context, const struct term *term)
{
    Z3_context z3 = context->z3;
    Z3_sort sort = z3_translate_sort(context, term->sort);
    if (sort == NULL)
        return NULL;
    const char *name = term->u.var.name;
    Z3_symbol symbol;
    if (term->u.var.index == 0 && strchr(name, '@') == NULL) {
        symbol = z3_library.mk_string_symbol(z3, name);
    } else {
        struct text full;
        text_init(&full);
        text_printf(&full, "%s@%u", name, term->u.var.index);
        symbol = z3_library.mk_string_symbol(z3, text_string(&full));
        text_finish(&full);
    }
    Z3_ast variable = z3_keep(context, z3_library.mk_const(z3, symbol, sort));
    if (variable == NULL)
        return NULL;
    Z3_func_decl declaration = z3_library.get_app_decl(z3, z3_library.to_app(z3, variable));
    id_map_put(&context->declarations, z3_library.get_func_decl_id(z3, declaration), term);
    return variable;
}

// ---- operators; `a` are the translated children

static Z3_ast key_at(struct z3_context *context, const struct sort *sort, uint64_t index)
{
    Z3_context z3 = context->z3;
    switch (sort->kind) {
    case SORT_BOOL:
        return index != 0 ? z3_library.mk_true(z3) : z3_library.mk_false(z3);
    case SORT_ENUM:
        return enum_literal(context, sort, index);
    default:
        return z3_library.mk_unsigned_int64(z3, index, z3_translate_sort(context, sort));
    }
}

static Z3_ast equal(struct z3_context *context, const struct sort *sort, Z3_ast a, Z3_ast b);

static Z3_ast equal_at_all_keys(struct z3_context *context, const struct sort *sort, Z3_ast a,
                                Z3_ast b, uint64_t keys)
{
    Z3_context z3 = context->z3;
    Z3_ast parts[EXPANDED_KEYS];
    if (z3_translate_sort(context, sort->key) == NULL)
        return NULL;
    for (uint64_t i = 0; i < keys; i++) {
        Z3_ast key = z3_keep(context, key_at(context, sort->key, i));
        Z3_ast left = key == NULL ? NULL : z3_keep(context, z3_library.mk_select(z3, a, key));
        Z3_ast right = left == NULL ? NULL : z3_keep(context, z3_library.mk_select(z3, b, key));
        parts[i] =
            right == NULL ? NULL : z3_keep(context, equal(context, sort->element, left, right));
        if (parts[i] == NULL)
            return NULL;
    }
    return z3_library.mk_and(z3, (unsigned)keys, parts);
}

// Over few keys Z3's reasoning about constant arrays is incomplete: with seven-bit keys it calls
// `store(const(true), 62, false) = const(false)` satisfiable. So such equations are spelled out.
static Z3_ast equal(struct z3_context *context, const struct sort *sort, Z3_ast a, Z3_ast b)
{
    uint64_t keys = sort->kind == SORT_ARRAY && sort->key->kind != SORT_ARRAY
                        ? sort_value_count(sort->key, EXPANDED_KEYS)
                        : 0;
    return keys == 0 ? z3_library.mk_eq(context->z3, a, b)
                     : equal_at_all_keys(context, sort, a, b, keys);
}

// TERM_ARRAY and TERM_CONST_ARRAY.
static Z3_ast make_array(struct z3_context *context, const struct term *term, const Z3_ast *a)
{
    assert(term->child_count % 2 == 1);
    Z3_sort key = z3_translate_sort(context, term->sort->key);
    if (key == NULL)
        return NULL;
    Z3_ast array = z3_keep(context, z3_library.mk_const_array(context->z3, key, a[0]));
    for (uint32_t i = 1; i + 1 < term->child_count && array != NULL; i += 2)
        array = z3_keep(context, z3_library.mk_store(context->z3, array, a[i], a[i + 1]));
    return array;
}

static Z3_ast make_quantifier(struct z3_context *context, const struct term *term, const Z3_ast *a)
{
    assert(term->child_count > 1 && term->sort->kind == SORT_BOOL);
    uint32_t n = term->child_count - 1;
    Z3_app *bound = memory_alloc(n * sizeof *bound);
    for (uint32_t i = 0; i < n; i++)
        bound[i] = z3_library.to_app(context->z3, a[i]);
    Z3_ast result = z3_library.mk_quantifier_const(context->z3, term->kind == TERM_FORALL, 0, n,
                                                   bound, 0, NULL, a[n]);
    memory_free(bound);
    return result;
}

static Z3_func_decl rem_by_zero(struct z3_context *context)
{
    if (context->rem_by_zero != NULL)
        return context->rem_by_zero;
    Z3_context z3 = context->z3;
    Z3_sort integer = z3_library.mk_int_sort(z3);
    Z3_func_decl made = z3_library.mk_func_decl(z3, z3_library.mk_string_symbol(z3, "rem by zero"),
                                                1, &integer, integer);
    if (!z3_ok(context) || made == NULL)
        return NULL;
    z3_library.inc_ref(z3, z3_library.func_decl_to_ast(z3, made));
    context->rem_by_zero = made;
    return made;
}

// mod with the sign of the divisor (docs/definitions/formats.md 1.3), spelled out: Z3's own rem makes `x rem 0`
// equal to `x mod 0`, which is to be a function of its own.
static Z3_ast make_rem(struct z3_context *context, const struct term *term, const Z3_ast *a)
{
    Z3_context z3 = context->z3;
    const struct term *divisor = term->child[1];
    Z3_ast zero =
        z3_keep(context, z3_library.mk_int(z3, 0, z3_translate_sort(context, term->sort)));
    Z3_ast mod = z3_keep(context, z3_library.mk_mod(z3, a[0], a[1]));
    Z3_ast negated = mod == NULL ? NULL : z3_keep(context, z3_library.mk_unary_minus(z3, mod));
    if (zero == NULL || negated == NULL)
        return NULL;
    if ((term->flags & TERM_HAS_DIVISION) == 0 && value_is_small(divisor->u.value))
        return value_small_get(divisor->u.value) > 0 ? mod : negated;
    Z3_func_decl function = rem_by_zero(context);
    if (function == NULL)
        return NULL;
    Z3_ast unknown = z3_keep(context, z3_library.mk_app(z3, function, 1, a));
    Z3_ast positive = z3_keep(context, z3_library.mk_gt(z3, a[1], zero));
    Z3_ast is_zero = z3_keep(context, z3_library.mk_eq(z3, a[1], zero));
    if (unknown == NULL || positive == NULL || is_zero == NULL)
        return NULL;
    Z3_ast otherwise = z3_keep(context, z3_library.mk_ite(z3, is_zero, unknown, negated));
    return otherwise == NULL ? NULL : z3_library.mk_ite(z3, positive, mod, otherwise);
}

static Z3_ast make_extend(struct z3_context *context, const struct term *term, Z3_ast a)
{
    assert(term->sort->width >= term->child[0]->sort->width);
    unsigned more = term->sort->width - term->child[0]->sort->width;
    return term->kind == TERM_BV_ZEXT ? z3_library.mk_zero_ext(context->z3, more, a)
                                      : z3_library.mk_sign_ext(context->z3, more, a);
}

typedef Z3_ast (*unary_maker)(Z3_context, Z3_ast);
typedef Z3_ast (*binary_maker)(Z3_context, Z3_ast, Z3_ast);
typedef Z3_ast (*list_maker)(Z3_context, unsigned, const Z3_ast[]);

static const unary_maker *const unary[TERM_KIND_COUNT] = {
    [TERM_NOT] = &z3_library.mk_not,
    [TERM_TO_RAT] = &z3_library.mk_int2real,
    [TERM_BV_NOT] = &z3_library.mk_bvnot,
    [TERM_BV_NEG] = &z3_library.mk_bvneg,
};

static const binary_maker *const binary[TERM_KIND_COUNT] = {
    [TERM_LE] = &z3_library.mk_le,
    [TERM_LT] = &z3_library.mk_lt,
    [TERM_DIV] = &z3_library.mk_div,
    [TERM_MOD] = &z3_library.mk_mod,
    [TERM_BV_AND] = &z3_library.mk_bvand,
    [TERM_BV_OR] = &z3_library.mk_bvor,
    [TERM_BV_XOR] = &z3_library.mk_bvxor,
    [TERM_BV_ADD] = &z3_library.mk_bvadd,
    [TERM_BV_MUL] = &z3_library.mk_bvmul,
    [TERM_BV_UDIV] = &z3_library.mk_bvudiv,
    [TERM_BV_SDIV] = &z3_library.mk_bvsdiv,
    [TERM_BV_UREM] = &z3_library.mk_bvurem,
    [TERM_BV_SREM] = &z3_library.mk_bvsrem,
    [TERM_BV_SMOD] = &z3_library.mk_bvsmod,
    [TERM_BV_SHL] = &z3_library.mk_bvshl,
    [TERM_BV_LSHR] = &z3_library.mk_bvlshr,
    [TERM_BV_ASHR] = &z3_library.mk_bvashr,
    [TERM_BV_ROL] = &z3_library.mk_ext_rotate_left,
    [TERM_BV_ROR] = &z3_library.mk_ext_rotate_right,
    [TERM_BV_ULT] = &z3_library.mk_bvult,
    [TERM_BV_ULE] = &z3_library.mk_bvule,
    [TERM_BV_SLT] = &z3_library.mk_bvslt,
    [TERM_BV_SLE] = &z3_library.mk_bvsle,
    [TERM_BV_CONCAT] = &z3_library.mk_concat,
    [TERM_SELECT] = &z3_library.mk_select,
};

static const list_maker *const lists[TERM_KIND_COUNT] = {
    [TERM_AND] = &z3_library.mk_and,
    [TERM_OR] = &z3_library.mk_or,
    [TERM_ADD] = &z3_library.mk_add,
    [TERM_MUL] = &z3_library.mk_mul,
};

static Z3_ast make_other(struct z3_context *context, const struct term *term, const Z3_ast *a)
{
    Z3_context z3 = context->z3;
    switch ((enum term_kind)term->kind) {
    case TERM_BOOL:
        return term_is_true(term) ? z3_library.mk_true(z3) : z3_library.mk_false(z3);
    case TERM_INT:
    case TERM_RAT:
    case TERM_BV:
        return make_number(context, term);
    case TERM_ENUM:
        return enum_literal(context, term->sort, (uint64_t)value_small_get(term->u.value));
    case TERM_VAR:
        return make_variable(context, term);
    case TERM_ARRAY:
    case TERM_CONST_ARRAY:
        return make_array(context, term, a);
    case TERM_EQ:
        return equal(context, term->child[0]->sort, a[0], a[1]);
    case TERM_ITE:
        return z3_library.mk_ite(z3, a[0], a[1], a[2]);
    case TERM_STORE:
        return z3_library.mk_store(z3, a[0], a[1], a[2]);
    case TERM_FORALL:
    case TERM_EXISTS:
        return make_quantifier(context, term, a);
    case TERM_REM:
        return make_rem(context, term, a);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return make_extend(context, term, a[0]);
    case TERM_BV_EXTRACT:
        return z3_library.mk_extract(z3, term->u.extract.high, term->u.extract.low, a[0]);
    default:
        assert(!"kind without a translation");
        return NULL;
    }
}

static Z3_ast make(struct z3_context *context, const struct term *term)
{
    VECTOR_CLEAR(&context->arguments);
    for (uint32_t i = 0; i < term->child_count; i++) {
        VECTOR_PUSH(&context->arguments, context->terms.data[term->child[i]->id]);
        assert(VECTOR_LAST(&context->arguments) != NULL && "children first");
    }
    const Z3_ast *a = context->arguments.data;
    if (unary[term->kind] != NULL)
        return (*unary[term->kind])(context->z3, a[0]);
    if (binary[term->kind] != NULL)
        return (*binary[term->kind])(context->z3, a[0], a[1]);
    if (lists[term->kind] != NULL)
        return (*lists[term->kind])(context->z3, term->child_count, a);
    return make_other(context, term, a);
}

static bool push_children(struct z3_context *context, const struct term *term)
{
    size_t before = context->todo.count;
    for (uint32_t i = 0; i < term->child_count; i++)
        if (*slot(context, term->child[i]->id) == NULL)
            VECTOR_PUSH(&context->todo, term->child[i]);
    return context->todo.count > before;
}

static bool translate_one(struct z3_context *context, const struct term *term)
{
    assert(*slot(context, term->id) == NULL);
    size_t mark = z3_mark(context);
    Z3_ast made = z3_keep(context, make(context, term));
    if (made != NULL) {
        z3_library.inc_ref(context->z3, made);
        *slot(context, term->id) = made;
        context->base.statistics.translated_terms++;
        context->base.statistics.translation_lookups += term->child_count;
    }
    z3_release(context, mark);
    return made != NULL;
}

Z3_ast z3_translate(struct z3_context *context, const struct term *term)
{
    Z3_ast cached = *slot(context, term->id);
    context->base.statistics.translation_lookups++;
    if (cached != NULL)
        return cached;
    VECTOR_CLEAR(&context->todo);
    VECTOR_PUSH(&context->todo, term);
    while (context->todo.count > 0) {
        const struct term *top = VECTOR_LAST(&context->todo);
        if (*slot(context, top->id) == NULL) {
            if (push_children(context, top))
                continue;
            if (!translate_one(context, top))
                return NULL;
        }
        (void)VECTOR_POP(&context->todo);
    }
    return *slot(context, term->id);
}
