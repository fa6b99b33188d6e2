#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Numbers with units as users write and read them.

// An unsigned decimal number "12", "1.5"; the rest of the string, or NULL when there is none.
static const char *parse_number(const char *string, double *number)
{
    if (string[0] < '0' || string[0] > '9')
        return NULL;
    size_t digits = strspn(string, "0123456789");
    const char *end = string + digits;
    if (*end == '.') {
        size_t fraction = strspn(end + 1, "0123456789");
        if (fraction == 0)
            return NULL;
        end += 1 + fraction;
    }
    double value = 0, scale = 1;
    // By hand: strtod depends on the locale.
    for (const char *c = string; c < end; c++) {
        if (*c == '.')
            continue;
        value = value * 10 + (*c - '0');
        if (c > string + digits)
            scale *= 10;
    }
    *number = value / scale;
    return isfinite(*number) ? end : NULL;
}

struct unit {
    const char *name;
    double factor;
};

static bool parse_with_units(const char *string, const struct unit *units, double *result)
{
    double number;
    const char *rest = parse_number(string, &number);
    if (rest == NULL)
        return false;
    for (const struct unit *unit = units; unit->name != NULL; unit++) {
        if (strcmp(rest, unit->name) == 0) {
            *result = number * unit->factor;
            return isfinite(*result);
        }
    }
    return false;
}

bool text_parse_duration(const char *string, double *seconds)
{
    static const struct unit units[] = {{"", 1},      {"s", 1},     {"ms", 1e-3},
                                        {"us", 1e-6}, {"m", 60},    {"min", 60},
                                        {"h", 3600},  {"d", 86400}, {NULL, 0}};
    return parse_with_units(string, units, seconds);
}

bool text_parse_size(const char *string, uint64_t *bytes)
{
    static const struct unit units[] = {{"", 1},
                                        {"B", 1},
                                        {"KB", 1e3},
                                        {"kB", 1e3},
                                        {"MB", 1e6},
                                        {"GB", 1e9},
                                        {"TB", 1e12},
                                        {"K", 1e3},
                                        {"M", 1e6},
                                        {"G", 1e9},
                                        {"T", 1e12},
                                        {"KiB", 1024.0},
                                        {"MiB", 1048576.0},
                                        {"GiB", 1073741824.0},
                                        {"TiB", 1099511627776.0},
                                        {NULL, 0}};
    // Plain whole numbers are read exactly, not through a double.
    size_t digits = strspn(string, "0123456789");
    if (digits != 0 && (string[digits] == '\0' || strcmp(string + digits, "B") == 0)) {
        errno = 0;
        unsigned long long exact = strtoull(string, NULL, 10);
        if (errno != 0)
            return false;
        *bytes = exact;
        return true;
    }
    double value;
    if (!parse_with_units(string, units, &value) || value >= 18446744073709551616.0)
        return false;
    *bytes = (uint64_t)value;
    return true;
}

static void add_scaled(struct text *text, double value, const char *unit)
{
    text_printf(text, value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
}

void text_add_duration(struct text *text, double seconds)
{
    if (seconds < 0) {
        text_add_char(text, '-');
        seconds = -seconds;
    }
    // The borders sit where rounding would carry into the next unit.
    if (seconds < 0.0009995)
        text_printf(text, "%.0f us", seconds * 1e6);
    else if (seconds < 0.9995)
        add_scaled(text, seconds * 1e3, "ms");
    else if (seconds < 59.95)
        text_printf(text, "%.1f s", seconds);
    else if (seconds < 3599.5)
        text_printf(text, "%dm%02ds", (int)(seconds + 0.5) / 60, (int)(seconds + 0.5) % 60);
    else {
        long long minutes = (long long)(seconds / 60 + 0.5);
        text_printf(text, "%lldh%02lldm", minutes / 60, minutes % 60);
    }
}

void text_add_size(struct text *text, uint64_t bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) {
        text_printf(text, "%u B", (unsigned)bytes);
        return;
    }
    double value = (double)bytes / 1e3;
    size_t unit = 0;
    while (value >= 999.95) {
        value /= 1e3;
        unit++;
    }
    text_printf(text, "%.1f %s", value, units[unit]);
}
