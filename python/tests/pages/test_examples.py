"""The examples in docstrings: each function and class has one, and it does what it says."""

import doctest
import inspect

import numpy as np
import pytest
import whorl
from conftest import public_things


ADAPTERS = ["finufft", "deepinv", "mrinufft", "mrpro", "pylops", "sigpy", "torch"]


def things_of(module):
    if module in whorl._GROUPS:
        return [(full, thing) for full, thing in public_things() if full.startswith(f"whorl.{module}.")]
    found = pytest.importorskip(f"whorl.{module}", exc_type=ImportError)
    return [(f"whorl.{module}.{name}", getattr(found, name)) for name in found.__all__]


@pytest.mark.parametrize("module", [*whorl._GROUPS, *ADAPTERS])
def test_examples(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(verbose=False)
    said = []
    for full, thing in things_of(module):
        example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), {"whorl": whorl, "np": np}, full, None, 0)
        assert example.examples, full
        runner.run(example, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
