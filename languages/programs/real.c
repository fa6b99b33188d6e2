#include "languages/programs/real.h"

#include <assert.h>
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "languages/programs/float_bits.h"

bool real_function(const char *name, const uint64_t *arguments, uint32_t count, uint64_t *result)
{
    static const char prefix[] = REAL_PREFIX;
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
        *result = bits_of_double(one[i].function(double_of_bits(arguments[0])));
        return true;
    }
    for (size_t i = 0; count == 2 && i < sizeof two / sizeof two[0]; i++) {
        if (strcmp(name, two[i].name) != 0)
            continue;
        *result = bits_of_double(
            two[i].function(double_of_bits(arguments[0]), double_of_bits(arguments[1])));
        return true;
    }
    return false;
}

bool real_enclosure(uint64_t value, uint64_t *least, uint64_t *most)
{
    double low = double_of_bits(value), high = low;
    for (int i = 0; i < REAL_UNITS; i++) {
        low = nextafter(low, -INFINITY);
        high = nextafter(high, INFINITY);
    }
    if (!isfinite(low) || !isfinite(high))
        return false;
    assert(low < high);
    *least = bits_of_double(low);
    *most = bits_of_double(high);
    return true;
}

bool real_library_has(const char *name)
{
    static const char surely[] = "strverscmp";
    return dlsym(RTLD_DEFAULT, surely) == NULL || dlsym(RTLD_DEFAULT, name) != NULL;
}
