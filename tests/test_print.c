#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "logic/terms/print.h"
#include "logic/terms/term.h"
#include "languages/registry/registry.h"
#include "tests/random_term.h"
#include "tests/read.h"

struct fixture {
    struct term_store *s;
    const struct term *x, *y, *p, *q, *u, *v, *a, *c, *b, *d;
    const struct sort *colour;
};

static int set_up(void **state)
{
    static const char *const literals[] = {"RED", "GREEN"};
    struct fixture *f = memory_zalloc(sizeof *f);
    struct term_store *s = f->s = term_store_create(NULL);
    f->colour = sort_enum(s, "Colour", literals, 2);
    f->x = term_var(s, "x", sort_int(s));
    f->y = term_var(s, "y", sort_int(s));
    f->p = term_var(s, "p", sort_bool(s));
    f->q = term_var(s, "q", sort_bool(s));
    f->u = term_var(s, "u", sort_rat(s));
    f->v = term_var(s, "v", sort_rat(s));
    f->a = term_var(s, "a", sort_array(s, sort_int(s), sort_int(s)));
    f->c = term_var(s, "c", f->colour);
    f->b = term_var(s, "b", sort_bv(s, 8));
    f->d = term_var(s, "d", sort_bv(s, 8));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    term_store_destroy(f->s);
    memory_free(f);
    return 0;
}

static void assert_prints(const struct term *term, enum print_language language,
                          const char *expected)
{
    struct text text;
    text_init(&text);
    print_term(&text, term, language);
    assert_string_equal(text_string(&text), expected);
    text_finish(&text);
}

// Sums are ordered by hashes, which is not for the reader to know: one of two forms.
static void assert_prints_one_of(const struct term *term, enum print_language language,
                                 const char *one, const char *other)
{
    struct text text;
    text_init(&text);
    print_term(&text, term, language);
    if (strcmp(text_string(&text), other) != 0)
        assert_string_equal(text_string(&text), one);
    text_finish(&text);
}

static void comparisons_read_as_written(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *x = f->x, *y = f->y;
    const struct term *three = term_int(s, 3), *four = term_int(s, 4);
    assert_prints(term_le(s, x, four), PRINT_XSTS, "x <= 4");
    assert_prints(term_lt(s, four, x), PRINT_XSTS, "x > 4");
    assert_prints(term_lt(s, x, four), PRINT_XSTS, "x <= 3");
    assert_prints(term_le(s, x, term_int(s, -4)), PRINT_XSTS, "x <= -4");
    assert_prints_one_of(term_le(s, x, y), PRINT_XSTS, "x <= y", "y >= x");
    assert_prints_one_of(term_lt(s, x, y), PRINT_XSTS, "x < y", "y > x");
    assert_prints_one_of(term_le(s, term_sub(s, x, y), three), PRINT_XSTS, "x - y <= 3",
                         "y - x > -4");
    assert_prints(term_eq(s, x, three), PRINT_XSTS, "x == 3");
    assert_prints(term_eq(s, x, three), PRINT_CFA, "x = 3");
    assert_prints(term_not(s, term_eq(s, x, three)), PRINT_XSTS, "x != 3");
    assert_prints(term_not(s, term_eq(s, x, three)), PRINT_CFA, "x /= 3");
    assert_prints_one_of(term_eq(s, x, term_add2(s, y, three)), PRINT_XSTS, "x == y + 3",
                         "y == x - 3");
    assert_prints(term_lt(s, f->u, term_rat(s, 1, 2)), PRINT_CFA, "u < 1%2");
    assert_prints(term_lt(s, term_rat(s, -1, 2), f->u), PRINT_CFA, "u > -1%2");
}

static void arithmetic_has_few_brackets(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *x = f->x, *y = f->y, *two = term_int(s, 2), *three = term_int(s, 3);
    assert_prints(term_add2(s, x, three), PRINT_XSTS, "x + 3");
    assert_prints(term_sub(s, three, x), PRINT_XSTS, "3 - x");
    assert_prints(term_sub(s, x, three), PRINT_XSTS, "x - 3");
    assert_prints(term_neg(s, x), PRINT_XSTS, "-x");
    assert_prints(term_mul2(s, term_int(s, -2), x), PRINT_XSTS, "-2 * x");
    assert_prints(term_sub(s, term_neg(s, x), three), PRINT_XSTS, "-x - 3");
    assert_prints(term_div(s, x, two), PRINT_XSTS, "x / 2");
    assert_prints(term_neg(s, term_div(s, x, two)), PRINT_XSTS, "-(x / 2)");
    assert_prints(term_sub(s, three, term_div(s, x, two)), PRINT_XSTS, "3 - (x / 2)");
    assert_prints(term_mod(s, term_add2(s, x, three), two), PRINT_XSTS, "(x + 3) % 2");
    assert_prints(term_mod(s, x, two), PRINT_CFA, "x mod 2");
    assert_prints(term_rem(s, x, y), PRINT_CFA, "x rem y");
    assert_prints(term_div(s, x, term_div(s, y, two)), PRINT_CFA, "x / (y / 2)");
    assert_prints(term_div(s, term_div(s, x, y), two), PRINT_CFA, "x / y / 2");
    assert_prints(term_mul2(s, term_rat(s, 2, 3), f->u), PRINT_CFA, "2%3 * u");
    const struct term *choice = term_ite(s, f->p, x, y);
    assert_prints(term_add2(s, choice, three), PRINT_XSTS, "(if p then x else y) + 3");
    assert_prints(choice, PRINT_XSTS, "if p then x else y");
}

static void connectives_have_the_languages_names(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *p = f->p, *q = f->q, *ten = term_le(s, f->x, term_int(s, 10));
    assert_prints_one_of(term_and2(s, p, q), PRINT_XSTS, "p && q", "q && p");
    assert_prints_one_of(term_or2(s, p, q), PRINT_CFA, "p or q", "q or p");
    assert_prints(term_not(s, p), PRINT_XSTS, "!p");
    assert_prints(term_not(s, p), PRINT_CFA, "not p");
    assert_prints_one_of(term_not(s, term_and2(s, p, q)), PRINT_XSTS, "!(p && q)", "!(q && p)");
    assert_prints_one_of(term_xor(s, p, q), PRINT_XSTS, "p xor q", "q xor p");
    assert_prints_one_of(term_iff(s, p, q), PRINT_CFA, "p iff q", "q iff p");
    assert_prints_one_of(term_and2(s, p, term_or2(s, q, ten)), PRINT_XSTS, "p && (q || x <= 10)",
                         "(q || x <= 10) && p");
}

static void arrays_and_enumerations(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *one = term_int(s, 1), *zeros = term_default(s, f->a->sort);
    assert_prints(term_select(s, f->a, term_add2(s, f->x, one)), PRINT_XSTS, "a[x + 1]");
    assert_prints(term_store_at(s, f->a, f->x, f->y), PRINT_XSTS, "a[x <- y]");
    assert_prints(zeros, PRINT_XSTS, "[<integer>default <- 0]");
    assert_prints(zeros, PRINT_CFA, "[<int>default <- 0]");
    const struct term *literal = term_store_at(s, zeros, one, term_int(s, -2));
    assert_prints(literal, PRINT_XSTS, "[1 <- -2, default <- 0]");
    assert_prints(literal, PRINT_PREFIX, "(array (1 -2) (default 0))");
    assert_prints(term_select(s, literal, f->x), PRINT_XSTS, "[1 <- -2, default <- 0][x]");
    assert_prints(literal, PRINT_SMTLIB, "(store ((as const (Array Int Int)) 0) 1 (- 2))");
    const struct term *red = term_eq(s, f->c, term_enum(s, f->colour, 0));
    assert_prints(red, PRINT_XSTS, "c == Colour.RED");
    assert_prints(term_not(s, red), PRINT_PREFIX, "(!= c RED)");
    assert_prints(red, PRINT_SMTLIB, "(= c |Colour.RED|)");
    struct text text;
    text_init(&text);
    print_value(&text, f->colour, term_value(term_enum(s, f->colour, 1)));
    text_add_char(&text, ' ');
    print_value(&text, f->a->sort, term_value(literal));
    text_add_char(&text, ' ');
    print_value(&text, f->u->sort, term_value(term_rat(s, -1, 2)));
    text_add_char(&text, ' ');
    print_value(&text, f->p->sort, value_bool(true));
    text_add_char(&text, ' ');
    print_value(&text, f->x->sort, term_value(term_int_text(s, "-123456789012345678901")));
    assert_string_equal(text_string(&text), "GREEN (array (1 -2) (default 0)) -1%2 true "
                                            "-123456789012345678901");
    text_finish(&text);
}

static void bit_vectors(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *b = f->b, *d = f->d, *five = term_bv(s, 8, 5);
    assert_prints(term_bv_binary(s, TERM_BV_ADD, b, five), PRINT_CFA, "b bvadd 8'd5");
    assert_prints(term_bv_binary(s, TERM_BV_ADD, b, term_bv_unary(s, TERM_BV_NEG, d)), PRINT_CFA,
                  "b bvsub d");
    assert_prints(term_bv_binary(s, TERM_BV_UDIV, b, term_bv_binary(s, TERM_BV_UDIV, d, five)),
                  PRINT_CFA, "b bvudiv (d bvudiv 8'd5)");
    assert_prints(term_bv_binary(s, TERM_BV_SHL, term_bv_binary(s, TERM_BV_SHL, b, d), d),
                  PRINT_CFA, "(b bvshl d) bvshl d");
    assert_prints(term_bv_binary(s, TERM_BV_ULT, b, d), PRINT_CFA, "d bvugt b");
    assert_prints(term_bv_binary(s, TERM_BV_SLE, b, d), PRINT_CFA, "b bvsle d");
    assert_prints(term_bv_extract(s, b, 4, 3), PRINT_CFA, "b[5:3]");
    assert_prints(term_bv_extend(s, TERM_BV_SEXT, b, 12), PRINT_CFA, "b bv_sign_extend bv[12]");
    assert_prints(term_bv_binary(s, TERM_BV_CONCAT, b, d), PRINT_CFA, "b ++ d");
    assert_prints(term_bv_unary(s, TERM_BV_NOT, b), PRINT_CFA, "bvnot b");
    assert_prints(term_bv_extract(s, b, 4, 3), PRINT_SMTLIB, "((_ extract 4 3) b)");
    assert_prints(term_bv_extend(s, TERM_BV_SEXT, b, 12), PRINT_SMTLIB, "((_ sign_extend 4) b)");
    assert_prints(five, PRINT_SMTLIB, "(_ bv5 8)");
}

static void smtlib_follows_the_standard(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    assert_prints(term_int(s, -5), PRINT_SMTLIB, "(- 5)");
    assert_prints(term_rat(s, -1, 2), PRINT_SMTLIB, "(- (/ 1.0 2.0))");
    assert_prints(term_rat(s, 3, 1), PRINT_SMTLIB, "3.0");
    assert_prints(term_var_copy(s, f->x, 2), PRINT_SMTLIB, "|x@2|");
    assert_prints(term_var_copy(s, f->x, 2), PRINT_XSTS, "x@2");
    assert_prints(term_var(s, "two words", sort_int(s)), PRINT_SMTLIB, "|two words|");
    assert_prints(term_var(s, "a|b", sort_int(s)), PRINT_SMTLIB, "|a@7cb|");
    assert_prints(term_var(s, "select", sort_int(s)), PRINT_SMTLIB, "|select@|");
    assert_prints(term_var(s, "reset", sort_int(s)), PRINT_SMTLIB, "|reset@|");
    assert_prints(term_rem(s, f->x, f->y), PRINT_SMTLIB, "(ite (>= y 0) (mod x y) (- (mod x y)))");
    const struct term *body = term_le(s, f->x, term_int(s, 0));
    assert_prints(term_quantifier(s, TERM_EXISTS, &f->x, 1, body), PRINT_SMTLIB,
                  "(exists ((x Int)) (<= x 0))");
    assert_prints(term_quantifier(s, TERM_EXISTS, &f->x, 1, body), PRINT_CFA,
                  "exists (x : int) x <= 0");
}

static void declarations_cover_sorts_and_variables(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *terms[] = {term_eq(s, f->c, term_enum(s, f->colour, 0)),
                                  term_le(s, term_var_copy(s, f->x, 1), term_int(s, 5)), f->p,
                                  term_not(s, f->p)};
    struct text text;
    text_init(&text);
    print_smtlib_declarations(&text, terms, 4);
    assert_string_equal(text_string(&text),
                        "(declare-datatype |Colour| ((|Colour.RED|) (|Colour.GREEN|)))\n"
                        "(declare-const c |Colour|)\n"
                        "(declare-const |x@1| Int)\n"
                        "(declare-const p Bool)\n");
    text_finish(&text);
}

// 3^200 nodes as a tree.
static void shared_subterms_are_bound_once(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    const struct term *t = f->x;
    for (int i = 0; i < 200; i++)
        t = term_rem(s, term_mul2(s, t, t), term_add2(s, t, f->y));
    struct text text;
    text_init(&text);
    print_term(&text, t, PRINT_SMTLIB);
    assert_in_range(text.length, 1000, 50000);
    size_t open = 0, closed = 0;
    for (size_t i = 0; i < text.length; i++) {
        open += text.data[i] == '(';
        closed += text.data[i] == ')';
    }
    assert_int_equal(open, closed);
    text_finish(&text);
}

static void prefix_form(void **state)
{
    struct fixture *f = *state;
    struct term_store *s = f->s;
    assert_prints(term_not(s, term_eq(s, f->x, term_int(s, 3))), PRINT_PREFIX, "(/= x 3)");
    assert_prints(term_lt(s, term_int(s, 3), f->x), PRINT_PREFIX, "(> x 3)");
    assert_prints(term_add2(s, f->x, term_int(s, 1)), PRINT_PREFIX, "(+ x 1)");
    assert_prints(term_select(s, f->a, f->x), PRINT_PREFIX, "(read a x)");
    assert_prints(term_store_at(s, f->a, f->x, f->y), PRINT_PREFIX, "(write a x y)");
    assert_prints(term_div(s, f->x, f->y), PRINT_PREFIX, "(div x y)");
    assert_prints_one_of(term_xor(s, f->p, f->q), PRINT_PREFIX, "(xor p q)", "(xor q p)");
}

static void sorts(void **state)
{
    struct fixture *f = *state;
    struct text text;
    text_init(&text);
    print_sort(&text,
               sort_array(f->s, f->colour, sort_array(f->s, sort_int(f->s), sort_bool(f->s))),
               PRINT_XSTS);
    text_add(&text, "; ");
    print_sort(&text, sort_array(f->s, f->colour, sort_bv(f->s, 4)), PRINT_CFA);
    text_add(&text, "; ");
    print_sort(&text, sort_array(f->s, f->colour, sort_bv(f->s, 4)), PRINT_SMTLIB);
    assert_string_equal(text_string(&text), "[Colour] -> [integer] -> boolean; [Colour] -> bv[4]; "
                                            "(Array |Colour| (_ BitVec 4))");
    text_finish(&text);
}

// Has it a part that the language cannot say: bit-vectors in XSTS, the literal zero as a divisor?
static bool sayable(const struct term *t, bool xsts)
{
    if (xsts && t->sort->kind == SORT_BV)
        return false;
    bool divides = (t->kind >= TERM_DIV && t->kind <= TERM_REM) ||
                   (t->kind >= TERM_BV_UDIV && t->kind <= TERM_BV_SMOD);
    if (divides && term_is_literal(t->child[1]) &&
        value_equal(term_value(t->child[1]), value_small(0)))
        return false;
    for (uint32_t i = 0; i < t->child_count; i++)
        if (!sayable(t->child[i], xsts))
            return false;
    return true;
}

static void declare(struct text *out, struct random_terms *terms, enum print_language language)
{
    for (int sort = 0; sort < RANDOM_SORTS; sort++) {
        if (sort == RANDOM_BV && language == PRINT_XSTS)
            continue;
        for (int i = 0; i < VARIABLES; i++) {
            text_printf(out, "var %s : ", terms->variable[sort][i].smt);
            print_sort(out, terms->sort[sort], language);
            text_add_char(out, '\n');
        }
    }
}

// The model whose one condition is the term.
static void write_model(struct text *out, struct random_terms *terms, const struct term *t,
                        enum print_language language)
{
    declare(out, terms, language);
    if (language == PRINT_XSTS)
        text_add(out, "trans {} init {} env {}\nprop { ");
    else
        text_add(out, "main process p { init loc A error loc E\nA -> E { assume ");
    print_term(out, t, language);
    text_add(out, language == PRINT_XSTS ? " }\n" : " } }\n");
}

static const struct term *read_condition(const struct model *model, enum print_language language)
{
    if (language == PRINT_XSTS)
        return model->property;
    const struct statement *statement = model->edges[0]->action;
    while (statement->kind == STATEMENT_SEQUENCE)
        statement = statement->child[0];
    assert_int_equal(statement->kind, STATEMENT_ASSUME);
    return statement->expression;
}

static void assert_reads_back(struct random_terms *terms, const struct term *t,
                              enum print_language language)
{
    struct text text;
    text_init(&text);
    write_model(&text, terms, t, language);
    struct messages messages;
    messages_init(&messages);
    const struct language *frontend = language == PRINT_XSTS ? &language_xsts : &language_cfa;
    struct language_request request = {
        .model_path = "printed", .model_text = text.data, .model_bytes = text.length};
    struct model *model = read_model(frontend, &request, &messages);
    if (model == NULL || !hash128_equal(read_condition(model, language)->hash, t->hash)) {
        messages_print(&messages, stderr);
        fail_msg("%s", text_string(&text));
    }
    model_destroy(model);
    messages_finish(&messages);
    text_finish(&text);
}

// The same term, by its structural hash: the model has a store of its own.
static void parsers_read_back_what_is_printed(void **state)
{
    struct fixture *f = *state;
    struct random random;
    random_init(&random, 3);
    struct random_terms terms;
    random_terms_init(&terms, f->s, &random);
    unsigned tried[2] = {0, 0};
    for (int i = 0; i < 1500; i++) {
        const struct term *t =
            random_term(&terms, RANDOM_BOOL, 1 + (int)random_below(&random, 5)).term;
        for (int xsts = 0; xsts < 2; xsts++) {
            if (term_is_literal(t) || !sayable(t, xsts != 0))
                continue;
            tried[xsts]++;
            assert_reads_back(&terms, t, xsts != 0 ? PRINT_XSTS : PRINT_CFA);
        }
    }
    assert_true(tried[0] > 700 && tried[1] > 300);
    random_terms_finish(&terms);
}

int main(void)
{
#define PRINT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        PRINT_TEST(comparisons_read_as_written),
        PRINT_TEST(arithmetic_has_few_brackets),
        PRINT_TEST(connectives_have_the_languages_names),
        PRINT_TEST(arrays_and_enumerations),
        PRINT_TEST(bit_vectors),
        PRINT_TEST(smtlib_follows_the_standard),
        PRINT_TEST(declarations_cover_sorts_and_variables),
        PRINT_TEST(shared_subterms_are_bound_once),
        PRINT_TEST(prefix_form),
        PRINT_TEST(sorts),
        PRINT_TEST(parsers_read_back_what_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
