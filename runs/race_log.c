#include "runs/race_log.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/say.h"
#include "portfolio/decision_log.h"

#define SAMPLE_NS INT64_C(1000000000)

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        say(stderr, "regatta verify: %s: cannot be written: %s\n", path, strerror(errno));
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
        say(stderr, "regatta verify: %s: not all of it could be written\n", path);
    return good;
}

bool race_log_close(struct race_log *log)
{
    bool good = close_file(log->log, log->log_path);
    good = close_file(log->events, log->events_path) && good;
    log->log = log->events = NULL;
    race_picture_finish(&log->picture);
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
        .cores = race_seats(options),
        .sequential = options->sequential,
        .time_limit_ns = race_time_limit_ns(options),
        .facts = options->facts != NULL ? *options->facts : race_facts(model),
    };
    plan_variant_digest(log->variant, header.digest);
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

// Takes the object over.
static void write_line(struct race_log *log, cJSON *object)
{
    char *line = cJSON_PrintUnformatted(object);
    if (line != NULL)
        say_json(log->events, line);
    fflush(log->events);
    cJSON_free(line);
    cJSON_Delete(object);
}

static cJSON *event(const struct race_log *log, const char *name)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "seconds", race_picture_seconds(&log->picture));
    cJSON_AddStringToObject(object, "event", name);
    return object;
}

// Left out when there is no such limit.
static void add_limit(cJSON *object, const char *name, double value)
{
    if (value >= 0)
        cJSON_AddNumberToObject(object, name, value);
}

static void write_attempt(struct race_log *log, const char *name, const struct race_view *view)
{
    cJSON *object = event(log, name);
    cJSON_AddNumberToObject(object, "attempt", view->attempt);
    cJSON_AddNumberToObject(object, "lane", view->lane);
    cJSON_AddStringToObject(object, "configuration", view->configuration->name);
    cJSON_AddStringToObject(object, "cpus", view->slot->cpus);
    add_progress(object, view->progress);
    cJSON_AddNumberToObject(object, "cpu_seconds", view->cpu_seconds);
    add_limit(object, "left_seconds", view->left_seconds);
    if (view->step_limit != 0)
        cJSON_AddNumberToObject(object, "step_limit", (double)view->step_limit);
    if (log->picture.options->cooperate) {
        cJSON_AddNumberToObject(object, "given", (double)view->given);
        cJSON_AddNumberToObject(object, "taken", (double)view->taken);
    }
    if (!view->running) {
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
    cJSON *object = event(log, "shared");
    cJSON_AddNumberToObject(object, "attempt", attempt);
    cJSON_AddStringToObject(object, "element", line);
    write_line(log, object);
}

// The machine and the limits of the run, before anything starts.
static void write_begin(struct race_log *log)
{
    const struct race_options *options = log->picture.options;
    cJSON *object = event(log, "begin");
    cJSON_AddStringToObject(object, "plan", log->plan);
    cJSON_AddNumberToObject(object, "lanes", (double)log->variant->lane_count);
    cJSON_AddNumberToObject(object, "cores", race_seats(options));
    cJSON_AddBoolToObject(object, "cooperation", options->cooperate);
    add_limit(object, "left_seconds", race_picture_left_seconds(&log->picture));
    add_limit(object, "left_cpu_seconds", race_picture_left_cpu_seconds(&log->picture));
    if (options->memory_limit_bytes != 0)
        cJSON_AddNumberToObject(object, "memory_bytes", (double)options->memory_limit_bytes);
    write_line(log, object);
}

// Hardware threads by core: [[0,16],[1,17]]; those that nobody is bound to.
static void add_idle(cJSON *object, const struct race_picture *picture)
{
    const struct topology *topology = picture->options->topology;
    cJSON *cores = cJSON_AddArrayToObject(object, "idle");
    for (unsigned core = 0; topology != NULL && core < topology_core_count(topology); core++) {
        cJSON *threads = cJSON_CreateArray();
        unsigned cpu;
        for (unsigned i = 0; (cpu = topology_cpu(topology, core, i)) != UINT_MAX; i++)
            if (core_occupant(picture->tenants.data, picture->tenants.count, cpu) == CORE_IDLE)
                cJSON_AddItemToArray(threads, cJSON_CreateNumber(cpu));
        if (cJSON_GetArraySize(threads) > 0)
            cJSON_AddItemToArray(cores, threads);
        else
            cJSON_Delete(threads);
    }
}

static void write_run(struct race_log *log, const char *name)
{
    const struct race_picture *picture = &log->picture;
    cJSON *object = event(log, name);
    add_limit(object, "left_seconds", race_picture_left_seconds(picture));
    add_limit(object, "left_cpu_seconds", race_picture_left_cpu_seconds(picture));
    cJSON_AddNumberToObject(object, "running", (double)picture->tenants.count);
    cJSON_AddNumberToObject(object, "ended", picture->ended);
    cJSON_AddNumberToObject(object, "stalls", picture->stalls);
    if (picture->stalled_name != NULL) {
        cJSON_AddStringToObject(object, "stalled", picture->stalled_name);
        cJSON_AddStringToObject(object, "stalled_why", picture->stalled_why);
        cJSON_AddNumberToObject(object, "stalled_seconds", picture->stalled_seconds);
    }
    if (picture->options->cooperate) {
        cJSON_AddNumberToObject(object, "given", (double)race_picture_given(picture));
        cJSON_AddNumberToObject(object, "taken", (double)race_picture_taken(picture));
    }
    add_idle(object, picture);
    write_line(log, object);
}

// However often the live view wants samples.
static bool is_time_to_sample(struct race_log *log)
{
    int64_t now = clock_wall_ns();
    if (now < log->next_sample_ns)
        return false;
    log->next_sample_ns = now + SAMPLE_NS;
    return true;
}

static void observe(void *context, enum race_event_kind kind, const struct race_view *views,
                    size_t count)
{
    struct race_log *log = context;
    race_picture_update(&log->picture, kind, views, count);
    if (kind == RACE_STARTED || kind == RACE_ENDED) {
        write_attempt(log, kind == RACE_STARTED ? "started" : "ended", views);
    } else if (kind == RACE_OVER) {
        write_run(log, "over");
    } else if (is_time_to_sample(log)) {
        for (size_t i = 0; i < count; i++)
            if (views[i].running)
                write_attempt(log, "sample", &views[i]);
        write_run(log, "run");
    }
    if (log->live != NULL)
        live_observe(log->live, kind, views, count);
}

void race_log_attach(struct race_log *log, struct race_options *options, const struct model *model,
                     struct live *live)
{
    log->variant = plan_variant_for(options->plan, options->cores);
    log->live = live;
    race_picture_begin(&log->picture, options);
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
            options->sample_seconds = clock_seconds(SAMPLE_NS);
        write_begin(log);
    }
}
