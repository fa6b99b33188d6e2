#include "languages/programs/witness_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

struct reading {
    struct witness *witness;
    yaml_document_t document;
    struct messages *messages;
    bool failed;
};

static struct position place_of(const struct reading *r, const yaml_node_t *node)
{
    return (struct position){r->witness->path, (unsigned)node->start_mark.line + 1,
                             (unsigned)node->start_mark.column + 1};
}

static const char *kind_of(const yaml_node_t *node)
{
    return node->type == YAML_MAPPING_NODE    ? "a mapping"
           : node->type == YAML_SEQUENCE_NODE ? "a list"
                                              : "a text";
}

static void wrong(struct reading *r, const yaml_node_t *node, const char *expected)
{
    if (!r->failed)
        message_add(r->messages, MESSAGE_ERROR, place_of(r, node), "found %s, expected %s",
                    kind_of(node), expected);
    r->failed = true;
}

static yaml_node_t *node_at(struct reading *r, int index)
{
    return yaml_document_get_node(&r->document, index);
}

static const char *text_of(struct reading *r, const yaml_node_t *node)
{
    if (node == NULL || node->type != YAML_SCALAR_NODE ||
        memchr(node->data.scalar.value, 0, node->data.scalar.length) != NULL)
        return NULL;
    return arena_strndup(&r->witness->arena, (const char *)node->data.scalar.value,
                         node->data.scalar.length);
}

// NULL when the mapping has no such key.
static yaml_node_t *find(struct reading *r, const yaml_node_t *map, const char *key)
{
    if (map == NULL || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *name = node_at(r, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0)
            return node_at(r, pair->value);
    }
    return NULL;
}

static yaml_node_t *need(struct reading *r, const yaml_node_t *map, const char *key,
                         yaml_node_type_t type)
{
    char message[100];
    yaml_node_t *found = find(r, map, key);
    if (found != NULL && found->type == type)
        return found;
    snprintf(message, sizeof message, "%s `%s`%s",
             type == YAML_MAPPING_NODE    ? "the mapping"
             : type == YAML_SEQUENCE_NODE ? "the list"
                                          : "the text",
             key, found == NULL ? " in it" : "");
    wrong(r, found != NULL ? found : map, message);
    return NULL;
}

static const char *need_text(struct reading *r, const yaml_node_t *map, const char *key)
{
    const yaml_node_t *node = need(r, map, key, YAML_SCALAR_NODE);
    const char *text = text_of(r, node);
    if (text == NULL && node != NULL)
        wrong(r, node, "a text without NUL");
    return text == NULL ? "" : text;
}

static unsigned need_number(struct reading *r, const yaml_node_t *map, const char *key)
{
    const char *text = need_text(r, map, key);
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (!r->failed &&
        (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > 100000000))
        wrong(r, find(r, map, key), "a number");
    return (unsigned)value;
}

static struct witness_place read_place(struct reading *r, const yaml_node_t *map)
{
    struct witness_place place = {.file = ""};
    const yaml_node_t *location = need(r, map, "location", YAML_MAPPING_NODE);
    if (location == NULL)
        return place;
    place.file = need_text(r, location, "file_name");
    place.line = need_number(r, location, "line");
    if (find(r, location, "column") != NULL)
        place.column = need_number(r, location, "column");
    if (find(r, location, "function") != NULL)
        place.function = need_text(r, location, "function");
    return place;
}

static void read_waypoint(struct reading *r, const yaml_node_t *item, struct segment *segment)
{
    static const char *const types[] = {"assumption", "branching", "function_enter",
                                        "function_return", "target"};
    struct waypoint w = {0};
    const yaml_node_t *map = need(r, item, "waypoint", YAML_MAPPING_NODE);
    if (map == NULL)
        return;
    const char *type = need_text(r, map, "type"), *action = need_text(r, map, "action");
    int number = -1;
    for (int i = 0; i < 5; i++)
        number = strcmp(types[i], type) == 0 ? i : number;
    if (number < 0 && !r->failed)
        wrong(r, find(r, map, "type"),
              "assumption, branching, function_enter, function_return or target");
    w.avoid = strcmp(action, "avoid") == 0;
    if (!w.avoid && strcmp(action, "follow") != 0 && !r->failed)
        wrong(r, find(r, map, "action"), "follow or avoid");
    w.type = (enum waypoint_type)(number < 0 ? 0 : number);
    w.at = place_of(r, map);
    w.place = read_place(r, map);
    const yaml_node_t *constraint = find(r, map, "constraint");
    if (constraint != NULL)
        w.constraint = need_text(r, constraint, "value");
    struct {
        struct waypoint *data;
        size_t count, capacity;
    } all = {segment->waypoints, segment->count, segment->capacity};
    VECTOR_PUSH(&all, w);
    *segment = (struct segment){all.data, all.count, all.capacity};
}

static void read_segment(struct reading *r, const yaml_node_t *item)
{
    struct segment segment = {0};
    const yaml_node_t *list = need(r, item, "segment", YAML_SEQUENCE_NODE);
    for (yaml_node_item_t *i = list == NULL ? NULL : list->data.sequence.items.start;
         list != NULL && i < list->data.sequence.items.top && !r->failed; i++)
        read_waypoint(r, node_at(r, *i), &segment);
    for (size_t i = 0; i < segment.count && !r->failed; i++) {
        if (segment.waypoints[i].avoid != (i + 1 < segment.count)) {
            message_add(r->messages, MESSAGE_ERROR, segment.waypoints[i].at,
                        "found `%s`, expected waypoints to avoid and then one to follow",
                        segment.waypoints[i].avoid ? "avoid" : "follow");
            r->failed = true;
        }
    }
    if (segment.count == 0 && !r->failed)
        wrong(r, item, "a segment with a waypoint");
    struct {
        struct segment *data;
        size_t count, capacity;
    } all = {r->witness->segments, r->witness->segment_count, r->witness->segment_capacity};
    VECTOR_PUSH(&all, segment);
    r->witness->segments = all.data;
    r->witness->segment_count = all.count;
    r->witness->segment_capacity = all.capacity;
}

static void read_invariant(struct reading *r, const yaml_node_t *item)
{
    const yaml_node_t *map = need(r, item, "invariant", YAML_MAPPING_NODE);
    if (map == NULL)
        return;
    struct witness_invariant invariant = {.at = place_of(r, map)};
    const char *type = need_text(r, map, "type");
    invariant.loop = strcmp(type, "loop_invariant") == 0;
    if (!invariant.loop && strcmp(type, "location_invariant") != 0 && !r->failed)
        wrong(r, find(r, map, "type"), "loop_invariant or location_invariant");
    invariant.place = read_place(r, map);
    invariant.value = need_text(r, map, "value");
    struct {
        struct witness_invariant *data;
        size_t count, capacity;
    } all = {r->witness->invariants, r->witness->invariant_count, r->witness->invariant_capacity};
    VECTOR_PUSH(&all, invariant);
    r->witness->invariants = all.data;
    r->witness->invariant_count = all.count;
    r->witness->invariant_capacity = all.capacity;
}

static void read_metadata(struct reading *r, const yaml_node_t *entry)
{
    const yaml_node_t *metadata = need(r, entry, "metadata", YAML_MAPPING_NODE);
    const yaml_node_t *task = metadata == NULL ? NULL : find(r, metadata, "task");
    struct witness *w = r->witness;
    const char *version = metadata == NULL ? "" : need_text(r, metadata, "format_version");
    if (!r->failed && strncmp(version, "2.", 2) != 0)
        wrong(r, find(r, metadata, "format_version"), "version 2.0");
    const char *specification = text_of(r, find(r, task, "specification"));
    const char *model = text_of(r, find(r, task, "data_model"));
    w->specification = specification == NULL ? "" : specification;
    w->wide = model != NULL && strcmp(model, "LP64") == 0;
    const yaml_node_t *hashes = find(r, task, "input_file_hashes");
    if (hashes != NULL && hashes->type == YAML_MAPPING_NODE &&
        hashes->data.mapping.pairs.start < hashes->data.mapping.pairs.top) {
        const char *hash = text_of(r, node_at(r, hashes->data.mapping.pairs.start->value));
        w->hash = hash == NULL ? "" : hash;
    }
}

// False: not an entry of a kind that is known.
static bool read_entry(struct reading *r, const yaml_node_t *entry)
{
    if (entry->type != YAML_MAPPING_NODE) {
        wrong(r, entry, "an entry with `entry_type`");
        return true;
    }
    const char *type = need_text(r, entry, "entry_type");
    bool violation = strcmp(type, "violation_sequence") == 0;
    if (r->failed || (!violation && strcmp(type, "invariant_set") != 0))
        return r->failed;
    r->witness->violation = violation;
    read_metadata(r, entry);
    const yaml_node_t *content = r->failed ? NULL : need(r, entry, "content", YAML_SEQUENCE_NODE);
    for (yaml_node_item_t *i = content == NULL ? NULL : content->data.sequence.items.start;
         content != NULL && i < content->data.sequence.items.top && !r->failed; i++) {
        if (violation)
            read_segment(r, node_at(r, *i));
        else
            read_invariant(r, node_at(r, *i));
    }
    return true;
}

static void read_entries(struct reading *r, const yaml_node_t *root)
{
    if (root == NULL) {
        message_add(r->messages, MESSAGE_ERROR, (struct position){r->witness->path, 1, 1},
                    "found nothing, expected a list of entries");
        r->failed = true;
        return;
    }
    static const char KINDS[] = "an entry of type violation_sequence or invariant_set";
    if (root->type == YAML_MAPPING_NODE) {
        if (!read_entry(r, root))
            wrong(r, root, KINDS);
        return;
    }
    if (root->type != YAML_SEQUENCE_NODE) {
        wrong(r, root, "a list of entries");
        return;
    }
    for (yaml_node_item_t *i = root->data.sequence.items.start; i < root->data.sequence.items.top;
         i++) {
        if (read_entry(r, node_at(r, *i)))
            return;
    }
    wrong(r, root, KINDS);
}

static void check_target(struct reading *r)
{
    const struct witness *w = r->witness;
    for (size_t s = 0; s < w->segment_count && !r->failed; s++) {
        const struct waypoint *last = &w->segments[s].waypoints[w->segments[s].count - 1];
        if ((last->type == WAYPOINT_TARGET) != (s + 1 == w->segment_count)) {
            message_add(r->messages, MESSAGE_ERROR, last->at,
                        "expected a target at the end of the last segment, and only there");
            r->failed = true;
        }
    }
    if (w->violation && w->segment_count == 0 && !r->failed) {
        message_add(r->messages, MESSAGE_ERROR, (struct position){w->path, 1, 1},
                    "found no segment, expected one that ends at a target");
        r->failed = true;
    }
}

// libyaml looks at all open brackets for each further word. A witness needs five.
enum { MOST_OPEN = 1000 };

// What libyaml has not yet got.
struct rest {
    const yaml_parser_t *parser;
    const char *text;
    size_t bytes;
};

static int give_piece(void *context, unsigned char *buffer, size_t size, size_t *given)
{
    enum { PIECE = 1024 };
    struct rest *rest = context;
    if (rest->parser->flow_level > MOST_OPEN)
        return 0;
    size_t bytes = size < PIECE ? size : PIECE;
    bytes = bytes < rest->bytes ? bytes : rest->bytes;
    memcpy(buffer, rest->text, bytes);
    rest->text += bytes;
    rest->bytes -= bytes;
    *given = bytes;
    return 1;
}

static void report_syntax(struct reading *r, const yaml_parser_t *parser)
{
    bool deep = parser->flow_level > MOST_OPEN;
    yaml_mark_t at = deep ? parser->mark : parser->problem_mark;
    struct position place = {r->witness->path, (unsigned)at.line + 1, (unsigned)at.column + 1};
    if (deep)
        message_add(r->messages, MESSAGE_ERROR, place,
                    "found more than %d open brackets, expected a witness", MOST_OPEN);
    else
        message_add(r->messages, MESSAGE_ERROR, place, "%s, expected YAML",
                    parser->problem == NULL ? "no text" : parser->problem);
    r->failed = true;
}

struct witness *witness_read(const char *path, const char *text, size_t bytes,
                             struct messages *messages)
{
    struct witness *w = memory_zalloc(sizeof *w);
    struct reading r = {.witness = w, .messages = messages};
    yaml_parser_t parser;
    arena_init(&w->arena);
    w->path = arena_strdup(&w->arena, path);
    w->hash = w->specification = "";
    yaml_parser_initialize(&parser);
    struct rest rest = {&parser, text, bytes};
    yaml_parser_set_input(&parser, give_piece, &rest);
    if (!yaml_parser_load(&parser, &r.document)) {
        report_syntax(&r, &parser);
    } else {
        read_entries(&r, yaml_document_get_root_node(&r.document));
        if (!r.failed)
            check_target(&r);
        yaml_document_delete(&r.document);
    }
    yaml_parser_delete(&parser);
    if (!r.failed)
        return w;
    witness_destroy(w);
    return NULL;
}

struct witness *witness_open(const char *path, struct messages *messages)
{
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    if (text == NULL) {
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0}, "cannot be read: %s",
                    text_read_error(errno));
        return NULL;
    }
    struct witness *witness = witness_read(path, text, bytes, messages);
    memory_free(text);
    return witness;
}

void witness_destroy(struct witness *witness)
{
    if (witness == NULL)
        return;
    for (size_t i = 0; i < witness->segment_count; i++)
        memory_free(witness->segments[i].waypoints);
    memory_free(witness->segments);
    memory_free(witness->invariants);
    arena_finish(&witness->arena);
    memory_free(witness);
}
