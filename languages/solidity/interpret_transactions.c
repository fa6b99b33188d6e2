#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "languages/solidity/interpret_inside.h"

// Balances, transactions, and contracts that are made.

// Transactions.

struct datum *machine_balance(struct machine *m, mpz_srcptr address)
{
    struct cell *c = machine_find_cell(m->balances, address);
    if (c == NULL) {
        c = arena_zalloc(&m->arena, sizeof *c);
        c->key = machine_number(m);
        mpz_set(c->key, address);
        c->datum = machine_plain(sol_type_of(m->types, "uint256"), machine_number_of(m, 0));
        c->next = m->balances;
        m->balances = c;
    }
    return &c->datum;
}

// What an account has when the code asks: the contract's own is known, another's is told once.
mpz_ptr machine_told_balance(struct machine *m, mpz_srcptr address, const struct sol_node *at)
{
    struct datum told = machine_outside(m, sol_type_of(m->types, "uint256"), at);
    mpz_srcptr on_top = machine_balance(m, address)->number;
    struct cell *base = machine_find_cell(m->bases, address);
    bool own = mpz_cmp(address, m->main->address) == 0;
    if (machine_ended(m))
        return machine_number_of(m, 0);
    if (!own && base == NULL) {
        base = arena_zalloc(&m->arena, sizeof *base);
        base->key = machine_number(m);
        mpz_set(base->key, address);
        base->datum = machine_plain(told.type, machine_number(m));
        mpz_sub(base->datum.number, told.number, on_top);
        base->next = m->bases;
        m->bases = base;
    }
    mpz_ptr real = machine_number(m);
    mpz_set(real, on_top);
    if (!own)
        mpz_add(real, real, base->datum.number);
    if (mpz_cmp(real, told.number) != 0 || (!own && mpz_sgn(base->datum.number) < 0))
        machine_stop(m, FLOW_STUCK, at, "the trace has another balance than the account");
    return real;
}

// Ether that nobody asked for; what other accounts have is forgotten.
static void force_ether(struct machine *m, const struct sol_node *at)
{
    if (m->deployed && !m->reads_balances)
        return;
    struct datum *own = machine_balance(m, m->main->address);
    mpz_ptr before = own->number;
    if (m->forced)
        own->number = machine_outside(m, sol_type_of(m->types, "uint256"), at).number;
    if (!machine_ended(m) && m->deployed && mpz_cmp(own->number, before) < 0)
        machine_stop(m, FLOW_STUCK, at, "the trace takes Ether away");
    m->bases = NULL;
}

void machine_pay(struct machine *m, mpz_srcptr from, mpz_srcptr to, mpz_srcptr amount,
                 const struct sol_node *at)
{
    struct datum *a = machine_balance(m, from);
    if (m->reads_only && mpz_sgn(amount) != 0)
        machine_stop(m, FLOW_STUCK, at, "Ether moves in a call that may change nothing");
    if (machine_ended(m))
        return;
    if (mpz_cmp(a->number, amount) < 0) {
        machine_stop(m, FLOW_REVERT, at, "the balance is too small");
        return;
    }
    mpz_ptr less = machine_number(m), more = machine_number(m);
    mpz_sub(less, a->number, amount);
    a->number = less;
    assert(mpz_sgn(less) >= 0);
    struct datum *b = machine_balance(m, to);
    mpz_add(more, b->number, amount);
    b->number = more;
}

// A value for people.
static void show_value(struct text *out, const struct datum *d)
{
    if (d == NULL || d->number == NULL || d->type == NULL) {
        text_add(out, "…");
        return;
    }
    char *digits = mpz_get_str(NULL, 10, d->number);
    if (d->type->kind == SOL_T_BOOL)
        text_add(out, machine_is_true(*d) ? "true" : "false");
    else
        text_add(out, digits);
    free(digits);
}

static void show_bytes(struct machine *m, struct text *out, const struct sol_type *type,
                       mpz_srcptr code)
{
    unsigned long length = machine_length_of(code);
    if (length > LONGEST_STRING) {
        text_add(out, "/* any */");
        return;
    }
    char *digits = mpz_get_str(NULL, 16, machine_contents_of(m, code));
    text_add(out, type->is_bytes ? "bytes(hex\"" : "string(bytes(hex\"");
    for (size_t missing = 2 * length - (length > 0 ? strlen(digits) : 0); missing > 0; missing--)
        text_add_char(out, '0');
    text_printf(out, "%s\"%s", length > 0 ? digits : "", type->is_bytes ? ")" : "))");
    free(digits);
}

// The same as an expression of Solidity for that parameter; what has none (arrays, structs) as a comment.
static void show_source(struct machine *m, struct text *out, const struct datum *d,
                        const struct sol_node *parameter)
{
    static const char *const own[] = {"uint",  "int",   "bool",     "address",
                                      "bytes", "enum ", "contract "};
    if (d == NULL || d->number == NULL || d->type == NULL) {
        text_add(out, "/* any */");
        return;
    }
    if (d->type->kind == SOL_T_STRING) {
        show_bytes(m, out, d->type, d->number);
        return;
    }
    const char *words = parameter->type;
    bool wrapped = d->type->kind != SOL_T_FUNCTION, payable = strstr(words, "payable") != NULL;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        wrapped &= strncmp(words, own[i], strlen(own[i])) != 0;
    char *digits = mpz_get_str(NULL, 10, d->number);
    if (wrapped) // a type of the file's own
        text_printf(out, "%s.wrap(", words);
    if (d->type->kind == SOL_T_BOOL)
        text_add(out, machine_is_true(*d) ? "true" : "false");
    else if (d->type->kind == SOL_T_CONTRACT)
        text_printf(out, "%s(payable(address(uint160(%s))))", d->type->node->name, digits);
    else if (d->type->kind == SOL_T_ADDRESS)
        text_printf(out, payable ? "payable(address(uint160(%s)))" : "address(uint160(%s))",
                    digits);
    else if (d->type->kind == SOL_T_BYTES_N)
        text_printf(out, "bytes%u(uint%u(%s))", d->type->bits / 8, d->type->bits, digits);
    else if (d->type->kind == SOL_T_ENUM)
        text_printf(out, "%s(%s)", strncmp(words, "enum ", 5) == 0 ? words + 5 : words, digits);
    else
        text_add(out, digits);
    text_add(out, wrapped ? ")" : "");
    free(digits);
}

void machine_show(struct machine *m, const struct activation *a, const char *name)
{
    struct text *out = &m->out->transactions;
    text_printf(out, "%s(", name);
    const struct sol_node *parameters = a->function != NULL ? a->function->part[0] : NULL;
    for (size_t i = 0; parameters != NULL && i < parameters->count; i++) {
        text_printf(out, "%s%s%s", i ? ", " : "", parameters->list[i]->name,
                    parameters->list[i]->name[0] ? " = " : "");
        show_value(out, machine_local_of(m, parameters->list[i]->id));
    }
    char *sender = mpz_get_str(NULL, 16, a->sender);
    text_printf(out, ") from 0x%s", sender);
    if (mpz_sgn(a->value) > 0) {
        char *value = mpz_get_str(NULL, 10, a->value);
        text_printf(out, " with %s wei", value);
        free(value);
    }
    text_add(out, "\n");
    free(sender);
}

// What the chain must be like for the transaction; only what the file asks for.
static void show_chain(struct machine *m, struct text *out, const char *sender, const char *value)
{
    struct {
        const char *cheat;
        mpz_srcptr number;
        bool read;
    } clocks[] = {{"warp", m->now, sol_tree_reads(m->tree, "block", "timestamp")},
                  {"roll", m->block, sol_tree_reads(m->tree, "block", "number")}};
    for (size_t i = 0; i < 2; i++)
        if (clocks[i].read && clocks[i].number != NULL) {
            char *digits = mpz_get_str(NULL, 10, clocks[i].number);
            text_printf(out, "        vm.%s(%s);\n", clocks[i].cheat, digits);
            free(digits);
        }
    if (strcmp(value, "0") != 0)
        text_printf(out, "        vm.deal(address(uint160(%s)), %s);\n", sender, value);
}

// One call of a test; calls back are left to the reader, as a comment.
void machine_show_test(struct machine *m, const struct activation *a, const char *callee,
                       bool comment)
{
    struct text *out = &m->out->test;
    char *sender = mpz_get_str(NULL, 10, a->sender), *value = mpz_get_str(NULL, 10, a->value);
    if (!comment)
        show_chain(m, out, sender, value);
    text_printf(out, "        %svm.prank(address(uint160(%s))); ",
                comment ? "// called back: " : "", sender);
    text_add(out, callee);
    if (mpz_sgn(a->value) > 0)
        text_printf(out, "{value: %s}", value);
    text_add(out, "(");
    const struct sol_node *parameters = a->function != NULL ? a->function->part[0] : NULL;
    for (size_t i = 0; parameters != NULL && i < parameters->count; i++) {
        text_add(out, i ? ", " : "");
        show_source(m, out, machine_local_of(m, parameters->list[i]->id), parameters->list[i]);
    }
    text_add(out, ");\n");
    free(sender);
    free(value);
}

static void take_surroundings(struct machine *m, const struct sol_node *at)
{
    m->gas = NULL;
    m->now_known = NULL;
    for (size_t i = 0; i < m->surrounding_count && !machine_ended(m); i++) {
        char name[100];
        sol_surrounding_name(m->surroundings[i], name, sizeof name);
        if (strcmp(name, "block.chainid") == 0 && m->deployed)
            continue;
        m->surrounding[i] =
            machine_outside(m, sol_node_type(m->types, m->surroundings[i]), at).number;
    }
}

// Would another function have answered these data, which the fallback is to answer?
static bool is_for_another(struct machine *m, mpz_srcptr code)
{
    unsigned long length = machine_length_of(code);
    char selector[16] = "";
    if (length >= 4) {
        mpz_ptr first = machine_contents_of(m, machine_piece(m, code, 0, 4));
        snprintf(selector, sizeof selector, "%08lx", mpz_get_ui(first));
    }
    bool another = false;
    for (size_t b = 0; b < m->contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(m->tree, m->contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++) {
            const struct sol_node *f = base->list[i];
            another |= f != NULL && f->kind == SOL_FUNCTION &&
                       (strcmp(f->unit, selector) == 0 && selector[0] != '\0');
            another |= f != NULL && length == 0 && (f->flags & SOL_IS_RECEIVE);
        }
    }
    return another;
}

bool machine_data_fits(struct machine *m, const struct sol_node *function,
                       const struct datum *arguments, mpz_srcptr code)
{
    unsigned long length = machine_length_of(code);
    const struct sol_node *list = function != NULL ? function->part[0] : NULL;
    size_t count = list != NULL ? list->count : 0;
    if (function == NULL || (function->flags & (SOL_IS_CONSTRUCTOR | SOL_IS_RECEIVE)))
        return length == 0;
    if (length > LONGEST_STRING)
        return false;
    if (function->flags & SOL_IS_FALLBACK)
        return !is_for_another(m, code) &&
               (count == 0 ||
                (arguments[0].number != NULL && mpz_cmp(arguments[0].number, code) == 0));
    if (length < 4 + 32 * count || function->unit[0] == '\0')
        return false;
    mpz_ptr selector = machine_number(m);
    bool fits = mpz_set_str(selector, function->unit, 16) == 0 &&
                mpz_cmp(selector, machine_contents_of(m, machine_piece(m, code, 0, 4))) == 0;
    for (size_t i = 0; i < count && fits; i++) {
        const struct sol_type *type = sol_node_type(m->types, list->list[i]);
        mpz_ptr word = machine_number(m);
        if (!sol_type_is_value(type) || arguments[i].number == NULL)
            return false; // where it lies in the data, nobody looks
        mpz_fdiv_r_2exp(word, arguments[i].number, 256);
        if (type->kind == SOL_T_BYTES_N)
            mpz_mul_2exp(word, word, 256 - type->bits);
        fits =
            mpz_cmp(word,
                    machine_contents_of(m, machine_piece(m, code, 4 + 32 * i, 36 + 32 * i))) == 0;
    }
    return fits;
}

static struct datum *taken(struct machine *m, const struct activation *a)
{
    const struct sol_node *list = a->function != NULL ? a->function->part[0] : NULL;
    size_t count = list != NULL ? list->count : 0;
    struct datum *arguments = arena_zalloc(&m->arena, (count + 1) * sizeof *arguments);
    for (size_t i = 0; i < count && !machine_ended(m); i++)
        arguments[i] = *machine_local_of(m, list->list[i]->id);
    return arguments;
}

static void take_data(struct machine *m, struct activation *a, const struct sol_node *at)
{
    a->data = machine_outside(m, sol_type_of(m->types, "bytes memory"), at).number;
    a->data_fits = a->data != NULL && machine_data_fits(m, a->function, taken(m, a), a->data);
}

// A call back to itself is the call that is made, and no other.
static void check_party(struct machine *m, const struct activation *a, const struct sol_node *at)
{
    struct party *party = m->party;
    if (party == NULL || party->lent || machine_ended(m))
        return;
    party->entered++;
    bool itself = mpz_cmp(party->callee, m->main->address) == 0, good;
    if (itself)
        good = mpz_cmp(a->sender, party->caller) == 0 && party->entered == 1 &&
               party->data != NULL && mpz_cmp(a->value, party->value) == 0 &&
               machine_data_fits(m, a->function, taken(m, a), party->data);
    else
        good = mpz_cmp(a->sender, m->main->address) != 0;
    if (!good)
        machine_stop(m, FLOW_STUCK, at, "a call back that is not the call that was made");
}

// Parameters, sender, value and clocks, in the order in which the trace has them.
void machine_take_transaction(struct machine *m, struct activation *a, bool nested,
                              const struct sol_node *at)
{
    const struct sol_type *address = sol_type_of(m->types, "address"),
                          *word = sol_type_of(m->types, "uint256");
    const struct sol_node *parameters = a->function != NULL ? a->function->part[0] : NULL;
    for (size_t i = 0; parameters != NULL && i < parameters->count && !machine_ended(m); i++)
        machine_declare(m, parameters->list[i],
                        machine_outside_value(m, sol_node_type(m->types, parameters->list[i]), at));
    a->sender = machine_outside(m, address, at).number;
    a->value = a->function != NULL && (a->function->flags & SOL_IS_PAYABLE) && !m->reads_only
                   ? machine_outside(m, word, at).number
                   : machine_number_of(m, 0);
    a->called = a->function;
    if (m->reads_data)
        take_data(m, a, at);
    if (nested)
        check_party(m, a, at);
    force_ether(m, at);
    if (!nested) {
        m->now = machine_outside(m, word, at).number;
        m->block = machine_outside(m, word, at).number;
        take_surroundings(m, at);
    }
    if (machine_ended(m))
        return;
    mpz_ptr more = machine_number(m);
    mpz_add(more, machine_balance(m, a->self->address)->number, a->value);
    machine_balance(m, a->self->address)->number = more;
}

void machine_run_public(struct machine *m, const struct sol_node *function, const char *prefix)
{
    struct object *self = m->contracts; // the first one made stays first
    struct activation a = {.function = function, .self = self, .contract = m->contract};
    char name[200];
    snprintf(name, sizeof name, "%s%s.%s", prefix, m->contract->name,
             function->name[0] ? function->name : "fallback");
    machine_enter(m, &a);
    machine_take_transaction(m, &a, prefix[0] != '\0', function);
    if (!machine_ended(m)) {
        char callee[160];
        snprintf(callee, sizeof callee, "c.%s", function->name[0] ? function->name : "fallback");
        machine_show(m, &a, name);
        machine_show_test(m, &a, callee, prefix[0] != '\0');
        machine_declare_results(m, function);
    }
    struct sol_annotations notes = machine_annotations_of(m, m->contract, function);
    for (size_t i = 0; i < notes.count && !machine_ended(m); i++) {
        if (notes.data[i].kind == SOL_PRECONDITION &&
            !machine_condition(m, notes.data[i].condition))
            machine_stop(m, FLOW_REVERT, function, "the precondition does not hold");
        machine_remember(m, notes.data[i].condition);
    }
    bool was_broken = m->was_broken;
    if (m->function != NULL && m->function == function && !machine_ended(m))
        m->was_broken = !machine_invariants_hold(m);
    if (!machine_ended(m))
        machine_run_layer(m);
    if (m->flow == FLOW_HALT && m->tree->minor >= 8 && prefix[0] == '\0') {
        m->flow = FLOW_ON; // the contract is still there
        m->was_broken = was_broken;
        machine_leave(m);
        return;
    }
    machine_check_overflow(m, function);
    if (m->reads_only)
        machine_stop(m, FLOW_STUCK, function, "a call back that nothing comes of");
    machine_check_all(m, notes, SOL_POSTCONDITION, SOL_FAIL_POSTCONDITION, function);
    if (!machine_ended(m))
        machine_check_invariants(m, SOL_FAIL_INVARIANT, function);
    m->was_broken = was_broken;
    machine_leave(m);
}

// Unknown code that may change nothing, and what it calls back, if the trace goes there.
void machine_reading_code(struct machine *m, const struct sol_node *at)
{
    if (machine_ended(m) || m->reads_only || m->next_event >= m->event_count ||
        m->events[m->next_event].kind != SOL_EVENT_READ)
        return;
    machine_check_overflow(m, at);
    const struct sol_node *function = sol_tree_node(m->tree, m->events[m->next_event++].id);
    m->now_known = NULL;
    m->reads_only = true;
    if (function == NULL)
        machine_stop(m, FLOW_STUCK, at, "a call back of nothing");
    if (!machine_ended(m))
        machine_run_public(m, function, "  called back: ");
}

void machine_unknown_code(struct machine *m, const struct sol_node *at)
{
    if (m->reads_only)
        return;
    machine_check_overflow(m, at);
    if (!machine_ended(m))
        machine_check_invariants(m, SOL_FAIL_INVARIANT " before a call", at);
    if (!machine_ended(m))
        force_ether(m, at);
    m->now_known = NULL;
    while (!machine_ended(m) && m->next_event < m->event_count &&
           m->events[m->next_event].kind == SOL_EVENT_BACK) {
        const struct sol_event *event = &m->events[m->next_event++];
        const struct sol_node *function = sol_tree_node(m->tree, event->id);
        if (function == NULL)
            break; // no more of them
        struct party *party = m->party;
        machine_run_public(m, function, "  called back: ");
        m->party = party;
    }
    if (!machine_ended(m) && m->party != NULL && !m->party->lent && !m->constructing &&
        m->party->entered == 0 && mpz_cmp(m->party->callee, m->main->address) == 0)
        machine_stop(m, FLOW_STUCK, at, "a call of itself that nothing comes of");
}

const struct sol_node *machine_constructor_of(const struct sol_node *contract)
{
    for (size_t i = 0; i < contract->count; i++)
        if (contract->list[i] != NULL && contract->list[i]->kind == SOL_FUNCTION &&
            (contract->list[i]->flags & SOL_IS_CONSTRUCTOR))
            return contract->list[i];
    return NULL;
}

static const struct sol_node *given_to(struct machine *m, const struct sol_node *contract,
                                       const struct sol_node *base, size_t *giver)
{
    for (size_t b = 0; b < contract->order_count; b++) {
        const struct sol_node *c = sol_tree_node(m->tree, contract->order[b]),
                              *constructor = machine_constructor_of(c);
        *giver = b;
        for (size_t i = 0; constructor != NULL && i < constructor->count; i++)
            if (constructor->list[i]->part[0]->reference == base->id)
                return constructor->list[i];
        for (size_t i = 0; i < c->more_count; i++) {
            const struct sol_node *name = c->more[i]->part[0];
            long reference = name->reference         ? name->reference
                             : name->part[0] != NULL ? name->part[0]->reference
                                                     : 0;
            if (reference == base->id && c->more[i]->count > 0)
                return c->more[i];
        }
    }
    return NULL;
}

struct object *machine_new_contract(struct machine *m, const struct sol_node *contract,
                                    mpz_ptr address)
{
    struct object *o = machine_new_object(m, NULL, false);
    o->contract = contract;
    o->address = address;
    o->next = m->contracts;
    m->contracts = o;
    return o;
}

// first: the activation of the most derived constructor, entered, with its parameters.
void machine_construct(struct machine *m, const struct sol_node *contract, struct activation *first)
{
    struct activation *all = arena_zalloc(&m->arena, (contract->order_count + 1) * sizeof *all);
    struct activation **at = arena_zalloc(&m->arena, (contract->order_count + 1) * sizeof *at);
    at[0] = first;
    for (size_t b = 1; b < contract->order_count && !machine_ended(m); b++) {
        const struct sol_node *base = sol_tree_node(m->tree, contract->order[b]),
                              *constructor = machine_constructor_of(base);
        size_t giver = 0;
        const struct sol_node *given = given_to(m, contract, base, &giver);
        all[b] = (struct activation){.function = constructor,
                                     .self = first->self,
                                     .contract = contract,
                                     .sender = first->sender,
                                     .value = first->value,
                                     .outer = first};
        at[b] = &all[b];
        for (size_t i = 0;
             constructor != NULL && i < constructor->part[0]->count && !machine_ended(m); i++) {
            const struct sol_node *p = constructor->part[0]->list[i];
            const struct sol_type *type = sol_node_type(m->types, p);
            struct datum d = machine_initial(m, type, true);
            m->active = at[giver] != NULL ? at[giver] : first;
            if (given != NULL && i < given->count)
                d = machine_as_type(m, given->list[i], type);
            m->active = at[b];
            machine_declare(m, p, d);
        }
    }
    for (size_t b = contract->order_count; b-- > 0 && !machine_ended(m);) {
        const struct sol_node *base = sol_tree_node(m->tree, contract->order[b]);
        m->active = at[b];
        for (size_t i = 0; i < base->count && !machine_ended(m); i++) {
            const struct sol_node *v = base->list[i];
            if (v == NULL || v->kind != SOL_VARIABLE || v->part[1] == NULL ||
                (v->flags & SOL_IS_CONSTANT))
                continue;
            struct datum value = machine_as_type(m, v->part[1], sol_node_type(m->types, v));
            if (!machine_ended(m))
                machine_assign(m, machine_field(m, first->self, v), value,
                               sol_node_type(m->types, v), false);
        }
    }
    for (size_t b = contract->order_count; b-- > 0 && !machine_ended(m);) { // behind all variables
        m->active = at[b];
        if (at[b]->function != NULL && at[b]->function->part[2] != NULL && !machine_ended(m)) {
            machine_run_layer(m);
            machine_check_overflow(m, at[b]->function);
        }
    }
    m->active = first;
}
