#include "portfolio/exchange.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

struct line {
    size_t begin, length; // in `text`
    unsigned attempt;
};

// Nothing is allocated after the beginning, and what is published stays: readers need no lock, and a
// thread that runs out of its memory holds none.
struct exchange {
    pthread_mutex_t lock; // of who adds
    char *text;
    size_t length;
    struct line *lines;
    _Atomic size_t count; // of lines that may be read
    // Open addressing over the lines' hashes; 0 = free, else 1 + the line.
    uint32_t *slots;
    size_t slot_count; // a power of two, twice EXCHANGE_MOST_LINES or more
};

struct exchange *exchange_create(void)
{
    struct exchange *x = memory_zalloc(sizeof *x);
    pthread_mutex_init(&x->lock, NULL);
    for (x->slot_count = 1; x->slot_count < 2 * EXCHANGE_MOST_LINES;)
        x->slot_count *= 2;
    x->slots = memory_zalloc(x->slot_count * sizeof *x->slots);
    x->lines = memory_alloc(EXCHANGE_MOST_LINES * sizeof *x->lines);
    x->text = memory_alloc(EXCHANGE_MOST_BYTES);
    assert((x->slot_count & (x->slot_count - 1)) == 0);
    return x;
}

void exchange_destroy(struct exchange *x)
{
    if (x == NULL)
        return;
    pthread_mutex_destroy(&x->lock);
    memory_free(x->text);
    memory_free(x->lines);
    memory_free(x->slots);
    memory_free(x);
}

// The slot where that line is, or the free one where it belongs.
static uint32_t *find_slot(struct exchange *x, const char *line, size_t length)
{
    size_t slot = (size_t)hash128_add_bytes(hash128_seed(0xe8c4), line, length).low;
    for (;; slot++) {
        uint32_t *s = &x->slots[slot & (x->slot_count - 1)];
        if (*s == 0)
            return s;
        const struct line *l = &x->lines[*s - 1];
        assert(*s <= atomic_load_explicit(&x->count, memory_order_relaxed) &&
               l->begin + l->length < x->length);
        if (l->length == length && memcmp(x->text + l->begin, line, length) == 0)
            return s;
    }
}

static bool add_line(struct exchange *x, unsigned attempt, const char *line, size_t length)
{
    size_t count = atomic_load_explicit(&x->count, memory_order_relaxed);
    if (length == 0 || count >= EXCHANGE_MOST_LINES || x->length + length + 1 > EXCHANGE_MOST_BYTES)
        return false;
    uint32_t *slot = find_slot(x, line, length);
    if (*slot)
        return false;
    memcpy(x->text + x->length, line, length);
    x->text[x->length + length] = '\n';
    x->lines[count] = (struct line){x->length, length, attempt};
    x->length += length + 1;
    assert(x->length <= EXCHANGE_MOST_BYTES && count < EXCHANGE_MOST_LINES);
    *slot = (uint32_t)count + 1;
    atomic_store_explicit(&x->count, count + 1, memory_order_release);
    return true;
}

size_t exchange_add(struct exchange *x, unsigned attempt, const char *text)
{
    size_t added = 0;
    pthread_mutex_lock(&x->lock);
    while (*text) {
        size_t length = strcspn(text, "\n");
        added += add_line(x, attempt, text, length);
        text += length + (text[length] == '\n');
    }
    pthread_mutex_unlock(&x->lock);
    return added;
}

size_t exchange_news(struct exchange *x, unsigned attempt, size_t *cursor, struct text *out)
{
    size_t news = 0, count = atomic_load_explicit(&x->count, memory_order_acquire);
    assert(*cursor <= count && "lines stay");
    for (; *cursor < count; ++*cursor) {
        const struct line *l = &x->lines[*cursor];
        if (l->attempt == attempt)
            continue;
        text_add_bytes(out, x->text + l->begin, l->length + 1);
        news++;
    }
    return news;
}

bool exchange_line(struct exchange *x, size_t number, unsigned *attempt, struct text *out)
{
    text_clear(out);
    if (number >= atomic_load_explicit(&x->count, memory_order_acquire))
        return false;
    const struct line *l = &x->lines[number];
    *attempt = l->attempt;
    text_add_bytes(out, x->text + l->begin, l->length);
    return true;
}
