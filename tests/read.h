#ifndef REGATTA_TESTS_READ_H
#define REGATTA_TESTS_READ_H

#include "languages/language.h"

// Parses, when that is to be done and was not, and reads. NULL with messages.
static inline struct model *read_model(const struct language *language,
                                       const struct language_request *request,
                                       struct messages *messages)
{
    struct language_request parsed = *request;
    if (language->parse == NULL || request->source != NULL)
        return language->read(request, messages);
    parsed.source = language->parse(request, messages);
    struct model *model = parsed.source != NULL ? language->read(&parsed, messages) : NULL;
    language_source_release(parsed.source);
    return model;
}

#endif
