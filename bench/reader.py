#!/usr/bin/env python3
"""What reading costs: from the start of the program to the first abstract step, over many tasks. Prints Markdown.

    reader.py REGATTA FILE.csv TASK… [--time 60s] [--no-run]

Each task is run by itself with one step of explicit analysis on one core (a plan made for it), so what is measured is start, reading,
preparing, one step and leaving. CPU time is that of the program and of those that it starts (clang), memory the largest resident set
of any of them. Tasks that share their first input file with one before are left out. FILE.csv keeps what was run, and what is
there is not run again. Rows: folders.
"""

import argparse
import csv
import os
import pathlib
import re
import statistics
import tempfile

from side_by_side import measure

FIELDS = ["task", "verdict", "cpu", "wall", "kib"]
PLAN = """name = "first-step"; description = "one step";
configurations = ( { name = "first"; domain = "EXPL"; } );
variants = ( { cores = 1; lanes = ( { steps = ( { configuration = "first"; budget = "1 steps"; } ); } ); } );
"""


def distinct(tasks):
    """Those whose first input file is not that of one before."""
    seen, chosen = set(), []
    for task in tasks:
        found = re.search(r"^input_files:\s*(?:\n\s*-|\[)?\s*['\"]?([^'\"\s,\]]+)", pathlib.Path(task).read_text(), re.M)
        key = (os.path.dirname(task), found.group(1)) if found else task
        if key not in seen:
            seen.add(key)
            chosen.append(task)
    return chosen


def line(name, rows):
    def three(field, scale, form):
        values = sorted(float(row[field]) * scale for row in rows)
        return " | ".join(f"{value:{form}}" for value in
                          (statistics.median(values), values[min(len(values) - 1, int(0.95 * len(values)))], values[-1]))

    print(f"| {name} | {len(rows)} | {three('cpu', 1, '.3f')} | {three('wall', 1, '.3f')} | {three('kib', 1 / 1024, '.0f')} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta", type=os.path.abspath)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--time", default="60s")
    parser.add_argument("--no-run", action="store_true")
    options = parser.parse_intermixed_args()
    rows = list(csv.DictReader(options.file.open(newline=""))) if options.file.exists() else []
    known = {row["task"] for row in rows}
    with tempfile.TemporaryDirectory() as folder, options.file.open("a", newline="") as file:
        plan = pathlib.Path(folder) / "first-step.cfg"
        plan.write_text(PLAN)
        writer = csv.DictWriter(file, FIELDS)
        if not rows:
            writer.writeheader()
        for task in [] if options.no_run else distinct(options.tasks):
            if task in known:
                continue
            got = measure([options.regatta, "verify", task, "--quiet", "--json", "--cores", "1", "--time", options.time,
                           "--no-certify", "--plan", str(plan)])
            writer.writerow(dict(zip(FIELDS, [task, *got])))
            file.flush()
    rows = list(csv.DictReader(options.file.open(newline="")))
    print("| | inputs | CPU s: median | 95 % | most | wall s: median | 95 % | most | MiB: median | 95 % | most |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    folders = {}
    for row in rows:
        folders.setdefault(pathlib.Path(row["task"]).parent.name, []).append(row)
    for name in sorted(folders):
        line(name, folders[name])
    if len(folders) > 1:
        line("all", rows)
    longest = max(rows, key=lambda row: float(row["cpu"]), default=None)
    if longest is not None:
        print(f"\nThe one that took most: {pathlib.Path(longest['task']).name}.")


if __name__ == "__main__":
    main()
