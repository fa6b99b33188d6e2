#include "tracegen/trace_diff.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/say.h"
#include "base/signals.h"
#include "tracegen/follow.h"
#include "tracegen/suite_print.h"
#include "tracegen/trace_input.h"
#include "tracegen/trace_job.h"

// Differences that are described one by one.
#define DESCRIBED 10

struct side { // one model's traces, and what came of them in the other one
    const char *path;
    struct task task;
    size_t traces, refused, undecided;
    bool complete, internal;
};

struct diff {
    const struct trace_diff_options *options;
    struct side sides[2];
    double seconds;           // that reading left; 0 = no limit
    struct trace_files files; // one folder a side, when asked for
    VECTOR(uint32_t) told;    // steps of the graph where a trace could not be followed
};

struct description {
    struct text *out;
    const struct trace *trace;
    size_t wanted;
};

static void take_step(void *context, struct shown_step step)
{
    struct description *d = context;
    if (step.number != d->wanted)
        return;
    if (step.number == 0)
        text_add(d->out, "at the start: ");
    else
        text_printf(d->out, "step %zu (%s) to %s: ", step.number, step.label, step.location->name);
    size_t before = d->out->length;
    suite_print_changes(d->out, d->trace, step.before, step.now, ", ");
    if (d->out->length == before)
        text_add(d->out, "nothing changes");
}

static void describe(const struct suite *suite, size_t number, size_t followed)
{
    struct text out;
    text_init(&out);
    text_add(&out, "  ");
    suite_trace_name(&out, number);
    text_add(&out, ", ");
    struct description d = {&out, suite->traces.data[number].trace, followed};
    suite_each_step(d.trace, take_step, &d);
    say(stdout, "%s\n", text_string(&out));
    text_finish(&out);
}

static bool open_folder(struct diff *diff, unsigned number)
{
    struct text path;
    if (diff->options->output == NULL)
        return true;
    text_init(&path);
    text_printf(&path, "%s/%u", diff->options->output, number + 1);
    bool good = trace_files_open(&diff->files, text_string(&path), diff->options->forms);
    if (!good)
        say(stderr, "regatta trace: %s\n", text_string(&diff->files.failure));
    text_finish(&path);
    return good;
}

// Traces that stop at the same step of the graph are told once.
static bool is_new(struct diff *diff, const struct suite_trace *trace, size_t followed)
{
    uint32_t step = followed > 0 ? trace->edges[followed - 1] : SUITE_NONE;
    for (size_t i = 0; i < diff->told.count; i++)
        if (diff->told.data[i] == step)
            return false;
    VECTOR_PUSH(&diff->told, step);
    return true;
}

static bool note_refused(struct diff *diff, struct side *side, const struct suite *suite,
                         size_t number, size_t followed)
{
    side->refused++;
    if (is_new(diff, &suite->traces.data[number], followed) && diff->told.count <= DESCRIBED)
        describe(suite, number, followed);
    bool good =
        diff->options->output == NULL || trace_files_write_trace(&diff->files, suite, number);
    if (!good)
        say(stderr, "regatta trace: %s\n", text_string(&diff->files.failure));
    return good;
}

static bool follow(struct diff *diff, unsigned number, const struct suite *suite,
                   const struct variable_list *variables, struct trace_job *job)
{
    struct side *side = &diff->sides[number];
    const struct side *other = &diff->sides[1 - number];
    struct follow_request request = {
        .leader = side->task.model,
        .model = other->task.model,
        .variables = diff->options->variables != NULL ? variables->data : NULL,
        .variable_count = variables->count,
        .stop = &job->deadline.stop,
        .publish_solver = trace_job_publish_solver,
        .context = job,
    };
    if (diff->options->variables != NULL && variables->count == 0)
        request.variables = (const struct variable *const[]){NULL};
    struct follower *follower = follower_create(&request);
    struct text left_out;
    bool good = true;
    text_init(&left_out);
    if (follower_compared(follower, &left_out) == 0 && side->task.model->variable_count > 0)
        say(stderr, "regatta trace: warning: no variable of %s is compared\n", side->path);
    else if (left_out.length > 0 && !diff->options->quiet)
        say(stderr, "regatta trace: note: not compared, of %s: %s\n", side->path,
            text_string(&left_out));
    for (size_t i = 0; i < suite->traces.count && good; i++) {
        size_t followed;
        enum follow_answer answer = follower_try(follower, suite->traces.data[i].trace, &followed);
        side->undecided += answer == FOLLOW_UNDECIDED;
        if (answer == FOLLOW_NO)
            good = note_refused(diff, side, suite, i, followed);
    }
    text_finish(&left_out);
    follower_destroy(follower);
    return good;
}

static bool compare(struct diff *diff, unsigned number)
{
    struct side *side = &diff->sides[number];
    struct tracegen_request request = *diff->options->limits;
    struct variable_list variables = {0};
    struct trace_job job;
    struct text why;
    bool good = false;
    text_init(&why);
    request.model = side->task.model;
    request.store = term_store_create(side->task.model->store);
    request.all_variables = true;
    request.keep_dead_ends = true; // what a model ignores counts, too
    if (diff->options->variables != NULL &&
        !trace_read_variables(side->task.model, diff->options->variables, &variables, &why))
        say(stderr, "regatta trace: %s: %s\n", side->path, text_string(&why));
    else if (!trace_job_start(&job, diff->seconds / 2, NULL))
        say(stderr, "regatta trace: the system refused a thread\n");
    else {
        struct suite *suite = trace_job_run(&job, &request);
        side->traces = suite->traces.count;
        side->complete = suite->full_coverage && suite->concrete && suite->trace_end == END_NONE;
        side->internal = suite->internal_error != NULL;
        say(stdout, "%s cannot follow of %s:\n", diff->sides[1 - number].path, side->path);
        VECTOR_CLEAR(&diff->told);
        good = follow(diff, number, suite, &variables, &job);
        if (diff->told.count > DESCRIBED)
            say(stdout, "  and %zu steps more\n", diff->told.count - DESCRIBED);
        say(stdout, "  %zu of %zu traces%s\n", side->refused, side->traces,
            side->complete ? "" : "; these do not show all that it does");
        if (side->undecided > 0)
            say(stdout, "  %zu undecided\n", side->undecided);
        suite_destroy(suite);
        trace_job_end(&job);
    }
    VECTOR_FINISH(&variables);
    text_finish(&why);
    term_store_destroy(request.store);
    return good;
}

static int conclude(const struct diff *diff)
{
    const struct side *a = &diff->sides[0], *b = &diff->sides[1];
    int signal = atomic_load(signals_flag());
    if (a->internal || b->internal) {
        say(stderr, "regatta trace: internal error: a trace does not replay\n");
        return EXIT_INTERNAL;
    }
    if (a->refused + b->refused > 0) {
        say(stdout, "different\n");
        return EXIT_DIFFERENT;
    }
    if (signal != 0)
        return signals_exit_code(signal);
    bool sure = a->complete && b->complete && a->undecided + b->undecided == 0;
    say(stdout, "%s\n", sure ? "no difference" : "no difference found");
    return sure ? 0 : EXIT_UNKNOWN;
}

static double rest_of(double seconds, int64_t begun_ns)
{
    double rest = seconds - clock_seconds(clock_wall_ns() - begun_ns);
    return seconds <= 0 ? 0 : rest > 0.001 ? rest : 0.001;
}

int trace_diff(const struct trace_diff_options *options)
{
    struct diff diff = {.options = options};
    bool good = true;
    int64_t begun_ns = clock_wall_ns();
    for (unsigned i = 0; i < 2 && good; i++) {
        diff.sides[i].path = options->paths[i];
        enum budget_end end = trace_load(&diff.sides[i].task, options->paths[i], options->property,
                                         options->budget, options->quiet, &good);
        if (end != BUDGET_DONE)
            signals_leave(budget_exit_code(end));
    }
    diff.seconds = rest_of(options->seconds, begun_ns);
    good = good && (options->output == NULL || trace_files_make_folder(options->output));
    for (unsigned i = 0; i < 2 && good; i++) {
        good = open_folder(&diff, i) && compare(&diff, i);
        if (options->output != NULL)
            trace_files_close(&diff.files);
    }
    int code = good ? conclude(&diff) : EXIT_USAGE;
    for (unsigned i = 0; i < 2; i++)
        task_finish(&diff.sides[i].task);
    VECTOR_FINISH(&diff.told);
    return code;
}
