// What a list's elements add to a counter that all of them share: each adds what was checked when it was made.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__);

struct account {
    int sum;
};

struct entry {
    int amount;
    struct account *account;
    struct entry *next;
};

int main(void)
{
    struct account *account = malloc(sizeof *account);
    account->sum = 50;
    struct entry *entries = 0;
    while (__VERIFIER_nondet_int()) {
        int amount = __VERIFIER_nondet_int();
        if (amount < 1 || amount > 9)
            continue;
        struct entry *e = malloc(sizeof *e);
        e->amount = amount;
        e->account = account;
        e->next = entries;
        entries = e;
    }
    for (struct entry *e = entries; e; e = e->next) {
        if (e->account->sum <= 50)
            e->account->sum += e->amount;
        else
            e->account->sum -= e->amount;
        if (account->sum < 42 || account->sum > 59)
            reach_error();
    }
    return 0;
}
