extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned);

struct node {
    int value;
    struct node *next;
};

// As long as the inputs want.
int main(void)
{
    struct node *list = 0;
    int value = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node);
        node->value = value;
        node->next = list;
        list = node;
    }
    for (; list != 0; list = list->next)
        if (list->value != value)
            reach_error();
    return 0;
}
