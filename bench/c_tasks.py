#!/usr/bin/env python3
"""Runs regatta over the C tasks of a collection and says what was solved, wrong, unknown and why.

  bench/c_tasks.py REGATTA COLLECTION OUTPUT.csv [--time 10s] [--cores 2] [--jobs 1] [--class scalars] [--show]

COLLECTION has a tasks.csv (../shared/tasks/c-svcomp and its like), or is a folder of task definitions. A task whose line
is in OUTPUT already is not run again; --show only tells what is there.
"""
import argparse
import collections
import concurrent.futures
import csv
import os
import pathlib
import re
import subprocess
import sys
import time

FIELDS = ["task", "property", "class", "expected", "answer", "seconds", "detail"]


def definitions(collection):
    """Rows as in a tasks.csv from the definitions themselves."""
    for path in sorted(pathlib.Path(collection).glob("*.yml")):
        text = path.read_text()
        source = re.search(r"input_files: *'?([^'\n]*)", text).group(1)
        for prop, expected in re.findall(r"property_file: *\S*?([\w-]+)\.prp\n\s*expected_verdict: *(\w+)", text):
            yield {"task": path.stem, "property": prop, "class": "", "expected": expected,
                   "features": ""}


def tasks_of(collection, wanted):
    if not os.path.exists(os.path.join(collection, "tasks.csv")):
        yield from definitions(collection)
        return
    with open(os.path.join(collection, "tasks.csv"), newline="") as file:
        for row in csv.DictReader(file):
            if wanted is None or row.get("class") in wanted:
                yield row


def run(arguments, row):
    path = os.path.join(arguments.collection, row["task"] + ".yml")
    command = [arguments.regatta, "verify", "-q", "--time", arguments.time, "--cores", str(arguments.cores), path]
    places = [os.path.join(arguments.collection, folder, row["property"] + ".prp") for folder in ("properties", "")]
    prop = next((place for place in places if os.path.exists(place)), "")
    if prop: # a task may have several
        command[2:2] = ["--property", prop]
    begin = time.monotonic()
    try:
        done = subprocess.run(["nice", "-n", "10"] + command, capture_output=True, text=True, timeout=arguments.most,
                              errors="replace")
        lines = done.stdout.strip().split("\n")
        answer = lines[-1].split(" ")[0].strip(",") if lines[-1] else "crash" if done.returncode > 3 else "error"
        detail = (done.stderr.strip().split("\n")[0] if answer in ("unknown", "error", "crash") else "") or lines[-1]
    except subprocess.TimeoutExpired:
        answer, detail = "timeout", ""
    return {
        "task": row["task"], "property": row["property"], "class": row["class"], "expected": row["expected"],
        "answer": answer, "seconds": "%.2f" % (time.monotonic() - begin), "detail": detail[:300],
    }


def verdict(line):
    want = {"true": "safe", "false": "unsafe"}.get(line["expected"])
    if line["answer"] in ("safe", "unsafe"):
        return "solved" if line["answer"] == want else "WRONG"
    if "not supported" in line["detail"]:
        return "unsupported"
    return "unknown" if line["answer"] == "unknown" else line["answer"]


def reason(detail):
    detail = re.sub(r"^\S*?:\d+:\d+: ", "", detail)
    return re.sub(r"`[^`]*`|\d+(\.\d+)? m?s", "*", detail) if "function" not in detail else detail


def table(title, lines, key):
    groups = collections.defaultdict(collections.Counter)
    for line in lines:
        groups[key(line)][verdict(line)] += 1
    print("\n| %s | solved | WRONG | unknown | unsupported | other | all |\n|---|---|---|---|---|---|---|" % title)
    for name, count in sorted(groups.items()) + [("all", sum(groups.values(), collections.Counter()))]:
        other = sum(count.values()) - sum(count[k] for k in ("solved", "WRONG", "unknown", "unsupported"))
        print("| %s | %d | %d | %d | %d | %d | %d |" % (
            name, count["solved"], count["WRONG"], count["unknown"], count["unsupported"], other, sum(count.values())))


def show(lines):
    table("class", lines, lambda line: line["class"])
    table("property", lines, lambda line: line["property"] + " " + line["expected"])
    reasons = collections.Counter(reason(line["detail"]) for line in lines if verdict(line) not in ("solved", "WRONG"))
    print("\n| not solved because | tasks |\n|---|---|")
    for text, count in reasons.most_common(25):
        print("| %s | %d |" % (text, count))
    for line in lines:
        if verdict(line) == "WRONG":
            print("WRONG: %s %s expected %s: %s" % (line["task"], line["property"], line["expected"], line["detail"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regatta")
    parser.add_argument("collection")
    parser.add_argument("output")
    parser.add_argument("--time", default="10s")
    parser.add_argument("--most", type=float, default=90, help="seconds of wall time after which a run is ended")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--class", dest="classes", action="append")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    lines = []
    if os.path.exists(arguments.output):
        with open(arguments.output, newline="") as file:
            lines = list(csv.DictReader(file))
    done = {(line["task"], line["property"]) for line in lines}
    todo = [row for row in tasks_of(arguments.collection, arguments.classes)
            if (row["task"], row["property"]) not in done]
    if not arguments.show and todo:
        with open(arguments.output, "a", newline="") as file, \
                concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            writer = csv.DictWriter(file, FIELDS)
            if not lines:
                writer.writeheader()
            for line in pool.map(lambda row: run(arguments, row), todo):
                writer.writerow(line)
                file.flush()
                lines.append(line)
    show(lines)
    return 1 if any(verdict(line) == "WRONG" for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
