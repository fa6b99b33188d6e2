#!/usr/bin/env python3
"""The tool-info module for BenchExec, driven as BenchExec drives it, through a stand-in of the base class.

    competition.py REGATTA SOURCE_FOLDER [READER]    (TAP)

The stand-in has what the documented interface promises (BaseTool2, ToolLocator, Task, ResourceLimits, Run).
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import tap_lines  # noqa: E402
from tap_lines import say  # noqa: E402


class BaseTool2:
    def _version_from_tool(self, executable, arg="--version", line_prefix=None):
        out = subprocess.run([executable, arg], capture_output=True, text=True).stdout
        for line in out.splitlines():
            if line.startswith(line_prefix):
                return line[len(line_prefix):].strip()
        return ""


def stand_in():
    result = types.ModuleType("benchexec.result")
    for name, text in {"TRUE_PROP": "true", "FALSE_PROP": "false", "UNKNOWN": "unknown", "ERROR": "ERROR", "TIMEOUT": "TIMEOUT",
                       "FALSE_REACH": "false(unreach-call)", "FALSE_OVERFLOW": "false(no-overflow)",
                       "FALSE_DEREF": "false(valid-deref)", "FALSE_FREE": "false(valid-free)",
                       "FALSE_MEMTRACK": "false(valid-memtrack)", "FALSE_TERMINATION": "false(termination)",
                       "FALSE_MEMCLEANUP": "false(valid-memcleanup)"}.items():
        setattr(result, "RESULT_" + name, text)
    template = types.ModuleType("benchexec.tools.template")
    template.BaseTool2 = BaseTool2
    utilities = types.ModuleType("benchexec.tools.sv_benchmarks_util")
    utilities.ILP32, utilities.LP64 = "ILP32", "LP64"

    def data_model(task, parameters):
        return parameters.get((task.options or {}).get("data_model"))

    utilities.get_data_model_from_task = data_model
    package, tools = types.ModuleType("benchexec"), types.ModuleType("benchexec.tools")
    package.result, package.tools, tools.template, tools.sv_benchmarks_util = result, tools, template, utilities
    for module in (package, result, tools, template, utilities):
        sys.modules[module.__name__] = module


class Locator:
    def __init__(self, path):
        self.path = path

    def find_executable(self, name, subdir=""):
        assert (name, subdir) == ("regatta", "bin")
        return self.path


def load(source):
    spec = importlib.util.spec_from_file_location("regatta_tool", os.path.join(source, "scripts/competition/regatta.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Tool()


def execute(tool, executable, program, specification, model="ILP32", options=()):
    property_file = "property.prp"
    pathlib.Path(property_file).write_text("".join(f"CHECK( init(main()), LTL({'F' if part == 'end' else 'G'} {part}) )\n"
                                                      for part in specification))
    pathlib.Path("program.c").write_text(program)
    task = types.SimpleNamespace(property_file=property_file, single_input_file="program.c", options={"data_model": model})
    limits = types.SimpleNamespace(cputime=60, walltime=60, memory=2000000000, cpu_cores=1)
    words = tool.cmdline(executable, list(options), task, limits)
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=300)
    run = types.SimpleNamespace(exit_code=types.SimpleNamespace(value=done.returncode), output=done.stdout.splitlines(),
                                was_timeout=False, was_terminated=False)
    return tool.determine_result(run), done.stdout + done.stderr


HEAD = ("extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern void *malloc(__SIZE_TYPE__);"
        "extern void free(void *);\n")
REACH, OVERFLOW = ["! call(reach_error())"], ["! overflow"]
THREADS = ("\n#include <pthread.h>\nint g; static void *f(void *a){g++; return 0;}"
           "int main(void){pthread_t t; pthread_create(&t,0,f,0); g++; return 0;}")
MEMORY = ["valid-free", "valid-deref", "valid-memtrack"]
CASES = [
    ("true", REACH, "int main(void){int i=0;while(i<10)i++;if(i!=10)reach_error();return 0;}"),
    ("false(unreach-call)", REACH, "int main(void){if(__VERIFIER_nondet_int()==7)reach_error();return 0;}"),
    ("false(no-overflow)", OVERFLOW, "int main(void){int x=__VERIFIER_nondet_int();return x+1>x;}"),
    ("false(valid-deref)", MEMORY, "int main(void){int*p=malloc(4);free(p);return *p;}"),
    ("false(valid-free)", MEMORY, "int main(void){int*p=malloc(4);free(p);free(p);return 0;}"),
    ("false(valid-memtrack)", MEMORY, "int main(void){int*p=malloc(4);p=0;return 0;}"),
    ("false(termination)", ["end"], "int main(void){while(__VERIFIER_nondet_int());return 0;}"),
    ("false(valid-memcleanup)", ["valid-memcleanup"], "int*g;int main(void){g=malloc(4);return 0;}"),
    ("false(no-data-race)", ["! data-race"], THREADS),
    ("unknown", REACH, "int main(void){int x;__asm__(\"movl $1, %0\" : \"=r\"(x));if(x==1)reach_error();return 0;}"),
]
LONG = "int main(void){unsigned long x=4294967295u;x+=1;if(x==0)reach_error();return 0;}"


def main():
    regatta, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    stand_in()
    tool = load(source)
    say(tool.name() == "Regatta", "the tool has a name")
    executable = tool.executable(Locator(regatta))
    version = subprocess.run([regatta, "--version"], capture_output=True, text=True).stdout.split()[1]
    say(tool.version(executable) == version, "the tool has a version", tool.version(executable))
    say(xml.dom.minidom.parse(os.path.join(source, "scripts/competition/regatta.xml")).documentElement.tagName == "benchmark",
        "the benchmark definition is XML")
    if len(sys.argv) > 3 and os.path.exists(sys.argv[3]):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for expected, specification, program in CASES:
                got, out = execute(tool, executable, HEAD + program, specification)
                say(got == expected, f"a program is {expected}", f"{got}\n{out}")
            for model, expected in (("ILP32", "false(unreach-call)"), ("LP64", "true")):
                got, out = execute(tool, executable, HEAD + LONG, REACH, model)
                say(got == expected, f"the data model {model} counts", f"{got}\n{out}")
            os.chdir("/")
    return tap_lines.end()


if __name__ == "__main__":
    sys.exit(main())
