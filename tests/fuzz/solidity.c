#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "languages/solidity/question.h"

// Syntax trees of contracts, and the annotations in them, with bytes changed: whatever comes, the reader reads or says why
// not. Models are made of the unchanged trees only: the translation relies on types that the compiler has checked, and
// trees come from no one else.   fuzz_solidity COUNT SEED TREE.json…

static const char *const PIECES[] = {"@notice invariant ",
                                     "old(",
                                     "sum(",
                                     "==>",
                                     "((((",
                                     "-1",
                                     "0",
                                     "99999999999",
                                     "\"uint8\"",
                                     "\"mapping(uint256 => uint256)\"",
                                     "null",
                                     "\"**\"",
                                     "\"delete\"",
                                     "[]",
                                     "{}",
                                     "true"};

static char *mutate(struct random *random, const char *seed, size_t length)
{
    struct text text;
    text_init(&text);
    text_add_bytes(&text, seed, length);
    unsigned changes = 1 + (unsigned)random_below(random, 3);
    for (unsigned i = 0; i < changes && text.length > 60; i++) {
        size_t at = random_below(random, text.length - 41), n = 1 + random_below(random, 20);
        const char *piece = PIECES[random_below(random, sizeof PIECES / sizeof PIECES[0])];
        switch (random_below(random, 4)) {
        case 0:
            text.data[at] = "0123456789\"{}[]:,abcz()=<>+-*"[random_below(random, 29)];
            break;
        case 1: // digits: ids, references, offsets
            while (at + 1 < text.length && (text.data[at] < '0' || text.data[at] > '9'))
                at++;
            text.data[at] = (char)('0' + random_below(random, 10));
            break;
        case 2:
            memmove(text.data + at, text.data + at + n, text.length - at - n);
            text.length -= n;
            break;
        default: // a value for another
            while (at + 1 < text.length && text.data[at] != ':')
                at++;
            if (at + 1 + strlen(piece) < text.length)
                memcpy(text.data + at + 1, piece, strlen(piece));
        }
    }
    text_add_char(&text, '\0');
    return text_steal(&text);
}

// All models of all questions; how many there were.
static size_t translate(struct sol_input *input)
{
    size_t made = 0;
    for (size_t i = 0; i < input->question_count && i < 12; i++) {
        struct sol_question_options options = {
            .arithmetic = (enum sol_arithmetic)(i % SOL_ARITHMETIC_COUNT), .reentrancy = 1};
        struct messages messages;
        struct sol_notes notes;
        messages_init(&messages);
        const struct sol_question *q = &input->questions[i];
        struct model *models[2] = {
            sol_function_model(input, q, &options, &notes, &messages),
            i == 0 ? sol_contract_model(input, q->contract, NULL, &options, &notes, &messages)
                   : NULL};
        for (int k = 0; k < 2; k++) {
            made += models[k] != NULL;
            model_destroy(models[k]);
        }
        messages_finish(&messages);
    }
    return made;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: fuzz_solidity COUNT SEED TREE.json…\n");
        return 2;
    }
    long count = atol(argv[1]), read = 0;
    size_t made = 0;
    struct random random;
    random_init(&random, (uint64_t)atol(argv[2]));
    for (long i = 0; i < count; i++) {
        size_t length;
        char *seed = text_read_file(argv[3 + i % (argc - 3)], &length);
        if (!seed) {
            fprintf(stderr, "fuzz_solidity: %s cannot be read\n", argv[3 + i % (argc - 3)]);
            return 1;
        }
        bool changed = i >= argc - 3;
        char *json = changed ? mutate(&random, seed, length) : memory_strdup(seed);
        struct messages messages;
        messages_init(&messages);
        struct sol_tree *tree = sol_tree_parse("fuzz.sol", json, &messages);
        if (!tree && messages.count == 0) {
            fprintf(stderr, "fuzz_solidity: no tree and no message for input %ld\n", i);
            return 1;
        }
        if (tree) {
            struct sol_input *input = sol_input_of_tree(tree);
            read++;
            if (!changed)
                made += translate(input);
            sol_input_close(input);
        }
        messages_finish(&messages);
        memory_free(json);
        memory_free(seed);
    }
    printf("%ld inputs, %ld read, %zu models\n", count, read, made);
    return made > 0 ? 0 : 1; // nothing was tried
}
