#include <assert.h>
#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "languages/c/reader/library.h"
#include "languages/c/reader/lower.h"
#include "languages/c/reader/reader.h"

// Writes a module as a program view. Types become sizes, addresses become a base and constant and scaled
// offsets, constant expressions become instructions: who reads it needs no LLVM and no data layout.

struct number {
    const void *key;
    unsigned value;
};

struct numbers {
    struct number *slot;
    size_t capacity, count;
};

struct printer {
    FILE *out;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    const char *path;
    struct numbers globals, functions, values, blocks;
    struct numbers constants; // constant expressions that this block has computed
    struct numbers exchanged; // cmpxchg instructions: the old value's number
    unsigned next_value;
    char **files;
    size_t file_count;
    unsigned dbg_kind_loop, byval_kind, sret_kind;
    LLVMValueRef at; // the instruction that is being written
};

static struct number *find(struct numbers *map, const void *key)
{
    size_t mask = map->capacity - 1;
    assert(map->count < map->capacity && (map->capacity & mask) == 0); // some place is free
    size_t at = ((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20 & mask;
    while (map->slot[at].key != NULL && map->slot[at].key != key)
        at = (at + 1) & mask;
    return &map->slot[at];
}

static void give(struct numbers *map, const void *key, unsigned value)
{
    if (map->count * 2 >= map->capacity) {
        struct numbers bigger = {.capacity = map->capacity == 0 ? 64 : 2 * map->capacity};
        bigger.slot = calloc(bigger.capacity, sizeof *bigger.slot);
        for (size_t i = 0; i < map->capacity; i++) {
            if (map->slot[i].key != NULL)
                *find(&bigger, map->slot[i].key) = map->slot[i];
        }
        bigger.count = map->count;
        free(map->slot);
        *map = bigger;
    }
    struct number *slot = find(map, key);
    assert(key != NULL && (slot->key == NULL || slot->key == key));
    map->count += slot->key == NULL;
    *slot = (struct number){key, value};
}

static bool get(struct numbers *map, const void *key, unsigned *out)
{
    if (map->capacity == 0)
        return false;
    const struct number *slot = find(map, key);
    *out = slot->value;
    return slot->key != NULL;
}

// Of a value of the function, or a constant expression that was computed before in the block.
static bool get_value(struct printer *p, LLVMValueRef v, unsigned *out)
{
    return get(&p->values, v, out) || get(&p->constants, v, out);
}

static void forget(struct numbers *map)
{
    free(map->slot);
    *map = (struct numbers){0};
}

// Any bytes as one word.
static void print_word(FILE *out, const char *text, size_t length)
{
    if (length == 0)
        fputs("%", out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (isalnum(c) || (c != '\0' && strchr("_.$-/+", c) != NULL))
            fputc(c, out);
        else
            fprintf(out, "%%%02x", c);
    }
}

// v nothing, i32, p pointer, F32 F64 F80 floats, {i32,i1} several, ? others
// The result of an operation and whether it overflowed, or an exchanged value and whether it was: in C's code nothing else
// has a Boolean in a structure.
static bool is_pair(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMCountStructElementTypes(type) != 2)
        return false;
    LLVMTypeRef second = LLVMStructGetTypeAtIndex(type, 1);
    return LLVMGetTypeKind(second) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(second) == 1;
}

// A structure, array or vector (two floats travel as one) as a value.
static bool is_aggregate(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind ||
           (kind == LLVMStructTypeKind && !is_pair(type));
}

static void print_type(struct printer *p, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind:
        fputs("v", p->out);
        return;
    case LLVMIntegerTypeKind:
        fprintf(p->out, "i%u", LLVMGetIntTypeWidth(type));
        return;
    case LLVMPointerTypeKind:
        fputs("p", p->out);
        return;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind:
        fputs("p", p->out); // a value of these is a slot, see print_slot
        return;
    case LLVMHalfTypeKind:
        fputs("F16", p->out);
        return;
    case LLVMFloatTypeKind:
        fputs("F32", p->out);
        return;
    case LLVMDoubleTypeKind:
        fputs("F64", p->out);
        return;
    case LLVMX86_FP80TypeKind:
        fputs("F80", p->out);
        return;
    case LLVMStructTypeKind:
        if (!is_pair(type)) {
            fputs("p", p->out);
            return;
        }
        fputs("{", p->out);
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
            fputs(i == 0 ? "" : ",", p->out);
            print_type(p, LLVMStructGetTypeAtIndex(type, i));
        }
        fputs("}", p->out);
        return;
    default:
        fputs("?", p->out);
    }
}

// A constant index times its scale is added. False: it is wider than an address.
static bool add_constant(LLVMValueRef index, uint64_t scale, int64_t *offset)
{
    if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) > 64)
        return false;
    *offset = (int64_t)((uint64_t)*offset + (uint64_t)LLVMConstIntGetSExtValue(index) * scale);
    return true;
}

struct address {
    LLVMValueRef base;
    int64_t offset;
    LLVMValueRef index[16];
    uint64_t scale[16];
    unsigned count;
};

static bool add_index(struct printer *p, struct address *a, LLVMTypeRef *type, LLVMValueRef index)
{
    if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
        unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
        assert(field < LLVMCountStructElementTypes(*type));
        a->offset += (int64_t)LLVMOffsetOfElement(p->layout, *type, field);
        *type = LLVMStructGetTypeAtIndex(*type, field);
        return true;
    }
    if (LLVMGetTypeKind(*type) != LLVMArrayTypeKind)
        return false;
    *type = LLVMGetElementType(*type);
    uint64_t scale = LLVMABISizeOfType(p->layout, *type);
    if (LLVMIsAConstantInt(index))
        return add_constant(index, scale, &a->offset);
    if (a->count == 16)
        return false;
    a->index[a->count] = index;
    a->scale[a->count++] = scale;
    return true;
}

// Of a getelementptr, instruction or constant.
static bool take_address(struct printer *p, LLVMValueRef gep, struct address *a)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    *a = (struct address){.base = LLVMGetOperand(gep, 0)};
    LLVMValueRef first = LLVMGetOperand(gep, 1);
    uint64_t scale = LLVMABISizeOfType(p->layout, type);
    if (LLVMIsAConstantInt(first)) {
        if (!add_constant(first, scale, &a->offset))
            return false;
    } else {
        a->index[0] = first;
        a->scale[0] = scale;
        a->count = 1;
    }
    for (int i = 2; i < LLVMGetNumOperands(gep); i++) {
        if (!add_index(p, a, &type, LLVMGetOperand(gep, (unsigned)i)))
            return false;
    }
    return true;
}

// A constant address: a global or function with a constant offset.
static bool constant_address(struct printer *p, LLVMValueRef v, LLVMValueRef *base, int64_t *offset)
{
    *offset = 0;
    while (LLVMIsAConstantExpr(v)) {
        struct address a;
        if (LLVMGetConstOpcode(v) != LLVMGetElementPtr || !take_address(p, v, &a) || a.count > 0)
            return false;
        *offset += a.offset;
        v = a.base;
    }
    *base = v;
    return LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v) || LLVMIsAGlobalAlias(v) ||
           LLVMIsAConstantPointerNull(v);
}

// LLVM writes a number of x87 as its bits: "x86_fp80 0xK3FFF8000000000000000".
static void print_wide_float(struct printer *p, LLVMValueRef v)
{
    char *text = LLVMPrintValueToString(v);
    const char *at = strstr(text, "0xK");
    unsigned __int128 bits = 0;
    for (at = at == NULL ? "" : at + 3; isxdigit((unsigned char)*at); at++)
        bits = bits << 4 |
               (unsigned)(isdigit((unsigned char)*at) ? *at - '0' : tolower(*at) - 'a' + 10);
    char digits[40];
    size_t start = sizeof digits - 1;
    digits[start] = '\0';
    do {
        digits[--start] = (char)('0' + (int)(bits % 10));
        bits /= 10;
    } while (bits != 0);
    print_type(p, LLVMTypeOf(v));
    fprintf(p->out, ":%s", digits + start);
    LLVMDisposeMessage(text);
}

static void print_float(struct printer *p, LLVMValueRef v)
{
    LLVMBool loses;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    if (kind == LLVMX86_FP80TypeKind) {
        print_wide_float(p, v);
        return;
    }
    if (kind == LLVMHalfTypeKind) { // half 0xH3C00
        char *text = LLVMPrintValueToString(v);
        const char *digits = strstr(text, "0xH");
        fprintf(p->out, "F16:%lu", digits == NULL ? 0 : strtoul(digits + 3, NULL, 16));
        LLVMDisposeMessage(text);
        return;
    }
    double d = LLVMConstRealGetDouble(v, &loses);
    float f = (float)d;
    uint64_t bits = 0;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMFloatTypeKind)
        memcpy(&bits, &f, sizeof f);
    else
        memcpy(&bits, &d, sizeof d);
    print_type(p, LLVMTypeOf(v));
    fprintf(p->out, ":%llu", (unsigned long long)bits);
}

static void print_integer(struct printer *p, LLVMValueRef v)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    if (width <= 64) {
        fprintf(p->out, "i%u:%llu", width, LLVMConstIntGetZExtValue(v));
        return;
    }
    char *text = LLVMPrintValueToString(v); // "i128 -5"
    const char *digits = strchr(text, ' ');
    fprintf(p->out, "i%u:%s", width, digits == NULL ? "?" : digits + 1);
    LLVMDisposeMessage(text);
}

// What can stand as an operand by itself; false when it has to become an instruction first.
static bool print_simple(struct printer *p, LLVMValueRef v)
{
    unsigned n;
    LLVMValueRef base;
    int64_t offset;
    if (get_value(p, v, &n)) {
        fprintf(p->out, "%%%u", n);
    } else if (LLVMIsAConstantInt(v)) {
        print_integer(p, v);
    } else if (LLVMIsAConstantFP(v)) {
        print_float(p, v);
    } else if (LLVMIsUndef(v)) {
        fputs("u:", p->out);
        print_type(p, LLVMTypeOf(v));
    } else if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind &&
               constant_address(p, v, &base, &offset)) {
        if (get(&p->functions, base, &n))
            fprintf(p->out, "f:%u", n);
        else if (get(&p->globals, base, &n))
            fprintf(p->out, "@%u:%lld", n, (long long)offset);
        else
            fprintf(p->out, "p:%lld", (long long)offset);
    } else {
        return false;
    }
    return true;
}

static void print_operand(struct printer *p, LLVMValueRef v)
{
    fputc(' ', p->out);
    if (!print_simple(p, v))
        fputc('?', p->out);
}

static unsigned file_number(struct printer *p, const char *name, size_t length)
{
    for (unsigned i = 0; i < p->file_count; i++) {
        if (strlen(p->files[i]) == length && memcmp(p->files[i], name, length) == 0)
            return i;
    }
    p->files = realloc(p->files, (p->file_count + 1) * sizeof *p->files);
    p->files[p->file_count] = strndup(name, length);
    fputs("file ", p->out);
    print_word(p->out, name, length);
    fputc('\n', p->out);
    assert(p->files[p->file_count] != NULL);
    return (unsigned)p->file_count++;
}

// The file table grows as files are met, so this comes before the line that names the number.
static void where(struct printer *p, LLVMValueRef instruction, unsigned out[3])
{
    LLVMMetadataRef at = instruction == NULL ? NULL : LLVMInstructionGetDebugLoc(instruction);
    memset(out, 0, 3 * sizeof *out);
    if (at == NULL)
        return;
    out[1] = LLVMDILocationGetLine(at);
    out[2] = LLVMDILocationGetColumn(at);
    LLVMMetadataRef scope = LLVMDILocationGetScope(at);
    LLVMMetadataRef file = scope == NULL ? NULL : LLVMDIScopeGetFile(scope);
    unsigned length = 0;
    const char *name = file == NULL ? NULL : LLVMDIFileGetFilename(file, &length);
    if (name != NULL && !(length == 7 && memcmp(name, "<stdin>", 7) == 0) &&
        !(length == 1 && *name == '-'))
        out[0] = file_number(p, name, length);
}

// The head of an instruction up to its operands; the value gets a number.
static void begin(struct printer *p, const char *op, LLVMTypeRef type, LLVMValueRef v,
                  uint64_t extra)
{
    unsigned at[3];
    where(p, p->at, at);
    unsigned number = p->next_value;
    if (v == NULL || !get_value(p, v, &number))
        number = p->next_value++;
    fprintf(p->out, "I %s ", op);
    if (type == NULL)
        fputs("v", p->out);
    else
        print_type(p, type);
    fprintf(p->out, " %u %u %u %u %llu", number, at[0], at[1], at[2], (unsigned long long)extra);
}

static const char *operator_name(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd:
        return "add";
    case LLVMSub:
        return "sub";
    case LLVMMul:
        return "mul";
    case LLVMUDiv:
        return "udiv";
    case LLVMSDiv:
        return "sdiv";
    case LLVMURem:
        return "urem";
    case LLVMSRem:
        return "srem";
    case LLVMShl:
        return "shl";
    case LLVMLShr:
        return "lshr";
    case LLVMAShr:
        return "ashr";
    case LLVMAnd:
        return "and";
    case LLVMOr:
        return "or";
    case LLVMXor:
        return "xor";
    case LLVMFAdd:
        return "fadd";
    case LLVMFSub:
        return "fsub";
    case LLVMFMul:
        return "fmul";
    case LLVMFDiv:
        return "fdiv";
    case LLVMFRem:
        return "frem";
    case LLVMFNeg:
        return "fneg";
    case LLVMTrunc:
        return "trunc";
    case LLVMZExt:
        return "zext";
    case LLVMSExt:
        return "sext";
    case LLVMPtrToInt:
        return "ptrtoint";
    case LLVMIntToPtr:
        return "inttoptr";
    case LLVMBitCast:
        return "bitcast";
    case LLVMFPToUI:
        return "fptoui";
    case LLVMFPToSI:
        return "fptosi";
    case LLVMUIToFP:
        return "uitofp";
    case LLVMSIToFP:
        return "sitofp";
    case LLVMFPTrunc:
        return "fptrunc";
    case LLVMFPExt:
        return "fpext";
    case LLVMFreeze:
        return "freeze";
    case LLVMSelect:
        return "select";
    default:
        return NULL;
    }
}

static void name_operands(struct printer *p, LLVMValueRef v);

// An address with the indices as operands, constant offset and scales as numbers.
static void print_gep(struct printer *p, LLVMValueRef v)
{
    struct address a;
    if (!take_address(p, v, &a)) {
        begin(p, "unsupported", LLVMTypeOf(v), v, 0);
        fputs(" 0 0 address%20computation\n", p->out);
        return;
    }
    assert(a.count <= sizeof a.index / sizeof a.index[0]);
    begin(p, "gep", LLVMTypeOf(v), v, 0);
    fprintf(p->out, " %u", a.count + 1);
    print_operand(p, a.base);
    for (unsigned i = 0; i < a.count; i++)
        print_operand(p, a.index[i]);
    fprintf(p->out, " %u %lld", a.count + 1, (long long)a.offset);
    for (unsigned i = 0; i < a.count; i++)
        fprintf(p->out, " %llu", (unsigned long long)a.scale[i]);
    fputc('\n', p->out);
}

static void print_plain(struct printer *p, const char *op, LLVMValueRef v, uint64_t extra)
{
    begin(p, op, LLVMTypeOf(v), v, extra);
    int count = LLVMGetNumOperands(v);
    LLVMValueRef mode = lower_rounding_of(v);
    fprintf(p->out, " %d", count + (mode != NULL));
    for (int i = 0; i < count; i++)
        print_operand(p, LLVMGetOperand(v, (unsigned)i));
    if (mode != NULL)
        print_operand(p, mode);
    fputs(" 0\n", p->out);
}

// Structures as values: the value is the address of a slot that nobody else knows and that outlives its function; what is
// done with the value is done part by part.

struct place {
    LLVMValueRef address; // NULL: the number
    unsigned number;
    uint64_t offset;
};

// Elements of a vector of Booleans have a byte each in a slot.
static bool is_of_booleans(LLVMTypeRef type)
{
    LLVMTypeRef element =
        LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
    return element != type && LLVMGetTypeKind(element) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(element) == 1;
}

static unsigned print_slot(struct printer *p, LLVMTypeRef type, LLVMValueRef v)
{
    unsigned number = p->next_value;
    if (v == NULL || !get(&p->values, v, &number))
        number = p->next_value;
    begin(p, "alloca", type, v,
          is_of_booleans(type) ? LLVMGetVectorSize(type) : LLVMABISizeOfType(p->layout, type));
    fputs(" 1 i32:1 2 16 1\n", p->out);
    return number;
}

static unsigned print_part_address(struct printer *p, const struct place *place)
{
    unsigned number = p->next_value;
    begin(p, "gep", LLVMPointerTypeInContext(LLVMGetModuleContext(p->module), 0), NULL, 0);
    fputs(" 1", p->out);
    if (place->address != NULL)
        print_operand(p, place->address);
    else
        fprintf(p->out, " %%%u", place->number);
    fprintf(p->out, " 1 %llu\n", (unsigned long long)place->offset);
    return number;
}

static unsigned print_part_load(struct printer *p, LLVMTypeRef type, const struct place *from,
                                LLVMValueRef v)
{
    unsigned address = print_part_address(p, from), number = p->next_value;
    if (v == NULL || !get(&p->values, v, &number))
        number = p->next_value;
    begin(p, "load", type, v, 0);
    fprintf(p->out, " 1 %%%u 1 %llu\n", address, LLVMStoreSizeOfType(p->layout, type));
    return number;
}

// Stores an operand, or (NULL) the value with this number.
static void print_part_store(struct printer *p, LLVMTypeRef type, LLVMValueRef v, unsigned number,
                             const struct place *to)
{
    unsigned address = print_part_address(p, to);
    begin(p, "store", type, NULL, 0);
    fputs(" 2", p->out);
    if (v != NULL)
        print_operand(p, v);
    else
        fprintf(p->out, " %%%u", number);
    fprintf(p->out, " %%%u 1 %llu\n", address, LLVMStoreSizeOfType(p->layout, type));
}

static unsigned count_parts(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMStructTypeKind   ? LLVMCountStructElementTypes(type)
           : kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
                                        : (unsigned)LLVMGetArrayLength2(type);
}

static LLVMTypeRef part_type(LLVMTypeRef type, unsigned index)
{
    assert(is_aggregate(type) && index < count_parts(type));
    return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index)
                                                       : LLVMGetElementType(type);
}

static struct place part_place(struct printer *p, LLVMTypeRef type, unsigned index,
                               struct place whole)
{
    whole.offset += LLVMGetTypeKind(type) == LLVMStructTypeKind
                        ? LLVMOffsetOfElement(p->layout, type, index)
                        : index * LLVMABISizeOfType(p->layout, LLVMGetElementType(type));
    return whole;
}

static void print_parts(struct printer *p, LLVMTypeRef type, struct place to, struct place from)
{
    for (unsigned i = 0; i < count_parts(type); i++) {
        LLVMTypeRef part = part_type(type, i);
        struct place target = part_place(p, type, i, to), source = part_place(p, type, i, from);
        if (is_aggregate(part)) {
            print_parts(p, part, target, source);
        } else {
            unsigned number = print_part_load(p, part, &source, NULL);
            print_part_store(p, part, NULL, number, &target);
        }
    }
}

static void name_constant(struct printer *p, LLVMValueRef v);

// An aggregate operand into a place: a constant part by part, any other from its slot. What is undefined stays arbitrary.
static void print_aggregate(struct printer *p, LLVMValueRef v, struct place to)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    unsigned number;
    if (get(&p->values, v, &number)) {
        print_parts(p, type, to, (struct place){NULL, number, 0});
        return;
    }
    for (unsigned i = 0; !LLVMIsUndef(v) && i < count_parts(type); i++) {
        LLVMValueRef part = LLVMGetAggregateElement(v, i);
        struct place target = part_place(p, type, i, to);
        if (part != NULL && is_aggregate(LLVMTypeOf(part))) {
            print_aggregate(p, part, target);
        } else if (part != NULL) {
            name_constant(p, part);
            print_part_store(p, LLVMTypeOf(part), part, 0, &target);
        }
    }
}

static bool print_aggregate_access(struct printer *p, LLVMValueRef v)
{
    bool store = LLVMIsAStoreInst(v) != NULL;
    LLVMTypeRef type = store ? LLVMTypeOf(LLVMGetOperand(v, 0)) : LLVMTypeOf(v);
    if (!is_aggregate(type))
        return false;
    if (store) {
        print_aggregate(p, LLVMGetOperand(v, 0), (struct place){LLVMGetOperand(v, 1), 0, 0});
    } else {
        unsigned slot = print_slot(p, type, v);
        print_parts(p, type, (struct place){NULL, slot, 0},
                    (struct place){LLVMGetOperand(v, 0), 0, 0});
    }
    return true;
}

// Constants of these types get a slot where they are returned.
static bool print_aggregate_return(struct printer *p, LLVMValueRef v)
{
    if (LLVMGetNumOperands(v) != 1 || !is_aggregate(LLVMTypeOf(LLVMGetOperand(v, 0))))
        return false;
    LLVMValueRef value = LLVMGetOperand(v, 0);
    unsigned slot;
    if (!get(&p->values, value, &slot)) {
        slot = print_slot(p, LLVMTypeOf(value), NULL);
        print_aggregate(p, value, (struct place){NULL, slot, 0});
    }
    begin(p, "ret", NULL, v, 0);
    fprintf(p->out, " 1 %%%u 0\n", slot);
    return true;
}

static void print_insert(struct printer *p, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef part = LLVMGetOperand(v, 1);
    unsigned slot = print_slot(p, type, v);
    struct place to = {NULL, slot, 0};
    print_aggregate(p, LLVMGetOperand(v, 0), to);
    for (unsigned i = 0; i < LLVMGetNumIndices(v); i++) {
        to = part_place(p, type, LLVMGetIndices(v)[i], to);
        type = part_type(type, LLVMGetIndices(v)[i]);
    }
    if (is_aggregate(type))
        print_aggregate(p, part, to);
    else
        print_part_store(p, type, part, 0, &to);
}

static bool print_aggregate_part(struct printer *p, LLVMValueRef v)
{
    LLVMValueRef whole = LLVMGetOperand(v, 0);
    LLVMTypeRef type = LLVMTypeOf(whole);
    unsigned slot;
    if (!is_aggregate(type))
        return false;
    if (!get(&p->values, whole, &slot)) {
        slot = print_slot(p, type, NULL);
        print_aggregate(p, whole, (struct place){NULL, slot, 0});
    }
    struct place from = {NULL, slot, 0};
    for (unsigned i = 0; i < LLVMGetNumIndices(v); i++) {
        from = part_place(p, type, LLVMGetIndices(v)[i], from);
        type = part_type(type, LLVMGetIndices(v)[i]);
    }
    if (is_aggregate(type)) {
        unsigned to = print_slot(p, type, v);
        print_parts(p, type, (struct place){NULL, to, 0}, from);
    } else {
        print_part_load(p, type, &from, v);
    }
    return true;
}

// Vectors: the same operation on each element.

// The slot of a vector as an operand: a constant is given one.
static unsigned vector_slot(struct printer *p, LLVMValueRef v)
{
    unsigned slot;
    if (get(&p->values, v, &slot))
        return slot;
    slot = print_slot(p, LLVMTypeOf(v), NULL);
    print_aggregate(p, v, (struct place){NULL, slot, 0});
    return slot;
}

static LLVMTypeRef byte_type(struct printer *p)
{
    return LLVMInt8TypeInContext(LLVMGetModuleContext(p->module));
}

static unsigned print_converted(struct printer *p, const char *op, LLVMTypeRef to, unsigned from)
{
    unsigned number = p->next_value;
    begin(p, op, to, NULL, 0);
    fprintf(p->out, " 1 %%%u 0\n", from);
    return number;
}

static unsigned print_element_load(struct printer *p, LLVMTypeRef type, unsigned slot, unsigned i)
{
    struct place from = part_place(p, type, i, (struct place){NULL, slot, 0});
    LLVMTypeRef element = LLVMGetElementType(type);
    if (!is_of_booleans(type))
        return print_part_load(p, element, &from, NULL);
    return print_converted(p, "trunc", element, print_part_load(p, byte_type(p), &from, NULL));
}

static void print_element_store(struct printer *p, LLVMTypeRef type, unsigned number, unsigned slot,
                                unsigned i)
{
    struct place to = part_place(p, type, i, (struct place){NULL, slot, 0});
    LLVMTypeRef stored = LLVMGetElementType(type);
    if (is_of_booleans(type)) {
        stored = byte_type(p);
        number = print_converted(p, "zext", stored, number);
    }
    print_part_store(p, stored, NULL, number, &to);
}

static bool is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

enum { MOST_VECTOR_OPERANDS = 3 };

// Operators, comparisons, conversions, and choices by a vector or by one Boolean.
static void print_elementwise(struct printer *p, const char *op, LLVMValueRef v, uint64_t extra)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef mode = lower_rounding_of(v);
    unsigned slots[MOST_VECTOR_OPERANDS], numbers[MOST_VECTOR_OPERANDS];
    unsigned count = (unsigned)LLVMGetNumOperands(v);
    assert(count > 0 && count <= MOST_VECTOR_OPERANDS);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef operand = LLVMGetOperand(v, k);
        slots[k] = is_vector(operand) ? vector_slot(p, operand) : 0;
    }
    unsigned result = print_slot(p, type, v);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        for (unsigned k = 0; k < count; k++) {
            LLVMValueRef operand = LLVMGetOperand(v, k);
            if (is_vector(operand))
                numbers[k] = print_element_load(p, LLVMTypeOf(operand), slots[k], i);
        }
        unsigned number = p->next_value;
        begin(p, op, LLVMGetElementType(type), NULL, extra);
        fprintf(p->out, " %u", count + (mode != NULL));
        for (unsigned k = 0; k < count; k++) {
            if (is_vector(LLVMGetOperand(v, k)))
                fprintf(p->out, " %%%u", numbers[k]);
            else
                print_operand(p, LLVMGetOperand(v, k));
        }
        if (mode != NULL)
            print_operand(p, mode);
        fputs(" 0\n", p->out);
        print_element_store(p, type, number, result, i);
    }
}

// The same bytes with another type.
static bool print_vector_cast(struct printer *p, LLVMValueRef v)
{
    LLVMValueRef from = LLVMGetOperand(v, 0);
    LLVMTypeRef type = LLVMTypeOf(v);
    if (is_of_booleans(type) || is_of_booleans(LLVMTypeOf(from)))
        return false;
    if (!is_vector(from)) {
        struct place to = {NULL, print_slot(p, type, v), 0};
        print_part_store(p, LLVMTypeOf(from), from, 0, &to);
        return true;
    }
    struct place source = {NULL, vector_slot(p, from), 0};
    if (is_vector(v))
        print_parts(p, type, (struct place){NULL, print_slot(p, type, v), 0}, source);
    else
        print_part_load(p, type, &source, v);
    return true;
}

// The address of an element whose number may be computed.
static unsigned print_element_address(struct printer *p, LLVMTypeRef type, unsigned slot,
                                      LLVMValueRef index)
{
    unsigned number = p->next_value;
    begin(p, "gep", LLVMPointerTypeInContext(LLVMGetModuleContext(p->module), 0), NULL, 0);
    fprintf(p->out, " 2 %%%u", slot);
    print_operand(p, index);
    fprintf(p->out, " 2 0 %llu\n", LLVMABISizeOfType(p->layout, LLVMGetElementType(type)));
    return number;
}

static bool print_extract_element(struct printer *p, LLVMValueRef v)
{
    LLVMValueRef whole = LLVMGetOperand(v, 0), index = LLVMGetOperand(v, 1);
    LLVMTypeRef type = LLVMTypeOf(whole);
    if (is_of_booleans(type))
        return false;
    struct place from = {NULL, print_element_address(p, type, vector_slot(p, whole), index), 0};
    print_part_load(p, LLVMGetElementType(type), &from, v);
    return true;
}

static bool print_insert_element(struct printer *p, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (is_of_booleans(type))
        return false;
    unsigned result = print_slot(p, type, v);
    print_aggregate(p, LLVMGetOperand(v, 0), (struct place){NULL, result, 0});
    struct place to = {NULL, print_element_address(p, type, result, LLVMGetOperand(v, 2)), 0};
    print_part_store(p, LLVMGetElementType(type), LLVMGetOperand(v, 1), 0, &to);
    return true;
}

// Each element is one of the two vectors, or any value.
static void print_shuffle(struct printer *p, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v), from = LLVMTypeOf(LLVMGetOperand(v, 0));
    unsigned slots[2] = {vector_slot(p, LLVMGetOperand(v, 0)),
                         vector_slot(p, LLVMGetOperand(v, 1))};
    unsigned result = print_slot(p, type, v), each = LLVMGetVectorSize(from);
    assert(LLVMGetNumMaskElements(v) == LLVMGetVectorSize(type));
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        int which = LLVMGetMaskValue(v, i);
        if (which < 0)
            continue;
        unsigned at = (unsigned)which;
        print_element_store(p, type, print_element_load(p, from, slots[at / each], at % each),
                            result, i);
    }
}

// False: what it is cannot be said here.
static bool print_vector(struct printer *p, LLVMValueRef v)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op == LLVMShuffleVector)
        print_shuffle(p, v);
    else if (op == LLVMExtractElement)
        return print_extract_element(p, v);
    else if (op == LLVMInsertElement)
        return print_insert_element(p, v);
    else if (op == LLVMBitCast)
        return print_vector_cast(p, v);
    else if (op == LLVMICmp)
        print_elementwise(p, "icmp", v, (uint64_t)LLVMGetICmpPredicate(v));
    else if (op == LLVMFCmp)
        print_elementwise(p, "fcmp", v, (uint64_t)LLVMGetFCmpPredicate(v));
    else if (operator_name(op) != NULL && is_vector(v))
        print_elementwise(p, operator_name(op), v, 0);
    else
        return false;
    return true;
}

// A constant expression that is no operand by itself is computed by an instruction before, anew in each block: no run need
// come through the one that has computed it first.
static void name_constant(struct printer *p, LLVMValueRef v)
{
    unsigned n;
    if (LLVMIsAConstantExpr(v) == NULL || get_value(p, v, &n))
        return;
    LLVMValueRef base;
    int64_t offset;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind &&
        constant_address(p, v, &base, &offset))
        return;
    name_operands(p, v);
    LLVMOpcode op = LLVMGetConstOpcode(v);
    give(&p->constants, v, p->next_value++);
    if (op == LLVMGetElementPtr)
        print_gep(p, v);
    else if (operator_name(op) != NULL)
        print_plain(p, operator_name(op), v, 0);
    else {
        begin(p, "unsupported", LLVMTypeOf(v), v, 0);
        fputs(" 0 0 constant%20expression\n", p->out);
    }
}

static void name_operands(struct printer *p, LLVMValueRef v)
{
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        name_constant(p, LLVMGetOperand(v, (unsigned)i));
}

static unsigned block_number(struct printer *p, LLVMBasicBlockRef block)
{
    unsigned n = 0;
    bool there = get(&p->blocks, block, &n);
    assert(there); // a branch stays in its function
    (void)there;
    return n;
}

// Where the loop begins whose back edge this branch is: its keyword's position, or nothing.
static void print_loop_position(struct printer *p, LLVMValueRef branch, unsigned targets)
{
    LLVMValueRef node = LLVMGetMetadata(branch, p->dbg_kind_loop);
    unsigned line = 0, column = 0;
    unsigned count = node == NULL ? 0 : LLVMGetMDNodeNumOperands(node);
    LLVMValueRef operands[16];
    if (count > 16)
        count = 0;
    if (count > 0)
        LLVMGetMDNodeOperands(node, operands);
    for (unsigned i = 0; i < count && line == 0; i++) {
        LLVMMetadataRef m = operands[i] == NULL ? NULL : LLVMValueAsMetadata(operands[i]);
        if (m != NULL && LLVMGetMetadataKind(m) == LLVMDILocationMetadataKind) {
            line = LLVMDILocationGetLine(m);
            column = LLVMDILocationGetColumn(m);
        }
    }
    fprintf(p->out, " %u", targets + 2);
    for (unsigned i = 0; i < targets; i++)
        fprintf(p->out, " %u", block_number(p, LLVMGetSuccessor(branch, i)));
    fprintf(p->out, " %u %u\n", line, column);
}

static void print_branch(struct printer *p, LLVMValueRef v)
{
    bool conditional = LLVMIsConditional(v);
    begin(p, "br", NULL, v, 0);
    fprintf(p->out, " %d", conditional);
    if (conditional)
        print_operand(p, LLVMGetCondition(v));
    print_loop_position(p, v, conditional ? 2 : 1);
}

static void print_switch(struct printer *p, LLVMValueRef v)
{
    begin(p, "switch", NULL, v, 0);
    assert(LLVMGetNumSuccessors(v) > 0);
    unsigned cases = LLVMGetNumSuccessors(v) - 1; // operands: condition, default, value, target, …
    fprintf(p->out, " %u", cases + 1);
    print_operand(p, LLVMGetOperand(v, 0));
    for (unsigned i = 0; i < cases; i++)
        print_operand(p, LLVMGetOperand(v, 2 + 2 * i));
    fprintf(p->out, " %u %u", cases + 1, block_number(p, LLVMGetSwitchDefaultDest(v)));
    for (unsigned i = 1; i <= cases; i++)
        fprintf(p->out, " %u", block_number(p, LLVMGetSuccessor(v, i)));
    fputc('\n', p->out);
}

static void print_phi(struct printer *p, LLVMValueRef v)
{
    unsigned count = LLVMCountIncoming(v);
    begin(p, "phi", LLVMTypeOf(v), v, 0);
    fprintf(p->out, " %u", count);
    for (unsigned i = 0; i < count; i++)
        print_operand(p, LLVMGetIncomingValue(v, i));
    fprintf(p->out, " %u", count);
    for (unsigned i = 0; i < count; i++)
        fprintf(p->out, " %u", block_number(p, LLVMGetIncomingBlock(v, i)));
    fputc('\n', p->out);
}

static LLVMMetadataRef metadata_operand(LLVMValueRef call, unsigned i)
{
    LLVMValueRef v = LLVMGetOperand(call, i);
    return LLVMIsAMDNode(v) ? LLVMValueAsMetadata(v) : NULL;
}

static const char *string_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned i,
                                  unsigned *length)
{
    LLVMValueRef v = LLVMMetadataAsValue(context, node), operands[16];
    unsigned count = LLVMGetMDNodeNumOperands(v);
    *length = 0;
    if (count > 16 || i >= count)
        return NULL;
    LLVMGetMDNodeOperands(v, operands);
    return operands[i] == NULL ? NULL : LLVMGetMDString(operands[i], length);
}

static LLVMMetadataRef node_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef v = LLVMMetadataAsValue(context, node), operands[16];
    unsigned count = LLVMGetMDNodeNumOperands(v);
    if (count > 16 || i >= count)
        return NULL;
    LLVMGetMDNodeOperands(v, operands);
    return operands[i] == NULL ? NULL : LLVMValueAsMetadata(operands[i]);
}

#define TAG_ARRAY 0x01

// The type without its aliases: "unsigned int", "int[]", "pointer", "aggregate".
static void print_type_name(struct printer *p, LLVMContextRef context, LLVMMetadataRef type)
{
    for (unsigned depth = 0; type != NULL && depth < 16; depth++) {
        LLVMMetadataKind kind = LLVMGetMetadataKind(type);
        size_t length = 0;
        const char *name = LLVMDITypeGetName(type, &length);
        bool alias =
            kind == LLVMDIDerivedTypeMetadataKind && LLVMGetDINodeTag(type) != 0x0f /* pointer */;
        bool array = kind == LLVMDICompositeTypeMetadataKind && LLVMGetDINodeTag(type) == TAG_ARRAY;
        if (array) {
            print_type_name(p, context, node_operand(context, type, 3));
            fputs("[]", p->out);
            return;
        }
        if (!alias) {
            if (kind == LLVMDIDerivedTypeMetadataKind)
                fputs("pointer", p->out);
            else if (kind == LLVMDIBasicTypeMetadataKind)
                print_word(p->out, name, length);
            else
                fputs("aggregate", p->out);
            return;
        }
        LLVMValueRef v = LLVMMetadataAsValue(context, type), operands[16];
        unsigned count = LLVMGetMDNodeNumOperands(v);
        if (count > 16 || count < 4)
            break;
        LLVMGetMDNodeOperands(v, operands);
        type = operands[3] == NULL ? NULL : LLVMValueAsMetadata(operands[3]);
    }
    fputs("%", p->out);
}

// Line and column where the scope of a variable begins; 0 0 for its function's.
static void print_scope(struct printer *p, LLVMContextRef context, LLVMMetadataRef variable)
{
    LLVMMetadataRef scope = node_operand(context, variable, 0);
    unsigned line = 0, column = 0;
    if (scope != NULL && LLVMGetMetadataKind(scope) == LLVMDILexicalBlockMetadataKind) {
        // llvm-c has no accessor for a block's place: it is told by the text of the node.
        char *text = LLVMPrintValueToString(LLVMMetadataAsValue(context, scope));
        const char *at = strstr(text, "line: "), *then = strstr(text, "column: ");
        line = at == NULL ? 0 : (unsigned)strtoul(at + 6, NULL, 10);
        column = then == NULL ? 0 : (unsigned)strtoul(then + 8, NULL, 10);
        LLVMDisposeMessage(text);
    }
    fprintf(p->out, " %u %u", line, column);
}

// N value line type name line column: what the programmer calls this slot, and where its scope begins.
static void print_declare(struct printer *p, LLVMValueRef call)
{
    LLVMContextRef context = LLVMGetModuleContext(p->module);
    LLVMValueRef wrapped = LLVMGetOperand(call, 0), slot = NULL;
    LLVMMetadataRef variable = metadata_operand(call, 1);
    if (LLVMGetMDNodeNumOperands(wrapped) == 1)
        LLVMGetMDNodeOperands(wrapped, &slot);
    unsigned number, length;
    if (slot == NULL || variable == NULL || !get(&p->values, slot, &number))
        return;
    const char *name = string_operand(context, variable, 1, &length);
    if (name == NULL)
        return;
    fprintf(p->out, "N %u %u ", number, LLVMDIVariableGetLine(variable));
    print_type_name(p, context, node_operand(context, variable, 3));
    fputc(' ', p->out);
    print_word(p->out, name, length);
    print_scope(p, context, variable);
    fputc('\n', p->out);
}

static void print_label(struct printer *p, LLVMValueRef call)
{
    unsigned length = 0;
    LLVMMetadataRef label = metadata_operand(call, 0);
    const char *name =
        label == NULL ? NULL : string_operand(LLVMGetModuleContext(p->module), label, 1, &length);
    if (name == NULL)
        return;
    begin(p, "label", NULL, NULL, 0);
    fputs(" 0 0 ", p->out);
    print_word(p->out, name, length);
    fputc('\n', p->out);
}

// The bytes of a constant string, if this is one.
static const char *constant_text(LLVMValueRef v, size_t *length)
{
    LLVMValueRef initial = LLVMIsAGlobalVariable(v) ? LLVMGetInitializer(v) : NULL;
    if (initial == NULL || !LLVMIsGlobalConstant(v) || !LLVMIsConstantString(initial))
        return NULL;
    return LLVMGetAsString(initial, length);
}

enum { CONVERSION_TEXT = -2, CONVERSION_LINE = -3 };

// A string without blanks (`s`), or without an end of line (`[^\n]`); it begins at `*at`.
static int text_conversion(const char **at, const char *end)
{
    static const char line[] = "[^\n]";
    const size_t length = sizeof line - 1;
    if (*at < end && **at == 's') {
        ++*at;
        return CONVERSION_TEXT;
    }
    if ((size_t)(end - *at) < length || memcmp(*at, line, length) != 0)
        return -1;
    *at += length;
    return CONVERSION_LINE;
}

// How many bytes the conversion at `*at` (behind its %) writes; 0 for none, -1 for what is not known. Of texts, which: at most
// `*width` characters of one, 0 for any number.
static int conversion_bytes(const char **at, const char *end, bool wide, int *width)
{
    int longs = 0, shorts = 0;
    bool skipped = false;
    *width = 0;
    for (; *at < end; (*at)++) {
        char c = **at;
        if (c == '*')
            skipped = true;
        else if (c == 'l' || c == 'L' || c == 'q')
            longs += c == 'l' ? 1 : 2;
        else if (c == 'h')
            shorts++;
        else if (c == 'z' || c == 't')
            longs = 1;
        else if (c == 'j')
            longs = 2;
        else if (!isdigit((unsigned char)c))
            break;
        else if (!(longs == 0 && shorts == 0) || *width > 100000)
            return -1;
        else
            *width = 10 * *width + (c - '0');
    }
    if (longs + shorts == 0 && !skipped && *at < end && (**at == 's' || **at == '['))
        return text_conversion(at, end);
    char c = *at < end ? *(*at)++ : '\0';
    if (c == '%' || skipped)
        return strchr("diuxXocfgeEGaAn%p", c) != NULL && c != '\0' ? 0 : -1;
    if (strchr("diuxXon", c) != NULL && c != '\0')
        return longs >= 2 ? 8 : longs == 1 ? (wide ? 8 : 4) : shorts >= 2 ? 1 : shorts == 1 ? 2 : 4;
    if (strchr("fgeEGaA", c) != NULL && c != '\0')
        return longs >= 2 ? -1 : longs == 1 ? 8 : 4;
    return c == 'c' && (*at)[-2] == '%' ? 1 : -1;
}

// scanf writes anything to where its pointers point: a call of a function that does so for each of them. What a format with strings
// writes is not said, and a call that has pointers then is not followed.
static void print_scans(struct printer *p, LLVMValueRef call, const char *name)
{
    unsigned format = strstr(name, "fscanf") == NULL ? 0 : 1;
    unsigned count = LLVMGetNumArgOperands(call), next = format + 1;
    size_t length = 0;
    const char *at = count > format ? constant_text(LLVMGetOperand(call, format), &length) : NULL;
    const char *end = at == NULL ? NULL : at + strnlen(at, length);
    bool known = at != NULL;
    while (known && at < end) {
        if (*at++ != '%')
            continue;
        int width = 0, bytes = conversion_bytes(&at, end, LLVMPointerSize(p->layout) == 8, &width);
        bool text = bytes == CONVERSION_TEXT || bytes == CONVERSION_LINE;
        known = (bytes >= 0 || text) && (bytes == 0 || next < count);
        assert(width >= 0 && (bytes >= 0 || text || !known));
        char helper[40];
        unsigned n = 0;
        snprintf(helper, sizeof helper, "__regatta_scan_%d", bytes);
        if (text)
            snprintf(helper, sizeof helper, "__regatta_scan_%s",
                     bytes == CONVERSION_TEXT ? "text" : "line");
        LLVMValueRef f = LLVMGetNamedFunction(p->module, helper);
        if (bytes == 0 || !known)
            continue;
        known = f != NULL && get(&p->functions, f, &n);
        begin(p, "call", NULL, NULL, 0);
        fprintf(p->out, " %d f:%u", text ? 3 : 2, n);
        print_operand(p, LLVMGetOperand(call, next++));
        if (text)
            fprintf(p->out, " i32:%d", width);
        fputs(text ? " 2 0 0\n" : " 1 0\n", p->out);
    }
    if (known)
        return;
    begin(p, "unsupported", NULL, NULL, 0);
    fputs(" 0 0 ", p->out);
    print_word(p->out, name, strlen(name));
    fputs("%20with%20this%20format\n", p->out);
}

#define MOST_OPEN_BYTES 256

// Zeros, or bytes that are left open.
static bool has_zeros_only(LLVMValueRef initial)
{
    LLVMTypeRef type = LLVMTypeOf(initial);
    if (LLVMIsNull(initial) || LLVMIsUndef(initial))
        return true;
    bool zeros = is_aggregate(type) && LLVMGetTypeKind(type) != LLVMVectorTypeKind;
    for (unsigned i = 0; zeros && i < count_parts(type); i++) {
        LLVMValueRef part = LLVMGetAggregateElement(initial, i);
        zeros = part != NULL && has_zeros_only(part);
    }
    return zeros;
}

// What the initialiser of a variable leaves open (behind a union's member, mostly) is arbitrary in the variable. Beside zeros it is zero in
// a run: that is what compilers make of `{}` and `{0}`. The count goes down with each byte.
static void print_open_bytes(struct printer *p, LLVMValueRef initial, struct place to, bool zeros,
                             int *left)
{
    LLVMTypeRef type = LLVMTypeOf(initial);
    if (LLVMIsUndef(initial)) {
        uint64_t bytes = LLVMABISizeOfType(p->layout, type);
        for (uint64_t i = 0; i < bytes && (*left)-- > 0; i++) {
            struct place at = {to.address, to.number, to.offset + i};
            unsigned address = print_part_address(p, &at);
            begin(p, "store", byte_type(p), NULL, 0);
            fprintf(p->out, " 2 %c:i8 %%%u 1 1\n", zeros ? 'z' : 'u', address);
        }
    } else if (is_aggregate(type) && LLVMGetTypeKind(type) != LLVMVectorTypeKind &&
               !LLVMIsNull(initial)) {
        zeros = has_zeros_only(initial);
        for (unsigned i = 0; i < count_parts(type); i++) {
            LLVMValueRef part = LLVMGetAggregateElement(initial, i);
            if (part != NULL)
                print_open_bytes(p, part, part_place(p, type, i, to), zeros, left);
        }
    }
}

static void print_any_bytes(struct printer *p, struct place to, uint64_t bytes)
{
    LLVMTypeRef byte = byte_type(p);
    for (uint64_t i = 0; i < bytes; i++, to.offset++)
        print_part_store(p, byte, LLVMGetUndef(byte), 0, &to);
}

// Any value for each part of this place, and any bytes between them.
static void print_any(struct printer *p, LLVMTypeRef type, struct place to)
{
    if (!is_aggregate(type)) {
        print_part_store(p, type, LLVMGetUndef(type), 0, &to);
        return;
    }
    const uint64_t end = to.offset + LLVMABISizeOfType(p->layout, type);
    struct place gap = to;
    for (unsigned i = 0; i < count_parts(type); i++) {
        struct place part = part_place(p, type, i, to);
        print_any_bytes(p, gap, part.offset - gap.offset);
        print_any(p, part_type(type, i), part);
        gap.offset = part.offset + LLVMStoreSizeOfType(p->layout, part_type(type, i));
    }
    print_any_bytes(p, gap, end - gap.offset);
}

static bool holds_pointer(LLVMTypeRef type)
{
    bool found = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    for (unsigned i = 0; is_aggregate(type) && !found && i < count_parts(type); i++)
        found = holds_pointer(part_type(type, i));
    return found;
}

// A function without a body that writes what it returns to where its first argument points: the type of that, else NULL.
static LLVMTypeRef open_result(struct printer *p, LLVMValueRef call)
{
    LLVMAttributeRef result = LLVMGetCallSiteEnumAttribute(call, 1, p->sret_kind);
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMTypeRef type = result == NULL ? NULL : LLVMGetTypeAttributeValue(result);
    bool open = type != NULL && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) &&
                LLVMABISizeOfType(p->layout, type) <= MOST_OPEN_BYTES;
    return open ? type : NULL;
}

// A local variable is initialised by a copy of a constant. What is static has zeros there, as compilers make it.
static void print_open_copy(struct printer *p, LLVMValueRef call, const char *name)
{
    if (strncmp(name, "llvm.memcpy.", 12) != 0)
        return;
    LLVMValueRef from = LLVMGetOperand(call, 1);
    if (LLVMIsAGlobalVariable(from) == NULL || !LLVMIsGlobalConstant(from) ||
        LLVMGetInitializer(from) == NULL || LLVMGetLinkage(from) != LLVMPrivateLinkage)
        return;
    int left = MOST_OPEN_BYTES;
    print_open_bytes(p, LLVMGetInitializer(from), (struct place){LLVMGetOperand(call, 0), 0, 0},
                     false, &left);
    if (left >= 0)
        return;
    begin(p, "unsupported", NULL, NULL, 0);
    fputs(" 0 0 so%20many%20bytes%20that%20an%20initialiser%20leaves%20open\n", p->out);
}

// Is this a word of the assembler that changes no register and no memory?
static bool does_nothing(const char *word, size_t length)
{
    static const char *const words[] = {"nop", "pause", "rep", "mfence", "lfence", "sfence"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
            return true;
    }
    return false;
}

static bool has_no_effect(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t word = strcspn(text + i, " \t\n;#");
        if (text[i] == '#') // to the end of the line
            i += strcspn(text + i, "\n");
        else if (word == 0)
            i++;
        else if (!does_nothing(text + i, word))
            return false;
        else
            i += word;
    }
    return true;
}

enum { MOST_ASSEMBLY_OUTPUTS = 16 };

// "=r,=*m,r,0,~{memory}": results in registers and in memory (whose addresses are arguments), then inputs, of which some lie
// where a result is. For each result in a register the argument that lies there, or none; their count, or -1.
static int read_constraints(const char *text, LLVMValueRef call, LLVMValueRef *out)
{
    int results = 0, outputs = 0, place[MOST_ASSEMBLY_OUTPUTS]; // by output: which result it is
    unsigned argument = 0, count = LLVMGetNumArgOperands(call);
    for (const char *at = text; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        char *end;
        if (*at == '~')
            continue;
        if (*at == '=') {
            bool memory = at[strspn(at, "=&")] == '*';
            if (outputs == MOST_ASSEMBLY_OUTPUTS)
                return -1;
            place[outputs++] = memory ? -1 : results;
            argument += memory;
            if (!memory)
                out[results++] = NULL;
            continue;
        }
        unsigned long which = strtoul(at, &end, 10);
        if (end != at && which < (unsigned long)outputs && place[which] >= 0 && argument < count)
            out[place[which]] = LLVMGetOperand(call, argument);
        argument++;
    }
    return argument == count ? results : -1;
}

// Assembly without an effect orders memory for the compiler: what it is given where a result is stays there, any other result is any
// value.
static bool print_empty_assembly(struct printer *p, LLVMValueRef v, LLVMValueRef assembly)
{
    size_t length, constraint_length;
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef kept[MOST_ASSEMBLY_OUTPUTS];
    const char *text = LLVMGetInlineAsmAsmString(assembly, &length);
    char *code = strndup(text, length);
    text = LLVMGetInlineAsmConstraintString(assembly, &constraint_length);
    char *constraints = strndup(text, constraint_length);
    bool known = code != NULL && constraints != NULL && strlen(code) == length &&
                 has_no_effect(code, length);
    int results = known ? read_constraints(constraints, v, kept) : -1;
    free(code);
    free(constraints);
    bool several = results > 1;
    if (results < 0 || (several && (!is_aggregate(type) || count_parts(type) != (unsigned)results)))
        return false;
    for (int k = 0; k < results; k++) {
        LLVMTypeRef part = several ? part_type(type, (unsigned)k) : type;
        if (is_aggregate(part) || (kept[k] != NULL && LLVMTypeOf(kept[k]) != part))
            return false;
    }
    if (several) {
        struct place whole = {NULL, print_slot(p, type, v), 0};
        for (int k = 0; k < results; k++) {
            struct place to = part_place(p, type, (unsigned)k, whole);
            if (kept[k] != NULL)
                print_part_store(p, LLVMTypeOf(kept[k]), kept[k], 0, &to);
        }
    } else if (results == 1) {
        begin(p, "freeze", type, v, 0);
        fputs(" 1", p->out);
        print_operand(p, kept[0] != NULL ? kept[0] : LLVMGetUndef(type));
        fputs(" 0\n", p->out);
    }
    return true;
}

static void print_call(struct printer *p, LLVMValueRef v)
{
    LLVMValueRef callee = LLVMGetCalledValue(v);
    size_t length = 0;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    if (strcmp(name, "llvm.dbg.declare") == 0) {
        print_declare(p, v);
        return;
    }
    if (strcmp(name, "llvm.dbg.label") == 0) {
        print_label(p, v);
        return;
    }
    if (strncmp(name, "llvm.dbg.", 9) == 0)
        return;
    if (LLVMIsAInlineAsm(callee) && print_empty_assembly(p, v, callee))
        return;
    if (LLVMIsAInlineAsm(callee)) {
        begin(p, "unsupported", LLVMTypeOf(v), v, 0);
        fputs(" 0 0 inline%20assembly\n", p->out);
        return;
    }
    if (library_is_scan(name))
        print_scans(p, v, name);
    unsigned count = LLVMGetNumArgOperands(v);
    // Without a body it gives any value.
    bool open = is_aggregate(LLVMTypeOf(v)) && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee);
    unsigned slot = open ? print_slot(p, LLVMTypeOf(v), v) : 0, number = p->next_value;
    // Two words of one number, which an input is.
    bool wide = open && (strcmp(name, "__VERIFIER_nondet_int128") == 0 ||
                         strcmp(name, "__VERIFIER_nondet_uint128") == 0);
    LLVMTypeRef whole = LLVMIntTypeInContext(LLVMGetModuleContext(p->module), 128);
    LLVMTypeRef written = open_result(p, v);
    const unsigned first = written != NULL; // that argument is no affair of the function's
    if (written != NULL)
        print_any(p, written, (struct place){LLVMGetOperand(v, 0), 0, 0});
    // A pointer that it gives is not followed, be it one part of many.
    LLVMTypeRef given = written != NULL ? written : LLVMTypeOf(v);
    LLVMTypeRef told = wide ? whole
                       : (open || written != NULL) && holds_pointer(given)
                           ? LLVMPointerTypeInContext(LLVMGetModuleContext(p->module), 0)
                       : open ? NULL
                              : LLVMTypeOf(v);
    begin(p, "call", told, open || written != NULL ? NULL : v, 0);
    fprintf(p->out, " %u", count - first + 1);
    print_operand(p, callee);
    for (unsigned i = first; i < count; i++)
        print_operand(p, LLVMGetOperand(v, i));
    fprintf(p->out, " %u", count - first);
    for (unsigned i = first; i < count; i++) {
        LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(v, i + 1, p->byval_kind);
        LLVMTypeRef argument = LLVMTypeOf(LLVMGetOperand(v, i));
        // Behind the parameters of a variadic function two floats that travel as one are their bytes, not a slot.
        bool bytes =
            i >= LLVMCountParamTypes(LLVMGetCalledFunctionType(v)) && is_aggregate(argument);
        LLVMTypeRef copied = byval != NULL ? LLVMGetTypeAttributeValue(byval) : argument;
        fprintf(p->out, " %llu",
                byval == NULL && !bytes ? 0 : LLVMABISizeOfType(p->layout, copied));
    }
    fputc('\n', p->out);
    if (wide)
        print_part_store(p, whole, NULL, number, &(struct place){NULL, slot, 0});
    print_open_copy(p, v, name);
}

static void print_alloca(struct printer *p, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMGetAllocatedType(v);
    begin(p, "alloca", LLVMTypeOf(v), v, LLVMABISizeOfType(p->layout, type));
    fputs(" 1", p->out);
    print_operand(p, LLVMGetOperand(v, 0));
    fprintf(p->out, " 1 %u\n", LLVMGetAlignment(v));
}

// Loads and stores: whether volatile. Atomic ones have a number more: 2 where they begin or end a step that is not interrupted.
static void print_access(struct printer *p, const char *op, LLVMValueRef v)
{
    bool store = LLVMIsAStoreInst(v) != NULL;
    LLVMTypeRef type = store ? LLVMTypeOf(LLVMGetOperand(v, 0)) : LLVMTypeOf(v);
    begin(p, op, type, v, (uint64_t)LLVMGetVolatile(v));
    fprintf(p->out, " %d", store ? 2 : 1);
    print_operand(p, LLVMGetOperand(v, 0));
    if (store)
        print_operand(p, LLVMGetOperand(v, 1));
    const bool atomic = LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic;
    fprintf(p->out, " %d %llu%s\n", 1 + atomic, LLVMStoreSizeOfType(p->layout, type),
            atomic ? " 1" : "");
}

// Atomic operations that read and write are a load and a store.

static unsigned print_atomic_load(struct printer *p, LLVMTypeRef type, LLVMValueRef address,
                                  LLVMValueRef v)
{
    unsigned number = p->next_value;
    if (v == NULL || !get(&p->values, v, &number))
        number = p->next_value;
    begin(p, "load", type, v, 0);
    fputs(" 1", p->out);
    print_operand(p, address);
    fprintf(p->out, " 2 %llu 2\n", LLVMStoreSizeOfType(p->layout, type));
    return number;
}

static void print_atomic_store(struct printer *p, LLVMTypeRef type, unsigned value,
                               LLVMValueRef address)
{
    begin(p, "store", type, NULL, 0);
    fprintf(p->out, " 2 %%%u", value);
    print_operand(p, address);
    fprintf(p->out, " 2 %llu 2\n", LLVMStoreSizeOfType(p->layout, type));
}

// The value that an operation makes of the old one and its operand.
static unsigned print_operation(struct printer *p, const char *op, LLVMTypeRef type, uint64_t extra,
                                unsigned before, LLVMValueRef operand)
{
    unsigned number = p->next_value;
    assert(before < number);
    begin(p, op, type, NULL, extra);
    fprintf(p->out, " 2 %%%u", before);
    print_operand(p, operand);
    fputs(" 0\n", p->out);
    return number;
}

static unsigned print_choice(struct printer *p, LLVMTypeRef type, unsigned condition,
                             LLVMValueRef then, unsigned otherwise)
{
    unsigned number = p->next_value;
    assert(condition < number && otherwise < number);
    begin(p, "select", type, NULL, 0);
    fprintf(p->out, " 3 %%%u", condition);
    print_operand(p, then);
    fprintf(p->out, " %%%u 0\n", otherwise);
    return number;
}

// False for the operations that C programs do not make.
static bool print_read_modify_write(struct printer *p, LLVMValueRef v)
{
    static const char *const names[] = {
        [LLVMAtomicRMWBinOpXchg] = "",     [LLVMAtomicRMWBinOpAdd] = "add",
        [LLVMAtomicRMWBinOpSub] = "sub",   [LLVMAtomicRMWBinOpAnd] = "and",
        [LLVMAtomicRMWBinOpNand] = "nand", [LLVMAtomicRMWBinOpOr] = "or",
        [LLVMAtomicRMWBinOpXor] = "xor"};
    LLVMAtomicRMWBinOp kind = LLVMGetAtomicRMWBinOp(v);
    LLVMValueRef address = LLVMGetOperand(v, 0), operand = LLVMGetOperand(v, 1);
    LLVMTypeRef type = LLVMTypeOf(v);
    bool known = (size_t)kind < sizeof names / sizeof names[0] && names[kind] != NULL;
    if (!known || (kind != LLVMAtomicRMWBinOpXchg && LLVMGetTypeKind(type) != LLVMIntegerTypeKind))
        return false;
    unsigned before = print_atomic_load(p, type, address, v);
    if (kind == LLVMAtomicRMWBinOpXchg) {
        begin(p, "store", type, NULL, 0);
        fputs(" 2", p->out);
        print_operand(p, operand);
        print_operand(p, address);
        fprintf(p->out, " 2 %llu 2\n", LLVMStoreSizeOfType(p->layout, type));
        return true;
    }
    bool inverted = kind == LLVMAtomicRMWBinOpNand;
    unsigned after = print_operation(p, inverted ? "and" : names[kind], type, 0, before, operand);
    if (inverted)
        after = print_operation(p, "xor", type, 0, after, LLVMConstAllOnes(type));
    print_atomic_store(p, type, after, address);
    return true;
}

// Its result, the old value and whether it was the expected one, has two numbers; extractvalue means one of them.
static void print_compare_exchange(struct printer *p, LLVMValueRef v)
{
    LLVMValueRef address = LLVMGetOperand(v, 0), expected = LLVMGetOperand(v, 1),
                 next = LLVMGetOperand(v, 2);
    LLVMTypeRef type = LLVMTypeOf(expected);
    LLVMTypeRef boolean = LLVMInt1TypeInContext(LLVMGetModuleContext(p->module));
    unsigned before = print_atomic_load(p, type, address, NULL);
    unsigned same = print_operation(p, "icmp", boolean, LLVMIntEQ, before, expected);
    assert(same == before + 1); // print_exchanged counts on it
    unsigned after = print_choice(p, type, same, next, before);
    print_atomic_store(p, type, after, address);
    give(&p->exchanged, v, before);
}

static bool print_exchanged(struct printer *p, LLVMValueRef v)
{
    unsigned before;
    if (LLVMGetNumIndices(v) != 1 || !get(&p->exchanged, LLVMGetOperand(v, 0), &before))
        return false;
    // The comparison is the next value after the load.
    assert(LLVMGetIndices(v)[0] < 2);
    begin(p, "freeze", LLVMTypeOf(v), v, 0);
    fprintf(p->out, " 1 %%%u 0\n", before + LLVMGetIndices(v)[0]);
    return true;
}

static void print_extract(struct printer *p, LLVMValueRef v)
{
    if (print_exchanged(p, v) || print_aggregate_part(p, v))
        return;
    if (LLVMGetNumIndices(v) != 1) {
        begin(p, "unsupported", LLVMTypeOf(v), v, 0);
        fputs(" 0 0 nested%20aggregate%20value\n", p->out);
        return;
    }
    begin(p, "extractvalue", LLVMTypeOf(v), v, LLVMGetIndices(v)[0]);
    fputs(" 1", p->out);
    print_operand(p, LLVMGetOperand(v, 0));
    fputs(" 0\n", p->out);
}

static void print_unsupported(struct printer *p, LLVMValueRef v)
{
    char *text = LLVMPrintValueToString(v);
    char *word = text + strspn(text, " ");
    char *equals = strstr(word, "= ");
    if (equals != NULL && *word == '%')
        word = equals + 2;
    begin(p, "unsupported", LLVMTypeOf(v), v, 0);
    fputs(" 0 0 the%20instruction%20", p->out);
    print_word(p->out, word, strcspn(word, " \n"));
    fputc('\n', p->out);
    LLVMDisposeMessage(text);
}

// An instruction that computes with vectors; moving them is what is done with all aggregates.
static bool is_of_vectors(LLVMValueRef v, LLVMOpcode op)
{
    bool moves = op == LLVMPHI || op == LLVMCall || op == LLVMLoad || op == LLVMStore ||
                 op == LLVMRet || op == LLVMExtractValue || op == LLVMInsertValue;
    return !moves && LLVMGetNumOperands(v) > 0 && (is_vector(v) || is_vector(LLVMGetOperand(v, 0)));
}

static void print_instruction(struct printer *p, LLVMValueRef v)
{
    p->at = v;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op != LLVMPHI && op != LLVMCall)
        name_operands(p, v);
    if (op == LLVMCall) {
        for (unsigned i = 0; i < LLVMGetNumArgOperands(v); i++)
            name_constant(p, LLVMGetOperand(v, i));
    }
    if (is_of_vectors(v, op)) {
        if (!print_vector(p, v))
            print_unsupported(p, v);
        return;
    }
    switch (op) {
    case LLVMAlloca:
        print_alloca(p, v);
        return;
    case LLVMLoad:
        if (!print_aggregate_access(p, v))
            print_access(p, "load", v);
        return;
    case LLVMStore:
        if (!print_aggregate_access(p, v))
            print_access(p, "store", v);
        return;
    case LLVMFence:
        return;
    case LLVMAtomicRMW:
        if (!print_read_modify_write(p, v))
            print_unsupported(p, v);
        return;
    case LLVMAtomicCmpXchg:
        print_compare_exchange(p, v);
        return;
    case LLVMGetElementPtr:
        print_gep(p, v);
        return;
    case LLVMICmp:
        print_plain(p, "icmp", v, (uint64_t)LLVMGetICmpPredicate(v));
        return;
    case LLVMFCmp:
        print_plain(p, "fcmp", v, (uint64_t)LLVMGetFCmpPredicate(v));
        return;
    case LLVMBr:
        print_branch(p, v);
        return;
    case LLVMSwitch:
        print_switch(p, v);
        return;
    case LLVMPHI:
        print_phi(p, v);
        return;
    case LLVMCall:
        print_call(p, v);
        return;
    case LLVMRet:
        if (!print_aggregate_return(p, v))
            print_plain(p, "ret", v, 0);
        return;
    case LLVMUnreachable:
        print_plain(p, "unreachable", v, 0);
        return;
    case LLVMExtractValue:
        print_extract(p, v);
        return;
    case LLVMInsertValue:
        print_insert(p, v);
        return;
    case LLVMIndirectBr:
    case LLVMCallBr:
        if (op == LLVMCallBr) {
            begin(p, "unsupported", LLVMTypeOf(v), v, 0);
            fputs(" 0 0 inline%20assembly%20that%20jumps\n", p->out);
        } else {
            print_unsupported(p, v);
        }
        begin(p, "unreachable", NULL, NULL, 0);
        fputs(" 0 0\n", p->out);
        return;
    default:
        break;
    }
    const char *name = operator_name(op);
    if (LLVMGetNumOperands(v) > 0 &&
        (is_aggregate(LLVMTypeOf(v)) || is_aggregate(LLVMTypeOf(LLVMGetOperand(v, 0)))))
        name = NULL;
    bool wraps = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
    if (name != NULL)
        print_plain(p, name, v, wraps && LLVMGetNSW(v) ? 1 : 0);
    else
        print_unsupported(p, v);
}

static void number_body(struct printer *p, LLVMValueRef function)
{
    forget(&p->values);
    forget(&p->blocks);
    forget(&p->exchanged);
    forget(&p->constants);
    p->next_value = 0;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        give(&p->values, LLVMGetParam(function, i), p->next_value++);
    unsigned block_count = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        give(&p->blocks, b, block_count++);
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL; v = LLVMGetNextInstruction(v))
            give(&p->values, v, p->next_value++);
    }
}

// Assembly outside of functions may define anything, constructors and destructors run around main: it is said where the
// program begins.
static void print_module_assembly(struct printer *p, LLVMValueRef function)
{
    size_t name_length, length;
    bool start = strcmp(LLVMGetValueName2(function, &name_length), "main") == 0;
    LLVMGetModuleInlineAsm(p->module, &length);
    bool around = LLVMGetNamedGlobal(p->module, "llvm.global_ctors") != NULL ||
                  LLVMGetNamedGlobal(p->module, "llvm.global_dtors") != NULL;
    if (!start || (length == 0 && !around))
        return;
    p->at = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(function));
    begin(p, "unsupported", NULL, NULL, 0);
    fputs(length != 0 ? " 0 0 inline%20assembly%20outside%20of%20functions\n"
                      : " 0 0 functions%20that%20run%20before%20or%20after%20main\n",
          p->out);
}

// Constant expressions among which a block chooses by where a run came from are computed before all blocks.
static void name_joined(struct printer *p, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL;
         b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL && LLVMIsAPHINode(v) != NULL;
             v = LLVMGetNextInstruction(v)) {
            p->at = v;
            name_operands(p, v);
        }
    for (size_t i = 0; i < p->constants.capacity; i++)
        if (p->constants.slot[i].key != NULL)
            give(&p->values, p->constants.slot[i].key, p->constants.slot[i].value);
}

static void print_body(struct printer *p, LLVMValueRef function)
{
    number_body(p, function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b != NULL;
         b = LLVMGetNextBasicBlock(b)) {
        fputs("B\n", p->out);
        forget(&p->constants);
        if (b == LLVMGetFirstBasicBlock(function)) {
            print_module_assembly(p, function);
            name_joined(p, function);
        }
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v != NULL; v = LLVMGetNextInstruction(v))
            print_instruction(p, v);
    }
    fputs("E\n", p->out);
}

// F name defined variadic line result parameters…; defined is 2 where our library does it
static void print_function(struct printer *p, LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMMetadataRef debug = LLVMGetSubprogram(function);
    const bool defined = !LLVMIsDeclaration(function);
    fputs("F ", p->out);
    print_word(p->out, name, length);
    fprintf(p->out, " %d %d %u ",
            !defined                     ? 0
            : library_has_made(function) ? 2
                                         : 1,
            LLVMIsFunctionVarArg(type), debug == NULL ? 0 : LLVMDISubprogramGetLine(debug));
    print_type(p, LLVMGetReturnType(type));
    fprintf(p->out, " %u", LLVMCountParams(function));
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        fputc(' ', p->out);
        print_type(p, LLVMTypeOf(LLVMGetParam(function, i)));
    }
    fputc('\n', p->out);
    if (defined)
        print_body(p, function);
}

static void print_data(struct printer *p, LLVMValueRef value, uint64_t offset);

static void print_elements(struct printer *p, LLVMValueRef value, uint64_t offset)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    bool structure = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    for (unsigned i = 0; i < count_parts(type); i++) {
        uint64_t at = structure ? LLVMOffsetOfElement(p->layout, type, i)
                                : i * LLVMABISizeOfType(p->layout, LLVMGetElementType(type));
        LLVMValueRef element = LLVMGetAggregateElement(value, i);
        if (element != NULL)
            print_data(p, element, offset + at);
    }
}

// A number that is said to be an address; false: it is none.
static bool print_number_address(struct printer *p, LLVMValueRef v)
{
    LLVMValueRef number = LLVMIsAConstantExpr(v) != NULL && LLVMGetConstOpcode(v) == LLVMIntToPtr
                              ? LLVMGetOperand(v, 0)
                              : NULL;
    if (number == NULL || LLVMIsAConstantInt(number) == NULL ||
        LLVMGetIntTypeWidth(LLVMTypeOf(number)) > 64)
        return false;
    fprintf(p->out, " p:%lld", (long long)LLVMConstIntGetZExtValue(number));
    return true;
}

// D offset type value: what an initialiser says besides zeros.
static void print_data(struct printer *p, LLVMValueRef value, uint64_t offset)
{
    if (LLVMIsNull(value) || LLVMIsUndef(value))
        return;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        print_elements(p, value, offset);
        return;
    }
    fprintf(p->out, "D %llu ", (unsigned long long)offset);
    print_type(p, LLVMTypeOf(value));
    if (!print_number_address(p, value))
        print_operand(p, value);
    fprintf(p->out, " %llu\n", LLVMStoreSizeOfType(p->layout, LLVMTypeOf(value)));
}

// G name size constant external thread-local
// T line type name: what the programmer calls the global before.
static void print_global_name(struct printer *p, LLVMValueRef global)
{
    LLVMContextRef context = LLVMGetModuleContext(p->module);
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMMetadataRef pair = LLVMValueMetadataEntriesGetMetadata(entries, (unsigned)i);
        if (LLVMGetMetadataKind(pair) != LLVMDIGlobalVariableExpressionMetadataKind)
            continue;
        LLVMMetadataRef variable = LLVMDIGlobalVariableExpressionGetVariable(pair);
        unsigned length;
        const char *name = string_operand(context, variable, 1, &length);
        if (name == NULL)
            continue;
        fprintf(p->out, "T %u ", LLVMDIVariableGetLine(variable));
        print_type_name(p, context, node_operand(context, variable, 3));
        fputc(' ', p->out);
        print_word(p->out, name, length);
        fputc('\n', p->out);
        break;
    }
    LLVMDisposeValueMetadataEntries(entries);
}

static void print_global(struct printer *p, LLVMValueRef global)
{
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    LLVMValueRef initial = LLVMGetInitializer(global);
    fputs("G ", p->out);
    print_word(p->out, name, length);
    fprintf(p->out, " %llu %d %d %d ", LLVMABISizeOfType(p->layout, LLVMGlobalGetValueType(global)),
            LLVMIsGlobalConstant(global), initial == NULL, LLVMIsThreadLocal(global));
    print_type(p, LLVMGlobalGetValueType(global));
    // What is elsewhere may have less than it would have here.
    unsigned alignment = LLVMGetAlignment(global);
    fprintf(p->out, "\nA %u\n",
            alignment != 0 ? alignment
                           : LLVMABIAlignmentOfType(p->layout, LLVMGlobalGetValueType(global)));
    if (initial != NULL)
        print_data(p, initial, 0);
    print_global_name(p, global);
}

// __attribute__((alias)): another name of the same thing.
static void give_aliases(struct printer *p)
{
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(p->module); a != NULL;
         a = LLVMGetNextGlobalAlias(a)) {
        unsigned n;
        LLVMValueRef to = LLVMAliasGetAliasee(a);
        if (get(&p->functions, to, &n))
            give(&p->functions, a, n);
        else if (get(&p->globals, to, &n))
            give(&p->globals, a, n);
    }
}

void reader_print_module(FILE *out, LLVMModuleRef module, const char *path)
{
    struct printer p = {.out = out, .module = module, .path = path};
    p.layout = LLVMGetModuleDataLayout(module);
    p.dbg_kind_loop =
        LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "llvm.loop", strlen("llvm.loop"));
    p.byval_kind = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    p.sret_kind = LLVMGetEnumAttributeKindForName("sret", strlen("sret"));
    fprintf(out, "regatta-program 1 %u\n", 8 * LLVMPointerSize(p.layout));
    file_number(&p, path, strlen(path));
    unsigned n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g))
        give(&p.globals, g, n++);
    n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        give(&p.functions, f, n++);
    give_aliases(&p);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g))
        print_global(&p, g);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        print_function(&p, f);
    assert(p.file_count > 0);
    fputs("end\n", out);
}
