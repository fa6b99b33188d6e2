#ifndef REGATTA_PORTFOLIO_DECISION_LOG_H
#define REGATTA_PORTFOLIO_DECISION_LOG_H

#include "base/message.h"
#include "base/text.h"
#include "portfolio/schedule.h"

// What a schedule was told and what it decided, one line each (docs/plans.md has the format), and
// the check that the same schedule decides the same again.

// Which schedule it was; strings belong to the caller (decision_log_header_finish frees what
// decision_log_replay read).
struct decision_log_header {
    char *plan;      // as given on the command line
    bool single;     // `plan` is a configuration
    char digest[33]; // plan_variant_digest
    unsigned cores;
    bool sequential;
    int64_t time_limit_ns; // INT64_MAX = none
    struct plan_facts facts;
};

void decision_log_begin(struct text *out, const struct decision_log_header *header);
// `begin_ns` is the time of BEGIN: lines count from it.
void decision_log_add(struct text *out, const struct plan_variant *variant, int64_t begin_ns,
                      int64_t now_ns, const struct schedule_event *event,
                      const struct schedule_action *actions, size_t count);

// Reads the header of a log. False with errors at their lines.
bool decision_log_read_header(const char *path, const char *log, struct decision_log_header *out,
                              struct messages *messages);
void decision_log_header_finish(struct decision_log_header *header);
// Feeds the log's events to a new schedule and compares what it decides with what the log says. False
// with errors at the line where they part. `events`, `actions`: how many there were.
bool decision_log_replay(const char *path, const char *log,
                         const struct decision_log_header *header,
                         const struct plan_variant *variant, size_t *events, size_t *actions,
                         struct messages *messages);

#endif
