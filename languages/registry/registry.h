#ifndef REGATTA_LANGUAGES_REGISTRY_REGISTRY_H
#define REGATTA_LANGUAGES_REGISTRY_REGISTRY_H

#include "languages/language.h"

// All input languages: one more is a folder under languages/ and a line here.

// One line a language, in the order of lists: language_NAME is its `struct language`.
#define LANGUAGES(X)                                                                               \
    X(xsts)                                                                                        \
    X(cfa)                                                                                         \
    X(sts)                                                                                         \
    X(aiger)                                                                                       \
    X(aiger_binary)                                                                                \
    X(btor2)                                                                                       \
    X(solidity)                                                                                    \
    X(chc)                                                                                         \
    X(pnml)                                                                                        \
    X(net)                                                                                         \
    X(scxml)                                                                                       \
    X(gamma)                                                                                       \
    X(gamma_properties)                                                                            \
    X(gamma_packages)                                                                              \
    X(cffsm)                                                                                       \
    X(umlrt)                                                                                       \
    X(c)                                                                                           \
    X(c_preprocessed)                                                                              \
    X(llvm)                                                                                        \
    X(bitcode)

#define DECLARE_LANGUAGE(name) extern const struct language language_##name;
LANGUAGES(DECLARE_LANGUAGE)
#undef DECLARE_LANGUAGE

const struct language *const *language_all(void); // NULL-terminated
const struct language *language_for_path(const char *path);

// Reads the files and calls the reader. property: a path, or, when no such file exists and it
// does not end in .prop/.prp, an inline property; NULL = none. A file's path may be followed by
// `#` and the name of one of several questions in it. A property file whose whole content
// is a BenchExec/SV-COMP "CHECK(…)" line or otherwise says just "the error is unreachable" (unreach.prp)
// counts as none. NULL on errors.
// *source: what was parsed of this model's file before, which is then not read again; with NULL there the caller gets
// what is parsed now, to release. source NULL: the caller asks once.
struct model *language_load(const char *model_path, const char *property,
                            enum property_at property_at, struct language_source **source,
                            struct messages *messages);

// Appends the questions that the input holds when there are several. Files of languages whose inputs hold one are not
// opened. *source as above. False with messages.
bool language_ask(const char *model_path, const char *property, enum property_at property_at,
                  struct language_source **source, struct language_questions *out,
                  struct messages *messages);

#endif
