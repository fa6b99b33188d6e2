#include "model/recode.h"

#include <assert.h>

#include "base/memory.h"
#include "model/model_memory.h"
#include "model/words.h"

struct model_builder *recode_builder(const struct model *source, struct recoding *recoding)
{
    assert(recoding->map_trace != NULL && recoding->lift_invariant != NULL);
    struct model_builder *builder = model_builder_prepare(source);
    builder->memory->recoding = recoding;
    return builder;
}

struct statement *recode_statement(struct model_builder *builder, const struct statement *statement)
{
    const struct statement *s = statement;
    struct statement **children = memory_alloc((s->child_count + 1) * sizeof *children), *made;
    const struct variable *v =
        s->variable != NULL ? model_builder_find(builder, s->variable->name) : NULL;
    assert((v != NULL) == (s->variable != NULL));
    for (uint32_t i = 0; i < s->child_count; i++)
        children[i] = recode_statement(builder, s->child[i]);
    switch (s->kind) {
    case STATEMENT_SKIP:
        made = model_skip(builder, s->source);
        break;
    case STATEMENT_ASSIGN:
        made = model_assign(builder, v, s->expression, s->source);
        break;
    case STATEMENT_ASSUME:
        made = model_assume(builder, s->expression, s->source);
        break;
    case STATEMENT_HAVOC:
        made = model_havoc(builder, v, s->source);
        break;
    case STATEMENT_CHOICE:
        made = model_choice(builder, children, s->child_count, s->source);
        break;
    case STATEMENT_IF:
        made = model_if(builder, s->expression, children[0], children[1], s->source);
        break;
    default:
        made = model_sequence(builder, children, s->child_count, s->source);
    }
    made->origin = s;
    memory_free(children);
    return made;
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
