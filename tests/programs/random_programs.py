#!/usr/bin/env python3
"""Random C programs against what they do when they are run: scalars, arrays, structures, pointers, loops, calls.

    random_programs.py REGATTA [COUNT [SEED]] [--time 20s] [--keep FOLDER] [--each] [--record FILE.csv] [--jobs 1]

Not part of the suites: it takes seconds a program. Each program reads three inputs of two bits and asserts something at its end. It is compiled by clang with traps on undefined behaviour and run on all 64
inputs: a run that calls reach_error makes it unsafe, none safe; a program with undefined behaviour on some input is
passed over (pointers are always to live objects by construction). Regatta says unsafe, safe, or unknown. Exit code 1 when some verdict was wrong. Programs are our own: running
them is harmless. With --record every seed has a line in FILE, what has one is not run again, and the sum is of all lines.
"""

import argparse
import collections
import concurrent.futures
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define K(c) do { if (!(c)) reach_error(); } while (0)
struct s { int a; short b; unsigned char c; };
int g = 1;
unsigned h = 2;
int table[4] = {3, 1, 4, 1};
struct s gs = {1, 2, 3};
"""

STUBS = """#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int inputs, asked;
int program(void);
int __VERIFIER_nondet_int(void) { return inputs >> 2 * asked++ & 3; }
void reach_error(void) { _Exit(7); }
static int run(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) { alarm(10); program(); _Exit(0); }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
int main(void)
{
    int bad = 0;
    for (inputs = 0; inputs < 64; inputs++) {
        int code = run();
        if (code != 0 && code != 7) return code;
        bad |= code == 7;
    }
    return bad ? 7 : 0;
}
"""


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.depth = 0
        self.loops = 0
        self.names = []
        self.functions = []

    def variable(self):
        return self.r.choice(self.names)

    def place(self):
        return self.r.choice([self.variable, self.variable, lambda: "g", lambda: "h",
                              lambda: "table[(unsigned)(%s) & 3]" % self.variable(),
                              lambda: "v[(unsigned)(%s) %% 3]" % self.variable(),
                              lambda: "t.%s" % self.r.choice("abc"), lambda: "gs.%s" % self.r.choice("abc"),
                              lambda: "p->%s" % self.r.choice("abc"), lambda: "*q",
                              lambda: "((unsigned char *)&h)[%d]" % self.r.randrange(4)])()

    def expression(self, depth=0):
        r = self.r
        if depth > 2 or r.random() < 0.3:
            return r.choice([self.place, self.place, lambda: str(r.randrange(-3, 12))])()
        a, b = self.expression(depth + 1), self.expression(depth + 1)
        kind = r.randrange(9)
        if kind < 3:
            return "(int)((unsigned)(%s) %s (unsigned)(%s))" % (a, r.choice("+-*"), b)
        if kind == 3:
            return "((%s) %s (%s))" % (a, r.choice("&|^"), b)
        if kind == 4:
            return "((%s) %s (%s))" % (a, r.choice(["<", "<=", "==", "!=", ">"]), b)
        if kind == 5:
            return "((%s) ? (%s) : (%s))" % (self.condition(depth + 1), a, b)
        if kind == 6:
            return "((%s) %s %d)" % (a, r.choice(["/", "%"]), r.choice([2, 3, 5, 7]))
        if kind == 7:
            return "(%s)(%s)" % (r.choice(["short", "unsigned char", "signed char", "unsigned"]), a)
        if self.functions:
            return "%s(%s, &%s)" % (r.choice(self.functions), a, r.choice(["t", "gs"]))
        return "((unsigned)(%s) >> %d)" % (a, r.randrange(1, 8))

    def condition(self, depth=1):
        c = "(%s) %s (%s)" % (self.expression(depth + 1), self.r.choice(["<", "<=", "==", "!="]), self.expression(depth + 1))
        return "(%s) %s (%s)" % (c, self.r.choice(["&&", "||"]), self.condition(3)) if depth < 2 and self.r.random() < 0.3 else c

    def statement(self):
        r = self.r
        kind = r.randrange(10) if self.depth < 2 else r.randrange(5)
        if kind < 5:
            return "%s %s %s;" % (self.place(), r.choice(["=", "=", "^=", "|="]), self.expression())
        if kind == 5:
            return "p = (%s) ? &t : &gs;" % self.condition()
        if kind == 6:
            return "q = (%s) ? &g : %s;" % (self.condition(), r.choice(["&v[1]", "&t.a", "&table[2]", "&%s" % self.names[-1]]))
        self.depth += 1
        body = " ".join(self.statement() for _ in range(r.randrange(1, 4)))
        self.depth -= 1
        if kind == 7:
            return "if (%s) { %s } else { %s }" % (self.condition(), body, "(%s)++;" % self.place() if r.random() < 0.2 else ";")
        if kind == 8:
            return "switch ((%s) & 3) { case 0: %s case 1: %s = 5; break; default: break; }" % (self.variable(), body, self.place())
        self.loops += 1
        name = "l%d" % self.loops
        return "for (int %s = 0; %s < %d; %s++) { %s %s }" % (
            name, name, r.randrange(1, 5), name, body, "if (%s) break;" % self.condition() if r.random() < 0.3 else "")

    def block(self, count):
        return "\n  ".join(self.statement() for _ in range(count))

    def program(self):
        text = HEAD
        for number in range(self.r.randrange(0, 3)):
            self.names = ["x", "y"]
            name = "f%d" % number
            text += "static int %s(int x, struct s *p) {\n  int y = 0, v[3] = {1, x, 2}; int *q = &y; struct s t = *p;\n  %s\n  return y ^ t.a;\n}\n" % (
                name, self.block(self.r.randrange(1, 4)))
            self.functions.append(name)
        self.names = ["x", "y", "z", "w"]
        text += "int PROGRAM(void) {\n"
        text += "".join("  int %s = __VERIFIER_nondet_int() & 3;\n" % n for n in "xyz")
        text += "  int w = 0, v[3] = {0, 1, 2}; int *q = &w; struct s t = {1, 2, 3}, *p = &gs;\n  %s\n" % self.block(self.r.randrange(3, 9))
        text += "  K(%s);\n  return 0;\n}\n" % self.condition(0)
        return text


def expected(folder, text):
    """safe, unsafe, or None when the program has undefined behaviour."""
    source, stubs, binary = (os.path.join(folder, n) for n in ("p.c", "stubs.c", "p"))
    pathlib.Path(source).write_text(text.replace("PROGRAM", "program"))
    pathlib.Path(stubs).write_text(STUBS)
    subprocess.run(["clang-19", "-w", "-O1", "-fsanitize=undefined", "-fsanitize-trap=all", source, stubs, "-o", binary],
                   check=True)
    code = subprocess.run([binary], capture_output=True, timeout=700).returncode
    return {0: "safe", 7: "unsafe"}.get(code)


def question(seed, folder):
    """The task's text and what is expected of it."""
    text = Generator(seed).program()
    return text.replace("PROGRAM", "main"), expected(folder, text)


def decide(arguments, ask, seed):
    """The record of one program: what it does, what regatta says, and its last words. Some say what is asked, too."""
    with tempfile.TemporaryDirectory() as folder:
        text, want, *asked = ask(seed, folder)
        if want is None:
            return {"seed": seed, "expected": "passed over", "answer": "", "words": ""}
        path = os.path.join(folder, "task.c")
        pathlib.Path(path).write_text(text)
        done = subprocess.run([arguments.regatta, "verify", "-q", "--time", arguments.time, "--cores", "1",
                               "--property", *(asked or ["unreach-call#lp64"]), path], capture_output=True, text=True, errors="replace")
    words = done.stdout.strip().split("\n")[-1]
    answer = {0: "safe", 10: "unsafe", 20: "unknown"}.get(done.returncode, "crash")
    if "the invariant was refused" in done.stdout + done.stderr:  # whoever found another one then
        answer = "refused"
    record = {"seed": seed, "expected": want, "answer": answer,
              "words": words[-100:] if answer in ("safe", "unsafe") else (words[-100:] + " " + done.stderr.strip()[-200:])}
    if outcome(record) == "WRONG" and arguments.keep:
        pathlib.Path(arguments.keep, "wrong-%d.c" % seed).write_text(text)
    return record


FAULTS = ("crash", "refused", "WRONG")


def outcome(record):
    if record["answer"] not in ("safe", "unsafe"):
        return record["answer"] or "passed over"
    return record["answer"] if record["answer"] == record["expected"] else "WRONG"


def main(ask):
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta")
    parser.add_argument("count", type=int, nargs="?", default=50)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--time", default="20s")
    parser.add_argument("--keep", help="folder for programs with a wrong verdict")
    parser.add_argument("--each", action="store_true", help="a line for every program")
    parser.add_argument("--record", default=os.devnull, help="a CSV file with a line for each seed")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    records = []
    if os.path.isfile(arguments.record):
        with open(arguments.record, newline="") as file:
            records = list(csv.DictReader(file))
    done = {int(record["seed"]) for record in records}
    todo = [seed for seed in range(arguments.seed, arguments.seed + arguments.count) if seed not in done]
    with open(arguments.record, "a", newline="") as file, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        writer = csv.DictWriter(file, ["seed", "expected", "answer", "words"])
        if not records:
            writer.writeheader()
        for record in pool.map(lambda seed: decide(arguments, ask, seed), todo):
            writer.writerow(record)
            file.flush()
            records.append(record)
            if arguments.each or outcome(record) in (*FAULTS, "unknown"):
                print("seed %(seed)d: expected %(expected)s, found %(answer)s: %(words)s" % record, flush=True)
    told = collections.Counter(map(outcome, records))
    print(", ".join("%s %d" % (name, told[name]) for name in ("safe", "unsafe", "unknown", "passed over", *FAULTS)))
    return 1 if any(told[name] for name in FAULTS) else 0


if __name__ == "__main__":
    sys.exit(main(question))
