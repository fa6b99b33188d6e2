#!/usr/bin/env python3
"""Random programs over lists of any length, against runs of the compiled program.

    random_lists.py REGATTA [COUNT [SEED]] [--time T]    (TAP; 40, 1, 4s)

A program builds, walks, changes and frees lists in loops whose rounds inputs decide. It is compiled under the address sanitizer and
run on inputs that are 0, 1, 2 or 3, a few hundred of them; a run that violates the property (a call of reach_error, or an access or
a free that is invalid) makes it unsafe. No such program may be called safe: by the plan, nor by the model of any number of blocks alone
(`#blocks`), nor of two at a time (`#pairs`), which have the errors at small lengths, too. What is called unsafe and showed no violation is counted only: it
was replayed, and its inputs may be others.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import tap_lines  # noqa: E402
from tap_lines import say  # noqa: E402

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__), *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern void free(void *), *memset(void *, int, __SIZE_TYPE__);
#define N __VERIFIER_nondet_int()
#define K(c) do { if (!(c)) reach_error(); } while (0)
struct n { int v, w; struct n *next, *prev; };
"""

# Runs the program on the inputs of each line that it reads; says in which a violation was seen, one letter each.
DRIVER = """#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern int program_main(void);
static char line[100];
static size_t at;
int __VERIFIER_nondet_int(void) { return line[at] >= '0' && line[at] <= '3' ? line[at++] - '0' : 0; }
void reach_error(void) { _exit(3); } // it ends the program, whatever is asked
void __asan_set_error_report_callback(void (*)(const char *));
static void report(const char *text) { _exit(strstr(text, "attempting") != NULL ? 4 : 5); }
int main(void)
{
    while (fgets(line, sizeof line, stdin) != NULL) {
        fflush(stdout);
        int child = fork(), status;
        if (child == 0) {
            alarm(2);
            __asan_set_error_report_callback(report);
            program_main();
            _exit(0);
        }
        waitpid(child, &status, 0);
        putchar(!WIFEXITED(status) ? 't' : "-??efd"[WEXITSTATUS(status) % 6]); // error, free, deref
    }
    return 0;
}
"""


PROPERTIES = [("unreach-call", "e"), ("unreach-call", "e"), ("unreach-call", "e"), ("valid-deref", "d"), ("valid-free", "f")]


class Writer:
    def __init__(self, r):
        self.r = r
        self.lists = ["a", "b"][:r.choice((1, 1, 2))]
        self.numbers = ["x", "y"]

    def value(self):
        return self.r.choice(("0", "1", "1", "2", "x", "x", "y", "N", "(N ? 1 : 2)"))

    def condition(self, p):
        c = self.r.choice(("==", "!=", "<=", ">="))
        return self.r.choice((f"{p}->v {c} {self.r.choice(('0', '1', '2', 'x'))}", f"{p}->v == {p}->w",
                              f"{p}->v == 1 || {p}->v == 2", f"{p}->w != 0", f"{p}->v <= {p}->w"))

    def build(self):
        l, r = self.r.choice(self.lists), self.r
        make = "calloc(1, sizeof *p)" if r.random() < 0.2 else "malloc(sizeof *p)"
        fill = f"p->v = {self.value()}; p->w = {r.choice(('p->v', '0', '1', self.value()))};"
        if r.random() < 0.15:
            fill = f"if (N) {{ {fill} }} else {{ p->v = 1; p->w = 1; }}"
        if r.random() < 0.6:
            link = f"p->prev = 0; p->next = {l}; if ({l}) {l}->prev = p; {l} = p;"
        else:
            link = f"p->next = 0; struct n *t = {l}; if (!t) {{ p->prev = 0; {l} = p; }} else {{ while (t->next) t = t->next; t->next = p; p->prev = t; }}"
        if r.random() < 0.3: # in order, or nearly
            less = r.choice(("<", "<", "<=", ">", "!="))
            back = r.choice(("p->prev = q; if (p->next) p->next->prev = p;", "p->prev = q; if (p->next) p->next->prev = p;", "p->prev = q;"))
            link = f"p->prev = p->next = 0; if (!{l} || !({l}->v {less} p->v)) {{ p->next = {l}; if ({l}) {l}->prev = p; {l} = p; }} else {{ " \
                f"struct n *q = {l}; while (q->next && q->next->v {r.choice((less, less, '<'))} p->v) q = q->next; p->next = q->next; {back} q->next = p; }}"
        if r.random() < 0.3:
            limit = r.choice(("if (k < 0) k = 0; if (k > 2) k = 2;", "if (k < 1 || k > 2) k = 1;", "k = k & 1;", "k = (unsigned) k % 3;",
                              "if (k > 1) k = 1; else if (k < 0) k = -k;", "if (N) k = 2; else if (N) k = 0;", "if (k == 3) k = x;"))
            fill = f"int k = N; {limit} p->v = {r.choice(('k', 'k', 'k + 1', 'k * 2 - 1'))}; p->w = {r.choice(('k', '0', 'p->v'))};"
        if r.random() < 0.15:
            fill = f"memset(p, {r.choice('001')}, {r.choice(('sizeof *p', 'sizeof *p', '4', '8', '6'))}); " + r.choice(("", "if (N) ")) + \
                f"p->v = {self.value()}; " + r.choice(("", f"p->w = {self.value()};"))
        if r.random() < 0.15:
            fill = f"if ({l}) {{ *p = *{l}; {r.choice(('', 'p->w = 1;', 'if (N) p->v = 2;'))} }} else {{ {fill} }}"
        body = f"struct n *p = {make}; {fill} {link}"
        return f"while (N) {{ {body} }}" if r.random() < 0.85 else f"{{ {body} }}"

    def walk(self, body):
        l = self.r.choice(self.lists)
        return f"for (struct n *i = {l}; i; i = i->next) {{ {body} }}"

    def change(self):
        if self.r.random() < 0.5:
            return self.walk(f"if ({self.condition('i')}) i->{self.r.choice('vw')} = {self.value()};")
        return self.walk(f"i->{self.r.choice('vw')} = {self.r.choice((self.value(), 'i->v', 'i->w'))};")

    def check(self):
        return self.walk(f"K({self.condition('i')});")

    def pair(self):
        c = self.r.choice(("i->next->prev == i", "i->next->prev == i", "i->v <= i->next->v", "i->v >= i->next->v", "i->v == i->next->v",
                           "i->w <= i->next->w", "i->next->v >= i->v", "i->prev != i->next"))
        return self.walk(f"if (i->next) K({c});")

    def sum(self):
        most = self.r.choice("235")
        step = self.r.choice((f"if (s < {most}) s += i->v;", "if (s < i->v) s = i->v;", f"if (i->v > 0 && s < {most}) s = s + i->w;",
                              "s |= i->w;", "if (i->v < s) s = i->v; "))
        return f"{{ int s = {self.r.choice('001')}; {self.walk(step)} K(s {self.r.choice(('<=', '<=', '!=', '>='))} {self.r.choice('0123457')}); }}"

    def twice(self):
        l, r = self.r.choice(self.lists), self.r
        between = r.choice(("", "if (j) j->w = 1;", "if (j) j->v = i->v;", "if (j) j->v = 1;", "if (j && j != i) j->v = 2;", "i = i->next; if (!i) break;",
                            "{ struct n c = *i; c.v = 3; c.w = c.v; }", "if (j) { struct n *e = j->next, *f = j->prev; *j = *i; j->next = e; j->prev = f; }"))
        return f"{{ struct n *j = {l}; while (j && N) j = j->next; for (struct n *i = {self.r.choice(self.lists)}; i; i = i->next) {{ int g = i->{r.choice('vw')}; {between} K(i->{r.choice('vvw')} == g); }} }}"

    def find(self):
        l = self.r.choice(self.lists)
        return f"{{ struct n *i = {l}; while (i && !({self.condition('i')})) i = i->next; if (i) K({self.condition('i')}); }}"

    def remove(self):
        l, r = self.r.choice(self.lists), self.r
        spoil = r.choice(("", "", "d->v = 0; "))
        how = r.choice((f"if ({l}) {{ struct n *d = {l}; {l} = d->next; if ({l}) {l}->prev = 0; {spoil}free(d); }}",
                        f"if ({l} && {l}->next) {{ struct n *d = {l}->next; {l}->next = d->next; if (d->next) d->next->prev = {l}; {spoil}free(d); }}",
                        f"if ({l} && {l}->next) {{ struct n *d = {l}->next; {l}->next = d->next; free(d); }}"))
        return f"while (N) {{ {how} }}" if r.random() < 0.3 else how

    def move(self):
        if len(self.lists) < 2:
            return self.check()
        return "if (a) { struct n *m = a; a = m->next; if (a) a->prev = 0; m->prev = 0; m->next = b; if (b) b->prev = m; b = m; }"

    def back(self):
        l = self.r.choice(self.lists)
        return f"{{ struct n *i = {l}; while (i) {{ K({self.condition('i')}); if (N && i->prev) i = i->prev; else i = i->next; }} }}"

    def free_all(self):
        l, r = self.r.choice(self.lists), self.r
        if r.random() < 0.25:
            return f"while ({l}) {{ struct n *o = {l}->next; if (N || !o) free({l}); {l} = o; }}"
        if r.random() < 0.15:
            return f"{{ struct n *k = {l}; while (k && N) k = k->next; while ({l}) {{ struct n *o = {l}->next; free({l}); {l} = o; }} if (k && N) k->v = 1; if (k && N) free(k); }}"
        return f"while ({l}) {{ struct n *o = {l}->next; free({l}); {l} = o; }}"

    def program(self):
        kinds = [self.build, self.check, self.check, self.change, self.sum, self.twice, self.find, self.remove, self.move, self.back, self.pair, self.pair]
        steps = [self.build()] + [self.r.choice(kinds)() for _ in range(self.r.randint(1, 4))] + [self.r.choice((self.check, self.pair))()]
        if self.r.random() < 0.6:
            steps.append(self.free_all())
        lists = "".join(f"struct n *{l} = 0; " for l in self.lists)
        return HEAD + "int main(void)\n{\n    " + lists + "int x = N, y = N;\n    " + "\n    ".join(steps) + "\n    return 0;\n}\n"


def observe(folder, source, r):
    program = os.path.join(folder, "q.c")
    pathlib.Path(program).write_text(source.replace("int main(void)", "int program_main(void)"))
    pathlib.Path(folder, "d.c").write_text(DRIVER)
    binary = os.path.join(folder, "q")
    subprocess.run(["gcc", "-w", "-O0", "-fsanitize=address", "-o", binary, program, os.path.join(folder, "d.c")], check=True)
    lines = ["".join(r.choice("0011123") for _ in range(r.randint(4, 24))) for _ in range(150)]
    done = subprocess.run([binary], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=600,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    return done.stdout


def verify(regatta, path, prop, time):
    done = subprocess.run([regatta, "verify", "-q", "--time", time, "--cores", "1", "--property", prop, path],
                          capture_output=True, text=True, errors="replace", timeout=600)
    return {0: "safe", 10: "unsafe", 20: "unknown"}.get(done.returncode, "no answer"), done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("regatta")
    parser.add_argument("count", nargs="?", type=int, default=40)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--time", default="4s")
    options = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            r = random.Random(seed)
            source = Writer(r).program()
            prop, letter = PROPERTIES[seed % len(PROPERTIES)]
            bad = letter in observe(folder, source, r)
            path = os.path.join(folder, "p.c")
            pathlib.Path(path).write_text(source)
            for asked in (prop, prop + "#blocks", *([prop + "#pairs"] if prop == "unreach-call" else [])):
                answer, out = verify(options.regatta, path, asked, options.time)
                wrong = (answer == "safe" and bad) or answer == "no answer"
                key = ("plan " if asked == prop else asked.partition("#")[2] + " ") + answer + (" (seen)" if bad else "")
                counts[key] = counts.get(key, 0) + 1
                say(not wrong, f"{seed}: {asked} is {answer}", out + source)
    print("# " + ", ".join(f"{counts[k]} {k}" for k in sorted(counts)))
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
