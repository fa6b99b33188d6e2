#ifndef REGATTA_EXPERIMENTS_BENCH_LOCK_H
#define REGATTA_EXPERIMENTS_BENCH_LOCK_H

#include <stdbool.h>

#include "base/text.h"

// One bench at a time for a file of records: two would make each run twice, on the same cores. What is locked is a file
// beside it, FILE-bench, which is there while a bench runs; a lock ends with its process, whatever becomes of the file.

struct bench_lock;

// NULL and the reason appended: another bench has it, with its process id.
struct bench_lock *bench_lock_take(const char *db, struct text *why);
void bench_lock_release(struct bench_lock *lock); // NULL: nothing

#endif
