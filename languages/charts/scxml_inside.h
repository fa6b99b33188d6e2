#ifndef REGATTA_LANGUAGES_CHARTS_SCXML_INSIDE_H
#define REGATTA_LANGUAGES_CHARTS_SCXML_INSIDE_H

#include "base/vector.h"
#include "languages/charts/build.h"
#include "languages/charts/names.h"
#include "languages/charts/scxml.h"
#include "languages/charts/xml.h"

// Private to the reader of SCXML.

// A <send> with a delay.
struct scxml_sender {
    const struct chart_xml_element *element;
    struct chart_event *event;
    struct chart_variable *timer;
};

struct scxml_reader {
    struct chart *chart;
    struct messages *messages;
    size_t failures;    // messages of a failure when the reader began
    struct arena arena; // of the XML
    struct chart_names states, events, variables;
    bool ecmascript;
    VECTOR(struct chart_xml_element *) elements; // of each state
    VECTOR(char *) descriptors;                  // of events, without their stars
    VECTOR(const char *) done;                   // those of them that may be done events
    bool listens_to_all;
    bool has_event;              // what is being read runs only when there is an event
    struct chart_event **sorted; // events by name
    // Events that the chart sends to itself: at once, through a queue of `places`; later, each <send> by a timer.
    struct chart_type *sent;
    const char **sent_names;        // the type's literals
    struct chart_names sent_places; // of the type's literals, by name: position + 1
    struct chart_variable **places;
    VECTOR(struct scxml_sender) senders;
};

bool scxml_is(const struct chart_xml_element *element, const char *name);
void scxml_not_supported(struct scxml_reader *reader, const struct chart_xml_element *at);
struct position scxml_place(const struct scxml_reader *reader,
                            const struct chart_xml_element *element);
// variable := value
struct chart_action *scxml_set(struct scxml_reader *reader, struct chart_variable *variable,
                               const struct chart_expression *value);
const struct chart_action *scxml_raise(struct scxml_reader *reader,
                                       const struct chart_xml_element *element);

// What the chart sends to itself: its queue and its timers, to be made when all events are known and before actions are read.
void scxml_make_sendings(struct scxml_reader *reader, const struct chart_xml_element *root);
// <send> and <cancel>; NULL with a message, or when there is nothing to do.
const struct chart_action *scxml_send(struct scxml_reader *reader,
                                      const struct chart_xml_element *element);
const struct chart_action *scxml_cancel(struct scxml_reader *reader,
                                        const struct chart_xml_element *element);

#endif
