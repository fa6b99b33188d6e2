#ifndef REGATTA_BASE_BUDGET_H
#define REGATTA_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// What work on strangers' input may use: until when, which flag ends it, how much memory. One budget a thread; whoever
// reads, lowers or prepares calls `budget_look` now and then (allocating does it too) and never has to pass anything
// on. When the budget is used up, control leaves the work for `budget_run`: what the work had allocated is lost, so the
// caller is a program that soon ends, or can bear it. Work holds no lock when it looks.

struct budget {
    int64_t deadline_ns;     // of clock_wall_ns; 0 = none
    const _Atomic int *stop; // ends the work when it is not zero; NULL = none
    uint64_t bytes;          // what the thread may obtain beyond what it has; 0 = any
};

enum budget_end { BUDGET_DONE, BUDGET_STOPPED, BUDGET_TIME, BUDGET_MEMORY };

// Calls `work(context)`. BUDGET_DONE: it returned. Not nested; none of its frames may be another language's.
enum budget_end budget_run(const struct budget *budget, void (*work)(void *context), void *context);

// What a budget says now, for those who are asked rather than ask; memory is not looked at.
enum budget_end budget_judge(const struct budget *budget);

// What is left of `seconds` that it began with, more than 0; without a deadline they stay as they are (0 = no limit).
double budget_rest(const struct budget *budget, double seconds);

// Is the calling thread's used up? For who has something to put away before `budget_look_now`.
bool budget_over(void);

// Costs a subtraction; every LOOK_INTERVAL-th time the clock and the flag are looked at.
extern _Thread_local uint32_t budget_countdown;
void budget_look_now(void);
static inline void budget_look(void)
{
    if (--budget_countdown == 0)
        budget_look_now();
}

#endif
