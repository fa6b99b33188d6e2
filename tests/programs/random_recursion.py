#!/usr/bin/env python3
"""Random recursive C programs against what they do when they are run.

    random_recursion.py REGATTA [COUNT [SEED]] [--time 10s] [--config NAME] [--hidden]

Not part of the suites: it takes seconds a program. Each program has one or two recursive functions of numbers, that end
because a parameter goes down, perhaps a global that they change, reads two inputs of three bits and asserts something at
its end. It is compiled and run on all 64 inputs: a run that calls reach_error makes it unsafe, none safe. Regatta says
unsafe, safe, or unknown. --hidden: the inputs are moved to where no guess meets them, so that it is summaries that answer; more is
done with the global. Exit code 1 when some verdict was wrong. Programs are our own: running them is harmless.
"""

import argparse
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define K(c) do { if (!(c)) reach_error(); } while (0)
int g;
"""

STUBS = """#include <stdlib.h>
static int inputs, asked;
int program(void);
#ifndef MOVED
#define MOVED 0u
#endif
int __VERIFIER_nondet_int(void) { return (int)((inputs >> 3 * asked++ & 7) - MOVED); }
void reach_error(void) { _Exit(7); }
int main(int argc, char **argv)
{
    (void)argc;
    inputs = atoi(argv[1]);
    program();
    return 0;
}
"""


MOVED = 1618033989


class Generator:
    def __init__(self, seed, hidden=False):
        self.hidden = hidden
        self.r = random.Random(seed)
        self.functions = ["f", "h"][: self.r.choice([1, 1, 2])]
        self.unsigned = self.r.random() < 0.3

    def term(self, names, depth=0):
        r = self.r
        if depth > 1 or r.random() < 0.4:
            return r.choice([*names, *names, str(r.randrange(-2, 6))])
        a, b = self.term(names, depth + 1), self.term(names, depth + 1)
        return r.choice(["(int)((unsigned)(%s) %s (unsigned)(%s))" % (a, r.choice("+-"), b),
                         "((%s) %s (%s))" % (a, r.choice(["<", "==", "&", "|"]), b),
                         "((%s) %% %d)" % (a, r.choice([2, 3, 4])), "(unsigned char)(%s)" % a])

    def call(self, names):
        r = self.r
        callee = r.choice(self.functions)
        down = r.choice(["n - 1", "n - 1", "n - 2", "n / 2"])
        return "%s(%s, %s)" % (callee, down, self.term(names))

    def function(self, name):
        r = self.r
        kind = "unsigned" if self.unsigned else "int"
        lines = ["int %s(int n, %s m) {" % (name, kind), "    int r = %s;" % self.term(["n", "m"])]
        lines.append("    if (n <= %d) return %s;" % (r.choice([0, 0, 1]), self.term(["n", "m"])))
        if r.random() < 0.4:
            lines.append("    g = %s;" % self.term(["g", "n", "m"]))
        lines.append("    r = (int)((unsigned)%s + (unsigned)(%s));" % (self.call(["n", "m"]), self.term(["m", "r"])))
        if r.random() < 0.4:
            lines.append("    if (%s) r = %s;" % (self.term(["n", "m"]), self.call(["m", "r", "g"])))
        if self.hidden and r.random() < 0.6:
            lines.append("    g = (int)((unsigned)g + (unsigned)%s);" % r.choice(["n", "1", "r", "m"]))
        if r.random() < 0.3:
            lines.append("    K(%s);" % self.claim(["r", "n", "m"]))
        return [*lines, "    return %s;" % r.choice(["r", "r", self.term(["r", "m"])]), "}"]

    def claim(self, names):
        r = self.r
        a, b = self.term(names, 1), self.term(names, 1)
        return r.choice(["%s >= -%d" % (a, r.randrange(8)), "%s != %d" % (a, r.randrange(20)),
                         "%s == %s || %s != %s" % (a, b, a, self.term(names, 1)), "%s <= %d" % (a, r.randrange(60))])

    def input(self):
        read = "__VERIFIER_nondet_int()"
        return "(int)((unsigned)%s + %du)" % (read, MOVED) if self.hidden else read

    def program(self):
        kind = "unsigned" if self.unsigned else "int"
        lines = ["int %s(int n, %s m);" % (f, kind) for f in self.functions]
        for f in self.functions:
            lines += self.function(f)
        lines += ["int main(void) {", "    int a = %s, b = %s;" % (self.input(), self.input()),
                  "    if (a < 0 || a > 7 || b < 0 || b > 7) return 0;",
                  "    int s = %s(a, b);" % self.functions[0], "    K(%s);" % self.claim(["s", "a", "b", "g"]),
                  "    return 0;", "}"]
        return HEAD + "\n".join(lines) + "\n"


def run(folder, text, hidden):
    """safe, unsafe, or None where it was not to be found out."""
    path = pathlib.Path(folder)
    (path / "program.c").write_text(text)
    (path / "stubs.c").write_text(STUBS)
    done = subprocess.run(["clang-19", "-w", "-O1", "-fwrapv", "-fno-builtin", "-Dmain=program", "-c", "program.c"], cwd=folder)
    done2 = subprocess.run(["clang-19", "-w", "-O1", "-DMOVED=%du" % (MOVED if hidden else 0), "-o", "run", "stubs.c", "program.o"], cwd=folder)
    if done.returncode or done2.returncode:
        return None
    for inputs in range(64):
        try:
            code = subprocess.run([str(path / "run"), str(inputs)], timeout=5).returncode
        except subprocess.TimeoutExpired:
            return None
        if code == 7:
            return "unsafe"
        if code != 0:
            return None
    return "safe"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("regatta")
    parser.add_argument("count", nargs="?", type=int, default=20)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--time", default="10s")
    parser.add_argument("--config")
    parser.add_argument("--hidden", action="store_true")
    given = parser.parse_args()
    counts, wrong = collections.Counter(), 0
    for seed in range(given.seed, given.seed + given.count):
        with tempfile.TemporaryDirectory() as folder:
            text = Generator(seed, given.hidden).program()
            expected = run(folder, text, given.hidden)
            if expected is None:
                counts["passed over"] += 1
                continue
            how = ["--config", given.config] if given.config else []
            done = subprocess.run([given.regatta, "verify", "-q", "--cores", "1", "--time", given.time, *how, "--property",
                                   "unreach-call", os.path.join(folder, "program.c")], capture_output=True, text=True)
            last = (done.stdout.strip().split("\n") or [""])[-1]
            said = last.split(" ")[0].rstrip(",")
            counts[expected + ", said " + said + (", " + last.split("(")[1].split(" ")[0] if said != "unknown" and "(" in last else "")] += 1
            bad = said not in (expected, "unknown") or "refused" in done.stderr
            wrong += bad
            if bad:
                print("seed %d: expected %s, found %s\n%s%s" % (seed, expected, last, done.stderr, text))
    for what, count in sorted(counts.items()):
        print("%4d %s" % (count, what))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
