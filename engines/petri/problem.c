#include "engines/petri/problem.h"

#include "base/memory.h"
#include "base/vector.h"
#include "engines/petri/markings.h"

static int64_t *first_marking(const struct net *net)
{
    int64_t *m = memory_alloc(((size_t)net->place_count + 1) * sizeof *m);
    for (uint32_t p = 0; p < net->place_count; p++)
        m[p] = net->places[p].marking;
    return m;
}

bool petri_replay(const struct petri_problem *problem, const struct petri_sequence *sequence)
{
    const struct net *net = problem->net;
    int64_t *m = first_marking(net);
    bool good = true;
    for (size_t i = 0; i < sequence->count && good; i++) {
        const struct net_transition *t = &net->transitions[sequence->data[i]];
        good = sequence->data[i] < net->transition_count && net_is_enabled(t, m);
        if (good)
            net_fire(t, m);
    }
    good = good && formula_holds(problem->goal, m);
    memory_free(m);
    return good;
}

void petri_shorten(const struct net *net, struct petri_sequence *sequence)
{
    struct markings seen;
    VECTOR(uint32_t) length_at = {0}; // by marking: transitions kept when it was reached last
    VECTOR(uint32_t) numbers = {0};   // by kept transition: the marking after it
    int64_t *m = first_marking(net);
    bool is_new;
    size_t kept = 0;
    markings_init(&seen, net->place_count);
    markings_add(&seen, m, &is_new);
    VECTOR_PUSH(&length_at, 0);
    for (size_t i = 0; i < sequence->count; i++) {
        net_fire(&net->transitions[sequence->data[i]], m);
        uint32_t number = markings_add(&seen, m, &is_new);
        if (number == MARKING_NONE)
            break;
        if (is_new)
            VECTOR_PUSH(&length_at, UINT32_MAX);
        if (length_at.data[number] != UINT32_MAX) {
            // Markings between are as if they had not been met.
            while (kept > length_at.data[number])
                length_at.data[numbers.data[--kept]] = UINT32_MAX;
            length_at.data[number] = (uint32_t)kept;
            numbers.count = kept;
            continue;
        }
        sequence->data[kept] = sequence->data[i];
        VECTOR_PUSH(&numbers, number);
        length_at.data[number] = (uint32_t)++kept;
    }
    sequence->count = kept;
    markings_finish(&seen);
    VECTOR_FINISH(&length_at);
    VECTOR_FINISH(&numbers);
    memory_free(m);
}
