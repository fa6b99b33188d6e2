#include "languages/programs/story.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/float_bits.h"
#include "languages/programs/half.h"
#include "languages/programs/judge.h"
#include "languages/programs/threads.h"
#include "languages/programs/x87.h"

// Very long runs keep their beginning and their end.
#define MOST_STEPS 20000
#define FIRST_STEPS 8000
#define MOST_EVENTS 60
#define MOST_INPUTS 200000

const struct source *story_source(struct story *story, const char *path)
{
    for (size_t i = 0; i < story->source_count; i++) {
        if (strcmp(story->sources[i]->path, path) == 0)
            return story->sources[i]->line_count > 0 ? story->sources[i] : NULL;
    }
    struct source *source = source_open(path);
    if (source == NULL) {
        source = memory_zalloc(sizeof *source);
        source->path = memory_strdup(path);
    }
    struct {
        struct source **data;
        size_t count, capacity;
    } list = {story->sources, story->source_count, story->source_capacity};
    VECTOR_PUSH(&list, source);
    story->sources = list.data;
    story->source_count = list.count;
    story->source_capacity = list.capacity;
    return source->line_count > 0 ? source : NULL;
}

struct event_list {
    struct run_event *data;
    size_t count, capacity;
};

static void drop_middle(struct story *story)
{
    size_t drop = MOST_STEPS - 2 * FIRST_STEPS;
    for (size_t i = FIRST_STEPS; i < FIRST_STEPS + drop; i++)
        memory_free(story->steps[i].events);
    memmove(story->steps + FIRST_STEPS, story->steps + FIRST_STEPS + drop,
            (story->step_count - FIRST_STEPS - drop) * sizeof *story->steps);
    story->step_count -= drop;
    story->left_out += drop;
    story->left_out_at = FIRST_STEPS;
}

static struct story_step *add_step(struct story *story, struct story_step step)
{
    if (story->step_count == MOST_STEPS)
        drop_middle(story);
    struct {
        struct story_step *data;
        size_t count, capacity;
    } list = {story->steps, story->step_count, story->step_capacity};
    VECTOR_PUSH(&list, step);
    story->steps = list.data;
    story->step_count = list.count;
    story->step_capacity = list.capacity;
    return &VECTOR_LAST(&list);
}

static struct story_step *last_step(const struct story *story)
{
    return story->step_count == 0 ? NULL : &story->steps[story->step_count - 1];
}

static void add_event(struct story_step *step, const struct run_event *event)
{
    struct event_list list = {step->events, step->event_count, step->event_capacity};
    if (list.count == MOST_EVENTS) {
        step->more_events++;
        return;
    }
    VECTOR_PUSH(&list, *event);
    step->events = list.data;
    step->event_count = list.count;
    step->event_capacity = list.capacity;
}

static void begin_statement(struct story *story, const struct run_event *event)
{
    struct position at = event->instruction->at;
    struct story_step step = {
        .kind = STORY_STATEMENT, .frame = event->frame, .depth = event->depth, .at = at};
    if (event->instruction->op == OP_ENTER || event->instruction->op == OP_LEAVE)
        return;
    step.source = story_source(story, at.path);
    size_t offset =
        step.source == NULL ? SOURCE_NOWHERE : source_offset(step.source, at.line, at.column);
    if (offset != SOURCE_NOWHERE && source_statement(step.source, offset, &step.start, &step.end))
        source_position(step.source, step.start, &step.at.line, &step.at.column);
    const struct story_step *last = last_step(story);
    bool same = last != NULL && last->kind == STORY_STATEMENT && last->frame == step.frame &&
                last->depth == step.depth && last->source == step.source &&
                last->at.line == step.at.line &&
                (step.end == 0 || last->at.column == step.at.column);
    if (!same)
        add_step(story, step);
}

static void keep_input(struct story *story, const struct run_event *event)
{
    struct event_list list = {story->inputs, story->input_count, story->input_capacity};
    if (list.count == MOST_INPUTS) {
        story->inputs_cut = true;
        return;
    }
    VECTOR_PUSH(&list, *event);
    story->inputs = list.data;
    story->input_count = list.count;
    story->input_capacity = list.capacity;
}

static bool is_turn(const struct story *story, const struct run_event *event)
{
    return strcmp(flat_callee(story->flat, event->instruction), THREADS_CHOICE) == 0;
}

static void keep_text(struct story *story, const struct run_event *event)
{
    struct {
        struct story_text *data;
        size_t count, capacity;
    } list = {story->texts, story->text_count, story->text_capacity};
    struct story_text text = {.name = event->name, .which = (uint64_t)event->bits};
    if (event->kind == EVENT_TEXT) {
        text.length = event->length;
        text.text = memory_alloc(event->length + 1);
        memcpy(text.text, event->text, event->length);
        text.text[event->length] = 0;
    }
    VECTOR_PUSH(&list, text);
    story->texts = list.data;
    story->text_count = list.count;
    story->text_capacity = list.capacity;
}

static void listen(void *context, const struct run_event *event)
{
    struct story *story = context;
    struct story_step *last = last_step(story);
    switch (event->kind) {
    case EVENT_STEP:
        begin_statement(story, event);
        break;
    case EVENT_ENTER:
    case EVENT_LEAVE:
        add_step(story,
                 (struct story_step){.kind = event->kind == EVENT_ENTER ? STORY_ENTER : STORY_LEAVE,
                                     .frame = event->frame,
                                     .depth = event->depth,
                                     .at = event->at});
        break;
    case EVENT_ROUNDS:
        add_step(story, (struct story_step){.kind = STORY_ROUNDS,
                                            .frame = event->frame,
                                            .depth = event->depth,
                                            .rounds = (uint64_t)event->bits});
        break;
    case EVENT_INPUT:
        if (is_turn(story, event))
            break; // whose steps come next is seen
        keep_input(story, event);
        if (last != NULL)
            add_event(last, event);
        break;
    case EVENT_STORE:
        if (story->flat->threads > 0 && event->instruction->operands[0].kind == OPERAND_UNDEFINED)
            break; // a variable begins to live
        if (last != NULL)
            add_event(last, event);
        break;
    case EVENT_COUNT:
    case EVENT_TEXT:
        keep_text(story, event);
        break;
    }
}

struct story *story_create(const struct trace *trace)
{
    struct story *story = memory_zalloc(sizeof *story);
    const struct model_judge *judge = trace->model->judge;
    story->flat = program_judge_runs(judge);
    story->result = program_follow(judge, trace, listen, story);
    return story;
}

void story_destroy(struct story *story)
{
    if (story == NULL)
        return;
    for (size_t i = 0; i < story->step_count; i++)
        memory_free(story->steps[i].events);
    for (size_t i = 0; i < story->source_count; i++)
        source_destroy(story->sources[i]);
    memory_free(story->steps);
    for (size_t i = 0; i < story->text_count; i++)
        memory_free(story->texts[i].text);
    memory_free(story->texts);
    memory_free(story->inputs);
    memory_free(story->sources);
    memory_free(story);
}

const char *story_function(const struct story *story, uint32_t frame)
{
    return story->flat->program->functions[story->flat->frames[frame].function].name;
}

unsigned story_thread(const struct story *story, const struct story_step *step)
{
    return story->flat->frames[step->frame].thread + 1;
}

unsigned story_depth(const struct story_step *step)
{
    const unsigned depth = step->depth;
    bool inside = step->kind == STORY_STATEMENT || step->kind == STORY_ROUNDS;
    return inside ? depth : depth > 0 ? depth - 1 : 0;
}

// Names and values.

static bool is_array(const char *type)
{
    size_t length = strlen(type);
    return length > 2 && strcmp(type + length - 2, "[]") == 0 &&
           strchr(type, '[') == type + length - 2;
}

static void add_place(struct text *out, const char *name, const struct instruction *made,
                      uint64_t offset)
{
    if (name != NULL)
        text_add(out, name);
    else if (made != NULL)
        text_printf(out, "block of line %u", made->at.line);
    else
        text_add(out, "memory");
    if (offset > 0)
        text_printf(out, "+%" PRIu64, offset);
}

void story_target(struct text *out, const struct story *story, const struct run_event *event)
{
    if (event->kind == EVENT_INPUT) {
        text_printf(out, "%s()", flat_callee(story->flat, event->instruction));
    } else if (event->name != NULL && event->whole) {
        text_add(out, event->name);
    } else if (event->name != NULL && is_array(event->type) && event->width >= 8 &&
               event->offset % (event->width / 8) == 0) {
        text_printf(out, "%s[%" PRIu64 "]", event->name, event->offset / (event->width / 8));
    } else {
        add_place(out, event->name, event->made, event->offset);
        if (event->offset == 0)
            text_add(out, "+0");
    }
}

static void add_unsigned(struct text *out, program_word bits)
{
    char digits[40];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + (int)(bits % 10));
        bits /= 10;
    } while (bits != 0);
    text_printf(out, "%.*s", (int)(sizeof digits - at), digits + at);
}

static void add_float(struct text *out, program_word bits, uint32_t width)
{
    if (width == HALF_BITS)
        text_printf(out, "%.6Lg", half_number((uint16_t)bits));
    else if (width == X87_BITS)
        text_printf(out, "%.21Lg", x87_number(bits));
    else if (width == 32)
        text_printf(out, "%.9g", (double)float_of_bits((uint64_t)bits));
    else
        text_printf(out, "%.17g", double_of_bits((uint64_t)bits));
}

void story_value(struct text *out, const struct run_event *event)
{
    const char *type = event->type == NULL ? "" : event->type;
    bool input = event->kind == EVENT_INPUT;
    if (input)
        type = event->instruction->type.kind == PROGRAM_FLOAT ? "double" : "";
    if (event->width == 0) {
        text_add(out, "(copied)");
    } else if (event->pointer) {
        text_add(out, event->points ? "&" : event->bits == 0 ? "NULL" : "");
        if (event->points)
            add_place(out, event->target, event->target_made, event->target_offset);
        else if (event->bits != 0)
            text_printf(out, "0x%" PRIx64, (uint64_t)event->bits);
    } else if (text_begins_with(type, "float") || text_begins_with(type, "double") ||
               text_begins_with(type, "long double") || text_begins_with(type, "_Float16") ||
               text_begins_with(type, "__fp16")) {
        add_float(out, event->bits, event->width);
    } else if (text_begins_with(type, "unsigned") || text_begins_with(type, "_Bool")) {
        add_unsigned(out, event->bits);
    } else {
        __int128 value = program_as_signed(event->bits, event->width);
        text_add(out, value < 0 ? "-" : "");
        add_unsigned(out, value < 0 ? -(program_word)value : (program_word)value);
        if (text_begins_with(type, "char") && value > 32 && value < 127)
            text_printf(out, " '%c'", (char)value);
    }
}

void story_statement(struct text *out, const struct story_step *step)
{
    if (step->source == NULL || step->end == 0)
        return;
    size_t end = step->end;
    if (step->source->plain[end - 1] == '{')
        end--;
    text_add_words(out, step->source->text + step->start, end - step->start, 160);
}

void story_text_name(struct text *out, const struct story_text *t)
{
    text_printf(out, "%s[%" PRIu64 "]", t->name, t->which);
}

void story_text_words(struct text *out, const struct story_text *t)
{
    text_add_char(out, '"');
    for (uint64_t i = 0; i < t->length; i++) {
        const unsigned char c = (unsigned char)t->text[i];
        if (c == '"' || c == '\\' || c == '?')
            text_printf(out, "\\%c", c);
        else if (c < 32 || c >= 127)
            text_printf(out, "\\%03o", c);
        else
            text_add_char(out, (char)c);
    }
    text_add_char(out, '"');
}

// The text.

#define MOST_TEXTS_SHOWN 40

static void add_given(struct text *out, const struct story *story)
{
    for (size_t i = 0; i < story->text_count && i < MOST_TEXTS_SHOWN; i++) {
        const struct story_text *t = &story->texts[i];
        if (t->text == NULL)
            continue; // what main does with it is told
        story_text_name(out, t);
        text_add(out, " = ");
        story_text_words(out, t);
        text_add_char(out, '\n');
    }
    if (story->text_count > MOST_TEXTS_SHOWN)
        text_printf(out, "… and %zu more\n", story->text_count - MOST_TEXTS_SHOWN);
}

static void add_margin(struct text *out, unsigned depth)
{
    for (unsigned i = 0; i < depth && i < 40; i++)
        text_add(out, "  ");
}

static void add_changes(struct text *out, const struct story *story, const struct story_step *step,
                        unsigned margin)
{
    for (size_t i = 0; i < step->event_count; i++) {
        add_margin(out, margin);
        story_target(out, story, &step->events[i]);
        text_add(out, step->events[i].kind == EVENT_INPUT ? " gives " : " = ");
        story_value(out, &step->events[i]);
        text_add_char(out, '\n');
    }
    if (step->more_events > 0) {
        add_margin(out, margin);
        text_printf(out, "… and %zu more\n", step->more_events);
    }
}

static void add_text_step(struct text *out, const struct story *story,
                          const struct story_step *step)
{
    unsigned depth = story_depth(step);
    if (step->kind == STORY_LEAVE)
        return;
    add_margin(out, depth);
    if (story->flat->threads > 0)
        text_printf(out, "[%u] ", story_thread(story, step));
    if (step->at.line > 0)
        text_printf(out, "%s:%u:%u: ", step->at.path, step->at.line, step->at.column);
    if (step->kind == STORY_ENTER)
        text_printf(out, "call of %s", story_function(story, step->frame));
    else if (step->kind == STORY_ROUNDS)
        text_printf(out, "… %" PRIu64 " more rounds like this one", step->rounds);
    else
        story_statement(out, step);
    text_add_char(out, '\n');
    add_changes(out, story, step, depth + 2);
}

static void print_outside(struct text *out, const struct position *at)
{
    text_printf(
        out,
        "memory outside of every object was accessed before (%s:%u:%u); C does not say what "
        "happens then: it is taken for memory that holds anything",
        at->path, at->line, at->column);
}

void story_print_text(struct text *out, const struct trace *trace)
{
    struct story *story = story_create(trace);
    add_given(out, story);
    for (size_t i = 0; i < story->step_count; i++) {
        if (story->left_out > 0 && i == story->left_out_at)
            text_printf(out, "… %zu steps are left out\n", story->left_out);
        add_text_step(out, story, &story->steps[i]);
    }
    const struct position *at = &story->result.at;
    text_printf(out, "%s: %s", story->result.end == RUN_VIOLATION ? "violated" : "ended",
                story->result.what);
    if (at->line > 0)
        text_printf(out, " at %s:%u:%u", at->path, at->line, at->column);
    text_add_char(out, '\n');
    if (story->result.outside.line > 0) {
        print_outside(out, &story->result.outside);
        text_add_char(out, '\n');
    }
    story_destroy(story);
}

void story_print_violated(struct text *out, struct text *note, const struct trace *trace)
{
    struct run_result result = program_follow(trace->model->judge, trace, NULL, NULL);
    if (result.end == RUN_VIOLATION)
        text_add(out, result.what);
    if (result.outside.line > 0)
        print_outside(note, &result.outside);
}
