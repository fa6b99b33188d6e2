#ifndef REGATTA_PORTFOLIO_MODEL_CACHE_H
#define REGATTA_PORTFOLIO_MODEL_CACHE_H

#include <stdatomic.h>

#include "model/prepare.h"

// The prepared models of a race: each distinct preparation is made once, by the first attempt that
// needs it, and shared read-only by all. Thread-safe, but for create and destroy.

struct model_cache;

struct model_cache *model_cache_create(const struct model *source);
void model_cache_destroy(struct model_cache *cache); // with all prepared models
// Makes it or waits until another thread has made it. NULL when there was not memory enough, or when
// the stop flag was raised meanwhile: who waits leaves at once; who makes it goes on as long as somebody
// waits, and leaves it unmade otherwise.
const struct model *model_cache_get(struct model_cache *cache,
                                    const struct prepare_options *options, const _Atomic int *stop);
// To be called after a stop flag was raised: whoever waits or makes a model looks at it.
void model_cache_wake(struct model_cache *cache);

#endif
