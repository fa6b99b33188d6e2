#include "tests/fuzz/mutate.h"

#include <string.h>

#include "base/memory.h"

const struct seed *seeds_any(const struct seeds *seeds, struct random *random)
{
    return &seeds->files.data[random_below(random, seeds->files.count)];
}

void seeds_finish(struct seeds *seeds)
{
    for (size_t i = 0; i < seeds->files.count; i++)
        memory_free(seeds->files.data[i].data);
    for (size_t i = 0; i < seeds->words.count; i++)
        memory_free(seeds->words.data[i]);
    VECTOR_FINISH(&seeds->files);
    VECTOR_FINISH(&seeds->words);
}

static void insert(struct text *text, size_t at, const char *data, size_t bytes)
{
    struct text whole;
    text_init(&whole);
    text_add_bytes(&whole, text_string(text), at);
    text_add_bytes(&whole, data, bytes);
    text_add_bytes(&whole, text_string(text) + at, text->length - at);
    text_finish(text);
    *text = whole;
}

static void cut(struct text *text, size_t at, size_t bytes)
{
    memmove(text->data + at, text->data + at + bytes, text->length - at - bytes);
    text->length -= bytes;
    text->data[text->length] = '\0';
}

void mutate(struct text *text, const struct seeds *seeds, struct random *random)
{
    static const char SIGNS[] = "<>/=\"'&;{}[]()-+*:.@^#|%! \n\t0129azAZ_\\$,";
    if (text->length == 0)
        text_add_char(text, '0');
    size_t at = random_below(random, text->length), length = 1 + random_below(random, 16);
    length = at + length > text->length ? text->length - at : length;
    const struct seed *other = seeds_any(seeds, random);
    switch (random_below(random, 10)) {
    case 0:
        text->data[at] = SIGNS[random_below(random, sizeof SIGNS - 1)];
        break;
    case 1:
        text->data[at] = (char)random_below(random, 256);
        break;
    case 2:
        text->data[at] ^= (char)(1 << random_below(random, 8));
        break;
    case 3:
        cut(text, at, length);
        break;
    case 4: // double
        insert(text, random_below(random, text->length), text_string(text) + at, length);
        break;
    case 5: // a large number
        insert(text, at, "99999999999999999999", 1 + random_below(random, 20));
        break;
    case 6: // cut off
        cut(text, at, text->length - at);
        break;
    case 7: // a piece of another
        if (other->bytes > 0) {
            size_t from = random_below(random, other->bytes);
            size_t most = other->bytes - from > 60 ? 60 : other->bytes - from;
            insert(text, at, other->data + from, most);
        }
        break;
    case 8: // another piece of the same, written over
        memmove(text->data + at, text->data + random_below(random, text->length - length + 1),
                length);
        break;
    default:
        if (seeds->words.count > 0) {
            const char *word = seeds->words.data[random_below(random, seeds->words.count)];
            insert(text, at, word, strlen(word));
        }
    }
}
