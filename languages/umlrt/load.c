#include "languages/umlrt/load.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/umlrt/text.h"
#include "languages/umlrt/xmi.h"

struct capsules *capsules_load(const char *path, unsigned loop_bound, struct messages *messages)
{
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    if (text == NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0}, "cannot be read: %s",
                    strerror(errno));
        return NULL;
    }
    struct capsules *capsules = text_ends_with(path, ".uml")
                                    ? umlrt_read_xmi(path, text, bytes, loop_bound, messages)
                                    : cffsm_read(path, text, bytes, messages);
    memory_free(text);
    return capsules;
}
