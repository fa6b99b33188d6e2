#ifndef REGATTA_LANGUAGES_PROGRAMS_STORY_H
#define REGATTA_LANGUAGES_PROGRAMS_STORY_H

#include "languages/programs/interpret.h"
#include "languages/programs/source.h"
#include "model/trace.h"

// A run of a program in a programmer's words: the statements that ran, as they are written, with what each changed, and calls
// around them.

enum story_kind { STORY_STATEMENT, STORY_ENTER, STORY_LEAVE, STORY_ROUNDS };

struct story_step {
    enum story_kind kind;
    uint32_t frame, depth;       // of the run's flat program; calls around it
    const struct source *source; // NULL: the file cannot be read
    struct position at;          // where the statement begins; ENTER, LEAVE: of the call
    size_t start, end;           // of the statement in the source; both 0 when it is not found
    struct run_event *events;    // INPUT and STORE, in order
    size_t event_count, event_capacity;
    size_t more_events; // beyond what is kept
    uint64_t rounds;    // ROUNDS: so many more of the loop, each like the one before
};

// What main is given: the text of this index, or (`text` NULL) that there are so many.
struct story_text {
    const char *name; // "argv", "envp"
    uint64_t which;
    char *text;
    uint64_t length;
};

struct story {
    const struct flat *flat; // what was run
    struct story_step *steps;
    size_t step_count, step_capacity;
    size_t left_out,
        left_out_at;          // steps that were dropped before this index, where a run is very long
    struct run_event *inputs; // all of them, in order
    size_t input_count, input_capacity;
    bool inputs_cut;          // more than are kept
    struct story_text *texts; // those of argv and envp, each after their number
    size_t text_count, text_capacity;
    struct source **sources;
    size_t source_count, source_capacity;
    struct run_result result;
};

// Runs the program on a replayed trace of its model. The trace's model must have a program behind it.
struct story *story_create(const struct trace *trace);
void story_destroy(struct story *story);                                  // NULL is fine
const struct source *story_source(struct story *story, const char *path); // NULL: it cannot be read

// "i", "a[3]", "t+4", "block of line 7+8": what was stored to. Appended.
void story_target(struct text *out, const struct story *story, const struct run_event *event);
// The value as the programmer would write it. Appended.
void story_value(struct text *out, const struct run_event *event);
// A text that main is given: "argv[1]", and what it is as C writes it. Appended.
void story_text_name(struct text *out, const struct story_text *text);
void story_text_words(struct text *out, const struct story_text *text);
// One line of the statement, blanks squeezed. Appended.
void story_statement(struct text *out, const struct story_step *step);
const char *story_function(const struct story *story, uint32_t frame);
unsigned story_depth(const struct story_step *step);
unsigned story_thread(const struct story *story, const struct story_step *step); // main's is 1

// For dialects: the run as text, as JSON, and as a page that needs nothing but a browser.
void story_print_text(struct text *out, const struct trace *trace);
// The name of what is violated: of the property, or the part of it.
void story_print_violated(struct text *out, struct text *note, const struct trace *trace);
void story_print_json(struct text *out, const struct trace *trace);
void story_print_page(struct text *out, const struct trace *trace);

#endif
