#include "languages/btor2/btor2.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "model/trace.h"

static const struct dialect dialect = {
    .name = "btor2", .terms = PRINT_CFA, .print_witness = trace_print_btor2};

// States and inputs become variables. What no `next` line describes is arbitrary at the start (if no `init`
// line says otherwise) and after each step, so that the property and the step look at the same inputs.
//
//   step:  assume constraints; next_s := …; s := next_s; havoc the others
//   error: assume constraints and bad

#define MOST_NODES ((uint64_t)1 << 26)

bool btor2_fail(struct btor2 *b, const struct btor2_line *line, unsigned word, const char *expected)
{
    struct position at = {b->path, line->number, word < line->count ? line->column[word] : 0};
    message_add(b->messages, MESSAGE_ERROR, at, "found %s%.40s%s, expected %s",
                word < line->count ? "`" : "",
                word < line->count ? line->word[word] : "the end of the line",
                word < line->count ? "`" : "", expected);
    return false;
}

bool btor2_number(struct btor2 *b, const struct btor2_line *line, unsigned word, uint64_t least,
                  uint64_t most, uint32_t *out)
{
    char *end = NULL;
    if (word >= line->count || line->word[word][0] < '0' || line->word[word][0] > '9')
        return btor2_fail(b, line, word, "a number");
    unsigned long long n = strtoull(line->word[word], &end, 10);
    if (*end || n < least || n > most)
        return btor2_fail(b, line, word, "a number in range");
    *out = (uint32_t)n;
    return true;
}

// Numbers may have gaps, so it is at its number's place or before it.
static const struct btor2_node *find(const struct btor2 *b, unsigned long long id)
{
    size_t begin = 0, end = b->nodes.count;
    if (id < end && b->nodes.data[id].id == id)
        return &b->nodes.data[id];
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (b->nodes.data[middle].id < id)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < b->nodes.count && b->nodes.data[begin].id == id ? &b->nodes.data[begin] : NULL;
}

static const struct btor2_node *node(struct btor2 *b, const struct btor2_line *line, unsigned word,
                                     bool *negated)
{
    if (word >= line->count) {
        btor2_fail(b, line, word, "one more argument");
        return NULL;
    }
    const char *text = line->word[word];
    char *end = NULL;
    *negated = *text == '-';
    unsigned long long n = strtoull(text + *negated, &end, 10);
    const struct btor2_node *found = end != text + *negated && !*end && n != 0 ? find(b, n) : NULL;
    if (found == NULL)
        btor2_fail(b, line, word, "the number of an earlier line");
    return found;
}

const struct term *btor2_argument(struct btor2 *b, const struct btor2_line *line, unsigned word)
{
    bool negated;
    const struct btor2_node *n = node(b, line, word, &negated);
    if (n == NULL)
        return NULL;
    if (n->kind != BTOR2_TERM || (negated && n->sort->kind == SORT_ARRAY)) {
        btor2_fail(b, line, word, "the number of a value");
        return NULL;
    }
    if (!negated)
        return n->term;
    return n->sort->kind == SORT_BOOL ? term_not(b->store, n->term)
                                      : term_bv_unary(b->store, TERM_BV_NOT, n->term);
}

const struct sort *btor2_sort(struct btor2 *b, const struct btor2_line *line, unsigned word)
{
    bool negated;
    const struct btor2_node *n = node(b, line, word, &negated);
    if (n != NULL && (n->kind != BTOR2_SORT || negated)) {
        btor2_fail(b, line, word, "the number of a sort");
        return NULL;
    }
    return n != NULL ? n->sort : NULL;
}

static void keep(struct btor2 *b, const struct btor2_line *line, struct btor2_node n)
{
    assert(VECTOR_LAST(&b->nodes).id < line->id); // `find` rests on the order
    assert(n.kind != BTOR2_TERM || n.sort == n.term->sort);
    n.id = line->id;
    VECTOR_PUSH(&b->nodes, n);
}

static bool read_sort(struct btor2 *b, const struct btor2_line *line)
{
    const struct sort *sort = NULL;
    uint32_t width;
    if (line->count > 2 && strcmp(line->word[2], "bitvec") == 0) {
        if (!btor2_number(b, line, 3, 1, 1u << 20, &width))
            return false;
        sort = width == 1 ? sort_bool(b->store) : sort_bv(b->store, width);
    } else if (line->count > 2 && strcmp(line->word[2], "array") == 0) {
        const struct sort *key = btor2_sort(b, line, 3);
        const struct sort *element = key != NULL ? btor2_sort(b, line, 4) : NULL;
        if (element == NULL)
            return false;
        sort = sort_array(b->store, key, element);
    } else {
        return btor2_fail(b, line, 2, "`bitvec` or `array`");
    }
    keep(b, line, (struct btor2_node){.kind = BTOR2_SORT, .sort = sort});
    return true;
}

static const struct variable *make_variable(struct btor2 *b, const struct btor2_line *line,
                                            const struct sort *sort, const char *suffix,
                                            uint32_t flags)
{
    struct position at = {b->path, line->number, 0};
    char name[160];
    const struct variable *v = NULL;
    if (line->count > 3 && line->word[3][0] != ';' && strlen(line->word[3]) < 120) {
        snprintf(name, sizeof name, "%s%s", line->word[3], suffix);
        v = model_builder_variable(b->builder, name, sort, flags, at);
    }
    if (v != NULL)
        return v;
    snprintf(name, sizeof name, "n%u%s", line->id, suffix);
    v = model_builder_variable(b->builder, name, sort, flags, at);
    return v != NULL ? v : model_builder_fresh(b->builder, name, sort, flags, at);
}

static bool read_variable(struct btor2 *b, const struct btor2_line *line, bool input)
{
    const struct sort *sort = btor2_sort(b, line, 2);
    if (sort == NULL)
        return false;
    struct btor2_state state = {
        .variable = make_variable(b, line, sort, "", input ? VARIABLE_INPUT : 0), .input = input};
    if (!input)
        state.local = make_variable(b, line, sort, "'", VARIABLE_LOCAL);
    VECTOR_PUSH(&b->states, state);
    while (b->state_of.count <= state.variable->term->id)
        VECTOR_PUSH(&b->state_of, 0);
    b->state_of.data[state.variable->term->id] = (uint32_t)b->states.count;
    keep(b, line,
         (struct btor2_node){.kind = BTOR2_TERM, .sort = sort, .term = state.variable->term});
    return true;
}

// Initial values are assigned in the order of states: one that reads a later state would see it before it has its own.
static bool reads_earlier(const struct btor2 *b, const struct term *value, uint32_t number)
{
    struct term_vector read = {0};
    bool good = true;
    rewrite_free_variables(value, &read);
    for (size_t i = 0; i < read.count && good; i++) {
        uint32_t other = b->state_of.data[read.data[i]->id];
        good = other < number || b->states.data[other - 1].input;
    }
    VECTOR_FINISH(&read);
    return good;
}

// `init` and `next`: sort, state, value.
static bool read_assignment(struct btor2 *b, const struct btor2_line *line, bool init)
{
    const struct sort *sort = btor2_sort(b, line, 2);
    const struct term *left = sort != NULL ? btor2_argument(b, line, 3) : NULL;
    const struct term *right = left != NULL ? btor2_argument(b, line, 4) : NULL;
    if (right == NULL)
        return false;
    uint32_t number =
        left->kind == TERM_VAR && left->id < b->state_of.count ? b->state_of.data[left->id] : 0;
    struct btor2_state *state = number ? &b->states.data[number - 1] : NULL;
    assert(state == NULL || state->variable->term == left);
    if (state == NULL || state->input || left->sort != sort)
        return btor2_fail(b, line, 3, "a state of this sort");
    if (init && sort->kind == SORT_ARRAY && right->sort == sort->element)
        right = term_array(b->store, sort, right, NULL, 0);
    if (right->sort != sort)
        return btor2_fail(b, line, 4, "a value of this sort");
    if (init && !reads_earlier(b, right, number))
        return btor2_fail(b, line, 4, "a value of earlier states");
    const struct term **slot = init ? &state->init : &state->next;
    if (*slot != NULL)
        return btor2_fail(b, line, 3, "a state without such a line");
    ENSURE(right->sort == state->variable->sort && !state->input);
    *slot = right;
    keep(b, line, (struct btor2_node){.kind = BTOR2_OTHER});
    return true;
}

static bool read_condition(struct btor2 *b, const struct btor2_line *line, bool bad)
{
    const struct term *t = btor2_argument(b, line, 2);
    if (t == NULL)
        return false;
    if (t->sort->kind != SORT_BOOL)
        return btor2_fail(b, line, 2, "a bit-vector of width 1");
    struct btor2_bad item = {t, {b->path, line->number, line->column[2]}};
    if (bad)
        VECTOR_PUSH(&b->bads, item);
    else
        b->constraint = term_and2(b->store, b->constraint, t);
    keep(b, line, (struct btor2_node){.kind = BTOR2_OTHER});
    return true;
}

static bool read_line(struct btor2 *b, const struct btor2_line *line)
{
    const char *name = line->word[1];
    if (strcmp(name, "sort") == 0)
        return read_sort(b, line);
    if (strcmp(name, "input") == 0 || strcmp(name, "state") == 0)
        return read_variable(b, line, *name == 'i');
    if (strcmp(name, "init") == 0 || strcmp(name, "next") == 0)
        return read_assignment(b, line, *name == 'i');
    if (strcmp(name, "bad") == 0 || strcmp(name, "constraint") == 0)
        return read_condition(b, line, *name == 'b');
    // They say nothing about `bad` lines: only a file without these has nothing to answer.
    if (strcmp(name, "justice") == 0 || strcmp(name, "fair") == 0) {
        if (b->justice.line == 0)
            b->justice = (struct position){b->path, line->number, line->column[1]};
        keep(b, line, (struct btor2_node){.kind = BTOR2_OTHER});
        return true;
    }
    if (strcmp(name, "output") == 0) {
        keep(b, line, (struct btor2_node){.kind = BTOR2_OTHER});
        return btor2_argument(b, line, 2) != NULL;
    }
    bool known;
    const struct term *t = btor2_operator(b, line, &known);
    if (!known)
        return btor2_fail(b, line, 1, "an operator of the format");
    if (t != NULL)
        keep(b, line, (struct btor2_node){.kind = BTOR2_TERM, .sort = t->sort, .term = t});
    return t != NULL;
}

// Cuts the line in place; a word that begins with ; ends it.
static void cut(char *text, struct btor2_line *line)
{
    char *start = text;
    line->count = 0;
    while (line->count < BTOR2_WORDS) {
        while (*text == ' ' || *text == '\t' || *text == '\r')
            text++;
        if (*text == '\0' || *text == ';')
            return;
        line->column[line->count] = (unsigned)(text - start) + 1;
        line->word[line->count++] = text;
        while (*text && strchr(" \t\r", *text) == NULL)
            text++;
        if (*text)
            *text++ = '\0';
    }
}

static bool read_lines(struct btor2 *b, char *text, const char *end)
{
    struct btor2_line line = {0};
    for (uint32_t last = 0; text < end;) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        if (stop != NULL)
            *stop = '\0';
        line.number++;
        budget_look();
        cut(text, &line);
        text = stop != NULL ? stop + 1 : (char *)end;
        if (line.count == 0)
            continue;
        if (!btor2_number(b, &line, 0, 1, MOST_NODES, &line.id))
            return false;
        if (line.id <= last)
            return btor2_fail(b, &line, 0, "a number greater than those before");
        last = line.id;
        if (line.count < 2)
            return btor2_fail(b, &line, 1, "an operator");
        if (!read_line(b, &line))
            return false;
    }
    return true;
}

// The model.

struct statements {
    struct statement **data;
    size_t count, capacity;
};

static struct statement *finish_sequence(struct btor2 *b, struct statements *list)
{
    struct statement *s =
        model_sequence(b->builder, list->data, list->count, (struct position){b->path, 0, 0});
    VECTOR_FINISH(list);
    return s;
}

static struct statement *make_start(struct btor2 *b)
{
    struct statements list = {0};
    for (size_t i = 0; i < b->states.count; i++) {
        const struct btor2_state *s = &b->states.data[i];
        if (s->init != NULL)
            VECTOR_PUSH(&list, model_assign(b->builder, s->variable, s->init, s->variable->source));
    }
    return finish_sequence(b, &list);
}

static struct statement *make_step(struct btor2 *b)
{
    struct statements list = {0};
    struct position at = {b->path, 0, 0};
    if (!term_is_true(b->constraint))
        VECTOR_PUSH(&list, model_assume(b->builder, b->constraint, at));
    for (size_t i = 0; i < b->states.count; i++) {
        const struct btor2_state *s = &b->states.data[i];
        if (s->next != NULL)
            VECTOR_PUSH(&list, model_assign(b->builder, s->local, s->next, s->variable->source));
    }
    for (size_t i = 0; i < b->states.count; i++) {
        const struct btor2_state *s = &b->states.data[i];
        VECTOR_PUSH(&list, s->next ? model_assign(b->builder, s->variable, s->local->term,
                                                  s->variable->source)
                                   : model_havoc(b->builder, s->variable, s->variable->source));
    }
    return finish_sequence(b, &list);
}

static const struct btor2_bad *choose_bad(struct btor2 *b, const struct language_request *request)
{
    unsigned long index = 0;
    if (b->bads.count == 0 && request->property_at == PROPERTY_AT_NONE)
        VECTOR_PUSH(&b->bads, ((struct btor2_bad){.term = term_false(b->store)}));
    if (b->bads.count == 0 && b->justice.line != 0) {
        message_add(b->messages, MESSAGE_UNSUPPORTED, b->justice,
                    "justice and fairness properties");
        return NULL;
    }
    if (b->bads.count == 0) {
        message_add(b->messages, MESSAGE_ERROR, (struct position){b->path, 0, 0},
                    "found no `bad` line, expected a property");
        return NULL;
    }
    if (request->property_text != NULL) {
        char *end;
        index = strtoul(request->property_text, &end, 10);
        if (end == request->property_text || *end != '\0' || request->property_text[0] == '-' ||
            index >= b->bads.count) {
            message_add(b->messages, MESSAGE_ERROR, (struct position){request->property_path, 0, 0},
                        "found `%.40s`, expected the number of a bad line, 0 to %zu",
                        request->property_text, b->bads.count - 1);
            return NULL;
        }
    } else if (b->bads.count > 1) {
        message_add(b->messages, MESSAGE_NOTE, (struct position){b->path, 0, 0},
                    "the circuit has %zu bad lines, the first one is used", b->bads.count);
    }
    model_builder_bad_number(b->builder, (uint32_t)index);
    return &b->bads.data[index];
}

static void make_edges(struct btor2 *b, const struct btor2_bad *bad)
{
    struct position at = {b->path, 0, 0};
    struct location *step = model_builder_location(b->builder, "step", PHASE_NONE, true);
    struct location *error = model_builder_location(b->builder, "error", PHASE_NONE, true);
    ENSURE(bad->term->sort->kind == SORT_BOOL && b->constraint->sort->kind == SORT_BOOL);
    const struct term *reached = term_and2(b->store, b->constraint, bad->term);
    model_builder_edge(b->builder, step, step, make_step(b), "step", at);
    model_builder_edge(b->builder, step, error, model_assume(b->builder, reached, bad->at), "bad",
                       bad->at);
    model_builder_initial(b->builder, step, make_start(b));
    model_builder_error(b->builder, error);
    model_builder_property(b->builder, term_not(b->store, bad->term));
}

static struct model *read_btor2(const struct language_request *request, struct messages *messages)
{
    struct btor2 b = {.path = request->model_path, .messages = messages};
    struct model *model = NULL;
    char *text = memory_alloc(request->model_bytes + 1);
    memcpy(text, request->model_text, request->model_bytes);
    text[request->model_bytes] = '\0';
    b.builder = model_builder_create(&dialect, b.path, NULL);
    b.store = model_builder_store(b.builder);
    b.constraint = term_true(b.store);
    VECTOR_PUSH(&b.nodes, (struct btor2_node){0}); // numbers begin at 1
    const struct btor2_bad *bad =
        read_lines(&b, text, text + request->model_bytes) ? choose_bad(&b, request) : NULL;
    if (bad != NULL) {
        make_edges(&b, bad);
        model = model_builder_finish(b.builder);
    } else {
        model_builder_destroy(b.builder);
    }
    memory_free(text);
    VECTOR_FINISH(&b.nodes);
    VECTOR_FINISH(&b.states);
    VECTOR_FINISH(&b.state_of);
    VECTOR_FINISH(&b.bads);
    return model;
}

// Counts the `bad` lines: "NUMBER bad NODE".
static void name_questions(const struct language_request *request, struct language_questions *out,
                           struct messages *messages)
{
    (void)messages; // what is wrong with the file is told when it is read
    if (request->property_text != NULL)
        return;
    unsigned count = 0;
    for (const char *line = request->model_text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        line += strspn(line, " \t");
        line += strspn(line, "0123456789");
        line += strspn(line, " \t");
        count += strncmp(line, "bad", 3) == 0 && (line[3] == ' ' || line[3] == '\t');
    }
    for (unsigned i = 0; count > 1 && i < count; i++) {
        char name[24], property[24];
        snprintf(name, sizeof name, "b%u", i);
        snprintf(property, sizeof property, "%u", i);
        language_questions_add(out, name, property);
    }
}

const struct language language_btor2 = {
    .name = "btor2",
    .extension = ".btor2",
    .description = "word-level circuits (BTOR2)",
    .read = read_btor2,
    .questions = name_questions,
};
