extern int __VERIFIER_nondet_int(void);

static int distance(int x)
{
    return x < 0 ? -x : x;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        int x = __VERIFIER_nondet_int();
        if (x < -10000000 || x > 10000000)
            return 0;
        sum += distance(x);
        if (sum > 1000000000)
            sum = 0;
    }
    return 0;
}
