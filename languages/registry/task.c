#include "languages/registry/task.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "languages/registry/included.h"
#include "languages/registry/registry.h"

bool task_is_definition(const char *path)
{
    return text_ends_with(path, ".yml") || text_ends_with(path, ".yaml");
}

static bool names_program(const char *path)
{
    return text_ends_with(path, ".c") || text_ends_with(path, ".i") ||
           text_ends_with(path, ".bc") || text_ends_with(path, ".ll");
}

static const struct language *language_of_file(const char *path)
{
    struct task_definition definition;
    struct messages messages;
    if (!task_is_definition(path))
        return language_for_path(path);
    messages_init(&messages);
    bool good = task_definition_read(path, &definition, &messages);
    const struct language *language = good ? language_for_path(definition.model_path) : NULL;
    if (good)
        task_definition_finish(&definition);
    messages_finish(&messages);
    return language;
}

const struct language *task_language(const char *path)
{
    const struct language *language = language_of_file(path);
    const char *sign = strrchr(path, '#');
    if (language != NULL || sign == NULL)
        return language;
    char *file = memory_strdup(path);
    file[sign - path] = '\0';
    language = language_of_file(file);
    memory_free(file);
    return language;
}

const char *task_standard_plan(const char *path)
{
    const struct language *language = task_language(path);
    return language != NULL && language->plan != NULL ? language->plan : "default";
}

bool task_is_program(const char *path)
{
    struct task_definition definition;
    struct messages messages;
    if (!task_is_definition(path))
        return names_program(path);
    messages_init(&messages);
    bool good = task_definition_read(path, &definition, &messages);
    bool program = good && names_program(definition.model_path);
    if (good)
        task_definition_finish(&definition);
    messages_finish(&messages);
    return program;
}

const char *expected_name(enum expected_verdict expected)
{
    static const char *const names[] = {"", "safe", "unsafe"};
    return names[expected];
}

// Over the model's text, for all that is asked of it.
static bool digest_model(struct task *task, struct messages *messages)
{
    size_t bytes;
    char *model = text_read_file(task->model_path, &bytes);
    if (model == NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){.path = task->model_path},
                    "cannot be read: %s", text_read_error(errno));
        return false;
    }
    const char *dot = strrchr(task->model_path, '.');
    struct hash128 h = hash128_seed(task->property_at == PROPERTY_AT_STABLE ? 2 : 1);
    h = hash128_add_text(h, dot != NULL ? dot : "");
    h = hash128_add_bytes(h, model, bytes);
    struct hash128 m = hash128_add_bytes(hash128_seed(0), model, bytes);
    if (text_ends_with(task->model_path, ".c")) {
        h = included_hash(h, task->model_path, model);
        m = included_hash(m, task->model_path, model);
    }
    task->model_hash = h;
    hash128_print(m, task->model_digest);
    memory_free(model);
    return true;
}

// A property that is no readable file is hashed as the text it is.
static void digest_property(struct task *task)
{
    assert(task->model_digest[0] != '\0'); // the model's text comes first
    struct hash128 h = task->model_hash;
    struct hash128 p = hash128_seed(task->property_at == PROPERTY_AT_STABLE ? 2 : 1);
    if (task->property != NULL) {
        size_t bytes;
        char *property = text_read_file(task->property, &bytes);
        h = property != NULL ? hash128_add_bytes(h, property, bytes)
                             : hash128_add_text(h, task->property);
        p = property != NULL ? hash128_add_bytes(p, property, bytes)
                             : hash128_add_text(p, task->property);
        memory_free(property);
    }
    hash128_print(h, task->digest);
    hash128_print(p, task->property_digest);
}

// C programs: which data model stands behind the property.
static char *with_data_model(const char *model_path, const char *property, bool wide)
{
    bool c = text_ends_with(model_path, ".c") || text_ends_with(model_path, ".i");
    struct text text;
    text_init(&text);
    text_printf(&text, "%s%s", property, c && wide && strchr(property, '#') == NULL ? "#lp64" : "");
    return text_steal(&text);
}

static bool open_definition(struct task *task, const char *path, const char *property,
                            struct messages *messages)
{
    struct task_definition definition;
    if (!task_definition_read(path, &definition, messages))
        return false;
    task->model_path = memory_strdup(definition.model_path);
    if (property != NULL)
        task->property =
            with_data_model(task->model_path, property,
                            definition.wide); // the expected verdict was for another property
    else if (definition.property_path != NULL)
        task->property =
            with_data_model(task->model_path, definition.property_path, definition.wide);
    task->expected = property == NULL ? definition.expected : EXPECTED_NONE;
    task_definition_finish(&definition);
    return true;
}

bool task_questions(struct task *task, struct language_questions *out, struct messages *messages)
{
    return language_ask(task->model_path, task->property, task->property_at, &task->source, out,
                        messages);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

// The property of the question that was named. False with a message.
static bool choose_question(struct task *task, struct messages *messages)
{
    struct language_questions list = {0};
    bool good = task_questions(task, &list, messages), found = false;
    for (size_t i = 0; good && !found && i < list.count; i++) {
        found = strcmp(list.data[i].name, task->question) == 0;
        if (found) {
            memory_free(task->property);
            task->property = memory_strdup(list.data[i].property);
            task->expected = EXPECTED_NONE;
        }
    }
    if (good && !found)
        message_add(messages, MESSAGE_ERROR, (struct position){.path = task->path},
                    "found no question `%.80s` among its %zu", task->question, list.count);
    language_questions_finish(&list);
    return found;
}

// A property file of linear-time logic: by its ending, or it begins with a temporal operator. Here is decided whether an
// error can be reached, and nothing else.
static bool is_linear_time(const char *property)
{
    size_t bytes;
    char *text = text_read_file(property, &bytes);
    if (text == NULL)
        return false;
    const char *c = text + strspn(text, " \t\r\n!(");
    bool temporal =
        strchr("FGX", *c) != NULL && *c != '\0' && strchr(" \t(!", c[1]) != NULL && c[1] != '\0';
    memory_free(text);
    return temporal || text_ends_with(property, ".ltl");
}

static bool is_supported(const struct task *task, struct messages *messages)
{
    if (task->property == NULL || !is_linear_time(task->property))
        return true;
    message_add(messages, MESSAGE_UNSUPPORTED, (struct position){task->property, 1, 1},
                "LTL properties (an XSTS invariant is written `prop { … }`)");
    return false;
}

static bool open_file(struct task *task, const char *path, const char *property,
                      struct messages *messages)
{
    if (task_is_definition(path)) {
        if (!open_definition(task, path, property, messages))
            return false;
    } else {
        task->model_path = memory_strdup(path);
        task->property = property != NULL ? memory_strdup(property) : NULL;
    }
    bool good = is_supported(task, messages) &&
                (task->question == NULL || choose_question(task, messages)) &&
                digest_model(task, messages);
    if (good)
        digest_property(task);
    return good;
}

bool task_open(struct task *task, const char *path, const char *property,
               enum property_at property_at, struct messages *messages)
{
    *task = (struct task){.path = memory_strdup(path), .property_at = property_at};
    hash128_print(hash128_add_text(hash128_seed(3), path), task->digest);
    char *file = memory_strdup(path);
    char *sign = strchr(file, '#');
    while (sign != NULL && !is_there(path)) {
        *sign = '\0';
        if (is_there(file)) {
            task->question = memory_strdup(sign + 1);
            break;
        }
        *sign = '#';
        sign = strchr(sign + 1, '#');
    }
    task->opened = open_file(task, file, property, messages);
    memory_free(file);
    assert(!task->opened || (task->model_path != NULL && task->digest[0] != '\0'));
    return task->opened;
}

bool task_load(struct task *task, struct messages *messages)
{
    if (language_for_path(task->model_path) == NULL) {
        struct text known;
        text_init(&known);
        for (size_t i = 0; language_all()[i] != NULL; i++)
            text_printf(&known, "%s%s", i == 0 ? "" : ", ", language_all()[i]->extension);
        message_add(messages, MESSAGE_ERROR, (struct position){.path = task->model_path},
                    "the ending tells no language that is read here, expected one of %s",
                    text_string(&known));
        text_finish(&known);
        return false;
    }
    int64_t begin = clock_wall_ns();
    task->model =
        language_load(task->model_path, task->property, task->property_at, &task->source, messages);
    task->load_seconds += clock_seconds(clock_wall_ns() - begin);
    return task->model != NULL;
}

struct reading {
    struct task *task;
    const char *path, *property;
    enum property_at property_at;
    struct messages *messages;
    struct language_questions *questions;
    bool good;
};

static void open_task(void *context)
{
    struct reading *r = context;
    r->good = task_open(r->task, r->path, r->property, r->property_at, r->messages);
}

static void load_task(void *context)
{
    struct reading *r = context;
    r->good = task_load(r->task, r->messages);
}

static void ask_task(void *context)
{
    struct reading *r = context;
    int64_t begin = clock_wall_ns();
    r->good = r->task->question == NULL && task_questions(r->task, r->questions, r->messages) &&
              r->questions->count > 1;
    if (r->task->source != NULL)
        r->task->load_seconds = clock_seconds(clock_wall_ns() - begin);
}

static void note_unread(struct reading *reading, enum budget_end end)
{
    static const char *const why[] = {
        [BUDGET_STOPPED] = "reading it was interrupted",
        [BUDGET_TIME] = "reading it took all the time that there is (--time)",
        [BUDGET_MEMORY] = "reading it took all the memory that there is (--memory)",
    };
    assert(end != BUDGET_DONE);
    reading->good = false;
    reading->task->model = NULL;
    message_add(reading->messages, MESSAGE_NOTE, (struct position){.path = reading->path}, "%s",
                why[end]);
}

// Opens the task, and then does `rest` where that went well.
static enum budget_end read_under(struct reading *reading, const struct budget *budget,
                                  void (*rest)(void *context))
{
    struct task *task = reading->task;
    *task = (struct task){0};
    // The size of files has a limit of its own, and the record of a task that is too large has its digest.
    struct budget opening = *budget;
    opening.bytes = 0;
    enum budget_end end = budget_run(&opening, open_task, reading);
    if (end == BUDGET_DONE && reading->good)
        end = budget_run(budget, rest, reading);
    if (end == BUDGET_DONE)
        return end;
    if (task->path == NULL)
        task->path = memory_strdup(reading->path);
    note_unread(reading, end);
    return end;
}

enum budget_end task_read(struct task *task, const char *path, const char *property,
                          enum property_at property_at, const struct budget *budget,
                          struct messages *messages, bool *good)
{
    struct reading reading = {task, path, property, property_at, messages, NULL, false};
    enum budget_end end = read_under(&reading, budget, load_task);
    *good = reading.good;
    return end;
}

enum budget_end task_load_within(struct task *task, const struct budget *budget,
                                 struct messages *messages, bool *good)
{
    const char *path = task->path != NULL ? task->path : task->model_path;
    struct reading reading = {task, path, NULL, task->property_at, messages, NULL, false};
    enum budget_end end = budget_run(budget, load_task, &reading);
    *good = end == BUDGET_DONE && reading.good;
    if (end != BUDGET_DONE)
        note_unread(&reading, end);
    return end;
}

enum budget_end task_read_questions(struct task *task, const char *path, const char *property,
                                    enum property_at property_at, const struct budget *budget,
                                    struct messages *messages, struct language_questions *questions,
                                    bool *several)
{
    struct reading reading = {task, path, property, property_at, messages, questions, false};
    enum budget_end end = read_under(&reading, budget, ask_task);
    *several = reading.good;
    return end;
}

static char *copy(const char *string)
{
    return string != NULL ? memory_strdup(string) : NULL;
}

// The task as it was opened, but for what is asked.
static void ask_another(struct task *task, const struct language_question *question,
                        const char *property)
{
    struct text path;
    memory_free(task->property);
    task->property = memory_strdup(question != NULL ? question->property : property);
    task->expected = EXPECTED_NONE;
    if (question != NULL) {
        text_init(&path);
        text_printf(&path, "%s#%s", task->path, question->name);
        memory_free(task->path);
        task->path = text_steal(&path);
        memory_free(task->question);
        task->question = memory_strdup(question->name);
    }
    digest_property(task);
}

enum budget_end task_read_of(struct task *task, const struct task *whole,
                             const struct language_question *question, const char *property,
                             const struct budget *budget, struct messages *messages, bool *good)
{
    if (!whole->opened)
        return task_read(task, whole->path, whole->property, whole->property_at, budget, messages,
                         good);
    // What is shared is the text and what was parsed of it, never a model: that is of one question.
    assert(whole->model == NULL || question == NULL);
    *task = *whole;
    task->path = memory_strdup(whole->path);
    task->model_path = memory_strdup(whole->model_path);
    task->property = copy(whole->property);
    task->question = copy(whole->question);
    task->source = whole->source != NULL ? language_source_share(whole->source) : NULL;
    task->model = NULL;
    if (question != NULL || property != NULL)
        ask_another(task, question, property);
    return task_load_within(task, budget, messages, good);
}

void task_question_digest(const struct task *task, char out[33])
{
    hash128_print(model_digest(task->model), out);
}

void task_finish(struct task *task)
{
    model_destroy(task->model);
    language_source_release(task->source);
    memory_free(task->path);
    memory_free(task->model_path);
    memory_free(task->property);
    memory_free(task->question);
    *task = (struct task){0};
}
