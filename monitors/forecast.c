#include "monitors/monitor.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"

// Time prediction by recursive least squares (Imeri 2026, with the corrections of docs/definitions/monitors.md 9): the time
// of the next round from that of the last, t' = t^w, fitted on logarithms of milliseconds of thread
// CPU time with forgetting. When the next round is predicted to outlast what is left of the budget,
// or a round takes several times its prediction, the attempt is not expected to finish.

#define FORGETTING 0.96
#define FIRST_WEIGHT 1.7
#define FIRST_VARIANCE 1000.0
#define LEAST_MS 2.0    // shorter rounds count as this long
#define BEGIN_MS 200.0  // rounds before the first that takes so long tell no trend
#define ROUNDS_BEFORE 3 // pairs learned before a prediction counts

struct forecast {
    double times;
    double weight, variance;
    double last_ms, predicted_ms; // 0 = none
    unsigned pairs;
    int64_t round_ns; // when this round began
    bool in_round;
};

static void *forecast_create(const struct configuration *configuration)
{
    if (configuration->values[OPTION_STOP_FORECAST] == 0)
        return NULL;
    struct forecast *f = memory_zalloc(sizeof *f);
    f->times = (double)configuration->values[OPTION_STOP_FORECAST];
    f->weight = FIRST_WEIGHT;
    f->variance = FIRST_VARIANCE;
    return f;
}

static void learn(struct forecast *f, double ms)
{
    assert(ms >= LEAST_MS && "its logarithm is above 0");
    if (f->last_ms > 0) {
        double x = log(f->last_ms), y = log(ms);
        double gain = f->variance * x / (FORGETTING + f->variance * x * x);
        f->weight += gain * (y - f->weight * x);
        f->variance = f->variance / (FORGETTING + f->variance * x * x);
        assert(f->variance >= 0 && f->variance <= FIRST_VARIANCE);
        f->pairs++;
    }
    f->last_ms = ms;
    f->predicted_ms = f->pairs >= ROUNDS_BEFORE ? exp(f->weight * log(ms)) : 0;
}

static struct advice stop(const char *why)
{
    return (struct advice){.kind = ADVICE_STOP, .reason = END_STALLED, .why = why};
}

static struct advice forecast_judge(void *state, const struct engine_event *event)
{
    struct forecast *f = state;
    assert(event->cpu_ns >= f->round_ns);
    double ms = (double)(event->cpu_ns - f->round_ns) / 1e6;
    if (event->kind == EVENT_ROUND) {
        if (f->in_round && (f->last_ms > 0 || ms >= BEGIN_MS))
            learn(f, ms < LEAST_MS ? LEAST_MS : ms);
        f->in_round = true;
        f->round_ns = event->cpu_ns;
        if (event->remaining_ns > 0 && f->predicted_ms > (double)event->remaining_ns / 1e6)
            return stop("slow growth: the next round is predicted to outlast the budget");
    } else if (f->predicted_ms > 0 && ms > BEGIN_MS && ms > f->times * f->predicted_ms) {
        return stop("slow growth: a round takes many times what was predicted");
    }
    return (struct advice){.kind = ADVICE_GO_ON};
}

const struct monitor monitor_forecast = {
    .name = "forecast",
    .description = "the next round is predicted to outlast the budget, or takes far longer",
    .option = OPTION_STOP_FORECAST,
    .typical = 3,
    .create = forecast_create,
    .destroy = memory_free,
    .judge = forecast_judge,
};
