#include "model/recode.h"

#include <assert.h>

#include "model/model_memory.h"
#include "model/words.h"

struct model_builder *recode_builder(const struct model *source, struct recoding *recoding)
{
    assert(recoding->map_trace != NULL && recoding->lift_invariant != NULL);
    struct model_builder *builder = model_builder_prepare(source);
    builder->memory->recoding = recoding;
    return builder;
}

const struct recoding *recode_of(const struct model *model)
{
    return model->memory->recoding;
}

bool recode_is_possible(const struct model *source, const struct recode_options *options)
{
    return options->words != RECODE_BITS ? words_are_possible(source)
                                         : source->view != NULL && source->view->recode != NULL;
}

struct model *recode_model(const struct model *source, const struct recode_options *options,
                           const _Atomic bool *given_up)
{
    if (!recode_is_possible(source, options))
        return NULL;
    return options->words != RECODE_BITS
               ? words_recode(source, options->words == RECODE_CHECKED, given_up)
               : source->view->recode(source, options, given_up);
}
