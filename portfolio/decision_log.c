#include "portfolio/decision_log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_LINE "regatta decisions 1"

// Writing. Times are nanoseconds since the beginning; "-" is none.

static void add_time(struct text *out, int64_t time, int64_t begin)
{
    if (time == INT64_MAX)
        text_add(out, "-");
    else
        text_printf(out, "%" PRId64, time - begin);
}

void decision_log_begin(struct text *out, const struct decision_log_header *header)
{
    assert(strlen(header->digest) == 32 && header->cores > 0);
    text_printf(out, FIRST_LINE "\n%s %s\ndigest %s\ncores %u\nsequential %d\nlimit ",
                header->single ? "config" : "plan", header->plan, header->digest, header->cores,
                header->sequential);
    add_time(out, header->time_limit_ns, 0);
    text_add(out, "\nfacts");
    for (int fact = 0; fact < FACT_COUNT; fact++)
        text_printf(out, " %s=%" PRId64, plan_fact_name((enum plan_fact)fact),
                    header->facts.values[fact]);
    text_add(out, "\n\n");
}

static void add_event(struct text *out, const struct schedule_event *event)
{
    switch (event->kind) {
    case SCHEDULE_BEGIN:
        text_add(out, "begin");
        break;
    case SCHEDULE_ENDED:
        text_printf(out, "ended %u %s %s%s", event->attempt, verdict_name(event->verdict),
                    end_reason_name(event->reason), event->unchecked ? " unchecked" : "");
        break;
    case SCHEDULE_TICK:
        text_add(out, "tick");
        break;
    case SCHEDULE_INTERRUPT:
        text_add(out, "interrupt");
        break;
    case SCHEDULE_FORECAST:
        text_printf(out, "forecast %u %" PRId64, event->attempt, event->needs_ns);
        break;
    case SCHEDULE_HOLDS:
        text_printf(out, "holds %u %" PRIu64, event->attempt, event->bytes);
        break;
    case SCHEDULE_EXCEEDED:
        text_add(out, "exceeded ");
        if (event->attempt == SCHEDULE_RUN)
            text_add(out, "run");
        else
            text_printf(out, "%u", event->attempt);
        text_printf(out, " %s", end_reason_name(event->reason));
        break;
    }
}

static void add_action(struct text *out, const struct plan_variant *variant, int64_t begin,
                       const struct schedule_action *action)
{
    switch (action->kind) {
    case SCHEDULE_START:
        text_printf(out, "start %u lane %u step %u deadline ", action->attempt, action->lane,
                    action->step);
        add_time(out, action->deadline_ns, begin);
        text_printf(out, " steps %" PRIu64, action->step_limit);
        if (action->after >= 0)
            text_printf(out, " after %d", action->after);
        else
            text_add(out, " got a core");
        if (action->precision_of >= 0)
            text_printf(out, " with the precision of %d", action->precision_of);
        text_printf(out, ": %s",
                    variant->lanes[action->lane].steps[action->step].configuration->name);
        break;
    case SCHEDULE_STOP:
        text_printf(out, "stop %u %s", action->attempt, end_reason_name(action->reason));
        break;
    case SCHEDULE_EXTEND:
        text_printf(out, "extend %u deadline ", action->attempt);
        add_time(out, action->deadline_ns, begin);
        break;
    case SCHEDULE_FINISH:
        text_add(out, "finish");
        break;
    }
}

void decision_log_add(struct text *out, const struct plan_variant *variant, int64_t begin_ns,
                      int64_t now_ns, const struct schedule_event *event,
                      const struct schedule_action *actions, size_t count)
{
    text_printf(out, "%" PRId64 " > ", now_ns - begin_ns);
    add_event(out, event);
    text_add_char(out, '\n');
    for (size_t i = 0; i < count; i++) {
        text_printf(out, "%" PRId64 " < ", now_ns - begin_ns);
        add_action(out, variant, begin_ns, &actions[i]);
        text_add_char(out, '\n');
    }
}

// Reading.

struct log_reader {
    const char *path, *next;
    unsigned line;
    char *text; // the line, owned
};

static bool next_line(struct log_reader *r)
{
    memory_free(r->text);
    r->text = NULL;
    if (*r->next == '\0')
        return false;
    size_t length = strcspn(r->next, "\n");
    r->text = memory_alloc(length + 1);
    memcpy(r->text, r->next, length);
    r->text[length] = '\0';
    r->next += length + (r->next[length] == '\n');
    r->line++;
    return true;
}

static bool fail(const struct log_reader *r, struct messages *messages, const char *expected)
{
    message_add(messages, MESSAGE_ERROR, (struct position){r->path, r->line, 0},
                "found \"%s\", expected %s", r->text != NULL ? r->text : "the end of the file",
                expected);
    return false;
}

static const char *after_word(const struct log_reader *r, const char *word)
{
    size_t length = strlen(word);
    return r->text != NULL && strncmp(r->text, word, length) == 0 && r->text[length] == ' '
               ? r->text + length + 1
               : NULL;
}

// In their order. One that is not there is 0: the log is from before there was this fact.
static bool read_facts(const char *text, struct plan_facts *facts)
{
    for (int fact = 0; fact < FACT_COUNT; fact++) {
        const char *name = plan_fact_name((enum plan_fact)fact);
        size_t length = strlen(name);
        facts->values[fact] = 0;
        if (strncmp(text, name, length) != 0 || text[length] != '=')
            continue;
        char *end;
        facts->values[fact] = strtoll(text + length + 1, &end, 10);
        text = *end == ' ' ? end + 1 : end;
    }
    return *text == '\0';
}

static bool read_header(struct log_reader *r, struct decision_log_header *h,
                        struct messages *messages)
{
    const char *value;
    if (!next_line(r) || strcmp(r->text, FIRST_LINE) != 0)
        return fail(r, messages, "\"" FIRST_LINE "\"");
    next_line(r);
    h->single = after_word(r, "config") != NULL;
    value = h->single ? after_word(r, "config") : after_word(r, "plan");
    if (value == NULL)
        return fail(r, messages, "plan or config");
    h->plan = memory_strdup(value);
    next_line(r);
    value = after_word(r, "digest");
    if (value == NULL || strlen(value) != 32)
        return fail(r, messages, "digest");
    memcpy(h->digest, value, sizeof h->digest);
    next_line(r);
    value = after_word(r, "cores");
    if (value == NULL || (h->cores = (unsigned)strtoul(value, NULL, 10)) == 0)
        return fail(r, messages, "cores");
    next_line(r);
    value = after_word(r, "sequential");
    if (value == NULL)
        return fail(r, messages, "sequential");
    h->sequential = value[0] == '1';
    next_line(r);
    value = after_word(r, "limit");
    if (value == NULL)
        return fail(r, messages, "limit");
    h->time_limit_ns = value[0] == '-' ? INT64_MAX : strtoll(value, NULL, 10);
    next_line(r);
    value = after_word(r, "facts");
    if (value == NULL || !read_facts(value, &h->facts))
        return fail(r, messages, "the facts");
    next_line(r);
    return r->text == NULL || r->text[0] == '\0' || fail(r, messages, "an empty line");
}

bool decision_log_read_header(const char *path, const char *log, struct decision_log_header *out,
                              struct messages *messages)
{
    struct log_reader r = {.path = path, .next = log};
    *out = (struct decision_log_header){0};
    bool good = read_header(&r, out, messages);
    memory_free(r.text);
    return good;
}

void decision_log_header_finish(struct decision_log_header *header)
{
    memory_free(header->plan);
    header->plan = NULL;
}

static bool read_ended(const char *text, struct schedule_event *event)
{
    char verdict[16], reason[32], unchecked[16] = "";
    if (sscanf(text, "ended %u %15s %31s %15s", &event->attempt, verdict, reason, unchecked) < 3)
        return false;
    event->unchecked = strcmp(unchecked, "unchecked") == 0;
    if (unchecked[0] != '\0' && !event->unchecked)
        return false;
    int v = verdict_parse(verdict), e = end_reason_parse(reason);
    event->kind = SCHEDULE_ENDED;
    event->verdict = v < 0 ? VERDICT_UNKNOWN : (enum verdict)v;
    event->reason = e < 0 ? END_NONE : (enum end_reason)e;
    return v >= 0 && e >= 0;
}

static bool read_holds(const char *text, struct schedule_event *event)
{
    event->kind = SCHEDULE_HOLDS;
    return sscanf(text, "holds %u %" SCNu64, &event->attempt, &event->bytes) == 2;
}

static bool read_forecast(const char *text, struct schedule_event *event)
{
    event->kind = SCHEDULE_FORECAST;
    return sscanf(text, "forecast %u %" SCNd64, &event->attempt, &event->needs_ns) == 2;
}

static bool read_exceeded(const char *text, struct schedule_event *event)
{
    char who[16], reason[32];
    if (sscanf(text, "exceeded %15s %31s", who, reason) != 2)
        return false;
    char *end = who;
    bool run = strcmp(who, "run") == 0;
    event->kind = SCHEDULE_EXCEEDED;
    event->attempt = run ? SCHEDULE_RUN : (unsigned)strtoul(who, &end, 10);
    int e = end_reason_parse(reason);
    event->reason = e < 0 ? END_NONE : (enum end_reason)e;
    return (run || (end != who && *end == '\0')) && e >= 0;
}

// "123 > ended 0 unknown stalled"
static bool read_event(const char *line, int64_t *now, struct schedule_event *event)
{
    char *end;
    *now = strtoll(line, &end, 10);
    if (end == line || strncmp(end, " > ", 3) != 0)
        return false;
    const char *text = end + 3;
    *event = (struct schedule_event){0};
    if (strcmp(text, "begin") == 0)
        event->kind = SCHEDULE_BEGIN;
    else if (strcmp(text, "tick") == 0)
        event->kind = SCHEDULE_TICK;
    else if (strcmp(text, "interrupt") == 0)
        event->kind = SCHEDULE_INTERRUPT;
    else if (strncmp(text, "holds ", 6) == 0)
        return read_holds(text, event);
    else if (strncmp(text, "forecast ", 9) == 0)
        return read_forecast(text, event);
    else if (strncmp(text, "exceeded ", 9) == 0)
        return read_exceeded(text, event);
    else
        return read_ended(text, event);
    return true;
}

// An event may only end what was started and has not ended, and the beginning comes once.
struct replay {
    struct schedule *schedule;
    bool begun;
    bool *running; // by attempt
    size_t started;
};

static bool event_fits(const struct replay *p, const struct schedule_event *event)
{
    if ((event->kind == SCHEDULE_BEGIN) == p->begun)
        return false;
    bool names_attempt = event->kind == SCHEDULE_ENDED || event->kind == SCHEDULE_HOLDS ||
                         event->kind == SCHEDULE_FORECAST ||
                         (event->kind == SCHEDULE_EXCEEDED && event->attempt != SCHEDULE_RUN);
    return !names_attempt || (event->attempt < p->started && p->running[event->attempt]);
}

static void note_actions(struct replay *p, const struct schedule_event *event,
                         const struct schedule_action *actions, size_t count)
{
    p->begun = true;
    if (event->kind == SCHEDULE_ENDED)
        p->running[event->attempt] = false;
    for (size_t i = 0; i < count; i++)
        if (actions[i].kind == SCHEDULE_START) {
            assert(actions[i].attempt == p->started && "numbered in order of start");
            p->running = memory_realloc(p->running, (p->started + 1) * sizeof *p->running);
            p->running[p->started++] = true;
        }
}

// The actions the log has for this event, line by line.
static bool compare(struct log_reader *r, const char *decided, size_t count,
                    struct messages *messages)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(decided, "\n");
        assert(decided[length] == '\n' && "one line an action");
        struct text expected = {0};
        text_printf(&expected, "\"%.*s\", as the schedule decides now", (int)length, decided);
        bool same =
            next_line(r) && strlen(r->text) == length && strncmp(r->text, decided, length) == 0;
        if (!same)
            fail(r, messages, text_string(&expected));
        text_finish(&expected);
        if (!same)
            return false;
        decided += length + 1;
    }
    return true;
}

static bool replay_line(struct replay *p, struct log_reader *r, const struct plan_variant *variant,
                        size_t *actions, struct messages *messages)
{
    struct schedule_event event;
    int64_t now;
    if (!read_event(r->text, &now, &event))
        return fail(r, messages, "an event");
    if (!event_fits(p, &event))
        return fail(r, messages, "an event that can happen here");
    const struct schedule_action *decided;
    size_t count = schedule_step(p->schedule, &event, now, &decided);
    note_actions(p, &event, decided, count);
    struct text lines = {0};
    decision_log_add(&lines, variant, 0, now, &event, decided, count);
    bool same = compare(r, strchr(text_string(&lines), '\n') + 1, count, messages);
    text_finish(&lines);
    *actions += count;
    return same;
}

bool decision_log_replay(const char *path, const char *log,
                         const struct decision_log_header *header,
                         const struct plan_variant *variant, size_t *events, size_t *actions,
                         struct messages *messages)
{
    struct log_reader r = {.path = path, .next = log};
    struct decision_log_header again = {0};
    *events = *actions = 0;
    struct replay p = {.schedule = schedule_create(variant, header->cores, header->time_limit_ns,
                                                   header->sequential, &header->facts)};
    bool good = read_header(&r, &again, messages);
    while (good && next_line(&r)) {
        good = replay_line(&p, &r, variant, actions, messages);
        ++*events;
    }
    schedule_destroy(p.schedule);
    decision_log_header_finish(&again);
    memory_free(p.running);
    memory_free(r.text);
    return good;
}
