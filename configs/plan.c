#include "configs/plan.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "configs/plan_inside.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const lane_keys[] = {"steps"};
static const char *const variant_keys[] = {"cores", "lanes", "share"};
static const char *const plan_keys[] = {"name",           "description", "include",
                                        "configurations", "cooperate",   "variants"};

// Lists of groups.

// The member as a list with at least one element; NULL with an error.
static const config_setting_t *get_list(const config_setting_t *group, const char *key,
                                        const char *what, const char *path,
                                        struct messages *messages)
{
    const config_setting_t *list = config_setting_get_member(group, key);
    struct position at = config_position(path, list != NULL ? list : group);
    if (list == NULL)
        message_add(messages, MESSAGE_ERROR, at, "%s has no %s", what, key);
    else if (config_setting_type(list) != CONFIG_TYPE_LIST)
        message_add(messages, MESSAGE_ERROR, at, "%s: found %s, expected a list: ( { … }, { … } )",
                    key, config_type_name(list));
    else if (config_setting_length(list) == 0)
        message_add(messages, MESSAGE_ERROR, at, "%s of %s: the list is empty", key, what);
    else
        return list;
    return NULL;
}

bool plan_expect_group(const config_setting_t *setting, const char *what, const char *path,
                       struct messages *messages)
{
    if (config_setting_type(setting) == CONFIG_TYPE_GROUP)
        return true;
    message_add(messages, MESSAGE_ERROR, config_position(path, setting),
                "found %s, expected %s: { … }", config_type_name(setting), what);
    return false;
}

static void read_lane(struct plan *plan, const config_setting_t *group, struct plan_lane *lane,
                      struct messages *messages)
{
    if (!plan_expect_group(group, "a lane", plan->path, messages))
        return;
    config_check_keys(group, "a lane", lane_keys, COUNT(lane_keys), plan->path, messages);
    const config_setting_t *steps = get_list(group, "steps", "a lane", plan->path, messages);
    if (steps == NULL)
        return;
    lane->step_count = (size_t)config_setting_length(steps);
    lane->steps = memory_zalloc(lane->step_count * sizeof *lane->steps);
    for (size_t i = 0; i < lane->step_count; i++)
        plan_read_step(plan, config_setting_get_elem(steps, (unsigned)i), &lane->steps[i],
                       messages);
    plan_read_reactions(plan, steps, lane, messages);
}

#define MOST_CORES 4096
#define MOST_SHARE 16

// From 1 on; 0 with an error.
static unsigned read_whole(const config_setting_t *member, int most, const char *path,
                           struct messages *messages)
{
    const char *key = config_setting_name(member);
    const struct position at = config_position(path, member);
    if (config_setting_type(member) != CONFIG_TYPE_INT)
        message_add(messages, MESSAGE_ERROR, at, "%s: found %s, expected a whole number", key,
                    config_type_name(member));
    else if (config_setting_get_int(member) < 1 || config_setting_get_int(member) > most)
        message_add(messages, MESSAGE_ERROR, at,
                    "%s: %d is out of range, expected a whole number from 1 to %d", key,
                    config_setting_get_int(member), most);
    else
        return (unsigned)config_setting_get_int(member);
    return 0;
}

static unsigned read_cores(const config_setting_t *group, const char *path,
                           struct messages *messages)
{
    const config_setting_t *member = config_setting_get_member(group, "cores");
    if (member != NULL)
        return read_whole(member, MOST_CORES, path, messages);
    message_add(messages, MESSAGE_ERROR, config_position(path, group), "a variant has no cores");
    return 0;
}

static unsigned read_share(const config_setting_t *group, const char *path,
                           struct messages *messages)
{
    const config_setting_t *member = config_setting_get_member(group, "share");
    return member != NULL ? read_whole(member, MOST_SHARE, path, messages) : 1;
}

static void read_variant(struct plan *plan, const config_setting_t *group,
                         struct plan_variant *variant, struct messages *messages)
{
    if (!plan_expect_group(group, "a variant", plan->path, messages))
        return;
    size_t before = messages->errors;
    config_check_keys(group, "a variant", variant_keys, COUNT(variant_keys), plan->path, messages);
    variant->cores = read_cores(group, plan->path, messages);
    variant->share = read_share(group, plan->path, messages);
    for (size_t i = 0; variant->cores && &plan->variants[i] < variant; i++)
        if (plan->variants[i].cores == variant->cores)
            message_add(messages, MESSAGE_ERROR, config_position(plan->path, group),
                        "there is already a variant for %u cores", variant->cores);
    const config_setting_t *lanes = get_list(group, "lanes", "a variant", plan->path, messages);
    if (lanes == NULL)
        return;
    variant->lane_count = (size_t)config_setting_length(lanes);
    variant->lanes = memory_zalloc(variant->lane_count * sizeof *variant->lanes);
    for (size_t i = 0; i < variant->lane_count; i++)
        read_lane(plan, config_setting_get_elem(lanes, (unsigned)i), &variant->lanes[i], messages);
    if (messages->errors == before)
        plan_check_variant(variant, messages);
}

static int by_cores(const void *a, const void *b)
{
    const struct plan_variant *x = a, *y = b;
    return x->cores < y->cores ? -1 : x->cores > y->cores;
}

static void read_variants(struct plan *plan, const config_setting_t *root,
                          struct messages *messages)
{
    const config_setting_t *list = get_list(root, "variants", "a plan", plan->path, messages);
    if (list == NULL)
        return;
    plan->variant_count = (size_t)config_setting_length(list);
    plan->variants = memory_zalloc(plan->variant_count * sizeof *plan->variants);
    for (size_t i = 0; i < plan->variant_count; i++)
        read_variant(plan, config_setting_get_elem(list, (unsigned)i), &plan->variants[i],
                     messages);
    qsort(plan->variants, plan->variant_count, sizeof *plan->variants, by_cores);
}

// Whole plans.

static struct plan *read_plan(const char *path, struct messages *messages)
{
    struct config_file file;
    if (!config_file_read(&file, path, messages))
        return NULL;
    struct plan *plan = memory_zalloc(sizeof *plan);
    plan->path = memory_strdup(path);
    size_t before = messages->errors;
    const config_setting_t *root = config_root_setting(&file.config);
    config_check_keys(root, "a plan", plan_keys, COUNT(plan_keys), path, messages);
    const char *name = config_string(root, "name", path, messages);
    const char *description = config_string(root, "description", path, messages);
    plan->name = name != NULL ? memory_strdup(name) : config_stem(path);
    plan->description = memory_strdup(description != NULL ? description : "");
    plan->cooperate = config_switch(root, "cooperate", path, messages);
    struct config_chain chain = {path, NULL};
    config_read_configurations(&plan->configurations, root, &chain, messages);
    // From here on the set does not move: steps point into it.
    read_variants(plan, root, messages);
    config_file_finish(&file);
    if (messages->errors == before)
        return plan;
    plan_destroy(plan);
    return NULL;
}

struct plan *plan_load(const char *name_or_path, struct messages *messages)
{
    struct text path;
    text_init(&path);
    struct plan *plan = NULL;
    if (config_find_file("plan", name_or_path, &path, messages))
        plan = read_plan(text_string(&path), messages);
    text_finish(&path);
    return plan;
}

// Plans of one step.

static bool read_shipped(struct configuration_set *set, struct messages *messages)
{
    struct text path;
    text_init(&path);
    bool found = configs_locate("configurations.cfg", &path);
    if (!found)
        message_add(messages, MESSAGE_ERROR, (struct position){0},
                    "configurations.cfg was not found in the configuration folders");
    bool good = found && configuration_set_read(set, text_string(&path), messages);
    text_finish(&path);
    return good;
}

static bool make_single(struct configuration *out, const char *text, struct messages *messages)
{
    struct configuration_set shipped = {0};
    bool named = memchr(text, '=', strcspn(text, ", \t")) == NULL;
    bool good = true;
    if (named && !read_shipped(&shipped, messages)) {
        configuration_init(out, text);
        good = false;
    }
    good = good && config_read_single(&shipped, text, out, messages);
    configuration_set_finish(&shipped);
    return good;
}

struct plan *plan_single(const char *configuration, struct messages *messages)
{
    struct configuration single;
    if (!make_single(&single, configuration, messages)) {
        configuration_finish(&single);
        return NULL;
    }
    struct plan *plan = memory_zalloc(sizeof *plan);
    plan->name = memory_strdup(single.name);
    plan->description = memory_strdup(single.description);
    plan->path = memory_strdup("");
    plan->configurations.items = memory_alloc(sizeof single);
    plan->configurations.items[0] = single;
    plan->configurations.count = plan->configurations.capacity = 1;
    plan->variants = memory_zalloc(sizeof *plan->variants);
    plan->variant_count = 1;
    struct plan_variant *variant = plan->variants;
    variant->cores = variant->share = 1;
    variant->lanes = memory_zalloc(sizeof *variant->lanes);
    variant->lane_count = 1;
    variant->lanes->steps = memory_zalloc(sizeof *variant->lanes->steps);
    variant->lanes->step_count = 1;
    variant->lanes->steps->configuration = plan->configurations.items;
    variant->lanes->steps->budget = BUDGET_REST;
    return plan;
}

static void finish_lane(struct plan_lane *lane)
{
    for (size_t i = 0; i < lane->step_count; i++)
        plan_step_finish(&lane->steps[i]);
    memory_free(lane->steps);
}

void plan_destroy(struct plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t v = 0; v < plan->variant_count; v++) {
        for (size_t l = 0; l < plan->variants[v].lane_count; l++)
            finish_lane(&plan->variants[v].lanes[l]);
        memory_free(plan->variants[v].lanes);
    }
    memory_free(plan->variants);
    for (size_t i = 0; i < plan->derived_count; i++) {
        configuration_finish(plan->derived[i]);
        memory_free(plan->derived[i]);
    }
    memory_free(plan->derived);
    configuration_set_finish(&plan->configurations);
    memory_free(plan->name);
    memory_free(plan->description);
    memory_free(plan->path);
    memory_free(plan);
}

const struct plan_variant *plan_variant_for(const struct plan *plan, unsigned cores)
{
    assert(plan->variant_count > 0);
    const struct plan_variant *best = plan->variants;
    for (size_t i = 1; i < plan->variant_count; i++) {
        assert(plan->variants[i - 1].cores < plan->variants[i].cores);
        if (plan->variants[i].cores <= cores)
            best = &plan->variants[i];
    }
    return best;
}

unsigned plan_variant_seats(const struct plan_variant *variant, unsigned cores)
{
    uint64_t seats = (uint64_t)cores * (variant->share > 0 ? variant->share : 1);
    return (unsigned)(seats < variant->lane_count ? seats : variant->lane_count);
}

size_t plan_step_next(const struct plan_lane *lane, size_t step)
{
    assert(step < lane->step_count && lane->steps[step].retry_of <= lane->step_count);
    size_t next = lane->steps[step].retry_of ? lane->steps[step].retry_of : step + 1;
    return next < lane->step_count && !lane->steps[next].retry_of ? next : PLAN_END;
}
