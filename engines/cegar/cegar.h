#ifndef REGATTA_ENGINES_CEGAR_CEGAR_H
#define REGATTA_ENGINES_CEGAR_CEGAR_H

#include "engines/cegar/graph.h"
#include "engines/cegar/refute.h"
#include "engines/domains/bounds.h"
#include "engines/domains/domain.h"
#include "engines/engine.h"

// The parts of the loop that abstraction and refinement share. Private to this folder.

struct cegar {
    struct workspace workspace;
    const struct engine_environment *environment;
    const struct domain_operations *operations;
    struct domain *domain;
    struct graph graph;
    struct refuter refuter;
    struct state_list successors; // scratch
    VECTOR(uint32_t) errors;      // the error nodes that this round's abstraction found
    VECTOR(uint32_t) items;       // scratch: a counterexample in interned form
    uint64_t iterations, refinements;
    uint64_t successor_count, expanded_count;
    uint64_t handed_on; // elements of the precision that it began with
    struct cooperation {
        uint64_t next_refinements; // when to look again
        uint64_t taken, given;     // elements
        uint64_t given_size;       // of the precision when it was given last
        struct bounds bounds;
        uint64_t next_bound; // refinements when to look for one again
    } cooperation;
    bool passed_over;          // known counterexamples were left in the graph, …
    uint32_t passed_precision; // … the first of them at this precision
};

enum cegar_step {
    CEGAR_SAFE,
    CEGAR_COUNTEREXAMPLE,
    CEGAR_KNOWN, // counterexamples that the observer does not want refined
    CEGAR_UNSAFE,
    CEGAR_GO_ON,
    CEGAR_END,
};

struct advice cegar_tell(struct cegar *cegar, struct engine_event event);
// Adds the initial states that no root covers. False when the attempt has to end.
bool cegar_add_initial(struct cegar *cegar);

void cegar_clear_graph(struct cegar *cegar);

// Refines the counterexamples in cegar->errors (at least one; [Hajdu20] 3.1, docs/definitions/cegar.md 8.1). With several,
// each is refuted; MULTI_SEQ then uses those with a minimal pruning point ([Hajdu20] 3.1.4: skipped
// ones lie in what is removed, and may come back), the others use all. *trace when UNSAFE.
enum cegar_step cegar_refine(struct cegar *cegar, struct trace **trace);

#endif
