"""whorl's operators as physics of deepinv: `whorl.deepinv.Physics(A)`, with gradients to images and samples."""

import deepinv

from . import torch

__all__ = ["Physics"]


class Physics(deepinv.physics.LinearPhysics):
    """Measurements y = A x of complex tensors x [batch, *A.domain], y [batch, *A.range].

    operator    any whorl.LinearOperator; its adjoint is exact, so that deepinv's solvers need no gradients for it

    Raises      whorl.ShapeError, TypeError, at its use

    Example

    >>> import torch
    >>> physics = whorl.deepinv.Physics(whorl.Nufft(whorl.trajectory.random_trajectory(50), (8, 8)))
    >>> physics.A(torch.ones(3, 1, 8, 8, dtype=torch.complex64)).shape
    torch.Size([3, 1, 50])
    """

    def __init__(self, operator, **options):
        super().__init__(**options)
        self.operator = operator

    def A(self, x, **_):
        """A x of each x in [batch, *A.domain]."""
        return _each(self.operator, x)

    def A_adjoint(self, y, **_):
        """A^H y of each y in [batch, *A.range]."""
        return _each(self.operator.H, y)


def _each(operator, x):
    return torch.torch.stack([torch.apply(operator, one) for one in x])
