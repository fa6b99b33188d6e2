#include "languages/language.h"

#include <assert.h>

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
