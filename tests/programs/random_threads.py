#!/usr/bin/env python3
"""Random C programs with threads against all their interleavings.

    random_threads.py REGATTA [COUNT [SEED]] [--time 20s]    (--help says more)

Two or three threads read, write and change two or three shared variables, some of them atomic, under a lock, in steps that are not
interrupted, through a pointer of their own and one that is shared, in loops and under conditions, with an input of one bit, and may end the program; main begins them, does some of that itself, joins
some of them, and asserts something at its end. An interpreter of our own, that knows statements and no compiler, goes through all
interleavings: whether reach_error is called, and whether two accesses that are not both atomic and not both reads are possible at the same
time. Regatta says the same of both properties, or unknown: each number of a
program is two questions.
"""

import random
import sys

import random_programs

HEAD = """#include <pthread.h>
extern void abort(void);
extern void exit(int);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void reach_error(void) { abort(); }
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
"""

MOST_STATES = 200000


class Body:
    """Statements of one thread, as C and as operations on shared variables and one local number."""

    def __init__(self, r, names, atomic, pointer, shared, asserts):
        self.r, self.names, self.atomic, self.pointer, self.shared, self.asserts = r, names, atomic, pointer, shared, asserts
        self.text, self.code, self.inside = [], [], 0

    def put(self, depth, line):
        self.text.append("    " * (depth + 1) + line)

    def through(self, depth):
        """The shared pointer: it is set, or followed."""
        r, plain = self.r, [v for v in self.names if v not in self.atomic]
        c, kind = r.randrange(1, 3), r.randrange(4)
        if kind == 0:
            v = r.choice(plain)
            self.put(depth, f"q = &{v};")
            self.code.append(("store", "q", None, plain.index(v)))
        elif kind == 1:
            self.put(depth, "r = *q;")
            self.code += [("keep", "q"), ("load", "*q")]
        else:
            self.put(depth, f"*q = {c};" if kind == 2 else f"*q = r + {c};")
            self.code += [("keep", "q"), ("store", "*q", None if kind == 2 else "r", c)]

    def add(self, depth):
        """One access, or two of one statement."""
        r, v = self.r, self.r.choice(self.names)
        if self.shared and r.random() < 0.3:
            self.through(depth)
            return
        told = v
        if self.pointer and r.random() < 0.4:
            v, told = "*p", "*p"
        c, kind = r.randrange(1, 3), r.randrange(6)
        if kind == 0:
            self.put(depth, f"{told} = {c};")
            self.code.append(("store", v, None, c))
        elif kind == 1:
            self.put(depth, f"r = {told};")
            self.code.append(("load", v))
        elif kind == 2:
            self.put(depth, f"{told} = r + {c};")
            self.code.append(("store", v, "r", c))
        elif kind in (3, 4) and v in self.atomic:
            self.put(depth, f"{told} += {c};")
            self.code.append(("change", v, c))
        else:
            self.put(depth, f"{told} = {told} + {c};")
            self.code += [("keep", v), ("store", v, "kept", c)]

    def statement(self, depth):
        r = self.r
        kind = r.random()
        if kind < 0.5 or depth > 1:
            self.add(depth)
        elif kind < 0.62 and not self.inside:
            lock = int(r.random() < 0.3)
            self.put(depth, f"pthread_mutex_lock(&{'mn'[lock]});")
            self.code.append(("lock", lock))
            self.inside = 1
            self.block(depth, r.randrange(1, 3))
            self.inside = 0
            self.put(depth, f"pthread_mutex_unlock(&{'mn'[lock]});")
            self.code.append(("unlock", lock))
        elif kind < 0.68 and not self.inside:
            self.put(depth, "__VERIFIER_atomic_begin();")
            self.code.append(("begin",))
            self.inside = 1
            for _ in range(r.randrange(1, 3)):
                self.add(depth)
            self.inside = 0
            self.put(depth, "__VERIFIER_atomic_end();")
            self.code.append(("end",))
        elif kind < 0.76:
            c, at = r.randrange(3), len(self.code)
            self.put(depth, f"if (r == {c}) {{")
            self.code.append(None)
            self.block(depth + 1, r.randrange(1, 3))
            self.put(depth, "}")
            self.code[at] = ("unless", c, len(self.code))
        elif kind < 0.82 and depth == 0:
            self.put(depth, "for (int i = 0; i < 2; i++) {")
            first = len(self.code)
            self.block(depth + 1, 1)
            again = self.code[first:]
            shift = len(self.code) - first
            self.code += [("unless", o[1], o[2] + shift) if o[0] == "unless" else o for o in again]
            self.put(depth, "}")
        elif kind < 0.88:
            self.put(depth, "r = __VERIFIER_nondet_int() & 1;")
            self.code.append(("input",))
        elif kind < 0.9:
            c = r.randrange(3)
            self.put(depth, f"while (r == {c});")
            self.code.append(("hang", c))
        elif kind < 0.94:
            c = r.randrange(3)
            self.put(depth, f"__VERIFIER_assume(r != {c});" if r.random() < 0.5 else f"if (r == {c}) exit(0);")
            self.code.append(("assume", c))
        elif self.asserts:
            c = r.randrange(1, 4)
            self.put(depth, f"if (r == {c}) reach_error();")
            self.code.append(("fails", c))
        else:
            self.add(depth)

    def block(self, depth, count):
        for _ in range(count):
            self.statement(depth)


def program(seed):
    """The text, operations by function, what main does, the variables, which are atomic."""
    r = random.Random(seed)
    names = ["x", "y", "z"][:r.randrange(1, 4)]
    atomic = {v for v in names if r.random() < 0.3}
    plain = [v for v in names if v not in atomic]
    text, functions = [HEAD], []
    for v in names:
        text.append(f"{'_Atomic ' if v in atomic else ''}int {v};")
    shared = bool(plain) and r.random() < 0.4
    if shared:
        text.append(f"int *q = &{plain[0]};")
    for f in range(r.randrange(1, 3)):
        pointer = bool(plain) and r.random() < 0.4
        body = Body(r, names, atomic, pointer, shared, r.random() < 0.3)
        body.block(0, r.randrange(1, 4))
        functions.append((body.code, pointer))
        text.append(f"void *f{f}(void *argument)\n{{\n    int r = 0;" + ("\n    int *p = argument;" if pointer else ""))
        text += body.text + ["    return 0;\n}"]
    threads = [r.randrange(len(functions)) for _ in range(r.randrange(1, 4 if len(functions[0][0]) < 3 else 3))]
    text.append("int main(void)\n{\n    int r = 0;")
    code, joined = [], []
    looped = len(set(threads)) == 1 and len(threads) > 1 and r.random() < 0.5
    target = [r.choice(plain) if plain else None for _ in threads]
    if looped:
        target = [target[0]] * len(threads)
        text.append(f"    pthread_t t[{len(threads)}];\n    for (int i = 0; i < {len(threads)}; i++)\n        pthread_create(&t[i], 0, "
                    f"f{threads[0]}, {'&' + target[0] if target[0] else '0'});")
    else:
        text.append(f"    pthread_t t[{len(threads)}];")
    body = Body(r, names, atomic, False, shared, False)
    again = len(threads) == 1 and r.random() < 0.4
    if again:  # one after the other
        body.put(0, "for (int i = 0; i < 2; i++) {")
        body.put(1, f"pthread_create(&t[0], 0, f{threads[0]}, {'&' + target[0] if target[0] else '0'});")
        first = len(body.code)
        body.block(1, 1)
        between = body.code[first:]
        body.put(1, "pthread_join(t[0], 0);")
        body.put(0, "}")
        body.code = [("create", 0, threads[0], target[0])]
        shift = 1 - first
        for k in range(2):
            if k == 1:
                body.code.append(("create", 1, threads[0], target[0]))
                shift = len(body.code) - first
            body.code += [("unless", o[1], o[2] + shift) if o[0] == "unless" else o for o in between]
            body.code.append(("join", k))
        threads = threads * 2
    for k, f in enumerate([] if again else threads):
        if not looped:
            body.put(0, f"pthread_create(&t[{k}], 0, f{f}, {'&' + target[k] if target[k] else '0'});")
        body.code.append(("create", k, f, target[k]))
        if not looped and r.random() < 0.3:
            body.block(0, 1)
    if r.random() < 0.4:
        body.block(0, 1)
    for k in range(0 if again else len(threads)):
        if r.random() < 0.85:
            body.put(0, f"pthread_join(t[{k}], 0);")
            body.code.append(("join", k))
    v, c = r.choice(names), r.randrange(0, 6)
    body.put(0, f"r = {v};")
    body.code.append(("load", v))
    body.put(0, f"if (r == {c}) reach_error();")
    body.code.append(("fails", c))
    text += body.text + ["    return 0;\n}", ""]
    # The pointer is the number of a plain variable.
    return "\n".join(text), functions, body.code, plain + sorted(atomic) + ["q"], atomic, len(threads)


def explore(functions, main, names, atomic, count):
    """(reach_error is called, there is a race), or None where there is too much."""
    def code_of(t, begun):
        return main if t == 0 else functions[begun[t - 1][0]][0]

    # position of each thread (None: not begun), its r and what a statement has read, variables, who has which lock, who is not interrupted
    start = (tuple([0] + [None] * count), tuple([(0, 0)] * (count + 1)), tuple([0] * len(names)), (None, None), None, tuple([None] * count))
    seen, todo, fails, races = {start}, [start], False, False
    while todo:
        at, local, values, owner, whole, begun = todo.pop()
        if at[0] == len(main):
            continue

        def var(t, name):
            return begun[t - 1][1] if name == "*p" else names[local[t][1]] if name == "*q" else name

        def plain_access(t):
            if at[t] is None or at[t] >= len(code_of(t, begun)):
                return None
            code = code_of(t, begun)
            o = code[at[t]]
            if o[0] not in ("load", "keep", "store") or var(t, o[1]) in atomic:
                return None
            return var(t, o[1]), o[0] == "store"

        accesses = [plain_access(t) for t in range(count + 1)]
        for t in range(count + 1):
            for u in range(t):
                a, b = accesses[t], accesses[u]
                if a and b and a[0] == b[0] and (a[1] or b[1]) and (whole is None or whole in (t, u)):
                    races = True
        for t in range(count + 1):
            if at[t] is None or whole not in (None, t):
                continue
            code = code_of(t, begun)
            if at[t] >= len(code):
                continue
            o, (r, kept) = code[at[t]], local[t]
            nexts, to, new, mine, held, alone, started = [], at[t] + 1, values, (r, kept), owner, whole, begun
            if o[0] == "load":
                mine = (values[names.index(var(t, o[1]))], kept)
            elif o[0] == "keep":
                mine = (r, values[names.index(var(t, o[1]))])
            elif o[0] in ("store", "change"):
                k = names.index(var(t, o[1]))
                value = values[k] + o[2] if o[0] == "change" else {"r": r, "kept": kept, None: 0}[o[2]] + o[3]
                new = values[:k] + (value,) + values[k + 1:]
            elif o[0] == "lock":
                if owner[o[1]] is not None:
                    continue
                held = owner[:o[1]] + (t,) + owner[o[1] + 1:]
            elif o[0] == "unlock":
                held = owner[:o[1]] + (None,) + owner[o[1] + 1:]
            elif o[0] == "begin":
                alone = t
            elif o[0] == "end":
                alone = None
            elif o[0] == "unless":
                to = to if r == o[1] else o[2]
            elif o[0] == "hang":
                if r == o[1]:
                    continue
            elif o[0] == "assume":  # or the program ends
                if r == o[1]:
                    continue
            elif o[0] == "fails":
                if r == o[1]:
                    fails = True
                    continue
            elif o[0] == "join":
                if at[o[1] + 1] is None or at[o[1] + 1] < len(code_of(o[1] + 1, begun)):
                    continue
            elif o[0] == "create":
                started = begun[:o[1]] + ((o[2], o[3]),) + begun[o[1] + 1:]
            for choice in ((0, 1) if o[0] == "input" else (None,)):
                if choice is not None:
                    mine = (choice, kept)
                there = list(at)
                there[t] = to
                if o[0] == "create":
                    there[o[1] + 1] = 0
                nexts.append((tuple(there), local[:t] + (mine,) + local[t + 1:], new, held, alone, started))
            for n in nexts:
                if n not in seen:
                    seen.add(n)
                    todo.append(n)
        if len(seen) > MOST_STATES:
            return None
    return fails, races


def question(seed, folder):
    """The task's text, what is expected of it, and what is asked: one property after the other of programs that are told by their number."""
    text, functions, main, names, atomic, count = program(seed // 2)
    known = explore(functions, main, names, atomic, count)
    return (text, known and ("unsafe" if known[seed % 2] else "safe"),
            ("unreach-call", "no-data-race")[seed % 2] + ("#lp64" if seed // 2 % 2 else "#ilp32"))


if __name__ == "__main__":
    sys.exit(random_programs.main(question))
