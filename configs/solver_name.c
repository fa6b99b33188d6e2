#include "configs/solver_name.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define PROCESS_PREFIX "smtlib:"

// A command stands in lists of options between quotation marks.
static const char *read_command(const char *text)
{
    const char *command = text + strlen(PROCESS_PREFIX);
    for (const char *c = command; *c; c++)
        if (*c == '"' || iscntrl((unsigned char)*c))
            return NULL;
    return command[strspn(command, " ")] ? text : NULL;
}

const char *solver_name_read(const char *text)
{
    static const char *const names[] = {
        "z3",
        "cvc5",
#ifdef REGATTA_CVC5
        "cvc5-lib",
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(names[i], text) == 0)
            return names[i];
    return strncmp(text, PROCESS_PREFIX, strlen(PROCESS_PREFIX)) == 0 ? read_command(text) : NULL;
}

const char *solver_name_read_optional(const char *text)
{
    return *text ? solver_name_read(text) : text;
}

// A program without its folders.
struct program {
    const char *name;
    size_t length;
};

// The next word from *at on, as a program; length 0 at the end.
static struct program next_program(const char **at)
{
    const char *word = *at + strspn(*at, " ");
    *at = word + strcspn(word, " ");
    for (const char *c = word; c < *at; c++)
        if (*c == '/')
            word = c + 1;
    return (struct program){word, (size_t)(*at - word)};
}

static struct program main_program(const char *solver, const char **rest)
{
    static const char *const built_in[] = {"z3", "cvc5"}; // "cvc5-lib" too
    *rest = "";
    if (strncmp(solver, PROCESS_PREFIX, strlen(PROCESS_PREFIX)) == 0) {
        *rest = solver + strlen(PROCESS_PREFIX);
        return next_program(rest);
    }
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (strncmp(solver, built_in[i], strlen(built_in[i])) == 0)
            return (struct program){built_in[i], strlen(built_in[i])};
    return (struct program){solver, strlen(solver)};
}

// "z3-4.13.0" is one of "z3".
static bool is_one_of(struct program program, struct program family)
{
    return family.length > 0 && program.length >= family.length &&
           strncmp(program.name, family.name, family.length) == 0 &&
           (program.length == family.length ||
            !isalnum((unsigned char)program.name[family.length]));
}

// Also behind a program that starts it: "timeout 10 z3 -in".
static bool starts(const char *solver, struct program family)
{
    const char *rest;
    for (struct program p = main_program(solver, &rest); p.length > 0; p = next_program(&rest))
        if (is_one_of(p, family))
            return true;
    return false;
}

bool solver_name_same_program(const char *one, const char *other)
{
    const char *rest;
    return starts(one, main_program(other, &rest)) || starts(other, main_program(one, &rest));
}

bool solver_name_is_program(const char *name)
{
    return strcmp(name, "cvc5") == 0 || strncmp(name, PROCESS_PREFIX, strlen(PROCESS_PREFIX)) == 0;
}

bool solver_name_has_limit(const char *name)
{
    if (strncmp(name, PROCESS_PREFIX, strlen(PROCESS_PREFIX)) != 0)
        return true;
    const char *rest;
    struct program program = main_program(name, &rest);
    return (program.length == 2 && strncmp(program.name, "z3", 2) == 0) ||
           (program.length == 4 && strncmp(program.name, "cvc5", 4) == 0);
}
