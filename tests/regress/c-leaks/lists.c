// A list of any length: appended to, parted from what is not wanted, turned round, freed.
#include <stdlib.h>

#ifndef LOSES
#define LOSES 0 // how a block is lost
#endif

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static struct node *make(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = 0;
    return node;
}

static struct node *without(struct node *list, int value)
{
    struct node *before = 0, *node = list;
    while (node) {
        struct node *next = node->next;
        if (node->value == value) {
            if (before)
                before->next = next;
            else
                list = next;
            if (LOSES != 1 || before)
                free(node);
        } else {
            before = node;
        }
        node = next;
    }
    return list;
}

static struct node *reversed(struct node *list)
{
    struct node *out = 0;
    while (list && (LOSES != 2 || list->next)) {
        struct node *next = list->next;
        list->next = out;
        out = list;
        list = next;
    }
    return out;
}

static void drop(struct node *list)
{
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void)
{
    struct node *first = 0, *last = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = make(__VERIFIER_nondet_int());
        if (last && (LOSES != 3 || last->value == 7))
            last->next = node;
        else
            first = node;
        last = node;
    }
    drop(reversed(without(first, 7)));
    return 0;
}
