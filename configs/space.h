#ifndef REGATTA_CONFIGS_SPACE_H
#define REGATTA_CONFIGS_SPACE_H

#include "configs/configuration.h"
#include "configs/constraint.h"
#include "configs/legality.h"

// A space: a set of configurations, given by the options that vary. A libconfig file:
//
//   description = "what for";
//   include = "configurations.cfg";                  // configurations that the others may name
//   configurations = ( { name = "a"; … } );          // the same
//   fixed = { extends = "a"; monitor = "DISABLE"; }; // in all of them; default: the defaults
//   options = {                                      // what varies
//     engine = [ "cegar", "kind" ];
//     domain = "*";                                  // all values; "EXPL_*" = those of that form
//     maxenum = [ 0, 1, 10 ];
//     autoexplvalues = { from = 1; to = 100; factor = 10; };  // or step = 5 (standard: step = 1)
//   };
//   constraints = ( "domain = EXPL -> maxenum != 1" );      // see constraint.h
//   base = { domain = "PRED_CART"; };                // where one-factor samples start; standard: fixed
//   listed = ( "a", "domain=EXPL,maxenum=5" );       // configurations besides the product
//
// The configurations of a space are the legal ones (options.h) that meet the constraints, each once.
// An option has its default in those where it has no effect (OPTION_EFFECTS), so that a domain
// without enumeration needs no value of `maxenum`.

struct space_factor {
    int option;
    int64_t *levels;
    size_t level_count; // at least 1, distinct
};

struct space {
    char *name;
    char *description;
    char *path;
    int64_t fixed[OPTION_COUNT];
    int64_t base[OPTION_COUNT];
    struct space_factor *factors; // those come first on which the effect of others depends
    size_t factor_count;
    struct constraint **constraints;
    size_t constraint_count;
    struct configuration *listed;
    size_t listed_count;
    OPTION_SET related; // slots that constraints, legality or the effect of options depend on
};

// True for an option that the space varies (factors of one level stand for what is fixed).
bool space_varies(const struct space_factor *factor);

// `name_or_path`: as for plan_load, the folder being `spaces`. NULL with errors.
struct space *space_load(const char *name_or_path, struct messages *messages);
void space_destroy(struct space *space); // NULL is fine

const char *space_slot_name(int option); // "engine", or the option's
void space_print_value(struct text *out, int option, int64_t value);
// A configuration with these values, sealed; its name is its text for `--config`.
void space_configuration(struct configuration *out, const int64_t values[OPTION_COUNT]);

// Points of the space: for each factor the index of a level, or
#define SPACE_FREE SIZE_MAX       // not chosen yet
#define SPACE_IDLE (SIZE_MAX - 1) // without effect: the default
// Chooses what is free so that the whole is legal and meets the constraints, and what is chosen has an
// effect. `choose(context, factor, turn)`: the level to be tried at that turn, 0 … level_count - 1;
// NULL: in order. False when there is none; the point is then as before.
typedef size_t space_choice(void *context, size_t factor, size_t turn);
bool space_complete(const struct space *space, size_t *point, space_choice *choose, void *context);
// The same in order, without one constraint (0 … constraint_count - 1) or legal rule (behind these, as numbered in
// legality.h), for a space that is empty because of it.
bool space_complete_without(const struct space *space, size_t part, size_t *point);
// Calls `visit` with every whole point until it answers false. The number of calls.
uint64_t space_visit(const struct space *space, bool (*visit)(void *context, const size_t *point),
                     void *context);
// The values of a whole point.
void space_values(const struct space *space, const size_t *point, int64_t values[OPTION_COUNT]);
// How many configurations the product has (those listed left out). False when that takes too long;
// there are then at least so many.
bool space_count(const struct space *space, uint64_t *count);

#endif
