#include "engines/domains/explicit_post.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "engines/domains/input_cases.h"
#include "logic/terms/rewrite.h"
#include "model/carried.h"

// A condition with more combinations of its unknown values than this is not split.
#define SPLIT_LIMIT 64
// Rows that the values of wide inputs may make of a set.
#define INPUT_ROWS 4096

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
    bool splits_inputs, samples;
    const variable_bits *carried;
    struct post_cases *cases; // by statement id of the action
};

struct post_cases {
    bool computed, inexact; // inexact: in some run a value that stands for others was looked at
    const struct input_cases *cases;
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
    const struct input_cases *cases; // wide inputs take their values; NULL: they are unknown
    // The width of the inputs, where a row may leave open which of the values its input has: what is unknown of the inputs and
    // read has that value. Else 0.
    uint32_t lone;
    bool inexact; // a value that stands for others was looked at: the run is void
};

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
    memory_free(set->cases);
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
    memory_free(post->cases);
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
                             const struct value *row, bool doubtful, uint64_t cases)
{
    set->width = post->width;
    if (set->count == set->capacity) {
        size_t capacity = set->capacity ? 2 * set->capacity : 4;
        size_t bytes = capacity * set->width * sizeof *set->rows;
        set->rows = memory_realloc(set->rows, bytes ? bytes : 1);
        set->doubtful = memory_realloc(set->doubtful, capacity * sizeof *set->doubtful);
        set->cases = memory_realloc(set->cases, capacity * sizeof *set->cases);
        post->total_rows += capacity - set->capacity;
        set->capacity = capacity;
    }
    set->doubtful[set->count] = doubtful;
    set->cases[set->count] = cases;
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
            size_t same = post->dedup[slot] - 1;
            if (set->cases[same] == set->cases[i])
                set->doubtful[same] &= set->doubtful[i];
            else
                set->doubtful[same] |= set->doubtful[i];
            bool listed = set->cases[same] != 0 && set->cases[i] != 0;
            set->cases[same] = listed ? set->cases[same] | set->cases[i] : 0; // 0: any value
            continue;
        }
        if (kept != i)
            memcpy(valuation_row(set, kept), row, bytes);
        set->doubtful[kept] = set->doubtful[i];
        set->cases[kept] = set->cases[i];
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

static bool condition_reads(struct explicit_post *post, const struct statement *s,
                            const variable_bits *some)
{
    const struct term_variables *variables = condition_variables(post, s);
    for (size_t i = 0; i < variables->count; i++)
        if (variable_bits_get(some, variables->index[i]))
            return true;
    return false;
}

static void mark_read(struct explicit_post *post, const struct statement *s, variable_bits *bits)
{
    const struct term_variables *variables = condition_variables(post, s);
    for (size_t i = 0; i < variables->count; i++)
        variable_bits_set(bits, variables->index[i]);
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
        variable_bits_clear(bits, s->variable->index);
        mark_read(post, s, bits);
        break;
    case STATEMENT_ASSUME:
        mark_read(post, s, bits);
        break;
    case STATEMENT_HAVOC:
        variable_bits_clear(bits, s->variable->index);
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

// Does anything that may have the lone input's value matter?
static bool matters(const struct run *run, const variable_bits *live)
{
    const variable_bits *inputs = input_cases_inputs(run->cases);
    for (size_t w = 0; w < run->post->bit_words; w++)
        if (inputs[w] & (live[w] | run->tracked[w]))
            return true;
    return false;
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
        if (run->lone != 0 && !matters(run, live))
            set->cases[i] = 0;
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

// What is unknown of the input and its copies has its value.
static void give_input(const struct run *run, struct value *row, struct value value)
{
    const variable_bits *inputs = input_cases_inputs(run->cases);
    for (size_t w = 0; w < run->post->bit_words; w++)
        for (variable_bits bits = inputs[w]; bits; bits &= bits - 1) {
            struct value *slot = &row[w * 64 + (unsigned)__builtin_ctzll(bits)];
            if (!value_known(*slot))
                *slot = value;
        }
}

// The row with those values of the lone input.
static void add_cases(struct run *run, struct valuation_set *set, const struct value *row,
                      bool doubtful, uint64_t cases)
{
    if (cases == 0)
        return;
    size_t count;
    const struct value *values = input_cases_values(run->cases, run->lone, &count);
    bool single = (cases & (cases - 1)) == 0;
    struct value *target = set_add(run->post, set, row, doubtful, single ? 0 : cases);
    if (single)
        give_input(run, target, values[__builtin_ctzll(cases)]);
}

// As `decide`, of a row whose input may have several values.
static void decide_cases(struct run *run, const struct statement *s,
                         const struct valuation_set *from, size_t i, struct valuation_set *yes,
                         struct valuation_set *no)
{
    struct explicit_post *post = run->post;
    size_t count;
    const struct value *values = input_cases_values(run->cases, run->lone, &count);
    struct valuation_set scratch = set_take(post);
    const struct value *row = valuation_row(from, i);
    size_t bytes = post->width * sizeof *row;
    struct value *trial = set_add(post, &scratch, row, from->doubtful[i], 0);
    uint64_t holds = 0, fails = 0, open = 0;
    for (uint64_t left = from->cases[i]; left != 0; left &= left - 1) {
        uint64_t one = left & -left;
        memcpy(trial, row, bytes);
        give_input(run, trial, values[__builtin_ctzll(one)]);
        struct value v = explicit_post_evaluate(post, s->expression, trial);
        *(value_is_true(v) ? &holds : value_is_false(v) ? &fails : &open) |= one;
    }
    memcpy(trial, row, bytes);
    run->branched = true;
    add_cases(run, yes, trial, from->doubtful[i], holds);
    add_cases(run, yes, trial, true, open);
    if (no != NULL) {
        add_cases(run, no, trial, from->doubtful[i], fails);
        add_cases(run, no, trial, true, open);
    }
    set_give(post, scratch);
}

// Sorts a row by a condition: into `yes` where it may be true, into `no` (may be NULL) where it may be
// false.
static void decide(struct run *run, const struct statement *s, const struct valuation_set *from,
                   size_t i, struct valuation_set *yes, struct valuation_set *no)
{
    struct explicit_post *post = run->post;
    const struct value *row = valuation_row(from, i);
    bool doubtful = from->doubtful[i];
    uint64_t cases = from->cases[i];
    struct value v = explicit_post_evaluate(post, s->expression, row);
    if (value_is_true(v)) {
        set_add(post, yes, row, doubtful, cases);
        return;
    }
    if (value_is_false(v)) {
        if (no != NULL)
            set_add(post, no, row, doubtful, cases);
        return;
    }
    if (cases != 0 && condition_reads(post, s, input_cases_inputs(run->cases))) {
        decide_cases(run, s, from, i, yes, no);
        return;
    }
    uint64_t combinations = run->split ? split_combinations(post, s, row) : 0;
    if (!combinations) { // possible; what the condition tells may even decide it
        struct value *target = set_add(post, yes, row, doubtful, cases);
        learn(post, s->expression, target);
        v = explicit_post_evaluate(post, s->expression, target);
        if (value_is_false(v))
            yes->count--;
        else if (!value_is_true(v) || no != NULL)
            yes->doubtful[yes->count - 1] = true;
        if (no != NULL)
            set_add(post, no, row, true, cases);
        return;
    }
    run->branched = true;
    assert(combinations <= SPLIT_LIMIT);
    struct valuation_set scratch = set_take(post);
    struct value *trial = set_add(post, &scratch, row, doubtful, 0);
    for (uint64_t c = 0; c < combinations; c++) {
        split_row(post, s, row, c, trial);
        v = explicit_post_evaluate(post, s->expression, trial);
        if (!value_is_false(v))
            set_add(post, yes, trial, doubtful || !value_known(v), cases);
        if (!value_is_true(v) && no != NULL)
            set_add(post, no, trial, doubtful || !value_known(v), cases);
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
        set_add(post, to, valuation_row(from, i), from->doubtful[i], from->cases[i]);
}

static bool finish_join(struct run *run, const struct statement *s, struct valuation_set *set,
                        bool several)
{
    if (several) {
        forget_dead(run, s, set);
        set_remove_duplicates(run->post, set);
    }
    return workspace_step(run->post->workspace, several ? set->count : 1);
}

// A program of thousands of branches is mostly such.
bool explicit_post_fails_at_once(struct explicit_post *post, const struct statement *s,
                                 const struct value *row)
{
    for (unsigned deep = 0; deep < 3 && s->kind == STATEMENT_SEQUENCE && s->child_count > 0; deep++)
        s = s->child[0]; // no deeper: sequences may begin in one another by the thousand
    return s->kind == STATEMENT_ASSUME &&
           value_is_false(explicit_post_evaluate(post, s->expression, row));
}

// What one branch alone leaves has no duplicates that it had not before: nothing needs to be forgotten there.
static void join(struct run *run, struct valuation_set *joined, struct valuation_set *branch,
                 bool *several)
{
    if (branch->count == 0)
        return;
    if (joined->count == 0) {
        struct valuation_set empty = *joined;
        *joined = *branch;
        *branch = empty;
        return;
    }
    set_append(run->post, joined, branch);
    *several = true;
}

static bool run_choice(struct run *run, const struct statement *s, struct valuation_set *set)
{
    struct explicit_post *post = run->post;
    struct valuation_set joined = set_take(post), branch = set_take(post);
    bool going = true, several = false;
    for (uint32_t b = 0; going && b < s->child_count; b++) {
        if (set->count == 1 && explicit_post_fails_at_once(post, s->child[b], set->rows))
            continue;
        branch.count = 0;
        set_append(post, &branch, set);
        going = run_statement(run, s->child[b], &branch);
        join(run, &joined, &branch, &several);
    }
    struct valuation_set old = *set;
    *set = joined;
    set_give(post, old);
    set_give(post, branch);
    return going && finish_join(run, s, set, several);
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
    return going && finish_join(run, s, set, true);
}

// Wide inputs.

static bool is_open(const struct run *run, const struct value *row, uint32_t variable)
{
    const struct sort *sort = run->post->workspace->model->variables[variable]->sort;
    return input_cases_open(run->cases, sort->width, row[variable]);
}

// Does a row have a value that stands for others in one of these variables?
static bool has_open(const struct run *run, const struct valuation_set *set,
                     const variable_bits *variables)
{
    for (size_t w = 0; w < run->post->bit_words; w++)
        for (variable_bits bits = variables[w]; bits; bits &= bits - 1)
            for (size_t i = 0; i < set->count; i++)
                if (is_open(run, set->rows + i * set->width,
                            (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(bits))))
                    return true;
    return false;
}

// A row for each value of the lone input.
static void list_cases(struct run *run, struct valuation_set *set)
{
    struct valuation_set listed = set_take(run->post);
    for (size_t i = 0; i < set->count; i++) {
        const struct value *row = valuation_row(set, i);
        if (set->cases[i] == 0)
            set_add(run->post, &listed, row, set->doubtful[i], 0);
        for (uint64_t left = set->cases[i]; left != 0; left &= left - 1)
            add_cases(run, &listed, row, set->doubtful[i], left & -left);
    }
    struct valuation_set old = *set;
    *set = listed;
    set_give(run->post, old);
}

// Does another input that is unknown in the row matter behind the statement?
static bool others_unknown(const struct run *run, const struct statement *s,
                           const struct value *row)
{
    const variable_bits *inputs = input_cases_inputs(run->cases), *live = run->post->live[s->id];
    for (size_t w = 0; w < run->post->bit_words; w++)
        for (variable_bits bits = inputs[w] & (live[w] | run->tracked[w]); bits; bits &= bits - 1) {
            uint32_t v = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(bits));
            if (v != s->variable->index && !value_known(row[v]))
                return true;
        }
    return false;
}

// Before an input begins whose last value is still looked at elsewhere.
static void list_cases_if(struct run *run, const struct statement *s, struct valuation_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i] != 0 && others_unknown(run, s, valuation_row(set, i))) {
            list_cases(run, set);
            return;
        }
}

static void begin_input(struct run *run, const struct statement *s, struct valuation_set *set)
{
    struct explicit_post *post = run->post;
    uint32_t v = s->variable->index;
    size_t count;
    const struct value *values = input_cases_values(run->cases, s->variable->sort->width, &count);
    if (run->lone != 0)
        list_cases_if(run, s, set);
    if (set->count * count > INPUT_ROWS) {
        run->inexact = true;
        return;
    }
    run->branched = true;
    struct valuation_set grown = set_take(post);
    for (size_t i = 0; i < set->count; i++) {
        const struct value *row = valuation_row(set, i);
        bool left_open = run->lone != 0 && !others_unknown(run, s, row);
        for (size_t k = 0; k < (left_open ? 1 : count); k++) {
            uint64_t all = count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
            set_add(post, &grown, row, set->doubtful[i], left_open ? all : 0)[v] =
                left_open ? VALUE_UNKNOWN : values[k];
        }
    }
    struct valuation_set old = *set;
    *set = grown;
    set_give(post, old);
}

static void run_havoc(struct run *run, const struct statement *s, struct valuation_set *set)
{
    if (run->cases != NULL && input_cases_begins(run->cases, s)) {
        begin_input(run, s, set);
        return;
    }
    for (size_t i = 0; i < set->count; i++)
        valuation_row(set, i)[s->variable->index] = VALUE_UNKNOWN;
}

static bool is_copy(const struct run *run, const struct statement *s)
{
    if (s->expression->kind != TERM_VAR)
        return false;
    const struct variable *v = model_variable_of(run->post->workspace->model, s->expression);
    return v != NULL && variable_bits_get(input_cases_inputs(run->cases), v->index);
}

// A value of another origin for an input: if it is unknown, it is not what the input has.
static bool mixes(const struct run *run, const struct statement *s)
{
    return run->lone != 0 && s->kind == STATEMENT_ASSIGN &&
           variable_bits_get(input_cases_inputs(run->cases), s->variable->index) &&
           !(s->expression->flags & TERM_IS_LITERAL) && !is_copy(run, s);
}

static bool run_statement(struct run *run, const struct statement *s, struct valuation_set *set)
{
    struct explicit_post *post = run->post;
    if (run->cases != NULL && s->expression != NULL) {
        const variable_bits *seen = input_cases_seen(run->cases, s);
        if (run->lone != 0 && (seen != NULL || mixes(run, s)))
            list_cases(run, set);
        if (run->inexact || (seen != NULL && !run->post->samples && has_open(run, set, seen))) {
            run->inexact = true;
            set->count = 0;
            return true;
        }
    }
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
        run_havoc(run, s, set);
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

void explicit_post_live(struct explicit_post *post, const struct statement *action,
                        variable_bits *bits)
{
    compute_live(post, action, bits);
    post->live[action->id] = NULL; // it was computed for what matters at some place, not for all
}

void explicit_post_split_inputs(struct explicit_post *post, const variable_bits *carried)
{
    if (post->splits_inputs)
        return;
    post->splits_inputs = true;
    post->carried = carried;
    post->cases = memory_zalloc(post->workspace->model->statement_count * sizeof *post->cases);
}

void explicit_post_sample_inputs(struct explicit_post *post)
{
    const struct model *model = post->workspace->model;
    bool *matters = memory_zalloc(post->width + 1);
    carried_between_steps(model, matters);
    variable_bits *carried = arena_zalloc(&post->arena, post->bit_words * sizeof *carried);
    for (uint32_t v = 0; v < post->width; v++)
        if (matters[v])
            variable_bits_set(carried, v);
    memory_free(matters);
    post->samples = true;
    explicit_post_split_inputs(post, carried);
}

static struct post_cases *cases_of(struct explicit_post *post, const struct statement *action)
{
    struct post_cases *c = &post->cases[action->id];
    if (!c->computed) {
        variable_bits *before = arena_alloc(&post->arena, post->bit_words * sizeof *before);
        memcpy(before, post->carried, post->bit_words * sizeof *before);
        compute_live(post, action, before);
        c->cases = input_cases_of(post->workspace->model, &post->arena, action, post->live);
        post->live[action->id] = NULL; // to be computed for what is tracked
    }
    c->computed = true;
    return c->cases != NULL && !c->inexact ? c : NULL;
}

static void forget_untracked(struct run *run, struct valuation_set *set)
{
    const variable_bits *inputs = run->lone != 0 ? input_cases_inputs(run->cases) : NULL;
    if (inputs != NULL && variable_bits_meet(inputs, run->tracked, run->post->bit_words))
        list_cases(run, set);
    if (inputs != NULL)
        memset(set->cases, 0, set->count * sizeof *set->cases);
    for (size_t i = 0; i < set->count; i++) {
        struct value *row = valuation_row(set, i);
        for (uint32_t v = 0; v < run->post->width; v++)
            if (!variable_bits_get(run->tracked, v))
                row[v] = VALUE_UNKNOWN;
    }
    set_remove_duplicates(run->post, set);
}

bool explicit_post_run(struct explicit_post *post, const struct statement *action,
                       const struct value *valuation, const variable_bits *tracked, bool split,
                       struct valuation_set *out, bool *branched)
{
    assert(out->width == 0 || out->width == post->width);
    struct run run = {.post = post, .tracked = tracked, .split = split};
    struct post_cases *cases = split && post->splits_inputs ? cases_of(post, action) : NULL;
    prepare_action(post, action);
    bool going = true;
    if (cases != NULL) {
        run.cases = cases->cases;
        run.lone = post->samples ? 0 : input_cases_width(run.cases);
        out->count = 0;
        set_add(post, out, valuation, false, 0);
        going = run_statement(&run, action, out);
        forget_untracked(&run, out);
        run.inexact |= !post->samples && has_open(&run, out, input_cases_inputs(run.cases));
        cases->inexact = run.inexact;
    }
    if (going && (cases == NULL || run.inexact)) {
        run = (struct run){.post = post, .tracked = tracked, .split = split};
        out->count = 0;
        set_add(post, out, valuation, false, 0);
        going = run_statement(&run, action, out);
        forget_untracked(&run, out);
    }
    *branched = run.branched;
    return going && workspace_step(post->workspace, 1);
}
