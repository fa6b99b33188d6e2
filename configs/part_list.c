#include "configs/part_list.h"

#include <ctype.h>
#include <string.h>

const char *part_list_read(const char *text)
{
    if (strlen(text) > 1000)
        return NULL;
    for (const char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c) || *c == '"')
            return NULL;
    return text;
}
