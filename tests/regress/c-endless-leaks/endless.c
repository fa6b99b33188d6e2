// The program never ends; what it loses on the way is lost.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct pair {
    int *a, *b;
};
static struct pair make(void)
{
    struct pair p = {malloc(sizeof(int)), malloc(sizeof(int))};
    return p;
}
int main(void)
{
    int *last = NULL, *shifted = (int *)malloc(4 * sizeof *shifted) - 1;
    for (;;) {
        struct pair p = make();
        *p.a = *p.b = __VERIFIER_nondet_int();
        shifted[1]++;
        free(p.a);
        if (PROGRAM == 0 || (PROGRAM == 1 && *p.b != 77)) {
            free(p.b); // always, or nearly always
        } else if (PROGRAM > 1) {
            if (PROGRAM == 2)
                free(last); // that of the round before
            last = p.b;
        }
    }
}
