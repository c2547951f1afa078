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


@pytest.mark.parametrize("dtype, eps", [("complex128", 1e-9), ("complex64", 1e-4)])
@pytest.mark.parametrize("upsampfac", [0, 1.5])
@pytest.mark.parametrize("n", [(26,), (24, 26), (18, 16, 20)])
def test_spreading_alone(rng, n, upsampfac, dtype, eps):
    """Spreading, an FFT, and division by the window's transform are a NUFFT; interpolation is the adjoint of spreading."""
    dim = len(n)
    coordinates = rng.uniform(-3 * np.pi, 3 * np.pi, (dim, 60))
    options = dict(eps=eps, upsampfac=upsampfac, spreadinterponly=1)
    type1, type2 = getattr(finufft, f"nufft{dim}d1"), getattr(finufft, f"nufft{dim}d2")
    c, f = complex_normal(rng, (3, 60), dtype), complex_normal(rng, (3, *n), dtype)
    grid = type1(*coordinates, c, n, **options)
    assert grid.dtype == dtype and grid.shape == (3, *n)
    # Neither the sign nor the order of modes means anything.
    assert relative(type1(*coordinates, c, n, isign=-1, modeord=1, **options), grid) < 1e-6
    # One source at grid point 0, which lies at -pi, is spread as the window is.
    window = type1(*np.full((dim, 1), -np.pi), np.ones(1, dtype), n, **options)
    # The window is 1 at its center, to what whorl.operators.Gridding says of it.
    assert abs(window.flat[0] - 1) < 2e-6 and abs(window).argmax() == 0

    modes = [np.fft.fftfreq(extent, 1 / extent) for extent in n]
    k = np.stack(np.meshgrid(*modes, indexing="ij"), -1)
    axes = tuple(range(-dim, 0))
    # Point i of N lies at -pi + 2 pi i / N, which is a factor exp(i pi k) beside the FFT from 0 on.
    found = np.fft.ifftn(grid, axes=axes, norm="forward") * (-1.0) ** k.sum(-1)
    found /= np.fft.ifftn(window, norm="forward").real
    exact = (c @ np.exp(1j * k.reshape(-1, dim) @ coordinates).T).reshape(3, *n)
    inner = np.all(abs(k) <= np.array(n) / 2 / (upsampfac or 2), -1)
    # The window's error is at most eps there; that of its transform, taken from its values at grid points, adds as much; 3: a
    # margin for few samples.
    assert relative(found[:, inner], exact[:, inner]) < 6 * eps

    there = np.vdot(type2(*coordinates, f, **options), c)
    # Rounding: 2 eps of the type for each of the sums.
    limit = 1e-12 if dtype == "complex128" else 1e-5
    assert abs(np.vdot(f, grid) - there) < limit * np.linalg.norm(f) * np.linalg.norm(grid)


def test_what_is_wrong_says_so():
    with pytest.raises(ValueError, match="nufft_type is 4"):
        finufft.Plan(4, 2)
    with pytest.raises(ValueError, match="4 dimensions"):
        finufft.Plan(1, (10, 10, 10, 10))
    with pytest.raises(TypeError, match="nthread"):
        finufft.Plan(1, (10, 10), nthread=1)
    with pytest.raises(ValueError, match="tolerance|eps"):
        finufft.Plan(1, (10, 10), eps=2.0).setpts(np.zeros(3), np.zeros(3))


def test_shapes_that_do_not_fit_say_so(rng):
    c = complex_normal(rng, (3,), "complex128")
    with pytest.raises(ValueError, match=r"positions have shapes \(3,\), \(4,\)"):
        finufft.nufft2d1(np.zeros(4), np.zeros(3), c, (4, 4))
    with pytest.raises(ValueError, match=r"data has shape \(3,\), expected \(1, 4\)"):
        finufft.nufft2d1(np.zeros(4), np.zeros(4), c, (4, 4))
    with pytest.raises(ValueError, match=r"positions have shapes \(3, 1\)"):
        finufft.nufft1d1(np.zeros((3, 1)), c, 4)
    # Lists are arrays too.
    found = finufft.nufft1d1([0.1, 0.2, 0.3], list(c), 4)
    assert relative(found, exponentials(np.array([[0.1, 0.2, 0.3]]), (4,), 1, 0) @ c) < 3e-6


def test_an_impossible_eps_is_raised_with_a_warning(rng):
    x, y = rng.uniform(-np.pi, np.pi, (2, 50))
    with pytest.warns(UserWarning, match="1e-08 is below what complex64 allows"):
        finufft.nufft2d1(x, y, complex_normal(rng, (50,)), (16, 16), eps=1e-8)
