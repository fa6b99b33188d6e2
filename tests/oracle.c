#include "tests/oracle.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/vector.h"

// Breadth-first search over concrete states. An action is run by a plain interpreter again and
// again, once for each way to resolve its choices: a vector of picks is counted up like an
// odometer. A variable whose start value does not matter yet is UNSET; reading it is one more
// choice.

#define UNSET INT64_MIN

struct pick {
    const struct statement *statement; // NULL: the start value of `variable`
    uint32_t variable;
    uint32_t taken, arity;
};

// A state that was found, and how.
struct node {
    uint32_t location;
    uint32_t parent; // NO_PARENT: by the initial action
    uint32_t edge;
    uint32_t first_pick, pick_count;
};

#define NO_PARENT UINT32_MAX

struct oracle {
    const struct model *model;
    uint32_t width; // variables
    VECTOR(struct node) nodes;
    VECTOR(int64_t) values; // of all nodes, width each
    VECTOR(struct pick) kept_picks;
    uint32_t *table; // node + 1; open addressing
    size_t table_capacity;
    // While an action runs.
    int64_t *now;
    VECTOR(struct pick) picks;
    size_t next_pick;
    bool unsupported;
};

static uint32_t domain_size(struct oracle *oracle, const struct sort *sort)
{
    switch (sort->kind) {
    case SORT_BOOL:
        return 2;
    case SORT_ENUM:
        return sort->literal_count;
    case SORT_INT:
        return ORACLE_INT_HIGH - ORACLE_INT_LOW + 1;
    case SORT_BV:
        if (sort->width <= 6)
            return 1u << sort->width;
        break;
    default:
        break;
    }
    oracle->unsupported = true;
    return 1;
}

static int64_t domain_value(const struct sort *sort, uint32_t number)
{
    return sort->kind == SORT_INT ? (int64_t)number + ORACLE_INT_LOW : (int64_t)number;
}

static uint32_t choose(struct oracle *oracle, const struct statement *statement, uint32_t variable,
                       uint32_t arity)
{
    if (oracle->next_pick == oracle->picks.count)
        VECTOR_PUSH(&oracle->picks, ((struct pick){statement, variable, 0, arity}));
    return oracle->picks.data[oracle->next_pick++].taken;
}

// Evaluation, from the definitions in docs/definitions/formats.md 1.3 and SMT-LIB.

static int64_t eval(struct oracle *oracle, const struct term *term);

static int64_t eval_variable(struct oracle *oracle, const struct term *term)
{
    const struct variable *variable = model_variable_of(oracle->model, term);
    if (variable == NULL) {
        oracle->unsupported = true;
        return 0;
    }
    int64_t *value = &oracle->now[variable->index];
    if (*value == UNSET)
        *value = domain_value(
            term->sort, choose(oracle, NULL, variable->index, domain_size(oracle, term->sort)));
    return *value;
}

static int64_t euclidean_remainder(int64_t a, int64_t b)
{
    int64_t r = a % b;
    return r < 0 ? r + (b < 0 ? -b : b) : r;
}

static int64_t eval_division(struct oracle *oracle, enum term_kind kind, int64_t a, int64_t b)
{
    if (b == 0) {
        oracle->unsupported = true;
        return 0;
    }
    int64_t r = euclidean_remainder(a, b);
    if (kind == TERM_DIV)
        return (a - r) / b;
    return kind == TERM_MOD || b > 0 ? r : -r;
}

static int64_t sign(int64_t bits, uint32_t width)
{
    return bits >> (width - 1) & 1 ? bits - ((int64_t)1 << width) : bits;
}

static int64_t eval_shift(enum term_kind kind, int64_t a, int64_t b, uint32_t width)
{
    bool out = b >= (int64_t)width;
    if (kind == TERM_BV_SHL)
        return out ? 0 : a << b;
    if (kind == TERM_BV_LSHR)
        return out ? 0 : a >> b;
    return sign(a, width) >> (out ? (int64_t)width : b);
}

static int64_t eval_bits(struct oracle *oracle, const struct term *term)
{
    uint32_t width = term->child[0]->sort->width;
    int64_t mask = ((int64_t)1 << term->sort->width) - 1;
    int64_t a = eval(oracle, term->child[0]);
    int64_t b = term->child_count > 1 ? eval(oracle, term->child[1]) : 0;
    switch (term->kind) {
    case TERM_BV_NOT:
        return ~a & mask;
    case TERM_BV_NEG:
        return -a & mask;
    case TERM_BV_AND:
        return a & b;
    case TERM_BV_OR:
        return a | b;
    case TERM_BV_XOR:
        return a ^ b;
    case TERM_BV_ADD:
        return (a + b) & mask;
    case TERM_BV_MUL:
        return (a * b) & mask;
    case TERM_BV_UDIV:
        return b == 0 ? mask : a / b;
    case TERM_BV_UREM:
        return b == 0 ? a : a % b;
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
        return eval_shift(term->kind, a, b, width) & mask;
    case TERM_BV_ULT:
        return a < b;
    case TERM_BV_ULE:
        return a <= b;
    case TERM_BV_SLT:
        return sign(a, width) < sign(b, width);
    case TERM_BV_SLE:
        return sign(a, width) <= sign(b, width);
    case TERM_BV_CONCAT:
        return a << term->child[1]->sort->width | b;
    case TERM_BV_EXTRACT:
        return a >> term->u.extract.low & mask;
    case TERM_BV_ZEXT:
        return a;
    case TERM_BV_SEXT:
        return sign(a, width) & mask;
    default:
        oracle->unsupported = true;
        return 0;
    }
}

static int64_t eval_many(struct oracle *oracle, const struct term *term)
{
    int64_t result = eval(oracle, term->child[0]);
    for (uint32_t i = 1; i < term->child_count; i++) {
        int64_t next = eval(oracle, term->child[i]);
        if (term->kind == TERM_AND)
            result = result && next;
        else if (term->kind == TERM_OR)
            result = result || next;
        else if (term->kind == TERM_ADD)
            result += next;
        else
            result *= next;
    }
    return result;
}

static int64_t eval(struct oracle *oracle, const struct term *term)
{
    if (term_is_literal(term)) {
        oracle->unsupported = oracle->unsupported || term->kind == TERM_RAT ||
                              term->kind == TERM_ARRAY || !value_is_small(term_value(term));
        return oracle->unsupported ? 0 : value_small_get(term_value(term));
    }
    const struct term *const *child = term->child;
    switch (term->kind) {
    case TERM_VAR:
        return eval_variable(oracle, term);
    case TERM_NOT:
        return !eval(oracle, child[0]);
    case TERM_AND:
    case TERM_OR:
    case TERM_ADD:
    case TERM_MUL:
        return eval_many(oracle, term);
    case TERM_EQ:
        return eval(oracle, child[0]) == eval(oracle, child[1]);
    case TERM_ITE:
        return eval(oracle, child[0]) ? eval(oracle, child[1]) : eval(oracle, child[2]);
    case TERM_LE:
        return eval(oracle, child[0]) <= eval(oracle, child[1]);
    case TERM_LT:
        return eval(oracle, child[0]) < eval(oracle, child[1]);
    case TERM_DIV:
    case TERM_MOD:
    case TERM_REM:
        return eval_division(oracle, term->kind, eval(oracle, child[0]), eval(oracle, child[1]));
    default:
        break;
    }
    if (term->kind >= TERM_BV_NOT && term->kind <= TERM_BV_SEXT)
        return eval_bits(oracle, term);
    oracle->unsupported = true;
    return 0;
}

// False when an assumption fails.
static bool run(struct oracle *oracle, const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_SKIP:
        return true;
    case STATEMENT_ASSIGN:
        oracle->now[statement->variable->index] = eval(oracle, statement->expression);
        return true;
    case STATEMENT_ASSUME:
        return eval(oracle, statement->expression) != 0;
    case STATEMENT_HAVOC: {
        const struct sort *sort = statement->variable->sort;
        oracle->now[statement->variable->index] =
            domain_value(sort, choose(oracle, statement, 0, domain_size(oracle, sort)));
        return true;
    }
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < statement->child_count; i++)
            if (!run(oracle, statement->child[i]))
                return false;
        return true;
    case STATEMENT_CHOICE:
        return run(oracle, statement->child[choose(oracle, statement, 0, statement->child_count)]);
    case STATEMENT_IF:
        return run(oracle, statement->child[eval(oracle, statement->expression) ? 0 : 1]);
    }
    return false;
}

// The next resolution of the choices met so far. False after the last one.
static bool count_up(struct oracle *oracle)
{
    while (oracle->picks.count > 0) {
        struct pick *last = &VECTOR_LAST(&oracle->picks);
        if (++last->taken < last->arity)
            return true;
        (void)VECTOR_POP(&oracle->picks);
    }
    return false;
}

static const int64_t *values_of(const struct oracle *oracle, uint32_t node)
{
    return oracle->values.data + (size_t)node * oracle->width;
}

static bool same_values(const struct oracle *oracle, const int64_t *a, const int64_t *b)
{
    return oracle->width == 0 || memcmp(a, b, oracle->width * sizeof *a) == 0;
}

static size_t find_slot(const struct oracle *oracle, uint32_t location, const int64_t *values)
{
    uint64_t hash = hash_mix(location);
    for (uint32_t i = 0; i < oracle->width; i++)
        hash = hash_mix(hash ^ (uint64_t)values[i]);
    size_t slot = hash & (oracle->table_capacity - 1);
    while (oracle->table[slot]) {
        uint32_t node = oracle->table[slot] - 1;
        if (oracle->nodes.data[node].location == location &&
            same_values(oracle, values_of(oracle, node), values))
            break;
        slot = (slot + 1) & (oracle->table_capacity - 1);
    }
    return slot;
}

static void grow_table(struct oracle *oracle)
{
    memory_free(oracle->table);
    oracle->table_capacity = oracle->table_capacity ? 2 * oracle->table_capacity : 256;
    oracle->table = memory_zalloc(oracle->table_capacity * sizeof *oracle->table);
    for (uint32_t i = 0; i < oracle->nodes.count; i++)
        oracle->table[find_slot(oracle, oracle->nodes.data[i].location, values_of(oracle, i))] =
            i + 1;
}

static void add_node(struct oracle *oracle, uint32_t location, uint32_t parent, uint32_t edge)
{
    if (2 * (oracle->nodes.count + 1) > oracle->table_capacity)
        grow_table(oracle);
    size_t slot = find_slot(oracle, location, oracle->now);
    if (oracle->table[slot])
        return;
    struct node node = {location, parent, edge, (uint32_t)oracle->kept_picks.count,
                        (uint32_t)oracle->picks.count};
    for (size_t i = 0; i < oracle->picks.count; i++)
        VECTOR_PUSH(&oracle->kept_picks, oracle->picks.data[i]);
    for (uint32_t i = 0; i < oracle->width; i++)
        VECTOR_PUSH(&oracle->values, oracle->now[i]);
    VECTOR_PUSH(&oracle->nodes, node);
    oracle->table[slot] = (uint32_t)oracle->nodes.count;
}

static void expand(struct oracle *oracle, const struct statement *action, uint32_t parent,
                   uint32_t edge, uint32_t target)
{
    VECTOR_CLEAR(&oracle->picks);
    do {
        for (uint32_t i = 0; i < oracle->width; i++)
            oracle->now[i] = parent == NO_PARENT ? UNSET : values_of(oracle, parent)[i];
        oracle->next_pick = 0;
        if (run(oracle, action) && !oracle->unsupported)
            add_node(oracle, target, parent, edge);
    } while (!oracle->unsupported && count_up(oracle));
}

// What the search found.

static void add_picks(const struct oracle *oracle, struct trace *trace, struct trace_step *step,
                      const struct node *node)
{
    for (uint32_t i = 0; i < node->pick_count; i++) {
        const struct pick *pick = &oracle->kept_picks.data[node->first_pick + i];
        if (pick->statement == NULL) {
            const struct sort *sort = oracle->model->variables[pick->variable]->sort;
            trace->start[pick->variable] = value_small(domain_value(sort, pick->taken));
        } else if (pick->statement->kind == STATEMENT_HAVOC) {
            const struct sort *sort = pick->statement->variable->sort;
            trace_add_hint(trace, step, pick->statement, sort,
                           value_small(domain_value(sort, pick->taken)));
        } else {
            trace_add_hint(trace, step, pick->statement, NULL, value_small(pick->taken));
        }
    }
}

static struct trace *make_trace(const struct oracle *oracle, uint32_t node, size_t *depth)
{
    VECTOR(uint32_t) path = {0};
    for (uint32_t n = node; n != NO_PARENT; n = oracle->nodes.data[n].parent)
        VECTOR_PUSH(&path, n);
    struct trace *trace = trace_create(oracle->model);
    *depth = path.count - 1;
    for (size_t i = path.count; i-- > 0;) {
        const struct node *at = &oracle->nodes.data[path.data[i]];
        struct trace_step *step = i + 1 == path.count
                                      ? &trace->initial
                                      : trace_add_step(trace, oracle->model->edges[at->edge]);
        add_picks(oracle, trace, step, at);
    }
    VECTOR_FINISH(&path);
    return trace;
}

static const struct term *describe(const struct oracle *oracle, uint32_t node,
                                   struct term_store *store)
{
    const struct term *formula = term_true(store);
    for (uint32_t i = 0; i < oracle->width; i++) {
        const struct variable *variable = oracle->model->variables[i];
        int64_t value = values_of(oracle, node)[i];
        if (value == UNSET)
            continue;
        const struct term *literal = term_of_value(store, variable->sort, value_small(value));
        formula = term_and2(store, formula, term_eq(store, variable->term, literal));
    }
    return formula;
}

static const struct term **make_invariant(const struct oracle *oracle, struct term_store *store)
{
    uint32_t locations = oracle->model->location_count;
    const struct term **invariant = memory_alloc((locations + 1) * sizeof(*invariant));
    struct {
        const struct term **data;
        size_t count, capacity;
    } states = {0};
    for (uint32_t l = 0; l < locations; l++) {
        VECTOR_CLEAR(&states);
        for (uint32_t n = 0; n < oracle->nodes.count; n++)
            if (oracle->nodes.data[n].location == l)
                VECTOR_PUSH(&states, describe(oracle, n, store));
        invariant[l] =
            states.count > 0 ? term_or(store, states.data, states.count) : term_false(store);
    }
    VECTOR_FINISH(&states);
    return invariant;
}

// The first node in the error location, UINT32_MAX if none; stops at the limit.
static uint32_t explore(struct oracle *oracle, uint64_t state_limit)
{
    const struct model *model = oracle->model;
    expand(oracle, model->initial_action, NO_PARENT, 0, model->initial->index);
    for (uint32_t n = 0; n < oracle->nodes.count; n++) {
        const struct location *at = model->locations[oracle->nodes.data[n].location];
        if (at == model->error)
            return n;
        for (uint32_t i = 0; i < at->out_count && !oracle->unsupported; i++)
            expand(oracle, at->out[i]->action, n, at->out[i]->id, at->out[i]->target->index);
        if (oracle->unsupported || oracle->nodes.count > state_limit)
            break;
    }
    return UINT32_MAX;
}

struct oracle_answer oracle_run(const struct model *model, uint64_t state_limit,
                                struct term_store *store)
{
    struct oracle oracle = {.model = model, .width = model->variable_count};
    oracle.now = memory_zalloc((oracle.width + 1) * sizeof *oracle.now);
    uint32_t error = explore(&oracle, state_limit);
    struct oracle_answer answer = {.states = oracle.nodes.count};
    if (error != UINT32_MAX) {
        answer.verdict = VERDICT_UNSAFE;
        answer.trace = make_trace(&oracle, error, &answer.depth);
    } else if (!oracle.unsupported && oracle.nodes.count <= state_limit) {
        answer.verdict = VERDICT_SAFE;
        answer.invariant = store != NULL ? make_invariant(&oracle, store) : NULL;
    }
    VECTOR_FINISH(&oracle.nodes);
    VECTOR_FINISH(&oracle.values);
    VECTOR_FINISH(&oracle.kept_picks);
    VECTOR_FINISH(&oracle.picks);
    memory_free(oracle.table);
    memory_free(oracle.now);
    return answer;
}

void oracle_answer_finish(struct oracle_answer *answer)
{
    trace_destroy(answer->trace);
    memory_free(answer->invariant);
    *answer = (struct oracle_answer){0};
}

enum verdict oracle_decide(const struct model *model, uint64_t state_limit)
{
    struct oracle_answer answer = oracle_run(model, state_limit, NULL);
    enum verdict verdict = answer.verdict;
    oracle_answer_finish(&answer);
    return verdict;
}
