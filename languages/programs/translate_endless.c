#include <string.h>

#include "base/components.h"
#include "base/memory.h"
#include "languages/programs/translate_inside.h"
#include "logic/terms/rewrite.h"

// Termination as reachability. A model of finite sorts has a run without an end exactly if some run comes back to a state.
// So each loop gets a copy of its own, which a run may enter at the loop's head: there it keeps what the loop will
// look at, goes on inside the loop only, and is in error when it comes back to the head with the same values. The
// copy of a loop has its inner loops within; what circles in those alone is found by their own copies, without the
// outer head. What a loop never looks at need not come back: the same steps can be taken again whatever it is.

#define MOST_COPIED 100000 // edges

struct search {
    struct translator *t;
    size_t locations;              // of the program; copies come after them
    size_t words;                  // of a set of variables
    const struct variable **known; // by index
    VECTOR(uint32_t) first;        // by location: its first edge + 1
    VECTOR(uint32_t) next;         // by edge: the next of its location + 1
    uint32_t *part;                // by location: the set that it is in; 0: none
    uint32_t
        *place; // by location: its number in what is looked through, or in the loop that is copied
    VECTOR(uint32_t) todo; // sets that are still to be looked through: members, then how many
    uint32_t parts;
    size_t copied;
};

// A component as it is copied.
struct loop {
    struct search *search;
    uint32_t head;
    VECTOR(struct edge *) edges; // inside
    uint64_t *needed;            // by place: variables, a bit each
    uint64_t *scratch;           // one set
    struct location **copy;      // by place
};

// What is needed.

static bool has(const uint64_t *set, uint32_t i)
{
    return (set[i / 64] >> i % 64 & 1) != 0;
}

static const struct variable *variable_of(const struct translator *t, const struct term *term)
{
    return model_builder_find(t->builder, term->u.var.name);
}

static void look_at(struct loop *loop, uint64_t *set, const struct term *term)
{
    struct term_vector variables = {0};
    rewrite_free_variables(term, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        uint32_t v = variable_of(loop->search->t, variables.data[i])->index;
        set[v / 64] |= (uint64_t)1 << v % 64;
    }
    VECTOR_FINISH(&variables);
}

// From what is needed after the statement to what is needed before it. Translations have no choices.
static void need_before(struct loop *loop, uint64_t *set, const struct statement *s)
{
    for (uint32_t i = s->child_count; i > 0; i--)
        need_before(loop, set, s->child[i - 1]);
    if (s->kind == STATEMENT_ASSUME) {
        look_at(loop, set, s->expression);
    } else if (s->kind == STATEMENT_HAVOC || s->kind == STATEMENT_ASSIGN) {
        bool wanted = has(set, s->variable->index);
        set[s->variable->index / 64] &= ~((uint64_t)1 << s->variable->index % 64);
        if (wanted && s->kind == STATEMENT_ASSIGN)
            look_at(loop, set, s->expression);
    }
}

static uint64_t *needed_at(const struct loop *loop, uint32_t location)
{
    return &loop->needed[loop->search->place[location] * loop->search->words];
}

static bool need_edge(struct loop *loop, const struct edge *e)
{
    const uint64_t *after = needed_at(loop, e->target->index);
    uint64_t *before = needed_at(loop, e->source->index);
    bool changed = false;
    for (size_t w = 0; w < loop->search->words; w++)
        loop->scratch[w] = after[w];
    need_before(loop, loop->scratch, e->action);
    for (size_t w = 0; w < loop->search->words; w++) {
        changed = changed || (loop->scratch[w] & ~before[w]) != 0;
        before[w] |= loop->scratch[w];
    }
    return changed;
}

static void find_needed(struct loop *loop)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = loop->edges.count; i > 0; i--)
            changed = need_edge(loop, loop->edges.data[i - 1]) || changed;
    }
}

// The copy.

static struct statement *copy_statement(struct translator *t, const struct statement *s)
{
    VECTOR(struct statement *) children = {0};
    switch (s->kind) {
    case STATEMENT_ASSIGN:
        return model_assign(t->builder, s->variable, s->expression, s->source);
    case STATEMENT_ASSUME:
        return model_assume(t->builder, s->expression, s->source);
    case STATEMENT_HAVOC:
        return model_havoc(t->builder, s->variable, s->source);
    default:
        break;
    }
    for (uint32_t i = 0; i < s->child_count; i++)
        VECTOR_PUSH(&children, copy_statement(t, s->child[i]));
    struct statement *made = model_sequence(t->builder, children.data, children.count, s->source);
    VECTOR_FINISH(&children);
    return made;
}

// The way into the copy, and the test when it comes back to its head.
static void close_loop(struct loop *loop, struct location *head, struct location *back)
{
    struct translator *t = loop->search->t;
    struct model_builder *b = t->builder;
    const struct position at = loop->edges.data[0]->position;
    struct location *entry = loop->copy[loop->search->place[loop->head]];
    const uint64_t *needed = needed_at(loop, loop->head);
    const struct term *same = term_true(t->store);
    VECTOR(struct statement *) keep = {0};
    for (uint32_t v = 0; v < 64 * loop->search->words; v++) {
        if (!has(needed, v))
            continue;
        const struct variable *now = loop->search->known[v];
        const struct variable *kept = model_builder_fresh(b, "kept", now->sort, 0, at);
        VECTOR_PUSH(&keep, model_assign(b, kept, now->term, at));
        same = term_and2(t->store, same, term_eq(t->store, now->term, kept->term));
    }
    model_builder_edge(b, head, entry, model_sequence(b, keep.data, keep.count, at), NULL, at);
    model_builder_edge(b, back, t->error, model_assume(b, same, at), "termination", at);
    if (!term_is_true(same))
        model_builder_edge(b, back, entry, model_assume(b, term_not(t->store, same), at), NULL, at);
    VECTOR_FINISH(&keep);
}

static void copy_edges(struct loop *loop)
{
    struct translator *t = loop->search->t;
    struct location *head = NULL,
                    *back = model_builder_location(t->builder, NULL, PHASE_NONE, true);
    for (size_t i = 0; i < loop->edges.count; i++) {
        const struct edge *e = loop->edges.data[i];
        struct location **from = &loop->copy[loop->search->place[e->source->index]];
        if (*from == NULL)
            *from = model_builder_location(t->builder, NULL, PHASE_NONE, true);
        if (e->source->index == loop->head)
            head = (struct location *)e->source;
    }
    for (size_t i = 0; i < loop->edges.count; i++) {
        const struct edge *e = loop->edges.data[i];
        struct location *to = loop->copy[loop->search->place[e->target->index]];
        model_builder_edge(t->builder, loop->copy[loop->search->place[e->source->index]],
                           e->target->index == loop->head ? back : to, copy_statement(t, e->action),
                           NULL, e->position);
    }
    close_loop(loop, head, back);
}

// Edges whose ends are both in the part.
static void collect_edges(struct loop *loop, uint32_t part, const uint32_t *members, size_t count)
{
    const struct search *s = loop->search;
    for (size_t i = 0; i < count; i++) {
        s->place[members[i]] = (uint32_t)i;
        for (uint32_t e = s->first.data[members[i]]; e != 0; e = s->next.data[e - 1]) {
            struct edge *one = s->t->edges.data[e - 1];
            if (s->part[one->target->index] == part)
                VECTOR_PUSH(&loop->edges, one);
        }
    }
}

static void make_loop(struct search *s, uint32_t part, uint32_t head, const uint32_t *members,
                      size_t count)
{
    struct loop loop = {.search = s, .head = head};
    collect_edges(&loop, part, members, count);
    s->copied += loop.edges.count;
    if (s->copied > MOST_COPIED) {
        s->t->at = loop.edges.data[0]->position;
        lowering_unsupported(s->t, "termination of so many loops within loops");
    } else {
        loop.needed = memory_zalloc(count * s->words * sizeof *loop.needed);
        loop.scratch = memory_zalloc(s->words * sizeof *loop.scratch);
        loop.copy = memory_zalloc(count * sizeof *loop.copy);
        find_needed(&loop);
        copy_edges(&loop);
    }
    VECTOR_FINISH(&loop.edges);
    memory_free(loop.needed);
    memory_free(loop.scratch);
    memory_free(loop.copy);
}

// The loops.

// Where the part is entered from outside, or its first.
static uint32_t head_of(const struct search *s, uint32_t part, const uint32_t *members,
                        size_t count)
{
    uint32_t best = members[0];
    for (size_t i = 1; i < count; i++)
        best = members[i] < best ? members[i] : best;
    uint32_t entered = UINT32_MAX;
    for (size_t i = 0; i < s->t->edges.count; i++) {
        const struct edge *e = s->t->edges.data[i];
        if (e->target->index < s->locations && s->part[e->target->index] == part &&
            s->part[e->source->index] != part && e->target->index < entered)
            entered = e->target->index;
    }
    return entered == UINT32_MAX ? best : entered;
}

static bool circles(const struct search *s, uint32_t location)
{
    for (uint32_t e = s->first.data[location]; e != 0; e = s->next.data[e - 1]) {
        if (s->t->edges.data[e - 1]->target->index == location)
            return true;
    }
    return false;
}

// The members are a component: its loop is copied, and what is left without the head is looked through later.
static void component(struct search *s, const uint32_t *members, size_t count)
{
    uint32_t part = ++s->parts;
    if (count == 1 && !circles(s, members[0])) {
        s->part[members[0]] = 0;
        return;
    }
    for (size_t i = 0; i < count; i++)
        s->part[members[i]] = part;
    uint32_t head = head_of(s, part, members, count);
    make_loop(s, part, head, members, count);
    s->part[head] = 0;
    for (size_t i = 0; i < count; i++) {
        if (members[i] != head)
            VECTOR_PUSH(&s->todo, members[i]);
    }
    VECTOR_PUSH(&s->todo, (uint32_t)(count - 1));
}

static void look_through(struct search *s, const uint32_t *members, size_t count)
{
    uint32_t part = ++s->parts;
    VECTOR(uint32_t) targets = {0};
    uint32_t *first = memory_alloc((count + 1) * sizeof *first);
    struct components components;
    for (uint32_t i = 0; i < count; i++) {
        s->part[members[i]] = part;
        s->place[members[i]] = i;
    }
    for (size_t i = 0; i < count; i++) {
        first[i] = (uint32_t)targets.count;
        for (uint32_t e = s->first.data[members[i]]; e != 0; e = s->next.data[e - 1]) {
            uint32_t to = s->t->edges.data[e - 1]->target->index;
            if (s->part[to] == part)
                VECTOR_PUSH(&targets, s->place[to]);
        }
    }
    first[count] = (uint32_t)targets.count;
    components_find(&components, (uint32_t)count, first, targets.data, NULL);
    for (size_t i = 0; i < count; i++)
        components.members[i] = members[components.members[i]];
    for (uint32_t c = 1; c <= components.count; c++)
        component(s, components.members + components.begin[c - 1],
                  components.begin[c] - components.begin[c - 1]);
    components_finish(&components);
    VECTOR_FINISH(&targets);
    memory_free(first);
}

static void know(struct search *s, const struct variable *v, size_t *capacity)
{
    while (*capacity <= v->index) {
        s->known = memory_realloc(s->known, 2 * *capacity * sizeof *s->known);
        memset(s->known + *capacity, 0, *capacity * sizeof *s->known);
        *capacity *= 2;
    }
    s->known[v->index] = v;
}

static void know_all(struct search *s, const struct statement *statement, size_t *capacity)
{
    struct term_vector variables = {0};
    for (uint32_t i = 0; i < statement->child_count; i++)
        know_all(s, statement->child[i], capacity);
    if (statement->expression != NULL)
        rewrite_free_variables(statement->expression, &variables);
    for (size_t i = 0; i < variables.count; i++)
        know(s, variable_of(s->t, variables.data[i]), capacity);
    if (statement->variable != NULL)
        know(s, statement->variable, capacity);
    VECTOR_FINISH(&variables);
}

static void prepare(struct search *s)
{
    size_t capacity = 64;
    s->known = memory_zalloc(capacity * sizeof *s->known);
    for (size_t i = 0; i < s->t->edges.count; i++) {
        const struct edge *e = s->t->edges.data[i];
        size_t most = e->source->index > e->target->index ? e->source->index : e->target->index;
        s->locations = most + 1 > s->locations ? most + 1 : s->locations;
        know_all(s, e->action, &capacity);
    }
    s->words = capacity / 64;
    for (size_t i = 0; i < s->locations; i++)
        VECTOR_PUSH(&s->first, 0);
    for (uint32_t i = 0; i < s->t->edges.count; i++) {
        uint32_t *first = &s->first.data[s->t->edges.data[i]->source->index];
        VECTOR_PUSH(&s->next, *first);
        *first = i + 1;
    }
    s->part = memory_zalloc(s->locations * sizeof *s->part);
    s->place = memory_zalloc(s->locations * sizeof *s->place);
}

void lowering_endless(struct translator *t)
{
    struct search s = {.t = t};
    VECTOR(uint32_t) members = {0};
    prepare(&s);
    t->result->copies_from = (uint32_t)s.locations;
    for (uint32_t i = 0; i < s.locations; i++)
        VECTOR_PUSH(&members, i);
    look_through(&s, members.data, members.count);
    while (s.todo.count > 0) {
        size_t count = VECTOR_POP(&s.todo);
        VECTOR_CLEAR(&members);
        for (size_t i = 0; i < count; i++)
            VECTOR_PUSH(&members, VECTOR_POP(&s.todo));
        look_through(&s, members.data, members.count);
    }
    VECTOR_FINISH(&members);
    VECTOR_FINISH(&s.first);
    VECTOR_FINISH(&s.next);
    VECTOR_FINISH(&s.todo);
    memory_free(s.known);
    memory_free(s.part);
    memory_free(s.place);
}
