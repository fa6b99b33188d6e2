#!/usr/bin/env python3
"""Random programs of jumps over small numbers: does every run end? What is so is found by visiting all states.

    random_endings.py REGATTA [COUNT [SEED]] [--config NAME] [--time 20s] [--keep FOLDER]    (TAP)

A program is a list of assignments, inputs and jumps over three variables below 8, so it has few states; a run without an end is
a circle among those that can be reached. Loops overlap and are entered in the middle. Unknown is said, never wrong.
"""

import random
import sys

from jumps import NAMES, Program, main


def expression(r):
    a, b = r.choice(NAMES), r.choice([*NAMES, *"1123457"])
    return r.choice([f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} ^ {b}", f"{a} & {b}", f"{a} + 1", f"{a} - 1", f"{a} >> 1"])


def condition(r):
    return f"{r.choice(NAMES)} {r.choice(['<', '<=', '==', '!=', '>'])} {r.choice([*NAMES, *'01357'])}"


def program(seed):
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
    return Program(code, ["    unsigned x = 0, y = 1, z = 5;"], (0, 1, 5),
                   store=lambda x, value: f"({value}) & 7",
                   draw=lambda x, mask: f"(unsigned)__VERIFIER_nondet_int() & {mask}",
                   keep=lambda x, value: value & 7)


if __name__ == "__main__":
    sys.exit(main(program, __doc__, "20s"))
