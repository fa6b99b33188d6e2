#include "languages/c/reader/library.h"

#include <assert.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

static bool missing(LLVMModuleRef module, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    return f != NULL && LLVMIsDeclaration(f);
}

bool library_is_scan(const char *name)
{
    static const char *const names[] = {"scanf",           "fscanf",         "__isoc99_scanf",
                                        "__isoc99_fscanf", "__isoc23_scanf", "__isoc23_fscanf"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool scans(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (library_is_scan(LLVMGetValueName2(f, &length)))
            return true;
    }
    return false;
}

static bool has(const char *name)
{
    for (size_t i = 0; library.names[i] != NULL; i++) {
        if (strcmp(library.names[i], name) == 0)
            return true;
    }
    return false;
}

static bool takes_floats(LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f), parameters[8];
    unsigned count = LLVMCountParamTypes(type);
    LLVMTypeKind result = LLVMGetTypeKind(LLVMGetReturnType(type));
    bool floats = count > 8 || result == LLVMFloatTypeKind || result == LLVMDoubleTypeKind;
    if (count <= 8)
        LLVMGetParamTypes(type, parameters);
    for (unsigned i = 0; i < count && !floats; i++) {
        LLVMTypeKind kind = LLVMGetTypeKind(parameters[i]);
        floats = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
    }
    return floats;
}

// Is errno what our functions and the program make it? Others may change it: those of mathematics, those of the system.
static bool follows_errno(LLVMModuleRef module)
{
    static const char *const quiet[] = {"malloc",  "calloc",   "free",        "abort",   "exit",
                                        "memcpy",  "memset",   "memmove",     "printf",  "puts",
                                        "putchar", "assert",   "reach_error", "fprintf", "perror",
                                        "fflush",  "snprintf", "sprintf"};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        bool known = !LLVMIsDeclaration(f) || LLVMGetFirstUse(f) == NULL ||
                     strncmp(name, "llvm.", 5) == 0 || strncmp(name, "__VERIFIER_", 11) == 0 ||
                     strncmp(name, "__assert", 8) == 0 || (has(name) && !takes_floats(f));
        for (size_t i = 0; i < sizeof quiet / sizeof quiet[0] && !known; i++)
            known = strcmp(quiet[i], name) == 0;
        if (!known)
            return false;
    }
    return true;
}

// Is there one of memcpy and its like whose number of bytes is no constant?
static bool moves_any_bytes(LLVMModuleRef module, const char *start)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (strncmp(LLVMGetValueName2(f, &length), start, strlen(start)) != 0)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f); use != NULL; use = LLVMGetNextUse(use)) {
            LLVMValueRef call = LLVMGetUser(use);
            if (LLVMIsACallInst(call) && LLVMIsAConstantInt(LLVMGetOperand(call, 2)) == NULL)
                return true;
        }
    }
    return false;
}

struct wants {
    bool handlers, scans, reads, threads;
};

static bool is_wanted(LLVMModuleRef module, const char *name, const struct wants *wants)
{
    if (strcmp(name, "vprintf") == 0 || strcmp(name, "vfprintf") == 0)
        return wants->reads && missing(module, name);
    if (strcmp(name, "exit") == 0 || strcmp(name, "__regatta_run_handlers") == 0)
        return wants->handlers && (name[0] == '_' || missing(module, name));
    if (strcmp(name, "__regatta_threads") == 0)
        return wants->threads;
    // What the error was called before it was reach_error: it is the same in programs that have no other.
    if (strcmp(name, "__VERIFIER_error") == 0 &&
        LLVMGetNamedFunction(module, "reach_error") != NULL)
        return false;
    if (strncmp(name, "__regatta_scan_", strlen("__regatta_scan_")) == 0)
        return wants->scans;
    if (strcmp(name, "__errno_location") == 0 && !follows_errno(module))
        return false;
    return missing(module, name);
}

static void make_own(LLVMModuleRef code, const char *library_name)
{
    LLVMValueRef f = LLVMGetNamedFunction(code, library_name);
    if (f == NULL)
        return;
    char name[80];
    snprintf(name, sizeof name, "__regatta_%s", library_name);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMSetValueName2(f, name, strlen(name));
}

static void drop_unused(LLVMModuleRef code)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(code), next; f != NULL; f = next) {
            next = LLVMGetNextFunction(f);
            bool own = LLVMGetLinkage(f) == LLVMInternalLinkage || LLVMIsDeclaration(f);
            if (own && LLVMGetFirstUse(f) == NULL) {
                LLVMDeleteFunction(f);
                changed = true;
            }
        }
        for (LLVMValueRef g = LLVMGetFirstGlobal(code), next; g != NULL; g = next) {
            next = LLVMGetNextGlobal(g);
            if (LLVMGetFirstUse(g) == NULL) {
                LLVMDeleteGlobal(g);
                changed = true;
            }
        }
    }
}

// Of memcpy and its like those as loops: functions of the library that the program wants call them as well.
static const char *const byte_loops[][2] = {{"__regatta_copy_bytes", "llvm.memcpy."},
                                            {"__regatta_move_bytes", "llvm.memmove."},
                                            {"__regatta_fill_bytes", "llvm.memset."}};

static bool is_byte_loop(const char *name)
{
    for (size_t i = 0; i < sizeof byte_loops / sizeof byte_loops[0]; i++)
        if (strcmp(name, byte_loops[i][0]) == 0)
            return true;
    return false;
}

// What the program does not ask for becomes the library's own, then what nobody uses goes.
static size_t keep_wanted(LLVMModuleRef code, LLVMModuleRef module, bool reads)
{
    size_t wanted = 0;
    const struct wants wants = {.handlers = missing(module, "atexit"),
                                .scans = scans(module),
                                .reads = reads,
                                .threads = missing(module, "pthread_create")};
    for (size_t i = 0; library.names[i] != NULL; i++) {
        if (is_byte_loop(library.names[i]))
            continue;
        if (is_wanted(module, library.names[i], &wants))
            wanted++;
        else
            make_own(code, library.names[i]);
    }
    drop_unused(code);
    for (size_t i = 0; i < sizeof byte_loops / sizeof byte_loops[0]; i++) {
        const char *start = byte_loops[i][1];
        if (moves_any_bytes(module, start) || moves_any_bytes(code, start))
            wanted++;
        else
            make_own(code, byte_loops[i][0]);
    }
    drop_unused(code);
    return wanted;
}

// Calls of `f` become calls of a function of the library.
static void call_instead(LLVMModuleRef module, LLVMValueRef f, const char *own)
{
    LLVMValueRef to = LLVMGetNamedFunction(module, own);
    if (to == NULL)
        to = LLVMAddFunction(module, own, LLVMGlobalGetValueType(f));
    LLVMReplaceAllUsesWith(f, to);
    assert(LLVMGetFirstUse(f) == NULL);
}

// __builtin_floor and its like are functions of LLVM; the library has them by their own names.
static void name_intrinsics(LLVMModuleRef module)
{
    static const char *const names[][2] = {
        {"llvm.floor.", "floor"}, {"llvm.ceil.", "ceil"},
        {"llvm.trunc.", "trunc"}, {"llvm.round.", "round"},
        {"llvm.rint.", "rint"},   {"llvm.nearbyint.", "rint"},
        {"llvm.sqrt.", "sqrt"},   {"llvm.minnum.", "fmin"},
        {"llvm.maxnum.", "fmax"}, {"llvm.roundeven.", "roundeven"},
        {"llvm.sin.", "sin"},     {"llvm.cos.", "cos"},
        {"llvm.exp.", "exp"},     {"llvm.exp2.", "exp2"},
        {"llvm.log.", "log"},     {"llvm.log2.", "log2"},
        {"llvm.log10.", "log10"}, {"llvm.pow.", "pow"}};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            size_t start = strlen(names[i][0]);
            bool single = strcmp(name + (length > start ? start : length), "f32") == 0;
            bool fits = strncmp(name, names[i][0], start) == 0 &&
                        (single || strcmp(name + start, "f64") == 0);
            if (!fits)
                continue;
            char own[32];
            snprintf(own, sizeof own, "%s%s", names[i][1], single ? "f" : "");
            call_instead(module, f, own);
            break;
        }
    }
}

// llvm.ctlz.i32 is __intrinsic_ctlz_i32 there.
static void name_integer_intrinsics(LLVMModuleRef module)
{
    static const char prefix[] = "llvm.";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (strncmp(name, prefix, sizeof prefix - 1) != 0)
            continue;
        char own[48];
        snprintf(own, sizeof own, "__intrinsic_%s", name + sizeof prefix - 1);
        for (char *c = own; *c != '\0'; c++)
            *c = *c == '.' ? '_' : *c;
        if (has(own))
            call_instead(module, f, own);
    }
}

// Is this number, float or address anything but zero? As an int.
static LLVMValueRef truth(LLVMBuilderRef builder, LLVMValueRef v, LLVMTypeRef whole)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool number = kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind;
    bool real = kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
    if (!number && !real)
        return NULL;
    LLVMValueRef zero = LLVMConstNull(type);
    LLVMValueRef holds = number ? LLVMBuildICmp(builder, LLVMIntNE, v, zero, "")
                                : LLVMBuildFCmp(builder, LLVMRealUNE, v, zero, "");
    return LLVMBuildZExt(builder, holds, whole, "");
}

// A call of `f` becomes one with the condition alone (no argument at all: of nothing).
static void call_condition(LLVMModuleRef module, LLVMValueRef call, const char *name,
                           bool condition)
{
    assert(LLVMIsACallInst(call) != NULL);
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef whole = LLVMInt32TypeInContext(context), none = LLVMVoidTypeInContext(context);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef holds = condition && LLVMGetNumArgOperands(call) > 0
                             ? truth(builder, LLVMGetOperand(call, 0), whole)
                             : NULL;
    if (holds != NULL || !condition) {
        LLVMTypeRef type = LLVMFunctionType(none, &whole, 1, false);
        LLVMValueRef f = LLVMGetNamedFunction(module, name);
        if (holds != NULL)
            LLVMBuildCall2(builder, type, f, &holds, 1, "");
        if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
            LLVMReplaceAllUsesWith(call, LLVMGetUndef(LLVMTypeOf(call)));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(builder);
}

// Assumptions and assertions of verifiers have one condition, however they are declared; what is said to people has no effect.
static void lower_conditions(LLVMModuleRef module)
{
    static const struct {
        const char *name;
        bool condition;
    } rows[] = {{"__CPROVER_assume", true},
                {"__CPROVER_assert", true},
                {"__ESBMC_assume", true},
                {"__ESBMC_assert", true},
                {"__VERIFIER_assert", true},
                {"__CPROVER_precondition", true},
                {"__CPROVER_postcondition", true},
                {"__goblint_assume", true},
                {"__goblint_assert", true},
                {"__goblint_check", true},
                {"__llbmc_assume", true},
                {"__llbmc_assert", true},
                {"sassert", true},
                {"klee_assume", true},
                {"assume", true},
                {"assume_abort_if_not", true},
                {"assert", true},
                {"__CPROVER_input", false},
                {"__CPROVER_output", false},
                {"__CPROVER_cover", false},
                {"__CPROVER_printf", false},
                {"__ESBMC_cover", false},
                {"klee_print_expr", false},
                {"klee_warning", false},
                {"klee_warning_once", false},
                {"klee_prefer_cex", false},
                {"klee_posix_prefer_cex", false},
                {"klee_mark_global", false},
                {"klee_open_merge", false},
                {"klee_close_merge", false},
                {"klee_stack_trace", false},
                {"klee_set_forking", false},
                {"__goblint_globalize", false},
                {"__goblint_split_begin", false},
                {"__goblint_split_end", false},
                {"sea_printf", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        LLVMValueRef f =
            missing(module, rows[i].name) ? LLVMGetNamedFunction(module, rows[i].name) : NULL;
        for (LLVMUseRef use = f == NULL ? NULL : LLVMGetFirstUse(f), next; use != NULL;
             use = next) {
            LLVMValueRef call = LLVMGetUser(use);
            next = LLVMGetNextUse(use);
            if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == f)
                call_condition(module, call, rows[i].name, rows[i].condition);
        }
    }
}

// C11's threads begin as those of POSIX do; what their bodies return is a number (languages/programs/flat_forks.c).
static void lower_thread_begins(LLVMModuleRef module)
{
    enum { C11_ARGUMENTS = 3, ARGUMENTS };
    LLVMValueRef f =
        missing(module, "thrd_create") ? LLVMGetNamedFunction(module, "thrd_create") : NULL;
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef parameters[ARGUMENTS] = {pointer, pointer, pointer, pointer};
    LLVMTypeRef type =
        LLVMFunctionType(LLVMInt32TypeInContext(context), parameters, ARGUMENTS, false);
    for (LLVMUseRef use = f == NULL ? NULL : LLVMGetFirstUse(f), next; use != NULL; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsACallInst(call) == NULL || LLVMGetCalledValue(call) != f ||
            LLVMGetNumArgOperands(call) != C11_ARGUMENTS ||
            LLVMTypeOf(call) != LLVMGetReturnType(type))
            continue;
        LLVMValueRef begin = LLVMGetNamedFunction(module, "pthread_create");
        if (begin == NULL)
            begin = LLVMAddFunction(module, "pthread_create", type);
        LLVMValueRef arguments[ARGUMENTS] = {LLVMGetOperand(call, 0), LLVMConstNull(pointer),
                                             LLVMGetOperand(call, 1), LLVMGetOperand(call, 2)};
        LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, call);
        LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
        LLVMReplaceAllUsesWith(call,
                               LLVMBuildCall2(builder, type, begin, arguments, ARGUMENTS, ""));
        LLVMInstructionEraseFromParent(call);
        LLVMDisposeBuilder(builder);
    }
}

#define MADE "regatta-library" // an attribute of functions

static void mark_made(LLVMModuleRef code)
{
    const LLVMAttributeRef made =
        LLVMCreateStringAttribute(LLVMGetModuleContext(code), MADE, (unsigned)strlen(MADE), "", 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(code); f != NULL; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, made);
}

bool library_has_made(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, MADE,
                                         (unsigned)strlen(MADE)) != NULL;
}

bool library_link(LLVMModuleRef module, const char *path, bool reads)
{
    lower_conditions(module);
    lower_thread_begins(module);
    name_intrinsics(module);
    name_integer_intrinsics(module);
    bool wide = LLVMPointerSize(LLVMGetModuleDataLayout(module)) == 8;
    const struct library_code *own = &library.code[wide];
    LLVMModuleRef code = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)own->bytes, own->count, "library");
    bool good = !LLVMParseBitcodeInContext2(LLVMGetModuleContext(module), buffer, &code);
    if (good && keep_wanted(code, module, reads) > 0) {
        mark_made(code);
        good = !LLVMLinkModules2(module, code);
    }
    if (!good)
        fprintf(stderr, "%s:0:0: error: the functions of the C library cannot be added\n", path);
    return good;
}
