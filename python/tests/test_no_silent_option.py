"""No option is silent: each argument of whorl.recon, given once with another value than its default, changes what one sees.

The calls are those of test_every_option.py, and the ones below. Each is made with and without the argument.
"""

import inspect
import pathlib
import shutil

import numpy as np
import pytest
import whorl
from test_every_option import CALLS, arguments, files  # noqa: F401


class Stop(Exception):
    pass


class StopAfter:
    """Progress that ends the work after some steps."""

    def __init__(self, steps):
        self.steps = steps

    def __call__(self, stage, done, total, detail):
        self.steps -= 1
        if self.steps < 0:
            raise Stop


SEEN_BY = {
}


def options_of(keyword):
    """A call that has the argument, with a value that has an effect."""
    if keyword in SEEN_BY:
        return SEEN_BY[keyword]
    return next(given for given in map(arguments, CALLS) if keyword in given)


def seen(folder, options):
    """What one sees of a reconstruction: its error, or arrays, numbers, sentences and files."""
    folder.mkdir()
    try:
        made = whorl.recon(**{"scan": "../scan.h5", "context": whorl.Context(threads=1), **options})
    except (ValueError, TypeError, OSError, MemoryError, Stop) as error:
        made = repr(error)
    if isinstance(made, str):
        things = {"error": made}
    elif isinstance(made, whorl.reconstruction.ReconPlan):
        things = {"bytes": made.bytes}
    else:
        names = [name for name in dir(type(made)) if not name.startswith("_") and name not in ("record", "stage_seconds", "write")]
        things = {name: getattr(made, name) for name in names}
    files_made = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    things |= {name: None if name.endswith(".json") else path.read_bytes() for name, path in files_made.items()}
    return {name: thing.tobytes() if isinstance(thing, np.ndarray) else repr(thing) for name, thing in things.items()}


@pytest.mark.parametrize("keyword", inspect.signature(whorl.recon).parameters)
def test_what_is_given_is_seen(keyword, files, monkeypatch):  # noqa: F811
    given = options_of(keyword)
    folder = files / "seen"
    found = []
    for options in (given, {name: value for name, value in given.items() if name != keyword}):
        monkeypatch.chdir(files / "package")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        monkeypatch.chdir(folder)
        found.append(seen(folder, options))
    changed = [name for name in found[0].keys() | found[1].keys() if found[0].get(name) != found[1].get(name)]
    assert changed, found[0].keys()
