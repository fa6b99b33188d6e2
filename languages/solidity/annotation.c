#include "languages/solidity/annotation.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"

// A recursive descent over the text of one condition. Names are looked up from inside: locals that stand before the loop,
// parameters and results, then the contract's variables, base by base.

struct parser {
    struct sol_tree *tree;
    struct sol_types *types;
    struct messages *messages;
    const struct sol_node *contract, *function, *node;
    struct position at;
    const char *text, *next;
    bool failed;
    int depth;
};

static const struct sol_node *expression(struct parser *p);

static void complain(struct parser *p, enum message_kind kind, const char *what)
{
    if (!p->failed) {
        struct text shown;
        text_init(&shown);
        text_add_words(&shown, p->text, strlen(p->text), 100);
        message_add(p->messages, kind, p->at,
                    kind == MESSAGE_UNSUPPORTED ? "%s in the annotation `%s`"
                                                : "found %s in the annotation `%s`",
                    what, text_string(&shown));
        text_finish(&shown);
    }
    p->failed = true;
}

static void blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->next))
        p->next++;
}

static bool accept(struct parser *p, const char *operator)
{
    blanks(p);
    size_t length = strlen(operator);
    if (strncmp(p->next, operator, length) != 0)
        return false;
    char follows = p->next[length];
    if ((strcmp(operator, "<") == 0 || strcmp(operator, ">") == 0 || strcmp(operator, "!") == 0) &&
        follows == '=')
        return false;
    if (strcmp(operator, "==") == 0 && follows == '>')
        return false;
    p->next += length;
    return true;
}

static void expect(struct parser *p, const char *what)
{
    if (!accept(p, what)) {
        char words[60];
        blanks(p);
        snprintf(words, sizeof words, "`%.12s`, expected `%s`,", *p->next ? p->next : "the end",
                 what);
        complain(p, MESSAGE_ERROR, words);
    }
}

static struct sol_node *make(struct parser *p, enum sol_kind kind, const char *name,
                             const char *type)
{
    struct sol_node *node = arena_zalloc(&p->tree->arena, sizeof *node);
    *node = (struct sol_node){.kind = kind,
                              .name = name,
                              .type = type,
                              .common = "",
                              .word = "",
                              .unit = "",
                              .comment = ""};
    node->at = p->at;
    node->parent = p->node;
    node->file = p->node->file;
    node->start = p->node->start;
    return node;
}

static const struct sol_type *type_of(struct parser *p, const struct sol_node *node)
{
    return sol_node_type(p->types, node);
}

static const struct sol_node *in_list(const struct sol_node *list, const char *name)
{
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (list->list[i] != NULL && list->list[i]->kind == SOL_VARIABLE &&
            strcmp(list->list[i]->name, name) == 0)
            return list->list[i];
    return NULL;
}

// The last declaration of that name before the annotated loop, in a block around it.
static const struct sol_node *local(struct parser *p, const struct sol_node *tree, const char *name,
                                    const struct sol_node *best)
{
    if (tree == NULL || tree->start > p->node->start)
        return best;
    bool around = tree->start <= p->node->start && p->node->start < tree->start + tree->length;
    if (tree->kind == SOL_DECLARATION && (best == NULL || tree->start >= best->start)) {
        const struct sol_node *found = in_list(tree, name);
        return found != NULL ? found : best;
    }
    if (!around)
        return best;
    for (int i = 0; i < SOL_PARTS; i++)
        best = local(p, tree->part[i], name, best);
    for (size_t i = 0; i < tree->count; i++)
        best = local(p, tree->list[i], name, best);
    return best;
}

static const struct sol_node *in_contract(struct parser *p, enum sol_kind kind, const char *name)
{
    for (size_t b = 0; p->contract != NULL && b < p->contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(p->tree, p->contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++)
            if (base->list[i] != NULL && base->list[i]->kind == kind &&
                strcmp(base->list[i]->name, name) == 0)
                return base->list[i];
    }
    return NULL;
}

static const struct sol_node *find(struct parser *p, const char *name)
{
    const struct sol_node *found = NULL;
    if (p->function != NULL) {
        // A `for` declares its counter inside itself.
        if (p->node->kind == SOL_FOR && p->node->part[2] != NULL &&
            p->node->part[2]->kind == SOL_DECLARATION)
            found = in_list(p->node->part[2], name);
        if (found == NULL)
            found = local(p, p->function->part[2], name, NULL);
        if (found == NULL)
            found = in_list(p->function->part[0], name);
        if (found == NULL)
            found = in_list(p->function->part[1], name);
    }
    return found != NULL ? found : in_contract(p, SOL_VARIABLE, name);
}

static const char *word(struct parser *p)
{
    blanks(p);
    size_t length = 0;
    while (isalnum((unsigned char)p->next[length]) || p->next[length] == '_' ||
           p->next[length] == '$')
        length++;
    assert(p->next >= p->text && strlen(p->next) >= length);
    const char *text = arena_strndup(&p->tree->arena, p->next, length);
    p->next += length;
    return text;
}

static const char *elementary(struct parser *p, const char *name)
{
    if (strcmp(name, "uint") == 0)
        return "uint256";
    if (strcmp(name, "int") == 0)
        return "int256";
    if (strcmp(name, "byte") == 0)
        return "bytes1";
    const struct sol_type *type = sol_type_of(p->types, name);
    return sol_type_is_value(type) && strcmp(type->text, name) == 0 ? name : NULL;
}

static const struct sol_node *call(struct parser *p, const char *name)
{
    struct sol_node *node = make(p, SOL_CALL, "", "");
    struct sol_node *callee = make(p, SOL_IDENTIFIER, name, "");
    const char *type = elementary(p, name);
    const struct sol_node *argument = expression(p);
    expect(p, ")");
    if (p->failed)
        return node;
    node->list = arena_zalloc(&p->tree->arena, sizeof *node->list);
    node->list[node->count++] = argument;
    node->part[0] = callee;
    if (type != NULL) {
        callee->kind = SOL_ELEMENTARY;
        callee->type = node->type = type;
        node->flags = SOL_IS_CONVERSION;
    } else if (strcmp(name, "sum") == 0 || strcmp(name, "__verifier_sum_uint") == 0 ||
               strcmp(name, "__verifier_sum_int") == 0) {
        callee->name = "sum";
        node->type = "unbounded";
    } else if (strcmp(name, "old") == 0 || strncmp(name, "__verifier_old_", 15) == 0) {
        callee->name = "old";
        node->type = argument->type;
    } else {
        complain(p, MESSAGE_UNSUPPORTED, "a call of a function");
    }
    return node;
}

static const struct sol_node *name(struct parser *p)
{
    const char *text = word(p);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        struct sol_node *node = make(p, SOL_LITERAL, text, "bool");
        node->word = "bool";
        return node;
    }
    if (accept(p, "("))
        return call(p, text);
    const struct sol_node *found = find(p, text);
    struct sol_node *node = make(p, SOL_IDENTIFIER, text, "");
    const struct sol_node *enumeration = found != NULL ? NULL : in_contract(p, SOL_ENUM, text);
    if (found != NULL) {
        node->reference = found->id;
        node->type = found->type;
    } else if (enumeration != NULL) {
        node->reference = enumeration->id;
    } else if (strcmp(text, "this") == 0) {
        node->type = "address";
    } else if (strcmp(text, "now") == 0) {
        node->type = "uint256";
    } else if (strcmp(text, "msg") != 0 && strcmp(text, "block") != 0 && strcmp(text, "tx") != 0) {
        char words[120];
        snprintf(words, sizeof words, "the unknown name `%.80s`", text);
        complain(p, MESSAGE_ERROR, words);
    }
    return node;
}

static const struct sol_node *number(struct parser *p)
{
    struct sol_node *node = make(p, SOL_LITERAL, word(p), "int_const");
    node->word = "number";
    static const char *const units[] = {"wei",     "gwei",  "szabo", "finney", "ether", "seconds",
                                        "minutes", "hours", "days",  "weeks",  "years"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        blanks(p);
        size_t length = strlen(units[i]);
        if (strncmp(p->next, units[i], length) == 0 && !isalnum((unsigned char)p->next[length])) {
            node->unit = units[i];
            p->next += length;
        }
    }
    return node;
}

static const struct sol_node *primary(struct parser *p)
{
    blanks(p);
    if (++p->depth > 200) {
        complain(p, MESSAGE_ERROR, "more than 200 levels of nesting");
    }
    const struct sol_node *node;
    if (p->failed) {
        node = make(p, SOL_LITERAL, "0", "int_const");
    } else if (accept(p, "(")) {
        node = expression(p);
        expect(p, ")");
    } else if (isdigit((unsigned char)*p->next)) {
        node = number(p);
    } else if (isalpha((unsigned char)*p->next) || *p->next == '_') {
        node = name(p);
    } else {
        char words[60];
        snprintf(words, sizeof words, "`%.12s`, expected an operand,",
                 *p->next ? p->next : "the end");
        complain(p, MESSAGE_ERROR, words);
        node = make(p, SOL_LITERAL, "0", "int_const");
    }
    p->depth--;
    return node;
}

static const char *member_type(struct parser *p, const struct sol_node *base,
                               struct sol_node *member)
{
    const struct sol_type *type = type_of(p, base);
    const char *name = member->name;
    if (base->kind == SOL_IDENTIFIER && strcmp(base->name, "msg") == 0)
        return strcmp(name, "sender") == 0 ? "address" : "uint256";
    if (base->kind == SOL_IDENTIFIER &&
        (strcmp(base->name, "block") == 0 || strcmp(base->name, "tx") == 0))
        return strcmp(name, "origin") == 0 || strcmp(name, "coinbase") == 0 ? "address" : "uint256";
    if (strcmp(name, "balance") == 0 &&
        (type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT))
        return "uint256";
    if (strcmp(name, "length") == 0 && type->kind == SOL_T_ARRAY)
        return "uint256";
    if (type->kind == SOL_T_STRUCT) {
        const struct sol_node *found = in_list(type->node, name);
        member->reference = found != NULL ? found->id : 0;
        return found != NULL ? found->type : "";
    }
    const struct sol_node *owner = sol_tree_node(p->tree, base->reference);
    for (size_t i = 0; owner != NULL && owner->kind == SOL_ENUM && i < owner->count; i++)
        if (strcmp(owner->list[i]->name, name) == 0) {
            struct text words;
            text_init(&words);
            const struct sol_node *contract = sol_node_contract(owner);
            text_printf(&words, "enum %s%s%s", contract != NULL ? contract->name : "",
                        contract != NULL ? "." : "", owner->name);
            const char *kept = arena_strdup(&p->tree->arena, text_string(&words));
            text_finish(&words);
            member->reference = owner->list[i]->id;
            return kept;
        }
    return "";
}

static const struct sol_node *postfix(struct parser *p)
{
    const struct sol_node *base = primary(p);
    while (!p->failed) {
        if (accept(p, "[")) {
            const struct sol_type *type = type_of(p, base);
            if (type->kind != SOL_T_MAPPING && type->kind != SOL_T_ARRAY) {
                complain(p, MESSAGE_ERROR, "an index of what is no array or mapping");
                break;
            }
            struct sol_node *node = make(p, SOL_INDEX, "", type->value->text);
            node->part[0] = base;
            node->part[1] = expression(p);
            expect(p, "]");
            base = node;
        } else if (accept(p, ".")) {
            struct sol_node *node = make(p, SOL_MEMBER, word(p), "");
            node->part[0] = base;
            node->type = member_type(p, base, node);
            if (node->type[0] == '\0') {
                char words[120];
                snprintf(words, sizeof words, "the member `%.60s`", node->name);
                complain(p, MESSAGE_UNSUPPORTED, words);
            }
            base = node;
        } else {
            break;
        }
    }
    return base;
}

static const struct sol_node *unary(struct parser *p)
{
    const char *operator= accept(p, "!") ? "!" : accept(p, "-") ? "-" : NULL;
    if (operator== NULL)
        return postfix(p);
    if (++p->depth > 200)
        complain(p, MESSAGE_ERROR, "more than 200 levels of nesting");
    const struct sol_node *inner = p->failed ? make(p, SOL_LITERAL, "0", "int_const") : unary(p);
    p->depth--;
    struct sol_node *node = make(p, SOL_UNARY, operator, inner->type);
    node->flags = SOL_IS_PREFIX;
    node->part[0] = inner;
    return node;
}

// The wider of two types of numbers; constants take the other side's.
static const char *common(struct parser *p, const struct sol_node *a, const struct sol_node *b)
{
    const struct sol_type *s = type_of(p, a), *t = type_of(p, b);
    if (s->kind == SOL_T_CONSTANT && s->bits == 0)
        return b->type;
    if (t->kind == SOL_T_CONSTANT && t->bits == 0)
        return a->type;
    if (s->kind == SOL_T_CONSTANT || t->kind == SOL_T_CONSTANT)
        return "unbounded";
    if (sol_type_is_number(s) && sol_type_is_number(t))
        return s->bits >= t->bits ? a->type : b->type;
    return a->type;
}

static const struct sol_node *binary(struct parser *p, int level)
{
    static const char *const levels[][5] = {
        {"==>", "=>"},          {"||"},     {"&&"},          {"==", "!="},
        {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}, {"**"}};
    if (level == 8)
        return unary(p);
    const struct sol_node *left = binary(p, level + 1);
    while (!p->failed) {
        const char *operator= NULL;
        for (int i = 0; i < 5 && levels[level][i] != NULL && operator== NULL; i++)
            if (accept(p, levels[level][i]))
                operator= levels[level][i];
        if (operator== NULL)
            break;
        struct sol_node *node = make(p, SOL_BINARY, operator, "bool");
        const struct sol_node *right = level == 0 ? binary(p, 0) : binary(p, level + 1);
        node->part[0] = left;
        node->part[1] = right;
        node->common = common(p, left, right);
        if (level >= 5)
            node->type = node->common;
        if (level == 0) { // a implies b
            struct sol_node *not = make(p, SOL_UNARY, "!", "bool");
            not ->part[0] = left;
            node->part[0] = not ;
            node->name = "||";
        }
        left = node;
    }
    return left;
}

static const struct sol_node *expression(struct parser *p)
{
    if (++p->depth > 200)
        complain(p, MESSAGE_ERROR, "more than 200 levels of nesting");
    if (p->failed)
        return make(p, SOL_LITERAL, "0", "int_const");
    const struct sol_node *condition = binary(p, 0);
    if (accept(p, "?")) {
        struct sol_node *node = make(p, SOL_CONDITIONAL, "", "");
        node->part[0] = condition;
        node->part[1] = expression(p);
        expect(p, ":");
        node->part[2] = expression(p);
        node->type = common(p, node->part[1], node->part[2]);
        condition = node;
    }
    p->depth--;
    return condition;
}

static const struct sol_node *condition_of(struct parser *p, const char *text)
{
    p->text = p->next = text;
    const struct sol_node *node = expression(p);
    blanks(p);
    if (!p->failed && *p->next != '\0') {
        char words[60];
        snprintf(words, sizeof words, "`%.20s` behind the condition", p->next);
        complain(p, MESSAGE_ERROR, words);
    }
    if (!p->failed && type_of(p, node)->kind != SOL_T_BOOL)
        complain(p, MESSAGE_ERROR, "something that is no condition");
    return p->failed ? NULL : node;
}

bool sol_balance_is_annotated(const struct sol_tree *tree)
{
    const struct sol_node *all[512];
    size_t count = sol_tree_contracts(tree, all, 512);
    for (size_t i = 0; i < count && i < 512; i++)
        if (strstr(all[i]->comment, "invariant") != NULL &&
            strstr(all[i]->comment, ".balance") != NULL)
            return true;
    return false;
}

static const char *const WORDS[] = {"invariant", "precondition", "postcondition"};

static void read_kind(struct parser *p, const char *comment, enum sol_annotation_kind kind,
                      struct sol_annotations *out)
{
    const char *text;
    for (size_t k = 0; (text = sol_annotation(&p->tree->arena, comment, WORDS[kind], k)) != NULL;
         k++) {
        p->failed = false;
        p->depth = 0;
        const struct sol_node *condition = condition_of(p, text);
        out->wrong |= (condition == NULL);
        if (condition != NULL)
            out->data[out->count++] = (struct sol_annotation){kind, condition, text, p->at};
    }
}

static bool is_balance(const char *text)
{
    return strncmp(text, "address(this).balance", 21) == 0 ||
           strncmp(text, "this.balance", 12) == 0;
}

// x, x[i], x.f, each with `if E` behind it or without.
static void read_modified(struct parser *p, const char *text, struct sol_annotations *out)
{
    const char *condition = strstr(text, " if ");
    struct sol_annotation *a = &out->data[out->count];
    *a = (struct sol_annotation){.kind = SOL_MODIFIES, .text = text, .at = p->at};
    p->failed = false;
    p->depth = 0;
    p->text = p->next = text;
    if (!is_balance(text)) {
        const char *name = word(p);
        a->variable = in_contract(p, SOL_VARIABLE, name);
        blanks(p);
        a->whole = *p->next == '\0' || p->next == condition || p->next == condition + 1;
        if (a->variable == NULL)
            complain(p, MESSAGE_ERROR, "no state variable");
    }
    if (condition != NULL && !p->failed)
        a->condition = condition_of(p, condition + 4);
    out->wrong |= p->failed;
    out->count += !p->failed;
}

static void read_all_modified(struct parser *p, const char *comment, struct sol_annotations *out)
{
    const char *text;
    for (size_t k = 0; (text = sol_annotation(&p->tree->arena, comment, "modifies", k)) != NULL;
         k++)
        read_modified(p, text, out);
}

static void refuse_others(struct parser *p, const char *comment, struct sol_annotations *out)
{
    static const char *const unknown[] = {"emits", "specification"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        if (sol_annotation(&p->tree->arena, comment, unknown[i], 0) != NULL) {
            message_add(p->messages, MESSAGE_WARNING, p->at,
                        "the annotation `@notice %s` is not used: events are left out", unknown[i]);
        }
    (void)out;
}

struct sol_annotations sol_annotations_of(struct sol_tree *tree, struct sol_types *types,
                                          const struct sol_node *contract,
                                          const struct sol_node *node, struct messages *messages)
{
    struct parser p = {.tree = tree,
                       .types = types,
                       .messages = messages,
                       .contract = contract,
                       .node = node,
                       .at = node->at};
    bool loop = node->kind == SOL_WHILE || node->kind == SOL_FOR || node->kind == SOL_DO;
    for (const struct sol_node *n = node; n != NULL && p.function == NULL; n = n->parent)
        if (n->kind == SOL_FUNCTION || n->kind == SOL_MODIFIER)
            p.function = n;
    const char *comment = loop ? sol_comment_before(tree, node) : node->comment;
    struct sol_annotations out = {0};
    size_t most = 1;
    for (const char *at = comment; (at = strstr(at, "@notice")) != NULL; at++)
        most++;
    out.data = arena_zalloc(&tree->arena, most * sizeof *out.data);
    if (node->kind == SOL_FUNCTION) {
        read_kind(&p, comment, SOL_PRECONDITION, &out);
        read_kind(&p, comment, SOL_POSTCONDITION, &out);
        read_all_modified(&p, comment, &out);
        refuse_others(&p, comment, &out);
    } else {
        read_kind(&p, comment, SOL_INVARIANT, &out);
    }
    return out;
}
