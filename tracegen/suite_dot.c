#include "base/memory.h"
#include "logic/terms/print.h"
#include "tracegen/explore.h"
#include "tracegen/suite_print.h"

// The graph for Graphviz. A state shows the values that tell it from the others.

// Lines of a state's label.
#define LABEL_LINES 8
#define LABEL_WIDTH 40

static void add_quoted(struct text *out, const char *plain)
{
    for (; *plain != '\0'; plain++) {
        if (*plain == '"' || *plain == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *plain == '\n' ? ' ' : *plain);
    }
}

struct labels {
    const struct suite *suite;
    struct term_store *store;
    struct value *first, *values; // of the first state; of the one at hand
    bool *differs;                // per variable
};

static void find_differences(struct labels *l)
{
    const struct suite *suite = l->suite;
    for (size_t i = 0; i < suite->states.count; i++) {
        struct value *to = i == 0 ? l->first : l->values;
        state_values(suite->model, l->store, suite->states.data[i].formula, to, NULL);
        for (uint32_t v = 0; v < suite->model->variable_count; v++)
            l->differs[v] |= !value_equal(to[v], l->first[v]);
    }
}

static void add_line(struct text *out, unsigned *lines, const char *line)
{
    struct text cut;
    text_init(&cut);
    text_printf(&cut, "%.*s", LABEL_WIDTH, line);
    if (++*lines <= LABEL_LINES) {
        text_add(out, "\\n");
        add_quoted(out, text_string(&cut));
    } else if (*lines == LABEL_LINES + 1) {
        text_add(out, "\\n…");
    }
    text_finish(&cut);
}

static void add_label(struct labels *l, struct text *out, const struct suite_state *state)
{
    const struct model *model = l->suite->model;
    struct term_vector rest = {0};
    struct text line;
    unsigned lines = 0;
    text_init(&line);
    state_values(model, l->store, state->formula, l->values, &rest);
    add_quoted(out, state->location->name);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (!l->differs[v] || !value_known(l->values[v]))
            continue;
        text_clear(&line);
        text_printf(&line, "%s = ", model->variables[v]->name);
        variable_print(&line, model->variables[v], l->values[v]);
        add_line(out, &lines, text_string(&line));
    }
    for (size_t i = 0; i < rest.count; i++) {
        text_clear(&line);
        print_term(&line, rest.data[i], model->dialect->terms);
        add_line(out, &lines, text_string(&line));
    }
    VECTOR_FINISH(&rest);
    text_finish(&line);
}

static void print_states(struct text *out, const struct suite *suite)
{
    size_t variables = suite->model->variable_count + 1;
    struct labels l = {suite, term_store_create(suite->model->store),
                       memory_zalloc(variables * sizeof(struct value)),
                       memory_zalloc(variables * sizeof(struct value)), memory_zalloc(variables)};
    find_differences(&l);
    struct text tip;
    text_init(&tip);
    for (uint32_t i = 0; i < suite->states.count; i++) {
        const struct suite_state *state = &suite->states.data[i];
        text_clear(&tip);
        suite_print_state(&tip, suite, i, l.store);
        text_printf(out, "  s%u [id=\"s%u\", class=\"state%s%s%s\"%s, tooltip=\"", i, i,
                    state->covered ? "" : " missing", state->initial ? " initial" : "",
                    state->stuck ? " stuck" : "", state->initial ? ", penwidth=2" : "");
        add_quoted(out, text_string(&tip));
        text_add(out, "\", label=\"");
        add_label(&l, out, state);
        text_add(out, state->covered ? "\"];\n" : "\", style=\"rounded,dashed\"];\n");
    }
    text_finish(&tip);
    term_store_destroy(l.store);
    memory_free(l.first);
    memory_free(l.values);
    memory_free(l.differs);
}

void suite_print_dot(struct text *out, const struct suite *suite)
{
    text_add(out, "digraph graph_of_states {\n"
                  "  bgcolor=\"transparent\";\n"
                  "  node [shape=box, style=\"rounded\", fontname=\"sans-serif\", fontsize=11];\n"
                  "  edge [fontname=\"sans-serif\", fontsize=9];\n");
    print_states(out, suite);
    for (size_t i = 0; i < suite->edges.count; i++) {
        const struct suite_edge *edge = &suite->edges.data[i];
        text_printf(out, "  s%u -> s%u [id=\"e%zu\", class=\"%s%s\"", edge->from, edge->to, i,
                    edge->edge != NULL ? "step" : "covering", edge->covered ? "" : " missing");
        if (edge->edge != NULL) {
            text_add(out, ", label=\"");
            add_quoted(out, edge->edge->label);
            text_add(out, edge->covered ? "\"" : "\", style=dashed");
        } else {
            text_add(out, ", style=dotted, tooltip=\"covered by\", constraint=false");
        }
        text_add(out, "];\n");
    }
    text_add(out, "}\n");
}
