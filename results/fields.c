#include "results/fields.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "results/store_inside.h"

size_t run_field_count(void)
{
    return store_run_column_count;
}

size_t attempt_field_count(void)
{
    return store_attempt_column_count;
}

static struct field field_of(const struct column *column, const void *object)
{
    const void *at = (const char *)object + column->offset;
    struct field field = {.name = column->name};
    switch (column->kind) {
    case COLUMN_TEXT:
        field.kind = FIELD_TEXT;
        field.text = *(char *const *)at;
        break;
    case COLUMN_VERDICT:
        field.kind = FIELD_TEXT;
        field.text = verdict_name(*(const enum verdict *)at);
        break;
    case COLUMN_REASON:
        field.kind = FIELD_TEXT;
        field.text = end_reason_name(*(const enum end_reason *)at);
        break;
    case COLUMN_CHECK:
        field.kind = FIELD_TEXT;
        field.text = check_name(*(const enum check *)at);
        break;
    case COLUMN_REAL:
        field.kind = FIELD_REAL;
        field.real = *(const double *)at;
        break;
    case COLUMN_INT64:
        field.kind = FIELD_INTEGER;
        field.integer = *(const int64_t *)at;
        break;
    case COLUMN_UINT64:
        field.kind = FIELD_NATURAL;
        field.natural = *(const uint64_t *)at;
        break;
    case COLUMN_UNSIGNED:
        field.kind = FIELD_NATURAL;
        field.natural = *(const unsigned *)at;
        break;
    case COLUMN_BOOL:
        field.kind = FIELD_BOOL;
        field.boolean = *(const bool *)at;
        break;
    }
    return field;
}

struct field run_field(const struct run_record *run, size_t index)
{
    assert(index < store_run_column_count);
    return field_of(&store_run_columns[index], run);
}

struct field attempt_field(const struct record *record, size_t index)
{
    assert(index < store_attempt_column_count);
    return field_of(&store_attempt_columns[index], record);
}

size_t run_field_find(const char *name)
{
    for (size_t i = 0; i < store_run_column_count; i++)
        if (strcmp(store_run_columns[i].name, name) == 0)
            return i;
    return FIELD_NONE;
}

// Reading

static bool set_real(double *field, const char *text, bool duration)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0') {
        if (!duration || !text_parse_duration(text, &value))
            return false;
    }
    if (!(value >= -1e15 && value <= 1e15)) // nor NaN
        return false;
    *field = value;
    return true;
}

static bool set_integer(int64_t *field, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return false;
    *field = value;
    return true;
}

static bool set_natural(uint64_t *field, const char *text, bool size)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *text == '-') {
        uint64_t bytes;
        if (!size || !text_parse_size(text, &bytes))
            return false;
        value = bytes;
    }
    *field = value;
    return true;
}

static bool set_unsigned(unsigned *field, const char *text)
{
    uint64_t value;
    if (!set_natural(&value, text, false) || value > UINT32_MAX)
        return false;
    *field = (unsigned)value;
    return true;
}

static bool set_name(int *field, int parsed)
{
    if (parsed < 0)
        return false;
    *field = parsed;
    return true;
}

bool run_field_set(struct run_record *run, size_t index, const char *text)
{
    assert(index < store_run_column_count);
    const struct column *column = &store_run_columns[index];
    void *at = (char *)run + column->offset;
    int parsed = 0;
    switch (column->kind) {
    case COLUMN_TEXT:
        memory_free(*(char **)at);
        *(char **)at = memory_strdup(text);
        return true;
    case COLUMN_REAL:
        return set_real(at, text, text_ends_with(column->name, "_seconds"));
    case COLUMN_INT64:
        return set_integer(at, text);
    case COLUMN_UINT64:
        return set_natural(at, text, text_ends_with(column->name, "_bytes"));
    case COLUMN_UNSIGNED:
        return set_unsigned(at, text);
    case COLUMN_BOOL:
        parsed = strcmp(text, "1") == 0 ? 1 : strcmp(text, "0") == 0 ? 0 : -1;
        if (parsed >= 0)
            *(bool *)at = parsed == 1;
        return parsed >= 0;
    case COLUMN_VERDICT:
        if (!set_name(&parsed, verdict_parse(text)))
            return false;
        *(enum verdict *)at = (enum verdict)parsed;
        return true;
    case COLUMN_REASON:
        if (!set_name(&parsed, end_reason_parse(text)))
            return false;
        *(enum end_reason *)at = (enum end_reason)parsed;
        return true;
    case COLUMN_CHECK:
        if (!set_name(&parsed, check_parse(text)))
            return false;
        *(enum check *)at = (enum check)parsed;
        return true;
    }
    return false;
}
