#ifndef REGATTA_RUNS_RETRY_H
#define REGATTA_RUNS_RETRY_H

#include <stdbool.h>

// A solver on a thread that brings the program down (a fault, or a call of exit) must not cost the verdict. While this is
// armed the program then starts again in its own place, same arguments, in the time that is left, with its attempts in
// processes of their own, where such a solver ends its attempt alone. Once: a second fault is the end.
//
// An abort is not taken: that is how our own assertions speak. Builds with a sanitizer never arm, so
// that it can report.

void retry_remember(char **arguments); // main's, NULL-terminated; they must stay

// Was the program started again for that reason? Then *seconds is what is left of its time (0 = no limit).
bool retry_is_second(double *seconds);

// `seconds`: of wall time, from now on; 0 = no limit. Until disarm; on the main thread.
void retry_arm(double seconds);
void retry_disarm(void);

// What was answered before, for a program that answers several questions: a letter each. The second start has it from
// retry_answered ("" = nothing). `answers` must stay until disarm; it is copied by retry_arm.
void retry_note_answers(const char *answers);
const char *retry_answered(void);

#endif
