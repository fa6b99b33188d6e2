#ifndef REGATTA_LANGUAGES_BTOR2_BTOR2_H
#define REGATTA_LANGUAGES_BTOR2_BTOR2_H

#include "base/arena.h"
#include "base/vector.h"
#include "languages/language.h"

// BTOR2 (Niemetz, Preiner, Wolf, Biere 2018): word-level circuits; private to the front end. Bit-vectors of width
// 1 are Booleans in terms.

enum btor2_kind { BTOR2_NOTHING, BTOR2_SORT, BTOR2_TERM, BTOR2_OTHER };

struct btor2_node {
    uint32_t id;
    enum btor2_kind kind;
    const struct sort *sort; // of the term; of SORT: the sort itself
    const struct term *term;
};

struct btor2_state {
    const struct variable *variable, *local; // local: the next value
    const struct term *init, *next;          // NULL = arbitrary
    bool input;
};

struct btor2_bad {
    const struct term *term;
    struct position at;
};

struct btor2 {
    struct model_builder *builder;
    struct term_store *store;
    struct messages *messages;
    const char *path;
    VECTOR(struct btor2_node) nodes;   // in the order of their numbers; the first is none
    VECTOR(struct btor2_state) states; // inputs too, in order
    VECTOR(uint32_t) state_of;         // by term id of the variable: state + 1
    VECTOR(struct btor2_bad) bads;
    struct position justice; // the first line of justice or fairness; line 0 = none
    const struct term *constraint;
};

// One line, cut into words; what its operator needs to know.
#define BTOR2_WORDS 8
struct btor2_line {
    const char *word[BTOR2_WORDS]; // the number, the operator, …; NUL-terminated
    unsigned column[BTOR2_WORDS];
    unsigned count, number; // words; of the line in the file
    uint32_t id;
};

bool btor2_fail(struct btor2 *b, const struct btor2_line *line, unsigned word,
                const char *expected);
bool btor2_number(struct btor2 *b, const struct btor2_line *line, unsigned word, uint64_t least,
                  uint64_t most, uint32_t *out);
// The term that a word refers to (negative: its complement). NULL with a message.
const struct term *btor2_argument(struct btor2 *b, const struct btor2_line *line, unsigned word);
const struct sort *btor2_sort(struct btor2 *b, const struct btor2_line *line, unsigned word);

// Between Booleans and vectors of one bit.
const struct term *btor2_bits(struct btor2 *b, const struct term *term);
const struct term *btor2_unbits(struct btor2 *b, const struct term *term);

// The line as an operator or constant of the format; NULL with a message. *known false: it is none, and there
// is no message.
const struct term *btor2_operator(struct btor2 *b, const struct btor2_line *line, bool *known);

#endif
