#ifndef REGATTA_LANGUAGES_PETRI_NET_TEXT_H
#define REGATTA_LANGUAGES_PETRI_NET_TEXT_H

#include "languages/petri/net.h"

// The short form of nets that TINA reads (`.net`), without time and priorities:
//
//   net NAME
//   pl PLACE (3)                         # three tokens at the start
//   tr TRANSITION a b*2 c?3 d?-1 -> e    # takes 1 of a, 2 of b; reads 3 of c; not with 1 of d
//
// A place that is only used begins empty. Names with other characters are written {…}. NULL with messages.
struct net *net_text_read(const char *path, const char *text, size_t bytes,
                          struct messages *messages);

#endif
