#include "runs/engine_events.h"

#include <assert.h>
#include <inttypes.h>

#include "base/text.h"
#include "base/vector.h"

static void add_number(struct text *line, const char *name, uint64_t number)
{
    if (number != 0)
        text_printf(line, ",\"%s\":%" PRIu64, name, number);
}

static void add_time(struct text *line, const char *name, int64_t ns)
{
    if (ns != 0)
        text_printf(line, ",\"%s\":%" PRId64, name, ns);
}

static void add_counterexample(struct text *line, const struct counterexample *c)
{
    text_add(line, ",\"items\":[");
    for (size_t i = 0; i < c->count; i++)
        text_printf(line, i == 0 ? "%" PRIu32 : ",%" PRIu32, c->items[i]);
    text_add(line, "]");
    add_number(line, "precision_id", c->precision_id);
    if (c->encode_graph == NULL)
        return;
    struct engine_words words = {0};
    char digits[33];
    c->encode_graph(c->graph, &words);
    hash128_print(hash128_add_bytes(hash128_seed(1), words.data, words.count * sizeof *words.data),
                  digits);
    text_printf(line, ",\"graph\":\"%s\"", digits);
    VECTOR_FINISH(&words);
}

void engine_event_write(FILE *file, const struct engine_event *event)
{
    static const char *const names[] = {
        [EVENT_ROUND] = "round",
        [EVENT_COUNTEREXAMPLE] = "counterexample",
        [EVENT_REFINED] = "refined",
        [EVENT_SAMPLE] = "sample",
    };
    assert((size_t)event->kind < sizeof names / sizeof names[0]);
    struct text line;
    text_init(&line);
    text_printf(&line, "{\"event\":\"%s\"", names[event->kind]);
    if (event->counterexample != NULL)
        add_counterexample(&line, event->counterexample);
#define NUMBER(name) add_number(&line, #name, event->name)
    NUMBER(iteration);
    NUMBER(index);
    NUMBER(count);
    NUMBER(precision_changed);
    NUMBER(repeats);
    NUMBER(element_size);
    NUMBER(precision_size);
    NUMBER(nodes);
    NUMBER(covered);
    NUMBER(waiting);
    NUMBER(condition_length);
    NUMBER(pull_depth);
    NUMBER(overflows);
    NUMBER(baseline);
    NUMBER(created);
    NUMBER(expanded);
    NUMBER(successors);
    NUMBER(solver_checks);
    NUMBER(bytes);
    NUMBER(memory_limit);
#undef NUMBER
    add_time(&line, "solver_ns", event->solver_ns);
    add_time(&line, "cpu_ns", event->cpu_ns);
    add_time(&line, "remaining_ns", event->remaining_ns);
    text_add(&line, "}\n");
    fputs(text_string(&line), file);
    text_finish(&line);
}
