#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "model/model_memory.h"
#include "model/recode.h"

static uint64_t name_hash(const char *name)
{
    return hash128_add_text(hash128_seed(0), name).low;
}

static const struct named_value *name_find(const struct name_map *map, const char *name,
                                           uint64_t hash)
{
    struct hash_probe probe = hash_index_probe(&map->index, hash);
    for (uint32_t i; hash_index_next(&map->index, &probe, &i);)
        if (strcmp(map->items.data[i].name, name) == 0)
            return &map->items.data[i];
    return NULL;
}

void name_map_finish(struct name_map *map)
{
    VECTOR_FINISH(&map->items);
    hash_index_finish(&map->index);
}

bool name_map_add(struct name_map *map, const char *name, uint32_t value)
{
    uint64_t hash = name_hash(name);
    if (name_find(map, name, hash) != NULL)
        return false;
    hash_index_add(&map->index, hash, (uint32_t)map->items.count);
    VECTOR_PUSH(&map->items, ((struct named_value){name, value}));
    return true;
}

uint32_t name_map_find(const struct name_map *map, const char *name)
{
    const struct named_value *found = name_find(map, name, name_hash(name));
    return found != NULL ? found->value : UINT32_MAX;
}

void model_destroy(struct model *model)
{
    if (model == NULL)
        return;
    struct model_memory *memory = model->memory;
    if (model->view != NULL)
        model->view->destroy((struct model_view *)(uintptr_t)model->view);
    struct model *below = memory->reversal != NULL ? memory->reversal->forward : memory->recoded;
    if (memory->recoding != NULL)
        memory->recoding->destroy(memory->recoding);
    if (model->judge != NULL)
        model->judge->destroy((struct model_judge *)(uintptr_t)model->judge);
    name_map_finish(&memory->variable_names);
    term_store_destroy(memory->store);
    arena_finish(&memory->arena);
    memory_free(memory);
    model_destroy(below);
}

const struct variable *model_find_variable(const struct model *model, const char *name)
{
    uint32_t index = name_map_find(&model->memory->variable_names, name);
    return index == UINT32_MAX ? NULL : model->variables[index];
}

const struct model *model_root(const struct model *model)
{
    while (model->source != NULL)
        model = model->source;
    return model;
}

static uint32_t term_slot(uint32_t bits, uint32_t id)
{
    return bits ? (id * 0x9e3779b1u) >> (32 - bits) : 0;
}

static uint32_t pointer_slot(uint32_t bits, const char *name)
{
    return bits ? (uint32_t)(((uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u) >> (64 - bits)) : 0;
}

bool model_has_arrays(const struct model *model)
{
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (model->variables[v]->sort->kind == SORT_ARRAY)
            return true;
    return false;
}

const struct variable *model_variable_of(const struct model *model, const struct term *variable)
{
    assert(variable->kind == TERM_VAR);
    const struct model_memory *memory = model->memory;
    uint32_t mask = (1u << memory->table_bits) - 1;
    if (variable->u.var.index == 0) {
        for (uint32_t slot = term_slot(memory->table_bits, variable->id); memory->by_term[slot];
             slot = (slot + 1) & mask) {
            const struct variable *found = model->variables[memory->by_term[slot] - 1];
            if (found->term == variable)
                return found;
        }
        return NULL;
    }
    const char *name = variable->u.var.name;
    for (uint32_t slot = pointer_slot(memory->table_bits, name); memory->by_name[slot];
         slot = (slot + 1) & mask) {
        const struct variable *found = model->variables[memory->by_name[slot] - 1];
        if (found->name == name)
            return found->sort == variable->sort ? found : NULL;
    }
    return NULL;
}

// Building.

struct model_builder *model_builder_create(const struct dialect *dialect, const char *path,
                                           struct term_store *parent)
{
    struct model_builder *builder = memory_zalloc(sizeof *builder);
    struct model_memory *memory = memory_zalloc(sizeof *memory);
    arena_init(&memory->arena);
    memory->store = term_store_create(parent);
    builder->memory = memory;
    builder->model = arena_zalloc(&memory->arena, sizeof *builder->model);
    builder->model->dialect = dialect;
    builder->model->path = arena_strdup(&memory->arena, path != NULL ? path : "");
    builder->model->store = memory->store;
    builder->model->memory = memory;
    return builder;
}

struct model_builder *model_builder_prepare(const struct model *source)
{
    struct model_builder *builder =
        model_builder_create(source->dialect, source->path, source->store);
    builder->source = source;
    builder->model->source = source;
    return builder;
}

// Frees what only building needs.
static void finish_builder(struct model_builder *builder)
{
    VECTOR_FINISH(&builder->variables);
    VECTOR_FINISH(&builder->locations);
    VECTOR_FINISH(&builder->edges);
    name_map_finish(&builder->location_names);
    memory_free(builder);
}

void model_builder_destroy(struct model_builder *builder)
{
    if (builder == NULL)
        return;
    struct model *model = builder->model;
    finish_builder(builder);
    model_destroy(model);
}

struct term_store *model_builder_store(struct model_builder *builder)
{
    return builder->memory->store;
}

static struct position own_position(struct model_builder *builder, struct position position)
{
    if (position.path == NULL)
        return position;
    if (strcmp(position.path, builder->model->path) == 0)
        position.path = builder->model->path;
    else if (builder->last_path != NULL && strcmp(position.path, builder->last_path) == 0)
        position.path = builder->last_path;
    else
        position.path = builder->last_path = arena_strdup(&builder->memory->arena, position.path);
    return position;
}

const struct variable *model_builder_variable(struct model_builder *builder, const char *name,
                                              const struct sort *sort, uint32_t flags,
                                              struct position source)
{
    if (model_builder_find(builder, name) != NULL)
        return NULL;
    struct variable *variable = arena_zalloc(&builder->memory->arena, sizeof *variable);
    variable->term = term_var(builder->memory->store, name, sort);
    variable->name = variable->term->u.var.name;
    variable->sort = sort;
    variable->index = (uint32_t)builder->variables.count;
    variable->flags = flags;
    variable->source = own_position(builder, source);
    VECTOR_PUSH(&builder->variables, variable);
    name_map_add(&builder->memory->variable_names, variable->name, variable->index);
    return variable;
}

void model_builder_float(struct model_builder *builder, const struct variable *variable,
                         uint32_t exponent_bits)
{
    assert(variable->sort->kind == SORT_BV && exponent_bits + 1 < variable->sort->width);
    builder->variables.data[variable->index]->float_exponent = exponent_bits;
}

void variable_print(struct text *out, const struct variable *variable, struct value value)
{
    if (variable->float_exponent != 0)
        print_float(out, variable->sort, variable->float_exponent, value);
    else
        print_value(out, variable->sort, value);
}

const struct variable *model_builder_find(struct model_builder *builder, const char *name)
{
    uint32_t index = name_map_find(&builder->memory->variable_names, name);
    return index == UINT32_MAX ? NULL : builder->variables.data[index];
}

const struct variable *model_builder_fresh(struct model_builder *builder, const char *stem,
                                           const struct sort *sort, uint32_t flags,
                                           struct position source)
{
    // `!` is in no identifier of any input language, so later declarations cannot clash.
    struct text name;
    text_init(&name);
    const struct variable *variable = NULL;
    while (variable == NULL) {
        text_clear(&name);
        text_printf(&name, "%s!%u", stem, builder->fresh_names++);
        variable = model_builder_variable(builder, text_string(&name), sort, flags, source);
    }
    text_finish(&name);
    return variable;
}

struct location *model_builder_location(struct model_builder *builder, const char *name,
                                        enum location_phase phase, bool observable)
{
    struct text fresh;
    text_init(&fresh);
    while (name == NULL) {
        text_clear(&fresh);
        text_printf(&fresh, "!%u", builder->fresh_names++);
        if (name_map_find(&builder->location_names, text_string(&fresh)) == UINT32_MAX)
            name = text_string(&fresh);
    }
    struct location *location = NULL;
    if (name_map_find(&builder->location_names, name) == UINT32_MAX) {
        location = arena_zalloc(&builder->memory->arena, sizeof *location);
        location->name = arena_strdup(&builder->memory->arena, name);
        location->index = (uint32_t)builder->locations.count;
        location->observable = observable;
        location->phase = phase;
        location->origin = builder->source != NULL ? NULL : location;
        VECTOR_PUSH(&builder->locations, location);
        name_map_add(&builder->location_names, location->name, location->index);
    }
    text_finish(&fresh);
    return location;
}

void model_builder_location_state(struct model_builder *builder, struct location *location,
                                  const struct variable *const *arguments, size_t count)
{
    assert(location->arguments == NULL && count <= builder->variables.count);
    const struct variable **copy =
        arena_alloc(&builder->memory->arena, (count + 1) * sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = arguments[i];
    location->arguments = copy;
    location->argument_count = (uint32_t)count;
}

#define UNNUMBERED UINT32_MAX

static struct statement *make(struct model_builder *builder, enum statement_kind kind,
                              struct position source)
{
    struct statement *statement = arena_zalloc(&builder->memory->arena, sizeof *statement);
    statement->kind = kind;
    statement->id = UNNUMBERED;
    statement->origin = builder->source != NULL ? NULL : statement;
    statement->source = own_position(builder, source);
    return statement;
}

static void set_children(struct model_builder *builder, struct statement *parent,
                         struct statement *const *children, size_t count)
{
    const struct statement **copy =
        arena_alloc(&builder->memory->arena, (count ? count : 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        assert(children[i] != NULL);
        assert(children[i]->id == UNNUMBERED && "of this builder, which has not finished");
        copy[i] = children[i];
    }
    parent->child = copy;
    parent->child_count = (uint32_t)count;
}

struct statement *model_skip(struct model_builder *builder, struct position source)
{
    return make(builder, STATEMENT_SKIP, source);
}

void model_statement_written(struct model_builder *builder, struct statement *statement,
                             const char *written)
{
    assert(statement->expression != NULL && statement->origin == statement);
    statement->written = arena_strdup(&builder->memory->arena, written);
}

struct statement *model_assign(struct model_builder *builder, const struct variable *variable,
                               const struct term *expression, struct position source)
{
    assert(variable->sort == expression->sort);
    assert(builder->variables.data[variable->index] == variable);
    struct statement *statement = make(builder, STATEMENT_ASSIGN, source);
    statement->variable = variable;
    statement->expression = expression;
    return statement;
}

struct statement *model_assume(struct model_builder *builder, const struct term *condition,
                               struct position source)
{
    assert(condition->sort->kind == SORT_BOOL);
    struct statement *statement = make(builder, STATEMENT_ASSUME, source);
    statement->expression = condition;
    return statement;
}

struct statement *model_havoc(struct model_builder *builder, const struct variable *variable,
                              struct position source)
{
    assert(builder->variables.data[variable->index] == variable);
    struct statement *statement = make(builder, STATEMENT_HAVOC, source);
    statement->variable = variable;
    return statement;
}

struct statement *model_sequence(struct model_builder *builder, struct statement *const *children,
                                 size_t count, struct position source)
{
    struct statement *statement = make(builder, STATEMENT_SEQUENCE, source);
    set_children(builder, statement, children, count);
    return statement;
}

struct statement *model_choice(struct model_builder *builder, struct statement *const *children,
                               size_t count, struct position source)
{
    assert(count > 0);
    struct statement *statement = make(builder, STATEMENT_CHOICE, source);
    set_children(builder, statement, children, count);
    return statement;
}

struct statement *model_if(struct model_builder *builder, const struct term *condition,
                           struct statement *then, struct statement *otherwise,
                           struct position source)
{
    assert(condition->sort->kind == SORT_BOOL);
    struct statement *statement = make(builder, STATEMENT_IF, source);
    statement->expression = condition;
    set_children(builder, statement, (struct statement *[]){then, otherwise}, 2);
    return statement;
}

struct edge *model_builder_edge(struct model_builder *builder, struct location *source,
                                struct location *target, struct statement *action,
                                const char *label, struct position position)
{
    assert(source && target && action);
    assert(builder->locations.data[source->index] == source &&
           builder->locations.data[target->index] == target);
    struct edge *edge = arena_zalloc(&builder->memory->arena, sizeof *edge);
    edge->id = (uint32_t)builder->edges.count;
    edge->source = source;
    edge->target = target;
    edge->action = action;
    struct text made;
    text_init(&made);
    if (label == NULL)
        text_printf(&made, "%s -> %s", source->name, target->name);
    edge->label = arena_strdup(&builder->memory->arena, label != NULL ? label : text_string(&made));
    text_finish(&made);
    edge->position = own_position(builder, position);
    if (builder->source == NULL) {
        const struct edge **self = arena_alloc(&builder->memory->arena, sizeof *self);
        *self = edge;
        edge->origin = self;
        edge->origin_count = 1;
    }
    VECTOR_PUSH(&builder->edges, edge);
    return edge;
}

void model_builder_limit(struct edge *edge, const char *limit)
{
    assert(edge->limit == NULL);
    edge->limit = limit;
}

void model_builder_initial(struct model_builder *builder, struct location *initial,
                           struct statement *action)
{
    assert(builder->locations.data[initial->index] == initial);
    builder->model->initial = initial;
    builder->model->initial_action = action;
}

void model_builder_error(struct model_builder *builder, struct location *error)
{
    assert(builder->locations.data[error->index] == error);
    builder->model->error = error;
}

void model_builder_property(struct model_builder *builder, const struct term *property)
{
    assert(!property || property->sort->kind == SORT_BOOL);
    builder->model->property = property;
}

void model_builder_bad_number(struct model_builder *builder, uint32_t number)
{
    builder->model->bad_number = number;
}

void model_builder_view(struct model_builder *builder, struct model_view *view)
{
    assert(!builder->model->view);
    builder->model->view = view;
}

void model_builder_judge(struct model_builder *builder, struct model_judge *judge)
{
    assert(builder->model->judge == NULL);
    builder->model->judge = judge;
}

static void number(struct model *model, const struct statement *action)
{
    // The builder made it; only the finished model is immutable.
    struct statement *statement = (struct statement *)(uintptr_t)action;
    assert(statement->id == UNNUMBERED && "a statement is used in one place only");
    assert(statement->variable == NULL ||
           model->variables[statement->variable->index] == statement->variable);
    statement->id = model->statement_count++;
    for (uint32_t i = 0; i < statement->child_count; i++)
        number(model, statement->child[i]);
}

static void link_edges(struct model_builder *builder)
{
    struct arena *arena = &builder->memory->arena;
    size_t count = builder->locations.count;
    for (size_t i = 0; i < builder->edges.count; i++) {
        builder->locations.data[builder->edges.data[i]->source->index]->out_count++;
        builder->locations.data[builder->edges.data[i]->target->index]->in_count++;
    }
    const struct edge ***out = memory_zalloc((count + 1) * sizeof *out);
    const struct edge ***in = memory_zalloc((count + 1) * sizeof *in);
    for (size_t i = 0; i < count; i++) {
        struct location *location = builder->locations.data[i];
        location->out = out[i] = arena_alloc(arena, (location->out_count + 1) * sizeof **out);
        location->in = in[i] = arena_alloc(arena, (location->in_count + 1) * sizeof **in);
    }
    for (size_t i = 0; i < builder->edges.count; i++) {
        const struct edge *edge = builder->edges.data[i];
        *out[edge->source->index]++ = edge;
        *in[edge->target->index]++ = edge;
    }
    memory_free(out);
    memory_free(in);
}

static void index_variables(struct model *model)
{
    struct model_memory *memory = model->memory;
    while ((1u << memory->table_bits) < 2 * (model->variable_count + 1))
        memory->table_bits++;
    uint32_t capacity = 1u << memory->table_bits, mask = capacity - 1;
    assert(capacity > model->variable_count && "a free slot ends every search");
    memory->by_term = arena_zalloc(&memory->arena, capacity * sizeof *memory->by_term);
    memory->by_name = arena_zalloc(&memory->arena, capacity * sizeof *memory->by_name);
    for (uint32_t i = 0; i < model->variable_count; i++) {
        uint32_t slot = term_slot(memory->table_bits, model->variables[i]->term->id);
        while (memory->by_term[slot])
            slot = (slot + 1) & mask;
        memory->by_term[slot] = i + 1;
        slot = pointer_slot(memory->table_bits, model->variables[i]->name);
        while (memory->by_name[slot])
            slot = (slot + 1) & mask;
        memory->by_name[slot] = i + 1;
    }
}

static const void *keep(struct arena *arena, const void *data, size_t bytes)
{
    void *copy = arena_alloc(arena, bytes ? bytes : 1);
    if (bytes)
        memcpy(copy, data, bytes);
    return copy;
}

struct model *model_builder_finish(struct model_builder *builder)
{
    struct model *model = builder->model;
    struct arena *arena = &builder->memory->arena;
    assert(model->initial && model->error);
    if (model->initial_action == NULL)
        model->initial_action = model_skip(builder, (struct position){0});
    link_edges(builder);
    model->variable_count = (uint32_t)builder->variables.count;
    model->variables = keep(arena, builder->variables.data,
                            builder->variables.count * sizeof *builder->variables.data);
    model->location_count = (uint32_t)builder->locations.count;
    model->locations = keep(arena, builder->locations.data,
                            builder->locations.count * sizeof *builder->locations.data);
    model->edge_count = (uint32_t)builder->edges.count;
    model->edges =
        keep(arena, builder->edges.data, builder->edges.count * sizeof *builder->edges.data);
    number(model, model->initial_action);
    for (uint32_t i = 0; i < model->edge_count; i++)
        number(model, model->edges[i]->action);
    index_variables(model);
    model_compute_features(model);
    finish_builder(builder);
    return model;
}
