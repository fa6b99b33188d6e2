#include "model/capsules/question.h"

#include <string.h>

void capsule_question_finish(struct capsule_question *question)
{
    for (size_t i = 0; i < question->atoms.count; i++) {
        struct capsule_atom *atom = &question->atoms.data[i];
        VECTOR_FINISH(&atom->trigger.values);
        for (size_t j = 0; j < atom->sequence.count; j++)
            VECTOR_FINISH(&atom->sequence.data[j].values);
        VECTOR_FINISH(&atom->sequence);
    }
    VECTOR_FINISH(&question->atoms);
    ctl_formulas_finish(&question->formulas);
}

bool capsule_signal_named(const char *name, const char *wanted)
{
    const char *point = strrchr(name, '.');
    return strcmp(name, wanted) == 0 || (point != NULL && strcmp(point + 1, wanted) == 0);
}
