// That j - i is at most 10 is no bound of one variable and no equation.
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 10;
    if (n >= 1000000u)
        return 0;
    while (i < n) {
        i++;
        if (__VERIFIER_nondet_bool())
            j++;
    }
    if (j > i + 10)
        reach_error();
    return 0;
}
