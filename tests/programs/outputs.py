#!/usr/bin/env python3
"""What comes out of runs on C programs: traces, witnesses, tests.

    outputs.py REGATTA [READER]    (TAP)

Without the reader (a build without LLVM) the test is skipped.
"""

import hashlib
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import tap_lines  # noqa: E402
from tap_lines import say  # noqa: E402

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

def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=600)
    return done.returncode, done.stdout, done.stderr


def verify(regatta, path, prop, *more):
    return run(regatta, "verify", "-q", "--time", "120s", "--cores", "1", "--property", prop, *more, path)


def check_names(regatta):
    """A file's name is no code in the test that is written of it."""
    name = "x\nint injected;\n.c"
    pathlib.Path(name).write_text(HEAD + "int main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); return 0; }\n")
    code, out, err = verify(regatta, name, "unreach-call", "--test", "named.c")
    text = pathlib.Path("named.c").read_text() if code == 10 else out + err
    say("x\\x0aint injected" in text and "\nint injected" not in text, "a file's name is no code in the test", text)


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


THREADS = """#include <pthread.h>
extern void reach_error(void);
int x;
void *f(void *a)
{
    int r = x;
    x = r + 1;
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    x++;
    pthread_join(t, 0);
    if (x != 2)
        reach_error();
}
"""


def check_threads(regatta):
    pathlib.Path("threads.c").write_text(THREADS)
    code, out, err = verify(regatta, "threads.c", "unreach-call", "--trace", "-", "--certificate", "threads.smt2", "--witness", "threads.yml",
                            "--test", "test.c")
    say(code == 10, "an error of two threads is found", out + err)
    for piece in ("[1] threads.c:13:5: pthread_create(&t, 0, f, 0);\n    t = 2\n[2] threads.c:13:5: call of f\n",
                  "[2] threads.c:6:5: int r = x;\n      r = 0\n", "[2] threads.c:7:5: x = r + 1;\n      x = 1\n", "[1] threads.c:14:5: x++;\n    x = 1\n",
                  "[1] threads.c:17:9: reach_error();\nviolated: unreach-call at threads.c:17:9\n"):
        say(piece in out, "the trace has " + json.dumps(piece), out)
    say("__VERIFIER_nondet_turn" not in out, "who goes on is no input", out)
    code, out, err = run(regatta, "certify", "threads.c", "threads.smt2", "--property", "unreach-call")
    say(code == 0, "certify runs the threads again", out + err)
    say("In which order threads run" in pathlib.Path("test.c").read_text(), "the test says that it chooses no order")
    code, out, err = run(regatta, "validate", "threads.c", "threads.yml", "--property", "unreach-call")
    say("not supported: a witness of a program with threads" in out + err, "no witness of threads is read", out + err)


DEEP = HEAD + """int g;
int add(int a)
{
    return a + 1;
}
int f(int n)
{
    int r = add(n);
    if (n > 0)
        g += f(n - 1);
    return r;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 30 || n > 100 || f(n) + g == 0)
        return 0;
    reach_error();
    return 0;
}
"""


def check_deep(regatta):
    """Each call of a recursive function is one of its own, where it was called from."""
    pathlib.Path("deep.c").write_text(DEEP)
    code, out, err = verify(regatta, "deep.c", "unreach-call", "--trace", "-", "--certificate", "deep.smt2", "--witness", "deep.yml")
    say(code == 10, "the error behind a deep recursion is found", out + err)
    for piece in ("deep.c:18:30: call of f\n", "  deep.c:10:13: call of add\n", "    deep.c:6:5: return a + 1;\n",
                  "\n" + "  " * 30 + "deep.c:12:14: call of f\n" + "  " * 30 + "    n = ", "\n      deep.c:13:5: return r;\n",
                  "deep.c:20:5: reach_error();\nviolated: unreach-call at deep.c:20:5\n"):
        say(piece in out, "the trace has " + json.dumps(piece), out)
    verify(regatta, "deep.c", "unreach-call", "--trace", "deep.json", "--trace-format", "json")
    told = json.loads(pathlib.Path("deep.json").read_text())
    calls = [s["depth"] for s in told["steps"] if s["kind"] == "call" and s["function"] == "f"]
    say(calls == list(range(len(calls))) and len(calls) > 30, "JSON has how deep each call is", calls)
    code, out, err = run(regatta, "certify", "deep.c", "deep.smt2", "--property", "unreach-call")
    say(code == 0, "certify runs it again", out + err)
    code, out = validate(regatta, "deep.c", pathlib.Path("deep.yml").read_text())
    say(code == 0 and out.startswith("confirmed"), "its witness is confirmed", out)


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


SAFE = HEAD + """int g = 1;
int main(void)
{
    unsigned int i = 0; int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100) return 0;
    while (i < (unsigned int)n) {
        i++;
    }
    if (i > 100) reach_error();
    return 0;
}
"""
PROOF = """- entry_type: invariant_set
  metadata: { format_version: "2.0", task: { specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )", data_model: ILP32 } }
  content:
    - invariant:
        type: loop_invariant
        location: { file_name: safe.c, line: 8, column: 5, function: main }
        value: "%s"
        format: c_expression
"""
RUN = """- entry_type: violation_sequence
  metadata: { format_version: "2.0", task: { specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )", data_model: ILP32 } }
  content:
%s    - segment:
      - waypoint: { type: target, action: follow, location: { file_name: loop.c, line: 9, column: %s } }
"""
LOOP = HEAD + """int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum = (sum + __VERIFIER_nondet_int()) & 255;
    if (sum == 6)
        reach_error();
    return 0;
}
"""


def given(value, column=44):
    return ("    - segment:\n      - waypoint: { type: function_return, action: follow, location: { file_name: loop.c, line: 7, "
            f"column: {column} }}, constraint: {{ value: \"\\\\result == {value}\", format: acsl_expression }} }}\n")


def validate(regatta, program, text, *more):
    pathlib.Path("w.yml").write_text(text)
    code, out, err = run(regatta, "validate", "-q", "--time", "60s", "--cores", "1", *more, program, "w.yml")
    return code, out + err


def check_witnesses(regatta):
    code, out, err = verify(regatta, "calls.c", "unreach-call", "--witness", "run.yml")
    text = pathlib.Path("run.yml").read_text()
    say("value: \"\\\\result == 7\"" in text and "line: 20" in text, "a violation witness is written", text)
    digest = hashlib.sha256(CALLS.encode()).hexdigest()
    say(digest in text and "data_model: ILP32" in text, "it names its program", text)
    code, out = validate(regatta, "calls.c", text)
    say(code == 0 and out.startswith("confirmed"), "it is confirmed", out)
    code, out = validate(regatta, "calls.c", text.replace("== 7", "== 8"))
    say(code == 4 and out.startswith("refuted"), "another value is refuted", out)
    pathlib.Path("safe.c").write_text(SAFE)
    code, out, err = verify(regatta, "safe.c", "unreach-call", "--witness", "proof.yml")
    text = pathlib.Path("proof.yml").read_text()
    say(code == 0 and "invariant_set" in text and digest not in text, "a correctness witness is written", out + err + text)
    code, out = validate(regatta, "safe.c", text)
    say(code == 0 and out.startswith("confirmed"), "it is confirmed", out + text)


def check_validation(regatta):
    for value, expected in (("i <= 50", 4), ("n[0] == 1", 20),
                            ("k == 1", 20)):
        code, out = validate(regatta, "safe.c", PROOF % value)
        say(code == expected, f"the invariant {value} gives {expected}", out)
    code, out = validate(regatta, "safe.c", PROOF.replace("line: 8", "line: 9") % "1")
    say(code == 20 and "w.yml:" in out, "a loop that is not there has a place in the witness", out)
    pathlib.Path("loop.c").write_text(LOOP)
    for values, expected in (((1, 2, 3), 0), ((1, 2, 4), 4), ((1, 2), 0), ((6,), 0), ((), 0)):
        code, out = validate(regatta, "loop.c", RUN % ("".join(map(given, values)), 9))
        say(code == expected, f"the inputs {values} give {expected}", out)
    code, out = validate(regatta, "loop.c", (RUN % ("", 9)).replace("line: 9", "line: 10"))
    say(code != 0, "another target is not confirmed", out)
    sum_is = "    - segment:\n      - waypoint: { type: assumption, action: follow, location: { file_name: loop.c, line: 8, column: 5 }, constraint: { value: \"sum == %d\" } }\n"
    for value, expected in ((6, 0), (7, 4)):
        code, out = validate(regatta, "loop.c", RUN % (sum_is % value, 9))
        say(code == expected, f"the assumption sum == {value} gives {expected}", out)
    for text, where, what in (("- entry_type: [", "w.yml:", "expected YAML"), ("", "w.yml:1:1", "found nothing"),
                              ("- entry_type: violation_sequence\n", "w.yml:1:3", "metadata"),
                              ((RUN % ("", 9)).replace("target", "goal"), "w.yml:5:", "expected assumption"),
                              (RUN.replace("line: 9", "line: nine") % ("", 9), "w.yml:5:", "expected a number"),
                              (PROOF.replace("loop_invariant", "lemma") % "1", "w.yml:5:", "loop_invariant or location_invariant")):
        code, out = validate(regatta, "loop.c", text)
        say(code == 2 and where in out and what in out, f"a wrong witness is told: {what}", out)


TESTS = [
    ("unreach-call", HEAD.replace("void);", "void){}", 1).replace("extern ", "", 1) + "int main(void){if(__VERIFIER_nondet_int()==7)reach_error();return 0;}"),
    ("unreach-call", "int scanf(const char *, ...); " + HEAD + 'int main(void){char b[4]="";if(scanf("%3s",b)==1&&b[0]==120&&b[1]==121&&b[2]==0)reach_error();return 0;}'),
    ("unreach-call", HEAD + 'int main(void){int n=__VERIFIER_nondet_int();__CPROVER_assume(n>6);__CPROVER_assert(n!=9,"nine");return 0;}'),
    ("unreach-call", "void klee_make_symbolic(void*,__SIZE_TYPE__,const char*);void klee_assume(__UINTPTR_TYPE__); " + HEAD +
     'int main(void){int n;klee_make_symbolic(&n,sizeof n,"n");klee_assume(n>6);if(n==9&&__VERIFIER_nondet_int()==2)reach_error();return 0;}'),
    ("unreach-call", "long time(long*);int rand(void); " + HEAD + 'int main(void){if(time(0)==17&&rand()==4)reach_error();return 0;}'),
    ("unreach-call", "int scanf(const char *, ...); " + HEAD + 'int main(void){int a=0; short b=0; if(scanf("%d%hd",&a,&b)==2&&a==70000&&b==-3)reach_error();return 0;}'),
    ("unreach-call", "char*fgets(char*,int,void*);int getchar(void);void*fopen(const char*,const char*);" + HEAD +
     'int main(void){char b[8];void*f=fopen("in","r");if(f!=0&&fgets(b,8,f)!=0&&b[0]==113&&b[2]==10&&getchar()==55)reach_error();return 0;}'),
    ("valid-memsafety", "__PTRDIFF_TYPE__ read(int,void*,__SIZE_TYPE__);__SIZE_TYPE__ fread(void*,__SIZE_TYPE__,__SIZE_TYPE__,void*);" + HEAD +
     "int main(void){char n=0,b[4];if(read(0,b,4)!=3||fread(&n,1,1,0)!=1||n<0||n>4)return 0;return b[n]=1;}"),
    ("unreach-call", "void tell(int*);" + HEAD + "int main(void){int n=__VERIFIER_nondet_int();tell(&n);if(n==5)reach_error();return 0;}"),
    ("unreach-label", HEAD + "int main(void){if(__VERIFIER_nondet_int()==7)goto ERROR;return 0;\n ERROR: return 1;}"),
    ("unreach-call", HEAD + "int main(void){int a=__VERIFIER_nondet_int(),b=__VERIFIER_nondet_int();if(a==b+3&&b==4)reach_error();return 0;}"),
    ("unreach-call", "long double __VERIFIER_nondet_longdouble(void); " + HEAD + "int main(void){if(__VERIFIER_nondet_int()==7&&__VERIFIER_nondet_longdouble()/4==2.5L+0x1p-60L)reach_error();return 0;}"),
    ("unreach-call", HEAD + "int f(int n){return n<=0?__VERIFIER_nondet_int():1+f(n-1);}int main(void){if(f(1000)==1005)reach_error();return 0;}"),
    ("no-overflow", HEAD + "int main(void){int a=__VERIFIER_nondet_int();return a+1>a;}"),
    ("valid-memsafety", HEAD + "int main(void){int a[4]={0},i=__VERIFIER_nondet_int();if(i>=0&&i<=4)return a[i];return 0;}"),
]


def check_tests(regatta):
    for prop, program in TESTS:
        pathlib.Path("t.c").write_text(program)
        code, out, err = verify(regatta, "t.c", prop + "#lp64", "--test", "test.c")
        text = pathlib.Path("test.c").read_text()
        say(code == 10 and "__VERIFIER_nondet_int(void)" in text, f"a test for {prop} is written", out + err + text)
        words = re.search(r"-g -w (.*) THIS_FILE", text).group(1).split()
        flags, path = words[:-1], words[-1]
        if path != "t.c":
            run("sh", "-c", re.search(r"^// (sed .*) && clang", text, re.M).group(1))
        compilers = [c for c in ("clang-19", "clang", "gcc") if shutil.which(c)]
        if not any(run(c, "-w", "-g", *flags, path, "test.c", "-o", "t")[0] == 0 for c in compilers):
            tap_lines.skip("a test of a violation", "no sanitizer of this compiler here")
            continue
        code, out, err = run("./t")
        say(code != 0 and ("was called" in out or "was reached" in out or "runtime error" in err or "AddressSanitizer" in err),
            f"compiled, it shows the violation of {prop}", out + err)


def check_includes(regatta):
    """What a program includes is quoted in messages and seen in traces: only what a program can be, or what lies beside it."""
    os.makedirs("peek", exist_ok=True)
    pathlib.Path("words.txt").write_text("hunter2\n")
    pathlib.Path("peek/words.h").unlink(missing_ok=True)
    os.symlink("../words.txt", "peek/words.h")
    pathlib.Path("peek/table.dat").write_text("1, 2, 3\n")
    pathlib.Path("part.h").write_text("#define PART 2\n")
    for what, text in (("include", '#include "../words.txt"\n'), ("include behind a link", '#include "words.h"\n'),
                       ("include in a message of its own", '#define F "../words.txt"\n#include F\n#include "none.h"\n'),
                       ("embed", f'char x[] = {{\n#embed "{pathlib.Path("words.txt").resolve()}"\n}};\n')):
        pathlib.Path("peek/peek.c").write_text(text + "int main(void){return 0;}\n")
        code, out, err = verify(regatta, "peek/peek.c", "unreach-call")
        say(code == 2 and "found an include of" in err and "words" in err and "hunter2" not in out + err,
            f"{what} of a file that is none of a program", out + err)
    pathlib.Path("peek/peek.c").write_text('#include <stdio.h>\n#include "../part.h"\n' + HEAD + 'int t[] = {\n#include "table.dat"\n};\n'
                                           "int main(void){if(t[1]!=PART)reach_error();return 0;}\n")
    code, out, err = verify(regatta, "peek/peek.c", "unreach-call")
    say(code == 0, "parts elsewhere, and data beside the program", out + err)


def check_inputs(regatta):
    os.makedirs("more/inc", exist_ok=True)
    pathlib.Path("more/main.c").write_text('#include "own.h"\n#include <far.h>\n' + HEAD +
                                           "int other(int);\nint main(void){if(other(__VERIFIER_nondet_int())==OWN+FAR+N)reach_error();return 0;}\n")
    pathlib.Path("more/own.h").write_text("#define OWN 1\n")
    pathlib.Path("more/inc/far.h").write_text("#define FAR 10\n")
    pathlib.Path("more/part.c").write_text("static int twice(int x){return x+x;}\nint other(int x){int y = twice(x);return x==100?121:y==6;}\n")
    words = ["-I", "more/inc", "-D", "N=110", "--with", "more/part.c", "--trace", "-"]
    code, out, err = verify(regatta, "more/main.c", "unreach-call", *words, "--certificate", "more.smt2")
    say(code == 10 and "more/part.c:2:18: int y = twice(x);" in out and "gives 100" in out, "several files, -I and -D", out + err)
    code, out, err = verify(regatta, "more/main.c", "unreach-call", "-I", "more/inc", "-D", "N=111", "--with", "more/part.c")
    say(code == 0, "another value of a macro", out + err)
    code, out, err = verify(regatta, "more/main.c", "unreach-call", "-D", "N=111", "--with", "more/part.c")
    say(code == 2 and "more/main.c:2:10: error: 'far.h' file not found" in err, "a file that is not found has its place", out + err)
    pathlib.Path("more/part.c").write_text("int other(int x){return y;}\n")
    code, out, err = verify(regatta, "more/main.c", "unreach-call", *words)
    say(code == 2 and "more/part.c:1:25: error" in err, "a fault of another file has its place", out + err)
    pathlib.Path("alone.c").write_text('#include "more/own.h"\n' + HEAD + "int main(void){if(__VERIFIER_nondet_int()==OWN)reach_error();return 0;}\n")
    digests = []
    for own in ("1", "2"):
        pathlib.Path("more/own.h").write_text(f"#define OWN {own}\n")
        verify(regatta, "alone.c", "unreach-call", "--certificate", "alone.smt2")
        digests.append(re.search(r'model-digest "(\w+)"', pathlib.Path("alone.smt2").read_text()).group(1))
    say(digests[0] != digests[1], "the digest looks at what is included", digests)
    code, out, err = verify(regatta, "alone.c", "unreach-call", "--data-model", "LP65")
    say(code == 2 and "expected ILP32 or LP64" in err, "a wrong data model is told", out + err)
    for end, flag in ((".ll", "-S"), (".bc", "-c")):
        if run("clang-19", "-O0", "-g", "-m32", "-w", "-Xclang", "-disable-llvm-passes", "-emit-llvm", flag, "alone.c", "-o", "alone" + end)[0] != 0:
            tap_lines.skip(f"a program as {end}", "no clang-19")
            continue
        code, out, err = verify(regatta, "alone" + end, "unreach-call", "--trace", "-")
        say(code == 10 and "gives 2" in out and "alone.c:4:48: reach_error();" in out, f"a program as {end}", out + err)


def check_reading(regatta):
    """clang runs once for a question, whoever works on it: this one counts."""
    real = shutil.which("clang-19")
    os.makedirs("bin", exist_ok=True)
    pathlib.Path("bin/clang-19").write_text(f"#!/bin/sh\necho run >> '{os.getcwd()}/count'\nexec {real} \"$@\"\n")
    os.chmod("bin/clang-19", 0o755)
    pathlib.Path("deep.c").write_text(HEAD + "int f(int n){return n<=0?0:1+f(n-1);}\n"
                                      "int main(void){int n=__VERIFIER_nondet_int();if(n>3&&f(n)==5)reach_error();return 0;}\n")
    before = os.environ["PATH"]
    os.environ["PATH"] = os.path.abspath("bin") + ":" + before
    code, out, err = verify(regatta, "deep.c", "unreach-call", "--isolation", "process", "--trace", "-")
    os.environ["PATH"] = before
    count = pathlib.Path("count").read_text().count("run")
    say(code == 10 and "gives 5" in out and count == 1, "clang runs once for all processes", f"{count}\n" + out + err)


def main():
    regatta = os.path.abspath(sys.argv[1])
    if len(sys.argv) < 3 or not os.path.exists(sys.argv[2]):
        print("1..0 # SKIP no reader of C programs in this build")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_names(regatta)
        check_traces(regatta)
        check_threads(regatta)
        check_deep(regatta)
        check_pages(regatta)
        check_witnesses(regatta)
        check_validation(regatta)
        check_tests(regatta)
        check_includes(regatta)
        check_inputs(regatta)
        check_reading(regatta)
        os.chdir("/")
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
