// Called before they are defined, and they give no int: as old programs do.
extern void reach_error(void);
int n;
int main(void)
{
    grow(3);
    if (twice() > 4)
        reach_error();
    return 0;
}
void grow(int k)
{
    n += k;
    if (n == LEVEL)
        reach_error();
}
long twice()
{
    return n + 1;
}
