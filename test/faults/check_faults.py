#!/usr/bin/env python3
"""Makes calls fail one after the other, and checks that each run of the program ends well.

    check_faults.py LIBRARY PROGRAM [--points N] [--seed S] [--kind KIND]... [--command NAME]...

LIBRARY is libfailing_calls.so (failing_calls.cpp). Each command runs once to count its calls of each kind, and then once for
each number of a call; with --points for N of them, drawn at random. A run ends well if

  - it ends by itself within a minute, with status 0 or 1 and no signal,
  - with status 1 it says why in one line on standard error,
  - with status 0 its outputs have the bytes that they have without a failure; a scan, which says when it was made, those of its copy
    as .npz, and a record is whole JSON,
  - with status 1 no output has its final name, unless it is complete, and
  - no temporary file stays behind.

A run that is killed at a call has to meet the fourth condition alone. Where the folder of the outputs vanishes at a call, its temporary
files are with it.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

KINDS = ["memory", "exhausted", "write", "short", "interrupt", "kill", "vanish"]

COMMANDS = {
    "recon": ["recon", "scan.h5", "-o", "out/image.nii.gz", "--png", "out/image.png", "--iterations", "3"],
    "gridding": ["recon", "scan.h5", "-o", "out/image.npy", "--method", "gridding", "--combine", "matched", "--save-maps", "out/maps.npy"],
    "filter": ["filter", "picture.png", "out/blurred.png", "gaussian"],
    "convert": ["convert", "scan.h5", "-o", "out/copy.npz"],
    "density": ["density", "scan.h5", "-o", "out/weights.npz"],
    "phantom": ["phantom", "shepp-logan", "-t", "spokes.npz", "--coils", "2", "-o", "out/made.h5"],
}


def run(program, arguments, folder, fault, library, count=None):
    environment = dict(os.environ, LD_PRELOAD=str(library), WHORL_FAIL=fault, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    if count is not None:
        environment["WHORL_FAIL_COUNT"] = str(count)
    return subprocess.run([program, *arguments, "-q"], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=60, errors="replace")


def content(program, path):
    """What is the same in each good run; None: the file is broken."""
    if path.suffix == ".json":
        try:
            return json.loads(path.read_text()) and "a record"
        except ValueError:
            return None
    if path.suffix != ".h5":
        return path.read_bytes()
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name) / "copy.npz"
        done = subprocess.run([program, "convert", path, "-o", copy, "-q"], capture_output=True, timeout=60)
        return copy.read_bytes() if done.returncode == 0 else None


def what_is_wrong(program, done, kind, folder, inputs, expected):
    """Nothing, or one line."""
    place = folder / ("gone" if (folder / "gone").exists() else "out")
    names = {path.name for path in place.iterdir()}
    broken = [name for name in expected if name in names and content(program, place / name) != expected[name]]
    if kind == "kill" and done.returncode == -9:
        return f"killed with a part of {broken}" if broken else None
    leftover = [name for name in names if name.startswith(".") or "tmp" in name] if place.name == "out" else []
    leftover += {path.name for path in folder.iterdir()} - {*inputs, place.name}
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}: {done.stderr[-300:]!r}"
    if done.returncode not in (0, 1):
        return f"status {done.returncode}: {done.stderr[-300:]!r}"
    if leftover:
        return f"left {leftover} behind"
    if broken:
        return f"status {done.returncode} with other bytes in {broken}"
    if done.returncode == 0:
        missing = set(expected) - names
        return f"status 0 without {sorted(missing)}" if missing else None
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return f"{len(lines)} lines on standard error: {done.stderr[-300:]!r}" if len(lines) != 1 else None


def new_folder(folder, inputs):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(inputs, folder)
    (folder / "out").mkdir()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("program", type=lambda name: str(pathlib.Path(name).resolve()))
    parser.add_argument("--points", type=int, help="calls of each command and kind, at random (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--command", action="append", choices=list(COMMANDS))
    options = parser.parse_args()
    library = options.library.resolve()
    draw = random.Random(options.seed)
    runs = failures = 0
    with tempfile.TemporaryDirectory() as name:
        inputs = pathlib.Path(name) / "inputs"
        inputs.mkdir()
        for command in (["traj", "radial", "--matrix", "24", "--spokes", "20", "-o", "spokes.npz"],
                        ["phantom", "shepp-logan", "-t", "spokes.npz", "--coils", "3", "--noise", "0.02", "-o", "scan.h5"],
                        ["recon", "scan.h5", "-o", "image.npy", "--png", "picture.png", "--method", "gridding"]):
            subprocess.run([options.program, *command, "-q"], cwd=inputs, check=True)
        for extra in ("image.npy", "image.npy.json", "picture.png.json", "scan.h5.json", "spokes.npz.json"):
            (inputs / extra).unlink(missing_ok=True)
        files = sorted(path.name for path in inputs.iterdir())
        for title in options.command or COMMANDS:
            arguments = COMMANDS[title]
            for kind in options.kind or KINDS:
                folder = pathlib.Path(name) / "run"
                new_folder(folder, inputs)
                count = pathlib.Path(name) / "count"
                first = run(options.program, arguments, folder, f"{kind}:0", library, count)
                if first.returncode != 0:
                    sys.exit(f"{title} fails by itself: {first.stderr}")
                expected = {path.name: content(options.program, path) for path in (folder / "out").iterdir()}
                if None in expected.values():
                    sys.exit(f"{title} writes files by itself that cannot be read: {sorted(expected)}")
                calls = int(count.read_text())
                if calls == 0:
                    sys.exit(f"{title} makes no calls of kind {kind}: {library} is older than this script")
                numbers = range(1, calls + 1)
                if options.points is not None and options.points < calls:
                    # Tables of options make five in six calls for memory: half of the numbers are of the work itself.
                    late = range(1 + 5 * calls // 6, calls + 1)
                    few = min(options.points // 2, len(late))
                    numbers = sorted({*draw.sample(late, few), *draw.sample(numbers, options.points - few)})
                wrong = 0
                for number in numbers:
                    new_folder(folder, inputs)
                    try:
                        done = run(options.program, arguments, folder, f"{kind}:{number}", library)
                        found = what_is_wrong(options.program, done, kind, folder, files, expected)
                    except subprocess.TimeoutExpired:
                        found = "did not end within a minute"
                    runs += 1
                    if found is not None:
                        wrong += 1
                        print(f"FAILED {title} {kind}:{number}: {found}")
                failures += wrong
                print(f"{title}, {kind}: {len(numbers)} of {calls} calls, {wrong} wrong", flush=True)
    print(f"faults: {runs} runs, {failures} wrong")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
