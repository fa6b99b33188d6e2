#ifndef REGATTA_LOGIC_CTL_FORMULA_H
#define REGATTA_LOGIC_CTL_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

// CTL formulas (Clarke, Emerson 1981) as a table of nodes: equal formulas are the same number, and a node's
// operands have smaller numbers than itself. All operators are written with EX, E[· U ·] and AF.
//
// Deadlock states end a maximal path: AF g is false there unless g, EX g is false.

enum ctl_kind { CTL_CONSTANT, CTL_ATOM, CTL_NOT, CTL_AND, CTL_OR, CTL_EX, CTL_EU, CTL_AF };

struct ctl_node {
    enum ctl_kind kind;
    uint32_t left,
        right; // operands; CTL_CONSTANT: left is 0 or 1; CTL_ATOM: left is the kernel's number of the atom
};

struct ctl_formulas {
    struct ctl_node *data;
    uint32_t count, capacity;
};

void ctl_formulas_init(struct ctl_formulas *formulas);
void ctl_formulas_finish(struct ctl_formulas *formulas);

uint32_t ctl_constant(struct ctl_formulas *formulas, bool value);
uint32_t ctl_atom(struct ctl_formulas *formulas, uint32_t atom);
uint32_t ctl_not(struct ctl_formulas *formulas, uint32_t a);
uint32_t ctl_and(struct ctl_formulas *formulas, uint32_t a, uint32_t b);
uint32_t ctl_or(struct ctl_formulas *formulas, uint32_t a, uint32_t b);
uint32_t ctl_ex(struct ctl_formulas *formulas, uint32_t a);
uint32_t ctl_ax(struct ctl_formulas *formulas, uint32_t a);
uint32_t ctl_ef(struct ctl_formulas *formulas, uint32_t a);
uint32_t ctl_af(struct ctl_formulas *formulas, uint32_t a);
uint32_t ctl_eg(struct ctl_formulas *formulas, uint32_t a);
uint32_t ctl_ag(struct ctl_formulas *formulas, uint32_t a);
uint32_t ctl_eu(struct ctl_formulas *formulas, uint32_t a, uint32_t b);
uint32_t ctl_au(struct ctl_formulas *formulas, uint32_t a, uint32_t b);
// True when the formula has no operator that looks at other states.
bool ctl_is_local(const struct ctl_formulas *formulas, uint32_t formula);

// What a graph knows of a model's runs.
//   EXACT: its runs are the model's.
//   OVER: it has all of the model's runs and perhaps more.
//   UNDER: it has only runs of the model, perhaps not all.
enum ctl_graph { CTL_GRAPH_EXACT, CTL_GRAPH_OVER, CTL_GRAPH_UNDER };

// The formula of `from` read over such a graph: `strong` holds only where the formula surely does, `weak` holds
// wherever it may. An atom a of `from` becomes atom 2a in its strong and 2a+1 in its weak reading (a state that stands for
// many may have an atom that holds for some only). Where strong and weak disagree there is a candidate, to be replayed.
struct ctl_reading {
    uint32_t strong, weak;
};
struct ctl_reading ctl_read(const struct ctl_formulas *from, uint32_t formula, enum ctl_graph graph,
                            struct ctl_formulas *to);

#endif
