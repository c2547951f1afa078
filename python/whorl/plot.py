"""Pictures of images."""

from . import _calls
from ._core import (
    color_of,
    default_window,
    montage_picture,
    with_caption,
    with_colorbar,
)

__all__ = [
    "color_of",
    "default_window",
    "montage_picture",
    "with_caption",
    "with_colorbar",
]

_calls.explain_module(globals())
