extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int f(int n)
{
    return n <= 0 ? 0 : 1 + f(n - 1);
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    const char *s = S;
    if (n < 0 || n > 1000)
        return 0;
    if (f(n) != n || s[1] != 0)
        reach_error();
    return 0;
}
