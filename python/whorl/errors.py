"""What whorl raises. Each is an Error; most are an exception of Python too."""

from . import _calls
from ._core import (
    Cancelled,
    DeviceError,
    Error,
    IoError,
    MemoryError,
    PrecisionWarning,
    ShapeError,
    ToleranceError,
    Unsupported,
    ValueError,
)

_EXAMPLES = """
Cancelled
    >>> token = whorl.devices.CancelToken()
    >>> token.request()
    >>> try:
    ...     whorl.Nufft(np.zeros((4, 2)), (8, 8), context=whorl.Context(cancel=token))
    ... except whorl.Cancelled:
    ...     print("stopped")
    stopped
DeviceError
    >>> try:
    ...     whorl.Context("cuda:999")
    ... except whorl.DeviceError:
    ...     print("no such GPU")
    no such GPU
Error
    >>> try:
    ...     whorl.read_scan("no_such_file.h5")
    ... except whorl.Error:
    ...     print("refused")
    refused
IoError
    >>> try:
    ...     whorl.read_scan("no_such_file.h5")
    ... except whorl.IoError:
    ...     print("no file")
    no file
MemoryError
    A SCAN
    >>> try:
    ...     whorl.recon(scan, context=whorl.Context(max_memory=1000))
    ... except whorl.MemoryError:
    ...     print("too much")
    too much
PrecisionWarning
    >>> issubclass(whorl.PrecisionWarning, UserWarning)
    True
ShapeError
    >>> try:
    ...     whorl.Nufft(np.zeros((4, 2)), (8, 8)) @ np.ones((1, 9, 9), "complex64")
    ... except whorl.ShapeError:
    ...     print("other shape")
    other shape
ToleranceError
    >>> try:
    ...     whorl.Nufft(np.zeros((4, 2)), (8, 8), tolerance=1e-12)  # in single precision
    ... except whorl.ToleranceError:
    ...     print("not as exact as that")
    not as exact as that
Unsupported
    >>> issubclass(whorl.Unsupported, whorl.Error)
    True
ValueError
    >>> try:
    ...     whorl.trajectory.radial_trajectory(0, 16)
    ... except whorl.ValueError as error:  # is a ValueError of Python too
    ...     print(isinstance(error, ValueError))
    True
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
