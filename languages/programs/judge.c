#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/vector.h"
#include "languages/programs/guess.h"
#include "languages/programs/interpret.h"
#include "languages/programs/judge.h"
#include "languages/programs/translate.h"
#include "model/trace.h"

// A run of the model is believed when the program itself, run on its inputs, violates the property.

#define MOST_STEPS 20000000
// A run that comes back to a state is followed for so long, and told of for so long.
#define MOST_ENDLESS_STEPS 1000000
#define MOST_ENDLESS_TOLD 5000

struct program_judge {
    struct model_judge judge;
    struct program *program;
    struct flat *flat,
        *plain; // what the model is of; what is run: the same where there is no model but a run
    struct objects *objects;
    struct program_question question;
    struct arena arena;
    struct variable_meaning *meanings;
    size_t meaning_count;
    uint32_t copies_from; // as in translation_result
    uint32_t guess;       // the run is the one on these guesses; 0: it is the trace's
    bool doubts;          // no run counts
};

// What the trace gave each variable, in order.
struct given {
    uint32_t variable;
    struct value value;
};

// What the trace does not say, or says for no reason.
struct choices {
    bool never_null; // pointers that nobody wrote: solvers like null best where any pointer does
    bool tight;      // as in run_source
    bool reuses;     // likewise
    bool in_place;   // likewise
    bool few;        // texts that main is given, where they are too many for a run
    bool alike;      // texts that the model does not follow are as the one that it does
};

#define FEW_TEXTS 8

struct following {
    const struct program_judge *judge;
    const struct trace *trace;
    VECTOR(struct given) given;
    size_t again;       // of `given`: what is given over and over begins here; SIZE_MAX: none
    size_t *cursor;     // by variable: where to look on
    uint32_t *input_of; // by value: the variable that stands for its inputs, + 1
    uint32_t *stands;   // by variable: which one is looked for, of the inputs of a value's copies
    struct choices choices;
    void (*listen)(void *context, const struct run_event *event);
    void *listener;
};

static program_word word_of(struct value value)
{
    if (!value_known(value))
        return 0;
    if (value_is_small(value))
        return (program_word)value_small_get(value);
    const struct term *literal = value_pointer_get(value);
    if (literal->kind != TERM_BV)
        return 0;
    program_word out = 0;
    for (const char *c = literal->u.text; *c >= '0' && *c <= '9'; c++)
        out = 10 * out + (program_word)(*c - '0'); // modulo 2^128
    return out;
}

static uint64_t low_bits(struct value value)
{
    return (uint64_t)word_of(value);
}

// A pointer is a number, or an object's number above so many bits for the place in it: is it the number alone?
static bool has_no_object(struct value pointer, uint32_t offset_bits)
{
    uint64_t all = low_bits(pointer);
    if (value_is_small(pointer))
        return offset_bits >= 64 || all >> offset_bits == 0;
    // `all` is what is left of more than 64 bits: it is the number where both are written the same.
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)all);
    const struct term *literal = value_pointer_get(pointer);
    return literal->kind == TERM_BV && strcmp(digits, literal->u.text) == 0 &&
           (offset_bits >= 64 || all >> offset_bits == 0);
}

static void collect_step(struct following *f, const struct trace_step *step)
{
    for (size_t i = 0; i < step->event_count; i++) {
        const struct trace_event *event = &step->events[i];
        if (event->statement->kind == STATEMENT_HAVOC)
            VECTOR_PUSH(&f->given, ((struct given){f->stands[event->statement->variable->index],
                                                   event->value}));
    }
}

static bool find_value(struct following *f, uint32_t variable, size_t from, struct value *out)
{
    for (size_t i = from; i < f->given.count; i++) {
        if (f->given.data[i].variable != variable)
            continue;
        f->cursor[variable] = i + 1;
        *out = f->given.data[i].value;
        return true;
    }
    assert(from >= f->given.count || f->cursor[variable] <= f->given.count);
    f->cursor[variable] = f->given.count;
    return false;
}

static struct value next_value(struct following *f, uint32_t variable)
{
    struct value found;
    if (find_value(f, variable, f->cursor[variable], &found) ||
        find_value(f, variable, f->again, &found))
        return found;
    return f->trace->initial.state != NULL ? f->trace->initial.state[variable] : VALUE_UNKNOWN;
}

// An arbitrary pointer: a number as it is, and one into some object as a number that is no object's.
static uint64_t pointer_bits(const struct following *f, struct value value)
{
    uint64_t all = low_bits(value);
    return has_no_object(value, f->judge->program->pointer_bits) ? all
                                                                 : ARBITRARY_ADDRESS + all % 1024;
}

static program_word give_input(void *context, const struct instruction *at)
{
    struct following *f = context;
    assert(at->result < f->judge->plain->value_count);
    uint32_t variable = f->input_of[at->result];
    if (variable == 0)
        return 0;
    struct value value = next_value(f, variable - 1);
    return at->type.kind == PROGRAM_POINTER && value_known(value) ? pointer_bits(f, value)
                                                                  : word_of(value);
}

static void put(uint8_t *bytes, uint64_t count, uint64_t offset, uint64_t size, program_word value)
{
    for (uint64_t i = 0; i < size && i < 16 && offset + i < count; i++)
        bytes[offset + i] = (uint8_t)(value >> (8 * i));
}

// An address that was never given out stands for every pointer that is not null.
static program_word cell_bits(const struct following *f, const struct cell *cell,
                              struct value value)
{
    uint32_t offset_bits = f->judge->program->pointer_bits;
    if (!cell->pointer)
        return word_of(value);
    uint64_t all = low_bits(value);
    uint64_t offset = offset_bits >= 64 ? all : all & (((uint64_t)1 << offset_bits) - 1);
    if (cell->mixed && word_of(value) >> offset_bits == f->judge->objects->numbers)
        return offset;
    bool null = !f->choices.never_null && offset == 0 && value_known(value) &&
                has_no_object(value, offset_bits);
    return null ? 0 : ARBITRARY_ADDRESS + offset % 16;
}

static void put_array(const struct following *f, const struct term *array, uint8_t *bytes,
                      uint64_t count, const struct cell *cell, uint64_t period)
{
    if (array == NULL || array->kind != TERM_ARRAY)
        return;
    program_word rest = cell_bits(f, cell, term_value(array->child[0]));
    for (uint64_t at = cell->offset; rest != 0 && at + cell->bytes <= count; at += period)
        put(bytes, count, at, cell->bytes, rest);
    for (uint32_t i = 1; i + 1 < array->child_count; i += 2)
        put(bytes, count, low_bits(term_value(array->child[i])), cell->bytes,
            cell_bits(f, cell, term_value(array->child[i + 1])));
}

static void fill_variable(struct following *f, uint32_t variable, const struct object *o,
                          const struct variable_meaning *m, uint8_t *bytes, uint64_t count)
{
    static const struct cell byte = {0, 1, false};
    struct value value = next_value(f, variable);
    assert(m->role != ROLE_CELL || m->cell < o->cell_count);
    if (!value_known(value))
        return;
    if (m->role == ROLE_CELL && o->layout == LAYOUT_CELLS) {
        const struct cell *cell = &o->cells[m->cell];
        put(bytes, count, cell->offset, cell->bytes, cell_bits(f, cell, value));
    } else if (!value_is_small(value)) {
        put_array(f, value_pointer_get(value), bytes, count,
                  m->role == ROLE_CELL ? &o->cells[m->cell] : &byte,
                  m->role == ROLE_CELL ? o->period : 1);
    }
}

// The object that an instruction makes the so-manieth time: each copy of it makes its own. 0: none.
static uint32_t block_made(const struct following *f, uint32_t value, uint32_t time)
{
    const struct objects *os = f->judge->objects;
    uint32_t object = 0;
    for (size_t s = 0; s < os->site_count; s++) {
        const struct site *site = &os->sites[s];
        if (flat_origin(f->judge->flat, site->value) != value)
            continue;
        object = site->first + (time < site->count ? time : 0);
        if (time < site->count)
            break;
        time -= site->count;
    }
    return object;
}

// An instruction may have several arbitrary values; the first is its input. Copies of it give its inputs in turn.
static void find_inputs(struct following *f)
{
    const struct program_judge *judge = f->judge;
    uint32_t *first = memory_zalloc((judge->flat->value_count + 1) * sizeof *first);
    for (uint32_t v = 0; v < f->trace->model->variable_count; v++)
        f->stands[v] = v;
    for (uint32_t v = 0; v < judge->meaning_count; v++) {
        const struct variable_meaning *m = &judge->meanings[v];
        if (m->role != ROLE_INPUT || first[m->value] != 0)
            continue;
        uint32_t origin = flat_origin(judge->flat, m->value);
        first[m->value] = v + 1;
        if (f->input_of[origin] == 0)
            f->input_of[origin] = v + 1;
        f->stands[v] = f->input_of[origin] - 1;
    }
    memory_free(first);
}

// Of texts that main is given.

static uint64_t number_given(struct following *f, enum variable_role role, uint32_t object)
{
    struct value value = VALUE_UNKNOWN;
    for (uint32_t v = 0; v < f->judge->meaning_count; v++) {
        const struct variable_meaning *m = &f->judge->meanings[v];
        if (m->role == role && m->object == object)
            (void)find_value(f, v, 0, &value);
    }
    return value_known(value) ? low_bits(value) : UINT64_MAX;
}

// The object that is the text of this index in the run; 0: it is one that the model does not follow.
static uint32_t text_given(struct following *f, const struct site *site, uint32_t index)
{
    const struct object *items = &f->judge->objects->items[site->first];
    const uint32_t word = f->judge->program->pointer_bits / 8;
    if (index < GIVEN_KNOWN && items[GIVEN_AT(index)].reached)
        return site->first + GIVEN_AT(index);
    const uint64_t followed = number_given(f, ROLE_FOLLOWED, site->first + GIVEN_REST);
    return f->choices.alike || followed == (uint64_t)index * word ? site->first + GIVEN_TRACKED : 0;
}

static void fill_text(struct following *f, const struct site *site, uint32_t index, uint8_t *bytes,
                      uint64_t count)
{
    const struct object *items = f->judge->objects->items;
    const uint32_t object = text_given(f, site, index);
    if (object == 0)
        return;
    assert(items[object].given == GIVEN_TEXT);
    const uint64_t size = number_given(f, ROLE_SIZE, object);
    count = size == 0 ? 0 : size - 1 < count ? size - 1 : count;
    for (uint32_t v = 0; v < f->judge->meaning_count; v++) {
        const struct variable_meaning *m = &f->judge->meanings[v];
        if (m->role == ROLE_BYTES && m->object == object) {
            f->cursor[v] = 0; // texts may be alike
            fill_variable(f, v, &items[object], m, bytes, count);
        }
    }
}

static const struct site *site_given(const struct following *f, const struct instruction *at)
{
    const struct objects *os = f->judge->objects;
    for (size_t s = 0; at != NULL && s < os->site_count; s++) {
        if (os->items[os->sites[s].first].given == GIVEN_WORDS &&
            flat_origin(f->judge->flat, os->sites[s].value) == at->result)
            return &os->sites[s];
    }
    return NULL;
}

// Variables of the library's functions that say how many texts there are.
static void take_few(const struct following *f, const struct instruction *at, uint8_t *bytes,
                     uint64_t count)
{
    const struct flat *plain = f->judge->plain;
    if (!f->choices.few || at == NULL || count != 4)
        return;
    const char *name = plain->program->functions[plain->frames[at->frame].function].name;
    bool counts = strcmp(name, COUNTS_ARGUMENTS) == 0 || strcmp(name, COUNTS_ENVIRONMENT) == 0;
    if (counts && (bytes[1] | bytes[2] | bytes[3]) != 0)
        memcpy(bytes, (const uint8_t[]){FEW_TEXTS, 0, 0, 0}, 4);
}

static void fill(void *context, const struct instruction *at, uint32_t time, uint8_t *bytes,
                 uint64_t count)
{
    struct following *f = context;
    const struct objects *os = f->judge->objects;
    if (os == NULL) // the program has one run only
        return;
    const struct site *given = site_given(f, at);
    if (given != NULL) {
        fill_text(f, given, time, bytes, count);
        return;
    }
    uint32_t object;
    if (at == NULL) {
        assert(time < f->judge->program->global_count);
        object = os->global_object[time];
    } else {
        object = block_made(f, at->result, time);
        if (object == 0)
            return;
    }
    for (uint32_t v = 0; v < f->judge->meaning_count; v++) {
        const struct variable_meaning *m = &f->judge->meanings[v];
        if ((m->role == ROLE_CELL || m->role == ROLE_BYTES) && m->object == object)
            fill_variable(f, v, &os->items[object], m, bytes, count);
    }
    take_few(f, at, bytes, count);
}

static void listen(void *context, const struct run_event *event)
{
    struct following *f = context;
    f->listen(f->listener, event);
}

static struct run_result follow(const struct program_judge *judge, const struct trace *trace,
                                struct choices choices,
                                void (*listener)(void *context, const struct run_event *event),
                                void *context)
{
    struct following f = {.judge = judge,
                          .trace = trace,
                          .choices = choices,
                          .listen = listener,
                          .listener = context};
    f.cursor = memory_zalloc((trace->model->variable_count + 1) * sizeof *f.cursor);
    const size_t values = judge->flat->value_count > judge->plain->value_count
                              ? judge->flat->value_count
                              : judge->plain->value_count;
    f.input_of = memory_zalloc((values + 1) * sizeof *f.input_of);
    f.stands = memory_alloc((trace->model->variable_count + 1) * sizeof *f.stands);
    find_inputs(&f);
    f.again = SIZE_MAX;
    collect_step(&f, &trace->initial);
    for (size_t i = 0; i < trace->step_count; i++) {
        if (f.again == SIZE_MAX && trace->steps[i].edge->target->index >= judge->copies_from)
            f.again = f.given.count;
        collect_step(&f, &trace->steps[i]);
    }
    const struct run_source source = {&f,
                                      give_input,
                                      fill,
                                      listener == NULL ? NULL : listen,
                                      true,
                                      choices.tight,
                                      false,
                                      choices.reuses,
                                      choices.in_place};
    const bool endless = judge->question.property == PROPERTY_TERMINATION;
    // Where the program has one run only, that comes back by itself.
    const uint64_t most = !endless || judge->objects == NULL ? MOST_STEPS
                          : listener == NULL                 ? MOST_ENDLESS_STEPS
                                                             : MOST_ENDLESS_TOLD;
    struct run_result result = interpret(judge->plain, &judge->question, &source, most);
    // That it goes on for ever the model's run says: it came back to a state.
    if (endless && f.again != SIZE_MAX && result.end == RUN_LIMIT && result.steps > most) {
        result.end = RUN_VIOLATION;
        result.what = "termination";
    }
    VECTOR_FINISH(&f.given);
    memory_free(f.cursor);
    memory_free(f.input_of);
    memory_free(f.stands);
    return result;
}

struct run_result program_follow(const struct model_judge *self, const struct trace *trace,
                                 void (*listener)(void *context, const struct run_event *event),
                                 void *context)
{
    const struct program_judge *judge = (const struct program_judge *)self;
    if (judge->guess != 0)
        return guess_run(judge->plain, &judge->question, judge->guess, MOST_STEPS, listener,
                         context);
    // In turn, until one violates the property.
    static const struct choices all[] = {{.never_null = false},
                                         {.never_null = true},
                                         {.tight = true},
                                         {.reuses = true},
                                         {.reuses = true, .in_place = true},
                                         {.few = true},
                                         {.alike = true},
                                         {.few = true, .alike = true}};
    const bool texts = program_find_function(judge->program, GIVES_ARGUMENTS) != NULL ||
                       program_find_function(judge->program, GIVES_ENVIRONMENT) != NULL;
    struct choices chosen = all[0];
    struct run_result result = follow(judge, trace, chosen, NULL, NULL);
    for (size_t k = 1; k < sizeof all / sizeof all[0]; k++) {
        bool other_addresses = all[k].tight || all[k].reuses;
        bool helps = all[k].few || all[k].alike ? texts && result.end != RUN_VIOLATION
                     : other_addresses          ? result.end == RUN_ENDED
                                                : result.end == RUN_UNDEFINED;
        struct run_result other = helps ? follow(judge, trace, all[k], NULL, NULL) : result;
        if (!helps || other.end != RUN_VIOLATION)
            continue;
        chosen = all[k];
        result = other;
    }
    return listener == NULL ? result : follow(judge, trace, chosen, listener, context);
}

// Does the violation count at this place?
static bool is_asked(const struct program_question *q, const struct position *at)
{
    bool before =
        at->line < q->from_line || (at->line == q->from_line && at->column < q->from_column);
    bool behind = at->line > q->to_line || (at->line == q->to_line && at->column >= q->to_column);
    return !q->where || (!before && !behind);
}

// What the model lets be any value, though a run of the program has one; NULL: the variable is no such thing.
static const char *open_thing(const char *variable)
{
    static const struct {
        const char *stem, *words;
    } rows[] = {{"address", "the number of an address"},
                {"difference", "the difference of pointers into two objects"},
                {"order", "the order of two objects"},
                {"same", "whether two pointers are equal"},
                {"invalid", "what is outside of every object"},
                {"others", "what blocks and texts hold that are not followed"},
                {"real", "a result of <math.h>"}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (text_begins_with(variable, rows[k].stem))
            return rows[k].words;
    return NULL;
}

// The last such thing that the trace chose, and where.
static void add_open_thing(const struct trace *trace, struct text *why)
{
    for (size_t i = trace->step_count; i-- > 0;) {
        for (size_t k = trace->steps[i].event_count; k-- > 0;) {
            const struct statement *s = trace->steps[i].events[k].statement;
            const char *words = s->kind == STATEMENT_HAVOC ? open_thing(s->variable->name) : NULL;
            if (words == NULL)
                continue;
            text_printf(why, "; the trace chooses %s", words);
            if (s->source.line > 0)
                text_printf(why, " (%s:%u:%u)", s->source.path, s->source.line, s->source.column);
            return;
        }
    }
}

static bool believes(const struct model_judge *self, const struct trace *trace, struct text *why)
{
    const struct program_judge *judge = (const struct program_judge *)self;
    if (judge->doubts) {
        text_add(why, "a measure of recursion that becomes no less is no endless run");
        return false;
    }
    struct run_result result = program_follow(self, trace, NULL, NULL);
    ENSURE(result.what != NULL); // how it ended
    bool violates = result.end == RUN_VIOLATION;
    if (violates && is_asked(&judge->question, &result.at))
        return true;
    text_printf(why,
                violates ? "the program violates the property elsewhere: %s"
                         : "the program does not do what the trace says: %s",
                result.what);
    if (result.at.line > 0)
        text_printf(why, " (%s:%u:%u)", result.at.path, result.at.line, result.at.column);
    if (result.end == RUN_ENDED || result.end == RUN_ASSUMPTION || result.end == RUN_UNDEFINED)
        add_open_thing(trace, why);
    return false;
}

static void destroy(struct model_judge *self)
{
    struct program_judge *judge = (struct program_judge *)self;
    objects_destroy(judge->objects);
    flat_destroy(judge->flat);
    if (judge->plain != judge->flat)
        flat_destroy(judge->plain);
    program_destroy(judge->program);
    memory_free(judge->meanings);
    arena_finish(&judge->arena);
    memory_free(judge);
}

struct model_judge *program_judge_create(struct program *program, struct flat *flat,
                                         struct flat *plain, struct objects *objects,
                                         const struct program_question *question,
                                         struct arena *arena, const char *retry)
{
    struct program_judge *judge = memory_zalloc(sizeof *judge);
    judge->arena = *arena;
    judge->judge = (struct model_judge){
        .language = "program", .follows = true, .believes = believes, .destroy = destroy};
    judge->judge.retry = retry == NULL ? NULL : arena_strdup(&judge->arena, retry);
    judge->judge.wide = objects != NULL && objects->unwritten != 0;
    judge->program = program;
    judge->flat = flat;
    judge->plain = plain;
    judge->objects = objects;
    judge->question = *question;
    judge->copies_from = UINT32_MAX;
    return &judge->judge;
}

void program_judge_widen(struct model_judge *self, const char *wider)
{
    struct program_judge *judge = (struct program_judge *)self;
    judge->judge.wider = arena_strdup(&judge->arena, wider);
}

void program_judge_doubt(struct model_judge *self)
{
    struct program_judge *judge = (struct program_judge *)self;
    judge->doubts = judge->judge.wide = true;
}

void program_judge_guessed(struct model_judge *self, uint32_t number)
{
    ((struct program_judge *)self)->guess = number;
}

void program_judge_learn(struct model_judge *self, struct translation_result *result)
{
    struct program_judge *judge = (struct program_judge *)self;
    assert(judge->meanings == NULL); // it learns once
    judge->meanings = result->meanings;
    judge->meaning_count = result->meaning_count;
    judge->copies_from = result->copies_from;
    result->meanings = NULL;
    if (result->guesses.length > 0) {
        const char *text = arena_strdup(&judge->arena, text_string(&result->guesses));
        *(result->guesses_are_bounds ? &judge->judge.bounds : &judge->judge.guesses) = text;
    }
    if (!result->has_cuts)
        judge->judge.retry = judge->judge.wider = NULL;
}

const struct program_question *program_judge_question(const struct model_judge *self)
{
    return &((const struct program_judge *)self)->question;
}

const struct object *program_judge_cell(const struct model_judge *self, uint32_t variable)
{
    const struct program_judge *judge = (const struct program_judge *)self;
    if (variable >= judge->meaning_count || judge->meanings[variable].role != ROLE_CELL)
        return NULL;
    return &judge->objects->items[judge->meanings[variable].object];
}

const struct flat *program_judge_flat(const struct model_judge *self)
{
    return ((const struct program_judge *)self)->flat;
}

const struct flat *program_judge_runs(const struct model_judge *self)
{
    return ((const struct program_judge *)self)->plain;
}
