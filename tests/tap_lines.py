"""What a test program in Python found, as TAP: a line for each check, the plan at the end. What failed is on standard error,
too: that is all of a failed test that Meson shows."""

import sys

count = failed = 0


def say(good, name, detail=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good:
        for line in str(detail).splitlines():
            print(f"# {line}")
        print(f"not ok - {name}\n{detail}", file=sys.stderr, flush=True)


def skip(name, why):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {why}", flush=True)


def end():
    """Prints the plan; the exit code."""
    print(f"1..{count}", flush=True)
    return 1 if failed else 0
