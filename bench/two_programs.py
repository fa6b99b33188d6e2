#!/usr/bin/env python3
"""Two builds of this program on the same tasks, in turns: did a change cost time or memory? Prints Markdown.

    bench/two_programs.py OLD NEW TASK.yml… [--runs N] [--time 20s] [--cores 2] [--option OPTION]…

Each task is run N times by each program, one after the other (`verify TASK --quiet --json`), so that what else the
machine does strikes both. Of N runs the median counts. Compared are CPU time, wall time and the largest memory of
the whole program; a verdict that differs is named and ends the script with exit code 1. `--option=--config=pdr` is
handed to both.
"""

import argparse
import os
import statistics
import sys

from side_by_side import measure


def run(program, task, options):
    return measure([program, "verify", task, "--quiet", "--json", "--cores", str(options.cores), "--time", options.time]
                   + options.option)


def quartiles(ratios):
    if len(ratios) < 2:
        return "–"
    low, _, high = statistics.quantiles((ratio for ratio, _ in ratios), n=4, method="inclusive")
    return f"{low:.2f} to {high:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--time", default="20s")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--option", action="append", default=[])
    options = parser.parse_args()
    rows, differing = [], []
    for task in options.tasks:
        runs = {program: [] for program in (options.old, options.new)}
        for _ in range(options.runs):
            for program in runs:
                runs[program].append(run(program, task, options))
        old, new = ([statistics.median(values) for values in zip(*(made[1:] for made in runs[program]))] for program in runs)
        verdicts = [sorted({made[0] for made in runs[program]}) for program in runs]
        if verdicts[0] != verdicts[1]:
            differing.append((task, verdicts))
        rows.append((os.path.basename(task), old, new))
    print(f"{len(rows)} tasks, {options.runs} runs by each program, {options.cores} cores, {options.time}\n")
    print("| | sum, old | sum, new | new to old, median | quartiles | least | most |\n|---|---|---|---|---|---|---|")
    for index, (name, unit) in enumerate((("CPU", " s"), ("wall", " s"), ("memory", " KiB"))):
        ratios = sorted((new[index] / max(old[index], 1e-9), task) for task, old, new in rows)
        print(f"| {name} | {sum(old[index] for _, old, _ in rows):.2f}{unit} | {sum(new[index] for _, _, new in rows):.2f}{unit} | "
              f"{statistics.median(ratio for ratio, _ in ratios):.2f} | {quartiles(ratios)} | {ratios[0][0]:.2f} ({ratios[0][1]}) | {ratios[-1][0]:.2f} ({ratios[-1][1]}) |")
    for task, (old, new) in differing:
        print(f"\n{task}: {', '.join(old)} became {', '.join(new)}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
