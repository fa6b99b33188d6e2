#include "languages/c/reader/lower.h"

#include "languages/programs/program.h"

#include <assert.h>
#include <dlfcn.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Computed jumps.

// Nothing else has these addresses: the first page is nobody's.
enum { FIRST_LABEL = 16, MOST_LABELS = 4000 };

static LLVMTypeRef word_type(LLVMModuleRef module)
{
    return LLVMIntPtrTypeInContext(LLVMGetModuleContext(module), LLVMGetModuleDataLayout(module));
}

// The same label has the same number wherever it is jumped to.
static LLVMValueRef label_number(LLVMModuleRef module, LLVMBasicBlockRef label)
{
    unsigned number = FIRST_LABEL;
    LLVMValueRef function = LLVMGetBasicBlockParent(label);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != label;
         b = LLVMGetNextBasicBlock(b))
        number++;
    assert(number < FIRST_LABEL + MOST_LABELS);
    return LLVMConstInt(word_type(module), number, false);
}

static void jump_by_number(LLVMModuleRef module, LLVMValueRef jump)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(jump));
    unsigned count = LLVMGetNumSuccessors(jump);
    LLVMBasicBlockRef elsewhere =
        LLVMAppendBasicBlockInContext(LLVMGetModuleContext(module), function, "");
    LLVMPositionBuilderAtEnd(builder, elsewhere);
    LLVMInstructionSetDebugLoc(LLVMBuildUnreachable(builder), LLVMInstructionGetDebugLoc(jump));
    LLVMPositionBuilderBefore(builder, jump);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(jump));
    LLVMValueRef number =
        LLVMBuildPtrToInt(builder, LLVMGetOperand(jump, 0), word_type(module), "");
    LLVMValueRef choice = LLVMBuildSwitch(builder, number, elsewhere, count);
    for (unsigned i = 0; i < count; i++) {
        LLVMBasicBlockRef label = LLVMGetSuccessor(jump, i);
        bool before = false; // a label may be in the list twice
        for (unsigned k = 0; k < i; k++)
            before = before || LLVMGetSuccessor(jump, k) == label;
        if (!before)
            LLVMAddCase(choice, label_number(module, label), label);
    }
    LLVMInstructionEraseFromParent(jump);
    LLVMDisposeBuilder(builder);
}

static void number_labels(LLVMModuleRef module, LLVMValueRef jump)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(jump));
    LLVMTypeRef pointer = LLVMTypeOf(LLVMGetOperand(jump, 0));
    for (unsigned i = 0; i < LLVMGetNumSuccessors(jump); i++) {
        LLVMBasicBlockRef label = LLVMGetSuccessor(jump, i);
        LLVMValueRef address = LLVMBlockAddress(function, label);
        LLVMValueRef number = label_number(module, label);
        LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(module));
        LLVMReplaceAllUsesWith(address, LLVMConstGEP2(byte, LLVMConstNull(pointer), &number, 1));
    }
}

static LLVMValueRef computed_jump(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
        if (last != NULL && LLVMGetInstructionOpcode(last) == LLVMIndirectBr)
            return last;
    }
    return NULL;
}

// The labels whose addresses are taken where nothing jumps to them: numbers, too.
static void number_lone_labels(LLVMModuleRef module, LLVMValueRef f)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(module));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef address = NULL;
        for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));
             use != NULL && address == NULL; use = LLVMGetNextUse(use))
            address = LLVMIsABlockAddress(LLVMGetUser(use));
        if (address == NULL || LLVMGetFirstUse(address) == NULL)
            continue;
        LLVMValueRef none = LLVMConstNull(LLVMTypeOf(address)), number = label_number(module, b);
        LLVMReplaceAllUsesWith(address, LLVMConstGEP2(byte, none, &number, 1));
    }
}

void lower_computed_jumps(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMCountBasicBlocks(f) > MOST_LABELS)
            continue;
        for (LLVMValueRef jump; (jump = computed_jump(f)) != NULL;) {
            number_labels(module, jump);
            jump_by_number(module, jump);
        }
        number_lone_labels(module, f);
    }
}

// Functions around main.

struct around {
    LLVMValueRef function;
    unsigned long long priority;
};

enum { MOST_AROUND = 64 };

// Elements of llvm.global_ctors and llvm.global_dtors are (priority, function, data). False when they are not like that.
static bool read_list(LLVMModuleRef module, const char *name, struct around *out, unsigned *count)
{
    LLVMValueRef list = LLVMGetNamedGlobal(module, name);
    *count = 0;
    if (list == NULL)
        return true;
    LLVMValueRef all = LLVMGetInitializer(list);
    unsigned long long length = all == NULL ? 0 : LLVMGetArrayLength2(LLVMTypeOf(all));
    if (all == NULL || length > MOST_AROUND)
        return false;
    for (unsigned i = 0; i < length; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(all, i);
        LLVMValueRef priority = LLVMGetAggregateElement(element, 0);
        LLVMValueRef function = LLVMGetAggregateElement(element, 1);
        if (LLVMIsAConstantInt(priority) == NULL || LLVMIsAFunction(function) == NULL ||
            LLVMCountParams(function) > 0)
            return false;
        out[i] = (struct around){function, LLVMConstIntGetZExtValue(priority)};
    }
    *count = (unsigned)length;
    return true;
}

// Smaller priorities first; those of one priority in the order of the list.
static void sort_list(struct around *list, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        for (unsigned k = i; k > 0 && list[k].priority < list[k - 1].priority; k--) {
            struct around other = list[k];
            list[k] = list[k - 1];
            list[k - 1] = other;
        }
    }
}

static void call_before(LLVMModuleRef module, LLVMValueRef at, LLVMValueRef function,
                        LLVMMetadataRef location)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMPositionBuilderBefore(builder, at);
    LLVMValueRef call =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, NULL, 0, "");
    LLVMInstructionSetDebugLoc(call, location);
    LLVMDisposeBuilder(builder);
}

// Calls at the very beginning have the place of main's first statement.
static LLVMMetadataRef first_location(LLVMValueRef function)
{
    LLVMMetadataRef found = NULL;
    LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function);
    for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL && found == NULL;
         v = LLVMGetNextInstruction(v))
        found = LLVMInstructionGetDebugLoc(v);
    return found;
}

// Addresses of labels are of a function, too, and no use of it.
static bool function_is_used(LLVMValueRef f)
{
    for (LLVMUseRef use = LLVMGetFirstUse(f); use != NULL; use = LLVMGetNextUse(use)) {
        if (LLVMIsABlockAddress(LLVMGetUser(use)) == NULL)
            return true;
    }
    return false;
}

static bool is_used(LLVMModuleRef module, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    return f != NULL && function_is_used(f);
}

// main must be the only way out, and be entered once.
static bool ends_with_main(LLVMModuleRef module)
{
    static const char *const others[] = {
        "exit",  "atexit", "at_quick_exit", "quick_exit",   "on_exit",
        "_exit", "_Exit",  "pthread_exit",  "__cxa_atexit", "err",
        "errx",  "error",  "longjmp",       "thrd_exit"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (is_used(module, others[i]))
            return false;
    return true;
}

bool lower_functions_around_main(LLVMModuleRef module)
{
    struct around first[MOST_AROUND], last[MOST_AROUND];
    unsigned first_count, last_count;
    LLVMValueRef start = LLVMGetNamedFunction(module, "main");
    if (!read_list(module, "llvm.global_ctors", first, &first_count) ||
        !read_list(module, "llvm.global_dtors", last, &last_count))
        return false;
    if (first_count + last_count == 0 || start == NULL || LLVMIsDeclaration(start))
        return first_count + last_count == 0;
    if (is_used(module, "main") || (last_count > 0 && !ends_with_main(module)))
        return false;
    sort_list(first, first_count);
    sort_list(last, last_count);
    assert(first_count <= MOST_AROUND && last_count <= MOST_AROUND);
    LLVMMetadataRef location = first_location(start);
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(start));
    for (unsigned i = 0; i < first_count; i++)
        call_before(module, at, first[i].function, location);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(start); b != NULL && last_count > 0;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (end == NULL || LLVMGetInstructionOpcode(end) != LLVMRet)
            continue;
        for (unsigned i = last_count; i-- > 0;) // the other way round
            call_before(module, end, last[i].function, LLVMInstructionGetDebugLoc(end));
    }
    static const char *const names[] = {"llvm.global_ctors", "llvm.global_dtors"};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(module, names[i]);
        if (list != NULL)
            LLVMDeleteGlobal(list);
    }
    return true;
}

// Blocks of variable size end with their scope: what was made since the stack was saved dies where it is restored.

struct seen {
    LLVMBasicBlockRef *blocks;
    unsigned count;
};

static bool was_seen(const struct seen *seen, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < seen->count; i++) {
        if (seen->blocks[i] == block)
            return true;
    }
    return false;
}

// All blocks that are reached from there without passing `wall`, into `out` (with room for all of the function).
static void reach(LLVMBasicBlockRef from, LLVMBasicBlockRef wall, struct seen *out)
{
    out->count = 0;
    if (from != wall)
        out->blocks[out->count++] = from;
    for (unsigned at = 0; at < out->count; at++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(out->blocks[at]);
        unsigned next = last == NULL ? 0 : LLVMGetNumSuccessors(last);
        for (unsigned i = 0; i < next; i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(last, i);
            if (to != wall && !was_seen(out, to))
                out->blocks[out->count++] = to;
        }
    }
}

// Of two instructions of one block.
static bool is_before(LLVMValueRef a, LLVMValueRef b)
{
    while (a != NULL && a != b)
        a = LLVMGetNextInstruction(a);
    return a == b;
}

static bool is_call_of(LLVMValueRef v, const char *start)
{
    size_t length;
    LLVMValueRef f = LLVMIsACallInst(v) == NULL ? NULL : LLVMGetCalledValue(v);
    return f != NULL && LLVMIsAFunction(f) &&
           strncmp(LLVMGetValueName2(f, &length), start, strlen(start)) == 0;
}

// Where the stack was saved that is restored here: clang keeps it in a slot of its own.
static LLVMValueRef saved_by(LLVMValueRef restore)
{
    LLVMValueRef load = LLVMGetOperand(restore, 0), found = NULL;
    LLVMValueRef slot = LLVMIsALoadInst(load) == NULL ? NULL : LLVMGetOperand(load, 0);
    if (slot == NULL || LLVMIsAAllocaInst(slot) == NULL)
        return NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef store = LLVMGetUser(use);
        if (LLVMIsAStoreInst(store) == NULL)
            continue;
        if (found != NULL || !is_call_of(LLVMGetOperand(store, 0), "llvm.stacksave"))
            return NULL;
        found = LLVMGetOperand(store, 0);
    }
    return found;
}

// Made behind every `save`, and alive at `restore` without another one in between.
static bool dies(LLVMValueRef slot, LLVMValueRef save, LLVMValueRef restore, struct seen *seen)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(slot), wall = LLVMGetInstructionParent(save),
                      last = LLVMGetInstructionParent(restore);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
    reach(entry, wall, seen);
    if (block == wall ? !is_before(save, slot) : was_seen(seen, block))
        return false;
    if (block == last && is_before(slot, restore))
        return true;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        reach(LLVMGetSuccessor(end, i), wall, seen);
        if (was_seen(seen, last) || (last == wall && is_before(restore, save)))
            return true;
    }
    return false;
}

static void end_lifetime(LLVMModuleRef module, LLVMValueRef at, LLVMValueRef slot)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef types[] = {LLVMInt64TypeInContext(context), LLVMTypeOf(slot)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), types, 2, false);
    LLVMValueRef f = LLVMGetNamedFunction(module, "llvm.lifetime.end.p0");
    LLVMValueRef arguments[] = {LLVMConstAllOnes(types[0]), slot};
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    if (f == NULL)
        f = LLVMAddFunction(module, "llvm.lifetime.end.p0", type);
    LLVMPositionBuilderBefore(builder, at);
    LLVMInstructionSetDebugLoc(LLVMBuildCall2(builder, type, f, arguments, 2, ""),
                               LLVMInstructionGetDebugLoc(at));
    LLVMDisposeBuilder(builder);
}

static void end_scope(LLVMModuleRef module, LLVMValueRef restore, struct seen *seen)
{
    LLVMValueRef save = saved_by(restore);
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(restore));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    for (LLVMBasicBlockRef b = entry; b != NULL && save != NULL; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL;
             v = LLVMGetNextInstruction(v)) {
            bool dynamic = LLVMIsAAllocaInst(v) != NULL &&
                           (b != entry || LLVMIsAConstantInt(LLVMGetOperand(v, 0)) == NULL);
            if (dynamic && dies(v, save, restore, seen))
                end_lifetime(module, restore, v);
        }
    }
}

void lower_dynamic_scopes(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        struct seen seen = {NULL, 0};
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL;
                 v = LLVMGetNextInstruction(v)) {
                if (!is_call_of(v, "llvm.stackrestore"))
                    continue;
                if (seen.blocks == NULL)
                    seen.blocks = calloc(LLVMCountBasicBlocks(f) + 1, sizeof(LLVMBasicBlockRef));
                if (seen.blocks != NULL)
                    end_scope(module, v, &seen);
            }
        }
        free(seen.blocks);
    }
}

// What main is given.

// At -O0 each parameter is stored into a variable: does anybody read it?
static bool is_read(LLVMValueRef parameter)
{
    for (LLVMUseRef use = LLVMGetFirstUse(parameter); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef store = LLVMGetUser(use);
        LLVMValueRef slot = LLVMIsAStoreInst(store) != NULL ? LLVMGetOperand(store, 1) : NULL;
        if (slot == NULL || LLVMIsAAllocaInst(slot) == NULL)
            return true;
        for (LLVMUseRef other = LLVMGetFirstUse(slot); other != NULL;
             other = LLVMGetNextUse(other)) {
            if (LLVMGetUser(other) != store)
                return true;
        }
    }
    return false;
}

// A call at the beginning of main of this function, which takes `argument` (NULL: nothing).
static LLVMValueRef give(LLVMModuleRef module, LLVMValueRef start, LLVMBuilderRef builder,
                         const char *name, LLVMTypeRef result, LLVMValueRef argument)
{
    LLVMTypeRef taken = argument == NULL ? NULL : LLVMTypeOf(argument);
    LLVMTypeRef type = LLVMFunctionType(result, &taken, argument != NULL, false);
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (f == NULL)
        f = LLVMAddFunction(module, name, type);
    LLVMValueRef call = LLVMBuildCall2(builder, type, f, &argument, argument != NULL, "");
    LLVMInstructionSetDebugLoc(call, first_location(start));
    return call;
}

void lower_arguments(LLVMModuleRef module)
{
    LLVMValueRef start = LLVMGetNamedFunction(module, "main");
    LLVMTypeRef whole = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    if (start == NULL || LLVMIsDeclaration(start) || LLVMCountParams(start) == 0 ||
        function_is_used(start)) // called by the program, too
        return;
    if (LLVMTypeOf(LLVMGetParam(start, 0)) != whole ||
        LLVMGetNamedFunction(module, "__regatta_argument_count") != NULL)
        return;
    LLVMValueRef given[3] = {NULL, NULL, NULL};
    bool read[3] = {false, false, false};
    for (unsigned k = 0; k < 3 && k < LLVMCountParams(start); k++) {
        given[k] = LLVMGetParam(start, k);
        bool fits = k == 0 || LLVMGetTypeKind(LLVMTypeOf(given[k])) == LLVMPointerTypeKind;
        read[k] = fits && is_read(given[k]);
    }
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(start)));
    LLVMValueRef count = NULL, call;
    if (read[0] || read[1])
        count = give(module, start, builder, "__regatta_argument_count", whole, NULL);
    if (read[0] && !read[1]) // a test of a run gives so many
        (void)give(module, start, builder, "__regatta_given",
                   LLVMVoidTypeInContext(LLVMGetModuleContext(module)), count);
    if (read[0])
        LLVMReplaceAllUsesWith(given[0], count);
    for (unsigned k = 1; k < 3; k++) {
        if (!read[k])
            continue;
        if (k == 2)
            count = give(module, start, builder, "__regatta_environment_count", whole, NULL);
        call =
            give(module, start, builder, k == 1 ? "__regatta_arguments" : "__regatta_environment",
                 LLVMTypeOf(given[k]), count);
        LLVMReplaceAllUsesWith(given[k], call);
    }
    LLVMDisposeBuilder(builder);
}

// Operations on floats under FENV_ACCESS: functions whose last arguments are metadata.

static const char constrained[] = "llvm.experimental.constrained.";

// By LLVM's numbers, from "never" on.
static LLVMRealPredicate predicate_of(LLVMValueRef text)
{
    static const char *const names[] = {"",    "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                        "uno", "ueq", "ugt", "uge", "ult", "ule", "une"};
    unsigned length = 0;
    const char *name = LLVMGetMDString(text, &length);
    for (unsigned k = 1; name != NULL && k < sizeof names / sizeof names[0]; k++) {
        if (length == 3 && memcmp(name, names[k], 3) == 0)
            return (LLVMRealPredicate)k;
    }
    return LLVMRealPredicateFalse;
}

// An intrinsic of the same name without the metadata.
static LLVMValueRef build_plain_call(LLVMBuilderRef builder, LLVMModuleRef module,
                                     LLVMValueRef call, const char *rest)
{
    enum { MOST = 4 };
    LLVMTypeRef types[MOST];
    LLVMValueRef arguments[MOST];
    unsigned count = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call) && count < MOST; k++) {
        LLVMValueRef argument = LLVMGetOperand(call, k);
        if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMMetadataTypeKind)
            continue;
        types[count] = LLVMTypeOf(argument);
        arguments[count++] = argument;
    }
    char name[80];
    snprintf(name, sizeof name, "llvm.%s", rest);
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(call), types, count, false);
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (f == NULL)
        f = LLVMAddFunction(module, name, type);
    return LLVMBuildCall2(builder, type, f, arguments, count, "");
}

static LLVMValueRef build_unconstrained(LLVMBuilderRef builder, LLVMModuleRef module,
                                        LLVMValueRef call, const char *rest)
{
    static const struct {
        const char *name;
        LLVMOpcode op;
    } operations[] = {{"fadd.", LLVMFAdd},     {"fsub.", LLVMFSub},     {"fmul.", LLVMFMul},
                      {"fdiv.", LLVMFDiv},     {"frem.", LLVMFRem},     {"fptrunc.", LLVMFPTrunc},
                      {"fpext.", LLVMFPExt},   {"sitofp.", LLVMSIToFP}, {"uitofp.", LLVMUIToFP},
                      {"fptosi.", LLVMFPToSI}, {"fptoui.", LLVMFPToUI}};
    LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
    if (strncmp(rest, "fcmp", 4) == 0)
        return LLVMBuildFCmp(builder, predicate_of(LLVMGetOperand(call, 2)), a, b, "");
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
        if (strncmp(rest, operations[k].name, strlen(operations[k].name)) != 0)
            continue;
        return LLVMTypeOf(a) == LLVMTypeOf(b)
                   ? LLVMBuildBinOp(builder, operations[k].op, a, b, "")
                   : LLVMBuildCast(builder, operations[k].op, a, LLVMTypeOf(call), "");
    }
    return build_plain_call(builder, module, call, rest);
}

void lower_constrained_floats(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (strncmp(name, constrained, sizeof constrained - 1) != 0)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f), next; use != NULL; use = next) {
            LLVMValueRef call = LLVMGetUser(use);
            next = LLVMGetNextUse(use);
            LLVMPositionBuilderBefore(builder, call);
            LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
            LLVMReplaceAllUsesWith(
                call, build_unconstrained(builder, module, call, name + sizeof constrained - 1));
            LLVMInstructionEraseFromParent(call);
        }
    }
    LLVMDisposeBuilder(builder);
}

// Rounding.

static bool rounds(LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv ||
           op == LLVMFPTrunc || op == LLVMSIToFP || op == LLVMUIToFP;
}

static LLVMValueRef rounding_mode(LLVMModuleRef module)
{
    return LLVMGetNamedGlobal(module, "__regatta_rounding");
}

static bool is_stored_to(LLVMValueRef global)
{
    for (LLVMUseRef use = LLVMGetFirstUse(global); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, 1) == global)
            return true;
    }
    return false;
}

void lower_rounding(LLVMModuleRef module)
{
    LLVMValueRef mode = rounding_mode(module);
    if (mode == NULL || !is_stored_to(mode))
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL;
                 v = LLVMGetNextInstruction(v)) {
                if (!rounds(v))
                    continue;
                LLVMPositionBuilderBefore(builder, v);
                LLVMValueRef load = LLVMBuildLoad2(builder, LLVMGlobalGetValueType(mode), mode, "");
                LLVMInstructionSetDebugLoc(load, LLVMInstructionGetDebugLoc(v));
            }
        }
    }
    LLVMDisposeBuilder(builder);
}

LLVMValueRef lower_rounding_of(LLVMValueRef instruction)
{
    if (LLVMIsAInstruction(instruction) == NULL || !rounds(instruction))
        return NULL;
    LLVMValueRef before = LLVMGetPreviousInstruction(instruction);
    LLVMModuleRef module =
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
    bool is_load = before != NULL && LLVMIsALoadInst(before) != NULL &&
                   LLVMGetOperand(before, 0) == rounding_mode(module);
    return is_load ? before : NULL;
}

// __builtin_object_size and __builtin_constant_p: as where nothing is optimised.
void lower_unknown_sizes(LLVMModuleRef module)
{
    static const char sizes[] = "llvm.objectsize.", constants[] = "llvm.is.constant.";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        const bool size = strncmp(name, sizes, sizeof sizes - 1) == 0;
        if (!size && strncmp(name, constants, sizeof constants - 1) != 0)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f), next; use != NULL; use = next) {
            LLVMValueRef call = LLVMGetUser(use);
            next = LLVMGetNextUse(use);
            // The second operand: whether the least size is asked for.
            const bool least = !size || LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)) != 0;
            LLVMTypeRef type = LLVMTypeOf(call);
            LLVMReplaceAllUsesWith(call, least ? LLVMConstNull(type) : LLVMConstAllOnes(type));
            LLVMInstructionEraseFromParent(call);
        }
    }
}

// Overflow of vectors.

static LLVMValueRef build_intrinsic(LLVMBuilderRef builder, LLVMModuleRef module, const char *name,
                                    LLVMTypeRef type, LLVMValueRef *arguments, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    unsigned types = type != NULL;
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, id, &type, types);
    LLVMTypeRef of = LLVMIntrinsicGetType(LLVMGetModuleContext(module), id, &type, types);
    return LLVMBuildCall2(builder, of, f, arguments, count, "");
}

// void f(bool overflows): a trap if it does.
static LLVMValueRef vector_check(LLVMModuleRef module)
{
    static const char name[] = "__regatta_vector_check";
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (f != NULL)
        return f;
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef boolean = LLVMInt1TypeInContext(context);
    f = LLVMAddFunction(module, name,
                        LLVMFunctionType(LLVMVoidTypeInContext(context), &boolean, 1, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "");
    LLVMBasicBlockRef bad = LLVMAppendBasicBlockInContext(context, f, "");
    LLVMBasicBlockRef good = LLVMAppendBasicBlockInContext(context, f, "");
    LLVMPositionBuilderAtEnd(builder, entry);
    LLVMBuildCondBr(builder, LLVMGetParam(f, 0), bad, good);
    LLVMPositionBuilderAtEnd(builder, bad);
    LLVMValueRef kind = LLVMConstInt(LLVMInt8TypeInContext(context), TRAP_OF_VECTORS, false);
    (void)build_intrinsic(builder, module, "llvm.ubsantrap", NULL, &kind, 1);
    LLVMBuildUnreachable(builder);
    LLVMPositionBuilderAtEnd(builder, good);
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    return f;
}

// Whether this operation of two words, taken as signed, has no result.
static LLVMValueRef build_overflow(LLVMBuilderRef builder, LLVMModuleRef module, LLVMOpcode op,
                                   LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef both[2] = {a, b};
    const char *name = op == LLVMAdd   ? "llvm.sadd.with.overflow"
                       : op == LLVMSub ? "llvm.ssub.with.overflow"
                       : op == LLVMMul ? "llvm.smul.with.overflow"
                                       : NULL;
    if (name != NULL)
        return LLVMBuildExtractValue(builder, build_intrinsic(builder, module, name, type, both, 2),
                                     1, "");
    if (op == LLVMShl) {
        LLVMValueRef back = LLVMBuildAShr(builder, LLVMBuildShl(builder, a, b, ""), b, "");
        return LLVMBuildICmp(builder, LLVMIntNE, back, a, "");
    }
    LLVMValueRef least =
        LLVMBuildShl(builder, LLVMConstInt(type, 1, false),
                     LLVMConstInt(type, LLVMGetIntTypeWidth(LLVMTypeOf(a)) - 1, false), "");
    return LLVMBuildAnd(builder, LLVMBuildICmp(builder, LLVMIntEQ, a, least, ""),
                        LLVMBuildICmp(builder, LLVMIntEQ, b, LLVMConstAllOnes(type), ""), "");
}

static void check_vector(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMPositionBuilderBefore(builder, v);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(v));
    for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
        LLVMValueRef at = LLVMConstInt(word, k, false);
        LLVMValueRef a = LLVMBuildExtractElement(builder, LLVMGetOperand(v, 0), at, "");
        LLVMValueRef b = LLVMBuildExtractElement(builder, LLVMGetOperand(v, 1), at, "");
        LLVMValueRef bad = build_overflow(builder, module, LLVMGetInstructionOpcode(v), a, b);
        LLVMValueRef check = vector_check(module);
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(check), check, &bad, 1, "");
    }
}

static bool may_overflow(LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMTypeRef type = LLVMTypeOf(v);
    return (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl || op == LLVMSDiv ||
            op == LLVMSRem) &&
           LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) > 1;
}

void lower_vector_overflow(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL;
                 v = LLVMGetNextInstruction(v)) {
                if (may_overflow(v))
                    check_vector(module, builder, v);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}

// Does the C library of this machine have it? What that does is known better than what headers say of it in passing.
static bool library_has(LLVMValueRef f)
{
    size_t length;
    return dlsym(RTLD_DEFAULT, LLVMGetValueName2(f, &length)) != NULL;
}

static void forget_body(LLVMModuleRef module, LLVMValueRef f)
{
    size_t length;
    char *name = strdup(LLVMGetValueName2(f, &length));
    LLVMValueRef declared = LLVMAddFunction(module, "", LLVMGlobalGetValueType(f));
    LLVMReplaceAllUsesWith(f, declared);
    LLVMDeleteFunction(f);
    LLVMSetValueName2(declared, name, length);
    free(name);
}

void lower_inline_functions(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f != NULL; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMGetLinkage(f) != LLVMAvailableExternallyLinkage)
            continue;
        if (library_has(f))
            forget_body(module, f);
        else
            LLVMSetLinkage(f, LLVMLinkOnceAnyLinkage);
    }
}

// The one of the thread that runs is meant (languages/programs/threads.h).
void lower_thread_locals(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, "llvm.threadlocal.address.p0");
    for (LLVMUseRef use = f == NULL ? NULL : LLVMGetFirstUse(f), next; use != NULL; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
        LLVMInstructionEraseFromParent(call);
    }
}

static bool is_nowhere(LLVMValueRef v)
{
    return LLVMIsDeclaration(v) && LLVMGetLinkage(v) == LLVMExternalWeakLinkage;
}

static bool calls(LLVMValueRef user, LLVMValueRef f)
{
    return LLVMIsACallInst(user) != NULL && LLVMGetCalledValue(user) == f;
}

// What calls a function stays: it may be an input that is declared so.
static void forget_address(LLVMModuleRef module, LLVMValueRef f)
{
    LLVMValueRef called = LLVMAddFunction(module, "", LLVMGlobalGetValueType(f));
    for (LLVMUseRef use = LLVMGetFirstUse(f), next; use != NULL; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (calls(user, f))
            LLVMSetOperand(user, (unsigned)LLVMGetNumOperands(user) - 1, called);
    }
    LLVMReplaceAllUsesWith(f, LLVMConstNull(LLVMTypeOf(f)));
    LLVMReplaceAllUsesWith(called, f);
    LLVMDeleteFunction(called);
}

void lower_weak_names(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (is_nowhere(f))
            forget_address(module, f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g)) {
        if (is_nowhere(g))
            LLVMReplaceAllUsesWith(g, LLVMConstNull(LLVMTypeOf(g)));
    }
}
