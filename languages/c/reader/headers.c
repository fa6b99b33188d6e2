#include "languages/c/reader/headers.h"

#include <string.h>

static const char klee[] =
    "void klee_make_symbolic(void *, __SIZE_TYPE__, const char *);\n"
    "void klee_assume(__UINTPTR_TYPE__);\n"
    "int klee_range(int, int, const char *);\n"
    "int klee_int(const char *);\n"
    "void klee_silent_exit(int) __attribute__((noreturn));\n"
    "void klee_abort(void) __attribute__((noreturn));\n"
    "void klee_report_error(const char *, int, const char *, const char *) "
    "__attribute__((noreturn));\n"
    "__SIZE_TYPE__ klee_get_obj_size(void *);\n"
    "void klee_print_expr(const char *, ...);\n"
    "__UINTPTR_TYPE__ klee_choose(__UINTPTR_TYPE__);\n"
    "unsigned klee_is_symbolic(__UINTPTR_TYPE__);\n"
    "unsigned klee_is_replay(void);\n"
    "void klee_warning(const char *);\n"
    "void klee_warning_once(const char *);\n"
    "void klee_prefer_cex(void *, __UINTPTR_TYPE__);\n"
    "void klee_posix_prefer_cex(void *, __UINTPTR_TYPE__);\n"
    "void klee_mark_global(void *);\n"
    "int klee_get_value_i32(int);\n"
    "long long klee_get_value_i64(long long);\n"
    "void klee_check_memory_access(const void *, __SIZE_TYPE__);\n"
    "void klee_set_forking(unsigned);\n"
    "void klee_open_merge(void);\n"
    "void klee_close_merge(void);\n"
    "void klee_stack_trace(void);\n"
    "void __assert_fail(const char *, const char *, unsigned, const char *);\n"
    "#define klee_assert(c) ((c) ? (void)0 : __assert_fail(#c, __FILE__, __LINE__, __func__))";

static const char smack[] = "void __VERIFIER_assume(int);\n"
                            "void __VERIFIER_assert(int);\n"
                            "void __SMACK_code(const char *, ...);\n"
                            "void __SMACK_top_decl(const char *, ...);\n"
                            "int __VERIFIER_nondet_int(void);\n"
                            "unsigned __VERIFIER_nondet_uint(void);\n"
                            "unsigned __VERIFIER_nondet_unsigned(void);\n"
                            "unsigned __VERIFIER_nondet_unsigned_int(void);\n"
                            "char __VERIFIER_nondet_char(void);\n"
                            "signed char __VERIFIER_nondet_signed_char(void);\n"
                            "unsigned char __VERIFIER_nondet_uchar(void);\n"
                            "unsigned char __VERIFIER_nondet_unsigned_char(void);\n"
                            "short __VERIFIER_nondet_short(void);\n"
                            "unsigned short __VERIFIER_nondet_ushort(void);\n"
                            "unsigned short __VERIFIER_nondet_unsigned_short(void);\n"
                            "long __VERIFIER_nondet_long(void);\n"
                            "unsigned long __VERIFIER_nondet_ulong(void);\n"
                            "unsigned long __VERIFIER_nondet_unsigned_long(void);\n"
                            "long long __VERIFIER_nondet_long_long(void);\n"
                            "unsigned long long __VERIFIER_nondet_unsigned_long_long(void);\n"
                            "float __VERIFIER_nondet_float(void);\n"
                            "double __VERIFIER_nondet_double(void);\n"
                            "_Bool __VERIFIER_nondet_bool(void);\n"
                            "void *__VERIFIER_nondet_pointer(void);\n"
                            "#undef assert\n"
                            "#define assert(c) __VERIFIER_assert(!!(c))\n"
                            "#define assume(c) __VERIFIER_assume(!!(c))";

static const char seahorn[] = "#include <stdbool.h>\n"
                              "#include <stddef.h>\n"
                              "void __VERIFIER_error(void) __attribute__((noreturn));\n"
                              "void __VERIFIER_assume(int);\n"
                              "void __VERIFIER_assert(int);\n"
                              "void memhavoc(void *, __SIZE_TYPE__);\n"
                              "void sea_printf(const char *, ...);\n"
                              "_Bool sea_is_dereferenceable(const void *, __PTRDIFF_TYPE__);\n"
                              "#define assume(c) __VERIFIER_assume(!!(c))\n"
                              "#define sassert(c) __VERIFIER_assert(!!(c))";

static const char goblint[] = "void __goblint_check(int);\n"
                              "void __goblint_assume(int);\n"
                              "void __goblint_assert(int);\n"
                              "void __goblint_globalize(void *);\n"
                              "void __goblint_split_begin(int);\n"
                              "void __goblint_split_end(int);";

static const char frama[] =
    "int Frama_C_nondet(int, int);\n"
    "void *Frama_C_nondet_ptr(void *, void *);\n"
    "void Frama_C_make_unknown(char *, __SIZE_TYPE__);\n"
    "void Frama_C_abort(void) __attribute__((noreturn));\n"
    "int Frama_C_interval(int, int);\n"
    "char Frama_C_char_interval(char, char);\n"
    "unsigned char Frama_C_unsigned_char_interval(unsigned char, unsigned char);\n"
    "short Frama_C_short_interval(short, short);\n"
    "unsigned short Frama_C_unsigned_short_interval(unsigned short, unsigned short);\n"
    "unsigned Frama_C_unsigned_int_interval(unsigned, unsigned);\n"
    "long Frama_C_long_interval(long, long);\n"
    "unsigned long Frama_C_unsigned_long_interval(unsigned long, unsigned long);\n"
    "long long Frama_C_long_long_interval(long long, long long);\n"
    "unsigned long long Frama_C_unsigned_long_long_interval(unsigned long long, "
    "unsigned long long);\n"
    "__SIZE_TYPE__ Frama_C_size_t_interval(__SIZE_TYPE__, __SIZE_TYPE__);\n"
    "float Frama_C_float_interval(float, float);\n"
    "double Frama_C_double_interval(double, double);";

static const char llbmc[] = "void __llbmc_assume(int);\n"
                            "void __llbmc_assert(int);\n"
                            "int __llbmc_nondef_int(void);\n"
                            "unsigned __llbmc_nondef_unsigned_int(void);";

const char *headers_find(const char *name, size_t length)
{
    static const struct {
        const char *name, *text;
    } rows[] = {{"klee/klee.h", klee},
                {"klee.h", klee},
                {"smack.h", smack},
                {"goblint.h", goblint},
                {"seahorn/seahorn.h", seahorn},
                {"seahorn.h", seahorn},
                {"__fc_builtin.h", frama},
                {"llbmc.h", llbmc}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return rows[i].text;
    return NULL;
}
