#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

void text_init(struct text *text)
{
    *text = (struct text){0};
}

void text_finish(struct text *text)
{
    memory_free(text->data);
    text_init(text);
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->data != NULL)
        text->data[0] = '\0';
}

static void reserve(struct text *text, size_t more)
{
    size_t need = text->length + more + 1;
    if (need <= text->capacity)
        return;
    size_t capacity = text->capacity != 0 ? 2 * text->capacity : 32;
    if (capacity < need)
        capacity = need;
    text->data = memory_realloc(text->data, capacity);
    text->capacity = capacity;
}

void text_add_bytes(struct text *text, const char *data, size_t bytes)
{
    reserve(text, bytes);
    if (bytes != 0)
        memcpy(text->data + text->length, data, bytes);
    text->length += bytes;
    text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

void text_add_char(struct text *text, char c)
{
    text_add_bytes(text, &c, 1);
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    reserve(text, 0);
    int wanted =
        vsnprintf(text->data + text->length, text->capacity - text->length, format, arguments);
    assert(wanted >= 0);
    if ((size_t)wanted >= text->capacity - text->length) {
        reserve(text, (size_t)wanted);
        vsnprintf(text->data + text->length, text->capacity - text->length, format, again);
    }
    text->length += (size_t)wanted;
    va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

const char *text_string(const struct text *text)
{
    return text->data != NULL ? text->data : "";
}

char *text_steal(struct text *text)
{
    char *data = text->data != NULL ? text->data : memory_strdup("");
    text_init(text);
    return data;
}

size_t text_utf8_length(const char *text, size_t left)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

size_t text_printable_length(const char *text, size_t left)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = text_utf8_length(text, left);
    bool control = length == 1 && (s[0] < 0x20 || s[0] == 0x7f);
    bool late_control = length == 2 && s[0] == 0xc2 && s[1] < 0xa0;
    bool separator = length == 3 && s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9);
    return control || late_control || separator ? 0 : length;
}

void text_add_words(struct text *text, const char *data, size_t bytes, size_t limit)
{
    size_t begin = text->length, length;
    bool blank = false;
    for (; bytes > 0; data += length, bytes -= length) {
        length = text_printable_length(data, bytes);
        if (length == 0 || *data == ' ') {
            blank = true;
            length = 1;
            continue;
        }
        bool full = text->length - begin + blank + length > limit;
        if (blank && text->length > begin)
            text_add_char(text, ' ');
        if (full) {
            text_add(text, "…");
            return;
        }
        text_add_bytes(text, data, length);
        blank = false;
    }
}

static uint64_t file_limit = TEXT_FILE_LIMIT;

void text_set_file_limit(uint64_t bytes)
{
    file_limit = bytes;
}

const char *text_read_error(int error)
{
    switch (error) {
    case EISDIR:
        return "found a folder, expected a file";
    case ENODEV:
        return "found a device or a pipe, expected a regular file";
    case EFBIG:
        return "the file is larger than the limit (--input-size)";
    default:
        return strerror(error);
    }
}

// errno says what is wrong with it. The size is a guess: the file may grow, and those of the system have none.
static bool may_read(int fd, uint64_t limit, size_t *size)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    errno = S_ISDIR(status.st_mode)            ? EISDIR
            : !S_ISREG(status.st_mode)         ? ENODEV
            : (uint64_t)status.st_size > limit ? EFBIG
                                               : 0;
    *size = (size_t)status.st_size;
    return errno == 0;
}

static char *read_rest(int fd, uint64_t limit, size_t guess, size_t *bytes)
{
    struct text content;
    text_init(&content);
    ssize_t got = 1;
    errno = 0;
    for (size_t more = guess + 1; got > 0; more = 1 << 16) {
        reserve(&content, more);
        got = read(fd, content.data + content.length, content.capacity - content.length - 1);
        if (got < 0 && errno == EINTR)
            got = 1; // once more
        else if (got > 0)
            content.length += (size_t)got;
        if (content.length > limit) {
            errno = EFBIG;
            got = -1;
        }
    }
    if (got < 0) {
        int error = errno;
        text_finish(&content);
        errno = error;
        return NULL;
    }
    content.data[content.length] = '\0';
    if (bytes != NULL)
        *bytes = content.length;
    return text_steal(&content);
}

char *text_read_stream(int fd, size_t *bytes)
{
    return read_rest(fd, file_limit, 1 << 16, bytes);
}

static char *read_file(const char *path, uint64_t limit, size_t *bytes)
{
    // Not to wait for somebody to open the other end of a pipe, nor to make a terminal ours.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return NULL;
    size_t size;
    char *content = may_read(fd, limit, &size) ? read_rest(fd, limit, size, bytes) : NULL;
    int error = errno;
    close(fd);
    errno = error;
    return content;
}

char *text_read_file(const char *path, size_t *bytes)
{
    return read_file(path, file_limit, bytes);
}

char *text_read_own_file(const char *path, size_t *bytes)
{
    return read_file(path, TEXT_FILE_LIMIT, bytes);
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

// Levenshtein's distance by rows.
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= LONGEST || m >= LONGEST)
        return SIZE_MAX;
    size_t row[LONGEST];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[m];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t best_distance = (strlen(word) + 1) / 3; // further away is another word, not a slip
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        if (distance < best_distance || (distance == best_distance && best == NULL)) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best;
}

bool text_begins_with(const char *string, const char *begin)
{
    return strncmp(string, begin, strlen(begin)) == 0;
}

bool text_is_one_of(const char *string, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(string, *names) == 0)
            return true;
    return false;
}

bool text_ends_with(const char *string, const char *end)
{
    size_t length = strlen(string), tail = strlen(end);
    return length >= tail && strcmp(string + length - tail, end) == 0;
}
