extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int c;
void step(int n)
{
    if (n <= 0)
        return;
    step(n - 1);
    c++; // not 1: the call before has changed it
}
int main(void)
{
    step(__VERIFIER_nondet_int());
    if (c == 54321)
        reach_error();
    return 0;
}
