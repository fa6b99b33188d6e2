#!/usr/bin/env python3
"""Random programs over lists of any length that lose memory, or leave it, or do not, against runs of the compiled program.

    random_leaks.py REGATTA [COUNT [SEED]] [--time T] [--blocks]    (TAP; 40, 1, 4s; --blocks: that model only)

A program builds lists, takes them apart, joins, turns round and frees them, in loops whose rounds inputs decide; in many of them a
statement is missing. It is compiled with a malloc and a free that keep a table of blocks, and run on inputs that are 0 or 1, some
hundreds of them. At the end of a run the table says which blocks are left, and a search from the global variables
which of them are lost. No program with such a run may be called safe: by the plan, nor by the model of any number of blocks alone
(`#blocks`). What is called unsafe and showed no violation is counted only: it was replayed, and its inputs may be others.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import tap_lines  # noqa: E402
from random_lists import verify  # noqa: E402
from tap_lines import say  # noqa: E402

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void *malloc(__SIZE_TYPE__), *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern void free(void *);
#define N __VERIFIER_nondet_int()
"""

# Runs the program on the inputs of each line that it reads; says how each run ended, one letter each. A block is never used again; one that
# was freed is filled with what is no address, and must keep it.
DRIVER = """#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
extern int program_main(void);
extern void **program_roots(void);
static char line[100], memory[100000];
static size_t at, used;
static struct { char *start; size_t bytes; int alive, seen; } blocks[1000];
static int count;
static sigjmp_buf out;
static void end(int letter) { siglongjmp(out, letter); }
static void stop(int signal) { end(signal == SIGVTALRM ? 't' : 'd'); }
int __VERIFIER_nondet_int(void) { return line[at] == '1' ? at++, 1 : line[at] == '0' ? at++, 0 : 0; }
void *program_malloc(size_t bytes)
{
    char *p = memory + used;
    used += (bytes + 31) / 16 * 16; // there is something between two
    if (count == 1000 || used > sizeof memory) end('t');
    memset(p, 0xa5, bytes);
    blocks[count].start = p; blocks[count].bytes = bytes; blocks[count].seen = 0; blocks[count++].alive = 1;
    return p;
}
void *program_calloc(size_t n, size_t bytes) { return memset(program_malloc(n * bytes), 0, n * bytes); }
void program_free(void *p)
{
    for (int i = 0; i < count && p != NULL; i++) {
        if (blocks[i].start != p || !blocks[i].alive) continue;
        blocks[i].alive = 0;
        memset(p, 0xa5, blocks[i].bytes);
        return;
    }
    if (p != NULL) end('f');
}
static void search(char *p)
{
    for (int i = 0; i < count; i++) {
        if (!blocks[i].alive || blocks[i].seen || p < blocks[i].start || p >= blocks[i].start + blocks[i].bytes) continue;
        blocks[i].seen = 1;
        for (size_t k = 0; k + sizeof(char *) <= blocks[i].bytes; k += sizeof(char *)) search(*(char **)(blocks[i].start + k));
    }
}
static int outcome(void)
{
    int left = 0, lost = 0;
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < blocks[i].bytes; k++)
            if (!blocks[i].alive && blocks[i].start[k] != (char)0xa5) return 'd';
    for (void **r = program_roots(); *r != NULL; r++) search(*(char **)*r);
    for (int i = 0; i < count; i++) { left |= blocks[i].alive; lost |= blocks[i].alive && !blocks[i].seen; }
    return lost ? 'l' : left ? 'r' : '-';
}
int main(void)
{
    struct itimerval some = {{0, 0}, {0, 50000}}, none = {{0, 0}, {0, 0}};
    signal(SIGSEGV, stop);
    signal(SIGBUS, stop);
    signal(SIGVTALRM, stop);
    while (fgets(line, sizeof line, stdin) != NULL) {
        int letter = sigsetjmp(out, 1);
        if (letter == 0) {
            at = used = count = 0;
            for (void **r = program_roots(); *r != NULL; r++) *(char **)*r = NULL;
            setitimer(ITIMER_VIRTUAL, &some, NULL);
            program_main();
            letter = outcome();
        }
        setitimer(ITIMER_VIRTUAL, &none, NULL);
        putchar(letter); // free, deref, left, lost
    }
    return 0;
}
"""

# What a run says that violates the property.
PROPERTIES = [("valid-memcleanup", "rl"), ("valid-memtrack", "l"), ("valid-memsafety", "fdl"), ("valid-memcleanup", "rl")]

# `@` is before what may be missing.
STEPS = [
    "while (N) { NEW @x->n = A; @A = x; }",
    "while (N) { NEW x->n = A; A = x; }",
    "{ struct n *t = 0; A_EMPTY while (N) { NEW x->n = 0; if (t) @t->n = x; else @A = x; @t = x; } }",
    "while (N) { NEW x->n = 0; if (!A) A = x; else { struct n *t = A; while (t->n) t = t->n; @t->n = x; } }",
    "if (A) { struct n *p = A; while (p->n && N) p = p->n; NEW @x->n = p->n; p->n = x; }",
    "if (A) { struct n *d = A; @A = A->n; @free(d); }",
    "while (A && N) { struct n *d = A; A = d->n; @free(d); }",
    "{ struct n *q = 0, *p = A; while (p) { if (N) { struct n *d = p; p = p->n; if (q) @q->n = p; else @A = p; @free(d); } else { @q = p; p = p->n; } } }",
    "if (A && A->n) { struct n *p = A; while (p->n->n && N) p = p->n; struct n *d = p->n; @p->n = d->n; @free(d); }",
    "{ struct n *r = 0; while (A) { struct n *t = A->n; @A->n = r; @r = A; A = t; } @A = r; }",
    "{ struct n *r = 0; while (A) { struct n *t = A; A = A->n; @t->n = r; r = t; } A = r; }",
    "if (A) { struct n *p = A; while (p->n && N) p = p->n; struct n *c = p->n; @p->n = 0; while (c) { struct n *d = c; c = c->n; @free(d); } }",
    "for (struct n *i = A; i; i = i->n) @i->v = 2;",
    "{ struct n **p = &A; while (*p && N) p = &(*p)->n; if (*p) { struct n *d = *p; @*p = d->n; @free(d); } }",
    "{ struct n *p = A; while (p && N) p = p->n; if (p && N) @A = p; }",
    "while (A && A->v == 1) { struct n *d = A; A = A->n; @free(d); }",
    "{ NEW x->n = A; A = x; }",
    "{ NEW @free(x); }",
    "while (N) { NEW if (N) { @free(x); } else { x->n = A; A = x; } }",
]
BOTH = [
    "if (A) { struct n *m = A; @A = m->n; @m->n = B; @B = m; }",
    "while (A) { struct n *m = A; A = m->n; @m->n = B; B = m; }",
    "if (!A) { A = B; @B = 0; } else { struct n *t = A; while (t->n) t = t->n; @t->n = B; @B = 0; }",
    "if (!B && A) { struct n *p = A; while (p->n && N) p = p->n; @B = p->n; @p->n = 0; }",
    "{ struct n *s = A; A = B; @B = s; }",
    "while (A) { struct n *m = A; A = A->n; if (N) { @m->n = B; B = m; } else @free(m); }",
    "while (B) { struct n *m = B; B = B->n; m->n = 0; if (!A) A = m; else { @m->n = A->n; A->n = m; } }",
]
FREE = [
    "while (A) { struct n *d = A; A = A->n; @free(d); }",
    "while (A) { struct n *d = A->n; free(A); @A = d; }",
    "while (A) { struct n *d = A->n; free(A); A = d; }",
    "{ struct n *p = A; while (p) { struct n *d = p; p = p->n; free(d); } @A = 0; }",
    "drop(A); @A = 0;",
    "drop(A);",
    "while (A && A->n) { struct n *d = A; A = d->n; free(d); } @free(A);",
]
DROP = "static void drop(struct n *l) { while (l) { struct n *d = l; l = l->n; free(d); } }\n"


class Writer:
    def __init__(self, r):
        self.r = r
        self.names = ["a", "b"][:r.choice((1, 1, 2))]
        self.missing = r.choice((0, 0.1, 0.25, 0.4))
        self.outside = [n for n in self.names if r.random() < 0.3]
        self.before = r.random() < 0.2  # the link is before the number

    def step(self, text):
        r = self.r
        a = r.choice(self.names)
        b = self.names[1 - self.names.index(a)] if len(self.names) > 1 else a
        new = r.choice(("struct n *x = malloc(sizeof *x); x->v = 1;", "struct n *x = malloc(sizeof *x); x->v = N;",
                        "struct n *x = calloc(1, sizeof *x);", "struct n *x = make();"))
        text = text.replace("A_EMPTY", r.choice(("", "drop(A); A = 0;", "t = A; while (t && t->n) t = t->n;")))
        text = re.sub(r"\bA\b", a, re.sub(r"\bB\b", b, text.replace("NEW", new)))
        return re.sub(r"@[^;]*;", lambda m: ";" if r.random() < self.missing else m.group()[1:], text)

    def program(self):
        r = self.r
        steps = [self.step(STEPS[r.randrange(4)])]
        for _ in range(r.randint(0, 3)):
            steps.append(self.step(r.choice(BOTH if len(self.names) > 1 and r.random() < 0.4 else STEPS)))
        for name in self.names:
            if r.random() < 0.93:
                steps.append(self.step(re.sub(r"\bA\b", name, r.choice(FREE))))
        fields = "struct n *n; int v;" if self.before else "int v; struct n *n;"
        lists = "".join(f"struct n *{n} = 0; " for n in self.names if n not in self.outside)
        out = HEAD + f"struct n {{ {fields} }};\n" + "".join(f"struct n *{n};\n" for n in self.outside) + DROP
        out += "static struct n *make(void) { struct n *x = malloc(sizeof *x); x->v = 0; return x; }\n"
        return out + "int main(void)\n{\n    " + lists + "\n    " + "\n    ".join(steps) + "\n    return 0;\n}\n"


def observe(folder, source, outside, r):
    source = source.replace("int main(void)", "int program_main(void)")
    source = re.sub(r"\b(malloc|calloc|free)\b", r"program_\1", source)
    source += "void **program_roots(void) { static void *roots[] = {" + "".join(f"&{n}, " for n in outside) + "0}; return roots; }\n"
    program = os.path.join(folder, "q.c")
    pathlib.Path(program).write_text(source)
    pathlib.Path(folder, "d.c").write_text(DRIVER)
    binary = os.path.join(folder, "q")
    subprocess.run(["gcc", "-w", "-O0", "-o", binary, program, os.path.join(folder, "d.c")], check=True)
    lines = ["".join(r.choice("00111") for _ in range(r.randint(3, 20))) for _ in range(400)]
    done = subprocess.run([binary], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=600)
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("regatta")
    parser.add_argument("count", nargs="?", type=int, default=40)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--time", default="4s")
    parser.add_argument("--blocks", action="store_true")
    options = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            r = random.Random(seed)
            writer = Writer(r)
            source = writer.program()
            prop, letters = PROPERTIES[seed % len(PROPERTIES)]
            bad = any(letter in letters for letter in observe(folder, source, writer.outside, r))
            path = os.path.join(folder, "p.c")
            pathlib.Path(path).write_text(source)
            for asked in (prop, prop + "#blocks")[options.blocks:]:
                answer, out = verify(options.regatta, path, asked, options.time)
                wrong = (answer == "safe" and bad) or answer == "no answer"
                key = ("plan " if asked == prop else "blocks ") + answer + (" (seen)" if bad else "")
                counts[key] = counts.get(key, 0) + 1
                say(not wrong, f"{seed}: {asked} is {answer}", out + source)
    print("# " + ", ".join(f"{counts[k]} {k}" for k in sorted(counts)))
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
