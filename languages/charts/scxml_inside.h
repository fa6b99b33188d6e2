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
    struct chart_names arrays;   // data that are arrays
    struct chart_names implicit; // variables that loops make, as no data has their name
    uint32_t rounds;             // of loops so far
    bool loading;                // the script of the document is read: it may make variables
};

struct scxml_array;

bool scxml_is(const struct chart_xml_element *element, const char *name);
// The next word of a list, NULL at its end. *list moves behind it.
char *scxml_next_word(struct arena *arena, const char **list);
// The attribute, or the text that the expression in the attribute NAMEexpr is. NULL: none, or another expression.
const char *scxml_written(struct scxml_reader *reader, const struct chart_xml_element *element,
                          const char *name);
void scxml_not_supported(struct scxml_reader *reader, const struct chart_xml_element *at);
struct position scxml_place(const struct scxml_reader *reader,
                            const struct chart_xml_element *element);
// variable := value
struct chart_action *scxml_set(struct scxml_reader *reader, struct chart_variable *variable,
                               const struct chart_expression *value);
const struct chart_action *scxml_raise(struct scxml_reader *reader,
                                       const struct chart_xml_element *element);
// The executable content from `first` up to `end`.
const struct chart_action *scxml_actions(struct scxml_reader *reader,
                                         const struct chart_xml_element *first,
                                         const struct chart_xml_element *end);
// A variable without a first value.
struct chart_variable *scxml_declare_unset(struct scxml_reader *reader,
                                           const struct chart_xml_element *element, const char *id,
                                           const struct chart_type *type);

// [1, 2, 3]; NULL: it is none.
struct scxml_array *scxml_read_array(struct scxml_reader *reader, const char *text);
// Variables of all loops that are not data, when all data are known.
void scxml_declare_items(struct scxml_reader *reader, const struct chart_xml_element *element);
// <foreach>; NULL with a message, or when there is nothing to do.
const struct chart_action *scxml_foreach(struct scxml_reader *reader,
                                         const struct chart_xml_element *element);

// <log> does nothing, unless its expression is an error.
void scxml_log(struct scxml_reader *reader, const struct chart_xml_element *element);
// Are the data of a <send> or <donedata> there, so that none of them is an error? A message if not.
bool scxml_check_data(struct scxml_reader *reader, const struct chart_xml_element *element);

// What the chart sends to itself: its queue and its timers, to be made when all events are known and before actions are read.
void scxml_make_sendings(struct scxml_reader *reader, const struct chart_xml_element *root);
// <send> and <cancel>; NULL with a message, or when there is nothing to do.
const struct chart_action *scxml_send(struct scxml_reader *reader,
                                      const struct chart_xml_element *element);
const struct chart_action *scxml_cancel(struct scxml_reader *reader,
                                        const struct chart_xml_element *element);

#endif
