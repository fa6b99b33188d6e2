#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/charts/gamma.h"
#include "languages/charts/interpret.h"
#include "languages/charts/scxml.h"
#include "languages/charts/translate.h"
#include "languages/language.h"
#include "languages/petri/formula.h"
#include "languages/petri/net_text.h"
#include "languages/petri/pnml.h"
#include "languages/programs/flat.h"
#include "languages/programs/program.h"
#include "languages/programs/source.h"
#include "languages/programs/witness_read.h"
#include "languages/solidity/question.h"
#include "languages/solidity/tree.h"
#include "languages/umlrt/question.h"
#include "languages/umlrt/text.h"
#include "languages/umlrt/translate.h"
#include "languages/umlrt/xmi.h"
#include "model/prepare.h"
#include "tests/fuzz/targets_inside.h"
#include "tests/read.h"

// Models and what is asked of them. Where a language reads into something of its own, that is looked at, too: it must be
// consistent, translate, run, and be read again as it was printed.

enum { SMALL = 400 }; // edges of a model that is also prepared

// What stands before and behind the first line "%%": a model and its property, say. The second is NULL when there is none.
// Both are ended by NUL; the caller frees *first alone.
static void split(const char *data, size_t bytes, char **first, size_t *first_bytes, char **second)
{
    *first = fuzz_copy(data, bytes);
    *first_bytes = bytes;
    *second = NULL;
    char *sign = memmem(*first, bytes, "\n%%\n", 4);
    if (sign == NULL)
        return;
    *sign = '\0';
    *first_bytes = (size_t)(sign - *first);
    *second = sign + 4;
}

static void prepare(const struct model *model)
{
    const struct prepare_options options = {
        .encoding = PREPARE_LARGE_BLOCK, .propagate_constants = true, .cone_of_influence = true};
    if (model->edge_count <= SMALL)
        model_destroy(prepare_model(model, &options, NULL));
}

// As `verify` does it, up to the prepared model.
static bool read_language(const struct language *language, const char *data, size_t bytes)
{
    char *model_text, *property;
    size_t model_bytes;
    struct messages messages, questioned;
    messages_init(&messages);
    messages_init(&questioned);
    split(data, bytes, &model_text, &model_bytes, &property);
    struct language_request request = {.model_path = "fuzz",
                                       .model_text = model_text,
                                       .model_bytes = model_bytes,
                                       .property_path = property != NULL ? "fuzz.prop" : NULL,
                                       .property_text = property,
                                       .property_bytes = property != NULL ? strlen(property) : 0};
    struct language_questions questions = {0};
    if (language->parse != NULL)
        request.source = language->parse(&request, &questioned);
    if (language->questions != NULL && (language->parse == NULL || request.source != NULL))
        language->questions(&request, &questions, &questioned);
    if (questions.count > 0 && property == NULL) {
        request.property_text = questions.data[0].property;
        request.property_bytes = strlen(questions.data[0].property);
        request.property_inline = true;
    }
    struct model *model = read_model(language, &request, &messages);
    language_source_release(request.source);
    bool good = model != NULL;
    if (good) {
        prepare(model);
        model_destroy(model);
    }
    language_questions_finish(&questions);
    messages_finish(&questioned);
    memory_free(model_text);
    return fuzz_judge(&messages, good);
}

// What a language reads first, into something of its own, is looked at: `read` says whether there was something.
typedef bool own_reader(const char *text, size_t bytes, struct messages *messages);

static bool read_own(const struct language *language, own_reader *read, const char *data,
                     size_t bytes)
{
    char *text, *property;
    size_t text_bytes;
    struct messages messages;
    messages_init(&messages);
    split(data, bytes, &text, &text_bytes, &property);
    bool good = fuzz_judge(&messages, read(text, text_bytes, &messages));
    memory_free(text);
    read_language(language, data, bytes);
    return good;
}

#define OWN(name)                                                                                  \
    bool fuzz_read_##name(const char *data, size_t bytes)                                          \
    {                                                                                              \
        extern const struct language language_##name;                                              \
        return read_own(&language_##name, own_##name, data, bytes);                                \
    }

#define LANGUAGE(name)                                                                             \
    bool fuzz_read_##name(const char *data, size_t bytes)                                          \
    {                                                                                              \
        extern const struct language language_##name;                                              \
        return read_language(&language_##name, data, bytes);                                       \
    }
LANGUAGE(xsts)
LANGUAGE(cfa)
LANGUAGE(sts)
LANGUAGE(aiger)
LANGUAGE(aiger_binary)
LANGUAGE(btor2)
LANGUAGE(chc)

// Nets.

static void check_net(const struct net *net)
{
    for (uint32_t t = 0; t < net->transition_count; t++)
        for (uint32_t i = 0; i < net->transitions[t].effect.count; i++)
            if (net->transitions[t].effect.data[i].place >= net->place_count)
                fuzz_fail("a place that is none");
    for (uint32_t p = 0; p < net->place_count; p++) {
        uint32_t number;
        if (net_find(net, net->places[p].id, &number) != NET_PLACE || number != p)
            fuzz_fail("a place that is not found");
    }
}

static bool use_net(struct net *net)
{
    bool good = net != NULL;
    if (good)
        check_net(net);
    net_destroy(net);
    return good;
}

static bool own_pnml(const char *text, size_t bytes, struct messages *messages)
{
    return use_net(pnml_read("fuzz", text, bytes, messages));
}
OWN(pnml)

static bool own_net(const char *text, size_t bytes, struct messages *messages)
{
    return use_net(net_text_read("fuzz", text, bytes, messages));
}
OWN(net)

bool fuzz_read_formulas(const char *data, size_t bytes)
{
    static const char NET[] = "net n\npl p (3)\npl q\ntr t p*2 -> q\ntr u q -> p\n";
    struct messages messages;
    struct question_list questions = {0};
    struct arena arena;
    messages_init(&messages);
    arena_init(&arena);
    struct net *net = net_text_read("fuzz.net", NET, strlen(NET), &messages);
    if (net == NULL)
        fuzz_fail("no net");
    char *text = fuzz_copy(data, bytes);
    bool good =
        bytes > 0 && data[0] == '<'
            ? formula_read_xml(net, "fuzz.xml", text, bytes, &arena, &questions, &messages)
            : formula_read_text(net, "fuzz.ltl", text, bytes, &arena, &questions, &messages);
    memory_free(text);
    VECTOR_FINISH(&questions);
    arena_finish(&arena);
    net_destroy(net);
    return fuzz_judge(&messages, good);
}

// Charts.

static void run_chart(const struct chart *chart)
{
    struct chart_map map;
    model_destroy(chart_translate(chart, NULL, &map, NULL));
    chart_map_finish(&map);
    struct interpreter *it = interpreter_create(chart);
    struct interpreter_choices choices = {0};
    int64_t *cells = memory_zalloc((interpreter_cell_count(chart) + 1) * sizeof *cells);
    interpreter_start(it, &choices, NULL, cells);
    interpreter_choices_finish(&choices);
    memory_free(cells);
    interpreter_destroy(it);
}

static bool use_chart(struct chart *chart, size_t bytes)
{
    bool good = chart != NULL;
    if (good && bytes < 4000) // the first configuration of larger ones may take for ever
        run_chart(chart);
    chart_destroy(chart);
    return good;
}

static bool own_scxml(const char *text, size_t bytes, struct messages *messages)
{
    return use_chart(scxml_read("fuzz", text, bytes, NULL, 0, messages), bytes);
}
OWN(scxml)

static bool own_gamma(const char *text, size_t bytes, struct messages *messages)
{
    return use_chart(gamma_read("fuzz", text, bytes, NULL, messages), bytes);
}
OWN(gamma)

// Capsules.

// (A name in XML may hold what a name in quotes cannot.)
static void read_again(const struct capsules *capsules, bool xmi)
{
    struct text printed = {0};
    struct messages messages;
    messages_init(&messages);
    capsules_print(capsules, &printed);
    struct capsules *again =
        cffsm_read("printed", text_string(&printed), printed.length, &messages);
    if (again == NULL && !xmi)
        fuzz_fail("what was printed cannot be read");
    capsules_destroy(again);
    messages_finish(&messages);
    text_finish(&printed);
}

static bool ask(struct capsules *capsules, const char *formula)
{
    struct messages messages;
    struct capsule_question question;
    messages_init(&messages);
    bool good = capsule_question_read(capsules, "formula", formula, &question, &messages);
    fuzz_judge(&messages, good);
    if (good) {
        messages_init(&messages);
        model_destroy(capsules_translate(capsules, &question, 2, "fuzz", &messages));
        messages_finish(&messages);
        capsule_question_finish(&question);
    }
    return good;
}

static bool use_capsules(struct capsules *capsules, bool xmi)
{
    bool good = capsules != NULL;
    if (good) {
        read_again(capsules, xmi);
        if (capsules->instances.count <= 8)
            ask(capsules, "EF (deadlock or <any> @ top)");
    }
    capsules_destroy(capsules);
    return good;
}

static bool own_cffsm(const char *text, size_t bytes, struct messages *messages)
{
    return use_capsules(cffsm_read("fuzz", text, bytes, messages), false);
}
OWN(cffsm)

static bool own_umlrt(const char *text, size_t bytes, struct messages *messages)
{
    return use_capsules(umlrt_read_xmi("fuzz", text, bytes, 3, messages), true);
}
OWN(umlrt)

bool fuzz_read_ctl(const char *data, size_t bytes)
{
    static const char HOLDER[] =
        "module M { attribute x: int; in a(v: int); location L; initial -> L; } top M;";
    static struct capsules *spare; // NULL while it is in use: who is ended then loses it
    static unsigned uses;
    struct capsules *capsules = spare;
    spare = NULL;
    if (uses++ % FUZZ_USES == 0) {
        capsules_destroy(capsules);
        capsules = NULL;
    }
    if (capsules == NULL) {
        struct messages messages;
        messages_init(&messages);
        capsules = cffsm_read("holder", HOLDER, strlen(HOLDER), &messages);
        messages_finish(&messages);
    }
    if (capsules == NULL)
        fuzz_fail("no capsules");
    char *formula = fuzz_copy(data, bytes);
    bool good = ask(capsules, formula);
    memory_free(formula);
    spare = capsules;
    return good;
}

// What is asked of a chart.

static const char CHART[] =
    "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"ecmascript\">"
    "<datamodel><data id=\"x\" expr=\"0\"/><data id=\"b\" expr=\"false\"/></datamodel>"
    "<parallel id=\"all\"><state id=\"left\"><state id=\"off\"><transition event=\"go\" "
    "target=\"on\"><assign location=\"x\" expr=\"x + 1\"/></transition></state><state id=\"on\"/>"
    "</state><state id=\"right\"><onentry><send event=\"late\" delay=\"1s\"/></onentry>"
    "<transition event=\"late\"><raise event=\"go\"/></transition></state></parallel></scxml>"
    "\n%%\n";

bool fuzz_read_questions(const char *data, size_t bytes)
{
    extern const struct language language_scxml;
    struct text text;
    text_init(&text);
    text_add(&text, CHART);
    text_add_bytes(&text, data, bytes);
    bool good = read_language(&language_scxml, text_string(&text), text.length);
    text_finish(&text);
    return good;
}

// Programs.

// Each operand, target and file is one that there is.
static void check_program(const struct program *p)
{
    for (size_t f = 0; f < p->function_count; f++) {
        const struct function *function = &p->functions[f];
        for (size_t b = 0; b < function->block_count; b++) {
            const struct block *block = &function->blocks[b];
            if (block->count == 0 || !opcode_ends_block(block->instructions[block->count - 1].op))
                fuzz_fail("a block without an end");
            for (size_t k = 0; k < block->count; k++) {
                const struct instruction *i = &block->instructions[k];
                for (uint32_t o = 0; o < i->operand_count; o++)
                    if (i->operands[o].kind == OPERAND_VALUE &&
                        i->operands[o].number >= function->value_count)
                        fuzz_fail("an operand that is none");
            }
        }
    }
}

bool fuzz_read_program(const char *data, size_t bytes)
{
    struct messages messages, more;
    messages_init(&messages);
    char *text = fuzz_copy(data, bytes);
    struct program *program = program_read(text, bytes, "fuzz.c", &messages);
    bool good = program != NULL;
    if (good) {
        const struct flat_options options = {.most_depth = 3, .most_instructions = 10000};
        check_program(program);
        messages_init(&more);
        flat_destroy(flat_create(program, &options, &more));
        messages_finish(&more);
        program_destroy(program);
    }
    memory_free(text);
    return fuzz_judge(&messages, good);
}

bool fuzz_read_source(const char *data, size_t bytes)
{
    struct source *s = source_of("s.c", data, bytes);
    size_t statements = 0, places = 0;
    // Each answer may look at all of the text: of a long one not every place is asked.
    for (size_t at = 0; at <= bytes; at += 1 + bytes / 60) {
        size_t start, end;
        unsigned line, column;
        bool statement = source_statement(s, at, &start, &end);
        statements += statement;
        places++;
        if (statement && (start >= end || end > bytes))
            fuzz_fail("a statement outside of the text");
        size_t close = source_call_end(s, at, "f"), scope = source_scope_end(s, at);
        if ((close != SOURCE_NOWHERE && close >= bytes) ||
            (scope != SOURCE_NOWHERE && scope >= bytes))
            fuzz_fail("an end outside of the text");
        source_position(s, at, &line, &column);
        if (at < bytes && s->text[at] != '\n' && source_offset(s, line, column) != at)
            fuzz_fail("a place that is not its own");
    }
    source_destroy(s);
    return statements == places; // nothing is refused here, so: are all of them in statements?
}

bool fuzz_read_witness(const char *data, size_t bytes)
{
    struct messages messages;
    messages_init(&messages);
    struct witness *w = witness_read("fuzz.yml", data, bytes, &messages);
    bool good = w != NULL;
    witness_destroy(w);
    return fuzz_judge(&messages, good);
}

// What the compiler of contracts says, and the notes in them.
bool fuzz_read_solidity(const char *data, size_t bytes)
{
    struct messages messages;
    messages_init(&messages);
    char *json = fuzz_copy(data, bytes);
    struct sol_tree *tree = sol_tree_parse("fuzz.sol", json, &messages);
    bool good = tree != NULL;
    if (good)
        sol_input_close(sol_input_of_tree(tree));
    memory_free(json);
    return fuzz_judge(&messages, good);
}
