#include "model/small_words.h"

#include <assert.h>
#include <string.h>

#define DEEPEST 40 // of words that are looked for

static size_t noted_count(const struct noted_word noted[NOTED_WORDS])
{
    size_t count = 0;
    while (count < NOTED_WORDS && noted[count].word != NULL)
        count++;
    return count;
}

bool words_note(struct noted_word noted[NOTED_WORDS], const struct term *word,
                const struct term *literal)
{
    const size_t count = noted_count(noted);
    size_t at = count;
    assert(!term_is_literal(word) && word->sort == literal->sort);
    while (at > 0 && noted[at - 1].word->id >= word->id)
        at--;
    if (at < count && noted[at].word == word) {
        noted[at].literal = literal;
        return true;
    }
    if (count == NOTED_WORDS)
        return false;
    memmove(noted + at + 1, noted + at, (count - at) * sizeof *noted);
    noted[at] = (struct noted_word){word, literal};
    return true;
}

static void take_out(struct noted_word noted[NOTED_WORDS], size_t at)
{
    memmove(noted + at, noted + at + 1, (NOTED_WORDS - 1 - at) * sizeof *noted);
    noted[NOTED_WORDS - 1] = (struct noted_word){NULL, NULL};
}

void words_forget(struct noted_word noted[NOTED_WORDS], const struct term *variable)
{
    for (size_t i = noted_count(noted); i-- > 0;)
        if (rewrite_contains(noted[i].word, variable))
            take_out(noted, i);
}

void words_join(struct noted_word noted[NOTED_WORDS], const struct noted_word with[NOTED_WORDS])
{
    for (size_t i = noted_count(noted); i-- > 0;) {
        bool both = false;
        for (size_t k = 0; k < NOTED_WORDS; k++)
            both = both || (with[k].word == noted[i].word && with[k].literal == noted[i].literal);
        if (!both)
            take_out(noted, i);
    }
}

const struct term *words_apply(struct term_store *store, const struct noted_word noted[NOTED_WORDS],
                               const struct term *t)
{
    for (size_t i = 0; i < NOTED_WORDS && noted[i].word != NULL && !term_is_literal(t); i++)
        t = rewrite_replace(store, t, noted[i].word, noted[i].literal);
    return t;
}

static const struct term *small_word(const struct range_view *view, const struct term *t,
                                     uint64_t most, unsigned depth)
{
    if (term_is_literal(t) || depth == 0)
        return NULL;
    if (range_is_for(t->sort) && t->sort->width > 1) {
        const struct range range = range_of(view, t);
        if (range.most - range.least < most) {
            while (t->kind == TERM_BV_ZEXT || t->kind == TERM_BV_SEXT)
                t = t->child[0];
            return t;
        }
    }
    const struct term *found = NULL;
    for (uint32_t i = 0; i < t->child_count && found == NULL; i++)
        found = small_word(view, t->child[i], most, depth - 1);
    return found;
}

const struct term *words_small(const struct range_view *view, const struct term *t, uint64_t most)
{
    return small_word(view, t, most, DEEPEST);
}
