#!/usr/bin/env python3
"""How far runs go beyond --time, --cpu-time and --memory, by language. Prints Markdown.

    overshoot.py REGATTA FILE.csv TASK… [--limit 2] [--memory 150MB] [--config bmc] [--config ""]… [--only=--time]… [--no-run]

Each task is run with each limit by each configuration ("": the plan), proofs unchecked, the whole program measured from outside. A
run that ended before its limit says nothing and does not count: with --time, less than LIMIT seconds of wall time; with
--cpu-time, less of CPU time; with --memory, a resident set that stayed below. FILE.csv keeps what was run, and what is there is not run
again. On a machine that does other work, what is beyond --time has waiting for a core in it.
"""

import argparse
import csv
import os
import pathlib
import statistics

from side_by_side import measure

FIELDS = ["language", "task", "config", "limit", "verdict", "cpu", "wall", "kib"]
BYTES = {"kB": 1e3, "MB": 1e6, "GB": 1e9}


def number(text):
    return next((float(text[: -len(unit)]) * scale for unit, scale in BYTES.items() if text.endswith(unit)), None)


def table(rows, options):
    print("| | limit | runs that met it | beyond it: median | 95 % | most |")
    print("|---|---|---:|---:|---:|---:|")
    for what, column, unit, scale, allowed in (("--time", "wall", "s", 1, options.limit), ("--cpu-time", "cpu", "s", 1, options.limit),
                                               ("--memory", "kib", "MB", 1024 / 1e6, number(options.memory) / 1e6)):
        for language in [*sorted({row["language"] for row in rows}), "all"]:
            met = sorted(float(row[column]) * scale - allowed for row in rows
                         if row["limit"] == what and language in (row["language"], "all") and float(row[column]) * scale >= allowed)
            if met:
                print(f"| {language} | `{what}` | {len(met)} | {statistics.median(met):.2f} {unit} | "
                      f"{met[min(len(met) - 1, int(0.95 * len(met)))]:.2f} {unit} | {met[-1]:.2f} {unit} |")
    codes = sorted({row["verdict"] for row in rows} - {"safe", "unsafe", "unknown"})
    print(f"\nEnded otherwise than with a verdict: {', '.join(codes) if codes else 'none'}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta", type=os.path.abspath)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--limit", type=float, default=2)
    parser.add_argument("--memory", default="150MB")
    parser.add_argument("--config", action="append")
    parser.add_argument("--only", action="append", metavar="LIMIT", help="one of the limits (--only=--cpu-time); may be repeated")
    parser.add_argument("--no-run", action="store_true")
    options = parser.parse_intermixed_args()
    if number(options.memory) is None:
        parser.error("--memory: expected kB, MB or GB")
    rows = list(csv.DictReader(options.file.open(newline=""))) if options.file.exists() else []
    known = {(row["task"], row["config"], row["limit"]) for row in rows}
    limits = {"--time": [f"--time={options.limit}s"], "--cpu-time": [f"--cpu-time={options.limit}s", "--time=0"],
              "--memory": [f"--memory={options.memory}", f"--cpu-time={4 * options.limit}s", "--time=0"]}
    if not set(options.only or []) <= set(limits):
        parser.error(f"--only: expected one of {', '.join(limits)}")
    if options.only:
        limits = {what: words for what, words in limits.items() if what in options.only}
    with options.file.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not rows:
            writer.writeheader()
        for task in [] if options.no_run else options.tasks:
            language = next((p.name for p in pathlib.Path(task).resolve().parents if p.parent.name == "tasks"), "")
            for config in options.config or [""]:
                for what, words in limits.items():
                    if (task, config, what) in known:
                        continue
                    got = measure([options.regatta, "verify", task, "--quiet", "--json", "--no-certify", *words,
                                   *(["--config", config] if config else [])])
                    writer.writerow(dict(zip(FIELDS, [language, task, config, what, *got])))
                    file.flush()
    table(list(csv.DictReader(options.file.open(newline=""))), options)


if __name__ == "__main__":
    main()
