#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "monitors/monitor.h"

// Monitors on what engines told of real runs: tests/recorded, written by `record` there. A monitor is a
// function of the events, so what it says of a record, and when, is always the same.

static double number(const cJSON *line, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(line, name);
    return cJSON_IsTrue(member) ? 1 : cJSON_IsNumber(member) ? member->valuedouble : 0;
}

// The record has a digest of the graph; equal digests stand for equal graphs.
static uint32_t graph[4];

static void encode_graph(const void *unused, struct engine_words *out)
{
    (void)unused;
    for (size_t i = 0; i < 4; i++)
        VECTOR_PUSH(out, graph[i]);
}

static void read_counterexample(const cJSON *line, struct engine_words *items,
                                struct counterexample *out)
{
    const cJSON *item;
    VECTOR_CLEAR(items);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(line, "items"))
        VECTOR_PUSH(items, (uint32_t)item->valuedouble);
    const char *digits = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, "graph"));
    assert_non_null(digits);
    assert_int_equal(sscanf(digits, "%8x%8x%8x%8x", &graph[0], &graph[1], &graph[2], &graph[3]), 4);
    *out = (struct counterexample){
        .items = items->data,
        .count = items->count,
        .hash = hash128_add_bytes(hash128_seed(1), items->data, items->count * sizeof *items->data),
        .precision_id = (uint32_t)number(line, "precision_id"),
        .encode_graph = encode_graph,
    };
}

// False for the lines that begin an attempt.
static bool read_event(const cJSON *line, struct engine_event *out)
{
    static const char *const names[] = {"round", "counterexample", "refined", "sample"};
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, "event"));
    assert_non_null(name);
    int kind = 0;
    while (kind < 4 && strcmp(names[kind], name) != 0)
        kind++;
    if (kind == 4)
        return false;
    *out = (struct engine_event){.kind = (enum engine_event_kind)kind};
#define NUMBER(member) out->member = (uint64_t)number(line, #member)
    NUMBER(iteration);
    NUMBER(index);
    NUMBER(count);
    NUMBER(element_size);
    NUMBER(precision_size);
    NUMBER(nodes);
    NUMBER(covered);
    NUMBER(waiting);
    NUMBER(created);
    NUMBER(expanded);
    NUMBER(successors);
    NUMBER(solver_checks);
    NUMBER(bytes);
    NUMBER(memory_limit);
#undef NUMBER
    out->precision_changed = number(line, "precision_changed") != 0;
    out->repeats = number(line, "repeats") != 0;
    out->solver_ns = (int64_t)number(line, "solver_ns");
    out->cpu_ns = (int64_t)number(line, "cpu_ns");
    out->remaining_ns = (int64_t)number(line, "remaining_ns");
    return true;
}

// Plays a record to a watch; the sightings are in `out`.
static void play(const char *name, const char *options, struct sightings *out)
{
    struct text path;
    text_init(&path);
    text_printf(&path, SOURCE_DIR "/tests/recorded/%s.jsonl", name);
    char *text = text_read_file(text_string(&path), NULL), *rest = text;
    assert_non_null(text);
    text_finish(&path);
    struct configuration configuration;
    struct messages messages;
    messages_init(&messages);
    configuration_init(&configuration, "test");
    assert_true(configuration_parse(&configuration, options, &messages));
    messages_finish(&messages);
    struct watch *watch = watch_create_observing(&configuration, out);
    struct engine_words items = {0};
    size_t events = 0;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        struct engine_event event;
        struct counterexample counterexample;
        if (!*line)
            continue;
        cJSON *json = cJSON_Parse(line);
        assert_non_null(json);
        if (read_event(json, &event)) {
            if (event.kind == EVENT_COUNTEREXAMPLE) {
                read_counterexample(json, &items, &counterexample);
                event.counterexample = &counterexample;
            }
            assert_int_equal(watch_judge(watch, &event).kind, ADVICE_GO_ON);
            events++;
        }
        cJSON_Delete(json);
    }
    assert_true(events > 3);
    VECTOR_FINISH(&items);
    watch_destroy(watch);
    configuration_finish(&configuration);
    memory_free(text);
}

struct expectation {
    const char *monitor;
    uint64_t iteration; // of its advice to stop
    const char *class;
};

// Exactly these monitors would have ended the recorded attempt; of those with another value only these are looked at.
static void expect(const char *name, const char *options, const struct expectation *expected)
{
    struct sightings seen;
    play(name, options, &seen);
    for (size_t i = 0; i < seen.count; i++) {
        const struct sighting *s = &seen.items[i];
        const struct expectation *e = expected;
        while (e->monitor != NULL && strcmp(e->monitor, s->monitor) != 0)
            e++;
        if (e->monitor == NULL && (s->why == NULL || strchr(s->monitor, '=') != NULL))
            continue;
        if (s->why == NULL || e->monitor == NULL)
            fail_msg("%s: %s says %s", name, s->monitor, s->why ? s->why : "nothing");
        print_message("%s: %s says so in round %llu\n", name, s->monitor,
                      (unsigned long long)s->iteration);
        assert_int_equal(s->iteration, e->iteration);
        assert_int_equal(strncmp(s->why, e->class, strlen(e->class)), 0);
    }
}

#define FULL "domain=EXPL,maxenum=1,prunestrategy=FULL"
#define LAZY "domain=EXPL,maxenum=1,prunestrategy=LAZY"
#define PREDICATES "domain=PRED_CART,prunestrategy=FULL"

// The two inputs after the first loop never become known: the same path, again and again.
static void test_exact_loop(void **state)
{
    (void)state;
    expect("exact-loop", FULL,
           (struct expectation[]){{"repetition", 7, "exact loop"},
                                  {"repetition+graph", 7, "exact loop"},
                                  {"unchanged", 2, "exact loop"},
                                  {"repetition=1", 3, "exact loop"},
                                  {0}});
    expect("exact-loop", FULL ",patience=1,stop_unchanged=1",
           (struct expectation[]){{"repetition", 3, "exact loop"},
                                  {"repetition+graph", 3, "exact loop"},
                                  {"unchanged", 2, "exact loop"},
                                  {0}});
    expect(
        "exact-loop", FULL ",patience=1000,stop_unchanged=1000",
        (struct expectation[]){{"unchanged", 2, "exact loop"}, {0}}); // a proof needs no patience
}

// With lazy pruning only the graph as well makes it certain.
static void test_probable_loop(void **state)
{
    (void)state;
    expect("probable-loop", LAZY,
           (struct expectation[]){{"repetition", 7, "probable loop"},
                                  {"repetition+graph", 8, "exact loop"},
                                  {"unchanged", 6, "probable loop"},
                                  {0}});
}

static void test_divergence(void **state)
{
    (void)state;
    expect("divergence", PREDICATES, (struct expectation[]){{"unrolling", 18, "divergence"}, {0}});
    expect("divergence", PREDICATES ",stop_unrolling=8",
           (struct expectation[]){
               {"unrolling", 10, "divergence"}, {"unrolling=10", 12, "divergence"}, {0}});
}

static void test_endless_abstraction(void **state)
{
    (void)state;
    expect("endless", LAZY, (struct expectation[]){{"endless", 2, "endless abstraction"}, {0}});
    expect("endless", LAZY ",stop_endless=1000", (struct expectation[]){{0}});
}

// These were solved. A loop of 40 rounds looks like divergence for some time.
static void test_near_misses(void **state)
{
    (void)state;
    expect("solved-by-values", "domain=EXPL", (struct expectation[]){{0}});
    expect("solved-by-predicates", PREDICATES, (struct expectation[]){{0}});
    expect("solved-after-40-rounds", PREDICATES,
           (struct expectation[]){{"unrolling", 33, "divergence"}, {0}});
    expect("solved-after-40-rounds", PREDICATES ",stop_unrolling=20", (struct expectation[]){{0}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_loop),  cmocka_unit_test(test_probable_loop),
        cmocka_unit_test(test_divergence),  cmocka_unit_test(test_endless_abstraction),
        cmocka_unit_test(test_near_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
