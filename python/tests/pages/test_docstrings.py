"""The docstrings of the package: all that is public has one, with shapes where arrays go in, and what it refuses."""

import importlib
import inspect
import re
import types

import pytest
import whorl

ADAPTERS = ["deepinv", "mrinufft", "mrpro", "pylops", "sigpy", "torch"]
MODULES = [f"whorl.{name}" for name in [*whorl._GROUPS, "finufft", *ADAPTERS]]

# These take numbers, and any number will do.
REFUSES_NOTHING = {"whorl.phantom.contrast_curve", "whorl.correct.GradientDelays", "whorl.correct.ObjectPose"}

# Signatures call arrays `object`, and these too.
NO_ARRAYS = {"dtype", "progress"}

# "Shapes ...", [coil, sample], (..., coils, z, y, x), or those of another that has them.
SHAPE = re.compile(r"\bShapes\b|\[[^\]]+\]|\(\.\.\., |`domain`|`range`|the shape of")


def public(name):
    """The module, or a skip where the package that it adapts to is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"{name}: {error}")


def things(module, name):
    """(full name, object, the class that it is in) of all that is public."""
    names = getattr(module, "__all__", None) or [one for one in dir(module) if not one.startswith("_")]
    for one in names:
        value = inspect.unwrap(getattr(module, one))
        if isinstance(value, types.ModuleType):
            continue
        yield f"{name}.{one}", value, None
        if inspect.isclass(value):
            for member, inner in vars(value).items():
                inner = inspect.unwrap(inner) if inspect.isfunction(inner) else inner
                made = callable(inner) or isinstance(inner, (staticmethod, classmethod))
                if (made or inspect.isdatadescriptor(inner)) and not member.startswith("_") and not inspect.isclass(inner):
                    yield f"{name}.{one}.{member}", inner, value


def signature_and_text(value):
    """The signatures, and what stands below them. nanobind writes them into the first lines of the docstring."""
    doc = inspect.getdoc(getattr(value, "__func__", value)) or ""
    lines = doc.split("\n")
    if isinstance(value, property) or not isinstance(value, types.FunctionType):
        signatures = [line for line in lines if re.match(r"\w*\(.*\) -> ", line)]
        return "\n".join(signatures), "\n".join(line for line in lines if line not in signatures).strip()
    return str(inspect.signature(value)), doc


def takes_arrays(signature):
    named = re.findall(r"(\w+): object\b", signature)
    return bool(set(named) - NO_ARRAYS)


def takes_anything(signature):
    """Whether there is an argument other than self."""
    inside = signature[signature.find("(") + 1 : signature.rfind(")")]
    return inside.strip() not in ("", "self", "/", "self, /")


@pytest.mark.parametrize("name", MODULES)
def test_all_that_is_public_says_what_it_is(name):
    module = public(name)
    assert module.__doc__
    bare = [full for full, value, _ in things(module, name) if len(signature_and_text(value)[1]) < 5]
    assert not bare, f"without a docstring: {bare}"


@pytest.mark.parametrize("name", MODULES)
def test_shapes_of_arrays(name):
    module = public(name)
    silent = []
    for full, value, _ in things(module, name):
        if inspect.isclass(value) or inspect.isdatadescriptor(value):
            continue
        signature, text = signature_and_text(value)
        arrays = takes_arrays(signature) or (isinstance(value, types.FunctionType) and takes_anything(signature))
        if arrays and not SHAPE.search(text):
            silent.append(full)
    assert not silent, f"take arrays and say no shapes: {silent}"


@pytest.mark.parametrize("name", MODULES)
def test_what_is_refused(name):
    module = public(name)
    silent = []
    for full, value, of in things(module, name):
        if inspect.isdatadescriptor(value) or full in REFUSES_NOTHING:
            continue
        if inspect.isclass(value):
            # One that the caller makes, from something.
            signature, made = signature_and_text(inspect.unwrap(value.__init__))
            text = inspect.getdoc(value) + made
            wanted = "__init__(self, " in signature and not issubclass(value, Exception)
        else:
            signature, text = signature_and_text(value)
            wanted = takes_anything(signature)
            text += inspect.getdoc(of) if of is not None else ""
        if wanted and not re.search(r"\bRaises\b", text):
            silent.append(full)
    assert not silent, f"do not say what they raise: {silent}"
