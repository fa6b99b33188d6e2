// Functions of the C library as C programs: what a program calls and does not define is taken from here. They are compiled
// to bitcode when Regatta is built and followed like the program's own functions, so that accesses in them are
// checked. `malloc`, `free`, `memcpy`, `memmove`, `memset` and the functions of verifiers are instructions of the
// translation; so are the functions __regatta_… declared here.
//
// LIB marks what programs may call; embed.py looks for it.

#define LIB __attribute__((weak))

typedef __SIZE_TYPE__ size_t;
typedef unsigned char byte;

void *malloc(size_t);
void free(void *);
// Instructions: as calls by these names they could not become loops (below).
#define memcpy __builtin_memcpy
#define memset __builtin_memset
size_t __regatta_block_size(void *);
// As malloc; the block may lie where the one does that is freed next.
void *__regatta_move_block(size_t);
// As memcpy, to a block that was made by __regatta_move_block, and from one.
void *__regatta_move_contents(void *, const void *, size_t);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
char __VERIFIER_nondet_char(void);
short __VERIFIER_nondet_short(void);
long __VERIFIER_nondet_long(void);
long long __VERIFIER_nondet_longlong(void);
void __VERIFIER_assume(int);
void abort(void);
void __assert_fail(const char *, const char *, unsigned, const char *);
void __regatta_exit(int);
void __regatta_bound(void);            // the path goes on where it is not followed
void __regatta_overflow(void);         // a signed operation left its range
void __regatta_something(void);        // from here on more may happen than really can
int __regatta_printed(void);           // how many characters were printed, which is not followed
void __regatta_failure(void);          // an assertion of a verifier's does not hold
void __regatta_wait(void);             // a thread does not go on before another one does something
void __regatta_race(void);             // two threads are at one place at the same time
unsigned __VERIFIER_nondet_turn(void); // which of the threads that may go on does
int __regatta_thread(void);            // the number of the one that runs, from 1
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

// <string.h>

LIB size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n] != '\0')
        n++;
    return n;
}

LIB size_t strnlen(const char *s, size_t most)
{
    size_t n = 0;
    while (n < most && s[n] != '\0')
        n++;
    return n;
}

LIB char *strcpy(char *to, const char *from)
{
    size_t i = 0;
    for (; from[i] != '\0'; i++)
        to[i] = from[i];
    to[i] = '\0';
    return to;
}

LIB char *stpcpy(char *to, const char *from)
{
    for (; *from != '\0'; from++)
        *to++ = *from;
    *to = '\0';
    return to;
}

LIB char *strncpy(char *to, const char *from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i] != '\0'; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = '\0';
    return to;
}

LIB char *stpncpy(char *to, const char *from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i] != '\0'; i++)
        to[i] = from[i];
    for (size_t k = i; k < n; k++)
        to[k] = '\0';
    return to + i;
}

LIB char *strcat(char *to, const char *from)
{
    size_t n = 0, i = 0;
    while (to[n] != '\0')
        n++;
    for (; from[i] != '\0'; i++)
        to[n + i] = from[i];
    to[n + i] = '\0';
    return to;
}

LIB char *strncat(char *to, const char *from, size_t most)
{
    size_t n = 0, i = 0;
    while (to[n] != '\0')
        n++;
    for (; i < most && from[i] != '\0'; i++)
        to[n + i] = from[i];
    to[n + i] = '\0';
    return to;
}

LIB int strcmp(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] != '\0' && a[i] == b[i])
        i++;
    return (int)(byte)a[i] - (int)(byte)b[i];
}

LIB int strcoll(const char *a, const char *b)
{
    return strcmp(a, b);
}

LIB int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i] || a[i] == '\0')
            return (int)(byte)a[i] - (int)(byte)b[i];
    }
    return 0;
}

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

LIB int strcasecmp(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] != '\0' && lower((byte)a[i]) == lower((byte)b[i]))
        i++;
    return lower((byte)a[i]) - lower((byte)b[i]);
}

LIB int strncasecmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (lower((byte)a[i]) != lower((byte)b[i]) || a[i] == '\0')
            return lower((byte)a[i]) - lower((byte)b[i]);
    }
    return 0;
}

LIB char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (*s == '\0')
            return 0;
    }
}

LIB char *strchrnul(const char *s, int c)
{
    while (*s != (char)c && *s != '\0')
        s++;
    return (char *)s;
}

LIB void *rawmemchr(const void *s, int c)
{
    const byte *at = s;
    while (*at != (byte)c)
        at++;
    return (void *)at;
}

LIB void bcopy(const void *from, void *to, size_t n)
{
    __builtin_memmove(to, from, n);
}

LIB char *index(const char *s, int c)
{
    return strchr(s, c);
}

LIB char *strrchr(const char *s, int c)
{
    const char *last = 0;
    for (;; s++) {
        if (*s == (char)c)
            last = s;
        if (*s == '\0')
            return (char *)last;
    }
}

LIB char *rindex(const char *s, int c)
{
    return strrchr(s, c);
}

// Where the set is known it is known on each way from here whether the character is one of it.
LIB size_t strspn(const char *s, const char *set)
{
    for (size_t n = 0;; n++) {
        for (size_t i = 0; set[i] != '\0'; i++) {
            if (set[i] == s[n])
                goto next;
        }
        return n;
    next:;
    }
}

LIB size_t strcspn(const char *s, const char *set)
{
    size_t n = 0;
    for (; s[n] != '\0'; n++) {
        for (size_t i = 0; set[i] != '\0'; i++) {
            if (set[i] == s[n])
                return n;
        }
    }
    return n;
}

LIB char *strpbrk(const char *s, const char *set)
{
    s += strcspn(s, set);
    return *s == '\0' ? 0 : (char *)s;
}

LIB char *strstr(const char *s, const char *part)
{
    for (;; s++) {
        size_t i = 0;
        while (part[i] != '\0' && s[i] == part[i])
            i++;
        if (part[i] == '\0')
            return (char *)s;
        if (*s == '\0')
            return 0;
    }
}

LIB char *strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    for (size_t i = 0; i < n; i++)
        copy[i] = s[i];
    return copy;
}

LIB char *strndup(const char *s, size_t most)
{
    size_t n = strnlen(s, most);
    char *copy = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = s[i];
    copy[n] = '\0';
    return copy;
}

LIB char *strtok_r(char *s, const char *set, char **rest)
{
    if (s == 0)
        s = *rest;
    if (s == 0)
        return 0;
    s += strspn(s, set);
    if (*s == '\0') {
        *rest = 0;
        return 0;
    }
    char *end = s + strcspn(s, set);
    if (*end == '\0') {
        *rest = 0;
    } else {
        *end = '\0';
        *rest = end + 1;
    }
    return s;
}

static char *strtok_rest;

LIB char *strtok(char *s, const char *set)
{
    return strtok_r(s, set, &strtok_rest);
}

LIB char *strsep(char **at, const char *ends)
{
    char *start = *at;
    if (start == 0)
        return 0;
    size_t n = 0;
    for (;; n++) {
        size_t i = 0;
        while (ends[i] != '\0' && ends[i] != start[n])
            i++;
        if (start[n] == '\0') {
            *at = 0;
            return start;
        }
        if (ends[i] != '\0')
            break;
    }
    start[n] = '\0';
    *at = start + n + 1;
    return start;
}

LIB void *memccpy(void *to, const void *from, int c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((byte *)to)[i] = ((const byte *)from)[i];
        if (((byte *)to)[i] == (byte)c)
            return (char *)to + i + 1;
    }
    return 0;
}

// <wchar.h>: both data models have characters of 32 bits.

typedef __WCHAR_TYPE__ wide;

LIB size_t wcslen(const wide *s)
{
    size_t n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

LIB wide *wcscpy(wide *to, const wide *from)
{
    size_t i = 0;
    for (; from[i] != 0; i++)
        to[i] = from[i];
    to[i] = 0;
    return to;
}

LIB wide *wcsncpy(wide *to, const wide *from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i] != 0; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

LIB wide *wcscat(wide *to, const wide *from)
{
    size_t n = 0, i = 0;
    while (to[n] != 0)
        n++;
    for (; from[i] != 0; i++)
        to[n + i] = from[i];
    to[n + i] = 0;
    return to;
}

LIB int wcscmp(const wide *a, const wide *b)
{
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i++;
    return a[i] < b[i] ? -1 : a[i] > b[i];
}

LIB int wcsncmp(const wide *a, const wide *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
        if (a[i] == 0)
            break;
    }
    return 0;
}

LIB wide *wcschr(const wide *s, wide c)
{
    for (size_t i = 0;; i++) {
        if (s[i] == c)
            return (wide *)s + i;
        if (s[i] == 0)
            return 0;
    }
}

LIB wide *wmemset(wide *to, wide c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = c;
    return to;
}

LIB wide *wmemcpy(wide *to, const wide *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
    return to;
}

// An array of so many bytes is given, however few of them are looked at.
static void is_array(const void *s, size_t n)
{
    if (n > 0)
        (void)((const volatile byte *)s)[n - 1];
}

LIB int memcmp(const void *a, const void *b, size_t n)
{
    const byte *x = a, *y = b;
    is_array(a, n);
    is_array(b, n);
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i])
            return (int)x[i] - (int)y[i];
    }
    return 0;
}

LIB int bcmp(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n);
}

LIB void *memchr(const void *s, int c, size_t n)
{
    const byte *x = s;
    for (size_t i = 0; i < n; i++) {
        if (x[i] == (byte)c)
            return (void *)(x + i);
    }
    return 0;
}

LIB void *memrchr(const void *s, int c, size_t n)
{
    const byte *x = s;
    for (size_t i = n; i > 0; i--) {
        if (x[i - 1] == (byte)c)
            return (void *)(x + i - 1);
    }
    return 0;
}

LIB void *mempcpy(void *to, const void *from, size_t n)
{
    return (char *)memcpy(to, from, n) + n;
}

LIB void bzero(void *s, size_t n)
{
    memset(s, 0, n);
}

// <stdlib.h>

LIB void *realloc(void *block, size_t bytes)
{
    if (block == 0)
        return malloc(bytes);
    size_t before = __regatta_block_size(block);
    if (bytes == 0) { // as glibc; other libraries may give a block of no bytes
        free(block);
        return 0;
    }
    void *next = __regatta_move_block(bytes);
    __regatta_move_contents(next, block, before < bytes ? before : bytes);
    free(block);
    return next;
}

LIB void *reallocarray(void *block, size_t count, size_t bytes)
{
    return realloc(block, count * bytes);
}

LIB void *aligned_alloc(size_t alignment, size_t bytes)
{
    return malloc(bytes);
}

LIB void *memalign(size_t alignment, size_t bytes)
{
    return malloc(bytes);
}

LIB void *valloc(size_t bytes)
{
    return malloc(bytes);
}

LIB int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    *out = malloc(bytes);
    return 0;
}

LIB void cfree(void *block)
{
    free(block);
}

LIB int abs(int n)
{
    if (n < 0 && n == -n)
        __regatta_overflow();
    return n < 0 ? -n : n;
}

LIB long labs(long n)
{
    if (n < 0 && n == -n)
        __regatta_overflow();
    return n < 0 ? -n : n;
}

LIB long long llabs(long long n)
{
    if (n < 0 && n == -n)
        __regatta_overflow();
    return n < 0 ? -n : n;
}

static int is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#define OUT_OF_RANGE 34 // ERANGE
static _Thread_local int failure_number;

LIB int *__errno_location(void)
{
    return &failure_number;
}

// A call that fails leaves any number above 0 in errno.
static void fails(void)
{
    int number;
    __VERIFIER_assume(number > 0);
    failure_number = number;
}

// A number as strtol reads it: its size, its sign, and whether it is too large for a size.
struct numeral {
    unsigned long long size;
    int minus, large;
};

static struct numeral numeral(const char *s, char **end, int base)
{
    const char *at = s, *last = s;
    struct numeral n = {0, 0, 0};
    if (base < 0 || base == 1 || base > 36)
        __regatta_bound();
    while (is_blank(*at))
        at++;
    n.minus = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        last = at + 1;
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    for (;; at++) {
        int digit = *at >= '0' && *at <= '9'   ? *at - '0'
                    : *at >= 'a' && *at <= 'z' ? *at - 'a' + 10
                    : *at >= 'A' && *at <= 'Z' ? *at - 'A' + 10
                                               : 99;
        if (digit >= base)
            break;
        if (n.size > (~0ULL - digit) / base)
            n.large = 1;
        n.size = n.size * base + digit;
        last = at + 1;
    }
    if (end != 0)
        *end = (char *)last;
    return n;
}

// The number within what `most` and -`most` - 1 bound.
static long long within(struct numeral n, unsigned long long most)
{
    if (n.large || n.size > most + n.minus) {
        failure_number = OUT_OF_RANGE;
        n.size = most + n.minus;
    }
    return n.minus ? (long long)(0 - n.size) : (long long)n.size;
}

static unsigned long long within_unsigned(struct numeral n, unsigned long long most)
{
    if (n.large || n.size > most) {
        failure_number = OUT_OF_RANGE;
        return most;
    }
    return (n.minus ? 0 - n.size : n.size) & most;
}

LIB long strtol(const char *s, char **end, int base)
{
    return (long)within(numeral(s, end, base), ~0UL >> 1);
}

LIB long long strtoll(const char *s, char **end, int base)
{
    return within(numeral(s, end, base), ~0ULL >> 1);
}

LIB unsigned long strtoul(const char *s, char **end, int base)
{
    return (unsigned long)within_unsigned(numeral(s, end, base), ~0UL);
}

LIB unsigned long long strtoull(const char *s, char **end, int base)
{
    return within_unsigned(numeral(s, end, base), ~0ULL);
}

static long long number(const char *s)
{
    struct numeral n = numeral(s, 0, 10);
    if (n.large || n.size > ~0ULL >> 1) {
        long long any;
        __regatta_something(); // C does not say what
        return any;
    }
    return n.minus ? -(long long)n.size : (long long)n.size;
}

LIB int atoi(const char *s)
{
    return (int)number(s);
}

LIB long atol(const char *s)
{
    return (long)number(s);
}

LIB long long atoll(const char *s)
{
    return number(s);
}

// The names that newer headers give them.

LIB long __isoc23_strtol(const char *s, char **end, int base)
{
    return strtol(s, end, base);
}

LIB long long __isoc23_strtoll(const char *s, char **end, int base)
{
    return strtoll(s, end, base);
}

LIB unsigned long __isoc23_strtoul(const char *s, char **end, int base)
{
    return strtoul(s, end, base);
}

LIB unsigned long long __isoc23_strtoull(const char *s, char **end, int base)
{
    return strtoull(s, end, base);
}

// Floats in decimal. Where the digits are a number that a float has and so is the power of ten, one multiplication or division gives the
// float next to the text's number; other texts are not followed.

struct decimal {
    unsigned long long digits;
    int minus, power;
};

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int begins_word(const char *at, const char *word)
{
    int i = 0;
    while (word[i] != '\0' && (at[i] == word[i] || at[i] == word[i] - 'a' + 'A'))
        i++;
    return word[i] == '\0';
}

static struct decimal decimal(const char *s, char **end)
{
    struct decimal n = {0, 0, 0};
    const char *at = s;
    int any = 0;
    while (is_blank(*at))
        at++;
    n.minus = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if (begins_word(at, "inf") || begins_word(at, "nan") || begins_word(at, "0x"))
        __regatta_bound();
    for (int behind = 0; is_digit(*at) || (*at == '.' && !behind); at++) {
        if (*at == '.') {
            behind = 1;
            continue;
        }
        any = 1;
        if (n.digits > (~0ULL - 9) / 10 || n.power < -1000)
            __regatta_bound();
        n.digits = n.digits * 10 + (*at - '0');
        n.power -= behind;
    }
    const char *last = any ? at : s;
    if (any && (*at == 'e' || *at == 'E')) {
        int minus = at[1] == '-', power = 0;
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        for (; is_digit(*at); at++) {
            power = power > 1000 ? power : power * 10 + (*at - '0');
            last = at + 1;
        }
        n.power += minus ? -power : power;
    }
    if (end != 0)
        *end = (char *)last;
    while (n.digits != 0 && n.digits % 10 == 0) {
        n.digits /= 10;
        n.power++;
    }
    if (n.digits == 0)
        n.power = 0;
    return n;
}

LIB double strtod(const char *s, char **end)
{
    struct decimal n = decimal(s, end);
    double power = 1, number = (double)n.digits;
    if (n.digits > 1ULL << 53 || n.power > 22 || n.power < -22)
        __regatta_bound();
    for (int i = n.power < 0 ? -n.power : n.power; i > 0; i--)
        power *= 10;
    number = n.power < 0 ? number / power : number * power;
    return n.minus ? -number : number;
}

LIB float strtof(const char *s, char **end)
{
    struct decimal n = decimal(s, end);
    float power = 1, number = (float)n.digits;
    if (n.digits > 1ULL << 24 || n.power > 10 || n.power < -10)
        __regatta_bound();
    for (int i = n.power < 0 ? -n.power : n.power; i > 0; i--)
        power *= 10;
    number = n.power < 0 ? number / power : number * power;
    return n.minus ? -number : number;
}

LIB double atof(const char *s)
{
    return strtod(s, 0);
}

// sscanf. The texts that C leaves without a meaning, and those where libraries differ, are not followed.

struct wanted {
    int skipped, width, longs, shorts;
};

static const char *read_wanted(const char *f, struct wanted *out)
{
    *out = (struct wanted){0, 0, 0, 0};
    if (*f == '*') {
        out->skipped = 1;
        f++;
    }
    for (; is_digit(*f); f++)
        out->width = out->width > 100000 ? out->width : out->width * 10 + (*f - '0');
    for (;; f++) {
        if (*f == 'l' || *f == 'q' || *f == 'L' || *f == 'j')
            out->longs += *f == 'l' ? 1 : 2;
        else if (*f == 'z' || *f == 't')
            out->longs = 1;
        else if (*f == 'h')
            out->shorts++;
        else
            return f;
    }
}

static void store_integer(void *to, const struct wanted *w, unsigned long long n)
{
    if (w->longs >= 2)
        *(unsigned long long *)to = n;
    else if (w->longs == 1)
        *(unsigned long *)to = (unsigned long)n;
    else if (w->shorts >= 2)
        *(unsigned char *)to = (unsigned char)n;
    else if (w->shorts == 1)
        *(unsigned short *)to = (unsigned short)n;
    else
        *(unsigned *)to = (unsigned)n;
}

// Behind the number, or null: there is none.
static const char *scan_integer(const char *at, const struct wanted *w, int base, int wraps,
                                void *to)
{
    int left = w->width > 0 ? w->width : 100000, minus = *at == '-', any = 0;
    unsigned long long n = 0;
    if (*at == '-' || *at == '+') {
        at++;
        left--;
    }
    if ((base == 0 || base == 16) && left > 1 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        at += 2;
        left -= 2;
        base = 16;
        any = -1; // libraries differ when no digit follows
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    for (; left > 0; left--, at++) {
        int digit = is_digit(*at)              ? *at - '0'
                    : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
                    : *at >= 'A' && *at <= 'F' ? *at - 'A' + 10
                                               : 99;
        if (digit >= base)
            break;
        if (n > (~0ULL - digit) / base)
            __regatta_bound();
        n = n * base + digit;
        any = 1;
    }
    unsigned long long most = w->longs >= 2    ? ~0ULL
                              : w->longs == 1  ? ~0UL
                              : w->shorts == 0 ? ~0U
                              : w->shorts == 1 ? 0xffff
                                               : 0xff;
    if (any < 0 || (any && n > (wraps ? most : (most >> 1) + minus)))
        __regatta_bound();
    if (!any)
        return 0;
    if (!w->skipped)
        store_integer(to, w, minus ? 0 - n : n);
    return at;
}

static const char *scan_float(const char *at, const struct wanted *w, void *to)
{
    char *end;
    if (w->width > 0 || w->longs >= 2)
        __regatta_bound();
    if (w->longs == 1) {
        double n = strtod(at, &end);
        if (end != at && !w->skipped)
            *(double *)to = n;
    } else {
        float n = strtof(at, &end);
        if (end != at && !w->skipped)
            *(float *)to = n;
    }
    if (*end == 'e' || *end == 'E')
        __regatta_bound(); // half of an exponent
    return end == at ? 0 : end;
}

// One of the characters from `set` up to its end?
static int is_in_set(int c, const char *set, const char *end)
{
    for (; set < end; set++) {
        if (set + 2 < end && set[1] == '-') {
            if (c >= set[0] && c <= set[2])
                return 1;
            set += 2;
        } else if (*set == c) {
            return 1;
        }
    }
    return 0;
}

// Characters into an array; how many there are at least is asked of %c only.
static const char *scan_text(const char *at, const struct wanted *w, int letter, const char *set,
                             const char *set_end, char *to)
{
    int n = 0, most = w->width > 0 ? w->width : letter == 'c' ? 1 : 1000000;
    int inverted = letter == '[' && *set == '^';
    for (; n < most && at[n] != '\0'; n++) {
        if ((letter == 's' && is_blank(at[n])) ||
            (letter == '[' && is_in_set(at[n], set + inverted, set_end) == inverted))
            break;
        if (!w->skipped)
            to[n] = at[n];
    }
    if (n == 0 || (letter == 'c' && n < most))
        return 0;
    if (letter != 'c' && !w->skipped)
        to[n] = '\0';
    return at + n;
}

LIB int vsscanf(const char *text, const char *format, __builtin_va_list list)
{
    const char *at = text;
    int done = 0;
    for (const char *f = format; *f != '\0'; f++) {
        struct wanted w;
        if (is_blank(*f)) {
            while (is_blank(*at))
                at++;
            continue;
        }
        if (*f != '%') {
            if (*at != *f)
                return *at == '\0' && done == 0 ? -1 : done;
            at++;
            continue;
        }
        f = read_wanted(f + 1, &w);
        while (*f != 'c' && *f != '[' && *f != 'n' && is_blank(*at))
            at++;
        if (*f == '%') {
            if (*at != '%')
                return *at == '\0' && done == 0 ? -1 : done;
            at++;
            continue;
        }
        if (*f != 'n' && *at == '\0')
            return done == 0 ? -1 : done;
        void *to = w.skipped ? 0 : __builtin_va_arg(list, void *);
        const char *set = f + 1, *set_end = set;
        if (*f == '[') {
            set_end += *set == '^';
            do
                set_end++;
            while (*set_end != ']' && *set_end != '\0');
            f = set_end - (*set_end == '\0');
        }
        const char *next = 0;
        if (set_end != set || *f == 's' || *f == 'c') {
            if (w.longs != 0)
                __regatta_bound(); // wide characters
            next = scan_text(at, &w, set_end != set ? '[' : *f, set, set_end, to);
        } else if (*f == 'd' || *f == 'i')
            next = scan_integer(at, &w, *f == 'd' ? 10 : 0, 0, to);
        else if (*f == 'u' || *f == 'o' || *f == 'x' || *f == 'X')
            next = scan_integer(at, &w, *f == 'u' ? 10 : *f == 'o' ? 8 : 16, 1, to);
        else if (*f == 'f' || *f == 'e' || *f == 'g' || *f == 'E' || *f == 'G' || *f == 'F')
            next = scan_float(at, &w, to);
        else if (*f == 'n') {
            if (!w.skipped)
                store_integer(to, &w, at - text);
            continue;
        } else
            __regatta_bound();
        if (next == 0)
            return done;
        at = next;
        done += !w.skipped;
    }
    return done;
}

LIB int sscanf(const char *text, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int done = vsscanf(text, format, list);
    __builtin_va_end(list);
    return done;
}

LIB int __isoc99_sscanf(const char *text, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int done = vsscanf(text, format, list);
    __builtin_va_end(list);
    return done;
}

LIB int __isoc23_sscanf(const char *text, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int done = vsscanf(text, format, list);
    __builtin_va_end(list);
    return done;
}

// What the compiler has instructions for (`__builtin_clz` and its like), without loops. Of nothing, where the
// compiler's function leaves it open, the number is arbitrary.

static unsigned long long ones(unsigned long long x)
{
    x = x - (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    x += x >> 8;
    x += x >> 16;
    return (x + (x >> 32)) & 0x7f;
}

// How many bits are before the first, or behind the last.

#define PASS(half) /* when it is empty */                                                          \
    by = x >> (64 - half) == 0 ? half : 0;                                                         \
    n += by;                                                                                       \
    x <<= by;

static unsigned zeros_before(unsigned long long x)
{
    unsigned n = 0, by;
    PASS(32)
    PASS(16)
    PASS(8)
    PASS(4)
    PASS(2)
    return n + (x >> 63 == 0);
}

static unsigned zeros_behind(unsigned long long x)
{
    return (unsigned)ones((x & -x) - 1);
}

#define INTRINSICS(bits, type)                                                                     \
    LIB type __intrinsic_ctpop_i##bits(type x)                                                     \
    {                                                                                              \
        return (type)ones(x);                                                                      \
    }                                                                                              \
    LIB type __intrinsic_ctlz_i##bits(type x, _Bool open)                                          \
    {                                                                                              \
        if (x == 0)                                                                                \
            return open ? (type)__VERIFIER_nondet_uint() : (type)bits;                             \
        return (type)(zeros_before(x) - (64 - bits));                                              \
    }                                                                                              \
    LIB type __intrinsic_cttz_i##bits(type x, _Bool open)                                          \
    {                                                                                              \
        if (x == 0)                                                                                \
            return open ? (type)__VERIFIER_nondet_uint() : (type)bits;                             \
        return (type)zeros_behind(x);                                                              \
    }                                                                                              \
    LIB type __intrinsic_fshl_i##bits(type high, type low, type by)                                \
    {                                                                                              \
        by &= bits - 1;                                                                            \
        return (type)(high << by | low >> 1 >> (bits - 1 - by));                                   \
    }                                                                                              \
    LIB type __intrinsic_fshr_i##bits(type high, type low, type by)                                \
    {                                                                                              \
        by &= bits - 1;                                                                            \
        return (type)((type)(high << 1) << (bits - 1 - by) | low >> by);                           \
    }
INTRINSICS(8, unsigned char)
INTRINSICS(16, unsigned short)
INTRINSICS(32, unsigned)
INTRINSICS(64, unsigned long long)

// Of the least number: itself. Where no-overflow is asked clang looks before.
LIB int __intrinsic_abs_i32(int x, _Bool open)
{
    (void)open;
    return x < 0 ? (int)(0u - (unsigned)x) : x;
}

LIB long long __intrinsic_abs_i64(long long x, _Bool open)
{
    (void)open;
    return x < 0 ? (long long)(0ull - (unsigned long long)x) : x;
}

LIB unsigned short __intrinsic_bswap_i16(unsigned short x)
{
    return (unsigned short)(x << 8 | x >> 8);
}

LIB unsigned __intrinsic_bswap_i32(unsigned x)
{
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

LIB unsigned long long __intrinsic_bswap_i64(unsigned long long x)
{
    x = (x & 0x00ff00ff00ff00ff) << 8 | (x >> 8 & 0x00ff00ff00ff00ff);
    x = (x & 0x0000ffff0000ffff) << 16 | (x >> 16 & 0x0000ffff0000ffff);
    return x << 32 | x >> 32;
}

LIB unsigned long long __intrinsic_bitreverse_i64(unsigned long long x)
{
    x = (x & 0x5555555555555555) << 1 | (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) << 2 | (x >> 2 & 0x3333333333333333);
    x = (x & 0x0f0f0f0f0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0f);
    return __intrinsic_bswap_i64(x);
}

LIB unsigned char __intrinsic_bitreverse_i8(unsigned char x)
{
    return (unsigned char)(__intrinsic_bitreverse_i64(x) >> 56);
}

LIB unsigned short __intrinsic_bitreverse_i16(unsigned short x)
{
    return (unsigned short)(__intrinsic_bitreverse_i64(x) >> 48);
}

LIB unsigned __intrinsic_bitreverse_i32(unsigned x)
{
    return (unsigned)(__intrinsic_bitreverse_i64(x) >> 32);
}

LIB int ffsll(long long x)
{
    return x == 0 ? 0 : 1 + (int)zeros_behind(x);
}

LIB int ffsl(long x)
{
    return ffsll(x);
}

LIB int ffs(int x)
{
    return ffsll(x);
}

LIB void *bsearch(const void *key, const void *table, size_t count, size_t bytes,
                  int (*compare)(const void *, const void *))
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)table + middle * bytes;
        int order = compare(key, at);
        if (order == 0)
            return (void *)at;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

// Where a function was called from, and where its variables lie: nobody knows, but that it is in no object of the program; outside
// of main perhaps nowhere.
static char outside[1024];

LIB void *__intrinsic_returnaddress(unsigned level)
{
    unsigned n = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n < sizeof outside || (n == sizeof outside && level > 0));
    return n < sizeof outside ? outside + n : 0;
}

LIB void *__intrinsic_frameaddress_p0(unsigned level)
{
    return __intrinsic_returnaddress(level);
}

LIB int rand(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    return n;
}

LIB long random(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    return n;
}

LIB int rand_r(unsigned *seed)
{
    *seed = __VERIFIER_nondet_uint();
    return rand();
}

// <time.h>

LIB long time(long *to)
{
    long now = __VERIFIER_nondet_long();
    if (to != 0)
        *to = now;
    return now;
}

LIB double difftime(long later, long earlier)
{
    return (double)later - (double)earlier;
}

struct calendar {
    int seconds, minutes, hours, day, month, year, day_of_week, day_of_year, daylight;
    long zone;
    const char *zone_name;
};

static int up_to(int least, int most)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= least && n <= most);
    return n;
}

static struct calendar *any_date(struct calendar *to)
{
    to->seconds = up_to(0, 60);
    to->minutes = up_to(0, 59);
    to->hours = up_to(0, 23);
    to->day = up_to(1, 31);
    to->month = up_to(0, 11);
    to->year = __VERIFIER_nondet_int();
    to->day_of_week = up_to(0, 6);
    to->day_of_year = up_to(0, 365);
    to->daylight = up_to(0, 1);
    __regatta_something(); // which date it is of which time
    return to;
}

static struct calendar date;

LIB void *localtime(const long *at)
{
    long read = *at;
    return any_date(&date);
}

LIB void *gmtime(const long *at)
{
    long read = *at;
    return any_date(&date);
}

LIB void *localtime_r(const long *at, void *to)
{
    long read = *at;
    return any_date(to);
}

LIB void *gmtime_r(const long *at, void *to)
{
    long read = *at;
    return any_date(to);
}

LIB int gettimeofday(long *to, void *zone)
{
    if (to != 0) {
        to[0] = __VERIFIER_nondet_long();
        to[1] = up_to(0, 999999);
    }
    if (zone != 0)
        __regatta_bound();
    return 0;
}

LIB int clock_gettime(int clock, long *to)
{
    to[0] = __VERIFIER_nondet_long();
    to[1] = up_to(0, 999999999);
    return 0;
}

// Locks: the number of the thread that has it. What POSIX leaves open: to take one that the thread has is a bound, to use one that is destroyed fails,
// as it does on Linux.

#define DESTROYED (-1)
#define INVALID 22  // EINVAL
#define BUSY 16     // EBUSY
#define DEADLOCK 35 // EDEADLK

static int take_lock(int *lock)
{
    __VERIFIER_atomic_begin();
    const int result = *lock == DESTROYED ? INVALID : 0;
    if (*lock == __regatta_thread())
        __regatta_bound();
    if (*lock > 0)
        __regatta_wait();
    if (result == 0)
        *lock = __regatta_thread();
    __VERIFIER_atomic_end();
    return result;
}

static int try_lock(int *lock)
{
    __VERIFIER_atomic_begin();
    const int result = *lock == DESTROYED ? INVALID : *lock != 0 ? BUSY : 0;
    if (result == 0)
        *lock = __regatta_thread();
    __VERIFIER_atomic_end();
    return result;
}

static int give_lock(int *lock)
{
    __VERIFIER_atomic_begin();
    const int result = *lock == DESTROYED ? INVALID : 0;
    if (result == 0)
        *lock = 0;
    __VERIFIER_atomic_end();
    return result;
}

static int make_lock(int *lock, const void *kind)
{
    if (kind != 0)
        __regatta_bound();
    __VERIFIER_atomic_begin();
    *lock = 0;
    __VERIFIER_atomic_end();
    return 0;
}

static int destroy_lock(int *lock)
{
    __VERIFIER_atomic_begin();
    const int result = *lock > 0 ? BUSY : 0;
    if (result == 0)
        *lock = DESTROYED;
    __VERIFIER_atomic_end();
    return result;
}

// A mutex as glibc has it: who has it, how often more, and of which kind it is.

#define KIND (sizeof(long) == 8 ? 4 : 3)
#define RECURSIVE 1
#define CHECKS 2 // PTHREAD_MUTEX_ERRORCHECK

LIB int pthread_mutexattr_init(int *kind)
{
    *kind = 0;
    return 0;
}

LIB int pthread_mutexattr_destroy(int *kind)
{
    return 0;
}

LIB int pthread_mutexattr_settype(int *kind, int type)
{
    if (type < 0 || type > CHECKS)
        return INVALID;
    *kind = type;
    return 0;
}

LIB int pthread_mutexattr_gettype(const int *kind, int *type)
{
    *type = *kind;
    return 0;
}

LIB int pthread_mutex_init(int *lock, const int *kind)
{
    int type = 0;
    if (kind != 0)
        type = *kind;
    __VERIFIER_atomic_begin();
    lock[0] = lock[1] = lock[KIND] = 0;
    if (kind != 0)
        lock[KIND] = type;
    __VERIFIER_atomic_end();
    return 0;
}

LIB int pthread_mutex_destroy(int *lock)
{
    return destroy_lock(lock);
}

LIB int pthread_mutex_lock(int *lock)
{
    __VERIFIER_atomic_begin();
    int result = 0;
    if (lock[0] == DESTROYED) {
        result = INVALID;
    } else if (lock[0] == __regatta_thread()) {
        if (lock[KIND] == RECURSIVE)
            lock[1]++;
        else if (lock[KIND] == CHECKS)
            result = DEADLOCK;
        else
            __regatta_bound();
    } else {
        if (lock[0] != 0)
            __regatta_wait();
        lock[0] = __regatta_thread();
    }
    __VERIFIER_atomic_end();
    return result;
}

LIB int pthread_mutex_trylock(int *lock)
{
    __VERIFIER_atomic_begin();
    int result = 0;
    if (lock[0] == DESTROYED)
        result = INVALID;
    else if (lock[0] == 0)
        lock[0] = __regatta_thread();
    else if (lock[0] == __regatta_thread() && lock[KIND] == RECURSIVE)
        lock[1]++;
    else
        result = BUSY;
    __VERIFIER_atomic_end();
    return result;
}

LIB int pthread_mutex_unlock(int *lock)
{
    __VERIFIER_atomic_begin();
    int result = 0;
    if (lock[0] == DESTROYED)
        result = INVALID;
    else if (lock[0] != __regatta_thread() && lock[KIND] != 0)
        result = 1; // EPERM
    else if (lock[1] > 0)
        lock[1]--;
    else
        lock[0] = 0;
    __VERIFIER_atomic_end();
    return result;
}

LIB int pthread_mutex_timedlock(int *lock, const void *until)
{
    return __VERIFIER_nondet_int() == 0 ? pthread_mutex_lock(lock) : 110; // ETIMEDOUT
}

LIB int pthread_mutexattr_setpshared(int *kind, int shared)
{
    return 0;
}

LIB int pthread_mutexattr_setprotocol(int *kind, int protocol)
{
    return 0;
}

LIB int pthread_spin_init(int *lock, int shared)
{
    return make_lock(lock, 0);
}

LIB int pthread_spin_destroy(int *lock)
{
    return destroy_lock(lock);
}

LIB int pthread_spin_lock(int *lock)
{
    return take_lock(lock);
}

LIB int pthread_spin_trylock(int *lock)
{
    return try_lock(lock);
}

LIB int pthread_spin_unlock(int *lock)
{
    return give_lock(lock);
}

// Below zero: how many read; else the one who writes.

LIB int pthread_rwlock_init(int *lock, const void *kind)
{
    return make_lock(lock, kind);
}

LIB int pthread_rwlock_destroy(int *lock)
{
    return 0;
}

LIB int pthread_rwlock_rdlock(int *lock)
{
    __VERIFIER_atomic_begin();
    if (*lock == __regatta_thread())
        __regatta_bound();
    if (*lock > 0)
        __regatta_wait();
    --*lock;
    __VERIFIER_atomic_end();
    return 0;
}

LIB int pthread_rwlock_wrlock(int *lock)
{
    __VERIFIER_atomic_begin();
    if (*lock == __regatta_thread())
        __regatta_bound();
    if (*lock != 0)
        __regatta_wait();
    *lock = __regatta_thread();
    __VERIFIER_atomic_end();
    return 0;
}

LIB int pthread_rwlock_tryrdlock(int *lock)
{
    __VERIFIER_atomic_begin();
    const int result = *lock > 0 ? BUSY : 0;
    if (result == 0)
        --*lock;
    __VERIFIER_atomic_end();
    return result;
}

LIB int pthread_rwlock_trywrlock(int *lock)
{
    __VERIFIER_atomic_begin();
    const int result = *lock != 0 ? BUSY : 0;
    if (result == 0)
        *lock = __regatta_thread();
    __VERIFIER_atomic_end();
    return result;
}

LIB int pthread_rwlock_unlock(int *lock)
{
    __VERIFIER_atomic_begin();
    if (*lock < 0)
        ++*lock;
    else
        *lock = 0;
    __VERIFIER_atomic_end();
    return 0;
}

// How many wait, and how many of them may go on.

LIB int pthread_cond_init(int *condition, const void *kind)
{
    __VERIFIER_atomic_begin();
    condition[0] = condition[1] = 0;
    __VERIFIER_atomic_end();
    return 0;
}

LIB int pthread_cond_destroy(int *condition)
{
    return 0;
}

LIB int pthread_cond_wait(int *condition, int *lock)
{
    __VERIFIER_atomic_begin();
    condition[0]++;
    *lock = 0;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    if (condition[1] == 0)
        __regatta_wait();
    condition[0]--;
    condition[1]--;
    __VERIFIER_atomic_end();
    return take_lock(lock);
}

// It may be too late at any time.
LIB int pthread_cond_timedwait(int *condition, int *lock, const void *until)
{
    if (__VERIFIER_nondet_int() == 0)
        return pthread_cond_wait(condition, lock);
    __VERIFIER_atomic_begin();
    *lock = 0;
    __VERIFIER_atomic_end();
    take_lock(lock);
    return 110; // ETIMEDOUT
}

LIB int pthread_cond_signal(int *condition)
{
    __VERIFIER_atomic_begin();
    if (condition[1] < condition[0])
        condition[1]++;
    __VERIFIER_atomic_end();
    return 0;
}

LIB int pthread_cond_broadcast(int *condition)
{
    __VERIFIER_atomic_begin();
    condition[1] = condition[0];
    __VERIFIER_atomic_end();
    return 0;
}

// Numbers of threads (languages/programs/threads.h).

LIB int pthread_equal(unsigned long a, unsigned long b)
{
    return a == b;
}

LIB int pthread_detach(unsigned long thread)
{
    return 0;
}

LIB int sched_yield(void)
{
    return 0;
}

// C11's <threads.h>, by what POSIX has (thrd_create: languages/c/reader/library.c; thrd_join and thrd_exit: languages/programs/threads.c). Types are those of glibc: mtx_t is as a mutex, with kinds of its own names.

#define THRD_BUSY 1
#define THRD_ERROR 2
#define MTX_RECURSIVE 1

unsigned long pthread_self(void);

LIB unsigned long thrd_current(void)
{
    return pthread_self();
}

LIB int thrd_equal(unsigned long a, unsigned long b)
{
    return a == b;
}

LIB int thrd_detach(unsigned long thread)
{
    return 0;
}

LIB void thrd_yield(void)
{
}

LIB int thrd_sleep(const void *time, void *left)
{
    return 0;
}

LIB int mtx_init(int *lock, int kind)
{
    const int type = (kind & MTX_RECURSIVE) != 0 ? RECURSIVE : 0;
    return pthread_mutex_init(lock, &type) == 0 ? 0 : THRD_ERROR;
}

LIB void mtx_destroy(int *lock)
{
    destroy_lock(lock);
}

LIB int mtx_lock(int *lock)
{
    return pthread_mutex_lock(lock) == 0 ? 0 : THRD_ERROR;
}

LIB int mtx_trylock(int *lock)
{
    const int result = pthread_mutex_trylock(lock);
    return result == BUSY ? THRD_BUSY : result == 0 ? 0 : THRD_ERROR;
}

LIB int mtx_timedlock(int *lock, const void *until)
{
    return pthread_mutex_timedlock(lock, until) == 0 ? 0 : 4; // thrd_timedout
}

LIB int mtx_unlock(int *lock)
{
    return pthread_mutex_unlock(lock) == 0 ? 0 : THRD_ERROR;
}

LIB int cnd_init(int *condition)
{
    return pthread_cond_init(condition, 0);
}

LIB void cnd_destroy(int *condition)
{
}

LIB int cnd_wait(int *condition, int *lock)
{
    return pthread_cond_wait(condition, lock) == 0 ? 0 : THRD_ERROR;
}

LIB int cnd_timedwait(int *condition, int *lock, const void *until)
{
    return pthread_cond_timedwait(condition, lock, until) == 0 ? 0 : 4;
}

LIB int cnd_signal(int *condition)
{
    return pthread_cond_signal(condition);
}

LIB int cnd_broadcast(int *condition)
{
    return pthread_cond_broadcast(condition);
}

// What interleavings call, kept in a program with threads.
LIB void __regatta_threads(void)
{
    __VERIFIER_assume(1);
    __VERIFIER_nondet_turn();
    __regatta_race();
}

// <signal.h>: the program's own signals. Others come when they will, so what a handler might do then is not followed.

#define SIGNALS 65
static void (*on_signal[SIGNALS])(int);

#define DEFAULT ((void (*)(int))0)
#define IGNORED ((void (*)(int))1)

LIB void *signal(int number, void (*handler)(int))
{
    int comes; // from outside
    if (number <= 0 || number >= SIGNALS || number == 9 || number == 19)
        return (void *)-1;
    if (handler != DEFAULT && handler != IGNORED && comes)
        __regatta_bound();
    __VERIFIER_atomic_begin();
    void (*before)(int) = on_signal[number];
    on_signal[number] = handler;
    __VERIFIER_atomic_end();
    return (void *)before;
}

LIB int raise(int number)
{
    if (number < 0 || number >= SIGNALS)
        return -1;
    __VERIFIER_atomic_begin();
    void (*handler)(int) = on_signal[number];
    __VERIFIER_atomic_end();
    if (handler == DEFAULT) {
        if (number >= 19 && number <= 22)
            __regatta_bound(); // it stops
        if (number != 0 && number != 17 && number != 18 && number != 23 && number != 28)
            abort();
    } else if (handler != IGNORED) {
        handler(number);
    }
    return 0;
}

#define MOST_HANDLERS 32
static void (*handlers[MOST_HANDLERS])(void);
static int handler_count;

LIB int atexit(void (*handler)(void))
{
    __VERIFIER_atomic_begin();
    if (handler_count == MOST_HANDLERS)
        __regatta_bound();
    handlers[handler_count++] = handler;
    __VERIFIER_atomic_end();
    return 0;
}

// Called when main returns, too.
LIB void __regatta_run_handlers(void)
{
    while (handler_count > 0)
        handlers[--handler_count]();
}

// Taken only beside atexit.
LIB void exit(int code)
{
    __regatta_run_handlers();
    __regatta_exit(code);
}

// Parts of a format that sprintf and snprintf print (reader/printing.c). `at` characters are there; no more than `room`, with the
// end, are written. Each gives how many are there behind it.

static size_t print_one(char *to, size_t room, size_t at, int c)
{
    if (at + 1 < room)
        to[at] = (char)c;
    return at + 1;
}

static size_t print_many(char *to, size_t room, size_t at, int c, int count)
{
    for (; count > 0; count--)
        at = print_one(to, room, at, c);
    return at;
}

LIB size_t __regatta_print_char(char *to, size_t room, size_t at, int c)
{
    return print_one(to, room, at, c);
}

// A negative width: to the left.
LIB size_t __regatta_print_padded(char *to, size_t room, size_t at, int c, int width)
{
    at = print_many(to, room, at, ' ', width - 1);
    at = print_one(to, room, at, c);
    return print_many(to, room, at, ' ', -width - 1);
}

LIB size_t __regatta_print_text(char *to, size_t room, size_t at, const char *s, int width,
                                int precision)
{
    int length = 0;
    if (width != 0) {
        while (length != precision && s[length] != '\0')
            length++;
    }
    at = print_many(to, room, at, ' ', width - length);
    for (int i = 0; i != precision && s[i] != '\0'; i++)
        at = print_one(to, room, at, s[i]);
    return print_many(to, room, at, ' ', -width - length);
}

// Without a loop, as mostly nothing else is known of the number.
#define DIGIT(power)                                                                               \
    if (number >= power)                                                                           \
    at = print_one(to, room, at, '0' + (int)(number / power % 10))

LIB size_t __regatta_print_unsigned(char *to, size_t room, size_t at, unsigned number)
{
    DIGIT(1000000000u);
    DIGIT(100000000u);
    DIGIT(10000000u);
    DIGIT(1000000u);
    DIGIT(100000u);
    DIGIT(10000u);
    DIGIT(1000u);
    DIGIT(100u);
    DIGIT(10u);
    return print_one(to, room, at, '0' + (int)(number % 10));
}

LIB size_t __regatta_print_int(char *to, size_t room, size_t at, int number)
{
    if (number < 0)
        at = print_one(to, room, at, '-');
    return __regatta_print_unsigned(to, room, at, number < 0 ? -(unsigned)number : number);
}

LIB size_t __regatta_print_unsigned_long(char *to, size_t room, size_t at,
                                         unsigned long long number)
{
    DIGIT(10000000000000000000ull);
    DIGIT(1000000000000000000ull);
    DIGIT(100000000000000000ull);
    DIGIT(10000000000000000ull);
    DIGIT(1000000000000000ull);
    DIGIT(100000000000000ull);
    DIGIT(10000000000000ull);
    DIGIT(1000000000000ull);
    DIGIT(100000000000ull);
    DIGIT(10000000000ull);
    DIGIT(1000000000ull);
    DIGIT(100000000ull);
    DIGIT(10000000ull);
    DIGIT(1000000ull);
    DIGIT(100000ull);
    DIGIT(10000ull);
    DIGIT(1000ull);
    DIGIT(100ull);
    DIGIT(10ull);
    return print_one(to, room, at, '0' + (int)(number % 10));
}

LIB size_t __regatta_print_long(char *to, size_t room, size_t at, long long number)
{
    if (number < 0)
        at = print_one(to, room, at, '-');
    return __regatta_print_unsigned_long(to, room, at,
                                         number < 0 ? -(unsigned long long)number : number);
}

static int digit_character(int digit, int ten)
{
    return digit < 10 ? '0' + digit : ten + digit - 10;
}

LIB size_t __regatta_print_hexadecimal(char *to, size_t room, size_t at, unsigned long long number,
                                       int ten)
{
    for (int shift = 60; shift > 0; shift -= 4) {
        if (number >> shift != 0)
            at = print_one(to, room, at, digit_character((int)(number >> shift & 15), ten));
    }
    return print_one(to, room, at, digit_character((int)(number & 15), ten));
}

enum { LEFT = 1, ZEROS = 2, ALTERNATE = 4, UPPER = 8 };

static size_t print_digits(char *to, size_t room, size_t at, unsigned long long number, int sign,
                           unsigned base, int flags, int width, int precision)
{
    char digits[24];
    int n = 0, ten = flags & UPPER ? 'A' : 'a';
    for (unsigned long long rest = number; rest != 0; rest /= base)
        digits[n++] = (char)digit_character((int)(rest % base), ten);
    int zeros = precision < 0 ? n == 0 : precision > n ? precision - n : 0;
    if (base == 8 && (flags & ALTERNATE) && zeros == 0)
        zeros = 1;
    int prefix = base == 16 && (flags & ALTERNATE) && number != 0;
    int left = (flags & LEFT) || width < 0;
    int padding = (width < 0 ? -width : width) - (sign != 0) - 2 * prefix - zeros - n;
    if (!left && (flags & ZEROS) && precision < 0 && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if (!left)
        at = print_many(to, room, at, ' ', padding);
    if (sign != 0)
        at = print_one(to, room, at, sign);
    if (prefix) {
        at = print_one(to, room, at, '0');
        at = print_one(to, room, at, flags & UPPER ? 'X' : 'x');
    }
    at = print_many(to, room, at, '0', zeros);
    while (n > 0)
        at = print_one(to, room, at, digits[--n]);
    return left ? print_many(to, room, at, ' ', padding) : at;
}

LIB size_t __regatta_print_number(char *to, size_t room, size_t at, unsigned long long number,
                                  int base, int flags, int width, int precision)
{
    return print_digits(to, room, at, number, 0, base, flags, width, precision);
}

LIB size_t __regatta_print_signed(char *to, size_t room, size_t at, long long number, int plus,
                                  int flags, int width, int precision)
{
    unsigned long long size = number < 0 ? -(unsigned long long)number : number;
    return print_digits(to, room, at, size, number < 0 ? '-' : plus, 10, flags, width, precision);
}

// A float, an address: so much text, at most.
LIB size_t __regatta_print_something(char *to, size_t room, size_t at, int most)
{
    unsigned n;
    __regatta_something();
    __VERIFIER_assume(n > 0 && n <= (unsigned)most);
    for (unsigned i = 0; i < n && at + i + 1 < room; i++) {
        char c;
        __VERIFIER_assume(c != '\0');
        to[at + i] = c;
    }
    return at + n;
}

LIB int __regatta_print_end(char *to, size_t room, size_t at)
{
    if (room > 0)
        to[at < room ? at : room - 1] = '\0';
    return (int)at;
}

// A format that is known when the program runs only.

struct format {
    int flags, plus, width, precision, longs, shorts;
};

static const char *format_number(const char *at, int *out)
{
    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        *out = *out * 10 + (*at - '0');
    return at;
}

static const char *format_flags(const char *at, struct format *f)
{
    for (;; at++) {
        if (*at == '-')
            f->flags |= LEFT;
        else if (*at == '0')
            f->flags |= ZEROS;
        else if (*at == '#')
            f->flags |= ALTERNATE;
        else if (*at == '+')
            f->plus = '+';
        else if (*at == ' ')
            f->plus = f->plus != 0 ? f->plus : ' ';
        else
            return at;
    }
}

static const char *format_size(const char *at, struct format *f)
{
    for (;; at++) {
        if (*at == 'l')
            f->longs++;
        else if (*at == 'h')
            f->shorts++;
        else if (*at == 'z' || *at == 't')
            f->longs = 1;
        else if (*at == 'j' || *at == 'q')
            f->longs = 2;
        else
            return at;
    }
}

static size_t print_format(char *to, size_t room, const char *at_format, __builtin_va_list list)
{
    size_t at = 0;
    for (const char *s = at_format; *s != '\0'; s++) {
        if (*s != '%') {
            at = print_one(to, room, at, *s);
            continue;
        }
        struct format f = {0, 0, 0, -1, 0, 0};
        s = format_flags(s + 1, &f);
        if (*s == '*') {
            f.width = __builtin_va_arg(list, int);
            s++;
        } else {
            s = format_number(s, &f.width);
        }
        if (*s == '.' && s[1] == '*') {
            f.precision = __builtin_va_arg(list, int);
            s += 2;
        } else if (*s == '.') {
            s = format_number(s + 1, &f.precision);
        }
        s = format_size(s, &f);
        if (f.flags & LEFT && f.width > 0)
            f.width = -f.width;
        if (*s == 'd' || *s == 'i') {
            long long n = f.longs > 1 ? __builtin_va_arg(list, long long)
                          : f.longs   ? __builtin_va_arg(list, long)
                                      : __builtin_va_arg(list, int);
            n = f.shorts > 1 ? (signed char)n : f.shorts ? (short)n : n;
            at = __regatta_print_signed(to, room, at, n, f.plus, f.flags, f.width, f.precision);
        } else if (*s == 'u' || *s == 'x' || *s == 'X' || *s == 'o') {
            unsigned long long n = f.longs > 1 ? __builtin_va_arg(list, unsigned long long)
                                   : f.longs   ? __builtin_va_arg(list, unsigned long)
                                               : __builtin_va_arg(list, unsigned);
            n = f.shorts > 1 ? (unsigned char)n : f.shorts ? (unsigned short)n : n;
            if (*s == 'X')
                f.flags |= UPPER;
            at = print_digits(to, room, at, n, 0,
                              *s == 'o'   ? 8
                              : *s == 'u' ? 10
                                          : 16,
                              f.flags, f.width, f.precision);
        } else if (*s == 'c' && f.longs == 0) {
            at = __regatta_print_padded(to, room, at, __builtin_va_arg(list, int), f.width);
        } else if (*s == 's' && f.longs == 0) {
            at = __regatta_print_text(to, room, at, __builtin_va_arg(list, const char *), f.width,
                                      f.precision);
        } else if (*s == '%') {
            at = print_one(to, room, at, '%');
        } else {
            __regatta_bound();
        }
    }
    return at;
}

// What printing reads where that must be valid: the format, and strings to their ends. How many characters are printed is
// not followed.
static void read_format(const char *at_format, __builtin_va_list list)
{
    for (const char *s = at_format; *s != '\0'; s++) {
        struct format f = {0, 0, 0, -1, 0, 0};
        if (*s != '%')
            continue;
        s = format_flags(s + 1, &f);
        if (*s == '*') {
            f.width = __builtin_va_arg(list, int);
            s++;
        } else {
            s = format_number(s, &f.width);
        }
        if (*s == '.' && s[1] == '*') {
            f.precision = __builtin_va_arg(list, int);
            s += 2;
        } else if (*s == '.') {
            s = format_number(s + 1, &f.precision);
        }
        s = format_size(s, &f);
        if (*s == 's' && f.longs == 0) {
            const char *text = __builtin_va_arg(list, const char *);
            for (int i = 0; (f.precision < 0 || i < f.precision) && text[i] != '\0'; i++)
                continue;
        } else if (*s == 'd' || *s == 'i' || *s == 'u' || *s == 'x' || *s == 'X' || *s == 'o' ||
                   *s == 'c') {
            if (f.longs > 1)
                (void)__builtin_va_arg(list, long long);
            else if (f.longs == 1)
                (void)__builtin_va_arg(list, long);
            else
                (void)__builtin_va_arg(list, int);
        } else if (*s == 'f' || *s == 'F' || *s == 'e' || *s == 'E' || *s == 'g' || *s == 'G' ||
                   *s == 'a' || *s == 'A') {
            (void)__builtin_va_arg(list, double);
        } else if (*s == 'p') {
            (void)__builtin_va_arg(list, void *);
        } else if (*s != '%') {
            __regatta_bound();
        }
    }
}

LIB int vprintf(const char *format, __builtin_va_list list)
{
    read_format(format, list);
    return __regatta_printed();
}

LIB int vfprintf(void *file, const char *format, __builtin_va_list list)
{
    read_format(format, list);
    return __regatta_printed();
}

LIB int vsnprintf(char *to, size_t room, const char *format, __builtin_va_list list)
{
    return __regatta_print_end(to, room, print_format(to, room, format, list));
}

LIB int vsprintf(char *to, const char *format, __builtin_va_list list)
{
    return __regatta_print_end(to, -1, print_format(to, -1, format, list));
}

LIB int snprintf(char *to, size_t room, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    size_t at = print_format(to, room, format, list);
    __builtin_va_end(list);
    return __regatta_print_end(to, room, at);
}

LIB int sprintf(char *to, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    size_t at = print_format(to, -1, format, list);
    __builtin_va_end(list);
    return __regatta_print_end(to, -1, at);
}

// How many texts main is given: the program's own name at least, and those of its environment.
LIB int __regatta_argument_count(void)
{
    int n;
    __VERIFIER_assume(n > 0);
    return n;
}

LIB int __regatta_environment_count(void)
{
    int n;
    __VERIFIER_assume(n >= 0);
    return n;
}

LIB void __VERIFIER_nondet_memory(void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)to)[i] = __VERIFIER_nondet_char();
}

struct division {
    int quotient, rest;
};

struct long_division {
    long quotient, rest;
};

struct wide_division {
    long long quotient, rest;
};

LIB struct division div(int a, int b)
{
    if (b == -1 && a == -a && a != 0)
        __regatta_overflow();
    return (struct division){a / b, a % b};
}

LIB struct long_division ldiv(long a, long b)
{
    if (b == -1 && a == -a && a != 0)
        __regatta_overflow();
    return (struct long_division){a / b, a % b};
}

LIB struct wide_division lldiv(long long a, long long b)
{
    if (b == -1 && a == -a && a != 0)
        __regatta_overflow();
    return (struct wide_division){a / b, a % b};
}

LIB unsigned short htons(unsigned short x)
{
    return x << 8 | x >> 8;
}

LIB unsigned short ntohs(unsigned short x)
{
    return htons(x);
}

LIB unsigned htonl(unsigned x)
{
    return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
}

LIB unsigned ntohl(unsigned x)
{
    return htonl(x);
}

// <ctype.h>, in the C locale

LIB int isdigit(int c)
{
    return c >= '0' && c <= '9';
}

LIB int isupper(int c)
{
    return c >= 'A' && c <= 'Z';
}

LIB int islower(int c)
{
    return c >= 'a' && c <= 'z';
}

LIB int isalpha(int c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

LIB int isalnum(int c)
{
    return isalpha(c) || isdigit(c);
}

LIB int isxdigit(int c)
{
    return isdigit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

LIB int isspace(int c)
{
    return is_blank(c);
}

LIB int isblank(int c)
{
    return c == ' ' || c == '\t';
}

LIB int iscntrl(int c)
{
    return (c >= 0 && c < 32) || c == 127;
}

LIB int isprint(int c)
{
    return c >= 32 && c < 127;
}

LIB int isgraph(int c)
{
    return c > 32 && c < 127;
}

LIB int ispunct(int c)
{
    return isgraph(c) && !isalnum(c);
}

LIB int isascii(int c)
{
    return c >= 0 && c < 128;
}

LIB int toascii(int c)
{
    return c & 127;
}

LIB int tolower(int c)
{
    return lower(c);
}

LIB int toupper(int c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

// glibc's macros look into this table, from -128 to 255.
#define K(c)                                                                                       \
    (unsigned short)(((c) >= 'A' && (c) <= 'Z' ? 0x100 | 0x400 : 0) |                              \
                     ((c) >= 'a' && (c) <= 'z' ? 0x200 | 0x400 : 0) |                              \
                     ((c) >= '0' && (c) <= '9' ? 0x800 | 0x1000 | 0x8 : 0) |                       \
                     (((c) >= 'A' && (c) <= 'F') || ((c) >= 'a' && (c) <= 'f') ? 0x1000 : 0) |     \
                     (((c) >= 'A' && (c) <= 'Z') || ((c) >= 'a' && (c) <= 'z') ? 0x8 : 0) |        \
                     ((c) == ' ' || ((c) >= 9 && (c) <= 13) ? 0x2000 : 0) |                        \
                     ((c) >= 32 && (c) < 127 ? 0x4000 : 0) |                                       \
                     ((c) > 32 && (c) < 127 ? 0x8000 : 0) | ((c) == ' ' || (c) == 9 ? 0x1 : 0) |   \
                     ((c) < 32 || (c) == 127 ? 0x2 : 0) |                                          \
                     ((c) > 32 && (c) < 127 &&                                                     \
                              !(((c) >= 'A' && (c) <= 'Z') || ((c) >= 'a' && (c) <= 'z') ||        \
                                ((c) >= '0' && (c) <= '9'))                                        \
                          ? 0x4                                                                    \
                          : 0))
#define K4(c) K(c), K((c) + 1), K((c) + 2), K((c) + 3)
#define K16(c) K4(c), K4((c) + 4), K4((c) + 8), K4((c) + 12)
static const unsigned short classes[384] = {[128] = K16(0), K16(16), K16(32), K16(48),
                                            K16(64),        K16(80), K16(96), K16(112)};
static const unsigned short *class_table = classes + 128;

LIB const unsigned short **__ctype_b_loc(void)
{
    return &class_table;
}

// memcpy, memmove and memset of a number of bytes that is not known, as loops: where the translation has no other way
// (flat_options.copy_by_loops).

LIB void __regatta_copy_bytes(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

#define MOST_MOVED 64

// Which of two addresses is the greater one is not asked: they may be of different objects.
LIB void __regatta_move_bytes(char *to, const char *from, size_t n)
{
    char kept[MOST_MOVED];
    if (n > MOST_MOVED)
        __regatta_bound();
    for (size_t i = 0; i < n; i++)
        kept[i] = from[i];
    for (size_t i = 0; i < n; i++)
        to[i] = kept[i];
}

LIB void __regatta_fill_bytes(char *to, char byte, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = byte;
}

// <stdio.h>: files give anything.

static int any_character(void)
{
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    if (c < 0)
        fails();
    return c;
}

LIB int getchar(void)
{
    return any_character();
}

LIB int getc(void *file)
{
    return any_character();
}

LIB int fgetc(void *file)
{
    return any_character();
}

LIB int getchar_unlocked(void)
{
    return any_character();
}

LIB char *fgets(char *to, int count, void *file)
{
    if (count <= 0 || __VERIFIER_nondet_int() == 0) {
        fails();
        return 0;
    }
    int i = 0;
    for (; i < count - 1; i++) {
        to[i] = __VERIFIER_nondet_char();
        if (to[i] == '\0')
            break;
    }
    to[i] = '\0';
    return to;
}

// What is printed is read; it never fails.
LIB int putchar(int c)
{
    return (byte)c;
}

LIB int putc(int c, void *file)
{
    return (byte)c;
}

LIB int fputc(int c, void *file)
{
    return (byte)c;
}

LIB int putchar_unlocked(int c)
{
    return (byte)c;
}

LIB int putc_unlocked(int c, void *file)
{
    return (byte)c;
}

LIB int fputc_unlocked(int c, void *file)
{
    return (byte)c;
}

LIB int fflush(void *file)
{
    return 0;
}

LIB size_t fwrite(const void *from, size_t size, size_t count, void *file)
{
    for (size_t i = 0; i < size * count; i++) {
        byte c = ((const byte *)from)[i];
    }
    return size == 0 ? 0 : count;
}

LIB void setbuf(void *file, char *buffer)
{
    if (buffer != 0)
        __regatta_bound(); // it is written to
}

static char streams[16];
static unsigned opened;

// Streams differ from one another; of those behind the first seven it is open which of them do.
static void *file_or_not(void)
{
    if (__VERIFIER_nondet_int() == 0) {
        fails();
        return 0;
    }
    __VERIFIER_atomic_begin();
    const unsigned now = opened;
    opened += now < 7;
    __VERIFIER_atomic_end();
    if (now < 7)
        return &streams[now];
    unsigned which = __VERIFIER_nondet_uint();
    __VERIFIER_assume(which >= 7 && which < sizeof streams);
    __regatta_something();
    return &streams[which];
}

LIB void *fopen(const char *name, const char *mode)
{
    return file_or_not();
}

LIB int fclose(void *file)
{
    if (__VERIFIER_nondet_int() == 0)
        return 0;
    fails();
    return -1;
}

LIB int feof(void *file)
{
    return __VERIFIER_nondet_int();
}

LIB int ferror(void *file)
{
    return __VERIFIER_nondet_int();
}

LIB size_t fread(void *to, size_t size, size_t count, void *file)
{
    size_t n = (size_t)__VERIFIER_nondet_uint();
    __VERIFIER_assume(n <= count);
    if (n < count)
        fails();
    for (size_t i = 0; i < n * size; i++)
        ((char *)to)[i] = __VERIFIER_nondet_char();
    return n;
}

LIB __PTRDIFF_TYPE__ read(int file, void *to, size_t count)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= -1 && (n < 0 || (size_t)n <= count));
    if (n < 0)
        fails();
    for (int i = 0; i < n; i++)
        ((char *)to)[i] = __VERIFIER_nondet_char();
    return n;
}

LIB int ungetc(int c, void *file)
{
    __regatta_bound(); // what is read next is no input
    return c;
}

// The environment: variables are there or not, with texts up to a length.
LIB char *getenv(const char *name)
{
    static char text[16];
    if (__VERIFIER_nondet_int() == 0)
        return 0;
    for (int i = 0; i < (int)sizeof text; i++) {
        text[i] = __VERIFIER_nondet_char();
        if (text[i] == '\0')
            return text;
    }
    __regatta_bound();
    return text;
}

// What scanf writes to where one conversion's pointer points.
// A text, unless there is none; then nothing is written, which no violation is reported of.
LIB void __regatta_scan_text(char *to, int width)
{
    int i = 0, ended;
    if (ended) {
        __regatta_something();
        return;
    }
    for (; width == 0 || i < width; i++) {
        char c = __VERIFIER_nondet_char();
        if (c == '\0')
            break;
        __VERIFIER_assume(c != ' ' && !(c >= '\t' && c <= '\r'));
        to[i] = c;
    }
    __VERIFIER_assume(i > 0);
    to[i] = '\0';
}

LIB void __regatta_scan_line(char *to, int width)
{
    int i = 0, ended;
    if (ended) {
        __regatta_something();
        return;
    }
    for (; width == 0 || i < width; i++) {
        char c = __VERIFIER_nondet_char();
        if (c == '\0')
            break;
        __VERIFIER_assume(c != '\n');
        to[i] = c;
    }
    __VERIFIER_assume(i > 0);
    to[i] = '\0';
}

LIB void __regatta_scan_1(char *to)
{
    *to = __VERIFIER_nondet_char();
}

LIB void __regatta_scan_2(short *to)
{
    *to = __VERIFIER_nondet_short();
}

LIB void __regatta_scan_4(int *to)
{
    *to = __VERIFIER_nondet_int();
}

LIB void __regatta_scan_8(long long *to)
{
    *to = __VERIFIER_nondet_longlong();
}

// <fenv.h>, with the numbers of x86. Operations that round look at the mode (lower_rounding in reader/lower.c).

enum rounding { TO_NEAREST, DOWNWARD = 0x400, UPWARD = 0x800, TOWARD_ZERO = 0xc00 };

int __regatta_rounding;

LIB int fegetround(void)
{
    return __regatta_rounding;
}

LIB int fesetround(int mode)
{
    if (mode != TO_NEAREST && mode != DOWNWARD && mode != UPWARD && mode != TOWARD_ZERO)
        return 1;
    __regatta_rounding = mode;
    return 0;
}

// FLT_ROUNDS: 0 to zero, 1 to the nearest, 2 upwards, 3 downwards.
LIB int __intrinsic_get_rounding(void)
{
    int mode = __regatta_rounding;
    return mode == TO_NEAREST ? 1 : mode == UPWARD ? 2 : mode == DOWNWARD ? 3 : 0;
}

// <math.h>: what is exact, by the bits of the numbers. Functions of floats are those of doubles, rounded once more, which
// changes nothing for these.

typedef unsigned long long bits;

#define FRACTION 52
#define BIAS 1023
#define SIGN ((bits)1 << 63)
#define INFINITE ((bits)0x7ff << FRACTION)

static bits bits_of(double x)
{
    union {
        double number;
        bits bits;
    } u;
    u.number = x;
    return u.bits;
}

static double number_of(bits x)
{
    union {
        double number;
        bits bits;
    } u;
    u.bits = x;
    return u.number;
}

LIB double fabs(double x)
{
    return number_of(bits_of(x) & ~SIGN);
}

LIB float fabsf(float x)
{
    return (float)fabs(x);
}

LIB double copysign(double x, double y)
{
    return number_of((bits_of(x) & ~SIGN) | (bits_of(y) & SIGN));
}

LIB float copysignf(float x, float y)
{
    return (float)copysign(x, y);
}

LIB double nan(const char *text)
{
    return number_of(INFINITE | (bits)1 << (FRACTION - 1));
}

LIB float nanf(const char *text)
{
    return (float)nan(text);
}

LIB int __isnan(double x)
{
    return x != x;
}

LIB int isnan(double x)
{
    return x != x;
}

LIB int __isnanl(long double x)
{
    return x != x;
}

LIB int __isinfl(long double x)
{
    return x == __builtin_infl() ? 1 : x == -__builtin_infl() ? -1 : 0;
}

LIB int __finitel(long double x)
{
    return x - x == 0;
}

LIB int __signbitl(long double x)
{
    return __builtin_copysignl(1, x) < 0;
}

LIB long double fabsl(long double x)
{
    return __builtin_copysignl(x, 1);
}

LIB int __isnanf(float x)
{
    return x != x;
}

LIB int isnanf(float x)
{
    return x != x;
}

LIB int __isinf(double x)
{
    bits b = bits_of(x);
    return (b & ~SIGN) != INFINITE ? 0 : b & SIGN ? -1 : 1;
}

LIB int isinf(double x)
{
    return __isinf(x);
}

LIB int __isinff(float x)
{
    return __isinf(x);
}

LIB int isinff(float x)
{
    return __isinf(x);
}

LIB int __finite(double x)
{
    return (bits_of(x) & INFINITE) != INFINITE;
}

LIB int finite(double x)
{
    return __finite(x);
}

LIB int __finitef(float x)
{
    return __finite(x);
}

LIB int finitef(float x)
{
    return __finite(x);
}

LIB int isfinite(double x)
{
    return __finite(x);
}

LIB int __signbit(double x)
{
    return (bits_of(x) & SIGN) != 0;
}

LIB int signbit(double x)
{
    return __signbit(x);
}

LIB int __signbitf(float x)
{
    return __signbit(x);
}

static int class_of(double x, double least)
{
    double size = fabs(x);
    return x != x ? 0 : (bits_of(x) & ~SIGN) == INFINITE ? 1 : size == 0 ? 2 : size < least ? 3 : 4;
}

LIB int __fpclassify(double x)
{
    return class_of(x, 0x1p-1022);
}

LIB int __fpclassifyf(float x)
{
    return class_of(x, 0x1p-126);
}

enum way { DOWN, UP, ZERO, AWAY, EVEN };

// A whole number next to x; AWAY and EVEN say which of two that are as near.
static double whole(double x, enum way way)
{
    bits b = bits_of(x), sign = b & SIGN;
    int exponent = (int)(b >> FRACTION & 0x7ff) - BIAS;
    if (exponent >= FRACTION || (b & ~SIGN) == 0)
        return x;
    if (exponent < 0) {
        double size = fabs(x);
        _Bool one = way == DOWN   ? sign != 0
                    : way == UP   ? sign == 0
                    : way == AWAY ? size >= 0.5
                    : way == EVEN ? size > 0.5
                                  : 0;
        return number_of(sign | (one ? (bits)BIAS << FRACTION : 0));
    }
    bits unit = (bits)1 << (FRACTION - exponent), rest = b & (unit - 1), half = unit >> 1;
    b &= ~(unit - 1);
    _Bool more = way == DOWN   ? sign != 0
                 : way == UP   ? sign == 0
                 : way == AWAY ? rest >= half
                 : way == EVEN ? rest > half || (rest == half && (b & unit) != 0)
                               : 0;
    if (exponent == 0 && way == EVEN && rest == half)
        more = 1; // one and a half
    return number_of(rest != 0 && more ? b + unit : b);
}

// In the direction that fesetround chose.
static double whole_by_mode(double x)
{
    int mode = __regatta_rounding;
    return whole(x, mode == TO_NEAREST ? EVEN
                    : mode == DOWNWARD ? DOWN
                    : mode == UPWARD   ? UP
                                       : ZERO);
}

LIB double floor(double x)
{
    return whole(x, DOWN);
}

LIB float floorf(float x)
{
    return (float)whole(x, DOWN);
}

LIB double ceil(double x)
{
    return whole(x, UP);
}

LIB float ceilf(float x)
{
    return (float)whole(x, UP);
}

LIB double trunc(double x)
{
    return whole(x, ZERO);
}

LIB float truncf(float x)
{
    return (float)whole(x, ZERO);
}

LIB double round(double x)
{
    return whole(x, AWAY);
}

LIB float roundf(float x)
{
    return (float)whole(x, AWAY);
}

LIB double roundeven(double x)
{
    return whole(x, EVEN);
}

LIB float roundevenf(float x)
{
    return (float)whole(x, EVEN);
}

LIB double rint(double x)
{
    return whole_by_mode(x);
}

LIB float rintf(float x)
{
    return (float)whole_by_mode(x);
}

LIB double nearbyint(double x)
{
    return whole_by_mode(x);
}

LIB float nearbyintf(float x)
{
    return (float)whole_by_mode(x);
}

LIB long lround(double x)
{
    return (long)whole(x, AWAY);
}

LIB long long llround(double x)
{
    return (long long)whole(x, AWAY);
}

LIB long lroundf(float x)
{
    return lround(x);
}

LIB long long llroundf(float x)
{
    return llround(x);
}

LIB long lrint(double x)
{
    return (long)whole_by_mode(x);
}

LIB long long llrint(double x)
{
    return (long long)whole_by_mode(x);
}

LIB long lrintf(float x)
{
    return lrint(x);
}

LIB long long llrintf(float x)
{
    return llrint(x);
}

LIB double modf(double x, double *to)
{
    *to = whole(x, ZERO);
    return copysign((bits_of(x) & ~SIGN) == INFINITE ? 0.0 : x - *to, x);
}

LIB double fmin(double x, double y)
{
    return x != x ? y : y != y ? x : x < y ? x : y;
}

LIB float fminf(float x, float y)
{
    return x != x ? y : y != y ? x : x < y ? x : y;
}

LIB double fmax(double x, double y)
{
    return x != x ? y : y != y ? x : x > y ? x : y;
}

LIB float fmaxf(float x, float y)
{
    return x != x ? y : y != y ? x : x > y ? x : y;
}

LIB double fdim(double x, double y)
{
    return x != x ? x : y != y ? y : x > y ? x - y : 0.0;
}

LIB float fdimf(float x, float y)
{
    return x != x ? x : y != y ? y : x > y ? x - y : 0.0f;
}

// The significand of a number that is not 0, its first bit at FRACTION, and the exponent of that bit.
static bits significand(double x, int *exponent)
{
    bits b = bits_of(x) & ~SIGN, s = b & (((bits)1 << FRACTION) - 1);
    *exponent = (int)(b >> FRACTION) - BIAS;
    if (b >> FRACTION != 0)
        return s | (bits)1 << FRACTION;
    (*exponent)++;
    for (; s >> FRACTION == 0; s <<= 1)
        (*exponent)--;
    return s;
}

// Digit by digit: two more than the result has, so that the rest says how to round.
LIB double sqrt(double x)
{
    int exponent;
    if (x != x || x == 0 || bits_of(x) == INFINITE)
        return x;
    if (x < 0)
        return (x - x) / 0.0;
    bits rest = significand(x, &exponent), root = 0, twice = 0;
    if (exponent & 1) {
        rest <<= 1;
        exponent--;
    }
    rest <<= 1;
    for (bits digit = (bits)1 << (FRACTION + 1); digit != 0; digit >>= 1) {
        if (twice + digit <= rest) {
            twice += digit << 1;
            rest -= twice - digit;
            root += digit;
        }
        rest <<= 1;
    }
    if (rest != 0)
        root += __regatta_rounding == UPWARD ? 2 : __regatta_rounding == TO_NEAREST ? root & 1 : 0;
    return number_of(((bits)(exponent / 2 + BIAS - 1) << FRACTION) + (root >> 1));
}

LIB float sqrtf(float x)
{
    return (float)sqrt(x);
}

LIB double fmod(double x, double y)
{
    int high, low;
    if (y == 0 || y != y || !__finite(x))
        return (x * y) / (x * y);
    if (fabs(x) < fabs(y) || x == 0)
        return x;
    bits a = significand(x, &high), b = significand(y, &low);
    for (; high > low; high--) {
        if (a >= b)
            a -= b;
        a <<= 1;
    }
    if (a >= b)
        a -= b;
    if (a == 0)
        return number_of(bits_of(x) & SIGN);
    for (; a >> FRACTION == 0; a <<= 1)
        low--;
    for (; low < 1 - BIAS; low++)
        a >>= 1;
    bits field = a >> FRACTION == 0 ? 0 : (bits)(low + BIAS) << FRACTION;
    return number_of((bits_of(x) & SIGN) | field | (a & (((bits)1 << FRACTION) - 1)));
}

LIB float fmodf(float x, float y)
{
    return (float)fmod(x, y);
}

// x - n * y where n is the whole number nearest to x / y, the even one of two.
LIB double remainder(double x, double y)
{
    double size = fabs(y), rest = fabs(x);
    if (y == 0 || y != y || !__finite(x))
        return (x * y) / (x * y);
    if (!__finite(y))
        return x;
    if (size <= 0x1p1022)
        rest = fmod(rest, size + size);
    if (size < 0x1p-1021) {
        if (rest + rest > size) {
            rest -= size;
            if (rest + rest >= size)
                rest -= size;
        }
    } else if (rest > 0.5 * size) {
        rest -= size;
        if (rest >= 0.5 * size)
            rest -= size;
    }
    rest = rest == 0 ? 0.0 : rest; // downwards a difference is -0
    return bits_of(x) & SIGN ? -rest : rest;
}

LIB float remainderf(float x, float y)
{
    return (float)remainder(x, y);
}

// <math.h>: what is exact by the numbers it is made of; else a value in the range of the function, near to what this machine
// computes where the arguments are known (languages/programs/real.h). Limits of ranges that are no floats are rounded outwards.

double __regatta_real_sin(double), __regatta_real_cos(double), __regatta_real_tan(double);
double __regatta_real_asin(double), __regatta_real_acos(double), __regatta_real_atan(double);
double __regatta_real_sinh(double), __regatta_real_cosh(double), __regatta_real_tanh(double);
double __regatta_real_exp(double), __regatta_real_exp2(double), __regatta_real_cbrt(double);
double __regatta_real_log(double), __regatta_real_log2(double), __regatta_real_log10(double);
double __regatta_real_atan2(double, double), __regatta_real_hypot(double, double);
double __regatta_real_pow(double, double);

static double not_a_number(void)
{
    return number_of(INFINITE | (bits)1 << (FRACTION - 1));
}

static double infinity(void)
{
    return number_of(INFINITE);
}

static double inexact(double value, double least, double most)
{
    __VERIFIER_assume(value >= least && value <= most);
    return value;
}

LIB double scalbn(double x, int n)
{
    if (n > 1023) {
        x *= 0x1p1023;
        n -= 1023;
        if (n > 1023) {
            x *= 0x1p1023;
            n -= 1023;
        }
        n = n > 1023 ? 1023 : n;
    } else if (n < -1022) { // in steps that round once
        x *= 0x1p-969;
        n += 969;
        if (n < -1022) {
            x *= 0x1p-969;
            n += 969;
        }
        n = n < -1022 ? -1022 : n;
    }
    return x * number_of((bits)(BIAS + n) << FRACTION);
}

LIB double ldexp(double x, int n)
{
    return scalbn(x, n);
}

LIB float scalbnf(float x, int n)
{
    return (float)scalbn(x, n);
}

LIB float ldexpf(float x, int n)
{
    return (float)scalbn(x, n);
}

LIB double frexp(double x, int *exponent)
{
    *exponent = 0;
    if (x == 0 || !__finite(x))
        return x;
    int power = 0;
    bits digits = significand(x, &power);
    *exponent = power + 1;
    return number_of((bits_of(x) & SIGN) | (bits)(BIAS - 1) << FRACTION |
                     (digits & (((bits)1 << FRACTION) - 1)));
}

LIB float frexpf(float x, int *exponent)
{
    return (float)frexp(x, exponent);
}

LIB double sin(double x)
{
    if (!__finite(x))
        return not_a_number();
    return x == 0 ? x : inexact(__regatta_real_sin(x), -1, 1);
}

LIB double cos(double x)
{
    if (!__finite(x))
        return not_a_number();
    return x == 0 ? 1 : inexact(__regatta_real_cos(x), -1, 1);
}

LIB double tan(double x)
{
    if (!__finite(x))
        return not_a_number();
    return x == 0 ? x : inexact(__regatta_real_tan(x), -0x1p1023, 0x1p1023);
}

#define PI 0x1.921fb54442d19p1 // rounded up

LIB double asin(double x)
{
    if (!(x >= -1 && x <= 1))
        return not_a_number();
    return x == 0  ? x
           : x > 0 ? inexact(__regatta_real_asin(x), 0, PI / 2)
                   : inexact(__regatta_real_asin(x), -PI / 2, 0);
}

LIB double acos(double x)
{
    if (!(x >= -1 && x <= 1))
        return not_a_number();
    return x == 1 ? 0 : inexact(__regatta_real_acos(x), 0, PI);
}

LIB double atan(double x)
{
    if (x != x || x == 0)
        return x;
    return x > 0 ? inexact(__regatta_real_atan(x), 0, PI / 2)
                 : inexact(__regatta_real_atan(x), -PI / 2, 0);
}

LIB double atan2(double y, double x)
{
    if (x != x || y != y)
        return x + y;
    return inexact(__regatta_real_atan2(y, x), -PI, PI);
}

LIB double tanh(double x)
{
    if (x != x || x == 0)
        return x;
    return x > 0 ? inexact(__regatta_real_tanh(x), 0, 1) : inexact(__regatta_real_tanh(x), -1, 0);
}

LIB double sinh(double x)
{
    if (x == 0 || !__finite(x))
        return x;
    return x > 0 ? inexact(__regatta_real_sinh(x), 0, infinity())
                 : inexact(__regatta_real_sinh(x), -infinity(), 0);
}

LIB double cosh(double x)
{
    if (!__finite(x))
        return fabs(x);
    return x == 0 ? 1 : inexact(__regatta_real_cosh(x), 1, infinity());
}

// Of a number that is finite and not 0, a power of something above 1.
static double power_above_one(double value, double x, double great)
{
    if (x < 0)
        return inexact(value, 0, 1);
    return inexact(value, 1, x < great ? 0x1.fffffffffffffp1023 : infinity());
}

LIB double exp(double x)
{
    if (x != x || x == 0)
        return x == 0 ? 1 : x;
    if (!__finite(x))
        return x > 0 ? x : 0;
    return power_above_one(__regatta_real_exp(x), x, 709);
}

LIB double exp2(double x)
{
    if (x != x)
        return x;
    if (!__finite(x))
        return x > 0 ? x : 0;
    if (x >= -2000 && x <= 2000 && x == (int)x && __regatta_rounding == TO_NEAREST)
        return scalbn(1, (int)x);
    return power_above_one(__regatta_real_exp2(x), x, 1023);
}

// Logarithms where they are no number between others; the greatest and the least of all numbers have ones below 1100.
static double logarithm(double value, double x)
{
    if (x != x || x < 0)
        return x != x ? x : not_a_number();
    if (x == 0)
        return -infinity();
    if (x == 1 || x == infinity())
        return x == 1 ? 0 : x;
    return x > 1 ? inexact(value, 0, 1100) : inexact(value, -1100, 0);
}

LIB double log(double x)
{
    return logarithm(__regatta_real_log(x), x);
}

LIB double log10(double x)
{
    return logarithm(__regatta_real_log10(x), x);
}

LIB double log2(double x)
{
    int exponent = 0;
    if (x > 0 && __finite(x) && significand(x, &exponent) == (bits)1 << FRACTION)
        return exponent;
    return logarithm(__regatta_real_log2(x), x);
}

LIB double cbrt(double x)
{
    if (x == 0 || !__finite(x))
        return x;
    return x > 0 ? inexact(__regatta_real_cbrt(x), 0, x > 1 ? x : 1)
                 : inexact(__regatta_real_cbrt(x), x < -1 ? x : -1, 0);
}

LIB double hypot(double x, double y)
{
    if (__isinf(x) || __isinf(y))
        return infinity();
    if (x != x || y != y)
        return x + y;
    if (x == 0 || y == 0)
        return fabs(x) + fabs(y);
    double root = inexact(__regatta_real_hypot(x, y), 0, infinity()), near = whole(root, EVEN);
    _Bool exact = whole(x, ZERO) == x && whole(y, ZERO) == y && near < 0x1p26;
    return exact && near * near == x * x + y * y ? near : root;
}

#define WHOLE 0x1p53 // up to here all whole numbers are doubles

// x^n of whole numbers, as long as it is one below WHOLE; else 0.
static double whole_power(double x, int n)
{
    double result = 1;
    for (; n > 0; n--) {
        result *= x;
        if (result > WHOLE || result < -WHOLE)
            return 0;
    }
    return result;
}

static int is_whole(double x)
{
    return x >= -WHOLE && x <= WHOLE && x == (double)(long long)x;
}

LIB double pow(double x, double y)
{
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return x + y;
    if (y == 1 && __regatta_rounding == TO_NEAREST)
        return x;
    if (is_whole(x) && is_whole(y) && y > 0 && y <= 16 && __regatta_rounding == TO_NEAREST) {
        double exact = whole_power(x, (int)y);
        if (exact != 0)
            return exact;
    }
    if (x < 0 && __finite(x) && is_whole(y))
        return inexact(__regatta_real_pow(x, y), -infinity(), infinity());
    if (x < 0 && __finite(x) && __finite(y) && y < WHOLE && y > -WHOLE)
        return not_a_number();
    if (bits_of(x) & SIGN) // -0, too
        return inexact(__regatta_real_pow(x, y), -infinity(), infinity());
    return inexact(__regatta_real_pow(x, y), 0, infinity());
}

LIB float sinf(float x)
{
    return (float)sin(x);
}

LIB float cosf(float x)
{
    return (float)cos(x);
}

LIB float tanf(float x)
{
    return (float)tan(x);
}

LIB float asinf(float x)
{
    return (float)asin(x);
}

LIB float acosf(float x)
{
    return (float)acos(x);
}

LIB float atanf(float x)
{
    return (float)atan(x);
}

LIB float tanhf(float x)
{
    return (float)tanh(x);
}

LIB float expf(float x)
{
    return (float)exp(x);
}

LIB float logf(float x)
{
    return (float)log(x);
}

LIB float log2f(float x)
{
    return (float)log2(x);
}

LIB float log10f(float x)
{
    return (float)log10(x);
}

LIB float cbrtf(float x)
{
    return (float)cbrt(x);
}

LIB float atan2f(float y, float x)
{
    return (float)atan2(y, x);
}

LIB float hypotf(float x, float y)
{
    return (float)hypot(x, y);
}

LIB float powf(float x, float y)
{
    return (float)pow(x, y);
}

#define MOST_ELEMENT 256

// Insertion: what compares as equal stays in order.
LIB void qsort(void *table, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char kept[MOST_ELEMENT], *at = table;
    if (size > MOST_ELEMENT)
        __regatta_bound();
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && compare(at + (j - 1) * size, at + j * size) > 0; j--) {
            memcpy(kept, at + j * size, size);
            memcpy(at + j * size, at + (j - 1) * size, size);
            memcpy(at + (j - 1) * size, kept, size);
        }
    }
}

LIB void qsort_r(void *table, size_t count, size_t size,
                 int (*compare)(const void *, const void *, void *), void *given)
{
    char kept[MOST_ELEMENT], *at = table;
    if (size > MOST_ELEMENT)
        __regatta_bound();
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && compare(at + (j - 1) * size, at + j * size, given) > 0; j--) {
            memcpy(kept, at + j * size, size);
            memcpy(at + j * size, at + (j - 1) * size, size);
            memcpy(at + (j - 1) * size, kept, size);
        }
    }
}
