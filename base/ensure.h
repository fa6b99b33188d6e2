#ifndef REGATTA_BASE_ENSURE_H
#define REGATTA_BASE_ENSURE_H

// A fact that a verdict rests on. Unlike assert it is looked at in release builds too: where it does not hold the
// program is wrong, and no answer is better than the one it was about to give. Says what and where, and aborts: of a race
// with processes one attempt, else the program, whose second start has processes (base/signals.h). Any thread.
#define ENSURE(condition) ((condition) ? (void)0 : ensure_failed(#condition, __FILE__, __LINE__))

_Noreturn void ensure_failed(const char *condition, const char *file, int line);

#endif
