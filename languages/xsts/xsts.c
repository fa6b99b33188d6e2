#include "languages/xsts/xsts.h"
#include "model/trace.h"

static const struct dialect dialect = {
    .name = "xsts", .terms = PRINT_XSTS, .phases = true, .print_sexpr = trace_print_xsts};

#include <string.h>

// The XSTS reader: text of a model and of a property to a model.

static struct model *build(struct arena *arena, const struct language_request *request,
                           const struct xsts_syntax *syntax, const struct xsts_expr *property,
                           struct messages *messages)
{
    struct model_builder *builder = model_builder_create(&dialect, request->model_path, NULL);
    struct xsts_checked checked;
    if (!xsts_check(arena, syntax, property, builder, &checked, messages)) {
        model_builder_destroy(builder);
        return NULL;
    }
    xsts_loops_unroll(arena, &checked, model_builder_store(builder), messages);
    xsts_lower(&checked, request->property_at, builder);
    return model_builder_finish(builder);
}

static struct model *xsts_read(const struct language_request *request, struct messages *messages)
{
    struct arena arena;
    arena_init(&arena);
    struct xsts_syntax syntax;
    const struct xsts_expr *property = NULL;
    struct model *model = NULL;
    bool given = request->property_text != NULL;
    const char *property_path = request->property_inline || request->property_path == NULL
                                    ? "inline property"
                                    : request->property_path;
    bool good = xsts_parse_model(&arena, request->model_path, request->model_text,
                                 request->model_bytes, &syntax, messages);
    if (given) {
        size_t bytes =
            request->property_bytes != 0 ? request->property_bytes : strlen(request->property_text);
        property = xsts_parse_property(&arena, property_path, request->property_text, bytes,
                                       request->property_inline, messages);
        good = good && property != NULL;
    }
    if (good && !given && syntax.property == NULL && request->property_at != PROPERTY_AT_NONE) {
        message_add(messages, MESSAGE_ERROR, syntax.end,
                    "found no property, expected `prop { ... }` here or in a property file");
        good = false;
    }
    if (good && given && syntax.property != NULL)
        message_add(messages, MESSAGE_NOTE, syntax.property->at,
                    "the model's own property is not used, another one was given");
    if (good)
        model = build(&arena, request, &syntax, property, messages);
    arena_finish(&arena);
    return model;
}

const struct language language_xsts = {
    .name = "xsts",
    .extension = ".xsts",
    .description = "extended symbolic transition systems, with PROP files",
    .read = xsts_read,
};
