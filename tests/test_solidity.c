#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "languages/solidity/interpret.h"
#include "languages/solidity/keccak.h"
#include "languages/solidity/question.h"
#include "languages/solidity/translate.h"
#include "tests/decide.h"
#include "tests/part.h"

// Trees recorded by scripts/solidity-trees (of the shared contracts, and of those beside the trees); neither Node nor a compiler is needed.

static struct sol_input *load(const char *name)
{
    char path[400];
    snprintf(path, sizeof path, SOURCE_DIR "/tests/data/solidity/%s.json", name);
    char *json = text_read_file(path, NULL);
    assert_non_null(json);
    struct messages messages;
    messages_init(&messages);
    struct sol_tree *tree = sol_tree_parse("contract.sol", json, &messages);
    messages_print(&messages, stderr);
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

struct fact {
    const char *file, *question;
    const char *answers; // int, mod, mod-overflow: p proved, n not proved, - not asked
};

// The facts of the specification's vectors, by the engine for whole steps; loops are there by their invariants.
static const struct fact FACTS[] = {
    {"Wrap8", "Wrap8.wraps", "npn"},
    {"Wrap8", "Wrap8.grows", "pnn"},
    {"Wrap8", "Wrap8.growsChecked", "ppp"},
    {"Wrap8", "Wrap8.signed", "pnn"},
    {"Wrap8", "Wrap8.halves", "ppp"},
    {"Equal", "Equal.addToX", "ppn"},
    {"Equal", "Equal.add", "pnp"},
    {"Bank", "Bank.withdraw", "ppp"},
    {"BankNoDeduct", "BankNoDeduct.withdraw", "nnn"},
    {"Modular", "Modular.add", "ppn"},
    {"Modular", "Modular.equalAfter", "ppp"},
    {"Modular", "Modular.oneAfter", "nnn"},
    {"Modular", "Modular.badCall", "nnn"},
    {"SafeMul", "SafeMul.plain", "ppn"},
    {"Batch", "Batch.transferTwo", "pnn"},
    {"Batch", "Batch.mint", "nnn"},
    {"Loops", "Loops.count", "ppp"},
    {"Loops", "Loops.overshoots", "nnn"},
    {"Owned", "Owned.constructor", "ppp"},
    {"Owned", "Owned.lower", "ppp"},
    {"Owned", "Owned.raise", "nnn"},
    {"Owned", "Owned.check", "ppp"},
    {"Owned", "Owned.anyone", "nnn"},
    {"Phases", "Phases.start", "ppp"},
    {"Phases", "Phases.finish", "ppp"},
    {"Phases", "Phases.skip", "nnn"},
    {"Phases", "Phases.onlyPaid", "nnn"},
    {"Modifies", "Modifies.named", "ppp"},
    {"Modifies", "Modifies.unnamed", "nnn"},
    {"Modifies", "Modifies.guarded", "ppp"},
    {"Modifies", "Modifies.unguarded", "nnn"},
    {"Modifies", "Modifies.through", "ppp"},
    {"Modifies", "Modifies.back", "ppp"},
    {"Library", "L.put", "ppp"},
    {"Library", "L.wrong", "nnn"},
    {"Library", "L.unknown", "nnn"},
    {"Library", "Library.getter", "ppp"},
    {"Library", "Library.first", "ppp"},
    {"Library", "Library.short", "ppp"},
    {"Library", "Library.shifted", "nnn"},
    {"Assembly", "Assembly.pure_", "ppp"},
    {"Assembly", "Assembly.any_", "nnn"},
    {"Assembly", "Assembly.loop", "nnn"},
    {"Assembly", "Assembly.stores", "nnn"},
    {"Assembly", "Assembly.reverts", "ppp"},
    {"Objects", "Objects.answers", "ppp"},
    {"Objects", "Objects.decoded", "nnn"},
    {"Objects", "Objects.made", "ppp"},
    {"Objects", "Objects.copied", "ppp"},
    {"Objects", "Objects.part", "ppp"},
    {"Objects", "Objects.inPart", "nnn"},
    {"Objects", "Objects.place", "ppp"},
    {"Lengths", "Lengths.cut", "ppp"},
    {"Lengths", "Lengths.cutBox", "ppp"},
    {"Lengths", "Lengths.kept", "ppp"},
    {"Lengths", "Lengths.lost", "nnn"},
    {"Reading", "Open.changed", "nnn"},
    {"Reading", "Open.kept", "ppp"},
    {"Reading", "Open.others", "nnn"},
};

// What is not followed, by the words that say so.
static const struct {
    const char *file, *question, *words;
} REFUSED[] = {
    {"Assembly", "Assembly.memory_", "inline assembly with `mstore`"},
    {"Assembly", "Assembly.moved", "inline assembly with `mstore`"},
    {"Assembly", "Assembly.returns_", "inline assembly with `return`"},
    {"Assembly", "Assembly.calls", "inline assembly with `call`"},
    {"Assembly", "Assembly.pointer", "inline assembly with `b.slot`"},
    {"Assembly", "Assembly.function_", "inline assembly with `function`"},
    {"Reading", "Open.bytes_", "the function `write` without a body"},
};

static void check_fact(const struct fact *fact, int mode)
{
    static const enum sol_arithmetic modes[] = {SOL_ARITHMETIC_INT, SOL_ARITHMETIC_MOD,
                                                SOL_ARITHMETIC_MOD_OVERFLOW};
    struct messages messages;
    messages_init(&messages);
    struct sol_input *input = load(fact->file);
    struct sol_question_options options = {.arithmetic = modes[mode], .reentrancy = 1};
    struct sol_notes notes;
    struct model *model =
        sol_function_model(input, question(input, fact->question), &options, &notes, &messages);
    messages_print(&messages, stderr);
    assert_non_null(model);
    enum verdict verdict = decide_run(model, "kind", 1);
    enum verdict expected = fact->answers[mode] == 'p' ? VERDICT_SAFE : VERDICT_UNSAFE;
    if (verdict != expected)
        fail_msg("%s, %s: %s", fact->question, sol_arithmetic_name(modes[mode]),
                 verdict_name(verdict));
    model_destroy(model);
    sol_input_close(input);
    messages_finish(&messages);
}

static bool uniform(const char *answers)
{
    return answers[0] == answers[1] && answers[1] == answers[2];
}

// Under sanitizers one of so many will do; the suite `long` has them all.
static size_t each(unsigned sanitized)
{
    return part_factor() > 1 ? 1 : part_models(1, sanitized);
}

static void answers_the_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof FACTS / sizeof FACTS[0]; i += each(12))
        for (int mode = uniform(FACTS[i].answers) ? 2 : 0; mode < 3; mode++)
            check_fact(&FACTS[i], mode);
}

static void says_what_is_not_supported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        struct messages messages;
        messages_init(&messages);
        struct sol_input *input = load(REFUSED[i].file);
        struct sol_question_options options = {.arithmetic = SOL_ARITHMETIC_MOD, .reentrancy = 1};
        struct sol_notes notes;
        assert_null(sol_function_model(input, question(input, REFUSED[i].question), &options,
                                       &notes, &messages));
        assert_int_equal(messages.count, 1);
        assert_int_equal(messages.items[0].kind, MESSAGE_UNSUPPORTED);
        assert_non_null(strstr(messages.items[0].text, REFUSED[i].words));
        sol_input_close(input);
        messages_finish(&messages);
    }
}

// Section 5 of the specification: the wrap-around functions against plain arithmetic, all operands of few bits.

static int64_t wrapped(int64_t exact, unsigned bits, bool is_signed)
{
    int64_t modulus = (int64_t)1 << bits, rest = exact % modulus;
    rest += rest < 0 ? modulus : 0;
    return is_signed && rest >= modulus / 2 ? rest - modulus : rest;
}

static int64_t exact(char operator, int64_t a, int64_t b)
{
    return operator== '+' ? a + b : operator== '-' ? a - b : operator== '*' ? a * b : a / b;
}

static void check_operator(struct sol_translator *t, const struct sol_type *type, char operator,
                           int64_t a, int64_t b)
{
    const char text[2] = {operator, '\0' };
    const struct term *x = term_int(t->store, a), *y = term_int(t->store, b);
    const struct term *got = sol_arithmetic(t, text, type, x, y, t->contract);
    int64_t expected = wrapped(exact(operator, a, b), type->bits, type->kind == SOL_T_INT);
    assert_true(got == term_int(t->store, expected));
}

static void wraps_around_exactly(void **state)
{
    (void)state;
    struct sol_input *input = load("Wrap8");
    struct messages messages;
    messages_init(&messages);
    const struct sol_question_options options = {.arithmetic = SOL_ARITHMETIC_MOD};
    struct sol_translator t = {.tree = input->tree,
                               .types = input->types,
                               .messages = &messages,
                               .options = &options,
                               .contract = input->questions[0].contract};
    arena_init(&t.arena);
    t.builder = model_builder_create(&dialect_plain, "test", NULL);
    t.store = model_builder_store(t.builder);
    for (unsigned bits = 2; bits <= 5; bits++)
        for (int sign = 0; sign < 2; sign++) {
            char words[16];
            snprintf(words, sizeof words, "%s%u", sign ? "int" : "uint", bits);
            const struct sol_type *type = sol_type_of(input->types, words);
            int64_t low = sign ? -((int64_t)1 << (bits - 1)) : 0, count = (int64_t)1 << bits;
            for (int64_t a = low; a < low + count; a++) {
                const struct term *negated = sol_negate(&t, type, term_int(t.store, a), t.contract);
                assert_true(negated == term_int(t.store, wrapped(-a, bits, sign)));
                for (int64_t b = low; b < low + count; b++)
                    for (const char *o = b == 0 ? "+-*" : "+-*/"; *o; o++)
                        check_operator(&t, type, *o, a, b);
            }
        }
    model_builder_destroy(t.builder);
    VECTOR_FINISH(&t.pending);
    VECTOR_FINISH(&t.scratch);
    arena_finish(&t.arena);
    messages_finish(&messages);
    sol_input_close(input);
}

// Hashes as the chain has them.
static void hashes_as_the_chain_does(void **state)
{
    (void)state;
    static const struct {
        const char *data, *first;
    } known[] = {{"", "c5d2460186f7233c"},
                 {"abc", "4e03657aea45a94f"},
                 {"transfer(address,uint256)", "a9059cbb2ab09eb2"}};
    uint8_t out[32];
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        char digits[17];
        sol_keccak256((const uint8_t *)known[k].data, strlen(known[k].data), out);
        for (int i = 0; i < 8; i++)
            snprintf(digits + 2 * i, 3, "%02x", out[i]);
        assert_string_equal(digits, known[k].first);
    }
    mpz_t code;
    mpz_init_set_ui(code, 0x616263); // "abc" and its length
    mpz_mul_2exp(code, code, 64);
    mpz_add_ui(code, code, 3);
    assert_true(sol_keccak256_of_code(code, code));
    mpz_fdiv_q_2exp(code, code, 192);
    assert_true(mpz_cmp_ui(code, 0x4e03657aea45a94fUL) == 0);
    mpz_set_ui(code, 1);
    mpz_mul_2exp(code, code, 90);
    mpz_add_ui(code, code, 3); // more contents than three bytes
    assert_false(sol_keccak256_of_code(code, code));
    mpz_clear(code);
}

// Whole contracts: an attack has to pass the interpreter over the syntax tree, a proof the certificate checker.

struct whole {
    const char *file, *question, *engine;
    enum verdict verdict;
    const char *what, *last; // of an attack: what fails, the last transaction
};

static const struct whole WHOLES[] = {
    {"Pointers", "Pointers.run", "bmc", VERDICT_UNSAFE, "assertion", "Pointers.run()"},
    {"Pointers", "Pointers.check", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Pointers", "Pointers.grow", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Pointers", "Pointers.inside", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Pointers", "Pointers.hash", "ic3", VERDICT_SAFE, NULL, NULL},
    {"BankNoDeduct", "BankNoDeduct.withdraw", "bmc", VERDICT_UNSAFE, "contract invariant",
     "BankNoDeduct.withdraw(amount = "},
    {"Phases", "Phases.skip", "bmc", VERDICT_UNSAFE, "contract invariant", "Phases.skip()"},
    {"Phases", "Phases.onlyPaid", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Owned", "Owned.raise", "bmc", VERDICT_UNSAFE, "contract invariant", "Owned.raise(v = "},
    {"Owned", "Owned.check", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Modular", "Modular.oneAfter", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Calls", "Calls.check", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Calls", "Resets.check", "bmc", VERDICT_UNSAFE, "assertion", "  called back: Resets.next()"},
    {"Assembly", "Guarded.check", "bmc", VERDICT_UNSAFE, "assertion", "Guarded.check()"},
    {"Assembly", "Itself.check", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Assembly", "Itself.constructor", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Reading", "Reading.check", "bmc", VERDICT_UNSAFE, "assertion",
     "  called back: Reading.check()"},
    {"Objects", "Data.check", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Objects", "Answered.check", "bmc", VERDICT_UNSAFE, "assertion", "Answered.check()"},
    {"Itself", "Wallet.check", "bmc", VERDICT_UNSAFE, "assertion", "Wallet.check()"},
    {"Itself", "Others.check", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Itself", "Fixed.run", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Reading", "Reading.same", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Reading", "Reading.late", "ic3", VERDICT_SAFE, NULL, NULL},
    {"SimpleBank", "SimpleBank.withdraw", "bmc", VERDICT_UNSAFE, "contract invariant before a call",
     "SimpleBank.withdraw(amount = "},
    {"SimpleBank", "SimpleBank.peek", "bmc", VERDICT_UNSAFE, "assertion",
     "  called back: SimpleBank.peek()"},
    {"Order", "Order.operands", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Order", "Order.leftFirst", "bmc", VERDICT_UNSAFE, "assertion", "Order.leftFirst()"},
    {"Order", "Order.places", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Order", "Order.swapped", "bmc", VERDICT_UNSAFE, "assertion", "Order.swapped()"},
    {"Order", "Maker.makes", "ic3", VERDICT_SAFE, NULL, NULL},
    {"Order", "Maker.made", "bmc", VERDICT_UNSAFE, "assertion", "Maker.made()"},
    {"Order", "Caller.called", "bmc", VERDICT_UNSAFE, "assertion", "Caller.called()"},
};

static struct trace *find_attack(const struct model *model, const struct whole *whole)
{
    struct text why;
    struct engine_run run;
    static struct progress progress;
    char text[64];
    snprintf(text, sizeof text, "engine=%s", whole->engine);
    engine_run_prepare(&run, model, text, &progress);
    run.environment.step_limit = strcmp(whole->engine, "bmc") == 0 ? 60 : 4000;
    engine_run_start(&run);
    if (run.result.verdict != whole->verdict)
        fail_msg("%s: %s", whole->question, verdict_name(run.result.verdict));
    struct trace *trace = NULL;
    text_init(&why);
    if (run.result.verdict == VERDICT_UNSAFE) {
        trace = decide_map(run.result.trace);
        run.result.trace = NULL;
        if (!certify_replay(trace, &why))
            fail_msg("%s: %s", whole->question, text_string(&why));
    }
    text_finish(&why);
    engine_run_finish(&run);
    return trace;
}

static void check_attack(struct sol_input *input, const struct sol_question *q,
                         const struct sol_question_options *options, const struct trace *trace,
                         const struct whole *whole)
{
    struct sol_replay replay;
    size_t count;
    struct sol_event *events = sol_events_of(trace, &count);
    sol_replay_run(&replay, input, q->contract, q->function, options, events, count);
    if (!replay.violated)
        fail_msg("%s: %s", whole->question, text_string(&replay.why));
    assert_string_equal(replay.what, whole->what);
    const char *last = strstr(text_string(&replay.transactions), whole->last);
    assert_non_null(last);
    assert_null(strchr(strchr(last, '\n') + 1, '\n'));
    sol_replay_finish(&replay);
    // The same run without its last value is no violation any more.
    sol_replay_run(&replay, input, q->contract, q->function, options, events, count > 4 ? 4 : 0);
    assert_false(replay.violated);
    sol_replay_finish(&replay);
    memory_free(events);
}

static void searches_whole_contracts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof WHOLES / sizeof WHOLES[0]; i += each(2)) {
        const struct whole *whole = &WHOLES[i];
        struct messages messages;
        messages_init(&messages);
        struct sol_input *input = load(whole->file);
        const struct sol_question *q = question(input, whole->question);
        struct sol_question_options options = {.arithmetic = SOL_ARITHMETIC_MOD,
                                               .reentrancy = 1,
                                               .strict = whole->verdict == VERDICT_SAFE};
        struct sol_notes notes;
        struct model *model =
            sol_contract_model(input, q->contract, q->function, &options, &notes, &messages);
        messages_print(&messages, stderr);
        assert_non_null(model);
        struct trace *trace = find_attack(model, whole);
        if (trace != NULL)
            check_attack(input, q, &options, trace, whole);
        trace_destroy(trace);
        model_destroy(model);
        sol_input_close(input);
        messages_finish(&messages);
    }
}

// An attack as a test of Solidity: what is written compiles with the types that the parameters have.
static void writes_tests(void **state)
{
    (void)state;
    const struct whole whole = {"Objects", "Written.check", "bmc", VERDICT_UNSAFE, "assertion", ""};
    struct messages messages;
    messages_init(&messages);
    struct sol_input *input = load(whole.file);
    const struct sol_question *q = question(input, whole.question);
    struct sol_question_options options = {.arithmetic = SOL_ARITHMETIC_MOD, .reentrancy = 1};
    struct sol_notes notes;
    struct model *model =
        sol_contract_model(input, q->contract, q->function, &options, &notes, &messages);
    assert_non_null(model);
    struct trace *trace = find_attack(model, &whole);
    struct sol_replay replay;
    size_t count;
    struct sol_event *events = sol_events_of(trace, &count);
    sol_replay_run(&replay, input, q->contract, q->function, &options, events, count);
    assert_true(replay.violated);
    const char *test = text_string(&replay.test);
    assert_non_null(strstr(test, "        vm.warp(9);\n        vm.deal(address(uint160("));
    assert_non_null(strstr(test, "), 6);\n"));
    assert_non_null(
        strstr(test, "c.set{value: 6}(Written.Kind(1), bytes4(uint32(16909060)), Price.wrap(5), "
                     "bytes(hex\"\"), Other(payable(address(uint160(11)))), -3);\n"));
    sol_replay_finish(&replay);
    memory_free(events);
    trace_destroy(trace);
    model_destroy(model);
    sol_input_close(input);
    messages_finish(&messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_the_facts),        cmocka_unit_test(says_what_is_not_supported),
        cmocka_unit_test(wraps_around_exactly),     cmocka_unit_test(hashes_as_the_chain_does),
        cmocka_unit_test(searches_whole_contracts), cmocka_unit_test(writes_tests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
