#include "engines/domains/input_cases.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

#define LEAST_WIDTH 7    // narrower ones are split where a condition looks at them
#define MOST_WIDTH 60    // values are small numbers
#define SHORT_STRETCH 8  // values that are all listed
#define MOST_VALUES 512  // of one width
#define LARGE_TERM 20000 // it may look at any input

struct width_cases {
    size_t count;
    struct value *values;
    bool *open; // by position in `values`
};

struct input_cases {
    variable_bits *inputs;
    uint32_t width; // of all inputs; 0: of none
    struct width_cases widths[MOST_WIDTH + 1];
    variable_bits **seen; // by statement id, less the first
    bool *begins;         // the same: a havoc whose value is read
    uint32_t first_statement, statement_count;
};

struct search {
    const struct model *model;
    struct arena *arena;
    struct input_cases *cases;
    variable_bits **live;
    size_t words;
    bool changed;                          // an input was found
    VECTOR(uint64_t) cuts[MOST_WIDTH + 1]; // where what a comparison says may change
    uint8_t *visited;                      // by term id
    uint32_t term_count;
};

static uint64_t mask_of(uint32_t width)
{
    return ((uint64_t)1 << width) - 1;
}

static bool is_wide(const struct variable *v)
{
    return v->sort->kind == SORT_BV && v->sort->width >= LEAST_WIDTH &&
           v->sort->width <= MOST_WIDTH;
}

static const struct variable *input_of(const struct search *s, const struct term *t)
{
    if (t->kind != TERM_VAR)
        return NULL;
    const struct variable *v = model_variable_of(s->model, t);
    return v != NULL && variable_bits_get(s->cases->inputs, v->index) ? v : NULL;
}

static void each_statement(struct search *s, const struct statement *statement,
                           void (*take)(struct search *, const struct statement *))
{
    take(s, statement);
    for (uint32_t i = 0; i < statement->child_count; i++)
        each_statement(s, statement->child[i], take);
}

// Inputs.

static bool makes_input(const struct search *s, const struct statement *statement)
{
    return statement->kind == STATEMENT_HAVOC && is_wide(statement->variable) &&
           variable_bits_get(s->live[statement->id], statement->variable->index);
}

static void find_input(struct search *s, const struct statement *statement)
{
    struct input_cases *c = s->cases;
    if (statement->id < c->first_statement)
        c->first_statement = statement->id;
    if (statement->id + 1 > c->statement_count)
        c->statement_count = statement->id + 1;
    bool is_input = makes_input(s, statement) ||
                    (statement->kind == STATEMENT_ASSIGN && input_of(s, statement->expression));
    if (!is_input || !is_wide(statement->variable) ||
        variable_bits_get(c->inputs, statement->variable->index))
        return;
    variable_bits_set(c->inputs, statement->variable->index);
    s->changed = true;
}

// Comparisons.

static void cut(struct search *s, uint32_t width, uint64_t at)
{
    VECTOR_PUSH(&s->cuts[width], at & mask_of(width));
}

// An input, one with a literal added to it, or one made longer: its order stays the same then but for where it wraps, and a literal
// that it cannot be is compared alike with all that have its sign.
static const struct variable *shifted_input(const struct search *s, const struct term *t,
                                            uint64_t *shift)
{
    *shift = 0;
    const struct variable *v = input_of(s, t);
    if (v != NULL)
        return v;
    if (t->kind == TERM_BV_ZEXT || t->kind == TERM_BV_SEXT)
        return input_of(s, t->child[0]);
    if (t->kind != TERM_BV_ADD)
        return NULL;
    for (unsigned side = 0; side < 2; side++) {
        v = input_of(s, t->child[side]);
        const struct term *other = t->child[1 - side];
        if (v != NULL && other->kind == TERM_BV && value_is_small(other->u.value)) {
            *shift = (uint64_t)value_small_get(other->u.value);
            return v;
        }
    }
    return NULL;
}

// A comparison of an input with a literal: cuts the input's values where its answer may change.
static bool take_comparison(struct search *s, const struct term *t)
{
    if (t->kind != TERM_EQ && (t->kind < TERM_BV_ULT || t->kind > TERM_BV_SLE))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        const struct term *literal = t->child[1 - side];
        uint64_t shift;
        const struct variable *v = literal->kind == TERM_BV && value_is_small(literal->u.value)
                                       ? shifted_input(s, t->child[side], &shift)
                                       : NULL;
        if (v == NULL)
            continue;
        uint32_t width = v->sort->width;
        uint64_t at = (uint64_t)value_small_get(literal->u.value);
        cut(s, width, at - shift);
        cut(s, width, at - shift + 1);
        cut(s, width, 0 - shift);                            // where numbers without a sign wrap
        cut(s, width, ((uint64_t)1 << (width - 1)) - shift); // and those with one
        return true;
    }
    return false;
}

static void see(struct search *s, const struct statement *statement, const struct variable *v)
{
    variable_bits **seen = &s->cases->seen[statement->id - s->cases->first_statement];
    if (*seen == NULL)
        *seen = arena_zalloc(s->arena, s->words * sizeof **seen);
    variable_bits_set(*seen, v->index);
}

static void measure_terms(struct search *s, const struct statement *statement)
{
    if (statement->expression != NULL && statement->expression->id + 1 > s->term_count)
        s->term_count = statement->expression->id + 1;
}

// Each term once for an action: an input in a term that several statements share is marked at the first of them, so such terms
// are not entered in the memory of visited ones.
static bool look_at_term(struct search *s, const struct statement *statement, const struct term *t)
{
    if (!(t->flags & TERM_HAS_VARIABLE) || (t->id < s->term_count && s->visited[t->id]))
        return false;
    const struct variable *v = input_of(s, t);
    if (v != NULL)
        see(s, statement, v);
    bool sees = v != NULL;
    if (v == NULL && !take_comparison(s, t))
        for (uint32_t i = 0; i < t->child_count; i++)
            sees |= look_at_term(s, statement, t->child[i]);
    if (!sees && t->id < s->term_count)
        s->visited[t->id] = 1;
    return sees;
}

static void look_at_statement(struct search *s, const struct statement *statement)
{
    if (statement->expression == NULL)
        return;
    if (statement->expression->tree_size > LARGE_TERM) {
        for (uint32_t v = 0; v < s->model->variable_count; v++)
            if (variable_bits_get(s->cases->inputs, v))
                see(s, statement, s->model->variables[v]);
        return;
    }
    bool copies = statement->kind == STATEMENT_ASSIGN && is_wide(statement->variable) &&
                  input_of(s, statement->expression) != NULL;
    if (!copies)
        look_at_term(s, statement, statement->expression);
}

// Values.

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool list_values(struct search *s, uint32_t width)
{
    cut(s, width, 0);
    size_t count = s->cuts[width].count;
    uint64_t *cuts = s->cuts[width].data;
    qsort(cuts, count, sizeof *cuts, by_number);
    struct width_cases *out = &s->cases->widths[width];
    out->values = arena_alloc(s->arena, MOST_VALUES * sizeof *out->values);
    out->open = arena_alloc(s->arena, MOST_VALUES * sizeof *out->open);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = cuts[i], to = i + 1 < count ? cuts[i + 1] : mask_of(width) + 1;
        bool open = to - from > SHORT_STRETCH;
        uint64_t listed = open ? 1 : to - from;
        if (out->count + listed > MOST_VALUES)
            return false;
        for (uint64_t k = 0; k < listed; k++) {
            out->open[out->count] = open;
            out->values[out->count++] =
                value_small((int64_t)(open ? from + (to - from) / 2 : from + k));
        }
    }
    return true;
}

static void mark_beginning(struct search *s, const struct statement *statement)
{
    s->cases->begins[statement->id - s->cases->first_statement] = makes_input(s, statement);
}

static uint32_t common_width(const struct search *s)
{
    uint32_t width = 0;
    for (uint32_t v = 0; v < s->model->variable_count; v++) {
        uint32_t own = s->model->variables[v]->sort->width;
        if (!variable_bits_get(s->cases->inputs, v))
            continue;
        if (s->cases->widths[own].count > 64 || (width != 0 && own != width))
            return 0;
        width = own;
    }
    return width;
}

static bool gather(struct search *s, const struct statement *action)
{
    struct input_cases *c = s->cases;
    c->first_statement = UINT32_MAX;
    do {
        s->changed = false;
        each_statement(s, action, find_input);
    } while (s->changed);
    bool any = false;
    for (size_t w = 0; w < s->words; w++)
        any |= c->inputs[w] != 0;
    if (!any)
        return false;
    c->statement_count -= c->first_statement;
    c->seen = arena_zalloc(s->arena, c->statement_count * sizeof *c->seen);
    c->begins = arena_zalloc(s->arena, c->statement_count * sizeof *c->begins);
    each_statement(s, action, measure_terms);
    s->visited = memory_zalloc(s->term_count + 1);
    each_statement(s, action, look_at_statement);
    for (uint32_t v = 0; v < s->model->variable_count; v++) {
        uint32_t width = is_wide(s->model->variables[v]) ? s->model->variables[v]->sort->width : 0;
        if (variable_bits_get(c->inputs, v) && c->widths[width].count == 0 &&
            !list_values(s, width))
            return false;
    }
    each_statement(s, action, mark_beginning);
    c->width = common_width(s);
    return true;
}

const struct input_cases *input_cases_of(const struct model *model, struct arena *arena,
                                         const struct statement *action, variable_bits **live)
{
    struct search s = {.model = model,
                       .arena = arena,
                       .live = live,
                       .words = variable_bits_words(model->variable_count)};
    s.cases = arena_zalloc(arena, sizeof *s.cases);
    s.cases->inputs = arena_zalloc(arena, s.words * sizeof(variable_bits));
    bool found = gather(&s, action);
    for (uint32_t w = 0; w <= MOST_WIDTH; w++)
        VECTOR_FINISH(&s.cuts[w]);
    memory_free(s.visited);
    return found ? s.cases : NULL;
}

const struct value *input_cases_values(const struct input_cases *cases, uint32_t width,
                                       size_t *count)
{
    assert(width <= MOST_WIDTH);
    *count = cases->widths[width].count;
    return cases->widths[width].values;
}

bool input_cases_begins(const struct input_cases *cases, const struct statement *havoc)
{
    uint32_t at = havoc->id - cases->first_statement;
    assert(at < cases->statement_count);
    return cases->begins[at];
}

uint32_t input_cases_width(const struct input_cases *cases)
{
    return cases->width;
}

bool input_cases_open(const struct input_cases *cases, uint32_t width, struct value value)
{
    assert(width <= MOST_WIDTH);
    const struct width_cases *w = &cases->widths[width];
    if (w->count == 0 || !value_known(value))
        return false;
    size_t low = 0, high = w->count; // values ascend
    uint64_t want = (uint64_t)value_small_get(value);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uint64_t)value_small_get(w->values[middle]) < want)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->count && value_equal(w->values[low], value) && w->open[low];
}

const variable_bits *input_cases_inputs(const struct input_cases *cases)
{
    return cases->inputs;
}

const variable_bits *input_cases_seen(const struct input_cases *cases, const struct statement *s)
{
    uint32_t at = s->id - cases->first_statement;
    assert(at < cases->statement_count);
    return cases->seen[at];
}
