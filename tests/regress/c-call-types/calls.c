// Calls by other types than functions have. RIGHT: what holds; 0 is violated for each CASE.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int total;

void count(void)
{
    total = total + 1;
}

int next(int a)
{
    return a + 1;
}

int seven(void)
{
    return 7;
}

short half(short s)
{
    return s;
}

long negated(long a)
{
    return -a;
}

double twice(double d)
{
    return 2 * d;
}

int sum(int a, int b)
{
    return a + b;
}

int clear(int *p)
{
    *p = 0;
    return 1;
}

unsigned char letter = 5;

unsigned char *same(unsigned char *p)
{
    return p;
}

int old();

struct operation {
    int kind;
    int (*run)(int, int);
};

static struct operation operations[] = {
    {0, sum}, {1, (int (*)(int, int))next}, {2, (int (*)(int, int))seven}};

int each(int *a, int n, int (*f)(int *, void *), void *context)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found += f(&a[i], context);
    return found;
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), a[3];
    if (x < 0 || x > 100)
        return 0;
#if CASE == 1 // a result that nobody gives and nobody looks at, beside calls that are followed
    int (*p)() = (int (*)())count;
    int nothing = p();
    if (total != RIGHT)
        reach_error();
#elif CASE == 2  // arguments that nobody takes, directly and through a pointer
    int (*p)(int, int) = (int (*)(int, int))next;
    if (p(x, 9) - x != RIGHT || ((int (*)(int))seven)(x) != 7)
        reach_error();
#elif CASE == 3  // the lowest bits of what is wider
    if (((short (*)(int))half)(65536 * x + 1) != RIGHT)
        reach_error();
#elif CASE == 4  // a table
    unsigned char k = __VERIFIER_nondet_uchar();
    if (k > 2)
        return 0;
    int r = operations[k].run(x, 1);
    if (r > 100 + RIGHT || (operations[k].kind == 2 && r != 7))
        reach_error();
#elif CASE == 5  // a parameter
    a[0] = a[1] = a[2] = x + 1;
    if (each(a, 2 + RIGHT, (int (*)(int *, void *))clear, 0) != 2 + RIGHT || a[2] != 0)
        reach_error();
#elif CASE == 6  // addresses as numbers of their size
    unsigned long n = ((unsigned long (*)(unsigned char *))same)(&letter);
    if (n == 0 || *((unsigned char *(*)(unsigned long))same)(n) != 4 + RIGHT)
        reach_error();
#elif CASE == 7  // what nobody passes, where it does not matter
    if (old(x) > RIGHT)
        reach_error();
#elif CASE == 8  // and where it does: neither is said
    if (((int (*)(int))sum)(x) == x + RIGHT)
        reach_error();
#elif CASE == 9  // nor of a result, which goes through variables and calls
    int r = next(((int (*)(void))count)());
    a[1] = r;
    if (a[1] == RIGHT)
        reach_error();
#elif CASE == 10 // nor of what is passed narrower than it is taken
    if (((long (*)(short))negated)(1) == -1 - RIGHT)
        reach_error();
#elif CASE == 11 // registers of floats are others: a bound
    int (*p)(int) = (int (*)(int))twice;
    p(x);
    if (RIGHT != 1)
        reach_error();
#endif
    return 0;
}

int old(a, b)
int a, b;
{
    return b & 1;
}
