#include <cjson/cJSON.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "runs/contracts.h"

// How the answers about contracts are told: lines, JSON, SARIF 2.1.0 (OASIS 2020).

static const char *const KINDS[CONTRACTS_KINDS] = {"proved", "violated", "not proved",
                                                   "not supported", "not decided"};

static void indent_lines(struct text *out, const char *lines)
{
    for (const char *at = lines; *at;) {
        size_t length = strcspn(at, "\n");
        text_add(out, "\n    ");
        text_add_bytes(out, at, length);
        at += length + (at[length] == '\n');
    }
}

void contracts_print_answer(struct text *out, const struct contracts_answer *a)
{
    text_printf(out, "%s: %s (%s", a->question, verdict_name(a->verdict), a->words);
    if (a->where[0])
        text_printf(out, " at %s", a->where);
    text_add(out, " in ");
    text_add_duration(out, a->seconds);
    text_add_char(out, ')');
    if (a->values[0] && a->kind == CONTRACTS_NOT_PROVED)
        text_printf(out, "\n    with %s", a->values);
    indent_lines(out, a->transactions);
    for (const char *at = a->offered; *at;) {
        size_t length = strcspn(at, "\n");
        text_add(out, "\n    found: ");
        text_add_bytes(out, at, length);
        at += length + (at[length] == '\n');
    }
}

enum verdict contracts_print_summary(struct text *out, const struct contracts_answers *answers)
{
    size_t counts[CONTRACTS_KINDS] = {0}, safe = 0, unsafe = 0;
    for (size_t i = 0; i < answers->count; i++) {
        counts[answers->data[i].kind]++;
        safe += answers->data[i].verdict == VERDICT_SAFE;
        unsafe += answers->data[i].verdict == VERDICT_UNSAFE;
    }
    enum verdict verdict = unsafe                                     ? VERDICT_UNSAFE
                           : answers->count && safe == answers->count ? VERDICT_SAFE
                                                                      : VERDICT_UNKNOWN;
    text_printf(out, "%s (%zu question%s", verdict_name(verdict), answers->count,
                answers->count == 1 ? "" : "s");
    const char *separator = ": ";
    for (int k = 0; k < CONTRACTS_KINDS; k++)
        if (counts[k]) {
            text_printf(out, "%s%zu %s", separator, counts[k], KINDS[k]);
            separator = ", ";
        }
    text_add_char(out, ')');
    return verdict;
}

static void add_json(struct text *out, cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    if (text != NULL)
        text_add_json(out, text);
    cJSON_free(text);
    cJSON_Delete(json);
}

void contracts_print_json(struct text *out, const char *path,
                          const struct contracts_answers *answers)
{
    cJSON *all = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(all, "questions");
    struct text summary;
    text_init(&summary);
    enum verdict verdict = contracts_print_summary(&summary, answers);
    cJSON_AddStringToObject(all, "file", path);
    cJSON_AddStringToObject(all, "compiler", answers->compiler != NULL ? answers->compiler : "");
    cJSON_AddStringToObject(all, "verdict", verdict_name(verdict));
    cJSON_AddStringToObject(all, "summary", text_string(&summary));
    for (size_t i = 0; i < answers->count; i++) {
        const struct contracts_answer *a = &answers->data[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "question", a->question);
        cJSON_AddStringToObject(one, "verdict", verdict_name(a->verdict));
        cJSON_AddStringToObject(one, "answer", KINDS[a->kind]);
        cJSON_AddStringToObject(one, "words", a->words);
        cJSON_AddStringToObject(one, "what", a->what);
        cJSON_AddStringToObject(one, "where", a->where);
        cJSON_AddStringToObject(one, "values", a->values);
        cJSON_AddStringToObject(one, "transactions", a->transactions);
        cJSON_AddStringToObject(one, "offered", a->offered);
        cJSON_AddNumberToObject(one, "seconds", a->seconds);
        cJSON_AddItemToArray(list, one);
    }
    text_finish(&summary);
    add_json(out, all);
}

static cJSON *location_of(const struct contracts_answer *a, const char *path)
{
    cJSON *location = cJSON_CreateObject(),
          *physical = cJSON_AddObjectToObject(location, "physicalLocation");
    const char *colon = a->where[0] ? strchr(a->where, ':') : NULL;
    char *file = colon != NULL ? memory_strdup(a->where) : memory_strdup(path);
    if (colon != NULL)
        file[colon - a->where] = '\0';
    cJSON_AddStringToObject(cJSON_AddObjectToObject(physical, "artifactLocation"), "uri", file);
    cJSON *region = cJSON_AddObjectToObject(physical, "region");
    cJSON_AddNumberToObject(region, "startLine", a->line ? a->line : 1);
    cJSON_AddNumberToObject(region, "startColumn", a->column ? a->column : 1);
    memory_free(file);
    return location;
}

void contracts_print_sarif(struct text *out, const char *path,
                           const struct contracts_answers *answers)
{
    static const char *const levels[CONTRACTS_KINDS] = {"none", "error", "warning", "note", "note"};
    static const char *const rules[CONTRACTS_KINDS] = {"proved", "violated", "not-proved",
                                                       "not-supported", "not-decided"};
    cJSON *log = cJSON_CreateObject();
    cJSON_AddStringToObject(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(log, "version", "2.1.0");
    cJSON *run = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(log, "runs"), run);
    cJSON *driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "regatta");
    cJSON_AddStringToObject(driver, "version", REGATTA_VERSION);
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < answers->count; i++) {
        const struct contracts_answer *a = &answers->data[i];
        if (a->kind == CONTRACTS_PROVED)
            continue;
        struct text words;
        text_init(&words);
        text_printf(&words, "%s: %s", a->question, a->words);
        if (a->transactions[0])
            text_printf(&words, "\n%s", a->transactions);
        cJSON *result = cJSON_CreateObject();
        cJSON_AddStringToObject(result, "ruleId", rules[a->kind]);
        cJSON_AddStringToObject(result, "level", levels[a->kind]);
        cJSON_AddStringToObject(cJSON_AddObjectToObject(result, "message"), "text",
                                text_string(&words));
        cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "locations"), location_of(a, path));
        cJSON_AddItemToArray(results, result);
        text_finish(&words);
    }
    add_json(out, log);
}

void contracts_print_tests(struct text *out, const char *path,
                           const struct contracts_answers *answers)
{
    const char *slash = strrchr(path, '/');
    text_printf(out,
                "import \"forge-std/Test.sol\";\nimport \"./%s\";\n\ncontract Attacks is Test {\n",
                slash != NULL ? slash + 1 : path);
    size_t number = 0;
    for (size_t i = 0; i < answers->count; i++) {
        const struct contracts_answer *a = &answers->data[i];
        if (a->kind == CONTRACTS_VIOLATED)
            text_printf(out, "    // %s: %s at %s\n    function test%zu() public {\n%s    }\n",
                        a->question, a->what, a->where, ++number, a->test);
    }
    text_add(out, "}\n");
}
