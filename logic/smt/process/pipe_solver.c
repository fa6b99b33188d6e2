#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "logic/smt/process/pipe_horn.h"
#include "logic/smt/process/pipe_process.h"
#include "logic/smt/remainder.h"
#include "logic/smt/smt_backend.h"
#include "logic/terms/eval.h"
#include "logic/terms/print.h"
#include "logic/terms/read_smtlib.h"

// Any SMT-LIB 2 solver as a process. Assertions are kept here and sent when a check needs them, so a
// process that died, was stopped, or was lent to another solver of the context is replaced without
// anybody noticing.

// How many processes a context keeps; the solver that was not used for the longest time gives its own.
#define PROCESS_LIMIT 8

struct pipe_context {
    struct smt_context base;
    struct text command;
    VECTOR(const char *) words; // NULL-terminated
    struct text version;
    _Atomic bool interrupted;
    uint64_t clock;           // checks so far
    struct term_store *names; // a variable for each name that is taken
    struct id_map owners;     // by its id: the variable that has the name
    struct id_map others;     // by the id of a variable that cannot have its name: another
    struct id_map named;      // by id: terms whose variables have names
    bool renames;
    unsigned running;
    struct pipe_process horn; // while it works on Horn clauses
    struct evaluator *evaluator;
};

struct pipe_smt {
    struct smt base;
    struct term_vector asserted;
    VECTOR(size_t) levels; // asserted.count at each push
    struct pipe_process process;
    size_t sent;                    // of `asserted`
    size_t levels_sent;             // of `levels`
    bool confused;                  // two enumerations have one name
    uint64_t used;                  // context's clock at the last check
    struct term_vector assumptions; // of the last check
    struct id_map values;           // under the model, by id of the term
};

static struct pipe_context *context_of(const struct smt *smt)
{
    return (struct pipe_context *)smt->context;
}

// Gives its process up; it is ended unless another can use it.
static void leave_process(struct pipe_smt *smt)
{
    if (smt->process.program.pid == 0)
        return;
    pipe_release(&smt->process);
    context_of(&smt->base)->running--;
    smt->sent = smt->levels_sent = 0;
}

static bool is_stopped(void *data)
{
    struct pipe_context *context = data;
    return smt_stopped(&context->base) || atomic_load(&context->interrupted);
}

static struct pipe_smt *least_used(struct pipe_context *context)
{
    struct pipe_smt *least = NULL;
    for (struct smt *s = context->base.solvers; s != NULL; s = s->older) {
        struct pipe_smt *smt = (struct pipe_smt *)s;
        if (smt->process.program.pid != 0 && (least == NULL || smt->used < least->used))
            least = smt;
    }
    return least;
}

// All that differs between contexts, also where it is the standard: the program may have been another's before.
static void add_options(const struct pipe_context *context, bool horn, struct text *out)
{
    uint64_t limit = horn ? 0 : context->base.options.step_limit; // one check is a whole search
    unsigned seed = (unsigned)(context->base.options.seed & 0x7fffffff);
    text_add(out, "(set-option :print-success false)\n(set-option :produce-models true)\n");
    if (!horn)
        text_add(out, "(set-option :produce-unsat-assumptions true)\n"
                      "(set-option :global-declarations true)\n");
    if (pipe_is(context->words.data, "z3")) {
        text_printf(out, "(set-option :smt.random_seed %u)\n", seed);
        text_printf(out, "(set-option :rlimit %llu)\n", (unsigned long long)limit);
    } else if (pipe_is(context->words.data, "cvc5")) {
        text_printf(out, "(set-option :seed %u)\n", seed);
        if (limit > 0) // forgotten by (reset)
            text_printf(out, "(set-option :rlimit-per %llu)\n", (unsigned long long)limit);
    }
    text_printf(out, "(set-logic %s)\n", horn ? "HORN" : "ALL");
}

static bool have_process(struct pipe_smt *smt)
{
    struct pipe_context *context = context_of(&smt->base);
    if (smt->process.program.pid != 0)
        return true;
    if (context->running >= PROCESS_LIMIT)
        leave_process(least_used(context));
    struct text greeting;
    text_init(&greeting);
    add_options(context, false, &greeting);
    bool good = pipe_start(&smt->process, context->words.data, text_string(&greeting));
    text_finish(&greeting);
    context->running += good;
    smt->sent = smt->levels_sent = 0;
    return good;
}

// Declarations.

static void declare_enumeration(struct pipe_smt *smt, const struct sort *sort)
{
    struct pipe_process *p = &smt->process;
    for (size_t i = 0; i < p->sorts.count; i++)
        if (p->sorts.data[i] == sort)
            return;
    VECTOR_PUSH(&p->sorts, sort);
    for (size_t i = 0; i + 1 < p->sorts.count; i++)
        smt->confused = smt->confused || strcmp(p->sorts.data[i]->name, sort->name) == 0;
    struct term_store *store = term_store_create(NULL);
    const struct term *literal =
        term_default(store, sort_enum(store, sort->name, sort->literals, sort->literal_count));
    print_smtlib_declarations(&p->out, &literal, 1);
    term_store_destroy(store);
}

static void declare_sort(struct pipe_smt *smt, const struct sort *sort)
{
    if (sort->kind == SORT_ARRAY) {
        declare_sort(smt, sort->key);
        declare_sort(smt, sort->element);
    } else if (sort->kind == SORT_ENUM) {
        declare_enumeration(smt, sort);
    }
}

static void declare_variable(struct pipe_smt *smt, const struct term *variable)
{
    struct text *out = &smt->process.out;
    text_add(out, "(declare-const ");
    print_term(out, variable, PRINT_SMTLIB);
    text_add_char(out, ' ');
    print_sort(out, variable->sort, PRINT_SMTLIB);
    text_add(out, ")\n");
}

static void declare(struct pipe_smt *smt, const struct term *root)
{
    struct pipe_process *p = &smt->process;
    struct term_vector work = {0};
    VECTOR_PUSH(&work, root);
    while (work.count > 0) {
        const struct term *t = VECTOR_POP(&work);
        if (id_map_get(&p->known, t->id) != NULL)
            continue;
        id_map_put(&p->known, t->id, t);
        declare_sort(smt, t->sort);
        if (t->kind == TERM_VAR)
            declare_variable(smt, t);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&work, t->child[i]);
    }
    VECTOR_FINISH(&work);
}

// In text x@1 may be a variable of that name, or a copy of x, or one of another sort: all but the first
// to come get names of their own.
static void name_variable(struct pipe_context *context, const struct term *variable)
{
    struct text name;
    text_init(&name);
    print_term(&name, variable, PRINT_SMTLIB);
    const struct term *entry =
        term_var(context->names, text_string(&name), sort_bool(context->names));
    const struct term *owner = id_map_get(&context->owners, entry->id);
    if (owner == NULL) {
        id_map_put(&context->owners, entry->id, variable);
    } else if (owner != variable) {
        text_clear(&name);
        text_printf(&name, "%s!%u", variable->u.var.name, variable->id);
        id_map_put(&context->others, variable->id,
                   term_var(context->base.store, text_string(&name), variable->sort));
        context->renames = true;
    }
    text_finish(&name);
}

static void name_variables(struct pipe_context *context, const struct term *root)
{
    struct term_vector work = {0};
    VECTOR_PUSH(&work, root);
    while (work.count > 0) {
        const struct term *t = VECTOR_POP(&work);
        if (id_map_get(&context->named, t->id) != NULL)
            continue;
        id_map_put(&context->named, t->id, t);
        if (t->kind == TERM_VAR)
            name_variable(context, t);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&work, t->child[i]);
    }
    VECTOR_FINISH(&work);
}

static const struct term *other_name(void *data, const struct term *variable)
{
    const struct pipe_context *context = data;
    const struct term *other = id_map_get(&context->others, variable->id);
    return other != NULL ? other : variable;
}

static const struct term *expressible(struct pipe_smt *smt, const struct term *term)
{
    struct pipe_context *context = context_of(&smt->base);
    struct term_store *store = context->base.store;
    term = smt_without_rem(store, term);
    name_variables(context, term);
    return context->renames ? rewrite_substitute(store, term, other_name, context) : term;
}

static void add_term(struct pipe_smt *smt, const struct term *term, struct text *out)
{
    const struct term *written = expressible(smt, term);
    declare(smt, written);
    print_term(out, written, PRINT_SMTLIB);
}

static void add_assertion(struct pipe_smt *smt, const struct term *formula)
{
    struct text line;
    text_init(&line);
    add_term(smt, formula, &line); // declarations go before it
    text_printf(&smt->process.out, "(assert %s)\n", text_string(&line));
    text_finish(&line);
}

static void send_assertions(struct pipe_smt *smt)
{
    for (;;) {
        size_t end = smt->levels_sent < smt->levels.count ? smt->levels.data[smt->levels_sent]
                                                          : smt->asserted.count;
        while (smt->sent < end)
            add_assertion(smt, smt->asserted.data[smt->sent++]);
        if (smt->levels_sent == smt->levels.count)
            return;
        text_add(&smt->process.out, "(push 1)\n");
        smt->levels_sent++;
    }
}

// The command and what it says.
static void fail_with(struct pipe_smt *smt, const char *words)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s: %s", text_string(&context_of(&smt->base)->version), words);
    smt_fail(&smt->base, SMT_REASON_ERROR, text_string(&text));
    text_finish(&text);
}

// Asks; all that was answered but errors. False with smt_fail when there was an error or no answer.
static bool ask(struct pipe_smt *smt, const char *question, struct arena *arena,
                struct sexpr_answers *answers)
{
    struct pipe_context *context = context_of(&smt->base);
    enum pipe_status status =
        pipe_ask(&smt->process, question, arena, answers, is_stopped, context);
    bool stopped = status != PIPE_ANSWERED && (status == PIPE_STOPPED || is_stopped(context));
    const char *complaint = pipe_complaint(answers);
    if (complaint != NULL) {
        fail_with(smt, complaint);
    } else if (stopped) {
        smt_fail(&smt->base, SMT_REASON_INTERRUPTED, "stopped");
    } else if (status != PIPE_ANSWERED) {
        struct text why;
        text_init(&why);
        pipe_explain(&smt->process, status, context->words.data, &why);
        smt_fail(&smt->base, SMT_REASON_ERROR, text_string(&why));
        text_finish(&why);
    }
    if (status != PIPE_ANSWERED)
        leave_process(smt);
    return complaint == NULL && status == PIPE_ANSWERED;
}

static void explain_unknown(struct pipe_smt *smt, struct arena *arena)
{
    struct sexpr_answers answers = {0};
    enum smt_reason reason = SMT_REASON_INCOMPLETE;
    const char *word = "unknown";
    if (ask(smt, "(get-info :reason-unknown)", arena, &answers) && answers.count == 1 &&
        answers.data[0]->kind == SEXPR_LIST && answers.data[0]->count == 2 &&
        answers.data[0]->child[1]->text != NULL)
        word = answers.data[0]->child[1]->text;
    if (strstr(word, "memory") != NULL || strstr(word, "memout") != NULL)
        reason = SMT_REASON_MEMORY;
    else if (smt->base.context->options.step_limit != 0 &&
             (strstr(word, "resource") != NULL || strstr(word, "limit") != NULL ||
              strstr(word, "timeout") != NULL || strstr(word, "cancel") != NULL))
        reason = SMT_REASON_LIMIT;
    smt_fail(&smt->base, reason, word);
    VECTOR_FINISH(&answers);
}

static enum smt_result run(struct pipe_smt *smt, const char *question)
{
    struct arena arena;
    struct sexpr_answers answers = {0};
    enum smt_result result = SMT_UNKNOWN;
    arena_init(&arena);
    bool good = ask(smt, question, &arena, &answers);
    const struct sexpr *last = answers.count > 0 ? VECTOR_LAST(&answers) : NULL;
    if (good && last != NULL && sexpr_is(last, "sat"))
        result = SMT_SAT;
    else if (good && last != NULL && sexpr_is(last, "unsat"))
        result = SMT_UNSAT;
    else if (good && last != NULL && sexpr_is(last, "unknown"))
        explain_unknown(smt, &arena);
    else if (good)
        fail_with(smt, "it gave no answer to a check");
    VECTOR_FINISH(&answers);
    arena_finish(&arena);
    return result;
}

static enum smt_result pipe_check(struct smt *base, const struct term *const *assumptions,
                                  size_t count)
{
    struct pipe_smt *smt = (struct pipe_smt *)base;
    struct pipe_context *context = context_of(base);
    struct text question;
    atomic_store(&context->interrupted, false);
    smt->used = ++context->clock;
    if (!have_process(smt)) {
        fail_with(smt, "it cannot be started");
        return SMT_UNKNOWN;
    }
    text_init(&question);
    send_assertions(smt);
    VECTOR_CLEAR(&smt->assumptions);
    for (size_t i = 0; i < count; i++)
        if (!term_is_true(assumptions[i])) {
            text_add(&question, smt->assumptions.count == 0 ? "(check-sat-assuming (" : " ");
            add_term(smt, assumptions[i], &question);
            VECTOR_PUSH(&smt->assumptions, assumptions[i]);
        }
    text_add(&question, smt->assumptions.count == 0 ? "(check-sat)" : "))");
    enum smt_result result = SMT_UNKNOWN;
    if (smt->confused)
        smt_fail(base, SMT_REASON_ERROR, "two enumerations have one name");
    else
        result = run(smt, text_string(&question));
    text_finish(&question);
    return result;
}

// Life.

static struct smt *pipe_create(struct smt_context *context)
{
    struct pipe_smt *smt = memory_zalloc(sizeof *smt);
    smt->base.context = context;
    return &smt->base;
}

static void pipe_forget(struct smt *base)
{
    id_map_clear(&((struct pipe_smt *)base)->values);
}

static void pipe_destroy(struct smt *base)
{
    struct pipe_smt *smt = (struct pipe_smt *)base;
    leave_process(smt);
    VECTOR_FINISH(&smt->asserted);
    VECTOR_FINISH(&smt->levels);
    VECTOR_FINISH(&smt->assumptions);
    id_map_finish(&smt->values);
    memory_free(smt);
}

static bool pipe_pop(struct smt *base, unsigned levels)
{
    struct pipe_smt *smt = (struct pipe_smt *)base;
    size_t left = smt->levels.count - levels;
    smt->asserted.count = smt->levels.data[left];
    smt->levels.count = left;
    if (smt->levels_sent > left) {
        text_printf(&smt->process.out, "(pop %zu)\n", smt->levels_sent - left);
        smt->levels_sent = left;
    }
    if (smt->sent > smt->asserted.count)
        smt->sent = smt->asserted.count;
    return true;
}

static bool pipe_reset(struct smt *base)
{
    struct pipe_smt *smt = (struct pipe_smt *)base;
    leave_process(smt);
    smt->confused = false;
    VECTOR_CLEAR(&smt->asserted);
    VECTOR_CLEAR(&smt->levels);
    return true;
}

static bool pipe_push(struct smt *base)
{
    struct pipe_smt *smt = (struct pipe_smt *)base;
    VECTOR_PUSH(&smt->levels, smt->asserted.count);
    return true;
}

static bool pipe_assert(struct smt *base, const struct term *formula)
{
    VECTOR_PUSH(&((struct pipe_smt *)base)->asserted, formula);
    return true;
}

// Answers.

static const struct term *fetch_value(struct pipe_smt *smt, const struct term *term)
{
    if (smt->process.program.pid == 0)
        return NULL;
    // Declarations would end the model: what was never sent may have any value.
    const struct term *written = expressible(smt, term);
    if (id_map_get(&smt->process.known, written->id) == NULL && written->kind == TERM_VAR)
        return term_default(smt->base.context->store, term->sort);
    struct arena arena;
    struct sexpr_answers answers = {0};
    struct text text;
    const struct term *value = NULL;
    arena_init(&arena);
    text_init(&text);
    text_add(&text, "(get-value (");
    print_term(&text, written, PRINT_SMTLIB);
    text_add(&text, "))");
    bool good = ask(smt, text_string(&text), &arena, &answers) && answers.count == 1 &&
                answers.data[0]->kind == SEXPR_LIST && answers.data[0]->count == 1 &&
                answers.data[0]->child[0]->kind == SEXPR_LIST &&
                answers.data[0]->child[0]->count == 2;
    if (good) {
        struct smtlib_reader *reader = smtlib_reader_create(smt->base.context->store);
        smtlib_reader_add(reader, term_default(smt->base.context->store, term->sort));
        text_clear(&text);
        value = smtlib_read_as(reader, answers.data[0]->child[0]->child[1], term->sort, &text);
        smtlib_reader_destroy(reader);
    }
    text_finish(&text);
    VECTOR_FINISH(&answers);
    arena_finish(&arena);
    return value != NULL && term_is_literal(value) ? value : NULL;
}

// Asks the model once per variable or division by zero.
static struct value remembered(struct pipe_smt *smt, const struct term *term)
{
    const struct term *value = id_map_get(&smt->values, term->id);
    if (value == NULL) {
        value = fetch_value(smt, term);
        if (value != NULL)
            id_map_put(&smt->values, term->id, value);
    }
    return value == NULL ? VALUE_UNKNOWN : term_value(value);
}

static struct value variable_value(void *data, const struct term *variable)
{
    return remembered(data, variable);
}

static struct value by_zero(void *data, enum term_kind kind, const struct sort *sort,
                            struct value dividend)
{
    struct pipe_smt *smt = data;
    return remembered(smt, smt_by_zero(smt->base.context->store, kind, sort, dividend));
}

static const struct term *pipe_value(struct smt *base, const struct term *term)
{
    struct pipe_smt *smt = (struct pipe_smt *)base;
    struct pipe_context *context = context_of(base);
    if (context->evaluator == NULL)
        context->evaluator = evaluator_create(base->context->store);
    evaluator_set_zero_division(context->evaluator, by_zero, smt);
    struct value value = evaluator_run(context->evaluator, term, variable_value, smt);
    if (value_known(value))
        return term_of_value(base->context->store, term->sort, value);
    return term->flags & TERM_HAS_QUANTIFIER ? fetch_value(smt, term) : NULL;
}

static bool pipe_core(struct smt *base, struct term_vector *core)
{
    struct pipe_smt *smt = (struct pipe_smt *)base;
    if (smt->process.program.pid == 0)
        return false;
    if (smt->assumptions.count == 0)
        return true;
    struct arena arena;
    struct sexpr_answers answers = {0};
    struct text why;
    arena_init(&arena);
    text_init(&why);
    size_t before = core->count;
    bool good = ask(smt, "(get-unsat-assumptions)", &arena, &answers) && answers.count == 1 &&
                answers.data[0]->kind == SEXPR_LIST;
    const struct sexpr *list = good ? answers.data[0] : NULL;
    struct smtlib_reader *reader = smtlib_reader_create(base->context->store);
    for (size_t i = 0; i < smt->assumptions.count; i++) {
        const struct term *a = expressible(smt, smt->assumptions.data[i]);
        smtlib_reader_add(reader, a->kind == TERM_NOT ? a->child[0] : a);
    }
    struct term_vector named = {0};
    for (size_t i = 0; good && i < list->count; i++) {
        const struct term *term = smtlib_read_term(reader, list->child[i], &why);
        good = term != NULL;
        VECTOR_PUSH(&named, term);
    }
    // In the order of the assumptions, each once.
    for (size_t i = 0; good && i < smt->assumptions.count; i++) {
        bool is_named = false, seen = false;
        for (size_t k = 0; k < named.count; k++)
            is_named = is_named || named.data[k] == expressible(smt, smt->assumptions.data[i]);
        for (size_t k = before; k < core->count; k++)
            seen = seen || core->data[k] == smt->assumptions.data[i];
        if (is_named && !seen)
            VECTOR_PUSH(core, smt->assumptions.data[i]);
    }
    VECTOR_FINISH(&named);
    smtlib_reader_destroy(reader);
    VECTOR_FINISH(&answers);
    text_finish(&why);
    arena_finish(&arena);
    return good;
}

// Contexts.

static const struct term *pipe_eliminate(struct smt_context *context, bool linear,
                                         const struct term *const *variables, size_t count,
                                         const struct term *body)
{
    (void)context, (void)linear, (void)variables, (void)count, (void)body;
    return NULL;
}

static const struct term *pipe_simplify(struct smt_context *context, const struct term *formula)
{
    (void)context;
    return formula;
}

static enum smt_result pipe_solve_horn(struct smt_context *base, const struct smt_horn *problem,
                                       struct smt_horn_answer *answer)
{
    struct pipe_context *context = (struct pipe_context *)base;
    atomic_store(&context->interrupted, false);
    if (!smt_begin(base))
        return SMT_UNKNOWN;
    struct text greeting;
    text_init(&greeting);
    add_options(context, true, &greeting);
    enum smt_result result =
        pipe_horn(base->store, &context->horn, context->words.data, text_string(&greeting),
                  is_stopped, context, problem, answer);
    text_finish(&greeting);
    smt_end(base);
    return result;
}

static void pipe_context_destroy(struct smt_context *base)
{
    struct pipe_context *context = (struct pipe_context *)base;
    pipe_end(&context->horn);
    evaluator_destroy(context->evaluator);
    term_store_destroy(context->names);
    id_map_finish(&context->owners);
    id_map_finish(&context->others);
    id_map_finish(&context->named);
    VECTOR_FINISH(&context->words);
    text_finish(&context->command);
    text_finish(&context->version);
    memory_free(context);
}

static const char *pipe_version(const struct smt_context *base)
{
    return text_string(&((const struct pipe_context *)base)->version);
}

static void pipe_interrupt(struct smt_context *base)
{
    atomic_store(&((struct pipe_context *)base)->interrupted, true);
}

const struct smt_backend smt_backend_pipe = {
    .name = "smtlib",
    .context_destroy = pipe_context_destroy,
    .version = pipe_version,
    .interrupt = pipe_interrupt,
    .create = pipe_create,
    .destroy = pipe_destroy,
    .reset = pipe_reset,
    .push = pipe_push,
    .pop = pipe_pop,
    .assert_formula = pipe_assert,
    .check = pipe_check,
    .model_value = pipe_value,
    .unsat_core = pipe_core,
    .forget = pipe_forget,
    .eliminate = pipe_eliminate,
    .simplify = pipe_simplify,
    .horn = pipe_solve_horn,
};

struct smt_context *smt_pipe_context_create(const char *command, const char **error)
{
    struct pipe_context *context = memory_zalloc(sizeof *context);
    text_add(&context->command, command);
    text_add(&context->version, command);
    context->names = term_store_create(NULL);
    char *rest = context->command.data, *word;
    while ((word = strtok_r(rest, " \t", &rest)) != NULL)
        VECTOR_PUSH(&context->words, word);
    VECTOR_PUSH(&context->words, NULL);
    if (context->words.data[0] != NULL && pipe_finds(context->words.data[0]))
        return &context->base;
    const char *program = context->words.data[0];
    *error = program == NULL                ? "expected a command after smtlib:"
             : strchr(program, '/') != NULL ? "there is no such program"
                                            : "there is no such program on PATH";
    pipe_context_destroy(&context->base);
    return NULL;
}
