"""Tool-info module of Regatta for BenchExec (class BaseTool2 of benchexec.tools.template)."""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task

# Exit codes of `regatta verify`.
SAFE, UNSAFE, UNKNOWN = 0, 10, 20

# The names of the line `violated: NAME` as BenchExec calls the results.
VIOLATIONS = {
    "unreach-call": result.RESULT_FALSE_REACH,
    "no-overflow": result.RESULT_FALSE_OVERFLOW,
    "valid-deref": result.RESULT_FALSE_DEREF,
    "valid-free": result.RESULT_FALSE_FREE,
    "valid-memtrack": result.RESULT_FALSE_MEMTRACK,
    "valid-memcleanup": result.RESULT_FALSE_MEMCLEANUP,
    "termination": result.RESULT_FALSE_TERMINATION,
    "no-data-race": result.RESULT_FALSE_PROP + "(no-data-race)",
}


class Tool(benchexec.tools.template.BaseTool2):
    """Regatta races verification algorithms on the cores of a machine."""

    REQUIRED_PATHS = ["bin", "libexec", "lib", "share"]

    def name(self):
        return "Regatta"

    def executable(self, tool_locator):
        return tool_locator.find_executable("regatta", subdir="bin")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="regatta")

    def cmdline(self, executable, options, task, rlimits):
        words = [executable, "verify", "--quiet"] + list(options)
        if task.property_file:
            words += ["--property", task.property_file]
        model = get_data_model_from_task(task, {ILP32: "ILP32", LP64: "LP64"})
        if model:
            words += ["--data-model", model]
        if rlimits.cputime:
            words += ["--cpu-time", f"{rlimits.cputime}s"]
        if rlimits.walltime:
            words += ["--time", f"{rlimits.walltime}s"]
        if rlimits.memory:
            words += ["--memory", f"{rlimits.memory}B"]
        if rlimits.cpu_cores:
            words += ["--cores", str(rlimits.cpu_cores)]
        return words + [task.single_input_file]

    def determine_result(self, run):
        code = run.exit_code.value
        if code == SAFE:
            return result.RESULT_TRUE_PROP
        if code == UNSAFE:
            for line in run.output:
                if line.startswith("violated: "):
                    name = line[len("violated: "):].split()[0]
                    return VIOLATIONS.get(name, f"{result.RESULT_FALSE_PROP}({name})")
            return result.RESULT_FALSE_PROP
        if code == UNKNOWN:
            return result.RESULT_UNKNOWN
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        for line in reversed(list(output)):
            if line.startswith(identifier + ": "):
                return line[len(identifier) + 2:].strip()
        return None
