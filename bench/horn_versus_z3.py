#!/usr/bin/env python3
"""Side by side on the same Horn clauses: this program and the program z3 (its Spacer).

    horn_versus_z3.py REGATTA FILE.smt2… [--seconds 10] [-- OPTION…]    options of verify; --config horn-plain

Runs both on each file, one after the other, the first of them in turn, and prints per family (the file's name
up to the number) how many each solved, how many only one of them did, and over the files that both solved the
geometric mean and the extremes of the ratio of wall times (regatta / z3). A verdict that differs from the
other's, or from the task definition beside the file, is printed as it comes.
"""

import math
import os
import re
import shutil
import subprocess
import sys
import time

WORDS = {"sat": True, "safe": True, "unsat": False, "unsafe": False}


def run(command, seconds):
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds + 10, check=False
        )
        words = re.findall(r"^(?:sat|unsat|safe|unsafe)\b", done.stdout, re.M)
    except subprocess.TimeoutExpired:
        words = []
    return (WORDS[words[-1]] if words else None), time.monotonic() - start


def expected(path):
    try:
        with open(os.path.splitext(path)[0] + ".yml", encoding="utf-8") as task:
            found = re.search(r"expected_verdict: *(true|false)", task.read())
    except OSError:
        return None
    return found and found.group(1) == "true"


def family(path):
    return re.sub(r"[-_.]?\d.*$", "", os.path.basename(path)) or "all"


def line(name, results):
    ours = sum(a is not None for a, _, _, _ in results)
    theirs = sum(b is not None for _, _, b, _ in results)
    only = sum(a is not None and b is None for a, _, b, _ in results)
    other = sum(a is None and b is not None for a, _, b, _ in results)
    ratios = [s / t for a, s, b, t in results if a is not None and b is not None]
    text = f"{name:20} {len(results):5} {ours:8} {theirs:5} {only:8} {other:8}"
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        text += f" {mean:7.2f} {min(ratios):6.2f} {max(ratios):7.1f}"
    print(text)


def main(arguments):
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options = arguments[cut + 1 :] or ["--config", "horn-plain"]
    arguments, seconds = arguments[:cut], 10
    if "--seconds" in arguments:
        at = arguments.index("--seconds")
        seconds = int(arguments[at + 1])
        del arguments[at : at + 2]
    if len(arguments) < 2:
        sys.exit(__doc__)
    if not shutil.which("z3"):
        sys.exit("skipped: no z3")
    regatta, files = arguments[0], arguments[1:]
    ours = [regatta, "verify", "-q", "--time", f"{seconds}s", *options]
    theirs = ["z3", f"-T:{seconds}"]
    families = {}
    for number, path in enumerate(files):
        pair = [(0, ours + [path]), (1, theirs + [path])]
        answers = {}
        for which, command in pair if number % 2 == 0 else reversed(pair):
            answers[which] = run(command, seconds)
        (a, s), (b, t) = answers[0], answers[1]
        for who, verdict, other in ("regatta", a, b), ("z3", b, expected(path)):
            if verdict is not None and other is not None and verdict != other:
                print(f"{path}: {who} says {verdict}, against {other}")
        if a is not None and b is None and expected(path) not in (None, a):
            print(f"{path}: regatta says {a}, against the task definition")
        families.setdefault(family(path), []).append((a, s, b, t))
    print(f"{'':20} {'files':>5} {'regatta':>8} {'z3':>5} {'only us':>8} {'only z3':>8}", end="")
    print(f" {'ratio':>7} {'least':>6} {'most':>7}")
    for name in sorted(families):
        line(name, families[name])
    line("all", [r for results in families.values() for r in results])


if __name__ == "__main__":
    main(sys.argv[1:])
