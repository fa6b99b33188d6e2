#include "runs/evidence.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "certify/certificate.h"

bool evidence_has_certificate(const struct run *run)
{
    assert(run->record.verdict != VERDICT_UNKNOWN && !run->record.contradiction);
    return run->record.verdict == VERDICT_SAFE ? run->result.certificate != NULL
                                               : run->trace != NULL;
}

void evidence_print_certificate(struct text *out, const struct task *task, const struct run *run)
{
    // It says who found the verdict, and with which solvers.
    ENSURE(run->winner >= 0 && (size_t)run->winner < run->record.attempt_count);
    struct configuration winner;
    struct messages messages;
    messages_init(&messages);
    configuration_init(&winner, "winner");
    configuration_parse(&winner, run->record.attempts[run->winner].configuration_text, &messages);
    char question[33];
    task_question_digest(task, question);
    const char *solvers[] = {configuration_solver(&winner, OPTION_ABSTRACTION_SOLVER),
                             configuration_solver(&winner, OPTION_REFINEMENT_SOLVER)};
    const struct certificate_header header = {
        .safe = run->record.verdict == VERDICT_SAFE,
        .model = task->model_path,
        .model_digest = task->model_digest,
        .property_digest = question,
        .producer = "regatta " REGATTA_VERSION,
        .configuration = run->record.attempts[run->winner].configuration_text,
        .solvers = solvers,
        .solver_count = strcmp(solvers[0], solvers[1]) == 0 ? 1 : 2,
    };
    certificate_print_header(out, &header);
    if (header.safe)
        text_add(out, run->result.certificate);
    else
        certificate_print_trace(out, run->trace);
    configuration_finish(&winner);
    messages_finish(&messages);
}

// Of a safe verdict too, where the language has words for it: without a proof they say nothing more than the verdict.
bool evidence_print_witness(struct text *out, const struct run *run, const struct model *model)
{
    const struct dialect *dialect = model->dialect;
    assert(dialect->print_witness != NULL);
    if (run->record.contradiction)
        return false;
    if (run->trace != NULL && run->record.verdict == VERDICT_UNSAFE)
        dialect->print_witness(out, run->trace);
    else if (run->record.verdict == VERDICT_SAFE && dialect->print_proof != NULL)
        dialect->print_proof(out, model,
                             run->result.certificate != NULL ? run->result.certificate : "");
    return out->length > 0;
}
