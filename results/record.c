#include "results/record.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void record_init(struct record *record)
{
    *record = (struct record){
        .configuration = memory_strdup(""),
        .configuration_text = memory_strdup(""),
        .fingerprint = memory_strdup(""),
        .cpus_asked = memory_strdup(""),
        .cpus_got = memory_strdup(""),
        .verdict = VERDICT_UNKNOWN,
        .reason = END_NONE,
        .why = memory_strdup(""),
        .checker = memory_strdup(""),
    };
}

void record_finish(struct record *record)
{
    memory_free(record->configuration);
    memory_free(record->configuration_text);
    memory_free(record->fingerprint);
    memory_free(record->cpus_asked);
    memory_free(record->cpus_got);
    memory_free(record->why);
    memory_free(record->checker);
    *record = (struct record){0};
}

void run_record_init(struct run_record *run)
{
    *run = (struct run_record){
        .task = memory_strdup(""),
        .task_digest = memory_strdup(""),
        .property = memory_strdup(""),
        .plan = memory_strdup(""),
        .plan_digest = memory_strdup(""),
        .expected = memory_strdup(""),
        .verdict = VERDICT_UNKNOWN,
        .status = memory_strdup(RUN_STATUS_OK),
        .trace_length = -1,
        .host = memory_strdup(""),
        .version = memory_strdup(""),
        .machine_system = memory_strdup(""),
        .machine_cpu = memory_strdup(""),
        .family = memory_strdup(""),
        .tool = memory_strdup(RUN_TOOL),
        .cpus = memory_strdup(""),
        .disturbance = DISTURBANCE_UNKNOWN,
    };
}

void run_record_finish(struct run_record *run)
{
    memory_free(run->task);
    memory_free(run->task_digest);
    memory_free(run->property);
    memory_free(run->plan);
    memory_free(run->plan_digest);
    memory_free(run->expected);
    memory_free(run->status);
    memory_free(run->host);
    memory_free(run->version);
    memory_free(run->machine_system);
    memory_free(run->machine_cpu);
    memory_free(run->family);
    memory_free(run->tool);
    memory_free(run->cpus);
    for (size_t i = 0; i < run->feature_count; i++)
        memory_free(run->features[i].name);
    memory_free(run->features);
    for (size_t i = 0; i < run->attempt_count; i++)
        record_finish(&run->attempts[i]);
    memory_free(run->attempts);
    *run = (struct run_record){0};
}

void run_record_add_feature(struct run_record *run, const char *name, double value)
{
    run->features = memory_realloc(run->features, (run->feature_count + 1) * sizeof *run->features);
    run->features[run->feature_count++] = (struct feature){memory_strdup(name), value};
}

char *task_family(const char *path)
{
    const char *end = strrchr(path, '/');
    if (end == NULL)
        return memory_strdup("");
    const char *begin = end;
    while (begin > path && begin[-1] != '/')
        begin--;
    char *family = memory_strdup(begin);
    family[end - begin] = '\0';
    return family;
}

char *task_name(const char *path)
{
    // Behind `#` is the name of a question, which may have any sign in it.
    size_t length = strcspn(path, "#");
    char *file_path = memory_strdup(path);
    file_path[length] = '\0';
    char *slash = strrchr(file_path, '/');
    char *begin = slash != NULL ? slash : file_path;
    while (begin > file_path && begin[-1] != '/')
        begin--;
    char *dot = strrchr(slash != NULL ? slash + 1 : file_path, '.');
    if (dot != NULL)
        *dot = '\0';
    assert(begin >= file_path && begin <= file_path + length);
    struct text name;
    text_init(&name);
    text_printf(&name, "%s%s", begin, path + length);
    memory_free(file_path);
    return text_steal(&name);
}

// Without a folder that is only written as the one where somebody stood.
static const char *without_dots(const char *name)
{
    for (;;)
        if (strncmp(name, "./", 2) == 0)
            name += 2;
        else if (strncmp(name, "../", 3) == 0)
            name += 3;
        else
            return name;
}

static bool ends_with_name(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return text_ends_with(name, end) &&
           (length == tail || tail == 0 || name[length - tail - 1] == '/');
}

bool task_is_same(const char *path, const char *other)
{
    char *name = task_name(path), *other_name = task_name(other);
    const char *a = without_dots(name), *b = without_dots(other_name);
    bool same = ends_with_name(a, b) || ends_with_name(b, a);
    memory_free(name);
    memory_free(other_name);
    return same;
}

bool run_record_is_unexpected(const struct run_record *run)
{
    return run->expected[0] != '\0' && run->verdict != VERDICT_UNKNOWN &&
           strcmp(run->expected, verdict_name(run->verdict)) != 0;
}

bool run_record_is_wrong(const struct run_record *run)
{
    return run->contradiction || run_record_is_unexpected(run);
}
