#!/usr/bin/env python3
"""What comes out of runs on C programs: traces, witnesses, tests.

    outputs.py REGATTA [READER]    (TAP)

Without the reader (a build without LLVM) the test is skipped.
"""

import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n"
CALLS = HEAD + """struct s { int x; char c[4]; };
int g;
int twice(int v)
{
    int r = v +
            v;
    return r;
}
int main(void)
{
    int i, n = __VERIFIER_nondet_int(); int *p = &n;
    struct s t;
    int a[5];
    t.x = 3; /* } */
    for (i = 0; i < 3; i++)
        a[i] = twice(n);
    g = a[2];
    if (g == 14 && *p > 0) reach_error();
    return 0;
}
"""

count = failed = 0


def say(good, name, detail=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good:
        for line in str(detail).splitlines():
            print(f"# {line}")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=600)
    return done.returncode, done.stdout, done.stderr


def verify(regatta, path, prop, *more):
    return run(regatta, "verify", "-q", "--time", "120s", "--cores", "1", "--property", prop, *more, path)


def check_traces(regatta):
    pathlib.Path("calls.c").write_text(CALLS)
    code, out, err = verify(regatta, "calls.c", "unreach-call", "--trace", "-", "--certificate", "calls.smt2")
    say(code == 10, "the error is found", out + err)
    for piece in ("calls.c:13:5: int i, n = __VERIFIER_nondet_int();\n    __VERIFIER_nondet_int() gives 7\n    n = 7\n",
                  "calls.c:13:41: int *p = &n;\n    p = &n\n",
                  "    t+0 = 3\n",
                  "calls.c:17:5: for (i = 0; i < 3; i++)\n    i = 0\ncalls.c:18:9: a[i] = twice(n);\n"
                  "calls.c:18:16: call of twice\n    v = 7\n  calls.c:7:5: int r = v + v;\n      r = 14\n",
                  "calls.c:18:9: a[i] = twice(n);\n    a[2] = 14\n",
                  "calls.c:20:28: reach_error();\nviolated: unreach-call at calls.c:20:28\n"):
        say(piece in out, "the trace has " + json.dumps(piece), out)
    code, out, err = run(regatta, "certify", "calls.c", "calls.smt2", "--property", "unreach-call")
    say(code == 0, "certify runs the program again", out + err)
    text = pathlib.Path("calls.smt2").read_text()
    digest = re.search(r'model-digest "(\w+)"', text).group(1)
    pathlib.Path("other.c").write_text(CALLS.replace("g == 14", "g == 16"))
    code, out, err = verify(regatta, "other.c", "unreach-call", "--certificate", "other.smt2")
    other = re.search(r'model-digest "(\w+)"', pathlib.Path("other.smt2").read_text()).group(1)
    pathlib.Path("wrong.smt2").write_text(text.replace(digest, other))
    code, out, err = run(regatta, "certify", "other.c", "wrong.smt2", "--property", "unreach-call")
    say(code == 4, "certify refuses the trace of another program", out + err)


def check_pages(regatta):
    verify(regatta, "calls.c", "unreach-call", "--trace", "calls.json", "--trace-format", "json")
    told = json.loads(pathlib.Path("calls.json").read_text())
    step = next(s for s in told["steps"] if s["statement"] == "int r = v + v;")
    say(told["violated"] == "unreach-call" and told["at"]["line"] == 20, "JSON names the violation", told["at"])
    say((step["line"], step["column"], step["depth"], step["function"]) == (7, 5, 1, "twice"), "JSON has places", step)
    say(step["changes"] == [{"input": False, "name": "r", "value": "14"}], "JSON has values", step)
    verify(regatta, "calls.c", "unreach-call", "--trace", "calls.html", "--trace-format", "html")
    page = pathlib.Path("calls.html").read_text()
    inside = re.search(r'<script type="application/json" id="run">(.*?)</script>', page, re.S).group(1)
    say(json.loads(inside) == told, "the page has the same run")
    lines = re.findall(r'<span class="l" id="l0-\d+"><i>\d+</i>(.*?)</span>', page)
    say([html.unescape(line) for line in lines] == CALLS.split("\n"), "the page has the source", lines)
    say("http" not in page, "the page needs nothing from outside")


def main():
    regatta = os.path.abspath(sys.argv[1])
    if len(sys.argv) < 3 or not os.path.exists(sys.argv[2]):
        print("1..0 # SKIP no reader of C programs in this build")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_traces(regatta)
        check_pages(regatta)
        os.chdir("/")
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
