#include "logic/ctl/formula.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

void ctl_formulas_init(struct ctl_formulas *formulas)
{
    memset(formulas, 0, sizeof *formulas);
}

void ctl_formulas_finish(struct ctl_formulas *formulas)
{
    VECTOR_FINISH(formulas);
}

// Formulas have a few dozen nodes: looking at all of them is quick enough.
static uint32_t node(struct ctl_formulas *formulas, enum ctl_kind kind, uint32_t left,
                     uint32_t right)
{
    for (uint32_t i = 0; i < formulas->count; i++) {
        const struct ctl_node *n = &formulas->data[i];
        if (n->kind == kind && n->left == left && n->right == right)
            return i;
    }
    VECTOR_PUSH(formulas, ((struct ctl_node){kind, left, right}));
    return formulas->count - 1;
}

static bool is_constant(const struct ctl_formulas *formulas, uint32_t a, bool value)
{
    return formulas->data[a].kind == CTL_CONSTANT && formulas->data[a].left == (uint32_t)value;
}

uint32_t ctl_constant(struct ctl_formulas *formulas, bool value)
{
    return node(formulas, CTL_CONSTANT, value, 0);
}

uint32_t ctl_atom(struct ctl_formulas *formulas, uint32_t atom)
{
    return node(formulas, CTL_ATOM, atom, 0);
}

uint32_t ctl_not(struct ctl_formulas *formulas, uint32_t a)
{
    assert(a < formulas->count);
    if (formulas->data[a].kind == CTL_NOT)
        return formulas->data[a].left;
    if (formulas->data[a].kind == CTL_CONSTANT)
        return ctl_constant(formulas, formulas->data[a].left == 0);
    return node(formulas, CTL_NOT, a, 0);
}

uint32_t ctl_and(struct ctl_formulas *formulas, uint32_t a, uint32_t b)
{
    if (a == b || is_constant(formulas, b, true) || is_constant(formulas, a, false))
        return a;
    if (is_constant(formulas, a, true) || is_constant(formulas, b, false))
        return b;
    return node(formulas, CTL_AND, a, b);
}

uint32_t ctl_or(struct ctl_formulas *formulas, uint32_t a, uint32_t b)
{
    if (a == b || is_constant(formulas, b, false) || is_constant(formulas, a, true))
        return a;
    if (is_constant(formulas, a, false) || is_constant(formulas, b, true))
        return b;
    return node(formulas, CTL_OR, a, b);
}

uint32_t ctl_ex(struct ctl_formulas *formulas, uint32_t a)
{
    return is_constant(formulas, a, false) ? a : node(formulas, CTL_EX, a, 0);
}

uint32_t ctl_ax(struct ctl_formulas *formulas, uint32_t a)
{
    return ctl_not(formulas, ctl_ex(formulas, ctl_not(formulas, a)));
}

uint32_t ctl_eu(struct ctl_formulas *formulas, uint32_t a, uint32_t b)
{
    if (formulas->data[b].kind == CTL_CONSTANT || is_constant(formulas, a, false))
        return b;
    return node(formulas, CTL_EU, a, b);
}

uint32_t ctl_ef(struct ctl_formulas *formulas, uint32_t a)
{
    return ctl_eu(formulas, ctl_constant(formulas, true), a);
}

uint32_t ctl_af(struct ctl_formulas *formulas, uint32_t a)
{
    return formulas->data[a].kind == CTL_CONSTANT ? a : node(formulas, CTL_AF, a, 0);
}

uint32_t ctl_eg(struct ctl_formulas *formulas, uint32_t a)
{
    return ctl_not(formulas, ctl_af(formulas, ctl_not(formulas, a)));
}

uint32_t ctl_ag(struct ctl_formulas *formulas, uint32_t a)
{
    return ctl_not(formulas, ctl_ef(formulas, ctl_not(formulas, a)));
}

uint32_t ctl_au(struct ctl_formulas *formulas, uint32_t a, uint32_t b)
{
    uint32_t not_b = ctl_not(formulas, b);
    uint32_t neither = ctl_and(formulas, ctl_not(formulas, a), not_b);
    return ctl_and(formulas, ctl_not(formulas, ctl_eu(formulas, not_b, neither)),
                   ctl_af(formulas, b));
}

bool ctl_is_local(const struct ctl_formulas *formulas, uint32_t formula)
{
    const struct ctl_node *n = &formulas->data[formula];
    switch (n->kind) {
    case CTL_CONSTANT:
    case CTL_ATOM:
        return true;
    case CTL_NOT:
        return ctl_is_local(formulas, n->left);
    case CTL_AND:
    case CTL_OR:
        return ctl_is_local(formulas, n->left) && ctl_is_local(formulas, n->right);
    default:
        return false;
    }
}

// A path of an over-approximation need not exist, so EX and EU hold surely only where they hold without one, and AF may
// hold everywhere; what all its paths have, all paths of the model have. Under-approximations are the mirror image.
struct ctl_reading ctl_read(const struct ctl_formulas *from, uint32_t formula, enum ctl_graph graph,
                            struct ctl_formulas *to)
{
    const struct ctl_node *n = &from->data[formula];
    struct ctl_reading a = {0}, b = {0};
    if (n->kind != CTL_CONSTANT && n->kind != CTL_ATOM)
        a = ctl_read(from, n->left, graph, to);
    if (n->kind == CTL_AND || n->kind == CTL_OR || n->kind == CTL_EU)
        b = ctl_read(from, n->right, graph, to);
    bool over = graph == CTL_GRAPH_OVER, under = graph == CTL_GRAPH_UNDER;
    switch (n->kind) {
    case CTL_CONSTANT:
        a.strong = a.weak = ctl_constant(to, n->left != 0);
        return a;
    case CTL_ATOM:
        return (struct ctl_reading){ctl_atom(to, 2 * n->left), ctl_atom(to, 2 * n->left + 1)};
    case CTL_NOT:
        return (struct ctl_reading){ctl_not(to, a.weak), ctl_not(to, a.strong)};
    case CTL_AND:
        return (struct ctl_reading){ctl_and(to, a.strong, b.strong), ctl_and(to, a.weak, b.weak)};
    case CTL_OR:
        return (struct ctl_reading){ctl_or(to, a.strong, b.strong), ctl_or(to, a.weak, b.weak)};
    case CTL_EX:
        return (struct ctl_reading){over ? ctl_constant(to, false) : ctl_ex(to, a.strong),
                                    under ? ctl_constant(to, true) : ctl_ex(to, a.weak)};
    case CTL_EU:
        return (struct ctl_reading){over ? b.strong : ctl_eu(to, a.strong, b.strong),
                                    under ? ctl_or(to, a.weak, b.weak)
                                          : ctl_eu(to, a.weak, b.weak)};
    case CTL_AF:
        return (struct ctl_reading){under ? a.strong : ctl_af(to, a.strong),
                                    over ? ctl_constant(to, true) : ctl_af(to, a.weak)};
    }
    assert(false);
    return a;
}
