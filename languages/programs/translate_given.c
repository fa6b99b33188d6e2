#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "languages/programs/translate_inside.h"

// What main is given: pointers to texts, then null. A text holds anything before the zero at its end. Those whose indices a program
// names are objects of their own. Of the others one that is arbitrary is followed exactly and stands for all, as a tracked block
// does (docs/definitions/blocks.md): what is loaded from another is any value, and an error counts only in runs in which the
// text that was accessed last is the one that is followed.

// Longer texts than any system lets a program be given: an int counts their characters.
#define MOST_TEXT_BYTES INT32_MAX

static bool is_followed_text(const struct object *o)
{
    return o->given == GIVEN_TEXT && o->reached;
}

void lowering_make_given(struct translator *t)
{
    const struct objects *os = t->objects;
    for (uint32_t n = 1; n < os->count; n++) {
        const struct object *o = &os->items[n];
        if (o->given == GIVEN_WORDS)
            t->memory[n].number =
                model_builder_fresh(t->builder, "given", sort_bv(t->store, 32), 0, o->at);
        if (o->given == GIVEN_OTHERS && o->reached) {
            t->memory[n].number = model_builder_fresh(t->builder, "followed",
                                                      sort_bv(t->store, t->offset_bits), 0, o->at);
            if (t->other_text == NULL)
                t->other_text =
                    model_builder_fresh(t->builder, "other text", sort_bool(t->store), 0, o->at);
            lowering_mean(t, t->memory[n].number,
                          (struct variable_meaning){ROLE_FOLLOWED, 0, n, 0});
        }
        if (is_followed_text(o))
            lowering_mean(t, t->memory[n].size, (struct variable_meaning){ROLE_SIZE, 0, n, 0});
    }
}

static const struct term *word_literal(struct translator *t, uint64_t n)
{
    return term_bv(t->store, t->offset_bits, n);
}

// Where null is behind the pointers.
static const struct term *end_of_words(struct translator *t, uint32_t words)
{
    const struct term *n = t->memory[words].number->term;
    if (t->offset_bits > 32)
        n = term_bv_extend(t->store, TERM_BV_ZEXT, n, t->offset_bits);
    return term_bv_binary(t->store, TERM_BV_MUL, n, word_literal(t, t->offset_bits / 8));
}

// There are no more of them than addresses.
static void know_words(struct translator *t, uint32_t words)
{
    const uint64_t bytes = t->offset_bits / 8, most = (UINT32_MAX - 2 * bytes + 1) / bytes;
    if (t->offset_bits <= 32)
        lowering_assume(t, term_bv_binary(t->store, TERM_BV_ULE, t->memory[words].number->term,
                                          term_bv(t->store, 32, most)));
}

static const struct term *last_of(struct translator *t, uint32_t text)
{
    return term_bv_binary(t->store, TERM_BV_ADD, t->memory[text].size->term,
                          word_literal(t, (uint64_t)-1));
}

// A text is of any length, with a zero at its end, and stays so: to overwrite this zero is a bound.
void lowering_know_text(struct translator *t, uint32_t text)
{
    const struct object_variables *v = &t->memory[text];
    assert(t->objects->items[text].given == GIVEN_TEXT && v->size != NULL);
    const struct term *size = v->size->term;
    lowering_assume(t, term_not(t->store, term_eq(t->store, size, word_literal(t, 0))));
    lowering_assume(t,
                    term_bv_binary(t->store, TERM_BV_ULE, size, word_literal(t, MOST_TEXT_BYTES)));
    if (v->bytes != NULL) // else it holds pointers, too, which is a bound
        lowering_assume(t,
                        term_eq(t->store, term_select(t->store, v->bytes->term, last_of(t, text)),
                                term_bv(t->store, 8, 0)));
}

void lowering_keep_text(struct translator *t, uint32_t text, const struct term *guard,
                        const struct term *offset, const struct term *value)
{
    const uint32_t bytes = value->sort->width / 8;
    assert(value->sort->kind == SORT_BV && value->sort->width % 8 == 0);
    const struct term *last = last_of(t, text), *lost = term_false(t->store);
    for (uint32_t i = 0; i < bytes; i++) {
        const struct term *at = term_bv_binary(t->store, TERM_BV_ADD, offset, word_literal(t, i));
        const struct term *byte = term_bv_extract(t->store, value, 8 * i + 7, 8 * i);
        const struct term *stays = term_eq(t->store, byte, term_bv(t->store, 8, 0));
        lost =
            term_or2(t->store, lost,
                     term_and2(t->store, term_eq(t->store, at, last), term_not(t->store, stays)));
    }
    lowering_cut_if(t, term_and2(t->store, guard, lost),
                    "the end of a text that main is given is overwritten");
}

static void take_text(struct translator *t, uint32_t text)
{
    lowering_havoc(t, t->memory[text].size);
    if (t->memory[text].bytes != NULL)
        lowering_havoc(t, t->memory[text].bytes);
    lowering_know_text(t, text);
}

void lowering_give_texts(struct translator *t, const struct instruction *i)
{
    const int32_t number = t->objects->site_of[i->result];
    const struct term *count = lowering_operand(t, &i->operands[1]);
    if (number < 0 || count->sort->kind != SORT_BV || count->sort->width != 32) {
        lowering_unsupported(t, "the function `%s`", flat_callee(t->flat, i));
        return;
    }
    const uint32_t words = t->objects->sites[number].first;
    const struct object_variables *v = &t->memory[words];
    lowering_assign(t, v->number, count);
    know_words(t, words);
    lowering_assign(t, v->size,
                    term_bv_binary(t->store, TERM_BV_ADD, end_of_words(t, words),
                                   word_literal(t, t->offset_bits / 8)));
    for (uint32_t k = 1; k < GIVEN_OBJECTS; k++)
        if (is_followed_text(&t->objects->items[words + k]))
            take_text(t, words + k);
    if (t->memory[words + GIVEN_REST].number != NULL)
        lowering_havoc(t, t->memory[words + GIVEN_REST].number);
    lowering_define(t, i, lowering_pointer(t, words, 0));
}

void lowering_initial_given(struct translator *t)
{
    if (t->other_text != NULL)
        lowering_assign(t, t->other_text, term_false(t->store));
}

const struct term *lowering_means_word(struct translator *t, uint32_t words, uint64_t bytes,
                                       const struct term *pointer, const struct term **odd)
{
    const uint64_t word = t->offset_bits / 8;
    const struct term *offset = lowering_offset_part(t, pointer);
    const struct term *rest =
        term_bv_binary(t->store, TERM_BV_AND, offset, word_literal(t, word - 1));
    know_words(t, words);
    const struct term *inside =
        term_and2(t->store, lowering_points_into(t, pointer, words),
                  term_bv_binary(t->store, TERM_BV_ULE, offset, end_of_words(t, words)));
    const struct term *whole = term_eq(t->store, rest, word_literal(t, 0));
    *odd = bytes == word ? term_and2(t->store, inside, term_not(t->store, whole)) : inside;
    return inside;
}

const struct term *lowering_load_word(struct translator *t, uint32_t words,
                                      const struct term *offset)
{
    const struct object *o = &t->objects->items[words];
    const struct term *out = NULL;
    assert(o->given == GIVEN_WORDS && offset->sort->width == t->offset_bits);
    if (o[GIVEN_REST].reached)
        out = term_ite(t->store,
                       term_eq(t->store, offset, t->memory[words + GIVEN_REST].number->term),
                       lowering_pointer(t, words + GIVEN_TRACKED, 0),
                       lowering_pointer(t, words + GIVEN_REST, 0));
    else if (offset->kind != TERM_BV)
        out = lowering_any(t, sort_bv(t->store, t->pointer_bits), "given");
    for (uint32_t k = 1; k <= GIVEN_KNOWN; k++) {
        if (!o[k].reached)
            continue;
        const struct term *here =
            term_eq(t->store, offset, word_literal(t, GIVEN_AT(k) * (t->offset_bits / 8)));
        const struct term *text = lowering_pointer(t, words + k, 0);
        out =
            out == NULL ? (term_is_false(here) ? NULL : text) : term_ite(t->store, here, text, out);
    }
    if (out == NULL) // no place of a pointer
        out = lowering_any(t, sort_bv(t->store, t->pointer_bits), "given");
    const struct term *end = term_eq(t->store, offset, end_of_words(t, words));
    return term_ite(t->store, end, lowering_pointer(t, 0, 0), out);
}

const struct term *lowering_text_counts(struct translator *t)
{
    return t->other_text == NULL ? term_true(t->store) : term_not(t->store, t->other_text->term);
}

// The pointer means a text that is followed, or one that is not.
static const struct term *means_text(struct translator *t, const struct operand *address,
                                     const struct term *pointer, bool followed)
{
    const struct term *out = term_false(t->store);
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        const enum given_part given = t->objects->items[targets.data[i].object].given;
        if (given == (followed ? GIVEN_TEXT : GIVEN_OTHERS))
            out = term_or2(t->store, out, lowering_points_into(t, pointer, targets.data[i].object));
    }
    memory_free(targets.data);
    return out;
}

const struct term *lowering_text_blame(struct translator *t, const struct operand *address,
                                       const struct term *pointer)
{
    if (t->other_text == NULL)
        return term_true(t->store);
    return term_or2(t->store, lowering_text_counts(t), means_text(t, address, pointer, true));
}

void lowering_text_accessed(struct translator *t, const struct operand *address,
                            const struct term *pointer)
{
    if (t->other_text == NULL)
        return;
    const struct term *before = t->other_text->term;
    const struct term *now = term_or2(
        t->store, means_text(t, address, pointer, false),
        term_and2(t->store, before, term_not(t->store, means_text(t, address, pointer, true))));
    if (t->when != NULL)
        now = term_ite(t->store, t->when, now, before);
    if (now != before)
        lowering_assign(t, t->other_text, now);
}

const struct term *lowering_is_text(struct translator *t, const struct operand *address)
{
    const struct term *out = term_false(t->store), *p = lowering_operand(t, address);
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        const uint32_t text = targets.data[i].object;
        const enum given_part given = t->objects->items[text].given;
        if (given != GIVEN_TEXT && given != GIVEN_OTHERS)
            continue;
        const struct term *is = lowering_points_into(t, p, text);
        if (given == GIVEN_TEXT)
            is = term_and2(t->store, is,
                           term_bv_binary(t->store, TERM_BV_ULT, lowering_offset_part(t, p),
                                          t->memory[text].size->term));
        out = term_or2(t->store, out, is);
    }
    memory_free(targets.data);
    return out;
}

const struct term *lowering_text_step(struct translator *t, const struct operand *address,
                                      const struct term *pointer, const struct term *by)
{
    if (t->other_text == NULL)
        return by;
    return term_ite(t->store, means_text(t, address, pointer, false), word_literal(t, 0), by);
}
