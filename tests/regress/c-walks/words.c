// Pointers that walk in steps of an element, beside a number: which element each points to is what counts.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int a[100000];

int main(void)
{
    int *p = a;
    for (int i = 0; i < 100000; i++)
        *p++ = __VERIFIER_nondet_int() & 15;
    for (p = a; p < a + 100000; p++)
        if (*p > 15)
            reach_error();
    return 0;
}
