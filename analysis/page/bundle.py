#!/usr/bin/env python3
"""Puts the page of the report together and writes it as C.

    bundle.py FOLDER OUT.c DEPFILE

page.html is taken with every @file@ replaced by that file of FOLDER; @DATA@ is where the program puts
the data. The files go in as they are; what would end a script or comment early is refused.
"""

import pathlib
import re
import sys


def literal(name, data):
    # Numbers rather than a string literal: compilers limit the length of those.
    lines = [",".join(map(str, data[i : i + 32])) + "," for i in range(0, len(data), 32)]
    return (
        f"const char {name}[] = {{\n" + "\n".join(lines) + "\n0};\n"
        f"const size_t {name}_BYTES = sizeof {name} - 1;\n"
    )


def main():
    folder, out, depfile = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    used = [folder / "page.html"]

    def include(match):
        path = folder / match.group(1)
        text = path.read_text(encoding="utf-8").strip()
        for end in ("</script", "</style", "<!--", "-->"):
            if end in text:
                sys.exit(f"{path}: contains {end}")
        used.append(path)
        return text

    page = used[0].read_text(encoding="utf-8")
    head, tail = page.split("@DATA@")
    parts = [re.sub(r"@([\w./-]+\.(?:css|js)|d3/LICENSE)@", include, part) for part in (head, tail)]
    # Bytes above 127 do not fit a signed char: they are written as the negative numbers they are.
    data = [[b - 256 if b > 127 else b for b in part.encode()] for part in parts]
    with open(out, "w", encoding="utf-8") as file:
        file.write('#include "analysis/page_template.h"\n\n')
        file.write(literal("PAGE_HEAD", data[0]) + literal("PAGE_TAIL", data[1]))
    with open(depfile, "w", encoding="utf-8") as file:
        file.write(f"{out}: {' '.join(map(str, used))}\n")


main()
