#ifndef REGATTA_LANGUAGES_UMLRT_LOAD_H
#define REGATTA_LANGUAGES_UMLRT_LOAD_H

#include "model/capsules/capsules.h"

// Reads capsules from a file: `.cffsm` is the text form, `.uml` the XMI of Papyrus-RT. NULL, with messages, when there are none.
// `loop_bound`: how often the loops of action code are unrolled.
struct capsules *capsules_load(const char *path, unsigned loop_bound, struct messages *messages);

#endif
