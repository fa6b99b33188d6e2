#include "languages/solidity/solidity.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

// The language: one question of a contract file as a model.

static bool split(const struct language_request *request, char *name, size_t bytes,
                  struct sol_question_options *options, struct messages *messages)
{
    const char *text = request->property_text ? request->property_text : "";
    size_t length = strcspn(text, "@ \t\r\n");
    const char *rest = text + length;
    *options = (struct sol_question_options){
        .arithmetic = SOL_ARITHMETIC_MOD_OVERFLOW, .reentrancy = 1, .strict = true};
    if (length >= bytes) {
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                    "found a property of %zu bytes", length);
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    if (*rest != '@')
        return true;
    char arithmetic[16] = "";
    size_t end = strcspn(rest + 1, " \t\r\n");
    if (end < sizeof arithmetic)
        memcpy(arithmetic, rest + 1, end);
    if (sol_arithmetic_parse(arithmetic, &options->arithmetic))
        return true;
    message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                "found the arithmetic `%.20s`, expected int, bv, mod or mod-overflow", rest + 1);
    return false;
}

// The contract that a file is about when nobody says: the last one that can be deployed.
static const struct sol_node *main_contract(const struct sol_input *input)
{
    const struct sol_node *all[512], *found = NULL;
    size_t count = sol_tree_contracts(input->tree, all, 512);
    for (size_t i = 0; i < count && i < 512; i++)
        if (!(all[i]->flags & (SOL_IS_INTERFACE | SOL_IS_LIBRARY | SOL_IS_ABSTRACT)))
            found = all[i];
    return found;
}

const struct sol_question *sol_input_question(const struct sol_input *input, const char *name)
{
    for (size_t i = 0; i < input->question_count; i++)
        if (strcmp(input->questions[i].name, name) == 0)
            return &input->questions[i];
    return NULL;
}

static void unknown(const struct sol_input *input, const struct language_request *request,
                    const char *name, struct messages *messages)
{
    const char **names = memory_alloc((input->question_count + 1) * sizeof *names);
    for (size_t i = 0; i < input->question_count; i++)
        names[i] = input->questions[i].name;
    const char *near = text_nearest(name, names, input->question_count);
    message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                near ? "found no contract or function `%.80s` (did you mean `%s`?)"
                     : "found no contract or function `%.80s`",
                name, near);
    memory_free(names);
}

static struct model *model_of(struct sol_input *input, const struct language_request *request,
                              char *name, const struct sol_question_options *options,
                              struct messages *messages)
{
    bool complete;
    const struct sol_node *contract =
        name[0] ? sol_tree_contract(input->tree, name) : main_contract(input);
    if (contract)
        return sol_contract_model(input, contract, NULL, options, &complete, messages);
    char *colon = strchr(name, ':');
    if (colon)
        *colon = '.';
    const struct sol_question *question = sol_input_question(input, name);
    if (!question) {
        unknown(input, request, name, messages);
        return NULL;
    }
    return colon ? sol_contract_model(input, question->contract, question->function, options,
                                      &complete, messages)
                 : sol_function_model(input, question, options, messages);
}

static struct model *read_solidity(const struct language_request *request,
                                   struct messages *messages)
{
    char name[300];
    struct sol_question_options options;
    if (!split(request, name, sizeof name, &options, messages))
        return NULL;
    struct sol_input *input = sol_input_open(request->model_path, messages);
    struct model *model = input ? model_of(input, request, name, &options, messages) : NULL;
    sol_input_close(input);
    return model;
}

const struct language language_solidity = {
    .name = "solidity",
    .extension = ".sol",
    .description = "Solidity contracts (compiled by solc under Node)",
    .read = read_solidity,
};
