#ifndef REGATTA_RESULTS_QUERY_H
#define REGATTA_RESULTS_QUERY_H

#include "base/budget.h"
#include "results/store.h"

// One statement of SQL that reads: SELECT, with what it needs. Anything that would write or
// open another file is refused.

enum query_kind { QUERY_NULL, QUERY_NUMBER, QUERY_TEXT };

struct query_value {
    enum query_kind kind;
    const char *text; // "" for NULL; a BLOB is its bytes in hexadecimal
};

// Calls `each` once with the names of the columns (kind QUERY_TEXT), then for every row; stops when it returns false.
// The database looks at the budget, which may be NULL, while it runs.
// False and "query:1:COLUMN: …" in `why` when it is not such a statement.
bool store_query(struct store *store, const char *sql,
                 bool (*each)(void *context, const struct query_value *values, size_t count),
                 void *context, const struct budget *budget, struct text *why);

#endif
