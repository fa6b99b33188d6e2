#include "model/dialect.h"

const struct dialect dialect_plain = {.name = "other", .terms = PRINT_CFA};
