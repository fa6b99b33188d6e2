// The length of a text that somebody gave: below the room there is, and as long as that but one.
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__);

static long length(const char *s)
{
    const char *p = s;
    while (*p)
        p++;
    return p - s;
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 1000)
        return 0;
    char *s = malloc(n);
    if (!s)
        return 0;
    for (unsigned i = 0; i < n; i++)
        s[i] = __VERIFIER_nondet_char();
    s[n - 1] = 0;
    long l = length(s);
    if (l < 0 || l >= (long)n - LESS || s[l] != 0)
        reach_error();
    return 0;
}
