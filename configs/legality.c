#include "configs/legality.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "configs/option_text.h"

enum rule_kind { RULE_EFFECT, RULE_LEGAL, RULE_SENSIBLE };

// The table of options.h; conditions are read at first use and live as long as the program.
static struct rule {
    const char *name;
    enum rule_kind kind;
    int option; // RULE_EFFECT
    const char *text;
    struct constraint *condition;
    const struct rule *next; // RULE_EFFECT: the next one of the same option
} rules[] = {
#define F(name, option, text) {name, RULE_EFFECT, option, text, NULL, NULL},
#define L(name, text) {name, RULE_LEGAL, -1, text, NULL, NULL},
#define S(name, text) {name, RULE_SENSIBLE, -1, text, NULL, NULL},
    OPTION_LEGAL(L) OPTION_EFFECTS(F) OPTION_SENSIBLE(S)
#undef F
#undef L
#undef S
};

enum { RULE_COUNT = sizeof rules / sizeof *rules, CHANGES_MOST = 6 };

static const struct rule *effects_of[OPTION_COUNT]; // the first one
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_rules(void)
{
    struct messages messages;
    messages_init(&messages);
    for (size_t i = 0; i < RULE_COUNT; i++)
        rules[i].condition = constraint_read(rules[i].text, (struct position){0}, &messages);
    assert(messages.count == 0);
    for (size_t i = 1; i < RULE_COUNT; i++) // legal ones come first: legality_holds, legality_count
        assert(rules[i].kind != RULE_LEGAL || rules[i - 1].kind == RULE_LEGAL);
    messages_finish(&messages);
    for (size_t i = RULE_COUNT; i-- > 0;) {
        if (rules[i].kind != RULE_EFFECT)
            continue;
        rules[i].next = effects_of[rules[i].option];
        effects_of[rules[i].option] = &rules[i];
    }
}

static const struct rule *all_rules(void)
{
    pthread_once(&once, read_rules);
    return rules;
}

static enum truth both(enum truth a, enum truth b)
{
    if (a == TRUTH_FALSE || b == TRUTH_FALSE)
        return TRUTH_FALSE;
    return a == TRUTH_UNKNOWN ? a : b;
}

enum truth legality_effect(enum option option, const int64_t *values, const bool *known)
{
    all_rules();
    enum truth all = TRUTH_TRUE;
    for (const struct rule *rule = effects_of[option]; rule && all != TRUTH_FALSE;
         rule = rule->next)
        all = both(all, constraint_truth(rule->condition, values, known));
    return all;
}

OPTION_SET legality_effect_options(enum option option)
{
    all_rules();
    OPTION_SET options = 0;
    for (const struct rule *rule = effects_of[option]; rule != NULL; rule = rule->next)
        options |= constraint_options(rule->condition);
    return options;
}

// The table begins with the legal rules.
enum truth legality_holds(OPTION_SET about, size_t without, const int64_t *values,
                          const bool *known)
{
    const struct rule *table = all_rules();
    enum truth all = TRUTH_TRUE;
    for (size_t i = 0; table[i].kind == RULE_LEGAL && all != TRUTH_FALSE; i++)
        if (i != without && constraint_options(table[i].condition) & about)
            all = both(all, constraint_truth(table[i].condition, values, known));
    return all;
}

size_t legality_count(void)
{
    size_t count = 0;
    while (count < RULE_COUNT && rules[count].kind == RULE_LEGAL)
        count++;
    return count;
}

OPTION_SET legality_options(void)
{
    OPTION_SET options = 0;
    for (const struct rule *rule = all_rules(); rule < rules + RULE_COUNT; rule++)
        if (rule->kind == RULE_LEGAL)
            options |= constraint_options(rule->condition);
    return options;
}

static int64_t standard_of(int option)
{
    return option_describe((enum option)option)->standard;
}

static bool is_broken(const struct rule *rule, const int64_t *values)
{
    if (rule->kind == RULE_EFFECT && values[rule->option] == standard_of(rule->option))
        return false;
    return constraint_truth(rule->condition, values, NULL) == TRUTH_FALSE;
}

// The nearest legal combination. What breaks a rule is mended only by changing one of the options
// that the rule speaks of, so trying these, one change more each time, finds the fewest.

static bool mend(int64_t *values, OPTION_SET kept, unsigned changes);

static bool try_value(int64_t *values, OPTION_SET kept, unsigned changes, int option, int64_t value)
{
    int64_t before = values[option];
    if (value == before)
        return false;
    values[option] = value;
    if (mend(values, kept | OPTION_BIT(option), changes - 1))
        return true;
    values[option] = before;
    return false;
}

static bool try_option(int64_t *values, OPTION_SET kept, unsigned changes, int option,
                       const struct rule *rule)
{
    if (try_value(values, kept, changes, option, standard_of(option)))
        return true;
    if (rule->kind == RULE_EFFECT && rule->option == option)
        return false;
    if (option_describe((enum option)option)->type == OPTION_TYPE_ENUM) {
        for (int v = 0; v < OPTION_VALUE_COUNT; v++)
            if (option_value_option(v) == (enum option)option &&
                try_value(values, kept, changes, option, v))
                return true;
        return false;
    }
    int64_t value;
    for (size_t i = 0; constraint_value(rule->condition, option, i, &value); i++)
        if (try_value(values, kept, changes, option, value))
            return true;
    return false;
}

static bool mend(int64_t *values, OPTION_SET kept, unsigned changes)
{
    const struct rule *broken = NULL;
    for (const struct rule *rule = all_rules(); rule < rules + RULE_COUNT && broken == NULL; rule++)
        if (rule->kind != RULE_SENSIBLE && is_broken(rule, values))
            broken = rule;
    if (broken == NULL)
        return true;
    if (changes == 0)
        return false;
    OPTION_SET options = constraint_options(broken->condition);
    if (broken->kind == RULE_EFFECT)
        options |= OPTION_BIT(broken->option);
    options &= ~kept;
    // First what had its default and was perhaps not even thought of; last the option that has no effect.
    for (int turn = 0; turn < 3; turn++)
        for (int o = 0; o < OPTION_COUNT; o++)
            if (options >> o & 1 &&
                turn == (o == broken->option ? 2 : values[o] != standard_of(o)) &&
                try_option(values, kept, changes, o, broken))
                return true;
    return false;
}

bool legality_mend(int64_t values[OPTION_COUNT], OPTION_SET kept)
{
    for (unsigned changes = 0; changes <= CHANGES_MOST; changes++)
        if (mend(values, kept, changes))
            return true;
    return false;
}

// Messages.

static void add_nearest(struct text *out, const int64_t *values)
{
    int64_t mended[OPTION_COUNT];
    memcpy(mended, values, sizeof mended);
    if (!legality_mend(mended, 0))
        return;
    const char *before = "; nearest legal: ";
    for (int o = 0; o < OPTION_COUNT; o++) {
        if (mended[o] == values[o])
            continue;
        text_printf(out, "%s%s=", before, option_describe((enum option)o)->name);
        option_print_value(out, (enum option)o, mended[o]);
        text_add(out, " instead of ");
        option_print_value(out, (enum option)o, values[o]);
        before = ", ";
    }
}

// "maxenum, search have an effect with …": the lines of one rule from `i` on; returns the line behind.
static size_t add_effects(struct text *out, size_t i, const int64_t *values)
{
    const char *name = rules[i].name, *text = rules[i].text;
    unsigned count = 0;
    for (; i < RULE_COUNT && rules[i].kind == RULE_EFFECT && strcmp(rules[i].name, name) == 0; i++)
        if (is_broken(&rules[i], values))
            text_printf(out, "%s%s", count++ ? ", " : "",
                        option_describe((enum option)rules[i].option)->name);
    text_printf(out, " %s an effect with %s only", count > 1 ? "have" : "has", text);
    return i;
}

// "a needs b" of "a -> b".
static void add_need(struct text *out, const char *text)
{
    const char *arrow = strstr(text, " -> ");
    assert(arrow != NULL);
    text_printf(out, "%.*s needs %s", (int)(arrow - text), text, arrow + 4);
}

static size_t report(const struct configuration *configuration, const int64_t *values, size_t i,
                     struct messages *messages)
{
    const struct rule *rule = &rules[i];
    size_t next = i + 1;
    struct text text;
    text_init(&text);
    if (rule->kind == RULE_EFFECT)
        next = add_effects(&text, i, values);
    else
        add_need(&text, rule->text);
    if (rule->kind == RULE_SENSIBLE)
        text_add(&text, " to be sensible");
    text_printf(&text, " (rule \"%s\")", rule->name);
    if (rule->kind != RULE_SENSIBLE)
        add_nearest(&text, values);
    message_add(messages, rule->kind == RULE_SENSIBLE ? MESSAGE_WARNING : MESSAGE_ERROR,
                configuration->source, "configuration \"%s\": %s", configuration->name,
                text_string(&text));
    text_finish(&text);
    assert(next > i);
    return next;
}

bool configuration_check(const struct configuration *configuration, struct messages *messages)
{
    size_t errors = messages->errors;
    const int64_t *values = configuration->values;
    all_rules();
    for (size_t i = 0; i < RULE_COUNT;)
        i = is_broken(&rules[i], values) ? report(configuration, values, i, messages) : i + 1;
    return messages->errors == errors;
}
