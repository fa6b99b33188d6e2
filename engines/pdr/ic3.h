#ifndef REGATTA_ENGINES_PDR_IC3_H
#define REGATTA_ENGINES_PDR_IC3_H

#include "engines/cegar/refute.h"
#include "engines/domains/bounds.h"
#include "engines/pdr/frames.h"

// What the parts of one IC3 attempt share: the loop (ic3.c), states as cubes (states.c), blocked cubes made larger
// (generalise.c), other attempts (company.c). Private to this folder; one thread.

struct obligation;

struct ic3 {
    struct workspace workspace;
    struct monolith monolith;
    struct facts facts;
    struct frames frames;
    struct arena arena;
    struct refuter refuter;
    struct bounds bounds;
    bool values; // cubes over values, else predicates
    VECTOR(struct obligation *) open;
    struct facts_literals literals, core, other; // scratch of states.c and ic3.c
    VECTOR(double) activity;                     // by literal: how often, of late, in blocked cubes
    double bump;
    unsigned depth, count; // counterexamples to generalisation: options ctgdepth, ctgcount
    uint64_t obligations, refinements, counterexamples; // blocked to generalise others
    size_t given, taken;   // elements given in one go; taken from others
    uint64_t next_sharing; // frames and refinements by then
    struct engine_result result;
};

// The facts to begin with.
void states_begin(struct ic3 *ic3);
// The formula's atoms become facts; *added when one was new.
void states_add_predicates(struct ic3 *ic3, const struct term *formula, bool *added);
// Many states that, as the one in the solver's model, can take the edge into the cube (NULL: that of the error), as
// literals in ic3->literals: after a YES of frames_reaches or frames_bad, before any other question. False when the model
// cannot be read; the attempt is then over.
bool states_read(struct ic3 *ic3, struct smt *smt, const struct edge *edge,
                 const struct cube *towards);

// Is the cube, which has no initial state, unreachable at the level? NO: ic3->core holds literals that are enough.
// `apart`: literals that alone exclude the initial states.
enum frames_answer generalise_ask(struct ic3 *ic3, const struct cube *cube, uint32_t level,
                                  const struct facts_literals *apart);
// Blocks a cube that was found unreachable (ic3->core tells why) at the level or above; the level reached in *level.
// False: the attempt is over.
bool generalise_and_block(struct ic3 *ic3, uint32_t *level);

// Between rounds, when no obligation is open: gives others what was found, and takes up what they gave.
void company_share(struct ic3 *ic3);
// Writes a note for people, if there is something to say.
void company_describe(const struct ic3 *ic3, char *notes, size_t bytes);

#endif
