#!/usr/bin/env python3
"""Side by side on the same circuits: this program and ABC's pdr (program berkeley-abc or abc).

    abc_versus_ic3.py REGATTA FILE.aag… [--seconds 10] [--cpu] [--record FILE.csv] [-- OPTION…]     options of verify; --config ic3

ABC reads only the binary form: each circuit is written so first, with its first bad signal as the one output, which
takes no part in the times. Circuits with constraints are left out, which is said. What is printed: side_by_side.py.
"""

import pathlib
import shutil
import sys
import tempfile

import side_by_side

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/regress"))
import circuits  # pylint: disable=wrong-import-position


def topological(gates):
    """Their variables, each after those it reads."""
    done, order = set(), []
    for root in gates:
        todo = [root]
        while todo:
            gate = todo[-1]
            missing = [x // 2 for x in gates[gate] if x // 2 in gates and x // 2 not in done]
            if gate in done or not missing:
                todo.pop()
                if gate not in done:
                    done.add(gate)
                    order.append(gate)
            else:
                todo += missing
    return order


def delta(number):
    """Seven bits a byte, lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def binary(circuit):
    """The circuit as a binary .aig: inputs, latches and gates numbered in this order."""
    order = topological(circuit.gates)
    old = [literal // 2 for literal in circuit.inputs] + [latch[0] // 2 for latch in circuit.latches] + order
    number = {variable: i + 1 for i, variable in enumerate(old)}
    number[0] = 0

    def new(literal):
        return 2 * number[literal // 2] + literal % 2

    head = f"aig {len(old)} {len(circuit.inputs)} {len(circuit.latches)} 1 {len(order)}\n"
    for latch, after, reset in circuit.latches:
        head += f"{new(after)} {new(reset) if reset == latch else reset}\n"
    out = bytearray(f"{head}{new(circuit.bads[0])}\n".encode())
    for gate in order:
        high, low = sorted(map(new, circuit.gates[gate]), reverse=True)
        out += delta(2 * number[gate] - high) + delta(high - low)
    return bytes(out)


def main(arguments):
    program = shutil.which("berkeley-abc") or shutil.which("abc")
    if not program:
        sys.exit("skipped: no berkeley-abc and no abc")
    with tempfile.TemporaryDirectory() as folder:

        def command(path, seconds):
            circuit = circuits.Aiger(path)
            if circuit.constraints:
                print(f"{path}: left out: it has constraints")
                return None
            target = pathlib.Path(folder) / (pathlib.Path(path).stem + ".aig")
            target.write_bytes(binary(circuit))
            # pdr wants latches that begin with 0; undc turns those that begin with anything into inputs.
            return [program, "-q", f"read_aiger {target}; logic; undc; strash; zero; pdr -T {seconds}"]

        side_by_side.compare(
            __doc__, arguments, ["--config", "ic3"], "abc", command,
            ((r"^Property proved", True), (r"was asserted in frame", False)),
        )


if __name__ == "__main__":
    main(sys.argv[1:])
