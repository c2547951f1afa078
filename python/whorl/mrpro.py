"""whorl's operators as those of MRpro: `whorl.mrpro.Operator(A)`."""

import mrpro

from . import torch

__all__ = ["Operator"]


class Operator(mrpro.operators.LinearOperator, adjoint_as_backward=True):
    """A linear operator of MRpro on complex tensors of the shapes A.domain and A.range.

    operator    any whorl.LinearOperator. MRpro's own axes [other, coil, z, y, x] are one reshape away.
    """

    def __init__(self, operator):
        super().__init__()
        self.operator = operator

    def __call__(self, x):
        return super().__call__(x)

    def forward(self, x):
        return (self.operator.forward(x.contiguous()),)

    def adjoint(self, x):
        return (self.operator.adjoint(x.contiguous()),)
