#ifndef REGATTA_LANGUAGES_UMLRT_XMI_INSIDE_H
#define REGATTA_LANGUAGES_UMLRT_XMI_INSIDE_H

#include "base/libxml.h"

#include "languages/umlrt/code.h"
#include "languages/umlrt/xmi.h"

// What the files that read XMI share.

struct xmi_port {
    xmlNode *node;
    const char *name;
    xmlNode *protocol; // its Collaboration; NULL for ports of the library
    bool conjugated, behaviour;
};

struct xmi_capsule {
    xmlNode *node;
    VECTOR(struct xmi_port) ports;
    struct code_names logs, frames, strings;
    VECTOR(xmlNode *) parts; // by part of the module
};

struct xmi_reader {
    const char *path;
    struct messages *messages;
    struct capsules *capsules;
    xmlNode *root;
    unsigned loop_bound;
    struct smt_context *smt;
    struct smt *solver;
    VECTOR(struct xmi_capsule) classes; // by module
    VECTOR(xmlNode *) identified;       // all elements with an xmi:id, sorted by it
};

// An attribute without a namespace, or of xmi's; NULL when there is none. Lives as long as the capsules.
const char *xmi_get(struct xmi_reader *reader, const xmlNode *node, const char *name);
const char *xmi_id(struct xmi_reader *reader, const xmlNode *node, const char *name);
bool xmi_is(struct xmi_reader *reader, const xmlNode *node, const char *element,
            const char *type);                                // type: "uml:State", or NULL
xmlNode *xmi_find(struct xmi_reader *reader, const char *id); // NULL when there is none, or no id
xmlNode *xmi_child(const xmlNode *node, const char *element); // the first one
bool xmi_unsupported(struct xmi_reader *reader, const xmlNode *node, const char *what);
bool xmi_wrong(struct xmi_reader *reader, const xmlNode *node, const char *what);
struct position xmi_position(const struct xmi_reader *reader, const xmlNode *node);
// The C++ text of an OpaqueBehavior or OpaqueExpression, "" when it has none; *line: where it begins.
const char *xmi_code(struct xmi_reader *reader, const xmlNode *opaque, unsigned *line);

// True when there is no node, or its text is C++ (or nothing); else says what it is.
bool xmi_has_code(struct xmi_reader *reader, const xmlNode *node);

// machine.c: the state machine of a module, flattened.
bool xmi_read_machine(struct xmi_reader *reader, uint32_t module);

#endif
