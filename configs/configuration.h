#ifndef REGATTA_CONFIGS_CONFIGURATION_H
#define REGATTA_CONFIGS_CONFIGURATION_H

#include "base/hash.h"
#include "base/message.h"
#include "base/text.h"
#include "configs/options.h"

// One named setting of one engine. Immutable after loading; read by all threads.

struct configuration {
    char *name;
    char *description;            // may be ""
    int64_t values[OPTION_COUNT]; // every option, defaults filled in
    struct hash128 fingerprint;   // of values, not of name and description
    struct position source;       // its path is owned by the configuration; NULL = none
};

void configuration_init(struct configuration *configuration, const char *name); // defaults, cegar
void configuration_finish(struct configuration *configuration);
void configuration_copy(struct configuration *to, const struct configuration *from);
// Recomputes the fingerprint; call after the last change.
void configuration_seal(struct configuration *configuration);
const char *configuration_engine(const struct configuration *configuration); // "cegar"
// "engine=cegar domain=EXPL maxenum=10 …": the engine and options that differ from their default, in table order;
// `all` writes every option. Readable by configuration_parse.
void configuration_print(struct text *out, const struct configuration *configuration, bool all);
// The name of the solver for OPTION_ABSTRACTION_SOLVER or OPTION_REFINEMENT_SOLVER.
const char *configuration_solver(const struct configuration *configuration, enum option role);
// Sets options from "domain=EXPL,maxenum=10" (commas or spaces; a text with any of
// these stands in quotation marks: solver="smtlib:z3 -in"), and seals. False
// with errors, the configuration then stays as it was. Does not check the rules.
bool configuration_parse(struct configuration *configuration, const char *text,
                         struct messages *messages);
// The rules about legal combinations (options.h, legality.h); each violation is an error that names the
// rule and the nearest legal combination. An option that has no effect with the others must keep its
// default. Combinations that are legal but not sensible are warnings. False when there was an error.
bool configuration_check(const struct configuration *configuration, struct messages *messages);

// The configurations of a libconfig file:
//   configurations = ( { name = "expl"; engine = "cegar"; domain = "EXPL"; maxenum = 10; }, … );
// `extends = "name"` starts from an earlier one (of this file, an included one, or one read
// before). `include = "file.cfg"` or a list of such reads other files first: relative to this file,
// then in the configuration folders; a file met twice is read once, a circle is an error. All
// errors carry file and line; libconfig knows no columns. Each configuration is checked and sealed.
struct configuration_set {
    struct configuration *items;
    size_t count, capacity;
};
bool configuration_set_read(struct configuration_set *set, const char *path,
                            struct messages *messages); // appends
void configuration_set_finish(struct configuration_set *set);
const struct configuration *configuration_set_find(const struct configuration_set *set,
                                                   const char *name);

#endif
