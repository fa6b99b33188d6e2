#include <assert.h>
#include <string.h>

#include "certify/certificate_inside.h"

// The commands of a certificate, sorted by what they are for. set-info of other programs, comments
// and declarations (the model has them) are passed over; what could be meant as part of the proof
// and is not understood is an error.

struct loading {
    const char *path;
    struct certificate *certificate;
    struct messages *messages;
    bool version, verdict;
};

static bool wrong(struct loading *l, const struct sexpr *e, const char *what)
{
    message_add(l->messages, MESSAGE_ERROR, (struct position){l->path, e->line, 0}, "%s", what);
    return false;
}

static const char **header_field(struct certificate_header *header, const char *keyword)
{
    if (strcmp(keyword, ":model") == 0)
        return &header->model;
    if (strcmp(keyword, ":model-digest") == 0)
        return &header->model_digest;
    if (strcmp(keyword, ":property-digest") == 0)
        return &header->property_digest;
    if (strcmp(keyword, ":producer") == 0)
        return &header->producer;
    if (strcmp(keyword, ":configuration") == 0)
        return &header->configuration;
    if (strcmp(keyword, ":view") == 0)
        return &header->view;
    return NULL;
}

static bool read_verdict(struct loading *l, const struct sexpr *value)
{
    const char *text = value->text != NULL ? value->text : "";
    l->verdict = true;
    l->certificate->header.safe = strcmp(text, "safe") == 0;
    if (!l->certificate->header.safe && strcmp(text, "unsafe") != 0)
        return wrong(l, value, "unknown verdict, expected \"safe\" or \"unsafe\"");
    return true;
}

static bool read_version(struct loading *l, const struct sexpr *value)
{
    l->version = true;
    if (value->text == NULL || strcmp(value->text, CERTIFICATE_VERSION) != 0)
        return wrong(l, value,
                     "a certificate of another version, expected \"" CERTIFICATE_VERSION "\"");
    return true;
}

static bool read_trace_part(struct loading *l, const char *keyword, const struct sexpr *value)
{
    struct certificate *c = l->certificate;
    const struct sexpr **place = strcmp(keyword, ":start") == 0               ? &c->start
                                 : strcmp(keyword, ":initial") == 0           ? &c->initial
                                 : strcmp(keyword, ":divisions-by-zero") == 0 ? &c->divisions
                                                                              : NULL;
    bool step = strcmp(keyword, ":step") == 0;
    if (place == NULL && !step)
        return true;
    if (value->kind != SEXPR_LIST)
        return wrong(l, value, "expected a list");
    if (step)
        VECTOR_PUSH(&c->steps, value);
    else if (*place != NULL)
        return wrong(l, value, "this was said before");
    else
        *place = value;
    return true;
}

// 0: it is no number of steps.
static uint32_t steps_of(const struct sexpr *value)
{
    uint32_t steps = 0;
    const char *digit = value->kind == SEXPR_NUMERAL ? value->text : "";
    for (; *digit != '\0' && steps <= INDUCTION_MOST_STEPS; digit++)
        steps = 10 * steps + (uint32_t)(*digit - '0');
    return steps <= INDUCTION_MOST_STEPS ? steps : 0;
}

static bool read_steps(struct loading *l, const struct sexpr *value)
{
    struct induction_rule *rule = &l->certificate->rule;
    if (rule->steps != 0)
        return wrong(l, value, "this was said before");
    rule->steps = steps_of(value);
    return rule->steps != 0 || wrong(l, value, "expected a number of steps, from 1 to 100000");
}

static bool read_true(struct loading *l, const struct sexpr *value, bool *out)
{
    if (value->kind != SEXPR_SYMBOL || strcmp(value->text, "true") != 0)
        return wrong(l, value, "expected true");
    *out = true;
    return true;
}

static bool read_info(struct loading *l, const struct sexpr *e)
{
    if (e->count < 2 || e->child[1]->kind != SEXPR_KEYWORD)
        return wrong(l, e, "expected (set-info :keyword value)");
    if (e->count == 2)
        return true;
    const char *keyword = e->child[1]->text;
    const struct sexpr *value = e->child[2];
    if (strcmp(keyword, ":regatta-certificate") == 0)
        return read_version(l, value);
    if (strcmp(keyword, ":verdict") == 0)
        return read_verdict(l, value);
    if (strcmp(keyword, ":induction-steps") == 0)
        return read_steps(l, value);
    if (strcmp(keyword, ":distinct-states") == 0)
        return read_true(l, value, &l->certificate->rule.distinct);
    if (strcmp(keyword, ":runs-end") == 0)
        return read_true(l, value, &l->certificate->rule.ends);
    if (strcmp(keyword, ":rounds-left-out") == 0)
        return read_true(l, value, &l->certificate->skips);
    const char *solver = NULL;
    const char **field =
        strcmp(keyword, ":solver") == 0 ? &solver : header_field(&l->certificate->header, keyword);
    if (field == NULL)
        return read_trace_part(l, keyword, value);
    if (value->text == NULL)
        return wrong(l, value, "expected a text in quotes");
    *field = value->text;
    if (solver != NULL)
        VECTOR_PUSH(&l->certificate->solvers, solver);
    return true;
}

static bool read_command(struct loading *l, const struct sexpr *e)
{
    if (sexpr_is_call(e, "set-info", 0))
        return read_info(l, e);
    if (sexpr_is_call(e, "define-fun", 5)) {
        VECTOR_PUSH(&l->certificate->formulas, e);
        return true;
    }
    if (sexpr_is_call(e, "set-logic", 0) || sexpr_is_call(e, "set-option", 0) ||
        sexpr_is_call(e, "declare-datatype", 0))
        return true;
    return wrong(l, e, "expected set-info, declare-datatype or define-fun");
}

static bool load(struct loading *l, const char *text, size_t bytes)
{
    struct sexpr_reader reader = {.at = text, .end = text + bytes, .line = 1};
    struct text why;
    text_init(&why);
    const struct sexpr *e;
    enum sexpr_status status;
    bool good = true;
    while ((status = sexpr_read(&reader, &l->certificate->arena, &e, &why)) == SEXPR_READ)
        good = read_command(l, e) && good;
    if (status == SEXPR_WRONG)
        message_add(l->messages, MESSAGE_ERROR,
                    (struct position){l->path, reader.wrong_line, reader.wrong_column}, "%s",
                    text_string(&why));
    text_finish(&why);
    if (status == SEXPR_WRONG || !good)
        return false;
    if (l->version && l->verdict)
        return true;
    message_add(l->messages, MESSAGE_ERROR, (struct position){l->path, 0, 0},
                "this is no certificate: it does not say (set-info :%s …)",
                l->version ? "verdict" : "regatta-certificate");
    return false;
}

struct certificate *certificate_read(const char *path, const char *text, size_t bytes,
                                     struct messages *messages)
{
    struct certificate *certificate = memory_zalloc(sizeof *certificate);
    arena_init(&certificate->arena);
    certificate->header = (struct certificate_header){false, "", "", "", "", "", NULL, 0, ""};
    struct loading l = {path, certificate, messages, false, false};
    if (load(&l, text, bytes)) {
        certificate->header.solvers = certificate->solvers.data;
        certificate->header.solver_count = certificate->solvers.count;
        assert((certificate->start == NULL || certificate->start->kind == SEXPR_LIST) &&
               (certificate->initial == NULL || certificate->initial->kind == SEXPR_LIST) &&
               "the parts of a trace are lists");
        return certificate;
    }
    certificate_destroy(certificate);
    return NULL;
}

void certificate_destroy(struct certificate *certificate)
{
    if (certificate == NULL)
        return;
    VECTOR_FINISH(&certificate->formulas);
    VECTOR_FINISH(&certificate->steps);
    VECTOR_FINISH(&certificate->solvers);
    arena_finish(&certificate->arena);
    memory_free(certificate);
}

const struct certificate_header *certificate_header(const struct certificate *certificate)
{
    return &certificate->header;
}
