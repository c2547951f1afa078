"""Filters of images, on the image's device: `whorl.filters.gaussian(image, sigma=1.4)`, or several by `whorl.filter`."""

import typing

from . import _calls, _core
from ._core import filter

if typing.TYPE_CHECKING:
    from ._core.filters import *

globals().update({name: thing for name, thing in vars(_core.filters).items() if not name.startswith("_")})

# Filters whose result has the shape of the image, and the further arguments of their examples.
_ALIKE = {
    "autocontrast": "", "bias": "sigma=4", "bilateral": "", "blackhat": "", "canny": "", "clip": "low=0.2, high=0.8",
    "close": "", "convert": '"uint8"', "custom": 'kernel="0,1,0;1,4,1;0,1,0", divisor=8', "dilate": "", "equalize": "",
    "erode": "", "flip": '"y"', "gamma": "exponent=0.5", "gaussian": "sigma=1.4", "gibbs": "", "gradient": "",
    "heat": "time=2", "invert": "", "laplacian": "", "median": "radius=2", "non_local_means": "", "open": "",
    "perona_malik": "", "scale": "factor=2", "scharr": "", "sobel_x": "", "sobel_y": "", "threshold": "value=0.5",
    "tophat": "", "unsharp": "", "window": "low=0.2, high=0.8",
}
_EXAMPLES = """
filter
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filter(image, "median | gaussian 1.4").shape
    (12, 16)
align
    >>> images = np.random.default_rng(1).random((72, 32), "float32")
    >>> whorl.filters.align(images, range=2).shape
    (24, 32, 3)
clahe
    >>> image = np.random.default_rng(1).integers(0, 255, (24, 32)).astype("uint8")
    >>> whorl.filters.clahe(image, tiles=2).shape
    (24, 32)
crop
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.crop(image, x=2, y=1, width=8, height=4).shape
    (4, 8)
gray
    >>> whorl.filters.gray(np.ones((12, 16, 3), "float32"), channels="rgb").shape
    (12, 16)
gray_world
    >>> whorl.filters.gray_world(np.ones((12, 16, 3), "float32"), channels="rgb").shape
    (12, 16, 3)
imaginary
    >>> whorl.filters.imaginary(np.array([[3 + 4j]], "complex64"))
    array([[4.]], dtype=float32)
magnitude
    >>> whorl.filters.magnitude(np.array([[3 + 4j]], "complex64"))
    array([[5.]], dtype=float32)
pad
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.pad(image, all=2).shape
    (16, 20)
phase
    >>> whorl.filters.phase(np.array([[3j]], "complex64")).round(3)
    array([[1.571]], dtype=float32)
real
    >>> whorl.filters.real(np.array([[3 + 4j]], "complex64"))
    array([[3.]], dtype=float32)
register
    >>> images = np.random.default_rng(1).random((3, 24, 32), "float32")
    >>> whorl.filters.register(images, range=2).shape
    (3, 24, 32)
resize
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.resize(image, scale=2).shape
    (24, 32)
root_sum_of_squares
    >>> coils = np.full((4, 1, 2, 2), 3, "float32")
    >>> whorl.filters.root_sum_of_squares(coils, coils=4).shape
    (1, 1, 2, 2)
rotate
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.rotate(image, angle=90).shape
    (16, 12)
""" + "".join(
    f"""{name}
    >>> image = np.random.default_rng(1).random((12, 16), "float32")
    >>> whorl.filters.{name}(image{arguments and ', '}{arguments}).shape
    (12, 16)
"""
    for name, arguments in _ALIKE.items()
)


__all__ = _calls.explain_module(globals(), _EXAMPLES)
