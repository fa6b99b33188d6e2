#include "results/verdict.h"

#include <assert.h>
#include <string.h>

#include "base/signals.h"

static const char *const VERDICT_NAMES[] = {
#define X(constant, name, code, meaning) [constant] = name,
    VERDICTS(X)
#undef X
};

static const int VERDICT_CODES[] = {
#define X(constant, name, code, meaning) [constant] = code,
    VERDICTS(X)
#undef X
};

static const char *const REASON_NAMES[] = {
#define X(constant, name, meaning) [constant] = name,
    END_REASONS(X)
#undef X
};

static const char *const REASON_MEANINGS[] = {
#define X(constant, name, meaning) [constant] = meaning,
    END_REASONS(X)
#undef X
};

static const char *const CHECK_NAMES[] = {
#define X(constant, name, meaning) [constant] = name,
    CHECKS(X)
#undef X
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static int find(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

const char *verdict_name(enum verdict verdict)
{
    assert((size_t)verdict < COUNT(VERDICT_NAMES));
    return VERDICT_NAMES[verdict];
}

int verdict_exit_code(enum verdict verdict)
{
    assert((size_t)verdict < COUNT(VERDICT_CODES));
    return VERDICT_CODES[verdict];
}

const char *end_reason_name(enum end_reason reason)
{
    assert((size_t)reason < COUNT(REASON_NAMES));
    return REASON_NAMES[reason];
}

const char *end_reason_meaning(enum end_reason reason)
{
    assert((size_t)reason < COUNT(REASON_MEANINGS));
    return REASON_MEANINGS[reason];
}

const char *check_name(enum check check)
{
    assert((size_t)check < COUNT(CHECK_NAMES));
    return CHECK_NAMES[check];
}

int check_parse(const char *name)
{
    return find(CHECK_NAMES, COUNT(CHECK_NAMES), name);
}

int verdict_parse(const char *name)
{
    return find(VERDICT_NAMES, COUNT(VERDICT_NAMES), name);
}

int end_reason_parse(const char *name)
{
    return find(REASON_NAMES, COUNT(REASON_NAMES), name);
}

int budget_exit_code(enum budget_end end)
{
    return end == BUDGET_STOPPED ? signals_exit_code(atomic_load(signals_flag())) : EXIT_UNKNOWN;
}
