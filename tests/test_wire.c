#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "certify/certify.h"
#include "portfolio/wire.h"

// Traces survive the way to another process; nonsense is refused.

#define BIG "123456789012345678901234567890"

// One variable of every sort, and a step that takes any values for them.
static struct model *make_model(void)
{
    static const char *const COLORS[] = {"RED", "GREEN"};
    struct model_builder *b = model_builder_create(&dialect_plain, "made", NULL);
    struct term_store *s = model_builder_store(b);
    struct position at = {0};
    const struct sort *sorts[] = {
        sort_bool(s),
        sort_int(s),
        sort_rat(s),
        sort_bv(s, 8),
        sort_bv(s, 100),
        sort_enum(s, "Color", COLORS, 2),
        sort_array(s, sort_int(s), sort_rat(s)),
    };
    enum { COUNT = sizeof sorts / sizeof *sorts };
    struct statement *havocs[COUNT], *choice[2];
    const struct variable *variables[COUNT];
    for (int i = 0; i < COUNT; i++) {
        char name[] = {'v', (char)('0' + i), '\0'};
        variables[i] = model_builder_variable(b, name, sorts[i], 0, at);
        havocs[i] = model_havoc(b, variables[i], at);
    }
    struct location *here = model_builder_location(b, "here", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    model_builder_initial(b, here, model_skip(b, at));
    choice[0] = model_sequence(b, havocs, COUNT, at);
    choice[1] = model_skip(b, at);
    model_builder_edge(b, here, here, model_choice(b, choice, 2, at), "any", at);
    const struct term *wanted = term_eq(s, variables[1]->term, term_int_text(s, BIG));
    model_builder_edge(b, here, error, model_assume(b, wanted, at), "fail", at);
    model_builder_error(b, error);
    return model_builder_finish(b);
}

static struct trace *make_trace(const struct model *model)
{
    struct trace *t = trace_create(model);
    struct term_store *s = t->store;
    const struct sort *array = model->variables[6]->sort;
    const struct term *entries[] = {term_int(s, 3), term_rat_text(s, "-7", "3"),
                                    term_int_text(s, "-" BIG), term_rat(s, 1, 2)};
    const struct term *values[] = {
        term_true(s),
        term_int_text(s, BIG),
        term_rat_text(s, BIG, "7"),
        term_bv(s, 8, 200),
        term_bv_text(s, 100, BIG),
        term_enum(s, model->variables[5]->sort, 1),
        term_array(s, array, term_rat(s, 0, 1), entries, 2),
    };
    const struct statement *choice = model->edges[0]->action;
    t->start[0] = value_bool(false);
    t->start[6] = term_value(values[6]);
    struct trace_step *step = trace_add_step(t, model->edges[0]);
    trace_add_hint(t, step, choice, NULL, value_small(0));
    for (uint32_t i = 0; i < 7; i++)
        trace_add_hint(t, step, choice->child[0]->child[i], model->variables[i]->sort,
                       term_value(values[i]));
    trace_add_step(t, model->edges[1]);
    trace_add_division(t, TERM_DIV, sort_int(s), value_small(5), term_value(values[1]));
    return t;
}

static void must_replay(struct trace *trace)
{
    struct text why = {0};
    if (!certify_replay(trace, &why))
        fail_msg("%s", text_string(&why));
    text_finish(&why);
}

static void print(struct text *out, struct trace *trace)
{
    must_replay(trace);
    trace_print(out, trace, TRACE_JSON);
}

static void a_trace_of_all_sorts_arrives(void **state)
{
    (void)state;
    // Each end has made its own model.
    struct model *here = make_model(), *there = make_model();
    struct trace *sent = make_trace(here);
    struct text bytes = {0}, a = {0}, b = {0}, again = {0};
    wire_put_trace(&bytes, sent);
    struct wire_reader in = {bytes.data, bytes.data + bytes.length, false};
    struct trace *got = wire_get_trace(&in, there);
    assert_non_null(got);
    assert_ptr_equal(in.next, in.end);
    assert_ptr_equal(got->model, there);
    wire_put_trace(&again, got);
    assert_int_equal(again.length, bytes.length);
    assert_memory_equal(again.data, bytes.data, bytes.length);
    print(&a, sent);
    print(&b, got);
    assert_string_equal(text_string(&a), text_string(&b));
    assert_non_null(strstr(text_string(&a), BIG));
    trace_destroy(got);
    trace_destroy(sent);
    text_finish(&bytes);
    text_finish(&again);
    text_finish(&a);
    text_finish(&b);
    model_destroy(here);
    model_destroy(there);
}

// Whatever arrives: a trace that can be replayed (or not), or none.
static void try_bytes(const struct model *model, const char *bytes, size_t count)
{
    struct wire_reader in = {bytes, bytes + count, false};
    struct trace *trace = wire_get_trace(&in, model);
    assert_int_equal(trace == NULL, in.failed);
    struct text why = {0};
    if (trace != NULL)
        certify_replay(trace, &why);
    text_finish(&why);
    trace_destroy(trace);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    struct model *model = make_model();
    struct trace *trace = make_trace(model);
    struct text bytes = {0};
    wire_put_trace(&bytes, trace);
    for (size_t length = 0; length < bytes.length; length++) {
        struct wire_reader in = {bytes.data, bytes.data + length, false};
        assert_null(wire_get_trace(&in, model));
    }
    struct random random;
    random_init(&random, 1);
    for (int i = 0; i < 20000; i++) {
        char *copy = memory_alloc(bytes.length);
        memcpy(copy, bytes.data, bytes.length);
        for (uint64_t k = random_below(&random, 3) + 1; k > 0; k--)
            copy[random_below(&random, bytes.length)] = (char)random_below(&random, 12);
        try_bytes(model, copy, bytes.length);
        memory_free(copy);
    }
    text_finish(&bytes);
    trace_destroy(trace);
    model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_of_all_sorts_arrives),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
