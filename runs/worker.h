#ifndef REGATTA_RUNS_WORKER_H
#define REGATTA_RUNS_WORKER_H

// `regatta worker`: one attempt of a race whose attempts are processes. Started by regatta alone, with
// a socket; started by hand it says so and leaves.
_Noreturn void worker_main(void);

#endif
