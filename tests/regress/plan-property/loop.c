extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    unsigned char n = __VERIFIER_nondet_uchar(), i = 0;
    while (i < n)
        i++;
    if (i != n)
        reach_error();
    return 0;
}
