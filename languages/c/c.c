#include "languages/c/c.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/language.h"
#include "languages/programs/descend.h"
#include "languages/programs/guess.h"
#include "languages/programs/instrument.h"
#include "languages/programs/interpret.h"
#include "languages/programs/witness.h"
#include "model/specialize.h"

static const struct dialect dialect = {.name = "c",
                                       .terms = PRINT_CFA,
                                       .print_readable = story_print_text,
                                       .print_json = story_print_json,
                                       .print_page = story_print_page,
                                       .print_witness = witness_print_violation,
                                       .print_proof = witness_print_proof,
                                       .print_test = witness_print_test,
                                       .print_violated = story_print_violated};

#define MOST_INSTRUCTIONS 40000
// Calls inside one another that are copied, where runs say that these suffice.
#define MOST_FOLLOWED 128
// Of an allocation in a loop: so many blocks at most, and so many beyond those that runs made.
#define MOST_BLOCKS 16
#define MORE_BLOCKS 2
#define MOST_CLOSED_STEPS 20000000 // as many as the judge follows

struct word_vector {
    const char **data;
    size_t count, capacity;
};

// What stands behind the property's `#`, separated by commas (`\\,` is one that separates nothing): lp64, ilp32, bounded,
// blocks (any number of them: docs/definitions/blocks.md), pairs (likewise, of two at a time), loops (those of many rounds are not copied: unroll.h), descends (for termination: descend.h), clang=ARGUMENT, with=FILE, and what to do with a witness: follow=PATH, holds=PATH or given=PATH.
struct variant {
    bool wide, bounded, blocks, pairs, loops, descends;
    enum witness_use use;
    const char *witness; // its path; NULL: none
    struct word_vector clang, with;
};

static const char *behind(const char *word, const char *start)
{
    size_t length = strlen(start);
    return strncmp(word, start, length) == 0 ? word + length : NULL;
}

static bool read_item(const char *item, struct variant *out)
{
    static const char *const uses[] = {"follow=", "holds=", "given="};
    const char *value;
    if (strcmp(item, "lp64") == 0 || strcmp(item, "ilp32") == 0) {
        out->wide = *item == 'l';
    } else if (strcmp(item, "bounded") == 0) {
        out->bounded = true;
    } else if (strcmp(item, "blocks") == 0) {
        out->blocks = true;
    } else if (strcmp(item, "pairs") == 0) {
        out->blocks = out->pairs = true;
    } else if (strcmp(item, "loops") == 0) {
        out->loops = true;
    } else if (strcmp(item, "descends") == 0) {
        out->descends = true;
    } else if ((value = behind(item, "clang=")) != NULL) {
        VECTOR_PUSH(&out->clang, value);
    } else if ((value = behind(item, "with=")) != NULL) {
        VECTOR_PUSH(&out->with, value);
    } else {
        for (int i = 0; i < 3; i++) {
            if ((value = behind(item, uses[i])) == NULL)
                continue;
            out->use = (enum witness_use)i;
            out->witness = value;
            return true;
        }
        return false;
    }
    return true;
}

// One item, without its backslashes, in the arena.
static const char *next_item(const char **text, struct arena *arena)
{
    struct text item;
    text_init(&item);
    while (**text != '\0' && **text != ',') {
        if (**text == '\\' && (*text)[1] != '\0')
            (*text)++;
        text_add_char(&item, *(*text)++);
    }
    *text += **text == ',';
    const char *kept = arena_strdup(arena, text_string(&item));
    text_finish(&item);
    return kept;
}

static bool read_variant(const char *text, struct arena *arena, struct variant *out)
{
    bool good = true;
    *out = (struct variant){0};
    while (text != NULL && *text != '\0' && good)
        good = read_item(next_item(&text, arena), out);
    VECTOR_PUSH(&out->clang, NULL);
    VECTOR_PUSH(&out->with, NULL);
    return good;
}

// What plans may ask of a program beyond its model.
static void count_facts(const struct flat *flat, struct model_features *features)
{
    assert(flat->frame_count > 0);
    features->calls = (uint32_t)flat->frame_count - 1;
    features->threads = flat->threads;
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            features->floats += i->type.kind == PROGRAM_FLOAT;
            features->pointers += i->op == OP_LOAD && i->type.kind == PROGRAM_POINTER;
        }
    }
}

// Nothing in the program is unsupported, whether a run comes there or not.
static bool is_supported(const struct flat *flat, const struct c_options *options,
                         const struct program_question *question, struct messages *messages)
{
    struct translation_result result = {0};
    struct objects *objects = objects_create(flat, options->loop_copies, 0);
    struct model *model =
        translate_program(objects, &dialect, question, false, NULL, &result, messages);
    bool good = model != NULL;
    memory_free(result.meanings);
    text_finish(&result.guesses);
    model_destroy(model);
    objects_destroy(objects);
    return good;
}

// Has the program copies of memory that are not followed, but would be as loops?
static bool wants_loops(const struct program *program, const struct flat *flat,
                        const struct c_options *options, const struct program_question *question)
{
    if (program_find_function(program, "__regatta_copy_bytes") == NULL &&
        program_find_function(program, "__regatta_move_bytes") == NULL &&
        program_find_function(program, "__regatta_fill_bytes") == NULL)
        return false;
    struct translation_result result = {0};
    struct messages messages;
    messages_init(&messages);
    struct objects *objects = objects_create(flat, options->loop_copies, 0);
    model_destroy(translate_program(objects, &dialect, question, false, NULL, &result, &messages));
    objects_destroy(objects);
    memory_free(result.meanings);
    text_finish(&result.guesses);
    messages_finish(&messages);
    return result.has_open_copies;
}

// The run that decides what is asked: the program's only one, or one on guessed inputs (`guess`, else 0) that violates it.
static bool find_run(const struct flat *plain, const struct program_question *question,
                     struct run_result *run, uint32_t *guess)
{
    *guess = 0;
    *run = interpret_closed(plain, question, MOST_CLOSED_STEPS);
    if (run->end == RUN_OPEN && !question->where)
        *guess = guess_violation(plain, question, run);
    // Guessed inputs are only of use when they show something.
    ENSURE(*guess == 0 || run->end == RUN_VIOLATION);
    return *guess != 0 || run->end == RUN_VIOLATION || run->end == RUN_ENDED ||
           run->end == RUN_ASSUMPTION;
}

// For engines that know procedures: recursion is not cut there.
static struct model_view *procedures_view(const struct program *program,
                                          const struct c_options *options,
                                          const struct program_question *question)
{
    const struct flat_options flat_options = {
        .stop = question->property == PROPERTY_CALL ? question->name : NULL,
        .most_instructions = MOST_INSTRUCTIONS,
    };
    struct flat *flat = flat_create_procedures(program, &flat_options);
    if (flat == NULL)
        return NULL;
    struct objects *objects = objects_create(flat, options->loop_copies, 0);
    struct procedures *procedures = translate_procedures(objects, &dialect, question);
    objects_destroy(objects);
    flat_destroy(flat);
    return procedures != NULL ? &procedures->base : NULL;
}

// Beside a block that is accessed after its life that which a pointer to it was loaded from matters, unless it is known what leads to a
// block, as where loss is asked.
static uint32_t tracked_blocks(const struct variant *variant,
                               const struct program_question *question)
{
    const bool lives = question->property == PROPERTY_MEMSAFETY && !question->track;
    return variant->pairs || lives ? 2 : 1;
}

// Blocks that point to one another, of which something may hold in pairs; and the question is one that this can answer.
static bool wants_pairs(const struct objects *objects, const struct program_question *question)
{
    bool some = false;
    for (size_t i = 0; i < objects->site_count; i++) {
        const struct site *site = &objects->sites[i];
        const struct object *first = &objects->items[site->first];
        for (size_t h = 0; h < first->holding_count && site->tracked == 1; h++)
            some = some || objects->items[first->holdings[h].to.object].tracked != 0;
    }
    return some && question->property != PROPERTY_TERMINATION &&
           question->property != PROPERTY_MEMCLEANUP && question->property != PROPERTY_MEMSAFETY;
}

// Allocations in a loop, whose blocks a summary could stand for; and the question is one that this can answer.
static bool wants_summaries(const struct objects *objects, const struct program_question *question)
{
    bool some = false;
    for (size_t i = 0; i < objects->site_count; i++) {
        const struct site *site = &objects->sites[i];
        some = some || (site->count > 1 && site->tracked == 0 &&
                        objects->items[site->first].kind == OBJECT_HEAP);
    }
    return some && question->property != PROPERTY_TERMINATION;
}

static bool asks_what_is_left(const struct program_question *question)
{
    return question->property == PROPERTY_MEMCLEANUP ||
           (question->property == PROPERTY_MEMSAFETY && question->track);
}

static bool wants_descent(const struct program *program, const struct program_question *question)
{
    return question->property == PROPERTY_TERMINATION && descend_is_possible(program);
}

// Asked for where the model that the input gives by itself was not enough.
static bool is_second_model(const struct variant *variant)
{
    return variant->blocks || variant->loops || variant->descends;
}

// The model of the run that decides what is asked. Takes all but `options` and `question` over; `runs` is what was run, and `flat` where
// there are no copies. NULL with messages when something in the program is not supported.
static struct model *model_of_run(struct program *program, struct flat *flat, struct flat *runs,
                                  const struct c_options *options,
                                  const struct program_question *question, struct arena *names,
                                  const struct run_result *run, uint32_t guess,
                                  struct messages *messages)
{
    ENSURE(run->end != RUN_VIOLATION || run->what != NULL);
    const char *label = run->end == RUN_VIOLATION ? run->what : NULL;
    struct model_judge *judge =
        program_judge_create(program, flat, runs, NULL, question, names, NULL);
    program_judge_guessed(judge, guess);
    if (guess == 0 || flat == runs || is_supported(flat, options, question, messages))
        return translate_single_run(flat, &dialect, label, run->at, guess, judge);
    judge->destroy(judge);
    return NULL;
}

// Where every way through the program's loops is followed to its end (model/specialize.h), no run is without one: then what is left
// to show is that no bound is reached. NULL: some loop is left.
static struct model *model_of_ways(const struct objects *objects,
                                   const struct program_question *question,
                                   struct model_judge *judge, struct translation_result *result)
{
    struct messages refused;
    messages_init(&refused);
    struct model *model = translate_for_ways(objects, &dialect, question, result, &refused),
                 *special = model == NULL ? NULL : specialize_model(model, false);
    messages_finish(&refused);
    if (special != model) {
        special->judge = judge;
        return special;
    }
    model_destroy(model);
    memory_free(result->meanings);
    text_finish(&result->guesses);
    *result = (struct translation_result){0};
    return NULL;
}

// Where no run decides. Takes all but `options`, `variant` and `question` over.
static struct model *translate(struct program *program, struct flat *flat, struct flat *plain,
                               const struct c_options *options, const struct variant *variant,
                               const struct program_question *question, struct arena *names,
                               const char *retry, const char *wider, const char *loops,
                               struct messages *messages)
{
    struct translation_result result = {0};
    const uint32_t tracked = variant->blocks ? tracked_blocks(variant, question) : 0;
    struct objects *objects = objects_create(flat, options->loop_copies, tracked);
    struct model_judge *judge =
        program_judge_create(program, flat, plain, objects, question, names,
                             variant->bounded || is_second_model(variant) ? NULL : retry);
    if (!variant->bounded && variant->witness == NULL &&
        (wants_summaries(objects, question) || wants_descent(program, question)))
        program_judge_widen(judge, wider);
    if (variant->descends)
        program_judge_doubt(judge);
    const bool by_ways = !is_second_model(variant) && variant->witness == NULL,
               endless = question->property == PROPERTY_TERMINATION;
    struct model *model = NULL;
    bool keeps_less = flat->long_copies; // of the program's loops than the second model does
    if (endless && by_ways && !variant->bounded) {
        model = model_of_ways(objects, question, judge, &result);
        keeps_less = keeps_less || model != NULL;
    }
    if (model == NULL)
        model = translate_program(objects, &dialect, question, variant->bounded, judge, &result,
                                  messages);
    ENSURE(model == NULL || model->judge == judge); // who replays its traces
    if (model != NULL && !endless && by_ways) {
        struct model *special = specialize_model(model, true);
        keeps_less = keeps_less || (special != model && special->features.loops == 0);
        model = special;
    }
    if (model != NULL) {
        program_judge_learn(judge, &result);
        if (keeps_less && !variant->bounded && variant->witness == NULL && judge->wider == NULL)
            program_judge_widen(judge, loops);
        // What two blocks say together is left where one says too little.
        if (variant->blocks && !variant->pairs && wants_pairs(objects, question))
            program_judge_widen(judge, wider);
        count_facts(flat, &model->features);
        // Only where a bound ends paths is there more to prove than the model says.
        if (!variant->bounded && !variant->blocks && result.has_cuts && variant->witness == NULL)
            model->view = procedures_view(program, options, question);
    }
    memory_free(result.meanings);
    text_finish(&result.guesses);
    return model;
}

// A program of which no copy could be made, for the reason in `refused`: it has no model but that of a run that decides what is
// asked. Takes the program and the names over.
static struct model *model_of_large(struct program *program, const struct c_options *options,
                                    const struct flat_options *flat_options,
                                    const struct variant *variant,
                                    const struct program_question *question, struct arena *names,
                                    const struct messages *refused, struct messages *messages)
{
    const bool runs_count = !is_second_model(variant) && variant->witness == NULL;
    struct flat *runs = runs_count ? flat_create_deep(program, flat_options, true) : NULL;
    struct run_result run;
    uint32_t guess;
    if (runs != NULL && find_run(runs, question, &run, &guess))
        return model_of_run(program, runs, runs, options, question, names, &run, guess, messages);
    for (size_t i = 0; i < refused->count; i++) {
        const struct message *m = &refused->items[i];
        message_add(messages, m->kind, (struct position){m->path, m->line, m->column}, "%s",
                    m->text);
    }
    flat_destroy(runs);
    program_destroy(program);
    arena_finish(names);
    return NULL;
}

// The copies with recursion followed as deep as guessed runs went, where there is room for that; else as they are. Consumes `flat`.
static struct flat *followed(const struct program *program, struct flat *flat,
                             const struct flat_options *options, uint32_t deepest)
{
    struct flat_options deeper = *options;
    struct messages refused;
    if (deepest <= flat->recursion || deepest > MOST_FOLLOWED)
        return flat;
    deeper.most_depth = deepest;
    messages_init(&refused);
    struct flat *made = flat_create(program, &deeper, &refused);
    messages_finish(&refused);
    bool deep = made != NULL && made->recursion == deepest;
    flat_destroy(deep ? flat : made);
    return deep ? made : flat;
}

// As many blocks of an allocation in a loop as guessed runs made of one, and some more, where that is not many.
static uint32_t blocks_followed(const struct c_options *options, uint32_t most)
{
    const uint32_t wanted = most + MORE_BLOCKS;
    return most < options->loop_copies || wanted > MOST_BLOCKS ? options->loop_copies : wanted;
}

// The model of a run that decides, or that of the program. Takes the program, `flat` and the names over.
static struct model *
model_of_copies(struct program *program, struct flat *flat, const struct c_options *options,
                const struct flat_options *flat_options, const struct variant *variant,
                const struct program_question *question, struct arena *names, const char *retry,
                const char *wider, const char *loops, struct messages *messages)
{
    struct flat *plain = NULL;
    struct c_options enough = *options;
    // A second model is made where no run decided.
    if (!is_second_model(variant)) {
        struct flat *deep = flat_create_deep(program, flat_options, false);
        struct run_result run;
        uint32_t guess;
        if (deep == NULL)
            plain = flat_create_plain(flat, flat_options);
        struct flat *runs = deep != NULL ? deep : plain;
        if (find_run(runs, question, &run, &guess))
            return model_of_run(program, flat, runs, options, question, names, &run, guess,
                                messages);
        if (deep != NULL)
            flat = followed(program, flat, flat_options, run.deepest);
        flat_destroy(deep);
        enough.loop_copies = blocks_followed(options, run.blocks);
    }
    if (plain == NULL)
        plain = flat_create_plain(flat, flat_options);
    return translate(program, flat, plain, &enough, variant, question, names, retry, wider, loops,
                     messages);
}

// What is not asked of a program with threads: a run that waits for ever is followed no further.
static bool suits_threads(const struct flat *flat, const struct variant *variant,
                          const struct program_question *question, struct messages *messages)
{
    const char *what = variant->witness != NULL ? "a witness of a program with threads"
                       : question->property == PROPERTY_TERMINATION
                           ? "termination of a program with threads"
                           : NULL;
    if (flat->threads == 0 || what == NULL)
        return true;
    message_add(messages, MESSAGE_UNSUPPORTED, (struct position){flat->program->files[0], 0, 0},
                "%s", what);
    return false;
}

// Takes the program and the names over.
static struct model *model_of(struct program *program, const struct c_options *options,
                              const struct variant *variant,
                              const struct program_question *question, struct arena *names,
                              const char *retry, const char *wider, const char *loops,
                              struct messages *messages)
{
    assert(question->property != PROPERTY_CALL || question->name != NULL);
    struct flat_options flat_options = {
        .stop = question->property == PROPERTY_CALL ? question->name : NULL,
        .most_depth = options->most_depth,
        .most_instructions = MOST_INSTRUCTIONS,
        .loads_again = variant->blocks,
        // Invariants of a witness are those of loops, not of a round.
        .keeps_long = variant->blocks || variant->loops ||
                      (variant->witness != NULL && variant->use != WITNESS_FOLLOW),
        .variables_stay = asks_what_is_left(question),
        .races = program_question_is_race(question),
    };
    struct messages refused;
    struct model *model;
    messages_init(&refused);
    struct flat *flat = flat_create(program, &flat_options, &refused);
    if (flat != NULL && wants_loops(program, flat, options, question)) {
        flat_options.copy_by_loops = true;
        flat_destroy(flat);
        flat = flat_create(program, &flat_options, &refused);
    }
    if (flat == NULL) {
        model = model_of_large(program, options, &flat_options, variant, question, names, &refused,
                               messages);
    } else if (!suits_threads(flat, variant, question, messages)) {
        model = NULL;
        flat_destroy(flat);
        program_destroy(program);
        arena_finish(names);
    } else {
        model = model_of_copies(program, flat, options, &flat_options, variant, question, names,
                                retry, wider, loops, messages);
    }
    messages_finish(&refused);
    struct program_question asked = *question;
    if (variant->descends) // which asks for a call in its stead
        asked.property = PROPERTY_TERMINATION;
    if (model != NULL)
        model->property_kind = c_property_kind(&asked);
    return model;
}

// The same property, and so is the program to be read.
static const char *property_read(const struct language_request *request, const char *how,
                                 struct arena *names)
{
    const char *property = request->property_path != NULL   ? request->property_path
                           : request->property_text != NULL ? request->property_text
                                                            : "unreach-call";
    struct text text;
    text_init(&text);
    // As it was read: a macro may have a # of its own.
    const char *sign = request->property_inline ? strchr(property, '#') : strrchr(property, '#');
    size_t length = sign == NULL ? strlen(property) : (size_t)(sign - property);
    text_printf(&text, "%.*s#%s%s%s", (int)length, property, how, sign == NULL ? "" : ",",
                sign == NULL ? "" : sign + 1);
    const char *kept = arena_strdup(names, text_string(&text));
    text_finish(&text);
    return kept;
}

static bool use_witness(struct program *program, const struct variant *variant,
                        struct program_question *question, struct messages *messages)
{
    assert(variant->witness != NULL);
    struct witness *witness = witness_open(variant->witness, messages);
    bool good =
        witness != NULL && program_instrument(program, witness, variant->use, question, messages);
    witness_destroy(witness);
    return good;
}

// The program once more, with checks of the order by which its recursion descends. Consumes its argument.
static struct program *descending(struct program *program, const struct language_request *request,
                                  const struct c_options *options,
                                  struct program_question *question, struct messages *messages)
{
    const bool wanted = wants_descent(program, question);
    const uint32_t order = wanted ? descend_choose(program) : NO_ORDER;
    program_destroy(program);
    if (order == NO_ORDER) {
        message_add(messages, MESSAGE_UNSUPPORTED, (struct position){request->model_path, 0, 0},
                    "no measure was found by which recursion descends");
        return NULL;
    }
    program = c_program_read(request->model_path, options, question, messages);
    if (program != NULL)
        descend_instrument(program, order, question);
    return program;
}

static struct model *read_c(const struct language_request *request, struct messages *messages)
{
    struct c_options options = C_OPTIONS_STANDARD;
    struct program_question question;
    struct variant variant;
    struct model *model = NULL;
    struct arena names;
    arena_init(&names);
    const char *given = request->property_text != NULL ? request->property_text : "unreach-call";
    const char *sign = request->property_inline ? strchr(given, '#') : NULL;
    char *property = sign != NULL ? arena_strndup(&names, given, (size_t)(sign - given))
                                  : arena_strdup(&names, given);
    struct program *program = NULL;
    if (!read_variant(sign != NULL ? sign + 1 : request->question, &names, &variant))
        message_add(
            messages, MESSAGE_ERROR, (struct position){request->property_path, 0, 0},
            "found `%s` behind the property's #, expected lp64, ilp32, bounded, blocks, pairs, "
            "loops, descends, "
            "clang= or with=",
            sign != NULL ? sign + 1 : request->question);
    else if (c_property_read(property, request->property_path, &names, &question, messages)) {
        options.wide = variant.wide;
        options.clang = variant.clang.data;
        options.with = variant.with.data;
        program = c_program_read(request->model_path, &options, &question, messages);
    }
    if (program != NULL && variant.witness != NULL &&
        !use_witness(program, &variant, &question, messages)) {
        program_destroy(program);
        program = NULL;
    }
    if (program != NULL && variant.descends)
        program = descending(program, request, &options, &question, messages);
    VECTOR_FINISH(&variant.clang);
    VECTOR_FINISH(&variant.with);
    if (program != NULL)
        model = model_of(program, &options, &variant, &question, &names,
                         property_read(request, "bounded", &names),
                         property_read(request,
                                       question.property == PROPERTY_TERMINATION ? "descends"
                                       : variant.blocks                          ? "pairs"
                                                                                 : "blocks",
                                       &names),
                         property_read(request, "loops", &names), messages);
    else
        arena_finish(&names);
    return model;
}

const struct language language_c = {.name = "c",
                                    .plan = "c",
                                    .extension = ".c",
                                    .description = "C programs",
                                    .read = read_c,
                                    .reads_checks = true};
const struct language language_c_preprocessed = {.name = "c-preprocessed",
                                                 .plan = "c",
                                                 .extension = ".i",
                                                 .description = "preprocessed C programs",
                                                 .read = read_c,
                                                 .reads_checks = true};
const struct language language_llvm = {.name = "llvm",
                                       .plan = "c",
                                       .extension = ".ll",
                                       .description = "programs as LLVM's text",
                                       .read = read_c,
                                       .reads_checks = true};
const struct language language_bitcode = {.name = "bitcode",
                                          .plan = "c",
                                          .extension = ".bc",
                                          .description = "programs as LLVM's bitcode",
                                          .read = read_c,
                                          .reads_checks = true};
