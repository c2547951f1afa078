"""How long OpenMP's threads spin before they sleep: a thread that spins keeps the processor from the thread that it waits for."""

import contextlib
import os

SPINS = "300"  # as the program whorl (docs/builders/threads.md)


@contextlib.contextmanager
def short_waits():
    """GNU's OpenMP reads the number when it is loaded, so it is set for that long.

    What the user set stays. Where another package has loaded the same OpenMP before, nothing changes.
    """
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = SPINS
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]
