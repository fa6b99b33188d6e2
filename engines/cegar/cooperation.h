#ifndef REGATTA_ENGINES_CEGAR_COOPERATION_H
#define REGATTA_ENGINES_CEGAR_COOPERATION_H

#include "engines/cegar/cegar.h"

// Predicates between attempts that run side by side (engine_environment.share, .hear). Private to this folder.
//
// What an attempt tracks is given away now and then; what others gave is taken up between rounds, by
// attempts that work with predicates and have not been quick: small elements only, and so many.
// A precision says what an abstraction looks at, not what is true, so nothing is weakened by it.

// Within how many steps the abstraction found no error is given away too, for engines that look at runs.

void cooperation_init(struct cegar *cegar);
void cooperation_finish(struct cegar *cegar);
// Between rounds, before the abstraction.
void cooperate(struct cegar *cegar);
// When an abstraction has found errors, before the refinement.
void cooperate_on_runs(struct cegar *cegar);
// Appends a note for people, if there is something to say.
void cooperation_describe(const struct cegar *cegar, char *notes, size_t bytes);

#endif
