"""The examples in docstrings: each function and class has one, and it does what it says."""

import doctest
import inspect

import numpy as np
import pytest
import whorl
from conftest import public_things


ADAPTERS = ["finufft", "deepinv", "mrinufft", "mrpro", "pylops", "sigpy", "torch"]


# Shown in the examples of others, or without anything to show.
SHOWN_ELSEWHERE = {"CancelToken.request", "Context.synchronize", "Context.trim", "Nlinv.maps", "Nlinv.set_images", "Nlinv.solve"}
SHOWN_ELSEWHERE |= {"PhantomCoils.maps", "ProximalFunction.prox", "ProximalFunction.value"}


def with_methods():
    for full, thing in public_things():
        yield full, thing
        if inspect.isclass(thing) and thing.__module__ == "whorl._core":
            for name, method in vars(thing).items():
                if not name.startswith("_") and inspect.isfunction(method) and f"{thing.__name__}.{name}" not in SHOWN_ELSEWHERE:
                    yield f"{full}.{name}", method


def things_of(module):
    if module in whorl._GROUPS:
        return [(full, thing) for full, thing in with_methods() if full.startswith(f"whorl.{module}.")]
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
