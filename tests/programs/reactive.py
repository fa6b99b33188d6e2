#!/usr/bin/env python3
"""Event-condition-action programs of any size, what is so by visiting their states, and what regatta says.

    reactive.py write FOLDER [--sizes 100,300,1000] [--seed N] [--each N]
    reactive.py check REGATTA [COUNT]                  (TAP: small ones, values by values)
    reactive.py run REGATTA FOLDER OUT.csv [--cpu 60] [--cores 2] [--plan NAME | --config NAME]

One loop reads an input of 1 to 6 and takes the first of so many branches whose condition on the input and the state holds. `kind` varies
with the seed: branches that return, a chain of else, functions by mode with a flag; `numbers`: some state is numbers that are computed with and
compared. Of each program there is one with an error that some run meets and one with one that none meets. What is so is found by a compiled
program of its own that calls the step function on all states; it shares nothing with Regatta.
"""

import argparse
import csv
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

INPUTS = 6
MOST_STATES = 100_000

HARNESS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N %(count)d
#define MOST %(most)d
static int *const place[N] = { %(places)s };
static int (*states)[N]; static int *depth; static unsigned *table;
static unsigned long hash(const int *s) { unsigned long h = 1469598103934665603ul; for (int i = 0; i < N; i++) h = (h ^ (unsigned)s[i]) * 1099511628211ul; return h ^ h >> 29; }
static int met;
void reach_error(void) { met = 1; }
int main(void)
{
    states = malloc(sizeof *states * MOST); depth = malloc(sizeof *depth * MOST);
    unsigned long size = 1; while (size < 2ul * MOST) size *= 2;
    table = calloc(size, sizeof *table);
    unsigned count = 1;
    depth[0] = 0;
    for (int i = 0; i < N; i++) states[0][i] = *place[i];
    table[hash(states[0]) & (size - 1)] = 1;
    for (unsigned at = 0; at < count; at++) {
        for (int input = 1; input <= %(inputs)d; input++) {
            for (int i = 0; i < N; i++) *place[i] = states[at][i];
            step(input);
            if (met) { printf("unsafe %%d %%u\\n", depth[at] + 1, count); return 0; }
            int next[N]; for (int i = 0; i < N; i++) next[i] = *place[i];
            unsigned long h = hash(next) & (size - 1);
            while (table[h] && memcmp(states[table[h] - 1], next, sizeof next)) h = (h + 1) & (size - 1);
            if (table[h]) continue;
            if (count == MOST) { printf("unknown\\n"); return 0; }
            memcpy(states[count], next, sizeof next); depth[count] = depth[at] + 1; table[h] = ++count;
        }
    }
    printf("safe %%d %%u\\n", depth[count - 1], count);
#ifdef LIST
    unsigned stride = count / 2000 + 1;
    for (unsigned i = 0; i < count; i += stride) { printf("%%d", depth[i]); for (int k = 0; k < N; k++) printf(" %%d", states[i][k]); puts(""); }
#endif
    return 0;
}
"""


class Program:
    def __init__(self, r, size, kind, numbers):
        self.r, self.kind = r, kind
        self.modes = max(3, size // r.choice([8, 12, 20]))
        self.names = ["mode"] + [f"a{i}" for i in range(r.choice([4, 6, 9]))]
        self.values = {"mode": list(range(1, self.modes + 1))}
        for name in self.names[1:]:
            self.values[name] = sorted(r.sample(range(1, 40), r.choice([2, 3, 4, 6])))
        self.numbers = [f"n{i}" for i in range(r.choice([1, 2, 3]))] if numbers else []
        self.start = {name: r.choice(self.values[name]) for name in self.names}
        self.start |= {name: r.randrange(-20, 20) for name in self.numbers}
        # One branch in the first mode at least for each input, so that runs go somewhere.
        self.branches = [self.branch(self.values["mode"][i % self.modes]) for i in range(size)]
        self.branches.sort(key=lambda b: b[0]) if kind == "modes" else r.shuffle(self.branches)

    def branch(self, mode):
        r = self.r
        tests = [f"mode == {mode}", f"input == {r.randrange(1, INPUTS + 1)}"]
        for name in r.sample(self.names[1:], r.choice([0, 1, 1, 2, 3])):
            few = r.sample(self.values[name], max(1, len(self.values[name]) // 2))
            tests.append(few_test := " || ".join(f"{name} == {v}" for v in few))
            if len(few) > 1:
                tests[-1] = f"({few_test})"
        for name in r.sample(self.numbers, r.choice([0, 1]) if self.numbers else 0):
            low = r.randrange(-200, 100)
            tests.append(r.choice([f"{low} < {name} && {name} <= {low + r.randrange(50, 250)}", f"{name} <= {low + 150}", f"{name} > {low}"]))
        r.shuffle(tests)
        sets = [("mode", str(r.choice(self.values["mode"])))]
        for name in r.sample(self.names[1:], r.choice([0, 1, 1, 2, 3])):
            sets.append((name, str(r.choice(self.values[name])) if r.random() < 0.85 else r.choice(
                [n for n in self.names[1:]])))
        for name in r.sample(self.numbers, r.choice([0, 1]) if self.numbers else 0):
            sets.append((name, r.choice([f"((({name} - {r.randrange(1, 300)}) % {r.randrange(5, 60)}) + {r.randrange(-100, 100)})",
                                         f"((({name} * {r.choice('235')}) % {r.randrange(5, 40)}) - {r.randrange(50)})",
                                         f"((((({name} + {r.randrange(1, 90000)}) / 5) % {r.randrange(5, 50)}) * {r.choice('235')}))"])))
        return mode, tests, sets

    def text(self, errors):
        """The declarations and the step function."""
        out = ["extern void reach_error(void);"]
        out += [f"int {name} = {value};" for name, value in self.start.items()]
        check = [f"    if ({' && '.join(f'{n} == {v}' for n, v in e)})\n        reach_error();" for e in errors]

        def body(sets, indent):
            return [f"{indent}{n} = {v};" for n, v in sets]

        def test(tests):
            return " && ".join(f"({t})" for t in tests)

        if self.kind == "return":
            out += ["int step(int input)", "{", *check]
            for i, (_, tests, sets) in enumerate(self.branches):
                out += [f"    if ({test(tests)}) {{", *body(sets, " " * 8), f"        return {20 + i % 7};", "    }"]
            out += ["    return -2;", "}"]
        elif self.kind == "else":
            out += ["int step(int input)", "{", *check]
            for i, (_, tests, sets) in enumerate(self.branches):
                out += [f"    {'} else ' if i else ''}if ({test(tests)}) {{", *body(sets, " " * 8)]
            out += ["    }", "    return 0;", "}"]
        else:
            out.append("int flag = 1;")
            by_mode = {}
            for mode, tests, sets in self.branches:
                by_mode.setdefault(mode, []).append((tests, sets))
            for mode, branches in by_mode.items():
                out += [f"void mode_{mode}(int input)", "{"]
                for tests, sets in branches:
                    out += [f"    if ({test(t for t in tests if not t.startswith('mode =='))} && flag == 1) {{",
                            "        flag = 0;", *body(sets, " " * 8), "    }"]
                out.append("}")
            out += ["int step(int input)", "{", "    flag = 1;", *check]
            for mode in by_mode:
                out += [f"    if (mode == {mode} && flag == 1)", f"        mode_{mode}(input);"]
            out += ["    return 0;", "}"]
        return "\n".join(out) + "\n"

    def all_names(self):
        return self.names + self.numbers


MAIN = f"""extern int __VERIFIER_nondet_int(void);
int main(void)
{{
    while (1) {{
        int input = __VERIFIER_nondet_int();
        if (input < 1 || input > {INPUTS})
            return 0;
        step(input);
    }}
}}
"""


def visit(program, errors, listed=False):
    """What is so, in how many steps, of how many states; states."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "all.c")
        places = ", ".join("&" + n for n in program.all_names())
        with open(path, "w") as f:
            f.write(program.text(errors))
            f.write(HARNESS % {"count": len(program.all_names()), "most": MOST_STATES, "places": places, "inputs": INPUTS})
        subprocess.run(["cc", "-O0", "-w", "-fwrapv", "-DLIST" if listed else "-DPLAIN", "-o", folder + "/all", path], check=True)
        out = subprocess.run([folder + "/all"], check=True, capture_output=True, text=True).stdout.splitlines()
    return out[0].split(), [[int(w) for w in line.split()] for line in out[1:]]


def pair(seed, size, most=MOST_STATES):
    """A program with each verdict: (name, text, verdict, steps, states)."""
    for attempt in range(50):
        r = random.Random(f"{seed} {size} {attempt}")
        kind = ("return", "else", "modes")[seed % 3]
        program = Program(r, size, kind, seed % 2 == 1)
        (verdict, *figures), states = visit(program, [], True)
        if verdict != "safe" or int(figures[1]) < size // 4 or int(figures[0]) < 4 or int(figures[1]) > most:
            continue
        depth = figures[0]
        names = program.all_names()
        deep = [s for s in states if s[0] >= int(depth) * 2 // 3]
        target = r.choice(deep)
        reached = [list(zip(names, target[1:]))[i] for i in sorted(r.sample(range(len(names)), min(len(names), 6)))]
        if ("mode", target[1]) not in reached:
            reached.insert(0, ("mode", target[1]))
        unsafe = [reached]
        safe = []
        for _ in range(400):
            picks = [(n, r.choice(program.values[n])) for n in r.sample(program.names, 3)]
            if "mode" in dict(picks) and not any(all(s[1 + names.index(n)] == v for n, v in picks) for s in states):
                safe.append(picks)
                if len(safe) == 3:
                    break
        out = []
        for errors, want in ((unsafe, "unsafe"), (safe, "safe")):
            while errors:
                (verdict, depth, count), _ = visit(program, errors)
                if verdict == want:
                    break
                errors = errors[1:]
            if not errors:
                break
            text = program.text(errors).replace(
                "extern void reach_error(void);", "void reach_error(void) { }") + MAIN
            out.append((f"{kind}{'-numbers' if program.numbers else ''}-{size}-{seed}-{want}", text, want, int(depth), int(count)))
        if len(out) == 2:
            return out
    return []


def write(options):
    os.makedirs(options.folder, exist_ok=True)
    with open(os.path.join(options.folder, "index.csv"), "w", newline="") as f:
        rows = csv.writer(f)
        rows.writerow(["name", "expected", "steps", "states"])
        for size in map(int, options.sizes.split(",")):
            for seed in range(options.seed, options.seed + options.each):
                for name, text, verdict, steps, states in pair(seed, size):
                    with open(os.path.join(options.folder, name + ".c"), "w") as c:
                        c.write(text)
                    rows.writerow([name, verdict, steps, states])
                    print(name, verdict, steps, states, flush=True)
            f.flush()


def run(options):
    with open(os.path.join(options.folder, "index.csv"), newline="") as f:
        tasks = list(csv.DictReader(f))
    wrong = 0
    with open(options.out, "w", newline="") as f:
        rows = csv.writer(f)
        rows.writerow(["name", "expected", "answer", "checked", "cpu", "wall"])
        for task in tasks:
            command = [options.regatta, "verify", os.path.join(options.folder, task["name"] + ".c"), "--property", "unreach-call",
                       "--cores", str(options.cores), "--cpu-time", f"{options.cpu}s", "--time", f"{options.time}s"]
            command += ["--plan", options.plan] if options.plan else ["--config", options.config] if options.config else []
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            lines = done.stdout.splitlines()
            answer = next((l.split()[0] for l in reversed(lines) if l.split()[:1] and l.split()[0].strip(":,") in ("safe", "unsafe", "unknown")), "none").strip(":,")
            bad = {answer, task["expected"]} == {"safe", "unsafe"}
            wrong += bad
            line = " ".join(lines[-1:])[:100]
            rows.writerow([task["name"], task["expected"], answer, "not checked" not in done.stdout, f"{cpu:.2f}", f"{time.monotonic() - start:.2f}"])
            f.flush()
            print(f"{task['name']:36} {'WRONG ' if bad else ''}{answer:8} {cpu:7.2f} {line}", flush=True)
    return 1 if wrong else 0


def check(options):
    """Small ones, decided by configuration expl-loops."""
    number = 0
    for seed in range(options.count):
        for name, text, want, _, _ in pair(2 * seed, 32, 400):
            number += 1
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name + ".c")
                with open(path, "w") as f:
                    f.write(text)
                done = subprocess.run([options.regatta, "verify", "-q", "--cores", "1", "--time", "120s", "--check-time", "120s", "--config",
                                       "expl-loops", "--property", "unreach-call", path], capture_output=True, text=True)
            last = done.stdout.strip().split("\n")[-1]
            good = last.startswith("safe, checked" if want == "safe" else "unsafe")
            print(f"{'' if good else 'not '}ok {number} - {name} is {want}: {last}", flush=True)
    if number == 0:
        sys.exit("reactive.py: no program was made, so nothing was looked at")
    print(f"1..{number}")
    return 0


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    w = commands.add_parser("write")
    w.add_argument("folder")
    w.add_argument("--sizes", default="100,300,1000,2000,5000")
    w.add_argument("--seed", type=int, default=0)
    w.add_argument("--each", type=int, default=6)
    c = commands.add_parser("check")
    c.add_argument("regatta")
    c.add_argument("count", type=int, nargs="?", default=6)
    r = commands.add_parser("run")
    r.add_argument("regatta")
    r.add_argument("folder")
    r.add_argument("out")
    r.add_argument("--cpu", type=float, default=60)
    r.add_argument("--time", type=float, default=60)
    r.add_argument("--cores", type=int, default=2)
    r.add_argument("--plan")
    r.add_argument("--config")
    options = parser.parse_args()
    return {"write": write, "check": check, "run": run}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
