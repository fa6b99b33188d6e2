#include "base/memory.h"

#include <assert.h>

#include "engines/domains/autoexpl.h"
#include "engines/domains/domain.h"
#include "engines/domains/hierarchy.h"
#include "engines/domains/predicate_part.h"

// Products of explicit values and predicates (docs/definitions/cegar.md 4): a state is a pair, its precision too.
//
// EXPL_PRED_CART, EXPL_PRED_BOOL and EXPL_PRED_SPLIT ask for the predicates after a step together with the
// values before it (pre-strengthening), combine each result with each successor of the values, and drop
// pairs that contradict themselves (strengthening). EXPL_PRED_COMBINED asks for the predicates after a step
// together with the values after it, and for the values together with the predicates before.
//
// The values come by evaluation wherever it decides. What the solver is asked is remembered by the values
// that the action, or a predicate, can see at all.

// A formula that a refutation wanted at a location and that was left to values.
struct left_to_values {
    const struct location *location;
    const struct term *term;
};

struct domain {
    struct domain_head head;
    struct action_solvers solvers;
    struct explicit_part values;
    struct predicate_part predicates;
    struct autoexpl *autoexpl;
    bool joint; // EXPL_PRED_COMBINED
    size_t words;
    struct state_table pairs;             // explicit state << 32 | predicate state
    VECTOR(const struct term *) formulas; // per pair, NULL until asked for
    struct state_table classes;           // pairs of classes
    VECTOR(uint32_t) class_of;            // per pair
    // Per location: variables that were tracked there and still had no value.
    variable_bits **unknown;
    // Of the refinements since the last step. Where they changed nothing, values evidently do not do:
    // the product of the two posts is weaker than a joint one. Then these become predicates.
    VECTOR(struct left_to_values) left;
    bool refined; // something changed
    variable_bits *scratch;
    struct state_list value_states, predicate_states; // scratch
};

static uint32_t intern(struct domain *d, uint32_t value, uint32_t predicate)
{
    uint64_t word = (uint64_t)value << 32 | predicate;
    uint32_t id = state_table_intern(&d->pairs, &word, 1, hash_mix(word + 1));
    if (id == d->formulas.count) {
        uint64_t class = (uint64_t)explicit_part_class_of(&d->values, value) << 32 |
                         predicate_part_class_of(&d->predicates, predicate);
        VECTOR_PUSH(&d->formulas, NULL);
        VECTOR_PUSH(&d->class_of, state_table_intern(&d->classes, &class, 1, hash_mix(class + 1)));
    }
    assert(id < d->formulas.count && d->formulas.count == d->class_of.count);
    return id;
}

static uint32_t value_of(const struct domain *d, uint32_t state)
{
    return (uint32_t)(state_table_get(&d->pairs, state)->words[0] >> 32);
}

static uint32_t predicate_of(const struct domain *d, uint32_t state)
{
    return (uint32_t)state_table_get(&d->pairs, state)->words[0];
}

// Precision.

static variable_bits *unknown_at(const struct domain *d, const struct location *location)
{
    return d->unknown[location->index];
}

// Will values carry this formula at the location? Not when some variable has none though it is tracked.
static bool is_for_values(const struct domain *d, const struct location *location,
                          const variable_bits *variables)
{
    return variable_bits_within(variables, autoexpl_explicit(d->autoexpl), d->words) &&
           !variable_bits_meet(variables, unknown_at(d, location), d->words);
}

static bool track_all(struct domain *d, uint32_t place, const variable_bits *variables)
{
    const struct model *model = d->head.workspace->model;
    bool changed = false;
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (variable_bits_get(variables, v) && variable_bits_get(autoexpl_explicit(d->autoexpl), v))
            changed |= explicit_part_track(&d->values, place, model->variables[v]);
    return changed;
}

// One formula, not split any more.
static bool add_formula(struct domain *d, const struct location *location, const struct term *term)
{
    if (term_is_literal(term))
        return false;
    variable_bits *variables = memory_zalloc(d->words * sizeof *variables);
    variable_bits_add_term(variables, d->head.workspace->model, term);
    bool changed = track_all(d, location->index, variables);
    if (is_for_values(d, location, variables))
        VECTOR_PUSH(&d->left, ((struct left_to_values){location, term}));
    else
        changed |= predicate_part_add(&d->predicates, location, term);
    memory_free(variables);
    return changed;
}

static bool add_parts(struct domain *d, const struct location *location, const struct term *term,
                      int64_t split)
{
    struct term_vector parts = {0};
    hierarchy_split(d->head.workspace, term, split, &parts);
    bool changed = false;
    for (size_t i = 0; i < parts.count; i++)
        changed |= add_formula(d, location, parts.data[i]);
    VECTOR_FINISH(&parts);
    return changed;
}

static void add_everywhere(void *context, const struct term *term)
{
    struct domain *d = context;
    const struct model *model = d->head.workspace->model;
    for (uint32_t l = 0; l < (d->predicates.local ? model->location_count : 1); l++)
        add_parts(d, model->locations[l], term, PREDSPLIT_ATOMS);
}

static void take_back_from_values(struct domain *d)
{
    bool changed = false;
    for (size_t i = 0; i < d->left.count && !d->refined; i++)
        changed |=
            predicate_part_add(&d->predicates, d->left.data[i].location, d->left.data[i].term);
    VECTOR_CLEAR(&d->left);
    d->refined = false;
    d->head.precision_id += changed;
}

// The explicit variables changed: values of others are forgotten, predicates wholly over explicit variables
// become values.
static void settle(struct domain *d)
{
    assert(d->predicates.local == d->values.local && "one granularity");
    const struct model *model = d->head.workspace->model;
    struct predicate_part *p = &d->predicates;
    for (uint32_t l = 0; l < (p->local ? model->location_count : 1); l++) {
        for (uint32_t v = 0; v < model->variable_count; v++)
            if (!variable_bits_get(autoexpl_explicit(d->autoexpl), v))
                explicit_part_untrack(&d->values, l, model->variables[v]);
        for (size_t i = p->precision[l].count; i-- > 0;) {
            uint32_t number = p->precision[l].data[i];
            const variable_bits *variables = p->table.items.data[number].variables;
            track_all(d, l, variables);
            if (is_for_values(d, model->locations[l], variables))
                predicate_part_drop(p, l, number);
        }
    }
}

static void initial_precision(struct domain *d)
{
    const struct workspace *ws = d->head.workspace;
    const struct model *model = ws->model;
    int64_t kind = workspace_option(ws, OPTION_INITPREC);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *x = model->variables[v];
        bool first = hierarchy_begins_with(x, kind == INITPREC_TOP ? kind : INITPREC_CTRL);
        if (first || (kind == INITPREC_ALLVARS && !(x->flags & VARIABLE_LOCAL)))
            explicit_part_track_everywhere(&d->values, x);
    }
    if ((kind == INITPREC_PROP || kind == INITPREC_PROP_CTRL) && model->property != NULL)
        add_everywhere(d, model->property);
    if (kind == INITPREC_ALLASSUMES)
        predicate_each_assumption(model, add_everywhere, d);
}

static struct domain *create(struct workspace *workspace,
                             const struct domain_operations *operations,
                             enum predicate_abstraction abstraction, bool joint)
{
    const struct model *model = workspace->model;
    struct domain *d = memory_zalloc(sizeof *d);
    d->head = (struct domain_head){.operations = operations, .workspace = workspace};
    d->joint = joint;
    d->words = variable_bits_words(model->variable_count);
    action_solvers_init(&d->solvers, workspace);
    explicit_part_init(&d->values, workspace, &d->solvers);
    predicate_part_init(&d->predicates, workspace, &d->solvers, abstraction);
    d->autoexpl = autoexpl_create(workspace, &d->values);
    state_table_init(&d->pairs);
    state_table_init(&d->classes);
    d->unknown = memory_zalloc((model->location_count + 1) * sizeof *d->unknown);
    for (uint32_t l = 0; l < model->location_count; l++)
        d->unknown[l] = memory_zalloc(d->words * sizeof **d->unknown);
    d->scratch = memory_zalloc(d->words * sizeof *d->scratch);
    initial_precision(d);
    VECTOR_CLEAR(&d->left);
    return d;
}

static struct domain *create_cartesian(struct workspace *workspace)
{
    return create(workspace, &domain_product_cartesian, PREDICATES_CARTESIAN, false);
}

static struct domain *create_boolean(struct workspace *workspace)
{
    return create(workspace, &domain_product_boolean, PREDICATES_BOOLEAN, false);
}

static struct domain *create_split(struct workspace *workspace)
{
    return create(workspace, &domain_product_split, PREDICATES_SPLIT, false);
}

static struct domain *create_combined(struct workspace *workspace)
{
    return create(workspace, &domain_product_combined, PREDICATES_BOOLEAN, true);
}

static void destroy(struct domain *d)
{
    if (d == NULL)
        return;
    autoexpl_destroy(d->autoexpl);
    predicate_part_finish(&d->predicates);
    explicit_part_finish(&d->values);
    action_solvers_finish(&d->solvers);
    for (uint32_t l = 0; l < d->head.workspace->model->location_count; l++)
        memory_free(d->unknown[l]);
    memory_free(d->unknown);
    memory_free(d->scratch);
    state_table_finish(&d->pairs);
    state_table_finish(&d->classes);
    VECTOR_FINISH(&d->formulas);
    VECTOR_FINISH(&d->class_of);
    VECTOR_FINISH(&d->left);
    VECTOR_FINISH(&d->value_states);
    VECTOR_FINISH(&d->predicate_states);
    memory_free(d);
}

// Steps.

// One step of a pair.
struct step {
    const struct statement *action;
    uint32_t slot, value, predicate;
    const struct location *target;
    bool certain; // the successors of the values are none too many
};

static bool knows_predicates(const struct domain *d, const struct step *s)
{
    return s->target != d->head.workspace->model->error &&
           predicate_part_precision(&d->predicates, s->target)->count > 0;
}

// The variables whose values before the step matter to the predicates after it.
static void visible_before(struct domain *d, const struct step *s, variable_bits *out)
{
    const struct footprint *f = action_solvers_footprint(&d->solvers, s->action, s->slot);
    for (size_t w = 0; w < d->words; w++)
        out[w] = f->touched[w];
    const struct predicate_table *table = &d->predicates.table;
    if (knows_predicates(d, s)) {
        const struct state_list *precision = predicate_part_precision(&d->predicates, s->target);
        for (size_t i = 0; i < precision->count; i++)
            for (size_t w = 0; w < d->words; w++)
                out[w] |= table->items.data[precision->data[i]].variables[w];
    }
    uint64_t one;
    uint32_t count;
    const uint64_t *cubes = predicate_part_cubes(&d->predicates, s->predicate, &one, &count);
    for (uint32_t c = 0; c < count; c++) {
        const struct state_entry *cube = state_table_get(&d->predicates.cubes, (uint32_t)cubes[c]);
        for (uint32_t i = 0; i < cube->count; i++)
            for (size_t w = 0; w < d->words; w++)
                out[w] |= predicate_table_get(table, cube->words[i])->variables[w];
    }
}

static void note_unknown(struct domain *d, const struct step *s)
{
    variable_bits *unknown = unknown_at(d, s->target);
    const variable_bits *tracked = d->values.precision[s->target->index];
    for (size_t i = 0; i < d->value_states.count; i++) {
        const variable_bits *known = explicit_part_known(&d->values, d->value_states.data[i]);
        for (size_t w = 0; w < d->words; w++)
            unknown[w] |= tracked[w] & ~known[w];
    }
}

static bool post_values(struct domain *d, struct step *s)
{
    struct explicit_query query = {
        .action = s->action,
        .slot = s->slot,
        .state = s->value,
        .target = s->target,
        .caller_checks = d->joint,
        .caller_checks_only = true,
    };
    if (d->joint && !predicate_part_is_true(&d->predicates, s->predicate)) {
        query.constraint = predicate_part_formula(&d->predicates, s->predicate);
        query.constraint_id = s->predicate + 1;
    }
    VECTOR_CLEAR(&d->value_states);
    if (!explicit_part_post(&d->values, &query, &d->value_states, &s->certain))
        return false;
    note_unknown(d, s);
    return true;
}

// Predicates after the step; `after`: with these values then, STATE_NONE for any.
static bool post_predicates(struct domain *d, const struct step *s, uint32_t after)
{
    VECTOR_CLEAR(&d->predicate_states);
    bool blank = predicate_part_is_true(&d->predicates, s->predicate);
    if (s->certain && blank && !knows_predicates(d, s)) { // nothing to ask
        VECTOR_PUSH(&d->predicate_states, s->predicate);
        return true;
    }
    visible_before(d, s, d->scratch);
    uint32_t before = explicit_part_project(&d->values, s->value, d->scratch);
    struct predicate_query query = {
        .action = s->action,
        .slot = s->slot,
        .state = s->predicate,
        .target = s->target,
        .before = explicit_part_formula(&d->values, before),
        .before_id = before + 1,
        .row = explicit_part_row(&d->values, before),
    };
    if (after != STATE_NONE) {
        // What the action does not write is known from before, or not to be seen.
        const struct footprint *f = action_solvers_footprint(&d->solvers, s->action, s->slot);
        uint32_t written = explicit_part_project(&d->values, after, f->written);
        query.after = explicit_part_formula(&d->values, written);
        query.after_id = written + 1;
    }
    assert(explicit_part_covers(&d->values, before, s->value));
    return predicate_part_post(&d->predicates, &query, &d->predicate_states);
}

// Does evaluation decide a cube under the values? Unknown when some literal is open.
static struct value cube_value(struct domain *d, uint64_t cube, const struct value *row)
{
    const struct state_entry *entry = state_table_get(&d->predicates.cubes, (uint32_t)cube);
    struct value all = value_bool(true);
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct term *literal = predicate_table_term(&d->predicates.table, entry->words[i]);
        struct value v = explicit_post_evaluate(d->values.post, literal, row);
        if (value_is_false(v))
            return v;
        if (!value_known(v))
            all = VALUE_UNKNOWN;
    }
    return all;
}

// Strengthening: is there a concrete state of this pair?
static bool is_consistent(struct domain *d, uint32_t value, uint32_t predicate)
{
    const struct value *row = explicit_part_row(&d->values, value);
    uint64_t one;
    uint32_t count;
    const uint64_t *cubes = predicate_part_cubes(&d->predicates, predicate, &one, &count);
    assert(count > 0 && "a state has a cube");
    bool open = false;
    for (size_t w = 0; w < d->words; w++)
        d->scratch[w] = 0;
    for (uint32_t c = 0; c < count; c++) {
        struct value v = cube_value(d, cubes[c], row);
        if (value_is_true(v))
            return true;
        open |= !value_known(v);
        const struct state_entry *cube = state_table_get(&d->predicates.cubes, (uint32_t)cubes[c]);
        for (uint32_t i = 0; i < cube->count; i++)
            for (size_t w = 0; w < d->words; w++)
                d->scratch[w] |=
                    predicate_table_get(&d->predicates.table, cube->words[i])->variables[w];
    }
    if (!open)
        return false;
    uint32_t seen = explicit_part_project(&d->values, value, d->scratch);
    if (seen == explicit_part_anything(&d->values))
        return true;
    return predicate_part_consistent(&d->predicates, (uint64_t[]){seen, predicate, 0},
                                     explicit_part_formula(&d->values, seen),
                                     predicate_part_formula(&d->predicates, predicate));
}

static void push_pairs(struct domain *d, uint32_t value, bool strengthen, struct state_list *out)
{
    assert(value != STATE_NONE);
    for (size_t i = 0; i < d->predicate_states.count; i++)
        if (!strengthen || is_consistent(d, value, d->predicate_states.data[i]))
            VECTOR_PUSH(out, intern(d, value, d->predicate_states.data[i]));
}

static bool transfer(struct domain *d, struct step *s, struct state_list *out)
{
    if (d->left.count || d->refined)
        take_back_from_values(d);
    if (!post_values(d, s))
        return false;
    size_t count = d->value_states.count;
    if (count && !d->joint && !post_predicates(d, s, STATE_NONE))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = d->value_states.data[i];
        // The only successor's values hold after every concrete step: no need to say so.
        if (d->joint && !post_predicates(d, s, count == 1 ? STATE_NONE : value))
            return false;
        push_pairs(d, value, !d->joint, out);
    }
    return workspace_step(d->head.workspace, 1);
}

static bool initial(struct domain *d, struct state_list *out)
{
    const struct model *model = d->head.workspace->model;
    struct step step = {
        .action = model->initial_action,
        .slot = model->edge_count,
        .value = explicit_part_anything(&d->values),
        .predicate = predicate_part_true(&d->predicates),
        .target = model->initial,
    };
    return transfer(d, &step, out);
}

static bool successors(struct domain *d, uint32_t state, const struct edge *edge,
                       struct state_list *out)
{
    struct step step = {
        .action = edge->action,
        .slot = edge->id,
        .value = value_of(d, state),
        .predicate = predicate_of(d, state),
        .target = edge->target,
    };
    return transfer(d, &step, out);
}

// Order: in both parts.

static bool covers(struct domain *d, uint32_t larger, uint32_t smaller)
{
    return explicit_part_covers(&d->values, value_of(d, larger), value_of(d, smaller)) &&
           predicate_part_covers(&d->predicates, predicate_of(d, larger), predicate_of(d, smaller));
}

static uint32_t class_of(struct domain *d, uint32_t state)
{
    return d->class_of.data[state];
}

static uint32_t coverer_in_class(struct domain *d, uint32_t state, uint32_t class)
{
    uint64_t classes = state_table_get(&d->classes, class)->words[0];
    uint32_t value =
        explicit_part_coverer(&d->values, value_of(d, state), (uint32_t)(classes >> 32));
    if (value == STATE_NONE)
        return STATE_NONE;
    uint32_t predicate =
        predicate_part_coverer(&d->predicates, predicate_of(d, state), (uint32_t)classes);
    if (predicate == STATE_NONE)
        return STATE_NONE;
    assert(value_of(d, state) == value ||
           explicit_part_covers(&d->values, value, value_of(d, state)));
    uint64_t word = (uint64_t)value << 32 | predicate;
    return state_table_find(&d->pairs, &word, 1, hash_mix(word + 1));
}

static const struct term *formula(struct domain *d, uint32_t state)
{
    if (d->formulas.data[state] == NULL)
        d->formulas.data[state] = term_and2(
            d->head.workspace->store, explicit_part_formula(&d->values, value_of(d, state)),
            predicate_part_formula(&d->predicates, predicate_of(d, state)));
    assert(d->formulas.data[state]->sort->kind == SORT_BOOL);
    return d->formulas.data[state];
}

static bool refine(struct domain *d, const struct location *location,
                   const struct term *interpolant, const struct term *const *variables,
                   size_t variable_count)
{
    const struct model *model = d->head.workspace->model;
    bool changed = false;
    if (interpolant != NULL) {
        if (autoexpl_observe(d->autoexpl, interpolant)) {
            settle(d);
            changed = true;
        }
        changed |= add_parts(d, location, interpolant, d->predicates.split);
    }
    for (size_t i = 0; i < variable_count; i++) {
        const struct variable *x = model_variable_of(model, variables[i]);
        changed |= x != NULL && explicit_part_track(&d->values, location->index, x);
    }
    d->head.precision_id += changed;
    d->refined |= changed;
    return changed;
}

static uint64_t precision_size(const struct domain *d)
{
    return d->values.precision_size + d->predicates.precision_size;
}

static void each_element(const struct domain *d,
                         void (*take)(void *context, const struct precision_item *item),
                         void *context)
{
    explicit_part_each(&d->values, take, context);
    predicate_part_each(&d->predicates, take, context);
}

static size_t bytes(const struct domain *d)
{
    return explicit_part_bytes(&d->values) + predicate_part_bytes(&d->predicates) +
           action_solvers_bytes(&d->solvers) + state_table_bytes(&d->pairs) +
           state_table_bytes(&d->classes) + d->formulas.capacity * sizeof *d->formulas.data;
}

#define PRODUCT_OPERATIONS(text, create_function)                                                  \
    {                                                                                              \
        .name = text, .create = create_function, .destroy = destroy, .initial = initial,           \
        .successors = successors, .covers = covers, .class_of = class_of,                          \
        .coverer_in_class = coverer_in_class, .formula = formula, .refine = refine,                \
        .precision_size = precision_size, .each_element = each_element, .bytes = bytes,            \
    }

const struct domain_operations domain_product_cartesian =
    PRODUCT_OPERATIONS("EXPL_PRED_CART", create_cartesian);
const struct domain_operations domain_product_boolean =
    PRODUCT_OPERATIONS("EXPL_PRED_BOOL", create_boolean);
const struct domain_operations domain_product_split =
    PRODUCT_OPERATIONS("EXPL_PRED_SPLIT", create_split);
const struct domain_operations domain_product_combined =
    PRODUCT_OPERATIONS("EXPL_PRED_COMBINED", create_combined);
