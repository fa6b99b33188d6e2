#include "engines/cegar/cooperation.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/cegar/warm_start.h"
#include "engines/domains/sharing.h"

struct gift {
    struct cegar *cegar;
    struct text text;
};

static void add_gift(void *context, const struct precision_item *item)
{
    struct gift *gift = context;
    struct cegar *c = gift->cegar;
    if (item->predicate == NULL || item->predicate->tree_size > SHARING_LARGEST ||
        c->cooperation.given >= SHARING_MOST_GIVEN)
        return;
    c->cooperation.given++;
    precision_text_add(&gift->text, c->workspace.store, item);
}

static void give(struct cegar *c)
{
    uint64_t size = c->operations->precision_size(c->domain);
    if (c->environment->share == NULL || size == c->cooperation.given_size)
        return;
    c->cooperation.given_size = size;
    c->cooperation.given = 0;
    struct gift gift = {.cegar = c};
    text_init(&gift.text);
    c->operations->each_element(c->domain, add_gift, &gift);
    if (gift.text.length)
        c->environment->share(c->environment->observer, text_string(&gift.text));
    text_finish(&gift.text);
}

struct choice {
    size_t left; // that may still be taken
};

static bool wanted(void *context, const struct precision_item *item)
{
    struct choice *choice = context;
    if (item->predicate == NULL || item->predicate->tree_size > SHARING_LARGEST ||
        choice->left == 0)
        return false;
    choice->left--;
    return true;
}

static void take(struct cegar *c)
{
    if (c->environment->hear == NULL || c->cooperation.taken >= SHARING_MOST_TAKEN ||
        warm_start_values_only(c))
        return;
    const char *text = c->environment->hear(c->environment->observer);
    struct choice choice = {SHARING_MOST_TAKEN - c->cooperation.taken};
    if (*text)
        c->cooperation.taken += warm_start_add(c, text, wanted, &choice);
}

void cooperate(struct cegar *c)
{
    if (c->refinements < SHARING_FIRST || c->refinements < c->cooperation.next_refinements)
        return;
    c->cooperation.next_refinements = sharing_next(c->refinements);
    give(c);
    take(c);
}

void cooperate_on_runs(struct cegar *c)
{
    // The first abstraction knows hardly more than the shape of the model.
    if (c->environment->share == NULL || c->refinements == 0 ||
        c->refinements < c->cooperation.next_bound)
        return;
    c->cooperation.next_bound = sharing_next(c->refinements);
    bounds_give(&c->cooperation.bounds, graph_free_steps(&c->graph));
}

void cooperation_init(struct cegar *c)
{
    bounds_init(&c->cooperation.bounds, &c->workspace);
}

void cooperation_finish(struct cegar *c)
{
    bounds_finish(&c->cooperation.bounds);
}

void cooperation_describe(const struct cegar *c, char *notes, size_t bytes)
{
    if (c->cooperation.taken)
        engine_note(notes, bytes, "took up %llu elements of others",
                    (unsigned long long)c->cooperation.taken);
}
