extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int f(int *p, int n)
{
    int own = *p; // a pointer to a variable of each call: no summary says what it means
    return n <= own ? 0 : 1 + f(&own, n - 1);
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    const char *s = S;
    int zero = 0;
    if (n < 0 || n > 1000)
        return 0;
    if (f(&zero, n) != n || s[1] != 0)
        reach_error();
    return 0;
}
