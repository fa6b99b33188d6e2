#ifndef REGATTA_MONITORS_MONITOR_H
#define REGATTA_MONITORS_MONITOR_H

#include "engines/engine.h"

// A monitor judges one attempt from the engine's events; it never acts. Its memory belongs to one
// attempt and dies with it; it runs on the attempt's thread.

struct monitor {
    const char *name;
    const char *description;
    // NULL when the configuration does not ask for this monitor.
    void *(*create)(const struct configuration *configuration);
    void (*destroy)(void *state);
    struct advice (*judge)(void *state, const struct engine_event *event);
};

extern const struct monitor monitor_repetition;

const struct monitor *const *monitor_all(void); // NULL-terminated

// All monitors that a configuration asks for, as one. The first advice other than "go on" counts.
struct watch;
struct watch *watch_create(const struct configuration *configuration);
void watch_destroy(struct watch *watch); // NULL is fine
struct advice watch_judge(void *watch, const struct engine_event *event); // fits environment.observe

#endif
