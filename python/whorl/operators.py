"""Linear operators, and what is made of them."""

from . import _calls
from ._core import (
    Dft,
    Gridding,
    LinearOperator,
    Nufft,
    PositionDft,
    PositionNufft,
    Sense,
    SenseNufft,
    SignalEvolution,
    WeightedDifferences,
    block_diagonal,
    function_operator,
    stack,
)
from ._gradient import trajectory_gradient

_EXAMPLES = """
Dft
    >>> exact = whorl.operators.Dft(np.zeros((1, 2)), (4, 4))
    >>> exact @ np.ones((1, 4, 4), "complex64")
    array([[4.+0.j]], dtype=complex64)
Gridding
    >>> grid = whorl.operators.Gridding(whorl.trajectory.random_trajectory(50).points, (16, 16), 4, 2.0)
    >>> grid.domain, grid.range
    ((1, 16, 16), (1, 50))
LinearOperator
    >>> A = whorl.Nufft(whorl.trajectory.random_trajectory(50).points, (8, 8))
    >>> isinstance(A, whorl.LinearOperator), (2 * A + A).domain, (A.H @ A).range
    (True, (1, 8, 8), (1, 8, 8))
LinearOperator.adjoint
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    >>> y = np.ones((20, 32), "complex64")  # [spoke, readout], as a batch [..., 1, sample] too
    >>> np.array_equal(A.adjoint(y), A.H @ y)
    True
LinearOperator.apply_normal
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(20, 32), (16, 16), normal="toeplitz")
    >>> x = np.ones((16, 16), "complex64")
    >>> np.array_equal(A.apply_normal(x), A.normal @ x)
    True
LinearOperator.forward
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    >>> out = np.empty((1, 640), "complex64")
    >>> A.forward(np.ones((16, 16), "complex64"), out) is out
    True
Nufft
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(20, 32).points, (16, 16), coils=2, tolerance=1e-4)
    >>> samples = A @ np.ones((2, 16, 16), "complex64")
    >>> samples.shape, (A.H @ samples).shape
    ((2, 640), (2, 16, 16))
Nufft.derivative
    >>> A = whorl.Nufft(whorl.trajectory.random_trajectory(50), (8, 8))
    >>> A.derivative().domain, A.derivative().range
    ((1, 8, 8), (2, 1, 50))
Nufft.with_coils
    >>> A = whorl.Nufft(whorl.trajectory.random_trajectory(50), (8, 8))
    >>> A.with_coils(12).range
    (12, 50)
PositionDft
    >>> exact = whorl.operators.PositionDft(np.zeros((3, 2)), np.ones((5, 2)))
    >>> (exact @ np.ones((1, 5), "complex64")).real.round(3)
    array([[5., 5., 5.]], dtype=float32)
PositionNufft
    >>> points = whorl.trajectory.random_trajectory(50).points
    >>> anywhere = whorl.operators.PositionNufft(points, np.random.default_rng(1).uniform(-9, 9, (20, 2)))
    >>> anywhere.domain, anywhere.range
    ((1, 20), (1, 50))
Sense
    >>> S = whorl.operators.Sense(whorl.phantom.make_phantom_coils((16, 12), 4).maps())
    >>> S.domain, S.range
    ((16, 12), (4, 16, 12))
SenseNufft
    >>> A = whorl.Nufft(whorl.trajectory.radial_trajectory(20, 32).points, (16, 16), 4)
    >>> E = whorl.SenseNufft(A, whorl.phantom.make_phantom_coils((16, 16), 4).maps())
    >>> E.domain, E.range
    ((16, 16), (4, 640))
SignalEvolution
    >>> spokes = whorl.trajectory.radial_trajectory(20, 32)
    >>> times = whorl.trajectory.sample_times(spokes, 0, 5)
    >>> field = np.full((16, 16), 30.0)
    >>> A = whorl.operators.SignalEvolution(whorl.Nufft(spokes, (16, 16)), times, field_hz=field)
    >>> A.domain, A.range
    ((1, 16, 16), (1, 640))
WeightedDifferences
    >>> D = whorl.operators.WeightedDifferences((4, 5))
    >>> D.domain, D.range
    ((4, 5), (2, 4, 5))
block_diagonal
    >>> A = whorl.Nufft(whorl.trajectory.random_trajectory(50).points, (8, 8))
    >>> whorl.operators.block_diagonal(A, 3).range
    (3, 1, 50)
function_operator
    >>> flip = whorl.function_operator((4,), (4,), lambda x: x[::-1], lambda y: y[::-1])
    >>> (flip @ np.arange(4, dtype="complex64")).real
    array([3., 2., 1., 0.], dtype=float32)
stack
    >>> A = whorl.Nufft(whorl.trajectory.random_trajectory(50).points, (8, 8))
    >>> whorl.operators.stack(A, A).range
    (2, 50)
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
