"""Proximal functions against their definitions, and the solvers against each other and the conditions of a minimum."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative

SHAPE = (12, 14)


def functions(dtype):
    return {
        "l1": whorl.prox.L1(SHAPE, dtype=dtype),
        "joint": whorl.prox.L1((2, *SHAPE), joint=True, dtype=dtype),
        "box": whorl.prox.Box(SHAPE, -0.3, 0.4, dtype=dtype),
        "ball": whorl.prox.L2Ball(np.ones(SHAPE, dtype), 2.0),
        "wavelet": whorl.prox.WaveletL1((16, 16), taps=4, shifts=False, dtype=dtype),
        "approximation": whorl.prox.WaveletL1((16, 16), taps=4, shifts=False, approximation=True, dtype=dtype),
        "llr": whorl.prox.LocallyLowRank((3, *SHAPE), patch=4, shifts=False, dtype=dtype),
        "low_rank": whorl.prox.LowRank((5, *SHAPE), dtype=dtype),
    }


@pytest.mark.parametrize("name", ["l1", "joint", "box", "ball", "wavelet", "approximation", "llr", "low_rank"])
def test_a_proximal_point_is_a_minimum(rng, name):
    g = functions("complex128")[name]
    x, step = complex_normal(rng, g.domain, "complex128"), 0.3
    z = g.prox(x, step)

    def cost(z):
        return step * g.value(z) + np.linalg.norm(z - x) ** 2 / 2

    constraint = name in ("box", "ball")
    for _ in range(20):
        # With a constraint, other points of its set are no nearer.
        other = z + complex_normal(rng, g.domain, "complex128") * 10 ** rng.uniform(-4, 0)
        other = g.prox(other, 1.0) if constraint else other
        assert cost(other) >= cost(z) * (1 - 1e-12)
    assert g.dtype == np.complex128 and g.prox(x.real, step).shape == g.domain


def test_values(rng):
    x = complex_normal(rng, (2, *SHAPE), "complex128")
    assert abs(whorl.prox.L1(SHAPE, dtype="complex128").value(x[0]) - abs(x[0]).sum()) < 1e-9
    assert abs(whorl.prox.L1((2, *SHAPE), joint=True, dtype="complex128").value(x) - np.sqrt((abs(x) ** 2).sum(0)).sum()) < 1e-9
    singular = np.linalg.svd(x.reshape(2, -1), compute_uv=False).sum()
    assert abs(whorl.prox.LowRank(x.shape, dtype="complex128").value(x) - singular) < 1e-6 * singular
    D = whorl.prox.Differences(SHAPE, dtype="complex128")
    y = D @ x[0]
    # y, then x, with the factor 1 / (2 sqrt(2)).
    np.testing.assert_allclose(y[1][:, :-1], np.diff(x[0], axis=1) / np.sqrt(8), atol=1e-12)
    around = whorl.prox.Differences(SHAPE, cyclic="x", dtype="complex128") @ x[0]
    np.testing.assert_allclose(around[1], (np.roll(x[0], -1, axis=1) - x[0]) / np.sqrt(8), atol=1e-12)
    np.testing.assert_allclose(around[0], y[0], atol=1e-12)
    W = whorl.prox.Wavelet((16, 16), taps=4, dtype="complex128")
    z = complex_normal(rng, (16, 16), "complex128")
    assert relative(W.H @ (W @ z), z) < 1e-12  # orthogonal
    g = whorl.prox.WaveletL1((16, 16), taps=4, shifts=False, approximation=True, dtype="complex128")
    assert abs(g.value(z) - abs(W @ z).sum()) < 1e-9


@pytest.fixture
def problem(rng):
    A = whorl.Nufft(rng.uniform(-0.5, 0.5, (120, 2)), SHAPE, dtype="complex128", tolerance=1e-10)
    b = A.H @ complex_normal(rng, A.range, "complex128")
    return A, b


def test_solvers_agree(problem):
    A, b = problem
    g = whorl.prox.L1(b.shape, dtype="complex128")
    weight = 0.1 * abs(b).max()
    terms = [(g, weight)]
    first, report = whorl.fista(A.normal, b, terms, iterations=3000, tolerance=1e-9)
    assert report.stop_reason == "reached the tolerance" and report.costs[-1] < report.costs[0]
    # At the minimum H x - b = -weight * x / |x| where x is not 0, and no larger than the weight elsewhere.
    gradient = A.apply_normal(first) - b
    support = abs(first) > 1e-6
    assert support.any() and not support.all()
    # 1e-9 of |b|, the tolerance of the dual residual, and the same again for the support.
    limit = 1e-7 * np.linalg.norm(b)
    assert abs(gradient + weight * first / abs(np.where(support, first, 1)))[support].max() < limit
    assert abs(gradient[~support]).max() < weight + limit
    for other in (
        whorl.admm(A.normal, b, terms, iterations=2000, tolerance=1e-8, inner_tolerance=1e-3),
        whorl.solvers.primal_dual(A.normal, b, terms, iterations=8000, tolerance=1e-8),
    ):
        # Residuals of 1e-8 and a conditioning of 1e3 at most of what is not 0.
        assert relative(other[0], first) < 1e-4


def test_terms_with_operators_and_functions(problem):
    A, b = problem
    D = whorl.prox.Differences(SHAPE, dtype="complex128")
    weight = 0.05 * abs(b).max()
    terms = [(whorl.prox.L1(D.range, joint=True, dtype="complex128"), weight, D)]
    seen = []
    x, report = whorl.admm(
        A.normal, b, terms, iterations=500, tolerance=1e-6, callback=lambda i, residual: seen.append((i, residual))
    )
    assert [i for i, _ in seen] == list(range(1, report.iterations + 1))
    y, _ = whorl.solvers.primal_dual(lambda x: A.apply_normal(x), b, terms, iterations=8000, tolerance=1e-7)
    assert relative(y, x) < 1e-3

    def cost(x):
        return np.vdot(x, A.apply_normal(x)).real / 2 - np.vdot(b, x).real + weight * terms[0][0].value(D @ x[0])

    assert abs(cost(x) - report.costs[-1]) < 1e-4 * abs(cost(x))
    assert cost(x) < cost(whorl.conjugate_gradient(A.normal, b, iterations=5)[0])
    x, report = whorl.admm(A.normal, b, terms, callback=lambda i, residual: i < 4)
    assert report.iterations == 4
    with pytest.raises(whorl.ValueError, match="without an operator"):
        whorl.fista(A.normal, b, terms)
    with pytest.raises(TypeError, match="a term is"):
        whorl.admm(A.normal, b, [1.0])
    with pytest.raises(whorl.ShapeError, match="a term of arrays"):
        whorl.admm(A.normal, b, [whorl.prox.L1((3, 3), dtype="complex128")])


def test_lsqr(problem, rng):
    A, _ = problem
    d = complex_normal(rng, A.range, "complex128")
    x, report = whorl.solvers.lsqr(A, d, damping=0.1, iterations=300, tolerance=1e-10)
    # A^H (d - A x) = damping^2 x
    residual = A.H @ (d - A @ x) - 0.01 * x
    assert np.linalg.norm(residual) < 1e-8 * np.linalg.norm(A.H @ d)
    assert report.residuals[-1] < 1e-9
