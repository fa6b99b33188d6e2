#!/usr/bin/env python3
"""Runs the whole program and looks at it from outside.

    runner.py case REGATTA FOLDER        one case: FOLDER/cmd and FOLDER/expected
    runner.py example REGATTA TASK.yml   the default plan (TAP)
    runner.py configurations REGATTA TASK.yml   every shipped configuration (TAP)
    runner.py program REGATTA PART       PART: signals, terminal, bench (resumed), repeat (TAP)

A case is data. `cmd` is a shell command in which $REGATTA, $EXAMPLES, $CASE (its folder) and $WORK (an
empty folder) are set. `expected` has a line for each thing that must be so:

    exit N              the exit code
    last REGEX          the last line of standard output
    stdout REGEX        some line of standard output         (no-stdout: none)
    stderr REGEX        some line of standard error          (no-stderr: none)
    file NAME REGEX     some line of $WORK/NAME
    json                standard output is one JSON value
    empty-stdout        nothing on standard output           (empty-stderr)
"""

import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
# A configuration alone may give up; sanitizer builds are slow, so the time is given from outside. SLOW is for limits that
# no run should come near: they are generous, and nothing waits for their end.
TIME = os.environ.get("REGATTA_REGRESS_TIME", "1s")
SLOW = float(os.environ.get("REGATTA_REGRESS_SLOW", "1"))


def some_line(text, pattern):
    return any(re.search(pattern, line) for line in text.splitlines())


def check(line, done, work):
    """None, or what is wrong."""
    word, _, rest = line.partition(" ")
    lines = done.stdout.splitlines()
    if word == "exit":
        return None if done.returncode == int(rest) else f"exit code {done.returncode}"
    if word == "last":
        return None if lines and re.search(rest, lines[-1]) else f"last line {lines[-1:]}"
    if word in ("stdout", "stderr"):
        return None if some_line(getattr(done, word), rest) else f"no line of {word} matches"
    if word in ("no-stdout", "no-stderr"):
        return f"{word[3:]} matches" if some_line(getattr(done, word[3:]), rest) else None
    if word in ("empty-stdout", "empty-stderr"):
        return f"{word[6:]} is not empty" if getattr(done, word[6:]) else None
    if word == "file":
        name, _, pattern = rest.partition(" ")
        path = work / name
        return None if path.exists() and some_line(path.read_text(), pattern) else "no such line"
    if word == "json":
        try:
            json.loads(done.stdout)
            return None
        except ValueError as error:
            return str(error)
    return "not understood"


def run_case(regatta, folder):
    folder = pathlib.Path(folder).resolve()
    with tempfile.TemporaryDirectory() as work:
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
        environment = dict(os.environ, PATH=path, REGATTA=regatta, EXAMPLES=str(EXAMPLES), CASE=str(folder),
                           WORK=work)
        done = subprocess.run(["sh", "-c", (folder / "cmd").read_text()], cwd=work,
                              env=environment, text=True, capture_output=True, timeout=250)
        wrong = []
        for line in (folder / "expected").read_text().splitlines():
            fault = check(line, done, pathlib.Path(work)) if line and line[0] != "#" else None
            if fault:
                wrong.append(f"{line}: {fault}")
    if wrong:
        print("\n".join(wrong), "--- stdout", done.stdout, "--- stderr", done.stderr, sep="\n")
    return 1 if wrong else 0


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def say(self, good, name, detail=""):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        for line in str(detail).splitlines() if not good else []:
            print(f"# {line}")

    def end(self):
        print(f"1..{self.count}", flush=True)
        return 1 if self.failed else 0


def verify(regatta, *arguments):
    return subprocess.run([regatta, "verify", *map(str, arguments)], text=True, capture_output=True,
                          timeout=250 * SLOW)


def configurations(regatta):
    listed = subprocess.run([regatta, "list", "configurations"], text=True, capture_output=True,
                            check=True).stdout
    return [line.split()[0] for line in listed.splitlines() if line and not line[0].isspace()]


CODES = {"safe": 0, "unsafe": 10, "unknown": 20}


def verdict_of(done):
    """The first word of what was said: safe, checked (...)."""
    return re.match(r"\w*", done.stdout)[0]


def expected_verdict(task):
    return "safe" if "expected_verdict: true" in pathlib.Path(task).read_text() else "unsafe"


def run_configurations(regatta, task):
    """A configuration alone may say unknown, never the wrong thing."""
    tap = Tap()
    expected = expected_verdict(task)
    for name in configurations(regatta):
        done = verify(regatta, task, "--config", name, "--time", TIME, "--cores", 1, "-q")
        verdict = verdict_of(done)
        good = verdict in (expected, "unknown") and done.returncode == CODES.get(verdict)
        tap.say(good, f"{name}: {verdict}", f"{done.returncode} {done.stdout} {done.stderr}")
    return tap.end()


def run_example(regatta, task):
    """The default plan is right, however many cores it has."""
    tap = Tap()
    expected = expected_verdict(task)
    for cores in (1, 2):
        done = verify(regatta, task, "--cores", cores, "--time", f"{60 * SLOW:g}s", "-q")
        good = verdict_of(done) == expected and done.returncode == CODES[expected]
        tap.say(good, f"default plan, {cores} cores", f"{done.returncode} {done.stdout} {done.stderr}")
    return tap.end()


# A run that does not end by itself: values without bound, tracked as values.
ENDLESS = [str(EXAMPLES / "needs-predicates.yml"), "--config", "expl-all", "--time", "100s"]


def wait_for(stream, pattern, seconds):
    """Reads the descriptor until the pattern has come; what was read."""
    got, end = b"", time.monotonic() + seconds * SLOW
    while not re.search(pattern, got) and time.monotonic() < end:
        if select.select([stream], [], [], 0.1)[0]:
            try:
                piece = os.read(stream, 65536)
            except OSError:  # a terminal whose other side was closed
                break
            if not piece:
                break
            got += piece
    return got


def rows(regatta, db):
    done = subprocess.run([regatta, "report", db, "--csv"], text=True, capture_output=True)
    return done.stdout.splitlines()[1:]


def test_signal(tap, regatta, number, work):
    db = os.path.join(work, f"signal-{number}.db")
    child = subprocess.Popen([regatta, "verify", *ENDLESS, "--db", db], text=False,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    log = wait_for(child.stderr.fileno(), rb"started", 60)
    time.sleep(0.2)
    child.send_signal(number)
    begin = time.monotonic()
    out, _ = child.communicate(timeout=30 * SLOW)
    took = time.monotonic() - begin
    last = out.decode().splitlines()[-1:] or [""]
    kept = rows(regatta, db)
    name = signal.Signals(number).name
    tap.say(child.returncode == 128 + number, f"{name}: exit code", f"{child.returncode} {log}")
    tap.say(last[0].startswith("unknown (interrupted"), f"{name}: last line", last)
    tap.say(len(kept) == 1 and ",interrupted," in kept[0], f"{name}: the record is kept", kept)
    tap.say(took < 50, f"{name}: ends soon", f"{took} s, where the run would have gone on for 100")


def test_early_signal(tap, regatta, work):
    """At any moment: also long before the race begins, and in between."""
    for delay in (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1):
        child = subprocess.Popen([regatta, "verify", *ENDLESS, "-q"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        time.sleep(delay)
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=30 * SLOW)
        # Before the program has blocked the signal, the system ends it.
        good = child.returncode in (143, -signal.SIGTERM)
        tap.say(good, f"SIGTERM after {1000 * delay:g} ms", child.returncode)


ESCAPE = rb"\x1b\[[?0-9]*[A-Za-z]"


def pictures(seen):
    """What was drawn: the lines of each picture, without what only moves the cursor."""
    return [re.sub(ESCAPE, b"", part).splitlines() for part in re.split(rb"\r\x1b\[\d+A", seen)]


def open_terminal(columns, rows=40):
    main, side = pty.openpty()
    termios.tcsetwinsize(side, (rows, columns))
    return main, side


def test_narrow_terminal(tap, regatta, work):
    """However narrow and low the terminal is, no line is wrapped and no picture is higher than it."""
    synthetic = dict(os.environ, TERM="xterm", HWLOC_SYNTHETIC="pack:2 core:64 pu:2")
    for columns, rows in ((20, 10), (40, 5), (100, 40)):
        main, side = open_terminal(columns, rows)
        child = subprocess.Popen([regatta, "verify", *ENDLESS, "--cooperation", "on"], stdout=subprocess.PIPE,
                                 stderr=side, env=synthetic)
        os.close(side)
        # Three pictures, and something to tell: on a busy machine that takes a while.
        seen = wait_for(main, rb"(?s)(\x1b\[\d+A.*){3}" if rows < 40 else rb"(?s)(\x1b\[\d+A.*){3}exchange  \d given", 60)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=30 * SLOW)
        seen += wait_for(main, rb"never comes", 0.2)
        os.close(main)
        drawn = pictures(seen)
        widest = max(len(line) for lines in drawn for line in lines)
        name = f"terminal of {columns}x{rows}"
        tap.say(widest < columns, f"{name}: no line is wrapped", widest)
        tap.say(max(map(len, drawn)) < rows + 1, f"{name}: as high as it", max(map(len, drawn)))
    text = seen.decode()
    tap.say(re.search(r"exchange  \d given, 0 taken", text), "terminal: what was exchanged is told", text[-500:])
    tap.say(re.search(r"left; 1 running, 0 ended", text), "terminal: what is left of the run is told", text[-500:])
    cores = [line for line in drawn[1] if line.startswith(b"cores")]
    tap.say(cores and cores[0].startswith(b"cores   0  0......."), "terminal: who is on which core", drawn[1])
    tap.say(sum(line.count(b".......") for line in drawn[1]) == 16, "terminal: 128 cores", drawn[1])


def test_plain_output(tap, regatta, work):
    """No escape codes where there is no terminal; what the picture shows is among the events."""
    events = os.path.join(work, "events.jsonl")
    done = verify(regatta, EXAMPLES / "stalls-explicit.yml", "--config", "domain=EXPL,maxenum=1", "--cores", 1,
                  "--cooperation", "on", "--events", events, "--time", f"{200 * SLOW:g}s")
    tap.say("\x1b" not in done.stderr and "started" in done.stderr, "no terminal: no escape codes", done.stderr)
    lines = [json.loads(line) for line in open(events)]
    begin, over = lines[0], lines[-1]
    tap.say(begin["event"] == "begin" and begin["left_seconds"] > 0 and begin["cores"] == 1, "events: the limits", begin)
    tap.say(over["event"] == "over" and over["stalls"] == 1 and "stalled_why" in over, "events: stalls", over)
    shared = [line for line in lines if line["event"] == "shared"]
    tap.say(over["given"] == len(shared) and over["taken"] == 0 and over["idle"], "events: exchange and idle cores", over)
    started = [line for line in lines if line["event"] == "started"]
    tap.say(started and started[0]["left_seconds"] > 0 and started[0]["cpus"], "events: an attempt's budget", started)


def test_bench_terminal(tap, regatta, work):
    """Progress of a bench on a terminal: a bar, the estimate, what runs now; what failed stays above."""
    main, side = open_terminal(100)
    command = [regatta, "bench", EXAMPLES / "traffic-light.yml", EXAMPLES / "needs-both.yml", "--config", "expl-seq",
               "--config", "pred-seq", "--time", "1s", "--db", os.path.join(work, "terminal.db")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=side, env=dict(os.environ, TERM="xterm"))
    os.close(side)
    seen = wait_for(main, rb"runs are in", 60)
    child.communicate(timeout=30 * SLOW)
    os.close(main)
    text = re.sub(ESCAPE, b"", seen).decode()
    for what, pattern in (("the bar", r"\[#{15}\.{15}\] 2 of 4 runs; 2 made now"), ("the estimate", r"so far, about .* left"),
                          ("what runs now", r"  0  .*(expl|pred)-seq +.*needs-both"),
                          ("what has no answer", r"\[\d/4\] .*needs-both.yml, \S+: unknown"),
                          ("the end", r"\[#{30}\] 4 of 4 runs")):
        tap.say(re.search(pattern, text), f"bench on a terminal: {what}", text)
    hidden, shown = seen.rfind(b"\x1b[?25l"), seen.rfind(b"\x1b[?25h")
    tap.say(0 <= hidden < shown, "bench on a terminal: cursor hidden and shown again", seen[-200:])


def test_terminal(tap, regatta, ending):
    """The live view on a terminal: drawn in place, and the cursor comes back."""
    main, side = pty.openpty()
    arguments = ENDLESS if ending else [str(EXAMPLES / "traffic-light.yml"), "--cores", "2"]
    child = subprocess.Popen([regatta, "verify", *arguments], stdout=subprocess.PIPE, stderr=side,
                             env=dict(os.environ, TERM="xterm"))
    os.close(side)
    seen = b""
    if ending:
        seen = wait_for(main, rb"\x1b\[\d+A", 60)
        child.send_signal(ending)
    out = child.communicate(timeout=60 * SLOW)[0].decode()
    seen += wait_for(main, rb"never comes", 0.5)
    os.close(main)
    name = "interrupted" if ending else "finished"
    hidden, shown = seen.rfind(b"\x1b[?25l"), seen.rfind(b"\x1b[?25h")
    tap.say(0 <= hidden < shown, f"terminal, {name}: cursor hidden and shown again", seen[-200:])
    tap.say(b"lane  core" in seen and b"cores   0" in seen and b"running" in seen, f"terminal, {name}: the table is there", seen[:200])
    expected = "unknown (interrupted" if ending else "safe, checked ("
    tap.say(out.startswith(expected), f"terminal, {name}: verdict on standard output", out)


def test_resume(tap, regatta, work):
    """A bench that is ended and started again has every run once."""
    db = os.path.join(work, "bench.db")
    tasks = [EXAMPLES / f"{name}.yml" for name in ("needs-values", "traffic-light", "unsafe-at-40", "readers-writers", "needs-both")]
    command = [regatta, "bench", *map(str, tasks), "--config", "expl-seq", "--config", "pred-seq",
               "--time", "1s", "--db", db]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(child.stderr.fileno(), rb"\[3/", 30)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=30 * SLOW)
    tap.say(child.returncode == 130, "bench: interrupted", child.returncode)
    before = [row for row in rows(regatta, db) if ",interrupted," not in row]
    tap.say(len(before) >= 3, "bench: finished runs are kept", before)
    done = subprocess.run(command, text=True, capture_output=True, timeout=250 * SLOW)
    finished = [row for row in rows(regatta, db) if ",interrupted," not in row]
    keys = {(row.split(",")[1], row.split(",")[3]) for row in finished}
    wanted = 2 * len(tasks)
    tap.say(done.returncode == 0, "bench: goes on to the end", done.stderr)
    tap.say(len(finished) == len(keys) == wanted, "bench: every run once", "\n".join(finished))
    done = subprocess.run(command, text=True, capture_output=True, timeout=30 * SLOW)
    tap.say("0 made now" in done.stderr, "bench: a third time there is nothing to do", done.stderr)


# Times, host and where it ran differ between two runs; nothing else may.
VARYING = {"coordinator_cpu_seconds", "start_seconds", "load_seconds", "check_seconds", "wall_seconds", "cpu_seconds", "stop_latency_seconds", "solver_seconds",
           "cpus_asked", "cpus_got", "peak_bytes"}  # the allocator gives a few bytes more or less


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in VARYING}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return value


STEP_BUDGETS = """include = "configurations.cfg";
cooperate = true;
variants = ( { cores = 1; lanes = (
  { steps = ( { configuration = "pred-seq"; budget = "300 steps"; }, { configuration = "bmc"; budget = "60 steps"; } ); },
  { steps = ( { configuration = "expl-ctrl-250"; budget = "40 steps"; on = { steps = "goto again keeping precision"; }; },
              { label = "again"; configuration = "pred-split"; budget = "200 steps"; }, { configuration = "kind"; } ); } ); } );
"""


def test_repeatable(tap, regatta, work):
    """The first of the levels of determinism: one core, in turn, budgets in steps."""
    plan = pathlib.Path(work) / "steps.cfg"
    plan.write_text(STEP_BUDGETS)
    for task, *how in (("traffic-light", "--config", "expl-seq"), ("traffic-light", "--config", "pred-seq"),
                       ("unsafe-at-40", "--config", "expl-seq"), ("unsafe-at-40", "--plan", plan)):
        outs = [verify(regatta, EXAMPLES / f"{task}.yml", *how, "--sequential",
                       "--cores", 1, "--json", "-q", "--time", "0", "--seed", 5).stdout for _ in range(2)]
        first, second = (json.loads(out) for out in outs)
        same = first["attempts"] and without_times(first) == without_times(second)
        tap.say(same, f"the same result twice: {task}, {pathlib.Path(how[1]).name}", "\n".join(outs))


def test_signals(tap, regatta, work):
    for number in (signal.SIGINT, signal.SIGTERM):
        test_signal(tap, regatta, number, work)
    test_early_signal(tap, regatta, work)


def test_terminals(tap, regatta, work):
    test_terminal(tap, regatta, None)
    test_terminal(tap, regatta, signal.SIGINT)
    test_narrow_terminal(tap, regatta, work)
    test_plain_output(tap, regatta, work)


def test_bench(tap, regatta, work):
    test_bench_terminal(tap, regatta, work)
    test_resume(tap, regatta, work)


def run_program(regatta, part):
    parts = {"signals": test_signals, "terminal": test_terminals, "bench": test_bench, "repeat": test_repeatable}
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        parts[part](tap, regatta, work)
    return tap.end()


def main():
    modes = {"case": run_case, "example": run_example, "configurations": run_configurations, "program": run_program}
    if len(sys.argv) < 3 or sys.argv[1] not in modes:
        sys.exit(__doc__)
    regatta = os.path.abspath(sys.argv[2])  # cases run in a folder of their own
    sys.exit(modes[sys.argv[1]](regatta, *sys.argv[3:]))


if __name__ == "__main__":
    main()
