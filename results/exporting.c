#include "results/exporting.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>

#include "base/say.h"
#include "base/vector.h"
#include "results/csv.h"
#include "results/fields.h"

static void add_number(struct text *out, const struct field *field)
{
    switch (field->kind) {
    case FIELD_REAL:
        text_printf(out, "%.17g", field->real);
        break;
    case FIELD_INTEGER:
        text_printf(out, "%" PRId64, field->integer);
        break;
    case FIELD_NATURAL:
        text_printf(out, "%" PRIu64, field->natural);
        break;
    default:
        text_add(out, field->boolean ? "1" : "0");
        break;
    }
}

static bool write_row(void *context, const struct run_record *run)
{
    struct text line;
    text_init(&line);
    for (size_t i = 0; i < run_field_count(); i++) {
        struct field field = run_field(run, i);
        if (i > 0)
            text_add_char(&line, ',');
        if (field.kind == FIELD_TEXT)
            csv_add(&line, field.text);
        else
            add_number(&line, &field);
    }
    text_add_char(&line, '\n');
    say_data(context, line.data, line.length);
    text_finish(&line);
    return true;
}

bool export_runs_csv(struct store *store, FILE *out, struct text *why)
{
    struct run_record none;
    run_record_init(&none);
    for (size_t i = 0; i < run_field_count(); i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", run_field(&none, i).name);
    fputc('\n', out);
    run_record_finish(&none);
    return store_each(store, write_row, out, why);
}

// JSON

struct known_feature {
    char *digest, *name;
    double value;
};

struct json_export {
    FILE *out;
    VECTOR(struct known_feature) features; // sorted by digest
};

static bool keep_feature(void *context, const char *digest, const char *name, double value)
{
    struct json_export *export = context;
    struct known_feature feature = {memory_strdup(digest), memory_strdup(name), value};
    VECTOR_PUSH(&export->features, feature);
    return true;
}

static void add_field(cJSON *object, const struct field *field)
{
    struct text digits;
    text_init(&digits);
    if (field->kind == FIELD_TEXT) {
        cJSON_AddStringToObject(object, field->name, field->text);
    } else if (field->kind == FIELD_BOOL) {
        cJSON_AddBoolToObject(object, field->name, field->boolean);
    } else {
        add_number(&digits, field);
        if (strcmp(field->name, "seed") == 0)
            cJSON_AddStringToObject(object, field->name, text_string(&digits));
        else
            cJSON_AddRawToObject(object, field->name, text_string(&digits));
    }
    text_finish(&digits);
}

static void add_features(const struct json_export *export, cJSON *object, const char *digest)
{
    size_t low = 0, high = export->features.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(export->features.data[middle].digest, digest) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < export->features.count; low++) {
        const struct known_feature *feature = &export->features.data[low];
        if (strcmp(feature->digest, digest) != 0)
            break;
        cJSON_AddNumberToObject(object, feature->name, feature->value);
    }
}

static bool write_object(void *context, const struct run_record *run)
{
    struct json_export *export = context;
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < run_field_count(); i++) {
        struct field field = run_field(run, i);
        add_field(object, &field);
    }
    add_features(export, cJSON_AddObjectToObject(object, "features"), run->task_digest);
    cJSON *attempts = cJSON_AddArrayToObject(object, "attempts");
    for (size_t a = 0; a < run->attempt_count; a++) {
        cJSON *attempt = cJSON_CreateObject();
        for (size_t i = 0; i < attempt_field_count(); i++) {
            struct field field = attempt_field(&run->attempts[a], i);
            add_field(attempt, &field);
        }
        cJSON_AddItemToArray(attempts, attempt);
    }
    char *line = cJSON_PrintUnformatted(object);
    if (line != NULL)
        say_json(export->out, line);
    cJSON_free(line);
    cJSON_Delete(object);
    return line != NULL;
}

bool export_runs_json(struct store *store, FILE *out, struct text *why)
{
    struct json_export export = {.out = out};
    bool good = store_each_feature(store, keep_feature, &export, why) &&
                store_each(store, write_object, &export, why);
    for (size_t i = 0; i < export.features.count; i++) {
        memory_free(export.features.data[i].digest);
        memory_free(export.features.data[i].name);
    }
    VECTOR_FINISH(&export.features);
    return good;
}
