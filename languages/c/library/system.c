// Behind library.c, as one text with it: functions of the system (files, processes, the environment, dates as texts), of wide and
// multibyte characters, and other functions that compute little. What the world says is any value that a function may give; a
// call that fails leaves any number above 0 in errno. Texts that the world gives are up to a length, longer ones are a bound.

typedef __PTRDIFF_TYPE__ size_or_failure;

// 0, or -1 with errno.
static int done_or_not(void)
{
    if (__VERIFIER_nondet_int() == 0)
        return 0;
    fails();
    return -1;
}

// A number from 0 on, or -1 with errno.
static int number_or_not(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= -1);
    if (n < 0)
        fails();
    return n;
}

// To its end: a text without one is an access outside.
static void read_text(const char *s)
{
    while (*s != '\0')
        s++;
}

static int done_with(const char *name)
{
    read_text(name);
    return done_or_not();
}

static void any_bytes(void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)to)[i] = __VERIFIER_nondet_char();
}

#define TEXT 16

// A text that the world gives, in up to `room` bytes.
static void any_text(char *to, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        if (i == TEXT)
            __regatta_bound();
        to[i] = __VERIFIER_nondet_char();
        if (i + 1 == room)
            to[i] = '\0';
        if (to[i] == '\0')
            return;
    }
}

// A text that is one and the same on each machine, and that nobody here knows.
static char *some_text(void)
{
    static char text[TEXT];
    any_text(text, sizeof text);
    __regatta_something();
    return text;
}

// <stdio.h>

LIB int fseek(void *file, long offset, int from)
{
    return done_or_not();
}

LIB long ftell(void *file)
{
    return number_or_not();
}

LIB void rewind(void *file)
{
}

LIB void clearerr(void *file)
{
}

LIB int fileno(void *file)
{
    return number_or_not();
}

LIB int setvbuf(void *file, char *buffer, int mode, size_t size)
{
    if (buffer != 0)
        __regatta_bound(); // it is written to
    return done_or_not();
}

LIB void *fdopen(int number, const char *mode)
{
    read_text(mode);
    return file_or_not();
}

LIB void *freopen(const char *name, const char *mode, void *file)
{
    if (name != 0)
        read_text(name);
    read_text(mode);
    return file_or_not() == 0 ? 0 : file;
}

LIB void *tmpfile(void)
{
    return file_or_not();
}

LIB void *popen(const char *command, const char *mode)
{
    read_text(command);
    read_text(mode);
    return file_or_not();
}

LIB int pclose(void *file)
{
    return number_or_not();
}

LIB int remove(const char *name)
{
    return done_with(name);
}

LIB int rename(const char *from, const char *to)
{
    read_text(from);
    return done_with(to);
}

LIB int getc_unlocked(void *file)
{
    return any_character();
}

LIB int getw(void *file)
{
    return __VERIFIER_nondet_int();
}

LIB size_or_failure getdelim(char **line, size_t *room, int end, void *file)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n == -1 || n > 0);
    if (n >= TEXT)
        __regatta_bound();
    if (*line == 0 || *room < TEXT) {
        *line = realloc(*line, TEXT);
        *room = TEXT;
    }
    if (n < 0) {
        fails();
        return -1;
    }
    for (int i = 0; i < n; i++) {
        (*line)[i] = __VERIFIER_nondet_char();
        __VERIFIER_assume((*line)[i] != (char)end || i == n - 1);
    }
    (*line)[n] = '\0';
    return n;
}

LIB size_or_failure getline(char **line, size_t *room, void *file)
{
    return getdelim(line, room, '\n', file);
}

LIB int vasprintf(char **to, const char *format, __builtin_va_list list)
{
    __builtin_va_list again;
    __builtin_va_copy(again, list);
    int n = vsnprintf(0, 0, format, again);
    __builtin_va_end(again);
    *to = malloc((size_t)n + 1);
    return vsnprintf(*to, (size_t)n + 1, format, list);
}

LIB int asprintf(char **to, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vasprintf(to, format, list);
    __builtin_va_end(list);
    return n;
}

LIB int mkstemp(char *name)
{
    size_t n = strlen(name);
    for (size_t i = 1; i <= 6 && i <= n; i++)
        name[n - i] = __VERIFIER_nondet_char();
    return number_or_not();
}

// <unistd.h>, <fcntl.h>, <sys/stat.h>

LIB size_or_failure write(int file, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        byte c = ((const byte *)from)[i];
    }
    int n = number_or_not();
    __VERIFIER_assume(n < 0 || (size_t)n <= count);
    return n;
}

LIB int open(const char *name, int flags, ...)
{
    read_text(name);
    return number_or_not();
}

LIB int creat(const char *name, unsigned mode)
{
    read_text(name);
    return number_or_not();
}

LIB int close(int file)
{
    return done_or_not();
}

LIB int dup(int file)
{
    return number_or_not();
}

LIB int pipe(int *ends)
{
    if (done_or_not() != 0)
        return -1;
    ends[0] = number_or_not();
    ends[1] = number_or_not();
    __VERIFIER_assume(ends[0] >= 0 && ends[1] >= 0 && ends[0] != ends[1]);
    return 0;
}

LIB int unlink(const char *name)
{
    return done_with(name);
}

LIB int access(const char *name, int how)
{
    return done_with(name);
}

LIB int mkdir(const char *name, unsigned mode)
{
    return done_with(name);
}

LIB int rmdir(const char *name)
{
    return done_with(name);
}

LIB int chdir(const char *name)
{
    return done_with(name);
}

LIB int chmod(const char *name, unsigned mode)
{
    return done_with(name);
}

// What glibc has for programs of 32 and of 64 bits.
#define STATE (sizeof(long) == 8 ? 144 : 88)

LIB int stat(const char *name, void *to)
{
    if (done_with(name) != 0)
        return -1;
    any_bytes(to, STATE);
    return 0;
}

LIB int lstat(const char *name, void *to)
{
    return stat(name, to);
}

LIB int fstat(int file, void *to)
{
    if (done_or_not() != 0)
        return -1;
    any_bytes(to, STATE);
    return 0;
}

LIB char *getcwd(char *to, size_t room)
{
    if (to == 0)
        __regatta_bound(); // a block of the system's own
    if (done_or_not() != 0)
        return 0;
    any_text(to, room);
    return to;
}

LIB int gethostname(char *to, size_t room)
{
    if (done_or_not() != 0)
        return -1;
    any_text(to, room);
    return 0;
}

LIB char *ttyname(int file)
{
    static char name[TEXT];
    if (done_or_not() != 0)
        return 0;
    any_text(name, sizeof name);
    return name;
}

LIB char *getlogin(void)
{
    return ttyname(0);
}

LIB int system(const char *command)
{
    if (command != 0)
        read_text(command);
    return __VERIFIER_nondet_int();
}

LIB int wait(int *status)
{
    if (status != 0)
        *status = __VERIFIER_nondet_int();
    return number_or_not();
}

LIB int waitpid(int process, int *status, int how)
{
    if (status != 0)
        *status = __VERIFIER_nondet_int();
    return number_or_not();
}

LIB int nanosleep(const long *wanted, long *left)
{
    long seconds = wanted[0], fraction = wanted[1];
    if (done_or_not() == 0)
        return 0;
    if (left != 0) {
        left[0] = __VERIFIER_nondet_long();
        left[1] = up_to(0, 999999999);
    }
    return -1;
}

LIB size_or_failure getrandom(void *to, size_t count, unsigned how)
{
    int n = number_or_not();
    __VERIFIER_assume(n < 0 || (size_t)n <= count);
    for (int i = 0; i < n; i++)
        ((char *)to)[i] = __VERIFIER_nondet_char();
    return n;
}

LIB int getentropy(void *to, size_t count)
{
    if (count > 256 || __VERIFIER_nondet_int() == 0) {
        fails();
        return -1;
    }
    any_bytes(to, count);
    return 0;
}

// getopt as POSIX has it. glibc looks for options behind other arguments, too.
LIB char *optarg;
LIB int optind = 1, opterr = 1, optopt;
static int option_at;

LIB int getopt(int count, char *const *words, const char *options)
{
    if (optind >= count || words[optind] == 0)
        return -1;
    const char *word = words[optind];
    if (option_at == 0) {
        if (word[0] != '-' || word[1] == '\0') {
            for (int i = optind + 1; i < count && words[i] != 0; i++) {
                if (words[i][0] == '-' && words[i][1] != '\0')
                    __regatta_bound();
            }
            return -1;
        }
        if (word[1] == '-') {
            if (word[2] != '\0')
                __regatta_bound();
            optind++;
            return -1;
        }
        option_at = 1;
    }
    char option = word[option_at++];
    const char *at = option == ':' ? 0 : strchr(options, option);
    _Bool last = word[option_at] == '\0';
    if (at == 0 || at[1] != ':') {
        if (last) {
            optind++;
            option_at = 0;
        }
        optopt = at == 0 ? option : optopt;
        return at == 0 ? '?' : option;
    }
    if (at[2] == ':')
        __regatta_bound();
    optarg = last ? 0 : (char *)word + option_at;
    option_at = 0;
    optind++;
    if (!last)
        return option;
    if (optind < count) {
        optarg = words[optind++];
        return option;
    }
    optopt = option;
    return options[0] == ':' ? ':' : '?';
}

// The environment that a program makes for itself: what getenv gives then is not followed.

LIB int setenv(const char *name, const char *value, int over)
{
    read_text(name);
    read_text(value);
    __regatta_something();
    return done_or_not();
}

LIB int unsetenv(const char *name)
{
    read_text(name);
    __regatta_something();
    return done_or_not();
}

LIB int putenv(char *text)
{
    read_text(text);
    __regatta_something();
    return done_or_not();
}

LIB char *secure_getenv(const char *name)
{
    return getenv(name);
}

// <time.h>

LIB long mktime(void *at)
{
    const struct calendar *c = at;
    int read = c->seconds + c->minutes + c->hours + c->day + c->month + c->year + c->daylight;
    any_date(at);
    return __VERIFIER_nondet_long();
}

LIB long timegm(void *at)
{
    return mktime(at);
}

LIB char *asctime(const void *at)
{
    const struct calendar *c = at;
    int day = c->day;
    static char text[26];
    for (int i = 0; i < 24; i++) {
        text[i] = __VERIFIER_nondet_char();
        __VERIFIER_assume(text[i] != '\0');
    }
    text[24] = '\n';
    __regatta_something();
    return text;
}

LIB char *ctime(const long *at)
{
    return asctime(localtime(at));
}

LIB size_t strftime(char *to, size_t room, const char *format, const void *at)
{
    const struct calendar *c = at;
    int day = c->day;
    read_text(format);
    __regatta_something();
    if (room == 0 || __VERIFIER_nondet_int() == 0)
        return 0;
    size_t n = (size_t)__VERIFIER_nondet_uint();
    __VERIFIER_assume(n < room);
    for (size_t i = 0; i < n; i++) {
        to[i] = __VERIFIER_nondet_char();
        __VERIFIER_assume(to[i] != '\0');
    }
    to[n] = '\0';
    return n;
}

static const char *read_digits(const char *s, int most, int least, int limit, int *to)
{
    int n = 0, count = 0;
    while (*s == ' ')
        s++;
    for (; count < most && *s >= '0' && *s <= '9'; count++)
        n = n * 10 + (*s++ - '0');
    if (count == 0 || n < least || n > limit)
        return 0;
    *to = n;
    return s;
}

static int is_leap_year(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

// What follows from day, month and year.
static void complete_date(struct calendar *date)
{
    static const short before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int year = date->year + 1900, past = year - 1;
    date->day_of_year =
        before[date->month] + date->day - 1 + (date->month > 1 && is_leap_year(year));
    date->day_of_week = (past + past / 4 - past / 100 + past / 400 + date->day_of_year + 1) % 7;
}

// Numbers in dates; names of days and months, and formats of other kinds are not followed.
LIB char *strptime(const char *s, const char *format, void *to)
{
    struct calendar *date = to;
    int number, known = 0; // 1 the year, 2 the month, 4 the day
    for (; *format != '\0'; format++) {
        if (is_blank(*format)) {
            while (is_blank(*s))
                s++;
            continue;
        }
        if (*format != '%') {
            if (*s != *format)
                return 0;
            s++;
            continue;
        }
        switch (*++format) {
        case 'Y':
            s = read_digits(s, 4, 0, 9999, &number);
            if (s == 0)
                return 0;
            date->year = number - 1900;
            known |= 1;
            break;
        case 'm':
            s = read_digits(s, 2, 1, 12, &number);
            if (s == 0)
                return 0;
            date->month = number - 1;
            known |= 2;
            break;
        case 'd':
        case 'e':
            s = read_digits(s, 2, 1, 31, &date->day);
            known |= 4;
            break;
        case 'H':
        case 'k':
            s = read_digits(s, 2, 0, 23, &date->hours);
            break;
        case 'M':
            s = read_digits(s, 2, 0, 59, &date->minutes);
            break;
        case 'S':
            s = read_digits(s, 2, 0, 61, &date->seconds);
            break;
        case '%':
            s = *s == '%' ? s + 1 : 0;
            break;
        default:
            __regatta_bound();
        }
        if (s == 0)
            return 0;
    }
    if (known == 7)
        complete_date(date);
    else if (known != 0)
        __regatta_something();
    return (char *)s;
}

LIB int clock_getres(int clock, long *to)
{
    return to == 0 ? 0 : clock_gettime(clock, to);
}

LIB int timespec_get(long *to, int base)
{
    clock_gettime(0, to);
    return base;
}

// <locale.h>, <errno.h>: texts of people

LIB char *setlocale(int part, const char *name)
{
    if (name != 0)
        read_text(name);
    return some_text();
}

LIB char *strerror(int number)
{
    return some_text();
}

LIB char *strsignal(int number)
{
    return some_text();
}

// <string.h>

LIB size_t strxfrm(char *to, const char *from, size_t n)
{
    size_t length = strlen(from);
    for (size_t i = 0; i < n && i <= length; i++)
        to[i] = from[i];
    return length;
}

LIB char *strcasestr(const char *s, const char *part)
{
    size_t n = strlen(part);
    for (;; s++) {
        if (strncasecmp(s, part, n) == 0)
            return (char *)s;
        if (*s == '\0')
            return 0;
    }
}

LIB void *memmem(const void *in, size_t room, const void *part, size_t n)
{
    if (n > room)
        return 0;
    is_array(in, room);
    is_array(part, n);
    for (size_t i = 0; i <= room - n; i++) {
        if (memcmp((const char *)in + i, part, n) == 0)
            return (char *)in + i;
    }
    return 0;
}

LIB size_t strlcpy(char *to, const char *from, size_t room)
{
    size_t n = strlen(from);
    for (size_t i = 0; i < room; i++) {
        to[i] = i + 1 == room ? '\0' : from[i];
        if (to[i] == '\0')
            break;
    }
    return n;
}

LIB size_t strlcat(char *to, const char *from, size_t room)
{
    size_t n = strnlen(to, room);
    return n + strlcpy(to + n, from, room - n);
}

LIB void swab(const void *from, void *to, size_or_failure n)
{
    const char *f = from;
    char *t = to;
    for (size_or_failure i = 0; i + 1 < n; i += 2) {
        char first = f[i];
        t[i] = f[i + 1];
        t[i + 1] = first;
    }
}

LIB void explicit_bzero(void *s, size_t n)
{
    memset(s, 0, n);
}

LIB void *memfrob(void *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)s)[i] ^= 42;
    return s;
}

// glibc's of its own, which leaves the text alone.
LIB char *basename(const char *path)
{
    char *last = strrchr(path, '/');
    return last == 0 ? (char *)path : last + 1;
}

// <stdlib.h>, <inttypes.h>, <search.h>

LIB long long strtoimax(const char *s, char **end, int base)
{
    return strtoll(s, end, base);
}

LIB unsigned long long strtoumax(const char *s, char **end, int base)
{
    return strtoull(s, end, base);
}

LIB long long imaxabs(long long n)
{
    return llabs(n);
}

LIB void *lfind(const void *key, const void *table, size_t *count, size_t bytes,
                int (*compare)(const void *, const void *))
{
    for (size_t i = 0; i < *count; i++) {
        const char *at = (const char *)table + i * bytes;
        if (compare(key, at) == 0)
            return (void *)at;
    }
    return 0;
}

LIB void *lsearch(const void *key, void *table, size_t *count, size_t bytes,
                  int (*compare)(const void *, const void *))
{
    void *found = lfind(key, table, count, bytes, compare);
    if (found != 0)
        return found;
    char *to = (char *)table + *count * bytes;
    memcpy(to, key, bytes);
    ++*count;
    return to;
}

LIB int rpmatch(const char *answer)
{
    return *answer == 'y' || *answer == 'Y' ? 1 : *answer == 'n' || *answer == 'N' ? 0 : -1;
}

// <wchar.h>, <wctype.h>, in the C locale, of ASCII; what libraries make of other characters differs.

static int ascii(int c)
{
    if (c < 0 || c > 127)
        __regatta_bound();
    return c;
}

LIB int mbtowc(wide *to, const char *s, size_t n)
{
    if (s == 0)
        return 0;
    if (n == 0)
        return -1;
    int c = ascii(*s);
    if (to != 0)
        *to = c;
    return c != 0;
}

LIB int mblen(const char *s, size_t n)
{
    return mbtowc(0, s, n);
}

LIB int wctomb(char *to, wide c)
{
    if (to == 0)
        return 0;
    *to = (char)ascii(c);
    return 1;
}

LIB size_t mbrtowc(wide *to, const char *s, size_t n, void *state)
{
    return s == 0 ? 0 : n == 0 ? (size_t)-2 : (size_t)mbtowc(to, s, n);
}

LIB size_t mbrlen(const char *s, size_t n, void *state)
{
    return mbrtowc(0, s, n, state);
}

LIB size_t wcrtomb(char *to, wide c, void *state)
{
    return to == 0 ? 1 : (size_t)wctomb(to, c);
}

LIB int mbsinit(const void *state)
{
    return 1;
}

LIB size_t mbstowcs(wide *to, const char *s, size_t n)
{
    size_t i = 0;
    for (; to == 0 || i < n; i++) {
        int c = ascii(s[i]);
        if (to != 0)
            to[i] = c;
        if (c == 0)
            break;
    }
    return i;
}

LIB size_t wcstombs(char *to, const wide *s, size_t n)
{
    size_t i = 0;
    for (; to == 0 || i < n; i++) {
        int c = ascii(s[i]);
        if (to != 0)
            to[i] = (char)c;
        if (c == 0)
            break;
    }
    return i;
}

LIB unsigned btowc(int c)
{
    return c == -1 ? ~0u : (unsigned)ascii(c);
}

LIB int wctob(unsigned c)
{
    return c == ~0u ? -1 : ascii((int)c);
}

LIB int iswalpha(unsigned c)
{
    return isalpha(ascii((int)c));
}

LIB int iswdigit(unsigned c)
{
    return c >= '0' && c <= '9';
}

LIB int iswalnum(unsigned c)
{
    return isalnum(ascii((int)c));
}

LIB int iswspace(unsigned c)
{
    return isspace(ascii((int)c));
}

LIB int iswupper(unsigned c)
{
    return isupper(ascii((int)c));
}

LIB int iswlower(unsigned c)
{
    return islower(ascii((int)c));
}

LIB int iswpunct(unsigned c)
{
    return ispunct(ascii((int)c));
}

LIB int iswxdigit(unsigned c)
{
    return c < 128 && isxdigit((int)c);
}

LIB unsigned towupper(unsigned c)
{
    return (unsigned)toupper(ascii((int)c));
}

LIB unsigned towlower(unsigned c)
{
    return (unsigned)tolower(ascii((int)c));
}

LIB wide *wcsncat(wide *to, const wide *from, size_t n)
{
    size_t at = wcslen(to), i = 0;
    for (; i < n && from[i] != 0; i++)
        to[at + i] = from[i];
    to[at + i] = 0;
    return to;
}

LIB wide *wcsrchr(const wide *s, wide c)
{
    const wide *last = 0;
    for (;; s++) {
        if (*s == c)
            last = s;
        if (*s == 0)
            return (wide *)last;
    }
}

LIB wide *wcsstr(const wide *s, const wide *part)
{
    size_t n = wcslen(part);
    for (;; s++) {
        if (wcsncmp(s, part, n) == 0)
            return (wide *)s;
        if (*s == 0)
            return 0;
    }
}

LIB wide *wcsdup(const wide *s)
{
    return wcscpy(malloc((wcslen(s) + 1) * sizeof *s), s);
}

LIB int wmemcmp(const wide *a, const wide *b, size_t n)
{
    is_array(a, n * sizeof *a);
    is_array(b, n * sizeof *b);
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

LIB wide *wmemchr(const wide *s, wide c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i] == c)
            return (wide *)s + i;
    }
    return 0;
}

// <signal.h>: a set of signals has 128 bytes.

#define SET 128

LIB int sigemptyset(void *set)
{
    memset(set, 0, SET);
    return 0;
}

LIB int sigfillset(void *set)
{
    memset(set, 255, SET);
    return 0;
}

static int change_set(byte *set, int number, int is_in)
{
    if (number <= 0 || number >= SIGNALS) {
        fails();
        return -1;
    }
    byte bit = (byte)(1 << (number - 1) % 8), *at = set + (number - 1) / 8;
    *at = is_in ? *at | bit : *at & ~bit;
    return 0;
}

LIB int sigaddset(void *set, int number)
{
    return change_set(set, number, 1);
}

LIB int sigdelset(void *set, int number)
{
    return change_set(set, number, 0);
}

LIB int sigismember(const void *set, int number)
{
    if (number <= 0 || number >= SIGNALS) {
        fails();
        return -1;
    }
    return ((const byte *)set)[(number - 1) / 8] >> (number - 1) % 8 & 1;
}

struct signal_action {
    void (*handler)(int);
    byte blocked[SET];
    int flags;
    void (*restorer)(void);
};

// A handler that wants to know more, or that the system takes away, is not followed.
LIB int sigaction(int number, const void *wanted, void *before)
{
    const struct signal_action *action = wanted;
    if (before != 0)
        __regatta_bound();
    if (action == 0)
        return done_or_not();
    if ((action->flags & ~0x10000000) != 0)
        __regatta_bound();
    return signal(number, action->handler) == (void *)-1 ? -1 : 0;
}

// Locks that count.

LIB int sem_init(unsigned *count, int shared, unsigned value)
{
    __VERIFIER_atomic_begin();
    *count = value;
    __VERIFIER_atomic_end();
    return 0;
}

LIB int sem_destroy(unsigned *count)
{
    return 0;
}

LIB int sem_wait(unsigned *count)
{
    __VERIFIER_atomic_begin();
    if (*count == 0)
        __regatta_wait();
    --*count;
    __VERIFIER_atomic_end();
    return 0;
}

LIB int sem_trywait(unsigned *count)
{
    __VERIFIER_atomic_begin();
    const int none = *count == 0;
    if (!none)
        --*count;
    __VERIFIER_atomic_end();
    if (none) {
        fails();
        return -1;
    }
    return 0;
}

LIB int sem_post(unsigned *count)
{
    __VERIFIER_atomic_begin();
    ++*count;
    __VERIFIER_atomic_end();
    return 0;
}

LIB int sem_getvalue(unsigned *count, int *to)
{
    __VERIFIER_atomic_begin();
    const unsigned value = *count;
    __VERIFIER_atomic_end();
    *to = (int)value;
    return 0;
}

LIB int pthread_once(int *done, void (*call)(void))
{
    __VERIFIER_atomic_begin();
    const int before = *done;
    if (before == 0)
        *done = 1;
    __VERIFIER_atomic_end();
    if (before == 0)
        call();
    __VERIFIER_atomic_begin();
    if (before == 0)
        *done = 2;
    else if (*done != 2)
        __regatta_wait();
    __VERIFIER_atomic_end();
    return 0;
}

// How many are waited for, how many have come, and how often all had.

LIB int pthread_barrier_init(unsigned *barrier, const void *kind, unsigned count)
{
    if (kind != 0)
        __regatta_bound();
    if (count == 0)
        return 22; // EINVAL
    __VERIFIER_atomic_begin();
    barrier[0] = count;
    barrier[1] = barrier[2] = 0;
    __VERIFIER_atomic_end();
    return 0;
}

LIB int pthread_barrier_destroy(unsigned *barrier)
{
    return 0;
}

LIB int pthread_barrier_wait(unsigned *barrier)
{
    __VERIFIER_atomic_begin();
    const unsigned before = barrier[2];
    const int last = ++barrier[1] == barrier[0];
    if (last) {
        barrier[1] = 0;
        barrier[2]++;
    }
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    if (barrier[2] == before)
        __regatta_wait();
    __VERIFIER_atomic_end();
    return last ? -1 : 0; // PTHREAD_BARRIER_SERIAL_THREAD
}

#define KEYS 16
static _Thread_local void *key_values[KEYS];
static unsigned key_count;

LIB int pthread_key_create(unsigned *key, void (*end)(void *))
{
    __VERIFIER_atomic_begin();
    if (key_count == KEYS || end != 0) // which is called where a thread ends
        __regatta_bound();
    const unsigned made = key_count++;
    __VERIFIER_atomic_end();
    *key = made;
    return 0;
}

LIB int pthread_setspecific(unsigned key, const void *value)
{
    __VERIFIER_atomic_begin();
    const unsigned made = key_count;
    __VERIFIER_atomic_end();
    if (key >= made)
        return 22;
    key_values[key] = (void *)value;
    return 0;
}

LIB void *pthread_getspecific(unsigned key)
{
    __VERIFIER_atomic_begin();
    const unsigned made = key_count;
    __VERIFIER_atomic_end();
    return key < made ? key_values[key] : 0;
}

// C11's names.

LIB void call_once(int *done, void (*call)(void))
{
    pthread_once(done, call);
}

LIB int tss_create(unsigned *key, void (*end)(void *))
{
    return pthread_key_create(key, end);
}

LIB int tss_set(unsigned key, void *value)
{
    return pthread_setspecific(key, value) == 0 ? 0 : 2; // thrd_error
}

LIB void *tss_get(unsigned key)
{
    return pthread_getspecific(key);
}

LIB void tss_delete(unsigned key)
{
}

LIB int pthread_attr_init(void *attributes)
{
    memset(attributes, 0, sizeof(long) == 8 ? 56 : 36);
    return 0;
}

LIB int pthread_attr_setdetachstate(void *attributes, int state)
{
    return 0;
}

LIB int pthread_attr_setstacksize(void *attributes, size_t bytes)
{
    return 0;
}

LIB int pthread_attr_setscope(void *attributes, int scope)
{
    return 0;
}

LIB int pthread_attr_destroy(void *attributes)
{
    return 0;
}

// <fenv.h>: the direction of rounding is what there is of an environment; exceptions are not followed.

#define STANDARD_ENVIRONMENT ((void *)-1)

LIB int fegetenv(int *to)
{
    memset(to, 0, sizeof(long) == 8 ? 32 : 28);
    to[0] = __regatta_rounding;
    return 0;
}

LIB int fesetenv(const int *from)
{
    __regatta_rounding = from == STANDARD_ENVIRONMENT ? TO_NEAREST : from[0];
    return 0;
}

LIB int feholdexcept(int *to)
{
    return fegetenv(to);
}

LIB int feupdateenv(const int *from)
{
    return fesetenv(from);
}

// <setjmp.h>: the buffer begins with the number of the call that it was made by (languages/programs/flat.c). Lives of variables
// that it ends are ended there.

void __regatta_mark(int *); // a jump comes back behind it
void __regatta_jump(int);
void __regatta_leave_functions(void);
static _Thread_local int jump_value;

LIB int setjmp(int *buffer)
{
    jump_value = 0;
    __regatta_mark(buffer);
    return jump_value;
}

LIB int _setjmp(int *buffer)
{
    jump_value = 0;
    __regatta_mark(buffer);
    return jump_value;
}

LIB int __sigsetjmp(int *buffer, int mask)
{
    jump_value = 0;
    __regatta_mark(buffer);
    return jump_value;
}

LIB void longjmp(int *buffer, int value)
{
    jump_value = value == 0 ? 1 : value;
    __regatta_jump(*buffer);
    __regatta_leave_functions(); // instead of the jump's last part where that cannot be said
}

LIB void _longjmp(int *buffer, int value)
{
    longjmp(buffer, value);
}

LIB void siglongjmp(int *buffer, int value)
{
    longjmp(buffer, value);
}
