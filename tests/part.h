#ifndef REGATTA_TESTS_PART_H
#define REGATTA_TESTS_PART_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// A test program that takes long is run as several tests, each a part of it: `test_engines 2 5` runs the second
// of each five of its tests, `test_engines` all, `test_engines 'engine=ic3*'` those that match. tests/meson.build says
// into how many it falls (`parts`). Include after cmocka.h.

// Moves the tests of the part to the front; their number, 0 when the arguments say nothing sensible.
static inline size_t part_choose(int count, char **arguments, struct CMUnitTest *tests, size_t all)
{
    unsigned part = 1, parts = 1;
    size_t kept = 0;
    if (count == 2)
        cmocka_set_test_filter(arguments[1]);
    if (count > 2 && (count != 3 || sscanf(arguments[1], "%u", &part) != 1 ||
                      sscanf(arguments[2], "%u", &parts) != 1 || part < 1 || part > parts))
        return 0;
    for (size_t i = part - 1; i < all; i += parts)
        tests[kept++] = tests[i];
    return kept;
}

// As cmocka_run_group_tests, for an array `tests` of struct CMUnitTest that is not const.
#define part_run(count, arguments, tests)                                                          \
    part_run_counted(count, arguments, tests, sizeof(tests) / sizeof *(tests))

static inline int part_run_counted(int count, char **arguments, struct CMUnitTest *tests,
                                   size_t all)
{
    size_t kept = part_choose(count, arguments, tests, all);
    if (kept == 0) {
        fprintf(stderr, "usage: %s [PATTERN | PART PARTS]\n", arguments[0]);
        return 2;
    }
    return _cmocka_run_group_tests(arguments[0], tests, kept, NULL, NULL);
}

// So many times as many as usual: REGATTA_RANDOM_FACTOR (scripts/test long), else 1.
static inline unsigned part_factor(void)
{
    const char *wanted = getenv("REGATTA_RANDOM_FACTOR");
    int factor = wanted != NULL ? atoi(wanted) : 1;
    return factor > 1 ? (unsigned)factor : 1;
}

// Random models that a test looks at; fewer under sanitizers, where each takes ten times as long and what is sought are
// faults of memory.
static inline unsigned part_models(unsigned usual, unsigned sanitized)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)usual;
    return sanitized * part_factor();
#else
    (void)sanitized;
    return usual * part_factor();
#endif
}

#endif
