#include "runs/telling.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <string.h>

#include "base/ensure.h"
#include "base/say.h"
#include "runs/json.h"

// `winner` may be NULL or "".
static void tell_contest(FILE *out, const char *name, const char *answer, const char *winner)
{
    say(out, "FORMULA %s %s", name, answer);
    if (strcmp(answer, "CANNOT_COMPUTE") != 0) {
        fputs(" TECHNIQUES PORTFOLIO ", out);
        for (const char *c = winner != NULL ? winner : ""; *c != '\0'; c++)
            fputc(isalnum((unsigned char)*c) ? toupper((unsigned char)*c) : '_', out);
    }
    fputc('\n', out);
}

static void tell_contest_result(FILE *out, const struct run *run,
                                const struct language_question *question)
{
    ENSURE(question->greatest == NULL); // TRUE or FALSE answers it, no number
    enum verdict verdict = run->record.contradiction ? VERDICT_UNKNOWN : run->record.verdict;
    bool holds = (verdict == VERDICT_UNSAFE) == question->true_when_unsafe;
    const char *winner = run->winner >= 0 ? run->record.attempts[run->winner].configuration : NULL;
    tell_contest(out, question->name,
                 verdict == VERDICT_UNKNOWN ? "CANNOT_COMPUTE"
                 : holds                    ? "TRUE"
                                            : "FALSE",
                 winner);
}

// A line of its own for competitions.
static void tell_violated(const struct telling *telling, const struct run *run)
{
    if (run->trace == NULL || run->record.verdict != VERDICT_UNSAFE || run->record.contradiction ||
        run->trace->model->dialect->print_violated == NULL)
        return;
    struct text name, note;
    text_init(&name);
    text_init(&note);
    run->trace->model->dialect->print_violated(&name, &note, run->trace);
    say(telling->out, "violated: %s\n", text_string(&name));
    if (note.length > 0)
        say(telling->notes, "note: %s\n", text_string(&note));
    text_finish(&name);
    text_finish(&note);
}

static void tell_attempts(const struct telling *telling, const struct run *run)
{
    struct text attempts;
    text_init(&attempts);
    run_print_attempts(&attempts, &run->record);
    say(telling->notes, "%s", text_string(&attempts));
    text_finish(&attempts);
}

static size_t first_saying(const struct run_record *record)
{
    size_t i = 0;
    while (i < record->attempt_count &&
           (record->attempts[i].reason != record->reason || record->attempts[i].why[0] == '\0'))
        i++;
    ENSURE(i < record->attempt_count);
    return i;
}

// What all attempts that ended for the run's reason say of it; NULL when they say nothing. `*from`: where they differ, who of them says
// this: the first, if it is that they cannot treat the model.
static const char *why_unknown(const struct run_record *record, const char **from)
{
    const char *why = NULL;
    *from = NULL;
    for (size_t i = 0; i < record->attempt_count; i++) {
        const struct record *attempt = &record->attempts[i];
        if (attempt->reason != record->reason)
            continue;
        const bool differs = why != NULL && strcmp(why, attempt->why) != 0;
        if ((attempt->why[0] == '\0' || differs) && record->reason != END_UNSUPPORTED)
            return NULL;
        if (attempt->why[0] == '\0')
            continue;
        if (differs) {
            *from = record->attempts[first_saying(record)].configuration;
            return record->attempts[first_saying(record)].why;
        }
        why = attempt->why;
    }
    return why;
}

static void tell_unknown(const struct telling *telling, const struct run *run)
{
    if (run->result.verdict != VERDICT_UNKNOWN || run->record.contradiction)
        return;
    const char *from, *why = why_unknown(&run->record, &from);
    if (run->bound != NULL)
        say(telling->notes, "note: it was followed up to a bound: %s\n", run->bound);
    else if (why != NULL)
        say(telling->notes, "note: %s%s%s\n", from == NULL ? "" : from, from == NULL ? "" : ": ",
            why);
}

void telling_run(const struct telling *telling, const struct run *run, const char *name,
                 const struct language_question *question)
{
    if (telling->contest && question != NULL) {
        tell_contest_result(telling->out, run, question);
        return;
    }
    struct text line;
    text_init(&line);
    if (!telling->json)
        tell_violated(telling, run);
    tell_unknown(telling, run);
    if (name != NULL && !telling->json) {
        text_add_name(&line, name);
        text_add(&line, ": ");
    }
    if (telling->verbose)
        tell_attempts(telling, run);
    if (run_record_is_unexpected(&run->record))
        say(telling->notes, "regatta: WRONG: the task expects %s\n", run->record.expected);
    if (telling->json)
        json_run(&line, run);
    else
        run_summary(&line, &run->record);
    say(telling->out, "%s\n", text_string(&line));
    text_finish(&line);
}

static void tell_bound_json(FILE *out, const char *name, const char *number)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "question", name);
    cJSON_AddRawToObject(object, "greatest", number);
    char *printed = cJSON_PrintUnformatted(object);
    if (printed != NULL)
        say_json(out, printed);
    cJSON_free(printed);
    cJSON_Delete(object);
}

void telling_bound(const struct telling *telling, const struct language_question *question,
                   const struct bounds_result *found)
{
    bool known = found->greatest >= 0;
    // Each value was looked for by a race.
    ENSURE(!known || (found->races > 0 && found->winner[0] != '\0'));
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)found->greatest);
    if (telling->contest)
        tell_contest(telling->out, question->name, known ? number : "CANNOT_COMPUTE",
                     found->winner);
    else if (telling->json)
        tell_bound_json(telling->out, question->name, known ? number : "null");
    else if (known)
        say(telling->out, "%s: safe (the greatest sum is %s, after %zu races)\n", question->name,
            number, found->races);
    else
        say(telling->out, "%s: %s\n", question->name, text_string(&found->summary));
}

enum verdict telling_tally(const struct telling *telling, const struct questions_tally *tally)
{
    enum verdict verdict = tally->unsafe > 0    ? VERDICT_UNSAFE
                           : tally->unknown > 0 ? VERDICT_UNKNOWN
                                                : VERDICT_SAFE;
    if (!telling->contest)
        say(telling->out,
            telling->json
                ? "{\"verdict\": \"%s\", \"questions\": %zu, \"safe\": %zu, \"unsafe\": %zu, "
                  "\"unknown\": %zu}\n"
                : "%s (%zu questions: %zu safe, %zu unsafe, %zu unknown)\n",
            verdict_name(verdict), tally->safe + tally->unsafe + tally->unknown, tally->safe,
            tally->unsafe, tally->unknown);
    return verdict;
}
