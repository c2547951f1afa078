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

__all__ = [
    "Box",
    "Differences",
    "L1",
    "L2Ball",
    "LocallyLowRank",
    "LowRank",
    "ProximalFunction",
    "Wavelet",
    "WaveletL1",
    "function_proximal",
]

_calls.explain_module(globals())
