#ifndef REGATTA_ENGINES_PDR_FRAMES_H
#define REGATTA_ENGINES_PDR_FRAMES_H

#include "engines/pdr/cube.h"

// The frames of IC3 (Bradley 2011, in the form of Eén, Mishchenko, Brayton 2011) and the questions about
// them. Frame 0 is the initial states; frame i over-approximates what i steps reach. A cube is kept in the
// highest frame that excludes it, and excluded from all below.

struct frames {
    struct monolith *monolith;
    struct facts *facts;
    struct arena *arena;
    VECTOR(struct cube_list { VECTOR(const struct cube *) cubes; }) levels;
    uint32_t top;                  // the last frame
    struct smt *step, *bad, *init; // one step; the error; the initial states
    struct smt *now;               // nothing but what the facts mean
    uint32_t told;                 // facts the solvers know
    uint64_t questions;            // for names of assumptions
    const struct term *asked; // the last one's, when frames->step may still be told that it is over
    struct term_vector assumptions, core;
};

enum frames_answer { FRAMES_NO, FRAMES_YES, FRAMES_STOPPED };

// False when no solver can be had.
bool frames_init(struct frames *frames, struct monolith *monolith, struct facts *facts,
                 struct arena *arena);
void frames_finish(struct frames *frames);
void frames_open(struct frames *frames); // one more frame
// New facts become known to the solvers.
void frames_learn(struct frames *frames);
void frames_block(struct frames *frames, const struct cube *cube, uint32_t level);
bool frames_blocks(const struct frames *frames, const struct cube *cube, uint32_t level);

// Is some initial state in the cube? NO: `core`, when not NULL, receives literals that are enough.
enum frames_answer frames_initial(struct frames *frames, const uint32_t *literals, size_t count,
                                  struct facts_literals *core);
// The literals imply the condition (over plain variables): *enough receives some of them that do. Only for solvers that
// take any formula as an assumption (smt.h). False when there is no answer.
bool frames_imply(struct frames *frames, const uint32_t *literals, size_t count,
                  const struct term *condition, struct facts_literals *enough);
// Does some state of frame level - 1 (outside of the cube itself, if `relative`) reach the cube in one step?
// NO: core as above. YES: the model of frames->step is such a step (template copies).
enum frames_answer frames_reaches(struct frames *frames, const uint32_t *literals, size_t count,
                                  uint32_t level, bool relative, struct facts_literals *core);
// Is some state of that frame bad? YES: the model of frames->bad shows it.
enum frames_answer frames_bad(struct frames *frames, uint32_t level);

#endif
