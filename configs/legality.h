#ifndef REGATTA_CONFIGS_LEGALITY_H
#define REGATTA_CONFIGS_LEGALITY_H

#include "configs/configuration.h"
#include "configs/constraint.h"

// Which options go together: the conditions of options.h, at work. configuration_check
// (configuration.h) reports what this finds. Any thread.

// Do the options that are known let this one have an effect?
enum truth legality_effect(enum option option, const int64_t *values, const bool *known);
// The options that this depends on, as bits.
OPTION_SET legality_effect_options(enum option option);
// Can what is known be part of a legal combination? Asks the legal rules that speak of an option in `about` (OPTION_ALL:
// each of them), less the one numbered `without` (0 … legality_count() - 1; LEGALITY_ALL: none), to see which one
// stands in the way. Leaves out options without effect.
#define LEGALITY_ALL SIZE_MAX
enum truth legality_holds(OPTION_SET about, size_t without, const int64_t *values,
                          const bool *known);
size_t legality_count(void);
// The options that legality_holds depends on, as bits.
OPTION_SET legality_options(void);

// Changes as few values as possible (the options in `kept`, as bits, stay) so that the combination is
// legal; of several ways, one that changes what had its default. False when there is none within
// six changes; values are then as before.
bool legality_mend(int64_t values[OPTION_COUNT], OPTION_SET kept);

#endif
