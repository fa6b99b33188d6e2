#include <assert.h>
#include <string.h>

#include "logic/smt/z3/z3_backend.h"

// Z3 terms back to ours. What has no counterpart here (quantifiers, skolem functions, floor, …)
// makes the whole import fail.

struct importer {
    struct z3_context *context;
    struct term_store *store;
    Z3_model model;
    unsigned depth; // inside how many others
    VECTOR(Z3_ast) todo;
    VECTOR(const struct term *) arguments;
};

static const struct term *import_part(const struct importer *outer, Z3_ast root);

const struct sort *z3_import_sort(struct z3_context *context, Z3_sort sort)
{
    struct term_store *store = context->base.store;
    Z3_context z3 = context->z3;
    switch (z3_library.get_sort_kind(z3, sort)) {
    case Z3_BOOL_SORT:
        return sort_bool(store);
    case Z3_INT_SORT:
        return sort_int(store);
    case Z3_REAL_SORT:
        return sort_rat(store);
    case Z3_BV_SORT:
        return sort_bv(store, z3_library.get_bv_sort_size(z3, sort));
    case Z3_DATATYPE_SORT:
        return id_map_get(&context->sorts_back, z3_library.get_sort_id(z3, sort));
    case Z3_ARRAY_SORT: {
        const struct sort *key =
            z3_import_sort(context, z3_library.get_array_sort_domain(z3, sort));
        const struct sort *element =
            z3_import_sort(context, z3_library.get_array_sort_range(z3, sort));
        return key != NULL && element != NULL ? sort_array(store, key, element) : NULL;
    }
    default:
        return NULL;
    }
}

// ---- arrays given by a function of the key

// Stands for the key in the body of a lambda; no front end lets such a name through.
static const struct term *key_variable(struct importer *importer, const struct sort *sort)
{
    return term_var(importer->store, "(key)", sort);
}

// The literals that the body compares the key with; false when it does anything else with the key.
static bool find_keys(struct term_store *store, const struct term *body, const struct term *key,
                      struct term_vector *keys, const struct term **otherwise)
{
    struct term_vector atoms = {0};
    rewrite_atoms(body, &atoms);
    bool good = true;
    *otherwise = body;
    for (size_t i = 0; i < atoms.count && good; i++) {
        const struct term *atom = atoms.data[i];
        good = atom->kind == TERM_EQ && (atom->child[0] == key || atom->child[1] == key);
        const struct term *literal = good ? atom->child[atom->child[0] == key] : NULL;
        good = good && term_is_literal(literal);
        if (good) {
            VECTOR_PUSH(keys, literal);
            *otherwise = rewrite_replace(store, *otherwise, atom, term_false(store));
        }
    }
    VECTOR_FINISH(&atoms);
    return good && term_is_literal(*otherwise);
}

// A function of the key that is a finite table with a default, as an array literal.
static const struct term *tabulate(struct importer *importer, const struct sort *sort,
                                   const struct term *body)
{
    struct term_store *store = importer->store;
    const struct term *key = key_variable(importer, sort->key);
    struct term_vector keys = {0}, entries = {0};
    const struct term *otherwise;
    const struct term *result = NULL;
    // A Boolean key is its own atom: take both values.
    bool good = true;
    if (sort->key->kind == SORT_BOOL) {
        VECTOR_PUSH(&keys, term_true(store));
        otherwise = rewrite_replace(store, body, key, term_false(store));
    } else {
        good = find_keys(store, body, key, &keys, &otherwise);
    }
    for (size_t i = 0; i < keys.count && good; i++) {
        VECTOR_PUSH(&entries, keys.data[i]);
        VECTOR_PUSH(&entries, rewrite_replace(store, body, key, keys.data[i]));
    }
    if (good)
        result = term_array(store, sort, otherwise, entries.data, keys.count);
    VECTOR_FINISH(&keys);
    VECTOR_FINISH(&entries);
    return result != NULL && term_is_literal(result) ? result : NULL;
}

// Z3 writes the value of an array with Boolean elements as a lambda.
static const struct term *import_lambda(struct importer *importer, Z3_ast ast)
{
    struct z3_context *context = importer->context;
    Z3_context z3 = context->z3;
    if (!z3_library.is_lambda(z3, ast) || z3_library.get_quantifier_num_bound(z3, ast) != 1)
        return NULL;
    const struct sort *sort = z3_import_sort(context, z3_library.get_sort(z3, ast));
    if (sort == NULL || sort->kind != SORT_ARRAY)
        return NULL;
    const struct term *body = import_part(importer, z3_library.get_quantifier_body(z3, ast));
    return body == NULL ? NULL : tabulate(importer, sort, body);
}

// The key of the innermost lambda, held nowhere but in array values.
static const struct term *import_bound(struct importer *importer, Z3_ast ast)
{
    struct z3_context *context = importer->context;
    Z3_context z3 = context->z3;
    if (importer->depth == 0 || z3_library.get_index_value(z3, ast) != 0)
        return NULL;
    const struct sort *sort = z3_import_sort(context, z3_library.get_sort(z3, ast));
    return sort == NULL ? NULL : key_variable(importer, sort);
}

// ---- leaves

static const struct term *import_rational(struct term_store *store, const char *text)
{
    const char *slash = strchr(text, '/');
    if (slash == NULL)
        return term_rat_text(store, text, "1");
    char *numerator = memory_strdup(text);
    numerator[slash - text] = 0;
    const struct term *result = term_rat_text(store, numerator, slash + 1);
    memory_free(numerator);
    return result;
}

static const struct term *import_numeral(struct importer *importer, Z3_ast ast)
{
    Z3_context z3 = importer->context->z3;
    if (z3_library.is_algebraic_number(z3, ast)) // irrational
        return NULL;
    Z3_sort sort = z3_library.get_sort(z3, ast);
    Z3_sort_kind kind = z3_library.get_sort_kind(z3, sort);
    const char *text = z3_library.get_numeral_string(z3, ast);
    if (!z3_ok(importer->context) || text == NULL)
        return NULL;
    if (kind == Z3_INT_SORT)
        return term_int_text(importer->store, text);
    if (kind == Z3_REAL_SORT)
        return import_rational(importer->store, text);
    if (kind == Z3_BV_SORT)
        return term_bv_text(importer->store, z3_library.get_bv_sort_size(z3, sort), text);
    return NULL;
}

// A total function given by a table, as the model has it.
static const struct term *import_as_array(struct importer *importer, Z3_ast ast)
{
    struct z3_context *context = importer->context;
    Z3_context z3 = context->z3;
    const struct sort *sort = z3_import_sort(context, z3_library.get_sort(z3, ast));
    Z3_func_decl function = z3_library.get_as_array_func_decl(z3, ast);
    if (sort == NULL || importer->model == NULL || !z3_ok(context) || function == NULL)
        return NULL;
    Z3_func_interp table = z3_library.model_get_func_interp(z3, importer->model, function);
    if (!z3_ok(context) || table == NULL)
        return NULL;
    z3_library.func_interp_inc_ref(z3, table);
    size_t mark = z3_mark(context);
    struct term_vector entries = {0};
    Z3_ast otherwise = z3_keep(context, z3_library.func_interp_get_else(z3, table));
    const struct term *result = NULL;
    const struct term *value = otherwise == NULL ? NULL : import_part(importer, otherwise);
    unsigned count = z3_library.func_interp_get_num_entries(z3, table);
    for (unsigned i = 0; i < count && value != NULL; i++) {
        Z3_func_entry entry = z3_library.func_interp_get_entry(z3, table, i);
        z3_library.func_entry_inc_ref(z3, entry);
        Z3_ast key = z3_keep(context, z3_library.func_entry_get_arg(z3, entry, 0));
        Z3_ast element = z3_keep(context, z3_library.func_entry_get_value(z3, entry));
        VECTOR_PUSH(&entries, key == NULL ? NULL : import_part(importer, key));
        VECTOR_PUSH(&entries, element == NULL ? NULL : import_part(importer, element));
        z3_library.func_entry_dec_ref(z3, entry);
        if (entries.data[2 * i] == NULL || entries.data[2 * i + 1] == NULL)
            value = NULL;
    }
    if (value != NULL)
        result = term_array(importer->store, sort, value, entries.data, count);
    VECTOR_FINISH(&entries);
    z3_release(context, mark);
    z3_library.func_interp_dec_ref(z3, table);
    return result;
}

static const struct term *lookup(struct importer *importer, Z3_func_decl declaration)
{
    return id_map_get(&importer->context->declarations,
                      z3_library.get_func_decl_id(importer->context->z3, declaration));
}

// ---- operators

typedef const struct term *(*binary_maker)(struct term_store *, const struct term *,
                                           const struct term *);

static const struct term *fold(struct importer *importer, binary_maker make,
                               const struct term *const *a, size_t n)
{
    const struct term *result = a[0];
    for (size_t i = 1; i < n; i++)
        result = make(importer->store, result, a[i]);
    return result;
}

static const struct term *fold_bv(struct importer *importer, enum term_kind kind,
                                  const struct term *const *a, size_t n)
{
    const struct term *result = a[0];
    for (size_t i = 1; i < n; i++)
        result = term_bv_binary(importer->store, kind, result, a[i]);
    return result;
}

static const struct term *import_distinct(struct importer *importer, const struct term *const *a,
                                          size_t n)
{
    struct term_store *store = importer->store;
    const struct term *result = term_true(store);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            result = term_and2(store, result, term_not(store, term_eq(store, a[i], a[j])));
    return result;
}

static const struct term *import_boolean(struct importer *importer, Z3_decl_kind kind,
                                         const struct term *const *a, size_t n)
{
    struct term_store *store = importer->store;
    switch (kind) {
    case Z3_OP_TRUE:
        return term_true(store);
    case Z3_OP_FALSE:
        return term_false(store);
    case Z3_OP_EQ:
    case Z3_OP_IFF:
        return n == 2 ? term_eq(store, a[0], a[1]) : NULL;
    case Z3_OP_DISTINCT:
        return import_distinct(importer, a, n);
    case Z3_OP_ITE:
        return term_ite(store, a[0], a[1], a[2]);
    case Z3_OP_AND:
        return term_and(store, a, n);
    case Z3_OP_OR:
        return term_or(store, a, n);
    case Z3_OP_XOR:
        return fold(importer, term_xor, a, n);
    case Z3_OP_NOT:
        return term_not(store, a[0]);
    case Z3_OP_IMPLIES:
        return term_implies(store, a[0], a[1]);
    default:
        return NULL;
    }
}

static const struct term *import_power(struct importer *importer, const struct term *const *a)
{
    const struct term *exponent = a[1];
    if (exponent->kind != TERM_INT || !value_is_small(exponent->u.value))
        return NULL;
    int64_t n = value_small_get(exponent->u.value);
    if (n < 1 || n > 16) // 0 to the 0 is not specified
        return NULL;
    const struct term *factors[16];
    for (int64_t i = 0; i < n; i++)
        factors[i] = a[0];
    return term_mul(importer->store, factors, (size_t)n);
}

static const struct term *import_arithmetic(struct importer *importer, Z3_decl_kind kind,
                                            const struct term *const *a, size_t n)
{
    struct term_store *store = importer->store;
    switch (kind) {
    case Z3_OP_LE:
        return term_le(store, a[0], a[1]);
    case Z3_OP_GE:
        return term_le(store, a[1], a[0]);
    case Z3_OP_LT:
        return term_lt(store, a[0], a[1]);
    case Z3_OP_GT:
        return term_lt(store, a[1], a[0]);
    case Z3_OP_ADD:
        return term_add(store, a, n);
    case Z3_OP_SUB:
        return fold(importer, term_sub, a, n);
    case Z3_OP_UMINUS:
        return term_neg(store, a[0]);
    case Z3_OP_MUL:
        return term_mul(store, a, n);
    case Z3_OP_DIV:
    case Z3_OP_IDIV:
        return term_div(store, a[0], a[1]);
    case Z3_OP_MOD:
        return term_mod(store, a[0], a[1]);
    case Z3_OP_REM: // differs from ours where the divisor is zero
        return term_is_literal(a[1]) ? term_rem(store, a[0], a[1]) : NULL;
    case Z3_OP_TO_REAL:
        return term_to_rat(store, a[0]);
    case Z3_OP_POWER:
        return import_power(importer, a);
    default:
        return NULL;
    }
}

struct bv_row {
    Z3_decl_kind z3;
    enum term_kind kind;
    bool negate, swap; // of the result (BV_NOT or NOT), of the arguments
};

static const struct bv_row bv_rows[] = {
    {Z3_OP_BADD, TERM_BV_ADD, false, false},
    {Z3_OP_BMUL, TERM_BV_MUL, false, false},
    {Z3_OP_BUDIV, TERM_BV_UDIV, false, false},
    {Z3_OP_BUDIV_I, TERM_BV_UDIV, false, false},
    {Z3_OP_BSDIV, TERM_BV_SDIV, false, false},
    {Z3_OP_BSDIV_I, TERM_BV_SDIV, false, false},
    {Z3_OP_BUREM, TERM_BV_UREM, false, false},
    {Z3_OP_BUREM_I, TERM_BV_UREM, false, false},
    {Z3_OP_BSREM, TERM_BV_SREM, false, false},
    {Z3_OP_BSREM_I, TERM_BV_SREM, false, false},
    {Z3_OP_BSMOD, TERM_BV_SMOD, false, false},
    {Z3_OP_BSMOD_I, TERM_BV_SMOD, false, false},
    {Z3_OP_BAND, TERM_BV_AND, false, false},
    {Z3_OP_BNAND, TERM_BV_AND, true, false},
    {Z3_OP_BOR, TERM_BV_OR, false, false},
    {Z3_OP_BNOR, TERM_BV_OR, true, false},
    {Z3_OP_BXOR, TERM_BV_XOR, false, false},
    {Z3_OP_BXNOR, TERM_BV_XOR, true, false},
    {Z3_OP_BSHL, TERM_BV_SHL, false, false},
    {Z3_OP_BLSHR, TERM_BV_LSHR, false, false},
    {Z3_OP_BASHR, TERM_BV_ASHR, false, false},
    {Z3_OP_CONCAT, TERM_BV_CONCAT, false, false},
    {Z3_OP_EXT_ROTATE_LEFT, TERM_BV_ROL, false, false},
    {Z3_OP_EXT_ROTATE_RIGHT, TERM_BV_ROR, false, false},
    {Z3_OP_ULT, TERM_BV_ULT, false, false},
    {Z3_OP_ULEQ, TERM_BV_ULE, false, false},
    {Z3_OP_UGT, TERM_BV_ULT, false, true},
    {Z3_OP_UGEQ, TERM_BV_ULE, false, true},
    {Z3_OP_SLT, TERM_BV_SLT, false, false},
    {Z3_OP_SLEQ, TERM_BV_SLE, false, false},
    {Z3_OP_SGT, TERM_BV_SLT, false, true},
    {Z3_OP_SGEQ, TERM_BV_SLE, false, true},
};

static const struct term *import_bv_binary(struct importer *importer, Z3_decl_kind kind,
                                           const struct term *const *a, size_t n)
{
    for (size_t i = 0; i < sizeof bv_rows / sizeof bv_rows[0]; i++) {
        const struct bv_row *row = &bv_rows[i];
        if (row->z3 != kind)
            continue;
        if ((row->negate || row->swap) && n != 2)
            return NULL;
        if (row->swap)
            return term_bv_binary(importer->store, row->kind, a[1], a[0]);
        const struct term *result = fold_bv(importer, row->kind, a, n);
        return row->negate ? term_bv_unary(importer->store, TERM_BV_NOT, result) : result;
    }
    return NULL;
}

static const struct term *bit_is(struct importer *importer, const struct term *a, uint32_t bit)
{
    struct term_store *store = importer->store;
    return term_eq(store, term_bv_extract(store, a, bit, bit), term_bv(store, 1, 1));
}

static const struct term *import_rotate(struct importer *importer, enum term_kind kind,
                                        const struct term *a, unsigned amount)
{
    uint32_t width = a->sort->width;
    return term_bv_binary(importer->store, kind, a,
                          term_bv(importer->store, width, amount % width));
}

// Operators with a number in the declaration, and those that are not folds.
static const struct term *import_bv_other(struct importer *importer, Z3_func_decl declaration,
                                          const struct term *const *a, size_t n)
{
    struct term_store *store = importer->store;
    Z3_context z3 = importer->context->z3;
    int first = z3_library.get_decl_num_parameters(z3, declaration) > 0 &&
                        z3_library.get_decl_parameter_kind(z3, declaration, 0) == Z3_PARAMETER_INT
                    ? z3_library.get_decl_int_parameter(z3, declaration, 0)
                    : 0;
    switch (z3_library.get_decl_kind(z3, declaration)) {
    case Z3_OP_BNEG:
        return term_bv_unary(store, TERM_BV_NEG, a[0]);
    case Z3_OP_BNOT:
        return term_bv_unary(store, TERM_BV_NOT, a[0]);
    case Z3_OP_BSUB:
        return n == 2 ? term_bv_binary(store, TERM_BV_ADD, a[0],
                                       term_bv_unary(store, TERM_BV_NEG, a[1]))
                      : NULL;
    case Z3_OP_SIGN_EXT:
        return term_bv_extend(store, TERM_BV_SEXT, a[0], a[0]->sort->width + (uint32_t)first);
    case Z3_OP_ZERO_EXT:
        return term_bv_extend(store, TERM_BV_ZEXT, a[0], a[0]->sort->width + (uint32_t)first);
    case Z3_OP_EXTRACT:
        return term_bv_extract(store, a[0], (uint32_t)first,
                               (uint32_t)z3_library.get_decl_int_parameter(z3, declaration, 1));
    case Z3_OP_BIT2BOOL:
        return bit_is(importer, a[0], (uint32_t)first);
    case Z3_OP_ROTATE_LEFT:
        return import_rotate(importer, TERM_BV_ROL, a[0], (unsigned)first);
    case Z3_OP_ROTATE_RIGHT:
        return import_rotate(importer, TERM_BV_ROR, a[0], (unsigned)first);
    case Z3_OP_BCOMP:
        return term_ite(store, term_eq(store, a[0], a[1]), term_bv(store, 1, 1),
                        term_bv(store, 1, 0));
    default:
        return import_bv_binary(importer, z3_library.get_decl_kind(z3, declaration), a, n);
    }
}

static const struct term *import_const_array(struct importer *importer, Z3_ast ast,
                                             const struct term *element)
{
    struct z3_context *context = importer->context;
    const struct sort *sort = z3_import_sort(context, z3_library.get_sort(context->z3, ast));
    return sort == NULL ? NULL : term_array(importer->store, sort, element, NULL, 0);
}

// What Z3 writes for x / 0 and the like, once it has told zero divisors apart.
static const struct term *import_named(struct importer *importer, Z3_func_decl declaration,
                                       const struct term *const *a, size_t n)
{
    struct z3_context *context = importer->context;
    struct term_store *store = importer->store;
    if (n == 0 || (a[0]->sort->kind != SORT_INT && a[0]->sort->kind != SORT_RAT))
        return NULL;
    if (declaration == context->rem_by_zero)
        return term_rem(store, a[0], term_int(store, 0));
    Z3_symbol symbol = z3_library.get_decl_name(context->z3, declaration);
    if (z3_library.get_symbol_kind(context->z3, symbol) != Z3_STRING_SYMBOL ||
        z3_library.get_decl_kind(context->z3, declaration) == Z3_OP_UNINTERPRETED)
        return NULL;
    const char *name = z3_library.get_symbol_string(context->z3, symbol);
    if (strcmp(name, "div0") == 0)
        return term_div(store, a[0], term_int(store, 0));
    if (strcmp(name, "mod0") == 0)
        return term_mod(store, a[0], term_int(store, 0));
    if (strcmp(name, "/0") == 0)
        return term_div(store, a[0], term_rat(store, 0, 1));
    return NULL;
}

static const struct term *import_app(struct importer *importer, Z3_ast ast,
                                     const struct term *const *a, size_t n)
{
    struct z3_context *context = importer->context;
    struct term_store *store = importer->store;
    Z3_context z3 = context->z3;
    Z3_func_decl declaration = z3_library.get_app_decl(z3, z3_library.to_app(z3, ast));
    Z3_decl_kind kind = z3_library.get_decl_kind(z3, declaration);
    const struct term *result = import_boolean(importer, kind, a, n);
    if (result != NULL)
        return result;
    if (n == 0)
        return kind == Z3_OP_AS_ARRAY ? import_as_array(importer, ast)
                                      : lookup(importer, declaration);
    result = import_arithmetic(importer, kind, a, n);
    if (result != NULL)
        return result;
    switch (kind) {
    case Z3_OP_SELECT:
        return n == 2 ? term_select(store, a[0], a[1]) : NULL;
    case Z3_OP_STORE:
        return n == 3 ? term_store_at(store, a[0], a[1], a[2]) : NULL;
    case Z3_OP_CONST_ARRAY:
        return import_const_array(importer, ast, a[0]);
    case Z3_OP_DT_IS:
    case Z3_OP_DT_RECOGNISER: {
        const struct term *literal =
            lookup(importer, z3_library.get_decl_func_decl_parameter(z3, declaration, 0));
        return literal == NULL ? NULL : term_eq(store, a[0], literal);
    }
    default:
        if (a[0]->sort->kind == SORT_BV)
            return import_bv_other(importer, declaration, a, n);
        return import_named(importer, declaration, a, n);
    }
}

// ---- the walk

static const struct term *imported(struct importer *importer, Z3_ast ast)
{
    return id_map_get(&importer->context->imported,
                      z3_library.get_ast_id(importer->context->z3, ast));
}

// False when some argument must come first.
static bool gather(struct importer *importer, Z3_ast ast, unsigned count)
{
    Z3_context z3 = importer->context->z3;
    Z3_app app = z3_library.to_app(z3, ast);
    bool ready = true;
    VECTOR_CLEAR(&importer->arguments);
    for (unsigned i = 0; i < count; i++) {
        Z3_ast argument = z3_library.get_app_arg(z3, app, i); // held by its parent
        const struct term *term = imported(importer, argument);
        VECTOR_PUSH(&importer->arguments, term);
        if (term == NULL) {
            VECTOR_PUSH(&importer->todo, argument);
            ready = false;
        }
    }
    return ready;
}

// Imports the last of todo, or puts what it needs on top of it. False: impossible.
static bool step(struct importer *importer)
{
    Z3_context z3 = importer->context->z3;
    Z3_ast ast = VECTOR_LAST(&importer->todo);
    if (imported(importer, ast) != NULL) {
        importer->todo.count--;
        return true;
    }
    const struct term *term = NULL;
    switch (z3_library.get_ast_kind(z3, ast)) {
    case Z3_NUMERAL_AST:
        term = import_numeral(importer, ast);
        break;
    case Z3_APP_AST: {
        unsigned count = z3_library.get_app_num_args(z3, z3_library.to_app(z3, ast));
        if (!gather(importer, ast, count))
            return true;
        term = import_app(importer, ast, importer->arguments.data, count);
        break;
    }
    case Z3_QUANTIFIER_AST:
        term = import_lambda(importer, ast);
        break;
    case Z3_VAR_AST:
        term = import_bound(importer, ast);
        break;
    default:
        break;
    }
    if (term == NULL)
        return false;
    id_map_put(&importer->context->imported, z3_library.get_ast_id(z3, ast), term);
    importer->todo.count--;
    return true;
}

static const struct term *import_at(struct z3_context *context, Z3_model model, unsigned depth,
                                    Z3_ast root)
{
    struct importer importer = {
        .context = context, .store = context->base.store, .model = model, .depth = depth};
    bool good = true;
    VECTOR_PUSH(&importer.todo, root);
    while (good && importer.todo.count > 0)
        good = step(&importer);
    VECTOR_FINISH(&importer.todo);
    VECTOR_FINISH(&importer.arguments);
    return good ? imported(&importer, root) : NULL;
}

static const struct term *import_part(const struct importer *outer, Z3_ast root)
{
    return import_at(outer->context, outer->model, outer->depth + 1, root);
}

const struct term *z3_import(struct z3_context *context, Z3_ast ast, Z3_model model)
{
    id_map_clear(&context->imported);
    return import_at(context, model, 0, ast);
}
