#!/usr/bin/env python3
"""Compiles a file of traps and checks that each is an error whose message names the reason.

    check_traps.py FILE COMPILER FLAGS...

A line of the file that ends in "// error: PATTERN" must be refused, with the regular expression PATTERN in the
diagnostic or in its notes. No other line may be refused.
"""

import pathlib
import re
import subprocess
import sys

MARK = re.compile(r"// error: (.+)$")
ERROR = re.compile(r"^(\S+?):(\d+):\d+: (?:fatal )?error: ")
PLACE = re.compile(r"(\S+?):(\d+):(?:\d+:)?")
CONTEXT = re.compile(r"required from|In instantiation|In file included|^\s+from |required by|In substitution|recursively")


def diagnostics(output, name):
    """(line of the file, text) of each error; the line is None where the file is not mentioned."""
    lines = output.splitlines()
    starts = [i for i, line in enumerate(lines) if ERROR.match(line)]
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        before = start
        while before > 0 and CONTEXT.search(lines[before - 1]):
            before -= 1
        text = "\n".join(lines[before:end])
        found = ERROR.match(lines[start])
        if pathlib.Path(found[1]).name == name:
            yield int(found[2]), text
            continue
        # An error in a header: gcc says before it what asked for that, clang says it behind.
        places = [m for line in lines[before:end] if re.search("required from|requested here", line)
                  for m in PLACE.findall(line)]
        asked = [int(number) for file, number in places if pathlib.Path(file).name == name]
        yield (asked[0] if asked else None), text


def main():
    path = pathlib.Path(sys.argv[1])
    expected = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark = MARK.search(line)
        if mark:
            expected[number] = mark[1].strip()
    if not expected:
        sys.exit(f"{path}: no line with '// error: PATTERN'")
    flags = ["-fsyntax-only", "-fno-diagnostics-color"]
    if "clang" in pathlib.Path(sys.argv[2]).name:
        flags.append("-ferror-limit=0")
    done = subprocess.run(sys.argv[2:] + flags + [str(path)], capture_output=True, text=True)
    failures = []
    seen = {}
    for number, text in diagnostics(done.stderr, path.name):
        seen.setdefault(number, []).append(text)
        if number not in expected:
            failures.append(f"line {number} is refused, and should not be:\n{text}")
    for number, pattern in expected.items():
        texts = seen.get(number, [])
        if not texts:
            failures.append(f"line {number} compiles, and should not")
        elif not any(re.search(pattern, text) for text in texts):
            failures.append(f"line {number}: the message does not say '{pattern}':\n" + "\n".join(texts))
    if failures:
        sys.exit("\n\n".join(failures) + f"\n\n{path}: {len(failures)} failures")
    print(f"{path.name}: {len(expected)} traps are refused")


main()
