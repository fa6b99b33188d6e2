#include "cli/help.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "results/verdict.h"

// Everything here is made from the table of commands, their option tables and the list of exit
// codes.

static const char ABOUT[] =
    "Regatta decides whether a model can reach an error. It races several configurations of\n"
    "abstraction refinement (CEGAR) on the cores of this machine, ends those that stop making\n"
    "progress, checks the answer and keeps a record of every attempt.\n";

static struct {
    int man;
} options;

static struct poptOption table[] = {
    {"man", 0, POPT_ARG_NONE, &options.man, 0, "write the manual page (roff)", NULL},
    POPT_TABLEEND,
};

#define LINE_COLUMNS 80
#define OPTION_COLUMNS 34

// Of UTF-8, each character one column wide.
static size_t columns_of(const char *text, size_t bytes)
{
    size_t columns = 0;
    for (size_t i = 0; i < bytes; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

// The words of a line or several, from that column on; what does not fit goes on the next lines, after `indent` blanks.
static void print_words(FILE *out, const char *text, size_t bytes, size_t column, size_t indent)
{
    bool first = true;
    for (const char *end = text + bytes; text < end;) {
        size_t length = 0;
        while (text + length < end && text[length] != ' ' && text[length] != '\n')
            length++;
        size_t columns = columns_of(text, length);
        if (!first && column + 1 + columns > LINE_COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, length, out);
        column += columns;
        first = false;
        text += length + 1;
    }
    fputc('\n', out);
}

// Lines up to an empty or an indented one are filled anew; indented ones stay as they are, and are broken where they are too long.
static void print_paragraphs(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n"), indent = strspn(text, " ");
        if (indent == 0 && length > 0) {
            while (text[length] == '\n' && text[length + 1] != '\n' && text[length + 1] != ' ' &&
                   text[length + 1] != '\0')
                length += 1 + strcspn(text + length + 1, "\n");
            print_words(out, text, length, 0, 0);
        } else if (columns_of(text, length) <= LINE_COLUMNS) {
            fprintf(out, "%.*s\n", (int)length, text);
        } else {
            fprintf(out, "%.*s", (int)indent, text);
            print_words(out, text + indent, length - indent, indent, indent);
        }
        text += length + (text[length] == '\n');
    }
}

static void print_exit_codes(FILE *out)
{
#define X(constant, code, meaning) fprintf(out, "  %3d  %s\n", code, meaning);
    EXIT_CODES(X)
#undef X
    fprintf(out, "  128+n  ended by signal n\n");
}

void help_overview(FILE *out)
{
    fputs("Usage: regatta COMMAND [OPTION…] [ARGUMENT…]\n\n", out);
    print_paragraphs(out, ABOUT);
    fputs("\nCommands\n", out);
    for (size_t i = 0; command_all()[i] != NULL; i++)
        fprintf(out, "  %-10s %s\n", command_all()[i]->name, command_all()[i]->summary);
    fprintf(out, "\nregatta COMMAND --help tells more; regatta --version.\n\nExit codes\n");
    print_exit_codes(out);
}

static void option_syntax(char *out, size_t bytes, const struct poptOption *option)
{
    int n = 0;
    if (option->shortName != '\0')
        n = snprintf(out, bytes, "-%c, ", option->shortName);
    else
        n = snprintf(out, bytes, "    ");
    n += snprintf(out + n, bytes - (size_t)n, "--%s%s%s", option->longName,
                  option->argDescrip != NULL ? "=" : "",
                  option->argDescrip != NULL ? option->argDescrip : "");
    assert(n > 0 && (size_t)n < bytes);
}

void help_command(FILE *out, const struct command *command)
{
    struct text usage;
    text_init(&usage);
    text_printf(&usage, "Usage: regatta %s [OPTION…]%s%s", command->name,
                command->arguments[0] != '\0' ? " " : "", command->arguments);
    print_words(out, text_string(&usage), usage.length, 0, strlen("Usage: "));
    text_finish(&usage);
    fputc('\n', out);
    print_paragraphs(out, command->description);
    fputs("\nOptions\n", out);
    for (const struct poptOption *o = command->options; o->longName != NULL; o++) {
        char syntax[80];
        option_syntax(syntax, sizeof syntax, o);
        size_t wide = columns_of(syntax, strlen(syntax)), room = OPTION_COLUMNS - 4;
        fprintf(out, "  %s%*s", syntax, wide <= room ? (int)(room - wide + 2) : 0, "");
        if (wide > room)
            fprintf(out, "\n%*s", OPTION_COLUMNS, "");
        print_words(out, o->descrip, strlen(o->descrip), OPTION_COLUMNS, OPTION_COLUMNS);
    }
    fprintf(out, "  %-30s  %s\n", "-h, --help", "this text");
}

// One character of UTF-8 beyond ASCII, as roff names it; the bytes it has.
static size_t roff_wide(FILE *out, const char *c)
{
    unsigned char first = (unsigned char)*c;
    size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    unsigned code = first & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | ((unsigned char)c[i] & 0x3fu);
    fprintf(out, "\\[u%04X]", code);
    return bytes;
}

// In roff a line must not begin with a dot or quote, and a backslash or a minus is special.
static void roff(FILE *out, const char *text)
{
    bool line_begin = true;
    for (const char *c = text; *c != '\0'; c++) {
        if (line_begin && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        if (*c == '\\')
            fputs("\\e", out);
        else if (*c == '-')
            fputs("\\-", out);
        else if ((unsigned char)*c >= 0x80)
            c += roff_wide(out, c) - 1;
        else
            fputc(*c, out);
        line_begin = *c == '\n';
    }
}

// Paragraphs fill; lines that begin with two spaces are kept as they are.
static void roff_description(FILE *out, const char *text)
{
    bool literal = false;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool example = strncmp(text, "  ", 2) == 0;
        if (example != literal)
            fputs(example ? ".nf\n" : ".fi\n", out);
        literal = example;
        if (length == 0)
            fputs(".PP\n", out);
        char line[200];
        assert(length + 1 < sizeof line);
        snprintf(line, sizeof line, "%.*s\n", (int)length, text);
        if (length != 0)
            roff(out, line);
        text += length;
        if (*text == '\n')
            text++;
    }
    if (literal)
        fputs(".fi\n", out);
}

static void man_command(FILE *out, const struct command *command)
{
    fprintf(out, ".SS regatta %s ", command->name);
    roff(out, command->arguments);
    fputs("\n", out);
    roff_description(out, command->description);
    for (const struct poptOption *o = command->options; o->longName != NULL; o++) {
        char syntax[80];
        option_syntax(syntax, sizeof syntax, o);
        fputs(".TP\n.B ", out);
        roff(out, syntax + strspn(syntax, " "));
        fputs("\n", out);
        roff(out, o->descrip);
        fputs("\n", out);
    }
}

void help_man(FILE *out)
{
    fprintf(out, ".TH REGATTA 1 \"\" \"regatta %s\" \"User Commands\"\n", REGATTA_VERSION);
    fputs(".SH NAME\nregatta \\- decide whether a model can reach an error\n", out);
    fputs(".SH SYNOPSIS\n.B regatta\n.I COMMAND\n[OPTION...] [ARGUMENT...]\n", out);
    fputs(".SH DESCRIPTION\n", out);
    roff(out, ABOUT);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; command_all()[i] != NULL; i++)
        man_command(out, command_all()[i]);
    fputs(".SH EXIT STATUS\n", out);
#define X(constant, code, meaning)                                                                 \
    fprintf(out, ".TP\n.B %d\n", code);                                                            \
    roff(out, meaning "\n");
    EXIT_CODES(X)
#undef X
    fputs(".TP\n.B 128+n\nended by signal n\n", out);
    fputs(".SH ENVIRONMENT\n.TP\n.B REGATTA_CONFIGS\n"
          "the folder searched first for plans and configurations\n",
          out);
}

static int run(const char *const *arguments, size_t count)
{
    if (options.man) {
        help_man(stdout);
        return 0;
    }
    if (count == 0) {
        help_overview(stdout);
        return 0;
    }
    const struct command *command = command_find(arguments[0]);
    if (command == NULL)
        return usage_error(&command_help, "no command '%s'", arguments[0]);
    help_command(stdout, command);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "tell about a command, or write the manual page",
    .description = "Without a command, an overview.\n",
    .options = table,
    .run = run,
};
