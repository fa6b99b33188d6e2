#ifndef REGATTA_VIEW_SCREEN_H
#define REGATTA_VIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// Lines may hold anything: no control character of theirs reaches the terminal.
// A picture on standard error that is drawn in place, for live views. A picture is its lines from top to
// bottom; those that do not fit are left out. Everything is written at once. From one thread.
//
//   screen_begin  (screen_top  screen_note*  screen_line*  screen_show)*  screen_end

struct screen {
    unsigned columns, rows; // of the terminal, as of the last screen_top
    unsigned drawn;         // lines on it that belong to the picture
    bool open;
    struct text out;
};

bool screen_usable(void); // standard error is a terminal that can draw in place
void screen_init(struct screen *screen);
void screen_begin(
    struct screen *screen);             // hides the cursor; it comes back however the process ends
void screen_end(struct screen *screen); // leaves the last picture; nothing when it did not begin
void screen_finish(struct screen *screen);

void screen_top(struct screen *screen); // the next picture begins
// A line that stays above the picture, as long as it likes; before the first screen_line.
void screen_note(struct screen *screen, const char *line);
void screen_line(struct screen *screen, const char *line); // cut to the terminal's width
void screen_show(struct screen *screen);

// Cuts to so many columns (bytes; never inside a UTF-8 sequence).
void screen_cut(struct text *out, const char *line, size_t width);

#endif
