#ifndef REGATTA_LANGUAGES_CHARTS_NAMES_H
#define REGATTA_LANGUAGES_CHARTS_NAMES_H

#include <stdint.h>

// A map from names to things; all zero is the empty one. Neither is copied.

struct chart_names {
    struct chart_name_entry {
        const char *name;
        void *thing;
    } * slots;
    uint32_t count, capacity;
};

void chart_names_finish(struct chart_names *names);
void *chart_names_find(const struct chart_names *names, const char *name); // NULL: none
// The first one of a name stays; what is kept under the name.
void *chart_names_add(struct chart_names *names, const char *name, void *thing);

#endif
