#include "languages/solidity/solidity.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/solidity/interpret.h"

// The language: one question of a contract file as a model.

static bool split(const struct language_request *request, char *name, size_t bytes,
                  struct sol_question_options *options, struct messages *messages)
{
    const char *text = request->property_text != NULL ? request->property_text : "";
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
    char *depth = strchr(arithmetic, '/');
    if (depth != NULL)
        *depth++ = '\0';
    if (depth != NULL && !sol_reentrancy_parse(depth, &options->reentrancy)) {
        message_add(messages, MESSAGE_ERROR, (struct position){request->model_path, 0, 0},
                    "found calls back to the depth `%.20s`, expected 0 to %d", depth,
                    SOL_MOST_REENTRANCY);
        return false;
    }
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
                near != NULL ? "found no contract or function `%.80s` (did you mean `%s`?)"
                             : "found no contract or function `%.80s`",
                name, near);
    memory_free(names);
}

static struct model *model_of(struct sol_input *input, const struct language_request *request,
                              char *name, const struct sol_question_options *options,
                              struct messages *messages)
{
    struct sol_notes notes;
    const struct sol_node *contract =
        name[0] ? sol_tree_contract(input->tree, name) : main_contract(input);
    if (contract != NULL)
        return sol_contract_model(input, contract, NULL, options, &notes, messages);
    char *colon = strchr(name, ':');
    if (colon != NULL)
        *colon = '.';
    const struct sol_question *question = sol_input_question(input, name);
    if (question == NULL) {
        unknown(input, request, name, messages);
        return NULL;
    }
    return colon != NULL ? sol_contract_model(input, question->contract, question->function,
                                              options, &notes, messages)
                         : sol_function_model(input, question, options, &notes, messages);
}

static struct model *read_solidity(const struct language_request *request,
                                   struct messages *messages)
{
    char name[300], asked[400];
    struct sol_question_options options;
    if (!split(request, name, sizeof name, &options, messages))
        return NULL;
    snprintf(asked, sizeof asked, "%s@%s/%u", name, sol_arithmetic_name(options.arithmetic),
             options.reentrancy);
    options.asked = asked;
    struct sol_input *input = sol_input_open(request->model_path, messages);
    struct model *model = input != NULL ? model_of(input, request, name, &options, messages) : NULL;
    sol_input_close(input);
    return model;
}

// The contract and function that a property of the whole contract speaks of.
static const struct sol_node *asked_contract(const struct sol_input *input, char *name,
                                             const struct sol_node **function)
{
    char *colon = strchr(name, ':');
    *function = NULL;
    if (colon == NULL)
        return name[0] ? sol_tree_contract(input->tree, name) : main_contract(input);
    *colon = '.';
    const struct sol_question *question = sol_input_question(input, name);
    *function = question != NULL ? question->function : NULL;
    return question != NULL ? question->contract : NULL;
}

static bool confirm(const struct trace *trace, struct sol_input *input, char *name,
                    const struct sol_question_options *options, struct text *why)
{
    const struct sol_node *function, *contract = asked_contract(input, name, &function);
    if (contract == NULL)
        return false;
    struct sol_replay replay;
    size_t count;
    struct sol_event *events = sol_events_of(trace, &count);
    sol_replay_run(&replay, input, contract, function, options, events, count);
    bool violated = replay.violated;
    if (!violated)
        text_add(why, text_string(&replay.why));
    sol_replay_finish(&replay);
    memory_free(events);
    return violated;
}

bool sol_confirm_trace(const struct trace *trace, struct text *why)
{
    const struct model_view *view = model_root(trace->model)->view;
    if (view == NULL || strcmp(view->kind, SOL_VIEW) != 0)
        return true;
    char name[300];
    struct sol_question_options options;
    struct messages messages;
    messages_init(&messages);
    const struct language_request request = {
        .model_path = trace->model->path, .property_text = ((const struct sol_view *)view)->asked};
    struct sol_input *input = NULL;
    bool good = split(&request, name, sizeof name, &options, &messages) &&
                (input = sol_input_open(trace->model->path, &messages)) != NULL &&
                confirm(trace, input, name, &options, why);
    if (!good && messages.count > 0)
        text_add(why, messages.items[0].text);
    sol_input_close(input);
    messages_finish(&messages);
    return good;
}

// One a function, about the whole contract: transactions that make it fail. With a property there is one.
static void name_questions(const struct language_request *request, struct language_questions *out,
                           struct messages *messages)
{
    if (request->property_text != NULL && request->property_text[0] != '\0')
        return;
    struct sol_input *input = sol_input_open(request->model_path, messages);
    for (size_t i = 0; input != NULL && i < input->question_count; i++) {
        const struct sol_question *q = &input->questions[i];
        const char *dot = strchr(q->name, '.');
        if (q->function == NULL || dot == NULL ||
            (q->contract->flags & (SOL_IS_LIBRARY | SOL_IS_ABSTRACT)))
            continue;
        struct text property;
        text_init(&property);
        text_printf(&property, "%.*s:%s", (int)(dot - q->name), q->name, dot + 1);
        language_questions_add(out, q->name, text_string(&property));
        text_finish(&property);
    }
    sol_input_close(input);
}

const struct language language_solidity = {
    .name = "solidity",
    .plan = "solidity",
    .extension = ".sol",
    .description = "Solidity contracts (compiled by solc under Node)",
    .read = read_solidity,
    .questions = name_questions,
};
