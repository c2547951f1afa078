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

__all__ = [
    "LargestEigenvalue",
    "SolverReport",
    "admm",
    "conjugate_gradient",
    "fista",
    "largest_eigenvalue",
    "least_squares",
    "lsqr",
    "normal_eigenvalue",
    "primal_dual",
]

_calls.explain_module(globals())
