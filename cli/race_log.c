#include "cli/race_log.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "portfolio/decision_log.h"

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        fprintf(stderr, "regatta verify: %s: cannot be written: %s\n", path, strerror(errno));
    return file;
}

bool race_log_open(struct race_log *log, const char *log_path, const char *events_path)
{
    *log = (struct race_log){.log_path = log_path, .events_path = events_path};
    if (log_path != NULL && (log->log = open_file(log_path)) == NULL)
        return false;
    if (events_path != NULL && (log->events = open_file(events_path)) == NULL) {
        race_log_close(log);
        return false;
    }
    return true;
}

static bool close_file(FILE *file, const char *path)
{
    if (file == NULL)
        return true;
    bool good = ferror(file) == 0;
    good = fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "regatta verify: %s: not all of it could be written\n", path);
    return good;
}

bool race_log_close(struct race_log *log)
{
    bool good = close_file(log->log, log->log_path);
    good = close_file(log->events, log->events_path) && good;
    log->log = log->events = NULL;
    return good;
}

// Decisions.

static void decided(void *context, int64_t now, const struct schedule_event *event,
                    const struct schedule_action *actions, size_t count)
{
    struct race_log *log = context;
    struct text text;
    text_init(&text);
    decision_log_add(&text, log->variant, 0, now, event, actions, count);
    fputs(text_string(&text), log->log);
    fflush(log->log); // so that it is there after a crash
    text_finish(&text);
}

static void write_head(struct race_log *log, const struct race_options *options,
                       const struct model *model)
{
    struct decision_log_header header = {
        .plan = (char *)log->plan,
        .single = log->single,
        .cores = race_cores(options),
        .sequential = options->sequential,
        .time_limit_ns = race_time_limit_ns(options),
        .facts = race_facts(model),
    };
    schedule_digest(log->variant, header.digest);
    struct text text;
    text_init(&text);
    decision_log_begin(&text, &header);
    fputs(text_string(&text), log->log);
    text_finish(&text);
}

// Events.

static double count_of(const _Atomic uint64_t *word)
{
    return (double)atomic_load_explicit(word, memory_order_relaxed);
}

static void add_progress(cJSON *object, const struct progress *progress)
{
    const struct {
        const char *name;
        const _Atomic uint64_t *word;
    } words[] = {
        {"iterations", &progress->iterations}, {"nodes", &progress->nodes},
        {"precision", &progress->precision},   {"steps", &progress->steps},
        {"bytes", &progress->bytes},           {"solver_checks", &progress->solver_checks},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cJSON_AddNumberToObject(object, words[i].name, count_of(words[i].word));
}

// Taken over.
static void write_line(struct race_log *log, cJSON *object)
{
    char *line = cJSON_PrintUnformatted(object);
    if (line != NULL)
        fprintf(log->events, "%s\n", line);
    fflush(log->events);
    cJSON_free(line);
    cJSON_Delete(object);
}

static void write_event(struct race_log *log, const char *name, const struct race_view *view)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "seconds", clock_seconds(clock_wall_ns() - log->begin_ns));
    cJSON_AddStringToObject(object, "event", name);
    if (view != NULL) {
        cJSON_AddNumberToObject(object, "attempt", view->attempt);
        cJSON_AddNumberToObject(object, "lane", view->lane);
        cJSON_AddStringToObject(object, "configuration", view->configuration->name);
        cJSON_AddStringToObject(object, "cpus", view->slot->cpus);
        add_progress(object, view->progress);
    }
    if (view != NULL && !view->running) {
        cJSON_AddNumberToObject(object, "wall_seconds", view->wall_seconds);
        cJSON_AddStringToObject(object, "verdict", verdict_name(view->verdict));
        cJSON_AddStringToObject(object, "reason", end_reason_name(view->reason));
        cJSON_AddStringToObject(object, "why", view->why != NULL ? view->why : "");
    }
    write_line(log, object);
}

static void exchanged(void *context, unsigned attempt, const char *line)
{
    struct race_log *log = context;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "seconds", clock_seconds(clock_wall_ns() - log->begin_ns));
    cJSON_AddStringToObject(object, "event", "shared");
    cJSON_AddNumberToObject(object, "attempt", attempt);
    cJSON_AddStringToObject(object, "element", line);
    write_line(log, object);
}

static void observe(void *context, enum race_event_kind kind, const struct race_view *views,
                    size_t count)
{
    static const char *const names[] = {
        [RACE_STARTED] = "started",
        [RACE_ENDED] = "ended",
        [RACE_SAMPLE] = "sample",
        [RACE_OVER] = "over",
    };
    struct race_log *log = context;
    if (kind == RACE_OVER)
        write_event(log, names[kind], NULL);
    else
        for (size_t i = 0; i < count; i++)
            if (kind != RACE_SAMPLE || views[i].running)
                write_event(log, names[kind], &views[i]);
    if (log->live != NULL)
        live_observe(log->live, kind, views, count);
}

void race_log_attach(struct race_log *log, struct race_options *options, const struct model *model,
                     struct live *live)
{
    log->variant = plan_variant_for(options->plan, options->cores);
    log->live = live;
    log->begin_ns = clock_wall_ns();
    if (log->log != NULL) {
        write_head(log, options, model);
        options->decided = decided;
        options->decided_context = log;
    }
    if (log->events != NULL) {
        options->exchanged = exchanged;
        options->exchanged_context = log;
        options->observe = observe;
        options->context = log;
        if (options->sample_seconds <= 0)
            options->sample_seconds = 1;
    }
}
