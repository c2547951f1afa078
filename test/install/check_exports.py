#!/usr/bin/env python3
"""Checks what shared libraries of whorl export: names of public headers, and private ones that are marked.

    check_exports.py SOURCE LIBRARY...

Allowed are, all in namespace whorl, with what the compiler makes for them (type_info, vtables, thunks, guards):
  - names that a header in SOURCE/include/whorl has, or in SOURCE/filter/include/whorl,
  - functions and classes that a header in SOURCE/src or SOURCE/filter/src marks with WHORL_INTERNAL (src/core/internal.hpp), and their members,
  - the entries of modules: whorl_register_*, whorl_mpi_calls, whorl_nccl_calls.
Names of the interfaces in C are allowed if a header in SOURCE/include/whorl/c has them.
"""

import pathlib
import re
import subprocess
import sys

# A mangled name of namespace whorl: the prefix of what is made for a name, then the names themselves.
MANGLED = re.compile(r"^_Z(?:T[ISVTWH]|GV|Tv\d+_n\d+_|Thn\d+_|Tc\w+?_)?Z?N[VKRO]*5whorl(.*)$")


def names_of(rest):
    """The names in front of a mangled name's arguments: 7kernels8slots_ofE... -> kernels, slots_of."""
    names = []
    while match := re.match(r"(\d+)", rest):
        length, start = int(match.group(1)), match.end()
        names.append(rest[start : start + length])
        rest = rest[start + length :]
    return names


def words_of(folder, pattern="*.hpp"):
    text = "\n".join(re.sub(r"//.*", "", path.read_text()) for path in sorted(folder.rglob(pattern)))
    return set(re.findall(r"\w+", text))


def marked_in(folder):
    text = "\n".join(path.read_text() for path in sorted(folder.rglob("*.hpp")))
    functions = re.findall(r"WHORL_INTERNAL (?!final)[^;{(]*?(\w+)\(", text)
    classes = re.findall(r"(?:class|struct) WHORL_INTERNAL (\w+)", text)
    return set(functions) | set(classes)


def main():
    source = pathlib.Path(sys.argv[1])
    houses = [source, source / "filter"]
    public = set().union(*(words_of(house / "include" / "whorl") for house in houses))
    in_c = words_of(source / "include" / "whorl" / "c", "*.h")
    marked = set().union(*(marked_in(house / "src") for house in houses))
    wrong = []
    count = 0
    internal = set()
    for library in sys.argv[2:]:
        symbols = subprocess.run(
            ["nm", "-D", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True
        ).stdout
        for line in symbols.splitlines():
            symbol = line.split("@")[0].split()[0]
            count += 1
            match = MANGLED.match(symbol)
            if not match:
                is_entry = symbol.startswith("whorl_register_") or symbol in ("whorl_mpi_calls", "whorl_nccl_calls")
                if not is_entry and symbol not in in_c:
                    wrong.append(f"{library}: {symbol}")
                continue
            names = names_of(match.group(1))
            # Folders of private code have namespaces of their own; a public one (detail) is found as a word.
            private = next((name for name in names if name in marked), None)
            if private:
                internal.add("::".join(names[: names.index(private) + 1]))
            elif not all(name in public for name in names[:2]):
                wrong.append(f"{library}: {symbol}")
    if wrong:
        for line in wrong:
            print(line)
        sys.exit(f"check_exports: {len(wrong)} of {count} symbols are in no public header and not marked")
    if count == 0:
        sys.exit("check_exports: the libraries export nothing")
    print(f"exports: {count} symbols, all public but {', '.join(sorted(internal))}")


if __name__ == "__main__":
    main()
