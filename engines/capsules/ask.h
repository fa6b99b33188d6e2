#ifndef REGATTA_ENGINES_CAPSULES_ASK_H
#define REGATTA_ENGINES_CAPSULES_ASK_H

#include "base/text.h"
#include "engines/capsules/kernel.h"
#include "engines/capsules/worth.h"
#include "model/capsules/run.h"

// Asks one CTL question of one configuration of the kernel, says what the answer is worth, and replays runs.

struct capsule_ask {
    const struct capsules *model;
    const struct capsule_question *question;
    struct capsule_options
        options; // .abstracted, .groups, .wanted: filled by capsule_configure or by the caller
    struct ctl_limits limits;
    uint64_t memory; // bytes of the kernel; 0 = no limit
    // Told of every so many expansions and of the last; false = end. May be NULL.
    bool (*progress)(void *context, const struct ctl_statistics *statistics,
                     const struct capsule_counts *counts, size_t bytes);
    // Has the kernel's solver, so that others can interrupt it, and NULL before that goes. May be NULL.
    void (*solver)(void *context, struct smt_context *solver);
    // Each round of capsule_ask_refining: before it (changed = 0), and when so many parts and groups were put back. May be NULL.
    bool (*round)(void *context, uint32_t changed);
    void *context;
};

struct capsule_answer {
    enum ctl_truth truth;     // what is known: the claim where it is sound or was replayed
    enum ctl_truth claim;     // what the exploration says; CTL_UNKNOWN: nothing
    enum capsule_worth worth; // of the claim
    enum ctl_end end;
    bool replayed;
    const char *why; // static text: why the truth is not known; NULL
    bool refused;    // the configuration cannot be asked this question
    bool has_run;
    struct capsule_run run; // when replayed
    struct ctl_statistics statistics;
    struct capsule_counts counts;
    size_t bytes;
    // A claim with a run of the abstraction that was not followed: what it waits for, for refinement.
    struct capsule_numbers suspects; // instances
};

struct capsule_refinement {
    uint32_t rounds, restored_parts, split_groups;
};
// Asks; while the answer rests on a run that cannot be followed, un-abstracts the parts that the failed replay waited for, or
// splits their groups, and asks again (counterexample-guided: Clarke, Grumberg, Jha, Lu, Veith 2000). `abstracted` and
// `groups` are those of ask->options, and are changed; either may be NULL.
void capsule_ask_refining(const struct capsule_ask *ask, uint8_t *abstracted,
                          struct capsule_groups *groups, struct capsule_answer *answer,
                          struct capsule_refinement *refinement);
void capsule_answer_finish(struct capsule_answer *answer);
// Runs. `answer` is made anew.
void capsule_ask(const struct capsule_ask *ask, struct capsule_answer *answer);

// The parts that a formula names, and for queue and label atoms the senders: Init(f) of limited exploration.
void capsule_wanted(const struct capsules *model, const struct capsule_question *question,
                    uint8_t *wanted);

#endif
