#ifndef REGATTA_LANGUAGES_PETRI_PETRI_H
#define REGATTA_LANGUAGES_PETRI_PETRI_H

// Petri nets as a language: PNML and a short text form, properties as text or in the contest's XML.

struct net;
struct messages;

// The net of a file, by its extension. NULL with messages. Caller: net_destroy.
struct net *petri_read_net(const char *path, struct messages *messages);

extern const struct language language_pnml;
extern const struct language language_net;

#endif
