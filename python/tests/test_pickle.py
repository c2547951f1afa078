"""Results that are copied and pickled, and memory that does not suffice."""

import copy
import pickle

import numpy as np
import pytest
import whorl


@pytest.fixture(scope="module")
def scan():
    plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16), weights=np.ones(640, "float32"))
    return whorl.phantom.phantom_scan(whorl.phantom.brain_phantom(), plan, coils=2, noise=1e-3)


def same(a, b, depth=0):
    if isinstance(a, np.ndarray):
        np.testing.assert_array_equal(a, b)
    elif type(a).__module__ == "whorl._core" and depth < 4:
        assert type(a) is type(b)
        names = [name for name in dir(type(a)) if not name.startswith("_") and isinstance(getattr(type(a), name), property)]
        assert names
        for name in names:
            same(getattr(a, name), getattr(b, name), depth + 1)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b):
            same(one, other, depth + 1)
    elif isinstance(a, dict):
        same(list(a.items()), list(b.items()), depth + 1)
    else:
        assert a == b or a != a, (a, b)


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


def test_corrections_are_copied():
    for one in (whorl.correct.GradientDelays(x=0.5, xy=-0.1), whorl.correct.ObjectPose((1, 2, 3), (0, 0, 20))):
        assert repr(pickle.loads(pickle.dumps(one))) == repr(copy.deepcopy(one)) == repr(one)
