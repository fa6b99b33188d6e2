extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int c;
int step(int n)
{
    int before = c; // not 0: whoever called may have changed it
    if (n <= 0)
        return 0;
    c = n;
    int i = 0;
    while (i < 3) {
        i++;
        step(n - i);
    }
    return before;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 50000 && step(n) == 0) {
        c = n;
        if (step(n) > 54321)
            reach_error();
    }
    return 0;
}
