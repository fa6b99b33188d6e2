#!/usr/bin/env python3
"""Kills a bench at random moments (SIGKILL) and starts it again; at the end every run must
be there exactly once, and nothing that was there before a kill may be gone. Then a job alone crashes (TAP).

    kill_bench.py REGATTA [KILLS [SEED]]     KILLS: how often, 8
"""

import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
MEAN = 0.6 * float(os.environ.get("REGATTA_REGRESS_SLOW", "1"))  # seconds from start to kill
TASKS = ["traffic-light", "stalls-explicit"]
KEY = "task_digest, plan_digest, time_limit_seconds, cores, seed"


def command(regatta, db, repeat):
    jobs = min(2, len(os.sched_getaffinity(0)))
    return [regatta, "bench", *(str(EXAMPLES / f"{task}.yml") for task in TASKS), "--config",
            "expl-seq", "--config", "pred-bw", "--cores", "1", "--jobs", str(jobs), "--placement",
            "none", "--time", "20s", "--repeat", str(repeat), "--db", str(db), "-q"]


def rows(db):
    if not db.exists():
        return {}
    with sqlite3.connect(db, timeout=60) as connection:
        if not connection.execute("select count(*) from sqlite_schema").fetchone()[0]:
            return {}
        return {row[0]: row[1:] for row in connection.execute(
            f"select id, {KEY}, verdict, (select count(*) from attempt where run = run.id) "
            "from run where status = 'ok'")}


def processes(db):
    """Of this program, with the file in their command line."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and str(db).encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            pass
    return found


def wait_until_gone(db):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if not processes(db):
            return True
        time.sleep(0.005)
    return False


def crash_a_job(regatta, work):
    """What a bench makes of a job that crashes: its exit code, and the reasons and CPU times of the runs."""
    db = pathlib.Path(work) / "crashed.db"
    child = subprocess.Popen(
        [regatta, "bench", str(EXAMPLES / "needs-predicates.yml"), str(EXAMPLES / "traffic-light.yml"),
         "--config", "expl-all", "--time", "100s", "--cores", "1", "--db", str(db), "-q"],
        stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        jobs = [pid for pid in processes(db) if pid != child.pid]
        if jobs:
            os.kill(jobs[0], signal.SIGSEGV)
            break
        time.sleep(0.01)
    code = child.wait(120)
    with sqlite3.connect(db) as connection:
        return code, connection.execute("select reason, cpu_seconds from run order by id").fetchall()


def main():
    regatta = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
    chance = random.Random(seed)
    repeat = max(4, kills)
    wanted = 2 * len(TASKS) * repeat
    faults, made, hit = [], 0, 0
    with tempfile.TemporaryDirectory() as work:
        db = pathlib.Path(work) / "killed.db"
        before, mean = {}, MEAN
        while hit < kills:
            child = subprocess.Popen(command(regatta, db, repeat), stderr=subprocess.DEVNULL)
            try:
                child.wait(chance.expovariate(1 / mean))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                child.wait()
                hit += 1
            else:
                if hit > 0 or mean < MEAN / 1000:
                    break  # all is done
                mean /= 4  # on a quick machine it was over before the first kill
                for file in pathlib.Path(work).glob("killed.db*"):
                    file.unlink()
                continue
            if not wait_until_gone(db):
                faults.append(f"kill {hit}: jobs live on: {processes(db)}")
            now = rows(db)
            lost = {key: row for key, row in before.items() if now.get(key) != row}
            if lost:
                faults.append(f"kill {hit}: lost or changed: {lost}")
            before = now
        done = subprocess.run(command(regatta, db, repeat), capture_output=True, text=True)
        after = rows(db)
        lost = {key: row for key, row in before.items() if after.get(key) != row}
        keys = [row[:5] for row in after.values()]
        with sqlite3.connect(db) as connection:
            sound = connection.execute("pragma integrity_check").fetchone()[0]
            crashed = connection.execute("select count(*) from run where reason = 'crashed'").fetchone()[0]
            strays = connection.execute("select count(*) from attempt where run not in (select id from run)").fetchone()[0]
    with tempfile.TemporaryDirectory() as work:
        code, runs = crash_a_job(regatta, work)
    reasons = [reason for reason, _ in runs]
    checks = [
        ("a job that crashes leaves a record, and the bench goes on",
         code == 0 and reasons == ["crashed", "solved"], f"exit code {code}, {reasons}"),
        ("its CPU time counts, too", bool(runs) and all(cpu > 0 for _, cpu in runs), runs),
        (f"{hit} kills (seed {seed}), {len(before)} of {wanted} runs before the last call",
         hit > 0 and not faults, faults or "it was over before the first kill"),
        ("the last call goes on to the end", done.returncode == 0, done.stderr),
        ("nothing lost", not lost and len(set(keys)) == wanted, f"{len(set(keys))} keys, lost {lost}"),
        ("nothing twice", len(keys) == len(set(keys)), f"{len(keys)} runs, {len(set(keys))} keys"),
        ("no run is half there", all(row[6] > 0 for row in after.values()) and strays == 0, after),
        ("no run counts as crashed", crashed == 0, crashed),
        ("the file is sound", sound == "ok", sound),
    ]
    for i, (name, good, detail) in enumerate(checks, 1):
        print(f"{'ok' if good else 'not ok'} {i} - {name}")
        if not good:
            print("\n".join(f"# {line}" for line in str(detail).splitlines()))
    print(f"1..{len(checks)}")
    return 0 if all(good for _, good, _ in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
