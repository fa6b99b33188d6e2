#include "model/capsules/shows.h"

#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

// Bits: 1 some E operator, 2 some A operator, 4 an A operator that is AF, 8 an E operator that is EG.
static unsigned operators(const struct ctl_formulas *f, uint32_t formula, bool negated)
{
    const struct ctl_node *n = &f->data[formula];
    switch (n->kind) {
    case CTL_CONSTANT:
    case CTL_ATOM:
        return 0;
    case CTL_NOT:
        return operators(f, n->left, !negated);
    case CTL_AND:
    case CTL_OR:
        return operators(f, n->left, negated) | operators(f, n->right, negated);
    case CTL_EX:
        return operators(f, n->left, negated) | (negated ? 6 : 1); // AX looks at deadlocks too
    case CTL_EU:
        return operators(f, n->left, negated) | operators(f, n->right, negated) | (negated ? 2 : 1);
    case CTL_AF:
        // EG, the negation, looks at deadlocks as well: it is false only where AF would be true.
        return operators(f, n->left, negated) | (negated ? 1 | 8 : 6);
    }
    return 0;
}

enum capsule_shape capsule_shape_of(const struct ctl_formulas *f, uint32_t formula)
{
    unsigned bits = operators(f, formula, false);
    if (bits == 0)
        return SHAPE_LOCAL;
    if ((bits & 3) == 3)
        return SHAPE_MIXED;
    if ((bits & 1) != 0)
        return (bits & 8) != 0 ? SHAPE_EXISTS_GLOBALLY : SHAPE_EXISTS;
    return (bits & 4) != 0 ? SHAPE_ALL_FINALLY : SHAPE_ALL;
}

bool capsule_shown_truth(enum capsule_shape shape)
{
    return shape == SHAPE_EXISTS || shape == SHAPE_EXISTS_GLOBALLY;
}

// Only one of two subformulas looks at other states, and none that has to hold in many places.
static bool is_linear(const struct ctl_formulas *f, uint32_t formula)
{
    const struct ctl_node *n = &f->data[formula];
    switch (n->kind) {
    case CTL_CONSTANT:
    case CTL_ATOM:
        return true;
    case CTL_NOT:
    case CTL_EX:
        return is_linear(f, n->left);
    case CTL_AND:
    case CTL_OR:
        return (ctl_is_local(f, n->left) || ctl_is_local(f, n->right)) && is_linear(f, n->left) &&
               is_linear(f, n->right);
    case CTL_EU:
        return ctl_is_local(f, n->left) && is_linear(f, n->right);
    case CTL_AF:
        return ctl_is_local(f, n->left);
    }
    return false;
}

bool capsule_needs_one_run(const struct capsule_question *question)
{
    return capsule_shape_of(&question->formulas, question->root) != SHAPE_MIXED &&
           is_linear(&question->formulas, question->root);
}

static void count_steps(void *context, const struct plain_step *step, struct plain_state *next)
{
    (void)step;
    plain_destroy(next);
    ++*(size_t *)context;
}

bool capsule_is_deadlock(const struct capsules *model, struct plain_interpreter *in,
                         struct capsule_range range, const struct plain_state *state)
{
    size_t steps = 0;
    plain_interpreter_steps(in, state, range.low, range.high, count_steps, &steps);
    for (uint32_t i = 0; steps == 0 && i < model->instances.count; i++) {
        const struct capsule_module *m = capsules_module_of(model, i);
        const struct plain_part *part = &state->parts.data[i];
        for (size_t t = 0; part->alive && t < m->transitions.count; t++)
            if (m->transitions.data[t].kind == CAPSULE_SIGNAL &&
                m->transitions.data[t].source == part->location &&
                m->signals.data[m->transitions.data[t].trigger].external &&
                m->signals.data[m->transitions.data[t].trigger].variables.count > 0)
                steps++; // with some value it may be there
    }
    return steps == 0;
}

// The run as a graph of its own: one successor for each state, and none known for the last one, unless there is none. For each
// subformula and place: what is sure, as the other runs may only add to what is reached.

enum sure { SURE_NOTHING, SURE_TRUE, SURE_FALSE };

struct line {
    const struct capsules *model;
    const struct capsule_question *question;
    struct capsule_range range;
    const struct capsule_run *run;
    size_t count; // places
    bool deadlock, open;
    uint8_t *sure; // by formula and place
};

static uint8_t *at(const struct line *l, uint32_t formula)
{
    return l->sure + (size_t)formula * l->count;
}

// SIZE_MAX: not known, or none.
static size_t next_place(const struct line *l, size_t place)
{
    return place + 1 < l->count ? place + 1 : l->run->loop;
}

static bool is_end(const struct line *l, size_t place)
{
    return l->deadlock && place + 1 == l->count;
}

static void judge_next(const struct line *l, const uint8_t *a, uint8_t *out)
{
    for (size_t i = 0; i < l->count; i++) {
        size_t next = next_place(l, i);
        if (is_end(l, i))
            out[i] = SURE_FALSE;
        else if (next != SIZE_MAX && a[next] == SURE_TRUE)
            out[i] = SURE_TRUE;
    }
}

// Backwards until nothing changes: twice round a loop is enough.
static void judge_until(const struct line *l, const uint8_t *a, const uint8_t *b, uint8_t *out)
{
    for (size_t i = 0; i < l->count; i++)
        if (b[i] == SURE_TRUE)
            out[i] = SURE_TRUE;
        else if (b[i] == SURE_FALSE && (a[i] == SURE_FALSE || is_end(l, i)))
            out[i] = SURE_FALSE;
    for (int round = 0; round < 2; round++)
        for (size_t i = l->count; i-- > 0;) {
            size_t next = next_place(l, i);
            if (out[i] == SURE_NOTHING && a[i] == SURE_TRUE && next != SIZE_MAX &&
                out[next] == SURE_TRUE)
                out[i] = SURE_TRUE;
        }
}

// AF a is false where a run avoids a for ever, or up to a deadlock.
static void judge_finally(const struct line *l, const uint8_t *a, uint8_t *out)
{
    bool avoided = l->deadlock && a[l->count - 1] == SURE_FALSE;
    if (l->run->loop != SIZE_MAX) {
        avoided = true;
        for (size_t i = l->run->loop; i < l->count; i++)
            avoided &= a[i] == SURE_FALSE;
    }
    for (size_t i = 0; i < l->count; i++)
        if (a[i] == SURE_TRUE)
            out[i] = SURE_TRUE;
    size_t from = l->run->loop != SIZE_MAX ? l->run->loop : l->count - 1;
    for (size_t i = l->count; avoided && i-- > 0;) {
        if (i < from && a[i] != SURE_FALSE)
            break;
        out[i] = SURE_FALSE;
    }
}

// Of a state's other steps only those are known that numbers from the range lead to.
static enum sure judge_atom(const struct line *l, uint32_t number, const struct plain_state *state)
{
    const struct capsule_atom *atom = &l->question->atoms.data[number];
    bool holds = plain_interpreter_atom(l->run->interpreter, l->question, number, state,
                                        l->range.low, l->range.high);
    if (atom->kind == ATOM_DEADLOCK && holds)
        return capsule_is_deadlock(l->model, l->run->interpreter, l->range, state) ? SURE_TRUE
                                                                                   : SURE_NOTHING;
    bool looks_at_inputs = atom->kind == ATOM_LABEL || atom->kind == ATOM_OVERFLOW;
    return holds ? SURE_TRUE : looks_at_inputs && l->open ? SURE_NOTHING : SURE_FALSE;
}

static void judge(const struct line *l, uint32_t formula)
{
    const struct ctl_node *n = &l->question->formulas.data[formula];
    bool inner = n->kind != CTL_CONSTANT && n->kind != CTL_ATOM;
    ENSURE(!inner || n->left < formula);
    uint8_t *out = at(l, formula);
    const uint8_t *a = inner ? at(l, n->left) : NULL, *b = inner ? at(l, n->right) : NULL;
    switch (n->kind) {
    case CTL_CONSTANT:
        memset(out, n->left != 0 ? SURE_TRUE : SURE_FALSE, l->count);
        break;
    case CTL_ATOM:
        for (size_t i = 0; i < l->count; i++)
            out[i] = (uint8_t)judge_atom(l, n->left, l->run->states.data[i]);
        break;
    case CTL_NOT:
        for (size_t i = 0; i < l->count; i++)
            out[i] = a[i] == SURE_NOTHING ? SURE_NOTHING
                     : a[i] == SURE_TRUE  ? SURE_FALSE
                                          : SURE_TRUE;
        break;
    case CTL_AND:
    case CTL_OR: {
        uint8_t strong = n->kind == CTL_AND ? SURE_FALSE : SURE_TRUE;
        for (size_t i = 0; i < l->count; i++)
            out[i] = a[i] == strong || b[i] == strong ? strong : a[i] == b[i] ? a[i] : SURE_NOTHING;
        break;
    }
    case CTL_EX:
        judge_next(l, a, out);
        break;
    case CTL_EU:
        judge_until(l, a, b, out);
        break;
    case CTL_AF:
        judge_finally(l, a, out);
        break;
    }
}

bool capsule_run_shows(const struct capsules *model, const struct capsule_question *question,
                       struct capsule_range range, const struct capsule_run *run, bool claim)
{
    const struct ctl_formulas *f = &question->formulas;
    ENSURE(run->states.count == run->steps.count + 1);
    ENSURE(run->loop == SIZE_MAX ||
           (run->loop < run->steps.count &&
            plain_equal(run->states.data[run->loop], VECTOR_LAST(&run->states))));
    struct line l = {.model = model, .question = question, .range = range, .run = run};
    l.open = capsules_is_open(model);
    l.count = run->states.count - (run->loop != SIZE_MAX); // the last one is states[loop] again
    l.deadlock = run->loop == SIZE_MAX && run->deadlock &&
                 capsule_is_deadlock(model, run->interpreter, range, VECTOR_LAST(&run->states));
    l.sure = memory_zalloc((size_t)f->count * l.count + 1);
    for (uint32_t i = 0; i < f->count; i++) // operands come before what is made of them
        judge(&l, i);
    bool shows = at(&l, question->root)[0] == (claim ? SURE_TRUE : SURE_FALSE);
    memory_free(l.sure);
    return shows;
}
