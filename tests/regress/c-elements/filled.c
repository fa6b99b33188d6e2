extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[100000];
int main(void)
{
    int n = __VERIFIER_nondet_int(), v = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = v;
    for (int i = 0; i < n; i++)
        if (a[i] != v)
            reach_error();
    return 0;
}
