"""Pictures of images."""

from . import _calls
from ._core import (
    color_of,
    default_window,
    montage_picture,
    with_caption,
    with_colorbar,
)

_EXAMPLES = """
color_of
    >>> whorl.plot.color_of("gray", [0.0, 1.0])
    array([[  0,   0,   0],
           [255, 255, 255]], dtype=uint8)
default_window
    >>> image = whorl.phantom.rasterize(whorl.phantom.brain_phantom(), (32, 32))
    >>> low, high = whorl.plot.default_window(image)
    >>> low
    0.0
montage_picture
    >>> images = np.ones((4, 1, 8, 8), "complex64")
    >>> whorl.plot.montage_picture(images, zoom=2).shape
    (32, 32, 3)
with_caption
    >>> picture = whorl.plot.montage_picture(np.ones((1, 8, 80), "float32"))
    >>> whorl.plot.with_caption(picture, ["a brain"]).shape[2]
    3
with_colorbar
    >>> picture = whorl.plot.montage_picture(np.ones((1, 64, 64), "float32"), colormap="hot", window=(0, 1))
    >>> whorl.plot.with_colorbar(picture, "hot", (0, 1), "T2 (ms)").shape[2]
    3
"""

__all__ = _calls.explain_module(globals(), _EXAMPLES)
