#include "languages/umlrt/load.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/umlrt/text.h"
#include "languages/umlrt/xmi.h"

static bool ends_in(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

struct capsules *capsules_load(const char *path, unsigned loop_bound, struct messages *messages)
{
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    if (text == NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0}, "cannot be read: %s",
                    strerror(errno));
        return NULL;
    }
    struct capsules *capsules = ends_in(path, ".uml")
                                    ? umlrt_read_xmi(path, text, bytes, loop_bound, messages)
                                    : cffsm_read(path, text, bytes, messages);
    memory_free(text);
    return capsules;
}
