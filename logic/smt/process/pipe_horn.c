#include "logic/smt/process/pipe_horn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/print.h"
#include "logic/terms/read_smtlib.h"

// Predicate i is called p<i>; the variables of a clause are renamed to v0, v1, …, so that no name has to be
// written that the program may not know how to read.

struct renaming {
    struct term_store *store;
    struct id_map names; // by the id of a variable
    struct term_vector variables;
};

static const struct term *renamed(void *context, const struct term *variable)
{
    struct renaming *r = context;
    const struct term *name = id_map_get(&r->names, variable->id);
    if (name == NULL) {
        char text[24];
        snprintf(text, sizeof text, "v%zu", r->variables.count);
        name = term_var(r->store, text, variable->sort);
        id_map_put(&r->names, variable->id, name);
        VECTOR_PUSH(&r->variables, name);
    }
    return name;
}

static void add_term(struct text *out, struct renaming *r, const struct term *term)
{
    text_add_char(out, ' ');
    print_term(out, rewrite_substitute(r->store, term, renamed, r), PRINT_SMTLIB);
}

static void add_application(struct text *out, struct renaming *r, const struct smt_horn *problem,
                            uint32_t predicate, const struct term *const *arguments)
{
    size_t count = problem->predicates[predicate].count;
    text_printf(out, count > 0 ? " (p%u" : " p%u", predicate);
    for (size_t i = 0; i < count; i++)
        add_term(out, r, arguments[i]);
    text_add(out, count > 0 ? ")" : "");
}

static void add_clause(struct text *out, struct term_store *store, const struct smt_horn *problem,
                       const struct smt_horn_clause *clause)
{
    struct renaming r = {.store = store};
    struct text body;
    text_init(&body);
    text_add(&body, "(=> (and true");
    if (clause->body != SMT_HORN_NONE)
        add_application(&body, &r, problem, clause->body, clause->body_arguments);
    for (size_t i = 0; i < clause->other_count; i++)
        add_application(&body, &r, problem, clause->others[i].predicate,
                        clause->others[i].arguments);
    add_term(&body, &r, clause->constraint);
    text_add(&body, ")");
    add_application(&body, &r, problem, clause->head, clause->head_arguments);
    text_add(&body, ")");
    text_add(out, "(assert ");
    for (size_t i = 0; i < r.variables.count; i++) {
        text_printf(out, i == 0 ? "(forall ((v%zu " : " (v%zu ", i);
        print_sort(out, r.variables.data[i]->sort, PRINT_SMTLIB);
        text_add_char(out, ')');
    }
    text_printf(out, r.variables.count > 0 ? ") %s))\n" : "%s)\n", text_string(&body));
    text_finish(&body);
    VECTOR_FINISH(&r.variables);
    id_map_finish(&r.names);
}

static void add_script(struct text *out, struct term_store *store, const struct smt_horn *problem)
{
    for (size_t i = 0; i < problem->predicate_count; i++) {
        const struct smt_horn_predicate *predicate = &problem->predicates[i];
        text_printf(out, "(declare-fun p%zu (", i);
        for (size_t k = 0; k < predicate->count; k++) {
            text_add(out, k > 0 ? " " : "");
            print_sort(out, predicate->parameters[k]->sort, PRINT_SMTLIB);
        }
        text_add(out, ") Bool)\n");
    }
    for (size_t i = 0; i < problem->clause_count; i++)
        add_clause(out, store, problem, &problem->clauses[i]);
    text_printf(out, "(assert (=> p%u false))\n", problem->query);
}

// ---- what the program can be asked

static bool has_enumeration(const struct sort *sort)
{
    return sort->kind == SORT_ENUM ||
           (sort->kind == SORT_ARRAY &&
            (has_enumeration(sort->key) || has_enumeration(sort->element)));
}

static bool is_expressible(const struct term *root)
{
    struct id_map seen = {0};
    struct term_vector work = {0};
    bool good = true;
    VECTOR_PUSH(&work, root);
    while (work.count > 0) {
        const struct term *t = VECTOR_POP(&work);
        if (id_map_get(&seen, t->id) != NULL)
            continue;
        id_map_put(&seen, t->id, t);
        good = good && t->kind != TERM_REM && !has_enumeration(t->sort);
        for (uint32_t i = 0; i < t->child_count && good; i++)
            VECTOR_PUSH(&work, t->child[i]);
    }
    VECTOR_FINISH(&work);
    id_map_finish(&seen);
    return good && (root->flags & (TERM_HAS_DIVISION | TERM_HAS_QUANTIFIER)) == 0;
}

static bool supported(const struct smt_horn *problem)
{
    bool good = problem->predicates[problem->query].count == 0;
    for (size_t i = 0; i < problem->predicate_count && good; i++)
        for (size_t k = 0; k < problem->predicates[i].count && good; k++)
            good = is_expressible(problem->predicates[i].parameters[k]);
    for (size_t i = 0; i < problem->clause_count && good; i++)
        good = is_expressible(problem->clauses[i].constraint);
    return good;
}

// ---- the interpretation

// (define-fun p3 ((name sort) …) Bool body), over the predicate's parameters.
static const struct term *read_definition(struct smtlib_reader *reader, const struct sexpr *e,
                                          const struct smt_horn_predicate *predicate,
                                          struct term_store *store)
{
    const struct sexpr *parameters = e->child[2];
    struct text why;
    if (parameters->kind != SEXPR_LIST || parameters->count != predicate->count)
        return NULL;
    size_t mark = smtlib_reader_mark(reader);
    bool good = true;
    for (size_t i = 0; i < predicate->count && good; i++) {
        const struct sexpr *pair = parameters->child[i];
        good = pair->kind == SEXPR_LIST && pair->count == 2 && pair->child[0]->text != NULL;
        if (good)
            smtlib_reader_bind(reader, pair->child[0]->text, predicate->parameters[i]);
    }
    text_init(&why);
    const struct term *body =
        good ? smtlib_read_as(reader, e->child[4], sort_bool(store), &why) : NULL;
    text_finish(&why);
    smtlib_reader_unbind(reader, mark);
    return body;
}

// False when the model makes the query true, which the last clause rules out: then it is no model (Z3 4.8.12 has such).
static bool read_model(struct term_store *store, const struct smt_horn *problem,
                       const struct sexpr *model, struct smt_horn_answer *answer)
{
    const struct term **all = memory_zalloc((problem->predicate_count + 1) * sizeof(*all));
    struct smtlib_reader *reader = smtlib_reader_create(store);
    for (size_t i = 0; i < model->count; i++) {
        const struct sexpr *e = model->child[i];
        if (!sexpr_is_call(e, "define-fun", 5) || e->child[1]->text == NULL ||
            e->child[1]->text[0] != 'p')
            continue;
        char *end;
        unsigned long number = strtoul(e->child[1]->text + 1, &end, 10);
        if (*end == '\0' && number < problem->predicate_count)
            all[number] = read_definition(reader, e, &problem->predicates[number], store);
    }
    smtlib_reader_destroy(reader);
    const struct term *query = all[problem->query];
    const bool holds = query == NULL || !term_is_true(query);
    bool good = holds;
    all[problem->query] = term_false(store);
    for (size_t i = 0; i < problem->predicate_count; i++)
        good = good && all[i] != NULL;
    if (good)
        answer->interpretation = all;
    else
        memory_free(all);
    return holds;
}

static void fail(struct smt_horn_answer *answer, const char *const *words, const char *what)
{
    answer->reason = SMT_REASON_ERROR;
    text_clear(&answer->error);
    text_printf(&answer->error, "%s: ", words[0]);
    text_add_words(&answer->error, what, strlen(what), 300);
}

// One answer and no complaint, else some clause may be missing: then NULL with the reason.
static const struct sexpr *ask(struct pipe_process *process, const char *question,
                               const char *const *words, struct arena *arena,
                               struct sexpr_answers *said, bool (*stopped)(void *context),
                               void *context, struct smt_horn_answer *answer)
{
    enum pipe_status status = pipe_ask(process, question, arena, said, stopped, context);
    const char *complaint = pipe_complaint(said);
    if (complaint != NULL) {
        fail(answer, words, complaint);
    } else if (status == PIPE_STOPPED || (status != PIPE_ANSWERED && stopped(context))) {
        answer->reason = SMT_REASON_INTERRUPTED;
    } else if (status != PIPE_ANSWERED) {
        answer->reason = SMT_REASON_ERROR;
        text_clear(&answer->error);
        pipe_explain(process, status, words, &answer->error);
    } else if (said->count != 1) {
        fail(answer, words, "its answer is not one expression");
    } else {
        return said->data[0];
    }
    return NULL;
}

static enum smt_result read_answer(const struct sexpr *said, const char *const *words,
                                   struct smt_horn_answer *answer)
{
    if (said != NULL && sexpr_is(said, "sat"))
        return SMT_UNSAT;
    if (said != NULL && sexpr_is(said, "unsat"))
        return SMT_SAT;
    if (said != NULL && sexpr_is(said, "unknown"))
        answer->reason = SMT_REASON_INCOMPLETE;
    else if (said != NULL)
        fail(answer, words, "it gave no answer to a check");
    return SMT_UNKNOWN;
}

enum smt_result pipe_horn(struct term_store *store, struct pipe_process *process,
                          const char *const *words, const char *greeting,
                          bool (*stopped)(void *context), void *context,
                          const struct smt_horn *problem, struct smt_horn_answer *answer)
{
    struct sexpr_answers said = {0}, model = {0};
    struct arena arena;
    if (!supported(problem))
        return SMT_UNKNOWN;
    if (!pipe_start(process, words, greeting)) {
        fail(answer, words, "it cannot be started");
        return SMT_UNKNOWN;
    }
    arena_init(&arena);
    add_script(&process->out, store, problem);
    const struct sexpr *e =
        ask(process, "(check-sat)", words, &arena, &said, stopped, context, answer);
    enum smt_result result = read_answer(e, words, answer);
    const struct sexpr *definitions = NULL;
    if (result == SMT_UNSAT)
        definitions = ask(process, "(get-model)", words, &arena, &model, stopped, context, answer);
    if (definitions != NULL && !read_model(store, problem, definitions, answer)) {
        fail(answer, words, "its model breaks a clause");
        result = SMT_UNKNOWN;
    }
    pipe_release(process);
    VECTOR_FINISH(&said);
    VECTOR_FINISH(&model);
    arena_finish(&arena);
    return result;
}
