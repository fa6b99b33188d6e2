#include "logic/smt/sat/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/vector.h"

#define NOTHING UINT32_MAX // no reason, no conflict
#define DECAY 0.95
#define RESTART 128       // conflicts, times a term of Luby's sequence
#define LEARNT_FIRST 4000 // learnt clauses kept before the first cleaning
#define EASY 64           // conflicts of a question until it decides by activity
#define BINDING UINT32_MAX
#define GLUE 2 // clauses of that few levels are kept for good

// Inside, variables count from 0, and a literal is 2 * variable, + 1 when negated.

struct watch {
    uint32_t clause;
    uint32_t blocker; // some other literal: when it is true, the clause is
};

struct watch_list {
    struct watch *data;
    size_t count, capacity; // a VECTOR
};

// In `memory`: size, levels (0 = part of a definition, BINDING = other, not learnt), literals; the first two are watched.
enum { CLAUSE_SIZE, CLAUSE_LEVELS, CLAUSE_LITERALS };

struct variable_state {
    uint32_t level, reason;
    uint32_t input[3]; // literals
    uint8_t gate, input_count;
    uint32_t domain; // number of the question it is decided in
    uint32_t heap;   // position + 1, 0 = not in it
    double activity;
    bool phase, seen, always, root, relevant;
};

// What a level began with.
struct level {
    uint32_t trail, relevant, relevant_head, binding_head;
};

struct search {
    VECTOR(struct variable_state) variables;
    VECTOR(int8_t) values;             // by literal: 1, -1, 0
    VECTOR(struct watch_list) watches; // by literal that has become false
    VECTOR(uint32_t) memory;
    VECTOR(uint32_t) clauses, binding, learnt; // positions in memory
    VECTOR(uint32_t) always;                   // variables of binding clauses, with all below
    VECTOR(uint32_t) roots;                    // variables whose value at level 0 is binding
    VECTOR(struct level) levels;
    VECTOR(uint32_t) relevant; // variables whose value has to be justified
    uint32_t relevant_head;    // those before are
    uint32_t binding_head;     // binding clauses before are true by a relevant literal
    bool by_activity;          // decide all variables of the question, the most active first
    VECTOR(uint32_t) trail, heap, out, todo, cleared;
    VECTOR(uint32_t) cone; // variables of the question that are not in `always`
    VECTOR(uint32_t) assumed;
    VECTOR(uint32_t) failed; // by literal: the last question it failed in
    size_t head;             // of the trail: propagated
    size_t
        full_head; // of the trail at level 0: propagated to all variables, not only the question's
    bool everywhere; // propagate to all variables
    uint32_t question;
    uint64_t limit; // of learnt clauses
    size_t units;   // on the trail when it was cleaned last
    double bump;
    bool unsat;
};

static uint32_t inner(int literal)
{
    assert(literal != 0);
    return literal > 0 ? 2 * (uint32_t)(literal - 1) : 2 * (uint32_t)(-literal - 1) + 1;
}

struct search *search_create(void)
{
    struct search *s = memory_zalloc(sizeof *s);
    s->bump = 1;
    s->limit = LEARNT_FIRST;
    return s;
}

void search_destroy(struct search *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->watches.count; i++)
        VECTOR_FINISH(&s->watches.data[i]);
    VECTOR_FINISH(&s->variables);
    VECTOR_FINISH(&s->values);
    VECTOR_FINISH(&s->watches);
    VECTOR_FINISH(&s->memory);
    VECTOR_FINISH(&s->clauses);
    VECTOR_FINISH(&s->learnt);
    VECTOR_FINISH(&s->binding);
    VECTOR_FINISH(&s->roots);
    VECTOR_FINISH(&s->relevant);
    VECTOR_FINISH(&s->always);
    VECTOR_FINISH(&s->trail);
    VECTOR_FINISH(&s->levels);
    VECTOR_FINISH(&s->heap);
    VECTOR_FINISH(&s->out);
    VECTOR_FINISH(&s->todo);
    VECTOR_FINISH(&s->cleared);
    VECTOR_FINISH(&s->assumed);
    VECTOR_FINISH(&s->cone);
    VECTOR_FINISH(&s->failed);
    memory_free(s);
}

int search_variable(struct search *s, enum search_gate gate, const int *inputs)
{
    static const uint8_t counts[] = {
        [SEARCH_INPUT] = 0, [SEARCH_AND] = 2, [SEARCH_XOR] = 2, [SEARCH_MUX] = 3};
    struct variable_state v = {
        .reason = NOTHING, .gate = (uint8_t)gate, .input_count = counts[gate]};
    for (uint32_t i = 0; i < v.input_count; i++) {
        v.input[i] = inner(inputs[i]);
        assert(v.input[i] / 2 < s->variables.count && "made before");
    }
    VECTOR_PUSH(&s->variables, v);
    for (int i = 0; i < 2; i++) {
        VECTOR_PUSH(&s->values, 0);
        VECTOR_PUSH(&s->failed, 0);
        VECTOR_PUSH(&s->watches, (struct watch_list){0});
    }
    return (int)s->variables.count;
}

// The heap of variables to decide: the most active first.

static bool before(const struct search *s, uint32_t a, uint32_t b)
{
    return s->variables.data[a].activity > s->variables.data[b].activity;
}

static void heap_put(struct search *s, size_t position, uint32_t variable)
{
    s->heap.data[position] = variable;
    s->variables.data[variable].heap = (uint32_t)position + 1;
}

static void heap_up(struct search *s, size_t i)
{
    HEAP_UP(&s->heap, i, before, heap_put, s);
}

static void heap_insert(struct search *s, uint32_t variable)
{
    if (s->variables.data[variable].heap)
        return;
    VECTOR_PUSH(&s->heap, variable);
    heap_up(s, s->heap.count - 1);
}

static uint32_t heap_take(struct search *s)
{
    uint32_t top;
    HEAP_TAKE(&s->heap, &top, before, heap_put, s);
    s->variables.data[top].heap = 0;
    assert(s->heap.count == 0 || !before(s, s->heap.data[0], top));
    return top;
}

static void bump_variable(struct search *s, uint32_t variable)
{
    struct variable_state *v = &s->variables.data[variable];
    v->activity += s->bump;
    if (v->activity > 1e100) {
        for (size_t i = 0; i < s->variables.count; i++)
            s->variables.data[i].activity *= 1e-100;
        s->bump *= 1e-100;
    }
    if (v->heap)
        heap_up(s, v->heap - 1);
}

// Assignments.

static void assign(struct search *s, uint32_t literal, uint32_t reason)
{
    assert(s->values.data[literal] == 0 && s->trail.count < s->variables.count);
    assert(reason == NOTHING || s->memory.data[reason + CLAUSE_LITERALS] == literal);
    struct variable_state *v = &s->variables.data[literal / 2];
    s->values.data[literal] = 1;
    s->values.data[literal ^ 1] = -1;
    v->level = (uint32_t)s->levels.count;
    v->reason = reason;
    v->phase = !(literal & 1);
    VECTOR_PUSH(&s->trail, literal);
}

static void forget_relevant(struct search *s, size_t down_to)
{
    while (s->relevant.count > down_to)
        s->variables.data[VECTOR_POP(&s->relevant)].relevant = false;
}

static void cancel(struct search *s, size_t level)
{
    if (s->levels.count <= level)
        return;
    struct level before_it = s->levels.data[level];
    assert(before_it.trail <= s->trail.count && before_it.relevant <= s->relevant.count);
    while (s->trail.count > before_it.trail) {
        uint32_t literal = VECTOR_POP(&s->trail);
        s->values.data[literal] = s->values.data[literal ^ 1] = 0;
        if (s->by_activity && s->variables.data[literal / 2].domain == s->question)
            heap_insert(s, literal / 2);
    }
    forget_relevant(s, before_it.relevant);
    s->relevant_head = before_it.relevant_head;
    s->binding_head = before_it.binding_head;
    s->levels.count = level;
    s->head = s->trail.count;
}

static bool in_domain(const struct search *s, uint32_t literal)
{
    return s->everywhere || s->variables.data[literal / 2].domain == s->question;
}

// What the clause does when `lost`, a watched literal of it, has become false. False: a conflict. *keep: it stays
// in this list.
static bool visit(struct search *s, struct watch *w, uint32_t lost, bool *keep)
{
    uint32_t *literals = &s->memory.data[w->clause + CLAUSE_LITERALS];
    uint32_t size = s->memory.data[w->clause + CLAUSE_SIZE];
    if (literals[0] == lost) {
        literals[0] = literals[1];
        literals[1] = lost;
    }
    assert(literals[1] == lost && "the first two are watched");
    uint32_t first = literals[0];
    *keep = true;
    if (s->values.data[first] > 0) {
        w->blocker = first;
        return true;
    }
    for (uint32_t i = 2; i < size; i++)
        if (s->values.data[literals[i]] >= 0) {
            literals[1] = literals[i];
            literals[i] = lost;
            struct watch moved = {w->clause, first};
            VECTOR_PUSH(&s->watches.data[literals[1]], moved);
            *keep = false;
            return true;
        }
    if (s->values.data[first] < 0)
        return false;
    if (in_domain(s, first))
        assign(s, first, w->clause);
    return true;
}

// The clause in conflict, or NOTHING.
static uint32_t propagate(struct search *s)
{
    while (s->head < s->trail.count) {
        uint32_t lost = s->trail.data[s->head++] ^ 1;
        assert(s->values.data[lost] < 0);
        struct watch_list *list = &s->watches.data[lost];
        size_t kept = 0, i = 0;
        uint32_t conflict = NOTHING;
        while (i < list->count && conflict == NOTHING) {
            struct watch w = list->data[i++];
            bool keep = true;
            if (s->values.data[w.blocker] <= 0 && !visit(s, &w, lost, &keep))
                conflict = w.clause;
            if (keep)
                list->data[kept++] = w;
        }
        while (i < list->count)
            list->data[kept++] = list->data[i++];
        list->count = kept;
        if (conflict != NOTHING)
            return conflict;
    }
    return NOTHING;
}

// Clauses.

static void watch(struct search *s, uint32_t clause)
{
    assert(s->memory.data[clause + CLAUSE_SIZE] >= 2);
    const uint32_t *literals = &s->memory.data[clause + CLAUSE_LITERALS];
    struct watch first = {clause, literals[1]}, second = {clause, literals[0]};
    VECTOR_PUSH(&s->watches.data[literals[0]], first);
    VECTOR_PUSH(&s->watches.data[literals[1]], second);
}

static uint32_t store_clause(struct search *s, const uint32_t *literals, uint32_t count,
                             uint32_t levels)
{
    uint32_t clause = (uint32_t)s->memory.count;
    VECTOR_PUSH(&s->memory, count);
    VECTOR_PUSH(&s->memory, levels);
    for (uint32_t i = 0; i < count; i++)
        VECTOR_PUSH(&s->memory, literals[i]);
    if (levels == BINDING)
        VECTOR_PUSH(&s->binding, clause);
    else if (levels)
        VECTOR_PUSH(&s->learnt, clause);
    else
        VECTOR_PUSH(&s->clauses, clause);
    watch(s, clause);
    return clause;
}

static void settle(struct search *s)
{
    assert(s->levels.count == 0 && s->full_head <= s->trail.count);
    s->everywhere = true;
    s->head = s->full_head;
    if (propagate(s) != NOTHING)
        s->unsat = true;
    s->full_head = s->trail.count;
    s->everywhere = false;
}

// The variable and all it needs, marked as wanted by the question, or always (question 0).
static void want(struct search *s, uint32_t variable, bool always)
{
    assert(s->todo.count == 0 && variable < s->variables.count);
    VECTOR_PUSH(&s->todo, variable);
    while (s->todo.count) {
        uint32_t next = VECTOR_POP(&s->todo);
        struct variable_state *v = &s->variables.data[next];
        if (always ? v->always : v->domain == s->question)
            continue;
        if (always) {
            v->always = true;
            VECTOR_PUSH(&s->always, next);
        } else {
            v->domain = s->question;
            VECTOR_PUSH(&s->cone, next);
        }
        for (uint32_t i = 0; i < v->input_count; i++)
            VECTOR_PUSH(&s->todo, v->input[i] / 2);
    }
}

// Its value at level 0 makes a binding clause true.
static void make_root(struct search *s, uint32_t variable)
{
    if (s->variables.data[variable].root)
        return;
    s->variables.data[variable].root = true;
    VECTOR_PUSH(&s->roots, variable);
}

void search_clause(struct search *s, const int *literals, uint32_t count, bool binding)
{
    cancel(s, 0);
    VECTOR_CLEAR(&s->out);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t literal = inner(literals[i]);
        bool known = false;
        if (binding)
            want(s, literal / 2, true);
        if (s->values.data[literal] > 0) {
            if (binding)
                make_root(s, literal / 2);
            return;
        }
        for (size_t k = 0; k < s->out.count; k++) {
            if (s->out.data[k] == (literal ^ 1))
                return;
            known |= s->out.data[k] == literal;
        }
        if (s->values.data[literal] == 0 && !known)
            VECTOR_PUSH(&s->out, literal);
    }
    if (s->out.count > 1) {
        store_clause(s, s->out.data, (uint32_t)s->out.count, binding ? BINDING : 0);
    } else if (s->out.count == 1) {
        if (binding)
            make_root(s, s->out.data[0] / 2);
        assign(s, s->out.data[0], NOTHING);
    } else {
        s->unsat = true;
    }
}

// Fewer levels, then fewer literals, then the newer one.
static int by_worth(const void *a, const void *b, void *data)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t *m = data;
    if (m[x + CLAUSE_LEVELS] != m[y + CLAUSE_LEVELS])
        return m[x + CLAUSE_LEVELS] < m[y + CLAUSE_LEVELS] ? -1 : 1;
    if (m[x + CLAUSE_SIZE] != m[y + CLAUSE_SIZE])
        return m[x + CLAUSE_SIZE] < m[y + CLAUSE_SIZE] ? -1 : 1;
    return x > y ? -1 : x < y;
}

struct clause_list {
    uint32_t *data;
    size_t count, capacity; // a VECTOR
};

// Forgets half of the learnt clauses and all that are true for good. At level 0, settled.
static void clean(struct search *s)
{
    assert(s->levels.count == 0 && s->head == s->trail.count);
    struct clause_list old[3] = {{0}, {0}, {0}};
    uint32_t *memory = s->memory.data;
    if (s->learnt.count)
        qsort_r(s->learnt.data, s->learnt.count, sizeof *s->learnt.data, by_worth, memory);
    for (size_t i = 0; i < s->clauses.count; i++)
        VECTOR_PUSH(&old[0], s->clauses.data[i]);
    for (size_t i = 0; i < s->binding.count; i++)
        VECTOR_PUSH(&old[2], s->binding.data[i]);
    for (size_t i = 0; i < s->learnt.count; i++)
        if (i < s->learnt.count / 2 || memory[s->learnt.data[i] + CLAUSE_LEVELS] <= GLUE)
            VECTOR_PUSH(&old[1], s->learnt.data[i]);
    for (size_t l = 0; l < s->watches.count; l++)
        VECTOR_CLEAR(&s->watches.data[l]);
    VECTOR_CLEAR(&s->clauses);
    VECTOR_CLEAR(&s->binding);
    VECTOR_CLEAR(&s->learnt);
    size_t size = s->memory.count;
    s->memory.data = NULL;
    s->memory.count = s->memory.capacity = 0;
    VECTOR_RESERVE(&s->memory, size);
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < old[kind].count; i++) {
            const uint32_t *from = &memory[old[kind].data[i]];
            bool holds = false;
            for (uint32_t k = 0; k < from[CLAUSE_SIZE] && !holds; k++) {
                holds = s->values.data[from[CLAUSE_LITERALS + k]] > 0;
                if (holds && kind == 2)
                    make_root(s, from[CLAUSE_LITERALS + k] / 2);
            }
            if (!holds)
                store_clause(s, from + CLAUSE_LITERALS, from[CLAUSE_SIZE], from[CLAUSE_LEVELS]);
        }
    memory_free(memory);
    VECTOR_FINISH(&old[0]);
    VECTOR_FINISH(&old[1]);
    VECTOR_FINISH(&old[2]);
    s->units = s->trail.count;
}

// Learning.

static void see(struct search *s, uint32_t variable)
{
    s->variables.data[variable].seen = true;
    VECTOR_PUSH(&s->cleared, variable);
}

static void unsee(struct search *s)
{
    while (s->cleared.count)
        s->variables.data[VECTOR_POP(&s->cleared)].seen = false;
}

// All other literals of the reason were seen: the literal follows from what is in the clause.
static bool is_implied(const struct search *s, uint32_t literal)
{
    uint32_t reason = s->variables.data[literal / 2].reason;
    if (reason == NOTHING)
        return false;
    const uint32_t *clause = &s->memory.data[reason];
    for (uint32_t i = 0; i < clause[CLAUSE_SIZE]; i++) {
        const struct variable_state *v = &s->variables.data[clause[CLAUSE_LITERALS + i] / 2];
        if (clause[CLAUSE_LITERALS + i] / 2 != literal / 2 && !v->seen && v->level > 0)
            return false;
    }
    return true;
}

// Levels among the literals of s->out.
static uint32_t levels_of(struct search *s)
{
    uint32_t count = 0;
    VECTOR_CLEAR(&s->todo);
    for (size_t i = 0; i < s->out.count; i++) {
        uint32_t level = s->variables.data[s->out.data[i] / 2].level;
        bool known = false;
        for (size_t k = 0; k < s->todo.count && !known; k++)
            known = s->todo.data[k] == level;
        if (!known && s->todo.count < 32)
            VECTOR_PUSH(&s->todo, level);
    }
    count = (uint32_t)s->todo.count;
    VECTOR_CLEAR(&s->todo);
    return count;
}

// The clause up to the first unique implication point, in s->out; the level to go back to.
static size_t analyze(struct search *s, uint32_t conflict)
{
    assert(s->levels.count > 0);
    size_t index = s->trail.count, open = 0;
    uint32_t literal = NOTHING, reason = conflict;
    VECTOR_CLEAR(&s->out);
    VECTOR_PUSH(&s->out, 0); // the point's place
    do {
        const uint32_t *clause = &s->memory.data[reason];
        for (uint32_t i = 0; i < clause[CLAUSE_SIZE]; i++) {
            uint32_t l = clause[CLAUSE_LITERALS + i];
            const struct variable_state *v = &s->variables.data[l / 2];
            if (l == literal || v->seen || v->level == 0)
                continue;
            see(s, l / 2);
            bump_variable(s, l / 2);
            if (v->level == s->levels.count)
                open++;
            else
                VECTOR_PUSH(&s->out, l);
        }
        do
            literal = s->trail.data[--index];
        while (!s->variables.data[literal / 2].seen);
        reason = s->variables.data[literal / 2].reason;
        assert(open > 0 && s->variables.data[literal / 2].level == s->levels.count);
        open--;
    } while (open > 0);
    s->out.data[0] = literal ^ 1;
    size_t kept = 1;
    for (size_t i = 1; i < s->out.count; i++)
        if (!is_implied(s, s->out.data[i]))
            s->out.data[kept++] = s->out.data[i];
    s->out.count = kept;
    size_t back = 0;
    for (size_t i = 1; i < s->out.count; i++) {
        size_t level = s->variables.data[s->out.data[i] / 2].level;
        if (level > back) {
            uint32_t swap = s->out.data[1];
            back = level;
            s->out.data[1] = s->out.data[i];
            s->out.data[i] = swap;
        }
    }
    assert(back < s->levels.count && (s->out.count == 1 || back > 0));
    unsee(s);
    return back;
}

static void learn(struct search *s, uint32_t conflict)
{
    size_t back = analyze(s, conflict);
    uint32_t levels = levels_of(s), reason = NOTHING;
    cancel(s, back);
    if (s->out.count > 1)
        reason = store_clause(s, s->out.data, (uint32_t)s->out.count, levels);
    assign(s, s->out.data[0], reason);
    s->bump /= DECAY;
}

// The assumptions that make this literal false.
static void find_failed(struct search *s, uint32_t literal)
{
    assert(s->values.data[literal] < 0);
    s->failed.data[literal] = s->question;
    if (s->variables.data[literal / 2].level == 0)
        return;
    see(s, literal / 2);
    for (size_t i = s->trail.count; i-- > s->levels.data[0].trail;) {
        uint32_t l = s->trail.data[i];
        if (!s->variables.data[l / 2].seen)
            continue;
        uint32_t reason = s->variables.data[l / 2].reason;
        if (reason == NOTHING) {
            s->failed.data[l] = s->question; // decisions are assumptions here
            continue;
        }
        const uint32_t *clause = &s->memory.data[reason];
        for (uint32_t k = 0; k < clause[CLAUSE_SIZE]; k++) {
            uint32_t other = clause[CLAUSE_LITERALS + k] / 2;
            if (s->variables.data[other].level > 0 && !s->variables.data[other].seen)
                see(s, other);
        }
    }
    unsee(s);
}

// Searching.

// The sequence 1 1 2 1 1 2 4 … (Luby, Sinclair, Zuckerman 1993).
static uint64_t luby(uint64_t i)
{
    uint64_t size = 1, exponent = 0;
    for (; size < i + 1; exponent++)
        size = 2 * size + 1;
    while (size - 1 != i) {
        size = (size - 1) / 2;
        exponent--;
        i %= size;
    }
    return (uint64_t)1 << exponent;
}

static void open_level(struct search *s)
{
    struct level level = {(uint32_t)s->trail.count, (uint32_t)s->relevant.count, s->relevant_head,
                          s->binding_head};
    VECTOR_PUSH(&s->levels, level);
}

static enum search_result choose(struct search *s, uint32_t literal)
{
    assert(s->values.data[literal] == 0);
    open_level(s);
    assign(s, literal, NOTHING);
    return SEARCH_STOPPED;
}

static void make_relevant(struct search *s, uint32_t literal)
{
    assert(literal / 2 < s->variables.count);
    if (s->variables.data[literal / 2].relevant)
        return;
    s->variables.data[literal / 2].relevant = true;
    VECTOR_PUSH(&s->relevant, literal / 2);
}

static uint32_t by_phase(const struct search *s, uint32_t variable)
{
    return 2 * variable + !s->variables.data[variable].phase;
}

// The inputs that alone give the gate its value become relevant. NOTHING, or a literal to decide first.
static uint32_t justify(struct search *s, uint32_t variable)
{
    const int8_t *values = s->values.data;
    const uint32_t *in = s->variables.data[variable].input;
    int8_t value = values[2 * variable];
    if (value == 0)
        return by_phase(s, variable);
    switch ((enum search_gate)s->variables.data[variable].gate) {
    case SEARCH_INPUT:
        return NOTHING;
    case SEARCH_AND:
        if (value < 0) {
            bool second =
                values[in[0]] >= 0 || (values[in[1]] < 0 && s->variables.data[in[1] / 2].relevant);
            if (values[in[second]] >= 0) // neither is false
                return (values[in[0]] == 0 ? in[0] : in[1]) ^ 1;
            make_relevant(s, in[second]);
            return NOTHING;
        }
        break;
    case SEARCH_XOR:
        break;
    case SEARCH_MUX:
        if (values[in[0]] == 0)
            return by_phase(s, in[0] / 2);
        make_relevant(s, in[0]);
        make_relevant(s, values[in[0]] > 0 ? in[1] : in[2]);
        return NOTHING;
    }
    make_relevant(s, in[0]);
    make_relevant(s, in[1]);
    return NOTHING;
}

// NOTHING when a literal of the clause is true, which becomes relevant; else one to decide.
static uint32_t fulfil(struct search *s, const uint32_t *clause)
{
    uint32_t open = NOTHING;
    for (uint32_t i = 0; i < clause[CLAUSE_SIZE]; i++) {
        uint32_t literal = clause[CLAUSE_LITERALS + i];
        if (s->values.data[literal] > 0) {
            make_relevant(s, literal);
            return NOTHING;
        }
        if (s->values.data[literal] == 0 &&
            (open == NOTHING || by_phase(s, literal / 2) == literal))
            open = literal;
    }
    return open;
}

static enum search_result decide_what_is_wanted(struct search *s)
{
    for (; s->binding_head < s->binding.count; s->binding_head++) {
        uint32_t literal = fulfil(s, &s->memory.data[s->binding.data[s->binding_head]]);
        if (literal != NOTHING)
            return choose(s, literal);
    }
    for (; s->relevant_head < s->relevant.count; s->relevant_head++) {
        uint32_t literal = justify(s, s->relevant.data[s->relevant_head]);
        if (literal != NOTHING)
            return choose(s, literal);
    }
    return SEARCH_SAT;
}

static enum search_result decide_most_active(struct search *s)
{
    while (s->heap.count) {
        uint32_t variable = heap_take(s);
        if (!s->values.data[2 * variable])
            return choose(s, by_phase(s, variable));
    }
    return SEARCH_SAT;
}

// The next assumption, or a decision. SEARCH_STOPPED: there is one; else the answer.
static enum search_result decide(struct search *s)
{
    assert(s->levels.count >= s->assumed.count || s->head == s->trail.count);
    while (s->levels.count < s->assumed.count) {
        uint32_t literal = s->assumed.data[s->levels.count];
        if (s->values.data[literal] < 0) {
            find_failed(s, literal);
            return SEARCH_UNSAT;
        }
        if (s->values.data[literal] == 0)
            return choose(s, literal);
        open_level(s);
    }
    return s->by_activity ? decide_most_active(s) : decide_what_is_wanted(s);
}

static void turn_to_activity(struct search *s)
{
    s->by_activity = true;
    for (size_t i = 0; i < s->always.count; i++)
        heap_insert(s, s->always.data[i]);
    for (size_t i = 0; i < s->cone.count; i++)
        heap_insert(s, s->cone.data[i]);
}

static void begin(struct search *s, const int *assumptions, uint32_t count)
{
    cancel(s, 0);
    VECTOR_CLEAR(&s->assumed);
    while (s->heap.count)
        s->variables.data[VECTOR_POP(&s->heap)].heap = 0;
    settle(s);
    // What is unsatisfiable at level 0 stops propagating at the conflict: nothing is settled, and nothing is searched.
    if (!s->unsat && (s->learnt.count > s->limit || s->trail.count > s->units + 1000)) {
        if (s->learnt.count > s->limit)
            s->limit += s->limit / 20;
        clean(s);
    }
    s->question++;
    s->by_activity = false;
    s->relevant_head = s->binding_head = 0;
    forget_relevant(s, 0);
    VECTOR_CLEAR(&s->cone);
    for (size_t i = 0; i < s->always.count; i++)
        s->variables.data[s->always.data[i]].domain = s->question;
    for (size_t i = 0; i < s->roots.count; i++)
        make_relevant(s, 2 * s->roots.data[i]);
    for (uint32_t i = 0; i < count; i++) {
        VECTOR_PUSH(&s->assumed, inner(assumptions[i]));
        make_relevant(s, inner(assumptions[i]));
        want(s, inner(assumptions[i]) / 2, false);
    }
}

#ifndef NDEBUG
// Every binding clause has a true literal, and every assumption is one.
static bool holds_all(const struct search *s)
{
    for (size_t i = 0; i < s->binding.count; i++) {
        const uint32_t *clause = &s->memory.data[s->binding.data[i]];
        uint32_t k = 0;
        while (k < clause[CLAUSE_SIZE] && s->values.data[clause[CLAUSE_LITERALS + k]] <= 0)
            k++;
        if (k == clause[CLAUSE_SIZE])
            return false;
    }
    for (size_t i = 0; i < s->assumed.count; i++)
        if (s->values.data[s->assumed.data[i]] <= 0)
            return false;
    return true;
}
#endif

enum search_result search_run(struct search *s, const int *assumptions, uint32_t count,
                              uint64_t conflicts, bool (*stop)(void *context), void *context)
{
    uint64_t found = 0, restarts = 0, next_restart = RESTART;
    begin(s, assumptions, count);
    while (!s->unsat) {
        uint32_t conflict = propagate(s);
        if (conflict == NOTHING) {
            if (found >= next_restart) {
                next_restart = found + RESTART * luby(++restarts);
                cancel(s, 0);
            }
            enum search_result answer = decide(s);
            assert(answer != SEARCH_SAT || holds_all(s));
            if (answer != SEARCH_STOPPED)
                return answer;
            continue;
        }
        found++;
        if (s->levels.count == 0)
            s->unsat = true;
        else
            learn(s, conflict);
        if (found == EASY)
            turn_to_activity(s);
        if ((conflicts && found >= conflicts) ||
            (found % 256 == 0 && stop != NULL && stop(context)))
            return SEARCH_STOPPED;
    }
    return SEARCH_UNSAT;
}

int search_value(const struct search *s, int literal)
{
    return s->values.data[inner(literal)];
}

bool search_failed(const struct search *s, int literal)
{
    return s->failed.data[inner(literal)] == s->question;
}
