#ifndef REGATTA_EXPERIMENTS_BENCH_SPOOL_H
#define REGATTA_EXPERIMENTS_BENCH_SPOOL_H

#include "experiments/bench_run.h"

// A folder, seen by all machines of a cluster, through which jobs go out and records come back:
//
//   jobs/KEY.sh      one job: runs `regatta job` with its arguments; $1 = the store for its record
//   list-N           keys, one a line, in the order of an array's elements
//   element.sh       what an element of an array does: the job of its line
//   done/KEY.db      a record, put there whole by a rename
//   done/KEY.failed  "CODE SECONDS": the job's process ended without a record
//   log/             what the elements printed
//
// A key is a digest of task, plan, limits and seed, so it stands for the same run in every call. An element
// whose record is in done/ already does nothing; a record that is collected twice is added once.

struct spool {
    struct bench *bench;
    char *path;             // absolute
    struct spool_key *keys; // of bench->jobs, sorted
    unsigned *starts;       // by job: how often it was handed out in this call
    bool *known;            // by job: its record is in the store
};

// Makes the folder beside the bench's store. False and the reason in `why`.
bool spool_open(struct spool *spool, struct bench *bench, struct text *why);
void spool_close(struct spool *spool); // leaves the folder
void spool_remove(const struct spool *spool);
// Takes in what is in done/. False when the store cannot take it, or a job could not do its work at all.
bool spool_collect(struct spool *spool, struct text *why);
// The jobs without a record, at most `most`, into a new list: its path, to be freed by memory_free. NULL and no reason
// when there is none. Those that were handed out three times without coming back get a record that says so.
char *spool_list(struct spool *spool, size_t most, size_t *count, struct text *why);
void spool_add_quoted(struct text *out, const char *word); // for sh

#endif
