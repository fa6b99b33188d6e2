// The same without the end of the loop: i comes to 0 again, and j need not.
extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    unsigned char i = 250, j = 0;
    while (__VERIFIER_nondet_bool()) {
        i++;
        if (__VERIFIER_nondet_bool())
            j++;
        if (j > i)
            reach_error();
    }
    return 0;
}
