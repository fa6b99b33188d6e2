// Behind library.c, as one text with it: more of <math.h>. Functions of `long double` go by the bits of x87's numbers; encodings that are
// no numbers are left alone. What is neither exact nor near to something known is any value, and no violation behind it counts.

static double any_real(void)
{
    double any;
    __regatta_something();
    return any;
}

LIB double logb(double x)
{
    int exponent;
    if (x != x)
        return x;
    if (x == 0)
        return -infinity();
    if (!__finite(x))
        return infinity();
    significand(x, &exponent);
    return exponent;
}

LIB float logbf(float x)
{
    return (float)logb(x);
}

LIB int ilogb(double x)
{
    int exponent;
    if (x == 0 || x != x)
        return -2147483647 - 1;
    if (!__finite(x))
        return 2147483647;
    significand(x, &exponent);
    return exponent;
}

LIB int ilogbf(float x)
{
    return ilogb(x);
}

LIB double nextafter(double x, double y)
{
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0)
        return number_of((bits_of(y) & SIGN) | 1);
    return number_of(bits_of(x) + ((x < y) == (x > 0) ? 1 : ~(bits)0));
}

LIB double nexttoward(double x, long double y)
{
    return y != y || x == y ? (double)y : nextafter(x, x < y ? infinity() : -infinity());
}

LIB float nextafterf(float x, float y)
{
    union {
        float number;
        unsigned bits;
    } u = {x}, to = {y};
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    u.bits = x == 0 ? (to.bits & 0x80000000u) | 1 : u.bits + ((x < y) == (x > 0) ? 1 : ~0u);
    return u.number;
}

// How many bits a number has between its first and its last one.
static int bits_in(double x)
{
    int exponent, n = FRACTION + 1;
    for (bits s = significand(x, &exponent); (s & 1) == 0; s >>= 1)
        n--;
    return n;
}

// Exact where the product is one.
LIB double fma(double x, double y, double z)
{
    if (!__finite(x) || !__finite(y) || !__finite(z) || x == 0 || y == 0)
        return x * y + z;
    int a, b;
    significand(x, &a);
    significand(y, &b);
    if (a + b < -900 || a + b > 1000 || bits_in(x) + bits_in(y) > FRACTION + 1)
        return any_real();
    return x * y + z;
}

// Of floats the product is exact. What the sum loses is kept in its last bit, so that it is rounded once.
LIB float fmaf(float x, float y, float z)
{
    double product = (double)x * y, sum = product + z;
    if (__finite(sum) && __regatta_rounding == TO_NEAREST) {
        double added = sum - product, lost = (product - (sum - added)) + (z - added);
        if (lost != 0 && (bits_of(sum) & 1) == 0)
            sum = number_of(bits_of(sum) + ((lost > 0) == (sum > 0) ? 1 : ~(bits)0));
    }
    return (float)sum;
}

LIB double remquo(double x, double y, int *quotient)
{
    double size = fabs(y), rest = fabs(x);
    int n = 0;
    if (y == 0 || y != y || !__finite(x)) {
        *quotient = up_to(-7, 7);
        return not_a_number();
    }
    if (size <= 0x1p1020)
        rest = fmod(rest, 8 * size);
    if (size <= 0x1p1021 && rest >= 4 * size) {
        rest -= 4 * size;
        n += 4;
    }
    if (size <= 0x1p1022 && rest >= 2 * size) {
        rest -= 2 * size;
        n += 2;
    }
    _Bool small = size < 0x1p-1021;
    if (small ? rest + rest > size : rest > 0.5 * size) {
        rest -= size;
        n++;
        if (small ? rest + rest >= size : rest >= 0.5 * size) {
            rest -= size;
            n++;
        }
    }
    n &= 7;
    *quotient = (bits_of(x) ^ bits_of(y)) & SIGN ? -n : n;
    rest = rest == 0 ? 0.0 : rest;
    return bits_of(x) & SIGN ? -rest : rest;
}

LIB float remquof(float x, float y, int *quotient)
{
    return (float)remquo(x, y, quotient);
}

LIB double drem(double x, double y)
{
    return remainder(x, y);
}

LIB float modff(float x, float *to)
{
    double part, rest = modf(x, &part);
    *to = (float)part;
    return (float)rest;
}

LIB double scalbln(double x, long n)
{
    return scalbn(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n);
}

LIB void sincos(double x, double *sine, double *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}

LIB double exp10(double x)
{
    return pow(10, x);
}

LIB float sinhf(float x)
{
    return (float)sinh(x);
}

LIB float coshf(float x)
{
    return (float)cosh(x);
}

LIB float exp2f(float x)
{
    return (float)exp2(x);
}

LIB double expm1(double x)
{
    return x == 0 || x != x || x == infinity() ? x : x == -infinity() ? -1 : any_real();
}

LIB double log1p(double x)
{
    return x == 0 || x != x || x == infinity() ? x : x == -1 ? -infinity() : any_real();
}

LIB double asinh(double x)
{
    return x == 0 || !__finite(x) ? x : any_real();
}

LIB double acosh(double x)
{
    return x == 1 ? 0 : x != x || x == infinity() ? x : x < 1 ? not_a_number() : any_real();
}

LIB double atanh(double x)
{
    return x == 0 || x != x    ? x
           : fabs(x) > 1       ? not_a_number()
           : x == 1 || x == -1 ? x * infinity()
                               : any_real();
}

LIB double erf(double x)
{
    return x == 0 || x != x ? x : __finite(x) ? any_real() : x > 0 ? 1 : -1;
}

LIB double erfc(double x)
{
    return x == 0 ? 1 : x != x ? x : __finite(x) ? any_real() : x > 0 ? 0 : 2;
}

// long double

struct extended {
    bits digits; // the first is the whole part
    unsigned short exponent;
};

#define EXTENDED_BIAS 16383
#define EXTENDED_SIGN 0x8000

static struct extended parts_of(long double x)
{
    union {
        long double number;
        struct extended parts;
    } u;
    u.number = x;
    return u.parts;
}

static long double extended_of(struct extended parts)
{
    union {
        long double number;
        struct extended parts;
    } u;
    u.parts = parts;
    return u.number;
}

static long double whole_extended(long double x, enum way way)
{
    struct extended p = parts_of(x);
    int exponent = (p.exponent & 0x7fff) - EXTENDED_BIAS;
    _Bool minus = (p.exponent & EXTENDED_SIGN) != 0;
    if (exponent >= 63 || p.digits == 0)
        return x;
    bits unit = exponent < 0 ? 0 : (bits)1 << (63 - exponent);
    bits rest = p.digits & (unit - 1), half = exponent < 0 ? (bits)1 << 63 : unit >> 1;
    _Bool at_half = exponent >= -1 && rest == half, above = exponent >= -1 && rest > half;
    _Bool odd = exponent >= 0 && (p.digits & unit) != 0;
    _Bool more = rest != 0 && (way == DOWN   ? minus
                               : way == UP   ? !minus
                               : way == AWAY ? above || at_half
                               : way == EVEN ? above || (at_half && odd)
                                             : 0);
    if (exponent < 0) {
        p.digits = more ? (bits)1 << 63 : 0;
        p.exponent = (unsigned short)((minus ? EXTENDED_SIGN : 0) | (more ? EXTENDED_BIAS : 0));
        return extended_of(p);
    }
    p.digits -= rest;
    if (more) {
        p.digits += unit;
        if (p.digits == 0) {
            p.digits = (bits)1 << 63;
            p.exponent++;
        }
    }
    return extended_of(p);
}

static enum way way_of_mode(void)
{
    int mode = __regatta_rounding;
    return mode == TO_NEAREST ? EVEN : mode == DOWNWARD ? DOWN : mode == UPWARD ? UP : ZERO;
}

LIB long double floorl(long double x)
{
    return whole_extended(x, DOWN);
}

LIB long double ceill(long double x)
{
    return whole_extended(x, UP);
}

LIB long double truncl(long double x)
{
    return whole_extended(x, ZERO);
}

LIB long double roundl(long double x)
{
    return whole_extended(x, AWAY);
}

LIB long double rintl(long double x)
{
    return whole_extended(x, way_of_mode());
}

LIB long double nearbyintl(long double x)
{
    return whole_extended(x, way_of_mode());
}

LIB long lroundl(long double x)
{
    return (long)whole_extended(x, AWAY);
}

LIB long long llroundl(long double x)
{
    return (long long)whole_extended(x, AWAY);
}

LIB long lrintl(long double x)
{
    return (long)whole_extended(x, way_of_mode());
}

LIB long long llrintl(long double x)
{
    return (long long)whole_extended(x, way_of_mode());
}

LIB int isinfl(long double x)
{
    return __isinfl(x);
}

LIB int isnanl(long double x)
{
    return x != x;
}

LIB int finitel(long double x)
{
    return __finitel(x);
}

LIB int __fpclassifyl(long double x)
{
    struct extended p = parts_of(x);
    return x != x ? 0 : !__finitel(x) ? 1 : p.digits == 0 ? 2 : (p.exponent & 0x7fff) == 0 ? 3 : 4;
}

LIB long double copysignl(long double x, long double y)
{
    return __builtin_copysignl(x, y);
}

LIB long double nanl(const char *text)
{
    return nan(text);
}

LIB long double fmaxl(long double x, long double y)
{
    return x != x ? y : y != y ? x : x > y ? x : y;
}

LIB long double fminl(long double x, long double y)
{
    return x != x ? y : y != y ? x : x < y ? x : y;
}

LIB long double fdiml(long double x, long double y)
{
    return x != x ? x : y != y ? y : x > y ? x - y : 0;
}

LIB long double modfl(long double x, long double *to)
{
    *to = whole_extended(x, ZERO);
    return copysignl(__isinfl(x) ? 0 : x - *to, x);
}

LIB long double frexpl(long double x, int *exponent)
{
    struct extended p = parts_of(x);
    int power = 1 - EXTENDED_BIAS + (p.exponent & 0x7fff);
    *exponent = 0;
    if (x == 0 || !__finitel(x))
        return x;
    if ((p.exponent & 0x7fff) == 0)
        power++;
    for (; p.digits >> 63 == 0; p.digits <<= 1)
        power--;
    *exponent = power;
    p.exponent = (unsigned short)((p.exponent & EXTENDED_SIGN) | (EXTENDED_BIAS - 1));
    return extended_of(p);
}

// Exact where one number has all digits; below, where digits get lost, the last step rounds.
LIB long double scalbnl(long double x, int n)
{
    struct extended power = {(bits)1 << 63, 0};
    if (n > 32765 || n < -32765)
        n = n > 0 ? 32765 : -32765;
    for (; n > EXTENDED_BIAS; n -= EXTENDED_BIAS) {
        power.exponent = 2 * EXTENDED_BIAS;
        x *= extended_of(power);
    }
    if (n < 1 - EXTENDED_BIAS) { // a step that rounds nothing, then one that does
        power.exponent = 64;
        n += EXTENDED_BIAS - 64;
        x *= extended_of(power);
        if (n < 1 - EXTENDED_BIAS)
            n = 1 - EXTENDED_BIAS;
    }
    power.exponent = (unsigned short)(EXTENDED_BIAS + n);
    return x * extended_of(power);
}

LIB long double ldexpl(long double x, int n)
{
    return scalbnl(x, n);
}

// Exact where the root has few digits.
LIB long double sqrtl(long double x)
{
    if (x != x || x == 0 || (x > 0 && !__finitel(x)))
        return x;
    if (x < 0)
        return not_a_number();
    double root = (double)x == x ? sqrt((double)x) : 0;
    if ((bits_of(root) & 0x1fffff) == 0 && (long double)root * root == x)
        return root;
    return any_real();
}

LIB long double fmodl(long double x, long double y)
{
    struct extended a = parts_of(x), b = parts_of(y);
    int high = a.exponent & 0x7fff, low = b.exponent & 0x7fff;
    if (y == 0 || y != y || !__finitel(x))
        return not_a_number();
    if (fabsl(x) < fabsl(y) || x == 0)
        return x;
    if (high == 0 || low == 0)
        return any_real(); // numbers below all that have their first digit
    _Bool carry = 0;
    for (; high > low; high--) {
        if (carry || a.digits >= b.digits)
            a.digits -= b.digits;
        carry = a.digits >> 63;
        a.digits <<= 1;
    }
    if (carry || a.digits >= b.digits)
        a.digits -= b.digits;
    if (a.digits == 0)
        return copysignl(0, x);
    for (; a.digits >> 63 == 0 && low > 1; a.digits <<= 1)
        low--;
    a.exponent = (unsigned short)((a.exponent & EXTENDED_SIGN) | (a.digits >> 63 == 0 ? 0 : low));
    return extended_of(a);
}

// Complex numbers: what compilers call for a product that is no number, and for quotients. Their libraries scale and round these in
// ways of their own: what comes out is open.

LIB _Complex float __mulsc3(float a, float b, float c, float d)
{
    _Complex float out;
    __regatta_something();
    return out;
}

LIB _Complex float __divsc3(float a, float b, float c, float d)
{
    _Complex float out;
    __regatta_something();
    return out;
}

LIB _Complex double __muldc3(double a, double b, double c, double d)
{
    _Complex double out;
    __regatta_something();
    return out;
}

LIB _Complex double __divdc3(double a, double b, double c, double d)
{
    _Complex double out;
    __regatta_something();
    return out;
}

LIB _Complex long double __mulxc3(long double a, long double b, long double c, long double d)
{
    _Complex long double out;
    __regatta_something();
    return out;
}

LIB _Complex long double __divxc3(long double a, long double b, long double c, long double d)
{
    _Complex long double out;
    __regatta_something();
    return out;
}

// As libgcc's, which compilers call for it, in the arithmetic of the type.
#define POWER(type)                                                                                \
    type out = 1;                                                                                  \
    for (int k = n;; x *= x) {                                                                     \
        if (k % 2 != 0)                                                                            \
            out *= x;                                                                              \
        k /= 2;                                                                                    \
        if (k == 0)                                                                                \
            break;                                                                                 \
    }                                                                                              \
    return n < 0 ? 1 / out : out

LIB double __intrinsic_powi_f64_i32(double x, int n)
{
    POWER(double);
}

LIB float __intrinsic_powi_f32_i32(float x, int n)
{
    POWER(float);
}
