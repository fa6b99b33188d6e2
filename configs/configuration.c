#include "configs/configuration.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "configs/option_text.h"

void configuration_init(struct configuration *configuration, const char *name)
{
    *configuration = (struct configuration){
        .name = memory_strdup(name),
        .engine = memory_strdup(option_engine_name(0)),
        .description = memory_strdup(""),
    };
    for (int i = 0; i < OPTION_COUNT; i++)
        configuration->values[i] = option_describe(i)->standard;
    configuration_seal(configuration);
}

void configuration_finish(struct configuration *configuration)
{
    memory_free(configuration->name);
    memory_free(configuration->engine);
    memory_free(configuration->description);
    memory_free((char *)configuration->source.path);
    *configuration = (struct configuration){0};
}

void configuration_copy(struct configuration *to, const struct configuration *from)
{
    *to = *from;
    to->name = memory_strdup(from->name);
    to->engine = memory_strdup(from->engine);
    to->description = memory_strdup(from->description);
    to->source.path = from->source.path ? memory_strdup(from->source.path) : NULL;
}

void configuration_seal(struct configuration *configuration)
{
    // Names, not numbers: a new option value must not change old fingerprints.
    struct hash128 h = hash128_add_text(hash128_seed(0xc0f16), configuration->engine);
    for (int i = 0; i < OPTION_COUNT; i++) {
        h = hash128_add_text(h, option_describe(i)->name);
        struct text value;
        text_init(&value);
        option_print_value(&value, i, configuration->values[i]);
        h = hash128_add_text(h, text_string(&value));
        text_finish(&value);
    }
    configuration->fingerprint = h;
}

void configuration_print(struct text *out, const struct configuration *configuration, bool all)
{
    text_printf(out, "engine=%s", configuration->engine);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_description *option = option_describe(i);
        if (!all && configuration->values[i] == option->standard)
            continue;
        text_printf(out, " %s=", option->name);
        option_print_value(out, i, configuration->values[i]);
    }
}

// What a text sets, before it is known that all of it is good.
struct setting_text {
    int64_t values[OPTION_COUNT];
    bool given[OPTION_COUNT];
    const char *engine; // of option_engine_name; NULL = not given
};

static void parse_engine(struct setting_text *s, const char *value, struct messages *messages)
{
    struct position nowhere = {0};
    if (s->engine)
        message_add(messages, MESSAGE_ERROR, nowhere, "engine is given twice");
    s->engine = option_read_engine(value, nowhere, messages);
}

static void parse_item(struct setting_text *s, char *item, struct messages *messages)
{
    struct position nowhere = {0};
    char *equals = strchr(item, '=');
    if (!equals) {
        message_add(messages, MESSAGE_ERROR, nowhere, "found \"%s\", expected option=value", item);
        return;
    }
    *equals = '\0';
    if (strcasecmp(item, "engine") == 0) {
        parse_engine(s, equals + 1, messages);
        return;
    }
    int option = option_find(item);
    if (option < 0) {
        option_unknown(item, NULL, 0, nowhere, messages);
        return;
    }
    if (s->given[option])
        message_add(messages, MESSAGE_ERROR, nowhere, "%s is given twice", item);
    s->given[option] = true;
    option_read_text(option, equals + 1, nowhere, &s->values[option], messages);
}

bool configuration_parse(struct configuration *configuration, const char *text,
                         struct messages *messages)
{
    size_t before = messages->errors;
    struct setting_text s = {0};
    char *copy = memory_strdup(text), *rest = copy;
    for (char *item; (item = strsep(&rest, ", \t\n")) != NULL;)
        if (*item)
            parse_item(&s, item, messages);
    memory_free(copy);
    if (messages->errors != before)
        return false;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (s.given[i])
            configuration->values[i] = s.values[i];
    if (s.engine) {
        memory_free(configuration->engine);
        configuration->engine = memory_strdup(s.engine);
    }
    configuration_seal(configuration);
    return true;
}

// Legal combinations.

static bool is(const struct configuration *c, enum option option, int64_t value)
{
    return c->values[option] == value;
}

static bool changed(const struct configuration *c, enum option option)
{
    return c->values[option] != option_describe(option)->standard;
}

static bool explicit_domain(const struct configuration *c)
{
    return is(c, OPTION_DOMAIN, DOMAIN_EXPL);
}

static bool product_domain(const struct configuration *c)
{
    return is(c, OPTION_DOMAIN, DOMAIN_EXPL_PRED_CART) ||
           is(c, OPTION_DOMAIN, DOMAIN_EXPL_PRED_BOOL) ||
           is(c, OPTION_DOMAIN, DOMAIN_EXPL_PRED_SPLIT) ||
           is(c, OPTION_DOMAIN, DOMAIN_EXPL_PRED_COMBINED);
}

static bool breaks_unsat_core(const struct configuration *c)
{
    return is(c, OPTION_REFINEMENT, REFINEMENT_UNSAT_CORE) && !explicit_domain(c);
}

static bool breaks_allvars(const struct configuration *c)
{
    return is(c, OPTION_INITPREC, INITPREC_ALLVARS) && !explicit_domain(c) && !product_domain(c);
}

static bool breaks_allassumes(const struct configuration *c)
{
    return is(c, OPTION_INITPREC, INITPREC_ALLASSUMES) && explicit_domain(c);
}

static bool breaks_maxenum(const struct configuration *c)
{
    return changed(c, OPTION_MAXENUM) && !explicit_domain(c) && !product_domain(c);
}

static bool breaks_predsplit(const struct configuration *c)
{
    return changed(c, OPTION_PREDSPLIT) && explicit_domain(c);
}

static bool breaks_autoexpl(const struct configuration *c)
{
    return changed(c, OPTION_AUTOEXPL) && !product_domain(c);
}

static bool breaks_autoexplvalues(const struct configuration *c)
{
    return changed(c, OPTION_AUTOEXPL_VALUES) &&
           !(product_domain(c) && is(c, OPTION_AUTOEXPL, AUTOEXPL_VALUES));
}

static bool breaks_forward(const struct configuration *c)
{
    return is(c, OPTION_REFINEMENT, REFINEMENT_FW_BIN_ITP) && !is(c, OPTION_PRUNE, PRUNE_FULL);
}

static bool breaks_weights(const struct configuration *c)
{
    return (changed(c, OPTION_WEIGHT_DISTANCE) || changed(c, OPTION_WEIGHT_DEPTH)) &&
           !is(c, OPTION_SEARCH, SEARCH_WEIGHTED);
}

static bool breaks_multi(const struct configuration *c)
{
    return is(c, OPTION_REFINEMENT, REFINEMENT_MULTI_SEQ) && !is(c, OPTION_STOP, STOP_ALL);
}

static bool breaks_stop_count(const struct configuration *c)
{
    return changed(c, OPTION_STOP_COUNT) && !is(c, OPTION_STOP, STOP_N);
}

static bool engine_is(const struct configuration *c, const char *name)
{
    return strcmp(c->engine, name) == 0;
}

// Options that only cegar looks at.
static bool breaks_cegar_only(const struct configuration *c)
{
    static const enum option options[] = {
        OPTION_DOMAIN,     OPTION_INITPREC,     OPTION_GRANULARITY,     OPTION_SEARCH,
        OPTION_STOP,       OPTION_REFINEMENT,   OPTION_PREDSPLIT,       OPTION_PRUNE,
        OPTION_MAXENUM,    OPTION_STOP_COUNT,   OPTION_WEIGHT_DISTANCE, OPTION_WEIGHT_DEPTH,
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (changed(c, options[i]))
            return !engine_is(c, "cegar");
    return false;
}

static bool breaks_bounded_only(const struct configuration *c)
{
    return (changed(c, OPTION_BOUND) || changed(c, OPTION_SIMPLE_PATH)) &&
           !engine_is(c, "bmc") && !engine_is(c, "kind");
}

static bool breaks_cubes(const struct configuration *c)
{
    return changed(c, OPTION_CUBES) && !engine_is(c, "ic3");
}

static bool breaks_aux(const struct configuration *c)
{
    return changed(c, OPTION_AUXILIARY) && !engine_is(c, "kind");
}

static const struct {
    const char *name;
    enum message_kind kind;
    bool (*broken)(const struct configuration *configuration);
    const char *text;
} rules[] = {
    {"unsat-core", MESSAGE_ERROR, breaks_unsat_core, "refinement UNSAT_CORE needs domain EXPL"},
    {"allvars", MESSAGE_ERROR, breaks_allvars, "initprec ALLVARS needs domain EXPL or a product"},
    {"allassumes", MESSAGE_ERROR, breaks_allassumes,
     "initprec ALLASSUMES needs a domain of predicates"},
    {"maxenum", MESSAGE_ERROR, breaks_maxenum,
     "maxenum has an effect with domain EXPL and products only"},
    {"predsplit", MESSAGE_ERROR, breaks_predsplit,
     "predsplit has an effect with domains of predicates only"},
    {"multi", MESSAGE_ERROR, breaks_multi, "refinement MULTI_SEQ needs stop ALL"},
    {"weights", MESSAGE_ERROR, breaks_weights,
     "wE and wD have an effect with search WEIGHTED only"},
    {"stopcount", MESSAGE_ERROR, breaks_stop_count, "stopcount has an effect with stop N only"},
    {"autoexpl", MESSAGE_ERROR, breaks_autoexpl, "autoexpl has an effect with products only"},
    {"autoexplvalues", MESSAGE_ERROR, breaks_autoexplvalues,
     "autoexplvalues has an effect with products and autoexpl VALUES only"},
    {"cegar", MESSAGE_ERROR, breaks_cegar_only,
     "domain, initprec, precgranularity, search, stop, refinement, predsplit, prunestrategy, maxenum, "
     "stopcount, wE and wD have an effect with engine cegar only"},
    {"bounded", MESSAGE_ERROR, breaks_bounded_only,
     "bound and simplepath have an effect with engines bmc and kind only"},
    {"cubes", MESSAGE_ERROR, breaks_cubes, "cubes has an effect with engine ic3 only"},
    {"aux", MESSAGE_ERROR, breaks_aux, "aux has an effect with engine kind only"},
    {"forward", MESSAGE_WARNING, breaks_forward,
     "refinement FW_BIN_ITP is sensible with prunestrategy FULL only"},
};

bool configuration_check(const struct configuration *configuration, struct messages *messages)
{
    bool good = true;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!rules[i].broken(configuration))
            continue;
        message_add(messages, rules[i].kind, configuration->source,
                    "configuration \"%s\": %s (rule \"%s\")", configuration->name, rules[i].text,
                    rules[i].name);
        good = good && rules[i].kind != MESSAGE_ERROR;
    }
    return good;
}
