#ifndef REGATTA_LANGUAGES_PETRI_PNML_H
#define REGATTA_LANGUAGES_PETRI_PNML_H

#include "languages/petri/net.h"

// Place/transition nets in PNML (ISO/IEC 15909-2): one net, pages at any depth, reference nodes; inhibitor and read arcs
// by `type`, weights by inscription, else by a tool's `weight`. NULL with messages. docs/petri.md has the subset.
struct net *pnml_read(const char *path, const char *text, size_t bytes, struct messages *messages);

#endif
