#include <cjson/cJSON.h>

#include "base/say.h"
#include "model/trace_print.h"

// { formalism, length, steps: [ { location, action, state: { name: value } } ] }. Booleans and
// integers that a double holds exactly are JSON values; all others are text as in the other forms.

static cJSON *json_value(const struct variable *variable, struct value value)
{
    const struct sort *sort = variable->sort;
    const int64_t exact = (int64_t)1 << 53;
    if (sort->kind == SORT_BOOL)
        return cJSON_CreateBool(value_is_true(value));
    if (sort->kind == SORT_INT && value_is_small(value) && value_small_get(value) <= exact &&
        value_small_get(value) >= -exact)
        return cJSON_CreateNumber((double)value_small_get(value));
    struct text printed;
    text_init(&printed);
    variable_print(&printed, variable, value);
    cJSON *string = cJSON_CreateString(text_string(&printed));
    text_finish(&printed);
    return string;
}

static cJSON *json_step(const struct trace *trace, size_t step, const char *action)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "location", trace_location_at(trace, step)->name);
    if (action != NULL)
        cJSON_AddStringToObject(object, "action", action);
    else
        cJSON_AddNullToObject(object, "action");
    cJSON *state = cJSON_AddObjectToObject(object, "state");
    for (uint32_t i = 0; i < trace->model->variable_count; i++) {
        const struct variable *variable = trace->model->variables[i];
        if ((variable->flags & VARIABLE_LOCAL) == 0)
            cJSON_AddItemToObject(state, variable->name,
                                  json_value(variable, trace_step_at(trace, step)->state[i]));
    }
    return object;
}

static void add_steps(cJSON *steps, const struct trace *trace)
{
    struct text action;
    text_init(&action);
    for (size_t step = 0; step <= trace->step_count; step++) {
        // Edges through hidden locations are one step to a user.
        if (step > 0) {
            text_add(&action, action.length > 0 ? "; " : "");
            text_add(&action, trace_step_at(trace, step)->edge->label);
        }
        if (!trace_shows(trace, step))
            continue;
        cJSON_AddItemToArray(steps, json_step(trace, step, step > 0 ? text_string(&action) : NULL));
        text_clear(&action);
    }
    text_finish(&action);
}

void trace_print_json(struct text *out, const struct trace *trace)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "formalism", trace->model->dialect->name);
    cJSON_AddNumberToObject(root, "length", (double)trace_length(trace));
    add_steps(cJSON_AddArrayToObject(root, "steps"), trace);
    char *printed = cJSON_Print(root);
    if (printed != NULL) {
        text_add_json(out, printed);
        text_add_char(out, '\n');
    }
    cJSON_free(printed);
    cJSON_Delete(root);
}
