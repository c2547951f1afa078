"""Iterative solvers, for operators and for functions."""

from . import _calls
from ._core import (
    LargestEigenvalue,
    SolverReport,
    admm,
    conjugate_gradient,
    fista,
    largest_eigenvalue,
    least_squares,
    lsqr,
    normal_eigenvalue,
    primal_dual,
)

_EXAMPLES = """
LargestEigenvalue
    >>> found = whorl.solvers.largest_eigenvalue(lambda x: 2 * x, (4,))
    >>> round(float(found), 3)
    2.0
SolverReport
    >>> x, report = whorl.conjugate_gradient(lambda x: 2 * x, np.ones(4, "complex64"))
    >>> report.iterations, report.stop_reason
    (1, 'reached the tolerance')
admm
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(20, 32).points, (16, 16))
    >>> b = A.H @ (A @ np.ones((1, 16, 16), "complex64"))
    >>> x, report = whorl.admm(A.normal, b, (whorl.prox.L1(b.shape), 0.01), iterations=5)
    >>> x.shape, report.iterations
    ((1, 16, 16), 5)
conjugate_gradient
    >>> x, report = whorl.conjugate_gradient(lambda x: 2 * x, np.ones(4, "complex64"))
    >>> x.real
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
fista
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(20, 32).points, (16, 16))
    >>> b = A.H @ (A @ np.ones((1, 16, 16), "complex64"))
    >>> x, report = whorl.fista(A.normal, b, (whorl.prox.L1(b.shape), 0.01), iterations=5)
    >>> x.shape, report.iterations
    ((1, 16, 16), 5)
largest_eigenvalue
    >>> found = whorl.solvers.largest_eigenvalue(lambda x: 2 * x, (4,))
    >>> round(found.value, 3), found.iterations
    (2.0, 1)
least_squares
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(40, 32).points, (16, 16))
    >>> truth = np.ones((1, 16, 16), "complex64")
    >>> x, report = whorl.least_squares(A, A @ truth, lambda_=1e-6, callback=lambda i, residual: i < 20)
    >>> whorl.scaled_error(x, truth).nrmse < 0.05
    True
lsqr
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(40, 32).points, (16, 16))
    >>> x, report = whorl.solvers.lsqr(A, A @ np.ones((1, 16, 16), "complex64"), iterations=10)
    >>> x.shape
    (1, 16, 16)
normal_eigenvalue
    >>> A = whorl.operators.Sense(np.full((4, 8, 8), 0.5, "complex64"))
    >>> round(whorl.solvers.normal_eigenvalue(A), 3)
    1.0
primal_dual
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(20, 32).points, (16, 16))
    >>> b = A.H @ (A @ np.ones((1, 16, 16), "complex64"))
    >>> x, report = whorl.solvers.primal_dual(A.normal, b, (whorl.prox.L1(b.shape), 0.01), iterations=5)
    >>> x.shape, report.iterations
    ((1, 16, 16), 5)
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
