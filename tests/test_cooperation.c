#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "portfolio/exchange.h"

// Lines between attempts.

static void each_line_is_kept_once_and_goes_to_the_others(void **state)
{
    (void)state;
    struct exchange *x = exchange_create();
    struct text out;
    size_t zero = 0, one = 0;
    unsigned who;
    text_init(&out);
    assert_int_equal(exchange_add(x, 0, "(a)\n(b)\n"), 2);
    assert_int_equal(exchange_add(x, 1, "(b)\n\n(c)"), 1);
    assert_int_equal(exchange_add(x, 1, ""), 0);
    assert_int_equal(exchange_news(x, 0, &zero, &out), 1);
    assert_string_equal(text_string(&out), "(c)\n");
    text_clear(&out);
    assert_int_equal(exchange_news(x, 1, &one, &out), 2);
    assert_string_equal(text_string(&out), "(a)\n(b)\n");
    text_clear(&out);
    assert_int_equal(exchange_news(x, 1, &one, &out), 0);
    assert_int_equal(exchange_add(x, 0, "(d)"), 1);
    assert_int_equal(exchange_news(x, 1, &one, &out), 1);
    assert_string_equal(text_string(&out), "(d)\n");
    assert_true(exchange_line(x, 2, &who, &out));
    assert_string_equal(text_string(&out), "(c)");
    assert_int_equal(who, 1);
    assert_false(exchange_line(x, 4, &who, &out));
    text_finish(&out);
    exchange_destroy(x);
    exchange_destroy(NULL);
}

static void there_is_a_limit(void **state)
{
    (void)state;
    struct exchange *x = exchange_create();
    char line[32];
    for (int i = 0; i < EXCHANGE_MOST_LINES + 100; i++) {
        snprintf(line, sizeof line, "(%d)", i);
        assert_int_equal(exchange_add(x, 0, line), i < EXCHANGE_MOST_LINES);
    }
    assert_int_equal(exchange_add(x, 0, "(5)"), 0);
    exchange_destroy(x);

    x = exchange_create();
    char *large = memory_alloc(EXCHANGE_MOST_BYTES + 1);
    memset(large, 'x', EXCHANGE_MOST_BYTES);
    large[EXCHANGE_MOST_BYTES] = '\0';
    assert_int_equal(exchange_add(x, 0, large), 0);
    assert_int_equal(exchange_add(x, 0, "(small)"), 1);
    memory_free(large);
    exchange_destroy(x);
}

enum { THREADS = 4, LINES = 2000 };

struct worker {
    struct exchange *exchange;
    unsigned number;
    size_t heard;
};

// Adds lines, half of them those of the next one as well, and listens meanwhile.
static void *work(void *argument)
{
    struct worker *w = argument;
    struct text out;
    size_t cursor = 0;
    text_init(&out);
    for (int i = 0; i < LINES; i++) {
        char line[48];
        unsigned who = i % 2 ? w->number : (w->number + 1) % THREADS;
        snprintf(line, sizeof line, "(%u %d)\n", who, i);
        exchange_add(w->exchange, w->number, line);
        text_clear(&out);
        w->heard += exchange_news(w->exchange, w->number, &cursor, &out);
        assert_true(out.length == 0 || out.data[out.length - 1] == '\n');
    }
    text_finish(&out);
    return NULL;
}

static void threads_add_and_listen_at_once(void **state)
{
    (void)state;
    struct exchange *x = exchange_create();
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){x, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct text out;
    unsigned who;
    size_t count = 0;
    text_init(&out);
    while (exchange_line(x, count, &who, &out))
        count++;
    assert_int_equal(count, THREADS * LINES);
    text_finish(&out);
    exchange_destroy(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_kept_once_and_goes_to_the_others),
        cmocka_unit_test(there_is_a_limit),
        cmocka_unit_test(threads_add_and_listen_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
