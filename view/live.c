#include "view/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "view/live_table.h"

void live_init(struct live *live, bool quiet, bool verbose)
{
    *live = (struct live){.verbose = verbose};
    live->mode = quiet ? LIVE_SILENT : screen_usable() ? LIVE_TERMINAL : LIVE_LINES;
    race_picture_init(&live->picture);
    screen_init(&live->screen);
}

void live_finish(struct live *live)
{
    race_picture_finish(&live->picture);
    screen_finish(&live->screen);
}

static double sample_seconds(const struct live *live)
{
    switch (live->mode) {
    case LIVE_SILENT:
        return 0;
    case LIVE_LINES:
        return live->verbose ? 1 : 0;
    case LIVE_TERMINAL:
        return 0.1;
    }
    return 0;
}

void live_attach(struct live *live, struct race_options *options)
{
    race_picture_begin(&live->picture, options);
    options->sample_seconds = sample_seconds(live);
    options->observe = live_observe;
    options->context = live;
}

void live_begin(struct live *live)
{
    if (live->mode == LIVE_TERMINAL)
        screen_begin(&live->screen);
}

void live_end(struct live *live)
{
    screen_end(&live->screen);
}

// The picture

static void draw_cores(struct live *live)
{
    const struct race_picture *picture = &live->picture;
    const struct topology *topology = picture->options->topology;
    struct text map;
    text_init(&map);
    bool bound = topology != NULL;
    for (size_t i = 0; i < picture->tenants.count; i++)
        bound = bound && picture->tenants.data[i].slot->cpus[0] != '\0';
    if (bound)
        core_map_add(&map, topology, picture->tenants.data, picture->tenants.count,
                     live->screen.columns - 1);
    else
        text_add(&map, "cores  any: nothing is bound\n");
    for (char *line = map.data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        screen_line(&live->screen, line);
    }
    text_finish(&map);
}

static void draw_line(struct live *live, struct text *line)
{
    if (line->length != 0)
        screen_line(&live->screen, text_string(line));
    text_clear(line);
}

static void draw(struct live *live)
{
    const struct race_picture *picture = &live->picture;
    unsigned width = live->screen.columns - 1;
    bool exchange = picture->options->cooperate;
    struct text line;
    text_init(&line);
    live_table_head(&line, width, exchange);
    draw_line(live, &line);
    for (size_t i = 0; i < picture->lanes.count; i++) {
        live_table_row(&line, &picture->lanes.data[i], width, exchange);
        draw_line(live, &line);
    }
    live_table_run(&line, picture);
    draw_line(live, &line);
    live_table_stall(&line, picture);
    draw_line(live, &line);
    live_table_exchange(&line, picture);
    draw_line(live, &line);
    draw_cores(live);
    text_finish(&line);
    screen_show(&live->screen);
}

// An attempt ended and the race goes on: worth a line that stays.
static void announce_end(struct live *live, const struct race_view *view)
{
    struct text line;
    text_init(&line);
    text_printf(&line, "%s ended after ", view->configuration->name);
    text_add_duration(&line, view->wall_seconds);
    text_printf(&line, ": %s", view->why != NULL ? view->why : end_reason_meaning(view->reason));
    screen_note(&live->screen, text_string(&line));
    text_finish(&line);
}

static bool worth_a_line(const struct race_view *view)
{
    return view->verdict == VERDICT_UNKNOWN && view->reason != END_LOST &&
           view->reason != END_INTERRUPTED;
}

static void observe_terminal(struct live *live, enum race_event_kind kind,
                             const struct race_view *views, size_t count)
{
    screen_top(&live->screen);
    for (size_t i = 0; i < count; i++)
        if (kind == RACE_ENDED && worth_a_line(&views[i]))
            announce_end(live, &views[i]);
    draw(live);
}

// Lines for files and pipes

static uint64_t count_of(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void log_view(const struct live *live, enum race_event_kind kind,
                     const struct race_view *view)
{
    struct text line;
    text_init(&line);
    text_printf(&line, "[%8.3f s] %s %s", race_picture_seconds(&live->picture),
                kind == RACE_STARTED ? "started"
                : view->running      ? "running"
                                     : "ended",
                view->configuration->name);
    if (kind == RACE_STARTED) {
        text_printf(&line, " on cpu %s", view->slot != NULL ? view->slot->cpus : "any");
    } else {
        text_add(&line, ": ");
        live_table_state(&line, view);
        text_printf(&line, " (%" PRIu64 " iterations, %" PRIu64 " nodes, precision %" PRIu64 ")",
                    count_of(&view->progress->iterations), count_of(&view->progress->nodes),
                    count_of(&view->progress->precision));
    }
    say(stderr, "%s\n", text_string(&line));
    text_finish(&line);
}

static void observe_lines(const struct live *live, enum race_event_kind kind,
                          const struct race_view *views, size_t count)
{
    if (kind == RACE_OVER || (kind == RACE_SAMPLE && !live->verbose))
        return;
    for (size_t i = 0; i < count; i++)
        if (kind != RACE_SAMPLE || views[i].running)
            log_view(live, kind, &views[i]);
}

void live_observe(void *context, enum race_event_kind kind, const struct race_view *views,
                  size_t count)
{
    struct live *live = context;
    race_picture_update(&live->picture, kind, views, count);
    if (live->mode == LIVE_TERMINAL)
        observe_terminal(live, kind, views, count);
    else if (live->mode == LIVE_LINES)
        observe_lines(live, kind, views, count);
}
