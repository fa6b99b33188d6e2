#ifndef REGATTA_ENGINES_DOMAINS_PREDICATE_TABLE_H
#define REGATTA_ENGINES_DOMAINS_PREDICATE_TABLE_H

#include "engines/domains/action_solver.h"

#include <assert.h>

#include "engines/domains/state_table.h"

// Predicates: numbered terms, a term and its negation being one entry. In the solver of an action each
// has a Boolean b with b ↔ p before the action and one with b' ↔ p after it, defined once and for all,
// so that states are assumptions and blocking clauses speak of Booleans only.

// A literal: 2 * predicate + (negated).
#define LITERAL(predicate, negated) (2 * (uint64_t)(predicate) + (negated))

struct predicate {
    const struct term *term; // over plain variables; the polarity that is not a TERM_NOT
    const struct term *negation;
    const struct term *before; // Boolean variable: the predicate before the action
    const struct term *after;  // … and after it
    const variable_bits *variables;
};

struct predicate_table {
    struct workspace *workspace;
    struct arena arena;
    VECTOR(struct predicate) items;
    uint32_t *by_term; // term id -> predicate + 1
    size_t by_term_count;
};

void predicate_table_init(struct predicate_table *table, struct workspace *workspace);
void predicate_table_finish(struct predicate_table *table);
uint32_t predicate_table_number(struct predicate_table *table, const struct term *term);
size_t predicate_table_bytes(const struct predicate_table *table);

enum predicate_side { PREDICATE_BEFORE = 1, PREDICATE_AFTER = 2 };
// The predicate's Boolean in that action's solver, which must be at its base level if this is the first
// time.
const struct term *predicate_table_boolean(struct predicate_table *table, struct action_solver *a,
                                           uint32_t number, enum predicate_side side);

static inline const struct predicate *predicate_table_get(const struct predicate_table *table,
                                                          uint64_t literal)
{
    assert(literal / 2 < table->items.count);
    return &table->items.data[literal / 2];
}
static inline const struct term *predicate_table_term(const struct predicate_table *table,
                                                      uint64_t literal)
{
    const struct predicate *p = predicate_table_get(table, literal);
    return literal & 1 ? p->negation : p->term;
}

#endif
