#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/solidity/tree.h"
#include "runs/contracts.h"

// What proofs offer as annotations. The trees are those of test_solidity.c.

static struct sol_input *load(const char *name)
{
    char path[400];
    snprintf(path, sizeof path, SOURCE_DIR "/tests/data/solidity/%s.json", name);
    char *json = text_read_file(path, NULL);
    assert_non_null(json);
    struct messages messages;
    messages_init(&messages);
    struct sol_tree *tree = sol_tree_parse("contract.sol", json, &messages);
    assert_non_null(tree);
    messages_finish(&messages);
    memory_free(json);
    return sol_input_of_tree(tree);
}

static const struct sol_question *question(const struct sol_input *input, const char *name)
{
    for (size_t i = 0; i < input->question_count; i++)
        if (strcmp(input->questions[i].name, name) == 0)
            return &input->questions[i];
    fail_msg("no question %s", name);
    return NULL;
}

static const struct sol_question_options OPTIONS = {.arithmetic = SOL_ARITHMETIC_MOD,
                                                    .reentrancy = 1};

// "@x" in the condition is the model's variable for x.
static void add_condition(struct text *out, const struct model *model, const char *condition)
{
    for (const char *c = condition; *c != '\0'; c++) {
        size_t length = *c == '@' ? strcspn(c + 1, " )") : 0;
        const char *name = NULL;
        for (uint32_t i = 0; length > 0 && name == NULL && i < model->variable_count; i++)
            if (strncmp(model->variables[i]->name, c + 1, length) == 0 &&
                model->variables[i]->name[length] == '!')
                name = model->variables[i]->name;
        if (name != NULL)
            text_printf(out, "|%s|", name);
        else
            text_add_char(out, *c);
        c += name != NULL ? length : 0;
    }
}

static void check_offer(struct sol_input *input, const struct sol_question *q,
                        const struct sol_node *function, const struct model *model,
                        const char *certificate, const char *expected)
{
    struct text text;
    text_init(&text);
    contracts_offer(&text, input, q->contract, function, model, certificate);
    assert_string_equal(text_string(&text), expected);
    text_finish(&text);
}

static void offers_contract_invariants(void **state)
{
    static const struct {
        const char *condition, *offered;
    } cases[] = {
        {"(<= @x @y)", "@notice invariant x <= y\n"},
        {"(and (<= @x @y) (>= @x @y))", "@notice invariant x == y\n"},
        {"(and (<= @x @y) (= @x @y) (>= @x @y))", "@notice invariant x == y\n"},
        {"(and (<= (+ @x (- @y)) 0) (not (< @x @y)) @open)",
         "@notice invariant x == y\n@notice invariant open\n"},
        {"(let ((?1 (+ @x (- @y)))) (and (<= ?1 0) (let ((?2 (not @open))) ?2)))",
         "@notice invariant x <= y\n@notice invariant !(open)\n"},
        {"(and (<= @x 9) (<= @x 7) (<= @x 8) (<= @y 7))",
         "@notice invariant x <= 7\n@notice invariant y <= 7\n"},
        {"(and (>= @x 2) (<= 3 @x))", "@notice invariant 3 <= x\n"},
        {"(and (not (= @owner 0)) (not (= @x 4)))",
         "@notice invariant owner != address(0)\n@notice invariant x != 4\n"},
        {"(= @owner 5)", ""},  // no name for it
        {"(<= @owner 0)", ""}, // addresses have no order
        {"(and @open @open)", "@notice invariant open\n"},
        {"(or (not @open) (<= @x 7))", "@notice invariant (!(open) || x <= 7)\n"},
        {"(<= 0 @x)", ""},           // its type says so
        {"(<= (+ @x @y) 5)", ""},    // a sum wraps around
        {"(= (select @m 0) 1)", ""}, // no plain variable
        {"(and (<= @x 9) (= a b))", "@notice invariant x <= 9\n"},
    };
    (void)state;
    struct sol_input *input = load("Modifies");
    const struct sol_question *q = question(input, "Modifies.named");
    struct sol_notes notes;
    struct messages messages;
    messages_init(&messages);
    struct model *model = sol_contract_model(input, q->contract, NULL, &OPTIONS, &notes, &messages);
    assert_non_null(model);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text certificate;
        text_init(&certificate);
        text_add(&certificate, "(define-fun inv.start () Bool ");
        add_condition(&certificate, model, "(<= @y @x))");
        text_add(&certificate, "(define-fun |inv.between transactions| () Bool ");
        add_condition(&certificate, model, cases[i].condition);
        text_add(&certificate, ")");
        check_offer(input, q, NULL, model, text_string(&certificate), cases[i].offered);
        text_finish(&certificate);
    }
    model_destroy(model);
    messages_finish(&messages);
    sol_input_close(input);
}

static const struct location *loop_of(const struct model *model)
{
    for (uint32_t i = 0; i < model->location_count; i++)
        if (strncmp(model->locations[i]->name, SOL_LOOP, strlen(SOL_LOOP)) == 0)
            return model->locations[i];
    return NULL;
}

static const struct variable *counter_of(const struct model *model)
{
    for (uint32_t i = 0; i < model->variable_count; i++)
        if (strcspn(model->variables[i]->name, "!") == 1 && model->variables[i]->name[0] == 'r')
            return model->variables[i];
    return NULL;
}

static void offers_loop_invariants(void **state)
{
    (void)state;
    struct sol_input *input = load("Loops");
    const struct sol_question *q = question(input, "Loops.noInvariant");
    struct sol_notes notes;
    struct messages messages;
    messages_init(&messages);
    struct model *model = sol_function_model(input, q, &OPTIONS, &notes, &messages);
    assert_non_null(model);
    const struct location *loop = loop_of(model);
    const struct variable *r = counter_of(model);
    assert_true(loop != NULL && r != NULL);
    struct text certificate, expected;
    text_init(&certificate);
    text_init(&expected);
    text_printf(&certificate, "(define-fun |inv.%s| () Bool (<= |%s| 12))", loop->name, r->name);
    text_printf(&expected, "at %s: @notice invariant r <= 12\n", loop->name + strlen(SOL_LOOP));
    check_offer(input, q, q->function, model, text_string(&certificate), text_string(&expected));
    check_offer(input, q, NULL, model, text_string(&certificate), "");
    text_finish(&certificate);
    text_finish(&expected);
    model_destroy(model);
    messages_finish(&messages);
    sol_input_close(input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offers_contract_invariants),
        cmocka_unit_test(offers_loop_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
