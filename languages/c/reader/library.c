#include "languages/c/reader/library.h"

#include <llvm-c/BitReader.h>
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
    static const char *const quiet[] = {"malloc",  "calloc", "free",        "abort",  "exit",
                                        "memcpy",  "memset", "memmove",     "printf", "puts",
                                        "putchar", "assert", "reach_error", "fprintf"};
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

static bool is_wanted(LLVMModuleRef module, const char *name, bool has_handlers, bool has_scans)
{
    if (strcmp(name, "exit") == 0 || strcmp(name, "__regatta_run_handlers") == 0)
        return has_handlers && (name[0] == '_' || missing(module, name));
    if (strncmp(name, "__regatta_scan_", strlen("__regatta_scan_")) == 0)
        return has_scans;
    if (strcmp(name, "__errno_location") == 0 && !follows_errno(module))
        return false;
    return missing(module, name);
}

// What the program does not ask for becomes the library's own, then what nobody uses goes.
static size_t keep_wanted(LLVMModuleRef code, LLVMModuleRef module)
{
    size_t wanted = 0;
    bool has_handlers = missing(module, "atexit"), has_scans = scans(module);
    for (size_t i = 0; library.names[i] != NULL; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(code, library.names[i]);
        bool keep = is_wanted(module, library.names[i], has_handlers, has_scans);
        wanted += keep;
        if (keep || f == NULL)
            continue;
        char name[80];
        snprintf(name, sizeof name, "__regatta_%s", library.names[i]);
        LLVMSetLinkage(f, LLVMInternalLinkage);
        LLVMSetValueName2(f, name, strlen(name));
    }
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
    return wanted;
}

// Calls of `f` become calls of a function of the library.
static void call_instead(LLVMModuleRef module, LLVMValueRef f, const char *own)
{
    LLVMValueRef to = LLVMGetNamedFunction(module, own);
    if (to == NULL)
        to = LLVMAddFunction(module, own, LLVMGlobalGetValueType(f));
    LLVMReplaceAllUsesWith(f, to);
}

// __builtin_floor and its like are functions of LLVM; the library has them by their own names.
static void name_intrinsics(LLVMModuleRef module)
{
    static const char *const names[][2] = {
        {"llvm.floor.", "floor"},        {"llvm.ceil.", "ceil"},   {"llvm.trunc.", "trunc"},
        {"llvm.round.", "round"},        {"llvm.rint.", "rint"},   {"llvm.nearbyint.", "rint"},
        {"llvm.sqrt.", "sqrt"},          {"llvm.minnum.", "fmin"}, {"llvm.maxnum.", "fmax"},
        {"llvm.roundeven.", "roundeven"}};
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

bool library_link(LLVMModuleRef module, const char *path)
{
    name_intrinsics(module);
    name_integer_intrinsics(module);
    bool wide = LLVMPointerSize(LLVMGetModuleDataLayout(module)) == 8;
    const struct library_code *own = &library.code[wide];
    LLVMModuleRef code = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)own->bytes, own->count, "library");
    bool good = !LLVMParseBitcodeInContext2(LLVMGetModuleContext(module), buffer, &code);
    if (good && keep_wanted(code, module) > 0)
        good = !LLVMLinkModules2(module, code);
    if (!good)
        fprintf(stderr, "%s:0:0: error: the functions of the C library cannot be added\n", path);
    return good;
}
