#include "languages/solidity/tree.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

// One row a kind of node: which members of the compiler's object go where.

struct shape {
    const char *word;
    enum sol_kind kind;
    const char *name; // the member that `name` comes from
    const char *part[SOL_PARTS];
    const char *list, *more;
};

static const struct shape SHAPES[] = {
    {"SourceUnit", SOL_UNIT, NULL, {NULL}, "nodes", NULL},
    {"PragmaDirective", SOL_PRAGMA, NULL, {NULL}, NULL, NULL},
    {"ImportDirective", SOL_IMPORT, NULL, {NULL}, NULL, NULL},
    {"ContractDefinition", SOL_CONTRACT, "name", {NULL}, "nodes", "baseContracts"},
    {"InheritanceSpecifier", SOL_INHERITANCE, NULL, {"baseName"}, "arguments", NULL},
    {"UsingForDirective", SOL_USING, NULL, {"libraryName", "typeName"}, NULL, NULL},
    {"StructDefinition", SOL_STRUCT, "name", {NULL}, "members", NULL},
    {"EnumDefinition", SOL_ENUM, "name", {NULL}, "members", NULL},
    {"EnumValue", SOL_ENUM_VALUE, "name", {NULL}, NULL, NULL},
    {"EventDefinition", SOL_EVENT, "name", {NULL}, NULL, NULL},
    {"ErrorDefinition", SOL_ERROR, "name", {NULL}, NULL, NULL},
    {"ModifierDefinition", SOL_MODIFIER, "name", {"parameters", NULL, "body"}, NULL, NULL},
    {"FunctionDefinition",
     SOL_FUNCTION,
     "name",
     {"parameters", "returnParameters", "body"},
     "modifiers",
     NULL},
    {"VariableDeclaration", SOL_VARIABLE, "name", {"typeName", "value"}, NULL, NULL},
    {"ParameterList", SOL_PARAMETERS, NULL, {NULL}, "parameters", NULL},
    {"ModifierInvocation", SOL_INVOCATION, NULL, {"modifierName"}, "arguments", NULL},
    {"ElementaryTypeName", SOL_TYPE_NAME, "name", {NULL}, NULL, NULL},
    {"UserDefinedTypeName", SOL_TYPE_NAME, "name", {"pathNode"}, NULL, NULL},
    {"FunctionTypeName", SOL_TYPE_NAME, NULL, {NULL}, NULL, NULL},
    {"ArrayTypeName", SOL_TYPE_NAME, NULL, {"baseType", "length"}, NULL, NULL},
    {"Mapping", SOL_TYPE_NAME, NULL, {"keyType", "valueType"}, NULL, NULL},
    {"Block", SOL_BLOCK, NULL, {NULL}, "statements", NULL},
    {"UncheckedBlock", SOL_UNCHECKED, NULL, {NULL}, "statements", NULL},
    {"VariableDeclarationStatement", SOL_DECLARATION, NULL, {"initialValue"}, "declarations", NULL},
    {"VariableDefinitionStatement", SOL_DECLARATION, NULL, {"initialValue"}, "declarations", NULL},
    {"ExpressionStatement", SOL_EXPRESSION_STATEMENT, NULL, {"expression"}, NULL, NULL},
    {"IfStatement", SOL_IF, NULL, {"condition", "trueBody", "falseBody"}, NULL, NULL},
    {"WhileStatement", SOL_WHILE, NULL, {"condition", "body"}, NULL, NULL},
    {"DoWhileStatement", SOL_DO, NULL, {"condition", "body"}, NULL, NULL},
    {"ForStatement",
     SOL_FOR,
     NULL,
     {"condition", "body", "initializationExpression", "loopExpression"},
     NULL,
     NULL},
    {"Break", SOL_BREAK, NULL, {NULL}, NULL, NULL},
    {"Continue", SOL_CONTINUE, NULL, {NULL}, NULL, NULL},
    {"Return", SOL_RETURN, NULL, {"expression"}, NULL, NULL},
    {"Throw", SOL_THROW, NULL, {NULL}, NULL, NULL},
    {"EmitStatement", SOL_EMIT, NULL, {"eventCall"}, NULL, NULL},
    {"RevertStatement", SOL_REVERT, NULL, {"errorCall"}, NULL, NULL},
    {"PlaceholderStatement", SOL_PLACEHOLDER, NULL, {NULL}, NULL, NULL},
    {"InlineAssembly", SOL_ASSEMBLY, NULL, {NULL}, NULL, NULL},
    {"TryStatement", SOL_TRY, NULL, {"externalCall"}, "clauses", NULL},
    {"TryCatchClause", SOL_CATCH, "errorName", {"parameters", "block"}, NULL, NULL},
    {"Assignment", SOL_ASSIGNMENT, "operator", {"leftHandSide", "rightHandSide"}, NULL, NULL},
    {"BinaryOperation", SOL_BINARY, "operator", {"leftExpression", "rightExpression"}, NULL, NULL},
    {"UnaryOperation", SOL_UNARY, "operator", {"subExpression"}, NULL, NULL},
    {"Conditional",
     SOL_CONDITIONAL,
     NULL,
     {"condition", "trueExpression", "falseExpression"},
     NULL,
     NULL},
    {"FunctionCall", SOL_CALL, NULL, {"expression"}, "arguments", NULL},
    {"FunctionCallOptions", SOL_CALL_OPTIONS, NULL, {"expression"}, "options", NULL},
    {"NewExpression", SOL_NEW, NULL, {"typeName"}, NULL, NULL},
    {"MemberAccess", SOL_MEMBER, "memberName", {"expression"}, NULL, NULL},
    {"IndexAccess", SOL_INDEX, NULL, {"baseExpression", "indexExpression"}, NULL, NULL},
    {"Identifier", SOL_IDENTIFIER, "name", {NULL}, NULL, NULL},
    {"IdentifierPath", SOL_IDENTIFIER, "name", {NULL}, NULL, NULL},
    {"Literal", SOL_LITERAL, "value", {NULL}, NULL, NULL},
    {"TupleExpression", SOL_TUPLE, NULL, {NULL}, "components", NULL},
    {"ElementaryTypeNameExpression", SOL_ELEMENTARY, NULL, {NULL}, NULL, NULL},
    {"UserDefinedValueTypeDefinition", SOL_VALUE_TYPE, "name", {"underlyingType"}, NULL, NULL},
    {"IndexRangeAccess",
     SOL_SLICE,
     NULL,
     {"baseExpression", "startExpression", "endExpression"},
     NULL,
     NULL},
};

struct reader {
    struct sol_tree *tree;
    struct messages *messages;
    const char *main, *folder; // the main file, and its folder with the slash; "" = none
    unsigned file;             // of the unit being read
};

static const cJSON *member(const cJSON *json, const char *name)
{
    const cJSON *found = name != NULL ? cJSON_GetObjectItemCaseSensitive(json, name) : NULL;
    return found != NULL && !cJSON_IsNull(found) ? found : NULL;
}

static const char *word_of(struct reader *reader, const cJSON *json, const char *name)
{
    const cJSON *found = member(json, name);
    return cJSON_IsString(found) ? arena_strdup(&reader->tree->arena, found->valuestring) : "";
}

static long number_of(const cJSON *json, const char *name)
{
    const cJSON *found = member(json, name);
    if (!cJSON_IsNumber(found) || found->valuedouble < 0 || found->valuedouble > INT_MAX)
        return 0; // the compiler gives its own names (msg, now) numbers beyond or below those of the tree
    return (long)found->valuedouble;
}

static bool is_true(const cJSON *json, const char *name)
{
    return cJSON_IsTrue(member(json, name));
}

static const struct shape *shape_of(const char *word)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++)
        if (strcmp(SHAPES[i].word, word) == 0)
            return &SHAPES[i];
    return NULL;
}

struct position sol_tree_position(const struct sol_tree *tree, unsigned file, unsigned offset)
{
    if (file >= tree->file_count || tree->files[file].text == NULL)
        return (struct position){NULL, 0, 0};
    const struct sol_file *f = &tree->files[file];
    size_t low = 0, high = f->line_count; // the last line that begins at or before the offset
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(f->lines[middle] <= offset ? &low : &high) = middle;
    }
    assert(low < f->line_count && f->lines[low] <= offset);
    return (struct position){f->path, (unsigned)low + 1, offset - f->lines[low] + 1};
}

static struct sol_node *read_node(struct reader *reader, const cJSON *json,
                                  const struct sol_node *parent);

static const struct sol_node **read_list(struct reader *reader, const cJSON *array, size_t *count,
                                         const struct sol_node *parent)
{
    *count = 0;
    if (!cJSON_IsArray(array))
        return NULL;
    size_t length = (size_t)cJSON_GetArraySize(array);
    const struct sol_node **list = arena_zalloc(&reader->tree->arena, (length + 1) * sizeof *list);
    for (const cJSON *item = array->child; item != NULL; item = item->next)
        list[(*count)++] = read_node(reader, item, parent);
    assert(*count == length);
    return list;
}

static void read_names(struct reader *reader, struct sol_node *node, const cJSON *array)
{
    if (!cJSON_IsArray(array))
        return;
    size_t length = (size_t)cJSON_GetArraySize(array);
    node->names = arena_zalloc(&reader->tree->arena, (length + 1) * sizeof *node->names);
    for (const cJSON *item = array->child; item != NULL; item = item->next)
        if (cJSON_IsString(item))
            node->names[node->name_count++] = arena_strdup(&reader->tree->arena, item->valuestring);
}

static void read_order(struct reader *reader, struct sol_node *node, const cJSON *array)
{
    if (!cJSON_IsArray(array))
        return;
    size_t length = (size_t)cJSON_GetArraySize(array);
    node->order = arena_zalloc(&reader->tree->arena, (length + 1) * sizeof *node->order);
    for (const cJSON *item = array->child; item != NULL; item = item->next)
        if (cJSON_IsNumber(item))
            node->order[node->order_count++] = (long)item->valuedouble;
}

// One { declaration, src }, also under the name that it has in the assembly (compilers before 0.6).
static void read_mention(struct sol_node *node, const cJSON *mention)
{
    unsigned start = 0;
    const cJSON *source = member(mention, "src");
    if (source == NULL && mention->child != NULL) {
        mention = mention->child;
        source = member(mention, "src");
    }
    if (!cJSON_IsString(source) || sscanf(source->valuestring, "%u", &start) != 1)
        return;
    node->order[node->order_count++] = number_of(mention, "declaration");
    node->order[node->order_count++] = (long)start;
}

static void read_mentions(struct reader *reader, struct sol_node *node, const cJSON *array)
{
    if (!cJSON_IsArray(array))
        return;
    size_t length = (size_t)cJSON_GetArraySize(array);
    node->order = arena_zalloc(&reader->tree->arena, (2 * length + 1) * sizeof *node->order);
    for (const cJSON *item = array->child; item != NULL; item = item->next)
        if (cJSON_IsObject(item))
            read_mention(node, item);
    assert(node->order_count <= 2 * length && node->order_count % 2 == 0);
}

static void read_source(struct reader *reader, struct sol_node *node, const cJSON *json)
{
    const cJSON *source = member(json, "src");
    unsigned start = 0, length = 0;
    node->file = reader->file;
    if (cJSON_IsString(source) && sscanf(source->valuestring, "%u:%u", &start, &length) == 2) {
        node->start = start;
        node->length = length;
    }
    node->at = sol_tree_position(reader->tree, node->file, node->start);
}

static unsigned flags_of(const cJSON *json, struct sol_node *node, const char *kind)
{
    unsigned flags = 0;
    const cJSON *mutability = member(json, "stateMutability");
    const char *state = cJSON_IsString(mutability) ? mutability->valuestring : "";
    flags |= is_true(json, "stateVariable") ? SOL_IS_STATE : 0;
    flags |= is_true(json, "constant") ? SOL_IS_CONSTANT : 0;
    flags |= is_true(json, "payable") || strcmp(state, "payable") == 0 ? SOL_IS_PAYABLE : 0;
    flags |= strcmp(state, "view") == 0 || strcmp(state, "pure") == 0 ? SOL_IS_VIEW : 0;
    const cJSON *lasting = member(json, "mutability");
    if (cJSON_IsString(lasting) && strcmp(lasting->valuestring, "immutable") == 0)
        flags |= SOL_IS_IMMUTABLE;
    flags |= is_true(json, "prefix") ? SOL_IS_PREFIX : 0;
    flags |= is_true(json, "isInlineArray") ? SOL_IS_INLINE_ARRAY : 0;
    if (node->kind == SOL_FUNCTION) {
        flags |= is_true(json, "isConstructor") || strcmp(kind, "constructor") == 0
                     ? SOL_IS_CONSTRUCTOR
                     : 0;
        flags |= strcmp(kind, "fallback") == 0 || strcmp(kind, "receive") == 0 ||
                         (node->name[0] == '\0' && !(flags & SOL_IS_CONSTRUCTOR) &&
                          strcmp(kind, "freeFunction") != 0)
                     ? SOL_IS_FALLBACK
                     : 0;
        flags |= strcmp(kind, "receive") == 0 ? SOL_IS_RECEIVE : 0;
    }
    if (node->kind == SOL_CALL) {
        flags |= strcmp(kind, "typeConversion") == 0 ? SOL_IS_CONVERSION : 0;
        flags |= strcmp(kind, "structConstructorCall") == 0 ? SOL_IS_STRUCT_MAKER : 0;
    }
    if (node->kind == SOL_CONTRACT) {
        const cJSON *sort = member(json, "contractKind");
        const char *word = cJSON_IsString(sort) ? sort->valuestring : "";
        const cJSON *whole = cJSON_GetObjectItemCaseSensitive(json, "fullyImplemented");
        flags |= strcmp(word, "library") == 0 ? SOL_IS_LIBRARY : 0;
        flags |= strcmp(word, "interface") == 0 ? SOL_IS_INTERFACE : 0;
        flags |= cJSON_IsFalse(whole) || is_true(json, "abstract") ? SOL_IS_ABSTRACT : 0;
    }
    return flags;
}

static const char *read_type(struct reader *reader, const cJSON *json, const char *name)
{
    const cJSON *type = member(json, name);
    return type != NULL ? word_of(reader, type, "typeString") : "";
}

// The compiler's words for a declaration's type leave out where it lives; those of expressions tell.
static const char *place_of(const struct sol_node *variable)
{
    const char *word = variable->word, *type = variable->type;
    size_t length = strlen(type);
    bool refers = (length > 0 && type[length - 1] == ']') || strncmp(type, "struct ", 7) == 0 ||
                  strcmp(type, "string") == 0 || strcmp(type, "bytes") == 0;
    if (!refers)
        return "";
    if (variable->flags & SOL_IS_STATE)
        return " storage ref";
    if (strcmp(word, "memory") == 0 || strcmp(word, "calldata") == 0)
        return " memory";
    if (strcmp(word, "storage") == 0)
        return " storage pointer";
    if (variable->parent == NULL)
        return "";
    return variable->parent->kind == SOL_PARAMETERS    ? " memory"
           : variable->parent->kind == SOL_DECLARATION ? " storage pointer"
                                                       : "";
}

static const char *joined(struct reader *reader, const char *a, const char *b)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s%s", a, b);
    const char *kept = arena_strdup(&reader->tree->arena, text_string(&text));
    text_finish(&text);
    return kept;
}

static const char *read_comment(struct reader *reader, const cJSON *json)
{
    const cJSON *comment = member(json, "documentation");
    return cJSON_IsObject(comment) ? word_of(reader, comment, "text")
                                   : word_of(reader, json, "documentation");
}

static void keep_node(struct sol_tree *tree, const struct sol_node *node)
{
    if (node->id <= 0 || node->id > 10000000)
        return;
    if ((size_t)node->id >= tree->node_count) {
        size_t count = 2 * (size_t)node->id + 64;
        tree->nodes = memory_realloc(tree->nodes, count * sizeof *tree->nodes);
        memset(tree->nodes + tree->node_count, 0, (count - tree->node_count) * sizeof *tree->nodes);
        tree->node_count = count;
    }
    assert((size_t)node->id < tree->node_count);
    tree->nodes[node->id] = node;
}

// Literals whose text the compiler does not give (not UTF-8) have their bytes in hexadecimal: name = "", unit = the digits.
static void read_literal(struct reader *reader, struct sol_node *node, const cJSON *json)
{
    node->word = word_of(reader, json, "kind");
    node->unit = word_of(reader, json, "subdenomination");
    if (strcmp(node->word, "number") != 0 && strcmp(node->word, "bool") != 0)
        node->unit = word_of(reader, json, "hexValue");
}

static void read_parts(struct reader *reader, struct sol_node *node, const struct shape *shape,
                       const cJSON *json)
{
    for (int i = 0; i < SOL_PARTS; i++) {
        const cJSON *part = member(json, shape->part[i]);
        if (cJSON_IsObject(part) && member(part, "nodeType") != NULL)
            node->part[i] = read_node(reader, part, node);
    }
    if (shape->list != NULL)
        node->list = read_list(reader, member(json, shape->list), &node->count, node);
    if (shape->more != NULL)
        node->more = read_list(reader, member(json, shape->more), &node->more_count, node);
    read_names(reader, node, member(json, "names"));
    if (node->kind == SOL_CONTRACT)
        read_order(reader, node, member(json, "linearizedBaseContracts"));
    if (node->kind == SOL_ASSEMBLY)
        read_mentions(reader, node, member(json, "externalReferences"));
}

static struct sol_node *read_node(struct reader *reader, const cJSON *json,
                                  const struct sol_node *parent)
{
    const cJSON *word = member(json, "nodeType");
    if (!cJSON_IsString(word))
        return NULL; // a gap in a tuple
    struct sol_node *node = arena_zalloc(&reader->tree->arena, sizeof *node);
    const struct shape *shape = shape_of(word->valuestring);
    node->parent = parent;
    node->id = number_of(json, "id");
    node->reference = number_of(json, "referencedDeclaration");
    node->scope = number_of(json, "scope");
    node->kind = shape != NULL ? shape->kind : SOL_OTHER;
    node->name = shape != NULL ? word_of(reader, json, shape->name)
                               : arena_strdup(&reader->tree->arena, word->valuestring);
    node->type = read_type(reader, json, "typeDescriptions");
    node->common = read_type(reader, json, "commonType");
    node->word =
        word_of(reader, json, node->kind == SOL_VARIABLE ? "storageLocation" : "visibility");
    node->unit = node->kind == SOL_FUNCTION   ? word_of(reader, json, "functionSelector")
                 : node->kind == SOL_VARIABLE ? word_of(reader, json, "visibility")
                                              : "";
    if (node->kind == SOL_BINARY || node->kind == SOL_UNARY)
        node->reference = number_of(json, "function");
    node->comment = read_comment(reader, json);
    read_source(reader, node, json);
    const cJSON *kind = member(json, "kind");
    node->flags = flags_of(json, node, cJSON_IsString(kind) ? kind->valuestring : "");
    keep_node(reader->tree, node);
    if (node->kind == SOL_VARIABLE && place_of(node)[0] != '\0')
        node->type = joined(reader, node->type, place_of(node));
    if (node->kind == SOL_LITERAL)
        read_literal(reader, node, json);
    if (shape != NULL)
        read_parts(reader, node, shape, json);
    // A constructor of old is a function with the contract's name.
    if (node->kind == SOL_FUNCTION && parent != NULL && parent->kind == SOL_CONTRACT &&
        node->name[0] != '\0' && strcmp(node->name, parent->name) == 0 && reader->tree->minor < 5)
        node->flags |= SOL_IS_CONSTRUCTOR;
    return node;
}

// Positions in models outlive the tree: paths of imported files are kept for the program's life, each once.
static const char *keep_path(const char *path)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct kept {
        struct kept *next;
        char path[];
    } * all;
    // Allocating may jump away: not with the lock.
    struct kept *found, *fresh = memory_alloc(sizeof *fresh + strlen(path) + 1);
    memcpy(fresh->path, path, strlen(path) + 1);
    pthread_mutex_lock(&lock);
    for (found = all; found != NULL && strcmp(found->path, path) != 0;)
        found = found->next;
    if (found == NULL) {
        fresh->next = all;
        found = all = fresh;
        fresh = NULL;
    }
    pthread_mutex_unlock(&lock);
    memory_free(fresh);
    return found->path;
}

static const char *shown_path(struct reader *reader, const char *path)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s%s", reader->folder, path);
    const char *kept = strcmp(text_string(&text), reader->main) == 0
                           ? reader->main
                           : keep_path(text_string(&text));
    text_finish(&text);
    return kept;
}

static void find_lines(struct sol_tree *tree, struct sol_file *file)
{
    file->line_count = 1;
    for (const char *c = file->text; (c = strchr(c, '\n')) != NULL; c++)
        file->line_count++;
    file->lines = arena_zalloc(&tree->arena, file->line_count * sizeof *file->lines);
    size_t line = 0;
    for (const char *c = file->text; (c = strchr(c, '\n')) != NULL; c++)
        file->lines[++line] = (unsigned)(c + 1 - file->text);
    assert(line + 1 == file->line_count);
}

static void read_files(struct reader *reader, const cJSON *files)
{
    struct sol_tree *tree = reader->tree;
    tree->file_count = (size_t)cJSON_GetArraySize(files);
    tree->files = arena_zalloc(&tree->arena, (tree->file_count + 1) * sizeof *tree->files);
    size_t i = 0;
    for (const cJSON *file = files->child; file != NULL; file = file->next, i++) {
        if (!cJSON_IsObject(file))
            continue;
        tree->files[i].path = shown_path(reader, word_of(reader, file, "path"));
        tree->files[i].text = word_of(reader, file, "text");
        tree->files[i].bytes = strlen(tree->files[i].text);
        find_lines(tree, &tree->files[i]);
    }
    i = 0;
    for (const cJSON *file = files->child; file != NULL; file = file->next, i++) {
        reader->file = (unsigned)i;
        const cJSON *unit = member(file, "tree");
        if (unit != NULL)
            tree->files[i].unit = read_node(reader, unit, NULL);
    }
}

static void report(struct reader *reader, const char *main, const cJSON *m)
{
    const cJSON *text = member(m, "text"), *line = member(m, "line"), *column = member(m, "column");
    const char *file = word_of(reader, m, "file");
    struct position at = {
        file[0] != '\0' && strcmp(file, main) != 0 ? shown_path(reader, file) : main, 0, 0};
    if (cJSON_IsNumber(line) && cJSON_IsNumber(column)) {
        at.line = (unsigned)line->valuedouble;
        at.column = (unsigned)column->valuedouble;
    }
    struct text words;
    text_init(&words);
    const char *what = cJSON_IsString(text) ? text->valuestring : "no tree";
    text_add_words(&words, what, strlen(what), 300);
    message_add(reader->messages, MESSAGE_ERROR, at, "%s", text_string(&words));
    text_finish(&words);
}

struct sol_tree *sol_tree_parse(const char *path, const char *json, struct messages *messages)
{
    cJSON *answer = cJSON_Parse(json);
    if (answer == NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                    "the compiler's syntax tree cannot be read (it is nested too deeply, or the "
                    "compiler gave up)");
        return NULL;
    }
    struct sol_tree *tree = memory_zalloc(sizeof *tree);
    arena_init(&tree->arena);
    struct reader reader = {.tree = tree, .messages = messages};
    const char *slash = strrchr(path, '/');
    reader.folder =
        slash != NULL ? arena_strndup(&tree->arena, path, (size_t)(slash - path) + 1) : "";
    reader.main = path;
    tree->compiler = word_of(&reader, answer, "compiler");
    tree->minor = strlen(tree->compiler) > 2 ? (unsigned)atoi(tree->compiler + 2) : 0;
    size_t failures = messages->errors;
    const cJSON *error = member(answer, "error"), *files = member(answer, "files");
    if (cJSON_IsString(error)) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0}, "%s",
                    error->valuestring);
    } else {
        if (cJSON_IsArray(files))
            read_files(&reader, files);
        const cJSON *list = member(answer, "messages");
        for (const cJSON *m = list != NULL ? list->child : NULL; m != NULL; m = m->next)
            report(&reader, path, m);
        if (messages->errors == failures && (!tree->file_count || !tree->node_count))
            message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                        "the compiler gave no syntax tree");
        if (messages->errors == failures)
            sol_tree_check(tree, path, messages);
    }
    cJSON_Delete(answer);
    if (messages->errors == failures) {
        ENSURE(tree->file_count > 0 && tree->node_count > 0);
        return tree;
    }
    sol_tree_destroy(tree);
    return NULL;
}

void sol_tree_destroy(struct sol_tree *tree)
{
    if (tree == NULL)
        return;
    memory_free(tree->nodes);
    arena_finish(&tree->arena);
    memory_free(tree);
}

const struct sol_node *sol_tree_node(const struct sol_tree *tree, long id)
{
    const struct sol_node *node = id > 0 && (size_t)id < tree->node_count ? tree->nodes[id] : NULL;
    ENSURE(node == NULL || node->id == id);
    return node;
}

static bool is_magic(const struct sol_tree *tree, const struct sol_node *node, const char *base)
{
    const struct sol_node *of = node->kind == SOL_MEMBER ? node->part[0] : NULL;
    return of != NULL && of->kind == SOL_IDENTIFIER && strcmp(of->name, base) == 0 &&
           sol_tree_node(tree, of->reference) == NULL;
}

void sol_surrounding_name(const struct sol_node *node, char *out, size_t bytes)
{
    assert(node->kind == SOL_MEMBER && node->part[0] != NULL);
    const char *name = strcmp(node->name, "difficulty") == 0 ? "prevrandao" : node->name;
    snprintf(out, bytes, "%.20s.%.60s", node->part[0]->name, name);
}

static bool is_surrounding(const struct sol_tree *tree, const struct sol_node *node)
{
    static const char *const own[] = {"sender",    "value",  "sig", "data",
                                      "timestamp", "number", "gas"};
    if (!is_magic(tree, node, "msg") && !is_magic(tree, node, "block") &&
        !is_magic(tree, node, "tx"))
        return false;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(node->name, own[i]) == 0)
            return false;
    return strncmp(node->type, "function", 8) != 0; // block.blockhash(…) of old
}

size_t sol_tree_surroundings(const struct sol_tree *tree, const struct sol_node **out,
                             size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < tree->node_count && count < capacity; i++) {
        if (tree->nodes[i] == NULL || !is_surrounding(tree, tree->nodes[i]))
            continue;
        char name[100], other[100];
        bool known = false;
        sol_surrounding_name(tree->nodes[i], name, sizeof name);
        for (size_t k = 0; k < count && !known; k++) {
            sol_surrounding_name(out[k], other, sizeof other);
            known = strcmp(name, other) == 0;
        }
        if (!known)
            out[count++] = tree->nodes[i];
    }
    return count;
}

bool sol_tree_reads(const struct sol_tree *tree, const char *base, const char *name)
{
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i] != NULL && tree->nodes[i]->kind == SOL_MEMBER &&
            strcmp(tree->nodes[i]->name, name) == 0 &&
            (base == NULL || is_magic(tree, tree->nodes[i], base)))
            return true;
    return false;
}

size_t sol_tree_contracts(const struct sol_tree *tree, const struct sol_node **out, size_t capacity)
{
    size_t count = 0;
    for (size_t f = 0; f < tree->file_count; f++) {
        const struct sol_node *unit = tree->files[f].unit;
        for (size_t i = 0; unit != NULL && i < unit->count; i++)
            if (unit->list[i] != NULL && unit->list[i]->kind == SOL_CONTRACT && count++ < capacity)
                out[count - 1] = unit->list[i];
    }
    return count;
}

const struct sol_node *sol_tree_contract(const struct sol_tree *tree, const char *name)
{
    const struct sol_node *all[512];
    size_t count = sol_tree_contracts(tree, all, 512);
    for (size_t i = 0; i < count && i < 512; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

long sol_exponent(const char *text)
{
    const long most = 5000;
    bool negative = *text == '-';
    long exponent = 0;
    for (text += negative || *text == '+'; isdigit((unsigned char)*text) || *text == '_'; text++)
        if (*text != '_' && exponent < most)
            exponent = 10 * exponent + (*text - '0');
    exponent = exponent < most ? exponent : most;
    return negative ? -exponent : exponent;
}

bool sol_node_is_open(const struct sol_node *member)
{
    const char *word = member->kind == SOL_VARIABLE ? member->unit : member->word;
    return strcmp(word, "public") == 0 || strcmp(word, "external") == 0;
}

const struct sol_node *sol_node_without_options(const struct sol_node *callee)
{
    while (callee != NULL && callee->kind == SOL_CALL_OPTIONS)
        callee = callee->part[0];
    return callee;
}

bool sol_node_is_self(const struct sol_tree *tree, const struct sol_node *node)
{
    while (
        node != NULL && node->count == 1 && node->list[0] != NULL &&
        (node->kind == SOL_TUPLE || (node->kind == SOL_CALL && (node->flags & SOL_IS_CONVERSION))))
        node = node->list[0];
    return node != NULL && node->kind == SOL_IDENTIFIER && strcmp(node->name, "this") == 0 &&
           sol_tree_node(tree, node->reference) == NULL;
}

const struct sol_node *sol_node_contract(const struct sol_node *node)
{
    while (node != NULL && node->kind != SOL_CONTRACT)
        node = node->parent;
    return node;
}

const char *sol_annotation(struct arena *arena, const char *comment, const char *word, size_t k)
{
    size_t length = strlen(word);
    for (const char *at = comment; (at = strstr(at, "@notice")) != NULL;) {
        at += strlen("@notice");
        at += strspn(at, " \t\r\n*");
        if (strncmp(at, word, length) != 0 || !isspace((unsigned char)at[length]))
            continue;
        at += length;
        at += strspn(at, " \t");
        if (k-- > 0)
            continue;
        const char *end = strchr(at, '@');
        char *text =
            end != NULL ? arena_strndup(arena, at, (size_t)(end - at)) : arena_strdup(arena, at);
        for (char *c = text; *c; c++)
            if (*c == '\n' || *c == '\r' ||
                (*c == '*' && (c == text || c[-1] == ' ') && c[1] == ' ' &&
                 strchr(c, '\n') != NULL))
                *c = ' ';
        return text;
    }
    return NULL;
}

// Comments and blanks directly before an offset, walking backwards over whole comments.
const char *sol_comment_before(struct sol_tree *tree, const struct sol_node *node)
{
    assert(node->file < tree->file_count && tree->files[node->file].text != NULL);
    const struct sol_file *file = &tree->files[node->file];
    const char *begin = file->text,
               *at = begin + (node->start < file->bytes ? node->start : file->bytes), *end = at;
    while (true) {
        while (at > begin && isspace((unsigned char)at[-1]))
            at--;
        if (at - begin >= 2 && at[-1] == '/' && at[-2] == '*') {
            const char *open = at - 2;
            while (open > begin && !(open[0] == '/' && open[1] == '*'))
                open--;
            at = open;
            continue;
        }
        const char *line = at;
        while (line > begin && line[-1] != '\n')
            line--;
        const char *text = line + strspn(line, " \t");
        if (text + 2 > at || strncmp(text, "//", 2) != 0)
            break;
        at = line;
    }
    assert(begin <= at && at <= end);
    char *comment = arena_strndup(&tree->arena, at, (size_t)(end - at));
    static const char *const marks[] = {"///", "/**", "*/", "//", "/*"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        for (char *c = comment; (c = strstr(c, marks[i])) != NULL;)
            memset(c, ' ', strlen(marks[i]));
    return comment;
}
