"""Programs of assignments, inputs and jumps over x, y and z, for random_loops.py and random_endings.py: as C, run through all states, asked about.

A program is a list of instructions: (set, name, expression), (input, name, mask), (jump, condition or None for any, target).
"""

import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable

sys.path[:0] = [str(pathlib.Path(__file__).parent.parent)]
import tap_lines  # noqa: E402
from tap_lines import say  # noqa: E402

NAMES = "xyz"
STATES = 60000 # a program with more is passed over


@dataclasses.dataclass
class Program:
    code: list
    declarations: list  # lines of C
    start: tuple  # the values of x, y and z
    store: Callable  # name, expression -> what C assigns
    draw: Callable  # name, mask -> what C assigns
    keep: Callable  # name, value -> what is left of it in the variable


def in_c(condition):
    return "__VERIFIER_nondet_int()" if condition is None else condition.replace("not (", "!(")


def text(program):
    lines = ["extern int __VERIFIER_nondet_int(void);", "int main(void)", "{", *program.declarations]
    for at, (kind, a, b) in enumerate(program.code):
        if kind == "jump":
            lines.append(f"l{at}: if ({in_c(a)}) goto l{b};")
        else:
            lines.append(f"l{at}: {a} = {(program.store if kind == 'set' else program.draw)(a, b)};")
    return "\n".join([*lines, f"l{len(program.code)}: return 0;", "}", ""])


def compiled(code):
    """What is to be worked out at each instruction, before it; None: nothing."""
    return [(None if kind == "input" or a is None else compile(b if kind == "set" else a.replace("&&", "and"), "", "eval"), kind, a, b)
            for kind, a, b in code]


def successors(program, code, state):
    at, values = state[0], dict(zip(NAMES, state[1:]))
    if at == len(code):
        return []
    work, kind, a, b = code[at]
    if kind == "jump":
        ways = (True, False) if work is None else (bool(eval(work, {}, values)),)
        return [(b if way else at + 1, *state[1:]) for way in ways]
    chosen = [eval(work, {}, values)] if kind == "set" else [v for v in range(b + 1) if v & ~b == 0]
    return [(at + 1, *({**values, a: program.keep(a, value)}[name] for name in NAMES)) for value in chosen]


def ends(program):
    """No circle of states can be reached: depth first, a state on the path met again is one. None: too many states."""
    code = compiled(program.code)
    start = (0, *program.start)
    on_path, path = {start: True}, [(start, iter(successors(program, code, start)))]
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
            path.append((following, iter(successors(program, code, following))))
    return True


def ask(arguments, source):
    """What regatta says first in its last line, and all that it printed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "task.c")
        pathlib.Path(path).write_text(source)
        words = [arguments.regatta, "verify", "-q", "--time", arguments.time, "--cores", "1", "--property", "termination", path]
        if arguments.config:
            words += ["--config", arguments.config]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    return done.stdout.strip().split("\n")[-1].split(" ")[0].strip(","), done.stdout + done.stderr


def main(made, about, time):
    """`made`: seed -> Program; `about`: the script's words of help. COUNT programs, so many times as many in the long tests."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta")
    parser.add_argument("count", type=int, nargs="?", default=20)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--config", help="a configuration alone, instead of the plan")
    parser.add_argument("--time", default=time)
    parser.add_argument("--keep", help="folder for programs with a wrong verdict")
    arguments = parser.parse_args()
    told, seed, tried = {}, arguments.seed, 0
    while tried < arguments.count * int(os.environ.get("REGATTA_RANDOM_FACTOR", "1")):
        program = made(seed)
        end = ends(program)
        seed += 1
        if end is None:
            continue
        tried += 1
        want, source = "safe" if end else "unsafe", text(program)
        answer, printed = ask(arguments, source)
        told[want, answer] = told.get((want, answer), 0) + 1
        good = answer in (want, "unknown")
        say(good, f"program {seed - 1} is {want}", source + printed)
        if not good and arguments.keep:
            pathlib.Path(arguments.keep, f"wrong-{seed - 1}.c").write_text(source)
    print("#", ", ".join(f"{want} found {answer}: {count}" for (want, answer), count in sorted(told.items())))
    return tap_lines.end()
