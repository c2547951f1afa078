"""The examples in docstrings: each function and class has one, and it does what it says."""

import doctest
import inspect

import numpy as np
import pytest
import whorl
from conftest import public_things


@pytest.mark.parametrize("group", whorl._GROUPS)
def test_examples(group, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(verbose=False)
    said = []
    for full, thing in public_things():
        if not full.startswith(f"whorl.{group}."):
            continue
        example = doctest.DocTestParser().get_doctest(inspect.getdoc(thing), {"whorl": whorl, "np": np}, full, None, 0)
        name = full.rpartition(".")[2]
        assert len(example.examples) > 0, full
        assert any(name in one.source or name in one.want for one in example.examples) or inspect.isclass(thing), full
        runner.run(example, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
