#ifndef REGATTA_MONITORS_MONITOR_H
#define REGATTA_MONITORS_MONITOR_H

#include "engines/engine.h"

// A monitor judges one attempt from the engine's events; it never acts. Its memory belongs to one
// attempt and dies with it; it runs on the attempt's thread. Its judgement is a function of the events
// alone.
//
// `why` of an advice to stop begins with the class: "exact loop" (proved), "probable loop",
// "divergence", "slow growth", "endless abstraction".

struct monitor {
    const char *name;
    const char *description;
    enum option option; // that switches it, and its value when calibrating
    int64_t typical;
    // NULL when the configuration does not ask for this monitor.
    void *(*create)(const struct configuration *configuration);
    void (*destroy)(void *state);
    struct advice (*judge)(void *state, const struct engine_event *event);
};

// All monitors, in the order of lists and in which they are asked: monitor_NAME is its `struct monitor`.
#define MONITORS(X)                                                                                \
    X(repetition)                                                                                  \
    X(unchanged)                                                                                   \
    X(unrolling)                                                                                   \
    X(growth)                                                                                      \
    X(branching)                                                                                   \
    X(endless)                                                                                     \
    X(forecast)                                                                                    \
    X(solver)                                                                                      \
    X(memory_trend)                                                                                \
    X(outgrown)

#define DECLARE_MONITOR(name) extern const struct monitor monitor_##name;
MONITORS(DECLARE_MONITOR)
#undef DECLARE_MONITOR

const struct monitor *const *monitor_all(void); // NULL-terminated

// All monitors that a configuration asks for, as one. The first advice other than "go on" counts.
struct watch;
struct watch *watch_create(const struct configuration *configuration);
void watch_destroy(struct watch *watch); // NULL is fine
struct advice watch_judge(void *watch,
                          const struct engine_event *event); // fits environment.observe

// Calibration: every monitor looks on, with its typical parameter where the configuration has none, and beside it with some
// others; none has a say. What each would have said first is kept. Only a mitigating configuration goes on past what it knows:
// otherwise it would be another run.
enum { SIGHTING_LIMIT = 32 };
struct sighting {
    char monitor[24]; // its name, or "NAME=VALUE" of one beside it (a repetition's patience)
    const char *why;  // static; NULL: it would not have ended the attempt
    uint64_t iteration;
    int64_t cpu_ns;
};
struct sightings {
    struct sighting items[SIGHTING_LIMIT];
    size_t count; // one for each that looks on
    // A mitigating configuration: the two keys (with and without the graph) answered every counterexample in the same way, so
    // that MITIGATE and MITIGATE_ARG are one run.
    bool mitigates, keys_agree;
};
// `out` is filled while the attempt runs and has to outlive the watch.
struct watch *watch_create_observing(const struct configuration *configuration,
                                     struct sightings *out);

#endif
