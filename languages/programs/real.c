#include "languages/programs/real.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double to_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t from_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

bool real_function(const char *name, const uint64_t *arguments, uint32_t count, uint64_t *result)
{
    static const char prefix[] = "__regatta_real_";
    static const struct {
        const char *name;
        double (*function)(double);
    } one[] = {{"sin", sin},   {"cos", cos},   {"tan", tan},   {"asin", asin}, {"acos", acos},
               {"atan", atan}, {"sinh", sinh}, {"cosh", cosh}, {"tanh", tanh}, {"exp", exp},
               {"exp2", exp2}, {"cbrt", cbrt}, {"log", log},   {"log2", log2}, {"log10", log10}};
    static const struct {
        const char *name;
        double (*function)(double, double);
    } two[] = {{"atan2", atan2}, {"hypot", hypot}, {"pow", pow}};
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    name += sizeof prefix - 1;
    for (size_t i = 0; count == 1 && i < sizeof one / sizeof one[0]; i++) {
        if (strcmp(name, one[i].name) != 0)
            continue;
        *result = from_double(one[i].function(to_double(arguments[0])));
        return true;
    }
    for (size_t i = 0; count == 2 && i < sizeof two / sizeof two[0]; i++) {
        if (strcmp(name, two[i].name) != 0)
            continue;
        *result = from_double(two[i].function(to_double(arguments[0]), to_double(arguments[1])));
        return true;
    }
    return false;
}

bool real_enclosure(uint64_t value, uint64_t *least, uint64_t *most)
{
    double low = to_double(value), high = low;
    for (int i = 0; i < REAL_UNITS; i++) {
        low = nextafter(low, -INFINITY);
        high = nextafter(high, INFINITY);
    }
    if (!isfinite(low) || !isfinite(high))
        return false;
    assert(low < high);
    *least = from_double(low);
    *most = from_double(high);
    return true;
}
