#!/usr/bin/env python3
"""Inputs of strangers: what never ends, eats memory, or is no file (TAP).

    hostile.py REGATTA

Each case makes its files in an empty folder and looks at exit code, words and time. Times are generous: what is
shown is that a limit holds, not how fast the machine is.
"""

import ctypes
import json
import os
import pathlib
import platform
import pty
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

REGATTA = os.path.abspath(sys.argv[1])
SLOW = float(os.environ.get("REGATTA_REGRESS_SLOW", "1"))
CASES = []

SAFE = """var x : integer = 0
trans { x := 0; }
init {}
env {}
prop { x == 0 }
"""


def case(function):
    CASES.append(function)
    return function


def run(*words, at_most, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, before=None, send=None, **environment):
    """(exit code, standard output, standard error); fails when it takes longer than `at_most` seconds."""
    begin = time.monotonic()
    process = subprocess.Popen([REGATTA, *map(str, words)], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE,
                               text=True, errors="replace", preexec_fn=before, env=dict(os.environ, **environment))
    try:
        if send is not None:
            number, after = send
            time.sleep(after)
            process.send_signal(number)
        out, err = process.communicate(timeout=at_most * SLOW)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"still there after {time.monotonic() - begin:.1f} s: {words}")
    return process.returncode, out, err


def same(found, expected, what=""):
    assert found == expected, f"{what}: found {found!r}, expected {expected!r}"


def says(text, pattern):
    assert re.search(pattern, text), f"found {text!r}, expected {pattern!r}"


def macros(levels, body):
    """Definitions that each use the one before more than once."""
    lines = ["(set-logic HORN)", "(declare-fun P (Int) Bool)", "(define-fun f0 ((x Int)) Int (+ x 1))"]
    for i in range(1, levels + 1):
        lines.append(f"(define-fun f{i} ((x Int)) Int {body.replace('F', f'f{i - 1}')})")
    lines += [f"(assert (forall ((x Int)) (=> (= x (f{levels} x)) (P x))))",
              "(assert (forall ((x Int)) (=> (and (P x) (> x 5)) false)))", "(check-sat)"]
    return "\n".join(lines) + "\n"


# Every instance is another term: nothing can be shared, so a limit must end it.
ENDLESS = macros(60, "(ite (> (F (* 2 x)) 0) (F (+ (* 3 x) 1)) (F (* x x)))")


@case
def time_ends_reading(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    code, out, err = run("verify", "-q", "--time", "1s", "--memory", "4GB", folder / "m.smt2", at_most=20)
    same(code, 20)
    says(out, r"^unknown \(after .* time limit")
    says(err, r"m\.smt2: note: reading it took all the time")


@case
def memory_ends_reading(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    code, out, err = run("verify", "-q", "--memory", "50MB", folder / "m.smt2", at_most=100)
    same(code, 20)
    says(out, r"^unknown \(after .* memory")


@case
def first_signal_ends_reading(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    code, out, err = run("verify", "-q", folder / "m.smt2", "--memory", "8GB", at_most=20, send=(signal.SIGTERM, 1 * SLOW))
    same(code, 128 + signal.SIGTERM)
    says(out, r"^unknown \(interrupted after")


@case
def interrupted_reading_is_recorded(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    run("verify", "-q", "--time", "500ms", "--db", folder / "r.db", folder / "m.smt2", at_most=20)
    code, out, err = run("results", "export", folder / "r.db", "--format", "csv", at_most=20)
    same(code, 0)
    says(out, r"timeout")


@case
def products_of_products_are_shared(folder):
    (folder / "m.smt2").write_text(macros(60, "(* (F x) (F x))"))
    code, out, err = run("verify", "-q", "--config", "bmc", "--time", "10s", folder / "m.smt2", at_most=40)
    assert "reading it" not in err, err


@case
def many_variables_and_a_signal(folder):
    lines = [f"var v{i} : integer = 0" for i in range(300000)]
    (folder / "m.xsts").write_text("\n".join(lines) + "\ntrans { v0 := v0 + 1; }\ninit {}\nenv {}\nprop { v0 < 1 }\n")
    for after in (0.3, 1.5):
        code, out, err = run("verify", "-q", folder / "m.xsts", at_most=10, send=(signal.SIGINT, after * SLOW))
        assert code in (128 + signal.SIGINT, 10), code


@case
def brackets_in_a_task(folder):
    (folder / "m.yml").write_text("[" * 100000)
    code, out, err = run("verify", folder / "m.yml", at_most=10)
    same(code, 2)
    says(err, r"m\.yml:1: error: found more than 10000 brackets")


@case
def gaps_in_a_circuit(folder):
    lines = ["1 sort bitvec 1"] + [f"{i * 4000000} sort bitvec {i + 1}" for i in range(1, 16)]
    lines += ["60000001 state 1 x", "60000002 bad 60000001"]
    (folder / "m.btor2").write_text("\n".join(lines) + "\n")
    code, out, err = run("verify", "-q", "--memory", "100MB", folder / "m.btor2", at_most=30,
                         before=None)
    same(code, 10)
    # What the process had resident at most stands in no limit's way.
    same(err, "")


@case
def only_regular_files(folder):
    os.mkfifo(folder / "pipe.xsts")
    (folder / "zero.xsts").symlink_to("/dev/zero")
    (folder / "folder.xsts").mkdir()
    for name, words in (("pipe", "a device or a pipe"), ("zero", "a device or a pipe"), ("folder", "a folder")):
        code, out, err = run("verify", folder / f"{name}.xsts", at_most=10)
        same(code, 2, name)
        says(err, rf"{name}\.xsts: error: .*found {words}")


@case
def size_of_inputs(folder):
    (folder / "m.xsts").write_text(SAFE + "// " + "x" * 2000000 + "\n")
    code, out, err = run("verify", "--input-size", "1MB", folder / "m.xsts", at_most=10)
    same(code, 2)
    says(err, r"larger than the limit \(--input-size\)")
    code, out, err = run("verify", "-q", "--input-size", "3MB", folder / "m.xsts", at_most=60)
    same(code, 0, err)
    (folder / "m.xsts").write_text(SAFE)
    code, out, err = run("verify", "-q", "--input-size", "1kB", folder / "m.xsts", at_most=60)  # plans are the user's
    same(code, 0, err)


@case
def endless_question(folder):
    (folder / "m.xsts").write_text(SAFE)
    run("verify", "-q", "--db", folder / "r.db", folder / "m.xsts", at_most=60)
    endless = "with recursive c(x) as (select 1 union all select x + 1 from c) select "
    code, out, err = run("results", "query", folder / "r.db", endless + "count(*) from c", "--time", "1s", at_most=20)
    same(code, 20)
    says(err, r"took longer than --time allows")
    code, out, err = run("results", "query", folder / "r.db", endless + "count(*) from c", at_most=20,
                         send=(signal.SIGTERM, 1))
    same(code, 128 + signal.SIGTERM)


@case
def every_command_reads_under_a_limit(folder):
    (folder / "m.smt2").write_text(ENDLESS)
    (folder / "c").write_text("")
    code, out, err = run("certify", folder / "m.smt2", folder / "c", "--time", "1s", at_most=30)
    same(code, 20)
    says(out, r"^undecided \(reading the model: the time is over\)")
    code, out, err = run("certify", folder / "m.smt2", folder / "c", "--memory", "50MB", at_most=100)
    same(code, 20)
    says(out, r"the memory is used up")
    code, out, err = run("trace", folder / "m.smt2", "--time", "1s", at_most=30)
    same(code, 20)
    says(err, r"note: reading it took all the time")
    (folder / "n.smt2").write_text(ENDLESS)
    code, out, err = run("trace", "diff", folder / "m.smt2", folder / "n.smt2", "--time", "1s", at_most=30)
    same(code, 20)
    code, out, err = run("trace", folder / "m.smt2", "--memory", "8GB", at_most=20, send=(signal.SIGTERM, 1 * SLOW))
    same(code, 128 + signal.SIGTERM)
    code, out, err = run("bench", folder / "m.smt2", "--config", "kind", "--calibrate-monitors", "--time", "1s", at_most=40)
    says(err, r"note: reading it took all the time")


@case
def asking_ends_in_time(folder):
    (folder / "m.cffsm").write_text("model M { " + "x " * 1_000_000)
    code, out, err = run("ask", folder / "m.cffsm", "EF p", "--memory", "10MB", at_most=30)
    same(code, 20)
    says(out, r"^EF p: unknown \(reading took all that there is\)")


@case
def lost_output_is_told(folder):
    (folder / "m.xsts").write_text(SAFE)
    (folder / "t.cfg").write_text("")
    commands = [("verify", "-q", folder / "m.xsts"), ("verify", "-q", "--json", folder / "m.xsts"), ("list", "formats"),
                ("help", "verify"), ("topology",), ("space", "show", "cegar"), ("plan", "show", "default"), ("trace", "-q", folder / "m.xsts")]
    for words in commands:
        with open("/dev/full", "w") as full:
            code, out, err = run(*words, at_most=60, stdout=full)
        same(code, 3, words)
        says(err, r"standard output: No space left")
    # Closed from the start: nothing that is opened may stand in its place.
    code, out, err = run("verify", "-q", folder / "m.xsts", "--db", folder / "r.db", at_most=60, stdout=None,
                         before=lambda: os.close(1))
    same(code, 3)
    says(err, r"standard output: ")


@case
def corrupt_columns_are_input(folder):
    (folder / "m.xsts").write_text(SAFE)
    run("verify", "-q", "--db", folder / "r.db", folder / "m.xsts", at_most=60)
    store = sqlite3.connect(folder / "r.db")
    for table in ("feature", "run", "attempt"):
        rows = store.execute(f"PRAGMA table_info({table})").fetchall()
        source = store.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
        store.execute(f"CREATE TABLE other_{table} AS SELECT * FROM {table}")
        store.execute(f"DROP TABLE {table}")
        store.execute(f"ALTER TABLE other_{table} RENAME TO {table}")
        for _, name, *_ in rows:
            if name not in ("id", "run", "tool"):
                store.execute(f'UPDATE {table} SET "{name}" = NULL')
    store.commit()
    store.close()
    for words in (("results", "export", folder / "r.db", "--format", "csv"),
                  ("results", "export", folder / "r.db", "--format", "json"),
                  ("results", "merge", folder / "into.db", folder / "r.db"), ("report", folder / "r.db")):
        code, out, err = run(*words, at_most=60)
        assert code in (0, 2, 3), (words, code, err)


@case
def refused_processes_are_told_apart(folder):
    (folder / "m.xsts").write_text(SAFE)
    code, out, err = run("verify", "--isolation", "process", "--config", "kind", folder / "m.xsts", "--json",
                         "--memory", "1GB", at_most=60, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)))
    if code == 20:  # fewer are open here than were meant: nothing to be seen
        says(out, r'"reason":\s*"not_started"')
        says(out, r"the system refused [a-z ]*: Too many open files")


@case
def no_escapes_reach_the_terminal(folder):
    name = "m\x1b[31m\nsafe, checked.xsts"
    (folder / name).write_text("var x : integer = \x1b[2J")
    code, out, err = run("verify", folder / name, at_most=30)
    same(code, 2)
    assert "\x1b" not in out + err, (out, err)
    assert not any(line.startswith("safe") for line in err.splitlines()), err
    says(err, r"m\\x1b\[31m\\x0asafe, checked\.xsts:1:")
    (folder / "c.smt2").write_text("(set-logic HORN)\n(declare-fun |P\x1b[31m\x07| (Int) Bool)\n"
                                   "(assert (forall ((x Int)) (=> (= x 0) (|P\x1b[31m\x07| x))))\n"
                                   "(assert (forall ((x Int)) (=> (|P\x1b[31m\x07| x) false)))\n(check-sat)\n")
    leader, follower = pty.openpty()
    code, out, err = run("verify", "-q", "--trace", "-", folder / "c.smt2", at_most=60, stdout=follower)
    os.close(follower)
    text = b""
    while chunk := read_terminal(leader):
        text += chunk
    same(code, 10, err)
    assert b"\x1b" not in text and b"\x07" not in text, text
    assert "\x1b" not in err, err


def read_terminal(leader):
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""


@case
def json_is_valid_for_any_name(folder):
    name = os.fsencode(folder) + b"/m\xff\x7f.xsts"
    with open(name, "w") as file:
        file.write(SAFE)
    code, out, err = run("verify", "-q", "--json", os.fsdecode(name), "--db", folder / "r.db", "--events",
                         folder / "e", at_most=60)
    same(code, 0, err)
    assert json.loads(out)["task"].endswith("m\ufffd\x7f.xsts"), out
    code, out, err = run("results", "export", folder / "r.db", "--format", "json", at_most=30)
    assert all("task" in json.loads(line) for line in out.splitlines()) and "\ufffd" not in out, out
    for line in (folder / "e").read_bytes().decode().splitlines():
        json.loads(line)


@case
def read_only_folder(folder):
    inner = folder / "inner"
    inner.mkdir()
    (folder / "m.xsts").write_text(SAFE)
    run("verify", "-q", "--db", inner / "r.db", folder / "m.xsts", at_most=60)
    folder.chmod(0o755)
    inner.chmod(0o555)

    def nobody():
        if os.geteuid() == 0:
            os.setuid(65534)

    try:
        code, out, err = run("results", "export", inner / "r.db", "--format", "csv", at_most=30, before=nobody)
    finally:
        inner.chmod(0o755)
    same(code, 0, err)
    says(out, r"m\.xsts")


@case
def formulas_in_cells(folder):
    (folder / "=cmd.xsts").write_text(SAFE)
    before = os.getcwd()
    os.chdir(folder)
    try:
        run("verify", "-q", "--db", "r.db", "=cmd.xsts", at_most=60)
        code, out, err = run("results", "export", "r.db", "--format", "csv", at_most=30)
    finally:
        os.chdir(before)
    same(code, 0, err)
    says(out, r"(^|,|\n)'=cmd\.xsts,")


@case
def outputs_are_no_inputs(folder):
    (folder / "m.xsts").write_text(SAFE)
    (folder / "link").symlink_to("m.xsts")
    (folder / "m.prop").write_text("x == 0")
    (folder / "m.yml").write_text("format_version: '2.0'\ninput_files: m.xsts\n")
    for words in (("m.xsts", "--trace", "m.xsts"), ("m.xsts", "--cex", "link"), ("m.xsts", "--db", "m.xsts"),
                  ("m.xsts", "--property", "m.prop", "--log", "m.prop"), ("m.yml", "--trace", "m.xsts"),
                  ("m.xsts#x", "--certificate", "m.xsts")):
        words = [folder / word if not word.startswith("--") else word for word in words]
        code, out, err = run("verify", *words, at_most=60)
        same(code, 2, words)
        says(err, r"cannot be written over what is read")
        same((folder / "m.xsts").read_text(), SAFE)
        same((folder / "m.prop").read_text(), "x == 0")


@case
def no_foreign_files_as_properties(folder):
    (folder / "secret").write_text("root:secret:0\n")
    (folder / "p.prop").symlink_to("secret")
    (folder / "m.xsts").write_text(SAFE)
    for name in ("secret", "p.prop"):
        (folder / "m.yml").write_text("format_version: '2.0'\ninput_files: m.xsts\nproperties:\n"
                                      f"  - property_file: {name}\n")
        code, out, err = run("verify", folder / "m.yml", at_most=30)
        same(code, 2, name)
        assert "root" not in err and "0" not in err.split("error:")[1], err
        says(err, r"m\.yml:4:.*expected a property's file")


TRY = """cat > /dev/null &
touch FOLDER/stolen
python3 -c 'import socket; socket.create_connection(("127.0.0.1", PORT), 5)'
kill $!
echo sat
"""


@case
def workers_are_confined(folder):
    (folder / "m.xsts").write_text(SAFE)
    words = ("verify", "-q", "--isolation", "process", "--time", "8s", "--memory", "1GB", "--config",
             f'engine=kind solver="smtlib:sh {folder}/try" sat=off', folder / "m.xsts")
    found = []
    for environment in ({"REGATTA_UNCONFINED": "1"}, {}):
        server = socket.create_server(("127.0.0.1", 0))
        server.settimeout(0.5)
        port = str(server.getsockname()[1])
        (folder / "try").write_text(TRY.replace("FOLDER", str(folder)).replace("PORT", port))
        (folder / "stolen").unlink(missing_ok=True)
        run(*words, at_most=100, **environment)
        try:
            server.accept()[0].close()
            connected = True
        except TimeoutError:
            connected = False
        server.close()
        found.append(((folder / "stolen").exists(), connected))
    same(found[0], (True, True), "without confinement the solver gets through")
    if has_landlock():
        same(found[1][0], False, "a file that a confined worker's solver writes")
    if platform.machine() in ("x86_64", "aarch64") and has_seccomp():
        same(found[1][1], False, "a connection that a confined worker's solver makes")


def has_landlock():
    return ctypes.CDLL(None).syscall(444, None, 0, 1) >= 1  # landlock_create_ruleset: its version


def has_seccomp():
    return "Seccomp:" in pathlib.Path("/proc/self/status").read_text()


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for number, function in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(pathlib.Path(folder))
                print(f"ok {number} - {function.__name__}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"not ok {number} - {function.__name__}")
                print("\n".join("# " + line for line in str(error).splitlines()), flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
