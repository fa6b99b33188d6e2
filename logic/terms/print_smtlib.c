#include <stdio.h>
#include <string.h>

#include "logic/terms/map.h"
#include "logic/terms/print_inside.h"
#include "logic/terms/rewrite.h"

// SMT-LIB 2.6 (Barrett, Fontaine, Tinelli 2017). Shared subterms of large terms are bound by `let`.

static bool is_reserved(const char *name)
{
    static const char *const words[] = {
        "BINARY", "DECIMAL", "HEXADECIMAL", "NUMERAL", "STRING", "_", "!", "as", "let", "exists",
        "forall", "match", "par", "true", "false", "not", "and", "or", "xor", "ite", "distinct",
        "abs", "div", "mod", "rem", "select", "store", "const", "concat", "extract", "to_real",
        "to_int", "is_int", "repeat", "int2bv", "bv2nat", "is", "implies", "iff",
        // Commands; those with a hyphen are in bars anyway.
        "assert", "echo", "exit", "include", "pop", "push", "reset", "simplify",
        // What cvc5 1.0.3 has besides.
        "arccos", "arccot", "arccsc", "arcsec", "arcsin", "arctan", "bag", "cos", "cot", "csc",
        "eqrange", "exp", "fp", "pto", "sec", "sep", "sin", "sqrt", "tan", "tuple", "wand", "RNA",
        "RNE", "RTN", "RTP", "RTZ", "roundNearestTiesToAway", "roundNearestTiesToEven",
        "roundTowardNegative", "roundTowardPositive", "roundTowardZero", NULL};
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    // Theory symbols of bit-vectors, sets, sequences, … all have a prefix like this.
    return strncmp(name, "bv", 2) == 0;
}

static bool is_simple(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.";
    return name[0] != '\0' && name[0] != '.' && (name[0] < '0' || name[0] > '9') &&
           name[strspn(name, letters)] == '\0';
}

// Inside bars all is allowed but bars and backslashes; those become @ and their code.
static void add_quotable(struct text *out, const char *name)
{
    for (; *name != '\0'; name++) {
        if (*name == '|' || *name == '\\')
            text_printf(out, "@%02x", (unsigned)*name);
        else
            text_add_char(out, *name);
    }
}

static void print_symbol(struct text *out, const char *name)
{
    if (is_simple(name) && !is_reserved(name)) {
        text_add(out, name);
        return;
    }
    text_add_char(out, '|');
    add_quotable(out, name);
    // Bars do not make a reserved word another symbol.
    text_add(out, is_reserved(name) ? "@|" : "|");
}

static void print_variable(struct text *out, const struct term *t)
{
    if (t->u.var.index == 0) {
        print_symbol(out, t->u.var.name);
        return;
    }
    text_add_char(out, '|');
    add_quotable(out, t->u.var.name);
    text_printf(out, "@%u|", t->u.var.index);
}

void print_smtlib_sort(struct text *out, const struct sort *sort)
{
    switch (sort->kind) {
    case SORT_BOOL:
        text_add(out, "Bool");
        break;
    case SORT_INT:
        text_add(out, "Int");
        break;
    case SORT_RAT:
        text_add(out, "Real");
        break;
    case SORT_BV:
        text_printf(out, "(_ BitVec %u)", sort->width);
        break;
    case SORT_ENUM:
        text_add_char(out, '|');
        add_quotable(out, sort->name);
        text_add_char(out, '|');
        break;
    case SORT_ARRAY:
        text_add(out, "(Array ");
        print_smtlib_sort(out, sort->key);
        text_add_char(out, ' ');
        print_smtlib_sort(out, sort->element);
        text_add_char(out, ')');
        break;
    }
}

static void print_enum_literal(struct text *out, const struct sort *sort, uint32_t literal)
{
    text_add_char(out, '|');
    add_quotable(out, sort->name);
    text_add_char(out, '.');
    add_quotable(out, sort->literals[literal]);
    text_add_char(out, '|');
}

// One scope of names.
struct printer {
    struct text *out;
    struct term_map bound; // the terms bound by let so far; ?ID is the name
};

static void print(struct printer *p, const struct term *t);

static void print_rational(struct text *out, const char *text)
{
    bool negative = text[0] == '-';
    text += negative;
    size_t numerator = strcspn(text, "/");
    const char *denominator = text + numerator + 1;
    if (negative)
        text_add(out, "(- ");
    if (strcmp(denominator, "1") != 0)
        text_printf(out, "(/ %.*s.0 %s.0)", (int)numerator, text, denominator);
    else
        text_printf(out, "%.*s.0", (int)numerator, text);
    if (negative)
        text_add_char(out, ')');
}

static void print_int(struct text *out, const struct term *t)
{
    struct text magnitude;
    text_init(&magnitude);
    bool negative = print_magnitude(&magnitude, t);
    text_printf(out, negative ? "(- %s)" : "%s", text_string(&magnitude));
    text_finish(&magnitude);
}

static void print_array(struct printer *p, const struct term *t)
{
    for (uint32_t i = 1; i + 1 < t->child_count; i += 2)
        text_add(p->out, "(store ");
    text_add(p->out, "((as const ");
    print_smtlib_sort(p->out, t->sort);
    text_add(p->out, ") ");
    print(p, t->child[0]);
    text_add_char(p->out, ')');
    for (uint32_t i = 1; i < t->child_count; i++) {
        text_add_char(p->out, ' ');
        print(p, t->child[i]);
        if (i % 2 == 0)
            text_add_char(p->out, ')');
    }
}

static void print_literal(struct printer *p, const struct term *t)
{
    switch (t->kind) {
    case TERM_BOOL:
        text_add(p->out, term_is_true(t) ? "true" : "false");
        break;
    case TERM_INT:
        print_int(p->out, t);
        break;
    case TERM_RAT:
        print_rational(p->out, t->u.text);
        break;
    case TERM_BV:
        text_add(p->out, "(_ bv");
        print_unsigned(p->out, t);
        text_printf(p->out, " %u)", t->sort->width);
        break;
    case TERM_ENUM:
        print_enum_literal(p->out, t->sort, (uint32_t)value_small_get(t->u.value));
        break;
    default:
        print_array(p, t);
    }
}

static void print_application(struct printer *p, const char *head, const struct term *t)
{
    text_printf(p->out, "(%s", head);
    for (uint32_t i = 0; i < t->child_count; i++) {
        text_add_char(p->out, ' ');
        print(p, t->child[i]);
    }
    text_add_char(p->out, ')');
}

// There is no `rem`: it is `mod` with the sign of the divisor.
static void print_rem(struct printer *p, const struct term *t)
{
    text_add(p->out, "(ite (>= ");
    print(p, t->child[1]);
    text_add(p->out, " 0) ");
    print_application(p, "mod", t);
    text_add(p->out, " (- ");
    print_application(p, "mod", t);
    text_add(p->out, "))");
}

// There is no rotation by a term: two shifts that add up to the width.
static void print_rotation(struct printer *p, const struct term *t)
{
    uint32_t width = t->sort->width;
    bool left = t->kind == TERM_BV_ROL;
    text_printf(p->out, "(bvor (%s ", left ? "bvshl" : "bvlshr");
    print(p, t->child[0]);
    text_add(p->out, " (bvurem ");
    print(p, t->child[1]);
    text_printf(p->out, " (_ bv%u %u))) (%s ", width, width, left ? "bvlshr" : "bvshl");
    print(p, t->child[0]);
    text_printf(p->out, " (bvsub (_ bv%u %u) (bvurem ", width, width);
    print(p, t->child[1]);
    text_printf(p->out, " (_ bv%u %u)))))", width, width);
}

static void print_scope(struct text *out, const struct term *t);

static void print_quantifier(struct printer *p, const struct term *t)
{
    text_add(p->out, t->kind == TERM_FORALL ? "(forall (" : "(exists (");
    for (uint32_t i = 0; i + 1 < t->child_count; i++) {
        text_add(p->out, i == 0 ? "(" : " (");
        print_variable(p->out, t->child[i]);
        text_add_char(p->out, ' ');
        print_smtlib_sort(p->out, t->child[i]->sort);
        text_add_char(p->out, ')');
    }
    text_add(p->out, ") ");
    // A scope of its own: what is bound outside could mention a variable that is bound here.
    print_scope(p->out, t->child[t->child_count - 1]);
    text_add_char(p->out, ')');
}

static const char *simple_name(const struct term *t)
{
    static const char *const names[TERM_KIND_COUNT] = {
        [TERM_NOT] = "not",       [TERM_AND] = "and",        [TERM_OR] = "or",
        [TERM_EQ] = "=",          [TERM_ITE] = "ite",        [TERM_LE] = "<=",
        [TERM_LT] = "<",          [TERM_ADD] = "+",          [TERM_MUL] = "*",
        [TERM_MOD] = "mod",       [TERM_TO_RAT] = "to_real", [TERM_BV_CONCAT] = "concat",
        [TERM_SELECT] = "select", [TERM_STORE] = "store"};
    if (t->kind == TERM_DIV)
        return t->sort->kind == SORT_INT ? "div" : "/";
    return names[t->kind] != NULL ? names[t->kind] : print_bits_name((enum term_kind)t->kind);
}

static void print_operator(struct printer *p, const struct term *t)
{
    char head[64];
    switch ((enum term_kind)t->kind) {
    case TERM_FORALL:
    case TERM_EXISTS:
        print_quantifier(p, t);
        break;
    case TERM_REM:
        print_rem(p, t);
        break;
    case TERM_BV_ROL:
    case TERM_BV_ROR:
        print_rotation(p, t);
        break;
    case TERM_BV_EXTRACT:
        snprintf(head, sizeof head, "(_ extract %u %u)", t->u.extract.high, t->u.extract.low);
        print_application(p, head, t);
        break;
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        snprintf(head, sizeof head, "(_ %s_extend %u)", t->kind == TERM_BV_ZEXT ? "zero" : "sign",
                 t->sort->width - t->child[0]->sort->width);
        print_application(p, head, t);
        break;
    case TERM_CONST_ARRAY:
        print_array(p, t);
        break;
    default:
        print_application(p, simple_name(t), t);
    }
}

static void print(struct printer *p, const struct term *t)
{
    if (term_is_literal(t)) {
        print_literal(p, t);
        return;
    }
    if (t->kind == TERM_VAR) {
        print_variable(p->out, t);
        return;
    }
    if (term_map_get(&p->bound, t) != NULL)
        text_printf(p->out, "?%u", t->id);
    else
        print_operator(p, t);
}

// Operators that print an operand twice.
static bool prints_twice(const struct term *t)
{
    return t->kind == TERM_REM || t->kind == TERM_BV_ROL || t->kind == TERM_BV_ROR;
}

struct sharing {
    struct term_map once;     // met
    struct term_map many;     // met again
    struct term_vector order; // all met operators, operands first
};

static void find_shared(struct sharing *s, const struct term *t)
{
    if (t->child_count == 0 || term_is_literal(t))
        return;
    if (!term_map_insert(&s->once, t)) {
        term_map_insert(&s->many, t);
        return;
    }
    if (t->kind != TERM_FORALL && t->kind != TERM_EXISTS) {
        for (uint32_t i = 0; i < t->child_count; i++) {
            find_shared(s, t->child[i]);
            if (prints_twice(t))
                find_shared(s, t->child[i]);
        }
    }
    VECTOR_PUSH(&s->order, t);
}

enum { LET_FROM = 64 }; // smaller terms read better without

static void print_scope(struct text *out, const struct term *t)
{
    struct printer p = {.out = out};
    size_t lets = 0;
    term_map_init(&p.bound);
    if (t->tree_size >= LET_FROM) {
        struct sharing s = {.order = {0}};
        term_map_init(&s.once);
        term_map_init(&s.many);
        find_shared(&s, t);
        for (size_t i = 0; i < s.order.count; i++) {
            const struct term *shared = s.order.data[i];
            if (term_map_get(&s.many, shared) == NULL)
                continue;
            text_printf(out, "(let ((?%u ", shared->id);
            print(&p, shared);
            text_add(out, ")) ");
            term_map_insert(&p.bound, shared);
            lets++;
        }
        VECTOR_FINISH(&s.order);
        term_map_finish(&s.once);
        term_map_finish(&s.many);
    }
    print(&p, t);
    for (; lets > 0; lets--)
        text_add_char(out, ')');
    term_map_finish(&p.bound);
}

void print_smtlib(struct text *out, const struct term *term)
{
    print_scope(out, term);
}

struct declarations {
    struct text *out;
    struct term_map visited;
    VECTOR(const struct sort *) sorts;
};

static void declare_sort(struct declarations *d, const struct sort *sort)
{
    if (sort->kind == SORT_ARRAY) {
        declare_sort(d, sort->key);
        declare_sort(d, sort->element);
    }
    if (sort->kind != SORT_ENUM)
        return;
    for (size_t i = 0; i < d->sorts.count; i++)
        if (d->sorts.data[i] == sort)
            return;
    VECTOR_PUSH(&d->sorts, sort);
    text_add(d->out, "(declare-datatype ");
    print_smtlib_sort(d->out, sort);
    text_add(d->out, " (");
    for (uint32_t i = 0; i < sort->literal_count; i++) {
        text_add(d->out, i == 0 ? "(" : " (");
        print_enum_literal(d->out, sort, i);
        text_add_char(d->out, ')');
    }
    text_add(d->out, "))\n");
}

static void declare_sorts_of(struct declarations *d, const struct term *t)
{
    if (!term_map_insert(&d->visited, t))
        return;
    declare_sort(d, t->sort);
    for (uint32_t i = 0; i < t->child_count; i++)
        declare_sorts_of(d, t->child[i]);
}

void print_smtlib_declarations(struct text *out, const struct term *const *terms, size_t count)
{
    struct declarations d = {.out = out};
    struct term_vector variables = {0};
    term_map_init(&d.visited);
    for (size_t i = 0; i < count; i++) {
        declare_sorts_of(&d, terms[i]);
        rewrite_free_variables(terms[i], &variables);
    }
    for (size_t i = 0; i < variables.count; i++) {
        text_add(out, "(declare-const ");
        print_variable(out, variables.data[i]);
        text_add_char(out, ' ');
        print_smtlib_sort(out, variables.data[i]->sort);
        text_add(out, ")\n");
    }
    VECTOR_FINISH(&variables);
    VECTOR_FINISH(&d.sorts);
    term_map_finish(&d.visited);
}
