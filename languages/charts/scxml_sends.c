#include "languages/charts/scxml_inside.h"

#include <math.h>
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// What a chart sends to itself, as variables of the chart: a queue whose places are enumerations of events, and a timer for each <send>
// with a delay.

// ---- elements ----------------------------------------------------------------------------------

static bool is_internal(struct scxml_reader *reader, const struct chart_xml_element *send)
{
    const char *target = scxml_written(reader, send, "target");
    return target != NULL && strcmp(target, "#_internal") == 0;
}

// Events of one <send> that can be on their way, as a state that is entered again sends its own again.
#define TIMERS 2

// 2s, 1.5s, 30ms, 0: in milliseconds. False: something else.
static bool read_delay(const char *text, int64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)*text) && *text != '.')
        return false;
    double value = strtod(text, &end);
    double factor = strcmp(end, "s") == 0 ? 1000 : strcmp(end, "ms") == 0 || *end == '\0' ? 1 : 0;
    double milliseconds = value * factor, whole = floor(milliseconds + 0.5);
    // Which of two comes first must not depend on how they are rounded.
    if (factor <= 0 || !(whole <= 1e12) || fabs(milliseconds - whole) > 1e-6)
        return false;
    *out = (int64_t)whole;
    return true;
}

// The delay of a <send>: an attribute, or an expression that is a text. False: something else.
static bool delay_of(struct scxml_reader *reader, const struct chart_xml_element *send,
                     int64_t *out)
{
    const char *delay = scxml_written(reader, send, "delay");
    *out = 0;
    if (delay == NULL)
        return chart_xml_attribute(send, "delayexpr") == NULL;
    return read_delay(delay, out);
}

// Only what goes to the chart itself, with a name and a delay that are written down.
static bool can_be_sent(struct scxml_reader *reader, const struct chart_xml_element *send)
{
    static const char *const OTHERS[] = {"event", "target", "type"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        const char *name = chart_text(reader->chart, "%sexpr", OTHERS[i]);
        if (chart_xml_attribute(send, name) != NULL &&
            (chart_xml_attribute(send, OTHERS[i]) != NULL ||
             scxml_written(reader, send, OTHERS[i]) == NULL)) {
            message_add(reader->messages, MESSAGE_UNSUPPORTED, send->at,
                        "<send> with `%s` that is not one written text", name);
            return false;
        }
    }
    if (chart_xml_attribute(send, "idlocation") != NULL) {
        message_add(reader->messages, MESSAGE_UNSUPPORTED, send->at, "<send> with `idlocation`");
        return false;
    }
    const char *type = scxml_written(reader, send, "type"),
               *target = scxml_written(reader, send, "target");
    bool own_type = type == NULL || strcmp(type, "scxml") == 0 ||
                    strcmp(type, "http://www.w3.org/TR/scxml/#SCXMLEventProcessor") == 0 ||
                    strcmp(type, "http://www.w3.org/TR/scxml/") == 0;
    bool own = own_type && (target == NULL || *target == '\0' || is_internal(reader, send));
    if (!own)
        message_add(reader->messages, MESSAGE_UNSUPPORTED, send->at,
                    "<send> to others than the chart itself");
    else if (scxml_written(reader, send, "event") == NULL)
        message_add(reader->messages, MESSAGE_UNSUPPORTED, send->at, "<send> without `event`");
    return own && scxml_written(reader, send, "event") != NULL && scxml_check_data(reader, send);
}

static struct chart_variable *hidden(struct scxml_reader *reader, const char *name,
                                     const struct chart_type *type, enum chart_role role)
{
    struct chart_variable *made = chart_add_variable(reader->chart, name, type, role,
                                                     (struct position){reader->chart->path, 0, 0});
    made->scratch = true;
    return made;
}

static struct chart_expression *is_place(struct scxml_reader *reader, uint32_t place,
                                         int64_t literal)
{
    return (struct chart_expression *)(uintptr_t)chart_binary(
        reader->chart, CHART_EQUAL, chart_read(reader->chart, reader->places[place]),
        chart_literal(reader->chart, reader->sent, literal));
}

struct chart_action *scxml_set(struct scxml_reader *reader, struct chart_variable *variable,
                               const struct chart_expression *value)
{
    struct chart_action *action =
        chart_add_action(reader->chart, CHART_ASSIGN, (struct position){reader->chart->path, 0, 0});
    action->variable = variable;
    action->expression = value;
    return action;
}

static bool has_timers(const struct scxml_reader *reader, const struct chart_xml_element *send)
{
    for (size_t i = 0; i < reader->senders.count; i++) {
        if (reader->senders.data[i].element == send)
            return true;
    }
    return false;
}

// Into the first free place of the queue.
static const struct chart_action *enqueue(struct scxml_reader *reader, const char *name)
{
    struct chart *chart = reader->chart;
    int64_t literal = (int64_t)(uintptr_t)chart_names_find(&reader->sent_places, name) - 1;
    assert(literal > 0 && literal < reader->sent->literal_count); // 0 is an empty place
    struct position nowhere = {chart->path, 0, 0};
    const struct chart_action *rest = chart_add_action(chart, CHART_LIMIT, nowhere);
    for (uint32_t i = chart->queue_bound; i-- > 0;) {
        struct chart_action *branch = chart_add_action(chart, CHART_BRANCH, nowhere);
        branch->expression = is_place(reader, i, 0);
        branch->then =
            scxml_set(reader, reader->places[i], chart_literal(chart, reader->sent, literal));
        branch->otherwise = rest;
        rest = branch;
    }
    return rest;
}

// The first timer of the <send> that does not run; with none, too many of its events are on their way.
static const struct chart_action *start_timer(struct scxml_reader *reader,
                                              const struct chart_xml_element *send, int64_t delay)
{
    struct chart *chart = reader->chart;
    struct position nowhere = {chart->path, 0, 0};
    const struct chart_action *rest = chart_add_action(chart, CHART_LIMIT, nowhere);
    for (size_t i = reader->senders.count; i-- > 0;) {
        const struct scxml_sender *sender = &reader->senders.data[i];
        if (sender->element != send)
            continue;
        struct chart_action *branch = chart_add_action(chart, CHART_BRANCH, nowhere);
        branch->expression =
            chart_binary(chart, CHART_LESS_EQUAL, chart_literal(chart, &CHART_TYPE_INT, 0),
                         chart_read(chart, sender->timer));
        branch->then = rest;
        branch->otherwise =
            scxml_set(reader, sender->timer, chart_literal(chart, &CHART_TYPE_INT, delay));
        rest = branch;
    }
    return rest;
}

const struct chart_action *scxml_send(struct scxml_reader *reader,
                                      const struct chart_xml_element *element)
{
    int64_t delay;
    if (!can_be_sent(reader, element))
        return NULL;
    if (!delay_of(reader, element, &delay)) {
        message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at,
                    "<send> with a delay that is not written down as a time");
        return NULL;
    }
    if (is_internal(reader, element) && delay == 0)
        return scxml_raise(reader, element);
    if (is_internal(reader, element)) {
        message_add(reader->messages, MESSAGE_UNSUPPORTED, element->at,
                    "<send> to the internal queue with a delay");
        return NULL;
    }
    return has_timers(reader, element) ? start_timer(reader, element, delay)
                                       : enqueue(reader, scxml_written(reader, element, "event"));
}

const struct chart_action *scxml_cancel(struct scxml_reader *reader,
                                        const struct chart_xml_element *element)
{
    const char *id = scxml_written(reader, element, "sendid");
    if (id == NULL) {
        scxml_not_supported(reader, element);
        return NULL;
    }
    const struct chart_action *list = NULL;
    for (size_t i = 0; i < reader->senders.count; i++) {
        const struct scxml_sender *sender = &reader->senders.data[i];
        const char *own = chart_xml_attribute(sender->element, "id");
        if (own != NULL && strcmp(own, id) == 0)
            chart_append_actions(&list,
                                 scxml_set(reader, sender->timer,
                                           chart_literal(reader->chart, &CHART_TYPE_INT, -1)));
    }
    return list;
}

// ---- queue and timers --------------------------------------------------------------------------

static void add_sender(struct scxml_reader *reader, const struct chart_xml_element *send,
                       const char *name, int number)
{
    struct scxml_sender sender = {send, chart_names_find(&reader->events, name), NULL};
    assert(sender.event != NULL);
    sender.timer = hidden(reader,
                          chart_text(reader->chart, "%s%s in (line %u)",
                                     number > 0 ? "second " : "", name, send->at.line),
                          &CHART_TYPE_INT, CHART_TIMER);
    sender.timer->initial = -1;
    VECTOR_PUSH(&reader->senders, sender);
}

static void collect_sends(struct scxml_reader *reader, const struct chart_xml_element *element)
{
    struct chart *chart = reader->chart;
    for (const struct chart_xml_element *e = element->first; e != NULL; e = e->next) {
        collect_sends(reader, e);
        const char *name = scxml_is(e, "send") ? scxml_written(reader, e, "event") : NULL;
        int64_t delay;
        if (name == NULL || is_internal(reader, e) || !delay_of(reader, e, &delay))
            continue;
        if (delay > 0) {
            for (int i = 0; i < TIMERS; i++)
                add_sender(reader, e, name, i);
        } else if (chart_names_find(&reader->sent_places, name) == NULL) {
            CHART_APPEND(&chart->arena, reader->sent_names, reader->sent->literal_count,
                         arena_strdup(&chart->arena, name));
            chart_names_add(&reader->sent_places, name,
                            (void *)(uintptr_t)reader->sent->literal_count);
        }
    }
}

static void add_sending(struct scxml_reader *reader, const struct chart_event *event,
                        const struct chart_expression *ready, const struct chart_action *take)
{
    struct chart_sending sending = {event, ready, take};
    CHART_APPEND(&reader->chart->arena, reader->chart->sendings, reader->chart->sending_count,
                 sending);
}

// The first event of the queue.
static void take_from_queue(struct scxml_reader *reader)
{
    struct chart *chart = reader->chart;
    for (uint32_t i = 1; i < reader->sent->literal_count; i++) {
        const struct chart_action *take = NULL;
        for (uint32_t place = 0; place + 1 < chart->queue_bound; place++)
            chart_append_actions(&take, scxml_set(reader, reader->places[place],
                                                  chart_read(chart, reader->places[place + 1])));
        chart_append_actions(&take, scxml_set(reader, reader->places[chart->queue_bound - 1],
                                              chart_literal(chart, reader->sent, 0)));
        add_sending(reader, chart_names_find(&reader->events, reader->sent->literals[i]),
                    is_place(reader, 0, i), take);
    }
}

static const struct chart_expression *runs(struct scxml_reader *reader,
                                           const struct chart_variable *timer)
{
    return chart_binary(reader->chart, CHART_LESS_EQUAL,
                        chart_literal(reader->chart, &CHART_TYPE_INT, 0),
                        chart_read(reader->chart, timer));
}

// Time passes for a timer that runs.
static struct chart_action *pass(struct scxml_reader *reader, struct chart_variable *timer,
                                 const struct chart_variable *time)
{
    struct chart *chart = reader->chart;
    struct chart_action *branch =
        chart_add_action(chart, CHART_BRANCH, (struct position){chart->path, 0, 0});
    branch->expression = runs(reader, timer);
    branch->then = scxml_set(
        reader, timer,
        chart_binary(chart, CHART_SUBTRACT, chart_read(chart, timer), chart_read(chart, time)));
    return branch;
}

// No timer runs out before `time` has passed.
static const struct chart_expression *none_before(struct scxml_reader *reader,
                                                  const struct chart_variable *time)
{
    struct chart *chart = reader->chart;
    const struct chart_expression *all = NULL;
    for (size_t i = 0; i < reader->senders.count; i++) {
        const struct chart_variable *timer = reader->senders.data[i].timer;
        if (timer != time)
            all = chart_both(
                chart, all,
                chart_binary(chart, CHART_OR, chart_unary(chart, CHART_NOT, runs(reader, timer)),
                             chart_binary(chart, CHART_LESS_EQUAL, chart_read(chart, time),
                                          chart_read(chart, timer))));
    }
    return all;
}

static const struct chart_expression *queue_is_empty(struct scxml_reader *reader)
{
    return reader->sent->literal_count > 1 ? is_place(reader, 0, 0) : NULL;
}

// The timer that runs out first, when nothing is in the queue: macrosteps take no time.
static void run_out(struct scxml_reader *reader, const struct scxml_sender *sender)
{
    const struct chart_expression *ready =
        chart_both(reader->chart, runs(reader, sender->timer), none_before(reader, sender->timer));
    const struct chart_action *take = NULL;
    for (size_t i = 0; i < reader->senders.count; i++) {
        if (reader->senders.data[i].timer != sender->timer)
            chart_append_actions(&take, pass(reader, reader->senders.data[i].timer, sender->timer));
    }
    chart_append_actions(
        &take, scxml_set(reader, sender->timer, chart_literal(reader->chart, &CHART_TYPE_INT, -1)));
    add_sending(reader, sender->event, chart_both(reader->chart, queue_is_empty(reader), ready),
                take);
}

// Some time passes before an event from outside, but not while something is in the queue, and no timer is skipped.
static void elapse(struct scxml_reader *reader)
{
    struct chart *chart = reader->chart;
    struct chart_variable *time = hidden(reader, "elapsed", &CHART_TYPE_INT, CHART_DATA);
    const struct chart_expression *zero = chart_literal(chart, &CHART_TYPE_INT, 0),
                                  *empty = queue_is_empty(reader);
    struct chart_action *havoc =
        chart_add_action(chart, CHART_HAVOC, (struct position){chart->path, 0, 0});
    havoc->variable = time;
    havoc->expression =
        chart_both(chart, chart_binary(chart, CHART_LESS_EQUAL, zero, chart_read(chart, time)),
                   none_before(reader, time));
    if (empty != NULL)
        havoc->expression = chart_both(
            chart, havoc->expression,
            chart_binary(chart, CHART_OR, empty,
                         chart_binary(chart, CHART_EQUAL, chart_read(chart, time), zero)));
    chart_append_actions(&chart->environment, havoc);
    for (size_t i = 0; i < reader->senders.count; i++)
        chart_append_actions(&chart->environment,
                             pass(reader, reader->senders.data[i].timer, time));
    chart_append_actions(&chart->environment, scxml_set(reader, time, zero));
}

void scxml_make_sendings(struct scxml_reader *reader, const struct chart_xml_element *root)
{
    struct chart *chart = reader->chart;
    reader->sent = arena_zalloc(&chart->arena, sizeof *reader->sent);
    *reader->sent = (struct chart_type){.kind = CHART_ENUM, .name = "sent event"};
    CHART_APPEND(&chart->arena, reader->sent_names, reader->sent->literal_count,
                 arena_strdup(&chart->arena, "none"));
    collect_sends(reader, root);
    reader->sent->literals = reader->sent_names;
    if (reader->sent->literal_count > 1) {
        reader->places = arena_alloc(&reader->arena, chart->queue_bound * sizeof *reader->places);
        for (uint32_t i = 0; i < chart->queue_bound; i++)
            reader->places[i] =
                hidden(reader, chart_text(chart, "sent %u", i), reader->sent, CHART_DATA);
        take_from_queue(reader);
    }
    for (size_t i = 0; i < reader->senders.count; i++)
        run_out(reader, &reader->senders.data[i]);
    if (reader->senders.count > 0)
        elapse(reader);
}
