#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "logic/terms/number.h"
#include "logic/terms/print.h"
#include "model/capsules/capsules.h"

static const char *const WORDS[] = {
    "module",   "attribute", "timer",   "optional", "part",  "external",  "in",   "out", "connect",
    "location", "composite", "initial", "as",       "case",  "otherwise", "send", "set", "create",
    "destroy",  "int",       "bool",    "true",     "false", "and",       "or",   "not", "div",
    "mod",      "rem",       "if",      "then",     "else",  NULL};

void capsules_print_name(const char *name, struct text *out)
{
    bool word = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *p = name; *p != '\0'; p++)
        word &= isalnum((unsigned char)*p) || *p == '_';
    for (size_t i = 0; WORDS[i] != NULL; i++)
        word &= strcmp(WORDS[i], name) != 0;
    text_printf(out, word ? "%s" : "\"%s\"", name);
}

// Names of variables are qualified inside ("Controller.carsD"); behind the last point is what the reader wrote.
static void print_variable(const struct term *term, struct text *out)
{
    const char *point = strrchr(term->u.var.name, '.');
    capsules_print_name(point != NULL ? point + 1 : term->u.var.name, out);
}

static void print_joined(const struct capsules *c, const struct term *term, const char *between,
                         struct text *out)
{
    text_add(out, "(");
    for (uint32_t i = 0; i < term->child_count; i++) {
        if (i > 0)
            text_add(out, between);
        capsules_print_term(c, term->child[i], out);
    }
    text_add(out, ")");
}

void capsules_print_term(const struct capsules *c, const struct term *term, struct text *out)
{
    switch (term->kind) {
    case TERM_VAR:
        print_variable(term, out);
        break;
    case TERM_NOT:
        text_add(out, "not ");
        capsules_print_term(c, term->child[0], out);
        break;
    case TERM_AND:
        print_joined(c, term, " and ", out);
        break;
    case TERM_OR:
        print_joined(c, term, " or ", out);
        break;
    case TERM_EQ:
        print_joined(c, term, " == ", out);
        break;
    case TERM_LE:
        print_joined(c, term, " <= ", out);
        break;
    case TERM_LT:
        print_joined(c, term, " < ", out);
        break;
    case TERM_ADD:
        print_joined(c, term, " + ", out);
        break;
    case TERM_MUL:
        print_joined(c, term, " * ", out);
        break;
    case TERM_DIV:
        print_joined(c, term, " div ", out);
        break;
    case TERM_MOD:
        print_joined(c, term, " mod ", out);
        break;
    case TERM_REM:
        print_joined(c, term, " rem ", out);
        break;
    case TERM_ITE:
        text_add(out, "(if ");
        capsules_print_term(c, term->child[0], out);
        text_add(out, " then ");
        capsules_print_term(c, term->child[1], out);
        text_add(out, " else ");
        capsules_print_term(c, term->child[2], out);
        text_add(out, ")");
        break;
    default:
        print_term(out, term, PRINT_CFA);
    }
}

static void print_type(const struct capsule_variable *v, struct text *out)
{
    if (v->ranged)
        text_printf(out, ": %lld..%lld", (long long)v->low, (long long)v->high);
    else
        text_add(out, v->term->sort->kind == SORT_BOOL ? ": bool" : ": int");
}

static void print_signal(const struct capsule_signal *s, struct text *out)
{
    text_add(out, s->external ? "    external in " : s->out ? "    out " : "    in ");
    capsules_print_name(s->name, out);
    for (size_t i = 0; i < s->variables.count; i++) {
        text_add(out, i == 0 ? "(" : ", ");
        capsules_print_name(s->variables.data[i].name, out);
        print_type(&s->variables.data[i], out);
    }
    text_add(out, s->variables.count > 0 ? ");\n" : ";\n");
}

static void print_end(const struct capsules *c, const struct capsule_module *m,
                      const struct capsule_end *end, struct text *out)
{
    for (size_t i = 0; i < end->path.count; i++) {
        const struct capsule_part *part = &m->parts.data[end->path.data[i]];
        capsules_print_name(part->name, out);
        text_add(out, ".");
        m = &c->modules.data[part->module];
    }
    capsules_print_name(m->signals.data[end->signal].name, out);
}

static void print_names(const char *verb, const struct capsule_numbers *numbers, const void *names,
                        size_t stride, struct text *out)
{
    for (size_t i = 0; i < numbers->count; i++) {
        // Each of these records begins with its name.
        const char *const *name =
            (const char *const *)((const char *)names + stride * numbers->data[i]);
        text_add(out, i == 0 ? verb : ", ");
        capsules_print_name(*name, out);
    }
    if (numbers->count > 0)
        text_add(out, ";");
}

static void print_effect(const struct capsules *c, const struct capsule_module *m,
                         const struct capsule_case *k, struct text *out)
{
    text_add(out, "{");
    for (size_t i = 0; i < k->assignments.count; i++) {
        text_add(out, " ");
        capsules_print_name(m->attributes.data[k->assignments.data[i].attribute].name, out);
        text_add(out, " := ");
        capsules_print_term(c, k->assignments.data[i].value, out);
        text_add(out, ";");
    }
    print_names(" set ", &k->timers, m->timers.data, sizeof *m->timers.data, out);
    print_names(" create ", &k->created, m->parts.data, sizeof *m->parts.data, out);
    for (size_t i = 0; i < k->outputs.count; i++) {
        const struct capsule_output *output = &k->outputs.data[i];
        text_add(out, " send ");
        capsules_print_name(m->signals.data[output->signal].name, out);
        for (size_t j = 0; j < output->arguments.count; j++) {
            text_add(out, j == 0 ? "(" : ", ");
            capsules_print_term(c, output->arguments.data[j], out);
        }
        text_add(out, output->arguments.count > 0 ? ");" : ";");
    }
    print_names(" destroy ", &k->destroyed, m->parts.data, sizeof *m->parts.data, out);
    text_add(out, " }");
}

static bool is_empty(const struct capsule_case *k)
{
    return k->assignments.count + k->outputs.count + k->timers.count + k->created.count +
               k->destroyed.count ==
           0;
}

static void print_body(const struct capsules *c, const struct capsule_module *m,
                       const struct capsule_transition *t, struct text *out)
{
    const struct capsule_case *only = &t->cases.data[0];
    if (t->cases.count == 1 && term_is_true(only->condition) && !only->bound_exceeded) {
        if (is_empty(only)) {
            text_add(out, ";\n");
            return;
        }
        text_add(out, " ");
        print_effect(c, m, only, out);
        text_add(out, "\n");
        return;
    }
    text_add(out, " {\n");
    for (size_t i = 0; i < t->cases.count; i++) {
        text_add(out, "        case ");
        capsules_print_term(c, t->cases.data[i].condition, out);
        text_add(out, t->cases.data[i].bound_exceeded ? " beyond " : " ");
        print_effect(c, m, &t->cases.data[i], out);
        text_add(out, "\n");
    }
    text_add(out, "    }\n");
}

static void print_transition(const struct capsules *c, const struct capsule_module *m,
                             const struct capsule_transition *t, struct text *out)
{
    text_add(out, "    ");
    if (t->kind == CAPSULE_INIT) {
        text_add(out, "initial");
    } else {
        capsules_print_name(m->locations.data[t->source].name, out);
        text_add(out, " -- ");
        capsules_print_name(t->kind == CAPSULE_TIMER ? m->timers.data[t->trigger].name
                                                     : m->signals.data[t->trigger].name,
                            out);
        if (!term_is_true(t->guard)) {
            text_add(out, " [");
            capsules_print_term(c, t->guard, out);
            text_add(out, "]");
        }
    }
    text_add(out, " -> ");
    capsules_print_name(m->locations.data[t->target].name, out);
    print_body(c, m, t, out);
}

static void print_declarations(const struct capsules *c, const struct capsule_module *m,
                               struct text *out)
{
    for (size_t i = 0; i < m->attributes.count; i++) {
        const struct capsule_variable *v = &m->attributes.data[i];
        text_add(out, "    attribute ");
        capsules_print_name(v->name, out);
        print_type(v, out);
        text_add(out, " = ");
        capsules_print_term(c, v->initial, out);
        text_add(out, ";\n");
    }
    for (size_t i = 0; i < m->timers.count; i++) {
        text_add(out, "    timer ");
        capsules_print_name(m->timers.data[i].name, out);
        text_add(out, ";\n");
    }
    for (size_t i = 0; i < m->parts.count; i++) {
        text_add(out, m->parts.data[i].fixed ? "    part " : "    optional part ");
        capsules_print_name(m->parts.data[i].name, out);
        text_add(out, ": ");
        capsules_print_name(c->modules.data[m->parts.data[i].module].name, out);
        text_add(out, ";\n");
    }
    for (size_t i = 0; i < m->signals.count; i++)
        print_signal(&m->signals.data[i], out);
    for (size_t i = 0; i < m->connectors.count; i++) {
        text_add(out, "    connect ");
        print_end(c, m, &m->connectors.data[i].sender, out);
        text_add(out, " -> ");
        print_end(c, m, &m->connectors.data[i].receiver, out);
        text_add(out, ";\n");
    }
    for (size_t i = 0; i < m->locations.count; i++) {
        text_add(out, i == 0 ? "    location " : ", ");
        capsules_print_name(m->locations.data[i].name, out);
    }
    if (m->locations.count > 0)
        text_add(out, ";\n");
    for (size_t i = 0; i < m->composites.count; i++) {
        text_add(out, "    composite ");
        capsules_print_name(m->composites.data[i].name, out);
        print_names(" { ", &m->composites.data[i].locations, m->locations.data,
                    sizeof *m->locations.data, out);
        text_add(out, " }\n");
    }
}

void capsules_print(const struct capsules *c, struct text *out)
{
    for (size_t i = 0; i < c->modules.count; i++) {
        const struct capsule_module *m = &c->modules.data[i];
        text_add(out, "module ");
        capsules_print_name(m->name, out);
        text_add(out, " {\n");
        print_declarations(c, m, out);
        for (size_t j = 0; j < m->transitions.count; j++)
            print_transition(c, m, &m->transitions.data[j], out);
        text_add(out, "}\n\n");
    }
    text_add(out, "top ");
    capsules_print_name(c->modules.data[c->top].name, out);
    text_add(out, " as ");
    capsules_print_name(c->top_name, out);
    text_add(out, ";\n");
}
