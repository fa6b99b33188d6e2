#ifndef REGATTA_LANGUAGES_PETRI_PETRI_H
#define REGATTA_LANGUAGES_PETRI_PETRI_H

// Petri nets as a language: PNML and a short text form, properties as text or in the contest's XML.

#include "languages/language.h"

extern const struct language language_pnml;
extern const struct language language_net;

#endif
