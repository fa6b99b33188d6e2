#ifndef REGATTA_ENGINES_FRONTENDS_FRONTEND_H
#define REGATTA_ENGINES_FRONTENDS_FRONTEND_H

#include "base/message.h"
#include "engines/model/model.h"

// Text in, model out. One front end per input language, found by the file's extension.

// formats.md 1.4. NONE: whoever asks wants runs, not an answer; a model without a property is welcome.
enum property_at { PROPERTY_AT_ALL, PROPERTY_AT_STABLE, PROPERTY_AT_NONE };

struct frontend_request {
    const char *model_path;
    const char *model_text;      // NUL-terminated
    size_t model_bytes;
    // XSTS: a PROP file or an inline expression; CFA: name of the error location; STS: name of the
    // property; AIGER, BTOR2: number of the bad signal. All NULL: what the model itself says.
    const char *property_path;   // for messages; NULL when inline
    const char *property_text;   // contents of the file, or the inline text; NUL-terminated
    size_t property_bytes;       // 0: up to the first NUL
    bool property_inline;        // property_text is a bare expression / name given on the command line
    const char *question;        // of several in the property's file, by name; NULL = not said
    enum property_at property_at;
};

struct frontend {
    const char *name;            // "xsts"
    const char *extension;       // ".xsts"
    const char *description;
    // NULL and at least one error or "unsupported" message when there is no model.
    struct model *(*read)(const struct frontend_request *request, struct messages *messages);
    bool reads_checks; // a property file with a CHECK(…) line is for the front end to read
};

extern const struct frontend frontend_xsts;
extern const struct frontend frontend_cfa;
extern const struct frontend frontend_sts;
extern const struct frontend frontend_aiger;
extern const struct frontend frontend_aiger_binary;
extern const struct frontend frontend_btor2;
extern const struct frontend frontend_chc;
extern const struct frontend frontend_pnml;
extern const struct frontend frontend_net;

const struct frontend *const *frontend_all(void); // NULL-terminated
const struct frontend *frontend_for_path(const char *path);

// Reads the files and calls the front end. property: a path, or, when no such file exists and it
// does not end in .prop/.prp, an inline property; NULL = none. A file's path may be followed by `#` and the name of
// one of several questions in it. A property file whose whole content
// is a BenchExec/SV-COMP "CHECK(…)" line or otherwise says just "the error is unreachable" (unreach.prp)
// counts as none. NULL on errors.
struct model *frontend_load(const char *model_path, const char *property,
                            enum property_at property_at, struct messages *messages);

// Reads a BenchExec task-definition file (format_version 1.0 or 2.0) with libyaml.
enum expected_verdict { EXPECTED_NONE, EXPECTED_SAFE, EXPECTED_UNSAFE };
struct task_definition {
    char *path;            // of the .yml
    char *model_path;      // relative paths resolved against the .yml
    char *property_path;   // NULL when there is none
    enum expected_verdict expected;
};
bool task_definition_read(const char *path, struct task_definition *out, struct messages *messages);
void task_definition_finish(struct task_definition *task);

#endif
