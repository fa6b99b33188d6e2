#ifndef REGATTA_RESULTS_FIELDS_H
#define REGATTA_RESULTS_FIELDS_H

#include "results/record.h"

// The fields of records by number and name: the columns of the store (docs/results.md), in their order.
// For export and import.

enum field_kind { FIELD_TEXT, FIELD_REAL, FIELD_INTEGER, FIELD_NATURAL, FIELD_BOOL };

struct field {
    const char *name;
    enum field_kind kind;
    const char *text; // by kind, one of these; the record's
    double real;
    int64_t integer;
    uint64_t natural;
    bool boolean;
};

size_t run_field_count(void);
struct field run_field(const struct run_record *run, size_t index);
size_t attempt_field_count(void);
struct field attempt_field(const struct record *record, size_t index);

#define FIELD_NONE SIZE_MAX
size_t run_field_find(const char *name); // FIELD_NONE when there is none
// Reads the field's value from text. Real fields that end in _seconds take durations too ("5m"), natural ones that
// end in _bytes sizes ("2GB"). False when it is no value of the field, which then is as it was.
bool run_field_set(struct run_record *run, size_t index, const char *text);

#endif
