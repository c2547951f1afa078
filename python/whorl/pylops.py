"""whorl's operators as those of PyLops: `whorl.pylops.LinearOperator(A)`.

They take NumPy arrays, or CuPy arrays where the operator is on a GPU: flat ones as PyLops' solvers pass them, or of the operator's
shapes.
"""

import pylops

__all__ = ["LinearOperator"]


class LinearOperator(pylops.LinearOperator):
    """A whorl.LinearOperator of the shape [elements of its range, elements of its domain].

    operator    any: Nufft, SenseNufft, SignalEvolution, products, stacks
    forceflat   as that of PyLops' operators: results are flat (True), or have the shape that the input asks for (None)

    Raises      ValueError (an array of another size), TypeError, at its use

    Example

    >>> A = whorl.pylops.LinearOperator(whorl.Nufft(whorl.trajectory.random_trajectory(50), (8, 8)))
    >>> A.shape
    (50, 64)
    """

    def __init__(self, operator, forceflat=None):
        super().__init__(
            dtype=operator.dtype, dims=operator.domain, dimsd=operator.range, forceflat=forceflat, name=operator.name
        )
        self._operator = operator

    def _matvec(self, x):
        return self._operator.forward(x.reshape(self._operator.domain).astype(self.dtype, copy=False)).ravel()

    def _rmatvec(self, x):
        return self._operator.adjoint(x.reshape(self._operator.range).astype(self.dtype, copy=False)).ravel()
