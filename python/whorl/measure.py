"""How far images are from each other."""

from . import _calls
from ._core import (
    ErrorMeasures,
    ScaledError,
    error_measures,
    scaled_error,
    ssim,
)

__all__ = [
    "ErrorMeasures",
    "ScaledError",
    "error_measures",
    "scaled_error",
    "ssim",
]

_calls.explain_module(globals())
