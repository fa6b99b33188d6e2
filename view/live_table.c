#include "view/live_table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum column {
    LANE,
    CORE,
    NAME,
    ITERATIONS,
    NODES,
    PRECISION,
    EXCHANGE,
    TIME,
    LEFT,
    STATE,
    COLUMNS
};

enum { NAME_WIDTH = 22, LEAST_NAME_WIDTH = 10, STATE_WIDTH = 12 };

static const struct {
    const char *head;
    unsigned width;
    bool left; // aligned
} columns[COLUMNS] = {
    [LANE] = {"lane", 4, true},
    [CORE] = {"core", 6, true},
    [NAME] = {"configuration", 0, true},
    [ITERATIONS] = {"iter", 8, false},
    [NODES] = {"nodes", 10, false},
    [PRECISION] = {"prec", 6, false},
    [EXCHANGE] = {"gave/took", 11, false},
    [TIME] = {"time", 8, false},
    [LEFT] = {"left", 8, false},
    [STATE] = {"state", STATE_WIDTH, true},
};

// In this order they go.
static const enum column going[] = {EXCHANGE, ITERATIONS, PRECISION, NODES, CORE, LANE};

struct layout {
    bool shown[COLUMNS];
    unsigned name_width;
};

static unsigned gap_before(enum column column)
{
    return column == LANE ? 0 : columns[column].left ? 2 : 1;
}

static unsigned least_width(const struct layout *layout)
{
    unsigned width = LEAST_NAME_WIDTH;
    for (int c = 0; c < COLUMNS; c++)
        if (layout->shown[c])
            width += columns[c].width + gap_before((enum column)c);
    return width;
}

static struct layout lay_out(unsigned width, bool exchange)
{
    struct layout layout;
    for (int c = 0; c < COLUMNS; c++)
        layout.shown[c] = c != EXCHANGE || exchange;
    for (size_t i = 0; i < sizeof going / sizeof *going && least_width(&layout) > width; i++)
        layout.shown[going[i]] = false;
    unsigned least = least_width(&layout), spare = width > least ? width - least : 0;
    unsigned most = NAME_WIDTH - LEAST_NAME_WIDTH;
    layout.name_width = LEAST_NAME_WIDTH + (spare < most ? spare : most);
    assert(layout.shown[NAME] && layout.shown[STATE]); // these two never go
    assert(layout.name_width >= LEAST_NAME_WIDTH && layout.name_width <= NAME_WIDTH);
    return layout;
}

static void add_cell(struct text *out, const struct layout *layout, enum column column,
                     const char *value)
{
    if (!layout->shown[column])
        return;
    int width = (int)(column == NAME ? layout->name_width : columns[column].width);
    if (out->length != 0)
        text_printf(out, "%*s", (int)gap_before(column), "");
    if (column == STATE)
        text_add(out, value);
    else if (columns[column].left)
        text_printf(out, "%-*.*s", width, width, value);
    else
        text_printf(out, "%*s", width, value);
}

void live_table_head(struct text *out, unsigned width, bool exchange)
{
    struct layout layout = lay_out(width, exchange);
    for (int c = 0; c < COLUMNS; c++)
        add_cell(out, &layout, (enum column)c, columns[c].head);
}

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

void live_table_state(struct text *out, const struct race_view *view)
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

// Time, or else steps: "12.3 s", "40%", "-".
static void add_left(struct text *out, const struct race_view *view)
{
    uint64_t steps = count_of(&view->progress->steps), limit = view->step_limit;
    if (view->running && view->left_seconds >= 0)
        text_add_duration(out, view->left_seconds);
    else if (view->running && limit != 0)
        text_printf(out, "%.0f%%",
                    steps < limit ? 100 * (double)(limit - steps) / (double)limit : 0.0);
    else
        text_add(out, "-");
}

static void add_value(struct text *out, const struct race_view *view, enum column column)
{
    const struct progress *progress = view->progress;
    switch (column) {
    case LANE:
        text_add_char(out, core_label(view->lane));
        break;
    case CORE:
        text_add(out, view->slot != NULL && view->slot->cpus[0] != '\0' ? view->slot->cpus : "-");
        break;
    case NAME:
        text_add(out, view->configuration->name);
        break;
    case ITERATIONS:
        text_printf(out, "%" PRIu64, count_of(&progress->iterations));
        break;
    case NODES:
        text_printf(out, "%" PRIu64, count_of(&progress->nodes));
        break;
    case PRECISION:
        text_printf(out, "%" PRIu64, count_of(&progress->precision));
        break;
    case EXCHANGE:
        text_printf(out, "%zu/%zu", view->given, view->taken);
        break;
    case TIME:
        text_add_duration(out, view->wall_seconds);
        break;
    case LEFT:
        add_left(out, view);
        break;
    case STATE:
        live_table_state(out, view);
        break;
    case COLUMNS:
        break;
    }
}

void live_table_row(struct text *out, const struct race_view *view, unsigned width, bool exchange)
{
    struct layout layout = lay_out(width, exchange);
    struct text value;
    text_init(&value);
    for (int c = 0; c < COLUMNS; c++) {
        text_clear(&value);
        add_value(&value, view, (enum column)c);
        add_cell(out, &layout, (enum column)c, text_string(&value));
    }
    text_finish(&value);
}

// The run.

static void add_left_of_run(struct text *out, double seconds, const char *of)
{
    if (seconds < 0)
        return;
    text_add(out, ", ");
    text_add_duration(out, seconds);
    text_printf(out, "%s left", of);
}

void live_table_run(struct text *out, const struct race_picture *picture)
{
    text_add(out, "run  ");
    text_add_duration(out, race_picture_seconds(picture));
    add_left_of_run(out, race_picture_left_seconds(picture), "");
    add_left_of_run(out, race_picture_left_cpu_seconds(picture), " of CPU time");
    text_printf(out, "; %zu running, %u ended", picture->tenants.count, picture->ended);
}

void live_table_exchange(struct text *out, const struct race_picture *picture)
{
    if (picture->options->cooperate)
        text_printf(out, "exchange  %zu given, %zu taken", race_picture_given(picture),
                    race_picture_taken(picture));
}

void live_table_stall(struct text *out, const struct race_picture *picture)
{
    if (picture->stalled_name == NULL)
        return;
    text_printf(out, "stalls  %u, last %s at ", picture->stalls, picture->stalled_name);
    text_add_duration(out, picture->stalled_seconds);
    text_printf(out, ": %s", picture->stalled_why);
}
