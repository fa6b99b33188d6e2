#include "engines/capsules/atoms.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/capsules/inside.h"

void capsule_view_finish(struct capsule_view *view)
{
    VECTOR_FINISH(&view->sure);
    VECTOR_FINISH(&view->maybe);
}

// Local subformulas become atoms.
static uint32_t collapse(const struct ctl_formulas *from, uint32_t f, uint32_t factor,
                         struct ctl_formulas *to)
{
    const struct ctl_node *n = &from->data[f];
    if (ctl_is_local(from, f))
        return n->kind == CTL_CONSTANT ? ctl_constant(to, n->left != 0) : ctl_atom(to, factor * f);
    assert(n->left < f && "operands come first");
    uint32_t a = collapse(from, n->left, factor, to);
    switch (n->kind) {
    case CTL_NOT:
        return ctl_not(to, a);
    case CTL_EX:
        return ctl_ex(to, a);
    case CTL_AF:
        return ctl_af(to, a);
    case CTL_AND:
        return ctl_and(to, a, collapse(from, n->right, factor, to));
    case CTL_OR:
        return ctl_or(to, a, collapse(from, n->right, factor, to));
    default:
        return ctl_eu(to, a, collapse(from, n->right, factor, to));
    }
}

struct ctl_reading capsule_view_formulas(const struct capsule_question *question,
                                         enum ctl_graph graph, struct ctl_formulas *to)
{
    if (graph == CTL_GRAPH_EXACT) {
        uint32_t root = collapse(&question->formulas, question->root, 2, to);
        return (struct ctl_reading){root, root};
    }
    struct ctl_formulas between;
    ctl_formulas_init(&between);
    uint32_t root = collapse(&question->formulas, question->root, 1, &between);
    struct ctl_reading reading = ctl_read(&between, root, graph, to);
    ctl_formulas_finish(&between);
    return reading;
}

static bool about_steps(const struct capsule_atom *atom)
{
    return atom->kind >= ATOM_LABEL;
}

static bool mentions_steps(const struct capsule_question *q, uint32_t f)
{
    const struct ctl_node *n = &q->formulas.data[f];
    if (n->kind == CTL_CONSTANT)
        return false;
    if (n->kind == CTL_ATOM)
        return about_steps(&q->atoms.data[n->left]);
    return mentions_steps(q, n->left) ||
           ((n->kind == CTL_AND || n->kind == CTL_OR) && mentions_steps(q, n->right));
}

static const struct term *is_value(struct capsule_kernel *k, const struct term *value,
                                   const struct term *wanted)
{
    return term_eq(k->store, value, wanted);
}

static const struct term *queue_term(struct capsule_kernel *k, uint32_t state,
                                     const struct capsule_atom *atom)
{
    uint32_t module = k->model->instances.data[atom->instance].module;
    if (capsule_kernel_queue_length(k, state, module) != atom->sequence.count)
        return term_false(k->store);
    const struct term *all = term_true(k->store);
    for (size_t i = 0; i < atom->sequence.count; i++) {
        const struct capsule_pattern *p = &atom->sequence.data[i];
        struct capsule_element_view e = capsule_kernel_element(k, state, module, i);
        if (p->kind == PATTERN_ANY)
            continue;
        if (e.signal != p->number)
            return term_false(k->store);
        for (size_t j = 0; j < p->values.count; j++)
            all = term_and2(
                k->store, all,
                is_value(k,
                         capsule_kernel_argument(k, state, module, i, p->values.data[j].variable),
                         p->values.data[j].value));
    }
    return all;
}

static const struct term *steps_term(struct capsule_view *view, uint32_t state, uint32_t atom,
                                     bool known)
{
    struct term_store *store = view->kernel->store;
    assert(atom < 64 && (!known || state < view->sure.count));
    if (known && (view->sure.data[state] >> atom & 1) != 0)
        return term_true(store);
    if (known && (view->maybe.data[state] >> atom & 1) == 0)
        return term_false(store);
    return term_var_copy(store, term_var(store, "?step", sort_bool(store)), atom + 1);
}

static const struct term *atom_term(struct capsule_view *view, uint32_t state, uint32_t number,
                                    bool known)
{
    struct capsule_kernel *k = view->kernel;
    const struct capsule_atom *atom = &view->question->atoms.data[number];
    assert(number < view->question->atoms.count);
    if (about_steps(atom))
        return steps_term(view, state, number, known);
    if (atom->kind == ATOM_QUEUE)
        return queue_term(k, state, atom);
    struct capsule_part_view part = capsule_kernel_part(k, state, atom->instance);
    if (!part.alive || (atom->kind == ATOM_LOCATION && part.initial))
        return term_false(k->store);
    if (atom->kind == ATOM_LOCATION)
        return term_bool(k->store, part.location != CAPSULE_NONE &&
                                       k->info[atom->instance].class_of[part.location] ==
                                           k->info[atom->instance].class_of[atom->location]);
    return capsule_kernel_evaluate(k, state, atom->instance, atom->term);
}

const struct term *capsule_view_term(struct capsule_view *view, uint32_t state, uint32_t formula,
                                     bool known)
{
    struct term_store *store = view->kernel->store;
    const struct ctl_node *n = &view->question->formulas.data[formula];
    switch (n->kind) {
    case CTL_CONSTANT:
        return term_bool(store, n->left != 0);
    case CTL_ATOM:
        return atom_term(view, state, n->left, known);
    case CTL_NOT:
        return term_not(store, capsule_view_term(view, state, n->left, known));
    case CTL_AND:
        return term_and2(store, capsule_view_term(view, state, n->left, known),
                         capsule_view_term(view, state, n->right, known));
    default:
        assert(n->kind == CTL_OR);
        return term_or2(store, capsule_view_term(view, state, n->left, known),
                        capsule_view_term(view, state, n->right, known));
    }
}

static enum ctl_truth view_atom(void *self, uint32_t state, uint32_t number, bool expanded)
{
    struct capsule_view *view = self;
    uint32_t formula = number / 2;
    bool weak = number % 2 == 1;
    if (!expanded && mentions_steps(view->question, formula))
        return CTL_UNKNOWN;
    assert(formula < view->question->formulas.count);
    const struct term *t = capsule_view_term(view, state, formula, expanded);
    if (term_is_literal(t))
        return term_is_true(t) ? CTL_TRUE : CTL_FALSE;
    if (!view->kernel->options.symbolic) {
        view->uncertain = true;
        return weak ? CTL_TRUE : CTL_FALSE; // only steps that may or may not be there
    }
    struct term_store *store = view->kernel->store;
    if (weak)
        return capsule_kernel_feasible(view->kernel, state, t) == SMT_UNSAT ? CTL_FALSE : CTL_TRUE;
    if (capsule_kernel_feasible(view->kernel, state, term_not(store, t)) == SMT_UNSAT)
        return CTL_TRUE;
    if (view->kernel->options.certainty)
        view->uncertain |= capsule_kernel_feasible(view->kernel, state, t) != SMT_UNSAT;
    return CTL_FALSE;
}

struct expansion {
    struct capsule_view *view;
    struct ctl_states *successors;
    uint64_t sure, maybe;
    size_t steps;
    bool total;
};

enum fit { FIT_NO, FIT_PERHAPS, FIT_YES };

static enum fit pattern_fits(struct capsule_kernel *k, const struct capsule_pattern *p,
                             const struct capsule_signal *signal, const uint64_t *words)
{
    enum fit fit = FIT_YES;
    for (size_t i = 0; i < p->values.count; i++) {
        uint32_t v = p->values.data[i].variable;
        const struct term *value =
            capsule_kernel_term(k, signal->variables.data[v].term->sort, words[v]);
        if (value == p->values.data[i].value)
            continue;
        if (term_is_literal(value))
            return FIT_NO;
        fit = FIT_PERHAPS;
    }
    return fit;
}

static enum fit label_fits(struct capsule_kernel *k, const struct capsule_atom *atom,
                           const struct capsule_step *step)
{
    const struct capsule_module *m = capsules_module_of(k->model, atom->instance);
    const struct capsule_pattern *t = &atom->trigger;
    if (step->instance != atom->instance || step->outputs.count != atom->sequence.count ||
        step->rule == RULE_PULL)
        return FIT_NO;
    enum fit fit = FIT_YES;
    if (t->kind != PATTERN_ANY) {
        if (step->kind != (t->kind == PATTERN_TIMER ? CAPSULE_TIMER : CAPSULE_SIGNAL) ||
            step->trigger != t->number)
            return FIT_NO;
        if (t->kind == PATTERN_SIGNAL)
            fit = pattern_fits(k, t, &m->signals.data[t->number], step->words.data);
    }
    for (size_t i = 0; i < atom->sequence.count && fit != FIT_NO; i++) {
        const struct capsule_pattern *p = &atom->sequence.data[i];
        const struct capsule_step_output *o = &step->outputs.data[i];
        if (p->kind == PATTERN_ANY)
            continue;
        if (p->number != o->signal)
            return FIT_NO;
        enum fit own = pattern_fits(k, p, &m->signals.data[p->number], step->words.data + o->first);
        if (own < fit)
            fit = own;
    }
    return fit;
}

static enum fit step_fits(struct capsule_kernel *k, const struct capsule_atom *atom,
                          const struct capsule_step *step)
{
    if (atom->kind == ATOM_LABEL)
        return label_fits(k, atom, step);
    if (atom->kind == ATOM_DROPPED) {
        const struct capsule_module *m = capsules_module_of(k->model, step->instance);
        return step->rule == RULE_DROP &&
                       (atom->signal == NULL ||
                        capsule_signal_named(m->signals.data[step->trigger].name, atom->signal))
                   ? FIT_YES
                   : FIT_NO;
    }
    if (atom->kind == ATOM_BOUNDED)
        return step->beyond || step->lost_at.count > 0 ? FIT_YES : FIT_NO;
    if (atom->kind == ATOM_OVERFLOW)
        for (size_t i = 0; i < step->lost_at.count; i++)
            if (atom->signal == NULL ||
                strcmp(k->model->modules.data[step->lost_at.data[i]].name, atom->signal) == 0)
                return FIT_YES;
    return FIT_NO;
}

static void note_step(void *context, const struct capsule_step *step, uint32_t target)
{
    struct expansion *e = context;
    const struct capsule_question *q = e->view->question;
    e->steps++;
    e->total |= step->total || (step->certain && e->view->kernel->options.groups == NULL);
    e->view->uncertain |= !step->certain;
    VECTOR_PUSH(e->successors, target);
    for (size_t i = 0; i < q->atoms.count; i++) {
        if (!about_steps(&q->atoms.data[i]))
            continue;
        enum fit fit = step_fits(e->view->kernel, &q->atoms.data[i], step);
        uint64_t bit = (uint64_t)1 << i;
        if (fit != FIT_NO)
            e->maybe |= bit;
        if (fit == FIT_YES && step->certain && !e->view->over)
            e->sure |= bit;
    }
}

static bool view_expand(void *self, uint32_t state, struct ctl_states *successors)
{
    struct capsule_view *view = self;
    struct capsule_kernel *k = view->kernel;
    if (view->memory != 0 && capsule_kernel_bytes(k) > view->memory)
        return false;
    struct expansion e = {.view = view, .successors = successors};
    if (!capsule_kernel_steps(k, state, note_step, &e))
        return false;
    bool stuck = k->options.symbolic && e.steps > 0 && !e.total;
    k->counts.partial_deadlock |= stuck;
    for (size_t i = 0; i < view->question->atoms.count; i++) {
        if (view->question->atoms.data[i].kind != ATOM_DEADLOCK)
            continue;
        if (e.steps == 0 && !k->restricted)
            e.sure |= (uint64_t)1 << i;
        if (e.steps == 0 || stuck || view->over)
            e.maybe |= (uint64_t)1 << i;
    }
    while (view->sure.count <= state) {
        VECTOR_PUSH(&view->sure, 0);
        VECTOR_PUSH(&view->maybe, 0);
    }
    view->sure.data[state] = e.sure;
    view->maybe.data[state] = e.maybe;
    return true;
}

struct ctl_kernel capsule_view_kernel(struct capsule_view *view)
{
    return (struct ctl_kernel){view, view_expand, view_atom};
}

static bool sends(const struct capsules *model, const struct capsule_options *o, uint32_t instance,
                  uint32_t signal)
{
    const struct capsule_numbers *senders = &model->instances.data[instance].senders.data[signal];
    for (size_t i = 0; i < senders->count; i++)
        if (o->abstracted[senders->data[i]])
            return true;
    return false;
}

static bool queue_is_abstracted(const struct capsules *model, const struct capsule_options *o,
                                const struct capsule_atom *atom)
{
    const struct capsule_module *m = capsules_module_of(model, atom->instance);
    for (uint32_t s = 0; s < m->signals.count; s++)
        if (sends(model, o, atom->instance, s))
            return true;
    return false;
}

const char *capsule_view_refuses(const struct capsules *model,
                                 const struct capsule_question *question,
                                 const struct capsule_options *o)
{
    if (question->atoms.count > 64)
        return "the formula has more than 64 atoms";
    if (o->limited && question->has_next)
        return "limited exploration has no EX and AX";
    if (o->abstracted != NULL && question->has_next)
        return "the formula has EX or AX, and abstracted parts move unseen";
    for (size_t i = 0; i < question->atoms.count; i++) {
        const struct capsule_atom *atom = &question->atoms.data[i];
        bool of_part = atom->kind <= ATOM_LABEL;
        if (o->abstracted != NULL) {
            if (of_part && o->abstracted[atom->instance])
                return "the formula is about a part that is abstracted";
            if (atom->kind == ATOM_QUEUE && queue_is_abstracted(model, o, atom))
                return "the formula is about a queue with signals of an abstracted part";
            if (!of_part)
                return "deadlocks and lost signals of an abstraction are not the model's";
        }
        if (o->groups != NULL) {
            if (atom->kind == ATOM_LOCATION && o->groups->of_location[atom->instance] != NULL &&
                o->groups->of_location[atom->instance][atom->location] != CAPSULE_NONE)
                return "the formula is about a location that is aggregated";
            if (!of_part)
                return "deadlocks and lost signals of an abstraction are not the model's";
        }
        if (o->limited && !of_part)
            return "deadlocks and lost signals need all parts explored";
    }
    return NULL;
}
