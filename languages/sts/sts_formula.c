#include "languages/sts/sts_formula.h"

#include <assert.h>

#include "base/memory.h"
#include "base/text.h"

// Longer ones are told by their terms: branches may each have a copy of the words, not of the term.
enum { MOST_WORDS = 1000 };

static struct sts_formula *make_formula(struct cfa_checker *checker, const struct ast *node,
                                        bool negated);

static struct sts_formula *new_formula(struct cfa_checker *checker, enum sts_formula_kind kind,
                                       const struct token *at, const struct term *term)
{
    struct sts_formula *formula = arena_zalloc(checker->parser->arena, sizeof *formula);
    formula->kind = kind;
    formula->at = at;
    formula->term = term;
    return formula;
}

static void add_equation(struct sts_formula *formula, const struct term *variable,
                         const struct term *value)
{
    // Each side of an equation once; a value of another sort would be assigned to it.
    assert(formula->equation_count < sizeof formula->equation / sizeof *formula->equation);
    assert(variable->sort == value->sort);
    if (variable->kind == TERM_VAR)
        formula->equation[formula->equation_count++] =
            (struct formula_equation){.variable = variable, .value = value};
}

static struct sts_formula *make_leaf(struct cfa_checker *checker, const struct ast *node,
                                     bool negated)
{
    struct term_store *store = checker->parser->store;
    const struct term *term = cfa_check_bool(checker, node);
    if (term == NULL)
        return NULL;
    struct sts_formula *leaf =
        new_formula(checker, STS_FORMULA_LEAF, node->at, negated ? term_not(store, term) : term);
    add_equation(leaf, term, term_bool(store, !negated));
    return leaf;
}

// a = b, or its negation
static struct sts_formula *make_equality(struct cfa_checker *checker, const struct ast *node,
                                         bool negated)
{
    struct term_store *store = checker->parser->store;
    const struct term *a, *b;
    if (node->op == CFA_IFF) {
        a = cfa_check_bool(checker, node->child[0]);
        b = cfa_check_bool(checker, node->child[1]);
        if (a == NULL || b == NULL)
            return NULL;
    } else if (!cfa_check_pair(checker, node->child[0], node->child[1], &a, &b)) {
        return NULL;
    }
    const struct term *equal = term_eq(store, a, b);
    struct sts_formula *leaf =
        new_formula(checker, STS_FORMULA_LEAF, node->at, negated ? term_not(store, equal) : equal);
    bool boolean = a->sort->kind == SORT_BOOL;
    if (!negated || boolean) {
        add_equation(leaf, a, negated ? term_not(store, b) : b);
        add_equation(leaf, b, negated ? term_not(store, a) : a);
    }
    return leaf;
}

static const struct term *junction(struct cfa_checker *checker, const struct sts_formula *formula)
{
    const struct term **terms = memory_alloc((formula->child_count + 1) * sizeof *terms);
    for (uint32_t i = 0; i < formula->child_count; i++)
        terms[i] = formula->child[i]->term;
    const struct term *term = formula->kind == STS_FORMULA_AND
                                  ? term_and(checker->parser->store, terms, formula->child_count)
                                  : term_or(checker->parser->store, terms, formula->child_count);
    memory_free(terms);
    return term;
}

static struct sts_formula *make_junction(struct cfa_checker *checker, const struct ast *node,
                                         bool negated)
{
    struct sts_formula *formula =
        new_formula(checker, (node->op == CFA_AND) != negated ? STS_FORMULA_AND : STS_FORMULA_OR,
                    node->at, NULL);
    formula->child_count = node->child_count;
    formula->child =
        arena_alloc(checker->parser->arena, node->child_count * sizeof *formula->child);
    bool fine = true;
    for (uint32_t i = 0; i < node->child_count; i++) {
        formula->child[i] = make_formula(checker, node->child[i], negated);
        fine = fine && formula->child[i] != NULL;
    }
    if (!fine)
        return NULL;
    formula->term = junction(checker, formula);
    assert(formula->term->sort->kind == SORT_BOOL);
    return formula;
}

static struct sts_formula *make_condition(struct cfa_checker *checker, const struct ast *node)
{
    struct sts_formula *condition = make_leaf(checker, node, false);
    if (condition != NULL) {
        condition->first = node->first;
        condition->past = node->past;
    }
    return condition;
}

static struct sts_formula *make_if(struct cfa_checker *checker, const struct ast *node,
                                   bool negated)
{
    struct term_store *store = checker->parser->store;
    struct sts_formula *formula = new_formula(checker, STS_FORMULA_IF, node->at, NULL);
    formula->child_count = 3;
    formula->child = arena_alloc(checker->parser->arena, 3 * sizeof *formula->child);
    formula->child[0] = make_condition(checker, node->child[0]);
    formula->child[1] = make_formula(checker, node->child[1], negated);
    formula->child[2] = node->kind == AST_ITE ? make_formula(checker, node->child[2], negated)
                                              : new_formula(checker, STS_FORMULA_LEAF, node->at,
                                                            term_bool(store, !negated));
    if (formula->child[0] == NULL || formula->child[1] == NULL || formula->child[2] == NULL)
        return NULL;
    formula->term =
        term_ite(store, formula->child[0]->term, formula->child[1]->term, formula->child[2]->term);
    return formula;
}

static struct sts_formula *make_kind(struct cfa_checker *checker, const struct ast *node,
                                     bool negated)
{
    if (node->kind == AST_UNARY && node->op == CFA_NOT)
        return make_formula(checker, node->child[0], !negated);
    if (node->kind == AST_CHAIN && (node->op == CFA_AND || node->op == CFA_OR))
        return make_junction(checker, node, negated);
    if (node->kind == AST_ITE || (node->kind == AST_BINARY && node->op == CFA_IMPLY))
        return make_if(checker, node, negated);
    if (node->kind == AST_BINARY && (node->op == CFA_EQ || node->op == CFA_IFF))
        return make_equality(checker, node, negated);
    if (node->kind == AST_BINARY && node->op == CFA_NE)
        return make_equality(checker, node, !negated);
    return make_leaf(checker, node, negated);
}

static struct sts_formula *make_formula(struct cfa_checker *checker, const struct ast *node,
                                        bool negated)
{
    struct sts_formula *formula = make_kind(checker, node, negated);
    if (formula != NULL) {
        formula->first = node->first;
        formula->past = node->past;
        formula->negated = negated;
        formula->invariant = checker->when == CFA_NEXT;
    }
    return formula;
}

struct sts_formula *formula_make(struct cfa_checker *checker, const struct ast *node)
{
    return make_formula(checker, node, false);
}

struct sts_formula *formula_equal(struct cfa_checker *checker, const struct token *at,
                                  const struct term *variable, const struct term *value)
{
    struct sts_formula *leaf = new_formula(checker, STS_FORMULA_LEAF, at,
                                           term_eq(checker->parser->store, variable, value));
    add_equation(leaf, variable, value);
    return leaf;
}

const char *formula_words(struct cfa_checker *checker, const struct sts_formula *formula)
{
    if (formula->past == 0 || formula->past - formula->first > MOST_WORDS)
        return NULL;
    struct text text;
    text_init(&text);
    const char *words =
        lexer_words(&checker->parser->lexer, formula->first, formula->past, checker->parser->arena);
    text_printf(&text, "%s%s%s%s", formula->invariant ? "invariant " : "",
                formula->negated ? "not (" : "", words, formula->negated ? ")" : "");
    words = arena_strdup(checker->parser->arena, text_string(&text));
    text_finish(&text);
    return words;
}
