"""What the comparisons with another program share: both on each file, one after the other, the first of them in
turn; then, per family (the file's name up to the number), how many each solved, how many only one of them did, and
over the files that both solved the geometric mean and the extremes of the ratio of wall times (regatta / rival). A
verdict that differs from the other's, or from the task definition beside the file, is printed as it comes."""

import json
import math
import os
import re
import subprocess
import sys
import time

OURS = ((r"^safe\b", True), (r"^unsafe\b", False))


def run(command, seconds, answers):
    """Verdict (True: safe; None) and wall time; answers: (regular expression, verdict), the last found counts."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 10, check=False)
        found = [(m.start(), verdict) for words, verdict in answers for m in re.finditer(words, done.stdout, re.M)]
    except subprocess.TimeoutExpired:
        found = []
    return (max(found)[1] if found else None), time.monotonic() - start


def measure(command):
    """Verdict, CPU seconds, wall seconds, KiB at most of the whole program; the command ends in JSON (verify --json)."""
    begin = time.monotonic()
    child = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    try:
        verdict = json.loads(output)["verdict"]
    except (ValueError, KeyError):
        verdict = f"exit code {child.returncode}"
    return verdict, usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss


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
    text = f"{name:34} {len(results):5} {ours:8} {theirs:5} {only:8} {other:9}"
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        text += f" {mean:7.2f} {min(ratios):6.2f} {max(ratios):7.1f}"
    print(text)


def compare(usage, arguments, standard, rival, command, answers):
    """The whole comparison. standard: options of verify when none are given; command(path, seconds): the rival's on
    this file, or None to leave the file out; answers: as for run()."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options = arguments[cut + 1 :] or standard
    arguments, seconds = arguments[:cut], 10
    if "--seconds" in arguments:
        at = arguments.index("--seconds")
        seconds = int(arguments[at + 1])
        del arguments[at : at + 2]
    if len(arguments) < 2:
        sys.exit(usage)
    ours = [arguments[0], "verify", "-q", "--time", f"{seconds}s", *options]
    families = {}
    for number, path in enumerate(arguments[1:]):
        theirs = command(path, seconds)
        if theirs is None:
            continue
        pair = [(0, ours + [path], OURS), (1, theirs, answers)]
        got = {}
        for which, words, patterns in pair if number % 2 == 0 else reversed(pair):
            got[which] = run(words, seconds, patterns)
        (a, s), (b, t) = got[0], got[1]
        for who, verdict, other in ("regatta", a, b), (rival, b, expected(path)):
            if verdict is not None and other is not None and verdict != other:
                print(f"{path}: {who} says {verdict}, against {other}")
        if a is not None and b is None and expected(path) not in (None, a):
            print(f"{path}: regatta says {a}, against the task definition")
        families.setdefault(family(path), []).append((a, s, b, t))
    print(f"{'':34} {'files':>5} {'regatta':>8} {rival:>5} {'only us':>8} {'only ' + rival:>9}", end="")
    print(f" {'ratio':>7} {'least':>6} {'most':>7}")
    for name in sorted(families):
        line(name, families[name])
    line("all", [r for results in families.values() for r in results])
