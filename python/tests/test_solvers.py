"""Solvers against NumPy's direct ones."""

import numpy as np
import pytest
import whorl
from conftest import complex_normal, relative


@pytest.fixture
def system(rng):
    matrix = complex_normal(rng, (12, 12), "complex128")
    return matrix @ matrix.conj().T + 12 * np.eye(12), complex_normal(rng, (12,), "complex128")


def test_conjugate_gradient_of_a_function(system):
    matrix, b = system
    heard = []
    x, report = whorl.conjugate_gradient(
        lambda v: matrix @ v, b, tolerance=1e-12, callback=lambda i, residual: heard.append((i, residual))
    )
    # The condition number is below 10: the error is at most ten times the residual.
    assert relative(x, np.linalg.solve(matrix, b)) < 1e-11
    assert report.stop_reason == "reached the tolerance"
    assert [i for i, _ in heard] == list(range(1, report.iterations + 1))
    assert report.residuals[0] == 1 and report.residuals[1:] == [residual for _, residual in heard]


def test_conjugate_gradient_of_an_operator_from_a_start(rng):
    A = whorl.operators.Dft(rng.uniform(-0.5, 0.5, (200, 2)), (5, 6), dtype="complex128")
    truth = complex_normal(rng, (1, 5, 6), "complex128")
    x, report = whorl.conjugate_gradient(A.normal, A.H @ (A @ truth), x0=truth)
    assert report.iterations == 0
    np.testing.assert_array_equal(x, truth)
    x, _ = whorl.conjugate_gradient(A.normal, A.H @ (A @ truth), iterations=200, tolerance=1e-12)
    assert relative(x, truth) < 1e-9


def test_a_callback_stops_the_solver(system):
    matrix, b = system
    x, report = whorl.conjugate_gradient(lambda v: matrix @ v, b, callback=lambda i, residual: i < 2)
    assert report.iterations == 2 and "callback" in report.stop_reason.replace("caller", "callback")

    def fail(i, residual):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        whorl.conjugate_gradient(lambda v: matrix @ v, b, callback=fail)
    with pytest.raises(ValueError, match="iterations is -1"):
        whorl.conjugate_gradient(lambda v: matrix @ v, b, iterations=-1)
    with pytest.raises(TypeError, match="neither"):
        whorl.conjugate_gradient(3, b)


def test_largest_eigenvalue(system):
    matrix, _ = system
    largest = np.linalg.eigvalsh(matrix)[-1]
    found = whorl.solvers.largest_eigenvalue(lambda v: matrix @ v, (12,), dtype="complex128", tolerance=1e-6)
    # The error of the value is at most its residual, which is 1e-6 of it.
    assert abs(found.value - largest) <= found.residual + 1e-9 * largest
    with pytest.raises(TypeError, match="shape"):
        whorl.solvers.largest_eigenvalue(lambda v: matrix @ v)


def test_least_squares_is_its_normal_equation(rng):
    A = whorl.operators.Dft(rng.uniform(-0.5, 0.5, (100, 2)), (4, 5), dtype="complex128")
    columns = [np.ravel(A @ unit.reshape(1, 4, 5)) for unit in np.eye(20).astype(complex)]
    a = np.stack(columns, 1)
    d = complex_normal(rng, (1, 100), "complex128")
    s = np.linalg.eigvalsh(a.conj().T @ a)[-1]
    W = whorl.operators.WeightedDifferences((4, 5), dtype="complex128")
    # W takes images without the axis of coils.
    w = np.stack([np.ravel(W @ unit.reshape(4, 5)) for unit in np.eye(20).astype(complex)], 1)
    penalty = whorl.function_operator(
        (1, 4, 5), (2, 4, 5), lambda x: W @ x[0], lambda y: (W.H @ y)[None], dtype="complex128"
    )
    for penalties, matrix in [(None, np.eye(20)), ([(penalty, 0.5), None], 0.5 * w.conj().T @ w + np.eye(20))]:
        x, report = whorl.least_squares(
            A, d, penalties=penalties, eigenvalue=s, lambda_=0.1, iterations=300, tolerance=1e-13
        )
        expected = np.linalg.solve(a.conj().T @ a / s + 0.1 * matrix, a.conj().T @ d.ravel() / s)
        # Condition number at most 11, residual 1e-13.
        assert relative(x.ravel(), expected) < 1e-11
    assert abs(whorl.solvers.normal_eigenvalue(A) / s - 1) < 1e-3
    with pytest.raises(TypeError, match="lambda"):
        whorl.least_squares(A, d, lamda=3)


def test_least_squares_goes_on_from_a_start_and_is_watched(rng):
    """Conjugate gradient in n steps ends at the solution of n equations: a start changes the way, not the end."""
    A = whorl.operators.Dft(rng.uniform(-0.5, 0.5, (60, 2)), (3, 4), dtype="complex128")
    matrix = np.stack([(A @ unit.reshape(1, 3, 4)).ravel() for unit in np.eye(12, dtype="complex128")], 1)
    data = complex_normal(rng, (1, 60), "complex128")
    s = np.linalg.norm(matrix, 2) ** 2
    exact = np.linalg.solve(matrix.conj().T @ matrix + 0.01 * s * np.eye(12), matrix.conj().T @ data.ravel())
    options = dict(lambda_=0.01, eigenvalue=s, tolerance=1e-12, iterations=40)
    seen = []
    start = complex_normal(rng, (1, 3, 4), "complex128")
    x, report = whorl.least_squares(A, data, start, callback=lambda i, residual: seen.append((i, residual)), **options)
    np.testing.assert_allclose(x.ravel(), exact, atol=1e-10)  # 1e-12 times the condition, at most 1.01 / 0.01
    assert [i for i, _ in seen] == list(range(1, report.iterations + 1)) and seen[-1][1] == report.residuals[-1]
    again, report = whorl.least_squares(A, data, x0=x, **options)
    assert report.iterations <= 1
    _, report = whorl.least_squares(A, data, callback=lambda i, residual: i < 2, **options)
    assert report.iterations == 2
    np.testing.assert_array_equal(whorl.least_squares(A, data, **options)[0], whorl.least_squares(A, data, np.zeros_like(x), **options)[0])
    with pytest.raises(whorl.ShapeError):
        whorl.least_squares(A, data, np.zeros((1, 4, 3), "complex128"))
