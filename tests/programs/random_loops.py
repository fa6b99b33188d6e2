#!/usr/bin/env python3
"""Random programs of nested loops over bytes that wrap: does every run end? What is so is found by visiting all states.

    random_loops.py REGATTA [COUNT [SEED]] [--config NAME] [--time 10s] [--keep FOLDER]    (TAP)

Loops count up and down by ones and more, halve, run in phases, reset what inner loops count, and stop when an input says so: near the
ranges where ranking functions end, so that one that forgets a wrap is wrong. Unknown is said, never wrong.
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
STATES = 60000 # a program with more is passed over


def wrap(kind, value):
    value &= 255
    return value - 256 if kind == "signed char" and value > 127 else value


def operand(r):
    return r.choice([*NAMES, *map(str, (0, 1, 2, 3, 5, 7, 100, 120, 126, 127))])


def condition(r, x):
    return r.choice([f"{x} > {operand(r)}", f"{x} < {operand(r)}", f"{x} <= {operand(r)}", f"{x} >= {operand(r)}", f"{x} != {operand(r)}",
                     f"{x} < {r.choice(NAMES)} && {r.choice(NAMES)} > 0", f"{x} + {r.choice('123')} < {r.choice(NAMES)}"])


def change(r, x):
    y = r.choice(NAMES)
    return ("set", x, r.choice([f"{x} + 1", f"{x} - 1", f"{x} + 1", f"{x} - 1", f"{x} + {r.choice('2357')}", f"{x} - {r.choice('2357')}",
                                f"{x} >> 1", f"{x} - {y}", f"{x} + {y}", y, r.choice("0159"), f"{x} & {y}"]))


def block(r, depth, code):
    """Appends instructions: (set, name, expression), (input, name, mask), (jump, condition or None for any, target)."""
    for _ in range(r.randrange(1, 3)):
        kind = r.random()
        if kind < 0.25 + 0.35 * (depth == 0) and depth < 3:
            x = r.choice(NAMES)
            if r.random() < 0.5:
                code.append(change(r, x))
            head = len(code)
            code.append(None)
            block(r, depth + 1, code)
            if r.random() < 0.8:
                up = " < " in (guard := condition(r, x))
                code.append(("set", x, f"{x} {'+' if up else '-'} {r.choice('1112')}"))
            else:
                guard = condition(r, x)
                code.append(change(r, x))
            code.append(("jump", "1", head))
            code[head] = ("jump", f"not ({guard})", len(code))
        elif kind < 0.5 and depth:
            skip = len(code)
            code.append(None)
            block(r, 3, code)
            code[skip] = ("jump", None if r.random() < 0.4 else condition(r, r.choice(NAMES)), len(code))
        elif kind < 0.6:
            code.append(("input", r.choice(NAMES), r.choice([1, 3, 7, 15])))
        else:
            code.append(change(r, r.choice(NAMES)))


def program(seed):
    r = random.Random(seed)
    code = [("input", x, r.choice([3, 15, 31])) for x in NAMES]
    kinds = {x: r.choice(["signed char", "signed char", "unsigned char"]) for x in NAMES}
    while not any(kind == "jump" for kind, _, _ in code):
        block(r, 0, code)
    return kinds, code


def in_c(condition):
    if condition is None:
        return "__VERIFIER_nondet_int()"
    return condition.replace("not (", "!(")


def text(kinds, code):
    lines = ["extern int __VERIFIER_nondet_int(void);", "int main(void)", "{"]
    lines += [f"    {kinds[x]} {x} = 0;" for x in NAMES]
    for at, (kind, a, b) in enumerate(code):
        if kind == "set":
            lines.append(f"l{at}: {a} = ({kinds[a]})({b});")
        elif kind == "input":
            lines.append(f"l{at}: {a} = ({kinds[a]})(__VERIFIER_nondet_int() & {b});")
        else:
            lines.append(f"l{at}: if ({in_c(a)}) goto l{b};")
    return "\n".join([*lines, f"l{len(code)}: return 0;", "}", ""])


def compiled(kinds, code):
    return [(kind, None if kind == "input" or a is None and kind == "jump" else
             compile((b if kind == "set" else a.replace("&&", "and")), "", "eval"), a, b) for kind, a, b in code]


def successors(kinds, code, state):
    at, values = state[0], dict(zip(NAMES, state[1:]))
    if at == len(code):
        return []
    kind, work, a, b = code[at]
    if kind == "jump":
        ways = (True, False) if work is None else (bool(eval(work, {}, values)),)
        return [(b if way else at + 1, *state[1:]) for way in ways]
    chosen = [wrap(kinds[a], eval(work, {}, values))] if kind == "set" else [v for v in range(b + 1) if v & ~b == 0]
    return [(at + 1, *({**values, a: value}[name] for name in NAMES)) for value in chosen]


def ends(kinds, code):
    """No circle of states can be reached: depth first, a state on the path met again is one. None: too many states."""
    code = compiled(kinds, code)
    start = (0, 0, 0, 0)
    on_path, path = {start: True}, [(start, iter(successors(kinds, code, start)))]
    while path:
        state, rest = path[-1]
        following = next(rest, None)
        if following is None:
            on_path[state] = False
            path.pop()
        elif on_path.get(following):
            return False
        elif following not in on_path:
            if len(on_path) > STATES:
                return None
            on_path[following] = True
            path.append((following, iter(successors(kinds, code, following))))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta")
    parser.add_argument("count", type=int, nargs="?", default=20)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--config", help="a configuration alone, instead of the plan")
    parser.add_argument("--time", default="10s")
    parser.add_argument("--keep", help="folder for programs with a wrong verdict")
    arguments = parser.parse_args()
    told, seed = {}, arguments.seed
    tried = 0
    while tried < arguments.count:
        kinds, code = program(seed)
        end = ends(kinds, code)
        seed += 1
        if end is None:
            continue
        tried += 1
        want = "safe" if end else "unsafe"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "task.c")
            pathlib.Path(path).write_text(text(kinds, code))
            words = [arguments.regatta, "verify", "-q", "--time", arguments.time, "--cores", "1", "--property", "termination", path]
            if arguments.config:
                words += ["--config", arguments.config]
            done = subprocess.run(words, capture_output=True, text=True, errors="replace")
        answer = done.stdout.strip().split("\n")[-1].split(" ")[0].strip(",")
        told[want, answer] = told.get((want, answer), 0) + 1
        say(answer in (want, "unknown"), f"program {seed - 1} is {want}", text(kinds, code) + done.stdout + done.stderr)
        if answer not in (want, "unknown") and arguments.keep:
            pathlib.Path(arguments.keep, f"wrong-{seed - 1}.c").write_text(text(kinds, code))
    print("#", ", ".join(f"{want} found {answer}: {count}" for (want, answer), count in sorted(told.items())))
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
