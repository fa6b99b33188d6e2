#!/usr/bin/env python3
"""What racing costs him who wins, and what the watcher costs, on tasks that take a while. Prints Markdown.

    winner_alone.py REGATTA FILE.csv TASK… [--cores 2] [--cpu-time 20s] [--least 1] [--plan default] [--runs 1] [--no-run]

Each task is run by the plan, and the configuration that won then once more alone, on one core, in turns, N times. Of
both the CPU time of the attempt that won is compared: it says what the others cost it (caches, memory, locks), whatever else
the machine does. The watcher is the thread that looks after the attempts (coordinator_cpu_seconds of verify --json); its
share is of the CPU time of the whole run. Only races whose winner took LEAST seconds of CPU time count; the watcher is looked at in
those that took LEAST seconds in all, solved or not. FILE.csv keeps what was run, and what is there is not run again.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import statistics
import subprocess

FIELDS = ["task", "number", "language", "verdict", "winner", "race_cpu", "alone_cpu", "alone_verdict", "run_cpu", "run_wall",
          "watcher_cpu"]


def verify(regatta, task, limit, *options):
    done = subprocess.run([regatta, "verify", task, "--quiet", "--json", "--cpu-time", limit, "--time", "0", *options],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return None


def winner(result):
    """The CPU seconds of the attempt that won; None without one."""
    won = [a["cpu_seconds"] for a in result["attempts"] if a.get("winner")]
    return won[0] if won else None


def measure(options, task, number):
    race = verify(options.regatta, task, options.cpu_time, "--plan", options.plan, "--cores", str(options.cores))
    if race is None:
        return None
    row = {"task": task, "number": number, "language": pathlib.Path(task).suffix.lstrip("."), "verdict": race["verdict"],
           "winner": race["winner"], "race_cpu": winner(race) or "", "run_cpu": race["cpu_seconds"], "run_wall": race["wall_seconds"],
           "watcher_cpu": race["coordinator_cpu_seconds"], "alone_cpu": "", "alone_verdict": ""}
    if row["race_cpu"] and row["race_cpu"] >= options.least:
        alone = verify(options.regatta, task, options.cpu_time, "--config", race["winner"], "--cores", "1")
        if alone is not None:
            row["alone_verdict"], row["alone_cpu"] = alone["verdict"], winner(alone) or ""
    return row


def table(rows, least):
    def family(row):
        return pathlib.Path(row["task"]).parts[-3 if "btor2" in row["task"] else -2]

    def shares(values):
        return f"{statistics.median(values):.2f} % | {max(values):.2f} %" if values else "– | –"

    print(f"| | runs | winner {least:g} s and longer | its CPU time to that alone: least | median | geometric mean | most "
          f"| runs of {least:g} s and longer | watcher: median | most |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in [*sorted({family(row) for row in rows}), "all"]:
        own = [row for row in rows if name in (family(row), "all")]
        ratios = [float(r["race_cpu"]) / float(r["alone_cpu"]) for r in own if r["alone_cpu"] and float(r["race_cpu"]) >= least]
        watcher = [100 * float(r["watcher_cpu"]) / float(r["run_cpu"]) for r in own if float(r["run_cpu"]) >= least]
        middle = (f"{min(ratios):.2f} | {statistics.median(ratios):.2f} | {math.exp(statistics.mean(map(math.log, ratios))):.2f} | "
                  f"{max(ratios):.2f}" if ratios else "– | – | – | –")
        print(f"| {name} | {len(own)} | {len(ratios)} | {middle} | {len(watcher)} | {shares(watcher)} |")
    differing = [r for r in rows if {r["verdict"], r["alone_verdict"]} == {"safe", "unsafe"}]
    print(f"\nVerdicts that differ: {len(differing)}" + "".join(f"; {r['task']}" for r in differing) + ".")
    lost = [r for r in rows if r["alone_verdict"] == "unknown"]
    print(f"Not solved again alone: {len(lost)}" + "".join(f"; {r['task']} ({r['winner']})" for r in lost) + ".")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta", type=os.path.abspath)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--cpu-time", default="20s")
    parser.add_argument("--least", type=float, default=1.0)
    parser.add_argument("--plan", default="default")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--no-run", action="store_true")
    options = parser.parse_intermixed_args()
    rows = list(csv.DictReader(options.file.open(newline=""))) if options.file.exists() else []
    if not options.no_run:
        known = {(row["task"], int(row["number"])) for row in rows}
        with options.file.open("a", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            if not rows:
                writer.writeheader()
            for number in range(options.runs):
                for task in options.tasks:
                    row = None if (task, number) in known else measure(options, task, number)
                    if row is not None:
                        writer.writerow(row)
                        file.flush()
        rows = list(csv.DictReader(options.file.open(newline="")))
    table(rows, options.least)


if __name__ == "__main__":
    main()
