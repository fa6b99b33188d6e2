#ifndef REGATTA_LANGUAGES_LANGUAGE_H
#define REGATTA_LANGUAGES_LANGUAGE_H

#include <stdatomic.h>

#include "base/message.h"
#include "model/model.h"

// Text in, model out. One reader per input language, found by the file's extension.

// docs/definitions/formats.md 1.4. NONE: whoever asks wants runs, not an answer; a model without a property is welcome.
enum property_at { PROPERTY_AT_ALL, PROPERTY_AT_STABLE, PROPERTY_AT_NONE };

// What of an input no question changes, read once and shared by all questions: immutable, counted; any thread.
struct language_source {
    void (*destroy)(struct language_source *source); // at the last release
    atomic_uint references;                          // 1 when made
};

struct language_source *language_source_share(struct language_source *source); // it, held once more
void language_source_release(struct language_source *source);                  // NULL is fine

// A source that is the text and what was made of it so far, where that depends on what questions say: for each way of reading
// one, made when the first question wants it.
struct language_reading {
    struct language_reading *next;
    void (*destroy)(struct language_reading *reading);
};

struct language_text {
    struct language_source base;
    char *text; // NUL-terminated
    size_t bytes;
    _Atomic(struct language_reading *) readings;
};

struct language_request;
// For struct language.parse: never NULL, no messages.
struct language_source *language_text_keep(const struct language_request *request,
                                           struct messages *messages);
// Takes over the reading, which is immutable from now on. Two threads at once may add the same: either will do.
void language_text_add(struct language_text *text, struct language_reading *reading);

struct language_request {
    const char *model_path;
    const char *model_text; // NUL-terminated; NULL where `source` is there
    size_t model_bytes;
    struct language_source
        *source; // what `parse` made of the text, held by the caller; NULL without a `parse`
    // XSTS: a PROP file or an inline expression; CFA: name of the error location; STS: name of the
    // property; AIGER, BTOR2: number of the bad signal. All NULL: what the model itself says.
    const char *property_path; // for messages; NULL when inline
    const char *property_text; // contents of the file, or the inline text; NUL-terminated
    size_t property_bytes;     // 0: up to the first NUL
    bool property_inline; // property_text is a bare expression / name given on the command line
    const char *question; // of several in the property's file, by name; NULL = not said
    enum property_at property_at;
};

// The questions of an input that holds several: each is asked by a property of its own.
struct language_question {
    char *
        name; // as users see it, unique in the input; behind `#` it names the question in the path of a task
    char *property; // as --property would say it
    bool
        true_when_unsafe; // what its author wrote is true where the verdict is unsafe (EF f); false: where it is safe
    char *
        greatest; // it wants a number: the greatest value of this sum over all reachable states; NULL: a verdict
    int64_t at_start; // the sum at the start
};

struct language_questions {
    struct language_question *data;
    size_t count, capacity; // a VECTOR
};

// Both texts are copied. The question is there until the next one is added.
struct language_question *language_questions_add(struct language_questions *list, const char *name,
                                                 const char *property);
void language_questions_finish(struct language_questions *list);

struct language {
    const char *name;      // "xsts"
    const char *extension; // ".xsts"
    const char *description;
    // The model's text alone, read once for all questions; what it returns must not point into the request. Messages only
    // where it fails (NULL), or but the first question would have them. NULL: `read` reads the text for each question.
    struct language_source *(*parse)(const struct language_request *request,
                                     struct messages *messages);
    // NULL and at least one error or "unsupported" message when there is no model.
    struct model *(*read)(const struct language_request *request, struct messages *messages);
    // Appends the questions of an input that may hold several; with one, or when the request says which, it may leave
    // the list empty. Cheap: nothing is translated. Messages as with `read`. NULL: inputs hold one question each.
    void (*questions)(const struct language_request *request, struct language_questions *out,
                      struct messages *messages);
    const char *plan;  // that is raced when nobody names one; NULL: the default plan
    bool reads_checks; // a property file with a CHECK(…) line is for the reader to read
};

#endif
