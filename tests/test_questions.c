#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runs/questions.h"

// The loop over the questions of an input: what is asked, what a second start leaves out, and what is counted.

struct log {
    const char *answers; // what `ask` gives, a letter a question
    struct text asked, recalled;
};

static char ask(void *context, size_t question)
{
    struct log *log = context;
    text_printf(&log->asked, "%zu ", question);
    return log->answers[question];
}

static void recall(void *context, size_t question, char letter)
{
    struct log *log = context;
    text_printf(&log->recalled, "%zu%c ", question, letter);
}

static struct questions_tally run(const char *answers, bool again, const char *asked,
                                  const char *recalled)
{
    struct log log = {.answers = answers};
    struct run_settings settings = {.time_limit_seconds = 5};
    struct questions_tally tally;
    text_init(&log.asked);
    text_init(&log.recalled);
    const struct questions_loop loop = {.count = strlen(answers),
                                        .settings = &settings,
                                        .again = again,
                                        .ask = ask,
                                        .answered = recall,
                                        .context = &log};
    questions_ask(&loop, &tally);
    assert_string_equal(text_string(&log.asked), asked);
    assert_string_equal(text_string(&log.recalled), recalled);
    text_finish(&log.asked);
    text_finish(&log.recalled);
    return tally;
}

static void counts_answers(void **state)
{
    (void)state;
    struct questions_tally t = run("su?sn0", false, "0 1 2 3 4 5 ", "");
    assert_int_equal(t.safe, 2);
    assert_int_equal(t.unsafe, 1);
    assert_int_equal(t.unknown, 3);
    assert_false(t.contradiction || t.stopped);
    assert_true(run("s!s", false, "0 1 2 ", "").contradiction);
}

static void stops_when_told(void **state)
{
    (void)state;
    struct questions_tally t = run("su.s", false, "0 1 2 ", "");
    assert_true(t.stopped);
    assert_int_equal(t.safe + t.unsafe + t.unknown, 2);
}

static void goes_on_behind_the_first_start(void **state)
{
    (void)state;
    setenv("REGATTA_SECOND_START", "3000", 1);
    setenv("REGATTA_ANSWERED", "us", 1);
    struct questions_tally t = run("ssss", false, "2 3 ", "0u 1s ");
    assert_int_equal(t.safe, 3);
    assert_int_equal(t.unsafe, 1);
    t = run("ssss", true, "0 1 2 3 ", ""); // answers that are needed together
    assert_int_equal(t.safe, 4);
    unsetenv("REGATTA_SECOND_START");
    unsetenv("REGATTA_ANSWERED");
}

static char note_begun(void *context, size_t question)
{
    const struct run_settings *settings = context;
    assert_true(question < 2);
    return settings->deadline_ns == 1 ? QUESTION_SAFE : QUESTION_UNSAFE;
}

static void reading_counts_against_the_first(void **state)
{
    (void)state;
    struct run_settings settings = {.time_limit_seconds = 5, .deadline_ns = 1};
    struct questions_tally tally;
    struct questions_loop loop = {
        .count = 2, .settings = &settings, .begun = true, .ask = note_begun, .context = &settings};
    questions_ask(&loop, &tally);
    assert_int_equal(tally.safe, 1);
    assert_int_equal(tally.unsafe, 1);
    settings.deadline_ns = 1;
    loop.begun = false;
    questions_ask(&loop, &tally);
    assert_int_equal(tally.unsafe, 2);
}

// The question that crashed has what was left of its time, all others have a whole limit again.
static char note_time(void *context, size_t question)
{
    double left = run_settings_time_left(context);
    if (question == 1)
        return left <= 3 ? QUESTION_SAFE : QUESTION_UNSAFE;
    return left > 1000 ? QUESTION_SAFE : QUESTION_UNSAFE;
}

static void a_second_start_shortens_one_question(void **state)
{
    (void)state;
    setenv("REGATTA_SECOND_START", "3000", 1);
    setenv("REGATTA_ANSWERED", "s", 1);
    struct run_settings settings = {.time_limit_seconds = 100000, .first_seconds = 3};
    struct questions_tally tally;
    const struct questions_loop loop = {
        .count = 4, .settings = &settings, .ask = note_time, .context = &settings};
    questions_ask(&loop, &tally);
    assert_int_equal(tally.safe, 4);
    unsetenv("REGATTA_SECOND_START");
    unsetenv("REGATTA_ANSWERED");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_answers),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(goes_on_behind_the_first_start),
        cmocka_unit_test(reading_counts_against_the_first),
        cmocka_unit_test(a_second_start_shortens_one_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
