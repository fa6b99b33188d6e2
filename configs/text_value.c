#include "configs/text_value.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

static const char *const named[] = {
#define X(constant, text) text,
    TEXT_VALUES(X)
#undef X
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VECTOR(const char *) others; // from TEXT_VALUE_NAMED on; under `lock`

// Under the lock.
static int64_t find(const char *text)
{
    for (int64_t i = 0; i < TEXT_VALUE_NAMED; i++)
        if (strcmp(named[i], text) == 0)
            return i;
    for (size_t i = 0; i < others.count; i++)
        if (strcmp(others.data[i], text) == 0)
            return TEXT_VALUE_NAMED + (int64_t)i;
    return -1;
}

int64_t text_value_keep(const char *text)
{
    pthread_mutex_lock(&lock);
    int64_t number = find(text);
    if (number < 0) {
        VECTOR_PUSH(&others, memory_strdup(text));
        number = TEXT_VALUE_NAMED + (int64_t)others.count - 1;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

const char *text_value(int64_t number)
{
    if (number >= 0 && number < TEXT_VALUE_NAMED)
        return named[number];
    pthread_mutex_lock(&lock);
    size_t index = (size_t)(number - TEXT_VALUE_NAMED);
    assert(index < others.count);
    const char *text = others.data[index];
    pthread_mutex_unlock(&lock);
    return text;
}
