#ifndef REGATTA_CERTIFY_CERTIFICATE_H
#define REGATTA_CERTIFY_CERTIFICATE_H

#include "base/message.h"
#include "certify/certify.h"
#include "model/procedures.h"

// Certificates as text: SMT-LIB 2, described in docs/certificates.md. A safe one defines a formula
// for each location of a set that cuts every cycle; an unsafe one is a trace with all its states.

#define CERTIFICATE_VERSION "1"

// What the header says; also what `certificate_read` found. Texts of a certificate that was read
// belong to it.
struct certificate_header {
    bool safe;
    const char *model;           // path, for people
    const char *model_digest;    // over the model's text
    const char *property_digest; // over the question: the loaded model with its error
    const char *producer;        // "regatta 0.1"
    const char *configuration;   // what found it
    const char *const *solvers;  // all that took part, as names for smt_context_create
    size_t solver_count;
    const char *view; // what of the model the formulas are about; "": the model itself
};

void certificate_print_header(struct text *out, const struct certificate_header *header);
// One formula per location of the source model, NULL = none; variables are the model's.
void certificate_print_invariant(struct text *out, const struct model *model,
                                 const struct term *const *invariant);
// By which rule they are a proof; nothing for an inductive invariant.
void certificate_print_rule(struct text *out, struct induction_rule rule);
// A proof about the procedures of a source model's view: their formulas, one per location of the view's model.
void certificate_print_procedures(struct text *out, const struct procedures *procedures,
                                  const struct term *const *formulas);
// A replayed trace of a source model.
void certificate_print_trace(struct text *out, const struct trace *trace);

struct certificate; // a text that was read

// NULL with messages. `path` is for messages.
struct certificate *certificate_read(const char *path, const char *text, size_t bytes,
                                     struct messages *messages);
void certificate_destroy(struct certificate *certificate); // NULL is fine
const struct certificate_header *certificate_header(const struct certificate *certificate);

// Checks a certificate on a source model. `backend`, `stop`: as for certify_invariant, for safe ones.
// The reason is appended to `why`. Digests are the caller's business.
enum certify_result certificate_check(const struct certificate *certificate,
                                      const struct model *model, const char *backend,
                                      const _Atomic int *stop, const struct certify_owner *owner,
                                      struct text *why);

#endif
