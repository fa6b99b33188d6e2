#!/usr/bin/env python3
"""Replays the witness of a circuit from the two files alone, as aigsim and btorsim do.

    circuits.py CIRCUIT WITNESS        .aag, .aig or .btor2; says "accepted", or what is wrong

Nothing of the program is used: the formats are read here once more, values are Python's integers.
"""

import sys


class Refused(Exception):
    """The witness is none, with the reason."""


def expect(condition, what):
    if not condition:
        raise Refused(what)


class Aiger:
    """A circuit of bits; step() gives the values of all literals' variables in one frame."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.at = 0
        header = self.line()
        counts = [int(word) for word in header[1:]] + [0] * 4
        _, inputs, latches, outputs, ands, bads, constraints = counts[:7]
        ascii_form = header[0] == b"aag"
        self.inputs = [int(self.line()[0]) if ascii_form else 2 * (i + 1) for i in range(inputs)]
        self.latches = []
        for i in range(latches):
            words = [int(word) for word in self.line()]
            if not ascii_form:
                words.insert(0, 2 * (inputs + i + 1))
            self.latches.append((words[0], words[1], words[2] if len(words) > 2 else 0))
        outputs, bads, self.constraints = (
            [int(self.line()[0]) for _ in range(count)] for count in (outputs, bads, constraints)
        )
        self.bads = bads or outputs
        self.gates = {}
        for i in range(ands):
            if ascii_form:
                gate, left, right = (int(word) for word in self.line())
            else:
                gate = 2 * (inputs + latches + i + 1)
                left = gate - self.delta()
                right = left - self.delta()
            self.gates[gate // 2] = (left, right)

    def line(self):
        end = self.data.find(b"\n", self.at)
        end = len(self.data) if end < 0 else end
        words = self.data[self.at : end].split()
        self.at = end + 1
        return words

    def delta(self):
        value, shift = 0, 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def step(self, state, inputs):
        """The function from literals to values in the frame."""
        values = {0: 0}
        values.update((literal // 2, bit) for literal, bit in zip(self.inputs, inputs))
        values.update((latch[0] // 2, bit) for latch, bit in zip(self.latches, state))
        for root in self.gates:
            todo = [root]
            while todo:
                gate = todo[-1]
                missing = [x // 2 for x in self.gates[gate] if x // 2 not in values]
                if missing and gate not in values:
                    todo += missing
                    continue
                if gate not in values:
                    left, right = self.gates[gate]
                    values[gate] = (values[left // 2] ^ left & 1) & (values[right // 2] ^ right & 1)
                todo.pop()
        return lambda literal: values[literal // 2] ^ literal & 1

    def check(self, text):
        lines = text.split("\n")
        expect(lines[0] == "1", "line 1 is not 1")
        expect(lines[1][:1] == "b" and lines[1][1:].isdigit(), "line 2 is not b<number>")
        bad = int(lines[1][1:])
        expect(bad < len(self.bads), "no such bad signal")
        expect("." in lines and lines[lines.index(".") + 1 :] == [""], "the end is not a line .")
        rows = lines[2 : lines.index(".")]
        for row in rows:
            expect(set(row) <= {"0", "1"}, "a line is not of 0 and 1")
        expect(len(rows) >= 2, "there is no frame")
        state = [int(bit) for bit in rows[0]]
        expect(len(state) == len(self.latches), "not a value for each latch")
        for bit, (literal, _, reset) in zip(state, self.latches):
            expect(reset in (literal, bit), f"latch {literal} begins with another value")
        reached = False
        for row in rows[1:]:
            expect(len(row) == len(self.inputs), "not a value for each input")
            value = self.step(state, [int(bit) for bit in row])
            expect(all(value(c) for c in self.constraints), "a constraint is violated")
            reached = reached or value(self.bads[bad]) == 1
            state = [value(latch[1]) for latch in self.latches]
        expect(reached, "the bad signal does not become 1")


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


def divide(a, b, width):
    """Unsigned, as SMT-LIB has it: quotient and remainder."""
    return (a // b, a % b) if b else ((1 << width) - 1, a)


def divide_signed(a, b, width):
    """Quotient and remainder towards zero."""
    a, b = signed(a, width), signed(b, width)
    quotient, remainder = divide(abs(a), abs(b), width)
    return (-quotient if (a < 0) != (b < 0) else quotient), (-remainder if a < 0 else remainder)


def modulo(a, b, width):
    """The remainder with the divisor's sign."""
    a, b = signed(a, width), signed(b, width)
    return a % b if b else a


BINARY = {
    "and": lambda a, b, w: a & b,
    "nand": lambda a, b, w: ~(a & b),
    "or": lambda a, b, w: a | b,
    "nor": lambda a, b, w: ~(a | b),
    "xor": lambda a, b, w: a ^ b,
    "xnor": lambda a, b, w: ~(a ^ b),
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "udiv": lambda a, b, w: divide(a, b, w)[0],
    "urem": lambda a, b, w: divide(a, b, w)[1],
    "sdiv": lambda a, b, w: divide_signed(a, b, w)[0],
    "srem": lambda a, b, w: divide_signed(a, b, w)[1],
    "smod": modulo,
    "sll": lambda a, b, w: a << b if b < w else 0,
    "srl": lambda a, b, w: a >> b if b < w else 0,
    "sra": lambda a, b, w: signed(a, w) >> min(b, w),
    "rol": lambda a, b, w: a << b % w | a >> (w - b % w),
    "ror": lambda a, b, w: a >> b % w | a << (w - b % w),
    "implies": lambda a, b, w: ~a | b,
}
RELATION = {
    "eq": lambda a, b, w: a == b,
    "iff": lambda a, b, w: a == b,
    "neq": lambda a, b, w: a != b,
    "ult": lambda a, b, w: a < b,
    "ulte": lambda a, b, w: a <= b,
    "ugt": lambda a, b, w: a > b,
    "ugte": lambda a, b, w: a >= b,
    "slt": lambda a, b, w: signed(a, w) < signed(b, w),
    "slte": lambda a, b, w: signed(a, w) <= signed(b, w),
    "sgt": lambda a, b, w: signed(a, w) > signed(b, w),
    "sgte": lambda a, b, w: signed(a, w) >= signed(b, w),
}
UNARY = {
    "not": lambda a, w: ~a,
    "neg": lambda a, w: -a,
    "inc": lambda a, w: a + 1,
    "dec": lambda a, w: a - 1,
    "redand": lambda a, w: a == (1 << w) - 1,
    "redor": lambda a, w: a != 0,
    "redxor": lambda a, w: bin(a).count("1") & 1,
}
CONSTANT = {
    "const": lambda words: int(words[0], 2),
    "constd": lambda words: int(words[0], 10),
    "consth": lambda words: int(words[0], 16),
    "zero": lambda words: 0,
    "one": lambda words: 1,
    "ones": lambda words: -1,
}


class Array:
    """Values by index; others are the rest."""

    def __init__(self, rest=0, cells=None):
        self.rest, self.cells = rest, dict(cells or {})

    def read(self, index):
        return self.cells.get(index, self.rest)

    def write(self, index, value):
        return Array(self.rest, {**self.cells, index: value})

    def __eq__(self, other):
        keys = self.cells.keys() | other.cells.keys()
        # Beyond the cells the rests meet; that there is such an index is true of the arrays used here.
        return self.rest == other.rest and all(self.read(k) == other.read(k) for k in keys)

    __hash__ = None


class Btor2:
    """A circuit of words."""

    def __init__(self, text):
        self.lines, self.sorts = {}, {}
        self.states, self.inputs, self.bads, self.constraints = [], [], [], []
        self.init, self.next = {}, {}
        for line in text.splitlines():
            words = line.split(";")[0].split()
            if not words:
                continue
            number, kind = int(words[0]), words[1]
            if kind == "sort":
                width = int(words[3])
                self.sorts[number] = width if words[2] == "bitvec" else (
                    self.sorts[width], self.sorts[int(words[4])])
            elif kind in ("bad", "constraint"):
                (self.bads if kind == "bad" else self.constraints).append(int(words[2]))
            elif kind in ("init", "next"):
                getattr(self, kind)[int(words[3])] = int(words[4])
            elif kind != "output":
                self.lines[number] = (kind, self.sorts[int(words[2])], words[3:])
                if kind in ("state", "input"):
                    (self.states if kind == "state" else self.inputs).append(number)

    def width(self, node):
        return self.lines[abs(node)][1]

    def value(self, node, given):
        """Of a node, negative: its complement. given: values by number, filled on the way."""
        todo = [abs(node)]
        while todo:
            number = todo[-1]
            if number not in given:
                missing = [abs(x) for x in self.arguments(number) if abs(x) not in given]
                if missing:
                    todo += missing
                    continue
                given[number] = self.apply(number, given)
            todo.pop()
        value = given[abs(node)]
        return value if node > 0 else ~value & (1 << self.width(node)) - 1

    def arguments(self, number):
        kind, _, words = self.lines[number]
        if kind in CONSTANT:
            return []
        count = {"slice": 1, "uext": 1, "sext": 1, "ite": 3, "write": 3}.get(kind, 1 if kind in UNARY else 2)
        expect(kind not in ("state", "input"), f"node {number} has no value")
        return [int(word) for word in words[:count]]

    def apply(self, number, given):
        kind, sort, words = self.lines[number]
        nodes = self.arguments(number)
        args = [self.value(node, given) for node in nodes]
        width = self.width(nodes[0]) if nodes else sort
        if kind in BINARY:
            value = BINARY[kind](*args, width)
        elif kind in RELATION:
            value = int(RELATION[kind](*args, width))
        elif kind in UNARY:
            value = int(UNARY[kind](*args, width))
        elif kind in CONSTANT:
            value = CONSTANT[kind](words)
        elif kind == "ite":
            value = args[1] if args[0] else args[2]
        elif kind == "concat":
            value = args[0] << self.width(nodes[1]) | args[1]
        elif kind == "slice":
            value = args[0] >> int(words[2])
        elif kind == "uext":
            value = args[0]
        elif kind == "sext":
            value = signed(args[0], width)
        elif kind == "read":
            value = args[0].read(args[1])
        elif kind == "write":
            value = args[0].write(args[1], args[2])
        else:
            raise ValueError(f"node {number}: {kind}")
        return value if isinstance(value, Array) else value & (1 << sort) - 1

    def start(self, open_values):
        """States in frame 0."""
        given = dict(open_values)
        for state in self.states:
            if state in self.init:
                value = self.value(self.init[state], given)
                if isinstance(self.width(state), tuple) and not isinstance(value, Array):
                    value = Array(value)
                given[state] = value
        return {state: given[state] for state in self.states if state in given}

    def step(self, state, inputs):
        """The values of nodes in the frame, and what `next` says of the following one."""
        given = {**state, **inputs}
        after = {s: self.value(n, given) for s, n in self.next.items()}
        return given, after

    def read_part(self, lines, numbers):
        """Assignments up to the next part."""
        values = {}
        while lines and lines[0][0] not in "#@.":
            words = lines.pop(0).split()
            expect(words[0].isdigit() and int(words[0]) < len(numbers), "no such state or input")
            number = numbers[int(words[0])]
            sort = self.width(number)
            index = words.pop(1)[1:-1] if words[1].startswith("[") else None
            expect((index is not None) == isinstance(sort, tuple), "an index, or none, where it is not expected")
            width = sort[1] if index else sort
            expect(len(words[1]) == width and set(words[1]) <= {"0", "1"}, "a value of another width")
            value = int(words[1], 2)
            if index is None:
                expect(number not in values, "two values for one")
                values[number] = value
            elif index == "*":
                values[number] = Array(value, values.get(number, Array()).cells)
            else:
                expect(len(index) == sort[0] and set(index) <= {"0", "1"}, "an index of another width")
                values[number] = values.get(number, Array()).write(int(index, 2), value)
        return values

    def complete(self, values, numbers):
        """Cells and arrays that are not mentioned are 0; all else must be."""
        for number in numbers:
            if isinstance(self.width(number), tuple):
                values.setdefault(number, Array())
            expect(number in values, f"node {number} has no value")
        return values

    def check(self, text):
        lines = text.split("\n")
        expect(lines[-2:] == [".", ""] and "" not in lines[:-1], "the end is not a line .")
        expect(lines.pop(0) == "sat", "line 1 is not sat")
        head = lines.pop(0)
        expect(head[:1] == "b" and head[1:].isdigit() and int(head[1:]) < len(self.bads), "no such bad line")
        after, k, reached = {}, 0, False
        while lines[0] != ".":
            if lines[0] == f"#{k}":
                lines.pop(0)
                open_values = self.read_part(lines, self.states)
            else:
                open_values = {}
            expect(lines and lines.pop(0) == f"@{k}", f"@{k} is missing")
            inputs = self.complete(self.read_part(lines, self.inputs), self.inputs)
            settled = self.init if k == 0 else after
            expect(not any(s in settled for s in open_values), "a state that the circuit settles has a value")
            state = self.start(open_values) if k == 0 else {**open_values, **after}
            given, after = self.step(self.complete(state, self.states), inputs)
            expect(all(self.value(c, given) for c in self.constraints), "a constraint is violated")
            reached = reached or self.value(self.bads[int(head[1:])], given) == 1
            k += 1
        expect(reached, "the bad signal does not become 1")


def check(circuit, witness):
    """Raises Refused."""
    if circuit.endswith(".btor2"):
        with open(circuit, encoding="utf-8") as file:
            model = Btor2(file.read())
    else:
        model = Aiger(circuit)
    with open(witness, encoding="utf-8") as file:
        model.check(file.read())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        check(sys.argv[1], sys.argv[2])
    except Refused as refused:
        sys.exit(f"refused: {refused}")
    print("accepted")
