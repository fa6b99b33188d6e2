#include "languages/c/c.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/language.h"
#include "languages/programs/interpret.h"
#include "languages/programs/story.h"

static const struct dialect dialect = {.name = "c",
                                       .terms = PRINT_CFA,
                                       .print_readable = story_print_text,
                                       .print_json = story_print_json,
                                       .print_page = story_print_page};

#define MOST_INSTRUCTIONS 40000
#define MOST_CLOSED_STEPS 3000000

// What stands behind the property's `#`: lp64, bounded.
struct variant {
    bool wide, bounded;
};

static bool read_variant(const char *text, struct variant *out)
{
    *out = (struct variant){false, false};
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ",");
        if (length == 4 && strncmp(text, "lp64", 4) == 0)
            out->wide = true;
        else if (length == 7 && strncmp(text, "bounded", 7) == 0)
            out->bounded = true;
        else if (!(length == 5 && strncmp(text, "ilp32", 5) == 0))
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

static struct model *translate(struct program *program, struct flat *flat,
                               const struct c_options *options, const struct variant *variant,
                               const struct program_question *question, struct arena *names,
                               const char *retry, struct messages *messages)
{
    struct translation_result result = {0};
    const struct run_result run = interpret_closed(flat, question, MOST_CLOSED_STEPS);
    if (run.end == RUN_VIOLATION || run.end == RUN_ENDED || run.end == RUN_ASSUMPTION) {
        const char *label = run.end == RUN_VIOLATION ? run.what : NULL;
        struct model_judge *judge =
            program_judge_create(program, flat, NULL, question, names, NULL);
        return translate_single_run(flat, &dialect, label, run.at, judge);
    }
    struct objects *objects = objects_create(flat, options->loop_copies);
    struct model_judge *judge = program_judge_create(program, flat, objects, question, names,
                                                     variant->bounded ? NULL : retry);
    struct model *model =
        translate_program(objects, &dialect, question, variant->bounded, judge, &result, messages);
    if (model != NULL)
        program_judge_learn(judge, &result);
    memory_free(result.meanings);
    return model;
}

// Takes the program and the names over.
static struct model *model_of(struct program *program, const struct c_options *options,
                              const struct variant *variant,
                              const struct program_question *question, struct arena *names,
                              const char *retry, struct messages *messages)
{
    const struct flat_options flat_options = {
        .stop = question->property == PROPERTY_CALL ? question->name : NULL,
        .most_depth = options->most_depth,
        .most_instructions = MOST_INSTRUCTIONS,
    };
    struct flat *flat = flat_create(program, &flat_options, messages);
    if (flat != NULL)
        return translate(program, flat, options, variant, question, names, retry, messages);
    program_destroy(program);
    arena_finish(names);
    return NULL;
}

static const char *retry_property(const struct language_request *request, struct arena *names)
{
    const char *property = request->property_path != NULL   ? request->property_path
                           : request->property_text != NULL ? request->property_text
                                                            : "unreach-call";
    struct text text;
    text_init(&text);
    text_printf(&text, "%s%s", property, strchr(property, '#') != NULL ? ",bounded" : "#bounded");
    const char *kept = arena_strdup(names, text_string(&text));
    text_finish(&text);
    return kept;
}

static struct model *read_c(const struct language_request *request, struct messages *messages)
{
    struct c_options options = C_OPTIONS_STANDARD;
    struct program_question question;
    struct variant variant;
    struct arena names;
    arena_init(&names);
    const char *given = request->property_text != NULL ? request->property_text : "unreach-call";
    const char *sign = request->property_inline ? strchr(given, '#') : NULL;
    char *property = sign != NULL ? arena_strndup(&names, given, (size_t)(sign - given))
                                  : arena_strdup(&names, given);
    struct program *program = NULL;
    if (!read_variant(sign != NULL ? sign + 1 : request->question, &variant))
        message_add(messages, MESSAGE_ERROR, (struct position){request->property_path, 0, 0},
                    "found `%s` behind the property's #, expected lp64, ilp32 or bounded",
                    sign != NULL ? sign + 1 : request->question);
    else if (c_property_read(property, request->property_path, &names, &question, messages)) {
        options.wide = variant.wide;
        program = c_program_read(request->model_path, &options, &question, messages);
    }
    if (program != NULL)
        return model_of(program, &options, &variant, &question, &names,
                        retry_property(request, &names), messages);
    arena_finish(&names);
    return NULL;
}

const struct language language_c = {.name = "c",
                                    .extension = ".c",
                                    .description = "C programs",
                                    .read = read_c,
                                    .reads_checks = true};
const struct language language_c_preprocessed = {.name = "c-preprocessed",
                                                 .extension = ".i",
                                                 .description = "preprocessed C programs",
                                                 .read = read_c,
                                                 .reads_checks = true};
const struct language language_llvm = {.name = "llvm",
                                       .extension = ".ll",
                                       .description = "programs as LLVM's text",
                                       .read = read_c,
                                       .reads_checks = true};
const struct language language_bitcode = {.name = "bitcode",
                                          .extension = ".bc",
                                          .description = "programs as LLVM's bitcode",
                                          .read = read_c,
                                          .reads_checks = true};
