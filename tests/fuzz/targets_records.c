#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "certify/certificate.h"
#include "configs/configuration.h"
#include "configs/plan.h"
#include "configs/space.h"
#include "languages/language.h"
#include "languages/registry/task_definition.h"
#include "logic/terms/sexpr.h"
#include "model/precision_text.h"
#include "portfolio/decision_log.h"
#include "portfolio/process.h"
#include "results/importing.h"
#include "results/store.h"
#include "tests/fuzz/targets_inside.h"

// What is no model: tasks, plans, certificates, tables, stores, messages.

// A file that lives as long as the descriptor; its path in `path`.
static int make_file(const char *data, size_t bytes, char path[40])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    snprintf(path, 40, "/proc/self/fd/%d", fd);
    return fd;
}

// From a file, as users do. `read` says whether there was something.
static bool read_file(const char *data, size_t bytes,
                      bool (*read)(const char *path, struct messages *messages))
{
    char path[40];
    struct messages messages;
    messages_init(&messages);
    int fd = make_file(data, bytes, path);
    bool good = read(path, &messages);
    close(fd);
    return fuzz_judge(&messages, good);
}

static bool read_task(const char *path, struct messages *messages)
{
    struct task_definition definition;
    bool good = task_definition_read(path, &definition, messages);
    if (good)
        task_definition_finish(&definition);
    return good;
}

bool fuzz_read_task(const char *data, size_t bytes)
{
    return read_file(data, bytes, read_task);
}

static bool read_plan(const char *path, struct messages *messages)
{
    struct plan *plan = plan_load(path, messages);
    plan_destroy(plan);
    return plan != NULL;
}

bool fuzz_read_plan(const char *data, size_t bytes)
{
    return read_file(data, bytes, read_plan);
}

static bool read_space(const char *path, struct messages *messages)
{
    struct space *space = space_load(path, messages);
    space_destroy(space);
    return space != NULL;
}

bool fuzz_read_space(const char *data, size_t bytes)
{
    return read_file(data, bytes, read_space);
}

bool fuzz_read_options(const char *data, size_t bytes)
{
    struct messages messages;
    struct configuration configuration;
    struct text text;
    messages_init(&messages);
    text_init(&text);
    text_add_bytes(&text, data, bytes);
    configuration_init(&configuration, "fuzz");
    bool good = configuration_parse(&configuration, text_string(&text), &messages) &&
                configuration_check(&configuration, &messages);
    text_clear(&text);
    configuration_print(&text, &configuration, true);
    configuration_finish(&configuration);
    text_finish(&text);
    return fuzz_judge(&messages, good);
}

// What speaks of a model speaks of this one.
static struct model *plain_model(void)
{
    static const char TEXT[] =
        "type Color : { RED, GREEN }\nvar x : integer = 0\nvar y : boolean = false\nvar c : Color "
        "= "
        "RED\nvar a : [integer] -> integer\ntrans { x := x + 1; } or { y := true; }\ninit {}\nenv "
        "{ havoc x; }\nprop { x <= 5 }\n";
    extern const struct language language_xsts;
    struct messages messages;
    messages_init(&messages);
    struct language_request request = {
        .model_path = "fuzz.xsts", .model_text = TEXT, .model_bytes = strlen(TEXT)};
    struct model *model = language_xsts.read(&request, &messages);
    if (model == NULL) {
        messages_print(&messages, stderr);
        abort();
    }
    messages_finish(&messages);
    return model;
}

// One that serves many inputs, as reading it costs more than most of them. NULL while it is in use: who is ended then loses it.
static struct model *spare_model;

static struct model *take_model(void)
{
    static unsigned uses;
    struct model *model = spare_model;
    spare_model = NULL;
    if (uses++ % FUZZ_USES == 0) {
        model_destroy(model);
        model = NULL;
    }
    return model != NULL ? model : plain_model();
}

bool fuzz_read_certificate(const char *data, size_t bytes)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = take_model();
    char *text = fuzz_copy(data, bytes);
    struct certificate *certificate = certificate_read("fuzz.smt2", text, bytes, &messages);
    // A trace is replayed; an invariant would ask a solver.
    if (certificate != NULL && !certificate_header(certificate)->safe) {
        struct text why;
        _Atomic int stop = 0;
        struct certify_owner owner = {0};
        text_init(&why);
        certificate_check(certificate, model, NULL, &stop, &owner, &why);
        text_finish(&why);
    }
    bool good = certificate != NULL;
    certificate_destroy(certificate);
    memory_free(text);
    spare_model = model;
    return fuzz_judge(&messages, good);
}

static void take_item(void *context, const struct precision_item *item)
{
    (void)item;
    ++*(size_t *)context;
}

bool fuzz_read_precision(const char *data, size_t bytes)
{
    struct model *model = take_model();
    struct term_store *store = term_store_create(model->store);
    struct text text;
    text_init(&text);
    text_add_bytes(&text, data, bytes);
    size_t items = 0;
    precision_text_read(text_string(&text), model, store, take_item, &items);
    text_finish(&text);
    term_store_destroy(store);
    spare_model = model;
    return items > 0;
}

typedef bool importer(struct store *store, const char *path, const struct import_options *options,
                      struct import_counts *counts, struct text *why);

// Takes several tables, as making one costs more than reading one. NULL while it is in use: who is ended then loses it.
static struct store *spare;
static unsigned tables_left;

static struct store *take_store(void)
{
    enum { TABLES = 32 };
    struct store *store = spare;
    spare = NULL;
    if (store != NULL && tables_left-- > 0)
        return store;
    store_close(store);
    tables_left = TABLES;
    struct text why;
    text_init(&why);
    store = store_open(":memory:", true, &why);
    if (store == NULL)
        fuzz_fail(text_string(&why));
    text_finish(&why);
    return store;
}

static bool import(const char *data, size_t bytes, importer *read)
{
    char path[40];
    struct text why;
    struct import_counts counts = {0};
    text_init(&why);
    struct store *store = take_store();
    const struct import_options options = {.columns = NULL};
    int fd = make_file(data, bytes, path);
    bool good = read(store, path, &options, &counts, &why);
    if (!good && why.length == 0)
        fuzz_fail("neither a table nor a reason");
    close(fd);
    spare = store;
    text_finish(&why);
    return good;
}

bool fuzz_read_csv(const char *data, size_t bytes)
{
    return import(data, bytes, import_table);
}

bool fuzz_read_benchexec(const char *data, size_t bytes)
{
    return import(data, bytes, import_benchexec);
}

static bool look_at_run(void *context, const struct run_record *run)
{
    (void)context;
    (void)run;
    return true;
}

static bool look_at_feature(void *context, const char *digest, const char *name, double value)
{
    (void)value;
    return context != digest || strlen(name) > 0;
}

// SQLite wants a file with neighbours.
static void write_store(char path[40], const char *data, size_t bytes)
{
    strcpy(path, "/tmp/regatta-fuzz-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || close(fd) != 0)
        abort();
}

static void remove_store(char path[40])
{
    unlink(path);
    strcat(path, "-wal");
    unlink(path);
    strcpy(strrchr(path, '-'), "-shm");
    unlink(path);
}

// A store with one run in it.
static void make_store(char **image, size_t *bytes)
{
    char path[40];
    char nothing[] = "", word[] = "m.xsts", ok[] = RUN_STATUS_OK;
    struct text why;
    struct run_record run = {.task = word,
                             .task_digest = word,
                             .property = nothing,
                             .plan = word,
                             .plan_digest = word,
                             .expected = nothing,
                             .status = ok,
                             .host = nothing,
                             .version = nothing,
                             .machine_system = nothing,
                             .machine_cpu = nothing,
                             .family = nothing,
                             .tool = word,
                             .cpus = nothing};
    text_init(&why);
    write_store(path, "", 0);
    struct store *store = store_open(path, true, &why);
    if (store == NULL || !store_add(store, &run, &why))
        fuzz_fail(text_string(&why));
    store_close(store);
    *image = text_read_file(path, bytes);
    remove_store(path);
    text_finish(&why);
}

// A file, or changes to one that is a store: three bytes say where, one what.
bool fuzz_read_store(const char *data, size_t bytes)
{
    static char *image;
    static size_t image_bytes;
    char path[40];
    struct text why, file;
    text_init(&why);
    text_init(&file);
    if (image == NULL)
        make_store(&image, &image_bytes);
    if (bytes > 6 && memcmp(data, "SQLite", 6) == 0) {
        text_add_bytes(&file, data, bytes);
    } else {
        text_add_bytes(&file, image, image_bytes);
        for (size_t i = 0; i + 4 <= bytes; i += 4) {
            const unsigned char *at = (const unsigned char *)data + i;
            file.data[(size_t)(at[0] << 16 | at[1] << 8 | at[2]) % image_bytes] = (char)at[3];
        }
    }
    write_store(path, file.data, file.length);
    struct store *store = store_open(path, false, &why);
    bool good = store != NULL && store_each(store, look_at_run, NULL, &why) &&
                store_each_feature(store, look_at_feature, NULL, &why);
    if (!good && why.length == 0)
        fuzz_fail("neither a store nor a reason");
    store_close(store);
    remove_store(path);
    text_finish(&file);
    text_finish(&why);
    return good;
}

bool fuzz_read_wire(const char *data, size_t bytes)
{
    if (bytes == 0)
        return false;
    struct wire_reader in = {data + 1, data + bytes, false};
    if (data[0] % 2 == 0) {
        struct worker_job job;
        bool good = worker_job_get(&in, &job);
        worker_job_finish(&job);
        return good;
    }
    struct model *model = take_model();
    struct trace *trace = wire_get_trace(&in, model);
    bool good = trace != NULL;
    if (good)
        trace_destroy(trace);
    spare_model = model;
    return good;
}

bool fuzz_read_decisions(const char *data, size_t bytes)
{
    struct messages messages;
    struct decision_log_header header;
    struct text text;
    messages_init(&messages);
    text_init(&text);
    text_add_bytes(&text, data, bytes);
    bool good = decision_log_read_header("fuzz.log", text_string(&text), &header, &messages);
    if (good)
        decision_log_header_finish(&header);
    text_finish(&text);
    return fuzz_judge(&messages, good);
}

// What solver programs answer.
bool fuzz_read_answers(const char *data, size_t bytes)
{
    struct arena arena;
    struct text why;
    const struct sexpr *e;
    struct sexpr_reader reader = {.at = data, .end = data + bytes, .line = 1};
    arena_init(&arena);
    text_init(&why);
    size_t count = 0;
    while (sexpr_read(&reader, &arena, &e, &why) == SEXPR_READ)
        count++;
    text_finish(&why);
    arena_finish(&arena);
    return count > 0;
}
