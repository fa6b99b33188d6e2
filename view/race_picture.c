#include "view/race_picture.h"

#include <assert.h>

#include "base/clock.h"

void race_picture_init(struct race_picture *picture)
{
    *picture = (struct race_picture){0};
}

void race_picture_begin(struct race_picture *picture, const struct race_options *options)
{
    race_picture_finish(picture); // of a race before, in the same run: what it showed is freed
    picture->options = options;
    picture->begin_ns = clock_wall_ns();
}

void race_picture_finish(struct race_picture *picture)
{
    VECTOR_FINISH(&picture->lanes);
    VECTOR_FINISH(&picture->tenants);
    race_picture_init(picture);
}

double race_picture_seconds(const struct race_picture *picture)
{
    return clock_seconds(clock_wall_ns() - picture->begin_ns);
}

// The lane's newest attempt is this one from now on.
static void put(struct race_picture *picture, const struct race_view *view)
{
    for (size_t i = 0; i < picture->lanes.count; i++) {
        struct race_view *known = &picture->lanes.data[i];
        if (known->lane != view->lane)
            continue;
        if (known->attempt != view->attempt) {
            picture->given_before += known->given;
            picture->taken_before += known->taken;
            picture->cpu_before += known->cpu_seconds;
        }
        assert(known->attempt <= view->attempt); // a lane's attempts follow one another
        *known = *view;
        return;
    }
    VECTOR_PUSH(&picture->lanes, *view);
}

static void count_end(struct race_picture *picture, const struct race_view *view)
{
    picture->ended++;
    if (view->reason != END_STALLED)
        return;
    picture->stalls++;
    picture->stalled_name = view->configuration->name;
    picture->stalled_why = view->why != NULL ? view->why : end_reason_meaning(END_STALLED);
    picture->stalled_seconds = race_picture_seconds(picture);
}

void race_picture_update(struct race_picture *picture, enum race_event_kind kind,
                         const struct race_view *views, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(picture, &views[i]);
        if (kind == RACE_ENDED)
            count_end(picture, &views[i]);
    }
    VECTOR_CLEAR(&picture->tenants);
    for (size_t i = 0; i < picture->lanes.count; i++) {
        const struct race_view *view = &picture->lanes.data[i];
        struct core_tenant tenant = {view->slot, core_label(view->lane)};
        if (view->running)
            VECTOR_PUSH(&picture->tenants, tenant);
    }
}

static double left(double limit, double used)
{
    if (limit <= 0)
        return -1;
    return limit > used ? limit - used : 0;
}

double race_picture_left_seconds(const struct race_picture *picture)
{
    return left(picture->options->time_limit_seconds, race_picture_seconds(picture));
}

double race_picture_left_cpu_seconds(const struct race_picture *picture)
{
    double used = picture->cpu_before;
    for (size_t i = 0; i < picture->lanes.count; i++)
        used += picture->lanes.data[i].cpu_seconds;
    return left(picture->options->cpu_limit_seconds, used);
}

size_t race_picture_given(const struct race_picture *picture)
{
    size_t given = picture->given_before;
    for (size_t i = 0; i < picture->lanes.count; i++)
        given += picture->lanes.data[i].given;
    return given;
}

size_t race_picture_taken(const struct race_picture *picture)
{
    size_t taken = picture->taken_before;
    for (size_t i = 0; i < picture->lanes.count; i++)
        taken += picture->lanes.data[i].taken;
    return taken;
}
