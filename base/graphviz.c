#include "base/graphviz.h"

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

extern char **environ;

// How often a drawing that takes its time is looked at.
#define INTERVAL_NS (20 * 1000 * 1000)

bool graphviz_draw(const char *dot_path, const char *svg_path, double seconds, const char **why)
{
    const char *words[] = {"dot", "-Tsvg", "-o", svg_path, dot_path, NULL};
    pid_t child;
    *why = "the program dot (Graphviz) is not installed";
    if (posix_spawnp(&child, words[0], NULL, NULL, (char *const *)(void *)words, environ) != 0)
        return false;
    int64_t begin = clock_wall_ns();
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
        if (clock_seconds(clock_wall_ns() - begin) > seconds) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            *why = "the program dot (Graphviz) takes too long";
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = INTERVAL_NS}, NULL);
    }
    if (ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (!(ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 127))
        *why = "the program dot (Graphviz) failed";
    return false;
}
