"""Runs of the program, and its numbers."""

import json
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class WhorlError(Exception):
    """What the program says of its failure: one line."""


def run(whorl, *arguments):
    """Standard output of a run."""
    result = subprocess.run([whorl, *map(str, arguments)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise WhorlError(result.stderr.strip().splitlines()[-1])
    return result.stdout


def bench(whorl, threads, *arguments):
    """Records of `whorl bench` on the CPU, where the peers run."""
    return json.loads(run(whorl, "bench", "-q", "--device", "cpu", "--threads", threads, "--json", "-", *arguments))["cases"]


def find_program(path):
    """The program's absolute path; ends the script where it is not there."""
    program = pathlib.Path(path).resolve()
    if not os.access(program, os.X_OK):
        sys.exit(f"'{path}' is not there; build it (scripts/build release), or name it by --whorl")
    return str(program)


def cpu_name():
    """The processor's, as its maker has it."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "processor not known"


def use_cores(threads):
    """Keeps this process and what it starts to as many cores."""
    cores = sorted(os.sched_getaffinity(0))
    if threads > len(cores):
        sys.exit(f"--threads {threads}: this process may use {len(cores)} cores")
    os.sched_setaffinity(0, cores[:threads])
