// A value that the run to the error does not ask for.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x == 77)
        reach_error();
    if (x == 78 && __VERIFIER_nondet_uint() == 3)
        return 1;
    return 0;
}
