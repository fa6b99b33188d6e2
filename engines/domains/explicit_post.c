#include "engines/domains/explicit_post.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "logic/terms/rewrite.h"

// A condition with more combinations of its unknown values than this is not split.
#define SPLIT_LIMIT 64

struct explicit_post {
    struct workspace *workspace;
    struct evaluator *evaluator;
    uint32_t width; // variables
    size_t bit_words;
    struct arena arena;    // live sets and variable lists
    variable_bits **live;  // per statement: variables read later in its action, NULL until computed
    uint32_t *variable_of; // term id of a plain variable -> its number
    uint32_t first_id;     // of variable_of
    size_t id_count;
    struct term_variables **variables_of; // by statement id: variables of its condition
    VECTOR(struct valuation_set) pool;    // scratch sets that are free
    uint32_t *dedup;                      // open addressing: row + 1
    size_t dedup_size;
    const struct value *row; // the valuation under evaluation
    size_t total_rows;       // capacity handed out, for the memory account
};

struct term_variables {
    size_t count;
    uint32_t index[];
};

// One run through an action.
struct run {
    struct explicit_post *post;
    const variable_bits *tracked;
    bool split, branched;
};

static bool bit_get(const variable_bits *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static void bit_set(variable_bits *bits, uint32_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static void bit_clear(variable_bits *bits, uint32_t i)
{
    bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}

struct explicit_post *explicit_post_create(struct workspace *workspace)
{
    const struct model *model = workspace->model;
    struct explicit_post *post = memory_zalloc(sizeof *post);
    post->workspace = workspace;
    post->evaluator = evaluator_create(workspace->store);
    post->width = model->variable_count;
    post->bit_words = model->variable_count / 64 + 1;
    arena_init(&post->arena);
    post->live = memory_zalloc(model->statement_count * sizeof *post->live);
    post->variables_of = memory_zalloc(model->statement_count * sizeof *post->variables_of);
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t v = 0; v < post->width; v++) {
        uint32_t id = model->variables[v]->term->id;
        low = id < low ? id : low;
        high = id > high ? id : high;
    }
    post->first_id = low;
    post->id_count = post->width ? high - low + 1 : 0;
    post->variable_of = memory_alloc((post->id_count + 1) * sizeof *post->variable_of);
    assert(post->width == 0 || high >= low);
    memset(post->variable_of, 0xff, post->id_count * sizeof *post->variable_of);
    for (uint32_t v = 0; v < post->width; v++)
        post->variable_of[model->variables[v]->term->id - low] = v;
    return post;
}

void valuation_set_finish(struct valuation_set *set)
{
    memory_free(set->rows);
    memory_free(set->doubtful);
    *set = (struct valuation_set){0};
}

void explicit_post_destroy(struct explicit_post *post)
{
    if (post == NULL)
        return;
    evaluator_destroy(post->evaluator);
    for (size_t i = 0; i < post->pool.count; i++)
        valuation_set_finish(&post->pool.data[i]);
    VECTOR_FINISH(&post->pool);
    arena_finish(&post->arena);
    memory_free(post->live);
    memory_free(post->variables_of);
    memory_free(post->variable_of);
    memory_free(post->dedup);
    memory_free(post);
}

size_t explicit_post_bytes(const struct explicit_post *post)
{
    return post->arena.bytes + post->total_rows * post->width * sizeof(struct value) +
           post->dedup_size * sizeof *post->dedup;
}

// Sets of valuations.

static struct valuation_set set_take(struct explicit_post *post)
{
    if (post->pool.count) {
        struct valuation_set set = VECTOR_POP(&post->pool);
        assert(set.width == post->width || set.capacity == 0);
        set.count = 0;
        return set;
    }
    return (struct valuation_set){.width = post->width};
}

static void set_give(struct explicit_post *post, struct valuation_set set)
{
    VECTOR_PUSH(&post->pool, set);
}

static struct value *set_add(struct explicit_post *post, struct valuation_set *set,
                             const struct value *row, bool doubtful)
{
    set->width = post->width;
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? 2 * set->capacity : 4;
        size_t bytes = capacity * set->width * sizeof *set->rows;
        set->rows = memory_realloc(set->rows, bytes ? bytes : 1);
        set->doubtful = memory_realloc(set->doubtful, capacity * sizeof *set->doubtful);
        post->total_rows += capacity - set->capacity;
        set->capacity = capacity;
    }
    set->doubtful[set->count] = doubtful;
    struct value *target = valuation_row(set, set->count++);
    if (set->width)
        memcpy(target, row, set->width * sizeof *row);
    return target;
}

static uint64_t row_hash(const struct value *row, uint32_t width)
{
    // Only for finding duplicates within one set: the words themselves will do.
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < width; i++)
        hash = (hash ^ row[i].bits) * 0xff51afd7ed558ccdu, hash ^= hash >> 29;
    return hash;
}

static void set_remove_duplicates(struct explicit_post *post, struct valuation_set *set)
{
    if (set->count < 2)
        return;
    size_t size = 16;
    while (size < 2 * set->count)
        size *= 2;
    assert((size & (size - 1)) == 0 && size > set->count);
    if (size > post->dedup_size) {
        memory_free(post->dedup);
        post->dedup = memory_alloc(size * sizeof *post->dedup);
        post->dedup_size = size;
    }
    memset(post->dedup, 0, size * sizeof *post->dedup);
    size_t bytes = set->width * sizeof *set->rows, kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct value *row = valuation_row(set, i);
        size_t slot = row_hash(row, set->width) & (size - 1);
        while (post->dedup[slot] &&
               memcmp(valuation_row(set, post->dedup[slot] - 1), row, bytes) != 0)
            slot = (slot + 1) & (size - 1);
        if (post->dedup[slot]) { // one way to it without doubt is enough
            set->doubtful[post->dedup[slot] - 1] &= set->doubtful[i];
            continue;
        }
        if (kept != i)
            memcpy(valuation_row(set, kept), row, bytes);
        set->doubtful[kept] = set->doubtful[i];
        post->dedup[slot] = (uint32_t)++kept;
    }
    assert(kept > 0 && kept <= set->count);
    set->count = kept;
}

// Which variables are read later in the action.

static void mark_read(struct explicit_post *post, const struct statement *s, variable_bits *bits);

static struct term_variables *condition_variables(struct explicit_post *post,
                                                  const struct statement *s)
{
    struct term_variables **known = &post->variables_of[s->id];
    if (*known != NULL)
        return *known;
    struct term_vector terms = {0};
    rewrite_free_variables(s->expression, &terms);
    *known = arena_alloc(&post->arena, sizeof **known + terms.count * sizeof(uint32_t));
    (*known)->count = 0;
    for (size_t i = 0; i < terms.count; i++) {
        const struct variable *v = model_variable_of(post->workspace->model, terms.data[i]);
        if (v != NULL)
            (*known)->index[(*known)->count++] = v->index;
    }
    VECTOR_FINISH(&terms);
    return *known;
}

static void mark_read(struct explicit_post *post, const struct statement *s, variable_bits *bits)
{
    const struct term_variables *variables = condition_variables(post, s);
    for (size_t i = 0; i < variables->count; i++)
        bit_set(bits, variables->index[i]);
}

// Backwards: `bits` holds what is read after s and becomes what is read from s on.
static void compute_live(struct explicit_post *post, const struct statement *s, variable_bits *bits)
{
    size_t bytes = post->bit_words * sizeof *bits;
    post->live[s->id] = arena_alloc(&post->arena, bytes);
    memcpy(post->live[s->id], bits, bytes);
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        bit_clear(bits, s->variable->index);
        mark_read(post, s, bits);
        break;
    case STATEMENT_ASSUME:
        mark_read(post, s, bits);
        break;
    case STATEMENT_HAVOC:
        bit_clear(bits, s->variable->index);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = s->child_count; i-- > 0;)
            compute_live(post, s->child[i], bits);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF: {
        variable_bits *before = memory_zalloc(2 * bytes), *branch = before + post->bit_words;
        for (uint32_t i = 0; i < s->child_count; i++) {
            memcpy(branch, bits, bytes);
            compute_live(post, s->child[i], branch);
            for (size_t w = 0; w < post->bit_words; w++)
                before[w] |= branch[w];
        }
        if (s->kind == STATEMENT_IF)
            mark_read(post, s, before);
        memcpy(bits, before, bytes);
        memory_free(before);
        break;
    }
    }
}

static void prepare_action(struct explicit_post *post, const struct statement *action)
{
    if (post->live[action->id] != NULL)
        return;
    variable_bits *bits = memory_zalloc(post->bit_words * sizeof *bits);
    compute_live(post, action, bits);
    memory_free(bits);
}

static void forget_dead(struct run *run, const struct statement *s, struct valuation_set *set)
{
    struct explicit_post *post = run->post;
    const variable_bits *live = post->live[s->id];
    assert(live != NULL && "prepare_action was there");
    for (size_t i = 0; i < set->count; i++) {
        struct value *row = valuation_row(set, i);
        for (size_t w = 0; w < post->bit_words; w++) {
            variable_bits dead = ~(live[w] | run->tracked[w]);
            if (w == post->bit_words - 1)
                dead &= ((variable_bits)1 << post->width % 64) - 1;
            for (; dead; dead &= dead - 1)
                row[w * 64 + (unsigned)__builtin_ctzll(dead)] = VALUE_UNKNOWN;
        }
    }
}

// Evaluation.

static struct value look_up(void *context, const struct term *variable)
{
    const struct explicit_post *post = context;
    uint32_t offset = variable->id - post->first_id;
    if (offset >= post->id_count || post->variable_of[offset] == UINT32_MAX)
        return VALUE_UNKNOWN;
    return post->row[post->variable_of[offset]];
}

struct value explicit_post_evaluate(struct explicit_post *post, const struct term *term,
                                    const struct value *row)
{
    post->row = row;
    return evaluator_run(post->evaluator, term, look_up, post);
}

// Takes over what a true condition says about unknown variables: b, not b, x = known, conjunctions of
// such.
static void learn(struct explicit_post *post, const struct term *fact, struct value *row)
{
    const struct term *atom = fact->kind == TERM_NOT ? fact->child[0] : fact;
    if (fact->kind == TERM_AND) {
        for (uint32_t i = 0; i < fact->child_count; i++)
            learn(post, fact->child[i], row);
    } else if (atom->kind == TERM_VAR) {
        const struct variable *v = model_variable_of(post->workspace->model, atom);
        if (v != NULL && !value_known(row[v->index]))
            row[v->index] = value_bool(atom == fact);
    } else if (fact->kind == TERM_EQ) {
        for (unsigned side = 0; side < 2; side++) {
            if (fact->child[side]->kind != TERM_VAR)
                continue;
            const struct variable *v = model_variable_of(post->workspace->model, fact->child[side]);
            if (v != NULL && !value_known(row[v->index]))
                row[v->index] = explicit_post_evaluate(post, fact->child[1 - side], row);
        }
    }
}

static bool run_statement(struct run *run, const struct statement *s, struct valuation_set *set);

// The unknown variables of a condition, if all of them have small finite sorts whose combinations are
// few; else 0.
static uint64_t split_combinations(struct explicit_post *post, const struct statement *s,
                                   const struct value *row)
{
    const struct term_variables *variables = condition_variables(post, s);
    uint64_t product = 1;
    for (size_t i = 0; i < variables->count; i++) {
        uint32_t v = variables->index[i];
        if (value_known(row[v]))
            continue;
        const struct sort *sort = post->workspace->model->variables[v]->sort;
        uint64_t count = sort->kind == SORT_ARRAY ? 0 : sort_value_count(sort, SPLIT_LIMIT);
        if (!count || (product *= count) > SPLIT_LIMIT)
            return 0;
    }
    return product;
}

// Values of a finite sort are booleans, enumeration literals or bit-vectors: all small, counted from 0.
static void split_row(struct explicit_post *post, const struct statement *s,
                      const struct value *row, uint64_t combination, struct value *out)
{
    const struct term_variables *variables = condition_variables(post, s);
    for (size_t i = 0; i < variables->count; i++) {
        uint32_t v = variables->index[i];
        if (value_known(row[v]))
            continue;
        uint64_t count = sort_value_count(post->workspace->model->variables[v]->sort, SPLIT_LIMIT);
        out[v] = value_small((int64_t)(combination % count));
        combination /= count;
    }
    assert(combination == 0 && "there are no more than the product");
}

// Sorts a row by a condition: into `yes` where it may be true, into `no` (may be NULL) where it may be
// false.
static void decide(struct run *run, const struct statement *s, const struct valuation_set *from,
                   size_t i, struct valuation_set *yes, struct valuation_set *no)
{
    struct explicit_post *post = run->post;
    const struct value *row = valuation_row(from, i);
    bool doubtful = from->doubtful[i];
    struct value v = explicit_post_evaluate(post, s->expression, row);
    if (value_is_true(v)) {
        set_add(post, yes, row, doubtful);
        return;
    }
    if (value_is_false(v)) {
        if (no != NULL)
            set_add(post, no, row, doubtful);
        return;
    }
    uint64_t combinations = run->split ? split_combinations(post, s, row) : 0;
    if (!combinations) { // possible; what the condition tells may even decide it
        struct value *target = set_add(post, yes, row, doubtful);
        learn(post, s->expression, target);
        v = explicit_post_evaluate(post, s->expression, target);
        if (value_is_false(v))
            yes->count--;
        else if (!value_is_true(v) || no != NULL)
            yes->doubtful[yes->count - 1] = true;
        if (no != NULL)
            set_add(post, no, row, true);
        return;
    }
    run->branched = true;
    assert(combinations <= SPLIT_LIMIT);
    struct valuation_set scratch = set_take(post);
    struct value *trial = set_add(post, &scratch, row, doubtful);
    for (uint64_t c = 0; c < combinations; c++) {
        split_row(post, s, row, c, trial);
        v = explicit_post_evaluate(post, s->expression, trial);
        if (!value_is_false(v))
            set_add(post, yes, trial, doubtful || !value_known(v));
        if (!value_is_true(v) && no != NULL)
            set_add(post, no, trial, doubtful || !value_known(v));
    }
    set_give(post, scratch);
}

static bool run_assume(struct run *run, const struct statement *s, struct valuation_set *set)
{
    struct explicit_post *post = run->post;
    if (set->count == 1) { // the usual case, without copying
        struct value v = explicit_post_evaluate(post, s->expression, set->rows);
        if (value_is_true(v))
            return true;
        if (value_is_false(v)) {
            set->count = 0;
            return true;
        }
    }
    struct valuation_set yes = set_take(post);
    for (size_t i = 0; i < set->count; i++)
        decide(run, s, set, i, &yes, NULL);
    struct valuation_set old = *set;
    *set = yes;
    set_give(post, old);
    return true;
}

static void set_append(struct explicit_post *post, struct valuation_set *to,
                       const struct valuation_set *from)
{
    for (size_t i = 0; i < from->count; i++)
        set_add(post, to, valuation_row(from, i), from->doubtful[i]);
}

static bool finish_join(struct run *run, const struct statement *s, struct valuation_set *set)
{
    forget_dead(run, s, set);
    set_remove_duplicates(run->post, set);
    return workspace_step(run->post->workspace, set->count);
}

static bool run_choice(struct run *run, const struct statement *s, struct valuation_set *set)
{
    struct explicit_post *post = run->post;
    struct valuation_set joined = set_take(post), branch = set_take(post);
    bool going = true;
    for (uint32_t b = 0; going && b < s->child_count; b++) {
        branch.count = 0;
        set_append(post, &branch, set);
        going = run_statement(run, s->child[b], &branch);
        set_append(post, &joined, &branch);
    }
    struct valuation_set old = *set;
    *set = joined;
    set_give(post, old);
    set_give(post, branch);
    return going && finish_join(run, s, set);
}

static bool run_if(struct run *run, const struct statement *s, struct valuation_set *set)
{
    assert(s->child_count == 2);
    struct explicit_post *post = run->post;
    if (set->count == 1) {
        struct value v = explicit_post_evaluate(post, s->expression, set->rows);
        if (value_known(v))
            return run_statement(run, s->child[value_is_true(v) ? 0 : 1], set);
    }
    struct valuation_set yes = set_take(post), no = set_take(post);
    for (size_t i = 0; i < set->count; i++)
        decide(run, s, set, i, &yes, &no);
    bool going = (!yes.count || run_statement(run, s->child[0], &yes)) &&
                 (!no.count || run_statement(run, s->child[1], &no));
    set_append(post, &yes, &no);
    struct valuation_set old = *set;
    *set = yes;
    set_give(post, old);
    set_give(post, no);
    return going && finish_join(run, s, set);
}

static bool run_statement(struct run *run, const struct statement *s, struct valuation_set *set)
{
    struct explicit_post *post = run->post;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        for (size_t i = 0; i < set->count; i++) {
            struct value *row = valuation_row(set, i);
            row[s->variable->index] = explicit_post_evaluate(post, s->expression, row);
        }
        break;
    case STATEMENT_ASSUME:
        return run_assume(run, s, set);
    case STATEMENT_HAVOC:
        for (size_t i = 0; i < set->count; i++)
            valuation_row(set, i)[s->variable->index] = VALUE_UNKNOWN;
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count && set->count; i++)
            if (!run_statement(run, s->child[i], set))
                return false;
        break;
    case STATEMENT_CHOICE:
        return run_choice(run, s, set);
    case STATEMENT_IF:
        return run_if(run, s, set);
    }
    return true;
}

bool explicit_post_run(struct explicit_post *post, const struct statement *action,
                       const struct value *valuation, const variable_bits *tracked, bool split,
                       struct valuation_set *out, bool *branched)
{
    assert(out->width == 0 || out->width == post->width);
    prepare_action(post, action);
    struct run run = {.post = post, .tracked = tracked, .split = split};
    out->count = 0;
    set_add(post, out, valuation, false);
    bool going = run_statement(&run, action, out);
    for (size_t i = 0; i < out->count; i++) {
        struct value *row = valuation_row(out, i);
        for (uint32_t v = 0; v < post->width; v++)
            if (!bit_get(tracked, v))
                row[v] = VALUE_UNKNOWN;
    }
    set_remove_duplicates(post, out);
    *branched = run.branched;
    return going && workspace_step(post->workspace, 1);
}
