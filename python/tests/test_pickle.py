"""Results that are copied and pickled, and memory that does not suffice."""

import ast
import contextlib
import copy
import doctest
import inspect
import pickle

import numpy as np
import pytest
import whorl


@pytest.fixture(scope="module")
def scan():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16), weights=np.ones(640, "float32"))
    return whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=2, noise=1e-3)


def properties(thing):
    return [name for name in dir(type(thing)) if not name.startswith("_") and isinstance(getattr(type(thing), name), property)]


def same(a, b, depth=0):
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        np.testing.assert_array_equal(a, b)
    elif type(a).__module__ == "whorl._core":
        for name in properties(a) if depth < 4 else []:
            same(getattr(a, name), getattr(b, name), depth + 1)
        if "__getstate__" in vars(type(a)):
            same(a.__getstate__(), b.__getstate__(), depth + 1)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b):
            same(one, other, depth + 1)
    elif isinstance(a, dict):
        same(list(a.items()), list(b.items()), depth + 1)
    else:
        assert a == b or a != a, (a, b)


# What belongs to one process, or is made by functions: whorl says what to pickle in its place.
OF_ONE_PROCESS = (whorl.Context, whorl.devices.CancelToken, whorl.coils.Nlinv, whorl.LinearOperator, whorl.prox.ProximalFunction)
CLASSES = {
    name: kind
    for name, kind in vars(whorl._core).items()
    if isinstance(kind, type) and kind.__module__ == "whorl._core" and not issubclass(kind, BaseException)
}
# Where the example of a class keeps none of its objects.
KEPT = {
    "ProximalFunction": "found = whorl.function_proximal((4,), lambda x, step: x)",
    "Finding": "spiked = scan.frames[0].data.copy()\nspiked[:, 100] += 50\nfound = whorl.examine(scan.replace(data=spiked)).findings",
    "NamedArray": "np.save('a.npy', np.eye(3)); found = whorl.io.read_named_arrays('a.npy')",
}


def objects_of(kind, things, depth=0):
    """Objects of a class among things, their elements and what they have."""
    for thing in things:
        if type(thing) is kind:
            yield thing
        elif depth < 4 and isinstance(thing, (list, tuple)):
            yield from objects_of(kind, thing[:3], depth + 1)
        elif depth < 4 and type(thing).__module__ == "whorl._core":
            yield from objects_of(kind, [getattr(thing, name) for name in properties(thing) if name != "stream"], depth + 1)


@pytest.mark.parametrize("name", CLASSES)
def test_objects_of_each_class(scan, name, tmp_path, monkeypatch):
    # The example in the docstring of the class makes one.
    monkeypatch.chdir(tmp_path)
    kind = CLASSES[name]
    names = {"whorl": whorl, "np": np, "scan": scan}
    made = []
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(kind)):
        exec(compile(example.source, name, "exec"), names)
        # What a line makes on its way and does not keep.
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call):
                with contextlib.suppress(NameError):
                    made.append(eval(compile(ast.Expression(node), name, "eval"), names))
    exec(KEPT.get(name, ""), names)
    thing = next(objects_of(kind, [*names.values(), *made]), None)
    assert thing is not None
    if isinstance(thing, OF_ONE_PROCESS):
        with pytest.raises(TypeError, match=f"a whorl.{name} cannot be pickled[;, ] *\\w"):
            pickle.dumps(thing)
        return
    for other in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
        same(thing, other)


def test_results_are_values(scan):
    options = dict(iterations=3, lambda_="gcv", lambda_per_decade=1, save_maps=True, certify=60)
    result = whorl.recon(scan, **options)
    bars = whorl.recon(scan, iterations=3, gfactor=True, replicas=2, bias=True, psf=[(8, 7, 0)])
    geometry = whorl.Geometry()
    geometry.position_mm = (1, 2, 3)
    index = whorl.scans.FrameIndex()
    index.phase = 4
    error = whorl.scaled_error(abs(result.images[0, 0]), whorl.phantom.rasterize(whorl.phantom.brain_phantom(), (16, 16)))
    things = [result, bars, result.reports[0], scan.frames[0], geometry, index, result.frames[0], error, result.lambdas[0][1]]
    for thing in things:
        for other in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
            assert other is not thing
            same(thing, other)
    # What the writer of a pickle would miss: the operators, and frames that share their trajectory.
    saved = pickle.loads(pickle.dumps(whorl.recon(scan, iterations=3, save_normal=True)))
    np.testing.assert_array_equal(whorl.recon(scan, iterations=3, normal=saved.normal).images, saved.images)
    two = pickle.loads(pickle.dumps(whorl.make_frames(scan, spokes_per_frame=10)))
    np.testing.assert_array_equal(whorl.recon(two, iterations=3).images, whorl.recon(whorl.make_frames(scan, spokes_per_frame=10), iterations=3).images)
    # A copy has arrays of its own.
    other = copy.deepcopy(result)
    other.images[:] = 0
    assert np.abs(result.images).max() > 0


def test_too_little_memory_is_a_memory_error(scan):
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 128), (64, 64))
    large = whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=4)
    small = whorl.Context(max_memory=1 << 19)
    with pytest.raises(MemoryError, match="reconstruction: needs some") as caught:
        whorl.recon(large, context=small)
    assert isinstance(caught.value, whorl.Error)
    with pytest.raises(MemoryError, match="out of memory on cpu"):
        whorl.Nufft(plan.frames[0].trajectory, (512, 512), context=small) @ np.ones((512, 512), "complex64")
    with pytest.raises(MemoryError, match="needs a grid of"):
        whorl.Nufft(plan.frames[0].trajectory, (1 << 20, 1 << 20))


def test_corrections_are_copied():
    for one in (whorl.correct.GradientDelays(x=0.5, xy=-0.1), whorl.correct.ObjectPose((1, 2, 3), (0, 0, 20))):
        assert repr(pickle.loads(pickle.dumps(one))) == repr(copy.deepcopy(one)) == repr(one)
