#include "languages/petri/pnml.h"

#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/petri/xml.h"

// A stack of what is open. A node's or an arc's parts come before its end, where it is added to the net.

enum element {
    ELEMENT_OTHER, // and all that is in it
    ELEMENT_ROOT,  // around the document
    ELEMENT_PNML,
    ELEMENT_NET,
    ELEMENT_PAGE,
    ELEMENT_PLACE,
    ELEMENT_TRANSITION,
    ELEMENT_ARC,
    ELEMENT_REFERENCE_PLACE,
    ELEMENT_REFERENCE_TRANSITION,
    ELEMENT_NAME,
    ELEMENT_MARKING,
    ELEMENT_INSCRIPTION,
    ELEMENT_TYPE,
    ELEMENT_TOOL,      // in an arc
    ELEMENT_NODE_TOOL, // in a place or a transition
    ELEMENT_NET_TOOL,  // around these
    ELEMENT_WEIGHT,
    ELEMENT_LIMIT, // how many tokens a place may hold, when a transition may fire, and the like
    ELEMENT_LIMIT_TEXT,
    ELEMENT_PRIORITY, // which of several transitions goes first
    ELEMENT_PRIORITY_TEXT,
    ELEMENT_TIMED, // … for those that fire at once go before those that take time
    ELEMENT_TIMED_TEXT,
    ELEMENT_TEXT,
};

// What may be where; the rest is passed over with all that is in it.
static const struct {
    enum element inside;
    const char *name;
    enum element element;
} GRAMMAR[] = {
    {ELEMENT_ROOT, "pnml", ELEMENT_PNML},
    {ELEMENT_PNML, "net", ELEMENT_NET},
    {ELEMENT_NET, "page", ELEMENT_PAGE},
    {ELEMENT_PAGE, "page", ELEMENT_PAGE},
    {ELEMENT_NET, "name", ELEMENT_NAME},
    {ELEMENT_NET, "place", ELEMENT_PLACE},
    {ELEMENT_PAGE, "place", ELEMENT_PLACE},
    {ELEMENT_NET, "transition", ELEMENT_TRANSITION},
    {ELEMENT_PAGE, "transition", ELEMENT_TRANSITION},
    {ELEMENT_NET, "arc", ELEMENT_ARC},
    {ELEMENT_PAGE, "arc", ELEMENT_ARC},
    {ELEMENT_NET, "referencePlace", ELEMENT_REFERENCE_PLACE},
    {ELEMENT_PAGE, "referencePlace", ELEMENT_REFERENCE_PLACE},
    {ELEMENT_NET, "referenceTransition", ELEMENT_REFERENCE_TRANSITION},
    {ELEMENT_PAGE, "referenceTransition", ELEMENT_REFERENCE_TRANSITION},
    {ELEMENT_PLACE, "name", ELEMENT_NAME},
    {ELEMENT_TRANSITION, "name", ELEMENT_NAME},
    {ELEMENT_PLACE, "initialMarking", ELEMENT_MARKING},
    {ELEMENT_ARC, "inscription", ELEMENT_INSCRIPTION},
    {ELEMENT_ARC, "type", ELEMENT_TYPE},
    {ELEMENT_ARC, "arctype", ELEMENT_TYPE},
    {ELEMENT_ARC, "toolspecific", ELEMENT_TOOL},
    {ELEMENT_TOOL, "weight", ELEMENT_WEIGHT},
    {ELEMENT_TOOL, "arctype", ELEMENT_TYPE},
    {ELEMENT_NET, "inputArc", ELEMENT_ARC},
    {ELEMENT_NET, "outputArc", ELEMENT_ARC},
    {ELEMENT_NET, "inhibitorArc", ELEMENT_ARC},
    {ELEMENT_NET, "transportArc", ELEMENT_ARC},
    {ELEMENT_PLACE, "toolspecific", ELEMENT_NODE_TOOL},
    {ELEMENT_TRANSITION, "toolspecific", ELEMENT_NODE_TOOL},
    {ELEMENT_PLACE, "capacity", ELEMENT_LIMIT},
    {ELEMENT_NODE_TOOL, "capacity", ELEMENT_LIMIT},
    {ELEMENT_PNML, "toolspecific", ELEMENT_NET_TOOL},
    {ELEMENT_NET, "toolspecific", ELEMENT_NET_TOOL},
    {ELEMENT_PAGE, "toolspecific", ELEMENT_NET_TOOL},
    {ELEMENT_TRANSITION, "priority", ELEMENT_PRIORITY},
    {ELEMENT_NODE_TOOL, "priority", ELEMENT_PRIORITY},
    {ELEMENT_PRIORITY, "text", ELEMENT_PRIORITY_TEXT},
    {ELEMENT_PRIORITY, "value", ELEMENT_PRIORITY_TEXT},
    {ELEMENT_TRANSITION, "timed", ELEMENT_TIMED},
    {ELEMENT_TIMED, "text", ELEMENT_TIMED_TEXT},
    {ELEMENT_TIMED, "value", ELEMENT_TIMED_TEXT},
    {ELEMENT_TRANSITION, "guard", ELEMENT_LIMIT},
    {ELEMENT_TRANSITION, "condition", ELEMENT_LIMIT},
    {ELEMENT_NODE_TOOL, "condition", ELEMENT_LIMIT},
    {ELEMENT_NODE_TOOL, "command", ELEMENT_LIMIT},
    {ELEMENT_LIMIT, "text", ELEMENT_LIMIT_TEXT},
    {ELEMENT_LIMIT, "value", ELEMENT_LIMIT_TEXT},
    {ELEMENT_NAME, "text", ELEMENT_TEXT},
    {ELEMENT_NAME, "value", ELEMENT_TEXT},
    {ELEMENT_MARKING, "text", ELEMENT_TEXT},
    {ELEMENT_MARKING, "value", ELEMENT_TEXT},
    {ELEMENT_INSCRIPTION, "text", ELEMENT_TEXT},
    {ELEMENT_INSCRIPTION, "value", ELEMENT_TEXT},
    {ELEMENT_TYPE, "text", ELEMENT_TEXT},
};

// Of other kinds of nets: to pass them over would be to read another net.
static const char *const FOREIGN[] = {"hlinitialMarking", "hlinscription"};

// What says when a transition fires, whatever it says.
static const char *const TIMES[] = {"delay",          "interval", "timeInterval",
                                    "staticInterval", "eft",      "lft"};

// The parts of the open node or arc.
struct parts {
    struct text id, source, target, name, kind;
    struct text priority;   // of a transition; "timed" below all others
    int64_t number, weight; // of <text>; of a tool; -1 = not said
    struct position at;
    bool is_arc;
};

struct reader {
    const char *path;
    struct messages *messages;
    struct net_builder *builder;
    VECTOR(enum element) open;
    struct parts parts;
    struct text net_name;
    struct text priority; // of the first transition
    bool has_priority;
    size_t nets;
};

static bool fail(struct reader *r, struct position at, const char *found, const char *expected)
{
    message_add(r->messages, MESSAGE_ERROR, at, "found %s, expected %s", found, expected);
    return false;
}

static bool unsupported(struct reader *r, struct position at, const char *what)
{
    message_add(r->messages, MESSAGE_UNSUPPORTED, at, "%s", what);
    return false;
}

static enum element classify(enum element inside, const char *name)
{
    for (size_t i = 0; i < sizeof GRAMMAR / sizeof *GRAMMAR; i++)
        if (GRAMMAR[i].inside == inside && strcmp(GRAMMAR[i].name, name) == 0)
            return GRAMMAR[i].element;
    return ELEMENT_OTHER;
}

static bool is_foreign(enum element inside, const char *name)
{
    bool can = inside == ELEMENT_PLACE || inside == ELEMENT_ARC;
    for (size_t i = 0; can && i < sizeof FOREIGN / sizeof *FOREIGN; i++)
        if (strcmp(FOREIGN[i], name) == 0)
            return true;
    return false;
}

// pnmlcoremodel is the standard's kernel; programs of process mining say so of the P/T nets that they write.
static bool is_flat_type(const char *type)
{
    static const char *const KNOWN[] = {"ptnet",         "ptnetb",   "EPNML11",        "epnml-1.1",
                                        "pnmlcoremodel", "pnmlcore", "inhibitorptnet", "P/T net"};
    const char *slash = strrchr(type, '/');
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcasecmp(type, KNOWN[i]) == 0 ||
            (slash != NULL && strcasecmp(slash + 1, KNOWN[i]) == 0))
            return true;
    return false;
}

static bool begin_net(struct reader *r, const struct xml_attribute *attributes, struct position at)
{
    const char *type = xml_attribute(attributes, "type");
    if (++r->nets > 1)
        return fail(r, at, "a second net", "one net a file");
    if (type == NULL)
        return fail(r, at, "a net without a type", "a place/transition net");
    if (is_flat_type(type))
        return true;
    message_add(r->messages, MESSAGE_UNSUPPORTED, at,
                "nets of type `%.100s` (only place/transition nets)", type);
    return false;
}

static void begin_parts(struct reader *r, struct position at)
{
    struct parts *p = &r->parts;
    text_clear(&p->id);
    text_clear(&p->source);
    text_clear(&p->target);
    text_clear(&p->name);
    text_clear(&p->kind);
    text_clear(&p->priority);
    p->number = p->weight = -1;
    p->at = at;
    p->is_arc = false;
}

static bool take(struct reader *r, const struct xml_attribute *attributes, const char *name,
                 struct text *out)
{
    const char *value = xml_attribute(attributes, name);
    if (value == NULL || !*value) {
        message_add(r->messages, MESSAGE_ERROR, r->parts.at,
                    "found an element without `%s`, expected it", name);
        return false;
    }
    text_add(out, value);
    return true;
}

// "3", or "Default,3" as some editors write it.
static bool read_count(struct reader *r, const char *text, struct position at, int64_t *out)
{
    static const char DEFAULT[] = "Default,";
    bool too_large;
    text += strspn(text, " \t\r\n");
    if (strncmp(text, DEFAULT, strlen(DEFAULT)) == 0)
        text += strlen(DEFAULT);
    if (net_read_number(text, out, &too_large))
        return true;
    if (too_large)
        return unsupported(r, at, "numbers above 2^40");
    message_add(r->messages, MESSAGE_ERROR, at, "found `%.40s`, expected a natural number", text);
    return false;
}

// To pass over a limit would be to read another net.
static bool end_limit(struct reader *r, const char *text, struct position at)
{
    static const char *const NONE[] = {"", "0", "unlimited", "infinite", "inf", "default,0", "-1"};
    struct text words;
    bool none = false;
    text_init(&words);
    text_add_words(&words, text, strlen(text), 60);
    for (size_t i = 0; i < sizeof NONE / sizeof *NONE; i++)
        none = none || strcasecmp(text_string(&words), NONE[i]) == 0;
    if (!none)
        message_add(r->messages, MESSAGE_UNSUPPORTED, at,
                    "a capacity, a priority or a condition (`%s`)", text_string(&words));
    text_finish(&words);
    return none;
}

static void set_words(struct text *out, const char *words)
{
    text_clear(out);
    text_add_words(out, words, strlen(words), 100);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static bool is_timed(const struct reader *r)
{
    return strcmp(text_string(&r->parts.priority), "timed") == 0;
}

static void set_priority(struct reader *r, const char *priority)
{
    if (!is_blank(priority) && !is_timed(r))
        set_words(&r->parts.priority, priority);
}

static void set_timed(struct reader *r, const char *timed)
{
    struct text words;
    text_init(&words);
    set_words(&words, timed);
    if (strcasecmp(text_string(&words), "true") == 0 || strcmp(text_string(&words), "1") == 0)
        set_words(&r->parts.priority, "timed");
    text_finish(&words);
}

static bool begin_node(struct reader *r, enum element element,
                       const struct xml_attribute *attributes, struct position at)
{
    begin_parts(r, at);
    if (!take(r, attributes, "id", &r->parts.id))
        return false;
    if (element == ELEMENT_REFERENCE_PLACE || element == ELEMENT_REFERENCE_TRANSITION)
        return take(r, attributes, "ref", &r->parts.target);
    const char *number = xml_attribute(attributes, "initialMarking");
    const char *capacity = xml_attribute(attributes, "capacity");
    if (xml_attribute(attributes, "priority") != NULL)
        set_priority(r, xml_attribute(attributes, "priority"));
    if (capacity != NULL && !end_limit(r, capacity, at))
        return false;
    const char *invariant = xml_attribute(attributes, "invariant");
    if (invariant != NULL && strstr(invariant, "inf") == NULL)
        return unsupported(r, at, "places where tokens have an age");
    return number == NULL || read_count(r, number, at, &r->parts.number);
}

// Timed nets without times are nets: [0,inf) is what an arc says that does not care.
static bool begin_inscription(struct reader *r, const char *inscription, struct position at)
{
    if (*inscription != '[')
        return r->parts.weight >= 0 || read_count(r, inscription, at, &r->parts.weight);
    if (strcmp(inscription, "[0,inf)") == 0)
        return true;
    return unsupported(r, at, "arcs with an interval of time");
}

// Some editors write what other files have as elements into the arc itself, or call the element by the kind of arc.
static bool begin_arc(struct reader *r, const char *name, const struct xml_attribute *attributes,
                      struct position at)
{
    const char *kind = xml_attribute(attributes, "type"),
               *weight = xml_attribute(attributes, "weight"),
               *inscription = xml_attribute(attributes, "inscription");
    begin_parts(r, at);
    r->parts.is_arc = true;
    if (strcmp(name, "inhibitorArc") == 0)
        kind = "inhibitor";
    if (strcmp(name, "transportArc") == 0)
        kind = "transport";
    if (kind != NULL)
        text_add(&r->parts.kind, kind);
    return take(r, attributes, "source", &r->parts.source) &&
           take(r, attributes, "target", &r->parts.target) &&
           (weight == NULL || read_count(r, weight, at, &r->parts.weight)) &&
           (inscription == NULL || begin_inscription(r, inscription, at));
}

static bool contains(const char *text, const char *word)
{
    for (size_t bytes = strlen(word); *text; text++)
        if (strncasecmp(text, word, bytes) == 0)
            return true;
    return false;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_in_tool(const struct reader *r)
{
    for (size_t i = 0; i < r->open.count; i++)
        if (r->open.data[i] == ELEMENT_TOOL || r->open.data[i] == ELEMENT_NODE_TOOL ||
            r->open.data[i] == ELEMENT_NET_TOOL)
            return true;
    return false;
}

// A part that nobody here knows may be passed over, but not when it seems to make the net or an arc another one.
static bool begin_other(struct reader *r, enum element inside, const char *name,
                        const struct xml_attribute *attributes, struct position at)
{
    static const char *const NODES[] = {"place", "transition", "arc"};
    if (inside == ELEMENT_ROOT)
        return fail(r, at, "no `pnml` element", "it around all");
    if ((inside == ELEMENT_TRANSITION || inside == ELEMENT_NODE_TOOL) &&
        is_one_of(name, TIMES, sizeof TIMES / sizeof *TIMES))
        return unsupported(r, at, "transitions with an interval of time");
    if (is_one_of(name, NODES, sizeof NODES / sizeof *NODES) &&
        xml_attribute(attributes, "id") != NULL && !is_in_tool(r))
        return unsupported(r, at, "nodes and arcs within another element than a net or a page");
    if (r->parts.is_arc && (contains(name, "inhibit") || contains(name, "reset")))
        return unsupported(r, at, "another spelling of special arcs");
    return true;
}

static void set_kind(struct reader *r, const char *kind)
{
    set_words(&r->parts.kind, kind);
}

static bool begin(void *context, const char *name, const struct xml_attribute *attributes,
                  struct position at)
{
    struct reader *r = context;
    enum element inside = VECTOR_LAST(&r->open);
    enum element element = classify(inside, name);
    VECTOR_PUSH(&r->open, element);
    if (is_foreign(inside, name))
        return unsupported(r, at, "parts of coloured nets");
    switch (element) {
    case ELEMENT_OTHER:
        return begin_other(r, inside, name, attributes, at);
    case ELEMENT_NET:
        return begin_net(r, attributes, at);
    case ELEMENT_PLACE:
    case ELEMENT_TRANSITION:
    case ELEMENT_REFERENCE_PLACE:
    case ELEMENT_REFERENCE_TRANSITION:
        return begin_node(r, element, attributes, at);
    case ELEMENT_ARC:
        return begin_arc(r, name, attributes, at);
    case ELEMENT_TYPE:
        if (xml_attribute(attributes, "value") != NULL)
            set_kind(r, xml_attribute(attributes, "value"));
        return true;
    default:
        return true;
    }
}

// A number may stand in <text>, or in what is around it. Nothing at all is the standard's 0, or 1 of an arc.
static bool end_count(struct reader *r, const char *text, struct position at)
{
    return is_blank(text) || read_count(r, text, at, &r->parts.number);
}

static bool end_text(struct reader *r, const char *text, struct position at)
{
    switch (VECTOR_LAST(&r->open)) {
    case ELEMENT_NAME: {
        bool of_net = r->open.data[r->open.count - 2] == ELEMENT_NET;
        struct text *name = of_net ? &r->net_name : &r->parts.name;
        text_clear(name);
        text_add_words(name, text, strlen(text), 1000);
        return true;
    }
    case ELEMENT_TYPE:
        set_kind(r, text);
        return true;
    default:
        return end_count(r, text, at);
    }
}

// Equal priorities are none. All timed, or none: the same; those that fire at once go before those that take time.
static bool check_priority(struct reader *r)
{
    struct parts *p = &r->parts;
    const char *priority = text_string(&p->priority);
    if (!r->has_priority)
        text_add(&r->priority, priority);
    r->has_priority = true;
    return strcmp(text_string(&r->priority), priority) == 0 ||
           unsupported(r, p->at, "transitions of different priorities");
}

static bool taken(struct reader *r)
{
    message_add(r->messages, MESSAGE_ERROR, r->parts.at,
                "found the id `%.60s` a second time, expected it once", text_string(&r->parts.id));
    return false;
}

static bool end_node(struct reader *r, enum element element)
{
    struct parts *p = &r->parts;
    const char *id = text_string(&p->id), *name = text_string(&p->name);
    bool added;
    if (element == ELEMENT_PLACE)
        added = net_builder_place(r->builder, id, name, p->number < 0 ? 0 : p->number, p->at);
    else if (element == ELEMENT_TRANSITION && !check_priority(r))
        return false;
    else if (element == ELEMENT_TRANSITION)
        added = net_builder_transition(r->builder, id, name, p->at);
    else
        added = net_builder_reference(
            r->builder, id, text_string(&p->target),
            element == ELEMENT_REFERENCE_PLACE ? NET_PLACE : NET_TRANSITION, p->at);
    return added || taken(r);
}

static bool end_arc(struct reader *r)
{
    struct parts *p = &r->parts;
    const char *kind = text_string(&p->kind);
    enum net_arc_kind arc = NET_ARC_NORMAL;
    if (strcasecmp(kind, "inhibitor") == 0 || strcasecmp(kind, "tapnInhibitor") == 0)
        arc = NET_ARC_INHIBITOR;
    else if (strcasecmp(kind, "read") == 0 || strcasecmp(kind, "test") == 0)
        arc = NET_ARC_READ;
    else if (*kind && strcasecmp(kind, "normal") != 0 && strcasecmp(kind, "timed") != 0) {
        message_add(r->messages, MESSAGE_UNSUPPORTED, p->at, "arcs of type `%.40s`", kind);
        return false;
    }
    int64_t weight = p->number >= 0 ? p->number : p->weight >= 0 ? p->weight : 1;
    if (weight == 0)
        return fail(r, p->at, "an arc of weight 0", "a weight of 1 or more");
    net_builder_arc(r->builder, text_string(&p->source), text_string(&p->target), arc, weight,
                    p->at);
    p->is_arc = false;
    return true;
}

static bool end(void *context, const char *text, struct position at)
{
    struct reader *r = context;
    enum element element = VECTOR_POP(&r->open);
    switch (element) {
    case ELEMENT_TEXT:
        return end_text(r, text, at);
    case ELEMENT_TYPE:
        // The kind as the element's own text.
        if (!is_blank(text))
            set_kind(r, text);
        return true;
    case ELEMENT_MARKING:
    case ELEMENT_INSCRIPTION:
        return end_count(r, text, at);
    case ELEMENT_LIMIT:
    case ELEMENT_LIMIT_TEXT:
        return end_limit(r, text, at);
    case ELEMENT_PRIORITY:
    case ELEMENT_PRIORITY_TEXT:
        set_priority(r, text);
        return true;
    case ELEMENT_TIMED:
    case ELEMENT_TIMED_TEXT:
        set_timed(r, text);
        return true;
    case ELEMENT_WEIGHT:
        return read_count(r, text, at, &r->parts.weight);
    case ELEMENT_PLACE:
    case ELEMENT_TRANSITION:
    case ELEMENT_REFERENCE_PLACE:
    case ELEMENT_REFERENCE_TRANSITION:
        return end_node(r, element);
    case ELEMENT_ARC:
        return end_arc(r);
    default:
        return true;
    }
}

static struct net *finish(struct reader *r, bool good)
{
    if (good && r->nets == 0)
        good = fail(r, (struct position){r->path, 0, 0}, "no net", "one");
    if (!good) {
        net_builder_destroy(r->builder);
        return NULL;
    }
    net_builder_name(r->builder, text_string(&r->net_name));
    return net_builder_finish(r->builder, r->messages);
}

struct net *pnml_read(const char *path, const char *text, size_t bytes, struct messages *messages)
{
    struct reader r = {.path = path, .messages = messages, .builder = net_builder_create(path)};
    VECTOR_PUSH(&r.open, ELEMENT_ROOT);
    struct xml_handler handler = {begin, end, &r};
    bool good = xml_read(path, text, bytes, &handler, messages);
    struct net *net = finish(&r, good);
    VECTOR_FINISH(&r.open);
    text_finish(&r.parts.id);
    text_finish(&r.parts.source);
    text_finish(&r.parts.target);
    text_finish(&r.parts.name);
    text_finish(&r.parts.kind);
    text_finish(&r.parts.priority);
    text_finish(&r.net_name);
    text_finish(&r.priority);
    return net;
}
