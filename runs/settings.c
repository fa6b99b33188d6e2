#include "runs/settings.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "base/vector.h"
#include "portfolio/cgroup.h"

// Of the machine's, or of what the control group is allowed when that is less.
uint64_t run_settings_half_of_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
    uint64_t allowed = cgroup_memory_limit();
    return (allowed > 0 && allowed < memory ? allowed : memory) / 2;
}

void word_list_add(struct word_list *words, const char *format, ...)
{
    va_list values;
    struct text word;
    text_init(&word);
    va_start(values, format);
    text_vprintf(&word, format, values);
    va_end(values);
    VECTOR_PUSH(words, text_steal(&word));
}

#define PRINT_TEXT(o, field, name, ...)                                                            \
    if ((o)->field != NULL)                                                                        \
        word_list_add(words, "--%s=%s", name, (o)->field);
#define PRINT_NUMBER(o, field, name, ...)                                                          \
    if ((o)->field != 0)                                                                           \
        word_list_add(words, "--%s=%lld", name, (long long)(o)->field);
#define PRINT_FLAG(o, field, name, ...)                                                            \
    if ((o)->field != 0)                                                                           \
        word_list_add(words, "--%s", name);
#define PRINT_SWITCH(o, field, zero, zero_help, one, ...)                                          \
    word_list_add(words, "--%s", (o)->field != 0 ? one : zero);

void run_options_print(const struct run_options *options, struct word_list *words)
{
    RUN_OPTION_TABLE(options, PRINT_TEXT, PRINT_NUMBER, PRINT_NUMBER, PRINT_FLAG, PRINT_SWITCH)
}

static bool read_duration(const char *option, const char *text, const char *standard,
                          const char *examples, double *seconds, struct text *why)
{
    if (text == NULL)
        text = standard;
    if (text_parse_duration(text, seconds) && *seconds >= 0)
        return true;
    text_printf(why, "--%s=%s: expected a time such as %s", option, text, examples);
    return false;
}

// A whole number from `least` to `most`.
static bool read_number(const char *option, const char *text, uint64_t least, uint64_t most,
                        uint64_t *number, struct text *why)
{
    if (text == NULL)
        return true;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end != text && *end == '\0' && text[strspn(text, "0123456789")] == '\0' && errno == 0 &&
        value >= least && value <= most) {
        *number = value;
        return true;
    }
    text_printf(why, "--%s=%s: expected a number from %llu to %llu", option, text,
                (unsigned long long)least, (unsigned long long)most);
    return false;
}

bool run_settings_read_size(const char *option, const char *text, uint64_t *bytes, struct text *why)
{
    if (text == NULL ||
        (text[strspn(text, "0123456789")] != '\0' && text_parse_size(text, bytes) && *bytes > 0))
        return true;
    text_printf(why, "--%s=%s: expected a size with its unit such as 512MB or 2GB", option, text);
    return false;
}

static bool read_limits(const struct run_options *options, struct run_settings *out,
                        struct text *why)
{
    if (!read_duration("time", options->time, DEFAULT_TIME, "500ms, 60s or 5m",
                       &out->time_limit_seconds, why) ||
        !read_duration("cpu-time", options->cpu_time, "0", "60s or 5m", &out->cpu_limit_seconds,
                       why) ||
        !read_duration("check-time", options->check_time, "0", "500ms or 10s", &out->check_seconds,
                       why) ||
        !read_duration("settle", options->settle, "0", "500ms or 1s", &out->settle_seconds, why))
        return false;
    if (options->require_checked && options->uncertified) {
        text_add(why, "--require-checked and --no-certify exclude each other");
        return false;
    }
    if (options->require_checked && options->accept_unchecked) {
        text_add(why, "--require-checked and --accept-unchecked exclude each other");
        return false;
    }
    out->memory_limit_bytes = run_settings_half_of_memory();
    uint64_t input_size = TEXT_FILE_LIMIT;
    if (!run_settings_read_size("memory", options->memory, &out->memory_limit_bytes, why) ||
        !run_settings_read_size("input-size", options->input_size, &input_size, why))
        return false;
    text_set_file_limit(input_size);
    const char *at = options->property_at != NULL ? options->property_at : "all";
    if (strcmp(at, "all") != 0 && strcmp(at, "stable") != 0) {
        text_printf(why, "--property-at=%s: expected all or stable", at);
        return false;
    }
    out->property_at = strcmp(at, "all") == 0 ? PROPERTY_AT_ALL : PROPERTY_AT_STABLE;
    static const char *const isolations[] = {"auto", "thread", "process"};
    const char *isolation = options->isolation != NULL ? options->isolation : isolations[0];
    size_t i = 0;
    while (i < 3 && strcmp(isolation, isolations[i]) != 0)
        i++;
    if (i == 3) {
        text_printf(why, "--isolation=%s: expected auto, thread or process", isolation);
        return false;
    }
    out->isolation = (enum isolation)i;
    const char *cooperation = options->cooperation != NULL ? options->cooperation : "auto";
    if (strcmp(cooperation, "auto") != 0 && strcmp(cooperation, "on") != 0 &&
        strcmp(cooperation, "off") != 0) {
        text_printf(why, "--cooperation=%s: expected auto, on or off", cooperation);
        return false;
    }
    out->cooperation = strcmp(cooperation, "auto") == 0 ? -1 : strcmp(cooperation, "on") == 0;
    uint64_t cores = 0;
    if (!read_number("cores", options->cores, 1, 4096, &cores, why) ||
        !read_number("seed", options->seed, 0, INT64_MAX, &out->seed, why))
        return false;
    out->cores = (unsigned)cores;
    return true;
}

void run_settings_start(struct run_settings *settings)
{
    double seconds =
        settings->first_seconds > 0 ? settings->first_seconds : settings->time_limit_seconds;
    // Beyond 290 years there is no clock either.
    if (seconds > 0 && seconds < 9e9)
        settings->deadline_ns = clock_wall_ns() + (int64_t)(seconds * 1e9);
}

struct budget run_settings_budget(const struct run_settings *settings)
{
    return (struct budget){.deadline_ns = settings->deadline_ns,
                           .stop = signals_flag(),
                           .bytes = settings->memory_limit_bytes};
}

double run_settings_time_left(const struct run_settings *settings)
{
    if (settings->deadline_ns == 0)
        return settings->time_limit_seconds;
    double left = clock_seconds(settings->deadline_ns - clock_wall_ns());
    return left > 0.001 ? left : 0.001;
}

bool run_settings_read(const struct run_options *options, struct run_settings *out,
                       struct text *why, struct text *note)
{
    struct run_settings settings = {.sequential = options->sequential != 0,
                                    .certify = !options->uncertified,
                                    .require_checked = options->require_checked != 0};
    if (!read_limits(options, &settings, why))
        return false;
    struct text reason;
    text_init(&reason);
    settings.topology = topology_create(NULL, &reason);
    const char *what = "cannot see the machine's cores";
    bool good = settings.topology != NULL;
    if (good && options->placement != NULL) {
        what = "--placement";
        good = topology_set_placement(settings.topology, options->placement, &reason);
    }
    if (!good) {
        text_printf(why, "%s: %s", what, text_string(&reason));
        topology_destroy(settings.topology);
        text_finish(&reason);
        return false;
    }
    text_finish(&reason);
    unsigned there = topology_core_count(settings.topology);
    if (settings.cores == 0)
        settings.cores = there;
    if (note != NULL && settings.cores > topology_pu_count(settings.topology))
        text_printf(note, "%u cores asked for, %u may be used: attempts will share them",
                    settings.cores, topology_pu_count(settings.topology));
    assert(settings.cores > 0 && settings.time_limit_seconds >= 0);
    *out = settings;
    return true;
}

void run_settings_finish(struct run_settings *settings)
{
    topology_destroy(settings->topology);
    settings->topology = NULL;
}

bool settings_cooperate(const struct run_settings *settings, const struct plan *plan)
{
    return settings->cooperation < 0 ? plan->cooperate : settings->cooperation != 0;
}

void plan_digest(const struct plan *plan, const struct run_settings *settings, char out[33])
{
    const struct plan_variant *variant = plan_variant_for(plan, settings->cores);
    assert(variant->cores <= settings->cores || variant == &plan->variants[0]);
    struct hash128 h = hash128_seed(settings->sequential ? 4 : 3);
    h = hash128_add(h, settings->certify);
    if (settings->cpu_limit_seconds > 0)
        h = hash128_add(hash128_add(h, 0x1600),
                        (uint64_t)(settings->cpu_limit_seconds * 1e6 + 0.5));
    if (settings->require_checked)
        h = hash128_add(h, 0x1800);
    if (settings->check_seconds > 0)
        h = hash128_add(hash128_add(h, 0x1801), (uint64_t)(settings->check_seconds * 1e6 + 0.5));
    if (settings->isolation != ISOLATION_AUTO)
        h = hash128_add(h, 0x1501 + settings->isolation);
    if (settings_cooperate(settings, plan))
        h = hash128_add(h, 0x1700);
    h = hash128_add_hash(h, plan_variant_hash(variant));
    hash128_print(h, out);
}
