#include "tests/fuzz/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/say.h"
#include "certify/certificate.h"
#include "configs/configuration.h"
#include "configs/plan.h"
#include "configs/space.h"
#include "languages/petri/formula.h"
#include "languages/petri/net_text.h"
#include "languages/programs/flat.h"
#include "languages/programs/program.h"
#include "languages/registry/registry.h"
#include "languages/registry/task_definition.h"
#include "languages/solidity/question.h"
#include "languages/solidity/tree.h"
#include "logic/terms/sexpr.h"
#include "model/precision_text.h"
#include "model/prepare.h"
#include "portfolio/decision_log.h"
#include "portfolio/process.h"
#include "results/importing.h"
#include "results/store.h"

#define SECONDS 2
#define BYTES ((uint64_t)256 << 20)

// What stands before and behind the first line "%%": a model and its property, say. The second is NULL when there is none.
// Both are ended by NUL; the caller frees *first alone.
static void split(const char *data, size_t bytes, char **first, size_t *first_bytes, char **second)
{
    char *copy = memory_alloc(bytes + 1);
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    char *sign = memmem(copy, bytes, "\n%%\n", 4);
    *first = copy;
    *first_bytes = bytes;
    *second = NULL;
    if (sign == NULL)
        return;
    *sign = '\0';
    *first_bytes = (size_t)(sign - copy);
    *second = sign + 4;
}

// A file that lives as long as the descriptor; its path in `path`.
static int make_file(const char *data, size_t bytes, char path[40])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    snprintf(path, 40, "/proc/self/fd/%d", fd);
    return fd;
}

// Whatever is said of an input is printed as it would be for a user.
static void finish_messages(struct messages *messages)
{
    static FILE *nowhere;
    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "we");
    messages_print(messages, nowhere);
    messages_finish(messages);
}

// Languages: as `verify` does it, up to the prepared model.

static void read_language(const struct language *language, const char *data, size_t bytes)
{
    char *model_text, *property;
    size_t model_bytes;
    struct messages messages;
    messages_init(&messages);
    split(data, bytes, &model_text, &model_bytes, &property);
    struct language_request request = {.model_path = "fuzz",
                                       .model_text = model_text,
                                       .model_bytes = model_bytes,
                                       .property_path = property != NULL ? "fuzz.prop" : NULL,
                                       .property_text = property,
                                       .property_bytes = property != NULL ? strlen(property) : 0};
    struct language_questions questions = {0};
    if (language->questions != NULL)
        language->questions(&request, &questions, &messages);
    if (questions.count > 0 && property == NULL) {
        request.property_text = questions.data[0].property;
        request.property_bytes = strlen(questions.data[0].property);
        request.property_inline = true;
    }
    struct model *model = language->read(&request, &messages);
    if (model == NULL && messages.errors + messages.unsupported == 0)
        abort(); // somebody has to say why
    if (model != NULL)
        model_destroy(model);
    language_questions_finish(&questions);
    memory_free(model_text);
    finish_messages(&messages);
}

#define LANGUAGE(name)                                                                             \
    static void read_##name(const char *data, size_t bytes)                                        \
    {                                                                                              \
        extern const struct language language_##name;                                              \
        read_language(&language_##name, data, bytes);                                              \
    }
LANGUAGE(xsts)
LANGUAGE(cfa)
LANGUAGE(sts)
LANGUAGE(aiger)
LANGUAGE(aiger_binary)
LANGUAGE(btor2)
LANGUAGE(chc)
LANGUAGE(pnml)
LANGUAGE(net)
LANGUAGE(scxml)
LANGUAGE(gamma)
LANGUAGE(cffsm)
LANGUAGE(umlrt)

static void read_formulas(const char *data, size_t bytes)
{
    static const char NET[] = "net n\npl p (3)\npl q\ntr t p*2 -> q\ntr u q -> p\n";
    struct messages messages;
    struct question_list questions = {0};
    struct arena arena;
    messages_init(&messages);
    arena_init(&arena);
    struct net *net = net_text_read("fuzz.net", NET, strlen(NET), &messages);
    if (net == NULL)
        abort();
    char *text = memory_alloc(bytes + 1);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    if (bytes > 0 && data[0] == '<')
        formula_read_xml(net, "fuzz.xml", text, bytes, &arena, &questions, &messages);
    else
        formula_read_text(net, "fuzz.ltl", text, bytes, &arena, &questions, &messages);
    memory_free(text);
    VECTOR_FINISH(&questions);
    arena_finish(&arena);
    net_destroy(net);
    finish_messages(&messages);
}

static void read_solidity_tree(const char *data, size_t bytes)
{
    struct messages messages;
    messages_init(&messages);
    char *json = memory_alloc(bytes + 1);
    memcpy(json, data, bytes);
    json[bytes] = '\0';
    struct sol_tree *tree = sol_tree_parse("fuzz.sol", json, &messages);
    struct sol_input *input = tree != NULL ? sol_input_of_tree(tree) : NULL;
    sol_input_close(input);
    memory_free(json);
    finish_messages(&messages);
}

static void read_task(const char *data, size_t bytes)
{
    char path[40];
    struct messages messages;
    struct task_definition definition;
    messages_init(&messages);
    int fd = make_file(data, bytes, path);
    if (task_definition_read(path, &definition, &messages))
        task_definition_finish(&definition);
    close(fd);
    finish_messages(&messages);
}

static void read_plan(const char *data, size_t bytes)
{
    char path[40];
    struct messages messages;
    messages_init(&messages);
    int fd = make_file(data, bytes, path);
    plan_destroy(plan_load(path, &messages));
    close(fd);
    finish_messages(&messages);
}

static void read_space(const char *data, size_t bytes)
{
    char path[40];
    struct messages messages;
    messages_init(&messages);
    int fd = make_file(data, bytes, path);
    space_destroy(space_load(path, &messages));
    close(fd);
    finish_messages(&messages);
}

static void read_options(const char *data, size_t bytes)
{
    struct messages messages;
    struct configuration configuration;
    struct text text;
    messages_init(&messages);
    text_init(&text);
    text_add_bytes(&text, data, bytes);
    configuration_init(&configuration, "fuzz");
    if (configuration_parse(&configuration, text_string(&text), &messages)) {
        configuration_check(&configuration, &messages);
        text_clear(&text);
        configuration_print(&text, &configuration, true);
    }
    configuration_finish(&configuration);
    text_finish(&text);
    finish_messages(&messages);
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

static void read_certificate(const char *data, size_t bytes)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = plain_model();
    char *text = memory_alloc(bytes + 1);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
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
    certificate_destroy(certificate);
    memory_free(text);
    model_destroy(model);
    finish_messages(&messages);
}

static void take_item(void *context, const struct precision_item *item)
{
    (void)context;
    (void)item;
}

static void read_precision(const char *data, size_t bytes)
{
    struct model *model = plain_model();
    struct term_store *store = term_store_create(model->store);
    struct text text;
    text_init(&text);
    text_add_bytes(&text, data, bytes);
    precision_text_read(text_string(&text), model, store, take_item, NULL);
    text_finish(&text);
    term_store_destroy(store);
    model_destroy(model);
}

typedef bool importer(struct store *store, const char *path, const struct import_options *options,
                      struct import_counts *counts, struct text *why);

static void import(const char *data, size_t bytes, importer *read)
{
    char path[40];
    struct text why;
    struct import_counts counts = {0};
    text_init(&why);
    struct store *store = store_open(":memory:", true, &why);
    if (store == NULL)
        abort();
    const struct import_options options = {.columns = NULL};
    int fd = make_file(data, bytes, path);
    read(store, path, &options, &counts, &why);
    close(fd);
    store_close(store);
    text_finish(&why);
}

static void read_csv(const char *data, size_t bytes)
{
    import(data, bytes, import_table);
}

static void read_benchexec(const char *data, size_t bytes)
{
    import(data, bytes, import_benchexec);
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

static void read_store(const char *data, size_t bytes)
{
    char path[40];
    struct text why;
    text_init(&why);
    int fd = make_file(data, bytes, path);
    struct store *store = store_open(path, false, &why);
    if (store != NULL) {
        store_each(store, look_at_run, NULL, &why);
        store_each_feature(store, look_at_feature, NULL, &why);
    }
    store_close(store);
    close(fd);
    text_finish(&why);
}

static void read_wire(const char *data, size_t bytes)
{
    if (bytes == 0)
        return;
    struct wire_reader in = {data + 1, data + bytes, false};
    if (data[0] % 2 == 0) {
        struct worker_job job;
        worker_job_get(&in, &job);
        worker_job_finish(&job);
        return;
    }
    struct model *model = plain_model();
    struct trace *trace = wire_get_trace(&in, model);
    if (trace != NULL)
        trace_destroy(trace);
    model_destroy(model);
}

static void read_log(const char *data, size_t bytes)
{
    struct messages messages;
    struct decision_log_header header;
    struct text text;
    messages_init(&messages);
    text_init(&text);
    text_add_bytes(&text, data, bytes);
    if (decision_log_read_header("fuzz.log", text_string(&text), &header, &messages))
        decision_log_header_finish(&header);
    text_finish(&text);
    finish_messages(&messages);
}

// What solver programs answer.
static void read_answers(const char *data, size_t bytes)
{
    struct arena arena;
    struct text why;
    const struct sexpr *e;
    struct sexpr_reader reader = {.at = data, .end = data + bytes, .line = 1};
    arena_init(&arena);
    text_init(&why);
    while (sexpr_read(&reader, &arena, &e, &why) == SEXPR_READ)
        continue;
    text_finish(&why);
    arena_finish(&arena);
}

static void read_program(const char *data, size_t bytes)
{
    struct messages messages;
    messages_init(&messages);
    char *text = memory_alloc(bytes + 1);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    struct program *program = program_read(text, bytes, "fuzz.c", &messages);
    if (program != NULL) {
        const struct flat_options options = {.most_depth = 3, .most_instructions = 10000};
        flat_destroy(flat_create(program, &options, &messages));
        program_destroy(program);
    }
    memory_free(text);
    finish_messages(&messages);
}

const struct fuzz_target fuzz_targets[] = {
    {"xsts", ".xsts", read_xsts},
    {"cfa", ".cfa", read_cfa},
    {"sts", ".system", read_sts},
    {"aiger", ".aag", read_aiger},
    {"aiger-binary", ".aig", read_aiger_binary},
    {"btor2", ".btor2", read_btor2},
    {"chc", ".smt2", read_chc},
    {"pnml", ".pnml", read_pnml},
    {"net", ".net", read_net},
    {"formulas", NULL, read_formulas},
    {"scxml", ".scxml", read_scxml},
    {"gamma", ".gcd", read_gamma},
    {"cffsm", ".cffsm", read_cffsm},
    {"umlrt", ".uml", read_umlrt},
    {"program", NULL, read_program},
    {"solidity", ".json", read_solidity_tree},
    {"task", ".yml", read_task},
    {"plan", ".cfg", read_plan},
    {"space", ".cfg", read_space},
    {"options", NULL, read_options},
    {"certificate", NULL, read_certificate},
    {"precision", NULL, read_precision},
    {"csv", ".csv", read_csv},
    {"benchexec", ".xml", read_benchexec},
    {"store", NULL, read_store},
    {"wire", NULL, read_wire},
    {"decisions", NULL, read_log},
    {"answers", NULL, read_answers},
    {NULL, NULL, NULL},
};

const struct fuzz_target *fuzz_target_find(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name != NULL; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

struct run {
    const struct fuzz_target *target;
    const char *data;
    size_t bytes;
};

static void run_target(void *context)
{
    const struct run *run = context;
    run->target->read(run->data, run->bytes);
}

bool fuzz_target_run(const struct fuzz_target *target, const uint8_t *data, size_t bytes)
{
    // Of just these bytes, so that a look beyond them is seen.
    char *copy = malloc(bytes != 0 ? bytes : 1);
    if (copy == NULL)
        abort();
    memcpy(copy, data, bytes);
    struct run run = {target, copy, bytes};
    const struct budget budget = {.deadline_ns = clock_wall_ns() + SECONDS * INT64_C(1000000000),
                                  .bytes = BYTES};
    bool done = budget_run(&budget, run_target, &run) == BUDGET_DONE;
    free(copy);
    return done;
}
