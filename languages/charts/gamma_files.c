#include "languages/charts/gamma_inside.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"

// Files, imports, and what is declared where.

bool gamma_failed(const struct gamma_reader *reader)
{
    return reader->messages->errors + reader->messages->unsupported > reader->failures;
}

struct gamma_place gamma_go_to(struct gamma_reader *reader, struct gamma_file *file, size_t at)
{
    struct gamma_place place = {reader->lexer, reader->lexer == NULL ? 0 : reader->lexer->at};
    reader->lexer = &file->lexer;
    reader->lexer->at = at;
    return place;
}

void gamma_return(struct gamma_reader *reader, struct gamma_place place)
{
    reader->lexer = place.lexer;
    if (place.lexer != NULL)
        place.lexer->at = place.at;
}

bool gamma_at(struct gamma_reader *reader, const char *word)
{
    return token_is(lexer_token(reader->lexer), word);
}

bool gamma_accept(struct gamma_reader *reader, const char *word)
{
    if (!gamma_at(reader, word))
        return false;
    lexer_next(reader->lexer);
    return true;
}

bool gamma_expect(struct gamma_reader *reader, const char *word)
{
    if (gamma_failed(reader)) // said already
        return false;
    if (gamma_accept(reader, word))
        return true;
    char what[64];
    snprintf(what, sizeof what, "`%s`", word);
    return lexer_unexpected(reader->lexer, what);
}

const struct token *gamma_name(struct gamma_reader *reader, const char *what)
{
    if (lexer_at(reader->lexer, TOKEN_NAME))
        return lexer_next(reader->lexer);
    lexer_unexpected(reader->lexer, what);
    return NULL;
}

void gamma_skip_block(struct gamma_reader *reader)
{
    size_t depth = 0;
    do {
        int kind = lexer_token(reader->lexer)->kind;
        if (kind == TOKEN_END)
            return;
        depth += kind == CHART_TOKEN_OPEN_CURLY || kind == CHART_TOKEN_OPEN_SQUARE ||
                 kind == CHART_TOKEN_OPEN;
        depth -= kind == CHART_TOKEN_CLOSE_CURLY || kind == CHART_TOKEN_CLOSE_SQUARE ||
                 kind == CHART_TOKEN_CLOSE;
        lexer_next(reader->lexer);
    } while (depth > 0);
}

// ---- types -------------------------------------------------------------------------------------

const struct chart_type *gamma_find_type(struct gamma_reader *reader, const char *name)
{
    for (uint32_t i = 0; i < reader->chart->type_count; i++) {
        if (strcmp(reader->chart->types[i]->name, name) == 0)
            return reader->chart->types[i];
    }
    return NULL;
}

const struct chart_type *gamma_type(struct gamma_reader *reader)
{
    const struct token *at = lexer_token(reader->lexer);
    if (at->kind != TOKEN_NAME) {
        lexer_not_supported(reader->lexer, at, "a type other than boolean, integer, enumerations");
        lexer_next(reader->lexer);
        return NULL;
    }
    lexer_next(reader->lexer);
    if (token_is(at, "boolean"))
        return &CHART_TYPE_BOOL;
    if (token_is(at, "integer"))
        return &CHART_TYPE_INT;
    const struct chart_type *type = gamma_find_type(reader, chart_token_text(reader->chart, at));
    const struct gamma_declaration *named =
        chart_names_find(&reader->declarations, chart_token_text(reader->chart, at));
    if (type == NULL && named != NULL && named->kind == GAMMA_TYPE && named->shape != NULL)
        type = named->shape->scalar;
    if (type == NULL)
        lexer_not_supported(reader->lexer, at,
                            "the type `%.*s`: neither boolean, integer nor an enumeration",
                            (int)at->length, at->text);
    return type;
}

// type NAME : enum { A, B }
static void declare_type(struct gamma_reader *reader, struct gamma_declaration *declaration)
{
    if (!gamma_expect(reader, ":"))
        return;
    if (!gamma_accept(reader, "enum")) {
        declaration->shape = gamma_shape(reader);
        return;
    }
    struct chart_type *type = arena_zalloc(&reader->chart->arena, sizeof *type);
    const char **literals = NULL;
    type->kind = CHART_ENUM;
    type->name = declaration->name;
    if (!gamma_expect(reader, "{"))
        return;
    do {
        const struct token *literal = gamma_name(reader, "a literal");
        if (literal == NULL)
            return;
        CHART_APPEND(&reader->chart->arena, literals, type->literal_count,
                     chart_token_text(reader->chart, literal));
    } while (gamma_accept(reader, ","));
    gamma_expect(reader, "}");
    type->literals = literals;
    struct gamma_shape *shape = arena_zalloc(&reader->arena, sizeof *shape);
    *shape = (struct gamma_shape){.scalar = type, .leaves = 1};
    declaration->shape = shape;
    CHART_APPEND(&reader->chart->arena, reader->chart->types, reader->chart->type_count, type);
}

static void declare_constant(struct gamma_reader *reader, struct gamma_declaration *declaration)
{
    if (!gamma_expect(reader, ":"))
        return;
    const struct chart_type *type = gamma_type(reader);
    if (type == NULL || !gamma_expect(reader, ":="))
        return;
    declaration->value = gamma_expression(reader, type, "a constant");
    gamma_accept(reader, ";");
}

// ---- declarations ------------------------------------------------------------------------------

static const struct {
    const char *word;
    enum gamma_kind kind;
} KINDS[] = {
    {"type", GAMMA_TYPE},           {"interface", GAMMA_INTERFACE},   {"const", GAMMA_CONSTANT},
    {"procedure", GAMMA_PROCEDURE}, {"statechart", GAMMA_STATECHART}, {"sync", GAMMA_SYNC},
    {"cascade", GAMMA_CASCADE},     {"adapter", GAMMA_ADAPTER},       {"async", GAMMA_ASYNC},
    {"scheduled", GAMMA_SCHEDULED}, {"function", GAMMA_OTHER},        {"lambda", GAMMA_PROCEDURE},
};

static bool begins_declaration(struct gamma_reader *reader, enum gamma_kind *kind)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (gamma_at(reader, KINDS[i].word)) {
            *kind = KINDS[i].kind;
            return true;
        }
    }
    return false;
}

// To the next word that begins a declaration, over blocks; annotations belong to what follows.
static void skip_rest(struct gamma_reader *reader)
{
    enum gamma_kind kind;
    while (!lexer_at(reader->lexer, TOKEN_END) && !lexer_at(reader->lexer, CHART_TOKEN_AT) &&
           !begins_declaration(reader, &kind)) {
        if (lexer_at(reader->lexer, CHART_TOKEN_OPEN_CURLY) ||
            lexer_at(reader->lexer, CHART_TOKEN_OPEN_SQUARE) ||
            lexer_at(reader->lexer, CHART_TOKEN_OPEN))
            gamma_skip_block(reader);
        else
            lexer_next(reader->lexer);
    }
}

static void skip_annotations(struct gamma_reader *reader)
{
    while (lexer_accept(reader->lexer, CHART_TOKEN_AT) != NULL) {
        if (lexer_at(reader->lexer, CHART_TOKEN_OPEN)) {
            gamma_skip_block(reader);
            continue;
        }
        lexer_next(reader->lexer);
        skip_rest(reader); // its value
    }
}

static const struct gamma_declaration *find_in(const struct gamma_reader *reader,
                                               const struct gamma_file *file, const char *name)
{
    for (size_t i = 0; i < reader->in_order.count; i++) {
        const struct gamma_declaration *d = reader->in_order.data[i];
        if (d->file == file && strcmp(d->name, name) == 0)
            return d;
    }
    return NULL;
}

static void declare(struct gamma_reader *reader, struct gamma_file *file)
{
    size_t annotations = reader->lexer->at;
    skip_annotations(reader);
    enum gamma_kind kind;
    if (!begins_declaration(reader, &kind)) {
        lexer_unexpected(reader->lexer, "a declaration");
        lexer_next(reader->lexer);
        skip_rest(reader);
        return;
    }
    lexer_next(reader->lexer);
    while (lexer_accept(reader->lexer, CHART_TOKEN_MINUS) != NULL) // scheduled-async
        lexer_next(reader->lexer);
    const struct token *name = gamma_name(reader, "a name");
    if (name == NULL) {
        skip_rest(reader);
        return;
    }
    struct gamma_declaration *declaration = arena_zalloc(&reader->arena, sizeof *declaration);
    *declaration = (struct gamma_declaration){.kind = kind,
                                              .name = chart_token_text(reader->chart, name),
                                              .file = file,
                                              .at = reader->lexer->at,
                                              .annotations = annotations};
    bool first =
        chart_names_add(&reader->declarations, declaration->name, declaration) == declaration;
    reader->has_twins |= !first;
    if (!first && (kind != GAMMA_INTERFACE || find_in(reader, file, declaration->name) != NULL))
        lexer_error(reader->lexer, name, "found a second `%s`, expected unique names",
                    declaration->name);
    VECTOR_PUSH(&reader->in_order, declaration);
    if (kind == GAMMA_TYPE)
        declare_type(reader, declaration);
    else if (kind == GAMMA_CONSTANT)
        declare_constant(reader, declaration);
    skip_rest(reader);
}

// Several packages may have interfaces of one name: that of the file itself, or of one that it imports.
static const struct gamma_declaration *find_nearest(const struct gamma_reader *reader,
                                                    const char *name)
{
    const struct gamma_file *file = NULL;
    for (size_t i = 0; i < reader->files.count; i++) {
        if (&reader->files.data[i]->lexer == reader->lexer)
            file = reader->files.data[i];
    }
    const struct gamma_declaration *found = file == NULL ? NULL : find_in(reader, file, name);
    for (uint32_t i = 0; file != NULL && i < file->import_count && found == NULL; i++)
        found = find_in(reader, file->imports[i], name);
    return found;
}

const struct gamma_declaration *gamma_find(struct gamma_reader *reader, const struct token *name)
{
    const char *text = chart_token_text(reader->chart, name);
    const struct gamma_declaration *found = chart_names_find(&reader->declarations, text),
                                   *nearest = reader->has_twins ? find_nearest(reader, text) : NULL;
    if (nearest != NULL)
        found = nearest;
    if (found == NULL)
        lexer_error(reader->lexer, name, "found `%s`, expected the name of a declaration", text);
    return found;
}

// ---- imports -----------------------------------------------------------------------------------

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// folder/import, or with Gamma's extension behind it, or, as older models name packages, folder/NAME/NAME.gcd.
static char *try(struct gamma_reader *reader, const char *folder, size_t length, const char *import)
{
    bool name = strpbrk(import, "/.") == NULL;
    const char *const ENDS[] = {"", ".gcd", "/"};
    for (size_t i = 0; i < (name ? 3 : 2); i++) {
        struct text path;
        text_init(&path);
        text_printf(&path, "%.*s%s%s%s", (int)length, folder, length > 0 ? "/" : "", import,
                    ENDS[i]);
        if (i == 2)
            text_printf(&path, "%s.gcd", import);
        char *found =
            is_file(text_string(&path)) ? arena_strdup(&reader->arena, text_string(&path)) : NULL;
        text_finish(&path);
        if (found != NULL)
            return found;
    }
    return NULL;
}

// A compiled package, "FOLDER/.NAME.gsm", is made of "FOLDER/NAME.gcd". NULL: it is none.
static char *source_of(struct gamma_reader *reader, const char *import)
{
    size_t length = strlen(import);
    const char *slash = strrchr(import, '/'), *name = slash == NULL ? import : slash + 1;
    if (length < 4 || strcmp(import + length - 4, ".gsm") != 0)
        return NULL;
    return arena_strdup(&reader->arena,
                        chart_text(reader->chart, "%.*s%.*s.gcd", (int)(name - import), import,
                                   (int)(length - 4 - (size_t)(name - import)) - (*name == '.'),
                                   name + (*name == '.')));
}

// Imports are relative to the file, to a folder around it, or begin with the name of a project that is such a folder.
static char *find_import(struct gamma_reader *reader, const char *from, const char *import)
{
    for (const char *tail = import; tail != NULL && *tail != '\0'; tail = strchr(tail, '/')) {
        while (*tail == '/')
            tail++;
        const char *slash = strrchr(from, '/');
        size_t length = slash == NULL ? 0 : (size_t)(slash - from);
        for (int up = 0; up < 8; up++) {
            char *found = try(reader, from, length, tail);
            if (found != NULL)
                return found;
            if (length == 0)
                break;
            while (length > 0 && from[length - 1] != '/')
                length--;
            length -= length > 0;
        }
    }
    return NULL;
}

static void import(struct gamma_reader *reader, struct gamma_file *file)
{
    const struct token *at = lexer_expect(reader->lexer, CHART_TOKEN_STRING);
    if (at == NULL)
        return;
    char *name = arena_strndup(&reader->arena, at->text + 1, at->length - 2);
    char *source = source_of(reader, name);
    char *path = source != NULL ? find_import(reader, file->path, source) : NULL;
    if (path == NULL)
        path = find_import(reader, file->path, name);
    bool several = false;
    if (path == NULL && strpbrk(name, "/.") == NULL)
        path = gamma_find_package(reader, file->path, name, &several);
    if (several) {
        lexer_error(reader->lexer, at,
                    "found several files of the package \"%s\", expected the path of one", name);
        return;
    }
    if (path == NULL) {
        lexer_error(reader->lexer, at, "found the import \"%s\", expected a file there",
                    source != NULL ? source : name);
        return;
    }
    struct gamma_file *known = chart_names_find(&reader->paths, path);
    if (known != NULL) {
        CHART_APPEND(&reader->arena, file->imports, file->import_count, known);
        return;
    }
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    if (text == NULL) {
        lexer_error(reader->lexer, at, "the file %s cannot be read: %s", path, strerror(errno));
        return;
    }
    struct gamma_place place = {reader->lexer, reader->lexer->at};
    gamma_load(reader, path, text, bytes);
    CHART_APPEND(&reader->arena, file->imports, file->import_count,
                 (struct gamma_file *)chart_names_find(&reader->paths, path));
    gamma_return(reader, place);
}

bool gamma_load(struct gamma_reader *reader, const char *path, char *text, size_t bytes)
{
    struct gamma_file *file = arena_zalloc(&reader->arena, sizeof *file);
    file->path = arena_strdup(&reader->chart->arena, path);
    file->text = text;
    bool compiled = text[0] == '<';
    if (compiled)
        message_add(reader->messages, MESSAGE_UNSUPPORTED, (struct position){file->path, 1, 1},
                    "a compiled package (.gsm, XMI), expected the text that it was made of (.gcd)");
    lexer_init(&file->lexer, &CHART_LEXER_WORDS, file->path, text, compiled ? 0 : bytes,
               reader->messages);
    VECTOR_PUSH(&reader->files, file);
    chart_names_add(&reader->paths, file->path, file);
    reader->lexer = &file->lexer;
    if (gamma_accept(reader, "package")) {
        do
            gamma_name(reader, "the package's name");
        while (gamma_accept(reader, "."));
    }
    while (gamma_accept(reader, "import"))
        import(reader, file);
    while (!lexer_at(reader->lexer, TOKEN_END))
        declare(reader, file);
    return !gamma_failed(reader);
}
