#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "languages/c/reader/lower.h"

// Lives that clang says nothing of: those of compound literals, and of variables behind a label. Both last as long as a run is
// in their block, which the places of instructions tell. Where a run has left the block the next life begins: nothing points
// to that one before the block is entered again. What a call returns lives until the end of its full expression (C17 6.2.4):
// where that is the code does not tell, so a pointer into it that is kept is said to be one.

#define MOST_DEPTH 5000 // of blocks in blocks; clang refuses more brackets
#define MOST_WORK                                                                                  \
    50000000 // instructions that are looked at in one function, once for each block with such slots

#define MOST_POINTERS 64 // into what one call returns; beyond, one is taken for kept

// A call of it twice says that a life may be over.
#define MAY_LIVE_AGAIN "__regatta_may_live_again"
// A call of it says that a pointer was kept to what lives no longer than its expression.
#define POINTER_KEPT "__regatta_pointer_kept"

enum slot_kind {
    VARIABLE,
    LITERAL,
    UNSURE, // a declaration that no run passes is not in the code: the variable's scope holds all its uses
};

struct slot {
    LLVMValueRef alloca;
    LLVMMetadataRef scope;
    enum slot_kind kind;
};

struct numbered {
    LLVMBasicBlockRef block;
    unsigned number;
};

struct function {
    LLVMModuleRef module;
    LLVMBasicBlockRef *blocks;
    struct numbered *order; // of blocks, by address
    unsigned block_count, instruction_count;
    bool *marked; // by block: a life begins there
    bool *placed,
        *last; // by block: it has an instruction with a place; the last of these is inside, or what leads here
    bool *entered; // by block: it may follow an instruction inside
    struct slot *slots;
    unsigned slot_count, slot_capacity;
    LLVMValueRef *declared; // allocas of variables, by address
    size_t declared_count;
};

static void *make(size_t count, size_t size)
{
    void *out = calloc(count + 1, size);
    if (out == NULL)
        abort();
    return out;
}

static LLVMMetadataRef node_operand(LLVMModuleRef module, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef v = LLVMMetadataAsValue(LLVMGetModuleContext(module), node), operands[16];
    unsigned count = LLVMGetMDNodeNumOperands(v);
    if (count > 16 || i >= count)
        return NULL;
    LLVMGetMDNodeOperands(v, operands);
    return operands[i] == NULL ? NULL : LLVMValueAsMetadata(operands[i]);
}

static bool is_block_scope(LLVMMetadataRef scope)
{
    return scope != NULL && LLVMGetMetadataKind(scope) == LLVMDILexicalBlockMetadataKind;
}

static bool is_within(LLVMModuleRef module, LLVMMetadataRef scope, LLVMMetadataRef outer)
{
    for (unsigned depth = 0; scope != outer && depth < MOST_DEPTH; depth++) {
        if (scope == NULL || (!is_block_scope(scope) &&
                              LLVMGetMetadataKind(scope) != LLVMDILexicalBlockFileMetadataKind))
            return false;
        scope = node_operand(module, scope, 1);
    }
    return true; // so deep that it is not looked at
}

// NULL: it is said of no place in the text.
static LLVMMetadataRef scope_of(LLVMValueRef instruction)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(instruction);
    if (at == NULL || LLVMDILocationGetLine(at) == 0 ||
        LLVMGetInstructionOpcode(instruction) == LLVMIndirectBr)
        return NULL;
    return LLVMDILocationGetScope(at);
}

static const char *callee_name(LLVMValueRef v)
{
    size_t length;
    LLVMValueRef f = LLVMIsACallInst(v) == NULL ? NULL : LLVMGetCalledValue(v);
    return f == NULL || LLVMIsAFunction(f) == NULL ? "" : LLVMGetValueName2(f, &length);
}

static bool is_marked(LLVMValueRef alloca)
{
    for (LLVMUseRef use = LLVMGetFirstUse(alloca); use != NULL; use = LLVMGetNextUse(use)) {
        if (strncmp(callee_name(LLVMGetUser(use)), "llvm.lifetime.start", 19) == 0)
            return true;
    }
    return false;
}

// Finding the slots.

static void add_slot(struct function *f, LLVMValueRef alloca, LLVMMetadataRef scope,
                     enum slot_kind kind)
{
    if (!is_block_scope(scope) || is_marked(alloca))
        return;
    if (f->slot_count == f->slot_capacity) {
        f->slot_capacity = 2 * f->slot_capacity + 16;
        f->slots = realloc(f->slots, f->slot_capacity * sizeof *f->slots);
        if (f->slots == NULL)
            abort();
    }
    f->slots[f->slot_count++] = (struct slot){alloca, scope, kind};
}

// llvm.dbg.declare(slot, variable, expression)
static LLVMValueRef declared_slot(LLVMValueRef declare)
{
    LLVMValueRef wrapped = LLVMGetOperand(declare, 0), alloca = NULL;
    if (LLVMGetMDNodeNumOperands(wrapped) == 1)
        LLVMGetMDNodeOperands(wrapped, &alloca);
    return alloca != NULL && LLVMIsAAllocaInst(alloca) != NULL &&
                   LLVMIsAMDNode(LLVMGetOperand(declare, 1)) != NULL
               ? alloca
               : NULL;
}

static bool is_fixed(const struct function *f, LLVMValueRef alloca)
{
    return LLVMGetInstructionParent(alloca) == f->blocks[0] &&
           LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)) != NULL;
}

static void add_variable(struct function *f, LLVMValueRef declare)
{
    LLVMValueRef alloca = declared_slot(declare);
    LLVMMetadataRef variable = LLVMValueAsMetadata(LLVMGetOperand(declare, 1));
    if (alloca != NULL && is_fixed(f, alloca))
        add_slot(f, alloca, node_operand(f->module, variable, 0), VARIABLE);
}

static LLVMMetadataRef common_scope(struct function *f, LLVMMetadataRef a, LLVMMetadataRef b)
{
    while (is_block_scope(a) && !is_within(f->module, b, a))
        a = node_operand(f->module, a, 1);
    return is_block_scope(a) ? a : NULL;
}

// What is not a variable that clang names. A block of alloca() lives until its function returns: it alone has no name here.
static void add_other(struct function *f, LLVMValueRef alloca)
{
    size_t length;
    const char *name = LLVMGetValueName2(alloca, &length);
    if (length == 0)
        return;
    LLVMMetadataRef scope = NULL;
    bool exposed = false;
    for (LLVMUseRef use = LLVMGetFirstUse(alloca); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMMetadataRef here = scope_of(user);
        bool access = LLVMIsALoadInst(user) != NULL ||
                      (LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, 0) != alloca);
        exposed = exposed || !access;
        if (here == NULL)
            continue;
        scope = scope == NULL ? here : common_scope(f, scope, here);
        if (scope == NULL)
            return;
    }
    bool literal = strncmp(name, ".compoundliteral", 16) == 0;
    if (exposed && scope != NULL)
        add_slot(f, alloca, scope, literal ? LITERAL : UNSURE);
}

static bool is_declared(const struct function *f, LLVMValueRef alloca)
{
    size_t low = 0, high = f->declared_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)f->declared[middle] < (uintptr_t)alloca)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->declared_count && f->declared[low] == alloca;
}

static int compare_values(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (const LLVMValueRef *)a, y = (uintptr_t) * (const LLVMValueRef *)b;
    return x < y ? -1 : x > y;
}

static void find_slots(struct function *f)
{
    f->declared = make(f->instruction_count, sizeof *f->declared);
    for (unsigned b = 0; b < f->block_count; b++) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[b]); v != NULL;
             v = LLVMGetNextInstruction(v)) {
            if (strcmp(callee_name(v), "llvm.dbg.declare") != 0)
                continue;
            add_variable(f, v);
            if (declared_slot(v) != NULL)
                f->declared[f->declared_count++] = declared_slot(v);
        }
    }
    qsort(f->declared, f->declared_count, sizeof *f->declared, compare_values);
    for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[0]); v != NULL;
         v = LLVMGetNextInstruction(v)) {
        if (LLVMIsAAllocaInst(v) != NULL && is_fixed(f, v) && !is_declared(f, v))
            add_other(f, v);
    }
}

static LLVMValueRef first_use(const struct function *f, LLVMValueRef value)
{
    for (unsigned b = 0; b < f->block_count; b++) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[b]); v != NULL;
             v = LLVMGetNextInstruction(v)) {
            for (int k = 0; k < LLVMGetNumOperands(v); k++) {
                if (LLVMGetOperand(v, (unsigned)k) == value)
                    return v;
            }
        }
    }
    return NULL;
}

// Saying where lives begin.

static void call_of_slot(LLVMModuleRef module, LLVMValueRef at, LLVMValueRef slot, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef types[] = {LLVMInt64TypeInContext(context), LLVMTypeOf(slot)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), types, 2, false);
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    LLVMValueRef arguments[] = {LLVMConstAllOnes(types[0]), slot};
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    if (f == NULL)
        f = LLVMAddFunction(module, name, type);
    LLVMPositionBuilderBefore(builder, at);
    LLVMValueRef call = LLVMBuildCall2(builder, type, f, arguments, 2, "");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(at));
    LLVMDisposeBuilder(builder);
}

static void begin_life(struct function *f, LLVMValueRef at, LLVMMetadataRef scope)
{
    for (unsigned i = 0; i < f->slot_count; i++) {
        const struct slot *slot = &f->slots[i];
        bool sure = slot->kind != UNSURE;
        if (slot->scope != scope)
            continue;
        call_of_slot(f->module, at, slot->alloca, sure ? "llvm.lifetime.end.p0" : MAY_LIVE_AGAIN);
        call_of_slot(f->module, at, slot->alloca, sure ? "llvm.lifetime.start.p0" : MAY_LIVE_AGAIN);
    }
}

static int compare_blocks(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct numbered *)a)->block,
              y = (uintptr_t)((const struct numbered *)b)->block;
    return x < y ? -1 : x > y;
}

static unsigned block_number(const struct function *f, LLVMBasicBlockRef block)
{
    const struct numbered key = {block, 0};
    const struct numbered *found =
        bsearch(&key, f->order, f->block_count, sizeof key, compare_blocks);
    assert(found != NULL);
    return found->number;
}

// What clang says of lives and names is no place that a run is at.
static LLVMMetadataRef place_of(LLVMValueRef v)
{
    return strncmp(callee_name(v), "llvm.", 5) == 0 ? NULL : scope_of(v);
}

// Blocks without a place are where a run was before.
static void find_entered(struct function *f, LLVMMetadataRef scope)
{
    for (unsigned b = 0; b < f->block_count; b++) {
        f->entered[b] = f->placed[b] = f->last[b] = false;
        for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[b]); v != NULL;
             v = LLVMGetNextInstruction(v)) {
            LLVMMetadataRef here = place_of(v);
            if (here == NULL)
                continue;
            f->placed[b] = true;
            f->last[b] = is_within(f->module, here, scope);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned b = 0; b < f->block_count; b++) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(f->blocks[b]);
            for (unsigned i = 0; f->last[b] && end != NULL && i < LLVMGetNumSuccessors(end); i++) {
                unsigned to = block_number(f, LLVMGetSuccessor(end, i));
                changed = changed || !f->entered[to];
                f->entered[to] = true;
                f->last[to] = f->last[to] || !f->placed[to];
            }
        }
    }
}

// At each place outside that follows one inside.
static void mark_block(struct function *f, unsigned b, LLVMMetadataRef scope)
{
    bool inside = f->entered[b];
    for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[b]); v != NULL;
         v = LLVMGetNextInstruction(v)) {
        LLVMMetadataRef here = LLVMIsAPHINode(v) != NULL ? NULL : place_of(v);
        if (here == NULL)
            continue;
        bool was_inside = inside;
        inside = is_within(f->module, here, scope);
        if (was_inside && !inside) {
            begin_life(f, v, scope);
            f->marked[b] = true;
        }
    }
}

// A run may come back to this block without leaving the scope: by a jump, where the literal lives on, or from the end of a
// loop's body without braces, where it does not.
static bool comes_back(const struct function *f, LLVMBasicBlockRef block)
{
    bool *seen = make(f->block_count, sizeof *seen), found = false;
    unsigned *list = make(f->block_count, sizeof *list), count = 0;
    unsigned start = block_number(f, block);
    list[count++] = start;
    for (unsigned at = 0; at < count && !found && !f->marked[start]; at++) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(f->blocks[list[at]]);
        for (unsigned i = 0; last != NULL && i < LLVMGetNumSuccessors(last); i++) {
            unsigned to = block_number(f, LLVMGetSuccessor(last, i));
            found = found || to == start;
            if (!f->marked[to] && !seen[to] && to != start)
                list[count++] = to;
            seen[to] = true;
        }
    }
    free(seen);
    free(list);
    return found;
}

static void mark_scope(struct function *f, LLVMMetadataRef scope)
{
    memset(f->marked, 0, f->block_count * sizeof *f->marked);
    find_entered(f, scope);
    for (unsigned b = 0; b < f->block_count; b++)
        mark_block(f, b, scope);
    for (unsigned i = 0; i < f->slot_count; i++) {
        LLVMValueRef alloca = f->slots[i].alloca;
        if (f->slots[i].scope != scope)
            continue;
        LLVMValueRef use = f->slots[i].kind == LITERAL ? first_use(f, alloca) : NULL;
        if (use != NULL && comes_back(f, LLVMGetInstructionParent(use)))
            call_of_slot(f->module, use, alloca, MAY_LIVE_AGAIN);
        if (f->slots[i].kind != UNSURE)
            call_of_slot(f->module, LLVMGetNextInstruction(alloca), alloca,
                         "llvm.lifetime.start.p0");
    }
}

// What calls return.

// As clang names them. What is passed on by value has a name of its own, and no pointer to it is in the program.
static bool is_returned(const struct function *f, LLVMValueRef v)
{
    size_t length;
    const char *name = LLVMIsAAllocaInst(v) == NULL ? "" : LLVMGetValueName2(v, &length);
    size_t known = strncmp(name, "tmp", 3) == 0 ? 3 : strncmp(name, "coerce", 6) == 0 ? 6 : 0;
    return known > 0 && name[known + strspn(name + known, "0123456789")] == '\0' &&
           is_fixed(f, v) && !is_declared(f, v);
}

// Does a pointer into the same object come out of it, or may it?
static bool leads_on(LLVMValueRef user)
{
    const char *name = callee_name(user);
    if (LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind || LLVMIsALoadInst(user) != NULL)
        return false;
    return strcmp(name, "strdup") != 0 && strcmp(name, "strndup") != 0;
}

static void call_kept(LLVMModuleRef module, LLVMValueRef store)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    LLVMValueRef f = LLVMGetNamedFunction(module, POINTER_KEPT);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    if (f == NULL)
        f = LLVMAddFunction(module, POINTER_KEPT, type);
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(store));
    LLVMValueRef call = LLVMBuildCall2(builder, type, f, NULL, 0, "");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(store));
    LLVMDisposeBuilder(builder);
}

static bool is_among(const LLVMValueRef *list, unsigned count, LLVMValueRef v)
{
    while (count > 0 && list[count - 1] != v)
        count--;
    return count > 0;
}

static void mark_returned(struct function *f, LLVMValueRef alloca)
{
    LLVMValueRef pointers[MOST_POINTERS] = {alloca};
    unsigned count = 1;
    for (unsigned at = 0; at < count; at++) {
        for (LLVMUseRef use = LLVMGetFirstUse(pointers[at]); use != NULL;
             use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, 0) == pointers[at])
                call_kept(f->module, user);
            else if (count == MOST_POINTERS && leads_on(user))
                call_kept(f->module, LLVMGetFirstInstruction(f->blocks[0]));
            else if (leads_on(user) && !is_among(pointers, count, user))
                pointers[count++] = user;
        }
    }
}

static void mark_all_returned(struct function *f)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[0]); v != NULL;
         v = LLVMGetNextInstruction(v)) {
        if (is_returned(f, v))
            mark_returned(f, v);
    }
}

static void mark_function(struct function *f)
{
    size_t work = 0;
    find_slots(f);
    mark_all_returned(f);
    for (unsigned i = 0; i < f->slot_count && work < MOST_WORK; i++) {
        bool done = false;
        for (unsigned k = 0; k < i; k++)
            done = done || f->slots[k].scope == f->slots[i].scope;
        if (done)
            continue;
        work += f->instruction_count;
        mark_scope(f, f->slots[i].scope);
    }
    if (work >= MOST_WORK)
        call_of_slot(f->module, LLVMGetBasicBlockTerminator(f->blocks[0]), f->slots[0].alloca,
                     "__regatta_bound");
}

static struct function take_function(LLVMModuleRef module, LLVMValueRef v)
{
    struct function f = {.module = module, .block_count = LLVMCountBasicBlocks(v)};
    f.blocks = make(f.block_count, sizeof *f.blocks);
    f.order = make(f.block_count, sizeof *f.order);
    f.marked = make(f.block_count, sizeof *f.marked);
    f.placed = make(f.block_count, sizeof *f.placed);
    f.last = make(f.block_count, sizeof *f.last);
    f.entered = make(f.block_count, sizeof *f.entered);
    LLVMGetBasicBlocks(v, f.blocks);
    for (unsigned b = 0; b < f.block_count; b++) {
        f.order[b] = (struct numbered){f.blocks[b], b};
        for (LLVMValueRef i = LLVMGetFirstInstruction(f.blocks[b]); i != NULL;
             i = LLVMGetNextInstruction(i))
            f.instruction_count++;
    }
    qsort(f.order, f.block_count, sizeof *f.order, compare_blocks);
    return f;
}

void lower_block_scopes(LLVMModuleRef module)
{
    for (LLVMValueRef v = LLVMGetFirstFunction(module); v != NULL; v = LLVMGetNextFunction(v)) {
        if (LLVMIsDeclaration(v))
            continue;
        struct function f = take_function(module, v);
        mark_function(&f);
        free(f.blocks);
        free(f.order);
        free(f.marked);
        free(f.placed);
        free(f.last);
        free(f.entered);
        free(f.slots);
        free(f.declared);
    }
}
