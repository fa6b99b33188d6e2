"""Reads a trace as Gamma's back-annotation does, line by line, and prints its states one a line."""
import sys

lines = open(sys.argv[1]).read().split("\n")
assert lines[-1] == "" and lines[0].startswith("(XstsStateSequence"), "begins with (XstsStateSequence"
states, kinds = [], []
for line in lines[1:-1]:
    assert line.strip(), "no line is blank"
    bare = line.strip().lstrip("(").rstrip(")")
    if line.strip().startswith("(XstsState "):
        kinds.append(tuple(bare.split()[1:]))
        states.append(None)
    elif line.strip().startswith("(ExplState"):
        assert bare == "ExplState", "nothing behind (ExplState"
        states[-1] = {}
    else:
        name, value = bare.split(" ", 1)  # a name without blanks, one blank, the value
        assert value and " " not in value and "." not in value, "short literals"
        states[-1][name] = value
assert all(states), "each state binds something"
assert kinds[0] == ("pre_init", "last_env"), "the state before init comes first"
for number, kind in enumerate(kinds[1:]):
    assert kind == ("post_init", "last_env" if number % 2 else "last_internal"), "they alternate"
for kind, state in list(zip(kinds, states))[1:]:
    print(kind[1], *(f"{n}={state[n]}" for n in sorted(state)))
