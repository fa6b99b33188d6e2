#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "languages/programs/dominators.h"
#include "languages/programs/flags.h"
#include "languages/programs/threads.h"
#include "languages/programs/translate_inside.h"

// Blocks as locations, their instructions as one sequence on each edge out of them; a check in the middle cuts the
// sequence. Loads and operations are terms over the variables as of then: where a variable changes while such a
// term is still needed, the term's value is kept in a variable first.

#define MOST_TERM 400 // nodes of a term that stays one

void lowering_unsupported(struct translator *t, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message_add(t->messages, MESSAGE_UNSUPPORTED, t->at, "%s", text);
}

static void push(struct translator *t, struct statement *s)
{
    VECTOR_PUSH(&t->statements, s);
}

// Keeping values.

static bool mentions(const struct term *term, const struct term *variable)
{
    if (term == variable)
        return true;
    if (!(term->flags & TERM_HAS_VARIABLE))
        return false;
    for (uint32_t i = 0; i < term->child_count; i++) {
        if (mentions(term->child[i], variable))
            return true;
    }
    return false;
}

static const struct term *keep(struct translator *t, const struct term *term)
{
    const struct variable *v = model_builder_fresh(t->builder, "before", term->sort, 0, t->at);
    push(t, model_assign(t->builder, v, term, t->at));
    return v->term;
}

static void keep_if_mentioned(struct translator *t, const struct term **slot,
                              const struct variable *v)
{
    if (*slot != NULL && mentions(*slot, v->term))
        *slot = keep(t, *slot);
}

static void save_pending(struct translator *t, const struct variable *v)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->pending.count; i++) {
        uint32_t n = t->pending.data[i];
        if (t->uses_left[n] == 0)
            continue;
        t->pending.data[kept++] = n;
        keep_if_mentioned(t, &t->value[n], v);
        keep_if_mentioned(t, &t->overflow[n], v);
        keep_if_mentioned(t, &t->address[n], v);
    }
    t->pending.count = kept;
    for (size_t i = 0; i < t->held.count; i++)
        keep_if_mentioned(t, t->held.data[i], v);
}

void lowering_save(struct translator *t, const struct variable *v)
{
    save_pending(t, v);
}

void lowering_hold(struct translator *t, const struct term **term)
{
    assert(term != NULL && *term != NULL);
    VECTOR_PUSH(&t->held, term);
}

void lowering_release(struct translator *t)
{
    assert(t->held.count > 0);
    t->held.count--;
}

static void note_change(struct translator *t, const struct variable *v)
{
    if (v->sort->kind == SORT_ARRAY ||
        (v->sort->kind == SORT_BV && v->sort->width == t->pointer_bits))
        lowering_pointer_changes(t);
}

void lowering_assign(struct translator *t, const struct variable *v, const struct term *term)
{
    if (term == v->term)
        return;
    note_change(t, v);
    save_pending(t, v);
    push(t, model_assign(t->builder, v, term, t->at));
}

void lowering_havoc(struct translator *t, const struct variable *v)
{
    note_change(t, v);
    save_pending(t, v);
    push(t, model_havoc(t->builder, v, t->at));
}

void lowering_mean(struct translator *t, const struct variable *v, struct variable_meaning meaning)
{
    struct translation_result *r = t->result;
    while (r->meaning_count <= v->index) {
        if (r->meaning_count == r->meaning_capacity) {
            r->meaning_capacity = 2 * r->meaning_capacity + 64;
            r->meanings = memory_realloc(r->meanings, r->meaning_capacity * sizeof *r->meanings);
        }
        r->meanings[r->meaning_count++] = (struct variable_meaning){ROLE_NONE, 0, 0, 0};
    }
    assert(v->index < r->meaning_count);
    r->meanings[v->index] = meaning;
}

const struct term *lowering_any(struct translator *t, const struct sort *sort, const char *stem)
{
    const struct variable *v = model_builder_fresh(t->builder, stem, sort, 0, t->at);
    lowering_mean(t, v, (struct variable_meaning){ROLE_INPUT, t->result_value, 0, 0});
    push(t, model_havoc(t->builder, v, t->at));
    return v->term;
}

const struct term *lowering_choice(struct translator *t, const char *stem)
{
    const struct variable *v = model_builder_fresh(t->builder, stem, sort_bool(t->store), 0, t->at);
    lowering_mean(t, v, (struct variable_meaning){ROLE_NONE, 0, 0, 0});
    push(t, model_havoc(t->builder, v, t->at));
    return v->term;
}

// Paths.

static struct statement *take_statements(struct translator *t)
{
    struct statement *s =
        model_sequence(t->builder, t->statements.data, t->statements.count, t->at);
    VECTOR_CLEAR(&t->statements);
    return s;
}

static struct edge *edge(struct translator *t, struct location *from, struct location *to,
                         struct statement *s, const char *label)
{
    assert(from != NULL && to != NULL);
    VECTOR_PUSH(&t->edges, model_builder_edge(t->builder, from, to, s, label, t->at));
    return VECTOR_LAST(&t->edges);
}

struct edge *lowering_lead(struct translator *t, struct location *to, const char *label)
{
    struct edge *made = edge(t, t->here, to, take_statements(t), label);
    t->here = to;
    return made;
}

// Ends the sequence so far at a location of its own.
static void cut_sequence(struct translator *t)
{
    if (t->statements.count == 0)
        return;
    struct location *next = model_builder_location(t->builder, NULL, PHASE_NONE, true);
    edge(t, t->here, next, take_statements(t), NULL);
    t->here = next;
}

void lowering_assume(struct translator *t, const struct term *condition)
{
    if (!term_is_true(condition))
        push(t, model_assume(t->builder, condition, t->at));
    if (term_is_false(condition))
        t->dead = true;
}

static struct edge *error_if(struct translator *t, const struct term *condition,
                             const struct term *hit, const char *label)
{
    cut_sequence(t);
    struct statement *s = model_assume(t->builder, hit, t->at);
    struct edge *made = edge(t, t->here, t->error, s, label);
    lowering_assume(t, term_not(t->store, condition));
    return made;
}

void lowering_error_blamed(struct translator *t, const struct term *condition,
                           const struct term *hit, const char *label)
{
    if (!term_is_false(condition) && !t->dead)
        error_if(t, condition, hit, label);
}

void lowering_error_if(struct translator *t, const struct term *condition, const char *label)
{
    lowering_error_blamed(t, condition, term_and2(t->store, condition, lowering_counts(t)), label);
}

void lowering_cut_blamed(struct translator *t, const struct term *condition, const struct term *hit,
                         const char *text)
{
    assert(text != NULL);
    if (term_is_false(condition) || t->dead)
        return;
    t->result->has_cuts = true;
    if (t->ignore_cuts)
        lowering_assume(t, term_not(t->store, condition));
    else
        model_builder_limit(error_if(t, condition, hit, "limit"), text);
}

void lowering_cut_if(struct translator *t, const struct term *condition, const char *text)
{
    lowering_cut_blamed(t, condition, term_and2(t->store, condition, lowering_counts(t)), text);
}

// Values.

void lowering_define(struct translator *t, const struct instruction *i, const struct term *term)
{
    uint32_t n = i->result;
    assert(n < t->flat->value_count);
    if (term->sort->kind == SORT_ARRAY || term_is_literal(term)) {
        t->value[n] = term;
        return;
    }
    if (t->used_elsewhere[n]) {
        if (t->variable_of[n] == NULL)
            t->variable_of[n] = model_builder_fresh(t->builder, "value", term->sort, 0, t->at);
        lowering_assign(t, t->variable_of[n], term);
        if (i->op == OP_LOAD)
            lowering_loads(t, t->variable_of[n], term);
        term = t->variable_of[n]->term;
    } else if (term->tree_size > MOST_TERM) {
        term = keep(t, term);
    }
    t->value[n] = term;
    VECTOR_PUSH(&t->pending, n);
}

static void use_operands(struct translator *t, const struct instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++) {
        if (i->operands[k].kind == OPERAND_VALUE && t->uses_left[i->operands[k].number] > 0)
            t->uses_left[i->operands[k].number]--;
    }
}

static void extract_part(struct translator *t, const struct instruction *i)
{
    const struct operand *o = &i->operands[0];
    const struct term *whole = o->kind == OPERAND_VALUE ? t->value[o->number] : NULL;
    const struct term *overflow = o->kind == OPERAND_VALUE ? t->overflow[o->number] : NULL;
    if (whole == NULL || overflow == NULL)
        lowering_unsupported(t, "values of this type");
    else
        lowering_define(t, i, i->extra == 0 ? whole : overflow);
}

static void instruction(struct translator *t, const struct instruction *i)
{
    switch (i->op) {
    case OP_ALLOCA:
        lowering_alloca(t, i);
        break;
    case OP_LOAD:
        t->loaded[i->result] = true;
        if (lowering_sort(t, i->type) == NULL) {
            lowering_unsupported(t, "values of this type");
            break;
        }
        lowering_define(t, i,
                        lowering_load(t, &i->operands[0], 0, (uint64_t)i->numbers[0], i->type));
        break;
    case OP_STORE:
        if (lowering_sort(t, i->type) == NULL) {
            lowering_unsupported(t, "values of this type");
            break;
        }
        lowering_store(t, &i->operands[1], 0, (uint64_t)i->numbers[0],
                       i->type.kind == PROGRAM_POINTER, lowering_operand(t, &i->operands[0]),
                       &i->operands[0]);
        break;
    case OP_CALL:
        lowering_call(t, i);
        break;
    case OP_COPY:
        lowering_copy(t, &i->operands[0], &i->operands[1], &i->operands[2]);
        break;
    case OP_EXTRACT:
        extract_part(t, i);
        break;
    case OP_LABEL:
        if (t->question->property == PROPERTY_LABEL && strcmp(i->text, t->question->name) == 0)
            lowering_error_if(t, term_true(t->store), "unreach-label");
        break;
    case OP_ENTER:
        break;
    case OP_LEAVE:
        if (i->frame != 0)
            lowering_leave(t, i->frame);
        break;
    case OP_UNSUPPORTED:
        lowering_unsupported(t, "%s", i->text);
        break;
    case OP_PROCEDURE:
        lowering_procedure(t, i);
        break;
    case OP_INPUT:
        lowering_input(t, i);
        break;
    case OP_INVOKE:
        lowering_invoke(t, i);
        break;
    default:
        lowering_value(t, i);
    }
}

// From one block to the next: all phi instructions there take their values at once.
static void take_edge(struct translator *t, uint32_t from, uint32_t to,
                      const struct term *condition)
{
    struct location *source = t->here;
    assert(to < t->flat->block_count);
    VECTOR(struct statement *) list = {0};
    VECTOR(const struct variable *) changed = {0};
    VECTOR(const struct term *) values = {0};
    for (size_t i = 0; i < t->statements.count; i++)
        VECTOR_PUSH(&list, t->statements.data[i]);
    VECTOR_CLEAR(&t->statements);
    if (!term_is_true(condition))
        VECTOR_PUSH(&list, model_assume(t->builder, condition, t->at));
    const struct block *b = &t->flat->blocks[to];
    for (size_t k = 0; k < b->count; k++) {
        const struct instruction *phi = &b->instructions[k];
        bool found = phi->op != OP_PHI;
        for (uint32_t n = 0; phi->op == OP_PHI && n < phi->number_count; n++) {
            if ((uint32_t)phi->numbers[n] != from)
                continue;
            found = true;
            const struct sort *sort = lowering_sort(t, phi->type);
            if (sort == NULL) {
                lowering_unsupported(t, "values of this type");
                break;
            }
            t->result_value = phi->result;
            const struct term *value = lowering_operand(t, &phi->operands[n]);
            if (t->variable_of[phi->result] == NULL)
                t->variable_of[phi->result] =
                    model_builder_fresh(t->builder, "value", sort, 0, phi->at);
            VECTOR_PUSH(&changed, t->variable_of[phi->result]);
            VECTOR_PUSH(&values, value);
            break;
        }
        ENSURE(found); // else it would keep what it was
    }
    struct changes leads = {0};
    lowering_reach_phis(t, b, from, &leads);
    for (size_t i = 0; i < leads.count; i++) {
        VECTOR_PUSH(&changed, leads.data[i].variable);
        VECTOR_PUSH(&values, leads.data[i].term);
    }
    VECTOR_FINISH(&leads);
    assert(changed.count == values.count);
    for (size_t i = 0; i < t->statements.count; i++) // havocs of undefined operands
        VECTOR_PUSH(&list, t->statements.data[i]);
    VECTOR_CLEAR(&t->statements);
    for (size_t i = 0; i < values.count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!mentions(values.data[i], changed.data[k]->term))
                continue;
            const struct variable *v =
                model_builder_fresh(t->builder, "before", values.data[i]->sort, 0, t->at);
            VECTOR_PUSH(&list, model_assign(t->builder, v, values.data[i], t->at));
            values.data[i] = v->term;
            break;
        }
    }
    // What was kept comes before what changes: the list so far has assumptions, havocs and kept values only.
    for (size_t i = 0; i < values.count; i++)
        VECTOR_PUSH(&list, model_assign(t->builder, changed.data[i], values.data[i], t->at));
    struct statement *s = model_sequence(t->builder, list.data, list.count, t->at);
    edge(t, source, t->locations[to], s, NULL);
    VECTOR_FINISH(&list);
    VECTOR_FINISH(&changed);
    VECTOR_FINISH(&values);
}

static void branch(struct translator *t, uint32_t from, const struct instruction *i)
{
    if (i->operand_count == 0) {
        take_edge(t, from, (uint32_t)i->numbers[0], term_true(t->store));
        return;
    }
    const struct term *c = lowering_operand(t, &i->operands[0]);
    cut_sequence(t);
    lowering_asked(t, c);
    if (!term_is_false(c))
        take_edge(t, from, (uint32_t)i->numbers[0], c);
    if (!term_is_true(c))
        take_edge(t, from, (uint32_t)i->numbers[1], term_not(t->store, c));
}

static void switch_over(struct translator *t, uint32_t from, const struct instruction *i)
{
    const struct term *v = lowering_operand(t, &i->operands[0]);
    const struct term *none = term_true(t->store);
    cut_sequence(t);
    for (uint32_t k = 1; k < i->operand_count; k++) {
        const struct term *hit = term_eq(t->store, v, lowering_operand(t, &i->operands[k]));
        if (!term_is_false(hit))
            take_edge(t, from, (uint32_t)i->numbers[k], hit);
        none = term_and2(t->store, none, term_not(t->store, hit));
    }
    if (!term_is_false(none))
        take_edge(t, from, (uint32_t)i->numbers[0], none);
}

static void end_block(struct translator *t, uint32_t number, const struct instruction *i)
{
    if (i->op == OP_CUT)
        lowering_cut_if(t, term_true(t->store), i->text);
    if (i->op == OP_RETURN)
        lowering_end_of_memory(t, true);
    if (i->op == OP_RESULT && !t->dead)
        lowering_result(t, i);
    if (t->dead || i->op == OP_RESULT || i->op == OP_CUT || i->op == OP_RETURN ||
        i->op == OP_UNREACHABLE)
        return; // the path ends
    if (i->op == OP_SWITCH) {
        switch_over(t, number, i);
        return;
    }
    assert(i->op == OP_BRANCH);
    branch(t, number, i);
}

static void count_uses(struct translator *t, const struct block *b, uint32_t number)
{
    for (size_t k = 0; k < b->count; k++) {
        const struct instruction *i = &b->instructions[k];
        for (uint32_t n = 0; n < i->operand_count && i->op != OP_PHI; n++) {
            if (i->operands[n].kind == OPERAND_VALUE)
                t->uses_left[i->operands[n].number]++;
        }
    }
    uint32_t next[2];
    size_t count = flat_successors(b, next, 2);
    for (size_t s = 0; s < count; s++) {
        const struct block *to = &t->flat->blocks[b->instructions[b->count - 1].numbers[s]];
        for (size_t k = 0; k < to->count; k++) {
            const struct instruction *phi = &to->instructions[k];
            for (uint32_t n = 0; phi->op == OP_PHI && n < phi->number_count; n++) {
                if ((uint32_t)phi->numbers[n] == number && phi->operands[n].kind == OPERAND_VALUE)
                    t->uses_left[phi->operands[n].number]++;
            }
        }
    }
}

static void block(struct translator *t, uint32_t number)
{
    const struct block *b = &t->flat->blocks[number];
    t->here = t->locations[number];
    t->number = number;
    t->dead = false;
    VECTOR_CLEAR(&t->pending);
    lowering_reach_block(t);
    count_uses(t, b, number);
    if (t->loop_head[number] && t->question->property == PROPERTY_MEMSAFETY) {
        t->at = b->instructions[0].at;
        t->frame = b->instructions[0].frame;
        lowering_lost_memory(t);
    }
    for (size_t k = 0; k < b->count; k++) {
        const struct instruction *i = &b->instructions[k];
        t->at = i->at;
        t->frame = i->frame;
        t->result_value = i->result;
        if (i->op == OP_PHI) {
            if (t->variable_of[i->result] != NULL)
                t->value[i->result] = t->variable_of[i->result]->term;
            continue;
        }
        if (opcode_ends_block(i->op)) {
            end_block(t, number, i);
            break;
        }
        // A store looks at its operands before it changes anything.
        if (i->op == OP_STORE)
            use_operands(t, i);
        instruction(t, i);
        lowering_reach_define(t, i);
        if (i->op != OP_STORE)
            use_operands(t, i);
        if (t->dead)
            break;
    }
    assert(t->held.count == 0 && "what an instruction holds it lets go");
    VECTOR_CLEAR(&t->statements);
}

static void find_foreign_uses(struct translator *t)
{
    for (uint32_t b = 0; b < t->flat->block_count; b++) {
        const struct block *block = &t->flat->blocks[b];
        for (size_t k = 0; k < block->count; k++) {
            const struct instruction *i = &block->instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                uint32_t home = i->op == OP_PHI ? (uint32_t)i->numbers[n] : b;
                if (i->operands[n].kind == OPERAND_VALUE &&
                    t->flat->definition[i->operands[n].number] != home)
                    t->used_elsewhere[i->operands[n].number] = true;
            }
        }
    }
}

static void make_locations(struct translator *t)
{
    char name[600];
    t->locations = memory_zalloc((t->flat->block_count + 1) * sizeof(struct location *));
    for (uint32_t b = 0; b < t->flat->block_count; b++) {
        const struct instruction *first = &t->flat->blocks[b].instructions[0];
        for (size_t k = 0; k < t->flat->blocks[b].count && first->at.line == 0; k++)
            first = &t->flat->blocks[b].instructions[k];
        snprintf(name, sizeof name, "%s:%u:%u#%u", t->flat->frames[first->frame].name,
                 first->at.line, first->at.column, b);
        t->locations[b] = model_builder_location(t->builder, name, PHASE_NONE, true);
    }
    t->error = model_builder_location(t->builder, "error", PHASE_NONE, true);
}

// Where an edge leads back in the order.
static void find_loop_heads(struct translator *t, const uint32_t *order, size_t count)
{
    size_t *position = memory_zalloc((t->flat->block_count + 1) * sizeof *position);
    t->loop_head = memory_zalloc(t->flat->block_count + 1);
    for (size_t i = 0; i < count; i++)
        position[order[i]] = i;
    for (size_t i = 0; i < count; i++) {
        const struct block *b = &t->flat->blocks[order[i]];
        size_t successors = flat_successors(b, NULL, 0);
        for (size_t k = 0; k < successors; k++) {
            int64_t to = b->instructions[b->count - 1].numbers[k];
            assert(to >= 0 && (size_t)to < t->flat->block_count);
            t->loop_head[to] = t->loop_head[to] || position[to] <= i;
        }
    }
    memory_free(position);
}

static uint32_t bits_for(size_t count)
{
    uint32_t bits = 4;
    while (((size_t)1 << bits) < count + 1)
        bits++;
    return bits;
}

static void make_arrays(struct translator *t)
{
    size_t n = t->flat->value_count + 1;
    t->variable_of = memory_zalloc(n * sizeof *t->variable_of);
    t->value = memory_zalloc(n * sizeof *t->value);
    t->overflow = memory_zalloc(n * sizeof *t->overflow);
    t->address = memory_zalloc(n * sizeof *t->address);
    t->uses_left = memory_zalloc(n * sizeof *t->uses_left);
    t->used_elsewhere = memory_zalloc(n * sizeof *t->used_elsewhere);
    t->loaded = memory_zalloc(n * sizeof *t->loaded);
}

static void finish(struct translator *t)
{
    for (size_t i = 0; i < t->objects->count; i++)
        memory_free(t->memory[i].cells);
    lowering_finish_kept(t);
    memory_free(t->memory);
    memory_free(t->counters);
    memory_free(t->variable_of);
    memory_free(t->value);
    memory_free(t->overflow);
    memory_free(t->address);
    memory_free(t->uses_left);
    memory_free(t->used_elsewhere);
    memory_free(t->locations);
    memory_free(t->loop_head);
    memory_free(t->flag);
    memory_free(t->loaded);
    memory_free(t->computed);
    VECTOR_FINISH(&t->pending);
    VECTOR_FINISH(&t->based);
    VECTOR_FINISH(&t->may_outlive);
    VECTOR_FINISH(&t->held);
    VECTOR_FINISH(&t->statements);
    VECTOR_FINISH(&t->edges);
    VECTOR_FINISH(&t->asked);
    VECTOR_FINISH(&t->defined);
    lowering_finish_procedures(t);
    lowering_finish_reach(t);
    lowering_finish_summaries(t);
}

static struct model *translate(const struct objects *objects, const struct dialect *dialect,
                               const struct program_question *question, bool ignore_cuts,
                               bool endless, struct procedures *procedures,
                               struct model_judge *judge, struct translation_result *result,
                               struct messages *messages)
{
    const struct program *p = objects->flat->program;
    const char *path = p->file_count > 0 ? p->files[0] : NULL;
    size_t failures = messages->errors + messages->unsupported, count;
    struct translator t = {.objects = objects, .flat = objects->flat, .question = question};
    *result = (struct translation_result){.copies_from = UINT32_MAX};
    t.ignore_cuts = ignore_cuts;
    t.procedures = procedures;
    t.result = result;
    t.messages = messages;
    t.builder = model_builder_create(dialect, path, NULL);
    t.store = model_builder_store(t.builder);
    t.offset_bits = p->pointer_bits;
    t.object_bits = bits_for(objects->count);
    t.pointer_bits = t.offset_bits + t.object_bits;
    t.at = (struct position){path, 0, 0};
    if (objects->unfinished)
        lowering_unsupported(&t, "pointers of so many places");
    make_arrays(&t);
    lowering_make_memory(&t);
    uint32_t *order = flat_block_order(t.flat, &count);
    find_loop_heads(&t, order, count);
    lowering_make_given(&t);
    lowering_make_summaries(&t);
    lowering_make_kept(&t);
    lowering_make_reach(&t);
    make_locations(&t);
    if (procedures != NULL)
        lowering_make_procedures(&t);
    lowering_initial_memory(&t);
    lowering_initial_given(&t);
    lowering_initial_summaries(&t);
    lowering_initial_kept(&t);
    lowering_initial_reach(&t);
    struct statement *start = take_statements(&t);
    find_foreign_uses(&t);
    t.flag = flags_find(t.flat);
    t.flags_decide = flags_only_decide(t.flat);
    lowering_find_computed(&t);
    for (size_t i = 0; i < count; i++)
        block(&t, order[i]);
    memory_free(order);
    assert(t.held.count == 0 && t.locations[0] != NULL);
    if (endless)
        lowering_endless(&t);
    if (procedures != NULL)
        lowering_end_procedures(&t);
    model_builder_initial(t.builder, t.locations[0], start);
    model_builder_error(t.builder, t.error);
    text_init(&result->guesses);
    lowering_guesses(&t, &result->guesses);
    result->guesses_are_bounds = t.summaries == NULL;
    lowering_guess_floats(&t, &result->guesses);
    finish(&t);
    if (judge != NULL)
        model_builder_judge(t.builder, judge);
    if (messages->errors + messages->unsupported > failures) {
        model_builder_destroy(t.builder);
        return NULL;
    }
    return model_builder_finish(t.builder);
}

struct model *translate_program(const struct objects *objects, const struct dialect *dialect,
                                const struct program_question *question, bool ignore_cuts,
                                struct model_judge *judge, struct translation_result *result,
                                struct messages *messages)
{
    return translate(objects, dialect, question, ignore_cuts,
                     question->property == PROPERTY_TERMINATION, NULL, judge, result, messages);
}

struct model *translate_for_ways(const struct objects *objects, const struct dialect *dialect,
                                 const struct program_question *question,
                                 struct translation_result *result, struct messages *messages)
{
    assert(question->property == PROPERTY_TERMINATION);
    return translate(objects, dialect, question, false, false, NULL, NULL, result, messages);
}

bool program_question_names(const struct program_question *question, const char *function)
{
    static const char *const errors[] = {"reach_error", "__assert_fail", "__VERIFIER_error"};
    if (question->property != PROPERTY_CALL)
        return false;
    bool failure = strcmp(function, "__regatta_failure") == 0;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0] && failure; i++) {
        if (strcmp(errors[i], question->name) == 0)
            return true;
    }
    return strcmp(function, question->name) == 0;
}

bool program_is_of_verifier(const char *function)
{
    static const char *const beginnings[] = {"__CPROVER_", "__ESBMC_",   "klee_",      "__SMACK_",
                                             "Frama_C_",   "__goblint_", "__llbmc_",   "__divine_",
                                             "__vm_",      "__dios_",    "__SEAHORN_", "sea_"};
    // These change nothing: what they are for does not matter to a proof about every run.
    static const char *const quiet[] = {"__CPROVER_atomic_begin", "__CPROVER_atomic_end",
                                        "__ESBMC_atomic_begin",   "__ESBMC_atomic_end",
                                        "__ESBMC_unroll",         "klee_is_symbolic",
                                        "klee_is_replay",         NULL};
    if (strstr(function, "nond") != NULL || text_is_one_of(function, quiet) ||
        text_begins_with(function, "Frama_C_show_each"))
        return false;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (text_begins_with(function, beginnings[i]))
            return true;
    }
    return false;
}

bool program_question_is_race(const struct program_question *question)
{
    return question->property == PROPERTY_CALL && strcmp(question->name, THREADS_RACE) == 0;
}

const char *program_question_word(const struct program_question *question)
{
    return program_question_is_race(question) ? "no-data-race" : "unreach-call";
}

struct procedures *translate_procedures(const struct objects *objects,
                                        const struct dialect *dialect,
                                        const struct program_question *question)
{
    struct procedures *out = memory_zalloc(sizeof *out);
    struct translation_result result;
    struct messages messages;
    arena_init(&out->arena);
    messages_init(&messages);
    procedures_init(out);
    if (question->property == PROPERTY_CALL || question->property == PROPERTY_LABEL ||
        question->property == PROPERTY_OVERFLOW)
        out->model =
            translate(objects, dialect, question, false, false, out, NULL, &result, &messages);
    else
        result = (struct translation_result){0};
    messages_finish(&messages);
    memory_free(result.meanings);
    text_finish(&result.guesses);
    if (out->model != NULL)
        return out;
    out->base.destroy(&out->base);
    return NULL;
}

struct model *translate_single_run(const struct flat *flat, const struct dialect *dialect,
                                   const char *label, struct position at, uint32_t guess,
                                   struct model_judge *judge)
{
    const struct program *p = flat->program;
    struct model_builder *b =
        model_builder_create(dialect, p->file_count > 0 ? p->files[0] : NULL, NULL);
    assert(judge != NULL); // it alone knows the run
    char name[40] = "main";
    if (guess != 0)
        snprintf(name, sizeof name, "main on guess %u", guess);
    struct location *start = model_builder_location(b, name, PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    if (label != NULL)
        model_builder_edge(b, start, error, model_sequence(b, NULL, 0, at), label, at);
    model_builder_initial(b, start, model_sequence(b, NULL, 0, at));
    model_builder_error(b, error);
    model_builder_judge(b, judge);
    return model_builder_finish(b);
}
