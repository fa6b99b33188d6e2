#!/usr/bin/env python3
"""embed.py CLANG OUTPUT.c LIBRARY.c…: the library, these texts as one, as bitcode for both data models, and the names that programs may call."""

import re
import subprocess
import sys

FLAGS = ["-x", "c", "-std=gnu17", "-O0", "-w", "-fno-builtin", "-fwrapv", "-ffp-contract=off", "-fno-ident",
         "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o", "-"]


def main():
    clang, output, *sources = sys.argv[1:]
    text = "".join(open(source, encoding="utf-8").read() for source in sources)
    names = re.findall(r"^LIB\b[^(;]*?\b(\w+)\(", text, re.MULTILINE)
    per_width = re.findall(r"^    LIB\b[^(;]*?\b(\w+)##bits\(", text, re.MULTILINE)
    names += [name + bits for name in per_width for bits in re.findall(r"^INTRINSICS\((\d+)", text, re.MULTILINE)]
    lines = ["#include <stddef.h>", '#include "languages/c/reader/library.h"', ""]
    for model in ("32", "64"):
        code = subprocess.run([clang, "-m" + model, *FLAGS, "-"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
        lines.append("static const unsigned char code_%s[] = {" % model)
        for at in range(0, len(code), 24):
            lines.append("    " + ",".join(str(b) for b in code[at:at + 24]) + ",")
        lines += ["};", ""]
    lines.append("const struct library library = {{{code_32, sizeof code_32}, {code_64, sizeof code_64}},")
    lines.append("    (const char *const[]){%s, NULL}};" % ", ".join('"%s"' % name for name in names))
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
