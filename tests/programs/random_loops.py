#!/usr/bin/env python3
"""Random programs of nested loops over bytes that wrap: does every run end? What is so is found by visiting all states.

    random_loops.py REGATTA [COUNT [SEED]] [--config NAME] [--time 10s] [--keep FOLDER]    (TAP)

Loops count up and down by ones and more, halve, run in phases, reset what inner loops count, and stop when an input says so: near the
ranges where ranking functions end, so that one that forgets a wrap is wrong. Unknown is said, never wrong.
"""

import random
import sys

from jumps import NAMES, Program, main


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
    """Appends instructions (jumps.py)."""
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
    return Program(code, [f"    {kinds[x]} {x} = 0;" for x in NAMES], (0, 0, 0),
                   store=lambda x, value: f"({kinds[x]})({value})",
                   draw=lambda x, mask: f"({kinds[x]})(__VERIFIER_nondet_int() & {mask})",
                   keep=lambda x, value: wrap(kinds[x], value))


if __name__ == "__main__":
    sys.exit(main(program, __doc__, "10s"))
