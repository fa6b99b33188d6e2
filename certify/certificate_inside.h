#ifndef REGATTA_CERTIFY_CERTIFICATE_INSIDE_H
#define REGATTA_CERTIFY_CERTIFICATE_INSIDE_H

#include "base/vector.h"
#include "certify/certificate.h"
#include "logic/terms/sexpr.h"

// Private to certificates: what was read, before a model gives it meaning.

struct sexpr_list {
    const struct sexpr **data;
    size_t count, capacity;
};

struct solver_list {
    const char **data;
    size_t count, capacity;
};

struct certificate {
    struct arena arena;
    struct certificate_header header;
    struct sexpr_list formulas;                      // safe: (define-fun inv.L (…) Bool …)
    struct induction_rule rule;                      // safe: how they are a proof
    bool skips;                                      // unsafe: rounds are left out
    const struct sexpr *start, *initial, *divisions; // unsafe: values of :start …, NULL = none
    struct sexpr_list steps;                         // unsafe: values of :step
    struct solver_list solvers;                      // values of :solver
};

enum certify_result certificate_check_trace(const struct certificate *certificate,
                                            const struct model *model, struct text *why);

#endif
