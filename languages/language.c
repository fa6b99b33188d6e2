#include "languages/language.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

struct language_source *language_source_share(struct language_source *source)
{
    atomic_fetch_add_explicit(&source->references, 1, memory_order_relaxed);
    return source;
}

void language_source_release(struct language_source *source)
{
    if (source == NULL)
        return;
    unsigned held = atomic_fetch_sub_explicit(&source->references, 1, memory_order_acq_rel);
    assert(held > 0);
    if (held == 1)
        source->destroy(source);
}

static void destroy_text(struct language_source *source)
{
    struct language_text *text = (struct language_text *)source;
    struct language_reading *next;
    for (struct language_reading *r = atomic_load(&text->readings); r != NULL; r = next) {
        next = r->next;
        r->destroy(r);
    }
    memory_free(text->text);
    memory_free(text);
}

struct language_source *language_text_keep(const struct language_request *request,
                                           struct messages *messages)
{
    (void)messages;
    struct language_text *text = memory_zalloc(sizeof *text);
    text->base.destroy = destroy_text;
    atomic_init(&text->base.references, 1);
    text->bytes = request->model_bytes;
    text->text = memory_alloc(text->bytes + 1);
    memcpy(text->text, request->model_text, text->bytes);
    text->text[text->bytes] = '\0';
    return &text->base;
}

void language_text_add(struct language_text *text, struct language_reading *reading)
{
    reading->next = atomic_load(&text->readings);
    while (!atomic_compare_exchange_weak(&text->readings, &reading->next, reading))
        continue;
}

struct language_question *language_questions_add(struct language_questions *list, const char *name,
                                                 const char *property)
{
    struct language_question question = {.name = memory_strdup(name),
                                         .property = memory_strdup(property)};
    VECTOR_PUSH(list, question);
    return &VECTOR_LAST(list);
}

void language_questions_finish(struct language_questions *list)
{
    for (size_t i = 0; i < list->count; i++) {
        memory_free(list->data[i].name);
        memory_free(list->data[i].property);
        memory_free(list->data[i].greatest);
    }
    VECTOR_FINISH(list);
}
