#!/usr/bin/env python3
"""Random recursive C programs against what they do when they are run.

    random_recursion.py REGATTA [COUNT [SEED]] [--time 10s] [--config NAME] [--hidden] [--pointers] [--deep]    (TAP)

Each program has one or two recursive functions of numbers, that end
because a parameter goes down, perhaps a global that they change, reads two inputs of three bits and asserts something at
its end. It is compiled and run on all 64 inputs: a run that calls reach_error makes it unsafe, none safe. Regatta says
unsafe, safe, or unknown. --hidden: the inputs are moved to where no guess meets them, so that it is summaries that answer; more is
done with the global. --pointers: functions also change what a pointer leads to, which mostly is one variable of main's all the time.

--deep: the recursion goes tens to thousands of calls deep, or has thousands of calls, with pointers to variables of callers, arrays, structures,
blocks of the heap, pointers to functions and static variables. Of a program without inputs its result is known when it was run: that it is this one
is safe, that it is another is unsafe, and both are to be said. With an input of three values that decides the depth, "another than each of three" is
to be unsafe, and "one of three" is never said to be.

Programs are our own: running them is harmless.
"""

import argparse
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent)]
import tap_lines  # noqa: E402
from tap_lines import say  # noqa: E402

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


class Pointers(Generator):
    """Functions have a pointer more, and change what it leads to."""

    def __init__(self, seed, hidden=False):
        super().__init__(seed, hidden)
        self.targets = ["p"] if self.r.random() < 0.7 else ["p", "p", "&g", "&r"]

    def call(self, names):
        return super().call(names)[:-1] + ", %s)" % self.r.choice(self.targets)

    def function(self, name):
        r, lines = self.r, super().function(name)
        lines[0] = lines[0].replace(") {", ", int *p) {")
        for at in sorted(r.sample(range(2, len(lines)), r.choice([1, 2])), reverse=True):
            lines.insert(at, "    *p = %s;" % self.term(["*p", "*p", "n", "r", "m"]))
        return lines

    def program(self):
        text = super().program().replace(" m);", " m, int *p);")
        return text.replace("    int s = %s(a, b);" % self.functions[0],
                            "    int v = %s, w = 1; int s = %s(a, b, %s);" % (
                                self.r.choice(["a", "b", "2"]), self.functions[0], self.r.choice(["&v", "&v", "&w", "&g"]))
                            ).replace("    return 0;\n}", "    K(%s);\n    return 0;\n}" % self.claim(["v", "w", "a"]))


DEEP_HEAD = """typedef __SIZE_TYPE__ size_t;
extern void *malloc(size_t);
extern void free(void *);
void tell(unsigned s);
struct s { unsigned a; unsigned short b[3]; };
static unsigned mix(unsigned a, unsigned b) { return (a * 31u + b) & 0xffffu; }
"""

DEEP_STUBS = """#include <stdio.h>
#include <stdlib.h>
static int input;
int program(void);
int __VERIFIER_nondet_int(void) { return input; }
void reach_error(void) { _Exit(7); }
void tell(unsigned s) { printf("%u", s); fflush(stdout); _Exit(0); }
int main(int argc, char **argv)
{
    (void)argc;
    input = atoi(argv[1]);
    program();
    return 1;
}
"""


class Deep:
    """Each function may call each with a first argument that is less."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = ["f", "h", "k"][: self.r.choice([1, 2, 3])]
        self.twice = self.r.random() < 0.35
        self.depth = self.r.randrange(6, 13) if self.twice else self.r.choice([30, 100, 400, 1500])
        self.low = self.depth if self.r.random() < 0.4 else None

    def value(self, names):
        return self.r.choice([*names, "%du" % self.r.randrange(9), "mix(%s, %s)" % (self.r.choice(names), self.r.choice(names))])

    def call(self, less, names):
        r = self.r
        target = r.choice(["&l", "p", "p", "&t[%d]" % r.randrange(4), "q"])
        callee = r.choice(self.names)
        if len(self.names) > 1 and r.random() < 0.3:
            a, b = r.sample(self.names, 2)
            callee = "(n %% 3 == 0 ? %s : %s)" % (a, b)
        return "%s(n - %d, %s, %s, x)" % (callee, less, self.value(names), target)

    def function(self, name):
        r, names = self.r, ["a", "r", "l", "t[1]", "x.a", "x.b[2]", "*p", "(unsigned)g", "(unsigned)n"]
        lines = ["static unsigned %s(int n, unsigned a, unsigned *p, struct s x) {" % name,
                 "    unsigned r = a, l = mix(a, (unsigned)n), t[4] = {a, 1, (unsigned)n, 3}, *q = &l;"]
        if r.random() < 0.4:
            lines.append("    static unsigned c; c++; r = mix(r, c);")
        lines.append("    if (n <= 0) return %s;" % self.value(names))
        heap = r.random() < 0.3
        if heap:
            lines.append("    q = malloc(sizeof *q); *q = %s;" % self.value(names))
        if r.random() < 0.5:
            lines.append("    for (int i = 0; i < n %% 5 && i < 4; i++) t[i] = mix(t[i], %s);" % self.value(names))
        if r.random() < 0.5:
            lines.append("    x.%s = %s;" % (r.choice(["a", "b[0]", "b[2]"]), self.value(names)))
        lines.append("    r = mix(r, %s);" % self.call(1, names))
        if r.random() < 0.6:
            lines.append("    %s = %s;" % (r.choice(["g", "*p", "l"]), self.value(names)))
        if self.twice:
            lines.append("    if (n %% %d != 1) r = mix(r, %s);" % (r.choice([2, 3, 7]), self.call(r.choice([1, 2]), names)))
        lines.append("    r = mix(r, mix(l + t[2], x.a + *p));")
        if heap:
            lines.append("    r = mix(r, *q); free(q);")
        return [*lines, "    return %s;" % r.choice(["r", "r", self.value(["r", "l", "t[3]"])]), "}"]

    def program(self):
        lines = ["static unsigned %s(int n, unsigned a, unsigned *p, struct s x);" % f for f in self.names]
        for f in self.names:
            lines += self.function(f)
        lines += ["int main(void) {", "    unsigned v = 5; struct s x = {1, {2, 3, 4}}; int n = %d;" % self.depth]
        if self.low is not None:
            lines += ["    n = __VERIFIER_nondet_int();", "    if (n < %d || n > %d) return 0;" % (self.low, self.low + 2)]
        lines += ["    unsigned s = f(n, 7, &v, x);", "    s = mix(s, mix(v, (unsigned)g));", "    END(s);", "    return 0;", "}"]
        return HEAD + DEEP_HEAD + "\n".join(lines) + "\n"


def check_deep(given, seed, counts):
    """The verdicts on the two programs that the results of runs tell apart."""
    made = Deep(seed)
    text = made.program()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "program.c").write_text(text)
        (path / "stubs.c").write_text(DEEP_STUBS)
        subprocess.run(["clang-19", "-w", "-O1", "-fno-builtin", "-Dmain=program", "-DEND(s)=tell(s)", "-c", "program.c"], cwd=folder, check=True)
        subprocess.run(["clang-19", "-w", "-O1", "-o", "run", "stubs.c", "program.o"], cwd=folder, check=True)
        inputs = [0] if made.low is None else range(made.low, made.low + 3)
        results = [subprocess.run([str(path / "run"), str(i)], capture_output=True, text=True, timeout=20).stdout for i in inputs]
        if "" in results:
            counts["passed over"] += 1
            return
        for expected in ("safe", "unsafe"):
            wanted = "K(%s)" % " || ".join("s == %su" % result for result in results)
            claim = wanted if expected == "safe" else wanted.replace("==", "!=").replace("||", "&&")
            (path / "program.c").write_text(text.replace("END(s);", claim + ";"))
            doubtful = expected == "safe" and made.low is not None
            said, _, printed = ask(given, str(path / "program.c"), "1s" if doubtful else given.time)
            counts[expected + ", said " + said] += 1
            good = said == expected or (said == "unknown" and doubtful)
            say(good and "refused" not in printed, f"program {seed} of recursion is {expected}", printed + text.replace("END(s);", claim + ";"))


def ask(given, path, time):
    how = ["--config", given.config] if given.config else []
    done = subprocess.run([given.regatta, "verify", "-q", "--cores", "1", "--time", time, *how, "--property", "unreach-call", path],
                          capture_output=True, text=True)
    last = (done.stdout.strip().split("\n") or [""])[-1]
    return last.split(" ")[0].rstrip(","), last, done.stdout + done.stderr


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
    parser.add_argument("--pointers", action="store_true")
    parser.add_argument("--deep", action="store_true")
    given = parser.parse_args()
    counts = collections.Counter()
    for seed in range(given.seed, given.seed + given.count * int(os.environ.get("REGATTA_RANDOM_FACTOR", "1"))):
        if given.deep:
            check_deep(given, seed, counts)
            continue
        with tempfile.TemporaryDirectory() as folder:
            text = (Pointers if given.pointers else Generator)(seed, given.hidden).program()
            expected = run(folder, text, given.hidden)
            if expected is None:
                counts["passed over"] += 1
                continue
            said, last, printed = ask(given, os.path.join(folder, "program.c"), given.time)
            counts[expected + ", said " + said + (", " + last.split("(")[1].split(" ")[0] if said != "unknown" and "(" in last else "")] += 1
            # What all inputs of a few bits show is met by guesses.
            good = said == expected or (said == "unknown" and (expected == "safe" or given.hidden or given.config))
            say(good and "refused" not in printed, f"program {seed} is {expected}", printed + text)
    for what, count in sorted(counts.items()):
        print("# %4d %s" % (count, what))
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
