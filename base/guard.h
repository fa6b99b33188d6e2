#ifndef REGATTA_BASE_GUARD_H
#define REGATTA_BASE_GUARD_H

#include <sys/types.h>

// What ends the programs that work for us, solvers and compilers, with all that they started when we come to a sudden end. The
// system's death signal reaches a program itself, but not what it started: "timeout 30 z3 -in" is two processes, a
// script any number. So a shell waits beside us, in a session of its own, until its connection to us closes, whatever
// the cause, and then kills the process groups that it was told of. Without /bin/sh there is no guard.

// Starts the guard, the first time. Any thread.
void guard_start(void);
// The process group `group` is to go with us. Also from a child that shares our memory, so that nothing it starts
// afterwards can be missed: system calls only.
void guard_add(pid_t group);
// It was ended. Any thread.
void guard_remove(pid_t group);

#endif
