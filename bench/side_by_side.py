"""What the comparisons with another program share: both on each file, one after the other, the first of them in
turn; then, per family (the file's name up to the number), how many each solved, how many only one of them did, and
over the files that both solved the geometric mean and the extremes of the ratio of wall times (regatta / rival). A
verdict that differs from the other's, or from the task definition beside the file, is printed as it comes. With
--cpu the limit and the times are CPU seconds, and both have one core: for a machine that does other work. With --record FILE.csv
what is there is not run again."""

import csv
import json
import math
import os
import re
import resource
import subprocess
import sys
import time

OURS = ((r"^safe\b", True), (r"^unsafe\b", False))


def run(command, seconds, answers, cpu=False):
    """Verdict (True: safe; None) and wall time, or CPU time; answers: (regular expression, verdict), the last found counts."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 2))) if cpu else None
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=None if cpu else seconds + 10, check=False,
                              preexec_fn=limit)
        found = [(m.start(), verdict) for words, verdict in answers for m in re.finditer(words, done.stdout, re.M)]
    except subprocess.TimeoutExpired:
        found = []
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if cpu else time.monotonic() - start
    return (max(found)[1] if found else None), spent


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


def records(path):
    """The open file, to go on with, and what it has: file, program, limit, CPU time or not -> verdict, seconds."""
    known = {}
    if os.path.exists(path):
        with open(path, newline="", encoding="utf-8") as file:
            known = {tuple(row[:4]): ({"True": True, "False": False}.get(row[4]), float(row[5])) for row in csv.reader(file)}
    return open(path, "a", newline="", encoding="utf-8"), known  # pylint: disable=consider-using-with


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
    cpu = "--cpu" in arguments
    if cpu:
        arguments.remove("--cpu")
    record, known = None, {}
    if "--record" in arguments:
        at = arguments.index("--record")
        record, known = records(arguments[at + 1])
        del arguments[at : at + 2]
    if len(arguments) < 2:
        sys.exit(usage)
    limit = ["--cpu-time", f"{seconds}s", "--time", "0", "--cores", "1"] if cpu else ["--time", f"{seconds}s"]
    ours = [arguments[0], "verify", "-q", *limit, *options]
    families = {}
    for number, path in enumerate(arguments[1:]):
        # Rivals count wall time: with --cpu the system's limit ends them.
        theirs = command(path, 100 * seconds if cpu else seconds)
        if theirs is None:
            continue
        pair = [(0, ours + [path], OURS), (1, theirs, answers)]
        got = {}
        for which, words, patterns in pair if number % 2 == 0 else reversed(pair):
            what = (path, ("regatta", rival)[which], str(seconds), str(cpu))
            got[which] = known[what] if what in known else run(words, seconds, patterns, cpu)
            if record is not None and what not in known:
                csv.writer(record).writerow([*what, *got[which]])
                record.flush()
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
