#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/program.h"
#include "languages/solidity/tree.h"

// Starts the compiler: compiler/tree.js under Node. Its folder is where the program was installed, else the source tree.

#define MOST_SECONDS "120"
#define MOST_MEGABYTES "3000"

static const char *folder_of_script(void)
{
    return access(INSTALLED_SOLIDITY "/tree.js", R_OK) == 0 ? INSTALLED_SOLIDITY : SOURCE_SOLIDITY;
}

// $NAME/regatta/WHAT, else ~/STANDARD/regatta/WHAT.
static void add_user_folder(struct text *out, const char *name, const char *standard,
                            const char *what)
{
    const char *base = getenv(name), *home = getenv("HOME");
    if (base != NULL && base[0] == '/')
        text_printf(out, "%s/regatta/%s", base, what);
    else
        text_printf(out, "%s/%s/regatta/%s", home != NULL ? home : "/nonexistent", standard, what);
}

static bool run(const char *path, struct text *output, struct messages *messages)
{
    struct text script, compilers, cache, why;
    text_init(&script);
    text_init(&compilers);
    text_init(&cache);
    text_init(&why);
    text_printf(&script, "%s/tree.js", folder_of_script());
    const char *chosen = getenv("REGATTA_SOLC"), *kept = getenv("REGATTA_SOLIDITY_CACHE");
    if (chosen != NULL)
        text_add(&compilers, chosen);
    else
        add_user_folder(&compilers, "XDG_DATA_HOME", ".local/share", "solidity");
    if (kept != NULL)
        text_add(&cache, kept);
    else
        add_user_folder(&cache, "XDG_CACHE_HOME", ".cache", "solidity");
    const char *arguments[] = {"timeout",
                               MOST_SECONDS,
                               "node",
                               "--no-warnings",
                               "--max-old-space-size=" MOST_MEGABYTES,
                               text_string(&script),
                               path,
                               text_string(&compilers),
                               text_string(&cache),
                               NULL};
    int code = program_run(arguments, output, &why);
    struct position at = {path, 0, 0};
    if (code == 127)
        message_add(messages, MESSAGE_ERROR, at,
                    "Node is needed to read Solidity and is not there; `scripts/setup solidity` "
                    "installs it and the compilers");
    else if (code == 124)
        message_add(messages, MESSAGE_ERROR, at,
                    "the compiler had no answer after " MOST_SECONDS " s");
    else if (code != 0)
        message_add(messages, MESSAGE_ERROR, at, "the compiler gave up (exit code %d)%s%s", code,
                    why.length ? ": " : "", text_string(&why));
    text_finish(&script);
    text_finish(&compilers);
    text_finish(&cache);
    text_finish(&why);
    return code == 0;
}

struct sol_tree *sol_tree_read(const char *path, struct messages *messages)
{
    if (access(path, R_OK) != 0) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                    "the file cannot be read: %s", strerror(errno));
        return NULL;
    }
    struct text output;
    text_init(&output);
    struct sol_tree *tree = NULL;
    if (run(path, &output, messages))
        tree = sol_tree_parse(path, text_string(&output), messages);
    text_finish(&output);
    return tree;
}
