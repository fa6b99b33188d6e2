// The least of any number of values: the second read of p->v gives what the first gave.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__);

struct node {
    int v;
    struct node *next;
};

int main(void)
{
    struct node *list = 0;
    int least = 2147483647;
    while (__VERIFIER_nondet_int()) {
        struct node *p = malloc(sizeof *p);
        p->v = __VERIFIER_nondet_int();
        p->next = list;
        list = p;
        if (least > p->v)
            least = p->v;
    }
    for (struct node *i = list; i; i = i->next)
        if (i->v < least)
            reach_error();
    return 0;
}
