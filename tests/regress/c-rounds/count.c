extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint(), count = 0;
    while (x >= 7) {
        x -= 7;
        count++;
    }
    if (count == 1234567 && x == 3)
        reach_error();
    return 0;
}
