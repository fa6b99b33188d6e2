#include "base/budget.h"

#include <assert.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/memory.h"

enum { LOOK_INTERVAL = 512 };

_Thread_local uint32_t budget_countdown;

static _Thread_local struct {
    const struct budget *budget; // NULL = none
    enum budget_end end;
} mine;

enum budget_end budget_judge(const struct budget *budget)
{
    if (budget->stop != NULL && atomic_load_explicit(budget->stop, memory_order_relaxed) != 0)
        return BUDGET_STOPPED;
    if (budget->deadline_ns != 0 && clock_wall_ns() >= budget->deadline_ns)
        return BUDGET_TIME;
    return BUDGET_DONE;
}

double budget_rest(const struct budget *budget, double seconds)
{
    if (budget->deadline_ns == 0)
        return seconds;
    double rest = clock_seconds(budget->deadline_ns - clock_wall_ns());
    return rest > 0.001 ? rest : 0.001;
}

void budget_look_now(void)
{
    if (mine.budget == NULL) {
        budget_countdown = UINT32_MAX;
        return;
    }
    budget_countdown = LOOK_INTERVAL;
    mine.end = budget_judge(mine.budget);
    if (mine.end != BUDGET_DONE)
        memory_trap_take();
}

bool budget_over(void)
{
    return mine.budget != NULL && budget_judge(mine.budget) != BUDGET_DONE;
}

static void begin(const struct budget *budget)
{
    assert(mine.budget == NULL && "budgets are not nested");
    mine.budget = budget;
    mine.end =
        BUDGET_MEMORY; // unless a look says otherwise, a trap that is taken means an allocation
    budget_countdown = 1;
    if (budget->bytes != 0)
        memory_thread_limit(memory_thread_bytes() + budget->bytes);
}

static void finish(void)
{
    mine.budget = NULL;
    budget_countdown = 0;
    memory_thread_limit(0);
}

enum budget_end budget_run(const struct budget *budget, void (*work)(void *context), void *context)
{
    struct memory_trap trap;
    if (setjmp(trap.jump) != 0) {
        enum budget_end end = mine.end != BUDGET_DONE ? mine.end : BUDGET_MEMORY;
        finish();
        return end;
    }
    memory_trap_push(&trap);
    begin(budget);
    work(context);
    finish();
    memory_trap_pop(&trap);
    return BUDGET_DONE;
}
