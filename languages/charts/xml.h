#ifndef REGATTA_LANGUAGES_CHARTS_XML_H
#define REGATTA_LANGUAGES_CHARTS_XML_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/message.h"

// XML text as a tree of elements with positions, by libxml2. Nothing is fetched, no entity is
// expanded: a document type declaration is refused.

struct chart_xml_attribute {
    const char *name, *value;
    struct chart_xml_attribute *next;
};

struct chart_xml_element {
    const char *name; // without prefix
    bool foreign;     // of another namespace than the root's
    struct chart_xml_attribute *attributes;
    const char *text; // what is between its tags beside elements; NULL when that is blank
    struct chart_xml_element *parent, *first, *last, *next;
    struct position at;
};

// NULL with messages. The tree lives in the arena; `path` outlives it.
struct chart_xml_element *chart_xml_read(struct arena *arena, const char *path, const char *text,
                                         size_t bytes, struct messages *messages);
const char *chart_xml_attribute(const struct chart_xml_element *element,
                                const char *name); // NULL: none

#endif
