#!/usr/bin/env python3
"""Side by side on the C tasks that ask for signed overflow: this program and Frama-C's Eva. Prints Markdown.

    overflow_versus_eva.py REGATTA FILE.csv COLLECTION… [--seconds 20] [--precision 3] [--no-run]

COLLECTION is a folder with a tasks.csv. Both have one core and so many seconds of CPU time. Eva can show that nothing overflows: it
says so when it ends without an alarm about overflow (whatever else it warns of; it goes on as if that did not happen), and
with one it says nothing; nor where something else goes wrong for sure ("stopped"), since it does not look behind that. FILE.csv keeps what was run, and what is there is not run again.
"""

import argparse
import collections
import csv
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

from side_by_side import run

FIELDS = ["task", "expected", "program", "answer", "seconds"]
OURS = ((r"^safe\b", True), (r"^unsafe\b", False))


def eva(source, model, options):
    """safe, alarm, or what kept it from an answer; CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["frama-c", "-eva", "-warn-signed-overflow", "-eva-precision", str(options.precision), "-machdep",
                           "gcc_x86_32" if model == "ILP32" else "gcc_x86_64", source],
                          text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (options.seconds, options.seconds + 1)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if re.search(r"signed overflow", done.stdout):
        return "alarm", spent
    if re.search(r"sure alarm", done.stdout):
        return "stopped", spent
    if done.returncode == 0 and "[eva:summary]" in done.stdout:
        return "safe", spent
    return ("limit" if spent >= options.seconds - 1 else "not read"), spent


def measure(options, folder, row):
    task = folder / (row["task"] + ".yml")
    source = task.parent / re.search(r"^input_files: *['\"]?([^'\"\n]+)", task.read_text(), re.M).group(1)
    verdict, seconds = run([options.regatta, "verify", "-q", "--cpu-time", f"{options.seconds}s", "--time", "0", "--cores", "1",
                            str(task)], options.seconds, OURS, True)
    yield "regatta", {True: "safe", False: "unsafe", None: "unknown"}[verdict], seconds
    yield "eva", *eva(str(source), row["data_model"], options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta", type=os.path.abspath)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("collections", nargs="+", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--precision", type=int, default=3)
    parser.add_argument("--no-run", action="store_true")
    options = parser.parse_intermixed_args()
    if not shutil.which("frama-c"):
        sys.exit("skipped: no frama-c")
    rows = list(csv.DictReader(options.file.open(newline=""))) if options.file.exists() else []
    known = {row["task"] for row in rows}
    with options.file.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not rows:
            writer.writeheader()
        for folder in [] if options.no_run else options.collections:
            for row in csv.DictReader((folder / "tasks.csv").open(newline="")):
                if row["property"] == "no-overflow" and row["task"] not in known and "threads" not in row["features"]:
                    for program, answer, seconds in list(measure(options, folder, row)):
                        writer.writerow(dict(zip(FIELDS, [row["task"], row["expected"], program, answer, f"{seconds:.3f}"])))
                    file.flush()
    rows = list(csv.DictReader(options.file.open(newline="")))
    print("| | tasks | right | wrong | no answer | CPU s of all |\n|---|---:|---:|---:|---:|---:|")
    right = {("true", "safe"), ("false", "unsafe")}
    for program in ("regatta", "eva"):
        own = [row for row in rows if row["program"] == program]
        good = sum((row["expected"], row["answer"]) in right for row in own)
        wrong = [row["task"] for row in own if row["answer"] in ("safe", "unsafe") and (row["expected"], row["answer"]) not in right]
        print(f"| {program} | {len(own)} | {good} | {len(wrong)} | {len(own) - good - len(wrong)} | "
              f"{sum(float(row['seconds']) for row in own):.1f} |")
        print(f"{program}: wrong: {', '.join(wrong)}" if wrong else "", end="\n" if wrong else "")
    for expected in ("true", "false"):
        count = collections.Counter((row["program"], row["answer"]) for row in rows if row["expected"] == expected)
        print(f"\nExpected {expected}: " + ", ".join(f"{p} {a} {n}" for (p, a), n in sorted(count.items())) + ".")


if __name__ == "__main__":
    main()
