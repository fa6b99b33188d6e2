#include "portfolio/worker.h"

#include <assert.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "portfolio/process.h"

#define PRESS_AGAIN_MS 100
// What the attempt's thread may reserve for its stack.
#define STACK_BYTES ((uint64_t)256 << 20)

// Nobody is there to hear why.
static _Noreturn void leave(void)
{
    _exit(EXIT_INTERNAL);
}

static _Noreturn void answer(const struct attempt_outcome *outcome)
{
    assert(outcome->reason != END_NONE);
    struct text frame;
    text_init(&frame);
    smt_end_programs(); // what is reaped is in our account
    worker_outcome_put(&frame, outcome);
    wire_send(WORKER_SOCKET, &frame);
    _exit(0);
}

static _Noreturn void refuse(enum end_reason reason, const char *why)
{
    struct attempt_outcome outcome = {.verdict = VERDICT_UNKNOWN, .reason = reason};
    text_add(&outcome.why, why);
    answer(&outcome);
}

// Sanitizers reserve more address space than there is.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static void limit_memory(uint64_t bytes)
{
    (void)bytes;
}
#else
// From here on the system refuses more than that.
static void limit_memory(uint64_t bytes)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;
    if (file == NULL)
        return;
    if (fscanf(file, "%llu", &pages) == 1 && pages > 0) {
        uint64_t now = pages * (uint64_t)sysconf(_SC_PAGESIZE);
        struct rlimit limit;
        if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur > now + STACK_BYTES + bytes) {
            limit.rlim_cur = now + STACK_BYTES + bytes;
            setrlimit(RLIMIT_AS, &limit);
        }
    }
    fclose(file);
}
#endif

static struct model *load(const struct worker_program *program, const struct worker_job *job)
{
    struct memory_trap trap;
    struct text why;
    text_init(&why);
    if (setjmp(trap.jump) != 0)
        refuse(END_MEMORY, "while its process read the model");
    memory_trap_push(&trap);
    struct model *model = program->load(job->task, job->task_bytes, &why);
    memory_trap_pop(&trap);
    if (model == NULL)
        refuse(END_INTERNAL,
               why.length ? text_string(&why) : "its process could not read the model");
    if (model->variable_count != job->variables || model->edge_count != job->edges ||
        model->statement_count != job->statements)
        refuse(END_INTERNAL, "the model has changed since the race began");
    text_finish(&why);
    return model;
}

static void set_configuration(struct configuration *configuration, const struct worker_job *job)
{
    struct messages messages;
    messages_init(&messages);
    configuration_init(configuration, job->name);
    bool good = configuration_parse(configuration, job->options, &messages);
    messages_finish(&messages);
    if (!good)
        refuse(END_INTERNAL, "its process does not know its configuration");
}

// Who gave what the parent has.
#define PARENT UINT_MAX

// On the engine's thread; the outcome is sent when that is done.
static void tell_parent(const char *text)
{
    struct text frame;
    text_init(&frame);
    wire_put(&frame, WORKER_SHARE);
    wire_put_bytes(&frame, text, strlen(text));
    wire_send(WORKER_SOCKET, &frame); // if it is gone, so are we
    text_finish(&frame);
}

// What the parent says while the attempt runs.
static void hear_parent(struct attempt *a)
{
    struct text frame;
    text_init(&frame);
    if (!wire_receive(WORKER_SOCKET, &frame))
        leave();
    struct wire_reader in = {frame.data, frame.data + frame.length, false};
    uint64_t kind = wire_get(&in);
    if (kind == WORKER_STOP) {
        uint64_t reason = wire_get(&in);
        if (!in.failed && reason > END_NONE && reason <= END_INTERNAL)
            attempt_request_stop(a, (enum end_reason)reason);
    } else if (kind == WORKER_NEWS && a->shared->exchange != NULL) {
        char *news = wire_get_string(&in);
        if (!in.failed)
            exchange_add(a->shared->exchange, PARENT, news);
        memory_free(news);
    }
    text_finish(&frame);
}

// How often the parent is told since when the solver is busy.
#define TELL_OF_CALLS_MS 250

static void look_after(struct attempt *a)
{
    bool calls = a->configuration->values[OPTION_STOP_SOLVER] != 0;
    int pause = calls ? TELL_OF_CALLS_MS : -1;
    struct pollfd fds[2] = {{.fd = WORKER_SOCKET, .events = POLLIN},
                            {.fd = a->shared->event_fd, .events = POLLIN}};
    while (!atomic_load(&a->answered)) {
        bool asked = atomic_load(&a->stop) != END_NONE;
        int ready = poll(fds, 2, asked || a->shared->event_fd < 0 ? PRESS_AGAIN_MS : pause);
        if (calls)
            atomic_store_explicit(&a->page->busy_since_ns, attempt_busy_since(a),
                                  memory_order_relaxed);
        if (ready > 0 && fds[0].revents)
            hear_parent(a);
        else if (ready == 0 && asked)
            a->carrier->press(a);
    }
}

static struct attempt_page *map_page(void)
{
    void *page =
        mmap(NULL, sizeof(struct attempt_page), PROT_READ | PROT_WRITE, MAP_SHARED, WORKER_PAGE, 0);
    if (page == MAP_FAILED)
        refuse(END_NOT_STARTED, "its process could not share its progress");
    return page;
}

static _Noreturn void run_job(const struct worker_program *program, const struct worker_job *job)
{
    struct configuration configuration;
    struct model *model = load(program, job);
    set_configuration(&configuration, job);
    struct race_shared shared = {
        .model = model,
        .models = model_cache_create(model),
        .engine_override = program->engine_override,
        .certify = job->certify,
        .require_checked = job->require_checked,
        .check_seconds = (double)job->check_ns / 1e9,
        .end_ns = (int64_t)job->end_ns,
        .keep_certificates = job->keep_certificates,
        .exchange = job->cooperate ? exchange_create() : NULL,
        .tell_parent = job->cooperate ? tell_parent : NULL,
        .event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
    };
    struct attempt *a = attempt_create(&shared, &configuration);
    assert(a->carrier == &carrier_thread);
    a->page = map_page();
    a->number = (unsigned)job->number;
    a->seed = job->seed;
    a->step_limit = job->step_limit;
    a->memory_limit = job->memory_limit;
    a->deadline_ns = (int64_t)job->deadline_ns;
    a->precision_in = memory_strdup(job->precision_in);
    a->leaves_precision = job->leaves_precision;
    if (job->memory_limit)
        limit_memory(job->memory_limit);
    attempt_start(a);
    look_after(a);
    answer(&a->outcome);
}

void worker_run(const struct worker_program *program)
{
    // One heap, so that address space is memory.
    mallopt(M_ARENA_MAX, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct text frame;
    struct worker_job job;
    text_init(&frame);
    if (!wire_receive(WORKER_SOCKET, &frame))
        leave();
    struct wire_reader in = {frame.data, frame.data + frame.length, false};
    // The parent may have died before the request to die with it.
    if (!worker_job_get(&in, &job) || getppid() != (pid_t)job.parent)
        leave();
    text_finish(&frame);
    run_job(program, &job);
}
