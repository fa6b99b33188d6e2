#include "runs/worker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/confine.h"
#include "base/text.h"
#include "languages/registry/registry.h"
#include "portfolio/worker.h"
#include "results/verdict.h"

// See describe_task in runner.c: where the property is checked, path, NUL, property.
static struct model *load(const char *task, size_t bytes, struct text *why)
{
    if (bytes < 2 || memchr(task, '\0', bytes) == NULL)
        return NULL;
    assert(task[0] == 's' || task[0] == 'a'); // as the parent, the same program, wrote it
    const char *path = task + 1;
    const char *property = path + strlen(path) + 1;
    struct messages messages;
    messages_init(&messages);
    struct model *model =
        language_load(path, *property != '\0' ? property : NULL,
                      task[0] == 's' ? PROPERTY_AT_STABLE : PROPERTY_AT_ALL, NULL, &messages);
    if (model == NULL && messages.count > 0)
        text_printf(why, "its process could not read the model: %s", messages.items[0].text);
    messages_finish(&messages);
    // Not before: readers have programs of their own, with files that they write, and what the parent keeps for them is
    // out of reach then. The parent has read the same files.
    confine_process();
    return model;
}

void worker_main(void)
{
    int type;
    socklen_t size = sizeof type;
    if (getsockopt(WORKER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
        fputs("regatta worker: for regatta itself, which starts it with a socket\n", stderr);
        exit(EXIT_USAGE);
    }
    text_set_file_limit(UINT64_MAX); // its parent has read the same files under the user's limit
    static const struct worker_program program = {.load = load};
    worker_run(&program);
}
