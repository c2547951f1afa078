"""whorl's operators as those of PyLops: `whorl.pylops.LinearOperator(A)`.

They take NumPy arrays, or CuPy arrays where the operator is on a GPU: flat ones as PyLops' solvers pass them, or of the operator's
shapes.
"""

import pylops

__all__ = ["LinearOperator"]


class LinearOperator(pylops.LinearOperator):
    """A whorl.LinearOperator of the shape [elements of its range, elements of its domain].

    operator    any: Nufft, SenseNufft, SignalEvolution, products, stacks
    """

    def __init__(self, operator):
        super().__init__(dtype=operator.dtype, dims=operator.domain, dimsd=operator.range, name=operator.name)
        self._operator = operator

    def _matvec(self, x):
        return self._operator.forward(x.reshape(self.dims).astype(self.dtype, copy=False)).ravel()

    def _rmatvec(self, x):
        return self._operator.adjoint(x.reshape(self.dimsd).astype(self.dtype, copy=False)).ravel()
