#include "engines/horn/instance.h"

#include "logic/terms/rewrite.h"

struct instance {
    const struct smt_horn_predicate *predicate;
    const struct term *const *arguments;
};

static const struct term *argument_for(void *context, const struct term *variable)
{
    const struct instance *i = context;
    for (size_t k = 0; k < i->predicate->count; k++)
        if (i->predicate->parameters[k] == variable)
            return i->arguments[k];
    return variable;
}

const struct term *horn_instance(struct term_store *store,
                                 const struct smt_horn_predicate *predicate,
                                 const struct term *const *arguments, const struct term *formula)
{
    struct instance i = {predicate, arguments};
    return rewrite_substitute(store, formula, argument_for, &i);
}
