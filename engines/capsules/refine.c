#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/capsules/inside.h"
#include "engines/capsules/replay.h"

// What a run of an abstraction means for the model: a search through the model's states for one that does the same, with steps
// of the abstracted parts between. Found: the answer is real. Not found: the place where the search got no further tells
// which part the abstraction should not have left out.

#define NODES_MOST 50000
// A loop of the abstraction may have to be gone through several times before the model is where it was.
#define ROUNDS_MOST 8

struct node {
    uint32_t state, position, rounds, parent; // rounds: so often was the path's loop gone through
};

struct hunt {
    const struct capsule_ask *ask;
    struct capsule_kernel *kernel; // of the model
    const struct capsule_path *path;
    VECTOR(struct node) nodes;
    struct interner seen;
    uint32_t at;       // node being expanded
    uint32_t furthest; // position
    uint32_t closing;  // of a lasso: the node that closes it, UINT32_MAX: none yet
    bool cut;
};

static bool is_lasso(const struct hunt *h)
{
    return h->path->loop != SIZE_MAX;
}

static bool left_out(const struct hunt *h, uint32_t instance)
{
    return h->ask->options.abstracted != NULL && h->ask->options.abstracted[instance] != 0;
}

// Past the steps that are no steps of the model: pulls, and what was initialised together with its container.
static uint32_t pass(const struct hunt *h, uint32_t state, uint32_t position)
{
    while (position < h->path->steps.count) {
        const struct capsule_path_step *step = &h->path->steps.data[position];
        struct capsule_part_view part = capsule_kernel_part(h->kernel, state, step->instance);
        if (step->rule != RULE_PULL && (step->rule != RULE_DEFAULT || !part.alive || part.initial))
            break;
        position++;
    }
    return position;
}

// The node on the way here where the model was in this state, at this place of the loop; UINT32_MAX: none.
static uint32_t same_before(const struct hunt *h, uint32_t state, uint32_t position,
                            uint32_t rounds, uint32_t parent)
{
    for (uint32_t n = parent; n != UINT32_MAX; n = h->nodes.data[n].parent) {
        const struct node *node = &h->nodes.data[n];
        assert(n == parent || n < parent);
        if (node->state == state && node->position == position && node->rounds < rounds)
            return n;
    }
    return UINT32_MAX;
}

static void add_node(struct hunt *h, uint32_t state, uint32_t position, uint32_t rounds,
                     uint32_t parent)
{
    position = pass(h, state, position);
    if (position > h->furthest)
        h->furthest = position;
    if (is_lasso(h) && position == h->path->steps.count) {
        position = pass(h, state, (uint32_t)h->path->loop);
        rounds++;
        if (position == h->path->steps.count || rounds > ROUNDS_MOST)
            return; // nothing happens in the loop, or it goes on to other states each time
    }
    bool closes = is_lasso(h) && h->closing == UINT32_MAX &&
                  same_before(h, state, position, rounds, parent) != UINT32_MAX;
    uint32_t key[3] = {state, position, rounds};
    if (!closes && interner_add(&h->seen, key, 3) < h->nodes.count)
        return;
    if (closes) {
        // Its place among the nodes seen does not matter: the search ends here.
        h->closing = (uint32_t)h->nodes.count;
    }
    assert(parent == UINT32_MAX || parent < h->nodes.count);
    VECTOR_PUSH(&h->nodes, ((struct node){state, position, rounds, parent}));
}

static bool does(const struct capsule_path_step *wanted, const struct capsule_step *step)
{
    if (step->instance != wanted->instance || step->kind != wanted->kind)
        return false;
    if (wanted->rule == RULE_DEFAULT)
        return step->rule == RULE_DEFAULT;
    enum capsule_rule rule = wanted->rule == RULE_ABSTRACTED ? RULE_MATCH : wanted->rule;
    return step->rule == rule && step->trigger == wanted->trigger &&
           step->transition == wanted->transition && step->which_case == wanted->which_case;
}

static void try_step(void *context, const struct capsule_step *step, uint32_t target)
{
    struct hunt *h = context;
    struct node from = h->nodes.data[h->at];
    if (from.position < h->path->steps.count && does(&h->path->steps.data[from.position], step))
        add_node(h, target, from.position + 1, from.rounds, h->at);
    if (left_out(h, step->instance))
        add_node(h, target, from.position, from.rounds, h->at);
}

// The node where the whole path is done, of a lasso the one that closes it; UINT32_MAX when there is none.
static uint32_t search(struct hunt *h)
{
    h->closing = UINT32_MAX;
    add_node(h, capsule_kernel_start(h->kernel), 0, 0, UINT32_MAX);
    for (h->at = 0; h->at < h->nodes.count; h->at++) {
        if (h->closing != UINT32_MAX)
            return h->closing;
        if (h->nodes.data[h->at].position == h->path->steps.count)
            return h->at;
        if (h->nodes.count > NODES_MOST ||
            !capsule_kernel_steps(h->kernel, h->nodes.data[h->at].state, try_step, h)) {
            h->cut = true;
            break;
        }
    }
    return h->closing;
}

// How far along the abstract run a node is, its loop written out as often as it was gone through.
static size_t place_of(const struct hunt *h, const struct node *node)
{
    assert(node->position <= h->path->steps.count);
    size_t length = is_lasso(h) ? h->path->steps.count - h->path->loop : 0;
    return node->position + node->rounds * length;
}

static void add_need(const struct hunt *h, const struct capsule_numbers *nodes,
                     struct ctl_need need, size_t wanted, struct ctl_run *run)
{
    size_t place = 0;
    while (place + 1 < nodes->count &&
           place_of(h, &h->nodes.data[nodes->data[nodes->count - 1 - place]]) < wanted)
        place++;
    need.position = place;
    VECTOR_PUSH(&run->needs, need);
}

// The found run as one of the model's kernel, with what the formula wants at its places, in a loop at each time round.
static void rebuild(const struct hunt *h, uint32_t last, const struct ctl_run *abstract,
                    struct ctl_run *run)
{
    const struct node *end = &h->nodes.data[last];
    struct capsule_numbers nodes = {0};
    for (uint32_t n = is_lasso(h) ? end->parent : last; n != UINT32_MAX;
         n = h->nodes.data[n].parent)
        VECTOR_PUSH(&nodes, n);
    *run = (struct ctl_run){.loop = SIZE_MAX, .deadlock = abstract->deadlock};
    uint32_t first = is_lasso(h)
                         ? same_before(h, end->state, end->position, end->rounds, end->parent)
                         : UINT32_MAX;
    for (size_t i = nodes.count; i-- > 0;) {
        if (nodes.data[i] == first)
            run->loop = run->states.count;
        VECTOR_PUSH(&run->states, h->nodes.data[nodes.data[i]].state);
    }
    assert(!is_lasso(h) || run->loop < run->states.count);
    size_t length = is_lasso(h) ? h->path->steps.count - h->path->loop : 0;
    for (size_t i = 0; i < abstract->needs.count; i++) {
        const struct ctl_need *need = &abstract->needs.data[i];
        bool inside = is_lasso(h) && need->position >= h->path->loop;
        for (size_t round = 0; round < (inside ? end->rounds : 1); round++)
            add_need(h, &nodes, *need, need->position + round * length, run);
    }
    VECTOR_FINISH(&nodes);
}

static void suspect(struct capsule_answer *answer, uint32_t instance)
{
    for (size_t i = 0; i < answer->suspects.count; i++)
        if (answer->suspects.data[i] == instance)
            return;
    VECTOR_PUSH(&answer->suspects, instance);
}

// Who could not do its part at the place where the search got stuck?
static void note_suspects(const struct hunt *h, struct capsule_answer *answer)
{
    const struct capsules *model = h->ask->model;
    if (h->furthest >= h->path->steps.count)
        return;
    const struct capsule_path_step *step = &h->path->steps.data[h->furthest];
    if (h->ask->options.groups != NULL &&
        h->ask->options.groups->of_location[step->instance] != NULL)
        suspect(answer, step->instance);
    const struct capsule_instance *node = &model->instances.data[step->instance];
    if (step->rule == RULE_ABSTRACTED)
        for (size_t i = 0; i < node->senders.data[step->trigger].count; i++)
            if (left_out(h, node->senders.data[step->trigger].data[i]))
                suspect(answer, node->senders.data[step->trigger].data[i]);
    if (step->rule == RULE_DEFAULT && node->parent != CAPSULE_NONE && left_out(h, node->parent))
        suspect(answer, node->parent);
}

bool capsule_replay_guided(const struct capsule_ask *ask, struct capsule_view *view,
                           const struct ctl_checker *checker, const struct ctl_run *run,
                           struct capsule_answer *answer)
{
    struct capsule_options options = ask->options;
    options.abstracted = NULL;
    options.groups = NULL;
    options.limited = false;
    options.subsumption = SUBSUME_EQUAL;
    struct capsule_path path = {.loop = SIZE_MAX};
    const char *why;
    struct hunt h = {.ask = ask, .path = &path};
    bool fine = capsule_path_find(view->kernel, run, &path);
    h.kernel = fine ? capsule_kernel_create(ask->model, &options, &why) : NULL;
    if (h.kernel != NULL) {
        uint32_t last = search(&h);
        fine = last != UINT32_MAX;
        if (fine) {
            struct ctl_run real;
            rebuild(&h, last, run, &real);
            fine = capsule_replay_in(ask, &options, h.kernel, checker, &real, answer);
            ctl_run_finish(&real);
        }
        if (!fine)
            note_suspects(&h, answer);
    } else {
        fine = false;
    }
    capsule_kernel_destroy(h.kernel);
    VECTOR_FINISH(&h.nodes);
    interner_finish(&h.seen);
    capsule_path_finish(&path);
    return fine;
}

// Takes the suspects out of the abstraction, or anything when there are none: the abstraction shrinks in each round.
static bool restore(const struct capsules *model, uint8_t *abstracted,
                    struct capsule_groups *groups, const struct capsule_numbers *suspects,
                    struct capsule_refinement *refinement)
{
    bool changed = false;
    for (size_t i = 0; i < suspects->count; i++) {
        uint32_t s = suspects->data[i];
        if (abstracted != NULL && abstracted[s]) {
            abstracted[s] = 0;
            refinement->restored_parts++;
            changed = true;
        } else if (groups != NULL && groups->of_location[s] != NULL) {
            memory_free(groups->of_location[s]);
            groups->of_location[s] = NULL;
            refinement->split_groups++;
            changed = true;
        }
    }
    for (uint32_t i = 0; !changed && i < model->instances.count; i++) {
        struct capsule_numbers one = {&i, 1, 1};
        if ((abstracted != NULL && abstracted[i]) ||
            (groups != NULL && groups->of_location[i] != NULL))
            changed = restore(model, abstracted, groups, &one, refinement);
    }
    return changed;
}

void capsule_ask_refining(const struct capsule_ask *ask, uint8_t *abstracted,
                          struct capsule_groups *groups, struct capsule_answer *answer,
                          struct capsule_refinement *refinement)
{
    memset(refinement, 0, sizeof *refinement);
    for (;;) {
        struct capsule_ask now = *ask;
        bool some_part = false, some_group = false;
        for (uint32_t i = 0; i < ask->model->instances.count; i++) {
            some_part |= abstracted != NULL && abstracted[i];
            some_group |= groups != NULL && groups->of_location[i] != NULL;
        }
        now.options.abstracted = some_part ? abstracted : NULL;
        now.options.groups = some_group ? groups : NULL;
        refinement->rounds++;
        if (ask->round != NULL && !ask->round(ask->context, 0)) {
            memset(answer, 0, sizeof *answer);
            answer->end = CTL_STOPPED;
            answer->why = "stopped";
            return;
        }
        capsule_ask(&now, answer);
        if (answer->truth != CTL_UNKNOWN || answer->refused || answer->end != CTL_ANSWERED ||
            (!some_part && !some_group))
            return;
        struct capsule_numbers suspects = answer->suspects;
        answer->suspects = (struct capsule_numbers){0};
        bool changed = restore(ask->model, abstracted, groups, &suspects, refinement);
        VECTOR_FINISH(&suspects);
        if (!changed)
            return;
        if (ask->round != NULL)
            ask->round(ask->context, refinement->restored_parts + refinement->split_groups);
        capsule_answer_finish(answer);
    }
}
