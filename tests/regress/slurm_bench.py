#!/usr/bin/env python3
"""A bench on a real Slurm: controller, one node and munge, started here on the loopback address in a scratch
folder and stopped at the end (TAP). Skipped where Slurm is not installed.

    slurm_bench.py REGATTA
"""

import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
SLOW = float(os.environ.get("REGATTA_REGRESS_SLOW", "1"))
KEY = "task_digest, plan_digest, time_limit_seconds, cores, seed"

CONFIGURATION = """
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SchedulerType=sched/builtin
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=node1 Default=YES MaxTime=INFINITE State=UP
"""


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports():
    with socket.socket() as a, socket.socket() as b:
        a.bind(("127.0.0.1", 0))
        b.bind(("127.0.0.1", 0))
        return a.getsockname()[1], b.getsockname()[1]


def wait_for(what, seconds=30):
    end = time.monotonic() + seconds * SLOW
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.1)
    return False


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))

    def run(self, program, *arguments):
        return subprocess.run([find(program), *map(str, arguments)], env=self.environment, text=True,
                              capture_output=True, timeout=60 * SLOW)

    def start(self):
        self.folder.chmod(0o755)  # munge wants its socket within reach
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            user=getpass.getuser(), folder=self.folder, ports=free_ports(), host=socket.gethostname(),
            cpus=min(2, os.cpu_count() or 1)))
        started = self.run("munged", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                           f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                           f"--seed-file={self.folder}/munged.seed")
        if started.returncode == 0:
            started = self.run("slurmctld", "-c")
        if started.returncode == 0:
            started = self.run("slurmd", "-N", "node1")
        if started.returncode != 0:
            return started.stderr
        if not wait_for(lambda: "idle" in self.run("sinfo", "-h", "-o", "%t").stdout):
            return "the node does not come up"
        return None

    def queue(self):
        """The elements, as "ARRAY_INDEX STATE"."""
        return self.run("squeue", "-h", "-r", "-o", "%F_%K %t").stdout.split("\n")[:-1]

    def running(self):
        return [line.split()[0] for line in self.queue() if line.endswith(" R")]

    def lose_node(self):
        """The node's daemon, what it started for jobs, and the jobs: all gone at once."""
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        controller = int((self.folder / "slurmctld.pid").read_text())
        for entry in pathlib.Path("/proc").iterdir():
            try:
                mine = entry.name.isdigit() and mark in (entry / "environ").read_bytes()
                name = (entry / "comm").read_text().strip() if mine else ""
                if mine and int(entry.name) not in (controller, os.getpid()) and name != "munged":
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                pass
        self.run("scontrol", "update", "nodename=node1", "state=down", "reason=lost")

    def return_node(self):
        self.run("slurmd", "-N", "node1")
        self.run("scontrol", "update", "nodename=node1", "state=resume")

    def hurry(self):
        """Slurm lets two minutes go by before it starts again what a lost node had."""
        for line in self.queue():
            element, state = line.split()
            if state == "PD":
                self.run("scontrol", "update", f"job={element}", "StartTime=now")

    def stop(self):
        self.run("scancel", "--me")
        for name in ("slurmctld", "slurmd", "munged"):
            with contextlib.suppress(OSError, ValueError):
                pid = int((self.folder / f"{name}.pid").read_text())
                os.kill(pid, signal.SIGTERM)
                if not wait_for(lambda pid=pid: not pathlib.Path(f"/proc/{pid}").exists(), 1):
                    os.kill(pid, signal.SIGKILL)


def command(regatta, db, repeat):
    return [regatta, "bench", str(EXAMPLES / "traffic-light.yml"), str(EXAMPLES / "stalls-explicit.yml"),
            "--config", "expl-seq", "--config", "pred-bw", "--time", "20s", "--cores", "1", "--memory",
            "500MB", "--repeat", str(repeat), "--executor", "slurm", "--db", str(db)]


def rows(db):
    if not db.exists():
        return {}
    with sqlite3.connect(db, timeout=60) as connection:
        return {row[0]: row[1:] for row in connection.execute(f"select id, {KEY}, verdict from run")}


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def say(self, good, name, detail=""):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        for line in str(detail).splitlines() if not good else []:
            print(f"# {line}")


def all_once(tap, db, wanted, name, detail):
    found = rows(db)
    keys = [row[:5] for row in found.values()]
    tap.say(len(keys) == len(set(keys)) == wanted, f"{name}: every run once",
            f"{len(keys)} runs, {len(set(keys))} keys\n{detail}")
    return found


def test_plain(tap, cluster, regatta):
    db = cluster.folder / "plain.db"
    done = subprocess.run(command(regatta, db, 1), env=cluster.environment, text=True, capture_output=True,
                          timeout=300)
    tap.say(done.returncode == 0, "a bench on Slurm: exit code", done.stderr)
    all_once(tap, db, 4, "a bench on Slurm", done.stderr)
    tap.say(not pathlib.Path(f"{db}.spool").exists(), "a bench on Slurm: the spool is gone")


def test_losses(tap, cluster, regatta):
    """Killed twice, with an element requeued and the node lost in between."""
    db = cluster.folder / "losses.db"
    seen, found = {}, {}
    for disturb in ("requeue", "node"):
        child = subprocess.Popen(command(regatta, db, 4), env=cluster.environment,
                                 stderr=subprocess.DEVNULL)
        before = len(rows(db))
        tap.say(wait_for(lambda: len(rows(db)) > before and cluster.running()),
                f"{disturb}: jobs run and records come in", cluster.queue())
        if disturb == "requeue":
            for element in cluster.running()[:1]:
                cluster.run("scontrol", "requeue", element)
        else:
            cluster.lose_node()
        child.kill()
        child.wait()
        if disturb == "node":
            cluster.return_node()
        found = rows(db)
        tap.say(all(found.get(key) == row for key, row in seen.items()), f"{disturb}: nothing is lost")
        seen = found
    with open(cluster.folder / "losses.log", "w+") as log:
        child = subprocess.Popen(command(regatta, db, 4), env=cluster.environment, stderr=log)
        ended = wait_for(lambda: cluster.hurry() or child.poll() is not None, 240)
        child.kill()
        log.seek(0)
        text = log.read()
    tap.say(ended and child.wait() == 0, "after the losses: exit code", text)
    found = all_once(tap, db, 16, "after the losses", text)
    tap.say(all(found.get(key) == row for key, row in seen.items()), "after the losses: nothing is lost")
    with sqlite3.connect(db) as connection:
        crashed = connection.execute("select count(*) from run where reason = 'crashed'").fetchone()[0]
    tap.say(crashed == 0, "after the losses: no run counts as crashed", crashed)


def test_interrupt(tap, cluster, regatta):
    db = cluster.folder / "interrupt.db"
    child = subprocess.Popen(command(regatta, db, 20), env=cluster.environment, stderr=subprocess.DEVNULL)
    wait_for(lambda: bool(cluster.running()))
    child.send_signal(signal.SIGINT)
    child.wait(60 * SLOW)
    tap.say(child.returncode == 130, "interrupted: exit code", child.returncode)
    tap.say(wait_for(lambda: not cluster.queue()), "interrupted: nothing is left in the queue", cluster.queue())


def main():
    regatta = os.path.abspath(sys.argv[1])
    missing = [program for program in PROGRAMS if find(program) is None]
    if missing:
        print(f"1..0 # SKIP no {', '.join(missing)}")
        return 0
    tap = Tap()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        cluster = Cluster(work)
        try:
            trouble = cluster.start()
            if trouble:
                print(f"1..0 # SKIP Slurm does not start here: {' '.join(trouble.split())}")
                return 0
            test_plain(tap, cluster, regatta)
            test_losses(tap, cluster, regatta)
            test_interrupt(tap, cluster, regatta)
        finally:
            cluster.stop()
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
