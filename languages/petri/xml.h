#ifndef REGATTA_LANGUAGES_PETRI_XML_H
#define REGATTA_LANGUAGES_PETRI_XML_H

#include "base/message.h"

// XML as a stream of elements, with libxml2. Nothing outside the text is ever read, and a document type (with it every
// entity) is refused, as is nesting deeper than some hundred elements. Names come without their name space.

struct xml_attribute {
    const char *name, *value;
};

struct xml_handler {
    // An element begins; attributes end with a name NULL. All texts last for the call. False: stop.
    bool (*begin)(void *context, const char *name, const struct xml_attribute *attributes,
                  struct position at);
    // It ends; `text` is the character data right inside it.
    bool (*end)(void *context, const char *text, struct position at);
    void *context;
};

// False with messages when it is not well formed; false as well when the handler stopped.
bool xml_read(const char *path, const char *text, size_t bytes, const struct xml_handler *handler,
              struct messages *messages);
// Its value; NULL when there is none.
const char *xml_attribute(const struct xml_attribute *attributes, const char *name);

#endif
