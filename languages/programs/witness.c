#include "languages/programs/witness.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/judge.h"
#include "logic/terms/read_smtlib.h"

// Format 2.0 of the competition's witnesses: entries of a YAML list. Strings are written in double quotes.

#define MOST_SEGMENTS 10000

static void add_quoted(struct text *out, const char *text)
{
    text_add_char(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            text_add_char(out, '\\');
        if (*text == '\n')
            text_add(out, "\\n");
        else if ((unsigned char)*text >= 32)
            text_add_char(out, *text);
    }
    text_add_char(out, '"');
}

void witness_specification(struct text *out, const struct program_question *question)
{
    static const char *const parts[] = {"valid-free", "valid-deref", "valid-memtrack"};
    const bool asked[] = {question->free, question->deref, question->track};
    switch (question->property) {
    case PROPERTY_CALL:
        if (program_question_is_race(question))
            text_add(out, "CHECK( init(main()), LTL(G ! data-race) )");
        else
            text_printf(out, "CHECK( init(main()), LTL(G ! call(%s())) )", question->name);
        break;
    case PROPERTY_LABEL:
        text_printf(out, "CHECK( init(main()), LTL(G ! label(%s)) )", question->name);
        break;
    case PROPERTY_OVERFLOW:
        text_add(out, "CHECK( init(main()), LTL(G ! overflow) )");
        break;
    case PROPERTY_MEMCLEANUP:
        text_add(out, "CHECK( init(main()), LTL(G valid-memcleanup) )");
        break;
    case PROPERTY_TERMINATION:
        text_add(out, "CHECK( init(main()), LTL(F end) )");
        break;
    case PROPERTY_MEMSAFETY:
        for (size_t i = 0, count = 0; i < 3; i++) {
            if (asked[i])
                text_printf(out, "%sCHECK( init(main()), LTL(G %s) )", count++ > 0 ? "\n" : "",
                            parts[i]);
        }
        break;
    }
}

// A name that the content gives: as a UUID of version 8.
static void add_uuid(struct text *out, const char *digest)
{
    text_printf(out, "%.8s-%.4s-8%.3s-a%.3s-%.12s", digest, digest + 8, digest + 13, digest + 17,
                digest + 20);
}

static void add_file(struct text *out, const char *path, char digest[65])
{
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    sha256_print(text == NULL ? "" : text, text == NULL ? 0 : bytes, digest);
    memory_free(text);
    text_add(out, "      input_files:\n        - ");
    add_quoted(out, path);
    text_add(out, "\n      input_file_hashes:\n        ");
    add_quoted(out, path);
    text_printf(out, ": \"%s\"\n", digest);
}

static void add_head(struct text *out, const struct model *model, const char *kind)
{
    const struct program *program = program_judge_flat(model->judge)->program;
    const char *path = program->files[0];
    struct text files, specification;
    char digest[65], when[40];
    time_t now = (time_t)(clock_epoch_ms() / 1000);
    struct tm calendar;
    text_init(&files);
    text_init(&specification);
    gmtime_r(&now, &calendar);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &calendar);
    add_file(&files, path, digest);
    witness_specification(&specification, program_judge_question(model->judge));
    text_printf(out, "- entry_type: %s\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"",
                kind);
    add_uuid(out, digest);
    text_printf(out,
                "\"\n    creation_time: \"%s\"\n    producer:\n      name: \"regatta\"\n      "
                "version: \"%s\"\n    task:\n",
                when, REGATTA_VERSION);
    text_add(out, text_string(&files));
    text_add(out, "      specification: ");
    add_quoted(out, text_string(&specification));
    text_printf(out, "\n      data_model: %s\n      language: C\n  content:\n",
                program->pointer_bits == 64 ? "LP64" : "ILP32");
    text_finish(&files);
    text_finish(&specification);
}

static void add_location(struct text *out, const char *margin, const struct source *source,
                         size_t offset, const char *function)
{
    unsigned line, column;
    source_position(source, offset, &line, &column);
    text_printf(out, "%slocation:\n%s  file_name: ", margin, margin);
    add_quoted(out, source->path);
    text_printf(out, "\n%s  line: %u\n%s  column: %u\n%s  function: %s\n", margin, line, margin,
                column, margin, function);
}

// Violations.

static bool is_unsigned_input(const char *name)
{
    static const char prefix[] = "__VERIFIER_nondet_";
    if (!text_begins_with(name, prefix))
        return false;
    const char *type = name + sizeof prefix - 1;
    return *type == 'u' || strcmp(type, "size_t") == 0 || strcmp(type, "bool") == 0 ||
           strcmp(type, "_Bool") == 0;
}

// A constant of C. False when there is none.
static bool add_constant(struct text *out, const struct run_event *input, const char *name)
{
    uint64_t bits = (uint64_t)input->bits;
    uint32_t width = input->width;
    enum program_type_kind kind = input->instruction->type.kind;
    if (kind == PROGRAM_FLOAT) {
        float narrow;
        double wide;
        uint32_t half = (uint32_t)bits;
        memcpy(&narrow, &half, sizeof narrow);
        memcpy(&wide, &bits, sizeof wide);
        double value = width == 32 ? (double)narrow : wide;
        if ((width != 32 && width != 64) || !isfinite(value))
            return false;
        text_printf(out, "%a", value);
        return true;
    }
    if (kind != PROGRAM_INTEGER || width > 64)
        return false;
    if (is_unsigned_input(name) || width == 1) {
        text_printf(out, bits > INT32_MAX ? "%" PRIu64 "U" : "%" PRIu64, bits);
        return true;
    }
    uint64_t sign = (uint64_t)1 << (width - 1);
    int64_t value = (int64_t)((bits ^ sign) - sign);
    if (value == INT64_MIN)
        text_add(out, "(-9223372036854775807 - 1)");
    else
        text_printf(out, "%" PRId64, value);
    return true;
}

// False at the first call without a place: what comes after it would be taken for its result.
static bool add_input(struct text *out, struct story *story, const struct run_event *input)
{
    const char *name = flat_callee(story->flat, input->instruction);
    const struct position *at = &input->instruction->at;
    if (!text_begins_with(name, "__VERIFIER_nondet_"))
        return true;
    const struct source *source = at->line == 0 ? NULL : story_source(story, at->path);
    size_t start = source == NULL ? SOURCE_NOWHERE : source_offset(source, at->line, at->column);
    size_t end = start == SOURCE_NOWHERE ? start : source_call_end(source, start, name);
    struct text constant;
    text_init(&constant);
    bool good = end != SOURCE_NOWHERE && add_constant(&constant, input, name);
    if (good) {
        text_add(out, "    - segment:\n      - waypoint:\n          type: function_return\n"
                      "          action: follow\n");
        add_location(out, "          ", source, end, story_function(story, input->frame));
        text_printf(out,
                    "          constraint:\n            value: \"\\\\result == %s\"\n"
                    "            format: acsl_expression\n",
                    text_string(&constant));
    }
    text_finish(&constant);
    return good;
}

// The statement that violates: the last one that ran.
static void add_target(struct text *out, struct story *story)
{
    const struct story_step *last = NULL;
    for (size_t i = 0; i < story->step_count; i++) {
        if (story->steps[i].kind == STORY_STATEMENT && story->steps[i].source != NULL)
            last = &story->steps[i];
    }
    if (last == NULL)
        return;
    size_t offset = source_offset(last->source, last->at.line, last->at.column);
    if (offset == SOURCE_NOWHERE)
        return;
    text_add(out, "    - segment:\n      - waypoint:\n          type: target\n"
                  "          action: follow\n");
    add_location(out, "          ", last->source, offset, story_function(story, last->frame));
}

void witness_print_violation(struct text *out, const struct trace *trace)
{
    if (program_judge_question(trace->model->judge)->property == PROPERTY_TERMINATION) {
        text_add(out, "# The format 2.0 has no words for a run without an end.\n[]\n");
        return;
    }
    struct story *story = story_create(trace);
    add_head(out, trace->model, "violation_sequence");
    struct text segments;
    text_init(&segments);
    // In which order threads read their inputs it cannot say.
    const size_t inputs = story->flat->threads > 0 ? 0 : story->input_count;
    for (size_t i = 0; i < inputs && i < MOST_SEGMENTS; i++) {
        if (!add_input(&segments, story, &story->inputs[i]))
            break;
    }
    add_target(&segments, story);
    text_add(out, text_string(&segments));
    text_finish(&segments);
    story_destroy(story);
}

// Proofs.

struct loop {
    uint32_t block, frame;
    const struct source *source;
    size_t offset;
};

struct proof {
    const struct model *model;
    const struct flat *flat;
    struct story story; // for its sources
    VECTOR(struct loop) loops;
    const struct loop *loop; // the one that is written
    struct text *out;
    bool any;
};

static bool single_copy(const struct flat *flat, uint32_t frame)
{
    size_t copies = 0;
    for (size_t i = 0; i < flat->frame_count; i++)
        copies += flat->frames[i].function == flat->frames[frame].function;
    return copies == 1;
}

// Back edges carry the place of their loop's keyword.
static bool loop_place(const struct instruction *i, struct loop *out, unsigned *line,
                       unsigned *column)
{
    uint32_t targets = i->operand_count == 1 ? 2 : 1;
    if (i->op != OP_BRANCH || i->number_count < targets + 2 || i->numbers[targets] == 0)
        return false;
    out->block = (uint32_t)i->numbers[0];
    out->frame = i->frame;
    *line = (unsigned)i->numbers[targets];
    *column = (unsigned)i->numbers[targets + 1];
    return true;
}

// Of do, the condition is not at the place where the loop begins again.
static void find_loops(struct proof *p)
{
    for (size_t b = 0; b < p->flat->block_count; b++) {
        const struct block *block = &p->flat->blocks[b];
        const struct instruction *last = &block->instructions[block->count - 1];
        struct loop loop;
        unsigned line, column;
        if (block->count == 0 || !loop_place(last, &loop, &line, &column) || last->at.line == 0 ||
            !single_copy(p->flat, loop.frame))
            continue;
        loop.source = story_source(&p->story, last->at.path);
        loop.offset =
            loop.source == NULL ? SOURCE_NOWHERE : source_offset(loop.source, line, column);
        if (loop.offset != SOURCE_NOWHERE && (source_word(loop.source, loop.offset, "for") ||
                                              source_word(loop.source, loop.offset, "while")))
            VECTOR_PUSH(&p->loops, loop);
    }
}

static bool in_scope(const struct proof *p, const struct program_name *name)
{
    const struct source *source = p->loop->source;
    if (name->scope_line == 0)
        return true;
    size_t start = source_offset(source, name->scope_line, name->scope_column);
    return start != SOURCE_NOWHERE && start < p->loop->offset &&
           source_scope_end(source, start) != SOURCE_NOWHERE &&
           source_scope_end(source, start) > p->loop->offset;
}

// The innermost variable of that name that C sees at the loop is this one.
static bool means(const struct proof *p, const struct function *f, const struct program_name *name)
{
    unsigned line, column;
    source_position(p->loop->source, p->loop->offset, &line, &column);
    if (name->line > line || !in_scope(p, name))
        return false;
    for (size_t i = 0; i < f->name_count; i++) {
        const struct program_name *other = &f->names[i];
        if (other != name && strcmp(other->name, name->name) == 0 && in_scope(p, other))
            return false;
    }
    return true;
}

static const char *local_name(const struct proof *p, const struct object *o, const char **type)
{
    const struct flat_frame *frame = &p->flat->frames[o->frame];
    const struct function *f = &p->flat->program->functions[frame->function];
    if (o->frame != p->loop->frame)
        return NULL;
    for (size_t i = 0; i < f->name_count; i++) {
        if (frame->value_base + f->names[i].value == o->value && means(p, f, &f->names[i])) {
            *type = f->names[i].type;
            return f->names[i].name;
        }
    }
    return NULL;
}

// Static variables of functions have a dot in their name; a local may hide a global.
static const char *global_name(const struct proof *p, const struct object *o, const char **type)
{
    const struct global *g = &p->flat->program->globals[o->number];
    const struct function *f =
        &p->flat->program->functions[p->flat->frames[p->loop->frame].function];
    if (g->source_name == NULL || strcmp(g->source_name, g->name) != 0)
        return NULL;
    for (size_t i = 0; i < f->name_count; i++) {
        if (strcmp(f->names[i].name, g->name) == 0)
            return NULL;
    }
    *type = g->type_name;
    return g->source_name;
}

static bool is_number(const char *type)
{
    return strchr(type, '[') == NULL && strcmp(type, "pointer") != 0 &&
           strcmp(type, "aggregate") != 0 && *type != '\0' && strstr(type, "float") == NULL &&
           strstr(type, "double") == NULL;
}

static const char *name_of(const void *context, const char *variable, const char **type)
{
    const struct proof *p = context;
    const struct variable *v = model_find_variable(p->model, variable);
    const struct object *o = v == NULL ? NULL : program_judge_cell(p->model->judge, v->index);
    if (o == NULL || o->layout != LAYOUT_CELLS || o->cell_count != 1 || o->cells[0].offset != 0 ||
        o->cells[0].bytes != o->bytes)
        return NULL;
    const char *name = o->kind == OBJECT_LOCAL    ? local_name(p, o, type)
                       : o->kind == OBJECT_GLOBAL ? global_name(p, o, type)
                                                  : NULL;
    return name != NULL && is_number(*type) ? name : NULL;
}

static void add_conjuncts(struct text *out, const struct witness_scope *scope,
                          const struct term *term)
{
    struct text one;
    if (term->kind == TERM_AND) {
        for (uint32_t i = 0; i < term->child_count; i++)
            add_conjuncts(out, scope, term->child[i]);
        return;
    }
    text_init(&one);
    if (term->kind != TERM_BOOL && witness_formula(&one, scope, term))
        text_printf(out, "%s%s", out->length > 0 ? " && " : "", text_string(&one));
    text_finish(&one);
}

static void add_invariant(struct proof *p, const struct term *formula)
{
    const struct witness_scope scope = {name_of, p, p->flat->program->pointer_bits == 64};
    struct text value;
    text_init(&value);
    add_conjuncts(&value, &scope, formula);
    if (value.length > 0) {
        text_add(p->out, "    - invariant:\n        type: loop_invariant\n");
        add_location(p->out, "        ", p->loop->source, p->loop->offset,
                     p->flat->program->functions[p->flat->frames[p->loop->frame].function].name);
        text_add(p->out, "        value: ");
        add_quoted(p->out, text_string(&value));
        text_add(p->out, "\n        format: c_expression\n");
        p->any = true;
    }
    text_finish(&value);
}

// `inv.NAME#BLOCK`, as translate.c names locations.
static void add_formula(struct proof *p, struct smtlib_reader *reader, struct term_store *store,
                        const struct sexpr *e)
{
    const char *name = e->child[1]->kind == SEXPR_SYMBOL ? e->child[1]->text : "";
    const char *sign = strrchr(name, '#');
    struct text why;
    if (sign == NULL)
        return;
    text_init(&why);
    const struct term *formula = smtlib_read_as(reader, e->child[4], sort_bool(store), &why);
    text_finish(&why);
    for (size_t i = 0; formula != NULL && i < p->loops.count; i++) {
        p->loop = &p->loops.data[i];
        bool twice = false;
        for (size_t k = 0; k < i; k++)
            twice = twice || p->loops.data[k].block == p->loop->block;
        if (!twice && p->loop->block == strtoul(sign + 1, NULL, 10))
            add_invariant(p, formula);
    }
}

static void add_formulas(struct proof *p, const char *certificate)
{
    struct arena arena;
    struct text why;
    struct term_store *store = term_store_create(p->model->store);
    struct smtlib_reader *reader = smtlib_reader_create(store);
    struct sexpr_reader at = {
        .at = certificate, .end = certificate + strlen(certificate), .line = 1};
    const struct sexpr *e;
    arena_init(&arena);
    text_init(&why);
    for (uint32_t v = 0; v < p->model->variable_count; v++)
        smtlib_reader_add(reader, p->model->variables[v]->term);
    while (sexpr_read(&at, &arena, &e, &why) == SEXPR_READ) {
        if (sexpr_is_call(e, "define-fun", 5))
            add_formula(p, reader, store, e);
    }
    text_finish(&why);
    arena_finish(&arena);
    smtlib_reader_destroy(reader);
    term_store_destroy(store);
}

void witness_print_proof(struct text *out, const struct model *model, const char *certificate)
{
    struct text invariants;
    struct proof p = {.model = model, .flat = program_judge_flat(model->judge)};
    text_init(&invariants);
    p.out = &invariants;
    if (p.flat->threads == 0) { // an invariant of a loop is one wherever the other threads are
        find_loops(&p);
        add_formulas(&p, certificate);
    }
    add_head(out, model, "invariant_set");
    text_add(out, text_string(&invariants));
    if (!p.any)
        text_add(out, "    []\n");
    for (size_t i = 0; i < p.story.source_count; i++)
        source_destroy(p.story.sources[i]);
    memory_free(p.story.sources);
    VECTOR_FINISH(&p.loops);
    text_finish(&invariants);
}
