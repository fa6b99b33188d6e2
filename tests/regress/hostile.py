#!/usr/bin/env python3
"""Inputs of strangers: what never ends, eats memory, or is no file (TAP).

    hostile.py REGATTA

Each case makes its files in an empty folder and looks at exit code, words and time. Times are generous: what is
shown is that a limit holds, not how fast the machine is.
"""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

REGATTA = sys.argv[1]
SLOW = float(os.environ.get("REGATTA_REGRESS_SLOW", "1"))
CASES = []

SAFE = """var x : integer = 0
trans { x := 0; }
init {}
env {}
prop { x == 0 }
"""


def case(function):
    CASES.append(function)
    return function


def run(*words, at_most, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, before=None, send=None, **environment):
    """(exit code, standard output, standard error); fails when it takes longer than `at_most` seconds."""
    begin = time.monotonic()
    process = subprocess.Popen([REGATTA, *map(str, words)], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                               text=True, errors="replace", preexec_fn=before, env=dict(os.environ, **environment))
    try:
        if send is not None:
            number, after = send
            time.sleep(after)
            process.send_signal(number)
        out, err = process.communicate(timeout=at_most * SLOW)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"still there after {time.monotonic() - begin:.1f} s: {words}")
    return process.returncode, out, err


def same(found, expected, what=""):
    assert found == expected, f"{what}: found {found!r}, expected {expected!r}"


def says(text, pattern):
    assert re.search(pattern, text), f"found {text!r}, expected {pattern!r}"


def macros(levels, body):
    """Definitions that each use the one before more than once."""
    lines = ["(set-logic HORN)", "(declare-fun P (Int) Bool)", "(define-fun f0 ((x Int)) Int (+ x 1))"]
    for i in range(1, levels + 1):
        lines.append(f"(define-fun f{i} ((x Int)) Int {body.replace('F', f'f{i - 1}')})")
    lines += [f"(assert (forall ((x Int)) (=> (= x (f{levels} x)) (P x))))",
              "(assert (forall ((x Int)) (=> (and (P x) (> x 5)) false)))", "(check-sat)"]
    return "\n".join(lines) + "\n"


# Every instance is another term: nothing can be shared, so a limit must end it.
ENDLESS = macros(60, "(ite (> (F (* 2 x)) 0) (F (+ (* 3 x) 1)) (F (* x x)))")


@case
def time_ends_reading(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    code, out, err = run("verify", "-q", "--time", "1s", "--memory", "4GB", folder / "m.smt2", at_most=20)
    same(code, 20)
    says(out, r"^unknown \(after .* time limit")
    says(err, r"m\.smt2: note: reading it took all the time")


@case
def memory_ends_reading(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    code, out, err = run("verify", "-q", "--memory", "50MB", folder / "m.smt2", at_most=100)
    same(code, 20)
    says(out, r"^unknown \(after .* memory")


@case
def first_signal_ends_reading(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    code, out, err = run("verify", "-q", folder / "m.smt2", "--memory", "8GB", at_most=20, send=(signal.SIGTERM, 1 * SLOW))
    same(code, 128 + signal.SIGTERM)
    says(out, r"^unknown \(interrupted after")


@case
def interrupted_reading_is_recorded(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    run("verify", "-q", "--time", "500ms", "--db", folder / "r.db", folder / "m.smt2", at_most=20)
    code, out, err = run("results", "export", folder / "r.db", "--format", "csv", at_most=20)
    same(code, 0)
    says(out, r"timeout")


@case
def products_of_products_are_shared(folder):
    (folder / "m.smt2").write_text(macros(60, "(* (F x) (F x))"))
    code, out, err = run("verify", "-q", "--config", "bmc", "--time", "10s", folder / "m.smt2", at_most=40)
    assert "reading it" not in err, err


@case
def many_variables_and_a_signal(folder):
    lines = [f"var v{i} : integer = 0" for i in range(300000)]
    (folder / "m.xsts").write_text("\n".join(lines) + "\ntrans { v0 := v0 + 1; }\ninit {}\nenv {}\nprop { v0 < 1 }\n")
    for after in (0.3, 1.5):
        code, out, err = run("verify", "-q", folder / "m.xsts", at_most=10, send=(signal.SIGINT, after * SLOW))
        assert code in (128 + signal.SIGINT, 10), code


@case
def brackets_in_a_task(folder):
    (folder / "m.yml").write_text("[" * 100000)
    code, out, err = run("verify", folder / "m.yml", at_most=10)
    same(code, 2)
    says(err, r"m\.yml:1: error: found more than 10000 brackets")


@case
def gaps_in_a_circuit(folder):
    lines = ["1 sort bitvec 1"] + [f"{i * 4000000} sort bitvec {i + 1}" for i in range(1, 16)]
    lines += ["60000001 state 1 x", "60000002 bad 60000001"]
    (folder / "m.btor2").write_text("\n".join(lines) + "\n")
    code, out, err = run("verify", "-q", "--memory", "100MB", folder / "m.btor2", at_most=30,
                         before=None)
    same(code, 10)
    # What the process had resident at most stands in no limit's way.
    same(err, "")


@case
def only_regular_files(folder):
    os.mkfifo(folder / "pipe.xsts")
    (folder / "zero.xsts").symlink_to("/dev/zero")
    (folder / "folder.xsts").mkdir()
    for name, words in (("pipe", "a device or a pipe"), ("zero", "a device or a pipe"), ("folder", "a folder")):
        code, out, err = run("verify", folder / f"{name}.xsts", at_most=10)
        same(code, 2, name)
        says(err, rf"{name}\.xsts: error: .*found {words}")


@case
def size_of_inputs(folder):
    (folder / "m.xsts").write_text(SAFE + "// " + "x" * 2000000 + "\n")
    code, out, err = run("verify", "--input-size", "1MB", folder / "m.xsts", at_most=10)
    same(code, 2)
    says(err, r"larger than the limit \(--input-size\)")
    code, out, err = run("verify", "-q", "--input-size", "3MB", folder / "m.xsts", at_most=60)
    same(code, 0, err)


@case
def endless_question(folder):
    (folder / "m.xsts").write_text(SAFE)
    run("verify", "-q", "--db", folder / "r.db", folder / "m.xsts", at_most=60)
    endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select "
    code, out, err = run("results", "query", folder / "r.db", endless + "count(*) from c", "--time", "1s", at_most=20)
    same(code, 20)
    says(err, r"took longer than --time allows")
    code, out, err = run("results", "query", folder / "r.db", endless + "count(*) from c", at_most=20,
                         send=(signal.SIGTERM, 1))
    same(code, 128 + signal.SIGTERM)


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for number, function in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(pathlib.Path(folder))
                print(f"ok {number} - {function.__name__}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"not ok {number} - {function.__name__}")
                print("\n".join("# " + line for line in str(error).splitlines()), flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
