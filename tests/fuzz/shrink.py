"""What scripts/shrink leaves of inputs whose fault is known (TAP).    shrink.py SHRINK"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap_lines  # noqa: E402

MODEL = "var x : integer = 17\nvar y : boolean = false\ntrans {\n    x := x + 23;\n    choice { y := true; } or { x := (x * 14); }\n}\n"
CASES = [
    ("lines and words", ".xsts", MODEL, ["grep", "-q", r"x \* ", "{}"], "x * "),
    ("brackets", ".smt2", "(assert (and (= x 1) (or (= y 2) (bad z))))\n", ["grep", "-q", "(bad", "{}"], "(bad"),
    ("elements", ".xml", "<a><b c='1'><d/>text</b><e>word</e></a>\n", ["grep", "-q", "<e>.*</e>", "{}"], "<e></e>"),
    ("numbers", ".net", "pl p (4711)\n", ["grep", "-q", "p ([0-9]", "{}"], "p (0"),
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, ending, text, command, expected in CASES:
            path = pathlib.Path(folder) / f"m{ending}"
            path.write_text(text)
            done = subprocess.run([sys.executable, sys.argv[1], str(path), *command], capture_output=True, text=True)
            small = path.with_name(path.name + ".small" + ending)
            found = small.read_text() if small.exists() else done.stdout + done.stderr
            tap_lines.say(found == expected, name, f"{found!r} instead of {expected!r}")
        gone = subprocess.run([sys.executable, sys.argv[1], str(path), "false"], capture_output=True, text=True)
        tap_lines.say(gone.returncode == 1 and "not there" in gone.stderr, "no fault, nothing made small", gone)
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
