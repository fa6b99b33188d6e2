#!/usr/bin/env python3
"""Random C programs that walk over a short text in loops that end in many ways, against what they do on every text.

    random_texts.py REGATTA [COUNT [SEED]] [--time 20s] [--keep FOLDER] [--each] [--record FILE.csv] [--jobs 1]

The text is of four characters of four, and loops are left by break, continue, goto, by what is in the text and by what was counted. One
value of what is computed is asked for: one that some text gives, or one that none does. Every third program is asked whether an
access leaves its object. Otherwise as random_programs.py.
"""

import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_programs  # noqa: E402

HARNESS = r"""#include <stdio.h>
int main(void)
{
    static char seen[256];
    for (unsigned k = 0; k < 256; k++) {
        char s[6] = {0};
        for (int i = 0; i < 4; i++)
            s[i] = "ab \0"[k >> 2 * i & 3];
        seen[program(s)] = 1;
    }
    for (int i = 0; i < 256; i++)
        if (seen[i])
            printf("%d ", i);
    return 0;
}
"""

MAIN = """extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    char s[6] = {0};
    for (int i = 0; i < 4; i++)
        s[i] = "ab \\0"[__VERIFIER_nondet_uchar() & 3];
    if (program(s) == %d)
        reach_error();
    return 0;
}
"""


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def condition(self):
        r = self.r
        letter = r.choice(["'a'", "'b'", "' '"])
        return r.choice([
            "s[at] == %s" % letter, "s[at] != %s" % letter, "%s > %d" % (r.choice("abc"), r.randrange(6)),
            "s[at] == s[%d]" % r.randrange(4), "n < %d" % r.randrange(1, 4), "t[n & 3] == %s" % r.choice("abc"),
            "s[at] && s[at + 1] == %s" % letter])

    def step(self):
        r, v = self.r, self.r.choice("abc")
        return r.choice([
            "%s = (%s + %d) & 63;" % (v, v, r.randrange(1, 5)), "if (at < 4) at++;", "t[n & 3] = %s; n++;" % v,
            "%s = t[%d];" % (v, r.randrange(4)), "%s = (%s * 2 + s[at]) & 63;" % (v, v), "if (n) n--;",
            "p = &t[%d]; *p = %s;" % (r.randrange(4), v),
            "t[n%s] = %s;" % ("" if r.random() < 0.2 else " & 3", v)])

    def statement(self, depth, loop):
        r = self.r
        kind = r.randrange(10)
        if kind < 4 or depth == 0:
            return self.step()
        if kind < 7:
            other = " else { %s }" % self.body(depth - 1, loop) if r.random() < 0.5 else ""
            return "if (%s) { %s }%s" % (self.condition(), self.body(depth - 1, loop), other)
        if kind < 8 and loop:
            return "if (%s) %s" % (self.condition(), r.choice(["break;", "continue;", "goto out;"]))
        if kind < 9:
            return "while (s[at] && fuel-- > 0 && %s) { at++; if (at > 4) at = 4; %s }" % (
                self.condition(), self.body(depth - 1, True))
        return "for (int i = 0; i < %d && %s; i++) { %s }" % (r.randrange(1, 4), self.condition(), self.body(depth - 1, True))

    def body(self, depth, loop):
        return " ".join(self.statement(depth, loop) for _ in range(self.r.randrange(1, 4)))

    def program(self):
        return """extern void reach_error(void);
static int program(const char *s)
{
    int a = 1, b = 2, c = 3, n = 0, fuel = %d, t[4] = {0, 1, 2, 3}, *p = t;
    unsigned at = 0;
    while (at < 4 && s[at]) { if (fuel-- < 0) break; %s if (at < 4) at++; }
out:;
    return (a + b * 3 + c * 5 + n * 7 + (int)at * 11 + *p * 13 + t[1]) & 255;
}
""" % (self.r.randrange(3, 7), self.body(3, True))


def question(seed, folder):
    """The task's text, what is expected of it, and what is asked."""
    made = Generator(seed)
    text = made.program()
    source, binary = (os.path.join(folder, n) for n in ("p.c", "p"))
    pathlib.Path(source).write_text(text.replace("extern void reach_error(void);", "") + HARNESS)
    subprocess.run(["gcc", "-w", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", source, "-o", binary],
                   check=True)
    run = subprocess.run([binary], capture_output=True, timeout=100)
    if seed % 3 == 0:
        return text + MAIN % 256, "unsafe" if run.returncode else "safe", "valid-memsafety#lp64"
    if run.returncode:
        return text + MAIN % 256, None, "unreach-call#lp64" # C does not say what it computes
    seen = list(map(int, run.stdout.split()))
    value = made.r.choice(seen if seed % 2 == 0 else [v for v in range(256) if v not in seen] or seen)
    return text + MAIN % value, "unsafe" if value in seen else "safe", "unreach-call#lp64"


if __name__ == "__main__":
    sys.exit(random_programs.main(question))
