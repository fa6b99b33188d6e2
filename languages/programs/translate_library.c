#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "languages/programs/jumps.h"
#include "languages/programs/printing.h"
#include "languages/programs/real.h"
#include "languages/programs/threads.h"
#include "languages/programs/translate_inside.h"
#include "logic/terms/float_terms.h"

// Calls of functions without a body.

static void end_path(struct translator *t)
{
    lowering_assume(t, term_false(t->store));
}

static void define_any(struct translator *t, const struct instruction *i, const char *stem)
{
    const struct sort *sort = lowering_sort(t, i->type);
    if (i->type.kind == PROGRAM_VOID)
        return;
    if (sort == NULL)
        lowering_unsupported(t, "a function that returns a structure");
    else
        lowering_define(t, i, lowering_any(t, sort, stem));
}

// a is not between what the least and the greatest number are c times of.
const struct term *lowering_product_overflow(struct translator *t, const struct term *a, uint64_t c,
                                             bool sign)
{
    uint32_t w = a->sort->width;
    uint64_t mask = w < 64 ? ((uint64_t)1 << w) - 1 : UINT64_MAX;
    assert(w > 0 && w <= 64 && (c & mask) != 0);
    if (!sign)
        return term_bv_binary(t->store, TERM_BV_ULT, term_bv(t->store, w, mask / (c & mask)), a);
    int64_t greatest = (int64_t)(mask >> 1), least = -greatest - 1;
    int64_t factor = (int64_t)(c << (64 - w)) >> (64 - w);
    if (factor == -1)
        return term_eq(t->store, a, term_bv(t->store, w, (uint64_t)least));
    int64_t high = factor > 0 ? greatest / factor : least / factor;
    int64_t low = factor > 0 ? least / factor : greatest / factor;
    return term_or2(t->store,
                    term_bv_binary(t->store, TERM_BV_SLT, term_bv(t->store, w, (uint64_t)high), a),
                    term_bv_binary(t->store, TERM_BV_SLT, a, term_bv(t->store, w, (uint64_t)low)));
}

// The factor that is known and not 0; NULL: none is.
static const struct operand *known_factor(const struct instruction *i)
{
    for (size_t k = 2; k > 0; k--)
        if (i->operands[k].kind == OPERAND_CONSTANT && i->operands[k].bits != 0)
            return &i->operands[k];
    return NULL;
}

// Signed or unsigned operation, and whether its exact result fits: computed with twice the bits, or, as a product with a
// known factor, seen from the other.
static void overflow_operation(struct translator *t, const struct instruction *i, const char *name)
{
    const struct term *a = lowering_operand(t, &i->operands[1]),
                      *b = lowering_operand(t, &i->operands[2]);
    uint32_t w = a->sort->width;
    bool sign = name[5] == 's', multiply = strncmp(name + 6, "mul", 3) == 0;
    bool subtract = strncmp(name + 6, "sub", 3) == 0;
    const struct operand *known = multiply && w <= 64 ? known_factor(i) : NULL;
    if (known != NULL) {
        const struct term *other = known == &i->operands[1] ? b : a;
        t->value[i->result] = term_bv_binary(t->store, TERM_BV_MUL, a, b);
        t->overflow[i->result] = lowering_product_overflow(t, other, (uint64_t)known->bits, sign);
        return;
    }
    uint32_t room = multiply ? 2 * w : w + 1;
    enum term_kind extend = sign ? TERM_BV_SEXT : TERM_BV_ZEXT;
    const struct term *x = term_bv_extend(t->store, extend, a, room);
    const struct term *y = term_bv_extend(t->store, extend, b, room);
    if (subtract)
        y = term_bv_unary(t->store, TERM_BV_NEG, y);
    const struct term *exact = term_bv_binary(t->store, multiply ? TERM_BV_MUL : TERM_BV_ADD, x, y);
    const struct term *narrow = term_bv_extract(t->store, exact, w - 1, 0);
    const struct term *back = term_bv_extend(t->store, extend, narrow, room);
    t->value[i->result] = narrow;
    t->overflow[i->result] = term_not(t->store, term_eq(t->store, back, exact));
}

// clang also stops at negative numbers, where C gives a left shift no result but nothing overflows.
static void trap_of_shift(struct translator *t, const struct instruction *i)
{
    const struct operand *shifted = flat_shifted(t->flat, i);
    const struct term *negative = term_true(t->store);
    if (shifted != NULL && shifted->type.kind == PROGRAM_INTEGER && shifted->type.bits > 1) {
        const struct term *a = lowering_operand(t, shifted);
        negative = term_bv_binary(t->store, TERM_BV_SLT, a, term_default(t->store, a->sort));
    }
    lowering_cut_if(t, negative, "a left shift of a negative number");
    lowering_error_if(t, term_true(t->store), "no-overflow");
}

static void trap(struct translator *t, const struct instruction *i)
{
    uint64_t kind = i->operand_count > 1 ? (uint64_t)i->operands[1].bits : 0;
    static const uint64_t kinds[] = {0, 21, 12, 13, 3};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (kind == kinds[k])
            lowering_error_if(t, term_true(t->store), "no-overflow");
    }
    if (kind == 20)
        trap_of_shift(t, i);
    if (kind == TRAP_OF_VECTORS)
        lowering_cut_if(t, term_true(t->store), "an operation on vectors that may overflow");
    end_path(t);
}

// The bits of a float and nothing else.
static bool float_intrinsic(struct translator *t, const struct instruction *i, const char *name)
{
    bool absolute = text_begins_with(name, "llvm.fabs."),
         sign = text_begins_with(name, "llvm.copysign.");
    bool known = i->operand_count > 1 && i->operands[1].type.kind == PROGRAM_FLOAT &&
                 float_width_known(i->operands[1].type.bits);
    if (!known || (!absolute && !sign && !text_begins_with(name, "llvm.is.fpclass.")))
        return false;
    const struct term *a = lowering_operand(t, &i->operands[1]), *out;
    lowering_hold(t, &a);
    if (absolute)
        out = float_absolute(t->store, a);
    else if (sign)
        out = float_copy_sign(t->store, a, lowering_operand(t, &i->operands[2]));
    else
        out = float_is_class(t->store, (uint64_t)i->operands[2].bits, a);
    lowering_release(t);
    lowering_define(t, i, out);
    return true;
}

static bool intrinsic(struct translator *t, const struct instruction *i, const char *name)
{
    static const char *const nothing[] = {"llvm.stackrestore.p0", "llvm.va_end.p0",
                                          "llvm.prefetch.p0",     "llvm.clear_cache",
                                          "llvm.donothing",       NULL};
    if (text_begins_with(name, "llvm.ubsantrap")) {
        trap(t, i);
    } else if (text_begins_with(name, "llvm.trap") || text_begins_with(name, "llvm.debugtrap")) {
        end_path(t);
    } else if (text_begins_with(name, "llvm.lifetime.")) {
        lowering_lifetime(t, &i->operands[2], text_begins_with(name, "llvm.lifetime.start"));
    } else if (text_begins_with(name, "llvm.memcpy.") || text_begins_with(name, "llvm.memmove.")) {
        lowering_copy(t, &i->operands[1], &i->operands[2], &i->operands[3]);
    } else if (text_begins_with(name, "llvm.memset.")) {
        lowering_fill(t, &i->operands[1], &i->operands[2], &i->operands[3]);
    } else if (strstr(name, ".with.overflow.") != NULL) {
        overflow_operation(t, i, name);
    } else if (text_begins_with(name, "llvm.expect.")) {
        lowering_define(t, i, lowering_operand(t, &i->operands[1]));
    } else if (text_begins_with(name, "llvm.stacksave")) {
        lowering_define(t, i, lowering_pointer(t, 0, 0));
    } else if (!text_is_one_of(name, nothing)) {
        return float_intrinsic(t, i, name);
    }
    return true;
}

bool program_is_end(const char *name)
{
    static const char *const names[] = {"abort",
                                        "exit",
                                        "_exit",
                                        "_Exit",
                                        "quick_exit",
                                        "__assert_fail",
                                        "__assert",
                                        "reach_error",
                                        "__VERIFIER_error",
                                        "err",
                                        "errx",
                                        "__regatta_exit",
                                        "__regatta_failure",
                                        NULL};
    return text_is_one_of(name, names);
}

static void end_program(struct translator *t, const char *name)
{
    static const char *const orderly_names[] = {"exit", "_exit", "_Exit", "__regatta_exit", NULL};
    bool orderly = text_is_one_of(name, orderly_names);
    if (orderly)
        lowering_end_of_memory(t, false);
    else
        lowering_sudden_end_of_memory(t);
    end_path(t);
}

static bool takes_pointers(const struct instruction *i)
{
    for (uint32_t k = 1; k < i->operand_count; k++) {
        if (i->operands[k].type.kind == PROGRAM_POINTER)
            return true;
    }
    return false;
}

static bool verifier_function(struct translator *t, const struct instruction *i, const char *name)
{
    if (text_begins_with(name, "__VERIFIER_nondet_") && !takes_pointers(i)) {
        define_any(t, i, name + strlen("__VERIFIER_"));
        // A _Bool is 0 or 1 in whatever type it was declared with.
        if (strcmp(name, "__VERIFIER_nondet_bool") == 0 && i->type.kind == PROGRAM_INTEGER &&
            i->type.bits > 1)
            lowering_assume(t, term_bv_binary(t->store, TERM_BV_ULE, t->value[i->result],
                                              term_bv(t->store, i->type.bits, 1)));
        return true;
    }
    bool assertion = strcmp(name, "assert") == 0; // without its header: a failure ends the program
    if ((strcmp(name, "__VERIFIER_assume") == 0 || assertion) && i->operand_count > 1) {
        const struct term *c = lowering_operand(t, &i->operands[1]);
        if (c->sort->kind != SORT_BOOL)
            c = term_not(t->store, term_eq(t->store, c, term_default(t->store, c->sort)));
        lowering_assume(t, c);
        return true;
    }
    return text_begins_with(name, "__VERIFIER_atomic_") && i->operand_count == 1;
}

// A value of <math.h> that is not exact: near to what is computed here where the arguments are known, else any.
static bool real_call(struct translator *t, const struct instruction *i, const char *name)
{
    uint64_t arguments[2] = {0, 0}, value, least, most;
    const uint32_t count = i->operand_count - 1;
    bool known = true;
    for (uint32_t k = 0; k < count && k < 2; k++) {
        const struct term *argument = lowering_operand(t, &i->operands[k + 1]);
        known = known && argument->kind == TERM_BV && argument->sort->width <= 64;
        arguments[k] = known ? term_bv_number(argument) : 0;
    }
    if (!real_function(name, arguments, count, &value))
        return false;
    define_any(t, i, "real");
    if (!known || !real_enclosure(value, &least, &most))
        return true;
    // By LLVM's predicates not below the first, not above the second.
    const struct term *low = term_bv(t->store, 64, least), *high = term_bv(t->store, 64, most);
    lowering_assume(t, float_compare(t->store, 3, t->value[i->result], low));
    lowering_assume(t, float_compare(t->store, 5, t->value[i->result], high));
    return true;
}

static void pointer_kept(struct translator *t)
{
    if (t->question->property == PROPERTY_MEMSAFETY)
        lowering_cut_if(t, term_true(t->store), POINTER_KEPT_WORDS);
}

// The variables of functions that a jump ends live on here.
static void functions_left(struct translator *t)
{
    if (t->question->property == PROPERTY_MEMSAFETY)
        lowering_cut_if(t, term_true(t->store), LEAVES_FUNCTIONS_WORDS);
}

// What the functions of languages/c/library/library.c call.
static bool own_function(struct translator *t, const struct instruction *i, const char *name)
{
    if (strcmp(name, "__regatta_block_size") == 0 && i->operand_count > 1)
        lowering_define(t, i, lowering_block_size(t, &i->operands[1]));
    else if (objects_gives_texts(name) && i->operand_count == 2)
        lowering_give_texts(t, i);
    else if (strcmp(name, COUNT_GIVEN) == 0)
        return true;
    else if (strcmp(name, "__regatta_bound") == 0)
        lowering_cut_if(t, term_true(t->store), "more than a library function is followed for");
    else if (strcmp(name, THREADS_WAIT) == 0)
        lowering_cut_if(t, term_true(t->store), THREADS_WAIT_WORDS);
    else if (strcmp(name, LIVES_AGAIN) == 0 && i->operand_count > 2)
        lowering_may_live_again(t, &i->operands[2]);
    else if (strcmp(name, POINTER_KEPT) == 0)
        pointer_kept(t);
    else if (strcmp(name, LEAVES_FUNCTIONS) == 0)
        functions_left(t);
    else if (strcmp(name, "__regatta_something") == 0 ||
             (text_begins_with(name, REAL_PREFIX) && real_call(t, i, name)))
        return true; // of the first the interpreter says that this is no run
    else if (strcmp(name, "__regatta_overflow") != 0)
        return false;
    else if (t->question->property == PROPERTY_OVERFLOW)
        lowering_error_if(t, term_true(t->store), "no-overflow");
    return true;
}

bool program_is_printer(const char *name)
{
    static const char *const names[] = {
        "printf", "puts",  "fprintf", "perror",   "fputs",  "printk",  "srand",
        "warn",   "warnx", "vprintf", "vfprintf", "syslog", "openlog", "__regatta_printed",
        NULL};
    return text_is_one_of(name, names);
}

// NULL when this operand of a call is no constant string; `text` has PRINTING_FORMAT_MOST bytes.
static const char *constant_string(const struct translator *t, const struct instruction *i,
                                   uint32_t k, char *text)
{
    if (k >= i->operand_count)
        return NULL;
    const struct operand o = flat_resolve(t->flat, i->operands[k]);
    return printing_constant(t->flat->program, &o, text, PRINTING_FORMAT_MOST);
}

// What main was given has an end; false when the string may be another.
static bool text_is_printed(struct translator *t, const struct instruction *i, uint32_t k)
{
    const bool asked = t->question->property == PROPERTY_MEMSAFETY && t->question->deref;
    if (k >= i->operand_count || i->operands[k].type.kind != PROGRAM_POINTER || !asked)
        return false;
    const struct term *is = lowering_is_text(t, &i->operands[k]);
    if (term_is_false(is))
        return false;
    const struct term *other = term_not(t->store, is);
    const struct term *blame =
        lowering_blame(t, &i->operands[k], lowering_operand(t, &i->operands[k]));
    lowering_cut_blamed(t, other, term_and2(t->store, other, blame),
                        "a string that is printed is not followed");
    return true;
}

// False when strings are printed whose end is not known to be there, or not known which. `%n` writes.
static bool format_is_followed(struct translator *t, const struct instruction *i, uint32_t format,
                               bool *writes)
{
    char text[PRINTING_FORMAT_MOST], string[PRINTING_FORMAT_MOST];
    const char *at = constant_string(t, i, format, text);
    if (at == NULL)
        return false;
    uint32_t next = format + 1;
    for (at = strchr(at, '%'); at != NULL; at = strchr(at, '%')) {
        struct conversion c;
        at = conversion_read(at + 1, &c);
        if (at == NULL)
            return false;
        next += (uint32_t)c.width_given + (uint32_t)c.precision_given;
        *writes = *writes || c.letter == 'n';
        if (c.letter == 's' && c.size == 0 && constant_string(t, i, next, string) == NULL &&
            !text_is_printed(t, i, next))
            return false;
        next += c.letter != '%';
    }
    return true;
}

// What is printed is read: strings that are no constants are not followed to their ends.
static void check_printing(struct translator *t, const struct instruction *i, const char *name)
{
    static const char *const others[] = {"vprintf", "vfprintf", "openlog", NULL};
    const bool asked = t->question->property == PROPERTY_MEMSAFETY && t->question->deref;
    uint32_t format = 0, string = 0;
    bool followed = !text_is_one_of(name, others), writes = false;
    char text[PRINTING_FORMAT_MOST];
    if (printing_reads(name, &format, &string))
        followed = string != 0 ? constant_string(t, i, string, text) != NULL ||
                                     text_is_printed(t, i, string)
                               : format_is_followed(t, i, format, &writes);
    if (writes)
        lowering_cut_if(t, term_true(t->store), "what `%n` writes is not followed");
    else if (asked && !followed)
        lowering_cut_if(t, term_true(t->store), "a string that is printed is not followed");
}

bool program_is_unsupported(const char *name)
{
    return text_begins_with(name, "pthread_create") || text_begins_with(name, "thrd_create") ||
           strcmp(name, "fork") == 0 || strcmp(name, "signal") == 0 ||
           strcmp(name, "atexit") == 0 || text_begins_with(name, "llvm.va_start") ||
           text_begins_with(name, "__builtin_"); // one that clang lacks
}

// What a stranger's function does with what it can reach is not known: a proof ends here. It may change nothing: a run goes on.
static void may_change_memory(struct translator *t, const char *name)
{
    const bool stranger = !text_begins_with(name, "_") && !real_library_has(name);
    lowering_cut_if(t, stranger ? lowering_choice(t, "changes") : term_true(t->store),
                    "a library function with pointers is not followed");
}

static void unknown_function(struct translator *t, const struct instruction *i, const char *name)
{
    if (program_is_unsupported(name)) {
        lowering_unsupported(t, "the function `%s`", name);
        return;
    }
    static const char *const any[] = {"time",           "clock",          "scanf",
                                      "__isoc99_scanf", "__isoc23_scanf", NULL};
    bool null_only = text_is_one_of(name, any) && i->operand_count == 2 &&
                     i->operands[1].kind == OPERAND_FIXED && i->operands[1].offset == 0;
    bool prints = program_is_printer(name);
    if (program_is_of_verifier(name))
        lowering_cut_if(t, term_true(t->store), VERIFIER_WORDS);
    if (prints)
        check_printing(t, i, name);
    bool scans = strstr(name, "scanf") != NULL &&
                 strstr(name, "sscanf") == NULL; // what it writes is said by the calls before it
    if (takes_pointers(i) && !prints && !null_only && !scans)
        may_change_memory(t, name);
    if (i->type.kind == PROGRAM_POINTER) {
        lowering_cut_if(t, term_true(t->store),
                        "a library function that returns a pointer is not followed");
        lowering_define(t, i, lowering_pointer(t, 0, 0));
        return;
    }
    define_any(t, i, name);
    if (prints && i->type.kind == PROGRAM_INTEGER) // it never fails
        lowering_assume(
            t, term_not(t->store, term_bv_binary(t->store, TERM_BV_SLT, t->value[i->result],
                                                 term_bv(t->store, i->type.bits, 0))));
}

void lowering_call(struct translator *t, const struct instruction *i)
{
    const char *name = flat_callee(t->flat, i);
    bool asked = program_question_names(t->question, name);
    if (*name == '\0')
        lowering_unsupported(t, "a call through this kind of pointer");
    else if (asked)
        lowering_error_if(t, term_true(t->store), program_question_word(t->question));
    else if (text_begins_with(name, "llvm.") && intrinsic(t, i, name))
        return;
    else if (text_begins_with(name, "__regatta_") && own_function(t, i, name))
        return;
    else if (program_is_end(name))
        end_program(t, name);
    else if (verifier_function(t, i, name))
        return;
    else if (objects_is_allocator(name) && objects_has_size(name, i->operand_count))
        lowering_allocate(t, i, name);
    else if (strcmp(name, "free") == 0 && i->operand_count > 1)
        lowering_free(t, &i->operands[1]);
    else if ((strcmp(name, MOVES_CONTENTS) == 0 || strcmp(name, "memcpy") == 0 ||
              strcmp(name, "memmove") == 0) &&
             i->operand_count == 4) {
        const struct term *to = lowering_operand(t, &i->operands[1]);
        lowering_hold(t, &to);
        if (strcmp(name, MOVES_CONTENTS) == 0)
            lowering_copy_to_new(t, &i->operands[1], &i->operands[2], &i->operands[3]);
        else
            lowering_copy(t, &i->operands[1], &i->operands[2], &i->operands[3]);
        lowering_release(t);
        lowering_define(t, i, to);
    } else if (strcmp(name, "memset") == 0 && i->operand_count == 4) {
        const struct term *to = lowering_operand(t, &i->operands[1]);
        lowering_hold(t, &to);
        lowering_fill(t, &i->operands[1], &i->operands[2], &i->operands[3]);
        lowering_release(t);
        lowering_define(t, i, to);
    } else
        unknown_function(t, i, name);
}
