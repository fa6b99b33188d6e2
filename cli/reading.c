#include "cli/reading.h"

#include <assert.h>

#include "base/clock.h"
#include "base/signals.h"
#include "runs/settings.h"

bool reading_budget(const struct command *command, const char *memory, double seconds,
                    struct budget *out)
{
    assert(seconds >= 0);
    uint64_t bytes = run_settings_half_of_memory();
    struct text why;
    text_init(&why);
    bool good = run_settings_read_size("memory", memory, &bytes, &why);
    if (!good)
        usage_error(command, "%s", text_string(&why));
    text_finish(&why);
    if (!good)
        return false;
    *out = (struct budget){.stop = signals_flag(), .bytes = bytes};
    if (seconds > 0 && seconds < 9e9)
        out->deadline_ns = clock_wall_ns() + (int64_t)(seconds * 1e9);
    return true;
}

struct plan *reading_plan(const char *name)
{
    struct messages messages;
    messages_init(&messages);
    struct plan *plan = plan_load(name, &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    assert(plan == NULL || plan->variant_count > 0);
    return plan;
}
