#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/command.h"
#include "portfolio/decision_log.h"
#include "results/verdict.h"

static struct poptOption table[] = {POPT_TABLEEND};

// The variant is the one the race took: that of its digest.
static const struct plan_variant *find_variant(const struct plan *plan, const char *digest)
{
    assert(plan->variant_count > 0);
    for (size_t i = 0; i < plan->variant_count; i++) {
        char here[33];
        plan_variant_digest(&plan->variants[i], here);
        if (strcmp(here, digest) == 0)
            return &plan->variants[i];
    }
    return NULL;
}

static bool replay(const char *path, const char *log, const struct decision_log_header *header,
                   struct messages *messages)
{
    struct plan *plan =
        header->single ? plan_single(header->plan, messages) : plan_load(header->plan, messages);
    if (plan == NULL)
        return false;
    size_t events = 0, actions = 0;
    const struct plan_variant *variant = find_variant(plan, header->digest);
    bool good = variant != NULL &&
                decision_log_replay(path, log, header, variant, &events, &actions, messages);
    if (variant == NULL)
        message_add(messages, MESSAGE_ERROR, (struct position){path, 3, 0},
                    "%s %s is not what it was when the log was written",
                    header->single ? "configuration" : "plan", header->plan);
    if (good)
        say(stdout, "the same: %zu events, %zu decisions\n", events, actions);
    plan_destroy(plan);
    return good;
}

static int run(const char *const *arguments, size_t count)
{
    if (count != 1)
        return usage_error(&command_replay, "expected one log, got %zu", count);
    char *log = text_read_file(arguments[0], NULL);
    if (log == NULL) {
        say(stderr, "regatta replay: %s: cannot be read: %s\n", arguments[0],
            text_read_error(errno));
        return EXIT_USAGE;
    }
    struct messages messages;
    struct decision_log_header header;
    messages_init(&messages);
    bool good = decision_log_read_header(arguments[0], log, &header, &messages) &&
                replay(arguments[0], log, &header, &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    decision_log_header_finish(&header);
    memory_free(log);
    return good ? 0 : EXIT_USAGE;
}

const struct command command_replay = {
    .name = "replay",
    .arguments = "LOG",
    .summary = "check that a logged race would be decided the same way again",
    .description = "Feeds the events of a log (verify --log) to the schedule of the same plan and\n"
                   "compares every decision with the log, to the nanosecond. Nothing is run.\n",
    .options = table,
    .run = run,
};
