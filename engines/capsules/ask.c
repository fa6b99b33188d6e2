#include "engines/capsules/ask.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/capsules/atoms.h"
#include "engines/capsules/inside.h"
#include "engines/capsules/replay.h"

void capsule_answer_finish(struct capsule_answer *answer)
{
    capsule_run_finish(&answer->run);
    VECTOR_FINISH(&answer->suspects);
}

static bool is_over(const struct capsule_options *o)
{
    return o->symbolic || o->abstracted != NULL || o->groups != NULL;
}

static enum capsule_worth least(enum capsule_worth a, enum capsule_worth b)
{
    return a > b ? a : b;
}

// Below an abstracted part, is there one that would have to be created first? (D23: it is there from the start.)
static bool takes_to_be_there(const struct capsules *model, const struct capsule_options *o)
{
    for (uint32_t i = 0; o->abstracted != NULL && i < model->instances.count; i++) {
        bool optional = false;
        for (uint32_t up = i; !o->abstracted[i] && up != CAPSULE_NONE;
             up = model->instances.data[up].parent) {
            if (optional && o->abstracted[up])
                return true;
            optional |= !model->instances.data[up].fixed;
        }
    }
    return false;
}

// The table's rows that this exploration has been in.
static enum capsule_worth judge(const struct capsule_ask *ask, const struct capsule_kernel *k,
                                enum ctl_truth claim)
{
    const struct capsule_options *o = &ask->options;
    struct capsule_counts counts = capsule_kernel_counts(k);
    bool rows[ROW_COUNT] = {
        [ROW_CONCRETE] = true,
        [ROW_RESTRICTED] = capsule_kernel_restricted(k),
        [ROW_SYMBOLIC] = o->symbolic,
        [ROW_WEAK] = o->symbolic && o->subsumption == SUBSUME_WEAK,
        [ROW_ABSTRACTED] = o->abstracted != NULL || o->groups != NULL,
        [ROW_LIMITED] = o->limited,
        [ROW_BOUNDED] = counts.lost > 0 || counts.beyond_bound || counts.failed,
        [ROW_STUCK] = counts.partial_deadlock,
        [ROW_PRESENT] = takes_to_be_there(ask->model, o),
    };
    enum capsule_shape shape = capsule_shape_of(&ask->question->formulas, ask->question->root);
    enum capsule_worth worth = WORTH_SOUND;
    for (int row = 0; row < ROW_COUNT; row++)
        if (rows[row])
            worth = least(worth, capsule_worth_of((enum capsule_row)row, shape, claim == CTL_TRUE));
    return worth;
}

static enum ctl_truth claim_of(const struct ctl_checker *c, struct ctl_reading reading,
                               enum capsule_shape shape, uint32_t *shown)
{
    enum ctl_truth strong = ctl_checker_answer(c, reading.strong);
    enum ctl_truth weak = ctl_checker_answer(c, reading.weak);
    *shown = strong == CTL_TRUE ? reading.strong : reading.weak;
    if (strong == CTL_TRUE || weak == CTL_FALSE)
        return strong == CTL_TRUE ? CTL_TRUE : CTL_FALSE;
    if (strong == CTL_UNKNOWN || weak == CTL_UNKNOWN)
        return CTL_UNKNOWN;
    // There is a candidate: a run for an E formula, a run against an A formula.
    if (shape == SHAPE_EXISTS || shape == SHAPE_EXISTS_GLOBALLY)
        return CTL_TRUE;
    if (shape == SHAPE_ALL || shape == SHAPE_ALL_FINALLY) {
        *shown = reading.strong;
        return CTL_FALSE;
    }
    return CTL_UNKNOWN;
}

static bool shows_run(enum capsule_shape shape, enum ctl_truth claim)
{
    bool exists = shape == SHAPE_EXISTS || shape == SHAPE_EXISTS_GLOBALLY;
    bool all = shape == SHAPE_ALL || shape == SHAPE_ALL_FINALLY;
    return (exists && claim == CTL_TRUE) || (all && claim == CTL_FALSE) ||
           (shape == SHAPE_LOCAL && claim != CTL_UNKNOWN);
}

static void conclude(const struct capsule_ask *ask, struct capsule_view *view,
                     struct ctl_checker *c, struct ctl_reading reading,
                     struct capsule_answer *answer)
{
    enum capsule_shape shape = capsule_shape_of(&ask->question->formulas, ask->question->root);
    uint32_t shown;
    answer->claim = claim_of(c, reading, shape, &shown);
    if (answer->claim == CTL_UNKNOWN) {
        answer->why = answer->end == CTL_ANSWERED ? "the abstraction does not tell"
                      : answer->end == CTL_LIMIT  ? "a limit was reached"
                                                  : "stopped";
        return;
    }
    answer->worth = judge(ask, view->kernel, answer->claim);
    if (shows_run(shape, answer->claim)) {
        struct ctl_run run;
        ctl_checker_explain(c, shown, 0, &run);
        answer->replayed = capsule_replay(ask, view, c, &run, answer);
        answer->has_run = answer->replayed;
        ctl_run_finish(&run);
    }
    if (answer->replayed || answer->worth == WORTH_SOUND)
        answer->truth = answer->claim;
    else if (answer->worth == WORTH_REPLAY)
        answer->why = "its run could not be followed on the concrete semantics";
    else
        answer->why = answer->worth == WORTH_MODULO ? "sound only without deadlocks and stuttering"
                      : answer->worth == WORTH_BOUNDED ? "holds as far as the bounds reach"
                      : answer->worth == WORTH_CLAIMED ? "a claim of limited exploration"
                                                       : "not all inputs were tried";
}

struct watching {
    const struct capsule_ask *ask;
    struct ctl_checker *checker;
    struct capsule_kernel *kernel;
};

static bool observe(void *context)
{
    struct watching *w = context;
    if (w->ask->progress == NULL)
        return true;
    struct ctl_statistics statistics = ctl_checker_statistics(w->checker);
    struct capsule_counts counts = capsule_kernel_counts(w->kernel);
    return w->ask->progress(w->ask->context, &statistics, &counts, capsule_kernel_bytes(w->kernel));
}

static void explore_as(const struct capsule_ask *ask, struct capsule_kernel *k,
                       enum ctl_graph graph, struct capsule_view *view,
                       struct capsule_answer *answer)
{
    struct ctl_formulas formulas;
    ctl_formulas_init(&formulas);
    struct ctl_reading reading = capsule_view_formulas(ask->question, graph, &formulas);
    struct ctl_kernel kernel = capsule_view_kernel(view);
    struct ctl_checker *c = ctl_checker_create(&kernel, &formulas);
    struct ctl_limits limits = ask->limits;
    struct watching watching = {ask, c, k};
    limits.observe = observe;
    limits.observer = &watching;
    ctl_checker_start(c, capsule_kernel_start(k));
    answer->end = ctl_checker_run(c, reading.strong, reading.weak, &limits);
    observe(&watching);
    answer->statistics = ctl_checker_statistics(c);
    answer->counts = capsule_kernel_counts(k);
    answer->bytes = capsule_kernel_bytes(k);
    conclude(ask, view, c, reading, answer);
    ctl_checker_destroy(c);
    ctl_formulas_finish(&formulas);
}

static struct capsule_view view_of(const struct capsule_ask *ask, struct capsule_kernel *k)
{
    return (struct capsule_view){.kernel = k,
                                 .question = ask->question,
                                 .over =
                                     ask->options.abstracted != NULL || ask->options.groups != NULL,
                                 .memory = ask->memory};
}

// May symbolic states be looked at as if they were the model's? Then certain steps and atoms that are the same for all
// that a state stands for make the graph one that no formula of CTL can tell from the model's.
static bool wants_certainty(const struct capsule_ask *ask)
{
    const struct capsule_options *o = &ask->options;
    return o->symbolic && o->abstracted == NULL && o->groups == NULL && !o->limited &&
           o->subsumption == SUBSUME_EQUAL &&
           capsule_shape_of(&ask->question->formulas, ask->question->root) == SHAPE_MIXED;
}

static void explore(const struct capsule_ask *ask, struct capsule_kernel *k,
                    struct capsule_answer *answer)
{
    bool over = is_over(&ask->options) && !capsule_kernel_restricted(k);
    if (wants_certainty(ask)) {
        struct capsule_view exact = view_of(ask, k);
        explore_as(ask, k, CTL_GRAPH_EXACT, &exact, answer);
        bool certain = !exact.uncertain;
        capsule_view_finish(&exact);
        if (certain || answer->end != CTL_ANSWERED)
            return;
        memset(answer, 0, sizeof *answer);
        answer->run.loop = SIZE_MAX;
        answer->worth = WORTH_NONE;
    }
    struct capsule_view view = view_of(ask, k);
    explore_as(ask, k, over ? CTL_GRAPH_OVER : CTL_GRAPH_EXACT, &view, answer);
    capsule_view_finish(&view);
}

void capsule_ask(const struct capsule_ask *ask, struct capsule_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->run.loop = SIZE_MAX;
    answer->worth = WORTH_NONE;
    answer->why = capsule_view_refuses(ask->model, ask->question, &ask->options);
    if (answer->why != NULL) {
        answer->refused = true;
        return;
    }
    struct capsule_options options = ask->options;
    options.started = ask->solver;
    options.context = ask->context;
    options.certainty = wants_certainty(ask);
    struct capsule_kernel *k = capsule_kernel_create(ask->model, &options, &answer->why);
    if (k == NULL) {
        answer->refused = true;
        return;
    }
    explore(ask, k, answer);
    if (ask->solver != NULL)
        ask->solver(ask->context, NULL);
    capsule_kernel_destroy(k);
}

void capsule_wanted(const struct capsules *model, const struct capsule_question *question,
                    uint8_t *wanted)
{
    memset(wanted, 0, model->instances.count);
    for (size_t i = 0; i < question->atoms.count; i++) {
        const struct capsule_atom *atom = &question->atoms.data[i];
        if (atom->kind > ATOM_LABEL)
            continue;
        wanted[atom->instance] = 1;
        const struct capsule_instance *node = &model->instances.data[atom->instance];
        for (size_t j = 0; atom->kind == ATOM_QUEUE && j < atom->sequence.count; j++) {
            const struct capsule_pattern *p = &atom->sequence.data[j];
            for (uint32_t s = 0; s < node->senders.count; s++)
                for (size_t n = 0; n < node->senders.data[s].count; n++)
                    if (p->kind == PATTERN_ANY || s == p->number)
                        wanted[node->senders.data[s].data[n]] = 1;
        }
        if (atom->kind == ATOM_LABEL && atom->trigger.kind == PATTERN_SIGNAL)
            for (size_t n = 0; n < node->senders.data[atom->trigger.number].count; n++)
                wanted[node->senders.data[atom->trigger.number].data[n]] = 1;
    }
}
