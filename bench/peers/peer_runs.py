"""Runs of whorl and BART as processes, BART's files, and which BART there is."""

import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np


def read_cfl(path):
    extents = [int(word) for word in pathlib.Path(f"{path}.hdr").read_text().splitlines()[1].split()]
    return np.fromfile(f"{path}.cfl", np.complex64).reshape(extents[::-1]).squeeze()


def write_cfl(path, images):
    coils, ny, nx = images.shape
    pathlib.Path(f"{path}.hdr").write_text(f"# Dimensions\n{nx} {ny} 1 {coils}\n")
    images.astype(np.complex64).tofile(f"{path}.cfl")


def seconds_of(command, folder, environment):
    """Wall time and CPU time of a process."""
    start, before = time.perf_counter(), os.times()
    result = subprocess.run([str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True,
                            check=False)
    after = os.times()
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {result.stderr.strip()}")
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return time.perf_counter() - start, cpu


def measured(command, output, folder, environment, rounds):
    """The image that a command writes, and the medians of its times, for a row."""
    times = [seconds_of(command, folder, environment) for _ in range(rounds)]
    image = np.load(folder / output).squeeze() if output.endswith(".npy") else read_cfl(folder / output)
    return image, {"command": " ".join(map(str, command)), "seconds": statistics.median(wall for wall, _ in times),
                   "cpu_seconds": statistics.median(cpu for _, cpu in times)}


def add_bart_options(parser):
    parser.add_argument("--bart", default="bart", help="BART's program; empty: not run")
    parser.add_argument("--bart1", action="store_true", help="also BART 1.0 (PyPI's bartorch)")


def bart_programs(options):
    """The commands of BART by version, as the options say."""
    programs = {}
    if options.bart:
        programs["0.8"] = [options.bart]
    if options.bart1:
        programs["1.0"] = [sys.executable, pathlib.Path(__file__).with_name("bart1.py")]
    return programs
