#include "portfolio/model_cache.h"

#include <assert.h>
#include <pthread.h>

#include "base/memory.h"

enum entry_state { ENTRY_WANTED, ENTRY_BUILDING, ENTRY_READY, ENTRY_FAILED };

struct entry {
    struct entry *next;
    struct prepare_options options;
    enum entry_state state;
    struct model *model;
    unsigned waiting;              // threads, for it to be made
    const _Atomic int *maker_stop; // while it is made: the stop flag of who makes it
    _Atomic bool given_up;         // the maker may stop making it
};

struct model_cache {
    const struct model *source;
    pthread_mutex_t lock; // guards the list and all entries' states
    pthread_cond_t changed;
    struct entry *entries;
};

struct model_cache *model_cache_create(const struct model *source)
{
    struct model_cache *cache = memory_zalloc(sizeof *cache);
    cache->source = source;
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->changed, NULL);
    return cache;
}

void model_cache_destroy(struct model_cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->entries != NULL) {
        struct entry *entry = cache->entries;
        cache->entries = entry->next;
        assert(entry->state != ENTRY_BUILDING && entry->waiting == 0 && "nobody is at work");
        model_destroy(entry->model);
        memory_free(entry);
    }
    pthread_cond_destroy(&cache->changed);
    pthread_mutex_destroy(&cache->lock);
    memory_free(cache);
}

static bool same(const struct prepare_options *a, const struct prepare_options *b)
{
    return a->encoding == b->encoding && a->propagate_constants == b->propagate_constants &&
           a->cone_of_influence == b->cone_of_influence && a->split_choices == b->split_choices &&
           a->split_limit == b->split_limit && a->reverse == b->reverse &&
           a->accelerate == b->accelerate && a->phases == b->phases &&
           a->recode.places == b->recode.places && a->recode.environment == b->recode.environment &&
           a->recode.words == b->recode.words;
}

static struct entry *find(const struct model_cache *cache, const struct prepare_options *options)
{
    struct entry *entry = cache->entries;
    while (entry != NULL && !same(&entry->options, options))
        entry = entry->next;
    return entry;
}

// A failed allocation must not leave the entry in the making for ever.
static struct model *build(const struct model *source, const struct prepare_options *options)
{
    struct memory_trap trap;
    if (setjmp(trap.jump) != 0)
        return NULL;
    memory_trap_push(&trap);
    struct model *model = prepare_model(source, options, NULL);
    memory_trap_pop(&trap);
    return model;
}

// Who makes it goes on for those who wait, but not when there is nobody.
static void give_up_unwanted(struct model_cache *cache)
{
    for (struct entry *entry = cache->entries; entry != NULL; entry = entry->next)
        if (entry->state == ENTRY_BUILDING && entry->waiting == 0 &&
            atomic_load(entry->maker_stop) != 0)
            atomic_store_explicit(&entry->given_up, true, memory_order_relaxed);
}

// The lock is held, but not while it is made.
static void make(struct model_cache *cache, struct entry *entry, const _Atomic int *stop)
{
    assert(entry->state == ENTRY_WANTED && entry->maker_stop == NULL);
    entry->state = ENTRY_BUILDING;
    entry->maker_stop = stop;
    atomic_store_explicit(&entry->given_up, false, memory_order_relaxed);
    give_up_unwanted(cache); // it may have been stopped before
    pthread_mutex_unlock(&cache->lock);
    struct model *model = build(cache->source, &entry->options);
    pthread_mutex_lock(&cache->lock);
    bool given_up = atomic_load_explicit(&entry->given_up, memory_order_relaxed);
    assert(entry->state == ENTRY_BUILDING && "one makes it");
    entry->model = model;
    entry->state = model != NULL ? ENTRY_READY : given_up ? ENTRY_WANTED : ENTRY_FAILED;
    entry->maker_stop = NULL;
    pthread_cond_broadcast(&cache->changed);
}

static void wait_for(struct model_cache *cache, struct entry *entry, const _Atomic int *stop)
{
    entry->waiting++;
    while (entry->state == ENTRY_BUILDING && atomic_load(stop) == 0)
        pthread_cond_wait(&cache->changed, &cache->lock);
    entry->waiting--;
    give_up_unwanted(cache);
}

const struct model *model_cache_get(struct model_cache *cache,
                                    const struct prepare_options *options, const _Atomic int *stop)
{
    // Allocated before the lock is taken: an allocation may jump away.
    struct entry *fresh = memory_zalloc(sizeof *fresh);
    fresh->options = *options;
    fresh->options.given_up = &fresh->given_up;
    pthread_mutex_lock(&cache->lock);
    struct entry *entry = find(cache, options);
    if (entry == NULL) {
        entry = fresh;
        fresh = NULL;
        entry->next = cache->entries;
        cache->entries = entry;
    }
    if (entry->state == ENTRY_BUILDING)
        wait_for(cache, entry, stop);
    // One that waited takes over what another one gave up.
    if (entry->state == ENTRY_WANTED && atomic_load(stop) == 0)
        make(cache, entry, stop);
    const struct model *model = entry->model;
    assert((model != NULL) == (entry->state == ENTRY_READY));
    assert(fresh != entry);
    pthread_mutex_unlock(&cache->lock);
    memory_free(fresh);
    return model;
}

void model_cache_wake(struct model_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    give_up_unwanted(cache);
    pthread_cond_broadcast(&cache->changed);
    pthread_mutex_unlock(&cache->lock);
}
