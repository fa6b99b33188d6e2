#include "logic/smt/float_search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "logic/smt/float_interval.h"
#include "logic/smt/id_map.h"
#include "logic/terms/float_notes.h"
#include "logic/terms/rewrite.h"

#define MOST_NODES 20000 // terms of a question
#define MOST_DEPTH 2000  // of splits
#define LOOKS_AT_EACH 40 // of one part of the search
#define SMALL_CHANGES 6 // of one node that others are told of: bounds may creep from float to float

#define MOST_EQUATIONS 50 // from a variable to what it comes from
#define MOST_OPERATIONS 3 // inside one another that are held against others
#define NONE UINT32_MAX

enum { MAY_BE_FALSE = 1, MAY_BE_TRUE = 2, OPEN = 3 };

// What is known of a term. A word has bounds as a number without sign and, with 32 or 64 bits, as a float.
struct known {
    struct float_interval number;
    uint64_t least, most;
    uint8_t truth; // of Booleans
};

struct node {
    const struct term *term;
    uint32_t bits; // of words that are followed; 0: of others
    bool noted, followed;
    struct float_note note;
    uint32_t first_child, child_count;
    uint32_t first_parent, parent_count;
    uint32_t definition; // of a variable: what a formula says it equals; NONE: nothing
    bool is_same;        // both operands are one number, or none of them is one
    bool is_float, is_defined, is_leaf;
    double width; // where the search began
    bool waiting;
    uint64_t round; // of propagation, in which it changed by little so many times:
    unsigned small_changes;
};

struct change {
    uint32_t node;
    struct known before;
};

struct split {
    uint32_t node;
    size_t changes; // before it
    struct known other;
    bool other_tried;
};

struct search {
    const struct term_store *store;
    VECTOR(struct node) nodes;
    VECTOR(uint32_t) children, parents;
    struct id_map index; // by term id: position + 1
    struct known *known;
    VECTOR(struct change) changes;
    VECTOR(struct split) splits;
    VECTOR(uint32_t) queue;
    size_t queue_at;
    int64_t *work;
    uint64_t round;
    bool contradiction, has_floats;
};

// The graph: a term that is noted has its operands as children and not the bits it is made of.

static bool is_word(const struct term *t)
{
    return t->sort->kind == SORT_BV && t->sort->width <= 64;
}

// Operators that `look_at` knows.
static bool is_followed(const struct term *t)
{
    switch ((enum term_kind)t->kind) {
    case TERM_NOT:
    case TERM_AND:
    case TERM_OR:
        return true;
    case TERM_EQ:
        return t->child[0]->sort->kind == SORT_BOOL || is_word(t->child[0]);
    case TERM_ITE:
        return t->sort->kind == SORT_BOOL || is_word(t);
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_ADD:
    case TERM_BV_MUL:
    case TERM_BV_AND:
    case TERM_BV_OR:
    case TERM_BV_XOR:
    case TERM_BV_NOT:
    case TERM_BV_NEG:
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return is_word(t->child[0]) && (t->sort->kind == SORT_BOOL || is_word(t));
    case TERM_BV_EXTRACT: // the first bit
        return is_word(t->child[0]) && t->u.extract.low == t->u.extract.high &&
               t->u.extract.low == t->child[0]->sort->width - 1;
    default:
        return false;
    }
}

static uint32_t index_of(struct search *s, const struct term *t)
{
    return (uint32_t)(uintptr_t)id_map_get(&s->index, t->id);
}

static const struct term *operand(const struct node *n, uint32_t i)
{
    return !n->noted ? n->term->child[i] : i == 0 ? n->note.a : n->note.b;
}

static struct node describe(struct search *s, const struct term *t)
{
    struct node n = {.term = t, .bits = is_word(t) ? t->sort->width : 0, .definition = NONE};
    const struct float_note *note = float_note_of(s->store, t);
    if (note != NULL) {
        n.noted = n.followed = true;
        n.note = *note;
        n.child_count = note->b != NULL ? 2 : 1;
        s->has_floats = true;
    } else if (is_followed(t)) {
        n.followed = true;
        n.child_count = t->child_count;
    }
    n.is_leaf = !n.followed && !term_is_literal(t);
    return n;
}

// Children before those that have them. False: too many.
static bool add_term(struct search *s, const struct term *root)
{
    struct term_vector todo = {0};
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0 && s->nodes.count < MOST_NODES) {
        const struct term *t = VECTOR_LAST(&todo);
        if (index_of(s, t) != 0) {
            todo.count--;
            continue;
        }
        struct node n = describe(s, t);
        size_t before = todo.count;
        for (uint32_t i = n.child_count; i-- > 0;)
            if (index_of(s, operand(&n, i)) == 0)
                VECTOR_PUSH(&todo, operand(&n, i));
        if (todo.count > before)
            continue;
        n.first_child = (uint32_t)s->children.count;
        for (uint32_t i = 0; i < n.child_count; i++)
            VECTOR_PUSH(&s->children, index_of(s, operand(&n, i)) - 1);
        VECTOR_PUSH(&s->nodes, n);
        id_map_put(&s->index, t->id, (const void *)(uintptr_t)s->nodes.count);
        todo.count--;
    }
    bool whole = todo.count == 0;
    VECTOR_FINISH(&todo);
    return whole;
}

static void add_parents(struct search *s)
{
    for (size_t i = 0; i < s->children.count; i++)
        s->nodes.data[s->children.data[i]].parent_count++;
    uint32_t first = 0;
    for (size_t i = 0; i < s->nodes.count; i++) {
        s->nodes.data[i].first_parent = first;
        first += s->nodes.data[i].parent_count;
        s->nodes.data[i].parent_count = 0;
    }
    VECTOR_RESERVE(&s->parents, s->children.count + 1);
    for (uint32_t i = 0; i < s->nodes.count; i++)
        for (uint32_t k = 0; k < s->nodes.data[i].child_count; k++) {
            struct node *child = &s->nodes.data[s->children.data[s->nodes.data[i].first_child + k]];
            s->parents.data[child->first_parent + child->parent_count++] = i;
        }
}

static uint32_t child_of(const struct search *s, const struct node *n, uint32_t i)
{
    assert(i < n->child_count);
    return s->children.data[n->first_child + i];
}

// Words that are floats for some operation, or equal to such.
static void find_floats(struct search *s)
{
    for (size_t i = 0; i < s->nodes.count; i++) {
        const struct node *n = &s->nodes.data[i];
        bool of_integers = n->note.meaning == FLOAT_MEANS_FROM_SIGNED ||
                           n->note.meaning == FLOAT_MEANS_FROM_UNSIGNED;
        for (uint32_t k = 0; n->noted && !of_integers && k < n->child_count; k++)
            s->nodes.data[child_of(s, n, k)].is_float = true;
    }
    bool changed = true;
    for (unsigned round = 0; changed && round < 8; round++) {
        changed = false;
        for (size_t i = 0; i < s->nodes.count; i++) {
            struct node *n = &s->nodes.data[i];
            if (n->noted || !n->followed || (n->term->kind != TERM_EQ && n->term->kind != TERM_ITE))
                continue;
            struct node *a = &s->nodes.data[child_of(s, n, n->term->kind == TERM_EQ ? 0 : 1)];
            struct node *b = &s->nodes.data[child_of(s, n, n->term->kind == TERM_EQ ? 1 : 2)];
            bool any = a->is_float || b->is_float || (n->term->kind == TERM_ITE && n->is_float);
            changed |= any && !(a->is_float && b->is_float);
            a->is_float |= any;
            b->is_float |= any;
            if (n->term->kind == TERM_EQ) { // a variable that is what something else says
                a->is_defined |= a->is_leaf && (!b->is_leaf || a->term->id > b->term->id);
                b->is_defined |= b->is_leaf && (!a->is_leaf || b->term->id > a->term->id);
            }
        }
    }
}

// Equations that hold.

static void take_definitions(struct search *s, const struct term *formula)
{
    struct term_vector parts = {0};
    rewrite_conjuncts(formula, &parts);
    for (size_t i = 0; i < parts.count; i++) {
        uint32_t at = index_of(s, parts.data[i]);
        if (at == 0 || s->nodes.data[at - 1].noted || !s->nodes.data[at - 1].followed ||
            parts.data[i]->kind != TERM_EQ)
            continue; // equations of arrays are not followed
        uint32_t a = child_of(s, &s->nodes.data[at - 1], 0);
        uint32_t b = child_of(s, &s->nodes.data[at - 1], 1);
        struct node *x = &s->nodes.data[a], *y = &s->nodes.data[b];
        if (x->is_defined && x->definition == NONE)
            x->definition = b;
        else if (y->is_defined && y->definition == NONE)
            y->definition = a;
    }
    VECTOR_FINISH(&parts);
}

static uint32_t origin_of(const struct search *s, uint32_t at)
{
    for (unsigned i = 0; i < MOST_EQUATIONS && s->nodes.data[at].definition != NONE; i++)
        at = s->nodes.data[at].definition;
    return at;
}

// The same number wherever both are numbers, which both are or neither is: sums and products do not mind the order of their operands,
// but for what is no number.
static bool are_same(const struct search *s, uint32_t a, uint32_t b, unsigned most)
{
    a = origin_of(s, a);
    b = origin_of(s, b);
    const struct node *x = &s->nodes.data[a], *y = &s->nodes.data[b];
    if (a == b)
        return true;
    if (most == 0 || !x->noted || !y->noted || x->note.meaning != y->note.meaning ||
        x->bits != y->bits || x->note.meaning > FLOAT_MEANS_RESIZED)
        return false;
    if (are_same(s, child_of(s, x, 0), child_of(s, y, 0), most - 1) &&
        (x->child_count == 1 || are_same(s, child_of(s, x, 1), child_of(s, y, 1), most - 1)))
        return true;
    return (x->note.meaning == FLOAT_MEANS_SUM || x->note.meaning == FLOAT_MEANS_PRODUCT) &&
           are_same(s, child_of(s, x, 0), child_of(s, y, 1), most - 1) &&
           are_same(s, child_of(s, x, 1), child_of(s, y, 0), most - 1);
}

static void find_same_operands(struct search *s)
{
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        struct node *n = &s->nodes.data[i];
        n->is_same = n->noted && n->child_count == 2 &&
                     are_same(s, child_of(s, n, 0), child_of(s, n, 1), MOST_OPERATIONS);
    }
}

// What is known.

static uint64_t greatest_of(uint32_t bits)
{
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static bool may_be_float(const struct node *n)
{
    return n->bits == 32 || n->bits == 64;
}

static struct known nothing_known(const struct node *n)
{
    struct known k = {.number = float_interval_any(), .most = UINT64_MAX, .truth = OPEN};
    if (n->bits > 0)
        k.most = greatest_of(n->bits);
    if (n->term->kind == TERM_BOOL)
        k.truth = term_is_true(n->term) ? MAY_BE_TRUE : MAY_BE_FALSE;
    else if (n->bits > 0 && n->term->kind == TERM_BV && value_is_small(n->term->u.value)) {
        k.least = k.most = (uint64_t)value_small_get(n->term->u.value);
    } else if (n->bits > 0 && n->term->kind == TERM_BV) {
        uint64_t value = 0;
        for (const char *c = n->term->u.text; *c != '\0'; c++)
            value = value * 10 + (uint64_t)(*c - '0');
        k.least = k.most = value;
    }
    if (may_be_float(n))
        k.number = float_interval_meet(k.number, float_interval_of_bits(n->bits, k.least, k.most));
    return k;
}

static void wait_for_look(struct search *s, uint32_t at)
{
    if (s->nodes.data[at].waiting || !s->nodes.data[at].followed)
        return;
    s->nodes.data[at].waiting = true;
    VECTOR_PUSH(&s->queue, at);
}

static bool is_empty(const struct node *n, const struct known *k)
{
    return n->term->sort->kind == SORT_BOOL
               ? k->truth == 0
               : n->bits > 0 && (k->least > k->most ||
                                 (may_be_float(n) && float_interval_is_empty(k->number)));
}

static bool same_known(const struct known *a, const struct known *b)
{
    return a->number.low == b->number.low && a->number.high == b->number.high &&
           a->number.nan == b->number.nan && a->least == b->least && a->most == b->most &&
           a->truth == b->truth;
}

// Has the interval lost a good part of what it had?
static bool is_large_change(const struct known *before, const struct known *now)
{
    const struct float_interval a = before->number, b = now->number;
    if (before->truth != now->truth || a.nan != b.nan || (b.low == b.high && a.low != a.high) ||
        (now->least == now->most && before->least != before->most))
        return true;
    bool bits = (now->most - now->least) < (before->most - before->least) / 16 * 15;
    if ((isinf(a.low) && !isinf(b.low)) || (isinf(a.high) && !isinf(b.high)))
        return true;
    return bits || !(b.high - b.low > (a.high - a.low) * 0.9);
}

static bool is_worth_telling(struct search *s, struct node *n, const struct known *before,
                             const struct known *now)
{
    if (n->round != s->round)
        n->small_changes = 0;
    n->round = s->round;
    return is_large_change(before, now) || n->small_changes++ < SMALL_CHANGES;
}

// What is known of the node is this, too.
static void learn(struct search *s, uint32_t at, struct known fact)
{
    struct node *n = &s->nodes.data[at];
    struct known *known = &s->known[at], now = *known;
    now.truth &= fact.truth;
    now.least = fact.least > now.least ? fact.least : now.least;
    now.most = fact.most < now.most ? fact.most : now.most;
    if (may_be_float(n)) {
        now.number = float_interval_meet(now.number, fact.number);
        if (now.least > known->least || now.most < known->most)
            now.number = float_interval_meet(now.number,
                                             float_interval_of_bits(n->bits, now.least, now.most));
    }
    if (same_known(&now, known))
        return;
    const struct known before = *known;
    VECTOR_PUSH(&s->changes, ((struct change){at, before}));
    *known = now;
    if (is_empty(n, &now)) {
        s->contradiction = true;
        return;
    }
    if (!is_worth_telling(s, n, &before, &now))
        return;
    wait_for_look(s, at);
    for (uint32_t i = 0; i < n->parent_count; i++)
        wait_for_look(s, s->parents.data[n->first_parent + i]);
}

static struct known anything(void)
{
    return (struct known){.number = float_interval_any(), .most = UINT64_MAX, .truth = OPEN};
}

static void learn_truth(struct search *s, uint32_t at, uint8_t truth)
{
    struct known fact = anything();
    fact.truth = truth;
    learn(s, at, fact);
}

static void learn_number(struct search *s, uint32_t at, struct float_interval number)
{
    struct known fact = anything();
    fact.number = number;
    learn(s, at, fact);
}

static void learn_bounds(struct search *s, uint32_t at, uint64_t least, uint64_t most)
{
    struct known fact = anything();
    fact.least = least;
    fact.most = most;
    learn(s, at, fact);
}

// Operators.

// AND where `whole` is true, OR where it is false: all children are that where the term is.
static void look_at_junction(struct search *s, uint32_t at, const struct node *n, uint8_t whole)
{
    const uint8_t other = OPEN ^ whole;
    uint32_t open = 0, last = 0;
    bool decided = false;
    for (uint32_t i = 0; i < n->child_count; i++) {
        uint32_t child = child_of(s, n, i);
        if (s->known[at].truth == whole)
            learn_truth(s, child, whole);
        decided |= s->known[child].truth == other;
        if (s->known[child].truth != whole) {
            open++;
            last = child;
        }
    }
    if (decided)
        learn_truth(s, at, other);
    else if (open == 0)
        learn_truth(s, at, whole);
    else if (open == 1 && s->known[at].truth == other)
        learn_truth(s, last, other);
}

static uint8_t turned(uint8_t truth)
{
    return (uint8_t)((truth & 1) << 1 | truth >> 1);
}

// The node is not what the other is, which has one value.
static void leave_out(struct search *s, uint32_t at, struct known other)
{
    const struct known *k = &s->known[at];
    if (other.least != other.most || s->nodes.data[at].bits == 0)
        return;
    if (k->least == k->most && k->least == other.least)
        s->contradiction = true;
    else if (k->least == other.least)
        learn_bounds(s, at, k->least + 1, UINT64_MAX);
    else if (k->most == other.most)
        learn_bounds(s, at, 0, k->most - 1);
}

static void look_at_equation(struct search *s, uint32_t at, const struct node *n)
{
    uint32_t a = child_of(s, n, 0), b = child_of(s, n, 1);
    const struct known x = s->known[a], y = s->known[b];
    bool truths = s->nodes.data[a].term->sort->kind == SORT_BOOL;
    if (s->known[at].truth == MAY_BE_TRUE) {
        learn(s, a, y);
        learn(s, b, s->known[a]);
    } else if (!truths && s->known[at].truth == MAY_BE_FALSE) {
        leave_out(s, a, y);
        leave_out(s, b, x);
    } else if (truths && s->known[at].truth == MAY_BE_FALSE) {
        learn_truth(s, a, y.truth == OPEN ? OPEN : turned(y.truth));
        learn_truth(s, b, x.truth == OPEN ? OPEN : turned(x.truth));
    }
    if (truths && x.truth != OPEN && y.truth != OPEN)
        learn_truth(s, at, x.truth == y.truth ? MAY_BE_TRUE : MAY_BE_FALSE);
    if (truths)
        return;
    bool floats = may_be_float(&s->nodes.data[a]);
    if (x.most < y.least || y.most < x.least ||
        (floats && float_interval_is_empty(float_interval_meet(x.number, y.number))))
        learn_truth(s, at, MAY_BE_FALSE);
    else if (a == b || (x.least == x.most && y.least == y.most && x.least == y.least))
        learn_truth(s, at, MAY_BE_TRUE);
}

static struct known joined(struct known a, struct known b)
{
    return (struct known){float_interval_join(a.number, b.number),
                          a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most,
                          a.truth | b.truth};
}

// May the two be the same?
static bool may_meet(const struct search *s, uint32_t a, uint32_t b)
{
    const struct known *x = &s->known[a], *y = &s->known[b];
    const struct node *n = &s->nodes.data[a];
    return n->term->sort->kind == SORT_BOOL
               ? (x->truth & y->truth) != 0
               : x->least <= y->most && y->least <= x->most &&
                     !(may_be_float(n) &&
                       float_interval_is_empty(float_interval_meet(x->number, y->number)));
}

static void look_at_choice(struct search *s, uint32_t at, const struct node *n)
{
    uint32_t condition = child_of(s, n, 0), yes = child_of(s, n, 1), no = child_of(s, n, 2);
    if (!may_meet(s, yes, at))
        learn_truth(s, condition, MAY_BE_FALSE);
    if (!may_meet(s, no, at))
        learn_truth(s, condition, MAY_BE_TRUE);
    if (s->known[condition].truth == OPEN) {
        learn(s, at, joined(s->known[yes], s->known[no]));
        return;
    }
    uint32_t taken = s->known[condition].truth == MAY_BE_TRUE ? yes : no;
    learn(s, at, s->known[taken]);
    learn(s, taken, s->known[at]);
}

// a < b, or a <= b.
static void look_at_comparison(struct search *s, uint32_t at, const struct node *n, bool strict)
{
    uint32_t a = child_of(s, n, 0), b = child_of(s, n, 1);
    const struct known x = s->known[a], y = s->known[b];
    if (strict ? x.most < y.least : x.most <= y.least)
        learn_truth(s, at, MAY_BE_TRUE);
    else if (strict ? x.least >= y.most : x.least > y.most)
        learn_truth(s, at, MAY_BE_FALSE);
    if (s->known[at].truth == OPEN)
        return;
    bool holds = s->known[at].truth == MAY_BE_TRUE, apart = holds == strict;
    uint32_t low = holds ? a : b,
             high = holds ? b : a; // low < high where `apart`, else low <= high
    uint64_t most = s->known[high].most, least = s->known[low].least;
    if (apart && (most == 0 || least == UINT64_MAX)) {
        s->contradiction = true;
        return;
    }
    learn_bounds(s, low, 0, apart ? most - 1 : most);
    learn_bounds(s, high, apart ? least + 1 : least, UINT64_MAX);
}

static void look_at_sum(struct search *s, uint32_t at, const struct node *n)
{
    const struct known x = s->known[child_of(s, n, 0)], y = s->known[child_of(s, n, 1)];
    uint64_t most, greatest = greatest_of(n->bits);
    if (!__builtin_add_overflow(x.most, y.most, &most) && most <= greatest)
        learn_bounds(s, at, x.least + y.least, most);
}

// Where the operands have one value each.
static bool compute(const struct node *n, uint64_t a, uint64_t b, uint32_t from, uint64_t *out)
{
    switch ((enum term_kind)n->term->kind) {
    case TERM_BV_ADD:
        *out = a + b;
        break;
    case TERM_BV_MUL:
        *out = a * b;
        break;
    case TERM_BV_AND:
        *out = a & b;
        break;
    case TERM_BV_OR:
        *out = a | b;
        break;
    case TERM_BV_XOR:
        *out = a ^ b;
        break;
    case TERM_BV_NOT:
        *out = ~a;
        break;
    case TERM_BV_NEG:
        *out = -a;
        break;
    case TERM_BV_SHL:
        *out = b < n->bits ? a << b : 0;
        break;
    case TERM_BV_LSHR:
        *out = b < n->bits ? a >> b : 0;
        break;
    case TERM_BV_SEXT:
        *out = (uint64_t)((int64_t)(a << (64 - from)) >> (64 - from));
        break;
    default:
        return false;
    }
    *out &= greatest_of(n->bits);
    return true;
}

static void look_at_word(struct search *s, uint32_t at, const struct node *n)
{
    const struct known x = s->known[child_of(s, n, 0)];
    const struct known y = n->child_count > 1 ? s->known[child_of(s, n, 1)] : x;
    uint64_t most = 0, value = 0;
    if (x.least == x.most && y.least == y.most &&
        compute(n, x.least, y.least, n->term->child[0]->sort->width, &value))
        learn_bounds(s, at, value, value);
    else if (n->term->kind == TERM_BV_ADD)
        look_at_sum(s, at, n);
    else if (n->term->kind == TERM_BV_MUL && !__builtin_mul_overflow(x.most, y.most, &most) &&
             most <= greatest_of(n->bits))
        learn_bounds(s, at, x.least * y.least, most);
    else if (n->term->kind == TERM_BV_AND)
        learn_bounds(s, at, 0, x.most < y.most ? x.most : y.most);
}

static void look_at_first_bit(struct search *s, uint32_t at, const struct node *n)
{
    uint32_t child = child_of(s, n, 0);
    const uint64_t half = (uint64_t)1 << (n->term->child[0]->sort->width - 1);
    learn_bounds(s, at, s->known[child].least >= half, s->known[child].most >= half);
    if (s->known[at].most == 0)
        learn_bounds(s, child, 0, half - 1);
    else if (s->known[at].least == 1)
        learn_bounds(s, child, half, UINT64_MAX);
}

// Operations on floats.

static void look_at_order(struct search *s, uint32_t at, const struct node *n)
{
    uint32_t a = child_of(s, n, 0), b = child_of(s, n, 1);
    const bool exact = n->note.meaning == FLOAT_MEANS_COMPARISON;
    unsigned may = float_interval_orders(s->known[a].number, s->known[b].number, n->is_same);
    if (exact || !(may & 8)) {
        if ((may & n->note.detail) == 0)
            learn_truth(s, at, MAY_BE_FALSE);
        else if ((may & ~n->note.detail) == 0)
            learn_truth(s, at, MAY_BE_TRUE);
    }
    if (s->known[at].truth == OPEN || a == b)
        return;
    unsigned orders = s->known[at].truth == MAY_BE_TRUE ? n->note.detail : ~n->note.detail & 15;
    if (!exact && (may & 8))
        return;
    struct float_interval x = s->known[a].number, y = s->known[b].number;
    float_interval_order(s->nodes.data[a].bits, orders, &x, &y);
    learn_number(s, a, x);
    learn_number(s, b, y);
}

static void look_at_class(struct search *s, uint32_t at, const struct node *n)
{
    uint32_t a = child_of(s, n, 0), bits = s->nodes.data[a].bits;
    uint32_t may = float_interval_classes(bits, s->known[a].number), detail = n->note.detail;
    if ((may & detail) == 0)
        learn_truth(s, at, MAY_BE_FALSE);
    else if ((may & ~detail) == 0)
        learn_truth(s, at, MAY_BE_TRUE);
    if (s->known[at].truth != OPEN)
        learn_number(s, a,
                     float_interval_of_classes(
                         bits, s->known[a].number,
                         s->known[at].truth == MAY_BE_TRUE ? detail : ~detail & 0x3ff));
}

// Both bounds of a word of some bits, if they have one sign.
static bool signed_bounds(const struct known *k, uint32_t bits, int64_t *low, int64_t *high)
{
    const uint64_t half = (uint64_t)1 << (bits - 1);
    if ((k->least >= half) != (k->most >= half))
        return false;
    *low = (int64_t)(k->least << (64 - bits)) >> (64 - bits);
    *high = (int64_t)(k->most << (64 - bits)) >> (64 - bits);
    return true;
}

static void look_at_integer(struct search *s, uint32_t at, const struct node *n)
{
    const struct node *from = &s->nodes.data[child_of(s, n, 0)];
    const struct known *k = &s->known[child_of(s, n, 0)];
    int64_t low = 0, high = 0;
    if (from->bits == 0)
        return;
    if (n->note.meaning == FLOAT_MEANS_FROM_UNSIGNED) {
        learn_number(s, at, float_interval_from_unsigned(n->bits, k->least, k->most));
        return;
    }
    if (!signed_bounds(k, from->bits, &low, &high)) {
        high = (int64_t)(greatest_of(from->bits) >> 1);
        low = -high - 1;
    }
    learn_number(s, at, float_interval_from_signed(n->bits, low, high));
}

// Where all of the interval fits.
static void look_at_whole_part(struct search *s, uint32_t at, const struct node *n)
{
    const struct float_interval a = s->known[child_of(s, n, 0)].number;
    if (a.nan || !(a.low <= a.high) || n->bits == 0)
        return;
    bool sign = n->note.meaning == FLOAT_MEANS_TO_SIGNED;
    double limit = ldexp(1, (int)n->bits - (sign ? 1 : 0));
    double low = trunc(a.low), high = trunc(a.high);
    if (high >= limit || low < (sign ? -limit : 0) || (low < 0 && high >= 0))
        return;
    uint64_t least = low < 0 ? (uint64_t)(int64_t)low : (uint64_t)low;
    uint64_t most = high < 0 ? (uint64_t)(int64_t)high : (uint64_t)high;
    learn_bounds(s, at, least & greatest_of(n->bits), most & greatest_of(n->bits));
}

static void look_at_number(struct search *s, uint32_t at, const struct node *n)
{
    uint32_t first = child_of(s, n, 0), second = n->child_count > 1 ? child_of(s, n, 1) : first;
    const struct float_interval a = s->known[first].number, b = s->known[second].number;
    switch (n->note.meaning) {
    case FLOAT_MEANS_SUM:
        learn_number(s, at, float_interval_sum(n->bits, a, b));
        break;
    case FLOAT_MEANS_DIFFERENCE:
        learn_number(s, at,
                     n->is_same ? float_interval_zero_difference(a)
                                : float_interval_sum(n->bits, a, float_interval_negative(b)));
        break;
    case FLOAT_MEANS_PRODUCT:
        learn_number(s, at, float_interval_product(n->bits, a, b, n->is_same));
        break;
    case FLOAT_MEANS_QUOTIENT:
        learn_number(s, at, float_interval_quotient(n->bits, a, b));
        break;
    case FLOAT_MEANS_NEGATIVE:
        learn_number(s, at, float_interval_negative(a));
        learn_number(s, first, float_interval_negative(s->known[at].number));
        break;
    case FLOAT_MEANS_MAGNITUDE: {
        learn_number(s, at, float_interval_magnitude(a));
        const struct float_interval m = s->known[at].number;
        if (m.low <= m.high)
            learn_number(s, first, (struct float_interval){-m.high, m.high, m.nan});
        break;
    }
    case FLOAT_MEANS_RESIZED:
        learn_number(s, at, float_interval_resized(n->bits, a));
        if (n->bits > s->nodes.data[first].bits) // exact
            learn_number(s, first,
                         float_interval_resized(s->nodes.data[first].bits, s->known[at].number));
        break;
    default:
        assert(false && "all operations on floats are above");
    }
}

static void look_at_note(struct search *s, uint32_t at, const struct node *n)
{
    switch (n->note.meaning) {
    case FLOAT_MEANS_COMPARISON:
    case FLOAT_MEANS_ORDER:
        look_at_order(s, at, n);
        break;
    case FLOAT_MEANS_CLASS:
        look_at_class(s, at, n);
        break;
    case FLOAT_MEANS_FROM_SIGNED:
    case FLOAT_MEANS_FROM_UNSIGNED:
        look_at_integer(s, at, n);
        break;
    case FLOAT_MEANS_TO_SIGNED:
    case FLOAT_MEANS_TO_UNSIGNED:
        look_at_whole_part(s, at, n);
        break;
    default:
        look_at_number(s, at, n);
    }
}

static void look_at(struct search *s, uint32_t at)
{
    const struct node *n = &s->nodes.data[at];
    if (n->noted) {
        look_at_note(s, at, n);
        return;
    }
    switch ((enum term_kind)n->term->kind) {
    case TERM_NOT:
        learn_truth(s, at, turned(s->known[child_of(s, n, 0)].truth));
        learn_truth(s, child_of(s, n, 0), turned(s->known[at].truth));
        break;
    case TERM_AND:
        look_at_junction(s, at, n, MAY_BE_TRUE);
        break;
    case TERM_OR:
        look_at_junction(s, at, n, MAY_BE_FALSE);
        break;
    case TERM_EQ:
        look_at_equation(s, at, n);
        break;
    case TERM_ITE:
        look_at_choice(s, at, n);
        break;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
        look_at_comparison(s, at, n, n->term->kind == TERM_BV_ULT);
        break;
    case TERM_BV_ZEXT:
        learn_bounds(s, at, s->known[child_of(s, n, 0)].least, s->known[child_of(s, n, 0)].most);
        learn_bounds(s, child_of(s, n, 0), s->known[at].least, s->known[at].most);
        break;
    case TERM_BV_EXTRACT:
        look_at_first_bit(s, at, n);
        break;
    default: // the other words that is_followed names
        look_at_word(s, at, n);
    }
}

// Until nothing changes, or it becomes too much.
static void propagate(struct search *s)
{
    size_t most = LOOKS_AT_EACH * s->nodes.count;
    s->round++;
    while (s->queue_at < s->queue.count && !s->contradiction && most-- > 0 && *s->work > 0) {
        uint32_t at = s->queue.data[s->queue_at++];
        s->nodes.data[at].waiting = false;
        *s->work -= 1 + s->nodes.data[at].child_count / 4;
        look_at(s, at);
    }
    while (s->queue_at < s->queue.count)
        s->nodes.data[s->queue.data[s->queue_at++]].waiting = false;
    VECTOR_CLEAR(&s->queue);
    s->queue_at = 0;
}

// Splits.

static double width_of(struct float_interval a)
{
    if (!(a.low <= a.high))
        return 0;
    double width = a.high - a.low;
    return isinf(width) || a.nan ? INFINITY : width;
}

// Truth of conditions comes first; of floats the one that is widest beside what it was, and of those that others define the last.
static bool choose(const struct search *s, uint32_t *chosen)
{
    double best = 0;
    for (unsigned defined = 0; defined < 2 && best <= 0; defined++)
        for (uint32_t i = 0; i < s->nodes.count; i++) {
            const struct node *n = &s->nodes.data[i];
            const struct known *k = &s->known[i];
            if (!n->is_leaf || n->is_defined != (defined == 1))
                continue;
            if (n->term->sort->kind == SORT_BOOL && k->truth == OPEN) {
                *chosen = i;
                return true;
            }
            if (!n->is_float || !may_be_float(n) || !(k->number.low <= k->number.high))
                continue;
            double width = width_of(k->number);
            if (!isinf(width))
                width = isinf(n->width) ? width / (1 + width) : width / n->width;
            if (width > best) {
                best = width;
                *chosen = i;
            }
        }
    return best > 0;
}

static bool split_at(const struct search *s, uint32_t at, struct known parts[2])
{
    const struct node *n = &s->nodes.data[at];
    struct float_interval halves[2];
    parts[0] = parts[1] = anything();
    if (n->term->sort->kind == SORT_BOOL) {
        parts[0].truth = MAY_BE_TRUE;
        parts[1].truth = MAY_BE_FALSE;
        return true;
    }
    if (!float_interval_split(n->bits, s->known[at].number, halves))
        return false;
    parts[0].number = halves[0];
    parts[1].number = halves[1];
    return true;
}

static void go_back(struct search *s, size_t changes)
{
    while (s->changes.count > changes) {
        const struct change c = VECTOR_POP(&s->changes);
        s->known[c.node] = c.before;
    }
    s->contradiction = false;
}

// True: another part of the search is to be looked at.
static bool next_part(struct search *s)
{
    while (s->splits.count > 0) {
        struct split *last = &VECTOR_LAST(&s->splits);
        go_back(s, last->changes);
        if (!last->other_tried) {
            last->other_tried = true;
            learn(s, last->node, last->other);
            return true;
        }
        s->splits.count--;
    }
    return false;
}

// Where every float is one value: those that nothing else defines.
static void take_point(const struct search *s, struct float_choices *found)
{
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        const struct node *n = &s->nodes.data[i];
        const struct float_interval number = s->known[i].number;
        if (!n->is_leaf || !n->is_float || n->is_defined || n->term->kind != TERM_VAR ||
            !may_be_float(n) || number.nan || number.low != number.high)
            continue;
        struct float_choice choice = {n->term, float_interval_bits(n->bits, number.low)};
        VECTOR_PUSH(found, choice);
    }
}

static bool search_through(struct search *s, struct float_choices *found)
{
    for (;;) {
        propagate(s);
        if (s->contradiction) {
            if (!next_part(s))
                return true;
            continue;
        }
        uint32_t at = 0;
        struct known parts[2];
        if (*s->work <= 0 || s->splits.count >= MOST_DEPTH)
            return false;
        if (!choose(s, &at) || !split_at(s, at, parts)) {
            take_point(s, found);
            return false;
        }
        *s->work -= (int64_t)s->nodes.count / 8;
        VECTOR_PUSH(&s->splits, ((struct split){at, s->changes.count, parts[1], false}));
        learn(s, at, parts[0]);
    }
}

static bool begin(struct search *s, const struct term *const *formulas, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!add_term(s, formulas[i]))
            return false;
    *s->work -= (int64_t)s->nodes.count;
    if (!s->has_floats || s->nodes.count == 0)
        return false;
    add_parents(s);
    find_floats(s);
    for (size_t i = 0; i < count; i++)
        take_definitions(s, formulas[i]);
    find_same_operands(s);
    s->known = memory_alloc(s->nodes.count * sizeof *s->known);
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        s->known[i] = nothing_known(&s->nodes.data[i]);
        wait_for_look(s, i);
    }
    for (size_t i = 0; i < count; i++)
        learn_truth(s, index_of(s, formulas[i]) - 1, MAY_BE_TRUE);
    return true;
}

bool float_search_refutes(const struct term_store *store, const struct term *const *formulas,
                          size_t count, int64_t *work, struct float_choices *found)
{
    struct search s = {.store = store, .work = work};
    bool refuted = false;
    if (begin(&s, formulas, count)) {
        propagate(&s);
        for (size_t i = 0; i < s.nodes.count; i++)
            s.nodes.data[i].width = width_of(s.known[i].number);
        refuted = s.contradiction || search_through(&s, found);
    }
    VECTOR_FINISH(&s.nodes);
    VECTOR_FINISH(&s.children);
    VECTOR_FINISH(&s.parents);
    VECTOR_FINISH(&s.changes);
    VECTOR_FINISH(&s.splits);
    VECTOR_FINISH(&s.queue);
    id_map_finish(&s.index);
    memory_free(s.known);
    return refuted;
}
