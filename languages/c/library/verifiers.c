// Behind devices.c, as one text with it: functions that verifiers give a meaning to, and that their users' programs do not define. Those with
// a condition are called with it alone (reader/library.c). One that is not here is a bound where its name says whose it is
// (programs/translate_library.c).

LIB void __CPROVER_assume(int holds)
{
    __VERIFIER_assume(holds);
}

LIB void __ESBMC_assume(int holds)
{
    __VERIFIER_assume(holds);
}

LIB void klee_assume(int holds)
{
    __VERIFIER_assume(holds);
}

LIB void assume(int holds)
{
    __VERIFIER_assume(holds);
}

LIB void assume_abort_if_not(int holds)
{
    if (!holds)
        abort();
}

LIB void __CPROVER_assert(int holds)
{
    if (!holds)
        __regatta_failure();
}

LIB void __ESBMC_assert(int holds)
{
    if (!holds)
        __regatta_failure();
}

LIB void assert(int holds) // without its header
{
    if (!holds)
        __assert_fail("", "", 0, "");
}

LIB void __VERIFIER_assert(int holds)
{
    if (!holds)
        __regatta_failure();
}

static void make_any(void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((char *)to)[i] = __VERIFIER_nondet_char();
}

LIB void klee_make_symbolic(void *to, size_t n, const char *name)
{
    make_any(to, n);
}

LIB int klee_int(const char *name)
{
    return __VERIFIER_nondet_int();
}

LIB int klee_range(int least, int behind, const char *name)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= least && n < behind);
    return n;
}

LIB int Frama_C_nondet(int a, int b)
{
    return __VERIFIER_nondet_int() == 0 ? a : b;
}

float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);

// The first and the last are among them; of floats, no other than numbers.
#define BETWEEN(type, any)                                                                         \
    type n = (type)any;                                                                            \
    __VERIFIER_assume(n >= least && n <= most);                                                    \
    return n

LIB int Frama_C_interval(int least, int most)
{
    BETWEEN(int, __VERIFIER_nondet_int());
}

LIB char Frama_C_char_interval(char least, char most)
{
    BETWEEN(char, __VERIFIER_nondet_char());
}

LIB unsigned char Frama_C_unsigned_char_interval(unsigned char least, unsigned char most)
{
    BETWEEN(unsigned char, __VERIFIER_nondet_char());
}

LIB short Frama_C_short_interval(short least, short most)
{
    BETWEEN(short, __VERIFIER_nondet_short());
}

LIB unsigned short Frama_C_unsigned_short_interval(unsigned short least, unsigned short most)
{
    BETWEEN(unsigned short, __VERIFIER_nondet_short());
}

LIB unsigned Frama_C_unsigned_int_interval(unsigned least, unsigned most)
{
    BETWEEN(unsigned, __VERIFIER_nondet_uint());
}

LIB long Frama_C_long_interval(long least, long most)
{
    BETWEEN(long, __VERIFIER_nondet_long());
}

LIB unsigned long Frama_C_unsigned_long_interval(unsigned long least, unsigned long most)
{
    BETWEEN(unsigned long, __VERIFIER_nondet_long());
}

LIB long long Frama_C_long_long_interval(long long least, long long most)
{
    BETWEEN(long long, __VERIFIER_nondet_longlong());
}

LIB unsigned long long Frama_C_unsigned_long_long_interval(unsigned long long least,
                                                           unsigned long long most)
{
    BETWEEN(unsigned long long, __VERIFIER_nondet_longlong());
}

LIB size_t Frama_C_size_t_interval(size_t least, size_t most)
{
    BETWEEN(size_t, __VERIFIER_nondet_long());
}

LIB float Frama_C_float_interval(float least, float most)
{
    BETWEEN(float, __VERIFIER_nondet_float());
}

LIB double Frama_C_double_interval(double least, double most)
{
    BETWEEN(double, __VERIFIER_nondet_double());
}

LIB void __llbmc_assume(int holds)
{
    __VERIFIER_assume(holds);
}

LIB void __goblint_assume(int holds)
{
    __VERIFIER_assume(holds);
}

LIB void __VERIFIER_error(void) // where there is no reach_error
{
    __regatta_failure();
}

LIB void __CPROVER_precondition(int holds)
{
    if (!holds)
        __regatta_failure();
}

LIB void __CPROVER_postcondition(int holds)
{
    if (!holds)
        __regatta_failure();
}

LIB void __llbmc_assert(int holds)
{
    if (!holds)
        __regatta_failure();
}

LIB void __goblint_check(int holds)
{
    if (!holds)
        __regatta_failure();
}

LIB void __goblint_assert(int holds)
{
    if (!holds)
        __regatta_failure();
}

LIB void sassert(int holds)
{
    if (!holds)
        __regatta_failure();
}

LIB void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    __regatta_failure();
}

LIB void klee_silent_exit(int status)
{
    __regatta_exit(status);
}

LIB void klee_abort(void)
{
    abort();
}

// Of what is known about a value one is asked for: it is one.
LIB int klee_get_value_i32(int n)
{
    return n;
}

LIB long long klee_get_value_i64(long long n)
{
    return n;
}

LIB size_t klee_choose(size_t n)
{
    size_t i = (size_t)__VERIFIER_nondet_long();
    __VERIFIER_assume(i < n);
    return i;
}

LIB void klee_check_memory_access(const void *at, size_t n)
{
    read_bytes(at, n);
}

LIB void memhavoc(void *to, size_t n)
{
    make_any(to, n);
}

LIB void Frama_C_make_unknown(char *to, size_t n)
{
    make_any(to, n);
}

LIB void *Frama_C_nondet_ptr(void *a, void *b)
{
    return __VERIFIER_nondet_int() == 0 ? a : b;
}

LIB void Frama_C_abort(void)
{
    abort();
}
