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
    static const char *const names[] = {"scanf",          "fscanf",          "sscanf",
                                        "__isoc99_scanf", "__isoc99_fscanf", "__isoc99_sscanf"};
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

static bool is_wanted(LLVMModuleRef module, const char *name, bool has_handlers, bool has_scans)
{
    if (strcmp(name, "exit") == 0 || strcmp(name, "__regatta_run_handlers") == 0)
        return has_handlers && (name[0] == '_' || missing(module, name));
    if (strncmp(name, "__regatta_scan_", strlen("__regatta_scan_")) == 0)
        return has_scans;
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

bool library_link(LLVMModuleRef module, const char *path)
{
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
