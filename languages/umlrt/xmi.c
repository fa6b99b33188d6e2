#include "languages/umlrt/xmi.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/umlrt/xmi_inside.h"

static const char *attribute(struct xmi_reader *r, const xmlNode *node, const char *name,
                             bool of_xmi)
{
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        bool has_namespace = a->ns != NULL;
        if (has_namespace != of_xmi || strcmp((const char *)a->name, name) != 0)
            continue;
        xmlChar *value = libxml->xmlNodeListGetString(node->doc, a->children, 1);
        const char *kept = capsules_name(r->capsules, value != NULL ? (const char *)value : "",
                                         value != NULL ? strlen((const char *)value) : 0);
        libxml_free(value);
        return kept;
    }
    return NULL;
}

const char *xmi_get(struct xmi_reader *r, const xmlNode *node, const char *name)
{
    return attribute(r, node, name, false);
}

const char *xmi_id(struct xmi_reader *r, const xmlNode *node, const char *name)
{
    return attribute(r, node, name, true);
}

bool xmi_is(struct xmi_reader *r, const xmlNode *node, const char *element, const char *type)
{
    if (node->type != XML_ELEMENT_NODE ||
        (element != NULL && strcmp((const char *)node->name, element) != 0))
        return false;
    if (type == NULL)
        return true;
    const char *own = xmi_id(r, node, "type");
    return own != NULL && strcmp(own, type) == 0;
}

xmlNode *xmi_child(const xmlNode *node, const char *element)
{
    for (xmlNode *child = node->children; child != NULL; child = child->next)
        if (child->type == XML_ELEMENT_NODE && strcmp((const char *)child->name, element) == 0)
            return child;
    return NULL;
}

struct position xmi_position(const struct xmi_reader *r, const xmlNode *node)
{
    return (struct position){r->path, (unsigned)libxml->xmlGetLineNo(node), 0};
}

static void name_element(struct xmi_reader *r, const xmlNode *node, struct text *out)
{
    text_add(out, (const char *)node->name);
    const char *name = xmi_get(r, node, "name"), *id = xmi_id(r, node, "id");
    if (name != NULL && name[0] != '\0')
        text_printf(out, " \"%s\"", name);
    else if (id != NULL)
        text_printf(out, " %s", id);
}

static bool say(struct xmi_reader *r, enum message_kind kind, const xmlNode *node, const char *what)
{
    struct text element = {0};
    name_element(r, node, &element);
    message_add(r->messages, kind, xmi_position(r, node), "%s: %s", text_string(&element), what);
    text_finish(&element);
    return false;
}

bool xmi_unsupported(struct xmi_reader *r, const xmlNode *node, const char *what)
{
    return say(r, MESSAGE_UNSUPPORTED, node, what);
}

bool xmi_wrong(struct xmi_reader *r, const xmlNode *node, const char *what)
{
    return say(r, MESSAGE_ERROR, node, what);
}

static const char *id_of(const xmlNode *node)
{
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next)
        if (a->ns != NULL && strcmp((const char *)a->name, "id") == 0 && a->children != NULL &&
            a->children->content != NULL)
            return (const char *)a->children->content;
    return NULL;
}

static void collect(struct xmi_reader *r, xmlNode *node)
{
    for (; node != NULL; node = node->next) {
        if (node->type != XML_ELEMENT_NODE)
            continue;
        if (id_of(node) != NULL)
            VECTOR_PUSH(&r->identified, node);
        collect(r, node->children);
    }
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(id_of(*(xmlNode *const *)a), id_of(*(xmlNode *const *)b));
}

xmlNode *xmi_find(struct xmi_reader *r, const char *id)
{
    size_t low = 0, high = r->identified.count;
    while (id != NULL && low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(id, id_of(r->identified.data[middle]));
        if (order == 0)
            return r->identified.data[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static bool is_cpp(const char *language)
{
    static const char *const NAMES[] = {"C++", "c++", "CPP", "cpp", "Cpp", "C", "c", NULL};
    for (size_t i = 0; NAMES[i] != NULL; i++)
        if (strcmp(language, NAMES[i]) == 0)
            return true;
    return is_blank(language);
}

// The same code may be there in several languages: the n-th body is in the n-th one. `foreign`: some text, but none in C++.
static const xmlNode *code_body(const xmlNode *opaque, bool *foreign)
{
    const xmlNode *language = opaque->children, *found = NULL;
    *foreign = false;
    for (const xmlNode *body = opaque->children; body != NULL; body = body->next) {
        if (body->type != XML_ELEMENT_NODE || strcmp((const char *)body->name, "body") != 0)
            continue;
        while (language != NULL && (language->type != XML_ELEMENT_NODE ||
                                    strcmp((const char *)language->name, "language") != 0))
            language = language->next;
        xmlChar *text = libxml->xmlNodeGetContent(body);
        xmlChar *name = language != NULL ? libxml->xmlNodeGetContent(language) : NULL;
        if (name == NULL || is_cpp((const char *)name))
            found = found == NULL ? body : found;
        else
            *foreign |= !is_blank((const char *)text);
        libxml_free(name);
        libxml_free(text);
        language = language != NULL ? language->next : NULL;
    }
    *foreign &= found == NULL;
    return found;
}

const char *xmi_code(struct xmi_reader *r, const xmlNode *opaque, unsigned *line)
{
    bool foreign;
    const xmlNode *body = opaque != NULL ? code_body(opaque, &foreign) : NULL;
    *line = 0;
    if (body == NULL)
        return "";
    xmlChar *text = libxml->xmlNodeGetContent(body);
    const char *kept = capsules_name(r->capsules, (const char *)text, strlen((const char *)text));
    libxml_free(text);
    *line = (unsigned)libxml->xmlGetLineNo(body);
    return kept;
}

bool xmi_has_code(struct xmi_reader *r, const xmlNode *node)
{
    bool foreign;
    if (node == NULL)
        return true;
    if (!xmi_is(r, node, NULL, "uml:OpaqueBehavior") &&
        !xmi_is(r, node, NULL, "uml:OpaqueExpression"))
        return xmi_unsupported(r, node, "a behaviour that is no code");
    code_body(node, &foreign);
    return !foreign || xmi_unsupported(r, node, "code that is not in C++");
}

// Capsules: classes that a Capsule stereotype points at.

static bool find_capsules(struct xmi_reader *r)
{
    for (xmlNode *node = r->root->children; node != NULL; node = node->next) {
        if (!xmi_is(r, node, "Capsule", NULL))
            continue;
        xmlNode *class = xmi_find(r, xmi_get(r, node, "base_Class"));
        if (class == NULL)
            continue;
        const char *name = xmi_get(r, class, "name");
        if (name != NULL && capsules_find_module(r->capsules, name) != CAPSULE_NONE) {
            xmi_unsupported(r, class, "a second capsule of its name");
            return false;
        }
        capsules_add_module(r->capsules, name != NULL ? name : "", xmi_position(r, class));
        VECTOR_PUSH(&r->classes, ((struct xmi_capsule){.node = class}));
    }
    assert(r->classes.count == r->capsules->modules.count);
    return true;
}

static uint32_t module_of_class(const struct xmi_reader *r, const xmlNode *class)
{
    for (uint32_t i = 0; i < r->classes.count; i++)
        if (r->classes.data[i].node == class)
            return i;
    return CAPSULE_NONE;
}

// What a type that lives in a library is called: behind the `#` of its address, or its own name.
static const char *type_name(struct xmi_reader *r, const xmlNode *node)
{
    const xmlNode *type = xmi_child(node, "type");
    const char *href = type != NULL ? xmi_get(r, type, "href") : NULL;
    if (href != NULL && strchr(href, '#') != NULL)
        return strchr(href, '#') + 1;
    xmlNode *own = xmi_find(r, xmi_get(r, node, "type"));
    const char *name = own != NULL ? xmi_get(r, own, "name") : NULL;
    return name;
}

enum value_type { TYPE_INT, TYPE_BOOL, TYPE_TEXT, TYPE_OTHER };

static enum value_type value_type(const char *name)
{
    static const char *const NUMBERS[] = {"Integer",  "UnlimitedNatural", "int",     "long",
                                          "short",    "unsigned int",     "int8_t",  "int16_t",
                                          "int32_t",  "int64_t",          "uint8_t", "uint16_t",
                                          "uint32_t", "uint64_t",         NULL};
    if (name == NULL)
        return TYPE_OTHER;
    for (size_t i = 0; NUMBERS[i] != NULL; i++)
        if (strcmp(NUMBERS[i], name) == 0)
            return TYPE_INT;
    if (strcmp(name, "Boolean") == 0 || strcmp(name, "bool") == 0)
        return TYPE_BOOL;
    bool is_timer = strcmp(name, "_6qkTMGXmEeS_4daqvwyFrg") == 0; // the library's UMLRTTimerId
    return strcmp(name, "String") == 0 || is_timer ? TYPE_TEXT : TYPE_OTHER;
}

// The text of an expression without the blanks around it.
static const char *trimmed(struct xmi_reader *r, const xmlNode *opaque)
{
    unsigned line;
    const char *text = xmi_code(r, opaque, &line);
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        length--;
    return capsules_name(r->capsules, text, length);
}

static bool read_default(struct xmi_reader *r, const xmlNode *node, struct capsule_variable *v)
{
    const xmlNode *literal = xmi_child(node, "defaultValue");
    if (literal == NULL)
        return true;
    const char *value = xmi_get(r, literal, "value");
    bool boolean = v->term->sort->kind == SORT_BOOL;
    if (value == NULL && xmi_is(r, literal, NULL, "uml:OpaqueExpression"))
        value = trimmed(r, literal);
    else if (value == NULL && !xmi_is(r, literal, NULL, "uml:LiteralInteger") &&
             !xmi_is(r, literal, NULL, "uml:LiteralUnlimitedNatural") &&
             !xmi_is(r, literal, NULL, "uml:LiteralBoolean"))
        return xmi_unsupported(r, literal, "a default value that is no literal");
    if (value == NULL || (value[0] == '\0' && xmi_is(r, literal, NULL, "uml:OpaqueExpression")))
        return true; // a literal without a value is 0 or false
    if (boolean) {
        if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
            return xmi_unsupported(r, literal, "a default value that is no truth value");
        v->initial = term_bool(r->capsules->store, value[0] == 't');
        return true;
    }
    const char *digits = value + (value[0] == '-');
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return xmi_unsupported(r, literal, "a default value that is no number");
    v->initial = term_int_text(r->capsules->store, value);
    return true;
}

// multiplicity: absent bounds are 1; an absent value of a literal is 0.
static bool bounds(struct xmi_reader *r, const xmlNode *node, const char **low, const char **high)
{
    const xmlNode *l = xmi_child(node, "lowerValue"), *u = xmi_child(node, "upperValue");
    *low = l == NULL ? "1" : xmi_get(r, l, "value");
    *high = u == NULL ? "1" : xmi_get(r, u, "value");
    if (*low == NULL)
        *low = "0";
    if (*high == NULL)
        *high = "0";
    if (strcmp(*high, "1") != 0)
        return xmi_unsupported(r, node, "a multiplicity above 1");
    return true;
}

static bool read_part(struct xmi_reader *r, uint32_t module, xmlNode *node, uint32_t type)
{
    const char *low, *high, *name = xmi_get(r, node, "name");
    const char *aggregation = xmi_get(r, node, "aggregation");
    if (!bounds(r, node, &low, &high))
        return false;
    if (aggregation == NULL || strcmp(aggregation, "composite") != 0)
        return xmi_unsupported(r, node, "a plug-in part");
    struct capsule_part part = {name != NULL ? name : "", type, strcmp(low, "0") != 0,
                                xmi_position(r, node)};
    if (capsule_find_part(&r->capsules->modules.data[module], part.name) != CAPSULE_NONE)
        return xmi_wrong(r, node, "a second part of its name");
    VECTOR_PUSH(&r->capsules->modules.data[module].parts, part);
    VECTOR_PUSH(&r->classes.data[module].parts, node);
    assert(r->classes.data[module].parts.count == r->capsules->modules.data[module].parts.count);
    return true;
}

static bool read_property(struct xmi_reader *r, uint32_t module, xmlNode *node)
{
    uint32_t type = module_of_class(r, xmi_find(r, xmi_get(r, node, "type")));
    if (type != CAPSULE_NONE)
        return read_part(r, module, node, type);
    const char *name = xmi_get(r, node, "name"), *low, *high;
    if (name == NULL)
        return xmi_wrong(r, node, "no name");
    enum value_type kind = value_type(type_name(r, node));
    if (kind == TYPE_TEXT) {
        // Texts and the names of timers are written and never read: kept out of the state; reading one is not supported.
        VECTOR_PUSH(&r->classes.data[module].strings, name);
        return true;
    }
    if (kind == TYPE_OTHER)
        return xmi_unsupported(r, node, "an attribute that is neither a number nor a truth value");
    if (!bounds(r, node, &low, &high))
        return false;
    struct capsule_module *m = &r->capsules->modules.data[module];
    if (capsule_find_attribute(m, name) != CAPSULE_NONE)
        return xmi_wrong(r, node, "a second attribute of its name");
    struct capsule_variable v =
        capsules_variable(r->capsules, m->name, name, kind == TYPE_BOOL, xmi_position(r, node));
    if (!read_default(r, node, &v))
        return false;
    VECTOR_PUSH(&m->attributes, v);
    return true;
}

// Ports of the run-time library have a type elsewhere.
static bool read_library_port(struct xmi_reader *r, uint32_t module, xmlNode *node,
                              const char *name, const char *type)
{
    struct xmi_capsule *class = &r->classes.data[module];
    struct capsule_module *m = &r->capsules->modules.data[module];
    if (strcmp(type, "_6kIb0IeXEeSVyrlWP4nYew") == 0) {
        VECTOR_PUSH(&class->logs, name);
        return true;
    }
    if (strcmp(type, "_MxQZgGXsEeS_4daqvwyFrg") == 0) {
        VECTOR_PUSH(&m->timers, ((struct capsule_named){name, xmi_position(r, node)}));
        return true;
    }
    // The third protocol of the library that the subset has is Frame, known by the use of its operations alone: the
    // models at hand do not use it, so its identity in the library is taken from the name of the port's type.
    if (strstr(type, "Frame") != NULL || strcmp(name, "frame") == 0) {
        VECTOR_PUSH(&class->frames, name);
        return true;
    }
    return xmi_unsupported(r, node, "a port of the library that is no Log, Timing or Frame");
}

static bool is_wired_later(struct xmi_reader *r, const xmlNode *port)
{
    const char *id = id_of(port);
    for (xmlNode *node = r->root->children; node != NULL && id != NULL; node = node->next) {
        const char *base = xmi_is(r, node, "RTPort", NULL) ? xmi_get(r, node, "base_Port") : NULL;
        const char *wired =
            base != NULL && strcmp(base, id) == 0 ? xmi_get(r, node, "isWired") : NULL;
        if (wired != NULL && strcmp(wired, "false") == 0)
            return true;
    }
    return false;
}

static bool read_port(struct xmi_reader *r, uint32_t module, xmlNode *node)
{
    const char *name = xmi_get(r, node, "name"), *low, *high;
    if (name == NULL)
        return xmi_wrong(r, node, "a port without a name");
    if (!bounds(r, node, &low, &high))
        return false;
    xmlNode *protocol = xmi_find(r, xmi_get(r, node, "type"));
    if (protocol == NULL) {
        const char *type = type_name(r, node);
        if (type == NULL)
            return xmi_wrong(r, node, "a port without a type");
        return read_library_port(r, module, node, name, type);
    }
    if (is_wired_later(r, node))
        return xmi_unsupported(r, node, "a port that is wired at run time");
    const char *conjugated = xmi_get(r, node, "isConjugated");
    const char *behaviour = xmi_get(r, node, "isBehavior");
    struct xmi_port port = {node, name, protocol,
                            conjugated != NULL && strcmp(conjugated, "true") == 0,
                            behaviour != NULL && strcmp(behaviour, "true") == 0};
    VECTOR_PUSH(&r->classes.data[module].ports, port);
    return true;
}

// in, out or inOut messages of an interface, by the stereotype that points at it; in when it does not say.
static const char *message_kind(struct xmi_reader *r, const xmlNode *interface)
{
    const char *id = id_of(interface);
    for (xmlNode *node = r->root->children; node != NULL && id != NULL; node = node->next) {
        if (!xmi_is(r, node, "RTMessageSet", NULL))
            continue;
        const char *base = xmi_get(r, node, "base_Interface");
        if (base != NULL && strcmp(base, id) == 0) {
            const char *kind = xmi_get(r, node, "rtMsgKind");
            return kind != NULL ? kind : "in";
        }
    }
    return NULL;
}

static bool add_signal(struct xmi_reader *r, uint32_t module, const struct xmi_port *port,
                       const xmlNode *operation, const char *suffix, bool out)
{
    struct capsule_module *m = &r->capsules->modules.data[module];
    struct text name = {0};
    text_printf(&name, "%s.%s%s", port->name, xmi_get(r, operation, "name"), suffix);
    const char *kept = capsules_name(r->capsules, text_string(&name), name.length);
    text_printf(&name, ".%s", out ? "out" : "in");
    struct capsule_signal *signal =
        capsules_add_signal(m, kept, out, false, xmi_position(r, operation));
    struct text owner = {0};
    text_printf(&owner, "%s.%s", m->name, text_string(&name));
    bool fine = true;
    for (const xmlNode *p = operation->children; fine && p != NULL; p = p->next) {
        if (!xmi_is(r, p, "ownedParameter", NULL))
            continue;
        enum value_type kind = value_type(type_name(r, p));
        const char *parameter = xmi_get(r, p, "name");
        if (kind != TYPE_INT && kind != TYPE_BOOL)
            fine = xmi_unsupported(r, p, "a parameter that is neither a number nor a truth value");
        else
            VECTOR_PUSH(&signal->variables,
                        capsules_variable(r->capsules, text_string(&owner),
                                          parameter != NULL ? parameter : "value",
                                          kind == TYPE_BOOL, xmi_position(r, p)));
    }
    if (fine && signal->variables.count > 1)
        fine = xmi_unsupported(r, operation, "a message with more than one value");
    text_finish(&name);
    text_finish(&owner);
    return fine;
}

static bool has_signal(const struct capsule_module *m, const char *port, const char *message,
                       bool out)
{
    size_t length = strlen(port);
    for (size_t i = 0; i < m->signals.count; i++) {
        const char *name = m->signals.data[i].name;
        if (m->signals.data[i].out == out && strncmp(name, port, length) == 0 &&
            name[length] == '.' && strcmp(name + length + 1, message) == 0)
            return true;
    }
    return false;
}

// A message that goes both ways is two signals; the one that goes out has `.out` behind its name.
static bool add_message(struct xmi_reader *r, uint32_t module, const struct xmi_port *port,
                        const xmlNode *operation, const char *kind)
{
    bool out = strcmp(kind, "out") == 0, both = strcmp(kind, "inOut") == 0;
    const char *name = xmi_get(r, operation, "name");
    if (name == NULL)
        return xmi_wrong(r, operation, "a message without a name");
    const struct capsule_module *m = &r->capsules->modules.data[module];
    if (has_signal(m, port->name, name, both ? false : out != port->conjugated))
        return true; // redefined further down
    if (!both)
        return add_signal(r, module, port, operation, "", out != port->conjugated);
    return add_signal(r, module, port, operation, "", false) &&
           add_signal(r, module, port, operation, ".out", true);
}

// The messages of a protocol, then those of the protocols that it inherits from.
static bool add_messages(struct xmi_reader *r, uint32_t module, const struct xmi_port *port,
                         const xmlNode *protocol, int depth)
{
    if (depth > 64)
        return xmi_wrong(r, protocol, "protocols inherit in a circle");
    for (xmlNode *node = protocol->parent->children; node != NULL; node = node->next) {
        const char *kind;
        if (!xmi_is(r, node, "packagedElement", "uml:Interface") ||
            (kind = message_kind(r, node)) == NULL)
            continue;
        for (xmlNode *o = node->children; o != NULL; o = o->next)
            if (xmi_is(r, o, "ownedOperation", NULL) && !add_message(r, module, port, o, kind))
                return false;
    }
    for (xmlNode *node = protocol->children; node != NULL; node = node->next) {
        if (!xmi_is(r, node, "generalization", NULL))
            continue;
        const xmlNode *general = xmi_find(r, xmi_get(r, node, "general"));
        if (general == NULL || !xmi_is(r, general, NULL, "uml:Collaboration"))
            return xmi_unsupported(
                r, node, "a protocol that inherits from what is no protocol of the model");
        if (!add_messages(r, module, port, general, depth + 1))
            return false;
    }
    return true;
}

static bool read_class(struct xmi_reader *r, uint32_t module)
{
    xmlNode *class = r->classes.data[module].node;
    for (xmlNode *node = class->children; node != NULL; node = node->next) {
        bool fine = true;
        if (xmi_is(r, node, "generalization", NULL))
            fine = xmi_unsupported(r, node, "inheritance");
        else if (xmi_is(r, node, "ownedAttribute", "uml:Port"))
            fine = read_port(r, module, node);
        else if (xmi_is(r, node, "ownedAttribute", NULL))
            fine = read_property(r, module, node);
        else if (xmi_is(r, node, "ownedOperation", NULL))
            fine = xmi_unsupported(r, node, "an operation of a capsule");
        if (!fine)
            return false;
    }
    for (size_t i = 0; i < r->classes.data[module].ports.count; i++) {
        struct xmi_port port = r->classes.data[module].ports.data[i];
        if (port.behaviour && !add_messages(r, module, &port, port.protocol, 0))
            return false;
    }
    return true;
}

// Connectors: each way from a behaviour port to another, through relay ports.

struct endpoint {
    struct capsule_numbers path;
    uint32_t module;
    const struct xmi_port *port;
};

struct endpoints { // a VECTOR
    struct endpoint *data;
    size_t count, capacity;
};

static const struct xmi_port *port_of(const struct xmi_reader *r, uint32_t module,
                                      const xmlNode *node)
{
    const struct xmi_capsule *class = &r->classes.data[module];
    for (size_t i = 0; i < class->ports.count; i++)
        if (class->ports.data[i].node == node)
            return &class->ports.data[i];
    return NULL;
}

static uint32_t part_of(const struct xmi_reader *r, uint32_t module, const xmlNode *node)
{
    for (size_t i = 0; i < r->classes.data[module].parts.count; i++)
        if (r->classes.data[module].parts.data[i] == node)
            return (uint32_t)i;
    return CAPSULE_NONE;
}

static bool expand_end(struct xmi_reader *r, uint32_t owner, const xmlNode *end,
                       const struct capsule_numbers *path, struct endpoints *out, int depth);

// The other ends of the connectors of a module that begin at its own relay port.
static bool expand_relay(struct xmi_reader *r, uint32_t module, const struct xmi_port *port,
                         const struct capsule_numbers *path, struct endpoints *out, int depth)
{
    bool fine = true;
    for (xmlNode *c = r->classes.data[module].node->children; fine && c != NULL; c = c->next) {
        if (!xmi_is(r, c, "ownedConnector", NULL))
            continue;
        xmlNode *first = xmi_child(c, "end");
        xmlNode *second = first != NULL ? first->next : NULL;
        while (second != NULL && !xmi_is(r, second, "end", NULL))
            second = second->next;
        for (int way = 0; fine && second != NULL && way < 2; way++) {
            xmlNode *here = way == 0 ? first : second, *there = way == 0 ? second : first;
            if (xmi_get(r, here, "partWithPort") == NULL &&
                xmi_find(r, xmi_get(r, here, "role")) == port->node)
                fine = expand_end(r, module, there, path, out, depth + 1);
        }
    }
    return fine;
}

static bool expand_end(struct xmi_reader *r, uint32_t owner, const xmlNode *end,
                       const struct capsule_numbers *path, struct endpoints *out, int depth)
{
    if (depth > 64)
        return xmi_wrong(r, end, "relay ports in a circle");
    xmlNode *role = xmi_find(r, xmi_get(r, end, "role"));
    const char *part_id = xmi_get(r, end, "partWithPort");
    struct endpoint e = {.module = owner};
    for (size_t i = 0; i < path->count; i++)
        VECTOR_PUSH(&e.path, path->data[i]);
    if (part_id != NULL) {
        uint32_t part = part_of(r, owner, xmi_find(r, part_id));
        if (part == CAPSULE_NONE) {
            VECTOR_FINISH(&e.path);
            return xmi_wrong(r, end, "a connector's end at something that is no part");
        }
        VECTOR_PUSH(&e.path, part);
        e.module = r->capsules->modules.data[owner].parts.data[part].module;
    }
    assert(e.module < r->classes.count);
    e.port = role != NULL ? port_of(r, e.module, role) : NULL;
    if (e.port == NULL) {
        VECTOR_FINISH(&e.path);
        return xmi_wrong(r, end, "a connector's end at something that is no port of a protocol");
    }
    bool fine = true;
    if (e.port->behaviour) {
        VECTOR_PUSH(out, e);
        return true;
    }
    // A relay port of a part leads on inside; the module's own one is its container's business.
    if (part_id != NULL)
        fine = expand_relay(r, e.module, e.port, &e.path, out, depth);
    VECTOR_FINISH(&e.path);
    return fine;
}

static struct capsule_end end_of(const struct endpoint *e, uint32_t signal)
{
    struct capsule_end end = {.signal = signal};
    for (size_t i = 0; i < e->path.count; i++)
        VECTOR_PUSH(&end.path, e->path.data[i]);
    return end;
}

// The same message but for the ports' names, and for the `.out` of one that goes both ways?
static bool is_same_message(const char *sent, const char *received)
{
    size_t length = strlen(received);
    return strncmp(sent, received, length) == 0 &&
           (sent[length] == '\0' || strcmp(sent + length, ".out") == 0);
}

static void connect(struct xmi_reader *r, uint32_t owner, const struct endpoint *from,
                    const struct endpoint *to, const xmlNode *node)
{
    const struct capsule_module *a = &r->capsules->modules.data[from->module];
    const struct capsule_module *b = &r->capsules->modules.data[to->module];
    size_t la = strlen(from->port->name), lb = strlen(to->port->name);
    for (uint32_t i = 0; i < a->signals.count; i++) {
        const char *x = a->signals.data[i].name;
        if (!a->signals.data[i].out || strncmp(x, from->port->name, la) != 0 || x[la] != '.')
            continue;
        for (uint32_t j = 0; j < b->signals.count; j++) {
            const char *y = b->signals.data[j].name;
            if (b->signals.data[j].out || strncmp(y, to->port->name, lb) != 0 || y[lb] != '.' ||
                !is_same_message(x + la, y + lb))
                continue;
            struct capsule_connector connector = {end_of(from, i), end_of(to, j),
                                                  xmi_position(r, node)};
            VECTOR_PUSH(&r->capsules->modules.data[owner].connectors, connector);
        }
    }
}

static void endpoints_finish(struct endpoints *ends)
{
    for (size_t i = 0; i < ends->count; i++)
        VECTOR_FINISH(&ends->data[i].path);
    VECTOR_FINISH(ends);
}

static bool read_connectors(struct xmi_reader *r, uint32_t module)
{
    bool fine = true;
    for (xmlNode *c = r->classes.data[module].node->children; fine && c != NULL; c = c->next) {
        if (!xmi_is(r, c, "ownedConnector", NULL))
            continue;
        struct endpoints ends[2] = {0};
        struct capsule_numbers none = {0};
        int count = 0;
        for (xmlNode *e = c->children; fine && e != NULL; e = e->next)
            if (xmi_is(r, e, "end", NULL)) {
                if (count == 2)
                    fine = xmi_wrong(r, c, "a connector with more than two ends");
                else
                    fine = expand_end(r, module, e, &none, &ends[count++], 0);
            }
        for (size_t i = 0; fine && i < ends[0].count; i++)
            for (size_t j = 0; j < ends[1].count; j++) {
                connect(r, module, &ends[0].data[i], &ends[1].data[j], c);
                connect(r, module, &ends[1].data[j], &ends[0].data[i], c);
            }
        endpoints_finish(&ends[0]);
        endpoints_finish(&ends[1]);
    }
    return fine;
}

static bool is_connected(const struct xmi_reader *r, uint32_t module, uint32_t signal)
{
    for (size_t m = 0; m < r->capsules->modules.count; m++) {
        const struct capsule_module *owner = &r->capsules->modules.data[m];
        for (size_t i = 0; i < owner->connectors.count; i++) {
            const struct capsule_end *end = &owner->connectors.data[i].receiver;
            uint32_t at = (uint32_t)m;
            for (size_t p = 0; p < end->path.count; p++)
                at = r->capsules->modules.data[at].parts.data[end->path.data[p]].module;
            if (at == module && end->signal == signal)
                return true;
        }
    }
    return false;
}

// What comes in by a port that nothing is connected to comes from outside.
static void find_external(struct xmi_reader *r)
{
    for (uint32_t m = 0; m < r->capsules->modules.count; m++) {
        struct capsule_module *module = &r->capsules->modules.data[m];
        for (uint32_t s = 0; s < module->signals.count; s++)
            if (!module->signals.data[s].out && !is_connected(r, m, s))
                module->signals.data[s].external = true;
    }
}

// The annotation says which capsule is the top; else it is the one called Top, else the only one that is no part.
static uint32_t find_top(struct xmi_reader *r)
{
    for (size_t i = 0; i < r->identified.count; i++) {
        const xmlNode *node = r->identified.data[i];
        const char *key = xmi_is(r, node, "details", NULL) ? xmi_get(r, node, "key") : NULL;
        if (key != NULL && strcmp(key, "top_name") == 0) {
            const char *name = xmi_get(r, node, "value");
            uint32_t m = name != NULL ? capsules_find_module(r->capsules, name) : CAPSULE_NONE;
            if (m != CAPSULE_NONE)
                return m;
        }
    }
    uint32_t top = capsules_find_module(r->capsules, "Top");
    for (uint32_t m = 0; top == CAPSULE_NONE && m < r->capsules->modules.count; m++) {
        bool used = false;
        for (size_t o = 0; o < r->capsules->modules.count; o++)
            for (size_t p = 0; p < r->capsules->modules.data[o].parts.count; p++)
                used |= r->capsules->modules.data[o].parts.data[p].module == m;
        if (!used)
            top = m;
    }
    return top;
}

static bool read_model(struct xmi_reader *r)
{
    if (!find_capsules(r))
        return false;
    if (r->classes.count == 0) {
        message_add(r->messages, MESSAGE_ERROR, (struct position){r->path, 0, 0},
                    "no capsule, expected a model of UML-RT");
        return false;
    }
    for (uint32_t m = 0; m < r->classes.count; m++)
        if (!read_class(r, m))
            return false;
    for (uint32_t m = 0; m < r->classes.count; m++)
        if (!read_connectors(r, m))
            return false;
    find_external(r);
    for (uint32_t m = 0; m < r->classes.count; m++)
        if (!xmi_read_machine(r, m))
            return false;
    uint32_t top = find_top(r);
    if (top == CAPSULE_NONE) {
        message_add(r->messages, MESSAGE_ERROR, (struct position){r->path, 0, 0},
                    "all capsules are parts, expected a top");
        return false;
    }
    const char *name = r->capsules->modules.data[top].name;
    return capsules_finish(r->capsules, name, r->capsules->modules.count == 1 ? name : "top",
                           r->capsules->modules.data[top].position, r->messages);
}

static void finish_reader(struct xmi_reader *r)
{
    for (size_t i = 0; i < r->classes.count; i++) {
        struct xmi_capsule *c = &r->classes.data[i];
        VECTOR_FINISH(&c->ports);
        VECTOR_FINISH(&c->logs);
        VECTOR_FINISH(&c->frames);
        VECTOR_FINISH(&c->strings);
        VECTOR_FINISH(&c->parts);
    }
    VECTOR_FINISH(&r->classes);
    VECTOR_FINISH(&r->identified);
    smt_destroy(r->solver);
    smt_context_destroy(r->smt);
}

static void xml_message(struct xmi_reader *r)
{
    const xmlError *e = libxml->xmlGetLastError();
    struct text words = {0};
    libxml_say(&words, "no XML", e);
    message_add(r->messages, MESSAGE_ERROR,
                (struct position){r->path, e != NULL && e->line > 0 ? (unsigned)e->line : 1, 0},
                "%s", text_string(&words));
    text_finish(&words);
}

struct capsules *umlrt_read_xmi(const char *path, const char *text, size_t bytes,
                                unsigned loop_bound, struct messages *messages)
{
    const char *missing = libxml_load();
    if (missing != NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0}, "%s", missing);
        return NULL;
    }
    struct xmi_reader r = {.path = path,
                           .messages = messages,
                           .capsules = capsules_create(path),
                           .loop_bound = loop_bound};
    r.path = r.capsules->path;
    libxml->xmlResetLastError();
    xmlDoc *doc =
        bytes > INT32_MAX
            ? NULL
            : libxml->xmlReadMemory(text, (int)bytes, path, NULL,
                                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                        XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
    bool fine = false;
    if (doc == NULL || libxml->xmlDocGetRootElement(doc) == NULL) {
        xml_message(&r);
    } else {
        r.root = libxml->xmlDocGetRootElement(doc);
        if (strcmp((const char *)r.root->name, "XMI") != 0) {
            xmi_wrong(&r, r.root, "expected xmi:XMI");
        } else {
            const char *why;
            struct smt_options options = {0};
            collect(&r, r.root);
            if (r.identified.count > 0)
                if (r.identified.count > 1)
                    qsort(r.identified.data, r.identified.count, sizeof *r.identified.data,
                          compare_ids);
            r.smt = smt_context_create("z3", r.capsules->store, &options, &why);
            r.solver = r.smt != NULL ? smt_create(r.smt) : NULL;
            fine = read_model(&r) && !messages_failed(messages);
        }
    }
    finish_reader(&r);
    libxml->xmlFreeDoc(doc);
    if (!fine) {
        capsules_destroy(r.capsules);
        return NULL;
    }
    return r.capsules;
}
