#include "certify/panel.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/program.h"
#include "results/verdict.h"

#define MILLISECOND_NS INT64_C(1000000)
// How often it is looked whether the answer is still wanted.
#define LOOK_NS (10 * MILLISECOND_NS)
// How long a checker may take to react before it is left behind.
#define REACT_NS (250 * MILLISECOND_NS)
#define MOST_CHECKERS 8
// A checker that waits for something else has its patience in wall time, so many times that in CPU time: on a machine that is
// busy the next one would only take away from it.
#define WALL_PATIENCE 8

// Terms can be deep and are walked recursively. It is address space only.
static const size_t stack_sizes[] = {(size_t)256 << 20, (size_t)64 << 20};

struct table;

struct checker {
    struct table *table;
    const char *backend;
    pthread_t thread;
    struct smt_context *solver; // alive while it is not NULL; under the table's lock
    bool over, left;            // under the table's lock
    enum certify_result result; // valid when `over`
    struct text why;            // valid when `over`
};

// What the checkers share. Stays for ever when one of them is left behind.
struct table {
    struct panel panel;
    const struct term **invariant; // a copy
    _Atomic int stop;              // enum end_reason, for all checkers
    pthread_mutex_t lock;
    pthread_cond_t changed; // on the monotonic clock
    struct checker checkers[MOST_CHECKERS];
    size_t count, begun;
    int64_t begun_ns;   // when the last of them began
    struct table *next; // of those that stay
};

// What checkers that were left behind may touch stays reachable.
static struct table *_Atomic left_tables;

// On a checker's thread.

static void publish(void *context, struct smt_context *solver)
{
    struct checker *c = context;
    pthread_mutex_lock(&c->table->lock);
    c->solver = solver;
    if (solver != NULL && atomic_load(&c->table->stop) != END_NONE)
        smt_interrupt(solver);
    pthread_mutex_unlock(&c->table->lock);
}

static enum certify_result check(struct checker *c)
{
    assert(!c->over && "a checker judges once");
    const struct panel *panel = &c->table->panel;
    if (panel->judge != NULL)
        return panel->judge(c->backend, &c->table->stop, panel->context);
    const struct certify_owner owner = {publish, c, panel->step_limit};
    return certify_invariant_owned(panel->model, panel->store, c->table->invariant, panel->rule,
                                   c->backend, &c->table->stop, &owner, &c->why);
}

static enum certify_result check_within_memory(struct checker *c)
{
    struct memory_trap trap;
    if (setjmp(trap.jump) == 0) {
        memory_trap_push(&trap);
        memory_thread_limit(c->table->panel.memory_limit);
        enum certify_result result = check(c);
        memory_thread_limit(0);
        memory_trap_pop(&trap);
        return result;
    }
    memory_thread_limit(0);
    struct smt_context *solver = c->solver;
    publish(c, NULL);
    smt_context_destroy(solver);
    text_clear(&c->why);
    text_add(&c->why, "the check ran out of memory");
    return CERTIFY_UNDECIDED;
}

static void *checker_main(void *argument)
{
    struct checker *c = argument;
    struct table *table = c->table;
    program_count_cpu_in(table->panel.cpu_account);
    enum certify_result result = check_within_memory(c);
    pthread_mutex_lock(&table->lock);
    assert(c->solver == NULL && "its solver went before it");
    c->result = result;
    c->over = true;
    if (table->panel.cpu_account != NULL && !c->left)
        atomic_fetch_add(table->panel.cpu_account, clock_thread_cpu_ns());
    pthread_cond_signal(&table->changed);
    pthread_mutex_unlock(&table->lock);
    return NULL;
}

// On the thread of whoever asked.

static struct table *table_create(const struct panel *panel)
{
    struct table *table = memory_zalloc(sizeof *table);
    uint32_t locations = panel->model->location_count;
    table->panel = *panel;
    table->invariant = memory_zalloc((locations + 1) * sizeof(*table->invariant));
    memcpy(table->invariant, panel->invariant, locations * sizeof(*table->invariant));
    while (table->count < MOST_CHECKERS && panel->checkers[table->count] != NULL) {
        table->checkers[table->count] =
            (struct checker){.table = table, .backend = panel->checkers[table->count]};
        text_init(&table->checkers[table->count++].why);
    }
    assert(panel->checkers[table->count] == NULL && "more checkers than a table has places for");
    pthread_mutex_init(&table->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&table->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return table;
}

static size_t still_running(const struct table *table)
{
    size_t running = 0;
    for (size_t i = 0; i < table->begun; i++)
        running += !table->checkers[i].over;
    return running;
}

static void table_destroy(struct table *table)
{
    assert(still_running(table) == 0 && "what a checker may touch stays");
    for (size_t i = 0; i < table->count; i++)
        text_finish(&table->checkers[i].why);
    pthread_mutex_destroy(&table->lock);
    pthread_cond_destroy(&table->changed);
    memory_free(table->invariant);
    memory_free(table);
}

static void keep_for_ever(struct table *table)
{
    table->next = atomic_load(&left_tables);
    while (!atomic_compare_exchange_weak(&left_tables, &table->next, table))
        continue;
}

// Under the lock. Without a thread a checker has ended at once, and says so.
static void begin_next(struct table *table)
{
    assert(table->begun < table->count);
    struct checker *c = &table->checkers[table->begun++];
    int error = 1;
    for (size_t i = 0; error != 0 && i < sizeof stack_sizes / sizeof *stack_sizes; i++) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, stack_sizes[i]);
        error = pthread_create(&c->thread, &attributes, checker_main, c);
        pthread_attr_destroy(&attributes);
    }
    if (error == 0)
        return;
    c->thread = pthread_self();
    c->over = true;
    c->result = CERTIFY_UNDECIDED;
    text_add(&c->why, "the system refused a thread");
}

static struct checker *decided(struct table *table)
{
    for (size_t i = 0; i < table->begun; i++)
        if (table->checkers[i].over && table->checkers[i].result != CERTIFY_UNDECIDED)
            return &table->checkers[i];
    return NULL;
}

static void wait_until(struct table *table, int64_t ns)
{
    int64_t wait = ns - clock_wall_ns();
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(wait < 0 ? 0 : wait > LOOK_NS ? LOOK_NS : wait);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&table->changed, &table->lock, &until);
}

// Under the lock. Has the last one that began had its time for itself?
static bool is_patience_over(const struct table *table, int64_t now)
{
    assert(table->begun > 0);
    const struct checker *last = &table->checkers[table->begun - 1];
    int64_t patience = table->panel.patience_ns;
    if (last->over || now - table->begun_ns >= WALL_PATIENCE * patience)
        return now - table->begun_ns >= patience;
    return clock_cpu_ns_of_thread(last->thread) >= patience;
}

static bool is_unwanted(const struct panel *panel)
{
    return panel->unwanted != NULL && panel->unwanted(panel->context);
}

// Under the lock. Why nobody decided; NULL when somebody did, or all gave up.
static const char *wait_for_decision(struct table *table)
{
    const struct panel *panel = &table->panel;
    while (decided(table) == NULL) {
        int64_t now = clock_wall_ns();
        size_t running = still_running(table);
        if (is_unwanted(panel))
            return "it was asked to stop";
        if (table->begun > 0 && now >= panel->until_ns)
            return "the time for it was up";
        if (table->begun < table->count && (running == 0 || is_patience_over(table, now))) {
            begin_next(table);
            table->begun_ns = now;
        } else if (running == 0) {
            return NULL;
        } else {
            wait_until(table, panel->until_ns);
        }
    }
    return NULL;
}

// Under the lock. Ends those that still run. True when one of them does not react.
static bool end_others(struct table *table)
{
    atomic_store(&table->stop, END_LOST);
    int64_t until = clock_wall_ns() + REACT_NS;
    while (still_running(table) > 0 && clock_wall_ns() < until) {
        for (size_t i = 0; i < table->begun; i++)
            if (!table->checkers[i].over && table->checkers[i].solver != NULL)
                smt_interrupt(table->checkers[i].solver);
        wait_until(table, until);
    }
    return still_running(table) > 0;
}

// Under the lock.
static void leave_behind(struct table *table)
{
    for (size_t i = 0; i < table->begun; i++) {
        struct checker *c = &table->checkers[i];
        assert(!c->left);
        if (c->over)
            continue;
        if (c->solver != NULL)
            smt_context_abandon(c->solver);
        if (table->panel.cpu_account != NULL)
            atomic_fetch_add(table->panel.cpu_account, clock_cpu_ns_of_thread(c->thread));
        c->left = true; // should it come back it is not counted twice
        pthread_detach(c->thread);
    }
}

static void join_ended(struct table *table)
{
    for (size_t i = 0; i < table->begun; i++)
        if (table->checkers[i].over && !pthread_equal(table->checkers[i].thread, pthread_self()))
            pthread_join(table->checkers[i].thread, NULL);
}

// Under the lock: what those say that gave up by themselves.
static void tell_why(struct text *why, const struct table *table, const char *ended)
{
    for (size_t i = 0; i < table->begun; i++)
        if (table->checkers[i].over && table->checkers[i].why.length)
            text_printf(why, "%s%s: %s", why->length ? "; " : "", table->checkers[i].backend,
                        text_string(&table->checkers[i].why));
    if (ended != NULL)
        text_printf(why, "%s%s", why->length ? "; " : "", ended);
}

void panel_ask(const struct panel *panel, struct panel_answer *answer)
{
    *answer = (struct panel_answer){.result = CERTIFY_UNDECIDED};
    text_init(&answer->why);
    struct table *table = table_create(panel);
    assert(panel->patience_ns >= 0);
    assert(table->count > 0 && "somebody is asked");
    pthread_mutex_lock(&table->lock);
    const char *ended = wait_for_decision(table);
    const struct checker *by = decided(table);
    if (by != NULL) {
        answer->result = by->result;
        answer->checker = by->backend;
    }
    if (by == NULL || by->result == CERTIFY_REFUSED)
        tell_why(&answer->why, table, ended);
    answer->left = end_others(table);
    if (answer->left)
        leave_behind(table);
    // A proof is accepted by somebody who has a name, or by nobody.
    ENSURE((answer->result == CERTIFY_UNDECIDED) == (answer->checker == NULL));
    pthread_mutex_unlock(&table->lock);
    join_ended(table);
    if (answer->left)
        keep_for_ever(table);
    else
        table_destroy(table);
}

void panel_answer_finish(struct panel_answer *answer)
{
    text_finish(&answer->why);
    *answer = (struct panel_answer){0};
}
