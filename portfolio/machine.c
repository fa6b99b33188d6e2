#include "portfolio/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// The value behind "NAME :" in /proc/cpuinfo; false when the line is another one.
static bool take_value(char *line, const char *name, char *out, size_t size)
{
    size_t length = strlen(name);
    char *colon = strchr(line, ':');
    if (colon == NULL || strncmp(line, name, length) != 0 ||
        strspn(line + length, " \t") != (size_t)(colon - line) - length)
        return false;
    colon += 1 + strspn(colon + 1, " \t");
    colon[strcspn(colon, "\n")] = '\0';
    snprintf(out, size, "%s", colon);
    return *out != '\0';
}

static void read_cpu(char *out, size_t size)
{
    // Arm has no name of the model, but codes of maker and part.
    static const char *const names[] = {"model name", "Model", "cpu", "CPU part"};
    for (size_t i = 0; i < sizeof names / sizeof *names && *out == '\0'; i++) {
        FILE *file = fopen("/proc/cpuinfo", "re");
        char line[512];
        while (file != NULL && fgets(line, sizeof line, file) != NULL &&
               !take_value(line, names[i], out, size))
            continue;
        if (file != NULL)
            fclose(file);
    }
}

void machine_describe(struct machine *machine)
{
    *machine = (struct machine){0};
    struct utsname names;
    if (uname(&names) == 0)
        snprintf(machine->system, sizeof machine->system, "%.40s %.80s %.30s", names.sysname,
                 names.release, names.machine);
    read_cpu(machine->cpu, sizeof machine->cpu);
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0)
        machine->memory_bytes = (uint64_t)pages * (uint64_t)size;
}
