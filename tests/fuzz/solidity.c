#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "languages/solidity/question.h"

// Syntax trees of contracts with parts in each other's place: whatever comes, it is translated or refused. (fuzz_bytes changes
// their bytes.)   fuzz_solidity COUNT SEED TREE.json…

// A value becomes a copy of another one that has the same name.

static void collect(cJSON *json, cJSON **out, size_t *count, size_t most)
{
    for (cJSON *item = json->child; item != NULL && *count < most; item = item->next) {
        out[(*count)++] = item;
        collect(item, out, count, most);
    }
}

static bool alike(const cJSON *a, const cJSON *b)
{
    return (a->string == NULL) == (b->string == NULL) &&
           (a->string == NULL || strcmp(a->string, b->string) == 0 ||
            cJSON_IsObject(a) == cJSON_IsObject(b));
}

static void exchange(struct random *random, cJSON **all, size_t count)
{
    cJSON *to = all[random_below(random, count)], *from = all[random_below(random, count)];
    for (int i = 0; i < 40 && !(alike(to, from) && to->type == from->type); i++)
        from = all[random_below(random, count)];
    if (to->type == cJSON_String && from->type == cJSON_String)
        cJSON_SetValuestring(to, from->valuestring);
    else if (cJSON_IsNumber(to) && cJSON_IsNumber(from))
        cJSON_SetNumberHelper(to, from->valuedouble);
    else if (cJSON_IsBool(to))
        to->type = to->type == cJSON_True ? cJSON_False : cJSON_True;
}

static char *rearrange(struct random *random, const char *seed)
{
    enum { MOST = 60000 };
    cJSON *json = cJSON_Parse(seed), **all = memory_alloc(MOST * sizeof(cJSON *));
    size_t count = 0;
    collect(json, all, &count, MOST);
    unsigned changes = 1 + (unsigned)random_below(random, 4);
    for (unsigned i = 0; i < changes; i++)
        exchange(random, all, count);
    // Once, a part of the tree in the place of another; the list of pointers is not good after it.
    cJSON *to = all[random_below(random, count)], *from = all[random_below(random, count)];
    for (int i = 0; i < 200 && !(cJSON_IsObject(to) && to->string != NULL && cJSON_IsObject(from));
         i++) {
        to = all[random_below(random, count)];
        from = all[random_below(random, count)];
    }
    if (random_below(random, 2) && cJSON_IsObject(to) && to->string != NULL &&
        cJSON_IsObject(from)) {
        cJSON *copy = cJSON_Duplicate(from, true), *old = to->child;
        to->child = copy->child;
        copy->child = old;
        cJSON_Delete(copy);
    }
    char *text = cJSON_PrintUnformatted(json), *kept = memory_strdup(text);
    cJSON_free(text);
    cJSON_Delete(json);
    memory_free(all);
    return kept;
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
        char *seed = text_read_file(argv[3 + i % (argc - 3)], NULL);
        if (seed == NULL) {
            fprintf(stderr, "fuzz_solidity: %s cannot be read\n", argv[3 + i % (argc - 3)]);
            return 1;
        }
        bool changed = i >= argc - 3;
        char *json = changed ? rearrange(&random, seed) : memory_strdup(seed);
        struct messages messages;
        messages_init(&messages);
        struct sol_tree *tree = sol_tree_parse("fuzz.sol", json, &messages);
        if (tree == NULL && messages.count == 0) {
            fprintf(stderr, "fuzz_solidity: no tree and no message for input %ld\n", i);
            return 1;
        }
        if (tree != NULL) {
            struct sol_input *input = sol_input_of_tree(tree);
            read++;
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
