// An array beside a pointer: an index within the array leaves the pointer alone.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

struct machine {
    int top;
    int stack[16];
    int (*step)(int);
};

static int add(int x)
{
    return x + 1;
}

int main(void)
{
    struct machine m = {0, {0}, add};
    int n = __VERIFIER_nondet_int();
    if (n < LEAST || n >= 16)
        return 0;
    m.stack[n] = 3;
    m.stack[m.top++] = 2;
    if (m.step(m.stack[--m.top]) != 3 || (n != 0 && m.stack[n] != 3))
        reach_error();
    if (m.top > 0 && __VERIFIER_nondet_uint() == 7)
        reach_error();
    return 0;
}
