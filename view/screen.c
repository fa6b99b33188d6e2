#include "view/screen.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/say.h"
#include "base/signals.h"

#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"
#define ERASE_REST_OF_LINE "\033[K"
#define ERASE_BELOW "\033[J"

bool screen_usable(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

void screen_init(struct screen *screen)
{
    *screen = (struct screen){.columns = 80, .rows = 24};
    text_init(&screen->out);
}

void screen_finish(struct screen *screen)
{
    text_finish(&screen->out);
}

static void flush(struct screen *screen)
{
    if (screen->out.length != 0)
        fwrite(screen->out.data, 1, screen->out.length, stderr);
    fflush(stderr);
    text_clear(&screen->out);
}

void screen_begin(struct screen *screen)
{
    assert(!screen->open);
    screen->open = true;
    signals_set_restore(STDERR_FILENO, SHOW_CURSOR);
    text_add(&screen->out, HIDE_CURSOR);
    flush(screen);
}

void screen_end(struct screen *screen)
{
    if (!screen->open)
        return;
    screen->open = false;
    text_add(&screen->out, SHOW_CURSOR);
    flush(screen);
    signals_set_restore(-1, NULL);
}

static void ask_size(struct screen *screen)
{
    struct winsize size;
    screen->columns = 80;
    screen->rows = 24;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) {
        if (size.ws_col > 1)
            screen->columns = size.ws_col;
        if (size.ws_row > 3)
            screen->rows = size.ws_row;
    }
}

void screen_top(struct screen *screen)
{
    ask_size(screen);
    if (screen->drawn != 0)
        text_printf(&screen->out, "\r\033[%uA", screen->drawn);
    screen->drawn = 0;
    text_add(&screen->out, HIDE_CURSOR); // again: it was shown if we were stopped in between
}

void screen_cut(struct text *out, const char *line, size_t width)
{
    size_t length = strlen(line);
    if (length > width) {
        length = width;
        while (length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80)
            length--;
    }
    text_add_bytes(out, line, length);
}

void screen_note(struct screen *screen, const char *line)
{
    text_add_name(&screen->out, line);
    text_add(&screen->out, ERASE_BELOW "\n");
}

void screen_line(struct screen *screen, const char *line)
{
    if (screen->drawn + 1 >= screen->rows)
        return;
    struct text shown;
    text_init(&shown);
    text_add_name(&shown, line);
    screen_cut(&screen->out, text_string(&shown),
               screen->columns - 1); // a full last column would wrap on some
    text_finish(&shown);
    text_add(&screen->out, ERASE_REST_OF_LINE "\n");
    screen->drawn++;
    assert(screen->drawn < screen->rows); // the cursor's way up is as long
}

void screen_show(struct screen *screen)
{
    text_add(&screen->out, ERASE_BELOW);
    flush(screen);
}
