#ifndef REGATTA_LANGUAGES_UMLRT_XMI_H
#define REGATTA_LANGUAGES_UMLRT_XMI_H

#include "model/capsules/capsules.h"

// Reads UML-RT in the XMI of Papyrus-RT: the subset of docs/umlrt.md. NULL, with messages that name what is not supported and
// where, when there is no model. Loops of action code are unrolled `loop_bound` times.
struct capsules *umlrt_read_xmi(const char *path, const char *text, size_t bytes,
                                unsigned loop_bound, struct messages *messages);

#endif
