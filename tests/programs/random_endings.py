#!/usr/bin/env python3
"""Random programs of jumps over small numbers: does every run end? What is so is found by visiting all states.

    random_endings.py REGATTA [COUNT [SEED]] [--time 20s] [--keep FOLDER]    (TAP)

A program is a list of assignments, inputs and jumps over three variables below 8, so it has few states; a run without an end is
a circle among those that can be reached. Loops overlap and are entered in the middle. Unknown is said, never wrong.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent)]
import tap_lines  # noqa: E402
from tap_lines import say  # noqa: E402

NAMES = "xyz"


def expression(r):
    a, b = r.choice(NAMES), r.choice([*NAMES, *"1123457"])
    return r.choice([f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} ^ {b}", f"{a} & {b}", f"{a} + 1", f"{a} - 1", f"{a} >> 1"])


def condition(r):
    return f"{r.choice(NAMES)} {r.choice(['<', '<=', '==', '!=', '>'])} {r.choice([*NAMES, *'01357'])}"


def program(seed):
    """Instructions: (set, name, expression), (input, name, mask), (jump, condition or None for any, target)."""
    r = random.Random(seed)
    count = r.randrange(4, 14)
    code = []
    for at in range(count):
        kind = r.randrange(10)
        if kind < 4:
            code.append(("set", r.choice(NAMES), expression(r)))
        elif kind < 5:
            code.append(("input", r.choice(NAMES), r.choice([1, 3, 7])))
        else:
            back = r.random() < 0.45
            target = r.randrange(0, at + 1) if back else r.randrange(at + 1, count + 1)
            code.append(("jump", None if r.random() < 0.15 else condition(r), target))
    return code


def text(code):
    lines = ["extern int __VERIFIER_nondet_int(void);", "int main(void)", "{", "    unsigned x = 0, y = 1, z = 5;"]
    for at, (kind, a, b) in enumerate(code):
        if kind == "set":
            lines.append(f"l{at}: {a} = ({b}) & 7;")
        elif kind == "input":
            lines.append(f"l{at}: {a} = (unsigned)__VERIFIER_nondet_int() & {b};")
        else:
            lines.append(f"l{at}: if ({a or '__VERIFIER_nondet_int()'}) goto l{b};")
    return "\n".join([*lines, f"l{len(code)}: return 0;", "}", ""])


def successors(code, state):
    at, values = state[0], dict(zip(NAMES, state[1:]))
    if at == len(code):
        return []
    kind, a, b = code[at]
    if kind == "jump":
        ways = {True, False} if a is None else {bool(eval(a, {}, values))}
        return [(b if way else at + 1, *state[1:]) for way in sorted(ways)]
    chosen = [eval(b, {}, values) & 7] if kind == "set" else range(b + 1)
    return [(at + 1, *({**values, a: value}[name] for name in NAMES)) for value in chosen if kind == "set" or value & ~b == 0]


def ends(code):
    """No circle of states can be reached: depth first, a state on the path met again is one."""
    start = (0, 0, 1, 5)
    on_path, path = {start: True}, [(start, iter(successors(code, start)))]
    while path:
        state, rest = path[-1]
        following = next(rest, None)
        if following is None:
            on_path[state] = False
            path.pop()
        elif on_path.get(following):
            return False
        elif following not in on_path:
            on_path[following] = True
            path.append((following, iter(successors(code, following))))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta")
    parser.add_argument("count", type=int, nargs="?", default=20)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--time", default="20s")
    parser.add_argument("--keep", help="folder for programs with a wrong verdict")
    arguments = parser.parse_args()
    told = {}
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        code = program(seed)
        want = "safe" if ends(code) else "unsafe"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "task.c")
            pathlib.Path(path).write_text(text(code))
            done = subprocess.run([arguments.regatta, "verify", "-q", "--time", arguments.time, "--cores", "1", "--property",
                                   "termination", path], capture_output=True, text=True, errors="replace")
        answer = done.stdout.strip().split("\n")[-1].split(" ")[0].strip(",")
        told[want, answer] = told.get((want, answer), 0) + 1
        say(answer in (want, "unknown"), f"program {seed} is {want}", text(code) + done.stdout + done.stderr)
        if answer not in (want, "unknown") and arguments.keep:
            pathlib.Path(arguments.keep, f"wrong-{seed}.c").write_text(text(code))
    print("#", ", ".join(f"{want} found {answer}: {count}" for (want, answer), count in sorted(told.items())))
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
