"""How the threads of the package wait for each other."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from whorl import _threads

SOURCE = pathlib.Path(os.environ.get("WHORL_SOURCE", pathlib.Path(__file__).parents[2]))
VARIABLES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
SAY = "import os; print([os.environ.get(name) for name in ('GOMP_SPINCOUNT', 'OMP_WAIT_POLICY')])"


def counts_of(program, **settings):
    """What GNU's OpenMP says that it took from the environment, and the variables that child processes would see."""
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    environment |= {"OMP_DISPLAY_ENV": "verbose", **settings}
    run = subprocess.run(
        [sys.executable, "-c", f"{program}\n{SAY}"], env=environment, capture_output=True, text=True, check=True
    )
    counts = re.findall(r"GOMP_SPINCOUNT = '([^']*)'", run.stderr)
    if not counts:
        pytest.skip("this OpenMP is not GNU's")
    return counts, run.stdout.splitlines()[-1]


def test_waits_are_short():
    # The number is the program's, and is gone again.
    header = (SOURCE / "cli/output/wait_variables.hpp").read_text()
    assert re.search(r'spins = "(\d+)"', header)[1] == _threads.SPINS
    assert counts_of("import whorl") == ([_threads.SPINS], "[None, None]")


def test_waits_are_as_the_user_says():
    counts, kept = counts_of("import whorl", GOMP_SPINCOUNT="77")
    assert counts == ["77"] and kept == "['77', None]"
    counts, kept = counts_of("import whorl", OMP_WAIT_POLICY="active")
    assert counts != [_threads.SPINS] and kept == "[None, 'active']"


def test_the_openmp_of_others_is_left_alone():
    counts, kept = counts_of("import ctypes; ctypes.CDLL('libgomp.so.1'); import whorl")
    assert counts != [_threads.SPINS] and len(counts) == 1 and kept == "[None, None]"
