#ifndef REGATTA_CONFIGS_CONFIG_FILE_H
#define REGATTA_CONFIGS_CONFIG_FILE_H

#include <libconfig.h>

#include "configs/configuration.h"

// Private to configs: what reading any libconfig file has in common.

struct config_file {
    config_t config;
    char *path; // as given
};

// False with errors; the file then needs no finish. Refused besides what libconfig refuses: numbers
// it would cut to 32 bits in silence, and its own `@include` (it ends the process on a folder).
bool config_file_read(struct config_file *file, const char *path, struct messages *messages);
void config_file_finish(struct config_file *file);

struct position config_position(const char *path, const config_setting_t *setting);

// True for lists ( … ) and arrays [ … ].
bool config_is_list(const config_setting_t *setting);

// Where reading stands, to see circles: one link a file, innermost first.
struct config_chain {
    const char *path;
    const struct config_chain *outer;
};

// Reads `include` and `configurations` of a file's root into the set.
void config_read_configurations(struct configuration_set *set, const config_setting_t *root,
                                const struct config_chain *chain, struct messages *messages);

// The value of an option as a file gives it.
bool config_read_value(const config_setting_t *setting, enum option option, const char *path,
                       int64_t *value, struct messages *messages);
// "name", "name,option=value,…" (a name of the set) or "option=value,…" into a configuration that is
// not yet initialized and needs a finish in any case; checks the rules.
bool config_read_single(const struct configuration_set *set, const char *text,
                        struct configuration *out, struct messages *messages);
// Reads what a configuration's group says (extends, engine, description, options) into it; `extends`
// names one of the set.
void config_read_settings(const struct configuration_set *set, struct configuration *configuration,
                          const config_setting_t *group, struct messages *messages);
// "a/default.cfg" -> "default"; caller frees.
char *config_stem(const char *path);
// `kind`: "plan", "space". The file of that name in the configuration folders, or the path itself; on
// false an error that names what there is.
// The folders that plans and configurations are looked for in, behind `before`.
void config_add_folders(struct text *out, const char *before);
bool config_find_file(const char *kind, const char *name_or_path, struct text *path,
                      struct messages *messages);

// Reports members of a group that are none of `known`.
void config_check_keys(const config_setting_t *group, const char *what, const char *const *known,
                       size_t count, const char *path, struct messages *messages);
// The member as a string; NULL when absent, or (with an error) of another type.
const char *config_string(const config_setting_t *group, const char *key, const char *path,
                          struct messages *messages);
// The member as true or false; false when absent, or (with an error) of another type.
bool config_switch(const config_setting_t *group, const char *key, const char *path,
                   struct messages *messages);
// "a string", "a list", … for messages.
const char *config_type_name(const config_setting_t *setting);
// Appends `, did you mean "…"?` when a candidate is near.
void config_suggest(struct text *text, const char *word, const char *const *candidates,
                    size_t count);
// `unknown configuration "x", did you mean "y"?` as an error at that place.
void config_unknown_configuration(const struct configuration_set *set, const char *name,
                                  struct position at, struct messages *messages);

#endif
