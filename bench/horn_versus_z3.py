#!/usr/bin/env python3
"""Side by side on the same Horn clauses: this program and the program z3 (its Spacer).

    horn_versus_z3.py REGATTA FILE.smt2… [--seconds 10] [--cpu] [--record FILE.csv] [-- OPTION…]    options of verify; --config horn-plain

What is printed: side_by_side.py.
"""

import shutil
import sys

import side_by_side


def main(arguments):
    if not shutil.which("z3"):
        sys.exit("skipped: no z3")
    side_by_side.compare(
        __doc__, arguments, ["--config", "horn-plain"], "z3",
        lambda path, seconds: ["z3", f"-T:{seconds}", path],
        ((r"^sat\b", True), (r"^unsat\b", False)),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
