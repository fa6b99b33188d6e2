#!/usr/bin/env python3
"""`regatta verify --witness`, replayed by circuits.py (TAP).

    witness.py REGATTA

Random circuits are made around a run of the simulator there, so that they have a bad state within a few steps; and
the circuits of the cases aiger and btor2, and where there are shared tasks a few unsafe ones. A witness without its
last frame must be refused.
"""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import circuits

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared/tasks"
ROUNDS = 8
SHARED_TASKS = 8  # each of aiger and btor2, at most
TIME = os.environ.get("REGATTA_REGRESS_TIME", "5s")


def random_aiger(rng, path):
    """Returns the number of the bad signal to look for."""
    inputs, latches, gates = rng.randint(0, 3), rng.randint(1, 5), rng.randint(4, 20)
    base = inputs + latches
    nexts = [rng.randrange(2 * (base + gates) + 2) for _ in range(latches)]
    resets = [rng.choice([0, 1, 2 * (inputs + i + 1)]) for i in range(latches)]
    ands = [sorted(rng.sample(range(2 * (base + g) + 2), 2), reverse=True) for g in range(gates)]

    def write(conjunctions, constraints):
        """The bad signals: 0, and each conjunction of literals by gates of its own."""
        top, extra, roots = 2 * (base + gates), [], ["0"]
        for literals in conjunctions:
            root = 1
            for literal in literals:
                top += 2
                extra.append(f"{top} {root} {literal}")
                root = top
            roots.append(str(root))
        lines = [f"aag {top // 2} {inputs} {latches} 0 {gates + len(extra)} {len(roots)} {len(constraints)}"]
        lines += [str(2 * (i + 1)) for i in range(inputs)]
        lines += [f"{2 * (inputs + i + 1)} {nexts[i]} {resets[i]}" for i in range(latches)]
        lines += roots + [str(c) for c in constraints]
        lines += extra + [f"{2 * (base + g + 1)} {a} {b}" for g, (a, b) in enumerate(ands)]
        path.write_text("\n".join(lines) + "\n")

    write([], [])
    circuit = circuits.Aiger(path)
    state = [reset if reset < 2 else rng.randrange(2) for reset in resets]
    held = [2 * (base + 1), 2 * (base + 2) + 1]  # literals that hold in every frame: constraints
    for _ in range(rng.randint(1, 6)):
        value = circuit.step(state, [rng.randrange(2) for _ in range(inputs)])
        held = [literal for literal in held if value(literal)]
        state = [value(n) for n in nexts]
    value = circuit.step(state, [rng.randrange(2) for _ in range(inputs)])
    held = [literal for literal in held if value(literal)]
    write([[2 * (inputs + i + 1) ^ 1 - bit for i, bit in enumerate(state)]], held)
    return 1


def random_btor2(rng, path):
    """Words of several widths, an array, states without `init`, without `next`, and with both."""
    widths = [1, rng.randint(2, 8), rng.randint(61, 70)]
    lines = [f"{i + 1} sort bitvec {w}" for i, w in enumerate(widths)] + ["4 sort array 2 3"]
    nodes = {1: [], 2: [], 3: []}
    states, number = [], 9

    def add(words, sort=None):
        nonlocal number
        number += 1
        lines.append(f"{number} {words}")
        if sort:
            nodes[sort].append(number)
        return number

    for sort in 1, 2, 3:
        add(f"constd {sort} {rng.randrange(1 << widths[sort - 1])}", sort)
        add(f"input {sort} in{sort}", sort)
    for sort in 1, 2, 2, 3:
        states.append((add(f"state {sort} s{number}", sort), sort))
    memory = add("state 4 memory")
    for state, sort in states:
        if rng.random() < 0.5:
            add(f"init {sort} {state} {nodes[sort][0]}")
    if rng.random() < 0.5:
        add(f"init 4 {memory} {nodes[3][0]}")
    for _ in range(15):
        sort = rng.choice([1, 2, 3])

        def pick(wanted):
            return rng.choice([1, -1]) * rng.choice(nodes[wanted])

        operand = rng.choice([1, 2, 3])
        kind = rng.choice(["binary", "relation", "ite", "read", "slice", "uext", "sext", "unary", "red"])
        if kind == "binary":
            name = rng.choice(sorted(circuits.BINARY.keys() - {"implies"}))
            add(f"{name} {sort} {pick(sort)} {pick(sort)}", sort)
        elif kind == "relation":
            name = rng.choice(sorted(circuits.RELATION.keys() - {"iff"}))
            add(f"{name} 1 {pick(operand)} {pick(operand)}", 1)
        elif kind == "ite":
            add(f"ite {sort} {pick(1)} {pick(sort)} {pick(sort)}", sort)
        elif kind == "read":
            add(f"read 3 {memory} {pick(2)}", 3)
        elif kind == "slice":
            low = rng.randrange(widths[2] - widths[1])
            add(f"slice 2 {pick(3)} {low + widths[1] - 1} {low}", 2)
        elif kind in ("uext", "sext"):
            add(f"{kind} 3 {pick(2)} {widths[2] - widths[1]}", 3)
        elif kind == "unary":
            add(f"{rng.choice(['not', 'neg', 'inc', 'dec'])} {sort} {pick(sort)}", sort)
        else:
            add(f"{rng.choice(['redand', 'redor', 'redxor'])} 1 {pick(operand)}", 1)
    for state, sort in states:
        if rng.random() < 0.7:
            add(f"next {sort} {state} {rng.choice(nodes[sort])}")
    cell = rng.choice(nodes[2])
    write = add(f"write 4 {memory} {cell} {rng.choice(nodes[3])}")
    if rng.random() < 0.8:
        add(f"next 4 {memory} {write}")

    circuit = circuits.Btor2("\n".join(lines))

    def anything(node):
        sort = circuit.width(node)
        if isinstance(sort, tuple):
            return circuits.Array(rng.getrandbits(sort[1]), {rng.getrandbits(sort[0]): rng.getrandbits(sort[1])})
        return rng.getrandbits(sort)

    state = circuit.start({s: anything(s) for s in circuit.states if s not in circuit.init})
    for step in range(rng.randint(1, 5) + 1):
        if step:
            state = {**{s: anything(s) for s in circuit.states}, **after}
        given, after = circuit.step(state, {i: anything(i) for i in circuit.inputs})
    read = add(f"read 3 {memory} {cell}")
    claims = [(s, sort) for s, sort in states] + [(read, 3)]
    circuit = circuits.Btor2("\n".join(lines))
    bad = None
    for node, sort in claims:
        value = circuit.value(node, given)
        constant = add(f"constd {sort} {value}")
        equal = add(f"eq 1 {node} {constant}")
        bad = equal if bad is None else add(f"and 1 {bad} {equal}")
    add(f"bad {add('zero 1')}")
    add(f"bad {bad}")
    path.write_text("\n".join(lines) + "\n")
    return 1


class Tap:
    """Lines as they come."""

    def __init__(self):
        self.count = 0
        self.failed = False

    def say(self, good, name, why=""):
        self.count += 1
        self.failed |= not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}", flush=True)
        if not good:
            print(f"# {why}")


def shortened(text, circuit):
    """Without its last frame."""
    if circuit.endswith(".btor2"):
        return text[: max(text.rindex("\n#"), 4)] + "\n.\n"
    return "\n".join(text.split("\n")[:-3] + [".", ""])


def replay(tap, regatta, circuit, number, work, must=True, config=None):
    """One circuit; not `must`: a run that does not say unsafe in time is none to look at."""
    witness = work / "witness"
    witness.unlink(missing_ok=True)
    command = [regatta, "verify", "-q", str(circuit), "--witness", str(witness), "--time", "60s" if must else TIME]
    command += ["--property", str(number)] if number is not None else []
    command += ["--config", config] if config else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    name = f"{circuit.parent.name}/{circuit.name}"
    if not must and done.returncode != 10:
        return False
    if done.returncode != 10 or not witness.exists():
        tap.say(False, name, f"{done.stdout}{done.stderr}".replace("\n", "; "))
        return True
    text = witness.read_text()
    try:
        circuits.check(str(circuit), str(witness))
        why = ""
    except circuits.Refused as refused:
        why = f"{refused}: {circuit.read_text()!r} {text!r}" if must else str(refused)
    tap.say(not why, name, why)
    # A bad state may come early by chance, but not with a shortest trace, which bounded checking finds.
    if must and not why:
        witness.write_text(shortened(text, str(circuit)))
        try:
            circuits.check(str(circuit), str(witness))
            tap.say(False, f"{name}, shortened", "it is accepted")
        except circuits.Refused:
            tap.say(True, f"{name}, shortened")
    return True


def unsafe_tasks(family):
    """Those with the smallest circuits."""
    tasks = [yml for yml in (SHARED / family).rglob("*.yml") if re.search("expected_verdict: *false", yml.read_text())]
    files = [next(f for e in (".aag", ".btor2") if (f := yml.with_suffix(e)).exists()) for yml in tasks]
    return sorted(files, key=lambda f: (f.stat().st_size, f.name))


def main(regatta):
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        replay(tap, regatta, HERE / "aiger/counter.aag", None, work, config="bmc")
        replay(tap, regatta, HERE / "btor2/count.btor2", 1, work, config="bmc")
        for seed in range(ROUNDS):
            for maker, ending in (random_aiger, "aag"), (random_btor2, "btor2"):
                rng = random.Random(seed)
                path = work / f"random{seed}.{ending}"
                number = maker(rng, path)
                replay(tap, regatta, path, number, work, config="bmc")
        for family in "aiger", "btor2":
            if not (SHARED / family).is_dir():
                print(f"# skipped: no ../shared/tasks/{family}")
                continue
            tasks = unsafe_tasks(family)
            every = max(1, len(tasks) // 2 // SHARED_TASKS)  # of the smaller half
            replayed = sum(replay(tap, regatta, t, None, work, must=False, config="bmc")
                           for t in tasks[: SHARED_TASKS * every : every])
            print(f"# {replayed} of the unsafe tasks of {family} solved in {TIME} and replayed")
    print(f"1..{tap.count}")
    return tap.failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
