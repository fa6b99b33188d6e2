#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/ensure.h"
#include "languages/c/c.h"
#include "languages/programs/threads.h"

struct scanner {
    const char *at, *path, *start;
    struct messages *messages;
};

static void blanks(struct scanner *s)
{
    while (isspace((unsigned char)*s->at))
        s->at++;
}

static bool take(struct scanner *s, const char *word)
{
    blanks(s);
    size_t length = strlen(word);
    if (strncmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

static char *take_name(struct scanner *s, struct arena *arena)
{
    blanks(s);
    const char *start = s->at;
    while (isalnum((unsigned char)*s->at) || *s->at == '_' || *s->at == '-')
        s->at++;
    return arena_strndup(arena, start, (size_t)(s->at - start));
}

static struct position here(const struct scanner *s)
{
    assert(s->start <= s->at);
    struct position at = {s->path, 1, 1};
    for (const char *c = s->start; c < s->at; c++) {
        at.column = *c == '\n' ? 1 : at.column + 1;
        at.line += *c == '\n';
    }
    return at;
}

static bool expected(const struct scanner *s, const char *what)
{
    message_add(s->messages, MESSAGE_ERROR, here(s), "found `%.30s`, expected %s", s->at, what);
    return false;
}

const char *c_property_kind(const struct program_question *question)
{
    const enum program_property property = question->property;
    static const char *const words[] = {
        [PROPERTY_CALL] = "unreach-call",           [PROPERTY_LABEL] = "unreach-label",
        [PROPERTY_OVERFLOW] = "no-overflow",        [PROPERTY_MEMSAFETY] = "valid-memsafety",
        [PROPERTY_MEMCLEANUP] = "valid-memcleanup", [PROPERTY_TERMINATION] = "termination",
    };
    assert((size_t)property < sizeof words / sizeof words[0]);
    return program_question_is_race(question) ? program_question_word(question) : words[property];
}

static bool named(const char *name, struct program_question *out)
{
    static const struct {
        const char *name;
        struct program_question question;
    } known[] = {
        {"unreach-call", {PROPERTY_CALL, "reach_error", false, false, false}},
        {"unreach-label", {PROPERTY_LABEL, "ERROR", false, false, false}},
        {"no-assertion-violation", {PROPERTY_CALL, "__assert_fail", false, false, false}},
        {"no-overflow", {PROPERTY_OVERFLOW, NULL, false, false, false}},
        {"overflow", {PROPERTY_OVERFLOW, NULL, false, false, false}},
        {"valid-memsafety", {PROPERTY_MEMSAFETY, NULL, true, true, true}},
        {"valid-free", {PROPERTY_MEMSAFETY, NULL, true, false, false}},
        {"valid-deref", {PROPERTY_MEMSAFETY, NULL, false, true, false}},
        {"valid-memtrack", {PROPERTY_MEMSAFETY, NULL, false, false, true}},
        {"valid-memcleanup", {PROPERTY_MEMCLEANUP, NULL, false, false, false}},
        {"termination", {PROPERTY_TERMINATION, NULL, false, false, false}},
        {"no-data-race", {PROPERTY_CALL, THREADS_RACE, false, false, false}},
        {"data-race", {PROPERTY_CALL, THREADS_RACE, false, false, false}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, name) != 0)
            continue;
        bool join =
            out->property == PROPERTY_MEMSAFETY && known[i].question.property == PROPERTY_MEMSAFETY;
        struct program_question q = known[i].question;
        if (join) {
            q.free = q.free || out->free;
            q.deref = q.deref || out->deref;
            q.track = q.track || out->track;
        }
        // What an earlier check has asked is asked still.
        ENSURE(q.property != PROPERTY_MEMSAFETY || q.free || q.deref || q.track);
        *out = q;
        return true;
    }
    return false;
}

// ! call(f()), ! label(L), ! overflow, valid-free …
static bool formula(struct scanner *s, struct arena *arena, struct program_question *out)
{
    bool negated = take(s, "!");
    struct position at = here(s);
    char *name = take_name(s, arena);
    bool call = strcmp(name, "call") == 0, label = strcmp(name, "label") == 0;
    if (negated && (call || label)) {
        if (!take(s, "("))
            return expected(s, "`(`");
        *out = (struct program_question){.property = call ? PROPERTY_CALL : PROPERTY_LABEL};
        out->name = take_name(s, arena);
        if (take(s, "(") && !take(s, ")"))
            return expected(s, "`)`");
        return take(s, ")") || expected(s, "`)`");
    }
    const bool unwanted = strcmp(name, "overflow") == 0 || strcmp(name, "data-race") == 0;
    if (negated != unwanted || !named(name, out)) {
        message_add(s->messages, MESSAGE_UNSUPPORTED, at, "the property `%s%s`",
                    negated ? "! " : "G ", name);
        return false;
    }
    return true;
}

static bool check(struct scanner *s, struct arena *arena, struct program_question *out)
{
    if (!take(s, "(") || !take(s, "init") || !take(s, "(") || !take(s, "main"))
        return expected(s, "`( init(main()), LTL(…) )`");
    if (!take(s, "(") || !take(s, ")") || !take(s, ")") || !take(s, ",") || !take(s, "LTL") ||
        !take(s, "("))
        return expected(s, "`LTL(`");
    if (take(s, "F")) {
        struct position at = here(s);
        if (strcmp(take_name(s, arena), "end") != 0) {
            message_add(s->messages, MESSAGE_UNSUPPORTED, at,
                        "a property with F that is not `F end`");
            return false;
        }
        *out = (struct program_question){.property = PROPERTY_TERMINATION};
        return (take(s, ")") && take(s, ")")) || expected(s, "`) )`");
    }
    if (!take(s, "G")) {
        message_add(s->messages, MESSAGE_UNSUPPORTED, here(s), "the property `%.20s`", s->at);
        return false;
    }
    if (!formula(s, arena, out))
        return false;
    return (take(s, ")") && take(s, ")")) || expected(s, "`) )`");
}

// Does the later question ask the earlier one, too? Parts of memory safety are asked together.
static bool is_joined(const struct program_question *earlier, const struct program_question *later)
{
    if (earlier->property != later->property)
        return false;
    assert(later->property != PROPERTY_MEMSAFETY ||
           (later->free >= earlier->free && later->deref >= earlier->deref &&
            later->track >= earlier->track));
    return (earlier->name == NULL) == (later->name == NULL) &&
           (later->name == NULL || strcmp(earlier->name, later->name) == 0);
}

bool c_property_read(const char *text, const char *path, struct arena *arena,
                     struct program_question *out, struct messages *messages)
{
    struct scanner s = {text, path, text, messages};
    *out = (struct program_question){.property = PROPERTY_CALL};
    blanks(&s);
    if (strncmp(s.at, "CHECK", 5) != 0) {
        char *name = take_name(&s, arena);
        blanks(&s);
        return (*s.at == '\0' && named(name, out)) ||
               expected(&(struct scanner){text, path, text, messages},
                        "`CHECK( init(main()), LTL(…) )`, unreach-call, no-overflow, "
                        "valid-memsafety, valid-memcleanup, no-data-race or termination");
    }
    for (bool first = true; take(&s, "CHECK"); first = false) {
        struct program_question before = *out;
        struct position at = here(&s);
        if (!check(&s, arena, out))
            return false;
        if (first || is_joined(&before, out))
            continue;
        message_add(messages, MESSAGE_UNSUPPORTED, at,
                    "several CHECK(…) of different kinds in one file (one question each)");
        return false;
    }
    return *s.at == '\0' || expected(&s, "`CHECK`");
}
