#include "portfolio/attempt.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/program.h"
#include "certify/certify.h"
#include "engines/registry/registry.h"
#include "portfolio/process.h"

// Of a solver's command, where it is named.
#define SOLVER_BYTES 100

// Terms can be deep and are walked recursively. It is address space only.
static const size_t stack_sizes[] = {(size_t)256 << 20, (size_t)64 << 20};

struct attempt *attempt_create(struct race_shared *shared,
                               const struct configuration *configuration)
{
    // Cache-line alignment of `progress` asks for more than memory_zalloc gives.
    size_t bytes = sizeof(struct attempt) + _Alignof(struct attempt);
    char *block = memory_zalloc(bytes);
    size_t shift = _Alignof(struct attempt) - (uintptr_t)block % _Alignof(struct attempt);
    assert(shift > 0 && shift <= UINT8_MAX);
    struct attempt *attempt = (struct attempt *)(block + shift);
    block[shift - 1] = (char)shift; // where the block begins
    attempt->shared = shared;
    attempt->carrier = &carrier_thread;
    attempt->page = &attempt->own_page;
    attempt->configuration = configuration;
    attempt->deadline_ns = INT64_MAX;
    pthread_mutex_init(&attempt->lock, NULL);
    return attempt;
}

void attempt_destroy(struct attempt *attempt)
{
    if (attempt == NULL)
        return;
    assert(!attempt->running_thread);
    assert(!attempt->abandoned && "what a lost thread may touch stays");
    process_release(attempt);
    pthread_mutex_destroy(&attempt->lock);
    trace_destroy(attempt->outcome.trace);
    text_finish(&attempt->outcome.why);
    text_finish(&attempt->outcome.certificate);
    memory_free(attempt->slot_indices);
    text_finish(&attempt->outcome.precision);
    memory_free(attempt->precision_in);
    text_finish(&attempt->heard);
    char *place = (char *)attempt;
    memory_free(place - (unsigned char)place[-1]);
}

int64_t attempt_programs_ns(const struct attempt *attempt)
{
    return atomic_load_explicit(&attempt->page->programs_ns, memory_order_relaxed);
}

// On the attempt's thread.

static void notice_memory(struct attempt *a)
{
    uint64_t bytes = memory_thread_bytes();
    bytes = bytes > a->base_bytes ? bytes - a->base_bytes : 0;
    if (bytes > atomic_load_explicit(&a->page->peak_bytes, memory_order_relaxed))
        atomic_store_explicit(&a->page->peak_bytes, bytes, memory_order_relaxed);
}

// Of this thread and of the solver programs that worked for it.
static int64_t own_cpu_ns(const struct attempt *a)
{
    return clock_thread_cpu_ns() + attempt_programs_ns(a);
}

static struct advice observe(void *context, const struct engine_event *event)
{
    struct attempt *a = context;
    int64_t begin = clock_wall_ns();
    notice_memory(a);
    atomic_store_explicit(&a->page->last_event, (int)event->kind, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->page->rounds, 1, memory_order_relaxed);
    struct engine_event measured = *event;
    measured.cpu_ns = own_cpu_ns(a);
    measured.bytes = memory_thread_bytes();
    measured.memory_limit = a->memory_limit ? a->base_bytes + a->memory_limit : 0;
    int64_t now = clock_wall_ns();
    int64_t extended = atomic_load_explicit(&a->page->extended_ns, memory_order_relaxed);
    if (a->deadline_ns != INT64_MAX)
        measured.remaining_ns = (extended ? extended : a->deadline_ns) - now;
    int64_t needs = outlook_judge(a->outlook, &measured);
    atomic_store_explicit(&a->page->ends_ns, needs ? now + needs : 0, memory_order_relaxed);
    struct advice advice = watch_judge(a->watch, &measured);
    atomic_fetch_add_explicit(&a->page->monitor_ns, clock_wall_ns() - begin, memory_order_relaxed);
    return advice;
}

void attempt_publish_solver(void *context, struct smt_context *solver)
{
    struct attempt *a = context;
    pthread_mutex_lock(&a->lock);
    a->solver = solver;
    pthread_mutex_unlock(&a->lock);
}

int64_t attempt_busy_since(struct attempt *a)
{
    if (a->carrier == &carrier_process)
        return atomic_load_explicit(&a->page->busy_since_ns, memory_order_relaxed);
    pthread_mutex_lock(&a->lock);
    int64_t since = a->solver != NULL ? smt_context_busy_since(a->solver) : 0;
    pthread_mutex_unlock(&a->lock);
    return since;
}

size_t attempt_give(struct attempt *a, const char *text)
{
    size_t added = exchange_add(a->shared->exchange, a->number, text);
    atomic_fetch_add_explicit(&a->given, added, memory_order_relaxed);
    return added;
}

void attempt_take(struct attempt *a, struct text *out)
{
    size_t news = exchange_news(a->shared->exchange, a->number, &a->heard_lines, out);
    atomic_fetch_add_explicit(&a->taken, news, memory_order_relaxed);
}

void attempt_share(void *context, const char *text)
{
    struct attempt *a = context;
    size_t added = attempt_give(a, text);
    if (added && a->shared->tell_parent != NULL)
        a->shared->tell_parent(text);
}

const char *attempt_hear(void *context)
{
    struct attempt *a = context;
    if (a->shared->tell_parent != NULL)
        a->shared->tell_parent(""); // what the parent has is there the next time
    text_clear(&a->heard);
    attempt_take(a, &a->heard);
    return text_string(&a->heard);
}

void attempt_conclude(struct attempt *a, enum verdict verdict, enum end_reason reason,
                      const char *why)
{
    assert(reason != END_NONE && "who concludes says why");
    a->outcome.verdict = verdict;
    a->outcome.reason = reason;
    if (why != NULL && *why) {
        if (a->outcome.why.length)
            text_add(&a->outcome.why, "; ");
        text_add(&a->outcome.why, why);
    }
}

void attempt_refused(struct attempt *a, const char *what, int error)
{
    struct text why;
    text_init(&why);
    text_printf(&why, "the system refused %s: %s", what, strerror(error));
    attempt_conclude(a, VERDICT_UNKNOWN, END_NOT_STARTED, text_string(&why));
    text_finish(&why);
}

// The trace on the source model; NULL when a link of the chain cannot be mapped. Consumes its
// argument.
static struct trace *map_to_source(struct trace *trace)
{
    while (trace != NULL && trace->model->source != NULL) {
        struct trace *mapped = prepare_map_trace(trace);
        trace_destroy(trace);
        trace = mapped;
    }
    return trace;
}

// What the run ran into, when that is no error of the model; NULL as a rule.
static const char *limit_of(const struct trace *trace)
{
    return trace->step_count == 0 ? NULL : trace->steps[trace->step_count - 1].edge->limit;
}

// In words, with the place in the input.
static void add_limit(struct text *why, const struct trace *trace)
{
    const struct edge *last = trace->steps[trace->step_count - 1].edge;
    assert(last->limit != NULL);
    text_clear(why);
    text_add(why, last->limit);
    if (last->position.path != NULL && last->position.line > 0)
        text_printf(why, " (%s:%u:%u)", last->position.path, last->position.line,
                    last->position.column);
}

// Runs into a limit, or to an error that is none of the input's, leave nothing to prove where the input is asked again in another way.
// A view of the model may know more.
static enum end_reason beyond(const struct trace *trace)
{
    const struct model_judge *judge = trace->model->judge;
    const bool again =
        judge != NULL && trace->model->view == NULL &&
        (limit_of(trace) != NULL ? judge->retry != NULL || judge->wide : judge->wide);
    return again ? END_BEYOND : END_UNSUPPORTED;
}

// Is the run one of what the model stands for?
static bool believed(const struct trace *trace, struct text *why)
{
    const struct model_judge *judge = trace->model->judge;
    return judge == NULL || judge->believes(judge, trace, why);
}

bool attempt_may_err(const struct attempt *a)
{
    return a->configuration->values[OPTION_WORDS] != WORDS_BITS ||
           a->configuration->values[OPTION_ACCELERATE];
}

bool attempt_may_lack_trace(const struct attempt *a)
{
    const struct model_view *view = a->shared->model->view;
    return view != NULL && view->asks;
}

void attempt_check_unsafe(struct attempt *a, struct trace *trace)
{
    // Only a run of the model that was asked about says anything of it.
    ENSURE(trace == NULL || trace->model == a->shared->model);
    struct text why;
    text_init(&why);
    bool replays = trace != NULL && certify_replay(trace, &why);
    if (trace == NULL) {
        attempt_conclude(a, VERDICT_UNKNOWN, END_INTERNAL,
                         "unsafe was answered without a usable trace");
    } else if (!replays && attempt_may_err(a)) {
        attempt_conclude(a, VERDICT_UNKNOWN, END_UNKNOWN,
                         a->configuration->values[OPTION_WORDS] != WORDS_BITS
                             ? "the run is none of the machine words"
                             : "the run has more rounds than are written out");
    } else if (!replays) {
        attempt_conclude(a, VERDICT_UNKNOWN, END_INTERNAL, "the trace does not replay");
        attempt_conclude(a, VERDICT_UNKNOWN, END_INTERNAL, text_string(&why));
    } else if (limit_of(trace) != NULL) {
        add_limit(&why, trace);
        attempt_conclude(a, VERDICT_UNKNOWN, beyond(trace), text_string(&why));
    } else if (!believed(trace, &why)) {
        attempt_conclude(a, VERDICT_UNKNOWN, beyond(trace), text_string(&why));
    } else {
        a->outcome.trace = trace;
        trace = NULL;
        a->outcome.checked = CHECK_PASSED;
        attempt_conclude(a, VERDICT_UNSAFE, END_SOLVED, NULL);
    }
    trace_destroy(trace);
    text_finish(&why);
}

// A solver that was interrupted lets the engine give up in several ways; what counts is that it was
// asked to stop.
static enum end_reason unknown_reason(const struct attempt *a, enum end_reason reason)
{
    assert(atomic_load(&a->stop) != END_SOLVED);
    enum end_reason asked = (enum end_reason)atomic_load(&a->stop);
    bool vague =
        reason == END_NONE || reason == END_SOLVED || reason == END_UNKNOWN || reason == END_SOLVER;
    if (vague && asked != END_NONE)
        return asked;
    return reason == END_NONE || reason == END_SOLVED ? END_UNKNOWN : reason;
}

// The engine's notes, behind what is said about the end.
static void add_notes(struct attempt *a, const char *notes)
{
    if (!*notes)
        return;
    struct text *why = &a->outcome.why;
    if (!why->length && a->outcome.verdict == VERDICT_UNKNOWN)
        text_add(why, end_reason_meaning(a->outcome.reason));
    text_printf(why, "%s%s", why->length ? "; " : "", notes);
}

// A certificate that is refused is a bug of ours only where no program of others was asked.
static void add_suspects(struct attempt *a)
{
    static const enum option roles[] = {OPTION_ABSTRACTION_SOLVER, OPTION_REFINEMENT_SOLVER};
    const char *before = NULL;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const char *name = configuration_solver(a->configuration, roles[i]);
        if (!solver_name_is_program(name) || (before != NULL && strcmp(before, name) == 0))
            continue;
        if (before == NULL && a->outcome.why.length)
            text_add(&a->outcome.why, "; ");
        text_add(&a->outcome.why, before != NULL ? ", or the solver " : "a bug, or the solver ");
        text_add_words(&a->outcome.why, name, strlen(name), SOLVER_BYTES);
        text_add(&a->outcome.why, " answers wrongly");
        before = name;
    }
}

static void judge(struct attempt *a, const struct model *model, struct engine_result *result)
{
    assert(result->invariant == NULL || result->verdict == VERDICT_SAFE);
    atomic_store_explicit(&a->page->progress.phase, ENGINE_CHECKING, memory_order_relaxed);
    a->outcome.solver = result->solver;
    a->sat_solver = result->sat_solver;
    switch (result->verdict) {
    case VERDICT_UNSAFE:
        if (result->trace == NULL && result->checked != NULL && attempt_may_lack_trace(a)) {
            a->outcome.checked = CHECK_PASSED;
            attempt_conclude(a, VERDICT_UNSAFE, END_SOLVED, result->checked);
            break;
        }
        attempt_check_unsafe(a, map_to_source(result->trace));
        result->trace = NULL;
        break;
    case VERDICT_SAFE:
        if (result->procedures != NULL)
            attempt_check_procedures(a, result->procedures_store, result->procedures);
        else
            attempt_check_safe(a, model, result);
        break;
    case VERDICT_UNKNOWN:
        attempt_conclude(a, VERDICT_UNKNOWN, unknown_reason(a, result->reason), result->why);
        break;
    }
    if (a->outcome.reason == END_INTERNAL)
        add_suspects(a);
    add_notes(a, result->notes);
    trace_destroy(result->trace);
    memory_free(result->invariant);
    memory_free(result->procedures);
    if (!a->checker_left) // else it stays for ever
        term_store_destroy(result->procedures_store);
}

static void run_engine(struct attempt *a, const struct engine *engine, const struct model *model)
{
    struct engine_environment environment = {
        .helpers = engine_all(),
        .model = model,
        .configuration = a->configuration,
        .seed = a->seed,
        .stop = &a->stop,
        .step_limit = a->step_limit,
        // The engine should notice first and end in order; the limit on allocations is behind it.
        .memory_limit = a->memory_limit - a->memory_limit / 8,
        .progress = &a->page->progress,
        .observe = observe,
        .observer = a,
        .publish_solver = attempt_publish_solver,
        .share = a->shared->exchange != NULL ? attempt_share : NULL,
        .hear = a->shared->exchange != NULL ? attempt_hear : NULL,
        .precision_in = a->precision_in,
        .precision_out = a->leaves_precision ? &a->outcome.precision : NULL,
        .store = a->store,
        .invariant_unwanted = !a->shared->certify && !a->shared->keep_certificates,
    };
    // publish_solver is called with the observer's context.
    struct engine_result result = engine->run(&environment);
    assert(result.trace == NULL || (result.verdict == VERDICT_UNSAFE &&
                                    model_root(result.trace->model) == model_root(model)));
    notice_memory(a);
    judge(a, model, &result);
}

static void work_here(struct attempt *a)
{
    struct race_shared *shared = a->shared;
    const struct engine *engine = shared->engine_override;
    if (engine == NULL)
        engine = engine_find(configuration_engine(a->configuration));
    const struct model_view *view = shared->model->view;
    bool other_kind =
        engine->view != NULL && (view == NULL || strcmp(view->kind, engine->view) != 0);
    if (other_kind || (engine->view == NULL && view != NULL && view->asks)) {
        attempt_conclude(a, VERDICT_UNKNOWN, END_UNSUPPORTED,
                         engine->view != NULL
                             ? "not applicable: the engine is for inputs of another kind"
                             : "not applicable: the model does not say what is asked");
        return;
    }
    struct prepare_options options = {0};
    engine->preparation(a->configuration, &options);
    if (recode_is_wanted(&options.recode) && !recode_is_possible(shared->model, &options.recode)) {
        attempt_conclude(a, VERDICT_UNKNOWN, END_UNSUPPORTED,
                         "not applicable: the input knows no such form of its model");
        return;
    }
    const struct model *model = model_cache_get(shared->models, &options, &a->stop);
    if (model == NULL) {
        bool asked = atomic_load(&a->stop) != END_NONE;
        if (!asked && (options.accelerate || options.phases)) {
            attempt_conclude(a, VERDICT_UNKNOWN, END_UNSUPPORTED,
                             options.phases
                                 ? "not applicable: no loop has phases"
                                 : "not applicable: no loop has rounds that are known at once");
            return;
        }
        attempt_conclude(a, VERDICT_UNKNOWN, unknown_reason(a, asked ? END_UNKNOWN : END_MEMORY),
                         asked ? NULL : "the model could not be prepared: not enough memory");
        return;
    }
    a->base_bytes = memory_thread_bytes();
    if (a->memory_limit)
        memory_thread_limit(a->base_bytes + a->memory_limit);
    assert(model_root(model) == model_root(shared->model));
    a->watch = watch_create(a->configuration);
    a->outlook = outlook_create();
    a->store = term_store_create(model->store);
    run_engine(a, engine, model);
}

static void out_of_memory(struct attempt *a)
{
    notice_memory(a);
    trace_destroy(a->outcome.trace);
    a->outcome.trace = NULL;
    text_clear(&a->outcome.why);
    text_clear(&a->outcome.precision);
    attempt_conclude(a, VERDICT_UNKNOWN, END_MEMORY, NULL);
    // What the engine held is lost, but its solver is known and is by far the largest part.
    struct smt_context *solver = a->solver;
    attempt_publish_solver(a, NULL);
    smt_context_destroy(solver);
}

static void tell_coordinator(const struct race_shared *shared)
{
    // Fails only when the counter is full, and then the coordinator is awake.
    if (eventfd_write(shared->event_fd, 1) != 0)
        return;
}

// What may be told to the race: who has a verdict has what it rests on, and who has none says so.
static bool is_sound(const struct attempt *a)
{
    const struct attempt_outcome *o = &a->outcome;
    switch (o->verdict) {
    case VERDICT_SAFE:
        return o->checked == CHECK_PASSED || a->carrier != &carrier_thread ||
               !a->shared->require_checked;
    case VERDICT_UNSAFE:
        return o->checked == CHECK_PASSED && (o->trace != NULL || attempt_may_lack_trace(a));
    case VERDICT_UNKNOWN:
        break;
    }
    return o->trace == NULL;
}

static void *attempt_main(void *argument)
{
    struct attempt *a = argument;
    struct memory_trap trap;
    char name[16];
    snprintf(name, sizeof name, "attempt %u", a->number % 1000000);
    pthread_setname_np(pthread_self(), name);
    if (a->shared->topology != NULL)
        topology_bind_self(a->shared->topology, &a->slot, a->outcome.cpus_got);
    if (a->carrier == &carrier_thread)
        program_count_cpu_in(&a->page->programs_ns);
    if (setjmp(trap.jump) == 0) {
        memory_trap_push(&trap);
        a->carrier->work(a);
        memory_trap_pop(&trap);
        memory_thread_limit(0);
    } else {
        memory_thread_limit(0);
        out_of_memory(a);
    }
    ENSURE(is_sound(a));
    atomic_store_explicit(&a->page->progress.phase, ENGINE_DONE, memory_order_relaxed);
    struct watch *watch = a->watch;
    struct outlook *outlook = a->outlook;
    struct term_store *store = a->checker_left ? NULL : a->store; // else it stays for ever
    if (a->carrier == &carrier_thread)
        a->outcome.cpu_ns = own_cpu_ns(a);
    a->outcome.ended_ns = clock_wall_ns();
    // The answer first: the others can be stopped while this thread tidies up.
    atomic_store(&a->answered, true);
    tell_coordinator(a->shared);
    watch_destroy(watch);
    outlook_destroy(outlook);
    term_store_destroy(store);
    return NULL;
}

// On the coordinator's thread.

// Signals are the command's business: no attempt takes one, but for those a fault raises.
static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static int create_thread(struct attempt *a)
{
    int error = EAGAIN;
    for (size_t i = 0; error != 0 && i < sizeof stack_sizes / sizeof *stack_sizes; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, stack_sizes[i]);
        error = pthread_create(&a->thread, &attributes, attempt_main, a);
        pthread_attr_destroy(&attributes);
    }
    return error;
}

void attempt_start(struct attempt *attempt)
{
    assert(!attempt->running_thread && !atomic_load(&attempt->answered) && "it runs once");
    sigset_t before;
    attempt->started_ns = clock_wall_ns();
    if (attempt->carrier == &carrier_process && !process_prepare(attempt)) {
        attempt_refused(attempt, "shared memory", errno);
        attempt->outcome.ended_ns = clock_wall_ns();
        atomic_store(&attempt->answered, true);
        return;
    }
    block_signals(&before);
    int error = create_thread(attempt);
    attempt->running_thread = error == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (attempt->running_thread)
        return;
    attempt_refused(attempt, "a thread", error);
    attempt->outcome.ended_ns = clock_wall_ns();
    atomic_store(&attempt->answered, true);
}

void attempt_request_stop(struct attempt *attempt, enum end_reason reason)
{
    assert(reason != END_NONE && reason != END_SOLVED);
    int none = END_NONE;
    if (!atomic_compare_exchange_strong(&attempt->stop, &none, reason))
        return;
    attempt->asked_ns = clock_wall_ns();
    model_cache_wake(attempt->shared->models);
    attempt->carrier->press(attempt);
}

static void interrupt_solver(struct attempt *attempt)
{
    pthread_mutex_lock(&attempt->lock);
    if (attempt->solver != NULL)
        smt_interrupt(attempt->solver);
    pthread_mutex_unlock(&attempt->lock);
}

const struct carrier carrier_thread = {work_here, interrupt_solver, NULL};

void attempt_join(struct attempt *attempt, bool wait)
{
    if (!attempt->running_thread || !atomic_load(&attempt->answered))
        return;
    if (wait)
        pthread_join(attempt->thread, NULL);
    else if (pthread_tryjoin_np(attempt->thread, NULL) != 0)
        return;
    attempt->running_thread = false;
}

void attempt_abandon(struct attempt *attempt)
{
    assert(attempt->running_thread);
    attempt->abandoned = true;
    attempt->abandoned_cpu_ns =
        clock_cpu_ns_of_thread(attempt->thread) + attempt_programs_ns(attempt);
    pthread_mutex_lock(&attempt->lock);
    if (attempt->solver != NULL)
        smt_context_abandon(attempt->solver);
    pthread_mutex_unlock(&attempt->lock);
    pthread_detach(attempt->thread);
    attempt->running_thread = false;
}
