#include "languages/registry/task_definition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/budget.h"
#include "base/memory.h"
#include "base/text.h"

// BenchExec task definitions, read as a YAML document: `format_version`, `input_files` (one file)
// and `properties` (a list of `property_file` with `expected_verdict`). Other keys are for other
// programs and are left alone.

struct reader {
    const char *path;
    yaml_document_t document;
    struct messages *messages;
};

static struct position at_mark(const struct reader *reader, yaml_mark_t mark)
{
    return (struct position){reader->path, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

static struct position at_node(const struct reader *reader, const yaml_node_t *node)
{
    return at_mark(reader, node->start_mark);
}

static const char *describe(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE     ? "a single value"
           : node->type == YAML_SEQUENCE_NODE ? "a list"
           : node->type == YAML_MAPPING_NODE  ? "a mapping"
                                              : "nothing";
}

static bool complain(const struct reader *reader, const yaml_node_t *node, const char *expected)
{
    if (node->type == YAML_SCALAR_NODE)
        message_add(reader->messages, MESSAGE_ERROR, at_node(reader, node),
                    "found `%.60s`, expected %s", (const char *)node->data.scalar.value, expected);
    else
        message_add(reader->messages, MESSAGE_ERROR, at_node(reader, node), "found %s, expected %s",
                    describe(node), expected);
    return false;
}

// The text of a scalar; NULL for other nodes and for texts with NULs inside.
static const char *scalar(const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

// The value of a key of a mapping; the first when it is there more than once, which is an error.
static yaml_node_t *find(struct reader *reader, const yaml_node_t *mapping, const char *key)
{
    yaml_node_t *found = NULL;
    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(&reader->document, pair->key);
        const char *text = name != NULL ? scalar(name) : NULL;
        if (text == NULL || strcmp(text, key) != 0)
            continue;
        if (found != NULL)
            message_add(reader->messages, MESSAGE_ERROR, at_node(reader, name),
                        "found `%s` a second time, expected it once", key);
        else
            found = yaml_document_get_node(&reader->document, pair->value);
    }
    return found;
}

static yaml_node_t *find_required(struct reader *reader, const yaml_node_t *mapping,
                                  const char *key)
{
    yaml_node_t *found = find(reader, mapping, key);
    if (found == NULL)
        message_add(reader->messages, MESSAGE_ERROR, at_node(reader, mapping),
                    "found no `%s`, expected it in the task definition", key);
    return found;
}

static char *resolve(const struct reader *reader, const char *file)
{
    const char *slash = strrchr(reader->path, '/');
    if (file[0] == '/' || slash == NULL)
        return memory_strdup(file);
    struct text text;
    text_init(&text);
    text_add_bytes(&text, reader->path, (size_t)(slash - reader->path) + 1);
    text_add(&text, file);
    return text_steal(&text);
}

static bool read_version(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *node = find_required(reader, root, "format_version");
    if (node == NULL)
        return false;
    const char *version = scalar(node);
    if (version == NULL)
        return complain(reader, node, "the format version '1.0' or '2.0'");
    if (strcmp(version, "1.0") == 0 || strcmp(version, "2.0") == 0)
        return true;
    message_add(reader->messages, MESSAGE_UNSUPPORTED, at_node(reader, node),
                "task definitions of format version `%.20s` (known are 1.0 and 2.0)", version);
    return false;
}

static bool read_input_files(struct reader *reader, const yaml_node_t *root,
                             struct task_definition *out)
{
    const yaml_node_t *node = find_required(reader, root, "input_files");
    if (node == NULL)
        return false;
    if (node->type == YAML_SEQUENCE_NODE) {
        const yaml_node_item_t *first = node->data.sequence.items.start;
        if (node->data.sequence.items.top - first > 1) {
            message_add(reader->messages, MESSAGE_UNSUPPORTED, at_node(reader, node),
                        "tasks of more than one input file");
            return false;
        }
        if (node->data.sequence.items.top == first)
            return complain(reader, node, "the name of the model's file in it");
        node = yaml_document_get_node(&reader->document, *first);
    }
    const char *file = scalar(node);
    if (file == NULL || file[0] == '\0')
        return complain(reader, node, "the name of the model's file");
    out->model_path = resolve(reader, file);
    return true;
}

static bool read_verdict(struct reader *reader, const yaml_node_t *property,
                         struct task_definition *out)
{
    const yaml_node_t *node = find(reader, property, "expected_verdict");
    if (node == NULL)
        return true;
    const char *verdict = scalar(node);
    if (verdict != NULL && strcasecmp(verdict, "true") == 0)
        out->expected = EXPECTED_SAFE;
    else if (verdict != NULL && strcasecmp(verdict, "false") == 0)
        out->expected = EXPECTED_UNSAFE;
    else if (verdict == NULL || strcasecmp(verdict, "unknown") != 0)
        return complain(reader, node, "`true`, `false` or `unknown`");
    return true;
}

#define PROPERTY_ENDINGS ".prp, .prop, .ctl, .ltl, .xml, .txt"

// A definition may come from a stranger, and messages about a property quote from it: a file that is something else is left
// alone. What is behind a link counts.
static bool is_property_file(const char *path)
{
    static const char *const endings[] = {".prp", ".prop", ".ctl", ".ltl", ".xml", ".txt"};
    char *real = realpath(path, NULL);
    const char *dot = strrchr(real != NULL ? real : path, '.');
    bool found = false;
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof endings[0]; i++)
        found = found || strcmp(dot, endings[i]) == 0;
    free(real);
    return found;
}

static bool read_properties(struct reader *reader, const yaml_node_t *root,
                            struct task_definition *out)
{
    const yaml_node_t *list = find(reader, root, "properties");
    if (list == NULL)
        return true;
    if (list->type != YAML_SEQUENCE_NODE)
        return complain(reader, list, "a list of properties");
    const yaml_node_item_t *first = list->data.sequence.items.start;
    if (list->data.sequence.items.top == first)
        return true;
    const yaml_node_t *property = yaml_document_get_node(&reader->document, *first);
    if (property->type != YAML_MAPPING_NODE)
        return complain(reader, property, "a mapping with `property_file`");
    if (list->data.sequence.items.top - first > 1)
        message_add(reader->messages, MESSAGE_NOTE, at_node(reader, list),
                    "the task has several properties, the first one is used");
    const yaml_node_t *file = find_required(reader, property, "property_file");
    if (file == NULL)
        return false;
    const char *name = scalar(file);
    if (name == NULL || name[0] == '\0')
        return complain(reader, file, "the name of the property's file");
    out->property_path = resolve(reader, name);
    if (!is_property_file(out->property_path))
        return complain(reader, file, "a property's file (" PROPERTY_ENDINGS ")");
    return read_verdict(reader, property, out);
}

static bool read_document(struct reader *reader, struct task_definition *out)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
    if (root == NULL) {
        message_add(reader->messages, MESSAGE_ERROR, (struct position){reader->path, 1, 1},
                    "found an empty file, expected a task definition");
        return false;
    }
    if (root->type != YAML_MAPPING_NODE)
        return complain(reader, root, "a task definition");
    size_t errors = reader->messages->errors;
    bool version = read_version(reader, root);
    bool inputs = read_input_files(reader, root, out);
    const yaml_node_t *options = find(reader, root, "options");
    const yaml_node_t *dm = options != NULL && options->type == YAML_MAPPING_NODE
                                ? find(reader, options, "data_model")
                                : NULL;
    if (dm != NULL && scalar(dm) != NULL)
        out->wide = strcmp(scalar(dm), "LP64") == 0;
    return read_properties(reader, root, out) && version && inputs &&
           reader->messages->errors == errors;
}

static void report_syntax(const struct reader *reader, const yaml_parser_t *parser)
{
    // Errors of the encoding come with an offset only.
    struct position at = parser->error == YAML_READER_ERROR ? (struct position){reader->path, 0, 0}
                                                            : at_mark(reader, parser->problem_mark);
    message_add(reader->messages, MESSAGE_ERROR, at, "this is not YAML: %s",
                parser->problem != NULL ? parser->problem : "unknown problem");
}

// libyaml looks at all open brackets for each further word. A task definition needs two or three.
enum { MOST_BRACKETS = 10000 };

static bool has_few_brackets(struct reader *reader, const char *text, size_t bytes)
{
    struct position at = {reader->path, 1, 0};
    size_t brackets = 0;
    for (size_t i = 0; i < bytes; i++) {
        at.line += text[i] == '\n';
        brackets += text[i] == '[' || text[i] == '{';
        if (brackets <= MOST_BRACKETS)
            continue;
        message_add(reader->messages, MESSAGE_ERROR, at,
                    "found more than %d brackets, expected a task definition", MOST_BRACKETS);
        return false;
    }
    return true;
}

// What libyaml has not yet got. It takes long for some inputs, and this is where it can be ended.
struct rest {
    const char *text;
    size_t bytes;
};

static int give_piece(void *context, unsigned char *buffer, size_t size, size_t *given)
{
    enum { PIECE = 1024 };
    struct rest *rest = context;
    budget_look_now();
    size_t bytes = size < PIECE ? size : PIECE;
    if (bytes > rest->bytes)
        bytes = rest->bytes;
    memcpy(buffer, rest->text, bytes);
    rest->text += bytes;
    rest->bytes -= bytes;
    *given = bytes;
    return 1;
}

static bool parse(struct reader *reader, const char *text, size_t bytes,
                  struct task_definition *out)
{
    yaml_parser_t parser;
    if (!has_few_brackets(reader, text, bytes))
        return false;
    if (!yaml_parser_initialize(&parser)) {
        message_add(reader->messages, MESSAGE_ERROR, (struct position){reader->path, 0, 0},
                    "out of memory");
        return false;
    }
    struct rest rest = {text, bytes};
    yaml_parser_set_input(&parser, give_piece, &rest);
    bool good = false;
    if (yaml_parser_load(&parser, &reader->document)) {
        good = read_document(reader, out);
        yaml_document_delete(&reader->document);
    } else {
        report_syntax(reader, &parser);
    }
    yaml_parser_delete(&parser);
    return good;
}

bool task_definition_read(const char *path, struct task_definition *out, struct messages *messages)
{
    *out = (struct task_definition){.path = memory_strdup(path)};
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    if (text == NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                    "the file cannot be read: %s", text_read_error(errno));
        task_definition_finish(out);
        return false;
    }
    struct reader reader = {.path = path, .messages = messages};
    bool good = parse(&reader, text, bytes, out);
    memory_free(text);
    if (!good)
        task_definition_finish(out);
    return good;
}

void task_definition_finish(struct task_definition *task)
{
    memory_free(task->path);
    memory_free(task->model_path);
    memory_free(task->property_path);
    *task = (struct task_definition){0};
}
