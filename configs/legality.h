#ifndef REGATTA_CONFIGS_LEGALITY_H
#define REGATTA_CONFIGS_LEGALITY_H

#include "configs/configuration.h"
#include "configs/constraint.h"

// Which options go together: the conditions of options.h, at work. configuration_check
// (configuration.h) reports what this finds. Any thread.

// All that a configuration sets: its options' values, and behind them the engine's index (-1: the
// engine is not known).
void legality_values(const struct configuration *configuration, int64_t values[OPTION_SLOTS]);

// Do the options that are known let this one have an effect?
enum truth legality_effect(enum option option, const int64_t *values, const bool *known);
// The options and engine that this depends on, as bits.
OPTION_SET legality_effect_options(enum option option);
// Can what is known be part of a legal combination? Leaves out options without effect.
enum truth legality_holds(const int64_t *values, const bool *known);
// The same without one rule, to see which one stands in the way: of 0 … legality_count() - 1.
enum truth legality_holds_without(size_t rule, const int64_t *values, const bool *known);
size_t legality_count(void);
// The options and engine that legality_holds depends on, as bits.
OPTION_SET legality_options(void);

// Changes as few values as possible (the options in `kept`, as bits, stay) so that the combination is
// legal; of several ways, one that changes what had its default. False when there is none within
// six changes; values are then as before.
bool legality_mend(int64_t values[OPTION_SLOTS], OPTION_SET kept);

#endif
