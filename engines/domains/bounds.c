#include "engines/domains/bounds.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Longer runs are not asked about by anybody.
#define MOST_STEPS (UINT32_MAX / 4)

void bounds_init(struct bounds *b, struct workspace *workspace)
{
    *b = (struct bounds){.workspace = workspace};
    text_init(&b->elements);
}

void bounds_finish(struct bounds *b)
{
    text_finish(&b->elements);
}

static const char *tail(struct bounds *b)
{
    if (!b->tail[0])
        snprintf(b->tail, sizeof b->tail, " #x%016" PRIx64 ")\n",
                 model_digest(b->workspace->model).low);
    assert(strlen(b->tail) + 1 < sizeof b->tail && "none of it was cut off");
    return b->tail;
}

// Talking costs time: the longer the runs the more seldom, so that nobody's list of lines is filled by it.
static uint32_t next_after(uint32_t steps)
{
    assert(steps <= MOST_STEPS && "it does not wrap");
    return steps + 1 + steps / 8;
}

void bounds_give(struct bounds *b, uint32_t steps)
{
    char line[48];
    bool enough = steps >= (b->given ? next_after(b->given) : 1);
    if (b->workspace->environment->share == NULL || !enough || steps <= b->told ||
        steps > MOST_STEPS)
        return;
    b->given = steps;
    snprintf(line, sizeof line, "(bound %" PRIu32 "%s", steps, tail(b));
    b->workspace->environment->share(b->workspace->environment->observer, line);
}

static bool read_bound(struct bounds *b, const char *line, size_t length)
{
    static const char head[] = "(bound ";
    size_t begin = sizeof head - 1, digits = begin;
    if (length <= begin || memcmp(line, head, begin) != 0)
        return false;
    while (digits < length && line[digits] >= '0' && line[digits] <= '9')
        digits++;
    if (digits == begin || length - digits != strlen(tail(b)) ||
        memcmp(line + digits, tail(b), length - digits) != 0)
        return true; // of another model
    uint64_t steps = strtoull(line + begin, NULL, 10);
    if (steps > MOST_STEPS)
        steps = MOST_STEPS;
    if (steps > b->told)
        b->told = (uint32_t)steps;
    return true;
}

static void read_lines(struct bounds *b, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        length += text[length] == '\n';
        if (!read_bound(b, text, length) && b->keeps_elements)
            text_add_bytes(&b->elements, text, length);
        text += length;
    }
}

void bounds_hear(struct bounds *b, uint32_t length)
{
    const struct engine_environment *environment = b->workspace->environment;
    if (environment->hear == NULL || length < b->next_hearing)
        return;
    b->next_hearing = next_after(length);
    read_lines(b, environment->hear(environment->observer));
}
