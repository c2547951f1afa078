"""Proximal functions, and the operators that are used with them."""

from . import _calls
from ._core import (
    Box,
    Differences,
    L1,
    L2Ball,
    LocallyLowRank,
    LowRank,
    ProximalFunction,
    Wavelet,
    WaveletL1,
    function_proximal,
)

_EXAMPLES = """
Box
    >>> whorl.prox.Box((3,), 0, 1).prox(np.array([-1, 0.5, 2], "complex64"), 1).real
    array([0. , 0.5, 1. ], dtype=float32)
Differences
    >>> D = whorl.prox.Differences((4, 5))
    >>> D.domain, D.range
    ((4, 5), (2, 4, 5))
L1
    >>> whorl.prox.L1((2,)).prox([3.0, 0.5], 1).real.round(3)
    array([2., 0.], dtype=float32)
L2Ball
    >>> ball = whorl.prox.L2Ball(np.zeros(2, "complex64"), 1)
    >>> ball.prox(np.array([3, 4], "complex64"), 1).real.round(2)
    array([0.6, 0.8], dtype=float32)
LocallyLowRank
    >>> llr = whorl.prox.LocallyLowRank((6, 1, 8, 8), patch=4)
    >>> llr.prox(np.ones((6, 1, 8, 8), "complex64"), 0.1).shape
    (6, 1, 8, 8)
LowRank
    >>> g = whorl.prox.LowRank((4, 9))
    >>> round(float(g.value(np.ones((4, 9), "complex64"))), 3)
    6.0
ProximalFunction
    >>> isinstance(whorl.prox.L1((4,)), whorl.prox.ProximalFunction)
    True
Wavelet
    >>> W = whorl.prox.Wavelet((16, 16), taps=4)
    >>> x = np.random.default_rng(1).normal(size=(16, 16)).astype("complex64")
    >>> np.allclose(W.H @ (W @ x), x, atol=1e-5)
    True
WaveletL1
    >>> g = whorl.prox.WaveletL1((16, 16), taps=2)
    >>> g.prox(np.ones((16, 16), "complex64"), 0.1).shape
    (16, 16)
function_proximal
    >>> half = whorl.function_proximal((4,), lambda x, step: x / (1 + step))
    >>> half.prox(np.ones(4, "complex64"), 1.0).real
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
