#include "cli/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/signals.h"

struct live_lane {
    unsigned lane;
    struct text line; // uncut
};

#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"
#define ERASE_REST_OF_LINE "\033[K"
#define ERASE_BELOW "\033[J"

// The column of names gives way on a narrow terminal, then the count of iterations goes.
enum { FULL_WIDTH = 86, NAME_WIDTH = 22, LEAST_NAME_WIDTH = 10 };

void live_init(struct live *live, bool quiet, bool verbose)
{
    *live = (struct live){.verbose = verbose};
    const char *term = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
    live->mode = quiet ? LIVE_SILENT : terminal ? LIVE_TERMINAL : LIVE_LINES;
    text_init(&live->out);
}

void live_finish(struct live *live)
{
    for (size_t i = 0; i < live->lane_count; i++)
        text_finish(&live->lanes[i].line);
    memory_free(live->lanes);
    text_finish(&live->out);
}

double live_sample_seconds(const struct live *live)
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

static void flush(struct live *live)
{
    if (live->out.length != 0)
        fwrite(live->out.data, 1, live->out.length, stderr);
    text_clear(&live->out);
}

void live_begin(struct live *live)
{
    live->begin_ns = live->sampled_ns = clock_wall_ns();
    if (live->mode == LIVE_TERMINAL) {
        signals_set_restore(STDERR_FILENO, SHOW_CURSOR);
        text_add(&live->out, HIDE_CURSOR);
        flush(live);
    }
}

// Lines

static uint64_t count_of(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static const char *phase_name(int phase)
{
    static const char *const names[] = {"starting", "abstracting", "refining", "checking",
                                        "finishing"};
    return phase >= 0 && phase <= ENGINE_DONE ? names[phase] : "running";
}

static void add_state(struct text *out, const struct race_view *view)
{
    if (view->running) {
        text_add(out,
                 phase_name(atomic_load_explicit(&view->progress->phase, memory_order_relaxed)));
        return;
    }
    if (view->verdict != VERDICT_UNKNOWN)
        text_add(out, verdict_name(view->verdict));
    else
        text_add(out, end_reason_name(view->reason));
    if (view->why != NULL && view->why[0] != '\0' && view->reason != END_LOST)
        text_printf(out, ": %s", view->why);
}

static int name_width(unsigned width)
{
    int missing = width < FULL_WIDTH ? (int)(FULL_WIDTH - width) : 0;
    return missing > NAME_WIDTH - LEAST_NAME_WIDTH ? LEAST_NAME_WIDTH : NAME_WIDTH - missing;
}

static bool shows_iterations(unsigned width)
{
    return width >= FULL_WIDTH - (NAME_WIDTH - LEAST_NAME_WIDTH);
}

static void add_head(struct text *out, unsigned width)
{
    text_printf(out, "core  %-*.*s", name_width(width), name_width(width), "configuration");
    if (shows_iterations(width))
        text_printf(out, " %8s", "iter");
    text_printf(out, " %10s %6s %8s  state", "nodes", "prec", "time");
}

static void add_line(struct text *out, const struct race_view *view, unsigned width)
{
    struct text time;
    text_init(&time);
    text_add_duration(&time, view->wall_seconds);
    text_printf(out, "%-4s  %-*.*s", view->slot != NULL ? view->slot->cpus : "-", name_width(width),
                name_width(width), view->configuration->name);
    if (shows_iterations(width))
        text_printf(out, " %8" PRIu64, count_of(&view->progress->iterations));
    text_printf(out, " %10" PRIu64 " %6" PRIu64 " %8s  ", count_of(&view->progress->nodes),
                count_of(&view->progress->precision), text_string(&time));
    text_finish(&time);
    add_state(out, view);
}

// Cuts to so many columns (bytes; never inside a UTF-8 sequence).
static void add_cut(struct text *out, const char *line, size_t width)
{
    size_t length = strlen(line);
    if (length > width) {
        length = width;
        while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80)
            length--;
    }
    text_add_bytes(out, line, length);
}

void live_line(struct text *out, const struct race_view *view, unsigned width)
{
    struct text line;
    text_init(&line);
    add_line(&line, view, width);
    add_cut(out, text_string(&line), width);
    text_finish(&line);
}

// The picture

static void screen_size(unsigned *columns, unsigned *rows)
{
    struct winsize size;
    *columns = 80;
    *rows = 24;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) {
        if (size.ws_col > 1)
            *columns = size.ws_col;
        if (size.ws_row > 3)
            *rows = size.ws_row;
    }
}

static void move_to_top(struct live *live)
{
    if (live->drawn != 0)
        text_printf(&live->out, "\r\033[%uA", live->drawn);
    live->drawn = 0;
}

static void draw_one(struct live *live, const char *line, unsigned columns)
{
    add_cut(&live->out, line, columns - 1); // a full last column would wrap on some terminals
    text_add(&live->out, ERASE_REST_OF_LINE "\n");
    live->drawn++;
}

static void draw(struct live *live)
{
    unsigned columns, rows;
    screen_size(&columns, &rows);
    move_to_top(live);
    text_add(&live->out, HIDE_CURSOR); // again: it was shown if we were stopped in between
    struct text head;
    text_init(&head);
    add_head(&head, columns);
    draw_one(live, text_string(&head), columns);
    text_finish(&head);
    for (size_t i = 0; i < live->lane_count && live->drawn + 1 < rows; i++)
        draw_one(live, text_string(&live->lanes[i].line), columns);
    text_add(&live->out, ERASE_BELOW);
    flush(live);
}

static struct live_lane *lane_of(struct live *live, unsigned lane)
{
    for (size_t i = 0; i < live->lane_count; i++)
        if (live->lanes[i].lane == lane)
            return &live->lanes[i];
    live->lanes = memory_realloc(live->lanes, (live->lane_count + 1) * sizeof *live->lanes);
    struct live_lane *new = &live->lanes[live->lane_count++];
    new->lane = lane;
    text_init(&new->line);
    return new;
}

static void update(struct live *live, const struct race_view *view)
{
    unsigned columns, rows;
    screen_size(&columns, &rows);
    struct live_lane *lane = lane_of(live, view->lane);
    text_clear(&lane->line);
    add_line(&lane->line, view, columns);
}

// An attempt ended and the race goes on: worth a line that stays.
static void announce_end(struct live *live, const struct race_view *view)
{
    move_to_top(live);
    text_printf(&live->out, "%s ended after ", view->configuration->name);
    text_add_duration(&live->out, view->wall_seconds);
    text_printf(&live->out, ": %s",
                view->why != NULL ? view->why : end_reason_meaning(view->reason));
    text_add(&live->out, ERASE_REST_OF_LINE "\n");
}

static bool worth_a_line(const struct race_view *view)
{
    return view->verdict == VERDICT_UNKNOWN && view->reason != END_LOST &&
           view->reason != END_INTERRUPTED;
}

static void observe_terminal(struct live *live, enum race_event_kind kind,
                             const struct race_view *views, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (kind == RACE_ENDED && worth_a_line(&views[i]))
            announce_end(live, &views[i]);
        update(live, &views[i]);
    }
    draw(live);
}

// Lines for files and pipes

static void log_view(struct live *live, enum race_event_kind kind, const struct race_view *view)
{
    double now = clock_seconds(clock_wall_ns() - live->begin_ns);
    text_printf(&live->out, "[%8.3f s] %s %s", now,
                kind == RACE_STARTED ? "started"
                : view->running      ? "running"
                                     : "ended",
                view->configuration->name);
    if (kind == RACE_STARTED) {
        text_printf(&live->out, " on cpu %s", view->slot != NULL ? view->slot->cpus : "any");
    } else {
        text_add(&live->out, ": ");
        add_state(&live->out, view);
        text_printf(&live->out,
                    " (%" PRIu64 " iterations, %" PRIu64 " nodes, precision %" PRIu64 ")",
                    count_of(&view->progress->iterations), count_of(&view->progress->nodes),
                    count_of(&view->progress->precision));
    }
    text_add_char(&live->out, '\n');
}

static void observe_lines(struct live *live, enum race_event_kind kind,
                          const struct race_view *views, size_t count)
{
    if (kind == RACE_OVER || (kind == RACE_SAMPLE && !live->verbose))
        return;
    for (size_t i = 0; i < count; i++)
        if (kind != RACE_SAMPLE || views[i].running)
            log_view(live, kind, &views[i]);
    flush(live);
}

void live_observe(void *context, enum race_event_kind kind, const struct race_view *views,
                  size_t count)
{
    struct live *live = context;
    if (live->mode == LIVE_TERMINAL)
        observe_terminal(live, kind, views, count);
    else if (live->mode == LIVE_LINES)
        observe_lines(live, kind, views, count);
}

void live_end(struct live *live)
{
    if (live->mode != LIVE_TERMINAL)
        return;
    text_add(&live->out, SHOW_CURSOR);
    flush(live);
    signals_set_restore(-1, NULL);
}
