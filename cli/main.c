#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/vector.h"
#include "cli/command.h"
#include "cli/help.h"
#include "logic/smt/smt.h"
#include "results/store.h"
#include "results/verdict.h"
#include "runs/retry.h"
#include "runs/worker.h"

static int unknown_command(const char *name)
{
    VECTOR(const char *) names = {0};
    for (size_t i = 0; command_all()[i] != NULL; i++)
        VECTOR_PUSH(&names, command_all()[i]->name);
    const char *nearest = text_nearest(name, names.data, names.count);
    say(stderr, "regatta: no command '%s'", name);
    if (nearest != NULL)
        say(stderr, "; did you mean '%s'?", nearest);
    say(stderr, "\nTry: regatta --help\n");
    VECTOR_FINISH(&names);
    return EXIT_USAGE;
}

static int dispatch(int count, char **arguments)
{
    if (count < 2) {
        help_overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        help_overview(stdout);
        return 0;
    }
    if (strcmp(name, "--version") == 0) {
        say(stdout, "regatta %s\n", REGATTA_VERSION);
        return 0;
    }
    // Not a command for people: a bench starts the program again for a run.
    if (strcmp(name, "job") == 0)
        return command_dispatch(&command_job, count - 1, (const char **)(arguments + 1));
    const struct command *command = command_find(name);
    if (command == NULL)
        return unknown_command(name);
    return command_dispatch(command, count - 1, (const char **)(arguments + 1));
}

static void tell_waiting(const char *text)
{
    say(stderr, "regatta: %s\n", text);
}

// Where somebody has closed a standard stream, the next file that is opened would stand in its place and get what is
// meant for a terminal. What cannot be written then fails, and is told.
static void keep_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
}

int main(int count, char **arguments)
{
    keep_standard_streams();
    memory_take_large_pieces();
    // Not a command for people: a race starts the program again for an attempt.
    if (count == 2 && strcmp(arguments[1], "worker") == 0)
        worker_main();
    retry_remember(arguments);
    signals_start();
    store_on_wait(tell_waiting);
    int code = dispatch(count, arguments);
    if (!signals_output_good())
        code = EXIT_INTERNAL;
    smt_end_programs();
    signals_finish();
    return code;
}
