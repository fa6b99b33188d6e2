#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"
#include "languages/umlrt/xmi_inside.h"

// A hierarchical state machine becomes a flat one: locations are the states without regions; each transition that can
// begin in one of them (its own or one of those around it) is followed through choice, entry and exit points to a location, and
// the code on the way is run symbolically. Ways to the same location are cases of one transition.

enum vertex_kind { V_STATE, V_INITIAL, V_CHOICE, V_JUNCTION, V_ENTRY, V_EXIT };

#define V_NONE UINT32_MAX

struct vertex {
    enum vertex_kind kind;
    xmlNode *node;
    const char *name;
    uint32_t owner; // the state whose region or border it is in; V_NONE: the machine
    bool composite;
    uint32_t location; // of a state without regions
};

struct arc_trigger { // of one port
    xmlNode *node;
    const char *port; // NULL: it names none
};

struct arc {
    xmlNode *node;
    uint32_t source, target;
    uint32_t owner; // the state whose region it is in
    bool internal;
    xmlNode *guard; // OpaqueExpression; NULL: none
    VECTOR(struct arc_trigger) triggers;
};

struct machine {
    struct xmi_reader *reader;
    struct code_scope scope;
    uint32_t module;
    VECTOR(struct vertex) vertices;
    VECTOR(struct arc) arcs;
};

static struct capsule_module *module_of(struct machine *m)
{
    return &m->reader->capsules->modules.data[m->module];
}

static uint32_t find_vertex(const struct machine *m, const xmlNode *node)
{
    for (size_t i = 0; i < m->vertices.count; i++)
        if (m->vertices.data[i].node == node)
            return (uint32_t)i;
    return V_NONE;
}

static uint32_t initial_of(const struct machine *m, uint32_t owner)
{
    for (uint32_t i = 0; i < m->vertices.count; i++)
        if (m->vertices.data[i].kind == V_INITIAL && m->vertices.data[i].owner == owner)
            return i;
    return V_NONE;
}

static bool pseudostate_kind(struct machine *m, xmlNode *node, enum vertex_kind *kind)
{
    const char *text = xmi_get(m->reader, node, "kind");
    if (text == NULL || strcmp(text, "initial") == 0)
        *kind = V_INITIAL;
    else if (strcmp(text, "choice") == 0)
        *kind = V_CHOICE;
    else if (strcmp(text, "junction") == 0)
        *kind = V_JUNCTION;
    else if (strcmp(text, "entryPoint") == 0)
        *kind = V_ENTRY;
    else if (strcmp(text, "exitPoint") == 0)
        *kind = V_EXIT;
    else
        return xmi_unsupported(m->reader, node, text);
    return true;
}

static bool read_region(struct machine *m, xmlNode *region, uint32_t owner);

// What a state has that is not a vertex of its own.
static bool check_state(struct machine *m, xmlNode *node)
{
    if (xmi_get(m->reader, node, "submachine") != NULL)
        return xmi_unsupported(m->reader, node, "a machine within the state by reference");
    for (xmlNode *child = node->children; child != NULL; child = child->next) {
        bool fine = true;
        if (xmi_is(m->reader, child, "doActivity", NULL))
            fine = xmi_unsupported(m->reader, child, "an activity");
        else if (xmi_is(m->reader, child, "deferrableTrigger", NULL))
            fine = xmi_unsupported(m->reader, child, "a deferred trigger");
        else if (xmi_is(m->reader, child, "submachine", NULL) ||
                 xmi_is(m->reader, child, "connection", NULL))
            fine = xmi_unsupported(m->reader, child, "a machine within the state by reference");
        else if (xmi_is(m->reader, child, "entry", NULL) || xmi_is(m->reader, child, "exit", NULL))
            fine = xmi_has_code(m->reader, child);
        if (!fine)
            return false;
    }
    return true;
}

static bool read_state(struct machine *m, xmlNode *node, uint32_t owner)
{
    if (!check_state(m, node))
        return false;
    struct vertex v = {V_STATE, node, xmi_get(m->reader, node, "name"), owner, false, V_NONE};
    uint32_t own = (uint32_t)m->vertices.count;
    VECTOR_PUSH(&m->vertices, v);
    size_t regions = 0;
    for (xmlNode *child = node->children; child != NULL; child = child->next) {
        bool fine = true;
        if (xmi_is(m->reader, child, "region", NULL)) {
            m->vertices.data[own].composite = true;
            fine = regions++ == 0 ? read_region(m, child, own)
                                  : xmi_unsupported(m->reader, child, "a second region");
        } else if (xmi_is(m->reader, child, "connectionPoint", NULL)) {
            struct vertex point = {V_ENTRY, child, xmi_get(m->reader, child, "name"),
                                   own,     false, V_NONE};
            fine = pseudostate_kind(m, child, &point.kind);
            VECTOR_PUSH(&m->vertices, point);
        }
        if (!fine)
            return false;
    }
    return true;
}

static bool read_vertex(struct machine *m, xmlNode *node, uint32_t owner)
{
    if (xmi_is(m->reader, node, NULL, "uml:State"))
        return read_state(m, node, owner);
    if (!xmi_is(m->reader, node, NULL, "uml:Pseudostate"))
        return xmi_unsupported(m->reader, node, "a vertex that is no state and no pseudostate");
    struct vertex v = {V_INITIAL, node, xmi_get(m->reader, node, "name"), owner, false, V_NONE};
    bool fine = pseudostate_kind(m, node, &v.kind);
    if (fine && v.kind == V_INITIAL && initial_of(m, owner) != V_NONE)
        return xmi_wrong(m->reader, node, "a second initial state of its region");
    VECTOR_PUSH(&m->vertices, v);
    return fine;
}

static bool read_region(struct machine *m, xmlNode *region, uint32_t owner)
{
    for (xmlNode *node = region->children; node != NULL; node = node->next) {
        if (xmi_is(m->reader, node, "subvertex", NULL) && !read_vertex(m, node, owner))
            return false;
        if (xmi_is(m->reader, node, "transition", NULL)) {
            struct arc arc = {.node = node, .owner = owner};
            VECTOR_PUSH(&m->arcs, arc);
        }
    }
    return true;
}

static bool read_guard(struct machine *m, struct arc *arc)
{
    const char *id = xmi_get(m->reader, arc->node, "guard");
    if (id == NULL)
        return true; // a rule that no guard names is none
    xmlNode *constraint = xmi_find(m->reader, id);
    if (constraint == NULL)
        return xmi_wrong(m->reader, arc->node, "its guard is nowhere");
    arc->guard = xmi_child(constraint, "specification");
    if (arc->guard == NULL || !xmi_is(m->reader, arc->guard, NULL, "uml:OpaqueExpression"))
        return xmi_unsupported(m->reader, constraint, "a guard that is no code");
    return xmi_has_code(m->reader, arc->guard);
}

// A rule may also be about one of the transition's triggers alone.
static bool check_rule(struct machine *m, const struct arc *arc, xmlNode *rule)
{
    const char *about = xmi_get(m->reader, rule, "constrainedElement");
    for (size_t i = 0; about != NULL && i < arc->triggers.count; i++) {
        const char *id = xmi_id(m->reader, arc->triggers.data[i].node, "id");
        if (id != NULL && strstr(about, id) != NULL)
            return xmi_unsupported(m->reader, rule, "a guard of one trigger");
    }
    return true;
}

static void read_trigger(struct machine *m, struct arc *arc, xmlNode *node)
{
    const char *ports = xmi_get(m->reader, node, "port");
    if (ports == NULL)
        VECTOR_PUSH(&arc->triggers, ((struct arc_trigger){node, NULL}));
    while (ports != NULL && *ports != '\0') {
        size_t length = strcspn(ports, " ");
        if (length > 0)
            VECTOR_PUSH(
                &arc->triggers,
                ((struct arc_trigger){node, capsules_name(m->reader->capsules, ports, length)}));
        ports += length + (ports[length] == ' ');
    }
}

static bool read_parts_of_arc(struct machine *m, struct arc *arc)
{
    struct xmi_reader *r = m->reader;
    for (xmlNode *node = arc->node->children; node != NULL; node = node->next)
        if (xmi_is(r, node, "trigger", NULL))
            read_trigger(m, arc, node);
    for (xmlNode *node = arc->node->children; node != NULL; node = node->next) {
        if (xmi_is(r, node, "effect", NULL) && !xmi_has_code(r, node))
            return false;
        if (xmi_is(r, node, "ownedRule", NULL) && !check_rule(m, arc, node))
            return false;
    }
    if (m->vertices.data[arc->source].kind == V_STATE && arc->triggers.count == 0)
        return xmi_unsupported(r, arc->node, "a transition of a state without a trigger");
    return true;
}

static bool read_arc(struct machine *m, struct arc *arc)
{
    struct xmi_reader *r = m->reader;
    arc->source = find_vertex(m, xmi_find(r, xmi_get(r, arc->node, "source")));
    arc->target = find_vertex(m, xmi_find(r, xmi_get(r, arc->node, "target")));
    if (arc->source == V_NONE || arc->target == V_NONE)
        return xmi_wrong(r, arc->node, "its source or target is no vertex of the machine");
    const char *kind = xmi_get(r, arc->node, "kind");
    arc->internal = kind != NULL && strcmp(kind, "internal") == 0;
    // A local transition stays inside its source.
    if (kind != NULL && strcmp(kind, "local") == 0 && m->vertices.data[arc->source].composite)
        arc->owner = arc->source;
    return read_parts_of_arc(m, arc) && read_guard(m, arc);
}

// Leaves by their own names where those differ, else with those of the states around.
static void name_locations(struct machine *m)
{
    struct capsule_module *module = module_of(m);
    for (size_t i = 0; i < m->vertices.count; i++) {
        struct vertex *v = &m->vertices.data[i];
        if (v->kind != V_STATE || v->composite)
            continue;
        bool alone = v->name != NULL && v->name[0] != '\0';
        for (size_t j = 0; alone && j < m->vertices.count; j++)
            alone = j == i || m->vertices.data[j].kind != V_STATE ||
                    m->vertices.data[j].composite || m->vertices.data[j].name == NULL ||
                    strcmp(m->vertices.data[j].name, v->name) != 0;
        struct text full = {0};
        text_add(&full, v->name != NULL ? v->name : "");
        for (uint32_t up = v->owner; !alone && up != V_NONE; up = m->vertices.data[up].owner) {
            struct text outer = {0};
            text_printf(&outer, "%s.%s",
                        m->vertices.data[up].name != NULL ? m->vertices.data[up].name : "",
                        text_string(&full));
            text_finish(&full);
            full = outer;
        }
        if (full.length == 0 || capsule_find_location(module, text_string(&full)) != CAPSULE_NONE)
            text_printf(&full, "#%zu", i);
        v->location = (uint32_t)module->locations.count;
        VECTOR_PUSH(&module->locations,
                    ((struct capsule_named){
                        capsules_name(m->reader->capsules, text_string(&full), full.length),
                        xmi_position(m->reader, v->node)}));
        text_finish(&full);
    }
}

static bool within(const struct machine *m, uint32_t vertex, uint32_t state)
{
    while (vertex != V_NONE && vertex != state)
        vertex = m->vertices.data[vertex].owner;
    return vertex == state;
}

static void name_composites(struct machine *m)
{
    for (uint32_t i = 0; i < m->vertices.count; i++) {
        const struct vertex *v = &m->vertices.data[i];
        if (!v->composite || v->name == NULL)
            continue;
        struct capsule_composite composite = {.name = v->name};
        for (uint32_t j = 0; j < m->vertices.count; j++)
            if (m->vertices.data[j].location != V_NONE && within(m, j, i))
                VECTOR_PUSH(&composite.locations, m->vertices.data[j].location);
        VECTOR_PUSH(&module_of(m)->composites, composite);
    }
}

// Following a transition.

struct way { // ends of what began with one transition
    struct code_state state;
    uint32_t location;
};

struct ways { // a VECTOR
    struct way *data;
    size_t count, capacity;
};

static bool run_code(struct machine *m, const xmlNode *opaque, struct code_states *states)
{
    unsigned line;
    const char *text = xmi_code(m->reader, opaque, &line);
    return text[0] == '\0' || code_run(&m->scope, m->reader->path, line, text, states);
}

static bool arrive(struct machine *m, uint32_t vertex, uint32_t inside, struct code_states *states,
                   struct ways *out, int depth);

// Along one arc from where we are: effect, exit code from inside out, entry code from outside in.
static bool follow(struct machine *m, const struct arc *arc, uint32_t inside,
                   struct code_states *states, struct ways *out, int depth)
{
    if (!run_code(m, xmi_child(arc->node, "effect"), states))
        return false;
    while (inside != V_NONE && inside != arc->owner && !within(m, arc->owner, inside)) {
        if (!run_code(m, xmi_child(m->vertices.data[inside].node, "exit"), states))
            return false;
        inside = m->vertices.data[inside].owner;
    }
    // The states around the target that are not entered yet, from the outermost.
    const struct vertex *target = &m->vertices.data[arc->target];
    uint32_t last = target->kind == V_STATE ? arc->target : target->owner;
    assert(arc->target < m->vertices.count &&
           (last == V_NONE || m->vertices.data[last].kind == V_STATE));
    VECTOR(uint32_t) entered = {0};
    for (uint32_t up = last; up != V_NONE && up != inside && !within(m, inside, up);
         up = m->vertices.data[up].owner)
        VECTOR_PUSH(&entered, up);
    bool fine = true;
    for (size_t i = entered.count; fine && i-- > 0;)
        fine = run_code(m, xmi_child(m->vertices.data[entered.data[i]].node, "entry"), states);
    VECTOR_FINISH(&entered);
    return fine && arrive(m, arc->target, last, states, out, depth + 1);
}

static bool changes_anything(struct machine *m, const struct code_state *before,
                             const struct code_state *after)
{
    const struct capsule_case *a = &before->effect, *b = &after->effect;
    bool changed = a->outputs.count != b->outputs.count || a->timers.count != b->timers.count ||
                   a->created.count != b->created.count || a->destroyed.count != b->destroyed.count;
    for (size_t i = 0; i < module_of(m)->attributes.count; i++)
        changed |= before->attributes.data[i] != after->attributes.data[i];
    return changed;
}

// The code of a guard as a term, in one state.
static const struct term *guard_term(struct machine *m, const struct arc *arc,
                                     const struct code_state *state)
{
    struct term_store *store = m->reader->capsules->store;
    if (arc->guard == NULL)
        return term_true(store);
    unsigned line;
    const char *text = xmi_code(m->reader, arc->guard, &line);
    struct code_states states = {0};
    VECTOR_PUSH(&states, code_state_copy(state));
    states.data[0].condition = term_true(store);
    const struct term *all = NULL;
    if (strcmp(text, "else") != 0 && code_run(&m->scope, m->reader->path, line, text, &states)) {
        all = term_true(store);
        for (size_t i = 0; all != NULL && i < states.count; i++) {
            const struct code_state *s = &states.data[i];
            const struct term *result = s->result;
            if (result != NULL && result->sort->kind != SORT_BOOL)
                result = term_not(store, term_eq(store, result, term_int(store, 0)));
            if (result == NULL || changes_anything(m, state, s)) {
                xmi_unsupported(m->reader, arc->guard,
                                result == NULL ? "a guard that does not return a value"
                                               : "a guard that changes something");
                all = NULL;
            } else {
                all = term_and2(store, all, term_implies(store, s->condition, result));
            }
        }
    }
    code_states_finish(&states);
    return all;
}

// A junction's guards are asked before anything is done.
static const struct term *guard_before(struct machine *m, const struct arc *arc)
{
    struct code_state start = code_state_start(&m->scope);
    const struct term *guard = guard_term(m, arc, &start);
    code_state_finish(&start);
    return guard;
}

static bool is_else(struct machine *m, const struct arc *arc)
{
    unsigned line;
    return arc->guard == NULL || strcmp(xmi_code(m->reader, arc->guard, &line), "else") == 0;
}

// What one state takes at a choice point: each branch whose guard is true, or the one without a guard.
static bool choose(struct machine *m, uint32_t vertex, uint32_t inside,
                   const struct code_state *state, struct ways *out, int depth)
{
    struct term_store *store = m->reader->capsules->store;
    const struct term *none = state->condition;
    const struct arc *otherwise = NULL;
    bool choice =
        m->vertices.data[vertex].kind == V_CHOICE || m->vertices.data[vertex].kind == V_JUNCTION;
    size_t count = 0;
    for (size_t i = 0; i < m->arcs.count; i++) {
        const struct arc *arc = &m->arcs.data[i];
        if (arc->source != vertex)
            continue;
        count++;
        if (arc->triggers.count > 0)
            return xmi_unsupported(m->reader, arc->node, "a trigger behind a pseudostate");
        if (is_else(m, arc)) {
            if (otherwise != NULL)
                return xmi_unsupported(m->reader, arc->node, "a second branch without a guard");
            otherwise = arc;
            continue;
        }
        const struct term *g = guard_term(m, arc, state);
        if (g == NULL)
            return false;
        if (m->vertices.data[vertex].kind == V_JUNCTION && g != guard_before(m, arc))
            return xmi_unsupported(m->reader, arc->node,
                                   "a guard behind a junction that the code before it changes");
        struct code_states one = {0};
        VECTOR_PUSH(&one, code_state_copy(state));
        one.data[0].condition = term_and2(store, state->condition, g);
        none = term_and2(store, none, term_not(store, g));
        bool fine = !code_feasible(&m->scope, one.data[0].condition) ||
                    follow(m, arc, inside, &one, out, depth);
        code_states_finish(&one);
        if (!fine)
            return false;
    }
    if (count == 0)
        return xmi_unsupported(m->reader, m->vertices.data[vertex].node,
                               choice ? "a choice without branches"
                                      : "a point where nothing goes on (history)");
    if (otherwise == NULL || !code_feasible(&m->scope, none))
        return true;
    struct code_states one = {0};
    VECTOR_PUSH(&one, code_state_copy(state));
    one.data[0].condition = none;
    bool fine = follow(m, otherwise, inside, &one, out, depth);
    code_states_finish(&one);
    return fine;
}

static bool arrive(struct machine *m, uint32_t vertex, uint32_t inside, struct code_states *states,
                   struct ways *out, int depth)
{
    const struct vertex *v = &m->vertices.data[vertex];
    if (depth > 100 || out->count > 1000)
        return xmi_unsupported(m->reader, v->node, "a chain without end, or with too many ways");
    if (v->kind == V_STATE && !v->composite) {
        ENSURE(v->location < module_of(m)->locations.count);
        for (size_t i = 0; i < states->count; i++)
            VECTOR_PUSH(out, ((struct way){code_state_copy(&states->data[i]), v->location}));
        return true;
    }
    if (v->kind == V_STATE) {
        uint32_t initial = initial_of(m, vertex);
        if (initial == V_NONE)
            return xmi_unsupported(m->reader, v->node,
                                   "entering a state with a region without initial (history)");
        vertex = initial;
        inside = m->vertices.data[initial].owner;
    }
    bool fine = true;
    for (size_t i = 0; fine && i < states->count; i++)
        fine = choose(m, vertex, inside, &states->data[i], out, depth);
    return fine;
}

static void ways_finish(struct ways *ways)
{
    for (size_t i = 0; i < ways->count; i++)
        code_state_finish(&ways->data[i].state);
    VECTOR_FINISH(ways);
}

static void add_case(struct machine *m, struct capsule_transition *t, struct way *way,
                     const struct term *condition)
{
    struct capsule_case c = capsule_case_copy(&way->state.effect);
    c.condition = condition;
    c.bound_exceeded = way->state.beyond;
    c.position = t->position;
    code_assignments(&m->scope, &way->state, &c);
    VECTOR_PUSH(&t->cases, c);
}

// One transition for each location that the ways lead to.
static void add_transitions(struct machine *m, const struct capsule_transition *pattern,
                            struct ways *ways)
{
    struct term_store *store = m->reader->capsules->store;
    for (size_t i = 0; i < ways->count; i++) {
        bool first = true;
        size_t same = 0;
        const struct term *guard = term_false(store);
        for (size_t j = 0; j < ways->count; j++)
            if (ways->data[j].location == ways->data[i].location) {
                first &= j >= i;
                same++;
                guard = term_or2(store, guard, ways->data[j].state.condition);
            }
        if (!first)
            continue;
        assert(same > 0 && guard->sort->kind == SORT_BOOL);
        struct capsule_transition t = *pattern;
        t.target = ways->data[i].location;
        t.guard = guard;
        for (size_t j = i; j < ways->count; j++)
            if (ways->data[j].location == t.target)
                add_case(m, &t, &ways->data[j],
                         same == 1 ? term_true(store) : ways->data[j].state.condition);
        VECTOR_PUSH(&module_of(m)->transitions, t);
    }
}

// In messages and out messages of one port may have the same name.
static uint32_t find_incoming(const struct capsule_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->signals.count; i++)
        if (!m->signals.data[i].out && strcmp(m->signals.data[i].name, name) == 0)
            return i;
    return CAPSULE_NONE;
}

static bool trigger_of(struct machine *m, const struct arc_trigger *of,
                       struct capsule_transition *t)
{
    struct xmi_reader *r = m->reader;
    xmlNode *trigger = of->node;
    if (of->port == NULL)
        return xmi_unsupported(r, trigger, "a trigger that names no port");
    xmlNode *port = xmi_find(r, of->port);
    const char *port_name = port != NULL ? xmi_get(r, port, "name") : NULL;
    if (port_name == NULL)
        return xmi_wrong(r, trigger, "its port is nowhere");
    t->trigger = capsule_find_timer(module_of(m), port_name);
    t->kind = CAPSULE_TIMER;
    if (t->trigger != CAPSULE_NONE)
        return true;
    xmlNode *event = xmi_find(r, xmi_get(r, trigger, "event"));
    if (event == NULL || !xmi_is(r, event, NULL, "uml:CallEvent"))
        return xmi_unsupported(r, trigger, "an event that is no message");
    xmlNode *operation = xmi_find(r, xmi_get(r, event, "operation"));
    const char *name = operation != NULL ? xmi_get(r, operation, "name") : NULL;
    struct text full = {0};
    text_printf(&full, "%s.%s", port_name, name != NULL ? name : "");
    t->kind = CAPSULE_SIGNAL;
    t->trigger = find_incoming(module_of(m), text_string(&full));
    text_finish(&full);
    if (t->trigger == CAPSULE_NONE)
        return xmi_wrong(r, trigger, "no message that the port receives");
    return true;
}

// One transition with one trigger, from one location. `inner`: guards of the transitions further inside.
static bool expand(struct machine *m, const struct arc *arc, uint32_t leaf,
                   const struct term **inner, struct ways *ways, struct capsule_transition *t)
{
    struct term_store *store = m->reader->capsules->store;
    struct capsule_module *module = module_of(m);
    m->scope.trigger = t->kind == CAPSULE_SIGNAL ? &module->signals.data[t->trigger] : NULL;
    assert(within(m, leaf, arc->source)); // it begins around the location
    struct code_state start = code_state_start(&m->scope);
    const struct term *guard = guard_term(m, arc, &start);
    bool fine = guard != NULL;
    if (fine) {
        start.condition = term_and2(store, guard, term_not(store, *inner));
        *inner = term_or2(store, *inner, guard);
        struct code_states states = {0};
        VECTOR_PUSH(&states, code_state_copy(&start));
        if (!code_feasible(&m->scope, start.condition)) {
            // Those inside always come first.
        } else if (arc->internal) {
            fine = run_code(m, xmi_child(arc->node, "effect"), &states);
            for (size_t i = 0; fine && i < states.count; i++)
                VECTOR_PUSH(ways, ((struct way){code_state_copy(&states.data[i]),
                                                m->vertices.data[leaf].location}));
        } else {
            fine = follow(m, arc, leaf, &states, ways, 0);
        }
        code_states_finish(&states);
    }
    code_state_finish(&start);
    return fine;
}

// All that one trigger can do in one location: from the inside out.
static bool expand_trigger(struct machine *m, uint32_t leaf, const struct capsule_transition *key)
{
    const struct term *inner = term_false(m->reader->capsules->store);
    for (uint32_t at = leaf; at != V_NONE; at = m->vertices.data[at].owner) {
        const struct term *own = inner;
        for (size_t i = 0; i < m->arcs.count; i++) {
            const struct arc *arc = &m->arcs.data[i];
            for (size_t j = 0; arc->source == at && j < arc->triggers.count; j++) {
                struct capsule_transition t = {.source = m->vertices.data[leaf].location,
                                               .position = xmi_position(m->reader, arc->node)};
                if (!trigger_of(m, &arc->triggers.data[j], &t))
                    return false;
                if (t.kind != key->kind || t.trigger != key->trigger)
                    continue;
                const struct term *mine = own; // those on the same level do not exclude one another
                struct ways ways = {0};
                bool fine = expand(m, arc, leaf, &mine, &ways, &t);
                if (fine)
                    add_transitions(m, &t, &ways);
                inner = term_or2(m->reader->capsules->store, inner, mine);
                ways_finish(&ways);
                if (!fine)
                    return false;
            }
        }
    }
    return true;
}

static bool expand_leaf(struct machine *m, uint32_t leaf)
{
    struct capsule_module *module = module_of(m);
    for (uint32_t s = 0; s < module->signals.count; s++)
        if (!module->signals.data[s].out &&
            !expand_trigger(m, leaf,
                            &(struct capsule_transition){.kind = CAPSULE_SIGNAL, .trigger = s}))
            return false;
    for (uint32_t t = 0; t < module->timers.count; t++)
        if (!expand_trigger(m, leaf,
                            &(struct capsule_transition){.kind = CAPSULE_TIMER, .trigger = t}))
            return false;
    return true;
}

static bool expand_initial(struct machine *m)
{
    uint32_t initial = initial_of(m, V_NONE);
    if (initial == V_NONE)
        return xmi_wrong(m->reader, m->vertices.data[0].node, "the machine has no initial state");
    m->scope.trigger = NULL;
    struct code_states states = {0};
    struct ways ways = {0};
    VECTOR_PUSH(&states, code_state_start(&m->scope));
    bool fine = arrive(m, initial, V_NONE, &states, &ways, 0);
    if (fine && (ways.count != 1 || !term_is_true(ways.data[0].state.condition)))
        fine = xmi_unsupported(m->reader, m->vertices.data[initial].node,
                               "an initial transition with several cases");
    if (fine) {
        struct capsule_transition t = {.source = CAPSULE_NONE,
                                       .kind = CAPSULE_INIT,
                                       .position =
                                           xmi_position(m->reader, m->vertices.data[initial].node)};
        assert(module_of(m)->initial == CAPSULE_NONE);
        module_of(m)->initial = (uint32_t)module_of(m)->transitions.count;
        add_transitions(m, &t, &ways);
    }
    ways_finish(&ways);
    code_states_finish(&states);
    return fine;
}

// A periodic timer is set again by its own timeout.
static void keep_periodic(struct machine *m)
{
    struct capsule_module *module = module_of(m);
    for (size_t i = 0; i < m->scope.periodic.count; i++) {
        uint32_t timer = capsule_find_timer(module, m->scope.periodic.data[i]);
        assert(timer != CAPSULE_NONE);
        for (size_t t = 0; t < module->transitions.count; t++) {
            struct capsule_transition *transition = &module->transitions.data[t];
            for (size_t c = 0; transition->kind == CAPSULE_TIMER && transition->trigger == timer &&
                               c < transition->cases.count;
                 c++) {
                struct capsule_numbers *timers = &transition->cases.data[c].timers;
                bool there = false;
                for (size_t n = 0; n < timers->count; n++)
                    there |= timers->data[n] == timer;
                if (!there)
                    VECTOR_PUSH(timers, timer);
            }
        }
    }
}

static bool read_all(struct machine *m, xmlNode *behaviour)
{
    size_t regions = 0;
    for (xmlNode *node = behaviour->children; node != NULL; node = node->next)
        if (xmi_is(m->reader, node, "region", NULL)) {
            if (regions++ > 0)
                return xmi_unsupported(m->reader, node, "a second region");
            if (!read_region(m, node, V_NONE))
                return false;
        }
    for (size_t i = 0; i < m->arcs.count; i++)
        if (!read_arc(m, &m->arcs.data[i]))
            return false;
    if (m->vertices.count == 0)
        return xmi_wrong(m->reader, behaviour, "a state machine without states");
    name_locations(m);
    name_composites(m);
    if (!expand_initial(m))
        return false;
    for (uint32_t i = 0; i < m->vertices.count; i++)
        if (m->vertices.data[i].location != V_NONE && m->vertices.data[i].kind == V_STATE &&
            !m->vertices.data[i].composite && !expand_leaf(m, i))
            return false;
    keep_periodic(m);
    return true;
}

bool xmi_read_machine(struct xmi_reader *reader, uint32_t module)
{
    struct xmi_capsule *class = &reader->classes.data[module];
    xmlNode *behaviour = xmi_find(reader, xmi_get(reader, class->node, "classifierBehavior"));
    if (behaviour == NULL)
        return true;
    if (!xmi_is(reader, behaviour, NULL, "uml:StateMachine"))
        return xmi_unsupported(reader, behaviour, "a behaviour that is no state machine");
    struct machine m = {.reader = reader, .module = module};
    m.scope = (struct code_scope){.capsules = reader->capsules,
                                  .module = module,
                                  .logs = class->logs,
                                  .frames = class->frames,
                                  .strings = class->strings,
                                  .loop_bound = reader->loop_bound,
                                  .solver = reader->solver,
                                  .messages = reader->messages};
    bool fine = read_all(&m, behaviour);
    for (size_t i = 0; i < m.arcs.count; i++)
        VECTOR_FINISH(&m.arcs.data[i].triggers);
    VECTOR_FINISH(&m.arcs);
    VECTOR_FINISH(&m.vertices);
    VECTOR_FINISH(&m.scope.periodic);
    return fine;
}
