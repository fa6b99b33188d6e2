#!/usr/bin/env python3
"""Makes a file of records that nobody measured, to see how reports do with many, few or odd ones.

    synthetic_records.py REGATTA OUT.db [--tasks N] [--rows N] [--kind KIND]

REGATTA makes the file (one run of an example), so that the schema is its own; that run is then replaced. Kinds:
plain (solved, timeouts, stalls; every eighth row is a portfolio), wrong (some verdicts are), disputed (some must be,
but nobody knows which), nothing (none solved),
hostile (names with markup, quotes, line ends, bytes that are no UTF-8, 10 kB). The same arguments give the same records.
"""

import argparse
import pathlib
import random
import sqlite3
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 1</script>",
    '<img src=x onerror="window.hacked = 1">',
    "a\"b'c`d$(touch hacked)\\e",
    "line one\nline two\r\ttab \x1b[31mred\x7f",
    "=1+1,;|&%_#{}~^$",
    "no utf-8 \udcff\udcc0\udced\udca0\udc80",
    "long" + "x" * 10000,
    "]]>-->\u2028\u2029 {{constructor}} __proto__",
    "constructor",
]


def name(kind, what, number):
    if kind == "hostile":
        return f"{HOSTILE[number % len(HOSTILE)]}{number // len(HOSTILE) or ''}"
    return f"{what}-{number:04d}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("regatta")
    parser.add_argument("out")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--kind", choices=["plain", "wrong", "disputed", "nothing", "hostile"], default="plain")
    options = parser.parse_args()
    if pathlib.Path(options.out).exists():
        sys.exit(f"{options.out} is there already")
    subprocess.run(
        [options.regatta, "verify", EXAMPLES / "unsafe-at-40.yml", "-q", "--db", options.out],
        stdout=subprocess.DEVNULL,
        check=False,
    )
    db = sqlite3.connect(options.out)
    db.row_factory = sqlite3.Row
    run = dict(db.execute("SELECT * FROM run").fetchone())
    attempt = dict(db.execute("SELECT * FROM attempt").fetchone())
    db.execute("DELETE FROM attempt")
    db.execute("DELETE FROM run")
    rng = random.Random(1)

    def insert(table, values):
        values = {
            key: value.encode("utf-8", "surrogateescape") if isinstance(value, str) and "\udcff" in value else value
            for key, value in values.items()
        }
        marks = ", ".join("CAST(? AS TEXT)" if isinstance(v, bytes) else "?" for v in values.values())
        names = ", ".join(f'"{key}"' for key in values)
        db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))

    tasks = []
    for t in range(options.tasks):
        family = name(options.kind, "family", rng.randrange(12))
        path = f"tasks/{family}/{name(options.kind, 'task', t)}.yml"
        tasks.append((path, family, rng.choice(["safe", "unsafe"]), rng.lognormvariate(0, 2.5)))
    limit, number, wrongs = 60, 0, 0
    for r in range(options.rows):
        plan = name(options.kind, "plan" if r % 8 == 7 else "configuration", r)
        skill = rng.lognormvariate(0, 0.5)
        for t, (path, family, right, weight) in enumerate(tasks):
            number += 1
            seconds = weight * skill * rng.lognormvariate(0, 1.2)
            solved = seconds < limit and options.kind != "nothing"
            stalled = not solved and rng.random() < 0.3
            wrong = options.kind in ("wrong", "disputed") and solved and rng.random() < 0.02
            verdict = right if solved else "unknown"
            if wrong:
                verdict = "safe" if right == "unsafe" else "unsafe"
            contradiction = options.kind == "wrong" and wrong and wrongs % 4 == 0
            wrongs += wrong
            wall = seconds if solved else rng.uniform(0.1, 20) if stalled else limit
            insert(
                "run",
                run
                | dict(
                    id=number, task=path, task_digest=f"{t:032x}", plan=plan, plan_digest=f"{r:032x}", family=family,
                    expected="" if options.kind == "disputed" else right, verdict=verdict,
                    reason="solved" if solved else "stalled" if stalled else "timeout", peak_bytes=rng.randrange(10**7, 10**9),
                    foreign_cpu_seconds=0, contradiction=int(contradiction), wall_seconds=wall, load_seconds=0.01,
                    cpu_seconds=wall, time_limit_seconds=limit, started_epoch_ms=1700000000000 + 1000 * number, seed=0,
                ),
            )
            parts = 4 if r % 8 == 7 else 1
            for a in range(parts):
                last = a == parts - 1
                reason = "solved" if solved and last else "stalled" if stalled or not last else "timeout"
                insert(
                    "attempt",
                    attempt
                    | dict(
                        id=None, run=number, configuration=name(options.kind, "configuration", r + a) if parts > 1 else plan,
                        attempt=a, lane=a % 2, step=a // 2, verdict=verdict if last else "unknown", reason=reason,
                        winner=int(solved and last), start_seconds=wall * (a // 2) / parts, wall_seconds=wall / parts,
                        cpu_seconds=wall / parts, cpus_got=str(a % 2), peak_bytes=rng.randrange(10**6, 10**9),
                        solver_seconds=wall / parts / 2,
                    ),
                )
    db.commit()
    db.close()


main()
