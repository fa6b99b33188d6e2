#ifndef REGATTA_LANGUAGES_UMLRT_TEXT_H
#define REGATTA_LANGUAGES_UMLRT_TEXT_H

#include "model/capsules/capsules.h"

// Reads the text form of capsules (docs/umlrt.md). NULL, with messages, when it is not one.
struct capsules *cffsm_read(const char *path, const char *text, size_t bytes,
                            struct messages *messages);

#endif
