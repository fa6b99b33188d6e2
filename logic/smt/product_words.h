#ifndef REGATTA_LOGIC_SMT_PRODUCT_WORDS_H
#define REGATTA_LOGIC_SMT_PRODUCT_WORDS_H

#include "logic/terms/rewrite.h"

// Formulas about products of words, told without them: sums are multiplied out, a product of two words is a variable, products of words that
// are equal are equal (Ackermann 1954), and what is simple to know of products of small numbers. Every assignment that satisfies the formulas satisfies, with
// the products as the variables' values, what is told; so where that is unsatisfiable the formulas are. It is quick where the same words are
// multiplied on both sides, as in a[i] = i * i; products.h does more, one question at a time.

struct product_words;

struct product_words *product_words_create(struct term_store *store);
void product_words_destroy(struct product_words *words); // NULL is fine
// What holds: a variable that it says to be equal to a term is that term in products of formulas that are told later.
void product_words_heed(struct product_words *words, const struct term *holds);
// NULL: it has quantifiers, or more products than are worth it.
const struct term *product_words_of(struct product_words *words, const struct term *formula);
// What has to be assumed beside all that was told so far.
const struct term *product_words_facts(struct product_words *words);
// So many products were told.
size_t product_words_count(const struct product_words *words);

#endif
