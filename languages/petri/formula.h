#ifndef REGATTA_LANGUAGES_PETRI_FORMULA_H
#define REGATTA_LANGUAGES_PETRI_FORMULA_H

#include "languages/petri/net.h"
#include "logic/ctl/formula.h"

// Conditions on markings in negation normal form: linear comparisons under "and" and "or". What languages of
// properties say beyond that (fireable, deadlock, =, not) is written with these when it is read; numbers of tokens are
// integers, so not (s <= c) is -s <= -c - 1.

enum formula_kind { FORMULA_TRUE, FORMULA_FALSE, FORMULA_LINEAR, FORMULA_AND, FORMULA_OR };

struct formula {
    enum formula_kind kind;
    // LINEAR: the sum of weight * tokens is at most `bound`. Ascending places, no weight 0, at least one.
    struct net_arcs sum;
    int64_t bound;
    // AND, OR: at least two, none of the same kind, none constant.
    const struct formula *const *child;
    uint32_t child_count;
};

// Makers; the result may share its arguments. Memory is the arena's.
const struct formula *formula_constant(struct arena *arena, bool value);
// Terms in any order, the same place several times.
const struct formula *formula_at_most(struct arena *arena, const struct net_arc *terms,
                                      size_t count, int64_t bound);
const struct formula *formula_join(struct arena *arena, enum formula_kind kind,
                                   const struct formula *const *children, size_t count);
const struct formula *formula_not(struct arena *arena, const struct formula *formula);
const struct formula *formula_fireable(struct arena *arena, const struct net *net,
                                       uint32_t transition);
// No transition is enabled.
const struct formula *formula_deadlock(struct arena *arena, const struct net *net);

bool formula_holds(const struct formula *formula, const int64_t *marking);

// A formula of CTL; its atoms are conditions on markings.
struct branching {
    struct ctl_formulas nodes; // memory is the arena's: read only
    uint32_t formula;          // one of the nodes
    const struct formula *const *atoms;
    uint32_t atom_count;
};

// What is asked about a net.
enum question_kind {
    QUESTION_REACH,       // is a marking with `goal` reachable?
    QUESTION_BRANCHING,   // does a formula of CTL hold at the start?
    QUESTION_BOUND,       // the most tokens in `goal_sum` over the reachable markings
    QUESTION_UNSUPPORTED, // linear time
};

struct question {
    const char *name;
    enum question_kind kind;
    const struct formula *goal; // REACH
    const struct branching *branching;
    struct net_arcs goal_sum; // BOUND
    bool
        true_when_reached; // REACH: the property says that it is (EF); otherwise that it is not (AG not)
    const char *why;       // UNSUPPORTED: what it is
    struct position at;
};

struct question_list {
    struct question *data;
    size_t count, capacity;
};

// Property files of the Model Checking Contest. False with messages.
bool formula_read_xml(const struct net *net, const char *path, const char *text, size_t bytes,
                      struct arena *arena, struct question_list *out, struct messages *messages);
// One property as text, docs/petri.md has the grammar: `EF f`, `AG f`, `f` (as AG f), `deadlock`, `safe`, `(1, 0, 2)`,
// `bound(…)`.
bool formula_read_text(const struct net *net, const char *path, const char *text, size_t bytes,
                       struct arena *arena, struct question_list *out, struct messages *messages);

#endif
