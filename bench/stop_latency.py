#!/usr/bin/env python3
"""How long attempts take to end once they are asked to, as threads and as processes.

    stop_latency.py REGATTA FOLDER|TASK… [-- OPTION…]     options of bench; --plan default --time 10s

Runs `regatta bench` on the tasks with each isolation and prints, over all attempts that were asked to
stop, how many there were, the median and the worst time to their end, and the same for runs: from the
winner's answer to the last attempt's end.
"""

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile


def latencies(db, table):
    query = f"SELECT stop_latency_seconds FROM {table} WHERE stop_latency_seconds > 0"
    with sqlite3.connect(db) as connection:
        return [row[0] for row in connection.execute(query)]


def line(isolation, what, seconds):
    if not seconds:
        return f"{isolation:8} {what:9} {0:6}"
    median, worst = statistics.median(seconds), max(seconds)
    return f"{isolation:8} {what:9} {len(seconds):6} {1000 * median:10.1f} {1000 * worst:10.1f}"


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    regatta, rest = arguments[0], arguments[1:]
    cut = rest.index("--") if "--" in rest else len(rest)
    tasks, options = rest[:cut], rest[cut + 1 :] or ["--plan", "default", "--time", "10s"]
    print(f"{'':8} {'':9} {'count':>6} {'median ms':>10} {'worst ms':>10}")
    for isolation in "thread", "process":
        with tempfile.TemporaryDirectory() as folder:
            db = os.path.join(folder, "runs.db")
            command = [regatta, "bench", *tasks, "--isolation", isolation, "--settle", "10s", "--db", db, "-q", *options]
            subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
            print(line(isolation, "attempts", latencies(db, "attempt")))
            print(line(isolation, "runs", latencies(db, "run")), flush=True)


main(sys.argv[1:])
