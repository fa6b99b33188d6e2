void f(void)
{
    int x, *p = &x;
    *p = 1;
}
int main(void)
{
    for (int i = 0; i < 70000; i++)
        f();
    return 0;
}
