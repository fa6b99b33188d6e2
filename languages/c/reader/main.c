#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "languages/c/reader/library.h"
#include "languages/c/reader/lower.h"
#include "languages/c/reader/reader.h"

// regatta-c [--lp64] [--overflow] [--reads] [--memory] [--clang ARGUMENT]... [--with FILE]... FILE
// Exit code 0: the program view is on standard output; 1: messages are on standard error.

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void fatal(const char *reason)
{
    fprintf(stderr, "LLVM gave up: %s\n", reason);
    fflush(stderr);
    _exit(1);
}

static LLVMModuleRef read_module(const struct reader_options *options, LLVMContextRef context)
{
    struct reader_bytes bytes;
    bool source = !ends_with(options->path, ".bc") && !ends_with(options->path, ".ll");
    if (!(source ? reader_compile(options, &bytes) : reader_load(options->path, &bytes)))
        return NULL;
    LLVMModuleRef module = NULL;
    char *why = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.data, bytes.count, options->path);
    if (LLVMParseIRInContext(context, buffer, &module, &why)) {
        fprintf(stderr, "%s:0:0: error: %s\n", options->path, why);
        return NULL;
    }
    if (!source && LLVMVerifyModule(module, LLVMReturnStatusAction, &why)) {
        fprintf(stderr, "%s:0:0: error: LLVM refuses the module: %s\n", options->path, why);
        return NULL;
    }
    lower_inline_functions(module);
    if (source && options->memory) {
        LLVMSetIsNewDbgInfoFormat(module, 0);
        lower_block_scopes(module);
    }
    return module;
}

// The first file and those to be linked with it.
static LLVMModuleRef read_modules(const struct reader_options *options, const char *const *with)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = read_module(options, context);
    for (size_t i = 0; module != NULL && with[i] != NULL; i++) {
        struct reader_options further = *options;
        further.path = with[i];
        further.further = true;
        LLVMModuleRef other = read_module(&further, context);
        if (other == NULL)
            return NULL;
        if (LLVMLinkModules2(module, other)) {
            fprintf(stderr, "%s:0:0: error: the file cannot be linked with %s\n", with[i],
                    options->path);
            return NULL;
        }
    }
    if (module == NULL)
        return NULL;
    LLVMSetIsNewDbgInfoFormat(module, 0);
    lower_computed_jumps(module);
    lower_constrained_floats(module);
    lower_unknown_sizes(module);
    lower_printing(module);
    lower_arguments(module);
    if (options->overflow)
        lower_vector_overflow(module);
    if (options->memory)
        lower_dynamic_scopes(module);
    (void)lower_functions_around_main(module); // what is left is said where main begins
    if (!library_link(module, options->path, options->reads))
        return NULL;
    lower_thread_locals(module);
    lower_weak_names(module);
    lower_rounding(module);
    return module;
}

static bool read_options(int count, char **words, struct reader_options *out, const char **further,
                         const char **with)
{
    size_t further_count = 0, with_count = 0;
    *out = (struct reader_options){.language = "-std=gnu17", .clang_arguments = further};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--lp64") == 0)
            out->wide = true;
        else if (strcmp(words[i], "--overflow") == 0)
            out->overflow = true;
        else if (strcmp(words[i], "--reads") == 0)
            out->reads = true;
        else if (strcmp(words[i], "--memory") == 0)
            out->memory = true;
        else if (strcmp(words[i], "--clang") == 0 && i + 1 < count)
            further[further_count++] = words[++i];
        else if (strcmp(words[i], "--with") == 0 && i + 1 < count)
            with[with_count++] = words[++i];
        else if (words[i][0] != '-' && out->path == NULL)
            out->path = words[i];
        else
            return false;
    }
    further[further_count] = NULL;
    with[with_count] = NULL;
    return out->path != NULL;
}

int main(int count, char **words)
{
    struct reader_options options;
    const char **further = calloc((size_t)count + 1, sizeof *further);
    const char **with = calloc((size_t)count + 1, sizeof *with);
    if (further == NULL || with == NULL || !read_options(count, words, &options, further, with)) {
        fprintf(stderr, "usage: regatta-c [--lp64] [--overflow] [--reads] [--memory] "
                        "[--clang ARGUMENT]... [--with FILE]... FILE\n");
        return 2;
    }
    reader_limit();
    LLVMInstallFatalErrorHandler(fatal);
    LLVMModuleRef module = read_modules(&options, with);
    if (module == NULL)
        return 1;
    reader_print_module(stdout, module, options.path);
    bool good = fflush(stdout) == 0;
    _exit(good ? 0 : 1); // taking LLVM down takes longer than all else
}
