#include "cli/run_table.h"

#include <stdio.h>
#include "base/say.h"

bool run_table_read(const struct command *command, const struct run_options *options, bool quiet,
                    struct run_settings *out)
{
    struct text why, note;
    text_init(&why);
    text_init(&note);
    bool good = run_settings_read(options, out, &why, &note);
    if (!good)
        usage_error(command, "%s", text_string(&why));
    else if (note.length > 0 && !quiet)
        say(stderr, "regatta: note: %s\n", text_string(&note));
    text_finish(&why);
    text_finish(&note);
    return good;
}
