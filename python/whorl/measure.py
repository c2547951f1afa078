"""How far images are from each other."""

from . import _calls
from ._core import (
    ErrorMeasures,
    ScaledError,
    error_measures,
    scaled_error,
    ssim,
)

_EXAMPLES = """
ErrorMeasures
    >>> found = whorl.measure.error_measures([[1.0, 2.0]], [[1.0, 1.0]])
    >>> found.mse
    0.5
ScaledError
    >>> found = whorl.scaled_error([[2.0, 2.0]], [[1.0, 1.0]])
    >>> abs(found.scale), found.nrmse
    (0.5, 0.0)
error_measures
    >>> whorl.measure.error_measures([[1.0, 2.0]], [[1.0, 1.0]]).mse
    0.5
scaled_error
    >>> whorl.scaled_error([[2.0, 2.0]], [[1.0, 1.0]]).nrmse
    0.0
ssim
    >>> image = whorl.phantom.rasterize(whorl.phantom.brain_phantom(), (32, 32))
    >>> round(whorl.measure.ssim(image, image), 3)
    1.0
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
