#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/decide.h"
#include "tests/part.h"

// Horn clauses: random linear ones, written in all shapes that are read, against a search that derives every
// fact; what a clause becomes; what is said about malformed scripts.

// ---- random clauses

#define PREDICATES 3
#define VARIABLES 3
#define MOST 3  // variables are 0 … MOST in every clause
#define RANGE 6 // values of arguments: -1 … 4
#define MOST_CLAUSES 10

// An argument or a side of a constraint: a variable, if any, and a number.
struct operand {
    int variable; // -1: none
    int number;
};

struct literal {
    int predicate; // -1: none
    struct operand arguments[2];
};

enum shape { SHAPE_FORALL, SHAPE_NOT_EXISTS, SHAPE_OR, SHAPE_LET, SHAPE_MACRO, SHAPES };

struct constraint {
    int comparison; // =, <=, distinct, or a disjunction of two
    struct operand left, right;
};

struct clause {
    struct literal body, head;
    struct constraint constraints[2];
    enum shape shape;
};

struct script {
    unsigned arity[PREDICATES], clause_count;
    struct clause clauses[MOST_CLAUSES];
};

static struct operand random_operand(struct random *random)
{
    struct operand o = {(int)random_below(random, VARIABLES + 1) - 1, 0};
    o.number = o.variable < 0                 ? (int)random_below(random, 4)
               : random_below(random, 3) == 0 ? (int)random_below(random, 3) - 1
                                              : 0;
    return o;
}

static struct literal random_literal(struct random *random, int predicate)
{
    struct literal l = {predicate, {random_operand(random), random_operand(random)}};
    return l;
}

static struct script random_script(uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    struct script s = {.clause_count = 4 + (unsigned)random_below(&random, MOST_CLAUSES - 4)};
    for (int p = 0; p < PREDICATES; p++)
        s.arity[p] = (unsigned)random_below(&random, 3);
    for (unsigned i = 0; i < s.clause_count; i++) {
        struct clause *c = &s.clauses[i];
        int from = i == 0 ? -1 : (int)random_below(&random, PREDICATES + 1) - 1;
        int to = i + 1 == s.clause_count ? -1 : (int)random_below(&random, PREDICATES);
        if (i + 1 == s.clause_count && from < 0)
            from = (int)random_below(&random, PREDICATES);
        c->body = random_literal(&random, from);
        c->head = random_literal(&random, to);
        for (int k = 0; k < 2; k++)
            c->constraints[k] = (struct constraint){
                (int)random_below(&random, 4), random_operand(&random), random_operand(&random)};
        c->shape = (enum shape)random_below(&random, SHAPES);
    }
    return s;
}

// ---- the search

static int operand_value(const struct operand *o, const int *values)
{
    return o->number + (o->variable < 0 ? 0 : values[o->variable]);
}

static bool holds(const struct constraint *c, const int *values)
{
    int left = operand_value(&c->left, values), right = operand_value(&c->right, values);
    return c->comparison == 0   ? left == right
           : c->comparison == 1 ? left <= right
           : c->comparison == 2 ? left != right
                                : left == right || left < 1;
}

static unsigned fact_number(const struct script *s, const struct literal *l, const int *values)
{
    unsigned number = (unsigned)l->predicate;
    for (unsigned i = 0; i < 2; i++)
        number = number * RANGE + (i < s->arity[l->predicate]
                                       ? (unsigned)(operand_value(&l->arguments[i], values) + 1)
                                       : 0);
    return number;
}

// One round; true when the query is derived.
static bool derive(const struct script *s, bool *facts, bool *changed)
{
    for (unsigned i = 0; i < s->clause_count; i++)
        for (int code = 0; code < 64; code++) {
            const struct clause *c = &s->clauses[i];
            int values[VARIABLES] = {code & 3, code >> 2 & 3, code >> 4};
            if (!holds(&c->constraints[0], values) || !holds(&c->constraints[1], values) ||
                (c->body.predicate >= 0 && !facts[fact_number(s, &c->body, values)]))
                continue;
            if (c->head.predicate < 0)
                return true;
            bool *fact = &facts[fact_number(s, &c->head, values)];
            *changed |= !*fact;
            *fact = true;
        }
    return false;
}

static enum verdict search(const struct script *s)
{
    bool facts[PREDICATES * RANGE * RANGE] = {false};
    for (bool changed = true; changed;) {
        changed = false;
        if (derive(s, facts, &changed))
            return VERDICT_UNSAFE;
    }
    return VERDICT_SAFE;
}

// ---- the text

static void write_operand(struct text *out, const struct operand *o)
{
    if (o->variable < 0)
        text_printf(out, o->number < 0 ? " (- %d)" : " %d", abs(o->number));
    else if (o->number == 0)
        text_printf(out, " v%d", o->variable);
    else
        text_printf(out, o->number < 0 ? " (- v%d %d)" : " (+ v%d %d)", o->variable,
                    abs(o->number));
}

static void write_literal(struct text *out, const struct script *s, const struct literal *l,
                          const char *none)
{
    if (l->predicate < 0) {
        text_add(out, none);
        return;
    }
    unsigned arity = s->arity[l->predicate];
    text_printf(out, arity ? "(|p %d|" : "|p %d|", l->predicate);
    for (unsigned i = 0; i < arity; i++)
        write_operand(out, &l->arguments[i]);
    text_add(out, arity ? ")" : "");
}

static void write_constraint(struct text *out, const struct constraint *c)
{
    static const char *const START[] = {"(=", "(<=", "(not (=", "(or (="};
    text_add(out, START[c->comparison]);
    write_operand(out, &c->left);
    write_operand(out, &c->right);
    if (c->comparison == 3) {
        text_add(out, ") (<");
        write_operand(out, &c->left);
        text_add(out, " 1)");
    }
    text_add(out, c->comparison >= 2 ? (c->comparison == 2 ? "))" : ")") : ")");
}

// The premise, in parts.
static void write_premise(struct text *out, const struct script *s, const struct clause *c)
{
    text_add(out, "(and ");
    write_literal(out, s, &c->body, "true");
    for (int v = 0; v < VARIABLES; v++)
        text_printf(out, " (<= 0 v%d) (<= v%d %d)", v, v, MOST);
    text_add(out, " ");
    write_constraint(out, &c->constraints[0]);
    text_add(out, " ");
    write_constraint(out, &c->constraints[1]);
    text_add(out, ")");
}

#define BOUND "((v0 Int) (v1 Int) (v2 Int))"

static void write_clause(struct text *out, const struct script *s, const struct clause *c,
                         unsigned number)
{
    static const char *const START[SHAPES] = {
        "(assert (forall " BOUND " (=> ", "(assert (not (exists " BOUND " (and ",
        "(assert (forall " BOUND " (or (not ", "(assert (forall " BOUND " (let ((x ", NULL};
    static const char *const MIDDLE[SHAPES] = {" ", " (not ", ") ", ")) (=> x ", " "};
    static const char *const END[SHAPES] = {")))\n", ")))))\n", ")))\n", "))))\n", ")))\n"};
    if (c->shape == SHAPE_MACRO) {
        text_printf(out, "(define-fun m%u " BOUND " Bool ", number);
        write_premise(out, s, c);
        text_printf(out, ")\n(assert (forall " BOUND " (=> (m%u v0 v1 v2)", number);
    } else {
        text_add(out, START[c->shape]);
        write_premise(out, s, c);
    }
    text_add(out, MIDDLE[c->shape]);
    write_literal(out, s, &c->head, "false");
    text_add(out, END[c->shape]);
}

static void write_script(struct text *out, const struct script *s)
{
    static const char *const SORTS[] = {"", "Int", "Int Int"};
    text_add(out, "(set-logic HORN)\n");
    for (int p = 0; p < PREDICATES; p++)
        text_printf(out, "(declare-fun |p %d| (%s) Bool)\n", p, SORTS[s->arity[p]]);
    for (unsigned i = 0; i < s->clause_count; i++)
        write_clause(out, s, &s->clauses[i], i);
    text_add(out, "(check-sat)\n");
}

static void engines_agree_with_the_search(void **state)
{
    static const char *const ENGINES[] = {"cegar", "ic3", "kind", "bmc", "imc", "horn"};
    (void)state;
    unsigned count = part_models(40, 12), unsafe = 0, solved = 0;
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct script s = random_script(seed);
        enum verdict expected = search(&s);
        unsafe += expected == VERDICT_UNSAFE;
        struct text text;
        struct messages messages;
        text_init(&text);
        messages_init(&messages);
        write_script(&text, &s);
        struct model *model = decide_load(&language_chc, &text, NULL, &messages);
        if (model == NULL)
            fail_msg("seed %llu: %u:%u: %s\n%s", (unsigned long long)seed, messages.items[0].line,
                     messages.items[0].column, messages.items[0].text, text_string(&text));
        for (size_t i = 0; i < sizeof ENGINES / sizeof *ENGINES; i++) {
            enum verdict verdict = decide_run(model, ENGINES[i], seed);
            if (verdict != VERDICT_UNKNOWN && verdict != expected)
                fail_msg("seed %llu, %s: %s, but the search says %s\n%s", (unsigned long long)seed,
                         ENGINES[i], verdict_name(verdict), verdict_name(expected),
                         text_string(&text));
            solved += verdict != VERDICT_UNKNOWN;
        }
        model_destroy(model);
        messages_finish(&messages);
        text_finish(&text);
    }
    print_message("# %u scripts, %u unsafe; %u answers\n", count, unsafe, solved);
    assert_true(unsafe > 0 && unsafe < count);
    assert_true(solved >= 4 * count); // of five engines, on average
}

// ---- other sorts, and what is not written in one assertion as one clause

static const struct {
    const char *text;
    enum verdict verdict;
} small[] = {
    // Two clauses in one assertion: a disjunction of predicates in the premise.
    {"(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)(assert (p 1))"
     "(assert (forall ((x Int)) (=> (or (p x) (q x)) (q (+ x 1)))))"
     "(assert (forall ((x Int)) (=> (and (q x) (> x 5)) false)))",
     VERDICT_UNSAFE},
    // Conclusions side by side, below a condition.
    {"(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)"
     "(assert (forall ((x Int)) (=> (= x 3) (and (p x) (q (- x))))))"
     "(assert (forall ((x Int)) (=> (ite (> x 0) (q x) (p x)) false)))",
     VERDICT_SAFE},
    {"(declare-fun p (Real) Bool)(assert (p 1))"
     "(assert (forall ((x Real)) (=> (p x) (p (/ x 2)))))"
     "(assert (forall ((x Real)) (not (and (p x) (< x (/ 1 5))))))",
     VERDICT_UNSAFE},
    {"(declare-fun p ((_ BitVec 4) Bool) Bool)(assert (p #x3 true))"
     "(assert (forall ((x (_ BitVec 4)) (b Bool)) (=> (p x b) (p (bvadd x #x2) (not b)))))"
     "(assert (forall ((x (_ BitVec 4))) (not (p x (= x #x5)))))",
     VERDICT_UNSAFE},
    {"(declare-fun p ((_ BitVec 4)) Bool)(assert (p #x3))"
     "(assert (forall ((x (_ BitVec 4))) (=> (p x) (p (bvadd x #x2)))))"
     "(assert (not (p #x4)))",
     VERDICT_SAFE},
    {"(declare-fun p (Int (Array Int Int)) Bool)"
     "(assert (forall ((a (Array Int Int))) (=> (= (select a 0) 0) (p 0 a))))"
     "(assert (forall ((i Int) (a (Array Int Int))) (=> (p i a) (p (+ i 1) (store a i 7)))))"
     "(assert (forall ((i Int) (a (Array Int Int))) (not (and (p i a) (> i 1) (= 7 (select a "
     "1))))))",
     VERDICT_UNSAFE},
    // Arguments that change places.
    {"(declare-fun p (Int Int Int) Bool)(assert (p 1 2 3))"
     "(assert (forall ((x Int) (y Int) (z Int)) (=> (p x y z) (p y z x))))"
     "(assert (not (p 3 1 2)))",
     VERDICT_UNSAFE},
    {"(declare-fun p (Int Int Int) Bool)(assert (p 1 2 3))"
     "(assert (forall ((x Int) (y Int) (z Int)) (=> (p x y z) (p y z x))))"
     "(assert (not (p 1 3 2)))",
     VERDICT_SAFE},
    // Nothing derives the premise; nothing is asked; the query has no predicate.
    {"(declare-fun p (Int) Bool)(assert (forall ((x Int)) (not (p x))))", VERDICT_SAFE},
    {"(declare-fun p () Bool)(assert p)", VERDICT_SAFE},
    {"(assert (forall ((x Int)) (> (* 2 x) 0)))", VERDICT_UNSAFE},
    // The same name for different variables, and shadowed ones.
    {"(declare-fun p (Int Bool) Bool)(assert (forall ((x Int)) (=> (exists ((x Bool)) (and x "
     "(exists ((y Int)) (= y 2)))) (p 4 (> x 0)))))"
     "(assert (forall ((x Int) (b Bool)) (=> (and (p x b) b) (not (= x 4)))))",
     VERDICT_UNSAFE},
    {"(define-fun twice ((x Int)) Int (* 2 x))(define-const four Int (twice 2))"
     "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (! (=> (= x four) (p x)) :named a)))"
     "(assert (forall ((x Int)) (=> (p (twice (twice x))) false)))(check-sat)(exit)(nonsense",
     VERDICT_UNSAFE},
};

static void all_shapes_and_sorts_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        struct text text;
        struct messages messages;
        text_init(&text);
        messages_init(&messages);
        text_add(&text, small[i].text);
        struct model *model = decide_load(&language_chc, &text, NULL, &messages);
        if (model == NULL)
            fail_msg("case %zu: %u:%u: %s", i, messages.items[0].line, messages.items[0].column,
                     messages.items[0].text);
        enum verdict verdict = decide_run(model, "kind", 1);
        if (verdict == VERDICT_UNKNOWN)
            verdict = decide_run(model, "cegar", 1);
        if (verdict != small[i].verdict)
            fail_msg("case %zu: %s", i, verdict_name(verdict));
        model_destroy(model);
        messages_finish(&messages);
        text_finish(&text);
    }
}

// A step of a loop is two assignments and a test: no havoc, no variable of the clause is left.
static void equations_become_assignments(void **state)
{
    (void)state;
    struct text text;
    struct messages messages;
    text_init(&text);
    messages_init(&messages);
    text_add(&text,
             "(declare-fun p (Int Int Int) Bool)"
             "(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 0) (= y 1)) (p x y z))))"
             "(assert (forall ((a Int) (b Int) (c Int) (d Int) (e Int)) (=> (and (p a b c) "
             "(= (+ a 1) d) (= e (+ b d)) (< a c)) (p d e c))))"
             "(assert (forall ((a Int) (b Int)) (=> (and (p a a b) (> a 9)) false)))");
    struct model *model = decide_load(&language_chc, &text, NULL, &messages);
    assert_non_null(model);
    assert_int_equal(model->location_count, 3);
    assert_int_equal(model->edge_count, 3);
    assert_int_equal(model->variable_count, 3);
    assert_int_equal(model->features.havocs, 1); // z in the fact
    assert_int_equal(model->edges[1]->action->child_count, 3);
    model_destroy(model);
    messages_finish(&messages);
    text_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree_with_the_search),
        cmocka_unit_test(all_shapes_and_sorts_are_read),
        cmocka_unit_test(equations_become_assignments),
    };
    return cmocka_run_group_tests_name("chc", tests, NULL, NULL);
}
