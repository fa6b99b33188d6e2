#!/usr/bin/env python3
"""How often attempts find what they look up: a table of hits by cache and configuration.

    bench/cache_hits.py PROGRAM FOLDER|TASK... [--config NAME]... [--time 5s] [--db FILE]

Runs `PROGRAM bench` on the tasks with each configuration and one core, then sums the counters of the
records (docs/results.md). With --db the records stay and a further call goes on where one was ended. The
standard configurations cover the caches: values, predicates, both.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile

STANDARD = [
    "domain=EXPL,maxenum=50",
    "domain=PRED_CART",
    "domain=PRED_CART,precgranularity=LOCAL",
    "domain=PRED_BOOL",
    "domain=EXPL_PRED_COMBINED",
]
SUFFIX = "_lookups"


def caches(db):
    columns = [row[1] for row in db.execute("PRAGMA table_info(attempt)")]
    return [c[: -len(SUFFIX)] for c in columns if c.endswith(SUFFIX)]


def table(db):
    names = caches(db)
    sums = ", ".join(f"sum({n}_lookups), sum({n}_hits)" for n in names)
    print("| configuration | runs | solved | " + " | ".join(names) + " |")
    print("|---|---|---|" + "---|" * len(names))
    query = (
        f"SELECT configuration, count(*), sum(verdict <> 'unknown'), {sums} FROM attempt "
        "GROUP BY configuration_text ORDER BY min(id)"
    )
    for name, runs, solved, *counts in db.execute(query):
        cells = []
        for lookups, hits in zip(counts[::2], counts[1::2]):
            cells.append(f"{100 * hits / lookups:.1f}% of {lookups}" if lookups else "-")
        print(f"| `{name}` | {runs} | {solved} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("task", nargs="+")
    parser.add_argument("--config", action="append")
    parser.add_argument("--time", default="5s")
    parser.add_argument("--db")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.db or os.path.join(folder, "caches.db")
        command = [arguments.program, "bench", *arguments.task, "--time", arguments.time]
        command += ["--cores", "1", "--db", path]
        for name in arguments.config or STANDARD:
            command += ["--config", name]
        code = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
        if code != 0:
            sys.exit(f"{arguments.program} bench ended with exit code {code}")
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
            table(db)


if __name__ == "__main__":
    main()
