#include "languages/language.h"

#include "base/memory.h"
#include "base/vector.h"

void language_questions_add(struct language_questions *list, const char *name, const char *property)
{
    struct language_question question = {memory_strdup(name), memory_strdup(property)};
    VECTOR_PUSH(list, question);
}

void language_questions_finish(struct language_questions *list)
{
    for (size_t i = 0; i < list->count; i++) {
        memory_free(list->data[i].name);
        memory_free(list->data[i].property);
    }
    VECTOR_FINISH(list);
}
