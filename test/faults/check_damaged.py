#!/usr/bin/env python3
"""Damages files that HDF5 and matio parse, and checks that each run of the program on one ends well.

    check_damaged.py PROGRAM [--runs N | --seconds S] [--seed S] [--keep FOLDER]

libFuzzer has no targets for these formats, because a fault of such a library would end it. Here each file is read by a process of
its own with a limit of time and of memory. Kinds of files: ISMRMRD, arrays in HDF5, the same behind the head of MATLAB 7.3, MATLAB 5.
What is damaged: mostly the places beside the signatures of HDF5's structures: their addresses become those of others, their
sizes very large, blocks are copied over others, the end is cut off. A run ends well if

  - it ends within 10 s of a processor, 60 s in all, with 1 GiB of memory,
  - its status is 0 or 1; with 1 it says why in one line without control characters but tabs,
  - no output has its final name with status 1, and nothing temporary stays behind.

A crash inside HDF5 or matio, as valgrind shows it, is counted and is no finding, where the program says in one line that it crashed and
leaves nothing. Without valgrind each crash is a finding. --keep
FOLDER keeps the files of findings and crashes, with what was wrong beside them. The last line counts.
"""

import argparse
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SIGNATURES = re.compile(rb"\x89HDF\r\n|TREE|SNOD|HEAP|GCOL|OHDR|OCHK|FRHP|FHDB|FHIB|BTHD|BTIN|BTLF|MATLAB")
SECONDS = 10
MEMORY = 1 << 30
VALGRIND_MEMORY = 8 << 30  # it maps several times what the program does
CRASHED = "ended by signal"


def matlab5():
    """A complex 3 x 5 matrix of doubles."""
    def element(kind, body):
        return struct.pack("<II", kind, len(body)) + body + bytes(-len(body) % 8)

    numbers = struct.pack("<15d", *range(15))
    matrix = (element(6, struct.pack("<II", 6 | 0x800, 0)) + element(5, struct.pack("<ii", 3, 5)) + element(1, b"image")
              + element(9, numbers) + element(9, numbers))
    return b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + struct.pack("<H", 0x0100) + b"IM" + element(14, matrix)


def make_files(program, folder):
    """Names and bytes of good files."""
    for command in (["traj", "radial", "--matrix", "16", "--spokes", "6", "-o", "spokes.npz"],
                    ["phantom", "shepp-logan", "-t", "spokes.npz", "--coils", "2", "-o", "scan.h5"],
                    ["recon", "scan.h5", "-o", "image.h5", "--method", "gridding"]):
        subprocess.run([program, *command, "-q"], cwd=folder, check=True)
    scan, image = ((folder / name).read_bytes() for name in ("scan.h5", "image.h5"))
    head = b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + struct.pack("<H", 0x0200) + b"IM"
    return {"scan.h5": scan, "image.h5": image, "image73.mat": head.ljust(512, b"\0") + image, "image5.mat": matlab5()}


def damaged(data, draw):
    bytes_ = bytearray(data)
    places = [match.start() for match in SIGNATURES.finditer(data)] or [0]

    def place():
        if draw.random() < 0.2:
            return draw.randrange(len(data))
        return min(len(data) - 1, draw.choice(places) + draw.randrange(0, 200 if draw.random() < 0.8 else 24))

    for _ in range(draw.choice([1, 1, 1, 2, 3, 8])):
        at = min(place(), len(bytes_) - 1)
        kind = draw.randrange(6)
        if kind == 0:
            bytes_[at] ^= 1 << draw.randrange(8)
        elif kind == 1:  # an address or a size
            at -= at % 8
            value = draw.choice([draw.choice(places), at, 0, 1, len(data), len(data) - 8, 2**63, 2**64 - 1, 2**32, draw.randrange(1 << 20)])
            bytes_[at : at + 8] = struct.pack("<Q", value)
        elif kind == 2:
            size = draw.choice([1, 2, 4])
            bytes_[at : at + size] = draw.choice([b"\0", b"\xff", b"\x7f", b"\x01"]) * size
        elif kind == 3:
            source, count = place(), draw.choice([8, 16, 64, 256])
            part = data[source : source + count]
            bytes_[at : at + len(part)] = part
        elif kind == 4:
            bytes_[at : at + draw.choice([1, 8, 32])] = draw.randbytes(draw.choice([1, 8, 32]))
        elif draw.random() < 0.3:
            del bytes_[max(at, 1) :]
        else:
            bytes_[at] = draw.randrange(256)
    return bytes(bytes_)


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def what_is_wrong(program, arguments, folder):
    """Nothing, or one line."""
    before = {path.name for path in folder.iterdir()}
    try:
        done = subprocess.run([program, *arguments, "-q"] if arguments[0] != "info" else [program, *arguments], cwd=folder,
                              capture_output=True, text=True, errors="replace", timeout=6 * SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return "did not end within a minute"
    new = {path.name for path in folder.iterdir()} - before
    for name in new:
        (folder / name).unlink()
    crashed = done.returncode < 0
    if not crashed and done.returncode not in (0, 1):
        return f"status {done.returncode}: {done.stderr[-300:]!r}"
    if any(name.startswith(".") or "tmp" in name for name in new):
        return f"left {sorted(new)} behind"
    if done.returncode != 0:
        text = done.stderr.removesuffix("\n").replace("\t", " ")
        if not text or not text.isprintable():
            return f"no line of text: {text[-300:]!r}"
        if new:
            return f"status {done.returncode} with {sorted(new)}"
    return f"{CRASHED} {-done.returncode}: {done.stderr[-300:]!r}" if crashed else None


def crashed_within(program, arguments, folder):
    """The library that first uses memory that is not its own on that file; None: whorl, or not known."""
    before = set(folder.iterdir())
    try:
        done = subprocess.run(["valgrind", "--num-callers=4", program, *arguments], cwd=folder, capture_output=True, text=True,
                              errors="replace", timeout=300,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (VALGRIND_MEMORY, VALGRIND_MEMORY)))
    except subprocess.TimeoutExpired:
        return None
    finally:
        for path in set(folder.iterdir()) - before:
            path.unlink()
    first = done.stderr.partition("Invalid ")[2].partition("Address")[0]
    places = [pathlib.Path(place).name for place in re.findall(r"\(in (.*)\)", first)]
    found = [name for name in places if not name.startswith(("libc.", "vgpreload"))]
    return next((name for name in ("hdf5", "matio") if found and found[0].startswith(f"lib{name}")), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, help="in the place of a number of runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    program = options.program.resolve()
    draw = random.Random(options.seed)
    end = None if options.seconds is None else time.monotonic() + options.seconds
    runs = findings = crashes = 0
    has_valgrind = shutil.which("valgrind") is not None
    if not has_valgrind:
        print("damaged files: no valgrind: a crash within HDF5 or matio counts as wrong (apt-get install valgrind)", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = make_files(program, folder)
        for path in folder.iterdir():
            path.unlink()
        for title, data in files.items():
            (folder / title).write_bytes(data)
            if wrong := what_is_wrong(program, ["info", title], folder):
                sys.exit(f"damaged: the good file {title}: {wrong}")
        while runs < options.runs if end is None else time.monotonic() < end:
            title = draw.choice([*files, "scan.h5"])
            (folder / title).write_bytes(damaged(files[title], draw))
            arguments = draw.choice([["info", title], ["convert", title, "-o", "out.npz"]])
            wrong = what_is_wrong(program, arguments, folder)
            runs += 1
            if wrong is None:
                continue
            library = crashed_within(program, arguments, folder) if has_valgrind and wrong.startswith(CRASHED) else None
            crashes += library is not None
            findings += library is None
            kind = "FAILED" if library is None else f"crash within {library}"
            print(f"{kind}: run {runs} of seed {options.seed}: {' '.join(arguments)}: {wrong}", flush=True)
            if options.keep is not None:
                options.keep.mkdir(parents=True, exist_ok=True)
                kept = options.keep / f"{options.seed}-{runs}-{title}"
                kept.write_bytes((folder / title).read_bytes())
                kept.with_name(kept.name + ".txt").write_text(f"{' '.join(arguments)}\n{wrong}\n")
    print(f"damaged files: {runs} runs, {crashes} crashes within HDF5 or matio, {findings} wrong")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
