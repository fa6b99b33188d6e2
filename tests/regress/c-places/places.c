// A block may lie where one was that is freed: pointers to the two may be equal.
#include <stdlib.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int *last, kept, left[2], right[2];
static int looked_up(int *p)
{
    if (p == last)
        return kept;
    last = p;
    kept = *p;
    return kept;
}
int main(void)
{
    int *p = malloc(sizeof *p), *q = malloc(sizeof *q), *r;
    int some = __VERIFIER_nondet_int();
    *p = 1;
    switch (PROGRAM) {
    case 0: // what is looked up was kept of a block that is gone
    case 1: // no more
        looked_up(p);
        if (PROGRAM == 1)
            last = NULL;
        free(p);
        r = malloc(sizeof *r);
        *r = some;
        if (looked_up(r) != some)
            reach_error();
        break;
    case 2: // both were there before one was freed
        if (some)
            free(p);
        if (p == q)
            reach_error();
        break;
    case 3: // one that is there while another is freed
        free(q);
        r = malloc(sizeof *r);
        if (p == r)
            reach_error();
        break;
    case 8: // realloc may leave a block where it is
        r = realloc(p, 2 * sizeof *p);
        if (*r != 1 || r == q)
            abort();
        if (r == p)
            reach_error();
        break;
    case 6: // behind one that is not the last of its array
    case 7: // what is just behind an array may be another variable
        if (some >= 0 && some <= 1 + (PROGRAM == 7) && left + some == right)
            reach_error();
        break;
    default:
        free(q);
        free(p);
        r = malloc(sizeof *r);
        if (r == p && PROGRAM == 4)
            free(p);
        free(r);
    }
    return 0;
}
