#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

#include "languages/c/reader/lower.h"
#include "languages/programs/printing.h"

// sprintf, snprintf: each part of a constant format becomes a call of a function of the library, which takes the buffer, its
// room, where in it to go on, and gives where to go on behind. What has no such words is left as it is.

#define MOST_LITERAL 256 // characters of a format outside of its conversions

struct target {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef word, pointer, whole, wide; // size_t, char *, int, long long
    LLVMValueRef to, room, at;
    LLVMValueRef call;
    unsigned next; // argument
};

// The bytes of a constant string with its end.
static const char *constant_format(LLVMValueRef v)
{
    LLVMValueRef initial = LLVMIsAGlobalVariable(v) ? LLVMGetInitializer(v) : NULL;
    size_t length;
    if (initial == NULL || !LLVMIsGlobalConstant(v) || !LLVMIsConstantString(initial))
        return NULL;
    const char *text = LLVMGetAsString(initial, &length);
    return memchr(text, '\0', length) != NULL ? text : NULL;
}

static LLVMValueRef number(const struct target *t, int n)
{
    return LLVMConstInt(t->whole, (unsigned long long)(long long)n, true);
}

// name(to, room, at, more…) in the library.
static LLVMValueRef call_library(const struct target *t, const char *name, LLVMTypeRef result,
                                 LLVMValueRef *more, unsigned count)
{
    LLVMValueRef arguments[8] = {t->to, t->room, t->at};
    LLVMTypeRef types[8] = {t->pointer, t->word, t->word};
    for (unsigned i = 0; i < count; i++) {
        arguments[3 + i] = more[i];
        types[3 + i] = LLVMTypeOf(more[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(result, types, 3 + count, false);
    LLVMValueRef f = LLVMGetNamedFunction(t->module, name);
    if (f == NULL)
        f = LLVMAddFunction(t->module, name, type);
    return LLVMBuildCall2(t->builder, type, f, arguments, 3 + count, "");
}

static void put(struct target *t, const char *name, LLVMValueRef *more, unsigned count)
{
    t->at = call_library(t, name, t->word, more, count);
}

static void put_literal(struct target *t, char c)
{
    LLVMValueRef more[] = {number(t, c)};
    put(t, "__regatta_print_char", more, 1);
}

static LLVMValueRef take_argument(struct target *t, LLVMTypeKind kind)
{
    if (t->next >= LLVMGetNumArgOperands(t->call))
        return NULL;
    LLVMValueRef v = LLVMGetOperand(t->call, t->next);
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != kind)
        return NULL;
    t->next++;
    return v;
}

static bool put_integer(struct target *t, const struct conversion *c, LLVMValueRef width,
                        LLVMValueRef precision)
{
    LLVMValueRef v = take_argument(t, LLVMIntegerTypeKind);
    bool sign = c->letter == 'd' || c->letter == 'i';
    uint32_t pointer_bits = 8 * LLVMPointerSize(LLVMGetModuleDataLayout(t->module));
    uint32_t bits = conversion_bits(c, pointer_bits);
    if (v == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(v)) < bits)
        return false;
    LLVMTypeRef narrow = LLVMIntTypeInContext(LLVMGetModuleContext(t->module), bits);
    if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) > bits)
        v = LLVMBuildTrunc(t->builder, v, narrow, "");
    bool plain = c->width == 0 && !c->width_given && c->precision < 0 && !c->precision_given &&
                 !c->plus && !c->space && !c->alternate;
    bool hexadecimal = c->letter == 'x' || c->letter == 'X';
    bool octal = c->letter == 'o';
    LLVMTypeRef type = bits <= 32 && plain && !hexadecimal && !octal ? t->whole : t->wide;
    if (LLVMGetIntTypeWidth(type) > bits)
        v = sign ? LLVMBuildSExt(t->builder, v, type, "") : LLVMBuildZExt(t->builder, v, type, "");
    int flags =
        (c->left ? 1 : 0) + (c->zero ? 2 : 0) + (c->alternate ? 4 : 0) + (c->letter == 'X' ? 8 : 0);
    if (plain && !octal) {
        LLVMValueRef more[] = {v, number(t, c->letter == 'X' ? 'A' : 'a')};
        put(t,
            hexadecimal        ? "__regatta_print_hexadecimal"
            : type == t->whole ? (sign ? "__regatta_print_int" : "__regatta_print_unsigned")
            : sign             ? "__regatta_print_long"
                               : "__regatta_print_unsigned_long",
            more, hexadecimal ? 2 : 1);
    } else if (sign) {
        LLVMValueRef more[] = {v,
                               number(t, c->plus    ? '+'
                                         : c->space ? ' '
                                                    : 0),
                               number(t, flags), width, precision};
        put(t, "__regatta_print_signed", more, 5);
    } else {
        LLVMValueRef more[] = {v,
                               number(t, c->letter == 'o' ? 8
                                         : hexadecimal    ? 16
                                                          : 10),
                               number(t, flags), width, precision};
        put(t, "__regatta_print_number", more, 5);
    }
    return true;
}

// Some text of at most so many characters.
static bool put_something(struct target *t, const struct conversion *c, int most)
{
    int width = c->width < most ? most : c->width;
    LLVMValueRef more[] = {number(t, width + (c->precision > 0 ? c->precision : 0))};
    if (c->width_given || c->precision_given)
        return false;
    put(t, "__regatta_print_something", more, 1);
    return true;
}

// A constant is printed here; of others nothing is known but that there is some text.
static bool put_float(struct target *t, const struct conversion *c, const char *words,
                      size_t word_count)
{
    LLVMValueRef v = take_argument(t, LLVMDoubleTypeKind);
    char format[32], text[MOST_LITERAL];
    LLVMBool loses;
    if (c->size == 'D' && v == NULL)
        v = take_argument(t, LLVMX86_FP80TypeKind);
    if (v == NULL)
        return false;
    bool known = LLVMIsAConstantFP(v) && c->size != 'D' && !c->width_given && !c->precision_given &&
                 word_count + 2 < sizeof format;
    if (known) {
        snprintf(format, sizeof format, "%%%.*s", (int)word_count, words);
        int length = snprintf(text, sizeof text, format, LLVMConstRealGetDouble(v, &loses));
        known = length >= 0 && length < (int)sizeof text;
        for (int i = 0; known && i < length; i++)
            put_literal(t, text[i]);
    }
    // -1.797…e+308, an exponent or a hexadecimal significand apart.
    bool whole = c->letter == 'f' || c->letter == 'F';
    return known || put_something(t, c, c->size == 'D' ? 5000 : whole ? 320 : 40);
}

static bool put_conversion(struct target *t, const struct conversion *c, const char *words,
                           size_t word_count)
{
    LLVMValueRef width = number(t, c->left ? -c->width : c->width);
    LLVMValueRef precision = number(t, c->precision);
    if (c->letter == '%') {
        put_literal(t, '%');
        return true;
    }
    if (c->width_given && (width = take_argument(t, LLVMIntegerTypeKind)) == NULL)
        return false;
    if (c->precision_given && (precision = take_argument(t, LLVMIntegerTypeKind)) == NULL)
        return false;
    if (LLVMTypeOf(width) != t->whole || LLVMTypeOf(precision) != t->whole)
        return false;
    if (c->width_given && c->left)
        return false; // rare
    if (strchr("diouxX", c->letter) != NULL)
        return put_integer(t, c, width, precision);
    if (strchr("fFeEgGaA", c->letter) != NULL)
        return put_float(t, c, words, word_count);
    if (c->size != 0)
        return false;
    if (c->letter == 's') {
        LLVMValueRef more[] = {take_argument(t, LLVMPointerTypeKind), width, precision};
        if (more[0] != NULL)
            put(t, "__regatta_print_text", more, 3);
        return more[0] != NULL;
    }
    if (c->letter == 'c') {
        LLVMValueRef more[] = {take_argument(t, LLVMIntegerTypeKind), width};
        if (more[0] == NULL || LLVMTypeOf(more[0]) != t->whole)
            return false;
        bool padded = c->width_given || c->width != 0;
        put(t, padded ? "__regatta_print_padded" : "__regatta_print_char", more, padded ? 2 : 1);
        return true;
    }
    return c->letter == 'p' && take_argument(t, LLVMPointerTypeKind) != NULL &&
           put_something(t, c, 18);
}

static bool put_format(struct target *t, const char *format)
{
    size_t literal = 0;
    for (const char *at = format; *at != '\0';) {
        struct conversion c;
        if (*at != '%') {
            if (++literal > MOST_LITERAL)
                return false;
            put_literal(t, *at++);
            continue;
        }
        const char *words = at + 1;
        at = conversion_read(words, &c);
        if (at == NULL || c.width > 1000 || c.precision > 1000 ||
            !put_conversion(t, &c, words, (size_t)(at - words)))
            return false;
    }
    return true;
}

// Where a function of this kind has its room and its format; the buffer is the first argument. False: it is none.
static bool is_printer(const char *name, unsigned *room, unsigned *format)
{
    static const struct {
        const char *name;
        unsigned room, format; // room 0: none is given
    } rows[] = {
        {"sprintf", 0, 1}, {"snprintf", 1, 2}, {"__sprintf_chk", 0, 3}, {"__snprintf_chk", 1, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        *room = rows[i].room;
        *format = rows[i].format;
        if (strcmp(name, rows[i].name) == 0)
            return true;
    }
    return false;
}

// The calls are made before the old one, which goes when all could be said.
static bool lower_call(LLVMModuleRef module, LLVMValueRef call, unsigned room, unsigned format)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    unsigned count = LLVMGetNumArgOperands(call);
    const char *text = count > format ? constant_format(LLVMGetOperand(call, format)) : NULL;
    struct target t = {.module = module, .call = call, .next = format + 1};
    t.word = LLVMIntPtrTypeInContext(context, LLVMGetModuleDataLayout(module));
    t.whole = LLVMInt32TypeInContext(context);
    t.wide = LLVMInt64TypeInContext(context);
    t.pointer = LLVMPointerTypeInContext(context, 0);
    if (text == NULL || LLVMTypeOf(LLVMGetOperand(call, 0)) != t.pointer ||
        LLVMTypeOf(call) != t.whole ||
        (room > 0 && LLVMTypeOf(LLVMGetOperand(call, room)) != t.word))
        return false;
    t.to = LLVMGetOperand(call, 0);
    t.room = room > 0 ? LLVMGetOperand(call, room) : LLVMConstAllOnes(t.word);
    t.at = LLVMConstInt(t.word, 0, false);
    t.builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(t.builder, call);
    LLVMSetCurrentDebugLocation2(t.builder, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef before = LLVMGetPreviousInstruction(call);
    bool good = put_format(&t, text);
    if (good) {
        LLVMReplaceAllUsesWith(call, call_library(&t, "__regatta_print_end", t.whole, NULL, 0));
        LLVMInstructionEraseFromParent(call);
    }
    while (!good) {
        LLVMValueRef made = LLVMGetPreviousInstruction(call);
        if (made == before)
            break;
        LLVMInstructionEraseFromParent(made);
    }
    LLVMDisposeBuilder(t.builder);
    return good;
}

static void lower_printer(LLVMModuleRef module, LLVMValueRef f, unsigned room, unsigned format)
{
    for (LLVMUseRef use = LLVMGetFirstUse(f), next; use != NULL; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsACallInst(user) != NULL && LLVMGetCalledValue(user) == f)
            lower_call(module, user, room, format);
    }
}

void lower_printing(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f != NULL; f = next) {
        size_t length;
        unsigned room, format;
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) && is_printer(LLVMGetValueName2(f, &length), &room, &format))
            lower_printer(module, f, room, format);
    }
}
