#include "experiments/bench_view.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/say.h"
#include "runs/runner.h"
#include "view/screen.h"

#define REDRAW_NS INT64_C(1000000000)

enum { BAR_WIDTH = 30, PLAN_WIDTH = 22 };

struct place {
    const struct bench_job *job; // NULL = idle
    int64_t started_ns;
};

struct bench_view {
    const struct bench *bench;
    int64_t begin_ns, drawn_ns;
    bool terminal;
    struct screen screen;
    struct place *places; // of this machine; a cluster's come and go
    unsigned place_count;
};

struct bench_view *bench_view_create(const struct bench *bench)
{
    if (bench->quiet)
        return NULL;
    struct bench_view *view = memory_zalloc(sizeof *view);
    view->bench = bench;
    view->begin_ns = clock_wall_ns();
    view->terminal = screen_usable();
    view->place_count = bench->places;
    view->places = memory_zalloc(view->place_count * sizeof *view->places);
    screen_init(&view->screen);
    if (view->terminal)
        screen_begin(&view->screen);
    return view;
}

static void add_left(struct text *line, const struct bench *bench)
{
    if (bench->made == 0 || bench->done >= bench->jobs.count)
        return;
    text_add(line, "about ");
    text_add_duration(line, bench_seconds_left(bench));
    text_add(line, " left");
}

// The picture

static void add_bar(struct text *line, size_t done, size_t all)
{
    size_t full = all > 0 ? done * BAR_WIDTH / all : BAR_WIDTH;
    text_add_char(line, '[');
    for (size_t i = 0; i < BAR_WIDTH; i++)
        text_add_char(line, i < full ? '#' : '.');
    text_add_char(line, ']');
}

static void draw_progress(struct bench_view *view, struct text *line)
{
    const struct bench *bench = view->bench;
    add_bar(line, bench->done, bench->jobs.count);
    text_printf(line, " %zu of %zu runs; %zu made now, %zu unknown, %zu wrong", bench->done,
                bench->jobs.count, bench->made, bench->unknown, bench->wrong);
    screen_line(&view->screen, text_string(line));
    text_clear(line);
    text_add_duration(line, bench_view_seconds(view));
    text_add(line, " so far");
    if (bench->made != 0 && bench->done < bench->jobs.count)
        text_add(line, ", ");
    add_left(line, bench);
    screen_line(&view->screen, text_string(line));
    text_clear(line);
}

static void draw_place(struct bench_view *view, unsigned place, struct text *line)
{
    const struct bench *bench = view->bench;
    assert(place < view->place_count && (bench->cpus == NULL || place < bench->places));
    const struct place *p = &view->places[place];
    text_printf(line, "%3u  ", place);
    if (bench->cpus != NULL)
        text_printf(line, "cpu %-8s  ", bench->cpus[place]);
    if (p->job == NULL) {
        text_add(line, "idle");
    } else {
        char *task = task_name(bench->tasks[p->job->task].path);
        struct text time;
        text_init(&time);
        text_add_duration(&time, clock_seconds(clock_wall_ns() - p->started_ns));
        text_printf(line, "%8s  %-*.*s  %s", text_string(&time), PLAN_WIDTH, PLAN_WIDTH,
                    bench->plans.data[p->job->plan].plan->name, task);
        text_finish(&time);
        memory_free(task);
    }
    screen_line(&view->screen, text_string(line));
    text_clear(line);
}

// Notes may stand between screen_top and this.
static void draw(struct bench_view *view)
{
    struct text line;
    text_init(&line);
    draw_progress(view, &line);
    for (unsigned i = 0; i < view->place_count && !view->bench->cluster; i++)
        draw_place(view, i, &line);
    text_finish(&line);
    screen_show(&view->screen);
    view->drawn_ns = clock_wall_ns();
}

void bench_view_tick(struct bench_view *view)
{
    if (view == NULL || !view->terminal || clock_wall_ns() - view->drawn_ns < REDRAW_NS)
        return;
    screen_top(&view->screen);
    draw(view);
}

void bench_view_start(struct bench_view *view, const struct bench_job *job, unsigned place)
{
    if (view == NULL || place >= view->place_count)
        return;
    view->places[place] = (struct place){job, clock_wall_ns()};
    bench_view_tick(view);
}

// Runs

static void add_end(struct text *line, const struct bench *bench, const struct run_record *record)
{
    text_printf(line, "[%zu/%zu] %s, %s: ", bench->done, bench->jobs.count, record->task,
                record->plan);
    if (strcmp(record->status, RUN_STATUS_OK) == 0)
        run_summary(line, record);
    else
        text_add(line, record->status);
}

// What went well is counted; the rest stays to be read.
static bool is_worth_a_line(const struct run_record *record)
{
    return strcmp(record->status, RUN_STATUS_OK) != 0 || record->verdict == VERDICT_UNKNOWN ||
           run_record_is_wrong(record);
}

void bench_view_end(struct bench_view *view, const struct bench_job *job,
                    const struct run_record *record)
{
    if (view == NULL)
        return;
    struct text line;
    text_init(&line);
    for (unsigned i = 0; i < view->place_count; i++)
        if (view->places[i].job == job)
            view->places[i].job = NULL;
    add_end(&line, view->bench, record);
    if (view->terminal) {
        screen_top(&view->screen);
        if (is_worth_a_line(record))
            screen_note(&view->screen, text_string(&line));
        draw(view);
    } else {
        if (view->bench->done < view->bench->jobs.count)
            text_add(&line, "; ");
        add_left(&line, view->bench);
        say(stderr, "%s\n", text_string(&line));
    }
    text_finish(&line);
}

double bench_view_seconds(const struct bench_view *view)
{
    return clock_seconds(clock_wall_ns() - view->begin_ns);
}

void bench_view_destroy(struct bench_view *view)
{
    if (view == NULL)
        return;
    if (view->terminal) {
        // Of a cluster the bench has other numbers of places by now.
        memset(view->places, 0, view->place_count * sizeof *view->places);
        screen_top(&view->screen);
        draw(view);
    }
    screen_end(&view->screen);
    screen_finish(&view->screen);
    memory_free(view->places);
    memory_free(view);
}
