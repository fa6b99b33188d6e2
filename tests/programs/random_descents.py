#!/usr/bin/env python3
"""Random recursive functions of two bytes: does every run end? What is so is found by a search through what calls what.

    random_descents.py REGATTA [COUNT [SEED]] [--config NAME] [--time 10s] [--keep FOLDER]    (TAP)

Functions call themselves and one another with arguments that are less, more, halved, swapped or mixed, up to two times one after the other, under
conditions that say too little now and then, so that a measure that forgets a wrap or a second call is wrong. Unknown is said, never wrong.
"""

import argparse
import os
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parent)]
import jumps  # noqa: E402
import tap_lines  # noqa: E402
from tap_lines import say  # noqa: E402


def expression(r):
    x, y = r.sample("ab", 2)
    return r.choice([x, x, f"{x} - 1", f"{x} - 1", f"{x} - {r.choice('234')}", f"{x} + 1", f"{x} / 2", f"{x} >> 1", f"{x} - {y}", f"{x} & {y}",
                     f"{x} ^ 1", f"{x} % ({y} | 1)", r.choice("0137")])


def condition(r):
    x, y = r.sample("ab", 2)
    return r.choice([f"{x} == 0", f"{x} == 0", f"{x} < {r.choice('2359')}", f"{x} <= {y}", f"{x} == {y}", f"{x} > {r.choice(['100', '200'])}",
                     f"{x} == {r.choice('1357')}"])


def call(r, count):
    x, y = r.choice([(expression(r), expression(r)), (expression(r), "b"), ("a", expression(r)), (expression(r), "b")])
    return r.randrange(count), x, y


def made(seed):
    """Functions: when to return at once, when to take the first calls, and both lists of calls; masks of the first arguments."""
    r = random.Random(seed)
    count = r.choice([1, 1, 2])
    functions = [(condition(r), condition(r), [call(r, count) for _ in range(r.choice([1, 1, 2]))],
                  [call(r, count) for _ in range(r.choice([0, 1, 1]))]) for _ in range(count)]
    return functions, (r.choice([3, 31, 255]), r.choice([3, 31, 255]))


def text(program):
    functions, masks = program
    lines = ["extern int __VERIFIER_nondet_int(void);", "typedef unsigned char byte;"]
    lines += [f"void f{k}(byte a, byte b);" for k in range(len(functions))]
    for k, (ends, first, one, other) in enumerate(functions):
        calls = [" ".join(f"f{to}({x}, {y});" for to, x, y in some) for some in (one, other)]
        lines += [f"void f{k}(byte a, byte b)", "{", f"    if ({ends}) return;", f"    if ({first}) {{ {calls[0]} }} else {{ {calls[1]} }}", "}"]
    return "\n".join([*lines, "int main(void)", "{", f"    f0(__VERIFIER_nondet_int() & {masks[0]}, __VERIFIER_nondet_int() & {masks[1]});",
                      "    return 0;", "}", ""])


def ends(program):
    """No circle of calls is reached: a run that does not end goes down for ever, and there are 65 536 arguments to a function."""
    functions, masks = program
    work = [(compile(e, "", "eval"), compile(f, "", "eval"),
             [[(to, compile(x.replace("/", "//"), "", "eval"), compile(y.replace("/", "//"), "", "eval")) for to, x, y in some] for some in (one, other)])
            for e, f, one, other in functions]

    def calls(state):
        k, a, b = state
        values = {"a": a, "b": b}
        done, first, ways = work[k]
        if eval(done, {}, values):
            return []
        return [(to, eval(x, {}, values) & 255, eval(y, {}, values) & 255) for to, x, y in ways[0 if eval(first, {}, values) else 1]]

    on_path = {}
    for a in range(masks[0] + 1):
        for b in range(masks[1] + 1):
            start = (0, a, b)
            if a & ~masks[0] or b & ~masks[1] or start in on_path:
                continue
            on_path[start] = True
            path = [(start, iter(calls(start)))]
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
                    path.append((following, iter(calls(following))))
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
    told = {}
    for seed in range(arguments.seed, arguments.seed + arguments.count * int(os.environ.get("REGATTA_RANDOM_FACTOR", "1"))):
        program = made(seed)
        want, source = "safe" if ends(program) else "unsafe", text(program)
        answer, printed = jumps.ask(arguments, source)
        told[want, answer] = told.get((want, answer), 0) + 1
        good = answer in (want, "unknown")
        say(good, f"program {seed} is {want}", source + printed)
        if not good and arguments.keep:
            pathlib.Path(arguments.keep, f"wrong-{seed}.c").write_text(source)
    print("#", ", ".join(f"{want} found {answer}: {count}" for (want, answer), count in sorted(told.items())))
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
