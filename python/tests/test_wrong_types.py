"""Wrong types for each argument of all that is public: what a user reads is one line of ours, never nanobind's.

The examples of docstrings say how things are called. Each argument of such a call is replaced in turn.
"""

import doctest
import inspect
import re

import numpy as np
import pytest
import whorl
from conftest import public_things

RAW = re.compile(r"incompatible function|bad_cast|std::|nanobind|nb::|_core\.|\bobject at 0x")


class Odd:
    """Nothing that any argument is."""

    def __repr__(self):
        return "Odd()"


WRONG = [Odd(), "wrong", 2j, [None], np.ones((1, 1, 1, 1, 1, 1, 1))]


class Recorder:
    """Stands in the place of a function and keeps how it was called."""

    def __init__(self, function, calls, name):
        self.function, self.calls, self.name = function, calls, name

    def __get__(self, instance, owner):
        return self if instance is None else self.bound(instance)

    def bound(self, instance):
        return lambda *args, **keywords: self(instance, *args, **keywords)

    def __call__(self, *args, **keywords):
        result = self.function(*args, **keywords)
        made = self.name.endswith(".__init__")
        self.calls.setdefault(self.name, (type(args[0]), args[1:], keywords) if made else (self.function, args, keywords))
        return result


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """{name: (function, args, keywords)}: a call of each function, class and method in the examples."""
    found, patch = {}, pytest.MonkeyPatch()
    patch.chdir(tmp_path_factory.mktemp("examples"))
    things = list(public_things())
    for full, thing in things:
        group, name = full.split(".")[1:]
        if inspect.isfunction(thing):
            patch.setattr(getattr(whorl, group), name, Recorder(thing, found, full))
            if vars(whorl).get(name) is thing:
                patch.setattr(whorl, name, Recorder(thing, found, full))
        elif inspect.isclass(thing) and not issubclass(thing, BaseException):
            for member, function in list(vars(thing).items()):
                if inspect.isfunction(function) and (member in ("__init__", "__call__") or not member.startswith("_")):
                    patch.setattr(thing, member, Recorder(function, found, f"{full}.{member}"))
    for _, thing in things:
        names = {"whorl": whorl, "np": np}
        for one in doctest.DocTestParser().get_examples(inspect.getdoc(thing)):
            exec(compile(one.source, "example", "exec"), names)
    patch.undo()
    yield found


def replaced(signature, args, keywords):
    """Calls with one argument wrong, as (what is wrong, args, keywords)."""
    bound = signature.bind(*args, **keywords)
    for name, parameter in signature.parameters.items():
        if name == "self" or parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        for value in WRONG:
            other = inspect.BoundArguments(signature, bound.arguments.copy())
            other.arguments[name] = (value,) if parameter.kind is inspect.Parameter.VAR_POSITIONAL else value
            yield f"{name}={value!r}", other.args, other.kwargs
    yield "nothing", args[:1] if "self" in signature.parameters else (), {}
    yield "an unknown keyword", args, keywords | {"wrong_word": 1}


def test_what_is_wrong_is_said_in_one_line(calls, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(calls) > 200
    raw, kinds = [], (TypeError, ValueError, whorl.Error, OSError, MemoryError, IndexError)
    for name, (function, args, keywords) in calls.items():
        for wrong, other, words in replaced(inspect.signature(function), args, keywords):
            try:
                function(*other, **words)
            except kinds as error:
                text = str(error)
            except Exception as error:
                text = f"nb:: {type(error)} {error}"
            else:
                continue
            if not text or "\n" in text or RAW.search(text):
                raw.append(f"{name}({wrong}): {text[:200]}")
    assert not raw, f"{len(raw)} texts: " + "\n".join(raw[:100])


def test_none_in_the_place_of_an_array_is_named():
    with pytest.raises(TypeError, match="images is a .*NoneType.*expected an array"):
        whorl.coils.walsh(None)
