#!/usr/bin/env python3
"""Small C programs against their verdicts, on both data models in turn, and what is said of inputs that are not read.

    programs.py REGATTA [READER [N]]    (TAP; every N-th, or all in the suite long)

Without the reader (a build without LLVM) the test is skipped.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent)]
import tap_lines  # noqa: E402
from cases import CASES, HEAD, MESSAGES  # noqa: E402
from tap_lines import say  # noqa: E402


def verify(regatta, path, prop, more=()):
    done = subprocess.run([regatta, "verify", "-q", "--time", "120s", "--check-time", "120s", "--cores", "1",
                           "--property", prop, *more, path],
                          capture_output=True, text=True, errors="replace", timeout=600)
    return done.stdout, done.stderr


MODELS = ("ilp32", "lp64")


def check_case(regatta, folder, number, name, prop, expected, source):
    # Both data models in the suite long; else one of them, in turn.
    models = MODELS if "REGATTA_RANDOM_FACTOR" in os.environ else (MODELS[number % 2],)
    expected, _, configuration = expected.partition(" by ")
    if expected.endswith("64"):
        expected, models = expected[:-2], ("lp64",)
    for model in models:
        path = os.path.join(folder, "p.c")
        pathlib.Path(path).write_text(HEAD + source + "\n")
        more = ["--certificate", os.path.join(folder, "certificate")] if expected.startswith("safe") else []
        more += ["--config", configuration] if configuration else []
        if expected == "unknown":
            more = ["--time", "2s"]
        elif prop == "termination":
            more = [*more, "--time", "20s"] # shares of it are waited for
        out, err = verify(regatta, path, prop + ("," if "#" in prop else "#") + model, more)
        last = out.strip().split("\n")[-1]
        say(last.startswith(expected.rstrip("?")) and (expected != "safe" or last.startswith("safe, checked")), f"{name} ({prop}, {model}) is {expected}", out + err)


def check_bomb(regatta, folder):
    """A macro that doubles thirty times would keep clang longer than anybody waits: --time ends reading, too."""
    path = os.path.join(folder, "bomb.c")
    lines = ["#define A0 1"] + [f"#define A{i} A{i - 1} + A{i - 1}" for i in range(1, 31)]
    pathlib.Path(path).write_text("\n".join(lines) + "\nint main(void) { return A30; }\n")
    out, err = verify(regatta, path, "unreach-call", ["--time", "1s"])
    say("reading it took all the time" in err, "endless expansion of macros ends with --time", out + err)


def main():
    regatta = sys.argv[1]
    if len(sys.argv) < 3 or not os.path.exists(sys.argv[2]):
        print("1..0 # SKIP no reader of C programs in this build")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        every = int(sys.argv[3]) if len(sys.argv) > 3 and "REGATTA_RANDOM_FACTOR" not in os.environ else 1
        for number, case in enumerate(CASES[::every]):
            check_case(regatta, folder, number, *case)
        for name, prop, expected, source in MESSAGES[::every]:
            path = os.path.join(folder, "m.c")
            pathlib.Path(path).write_text((source if "error: " in expected else HEAD + source) + "\n")
            out, err = verify(regatta, path, prop)
            say(expected in out + err, f"{name}: says `{expected}`", out + err)
        check_bomb(regatta, folder)
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
