"""Transforms in one dimension, between arbitrary positions, and gradients to the trajectory, against sums by definition."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, exact_dft, relative


def test_one_dimension(rng):
    points = rng.uniform(-0.5, 0.5, (300, 1))
    A = whorl.Nufft(points, (90,), 3, tolerance=1e-9, dtype="complex128")
    matrix = exact_dft(points, (90,))
    x, y = complex_normal(rng, A.domain, "complex128"), complex_normal(rng, A.range, "complex128")
    # 3: a margin for few samples.
    assert relative(A @ x, x @ matrix.T) < 3e-9
    assert relative(A.H @ y, y @ matrix.conj()) < 3e-9
    with pytest.raises(whorl.Unsupported, match="one axis"):
        whorl.Nufft(points, (90,), normal="toeplitz")


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_positions(rng, dim):
    k, r = rng.uniform(-0.5, 0.5, (300, dim)), rng.uniform(-9, 20, (250, dim))
    A = whorl.operators.PositionNufft(k, r, 2, tolerance=1e-9, dtype="complex128")
    matrix = np.exp(-2j * np.pi * k @ r.T)
    x, y = complex_normal(rng, A.domain, "complex128"), complex_normal(rng, A.range, "complex128")
    assert relative(A @ x, x @ matrix.T) < 3e-9
    assert relative(A.H @ y, y @ matrix.conj()) < 3e-9
    single = whorl.operators.PositionNufft(k, r, 2, tolerance=1e-4)
    assert relative(single @ x.astype("complex64"), x @ matrix.T) < 3e-4


def test_positions_that_no_grid_holds():
    with pytest.raises(whorl.ValueError, match="PositionDft"):
        whorl.operators.PositionNufft(np.array([[0.0], [1e12]]), np.array([[0.0], [1.0]]))


@pytest.mark.parametrize("shape", [(40,), (9, 12), (5, 6, 7)])
def test_gradient_to_the_trajectory(rng, shape):
    points = rng.uniform(-0.4, 0.4, (30, len(shape)))
    A = whorl.Nufft(points, shape, 2, tolerance=1e-12, accuracy="guaranteed", oversampling=2.0, dtype="complex128")
    x, g = complex_normal(rng, A.domain, "complex128"), complex_normal(rng, A.range, "complex128")
    found = whorl.operators.trajectory_gradient(A, x, g)
    assert found.shape == points.shape
    images = x.reshape(2, -1)

    def value(k):  # Re <g, A x>, sample by sample
        return (g.conj() * (images @ exact_dft(k, shape).T)).real.sum(0)

    step = 1e-5
    for axis in range(len(shape)):
        move = np.zeros(len(shape))
        move[axis] = step
        # Central differences: an error of (2 pi r step)^2 / 6, below 3e-7 for |r| <= 20, and rounding of 1e-15 / step.
        expected = (value(points + move) - value(points - move)) / (2 * step)
        assert relative(found[:, axis], expected) < 1e-6
