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

__all__ = [
    "Dft",
    "Gridding",
    "LinearOperator",
    "Nufft",
    "PositionDft",
    "PositionNufft",
    "Sense",
    "SenseNufft",
    "SignalEvolution",
    "WeightedDifferences",
    "block_diagonal",
    "function_operator",
    "stack",
]

_calls.explain_module(globals())
