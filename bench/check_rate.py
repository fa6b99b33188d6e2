#!/usr/bin/env python3
"""How many safe verdicts of a file of records were checked in time, and which were not.

    check_rate.py [--share] FILE...    a verdict counts when it was checked within max(1 s, half of the proving time)

--share: of attempts on one core, on a machine that others use too: both times are what they would have been with that core
alone, that is, multiplied by the attempt's CPU time over its wall time.
"""
import sqlite3, sys
share = "--share" in sys.argv[1:]
late = unchecked = checked = 0
for path in sys.argv[1:]:
    if path == "--share":
        continue
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    for row in db.execute("select r.task, r.plan, a.configuration, a.checked, a.check_seconds, a.wall_seconds, a.cpu_seconds, a.why "
                          "from run r join attempt a on a.run = r.id where a.verdict = 'safe' and a.winner"):
        task, plan, configuration, state, check, wall, cpu, why = row
        part = min(1, cpu / wall) if share and wall > 0 else 1
        check, proof = part * check, part * (wall - check)
        if state == "yes" and check <= max(1, proof / 2):
            checked += 1
            continue
        late += state == "yes"
        unchecked += state != "yes"
        print(f"{task}: {configuration[:80]}: proof {proof:.2f} s, check {check:.2f} s, checked: {state}; {why}")
total = checked + late + unchecked
print(f"{total} safe verdicts: {checked} checked in time, {late} later, {unchecked} not")
