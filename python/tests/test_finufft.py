"""The calls of FINUFFT against the sums of its documentation."""

import numpy as np
import pytest
import whorl
import whorl.finufft as finufft
from conftest import complex_normal, relative


def exponentials(coordinates, modes, isign, modeord):
    axes = [np.arange(-(n // 2), (n + 1) // 2) for n in modes]
    if modeord == 1:
        axes = [np.fft.ifftshift(axis) for axis in axes]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(modes))
    return np.exp(1j * isign * grid @ np.stack(coordinates))


@pytest.mark.parametrize("modes", [(41,), (12, 9), (8, 7, 6)])
@pytest.mark.parametrize("isign", [1, -1])
@pytest.mark.parametrize("modeord", [0, 1])
def test_types_one_and_two(rng, modes, isign, modeord):
    dim = len(modes)
    # Positions are periodic: three periods.
    coordinates = rng.uniform(-3 * np.pi, 3 * np.pi, (dim, 200))
    matrix = exponentials(coordinates, modes, isign, modeord)
    c, f = complex_normal(rng, (3, 200), "complex128"), complex_normal(rng, (3, *modes), "complex128")
    options = dict(isign=isign, modeord=modeord)
    type1, type2 = getattr(finufft, f"nufft{dim}d1"), getattr(finufft, f"nufft{dim}d2")
    for dtype, eps in (("complex128", 1e-9), ("complex64", 1e-4)):
        # eps bounds the root mean square error; 3: a margin for few samples.
        found = type1(*coordinates, c.astype(dtype), modes, eps=eps, **options)
        assert found.dtype == dtype and relative(found.reshape(3, -1), c @ matrix.T) < 3 * eps
        found = type2(*coordinates, f.astype(dtype), eps=eps, **options)
        assert found.dtype == dtype and relative(found, f.reshape(3, -1) @ matrix) < 3 * eps


def test_one_vector_and_out(rng):
    x, y = rng.uniform(-np.pi, np.pi, (2, 50))
    c = complex_normal(rng, (50,), "complex128")
    out = np.empty((6, 8), "complex128")
    found = finufft.nufft2d1(x, y, c, out=out)
    assert found is out
    # Default eps 1e-6.
    assert relative(out.ravel(), exponentials((x, y), (6, 8), 1, 0) @ c) < 3e-6
    assert finufft.nufft2d2(x, y, out).shape == (50,)


def test_plan(rng):
    plan = finufft.Plan(1, (7, 6), n_trans=2, eps=1e-8, isign=-1, nthreads=1, debug=0)
    c = complex_normal(rng, (2, 40), "complex128")
    with pytest.raises(RuntimeError, match="setpts"):
        plan.execute(c)
    for _ in range(2):
        x, y = rng.uniform(-np.pi, np.pi, (2, 40))
        plan.setpts(x, y)
        matrix = exponentials((x, y), (7, 6), -1, 0)
        f = plan.execute(c)
        assert relative(f.reshape(2, -1), c @ matrix.T) < 3e-8
        assert relative(plan.execute_adjoint(f), f.reshape(2, -1) @ matrix.conj()) < 3e-8


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("isign", [1, -1])
def test_type_three(rng, dim, isign):
    sources, targets = rng.uniform(-3, 5, (dim, 150)), rng.uniform(-9, 4, (dim, 180))
    matrix = np.exp(1j * isign * targets.T @ sources)
    c = complex_normal(rng, (3, 150), "complex128")
    type3 = getattr(finufft, f"nufft{dim}d3")
    for dtype, eps in (("complex128", 1e-9), ("complex64", 1e-4)):
        found = type3(*sources, c.astype(dtype), *targets, eps=eps, isign=isign)
        # 3: as above.
        assert found.dtype == dtype and relative(found, c @ matrix.T) < 3 * eps
    single = type3(*sources, c[0], *targets, isign=isign)
    assert single.shape == (180,) and relative(single, matrix @ c[0]) < 3e-6


def test_plan_of_type_three(rng):
    plan = finufft.Plan(3, 2, n_trans=2, eps=1e-8, isign=-1)
    x, y = rng.uniform(-3, 5, (2, 60))
    s, t = rng.uniform(-9, 4, (2, 70))
    plan.setpts(x, y, s=s, t=t)
    matrix = np.exp(-1j * (np.outer(s, x) + np.outer(t, y)))
    f = plan.execute(complex_normal(rng, (2, 60), "complex128"))
    assert relative(plan.execute_adjoint(f), f @ matrix.conj()) < 3e-8
    with pytest.raises(ValueError, match="frequencies"):
        plan.setpts(x, y)


@pytest.mark.parametrize("n", [(16,), (13, 16)])
def test_spreading_alone(rng, n):
    """A window of width w in 2D has the sum of its values at any place; the sums of both directions are each other's adjoint."""
    coordinates = rng.uniform(-np.pi, np.pi, (len(n), 40))
    coordinates[:, 0] = -np.pi  # grid point 0
    plan = finufft.Plan(1, n, eps=1e-5, spreadinterponly=1)
    plan.setpts(*coordinates)
    one = np.zeros(40, "complex128")
    one[0] = 1
    grid = plan.execute(one)
    assert grid.shape == n and np.unravel_index(abs(grid).argmax(), n) == (0,) * len(n)
    # The window is 1 at its center, to the 1e-13 of whorl.Gridding in double precision.
    assert abs(grid.flat[0] - 1) < 1e-12
    c, f = complex_normal(rng, (40,), "complex128"), complex_normal(rng, n, "complex128")
    assert abs(np.vdot(f, plan.execute(c)) - np.vdot(plan.execute_adjoint(f), c)) < 1e-12 * np.linalg.norm(c) * 40


def test_what_is_wrong_says_so():
    with pytest.raises(ValueError, match="nufft_type is 4"):
        finufft.Plan(4, 2)
    with pytest.raises(ValueError, match="4 dimensions"):
        finufft.Plan(1, (10, 10, 10, 10))
    with pytest.raises(TypeError, match="nthread"):
        finufft.Plan(1, (10, 10), nthread=1)
    with pytest.raises(ValueError, match="tolerance|eps"):
        finufft.Plan(1, (10, 10), eps=2.0).setpts(np.zeros(3), np.zeros(3))


def test_an_impossible_eps_is_raised_with_a_warning(rng):
    x, y = rng.uniform(-np.pi, np.pi, (2, 50))
    with pytest.warns(UserWarning, match="1e-08 is below what complex64 allows"):
        finufft.nufft2d1(x, y, complex_normal(rng, (50,)), (16, 16), eps=1e-8)
