// Ten numbers between 0 and 9 are added up: the sum is at most 90.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 10; i++)
        sum += __VERIFIER_nondet_uint() % 10;
    if (sum > 90)
        reach_error();
    return 0;
}
