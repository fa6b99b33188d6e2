#!/usr/bin/env python3
"""Random C programs that fill, change, sum and check two arrays in loops, against what they do for every small number of elements.

    random_arrays.py REGATTA [COUNT [SEED]] [--time 20s] [--keep FOLDER] [--each] [--record FILE.csv] [--jobs 1]

Half of the questions are about up to a thousand elements, which takes facts about all of them to prove; what is expected of these is what up
to six elements with all inputs, and some more with random ones, show. Otherwise as random_programs.py.
"""

import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_programs  # noqa: E402

FEW, MANY = 4, 1000

HARNESS = r"""
#include <stdio.h>
#include <stdlib.h>
static unsigned chosen[2000], choices[2000], at, any;
static int input(int low, int high)
{
    if (any)
        return low + rand() % (high - low + 1);
    choices[at] = high - low + 1;
    return low + (int)chosen[at++];
}
static int next(void)
{
    while (at > 0 && ++chosen[at - 1] == choices[at - 1])
        chosen[--at] = 0;
    return at > 0;
}
int main(int argc, char **argv)
{
    int bad = 0, most = atoi(argv[argc - 1]);
    for (int n = 1; n <= (most < 6 ? most : 6) && !bad; n++)
        do {
            at = 0;
            bad = program(n);
        } while (!bad && next());
    for (int i = 0; i < 300 && most > 6 && !bad; i++) {
        any = 1;
        bad = program(i < 60 ? 7 + i % 20 : 1 + rand() % most);
    }
    puts(bad ? "unsafe" : "safe");
    return 0;
}
"""

MAIN = """extern int __VERIFIER_nondet_int(void);
static int input(int low, int high)
{
    int x = __VERIFIER_nondet_int();
    if (x < low || x > high)
        abort();
    return x;
}
int main(void)
{
    if (program(input(1, %d)))
        reach_error();
    return 0;
}
"""

LOOPS = [
    lambda r: "for (int i = 0; i < n; i++) s += %s;" % r.choice(["a[i]", "b[i]", "1"]),
    lambda r: "for (int i = 0; i < n; i++) if (a[i] %s %d) b[i] = %s; else b[i] = %s;" % (
        r.choice([">", "==", "<"]), r.randrange(3), r.choice(["1", "a[i]", "i"]), r.choice(["0", "b[i] + 1", "a[i]"])),
    lambda r: "for (int i = 0; i < n; i++) a[i] = a[i] + %s;" % r.choice(["1", "b[i]", "s", "c"]),
    lambda r: "for (int i = 0; i + 1 < n; i++) a[i] = a[i + 1];",
    lambda r: "for (int i = 0; i < n; i++) b[n - 1 - i] = a[i];",
    lambda r: "for (int l = 0, h = n - 1; l < h; l++, h--) { int t = a[l]; a[l] = a[h]; a[h] = t; }",
    lambda r: "for (int i = 0; i < n; i++) if (a[i] > m) m = a[i];",
    lambda r: "for (int i = 1; i < n; i++) if (a[i - 1] > a[i]) c = 1;",
    lambda r: "for (int i = 1; i < n; i += 2) { a[i] = %d; a[i - 1] = %d; }" % (r.randrange(3), r.randrange(3)),
]
OF_ELEMENTS = ["a[i] <= m", "a[i] == b[i]", "a[i] == b[n - 1 - i]", "a[i] >= 0", "b[i] <= 1", "b[i] == 0 || b[i] == 1",
               "a[i] <= i", "c || i == 0 || a[i - 1] <= a[i]", "a[i] != 3", "b[i] <= n", "a[i] + b[i] <= s + 7"]
OF_NUMBERS = ["s <= 7 * n", "s == n", "s >= 0", "s <= 2 * n", "m <= 7", "s != 5"]


def program(r):
    lines = ["for (int i = 0; i < n; i++) { a[i] = %s; b[i] = %s; }" % (
        r.choice(["7", "i", "input(0, 2)", "i % 2", "c", "0"]), r.choice(["a[i]", "0", "i", "a[i] + 1", "1"]))]
    lines += [r.choice(LOOPS)(r) for _ in range(r.randrange(1, 4))]
    if r.random() < 0.25:
        lines.append("if (!(%s)) return 1;" % r.choice(OF_NUMBERS))
    else:
        lines.append("for (int i = 0; i < n; i++) if (!(%s)) return 1;" % r.choice(OF_ELEMENTS))
    return """static int input(int low, int high);
static int program(int n)
{
    int a[n], b[n], s = 0, m = 0, c = 0;
    %s
    return 0;
}
""" % "\n    ".join(lines)


def question(seed, folder):
    """The task's text, what is expected of it, and what is asked."""
    text = program(random.Random(seed))
    most = MANY if seed % 2 else FEW
    source, binary = (os.path.join(folder, n) for n in ("p.c", "p"))
    pathlib.Path(source).write_text(text + HARNESS)
    subprocess.run(["gcc", "-w", "-O1", source, "-o", binary], check=True)
    run = subprocess.run([binary, str(most)], capture_output=True, text=True, timeout=100, check=True)
    return ("extern void abort(void);\nextern void reach_error(void);\n" + text + MAIN % most, run.stdout.strip(),
            "unreach-call#%s" % ("lp64" if seed % 4 < 2 else "ilp32"))


if __name__ == "__main__":
    sys.exit(random_programs.main(question))
