#!/usr/bin/env python3
"""Random automata with floats, against arithmetic with fractions (TAP).

    float_automata.py REGATTA [COUNT [SEED]]

Each automaton computes some thirty values of several formats in a row, one operation each, and has an edge to its error
location for each value that is not the one computed here: it is safe. With one of the values changed it is unsafe. Half of
them do not assign the first values but assume them of arbitrary ones, so that solvers see the operations.
"""

import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap_lines as tap

TIME = os.environ.get("REGATTA_REGRESS_TIME", "60s")
MODES = ["RNE", "RNA", "RTP", "RTN", "RTZ"]
FORMATS = [(2, 3), (3, 3), (3, 5), (4, 4), (5, 11), (8, 24)]
NAN, INFINITY = "nan", "infinity"


class Float:
    """A number: sign, and a magnitude that is a fraction, INFINITY or NAN."""

    def __init__(self, form, negative, magnitude):
        self.form, self.negative, self.magnitude = form, negative, magnitude

    def number(self):
        return -self.magnitude if self.negative else self.magnitude

    def is_nan(self):
        return self.magnitude == NAN

    def is_infinite(self):
        return self.magnitude == INFINITY

    def literal(self):
        exponent, significand = self.form
        fraction_bits = significand - 1
        if self.is_infinite() or self.is_nan():
            field, fraction = 2**exponent - 1, int(self.is_nan())
        else:
            bias = 2 ** (exponent - 1) - 1
            unit = 1 - bias - fraction_bits
            field, units = 0, self.magnitude / Fraction(2) ** unit
            if units >= 2**fraction_bits:
                field = 1
                while units >= 2 ** (fraction_bits + 1):
                    units, field = units / 2, field + 1
                units -= 2**fraction_bits
            assert units.denominator == 1
            fraction = int(units)
        sign = "-" if self.negative else ""
        return f"{sign}{exponent}'b{field:0{exponent}b}.{fraction_bits}'d{fraction}"


def nearest_integer(x, mode):
    """x is not negative here; directions are those of the magnitude."""
    low, rest = math.floor(x), x - math.floor(x)
    if mode == "UP":
        return low + (rest > 0)
    if mode == "DOWN":
        return low
    if rest == Fraction(1, 2):
        return low + 1 if mode == "RNA" else low + low % 2
    return low + (rest > Fraction(1, 2))


def direction(mode, negative):
    return {"RTP": "DOWN" if negative else "UP", "RTN": "UP" if negative else "DOWN", "RTZ": "DOWN"}.get(mode, mode)


def rounded(form, mode, negative, magnitude):
    """The float of a fraction that is not 0."""
    exponent, significand = form
    bias = 2 ** (exponent - 1) - 1
    unit = Fraction(2) ** (1 - bias - (significand - 1))
    while magnitude / unit >= 2**significand:
        unit *= 2
    toward = direction(mode, negative)
    found = nearest_integer(magnitude / unit, toward) * unit
    largest = (2 - Fraction(1, 2 ** (significand - 1))) * Fraction(2) ** bias
    if found > largest:
        return Float(form, negative, largest if toward == "DOWN" else INFINITY)
    return Float(form, negative, found)


def nan(form):
    return Float(form, False, NAN)


def add(mode, a, b):
    if a.is_nan() or b.is_nan() or (a.is_infinite() and b.is_infinite() and a.negative != b.negative):
        return nan(a.form)
    if a.is_infinite() or b.is_infinite():
        return Float(a.form, a.negative if a.is_infinite() else b.negative, INFINITY)
    total = a.number() + b.number()
    if total == 0:
        negative = a.negative if a.negative == b.negative else mode == "RTN"
        return Float(a.form, negative, Fraction(0))
    return rounded(a.form, mode, total < 0, abs(total))


def negate(a):
    return Float(a.form, not a.negative, a.magnitude)


def multiply(mode, a, b):
    negative = a.negative != b.negative
    none = 0 in (a.magnitude, b.magnitude)
    endless = a.is_infinite() or b.is_infinite()
    if a.is_nan() or b.is_nan() or (none and endless):
        return nan(a.form)
    if none or endless:
        return Float(a.form, negative, INFINITY if endless else Fraction(0))
    return rounded(a.form, mode, negative, a.magnitude * b.magnitude)


def divide(mode, a, b):
    negative = a.negative != b.negative
    if a.is_nan() or b.is_nan() or (a.is_infinite() and b.is_infinite()) or a.magnitude == b.magnitude == 0:
        return nan(a.form)
    if a.is_infinite() or b.magnitude == 0:
        return Float(a.form, negative, INFINITY)
    if b.is_infinite() or a.magnitude == 0:
        return Float(a.form, negative, Fraction(0))
    return rounded(a.form, mode, negative, a.magnitude / b.magnitude)


def remainder(_, a, b):
    if a.is_nan() or b.is_nan() or a.is_infinite() or b.magnitude == 0:
        return nan(a.form)
    if b.is_infinite() or a.magnitude == 0:
        return a
    rest = a.number() - b.number() * round(a.number() / b.number())  # of two as near the even one
    return Float(a.form, a.negative if rest == 0 else rest < 0, abs(rest))


def root(mode, a):
    if a.is_nan() or (a.negative and a.magnitude != 0):
        return nan(a.form)
    if a.is_infinite() or a.magnitude == 0:
        return a
    scale = 200
    scaled = a.magnitude * 4**scale
    below = math.isqrt(math.floor(scaled))
    exact = Fraction(below) if below * below == scaled else Fraction(2 * below + 1, 2)
    return rounded(a.form, mode, False, exact / 2**scale)


def integral(mode, a):
    if a.is_nan() or a.is_infinite() or a.magnitude == 0:
        return a
    whole = nearest_integer(a.magnitude, direction(mode, a.negative))
    return rounded(a.form, "RNE", a.negative, Fraction(whole)) if whole else Float(a.form, a.negative, Fraction(0))


def convert(form, mode, a):
    if a.is_nan() or a.is_infinite() or a.magnitude == 0:
        return Float(form, a.negative, a.magnitude)
    return rounded(form, mode, a.negative, a.magnitude)


def from_bits(form, mode, width, signed, bits):
    number = bits - 2**width if signed and bits >> (width - 1) else bits
    return rounded(form, mode, number < 0, Fraction(abs(number))) if number else Float(form, False, Fraction(0))


def to_bits(mode, width, signed, a):
    """What does not fit is all ones."""
    if not a.is_nan() and not a.is_infinite():
        whole = nearest_integer(a.magnitude, direction(mode, a.negative))
        whole = -whole if a.negative else whole
        low, high = (-(2 ** (width - 1)), 2 ** (width - 1)) if signed else (0, 2**width)
        if low <= whole < high:
            return whole % 2**width
    return 2**width - 1


def relation(a, op, b):
    if a.is_nan() or b.is_nan():
        return op == "/="

    def key(x):
        return x.number() if not x.is_infinite() else Fraction(-(10**99) if x.negative else 10**99)

    x, y = key(a), key(b)
    return {"=": x == y, "/=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]


def extreme(name, a, b):
    if b.is_nan() or (not a.is_nan() and relation(a, ">" if name == "fpmax" else "<", b)):
        return a
    return b


def some_float(rng, form):
    exponent, significand = form
    kind = rng.randrange(10)
    if kind == 0:
        return rng.choice([nan(form), Float(form, True, INFINITY), Float(form, False, INFINITY),
                           Float(form, True, Fraction(0)), Float(form, False, Fraction(0))])
    bias = 2 ** (exponent - 1) - 1
    low = 1 - bias - significand
    power = rng.randint(low, bias) if kind < 4 else rng.randint(max(low, -4), min(bias, 4))
    return rounded(form, "RTZ", rng.random() < 0.5, rng.randint(1, 2**significand - 1) * Fraction(2) ** (power - significand + 1))


class Automaton:
    def __init__(self, rng):
        self.rng, self.variables, self.edges, self.checks = rng, [], [], []
        self.values = []  # (name, Float)

    def declare(self, kind):
        name = f"v{len(self.variables)}"
        self.variables.append(f"    var {name} : {kind}")
        return name

    def begin(self, symbolic):
        for form in FORMATS:
            for _ in range(2):
                value = some_float(self.rng, form)
                name = self.declare(f"fp[{form[0]},{form[1]}]")
                if symbolic and form[0] < 5:
                    self.edges.append(f"havoc {name} assume {self.matches(name, value)}")
                else:
                    self.edges.append(f"{name} := {value.literal()}")
                self.values.append((name, value))

    def matches(self, name, value):
        """Tells zeros apart, too: by their quotient."""
        if value.is_nan():
            return f"fpisnan {name}"
        if value.magnitude == 0:
            one = Float(value.form, False, Fraction(1)).literal()
            return f"({name} = {value.literal()} and {one} / {name} {'<' if value.negative else '>'} {value.literal()})"
        return f"{name} = {value.literal()}"

    def step(self):
        rng = self.rng
        name, a = rng.choice(self.values)
        same = [v for v in self.values if v[1].form == a.form]
        other, b = rng.choice(same)
        mode = rng.choice(MODES)
        written = "" if mode == "RNE" and rng.random() < 0.5 else f"[{mode}]"
        kind = rng.randrange(12)
        if kind < 5:
            op, meant = rng.choice([("fpadd", add), ("fpsub", lambda m, x, y: add(m, x, negate(y))), ("fpmul", multiply),
                                    ("fpdiv", divide)])
            text, value = f"{name} {op}{written} {other}", meant(mode, a, b)
            if mode == "RNE" and rng.random() < 0.5:
                text = f"{name} {dict(fpadd='+', fpsub='-', fpmul='*', fpdiv='/')[op]} {other}"
        elif kind == 5:
            op = rng.choice(["fpmin", "fpmax"])
            text, value = f"{name} {op} {other}", extreme(op, a, b)
            if a.magnitude == b.magnitude == 0:
                return  # which of the zeros
        elif kind == 6:
            if a.form[0] > 4:
                return
            text, value = f"{name} fprem {other}", remainder(mode, a, b)
        elif kind == 7:
            op, meant = rng.choice([("fpsqrt", root), ("fproundtoint", integral)])
            text, value = f"{op}{written} {name}", meant(mode, a)
        elif kind == 8:
            form = rng.choice(FORMATS)
            between = rng.choice(",:")
            text, value = f"fptofp[{form[0]}{between}{form[1]}]{written} {name}", convert(form, mode, a)
        elif kind == 9:
            width, signed = rng.randint(1, 9), rng.random() < 0.5
            bits = rng.randrange(2**width)
            s = "s" if signed else "u"
            text = f"fpfrombv[{a.form[0]},{a.form[1]}][{s}]{written} {width}'d{bits}"
            value = from_bits(a.form, mode, width, signed, bits)
        elif kind == 10:
            width, signed = rng.randint(1, 9), rng.random() < 0.5
            bits = to_bits(mode, width, signed, a)
            self.edges.append(f"assume true")
            self.check(f"(fptobv[{width}'{'s' if signed else 'u'}]{written} {name}) = {width}'d{bits}")
            return
        else:
            op = rng.choice(["=", "/=", "<", "<=", ">", ">="])
            holds = relation(a, op, b)
            self.edges.append("assume true")
            self.check(f"{name} {op} {other}" if holds else f"not ({name} {op} {other})")
            return
        target = self.declare(f"fp[{value.form[0]},{value.form[1]}]")
        self.edges.append(f"{target} := {text}")
        self.check(self.matches(target, value))
        self.values.append((target, value))

    def check(self, condition):
        self.checks.append((len(self.edges), condition))

    def text(self, wrong=None):
        lines = ["main process p {"] + self.variables + ["    error loc E"]
        lines += [f"    {'init ' if i == 0 else ''}loc L{i}" for i in range(len(self.edges) + 1)]
        for i, edge in enumerate(self.edges):
            lines.append(f"    L{i} -> L{i + 1} {{ {edge} }}")
        for i, (place, condition) in enumerate(self.checks):
            lines.append(f"    L{place} -> E {{ assume {condition if i == wrong else f'not ({condition})'} }}")
        return "\n".join(lines + ["}", ""])


def verdict(regatta, path):
    done = subprocess.run([regatta, "verify", "-q", "--time", TIME, path], capture_output=True, text=True)
    found = re.match(r"\w+", done.stdout.strip().split("\n")[-1])
    return found.group(0) if found else done.stderr


def main():
    regatta = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            rng = random.Random(seed + i)
            automaton = Automaton(rng)
            automaton.begin(symbolic=i % 2 == 1)
            while len(automaton.checks) < 30:
                automaton.step()
            for wrong, expected in ((None, "safe"), (rng.randrange(30), "unsafe")):
                path = pathlib.Path(folder) / f"{seed + i}.cfa"
                path.write_text(automaton.text(wrong))
                found = verdict(regatta, path)
                tap.say(found == expected, f"seed {seed + i}, {expected}", f"{found}\n{path.read_text()}")
    return tap.end()


sys.exit(main())
