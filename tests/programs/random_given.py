#!/usr/bin/env python3
"""Random C programs that look at what main is given, against what they do on some thousand lists of texts.

    random_given.py REGATTA [COUNT [SEED]] [--time 20s] [--keep FOLDER] [--each] [--record FILE.csv] [--jobs 1]

Each text, and the pointers, end where memory does, so an access behind them is seen (in every second program it is what is asked). The texts
are all of up to three characters of four, for up to three arguments; programs look no further, so what none of these violates is
safe. Otherwise as random_programs.py.
"""

import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_programs  # noqa: E402

HEAD = """extern void reach_error(void);
#define K(c) do { if (!(c)) reach_error(); } while (0)
"""

HARNESS = r"""#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int program(int, char **);
static sigjmp_buf back;
void reach_error(void) { siglongjmp(back, 1); }
static void invalid(int signal) { (void)signal; siglongjmp(back, 2); }
static const char letters[] = "ab-x";
static char *page(void)
{
    char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(p + 4096, 4096, PROT_NONE);
    return p + 4096;
}
static int text(int number, char *out)
{
    int length = number == 0 ? 0 : number < 5 ? 1 : number < 21 ? 2 : 3;
    number -= length == 0 ? 0 : length == 1 ? 1 : length == 2 ? 5 : 21;
    for (int i = 0; i < length; i++, number /= 4)
        out[i] = letters[number % 4];
    out[length] = 0;
    return length;
}
int main(void)
{
    char *ends[3] = {page(), page(), page()}, **words = (char **)page(), one[4];
    volatile int seen = 0;
    signal(SIGSEGV, invalid);
    signal(SIGBUS, invalid);
    for (volatile int count = 1; count <= 3; count++) {
        volatile int all = count == 1 ? 85 : count == 2 ? 85 * 85 : 85 * 85 * 85;
        for (volatile int n = 0; n < all; n += count < 3 ? 1 : 7) {
            char **argv = words - (count + 1);
            for (int k = 0, rest = n; k < count; k++, rest /= 85) {
                int length = text(rest % 85, one);
                argv[k] = ends[k] - (length + 1);
                memcpy(argv[k], one, length + 1);
            }
            argv[count] = 0;
            int how = sigsetjmp(back, 1);
            if (how == 0)
                program(count, argv);
            seen |= how;
        }
    }
    return seen;
}
"""


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = 0

    def letter(self):
        return self.r.choice(["'a'", "'b'", "'-'"])

    def fresh(self):
        self.names += 1
        return "n%d" % self.names

    def test(self, word):
        """Of a text: what it begins with."""
        depth = self.r.choice([1, 1, 1, 2, 2, 3])
        parts = ["%s[%d] %s %s" % (word, k, self.r.choice(["==", "=="] + (["!="] if k + 1 == depth else [])), self.letter())
                 for k in range(depth)]
        if self.r.random() < 0.15:
            parts.pop(0)
        return " && ".join(parts or ["%s[1] == 0" % word])

    def count(self):
        return "%s %s %d;" % (self.r.choice("xy"), self.r.choice(["+=", "=", "-="]), self.r.randrange(1, 3))

    def with_word(self, word):
        """A statement about one text."""
        r = self.r
        kind = r.randrange(5)
        if kind < 2:
            return "if (%s) %s" % (self.test(word), self.count())
        if kind == 2:
            k = r.randrange(2)
            asked = " && ".join("%s[%d]" % (word, n) for n in range(k + 1)) if r.random() < 0.85 else "%s[0]" % word
            return "if (%s) %s[%d] = %s;" % (asked, word, k, r.choice([self.letter(), self.letter(), "0"]))
        if kind == 3:
            s = self.fresh()
            return "for (char *%s = %s; *%s; %s++) { if (*%s == %s) %s }" % (s, word, s, s, s, self.letter(), self.count())
        n = self.fresh()
        return "{ int %s = 0; while (%s[%s]) %s++; if (%s %s %d) %s }" % (
            n, word, n, n, n, r.choice(["==", ">", "<"]), r.randrange(3), self.count())

    def statement(self):
        r = self.r
        kind = r.randrange(6)
        if kind < 2:
            k = r.randrange(3)
            asked = k if r.random() < 0.9 else max(k - 1, 0)
            return "if (argc > %d) { %s }" % (asked, self.with_word("argv[%d]" % k))
        name = self.fresh()
        if kind < 4:
            return "for (int %s = %d; %s %s argc; %s++) { %s }" % (
                name, r.randrange(2), name, "<=" if r.random() < 0.08 else "<", name, self.with_word("argv[%s]" % name))
        if kind == 4:
            return "for (char **%s = argv + %d; *%s; %s++) { %s }" % (
                name, r.randrange(2), name, name, self.with_word("(*%s)" % name))
        a, b = r.randrange(3), r.randrange(3)
        return "if (argc > %d && argv[%d][0] == argv[%d][0]) { %s }" % (max(a, b), a, b, self.count())

    def program(self):
        r = self.r
        body = "\n  ".join(self.statement() for _ in range(r.randrange(1, 4)))
        return HEAD + "int PROGRAM(int argc, char **argv) {\n  int x = 0, y = 0;\n  if (argc > 3) return 0;\n  %s\n  K(%s %s %d);\n  return 0;\n}\n" % (
            body, r.choice("xy"), r.choice(["!=", "!=", "==", "<", "<="]), r.randrange(-1, 4))


def question(seed, folder):
    """The task's text, what is expected of it, and what is asked."""
    text = Generator(seed).program()
    source, harness, binary = (os.path.join(folder, n) for n in ("p.c", "harness.c", "p"))
    pathlib.Path(source).write_text(text.replace("PROGRAM", "program"))
    pathlib.Path(harness).write_text(HARNESS)
    subprocess.run(["clang-19", "-w", "-O0", source, harness, "-o", binary], check=True)
    seen = subprocess.run([binary], capture_output=True, timeout=700).returncode
    memory = seed % 2 == 0
    want = "unsafe" if seen & (2 if memory else 1) else "safe"
    if seen & 2 and not memory:
        want = None # C does not say what an access behind everything does
    return text.replace("PROGRAM", "main"), want, "valid-memsafety#lp64" if memory else "unreach-call#lp64"


if __name__ == "__main__":
    sys.exit(random_programs.main(question))
