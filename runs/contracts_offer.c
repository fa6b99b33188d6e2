#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "logic/terms/sexpr.h"
#include "runs/contracts.h"

// Invariants of a contract that a proof has found by itself, as text to paste: what its certificate says between two
// transactions, as far as it speaks of plain state variables only. Comparisons are written without a minus, since
// numbers of Solidity have none.

#define LONGEST_OFFER 400

struct summand {
    const char *name;
    mpz_t factor;
};

struct linear {
    VECTOR(struct summand) summands;
    mpz_t constant;
    bool numbers, addresses; // what the summands are
};

struct offer {
    const struct sol_input *input;
    const struct sol_node *contract;
    const struct sol_node *function; // whose parameters and locals may be named too; NULL = none
    const struct model *model;
};

static const struct sol_node *local_variable(const struct sol_node *node, const struct variable *v)
{
    if (node->kind == SOL_VARIABLE && node->name[0] != '\0' && node->at.line == v->source.line &&
        node->at.column == v->source.column &&
        strncmp(node->name, v->name, strcspn(v->name, "!")) == 0 &&
        strlen(node->name) == strcspn(v->name, "!"))
        return node;
    const struct sol_node *found = NULL;
    for (int i = 0; i < SOL_PARTS && found == NULL; i++)
        found = node->part[i] != NULL ? local_variable(node->part[i], v) : NULL;
    for (size_t i = 0; i < node->count && found == NULL; i++)
        found = node->list[i] != NULL ? local_variable(node->list[i], v) : NULL;
    return found;
}

// The variable of the contract that a variable of the model stands for; NULL when it is something else.
static const struct sol_node *state_variable(const struct offer *o, const char *name)
{
    const struct variable *v = NULL;
    for (uint32_t i = 0; i < o->model->variable_count && v == NULL; i++)
        if (strcmp(o->model->variables[i]->name, name) == 0)
            v = o->model->variables[i];
    if (v != NULL && (v->flags & VARIABLE_LOCAL))
        return o->function != NULL ? local_variable(o->function, v) : NULL;
    if (v == NULL)
        return NULL;
    for (size_t b = 0; b < o->contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(o->input->tree, o->contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++) {
            const struct sol_node *n = base->list[i];
            if (n != NULL && n->kind == SOL_VARIABLE && (n->flags & SOL_IS_STATE) &&
                n->at.line == v->source.line && n->at.column == v->source.column &&
                strncmp(n->name, name, strcspn(name, "!")) == 0)
                return n;
        }
    }
    return NULL;
}

static const struct sol_type *type_of(const struct offer *o, const char *name)
{
    const struct sol_node *variable = state_variable(o, name);
    return variable != NULL ? sol_node_type(o->input->types, variable) : NULL;
}

static bool is_summand(const struct offer *o, const struct sexpr *e, struct linear *l)
{
    const struct sol_type *type = e->kind == SEXPR_SYMBOL ? type_of(o, e->text) : NULL;
    bool number = type != NULL && sol_type_is_number(type),
         address = type != NULL && type->kind == SOL_T_ADDRESS;
    l->numbers |= number;
    l->addresses |= address;
    return number || address;
}

static void finish_linear(struct linear *l)
{
    for (size_t i = 0; i < l->summands.count; i++)
        mpz_clear(l->summands.data[i].factor);
    VECTOR_FINISH(&l->summands);
    mpz_clear(l->constant);
}

static bool numeral(const struct sexpr *e, mpz_t out)
{
    if (e->kind == SEXPR_NUMERAL)
        return mpz_set_str(out, e->text, 10) == 0;
    if (!sexpr_is_call(e, "-", 2) || !numeral(e->child[1], out))
        return false;
    mpz_neg(out, out);
    return true;
}

static void add_summand(struct linear *l, const char *name, const mpz_t factor)
{
    for (size_t i = 0; i < l->summands.count; i++)
        if (strcmp(l->summands.data[i].name, name) == 0) {
            mpz_add(l->summands.data[i].factor, l->summands.data[i].factor, factor);
            return;
        }
    struct summand made = {.name = name};
    mpz_init_set(made.factor, factor);
    VECTOR_PUSH(&l->summands, made);
}

// Adds factor * e; false when e is not linear in plain variables.
static bool add(const struct offer *o, struct linear *l, const struct sexpr *e, const mpz_t factor,
                int depth)
{
    bool good = depth < 100;
    mpz_t n;
    mpz_init(n);
    if (good && numeral(e, n)) {
        mpz_addmul(l->constant, n, factor);
    } else if (good && is_summand(o, e, l)) {
        add_summand(l, e->text, factor);
    } else if (good && sexpr_is_call(e, "+", 0)) {
        for (size_t i = 1; good && i < e->count; i++)
            good = add(o, l, e->child[i], factor, depth + 1);
    } else if (good && sexpr_is_call(e, "-", 0) && e->count >= 2) {
        mpz_neg(n, factor);
        good = add(o, l, e->child[1], e->count == 2 ? n : factor, depth + 1);
        for (size_t i = 2; good && i < e->count; i++)
            good = add(o, l, e->child[i], n, depth + 1);
    } else if (good && sexpr_is_call(e, "*", 3) && numeral(e->child[1], n)) {
        mpz_mul(n, n, factor);
        good = add(o, l, e->child[2], n, depth + 1);
    } else {
        good = false;
    }
    mpz_clear(n);
    return good;
}

static void add_number(struct text *out, const mpz_t n)
{
    char *digits = mpz_get_str(NULL, 10, n);
    text_add(out, digits);
    free(digits);
}

static void add_name(struct text *out, const char *name)
{
    text_add_bytes(out, name, strcspn(name, "!"));
}

// How many summands of that sign there are, the constant among them; `simple`: each is a variable once, or the constant.
static size_t side(const struct linear *l, int sign, bool *simple)
{
    size_t count = mpz_sgn(l->constant) == sign;
    for (size_t i = 0; i < l->summands.count; i++)
        if (mpz_sgn(l->summands.data[i].factor) == sign) {
            count++;
            *simple &= mpz_cmp_si(l->summands.data[i].factor, sign) == 0;
        }
    return count;
}

static void print_side(struct text *out, const struct linear *l, int sign)
{
    for (size_t i = 0; i < l->summands.count; i++)
        if (mpz_sgn(l->summands.data[i].factor) == sign) {
            add_name(out, l->summands.data[i].name);
            return;
        }
    mpz_t n;
    mpz_init(n);
    if (mpz_sgn(l->constant) == sign)
        mpz_abs(n, l->constant);
    add_number(out, n);
    mpz_clear(n);
}

// Does the type say so already? `l` <= 0 (or < 0) of one variable.
static bool is_trivial(const struct offer *o, const struct linear *l)
{
    if (l->summands.count != 1)
        return false;
    const struct sol_type *type = type_of(o, l->summands.data[0].name);
    int sign = mpz_sgn(l->summands.data[0].factor);
    if (sign < 0) // c <= x
        return type->kind == SOL_T_UINT && mpz_sgn(l->constant) <= 0;
    unsigned bits = type->kind == SOL_T_INT ? type->bits - 1 : type->bits;
    mpz_t most;
    mpz_init(most);
    mpz_setbit(most, bits);
    mpz_sub_ui(most, most, 1);
    mpz_add(most, most, l->constant); // x + constant <= 0
    bool trivial = mpz_sgn(most) <= 0;
    mpz_clear(most);
    return trivial;
}

// `l` operator 0 with strictness moved into the operator: x + 1 <= y is x < y.
static const char *tighten(struct linear *l, const char *operator)
{
    bool sharp = strcmp(operator, "<") == 0 || strcmp(operator, ">=") == 0;
    if (l->summands.count < 2 || mpz_cmpabs_ui(l->constant, 1) != 0 ||
        strcmp(operator, "==") == 0 || strcmp(operator, "!=") == 0)
        return operator;
    bool plus = mpz_sgn(l->constant) > 0;
    if (plus == sharp)
        return operator;
    mpz_set_ui(l->constant, 0);
    return strcmp(operator, "<=") == 0  ? "<"
           : strcmp(operator, ">") == 0 ? ">="
           : strcmp(operator, "<") == 0 ? "<="
                                        : ">";
}

// Numbers of Solidity wrap around: only what has no sum on either side means the same there.
static bool print_comparison(const struct offer *o, struct text *out, const struct sexpr *e,
                             const char *operator, bool * trivial)
{
    struct linear l = {0};
    mpz_t one, minus;
    mpz_init(l.constant);
    mpz_init_set_si(one, 1);
    mpz_init_set_si(minus, -1);
    bool good = add(o, &l, e->child[1], one, 0) && add(o, &l, e->child[2], minus, 0) &&
                l.summands.count > 0;
    if (good) {
        *trivial = strcmp(operator, "<=") == 0 && is_trivial(o, &l);
        operator= tighten(&l, operator);
        bool simple = true;
        good = side(&l, 1, &simple) <= 1 && side(&l, -1, &simple) <= 1 && simple;
        bool equates = strcmp(operator, "==") == 0 || strcmp(operator, "!=") == 0;
        if (l.addresses) // 0 is the only one that has a name
            good = good && !l.numbers && equates && mpz_sgn(l.constant) == 0;
        bool nobody = l.addresses && l.summands.count == 1;
        print_side(out, &l, nobody ? mpz_sgn(l.summands.data[0].factor) : 1);
        text_printf(out, " %s ", operator);
        if (nobody)
            text_add(out, "address(0)");
        else
            print_side(out, &l, -1);
    }
    finish_linear(&l);
    mpz_clear(one);
    mpz_clear(minus);
    return good;
}

static bool print(const struct offer *o, struct text *out, const struct sexpr *e, bool *trivial,
                  int depth);

static bool print_list(const struct offer *o, struct text *out, const struct sexpr *e,
                       const char *between, int depth)
{
    bool ignored;
    text_add(out, "(");
    for (size_t i = 1; i < e->count; i++) {
        text_add(out, i > 1 ? between : "");
        if (!print(o, out, e->child[i], &ignored, depth + 1))
            return false;
    }
    text_add(out, ")");
    return true;
}

static bool print(const struct offer *o, struct text *out, const struct sexpr *e, bool *trivial,
                  int depth)
{
    *trivial = false;
    if (depth > 50 || out->length > LONGEST_OFFER)
        return false;
    if (e->kind == SEXPR_SYMBOL) {
        const struct sol_type *type = type_of(o, e->text);
        bool good = type != NULL && type->kind == SOL_T_BOOL;
        if (good)
            add_name(out, e->text);
        return good;
    }
    static const struct {
        const char *head, *operator;
    } comparisons[] = {{"<=", "<="}, {"<", "<"}, {"=", "=="}, {">=", ">="}, {">", ">"}};
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++)
        if (sexpr_is_call(e, comparisons[i].head, 3))
            return print_comparison(o, out, e, comparisons[i].operator, trivial);
    static const struct {
        const char *head, *operator;
    } opposites[] = {{"<=", ">"}, {"<", ">="}, {">=", "<"}, {">", "<="}, {"=", "!="}};
    for (size_t i = 0; i < sizeof opposites / sizeof opposites[0]; i++)
        if (sexpr_is_call(e, "not", 2) && sexpr_is_call(e->child[1], opposites[i].head, 3))
            return print_comparison(o, out, e->child[1], opposites[i].operator, trivial);
    if (sexpr_is_call(e, "not", 2)) {
        bool ignored;
        text_add(out, "!(");
        bool good = print(o, out, e->child[1], &ignored, depth + 1);
        text_add(out, ")");
        return good;
    }
    if (sexpr_is_call(e, "and", 0) && e->count > 1)
        return print_list(o, out, e, " && ", depth);
    return sexpr_is_call(e, "or", 0) && e->count > 1 && print_list(o, out, e, " || ", depth);
}

struct lines {
    char **data;
    size_t count, capacity; // a VECTOR
};

// "a <= b" behind `where` becomes its sides, smaller one first; false when it is no such comparison.
static bool sides(const char *line, size_t where, struct text *small, struct text *large)
{
    const char *text = line + where, *at = strstr(text, " <= ");
    bool swapped = at == NULL;
    at = at != NULL ? at : strstr(text, " >= ");
    if (at == NULL || strchr(text, '(') != NULL)
        return false;
    text_clear(small);
    text_clear(large);
    text_add_bytes(swapped ? large : small, text, (size_t)(at - text));
    text_add(swapped ? small : large, at + strlen(" <= "));
    return true;
}

static bool is_numeral(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

static int compare_numerals(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    return m != n ? (m < n ? -1 : 1) : strcmp(a, b);
}

// Of two bounds of the same variable the closer one counts: a <= b is there, c <= d is known. -1: it says nothing new; 1: the known one is
// told by it.
static int closer(const char *a, const char *b, const char *c, const char *d)
{
    if (strcmp(a, c) == 0 && is_numeral(b) && is_numeral(d))
        return compare_numerals(b, d) < 0 ? 1 : -1;
    if (strcmp(b, d) == 0 && is_numeral(a) && is_numeral(c))
        return compare_numerals(a, c) > 0 ? 1 : -1;
    return 0;
}

// Two comparisons that together are an equation become one line, of two bounds the closer one stays. True when the new one is told by that, or was there before.
static bool joined(struct lines *lines, size_t where, const char *line)
{
    struct text a, b, c, d;
    text_init(&a);
    text_init(&b);
    text_init(&c);
    text_init(&d);
    bool compares = sides(line, where, &a, &b), done = false;
    for (size_t i = 0; i < lines->count && !done; i++) {
        char **other = &lines->data[i];
        done = strcmp(*other, line) == 0;
        if (done || !compares || strncmp(*other, line, where) != 0 || !sides(*other, where, &c, &d))
            continue;
        int better = closer(text_string(&a), text_string(&b), text_string(&c), text_string(&d));
        done = better != 0;
        if (better > 0) {
            struct text kept;
            text_init(&kept);
            text_add(&kept, line);
            memory_free(*other);
            *other = text_steal(&kept);
        }
        if (done || strcmp(text_string(&a), text_string(&d)) != 0 ||
            strcmp(text_string(&b), text_string(&c)) != 0)
            continue;
        struct text equation;
        text_init(&equation);
        text_printf(&equation, "%.*s%s == %s", (int)where, line, text_string(&b), text_string(&a));
        memory_free(*other);
        *other = text_steal(&equation);
        done = true;
    }
    text_finish(&a);
    text_finish(&b);
    text_finish(&c);
    text_finish(&d);
    return done;
}

// `let` is put in place; parts are shared.
struct bindings {
    struct arena *arena;
    VECTOR(const struct sexpr *) pairs; // (name what), the inner ones last
};

static const struct sexpr *without_lets(struct bindings *b, const struct sexpr *e, int depth);

static const struct sexpr *body_of_let(struct bindings *b, const struct sexpr *let, int depth)
{
    const struct sexpr *list = let->child[1];
    size_t outer = b->pairs.count;
    struct sexpr *pairs = arena_zalloc(b->arena, (list->count + 1) * sizeof *pairs);
    for (size_t i = 0; i < list->count; i++) {
        const struct sexpr *one = list->child[i];
        if (one->count != 2 || one->child[0]->kind != SEXPR_SYMBOL)
            return let;
        const struct sexpr **two = arena_zalloc(b->arena, 2 * sizeof *two);
        two[0] = one->child[0];
        two[1] = without_lets(b, one->child[1], depth);
        pairs[i] = *one;
        pairs[i].child = two;
    }
    for (size_t i = 0; i < list->count; i++)
        VECTOR_PUSH(&b->pairs, &pairs[i]);
    const struct sexpr *body = without_lets(b, let->child[2], depth);
    b->pairs.count = outer;
    return body;
}

static const struct sexpr *without_lets(struct bindings *b, const struct sexpr *e, int depth)
{
    if (e->kind == SEXPR_SYMBOL) {
        for (size_t i = b->pairs.count; i-- > 0;)
            if (strcmp(b->pairs.data[i]->child[0]->text, e->text) == 0)
                return b->pairs.data[i]->child[1];
        return e;
    }
    if (e->count == 0 || depth > 200)
        return e;
    if (sexpr_is_call(e, "let", 3))
        return body_of_let(b, e, depth + 1);
    struct sexpr *made = arena_zalloc(b->arena, sizeof *made);
    const struct sexpr **child = arena_zalloc(b->arena, e->count * sizeof *child);
    for (size_t i = 0; i < e->count; i++)
        child[i] = without_lets(b, e->child[i], depth + 1);
    *made = *e;
    made->child = child;
    return made;
}

static void offer_conjunct(const struct offer *o, struct lines *out, const char *where,
                           const struct sexpr *e)
{
    if (sexpr_is_call(e, "and", 0)) {
        for (size_t i = 1; i < e->count; i++)
            offer_conjunct(o, out, where, e->child[i]);
        return;
    }
    struct text one;
    bool trivial;
    text_init(&one);
    text_printf(&one, "%s@notice invariant ", where);
    size_t before = one.length;
    if (print(o, &one, e, &trivial, 0) && !trivial && one.length < LONGEST_OFFER &&
        !joined(out, before, text_string(&one)))
        VECTOR_PUSH(out, text_steal(&one));
    text_finish(&one);
}

// One condition of the proof: of the contract between transactions, or of a loop.
static void offer_condition(const struct offer *o, struct lines *out, struct arena *arena,
                            const char *name, const struct sexpr *e)
{
    char where[100] = "";
    if (strncmp(name, "inv.", 4) != 0)
        return;
    if (strncmp(name + 4, SOL_LOOP, strlen(SOL_LOOP)) == 0 && o->function != NULL)
        snprintf(where, sizeof where, "at %.60s: ", name + 4 + strlen(SOL_LOOP));
    else if (strcmp(name + 4, "between transactions") != 0 || o->function != NULL)
        return;
    struct bindings bindings = {.arena = arena};
    offer_conjunct(o, out, where, without_lets(&bindings, e, 0));
    VECTOR_FINISH(&bindings.pairs);
}

void contracts_offer(struct text *out, const struct sol_input *input,
                     const struct sol_node *contract, const struct sol_node *function,
                     const struct model *model, const char *certificate)
{
    struct offer offer = {input, contract, function, model};
    struct sexpr_reader reader = {
        .at = certificate, .end = certificate + strlen(certificate), .line = 1};
    struct arena arena;
    struct text why;
    struct lines lines = {0};
    const struct sexpr *e;
    arena_init(&arena);
    text_init(&why);
    while (sexpr_read(&reader, &arena, &e, &why) == SEXPR_READ)
        if (sexpr_is_call(e, "define-fun", 5) && e->child[1]->kind == SEXPR_SYMBOL)
            offer_condition(&offer, &lines, &arena, e->child[1]->text, e->child[4]);
    for (size_t i = 0; i < lines.count; i++) {
        bool known = false; // two may have become one
        for (size_t k = 0; k < i && !known; k++)
            known = strcmp(lines.data[k], lines.data[i]) == 0;
        if (!known)
            text_printf(out, "%s\n", lines.data[i]);
    }
    for (size_t i = 0; i < lines.count; i++)
        memory_free(lines.data[i]);
    VECTOR_FINISH(&lines);
    text_finish(&why);
    arena_finish(&arena);
}
